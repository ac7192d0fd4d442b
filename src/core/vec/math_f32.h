/* SPDX-License-Identifier: MIT */
/* Bodies of the f32 functions on one vector of lanes: SLEEF's where they are right and fast enough, our own
 * elsewhere. exp is float arithmetic alone; the rest of ours goes through double, where a polynomial of 2^-32 or
 * better leaves the final rounding as the only error that shows, at half the time of float pairs or less.
 * Coefficients are minimax fits (Remez) of the function named beside them; ranges and measured errors are in
 * docs/vec-math.md. */
#ifndef TW_VEC_MATH_F32_H
#define TW_VEC_MATH_F32_H

#include "core/vec/math_circle.h"

INLINE vf exp_f32(vf x)
{
    vf t;
    /* Between e^-87 and e^87 nothing overflows or is subnormal: add k to the exponent field and be done. The other
     * path gives the same bits there, so a lane's result does not depend on its neighbours. */
    if (__builtin_expect(!any_f32(((vi)x & INT32_MAX) > 0x42ae0000), 1)) {
        vf y = exp_reduced(x, &t);
        return (vf)((vu)y + ((vu)t << 23));
    }
    vf y = exp_reduced(at_most_f32(at_least_f32(x, -104.0f), 89.0f), &t);
    vi k = (vi)((vu)t << 23) >> 23;
    vi half = k >> 1; /* two factors: 2^k alone may have no float; the first product is exact */
    y = y * (vf)((vu)(half + 127) << 23);
    y = y * (vf)((vu)(k - half + 127) << 23);
    return canonical_f32(y);
}

/* --- through double ------------------------------------------------------------------------------------------ */

/* x log2 e = k + r with |r| <= 1/2, x clamped to +-708 so that 2^k is a normal double; NaN stays. Returns r. */
INLINE vd reduce_near(vd x, vd *power)
{
    x = at_most_f64(at_least_f64(x, -708.0), 708.0);
    vd t = x * 0x1.71547652b82fep+0;
    vd shifted = t + 0x1.8p52; /* the sum's low mantissa bits are k */
    *power = (vd)(((vm)shifted << 52) + (UINT64_C(1023) << 52));
    return t - (shifted - 0x1.8p52);
}

/* e^x to 2^-34 */
INLINE vd exp_near(vd x)
{
    vd power, r = reduce_near(x, &power);
    vd p = r * 0x1.fe17576193467p-17 + 0x1.446a203dfbae0p-13;
    p = p * r + 0x1.5d8a70b8dbde3p-10;
    p = p * r + 0x1.3b29dc406a047p-7;
    p = p * r + 0x1.c6b08aaeef220p-5;
    p = p * r + 0x1.ebfbe0a4beb2cp-3;
    p = p * r + 0x1.62e42ff116568p-1;
    p = p * r + 0x1.ffffffffabbe0p-1;
    return p * power;
}

/* e^x - 1 to 2^-31 of itself: 2^k (2^r - 1) + (2^k - 1), cancelling by less than a bit (k = -1) */
INLINE vd expm1_near(vd x)
{
    vd power, r = reduce_near(x, &power);
    vd p = r * 0x1.ffcbbde92ad85p-17 + 0x1.443f61b1becc5p-13;
    p = p * r + 0x1.5d88bdc670b95p-10;
    p = p * r + 0x1.3b2a1c36eabbep-7;
    p = p * r + 0x1.c6b08cb15d8f8p-5;
    p = p * r + 0x1.ebfbe0452f62ep-3;
    p = p * r + 0x1.62e42fefd32c0p-1;
    return p * r * power + (power - 1.0);
}

/* e * scale + log(m) * scale_m for x = 2^e m, m in [sqrt(1/2), sqrt 2): the logarithm to any base, to 2^-37.
 * log(m) = 2 atanh(s), s = (m - 1) / (m + 1). As a float's logarithm: x is 0, infinite, NaN or a normal double. */
INLINE vd log_near(vd x, double scale, double scale_m)
{
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd); /* the bits of sqrt(1/2) */
    vm biased = ((vm)x - root + (UINT64_C(1023) << 52)) >> 52;
    vd e = (vd)(biased | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023.0);
    vd m = (vd)((vm)x - (biased << 52) + (UINT64_C(1023) << 52));
    vd s = (m - 1.0) / (m + 1.0), u = s * s;
    vd p = u * 0x1.e3b73b5c748b1p-3 + 0x1.24328e1a1f89cp-2;
    p = p * u + 0x1.999a9d5ac6048p-2;
    p = p * u + 0x1.555554da5169ap-1;
    p = p * u + 0x1.0000000004a7bp+1;
    vd y = e * scale + s * p * scale_m;
    y = select_f64(x == __builtin_inf(), x, y);
    vd outside = select_f64(x == 0.0, (vd){ 0 } - __builtin_inf(), (vd)((vl){ 0 } + NAN_F64));
    return select_f64(x > 0.0, y, outside);
}

/* log(1 + x) for 0 <= x <= 1, relative error 2^-38: 2 atanh(s), s = x / (2 + x) */
INLINE vd log1p_near(vd x)
{
    vd s = x / (2.0 + x), u = s * s;
    vd p = u * 0x1.c038d94961e61p-3 + 0x1.5e8045f1351ebp-3;
    p = p * u + 0x1.c8d45d6108715p-3;
    p = p * u + 0x1.2489885135cb4p-2;
    p = p * u + 0x1.9999c3c66d955p-2;
    p = p * u + 0x1.5555552f5fdf2p-1;
    p = p * u + 0x1.0000000002c87p+1;
    return s * p;
}

/* e^(a^2) erfc(a) for 0 <= a <= 10.5 (past the smallest float) to 2^-35, a polynomial in (a - 5/2) / (a + 5/2) */
INLINE vd erfcx_near(vd a)
{
    vd s = (a - 2.5) / (a + 2.5);
    vd p = s * 0x1.96169c0998828p-18 + 0x1.017658fbd2ef5p-16;
    p = p * s - 0x1.1c78cafe9783ap-15;
    p = p * s - 0x1.0a454691b2891p-13;
    p = p * s + 0x1.df2f381e131f5p-13;
    p = p * s + 0x1.caefafe050176p-11;
    p = p * s - 0x1.5a58a088eb463p-9;
    p = p * s - 0x1.05b9c332c4225p-8;
    p = p * s + 0x1.470ba47a495d2p-5;
    p = p * s - 0x1.001154fa18804p-3;
    p = p * s + 0x1.01c11a71b2db8p-2;
    p = p * s - 0x1.7ca88dea40c0dp-2;
    p = p * s + 0x1.afbb3f3b6f2f5p-3;
    return p;
}

INLINE vd erfc_near(vd x)
{
    vd a = at_most_f64(abs_f64(x), 26.0);
    vd y = exp_near(-(a * a)) * erfcx_near(a);
    return select_f64(x < 0.0, 2.0 - y, y);
}

/* scale / (1 + e^-z); no cancellation and no overflow on either side */
INLINE vd logistic_near(vd z, vd scale)
{
    vd e = exp_near(-abs_f64(z));
    return scale * select_f64(z < 0.0, e, (vd){ 0 } + 1.0) / (1.0 + e);
}

INLINE vd sigmoid_near(vd x)
{
    return logistic_near(x, (vd){ 0 } + 1.0);
}
/* The factor x stops at -200, where the other one is below 2^-280: -inf gives -0, not NaN. */
INLINE vd silu_near(vd x)
{
    return logistic_near(x, at_least_f64(x, -200.0));
}
INLINE vd gelu_tanh_near(vd x)
{
    /* (1 + tanh u) / 2 = 1 / (1 + e^-2u), 2u = 2 sqrt(2 / pi) (x + 0.044715 x^3) */
    return logistic_near(x * (0x1.9884533d43651p+0 + 0x1.2444f2a4d8b4bp-4 * (x * x)), at_least_f64(x, -200.0));
}
INLINE vd gelu_erf_near(vd x)
{
    vd a = at_most_f64(abs_f64(x), 30.0);
    vd tail = 0.5 * exp_near(-0.5 * (a * a)) * erfcx_near(a * 0x1.6a09e667f3bcdp-1);
    return at_least_f64(x, -30.0) * select_f64(x < 0.0, tail, 1.0 - tail);
}
INLINE vd softplus_near(vd x)
{
    return at_least_f64(x, 0.0) + log1p_near(exp_near(-abs_f64(x)));
}

INLINE vd ln_near(vd x)
{
    return log_near(x, 0x1.62e42fefa39efp-1, 1.0);
}
INLINE vd log2_near(vd x)
{
    return log_near(x, 1.0, 0x1.71547652b82fep+0);
}
INLINE vd log10_near(vd x)
{
    return log_near(x, 0x1.34413509f79ffp-2, 0x1.bcb7b1526e50ep-2);
}
INLINE vd log1p_any_near(vd x)
{
    return ln_near(1.0 + x);
} /* the sum is exact for floats from 2^-29 up */
INLINE vd asinh_near(vd x)
{
    vd a = abs_f64(x);
    return copysign_f64(ln_near(a + sqrt_f64(a * a + 1.0)), x);
}
INLINE vd acosh_near(vd x)
{
    vd y = ln_near(x + sqrt_f64(x * x - 1.0));
    return select_f64(x >= 1.0, y, (vd)((vl){ 0 } + NAN_F64)); /* far below 1 the sum is 0, not negative */
}
INLINE vd atanh_near(vd x)
{
    vd a = abs_f64(x);
    return copysign_f64(0.5 * ln_near((1.0 + a) / (1.0 - a)), x);
}

INLINE vd sinh_near(vd x)
{
    vd u = expm1_near(abs_f64(x));
    return copysign_f64(0.5 * (u + u / (u + 1.0)), x);
}
INLINE vd cosh_near(vd x)
{
    vd e = exp_near(abs_f64(x));
    return 0.5 * (e + 1.0 / e);
}
INLINE vd tanh_near(vd x)
{
    vd u = expm1_near(-2.0 * abs_f64(x));
    return copysign_f64(u / (u + 2.0), x);
}

INLINE vf through_f64(vf x, vd (*body)(vd))
{
    vd2 wide = widen(x);
    return narrow((vd2){ body(wide.lo), body(wide.hi) });
}
#define THROUGH_F64(op, body)                       \
    INLINE vf op##_f32(vf x)                        \
    {                                               \
        return canonical_f32(through_f64(x, body)); \
    }
THROUGH_F64(acosh, acosh_near)
THROUGH_F64(erfc, erfc_near)
THROUGH_F64(sigmoid, sigmoid_near)
THROUGH_F64(silu, silu_near)
THROUGH_F64(gelu_erf, gelu_erf_near)
THROUGH_F64(gelu_tanh, gelu_tanh_near)
THROUGH_F64(softplus, softplus_near)
#undef THROUGH_F64

/* f(x) = x (1 + O(x)) or x (1 + O(x^2)): x itself is the rounded result below `limit`, and keeps its sign of zero. */
#define ODD(op, body, limit)                                                      \
    INLINE vf op##_f32(vf x)                                                      \
    {                                                                             \
        return canonical_f32(identity_below_f32(x, limit, through_f64(x, body))); \
    }
ODD(asinh, asinh_near, 0x1p-13f)
ODD(atanh, atanh_near, 0x1p-13f)
#undef ODD

/* --- float arithmetic, and for lanes that are not usual what stands above --------------------------------------- */

#define WITH_RARE(op, slower)                                                     \
    static __attribute__((noinline, cold)) vf op##_rare(vf x)                     \
    {                                                                             \
        return canonical_f32(slower);                                             \
    }                                                                             \
    INLINE vf op##_f32(vf x)                                                      \
    {                                                                             \
        vk odd;                                                                   \
        vf y = op##_usual(x, &odd);                                               \
        if (__builtin_expect(any_k(odd), 0)) y = blend_f32(odd, op##_rare(x), y); \
        return y;                                                                 \
    }
WITH_RARE(exp2, sleef_exp2_f32(x))
WITH_RARE(exp10, sleef_exp10_f32(x))
WITH_RARE(expm1, through_f64(x, expm1_near))
WITH_RARE(log, through_f64(x, ln_near))
WITH_RARE(log2, through_f64(x, log2_near))
WITH_RARE(log10, through_f64(x, log10_near))
WITH_RARE(log1p, through_f64(x, log1p_any_near))
WITH_RARE(sinh, through_f64(x, sinh_near))
WITH_RARE(cosh, through_f64(x, cosh_near))
WITH_RARE(tanh, through_f64(x, tanh_near))
WITH_RARE(erf, sleef_erf_f32(x))
WITH_RARE(sin, sleef_sin_f32(x))
WITH_RARE(cos, sleef_cos_f32(x))
WITH_RARE(tan, sleef_tan_f32(x))
WITH_RARE(asin, sleef_asin_f32(x))
WITH_RARE(acos, sleef_acos_f32(x))
WITH_RARE(atan, sleef_atan_f32(x))
WITH_RARE(cbrt, sleef_cbrt_f32(x))
#undef WITH_RARE

/* --- two arguments ------------------------------------------------------------------------------------------- */

INLINE vf pow_f32(vf x, vf y)
{
    return canonical_f32(TW__SLEEF_F32(pow, u10)(x, y));
}

INLINE vf atan2_f32(vf y, vf x)
{
    /* y / x itself when it is small: SLEEF is a unit off when the quotient is subnormal */
    vi small = abs_f32(y) < x * 0x1p-13f;
    return canonical_f32(select_f32(small, y / x, TW__SLEEF_F32(atan2, u10)(y, x)));
}

/* |x| mod |y| where |x / y| < 2^28 and y is finite: the quotient's integer part is at most one too large, and its
 * product with y fits a double. */
INLINE vd fmod_near(vd x, vd y)
{
    vd r = x - truncate(x / y) * y;
    return select_f64(r < 0.0, r + y, r);
}

INLINE vf fmod_f32(vf x, vf y)
{
    vd2 a = widen(abs_f32(x)), b = widen(abs_f32(y));
    vl far_lo = ~((a.lo < b.lo * 0x1p28) & (b.lo < __builtin_inf()));
    vl far_hi = ~((a.hi < b.hi * 0x1p28) & (b.hi < __builtin_inf()));
    vf r = copysign_f32(narrow((vd2){ fmod_near(a.lo, b.lo), fmod_near(a.hi, b.hi) }), x);
    if (__builtin_expect(any_f64(far_lo | far_hi), 0))
        for (int i = 0; i < TW__LANES; i++)
            if (i < TW__LANES64 ? far_lo[i] : far_hi[i - TW__LANES64])
                r[i] = (float)tw__math_fmod_exact((double)x[i], (double)y[i]);
    return r;
}

INLINE vd hypot_near(vd x, vd y)
{
    return sqrt_f64(x * x + y * y);
}
INLINE vf hypot_f32(vf x, vf y)
{
    vd2 a = widen(x), b = widen(y);
    vf r = canonical_f32(narrow((vd2){ hypot_near(a.lo, b.lo), hypot_near(a.hi, b.hi) }));
    vi infinite = (abs_f32(x) == __builtin_inff()) | (abs_f32(y) == __builtin_inff()); /* even beside a NaN */
    return select_f32(infinite, (vf){ 0 } + __builtin_inff(), r);
}

#endif
