/* SPDX-License-Identifier: MIT */
/* Elementary functions: the same bits at every instruction set, at every cut of an array and on every machine;
 * special values as C17 Annex F has them; NaN in one form. Accuracy is in test_vec_math_ulp.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "core/vec/math.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct row {
    const char *name;
    size_t f32, f64; /* where the functions lie in a tw__math_table */
} row;
#define ROW(op) { #op, offsetof(tw__math_table, op##_f32), offsetof(tw__math_table, op##_f64) },
static const row unary[] = { TW__MATH_UNARY(ROW) };
static const row binary[] = { TW__MATH_BINARY(ROW) };
#undef ROW

#define FUNCTION(type, table, offset) (*(type *const *)((const char *)(table) + (offset)))

enum { N = 4096 + 37 };
static union {
    float f32[N];
    double f64[N];
    uint32_t u32[N];
    uint64_t u64[N];
} in1, in2, out1, out2;

static uint64_t state;
static uint64_t next(void) /* splitmix64: the inputs are the same everywhere */
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const double specials[] = { 0.0,       -0.0,        1.0,  -1.0,   INFINITY, -INFINITY, 0x1p-149, -0x1p-149,
                                   0x1p-1074, 0x1p-126,    0.5,  -0.5,   2.0,      -2.0,      3.0,      -3.0,
                                   88.0,      0x1.fep127,  88.9, -103.9, 709.5,    -745.0,    710.2,    0x1.fp1023,
                                   0x1p60,    -0x1.9p1000, 1e5,  -1e9,   1e22,     16777216.0 };

/* Raw bit patterns, moderate numbers and special values in one array, so that lanes of all kinds are neighbours. */
static double sample(uint64_t r)
{
    double x = ldexp((double)(r >> 11), -53 + (int)(r % 24) - 12);
    return r & 32 ? -x : x;
}
static void fill_f32(float *x, uint32_t *bits, uint64_t seed)
{
    state = seed;
    for (size_t i = 0; i < N; i++) {
        uint64_t r = next();
        if (r % 8 == 0)
            x[i] = (float)specials[(r >> 8) % COUNT(specials)];
        else if (r % 8 < 4)
            bits[i] = (uint32_t)(r >> 32);
        else
            x[i] = (float)sample(next());
    }
}
static void fill_f64(double *x, uint64_t *bits, uint64_t seed)
{
    state = seed;
    for (size_t i = 0; i < N; i++) {
        uint64_t r = next();
        if (r % 8 == 0)
            x[i] = specials[(r >> 8) % COUNT(specials)];
        else if (r % 8 < 4)
            bits[i] = next();
        else
            x[i] = sample(next());
    }
}

static uint64_t hash(const void *data, size_t bytes)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++) h = (h ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* --- dispatch ------------------------------------------------------------------------------------------------ */

static int level_in_child(const char *cpu)
{
    pid_t child = fork();
    if (child == 0) {
        setenv("TILEWRIGHT_CPU", cpu, 1);
        _exit((int)tw__math_active_level());
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

static void vec_math_level_follows_environment(void **unused)
{
    (void)unused; /* first of all tests: the level is found once per process */
    static const char *const names[TW__MATH_LEVELS] = { "baseline", "avx2", "avx512" };
    int best = 0;
    for (int i = 0; i < TW__MATH_LEVELS; i++)
        if (tw__math_table_of((tw__math_level)i)) best = i;
    for (int i = 0; i < TW__MATH_LEVELS; i++) assert_int_equal(level_in_child(names[i]), i < best ? i : best);
    assert_int_equal(level_in_child("fastest"), best);
    assert_int_equal(level_in_child(""), best);
}

/* --- one bit pattern ----------------------------------------------------------------------------------------- */

static void run_f32(const tw__math_table *t, const row *f, int arguments, float *out)
{
    if (arguments == 1)
        FUNCTION(tw__math_unary_f32, t, f->f32)(N, out, in1.f32);
    else
        FUNCTION(tw__math_binary_f32, t, f->f32)(N, out, in1.f32, in2.f32);
}
static void run_f64(const tw__math_table *t, const row *f, int arguments, double *out)
{
    if (arguments == 1)
        FUNCTION(tw__math_unary_f64, t, f->f64)(N, out, in1.f64);
    else
        FUNCTION(tw__math_binary_f64, t, f->f64)(N, out, in1.f64, in2.f64);
}

static int levels_differ(const row *f, int arguments)
{
    int wrong = 0;
    for (int level = 1; level < TW__MATH_LEVELS; level++) {
        const tw__math_table *base = tw__math_table_of(TW__MATH_BASELINE), *t = tw__math_table_of(level);
        if (!t) continue;
        for (uint64_t seed = 1; seed <= 8; seed++) {
            fill_f32(in1.f32, in1.u32, seed);
            fill_f32(in2.f32, in2.u32, seed + 1000);
            run_f32(base, f, arguments, out1.f32);
            run_f32(t, f, arguments, out2.f32);
            for (size_t i = 0; i < N; i++)
                if (out1.u32[i] != out2.u32[i] && wrong++ < 5)
                    print_error("%s_f32 level %d: f(%a, %a) = %08x, baseline %08x\n", f->name, level,
                                (double)in1.f32[i], (double)in2.f32[i], out2.u32[i], out1.u32[i]);
            fill_f64(in1.f64, in1.u64, seed);
            fill_f64(in2.f64, in2.u64, seed + 1000);
            run_f64(base, f, arguments, out1.f64);
            run_f64(t, f, arguments, out2.f64);
            for (size_t i = 0; i < N; i++)
                if (out1.u64[i] != out2.u64[i] && wrong++ < 5)
                    print_error("%s_f64 level %d: f(%a, %a) = %a, baseline %a\n", f->name, level, in1.f64[i],
                                in2.f64[i], out2.f64[i], out1.f64[i]);
        }
    }
    return wrong;
}

static void vec_math_levels_agree(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (size_t f = 0; f < COUNT(unary); f++) wrong += levels_differ(&unary[f], 1);
    for (size_t f = 0; f < COUNT(binary); f++) wrong += levels_differ(&binary[f], 2);
    assert_int_equal(wrong, 0);
}

/* Blocks of bit patterns over all of them, 4,099 apart; TILEWRIGHT_TEST_SLOW=1 sees all 2^32, =61 every 61st. */
static int levels_differ_from(const row *f, uint32_t first, uint32_t step)
{
    enum { BLOCK = 1024 };
    union {
        uint32_t u[BLOCK];
        float f[BLOCK];
    } in, base, out;
    int wrong = 0;
    for (uint32_t i = 0; i < BLOCK; i++) in.u[i] = first + i * step;
    FUNCTION(tw__math_unary_f32, tw__math_table_of(TW__MATH_BASELINE), f->f32)(BLOCK, base.f, in.f);
    for (int level = 1; level < TW__MATH_LEVELS; level++) {
        const tw__math_table *t = tw__math_table_of((tw__math_level)level);
        if (!t) continue;
        FUNCTION(tw__math_unary_f32, t, f->f32)(BLOCK, out.f, in.f);
        for (size_t i = 0; i < BLOCK; i++)
            if (base.u[i] != out.u[i] && wrong++ < 1)
                print_error("%s_f32 level %d: f(%a) = %08x, baseline %08x\n", f->name, level, (double)in.f[i],
                            out.u[i], base.u[i]);
    }
    return wrong;
}
static void vec_math_levels_agree_on_all_floats(void **unused)
{
    (void)unused;
    const char *slow = getenv("TILEWRIGHT_TEST_SLOW"), *only = getenv("TILEWRIGHT_TEST_ONLY");
    const uint32_t step = slow && atoi(slow) > 0 ? (uint32_t)atoi(slow) : 4099;
    int wrong = 0;
    for (size_t f = 0; f < COUNT(unary); f++) {
        if (only && strcmp(only, unary[f].name) != 0) continue;
        for (uint64_t first = 0; first < UINT64_C(1) << 32 && wrong < 20; first += UINT64_C(1024) * step)
            wrong += levels_differ_from(&unary[f], (uint32_t)first, step);
    }
    assert_int_equal(wrong, 0);
}

/* Hashes of the results on one fixed set of inputs, recorded on an AMD EPYC with gcc 12 and SLEEF 3.5.1. Another
 * machine, compiler or SLEEF that gives other bits breaks the promise that programs compute the same everywhere. */
// clang-format off
static const struct { const char *name; uint64_t f32, f64; } recorded[] = {
#include "vec_math_recorded.inc"
};
// clang-format on

static void vec_math_bits_are_recorded(void **unused)
{
    (void)unused;
    const tw__math_table *t = tw__math_table_of(tw__math_active_level());
    int wrong = 0;
    assert_int_equal(COUNT(recorded), COUNT(unary) + COUNT(binary));
    for (size_t i = 0; i < COUNT(recorded); i++) {
        int arguments = i < COUNT(unary) ? 1 : 2;
        const row *f = arguments == 1 ? &unary[i] : &binary[i - COUNT(unary)];
        fill_f32(in1.f32, in1.u32, 77);
        fill_f32(in2.f32, in2.u32, 78);
        run_f32(t, f, arguments, out1.f32);
        fill_f64(in1.f64, in1.u64, 77);
        fill_f64(in2.f64, in2.u64, 78);
        run_f64(t, f, arguments, out2.f64);
        uint64_t f32 = hash(out1.f32, sizeof out1.f32), f64 = hash(out2.f64, sizeof out2.f64);
        if (strcmp(recorded[i].name, f->name) == 0 && f32 == recorded[i].f32 && f64 == recorded[i].f64) continue;
        print_error("    { \"%s\", UINT64_C(0x%016llx), UINT64_C(0x%016llx) },\n", f->name, (unsigned long long)f32,
                    (unsigned long long)f64);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* --- cuts, alignment, overlap -------------------------------------------------------------------------------- */

enum { SMALL = 77 };

/* Pieces of any alignment go through these: a pointer to float may not be odd in C, so no check may follow it. */
static void piece_f32(const row *f, int arguments, size_t n, void *dst, const float *b)
{
    const tw__math_table *t = tw__math_table_of(tw__math_active_level());
    if (arguments == 1)
        FUNCTION(tw__math_unary_f32, t, f->f32)(n, dst, dst);
    else
        FUNCTION(tw__math_binary_f32, t, f->f32)(n, dst, dst, b);
}

static void check_cuts_f32(const row *f, int arguments)
{
    float whole[SMALL];
    char raw[sizeof whole + 8];
    memcpy(whole, in1.f32, sizeof whole);
    piece_f32(f, arguments, SMALL, whole, in2.f32);
    for (size_t cut = 0; cut <= SMALL; cut++) {
        char *dst = raw + 1 + cut % 4;
        memset(raw, 0x5a, sizeof raw);
        memcpy(dst, in1.f32, sizeof whole);
        piece_f32(f, arguments, cut, dst, in2.f32);
        piece_f32(f, arguments, SMALL - cut, dst + 4 * cut, in2.f32 + cut);
        if (memcmp(dst, whole, sizeof whole) != 0) fail_msg("%s_f32 cut at %zu", f->name, cut);
        for (char *p = raw; p < raw + sizeof raw; p++)
            if ((p < dst || p >= dst + sizeof whole) && *p != 0x5a)
                fail_msg("%s_f32 cut at %zu writes outside", f->name, cut);
    }
}

static void check_cuts_f64(const row *f, int arguments)
{
    tw__math_unary_f64 *f1 = FUNCTION(tw__math_unary_f64, tw__math_table_of(tw__math_active_level()), f->f64);
    tw__math_binary_f64 *f2 = FUNCTION(tw__math_binary_f64, tw__math_table_of(tw__math_active_level()), f->f64);
    double whole[SMALL], guarded[SMALL + 2];
    if (arguments == 1)
        f1(SMALL, whole, in1.f64);
    else
        f2(SMALL, whole, in1.f64, in2.f64);
    for (size_t cut = 0; cut <= SMALL; cut++) {
        double *dst = guarded + 1;
        guarded[0] = guarded[SMALL + 1] = 123.0;
        memcpy(dst, in1.f64, sizeof whole);
        if (arguments == 1)
            f1(cut, dst, dst), f1(SMALL - cut, dst + cut, dst + cut);
        else
            f2(cut, dst, dst, in2.f64), f2(SMALL - cut, dst + cut, dst + cut, in2.f64 + cut);
        if (memcmp(dst, whole, sizeof whole) != 0) fail_msg("%s_f64 cut at %zu", f->name, cut);
        if (guarded[0] != 123.0 || guarded[SMALL + 1] != 123.0)
            fail_msg("%s_f64 cut at %zu writes outside", f->name, cut);
    }
}

static void vec_math_cuts_do_not_show(void **unused)
{
    (void)unused;
    fill_f32(in1.f32, in1.u32, 5);
    fill_f32(in2.f32, in2.u32, 6);
    for (size_t f = 0; f < COUNT(unary); f++) check_cuts_f32(&unary[f], 1);
    for (size_t f = 0; f < COUNT(binary); f++) check_cuts_f32(&binary[f], 2);
    fill_f64(in1.f64, in1.u64, 5);
    fill_f64(in2.f64, in2.u64, 6);
    for (size_t f = 0; f < COUNT(unary); f++) check_cuts_f64(&unary[f], 1);
    for (size_t f = 0; f < COUNT(binary); f++) check_cuts_f64(&binary[f], 2);
}

/* The public names reach the same functions; each alone gives the bits of the array. */
static void vec_math_one_element(void **unused)
{
    (void)unused;
    fill_f32(in1.f32, in1.u32, 9);
    fill_f32(in2.f32, in2.u32, 10);
#define CHECK(op)                                                                     \
    tw__math_##op##_f32(200, out1.f32, in1.f32);                                      \
    for (size_t i = 0; i < 200; i++) out2.f32[i] = tw__math_##op##_f32_1(in1.f32[i]); \
    assert_memory_equal(out1.f32, out2.f32, 200 * sizeof(float));
    TW__MATH_UNARY(CHECK)
#undef CHECK
#define CHECK(op)                                                                                 \
    tw__math_##op##_f32(200, out1.f32, in1.f32, in2.f32);                                         \
    for (size_t i = 0; i < 200; i++) out2.f32[i] = tw__math_##op##_f32_1(in1.f32[i], in2.f32[i]); \
    assert_memory_equal(out1.f32, out2.f32, 200 * sizeof(float));
    TW__MATH_BINARY(CHECK)
#undef CHECK
    fill_f64(in1.f64, in1.u64, 9);
    fill_f64(in2.f64, in2.u64, 10);
#define CHECK(op)                                                                     \
    tw__math_##op##_f64(200, out1.f64, in1.f64);                                      \
    for (size_t i = 0; i < 200; i++) out2.f64[i] = tw__math_##op##_f64_1(in1.f64[i]); \
    assert_memory_equal(out1.f64, out2.f64, 200 * sizeof(double));
    TW__MATH_UNARY(CHECK)
#undef CHECK
#define CHECK(op)                                                                                 \
    tw__math_##op##_f64(200, out1.f64, in1.f64, in2.f64);                                         \
    for (size_t i = 0; i < 200; i++) out2.f64[i] = tw__math_##op##_f64_1(in1.f64[i], in2.f64[i]); \
    assert_memory_equal(out1.f64, out2.f64, 200 * sizeof(double));
    TW__MATH_BINARY(CHECK)
#undef CHECK
}

/* --- special values ------------------------------------------------------------------------------------------ */

#define PI_LOW 0x1.921fb54442d18p+1
#define INF    INFINITY
// clang-format off
static const struct { const char *op; double in, out; } exact[] = { /* C17 F.10; the activations by their limits */
    { "exp", 0.0, 1 },      { "exp", -0.0, 1 },     { "exp", -INF, 0.0 },   { "exp", INF, INF },
    { "exp", 1e30, INF },   { "exp", -1e30, 0.0 },
    { "exp2", -0.0, 1 },    { "exp2", -INF, 0.0 },  { "exp2", INF, INF },   { "exp2", -3, 0.125 }, { "exp2", 10, 1024 },
    { "exp10", -0.0, 1 },   { "exp10", -INF, 0.0 }, { "exp10", INF, INF },  { "exp10", 1, 10 },    { "exp10", 2, 100 },
    { "expm1", 0.0, 0.0 },  { "expm1", -0.0, -0.0 },{ "expm1", -INF, -1 },  { "expm1", INF, INF },
    { "log", 0.0, -INF },   { "log", -0.0, -INF },  { "log", 1, 0.0 },      { "log", -1, NAN },    { "log", INF, INF },
    { "log", -INF, NAN },
    { "log2", 0.0, -INF },  { "log2", -0.0, -INF }, { "log2", 1, 0.0 },     { "log2", -1, NAN },   { "log2", INF, INF },
    { "log2", 8, 3 },       { "log2", 0x1p-149, -149 },
    { "log10", 0.0, -INF }, { "log10", -0.0, -INF },{ "log10", 1, 0.0 },    { "log10", -1, NAN },  { "log10", INF, INF },
    { "log10", 1000, 3 },
    { "log1p", 0.0, 0.0 },  { "log1p", -0.0, -0.0 },{ "log1p", -1, -INF },  { "log1p", -2, NAN },  { "log1p", INF, INF },
    { "sin", 0.0, 0.0 },    { "sin", -0.0, -0.0 },  { "sin", INF, NAN },    { "sin", -INF, NAN },
    { "cos", 0.0, 1 },      { "cos", -0.0, 1 },     { "cos", INF, NAN },    { "cos", -INF, NAN },
    { "tan", 0.0, 0.0 },    { "tan", -0.0, -0.0 },  { "tan", INF, NAN },    { "tan", -INF, NAN },
    { "asin", 0.0, 0.0 },   { "asin", -0.0, -0.0 }, { "asin", 2, NAN },     { "asin", 1, PI_LOW / 2 }, { "asin", -INF, NAN },
    { "acos", 1, 0.0 },     { "acos", -1, PI_LOW }, { "acos", 2, NAN },     { "acos", 0.0, PI_LOW / 2 },
    { "atan", 0.0, 0.0 },   { "atan", -0.0, -0.0 }, { "atan", INF, PI_LOW / 2 }, { "atan", -INF, -PI_LOW / 2 },
    { "sinh", 0.0, 0.0 },   { "sinh", -0.0, -0.0 }, { "sinh", INF, INF },   { "sinh", -INF, -INF },
    { "cosh", 0.0, 1 },     { "cosh", -0.0, 1 },    { "cosh", INF, INF },   { "cosh", -INF, INF },
    { "tanh", 0.0, 0.0 },   { "tanh", -0.0, -0.0 }, { "tanh", INF, 1 },     { "tanh", -INF, -1 },
    { "asinh", 0.0, 0.0 },  { "asinh", -0.0, -0.0 },{ "asinh", INF, INF },  { "asinh", -INF, -INF },
    { "acosh", 1, 0.0 },    { "acosh", 0.5, NAN },  { "acosh", -INF, NAN }, { "acosh", INF, INF },
    { "atanh", 0.0, 0.0 },  { "atanh", -0.0, -0.0 },{ "atanh", 1, INF },    { "atanh", -1, -INF }, { "atanh", 2, NAN },
    { "atanh", INF, NAN },
    { "erf", 0.0, 0.0 },    { "erf", -0.0, -0.0 },  { "erf", INF, 1 },      { "erf", -INF, -1 },
    { "erfc", 0.0, 1 },     { "erfc", INF, 0.0 },   { "erfc", -INF, 2 },
    { "cbrt", 0.0, 0.0 },   { "cbrt", -0.0, -0.0 }, { "cbrt", INF, INF },   { "cbrt", -INF, -INF }, { "cbrt", 27, 3 },
    { "cbrt", -8, -2 },
    { "sigmoid", 0.0, 0.5 },{ "sigmoid", INF, 1 },  { "sigmoid", -INF, 0.0 },
    { "silu", 0.0, 0.0 },   { "silu", -0.0, -0.0 }, { "silu", INF, INF },   { "silu", -INF, -0.0 },
    { "gelu_erf", 0.0, 0.0 },  { "gelu_erf", -0.0, -0.0 },  { "gelu_erf", INF, INF },  { "gelu_erf", -INF, -0.0 },
    { "gelu_tanh", 0.0, 0.0 }, { "gelu_tanh", -0.0, -0.0 }, { "gelu_tanh", INF, INF }, { "gelu_tanh", -INF, -0.0 },
    { "softplus", INF, INF },  { "softplus", -INF, 0.0 },
};
static const struct { const char *op; double a, b, out; } exact2[] = {
    { "pow", 0.0, -3, INF },  { "pow", -0.0, -3, -INF },  { "pow", -0.0, -2, INF }, { "pow", 0.0, -INF, INF },
    { "pow", -0.0, 3, -0.0 }, { "pow", -0.0, 2, 0.0 },    { "pow", -1, INF, 1 },    { "pow", -1, -INF, 1 },
    { "pow", 1, NAN, 1 },     { "pow", NAN, 0.0, 1 },     { "pow", NAN, -0.0, 1 },  { "pow", -8, 1.0 / 3, NAN },
    { "pow", 0.5, -INF, INF },{ "pow", 2, -INF, 0.0 },    { "pow", 0.5, INF, 0.0 }, { "pow", 2, INF, INF },
    { "pow", -INF, -3, -0.0 },{ "pow", -INF, -2, 0.0 },   { "pow", -INF, 3, -INF }, { "pow", -INF, 2, INF },
    { "pow", INF, -1, 0.0 },  { "pow", INF, 1, INF },     { "pow", -2, 3, -8 },     { "pow", NAN, 1, NAN },
    { "pow", 2, NAN, NAN },   { "pow", 10, 2, 100 },      { "pow", 3, 4, 81 },
    { "atan2", 0.0, -0.0, PI_LOW },  { "atan2", -0.0, -0.0, -PI_LOW }, { "atan2", 0.0, 0.0, 0.0 },
    { "atan2", -0.0, 0.0, -0.0 },    { "atan2", 0.0, -1, PI_LOW },     { "atan2", -0.0, -1, -PI_LOW },
    { "atan2", 0.0, 1, 0.0 },        { "atan2", -0.0, 1, -0.0 },       { "atan2", -1, 0.0, -PI_LOW / 2 },
    { "atan2", 1, -0.0, PI_LOW / 2 },{ "atan2", 1, -INF, PI_LOW },     { "atan2", -1, -INF, -PI_LOW },
    { "atan2", 1, INF, 0.0 },        { "atan2", -1, INF, -0.0 },       { "atan2", INF, 3, PI_LOW / 2 },
    { "atan2", -INF, 3, -PI_LOW / 2 },     { "atan2", INF, -INF, 3 * PI_LOW / 4 }, { "atan2", INF, INF, PI_LOW / 4 },
    { "atan2", -INF, -INF, -3 * PI_LOW / 4 }, { "atan2", NAN, 1, NAN },   { "atan2", 1, NAN, NAN },
    { "fmod", 0.0, 3, 0.0 },  { "fmod", -0.0, 3, -0.0 },  { "fmod", INF, 3, NAN },  { "fmod", 3, 0.0, NAN },
    { "fmod", 3, INF, 3 },    { "fmod", -3, -INF, -3 },   { "fmod", -6, 3, -0.0 },  { "fmod", 6.5, -2, 0.5 },
    { "fmod", -6.5, 2, -0.5 },{ "fmod", NAN, 1, NAN },    { "fmod", 1, NAN, NAN },  { "fmod", 0x1p-149, 0x1p-149, 0.0 },
    { "fmod", 1e30, 0x1p-149, 0.0 },
    { "hypot", INF, NAN, INF }, { "hypot", NAN, -INF, INF }, { "hypot", 3, -4, 5 }, { "hypot", -0.0, -0.0, 0.0 },
    { "hypot", -0.0, 5, 5 },  { "hypot", NAN, 1, NAN },   { "hypot", 1, NAN, NAN }, { "hypot", 0x1p127, 0x1p-149, 0x1p127 },
};
// clang-format on

static const row *find(const row *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    fail_msg("no function %s", name);
    return NULL;
}

static int differs_f32(size_t i, const char *op, float got, float want)
{
    uint32_t g, w;
    memcpy(&g, &got, 4);
    memcpy(&w, &want, 4);
    if (isnan(want)) w = UINT32_C(0x7fc00000);
    if (g == w) return 0;
    print_error("row %zu %s_f32: got %a, expected %a\n", i, op, (double)got, (double)want);
    return 1;
}
static int differs_f64(size_t i, const char *op, double got, double want)
{
    uint64_t g, w;
    memcpy(&g, &got, 8);
    memcpy(&w, &want, 8);
    if (isnan(want)) w = UINT64_C(0x7ff8000000000000);
    if (g == w) return 0;
    print_error("row %zu %s_f64: got %a, expected %a\n", i, op, got, want);
    return 1;
}

static void vec_math_special_values(void **unused)
{
    (void)unused;
    const tw__math_table *t = tw__math_table_of(tw__math_active_level());
    int wrong = 0;
    for (size_t i = 0; i < COUNT(exact); i++) {
        const row *f = find(unary, COUNT(unary), exact[i].op);
        float x = (float)exact[i].in;
        double y = exact[i].in;
        FUNCTION(tw__math_unary_f32, t, f->f32)(1, &x, &x);
        FUNCTION(tw__math_unary_f64, t, f->f64)(1, &y, &y);
        wrong += differs_f32(i, f->name, x, (float)exact[i].out) + differs_f64(i, f->name, y, exact[i].out);
    }
    for (size_t i = 0; i < COUNT(exact2); i++) {
        const row *f = find(binary, COUNT(binary), exact2[i].op);
        float a = (float)exact2[i].a, b = (float)exact2[i].b;
        double c = exact2[i].a, d = exact2[i].b;
        FUNCTION(tw__math_binary_f32, t, f->f32)(1, &a, &a, &b);
        FUNCTION(tw__math_binary_f64, t, f->f64)(1, &c, &c, &d);
        wrong += differs_f32(i, f->name, a, (float)exact2[i].out) + differs_f64(i, f->name, c, exact2[i].out);
    }
    assert_int_equal(wrong, 0);
}

static void vec_math_nan_has_one_form(void **unused)
{
    (void)unused;
    const tw__math_table *t = tw__math_table_of(tw__math_active_level());
    for (size_t f = 0; f < COUNT(unary); f++) {
        for (size_t i = 0; i < 64; i++) { /* quiet and signalling, both signs, any payload */
            in1.u32[i] = UINT32_C(0x7f800001) | (uint32_t)(i & 1) << 31 | (uint32_t)(i * 0x1f3) << 13 | (uint32_t)i;
        }
        FUNCTION(tw__math_unary_f32, t, unary[f].f32)(64, out1.f32, in1.f32);
        for (size_t i = 0; i < 64; i++)
            if (out1.u32[i] != UINT32_C(0x7fc00000))
                fail_msg("%s_f32(nan %08x) = %08x", unary[f].name, in1.u32[i], out1.u32[i]);
        for (size_t i = 0; i < 64; i++)
            in1.u64[i] = UINT64_C(0x7ff0000000000001) | (uint64_t)(i & 1) << 63 | (uint64_t)(i * 0x1f3) << 40;
        FUNCTION(tw__math_unary_f64, t, unary[f].f64)(64, out1.f64, in1.f64);
        for (size_t i = 0; i < 64; i++)
            if (out1.u64[i] != UINT64_C(0x7ff8000000000000))
                fail_msg("%s_f64(nan) = %016llx", unary[f].name, (unsigned long long)out1.u64[i]);
    }
}

/* fmod is exact, so libm's is a reference for every bit. */
static void vec_math_fmod_is_exact(void **unused)
{
    (void)unused;
    for (uint64_t seed = 100; seed < 140; seed++) {
        fill_f32(in1.f32, in1.u32, seed);
        fill_f32(in2.f32, in2.u32, seed + 1000);
        tw__math_fmod_f32(N, out1.f32, in1.f32, in2.f32);
        for (size_t i = 0; i < N; i++)
            if (differs_f32(i, "fmod", out1.f32[i], fmodf(in1.f32[i], in2.f32[i])))
                fail_msg("fmodf(%a, %a)", (double)in1.f32[i], (double)in2.f32[i]);
        fill_f64(in1.f64, in1.u64, seed);
        fill_f64(in2.f64, in2.u64, seed + 1000);
        tw__math_fmod_f64(N, out1.f64, in1.f64, in2.f64);
        for (size_t i = 0; i < N; i++)
            if (differs_f64(i, "fmod", out1.f64[i], fmod(in1.f64[i], in2.f64[i])))
                fail_msg("fmod(%a, %a)", in1.f64[i], in2.f64[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_math_level_follows_environment),
        cmocka_unit_test(vec_math_levels_agree),
        cmocka_unit_test(vec_math_levels_agree_on_all_floats),
        cmocka_unit_test(vec_math_bits_are_recorded),
        cmocka_unit_test(vec_math_cuts_do_not_show),
        cmocka_unit_test(vec_math_one_element),
        cmocka_unit_test(vec_math_special_values),
        cmocka_unit_test(vec_math_nan_has_one_form),
        cmocka_unit_test(vec_math_fmod_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
