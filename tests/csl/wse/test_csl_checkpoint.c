/* SPDX-License-Identifier: MIT */
/* Checkpoints of a wafer with a host: a run that is resumed gives the host what
 * the whole one gave, to the byte and the cycle, wherever it was saved; hosts
 * that ask for something else, other options and programs are told so; whatever
 * a file holds, nothing worse happens than a message; and every byte of the
 * machine's structs is in a table. */
#include "csl/lang/program/program.h"
#include "csl/wse/fabric/fabric.h"
#include <tilewright/csl/wse.h>

#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checkpoint_host.h"
#include "core/base/covered.h"

static char *path_of(const char *name)
{
    static char *folder, *path;
    if (!folder) folder = g_dir_make_tmp("tilewright-ck-XXXXXX", NULL);
    g_free(path);
    return path = g_build_filename(folder, name, NULL);
}

static void save_all(const tw_csl_program *program, tw_wse_options o, const uint64_t *cycles, size_t count, told *t)
{
    tw_wse *w = tw_wse_new(program, &o);
    assert_non_null(w);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "at%u", (unsigned)cycles[i]);
        assert_int_equal(tw_wse_save_at(w, cycles[i], path_of(name)), TW_OK);
    }
    assert_int_equal(play(w, t, 0), TW_OK);
    assert_true(tw_wse_unsaved(w) == UINT64_MAX);
    tw_wse_free(w);
}

static void same(const char *a, const char *b)
{
    g_autofree char *first = g_strdup(path_of(a)), *x = NULL, *y = NULL;
    gsize n = 0, m = 0;
    assert_true(g_file_get_contents(first, &x, &n, NULL) && g_file_get_contents(path_of(b), &y, &m, NULL));
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
}

/* Saved every so many cycles to the end: each of them resumed gives all that
 * the whole run gave, and takes the last checkpoint as the whole run did. With
 * a profile, and with a random order of tasks. */
static void resumed_everywhere(void **state)
{
    (void)state;
    static told whole, saved, again;
    tw_csl_program *program = checkpoint_program(code);
    for (unsigned turn = 0; turn < 2; turn++) {
        tw_wse_options o = quiet();
        o.profile = o.motion = o.trace = turn == 0;
        o.task_order_seed = turn ? 7 : 0;
        tw_wse *w = tw_wse_new(program, &o);
        assert_int_equal(play(w, &whole, 0), TW_OK);
        tw_wse_free(w);
        assert_true(whole.received[0] == 1 && whole.received[1] == 3 && whole.received[2] == 6);
        assert_int_equal(whole.streamed, 1 * 81 + 2 * 27 + 3 * 9 + 4 * 3 + 5);
        uint64_t end = whole.cycle[3], cycles[64];
        size_t count = 0;
        for (uint64_t c = 1; c < end && count < 40; c += end / 39 + 1) cycles[count++] = c;
        assert_true(count >= 30);
        save_all(program, o, cycles, count, &saved);
        assert_memory_equal(&whole, &saved, sizeof whole);
        char name[32], last[32];
        snprintf(last, sizeof last, "at%u", (unsigned)cycles[count - 1]);
        for (size_t i = 0; i < count; i++) {
            snprintf(name, sizeof name, "at%u", (unsigned)cycles[i]);
            assert_non_null(w = tw_wse_resume(program, &o, path_of(name)));
            assert_true(tw_wse_resumed_at(w) <= cycles[i]);
            if (i + 1 < count) assert_int_equal(tw_wse_save_at(w, cycles[count - 1], path_of("again")), TW_OK);
            if (play(w, &again, 0) != TW_OK) fail_msg("from %s: %s", name, tw_error_message());
            assert_memory_equal(&whole, &again, sizeof whole);
            tw_wse_free(w);
            if (i + 1 < count) same(last, "again");
        }
    }
    tw_csl_program_free(program);
}

#define REFUSED(call, status, phrase)                                                                  \
    do {                                                                                               \
        tw_status got_ = (call);                                                                       \
        if (got_ != (status) || !strstr(tw_error_message(), phrase))                                   \
            fail_msg("%s: %s (%s), expected %s (%s)", #call, tw_status_name(got_), tw_error_message(), \
                     tw_status_name(status), phrase);                                                  \
    } while (0)

static tw_status resume(const tw_csl_program *program, tw_wse_options o, const char *name)
{
    tw_wse *w = tw_wse_resume(program, &o, path_of(name));
    tw_status status = tw_status_of(w);
    tw_wse_free(w);
    return status;
}

static void refusals(void **state)
{
    (void)state;
    static told t;
    tw_csl_program *program = checkpoint_program(code);
    g_autofree char *text = g_strdup(code);
    strstr(text, "* 3 +")[2] = '5';
    tw_csl_program *other = checkpoint_program(text);
    tw_wse_options o = quiet(), strict = o, seeded = o, profiled = o;
    strict.check = TW_WSE_STRICT, seeded.task_order_seed = 3, profiled.profile = true;
    save_all(program, o, (uint64_t[]){ 600 }, 1, &t);
    tw_wse_options brief = o;
    brief.max_cycles = 300;
    REFUSED(resume(program, brief, "at600"), TW_E_FILE_LOAD, "may not go past 300");
    REFUSED(tw_status_of(tw_wse_resume(program, &o, "-")), TW_E_INVALID_ARGUMENT, "'-'");
    tw_csl_program *elsewhere = checkpoint_program(code); /* in another folder */
    assert_int_equal(resume(elsewhere, o, "at600"), TW_OK);
    tw_csl_program_free(elsewhere);
    REFUSED(resume(other, o, "at600"), TW_E_FILE_LOAD, "saved from another program");
    REFUSED(resume(program, strict, "at600"), TW_E_FILE_LOAD, "--check=report");
    REFUSED(resume(program, seeded, "at600"), TW_E_FILE_LOAD, "--order-seed=0");
    REFUSED(resume(program, profiled, "at600"), TW_E_FILE_LOAD, "without a profile");
    REFUSED(resume(program, o, "nowhere"), TW_E_FILE_LOAD, "nowhere");
    REFUSED(tw_status_of(tw_wse_resume(program, &o, NULL)), TW_E_INVALID_ARGUMENT, "path");

    tw_wse *w = tw_wse_resume(program, &o, path_of("at600"));
    REFUSED(play(w, &t, 1), TW_E_INVALID_ARGUMENT, "the same calls with the same data");
    REFUSED(tw_wse_stop(w), TW_E_INVALID_ARGUMENT, "the same calls"); /* and so it stays */
    tw_wse_free(w);
    w = tw_wse_resume(program, &o, path_of("at600"));
    REFUSED(tw_wse_stop(w), TW_E_INVALID_ARGUMENT, "the host");
    tw_wse_free(w);

    w = tw_wse_new(program, &o);
    REFUSED(tw_wse_save_every(w, 0, 2, "x"), TW_E_INVALID_ARGUMENT, "every 0 cycles");
    REFUSED(tw_wse_save_every(w, 9, 2, "-"), TW_E_INVALID_ARGUMENT, "'-'");
    REFUSED(tw_wse_save_at(w, 9, "-"), TW_E_INVALID_ARGUMENT, "'-'");
    assert_int_equal(tw_wse_launch(w, "work", &(uint32_t){ 1 }, 1, NULL), TW_OK);
    REFUSED(tw_wse_save_at(w, 10, "x"), TW_E_INVALID_ARGUMENT, "before the first command");
    tw_wse_free(w);
    w = tw_wse_new(program, &o);
    assert_int_equal(tw_wse_save_at(w, 600, path_of("no/folder")), TW_OK);
    REFUSED(play(w, &t, 0), TW_E_IO, "no/folder");
    tw_wse_free(w);
    tw_csl_program_free(program);
    tw_csl_program_free(other);
}

/* Code for the same layout: a launched function of 5000 steps, or 6000 as a
 * chain of calls that leave no frames, ends in an index outside its array, or
 * with a task that never rests. */
#define FILL                                                                           \
    "rounds = (rounds << 1) ^ k; rounds = rounds ^ (rounds >> 3); rounds += k * 5;\n"  \
    "if (rounds > 9) { rounds = rounds ^ (rounds << 5); } else { rounds += 7 * k; }\n" \
    "if (rounds > 7) { rounds = rounds ^ (rounds >> 7); } else { rounds += 3 * k; }\n" \
    "if (rounds > 5) { rounds = rounds ^ (rounds << 9); } else { rounds += 9 * k; }\n" \
    "if (rounds > 3) { rounds = rounds ^ (rounds >> 2); } else { rounds += 2 * k; }\n"
static const char falling[] =
    "param params: comptime_struct; param x: u16;\n"
    "const sys = @import_module(\"<memcpy/memcpy>\", params);\n"
    "var data = @zeros([16]u32); var p: [*]u32 = &data; var rounds: u32 = 0;\n"
    "fn even(k: u32) void {\n" FILL "  if (k == 0) { data[16 + (rounds & 1)] = 1; return; } odd(k - 1); }\n"
    "fn odd(k: u32) void {\n" FILL "  if (k == 0) { data[17 + (rounds & 1)] = 1; return; } even(k - 1); }\n"
    "fn work(n: u32) void { if (n == 6001) { even(n); } else if (n > 6001) { odd(n); }\n"
    "  else { var k: u32 = 0; while (k < n) : (k += 1) { rounds = (rounds << "
    "1) ^ k; }\n"
    "    if (n == 5000) { data[16 + (rounds & 1)] = 1; }\n"
    "    @activate(@get_local_task_id(10)); sys.unblock_cmd_stream(); } }\n"
    "task again() void { @activate(@get_local_task_id(10)); }\n"
    "comptime { @export_symbol(p, \"data\"); @export_symbol(work); "
    "@bind_local_task(again, "
    "@get_local_task_id(10)); }\n";

static char *fall(const tw_csl_program *program, uint32_t steps, const char *from, const char *save)
{
    char *text = NULL;
    size_t size = 0;
    tw_wse_options o = quiet();
    o.reports = open_memstream(&text, &size);
    o.check = TW_WSE_ERROR;
    o.max_cycles = 1 << 20;
    tw_wse *w = from ? tw_wse_resume(program, &o, path_of(from)) : tw_wse_new(program, &o);
    assert_non_null(w);
    if (save) assert_int_equal(tw_wse_save_at(w, 6000, path_of(save)), TW_OK);
    assert_int_equal(tw_wse_launch(w, "work", &steps, 1, NULL), TW_E_APPLICATION);
    assert_true(tw_wse_unsaved(w) == UINT64_MAX);
    tw_wse_free(w);
    fclose(o.reports);
    return text;
}

/* A resumed run that ends in a fault tells of the same calls. */
static void faults(void **state)
{
    (void)state;
    tw_csl_program *program = checkpoint_program(falling);
    for (uint32_t steps = 5000; steps <= 6001; steps += 1001) {
        char *whole = fall(program, steps, NULL, "falls"), *rest = fall(program, steps, "falls", NULL);
        if (!strstr(whole, steps == 6001 ? "left no frame" : "in 'work'")) fail_msg("%s", whole);
        assert_string_equal(whole, rest);
        free(whole), free(rest);
    }
    /* After the last command a failed checkpoint ends the run as well, and is
   * what it says. */
    tw_wse_options o = quiet();
    tw_wse *w = tw_wse_new(program, &o);
    assert_int_equal(tw_wse_save_at(w, 9000, path_of("no/folder")), TW_OK);
    assert_int_equal(tw_wse_launch(w, "work", &(uint32_t){ 1 }, 1, NULL), TW_OK);
    REFUSED(tw_wse_stop(w), TW_E_IO, "no/folder");
    assert_true(tw_wse_cycle(w) < 10000);
    tw_wse_free(w);
    tw_csl_program_free(program);
}

/* A trace alone has all of what one with a profile has. */
static void traces(void **state)
{
    (void)state;
    static told t;
    tw_csl_program *program = checkpoint_program(code);
    tw_wse_options o = quiet();
    o.trace = true;
    for (unsigned turn = 0; turn < 3; turn++) {
        if (turn == 1) {
            tw_wse_options both = o;
            both.profile = true;
            save_all(program, both, (uint64_t[]){ 600 }, 1, &t);
            continue;
        }
        tw_wse *w = turn ? tw_wse_resume(program, &o, path_of("at600")) : tw_wse_new(program, &o);
        assert_int_equal(play(w, &t, 0), TW_OK);
        FILE *out = fopen(path_of(turn ? "rest.json" : "whole.json"), "w");
        assert_int_equal(tw_wse_write_trace(w, out), TW_OK);
        fclose(out);
        tw_wse_free(w);
    }
    same("whole.json", "rest.json");
    tw_csl_program_free(program);
}

/* The last ones of many stay. */
static void every(void **state)
{
    (void)state;
    static told whole, again;
    tw_csl_program *program = checkpoint_program(code);
    tw_wse_options o = quiet();
    tw_wse *w = tw_wse_new(program, &o);
    assert_int_equal(tw_wse_save_every(w, 100, 2, path_of("roll")), TW_OK);
    assert_int_equal(play(w, &whole, 0), TW_OK);
    tw_wse_free(w);
    unsigned there = 0;
    for (uint64_t c = 0; c <= whole.cycle[3]; c++) {
        char name[32];
        snprintf(name, sizeof name, "roll.%u", (unsigned)c);
        if (!g_file_test(path_of(name), G_FILE_TEST_EXISTS)) continue;
        there++;
        assert_true(c + 1500 > whole.cycle[3]); /* 1000 cycles pass at the end until
                                               the host comes back */
        assert_non_null(w = tw_wse_resume(program, &o, path_of(name)));
        assert_int_equal(tw_wse_save_every(w, 100, 2, path_of("roll")), TW_OK); /* all of it as before */
        if (play(w, &again, 0) != TW_OK) fail_msg("from %s: %s", name, tw_error_message());
        assert_memory_equal(&whole, &again, sizeof whole);
        tw_wse_free(w);
    }
    assert_int_equal(there, 2);
    tw_csl_program_free(program);
}

/* --- bad files
 * --------------------------------------------------------------------------------------------------
 */

/* The checksum is that of a sound file, so that the reader alone has to notice
 * what cannot be. */
static void mend(char *bytes, gsize size)
{
    uint64_t sum = tw__fnv1a(TW__FNV, bytes, size - 24);
    for (unsigned b = 0; b < 8; b++) bytes[size - 16 + b] = (char)(sum >> 8 * b);
}

/* Bytes changed in ways that a number notices, the checksum mended: refused
 * with a message, or a run that ends in some way of its own; of those that run
 * some PEs do something else than they should, which nobody can tell. */
static void changed_bytes(void **state)
{
    (void)state;
    static told t;
    static const unsigned char by[] = { 1, 0x80, 0xff };
    tw_csl_program *program = checkpoint_program(code);
    tw_wse_options o = quiet();
    o.max_cycles = 2500;
    unsigned refused = 0, ran = 0;
    save_all(program, o, (uint64_t[]){ 100 }, 1, &t);
    g_autofree char *bytes = NULL;
    gsize size;
    assert_true(g_file_get_contents(path_of("at100"), &bytes, &size, NULL));
    /* All of them: TW_ALL_BYTES=1 in the environment; else every eleventh takes
   * less than a second. */
    for (gsize i = 8; i + 24 < size; i += g_getenv("TW_ALL_BYTES") ? 1 : 11) {
        for (unsigned n = 0; n < sizeof by; n++) {
            char before = bytes[i];
            bytes[i] = (char)(bytes[i] ^ by[n]);
            mend(bytes, size);
            assert_true(g_file_set_contents(path_of("bad"), bytes, (gssize)size, NULL));
            tw_wse *w = tw_wse_resume(program, &o, path_of("bad"));
            if (!w && tw_error_status() != TW_E_FILE_LOAD) fail_msg("byte %zu: %s", i, tw_error_message());
            if (w) play(w, &t, 0);
            (*(w ? &ran : &refused))++;
            tw_wse_free(w);
            bytes[i] = before;
        }
    }
    assert_true(refused > 50 && ran > 50);
    tw_csl_program_free(program);
}

/* --- bad fields
 * -------------------------------------------------------------------------------------------------
 */

typedef struct forger {
    const tw__csl_image *image;
    tw__wse *w;
    unsigned read, refused;
} forger;

static tw__wse *fabric_of(const tw__csl_image *image)
{
    static tw_diags *diags; /* nobody looks at them */
    if (!diags) diags = tw_diags_new();
    tw__wse *w = tw__wse_new(image, &(tw__wse_options){ .threads = 1 }, diags);
    assert_non_null(w);
    return w;
}

/* The wafer, as it now is, as a file; what is read again ends in some way. */
static void pass_on(forger *f)
{
    const tw__ck_head head = { .machine = "wafer", .build = "b", .layout = tw__wse_layout(), .program = 1 };
    FILE *out = fopen(path_of("forged"), "wb");
    tw__ck *k = tw__ck_write(out, &head);
    tw__wse_walk(f->w, k, tw__wse_keeps(f->w));
    tw_status status = tw__ck_end(k);
    assert_int_equal(fclose(out), 0);
    if (status != TW_OK) return; /* more than the row allows: the reader says the same */
    assert_non_null(k = tw__ck_read(path_of("forged"), &head));
    tw__wse *w = fabric_of(f->image);
    f->read++;
    tw__wse_walk(w, k, tw__wse_keeps(w));
    if (tw__ck_end(k) == TW_OK)
        tw__wse_run(w, 1500, NULL, NULL);
    else
        f->refused++;
    tw__wse_free(w);
}

/* Each field of a struct in turn, with the numbers that are most likely not
 * looked at. */
static void forge(forger *f, const tw__ck_table *tables, const char *name, void *thing)
{
    while (strcmp(tables->name, name) != 0) tables++;
    for (size_t i = 0; thing && i < tables->count; i++) {
        const tw__ck_field *row = &tables->rows[i];
        uint64_t all = row->size ? UINT64_MAX >> (64 - 8 * row->size) : 0, most = row->most < all ? row->most : all;
        const uint64_t values[] = { 0, 1, 5, 0x7fff, most / 2 + 1, most - 1, most };
        char *at = (char *)thing + row->offset, before[8];
        for (size_t n = 0; n < G_N_ELEMENTS(values) && row->size; n++) {
            if (values[n] > most) continue;
            memcpy(before, at, row->size);
            memcpy(at, &values[n], row->size); /* little endian, as all that this runs on */
            if (memcmp(before, at, row->size) != 0) pass_on(f);
            memcpy(at, before, row->size);
        }
    }
}

static void forge_pe(forger *f, tw__pe *pe)
{
    forge(f, tw__wse_pe_tables, "tw__pe", pe);
    for (unsigned i = 0; i < G_N_ELEMENTS(pe->in_queue); i++) {
        forge(f, tw__wse_pe_tables, "tw__queue", pe->in_queue[i]);
        forge(f, tw__wse_pe_tables, "tw__queue", pe->out_queue[i]);
    }
    for (unsigned s = 0; s <= TW__WSE_MAIN; s++) {
        if (!pe->op[s] || !pe->op[s]->active) continue;
        forge(f, tw__wse_pe_tables, "tw__op", pe->op[s]);
        for (unsigned a = 0; a < 3; a++) {
            forge(f, tw__wse_pe_tables, "tw__opnd", &pe->op[s]->arg[a]);
            forge(f, tw__wse_pe_tables, "tw__walk_state", pe->op[s]->arg[a].walk);
        }
    }
    if (pe->depth) forge(f, tw__wse_pe_tables, "tw__frame", pe->frames);
    forge(f, tw__wse_mail_tables, "tw__mail", pe->mail);
}

/* At the first pause at which both PEs have an operation under way. */
static bool forge_all(void *user, uint64_t end, uint64_t *next)
{
    forger *f = user;
    *next = end;
    for (unsigned i = 0; i < 2; i++)
        if (!f->w->pe[i].op_active) return true;
    for (unsigned i = 0; i < 2; i++) {
        forge(f, tw__wse_fabric_tables, "tw__router", &f->w->router[i]);
        forge_pe(f, &f->w->pe[i]);
    }
    *next = UINT64_MAX;
    return true;
}

/* Two PEs with a message to each other. */
static const char messages[] = "param params: comptime_struct; param x: u16;\n"
                               "const sys = @import_module(\"<memcpy/memcpy>\", params);\n"
                               "const mp = @import_module(\"<message_passing>\", .{ .input_queue_id = 2, "
                               ".output_queue_id = 3 });\n"
                               "var data = @zeros([16]u32); var p: [*]u32 = &data; var mine = "
                               "@zeros([4]f32); var got = @zeros([16]f32);\n"
                               "fn work(n: u32) void { mp.init(); mp.recv_message(&got, .{ .activate = "
                               "@get_local_task_id(10) });\n"
                               "  mp.send_message(1 - x, 0, &mine, 4, .{ .activate = "
                               "@get_local_task_id(11) }); data[0] = n; }\n"
                               "task received() void { sys.unblock_cmd_stream(); }\n"
                               "task sent() void { data[1] += 1; }\n"
                               "comptime { @export_symbol(p, \"data\"); @export_symbol(work);\n"
                               "  @bind_local_task(received, @get_local_task_id(10)); "
                               "@bind_local_task(sent, @get_local_task_id(11)); }\n";

/* Fields one by one: refused, or a run that ends. */
static void forged_fields(void **state)
{
    (void)state;
    for (unsigned turn = 0; turn < 2; turn++) {
        tw_csl_program *program = checkpoint_program(turn ? messages : code);
        forger f = { .image = program->image, .w = fabric_of(program->image) };
        for (unsigned i = 0; i < 2; i++) {
            const tw__csl_program *p = &f.image->programs[f.image->pes[i].program];
            for (size_t e = 0; e < p->export_count; e++)
                if (p->exports[e].is_function)
                    assert_true(tw__wse_launch(f.w, i, 0, p->exports[e].target, &(uint64_t){ 1 }, 1));
        }
        tw__wse_save_at(f.w, 0, forge_all, &f);
        tw__wse_run(f.w, 1500, NULL, NULL);
        if (f.refused < 200 || f.read < f.refused + 200) fail_msg("%u read, %u refused", f.read, f.refused);
        tw__wse_free(f.w);
        tw_csl_program_free(program);
    }
}

/* --- tables
 * -----------------------------------------------------------------------------------------------------
 */

static void tables_cover(void **state)
{
    (void)state;
    const tw__ck_table *const all[] = { tw__wse_fabric_tables, tw__wse_pe_tables, tw__wse_mail_tables };
    for (size_t i = 0; i < 3; i++)
        for (const tw__ck_table *table = all[i]; table->name; table++) covered(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_cover),  cmocka_unit_test(resumed_everywhere),
        cmocka_unit_test(refusals),      cmocka_unit_test(every),
        cmocka_unit_test(faults),        cmocka_unit_test(traces),
        cmocka_unit_test(changed_bytes), cmocka_unit_test(forged_fields),
    };
    return cmocka_run_group_tests_name("csl checkpoint", tests, NULL, NULL);
}
