/* SPDX-License-Identifier: MIT */
/* Conversions that the chip has no instruction for: from and to double and integers of 64 bits. Integers that do
 * not hold a value become the nearest they can be, a NaN 0. Uses double.c. */
#include "float.h"

typedef union bits32 {
    float number;
    uint32_t bits;
} bits32;
typedef union bits16 {
    _Float16 number;
    uint16_t bits;
} bits16;

/* --- other floats
 * ------------------------------------------------------------------------------------------------ */

/* A smaller format: bits of mantissa and exponent. */
INLINE uint64_t widened(uint32_t x, int mantissa, int exponent)
{
    uint32_t sign = x >> (mantissa + exponent), e = x >> mantissa & ((1u << exponent) - 1),
             m = x & ((1u << mantissa) - 1);
    int bias = (1 << (exponent - 1)) - 1;
    uint64_t top = sign ? SIGN64 : 0;
    if (e == (1u << exponent) - 1) return m ? NAN64 : top | INFINITY64;
    if (e) return top | (uint64_t)(e + 1023 - (unsigned)bias) << 52 | (uint64_t)m << (52 - mantissa);
    return normalise(top, 1023 - bias + 1, (uint64_t)m << (62 - mantissa));
}

INLINE uint32_t narrowed(uint64_t x, int mantissa, int exponent)
{
    uint32_t sign = high(x) >> 31 << (mantissa + exponent), all = (1u << exponent) - 1;
    int bias = (1 << (exponent - 1)) - 1, e = exponent_of(x) - 1023 + bias;
    if (is_nan(x)) return all << mantissa | 1u << (mantissa - 1);
    if ((x & ~SIGN64) == 0) return sign;
    int unused;
    uint64_t m = mantissa_of(x, &unused);
    if (e >= (int)all) return sign | all << mantissa;
    if (e < 1) m = shift_right_keeping(m, 1 - e > 63 ? 64 : 1 - e), e = 1;
    /* the bits that stay, and one behind them with all the rest */
    int behind = 62 - mantissa;
    uint64_t half = UINT64_C(1) << (behind - 1), kept = m >> behind;
    uint64_t rest = m - (kept << behind);
    uint32_t value = ((uint32_t)(e - 1) << mantissa) + (uint32_t)kept;
    if (rest > half || (rest == half && (kept & 1))) value++;
    return sign | value;
}

RT double RT_NAME(__extendsfdf2)(float x)
{
    return double_of(widened((bits32){ .number = x }.bits, 23, 8));
}
RT float RT_NAME(__truncdfsf2)(double x)
{
    return (bits32){ .bits = narrowed(double_bits(x), 23, 8) }.number;
}
RT double RT_NAME(__extendhfdf2)(_Float16 x)
{
    return double_of(widened((bits16){ .number = x }.bits, 10, 5));
}
RT _Float16 RT_NAME(__truncdfhf2)(double x)
{
    return (bits16){ .bits = (uint16_t)narrowed(double_bits(x), 10, 5) }.number;
}

/* --- from integers
 * ----------------------------------------------------------------------------------------------- */

RT double RT_NAME(__floatundidf)(uint64_t x)
{
    return double_of(normalise(0, 1085, x));
}
RT double RT_NAME(__floatdidf)(int64_t x)
{
    uint64_t sign = x < 0 ? SIGN64 : 0;
    return double_of(normalise(sign, 1085, sign ? 0 - (uint64_t)x : (uint64_t)x));
}
/* 32 bits always fit: no rounding */
RT double RT_NAME(__floatunsidf)(uint32_t x)
{
    if (x == 0) return double_of(0);
    int shift = __builtin_clz(x);
    uint32_t m = shift == 31 ? 0 : x << (shift + 1); /* behind the first 1 */
    return double_of(words((uint32_t)(1023 + 31 - shift) << 20 | m >> 12, m << 20));
}
RT double RT_NAME(__floatsidf)(int32_t x)
{
    uint32_t sign = x < 0 ? UINT32_C(1) << 31 : 0;
    uint64_t bits = double_bits(RT_NAME(__floatunsidf)(sign ? 0 - (uint32_t)x : (uint32_t)x));
    return double_of(bits | words(sign, 0));
}

/* The upper part of a number that has more bits than a float: 32 bits of it, the last for all that follow. */
INLINE float float_of_positive(uint64_t x)
{
    if (high(x) == 0) return (float)(uint32_t)x;
    int shift = 32 - __builtin_clz(high(x));
    uint32_t m = (uint32_t)(x >> shift);
    if (x << (64 - shift)) m |= 1;
    return (float)m * (bits32){ .bits = (uint32_t)(127 + shift) << 23 }.number;
}
RT float RT_NAME(__floatundisf)(uint64_t x)
{
    return float_of_positive(x);
}
RT float RT_NAME(__floatdisf)(int64_t x)
{
    return x < 0 ? -float_of_positive(0 - (uint64_t)x) : float_of_positive((uint64_t)x);
}

/* --- to integers
 * --------------------------------------------------------------------------------------------------- */

/* The integer part of |x|, or `most` where it is larger. */
INLINE uint64_t integer_part(uint64_t x, uint64_t most)
{
    int e = exponent_of(x) - 1023;
    if (e < 0) return 0;
    if (e > 63) return most;
    uint64_t m = (x & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    uint64_t part = e > 52 ? m << (e - 52) : m >> (52 - e);
    return part > most ? most : part;
}
INLINE int64_t signed_part(uint64_t x, uint64_t most)
{
    if (is_nan(x)) return 0;
    if (x & SIGN64) return (int64_t)(0 - integer_part(x, most + 1));
    return (int64_t)integer_part(x, most);
}
INLINE uint64_t unsigned_part(uint64_t x, uint64_t most)
{
    return is_nan(x) || (x & SIGN64) ? 0 : integer_part(x, most);
}

RT int32_t RT_NAME(__fixdfsi)(double x)
{
    return (int32_t)signed_part(double_bits(x), INT32_MAX);
}
RT int64_t RT_NAME(__fixdfdi)(double x)
{
    return signed_part(double_bits(x), INT64_MAX);
}
RT uint32_t RT_NAME(__fixunsdfsi)(double x)
{
    return (uint32_t)unsigned_part(double_bits(x), UINT32_MAX);
}
RT uint64_t RT_NAME(__fixunsdfdi)(double x)
{
    return unsigned_part(double_bits(x), UINT64_MAX);
}
RT int64_t RT_NAME(__fixsfdi)(float x)
{
    return signed_part(widened((bits32){ .number = x }.bits, 23, 8), INT64_MAX);
}
RT uint64_t RT_NAME(__fixunssfdi)(float x)
{
    return unsigned_part(widened((bits32){ .number = x }.bits, 23, 8), UINT64_MAX);
}

/* --- to whole numbers that stay double
 * ---------------------------------------------------------------------------- */

/* Bits behind the point go; `up` is added to the magnitude where they were not all zero. */
typedef enum rounding { DOWN, UP, ZERO, EVEN, AWAY } rounding;
INLINE double whole_part(double number, rounding how)
{
    uint64_t x = double_bits(number), sign = x & SIGN64, a = x & ~SIGN64;
    int e = exponent_of(x) - 1023;
    if (a > INFINITY64) return double_of(NAN64);
    if (e > 51 || a == 0) return number;
    /* the unit's bit in the format, for numbers below 1 the lowest of the exponent: 1.0 is all that can come */
    if (e < 0) {
        bool one = how == DOWN   ? sign != 0
                   : how == UP   ? sign == 0
                   : how == EVEN ? a > UINT64_C(0x3fe) << 52
                                 : how == AWAY && e == -1;
        return double_of(sign | (one ? UINT64_C(0x3ff) << 52 : 0));
    }
    uint64_t unit = UINT64_C(1) << (52 - e), rest = a & (unit - 1), kept = a - rest;
    if (rest == 0) return number;
    bool more = how == DOWN   ? sign != 0
                : how == UP   ? sign == 0
                : how == EVEN ? rest > unit >> 1 || (rest == unit >> 1 && (kept & unit))
                              : how == AWAY && rest >= unit >> 1;
    return double_of(sign | (kept + (more ? unit : 0)));
}
RT double RT_NAME(floor)(double x)
{
    return whole_part(x, DOWN);
}
RT double RT_NAME(ceil)(double x)
{
    return whole_part(x, UP);
}
RT double RT_NAME(trunc)(double x)
{
    return whole_part(x, ZERO);
}
RT double RT_NAME(rint)(double x)
{
    return whole_part(x, EVEN);
}
RT double RT_NAME(nearbyint)(double x)
{
    return whole_part(x, EVEN);
}
RT double RT_NAME(round)(double x)
{
    return whole_part(x, AWAY);
}

/* --- whole remainders, and the product and sum with one rounding
 * ---------------------------------------------------- */

RT double RT_NAME(fmod)(double x, double y)
{
    uint64_t a = double_bits(x) & ~SIGN64, b = double_bits(y) & ~SIGN64, sign = double_bits(x) & SIGN64;
    if (a >= INFINITY64 || b > INFINITY64 || b == 0) return double_of(NAN64);
    if (a < b) return x;
    int p, q;
    uint64_t m = normal_mantissa_of(a, &p) >> 10, n = normal_mantissa_of(b, &q) >> 10;
    for (; p > q; p--) {
        if (m >= n) m -= n;
        m += m;
    }
    if (m >= n) m -= n;
    return double_of(normalise(sign, q, m << 10));
}

/* 0, or 2^-39 to 2^52: nothing that a product of such numbers, or a sum with it, loses is subnormal. */
INLINE bool is_everyday(float x)
{
    return x == 0.0f || (float_word(x) >> 23 & 255) - 88 <= 90;
}
/* x y + z of such numbers, in floats: u + t + w is exact, and the part that is small keeps what it loses in bit 0. */
INLINE float fused_everyday(float x, float y, float z)
{
    two u = product_of(x, y), t = sum_of(z, u.low), v = sum_of(u.high, t.high), w = sum_of(t.low, v.low);
    uint32_t odd = float_word(w.high);
    if (w.low != 0.0f && (odd & 1) == 0) odd += (w.low < 0.0f) == (w.high < 0.0f) ? 1 : UINT32_MAX;
    return v.high + float_from(odd);
}
/* x y + z: the product of 24 bits each is whole, the sum keeps what it loses in bit 0. */
RT float RT_NAME(fmaf)(float x, float y, float z)
{
    if (is_everyday(x) && is_everyday(y) && is_everyday(z))
        return x == 0.0f || y == 0.0f ? x * y + z : fused_everyday(x, y, z);
    uint64_t a = widened((bits32){ .number = x }.bits, 23, 8), b = widened((bits32){ .number = y }.bits, 23, 8);
    uint64_t c = widened((bits32){ .number = z }.bits, 23, 8),
             exact = double_bits(RT_NAME(__muldf3)(double_of(a), double_of(b)));
    uint64_t sum = add_numbers(exact, c);
    if (exponent_of(sum) == 0x7ff || (sum & ~SIGN64) == 0) return (bits32){ .bits = narrowed(sum, 23, 8) }.number;
    /* To odd: where the sum was rounded, the neighbour with the last bit 1 stands for all between. */
    uint64_t larger = (exact & ~SIGN64) >= (c & ~SIGN64) ? exact : c, smaller = larger == exact ? c : exact;
    uint64_t back = add_numbers(add_numbers(sum, larger ^ SIGN64), smaller ^ SIGN64); /* what was added too much */
    if ((back & ~SIGN64) != 0 && (sum & 1) == 0) sum += (back ^ sum) & SIGN64 ? 1 : UINT64_MAX;
    return (bits32){ .bits = narrowed(sum, 23, 8) }.number;
}
