/* SPDX-License-Identifier: MIT */
/* Double precision by integers: IEEE 754, to nearest even, subnormal numbers kept. A NaN is always the same quiet
 * one.  A number on the way is m 2^(exponent - 1085), exponent as the format has it; normal ones have bit 62 of m
 * set. Bits 9 to 0 are behind the last that fits; bit 0 also stands for all that was lost behind it. */
#include "rt.h"

typedef union bits64 {
    double number;
    uint64_t bits;
} bits64;

#define SIGN64     (UINT64_C(1) << 63)
#define INFINITY64 (UINT64_C(0x7ff) << 52)
#define NAN64      (UINT64_C(0xfff) << 51)
#define TOP        (UINT64_C(1) << 62)

INLINE uint64_t double_bits(double x)
{
    return (bits64){ .number = x }.bits;
}
INLINE double double_of(uint64_t bits)
{
    return (bits64){ .bits = bits }.number;
}
INLINE int exponent_of(uint64_t x)
{
    return (int)(high(x) >> 20 & 0x7ff);
}
INLINE bool is_nan(uint64_t x)
{
    return (x & ~SIGN64) > INFINITY64;
}

INLINE uint64_t shift_right_keeping(uint64_t m, int count)
{
    if (count == 0) return m;
    if (count > 63) return m != 0;
    return m >> count | (m << (64 - count) != 0);
}

/* Where 1 is the top bit of m, or none. */
INLINE uint64_t mantissa_of(uint64_t x, int *exponent)
{
    uint64_t m = (x & ((UINT64_C(1) << 52) - 1)) << 10;
    *exponent = exponent_of(x);
    if (*exponent == 0)
        *exponent = 1;
    else
        m |= TOP;
    return m;
}
/* The same for what is not zero, with bit 62 set. */
INLINE uint64_t normal_mantissa_of(uint64_t x, int *exponent)
{
    uint64_t m = mantissa_of(x, exponent);
    int shift = clz64(m) - 1;
    *exponent -= shift;
    return m << shift;
}

/* m with bit 62 set, as a double. */
static uint64_t pack_number(uint64_t sign, int exponent, uint64_t m)
{
    if (exponent > 0x7fe) return sign | INFINITY64;
    if (exponent < 1) {
        m = shift_right_keeping(m, 1 - exponent);
        exponent = 1;
        m += 0x1ff + (m >> 10 & 1);
        return sign | m >> 10;
    }
    m += 0x1ff + (m >> 10 & 1);
    return sign | (words((uint32_t)(exponent - 1) << 20, 0) + (m >> 10));
}
/* m of any size. */
INLINE uint64_t normalise(uint64_t sign, int exponent, uint64_t m)
{
    if (m == 0) return sign;
    int shift = clz64(m) - 1;
    if (shift < 0) return pack_number(sign, exponent + 1, shift_right_keeping(m, 1));
    return pack_number(sign, exponent - shift, m << shift);
}

static uint64_t add_numbers(uint64_t x, uint64_t y)
{
    uint64_t a = x & ~SIGN64, b = y & ~SIGN64;
    if (a > INFINITY64 || b > INFINITY64) return NAN64;
    if (a < b) {
        uint64_t t = x;
        x = y, y = t;
        t = a, a = b, b = t;
    }
    uint64_t sign = x & SIGN64;
    bool subtracts = ((x ^ y) & SIGN64) != 0;
    if (a == INFINITY64) return b == INFINITY64 && subtracts ? NAN64 : x;
    if (b == 0) return a == 0 && subtracts ? 0 : x;
    int exponent, lower;
    uint64_t m = mantissa_of(a, &exponent), n = mantissa_of(b, &lower);
    n = shift_right_keeping(n, exponent - lower);
    if (!subtracts) return normalise(sign, exponent, m + n);
    return m == n ? 0 : normalise(sign, exponent, m - n);
}

RT double RT_NAME(__adddf3)(double x, double y)
{
    return double_of(add_numbers(double_bits(x), double_bits(y)));
}

RT double RT_NAME(__subdf3)(double x, double y)
{
    return double_of(add_numbers(double_bits(x), double_bits(y) ^ SIGN64));
}

/* What zeros, infinities and NaNs make of a product; false where both are plain numbers. */
INLINE bool special_product(uint64_t a, uint64_t b, uint64_t sign, uint64_t *result)
{
    bool special = true;
    if (a > INFINITY64 || b > INFINITY64)
        *result = NAN64;
    else if (a == INFINITY64 || b == INFINITY64)
        *result = a == 0 || b == 0 ? NAN64 : sign | INFINITY64;
    else if (a == 0 || b == 0)
        *result = sign;
    else
        special = false;
    return special;
}

/* The upper 64 of the 106 bits of a product of 53 bits each, with the rest in bit 0. Digits of 14 bits: the sums of
 * columns stay below 2^32. */
INLINE uint64_t product64(uint64_t m, uint64_t n)
{
    uint32_t a0 = (uint32_t)m & 0x3fff, a1 = (uint32_t)(m >> 14) & 0x3fff, a2 = (uint32_t)(m >> 28) & 0x3fff,
             a3 = high(m) >> 10;
    uint32_t b0 = (uint32_t)n & 0x3fff, b1 = (uint32_t)(n >> 14) & 0x3fff, b2 = (uint32_t)(n >> 28) & 0x3fff,
             b3 = high(n) >> 10;
    uint32_t c0 = a0 * b0;
    uint32_t c1 = a0 * b1 + a1 * b0 + (c0 >> 14);
    uint32_t c2 = a0 * b2 + a1 * b1 + a2 * b0 + (c1 >> 14);
    uint32_t c3 = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + (c2 >> 14);
    uint32_t c4 = a1 * b3 + a2 * b2 + a3 * b1, c5 = a2 * b3 + a3 * b2, c6 = a3 * b3;
    uint64_t upper = c3 + ((uint64_t)c4 << 14) + ((uint64_t)c5 << 28) + ((uint64_t)c6 << 42);
    return upper | (((c0 | c1 | c2) & 0x3fff) != 0);
}

RT double RT_NAME(__muldf3)(double x, double y)
{
    uint64_t a = double_bits(x), b = double_bits(y), sign = (a ^ b) & SIGN64, result;
    a &= ~SIGN64, b &= ~SIGN64;
    if (special_product(a, b, sign, &result)) return double_of(result);
    int p, q;
    uint64_t m = normal_mantissa_of(a, &p) >> 10, n = normal_mantissa_of(b, &q) >> 10;
    return double_of(normalise(sign, p + q - 1023, product64(m, n))); /* 2^52 2^52 2^-42 = 2^62 */
}

/* 62 bits of m / n < 1, 55 of them and what the rest makes of the last. Digits of 11 bits, estimated by floats:
 * never above the true one, and 1 below it at most. */
INLINE uint64_t quotient(uint64_t m, uint64_t n)
{
    float inverse = 0x1.ffffcp-1f / (float)(uint32_t)(n >> 21); /* n 2^-21 has 32 bits */
    uint64_t q = 0;
    for (int digits = 0; digits < 5; digits++) {
        uint32_t digit = (uint32_t)((float)(uint32_t)(m >> 21) * inverse * 2048.0f);
        m = (m << 11) - n * digit;
        if (m >= n) m -= n, digit++;
        q = (q << 11) + digit;
    }
    return q << 7 | (m != 0);
}

RT double RT_NAME(__divdf3)(double x, double y)
{
    uint64_t a = double_bits(x), b = double_bits(y), sign = (a ^ b) & SIGN64;
    a &= ~SIGN64, b &= ~SIGN64;
    if (a > INFINITY64 || b > INFINITY64) return double_of(NAN64);
    if (a == INFINITY64) return double_of(b == INFINITY64 ? NAN64 : sign | a);
    if (b == 0) return double_of(a == 0 ? NAN64 : sign | INFINITY64);
    if (a == 0 || b == INFINITY64) return double_of(sign);
    int p, q;
    uint64_t m = normal_mantissa_of(a, &p) >> 10, n = normal_mantissa_of(b, &q) >> 10;
    int exponent = p - q + 1023;
    if (m < n) m += m, exponent--;
    return double_of(pack_number(sign, exponent, TOP | quotient(m - n, n)));
}

RT double RT_NAME(sqrt)(double x)
{
    uint64_t a = double_bits(x);
    if (is_nan(a)) return double_of(NAN64);
    if ((a & ~SIGN64) == 0 || a == INFINITY64) return x;
    if (a & SIGN64) return double_of(NAN64);
    int exponent;
    uint64_t m = normal_mantissa_of(a, &exponent) >> 10; /* 53 bits */
    exponent -= 1023;
    if (exponent & 1) m += m, exponent--;
    /* 23 bits by floats, then 11 at a time: rest = m 2^... - root^2, which fits 64 bits while its parts do not. The
     * estimates are one off at most. */
    uint64_t root = (uint32_t)(__builtin_sqrtf((float)(uint32_t)(m >> 22)) * 128.0f) - 1,
             rest = (m >> 8) - root * root;
    uint32_t more = (uint32_t)m & 0xff;
    for (int i = 0; i < 3; i++, more = 0) {
        uint32_t digit = (uint32_t)(to_float(rest) * 1024.0f / to_float(root));
        rest = (rest << 22) + (more << 14) - digit * ((root << 12) + digit);
        root = (root << 11) + digit;
        while ((int64_t)rest < 0) rest += root + root - 1, root--;
        while (rest > root + root) rest -= root + root + 1, root++;
    }
    return double_of(pack_number(0, (exponent >> 1) + 1023, root << 7 | (rest != 0)));
}

/* -1, 0, 1, or `unordered` */
INLINE int compare_numbers(double x, double y, int unordered)
{
    uint64_t a = double_bits(x), b = double_bits(y);
    if (is_nan(a) || is_nan(b)) return unordered;
    if (((a | b) & ~SIGN64) == 0) return 0;
    int64_t p = (int64_t)a, q = (int64_t)b;
    if (p == q) return 0;
    bool less = p < 0 && q < 0 ? p > q : p < q;
    return less ? -1 : 1;
}
#define COMPARISON(name, unordered)              \
    RT int RT_NAME(name)(double x, double y)     \
    {                                            \
        return compare_numbers(x, y, unordered); \
    }
COMPARISON(__eqdf2, 1)
COMPARISON(__nedf2, 1)
COMPARISON(__ltdf2, 1)
COMPARISON(__ledf2, 1)
COMPARISON(__gtdf2, -1)
COMPARISON(__gedf2, -1)
#undef COMPARISON
RT int RT_NAME(__unorddf2)(double x, double y)
{
    return is_nan(double_bits(x)) || is_nan(double_bits(y));
}
