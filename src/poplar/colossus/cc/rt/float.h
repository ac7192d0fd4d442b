/* SPDX-License-Identifier: MIT */
/* What the mathematics of single precision shares: bits, and sums of two floats. The chip has no double, no fused
 * operation, and makes subnormal numbers zero; so the functions carry a second float where one is not enough, and
 * never need a small number's last bits. Coefficients are minimax fits of the function named beside them. */
#ifndef TW_COLOSSUS_CC_RT_FLOAT_H
#define TW_COLOSSUS_CC_RT_FLOAT_H

#include "rt.h"

#define INFINITYF __builtin_inff()
#define NANF      __builtin_nanf("")

typedef union float_bits {
    float number;
    uint32_t bits;
} float_bits;

INLINE uint32_t float_word(float x)
{
    return (float_bits){ .number = x }.bits;
}
INLINE float float_from(uint32_t bits)
{
    return (float_bits){ .bits = bits }.number;
}
INLINE uint32_t magnitude_of(float x)
{
    return float_word(x) & 0x7fffffff;
}
INLINE float with_sign_of(float x, float sign)
{
    return float_from(magnitude_of(x) | (float_word(sign) & 0x80000000));
}
INLINE bool is_nanf(float x)
{
    return x != x; // NOLINT(misc-redundant-expression)
}
/* 2^k for -126 <= k <= 127 */
INLINE float power_of_two(int k)
{
    return float_from((uint32_t)(k + 127) << 23);
}
/* x 2^k in two steps: neither factor leaves the range, for -250 < k < 250. */
INLINE float scaled_by(float x, int k)
{
    int half = k >> 1;
    return x * power_of_two(half) * power_of_two(k - half);
}

/* high + low, low at most half a unit of high */
typedef struct two {
    float high, low;
} two;

INLINE two sum_of(float a, float b)
{
    float s = a + b, t = s - a;
    return (two){ s, (a - (s - t)) + (b - t) };
}
/* |a| >= |b| */
INLINE two sum_in_order(float a, float b)
{
    float s = a + b;
    return (two){ s, b - (s - a) };
}
INLINE float upper_half(float x)
{
    return float_from(float_word(x) & 0xfffff000);
}
INLINE two product_of(float a, float b)
{
    float p = a * b, ah = upper_half(a), bh = upper_half(b), al = a - ah, bl = b - bh;
    return (two){ p, ((ah * bh - p) + ah * bl + al * bh) + al * bl };
}
INLINE two times(two a, two b)
{
    two p = product_of(a.high, b.high);
    return sum_in_order(p.high, p.low + (a.high * b.low + a.low * b.high));
}
INLINE two plus(two a, two b)
{
    two s = sum_of(a.high, b.high);
    return sum_in_order(s.high, s.low + (a.low + b.low));
}

#endif
