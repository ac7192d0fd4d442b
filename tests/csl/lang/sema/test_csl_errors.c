/* SPDX-License-Identifier: MIT */
/* What is refused, where, and why (CSL reference, messages; rules of 1.3 - 1.8 and 2.1 - 2.2). Lines count from 1. */
#include "csl/lang/sema/compile_check.h"

#define LAYOUT(body) "layout {\n" body "\n}\n=== pe.csl\nvar x: u16 = 0;"
#define RUN(body)                                                                                                  \
    "task main() void { " body " }\ncomptime { @bind_local_task(main, @get_local_task_id(8)); }\nvar g: u16 = 1; " \
    "var s: i16 = 1; var f: f32 = 1.0; const k: u16 = 1;"

static void types(void **state)
{
    (void)state;
    static const error_row rows[] = {
        { "comptime { @as(u16, 1) + @as(f32, 1.0); }", "csl.type", "u16 and f32", 1, 24 },
        { RUN("g = g + s;"), "csl.type", "needs operands of one type, got u16 and i16", 1, 0 },
        { RUN("const x: u8 = 300;"), "csl.range", "300 does not fit u8", 1, 0 },
        { RUN("const x: u8 = g;"), "csl.type", "must be u8, got u16", 1, 0 },
        { RUN("f = g;"), "csl.type", "must be f32, got u16", 1, 0 },
        { RUN("while (1) { g += 1; }"), "csl.type", "the condition of 'while' must be bool, got comptime_int", 1,
          27 },
        { RUN("while (0.0) { g += 1; }"), "csl.type", "the condition of 'while' must be bool", 1, 27 },
        { "task t(x: u16) i16 { return 1; }\ncomptime { @bind_control_task(t, @get_control_task_id(8)); }",
          "csl.task", "a task returns nothing: the result of 't' must be void, not i16", 1, 16 },
        { RUN("g = g << s;"), "csl.shift", "must be unsigned", 1, 0 },
        { "comptime { @as(u16, 1) << -1; }", "csl.shift", "negative", 1, 0 },
        { "comptime { ~true; }", "csl.type", "'~' is not defined for bool", 1, 12 },
        { "comptime { const a = [2]u16{ 1, 2 }; a == a; }", "csl.type", "'==' is not defined for [2]u16", 1, 0 },
        { "comptime { !3; }", "csl.type", "'!' is not defined for comptime_int", 1, 12 },
        { "comptime { 1.5 % 2.0; }", "csl.type", "'%' is not defined for comptime_float", 1, 0 },
        { "comptime { true < false; }", "csl.type", "'<' is not defined for bool", 1, 0 },
        { "var a = @zeros([4]bool);\ncomptime { @comptime_print(@type_of(a)); }", "csl.type", "@constants", 1, 16 },
        { "comptime { const p = &(1 + 2); }", "csl.address", "temporary", 1, 0 },
        { RUN("const p = &k; p.* = 2;"), "csl.assign", "constant", 1, 0 },
        { RUN("k = 2;"), "csl.assign", "'k' cannot be assigned", 1, 20 },
        { RUN("const p: [*]u16 = @ptrcast([*]u16, &g); g = p.*;"), "csl.type", "use [index]", 1, 0 },
        { RUN("const p: [*]u16 = @ptrcast([*]u16, &g); g = p[65536];"), "csl.index", "16 bits", 1, 0 },
        { RUN("const p: [*]u16 = @ptrcast([*]u16, &g); g = p[-9223372036854775807 - 1];"), "csl.index", "16 bits",
          1, 0 },
        { "const a = [2]u16{ 1, 2 };\ncomptime { a[2]; }", "csl.index", "outside the 2 elements", 2, 14 },
        { "const a = [2,2]u16{ 1, 2, 3, 4 };\ncomptime { a[1, 2]; }", "csl.index", "index 2 is outside the 2", 2,
          17 },
        { RUN("var b: f16 = 1.0; var c: cb16 = 1.0; f = b + c;"), "csl.type", "one type, got f16 and cb16", 1, 0 },
        { "comptime { @is_arch(3); }", "csl.type", "the name of a chip must be comptime_string", 1, 21 },
        { "const a = [2,2]u16{ 1, 2, 3, 4 };\ncomptime { a[1]; }", "csl.index", "takes 2 indices, got 1", 2, 0 },
        { "const a = [3]u16{ 1, 2 };\ncomptime { a[0]; }", "csl.init", "has 3 elements, got 2 values", 1, 0 },
        { "const t = [2][3]u16;\ncomptime { @comptime_print(t); }", "csl.type", "write [a, b]u16", 1, 0 },
        { "comptime { switch (@as(u8, 1)) { 1 => 2 } }", "csl.switch", "does not cover all values", 1, 0 },
        { "comptime { switch (@as(u8, 1)) { 1 => 2, 1 => 3, else => 4 } }", "csl.switch", "already there", 1, 42 },
        { "const E = enum { a, b };\ncomptime { switch (E.a) { E.a => 1 } }", "csl.switch", "add 'else'", 2, 0 },
        { "const E = enum { red, blue };\ncomptime { E.rde; }", "csl.field", "did you mean 'red'", 2, 0 },
        { "fn f() u16 { }\ncomptime { f(); }", "csl.return", "without returning", 1, 0 },
        { "fn f(x: u16) u16 { if (x > 1) return 1; }\n" RUN("g = f(g);"), "csl.return", "may end without returning",
          1, 0 },
        { "fn f() u16 { return; }\ncomptime { f(); }", "csl.return", "must be returned", 1, 0 },
        { RUN("var x = 0.0;"), "csl.type", "give it a type", 1, 0 },
        { "comptime { const c: color = 3; }", "csl.type", "must be color, got comptime_int", 1, 0 },
        { "comptime { const s = .{ .a = 1, .a = 2 }; }", "csl.redefinition", "'a' is set twice", 1, 0 },
        { "comptime { @concat_structs(.{ .a = 1 }, .{ .a = 2 }); }", "csl.redefinition", "both structs", 1, 0 },
        { "const S = struct { x: u16 };\ncomptime { S{ .y = 1 }; }", "csl.field", "no field 'y'", 2, 0 },
        { "const S = struct { x: u16, y: u16 };\ncomptime { S{ .y = 1 }; }", "csl.init", "'x' of", 2, 0 },
        { "comptime { @bitcast(u32, @as(f16, 1.0)); }", "csl.type", "equal width", 1, 0 },
        { "comptime { @bitcast([32]u32, 5); }", "csl.type", "comptime_int to [32]u32", 1, 12 },
        { "comptime { @range(u16, 0, 4, 0); }", "csl.range", "must not be 0", 1, 0 },
        { "fn f(x: u16) void {}\ncomptime { f(1, 2); }", "csl.arguments", "takes 1 argument, got 2", 2, 0 },
        { "comptime { @as(u16); }", "csl.arguments", "@as takes 2 arguments, got 1", 1, 12 },
        { "comptime { @nothing(1); }", "csl.builtin", "no builtin @nothing", 1, 12 },
        { "export fn f() void { @__sys(void, \"tsc_reset\"); }", "csl.builtin", "no builtin @__sys", 1, 22 },
        { "var a = @zeros([4]f16);\nexport fn f() void { var p: [*]i32 = &a; p[0] = 1; }", "csl.type",
          "must be [*]i32, got *[4]f16", 2, 38 },
        { "fn f(comptime n: u16) u16 { return n; }\n" RUN("g = f(g);"), "csl.comptime",
          "argument 1 of 'f' must be known at compile time", 2, 0 },
        { "inline fn f(comptime n: u16) u16 { return n; }\n" RUN("g = f(g);"), "csl.comptime",
          "argument 1 of 'f' must be known at compile time", 2, 0 },
        { "fn f(comptime n: u16) type { return [n]u16; }\n" RUN("const t: f(g) = 0;"), "csl.comptime",
          "known at compile time", 2, 0 },
        { RUN("switch (g) { 1 => {}, else => {}, else => {} }"), "csl.switch", "has an 'else' already", 1, 54 },
        { "const E = enum { a, b, a };\ncomptime { E.a; }", "csl.redefinition", "'a' is declared twice", 1, 24 },
        /* what loops hand out is constant */
        { RUN("for (@range(u16, 3)) |i| { i = 4; }"), "csl.assign", "'i' cannot be assigned: it is constant", 1,
          47 },
        { RUN("for (@range(u16, g)) |x, i| { i += 1; }"), "csl.assign", "'i' cannot be assigned", 1, 50 },
        { RUN("for ([2]u16{ 1, g }) |x| { x = 4; }"), "csl.assign", "'x' cannot be assigned", 1, 47 },
        { RUN("for (@range(u8, 300)) |i| { g += i; }"), "csl.range", "has the number 299, which does not fit u8", 1,
          25 },
        { "comptime { @range(i8, -129, 3, 1); }", "csl.range", "has the number -129, which does not fit i8", 1,
          12 },
        { "comptime { @range(i8, 0, 300, 100); }", "csl.range", "has the number 200,", 1, 12 },
        { "comptime { @range(u8, 9, -4, -4); }", "csl.range", "has the number -3,", 1, 0 },
        { RUN("b: { continue :b; }"), "csl.label", "'b' is the label of a block", 1, 25 },
        { "inline fn f() void {}\nconst p: *const fn () void = &f;\ncomptime { p; }", "csl.address",
          "'f' is inline: it has no address", 2, 31 },
        { RUN("g = g / 0;"), "csl.division", "by zero", 1, 26 },
        { RUN("const none: u16 = 0; g %= none;"), "csl.division", "by zero", 1, 0 },
        { "var a: [4]u16; var p: [*]const u16 = &a;\n" RUN("p[1] = 2;"), "csl.assign",
          "this cannot be assigned: it is constant", 2, 0 },
        { "var v: void;\nexport fn f() void { v = {}; }", "csl.type", "exists only at compile time", 1, 5 },
        { "comptime { nothing = 1; }", "csl.name", "'nothing' is not declared", 1, 12 },
        { "comptime { var value = 1; valeu = 2; }", "csl.name", "'valeu' is not declared", 1, 27 },
    };
    check_errors(rows, COUNT(rows));
}

static void comptime_rules(void **state)
{
    (void)state;
    static const error_row rows[] = {
        { "var g: u16 = 1;\ncomptime { @comptime_print(g); }", "csl.comptime", "'g'", 2, 0 },
        { "var g: u16 = 1;\nfn f() u16 { return g; }\nconst c = f();\ncomptime { @comptime_print(c); }",
          "csl.comptime", "'g'", 2, 0 },
        { RUN("comptime var n = 0; if (g == 1) { n = 1; }"), "csl.comptime", "under a condition of run time", 1,
          0 },
        { RUN("inline for (@range(u16, g)) |i| { s += 1; }"), "csl.comptime", "must be known at compile time", 1,
          0 },
        { RUN("const t = [g]u16{ 1 };"), "csl.comptime", "must be known at compile time", 1, 0 },
        { "fn f(a: u16) void { comptime { const x = @as(u32, a); } }\n" RUN("f(g);"), "csl.comptime",
          "this value is not known at compile time", 1, 0 },
        { "fn h(a: u32) u32 { return a; }\nfn f(a: u16) void { comptime { const x = h(a); } }\n" RUN("f(g);"),
          "csl.comptime", "this value is not known at compile time", 2, 0 },
        /* these were left out of the code without a word, with what follows them */
        { RUN("while (g < 9) : (g += 1) { comptime { break; } s += 1; }"), "csl.comptime",
          "'break' under 'comptime' depends on a condition or loop of run time", 1, 0 },
        { RUN("for (@range(u16, 9)) |i| { comptime { continue; } s += 1; }"), "csl.comptime", "'continue' under", 1,
          0 },
        { RUN("b: { if (g == 1) { comptime { break :b; } } s += 1; }"), "csl.comptime", "'break' under", 1, 0 },
        { RUN("if (g == 1) { comptime { return; } } s += 1;"), "csl.comptime", "'return' under", 1, 0 },
        { "comptime { @as(u8, 200) + @as(u8, 100); }", "csl.overflow", "does not fit u8", 1, 0 },
        { "comptime { @as(u16, 0) - 1; }", "csl.overflow", "does not fit u16", 1, 0 },
        { "const P = packed struct { a: u3, b: comptime_int };\ncomptime { @type_of(P); }", "csl.type",
          "comptime_int cannot be a field of a packed type", 1, 37 },
        { "const P = packed struct { a: [2]u8 };\ncomptime { @type_of(P); }", "csl.type",
          "[2]u8 cannot be a field of a packed type", 1, 30 },
        { "const S = struct { x: u16 };\nconst P = packed struct { s: S };\ncomptime { @type_of(P); }", "csl.type",
          "S cannot be a field of a packed type", 2, 30 },
        { "const P = packed struct { c: color };\ncomptime { @type_of(P); }", "csl.type", "color cannot be a field",
          1, 30 },
        { "const U = packed union { a: u16, b: u12 };\ncomptime { @type_of(U); }", "csl.type",
          "'a' has 16, 'b' has 12", 1, 34 },
        { "const P = packed struct { a: u64, b: u1 };\ncomptime { @type_of(P); }", "csl.limit", "has at least 65",
          1, 18 },
        { "const P = packed struct { };\ncomptime { @type_of(P); }", "csl.limit", "1 to 64 bits", 1, 18 },
        { "const P = packed struct { a: i16, b: f32 };\nvar p = P{ .a = 2, .b = 0.0 };\n"
          "export fn f() *f32 { return &p.b; }",
          "csl.address", "a field of the packed P has no address", 3, 0 },
        { "const P = packed struct { a: i16, b: f32 };\ncomptime { var p = P{ .a = 2, .b = 0.0 }; const q = &p.a; "
          "}",
          "csl.address", "a field of the packed P has no address", 2, 0 },
        { "const P = packed struct { a: u3, b: u9 };\ncomptime { @bitcast(u16, P{ .a = 1, .b = 2 }); }", "csl.type",
          "P has 12 bits, u16 has 16", 2, 0 },
        { "const P = packed struct { a: u3, b: u9 };\ncomptime { const p = P{ .a = 8, .b = 2 }; }", "csl.range",
          "8 does not fit u3", 2, 26 },
        { "const m = @import_module(\"<maths>\");", "csl.import", "did you mean 'math'", 1, 0 },
        { "const E = enum(u16) { red, white, blue };\nvar e = E.red;\nexport fn f() u16 { return switch (e) { "
          "E.red => 1 }; }",
          "csl.switch", "add 'else' (missing: white, blue)", 3, 0 },
        { "comptime { 1 / 0; }", "csl.division", "by zero", 1, 0 },
        { "comptime { 1.0 / 0.0; }", "csl.division", "by zero", 1, 0 },
        { "comptime { @comptime_assert(1 > 2, \"one is small\"); }", "csl.assert", "one is small", 1, 0 },
        { "fn f(x: u16) u16 { @comptime_assert(x == 1); return x; }\ncomptime { f(1); f(2); }", "csl.assert",
          "failed", 1, 20 },
        { "fn f(n: u32) u32 { return f(n + 1); }\ncomptime { f(0); }", "csl.limit", "nested too deeply", 0, 0 },
        { "comptime { while (true) { } }", "csl.limit", "more steps", 0, 0 },
        { "const a = b;\nconst b = a;\ncomptime { a; }", "csl.cycle", "depends on itself", 0, 0 },
        { "param p: u16;\ncomptime { p + 1; }", "csl.param", "'p' is used but has no value", 1, 0 },
        { "comptime { missing + 1; also_missing; }", "csl.name", "'also_missing' is not declared", 1, 0 },
        { "comptime { @movs16(1, 2); }", "csl.builtin", "no builtin @movs16; did you mean '@mov16'", 1, 0 },
        { "comptime { @bind_locl_task(1, 2); }", "csl.builtin", "did you mean '@bind_local_task'", 1, 0 },
        { "comptime { @zeross(1); }", "csl.builtin", "did you mean '@zeros'", 1, 0 },
        { "comptime { EAAST; }", "csl.name", "'EAAST' is not declared; did you mean 'EAST'", 1, 0 },
        { "comptime { RMAP; }", "csl.name", "did you mean 'RAMP'", 1, 0 },
        { "const value = 1;\ncomptime { valeu; }", "csl.name", "did you mean 'value'", 2, 12 },
        { "comptime { const x = 1; const x = 2; }", "csl.redefinition", "'x' is already declared in this block", 1,
          0 },
        { "const x = 1;\nconst x = 2;", "csl.redefinition", "already declared in this file", 2, 0 },
        { "comptime { l: { l: { } } }", "csl.label", "already in use", 1, 0 },
        { "var x: u65 = 0; comptime { _ = x; }", "csl.type", "u65: integers have 1 to 64 bits here", 1, 8 },
        { "comptime { _ = @as(i0, 0); }", "csl.type", "i0: integers have 1 to 64 bits", 1, 20 },
        { "comptime { _ = i64x; }", "csl.name", "'i64x' is not declared", 1, 0 },
        { "comptime { var x; }", "csl.init", "'x' needs an initial value", 1, 16 },
        { "comptime { break; }", "csl.syntax", "not inside a loop", 1, 0 },
        /* what has no end says so, in the program's terms, before it takes all memory */
        { "fn f(comptime n: u16, x: u16) u16 { return f(n + 1, x); }\n" RUN("g = f(0, g);"), "csl.limit",
          "nested too deeply (1000)", 1, 45 },
        { "fn f(x: anytype) void { f(&x); }\n" RUN("f(g);"), "csl.limit", "nested too deeply (1000)", 1, 0 },
        { "const m = @import_module(\"main.csl\");", "csl.limit", "does 'main.csl' import itself?", 1, 11 },
        { "const m = @import_module(\"m.csl\", .{ .n = 0 });\n=== m.csl\nparam n: u32;\n"
          "const m = @import_module(\"m.csl\", .{ .n = n + 1 });",
          "csl.limit", "more than 200 modules", 2, 11 },
        { "comptime { var s = \"ab\"; while (true) { s = @strcat(s, s); } }", "csl.limit", "longer than 16 MiB", 1,
          45 },
        { "comptime { for (@range(u16, 2)) |i| { break :out; } }", "csl.label", "no label 'out'", 1, 0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        compiled c;
        compile_with(&c, rows[i].text, (tw__csl_compile_options){ .max_comptime_steps = 100000 });
        const tw_diag *d = NULL;
        bool found = false;
        for (size_t k = 0; (d = tw_diags_get(c.diags, k)); k++)
            found = found || (!strcmp(d->code, rows[i].code) && strstr(d->message, rows[i].phrase) &&
                              (!rows[i].line || d->line == rows[i].line) &&
                              (!rows[i].column || d->column == rows[i].column));
        if (c.image || !found) {
            tw_diags_print(c.diags, stderr, false);
            fail_msg("row %zu: expected '%s' in\n%s", i, rows[i].phrase, rows[i].text);
        }
        compiled_free(&c);
    }
}

/* Time ends what steps would not: each place that is evaluated for ever says so. */
static void out_of_time(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "comptime {\n  while (true) {\n    _ = 1;\n  }\n}",
        ("fn f() u16 {\n  var i: u16 = 0;\n  while (true) { i ^= 1; }\n  return i;\n}\nconst x = f();\n"
         "comptime { @comptime_print(x); }"),
        "layout {\n  while (true) { @comptime_assert(true); }\n}",
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        compiled c;
        compile_with(&c, rows[i],
                     (tw__csl_compile_options){ .max_comptime_steps = UINT64_MAX, .max_seconds = 1e-6 });
        const tw_diag *d = tw_diags_get(c.diags, 0);
        assert_null(c.image);
        assert_non_null(d);
        assert_string_equal(d->code, "csl.limit");
        assert_non_null(strstr(d->message, "longer than 1e-06 seconds (--max-seconds)"));
        assert_true(d->line > 0 && d->column > 0);
        assert_int_equal(tw_diags_count(c.diags, TW_ERROR), 1);
        compiled_free(&c);
    }
}

/* A parameter has no value under `comptime`, whatever is done with it: `at` is where the error stands, from the
 * statement's first character as 1. */
static void run_time_under_comptime(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int at;
    } rows[] = {
        { "if (b) { @assert(true); }", 5 },
        { "switch (v) { 1 => {}, else => {} }", 9 },
        { "if (true) { switch (e) { E.a => {}, E.b => {} } }", 21 },
        { "b and b;", 1 },
        { "b or true;", 1 },
        { "if (b) v else 1;", 5 },
        { "const x = switch (v) { 1 => 2, else => 3 };", 19 },
        { "arr[v];", 5 },
        { "m[1, v];", 6 },
        { "m[v, v];", 3 },
        { "p[v];", 3 },
        { "[2]u16{ 1, 2 }[v];", 16 },
        { "&arr[v];", 6 },
        { "const x = &s.y;", 14 },
        { "@bitcast(i16, v);", 15 },
        { "@bitcast(P, v);", 13 },
        { "v + 1;", 3 },
        { "!b;", 1 },
        { "@as(f32, v);", 1 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "const E = enum(u16) { a, b }; const S = struct { x: u16, y: u16 };\n"
                 "const P = packed struct { a: u8, c: i8 }; var arr = @zeros([4]u16); var m = @zeros([2,3]u16);\n"
                 "fn f(v: u16, b: bool, p: [*]u16, e: E) void { var s = S{ .x = v, .y = 2 };\ncomptime {\n%s\n} }\n"
                 "export fn main() void { f(arr[0], arr[1] == 2, &arr, E.a); }",
                 rows[i].text);
        const error_row row = { text, "csl.comptime", "this value is not known at compile time", 5, rows[i].at };
        check_errors(&row, 1);
    }
}

static void declarations(void **state)
{
    (void)state;
    static const error_row rows[] = {
        { "var v = 0;\nexport fn f() void { v = 1; }", "csl.type", "only at compile time", 1, 0 },
        { "extern var e: u16 = 1;\nexport fn f() void { e = 1; }", "csl.link", "cannot have an initial value", 1,
          0 },
        { "extern var e: u16;\nexport fn f() void { e = 1; }", "csl.link", "defined nowhere", 1, 0 },
        { "var a: u16 align(3) = 1;\nexport fn f() void { a = 1; }", "csl.align", "power of two", 1, 0 },
        { "export var big = @zeros([20000]f32);", "csl.memory", "out of PE memory", 1, 0 },
        { "const m = @import_module(\"none.csl\");", "csl.import", "cannot read 'none.csl'", 1, 0 },
        { "const m = @import_module(\"<none>\");", "csl.import", "no library <none>", 1, 0 },
        { "comptime { const m = @import_module(\"m.csl\"); }\n=== m.csl\n", "csl.import", "constant of the file", 1,
          0 },
        { "const m = @import_module(\"m.csl\");\ncomptime { m.b; }\n=== m.csl\nconst a = 1;", "csl.name",
          "no member 'b'", 2, 0 },
        { "task t() void { }\nexport fn f() void { t(); }", "csl.call", "cannot be called", 2, 0 },
        { "comptime { @__sys(void, \"unblock_cmd_stream\"); }", "csl.builtin", "no builtin", 1, 0 },
    };
    check_errors(rows, COUNT(rows));
    /* an unknown parameter in a binding is a warning */
    compiled c;
    compile_text(&c, "const m = @import_module(\"m.csl\", .{ .nope = 1 });\n=== m.csl\nparam n = 1;");
    assert_non_null(c.image);
    assert_int_equal(tw_diags_count(c.diags, TW_WARNING), 1);
    assert_non_null(strstr(tw_diags_get(c.diags, 0)->message, "no param 'nope'"));
    compiled_free(&c);
}

static void layouts(void **state)
{
    (void)state;
    static const error_row rows[] = {
        { LAYOUT("const a = 1;"), "csl.layout", "sets no rectangle", 1, 0 },
        { LAYOUT("@set_rectangle(1, 1);\n@set_rectangle(1, 1);"), "csl.layout", "already set", 3, 0 },
        { "layout { @set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\"); }\nlayout { }\n=== pe.csl\n",
          "csl.redefinition", "one layout block", 2, 1 },
        { LAYOUT("@set_tile_code(0, 0, \"pe.csl\");"), "csl.layout", "must come first", 2, 0 },
        { LAYOUT("@set_rectangle(2, 1);\n@set_tile_code(0, 0, \"pe.csl\");"), "csl.layout", "PE (1, 0)", 1, 0 },
        { LAYOUT("@set_rectangle(1, 1);\n@set_tile_code(0, 0, \"pe.csl\");\n@set_tile_code(0, 0, \"pe.csl\");"),
          "csl.layout", "already has its tile code", 4, 0 },
        { LAYOUT("@set_rectangle(1, 1);\n@set_tile_code(1, 0, \"pe.csl\");"), "csl.range", "x coordinate is 1", 3,
          0 },
        { LAYOUT("@set_rectangle(0, 1);"), "csl.range", "width of the rectangle", 2, 0 },
        { LAYOUT("@get_rectangle();"), "csl.layout", "not set yet", 2, 0 },
        { "comptime { _ = @is_arch(\"wse4\"); }", "csl.value", "knows \"wse2\" and \"wse3\", not \"wse4\"", 1, 0 },
        { "comptime { @set_rectangle(1, 1); }", "csl.layout", "belongs in a layout block", 1, 0 },
        { "layout { @set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\"); @export_name(\"t\", fn () void); }\n"
          "=== pe.csl\ntask t() void {} comptime { @export_symbol(t); }",
          "csl.export", "task 't' cannot be exported", 1, 0 },
        { LAYOUT("@export_symbol(1);"), "csl.layout", "belongs in a comptime block", 2, 0 },
        { LAYOUT("@set_rectangle(1, 1);\n@set_tile_code(0, 0, \"pe.csl\");\n"
                 "@set_color_config(0, 0, @get_color(1), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } } });\n"
                 "@set_color_config(0, 0, @get_color(1), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } } });"),
          "csl.color", "already configured", 5, 0 },
        { LAYOUT("@set_rectangle(1, 1);\n@export_name(\"x\", u16);"), "csl.arguments", "mutable", 3, 0 },
        { LAYOUT("@set_rectangle(1, 1);\n@export_name(\"x\", [*]u16, true);\n@export_name(\"x\", [*]u16, true);"),
          "csl.export", "already exported", 4, 0 },
        { LAYOUT("@set_rectangle(1, 1);\n@export_name(\"x\", comptime_int, true);"), "csl.export",
          "cannot be exported", 3, 0 },
        { "layout { @set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\"); @export_name(\"x\", [*]u16, true); }\n"
          "=== pe.csl\nvar a = @zeros([4]f32); var p: [*]f32 = &a; comptime { @export_symbol(p, \"x\"); }",
          "csl.export", "is exported as [*]u16", 1, 0 },
        { "const m = @import_module(\"m.csl\");\nlayout { @set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\"); "
          "@export_name(\"x\", [*]m.pair, true); }\n=== pe.csl\nconst m = @import_module(\"m.csl\"); var a: "
          "[4]m.other;\n"
          "var p: [*]m.other = &a; comptime { @export_symbol(p, \"x\"); }\n"
          "=== m.csl\nconst pair = struct { i: u16 }; const other = struct { i: u16 };",
          "csl.export", "'x' is [*]other, but is exported as [*]pair", 2, 0 },
        { "layout { @set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\"); }\n"
          "=== pe.csl\nvar a = @zeros([4]f32); var p: [*]f32 = &a; comptime { @export_symbol(p, \"x\"); }",
          "csl.export", "no @export_name(\"x\"", 1, 0 },
        { "layout { @set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\");\n"
          "@set_color_config(0, 0, @get_color(1), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } } }); }\n"
          "=== pe.csl\ncomptime { @set_local_color_config(@get_color(1), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ "
          "RAMP } } }); }",
          "csl.color", "configured twice", 1, 0 },
    };
    check_errors(rows, COUNT(rows));
    /* the room of the host's link around the rectangle */
    static const struct {
        unsigned w, h, x, y;
        bool good;
    } fits[] = { { 8, 3, 4, 1, true },  { 7, 3, 4, 1, false }, { 8, 2, 4, 1, false },
                 { 8, 3, 3, 1, false }, { 8, 3, 4, 0, false }, { 0, 0, 0, 0, true } };
    for (size_t i = 0; i < COUNT(fits); i++) {
        compiled c;
        compile_with(&c, "layout { @set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\"); }\n=== pe.csl\n",
                     (tw__csl_compile_options){ .memcpy = true,
                                                .fabric_width = fits[i].w,
                                                .fabric_height = fits[i].h,
                                                .offset_x = fits[i].x,
                                                .offset_y = fits[i].y });
        if ((c.image != NULL) != fits[i].good) fail_msg("fabric row %zu", i);
        compiled_free(&c);
    }
}

/* Exported mutability and that of the declaration should agree: a warning each way. */
static void mutability(void **state)
{
    (void)state;
    static const struct {
        const char *exported, *declared, *phrase;
    } rows[] = { { "false", "var", "exported as immutable" },
                 { "true", "const", "exported as mutable" },
                 { "true", "var", NULL },
                 { "false", "const", NULL } };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "layout { @set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\"); @export_name(\"x\", [*]f32, %s); }\n"
            "=== pe.csl\nvar a = @zeros([4]f32); %s p: [*]f32 = &a; comptime { @export_symbol(p, \"x\"); }",
            rows[i].exported, rows[i].declared);
        compiled c;
        compile_text(&c, text);
        assert_non_null(c.image);
        assert_int_equal(tw_diags_count(c.diags, TW_WARNING), rows[i].phrase != NULL);
        if (rows[i].phrase) assert_non_null(strstr(tw_diags_get(c.diags, 0)->message, rows[i].phrase));
        compiled_free(&c);
    }
}

/* Data that fit leave no room for the code, or for the host's link: an error that names what takes most. Without
 * optimisation code is larger than it would be there: a warning. */
static void no_room_for_code(void **state)
{
    (void)state;
    static const struct {
        unsigned elements;
        const char *import, *wrong;
        bool optimize;
    } rows[] = { { 20000, "", NULL, true },
                 { 24500, "", "out of PE memory", true },
                 { 24500, "", "may not fit on hardware", false },
                 { 22900, "", NULL, true },
                 { 22900, "const m = @import_module(\"<memcpy/memcpy>\");", "4176 of <memcpy> (code is estimated)",
                   true },
                 { 22000, "const m = @import_module(\"<memcpy/memcpy>\");", NULL, true } };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[500];
        bool refused = rows[i].wrong && rows[i].optimize;
        snprintf(
            text, sizeof text,
            "%s var big: [%u]u16; var n: u16 = 0;\n"
            "task f() void { while (n < 100) { big[n] = n; n += big[n + 7]; big[n] = n * n; n += big[n - 1]; } }\n"
            "comptime { @bind_local_task(f, @get_local_task_id(8)); }\n",
            rows[i].import, rows[i].elements);
        compiled c;
        compile_with(&c, text, (tw__csl_compile_options){ .optimize = rows[i].optimize });
        assert_int_equal(c.image == NULL, refused);
        assert_int_equal(tw_diags_count(c.diags, TW_ERROR), refused);
        assert_int_equal(tw_diags_count(c.diags, TW_WARNING), rows[i].wrong != NULL);
        if (rows[i].wrong) assert_non_null(strstr(tw_diags_get(c.diags, 0)->message, rows[i].wrong));
        if (rows[i].wrong) assert_non_null(strstr(tw_diags_get(c.diags, 1)->message, "the largest: 'big' 4"));
        if (refused) assert_int_equal(tw_diags_get(c.diags, 0)->line, 1);
        compiled_free(&c);
    }
}

/* Several errors in one run, and none that follows from another. */
static void several(void **state)
{
    (void)state;
    compiled c;
    compile_text(&c, "comptime {\n const a = missing;\n const b = a + 1;\n b[3].x = a;\n other(a);\n}\n"
                     "export fn f() void {\n third = 1;\n}\n");
    assert_null(c.image);
    assert_int_equal(tw_diags_count(c.diags, TW_ERROR), 3);
    static const int lines[] = { 2, 5, 8 };
    for (size_t i = 0; i < 3; i++) assert_int_equal(tw_diags_get(c.diags, i)->line, lines[i]);
    compiled_free(&c);
    /* what uses the faulty part says nothing more */
    static const char *const alone[] = {
        "var a = @zeros([4]u16);\nconst d = @get_dsd(mem1d_dsd, .{ .base_address = &a, .extent = gone });\n"
        "export fn f() void { @mov16(d, 1); }",
        "const d = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = @get_color(1), .control = gone });\n"
        "export fn f() void { @mov16(d, 1); }",
        "const P = packed struct { a: u16, p: *u16 };\ncomptime { var v: u16 = 1; const p = P{ .a = 1, .p = &v }; "
        "@bitcast(u32, p); }",
    };
    for (size_t i = 0; i < COUNT(alone); i++) {
        compile_text(&c, alone[i]);
        assert_null(c.image);
        if (tw_diags_count(c.diags, TW_ERROR) != 1) tw_diags_print(c.diags, stderr, false);
        assert_int_equal(tw_diags_count(c.diags, TW_ERROR), 1);
        compiled_free(&c);
    }
}

/* A chain of functions may be long, and a function may be made for many constants: only endless ones are refused. */
static void long_chains(void **state)
{
    (void)state;
    static const char *const good[] = {
        "fn h(comptime n: u16, x: u16) u16 { if (n == 0) { return x; } else { return h(n - 1, x + 1); } }\n" RUN(
            "g = h(900, g);"),
        "fn h(comptime n: u16, x: u16) u16 { return x + n; }\n" RUN(
            "inline for (@range(u16, 1500)) |i| { g = h(i, g); }"),
        ("const m = @import_module(\"m.csl\", .{ .n = 100 });\ncomptime { m.v; }\n=== m.csl\nparam n: u32;\n"
         "const m = if (n > 0) @import_module(\"m.csl\", .{ .n = n - 1 }) else 0; const v = 1;"),
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        compiled c;
        compile_text(&c, good[i]);
        if (!c.image) {
            tw_diags_print(c.diags, stderr, false);
            fail_msg("row %zu: %s", i, good[i]);
        }
        compiled_free(&c);
    }
}

/* That a color of WSE-3 has no switches is said once, however many PEs give it some. */
static void switches_said_once(void **state)
{
    (void)state;
#define SWITCHED(x, c)                                                                                    \
    "@set_color_config(" x ", 0, @get_color(" c "), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, " \
    ".switches = .{ .pos1 = .{ .rx = EAST } } });\n"
#define TILE(x) "@set_tile_code(" x ", 0, \"pe.csl\");\n"
    static const char text[] = LAYOUT("@set_rectangle(2, 1);\n" TILE("0") TILE("1") SWITCHED("0", "10")
                                          SWITCHED("1", "10") SWITCHED("0", "11") SWITCHED("0", "12"));
    compiled c;
    compile_with(&c, text, (tw__csl_compile_options){ .wse3 = true });
    assert_non_null(c.image);
    assert_int_equal(tw_diags_count(c.diags, TW_WARNING), 2);
    assert_int_equal(tw_diags_get(c.diags, 0)->line, 5);
    assert_int_equal(tw_diags_get(c.diags, 1)->line, 7);
    compiled_free(&c);
}

/* Colors of the command line are colors. */
static void colors_by_number(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        bool good;
    } rows[] = { { -1, false }, { 0, true }, { 23, true }, { 24, false } };
    for (size_t i = 0; i < COUNT(rows); i++) {
        compiled c;
        const tw__csl_binding red = { "red", rows[i].value };
        compile_with(&c, "param red: color;\ncomptime { @get_int(red); }",
                     (tw__csl_compile_options){ .colors = &red, .color_count = 1 });
        assert_int_equal(c.image != NULL, rows[i].good);
        if (!rows[i].good)
            assert_non_null(strstr(tw_diags_get(c.diags, 0)->message, "color 'red' must be 0 to 23"));
        compiled_free(&c);
    }
}

/* An error inside a called function, or in the tile code of a PE, says how analysis came there. */
typedef struct {
    int line;
    const char *file, *phrase;
} told;

/* The diagnostics of `text`, all of them, in order. */
static void check_told(const char *text, const told *want, size_t count)
{
    compiled c;
    const tw_diag *d;
    compile_text(&c, text);
    for (size_t i = 0; i < count; i++) {
        d = tw_diags_get(c.diags, i);
        if (!d || d->line != want[i].line || strcmp(d->file, want[i].file) || !strstr(d->message, want[i].phrase)) {
            tw_diags_print(c.diags, stderr, false);
            fail_msg("not the %zu-th message: %s:%d: %s", i, want[i].file, want[i].line, want[i].phrase);
        }
    }
    assert_null(tw_diags_get(c.diags, count));
    compiled_free(&c);
}
#define TOLD(text, ...)                         \
    do {                                        \
        static const told want[] = __VA_ARGS__; \
        check_told(text, want, COUNT(want));    \
    } while (0)
#define BOUND "comptime { @bind_local_task(t, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n"

/* Calls at compile time, calls of functions that depend on their arguments, but not of others. */
static void traces(void **state)
{
    (void)state;
    TOLD("layout { @set_rectangle(1, 1);\n@set_tile_code(0, 0, \"pe.csl\"); }\n=== pe.csl\n"
         "fn inner(x: u16) u16 { return missing; }\nfn outer(x: u16) u16 { return inner(x); "
         "}\ncomptime { outer(1); }",
         { { 1, "pe.csl", "'missing'" },
           { 2, "pe.csl", "call of 'inner'" },
           { 3, "pe.csl", "call of 'outer'" },
           { 2, "main.csl", "placed here" } });
    TOLD("fn f(x: anytype) void { x.a = 1; }\nfn g(comptime n: u16) void {\nf(n); }\nfn h() void {\ng(4); }\n"
         "task t() void {\nh(); }\n" BOUND,
         { { 1, "main.csl", "u16 has no fields" },
           { 3, "main.csl", "call of 'f'" },
           { 5, "main.csl", "call of 'g'" } });
}

/* A mistake in the use of a library shows where the program uses it. */
static void of_libraries(void **state)
{
    (void)state;
#define PRINT "const p = @import_module(\"<simprint>\"); var x: u16 = 1;\n"
    TOLD(PRINT "fn f(n: anytype) void {\np.fmt(\"{d} {q}\\n\", .{ n, n }); }\ntask t() void {\nf(x); }\n" BOUND,
         { { 3, "main.csl", "{q} is no format: {d}, {X}, {b} and {f} are" },
           { 178, "<simprint>", "found here, by the library" },
           { 5, "main.csl", "call of 'f'" } });
    TOLD(PRINT "task t() void {\np.fmt_with_coords(\"{d} {d}\\n\", .{ x }); }\n" BOUND,
         { { 3, "main.csl", "more formats than there are arguments" }, { 181, "<simprint>", "found here" } });
    TOLD(PRINT "task t() void {\np.fmt(\"%d\", .{ x }); }\n" BOUND,
         { { 3, "main.csl", "fewer formats than there are arguments" }, { 193, "<simprint>", "found here" } });
    TOLD("var x: u16 = 1;\nconst m = @import_module(\"<malloc>\");\ntask t() void { m.malloc(u16, x); }\n" BOUND,
         { { 2, "main.csl", "buffer_num_words' is used but has no value" },
           { 4, "<malloc>", "found here, in the library" } });
    TOLD("const d = @import_module(\"<dsd_ops>\"); var a = @zeros([4]u16);\n"
         "const s = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[i], .wavelet_index_offset = true });\n"
         "task t() void {\nd.mov(u16, s, s, .{}); }\n" BOUND,
         { { 4, "main.csl", "without .index the operation is undefined" },
           { 11, "<dsd_ops>", "found here, by the library" } });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_of_time),      cmocka_unit_test(types),
        cmocka_unit_test(comptime_rules),   cmocka_unit_test(run_time_under_comptime),
        cmocka_unit_test(declarations),     cmocka_unit_test(layouts),
        cmocka_unit_test(several),          cmocka_unit_test(traces),
        cmocka_unit_test(of_libraries),     cmocka_unit_test(mutability),
        cmocka_unit_test(no_room_for_code), cmocka_unit_test(long_chains),
        cmocka_unit_test(colors_by_number), cmocka_unit_test(switches_said_once),
    };
    return cmocka_run_group_tests_name("csl_errors", tests, NULL, NULL);
}
