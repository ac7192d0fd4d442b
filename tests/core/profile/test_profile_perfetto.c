/* SPDX-License-Identifier: MIT */
/* Traces against the documented Trace Event Format as ui.perfetto.dev imports it: every event has the fields of its
 * phase and no others of a kind that is not known, slices of a track nest, both ends of a flow lie inside of slices,
 * counters hold numbers, names and sort indices belong to tracks that exist. The site itself is not asked. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core/profile/profile.h"

#include <glib.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

typedef struct slice {
    int64_t process, track;
    double from, to;
    const char *name;
} slice;

typedef struct counts {
    unsigned slices, flows, counters, named, instants;
    GArray *all;  /* slice */
    GArray *open; /* slice: begun, not ended, the innermost of a track last */
} counts;

static bool has(json_t *event, const char *key)
{
    return json_object_get(event, key) != NULL;
}

static double number(json_t *event, const char *key)
{
    json_t *value = json_object_get(event, key);
    if (!json_is_number(value)) fail_msg("%s is no number", key);
    double n = json_number_value(value);
    assert_true(isfinite(n));
    return n;
}

static int64_t id(json_t *event, const char *key)
{
    json_t *value = json_object_get(event, key);
    if (!json_is_integer(value)) fail_msg("%s is no integer", key);
    return json_integer_value(value);
}

static const char *text(json_t *event, const char *key)
{
    const char *value = json_string_value(json_object_get(event, key));
    if (!value) fail_msg("%s is no text", key);
    return value;
}

static int by_track(const void *a, const void *b)
{
    const slice *x = a, *y = b;
    if (x->process != y->process) return x->process < y->process ? -1 : 1;
    if (x->track != y->track) return x->track < y->track ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to > y->to ? -1 : x->to < y->to;
}

/* Inside of another or behind it, up to rounding. */
static void assert_nested(GArray *all)
{
    const double least = 1e-9;
    qsort(all->data, all->len, sizeof(slice), by_track);
    GArray *open = g_array_new(FALSE, FALSE, sizeof(slice));
    for (guint i = 0; i < all->len; i++) {
        const slice *s = &g_array_index(all, slice, i);
        while (open->len) {
            const slice *o = &g_array_index(open, slice, open->len - 1);
            bool other = o->process != s->process || o->track != s->track;
            if (!other && o->to > s->from + least) {
                if (s->to > o->to + least)
                    fail_msg("'%s' [%g, %g] and '%s' [%g, %g] overlap on track %d", o->name, o->from, o->to,
                             s->name, s->from, s->to, (int)s->track);
                break;
            }
            g_array_set_size(open, open->len - 1);
        }
        g_array_append_val(open, *s);
    }
    g_array_free(open, TRUE);
}

static bool inside(GArray *all, json_t *event)
{
    for (guint i = 0; i < all->len; i++) {
        const slice *s = &g_array_index(all, slice, i);
        double ts = number(event, "ts");
        if (s->process == id(event, "pid") && s->track == id(event, "tid") && s->from < ts && ts < s->to)
            return true;
    }
    return false;
}

/* The innermost open slice of the track ends: the one that began last, so none is in it that goes on. */
static void end_slice(json_t *event, double ts, counts *c)
{
    for (guint i = c->open->len; i > 0; i--) {
        slice s = g_array_index(c->open, slice, i - 1);
        if (s.process != id(event, "pid") || s.track != id(event, "tid")) continue;
        s.to = ts;
        assert_true(s.to >= s.from);
        if (s.from == s.to) fail_msg("'%s' at %g begins and ends in one moment: whose end is it?", s.name, ts);
        g_array_append_val(c->all, s);
        g_array_remove_index(c->open, i - 1);
        c->slices++;
        return;
    }
    fail_msg("an end at %g of what has not begun", ts);
}

static void check_event(json_t *event, counts *c)
{
    static const char *const meta[] = { "process_name", "thread_name", "process_sort_index", "thread_sort_index" };
    const char *phase = text(event, "ph");
    assert_int_equal(strlen(phase), 1);
    assert_true(id(event, "pid") > 0); /* 0 is the idle task to the importer */
    if (*phase != 'E') text(event, "name");
    double ts = *phase == 'M' && !has(event, "ts") ? 0 : number(event, "ts"); /* names have no time */
    assert_true(ts >= 0);
    json_t *args = json_object_get(event, "args");
    switch (*phase) {
    case 'X': {
        slice s = { id(event, "pid"), id(event, "tid"), ts, ts + number(event, "dur"), text(event, "name") };
        assert_true(s.track > 0 && s.to >= s.from);
        g_array_append_val(c->all, s);
        c->slices++;
        break;
    }
    case 'B': {
        slice s = { id(event, "pid"), id(event, "tid"), ts, ts, text(event, "name") };
        assert_true(s.track > 0);
        g_array_append_val(c->open, s);
        break;
    }
    case 'E': end_slice(event, ts, c); break;
    case 'C': {
        assert_true(json_object_size(args) > 0);
        const char *key;
        json_t *value;
        json_object_foreach(args, key, value) assert_true(json_is_number(value));
        c->counters++;
        break;
    }
    case 'M': {
        size_t i = 0;
        while (i < 4 && strcmp(meta[i], text(event, "name"))) i++;
        assert_true(i < 4);
        i < 2 ? (void)text(args, "name") : (void)id(args, "sort_index");
        c->named++;
        break;
    }
    case 's':
    case 'f':
        assert_true(has(event, "id") && has(event, "cat"));
        if (*phase == 'f') assert_string_equal(text(event, "bp"), "e");
        c->flows++;
        break;
    case 'i':
        assert_true(strchr("gpt", *text(event, "s")) != NULL);
        c->instants++;
        break;
    default: fail_msg("phase '%s' is not in the documents", phase);
    }
}

/* A flow begins and ends once, under one category and name, and not before it began. */
static void check_flows(json_t *events, const counts *c)
{
    GHashTable *begun = g_hash_table_new(g_direct_hash, g_direct_equal);
    json_t *event;
    size_t i;
    unsigned ended = 0;
    json_array_foreach(events, i, event)
    {
        char phase = *text(event, "ph");
        if (phase != 's' && phase != 'f') continue;
        if (!inside(c->all, event)) fail_msg("a flow's end at %g lies in no slice", number(event, "ts"));
        gpointer key = GINT_TO_POINTER((int)id(event, "id"));
        json_t *begin = g_hash_table_lookup(begun, key);
        if (phase == 's') {
            assert_null(begin);
            g_hash_table_insert(begun, key, event);
            continue;
        }
        assert_non_null(begin);
        assert_string_equal(text(begin, "cat"), text(event, "cat"));
        assert_string_equal(text(begin, "name"), text(event, "name"));
        assert_true(number(begin, "ts") <= number(event, "ts"));
        ended++;
    }
    assert_int_equal(ended, g_hash_table_size(begun));
    g_hash_table_destroy(begun);
}

static counts check_root(json_t *root)
{
    size_t i;
    json_t *events = json_object_get(root, "traceEvents"), *event;
    assert_true(json_is_array(events));
    counts c = { .all = g_array_new(FALSE, FALSE, sizeof(slice)),
                 .open = g_array_new(FALSE, FALSE, sizeof(slice)) };
    json_array_foreach(events, i, event) check_event(event, &c);
    g_array_free(c.open, TRUE);
    assert_nested(c.all);
    check_flows(events, &c);
    return c;
}

static counts check(const tw_profile *p, const tw_profile_options *options, json_t **root)
{
    char *made = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&made, &bytes);
    assert_int_equal(tw_profile_write_trace(p, out, options), TW_OK);
    fclose(out);
    json_error_t error;
    *root = json_loads(made, JSON_REJECT_DUPLICATES, &error);
    if (!*root) fail_msg("%s", error.text);
    free(made);
    return check_root(*root);
}

/* Files that programs have written: their names are what this program was given. */
static char **files;

static void written_by_programs(void **state)
{
    (void)state;
    for (char **file = files; *file; file++) {
        json_error_t error;
        json_t *root = json_load_file(*file, JSON_REJECT_DUPLICATES, &error);
        print_message("%s\n", *file);
        if (!root) fail_msg("%s: %s", *file, error.text);
        counts c = check_root(root);
        assert_true(c.slices > 0 && c.named > 1);
        g_array_free(c.all, TRUE);
        json_decref(root);
    }
}

enum { TILES = 4 };

static tw_profile *new_profile(const char *type, uint32_t chips)
{
    return tw__profile_new(&(tw__profile_target){ .type = type,
                                                  .ipus = chips,
                                                  .tiles_per_ipu = TILES / chips,
                                                  .replicas = 1,
                                                  .bytes_per_tile = 4096,
                                                  .clock_hz = 1.85e9 });
}

/* Exchange, compute on workers, sync, over and over; overlapped by what a tile need not wait. */
static tw_profile *stepping(uint32_t times)
{
    tw_profile *p = new_profile("IPU_MODEL", 2);
    uint32_t set = tw__profile_add_compute_set(p, "set"), type = tw__profile_add_vertex_type(p, "kernel", 0);
    const uint64_t moved[TILES] = { 40, 50, 60, 0 }, busy[TILES] = { 100, 120, 60, 90 };
    const tw__work work[] = { { 0, type, 0, 60 }, { 0, type, 60, 120 }, { 1, type, 0, 114 } };
    uint32_t leaf = tw__profile_add_program(p, TW_PROGRAM_ON_TILE_EXECUTE, "leaf", TW__NONE, set, 0);
    tw__profile_set_live(p, leaf, &(tw__live_var){ tw__profile_name(p, "x"), 77 }, 1);
    tw__profile_add_always_live(p, "y", 23);
    uint32_t exchange = tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_DO_EXCHANGE,
                                                                  .no_program = true,
                                                                  .index = TW__NONE,
                                                                  .overlapped = 9,
                                                                  .active = tw__profile_row(p, moved, TILES),
                                                                  .data = tw__profile_row(p, moved, TILES) });
    tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                              .program = leaf,
                                              .index = set,
                                              .overlapped = 7,
                                              .active = tw__profile_row(p, busy, TILES),
                                              .types = &(tw__type_cycles){ type, 3, 234, 114, 1 },
                                              .type_count = 1,
                                              .work = work,
                                              .work_count = 3,
                                              .work_tile = 1 });
    tw__profile_add_step(
        p, &(tw__step_desc){ .type = TW_PROGRAM_SYNC, .no_program = true, .cycles = 20, .index = TW__NONE });
    tw__profile_run_begin(p, "");
    tw__profile_range(p, exchange, 3, times);
    tw__profile_run_end(p, 0);
    assert_int_equal(tw__profile_status(p), TW_OK);
    return p;
}

static void steps_and_workers(void **state)
{
    (void)state;
    tw_profile *p = stepping(50);
    json_t *root;
    counts c = check(p, NULL, &root);
    unsigned workers = 0;
    for (guint i = 0; i < c.all->len; i++) workers += !strcmp(g_array_index(c.all, slice, i).name, "kernel");
    assert_int_equal(workers, 150);
    assert_int_equal(c.flows, 100); /* each exchange to the step behind it */
    assert_true(c.counters > 0);
    unsigned live = 0;
    json_t *event;
    size_t i;
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        if (*text(event, "ph") != 'C' || strcmp(text(event, "name"), "live")) continue;
        assert_int_equal(id(json_object_get(event, "args"), "bytes"), 100);
        live++;
    }
    assert_int_equal(live, 50);
    g_array_free(c.all, TRUE);
    json_decref(root);
    tw_profile_free(p);
}

/* As many chips' busiest and idlest tiles as four events a step allow, those with the busiest tiles first; what a
 * tile did lasts as long as it says. */
static void tiles_of_chips(void **state)
{
    (void)state;
    enum { CHIPS = 4, STEPS = 90 };
    const uint64_t busy[2 * CHIPS] = { 70, 10, 30, 20, 40, 80, 0, 50 };
    tw_profile *p = tw__profile_new(&(tw__profile_target){ .type = "IPU_MODEL",
                                                           .ipus = CHIPS,
                                                           .tiles_per_ipu = 2,
                                                           .replicas = 1,
                                                           .bytes_per_tile = 4096,
                                                           .clock_hz = 1e6 }); /* a cycle is a microsecond */
    uint32_t set = tw__profile_add_compute_set(p, "set");
    uint32_t leaf = tw__profile_add_program(p, TW_PROGRAM_ON_TILE_EXECUTE, "leaf", TW__NONE, set, 0);
    tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                              .program = leaf,
                                              .index = set,
                                              .active = tw__profile_row(p, busy, 2 * CHIPS) });
    tw__profile_run_begin(p, "");
    tw__profile_range(p, 0, 1, STEPS);
    tw__profile_run_end(p, 0);
    static const struct {
        uint64_t most;
        const char *tiles;
    } rows[] = { { STEPS, "5 4 0 1 " }, { 2 * STEPS - 1, "5 4 0 1 " }, { 2 * STEPS, "5 4 0 1 7 6 2 3 " } };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        json_t *root, *event;
        counts c =
            check(p, &(tw_profile_options){ .size = sizeof(tw_profile_options), .max_steps = rows[k].most }, &root);
        GString *tiles = g_string_new("");
        unsigned lasting = 0;
        size_t i;
        json_array_foreach(json_object_get(root, "traceEvents"), i, event)
        {
            if (id(event, "pid") == 1) continue;
            json_t *args = json_object_get(event, "args");
            if (!strcmp(text(event, "name"), "thread_name"))
                g_string_append_printf(tiles, "%d ", atoi(text(args, "name") + strlen("tile ")));
            if (*text(event, "ph") != 'X') continue;
            assert_int_equal(id(args, "cycles"), busy[id(event, "tid") - 1]);
            assert_true(number(event, "dur") == (double)id(args, "cycles"));
            lasting++;
        }
        assert_string_equal(tiles->str, rows[k].tiles);
        assert_int_equal(lasting, STEPS * (k == 2 ? 7 : 4)); /* tile 6 does nothing */
        g_string_free(tiles, TRUE);
        g_array_free(c.all, TRUE);
        json_decref(root);
    }
    tw_profile_free(p);
}

/* However long the run, the file is bounded and says what is not in it: here the order of steps is that of Thue and
 * Morse, which has nothing three times in a row. */
static void bounded(void **state)
{
    (void)state;
    tw_profile *p = stepping(1);
    tw__profile_run_begin(p, "irregular");
    for (unsigned i = 0; i < 2000; i++) tw__profile_step(p, (uint32_t)__builtin_popcount(i) % 2 ? 0 : 2);
    tw__profile_run_end(p, 0);
    json_t *root;
    counts c = check(p, &(tw_profile_options){ .size = sizeof(tw_profile_options), .max_steps = 90 }, &root);
    assert_true(c.slices <= 90 * 10);
    assert_int_equal(c.instants, 1);
    assert_non_null(strstr(text(json_object_get(root, "otherData"), "folded"), "1913 later steps"));
    g_array_free(c.all, TRUE);
    json_decref(root);
    tw_profile_free(p);
}

/* What repeats itself is there once, and the trace goes on to the end: four executions, a slice for 1,995, the
 * last. */
static void repeats(void **state)
{
    (void)state;
    tw_profile *p = stepping(2000);
    tw_profile_totals totals;
    assert_int_equal(tw_profile_get_totals(p, &totals), TW_OK);
    json_t *root, *event;
    counts c = check(p, &(tw_profile_options){ .size = sizeof(tw_profile_options), .max_steps = 90 }, &root);
    assert_string_equal(text(json_object_get(root, "otherData"), "folded"),
                        "5985 steps of repeats are one slice for each repeat");
    size_t i, same = 0, syncs = 0;
    double end = 0, from = 0, to = 0;
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        if (*text(event, "ph") != 'X') continue;
        double at = json_number_value(json_object_get(event, "ts")),
               until = at + json_number_value(json_object_get(event, "dur"));
        if (until > end) end = until;
        syncs += !strcmp(text(event, "name"), "Sync");
        if (strcmp(text(event, "name"), "1995 times the same")) continue;
        assert_int_equal(id(json_object_get(event, "args"), "steps"), 5985);
        same++, from = at, to = until;
    }
    assert_int_equal(same, 1);
    assert_int_equal(syncs, 5);
    const double us = (double)totals.cycles / 1850; /* of the whole run */
    assert_true(fabs(end - us) < us * 1e-6);
    assert_true(fabs(from - us * 4 / 2000) < us * 1e-5 && fabs(to - us * 1999 / 2000) < us * 1e-5);
    g_array_free(c.all, TRUE);
    json_decref(root);
    tw_profile_free(p);
}

/* Two lanes: b works until 30, a waits for it from 10, then works. */
static void waits_and_what_for(void **state)
{
    (void)state;
    tw_profile *p = new_profile("ASCEND_PTO", 1);
    uint32_t set = tw__profile_add_compute_set(p, "run");
    tw__profile_run_begin(p, "");
    tw__profile_step(p, tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                                                  .no_program = true,
                                                                  .index = set,
                                                                  .cycles = 50 }));
    tw__profile_run_end(p, 0);
    uint32_t a = tw__profile_add_lane(p, 0, "PIPE_V"), b = tw__profile_add_lane(p, 0, "PIPE_MTE2");
    tw__profile_add_interval(p, &(tw__interval_desc){ a, 0, 10, "TADD", NULL, TW__NONE, NULL, 0 });
    tw__profile_add_interval(p, &(tw__interval_desc){ a, 10, 30, "TMUL", "flag", b, NULL, 0 });
    tw__profile_add_interval(p, &(tw__interval_desc){ a, 30, 50, "TMUL", NULL, TW__NONE, NULL, 0 });
    tw__profile_add_interval(p, &(tw__interval_desc){ b, 5, 30, "TLOAD", NULL, TW__NONE, NULL, 0 });
    json_t *root, *event, *from = NULL, *to = NULL;
    counts c = check(p, NULL, &root);
    size_t i;
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        if (*text(event, "ph") == 's') from = event;
        if (*text(event, "ph") == 'f') to = event;
    }
    assert_int_equal(c.flows, 2);
    assert_string_equal(text(from, "cat"), "wait");
    assert_int_equal(id(from, "tid"), 1 + b);
    assert_int_equal(id(to, "tid"), 1 + a);
    assert_true(fabs(number(to, "ts") - 40 / 1850.0) < 1e-9);
    assert_string_equal(text(json_object_get(root, "otherData"), "unit"),
                        "microseconds of the machine's clock of 1850 MHz");
    g_array_free(c.all, TRUE);
    json_decref(root);
    tw_profile_free(p);
}

int main(int argc, char **argv)
{
    files = argv + 1;
    const struct CMUnitTest given[] = { cmocka_unit_test(written_by_programs) };
    if (argc > 1) return cmocka_run_group_tests(given, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_workers), cmocka_unit_test(tiles_of_chips),     cmocka_unit_test(bounded),
        cmocka_unit_test(repeats),           cmocka_unit_test(waits_and_what_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
