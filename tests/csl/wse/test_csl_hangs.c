/* SPDX-License-Identifier: MIT */
/* Programs that hang: the report names the PE, what waits, for which color, queue or FIFO, and the line of the
 * source. Line 1 of each text is the first of `program`. */
#include "csl/wse/compile.h"
#include "csl/wse/wse.h"

#define START "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n"

typedef struct hang {
    const char *program;
    unsigned words; /* from the host to the ramp, on color 4 */
    const char *report[2];
    bool wse3, control; /* control: the words from the host are control wavelets */
    uint32_t word;      /* what they hold */
} hang;

static const hang hangs[] = {
    { "var x = @zeros([4]u32);\n"
      "const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> x[i] });\n"
      "const from = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(4), .input_queue = "
      "@get_input_queue(2) });\n"
      "task main() void {\n"
      "  @mov32(to, from);\n"
      "}\n" START,
      3,
      .report = { "PE 0,0: @mov32 at t.csl:5 waits for wavelets on color 4 (input queue 2); 3 of 4 elements "
                  "done" } },
    { "var x = @zeros([40]u32);\n"
      "const from = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{40} -> x[i] });\n"
      "const to = @get_dsd(fabout_dsd, .{ .extent = 40, .fabric_color = @get_color(5), .output_queue = "
      "@get_output_queue(2) });\n"
      "task main() void {\n"
      "  var i: u16 = 0;\n"
      "  @mov32(to, from, .{ .async = true });\n"
      "}\n" START,
      0,
      .report = { "PE 0,0: @mov32 at t.csl:6 cannot send on color 5 (output queue 2), which is full",
                  "4 wavelet(s) of color 5 from the PE wait in the router: the route" } },
    { "var room = @zeros([16]u32);\n"
      "const line = @allocate_fifo(room);\n"
      "const to = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = @get_color(5), .output_queue = "
      "@get_output_queue(2) });\n"
      "task main() void {\n"
      "  @mov32(to, line, .{ .async = true });\n"
      "}\n" START,
      0, .report = { "PE 0,0: @mov32 at t.csl:5 waits for FIFO 'line', which is empty; 0 of 4 elements done" } },
    { "var room = @zeros([4]u32);\n"
      "const line = @allocate_fifo(room);\n"
      "const from = @get_dsd(fabin_dsd, .{ .extent = 9, .fabric_color = @get_color(4), .input_queue = "
      "@get_input_queue(2) });\n"
      "task main() void {\n"
      "  @mov32(line, from, .{ .async = true });\n"
      "}\n" START,
      9, .report = { "PE 0,0: @mov32 at t.csl:5 waits for FIFO 'line', which is full; 4 of 9 elements done" } },
    { "const in = @get_data_task_id(@get_color(4));\n"
      "task main() void {}\n"
      "task take(v: u32) void {}\n"
      "comptime { @bind_data_task(take, in); @block(in); }\n" START,
      2, .report = { "PE 0,0: 2 wavelet(s) wait on color 4: its data task is blocked ('take' at t.csl:3)" } },
    { "const id = @get_local_task_id(9);\n"
      "task main() void { @activate(id); }\n"
      "task later() void {}\n"
      "comptime { @bind_local_task(later, id); @block(id); }\n" START,
      0, .report = { "PE 0,0: local task 9 is active but blocked ('later' at t.csl:3)" } },
    /* which microthread; one that was blocked with an operation on it */
    { "const to = @get_dsd(fabout_dsd, .{ .extent = 40, .fabric_color = @get_color(5), .output_queue = "
      "@get_output_queue(2) });\n"
      "comptime { @initialize_queue(@get_output_queue(2), .{ .color = @get_color(5) }); }\n"
      "task main() void {\n"
      "  @mov32(to, 7, .{ .async = true, .ut_id = @get_ut_id(5) });\n"
      "}\n" START,
      0,
      .report = { "PE 0,0: @mov32 at t.csl:4 cannot send on color 5 (output queue 2), which is full; 12 of 40 "
                  "elements done, in "
                  "microthread 5" },
      .wse3 = true },
    { "const to = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = @get_color(5), .output_queue = "
      "@get_output_queue(2) });\n"
      "comptime { @initialize_queue(@get_output_queue(2), .{ .color = @get_color(5) }); @block(@get_ut_id(5)); }\n"
      "task main() void {\n"
      "  @mov32(to, 7, .{ .async = true, .ut_id = @get_ut_id(5) });\n"
      "}\n" START,
      0,
      .report = { "PE 0,0: @mov32 at t.csl:4 stands still: its microthread is blocked; 0 of 4 elements done, in "
                  "microthread 5" },
      .wse3 = true },
    /* the queue that an earlier operation still uses, and that operation */
    { "const to = @get_dsd(fabout_dsd, .{ .extent = 40, .fabric_color = @get_color(5), .output_queue = "
      "@get_output_queue(2) });\n"
      "task main() void {\n"
      "  @mov32(to, 7, .{ .async = true });\n"
      "  @mov32(to, 8);\n"
      "}\n" START,
      0,
      .report = { "PE 0,0: @mov32 at t.csl:4 waits for color 5 (output queue 2), which @mov32 at t.csl:3 still "
                  "uses" } },
    { "var x = @zeros([4]u32);\n"
      "const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> x[i] });\n"
      "const a = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(4), .input_queue = "
      "@get_input_queue(2) });\n"
      "const b = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(6), .input_queue = "
      "@get_input_queue(3) });\n"
      "comptime { @initialize_queue(@get_input_queue(2), .{ .color = @get_color(4) }); "
      "@initialize_queue(@get_input_queue(3), .{ .color = @get_color(6) }); }\n"
      "task main() void {\n"
      "  @mov32(to, a, .{ .async = true, .ut_id = @get_ut_id(1) });\n"
      "  @mov32(to, b, .{ .async = true, .ut_id = @get_ut_id(1) });\n"
      "}\n" START,
      0,
      .report = { "PE 0,0: @mov32 at t.csl:8 waits for a microthread that is still in use",
                  "PE 0,0: @mov32 at t.csl:7 waits for wavelets on color 4 (input queue 2); 0 of 4 elements done, "
                  "in microthread 1" },
      .wse3 = true },
    /* @map, at its input and at its output */
    { "const from = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(4), .input_queue = "
      "@get_input_queue(2) });\n"
      "fn take(v: u32) void {}\n"
      "task main() void {\n"
      "  @map(take, from);\n"
      "}\n" START,
      1, .report = { "PE 0,0: @map at t.csl:4 waits for wavelets on color 4 (input queue 2)" } },
    { "var x = @zeros([40]u32);\n"
      "const from = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{40} -> x[i] });\n"
      "const to = @get_dsd(fabout_dsd, .{ .extent = 40, .fabric_color = @get_color(5), .output_queue = "
      "@get_output_queue(2) });\n"
      "fn same(v: u32) u32 { return v; }\n"
      "task main() void {\n"
      "  @map(same, from, to);\n"
      "}\n" START,
      0, .report = { "PE 0,0: @map at t.csl:6 cannot send on color 5 (output queue 2), which is full" } },
    /* where the switch stands: position 1 takes wavelets from the north only */
    { "comptime { @set_local_color_config(@get_color(4), .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } }, "
      ".switches = .{ .pos1 = .{ .rx = NORTH }, .current_switch_pos = 1 } }); }\n"
      "const to = @get_dsd(fabout_dsd, .{ .extent = 2, .fabric_color = @get_color(4) });\n"
      "task main() void {\n"
      "  @mov32(to, 7);\n"
      "}\n" START,
      0,
      .report = { "PE 0,0: 2 wavelet(s) of color 4 from the PE wait in the router: the route does not take that "
                  "direction now "
                  "(switch position 1: from north to the PE)" } },
    { "comptime { @set_local_color_config(@get_color(4), .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } }, "
      ".teardown = true }); }\n"
      "const to = @get_dsd(fabout_dsd, .{ .extent = 2, .fabric_color = @get_color(4) });\n"
      "task main() void {\n"
      "  @mov32(to, 7);\n"
      "}\n" START,
      0, .report = { "PE 0,0: 2 wavelet(s) of color 4 from the PE wait in the router: the color is in teardown" } },
    /* a control task, whose color nobody has unblocked */
    { "const loop = @get_color(4);\n"
      "comptime { @initialize_queue(@get_input_queue(2), .{ .color = loop }); }\n"
      "task main() void { @block(loop); }\n"
      "task ctrl() void {}\n"
      "comptime { @bind_control_task(ctrl, @get_control_task_id(40)); }\n" START,
      1,
      .report = { "PE 0,0: 1 wavelet(s) wait on color 4 (input queue 2): the first is for control task 40 ('ctrl' "
                  "at t.csl:4), "
                  "and the color is blocked" },
      .control = true, .word = 40u << 16 },
};

static bool never(void *user)
{
    (void)user;
    return false;
}

static void reports(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hangs / sizeof *hangs; i++) {
        compiled c = compile_good(hangs[i].program, hangs[i].wse3);
        tw_diags *said = tw_diags_new();
        tw__wse *w = tw__wse_new(c.image, NULL, said);
        assert_non_null(w);
        uint32_t words[16];
        for (size_t k = 0; k < 16; k++) words[k] = hangs[i].word;
        if (hangs[i].words)
            assert_true(tw__wse_send(w, 0, 0, TW__CSL_RAMP, 4, words, hangs[i].words, hangs[i].control));
        if (tw__wse_run(w, 100000, never, NULL) != TW_E_SYSTEM || !find_message(said, TW_ERROR, "deadlock")) {
            tw_diags_print(said, stderr, false);
            fail_msg("program %zu: no deadlock\n%s", i, hangs[i].program);
        }
        for (size_t r = 0; r < 2 && hangs[i].report[r]; r++) {
            if (find_message(said, TW_NOTE, hangs[i].report[r])) continue;
            tw_diags_print(said, stderr, false);
            fail_msg("program %zu: not reported: %s", i, hangs[i].report[r]);
        }
        tw__wse_free(w);
        compiled_free(&c);
        tw_diags_free(said);
    }
}

/* Vendor document "DSDs", queue identifiers (WSE-2), fact sheet 4.1 (WSE-3): how many wavelets each queue holds. What
 * an input queue takes is said when nobody reads it; an output queue whose color leads nowhere takes as many and four
 * more, which wait in the router (docs/wse.md). */
static void queue_lengths(void **state)
{
    static const unsigned lengths[2][2][8] = { { { 6, 6, 4, 4, 2, 2, 2, 2 }, { 2, 2, 6, 6, 2, 2, 0, 0 } },
                                               { { 8, 8, 4, 4, 4, 4, 4, 4 }, { 8, 8, 8, 8, 8, 8, 8, 8 } } };
    (void)state;
    for (unsigned wse3 = 0; wse3 < 2; wse3++)
        for (unsigned output = 0; output < 2; output++)
            for (unsigned queue = 0; queue < 8; queue++) {
                unsigned length = lengths[wse3][output][queue];
                if (!length) continue; /* csl_rules_ids: no such queue */
                char text[1024], expected[128];
                if (output) {
                    snprintf(
                        text, sizeof text,
                        "const q = @get_output_queue(%u);\n"
                        "comptime { if (@is_arch(\"wse3\")) @initialize_queue(q, .{ .color = @get_color(5) }); }\n"
                        "const to = @get_dsd(fabout_dsd, .{ .extent = 40, .fabric_color = @get_color(5), "
                        ".output_queue = q });\n"
                        "task main() void { @mov32(to, 7, .{ .async = true }); }\n" START,
                        queue);
                    snprintf(expected, sizeof expected, "which is full; %u of 40 elements done", length + 4);
                } else {
                    snprintf(text, sizeof text,
                             "comptime { @initialize_queue(@get_input_queue(%u), .{ .color = @get_color(4) }); }\n"
                             "task main() void {}\n" START,
                             queue);
                    snprintf(expected, sizeof expected, "%u wavelet(s) wait on color 4 (input queue %u)", length,
                             queue);
                }
                compiled c = compile_good(text, wse3);
                tw__wse *w = tw__wse_new(c.image, NULL, c.diags);
                assert_non_null(w);
                uint32_t words[40] = { 0 };
                if (!output) assert_true(tw__wse_send(w, 0, 0, TW__CSL_RAMP, 4, words, 40, false));
                assert_int_equal(tw__wse_run(w, 100000, never, NULL), TW_E_SYSTEM);
                if (!find_message(c.diags, TW_NOTE, expected)) {
                    tw_diags_print(c.diags, stderr, false);
                    fail_msg("WSE-%u, %s queue %u: not reported: %s", wse3 + 2, output ? "output" : "input", queue,
                             expected);
                }
                tw__wse_free(w);
                compiled_free(&c);
            }
}

/* What is left when a run is over, as --check and the host's wish (may_wait) have it. */
typedef struct ending {
    const char *program;
    unsigned words;    /* from the host to the ramp, on color 4 */
    const char *fails; /* NULL: the run is good */
    const char *report;
} ending;

#define IN(length)                                                                                             \
    "var x = @zeros([4]u32);\n"                                                                                \
    "const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> x[i] });\n"                                  \
    "const from = @get_dsd(fabin_dsd, .{ .extent = " length ", .fabric_color = @get_color(4), .input_queue = " \
    "@get_input_queue(2) });\n"

static const ending endings[] = {
    { "task main() void {}\n" START, 0, NULL, NULL },
    { IN("4") "task main() void { @mov32(to, from, .{ .async = true }); }\n" START, 4, NULL, NULL },
    { IN("4") "task main() void { @mov32(to, from, .{ .async = true }); }\n" START, 3, "operations wait",
      "waits for wavelets on color 4 (input queue 2); 3 of 4 elements done, in microthread 2" },
    { IN("4") "task main() void { @mov32(to, from); }\n" START, 3, "operations wait", "3 of 4 elements done" },
    { "const id = @get_local_task_id(9);\n"
      "task main() void { @activate(id); }\n"
      "task later() void {}\n"
      "comptime { @bind_local_task(later, id); @block(id); }\n" START,
      0, "activated and blocked", "local task 9 is active but blocked ('later' at t.csl:3)" },
    /* an operation without end, and wavelets that nobody reads */
    { IN("0x7fff") "task main() void { @mov32(to, from, .{ .async = true, .on_control = .{ .terminate = true } }); "
                   "}\n" START,
      0, NULL, "waits for wavelets on color 4 (input queue 2); 0 elements done" },
    { "comptime { @initialize_queue(@get_input_queue(2), .{ .color = @get_color(4) }); }\n"
      "task main() void {}\n" START,
      2, NULL, "2 wavelet(s) wait on color 4" },
};

static void ends(void **state)
{
    (void)state;
    static const tw__wse_check checks[] = { TW__WSE_CHECK_REPORT, TW__WSE_CHECK_ERROR, TW__WSE_CHECK_STRICT,
                                            TW__WSE_CHECK_OFF };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        for (unsigned k = 0; k < 8; k++) {
            const ending *x = &endings[i];
            tw__wse_options options = { .check = checks[k / 2], .may_wait = k % 2 };
            bool stops = options.check == TW__WSE_CHECK_ERROR || options.check == TW__WSE_CHECK_STRICT;
            bool fails = x->fails && (stops || !options.may_wait);
            compiled c = compile_good(x->program, false);
            tw_diags *said = tw_diags_new();
            tw__wse *w = tw__wse_new(c.image, &options, said);
            uint32_t words[4] = { 0 };
            if (x->words) assert_true(tw__wse_send(w, 0, 0, TW__CSL_RAMP, 4, words, x->words, false));
            assert_int_equal(tw__wse_run(w, 100000, NULL, NULL), TW_OK);
            tw_status status = tw__wse_end(w);
            bool silent = !x->report || (options.check == TW__WSE_CHECK_OFF && !fails);
            if (status != (fails ? TW_E_SYSTEM : TW_OK) || (fails && !find_message(said, TW_ERROR, x->fails)) ||
                (silent ? tw_diags_count(said, TW_NOTE) != 0 : !find_message(said, TW_NOTE, x->report))) {
                tw_diags_print(said, stderr, false);
                fail_msg("program %zu, check %d, may_wait %d: %d\n%s", i, (int)options.check, options.may_wait,
                         (int)status, x->program);
            }
            tw__wse_free(w);
            tw_diags_free(said);
            compiled_free(&c);
        }
}

/* A limit of cycles or of time ends a run: the report says who would go on, and where. */
static void endless(void **state)
{
    (void)state;
    static const struct {
        const char *program, *report;
    } loops[] = {
        { "var i: u16 = 0;\ntask main() void {\n  while (true) {\n    i += 1;\n  }\n}\n" START,
          "PE 0,0: task 8 ('main' at t.csl:2) runs at t.csl:" },
        { "task main() void { @activate(@get_local_task_id(8)); }\n" START, "PE 0,0: task 8 ('main' at t.csl:1)" },
    };
    for (size_t i = 0; i < 2; i++)
        for (unsigned by_time = 0; by_time < 2; by_time++) {
            compiled c = compile_good(loops[i].program, false);
            tw_diags *said = tw_diags_new();
            tw__wse *w = tw__wse_new(c.image, &(tw__wse_options){ .max_seconds = by_time ? 1e-6 : 0 }, said);
            assert_int_equal(tw__wse_run(w, by_time ? 0 : 50000, NULL, NULL),
                             by_time ? TW_E_SYSTEM : TW_E_OVERFLOW);
            assert_non_null(
                strstr(tw_error_message(), by_time ? "longer than 1e-06 seconds" : "more than 50000 cycles"));
            if (!by_time) tw__wse_say_running(w);
            if (!find_message(said, TW_NOTE, loops[i].report)) {
                tw_diags_print(said, stderr, false);
                fail_msg("not reported: %s", loops[i].report);
            }
            tw__wse_free(w);
            tw_diags_free(said);
            compiled_free(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(reports), cmocka_unit_test(queue_lengths),
                                        cmocka_unit_test(ends), cmocka_unit_test(endless) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
