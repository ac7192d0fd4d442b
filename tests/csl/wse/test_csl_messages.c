/* SPDX-License-Identifier: MIT */
/* <message_passing> (vendor's page of libraries for WSE-3): what arrives, when, in which order, and what is said when
 * a message cannot go or is not taken. Arrival times are the model's: HOP cycles a PE, one wavelet a cycle. */
#include "library_kit.h"

/* PE x, y of a rectangle; `out` is what the tests read. */
#define LAYOUT                                                                                         \
    "layout {\n  @set_rectangle(%u, %u);\n  for (@range(u16, %u)) |y| { for (@range(u16, %u)) |x| {\n" \
    "    @set_tile_code(x, y, \"pe.csl\", .{ .x = x, .y = y });\n  } }\n}\n"                           \
    "=== pe.csl\n"                                                                                     \
    "param x: u16; param y: u16; export var out = @zeros([32]u32); const me = y * @get_rectangle().width + x;\n"
#define IMPORT "const mp = @import_module(\"<message_passing>\", .{ .input_queue_id = 2, .output_queue_id = 3 });\n"
#define START                                                                                       \
    "const sent_id = @get_local_task_id(9); const got_id = @get_local_task_id(10);\n"               \
    "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8));\n" \
    "  @bind_local_task(sent, sent_id); @bind_local_task(got, got_id); }\n"

static bool said(const compiled *c, tw_severity severity, const char *phrase)
{
    const tw_diag *d;
    for (size_t k = 0; (d = tw_diags_get(c->diags, k)); k++)
        if (d->severity == severity && strstr(d->message, phrase)) return true;
    tw_diags_print(c->diags, stderr, false);
    fail_msg("nothing said of '%s'", phrase);
    return false;
}

typedef struct wafer {
    compiled c;
    tw__wse *w;
} wafer;

static void build(wafer *f, unsigned width, unsigned height, const char *pe, tw__wse_options options)
{
    char text[8192];
    snprintf(text, sizeof text, LAYOUT "%s", width, height, height, width, pe);
    compile_with(&f->c, text, (tw__csl_compile_options){ .wse3 = true });
    f->w = f->c.image ? tw__wse_new(f->c.image, &options, f->c.diags) : NULL;
    if (f->w) return;
    tw_diags_print(f->c.diags, stderr, false);
    fail_msg("does not compile:\n%s", text);
}

static tw_status run(wafer *f)
{
    tw_status status = tw__wse_run(f->w, 4000000, NULL, NULL);
    return status == TW_OK ? tw__wse_end(f->w) : status;
}

static void build_and_run(wafer *f, unsigned width, unsigned height, const char *pe, tw__wse_options options)
{
    build(f, width, height, pe, options);
    if (run(f) == TW_OK && !tw_diags_count(f->c.diags, TW_WARNING)) return;
    tw_diags_print(f->c.diags, stderr, false);
    fail_msg("does not run:\n%s", pe);
}

static void drop(wafer *f)
{
    tw__wse_free(f->w);
    compiled_free(&f->c);
}

/* PE 0 sends n elements to PE d of a row (0: itself), which has begun to receive long before or much later. */
#define ONE                                                                                        \
    IMPORT "const d: u16 = %u; const n: u16 = %u; const late = %s;\n"                              \
           "var a = @zeros([32]%s); var b = @zeros([32]%s);\n"                                     \
           "task main() void {\n  mp.init();\n"                                                    \
           "  for (@range(u16, 32)) |k| { a[k] = @as(%s, k + 1); }\n"                              \
           "  if (x == d and !late) mp.recv_message(&b, .{ .activate = got_id });\n"               \
           "  if (x == 0) mp.send_message(d, 0, &a, n, .{ .activate = sent_id });\n"               \
           "  if (x == d and late) {\n    var t: u16 = 0; while (t < 2000) { t += 1; }\n"          \
           "    mp.recv_message(&b, .{ .activate = got_id });\n  }\n}\n"                           \
           "task sent() void { out[31] += 1; for (@range(u16, 32)) |k| { a[k] = @as(%s, 0); } }\n" \
           "task got() void { out[30] += 1; for (@range(u16, 30)) |k| { out[k] = @as(u32, b[k]); } }\n" START

static void one(wafer *f, unsigned d, unsigned n, bool late, const char *type, tw__wse_options options)
{
    char pe[4096];
    snprintf(pe, sizeof pe, ONE, d, n, late ? "true" : "false", type, type, type, type);
    build_and_run(f, 6, 1, pe, options);
    uint32_t out[OUT], from[OUT];
    read_out(f->w, &f->c, d, 0, out);
    read_out(f->w, &f->c, 0, 0, from);
    for (unsigned k = 0; k < 30; k++) assert_int_equal(out[k], k < n ? k + 1 : 0);
    assert_int_equal(out[30], 1);
    assert_int_equal(from[31], 1);
}

static void arrives(void **state)
{
    (void)state;
    static const char *const types[] = { "u32", "i32", "f32", "u16", "i16", "f16" };
    wafer f;
    for (unsigned t = 0; t < 6; t++)
        for (unsigned late = 0; late < 2; late++)
            for (unsigned d = 0; d < 6; d += 5) {
                one(&f, d, t % 2 ? 1 : 32, late, types[t], (tw__wse_options){ .check = TW__WSE_CHECK_STRICT });
                drop(&f);
            }
}

/* Cycle of the nth event of a kind at a PE; 0 = there is none. */
static uint64_t when(const tw__wse_event *e, size_t count, uint32_t pe, unsigned kind, unsigned nth)
{
    for (size_t k = 0; k < count; k++)
        if (e[k].pe == pe && e[k].kind == kind && nth-- == 0) return e[k].cycle;
    return 0;
}

/* Dispatch to first wavelet 6 cycles, 2 cycles a hop, one element a cycle. The header goes first: the elements are
 * the sender's second operation. */
static void arrival_time(void **state)
{
    (void)state;
    for (unsigned d = 1; d < 6; d += 2)
        for (unsigned n = 1; n <= 29; n += 14) {
            wafer f;
            one(&f, d, n, false, "u32", (tw__wse_options){ .trace = true });
            size_t count;
            const tw__wse_event *e = tw__wse_events(f.w, &count);
            uint64_t issue = when(e, count, 0, TW__WSE_OP_BEGIN, 1);
            assert_int_not_equal(issue, 0);
            assert_int_equal(when(e, count, d, TW__WSE_LANDING, 0), issue + 6 + 2 * d);
            assert_int_equal(when(e, count, d, TW__WSE_LANDING, n - 1), issue + 6 + 2 * d + n - 1);
            assert_int_equal(when(e, count, d, TW__WSE_LANDING, n), 0);
            drop(&f);
        }
}

/* All PEs of a 5 x 3 rectangle send to the middle at once: nearer ones come first, equally near ones by their number;
 * it takes them one after the other, far later than they came. */
static void order(void **state)
{
    (void)state;
    static const char pe[] =
        IMPORT "var a = @zeros([2]u32); var b = @zeros([2]u32); var n: u16 = 0;\n"
               "task main() void { mp.init(); a[0] = @as(u32, me); a[1] = 7;\n"
               "  mp.send_message(2, 1, &a, 2, {}); if (me == 7) mp.recv_message(&b, .{ .activate = got_id }); }\n"
               "task sent() void {}\n"
               "task got() void { out[n] = b[0]; if (b[1] == 7) out[20] += 1; n += 1;\n"
               "  if (n < 15) mp.recv_message(&b, .{ .activate = got_id }); }\n" START;
    static const uint32_t want[15] = { 7, 2, 6, 8, 12, 1, 3, 5, 9, 11, 13, 0, 4, 10, 14 };
    wafer f;
    build_and_run(&f, 5, 3, pe, (tw__wse_options){ .check = TW__WSE_CHECK_STRICT });
    uint32_t out[OUT];
    read_out(f.w, &f.c, 2, 1, out);
    assert_memory_equal(out, want, sizeof want);
    assert_int_equal(out[20], 15);
    drop(&f);
}

/* A sender's second message begins when the receiver has taken the first; what it sends meanwhile stays in its
 * queue. */
static void one_at_a_time(void **state)
{
    (void)state;
    static const char pe[] =
        IMPORT "const time = @import_module(\"<time>\");\n"
               "var a = @zeros([20]u32); var b = @zeros([20]u32); var n: u16 = 0; var t = @zeros([3]u16);\n"
               "task main() void { mp.init(); time.enable_tsc();\n"
               "  for (@range(u16, 20)) |k| { a[k] = @as(u32, k); }\n"
               "  if (x == 0) mp.send_message(1, 0, &a, 20, .{ .activate = sent_id });\n"
               "  if (x == 1) { var i: u16 = 0; while (i < 500) { i += 1; } "
               "mp.recv_message(&b, .{ .activate = got_id }); } }\n"
               "task sent() void { time.get_timestamp(&t); out[n] = @as(u32, t[0]); n += 1;\n"
               "  if (n < 2) mp.send_message(1, 0, &a, 20, .{ .activate = sent_id }); }\n"
               "task got() void { time.get_timestamp(&t); out[n] = @as(u32, t[0]); n += 1; out[10 + n] = b[19];\n"
               "  if (n < 2) mp.recv_message(&b, .{ .activate = got_id }); }\n" START;
    wafer f;
    build_and_run(&f, 2, 1, pe, (tw__wse_options){ .check = TW__WSE_CHECK_ERROR });
    uint32_t from[OUT], to[OUT];
    read_out(f.w, &f.c, 0, 0, from);
    read_out(f.w, &f.c, 1, 0, to);
    assert_true(from[0] < to[0]); /* the first one has left before anybody takes it */
    assert_true(from[1] > to[0]); /* the second one has not */
    assert_true(to[1] > from[1]);
    assert_int_equal(to[11], 19);
    assert_int_equal(to[12], 19);
    drop(&f);
}

/* A data task on the input queue: the header, whose low half is the length, then all elements but the last. */
static void data_task(void **state)
{
    (void)state;
    static const char pe[] =
        IMPORT "var a = @zeros([4]u32); var n: u16 = 0;\n"
               "task main() void { mp.init(); for (@range(u16, 4)) |k| { a[k] = @as(u32, 100 + k); }\n"
               "  if (x != 1) mp.send_message(1, 0, &a, 3 + x / 2, {}); }\n"
               "task sent() void {} task got() void {}\n"
               "task take(v: u32) void { out[n] = v; n += 1; }\n"
               "comptime { @bind_data_task(take, @get_data_task_id(mp.mp_input_queue)); }\n" START;
    static const uint32_t want[8] = { 3, 100, 101, 4, 100, 101, 102, 0 };
    wafer f;
    build_and_run(&f, 3, 1, pe, (tw__wse_options){ .check = TW__WSE_CHECK_ERROR });
    uint32_t out[OUT];
    read_out(f.w, &f.c, 1, 0, out);
    assert_memory_equal(out, want, sizeof want);
    drop(&f);
}

/* Everybody sends to somebody else, several times, on a wafer large enough for strips of threads: the same memory,
 * cycles and counts for 1, 2 and 7 threads, and where every PE is looked at in every cycle. */
static void same_for_all_threads(void **state)
{
    (void)state;
    static const char pe[] =
        IMPORT "var a = @zeros([5]u32); var b = @zeros([5]u32); var n: u16 = 0; var m: u16 = 0;\n"
               "fn send() void { a[0] = @as(u32, me) * 16 + @as(u32, n);\n"
               "  const to = (me * 29 + 7) % 128; mp.send_message(to % 8, to / 8, &a, 1 + (me + n) % 5, "
               ".{ .activate = sent_id }); }\n"
               "task main() void { mp.init(); mp.recv_message(&b, .{ .activate = got_id }); send(); }\n"
               "task sent() void { n += 1; if (n < 4) send(); }\n"
               "task got() void { out[m] = b[0]; m += 1; if (m < 4) mp.recv_message(&b, .{ .activate = got_id }); "
               "}\n" START;
    static const tw__wse_options ways[] = {
        { .threads = 1 }, { .threads = 2 }, { .threads = 7 }, { .reference = true }
    };
    uint32_t all[4][128][OUT];
    uint64_t cycles[4];
    for (unsigned k = 0; k < 4; k++) {
        wafer f;
        build_and_run(&f, 8, 16, pe, ways[k]);
        for (unsigned p = 0; p < 128; p++) read_out(f.w, &f.c, p % 8, p / 8, all[k][p]);
        cycles[k] = tw__wse_cycle(f.w);
        drop(&f);
    }
    for (unsigned k = 1; k < 4; k++) {
        assert_memory_equal(all[0], all[k], sizeof all[0]);
        assert_int_equal(cycles[0], cycles[k]);
    }
    for (unsigned p = 0; p < 128; p++) /* 29 has an inverse modulo 128: each PE hears from one other, in order */
        for (unsigned k = 0; k < 4; k++) {
            assert_int_equal((all[0][p][k] / 16 * 29 + 7) % 128, p);
            assert_int_equal(all[0][p][k] % 16, k);
        }
}

/* --- what is wrong ---------------------------------------------------------------------------------------------- */

typedef struct bad {
    const char *main, *message;
} bad;

static void refused(void **state)
{
    (void)state;
    static const bad rows[] = {
        { "mp.init();\n mp.send_message(2, 0, &a, 1, {});",
          "a message to PE 2,0 leaves the rectangle of 2 x 1 PEs" },
        { "mp.init();\n mp.send_message(0, 1, &a, 1, {});",
          "a message to PE 0,1 leaves the rectangle of 2 x 1 PEs" },
        { "mp.init();\n mp.send_message(1, 0, &a, 33, {});", "a message has 1 to 32 elements, not 33" },
        { "mp.init();\n mp.send_message(1, 0, &a, 0, {});", "a message has 1 to 32 elements, not 0" },
        { "\n mp.send_message(1, 0, &a, 1, {});", "init() of <message_passing> comes before messages" },
        { "\n mp.recv_message(&a, {});", "init() of <message_passing> comes before messages" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char pe[2048];
        snprintf(pe, sizeof pe,
                 IMPORT "var a = @zeros([40]u32);\ntask main() void { if (x == 0) { %s } }\n"
                        "task sent() void {} task got() void {}\n" START,
                 rows[i].main);
        wafer f;
        build(&f, 2, 1, pe, (tw__wse_options){ 0 });
        assert_int_equal(run(&f), TW_E_APPLICATION);
        const tw_diag *d = tw_diags_get(f.c.diags, 0);
        if (!d || !strstr(d->message, rows[i].message)) {
            tw_diags_print(f.c.diags, stderr, false);
            fail_msg("row %zu: expected '%s'", i, rows[i].message);
        }
        bool called = false; /* the stack names the line of the call */
        for (size_t k = 0; (d = tw_diags_get(f.c.diags, k)); k++)
            called = called || (d->line == 5 && d->file && strstr(d->file, "pe.csl"));
        assert_true(called);
        drop(&f);
    }
}

/* Nobody takes what came, somebody waits for what never comes: both are named at the end of the run. */
static void left_waiting(void **state)
{
    (void)state;
    static const char pe[] =
        IMPORT "var a = @zeros([8]u32);\n"
               "task main() void { mp.init(); if (me == 0) mp.send_message(2, 1, &a, 3, {});\n"
               "  if (me == 1) mp.send_message(2, 1, &a, 1, {}); if (me == 3) mp.recv_message(&a, {}); }\n"
               "task sent() void {} task got() void {}\n" START;
    wafer f;
    build(&f, 3, 2, pe, (tw__wse_options){ 0 });
    assert_int_equal(run(&f), TW_E_SYSTEM); /* a receiver waits for ever */
    static const char *const lines[] = {
        "PE 2,1: a message of 1 element(s) from PE 1,0 waits, and no recv_message takes it",
        "PE 2,1: a message of 3 element(s) from PE 0,0 waits, and no recv_message takes it",
        "waits for wavelets on color 18 (input queue 2); 0 of 32 elements done",
        "PE 0,1: it has begun to receive, and no message has come",
    };
    for (unsigned k = 0; k < 4; k++) said(&f.c, TW_NOTE, lines[k]);
    drop(&f);
}

static void compile_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        bool wse2;
    } rows[] = {
        { IMPORT "task main() void { mp.init(); }\ncomptime { @bind_local_task(main, @get_local_task_id(8)); }",
          "is a library for WSE-3", true },
        { IMPORT "comptime { @set_local_color_config(@get_color(16), .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} "
                 "} }); }\n"
                 "export fn f() void { mp.init(); }",
          "16", false },
        { IMPORT "comptime { @initialize_queue(@get_input_queue(2), .{ .color = @get_color(3) }); }\n"
                 "export fn f() void { mp.init(); }",
          "this queue has been initialised already", false },
        { IMPORT "var a = @zeros([2]u64); export fn f() void { mp.init(); mp.send_message(0, 0, &a, 1, {}); }",
          "a message is an array of i16, u16", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        compiled c;
        compile_with(&c, rows[i].text, (tw__csl_compile_options){ .wse3 = !rows[i].wse2 });
        assert_null(c.image);
        said(&c, TW_ERROR, rows[i].message);
        compiled_free(&c);
    }
    /* a PE that does not take part cannot be sent to */
    wafer f;
    compile_with(&f.c,
                 "layout { @set_rectangle(2, 1); @set_tile_code(0, 0, \"pe.csl\", .{}); @set_tile_code(1, 0, "
                 "\"none.csl\", .{}); }\n=== none.csl\nexport var x: u16 = 0;\n=== pe.csl\n" IMPORT
                 "var a = @zeros([2]u32); task main() void { mp.init(); mp.send_message(1, 0, &a, 1, {}); }\n"
                 "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n",
                 (tw__csl_compile_options){ .wse3 = true });
    f.w = tw__wse_new(f.c.image, NULL, f.c.diags);
    assert_int_equal(run(&f), TW_E_APPLICATION);
    said(&f.c, TW_ERROR, "PE 1,0, whose program does not import <message_passing>");
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrives),       cmocka_unit_test(arrival_time), cmocka_unit_test(order),
        cmocka_unit_test(one_at_a_time), cmocka_unit_test(data_task),    cmocka_unit_test(same_for_all_threads),
        cmocka_unit_test(refused),       cmocka_unit_test(left_waiting), cmocka_unit_test(compile_errors),
    };
    return cmocka_run_group_tests_name("csl_messages", tests, NULL, NULL);
}
