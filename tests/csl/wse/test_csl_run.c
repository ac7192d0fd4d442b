/* SPDX-License-Identifier: MIT */
/* The language at run time: programs of one PE compiled from text and run; what they leave in `out` (CSL reference,
 * statements-1.8). */
#include "csl/lang/sema/compile_check.h"
#include "csl/wse/wse.h"

#define OUT 8
typedef struct run_row {
    const char *top, *body;
    int64_t want[OUT]; /* out[], i32 */
} run_row;

static const tw__csl_symbol *find_symbol(const tw__csl_image *image, const char *name)
{
    for (size_t i = 0; i < image->programs[0].symbol_count; i++)
        if (!strcmp(image->programs[0].symbols[i].name, name)) return &image->programs[0].symbols[i];
    return NULL;
}

static const char module[] =
    "=== m.csl\nexport var shared: i32 = 41; var t = [2]u16{ 7, 8 };\nfn bump() void { shared += 1; }\n";

static void check_run(size_t number, const run_row *row, bool wse3)
{
    char text[8192];
    snprintf(text, sizeof text,
             "export var out = @zeros([8]i32);\n%s\ntask main() void {\n%s\n}\n"
             "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n%s",
             row->top, row->body, strstr(row->top, "m.csl") ? module : "");
    compiled c;
    compile_with(&c, text, (tw__csl_compile_options){ .wse3 = wse3 });
    tw_diags *faults = tw_diags_new();
    tw__wse *w = c.image ? tw__wse_new(c.image, NULL, faults) : NULL;
    if (!w || tw__wse_run(w, 1000000, NULL, NULL) != TW_OK) {
        tw_diags_print(c.diags, stderr, false);
        tw_diags_print(faults, stderr, false);
        fail_msg("row %zu does not run:\n%s", number, text);
    }
    const tw__csl_symbol *out = find_symbol(c.image, "out");
    assert_non_null(out);
    int32_t got[OUT];
    memcpy(got, tw__wse_memory(w, 0, 0) + out->address, sizeof got);
    for (int i = 0; i < OUT; i++)
        if (got[i] != row->want[i]) {
            char *listing = tw__csl_listing(c.image, 0);
            fail_msg("row %zu: out[%d] is %d, expected %lld\n%s\n%s", number, i, got[i], (long long)row->want[i],
                     text, listing);
        }
    tw__wse_free(w);
    tw_diags_free(faults);
    compiled_free(&c);
}

static void check_runs(const run_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_run(i, &rows[i], false);
        check_run(i, &rows[i], true);
    }
}

static void scalars(void **state)
{
    (void)state;
    static const run_row rows[] = {
        /* division truncates, fixed widths wrap silently at run time */
        { "var a: i32 = -7; var b: i32 = 2; var u: u16 = 0;",
          "out[0] = a / b; out[1] = a % b; out[2] = a * b - 1; u -= 1; out[3] = @as(i32, u); out[4] = -a; out[5] = "
          "~a;",
          { -3, -1, -15, 65535, 7, 6 } },
        { "var a: i16 = -8; var n: u16 = 2; var u: u16 = 0x8001; var w: u32 = 1;",
          "out[0] = @as(i32, a >> n); out[1] = @as(i32, u >> 1); out[2] = @as(i32, u << 1); out[3] = @as(i32, w << "
          "20);"
          "out[4] = @as(i32, (u & 0xff) | 0x10); out[5] = @as(i32, u ^ 0xffff); out[6] = @as(i32, a << n);",
          { -2, 0x4000, 2, 1 << 20, 0x11, 0x7ffe, -32 } },
        { "var a: u8 = 250; var b: i8 = 127; var q: i64 = 5000000000;",
          "a += 10; b += 1; out[0] = @as(i32, a); out[1] = @as(i32, b); q = q / 2; out[2] = @as(i32, q - "
          "2400000000);",
          { 4, -128, 100000000 } },
        { "var x: f32 = 2.5; var h: f16 = 1148.0; var y: f32 = -10.8;",
          "out[0] = @as(i32, x * 4.0); h = h + 0.5; out[1] = @as(i32, h); out[2] = @as(i32, y);"
          "out[3] = @as(i32, -x - 0.5); if (x > 2.0 and x <= 2.5) { out[4] = 1; } out[5] = @as(i32, @as(bool, x));"
          "out[6] = @as(i32, @as(f16, x) * 2.0);",
          { 10, 1148, -10, -3, 1, 1, 5 } },
        { "var x: f32 = 1.0; var bits: u32 = 0;",
          "bits = @bitcast(u32, x); out[0] = @as(i32, bits >> 16); x = @bitcast(f32, bits + 0x800000); out[1] = "
          "@as(i32, x);"
          "out[2] = @as(i32, @bitcast(i16, @as(u16, 65535)));",
          { 0x3f80, 2, -1 } },
        { "var a: u16 = 3; var b: bool = false;",
          "b = a == 3; out[0] = @as(i32, b); out[1] = @as(i32, !b); b = b and a > 5; out[2] = @as(i32, b);"
          "b = b or a < 5; out[3] = @as(i32, b); out[4] = if (b) 7 else 8; out[5] = @as(i32, if (a == 4) a else a "
          "+ 1);",
          { 1, 0, 0, 1, 7, 4 } },
        /* widening within a class needs no @as (later language version) */
        { "var a: u16 = 3; var b: u32 = 70000; var h: f16 = 1.5; var x: f32 = 0.0;",
          "b = b + a; out[0] = @as(i32, b); x = h; out[1] = @as(i32, x * 2.0); const w: i32 = a; out[2] = w;",
          { 70003, 3, 3 } },
    };
    check_runs(rows, COUNT(rows));
}

static void control_flow(void **state)
{
    (void)state;
    static const run_row rows[] = {
        { "var n: u16 = 5;",
          "for (@range(u16, n)) |i| { out[0] += @as(i32, i); }"
          "var i: i16 = 0; while (i < 10) : (i += 1) { if (i == 3) continue; if (i == 6) break; out[1] += @as(i32, "
          "i); }"
          "for (@range(i16, 8, 0, -2)) |k, at| { out[2] += @as(i32, k) * 10 + @as(i32, at); }",
          { 10, 12, 206 } },
        /* a step of run time goes up or down; a range the other way is empty (2.1) */
        { "var lo: i16 = -3; var hi: i16 = 6; var up: i16 = 2; var down: i16 = -4; var b: i8 = -128; var c: i8 = "
          "127;"
          "var s: i8 = 100;",
          "for (@range(i16, lo, hi, up)) |i| { out[0] = out[0] * 10 + @as(i32, i); }"
          "for (@range(i16, hi, lo, down)) |i, k| { out[1] = out[1] * 10 + @as(i32, i) + @as(i32, k); }"
          "for (@range(i16, hi, lo, up)) |i| { out[2] += 1; } for (@range(i16, lo, hi, down)) |i| { out[3] += 1; }"
          "for (@range(i16, lo, lo, up)) |i| { out[4] += 1; } for (@range(i8, b, c, s)) |i| { out[5] += @as(i32, "
          "i); }"
          "for (@range(i16, lo, hi, up)) |i| { if (i == -1) continue; if (i == 3) break; out[6] += @as(i32, i); }",
          { -3 * 10000 - 1000 + 100 + 30 + 5, 6 * 100 + 3 * 10 + 0, 0, 0, 0, -128 - 28 + 72, -2 } },
        /* alternatives of another type than what is made of them; amounts of shifts have a type of their own */
        { "var c: bool = true; var x: f32 = -7.5; var y: f32 = 2.5; var a: i8 = 3; var b: i32 = 100000; var n: u16 "
          "= "
          "2; var w: u32 = 3; var s: i32 = -64;",
          "out[0] = @as(i32, if (c) x else y); out[1] = @as(i32, @as(i16, if (c) b else 7));"
          "out[2] = s >> (if (c) n else 1); out[3] = s << (if (c) w else 9); s <<= if (c) n else 5; out[4] = s;"
          "out[5] = if (c) a else b; out[6] = (if (c) a else b) * 2;"
          "out[7] = @as(i32, switch (n) { 2 => y, else => x });",
          { -7, -31072, -16, -512, -256, 3, 6, 2 } },
        { "var c: bool = false; var x: i16 = -3; var f: f32 = 4.0; var a: u8 = 200; var w: u16 = 300;",
          "const y = if (c) @as(f32, 1.0) else if (x == -3) 2.0 else 3.0; out[0] = @as(i32, y);"
          "const z = if (c) 2.0 else if (x == -3) f else 1.0; out[1] = @as(i32, z);"
          "const v = if (c) a else if (x == -3) w else a; out[2] = v + 1;"
          "const u = switch (x) { -3 => a, else => w }; out[3] = u + 100;",
          { 2, 4, 301, 300 } },
        /* operators work on the types of their operands, whatever becomes of the result (1.6) */
        { "var c: bool = true; var a: u8 = 2; var b: u8 = 250; var p: i40 = 3; var n: u16 = 2;",
          "out[0] = @as(i32, ~(if (c) a else b)); out[1] = (if (c) b else a) + 10; out[2] = @as(i32, -(switch (n) "
          "{ 2 "
          "=> a, else => b }));"
          "out[3] = @as(i32, @as(i64, (if (c) p else 1) << 38) >> 38); out[4] = 1 + (if (c) 2 else 3);"
          "out[5] = @as(i32, x: { if (c) break :x 4; break :x 5; }); out[6] = 2 * (if (c) 40000 else 3);",
          { 253, 4, 254, -1, 3, 4, 80000 } },
        { "const t = [4]i32{ 1, 20, 300, 4000 }; var v = @zeros([3]i32);",
          "v[1] = 5; for (t) |x, i| { out[0] += x * @as(i32, i); } for (v) |x| { out[1] += x; }"
          "for (@zeros([6]u8)) |_, i| { out[2] += @as(i32, i); }",
          { 20 + 600 + 12000, 5, 15 } },
        { "var n: u16 = 2;",
          "outer: for (@range(u16, 4)) |i| { for (@range(u16, 4)) |j| { if (j > n) continue :outer; if (i == 3) "
          "break :outer; out[0] += 1; } }"
          "const x: i32 = found: { for (@range(i32, 9)) |i| { if (i * i > 30) break :found i; } break :found -1; "
          "}; out[1] = x;",
          { 9, 6 } },
        { "const E = enum(u16) { a, b, c }; var e: E = E.b; var n: i16 = 7;",
          "switch (e) { E.a => out[0] = 1, E.b => { out[0] = 2; }, E.c => out[0] = 3 }"
          "out[1] = switch (n) { 1, 2 => 10, 7 => 20, else => 30 }; e = E.c;"
          "switch (e) { E.a => out[2] = 1, else => out[2] = @as(i32, @get_int(e)) }",
          { 2, 20, 2 } },
        { "",
          "inline for (@range(i16, 3)) |i| { out[i] = @as(i32, i) * 5; } comptime var k = 3;"
          "inline while (k < 6) : (k += 1) { out[k] = k; if (k == 4) break; }",
          { 0, 5, 10, 3, 4 } },
        { "var n: i32 = 0;",
          "while (true) { n += 1; if (n == 4) { break; } } out[0] = n; do: { if (n == 4) break :do; out[1] = 1; }",
          { 4 } },
        { "fn sign(x: i32) i32 { if (x < 0) { return -1; } else if (x == 0) return 0; return 1; } var a: i32 = -5;",
          "out[0] = sign(a); out[1] = sign(0); out[2] = sign(a * a);",
          { -1, 0, 1 } },
    };
    check_runs(rows, COUNT(rows));
}

static void functions(void **state)
{
    (void)state;
    static const run_row rows[] = {
        { "fn gcd(a: u32, b: u32) u32 { var x = a; var y = b; while (y != 0) { const t = x % y; x = y; y = t; } "
          "return x; } var p: u32 = 48;",
          "out[0] = @as(i32, gcd(p, 36)); out[1] = @as(i32, gcd(gcd(p, 32), gcd(60, p)));",
          { 12, 4 } },
        { "fn add(comptime T: type, a: T, b: T) T { return a + b; } var x: i32 = 3; var f: f32 = 1.5;",
          "out[0] = add(i32, x, 4); out[1] = @as(i32, add(f32, f, f)); out[2] = add(i32, x, x);",
          { 7, 3, 6 } },
        /* directions: known where they can be (a route wants them so), else 16-bit values like an enum's */
        { "const lib = @import_module(\"<directions>\"); var row: u16 = 1; var now: direction = WEST;\n"
          "fn back(d: direction) direction { if (d == EAST) return WEST; return EAST; }\n"
          "fn way() direction { if (row % 2 == 1) { return NORTH; } else { return SOUTH; } }\n"
          "fn code(d: direction) i32 { return switch (d) { NORTH => 1, SOUTH => 2, EAST => 3, WEST => 4, RAMP => 5 "
          "}; }\n"
          "const fixed = back(EAST);",
          "out[0] = code(way()); row = 2; out[1] = code(way()); out[2] = code(now); now = back(now); out[3] = "
          "code(now);\n"
          "out[4] = code(lib.flip(way())); out[5] = code(fixed); comptime { @comptime_assert(back(WEST) == EAST); "
          "}\n"
          "const known = lib.rotate_clockwise(EAST); comptime { @comptime_assert(known == SOUTH); }\n"
          "var turns = [2]direction{ EAST, RAMP }; out[6] = code(turns[row - 1]); out[7] = @as(i32, way() != "
          "known);",
          { 1, 2, 4, 3, 1, 4, 5, 0 } },
        { "fn twice(x: anytype) @type_of(x) { return x + x; } var a: u16 = 40000; var b: i32 = 40000;",
          "out[0] = @as(i32, twice(a)); out[1] = twice(b);",
          { 14464, 80000 } },
        { "fn inc(p: *i32) void { p.* += 1; } fn sum(p: [*]i32, n: u16) i32 { var s: i32 = 0; for (@range(u16, n)) "
          "|i| { s += p[i]; } return s; }"
          "var v = [4]i32{ 1, 2, 3, 4 }; var g: i32 = 5;",
          "inc(&g); inc(&v[2]); out[0] = g; out[1] = sum(&v, 4); var l: i32 = 7; inc(&l); out[2] = l; const q = "
          "&v[1]; out[3] = q.* + v[2];",
          { 6, 11, 8, 6 } },
        { "inline fn clamp(x: i32, lo: i32, hi: i32) i32 { if (x < lo) return lo; if (x > hi) { return hi; } "
          "return x; } var a: i32 = 50;",
          "out[0] = clamp(a, 0, 10); out[1] = clamp(a, 60, 70); out[2] = clamp(a, 0, 99);",
          { 10, 60, 50 } },
        { "fn inc(x: i32) i32 { return x + 1; } fn dbl(x: i32) i32 { return x * 2; } var f: *const fn (i32) i32 = "
          "inc; var a: i32 = 5;"
          "fn apply(g: fn (i32) i32, x: i32) i32 { return g(x); }",
          "out[0] = f(a); f = dbl; out[1] = f(a); out[2] = apply(inc, a) + apply(dbl, a); f = &inc; out[3] = "
          "f(f(a));",
          { 6, 10, 16, 7 } },
        /* structs by value and as results, nested, in memory */
        { "const V = struct { x: i32, y: i16 }; fn make(a: i32) V { return V{ .x = a, .y = -3 }; } fn dot(a: V, b: "
          "V) i32 { return a.x * b.x + @as(i32, a.y * b.y); }"
          "var g = V{ .x = 1, .y = 2 }; var n: i32 = 4;",
          "const a = make(n); var b = a; b.x += 1; out[0] = dot(a, b); g = b; out[1] = g.x; out[2] = @as(i32, "
          "g.y); g.y = 9; out[3] = dot(make(2), g);",
          { 29, 5, -3, -17 } },
        { "fn fill(v: i32) [3]i32 { var a = @zeros([3]i32); for (@range(u16, 3)) |i| { a[i] = v + @as(i32, i); } "
          "return a; } var n: i32 = 10;",
          "const a = fill(n); out[0] = a[0] + a[1] + a[2]; var m = a; m[1] = 0; out[1] = m[1] + a[1]; var k: u16 = "
          "2; out[2] = a[k];",
          { 33, 11, 12 } },
        { "fn f(a: i32, b: i32, c: i32) i32 { return a * 100 + b * 10 + c; } var x: i32 = 1;",
          "out[0] = f(x, f(0, 0, 2), f(0, 0, x + 2)); const old = x; x = 9; out[1] = old; out[2] = f(x, old, x);",
          { 123, 1, 919 } },
        /* an anonymous struct passed on, with parts that differ in being known */
        { "fn total(t: anytype) i32 { return t.a + @as(i32, t.b) + t.c; } var n: i32 = 4;",
          "out[0] = total(.{ .a = n, .b = @as(u16, 3), .c = 5 });",
          { 12 } },
        { "fn pick(comptime n: u16, x: i32) i32 { if (n == 0) { return x; } else { return x * 2 + pick(n - 1, x); "
          "} } var v: i32 = 3;",
          "out[0] = pick(2, v);",
          { 15 } },
    };
    check_runs(rows, COUNT(rows));
}

static void memory(void **state)
{
    (void)state;
    static const run_row rows[] = {
        /* what a literal takes from memory is taken at once */
        { "var g: i32 = 1;",
          "const s = .{ .a = g, .b = [1]i32{ g } }; g = 7; out[0] = s.a; out[1] = s.b[0]; out[2] = g;",
          { 1, 1, 7 } },
        { "const U = union { a: i32 };\nvar u: U;", "out[0] = u.a; u.a = 5; out[1] = u.a;", { 0, 5 } },
        /* a default of a field is evaluated at the top level, and what stands there goes on */
        { "const S = struct { x: i32 = 4, y: i32 };\n"
          "fn f(v: i32) i32 { const k = v + 3; const s = S{ .y = v }; const m = k + s.x; return m + s.y; }",
          "out[0] = f(10);",
          { 27 } },
        { "var b = @zeros([2]u32);", /* behind an array come variables, never the constants that are used next to it */
          "const p: [*]u32 = &b; for (@range(u16, 3)) |i| { p[i] = 99; } for ([3]u32{ 5, 6, 7 }) |v| { out[0] += "
          "@as(i32, v); }",
          { 18 } },
        { "var m = [2,3]i16{ 1, 2, 3, 4, 5, 6 }; var i: u16 = 1; var j: i16 = 2;",
          "out[0] = @as(i32, m[i, j]); out[1] = @as(i32, m[0, j]); m[i, 0] += 10; out[2] = @as(i32, m[1, 0]);"
          "const p: *[2,3]i16 = &m; out[3] = @as(i32, (p.*)[i, 1]); out[4] = @as(i32, p.*[0, 0]);",
          { 6, 3, 14, 5, 1 } },
        { "var w = @zeros([4]u16);",
          "const p = @ptrcast(*[2]u32, &w); p.*[1] = 0x00030002; out[0] = @as(i32, w[2]); out[1] = @as(i32, w[3]);",
          { 2, 3 } },
        /* a constant whose address is taken is memory like any other (docs/decisions.md, C1) */
        { "const c: i32 = 5; fn set(p: *const i32) i32 { return p.* + 1; }",
          "out[0] = set(&c); out[1] = c;",
          { 6, 5 } },
        { "extern var shared: i32; const m = @import_module(\"m.csl\");\n",
          "out[0] = shared; m.bump(); out[1] = shared; out[2] = @as(i32, m.t[1]);",
          { 41, 42, 8 } },
        { "var big = @constants([100]i32, 3);",
          "var l = @zeros([5]i32); for (l) |_, i| { l[i] = big[i * 2] + @as(i32, i); } out[0] = l[0] + l[4]; l = "
          "@constants([5]i32, 2); out[1] = l[3];",
          { 10, 2 } },
        { "const P = struct { a: u16, v: [2]i32 }; var s = P{ .a = 3, .v = [2]i32{ 7, 8 } };",
          "out[0] = s.v[1]; s.v[0] = 9; var k: u16 = 0; out[1] = s.v[k]; const q = &s; out[2] = @as(i32, q.a) + "
          "q.v[0];",
          { 8, 9, 12 } },
    };
    check_runs(rows, COUNT(rows));
}

/* Pointers to locals, their elements and fields; pointers that lie in variables become pointers to const, to many. */
static void pointers(void **state)
{
    (void)state;
    static const run_row rows[] = {
        { "fn bump(p: *i32) void { p.* += 5; } fn read(p: *const i32) i32 { return p.*; } fn third(p: [*]i32) i32 "
          "{ return "
          "p[2]; } var g = [3]i32{ 7, 8, 9 }; var x: i32 = 30;",
          "var l = [3]i32{ 1, 2, 3 }; bump(&l[1]); out[0] = l[1]; var p: *i32 = &x; if (l[0] == 1) p = &g[2]; "
          "out[1] = read(p);"
          "var whole: *[3]i32 = &g; if (l[0] == 2) whole = &l; out[2] = third(whole); var n: i32 = 4; bump(&n); "
          "out[3] = n;",
          { 7, 9, 9, 9 } },
        { "const S = struct { a: i32, b: [2]i32 }; fn bump(p: *i32) void { p.* += 5; }",
          "var s = S{ .a = 1, .b = [2]i32{ 2, 3 } }; bump(&s.b[1]); bump(&s.a); out[0] = s.b[1]; out[1] = s.a; "
          "const q = &s; "
          "bump(&q.b[0]); out[2] = s.b[0];",
          { 8, 6, 7 } },
        /* a number shifted by a variable has the variable's type */
        { "var n: u16 = 5; var w: u32 = 20;",
          "out[0] = @as(i32, 1 << n); out[1] = @as(i32, 3 << w); out[2] = @as(i32, 1 << n >> 1);",
          { 32, 3 << 20, 16 } },
        /* a block's value whose way out depends on the run */
        { "var k: i32 = 3;",
          "const v: i32 = b: { if (k == 3) break :b 7; break :b k; }; out[0] = v; k = 4; const w = c: { if (k == "
          "3) break :c "
          "@as(i32, 7); break :c k; }; out[1] = w;",
          { 7, 4 } },
        /* a DSD without an initial value, set later */
        { "var a = [3]i16{ 4, 5, 6 }; var to = @zeros([3]i16); const from = @get_dsd(mem1d_dsd, .{ .tensor_access "
          "= |i|{3} -> "
          "a[i] }); const into = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> to[i] });",
          "var d: mem1d_dsd; d = from; @mov16(into, d); out[0] = @as(i32, to[2]);",
          { 6 } },
    };
    check_runs(rows, COUNT(rows));
}

static void corners(void **state)
{
    (void)state;
    static const run_row rows[] = {
        { "fn fib(n: i32) i32 { if (n < 2) return n; return fib(n - 1) + fib(n - 2); } var n: i32 = 12;",
          "out[0] = fib(n);",
          { 144 } },
        { "const msg = @get_array(\"abc\"); var k: u16 = 1; var b = @constants([3]bool, false); var t = [3]i8{ -1, "
          "-128, 127 };",
          "out[0] = @as(i32, msg[k]); b[k] = true; out[1] = @as(i32, b[1]) + @as(i32, b[2]); out[2] = @as(i32, "
          "t[k]); t[2] += 1; out[3] = @as(i32, t[2]);",
          { 98, 1, -128, -128 } },
        { "var v = @zeros([4]i32); var calls: i32 = 0; fn next() u16 { calls += 1; return 2; }",
          "v[next()] += 5; v[next()] *= 3; out[0] = v[2]; out[1] = calls; v[0] -= 1; v[1] |= 6; v[1] &= 3; v[1] ^= "
          "1; out[2] = v[0] * 10 + v[1]; v[3] = 1; v[3] <<= 4; v[3] >>= 1; out[3] = v[3]; v[3] %= 3; v[3] /= 2; "
          "out[4] = v[3];",
          { 15, 2, -7, 8, 1 } },
        { "var nan: u32 = 0x7fc00000; var one: f32 = 1.0;",
          "const x = @bitcast(f32, nan); if (x < one or x > one or x == one) { out[0] = 1; } else { out[0] = 2; } "
          "out[1] = @as(i32, x != x); if (!(x < one)) { out[2] = 3; } out[3] = @as(i32, @as(bool, x));",
          { 2, 1, 3, 1 } },
        { "const S = struct { f: *const fn (i32) i32, k: i32, v: [3]i32 }; fn dbl(x: i32) i32 { return 2 * x; } fn "
          "neg(x: i32) i32 { return -x; } var s = S{ .f = dbl, .k = 4, .v = [3]i32{ 1, 2, 3 } }; fn last(p: *S) "
          "i32 { p.k += 1; return p.v[2]; }",
          "out[0] = s.f(s.k); s.f = neg; out[1] = s.f(s.k); out[2] = last(&s); out[3] = s.k; const q = &s.v; "
          "out[4] = q.*[1]; var i: u16 = 0; q.*[i] = 9; out[5] = s.v[0];",
          { 8, -4, 3, 5, 2, 9 } },
        { "var n: i32 = 2;",
          "inline for (.{ @as(i32, 10), @as(u16, 20), @as(i8, 30) }) |x, i| { out[i] = @as(i32, x) + n; } const x "
          "= n; { const x2 = x + 1; var y = x2; y += 1; out[3] = y; } { const y = 7; out[4] = y; }",
          { 12, 22, 32, 4, 7 } },
        { "var q: u64 = 0xffffffff; var m: i64 = -1; var w: u32 = 0xf0000000;",
          "q = q + 1; out[0] = @as(i32, q >> 32); m = m * 3; out[1] = @as(i32, m); if (w > 0x80000000) { out[2] = "
          "1; } if (@as(i32, w) < 0) { out[3] = 1; } out[4] = @as(i32, w >> 28); out[5] = @as(i32, w) >> 28;",
          { 1, -3, 1, 1, 15, -1 } },
        { "inline fn first(a: [*]i32, n: u16, lim: i32) i32 { for (@range(u16, n)) |i| { if (a[i] > lim) { return "
          "a[i]; } } return -1; } var v = [5]i32{ 1, 5, 9, 2, 7 }; var lim: i32 = 4;",
          "out[0] = first(&v, 5, lim); out[1] = first(&v, 5, lim + 2); out[2] = first(&v, 5, 100);",
          { 5, 9, -1 } },
        { "fn pair(a: i32) [2]i32 { return [2]i32{ a, a + 1 }; } fn use(p: [2]i32, k: u16) i32 { return p[k]; } "
          "var n: i32 = 6; var k: u16 = 1;",
          "out[0] = use(pair(n), k); out[1] = use([2]i32{ n, 8 }, k); const c = [3]i32{ 4, 5, 6 }; out[2] = c[k]; "
          "var l = c; l[k] = n; out[3] = l[1] + c[1]; fnlocal: { if (n == 6) break :fnlocal; out[4] = 1; }",
          { 7, 8, 5, 11 } },
        { "var h: f16 = 0.1; var x: f32 = 0.1; var b: bf16 = 1.5;",
          "out[0] = @as(i32, @bitcast(u16, h)); out[1] = @as(i32, @bitcast(u32, x)); out[2] = @as(i32, "
          "@bitcast(u16, b)); h = h * 3.0; out[3] = @as(i32, @bitcast(u16, h)); out[4] = @as(i32, @as(f32, b) * "
          "2.0); out[5] = @as(i32, 70000.0); out[6] = @as(i32, -1.5 * x * 20.0);",
          { 0x2e66, 0x3dcccccd, 0x3fc0, 0x34cc, 3, 70000, -3 } },
        { "const E = enum(i16) { neg = -2, a, b }; var e = E.neg; var n: i16 = -2;",
          "out[0] = @as(i32, @as(i16, e)); e = @as(E, n); out[1] = @as(i32, e == E.neg); switch (e) { E.neg => "
          "out[2] = 5, else => out[2] = 6 } n = 1; out[3] = @as(i32, @as(E, n) == E.b);",
          { -2, 1, 5, 1 } },
        { "fn wrap(x: anytype) comptime_struct { return .{ .v = x, .k = 2 }; } fn elem(x: anytype) type { return "
          "@type_of(x); } var n: i32 = 21;",
          "out[0] = wrap(n).v * wrap(n).k; var y: elem(n) = 3; y += n; out[1] = y; const w = wrap(n); n = 0; "
          "out[2] = w.v;",
          { 42, 24, 21 } },
        { "param absent = {}; param given: i32 = 4; var n: i32 = 1;",
          "if (absent == {}) { out[0] = given; } if (@is_same_type(@type_of(given), i32)) { out[1] = 1; } comptime "
          "{ @comptime_assert(given == 4); } if (n == 1 and @has_field(.{ .x = 1 }, \"y\")) { out[2] = 1; }",
          { 4, 1 } },
    };
    check_runs(rows, COUNT(rows));
}

/* PEs whose programs differ in constants share code; what differs comes from each PE's pool. */
static void shared_code(void **state)
{
    (void)state;
    compiled c;
    compile_text(
        &c, "layout { @set_rectangle(5, 2);\n"
            "for (@range(u16, 5)) |x| { for (@range(u16, 2)) |y| { @set_tile_code(x, y, \"pe.csl\", .{ .px = x, "
            ".py = y }); } } }\n"
            "=== pe.csl\nparam px: u16; param py: u16;\n"
            "export var out = @zeros([8]i32); var v = [4]u32{ 1, 2, 3, 4 };\n"
            "fn scaled(f: f32) i32 { return @as(i32, f * @as(f32, px)); } var two: f32 = 2.0;\n"
            "task main() void {\n"
            "  out[0] = px * 10 + py; out[1] = scaled(two); out[2] = 7;\n"
            "  const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{px} -> v[i] });\n"
            "  if (px > 0) { @add16(d, d, 10); var k: u16 = px; out[3] = @as(i32, v[k - 1]); }\n"
            "}\ncomptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }");
    if (!c.image) tw_diags_print(c.diags, stderr, false);
    assert_non_null(c.image);
    assert_int_equal(c.image->program_count, 2); /* px == 0 leaves out a branch */
    tw__wse *w = tw__wse_new(c.image, NULL, c.diags);
    assert_non_null(w);
    assert_int_equal(tw__wse_run(w, 1000000, NULL, NULL), TW_OK);
    for (unsigned y = 0; y < 2; y++)
        for (unsigned x = 0; x < 5; x++) {
            const tw__csl_program *p = &c.image->programs[c.image->pes[y * 5 + x].program];
            for (size_t i = 0; i < p->symbol_count; i++) {
                if (strcmp(p->symbols[i].name, "out")) continue;
                int32_t out[4];
                memcpy(out, tw__wse_memory(w, x, y) + p->symbols[i].address, sizeof out);
                assert_int_equal(out[0], x * 10 + y);
                assert_int_equal(out[1], 2 * x);
                assert_int_equal(out[2], 7);
                /* 16-bit steps over u32 elements: words 0 .. px - 1 of v changed by 10 each */
                uint16_t words[8] = { 1, 0, 2, 0, 3, 0, 4, 0 };
                for (unsigned k = 0; k < x; k++) words[k] = (uint16_t)(words[k] + 10);
                if (x) assert_int_equal((uint32_t)out[3], words[2 * x - 2] | (uint32_t)words[2 * x - 1] << 16);
            }
        }
    tw__wse_free(w);
    compiled_free(&c);
}

/* Zeroed arrays lie one behind the other in the order of their declarations, whichever is asked for first; what
 * nobody uses takes no room. */
static void arrays_in_order(void **state)
{
    (void)state;
    compiled c;
    compile_text(&c, "var a = @zeros([9]f32); var b = @zeros([9]f32); var unused = @zeros([5000]f32);\n"
                     "var time = @zeros([3]f32);\n"
                     "export var first: [*]f32 = &a; export var last: [*]f32 = &time; var next: [*]f32 = &b;\n"
                     "task main() void { next[1] = first[2] + last[0]; }\n"
                     "comptime { @bind_local_task(main, @get_local_task_id(8)); }");
    if (!c.image) tw_diags_print(c.diags, stderr, false);
    assert_non_null(c.image);
    uint32_t a = find_symbol(c.image, "a")->address;
    assert_int_equal(find_symbol(c.image, "b")->address, a + 36);
    assert_int_equal(find_symbol(c.image, "time")->address, a + 72);
    for (size_t i = 0; i < c.image->programs[0].symbol_count; i++)
        assert_string_not_equal(c.image->programs[0].symbols[i].name, "unused");
    compiled_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers),    cmocka_unit_test(scalars),         cmocka_unit_test(control_flow),
        cmocka_unit_test(functions),   cmocka_unit_test(memory),          cmocka_unit_test(corners),
        cmocka_unit_test(shared_code), cmocka_unit_test(arrays_in_order),
    };
    return cmocka_run_group_tests_name("csl_run", tests, NULL, NULL);
}
