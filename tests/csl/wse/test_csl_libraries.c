/* SPDX-License-Identifier: MIT */
/* The libraries that programs import as <name>: what each documented function gives on a PE of either chip, against
 * values worked out by hand or with the C library. */
#include "csl/wse/library_kit.h"

#include <math.h>

/* Spec 4.5: bits of control payloads, with its check values. */
static void control(void **state)
{
    (void)state;
    EXPECT("const c = @import_module(\"<control>\"); const s = @import_module(\"<memcpy/memcpy_switches>\");\n"
           "const id = @get_control_task_id(40); var data: u16 = 9;",
           "out[0] = c.encode_single_payload(c.opcode.SWITCH_ADV, true, {}, 0);\n"
           "out[1] = c.encode_control_task_payload(id);\n"
           "out[2] = c.encode_single_payload(c.opcode.TEARDOWN, false, id, data);\n"
           "out[3] = c.encode_payload(2, [2]c.opcode{ c.opcode.SWITCH_ADV, c.opcode.SWITCH_ADV },\n"
           "  [2]bool{ true, true }, true, {});\n"
           "out[4] = s.ctrl(s.switch_cmd_11()); out[5] = s.ctrl(s.teardown_cmd_1());\n"
           "out[6] = @as(u32, c.MAX_CMDS);",
           0x015f0000, 40u << 16, 40u << 16 | 3u << 22 | 9, 0x0b5f9249, 0x0b5f9249, 0x09df9249, 8);
}

/* Functions that give their result exactly. */
static void math_exact(void **state)
{
    (void)state;
    EXPECT(
        "const m = @import_module(\"<math>\"); var x: f32 = -2.5; var h: f16 = -2.5; var i: i16 = -7; var z: f32 = "
        "0.0;",
        "put_f32(0, m.floor(x)); put_f32(1, m.ceil(x)); put_f32(2, m.abs(x)); put_f32(3, m.sign(x));\n"
        "put_f32(4, m.max(x, 1.0)); put_f32(5, m.min(x, 1.0)); put_f32(6, m.fscale(x, 3)); put_f32(7, m.inv(x));\n"
        "put_f16(8, m.floor(h)); put_f16(9, m.ceil_f16(h)); put_f16(10, m.abs(h)); put_f16(11, m.fscale(h, -20));\n"
        "out[12] = @bitcast(u32, @as(i32, m.abs(i))); out[13] = @as(u32, m.subsat(@as(u16, 3), 5));\n"
        "out[14] = @as(u32, m.isNaN(z / z)); out[15] = @as(u32, m.isInf(1.0 / z));\n"
        "out[16] = @as(u32, m.isFinite(x)); out[17] = @as(u32, m.signbit(x)); put_f32(18, m.sig(x));\n"
        "put_f32(19, m.sqrt_f32(2.0)); put_f16(20, m.sqrt(@as(f16, 2.0))); put_f32(21, m.invsqrt_f32(4.0));\n"
        "put_f32(22, m.floor(@as(f32, 16777218.0))); put_f32(23, m.ceil(@as(f32, -0.5)));\n"
        "out[24] = @bitcast(u32, @as(i32, m.sign_i16(i))); put_f32(25, m.NEGATIVE_INF_f32);\n"
        "put_f32(26, m.max(z / z, 1.0)); out[27] = @as(u32, m.isSignaling(z / z));",
        0xc0400000, 0xc0000000, 0x40200000, 0xbf800000, 0x3f800000, 0xc0200000, 0xc1a00000, 0xbecccccd, 0xc200,
        0xc000, 0x4100, 0x8028, 7, 0, 1, 1, 1, 1, 0xbfa00000, 0x3fb504f3, 0x3da8, 0x3f000000, 0x4b800001,
        0x80000000, 0xffffffff, 0xff800000, 0x3f800000, 0);
}

/* The other formats of 16 bits, narrow and unsigned integers; significands of subnormals. */
static void math_other_types(void **state)
{
    (void)state;
    EXPECT(
        "const m = @import_module(\"<math>\"); var c: cb16 = -2.5; var b: bf16 = 1.5; var u: u8 = 5; var w: i64 = "
        "-5;\n"
        "var h: f16 = 0.0; var t: f32 = 0.0;\n"
        "fn cb(x: cb16) u32 { return @as(u32, @bitcast(u16, x)); }\n"
        "fn bf(x: bf16) u32 { return @as(u32, @bitcast(u16, x)); }",
        "out[0] = cb(m.abs(c)); out[1] = cb(m.floor(c)); out[2] = bf(m.ceil(b)); out[3] = bf(m.max(b, 2.0));\n"
        "out[4] = @as(u32, m.signbit(c)); out[5] = @as(u32, m.isNaN(b)); out[6] = @as(u32, m.abs(u)) + @as(u32, "
        "m.sign(u));\n"
        "out[7] = @as(u32, m.abs(w) == 5 and m.min(w, 2) == -5 and m.sign(w) == -1);\n"
        "out[8] = bf(m.POSITIVE_INF(bf16)); out[9] = @as(u32, m.isInf(m.NEGATIVE_INF(cb16)));\n"
        "out[10] = @as(u32, m.isNaN(m.NaN(bf16))); out[11] = bf(m.fscale(b, -3)); out[12] = cb(m.fscale(c, 4));\n"
        "h = @bitcast(f16, @as(u16, 3)); put_f16(13, m.sig(h)); t = @bitcast(f32, @as(u32, 0x80000001));\n"
        "put_f32(14, m.sig(t)); out[15] = bf(m.sqrt(@as(bf16, 9.0))); out[16] = bf(m.sig(b));",
        /* cb16: 9 bits of fraction, bias 42 */
        0x5680, 0xd700, 0x4000, 0x4000, 1, 0, 6, 1, 0x7f80, 1, 1, 0x3e40, 0xde80, 0x3e00, 0xbf800000, 0x4040,
        0x3fc0);
}

/* Transcendental functions within two units in the last place of the C library. */
static void math_rounded(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double (*f)(double);
        float x[4];
    } rows[] = {
        { "exp", exp, { 0.0f, 1.0f, -3.25f, 20.5f } },  { "log", log, { 1.0f, 0.1f, 7.5f, 12345.0f } },
        { "sin", sin, { 0.5f, -2.0f, 3.0f, 100.25f } }, { "cos", cos, { 0.5f, -2.0f, 3.0f, 100.25f } },
        { "tanh", tanh, { 0.0f, 0.5f, -2.0f, 9.0f } },  { "sqrt", sqrt, { 0.0f, 2.0f, 1e-30f, 12345.0f } },
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int arch = 0; arch < 2; arch++) {
            char body[600], top[300];
            uint32_t out[OUT], bits[4];
            memcpy(bits, rows[r].x, sizeof bits);
            snprintf(body, sizeof body,
                     "for (x) |v, k| { put_f32(@as(u16, k), m.%s_f32(@bitcast(f32, v)));\n"
                     "  put_f16(@as(u16, k) + 4, m.%s(@as(f16, @bitcast(f32, v)))); }",
                     rows[r].name, rows[r].name);
            snprintf(top, sizeof top, "const m = @import_module(\"<math>\"); var x = [4]u32{ %u, %u, %u, %u };",
                     bits[0], bits[1], bits[2], bits[3]);
            run_body(top, body, arch, out);
            for (int k = 0; k < 4; k++) {
                float got;
                memcpy(&got, &out[k], 4);
                double want = rows[r].f(rows[r].x[k]);
                double ulp = ldexp(1.0, want == 0 ? -149 : ilogb(want) - 23);
                if (fabs(got - want) > 2 * ulp)
                    fail_msg("%s(%g) = %.9g, expected %.9g", rows[r].name, (double)rows[r].x[k], (double)got, want);
            }
        }
    uint32_t out[OUT];
    run_body("const m = @import_module(\"<math>\"); var a: f32 = 3.0;", "put_f32(0, m.pow(a, 2.5));", true, out);
    float got;
    memcpy(&got, out, 4);
    assert_true(fabs(got - pow(3.0, 2.5)) < 2e-6);
}

/* Numbers stay in their interval; a seed gives the same numbers again, another one others; means are where they
 * belong. */
static void random_numbers(void **state)
{
    (void)state;
    for (int arch = 0; arch < 2; arch++) {
        uint32_t out[OUT];
        run_body(
            "const r = @import_module(\"<random>\"); var bad: u32 = 0; var sum: f32 = 0.0; var squares: f32 = "
            "0.0;\n"
            "var normal: f32 = 0.0;",
            "r.set_global_prng_seed(12345); const a = r.random_pow_u32(32);\n"
            "r.set_global_prng_seed(54321); const b = r.random_pow_u32(32);\n"
            "r.set_global_prng_seed(12345); const c = r.random_pow_u32(32);\n"
            "out[0] = @as(u32, a == c); out[1] = @as(u32, a == b);\n"
            "for (@range(u16, 2000)) |i| {\n"
            "  const x = r.random_f32(-1.0, 3.0); if (x < -1.0 or x >= 3.0) bad += 1; sum += x;\n"
            "  const h = r.random_f16(2.0, 4.0); if (h < 2.0 or h >= 4.0) bad += 1;\n"
            "  if (r.random_pow_u32(5) > 31) bad += 1;\n"
            "  const n = r.random_normal_f32(); normal += n; squares += n * n;\n"
            "}\n"
            "out[2] = bad; put_f32(3, sum / 2000.0); put_f32(4, normal / 2000.0); put_f32(5, squares / 2000.0);",
            arch, out);
        float mean[3];
        memcpy(mean, out + 3, sizeof mean);
        assert_int_equal(out[0], 1);
        assert_int_equal(out[1], 0);
        assert_int_equal(out[2], 0);
        assert_true(fabsf(mean[0] - 1.0f) < 0.12f); /* four deviations of the mean of 2,000 */
        assert_true(fabsf(mean[1]) < 0.1f);
        assert_true(fabsf(mean[2] - 1.0f) < 0.15f);
    }
}

static void small_ones(void **state)
{
    (void)state;
    EXPECT("const d = @import_module(\"<directions>\");",
           "out[0] = @as(u32, comptime (d.flip(WEST) == EAST)); out[1] = @as(u32, comptime "
           "(d.rotate_clockwise(NORTH) == EAST));\n"
           "out[2] = @as(u32, comptime (d.rotate_counterclockwise(NORTH) == WEST));\n"
           "out[3] = @as(u32, comptime (d.flip_vertical(EAST) == EAST)); out[4] = @as(u32, comptime "
           "d.dirToTxBits(SOUTH));\n"
           "out[5] = @as(u32, comptime d.dirToRxBits(RAMP));",
           1, 1, 1, 1, 0x80, 0x10);
    EXPECT("const c = @import_module(\"<complex>\");",
           "const a = c.get_complex_64(1.0, 2.0); const b = c.get_complex_64(3.0, -1.0);\n"
           "const p = c.multiply_complex_64(a, b); const s = c.add_complex(a, b);\n"
           "put_f32(0, p.real); put_f32(1, p.imag); put_f32(2, s.real); put_f32(3, s.imag);\n"
           "const h = c.subtract_complex_32(c.get_complex_32(1.0, 0.5), c.get_complex_32(0.5, 0.5));\n"
           "put_f16(4, h.real); put_f16(5, h.imag);",
           0x40a00000, 0x40a00000, 0x40800000, 0x3f800000, 0x3800, 0);
    EXPECT("const m = @import_module(\"<malloc>\", .{ .buffer_num_words = 10 });",
           "out[0] = @as(u32, m.has_enough_words(10)); out[1] = @as(u32, m.has_enough_words(11));\n"
           "const a = m.malloc_u16(3); const b = m.malloc_f32(3); a[2] = 5; b[0] = 1.5; b[2] = 2.5;\n"
           "out[2] = @as(u32, a[2]); put_f32(3, b[0] + b[2]); out[4] = @as(u32, m.has_enough_words(1));\n"
           "m.free(); out[5] = @as(u32, m.has_enough_double_words(5)); out[6] = @as(u32, "
           "m.has_enough_double_words(6));\n"
           "const t = m.malloc(i16, 2); t[1] = -3; out[7] = @bitcast(u32, @as(i32, t[1]));",
           1, 0, 5, 0x40800000, 0, 1, 0, 0xfffffffd);
}

/* Clocks only go on, stand still when disabled, and begin again at a reset. */
static void clocks(void **state)
{
    (void)state;
    for (int arch = 0; arch < 2; arch++) {
        uint32_t out[OUT];
        run_body(
            "const t = @import_module(\"<time>\"); const w = @import_module(\"<timer>\", .{ .timerCount = 2 });\n"
            "var a = @zeros([3]u16); var b = @zeros([3]u16); var c = @zeros([3]u16); var d = @zeros([3]u16);\n"
            "var e = @zeros([3]u16); var x: f32 = 0.0;",
            "t.enable_tsc(); w.start(1); t.get_timestamp(&a);\n"
            "for (@range(u16, 100)) |i| { x += 1.0; }\n"
            "t.get_timestamp(&b); w.stop(1); w.elapsed(1, &e); t.disable_tsc(); t.get_timestamp(&c);\n"
            "for (@range(u16, 100)) |i| { x += 1.0; }\n"
            "t.get_timestamp(&d); out[0] = @as(u32, b[0]) - @as(u32, a[0]); out[1] = @as(u32, d[0]) - @as(u32, "
            "c[0]);\n"
            "out[2] = @as(u32, e[0]); t.enable_tsc(); t.reset_tsc_counter(); t.get_timestamp(&a); out[3] = "
            "@as(u32, a[0]);",
            arch, out);
        assert_true(out[0] >= 100 && out[0] < 10000);
        assert_int_equal(out[1], 0);
        assert_true(out[2] >= out[0] && out[2] < out[0] + 200);
        assert_true(out[3] < 50);
    }
}

/* <types>, <string>, <data_utils>, <math/type_helpers>: what they say is known at compile time. */
static void types_and_text(void **state)
{
    (void)state;
    EXPECT(
        "const t = @import_module(\"<types>\"); const s = @import_module(\"<string>\");\n"
        "const d = @import_module(\"<data_utils>\"); const h = @import_module(\"<math/type_helpers>\");\n"
        "const S = struct { a: u16, b: f32 }; var x = @zeros([3]f32);\n"
        "const view = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> x[i] });\n"
        "comptime {\n"
        "  @comptime_assert(t.is_unsigned_int(u16) and !t.is_unsigned_int(i16) and !t.is_unsigned_int(f32));\n"
        "  @comptime_assert(t.is_signed_int(i32) and !t.is_signed_int(u32) and !t.is_signed_int(f32));\n"
        "  @comptime_assert(t.is_float16(bf16) and t.is_float16(cb16) and !t.is_float16(f32));\n"
        "  @comptime_assert(t.is_float(f32) and !t.is_float(u16) and t.is_signed(f16) and !t.is_signed(u8));\n"
        "  @comptime_assert(t.is_enabled_float(f16) and t.is_enabled_float(f32) and !t.is_enabled_float(bf16));\n"
        "  @comptime_assert(t.is_numeric(u8) and !t.is_numeric(bool) and !t.is_numeric(S));\n"
        "  @comptime_assert(t.is_dsd(mem4d_dsd) and !t.is_dsd(u16) and t.is_dsr(dsr_src1) and !t.is_dsr(color));\n"
        "  @comptime_assert(t.has_dsd_type(view) and !t.has_dsr_type(view) and !t.has_dsd_type(x));\n"
        "  @comptime_assert(t.byte_size_of(S) == 8 and t.word_size_of(u32) == 2 and t.bit_size_of(u5) == 5);\n"
        "  @comptime_assert(t.min_byte_align_of(f32) == 4 and t.min_word_align_of(u16) == 1);\n"
        "  @comptime_assert(@is_same_type(t.bits_type_of(f32), u32) and @is_same_type(h.bits_type(f16), u16));\n"
        "  @comptime_assert(s.comptime_int_to_string(-120) == \"-120\" and s.comptime_int_to_string(0) == \"0\");\n"
        "  @comptime_assert(s.fmt(\"t_{d}_{X}_{b}_{{{d}{d}\", .{ 5, 255, 6, \"x\", true }) == "
        "\"t_5_FF_110_{xtrue\");\n"
        "}\n"
        "var wide: u32 = 0xdeadbeef; var wider: u64 = 0x123456789abcdef0; var one: f16 = 1.0;",
        "out[0] = @as(u32, d.hi16(wide)); out[1] = @as(u32, d.lo16(wide)); out[2] = d.hi32(wider);\n"
        "out[3] = d.lo32(wider); out[4] = @as(u32, h.bits_of(one));",
        0xdead, 0xbeef, 0x12345678, 0x9abcdef0, 0x3c00);
}

/* <dsd_ops>: each wrapper takes the operation of its types; a type that it does not know is said so. */
static void chosen_operations(void **state)
{
    (void)state;
    static const char top[] = "const o = @import_module(\"<dsd_ops>\");\n"
                              "var a = [2]f32{ 1.5, -2.0 }; var b = [2]f16{ 2.0, 4.0 }; var c = [2]i16{ 7, -3 }; "
                              "var d = [2]u32{ 9, 8 };\n"
                              "const av = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> a[i] });\n"
                              "const bv = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> b[i] });\n"
                              "const cv = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> c[i] });\n"
                              "const dv = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> d[i] });\n"
                              "const ov = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> out[i + 6] });\n"
                              "var m: f32 = 0.0; var n: f16 = 0.0;";
    EXPECT(
        top,
        "o.fmac(f32, f32, av, av, av, 2.0, .{}); o.add(f32, f16, av, av, bv, .{}); put_f32(0, a[0]);\n"
        "o.mul(f16, bv, bv, bv, .{}); o.sub(f16, bv, bv, 1.0, .{}); put_f16(1, b[1]);\n"
        "o.convert(f16, i16, bv, cv, .{}); put_f16(2, b[0]); o.convert(i16, f32, cv, av, .{});\n"
        "out[3] = @bitcast(u32, @as(i32, c[1])); o.mov(u32, ov, dv, .{});\n"
        "o.abs(f32, av, av, .{}); put_f32(4, a[1]); o.neg(f16, bv, bv, .{}); put_f16(5, b[0]);\n"
        "o.scale(f32, &m, @as(f32, 3.0), 2, .{}); put_f32(8, m); o.norm(f16, &n, @as(f16, 12.0), .{}); put_f16(9, "
        "n);\n"
        "o.max(f16, bv, bv, @as(f16, -1.0), .{}); put_f16(10, b[0]); out[11] = @as(u32, o.mov(f32, av, av, .{}));",
        0x40d00000, 0x4b80, 0x4700, 0xfffffffe, 0x40000000, 0xc700, 9, 8, 0x41400000, 0x3e00, 0xbc00, 1);
    compiled c = { 0 };
    char text[2048];
    snprintf(text, sizeof text,
             "export var out = @zeros([32]u32);\n%s\ntask main() void { o.mul(i16, cv, cv, cv, .{}); }\n"
             "comptime { @bind_local_task(main, @get_local_task_id(8)); }\n",
             top);
    compile_with(&c, text, (tw__csl_compile_options){ 0 });
    assert_null(c.image);
    const tw_diag *d = tw_diags_get(c.diags, 0);
    assert_non_null(strstr(d->message, "mul takes f16 and f32"));
    compiled_free(&c);
}

/* --- collectives: every operation, every root, lines of 1 to 5 PEs along both axes ---------------------------- */

static const char line_program[] =
    "const c2d = @import_module(\"<collectives_2d/params>\");\n"
    "layout {\n"
    "  @set_rectangle(%u, %u);\n"
    "  for (@range(u16, %u)) |y| { for (@range(u16, %u)) |x| {\n"
    "    const all = c2d.get_params(x, y, .{\n"
    "      .x_colors = .{ @get_color(0), @get_color(1) }, .x_entrypoints = .{ @get_local_task_id(10), "
    "@get_local_task_id(11) },\n"
    "      .y_colors = .{ @get_color(2), @get_color(3) }, .y_entrypoints = .{ @get_local_task_id(12), "
    "@get_local_task_id(13) },\n"
    "    });\n"
    "    @set_tile_code(x, y, \"pe.csl\", .{ .axis = all.%s, .root = @as(u16, %u), .i = %s });\n"
    "  } }\n"
    "}\n"
    "=== pe.csl\n"
    "param axis: comptime_struct; param root: u16; param i: u16;\n"
    "const mpi = @import_module(\"<collectives_2d/pe>\", .{ .dim_params = axis });\n"
    "const id = @get_local_task_id(8);\n"
    "export var out = @zeros([32]u32);\n"
    "var send = @zeros([10]u32); var sent = @zeros([3]f32); var got = @zeros([10]u32); var sum = @zeros([3]f32);\n"
    "var buf = @zeros([2]u32); var stage: u16 = 0;\n"
    "task main() void {\n"
    "  stage += 1;\n"
    "  if (stage == 1) {\n"
    "    mpi.init();\n"
    "    for (@range(u16, 10)) |k| { send[k] = @as(u32, 100 * (i + 1) + k); }\n"
    "    for (@range(u16, 3)) |k| { sent[k] = @as(f32, i * 10 + k); }\n"
    "    buf[0] = @as(u32, i) + 7; buf[1] = @as(u32, i) + 70;\n"
    "    mpi.broadcast(root, &buf, 2, id);\n"
    "  } else if (stage == 2) { mpi.scatter(root, &send, &got, 2, id);\n"
    "  } else if (stage == 3) { out[0] = buf[0]; out[1] = buf[1]; out[2] = got[0]; out[3] = got[1];\n"
    "    mpi.gather(root, &send, &got, 2, id);\n"
    "  } else if (stage == 4) { mpi.reduce_fadds(root, &sent, &sum, 3, id);\n"
    "  } else {\n"
    "    for (@range(u16, 10)) |k| { out[4 + k] = got[k]; }\n"
    "    for (@range(u16, 3)) |k| { out[14 + k] = @bitcast(u32, sum[k]); }\n"
    "    out[17] = @as(u32, mpi.pe_id); out[18] = 1;\n"
    "  }\n"
    "}\n"
    "comptime { @bind_local_task(main, id); @activate(id); }\n";

static void check_line(unsigned size, unsigned root, bool horizontal, bool wse3)
{
    char text[4096];
    unsigned width = horizontal ? size : 1, height = horizontal ? 1 : size;
    snprintf(text, sizeof text, line_program, width, height, height, width, horizontal ? "x" : "y", root,
             horizontal ? "x" : "y");
    compiled c;
    tw__wse *w;
    start(&w, &c, text, wse3);
    for (unsigned i = 0; i < size; i++) {
        uint32_t out[OUT];
        read_out(w, &c, horizontal ? i : 0, horizontal ? 0 : i, out);
        assert_int_equal(out[18], 1); /* it came to the end */
        assert_int_equal(out[17], i);
        assert_int_equal(out[0], root + 7);
        assert_int_equal(out[1], root + 70);
        assert_int_equal(out[2], 100 * (root + 1) + 2 * i);
        assert_int_equal(out[3], 100 * (root + 1) + 2 * i + 1);
        for (unsigned k = 0; i == root && k < 2 * size; k++)
            assert_int_equal(out[4 + k], 100 * (k / 2 + 1) + k % 2);
        for (unsigned k = 0; i == root && k < 3; k++) {
            float sum;
            memcpy(&sum, &out[14 + k], 4);
            assert_true(sum == (float)(size * k + 10 * (size * (size - 1) / 2)));
        }
    }
    tw__wse_free(w);
    compiled_free(&c);
}

static void collectives(void **state)
{
    (void)state;
    for (unsigned size = 1; size <= 5; size++)
        for (unsigned root = 0; root < size; root++)
            for (unsigned way = 0; way < 4; way++) check_line(size, root, way & 1, way & 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control),          cmocka_unit_test(math_exact),
        cmocka_unit_test(math_other_types), cmocka_unit_test(math_rounded),
        cmocka_unit_test(random_numbers),   cmocka_unit_test(small_ones),
        cmocka_unit_test(clocks),           cmocka_unit_test(collectives),
        cmocka_unit_test(types_and_text),   cmocka_unit_test(chosen_operations),
    };
    return cmocka_run_group_tests_name("csl_libraries", tests, NULL, NULL);
}
