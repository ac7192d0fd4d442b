/* SPDX-License-Identifier: MIT */
/* <tilewright/csl/wse.h>: what it refuses and with which status; figures of small runs against hand-made ones; random
 * orders of tasks. Programs are written to a folder of the test's own. */
#include "csl/wse/host/host.h"
#include "core/profile/profile.h"

#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A layout of one row of PEs; pe.csl gets x and the host's parameters. */
#define LAYOUT(width, rest)                                                                            \
    "const memcpy = @import_module(\"<memcpy/get_params>\", .{ .width = " #width ", .height = 1 });\n" \
    "layout { @set_rectangle(" #width ", 1); for (@range(u16, " #width                                 \
    ")) |x| { @set_tile_code(x, 0, \"pe.csl\", "                                                       \
    ".{ .params = memcpy.get_params(x), .x = x }); }\n" rest "}\n"
#define PE                                           \
    "param params: comptime_struct; param x: u16;\n" \
    "const sys = @import_module(\"<memcpy/memcpy>\", params);\n"

static tw_csl_program *compiled(const char *layout, const char *pe, bool wse3)
{
    char *folder = g_dir_make_tmp("tilewright-api-XXXXXX", NULL);
    assert_non_null(folder);
    char *top = g_build_filename(folder, "layout.csl", NULL), *code = g_build_filename(folder, "pe.csl", NULL);
    assert_true(g_file_set_contents(top, layout, -1, NULL) && g_file_set_contents(code, pe, -1, NULL));
    tw_diags *diags = tw_diags_new();
    tw_csl_options options = { .size = sizeof options, .arch = wse3 ? TW_WSE3 : TW_WSE2 };
    tw_csl_program *program = tw_csl_compile(top, &options, diags);
    if (!program) {
        tw_diags_print(diags, stderr, false);
        fail_msg("%s\n%s", layout, pe);
    }
    tw_diags_free(diags);
    g_remove(top), g_remove(code), g_rmdir(folder);
    g_free(top), g_free(code), g_free(folder);
    return program;
}

/* Silent: reports go to a file nobody reads. */
static tw_wse *started(const tw_csl_program *program, tw_wse_options options)
{
    static FILE *nowhere;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    options.reports = nowhere;
    tw_wse *w;
    assert_int_equal(tw_status_of(w = tw_wse_new(program, &options)), TW_OK);
    return w;
}

#define EXPECT(call, status, phrase)                                                                   \
    do {                                                                                               \
        tw_status got_ = (call);                                                                       \
        if (got_ != (status) || !strstr(tw_error_message(), phrase))                                   \
            fail_msg("%s: %s (%s), expected %s (%s)", #call, tw_status_name(got_), tw_error_message(), \
                     tw_status_name(status), phrase);                                                  \
    } while (0)

static const char exports[] =
    LAYOUT(2, "@export_name(\"data\", [*]u32, true); @export_name(\"fixed\", [*]u32, false); "
              "@export_name(\"half\", fn (i16) void); @export_name(\"nowhere\", fn () void); "
              "@export_name(\"hang\", fn () void); @export_name(\"forget\", fn () void); "
              "@export_name(\"wrong\", fn () void); @export_name(\"forever\", fn () void);");
static const char exporter[] =
    PE "var data = @zeros([4]u32); var p: [*]u32 = &data; var fixed = [2]u32{ 5, 6 }; const q: [*]u32 = &fixed;\n"
       "const from = @get_dsd(fabin_dsd, .{ .extent = 1, .fabric_color = @get_color(4), .input_queue = "
       "@get_input_queue(2) });\n"
       "var spin: u32 = 0;\n"
       "fn half(n: i16) void { data[0] = @bitcast(u32, @as(i32, n)); sys.unblock_cmd_stream(); }\n"
       "fn hang() void { var v: u32 = 0; @mov32(&v, from); data[1] = v; sys.unblock_cmd_stream(); }\n"
       "fn forget() void { data[2] += 1; }\n"
       "fn wrong() void { @assert(data[3] == 1); sys.unblock_cmd_stream(); }\n"
       "fn forever() void { while (true) { spin += 1; } }\n"
       "comptime { @export_symbol(p, \"data\"); @export_symbol(q, \"fixed\"); @export_symbol(half); "
       "@export_symbol(hang); "
       "@export_symbol(forget); @export_symbol(wrong); @export_symbol(forever); }\n";

static void refused_copies(void **state)
{
    (void)state;
    tw_csl_program *program = compiled(exports, exporter, false);
    tw_wse *w = started(program, (tw_wse_options){ .size = sizeof(tw_wse_options) });
    int data = tw_csl_find_export(program, "data"), fixed = tw_csl_find_export(program, "fixed"),
        half = tw_csl_find_export(program, "half");
    assert_int_equal(tw_csl_find_export(program, "none"), -1);
    uint32_t words[64] = { 7, 8 };
    tw_wse_copy good = { .symbol = data, .width = 2, .height = 1, .elements = 4 }, c;
    assert_int_equal(tw_wse_h2d(w, &good, words, 8, NULL), TW_OK);
    static const struct {
        unsigned x, y, width, height;
    } outside[] = { { 1, 0, 2, 1 }, { 0, 1, 1, 1 }, { 3, 0, 0, 1 }, { 0, 0, 3, 1 }, { 0, 0, UINT32_MAX, 1 } };
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        c = good;
        c.x = outside[i].x, c.y = outside[i].y, c.width = outside[i].width, c.height = outside[i].height;
        EXPECT(tw_wse_h2d(w, &c, words, 8, NULL), TW_E_INVALID_ARGUMENT, "not inside the rectangle");
        EXPECT(tw_wse_d2h(w, &c, words, 8, NULL), TW_E_INVALID_ARGUMENT, "not inside the rectangle");
    }
    EXPECT(tw_wse_h2d(w, &good, words, 7, NULL), TW_E_INVALID_ARGUMENT, "moves 8 words, the array has 7");
    EXPECT(tw_wse_d2h(w, &good, words, 9, NULL), TW_E_INVALID_ARGUMENT, "moves 8 words, the array has 9");
    c = good, c.symbol = -1;
    EXPECT(tw_wse_h2d(w, &c, words, 8, NULL), TW_E_INVALID_ARGUMENT, "no exported symbol -1");
    c.symbol = 99;
    EXPECT(tw_wse_d2h(w, &c, words, 8, NULL), TW_E_INVALID_ARGUMENT, "no exported symbol 99");
    c.symbol = half;
    EXPECT(tw_wse_d2h(w, &c, words, 8, NULL), TW_E_INVALID_ARGUMENT, "'half' is a function");
    c.symbol = fixed, c.elements = 2;
    EXPECT(tw_wse_h2d(w, &c, words, 4, NULL), TW_E_INVALID_ARGUMENT, "'fixed' is exported as not mutable");
    assert_int_equal(tw_wse_d2h(w, &c, words, 4, NULL), TW_OK);
    assert_int_equal(words[3], 6);
    c = good, c.spread = TW_WSE_ROWS;
    EXPECT(tw_wse_d2h(w, &c, words, 4, NULL), TW_E_INVALID_ARGUMENT, "only copies to the device");
    c = good, c.row_stride = 2;
    EXPECT(tw_wse_d2h(w, &c, words, 4, NULL), TW_E_INVALID_ARGUMENT, "only copies to the device");
    c = good, c.streaming = true, c.symbol = 24;
    EXPECT(tw_wse_h2d(w, &c, words, 8, NULL), TW_E_INVALID_ARGUMENT, "a stream needs a color, 0 to 23, not 24");
    tw_wse_free(w);
    tw_csl_program_free(program);
}

static void refused_sizes(void **state)
{
    (void)state;
    tw_csl_program *program = compiled(exports, exporter, false);
    uint32_t *words = calloc(20000, sizeof *words);
    assert_non_null(words);
    tw_wse_copy c = { .symbol = tw_csl_find_export(program, "data"), .width = 1, .height = 1, .elements = 5 };
    for (unsigned check = TW_WSE_REPORT; check <= TW_WSE_OFF; check++) /* an element behind the array */
        for (unsigned write = 0; write < 2; write++) {
            tw_wse *w =
                started(program, (tw_wse_options){ .size = sizeof(tw_wse_options), .check = (tw_wse_check)check });
            EXPECT(write ? tw_wse_h2d(w, &c, words, 5, NULL) : tw_wse_d2h(w, &c, words, 5, NULL), TW_E_INDEX,
                   "do not fit where 'data' points: 16 bytes");
            tw_wse_free(w);
        }
    c.elements = 12300; /* more than 48 KB */
    tw_wse *w = started(program, (tw_wse_options){ .size = sizeof(tw_wse_options) });
    EXPECT(tw_wse_h2d(w, &c, words, 12300, NULL), TW_E_INDEX, "do not fit where 'data' points");
    c.elements = 1; /* and what failed once stays so */
    assert_int_equal(tw_wse_d2h(w, &c, words, 1, NULL), TW_E_INDEX);
    tw_wse_free(w);
    free(words);
    tw_csl_program_free(program);
}

static void refused_launches(void **state)
{
    (void)state;
    tw_csl_program *program = compiled(exports, exporter, false);
    tw_wse *w = started(program, (tw_wse_options){ .size = sizeof(tw_wse_options) });
    uint32_t arg = 0xfffe; /* -2 as the low half of a word */
    EXPECT(tw_wse_launch(w, "none", NULL, 0, NULL), TW_E_SYMBOL, "none");
    EXPECT(tw_wse_launch(w, "data", NULL, 0, NULL), TW_E_INVALID_ARGUMENT, "'data' is no function");
    EXPECT(tw_wse_launch(w, "half", NULL, 0, NULL), TW_E_INVALID_ARGUMENT, "'half' takes 1 argument, not 0");
    assert_int_equal(tw_wse_launch(w, "half", &arg, 1, NULL), TW_OK);
    uint32_t got = 0;
    tw_wse_copy c = { .symbol = tw_csl_find_export(program, "data"), .width = 1, .height = 1, .elements = 1 };
    assert_int_equal(tw_wse_d2h(w, &c, &got, 1, NULL), TW_OK);
    assert_int_equal((int32_t)got, -2); /* sign-extended */
    EXPECT(tw_wse_launch(w, "nowhere", NULL, 0, NULL), TW_E_SYMBOL, "never given to @export_symbol");
    tw_wse_free(w);
    static const struct {
        const char *function;
        tw_status status;
        const char *phrase;
    } rows[] = { { "hang", TW_E_SYSTEM, "deadlock" },
                 { "forget", TW_E_SYSTEM, "deadlock" }, /* the second launch waits for the command stream */
                 { "wrong", TW_E_APPLICATION, "assertion failed" },
                 { "forever", TW_E_OVERFLOW, "cycle" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        w = started(program, (tw_wse_options){ .size = sizeof(tw_wse_options), .max_cycles = 20000 });
        tw_status status = tw_wse_launch(w, rows[i].function, NULL, 0, NULL);
        if (status == TW_OK) status = tw_wse_launch(w, rows[i].function, NULL, 0, NULL);
        EXPECT(status, rows[i].status, rows[i].phrase);
        assert_int_equal(tw_wse_launch(w, "half", &arg, 1, NULL), rows[i].status); /* stays so */
        tw_wse_free(w);
    }
    tw_csl_program_free(program);
}

static void refused_ports_and_memory(void **state)
{
    (void)state;
    tw_csl_program *program = compiled(exports, exporter, false);
    tw_wse *w = started(program, (tw_wse_options){ .size = sizeof(tw_wse_options) });
    uint32_t word = 1;
    tw_wse_port port = { .x = 2, .color = 4, .side = TW_WSE_WEST };
    EXPECT(tw_wse_send(w, &port, &word, 1, NULL), TW_E_INDEX, "outside the rectangle");
    EXPECT(tw_wse_open_output(w, &port), TW_E_INDEX, "outside the rectangle");
    port.x = 0, port.color = 24;
    EXPECT(tw_wse_receive(w, &port, &word, 1, NULL), TW_E_INVALID_ARGUMENT, "a port needs a color, 0 to 23");
    port.color = 23, port.side = (tw_wse_side)5;
    EXPECT(tw_wse_open_output(w, &port), TW_E_INVALID_ARGUMENT, "and a side");
    EXPECT(tw_wse_wait(w, 0), TW_E_INVALID_ARGUMENT, "no such command");
    EXPECT(tw_wse_wait(w, 1), TW_E_INVALID_ARGUMENT, "no such command");
    assert_false(tw_wse_is_done(w, 0));
    assert_false(tw_wse_is_done(w, 1));
    char bytes[16];
    size_t size = sizeof bytes;
    EXPECT(tw_wse_read_symbol(w, 0, 0, "none", bytes, &size), TW_E_SYMBOL, "no variable 'none'");
    EXPECT(tw_wse_read_symbol(w, 0, 1, "data", bytes, &size), TW_E_INDEX, "outside the program's rectangle");
    size = 3;
    assert_int_equal(tw_wse_read_symbol(w, 1, 0, "data", bytes, &size), TW_OK);
    assert_int_equal(size, 16);
    EXPECT(tw_wse_write_symbol(w, 0, 0, "data", bytes, 17), TW_E_INVALID_ARGUMENT, "has 16 bytes, 17 were given");
    assert_int_equal(tw_wse_write_symbol(w, 0, 0, "data", bytes, 16), TW_OK);
    assert_int_equal(tw_wse_read(w, 0, 0, 49152, bytes, 0), TW_OK);
    assert_int_equal(tw_wse_read(w, 0, 0, 49136, bytes, 16), TW_OK);
    EXPECT(tw_wse_read(w, 0, 0, 49137, bytes, 16), TW_E_INDEX, "outside a PE's memory of 49152 bytes");
    EXPECT(tw_wse_write(w, 0, 0, 49153, bytes, 0), TW_E_INDEX, "outside a PE's memory");
    assert_null(tw_wse_symbol_name(w, 2, 0, 0));
    assert_null(tw_wse_symbol_name(w, 0, 0, 1000));
    assert_non_null(tw_wse_symbol_name(w, 0, 0, 0));
    assert_null(tw_wse_profile(w));
    EXPECT(tw_wse_write_profile(w, "/nowhere/profile.json"), TW_E_PROFILING_DISABLED, "options.profile");
    EXPECT(tw_wse_write_trace(w, stderr), TW_E_MISSING_PROFILE, "options.trace");
    tw_wse_task task;
    tw_wse_copy c = { .symbol = tw_csl_find_export(program, "data"), .width = 1, .height = 1, .elements = 1 };
    assert_int_equal(tw_wse_d2h(w, &c, &word, 1, &task), TW_OK);
    assert_int_equal(tw_wse_wait(w, task), TW_OK);
    assert_true(tw_wse_is_done(w, task));
    assert_int_equal(tw_wse_stop(w), TW_OK);
    assert_int_equal(tw_wse_stop(w), TW_OK);
    EXPECT(tw_wse_d2h(w, &c, &word, 1, NULL), TW_E_INVALID_ARGUMENT, "stopped: no more commands");
    EXPECT(tw_wse_launch(w, "forget", NULL, 0, NULL), TW_E_INVALID_ARGUMENT, "stopped: no more commands");
    tw_wse_free(w);
    w = started(program, (tw_wse_options){ .size = sizeof(tw_wse_options), .profile = true, .trace = true });
    assert_int_equal(tw_wse_stop(w), TW_OK);
    FILE *full = fopen("/dev/full", "w"); /* a failed write is an error */
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        assert_int_equal(tw_wse_write_trace(w, full), TW_E_IO);
        fclose(full);
        assert_int_equal(tw_wse_write_profile(w, "/dev/full"), TW_E_IO);
    }
    assert_int_equal(tw_wse_write_profile(w, "/nowhere/profile.json"), TW_E_IO);
    tw_wse_free(w);
    tw_wse_free(NULL);
    tw_csl_program_free(program);
}

/* PEs that wait for the same share a line of the report, so that the others are seen. */
static void report_of_many(void **state)
{
    (void)state;
    tw_csl_program *program =
        compiled(LAYOUT(40, "@export_name(\"hang\", fn () void);"),
                 PE "var v: u32 = 0; const from = @get_dsd(fabin_dsd, .{ .extent = 1, .fabric_color = "
                    "@get_color(4), .input_queue = "
                    "@get_input_queue(2) });\nfn hang() void {\n if (x == 39)\n  return;\n @mov32(&v, from);\n"
                    " sys.unblock_cmd_stream(); }\ncomptime { @export_symbol(hang); }\n",
                 false);
    FILE *reports = tmpfile();
    assert_non_null(reports);
    tw_wse_options options = { .size = sizeof options, .reports = reports };
    tw_wse *w;
    assert_int_equal(tw_status_of(w = tw_wse_new(program, &options)), TW_OK);
    EXPECT(tw_wse_launch(w, "hang", NULL, 0, NULL), TW_E_SYSTEM, "deadlock");
    char text[4096] = "";
    rewind(reports);
    text[fread(text, 1, sizeof text - 1, reports)] = 0;
    fclose(reports);
    assert_non_null(strstr(text, "PE 0,0 and 38 more: @mov32 at "));
    assert_non_null(strstr(text, "pe.csl:7 waits for wavelets on color 4 (input queue 2); 0 of 1 elements done"));
    assert_non_null(strstr(text, "PE 0,0 and 38 more: the host's command has not returned"));
    assert_non_null(strstr(text, "PE 39,0: the host's command has not unblocked the command stream"));
    options.reports = NULL; /* tw_wse_free() says nothing */
    tw_wse_free(w);
    tw_csl_program_free(program);
}

/* --- figures ---------------------------------------------------------------------------------------------------- */

static const tw__type_cycles *kernel(const tw_profile *p, const char *name)
{
    for (size_t i = 0; i < p->type_cycles.count; i++)
        if (!strcmp(p->names.items[p->types.items[p->type_cycles.items[i].vertex_type].name], name))
            return &p->type_cycles.items[i];
    fail_msg("nothing of '%s'", name);
    return NULL;
}

/* 100 elements of 32 bits from memory to memory: 2 a cycle on WSE-2, 4 on WSE-3 (fact sheet 6). */
static void cycles_of_an_operation(void **state)
{
    (void)state;
    for (unsigned wse3 = 0; wse3 < 2; wse3++) {
        tw_csl_program *program = compiled(
            LAYOUT(1, ""),
            PE "var a = @zeros([100]u32); var b = @zeros([100]u32);\n"
               "const from = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{100} -> a[i] });\n"
               "const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{100} -> b[i] });\n"
               "task main() void { @mov32(to, from); }\n"
               "comptime { @bind_local_task(main, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n",
            wse3);
        tw_wse *w = started(program, (tw_wse_options){ .size = sizeof(tw_wse_options), .profile = true });
        assert_int_equal(tw_wse_stop(w), TW_OK);
        const tw_profile *p = tw_wse_profile(w);
        const tw__type_cycles *mov = kernel(p, "@mov32"), *task = kernel(p, "task main");
        assert_int_equal(mov->cycles, wse3 ? 25 : 50);
        assert_int_equal(mov->instances, 1);
        assert_int_equal(task->instances, 1);
        assert_in_range(task->cycles - mov->cycles, 6, 25); /* set-up, a few instructions, end of the task */
        assert_true(tw_wse_cycle(w) >= task->cycles);
        tw_wse_free(w);
        tw_csl_program_free(program);
    }
}

static uint64_t sent(const tw_profile *p, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < p->pairs.count; i++)
        if (p->pairs.items[i].from == from && p->pairs.items[i].to == to) return p->pairs.items[i].bytes;
    return 0;
}

/* Ten wavelets of four bytes over three hops: forty bytes on each of the three links, none on any other. The second
 * PE takes them too, which is no link between PEs. */
static void load_of_links(void **state)
{
    (void)state;
    tw_csl_program *program = compiled(
        LAYOUT(
            5,
            "for (@range(u16, 4)) |x| { @set_color_config(x, 0, @get_color(5), .{ .routes = .{ .rx = if (x == 0) "
            ".{ RAMP } "
            "else .{ WEST }, .tx = if (x == 1) .{ RAMP, EAST } else if (x == 3) .{ RAMP } else .{ EAST } } }); }"),
        PE "var a = @zeros([10]u32);\n"
           "const mem = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} -> a[i] });\n"
           "const to = @get_dsd(fabout_dsd, .{ .extent = 10, .fabric_color = @get_color(5), .output_queue = "
           "@get_output_queue(2) });\n"
           "const from = @get_dsd(fabin_dsd, .{ .extent = 10, .fabric_color = @get_color(5), .input_queue = "
           "@get_input_queue(2) });\n"
           "task main() void { if (x == 0) @mov32(to, mem); if (x == 1 or x == 3) @mov32(mem, from); }\n"
           "comptime { @bind_local_task(main, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n",
        false);
    tw_wse *w = started(program, (tw_wse_options){ .size = sizeof(tw_wse_options), .profile = true });
    assert_int_equal(tw_wse_stop(w), TW_OK);
    const tw_profile *p = tw_wse_profile(w);
    assert_non_null(p);
    for (uint32_t from = 0; from < 5; from++)
        for (uint32_t to = 0; to < 5; to++)
            assert_int_equal(sent(p, from, to), from < 3 && to == from + 1 ? 40 : 0);
    assert_int_equal(kernel(p, "@mov32")->instances, 3);
    tw_wse_free(w);
    tw_csl_program_free(program);
}

/* --- order of tasks --------------------------------------------------------------------------------------------- */

enum { READY = 6 };

/* The order in which tasks 10 to 15 ran, all of them ready at once. */
static void order(const tw_csl_program *program, uint64_t seed, uint16_t ran[READY])
{
    tw_wse *w = started(program, (tw_wse_options){ .size = sizeof(tw_wse_options), .task_order_seed = seed });
    assert_int_equal(tw_wse_stop(w), TW_OK);
    size_t size = READY * sizeof *ran;
    assert_int_equal(tw_wse_read_symbol(w, 0, 0, "ran", ran, &size), TW_OK);
    unsigned seen = 0;
    for (unsigned i = 0; i < READY; i++) seen |= 1u << ran[i];
    assert_int_equal(seen, 63u << 10); /* each of them once */
    tw_wse_free(w);
}

/* Without a seed in turns by id; with one in an order that only the seed decides. */
static void orders_by_seed(void **state)
{
    (void)state;
    tw_csl_program *program = compiled(
        LAYOUT(1, ""),
        PE "export var ran = @zeros([6]u16); var n: u16 = 0; fn note(id: u16) void { ran[n] = id; n += 1; }\n"
           "task a() void { note(10); } task b() void { note(11); } task c() void { note(12); } "
           "task d() void { note(13); } task e() void { note(14); } task f() void { note(15); }\n"
           "comptime { @bind_local_task(a, @get_local_task_id(10)); @bind_local_task(b, @get_local_task_id(11)); "
           "@bind_local_task(c, @get_local_task_id(12)); @bind_local_task(d, @get_local_task_id(13)); "
           "@bind_local_task(e, @get_local_task_id(14)); @bind_local_task(f, @get_local_task_id(15));\n"
           "for (@range(u16, 10, 16, 1)) |id| { @activate(@get_local_task_id(id)); } }\n",
        true);
    uint16_t by_id[READY], one[READY], again[READY], other[READY];
    order(program, 0, by_id);
    for (unsigned i = 0; i < READY; i++) assert_int_equal(by_id[i], 10 + i);
    unsigned different = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        order(program, seed, one);
        order(program, seed, again);
        assert_memory_equal(one, again, sizeof one);
        order(program, seed + 1000, other);
        different += memcmp(one, other, sizeof one) != 0;
    }
    assert_true(different >= 15); /* two draws of 720 orders */
    tw_csl_program_free(program);
}

/* Cycles of the task `main`, which runs once. */
static uint64_t task_cycles(const char *body, bool wse3)
{
    char pe[4096];
    snprintf(pe, sizeof pe,
             PE "export var a: u16 = 1; export var b: u16 = 2; export var c: u16 = 3;\n"
                "export var p: f32 = 1.0; export var q: f32 = 2.0; export var z: i32 = 3;\n"
                "const print = @import_module(\"<simprint>\"); var h = @zeros([128]u16);\n"
                "var u align(32) = @zeros([64]f32); var v align(32) = @zeros([64]f32);\n"
                "var w align(32) = @zeros([72]f32);\n"
                "const odd_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{64} -> w[i + 1] });\n"
                "const s_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> w[i] });\n"
                "const u_dsd = @get_dsd(mem1d_dsd, .{ .base_address = &u, .extent = 64 });\n"
                "const v_dsd = @get_dsd(mem1d_dsd, .{ .base_address = &v, .extent = 64 });\n"
                "const w_dsd = @get_dsd(mem1d_dsd, .{ .base_address = &w, .extent = 64 });\n"
                "task main() void { %s }\n"
                "comptime { @bind_local_task(main, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n",
             body);
    tw_csl_program *program = compiled(LAYOUT(1, ""), pe, wse3);
    tw_wse *w = started(program, (tw_wse_options){ .size = sizeof(tw_wse_options), .profile = true });
    assert_int_equal(tw_wse_stop(w), TW_OK);
    uint64_t cycles = kernel(tw_wse_profile(w), "task main")->cycles;
    tw_wse_free(w);
    tw_csl_program_free(program);
    return cycles;
}

/* Figures of the published measurements that docs/wse.md restates: load, load, operation, store are an issue each; a
 * condition is waited for; an operation on memory is dispatched 3 cycles after the last of its descriptors is loaded,
 * each of which takes one, and then takes as many elements a cycle as the tables say. An empty task takes 6 cycles of
 * start and end. */
static void cycles_by_hand(void **state)
{
    (void)state;
    for (unsigned wse3 = 0; wse3 < 2; wse3++) {
        uint64_t empty = task_cycles("", wse3);
        assert_int_equal(empty, 3 + 3);
        assert_int_equal(task_cycles("c = a + b;", wse3) - empty, 4);
        /* what is in a register is not loaded again */
        assert_int_equal(task_cycles("c = a + b; b = c - a; a = b * c;", wse3) - empty, 2 + 3 * 2);
        assert_int_equal(task_cycles("c = a / b;", wse3) - empty, 3 + 16);
        assert_int_equal(task_cycles("c = a / 8;", wse3) - empty, 3);
        assert_int_equal(task_cycles("c = a / 7;", wse3) - empty, 2 + 5);
        assert_int_equal(task_cycles("c = a % 7;", wse3) - empty, 2 + 7);
        /* 32 bits are two words; a sum of floats is there in the cycle after the next */
        assert_int_equal(task_cycles("z += 1;", wse3) - empty, 2 + 2 + 2);
        assert_int_equal(task_cycles("p = p + q;", wse3) - empty, 2 + 2 + 1 + 1 + 2);
        assert_int_equal(task_cycles("p = p * q + q;", wse3) - empty, 2 + 2 + 1 + 1 + 1 + 1 + 2);
        assert_int_equal(task_cycles("p = p / q;", wse3) - empty, 2 + 2 + 50 + 2);
        /* load, compare and branch: past the store, or through it */
        assert_int_equal(task_cycles("if (a == 7) { c = 5; }", wse3) - empty, 1 + 5 + 3);
        assert_int_equal(task_cycles("if (a == 1) { c = 5; }", wse3) - empty, 1 + 5 + 1);
        /* load, constant, compare, a move of one word that waits 3, store */
        assert_int_equal(task_cycles("var k: u16 = 4; if (a < b) { k = 5; } c = k;", wse3) - empty,
                         2 + 1 + (1 + 3) + 1);
        /* a loop: add, compare, branch taken 9, not taken 6, the store and its address besides */
        assert_int_equal(task_cycles("for (@range(u16, 128)) |i| { h[i] = i; }", wse3) - empty,
                         128 * (1 + 2) + 127 * 9 + 6);
        /* written out: a store each */
        assert_int_equal(task_cycles("for (@range(u16, 16)) |i| { h[i] = i; }", wse3) - empty, 16);
        /* three descriptors, or two when one is both; two elements of @fadds a cycle on WSE-2, four on WSE-3 */
        assert_int_equal(task_cycles("@fadds(u_dsd, v_dsd, w_dsd);", wse3) - empty, 3 + 3 + (wse3 ? 16 : 32));
        assert_int_equal(task_cycles("@fadds(u_dsd, u_dsd, w_dsd);", wse3) - empty, 2 + 3 + (wse3 ? 16 : 32));
        /* one that is changed: copied, changed, loaded */
        assert_int_equal(
            task_cycles("@fadds(@set_dsd_length(u_dsd, a + 7), @set_dsd_length(v_dsd, a + 7), w_dsd);", wse3) -
                empty,
            2 + 2 * (3 + (wse3 ? 5 : 6)) + 3 + 3 + (wse3 ? 2 : 4));
        /* a sum into a scalar: two cycles each */
        assert_int_equal(task_cycles("@fadds(&p, p, w_dsd);", wse3) - empty, 2 + 1 + 3 + 2 * 64);
        /* products: one a cycle, and one more where both sources lie in the same of four banks of words */
        assert_int_equal(task_cycles("@fmuls(u_dsd, v_dsd, odd_dsd);", wse3) - empty, 3 + 3 + 64);
        assert_int_equal(task_cycles("@fmuls(u_dsd, v_dsd, w_dsd);", wse3) - empty, 3 + 3 + 2 * 64);
        assert_int_equal(task_cycles("@fmacs(u_dsd, v_dsd, odd_dsd, 2.0);", wse3) - empty, 3 + 3 + 64);
        /* by stride: full speed, but two elements a cycle for 7, one for multiples of 8 */
        static const struct {
            int stride;
            unsigned most;
        } rows[] = { { 0, 4 }, { 1, 4 }, { 2, 4 }, { 3, 4 }, { 5, 4 }, { 6, 4 }, { 7, 2 }, { 8, 1 } };
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char text[256];
            snprintf(text, sizeof text, "@fadds(s_dsd, @set_dsd_stride(s_dsd, %d), s_dsd);", rows[i].stride);
            unsigned each = wse3 || rows[i].most < 2 ? rows[i].most : 2;
            assert_int_equal(task_cycles(text, wse3) - empty, (rows[i].stride == 1 ? 1 : 2) + 3 + 8 / each);
        }
    }
}

/* Lines cost what the host's work costs, whatever is in them, and carry the cycle of the call. */
static void cycles_of_printing(void **state)
{
    (void)state;
    for (unsigned wse3 = 0; wse3 < 2; wse3++) {
        uint64_t empty = task_cycles("", wse3);
        assert_int_equal(task_cycles("print.print_string(\"a\\n\");", wse3) - empty, 180);
        assert_int_equal(task_cycles("print.fmt(\"{d} and {d}: {f}\\n\", .{ 30000, 12, p });", wse3) - empty,
                         2 * 180 + 2);
        assert_int_equal(task_cycles("print.fmt_no_nl(\"{d}\", .{ 7 });", wse3) - empty, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_of_many),
        cmocka_unit_test(refused_copies),
        cmocka_unit_test(refused_sizes),
        cmocka_unit_test(refused_launches),
        cmocka_unit_test(refused_ports_and_memory),
        cmocka_unit_test(cycles_of_an_operation),
        cmocka_unit_test(cycles_by_hand),
        cmocka_unit_test(cycles_of_printing),
        cmocka_unit_test(load_of_links),
        cmocka_unit_test(orders_by_seed),
    };
    return cmocka_run_group_tests_name("csl_api", tests, NULL, NULL);
}
