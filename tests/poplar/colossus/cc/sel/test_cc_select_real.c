/* SPDX-License-Identifier: MIT */
/* Numbers with a fraction: operations, compares, selects, conversions of half, float and double, scalars and vectors,
 * against this machine's arithmetic. Results of half are those of float, rounded once more: exact for these
 * operations (24 bits are at least 2 * 11 + 2). */
#include "select_test.h"

#include <math.h>
#include <stdlib.h>

enum { ITEMS = 121 };

/* No subnormal floats, which the chip flushes, and no sums of halves that overflow, which it saturates. */
static const double edges[] = { 0.0,  -0.0, 1.0,  -1.0,  0.5,           1.5,       2.5,
                                -2.5, 3.25, -7.0, 100.0, 0.00097656250, 1000.0 / 3 };
enum { EDGES = G_N_ELEMENTS(edges) };

typedef enum kind { HALF, FLOAT, DOUBLE } kind;

static const struct type {
    kind kind;
    const char *name, *suffix;
    unsigned bytes;
} kinds[] = { { HALF, "half", "f16", 2 }, { FLOAT, "float", "f32", 4 }, { DOUBLE, "double", "f64", 8 } };

static void put_real(uint8_t *to, kind k, double value)
{
    _Float16 h = (_Float16)value;
    float f = (float)value;
    const void *from[] = { &h, &f, &value };
    memcpy(to, from[k], kinds[k].bytes);
}

static double get_real(const uint8_t *from, kind k)
{
    _Float16 h;
    float f;
    double d;
    void *to[] = { &h, &f, &d };
    memcpy(to[k], from, kinds[k].bytes);
    return k == HALF ? (double)h : k == FLOAT ? (double)f : d;
}

/* A number as the type has it. */
static double as(kind k, double value)
{
    return k == HALF ? (double)(_Float16)value : k == FLOAT ? (double)(float)value : value;
}

static bool same(double x, double y)
{
    return isnan(x) ? isnan(y) : x == y && signbit(x) == signbit(y);
}

static void operands_of(kind k, unsigned item, unsigned lane, double *x, double *y)
{
    unsigned at = item * 3 + lane * 29;
    *x = as(k, edges[at % EDGES]);
    *y = as(k, edges[(at / EDGES + 2 * at) % EDGES]);
    if (at % 17 == 3) *x = NAN;
    if (at % 23 == 5) *y = NAN;
    if (at % 19 == 7) *x = INFINITY;
}

static char *type_text(kind k, unsigned lanes)
{
    return lanes ? g_strdup_printf("<%u x %s>", lanes, kinds[k].name) : g_strdup(kinds[k].name);
}

static char *type_suffix(kind k, unsigned lanes)
{
    return lanes ? g_strdup_printf("v%u%s", lanes, kinds[k].suffix) : g_strdup(kinds[k].suffix);
}

/* Runs the body with %x and %y; results have `out_bytes` a lane. */
static void run_body(kind k, unsigned lanes, unsigned align, const char *body, const char *declared,
                     const char *result, unsigned out_bytes, uint8_t *out)
{
    unsigned count = lanes ? lanes : 1, bytes = kinds[k].bytes, size = (count * bytes + 15) / 16 * 16;
    unsigned out_size = (count * out_bytes + 15) / 16 * 16;
    g_autofree char *type = type_text(k, lanes);
    uint8_t *in = g_malloc0(ITEMS * 2 * size);
    for (unsigned i = 0; i < ITEMS; i++)
        for (unsigned lane = 0; lane < count; lane++) {
            double x, y;
            operands_of(k, i, lane, &x, &y);
            put_real(in + i * 2 * size + lane * bytes, k, x);
            put_real(in + i * 2 * size + size + lane * bytes, k, y);
        }
    g_autofree char *ir =
        g_strdup_printf(SELECT_LAYOUT "define void @f(ptr %%in, ptr %%out) {\n%%x = load %s, ptr %%in, align %u\n"
                                      "%%p = getelementptr i8, ptr %%in, i32 %u\n%%y = load %s, ptr %%p, align %u\n"
                                      "%s\nstore %s %%r, ptr %%out, align %u\nret void\n}\n%s",
                        type, align, size, type, align, body, result, align, declared);
    select_run(ir, TW_ISA_IPU2, ITEMS, in, 2 * size, out, out_size, align % 16);
    g_free(in);
}

/* --- arithmetic ------------------------------------------------------------------------------------------------- */

static double number_min(double x, double y)
{
    return isnan(x) ? y : isnan(y) ? x : x < y ? x : y;
}

static double number_max(double x, double y)
{
    return isnan(x) ? y : isnan(y) ? x : x > y ? x : y;
}

/* X(name, text, is it an intrinsic of so many operands (0: an instruction), what it is, of double too) */
// clang-format off
#define OPERATIONS(X) \
    X(add, "fadd", 0, x + y) \
    X(sub, "fsub", 0, x - y) \
    X(mul, "fmul", 0, x * y) \
    X(div, "fdiv", 0, x / y) \
    X(rem, "frem", 0, fmod(x, y)) \
    X(neg, "fneg", 9, -x) \
    X(abs, "fabs", 1, fabs(x)) \
    X(sqrt, "sqrt", 1, sqrt(x)) \
    X(floor, "floor", 1, floor(x)) \
    X(ceil, "ceil", 1, ceil(x)) \
    X(trunc, "trunc", 1, trunc(x)) \
    X(rint, "rint", 1, rint(x)) \
    X(round, "round", 1, round(x)) \
    X(minnum, "minnum", 2, number_min(x, y)) \
    X(maxnum, "maxnum", 2, number_max(x, y)) \
    X(copysign, "copysign", 2, copysign(x, y)) \
    X(muladd, "fmuladd", 3, as(k, x * y) + x) \
    X(minimum, "minimum", 2, isnan(x) || isnan(y) ? NAN : number_min(x, y)) \
    X(maximum, "maximum", 2, isnan(x) || isnan(y) ? NAN : number_max(x, y))
// clang-format on

#define FUNCTION(name, text, operands, what)              \
    static double host_##name(kind k, double x, double y) \
    {                                                     \
        (void)k, (void)y;                                 \
        return what;                                      \
    }
OPERATIONS(FUNCTION)

static const struct operation {
    const char *name, *text;
    unsigned operands;
    double (*host)(kind, double, double);
} operations[] = {
#define ROW(name, text, operands, what) { #name, text, operands, host_##name },
    OPERATIONS(ROW)
};

static void check_operation(const struct operation *o, kind k, unsigned lanes, unsigned align)
{
    static const char *const arguments[] = { "", "T %x", "T %x, T %y", "T %x, T %y, T %x" };
    static const char *const parameters[] = { "", "T", "T, T", "T, T, T" };
    unsigned count = lanes ? lanes : 1, bytes = kinds[k].bytes, size = (count * bytes + 15) / 16 * 16;
    g_autofree char *type = type_text(k, lanes), *suffix = type_suffix(k, lanes);
    GString *body = g_string_new(NULL), *declared = g_string_new(NULL);
    if (o->operands == 9) {
        g_string_printf(body, "%%r = fneg %s %%x", type);
    } else if (!o->operands) {
        g_string_printf(body, "%%r = %s %s %%x, %%y", o->text, type);
    } else {
        g_string_printf(body, "%%r = call T @llvm.%s.%s(%s)", o->text, suffix, arguments[o->operands]);
        g_string_printf(declared, "declare T @llvm.%s.%s(%s)\n", o->text, suffix, parameters[o->operands]);
        g_string_replace(body, "T ", "\1 ", 0);
        g_string_replace(body, "\1", type, 0);
        g_string_replace(declared, "T", type, 0);
    }
    uint8_t *out = g_malloc0(ITEMS * size);
    run_body(k, lanes, align, body->str, declared->str, type, bytes, out);
    for (unsigned i = 0; i < ITEMS; i++)
        for (unsigned lane = 0; lane < count; lane++) {
            double x, y, got = get_real(out + i * size + lane * bytes, k);
            operands_of(k, i, lane, &x, &y);
            double want = as(k, o->host(k, x, y));
            if (k == HALF && isinf(want) && !isinf(x) && y != 0) continue; /* saturates */
            bool is_zero = want == 0 && got == 0 && (strstr(o->name, "min") || strstr(o->name, "max"));
            if (!same(got, want) && !is_zero)
                fail_msg("%s of %s, lane %u of %u: %g and %g gave %.9g, not %.9g\n%s", o->name, kinds[k].name, lane,
                         lanes, x, y, got, want, body->str);
        }
    g_free(out);
    g_string_free(body, TRUE);
    g_string_free(declared, TRUE);
}

static void real_operations(void **state)
{
    (void)state;
    static const unsigned lanes[] = { 0, 2, 4, 3, 8 };
    for (size_t i = 0; i < G_N_ELEMENTS(operations); i++)
        for (size_t l = 0; l < G_N_ELEMENTS(lanes); l++)
            for (kind k = HALF; k <= FLOAT; k++) check_operation(&operations[i], k, lanes[l], 8);
}

static void real_alignments(void **state)
{
    (void)state;
    static const unsigned lanes[] = { 0, 2, 4, 3 };
    for (size_t l = 0; l < G_N_ELEMENTS(lanes); l++)
        for (kind k = HALF; k <= DOUBLE; k++)
            for (unsigned align = 1; align <= 8; align *= 2) check_operation(&operations[0], k, lanes[l], align);
}

static void real_double(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(operations); i++) {
        static const char *const names[] = { "add", "sub", "mul", "div", "neg", "abs", "copysign", "muladd" };
        for (size_t n = 0; n < G_N_ELEMENTS(names); n++)
            if (strcmp(names[n], operations[i].name) == 0) {
                check_operation(&operations[i], DOUBLE, 0, 8);
                check_operation(&operations[i], DOUBLE, 2, 8);
            }
    }
}

/* --- compares and selects --------------------------------------------------------------------------------------- */

#define UNORDERED (isnan(x) || isnan(y))
static const char *const predicates[] = { "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                          "ueq", "ugt", "uge", "ult", "ule", "une", "uno" };

static bool holds(const char *predicate, double x, double y)
{
    if (strcmp(predicate, "ord") == 0) return !UNORDERED;
    if (strcmp(predicate, "uno") == 0) return UNORDERED;
    if (UNORDERED) return predicate[0] == 'u';
    const char *relation = predicate + 1;
    return strcmp(relation, "eq") == 0   ? x == y
           : strcmp(relation, "gt") == 0 ? x > y
           : strcmp(relation, "ge") == 0 ? x >= y
           : strcmp(relation, "lt") == 0 ? x < y
           : strcmp(relation, "le") == 0 ? x <= y
                                         : x != y;
}

/* As a value (is_select false), as the condition of a select between %x and %y. */
static void check_compare(const char *predicate, kind k, unsigned lanes, bool is_select, bool both)
{
    unsigned count = lanes ? lanes : 1, bytes = is_select ? kinds[k].bytes : 1,
             size = (count * bytes + 15) / 16 * 16;
    g_autofree char *type = type_text(k, lanes);
    g_autofree char *bit = lanes ? g_strdup_printf("<%u x i1>", lanes) : g_strdup("i1");
    g_autofree char *byte = lanes ? g_strdup_printf("<%u x i8>", lanes) : g_strdup("i8");
    GString *body = g_string_new(NULL);
    g_string_printf(body, "%%c = fcmp %s %s %%x, %%y\n", predicate, type);
    if (is_select)
        g_string_append_printf(body, "%%%s = select %s %%c, %s %%x, %s %%y\n", both ? "s" : "r", bit, type, type);
    if (!is_select) g_string_append_printf(body, "%%r = zext %s %%c to %s\n", bit, byte);
    if (both) /* the compare is wanted as a number too */
        g_string_append_printf(
            body, "%%d = zext %s %%c to %s\nstore %s %%d, ptr %%p\n%%r = fadd %s %%s, zeroinitializer\n", bit, byte,
            byte, type);
    if (both && !lanes) g_string_replace(body, "zeroinitializer", "-0.0", 0);
    if (both && lanes) g_string_replace(body, "fadd", "fsub", 0);
    uint8_t *out = g_malloc0(ITEMS * size);
    run_body(k, lanes, 8, body->str, "", is_select ? type : byte, bytes, out);
    for (unsigned i = 0; i < ITEMS; i++)
        for (unsigned lane = 0; lane < count; lane++) {
            double x, y;
            operands_of(k, i, lane, &x, &y);
            bool is_true = holds(predicate, x, y);
            const uint8_t *at = out + i * size + lane * bytes;
            double got = is_select ? get_real(at, k) : *at, want = is_select ? (is_true ? x : y) : is_true;
            if (!same(got, want))
                fail_msg("%s of %s%s, lane %u of %u: %g and %g gave %g, not %g", predicate, kinds[k].name,
                         is_select ? ", select" : "", lane, lanes, x, y, got, want);
        }
    g_free(out);
    g_string_free(body, TRUE);
}

static void real_compares(void **state)
{
    (void)state;
    static const unsigned lanes[] = { 0, 2, 4 };
    for (size_t i = 0; i < G_N_ELEMENTS(predicates); i++)
        for (kind k = HALF; k <= DOUBLE; k++)
            for (size_t l = 0; l < G_N_ELEMENTS(lanes); l++) {
                if (k == DOUBLE && lanes[l] == 4) continue;
                check_compare(predicates[i], k, lanes[l], false, false);
                check_compare(predicates[i], k, lanes[l], true, false);
                if (k != DOUBLE) check_compare(predicates[i], k, lanes[l], true, true);
            }
}

/* Conditions that are no compare of the values' own type. */
static void real_selects(void **state)
{
    (void)state;
    static const unsigned lanes[] = { 0, 2, 4 };
    for (kind k = HALF; k <= DOUBLE; k++)
        for (size_t l = 0; l < G_N_ELEMENTS(lanes); l++) {
            if (k == DOUBLE && lanes[l]) continue;
            unsigned n = lanes[l], count = n ? n : 1, bytes = kinds[k].bytes, size = (count * bytes + 15) / 16 * 16;
            g_autofree char *type = type_text(k, n);
            g_autofree char *integer =
                n ? g_strdup_printf("<%u x i%u>", n, 8 * bytes) : g_strdup_printf("i%u", 8 * bytes);
            g_autofree char *bit = n ? g_strdup_printf("<%u x i1>", n) : g_strdup("i1");
            g_autofree char *body = g_strdup_printf(
                "%%a = bitcast %s %%x to %s\n%%b = bitcast %s %%y to %s\n%%c = icmp ult %s %%a, %%b\n"
                "%%o = fcmp ord %s %%x, %%y\n%%d = and %s %%c, %%o\n%%r = select %s %%d, %s %%x, %s %%y\n",
                type, integer, type, integer, integer, type, bit, bit, type, type);
            uint8_t *out = g_malloc0(ITEMS * size);
            run_body(k, n, 8, body, "", type, bytes, out);
            for (unsigned i = 0; i < ITEMS; i++)
                for (unsigned lane = 0; lane < count; lane++) {
                    double x, y;
                    uint64_t a = 0, b = 0;
                    operands_of(k, i, lane, &x, &y);
                    put_real((uint8_t *)&a, k, x);
                    put_real((uint8_t *)&b, k, y);
                    assert_true(same(get_real(out + i * size + lane * bytes, k), !UNORDERED && a < b ? x : y));
                }
            g_free(out);
        }
}

/* --- conversions ------------------------------------------------------------------------------------------------ */

static void check_resize(kind from, kind to, unsigned lanes)
{
    unsigned count = lanes ? lanes : 1, bytes = kinds[to].bytes, size = (count * bytes + 15) / 16 * 16;
    g_autofree char *from_text = type_text(from, lanes), *to_text = type_text(to, lanes);
    g_autofree char *body =
        g_strdup_printf("%%r = %s %s %%x to %s", to > from ? "fpext" : "fptrunc", from_text, to_text);
    uint8_t *out = g_malloc0(ITEMS * size);
    run_body(from, lanes, 8, body, "", to_text, bytes, out);
    for (unsigned i = 0; i < ITEMS; i++)
        for (unsigned lane = 0; lane < count; lane++) {
            double x, y, got = get_real(out + i * size + lane * bytes, to);
            operands_of(from, i, lane, &x, &y);
            if (to == HALF && isinf(x)) continue; /* saturates */
            if (!same(got, as(to, x))) fail_msg("%s to %s, lane %u: %g gave %g", from_text, to_text, lane, x, got);
        }
    g_free(out);
}

static void check_integer(kind k, unsigned lanes, unsigned bits, bool is_signed)
{
    static const int64_t numbers[] = { 0,    1,    -1,    5,        100,       -100,     127,
                                       -128, 2047, -2048, 16777217, INT32_MAX, INT32_MIN };
    unsigned count = lanes ? lanes : 1, bytes = bits / 8, size = (count * bytes + 15) / 16 * 16;
    unsigned real_size = (count * kinds[k].bytes + 15) / 16 * 16;
    g_autofree char *real = type_text(k, lanes);
    g_autofree char *integer = lanes ? g_strdup_printf("<%u x i%u>", lanes, bits) : g_strdup_printf("i%u", bits);
    uint8_t *in = g_malloc0(G_N_ELEMENTS(numbers) * size),
            *out = g_malloc0(G_N_ELEMENTS(numbers) * (size + real_size));
    for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++)
        for (unsigned lane = 0; lane < count; lane++)
            memcpy(in + i * size + lane * bytes, &numbers[(i + lane) % G_N_ELEMENTS(numbers)], bytes);
    g_autofree char *ir = g_strdup_printf(
        SELECT_LAYOUT "define void @f(ptr %%in, ptr %%out) {\n%%x = load %s, ptr %%in, align 8\n"
                      "%%f = %citofp %s %%x to %s\nstore %s %%f, ptr %%out, align 8\n%%b = fpto%ci %s %%f to %s\n"
                      "%%p = getelementptr i8, ptr %%out, i32 %u\nstore %s %%b, ptr %%p, align 8\nret void\n}\n",
        integer, is_signed ? 's' : 'u', integer, real, real, is_signed ? 's' : 'u', real, integer, real_size,
        integer);
    select_run(ir, TW_ISA_IPU2, G_N_ELEMENTS(numbers), in, size, out, size + real_size, 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++)
        for (unsigned lane = 0; lane < count; lane++) {
            int64_t n = numbers[(i + lane) % G_N_ELEMENTS(numbers)];
            uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1, back = 0;
            double value = is_signed ? (double)((int64_t)((uint64_t)n << (64 - bits)) >> (64 - bits))
                                     : (double)((uint64_t)n & mask);
            if (k == HALF && fabs(value) > 65504) continue;
            const uint8_t *at = out + i * (size + real_size);
            double got = get_real(at + lane * kinds[k].bytes, k);
            if (got != as(k, value)) fail_msg("%s to %s: %g gave %g", integer, real, value, got);
            memcpy(&back, at + real_size + lane * bytes, bytes);
            bool fits = is_signed ? got < ldexp(1, (int)bits - 1) : got < ldexp(1, (int)bits);
            uint64_t want = !fits ? 0 : is_signed ? (uint64_t)(int64_t)got : (uint64_t)got;
            if (fits && back != (want & mask))
                fail_msg("%s to %s: %g gave %#" G_GINT64_MODIFIER "x", real, integer, got, back);
        }
    g_free(in);
    g_free(out);
}

static void real_conversions(void **state)
{
    (void)state;
    static const unsigned lanes[] = { 0, 2, 4, 3 }, widths[] = { 8, 16, 32, 64 };
    for (size_t l = 0; l < G_N_ELEMENTS(lanes); l++) {
        check_resize(HALF, FLOAT, lanes[l]);
        check_resize(FLOAT, HALF, lanes[l]);
        for (size_t w = 0; w < G_N_ELEMENTS(widths); w++)
            for (kind k = HALF; k <= DOUBLE; k++)
                for (int sign = 0; sign < 2; sign++)
                    if (k != DOUBLE || lanes[l] <= 2) check_integer(k, lanes[l], widths[w], sign);
    }
    check_resize(FLOAT, DOUBLE, 0);
    check_resize(DOUBLE, FLOAT, 0);
    check_resize(HALF, DOUBLE, 2);
    check_resize(DOUBLE, HALF, 0);
}

/* --- lanes ------------------------------------------------------------------------------------------------------ */

static void check_shuffle(kind k, unsigned lanes, const unsigned *mask, unsigned count, tw_isa_arch arch)
{
    unsigned bytes = kinds[k].bytes, size = (lanes * bytes + 15) / 16 * 16,
             out_size = (count * bytes + 15) / 16 * 16;
    g_autofree char *from = type_text(k, lanes), *to = type_text(k, count);
    GString *list = g_string_new(NULL);
    for (unsigned i = 0; i < count; i++) g_string_append_printf(list, "%si32 %u", i ? ", " : "", mask[i]);
    g_autofree char *ir = g_strdup_printf(
        SELECT_LAYOUT
        "define void @f(ptr %%in, ptr %%out) {\n%%x = load %s, ptr %%in, align 8\n"
        "%%p = getelementptr i8, ptr %%in, i32 %u\n%%y = load %s, ptr %%p, align 8\n"
        "%%r = shufflevector %s %%x, %s %%y, <%u x i32> <%s>\nstore %s %%r, ptr %%out, align 8\nret void\n}\n",
        from, size, from, from, from, count, list->str, to);
    uint8_t *in = g_malloc0(2 * size), *out = g_malloc0(out_size);
    for (unsigned i = 0; i < lanes; i++) {
        put_real(in + i * bytes, k, i + 1);
        put_real(in + size + i * bytes, k, lanes + i + 1);
    }
    select_run(ir, arch, 1, in, 2 * size, out, out_size, 0);
    for (unsigned i = 0; i < count; i++)
        if (get_real(out + i * bytes, k) != mask[i] + 1)
            fail_msg("lane %u of <%s> of %s is %g", i, list->str, from, get_real(out + i * bytes, k));
    g_free(in);
    g_free(out);
    g_string_free(list, TRUE);
}

static void real_shuffles(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 8; a++)
        for (unsigned b = 0; b < 8; b++) {
            const unsigned two[] = { a, b }, four[] = { a, b, b, (a + 3) % 8 };
            check_shuffle(HALF, 4, two, 2, b % 2 ? TW_ISA_IPU1 : TW_ISA_IPU2);
            check_shuffle(HALF, 4, four, 4, TW_ISA_IPU2);
            check_shuffle(FLOAT, 4, four, 4, TW_ISA_IPU2);
            check_shuffle(FLOAT, 4, two, 2, TW_ISA_IPU1);
        }
}

/* Every lane out of a vector and into another, at places known before and not. */
static void real_lanes(void **state)
{
    (void)state;
    static const unsigned widths[] = { 2, 4, 3, 8 };
    for (kind k = HALF; k <= DOUBLE; k++)
        for (size_t w = 0; w < G_N_ELEMENTS(widths); w++)
            for (unsigned from = 0; from < widths[w]; from++)
                for (int variable = 0; variable < 2; variable++) {
                    unsigned lanes = widths[w], to = (from + 1) % lanes, bytes = kinds[k].bytes;
                    unsigned size = (lanes * bytes + 15) / 16 * 16;
                    g_autofree char *type = type_text(k, lanes);
                    g_autofree char *a = variable ? g_strdup("%a") : g_strdup_printf("%u", from);
                    g_autofree char *b = variable ? g_strdup("%b") : g_strdup_printf("%u", to);
                    g_autofree char *ir = g_strdup_printf(
                        SELECT_LAYOUT
                        "define void @f(ptr %%in, ptr %%out) {\n%%x = load %s, ptr %%in, align 8\n"
                        "%%p = getelementptr i8, ptr %%in, i32 %u\n%%a = load i32, ptr %%p\n"
                        "%%q = getelementptr i32, ptr %%p, i32 1\n%%b = load i32, ptr %%q\n"
                        "%%e = extractelement %s %%x, i32 %s\n%%r = insertelement %s %%x, %s %%e, i32 %s\n"
                        "store %s %%r, ptr %%out, align 8\nret void\n}\n",
                        type, size, type, a, type, kinds[k].name, b, type);
                    uint8_t *in = g_malloc0(size + 16), *out = g_malloc0(size);
                    for (unsigned i = 0; i < lanes; i++) put_real(in + i * bytes, k, i + 1.5);
                    memcpy(in + size, &from, 4);
                    memcpy(in + size + 4, &to, 4);
                    select_run(ir, TW_ISA_IPU2, 1, in, size + 16, out, size, 0);
                    for (unsigned i = 0; i < lanes; i++)
                        assert_true(get_real(out + i * bytes, k) == (i == to ? from : i) + 1.5);
                    g_free(in);
                    g_free(out);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_operations), cmocka_unit_test(real_alignments), cmocka_unit_test(real_double),
        cmocka_unit_test(real_compares),   cmocka_unit_test(real_selects),    cmocka_unit_test(real_conversions),
        cmocka_unit_test(real_shuffles),   cmocka_unit_test(real_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
