/* SPDX-License-Identifier: MIT */
/* convert: the hot scalar conversions, inline, so that the vec box builds its kernels from exactly the code that the
 * scalar functions of <tilewright/type.h> run.
 *
 * Only 32-bit integer operations and exact float operations: no _Float16, no library call, no table. With a constant
 * `mode` every branch below folds to selects that compilers vectorise; the nearest-even forms have none left.
 * They assume the default floating-point environment (round to nearest; DAZ/FTZ off).
 *
 * One rule decides every rounding of the project: tw__round_up. */
#ifndef TW_TYPE_CONVERT_H
#define TW_TYPE_CONVERT_H

#include <string.h>
#include <tilewright/type.h>

#define TW__INLINE static inline __attribute__((always_inline, unused))

TW__INLINE uint32_t tw__f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

TW__INLINE float tw__f32_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

TW__INLINE uint64_t tw__f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

TW__INLINE double tw__f64_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* yes or no by bits: both are computed, so compilers vectorise without having to prove that nothing traps. */
TW__INLINE uint32_t tw__select(bool condition, uint32_t yes, uint32_t no)
{
    uint32_t mask = 0u - (uint32_t)condition;
    return (yes & mask) | (no & ~mask);
}

/* --- rounding ------------------------------------------------------------------------------------------------- */

/* 1 when a magnitude rounds away from zero.
 *   odd       low bit of the kept part
 *   fraction  the dropped part, 0 .. 2 half - 1; longer fractions are cut to 31 bits and the last one is set when
 *             anything was lost (tw__jam), which leaves every comparison here as it was
 *   half      weight of one half: a power of two, at most 2^30
 *   random    low bits used by TW_ROUND_STOCHASTIC, as many as the fraction has: up with probability fraction / 2
 *   half */
TW__INLINE uint32_t tw__round_up(uint32_t odd, uint32_t fraction, uint32_t half, bool negative, tw_rounding mode,
                                 uint32_t random)
{
    switch (mode) {
    case TW_ROUND_NEAREST_EVEN: return (fraction > half) | ((fraction == half) & odd);
    case TW_ROUND_ZERO: return 0;
    case TW_ROUND_UP: return (fraction != 0) & !negative;
    case TW_ROUND_DOWN: return (fraction != 0) & negative;
    case TW_ROUND_NEAREST_AWAY: return fraction >= half;
    case TW_ROUND_NEAREST_ZERO: return fraction > half;
    case TW_ROUND_NEAREST_UP: return (fraction > half) | ((fraction == half) & !negative);
    case TW_ROUND_NEAREST_DOWN: return (fraction > half) | ((fraction == half) & negative);
    case TW_ROUND_NEAREST_ODD: return (fraction > half) | ((fraction == half) & (odd ^ 1));
    case TW_ROUND_TO_ODD: return (fraction != 0) & (odd ^ 1);
    case TW_ROUND_STOCHASTIC: return fraction + (random & (2 * half - 1)) >= 2 * half;
    case TW_ROUND_COUNT: break;
    }
    return 0;
}

/* True when a magnitude past the largest finite number becomes infinity, false when it becomes that number. */
TW__INLINE bool tw__overflows(bool negative, tw_rounding mode)
{
    switch (mode) {
    case TW_ROUND_ZERO:
    case TW_ROUND_TO_ODD: return false;
    case TW_ROUND_UP: return !negative;
    case TW_ROUND_DOWN: return negative;
    case TW_ROUND_NEAREST_EVEN:
    case TW_ROUND_NEAREST_AWAY:
    case TW_ROUND_NEAREST_ZERO:
    case TW_ROUND_NEAREST_UP:
    case TW_ROUND_NEAREST_DOWN:
    case TW_ROUND_NEAREST_ODD:
    case TW_ROUND_STOCHASTIC:
    case TW_ROUND_COUNT: break;
    }
    return true;
}

/* --- half ----------------------------------------------------------------------------------------------------- */

TW__INLINE float tw__f16_to_f32(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, shifted = (uint32_t)(half & 0x7fff) << 13;
    uint32_t normal = shifted + (112u << 23);
    /* Subnormals: put the bits below a leading one of 2^-14 and let an exact subtraction normalise them. */
    uint32_t subnormal = tw__f32_bits(tw__f32_from_bits(shifted + (113u << 23)) - tw__f32_from_bits(113u << 23));
    uint32_t special = shifted | 0x7f800000u | ((shifted > 0x0f800000u) ? 0x00400000u : 0u); /* NaN made quiet */
    uint32_t bits =
        tw__select(shifted < 0x00800000u, subnormal, tw__select(shifted < 0x0f800000u, normal, special));
    return tw__f32_from_bits(bits | sign);
}

/* Magnitude bits (sign clear, not NaN) of a float to those of a half, nearest even. 65520 and up give infinity. */
TW__INLINE uint32_t tw__f16_nearest_even(uint32_t magnitude)
{
    uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    /* Below 2^-14: adding 0.5 makes the float adder drop the bits under 2^-24, rounded as wanted. */
    uint32_t subnormal = tw__f32_bits(tw__f32_from_bits(magnitude) + 0.5f) - tw__f32_bits(0.5f);
    uint32_t finite = tw__select(magnitude < (113u << 23), subnormal, normal);
    return tw__select(magnitude >= (143u << 23), 0x7c00u, finite);
}

TW__INLINE uint32_t tw__f16_rounded(uint32_t magnitude, bool negative, tw_rounding mode, uint32_t random)
{
    uint32_t exponent = magnitude >> 23;
    if (exponent >= 143) /* 2^16 and up */
        return magnitude == 0x7f800000u || tw__overflows(negative, mode) ? 0x7c00u : 0x7bffu;
    if (exponent >= 113) {
        uint32_t kept = (magnitude - (112u << 23)) >> 13;
        return kept + tw__round_up(kept & 1, magnitude & 0x1fff, 0x1000, negative, mode, random);
    }
    /* Subnormal half: count of 2^-24. Shifts past 31 bits keep only that something was lost. */
    uint32_t mantissa = (magnitude & 0x7fffff) | (exponent ? 0x800000u : 0u),
             shift = 126 - (exponent ? exponent : 1);
    if (shift > 31) {
        uint32_t extra = shift - 31 < 31 ? shift - 31 : 31;
        mantissa = mantissa >> extra | ((mantissa & ((1u << extra) - 1)) != 0);
        shift = 31;
    }
    uint32_t kept = mantissa >> shift;
    return kept + tw__round_up(kept & 1, mantissa & ((1u << shift) - 1), 1u << (shift - 1), negative, mode, random);
}

/* NaN stays a quiet NaN with the top of its payload. With saturation the largest half replaces infinity. */
TW__INLINE uint16_t tw__f32_to_f16(float value, tw_rounding mode, tw_saturation saturation, uint32_t random)
{
    uint32_t bits = tw__f32_bits(value), magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    uint32_t half = mode == TW_ROUND_NEAREST_EVEN ? tw__f16_nearest_even(magnitude)
                                                  : tw__f16_rounded(magnitude, sign != 0, mode, random);
    if (saturation != TW_SAT_NONE) half = half > 0x7bffu ? 0x7bffu : half;
    uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x1ffu);
    return (uint16_t)(sign | tw__select(magnitude > 0x7f800000u, nan, half));
}

/* --- bfloat16 ------------------------------------------------------------------------------------------------- */

TW__INLINE float tw__bf16_to_f32(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    return tw__f32_from_bits(wide | ((wide & 0x7fffffffu) > 0x7f800000u ? 0x00400000u : 0u));
}

TW__INLINE uint16_t tw__f32_to_bf16(float value, tw_rounding mode, tw_saturation saturation, uint32_t random)
{
    uint32_t bits = tw__f32_bits(value), magnitude = bits & 0x7fffffffu, kept = magnitude >> 16;
    uint32_t rounded = kept + tw__round_up(kept & 1, magnitude & 0xffff, 0x8000, bits >> 31, mode, random);
    if (saturation != TW_SAT_NONE) rounded = rounded > 0x7f7fu ? 0x7f7fu : rounded;
    return (uint16_t)((bits >> 16 & 0x8000u) | tw__select(magnitude > 0x7f800000u, kept | 0x40u, rounded));
}

/* --- double to narrower floats -------------------------------------------------------------------------------- */

/* Rounded to odd: a second rounding to a format of at most 22 bits (half, bfloat16) then gives what one rounding of
 * the double would. Infinity and NaN pass. */
TW__INLINE float tw__f64_to_f32_odd(double value)
{
    float near = (float)value;
    uint64_t exact = tw__f64_bits(value) << 1, got = tw__f64_bits((double)near) << 1; /* magnitudes */
    uint32_t bits = tw__f32_bits(near), even = ~bits & 1, number = exact <= UINT64_C(0x7ff) << 53;
    uint32_t up = got<exact, down = got> exact; /* down also from infinity to FLT_MAX */
    return tw__f32_from_bits(bits + (even & number & up) - (even & number & down));
}

/* Any mode but TW_ROUND_STOCHASTIC, whose fraction is wider than a float's (tw_f64_to_f16 has that). */
TW__INLINE uint16_t tw__f64_to_f16(double value, tw_rounding mode, tw_saturation saturation)
{
    return tw__f32_to_f16(tw__f64_to_f32_odd(value), mode, saturation, 0);
}

TW__INLINE uint16_t tw__f64_to_bf16(double value, tw_rounding mode, tw_saturation saturation)
{
    return tw__f32_to_bf16(tw__f64_to_f32_odd(value), mode, saturation, 0);
}

/* --- float to integer ----------------------------------------------------------------------------------------- */

/* Rounded to an integral value; the sign stays, also of zero. NaN and infinity pass. */
TW__INLINE float tw__f32_round(float value, tw_rounding mode, uint32_t random)
{
    uint32_t bits = tw__f32_bits(value), sign = bits & 0x80000000u, magnitude = bits ^ sign;
    bool has_fraction = magnitude < 0x4b000000u; /* below 2^23 */
    if (mode == TW_ROUND_STOCHASTIC) {           /* as many low bits of `random` as the value has fraction bits */
        uint32_t dropped = 150 - (magnitude >> 23);
        random <<= dropped < 31 ? 31 - dropped : 0;
    }
    float size = tw__f32_from_bits(tw__select(has_fraction, magnitude, 0)), rounded;
    if (mode == TW_ROUND_NEAREST_EVEN) {
        rounded = (size + 0x1p23f) - 0x1p23f;
    } else {
        int32_t whole = (int32_t)size;
        float scaled = (size - (float)whole) * 0x1p31f; /* exact */
        uint32_t fraction = (uint32_t)(int32_t)scaled;
        fraction |= tw__f32_bits((float)(int32_t)fraction) != tw__f32_bits(scaled);
        rounded = (float)(whole + (int32_t)tw__round_up(whole & 1, fraction, 1u << 30, sign != 0, mode, random));
    }
    return tw__f32_from_bits(tw__select(has_fraction, tw__f32_bits(rounded), magnitude) | sign);
}

/* The low 32 bits of an integral float, two's complement; 0 from 2^55 on, where they are all zero. */
TW__INLINE uint32_t tw__f32_low_bits(float integral)
{
    uint32_t bits = tw__f32_bits(integral), exponent = bits >> 23 & 0xff;
    uint32_t mantissa = (bits & 0x7fffff) | 0x800000u;
    uint32_t left = exponent - 150,
             right = 150 - exponent; /* each wraps to a large number when the other applies */
    uint32_t low = left < 32 ? mantissa << (left & 31) : right < 24 ? mantissa >> (right & 31) : 0;
    return bits >> 31 ? 0u - low : low;
}

/* To an integer of `bits` (2 .. 32) bits; the result is extended to 32 bits as the type says (cast it for u32).
 * Saturating: NaN gives 0. Wrapping: the low bits of the rounded value; NaN and infinity give the type's minimum. */
TW__INLINE int32_t tw__f32_to_int(float value, unsigned bits, bool is_signed, tw_rounding mode,
                                  tw_saturation saturation, uint32_t random)
{
    float rounded = tw__f32_round(value, mode, random);
    uint32_t max = 0xffffffffu >> (32 - bits + is_signed);
    uint32_t min = is_signed ? 0u - max - (saturation != TW_SAT_SYMMETRIC) : 0;
    if (saturation == TW_SAT_NONE) {
        bool finite = (tw__f32_bits(rounded) & 0x7f800000u) != 0x7f800000u;
        uint32_t low = finite ? tw__f32_low_bits(rounded) : min, unused = 32 - bits;
        return is_signed ? (int32_t)(low << unused) >> unused : (int32_t)(low << unused >> unused);
    }
    uint32_t integral = tw__f32_bits(rounded), magnitude = integral & 0x7fffffffu, low;
    uint32_t end = (127 + bits - is_signed) << 23; /* bits of the power of two past the maximum */
    bool negative = integral >> 31;
    if (bits == 32 && !is_signed)
        low = tw__f32_low_bits(rounded);
    else
        low = (uint32_t)(int32_t)tw__f32_from_bits(tw__select(magnitude < end, integral, 0));
    uint32_t limit = tw__select(negative, min, max);
    low = tw__select(magnitude >= end, limit, is_signed ? low : tw__select(negative, 0, low));
    return (int32_t)tw__select(magnitude > 0x7f800000u, 0, low);
}
#endif
