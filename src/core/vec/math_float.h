/* SPDX-License-Identifier: MIT */
/* Bodies of f32 functions in float arithmetic alone, for operands of the usual size: within a unit of the last place,
 * at half the time of a way through double or less. Each also says which lanes it does not answer for (`odd`):
 * infinities, NaN, results near the ends of the range; WITH_RARE gives those to a slower function, lane by lane, so
 * that neighbours do not show. Coefficients are minimax fits (Lawson, one rounded after the other) of the function
 * named beside them; ranges and measured errors are in docs/vec-math.md.
 *
 * How the last bit is kept without fused operations: what is large in a result is a sum of terms that are exact
 * (`hi`, an exponent times a short constant), and everything that was rounded is small beside it. */
#ifndef TW_VEC_MATH_FLOAT_H
#define TW_VEC_MATH_FLOAT_H

#include "core/vec/math_lanes.h"

/* --- masks of lanes, and a fused operation where it changes nothing -------------------------------------------- */

#if TW__LANES == 16
typedef __mmask16 vk;
INLINE bool any_k(vk k)
{
    return k != 0;
}
INLINE vk above_bits(vi a, int32_t limit)
{
    return _mm512_cmpgt_epi32_mask((__m512i)a, _mm512_set1_epi32(limit));
}
INLINE vk below_f32(vf a, float limit)
{
    return _mm512_cmp_ps_mask(a, _mm512_set1_ps(limit), _CMP_LT_OQ);
}
INLINE vf blend_f32(vk k, vf yes, vf no)
{
    return _mm512_mask_blend_ps(k, no, yes);
}
INLINE vk odd_bits(vu x) /* where the lowest bit is set */
{
    return _mm512_test_epi32_mask((__m512i)x, _mm512_set1_epi32(1));
}
INLINE vf sqrt_f32(vf x)
{
    return _mm512_sqrt_ps(x);
}
#else
typedef vi vk;
INLINE bool any_k(vk k)
{
    return any_f32(k);
}
INLINE vk above_bits(vi a, int32_t limit)
{
    return a > limit;
}
INLINE vk below_f32(vf a, float limit)
{
    return a < limit;
}
INLINE vk odd_bits(vu x)
{
    return (vi)(x << 31) >> 31;
}
#if TW__LANES == 8
INLINE vf blend_f32(vk k, vf yes, vf no)
{
    return _mm256_blendv_ps(no, yes, (__m256)k);
}
INLINE vf sqrt_f32(vf x)
{
    return _mm256_sqrt_ps(x);
}
#else
INLINE vf blend_f32(vk k, vf yes, vf no)
{
    return select_f32(k, yes, no);
}
INLINE vf sqrt_f32(vf x)
{
#ifdef __SSE2__
    return _mm_sqrt_ps(x);
#else
    for (int i = 0; i < TW__LANES; i++) x[i] = __builtin_sqrtf(x[i]);
    return x;
#endif
}
#endif
#endif

/* a - b c and a + b c where the product has a float: one rounding, fused or not. */
INLINE vf less_exact(vf a, vf b, vf c)
{
#if TW__LANES == 16
    return _mm512_fnmadd_ps(b, c, a);
#elif TW__LANES == 8
    return _mm256_fnmadd_ps(b, c, a);
#else
    return a - b * c;
#endif
}

/* a b + c where that has a float: what division or a square root left over */
INLINE vf remainder_of(vf a, vf b, vf c)
{
#if TW__LANES >= 8
    return -less_exact(-c, a, b);
#else /* products of halves of 12 bits are exact, and in this order sums too */
    vf a1 = (vf)((vu)a & 0xfffff000), a2 = a - a1, b1 = (vf)((vu)b & 0xfffff000), b2 = b - b1;
    return ((a1 * b1 + c) + a1 * b2 + a2 * b1) + a2 * b2;
#endif
}

INLINE vf all_f32(float x)
{
    return (vf){ 0 } + x;
}
INLINE vk outside_magnitude(vf x, int32_t limit) /* of the bits of |x|: NaN is outside */
{
    return above_bits((vi)x & INT32_MAX, limit);
}
/* x times 2^k, which stays a normal number; the low bits of `shifted` are k */
INLINE vf times_power(vf x, vf shifted)
{
    return (vf)((vu)x + ((vu)shifted << 23));
}
#define ROUNDS_TO_INTEGER 0x1.8p23f /* a sum with it has an integer in its low mantissa bits */

/* --- exponentials ---------------------------------------------------------------------------------------------- */

/* 2^k e^r with k = round(x log2 e), r = x - k ln 2.
 * k C1 is exact (C1 has 15 bits) and so is x - k C1; only k C2 rounds, and it enters next to the small terms, so the
 * error is mostly the rounding of the two last sums: 0.87 ulp. e^r = 1 + r + r^2 q(r) for |r| <= ln 2 / 2. */
INLINE vf exp_less_one(vf x, vf *shifted)
{
    vf t = x * 0x1.715476p+0f + 0x1.8p23f; /* the sum's low mantissa bits are k */
    vf k = t - 0x1.8p23f;
    vf hi = less_exact(x, k, all_f32(0x1.62e4p-1f));
    vf lo = k * 0x1.7f7d1cp-20f;
    vf r = hi - lo;
    vf q = r * 0x1.6a1f62p-10f + 0x1.123ccap-7f;
    q = q * r + 0x1.555904p-5f;
    q = q * r + 0x1.55548ep-3f;
    q = q * r + 0x1.fffffcp-2f;
    *shifted = t;
    return hi + (q * (r * r) - lo);
}
INLINE vf exp_reduced(vf x, vf *shifted)
{
    return 1.0f + exp_less_one(x, shifted);
}

/* 2^x = 2^k (1 + r + r p(r)), r = x - k exact */
INLINE vf exp2_usual(vf x, vk *odd)
{
    *odd = outside_magnitude(x, 0x42fa0000); /* 125 */
    vf t = x + ROUNDS_TO_INTEGER;
    vf r = x - (t - ROUNDS_TO_INTEGER);
    vf p = r * 0x1.43fcd8p-13f + 0x1.5f5a30p-10f;
    p = p * r + 0x1.3b2a68p-7f;
    p = p * r + 0x1.c6aea0p-5f;
    p = p * r + 0x1.ebfbe0p-3f;
    p = p * r - 0x1.3a379ep-2f;
    return times_power(1.0f + (r + r * p), t);
}

/* 10^x = 2^k 10^r, r = hi - lo; 10^r = 1 + 2 r + r p(r) */
INLINE vf exp10_usual(vf x, vk *odd)
{
    *odd = outside_magnitude(x, 0x42140000); /* 37 */
    vf t = x * 0x1.a934f0p+1f + ROUNDS_TO_INTEGER;
    vf k = t - ROUNDS_TO_INTEGER;
    vf hi = less_exact(x, k, all_f32(0x1.344p-2f));
    vf lo = k * 0x1.3509f8p-18f;
    vf r = hi - lo;
    vf p = r * 0x1.a8fe04p-3f + 0x1.158fbap-1f;
    p = p * r + 0x1.2bd768p+0f;
    p = p * r + 0x1.046f52p+1f;
    p = p * r + 0x1.53524cp+1f;
    p = p * r + 0x1.35d8e4p-2f;
    return times_power(1.0f + ((hi + hi) + (r * p - (lo + lo))), t);
}

/* e^x - 1 = 2^k (hi + (r^2 / 2 + r^3 q - lo)) + (2^k - 1). The sum of the two large terms is kept in full: near -1/2
 * and 1/2 they cancel by a bit. */
INLINE vf expm1_usual(vf x, vk *odd)
{
    *odd = outside_magnitude(x + 35.0f, 0x424e0000); /* -86.5 to 16.5: there 2^k - 1 is exact, or 2^k nothing */
    vf t = x * 0x1.715476p+0f + ROUNDS_TO_INTEGER;
    vf k = t - ROUNDS_TO_INTEGER;
    vf hi = less_exact(x, k, all_f32(0x1.62e4p-1f));
    vf lo = k * 0x1.7f7d1cp-20f;
    vf r = hi - lo;
    vf q = r * 0x1.a26f96p-13f + 0x1.6d4f3ep-10f;
    q = q * r + 0x1.110ff0p-7f;
    q = q * r + 0x1.5554e6p-5f;
    q = q * r + 0x1.555556p-3f;
    vf square = r * r, tail = less_exact(r * square * q, square, all_f32(-0.5f));
    vf power = (vf)(((vu)t << 23) + 0x3f800000), less = power - 1.0f;
    vf main = hi * power, sum = less + main, rest = main - (sum - less);
    vf y = sum + (rest + (tail - lo) * power);
    return (vf)((vi)y | ((vi)x & SIGN_F32)); /* -0 stays */
}

/* --- logarithms ------------------------------------------------------------------------------------------------ */

/* Not positive and below 2^(1 + range), or not normal */
INLINE vk outside_range(vf x, int32_t range)
{
    return above_bits((vi)((vu)x + 0x7f800000), INT32_MIN + ((range + 127) << 23) - 1);
}
/* x = 2^e (1 + f) with 1 + f from `least` to twice that, exact; `least` given by its bits */
enum { NEAR_TWO_THIRDS = 0x3f2bc000, ROOT_OF_HALF = 0x3f3504f3 };
INLINE vf split_exponent(vf x, vu least, vf *e)
{
    vu bits = (vu)x;
    vu i = bits - least;
    *e = __builtin_convertvector((vi)i >> 23, vf);
    return (vf)(bits - (i & 0xff800000)) - 1.0f;
}
/* e high + main + tail, e high exact; `small` is what is left to add, smaller than tail. Of the first sum nothing is
 * lost: main is at most half of e high, or e is 0. */
INLINE vf log_sum(vf e, float high, vf small, vf main, vf tail)
{
    vf sum = less_exact(main, e, all_f32(-high));
    vf rest = main - less_exact(sum, e, all_f32(high));
    return sum + ((rest + small) + tail);
}

/* log(1 + f) - f */
INLINE vf log_tail(vf f)
{
    vf q = f * -0x1.38a7bep-4f + 0x1.055bf0p-3f;
    q = q * f - 0x1.0d874ap-3f;
    q = q * f + 0x1.22d9b6p-3f;
    q = q * f - 0x1.54720cp-3f;
    q = q * f + 0x1.99a016p-3f;
    q = q * f - 0x1.000228p-2f;
    q = q * f + 0x1.555554p-2f;
    vf square = f * f;
    return less_exact(f * square * q, square, all_f32(0.5f));
}
INLINE vf log_usual(vf x, vk *odd)
{
    *odd = outside_range(x, 127);
    vf e, f = split_exponent(x, (vu){ 0 } + ROOT_OF_HALF, &e);
    return log_sum(e, 0x1.62e4p-1f, e * 0x1.7f7d1cp-20f, f, log_tail(f));
}
/* f log2 e = 1.5 f - 0.057 f: the first has 24 bits and is exact */
INLINE vf log2_usual(vf x, vk *odd)
{
    *odd = outside_range(x, 127);
    vf e, f = split_exponent(x, (vu){ 0 } + NEAR_TWO_THIRDS, &e);
    vf q = f * -0x1.841ed8p-3f + 0x1.a063a4p-3f;
    q = q * f - 0x1.65f9a2p-3f;
    q = q * f + 0x1.9d08acp-3f;
    q = q * f - 0x1.ed0c0ep-3f;
    q = q * f + 0x1.27a65ap-2f;
    q = q * f - 0x1.7152b0p-2f;
    q = q * f + 0x1.ec6feep-2f;
    q = q * f - 0x1.c551e0p-3f;
    q = q * f + less_exact(all_f32(-0x1.d57132p-5f), f, all_f32(0.5f));
    vf sum = less_exact(e, f, all_f32(-1.5f));
    return sum + (less_exact(e - sum, f, all_f32(-1.5f)) + q * f);
}
/* f log10 e = 0.375 f + 0.059 f */
INLINE vf log10_usual(vf x, vk *odd)
{
    *odd = outside_range(x, 127);
    vf e, f = split_exponent(x, (vu){ 0 } + ROOT_OF_HALF, &e);
    vf q = f * -0x1.0ce9b2p-5f + 0x1.c8c8f0p-5f;
    q = q * f - 0x1.d70330p-5f;
    q = q * f + 0x1.f90022p-5f;
    q = q * f - 0x1.277de0p-4f;
    q = q * f + 0x1.63cb40p-4f;
    q = q * f - 0x1.bcbe40p-4f;
    q = q * f + 0x1.287a80p-3f;
    q = q * f + 0x1.0d2150p-5f;
    q = q * f + less_exact(all_f32(0x1.e5bd8ap-5f), f, all_f32(0.25f));
    return log_sum(e, 0x1.344p-2f, e * 0x1.3509f8p-18f, f * 0.375f, q * f);
}

/* u = 1 + x = 2^e (1 + f); what u lost of x is small beside f, and counts 2^-e / (1 + f). */
INLINE vf log1p_usual(vf x, vk *odd)
{
    vf e, u = 1.0f + x, f = split_exponent(u, (vu){ 0 } + ROOT_OF_HALF, &e);
    *odd = outside_range(u, 125);
    vf lost = x - (u - 1.0f);
    vf scale = (vf)(0x3f800000 - ((vu) __builtin_convertvector(e, vi) << 23));
    vf small = e * 0x1.7f7d1cp-20f + lost * scale * ((1.0f - f) + f * f);
    vf y = log_sum(e, 0x1.62e4p-1f, small, f, log_tail(f));
    return (vf)((vi)y | ((vi)x & SIGN_F32)); /* -0 stays */
}

/* --- hyperbolic functions -------------------------------------------------------------------------------------- */

/* |x| = k ln 2 + r: 2^k / 2 and 2^-k / 2, and of e^r its even and odd part without 1 and hi */
typedef struct halves {
    vf up, down, hi, even, odd;
} halves;
INLINE halves exp_halves(vf a)
{
    vf t = a * 0x1.715476p+0f + ROUNDS_TO_INTEGER;
    vf k = t - ROUNDS_TO_INTEGER;
    vf hi = less_exact(a, k, all_f32(0x1.62e4p-1f));
    vf lo = k * 0x1.7f7d1cp-20f;
    vf r = hi - lo, z = r * r;
    vf even = (z * 0x1.6d4f3ep-10f + 0x1.5554e6p-5f) * z + 0.5f;
    vf odd = (z * 0x1.a2d962p-13f + 0x1.110fc2p-7f) * z + 0x1.555556p-3f;
    vu power = (vu)t << 23;
    return (halves){ (vf)(0x3f000000 + power), (vf)(0x3f000000 - power), hi, z * even, z * r * odd - lo };
}
/* (2^k e^r -+ 2^-k e^-r) / 2: the large terms first, what their sums and products lose with the small ones */
INLINE vf sinh_usual(vf x, vk *odd)
{
    *odd = outside_magnitude(x, 0x42ae0000); /* 87 */
    halves h = exp_halves(abs_f32(x));
    vf less = h.up - h.down, more = h.up + h.down, main = more * h.hi;
    vf sum = less + main, rest = (main - (sum - less)) + ((h.up - less) - h.down);
    rest = rest + remainder_of(more, h.hi, -main);
    vf y = sum + (rest + (less * h.even + more * h.odd));
    return (vf)((vi)y | ((vi)x & SIGN_F32));
}
INLINE vf cosh_usual(vf x, vk *odd)
{
    *odd = outside_magnitude(x, 0x42ae0000);
    halves h = exp_halves(abs_f32(x));
    vf less = h.up - h.down, more = h.up + h.down, main = h.up * h.hi;
    vf sum = more + main, rest = (main - (sum - more)) + (h.down - (more - h.up));
    return sum + (rest + ((more * h.even + less * h.odd) - h.down * h.hi));
}

/* x + x (z p - z / 4), z = x^2, and from 0.984 on 1 - 2 / (e^2x + 1), where the quotient is below 1/4 */
INLINE vf tanh_usual(vf x, vk *odd)
{
    *odd = outside_magnitude(x, 0x7f800000);
    vf t, a = abs_f32(x), z = a * a;
    vf p = z * -0x1.86073cp-12f + 0x1.3343ccp-9f;
    p = p * z - 0x1.061cfep-7f;
    p = p * z + 0x1.608fb8p-6f;
    p = p * z - 0x1.b9767ap-5f;
    p = p * z + 0x1.110c96p-3f;
    p = p * z - 0x1.555500p-4f;
    vf near = a + a * less_exact(z * p, z, all_f32(0.25f));
    vf b = at_most_f32(a, 10.0f), less = exp_less_one(b + b, &t), power = (vf)(((vu)t << 23) + 0x3f800000);
    vf far = 1.0f - 2.0f / ((power + 1.0f) + less * power);
    vf y = blend_f32(below_f32(a, 0.984375f), near, far);
    return (vf)((vi)y | ((vi)x & SIGN_F32));
}

/* --- error function, cube root --------------------------------------------------------------------------------- */

/* x + x P(x^2), and from 0.875 on 1 - 2^(V(x - 0.875) - 2), where V begins near 0: what it loses counts
 * most there. */
INLINE vf erf_usual(vf x, vk *odd)
{
    *odd = outside_magnitude(x, 0x7f800000);
    vf a = abs_f32(x), z = a * a;
    vf p = z * -0x1.4382f8p-11f + 0x1.49595ep-8f;
    p = p * z - 0x1.b6debap-6f;
    p = p * z + 0x1.ce1f76p-4f;
    p = p * z - 0x1.8126fep-2f;
    p = p * z + 0x1.06eba6p-3f;
    vf near = a + a * p;
    vf b = at_most_f32(a, 4.0f) - 0.875f;
    vf v = b * 0x1.2e019ep-12f - 0x1.801d00p-9f;
    v = v * b + 0x1.088608p-6f;
    v = v * b - 0x1.14c030p-4f;
    v = v * b - 0x1.314572p+0f;
    v = v * b - 0x1.c0c6bap+1f;
    v = v * b - 0x1.b0f18ep-3f;
    vf t = v + (ROUNDS_TO_INTEGER - 2.0f), r = v - (t - (ROUNDS_TO_INTEGER - 2.0f));
    vf q = r * 0x1.443216p-13f + 0x1.5f0bc0p-10f;
    q = q * r + 0x1.3b2a3cp-7f;
    q = q * r + 0x1.c6af76p-5f;
    q = q * r + 0x1.ebfbe0p-3f;
    q = q * r + 0x1.62e430p-1f;
    vf far = 1.0f - times_power(1.0f + q * r, t);
    vf y = blend_f32(below_f32(a, 0.875f), near, far);
    return (vf)((vi)y | ((vi)x & SIGN_F32));
}

/* a r^2 with r = a^(-1/3): from a guess at the bits of r, good to 4 %, by a step of fourth order in float and one of
 * third order in double. */
INLINE vd cbrt_step(vd a, vd r)
{
    vd y = a * (r * r), h = 1.0 - y * r;
    return y + y * h * (h * 0x1.1c71c71c71c72p-1 + 0x1.5555555555555p-1);
}
INLINE vf cbrt_usual(vf x, vk *odd)
{
    vf a = abs_f32(x);
    *odd = outside_range(a, 127);
    vf guess = __builtin_convertvector((vi)a, vf) * -0x1.555556p-2f + 0x1.528beap30f;
    vf r = (vf) __builtin_convertvector(guess, vi);
    vf h = 1.0f - a * r * r * r;
    r = r + r * (h * ((h * 0x1.61f9aep-3f + 0x1.c71c72p-3f) * h + 0x1.555556p-2f));
    vd2 wide = widen(a), root = widen(r);
    return copysign_f32(narrow((vd2){ cbrt_step(wide.lo, root.lo), cbrt_step(wide.hi, root.hi) }), x);
}

#endif
