/* SPDX-License-Identifier: MIT */
/* Operations on all elements: each row of the table for each of its types against the C library in double, the
 * same bits wherever elements lie, random expressions against an interpreter, casts, fills, scaled sums. */
#include "poplar/libs/libs_run.h"

/* --- one element in double ------------------------------------------------------------------------------------ */

#define IS(name) (strcmp(op, name) == 0)

static double ref_int(const char *op, int64_t a, int64_t b, int64_t c, bool is_signed, bool *known)
{
    uint32_t ua = (uint32_t)a, ub = (uint32_t)b;
    if (IS("abs")) return (double)(a < 0 ? -a : a);
    if (IS("bitwise_not")) return (double)~a;
    if (IS("count_leading_zeros")) {
        int n = 0;
        while (n < 32 && !(ua >> (31 - n) & 1)) n++;
        return n;
    }
    if (IS("popcount")) {
        int n = 0;
        for (int i = 0; i < 32; i++) n += ua >> i & 1;
        return n;
    }
    if (IS("logical_not")) return !a;
    if (IS("neg")) return (double)-a;
    if (IS("signum")) return (a > 0) - (a < 0);
    if (IS("square")) return (double)(uint32_t)(ua * ua);
    if (IS("add")) return (double)(uint32_t)(ua + ub);
    if (IS("sub")) return (double)(uint32_t)(ua - ub);
    if (IS("mul")) return (double)(uint32_t)(ua * ub);
    if (IS("div")) return b ? trunc((double)a / (double)b) : 0; /* 32 bits: exact */
    if (IS("rem")) return b ? (double)(a % b) : (double)a;
    if (IS("bitwise_and") || IS("logical_and")) return (double)(a & b);
    if (IS("bitwise_or") || IS("logical_or")) return (double)(a | b);
    if (IS("bitwise_xor")) return (double)(a ^ b);
    if (IS("bitwise_xnor")) return (double)~(a ^ b);
    if (IS("eq")) return a == b;
    if (IS("neq")) return a != b;
    if (IS("gt")) return a > b;
    if (IS("gteq")) return a >= b;
    if (IS("lt")) return a < b;
    if (IS("lteq")) return a <= b;
    if (IS("max")) return (double)(a > b ? a : b);
    if (IS("min")) return (double)(a < b ? a : b);
    if (IS("shift_left")) return ub < 32 ? (double)(uint32_t)(ua << ub) : 0;
    if (IS("shift_right")) return ub < 32 ? (double)(ua >> ub) : 0;
    if (IS("shift_right_sign_extend")) return (double)((int32_t)a >> (ub < 32 ? ub : 31));
    if (IS("clamp")) return (double)(a < b ? (b < c ? b : c) : a < c ? a : c);
    if (IS("select")) return (double)(c ? a : b);
    (void)is_signed;
    return *known = false;
}

static double ref_real(const char *op, double a, double b, double c, bool *known)
{
    if (IS("abs")) return fabs(a);
    if (IS("asin")) return asin(a);
    if (IS("cbrt")) return cbrt(a);
    if (IS("ceil")) return ceil(a);
    if (IS("cos")) return cos(a);
    if (IS("erf")) return erf(a);
    if (IS("exp")) return exp(a);
    if (IS("exp2")) return exp2(a);
    if (IS("expm1")) return expm1(a);
    if (IS("floor")) return floor(a);
    if (IS("gelu_erf")) return isinf(a) && a < 0 ? -0.0 : a * (erfc(-a * M_SQRT1_2) / 2);
    if (IS("inv")) return 1 / a;
    if (IS("is_finite")) return isfinite(a);
    if (IS("is_inf")) return isinf(a) != 0;
    if (IS("is_nan")) return isnan(a);
    if (IS("log")) return log(a);
    if (IS("log1p")) return log1p(a);
    if (IS("nearby_int")) return nearbyint(a);
    if (IS("neg")) return -a;
    if (IS("relu")) return a < 0 ? 0 : a;
    if (IS("signum")) return (a > 0) - (a < 0);
    if (IS("sin")) return sin(a);
    if (IS("trunc")) return trunc(a);
    if (IS("tan")) return tan(a);
    if (IS("tanh")) return tanh(a);
    if (IS("round")) return round(a);
    if (IS("sqrt")) return sqrt(a);
    if (IS("square")) return a * a;
    if (IS("sigmoid")) return 1 / (1 + exp(-a));
    if (IS("rsqrt")) return 1 / sqrt(a);
    if (IS("add")) return a + b;
    if (IS("atan2")) return atan2(a, b);
    if (IS("div")) return a / b;
    if (IS("eq")) return a == b;
    if (IS("neq")) return a != b;
    if (IS("gt")) return a > b;
    if (IS("gteq")) return a >= b;
    if (IS("lt")) return a < b;
    if (IS("lteq")) return a <= b;
    if (IS("inv_std_dev_to_variance")) return 1 / (a * a) - b;
    if (IS("variance_to_inv_std_dev")) return 1 / sqrt(a + b);
    if (IS("max")) return fmax(a, b);
    if (IS("min")) return fmin(a, b);
    if (IS("mul")) return a * b;
    if (IS("pow")) return pow(a, b);
    if (IS("rem")) return fmod(a, b);
    if (IS("sub")) return a - b;
    if (IS("clamp")) return fmin(fmax(a, b), c);
    if (IS("select")) return c != 0 ? a : b;
    return *known = false;
}

static const struct {
    const char *name, *types;
    char result;
    unsigned arity;
} ops[] = {
#define ROW(name, number, call, class, code, symbol, types, result, real, integer) { #name, types, result, 1 },
    TW_EXPR_UNARY(ROW)
#undef ROW
#define ROW(name, number, call, class, code, symbol, types, result, real, integer) { #name, types, result, 2 },
        TW_EXPR_BINARY(ROW)
#undef ROW
#define ROW(name, number, call, class, code, symbol, types, result, real, integer) { #name, types, result, 3 },
            TW_EXPR_TERNARY(ROW)
#undef ROW
};

static const struct {
    tw_type type;
    char letter;
} types[] = { { TW_FLOAT, 'f' }, { TW_HALF, 'f' }, { TW_INT, 'i' }, { TW_UNSIGNED_INT, 'u' },
              { TW_I16, 's' },   { TW_U16, 's' },  { TW_BOOL, 'b' } };

enum { MAP_COUNT = 203 };

/* Values at which an operation can be wrong: signs, zeros, the not finite, small and large. */
static double sample(lcg *r, tw_type type)
{
    static const double reals[] = { 0, -0.0, 1, -1, 0.5, 2, -2.5, 3.5, INFINITY, -INFINITY, NAN, 1e-4, 60000 };
    static const double ints[] = { 0, 1, -1, 2, 31, 32, 33, 2147483647, -2147483647 - 1.0, 100, -100 };
    if (type == TW_BOOL) return draw(r, 2);
    bool real = type == TW_FLOAT || type == TW_HALF;
    if (real) return draw(r, 4) ? draw_real(r, -4, 4) : reals[draw(r, sizeof reals / sizeof *reals)];
    double v = draw(r, 2) ? ints[draw(r, sizeof ints / sizeof *ints)] : (double)draw(r, 2000) - 1000;
    if (type == TW_I16 || type == TW_U16) v = fmod(v, 32000);
    if (type == TW_UNSIGNED_INT || type == TW_U16) v = fabs(v);
    return v;
}

static double rounded(tw_type type, double v) /* as the type stores it, modulo 2^bits */
{
    if (type == TW_FLOAT) return (double)(float)v;
    if (type == TW_HALF) return (double)tw_f16_to_f32(tw_f64_to_f16(v, TW_ROUND_NEAREST_EVEN, 0));
    if (type == TW_INT) return (double)(int32_t)(uint32_t)(int64_t)v;
    if (type == TW_UNSIGNED_INT) return (double)(uint32_t)(int64_t)v;
    if (type == TW_I16) return (double)(int16_t)(uint16_t)(int64_t)v;
    if (type == TW_U16) return (double)(uint16_t)(int64_t)v;
    if (type == TW_BOOL) return v != 0;
    return type == TW_U8 ? (double)(uint8_t)(int64_t)v : (double)(int8_t)(uint8_t)(int64_t)v;
}

/* tw_type_store() keeps to the largest number where this has infinity. */
static void put(tw_type type, char *bytes, size_t i, double v)
{
    float f = (float)v;
    uint16_t h = tw_f64_to_f16(v, TW_ROUND_NEAREST_EVEN, 0);
    bytes += i * tw_type_size(type);
    if (type == TW_FLOAT)
        memcpy(bytes, &f, sizeof f);
    else if (type == TW_HALF)
        memcpy(bytes, &h, sizeof h);
    else
        tw_type_store(type, bytes, v);
}

static bool close_enough(tw_type type, double seen, double want, bool exact)
{
    if (isnan(want) || isnan(seen)) return isnan(want) && isnan(seen);
    double next = rounded(type, want);
    if (seen == next) return true;
    if (exact || isinf(next)) return false;
    double unit = type == TW_HALF ? 0x1p-10 : 0x1p-23;
    return fabs(seen - want) <= 2 * unit * fmax(fabs(want), type == TW_HALF ? 0x1p-14 : 0x1p-126);
}

/* Correctly rounded by one operation of IEEE 754, or exact. */
static bool is_exact(const char *op)
{
    static const char *const inexact[] = { "asin",
                                           "cbrt",
                                           "cos",
                                           "erf",
                                           "exp",
                                           "exp2",
                                           "expm1",
                                           "gelu_erf",
                                           "log",
                                           "log1p",
                                           "sin",
                                           "tan",
                                           "tanh",
                                           "sigmoid",
                                           "rsqrt",
                                           "atan2",
                                           "pow",
                                           "inv_std_dev_to_variance",
                                           "variance_to_inv_std_dev" };
    for (size_t i = 0; i < sizeof inexact / sizeof *inexact; i++)
        if (IS(inexact[i])) return false;
    return true;
}

static tw_tensor add_sampled(tw_graph *g, tw_type type, int way, lcg *r, double *values, char *bytes,
                             const char *name)
{
    tw_tensor t = tw_graph_add_variable(g, type, 1, (size_t[]){ MAP_COUNT }, name);
    map_somehow(g, t, way, r);
    for (int i = 0; i < MAP_COUNT; i++) put(type, bytes, (size_t)i, values[i] = rounded(type, values[i]));
    return t;
}

/* One operation on one type, out of place and in place; its bytes go to out. */
static void op_case(tw_device *dev, size_t k, tw_type type, int way, bool in_place, char *out,
                    double value[3][MAP_COUNT])
{
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    char bytes[3][MAP_COUNT * 4], text[64];
    lcg r = { 77 + (uint64_t)way };
    tw_tensor t[3];
    bool select = strcmp(ops[k].name, "select") == 0;
    for (unsigned i = 0; i < ops[k].arity; i++)
        t[i] = add_sampled(g, select && i == 2 ? TW_BOOL : type, i == 0 ? way : (way + (int)i) % MAPPINGS, &r,
                           value[i], bytes[i], "t");
    tw_program p = tw_program_sequence(g, NULL);
    snprintf(text, sizeof text, "%s(_1%s%s)", ops[k].name, ops[k].arity > 1 ? ",_2" : "",
             ops[k].arity > 2 ? ",_3" : "");
    tw_tensor y = t[0];
    if (in_place)
        tw_popops_map_in_place(g, text, ops[k].arity, t, p, NULL, NULL);
    else
        y = tw_popops_map(g, text, ops[k].arity, t, p, NULL, NULL);
    if (tw_graph_status(g)) fail_msg("%s: %s", text, tw_graph_error(g)->message);
    assert_int_equal(tw_tensor_type(g, y), ops[k].result == 'b' ? TW_BOOL : type);
    io list[] = {
        { y, out, true }, { t[0], bytes[0], false }, { t[1], bytes[1], false }, { t[2], bytes[2], false }
    };
    run_once(g, dev, p, 1 + ops[k].arity, list);
    tw_graph_free(g);
}

static void op_compare(size_t k, tw_type type, const char *out, double value[3][MAP_COUNT])
{
    bool real = type == TW_FLOAT || type == TW_HALF, known = true;
    tw_type result = ops[k].result == 'b' ? TW_BOOL : type;
    for (int i = 0; i < MAP_COUNT; i++) {
        double a = value[0][i], b = value[1][i], c = value[2][i];
        double want =
            real
                ? ref_real(ops[k].name, a, b, c, &known)
                : rounded(result, ref_int(ops[k].name, (int64_t)a, (int64_t)b, (int64_t)c, type == TW_INT, &known));
        if (!known) fail_msg("%s has no reference", ops[k].name);
        double seen = tw_type_load(result, out + (size_t)i * tw_type_size(result));
        /* steps between are rounded, and differences cancel */
        if (strncmp(ops[k].name, "inv_std", 7) == 0 && fabs(seen - want) <= 0x1p-9 * (1 / (a * a) + fabs(b)))
            continue;
        if (!close_enough(result, seen, want, is_exact(ops[k].name)))
            fail_msg("%s(%g, %g, %g) of %s: %.9g, not %.9g", ops[k].name, a, b, c,
                     tw_type_name(type, TW_SYSTEM_POPLAR), seen, want);
    }
}

static void libs_map_rows(void **state)
{
    (void)state;
    tw_device *cpu = tw_device_cpu_accurate_half(), *model = model_device(7, 1);
    lcg r = { 1 };
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            if (!strchr(ops[k].types, types[t].letter)) continue;
            static double value[3][MAP_COUNT];
            char out[4][MAP_COUNT * 4];
            for (int i = 0; i < MAP_COUNT; i++) {
                for (int j = 0; j < 3; j++) value[j][i] = sample(&r, types[t].type);
                if (strcmp(ops[k].name, "select") == 0) value[2][i] = draw(&r, 2);
            }
            memset(out, 0, sizeof out);
            op_case(cpu, k, types[t].type, 0, false, out[0], value);
            op_compare(k, types[t].type, out[0], value);
            op_case(model, k, types[t].type, (int)(k % MAPPINGS), false, out[1], value);
            op_case(model, k, types[t].type, (int)(t + k + 1) % MAPPINGS, ops[k].result == '=', out[2], value);
            assert_memory_equal(out[0], out[1], sizeof out[0]);
            assert_memory_equal(out[0], out[2], sizeof out[0]);
        }
    tw_device_free(cpu);
    tw_device_free(model);
}

/* --- expressions ---------------------------------------------------------------------------------------------- */

/* A random expression of floats as text, with its value for three elements; operations that are exact in float. */
static float random_expression(lcg *r, int depth, const float *x, char *text, size_t room)
{
    static const char *const binary[] = { " + ", " - ", " * ", " / " };
    char a[2000], b[2000], c[2000];
    unsigned kind = depth ? draw(r, 9) : 8;
    if (kind == 8) {
        unsigned which = draw(r, 4);
        float v = which < 3 ? x[which] : (float)draw(r, 100) / 8;
        snprintf(text, room, which < 3 ? "_%.0f" : "%.9g", which < 3 ? which + 1.0 : (double)v);
        return v;
    }
    float p = random_expression(r, depth - 1, x, a, sizeof a), q = random_expression(r, depth - 1, x, b, sizeof b);
    if (kind < 4) {
        snprintf(text, room, "(%.900s%s%.900s)", a, binary[kind], b);
        return kind == 0 ? p + q : kind == 1 ? p - q : kind == 2 ? p * q : p / q;
    }
    if (kind == 4) return snprintf(text, room, "abs(%.900s)", a), fabsf(p);
    if (kind == 5) return snprintf(text, room, "square(-(%.900s))", a), p * p;
    if (kind == 6) return snprintf(text, room, "select(%.600s, %.600s, _1 < _2)", a, b), x[0] < x[1] ? p : q;
    float s = random_expression(r, depth - 1, x, c, sizeof c);
    return snprintf(text, room, "select(%.600s, %.600s, %.600s >= _3)", a, b, c), s >= x[2] ? p : q;
}

static void libs_map_random_expressions(void **state)
{
    (void)state;
    tw_device *dev = model_device(5, 1);
    for (unsigned k = 0; k < 40; k++) {
        float x[3][64], want[64], out[64];
        char text[2000];
        lcg values = { k };
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < 3; j++) x[j][i] = (float)draw_real(&values, -3, 3);
        for (int i = 0; i < 64; i++) {
            lcg same = { 1000 + k };
            want[i] = random_expression(&same, 4, (float[]){ x[0][i], x[1][i], x[2][i] }, text, sizeof text);
        }
        if (!strchr(text, '_')) continue;
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor t[3];
        lcg r = { k };
        for (int j = 0; j < 3; j++) {
            t[j] = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 8, 8 }, "t");
            map_somehow(g, t[j], (int)(k + (unsigned)j) % MAPPINGS, &r);
        }
        tw_program p = tw_program_sequence(g, NULL);
        bool apart = k % 8 == 7; /* node by node */
        tw_tensor y = tw_popops_map(g, text, 3, t, p, "y",
                                    apart ? (const char *const[]){ "enableGenerateCodelet=false", NULL } : NULL);
        if (tw_graph_status(g)) fail_msg("%s: %s", text, tw_graph_error(g)->message);
        io list[] = { { y, out, true }, { t[0], x[0], false }, { t[1], x[1], false }, { t[2], x[2], false } };
        run_once(g, dev, p, 4, list);
        for (int i = 0; i < 64; i++)
            if ((out[i] != want[i] || signbit(out[i]) != signbit(want[i])) && !(isnan(out[i]) && isnan(want[i])))
                fail_msg("%s of %g, %g, %g: %.9g, not %.9g", text, x[0][i], x[1][i], x[2][i], out[i], want[i]);
        tw_graph_free(g);
    }
    tw_device_free(dev);
}

/* Functions of whole arrays among others: stages, values that live over them, operands that are leaves. */
static void libs_map_stages(void **state)
{
    (void)state;
    enum { N = 300 };
    tw_device *dev = model_device(2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    float x[N], h[N], out[N], out2[N];
    lcg r = { 4 };
    for (int i = 0; i < N; i++) x[i] = (float)draw_real(&r, 0.1, 2), h[i] = (float)draw_real(&r, 0.1, 2);
    tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ N }, "a"),
              b = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ N }, "b");
    tw_graph_map(g, a, 0), tw_poputil_map_linearly(g, b);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y = tw_popops_map(g, "(_1 + 1) * exp(_1 - log(_2 * _1)) + pow(_2, (_1 + 1) / 2) - tanh(_1)", 2,
                                (tw_tensor[]){ a, b }, p, "y", NULL);
    tw_tensor z = tw_popops_map(g, "_1 * sigmoid(_1)", 1, &a, p, "z", NULL);
    tw_popops_map_in_place(g, "sin(_1) + _1", 1, &a, p, "a", NULL);
    assert_int_equal(tw_graph_status(g), TW_OK);
    float after[N];
    run_once(g, dev, p, 5,
             (io[]){ { a, x, false }, { b, h, false }, { y, out, true }, { z, out2, true }, { a, after, true } });
    for (int i = 0; i < N; i++) {
        double u = x[i], v = h[i];
        double want = (u + 1) * exp(u - log(v * u)) + pow(v, (u + 1) / 2) - tanh(u);
        assert_true(fabs(out[i] - want) <= 3e-6 * (fabs(want) + 1));
        assert_true(fabs(out2[i] - u / (1 + exp(-u))) <= 4e-7 * u);
        assert_true(fabs(after[i] - (sin(u) + u)) <= 4e-7 * u * 2);
    }
    tw_graph_free(g);
    tw_device_free(dev);
}

/* Broadcasts, views, aliases: shapes and values of NumPy. */
static void libs_map_views(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    for (int way = 0; way < MAPPINGS; way++) {
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        lcg r = { 5 };
        float x[12], row[4], column[3], one[1] = { 10 }, y[12], s[12], t[12], turned[9], twice[12];
        for (int i = 0; i < 12; i++) x[i] = (float)i;
        for (int i = 0; i < 4; i++) row[i] = (float)i * 100;
        for (int i = 0; i < 3; i++) column[i] = (float)i * 1000;
        tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 3, 4 }, "a"),
                  b = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 4 }, "b"),
                  c = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 3, 1 }, "c"),
                  d = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 1 }, "d"),
                  z = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 3, 3 }, "z"),
                  w = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 3 }, "w");
        map_somehow(g, a, way, &r), map_somehow(g, b, way, &r), map_somehow(g, c, way, &r),
            map_somehow(g, d, way, &r);
        map_somehow(g, z, way, &r), map_somehow(g, w, way, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_tensor sum = tw_popops_map(g, "_1 + _2 + _3 + _4", 4, (tw_tensor[]){ a, b, c, d }, p, NULL, NULL);
        tw_tensor outer = tw_popops_mul(g, b, c, p, NULL, NULL); /* [4] with [3][1] */
        assert_int_equal(tw_tensor_dim(g, outer, 0), 3);
        /* the target among the operands, turned: through a temporary */
        tw_popops_map_in_place(g, "_1 * 2 + _2", 2, (tw_tensor[]){ z, tw_tensor_transpose(g, z) }, p, NULL, NULL);
        tw_popops_map_with_output(g, "_1 - 1", 1, &a, tw_tensor_transpose(g, w), p, NULL, NULL);
        tw_popops_add_in_place(g, a, a, p, NULL, NULL);
        if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
        float zs[9];
        for (int i = 0; i < 9; i++) zs[i] = (float)(i * i);
        io list[] = { { a, x, false },  { b, row, false }, { c, column, false }, { d, one, false },
                      { z, zs, false }, { sum, y, true },  { outer, s, true },   { w, t, true } };
        io more[] = { list[0],           list[1], list[2],
                      list[3],           list[4], list[5],
                      list[6],           list[7], { z, turned, true },
                      { a, twice, true } };
        run_once(g, dev, p, 10, more);
        for (int i = 0; i < 9; i++) assert_true(turned[i] == 2 * zs[i] + zs[i % 3 * 3 + i / 3]);
        for (int i = 0; i < 12; i++) assert_true(twice[i] == 2 * x[i]);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++) {
                assert_true(y[i * 4 + j] == x[i * 4 + j] + row[j] + column[i] + 10);
                assert_true(s[i * 4 + j] == row[j] * column[i]);
                assert_true(t[j * 3 + i] == x[i * 4 + j] - 1);
            }
        tw_graph_free(g);
    }
    tw_device_free(dev);
}

static void libs_map_one_compute_set(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 1000 }, "a");
    tw_graph_map(g, a, 2);
    tw_program p = tw_program_sequence(g, NULL);
    size_t before = tw_graph_vertex_count(g);
    tw_tensor y = tw_popops_map(g, "_1 * _1 + 1", 1, &a, p, "y", NULL);
    assert_int_equal(tw_graph_vertex_count(g) - before, tw_target_worker_contexts(tw_graph_target(g)));
    unsigned *tile = tiles_of(g, y);
    for (int i = 0; i < 1000; i++) assert_int_equal(tile[i], 2);
    free(tile);
    tw_tensor none = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 0, 7 }, "none");
    before = tw_graph_vertex_count(g);
    tw_tensor still = tw_popops_abs(g, none, p, NULL, NULL);
    assert_int_equal(tw_tensor_dim(g, still, 1), 7);
    assert_int_equal(tw_graph_vertex_count(g), before);
    assert_int_equal(tw_graph_status(g), TW_OK);
    tw_graph_free(g);
    tw_device_free(dev);
}

/* The output is where the best of the inputs is. */
static void libs_map_outputs(void **state)
{
    (void)state;
    tw_device *dev = model_device(8, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor one = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 64 }, "one"),
              spread = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 64 }, "spread"),
              constant = tw_graph_add_constant_double(g, TW_FLOAT, 1, (size_t[]){ 64 }, 1, "c");
    tw_graph_map(g, one, 3);
    for (unsigned i = 0; i < 4; i++) tw_graph_map_range(g, spread, 16 * i, 16, 7 - i);
    tw_poputil_map_linearly_with(g, constant, 0, 2, 0);
    tw_tensor y = tw_popops_create_output(g, 3, (tw_tensor[]){ one, spread, constant }, TW_HALF, "y");
    unsigned *tile = tiles_of(g, y);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(tile[i], 7 - i / 16);
    free(tile);
    assert_int_equal(tw_tensor_type(g, y), TW_HALF);
    y = tw_popops_create_output(g, 1, &constant, TW_FLOAT, "y"); /* nothing to follow: 32 grains on 8 tiles */
    tile = tiles_of(g, y);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(tile[i], i / 8);
    free(tile);
    tw_popops_create_output(g, 0, NULL, TW_FLOAT, "y");
    refused_with(g, TW_E_POPLIBS, "tw_popops_create_output", "no tensors", NULL);
    tw_graph_free(g);
    tw_device_free(dev);
}

/* --- values --------------------------------------------------------------------------------------------------- */

static void libs_map_casts(void **state)
{
    (void)state;
    static const tw_type all[] = {
        TW_FLOAT, TW_HALF, TW_INT, TW_UNSIGNED_INT, TW_I16, TW_U16, TW_BOOL, TW_U8, TW_I8
    };
    tw_device *dev = model_device(4, 1);
    for (size_t f = 0; f < sizeof all / sizeof *all; f++)
        for (size_t t = 0; t < sizeof all / sizeof *all; t++) {
            tw_graph *g = tw_graph_new(tw_device_target(dev));
            tw_tensor x = tw_graph_add_variable(g, all[f], 1, (size_t[]){ 40 }, "x");
            tw_poputil_map_linearly(g, x);
            tw_program p = tw_program_sequence(g, NULL);
            tw_tensor y = tw_popops_cast(g, x, all[t], p, "y");
            tw_tensor z = tw_graph_clone(g, all[t], x, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "z");
            tw_popops_cast_to(g, x, z, p, NULL);
            if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
            char in[160], out[160], out2[160];
            double v[40];
            for (int i = 0; i < 40; i++) {
                v[i] = rounded(all[f], all[f] == TW_BOOL ? i % 2 : i * 1.75);
                tw_type_store(all[f], in + (size_t)i * tw_type_size(all[f]), v[i]);
            }
            run_once(g, dev, p, 3, (io[]){ { x, in, false }, { y, out, true }, { z, out2, true } });
            for (int i = 0; i < 40; i++) {
                double seen = tw_type_load(all[t], out + (size_t)i * tw_type_size(all[t]));
                bool real = all[t] == TW_FLOAT || all[t] == TW_HALF;
                double want = all[t] == TW_BOOL ? v[i] != 0 : real ? v[i] : trunc(v[i]);
                if (seen != rounded(all[t], want)) fail_msg("%g to type %d: %g", v[i], (int)all[t], seen);
            }
            assert_memory_equal(out, out2, 40 * tw_type_size(all[t]));
            tw_graph_free(g);
        }
    tw_device_free(dev);
}

static void libs_map_fills(void **state)
{
    (void)state;
    static const struct {
        tw_type type;
        double value;
    } rows[] = { { TW_FLOAT, 0.1 }, { TW_HALF, -2.5 }, { TW_INT, -7 },   { TW_UNSIGNED_INT, 4e9 },
                 { TW_BOOL, 1 },    { TW_U8, 200 },    { TW_I16, -300 }, { TW_FLOAT, -INFINITY } };
    tw_device *dev = model_device(4, 1);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        lcg r = { k };
        tw_tensor x = tw_graph_add_variable(g, rows[k].type, 2, (size_t[]){ 9, 11 }, "x"),
                  y = tw_graph_add_variable(g, rows[k].type, 1, (size_t[]){ 30 }, "y");
        map_somehow(g, x, (int)k % MAPPINGS, &r), tw_graph_map(g, y, 1);
        tw_program p = tw_program_sequence(g, NULL);
        tw_popops_fill(g, tw_tensor_transpose(g, x), rows[k].value, p, NULL);
        tw_popops_fill(g, tw_tensor_broadcast(g, y, 2, 0), rows[k].value, p, NULL); /* each element once */
        tw_popops_zero(g, tw_tensor_slice(g, y, 0, 10, 20), p, NULL);
        char out[99 * 4], out2[30 * 4];
        run_once(g, dev, p, 2, (io[]){ { x, out, true }, { y, out2, true } });
        size_t size = tw_type_size(rows[k].type);
        for (size_t i = 0; i < 99; i++)
            assert_true(tw_type_load(rows[k].type, out + i * size) == rounded(rows[k].type, rows[k].value));
        for (size_t i = 0; i < 30; i++)
            assert_true(tw_type_load(rows[k].type, out2 + i * size) ==
                        (i / 10 == 1 ? 0 : rounded(rows[k].type, rows[k].value)));
        tw_graph_free(g);
    }
    for (int way = 0; way < MAPPINGS; way++) {
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        lcg r = { 9 };
        tw_tensor i = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 100 }, "i"),
                  u = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ 100 }, "u");
        map_somehow(g, i, way, &r), map_somehow(g, u, way, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_popops_iota(g, i, -50, p, NULL);
        tw_popops_iota(g, u, 4000000000, p, NULL);
        int32_t a[100];
        uint32_t b[100];
        run_once(g, dev, p, 2, (io[]){ { i, a, true }, { u, b, true } });
        for (unsigned k = 0; k < 100; k++) assert_true(a[k] == (int)k - 50 && b[k] == 4000000000u + k);
        tw_graph_free(g);
    }
    tw_device_free(dev);
}

static void libs_map_scaled(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    for (int way = 0; way < MAPPINGS; way++) {
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        lcg r = { 2 };
        float x[60], y[60], s[1] = { 0.375f }, out[60], out2[60];
        uint16_t h[60], hout[60];
        for (int i = 0; i < 60; i++) {
            x[i] = (float)draw_real(&r, -2, 2), y[i] = (float)draw_real(&r, -2, 2);
            h[i] = tw_f32_to_f16((float)draw_real(&r, -2, 2), TW_ROUND_NEAREST_EVEN, 0);
        }
        tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 60 }, "a"),
                  b = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 60 }, "b"),
                  c = tw_graph_add_variable(g, TW_HALF, 1, (size_t[]){ 60 }, "c"),
                  k = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "k");
        map_somehow(g, a, way, &r), map_somehow(g, b, 0, &r), map_somehow(g, c, way, &r), tw_graph_map(g, k, 3);
        tw_program p = tw_program_sequence(g, NULL);
        tw_popops_scaled_add(g, a, (tw_scale){ 0, k }, b, (tw_scale){ -2.5, { 0, 0 } }, p, NULL, NULL);
        tw_popops_scaled_subtract(
            g, b, (tw_scale){ 1, { 0, 0 } }, c, (tw_scale){ 0, k }, p, NULL,
            (const char *const[]){ "optimizeForSpeed=true", "scaleFloatToHalfTolerance=1e-5", NULL });
        tw_popops_scaled_add(g, c, (tw_scale){ 1, { 0, 0 } }, c, (tw_scale){ 1, { 0, 0 } }, p, NULL, NULL);
        if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
        io list[] = { { a, x, false },  { b, y, false },   { c, h, false },  { k, s, false },
                      { a, out, true }, { b, out2, true }, { c, hout, true } };
        run_once(g, dev, p, 7, list);
        for (int i = 0; i < 60; i++) {
            float w = tw_f16_to_f32(h[i]);
            assert_true(out[i] == x[i] * 0.375f + y[i] * -2.5f);
            assert_true(out2[i] == y[i] - w * 0.375f);
            assert_true(tw_f16_to_f32(hout[i]) == 2 * w);
        }
        tw_graph_free(g);
    }
    tw_device_free(dev);
}

/* Steps go to a sequence of the graph and vertices to a compute set of it; where there is none nothing is built. */
static void libs_map_nowhere(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs"), no_set[] = { { 0 }, { 99 } };
    tw_program nowhere[] = { { 0 }, tw_program_execute(g, cs), { 4000000 } };
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 4 }, "t"),
              i = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ 2 }, "i"), both[] = { t, t };
    tw_poputil_map_linearly(g, t), tw_poputil_map_linearly(g, i);
    size_t zero = 0, one = 1;
    uint64_t before = graph_hash(g);
    for (size_t k = 0; k < sizeof nowhere / sizeof *nowhere; k++) {
        tw_program p = nowhere[k];
        const char *word = k == 0 ? "nil program" : "another program";
#define NOWHERE_TO(call, ...) \
    (void)call(g, __VA_ARGS__), refused_with(g, TW_E_CONTROL_PROGRAM, #call, "sequence of this graph", word, NULL)
        NOWHERE_TO(tw_popops_map, "_1 + _2", 2, both, p, NULL, NULL);
        NOWHERE_TO(tw_popops_exp, t, p, NULL, NULL);
        NOWHERE_TO(tw_popops_add_in_place, t, t, p, NULL, NULL);
        NOWHERE_TO(tw_popops_cast, t, TW_HALF, p, NULL);
        NOWHERE_TO(tw_popops_fill, t, 1, p, NULL);
        NOWHERE_TO(tw_popops_reduce, t, TW_TYPE_NONE, 1, &zero, NULL, p, NULL, NULL);
        NOWHERE_TO(tw_popops_sort, t, 0, p, NULL);
        NOWHERE_TO(tw_popops_cumulative_sum, t, 0, false, false, p, NULL);
        NOWHERE_TO(tw_popops_has_nan, t, p, NULL);
        NOWHERE_TO(tw_popops_dynamic_slice, t, i, 2, (size_t[]){ 0, 1 }, (size_t[]){ 1, 1 }, p, NULL);
        NOWHERE_TO(tw_popops_gather, t, i, 0, p, NULL);
        NOWHERE_TO(tw_popops_all_reduce, t, TW_COLLECTIVE_ADD, p, NULL);
        NOWHERE_TO(tw_gcl_all_gather_cross_replica, t, p, NULL);
        NOWHERE_TO(tw_poplin_matmul, t, t, TW_TYPE_NONE, p, NULL, NULL);
        NOWHERE_TO(tw_poplin_cholesky, t, true, p, NULL, NULL);
        NOWHERE_TO(tw_poplin_norm_statistics, t, 0, false, true, p, NULL);
        NOWHERE_TO(tw_popnn_non_linearity, TW_NL_SOFTMAX, t, p, NULL);
        NOWHERE_TO(tw_popnn_log_softmax_in_place, t, p, NULL);
        NOWHERE_TO(tw_popnn_max_and_arg_max, t, p, NULL);
        NOWHERE_TO(tw_poprand_uniform, i, 0, t, TW_FLOAT, 0, 1, p, NULL);
        NOWHERE_TO(tw_poputil_duplicate, t, p, NULL, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
#undef NOWHERE_TO
    }
    for (int k = 0; k < 2; k++) {
#define NO_SET(call, ...) \
    (void)call(g, __VA_ARGS__), refused_with(g, TW_E_INVALID_ARGUMENT, #call, "compute set of this graph", NULL)
        tw_tensor half = tw_tensor_slice(g, t, 0, 0, one), rest = tw_tensor_slice(g, t, 0, one, 2);
        NO_SET(tw_popops_cast_set, half, rest, no_set[k]);
        NO_SET(tw_popops_fill_set, t, 1, no_set[k]);
        NO_SET(tw_popnn_non_linearity_in_place_set, TW_NL_RELU, t, no_set[k]);
        NO_SET(tw_popnn_non_linearity_gradient_set, TW_NL_RELU, t, t, no_set[k], NULL);
        tw_compute_set list[1 + TW_REDUCE_SETS] = { no_set[k] };
        const tw_reduce_one sum = { .tensor = t, .count = 1, .dims = &zero };
        tw_tensor out = { 0 };
        NO_SET(tw_popops_reduce_sets, 1, &sum, &out, 1, list, 1 + TW_REDUCE_SETS, NULL, NULL);
#undef NO_SET
    }
    for (int k = 0; k < 2; k++) { /* an empty sequence that nothing was made behind of can be taken back */
        tw_program_sequence_undo(g, tw_program_sequence(g, "none"));
        tw_program_sequence_undo(g, nowhere[k]);
    }
    assert_int_equal(graph_hash(g), before);
    tw_program kept = tw_program_sequence(g, "kept"), filled = tw_program_sequence(g, NULL);
    tw_program_sequence_add(g, filled, tw_program_execute(g, cs));
    tw_program_sequence_undo(g, kept), tw_program_sequence_undo(g, filled);
    assert_true(tw_program_is_sequence(g, kept) && tw_program_is_sequence(g, filled));
    tw_program p = tw_program_sequence(g, NULL); /* and where there is one, the same calls build */
    tw_tensor_free(g, tw_popops_map(g, "_1 + _2", 2, both, p, NULL, NULL));
    assert_true(tw_program_is_sequence(g, p) && !tw_program_is_sequence(g, nowhere[1]));
    assert_true(tw_compute_set_valid(g, cs) && !tw_compute_set_valid(g, no_set[1]));
    assert_int_equal(tw_graph_status(g), TW_OK);
    assert_true(graph_hash(g) != before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_map_rows),
        cmocka_unit_test(libs_map_random_expressions),
        cmocka_unit_test(libs_map_stages),
        cmocka_unit_test(libs_map_views),
        cmocka_unit_test(libs_map_one_compute_set),
        cmocka_unit_test(libs_map_outputs),
        cmocka_unit_test(libs_map_casts),
        cmocka_unit_test(libs_map_fills),
        cmocka_unit_test(libs_map_scaled),
        cmocka_unit_test(libs_map_nowhere),
    };
    return cmocka_run_group_tests_name("libs_map", tests, NULL, NULL);
}
