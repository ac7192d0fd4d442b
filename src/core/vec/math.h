/* SPDX-License-Identifier: MIT */
/* Elementary functions on arrays: exp, log, sin, tanh, erf, pow, ... for f32 and f64, with the same bits on every
 * machine, at every vector width and however an array is cut into pieces (docs/vec-math.md).
 *
 *     tw__math_exp_f32(n, dst, src);          n contiguous elements; dst == src is fine, partial overlap is not;
 *                                             no alignment is assumed
 *     float y = tw__math_exp_f32_1(x);        one element, the bits of the array form
 *
 * Results that are NaN are always the positive quiet NaN (0x7fc00000, 0x7ff8000000000000). Special values follow
 * C17 Annex F; errno and the floating-point exception flags are not part of the contract. The caller's rounding
 * mode has to be to-nearest with subnormals on (MXCSR as the system sets it). */
#ifndef TW_VEC_MATH_H
#define TW_VEC_MATH_H

#include <stddef.h>

/* X(op): one row per function of one argument.
 *   sigmoid    1 / (1 + e^-x)
 *   silu       x * sigmoid(x), also called swish
 *   gelu_erf   x * (1 + erf(x / sqrt 2)) / 2
 *   gelu_tanh  x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2
 *   softplus   log(1 + e^x) */
// clang-format off
#define TW__MATH_UNARY(X)                                                                                      \
    X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p)                                          \
    X(sin) X(cos) X(tan) X(asin) X(acos) X(atan)                                                               \
    X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)                                                         \
    X(erf) X(erfc) X(cbrt) X(sigmoid) X(silu) X(gelu_erf) X(gelu_tanh) X(softplus)
/* X(op): dst = op(a, b); atan2's a is y. fmod and hypot as in C. */
#define TW__MATH_BINARY(X) X(pow) X(atan2) X(fmod) X(hypot)
// clang-format on

typedef void tw__math_unary_f32(size_t n, float *dst, const float *src);
typedef void tw__math_unary_f64(size_t n, double *dst, const double *src);
typedef void tw__math_binary_f32(size_t n, float *dst, const float *a, const float *b);
typedef void tw__math_binary_f64(size_t n, double *dst, const double *a, const double *b);

#define TW__MATH_DECLARE(op)                \
    tw__math_unary_f32 tw__math_##op##_f32; \
    tw__math_unary_f64 tw__math_##op##_f64; \
    float tw__math_##op##_f32_1(float x);   \
    double tw__math_##op##_f64_1(double x);
TW__MATH_UNARY(TW__MATH_DECLARE)
#undef TW__MATH_DECLARE

#define TW__MATH_DECLARE(op)                       \
    tw__math_binary_f32 tw__math_##op##_f32;       \
    tw__math_binary_f64 tw__math_##op##_f64;       \
    float tw__math_##op##_f32_1(float a, float b); \
    double tw__math_##op##_f64_1(double a, double b);
TW__MATH_BINARY(TW__MATH_DECLARE)
#undef TW__MATH_DECLARE

/* The instruction sets that have a form of their own. TILEWRIGHT_CPU=baseline|avx2|avx512 lowers the choice. */
typedef enum tw__math_level { TW__MATH_BASELINE, TW__MATH_AVX2, TW__MATH_AVX512, TW__MATH_LEVELS } tw__math_level;

/* All functions of one level, as pointers: what dispatch chooses from and what the tests compare. */
typedef struct tw__math_table {
#define TW__MATH_MEMBER(op)       \
    tw__math_unary_f32 *op##_f32; \
    tw__math_unary_f64 *op##_f64;
    TW__MATH_UNARY(TW__MATH_MEMBER)
#undef TW__MATH_MEMBER
#define TW__MATH_MEMBER(op)        \
    tw__math_binary_f32 *op##_f32; \
    tw__math_binary_f64 *op##_f64;
    TW__MATH_BINARY(TW__MATH_MEMBER)
#undef TW__MATH_MEMBER
} tw__math_table;

/* The table of `level`, NULL when this machine cannot run it. */
const tw__math_table *tw__math_table_of(tw__math_level level);
/* The level in use, found once per process. */
tw__math_level tw__math_active_level(void);

#endif
