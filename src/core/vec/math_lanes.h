/* SPDX-License-Identifier: MIT */
/* One vector of floating-point lanes at the instruction set of the file that includes this one, and the few
 * operations that C's vector arithmetic does not spell. math_baseline.c, math_avx2.c and math_avx512.c define
 *
 *     TW__LEVEL     the last part of the names this level exports
 *     TW__LANES     f32 lanes of one vector; a vector of doubles has half as many
 *     TW__SLEEF     the ending of SLEEF's deterministic functions for this width
 *
 * and include this file, the function bodies (math_f32.h, math_f64.h) and the loops (math_loops.h). Everything here
 * is +, -, *, /, sqrt, conversions and integer work, each rounded once by IEEE 754, so the levels agree in every bit
 * as long as no product and sum are contracted into a fused operation (-ffp-contract=off). */
#ifndef TW_VEC_MATH_LANES_H
#define TW_VEC_MATH_LANES_H

#ifdef __SSE2__
#include <immintrin.h>
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "core/vec/math.h"

#define TW__CAT_(a, b) a##b
#define TW__CAT(a, b)  TW__CAT_(a, b)

#define TW__LANES64 (TW__LANES / 2)
#define INLINE      static inline __attribute__((always_inline, unused))

typedef float vf __attribute__((vector_size(TW__LANES * 4)));
typedef double vd __attribute__((vector_size(TW__LANES * 4)));
typedef int32_t vi __attribute__((vector_size(TW__LANES * 4))); /* also the masks of vf: all ones or all zeros */
typedef uint32_t vu __attribute__((vector_size(TW__LANES * 4)));
typedef int64_t vl __attribute__((vector_size(TW__LANES * 4))); /* also the masks of vd */
typedef uint64_t vm __attribute__((vector_size(TW__LANES * 4)));
typedef struct vd2 {
    vd lo, hi;
} vd2; /* the lanes of one vf, widened */

#define NAN_F32  0x7fc00000
#define NAN_F64  INT64_C(0x7ff8000000000000)
#define SIGN_F32 INT32_MIN
#define SIGN_F64 INT64_MIN

/* Lane type and count as they stand in SLEEF's names. */
#if TW__LANES == 16
#define TW__WIDTH_F32 f16
#define TW__WIDTH_F64 d8
#elif TW__LANES == 8
#define TW__WIDTH_F32 f8
#define TW__WIDTH_F64 d4
#else
#define TW__WIDTH_F32 f4
#define TW__WIDTH_F64 d2
#endif

INLINE vf select_f32(vi mask, vf yes, vf no)
{
    return (vf)((mask & (vi)yes) | (~mask & (vi)no));
}
INLINE vd select_f64(vl mask, vd yes, vd no)
{
    return (vd)((mask & (vl)yes) | (~mask & (vl)no));
}

/* --- what the instruction sets spell differently ------------------------------------------------------------- */

/* The operand order of the min and max instructions matters: with the constant first, a NaN lane stays NaN. */
#if TW__LANES == 16
INLINE bool any_f32(vi mask)
{
    return _mm512_movepi32_mask((__m512i)mask) != 0;
}
INLINE bool any_f64(vl mask)
{
    return _mm512_movepi64_mask((__m512i)mask) != 0;
}
INLINE vf at_least_f32(vf x, float low)
{
    return _mm512_max_ps(_mm512_set1_ps(low), x);
}
INLINE vf at_most_f32(vf x, float high)
{
    return _mm512_min_ps(_mm512_set1_ps(high), x);
}
INLINE vd at_least_f64(vd x, double low)
{
    return _mm512_max_pd(_mm512_set1_pd(low), x);
}
INLINE vd at_most_f64(vd x, double high)
{
    return _mm512_min_pd(_mm512_set1_pd(high), x);
}
INLINE vd sqrt_f64(vd x)
{
    return _mm512_sqrt_pd(x);
}
INLINE vd2 widen(vf x)
{
    return (vd2){ _mm512_cvtps_pd(_mm512_castps512_ps256(x)), _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)) };
}
INLINE vf narrow(vd2 x)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(x.lo)), _mm512_cvtpd_ps(x.hi), 1);
}
INLINE vd truncate(vd x)
{
    return _mm512_cvtepi32_pd(_mm512_cvttpd_epi32(x));
} /* |x| < 2^31 */
#elif TW__LANES == 8
INLINE bool any_f32(vi mask)
{
    return _mm256_movemask_ps((__m256)mask) != 0;
}
INLINE bool any_f64(vl mask)
{
    return _mm256_movemask_pd((__m256d)mask) != 0;
}
INLINE vf at_least_f32(vf x, float low)
{
    return _mm256_max_ps(_mm256_set1_ps(low), x);
}
INLINE vf at_most_f32(vf x, float high)
{
    return _mm256_min_ps(_mm256_set1_ps(high), x);
}
INLINE vd at_least_f64(vd x, double low)
{
    return _mm256_max_pd(_mm256_set1_pd(low), x);
}
INLINE vd at_most_f64(vd x, double high)
{
    return _mm256_min_pd(_mm256_set1_pd(high), x);
}
INLINE vd sqrt_f64(vd x)
{
    return _mm256_sqrt_pd(x);
}
INLINE vd2 widen(vf x)
{
    return (vd2){ _mm256_cvtps_pd(_mm256_castps256_ps128(x)), _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)) };
}
INLINE vf narrow(vd2 x)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(x.lo)), _mm256_cvtpd_ps(x.hi), 1);
}
INLINE vd truncate(vd x)
{
    return _mm256_cvtepi32_pd(_mm256_cvttpd_epi32(x));
}
#elif defined(__SSE2__)
INLINE bool any_f32(vi mask)
{
    return _mm_movemask_ps((__m128)mask) != 0;
}
INLINE bool any_f64(vl mask)
{
    return _mm_movemask_pd((__m128d)mask) != 0;
}
INLINE vf at_least_f32(vf x, float low)
{
    return _mm_max_ps(_mm_set1_ps(low), x);
}
INLINE vf at_most_f32(vf x, float high)
{
    return _mm_min_ps(_mm_set1_ps(high), x);
}
INLINE vd at_least_f64(vd x, double low)
{
    return _mm_max_pd(_mm_set1_pd(low), x);
}
INLINE vd at_most_f64(vd x, double high)
{
    return _mm_min_pd(_mm_set1_pd(high), x);
}
INLINE vd sqrt_f64(vd x)
{
    return _mm_sqrt_pd(x);
}
INLINE vd2 widen(vf x)
{
    return (vd2){ _mm_cvtps_pd(x), _mm_cvtps_pd(_mm_movehl_ps(x, x)) };
}
INLINE vf narrow(vd2 x)
{
    return _mm_movelh_ps(_mm_cvtpd_ps(x.lo), _mm_cvtpd_ps(x.hi));
}
INLINE vd truncate(vd x)
{
    return _mm_cvtepi32_pd(_mm_cvttpd_epi32(x));
}
#else /* other processors, in C's vector extensions */
typedef float vh __attribute__((vector_size(TW__LANES * 2))); /* half of a vf */
INLINE bool any_f64(vl mask)
{
    int64_t any = 0;
    for (int k = 0; k < TW__LANES64; k++) any |= mask[k];
    return any != 0;
}
INLINE bool any_f32(vi mask)
{
    return any_f64((vl)mask);
}
INLINE vf at_least_f32(vf x, float low)
{
    return select_f32(x < low, (vf){ 0 } + low, x);
}
INLINE vf at_most_f32(vf x, float high)
{
    return select_f32(x > high, (vf){ 0 } + high, x);
}
INLINE vd at_least_f64(vd x, double low)
{
    return select_f64(x < low, (vd){ 0 } + low, x);
}
INLINE vd at_most_f64(vd x, double high)
{
    return select_f64(x > high, (vd){ 0 } + high, x);
}
INLINE vd sqrt_f64(vd x)
{
    for (int k = 0; k < TW__LANES64; k++) x[k] = __builtin_sqrt(x[k]);
    return x;
}
INLINE vd2 widen(vf x)
{
    vh half[2];
    memcpy(half, &x, sizeof x);
    return (vd2){ __builtin_convertvector(half[0], vd), __builtin_convertvector(half[1], vd) };
}
INLINE vf narrow(vd2 x)
{
    vh half[2] = { __builtin_convertvector(x.lo, vh), __builtin_convertvector(x.hi, vh) };
    vf both;
    memcpy(&both, half, sizeof both);
    return both;
}
INLINE vd truncate(vd x)
{
    return __builtin_convertvector(__builtin_convertvector(x, vl), vd);
}
#endif

/* --- lanes of floats ----------------------------------------------------------------------------------------- */

INLINE vf abs_f32(vf x)
{
    return (vf)((vi)x & INT32_MAX);
}
INLINE vf copysign_f32(vf x, vf sign)
{
    return (vf)(((vi)x & INT32_MAX) | ((vi)sign & SIGN_F32));
}
INLINE vf canonical_f32(vf x)
{
    // NOLINTNEXTLINE(misc-redundant-expression): NaN differs from itself, and isnan() knows no vectors.
    return select_f32(x != x, (vf)((vi){ 0 } + NAN_F32), x);
}
/* f(x) = x to the last bit below `limit`; `y` holds f(x), a unit or so off there. */
INLINE vf identity_below_f32(vf x, float limit, vf y)
{
    return select_f32(abs_f32(x) < limit, x, y);
}

/* --- lanes of doubles ---------------------------------------------------------------------------------------- */

INLINE vd abs_f64(vd x)
{
    return (vd)((vl)x & INT64_MAX);
}
INLINE vd copysign_f64(vd x, vd sign)
{
    return (vd)(((vl)x & INT64_MAX) | ((vl)sign & SIGN_F64));
}
INLINE vd canonical_f64(vd x)
{
    // NOLINTNEXTLINE(misc-redundant-expression): NaN differs from itself, and isnan() knows no vectors.
    return select_f64(x != x, (vd)((vl){ 0 } + NAN_F64), x);
}
INLINE vd identity_below_f64(vd x, double limit, vd y)
{
    return select_f64(abs_f64(x) < limit, x, y);
}

/* math.c: fmod by integers, for the lanes where no short form is exact. */
double tw__math_fmod_exact(double x, double y);

/* --- SLEEF: the deterministic functions without FMA ("cinz"), one bit pattern at every width -------------------- */

/* X(op, accuracy): what we take from SLEEF; u10 = 1.0 ulp, u15 = 1.5 ulp, u05 = 0.5 ulp by its manual. */
// clang-format off
#define TW__SLEEF_BOTH(X)                                                                                      \
    X(exp2, u10) X(exp10, u10) X(sin, u10) X(cos, u10) X(tan, u10) X(asin, u10) X(acos, u10) X(atan, u10)      \
    X(erf, u10) X(cbrt, u10)
#define TW__SLEEF_ONLY_F64(X)                                                                                  \
    X(exp, u10) X(expm1, u10) X(log, u10) X(log2, u10) X(log10, u10) X(log1p, u10) X(sinh, u10) X(cosh, u10)   \
    X(tanh, u10) X(asinh, u10) X(acosh, u10) X(atanh, u10) X(erfc, u15)
// clang-format on
#define TW__PASTE_(op, width, accuracy, isa) Sleef_cinz_##op##width##_##accuracy##isa
#define TW__PASTE(op, width, accuracy, isa)  TW__PASTE_(op, width, accuracy, isa)
#define TW__SLEEF_F32(op, accuracy)          TW__PASTE(op, TW__WIDTH_F32, accuracy, TW__SLEEF)
#define TW__SLEEF_F64(op, accuracy)          TW__PASTE(op, TW__WIDTH_F64, accuracy, TW__SLEEF)

/* Declared here rather than by <sleef.h>, which hides widths that the command line's -m options do not name. */
#define DECLARE_F32(op, accuracy)              \
    vf TW__SLEEF_F32(op, accuracy)(vf);        \
    INLINE vf sleef_##op##_f32(vf x)           \
    {                                          \
        return TW__SLEEF_F32(op, accuracy)(x); \
    }
#define DECLARE_F64(op, accuracy)              \
    vd TW__SLEEF_F64(op, accuracy)(vd);        \
    INLINE vd sleef_##op##_f64(vd x)           \
    {                                          \
        return TW__SLEEF_F64(op, accuracy)(x); \
    }
TW__SLEEF_BOTH(DECLARE_F32)
TW__SLEEF_BOTH(DECLARE_F64)
TW__SLEEF_ONLY_F64(DECLARE_F64)
#undef DECLARE_F32
#undef DECLARE_F64
vd TW__SLEEF_F64(hypot, u05)(vd, vd);
vf TW__SLEEF_F32(pow, u10)(vf, vf);
vd TW__SLEEF_F64(pow, u10)(vd, vd);
vf TW__SLEEF_F32(atan2, u10)(vf, vf);
vd TW__SLEEF_F64(atan2, u10)(vd, vd);

#endif
