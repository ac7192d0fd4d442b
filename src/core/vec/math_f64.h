/* SPDX-License-Identifier: MIT */
/* Bodies of the f64 functions on one vector of lanes: SLEEF's, mended at their ends, and the activations built on
 * them. Where an argument is computed before it enters an exponential, it is carried as a sum of two doubles:
 * a relative error of 2^-53 in z is one of z * 2^-53 in e^z. */
#ifndef TW_VEC_MATH_F64_H
#define TW_VEC_MATH_F64_H

#include "core/vec/math_lanes.h"

/* a * b and the error of that product (up to 2^-106 of it), without a fused operation: Dekker's split by masking */
INLINE vd product(vd a, vd b, vd *error)
{
    const int64_t upper = ~INT64_C(0x7ffffff);
    vd ah = (vd)((vl)a & upper), bh = (vd)((vl)b & upper), al = a - ah, bl = b - bh;
    vd p = a * b;
    *error = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return p;
}

#define PLAIN(op)                                  \
    INLINE vd op##_f64(vd x)                       \
    {                                              \
        return canonical_f64(sleef_##op##_f64(x)); \
    }
PLAIN(exp)
PLAIN(exp2)
PLAIN(exp10)
PLAIN(expm1)
PLAIN(log)
PLAIN(log2)
PLAIN(log10)
PLAIN(sin)
PLAIN(cos)
PLAIN(asin)
PLAIN(acos)
PLAIN(atan)
PLAIN(erfc)
PLAIN(cbrt)
#undef PLAIN

/* x below 2^-27: the next term of the series is x^3 / 3, under a tenth of a unit */
INLINE vd tan_f64(vd x)
{
    return canonical_f64(identity_below_f64(x, 0x1p-27, sleef_tan_f64(x)));
}
INLINE vd tanh_f64(vd x)
{
    return canonical_f64(identity_below_f64(x, 0x1p-27, sleef_tanh_f64(x)));
}
INLINE vd atanh_f64(vd x)
{
    return canonical_f64(identity_below_f64(x, 0x1p-27, sleef_atanh_f64(x)));
}

INLINE vd log1p_f64(vd x)
{
    vd y = sleef_log1p_f64(x);
    vl large = x > 0x1p60;
    if (any_f64(large)) y = select_f64(large, sleef_log_f64(x), y);
    return canonical_f64(identity_below_f64(x, 0x1p-54, y));
}

/* e^a / 2 for a > 709, where e^a may overflow: e^(a - 1023 ln 2) 2^1022 */
INLINE vd half_exp_f64(vd a)
{
    vd d = at_most_f64(a, 720.0) - 0x1.628b76e3a7b61p+9; /* exact */
    vd r = d + 0x1.19508762aa710p-45;
    vd y = sleef_exp_f64(r);
    y = y + y * ((d - r) + 0x1.19508762aa710p-45);
    return y * 0x1p1022;
}

INLINE vd sinh_f64(vd x)
{
    vd y = sleef_sinh_f64(x), a = abs_f64(x);
    vl large = a > 709.0;
    if (any_f64(large)) y = select_f64(large, copysign_f64(half_exp_f64(a), x), y);
    return canonical_f64(identity_below_f64(x, 0x1p-27, y));
}

INLINE vd cosh_f64(vd x)
{
    vd y = sleef_cosh_f64(x), a = abs_f64(x);
    vl large = a > 709.0;
    if (any_f64(large)) y = select_f64(large, half_exp_f64(a), y);
    return canonical_f64(y);
}

/* log(2a) for a > 2^60 */
INLINE vd log_twice_f64(vd a)
{
    return sleef_log_f64(a) + 0x1.62e42fefa39efp-1;
}

INLINE vd asinh_f64(vd x)
{
    vd y = sleef_asinh_f64(x), a = abs_f64(x);
    vl large = a > 0x1p60;
    if (any_f64(large)) y = select_f64(large, copysign_f64(log_twice_f64(a), x), y);
    return canonical_f64(identity_below_f64(x, 0x1p-27, y));
}

INLINE vd acosh_f64(vd x)
{
    vd y = sleef_acosh_f64(x);
    vl large = x > 0x1p60;
    if (any_f64(large)) y = select_f64(large, log_twice_f64(x), y);
    return canonical_f64(y);
}

INLINE vd erf_f64(vd x)
{
    vd small = x + x * 0x1.06eba8214db69p-3; /* 2 / sqrt(pi) - 1 */
    return canonical_f64(select_f64(abs_f64(x) < 0x1p-28, small, sleef_erf_f64(x)));
}

/* --- activations --------------------------------------------------------------------------------------------- */

/* scale / (1 + e^-(z + z_low)), z_low being the small part of z */
INLINE vd logistic_f64(vd z, vd z_low, vd scale)
{
    vd a = abs_f64(z), low = (vd)((vl)z_low ^ ((vl)z & SIGN_F64));
    vd e = sleef_exp_f64(-a);
    e = e - e * low;
    vd y = scale * select_f64(z < 0.0, e, (vd){ 0 } + 1.0) / (1.0 + e);
    /* scale e^z where e^z alone is subnormal or nearly so: in two halves, which keep all their bits */
    vl deep = z < -700.0;
    if (any_f64(deep)) {
        vd half = sleef_exp_f64(-0.5 * a);
        half = half - half * (0.5 * low);
        y = select_f64(deep, (scale * half) * half, y);
    }
    return y;
}

INLINE vd sigmoid_f64(vd x)
{
    return canonical_f64(logistic_f64(x, (vd){ 0 }, (vd){ 0 } + 1.0));
}
/* The factor x stops where the other one is zero: -inf gives -0, not NaN. */
INLINE vd silu_f64(vd x)
{
    return canonical_f64(logistic_f64(x, (vd){ 0 }, at_least_f64(x, -2000.0)));
}

INLINE vd gelu_tanh_f64(vd x)
{
    /* z = x (c1 + c3 x^2), c1 = 2 sqrt(2 / pi), c3 = 0.044715 c1; all in pairs of doubles */
    const vd c1 = (vd){ 0 } + 0x1.9884533d43651p+0, c3 = (vd){ 0 } + 0x1.2444f2a4d8b4bp-4;
    vd t = at_most_f64(at_least_f64(x, -40.0), 40.0), p_low, q_low, z_low;
    vd p = product(t, t, &p_low);
    vd q = product(c3, p, &q_low);
    q_low = q_low + c3 * p_low - 0x1.6c843a29d1c70p-61 * p;
    vd s = c1 + q, from_q = s - c1;
    vd s_low = ((c1 - (s - from_q)) + (q - from_q)) + (q_low - 0x1.cbc0d30ebfd15p-54);
    vd z = product(t, s, &z_low);
    return canonical_f64(logistic_f64(z, z_low + t * s_low, at_least_f64(x, -40.0)));
}

/* gelu_erf for x < -36, where erfc would be subnormal before the product with x is: by the asymptotic series
 *     x erfc(-x / sqrt 2) / 2 = -e^(-x^2 / 2) / sqrt(2 pi) (1 - v + 3 v^2 - 15 v^3 + ...),  v = 1 / x^2 */
INLINE vd gelu_erf_tail(vd x)
{
    vd square_low, t = at_least_f64(x, -60.0);
    vd square = product(t, t, &square_low), v = 1.0 / square;
    vd series = 10395.0 * v - 945.0;
    series = series * v + 105.0;
    series = series * v - 15.0;
    series = series * v + 3.0;
    series = series * v - 1.0;
    series = series * v + 1.0;
    vd half = sleef_exp_f64(-0.25 * square); /* squared last, so that it keeps its bits */
    half = half - half * (0.25 * square_low);
    return -0x1.9884533d43651p-2 * series * half * half;
}

INLINE vd gelu_erf_f64(vd x)
{
    /* x erfc(-(h + l)) / 2 with h + l = x / sqrt 2; the derivative of erfc takes care of l */
    const vd c = (vd){ 0 } + 0x1.6a09e667f3bcdp-1;
    vd t = at_most_f64(at_least_f64(x, -60.0), 60.0), l;
    vd h = product(t, c, &l);
    l = l - t * 0x1.bdd3413b26456p-55;
    vd twice = sleef_erfc_f64(-h) + 0x1.20dd750429b6dp+0 * sleef_exp_f64(-(h * h)) * l;
    vd y = 0.5 * x * twice;
    vl deep = x < -36.0;
    if (any_f64(deep)) y = select_f64(deep, gelu_erf_tail(x), y);
    return canonical_f64(y);
}

INLINE vd softplus_f64(vd x)
{
    return canonical_f64(at_least_f64(x, 0.0) + sleef_log1p_f64(sleef_exp_f64(-abs_f64(x))));
}

/* --- two arguments ------------------------------------------------------------------------------------------- */

INLINE vd pow_f64(vd x, vd y)
{
    return canonical_f64(TW__SLEEF_F64(pow, u10)(x, y));
}
INLINE vd hypot_f64(vd x, vd y)
{
    return canonical_f64(TW__SLEEF_F64(hypot, u05)(x, y));
}
INLINE vd atan2_f64(vd y, vd x)
{
    vl small = abs_f64(y) < x * 0x1p-27;
    return canonical_f64(select_f64(small, y / x, TW__SLEEF_F64(atan2, u10)(y, x)));
}

INLINE vd fmod_f64(vd x, vd y)
{
    vd r;
    for (int i = 0; i < TW__LANES64; i++) r[i] = tw__math_fmod_exact(x[i], y[i]);
    return r;
}

#endif
