/* SPDX-License-Identifier: MIT */
/* What the wafer says of programs with DSDs that go wrong, leave something, or lose wavelets. */
#include "compile.h"
#include "csl/wse/wse.h"
#include "dsd_text.h"

/* What the language leaves to the programmer, as the wafer reports it. Strict checks need the array behind a DSD. */
static const struct {
    tw__wse_check check;
    bool stops;
    const char *phrase, *text; /* phrase NULL: nothing is said */
} reports[] = {
/* Seed, control wavelet transform: 14 bits of the index are the program's. */
#define CONTROL_BITS(index)                                                                               \
    HEAD LOOP "var got: u32 = 0; const mark = @get_dsd(fabin_dsd, .{ .extent = 1, .fabric_color = loop, " \
              ".input_queue = iq, .control_transform = true });\n" RUN(                                   \
                  "@mov32(out, " index "0001); @mov32(&got, mark); @assert(got == " index "0001); count(1);")
#define TWO_INPUTS                                                                                                 \
    HEAD LOOP "var x: i16 = 0; var y: i16 = 0; const third = @get_color(5);\n"                                     \
              "comptime { @set_local_color_config(third, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } } });\n" \
              "  if (@is_arch(\"wse3\")) @initialize_queue(@get_input_queue(3), .{ .color = third }); }\n"         \
              "const in3 = @get_dsd(fabin_dsd, .{ .extent = 1, .fabric_color = third, .input_queue = "             \
              "@get_input_queue(3) });\n"
/* An operand without elements, whatever the operation waits for. */
#define EMPTY                               \
    HEAD LOOP "var m = @zeros([4,4]i16);\n" \
              "const none = @get_dsd(mem4d_dsd, .{ .tensor_access = |i,j|{0,3} -> m[i,j] });\n"
#define NO_QUEUE                                                                                               \
    HEAD "comptime { @set_local_color_config(loop, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } } }); }\n" \
         "const bare = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = loop }); var n: u16 = 1;\n"
#define NO_INIT                                                                                                \
    HEAD "comptime { @set_local_color_config(loop, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } } }); }\n" \
         "const out = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = loop, .output_queue = oq });\n"     \
         "const in = @get_dsd(fabin_dsd, .{ .extent = 1, .fabric_color = loop, .input_queue = iq });\n"        \
         "var x: i16 = 0; var n: u16 = 1;\n"
#define WSE3_ONLY "const ut = @get_ut_id(5);\n"
#define PAST                           \
    HEAD IOTA16("a", 4) IOTA16("b", 8) \
        MEM("to", "b", 8) "const past = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{5} -> a[i] });\n"
    { TW__WSE_CHECK_STRICT, true, "outside its array", PAST RUN("@mov16(to, past); count(1);") },
    { TW__WSE_CHECK_ERROR, false, NULL, PAST RUN("@mov16(to, past); count(1);") },
    { TW__WSE_CHECK_STRICT, true, "outside its array", PAST LOOP RUN("@mov16(@set_dsd_length(out, 5), past);") },
    { TW__WSE_CHECK_STRICT, true, "outside its array",
      PAST LOOP RUN(
          "@mov16(@set_dsd_length(out, 8), to, .{ .async = true }); @mov16(past, @set_dsd_length(in, 5));") },
    { TW__WSE_CHECK_OFF, true, "outside the 49152 bytes of PE memory",
      PAST LOOP RUN("var n: i16 = 30000; const high = @increment_dsd_offset(to, n, i16); "
                    "@mov16(@set_dsd_length(out, 8), high);") },
    { TW__WSE_CHECK_STRICT, true, "outside its array",
      PAST RUN("var n: i16 = -1; @mov16(to, @increment_dsd_offset(@set_dsd_length(past, 2), n, i16)); count(1);") },
    { TW__WSE_CHECK_STRICT, false, NULL,
      PAST RUN("@mov16(to, @set_dsd_length(@set_dsd_base_addr(past, b), 8)); count(1);") },
    /* decision 6: a length has 15 bits, more than that at run time is said */
    { TW__WSE_CHECK_ERROR, true, "a DSD length of 32768: only 15 bits exist",
      PAST RUN("var n: u16 = 32768; @mov16(@set_dsd_length(to, n), 1);") },
    { TW__WSE_CHECK_ERROR, true, "a DSD length of 32768: only 15 bits exist",
      HEAD IOTA16("buf", 8) "const f = @allocate_fifo(buf);\n" IOTA16("a", 4)
          RUN("var n: u16 = 32768; var x: i16 = 0; @set_fifo_read_length(f, n); @mov16(&x, f);") },
    /* a local DSD that nothing was assigned to: what the register held before does not show */
    { TW__WSE_CHECK_OFF, true, "the destination of the operation is no DSD: it was never set",
      HEAD IOTA16("a", 4) MEM("to", "a", 4) RUN("var n: u16 = 2; { var e = @set_dsd_length(to, n); @mov16(e, 1); } "
                                                "{ var d: mem1d_dsd; @mov16(d, 5); }") },
    { TW__WSE_CHECK_ERROR, true, "leaves 14 bits of the index", CONTROL_BITS("0x4000") },
    { TW__WSE_CHECK_ERROR, true, "leaves 14 bits of the index", CONTROL_BITS("0x8000") },
    { TW__WSE_CHECK_ERROR, false, NULL, CONTROL_BITS("0x3fff") },
    { TW__WSE_CHECK_OFF, true, "outside the 49152 bytes of PE memory",
      HEAD IOTA16("a", 4) MEM("from", "a", 4)
          RUN("var n: i16 = 30000; @mov16(@increment_dsd_offset(from, n, i16), 1); count(1);") },
    { TW__WSE_CHECK_OFF, true, "FIFO 'f' is empty, and its declaration makes that a fault",
      HEAD IOTA16("buf", 8) "const f = @allocate_fifo(buf, .{ .empty_action = .{ .fault = true } });\n" IOTA16(
          "a", 4) MEM("to", "a", 4) RUN("@mov16(to, f);") },
    { TW__WSE_CHECK_OFF, true, "one of its extents is 0", EMPTY RUN("@mov16(@set_dsd_length(out, 5), none);") },
    { TW__WSE_CHECK_OFF, true, "one of its extents is 0",
      EMPTY RUN("@mov16(@set_dsd_length(out, 5), none, .{ .async = true });") },
    { TW__WSE_CHECK_OFF, true, "one of its extents is 0",
      EMPTY IOTA16("b", 4) MEM("to", "b", 4) RUN("@mov16(to, none);") },
    { TW__WSE_CHECK_ERROR, true, "needs a queue: its fabout_dsd has no .output_queue",
      NO_QUEUE RUN("const d = @set_dsd_length(bare, n); @mov32(d, 3, .{ .async = true });") },
    /* WSE-2: the microthread is the output queue's where there is one, else that of the first input queue */
    { TW__WSE_CHECK_ERROR, true, "microthread 3 is still busy",
      TWO_INPUTS RUN(
          "@mov16(out, in, .{ .async = true }); @mov16(&x, @set_dsd_length(in3, 1), .{ .async = true });") },
    /* WSE-3: .ut_id of the operation, else of the load of its DSR */
    { TW__WSE_CHECK_ERROR, true, "microthread 5 is still busy",
      TWO_INPUTS "const r = @get_dsr(dsr_src1, 4); const ut = @get_ut_id(5);\n" RUN(
          "@load_to_dsr(r, in, .{ .async = true, .ut_id = ut }); @mov16(&x, r); "
          "@mov16(&y, in3, .{ .async = true, .ut_id = ut });") },
    { TW__WSE_CHECK_ERROR, false, NULL,
      TWO_INPUTS RUN("@mov16(&x, in, .{ .async = true, .ut_id = @get_ut_id(5) }); "
                     "@mov16(&y, in3, .{ .async = true, .ut_id = @get_ut_id(6) }); @mov16(out, 3);") },
    { TW__WSE_CHECK_ERROR, true, "input queue 2 is still in use",
      TWO_INPUTS RUN("@mov16(&x, in, .{ .async = true }); @mov16(&y, in);") },
    { TW__WSE_CHECK_ERROR, true, "output queue 3 is still in use",
      TWO_INPUTS RUN("@mov16(out, in, .{ .async = true }); @mov16(out, 3);") },
    { TW__WSE_CHECK_ERROR, true, "input queue 2 is bound to color 5 while",
      TWO_INPUTS
      "const anew = @get_dsd(fabin_dsd, .{ .extent = 1, .fabric_color = third, .input_queue = iq });\n" RUN(
          "@mov16(out, 3); @mov16(out, 4); @mov16(&x, in); var k: u16 = 0; while (k < 100) { k += 1; } @mov16(&y, "
          "anew);") },
    { TW__WSE_CHECK_ERROR, false, NULL,
      TWO_INPUTS RUN("@mov16(&x, in3, .{ .async = true }); @mov16(&y, in, .{ .async = true }); @mov16(out, 3);") },
    /* WSE-3: what no @initialize_queue has given a color */
    { TW__WSE_CHECK_STRICT, true, "input queue 2 was never initialised: WSE-3 needs @initialize_queue",
      NO_INIT WSE3_ONLY RUN("@mov16(&x, in);") },
    { TW__WSE_CHECK_STRICT, true, "output queue 3 was never initialised: WSE-3 needs @initialize_queue",
      NO_INIT WSE3_ONLY RUN("@mov16(out, 3);") },
    { TW__WSE_CHECK_STRICT, true, "output queue 3 was never initialised",
      NO_INIT WSE3_ONLY RUN("const d = @set_dsd_length(out, n); @mov16(d, 3, .{ .async = true });") },
    { TW__WSE_CHECK_STRICT, true, "input queue 4 of data task 'data' was never initialised",
      HEAD WSE3_ONLY "task data(x: u32) void {} comptime { @bind_data_task(data, "
                     "@get_data_task_id(@get_input_queue(4))); }\n" RUN("count(1);") },
    { TW__WSE_CHECK_OFF, false, NULL, NO_INIT WSE3_ONLY RUN("@mov16(out, 3); @mov16(&x, in); @assert(x == 3);") },
    { TW__WSE_CHECK_STRICT, false, NULL, NO_INIT RUN("@mov16(out, 3); @mov16(&x, in); @assert(x == 3);") },
    { TW__WSE_CHECK_STRICT, true, "a .simd_mode packs 16-bit values",
      HEAD LOOP "var n: u16 = 2; var x: u32 = 0; const pairs = @get_dsd(fabin_dsd, .{ .extent = 2, .fabric_color "
                "= loop, .input_queue = iq, .simd_mode = .{ .simd_32 = true } });\n" RUN(
                    "@mov32(out, 1); const d = @set_dsd_length(pairs, n); @mov32(&x, d);") },
    { TW__WSE_CHECK_OFF, true, "source and destination are one FIFO",
      HEAD IOTA16("buf", 8) "const f = @allocate_fifo(buf);\n" IOTA16("a", 4) MEM("from", "a", 4)
          RUN("@mov16(f, from); @set_fifo_read_length(f, 0x7fff); @mov16(f, f);") },
};

#define UNENDED HEAD LOOP "var b = @zeros([4]i16);\n" MEM("to", "b", 4) "const in4 = @set_dsd_length(in, 4);\n"
/* What is left when nothing moves any more. */
static const struct {
    tw__wse_check check;
    bool fails;
    const char *phrase, *note, *text;
} leftovers[] = {
    { TW__WSE_CHECK_REPORT, true, "operations wait for what never comes", "color 4",
      UNENDED RUN("@mov16(to, in4);") },
    { TW__WSE_CHECK_ERROR, true, "operations wait for what never comes", "color 4",
      UNENDED RUN("@mov16(to, in4);") },
    { TW__WSE_CHECK_OFF, true, "operations wait for what never comes", "color 4", UNENDED RUN("@mov16(to, in4);") },
    { TW__WSE_CHECK_ERROR, true, "operations wait for what never comes", "0 of 4",
      UNENDED RUN("@mov16(to, in4, .{ .async = true });") },
    { TW__WSE_CHECK_ERROR, true, "operations wait for what never comes", "waits for a second wavelet on color 4",
      UNENDED
      "const in64 = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = loop, .input_queue = iq, "
      ".simd_mode = .{ .simd_64 = true } });\n" RUN("@mov16(to, in64, .{ .async = true }); @mov16(out, 7);") },
    { TW__WSE_CHECK_ERROR, false, "operations without end or wavelets are left", "1 wavelet",
      UNENDED RUN("@mov16(out, 7);") },
    { TW__WSE_CHECK_STRICT, false, NULL, NULL, UNENDED RUN("@mov16(out, 7); @mov16(to, in);") },
};

static const char *text_at(const char *text, int line, int column)
{
    while (--line > 0) text = strchr(text, '\n') + 1;
    return text + column - 1;
}

/* What goes astray is said once, however often it happens, with the line that leads it there. */
static void csl_dsd_astray(void **state)
{
    static const struct {
        const char *phrase, *at, *text; /* at: what stands at the message's place */
    } rows[] = {
        { "wavelets of color 5 leave the rectangle to the east and are lost", "@set_local_color_config(away",
          HEAD
          "const away = @get_color(5); comptime { @set_local_color_config(away, .{ .routes = .{ .rx = .{ RAMP }, "
          ".tx = .{ EAST } } }); }\nconst sent = @get_dsd(fabout_dsd, .{ .extent = 9, .fabric_color = away "
          "});\n" RUN("@mov16(sent, 1);") },
        { "the PE sends on color 5, which has no route here", "@mov16(sent, 1)",
          HEAD "const sent = @get_dsd(fabout_dsd, .{ .extent = 2, .fabric_color = @get_color(5) });\n" RUN(
              "@mov16(sent, 1);") },
        { "names control task 41, which is not bound", "@set_local_color_config(loop",
          HEAD LOOP "const stop = @get_dsd(fabout_dsd, .{ .extent = 3, .fabric_color = loop, .output_queue = oq, "
                    ".control = true });\ncomptime { @unblock(if (@is_arch(\"wse3\")) iq else loop); }\n" RUN(
                        "@mov32(stop, 41 << 16);") },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned wse3 = 0; wse3 < 2; wse3++) {
            compiled c = compile_good(rows[i].text, wse3);
            tw__wse *w = tw__wse_new(c.image, NULL, c.diags);
            assert_non_null(w);
            assert_int_equal(tw__wse_run(w, 200000, NULL, NULL), TW_OK);
            const tw_diag *d = find_message(c.diags, TW_WARNING, rows[i].phrase);
            bool there =
                d && d->line && !strncmp(text_at(rows[i].text, d->line, d->column), rows[i].at, strlen(rows[i].at));
            if (!there || tw_diags_count(c.diags, TW_WARNING) != 1) {
                tw_diags_print(c.diags, stderr, false);
                fail_msg("row %zu, WSE-%u:\n%s", i, wse3 + 2, rows[i].text);
            }
            tw__wse_free(w);
            compiled_free(&c);
        }
}

static void csl_dsd_leftovers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++) {
        compiled c = compile_good(leftovers[i].text, false);
        tw__wse *w = tw__wse_new(c.image, &(tw__wse_options){ .check = leftovers[i].check }, c.diags);
        assert_non_null(w);
        assert_int_equal(tw__wse_run(w, 200000, NULL, NULL), TW_OK);
        bool failed = tw__wse_end(w) != TW_OK;
        tw_severity severity = failed ? TW_ERROR : TW_WARNING;
        bool said = leftovers[i].phrase ? find_message(c.diags, severity, leftovers[i].phrase) &&
                                              find_message(c.diags, TW_NOTE, leftovers[i].note)
                                        : tw_diags_count(c.diags, TW_WARNING) == 0;
        if (!said || failed != leftovers[i].fails) {
            tw_diags_print(c.diags, stderr, false);
            fail_msg("row %zu:\n%s", i, leftovers[i].text);
        }
        tw__wse_free(w);
        compiled_free(&c);
    }
}

static void csl_dsd_reports(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        compiled c = compile_good(reports[i].text, strstr(reports[i].text, ".fault = true") ||
                                                       strstr(reports[i].text, "@get_ut_id")); /* WSE-3 only */
        tw__wse_options options = { .check = reports[i].check };
        tw__wse *w = tw__wse_new(c.image, &options, c.diags);
        assert_non_null(w);
        tw_status status = tw__wse_run(w, 200000, NULL, NULL);
        bool said = reports[i].phrase ? find_message(c.diags, TW_ERROR, reports[i].phrase) != NULL
                                      : tw_diags_count(c.diags, TW_WARNING) == 0;
        if (!said || (status == TW_OK) == reports[i].stops) {
            tw_diags_print(c.diags, stderr, false);
            fail_msg("row %zu: %s\n%s", i, tw_status_name(status), reports[i].text);
        }
        tw__wse_free(w);
        compiled_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csl_dsd_reports),
        cmocka_unit_test(csl_dsd_astray),
        cmocka_unit_test(csl_dsd_leftovers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
