/* SPDX-License-Identifier: MIT */
/* A program for two PEs and a host that plays with it, for what saves and resumes them. */
#ifndef TW_TEST_CHECKPOINT_HOST_H
#define TW_TEST_CHECKPOINT_HOST_H

#include <tilewright/csl/wse.h>

#include <glib/gstdio.h>
#include <string.h>

/* Two PEs: the host copies, streams, launches; wavelets, a microthread, @map
 * and its callback, prints, locals with addresses are under way in between. */
static const char layout[] = "const memcpy = @import_module(\"<memcpy/get_params>\", .{ .width = 2, "
                             ".height = 1 });\n"
                             "layout { @set_rectangle(2, 1);\n"
                             "  for (@range(u16, 2)) |x| {\n"
                             "    @set_tile_code(x, 0, \"pe.csl\", .{ .params = memcpy.get_params(x), "
                             ".x = x }); }\n"
                             "  const c = @get_color(5);\n"
                             "  @set_color_config(0, 0, c, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} "
                             "} });\n"
                             "  @set_color_config(1, 0, c, .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} "
                             "} });\n"
                             "  @export_name(\"data\", [*]u32, true); @export_name(\"work\", fn (u32) "
                             "void); }\n";
static const char code[] = "param params: comptime_struct; param x: u16;\n"
                           "const sys = @import_module(\"<memcpy/memcpy>\", params);\n"
                           "const print = @import_module(\"<simprint>\");\n"
                           "var data = @zeros([16]u32); var p: [*]u32 = &data; var got = "
                           "@zeros([16]u32); var rounds: u32 = 0;\n"
                           "export var total: u32 = 0; export var streamed: u32 = 0;\n"
                           "const mem = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{16} -> data[i] "
                           "});\n"
                           "const into = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{16} -> got[i] "
                           "});\n"
                           "const to = @get_dsd(fabout_dsd, .{ .extent = 16, .fabric_color = "
                           "@get_color(5), .output_queue = "
                           "@get_output_queue(2) });\n"
                           "const from = @get_dsd(fabin_dsd, .{ .extent = 16, .fabric_color = "
                           "@get_color(5), .input_queue = "
                           "@get_input_queue(3) });\n"
                           "const host = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = "
                           "@get_color(7), .output_queue = "
                           "@get_output_queue(3) });\n"
                           "fn add(v: u32, by: *u32) u32 { by.* += 1; return v + by.*; }\n"
                           "fn bump(v: u32) u32 { var n: u32 = 2; return add(v, &n); }\n"
                           "fn work(n: u32) void { rounds += n;\n"
                           "  if (x == 0) { @mov32(to, mem, .{ .async = true, .activate = finished "
                           "}); }\n"
                           "  else { @mov32(into, from, .{ .async = true, .activate = summed }); } }\n"
                           "task finished() void { @mov32(host, rounds); sys.unblock_cmd_stream(); }\n"
                           "task summed() void { @map(bump, into, into); for (got) |v| { total += v; "
                           "}\n"
                           "  print.print_string(\"round\"); print.print_u32_decimal(rounds); "
                           "sys.unblock_cmd_stream(); }\n"
                           "task take(v: u32) void { streamed = streamed * 3 + v; }\n"
                           "comptime { @export_symbol(p, \"data\"); @export_symbol(work);\n"
                           "  @bind_data_task(take, @get_data_task_id(@get_color(6)));\n"
                           "  @bind_local_task(finished, @get_local_task_id(10)); "
                           "@bind_local_task(summed, @get_local_task_id(11)); }\n";

/* Compiled from files: `text` of a PE, by the layout above. NULL: it has errors, which are printed. */
static tw_csl_program *checkpoint_program(const char *text)
{
    char *folder = g_dir_make_tmp("tilewright-ck-XXXXXX", NULL);
    char *top = g_build_filename(folder, "layout.csl", NULL), *pe = g_build_filename(folder, "pe.csl", NULL);
    tw_diags *diags = tw_diags_new();
    tw_csl_options options = { .size = sizeof options,
                               .arch = strstr(text, "message_passing") ? TW_WSE3 : TW_WSE2 };
    bool written = g_file_set_contents(top, layout, -1, NULL) && g_file_set_contents(pe, text, -1, NULL);
    tw_csl_program *program = written ? tw_csl_compile(top, &options, diags) : NULL;
    if (!program) tw_diags_print(diags, stderr, false);
    tw_diags_free(diags);
    g_remove(top), g_remove(pe), g_rmdir(folder);
    g_free(top), g_free(pe), g_free(folder);
    return program;
}

/* What a host gets to know. */
enum { WORDS = 32, PE_BYTES = 48 << 10 };
typedef struct told {
    uint32_t data[WORDS], received[3], total, streamed;
    bool done[2];
    uint64_t cycle[4];
    uint8_t memory[2][PE_BYTES];
} told;

/* A host; with `other` it gives another word. The first failure ends it. */
static tw_status play(tw_wse *w, told *t, uint32_t other)
{
    tw_wse_copy all = { .width = 2, .height = 1, .elements = WORDS / 2 };
    tw_wse_port in = { .color = 6, .side = TW_WSE_RAMP }, out = { .color = 7, .side = TW_WSE_RAMP };
    uint32_t words[WORDS], stream[] = { 1, 2, 3, 4, 5 };
    tw_wse_task first, second, sent;
    tw_status s;
    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < WORDS; i++) words[i] = 100 + 7 * i;
    words[3] += other;
    size_t size = sizeof t->total;
    if ((s = tw_wse_open_output(w, &out)) || (s = tw_wse_h2d(w, &all, words, WORDS, NULL)) ||
        (s = tw_wse_launch(w, "work", &(uint32_t){ 1 }, 1, &first)) ||
        (s = tw_wse_send(w, &in, stream, 5, &sent)) ||
        (s = tw_wse_launch(w, "work", &(uint32_t){ 2 }, 1, &second)) || (s = tw_wse_wait(w, first)))
        return s;
    t->done[0] = tw_wse_is_done(w, sent), t->done[1] = tw_wse_is_done(w, second);
    t->cycle[0] = tw_wse_cycle(w);
    if ((s = tw_wse_read_symbol(w, 1, 0, "total", &t->total, &size)) ||
        (s = tw_wse_write_symbol(w, 1, 0, "total", &(uint32_t){ t->total + 5 }, sizeof(uint32_t))) ||
        (s = tw_wse_receive(w, &out, t->received, 2, NULL)))
        return s;
    t->cycle[1] = tw_wse_cycle(w);
    for (uint32_t i = 0; i < WORDS; i++) words[i] += t->received[1] + t->total;
    if ((s = tw_wse_h2d(w, &all, words, WORDS, NULL)) || (s = tw_wse_launch(w, "work", &(uint32_t){ 3 }, 1, NULL)))
        return s;
    t->cycle[2] = tw_wse_cycle(w);
    if ((s = tw_wse_receive(w, &out, t->received + 2, 1, NULL)) ||
        (s = tw_wse_d2h(w, &all, t->data, WORDS, NULL)) || (s = tw_wse_stop(w)))
        return s;
    t->cycle[3] = tw_wse_cycle(w);
    if ((s = tw_wse_read_symbol(w, 0, 0, "streamed", &t->streamed, &size))) return s;
    for (unsigned x = 0; x < 2 && !s; x++) s = tw_wse_read(w, x, 0, 0, t->memory[x], PE_BYTES);
    return s;
}

static tw_wse_options quiet(void)
{
    static FILE *nowhere;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    return (tw_wse_options){
        .size = sizeof(tw_wse_options), .reports = nowhere, .out = nowhere, .threads = 1, .max_cycles = 20000
    };
}

#endif
