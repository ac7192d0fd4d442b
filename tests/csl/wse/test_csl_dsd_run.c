/* SPDX-License-Identifier: MIT */
/* What the vendor document "Data Structure Descriptors" promises, clause by clause, as programs that check
 * themselves: the task `run` starts at cycle 0, every @assert must hold, and the program must reach its end, which
 * sets `done`. */
#include "compile.h"
#include "csl/wse/wse.h"
#include "dsd_text.h"

typedef struct {
    const char *clause, *text;
} program;

// clang-format off
static const program programs[] = {
    { "tensor_access: affine maps with factor and constant", HEAD IOTA16("a", 10)
          "var b = @zeros([5]i16);\n" MEM("to", "b", 5)
      "const odd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{5} -> a[2 * i + 1] });\n"
      RUN(FILL("a", 10) "@mov16(to, odd); for (@range(i16, 5)) |k| { @assert(b[k] == 2 * k + 2); } count(1);") },
    { "tensor_access: through [*], a factor before a sum",
      HEAD IOTA16("a", 10) "var b = @zeros([4]i16); const p: [*]i16 = &a;\n" MEM("to", "b", 4)
          "const from = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> p[2 * (i + 1)] });\n" RUN(FILL("a", 10)
              "@mov16(to, from); for (@range(i16, 4)) |k| { @assert(b[k] == 2 * k + 3); } count(1);") },
    { "tensor_access: negative factor", HEAD IOTA16("a", 10) "var b = @zeros([10]i16);\n" MEM("to", "b", 10)
      "const back = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} -> a[9 - i] });\n"
      RUN(FILL("a", 10) "@mov16(to, back); for (@range(i16, 10)) |k| { @assert(b[k] == 10 - k); } count(1);") },
    { "tensor_access: one element as a source", HEAD IOTA16("a", 10) "var b = @zeros([4]i16);\n" MEM("to", "b", 4)
      "const one = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[3] });\n"
      RUN(FILL("a", 10) "@mov16(to, one); for (@range(i16, 4)) |k| { @assert(b[k] == 4); } count(1);") },
    { "tensor_access: the diagonal of a matrix", HEAD "var m = @zeros([20,20]i16); "
          "var b = @zeros([20]i16);\n" MEM("to", "b", 20)
      "const diagonal = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{20} -> m[i,i] });\n"
      RUN("for (@range(i16, 20)) |k| { m[k,k] = k + 5; } @mov16(to, diagonal); "
      "for (@range(i16, 20)) |k| { @assert(b[k] == k + 5); } count(1);") },
    { "tensor_access: a pointer to an array", HEAD IOTA16("a", 10) "var b = @zeros([4]i16); "
          "const p: *[10]i16 = &a;\n" MEM("to", "b", 4)
      "const through = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> p[i + 2] });\n"
      RUN(FILL("a", 10) "@mov16(to, through); for (@range(i16, 4)) |k| { @assert(b[k] == k + 3); } count(1);") },
    { "base_address, extent, stride, offset", HEAD IOTA16("a", 10) "var b = @zeros([3]i16);\n" MEM("to", "b", 3)
      "const from = @get_dsd(mem1d_dsd, .{ .base_address = &a, .extent = 3, .stride = -2, .offset = 8 });\n"
      RUN(FILL("a", 10) "@mov16(to, from); @assert(b[0] == 9); @assert(b[1] == 7); @assert(b[2] == 5); count(1);") },
    { "base_address and the others at run time", HEAD IOTA16("a", 10) "var b = @zeros([4]i16); var n: u16 = 3; "
          "var s: i8 = -2; var o: i16 = 8;\n" MEM("to", "b", 4)
      RUN(FILL("a", 10) "var p: *i16 = &a[0]; const from = @get_dsd(mem1d_dsd, .{ .base_address = p, .extent = n, "
      ".stride = s, .offset = o });\n"
          "@mov16(to, from); @assert(b[0] == 9); @assert(b[1] == 7); @assert(b[2] == 5); @assert(b[3] == 0); count(1);") },
    { "mem4d: a corner of a matrix, last variable fastest", HEAD "var m = @zeros([4,3]i16); "
          "var b = @zeros([4]i16);\n" MEM("to", "b", 4)
      "const corner = @get_dsd(mem4d_dsd, .{ .tensor_access = |i,j|{2,2} -> m[i, j] });\n"
      RUN("for (@range(i16, 4)) |r| { for (@range(i16, 3)) |c| { m[r,c] = r * 10 + c; } } @mov16(to, corner);\n"
          "@assert(b[0] == 0); @assert(b[1] == 1); @assert(b[2] == 10); @assert(b[3] == 11); count(1);") },
    { "mem4d: four dimensions with an offset", HEAD "var m = @zeros([1,2,3,4]i16); "
          "var b = @zeros([8]i16);\n" MEM("to", "b", 8)
      "const part = @get_dsd(mem4d_dsd, .{ .tensor_access = |i,j,k,l|{1,2,1,4} -> m[i, j, 1+k, l] });\n"
      RUN("for (@range(i16, 2)) |j| { for (@range(i16, 3)) |k| { for (@range(i16, "
      "4)) |l| { m[0,j,k,l] = j * 100 + k * 10 + l; } } }\n"
          "@mov16(to, part); for (@range(i16, 4)) |l| { @assert(b[l] == 10 + l); @assert(b[4 + l] == 110 + l); } "
          "count(1);") },
    { "mem4d over a vector", HEAD IOTA16("a", 10) "var b = @zeros([4]i16);\n" MEM("to", "b", 4)
      "const sums = @get_dsd(mem4d_dsd, .{ .tensor_access = |i,j,k,l|{1,2,1,2} -> a[i + 4 * j + k + l] });\n"
      RUN(FILL("a", 10) "@mov16(to, sums); @assert(b[0] == 1); @assert(b[1] == 2); @assert(b[2] == 5); "
      "@assert(b[3] == 6); count(1);") },
    { "mem4d as a destination", HEAD IOTA16("a", 6) "var m = @zeros([3,3]i16);\n" MEM("from", "a", 4)
      "const corner = @get_dsd(mem4d_dsd, .{ .tensor_access = |i,j|{2,2} -> m[i + 1, j + 1] });\n"
      RUN(FILL("a", 6) "@mov16(corner, from); @assert(m[1,1] == 1); @assert(m[1,2] == 2); @assert(m[2,1] == 3); "
      "@assert(m[2,2] == 4); @assert(m[0,0] == 0); count(1);") },
    { "zero stride: destination keeps the last value", HEAD IOTA16("a", 10)
          "var b = @zeros([1]i16);\n" MEM("from", "a", 10)
      "const one = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} -> b[0] });\n" RUN(FILL("a", 10)
      "@mov16(one, from); @assert(b[0] == 10); count(1);") },
    { "zero stride on destination and first source: a sum", HEAD IOTA16("a", 10)
          "var b = @zeros([1]i16);\n" MEM("from", "a", 10)
      "const one = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} -> b[0] });\n" RUN(FILL("a", 10)
      "@add16(one, one, from); @assert(b[0] == 55); count(1);") },
    { "overlap: element k sees what earlier ones wrote", HEAD IOTA16("a", 10)
          "const left = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{9} -> a[i] }); "
          "const right = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{9} -> a[i + 1] });\n"
      RUN(FILL("a", 10) "@mov16(right, left); for (@range(i16, 10)) |k| { @assert(a[k] == 1); } count(1);") },
    { "pointer to scalar as destination", HEAD IOTA16("a", 8) "var x: i16 = 0; "
          "const even = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[2 * i] });\n"
      RUN(FILL("a", 8) "@mov16(&x, even); @assert(x == 7); count(1);") },
    { "pointer to scalar: an array of one element is its element", HEAD IOTA16("a", 8) "var x = @zeros([1]i16); "
      MEM("from", "a", 8) RUN(FILL("a", 8) "@mov16(&x, from); @assert(x[0] == 8); count(1);") },
    { "pointer to scalar: a fold when the value is the scalar", HEAD "var v = [4]f32{ 1.0, 9.0, 3.0, 4.0 }; "
          "var m: f32 = 2.0; var t: f32 = 0.5;\n" MEM("from", "v", 4)
      RUN("@fmaxs(&m, m, from); @assert(m == 9.0); @fadds(&t, t, from); @assert(t == 17.5); count(1);") },
    { "pointer to scalar: otherwise the last element counts", HEAD "var v = [4]f32{ 1.0, 9.0, 3.0, 4.0 }; "
          "var m: f32 = 2.0;\n" MEM("from", "v", 4)
      RUN("@fadds(&m, 10.0, from); @assert(m == 14.0); count(1);") },
    { "wavelet_index_offset on memory counts words", HEAD IOTA16("a", 10) "var s = [4]f32{ 1.0, 2.0, 3.0, 4.0 }; "
          "var r = @zeros([2]f32);\n"
      "const moved = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> a[i], .wavelet_index_offset = true }); "
      "const still = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> a[i] });\n"
      "const floats = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} "
      "-> s[i], .wavelet_index_offset = true });\n" MEM("to", "r", 2) "var five: u16 = 5;\n"
      RUN(FILL("a", 10) "@add16(moved, still, 100, .{ .index = five }); @assert(a[5] == 101); "
      "@assert(a[7] == 103); @assert(a[0] == 1);\n"
          "@fadds(to, 0.0, floats, .{ .index = 4 }); @assert(r[0] == 3.0); @assert(r[1] == 4.0); count(1);") },
    { "increment_dsd_offset: not checked, .index may lead back into the array", HEAD IOTA16("a", 4)
          "const far = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> a[i], .wavelet_index_offset = true });\n"
          "const near = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> a[i] }); var back: u16 = 32769;\n"
      RUN(FILL("a", 4) "@add16(near, @increment_dsd_offset(far, -32768, i16), 10, .{ .index = back }); "
      "@assert(a[0] == 12); @assert(a[1] == 13); count(1);") },
    { "index on fabout is the high half of the wavelets", HEAD LOOP IOTA16("a", 3) "var got: u32 = 0; "
          "const from = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{1} -> a[i] });\n"
      "const tagged = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = loop, .output_queue = oq, "
      ".wavelet_index_offset = true }); var tag: u16 = 0xabc;\n"
      RUN(FILL("a", 3) "@add16(tagged, from, 41, .{ .index = tag }); @mov32(&got, in); "
      "@assert(got == 0x0abc002a); count(1);") },
    { "extents: the sources decide", HEAD LOOP IOTA16("a", 5) "var b = @zeros([5]i16);\n" MEM("from", "a", 5)
          "const in5 = @set_dsd_length(in, 5);\n" MEM("to", "b", 5)
      RUN(FILL("a", 5) "@mov16(out, from, .{ .async = true }); @mov16(to, in5); "
      "for (@range(i16, 5)) |k| { @assert(b[k] == k + 1); } count(1);") },
    { "extents: the first source decides among several", HEAD "var y = @zeros([10]f32); "
          "var x = @constants([10]f32, 2.0);\n" MEM("to", "y", 10) MEM("many", "x", 10)
      "const three = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> y[i] });\n"
      RUN("@fmacs(to, three, many, 4.0); @assert(y[2] == 8.0); @assert(y[3] == 0.0); count(1);") },
    /* (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the last term is lost when the product is rounded by itself */
    { "@fmacs rounds the product, then the sum", HEAD "var y = @zeros([1]f32); "
          "var x = [1]f32{ 1.000244140625 };\n" MEM("to", "y", 1) MEM("from", "x", 1)
      RUN("y[0] = -1.0; @fmacs(to, to, from, 1.000244140625); @assert(y[0] == 0.00048828125); count(1);") },
    { "a length of 16 ones is without end", HEAD "var y = [3]i16{ 5, 0, 0 }; var z = @zeros([3]i16); var space = @zeros([8]i16); const fifo = @allocate_fifo(space);\n" MEM("to",
          "z", 3)
      "const again = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{65535} -> y[0] });\n"
      RUN("@mov16(to, @set_dsd_length(again, 3)); @assert(z[2] == 5); @add16(to, to, again); @assert(z[0] == 10); "
          "@assert(z[2] == 10); @assert(!@mov16(fifo, again)); @set_fifo_read_length(fifo, 8); z[2] = 0; @assert(@mov16(&z[2], fifo)); "
          "@assert(z[2] == 5); count(1);") },
    { "FIFO: in, out, in order, over the end of the buffer", HEAD IOTA16("a", 20) "var b = @zeros([20]i16); "
          "var space = @zeros([32]i16); const fifo = @allocate_fifo(space);\n" MEM("from", "a", 20) MEM("to",
          "b", 20)
      RUN(FILL("a", 20) "@assert(@mov16(fifo, from)); @assert(@mov16(to, fifo)); @assert(@mov16(fifo, from)); "
      "for (@range(i16, 20)) |k| { b[k] = 0; } @assert(@mov16(to, fifo));\n"
          "for (@range(i16, 20)) |k| { @assert(b[k] == k + 1); } count(1);") },
    { "FIFO: the buffer is aligned", HEAD "var odd: i16 = 0; var space = @zeros([8]i16); "
          "const fifo = @allocate_fifo(space); var p: *[8]i16 = &space;\n"
      RUN("odd = 1; @mov16(fifo, odd); @assert(@bitcast(u16, p) % 16 == 0); count(1);") },
    { "FIFO: a synchronous push into a full one ends and says false", HEAD IOTA16("a", 40)
          "var b = @zeros([40]i16); var space = @zeros([32]i16); "
          "const fifo = @allocate_fifo(space);\n" MEM("from", "a", 40) MEM("to", "b", 32)
      RUN(FILL("a", 40) "@set_fifo_write_length(fifo, 40); @assert(!@mov16(fifo, from)); "
      "@assert(@mov16(to, fifo)); @assert(b[31] == 32);\n"
          "@assert(@mov16(fifo, 7)); @set_fifo_read_length(fifo, 20); @assert(!@mov16(to, fifo)); "
          "@assert(b[7] == 7); @assert(b[8] == 9); count(1);") },
    { "FIFO: a synchronous pop from an empty one ends and says false", HEAD IOTA16("a", 4)
          "var b = @zeros([10]i16); var space = @zeros([32]i16); "
          "const fifo = @allocate_fifo(space);\n" MEM("from", "a", 4) MEM("to", "b", 10)
      RUN(FILL("a", 4) "@mov16(fifo, from); @assert(!@mov16(to, fifo)); @assert(b[3] == 4); @assert(b[4] == 0); "
      "count(1);") },
    { "FIFO: a pop to a scalar that runs dry loses the data and keeps the scalar", HEAD IOTA16("a", 4)
          "var x: i16 = 77; var space = @zeros([32]i16); const fifo = @allocate_fifo(space);\n" MEM("from", "a", 4)
      RUN(FILL("a", 4) "@mov16(fifo, from); @set_fifo_read_length(fifo, 9); @assert(!@mov16(&x, fifo)); "
      "@assert(x == 77); @mov16(fifo, 5); @set_fifo_read_length(fifo, 1); @assert(@mov16(&x, fifo)); "
      "@assert(x == 5); count(1);") },
    { "FIFO: a pop to a scalar that runs dry is an empty event", HEAD IOTA16("a", 4) "var x: i16 = 77; "
          "var space = @zeros([8]i16); const fifo = @allocate_fifo(space, .{ .activate_push = next });\n" MEM("from", "a", 4)
      RUN(FILL("a", 4) "@mov16(fifo, from); @set_fifo_read_length(fifo, 9); @assert(!@mov16(&x, fifo)); "
      "@mov16(fifo, 5);") NEXT("@assert(x == 77); count(1);") },
    { "FIFO: lengths are set in place, zero at first", HEAD IOTA16("a", 8) "var b = @zeros([8]i16); "
          "var space = @zeros([32]i16); const fifo = @allocate_fifo(space); var n: u16 = 3;\n" MEM("from", "a", 8)
      MEM("to", "b", 8)
      RUN(FILL("a", 8) "@set_fifo_write_length(fifo, n); @mov16(fifo, 4); @set_fifo_read_length(fifo, 3); "
      "@assert(@mov16(to, fifo)); @assert(b[2] == 4); @assert(b[3] == 0); count(1);") },
    { "FIFO: asynchronous operations wait for data and for room", HEAD LOOP IOTA16("a", 50)
          "var b = @zeros([50]i16); var space = @zeros([8]i16); "
          "const fifo = @allocate_fifo(space);\n" MEM("from", "a", 50) MEM("to", "b", 50)
      "const out50 = @set_dsd_length(out, 50); const in50 = @set_dsd_length(in, 50); const back = @get_color(5); "
      "const iq2 = @get_input_queue(4); const oq2 = @get_output_queue(5);\n"
      "comptime { @set_local_color_config(back, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } } }); "
      "@initialize_queue(iq2, .{ .color = back }); if (@is_arch(\"wse3\")) @initialize_queue(oq2, "
      ".{ .color = back }); }\n"
      "const out2 = @get_dsd(fabout_dsd, .{ .extent = 50, .fabric_color = back, .output_queue = oq2 }); "
      "const in2 = @get_dsd(fabin_dsd, .{ .extent = 50, .fabric_color = back, .input_queue = iq2 });\n"
      RUN(FILL("a", 50) "@mov16(fifo, in50, .{ .async = true }); @mov16(out2, fifo, .{ .async = true }); "
      "@mov16(out50, from, .{ .async = true }); @mov16(to, in2);\n"
          "for (@range(i16, 50)) |k| { @assert(b[k] == k + 1); } count(1);") },
    { "FIFO: activate_push only after an empty event", HEAD IOTA16("a", 8) "var b = @zeros([8]i16); "
          "var space = @zeros([32]i16); const fifo = @allocate_fifo(space, .{ .activate_push = next }); "
          "var pushes: u16 = 0;\n" MEM("from", "a", 8) MEM("to", "b", 8)
      RUN(FILL("a", 8) "@mov16(fifo, from); @mov16(to, fifo); @assert(pushes == 0); @activate(third_id);")
      THIRD("@assert(pushes == 0); @assert(!@mov16(to, fifo)); @mov16(fifo, from); "
      "@mov16(fifo, from);") NEXT("pushes += 1; @assert(pushes == 1); count(1);") },
    { "FIFO: activate_pop only after a full event", HEAD IOTA16("a", 8) "var b = @zeros([4]i16); "
          "var space = @zeros([8]i16); const fifo = @allocate_fifo(space, .{ .activate_pop = next_id }); "
          "var pops: u16 = 0;\n" MEM("from", "a", 8) MEM("to", "b", 4)
      RUN(FILL("a", 8) "@mov16(fifo, from); @mov16(to, fifo); @activate(third_id);")
      THIRD("@assert(pops == 0); @assert(!@mov16(fifo, from)); @mov16(to, fifo); "
      "@mov16(to, fifo);") NEXT("pops += 1; @assert(pops == 1); count(1);") },
#define SOON "fn pause() void { var k: u16 = 0; while (k < 200) { k += 1; } } var step: u16 = 0;\n"
    { "FIFO: activate_pop when there is room for all that the push in SIMD mode moves together", HEAD LOOP SOON
          IOTA16("space", 4) "const fifo = @allocate_fifo(space, .{ .activate_pop = next }); var x: i16 = 0; "
          "var b = @zeros([4]i16);\n"
          "var w = [4]u32{ 0x20001, 0x40003, 0x60005, 0x80007 };\n" MEM("from", "w", 4)
      "const pairs = @get_dsd(fabin_dsd, .{ .extent = 8, .fabric_color = loop, .input_queue = iq, "
      ".simd_mode = .{ .simd_32 = true } });\n"
      RUN("@mov16(fifo, pairs, .{ .async = true }); @mov32(@set_dsd_length(out, 4), from); pause(); "
      "@set_fifo_read_length(fifo, 1); @assert(@mov16(&x, fifo)); @assert(x == 1); @activate(third_id);")
      THIRD("pause(); if (step == 1) { @mov16(&x, fifo); @assert(x == 2); } step += 1; "
      "if (step < 2) @activate(third_id);") NEXT("if (step == 2) { step = 3; @set_fifo_read_length(fifo, 4); "
      "@assert(@mov16(@get_dsd(mem1d_dsd, .{ .base_address = &b, .extent = 4 }), fifo)); "
      "@assert(b[0] == 3); @assert(b[3] == 6); count(1); } else { @assert(step == 3); }") },
    { "FIFO: activate_push when there are all elements that the pop in SIMD mode moves together", HEAD LOOP SOON
          IOTA16("space", 8) "const fifo = @allocate_fifo(space, .{ .activate_push = next }); var w: u32 = 0;\n"
      "const four = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = loop, .output_queue = oq, "
      ".simd_mode = .{ .simd_64 = true } });\n"
      RUN("@mov16(four, fifo, .{ .async = true }); pause(); @set_fifo_write_length(fifo, 3); @mov16(fifo, 7); "
      "@set_fifo_write_length(fifo, 1); @activate(third_id);")
      THIRD("pause(); step += 1; if (step == 1) { @activate(third_id); } else { @mov16(fifo, 8); "
      "@mov32(&w, in); @assert(w == 0x70007); @mov32(&w, in); @assert(w == 0x80007); }")
      NEXT("@assert(step == 2); count(1);") },
    { "FIFO: a synchronous operation in SIMD mode moves the last odd element", HEAD LOOP IOTA16("a", 3)
          IOTA16("space", 4) "const fifo = @allocate_fifo(space); var g = @zeros([2]u32);\n" MEM("from", "a", 3)
          MEM("to", "g", 2) "const three = @get_dsd(fabout_dsd, .{ .extent = 3, .fabric_color = loop, "
      ".output_queue = oq, .simd_mode = .{ .simd_32 = true } });\n"
      RUN(FILL("a", 3) "@mov16(fifo, from); @assert(@mov16(three, fifo)); @mov32(to, @set_dsd_length(in, 2)); "
      "@assert(g[0] == 0x20001); @assert(g[1] == 3); count(1);") },
    { "set_dsd_base_addr: a new value without the old offset; the old one stays", HEAD IOTA16("a", 10)
          "var c = @zeros([10]i16); var b = @zeros([2]i16);\n" MEM("to", "b", 2)
      "const first = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> a[i + 3] }); "
      "const second = @set_dsd_base_addr(first, c); "
      "const third2 = @set_dsd_base_addr(@increment_dsd_offset(first, 2, i16), &c);\n"
      RUN(FILL("a", 10) "for (@range(i16, 10)) |k| { c[k] = 50 + k; } @mov16(to, second); @assert(b[0] == 50); "
      "@mov16(to, third2); @assert(b[0] == 50); @mov16(to, first); @assert(b[0] == 4);\n"
          "var moving = first; moving = @set_dsd_base_addr(moving, c); @mov16(to, moving); @assert(b[1] == 51); "
          "var p: *[10]i16 = &a; moving = @set_dsd_base_addr(moving, p); @mov16(to, moving); @assert(b[0] == 1); "
          "count(1);") },
    { "increment_dsd_offset: elements of the type given, at both times", HEAD "var m = @zeros([10,10]f32); "
          "var b = @zeros([4]f32);\n" MEM("to", "b", 4)
      "const square = @get_dsd(mem4d_dsd, .{ .tensor_access = |i, j|{2, 2} -> m[i + 1, j + 1] }); "
      "const up = @increment_dsd_offset(square, -10, f32); const words = @increment_dsd_offset(square, -20, i16);\n"
      RUN("for (@range(u16, 10)) |r| { for (@range(u16, 10)) |c| { m[r,c] = @as(f32, r * 10 + c); } } "
      "@fmovs(to, square); @assert(b[0] == 11.0); @fmovs(to, up); @assert(b[0] == 1.0); @assert(b[3] == 12.0);\n"
          "@fmovs(to, words); @assert(b[0] == 1.0); var n: i16 = -10; var d = square; "
          "d = @increment_dsd_offset(d, n, f32); @fmovs(to, d); @assert(b[2] == 11.0); @fmovs(to, square); "
          "@assert(b[0] == 11.0); count(1);") },
    { "set_dsd_length and set_dsd_stride, at both times", HEAD IOTA16("a", 10)
          "var b = @zeros([10]i16);\n" MEM("to", "b", 10) MEM("from", "a", 10)
      "const short = @set_dsd_length(from, 2); const wide = @set_dsd_stride(short, 3);\n"
      RUN(FILL("a", 10) "@mov16(to, wide); @assert(b[1] == 4); @assert(b[2] == 0); var n: u16 = 3; "
      "var s: i8 = -1; var d = @set_dsd_length(from, n); d = @set_dsd_stride(@increment_dsd_offset(d, 9, i16), "
      "s);\n"
          "@mov16(to, d); @assert(b[0] == 10); @assert(b[2] == 8); @assert(b[3] == 0); @mov16(to, from); "
          "@assert(b[9] == 10); count(1);") },
    { "asynchronous: the task goes on, .activate when complete", HEAD LOOP IOTA16("a", 5)
          "var b = @zeros([5]i16); var started: u16 = 0;\n" MEM("from", "a", 5) MEM("to", "b", 5)
          "const in5 = @set_dsd_length(in, 5);\n"
      RUN(FILL("a", 5) "@mov16(to, in5, .{ .async = true, .activate = next }); started = 1; "
      "@mov16(out, from, .{ .async = true, .activate = third_id });")
      NEXT("@assert(started == 1); @assert(b[4] == 5); count(1);") THIRD("count(10);") },
    { "FIFO: activate_push once for an empty event", HEAD IOTA16("a", 4) IOTA16("b", 4) IOTA16("space", 8)
          "const fifo = @allocate_fifo(space, .{ .activate_push = next }); var runs: u16 = 0; var step: u16 = 0;\n"
      MEM("from", "a", 4) MEM("to", "b", 4)
      RUN("@assert(!@mov16(to, fifo)); @assert(@mov16(fifo, from));")
      NEXT("runs += 1; @set_fifo_read_length(fifo, 4); @assert(@mov16(to, fifo)); @assert(@mov16(fifo, from)); "
      "@activate(third_id);")
      THIRD("step += 1; if (step < 5) { @activate(third_id); } else { @assert(runs == 1); count(1); }") },
    { "FIFO: activate_pop once for a full event", HEAD IOTA16("a", 8) IOTA16("b", 8) IOTA16("space", 8)
          "const fifo = @allocate_fifo(space, .{ .activate_pop = next }); var runs: u16 = 0; var step: u16 = 0;\n"
      MEM("from", "a", 8) MEM("to", "b", 8)
      RUN("@assert(@mov16(fifo, from)); @assert(!@mov16(fifo, 1)); @assert(@mov16(to, fifo));")
      NEXT("runs += 1; @set_fifo_write_length(fifo, 0); @assert(@mov16(fifo, from)); @assert(@mov16(to, fifo)); "
      "@activate(third_id);")
      THIRD("step += 1; if (step < 5) { @activate(third_id); } else { @assert(runs == 1); count(1); }") },
    { "FIFO: a synchronous pop that ran dry leaves the rest as the length", HEAD IOTA16("a", 4) IOTA16("b", 9)
          IOTA16("space", 16) "const fifo = @allocate_fifo(space);\n" MEM("from", "a", 4) MEM("to", "b", 9)
      RUN(FILL("a", 4) "@mov16(fifo, from); @set_fifo_read_length(fifo, 7); @assert(!@mov16(to, fifo)); "
      "@mov16(fifo, from); @assert(@mov16(to, fifo)); @assert(b[2] == 3); @assert(b[3] == 4); "
      "@assert(@mov16(@increment_dsd_offset(to, 5, i16), 0)); @set_fifo_read_length(fifo, 1); "
      "@assert(@mov16(to, fifo)); @assert(b[0] == 4); @assert(!@mov16(to, fifo)); count(1);") },
    { "control_transform: marked elements leave as control wavelets, without the mark", HEAD LOOP
          "const wse3 = @is_arch(\"wse3\"); var got: u32 = 0; const relay = @get_dsd(fabout_dsd, .{ .extent = 1, "
          ".fabric_color = loop, .output_queue = oq, .control_transform = true });\n"
      "task ctrl(x: u32) void { @assert(x == 0x00280005); count(1); }\n"
      "comptime { @bind_control_task(ctrl, @get_control_task_id(40)); @block(if (wse3) iq else loop); }\n"
      RUN("@mov32(relay, 0x02280005); @mov32(&got, in); @assert(got == 0x02280005); @mov32(relay, 0x80280005); "
      "@unblock(if (wse3) iq else loop);") },
    { "advance_switch, control: also for a move from memory", HEAD "var x: u32 = 0; var m = [2]u32{ 5, 0x80000 };\n"
          MEM("from", "m", 2)
      "comptime { @set_local_color_config(loop, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } }, .switches = .{ .pos1 = .{ "
      ".rx = WEST }, .pos2 = .{ .rx = SOUTH } } }); @initialize_queue(iq, .{ .color = loop });\n"
      "  if (@is_arch(\"wse3\")) @initialize_queue(oq, .{ .color = loop }); else @initialize_queue(oq); }\n"
      "const in = @get_dsd(fabin_dsd, .{ .extent = 1, .fabric_color = loop, .input_queue = iq });\n"
      "const stop = @get_dsd(fabout_dsd, .{ .extent = 2, .fabric_color = loop, .output_queue = oq, .control = true });\n"
      "const last = @get_dsd(fabout_dsd, .{ .extent = 2, .fabric_color = loop, .output_queue = oq, .advance_switch = true });\n"
      "fn position() u16 { return @get_config(0x7f40 + @get_int(loop)) >> 13 & 3; }\n"
      RUN("@mov32(&x, in, .{ .async = true, .on_control = .{ .activate = next } }); @mov32(stop, from, .{ .async = true });")
      NEXT("@mov32(&x, in); @assert(x == 5); @mov32(&x, in); @assert(position() == 0); @mov32(last, from); "
      "@mov32(&x, in); @mov32(&x, in); @assert(x == 0x80000); @assert(position() == 1); count(1);") },
    { "asynchronous: .unblock of the color (WSE-2) or input queue (WSE-3) of a data task", HEAD LOOP
          "const wse3 = @is_arch(\"wse3\"); var x: u16 = 0; task data(w: u16) void { @assert(x == 3); @assert(w == 5); count(1); }\n"
      "const data_id = @get_data_task_id(if (wse3) iq else loop); comptime { @bind_data_task(data, data_id); "
      "@block(if (wse3) iq else loop); }\n"
      RUN("@mov16(&x, in, .{ .async = true, .unblock = if (wse3) iq else loop }); @mov16(out, 3); @mov16(out, 5);") },
    { "a fabric DSD without a color takes its queue's", HEAD LOOP "var x: i16 = 0;\n"
      "const bare_in = @get_dsd(fabin_dsd, .{ .extent = 1, .input_queue = iq }); const wse3 = @is_arch(\"wse3\");\n"
      "const bare_out = @get_dsd(fabout_dsd, if (wse3) .{ .extent = 1, .output_queue = oq } else .{ .extent = 1, "
      ".output_queue = oq, .fabric_color = loop });\n"
      RUN("@mov16(bare_out, 9); @mov16(&x, bare_in); @assert(x == 9); count(1);") },
    { "a value and a vector from the fabric, into memory and back", HEAD LOOP IOTA16("a", 4) IOTA16("b", 4)
          MEM("from", "a", 4) MEM("to", "b", 4) "const in4 = @set_dsd_length(in, 4); const out4 = @set_dsd_length(out, 4);\n"
      RUN(FILL("a", 4) "@sub16(out4, from, 1, .{ .async = true }); @add16(to, 10, in4); @assert(b[0] == 10); "
      "@assert(b[3] == 13); @xor16(out4, 3, from, .{ .async = true }); @and16(to, in4, 5); @assert(b[0] == 0); "
      "@assert(b[3] == 5); count(1);") },
    { "a carry and exponents along the fabric and four dimensions", HEAD LOOP "var a = [4]u16{ 0xffff, 0, 0xffff, 5 }; "
          "var b = [2,2]u16{ 1, 0, 0, 0 }; var c = @zeros([4]u16); var h: f16 = 0.0;\n" MEM("from", "a", 4) MEM("to", "c", 4)
      "const square = @get_dsd(mem4d_dsd, .{ .tensor_access = |i,j|{2,2} -> b[i, j] });\n"
      RUN("@addc16(to, from, square); @assert(c[0] == 0); @assert(c[1] == 1); @assert(c[2] == 0xffff); @assert(c[3] == 5); "
      "@mov16(@set_dsd_length(out, 4), from, .{ .async = true }); @addc16(to, @set_dsd_length(in, 4), square); "
      "@assert(c[0] == 0); @assert(c[1] == 1); @assert(c[3] == 5); count(1);") },
    { "pointer to scalar: a fold of what the fabric and a FIFO bring", HEAD LOOP "var x = [4]f32{ 1.0, 7.0, -2.0, 3.0 }; "
          "var r: f32 = 0.0; var space = @zeros([8]f32); const fifo = @allocate_fifo(space);\n" MEM("from", "x", 4)
      RUN("@fmovs(@set_dsd_length(out, 4), from, .{ .async = true }); @fadds(&r, r, @set_dsd_length(in, 4)); "
      "@assert(r == 9.0); r = 0.0; @fmovs(fifo, from); @set_fifo_read_length(fifo, 4); @assert(@fmaxs(&r, r, fifo)); "
      "@assert(r == 7.0); count(1);") },
    { "save_address: of a destination", HEAD IOTA16("a", 2) IOTA16("b", 6) MEM("from", "a", 2) MEM("to", "b", 2)
          "const w = @get_dsr(dsr_dest, 4);\n"
      RUN(FILL("a", 2) "@load_to_dsr(w, to, .{ .save_address = true }); @mov16(w, from); @mov16(w, from); "
      "@assert(b[1] == 2); @assert(b[2] == 1); @assert(b[3] == 2); @assert(b[4] == 0); count(1);") },
    { "data tasks: arguments have the sign of their types", HEAD LOOP "var halves = [2]u32{ 0xffff8000, 0x8000ffff };\n"
          MEM("from", "halves", 2) "const wse3 = @is_arch(\"wse3\"); var first = true; var low: i32 = 0; var high: u32 = 0;\n"
      "task data(a: i16, b: u16) void { low = a; high = b; if (first) { @assert(low == -32768); @assert(high == 65535); first = "
      "false; } else { @assert(low == -1); @assert(high == 32768); count(1); } }\n"
      "comptime { @bind_data_task(data, @get_data_task_id(if (wse3) iq else loop)); }\n"
      RUN("@mov32(@set_dsd_length(out, 2), from);") },
    { "data tasks: an unsigned argument of 32 bits", HEAD LOOP "const wse3 = @is_arch(\"wse3\");\n"
      "task data(a: u32) void { @assert(a > 0x7fffffff); @assert(@as(f32, a) == 2147483648.0); count(1); }\n"
      "comptime { @bind_data_task(data, @get_data_task_id(if (wse3) iq else loop)); }\n"
      RUN("@mov32(out, 0x80000000);") },
    { "save_address: of four dimensions", HEAD "var m = @zeros([6,3]i16); var b = @zeros([4]i16);\n" MEM("to", "b", 4)
          "const part = @get_dsd(mem4d_dsd, .{ .tensor_access = |i,j|{2,2} -> m[i, j] }); const r = @get_dsr(dsr_src1, 4);\n"
      RUN("for (@range(i16, 6)) |i| { for (@range(i16, 3)) |j| { m[i, j] = 10 * i + j; } } "
      "@load_to_dsr(r, part, .{ .save_address = true }); @mov16(to, r); @assert(b[3] == 11); @mov16(to, r); "
      "@assert(b[0] == 20); @assert(b[1] == 21); @assert(b[2] == 30); @assert(b[3] == 31); count(1);") },
    { "control wavelets advance a switch and reset it to position 0", HEAD "var x: u32 = 0;\n"
      "comptime { @set_local_color_config(loop, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } }, .switches = .{ .pos1 = .{ "
      ".tx = RAMP }, .pos2 = .{ .tx = RAMP }, .pos3 = .{ .tx = RAMP }, .current_switch_pos = 1 } });\n"
      "  @initialize_queue(iq, .{ .color = loop });\n"
      "  if (@is_arch(\"wse3\")) @initialize_queue(oq, .{ .color = loop }); else @initialize_queue(oq); }\n"
      "const in = @get_dsd(fabin_dsd, .{ .extent = 1, .fabric_color = loop, .input_queue = iq });\n"
      "const stop = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = loop, .output_queue = oq, .control = true });\n"
      "const out = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = loop, .output_queue = oq });\n"
      "fn position() u16 { return @get_config(0x7f40 + @get_int(loop)) >> 13 & 3; }\n"
      "fn command(c: u32) u16 { @mov32(stop, 1 << 24 | c << 22 | 31 << 16); @mov32(out, c); @mov32(&x, in); "
      "@assert(x == c); return position(); }\n"
      RUN("@assert(command(0) == 1); @assert(command(1) == 2); @assert(command(1) == 3); @assert(command(1) == 3); "
      "@assert(command(2) == 0); @assert(command(1) == 1); count(1);") },
    { "asynchronous: .unblock when complete", HEAD LOOP IOTA16("a", 5) MEM("from", "a", 5) "var x: i16 = 0;\n"
      "comptime { @block(next_id); @activate(next_id); }\n" RUN(FILL("a", 5) "@mov16(out, 3, .{ .async = true }); "
      "@mov16(&x, in, .{ .async = true, .unblock = next });") NEXT("@assert(x == 3); count(1);") },
    { "asynchronous through a DSR: what the load said counts", HEAD LOOP IOTA16("a", 5)
          "var b = @zeros([5]i16);\n" MEM("from", "a", 5) MEM("to", "b", 5) "const in5 = @set_dsd_length(in, 5); "
          "const r = @get_dsr(dsr_src1, 4);\n"
      RUN(FILL("a", 5) "@load_to_dsr(r, in5, .{ .async = true, .activate = next }); @mov16(to, r); "
      "@mov16(out, from, .{ .async = true });") NEXT("@assert(b[4] == 5); count(1);") },
    { "asynchronous through a DSR of the other source file, said again", HEAD LOOP IOTA16("a", 5)
          "var b = @zeros([5]i16);\n" MEM("from", "a", 5) MEM("to", "b", 5) "const in5 = @set_dsd_length(in, 5); "
          "const r = @get_dsr(dsr_src0, 4);\n"
      RUN(FILL("a", 5) "@load_to_dsr(r, in5, .{ .async = true, .activate = next_id }); "
      "@mov16(to, r, .{ .async = true, .activate = next_id }); "
      "@mov16(out, from, .{ .async = true });") NEXT("@assert(b[4] == 5); count(1);") },
    { "a DSR loaded before the start", HEAD IOTA16("a", 5) "var b = @zeros([5]i16);\n" MEM("from",
          "a", 5) MEM("to", "b", 5) "const w = @get_dsr(dsr_dest, 4); const r = @get_dsr(dsr_src1, w); comptime { @comptime_assert(@get_int(r) == 4); } "
          "comptime { @load_to_dsr(r, from); @load_to_dsr(w, to); }\n"
      RUN(FILL("a", 5) "@mov16(w, r); @assert(b[4] == 5); @mov16(w, 9); @assert(b[4] == 9); count(1);") },
    { "save_address: the next operation goes on where this ended", HEAD IOTA16("a", 6) "var b = @zeros([3]i16); "
          "const from = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> a[i] });\n" MEM("to", "b", 3)
          "const r = @get_dsr(dsr_src1, 4);\n"
      RUN(FILL("a", 6) "@load_to_dsr(r, from, .{ .save_address = true }); @mov16(to, r); @assert(b[0] == 1); "
      "@mov16(to, r); @assert(b[0] == 4); count(1);") },
    { "circular buffers: every element several times, and on from where the last operation ended", HEAD
          "var c = [5]i16{ 1, 2, 3, 4, 5 }; var b = @zeros([12]i16);\n" MEM("to", "b", 12) MEM("seven", "b", 7)
      "const r = @get_dsr(dsr_src1, 4); const x = @get_xdsr(1);\n"
      "const ring = @get_dsd(circbuf_dsd, .{ .base_address = &c, .extent = 12 });\n"
      "const short = @get_dsd(circbuf_dsd, .{ .base_address = &c, .extent = 7, .wraparound = 3 });\n"
      RUN("@load_to_dsr_xdsr(r, x, ring); @mov16(to, r); @assert(b[4] == 5); @assert(b[5] == 1); @assert(b[11] == 2);"
      "@load_to_dsr_xdsr(r, x, short, .{ .save_address = true }); @mov16(seven, r); @assert(b[2] == 3); "
      "@assert(b[3] == 1); @assert(b[6] == 1); @mov16(seven, r); @assert(b[0] == 2); @assert(b[1] == 3); "
      "@assert(b[2] == 1); @assert(b[6] == 2); count(1);") },
    { "four dimensions in registers", HEAD "var c = @zeros([2,3,4]i16); var b = @zeros([12]i16);\n" MEM("to", "b", 12)
      "const r = @get_dsr(dsr_src1, 4);\n"
      "const m = @get_dsd(mem4d_dsd, .{ .tensor_access = |i,j,k|{2,2,3} -> c[i, j, k + 1] });\n"
      "comptime { @load_to_dsr_xdsr_sr(r, @get_xdsr(1), .{ @get_sr(0) }, m); }\n"
      RUN("for (@range(i16, 2)) |i| { for (@range(i16, 3)) |j| { for (@range(i16, 4)) |k| { c[i, j, k] = 100 * i + 10 * j "
      "+ k; } } } @mov16(to, r); @assert(b[0] == 1); @assert(b[2] == 3); @assert(b[3] == 11); @assert(b[6] == 101); "
      "@assert(b[11] == 113); count(1);") },
    { "control tasks with a table of their own: an id may be a local task's too", HEAD LOOP
      "const stop = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = loop, .output_queue = oq, .control = true });\n"
      "const wse3 = @is_arch(\"wse3\"); const cid = @get_control_task_id(if (wse3) 9 else 40);\n"
      "task control(x: u16) void { @assert(x == 77); @activate(next_id); }\n"
      "comptime { @bind_control_task(control, cid); if (wse3) @set_control_task_table(.{ .instructions = 8, "
      ".stride = 4 }); @unblock(if (wse3) iq else loop); }\n"
      RUN("@mov32(stop, @as(u32, @get_int(cid)) << 16 | 77);") NEXT("count(1);") },
    { "rotating tasks: the alternative runs in the place of every third", HEAD
      "var runs: u16 = 0; var others: u16 = 0; task step() void { if (@is_arch(\"wse2\")) turn(); else { runs += 1; "
      "more(); } }\n"
      "task other() void { others += 1; more(); } fn turn() void { if ((runs + others) % 3 == 2) { others += 1; } else { "
      "runs += 1; } more(); }\n"
      "fn more() void { if (runs + others < 9) @activate(next_id); else { @assert(runs == 6); @assert(others == 3); "
      "count(1); } }\n"
      "comptime { if (@is_arch(\"wse3\")) @bind_rotating_tasks(step, other, next_id, .{ .limit = 2 }); else "
      "@bind_local_task(step, next_id); }\n"
      RUN("@activate(next_id);") },
#define ACTIONS IOTA16("space", 4) "const fifo = @allocate_fifo(space, .{ .empty_action = .{ .terminate = true } });\n" \
      IOTA16("a", 4) IOTA16("b", 9) MEM("from", "a", 4) MEM("to", "b", 9)
    { "FIFO: .empty_action = terminate ends an operation as if it were complete", HEAD ACTIONS
      RUN(FILL("a", 4) "@assert(@mov16(fifo, from)); @set_fifo_read_length(fifo, 9); @assert(@mov16(to, fifo)); "
      "@assert(b[3] == 4); @assert(b[4] == 0); count(1);") },
    { "FIFO: .empty_action = terminate, asynchronous", HEAD LOOP ACTIONS
      RUN(FILL("a", 4) "@assert(@mov16(fifo, from)); @mov16(@set_dsd_length(out, 9), fifo, .{ .async = true, "
      ".activate = next }); @mov16(@set_dsd_length(to, 4), @set_dsd_length(in, 4));")
      NEXT("@assert(b[3] == 4 or b[3] == 0); count(1);") },
    { "FIFO: .full_action = suspend lets a synchronous operation wait for room (WSE-3)", HEAD LOOP IOTA16("space", 4)
          "const fifo = @allocate_fifo(space, if (@is_arch(\"wse3\")) .{ .full_action = .{ .suspend = true } } else .{});\n"
      IOTA16("a", 8) IOTA16("b", 8) MEM("from", "a", 8) MEM("to", "b", 8)
      RUN(FILL("a", 8) "@set_fifo_read_length(fifo, 8); @mov16(@set_dsd_length(out, 8), fifo, .{ .async = true }); "
      "@mov16(to, @set_dsd_length(in, 8), .{ .async = true, .activate = next }); const whole = @mov16(fifo, from); "
      "@assert(whole == @is_arch(\"wse3\")); if (!whole) @mov16(fifo, @increment_dsd_offset(@set_dsd_length(from, 4), 4, "
      "i16));") NEXT("@assert(b[7] == 8); count(1);") },
#define CONTROL LOOP IOTA16("a", 2) "var b = @zeros([9]i16);\n" MEM("from", "a", 2) MEM("to", "b", 9) \
      "const in9 = @set_dsd_length(in, 9); const stop = @get_dsd(fabout_dsd, .{ .extent = 1, " \
      ".fabric_color = loop, .output_queue = oq, .control = true });\n" \
                "fn send() void { @mov16(out, from); @mov32(stop, 0x003f0000); }\n"
    { "on_control: terminate, then the completion's own action", HEAD CONTROL
      RUN(FILL("a", 2) "@mov16(to, in9, .{ .async = true, .on_control = .{ .terminate = true }, "
      ".activate = next }); send();") NEXT("@assert(b[1] == 2); @assert(b[2] == 0); count(1);") },
    { "on_control: activate", HEAD CONTROL RUN(FILL("a", 2)
          "@mov16(to, in9, .{ .async = true, .on_control = .{ .activate = next_id } }); "
          "send();") NEXT("@assert(b[1] == 2); @assert(b[2] == 0); count(1);") },
    { "on_control: unblock", HEAD CONTROL "comptime { @block(next_id); @activate(next_id); }\n" RUN(FILL("a", 2)
          "@mov16(to, in9, .{ .async = true, .on_control = .{ .unblock = next } }); "
          "send();") NEXT("@assert(b[1] == 2); count(1);") },
    { "on_control: the control wavelet stays in the queue, for the next operation", HEAD CONTROL "var w: u32 = 0;\n"
      RUN(FILL("a", 2) "@mov16(to, in9, .{ .async = true, .on_control = .{ .terminate = true }, .activate = next }); "
      "@mov16(out, from); @mov32(stop, 0x003f0005); @mov32(out, 0x00070006);")
      NEXT("@mov32(&w, in); @assert(w == 0x003f0005); @mov32(&w, in); @assert(w == 0x00070006); count(1);") },
    { "on_control: the control wavelet stays in the queue, for its task", HEAD CONTROL "const cid = @get_control_task_id(20);\n"
      "var told = false; task ctrl(x: u16) void { told = true; @assert(x == 7); @activate(third_id); }\n"
      "comptime { @bind_control_task(ctrl, cid); @block(if (@is_arch(\"wse2\")) loop else iq); }\n"
      RUN(FILL("a", 2) "@mov16(to, in9, .{ .async = true, .on_control = .{ .activate = next } }); @mov16(out, from); "
      "@mov32(stop, @as(u32, @get_int(cid)) << 16 | 7);")
      NEXT("@assert(!told); @unblock(if (@is_arch(\"wse2\")) loop else iq);") THIRD("@assert(told); count(1);") },
    { "simd_32: two values in a wavelet", HEAD LOOP IOTA16("a", 4) "var g = @zeros([2]u32);\n" MEM("from",
          "a", 4) MEM("to", "g", 2) "const in2 = @set_dsd_length(in, 2);\n"
      "const pairs = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = loop, .output_queue = oq, "
      ".simd_mode = .{ .simd_32 = true } });\n"
      RUN(FILL("a", 4) "@mov16(pairs, from); @mov32(to, in2); @assert(g[0] == 0x00020001); "
      "@assert(g[1] == 0x00040003); count(1);") },
#define SIMD(mode) HEAD LOOP "var b = @zeros([4]i16);\n" MEM("to", "b", 4) \
      "const in4 = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = loop, .input_queue = iq, .simd_mode = .{ ." mode \
      " = true } });\nfn pause() void { var k: u16 = 0; while (k < 200) { k += 1; } }\n"
    { "simd_32: received, a wavelet is two values", SIMD("simd_32")
      RUN("@mov16(to, in4, .{ .async = true, .activate = next }); @mov32(out, 0x00020001); pause(); @assert(b[1] == 2); "
      "@assert(b[2] == 0); @mov32(out, 0x00040003);") NEXT("@assert(b[2] == 3); @assert(b[3] == 4); count(1);") },
    { "simd_64: two wavelets have to be there", SIMD("simd_64")
      RUN("@mov16(to, in4, .{ .async = true, .activate = next }); @mov32(out, 0x00020001); pause(); @assert(b[0] == 0); "
      "@mov32(out, 0x00040003);") NEXT("@assert(b[0] == 1); @assert(b[3] == 4); count(1);") },
    { "simd_64: the last wavelet of an odd number comes alone", SIMD("simd_64") "const three = @set_dsd_length(in4, 6); "
          "var c = @zeros([6]i16);\n" MEM("six", "c", 6)
      RUN("@mov16(six, three, .{ .async = true, .activate = next }); @mov32(out, 0x00020001); @mov32(out, 0x00040003); "
      "pause(); @assert(c[3] == 4); @mov32(out, 0x00060005);") NEXT("@assert(c[4] == 5); @assert(c[5] == 6); count(1);") },
    { "simd_32_or_64: one wavelet is enough", SIMD("simd_32_or_64")
      RUN("@mov16(to, in4, .{ .async = true, .activate = next }); @mov32(out, 0x00020001); pause(); @assert(b[0] == 1); "
      "@assert(b[1] == 2); @mov32(out, 0x00040003);") NEXT("@assert(b[3] == 4); count(1);") },
    { "advance_switch: the position moves with the last wavelet, once", HEAD "var x: u32 = 0;\n"
      "comptime { @set_local_color_config(loop, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } }, .switches = .{ .pos1 = .{ "
      ".rx = WEST }, .pos2 = .{ .rx = SOUTH } } }); @initialize_queue(iq, .{ .color = loop });\n"
      "  if (@is_arch(\"wse3\")) @initialize_queue(oq, .{ .color = loop }); else @initialize_queue(oq); }\n"
      "const in = @get_dsd(fabin_dsd, .{ .extent = 1, .fabric_color = loop, .input_queue = iq });\n"
      "const out = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = loop, .output_queue = oq });\n"
      "const last = @get_dsd(fabout_dsd, .{ .extent = 2, .fabric_color = loop, .output_queue = oq, .advance_switch = true });\n"
      "fn position() u16 { return @get_config(0x7f40 + @get_int(loop)) >> 13 & 3; }\n"
      RUN("@mov32(out, 5); @mov32(&x, in); @assert(position() == 0); @mov32(last, 6); @mov32(&x, in); @mov32(&x, in); "
      "@assert(x == 6); @assert(position() == 1); count(1);") },
    { "zero: a source is cleared when the operation is complete", HEAD LOOP "var x = @constants([4]f16, 3.0); "
          "var y = @constants([4]f16, 2.0); var got: i16 = 0;\n" MEM("first", "x", 4) MEM("second", "y", 4)
          "const in4 = @set_dsd_length(in, 4);\n"
      "const clear1 = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = loop, .output_queue = oq, "
      ".zero = .{ .first_source = true } }); const clear2 = @get_dsd(fabout_dsd, .{ .extent = 4, "
      ".fabric_color = loop, .output_queue = oq, .zero = .{ .second_source = true } });\n"
      RUN("@fmulh(clear1, first, second); @mov16(&got, in4); @assert(got == 0x4600); @assert(x[3] == 0.0); "
      "@assert(y[3] == 2.0); @fmovh(clear2, second); @mov16(&got, in4); @assert(y[0] == 0.0); count(1);") },
    { "control_transform: the control bit goes through a FIFO", HEAD LOOP "var space = @zeros([8]u32); "
          "const fifo = @allocate_fifo(space); var g = @zeros([2]u32);\n" MEM("to", "g", 2)
      "const mark = @get_dsd(fabin_dsd, .{ .extent = 2, .fabric_color = loop, .input_queue = iq, "
      ".control_transform = true }); const stop = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = loop, "
      ".output_queue = oq, .control = true });\n"
      RUN("@mov32(out, 0x00050001); @mov32(stop, 0x00060002); @mov32(fifo, mark); @mov32(to, fifo); "
      "@assert(g[0] == 0x00050001); @assert(g[1] == 0x80060002); count(1);") },
    { "control_transform: the mask turns bits of the control task's id", HEAD LOOP
          "const tc = @import_module(\"<tile_config>\"); var got: u32 = 0;\n"
      "const mark = @get_dsd(fabin_dsd, .{ .extent = 1, .fabric_color = loop, .input_queue = iq, "
      ".control_transform = true }); const stop = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = loop, "
      ".output_queue = oq, .control = true }); comptime { tc.control_transform.set_mask(0x42); }\n"
      RUN("@mov32(stop, 0x00060002); @mov32(&got, mark); @assert(got == 0x80040002); @mov32(out, 0x00060002); "
      "@mov32(&got, mark); @assert(got == 0x00060002); count(1);") },
    { "queues with control tasks of their own (WSE-3)", HEAD
      "const wse3 = @is_arch(\"wse3\"); comptime { @set_local_color_config(loop, .{ .routes = .{ .rx = .{ RAMP }, "
      ".tx = .{ RAMP } } }); @initialize_queue(iq, if (wse3) .{ .color = loop, .ctrl_table_id = 5 } else .{ .color = "
      "loop }); @initialize_queue(oq, if (wse3) .{ .color = loop } else .{}); @unblock(if (wse3) iq else loop);\n"
      "if (wse3) @set_control_task_table(.{ .stride = 4 }); }\n"
      "const stop = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = loop, .output_queue = oq, .control = true });\n"
      "task control() void { @activate(next_id); } task wrong() void { @assert(false); }\n"
      "comptime { @bind_control_task(control, @get_control_task_id(if (wse3) 31 - 8 else 40)); "
      "if (wse3) @bind_control_task(wrong, @get_control_task_id(3)); }\n"
      RUN("@mov32(stop, @as(u32, if (wse3) 3 else 40) << 16);") NEXT("count(1);") },
    { "length 0: a destination takes nothing, whatever the sources are", HEAD IOTA16("a", 4) IOTA16("b", 4)
          "var m = @zeros([4,4]i16); var n: u16 = 0; const dest = @get_dsr(dsr_dest, 2);\n" MEM("to", "b", 4)
          MEM("from", "a", 4) "const none4 = @get_dsd(mem4d_dsd, .{ .tensor_access = |i,j|{0,3} -> m[i,j] });\n"
          "const none1 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{0} -> b[i] });\n"
      RUN(FILL("a", 4) "const none = @set_dsd_length(to, n);\n"
      "@assert(@mov16(@set_dsd_length(to, 0), 5)); @mov16(none, 5); @mov16(none1, 5); @mov16(none4, 5); "
      "@mov16(@set_dsd_length(to, 0), from); @mov16(none, from); @mov16(none4, from); @add16(none, from, from); "
      "@add16(none, from, 3); @load_to_dsr(dest, none); @mov16(dest, 5); @mov16(dest, from);\n"
      "for (@range(i16, 4)) |k| { @assert(b[k] == 0); @assert(m[0,k] == 0); } "
      "@mov16(@set_dsd_length(to, n + 1), 5); @assert(b[0] == 5); @assert(b[1] == 0); count(1);") },
    { "length 0: nothing comes from the only operand", HEAD "var a = @constants([4]f32, 2.0); "
          "var i = @constants([4,4]i16, 2); var n: u16 = 0; var x: i16 = 7; var m: f32 = 3.0;\n" MEM("from", "a", 4)
          "const none4 = @get_dsd(mem4d_dsd, .{ .tensor_access = |k,l|{2,0} -> i[k,l] });\n"
          "const src = @get_dsr(dsr_src1, 2);\n"
      RUN("const none = @set_dsd_length(from, n); @fadds(&m, m, none); @fmovs(&m, none); "
      "@fmovs(&m, @set_dsd_length(from, 0)); @mov16(&x, none4); @load_to_dsr(src, none); @fmovs(&m, src); "
      "@assert(m == 3.0); @assert(x == 7); count(1);") },
    { "length 0: the fabric neither gets nor gives, and completion comes at once", HEAD LOOP "var x: i16 = 7; "
          "var n: u16 = 0; const empty = @set_dsd_length(in, 0);\n"
      RUN("@mov16(@set_dsd_length(out, 0), 5); @mov16(@set_dsd_length(out, n), 5); @mov16(&x, empty); "
      "@mov16(&x, @set_dsd_length(in, n)); @assert(x == 7); @mov16(out, 3, .{ .async = true });\n"
      "@mov16(@set_dsd_length(out, n), 6, .{ .async = true, .activate = next });")
      NEXT("@mov16(&x, empty, .{ .async = true, .activate = third });")
      THIRD("@assert(x == 7); @mov16(&x, in); @assert(x == 3); count(1);") },
    { "length 0: of a FIFO where it was set and is the only one", HEAD IOTA16("space", 8) "var x: i16 = 7; "
          "var n: u16 = 0; const fifo = @allocate_fifo(space);\n"
      RUN("@mov16(fifo, 5); @set_fifo_write_length(fifo, n); @mov16(fifo, 6); @set_fifo_read_length(fifo, 0); "
      "@assert(@mov16(&x, fifo)); @assert(x == 7); @set_fifo_read_length(fifo, 1); @assert(@mov16(&x, fifo)); "
      "@assert(x == 5); @assert(!@mov16(&x, fifo)); count(1);") },
    { "map: as many elements as the shortest DSD", HEAD IOTA16("a", 8) "var b = @zeros([8]i16); "
          "var calls: u16 = 0; fn f(x: i16, y: i16) i16 { calls += 1; return x * y; }\n" MEM("from",
          "a", 8) MEM("to", "b", 5)
      RUN(FILL("a", 8) "@map(f, from, 3, to); @assert(b[4] == 15); @assert(b[5] == 0); count(1);") },
    { "map: a fold through a pointer that is input and output", HEAD IOTA16("a", 8) "var sum: i16 = 0; "
          "fn f(x: i16, s: *i16) i16 { return x + s.*; }\n" MEM("from", "a", 8)
      RUN(FILL("a", 8) "@map(f, from, &sum, &sum); @assert(sum == 36); count(1);") },
    { "ids at run time", HEAD "var n: u16 = "
          "9;\n" RUN("@activate(@get_local_task_id(n));") NEXT("@assert(@get_int(next_id) == 9); count(1);") },
    { "activated twice before it runs: it runs once; blocked, it waits", HEAD
          "var runs: u16 = 0;\n" RUN("@activate(next_id); @activate(next_id); @block(next_id); "
          "@activate(third_id);") THIRD("@assert(runs == 0); @unblock(next_id);") NEXT("runs += 1; "
          "@assert(runs == 1); count(1);") },
};
// clang-format on

/* The value of a 16-bit variable of the PE; fails when there is none. */
static unsigned word_of(tw__wse *w, const tw__csl_image *image, const char *name)
{
    const tw__csl_program *p = &image->programs[image->pes[0].program];
    for (size_t i = 0; i < p->symbol_count; i++)
        if (!strcmp(p->symbols[i].name, name)) {
            const uint8_t *at = tw__wse_memory(w, 0, 0) + p->symbols[i].address;
            return at[0] | (unsigned)at[1] << 8;
        }
    fail_msg("no symbol '%s'", name);
    return 0;
}

static void csl_dsd_programs(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        for (unsigned wse3 = 0; wse3 < 2; wse3++) {
            compiled c = compile_text(programs[i].text, wse3);
            tw__wse *w = c.image ? tw__wse_new(c.image, NULL, c.diags) : NULL;
            tw_status status = w ? tw__wse_run(w, 200000, NULL, NULL) : TW_E_PARSE;
            unsigned done = status == TW_OK ? word_of(w, c.image, "done") : 0;
            bool both = strstr(programs[i].text, "count(10)") != NULL;
            if (status != TW_OK || done != (both ? 11u : 1u)) {
                tw_diags_print(c.diags, stderr, false);
                fprintf(stderr, "WSE-%u, '%s': %s, done = %u\n%s\n", wse3 + 2, programs[i].clause,
                        tw_status_name(status), done, programs[i].text);
                bad++;
            }
            tw__wse_free(w);
            compiled_free(&c);
        }
    if (bad) fail_msg("%u programs fail", bad);
}

/* Two operations that each want the datapath in every cycle: how long the synchronous one takes tells who goes first.
 * Low microthreads give way to it, medium and high ones do not. WSE-3, where a step of @fmacs takes two cycles. */
static void csl_dsd_priorities(void **state)
{
    (void)state;
    static const struct {
        const char *priority;
        bool gives_way;
    } rows[] = { { "", true },
                 { ", .priority = .{ .low = true }", true },
                 { ", .priority = .{ .medium = true }", false },
                 { ", .priority = .{ .high = true }", false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "const time = @import_module(\"<time>\"); export var done: u16 = 0; var t = @zeros([3]u16);\n"
                 "var u = @zeros([3]u16); var m = @zeros([100]f32);\n"
                 "const mem = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{100} -> m[i] });\n"
                 "const a = @get_color(4); const b = @get_color(5); const run_id = @get_local_task_id(8);\n"
                 "comptime { @set_local_color_config(a, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } } });\n"
                 "  @set_local_color_config(b, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } } });\n"
                 "  @initialize_queue(@get_output_queue(2), .{ .color = a });\n"
                 "  @initialize_queue(@get_output_queue(3), .{ .color = b }); }\n"
                 "const one = @get_dsd(fabout_dsd, .{ .extent = 100, .fabric_color = a,\n"
                 "  .output_queue = @get_output_queue(2)%s });\n"
                 "const two = @get_dsd(fabout_dsd, .{ .extent = 100, .fabric_color = b,\n"
                 "  .output_queue = @get_output_queue(3) });\n"
                 "task run() void {\n  time.enable_tsc(); time.get_timestamp(&t);\n"
                 "  @fmacs(one, mem, mem, 2.0, .{ .async = true }); @fmacs(two, mem, mem, 2.0);\n"
                 "  time.get_timestamp(&u); done = u[0] - t[0];\n}\n"
                 "comptime { @bind_local_task(run, run_id); @activate(run_id); }\n",
                 rows[i].priority);
        compiled c = compile_good(text, true);
        tw__wse *w = tw__wse_new(c.image, &(tw__wse_options){ .check = TW__WSE_CHECK_OFF }, c.diags);
        assert_non_null(w);
        assert_int_equal(tw__wse_run(w, 200000, NULL, NULL), TW_OK);
        unsigned cycles = word_of(w, c.image, "done");
        if (rows[i].gives_way ? cycles < 200 || cycles > 300 : cycles < 380 || cycles > 500)
            fail_msg("priority '%s': the synchronous operation took %u cycles", rows[i].priority, cycles);
        tw__wse_free(w);
        compiled_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csl_dsd_programs),
        cmocka_unit_test(csl_dsd_priorities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
