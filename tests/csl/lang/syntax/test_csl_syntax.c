/* SPDX-License-Identifier: MIT */
/* The grammar of CSL: each rule in a text that uses it, as the tree it gives; trees print to text that parses to
 * the same tree. The expected text is the printer's form, where every operator has its parentheses. */
#include "check.h"

#define E(text) "const x = " text ";"

// clang-format off
static const struct { const char *text, *printed; } rows[] = {
    /* literals */
    { E("1_000"), E("1000") }, { E("0x1f"), E("31") }, { E("0b101"), E("5") }, { E("0o17"), E("15") },
    { E("0"), E("0") },
    { E("340282366920938463463374607431768211455"), E("340282366920938463463374607431768211455") },
    { E("1.5"), E("1.5") }, { E("1.0e-3"), E("0.001") }, { E("1e5"), E("100000.0") }, { E("2.5E+2"), E("250.0") },
    { E("'a'"), E("'\\x61'") }, { E("'\\n"
          "'"), E("'\\x0a'") }, { E("'\\x0a'"), E("'\\x0a'") }, { E("'\\''"), E("'\\x27'") },
    { E("\"a\\n\\t\\\\\\\"\\x41\""), E("\"a\\x0a\\x09\\x5c\\x22A\"") }, { E("\"//\""), E("\"//\"") },
    { E("true"), E("true") },
    /* comments */
    { "// one\n/// doc\n//! two\nconst x = 1; // three", E("1") },
    /* precedence, associativity */
    { E("a + b * c"), E("a + (b * c)") }, { E("a - b - c"), E("(a - b) - c") }, { E("a / b % c"), E("(a / b) % c") },
    { E("n & (n - 1) == 0"), E("(n & (n - 1)) == 0") }, { E("i & 1 == 0"), E("(i & 1) == 0") },
    { E("a << b + c"), E("a << (b + c)") }, { E("a & b << c"), E("a & (b << c)") }, { E("a | b ^ c & d"), E("((a "
          "| b) ^ c) & d") },
    { E("a or b and c == d"), E("a or (b and (c == d))") }, { E("a < b and c >= d or e != f"), E("((a < b) and (c "
          ">= d)) or (e != f)") },
    { E("-a + ~b"), E("(-a) + (~b)") }, { E("!a and b"), E("(!a) and b") }, { E("- "
          "-a"), E("-(-a)") }, { E("&a[i]"), E("&a[i]") },
    { E("&(a[0, z])"), E("&a[0, z]") }, { E("-a.b.*[i](x)"), E("-a.b.*[i](x)") }, { E("comptime f() + "
          "1"), E("(comptime f()) + 1") },
    /* postfix, builtins */
    { E("@get_rectangle().width"), E("@get_rectangle().width") }, { E("(p.*)[i]"), E("p.*[i]") }, { E("x[i, "
          "j,]"), E("x[i, j]") },
    { E("f(a, b,)"), E("f(a, b)") }, { E("@as(u16, 1)"), E("@as(u16, "
          "1)") }, { E("a.color"), E("a.color") }, { E("a.type.param"), E("a.type.param") },
    /* initialisers */
    { E(".{}"), E(".{}") }, { E(".{ .color = c, .type = t, }"), E(".{ .color = c, .type = t }") }, { E(".{ 8, "
          "9 }"), E(".{ 8, 9 }") },
    { E("[3]i16{ 1, 2, 3, }"), E("[3]i16{ 1, 2, 3 }") }, { E("Name{.x = 1}"), E("Name{ .x = 1 "
          "}") }, { E("m.Name{}"), E("m.Name{}") },
    { E("f(u16){ .a = b }"), E("f(u16){ .a = b }") }, { E("[2,3]direction{a}"), E("[2, 3]direction{ a }") },
    /* if and switch as expressions, blocks with labels */
    { E(".{ .tx = if (a) .{ RAMP } else .{ RAMP, SOUTH } }"), E(".{ .tx = if (a) (.{ RAMP }) else (.{ RAMP, "
          "SOUTH }) }") },
    { E("if (a) b else if (c) d"), E("if (a) (b) else (if (c) (d))") },
    { E("switch (a) { 0, 1 => b, c => { d = e; }, else => f(), }"),
          "const x = switch (a) {\n    0, 1 => b,\n    c => {\n        d = e;\n    },\n    else => f(),\n};" },
    { E("blk: { break :blk 1; }"), "const x = blk: {\n    break :blk 1;\n};" }, { E("{}"), E("{}") },
    /* tensor access */
    { E("|i|{10} -> a[i]"), E("|i|{10} -> a[i]") }, { E("|i,j|{2,2}->m.a.*[i + 1, 2*j]"), E("|i, j|{2, 2} "
          "-> m.a.*[i + 1, 2 * j]") },
    { E("|_, i|{n, 4} -> a[i]"), E("|_, i|{n, 4} -> a[i]") },
    /* types */
    { "var x: u16;", "var x: u16;" }, { "var x: [10]f32 = @zeros([10]f32);",
          "var x: [10]f32 = @zeros([10]f32);" }, { "param p: *const u16;", "param p: *const u16;" },
    { "param p: [*]f32;", "param p: [*]f32;" }, { "param p: [*]const f32;", "param p: [*]const f32;" }, {
          "param p: *[a, b*2]T;", "param p: *[a, b * 2]T;" },
    { "param f: fn ()void;", "param f: fn() void;" }, { "param cb: task () void;", "param cb: task() void;" },
    { "param f: *const fn(a: i16, u16) f(x).T;", "param f: *const fn(a: i16, u16) f(x).T;" }, {
          "param t: type;", "param t: type;" },
    { "const S = struct { a: u16, b: [2]f32 = x, };", "const S = struct { a: u16, b: [2]f32 = x };" },
    { "const S = extern struct { a: u16 };", "const S = extern struct { a: u16 };" }, {
          "const S = packed union { a: u7, b: i16777215 };", "const S = packed union { a: u7, b: i16777215 };" },
    { "const e = enum(u16) { red, white = 4, blue };", "const e = enum(u16) { red, white = 4, blue };" }, {
          "const e = enum { a };", "const e = enum { a };" },
    { "const x = @strlen(s) * @as(*u16, p).*;", "const x = @strlen(s) * @as(*u16, p).*;" }, {
          "var x: [@strlen(s)]u8;", "var x: [@strlen(s)]u8;" },
    /* declarations */
    { "param p;", "param p;" }, { "param p = {};", "param p = {};" }, { "export var x: [4]f32 align(16) = y;",
          "export var x: [4]f32 align(16) = y;" },
    { "extern var x: u16;", "extern var x: u16;" }, { "extern const x: u16 linkname(\"a\");",
          "extern const x: u16 linkname(\"a\");" },
    { "fn f(comptime T: type, x: anytype, _: @type_of(x)) T { return x; }",
          "fn f(comptime T: type, x: anytype, _: @type_of(x)) T {\n    return x;\n}" },
    { "inline fn f() void {}", "inline fn f() void {}" }, { "noinline fn f() linksection(\"x\") void {}",
          "noinline fn f() linksection(\"x\") void {}" },
    { "extern fn f(u16) void;", "extern fn f(u16) void;" }, { "task t(a: u16, b: u16) void {}",
          "task t(a: u16, b: u16) void {}" }, { "task t() {}", "task t() {}" },
    { "comptime { @f(); };", "comptime {\n    @f();\n}" }, { "layout { @set_rectangle(1, 1); }",
          "layout {\n    @set_rectangle(1, 1);\n}" },
    { "fn f() [2]T {}", "fn f() [2]T {}" }, { "fn f() *T {}", "fn f() *T {}" },
};
#define S(text) "fn f() void {\n    " text "\n}"
static const struct { const char *text, *printed; } statements[] = {
    { "x = 1;", "x = 1;" }, { "x += 1; x -= 1; x *= 1; x /= 1; x %= 1;",
          "x += 1;\n    x -= 1;\n    x *= 1;\n    x /= 1;\n    x %= 1;" },
    { "x <<= 1; x >>= 1; x &= 1; x |= 1; x ^= 1;", "x <<= 1;\n    x >>= 1;\n    x &= 1;\n    x |= 1;\n    x ^= 1;" },
    { "@field(s, \"n\") = 1;", "@field(s, \"n\") = 1;" }, { "@bitcast(*u16, a).* = v;",
          "@bitcast(*u16, a).* = v;" }, { "(p.*)[i] = 1;", "p.*[i] = 1;" },
    { "if (c) x = y;", "if (c) x = y;;" }, { "if (c) f(); else g();", "if (c) f(); else g();;" }, {
          "if (c) return 1; else if (d) { } else return;", "if (c) return 1; else if (d) {} else return;;" },
    { "if (a) if (b) f(); else g();", "if (a) if (b) f(); else g();;" }, { "if (a) { if (b) f(); } else g();",
          "if (a) {\n        if (b) f();;\n    } else g();;" },
    { "for (@range(i16, 3)) |i| f(i);", "for (@range(i16, 3)) |i| f(i);;" }, { "inline for (a) |_, i| {}",
          "inline for (a) |_, i| {};" },
    { "while (a < 3) : (a += 1) {}", "while (a < 3) : (a += 1) {};" }, { "l: while (true) { continue :l; "
          "break :l; }", "l: while (true) {\n        continue :l;\n        break :l;\n    };" },
    { "inline while (c) {}", "inline while (c) {};" }, { "comptime var i: u16 = 0;",
          "comptime var i: u16 = 0;" }, { "comptime { f(); }", "comptime {\n        f();\n    };" },
    { "l: { break :l; }", "l: {\n        break :l;\n    };" }, {
          "switch (a) { 0 => return, 1 => break, 2 => x = 1, else => {} }",
          "switch (a) {\n        0 => return,\n        1 => break,\n        2 => x = 1,\n        else => {},\n    "
          "};" },
    { "var x; const y = 1; ;", "var x;\n    const y = 1;" }, { "@fmacs(y, y, A, x[j]);", "@fmacs(y, y, A, x[j]);" },
    { "if (a) f() else g();", "if (a) f(); else g();;" },
};

/* Line and column of the first error, a phrase of it. */
static const struct { const char *text, *phrase; int line, column; } errors[] = {
    { "const x = 1", "expected ';' behind a declaration, not the end of the file", 1, 12 },
    { "const x = 1\nconst y = 2;", "expected ';' behind a declaration, not 'const'", 1, 12 },
    { "const x;", "a const needs a value", 1, 7 },
    { "const color = 1;", "'color' is a reserved word", 1, 7 },
    { "const u16 = 1;", "'u16' is a reserved word", 1, 7 },
    { "const x = 1 < 2 < 3;", "comparisons do not chain", 1, 17 },
    { "const x = ;", "expected an expression, not ';'", 1, 11 },
    { "fn f() void { x++; }", "CSL has no '++': write x += 1", 1, 16 },
    { "fn f() void { ++x; }", "CSL has no '++': write x += 1", 1, 15 },
    { "fn f() void { x--; }", "CSL has no '--': write x -= 1", 1, 16 },
    { "fn f() void { a[3]++; }", "CSL has no '++': write the variable += 1", 1, 19 },
    { "fn f() void { while (x < 3) : (x++) { } }", "CSL has no '++': write x += 1", 1, 33 },
    { "const x = f(1, 2;", "expected ')' or ',' in this list, not ';'", 1, 17 },
    { "const x = (1;", "expected ')' to close '('", 1, 13 },
    { "const x = 12z;", "this is not a number", 1, 11 },
    { "const x = 0b12;", "this is not a number", 1, 11 },
    { "const x = 0x;", "this is not a number", 1, 11 },
    { "const x = 1__;", "this is not a number", 1, 11 },
    { "const x = 1e400;", "beyond 64-bit floats", 1, 11 },
    { "const x = 340282366920938463463374607431768211456;", "more than 128 bits", 1, 11 },
    { "const x = \"abc", "this string is not closed on its line", 1, 11 },
    { "const x = \"a\\q\";", "unknown escape", 1, 13 },
    { "const x = 'ab';", "a character is one byte; this has 2", 1, 11 },
    { "const x = '';", "a character is one byte; this has 0", 1, 11 },
    { "/* c */ const x = 1;", "CSL has no block comments; write // on each line", 1, 1 },
    { "const y = 1;\n  /* c\nconst x = 1;", "the one that begins here has no end", 2, 3 },
    { "/*/ const x = 1;", "has no end", 1, 1 },
    { "const x = 1 $ 2;", "'$' has no meaning in CSL", 1, 13 },
    { "const x = @ f();", "expected a builtin's name after '@'", 1, 11 },
    { "const x = @f;", "expected '(' and arguments behind a builtin", 1, 13 },
    { "x = 1;", "expected a declaration", 1, 1 },
    { "export x = 1;", "expected a declaration", 1, 8 },
    { "inline var x = 1;", "expected fn or task", 1, 8 },
    { "fn f() void { x = 1 }", "expected ';' behind the statement, not '}'", 1, 21 },
    { "fn f() void { 1 = x; }", "this cannot be assigned to", 1, 15 },
    { "fn f() void { f() = x; }", "this cannot be assigned to", 1, 15 },
    { "fn f() void { param x: u16; }", "param stands at the top of a file only", 1, 15 },
    { "fn f() void { for (a) {} }", "expected '|' and a name for the element", 1, 23 },
    { "fn f() void { if c {} }", "expected '(' behind if", 1, 18 },
    { "fn f() void { l: x = 1; }", "expected a block or a loop behind a label", 1, 18 },
    { "fn f() void {\n  if (a) {\n    x = 1;\n}\nfn g() void {}", "this '{' is never closed", 1, 13 },
    { "fn f() void {\n  if (a) {\n    x = 1;\n\nfn g() void {}", "this '{' is never closed", 2, 10 },
    { "fn f(u16: u16) void {}", "'u16' is a reserved word", 1, 6 },
    { "fn f(a) void", "expected ';' or a body", 1, 13 },
    { "var x: [] u16;", "an array type needs a length", 1, 8 },
    { "var x: 5;", "expected a type, not '5'", 1, 8 },
    { "const s = struct { fn f() void {} };", "a struct holds fields only", 1, 20 },
    { "const s = struct { a };", "expected ':' and a type", 1, 22 },
    { "const s = .{ .a = 1, 2 };", "expected .name = value as in the fields before", 1, 22 },
    { "const s = .{ .a };", "expected '=' behind a field's name", 1, 17 },
    { "const x = |i|{} -> a[i];", "expected a length between", 1, 15 },
    { "const x = |i|{1} a[i];", "expected '->' behind the lengths", 1, 18 },
    { "const x = |i|{1} -> a;", "expected '[' and indices", 1, 22 },
    { "const x = |i|{1} -> a[];", "expected an index", 1, 22 },
    { "const x = |i{1} -> a[i];", "expected '|' behind the induction variables", 1, 13 },
    { "const x = |5|{1} -> a[i];", "expected an induction variable", 1, 12 },
    { "const x = a[];", "expected an index", 1, 12 },
    { "const x = switch (a) { 0 = 1 };", "expected '=>' behind the cases", 1, 26 },
    { "fn f() void { asm(\"nop\"); }", "inline assembly is not supported", 1, 15 },
    { "fn f() void { asm volatile (\"a\" : [r] \"=r\" (-> u16) : [x] \"r\" (x) : \"m\"); }", "inline assembly is not", 1,
      15 },
    { "fn f() u16 { return 1 + asm(\"a\" : [r] \"=r\" (-> u16)); }", "inline assembly is not supported", 1, 25 },
    { "fn f() void { if (a) asm(\"nop\"); }", "inline assembly is not supported", 1, 22 },
    { "const x = asm(\"nop\");", "inline assembly is not supported", 1, 11 },
    { "comptime { asm(\"nop\"); }", "inline assembly is not supported", 1, 12 },
    { "asm(\"nop\");", "inline assembly is not supported", 1, 1 },
    { "comptime asm(\"nop\");", "inline assembly is not supported", 1, 10 },
    { "var x: u16 align(4) align(8);", "'align' is given twice", 1, 21 },
    { "fn f(a: u16 b: u16) void {}", "expected ')' or ',' behind a parameter", 1, 13 },
};
// clang-format on

static void check_round(size_t row, const char *text, const char *printed)
{
    parsed p = parse_text(text);
    if (!p.file) tw_diags_print(p.diags, stderr, false);
    if (!p.file) fail_msg("row %zu does not parse: %s", row, text);
    char *once = tw__csl_print(p.ctx, p.file);
    size_t n = strlen(once);
    assert_true(n && once[n - 1] == '\n');
    once[n - 1] = 0;
    if (strcmp(once, printed) != 0) fail_msg("row %zu: %s\nprints as %s\ninstead of %s", row, text, once, printed);
    const tw__csl_node *again = tw__csl_parse(p.ctx, "again.csl", once, strlen(once));
    if (!again || !tw__csl_same(p.file, again)) fail_msg("row %zu: another tree from %s", row, once);
    free(once);
    parsed_free(&p);
}

static void csl_syntax_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_round(i, rows[i].text, rows[i].printed);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        char text[1024], printed[1024];
        snprintf(text, sizeof text, S("%s"), statements[i].text);
        const char *end = statements[i].printed + strlen(statements[i].printed) - 1;
        snprintf(printed, sizeof printed, S("%s%s"), statements[i].printed, *end == '}' ? ";" : "");
        check_round(1000 + i, text, printed);
    }
}

static void csl_syntax_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        parsed p = parse_text(errors[i].text);
        assert_null(p.file);
        check_message(i, errors[i].text, p.diags, TW_ERROR, errors[i].phrase, errors[i].line, errors[i].column);
        parsed_free(&p);
    }
}

/* One error per statement and declaration, none twice; what follows is read again. */
static void csl_syntax_recovers(void **state)
{
    (void)state;
    static const int lines[] = { 2, 4, 7, 9, 11, 14 };
    parsed p = parse_text("fn f() void {\n"
                          "  x = ;\n"
                          "  y = 1;\n"
                          "  if (a) { b = ); c = 2; }\n"
                          "  z(1);\n"
                          "}\n"
                          "const q = 5 5;\n"
                          "task t() void {\n"
                          "  while (x { y(); }\n"
                          "  const a = 1;\n"
                          "  const b = .{ .c 1 };\n"
                          "}\n"
                          "comptime {\n"
                          "  @bind(;\n"
                          "}\n");
    assert_null(p.file);
    if (tw_diags_count(p.diags, TW_ERROR) != 6) tw_diags_print(p.diags, stderr, false);
    assert_int_equal(tw_diags_count(p.diags, TW_ERROR), 6);
    for (size_t i = 0; i < 6; i++) assert_int_equal(tw_diags_get(p.diags, i)->line, lines[i]);
    parsed_free(&p);
}

/* One mistake, one message: nothing is said about what only follows from it. */
static void csl_syntax_no_cascades(void **state)
{
    (void)state;
    static const struct {
        const char *text, *phrase;
        int column;
    } slips[] = {
        { "comptime { const a = $; }", "'$' has no meaning", 22 },
        { "comptime { const a = \"abc; }", "not closed on its line", 22 },
        { "comptime { const a = 'b; }", "not closed on its line", 22 },
        { "comptime { const a = @ ; }", "a builtin's name", 22 },
        { "comptime { const while = 1; }", "'while' is a reserved word", 18 },
        { "comptime { var return: u16 = 1; }", "'return' is a reserved word", 16 },
        { "fn for() void {}", "'for' is a reserved word", 4 },
        /* what people write who come from other languages */
        { "comptime { for (var i: u16 = 0; i < f(3); i += 1) { g(i); } }", "for (@range(u16, n)) |i|", 17 },
        { "comptime { const a = b && c; }", "CSL writes 'and' for '&&'", 24 },
        { "comptime { const a = b || c; }", "CSL writes 'or' for '||'", 24 },
        { "comptime { const a = b ? 1 : 2; }", "'?' has no meaning", 24 },
        { "comptime {\nfn f() void { g(); }\n}\n", "never closed", 10 },
        { "export inline fn f() void { g(); }", "it cannot be exported", 18 },
        { "extern inline fn f() void;", "it cannot be extern", 18 },
    };
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        parsed p = parse_text(slips[i].text);
        assert_null(p.file);
        check_message(i, slips[i].text, p.diags, TW_ERROR, slips[i].phrase, 1, slips[i].column);
        if (tw_diags_count(p.diags, TW_ERROR) != 1) tw_diags_print(p.diags, stderr, false);
        assert_int_equal(tw_diags_count(p.diags, TW_ERROR), 1);
        parsed_free(&p);
    }
}

static void csl_syntax_stops_after_20(void **state)
{
    (void)state;
    char text[4096] = "";
    for (int i = 0; i < 40; i++) strcat(text, "const = 1;\n");
    parsed p = parse_text(text);
    assert_null(p.file);
    assert_int_equal(tw_diags_count(p.diags, TW_ERROR), TW__CSL_MAX_ERRORS);
    assert_true(tw__csl_stopped(p.ctx));
    assert_non_null(strstr(tw_diags_get(p.diags, TW__CSL_MAX_ERRORS)->message, "too many errors"));
    parsed_free(&p);
}

/* Depth of nesting and length of chains end in an error, not on the stack. */
static void csl_syntax_limits(void **state)
{
    (void)state;
    static const struct {
        const char *head, *unit, *tail;
        int most; /* so many units are fine */
    } nests[] = { { "const x = ", "(", "", 250 },           { "const x = ", "-", "", 250 },
                  { "const x = ", ".{", "", 250 },          { "const x: ", "*", "", 250 },
                  { "const x: ", "[1]", "", 250 },          { "fn f() void ", "{", "", 250 },
                  { "fn f() void {", "if (a) {", "", 120 }, { "fn f() void {", "if (a) b(); else ", "", 250 },
                  { "const x = ", "if (a) ", "", 250 },     { "const x = 1", " + 1", ";", 1900 },
                  { "const x = a", ".b", ";", 1900 },       { "const x = ", "a[", "", 250 } };
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        size_t unit = strlen(nests[i].unit), times = 200000;
        char *text = malloc(unit * times + 100), *end = text;
        end += sprintf(end, "%s", nests[i].head);
        for (size_t k = 0; k < times; k++, end += unit) memcpy(end, nests[i].unit, unit);
        strcpy(end, nests[i].tail);
        parsed p = parse_text(text);
        assert_null(p.file);
        const char *message = tw_diags_get(p.diags, 0)->message;
        if (!strstr(message, "nested deeper than") && !strstr(message, "operators in one expression"))
            fail_msg("row %zu: %s", i, message);
        parsed_free(&p);
        if (*nests[i].tail) {
            strcpy(text + strlen(nests[i].head) + unit * (size_t)nests[i].most, nests[i].tail);
            p = parse_text(text);
            assert_non_null(p.file);
            parsed_free(&p);
        }
        free(text);
    }
}

/* Locations name file, line and column in every file of a context; the end of a file has one too. */
static void csl_syntax_places(void **state)
{
    (void)state;
    parsed p = parse_text("const a = 1;\r\nconst bb = a;\n");
    const tw__csl_node *second = tw__csl_parse(p.ctx, "two.csl",
                                               "\xef\xbb\xbf"
                                               "fn f() void {}",
                                               17);
    assert_non_null(second);
    tw__csl_place place = tw__csl_where(p.ctx, p.file->kid[1]->loc);
    assert_string_equal(place.file, "t.csl");
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 7);
    assert_int_equal(place.text_length, 13);
    assert_int_equal(p.file->kid[1]->length, 2);
    place = tw__csl_where(p.ctx, second->kid[0]->loc);
    assert_string_equal(place.file, "two.csl");
    assert_int_equal(place.column, 7);
    assert_string_equal(tw__csl_where(p.ctx, 0).file, "");
    assert_string_equal(tw__csl_where(p.ctx, UINT32_MAX).file, "");
    assert_int_equal(tw__csl_intern(p.ctx, "bb", 2), p.file->kid[1]->name);
    assert_string_equal(tw__csl_text(p.ctx, p.file->kid[1]->name), "bb");
    parsed_free(&p);
}

/* Every allocation in turn fails: no tree or a right one, never a crash. */
static void csl_syntax_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1;; n++) {
        tw_diags *diags = tw_diags_new();
        tw__fail_allocation(n);
        tw__csl_ctx *ctx = tw__csl_ctx_new(diags);
        const char *text = "const a = .{ .b = [2]u16{ 1, 2 } }; fn f(x: u16) u16 { if (x == 1) return \"s\"; }";
        const tw__csl_node *file = ctx ? tw__csl_parse(ctx, "t.csl", text, strlen(text)) : NULL;
        bool fired = tw__fail_allocation(0) == 0;
        assert_true(file || fired);
        tw__csl_ctx_free(ctx);
        tw_diags_free(diags);
        if (!fired) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csl_syntax_trees),          cmocka_unit_test(csl_syntax_errors),
        cmocka_unit_test(csl_syntax_recovers),       cmocka_unit_test(csl_syntax_no_cascades),
        cmocka_unit_test(csl_syntax_stops_after_20), cmocka_unit_test(csl_syntax_limits),
        cmocka_unit_test(csl_syntax_places),         cmocka_unit_test(csl_syntax_memory)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
