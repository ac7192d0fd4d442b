/* SPDX-License-Identifier: MIT */
/* Optimised code does what the code as it is written does: random programs, compiled both ways, leave the same memory
 * and print the same lines; functions whose calls are gone show in stack traces, and indices are still checked. */
#include "csl/wse/compile.h"
#include "csl/wse/kit.h"

#include <glib.h>

enum { PROGRAMS = 150, MOST_CYCLES = 3000000 };

/* --- random programs ------------------------------------------------------------------------------------------ */

typedef struct writer {
    GString *text;
    uint64_t state;
    unsigned functions; /* written so far: those may be called */
    unsigned loops, depth;
    bool in_function;
} writer;

static unsigned roll(writer *w, unsigned sides)
{
    w->state = w->state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((w->state >> 33) % sides);
}

static const char *const types[] = { "i16", "u16", "i32", "u32", "u8", "i8", "f32" };
enum { INTS = 6, F32 = 6, TYPES = 7, VARS = 3, ARRAY = 8, LOCALS = 2 };

static void add(writer *w, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void add(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_string_append_vprintf(w->text, format, args);
    va_end(args);
}

static void expression(writer *w, unsigned type); /* with something that only the run knows */

static void literal(writer *w, unsigned type)
{
    static const int some[] = { 0, 1, 2, 3, 4, 7, 8, 10, 16, 31, 64, 100, 127 };
    unsigned k = roll(w, 16);
    if (type == F32)
        add(w, "@as(f32, %d.%d)", (int)roll(w, 20) - 10, roll(w, 4) * 25);
    else
        add(w, "@as(%s, %d)", types[type], k < 13 ? some[k] : (int)roll(w, 120));
}

static void index_of_array(writer *w)
{
    if (w->loops && roll(w, 2))
        add(w, "(l%u & 7)", roll(w, w->loops));
    else if (roll(w, 4) == 0)
        add(w, "at%u", roll(w, 2)); /* the compiler does not know that they are good */
    else if (roll(w, 2))
        add(w, "%u", roll(w, ARRAY));
    else if (roll(w, 2))
        add(w, "((v%u_%u >> %u) & 7)", roll(w, 2), roll(w, VARS), roll(w, 9));
    else
        add(w, "(v1_%u & 7)", roll(w, VARS));
}

/* An element by the name of its array, or by a pointer: both lead to the same memory. */
static void element(writer *w, unsigned type)
{
    add(w, "%c%u[", roll(w, 4) ? 'm' : 'p', type);
    index_of_array(w);
    add(w, "]");
}

/* The second operand of something may be a literal; two would be computed, and refused, by the compiler. */
static void second(writer *w, unsigned type)
{
    if (roll(w, 3))
        expression(w, type);
    else
        literal(w, type);
}

static void condition(writer *w)
{
    static const char *const compare[] = { "<", "<=", ">", ">=", "==", "!=" };
    unsigned type = roll(w, TYPES), how = roll(w, 8);
    if (how == 0) add(w, "!");
    add(w, "(");
    expression(w, type);
    add(w, " %s ", compare[roll(w, 6)]);
    second(w, type);
    add(w, ")");
    if (how == 1) {
        add(w, roll(w, 2) ? " and " : " or ");
        condition(w);
    }
}

static void expression(writer *w, unsigned type)
{
    static const char *const ints[] = { "+", "-", "*", "&", "|", "^", "+", "*" }, *const floats[] = { "+", "-",
                                                                                                      "*" };
    unsigned k = w->depth >= 4 ? roll(w, 4) : roll(w, 12);
    w->depth++;
    if (k <= 2) {
        add(w, "%c%u_%u", w->in_function && roll(w, 2) ? 'a' : 'v', type, w->in_function ? 0 : roll(w, VARS));
    } else if (k == 3) {
        element(w, type);
    } else if (k == 4 && type != F32) { /* division by what is not 0 */
        add(w, "(");
        expression(w, type);
        add(w, " %c ", roll(w, 2) ? '/' : '%');
        if (roll(w, 3))
            add(w, "@as(%s, %u))", types[type], 1 + roll(w, 20));
        else
            add(w, "(v%u_0 | 1))", type);
    } else if (k == 5 && type != F32) {
        add(w, "(");
        expression(w, type);
        add(w, " %s %u)", roll(w, 2) ? "<<" : ">>", roll(w, 8));
    } else if (k == 6 && type != F32) {
        add(w, "@as(%s, ", types[type]);
        expression(w, roll(w, INTS));
        add(w, ")");
    } else if (k == 7 && w->functions && w->depth < 4) {
        add(w, "@as(%s, f%u(", types[type], roll(w, w->functions));
        for (unsigned t = 0; t < TYPES; t++) {
            if (t) add(w, ", ");
            expression(w, t);
        }
        add(w, "))");
    } else {
        add(w, "(");
        expression(w, type);
        add(w, " %s ", type == F32 ? floats[roll(w, 3)] : ints[roll(w, 8)]);
        second(w, type);
        add(w, ")");
    }
    w->depth--;
}

static void statements(writer *w, unsigned count, unsigned nesting);

static void assignment(writer *w)
{
    unsigned type = roll(w, TYPES);
    if (roll(w, 12) == 0) {
        add(w, "at%u = @as(u16, (v%u_1 >> %u) & 7);\n", roll(w, 2), roll(w, 2), roll(w, 5));
        return;
    }
    if (roll(w, 3) == 0) {
        element(w, type);
        add(w, " %s= ", roll(w, 3) ? "" : "+");
    } else {
        if (roll(w, 8))
            add(w, "v%u_%u %s= ", type, roll(w, VARS), roll(w, 3) ? "" : "+");
        else
            add(w, "q%u.* %s= ", type, roll(w, 3) ? "" : "+");
    }
    expression(w, type);
    add(w, ";\n");
}

static void statement(writer *w, unsigned nesting)
{
    unsigned k = nesting >= 3 ? 0 : roll(w, 8);
    if (k < 4) {
        assignment(w);
    } else if (k < 6) {
        add(w, "if (");
        condition(w);
        add(w, ") {\n");
        statements(w, 1 + roll(w, 2), nesting + 1);
        if (roll(w, 2)) {
            add(w, "} else {\n");
            statements(w, 1 + roll(w, 2), nesting + 1);
        }
        add(w, "}\n");
    } else if (k == 6 && w->loops < 3) {
        static const char *const counters[] = { "u16", "i16", "u32", "i32" };
        add(w, "for (@range(%s, %u)) |l%u| {\n", counters[0], 1 + roll(w, 12), w->loops);
        w->loops++;
        statements(w, 1 + roll(w, 3), nesting + 1);
        w->loops--;
        add(w, "}\n");
    } else {
        unsigned limit = roll(w, 6), how = roll(w, 3); /* of a variable: no turn at all, too, and it may change */
        add(w, "{ var t: u16 = 0;\nwhile (t < ");
        if (how)
            add(w, how == 1 ? "(v1_%u & 7)" : "at%u", roll(w, 2));
        else
            add(w, "%u", limit);
        add(w, ") : (t += 1) {\n");
        statements(w, 1 + roll(w, 2), nesting + 1);
        if (roll(w, 3) == 0) {
            add(w, "if (");
            condition(w);
            add(w, ") { %s; }\n", roll(w, 2) ? "break" : "continue");
        }
        add(w, "} }\n");
    }
}

static void statements(writer *w, unsigned count, unsigned nesting)
{
    for (unsigned k = 0; k < count; k++) statement(w, nesting);
}

/* Functions that end in calls of themselves and of each other: with arguments that change places, behind branches,
 * with results that are used. */
static void recursive_functions(writer *w)
{
    for (unsigned f = 0; f < 2; f++) {
        add(w,
            "fn g%u(n: u16, a0_0: i16, a2_0: i32, p: *i32) i32 {\nvar a1_0: u16 = n; var a3_0: u32 = @as(u32, "
            "a2_0); ",
            f);
        add(w, "var a4_0: u8 = @as(u8, n); var a5_0: i8 = 3; var a6_0: f32 = 1.5;\n");
        add(w, "if (n == 0) { return a2_0 + p.*; }\n");
        w->in_function = true;
        statements(w, 1 + roll(w, 4), 2);
        add(w, "if (");
        condition(w);
        add(w, ") { return g%u(n - 1, @as(i16, a2_0), @as(i32, a0_0) + ", roll(w, f + 1));
        expression(w, 2);
        add(w, ", %s); }\n", roll(w, 3) ? "p" : "&v2_2");
        w->in_function = false;
        add(w, "return g%u(n - 1, a0_0 + 1, a2_0 ^ @as(i32, n), p)%s;\n}\n", roll(w, f + 1),
            roll(w, 3) ? "" : " + v2_1");
    }
}

static char *random_program(uint64_t seed)
{
    writer w = { .text = g_string_new("const print = @import_module(\"<simprint>\");\n"), .state = seed };
    for (unsigned t = 0; t < TYPES; t++) {
        for (unsigned k = 0; k < VARS; k++) add(&w, "var v%u_%u: %s = %u;\n", t, k, types[t], roll(&w, 100));
        add(&w, "var m%u = @zeros([%u]%s);\nvar p%u: [*]%s = &m%u; var q%u: *%s = &v%u_0;\n", t, ARRAY, types[t], t,
            types[t], t, t, types[t], t);
    }
    add(&w, "var at0: u16 = 3; var at1: u16 = 0;\n");
    add(&w, "var dst = @zeros([16]f32); var src = @zeros([16]f32);\n"
            "const dst_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{16} -> dst[i] });\n"
            "var src_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> src[i] });\n");
    for (unsigned f = 0, count = 1 + roll(&w, 3); f < count; f++) {
        unsigned result = roll(&w, INTS);
        add(&w, "fn f%u(", f);
        for (unsigned t = 0; t < TYPES; t++) add(&w, "%sa%u_0: %s", t ? ", " : "", t, types[t]);
        add(&w, ") %s {\n", types[result]);
        w.in_function = true;
        if (roll(&w, 2)) {
            add(&w, "if (");
            condition(&w);
            add(&w, ") { return ");
            expression(&w, result);
            add(&w, "; }\n");
        }
        add(&w, "return ");
        expression(&w, result);
        add(&w, ";\n}\n");
        w.in_function = false;
        w.functions++;
    }
    recursive_functions(&w);
    add(&w, "task main() void {\n");
    for (unsigned k = 0; k < 3; k++) {
        statements(&w, 2, 0);
        add(&w,
            "@fadds(dst_dsd, src_dsd, v6_%u);\nsrc[%u] = v6_0;\nsrc_dsd = @increment_dsd_offset(src_dsd, 1, f32);\n"
            "src_dsd = @set_dsd_length(src_dsd, %u);\n",
            roll(&w, VARS), roll(&w, 8), 1 + roll(&w, 8));
        add(&w, "v2_%u = g%u(%u, v0_0, v2_1, q2);\n", roll(&w, VARS), roll(&w, 2), roll(&w, 9));
    }
    add(&w, "print.fmt_no_nl(\"{d} {d}\", .{ v0_0, v1_1 });\nprint.print_string(\"\\n\");\n}\n"
            "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n");
    return g_string_free(w.text, FALSE);
}

/* --- both ways ------------------------------------------------------------------------------------------------ */

typedef struct outcome {
    tw__csl_image *image;
    tw_diags *diags;
    tw__wse *w;
    tw_status status;
    GString *printed;
} outcome;

static void on_print(void *user, unsigned x, unsigned y, uint64_t cycle, const char *line)
{
    (void)cycle;
    g_string_append_printf(user, "%u,%u: %s\n", x, y, line);
}

static outcome run(const char *text, bool wse3, bool optimize, tw__wse_check check)
{
    outcome r = { .diags = tw_diags_new(), .printed = g_string_new(NULL) };
    tw__csl_compile_options o = { .file = "t.csl",
                                  .wse3 = wse3,
                                  .optimize = optimize,
                                  .read = read_memory,
                                  .read_user = (void *)(uintptr_t)text };
    r.image = tw__csl_compile(&o, r.diags);
    if (!r.image || tw__csl_verify(r.image, r.diags) != TW_OK) {
        tw_diags_print(r.diags, stderr, false);
        fail_msg("does not compile:\n%s", text);
    }
    r.w = tw__wse_new(r.image, &(tw__wse_options){ .threads = 1, .check = check }, r.diags);
    assert_non_null(r.w);
    tw__wse_on_print(r.w, on_print, r.printed);
    r.status = tw__wse_run(r.w, MOST_CYCLES, NULL, NULL);
    return r;
}

static void done(outcome *r)
{
    tw__wse_free(r->w);
    tw__csl_image_free(r->image);
    tw_diags_free(r->diags);
    g_string_free(r->printed, TRUE);
}

/* Variables by name: what lies on the stack is nobody's business. */
static void same_variables(outcome *a, outcome *b, const char *text)
{
    const tw__csl_program *p = &a->image->programs[0], *q = &b->image->programs[0];
    const uint8_t *m = tw__wse_memory(a->w, 0, 0), *n = tw__wse_memory(b->w, 0, 0);
    assert_int_equal(p->symbol_count, q->symbol_count);
    for (size_t k = 0; k < p->symbol_count; k++) {
        const tw__csl_symbol *s = &p->symbols[k];
        assert_string_equal(s->name, q->symbols[k].name);
        if (memcmp(m + s->address, n + q->symbols[k].address, s->bytes))
            fail_msg("'%s' differs at -O2:\n%s\n%s", s->name, text, tw__csl_listing(b->image, 0));
    }
}

static void random_programs(void **state)
{
    (void)state;
    const char *most = getenv("TW_SEEDS"), *first = getenv("TW_SEED");
    unsigned count = most ? (unsigned)atoi(most) : PROGRAMS, begin = first ? (unsigned)atoi(first) : 0;
    uint64_t code[2] = { 0 }, cycles[2] = { 0 };
    for (unsigned seed = begin; seed < begin + count; seed++) {
        char *text = random_program(seed * 7919u + 1);
        outcome a = run(text, seed & 1, false, TW__WSE_CHECK_ERROR),
                b = run(text, seed & 1, true, TW__WSE_CHECK_ERROR);
        if (a.status != TW_OK || b.status != TW_OK) {
            tw_diags_print(b.diags, stderr, false);
            fail_msg("seed %u ends with %s and %s:\n%s", seed, tw_status_name(a.status), tw_status_name(b.status),
                     text);
        }
        same_variables(&a, &b, text);
        assert_string_equal(a.printed->str, b.printed->str);
        code[0] += a.image->programs[0].code_count, code[1] += b.image->programs[0].code_count;
        cycles[0] += tw__wse_cycle(a.w), cycles[1] += tw__wse_cycle(b.w);
        done(&a);
        done(&b);
        g_free(text);
    }
    print_message("instructions %llu -> %llu, cycles %llu -> %llu\n", (unsigned long long)code[0],
                  (unsigned long long)code[1], (unsigned long long)cycles[0], (unsigned long long)cycles[1]);
    assert_true(cycles[1] < cycles[0]);
}

/* --- what is said --------------------------------------------------------------------------------------------- */

/* All messages with their places, without numbers (of cycles) and without the instruction. */
static char *messages(const outcome *r)
{
    GString *out = g_string_new(NULL);
    const tw_diag *d;
    for (size_t k = 0; (d = tw_diags_get(r->diags, k)); k++) {
        g_string_append_printf(out, "%d:%d ", d->line, d->column);
        for (const char *c = d->message; *c && strncmp(c, "': ", 3) != 0; c++)
            if (!g_ascii_isdigit(*c)) g_string_append_c(out, *c);
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}

static void same_messages(void **state)
{
    (void)state;
    static const struct {
        const char *text, *phrase;
        tw_status status;
    } rows[] = {
        { "var x: u16 = 0;\nvar y: u16 = 8;\n"
          "fn inner(k: u16) u16 {\n  return k / x;\n}\n"
          "fn outer(k: u16) u16 {\n  y += 1;\n  return inner(k) + 1;\n}\n"
          "task main() void {\n  x = 2;\n  y = outer(y);\n  x = 0;\n  y = outer(y);\n}\n",
          "division by zero", TW_E_APPLICATION },
        { "var a = @zeros([8]i16);\nvar at: i16 = 9;\n"
          "fn get(k: i16) i16 {\n  return a[k * 2 - 1];\n}\n"
          "task main() void {\n  a[0] = get(2);\n  a[1] = get(at);\n}\n",
          "is outside the", TW_E_APPLICATION },
        { "var a = @zeros([8]i16);\nvar at: i32 = -3;\n"
          "task main() void {\n  for (@range(i16, 4)) |k| { a[k] = a[@as(i32, k) + at]; }\n}\n",
          "index -", TW_E_APPLICATION },
        { "var x: f32 = 0.0;\nfn check(v: f32) void {\n  @assert(v > 1.0);\n}\n"
          "task main() void {\n  check(2.0);\n  check(x);\n}\n",
          "assertion failed", TW_E_APPLICATION },
        /* in loops: what the first turn does before it comes to the index, is done; of two faults the first is
         * told */
        { "var a = @zeros([8]i16);\nvar k: u16 = 9;\nvar n: u16 = 3;\nvar r: u16 = 0;\n"
          "task main() void {\n  var i: u16 = 0;\n  var s: i16 = 0;\n"
          "  while (i < n) : (i += 1) {\n    r += 1;\n    s += a[k];\n  }\n  a[0] = s;\n}\n",
          "is outside the", TW_E_APPLICATION },
        { "var a = @zeros([8]i16);\nvar b = @zeros([4]i16);\nvar k: u16 = 9;\nvar n: u16 = 6;\n"
          "task main() void {\n  var i: u16 = 4;\n  var s: i16 = 0;\n"
          "  while (i < n) : (i += 1) {\n    s += b[i];\n    s += a[k];\n  }\n  a[0] = s;\n}\n",
          "is outside the", TW_E_APPLICATION },
        { "var a = @zeros([8]i16);\nvar x: i16 = 0;\nvar k: u16 = 9;\nvar n: u16 = 6;\n"
          "fn get(j: u16) i16 {\n  return a[j];\n}\n"
          "task main() void {\n  var i: u16 = 0;\n  var s: i16 = 0;\n"
          "  while (i < n) : (i += 1) {\n    s += get(k);\n    s += 9 / x;\n  }\n  a[0] = s;\n}\n",
          "is outside the", TW_E_APPLICATION },
        { "var a = @zeros([8]i16);\nvar x: i16 = 0;\nvar k: u16 = 9;\nvar n: u16 = 6;\n"
          "task main() void {\n  var i: u16 = 0;\n  var s: i16 = 0;\n"
          "  while (i < n) : (i += 1) {\n    if (i == 3) {\n      s += a[k];\n    }\n    a[1] += 1;\n  }\n  a[0] = "
          "s;\n}\n",
          "is outside the", TW_E_APPLICATION },
        { "var x: i16 = 0;\nvar n: u16 = 6;\nvar r: i16 = 0;\n"
          "task main() void {\n  var i: u16 = 0;\n  var s: i16 = 0;\n"
          "  while (i < n) : (i += 1) {\n    @assert(i < 2);\n    if (i > 0) {\n      s += 9 / x;\n    }\n    r += "
          "1;\n  }\n}\n",
          "division by zero", TW_E_APPLICATION },
    };
    static const tw__wse_check checks[] = { TW__WSE_CHECK_ERROR, TW__WSE_CHECK_STRICT, TW__WSE_CHECK_REPORT };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *text = g_strconcat(rows[k].text,
                                 "comptime { @bind_local_task(main, @get_local_task_id(8)); "
                                 "@activate(@get_local_task_id(8)); }\n",
                                 NULL);
        for (size_t c = 0; c < sizeof checks / sizeof *checks; c++) {
            outcome a = run(text, true, false, checks[c]), b = run(text, true, true, checks[c]);
            char *said = messages(&a), *said_optimized = messages(&b);
            assert_int_equal(a.status, b.status);
            if (checks[c] != TW__WSE_CHECK_REPORT) {
                assert_int_equal(b.status, rows[k].status);
                assert_non_null(find_message(b.diags, TW_ERROR, rows[k].phrase));
            }
            assert_string_equal(said, said_optimized);
            if (k) same_variables(&a, &b, text); /* a division need not see what the next store hides: row 0 */
            g_free(said), g_free(said_optimized);
            done(&a);
            done(&b);
        }
        g_free(text);
    }
}

/* Functions that are inlined everywhere are no more; what the host and the machine call stays. */
static void calls_that_go(void **state)
{
    (void)state;
    outcome r =
        run("var x: u16 = 1;\nfn f(k: u16) u16 { return k + x; }\nfn g(k: u16) u16 { return f(k) * f(2); }\n"
            "fn never() void { x = 3; }\nexport fn host() void { x = g(x); }\n"
            "task main() void { x = g(x); }\n"
            "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n",
            false, true, TW__WSE_CHECK_ERROR);
    const tw__csl_program *p = &r.image->programs[0];
    for (size_t k = 0; k < p->code_count; k++) assert_int_not_equal(p->code[k].op, TW__CSL_I_CALL);
    for (size_t k = 0; k < p->function_count; k++)
        if (!strstr(p->functions[k].name, "main") && !strstr(p->functions[k].name, "host"))
            fail_msg("'%s' is still there", p->functions[k].name);
    done(&r);
}

/* --- calls at the end ------------------------------------------------------------------------------------------ */

#define FILL /* enough for a function not to go into its callers */                                 \
    "  t = t * 3 + 1; m[t & 7] += t; t = t * 5 + k; m[t & 7] ^= t; t = t * 7 + 2; m[t & 7] += t;\n" \
    "  t = t * 3 + 3; m[t & 7] -= t; t = t * 5 + k; m[t & 7] ^= t; t = t * 7 + 4; m[t & 7] += k;\n" \
    "  t = t * 9 + 1; m[t & 7] += t; t = t * 5 + 9; m[t & 7] ^= t; t = t * 7 + 2; m[t & 7] += t;\n"

/* What ends in a call needs no stack for it; the values are those of the code as it is written, at a depth that it
 * can do. `deep`: at 20,000 calls inside each other it ends well. */
static void tail_calls(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool deep;
    } rows[] = {
        { "fn sum(k: u16, a: u32) u32 { if (k == 0) { return a; } return sum(k - 1, a + @as(u32, k)); }\n"
          "fn f(k: u16) u32 { return sum(k, 0); }\n",
          true },
        /* arguments that change places */
        { "fn fib(k: u16, a: u32, b: u32) u32 { if (k == 0) { return a; } return fib(k - 1, b, a + b); }\n"
          "fn f(k: u16) u32 { return fib(k, 0, 1); }\n",
          true },
        /* the last statement of a function without a result, in two branches */
        { "var n: u32 = 0;\nfn down(k: u16) void {\n"
          "  if (k == 0) { return; } n += 1; if (k & 1 == 0) { n *= 3; down(k - 1); } else { down(k - 1); } }\n"
          "fn f(k: u16) u32 { down(k); return n; }\n",
          true },
        /* each other, too large for either to go into the other; first parameters in other places */
        { "fn ping(k: u16, t0: u16) u16 { var t = t0;\n" FILL
          "  if (k == 0) { return t; } return pong(t + 1, 3, k - 1); }\n"
          "fn pong(t0: u16, more: u16, k: u16) u16 { var t = t0;\n" FILL
          "  if (k == 0) { return t + more; } return ping(k - 1, t + more); }\n"
          "fn f(k: u16) u32 { return @as(u32, ping(k, 5)); }\n",
          true },
        { "var n: u16 = 1;\nfn ping(k: u16) void { var t = n;\n" FILL
          "  n = t; if (k == 0) { return; } pong(k - 1); }\n"
          "fn pong(k: u16) void { var t = n;\n" FILL "  n = t + 1; if (k == 0) { return; } ping(k - 1); }\n"
          "fn f(k: u16) u32 { ping(k); return @as(u32, n); }\n",
          true },
        /* a variable that who is called may look at; a result that is not the callee's: no calls at the end */
        { "fn look(k: u16, p: *u16) u16 { var t = k;\n" FILL
          "  var y: u16 = k + 9; const q = &y; q.* += 4; m[1] = p.*; return p.* * 16 + q.*; }\n"
          "fn hold(k: u16) u16 { var x: u16 = k; return look(k, &x); }\n"
          "fn f(k: u16) u32 { const s = hold(k) + hold(k + 1) + look(k, &m[2]); if (k > 99) { return bad(k); } "
          "return @as(u32, s); "
          "}\n"
          "fn bad(k: u16) u32 { if (k == 0) { return 0; } return bad(k - 1) + 1; }\n",
          false },
        { "fn last(k: u16) u16 { if (k == 0) { return 7; } _ = last(k - 1); return k; }\n"
          "fn f(k: u16) u32 { return @as(u32, last(k)); }\n",
          false },
        { "fn add(k: u16) u16 { if (k == 0) { return 1; } return add(k - 1) + k; }\n"
          "fn f(k: u16) u32 { return @as(u32, add(k)); }\n",
          false },
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned deep = 0; deep < 2; deep++) {
            char *text = g_strdup_printf("var m = @zeros([8]u16);\nvar r: u32 = 0; var depth: u16 = %u;\n%s"
                                         "task main() void { r = f(depth); }\n"
                                         "comptime { @bind_local_task(main, @get_local_task_id(8)); "
                                         "@activate(@get_local_task_id(8)); }\n",
                                         deep ? 20000 : 40, rows[k].text);
            outcome a = run(text, true, false, TW__WSE_CHECK_ERROR), b = run(text, true, true, TW__WSE_CHECK_ERROR);
            assert_int_equal(a.status, deep ? TW_E_APPLICATION : TW_OK);
            if (b.status != (deep && !rows[k].deep ? TW_E_APPLICATION : TW_OK))
                fail_msg("%s:\n%s\n%s", tw_status_name(b.status), text, tw__csl_listing(b.image, 0));
            if (!deep) same_variables(&a, &b, text);
            g_free(text);
            done(&a);
            done(&b);
        }
}

/* A fault says where functions left no frame, and only there. */
static void frames_left_out(void **state)
{
    (void)state;
    static const char text[] = "var m = @zeros([8]u16); var r: u16 = 0; var x: u16 = 0;\n"
                               "fn last(k: u16) u16 { var t = k;\n" FILL "  return t / x; }\n"
                               "fn middle(k: u16) u16 { var t = k;\n" FILL "  return last(t); }\n"
                               "fn first(k: u16) u16 { var t = k;\n" FILL "  return middle(t) + 1; }\n"
                               "task main() void { r = first(1); r += middle(2); r += last(3); r += first(r); }\n"
                               "comptime { @bind_local_task(main, @get_local_task_id(8)); "
                               "@activate(@get_local_task_id(8)); }\n";
    for (unsigned level = 0; level < 2; level++) {
        outcome r = run(text, true, level == 1, TW__WSE_CHECK_ERROR);
        char *said = messages(&r);
        assert_int_equal(r.status, TW_E_APPLICATION);
        assert_non_null(strstr(said, "in 'last"));
        assert_non_null(strstr(said, "in 'first"));
        assert_non_null(strstr(said, "in 'main"));
        assert_int_equal(strstr(said, "in 'middle") != NULL, level == 0);
        const char *note = strstr(said, "left no frame");
        assert_int_equal(note != NULL, level == 1);
        if (note) assert_true(note > strstr(said, "in 'last") && note < strstr(said, "in 'first"));
        if (note) assert_null(strstr(note + 1, "left no frame"));
        g_free(said);
        done(&r);
    }
}

/* Printing costs no time of the PE, but a file that nobody checked may print without end: the run still ends. */
static void endless_text(void **state)
{
    (void)state;
    for (unsigned again = 0; again < 2; again++) { /* a new text each time, or one that goes on */
        kit k;
        kit_begin(&k, 1, 1, true);
        kit_main(&k);
        EMIT(&k, SYS, 0, TW__CSL_SERVICE_PRINT_END, 0);
        EMIT(&k, SYS, 0, TW__CSL_SERVICE_PRINT_BEGIN, 0);
        WIDE(&k, JMP, 0, again ? -2 : -1);
        kit_end(&k);
        kit_start(&k);
        assert_int_equal(tw__wse_run(k.w, 3000, NULL, NULL), TW_E_OVERFLOW);
        kit_free(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs), cmocka_unit_test(same_messages),   cmocka_unit_test(calls_that_go),
        cmocka_unit_test(tail_calls),      cmocka_unit_test(frames_left_out), cmocka_unit_test(endless_text),
    };
    return cmocka_run_group_tests_name("csl_levels", tests, NULL, NULL);
}
