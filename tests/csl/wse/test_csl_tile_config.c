/* SPDX-License-Identifier: MIT */
/* <tile_config> and the builtins it stands on (vendor documents "Libraries", tile_config, and "Builtins"): what a
 * program writes is what it reads back, and what the router or the scheduler then does. */
#include "csl/wse/library_kit.h"

#define TOP \
    "const tc = @import_module(\"<tile_config>\"); const red = @get_color(3); var blue: color = @get_color(3);\n"

/* Registers as bits: outputs W E S N RAMP from bit 0, inputs from bit 5. */
static void routes(void **state)
{
    (void)state;
    EXPECT(TOP "const cc = tc.color_config; const at = cc.get_color_config_addr(red);\n"
               "comptime { @set_local_color_config(red, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } } }); }",
           "out[0] = @as(u32, @get_config(at));\n"
           "cc.set_io_direction(red, cc.fabric_io.RX_RAMP); out[1] = @as(u32, @get_config(at));\n"
           "cc.clear_io_direction(blue, cc.fabric_io.RX_WEST); out[2] = @as(u32, @get_config(at));\n"
           "cc.toggle_io_direction(at, cc.fabric_io.TX_EAST); out[3] = @as(u32, @get_config(at));\n"
           "cc.toggle_io_direction(at, cc.fabric_io.TX_EAST); out[4] = @as(u32, @get_config(at));\n"
           "cc.reset_routes(red, .{ .tx = [3]direction{ NORTH, SOUTH, WEST }, .rx = [1]direction{ RAMP } });\n"
           "out[5] = @as(u32, @get_config(at, .{ 0x7f20, 0x7f3f }));\n"
           "cc.reset_routes(blue, .{ .tx = NORTH, .rx = EAST });\n"
           "out[6] = @as(u32, @get_config(at, .{ .{ 0x7e00, 0x7e10 }, .{ 0x7f20, 0x7f3f } }));",
           0x030, 0x230, 0x210, 0x212, 0x210, 0x20d, 0x048);
}

static void switches(void **state)
{
    (void)state;
    static const char top[] =
        TOP "const sc = tc.switch_config; const at = sc.get_switch_config_addr(red, sc.switch_status);\n"
            "const pops = sc.get_switch_config_addr(red, sc.pop_mode);\n"
            "comptime { @set_local_color_config(red, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } },\n"
            "  .switches = .{ .pos1 = .{ .rx = EAST } } }); }";
    EXPECT(top,
           "out[0] = @as(u32, @get_config_unchecked(at));\n"
           "sc.set_tx_switch_pos2(blue, NORTH); out[1] = @as(u32, @get_config_unchecked(at));\n"
           "sc.set_ring_mode(at, sc.ring_mode.RING_MODE); sc.set_current_switch_position(red, 1);\n"
           "out[2] = @as(u32, @get_config_unchecked(at)); sc.clear_current_position(pops);\n"
           "out[3] = @as(u32, @get_config_unchecked(at)); sc.set_pop_mode(red, sc.pop_mode.ALWAYS_POP);\n"
           "out[4] = @as(u32, @get_config_unchecked(pops)); sc.set_ring_mode(red, sc.ring_mode.NO_RING_MODE);\n"
           "sc.set_invalid_for_all_switch_positions(red); out[5] = @as(u32, @get_config_unchecked(at)) & 0x777;\n"
           "out[6] = @as(u32, pops == sc.get_color_config_addr(red));",
           0x0559, 0x0539, 0x3539, 0x1539, 0x1030, 0x555, 1);
    uint32_t out[OUT];
    char text[1600];
    snprintf(text, sizeof text, "%s var other: u16 = 0;", top);
    run_body(text, /* WSE-3: a position that sets both sides keeps them when another one is written */
             "sc.set_rxtx_switch_pos3(red, WEST, SOUTH); sc.set_rx_switch_pos2(red, RAMP);\n"
             "out[0] = @as(u32, @get_config_unchecked(at)); out[1] = @as(u32, @get_config_unchecked(at + 32));",
             true, out);
    assert_int_equal(out[0], 0x08c9);
    assert_int_equal(out[1], 0x0255);
}

/* A counter filter by its number; WSE-3 counts half-wavelets and tells pass from drop. */
static void filters(void **state)
{
    (void)state;
    static const char top[] =
        TOP "const f = tc.filters; const other = @get_color(1);\n"
            "comptime { @set_local_color_config(other, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } },\n"
            "    .filter = .{ .kind = .{ .range = true }, .min_idx = 3, .max_idx = 5 } });\n"
            "  @set_local_color_config(red, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } },\n"
            "    .filter = .{ .kind = .{ .counter = true }, .count_data = true, .limit1 = 4, .max_counter = 1 } "
            "}); }\n";
    EXPECT(top,
           "const id = @get_filter_id(red); out[0] = @as(u32, id); out[1] = @as(u32, @get_filter_id(other));\n"
           "f.set_max_counter(id, 2); f.set_active_limit(id, 6); f.set_counter(id, 5);\n"
           "const at = tc.addresses.FILTERS + 8 * id; out[2] = @as(u32, @get_config(at));\n"
           "out[3] = @as(u32, @get_config(at + 1)); out[4] = @as(u32, @get_config(at + 3));",
           1, 0, 5, 6, 2);
    uint32_t out[OUT];
    run_body(
        top,
        "const id = @get_filter_id(red); out[0] = f.get_pass_count(id); out[1] = f.get_drop_count(id);\n"
        "f.set_counter_and_state(id, 4, f.counter_filter_state.DROP); out[2] = f.get_counter_value(id);\n"
        "out[3] = @as(u32, @as(u16, f.get_state(id))); f.set_pass_count(id, 8); out[4] = f.get_pass_count(id);\n"
        "out[5] = f.get_drop_count(id); f.set_state(id, f.counter_filter_state.PASS);\n"
        "out[6] = @as(u32, @as(u16, f.get_state(id))); f.set_drop_count(id, 2); out[7] = f.get_drop_count(id);",
        true, out);
    static const uint32_t want[] = { 4, 6, 4, 1, 8, 6, 0, 2 };
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        if (out[k] != want[k]) fail_msg("out[%zu] is %u, expected %u", k, out[k], want[k]);
}

static void queues_and_priorities(void **state)
{
    (void)state;
    EXPECT(TOP
           "const iq = @get_input_queue(2); const oq = @get_output_queue(4); const id = @get_local_task_id(8);\n"
           "comptime { @set_local_color_config(red, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } } });\n"
           "  @initialize_queue(iq, .{ .color = red });\n"
           "  @initialize_queue(oq, if (@is_arch(\"wse3\")) .{ .color = red } else .{});\n"
           "  @block(if (@is_arch(\"wse3\")) @get_data_task_id(iq) else @get_data_task_id(red));\n"
           "  tc.task_priority.set_task_priority(id);\n"
           "  tc.main_thread_priority.update_main_thread_priority(tc.main_thread_priority.level.MEDIUM);\n"
           "  tc.control_transform.set_mask(0x7f); }\n"
           "const send = @get_dsd(fabout_dsd, .{ .extent = 1, .output_queue = oq, .fabric_color = red });\n"
           "var x: u16 = 0;",
           "@mov32(send, 5); @mov32(send, 6); @mov32(send, 7);\n"
           "for (@range(u16, 100)) |k| { x += k; }\n"
           "const s = tc.input_queue_status.get(); const o = tc.output_queue_status.get();\n"
           "out[0] = @as(u32, tc.input_queue_status.is_empty(s, iq)); out[1] = @as(u32, "
           "tc.input_queue_status.is_empty(s, @get_input_queue(3)));\n"
           "out[2] = @as(u32, tc.input_queue_status.none_full(s)); out[3] = @as(u32, "
           "tc.input_queue_status.all_empty(s));\n"
           "out[4] = @as(u32, tc.output_queue_status.all_empty(o)); out[5] = @as(u32, "
           "tc.output_queue_status.is_full(o, "
           "oq));\n"
           "out[6] = @as(u32, tc.input_queue_status.none_empty(s)); out[7] = @as(u32, s.empty);\n"
           "const p = tc.addresses.TASK_PRIORITY + 8; out[8] = @as(u32, @get_config(p));\n"
           "tc.task_priority.clear_task_priority(id); out[9] = @as(u32, @get_config(p));\n"
           "out[10] = @as(u32, @get_config(tc.addresses.MAIN_THREAD_PRIORITY));\n"
           "out[11] = @as(u32, @get_config(tc.addresses.CONTROL_TRANSFORM_MASK));",
           0, 1, 1, 0, 1, 0, 0, 0xfb, 1, 0, 1, 0x3f);
}

/* --- queues that change their color (WSE-3: @queue_flush says when) ------------------------------------------- */

/* 18 words: the receiver comes late, so that some are still in the output queue when the operation has ended. */
static const char flush_program[] =
    "layout { @set_rectangle(2, 1); @set_tile_code(0, 0, \"send.csl\"); @set_tile_code(1, 0, \"take.csl\"); }\n"
    "=== send.csl\n"
    "const tc = @import_module(\"<tile_config>\"); const wse3 = @is_arch(\"wse3\");\n"
    "export var out = @zeros([32]u32); var a = @constants([18]u32, 42); var b = @constants([18]u32, 43);\n"
    "const av = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{18} -> a[i] });\n"
    "const bv = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{18} -> b[i] });\n"
    "const oq = @get_output_queue(2); const first = @get_color(10); const second = @get_color(12);\n"
    "const out1 = @get_dsd(fabout_dsd, if (wse3) .{ .extent = 18, .output_queue = oq }\n"
    "  else .{ .extent = 18, .output_queue = oq, .fabric_color = first });\n"
    "const out2 = @get_dsd(fabout_dsd, if (wse3) .{ .extent = 18, .output_queue = oq }\n"
    "  else .{ .extent = 18, .output_queue = oq, .fabric_color = second });\n"
    "const send_id = @get_local_task_id(8); const sent_id = @get_local_task_id(9);\n"
    "const again_id = @get_local_task_id(11);\n"
    "fn emptied() void {\n"
    "  out[0] += 1; out[1] = @as(u32, tc.queue_flush.is_flushed(tc.queue_flush.oq_status(), oq));\n"
    "  out[2] = @as(u32, tc.output_queue_status.is_empty(tc.output_queue_status.get(), oq));\n"
    "  tc.output_queue_config.encode_output_queue(@get_int(oq), @get_int(second));\n"
    "  tc.queue_flush.exit(oq); out[3] = @as(u32, tc.queue_flush.oq_status()); @activate(again_id);\n"
    "}\n"
    "task send() void { @mov32(out1, av, .{ .async = true, .activate = sent }); }\n"
    "task sent() void { if (wse3) { @queue_flush(oq); } else { @activate(again_id); } }\n"
    "task again() void { @mov32(out2, bv, .{ .async = true }); }\n"
    "comptime {\n"
    "  @bind_local_task(send, send_id); @bind_local_task(sent, sent_id); @bind_local_task(again, again_id);\n"
    "  @activate(send_id); @initialize_queue(oq, if (wse3) .{ .color = first } else .{});\n"
    "  if (wse3) @set_empty_queue_handler(emptied, oq);\n"
    "  @set_local_color_config(first, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } } });\n"
    "  @set_local_color_config(second, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } } });\n"
    "}\n"
    "=== take.csl\n"
    "const tc = @import_module(\"<tile_config>\"); const wse3 = @is_arch(\"wse3\");\n"
    "export var out = @zeros([32]u32); var more = @zeros([18]u32); var x: u16 = 0;\n"
    "const av = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{18} -> out[i] });\n"
    "const bv = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{18} -> more[i] });\n"
    "const iq = @get_input_queue(2); const first = @get_color(10); const second = @get_color(12);\n"
    "const in1 = @get_dsd(fabin_dsd, .{ .extent = 18, .input_queue = iq });\n"
    "const in2 = @get_dsd(fabin_dsd, .{ .extent = 2, .input_queue = iq });\n"
    "const get_id = @get_local_task_id(8); const got_id = @get_local_task_id(9);\n"
    "task get() void { for (@range(u16, 500)) |i| { x += i; } @mov32(av, in1, .{ .async = true, .activate = got "
    "}); }\n"
    "task got() void {\n"
    "  tc.input_queue_config.encode_input_queue(@get_int(iq), @get_int(second), true);\n"
    "  @mov32(bv, in2, .{ .async = true, .activate = end });\n"
    "}\n"
    "task end() void { out[24] = more[0]; out[25] = more[1]; out[26] = more[2]; }\n"
    "comptime {\n  @bind_local_task(end, @get_local_task_id(14));\n"
    "  @bind_local_task(get, get_id); @bind_local_task(got, got_id); @activate(get_id);\n"
    "  @block(if (wse3) @get_data_task_id(iq) else @get_data_task_id(first));\n"
    "  @initialize_queue(iq, .{ .color = first });\n"
    "  @set_local_color_config(first, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } } });\n"
    "  @set_local_color_config(second, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } },\n"
    "    .filter = .{ .kind = .{ .counter = true }, .count_data = true, .max_counter = 1, .limit1 = 17 } });\n"
    "}\n";

/* Nobody is told of these queues: the run ends all the same, and both are marked. */
static void flushed_without_handler(void **state)
{
    (void)state;
    uint32_t out[OUT];
    run_body("const tc = @import_module(\"<tile_config>\"); const seen = @get_local_task_id(30);\n"
             "const oq = @get_output_queue(2); const iq = @get_input_queue(3);\n"
             "comptime { @initialize_queue(oq, .{ .color = @get_color(1) });\n"
             "  @initialize_queue(iq, .{ .color = @get_color(2) }); @bind_local_task(see, seen); }\n"
             "task see() void { out[0] = @as(u32, tc.queue_flush.is_flushed(tc.queue_flush.oq_status(), oq));\n"
             "  out[1] = @as(u32, tc.queue_flush.is_flushed(tc.queue_flush.iq_status(), iq)); }\n",
             "@queue_flush(oq); @queue_flush(iq); @activate(seen);", true, out);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[1], 1);
}

static void flushed_queue(void **state)
{
    (void)state;
    compiled c; /* on WSE-2 the second color would find the queue in use, which is reported */
    tw__wse *w;
    uint32_t out[OUT];
    start(&w, &c, flush_program, true);
    read_out(w, &c, 1, 0, out);
    for (unsigned k = 0; k < 18; k++) assert_int_equal(out[k], 42);
    assert_int_equal(out[24], 43);
    assert_int_equal(out[25], 43);
    assert_int_equal(out[26], 0); /* the filter lets two of them pass */
    read_out(w, &c, 0, 0, out);
    assert_int_equal(out[0], 1); /* the handler ran once */
    assert_int_equal(out[1], 1);
    assert_int_equal(out[2], 1);
    assert_int_equal(out[3], 0);
    tw__wse_free(w);
    compiled_free(&c);
}

/* --- exceptions ------------------------------------------------------------------------------------------------ */

static void check_level(bool optimize, const char *mask, const char *body, const char *message)
{
    char text[1400];
    snprintf(text, sizeof text,
             "const e = @import_module(\"<tile_config>\").exceptions; export var out = @zeros([32]u32);\n"
             "var x: f32 = 0.0; var big: f32 = 3.0e38; var y: f32 = 0.0; var limit: u16 = 3; var a = [2]f32{ "
             "3.0e38, 1.0 };\n"
             "const av = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> a[i] });\n"
             "fn unmask(mask: u16, turns: u16) void { if (turns > 0) unmask(mask, turns - 1) else "
             "e.set_exception_mask(mask); }\n"
             "task main() void { e.set_exception_mask(%s); %s out[0] = 1; }\n"
             "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n",
             mask, body);
    compiled c;
    compile_with(&c, text, (tw__csl_compile_options){ .optimize = optimize });
    if (!c.image) {
        tw_diags_print(c.diags, stderr, false);
        fail_msg("does not compile");
    }
    tw__wse *w = tw__wse_new(c.image, &(tw__wse_options){ 0 }, c.diags);
    assert_non_null(w);
    bool stopped = tw__wse_run(w, 100000, NULL, NULL) != TW_OK, found = false;
    const tw_diag *d;
    for (size_t i = 0; (d = tw_diags_get(c.diags, i)); i++)
        found = found || (message && strstr(d->message, message));
    if (stopped != (message != NULL) || found != (message != NULL)) {
        tw_diags_print(c.diags, stderr, false);
        fail_msg("-O%c, mask %s: %s", optimize ? '2' : '0', mask, body);
    }
    tw__wse_free(w);
    compiled_free(&c);
}

/* The body runs to its end, or stops with the message, at both levels; `x` is 0. */
static void check_exception(const char *mask, const char *body, const char *message)
{
    check_level(false, mask, body, message);
    check_level(true, mask, body, message);
}

static void exceptions(void **state)
{
    (void)state;
    check_exception("e.FP_DIV_BY_0", "y = 42.0 / x;", "floating-point division by zero");
    check_exception("e.FP_OVERFLOW", "y = 42.0 / x;", NULL);
    check_exception("0xffff", "y = x / x; y = big * big;", NULL);
    check_exception("e.FP_INVALID", "y = x / x;", "invalid floating-point operation");
    check_exception("e.FP_OVERFLOW & e.FP_DIV_BY_0", "y = big * big;", "floating-point overflow");
    check_exception("e.FP_OVERFLOW", "@fmuls(av, av, 10.0);", "floating-point overflow");
    check_exception("e.FP_UNDERFLOW", "@fmuls(av, av, 10.0);", NULL);
    check_exception(
        "0xffff", /* what no turn changes, but for whether it stops the PE */
        "var d = x; for (@range(u16, limit)) |i| { y = 42.0 / d; e.set_exception_mask(e.FP_DIV_BY_0); }",
        "floating-point division by zero");
    check_exception("0xffff", "var d = big; for (@range(u16, limit)) |i| { y = d * d; unmask(e.FP_OVERFLOW, i); }",
                    "floating-point overflow");
    check_exception("e.FP_OVERFLOW", "var d = x; for (@range(u16, limit)) |i| { y = 42.0 / d; }", NULL);
    /* a branch that no turn takes */
    check_exception("e.FP_OVERFLOW",
                    "var d = big; for (@range(u16, limit)) |i| { if (i > 5) { y = d + d; a[1] += y; } }", NULL);
    check_exception("e.FP_INVALID",
                    "var d = big; for (@range(u16, limit)) |i| { if (i > 5) { a[1] += @as(f32, @as(i16, d)); } }",
                    NULL);
    check_exception("0xffff", /* the same quotient twice, the second time with another mask */
                    "var d = x; y = 42.0 / d; e.set_exception_mask(e.FP_DIV_BY_0); a[0] = 42.0 / d;",
                    "floating-point division by zero");
    check_exception("0xffff", "var d = x; y = 42.0 / d; unmask(e.FP_DIV_BY_0, 2); a[0] = 42.0 / d;",
                    "floating-point division by zero");
}

/* --- exported names, read by their numbers --------------------------------------------------------------------- */

static void symbols(void **state)
{
    (void)state;
    static const char top[] =
        "var A: i16 = 7; var B: i16 = 9; var C: u16 = 1; var arr = [2]f32{ 1.0, 2.0 }; var p: [*]f32 = &arr;\n"
        "fn f(x: u16) void { C = x; }\n"
        "layout { @set_rectangle(1, 1); @set_tile_code(0, 0); @export_name(\"A\", i16, true);\n"
        "  @export_name(\"B\", i16, true); @export_name(\"p\", [*]f32, true); @export_name(\"f\", fn(u16) void); "
        "}\n"
        "comptime { @export_symbol(A); @export_symbol(B); @export_symbol(p); @export_symbol(f);\n"
        "  @export(&C, .{ .name = \"other\" }); @export(f, .{ .name = \"g\" }); }\n";
    EXPECT(top,
           "var id: u16 = @get_symbol_id(B); out[0] = @bitcast(u32, @as(i32, @get_symbol_value(i16, id)));\n"
           "id = @get_symbol_id(A); out[1] = @bitcast(u32, @as(i32, @get_symbol_value(i16, id)));\n"
           "id = @get_symbol_id(p); const q = @get_tensor_ptr(id); out[2] = @as(u32, q[3]);\n"
           "out[3] = @as(u32, @get_symbol_id(f)); out[4] = @as(u32, @has_exported_tensors());",
           9, 7, 0x4000, 3, 1);
    compiled c;
    compile_with(&c, top, (tw__csl_compile_options){ 0 });
    assert_non_null(c.image);
    const tw__csl_program *program = &c.image->programs[0];
    bool found = false, named = false;
    for (size_t i = 0; i < program->symbol_count; i++) found = found || !strcmp(program->symbols[i].name, "other");
    for (size_t i = 0; i < program->function_count; i++) named = named || !strcmp(program->functions[i].name, "g");
    assert_true(found && named);
    compiled_free(&c);
}

/* --- rules of the builtins ------------------------------------------------------------------------------------- */

/* `text` gives this message first, at the column of the mark `. */
static void expect_error(const char *marked, const char *message)
{
    char text[1024];
    int line = 1, column = 1, at_line = 0, at_column = 0;
    size_t n = 0;
    for (const char *t = marked; *t; t++) {
        if (*t == '`') {
            at_line = line, at_column = column;
            continue;
        }
        text[n++] = *t;
        column = *t == '\n' ? 1 : column + 1;
        line += *t == '\n';
        if (!strncmp(t, "=== ", 4)) line = 0; /* lines of a further file begin anew */
    }
    text[n] = 0;
    compiled c;
    compile_with(&c, text, (tw__csl_compile_options){ .wse3 = true });
    const tw_diag *d = tw_diags_get(c.diags, 0);
    if (c.image || !d || !strstr(d->message, message) || d->line != at_line || d->column != at_column) {
        tw_diags_print(c.diags, stderr, false);
        fail_msg("expected '%s' at %d:%d\n%s", message, at_line, at_column, text);
    }
    compiled_free(&c);
}

static void register_rules(void **state)
{
    (void)state;
    expect_error("comptime { @set_config(`0x7d00, 1); }", "word addresses 0x7e00 to 0x7fff");
    expect_error("comptime { @set_config(`0x7f21, 1); }", "belongs to routing");
    expect_error("comptime { @set_config(`0x7f41, 1); }", "belongs to switches");
    expect_error("comptime { @set_config(`0x7ec1, 1); }", "belongs to filters");
    expect_error("comptime { const v = `@get_config(0x7e00); }", "has no value yet");
    expect_error("comptime { @set_config(`0x7e20, 1, .{ 0x7e00, 0x7e0f }); }", "outside of the range");
    expect_error("comptime { @set_config(0x7e00, 1, `.{ 0x7e0f, 0x7e00 }); }", "ends before it begins");
    expect_error("comptime { @set_config(0x7e00, 1, `.{ .{ 0x7e00, 0x7e01, 0x7e02 } }); }", ".{ first, last }");
    expect_error("comptime { `@set_config_unchecked(0x7e00, 1, .{ 0x7e00, 0x7e01 }); }", "takes");
    expect_error("const c = @get_color(2);\ncomptime { const f = `@get_filter_id(c); }", "has no filter");
    expect_error("var A: i16 = 7;\ntask t() void { const x = @get_symbol_id(`A); A = 1; }\n"
                 "comptime { @bind_local_task(t, @get_local_task_id(9)); }",
                 "is not exported");
    expect_error("var k: u16 = 0;\ntask t() void { const x = `@get_symbol_value(f32, k); k = 1; }\n"
                 "comptime { @bind_local_task(t, @get_local_task_id(9)); }",
                 "no variable of type f32 is exported");
    expect_error("comptime { const x = `@get_tensor_ptr(1); }", "works only at run time");
    expect_error("var x: u16 = 1;\ncomptime { @export(&x, `.{ .nam = \"y\" }); }", ".{ .name = \"...\" }");
    expect_error("comptime { @export(`5); }", "takes the address of a variable");
    expect_error("fn f(x: u16) void {}\ncomptime { @set_empty_queue_handler(`f, @get_input_queue(2)); }",
                 "is a function fn() void");
    expect_error("fn f() void {}\ntask t() void {}\ncomptime { @set_empty_queue_handler(f, @get_input_queue(2));\n"
                 "`@bind_local_task(t, @get_local_task_id(29)); }",
                 "id 29 belongs to the empty-queue handlers");
}

/* The clock through pointers, as programs from before version 1.2 read it: on, off, set, and what <time> sees. */
static void clock_registers(void **state)
{
    (void)state;
    uint32_t out[OUT];
    run_body(
        TOP "const t = @import_module(\"<time>\"); const words = tc.target.tsc_size_words;\n"
            "var a = @zeros([words]u16); var b = @zeros([words]u16); var x: f32 = 0.0;\n"
            "comptime { const bytes = tc.target.addresses; @comptime_assert(bytes.COLOR_CONFIG == 0xfe40 and "
            "bytes.SWITCH_CONFIG == 0xfe80 and bytes.TIMESTAMP_COUNTER == tc.addresses.TIMESTAMP_COUNTER and "
            "bytes.PERF_COUNTER_CONTROL == tc.addresses.PERF_COUNTER_CONTROL and tc.target.word_size == 2); }\n"
            "fn on(v: u16) void { @bitcast(*u16, @as(u16, tc.addresses.PERF_COUNTER_CONTROL)).* = v; }\n"
            "fn get(r: *[words]u16) void { const base = @as(u16, tc.addresses.TIMESTAMP_COUNTER);\n"
            "  for (@range(u16, words)) |i| { r.*[i] = @bitcast(*u16, base + tc.word_size * i).*; } }\n"
            "fn set(v: u16) void { const base = @as(u16, tc.addresses.TIMESTAMP_COUNTER);\n"
            "  for (@range(u16, words)) |i| { @bitcast(*u16, base + tc.word_size * i).* = v; } }\n",
        "on(7); set(0); get(&a); for (@range(u16, 100)) |i| { x += 1.0; } t.get_timestamp(&b);\n"
        "out[0] = @as(u32, b[0]) - @as(u32, a[0]); out[1] = @as(u32, a[1] | b[1] | a[2] | b[2]); on(0); get(&a);\n"
        "for (@range(u16, 100)) |i| { x += 1.0; } get(&b); out[2] = @as(u32, a[0]); out[3] = @as(u32, b[0]);\n"
        "set(9); get(&a); out[4] = @as(u32, a[0]); out[5] = @as(u32, a[1] & a[2]);\n"
        "out[6] = @as(u32, @get_config(0x7f0b)); t.enable_tsc(); out[7] = @as(u32, @get_config(0x7f0b));",
        false, out);
    assert_true(out[0] >= 100 && out[0] < 10000);
    assert_int_equal(out[1], 0);
    assert_true(out[2] > out[0] && out[3] == out[2]);
    assert_int_equal(out[4], 9);
    assert_int_equal(out[5], 9);
    assert_int_equal(out[6], 0);
    assert_int_equal(out[7], 1);
}

/* One filter, two numbers: the other PE of the same code has a filter on a lower color. */
static void filter_numbers_differ(void **state)
{
    (void)state;
    expect_error(
        "const c = @get_color(2);\n"
        "layout { @set_rectangle(2, 1); @set_tile_code(0, 0, \"pe.csl\"); @set_tile_code(1, 0, \"pe.csl\");\n"
        "  const f = .{ .kind = .{ .range = true }, .min_idx = 0, .max_idx = 1 };\n"
        "  @set_color_config(0, 0, c, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .filter = f });\n"
        "  @set_color_config(1, 0, c, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .filter = f });\n"
        "  @set_color_config(1, 0, @get_color(1), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } },\n"
        "    .filter = f });\n"
        "}\n"
        "=== pe.csl\ncomptime {\n  const n = `@get_filter_id(@get_color(2));\n}\n",
        "different numbers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes),
        cmocka_unit_test(switches),
        cmocka_unit_test(filters),
        cmocka_unit_test(queues_and_priorities),
        cmocka_unit_test(flushed_queue),
        cmocka_unit_test(flushed_without_handler),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(symbols),
        cmocka_unit_test(register_rules),
        cmocka_unit_test(clock_registers),
        cmocka_unit_test(filter_numbers_differ),
    };
    return cmocka_run_group_tests_name("csl_tile_config", tests, NULL, NULL);
}
