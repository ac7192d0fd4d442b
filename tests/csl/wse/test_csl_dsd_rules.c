/* SPDX-License-Identifier: MIT */
/* What the vendor documents forbid of DSDs, DSRs, FIFOs, tasks, queues and colors: each rule broken once, with the
 * place of its message. Texts mark the place by `...`. */
#include "compile.h"

#define HEAD                                                                                                       \
    "var narrow = @zeros([4]i8); var word: i16 = 0;\n"                                                             \
    "var a = @zeros([10]i16); var w = @zeros([10]i32); var h = @zeros([10]f16); var s = @zeros([10]f32); var m = " \
    "@zeros([4,5]i16);\n"                                                                                          \
    "const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} -> a[i] });\n"                                      \
    "const d4 = @get_dsd(mem4d_dsd, .{ .tensor_access = |i,j|{2,2} -> m[i,j] });\n"                                \
    "const in = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(6), .input_queue = "                \
    "@get_input_queue(2) });\n"                                                                                    \
    "const out = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = @get_color(7), .output_queue = "             \
    "@get_output_queue(3) });\n"                                                                                   \
    "const bare = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(5) });\n"                         \
    "var buf = @zeros([32]i16); const fifo = @allocate_fifo(buf); var buf2 = @zeros([32]i16); const fifo2 = "      \
    "@allocate_fifo(buf2);\n"                                                                                      \
    "const id = @get_local_task_id(9); const control_id = @get_control_task_id(40);\n"                             \
    "task local() void {} task loose() void {} task ctrl() void {} task two(x: u16, y: u16) void {} fn plain() "   \
    "void {}\n"                                                                                                    \
    "const dest = @get_dsr(dsr_dest, 2); const src0 = @get_dsr(dsr_src0, 2); const src1 = @get_dsr(dsr_src1, "     \
    "2);\n"
#define BIND                                                                                               \
    "comptime { @bind_local_task(local, id); @bind_control_task(ctrl, control_id); @bind_local_task(run, " \
    "@get_local_task_id(20)); @activate(@get_local_task_id(20)); }\n"
#define TOP(text) HEAD "task run() void {}\n" BIND text
#define IN(text)  HEAD "task run() void { " text " }\n" BIND
#define OUTSIDE(align)                                                                               \
    TOP("const m2 = @import_module(\"other.csl\"); extern var outside: [8]i16 " align                \
        "; const x = @allocate_fifo(`outside`);\n"                                                   \
        "task t2() void { m2.use(); @set_fifo_read_length(x, 1); } comptime { @bind_local_task(t2, " \
        "@get_local_task_id(12)); }")
#define USE(text) TOP("const x = " text ";\ncomptime { _ = @type_of(x); }\n")
#define DSD(text) USE("@get_dsd(" text ")")
#define FLOATS                                                                          \
    "const hd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> h[i] }); const sd = " \
    "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> s[i] }); "

enum { WSE2 = 1, WSE3 = 2, BOTH = 3 };
typedef struct {
    unsigned arch;
    const char *text, *phrase;
} row;

// clang-format off
static const row dsds[] = { /* vendor document "DSDs": kinds and properties */
    { BOTH, DSD("`u16`, .{}"), "u16 is no kind of DSD" },
    { BOTH, USE("`@get_dsd`(mem1d_dsd)"), "@get_dsd takes 2 arguments, got 1" },
    { BOTH, DSD("mem1d_dsd, `5`"), "are a struct .{ .name = value, ... }, not comptime_int" },
    { BOTH, DSD("mem1d_dsd, .{ .`tensor_acess` = |i|{10} -> a[i] }"),
          "'tensor_acess' is not among the properties of a mem1d_dsd; did you mean 'tensor_access'?" },
    { BOTH, DSD("mem1d_dsd, `.{` .extent = 10 }"),
          "a memory DSD needs .tensor_access, or .base_address and .extent" },
    { BOTH, DSD("mem1d_dsd, `.{` .base_address = &a }"), "a mem1d_dsd needs .extent" },
    { BOTH, DSD("mem4d_dsd, `.{` .base_address = &a }"), "a mem4d_dsd needs .extent" },
    { BOTH, DSD("mem1d_dsd, .{ .tensor_access = |i|{10} -> a[i], .extent = `5` }"), ".extent is given twice" },
    { BOTH, DSD("mem1d_dsd, .{ .tensor_access = |i|{10} -> a[i], .stride = `5` }"), ".stride is given twice" },
    { BOTH, DSD("mem1d_dsd, .{ .base_address = `5`, .extent = 3 }"),
          "must be a pointer to numbers of 16 or 32 bits, not comptime_int" },
    { BOTH, DSD("mem1d_dsd, .{ .base_address = &a, .extent = `70000` }"), "70000 does not fit u16" },
    { BOTH, DSD("mem1d_dsd, .{ .base_address = &a, .extent = `32768` }"), "must be at most 32767, not 32768" },
    { BOTH, DSD("mem1d_dsd, .{ .base_address = &a, .extent = 3, .stride = `128` }"), "128 does not fit i8" },
    { BOTH, DSD("mem1d_dsd, .{ .base_address = &a, .extent = 3, .offset = `40000` }"), "40000 does not fit i16" },
    { BOTH, DSD("mem1d_dsd, .{ .tensor_access = `|`i,j|{2,2} -> m[i,j] }"),
          "a mem1d_dsd has one dimension, .extent has 2" },
    { BOTH, DSD("mem4d_dsd, .{ .tensor_access = |i,j,k,l,`n`|{1,1,1,1,1} -> a[i+j+k+l+n] }"),
          "at most 4 induction variables" },
    { BOTH, DSD("mem4d_dsd, .{ .tensor_access = |i,j,`i`|{2,2,2} -> m[i,j] }"), "two induction variables are called 'i'" },
    { BOTH, DSD("mem4d_dsd, .{ .tensor_access = |i,j|{`2`} -> m[i,j] }"), "2 induction variables and 1 length" },
    { BOTH, DSD("mem4d_dsd, .{ .tensor_access = |i|{`2`,2} -> a[i] }"), "1 induction variable and 2 lengths" },
    { BOTH, DSD("mem1d_dsd, .{ .tensor_access = |i|{2} -> `m`[i] }"), "[4,5]i16 has 2 dimensions, the access has 1" },
    { BOTH, DSD("mem1d_dsd, .{ .tensor_access = |i|{2} -> a[i `*` i] }"), "an index must be affine" },
    { BOTH, DSD("mem1d_dsd, .{ .tensor_access = |i|{2} -> a[i `/` 2] }"), "an index must be affine" },
    { BOTH, DSD("mem1d_dsd, .{ .tensor_access = |i|{2} -> `d`[i] }"),
          "needs an array or a pointer to one, not mem1d_dsd" },
    { BOTH, DSD("mem1d_dsd, .{ .tensor_access = |i|{`70000`} -> a[i] }"), "70000" },
    { BOTH, DSD("mem4d_dsd, .{ .tensor_access = |`i`,j|{2,2} -> a[i * 40000 + j] }"), "a DSD's stride has 16 bits" },
    { BOTH, DSD("mem4d_dsd, .{ .base_address = &a, .extent = .{ 2, 2 }, .stride = `.`{ 1 } }"),
          "2 extents and 1 strides" },
    { BOTH, DSD("mem4d_dsd, .{ .base_address = &a, .extent = `.`{ 1, 1, 1, 1, 1 } }"),
          "a mem4d_dsd has 1 to 4 dimensions" },
    { BOTH, DSD("mem1d_dsd, .{ .tensor_access = |i|{10} -> a[i], .wavelet_index_offset = `1` }"),
          ".wavelet_index_offset must be a bool known at compile time, not comptime_int" },
    { BOTH, DSD("mem1d_dsd, .{ .tensor_access = |i|{10} -> a[i], .`control_transform` = true }"),
          "'control_transform' is not among the properties of a mem1d_dsd" },
    { BOTH, DSD("fabin_dsd, `.{` .fabric_color = @get_color(1) }"), "a fabin_dsd needs .extent" },
    { BOTH, DSD("fabin_dsd, `.{` .extent = 1 }"), "a fabin_dsd needs .fabric_color or .input_queue" },
    { BOTH, DSD("fabout_dsd, `.{` .extent = 1 }"), "a fabout_dsd needs .fabric_color or .output_queue" },
    { BOTH, DSD("fabin_dsd, .{ .extent = 1, .fabric_color = `3` }"),
          ".fabric_color must be color, got comptime_int" },
    { BOTH, DSD("fabin_dsd, .{ .extent = 1, .input_queue = `@get_output_queue`(1) }"),
          ".input_queue must be input_queue, got output_queue" },
    { BOTH, DSD("fabout_dsd, .{ .extent = 1, .output_queue = `@get_input_queue`(1) }"),
          ".output_queue must be output_queue, got input_queue" },
    { BOTH, DSD("fabin_dsd, .{ .extent = 1, .fabric_color = @get_color(1), .`control` = true }"),
          "'control' is not among the properties of a fabin_dsd" },
    { BOTH, DSD("fabin_dsd, .{ .extent = 1, .fabric_color = @get_color(1), .`zero` = .{ .first_source = true } "
          "}"), "'zero' is not among the properties of a fabin_dsd" },
    { BOTH, DSD("fabin_dsd, .{ .extent = 1, .fabric_color = @get_color(1), .`advance_switch` = true }"),
          "'advance_switch' is not among" },
    { BOTH, DSD("fabout_dsd, .{ .extent = 1, .fabric_color = @get_color(1), .control = `1` }"),
          ".control must be a bool known at compile time" },
    { BOTH, DSD("fabout_dsd, .{ .extent = 1, .fabric_color = @get_color(1), .zero = .{ .first_source = true, "
          ".`second_source` = true } }"), ".zero takes one choice: .first_source or .second_source, not both" },
    { BOTH, DSD("fabout_dsd, .{ .extent = 1, .fabric_color = @get_color(1), .simd_mode = .{ .`simd_16` = true } "
          "}"), "'simd_16' is not among the choices of .simd_mode" },
    { BOTH, DSD("fabout_dsd, .{ .extent = 1, .fabric_color = @get_color(1), .zero = `.{`} }"), ".zero chooses nothing" },
    { BOTH, DSD("fabout_dsd, .{ .extent = 1, .fabric_color = @get_color(1), .simd_mode = .{ .simd_32 = `false` } "
          "}"), ".simd_32 is chosen by true" },
    { WSE2, DSD("fabin_dsd, .{ .extent = 1, .fabric_color = @get_color(1), .priority = `.`{ .high = true } }"),
          ".priority of a DSD exists on WSE-3 only" },
    { WSE2, DSD("fabin_dsd, `.{` .extent = 1, .input_queue = @get_input_queue(1) }"),
          "this DSD has no .fabric_color, and no @initialize_queue gives its queue 1 one" },
};

static const row changes[] = {
    { BOTH, USE("@set_dsd_base_addr(d, `&`narrow)"), "numbers of 16 or 32 bits, not *[4]i8" }, /* "DSDs": changing properties */
    { BOTH, USE("@set_dsd_base_addr(d, `narrow`)"), "numbers of 16 or 32 bits, not [4]i8" },
    { BOTH, USE("@set_dsd_base_addr(d, `&`word)"), "must be an array or a pointer to one, not *i16" },
    { BOTH, USE("@set_dsd_base_addr(d, `&`a[2])"), "must be an array or a pointer to one, not *i16" },
    { BOTH, IN("var p = &word; const x = @set_dsd_base_addr(d, a); @mov16(@set_dsd_base_addr(d, `p`), x);"),
          "must be an array or a pointer to one, not *i16" },
    { BOTH, USE("@set_dsd_base_addr(`in`, a)"), "@set_dsd_base_addr needs a memory DSD, not fabin_dsd" },
    { BOTH, USE("@set_dsd_base_addr(d, `5`)"), "must be an array of, or a pointer to, numbers of 16 or 32 bits, not comptime_int" },
    { BOTH, USE("`@set_dsd_base_addr`(d)"), "@set_dsd_base_addr takes 2 arguments, got 1" },
    { BOTH, USE("@increment_dsd_offset(`out`, 1, i16)"), "needs a memory DSD, not fabout_dsd" },
    { BOTH, USE("@increment_dsd_offset(d, `40000`, i16)"), "40000 does not fit i16" },
    { BOTH, USE("@increment_dsd_offset(d, 1, `u8`)"), "must be a 16- or 32-bit number, not u8" },
    { BOTH, USE("@increment_dsd_offset(d, 1, `bool`)"), "must be a 16- or 32-bit number, not bool" },
    { BOTH, USE("@increment_dsd_offset(d, 1, `u64`)"), "must be a 16- or 32-bit number, not u64" },
    { BOTH, USE("@set_dsd_length(`d4`, 2)"), "takes every DSD but mem4d_dsd" },
    { BOTH, USE("@set_dsd_length(`fifo`, 2)"), "@set_dsd_length needs a DSD, not fifo" },
    { BOTH, USE("@set_dsd_length(d, `-1`)"), "-1 does not fit u16" },
    { BOTH, USE("@set_dsd_length(d, `40000`)"), "a length must be at most 32767" },
    { BOTH, USE("@set_dsd_stride(`d4`, 2)"), "@set_dsd_stride needs a mem1d_dsd, not mem4d_dsd" },
    { BOTH, USE("@set_dsd_stride(`in`, 2)"), "@set_dsd_stride needs a mem1d_dsd, not fabin_dsd" },
    { BOTH, USE("@set_dsd_stride(d, `128`)"), "128 does not fit i8" },
    { BOTH, IN("@set_fifo_read_length(`d`, 3);"), "must be a FIFO known at compile time, not mem1d_dsd" },
    { BOTH, IN("@set_fifo_write_length(fifo, `-3`);"), "-3 does not fit u16" },
    { BOTH, TOP("comptime { `@set_fifo_write_length`(fifo, 3); }"), "stands in code that runs on a PE" },
};

static const row fifos[] = { /* "DSDs": FIFOs */
    { WSE2, TOP("var b3 = @zeros([8]i16); const x = @allocate_fifo(b3, .{ .full_action = `.{` .terminate = true } });\n"
          "task t2() void { @mov16(x, d); } comptime { @bind_local_task(t2, @get_local_task_id(12)); }"),
          "exists on WSE-3 only" },
    { BOTH, TOP("var b3 = @zeros([8]i16); const x = @allocate_fifo(b3, .{ .empty_action = .{ .`stop` = true } });\n"
          "task t2() void { @mov16(x, d); } comptime { @bind_local_task(t2, @get_local_task_id(12)); }"),
          "'stop' is not among the choices of .empty_action" },
    { BOTH, TOP("var x = `@allocate_fifo`(a); comptime { _ = @type_of(x); }"),
          "must be the value of a global const" },
    { BOTH, IN("const x = `@allocate_fifo`(a);"), "must be the value of a global const" },
    { BOTH, TOP("const c = @zeros([8]i16); const x = @allocate_fifo(`c`); comptime { _ = @type_of(x); }"),
          "must be declared var; 'c' is not" },
    { BOTH, TOP("const x = @allocate_fifo(`@zeros`([4]i16)); comptime { _ = @type_of(x); }"),
          "must be a global array or a pointer to one, not [4]i16" },
    { BOTH, IN("var `copy` = fifo; @mov16(copy, 1);"), "exists only at compile time: declare it const" },
    { BOTH, TOP("var `copy` = fifo; comptime { _ = @type_of(copy); }"), "exists only at compile time: declare it const" },
    { BOTH, TOP("var c: i16 = 0; const x = @allocate_fifo(`&`c); comptime { _ = @type_of(x); }"),
          "must be a global array or a pointer to one" },
    { BOTH, TOP("var c = @zeros([8]u8); const x = @allocate_fifo(`c`); comptime { _ = @type_of(x); }"),
          "must be i16, u16, f16, i32, u32 or f32, not u8" },
    { BOTH, TOP("var c = @zeros([8]i64); const x = @allocate_fifo(`c`); comptime { _ = @type_of(x); }"),
          "must be i16, u16, f16, i32, u32 or f32, not i64" },
    { BOTH, TOP("var c = @zeros([0]u32); const x = @allocate_fifo(`c`); comptime { _ = @type_of(x); }"),
          "the buffer of a FIFO needs room for an element; this one is [0]u32" },
    { BOTH, TOP("var c: [8]i16 align(8) = @zeros([8]i16); const x = @allocate_fifo(`c`); "
          "comptime { _ = @type_of(x); }"), "'c' has align(8); the buffer of a FIFO needs 16 bytes or more" },
    { BOTH, OUTSIDE("align(8)"), "outside' has align(8); the buffer of a FIFO needs 16 bytes or more" },
    { BOTH, TOP("var c = @zeros([8]i16); const x = @allocate_fifo(c, .{ .`active_push` = local }); "
          "comptime { _ = @type_of(x); }"), "'active_push' is not among the settings of @allocate_fifo" },
    { BOTH, TOP("var c = @zeros([8]i16); const x = @allocate_fifo(c, .{ .activate_push = `plain` }); "
          "comptime { _ = @type_of(x); }"), ".activate_push takes a task or a local_task_id" },
    { BOTH, TOP("var c = @zeros([8]i16); const x = @allocate_fifo(c, .{ .activate_push = `loose` }); "
          "comptime { _ = @type_of(x); }"), "task 'loose' is not bound to an id" },
    { BOTH, TOP("var c = @zeros([8]i16); const x = @allocate_fifo(c, .{ .activate_pop = `ctrl` }); "
          "comptime { _ = @type_of(x); }"), "task 'ctrl' is bound as a control task" },
    { WSE2, TOP("var c = @zeros([8]i16); const x = @allocate_fifo(c, .{ .priority = `.`{ .high = true } }); "
          "comptime { _ = @type_of(x); }"), ".priority of a FIFO exists on WSE-3 only" },
    { WSE3, TOP("var c = @zeros([8]i16); const x = @allocate_fifo(c, .{ .simd_mode = `.`{ .simd_32 = true } }); "
          "comptime { _ = @type_of(x); }"), ".simd_mode of a FIFO exists on WSE-2 only" },
    { BOTH, IN("@add16(d, `fifo`, d);"), "a FIFO cannot be the first of several sources" },
    { BOTH, IN("@add16(d, `fifo`, 3);"), "a FIFO cannot be the first of several sources" },
    { BOTH, IN("@add16(d, `fifo`, fifo2);"), "a FIFO cannot be the first of several sources" },
    { BOTH, HEAD "fn f(x: i16) i16 { return x; } task run() void { @map(f, `fifo`, d); }\n" BIND,
          "a FIFO cannot be an operand of @map" },
    { BOTH, HEAD "fn f(x: i16) i16 { return x; } task run() void { @map(f, d, `fifo`); }\n" BIND,
          "a FIFO cannot be an operand of @map" },
};

static const row operations[] = { /* operands of DSD operations */
    { BOTH, TOP("comptime { `@mov16`(d, 3); }"), "@mov16 stands in code that runs on a PE" },
    { BOTH, IN("`@mov16`(d);"), "@mov16 takes 2 operands and an optional configuration, got 1" },
    { BOTH, IN("`@mov16`(d, d, d);"), "@mov16 takes 2 operands" },
    { BOTH, IN("`@fmacs`(d, d, d, 1.0, .{}, .{});"), "@fmacs does not take 6 arguments" },
    { BOTH, IN("`@fmacs`(d, d, d);"), "@fmacs takes 4 operands" },
    { BOTH, IN("@mov16(`true`, d);"), "operand 1 of @mov16 must be a destination DSD or a pointer to a scalar, "
          "not bool" },
    { BOTH, IN("@mov16(`a`, d);"), "operand 1 of @mov16 must be a destination DSD or a pointer to a scalar, "
          "not [10]i16" },
    { BOTH, IN("const p = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(6), .input_queue = "
          "@get_input_queue(2), .simd_mode = .{ .simd_32 = true } }); @mov16(d, p); var x: u32 = 0; @mov32(&x, `p`);"),
          "operand 2 of @mov32 has elements of 32 bits, which no .simd_mode packs" },
    { BOTH, IN("const p = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = @get_color(7), .output_queue = "
          "@get_output_queue(3), .simd_mode = .{ .simd_64 = true } }); @fmovs(`p`, 1.0);"),
          "operand 1 of @fmovs has elements of 32 bits, which no .simd_mode packs" },
    { BOTH, IN(FLOATS "@fmovs(sd, hd); @fadds(sd, sd, `hd`);"),
          "operand 3 of @fadds takes elements of type f32; this DSD is over an array of f16" },
    { BOTH, IN(FLOATS "@faddhs(sd, sd, hd); @faddhs(sd, `hd`, hd);"),
          "operand 2 of @faddhs takes elements of type f32; this DSD is over an array of f16" },
    { BOTH, IN(FLOATS "@fmulh(`sd`, hd, 2.0);"),
          "operand 1 of @fmulh takes elements of type f16; this DSD is over an array of f32" },
    { BOTH, IN(FLOATS "@fadds(sd, @set_dsd_base_addr(hd, w), sd); "
          "@fadds(sd, @set_dsd_base_addr(hd, @ptrcast([*]f32, &h)), sd); @fadds(sd, `@set_dsd_base_addr`(sd, h), sd);"),
          "operand 2 of @fadds takes elements of type f32" },
    { BOTH, IN("@sub16(d, `3`, d);"), "operand 2 of @sub16 must be a source DSD, not comptime_int" },
    { BOTH, IN("var x: f16 = 0.0; var n: u16 = 3; @fscaleh(&x, 1.0, `n`);"), "must be i16, got u16" },
    { BOTH, IN("@add16(d, 3, `4`);"), "operand 3 of @add16 must be a source DSD, not comptime_int" },
    { BOTH, IN("@fmach(d, d, `1.0`, 1.0);"), "operand 3 of @fmach must be a source DSD, not comptime_float" },
    { BOTH, IN("@mov16(`in`, d);"), "operand 1 of @mov16: a fabin_dsd receives: it cannot be a destination" },
    { BOTH, IN("@mov16(d, `out`);"), "operand 2 of @mov16: a fabout_dsd sends: it cannot be a source" },
    { BOTH, IN("var x: f16 = 0.0; @mov16(`&`x, d);"), "operand 1 of @mov16 must point to i16 or u16, not f16" },
    { BOTH, IN("@mov16(d, `70000`);"), "70000 does not fit" },
    { BOTH, IN("@mov16(d, `1.5`);"), "operand 2 of @mov16 (i16 or u16) must be u16, got comptime_float" },
    { BOTH, IN("var x: i32 = 5; @mov16(d, `x`);"), "operand 2 of @mov16 (i16 or u16) must be u16, got i32" },
    { WSE3, IN("@add16(d, in, `bare`);"), "WSE-3 takes one fabin_dsd per operation" },
    { BOTH, IN("@mov16(d, d, .{ .async = `true` });"), "an asynchronous operation needs a fabric operand" },
    { BOTH, IN("@mov16(d, in, .{ .activate = `local` });"), ".activate belongs to an asynchronous operation" },
    { BOTH, IN("@mov16(d, in, .{ .unblock = `local` });"), ".unblock belongs to an asynchronous operation" },
    { BOTH, IN("@mov16(d, in, .{ .priority = `.`{ .high = true } });"),
          ".priority belongs to an asynchronous operation" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .activate = local, .unblock = `local` });"),
          "at most one of .activate and .unblock" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .activate = `plain` });"), "'plain' is a function; "
          ".activate needs a task" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .activate = `5` });"),
          ".activate takes a task or a local_task_id, not comptime_int" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .activate = `control_id` });"),
          ".activate takes a task or a local_task_id, not control_task_id" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .activate = `@get_data_task_id`(if (@is_arch(\"wse3\")) "
          "@get_input_queue(2) else @get_color(6)) });"), ".activate takes a task or a local_task_id, not data_task_id" },
    { WSE2, IN("@mov16(d, in, .{ .async = true, .activate = `@get_color`(6) });"),
          ".activate takes a task or a local_task_id, not color" },
    { WSE3, IN("@mov16(d, in, .{ .async = true, .activate = `@get_input_queue`(2) });"),
          ".activate takes a task or a local_task_id, not input_queue" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .activate = `loose` });"), "task 'loose' is not bound to an id; "
          "it must be bound as a local task" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .activate = `@get_local_task_id`(11) });"),
          "no local task is bound to id 11" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .on_control = .{ .activate = `@get_local_task_id`(11) } });"),
          "no local task is bound to id 11" },
    { BOTH, IN("@load_to_dsr(src1, in, .{ .async = true, .activate = `@get_local_task_id`(11) });"),
          "no local task is bound to id 11" },
    { BOTH, TOP("var c = @zeros([8]i16); const x = @allocate_fifo(c, .{ .activate_push = `@get_local_task_id`(11) }); "
          "comptime { _ = @type_of(x); }"), "no local task is bound to id 11" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .unblock = `@get_local_task_id`(11) });"),
          "no data or local task is bound to id 11" },
    { WSE2, IN("@mov16(d, in, .{ .async = true, .on_control = .{ .unblock = `@get_data_task_id`(@get_color(11)) } });"),
          "no data or local task is bound to id 11" },
    { WSE3, IN("@mov16(d, in, .{ .async = true, .unblock = `@get_data_task_id`(@get_input_queue(7)) });"),
          "no data or local task is bound to id 7" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .activate = `ctrl` });"),
          "task 'ctrl' is bound as a control task; it must be bound as a local task" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .unblock = `ctrl` });"), "it must be bound as a data or local task" },
    { WSE2, IN("@mov16(d, in, .{ .async = true, .unblock = `@get_input_queue`(1) });"),
          ".unblock on WSE-2 takes a task, local_task_id, data_task_id or color, not input_queue" },
    { WSE3, IN("@mov16(d, in, .{ .async = true, .unblock = `@get_color`(1) });"),
          ".unblock on WSE-3 takes a task, local_task_id, data_task_id or input_queue, not color" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .`asinc` = true });"),
          "'asinc' is not among the settings of a DSD operation; did you mean 'async'?" },
    { BOTH, IN("@mov16(d, in, .{ .async = `1` });"), ".async must be a bool known at compile time, "
          "not comptime_int" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .on_control = .{ .terminate = `1` } });"),
          ".terminate must be a bool known at compile time" },
    { BOTH, IN("var t = true; @mov16(d, in, .{ .async = true, .on_control = .{ .terminate = `t` } });"),
          ".terminate must be a bool known at compile time" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .on_control = .{ .activate = `control_id` } });"),
          ".activate takes a task or a local_task_id" },
    { BOTH, IN("var v = id; @mov16(d, in, .{ .async = true, .on_control = .{ .activate = `v` } });"),
          "must be known at compile time" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .on_control = .{ .unblock = `loose` } });"),
          "task 'loose' is not bound to an id; it must be bound as a data or local task" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .on_control = `.`{ .terminate = true, .activate = local } });"),
          ".on_control takes one of" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .on_control = `.`{} });"), ".on_control takes one of" },
    { BOTH, IN("@mov16(out, d, .{ .async = true, .on_control = `.`{ .terminate = true } });"),
          ".on_control needs a fabin_dsd" },
    { BOTH, IN("@mov16(d, `bare`, .{ .async = true });"),
          "an asynchronous operation needs a queue: this fabin_dsd has no .input_queue" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .index = `3` });"),
          ".index needs an operation of at least 3 operands; @mov16 has 2 here" },
    { BOTH, IN("@add16(d, d, 3, .{ .index = `70000` });"), "70000 does not fit u16" },
    { WSE2, IN("@mov16(d, in, .{ .async = true, .ut_id = `id` });"), ".ut_id exists on WSE-3 only" },
    { WSE3, IN("@mov16(d, in, .{ .async = true, .ut_id = `id` });"), ".ut_id must be ut_id, got local_task_id" },
    { BOTH, IN("@mov16(d, in, .{ .async = true, .priority = .{ .`urgent` = true } });"),
          "'urgent' is not among the choices of .priority" },
    { BOTH, HEAD "const z = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = @get_color(1), "
          ".zero = .{ .first_source = true } }); task run() void { @mov16(`z`, d); }\n" BIND,
          "@mov16 has one source: its DSD says .zero = .{ .second_source = true }" },
    { BOTH, IN("`@dfilt`(in, .{});"), "@dfilt needs .async = true" },
    { BOTH, IN("const p: *const i16 = &a[0]; @mov16(`p`, d);"), "stores through a *const i16" },
};

static const row dsrs[] = {
    { BOTH, USE("@get_dsr(`u16`, 1)"), "u16 is no kind of DSR" },
    { BOTH, USE("@get_dsr(dsr_dest, `16`)"), "the number of a DSR must be 0 to 15, not 16" },
    { BOTH, IN("@load_to_dsr(`d`, d);"), "must be a DSR, not mem1d_dsd" },
    { BOTH, IN("@load_to_dsr(dest, `in`);"),
          "a fabin_dsd cannot be loaded into a dsr_dest: a fabin_dsd is a source" },
    { BOTH, IN("@load_to_dsr(src1, `out`);"), "a fabout_dsd cannot be loaded into a dsr_src1" },
    { BOTH, IN("@load_to_dsr(src1, `fifo`);"), "a FIFO is not loaded into DSRs" },
    { BOTH, IN("@load_to_dsr(src1, `5`);"), "only DSDs can be loaded" },
    { BOTH, IN("@load_to_dsr(src1, `@get_dsd`(circbuf_dsd, .{ .base_address = &a, .extent = 4 }));"),
          "a circbuf_dsd is loaded by @load_to_dsr_xdsr" },
    { BOTH, IN("@load_to_dsr_xdsr(src1, @get_xdsr(1), `d`);"), "@load_to_dsr_xdsr loads a circbuf_dsd" },
    { BOTH, IN("@load_to_dsr_xdsr_sr(src1, @get_xdsr(1), .{}, `d`);"), "@load_to_dsr_xdsr_sr loads a mem4d_dsd" },
    { BOTH, IN("@load_to_dsr_xdsr_sr(src1, `5`, .{}, d4);"), "the extended register" },
    { BOTH, IN("@load_to_dsr_xdsr_sr(src1, @get_xdsr(1), `.{` @get_sr(0) }, d4);"),
          "needs 0 stride registers, got 1" },
    { BOTH, IN("var v = d4; v = @increment_dsd_offset(v, 1, i16); "
          "@load_to_dsr_xdsr_sr(src1, @get_xdsr(1), `.{` @get_sr(0) }, v);"), "needs 3 stride registers, got 1" },
    { BOTH, IN("@load_to_dsr_xdsr_sr(src1, @get_xdsr(1), `.{` 4 }, d4);"), "is a tuple of stride registers" },
    { BOTH, DSD("circbuf_dsd, .{ .base_address = &a, .extent = 4, .wraparound = `11` }"), ".wraparound must be 1 to 10" },
    { BOTH, IN("@load_to_dsr(src1, d, .{ .async = `true` });"), ".async needs a fabric DSD" },
    { BOTH, IN("@load_to_dsr(src1, bare, .{ .async = `true` });"),
          "an asynchronous operation needs a queue: this fabin_dsd has no .input_queue" },
    { BOTH, IN("@load_to_dsr(src1, in, .{ .activate = `local` });"), ".activate and .unblock need .async = true" },
    { BOTH, IN("@load_to_dsr(src1, in, .{ .async = true, .activate = local, .unblock = `local` });"),
          "at most one of .activate and .unblock" },
    { BOTH, IN("@load_to_dsr(src1, in, `.{` .save_address = true });"), ".save_address needs a memory DSD" },
    { BOTH, IN("@load_to_dsr(src1, in, .{ .`index` = 3 });"), "'index' is not among the settings of @load_to_dsr" },
    { BOTH, IN("@mov16(d, `dest`);"), "takes a dsr_src1 or dsr_src0, not a dsr_dest" },
    { BOTH, IN("@mov16(`src1`, d);"), "takes a dsr_dest or dsr_src0, not a dsr_src1" },
    { BOTH, IN("@add16(dest, `src1`, src1);"), "takes a dsr_src0, not a dsr_src1" },
    { WSE2, IN("const other = @get_dsr(dsr_src0, 5); @add16(dest, `other`, src1);"),
          "have one number: 2 and 5 differ" },
    { BOTH, IN("@load_to_dsr(src1, in); @mov16(d, src1, .{ .async = `true` });"),
          "no @load_to_dsr of these DSRs says .async = true" },
    { BOTH, IN("@mov16(d, src1, .{ .async = `true` });"), "these DSRs are never loaded" },
    { BOTH, IN("@load_to_dsr(src1, in, .{ .async = true }); "
          "@mov16(d, src1, .{ .async = true, .activate = `local` });"),
          "says something else than the @load_to_dsr" },
    { BOTH, IN("@load_to_dsr(src1, in, .{ .async = true, .activate = local }); "
          "@mov16(d, src1, .{ .async = true, .unblock = `local` });"),
          "says something else than the @load_to_dsr" },
};

static const row maps[] = {
    { BOTH, IN("@map(`local`, d);"), "must be a function known at compile time" },
    { BOTH, HEAD "fn f(x: i16) void {} task run() void { `@map`(f, d, d); }\n" BIND,
          "@map with 'f' takes 1 input behind the function, got 2 arguments" },
    { BOTH, HEAD "fn f(x: i16) void {} task run() void { `@map`(f, 3); }\n" BIND,
          "@map needs at least one DSD or DSR" },
    { BOTH, HEAD "fn f(x: i64) void {} task run() void { @map(f, `d`); }\n" BIND,
          "must be i16, u16, i32, u32, f16 or f32, not i64" },
    { BOTH, HEAD "fn f(x: i16) i16 { return x; } task run() void { @map(f, d, `in`); }\n" BIND,
          "must be a destination, not fabin_dsd" },
    { BOTH, HEAD "fn f(x: i16) void {} task run() void { @map(f, `out`); }\n" BIND,
          "must be a source, not fabout_dsd" },
    { BOTH, HEAD "fn f(x: i16) i16 { return x; } task run() void { @map(f, `dest`, d); }\n" BIND,
          "must be a dsr_src1, not dsr_dest" },
    { BOTH, HEAD "fn f(x: i16) i16 { return x; } task run() void { var y: f16 = 0.0; @map(f, d, `&`y); "
          "}\n" BIND, "takes the callback's results and must be a DSD or a pointer to its type, not *f16" },
};

static const row ids[] = { /* ids, tasks, queues */
#define FILTER(c) "@set_local_color_config(@get_color(" #c "), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, " \
          ".filter = .{ .kind = .{ .range = true }, .min_idx = 1, .max_idx = 2 } });"
    { WSE2, TOP("comptime {" FILTER(0) FILTER(1) FILTER(2) FILTER(3) FILTER(10) FILTER(11) "`" FILTER(12) "` }"),
          "has 7 filters; a router of WSE-2 has 6" },
    { BOTH, USE("@get_color(`24`)"), "argument 1 of @get_color must be 0 to 23, not 24" },
    { BOTH, USE("@get_color(`-1`)"), "must be 0 to 23, not -1" },
    { WSE2, USE("@get_local_task_id(`31`)"), "must be 0 to 30, not 31" },
    { WSE3, USE("@get_local_task_id(`7`)"), "must be 8 to 30, not 7" },
    { BOTH, USE("@get_control_task_id(`64`)"), "must be 0 to 63, not 64" },
    { BOTH, USE("@get_input_queue(`8`)"), "must be 0 to 7, not 8" },
    { WSE2, USE("@get_output_queue(`6`)"), "must be 0 to 5, not 6" },
    { WSE3, USE("@get_output_queue(`8`)"), "must be 0 to 7, not 8" },
    { WSE2, USE("`@get_ut_id`(1)"), "@get_ut_id exists on WSE-3 only" },
    { WSE3, USE("@get_ut_id(`8`)"), "must be 0 to 7, not 8" },
    { WSE2, USE("@get_data_task_id(`@get_input_queue`(1))"), "takes a color on WSE-2, not input_queue" },
    { WSE3, USE("@get_data_task_id(`@get_color`(1))"), "takes an input_queue on WSE-3, not color" },
    { BOTH, IN("var x: u16 = 1; const q = @get_input_queue(`x`);"), "must be an integer known at compile time" },
    { BOTH, IN("`@bind_local_task`(local, id);"), "stands in a comptime block of a tile program" },
    { BOTH, TOP("comptime { @bind_local_task(`two`, @get_local_task_id(11)); }"), "'two' has 2 parameters; "
          "such a task has none" },
    { BOTH, TOP("comptime { @bind_local_task(`plain`, @get_local_task_id(11)); }"),
          "must be a task, not a function" },
    { BOTH, TOP("comptime { @bind_local_task(loose, `control_id`); }"),
          "must be local_task_id, got control_task_id" },
    { BOTH, TOP("comptime { @bind_local_task(loose, `id`); }"), "id 9 has a task already" },
    { BOTH, TOP("task more(x: u16, y: u16, z: u16) void {} comptime { @bind_control_task(`more`, "
          "@get_control_task_id(41)); }"), "such a task has none, 1 or 2" },
    { BOTH, TOP("task more(x: u32, y: u16) void {} comptime { @bind_control_task(`more`, "
          "@get_control_task_id(41)); }"), "parameter 1 of 'more' is u32" },
    { BOTH, TOP("task more(x: u8) void {} comptime { @bind_control_task(`more`, @get_control_task_id(41)); }"),
          "parameter 1 of 'more' is u8" },
    { WSE2, TOP("comptime { @bind_data_task(`loose`, @get_data_task_id(@get_color(3))); }"),
          "'loose' has 0 parameters; such a task has 1 or 2" },
    { WSE2, TOP("comptime { @bind_data_task(two, `@get_data_task_id`(@get_color(9))); }"),
          "id 9 has a task already" },
    { BOTH, TOP("comptime { @activate(`control_id`); }"), "@activate takes a local_task_id" },
    { BOTH, TOP("comptime { @activate(`local`); }"), "@activate takes a local_task_id" },
    { WSE2, IN("@block(`@get_input_queue`(1));"), "@block takes a local_task_id, data_task_id or color on WSE-2, "
          "not input_queue" },
    { WSE3, IN("@unblock(`@get_color`(1));"), "@unblock takes a local_task_id, data_task_id, "
          "input_queue or ut_id on WSE-3, not color" },
    { BOTH, TOP("comptime { `@initialize_queue`(@get_input_queue(1)); }"), "@initialize_queue needs a color" },
    { BOTH, TOP("comptime { @initialize_queue(@get_input_queue(1), .{ .color = @get_color(1) }); "
          "@initialize_queue(`@get_input_queue`(1), .{ .color = @get_color(1) }); }"),
          "this queue has been initialised already" },
    { BOTH, TOP("comptime { @initialize_queue(`5`, .{ .color = @get_color(1) }); }"),
          "must be an input_queue or output_queue known at compile time" },
    { WSE2, TOP("comptime { @initialize_queue(@get_output_queue(1), `.{` .color = @get_color(1) }); }"),
          "an output queue of WSE-2 takes no settings" },
    { WSE3, TOP("comptime { `@initialize_queue`(@get_output_queue(1)); }"), "@initialize_queue needs a color" },
    { WSE3, TOP("comptime { @initialize_queue(@get_input_queue(1), .{ .color = @get_color(1), "
          ".`priority` = .{ .high = true } }); }"), "'priority' is not among the settings of a WSE-3 queue" },
    { WSE3, TOP("comptime { @set_control_task_table(.{ .instructions = `6` }); }"), "must be 2, 4 or 8, not 6" },
    { WSE3, TOP("comptime { @set_control_task_table(.{ .stride = `8` }); }"), "must be 1 to 7, not 8" },
    { WSE3, TOP("comptime { @set_control_task_table(); `@set_control_task_table`(); }"), "have their table already" },
    { WSE2, TOP("comptime { `@set_control_task_table`(); }"), "exists on WSE-3 only" },
    { BOTH, TOP("comptime { @bind_control_task(loose, `@get_control_task_id`(9)); }"), "id 9 has a task already" },
    { WSE3, TOP("comptime { @set_control_task_table(.{ .stride = 7 });\n"
          "`@initialize_queue`(@get_input_queue(1), .{ .color = @get_color(1), .ctrl_table_id = 10 }); }"),
          "begin at id 70, above the last one, 63" },
    { WSE3, TOP("comptime { @bind_rotating_tasks(loose, loose, `control_id`, .{ .limit = 2 }); }"),
          "must be a local_task_id or data_task_id" },
    { WSE3, TOP("comptime { `@bind_rotating_tasks`(loose, loose, @get_local_task_id(11)); }"), "takes 4 arguments" },
    { WSE3, TOP("fn r() void { `@bind_rotating_tasks`(loose, loose, @get_local_task_id(11), .{ .limit = 2 }); }\n"
          "comptime { @export_symbol(r); }"), "comptime block" },
    { WSE3, TOP("comptime { @bind_rotating_tasks(loose, `two`, @get_local_task_id(11), .{ .limit = 2 }); }"),
          "'two' has 2 parameters; such a task has none" },
    { WSE2, TOP("fn e() void {} comptime { `@set_empty_queue_handler`(e, @get_input_queue(1)); }"),
          "exists on WSE-3 only" },
};

static const row routes[] = { /* @set_color_config and its local twin */
#define ROUTE(text) TOP("comptime { @set_local_color_config(@get_color(1), " text "); }")
    { BOTH, ROUTE("`.{`}"), "a color needs .routes" },
    { BOTH, ROUTE("`5`"), "are a struct" },
    { BOTH, ROUTE(".{ .`route` = .{} }"), "'route' is not among the parts of a color's configuration; "
          "did you mean 'routes'?" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST, `WEST` }, .tx = .{ RAMP } } }"), "WEST stands twice in .rx" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ `5` } } }"), ".tx holds directions" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .switches = .{ .pos1 = `.{`} } }"),
          "a switch position needs .rx or .tx, or .invalid = true" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } "
          "}, .switches = .{ .pos1 = `.{` .invalid = true, .rx = WEST } } }"), "an invalid position has no route" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .switches = .{ .pos1 = `.{` .rx = .{ WEST, "
          "EAST } } } }"), ".rx of a switch position is one direction" },
    { WSE2, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .switches = .{ .pos1 = `.{` .rx = WEST, "
          ".tx = RAMP } } }"), "changes .rx or .tx, not both" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .switches = .{ .current_switch_pos = `4` } "
          "}"), "must be 0 to 3, not 4" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .switches = .{ .current_switch_pos = `1` } "
          "}"), "position 1 is not among the switch positions" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .switches = .{ .ring_mode = `1` } }"),
          ".ring_mode must be a bool" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } "
          "}, .switches = .{ .pop_mode = .{ .`pop` = true } } }"), "'pop' is not among the choices of .pop_mode" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .filter = `.{` .min_idx = 1 } }"),
          "a filter needs .kind" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .filter = .{ .kind = .{ .range = true }, "
          ".limit1 = `1` } }"), "a range filter has no .limit1" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .filter = .{ .kind = .{ .counter = true }, "
          ".limit2 = `1` } }"), "a counter filter has no .limit2" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .filter = `.{` .kind = .{ .range = true }, "
          ".min_idx = 5, .max_idx = 4 } }"), "the range 5 to 4 is empty" },
    { WSE3, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP }, .color_swap_x = `true` } }"),
          ".color_swap_x exists on WSE-2 only" },
    { BOTH, ROUTE(".{ .routes = `1024` }"), "the bits of .routes must be 0 to 1023" },
};

static const row warnings[] = {
    { BOTH, OUTSIDE(""), "is extern without align" },
    { BOTH, HEAD "const n = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} "
          "-> a[i], .wavelet_index_offset = true }); task run() void { @add16(`n`, n, 3); }\n" BIND,
          "without .index the operation is undefined" },
    { BOTH, HEAD "const e = @get_dsd(fabin_dsd, .{ .extent = 0x7fff, .fabric_color = @get_color(6), "
          ".input_queue = @get_input_queue(2) }); task run() void { @mov16(d, `e`, .{ .async = true }); "
          "}\n" BIND, "means without end, and nothing ends this operation" },
    { BOTH, HEAD "const r = @get_dsd(mem1d_dsd, .{ .tensor_access = `|`i|{65535} -> a[0] }); task run() void { "
          "@mov16(d, @set_dsd_length(r, 4)); }\n" BIND, "65535 means without end" },
    { BOTH, IN("@mov16(d, `@increment_dsd_offset`(d, -32768, i16));"), "this DSD begins at byte -" },
    { BOTH, IN("@mov16(d, @set_dsd_length(d, 10)); const r = @set_dsd_length(d, `65535`); "
          "@mov16(d, @set_dsd_length(r, 4));"), "65535 means without end" },
    { BOTH, IN("var x: f32 = 0.0; const fd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} -> s[i] }); "
          "@fadds(&x, `1.0`, fd);"), "accumulates when the value is the destination itself" },
    { BOTH, HEAD "const c: i16 = 3; task run() void { @mov16(`&`c, d); }\n" BIND,
          "@mov16 changes 'c', which is const" },
    { BOTH, HEAD "const c = @zeros([4]i16); const cd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> c[i] });\n"
          "task run() void { @mov16(`cd`, d); }\n" BIND, "@mov16 changes 'c', which is const" },
    { BOTH, HEAD "const c = @zeros([4]i16); const cd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> c[i] });\n"
          "fn f(x: i16) i16 { return x; } task run() void { @map(f, d, `cd`); }\n" BIND,
          "@map changes 'c', which is const" },
    { WSE3, TOP("task data(x: u32) void {} comptime { `@bind_data_task`(data, @get_data_task_id(@get_input_queue(4))); }"),
          "input queue 4 of this data task is never initialised" },
    { BOTH, TOP("comptime { `@activate`(@get_local_task_id(11)); }"), "no local task is bound to id 11" },
    { WSE3, ROUTE(".{ .routes = .{ .rx = `.`{ WEST, EAST }, .tx = .{ RAMP } } }"),
          "receives from one direction only" },
    { WSE3, TOP("comptime { @set_local_color_config(@get_color(10), `.`{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP "
          "} }, .switches = .{ .pos1 = .{ .rx = EAST } } }); }"), "color 10 has no switches on WSE-3" },
    { BOTH, ROUTE(".{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP }, .pop_mode = `.`{ .always_pop = true } } "
          "}"), "deprecated" },
};
// clang-format on

static void check(const row *rows, size_t count, tw_severity severity)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned wse3 = 0; wse3 < 2; wse3++)
            if (rows[i].arch & 1u << wse3) expect_marked(rows[i].text, wse3, severity, rows[i].phrase);
}
#define CHECK(name, severity)                              \
    static void csl_rules_##name(void **state)             \
    {                                                      \
        (void)state;                                       \
        check(name, sizeof name / sizeof *name, severity); \
    }
CHECK(dsds, TW_ERROR)
CHECK(changes, TW_ERROR)
CHECK(fifos, TW_ERROR)
CHECK(operations, TW_ERROR)
CHECK(dsrs, TW_ERROR)
CHECK(maps, TW_ERROR)
CHECK(ids, TW_ERROR)
CHECK(routes, TW_ERROR)
CHECK(warnings, TW_WARNING)

/* Nine FIFOs: one error that names the eight which took everything. */
static void csl_rules_fifos_run_out(void **state)
{
    (void)state;
    char text[2048] = "";
    for (int i = 0; i < 9; i++)
        sprintf(text + strlen(text), "var b%d = @zeros([16]i16); const f%d = @allocate_fifo(b%d);\n", i, i, i);
    strcat(text, "task run() void { ");
    for (int i = 0; i < 9; i++) sprintf(text + strlen(text), "@set_fifo_read_length(f%d, 1); ", i);
    strcat(text, "}\ncomptime { @bind_local_task(run, @get_local_task_id(20)); }\n");
    compiled c = compile_text(text, false);
    assert_null(c.image);
    assert_int_equal(tw_diags_count(c.diags, TW_ERROR), 1);
    assert_non_null(find_message(c.diags, TW_ERROR, "8 FIFOs; these take all: f0, f1, f2, f3, f4, f5, f6, f7"));
    compiled_free(&c);
}

/* An extern buffer with a sufficient alignment of its own is not warned of. */
static void csl_rules_extern_aligned(void **state)
{
    (void)state;
    const char *marked = OUTSIDE("align(16)");
    char text[4096], *to = text;
    for (const char *from = marked; *from; from++)
        if (*from != '`') *to++ = *from;
    *to = 0;
    for (unsigned wse3 = 0; wse3 < 2; wse3++) {
        compiled c = compile_good(text, wse3);
        assert_null(find_message(c.diags, TW_WARNING, "extern without align"));
        compiled_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csl_rules_dsds),          cmocka_unit_test(csl_rules_changes),
        cmocka_unit_test(csl_rules_fifos),         cmocka_unit_test(csl_rules_operations),
        cmocka_unit_test(csl_rules_dsrs),          cmocka_unit_test(csl_rules_maps),
        cmocka_unit_test(csl_rules_ids),           cmocka_unit_test(csl_rules_routes),
        cmocka_unit_test(csl_rules_warnings),      cmocka_unit_test(csl_rules_fifos_run_out),
        cmocka_unit_test(csl_rules_extern_aligned)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
