/* SPDX-License-Identifier: MIT */
/* sinf, cosf, tanf and their inverses. */
#include "float.h"

/* --- reduction to a quarter turn
 * ----------------------------------------------------------------------------------- */

/* Bits of 2 / pi behind the point, and 32 before it. */
static const uint32_t two_over_pi[] = { 0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                        0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe600000 };

/* m 2^e 2 / pi, with what is a multiple of 4 left away: quarter turns in the two upper bits. Of the window of 96
 * bits the upper product loses what are whole turns. */
INLINE uint64_t turns_of(uint32_t m, int e)
{
    unsigned skip = (unsigned)(e + 30), word = skip >> 5, bit = skip & 31; /* the bits of 4 and more */
    uint32_t w[3];
    for (unsigned i = 0; i < 3; i++) {
        uint32_t high = two_over_pi[word + i], low = two_over_pi[word + i + 1];
        w[i] = bit ? high << bit | low >> (32 - bit) : high;
    }
    uint64_t p1 = (uint64_t)m * w[1], p2 = (uint64_t)m * w[2];
    return ((uint64_t)(m * w[0]) << 32) + p1 + (p2 >> 32);
}

/* The nearest multiple of pi / 2, and what x has more; for any finite x of 12000 and more. */
static int reduce_far(float x, two *rest)
{
    uint32_t bits = magnitude_of(x), m = (bits & 0x7fffff) | 0x800000;
    uint64_t turns = turns_of(m, (int)(bits >> 23) - 150);
    int n = (int)((turns >> 62) + (turns >> 61 & 1));
    uint64_t part = turns << 2; /* of a quarter turn; more than half of one is negative */
    bool negative = part >> 63;
    if (negative) part = 0 - part;
    if (part == 0) part = 1;
    int shift = clz64(part);
    part <<= shift;
    float scale = scaled_by(1.0f, -24 - shift), high = (float)(uint32_t)(part >> 40),
          low = (float)(uint32_t)(part >> 16 & 0xffffff);
    two fraction = { high * scale, low * scale * 0x1p-24f };
    *rest = times(fraction, (two){ 0x1.921fb6p0f, -0x1.777a5cp-25f });
    if (negative != (float_word(x) >> 31)) *rest = (two){ -rest->high, -rest->low };
    return float_word(x) >> 31 ? -n : n;
}

/* pi / 2 in four parts, of which products of two with a number of 13 bits are exact, and so are their differences. */
INLINE int reduce(float x, two *rest)
{
    uint32_t bits = magnitude_of(x);
    if (bits < 0x3f490fdb) { /* pi / 4 */
        *rest = (two){ x, 0.0f };
        return 0;
    }
    if (bits >= 0x463b8000) return reduce_far(x, rest);
    float n = __builtin_rintf(x * 0x1.45f306p-1f);
    float r = (x - n * 0x1.92p0f) - n * 0x1.fb4p-12f;
    two p = product_of(n, 0x1.4442d2p-24f), s = sum_of(r, -p.high);
    *rest = sum_in_order(s.high, s.low - (p.low - n * 0x1.ee59dap-50f));
    return (int)n;
}

/* --- sine, cosine, tangent of at most pi / 4, as sums of two
 * --------------------------------------------------------- */

INLINE two sine_near(two r)
{
    float z = r.high * r.high;
    float s = z * 0x1.6cd4aep-19f - 0x1.a00f9p-13f;
    s = s * z + 0x1.111108p-7f;
    s = s * z - 0x1.555556p-3f;
    return sum_in_order(r.high, r.low + r.high * z * s);
}
INLINE two cosine_near(two r)
{
    two z = product_of(r.high, r.high);
    float c = z.high * -0x1.242b8p-22f + 0x1.a01126p-16f;
    c = c * z.high - 0x1.6c16b8p-10f;
    c = c * z.high + 0x1.555556p-5f;
    two w = sum_in_order(1.0f, -0.5f * z.high);
    return sum_in_order(w.high, w.low + (z.high * z.high * c - 0.5f * z.low - r.high * r.low));
}

INLINE bool not_finite(float x)
{
    return magnitude_of(x) >= 0x7f800000;
}

INLINE float sine_of(two r, int n)
{
    two y = n & 1 ? cosine_near(r) : sine_near(r);
    return n & 2 ? -y.high : y.high;
}

RT float RT_NAME(sinf)(float x)
{
    two r;
    if (magnitude_of(x) < 0x39800000) return x; /* 2^-12 */
    if (not_finite(x)) return NANF;
    int n = reduce(x, &r);
    return sine_of(r, n);
}
RT float RT_NAME(cosf)(float x)
{
    two r;
    if (not_finite(x)) return NANF;
    int n = reduce(x, &r);
    return sine_of(r, n + 1);
}
RT void RT_NAME(sincosf)(float x, float *sine, float *cosine)
{
    *sine = RT_NAME(sinf)(x);
    *cosine = RT_NAME(cosf)(x);
}

INLINE float quotient_of(two a, two b)
{
    float q = a.high / b.high;
    two p = product_of(q, b.high);
    return q + (((a.high - p.high) - p.low) + (a.low - q * b.low)) / b.high;
}
RT float RT_NAME(tanf)(float x)
{
    two r;
    if (magnitude_of(x) < 0x39800000) return x;
    if (not_finite(x)) return NANF;
    int n = reduce(x, &r);
    two s = sine_near(r), c = cosine_near(r);
    return n & 1 ? -quotient_of(c, s) : quotient_of(s, c);
}

/* --- inverses
 * --------------------------------------------------------------------------------------------------------- */

/* asin(x) = x + x^3 P(x^2) for |x| <= 1/2 */
INLINE float arc_sine_more(float z)
{
    float p = z * 0x1.3328d6p-5f + 0x1.d9c9cep-7f;
    p = p * z + 0x1.048298p-5f;
    p = p * z + 0x1.6cb146p-5f;
    p = p * z + 0x1.333866p-4f;
    return p * z + 0x1.55554cp-3f;
}
/* asin(sqrt z) */
INLINE two arc_sine_of_root(float z)
{
    float s = __builtin_sqrtf(z);
    if (s == 0.0f) return (two){ 0.0f, 0.0f };
    two p = product_of(s, s);
    float low = ((z - p.high) - p.low) / (s + s);
    return sum_in_order(s, low + s * z * arc_sine_more(z));
}

RT float RT_NAME(asinf)(float x)
{
    uint32_t bits = magnitude_of(x);
    if (bits < 0x39800000) return x;
    if (bits <= 0x3f000000) return x + x * (x * x) * arc_sine_more(x * x);
    if (bits > 0x3f800000) return NANF;
    two a = arc_sine_of_root(0.5f * (1.0f - float_from(bits)));
    two y = sum_in_order(0x1.921fb6p0f, -2.0f * a.high);
    return with_sign_of(y.high + (y.low - 0x1.777a5cp-25f - 2.0f * a.low), x);
}
RT float RT_NAME(acosf)(float x)
{
    uint32_t bits = magnitude_of(x);
    if (bits <= 0x3f000000) {
        two y = sum_in_order(0x1.921fb6p0f, -x);
        return y.high + (y.low - (x * (x * x) * arc_sine_more(x * x) + 0x1.777a5cp-25f));
    }
    if (bits > 0x3f800000 || is_nanf(x)) return NANF;
    two a = arc_sine_of_root(0.5f * (1.0f - float_from(bits)));
    if (x > 0.0f) return 2.0f * a.high + 2.0f * a.low;
    two y = sum_in_order(0x1.921fb6p1f, -2.0f * a.high);
    return y.high + (y.low - 0x1.777a5cp-24f - 2.0f * a.low);
}

/* atan(t) = t + t^3 P(t^2) for |t| <= sqrt 2 - 1 */
INLINE float arc_tangent_more(float t)
{
    float z = t * t;
    float p = z * -0x1.f2ff6ep-5f + 0x1.b22934p-4f;
    p = p * z - 0x1.23b9e4p-3f;
    p = p * z + 0x1.9991e2p-3f;
    p = p * z - 0x1.55554ap-2f;
    return t * z * p;
}
/* atan(y / x) for y, x not negative and not both zero or infinite, as a sum of two */
INLINE two arc_tangent(float y, float x)
{
    bool swaps = y > x;
    float low = swaps ? x : y, high = swaps ? y : x;
    two a;
    if (low > high * 0x1.a8279ap-2f) { /* pi / 4 + atan((low - high) / (low + high)) */
        two p = sum_of(high, low), d = sum_of(low, -high);
        float t = d.high / p.high;
        two q = product_of(t, p.high);
        float rest = ((d.high - q.high) - q.low + (d.low - t * p.low)) / p.high;
        a = sum_in_order(0x1.921fb6p-1f, t);
        a.low += rest + arc_tangent_more(t) - 0x1.777a5cp-26f;
    } else {
        float t = low / high;
        two q = product_of(t, high);
        float rest = t < 0x1p-60f ? 0.0f : ((low - q.high) - q.low) / high;
        a = (two){ t, rest + arc_tangent_more(t) };
    }
    a = sum_in_order(a.high, a.low);
    if (!swaps) return a;
    two b = sum_in_order(0x1.921fb6p0f, -a.high);
    return sum_in_order(b.high, b.low - 0x1.777a5cp-25f - a.low);
}

RT float RT_NAME(atanf)(float x)
{
    uint32_t bits = magnitude_of(x);
    if (bits < 0x39800000 || bits > 0x7f800000) return bits > 0x7f800000 ? NANF : x;
    if (bits > 0x4c800000) return with_sign_of(0x1.921fb6p0f, x); /* 2^26 */
    return with_sign_of(arc_tangent(float_from(bits), 1.0f).high, x);
}

RT float RT_NAME(atan2f)(float y, float x)
{
    if (is_nanf(x) || is_nanf(y)) return NANF;
    float a = float_from(magnitude_of(y)), b = float_from(magnitude_of(x));
    bool left = float_word(x) >> 31;
    if (a == 0.0f) return with_sign_of(left ? 0x1.921fb6p1f : 0.0f, y);
    if (a == INFINITYF && b == INFINITYF) return with_sign_of(left ? 0x1.2d97c8p1f : 0x1.921fb6p-1f, y);
    if (b == 0.0f || a == INFINITYF) return with_sign_of(0x1.921fb6p0f, y);
    if (b == INFINITYF) return with_sign_of(left ? 0x1.921fb6p1f : 0.0f, y);
    if (a < 0x1p-60f || b < 0x1p-60f) a *= 0x1p60f, b *= 0x1p60f; /* a product's error has to be no subnormal */
    if (a > 0x1p120f || b > 0x1p120f) a *= 0x1p-60f, b *= 0x1p-60f;
    two t = arc_tangent(a, b);
    if (!left) return with_sign_of(t.high, y);
    two rest = sum_in_order(0x1.921fb6p1f, -t.high);
    return with_sign_of(rest.high + (rest.low - 0x1.777a5cp-24f - t.low), y);
}
