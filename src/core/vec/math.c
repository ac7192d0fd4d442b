/* SPDX-License-Identifier: MIT */
/* Dispatch of the elementary functions: one table per instruction set, chosen by cpu.c, and the forms for one
 * element. Every table gives the same bits, so the choice shows in speed only. */
#include "core/vec/vec.h"
#include "core/vec/math.h"
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

extern const tw__math_table tw__math_table_baseline;
#ifdef __x86_64__
extern const tw__math_table tw__math_table_avx2, tw__math_table_avx512;
#endif
double tw__math_fmod_exact(double x, double y);

static_assert((int)TW__MATH_LEVELS == TW__LEVELS && (int)TW__MATH_AVX512 == TW__AVX512, "levels as in cpu.c");

static const tw__math_table *const tables[TW__MATH_LEVELS] = {
    [TW__MATH_BASELINE] = &tw__math_table_baseline,
#ifdef __x86_64__
    [TW__MATH_AVX2] = &tw__math_table_avx2,
    [TW__MATH_AVX512] = &tw__math_table_avx512,
#endif
};

const tw__math_table *tw__math_table_of(tw__math_level level)
{
    return tw__level_of((int)level) ? tables[level] : NULL;
}

tw__math_level tw__math_active_level(void)
{
    return (tw__math_level)tw__best_level();
}

static const tw__math_table *active(void)
{
    return tables[tw__best_level()];
}

// clang-format off
#define DEFINE(op)                                                                                             \
    void tw__math_##op##_f32(size_t n, float *dst, const float *src) { active()->op##_f32(n, dst, src); }      \
    void tw__math_##op##_f64(size_t n, double *dst, const double *src) { active()->op##_f64(n, dst, src); }    \
    float tw__math_##op##_f32_1(float x) { active()->op##_f32(1, &x, &x); return x; }                          \
    double tw__math_##op##_f64_1(double x) { active()->op##_f64(1, &x, &x); return x; }
TW__MATH_UNARY(DEFINE)
#undef DEFINE
#define DEFINE(op)                                                                                             \
    void tw__math_##op##_f32(size_t n, float *dst, const float *a, const float *b)                             \
    {                                                                                                          \
        active()->op##_f32(n, dst, a, b);                                                                      \
    }                                                                                                          \
    void tw__math_##op##_f64(size_t n, double *dst, const double *a, const double *b)                          \
    {                                                                                                          \
        active()->op##_f64(n, dst, a, b);                                                                      \
    }                                                                                                          \
    float tw__math_##op##_f32_1(float a, float b) { active()->op##_f32(1, &a, &a, &b); return a; }             \
    double tw__math_##op##_f64_1(double a, double b) { active()->op##_f64(1, &a, &a, &b); return a; }
TW__MATH_BINARY(DEFINE)
#undef DEFINE
// clang-format on

/* --- fmod --------------------------------------------------------------------------------------------------- */

/* |x| = m 2^(e - 1075), m < 2^53, e from 1 as in the exponent field of a normal number */
static uint64_t parts(double x, int *e)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    *e = (int)(bits >> 52 & 0x7ff);
    bits &= (UINT64_C(1) << 52) - 1;
    return *e ? bits | UINT64_C(1) << 52 : (*e = 1, bits);
}

double tw__math_fmod_exact(double x, double y)
{
    static const uint64_t nan_bits = UINT64_C(0x7ff8000000000000);
    double ax = __builtin_fabs(x), ay = __builtin_fabs(y), r;
    if (!(ax < INFINITY) || !(ay > 0)) {
        memcpy(&r, &nan_bits, sizeof r);
        return r;
    }
    if (ax < ay) return x;
    int ex, ey;
    uint64_t mx = parts(ax, &ex), my = parts(ay, &ey);
    /* Long division, eleven bits of the quotient a step: a remainder is below 2^53. */
    mx %= my;
    for (int left = ex - ey; left > 0 && mx; left -= 11) mx = (mx << (left < 11 ? left : 11)) % my;
    if (mx) {
        int lead = __builtin_clzll(mx) - 11, e = ey - lead; /* lead: up to a normal number */
        mx = e >= 1 ? (mx << lead) - (UINT64_C(1) << 52) + ((uint64_t)e << 52) : mx << (ey - 1);
    }
    memcpy(&r, &mx, sizeof r);
    return __builtin_copysign(r, x);
}
