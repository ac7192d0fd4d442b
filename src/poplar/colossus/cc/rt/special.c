/* SPDX-License-Identifier: MIT */
/* Roots, error function, gamma function, remainders; what takes floats apart. */
#include "float.h"

/* --- what the chip has, or is one or two operations
 * ----------------------------------------------------------------- */

RT float RT_NAME(sqrtf)(float x)
{
    return __builtin_sqrtf(x);
}
RT float RT_NAME(fabsf)(float x)
{
    return __builtin_fabsf(x);
}
RT float RT_NAME(copysignf)(float x, float sign)
{
    return with_sign_of(x, sign);
}
RT float RT_NAME(floorf)(float x)
{
    return __builtin_floorf(x);
}
RT float RT_NAME(ceilf)(float x)
{
    return __builtin_ceilf(x);
}
RT float RT_NAME(truncf)(float x)
{
    return __builtin_truncf(x);
}
RT float RT_NAME(rintf)(float x)
{
    return __builtin_rintf(x);
}
RT float RT_NAME(nearbyintf)(float x)
{
    return __builtin_rintf(x);
}
RT float RT_NAME(roundf)(float x)
{
    return __builtin_roundf(x);
}
RT float RT_NAME(fmaxf)(float x, float y)
{
    return __builtin_fmaxf(x, y);
}
RT float RT_NAME(fminf)(float x, float y)
{
    return __builtin_fminf(x, y);
}
RT float RT_NAME(fdimf)(float x, float y)
{
    return is_nanf(x) || is_nanf(y) ? NANF : x > y ? x - y : 0.0f;
}

/* --- parts of a float
 * ------------------------------------------------------------------------------------------------- */

RT float RT_NAME(ldexpf)(float x, int k)
{
    if (k > 300) k = 300;
    if (k < -300) k = -300;
    int third = k / 4;
    return x * power_of_two(third) * power_of_two(third) * power_of_two(third) * power_of_two(k - 3 * third);
}
RT float RT_NAME(scalbnf)(float x, int k)
{
    return RT_NAME(ldexpf)(x, k);
}
RT float RT_NAME(frexpf)(float x, int *exponent)
{
    uint32_t bits = magnitude_of(x);
    *exponent = 0;
    if (bits < 0x800000 || bits >= 0x7f800000) return x; /* the chip's subnormals are zeros */
    *exponent = (int)(bits >> 23) - 126;
    return float_from((float_word(x) & 0x807fffff) | 126u << 23);
}
RT float RT_NAME(modff)(float x, float *whole)
{
    float t = __builtin_truncf(x);
    *whole = t;
    return with_sign_of(magnitude_of(x) == 0x7f800000 ? 0.0f : x - t, x);
}
RT int RT_NAME(ilogbf)(float x)
{
    uint32_t bits = magnitude_of(x);
    if (bits < 0x800000) return INT32_MIN; /* FP_ILOGB0 */
    return bits >= 0x7f800000 ? INT32_MAX : (int)(bits >> 23) - 127;
}
RT float RT_NAME(logbf)(float x)
{
    uint32_t bits = magnitude_of(x);
    if (bits >= 0x7f800000) return x * x;
    return bits < 0x800000 ? -INFINITYF : (float)((int)(bits >> 23) - 127);
}
RT long RT_NAME(lroundf)(float x)
{
    return (int32_t)__builtin_roundf(x);
}
RT long RT_NAME(lrintf)(float x)
{
    return (int32_t)__builtin_rintf(x);
}

/* --- remainders
 * --------------------------------------------------------------------------------------------------------- */

/* |x| mod |y| of finite numbers by their bits: 8 bits of the quotient at a time */
INLINE float long_division(uint32_t a, uint32_t b)
{
    int p = (int)(a >> 23), q = (int)(b >> 23);
    uint32_t m = (a & 0x7fffff) | 0x800000, n = (b & 0x7fffff) | 0x800000;
    for (m %= n; p - q > 8; p -= 8) m = (m << 8) % n;
    m = (m << (p - q)) % n;
    if (m == 0) return 0.0f;
    int shift = __builtin_clz(m) - 8;
    return q - shift < 1 ? scaled_by((float)m, q - 150)
                         : float_from(((uint32_t)(q - shift) << 23) + ((m << shift) & 0x7fffff));
}

RT float RT_NAME(fmodf)(float x, float y)
{
    uint32_t a = magnitude_of(x), b = magnitude_of(y);
    if (a >= 0x7f800000 || b > 0x7f800000 || y == 0.0f) return NANF;
    if (a < b) return x;
    if (a < 0x800000 || b < 0x800000) return with_sign_of(0.0f, x); /* the chip has none that are smaller */
    if ((a >> 23) - (b >> 23) > 21 || b < 0x1a000000) return with_sign_of(long_division(a, b), x);
    float u = float_from(a), v = float_from(b);
    two p = product_of(__builtin_truncf(u / v), v); /* too large by one v at most; the difference is exact */
    float r = (u - p.high) - p.low;
    return with_sign_of(r < 0.0f ? r + v : r, x);
}
RT float RT_NAME(remainderf)(float x, float y)
{
    float v = float_from(magnitude_of(y));
    if (magnitude_of(x) >= 0x7f800000 || is_nanf(y) || y == 0.0f) return NANF;
    float a = float_from(magnitude_of(v < 0x1p127f ? RT_NAME(fmodf)(x, v + v) : x)); /* an even quotient's rest */
    if (v < 0x1p-100f) {                                                             /* no halves there */
        if (a + a > v) {
            a -= v;
            if (a + a >= v) a -= v;
        }
    } else if (a > 0.5f * v) {
        a -= v;
        if (a >= 0.5f * v) a -= v;
    }
    return float_word(x) >> 31 ? -a : a;
}

/* --- roots
 * --------------------------------------------------------------------------------------------------------------- */

RT float RT_NAME(cbrtf)(float x)
{
    float a = float_from(magnitude_of(x)), scale = 1.0f;
    if (is_nanf(x)) return NANF;
    if (a == 0.0f || a == INFINITYF) return x;
    if (a < 0x1p-70f) a *= 0x1p90f, scale = 0x1p-30f;
    if (a > 0x1p70f) a *= 0x1p-90f, scale = 0x1p30f;
    float y = float_from(float_word(a) / 3 + 0x2a514067); /* to 1 of 30 */
    for (int i = 0; i < 2; i++) y -= (y * y * y - a) / (3.0f * (y * y));
    two square = product_of(y, y), cube = times(square, (two){ y, 0.0f });
    return with_sign_of((y - ((cube.high - a) + cube.low) / (3.0f * square.high)) * scale, x);
}

RT float RT_NAME(hypotf)(float x, float y)
{
    float a = float_from(magnitude_of(x)), b = float_from(magnitude_of(y)), scale = 1.0f;
    if (a == INFINITYF || b == INFINITYF) return INFINITYF;
    if (is_nanf(x) || is_nanf(y)) return NANF;
    if (a < b) {
        float t = a;
        a = b, b = t;
    }
    if (b <= a * 0x1p-13f) return a;
    if (a > 0x1p60f) a *= 0x1p-80f, b *= 0x1p-80f, scale = 0x1p80f;
    if (a < 0x1p-40f) a *= 0x1p80f, b *= 0x1p80f, scale = 0x1p-80f;
    two p = product_of(a, a), q = product_of(b, b), s = sum_in_order(p.high, q.high);
    float root = __builtin_sqrtf(s.high);
    two back = product_of(root, root);
    return (root + (((s.high - back.high) - back.low) + (s.low + p.low + q.low)) / (root + root)) * scale;
}

/* --- error function
 * -------------------------------------------------------------------------------------------------------- */

/* e^(a^2) erfc(a) for 0.83 < a < 10.5 */
INLINE float error_tail_scaled(float a)
{
    float p;
    if (a < 2.2f) { /* in a - 3/2 */
        float t = a - 1.5f;
        p = t * -0x1.3bd726p-14f + 0x1.07981ap-12f;
        p = p * t - 0x1.5c311ap-11f;
        p = p * t + 0x1.eb6af8p-10f;
        p = p * t - 0x1.512a14p-8f;
        p = p * t + 0x1.b6694ap-7f;
        p = p * t - 0x1.0dc57ep-5f;
        p = p * t + 0x1.37ea0ap-4f;
        p = p * t - 0x1.4f1988p-3f;
        return p * t + 0x1.494dbp-2f;
    }
    float i = 1.0f / a, t = i * i; /* 1 / a times one in 1 / a^2 */
    p = t * -0x1.e312aep+3f + 0x1.06528p+4f;
    p = p * t - 0x1.0f9186p+3f;
    p = p * t + 0x1.8811aap+1f;
    p = p * t - 0x1.0692d6p+0f;
    p = p * t + 0x1.b05784p-2f;
    p = p * t - 0x1.20d9f6p-2f;
    return (p * t + 0x1.20dd72p-1f) * i;
}
INLINE float error_tail(float a)
{
    if (a > 10.1f) return 0.0f;
    two square = product_of(a, a);
    bool deep = square.high > 40.0f; /* or the lower part of the power would be subnormal */
    two e = exponential(-square.high, deep ? 60 : 0);
    float y = (e.high + (e.low - e.high * square.low)) * error_tail_scaled(a);
    return deep ? y * 0x1p-60f : y;
}
/* erf(x) / x - 2 / sqrt(pi) = x^2 P(x^2), |x| < 0.84 */
INLINE float error_near(float x)
{
    float z = x * x;
    if (magnitude_of(x) < 0x0d800000) return x * 0x1.20dd76p0f; /* 2^-100: a product below may be subnormal */
    float p = z * 0x1.7521f6p-14f - 0x1.b0f3cep-11f;
    p = p * z + 0x1.557954p-8f;
    p = p * z - 0x1.b81f72p-6f;
    p = p * z + 0x1.ce2ec4p-4f;
    p = p * z - 0x1.812746p-2f;
    return x + x * (0x1.06eba8p-3f + z * p);
}
RT float RT_NAME(erff)(float x)
{
    float a = float_from(magnitude_of(x));
    if (is_nanf(x)) return NANF;
    if (a < 0.84f) return error_near(x);
    return with_sign_of(a > 4.0f ? 1.0f : 1.0f - error_tail(a), x);
}
RT float RT_NAME(erfcf)(float x)
{
    float a = float_from(magnitude_of(x));
    if (is_nanf(x)) return NANF;
    if (a < 0.84f) return x < 0.5f ? 1.0f - error_near(x) : 0.5f + (0.5f - error_near(x));
    return x < 0.0f ? 2.0f - error_tail(a) : error_tail(a);
}

/* --- log gamma
 * ------------------------------------------------------------------------------------------------------------ */

/* log gamma(1 + t) for -1/4 <= t <= 1/2 */
INLINE float gamma_near_one(float t)
{
    float p = t * 0x1.574222p-5f - 0x1.9fffdp-4f;
    p = p * t + 0x1.0dd32cp-3f;
    p = p * t - 0x1.2bf0c8p-3f;
    p = p * t + 0x1.5b0d5ap-3f;
    p = p * t - 0x1.a87c8ep-3f;
    p = p * t + 0x1.15123p-2f;
    p = p * t - 0x1.9a4dccp-2f;
    p = p * t + 0x1.a51a68p-1f;
    p = p * t - 0x1.2788dp-1f;
    return t * p;
}
/* log gamma(2 + t) for |t| <= 1/2 */
INLINE float gamma_near_two(float t)
{
    float p = t * -0x1.1b2fc8p-12f + 0x1.2ae2d2p-11f;
    p = p * t - 0x1.34bac4p-10f;
    p = p * t + 0x1.7959e6p-9f;
    p = p * t - 0x1.e424dep-8f;
    p = p * t + 0x1.51358ap-6f;
    p = p * t - 0x1.13dfecp-4f;
    p = p * t + 0x1.4a34ccp-2f;
    p = p * t + 0x1.b0ee6p-2f;
    return t * p;
}
INLINE float gamma_positive(float x)
{
    if (x < 0x1p-20f) return -__builtin_logf(x);
    if (x < 0.5f) return gamma_near_one(x) - __builtin_logf(x);
    if (x < 0.75f) return gamma_near_two(x - 1.0f) - __builtin_logf(x);
    if (x < 1.5f) return gamma_near_one(x - 1.0f);
    if (x < 8.0f) {
        float product = 1.0f;
        while (x >= 2.5f) {
            x -= 1.0f;
            product *= x;
        }
        return gamma_near_two(x - 2.0f) + __builtin_logf(product);
    }
    if (x > 0x1p100f) return x * (__builtin_logf(x) - 1.0f); /* may be infinite */
    float i = 1.0f / x, z = i * i, more = i * (0x1.555556p-4f + z * (-0x1.6c16c2p-9f + z * 0x1.a01a02p-11f));
    return (x - 0.5f) * (__builtin_logf(x) - 1.0f) + (0x1.acfe3ap-2f + more); /* log(2 pi) / 2 - 1/2 */
}
RT float RT_NAME(lgammaf)(float x)
{
    if (is_nanf(x)) return NANF;
    if (x > 0.0f) return gamma_positive(x);
    float a = float_from(magnitude_of(x));
    if (a == __builtin_truncf(a)) return INFINITYF; /* poles, and -infinity */
    if (a < 0x1p-20f) return -__builtin_logf(a);
    float d = a - __builtin_truncf(a);
    if (d > 0.5f) d = 1.0f - d;
    float sine = RT_NAME(sinf)(d * 0x1.921fb6p1f); /* pi / (a sin(pi a)) */
    return 0x1.250d04p0f - __builtin_logf(a * sine) - gamma_positive(a);
}
