/* SPDX-License-Identifier: MIT */
/* Packed structs and unions (CSL reference, types): fields lie from the least significant bit of a backing integer
 * on, at run time and at compile time. Expected words are put together by hand from the widths. */
#include "library_kit.h"

#define TYPES                                                           \
    "const P = packed struct { a: u3, b: i5, c: bool, d: u7 };\n"       \
    "const E = enum(u2) { red, green, blue };\n"                        \
    "const N = packed struct { lo: u4, p: P, e: E, f: f16, q: i26 };\n" \
    "const U = packed union { whole: u16, p: P };\n"                    \
    "const Odd = packed struct { x: u9, y: i3 };\n"                     \
    "var i: u16 = 3;\n"                                                 \
    "fn word(x: P) u32 { return @as(u32, @bitcast(u16, x)); }\n"

/* a = 5, b = -3 (29), c, d = 100: 5 + 29 * 8 + 256 + 100 * 512 */
static void fields(void **state)
{
    (void)state;
    EXPECT(TYPES "var p = P{ .a = 5, .b = -3, .c = true, .d = 100 };\n",
           "out[0] = word(p); out[1] = @as(u32, p.a); out[2] = @bitcast(u32, @as(i32, p.b));\n"
           "out[3] = if (p.c) 1 else 0; out[4] = @as(u32, p.d);\n"
           /* each write leaves the others alone */
           "p.a = @as(u3, i); out[5] = word(p); p.b = 7; out[6] = word(p); p.c = false; out[7] = word(p);\n"
           "p.d = @as(u7, i + 62); out[8] = word(p); p.a += 2; p.b -= 9; out[9] = word(p);\n"
           "p.a += 4; out[10] = @as(u32, p.a);\n",
           0xc9ed, 5, 0xfffffffd, 1, 100, 0xc9eb, 0xc93b, 0xc83b, 0x823b, 0x82f5, 1);
    /* twelve bits: what lies above them does not show */
    EXPECT(TYPES "var o = Odd{ .x = 0, .y = -4 };\n",
           "o.x = @as(u9, i) * 100; out[0] = @as(u32, @bitcast(u12, o)); out[1] = @bitcast(u32, @as(i32, o.y));\n"
           "const back = @bitcast(Odd, @as(u12, i + 0x400)); out[2] = @as(u32, back.x); out[3] = @bitcast(u32, "
           "@as(i32, back.y)); out[4] = @as(u32, @bitcast(u12, back));\n"
           "const lit = Odd{ .x = @as(u9, i), .y = 1 }; out[5] = @as(u32, @bitcast(u12, lit));\n",
           0x92c, 0xfffffffc, 3, 2, 0x403, 0x203);
}

/* n: 4 + 16 + 2 + 16 + 26 = 64 bits; f begins at bit 22, q at bit 38 */
static void nested(void **state)
{
    (void)state;
    EXPECT(
        TYPES "var n: N; var p = P{ .a = 3, .b = -16, .c = false, .d = 65 };\n",
        "n.lo = 9; n.p = p; n.e = E.blue; n.f = 1.5; n.q = -2; n.p.a = 6;\n"
        "const whole = @bitcast(u64, n); out[0] = @as(u32, whole & 0xffffffff); out[1] = @as(u32, whole >> 32);\n"
        "out[2] = @as(u32, n.p.a); out[3] = @as(u32, @bitcast(u16, n.f)); out[4] = @bitcast(u32, @as(i32, n.q));\n"
        "out[5] = if (n.e == E.blue) 1 else 0; var copy = n.p; copy.a = 0; out[6] = word(copy);\n"
        "out[7] = word(n.p); out[8] = @as(u32, n.lo);\n",
        /* 9 | 0x8286 << 4 | 2 << 20 | 0x3e00 << 22; q = 0x3fffffe << 6 | 0x3e00 >> 10 */
        0x80282869, 0xffffff8f, 6, 0x3e00, 0xfffffffe, 1, 0x8280, 0x8286, 9);
}

static void elsewhere(void **state)
{
    (void)state;
    /* arrays, pointers to the whole, loops, results of functions */
    EXPECT(TYPES
           "var v = [4]P{ P{ .a = 1, .b = 0, .c = false, .d = 0 }, P{ .a = 2, .b = 0, .c = false, .d = 0 },\n"
           "              P{ .a = 3, .b = 0, .c = false, .d = 0 }, P{ .a = 4, .b = 0, .c = false, .d = 0 } };\n"
           "fn set(x: *P, d: u16) void { x.*.d = @as(u7, d); x.b = -1; }\n"
           "fn make(a: u16) P { return P{ .a = @as(u3, a), .b = 1, .c = a == 3, .d = 2 }; }\n",
           "v[i].d = 127; set(&v[i - 1], 5); v[0] = @bitcast(P, @as(u16, 0xabcd) + i - 3);\n"
           "for (@range(u16, 4)) |k| { out[k] = word(v[k]); }\n"
           "var sum: u16 = 0; for (v) |item| { sum += @as(u16, item.a); } out[4] = @as(u32, sum);\n"
           "out[5] = word(make(i)); out[6] = word(make(2)); out[7] = @as(u32, make(i).d);\n",
           0xabcd, 2, 3 | 31 << 3 | 5 << 9, 4 | 127 << 9, 5 + 2 + 3 + 4, 3 | 1 << 3 | 1 << 8 | 2 << 9,
           2 | 1 << 3 | 2 << 9, 2);
    /* each element takes the bytes of its integer: 16 bits here, so the second one is the high half of a word */
    EXPECT(TYPES "var v = @zeros([2]u16);\n",
           "var q = @bitcast(*P, &v[1]); q.*.d = 1; out[0] = @as(u32, v[0]); out[1] = @as(u32, v[1]);\n", 0, 512);
    /* up to 8 bits are held in a byte */
    EXPECT(TYPES "const B = packed struct { a: u3, b: i5 };\nvar v = [4]u5{ 1, 2, 3, 4 };\n"
                 "var w = [2]B{ B{ .a = 1, .b = 0 }, B{ .a = 2, .b = 1 } };\n",
           "const q = @ptrcast([*]u16, &v); out[0] = @as(u32, q[0]); out[1] = @as(u32, q[1]);\n"
           "w[1].a = 3; const r = @ptrcast([*]u16, &w); out[2] = @as(u32, r[0]);\n",
           0x0201, 0x0403, 0x0b01);
    /* pointers are 16 bits, f32 are 32 */
    EXPECT(
        "const S = packed struct { x: i8, y: i8, p: *u16 };\nvar w: u16 = 77; var z: u16 = 5;\n"
        "const F = packed struct { x: i16, y: f32 };\n",
        "var s = S{ .x = -1, .y = 2, .p = &w }; out[0] = @as(u32, s.p.*); s.p = &z; s.p.* = 6;\n"
        "out[1] = @as(u32, z); out[2] = @bitcast(u32, s) & 0xffff;\n"
        "var f = F{ .x = -2, .y = 0.0 }; f.y = 1.0; out[3] = @as(u32, @bitcast(u48, f) >> 16); f.y = f.y + 1.0;\n"
        "out[4] = @bitcast(u32, f.y); out[5] = @bitcast(u32, @as(i32, f.x));\n",
        77, 6, 0x02ff, 0x3f800000, 0x40000000, 0xfffffffe);
}

static void unions(void **state)
{
    (void)state;
    EXPECT(TYPES "var u = U{ .whole = 0 };\nconst B = packed union { bit: bool, i: u1 };\nvar b = B{ .i = 0 };\n",
           "u.whole = 0x8123; out[0] = @as(u32, u.p.d); u.p.a = 7; out[1] = @as(u32, u.whole);\n"
           "const un = U{ .whole = i }; out[2] = @as(u32, un.p.a); out[3] = @as(u32, @bitcast(u16, u));\n"
           "b.i = @as(u1, i - 2); out[4] = if (b.bit) 1 else 0; b.bit = false; out[5] = @as(u32, b.i);\n"
           "const w = &u.whole; w.* = 9; out[6] = @as(u32, u.p.a);\n", /* a variant that fills it has an address */
           0x40, 0x8127, 3, 0x8127, 1, 0, 1);
}

static void known(void **state)
{
    (void)state;
    EXPECT(TYPES "const k = P{ .a = 1, .b = 2, .c = false, .d = 3 };\nconst t = [2]P{ k, k };\n"
                 "comptime {\n"
                 "  @comptime_assert(@bitcast(u16, k) == 0x611);\n"
                 "  const r = @bitcast(P, @as(u16, 0xfe05));\n"
                 "  @comptime_assert(r.a == 5 and r.b == 0 and !r.c and r.d == 127);\n"
                 "  @comptime_assert(@bitcast(P, 0xf8).b == -1);\n"
                 "  var m = U{ .whole = 0xffff };\n"
                 "  @comptime_assert(m.p.b == -1); m.p.a = 0; @comptime_assert(m.whole == 0xfff8);\n"
                 "  const o = @bitcast(Odd, @as(u12, 0x800));\n"
                 "  @comptime_assert(o.y == -4 and o.x == 0 and @bitcast(u12, o) == 0x800);\n"
                 "}\n",
           "out[0] = word(k); out[1] = word(t[i - 2]); out[2] = @as(u32, t[i - 3].d);\n"
           "const n = N{ .lo = 1, .p = k, .e = E.green, .f = 2.0, .q = -1 }; out[3] = @as(u32, @bitcast(u64, n) >> "
           "32);\n"
           "out[4] = word(n.p);\n",
           0x611, 0x611, 3, 0xffffffd0, 0x611);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields), cmocka_unit_test(nested), cmocka_unit_test(elsewhere),
        cmocka_unit_test(unions), cmocka_unit_test(known),
    };
    return cmocka_run_group_tests_name("csl_packed", tests, NULL, NULL);
}
