/* SPDX-License-Identifier: MIT */
/* The language at compile time: what @comptime_print shows (CSL reference, grammar - 1.8, 2.1, 11). */
#include "csl/lang/sema/compile_check.h"

#define P(e) "@comptime_print(" e ");"

static void operators(void **state)
{
    (void)state;
    static const print_row rows[] = {
        { "", P("1 + 2 * 3, (1 + 2) * 3, 7 / 2, -7 / 2, 7 % 3, -7 % 3"), "7, 9, 3, -3, 1, -1" },
        /* & | ^ bind tighter than comparisons, shifts tighter than those, additions tighter still */
        { "", P("6 & 3 == 2, 1 | 2 == 3, 1 << 2 + 1, 12 & 3 << 2, 5 ^ 1 == 4"), "true, true, 8, 12, true" },
        { "", P("8 >> 1, -8 >> 1, 1 << 100 >> 98, 0x10 + 0b11 + 'a'"), "4, -4, 4, 116" },
        { "", P("@as(u8, 255) & @as(u8, 0x0f), ~@as(u8, 1), -@as(i16, 5), @as(u16, 1) << 15"),
          "15, 254, -5, 32768" },
        { "", P("true and false or true, !false, 1 < 2 and 2 <= 2 and 3 > 2 and 3 >= 3 and 1 != 2"),
          "true, true, true" },
        /* the right side is not analysed when the left one decides */
        { "", P("false and undeclared, true or undeclared"), "false, true" },
        { "", P("@as(u16, 65535) - @as(u16, 1), @as(i32, -7) / @as(i32, 2), @as(i32, -7) % @as(i32, 2)"),
          "65534, -3, -1" },
        /* a typed value of another integer type counts by its value (CSL reference, coercions) */
        { "const a: i16 = 3; const b: u16 = 4;", P("a + b, a < b"), "7, true" },
        { "", P("\"ab\" == \"ab\", \"ab\" != \"ac\", NORTH == NORTH, EAST == WEST, u16 == u16, f32 == f16"),
          "true, true, true, false, true, false" },
    };
    check_prints(rows, COUNT(rows));
}

static void floats(void **state)
{
    (void)state;
    static const print_row rows[] = {
        { "", P("1.5 + 0.25, 1.0 / 4.0, -2.5, 1e3, 2.0 * 3.5"), "1.75, 0.25, -2.5, 1000, 7" },
        /* each format rounds to itself: 1148 + 0.5 has spacing 1 in f16 (CSL reference, conformance, fact 28) */
        { "const a: f16 = 1148.0; const b: f16 = 0.5;", P("a + b, @as(f32, a) + 0.5"), "1148, 1148.5" },
        { "const a: f32 = 16777216.0;", P("a + 1.0, a + 2.0"), "16777216, 16777218" },
        { "", P("@bitcast(u16, @as(cb16, 6.0)), @bitcast(u16, @as(f16, 6.0)), @bitcast(u16, @as(bf16, 6.0))"),
          "22784, 17920, 16576" }, /* 0x5900 0x4600 0x40c0: fact 2 */
        { "", P("@bitcast(u32, @as(f32, 1.0)), @bitcast(f32, @as(u32, 0x40490fdb))"), "1065353216, 3.14159274" },
        /* a pointer is its address, to floats too */
        { "", P("@bitcast(u16, @bitcast(*u16, @as(f16, 6.0))), @bitcast(f16, @bitcast(*u16, @as(u16, 0x4600)))"),
          "17920, 6" },
        /* so are signalling NaN */
        { "", P("@bitcast(u16, @bitcast(f16, @as(u16, 0x7c01))), @bitcast(u16, @bitcast(bf16, @as(u16, 0xff81)))"),
          "31745, 65409" },
        { "",
          P("@bitcast(u32, @bitcast(f32, @as(u32, 0x7f800001))), @bitcast(u16, @bitcast(f16, @as(u16, 0xfe00)))"),
          "2139095041, 65024" },
        { "", P("@as(i16, -10.8), @as(u16, 3.99), @as(bool, 0.0), @as(bool, 2), @as(f32, true), @as(u32, false)"),
          "-10, 3, false, true, 1, 0" },
        { "const nan = @bitcast(f32, @as(u32, 0x7fc00000));", P("nan < 1.0, 1.0 >= nan, nan != 1.0, 1.0 == nan"),
          "false, false, true, false" },
        { "const nan = @bitcast(f32, @as(u32, 0x7fc00000));", P("@as(bool, nan), nan == nan, nan != nan"),
          "true, false, true" }, /* fact 23 */
        /* the document's literals: integers initialise floats */
        { "const a = [4]f16{ 0, 1, 2, 3 }; const x: f32 = 7;", P("a[3] + a[1], x"), "4, 7" },
        { "", P("@as(u8, @as(u16, 0x1ff)), @as(i8, @as(u8, 200)), @as(f32, 16777217)"), "255, -56, 16777216" },
        { "", P("2.0 <= 1.0, 1.0 <= 1.0, 1.0 <= 2.0, 2.0 >= 2.0, 1.0 >= 2.0, 2 <= 1"),
          "false, true, true, true, false, false" },
    };
    check_prints(rows, COUNT(rows));
}

static void aggregates(void **state)
{
    (void)state;
    static const print_row rows[] = {
        { "const t = [3]i16{ 4, 5, 6 }; const p = &t; const q = &t[1]; const S = struct { a: u16, b: [2]u16 }; "
          "const s = S{ .a = 1, .b = [2]u16{ 2, 3 } }; const r = &s;",
          P("p.*[2], q.*, r.b[1]"), "6, 5, 3" },
        { "const a = [2,3]i16{ 1, 2, 3, 4, 5, 6 };", P("a[1,0], a[0,2], a"), "4, 3, { 1, 2, 3, 4, 5, 6 }" },
        { "", "var a = @zeros([4]u16); a[1] = 5; const b = a; a[2] = 6; " P("a, b"),
          "{ 0, 5, 6, 0 }, { 0, 5, 0, 0 }" },
        { "", "var t = .{ 8, 9 }; t[0] = 7; " P("t[0] + t[1]"), "16" },
        { "const S = struct { x: u16, y: f32 };", "var s = S{ .y = 2.5, .x = 3 }; s.x += 1; " P("s.x, s.y"),
          "4, 2.5" },
        { "const S = struct { x: u16 = 4, y: f32 };", P("S{ .y = 2.5 }"), ".{ .x = 4, .y = 2.5 }" },
        { "const s = .{ .a = 1, .b = .{ .c = 2 } };", P("s.a + s.b.c, @has_field(s, \"b\"), @has_field(s, \"c\")"),
          "3, true, false" },
        { "const s = @concat_structs(.{ .a = 1 }, .{ .b = 2 });", P("s, @field(s, \"b\")"),
          ".{ .a = 1, .b = 2 }, 2" },
        { "", "var s = .{ .n = 1 }; @field(s, \"n\") = 5; " P("s.n"), "5" },
        { "",
          P("@constants([3]u16, 7), @dimensions([4,5]f32), @rank([4,5]f32), @element_count([4,5]f32), "
            "@element_type([4,5]f32)"),
          "{ 7, 7, 7 }, { 4, 5 }, 2, 20, f32" },
        /* enumerators number from 0 past the values that are taken (fact 25) */
        { "const A = enum { red, white = 1, blue }; const B = enum(u16) { red, white = 4, blue };",
          P("@get_int(A.red), @get_int(A.white), @get_int(A.blue), @get_int(B.red), @get_int(B.white), "
            "@get_int(B.blue)"),
          "0, 1, 2, 0, 4, 1" },
        { "const E = enum(u16) { a, b };", P("@as(u16, E.b), @as(E, 0) == E.a"), "1, true" },
        { "const S = struct { x: u16, y: [2]u16 };",
          "var s = S{ .x = 1, .y = [2]u16{ 2, 3 } }; const p = &s.x; p.* = 7; const q = &s.y[1]; q.* = 8; " P("s"),
          ".{ .x = 7, .y = { 2, 8 } }" },
        { "const U = union { i: i16, f: f32 };", "var u = U{ .i = 3 }; u.f = 1.5; " P("u.f"), "1.5" },
        /* whole values are copied: two variables never share parts */
        { "const S = struct { x: [2]u16, y: u16 };\nfn make(x: [2]u16) S { return S{ .x = x, .y = 1 }; }",
          "const z = @zeros([2]u16); var s = S{ .x = z, .y = 0 }; var t = make(z); s.x[0] = 9; t.x[1] = 8;\n"
          "var p = .{ .q = z }; var r = p; r.q[0] = 3; " P("z, s.x, t.x, p.q, r.q"),
          "{ 0, 0 }, { 9, 0 }, { 0, 8 }, { 0, 0 }, { 3, 0 }" },
        { "", "var m = .{ .v = @zeros([2]i16) }; var n = m; n.v[0] = 1; " P("m.v, n.v"), "{ 0, 0 }, { 1, 0 }" },
        { "", "var a = [2]u16{ 1, 2 }; var t = .{ a, a }; a[0] = 9; t[1][1] = 8; " P("a, t[0], t[1]"),
          "{ 9, 2 }, { 1, 2 }, { 1, 8 }" },
    };
    check_prints(rows, COUNT(rows));
}

static void control_flow(void **state)
{
    (void)state;
    static const print_row rows[] = {
        { "", "var i = 0; while (i < 3) : (i += 1) { if (i == 1) continue; " P("i") " }", "0\n2" },
        { "", "for (@range(i16, 1, 5, 1)) |i| { " P("i") " }", "1\n2\n3\n4" }, /* fact 24 */
        { "", "for (@range(i16, 4, 0, -2)) |i, k| { " P("i, k") " }", "4, 0\n2, 1" },
        { "", "for (@range(i16, 5, 1, 1)) |i| { " P("i") " } " P("\"none\""), "none" },
        { "", "for ([3]u16{ 4, 5, 6 }) |x, i| { if (i == 2) break; " P("x + i") " }", "4\n6" },
        { "", "const r = @range(u16, 2, 9, 3); " P("@range_start(r), @range_stop(r), @range_step(r)"), "2, 9, 3" },
        { "",
          "const x = outer: { var i = 0; while (true) { i += 1; if (i == 7) break :outer i * 2; } break :outer 0; "
          "}; " P("x"),
          "14" },
        { "", "o: for (@range(u16, 3)) |i| { for (@range(u16, 3)) |j| { if (j == 1) continue :o; " P("i, j") " } }",
          "0, 0\n1, 0\n2, 0" },
        { "fn pick(n: i16) comptime_string { return switch (n) { 1 => \"one\", 2, 3 => \"few\", else => \"many\" "
          "}; }",
          P("pick(1), pick(3), pick(9)"), "one, few, many" },
        { "const E = enum { a, b }; fn f(e: E) i16 { switch (e) { E.a => return 1, E.b => { return 2; } } }",
          P("f(E.a), f(E.b)"), "1, 2" },
        { "", "const d = if (1 > 2) NORTH else if (2 > 1) EAST else WEST; " P("d"), "EAST" },
        /* the branch that is not taken is not analysed */
        { "", "if (false) { undeclared(1); } else " P("1"), "1" },
    };
    check_prints(rows, COUNT(rows));
}

static void functions(void **state)
{
    (void)state;
    static const print_row rows[] = {
        { "fn fib(n: u32) u32 { if (n < 2) return n; return fib(n - 1) + fib(n - 2); }", P("fib(15)"), "610" },
        { "fn max(comptime T: type, a: T, b: T) T { return if (a > b) a else b; }",
          P("max(f32, 1.5, 2.5), max(i16, -1, -2)"), "2.5, -1" },
        { "fn twice(x: anytype) @type_of(x) { return x + x; }",
          P("twice(@as(u16, 4)), @type_of(twice(@as(f32, 1.0)))"), "8, f32" },
        { "fn vec(comptime T: type, n: u16) type { return [n]T; }",
          "var a = @zeros(vec(f16, 3)); " P("@type_of(a)"), "[3]f16" },
        { "fn apply(f: fn (i16) i16, x: i16) i16 { return f(x); } fn inc(x: i16) i16 { return x + 1; }",
          P("apply(inc, 4)"), "5" },
        { "fn set(p: *i16) void { p.* = 9; }", "var x: i16 = 1; set(&x); " P("x"), "9" },
        { "fn fill(p: *[4]u16) void { p.*[2] = 7; }", "var x = @zeros([4]u16); fill(&x); " P("x"),
          "{ 0, 0, 7, 0 }" },
        { "fn table(n: u16) [4]u16 { var t = @zeros([4]u16); for (@range(u16, n)) |i| { t[i] = i * i; } return t; "
          "} const t = table(4);",
          P("t"), "{ 0, 1, 4, 9 }" },
        { "inline fn sq(x: anytype) @type_of(x) { return x * x; }", P("sq(5)"), "25" },
    };
    check_prints(rows, COUNT(rows));
}

static void strings_and_builtins(void **state)
{
    (void)state;
    static const print_row rows[] = {
        /* names of types that are not reserved */
        { "const range = 3; var sr: i16 = 0; const x: u24 = 0xffffff; fn f(i1: i16, u2: i16) i16 { return i1 - u2; "
          "}",
          P("range, f(5, 2), x, @is_same_type(@type_of(x), u24), @as(i4, -8)"), "3, 3, 16777215, true, -8" },
        { "", P("@strcat(\"ab\", \"c\"), @strlen(\"hello\"), @get_array(\"AB\"), @get_string_from_byte(67)"),
          "abc, 5, { 65, 66 }, C" },
        { "", P("@is_arch(\"wse1\"), @is_arch(\"wse2\"), @is_arch(\"wse3\"), @is_comptime(), @fp16() == f16"),
          "false, true, false, true, true" },
        { "const a: u16 = 1;",
          P("@type_of(a), @type_of(1), @type_of(1.0), @type_of(\"\"), @is_same_type(u16, @type_of(a))"),
          "u16, comptime_int, comptime_float, comptime_string, true" },
        { "", P("@type_of(.{ .x = @as(i16, 1) }), *const [3]f32, [*]u16, fn (i16) void"),
          ".{.x: i16}, *const [3]f32, [*]u16, fn(i16) void" },
        { "const late = early + 1; const early = 4;", P("late"), "5" }, /* order does not matter */
    };
    check_prints(rows, COUNT(rows));
}

/* The type of what only run time knows is known. */
static void types_of_run_time(void **state)
{
    (void)state;
    static const struct {
        const char *of, *want;
    } rows[] = {
        { "arr[v]", "u16" },
        { "&arr[v]", "*u16" },
        { "b and b", "bool" },
        { "if (b) v else 1", "u16" },
        { "switch (v) { 1 => x, else => 2 }", "i32" },
        { "v + 1", "u16" },
        { "x < 3", "bool" },
        { "-x", "i32" },
        { "@as(f32, v)", "f32" },
        { "@bitcast(i16, v)", "i16" },
        { "arr[0] + v", "u16" },
        { "(if (b) s else s).y", "f16" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "const S = struct { x: u16, y: f16 }; var arr = @zeros([4]u16); var g: i32 = 1;\n"
                 "fn f(v: u16, b: bool, x: i32) void { var s = S{ .x = v, .y = 2.0 };\ncomptime { " P(
                     "@type_of(%s)") " } }\nexport fn main() void { f(arr[0], arr[1] == 2, g); }",
                 rows[i].of);
        compiled c;
        compile_text(&c, text);
        if (!c.image) fail_msg("@type_of(%s) is refused: %s", rows[i].of, tw_diags_get(c.diags, 0)->message);
        assert_string_equal(c.printed, rows[i].want);
        compiled_free(&c);
    }
}

static void modules(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } rows[] = {
        /* parameters, defaults, members, functions of a module */
        { "const m = @import_module(\"m.csl\", .{ .n = 3 });\ncomptime { @comptime_print(m.n, m.k, m.f(2)); }\n"
          "=== m.csl\nparam n: u16; param k = 10; fn f(x: i16) i16 { return x * @as(i16, n); }",
          "3, 10, 6" },
        /* two imports are two instances with their own globals (fact 26) */
        { "const a = @import_module(\"m.csl\", .{ .n = 1 });\nconst b = @import_module(\"m.csl\", .{ .n = 2 });\n"
          "comptime { @comptime_print(a.n + 10 * b.n, @bitcast(u16, &a.x) == @bitcast(u16, &b.x)); }\n"
          "=== m.csl\nparam n: u16; var x: u16 = 0;",
          "21, false" },
        { "const a = @import_module(\"m.csl\");\n"
          "comptime { @comptime_print(@bitcast(u16, @bitcast(f16, &a.x)) == @bitcast(u16, &a.x)); }\n"
          "=== m.csl\nvar x: u16 = 0;",
          "true" },
        /* comptime blocks of modules run, used or not; an imported layout block does not (fact 26) */
        { "const a = @import_module(\"m.csl\");\n=== m.csl\ncomptime { @comptime_print(\"in\"); } layout { "
          "undeclared(); }",
          "in" },
        { "const a = @import_module(@strcat(\"sub/\", \"m.csl\"));\ncomptime { @comptime_print(a.v); }\n"
          "=== sub/m.csl\nconst n = @import_module(\"n.csl\"); const v = n.w;\n=== sub/n.csl\nconst w = 6;",
          "6" },
        /* a parameter nobody gave is an error only where it is used */
        { "const a = @import_module(\"m.csl\");\ncomptime { @comptime_print(a.v); }\n=== m.csl\nparam unused: u16; "
          "const v = 1;",
          "1" },
        /* a named type is that of its definition, in whatever instance of the module, and for the host as well */
        { "const m = @import_module(\"m.csl\", .{ .n = 2 });\nlayout { @set_rectangle(1, 1); @set_tile_code(0, 0, "
          "\"pe.csl\"); @export_name(\"x\", [*]m.pair, true); }\n"
          "=== pe.csl\nconst a = @import_module(\"m.csl\", .{ .n = 2 }); const b = @import_module(\"m.csl\", .{ .n "
          "= "
          "3 });\nvar x: [4]a.pair; var p: [*]a.pair = &x;\n"
          "fn make(T: type) type { return struct { v: T }; }\n"
          "comptime { @export_symbol(p, \"x\"); @comptime_print(@is_same_type(a.pair, b.pair), "
          "@is_same_type(a.kind, b.kind), @is_same_type(a.sized, b.sized), @is_same_type(a.valued, b.valued), "
          "@is_same_type(make(u16), make(u16)), @is_same_type(make(u16), make(i16)), @is_same_type(a.pair, "
          "a.twin)); }\n"
          "=== m.csl\nparam n: u16; const pair = struct { i: u16, v: f32 }; const twin = struct { i: u16, v: f32 "
          "};\n"
          "const kind = enum { one, two }; const sized = struct { a: [n]u16 }; const valued = enum { one = n };",
          "true, true, false, false, true, false, false" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        compiled c;
        compile_text(&c, rows[i].text);
        if (!c.image || strcmp(c.printed, rows[i].want)) {
            tw_diags_print(c.diags, stderr, false);
            fail_msg("row %zu: expected '%s', got '%s'", i, rows[i].want, c.printed);
        }
        compiled_free(&c);
    }
}

/* Values that leave the loop which made them: memory of an iteration is given back when nothing escapes from it. */
/* The file v.json lies beside the program. */
#define JSON(text) " }\n=== v.json\n" text "\n=== rest\n"
#define VALUE(T)   "@import_comptime_value(" T ", \"v.json\")"

/* CSL reference 2.1: @import_comptime_value. */
static void values_from_files(void **state)
{
    (void)state;
    static const print_row rows[] = {
        { "", P(VALUE("u16")) JSON("65535"), "65535" },
        { "", P(VALUE("i8")) JSON("-128"), "-128" },
        { "", P(VALUE("f16")) JSON("1148.6"), "1149" }, /* rounded to the format */
        { "", P(VALUE("f32")) JSON("3"), "3" },
        { "", P(VALUE("bool")) JSON("true"), "true" },
        { "", P("@strlen(" VALUE("comptime_string") ")") JSON("\"four\""), "4" },
        { "const m = " VALUE("[2,3]i16") ";", P("m[1,0], m[0,2]") JSON("[[1, 2, 3], [4, 5, 6]]"), "4, 3" },
        { "const s = " VALUE("struct { a: u16, b: [2]f32 }") ";",
          P("s.a, s.b[1]") JSON("{ \"b\": [0.5, 2.5], \"a\": 7, \"more\": null }"), "7, 2.5" },
    };
    check_prints(rows, COUNT(rows));
    static const error_row errors[] = {
        { "const x = @import_comptime_value(u16, \"none.json\"); comptime { _ = x; }", "csl.import",
          "cannot read 'none.json'", 1, 39 },
        { "const x = " VALUE("u16") "; comptime { _ = x; }\n=== v.json\n1,\n2\n", "csl.import",
          "'v.json' is not JSON: line 1", 1, 39 },
        { "const x = " VALUE("u16") "; comptime { _ = x; }\n=== v.json\n65536\n", "csl.type",
          "the value in 'v.json' is not a u16", 1, 11 },
        { "const x = " VALUE("u16") "; comptime { _ = x; }\n=== v.json\n1.0\n", "csl.type", "is not a u16", 1, 11 },
        { "const x = " VALUE("[2]u16") "; comptime { _ = x; }\n=== v.json\n[1, 2, 3]\n", "csl.type",
          "is not a [2]u16", 1, 11 },
        { "const S = struct { a: u16 }; const x = " VALUE("S") "; comptime { _ = x; }\n=== v.json\n{ \"b\": 1 }\n",
          "csl.type", "is not a S", 1, 40 },
        { "const x = " VALUE("bool") "; comptime { _ = x; }\n=== v.json\n1\n", "csl.type", "is not a bool", 1, 11 },
        { "const x = @import_comptime_value(u16, 5); comptime { _ = x; }", "csl.type", "the name of a file", 1,
          39 },
    };
    check_errors(errors, COUNT(errors));
}

/* Named structs are types by the place of their definition; functions and tasks of one shape are two types. */
static void types_that_differ(void **state)
{
    (void)state;
    static const print_row rows[] = {
        { "const A = struct { x: u16 }; const B = struct { x: u16 }; const C = A;",
          P("@is_same_type(A, B), @is_same_type(A, C), A == B"), "false, true, false" },
        { "fn f() void {} task t() void {}", P("@is_same_type(@type_of(f), @type_of(t))"), "false" },
        { "",
          P("@is_same_type(*u16, *const u16), @is_same_type(*u16, [*]u16), @is_same_type(u16, i16), "
            "@is_same_type([4]u16, [5]u16), @is_same_type([2,3]u16, [3,2]u16), @is_same_type([4]u16, [4]u16)"),
          "false, false, false, false, false, true" },
        { "const A = enum(u16) { x, y }; const B = enum(u16) { x, y };", P("A == B, A == A"), "false, true" },
    };
    check_prints(rows, COUNT(rows));
}

static void values_outlive_loops(void **state)
{
    (void)state;
    static const print_row rows[] = {
        { "fn table(n: comptime_int) [4]f32 { var a = @zeros([4]f32); for (@range(u16, 4)) |i| {\n"
          "  var part = @zeros([4]f32); for (@range(u16, 4)) |k| { part[k] = @as(f32, i * k); }\n"
          "  a[i] = part[n]; } return a; }",
          P("table(3), table(2)"), "{ 0, 3, 6, 9 }, { 0, 2, 4, 6 }" },
        { "fn find(n: u16) comptime_struct { for (@range(u16, 9)) |i| { const s = .{ .at = i, .text = "
          "@strcat(\"i\", \"-\") }; if (i == n) { return s; } } return .{}; }",
          P("find(4)"), ".{ .at = 4, .text = i- }" },
        { "",
          "var s = \"\"; for (@range(u16, 5)) |i| { for (@range(u16, 2)) |k| { s = @strcat(s, if (k == 0) \"a\" "
          "else \"b\"); } } @comptime_print(s);",
          "ababababab" },
        { "",
          "var rows = @zeros([3,2]i16); for (@range(i16, 3)) |y| { for (@range(i16, 2)) |x| { rows[y, x] = y * 10 "
          "+ "
          "x; } } @comptime_print(rows);",
          "{ 0, 1, 10, 11, 20, 21 }" },
        { "",
          "const v = found: { for (@range(u16, 9)) |i| { const t = .{ i, [2]u16{ i, i + 1 } }; "
          "if (i == 7) { break :found t; } } break :found .{ 0, [2]u16{ 0, 0 } }; };\n"
          "for (@range(u16, 3)) |i| { const other = [2]u16{ 99, i }; _ = other; } @comptime_print(v);",
          ".{ 7, { 7, 8 } }" },
        /* constants of the file, met first inside a loop, and what they call */
        { "fn squares() [3]u16 { var a = @zeros([3]u16); var i: u16 = 0; while (i < 3) : (i += 1) { a[i] = i * i; "
          "} "
          "return a; }\nconst sq = squares(); const name = @strcat(\"x\", \"y\");",
          "var sum: u16 = 0; var text = \"\"; for (@range(u16, 3)) |i| { sum += sq[i]; text = @strcat(text, name); "
          "}\n"
          "@comptime_print(sum, sq, text);",
          "5, { 0, 1, 4 }, xyxyxy" },
        { "",
          "var s = \"\"; const p = &s; for (@range(u16, 3)) |i| { for (@range(u16, 2)) |k| { p.* = @strcat(p.*, "
          "\"ab\"); } const other = @strcat(\"x\", \"yz\"); _ = other; } @comptime_print(s);",
          "abababababab" },
        { "const pair = struct { a: [2]u16, b: u16 };\nfn fill(p: *pair, n: u16) void { p.*.a[1] = n; p.*.b = n + "
          "1; }",
          "var p = pair{ .a = [2]u16{ 1, 2 }, .b = 3 }; for (@range(u16, 4)) |i| { fill(&p, i); } "
          "@comptime_print(p);",
          ".{ .a = { 1, 3 }, .b = 4 }" },
    };
    check_prints(rows, COUNT(rows));
}

/* Loops of a layout take memory for what differs between PEs only: here 4,096 PEs with eight colors each, and each
 * column with parameters of its own, in 4 MiB. */
static void memory_of_layouts(void **state)
{
    (void)state;
    static const char text[] =
        "fn routes(x: u16, c: u16) comptime_struct { return .{ .routes = .{ .rx = .{ if ((x + c) % 2 == 0) WEST "
        "else "
        "EAST }, .tx = .{ RAMP } } }; }\n"
        "layout { @set_rectangle(64, 64);\n"
        "for (@range(u16, 64)) |x| { for (@range(u16, 64)) |y| {\n"
        "  const p = .{ .n = [2]u16{ x, @as(u16, 7) }, .text = @strcat(\"a\", \"b\") };\n"
        "  @set_tile_code(x, y, \"pe.csl\", p);\n"
        "  for (@range(u16, 8)) |c| { @set_color_config(x, y, @get_color(c), routes(x, c)); } } } }\n"
        "=== pe.csl\nparam n: [2]u16; param text: comptime_string; export var x: u16 = n[0] + @strlen(text);";
    compiled c;
    compile_with(&c, text, (tw__csl_compile_options){ .max_memory = 4 << 20 });
    if (!c.image) tw_diags_print(c.diags, stderr, false);
    assert_non_null(c.image);
    assert_int_equal(c.image->pe_count, 4096);
    assert_int_equal(c.image->route_count, 16); /* odd and even columns */
    for (uint32_t pe = 0; pe < 4096; pe++) {
        const tw__csl_pe *row = &c.image->pes[pe];
        assert_int_equal(row->route_count, 8);
        for (uint32_t k = 0; k < 8; k++) {
            const tw__csl_route *r = &c.image->routes[row->route + k];
            assert_int_equal(r->color, k);
            assert_int_equal(r->rx, (pe % 64 + k) % 2 ? TW__CSL_EAST : TW__CSL_WEST);
        }
    }
    compiled_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators),
        cmocka_unit_test(floats),
        cmocka_unit_test(aggregates),
        cmocka_unit_test(control_flow),
        cmocka_unit_test(functions),
        cmocka_unit_test(strings_and_builtins),
        cmocka_unit_test(types_of_run_time),
        cmocka_unit_test(modules),
        cmocka_unit_test(values_outlive_loops),
        cmocka_unit_test(memory_of_layouts),
        cmocka_unit_test(values_from_files),
        cmocka_unit_test(types_that_differ),
    };
    return cmocka_run_group_tests_name("csl_comptime", tests, NULL, NULL);
}
