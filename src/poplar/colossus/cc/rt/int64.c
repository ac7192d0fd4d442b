/* SPDX-License-Identifier: MIT */
/* Integers of 64 bits: shifts by variable counts, product, division. */
#include "rt.h"

RT uint64_t RT_HELPER(ashldi3)(uint64_t x, int count)
{
    uint32_t low = (uint32_t)x, n = (uint32_t)count & 31;
    if (count & 32) return words(low << n, 0);
    if (n == 0) return x;
    return words(high(x) << n | low >> (32 - n), low << n);
}

RT uint64_t RT_HELPER(lshrdi3)(uint64_t x, int count)
{
    uint32_t top = high(x), n = (uint32_t)count & 31;
    if (count & 32) return top >> n;
    if (n == 0) return x;
    return words(top >> n, (uint32_t)x >> n | top << (32 - n));
}

RT int64_t RT_HELPER(ashrdi3)(int64_t x, int count)
{
    uint32_t n = (uint32_t)count & 31;
    int32_t top = (int32_t)high((uint64_t)x);
    if (count & 32) return (int64_t)words((uint32_t)(top >> 31), (uint32_t)(top >> n));
    if (n == 0) return x;
    return (int64_t)words((uint32_t)(top >> n), (uint32_t)x >> n | (uint32_t)top << (32 - n));
}

/* The chip multiplies to 32 bits: halves of 16 bits. */
RT uint64_t RT_HELPER(muldi3)(uint64_t x, uint64_t y)
{
    uint32_t a = (uint32_t)x, b = (uint32_t)y;
    uint32_t a0 = a & 0xffff, a1 = a >> 16, b0 = b & 0xffff, b1 = b >> 16;
    uint32_t low = a0 * b0, middle = a1 * b0 + (low >> 16), other = a0 * b1 + (middle & 0xffff);
    uint32_t top = a1 * b1 + (middle >> 16) + (other >> 16);
    return words(top + a * high(y) + high(x) * b, other << 16 | (low & 0xffff));
}

typedef struct division {
    uint64_t quotient, rest;
} division;

#ifdef TW_RT_SUPERVISOR
/* One bit of the quotient at a time. */
INLINE division divide64(uint64_t n, uint64_t d)
{
    uint64_t q = 0;
    if (d == 0 || n < d) return (division){ 0, n };
    int shift = clz64(d) - clz64(n);
    d <<= shift;
    for (; shift >= 0; shift--, d >>= 1) {
        q += q;
        if (n >= d) n -= d, q++;
    }
    return (division){ q, n };
}
#else
INLINE float to_float(uint64_t x)
{
    return (float)high(x) * 0x1p32f + (float)(uint32_t)x;
}

/* As in divide.S: a quotient of floats that is never above the true one and short of it by less than 2^-19 of it
 * leaves a rest for the next round. */
INLINE division divide64(uint64_t n, uint64_t d)
{
    if (high(n | d) == 0) {
        uint32_t q = (uint32_t)n / (uint32_t)d;
        return (division){ q, (uint32_t)n - q * (uint32_t)d };
    }
    uint64_t q = 0;
    float inverse = 0x1.ffffep-1f / to_float(d);
    while (n >= d) {
        float estimate = to_float(n) * inverse;
        uint32_t top = (uint32_t)(estimate * 0x1p-32f), low = (uint32_t)(estimate - (float)top * 0x1p32f);
        uint64_t step = words(top, low);
        if (step == 0) step = 1;
        q += step;
        n -= step * d;
    }
    return (division){ q, n };
}
#endif

RT uint64_t RT_HELPER(udivdi3)(uint64_t n, uint64_t d)
{
    return divide64(n, d).quotient;
}

RT uint64_t RT_HELPER(umoddi3)(uint64_t n, uint64_t d)
{
    return divide64(n, d).rest;
}

RT uint64_t RT_HELPER(udivmoddi4)(uint64_t n, uint64_t d, uint64_t *rest)
{
    division both = divide64(n, d);
    if (rest) *rest = both.rest;
    return both.quotient;
}

INLINE uint64_t magnitude64(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

RT int64_t RT_HELPER(divdi3)(int64_t n, int64_t d)
{
    uint64_t q = divide64(magnitude64(n), magnitude64(d)).quotient;
    return (int64_t)((n ^ d) < 0 ? 0 - q : q);
}

RT int64_t RT_HELPER(moddi3)(int64_t n, int64_t d)
{
    uint64_t r = divide64(magnitude64(n), magnitude64(d)).rest;
    return (int64_t)(n < 0 ? 0 - r : r);
}
