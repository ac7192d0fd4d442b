/* SPDX-License-Identifier: MIT */
/* Pointers to scalars as destinations: an operation whose value is read from the object that its destination points
 * to reads it again for each element, however both are spelled; with any other value the last element counts
 * (vendor document "Data Structure Descriptors", pointers to scalars; docs/decisions.md, C4). Each
 * spelling with each operation, synchronous and asynchronous, with and without strict checks. */
#include "compile.h"
#include "csl/wse/wse.h"

/* $T = type of the accumulator, $O = the operation on it with all behind the vector, $E = what it must end as. */
typedef struct {
    const char *spelling, *top, *body;
    bool folds;
} row;

#define OP(destination, value) "$O(" destination ", " value ", $V);"

static const row rows[] = {
    { "&m, m", "", OP("&m", "m"), true },
    { "a var pointer and the variable", "", "var p = &m; " OP("p", "m"), true },
    { "a const pointer and the variable", "", "const q = &m; " OP("q", "m"), true },
    { "a pointer and what it points to", "", "var p = &m; " OP("p", "p.*"), true },
    { "two pointers", "", "var p = &m; var q = p; " OP("p", "q.*"), true },
    { "&m and a pointer's target", "", "var p = &m; " OP("&m", "p.*"), true },
    { "a module's pointer", "var at: *$T = &m;\n", OP("at", "m"), true },
    { "a parameter", "fn add(p: *$T) void { " OP("p", "p.*") " }\n", "add(&m);", true },
    { "a parameter and the variable", "fn add(p: *$T) void { " OP("p", "m") " }\n", "add(&m);", true },
    { "two parameters", "fn add(p: *$T, q: *$T) void { " OP("p", "q.*") " }\n", "add(&m, &m);", true },
    { "an inline function's parameter", "inline fn add(p: *$T) void { " OP("p", "p.*") " }\n", "add(&m);", true },
    { "a pointer chosen at run time", "var pick: bool = true;\n",
      "var p = &other; if (pick) { p = &m; } " OP("p", "m"), true },
    { "an element", "var a = @constants([4]$T, 3.0);\n", OP("&a[2]", "a[2]") " m = a[2]; @assert(a[1] == 3.0);",
      true },
    { "an element at a run-time index", "var a = @constants([4]$T, 3.0); var k: u16 = 2;\n",
      OP("&a[k]", "a[2]") " m = a[2];", true },
    { "a pointer and an element", "var a = @constants([4]$T, 3.0); var k: u16 = 2;\n",
      "var p = &a[2]; " OP("p", "a[k]") " m = a[2];", true },
    { "an element through [*]", "var a = @constants([4]$T, 3.0); var p: [*]$T = &a;\n",
      OP("&a[3]", "p[3]") " m = a[3];", true },
    { "an element of a matrix", "var a = @constants([3,4]$T, 3.0); var k: u16 = 1;\n",
      OP("&a[k, 2]", "a[1, k + 1]") " m = a[1, 2];", true },
    { "the element of an array of one", "var a = @constants([1]$T, 3.0);\n", OP("&a", "a[0]") " m = a[0];", true },
    { "an array of one by its name", "var a = @constants([1]$T, 3.0);\n", OP("a", "a[0]") " m = a[0];", true },
    { "a field", "const two = struct { x: $T, y: $T }; var s = two{ .x = 3.0, .y = 3.0 };\n",
      OP("&s.y", "s.y") " m = s.y; @assert(s.x == 3.0);", true },
    { "a field through a pointer", "const two = struct { x: $T, y: $T }; var s = two{ .x = 3.0, .y = 3.0 };\n",
      "var p = &s; var q = &s.y; " OP("q", "p.y") " m = s.y;", true },
    { "a local variable", "", "var l: $T = 3.0; var p = &l; " OP("p", "l") " m = l;", true },
    { "a cast pointer", "", "var p = @ptrcast(*$T, &m); " OP("p", "m"), true },
    { "parentheses", "", OP("(&m)", "(m)"), true },
    { "in a loop, after another variable", "var times: u16 = 2;\n",
      "var p = &other; var i: u16 = 0; while (i < times) : (i += 1) { if (i == 1) { p = &m; } " OP("p", "m") " }",
      true },
    /* other objects, and values that are no object any more */
    { "in a loop, after one that folds", "var times: u16 = 2;\n",
      "var q = &m; var i: u16 = 0; while (i < times) : (i += 1) { " OP("&m", "q.*") " q = &other; }", false },
    { "another variable", "", OP("&m", "other"), false },
    { "a pointer to another variable", "", "var p = &other; " OP("&m", "p.*"), false },
    { "two pointers apart", "", "var p = &m; var q = &other; " OP("p", "q.*"), false },
    { "two parameters apart", "fn add(p: *$T, q: *$T) void { " OP("p", "q.*") " }\n", "add(&m, &other);", false },
    { "the next element", "var a = @constants([4]$T, 3.0); var k: u16 = 2;\n", OP("&a[k]", "a[k + 1]") " m = a[2];",
      false },
    { "the other field", "const two = struct { x: $T, y: $T }; var s = two{ .x = 3.0, .y = 3.0 };\n",
      OP("&s.y", "s.x") " m = s.y;", false },
    { "a constant", "", OP("&m", "3.0"), false },
    { "a copy", "", "const c = m; " OP("&m", "c"), false },
    { "an expression", "", OP("&m", "m + 0.0"), false },
    { "a value parameter", "fn add(p: *$T, x: $T) void { " OP("p", "x") " }\n", "add(&m, m);", false },
    { "a function's result", "fn get() $T { return m; }\n", OP("&m", "get()"), false },
};

static const struct {
    const char *name, *type, *vector; /* of the accumulator, of the elements */
    const char *fold, *last;          /* of 3 with 1, 5, 2, 4; of 3 with 4 */
} operations[] = {
    { "@fadds", "f32", "f32", "15.0", "7.0" },   { "@fsubs", "f32", "f32", "-9.0", "-1.0" },
    { "@fmuls", "f32", "f32", "120.0", "12.0" }, { "@fmaxs", "f32", "f32", "5.0", "4.0" },
    { "@faddh", "f16", "f16", "15.0", "7.0" },   { "@fsubh", "f16", "f16", "-9.0", "-1.0" },
    { "@fmulh", "f16", "f16", "120.0", "12.0" }, { "@fmaxh", "f16", "f16", "5.0", "4.0" },
    { "@faddhs", "f32", "f16", "15.0", "7.0" },
};

static void put(char *out, size_t room, const char *text, const char *type, const char *operation,
                const char *vector)
{
    size_t at = strlen(out);
    for (; *text && at + 64 < room; text++) {
        const char *word = text[0] != '$'   ? NULL
                           : text[1] == 'T' ? type
                           : text[1] == 'O' ? operation
                           : text[1] == 'V' ? vector
                                            : NULL;
        at += (size_t)(word ? sprintf(out + at, "%s", word) : sprintf(out + at, "%c", *text));
        text += word != NULL;
    }
}

/* The program of a row; asynchronous ones get the vector from the fabric and go on in a second task. */
static void program(char out[4096], const row *r, size_t o, bool async)
{
    const char *type = operations[o].type, *name = operations[o].name;
    snprintf(out, 4096,
             "export var done: u16 = 0; var m: %s = 3.0; var other: %s = 3.0;\n"
             "var v = [4]%s{ 1.0, 5.0, 2.0, 4.0 };\n"
             "const vd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> v[i] });\n"
             "const loop = @get_color(4); const iq = @get_input_queue(2); const oq = @get_output_queue(3);\n"
             "const in = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = loop, .input_queue = iq });\n"
             "const out = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = loop, .output_queue = oq });\n",
             type, type, operations[o].vector);
    put(out, 4096, r->top, type, name, async ? "in, .{ .async = true, .activate = after }" : "vd");
    strcat(out, "task run() void { ");
    if (async)
        strcat(strcat(out, type[1] == '3' && operations[o].vector[1] == '3' ? "@fmovs" : "@fmovh"),
               "(out, vd, .{ .async = true }); ");
    /* what a row does behind its operation is for synchronous ones; asynchronous rows have nothing there */
    put(out, 4096, r->body, type, name, async ? "in, .{ .async = true, .activate = after }" : "vd");
    strcat(out, async ? " }\n" : " @activate(@get_local_task_id(9)); }\n");
    snprintf(out + strlen(out), 4096 - strlen(out),
             "task after() void { @assert(m == %s); done = 1; }\n"
             "comptime { @set_local_color_config(loop, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ RAMP } } });\n"
             "  @initialize_queue(iq, .{ .color = loop });\n"
             "  if (@is_arch(\"wse3\")) @initialize_queue(oq, .{ .color = loop }); else @initialize_queue(oq);\n"
             "  @bind_local_task(after, @get_local_task_id(9)); @bind_local_task(run, @get_local_task_id(8));\n"
             "  @activate(@get_local_task_id(8)); }\n",
             r->folds ? operations[o].fold : operations[o].last);
}

static bool holds(const char *text, const char *spelling, bool wse3, tw__wse_check check)
{
    compiled c = compile_text(text, wse3);
    tw__wse *w = c.image ? tw__wse_new(c.image, &(tw__wse_options){ .check = check }, c.diags) : NULL;
    bool good = w && tw__wse_run(w, 20000, NULL, NULL) == TW_OK && !find_message(c.diags, TW_WARNING, "wait");
    const tw__csl_program *p = good ? &c.image->programs[c.image->pes[0].program] : NULL;
    bool done = false;
    for (size_t i = 0; good && i < p->symbol_count; i++)
        if (!strcmp(p->symbols[i].name, "done")) done = tw__wse_memory(w, 0, 0)[p->symbols[i].address] == 1;
    if (!done) {
        tw_diags_print(c.diags, stderr, false);
        fprintf(stderr, "WSE-%d, '%s':\n%s\n", wse3 ? 3 : 2, spelling, text);
    }
    tw__wse_free(w);
    compiled_free(&c);
    return done;
}

static void each_spelling(bool async)
{
    char text[4096];
    unsigned bad = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
            if (async && (strstr(rows[i].body, "$V); m") || strstr(rows[i].body, "while")))
                continue; /* looks at the result at once, or goes on before the end */
            program(text, &rows[i], o, async);
            bad += !holds(text, rows[i].spelling, o & 1, o & 2 ? TW__WSE_CHECK_STRICT : TW__WSE_CHECK_REPORT);
        }
    if (bad) fail_msg("%u programs fail", bad);
}

static void csl_folds_synchronous(void **state)
{
    (void)state;
    each_spelling(false);
}

static void csl_folds_asynchronous(void **state)
{
    (void)state;
    each_spelling(true);
}

/* The root mean square of a row, as libraries of layers write it: the sum is a parameter of a helper. */
static void csl_folds_rms_norm(void **state)
{
    (void)state;
    static const char text[] =
        "const math = @import_module(\"<math>\"); export var done: u16 = 0;\n"
        "var x = [4]f32{ 1.0, 5.0, 2.0, 4.0 }; var squares = @zeros([4]f32); var weight = @constants([4]f32, "
        "2.0);\n"
        "var y = @zeros([4]f32); var sum: f32 = 0.0;\n"
        "const xd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> x[i] });\n"
        "const sd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> squares[i] });\n"
        "const wd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> weight[i] });\n"
        "const yd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> y[i] });\n"
        "fn accumulate(total: *f32, values: mem1d_dsd) void { @fadds(total, total.*, values); }\n"
        "fn rms_norm(total: *f32) void {\n"
        "  total.* = 0.0; @fmuls(sd, xd, xd); accumulate(total, sd);\n"
        "  @fmuls(yd, xd, math.invsqrt(total.* / 4.0)); @fmuls(yd, yd, wd);\n}\n"
        "task run() void {\n"
        "  rms_norm(&sum); @assert(sum == 46.0);\n"
        "  @fmuls(sd, yd, yd); var check: f32 = 0.0; accumulate(&check, sd);\n" /* 4 rows of 2 * 2 */
        "  @assert(check > 15.99 and check < 16.01); done = 1;\n}\n"
        "comptime { @bind_local_task(run, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n";
    for (int wse3 = 0; wse3 < 2; wse3++) assert_true(holds(text, "RMS norm", wse3, TW__WSE_CHECK_ERROR));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(csl_folds_synchronous),
                                        cmocka_unit_test(csl_folds_asynchronous),
                                        cmocka_unit_test(csl_folds_rms_norm) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
