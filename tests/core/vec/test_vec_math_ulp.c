/* SPDX-License-Identifier: MIT */
/* Elementary functions against libm one precision up: f32 against double, f64 against long double (64 bits of
 * mantissa), errors in units of the last place, limits as a table. The normal run samples; TILEWRIGHT_TEST_SLOW=1
 * gives the f32 functions of one argument all 2^32 inputs (minutes per function and core), =61 every 61st.
 * TILEWRIGHT_TEST_ULP=1 prints the largest error of each function, as quoted in docs/vec-math.md;
 * TILEWRIGHT_TEST_ONLY=exp restricts the run to one function. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "core/vec/math.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
typedef long double wide;

/* --- the activations, straight from their definitions where no cancellation forbids it ---------------------- */

static double sigmoid(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}
static double silu(double x)
{
    return x * sigmoid(x);
}
static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}
static double gelu_erf(double x)
{
    return 0.5 * x * erfc(-x * M_SQRT1_2);
}
static double gelu_tanh(double x)
{
    return x * sigmoid(2 * sqrt(M_2_PI) * (x + 0.044715 * x * x * x));
}

static wide sigmoidl(wide x)
{
    return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}
static wide silul(wide x)
{
    return x * sigmoidl(x);
}
static wide softplusl(wide x)
{
    return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x));
}
/* The error of a = -x / sqrt 2 matters 2 a^2 times over in the tail: correct by the derivative of erfc, with
 * a^2 - x^2 / 2 to twice the precision. */
static wide gelu_erfl(wide x)
{
    wide a = -x * 0xb.504f333f9de6484p-4L, p = a * a, q = x * (x / 2);
    wide off = a == 0 ? 0 : ((p - q) + (fmal(a, a, -p) - fmal(x, x / 2, -q))) / (2 * a);
    return x / 2 * (erfcl(a) + 2 / sqrtl(acosl(-1)) * expl(-q) * off);
}
static wide gelu_tanhl(wide x)
{
    return x * sigmoidl(2 * sqrtl(2 / acosl(-1)) * (x + 0.044715L * x * x * x));
}

/* X(op, limit of f32, limit of f64): ulp that must not be exceeded. sinh and cosh of f64 are above 1 only where e^x
 * overflows before they do (x > 709), erfc where its result nears the subnormals. */
// clang-format off
#define LIMITS(X)                                                                                              \
    X(exp, 0.9, 1) X(exp2, 1, 1) X(exp10, 1, 1) X(expm1, 1, 1) X(log, 1, 1) X(log2, 1, 1)              \
    X(log10, 1, 1) X(log1p, 1, 1) X(sin, 1, 1) X(cos, 1, 1) X(tan, 1, 1) X(asin, 1, 1) X(acos, 1, 1)     \
    X(atan, 1, 1) X(sinh, 1, 1.5) X(cosh, 1, 1.5) X(tanh, 1, 1) X(asinh, 0.51, 1) X(acosh, 0.51, 1)       \
    X(atanh, 0.51, 1) X(erf, 1, 1) X(erfc, 0.51, 2.5) X(cbrt, 0.51, 1) X(sigmoid, 0.51, 3) X(silu, 0.51, 4)         \
    X(gelu_erf, 0.51, 6) X(gelu_tanh, 0.51, 4) X(softplus, 0.51, 3)
#define LIMITS2(X) X(pow, 1, 1) X(atan2, 1, 1) X(hypot, 0.51, 0.75)
// clang-format on

static const struct unary {
    const char *name;
    double (*ref32)(double);
    wide (*ref64)(wide);
    tw__math_unary_f32 *f32;
    tw__math_unary_f64 *f64;
    double limit32, limit64;
} unary[] = {
#define ROW(op, limit32, limit64) { #op, op, op##l, tw__math_##op##_f32, tw__math_##op##_f64, limit32, limit64 },
    LIMITS(ROW)
#undef ROW
};
static const struct binary {
    const char *name;
    double (*ref32)(double, double);
    wide (*ref64)(wide, wide);
    tw__math_binary_f32 *f32;
    tw__math_binary_f64 *f64;
    double limit32, limit64;
} binary[] = {
#define ROW(op, limit32, limit64) { #op, op, op##l, tw__math_##op##_f32, tw__math_##op##_f64, limit32, limit64 },
    LIMITS2(ROW)
#undef ROW
};

/* |got - want| in units of the last place of a float at want; past the largest float, in units of its binade, an
 * infinity counting as 2^128. A NaN on one side only, or a wrong sign of zero, is a huge error. */
static double ulps_f32(float got, double want)
{
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : 1e30;
    if (got == 0 && !signbit(got) != !signbit(want)) return 1e30;
    double g = isinf(got) ? copysign(0x1p128, got) : got;
    if (fabs(want) > 0x1p128) want = copysign(0x1p128, want);
    int e = want == 0 ? -126 : ilogb(want);
    return ldexp(fabs(g - want), 23 - (e < -126 ? -126 : e > 127 ? 127 : e));
}
static double ulps_f64(double got, wide want)
{
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : 1e30;
    if (got == 0 && !signbit(got) != !signbit(want)) return 1e30;
    wide g = isinf(got) ? copysignl(0x1p1024L, got) : got;
    if (fabsl(want) > 0x1p1024L) want = copysignl(0x1p1024L, want);
    int e = want == 0 ? -1022 : ilogbl(want);
    return (double)ldexpl(fabsl(g - want), 52 - (e < -1022 ? -1022 : e > 1023 ? 1023 : e));
}

typedef struct worst {
    double ulps, a, b;
} worst;
static void note(worst *w, double ulps, double a, double b)
{
    if (ulps > w->ulps) *w = (worst){ ulps, a, b };
}

static int report(const char *name, const char *type, worst w, double limit)
{
    if (getenv("TILEWRIGHT_TEST_ULP"))
        printf("%-10s %s %.4f at %a, %a\n", name, type, w.ulps, w.a, w.b), fflush(stdout);
    if (w.ulps <= limit) return 0;
    print_error("%s_%s: %.4f ulp at %a, %a; limit %g\n", name, type, w.ulps, w.a, w.b, limit);
    return 1;
}

static int wanted(const char *name)
{
    const char *only = getenv("TILEWRIGHT_TEST_ONLY");
    return !only || strcmp(only, name) == 0;
}

enum { BLOCK = 1024 };

/* BLOCK bit patterns from `first` on, `step` apart */
static worst block_f32(const struct unary *f, uint32_t first, uint32_t step)
{
    union {
        uint32_t u[BLOCK];
        float f[BLOCK];
    } in;
    float out[BLOCK];
    worst w = { 0, 0, 0 };
    for (uint32_t i = 0; i < BLOCK; i++) in.u[i] = first + i * step;
    f->f32(BLOCK, out, in.f);
    for (size_t i = 0; i < BLOCK; i++) note(&w, ulps_f32(out[i], f->ref32((double)in.f[i])), (double)in.f[i], 0);
    return w;
}

static void vec_math_ulp_f32(void **unused)
{
    (void)unused;
    const char *slow = getenv("TILEWRIGHT_TEST_SLOW");
    const uint32_t step = slow && atoi(slow) > 0 ? (uint32_t)atoi(slow) : 4099; /* odd: all low bits occur */
    int wrong = 0;
    for (size_t f = 0; f < COUNT(unary); f++) {
        if (!wanted(unary[f].name)) continue;
        worst all = { 0, 0, 0 };
#pragma omp parallel for schedule(dynamic, 16)
        for (int64_t first = 0; first < INT64_C(1) << 32; first += (int64_t)BLOCK * step) {
            worst w = block_f32(&unary[f], (uint32_t)first, step);
#pragma omp critical
            note(&all, w.ulps, w.a, w.b);
        }
        wrong += report(unary[f].name, "f32", all, unary[f].limit32);
    }
    assert_int_equal(wrong, 0);
}

static uint64_t state = 1;
static uint64_t next(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
/* Half of the time any bit pattern, else a number between 2^-12 and 2^12. */
static double any_f64(void)
{
    uint64_t r = next();
    double x;
    if (r & 1)
        memcpy(&x, &(uint64_t){ next() }, sizeof x);
    else
        x = ldexp((double)(next() >> 11), -53 + (int)(r >> 1 & 31) % 25 - 12) * (r & 128 ? -1 : 1);
    return x;
}
static float any_f32(void)
{
    uint64_t r = next();
    float x;
    if (r & 1)
        memcpy(&x, &(uint32_t){ (uint32_t)next() }, sizeof x);
    else
        x = (float)any_f64();
    return x;
}

static void vec_math_ulp_f64(void **unused)
{
    (void)unused;
    const int blocks = getenv("TILEWRIGHT_TEST_SLOW") ? 20000 : 60;
    int wrong = 0;
    for (size_t f = 0; f < COUNT(unary); f++) {
        if (!wanted(unary[f].name)) continue;
        worst w = { 0, 0, 0 };
        double in[BLOCK], out[BLOCK];
        state = 1;
        for (int block = 0; block < blocks; block++) {
            for (size_t i = 0; i < BLOCK; i++) in[i] = any_f64();
            unary[f].f64(BLOCK, out, in);
            for (size_t i = 0; i < BLOCK; i++) note(&w, ulps_f64(out[i], unary[f].ref64(in[i])), in[i], 0);
        }
        wrong += report(unary[f].name, "f64", w, unary[f].limit64);
    }
    assert_int_equal(wrong, 0);
}

/* Pairs: anything with anything; and bases near one with large exponents, where pow magnifies errors of log. */
static void vec_math_ulp_two_arguments(void **unused)
{
    (void)unused;
    const int blocks = getenv("TILEWRIGHT_TEST_SLOW") ? 50000 : 200;
    int wrong = 0;
    for (size_t f = 0; f < COUNT(binary); f++) {
        if (!wanted(binary[f].name)) continue;
        worst w32 = { 0, 0, 0 }, w64 = { 0, 0, 0 };
        float a[BLOCK], b[BLOCK], out[BLOCK];
        double c[BLOCK], d[BLOCK], result[BLOCK];
        state = 1;
        for (int block = 0; block < blocks; block++) {
            for (size_t i = 0; i < BLOCK; i++) {
                a[i] = any_f32(), b[i] = any_f32(), c[i] = any_f64(), d[i] = any_f64();
                if (block % 4 == 1) a[i] = fabsf(a[i]), c[i] = fabs(c[i]);
                if (block % 4 == 2) {
                    double small = ldexp((double)(int64_t)next(), -70), power = ldexp((double)(int64_t)next(), -62);
                    a[i] = (float)(1 + small), b[i] = (float)(power * 88 / small);
                    c[i] = 1 + small, d[i] = power * 700 / small;
                }
            }
            binary[f].f32(BLOCK, out, a, b);
            for (size_t i = 0; i < BLOCK; i++)
                note(&w32, ulps_f32(out[i], binary[f].ref32(a[i], b[i])), a[i], b[i]);
            if (block % 4 == 3) continue;
            binary[f].f64(BLOCK, result, c, d);
            for (size_t i = 0; i < BLOCK; i++)
                note(&w64, ulps_f64(result[i], binary[f].ref64(c[i], d[i])), c[i], d[i]);
        }
        wrong += report(binary[f].name, "f32", w32, binary[f].limit32);
        wrong += report(binary[f].name, "f64", w64, binary[f].limit64);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_math_ulp_f32),
        cmocka_unit_test(vec_math_ulp_f64),
        cmocka_unit_test(vec_math_ulp_two_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
