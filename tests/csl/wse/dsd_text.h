/* SPDX-License-Identifier: MIT */
/* Pieces of programs that try one thing about DSDs: names, a color that comes back, tasks, arrays. */
#ifndef DSD_TEXT_H
#define DSD_TEXT_H

/* Ids for tasks, a color that comes straight back, its queues. */
#define HEAD                                                                                         \
    "export var done: u16 = 0;\n"                                                                    \
    "const run_id = @get_local_task_id(8); const next_id = @get_local_task_id(9); const third_id = " \
    "@get_local_task_id(10);\n"                                                                      \
    "const loop = @get_color(4); const iq = @get_input_queue(2); const oq = @get_output_queue(3);\n" \
    "fn count(x: u16) void { done = done + x; }\n"
#define LOOP                                                                                               \
    "comptime { @set_local_color_config(loop, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } } });\n"    \
    "  @initialize_queue(iq, .{ .color = loop });\n"                                                       \
    "  if (@is_arch(\"wse3\")) @initialize_queue(oq, .{ .color = loop }); else @initialize_queue(oq); }\n" \
    "const out = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = loop, .output_queue = oq });\n"      \
    "const in = @get_dsd(fabin_dsd, .{ .extent = 1, .fabric_color = loop, .input_queue = iq });\n"
#define RUN(body)                      \
    "task run() void {\n" body "\n}\n" \
    "comptime { @bind_local_task(run, run_id); @activate(run_id); }\n"
#define NEXT(body)      "task next() void {\n" body "\n}\ncomptime { @bind_local_task(next, next_id); }\n"
#define THIRD(body)     "task third() void {\n" body "\n}\ncomptime { @bind_local_task(third, third_id); }\n"
#define IOTA16(name, n) "var " name " = @zeros([" #n "]i16);\n"
#define FILL(name, n)   "for (@range(i16, " #n ")) |k| { " name "[k] = k + 1; }\n"
#define MEM(name, array, n) \
    "const " name " = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{" #n "} -> " array "[i] });\n"

#endif
