/* SPDX-License-Identifier: MIT */
/* Exponentials, logarithms, powers and what is made of them. The chip has e^x, 2^x, ln and log2 of its own. */
#include "float.h"

RT float RT_NAME(expf)(float x)
{
    return __builtin_expf(x);
}
RT float RT_NAME(exp2f)(float x)
{
    return __builtin_exp2f(x);
}
RT float RT_NAME(logf)(float x)
{
    return __builtin_logf(x);
}
RT float RT_NAME(log2f)(float x)
{
    return __builtin_log2f(x);
}

/* --- e^x
 * -------------------------------------------------------------------------------------------------------------- */

/* x = k ln 2 + r: r as a sum of two. |x| < 120 */
INLINE int reduce_exponent(float x, two *r)
{
    float k = __builtin_rintf(x * 0x1.715476p0f);
    *r = sum_in_order(x - k * 0x1.62e4p-1f, k * -0x1.7f7d1cp-20f);
    return (int)k;
}
/* e^r - 1 */
INLINE two exponential_less_one(two r)
{
    float q = r.high * 0x1.6d9f12p-10f + 0x1.122c86p-7f;
    q = q * r.high + 0x1.555482p-5f;
    q = q * r.high + 0x1.5554aap-3f;
    two h = product_of(r.high, 0.5f * r.high); /* r + r^2 / 2 + r^3 q, the first two of them in full */
    two s = sum_in_order(r.high, h.high);
    return sum_in_order(s.high, s.low + (h.low + r.low + r.high * r.low + r.high * r.high * r.high * q));
}

RT float RT_NAME(expm1f)(float x)
{
    two r;
    if (is_nanf(x)) return NANF;
    if (magnitude_of(x) < 0x33000000) return x; /* 2^-25 */
    if (x > 89.0f) return INFINITYF;
    if (x < -18.0f) return -1.0f;
    int k = reduce_exponent(x, &r);
    two p = exponential_less_one(r);
    if (k == 0) return p.high;
    if (k > 24) { /* 2^k (p + 1 - 2^-k) */
        two y = sum_in_order(1.0f, p.high);
        return scaled_by(y.high + (y.low + p.low - (k < 100 ? power_of_two(-k) : 0.0f)), k);
    }
    float power = power_of_two(k);
    two s = sum_of(power - 1.0f, p.high * power);
    return s.high + (s.low + p.low * power);
}

/* e^x 2^more as a sum of two; -100 < x < 100, its result at least 2^-100 */
INLINE two exponential(float x, int more)
{
    two r;
    int k = reduce_exponent(x, &r) + more;
    two p = exponential_less_one(r), y = sum_in_order(1.0f, p.high);
    return (two){ scaled_by(y.high, k), scaled_by(y.low + p.low, k) };
}

RT float RT_NAME(sinhf)(float x)
{
    float a = float_from(magnitude_of(x)), z = x * x;
    if (is_nanf(x)) return NANF;
    if (a < 0x1p-12f) return x;
    if (a <= 1.0f) {
        float p = z * 0x1.7a3a8cp-19f + 0x1.9ffd8cp-13f;
        p = p * z + 0x1.111138p-7f;
        p = p * z + 0x1.555556p-3f;
        return x + x * z * p;
    }
    if (a > 90.0f) return with_sign_of(INFINITYF, x);
    two e = exponential(a, -1);
    return with_sign_of(a > 20.0f ? e.high + e.low : e.high + (e.low - 0.25f / e.high), x);
}
RT float RT_NAME(coshf)(float x)
{
    float a = float_from(magnitude_of(x));
    if (is_nanf(x)) return NANF;
    if (a > 90.0f) return INFINITYF;
    two e = exponential(a, -1);
    if (a > 20.0f) return e.high + e.low;
    float inverse = 0.25f / e.high;
    two y = sum_in_order(e.high, inverse);
    return y.high + (y.low + e.low * (1.0f - 4.0f * inverse * inverse));
}
RT float RT_NAME(tanhf)(float x)
{
    float a = float_from(magnitude_of(x)), z = x * x;
    if (is_nanf(x)) return NANF;
    if (a < 0x1p-12f) return x;
    if (a <= 0.625f) {
        float p = z * 0x1.19533ep-9f - 0x1.0c199ep-7f;
        p = p * z + 0x1.639424p-6f;
        p = p * z - 0x1.b9ef86p-5f;
        p = p * z + 0x1.11106cp-3f;
        p = p * z - 0x1.555554p-2f;
        return x + x * z * p;
    }
    if (a > 10.0f) return with_sign_of(1.0f, x);
    two e = exponential(a + a, 0);
    return with_sign_of(1.0f - 2.0f / (e.high + 1.0f), x);
}

/* --- 2^x and log2 as sums of two
 * ------------------------------------------------------------------------------------- */

/* 2^x; what is outside of the range of floats becomes 0 or infinite. */
INLINE float power_of_sum(two x)
{
    if (x.high > 130.0f) return INFINITYF;
    if (x.high < -160.0f) return 0.0f;
    float k = __builtin_rintf(x.high), r = (x.high - k) + x.low;
    float p = r * 0x1.00f0cep-16f + 0x1.445df8p-13f;
    p = p * r + 0x1.5d8724p-10f;
    p = p * r + 0x1.3b29f2p-7f;
    p = p * r + 0x1.c6b08ep-5f;
    p = p * r + 0x1.ebfbep-3f;
    two line = product_of(r, 0x1.62e43p-1f), y = sum_in_order(1.0f, line.high);
    return scaled_by(y.high + (y.low + (line.low + r * (r * p - 0x1.05c61p-29f))), (int)k);
}

/* log(m) / 2 s - 1 for m = (1 + s) / (1 - s) of sqrt(1/2) to sqrt 2: s^2 / 3 + s^4 / 5 + ..., as a sum of two */
INLINE two logarithm_more(two s)
{
    two z = times(s, s);
    float q = z.high * 0x1.dbeb9ep-4f + 0x1.246964p-3f;
    q = q * z.high + 0x1.9999bcp-3f;
    two c = sum_in_order(0x1.555556p-2f, z.high * q);
    c.low -= 0x1.555556p-27f;
    return times(z, c);
}

/* log2 of a positive finite number that is not subnormal (or is, and kept so) */
INLINE two logarithm(float x)
{
    int e = 0;
    if (x < 0x1p-126f) x *= 0x1p24f, e = -24;
    uint32_t bits = float_word(x), from = bits - 0x3f3504f3; /* sqrt(1/2) */
    e += (int32_t)from >> 23;
    float m = float_from((from & 0x7fffff) + 0x3f3504f3);
    float d = m - 1.0f;
    two p = sum_of(m, 1.0f);
    float high = d / p.high;
    two back = product_of(high, p.high);
    two s = sum_in_order(high, (((d - back.high) - back.low) - high * p.low) / p.high);
    two more = logarithm_more(s), one = sum_in_order(1.0f, more.high);
    one.low += more.low;
    return plus((two){ (float)e, 0.0f }, times(times(s, one), (two){ 0x1.715476p1f, 0x1.4ae0cp-25f }));
}

RT float RT_NAME(log10f)(float x)
{
    if (!(x > 0.0f) || x == INFINITYF) return x == 0.0f ? -INFINITYF : x == INFINITYF ? x : NANF;
    return times(logarithm(x), (two){ 0x1.344136p-2f, -0x1.ec10cp-27f }).high;
}
RT float RT_NAME(exp10f)(float x)
{
    if (is_nanf(x)) return NANF;
    if (x > 40.0f) return INFINITYF;
    if (x < -50.0f) return 0.0f;
    return power_of_sum(times((two){ x, 0.0f }, (two){ 0x1.a934fp1f, 0x1.2f346ep-24f }));
}

/* 0: not whole; 1: odd; 2: even */
INLINE int parity(float y)
{
    float a = float_from(magnitude_of(y));
    if (a >= 0x1p24f) return 2;
    if (a != __builtin_truncf(a)) return 0;
    return (uint32_t)a & 1 ? 1 : 2;
}
/* x or y is 0, infinite, NaN or x negative: C17 annex F. True when `result` says it all. */
INLINE bool special_power(float x, float y, float *result, bool *negative)
{
    float a = float_from(magnitude_of(x));
    *negative = false;
    if (y == 0.0f || x == 1.0f)
        *result = 1.0f;
    else if (is_nanf(x) || is_nanf(y))
        *result = NANF;
    else if (magnitude_of(y) == 0x7f800000)
        *result = a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? INFINITYF : 0.0f;
    else if (a == 0.0f || a == INFINITYF) {
        *result = (a == 0.0f) == (y < 0.0f) ? INFINITYF : 0.0f;
        if (parity(y) == 1) *result = with_sign_of(*result, x);
    } else {
        if (x > 0.0f) return false;
        *negative = parity(y) == 1;
        if (parity(y)) return false;
        *result = NANF;
    }
    return true;
}

RT float RT_NAME(powf)(float x, float y)
{
    float result;
    bool negative;
    if (special_power(x, y, &result, &negative)) return result;
    if (magnitude_of(y) > 0x4f000000) /* 2^31: only 1 has a power that is no 0 and not infinite */
        result = magnitude_of(x) == 0x3f800000                  ? 1.0f
                 : (magnitude_of(x) > 0x3f800000) == (y > 0.0f) ? INFINITYF
                                                                : 0.0f;
    else if (magnitude_of(y) < 0x2f000000) /* 2^-33 */
        result = 1.0f;
    else
        result = power_of_sum(times(logarithm(float_from(magnitude_of(x))), (two){ y, 0.0f }));
    return negative ? -result : result;
}

/* --- log(1 + x)
 * -------------------------------------------------------------------------------------------------------- */

/* log of a sum of two above 0 */
INLINE float logarithm_of_sum(two u)
{
    uint32_t from = float_word(u.high) - 0x3f3504f3;
    int k = (int32_t)from >> 23;
    if (k > 100) return __builtin_logf(u.high);
    float back = power_of_two(-k), f = u.high * back - 1.0f, c = u.low * back / (1.0f + f);
    /* log(1 + f) = f - f^2 / 2 + s (f^2 / 2 + R), s = f / (2 + f), R = s^2 P(s^2) */
    float s = f / (2.0f + f), z = s * s;
    float p = z * 0x1.e2ebcap-3f + 0x1.243a04p-2f;
    p = p * z + 0x1.999a7p-2f;
    p = p * z + 0x1.555556p-1f;
    two square = product_of(f, 0.5f * f);
    two y = sum_in_order(f, -square.high);
    float low = y.low - square.low + (s * (square.high + z * p) + c);
    if (k == 0) return y.high + low;
    two all = sum_in_order((float)k * 0x1.62e4p-1f, y.high);
    return all.high + (all.low + (low + (float)k * 0x1.7f7d1cp-20f));
}

RT float RT_NAME(log1pf)(float x)
{
    if (magnitude_of(x) < 0x33000000) return x;
    if (!(x > -1.0f)) return x == -1.0f ? -INFINITYF : NANF;
    if (x == INFINITYF) return x;
    return logarithm_of_sum(sum_of(1.0f, x));
}

RT float RT_NAME(asinhf)(float x)
{
    float a = float_from(magnitude_of(x));
    if (is_nanf(x)) return NANF;
    if (a < 0x1p-12f || a == INFINITYF) return x;
    if (a > 0x1p12f) return with_sign_of(__builtin_logf(a) + 0x1.62e43p-1f, x);
    two z = product_of(a, a),
        w = sum_of(1.0f, z.high); /* a + (sqrt(1 + a^2) - 1) = a + a^2 / (1 + sqrt(1 + a^2)) */
    float root = __builtin_sqrtf(w.high);
    two back = product_of(root, root);
    float low = (((w.high - back.high) - back.low) + (w.low + z.low)) / (root + root);
    two d = sum_in_order(1.0f, root);
    if (root > 1.0f) d = sum_of(1.0f, root);
    d.low += low;
    float t = z.high / d.high;
    two p = product_of(t, d.high);
    float rest = (((z.high - p.high) - p.low) + (z.low - t * d.low)) / d.high;
    two u = sum_of(a, t);
    u.low += rest;
    two all = sum_of(1.0f, u.high);
    return with_sign_of(logarithm_of_sum((two){ all.high, all.low + u.low }), x);
}
RT float RT_NAME(acoshf)(float x)
{
    if (!(x >= 1.0f)) return NANF;
    if (x == INFINITYF) return x;
    if (x > 0x1p12f) return __builtin_logf(x) + 0x1.62e43p-1f;
    float t = x - 1.0f; /* 1 + t + sqrt(2 t + t^2) */
    two z = product_of(t, t), w = sum_of(t + t, z.high);
    if (t == 0.0f) return 0.0f;
    float root = __builtin_sqrtf(w.high);
    two back = product_of(root, root);
    float low = (((w.high - back.high) - back.low) + (w.low + z.low)) / (root + root);
    two u = sum_of(t, root), all = sum_of(1.0f, u.high);
    return logarithm_of_sum((two){ all.high, all.low + (u.low + low) });
}
RT float RT_NAME(atanhf)(float x)
{
    float a = float_from(magnitude_of(x));
    if (a < 0x1p-12f) return x;
    if (!(a < 1.0f)) return a == 1.0f ? with_sign_of(INFINITYF, x) : NANF;
    float d = 1.0f - a, low = (1.0f - d) - a, t = (a + a) / d; /* log(1 + 2 a / (1 - a)) / 2 */
    two p = product_of(t, d);
    float rest = (((a + a) - p.high) - p.low - t * low) / d;
    two all = sum_of(1.0f, t);
    return with_sign_of(0.5f * logarithm_of_sum((two){ all.high, all.low + rest }), x);
}
