/* SPDX-License-Identifier: MIT */
/* What changed between two profiles, and conditions on it: figures worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "report/report.h"

#include <math.h>

#define assert_near(a, b, epsilon) assert_true(fabs((double)(a) - (double)(b)) <= (epsilon))

enum { TILES = 4 };

static tw_profile *make_on(const char *type, const char *extra, uint64_t work, uint64_t bytes)
{
    tw_profile *p = tw__profile_new(&(tw__profile_target){
        .type = type, .ipus = 1, .tiles_per_ipu = TILES, .replicas = 1, .bytes_per_tile = 1000, .clock_hz = 1e6 });
    const uint64_t row[TILES] = { work, work, work, work }, memory[TILES] = { bytes, 10, 10, 10 };
    uint32_t set = tw__profile_add_compute_set(p, "set");
    tw__profile_add_memory(p, "variable", NULL, TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED,
                           tw__profile_row(p, memory, TILES), TW_FIDELITY_EXACT);
    tw__profile_run_begin(p, "");
    for (int i = 0; i < 2; i++) {
        const char *name = i ? extra : "work";
        if (!name) continue;
        uint32_t id = tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                                                .name = name,
                                                                .no_program = true,
                                                                .index = set,
                                                                .active = tw__profile_row(p, row, TILES) });
        tw__profile_step(p, id);
    }
    tw__profile_run_end(p, 0);
    assert_int_equal(tw__profile_status(p), TW_OK);
    return p;
}

static tw_profile *make(const char *extra, uint64_t work, uint64_t bytes)
{
    return make_on("IPU_MODEL", extra, work, bytes);
}

static bool judged(const tw_profile *a, const tw_profile *b, const char *condition)
{
    bool holds;
    char text[256];
    if (tw_profile_judge(a, b, condition, &holds, text) != TW_OK) fail_msg("%s: %s", condition, tw_error_message());
    assert_non_null(strstr(text, condition));
    return holds;
}

/* 100 cycles become 103, the fullest tile's 500 bytes 450. */
static void test_conditions(void **state)
{
    (void)state;
    tw_profile *a = make(NULL, 100, 500), *b = make(NULL, 103, 450);
    assert_true(judged(a, b, "cycles>+2%"));
    assert_true(judged(a, b, "cycles>+2.9%"));
    assert_false(judged(a, b, "cycles>+3%"));
    assert_true(judged(a, b, "cycles>+2"));
    assert_false(judged(a, b, "cycles>+3"));
    assert_true(judged(a, b, "cycles>102"));
    assert_false(judged(a, b, "cycles>103"));
    assert_true(judged(a, b, "cycles<104"));
    assert_true(judged(a, b, "time>0.0001"));
    assert_true(judged(a, b, "memory.max<-9%"));
    assert_false(judged(a, b, "memory.max<-10%"));
    assert_true(judged(a, b, "memory.max<451"));
    assert_true(judged(a, b, "memory.total<-40"));
    assert_false(judged(a, b, "exchange.bytes>0"));
    assert_true(judged(a, b, "tileBalance>99%"));
    assert_false(judged(a, b, "tileBalance<-1%"));
    assert_false(judged(a, b, "findings>+0"));
    tw_profile_free(a);
    tw_profile_free(b);
}

static void test_refused(void **state)
{
    (void)state;
    tw_profile *a = make(NULL, 100, 500);
    bool holds;
    char text[256];
    static const char *const wrong[] = { "",           "cycles",     "cycles>",    "cycles>x",
                                         "cycles=3",   "cycle>3",    "cycles>3%%", "cycles>3 ",
                                         "cycles>nan", "cycles>inf", ">3" };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        if (tw_profile_judge(a, a, wrong[i], &holds, text) != TW_E_INVALID_ARGUMENT)
            fail_msg("'%s' is taken", wrong[i]);
        assert_false(holds);
    }
    a->has_execution = false;
    assert_int_equal(tw_profile_judge(a, a, "cycles>3", &holds, text), TW_E_MISSING_PROFILE);
    tw_profile_free(a);
    a = make_on("WSE", NULL, 100, 500); /* no threads */
    assert_int_equal(tw_profile_judge(a, a, "threadBalance>3%", &holds, text), TW_E_MISSING_PROFILE);
    tw_profile_free(a);
}

static const tw__diff_line *line_of(const tw__diff *d, tw__diff_group group, const char *name)
{
    for (guint i = 0; i < d->lines->len; i++) {
        const tw__diff_line *line = &g_array_index(d->lines, tw__diff_line, i);
        if (line->group == group && !strcmp(line->name, name)) return line;
    }
    fail_msg("no line for %s", name);
    return NULL;
}

static void test_lines(void **state)
{
    (void)state;
    tw_profile *a = make(NULL, 100, 500), *b = make("more", 100, 500);
    tw__stats x, y;
    tw__diff d;
    assert_int_equal(tw__stats_new(&x, a), TW_OK);
    assert_int_equal(tw__stats_new(&y, b), TW_OK);
    assert_int_equal(tw__diff_new(&d, &x, &y), TW_OK);
    const tw__diff_line *cycles = line_of(&d, TW__DIFF_FIGURE, "cycles"),
                        *more = line_of(&d, TW__DIFF_STEP, "more"), *work = line_of(&d, TW__DIFF_STEP, "work");
    assert_near(cycles->a, 100, 0);
    assert_near(cycles->b, 200, 0);
    assert_near(cycles->weight, 0.5, 1e-12);
    assert_near(more->a, -1, 0); /* only in B */
    assert_near(more->b, 100, 0);
    assert_near(work->weight, 0, 0);
    for (guint i = 1; i < d.lines->len; i++)
        assert_true(g_array_index(d.lines, tw__diff_line, i - 1).weight >=
                    g_array_index(d.lines, tw__diff_line, i).weight);
    tw__diff_free(&d);
    tw__stats_free(&x);
    tw__stats_free(&y);
    tw_profile_free(a);
    tw_profile_free(b);
}

static char *printed(tw_status (*print)(const tw_profile *, FILE *, tw_colours, unsigned), const tw_profile *p,
                     tw_colours colours, unsigned rows)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(print(p, out, colours, rows), TW_OK);
    fclose(out);
    char *copy = g_strdup(text);
    free(text);
    return copy;
}

static void test_tables(void **state)
{
    (void)state;
    g_unsetenv("CLICOLOR_FORCE");
    g_unsetenv("CLICOLOR");
    tw_profile *p = make("more", 100, 1200);
    char *text = printed(tw_profile_print_tiles, p, TW_COLOURS_OFF, 2);
    assert_non_null(strstr(text, "1,200 bytes 120.0%"));
    assert_non_null(strstr(text, " over\n"));
    assert_non_null(strstr(text, "... 2 more, down to 10 of tile 3"));
    assert_null(strchr(text, '\033'));
    g_free(text);
    text = printed(tw_profile_print_memory, p, TW_COLOURS_ON, 2);
    assert_non_null(strstr(text, "Variables"));
    assert_non_null(strchr(text, '\033'));
    g_free(text);
    text = printed(tw_profile_print_top, p, TW_COLOURS_OFF, 1);
    assert_non_null(strstr(text, "Steps, of 200 cycles:"));
    assert_non_null(strstr(text, "... 1 more"));
    assert_null(strstr(text, "(1 of"));
    g_free(text);
    tw_profile *twice = make("work", 100, 500); /* steps of one name have numbers */
    text = printed(tw_profile_print_top, twice, TW_COLOURS_OFF, 5);
    assert_non_null(strstr(text, "\n  (1 of 2) work "));
    assert_non_null(strstr(text, "\n  (2 of 2) work "));
    g_free(text);
    tw_profile_free(twice);
    assert_int_equal(tw_profile_print_lines(p, stderr, TW_COLOURS_OFF, 2), TW_E_MISSING_PROFILE);
    tw_profile_free(p);
}

/* By cycles, whatever a line waited; a line of the source stands below its figures. */
static void test_source_lines(void **state)
{
    (void)state;
    tw_profile *p = make("more", 100, 1200);
    const tw__line_desc few = { "src/a.csl", 7, "@fmacs", 2, 1000, 0 },
                        waits = { "src/a.csl", 9, "@fmovs", 1, 5, 4000 };
    tw__profile_add_line(p, &few);
    tw__profile_add_line(p, &few); /* what is there twice is one */
    tw__profile_add_line(p, &waits);
    tw__profile_add_line(p, &(tw__line_desc){ "src/b.csl", 1, "task main", 1, 1, 0 });
    static const char source[] = "\n\n\n\n\n\n  @fmacs(x);  \n\nfrom \033[1m here";
    tw__profile_set_source(p, "src/a.csl", source, sizeof source - 1);
    char *text = printed(tw_profile_print_lines, p, TW_COLOURS_OFF, 2);
    const char *first = strstr(text, "a.csl:9 @fmovs"), *second = strstr(text, "a.csl:7 @fmacs");
    assert_true(first && second && second < first);
    assert_non_null(strstr(second, "2,000"));
    assert_non_null(strstr(second, "4 times\n      @fmacs(x);\n"));
    assert_non_null(strstr(first, "4,000"));
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "... 1 more"));
    g_free(text);
    tw_profile_free(p);
}

/* A tree with sums; the names with the most cycles, and what they are below. */
static void test_names(void **state)
{
    (void)state;
    tw_profile *p = make("Layer1/Fwd/Conv", 100, 500);
    char *text = printed(tw_profile_print_names, p, TW_COLOURS_OFF, 0);
    const char *layer = strstr(text, "\n  Layer1 "), *forward = strstr(text, "\n    Fwd "),
               *conv = strstr(text, "\n      Conv "), *work = strstr(text, "\n  work ");
    assert_true(layer && forward && conv && work);
    assert_true(layer < forward && forward < conv);
    g_free(text);
    text = printed(tw_profile_print_names, p, TW_COLOURS_OFF, 1);
    assert_non_null(strstr(text, "\n  ... 3 more\n"));
    assert_null(strstr(text, "Conv"));
    g_free(text);
    tw_profile_free(p);
    p = make("/a//b/", 100, 500); /* empty parts are none */
    text = printed(tw_profile_print_names, p, TW_COLOURS_OFF, 0);
    assert_non_null(strstr(text, "\n  a "));
    assert_non_null(strstr(text, "\n    b "));
    g_free(text);
    tw_profile_free(p);
    p = make("work", 100, 500); /* of a print the title is no path */
    tw__profile_run_begin(p, "");
    tw__profile_step(p,
                     tw__profile_add_step(
                         p, &(tw__step_desc){ .type = TW_PROGRAM_STREAM_COPY, .name = "print a/b", .cycles = 5 }));
    tw__profile_step(p,
                     tw__profile_add_step(
                         p, &(tw__step_desc){ .type = TW_PROGRAM_STREAM_COPY, .name = "read c/d", .cycles = 5 }));
    tw__profile_run_end(p, 0);
    text = printed(tw_profile_print_names, p, TW_COLOURS_OFF, 0);
    assert_non_null(strstr(text, "\n  print a/b "));
    assert_non_null(strstr(text, "\n    d "));
    g_free(text);
    tw_profile_free(p);
    p = make("///", 7, 500);
    text = printed(tw_profile_print_names, p, TW_COLOURS_OFF, 0);
    assert_non_null(strstr(text, "\n  (no name) "));
    g_free(text);
    tw_profile_free(p);
}

/* Steps by name, each with so many cycles; "" ends the list. */
/* Figures of ours are in the machine's own words, names of the program are not touched; two kinds of machine have the
 * words of graphs. */
static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *has, *has_not;
    } rows[] = {
        { "IPU_MODEL", "IPU_MODEL", "memory of the fullest tile", "fullest core" },
        { "ASCEND_PTO", "ASCEND_PTO", "memory of the fullest core", "tile balance" },
        { "ASCEND_PTO", "IPU_MODEL", "memory of the fullest tile", "fullest core" },
        { "WSE", "WSE", "\n5 figures are the same.", "thread balance" },
        { "WSE", "IPU_MODEL", "thread balance", "fullest PE" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_profile *a = make_on(rows[i].a, NULL, 100, 500), *b = make_on(rows[i].b, "tiles of mine", 103, 450);
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_int_equal(tw_profile_print_diff(a, b, out, TW_COLOURS_OFF, 100), TW_OK);
        fclose(out);
        if (!strstr(text, rows[i].has) || strstr(text, rows[i].has_not) || !strstr(text, "tiles of mine"))
            fail_msg("%s and %s: %s", rows[i].a, rows[i].b, text);
        free(text);
        tw_profile_free(a), tw_profile_free(b);
    }
}

static tw_profile *named(const char *const *names, const uint64_t *cycles)
{
    tw_profile *p = tw__profile_new(&(tw__profile_target){ .type = "IPU_MODEL",
                                                           .ipus = 1,
                                                           .tiles_per_ipu = 1,
                                                           .replicas = 1,
                                                           .bytes_per_tile = 1000,
                                                           .clock_hz = 1e6 });
    uint32_t set = tw__profile_add_compute_set(p, "set");
    tw__profile_run_begin(p, "");
    for (int i = 0; names[i]; i++)
        tw__profile_step(
            p, tw__profile_add_step(p, &(tw__step_desc){ .type = *names[i] == 'd' ? TW_PROGRAM_DO_EXCHANGE
                                                                                  : TW_PROGRAM_ON_TILE_EXECUTE,
                                                         .name = names[i],
                                                         .no_program = true,
                                                         .index = *names[i] == 'd' ? TW__NONE : set,
                                                         .cycles = cycles[i] }));
    tw__profile_run_end(p, 0);
    assert_int_equal(tw__profile_status(p), TW_OK);
    return p;
}

/* 'b' is called 'bb' in the second profile and stands in the same place; 'd' (another type) is gone, 'e' and 'x' have
 * changed places. */
static void test_renamed_and_moved(void **state)
{
    (void)state;
    static const char *const old[] = { "a", "b", "c", "d", "e", "x", NULL };
    static const char *const fresh[] = { "a", "bb", "c", "x", "e", NULL };
    static const uint64_t before[] = { 10, 20, 30, 40, 50, 60 }, after[] = { 10, 25, 30, 60, 51 };
    tw_profile *a = named(old, before), *b = named(fresh, after);
    tw__stats x, y;
    tw__diff d;
    assert_int_equal(tw__stats_new(&x, a), TW_OK);
    assert_int_equal(tw__stats_new(&y, b), TW_OK);
    assert_int_equal(tw__diff_new(&d, &x, &y), TW_OK);
    const tw__diff_line *l = line_of(&d, TW__DIFF_STEP, "b → bb");
    assert_non_null(l);
    assert_near(l->a, 20, 0);
    assert_near(l->b, 25, 0);
    for (guint i = 0; i < d.lines->len; i++)
        assert_true(strcmp(g_array_index(d.lines, tw__diff_line, i).name, "b") &&
                    strcmp(g_array_index(d.lines, tw__diff_line, i).name, "bb"));
    l = line_of(&d, TW__DIFF_STEP, "e");
    assert_near(l->a, 50, 0);
    assert_near(l->b, 51, 0);
    l = line_of(&d, TW__DIFF_STEP, "d");
    assert_true(l && l->b < 0);
    tw__diff_free(&d);
    tw__stats_free(&x), tw__stats_free(&y);
    tw_profile_free(a), tw_profile_free(b);
}

/* Steps meet along the longest common order, not along what is first in both: z and y have moved to the end. */
static void test_longest_order(void **state)
{
    (void)state;
    static const char *const old[] = { "z", "y", "k", "l", "u", "m", NULL };
    static const char *const fresh[] = { "k", "l", "uu", "m", "z", "y", NULL };
    static const uint64_t cycles[] = { 10, 20, 30, 40, 50, 60 };
    for (int swapped = 0; swapped < 2; swapped++) {
        tw_profile *a = named(swapped ? fresh : old, cycles), *b = named(swapped ? old : fresh, cycles);
        tw__stats x, y;
        tw__diff d;
        assert_int_equal(tw__stats_new(&x, a), TW_OK);
        assert_int_equal(tw__stats_new(&y, b), TW_OK);
        assert_int_equal(tw__diff_new(&d, &x, &y), TW_OK);
        assert_non_null(line_of(&d, TW__DIFF_STEP, swapped ? "uu → u" : "u → uu"));
        tw__diff_free(&d);
        tw__stats_free(&x), tw__stats_free(&y);
        tw_profile_free(a), tw_profile_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longest_order), cmocka_unit_test(test_renamed_and_moved),
        cmocka_unit_test(test_conditions),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_lines),         cmocka_unit_test(test_tables),
        cmocka_unit_test(test_source_lines),  cmocka_unit_test(test_names),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
