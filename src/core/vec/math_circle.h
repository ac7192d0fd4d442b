/* SPDX-License-Identifier: MIT */
/* Sine, cosine, tangent and their inverses in float arithmetic, as math_float.h has it. */
#ifndef TW_VEC_MATH_CIRCLE_H
#define TW_VEC_MATH_CIRCLE_H

#include "core/vec/math_float.h"

/* --- sine, cosine, tangent ------------------------------------------------------------------------------------- */

/* a = k pi / 2 + s + low, |s| <= pi / 4 and a little; k in the low bits of `turns`. a below 1024, so that k has 10
 * bits and its products with three parts of pi / 2 are exact, as are two of the differences: all are multiples of
 * 2^-24. */
INLINE vf reduce_circle(vf a, vf *low, vu *turns)
{
    vf t = a * 0x1.45f306p-1f + ROUNDS_TO_INTEGER;
    vf k = t - ROUNDS_TO_INTEGER;
    vf r = less_exact(less_exact(a, k, all_f32(0x1.921p0f)), k, all_f32(0x1.f6ap-13f));
    vf s = less_exact(r, k, all_f32(0x1.11p-26f));
    *low = less_exact(r - s, k, all_f32(0x1.11p-26f)) - k * 0x1.68c234p-39f;
    *turns = (vu)t;
    return s;
}
INLINE vf sine_tail(vf s, vf z, vf low)
{
    vf p = (z * -0x1.9951e6p-13f + 0x1.110774p-7f) * z - 0x1.555546p-3f;
    return s * z * p + low;
}
/* Sine where the quarter turn is even, cosine where it is odd; the half turn's sign is the caller's. */
INLINE vf sine_or_cosine(vf a, vu shift, vu *turns)
{
    vf low, s = reduce_circle(a, &low, turns), z = s * s;
    *turns += shift;
    vf sine = s + sine_tail(s, z, low);
    vf q = (z * 0x1.99e810p-16f - 0x1.6c0c28p-10f) * z + 0x1.55554ap-5f;
    vf half = all_f32(0.5f), main = less_exact(all_f32(1.0f), z, half);
    vf cosine = main + (less_exact(1.0f - main, z, half) + (z * z * q - s * low));
    return blend_f32(odd_bits(*turns), cosine, sine);
}
INLINE vf sin_usual(vf x, vk *odd)
{
    vu turns;
    *odd = outside_magnitude(x, 0x44800000); /* 1024 */
    vf y = sine_or_cosine(abs_f32(x), (vu){ 0 }, &turns);
    return (vf)((vu)y ^ (((turns << 30) ^ (vu)x) & 0x80000000));
}
INLINE vf cos_usual(vf x, vk *odd)
{
    vu turns;
    *odd = outside_magnitude(x, 0x44800000);
    vf y = sine_or_cosine(abs_f32(x), (vu){ 0 } + 1, &turns);
    return (vf)((vu)y ^ ((turns << 30) & 0x80000000));
}
/* s + s^3 P(s^2) as a sum of two, and -1 over it in odd quarters, with what the division left */
INLINE vf tan_usual(vf x, vk *odd)
{
    vu turns;
    *odd = outside_magnitude(x, 0x44800000);
    vf left, most = reduce_circle(abs_f32(x), &left, &turns), s = most + left, low = left - (s - most), z = s * s;
    vf p = z * 0x1.1f187ap-8f + 0x1.5d4046p-14f;
    p = p * z + 0x1.632428p-7f;
    p = p * z + 0x1.5cb20cp-6f;
    p = p * z + 0x1.badae4p-5f;
    p = p * z + 0x1.110d9ap-3f;
    p = p * z + 0x1.555560p-2f;
    vf squared = remainder_of(s, s, -z); /* what z lost */
    vf tail = s * z * p, y = s + tail;
    vf rest = (tail - (y - s)) + ((low + low * (z * 1.5f)) + s * (squared * 0.4f));
    vf q = -1.0f / y;
    vf inverse = q + q * (remainder_of(q, y, all_f32(1.0f)) + q * rest);
    return (vf)((vu)blend_f32(odd_bits(turns), inverse, y + rest) ^ ((vu)x & 0x80000000));
}

/* --- inverses -------------------------------------------------------------------------------------------------- */

/* |x| up to 1 as t + t (z p - z / 4), p = q z + c + z / 8, z = t^2: what is exact there keeps the rest small; above
 * that what its inverse leaves of pi / 2 */
INLINE vf atan_usual(vf x, vk *odd)
{
    *odd = outside_magnitude(x, 0x7f800000);
    vf a = at_most_f32(abs_f32(x), 0x1p26f); /* from there on pi / 2 */
    vk near = below_f32(a, 1.0f);
    vf t = blend_f32(near, a, 1.0f / a), z = t * t;
    vf q = z * -0x1.d51658p-10f + 0x1.650710p-7f;
    q = q * z - 0x1.fe3ad4p-6f;
    q = q * z + 0x1.da7cf4p-5f;
    q = q * z - 0x1.581d94p-4f;
    q = q * z + 0x1.c091e6p-4f;
    q = q * z - 0x1.4841d0p-4f;
    q = q * z + less_exact(all_f32(0x1.3323d2p-4f), z, all_f32(0.0625f));
    vf p = q * z + less_exact(all_f32(-0x1.5554f8p-4f), z, all_f32(-0.125f));
    /* what the division lost, times 1 / (1 + z) */
    vf lost = t * remainder_of(-t, a, all_f32(1.0f)) * (1.0f - 0.5f * z);
    vf tail = t * less_exact(z * p, z, all_f32(0.25f)), sum = t + tail, rest = tail - (sum - t);
    vf pi_2 = all_f32(0x1.921fb6p0f), far = pi_2 - sum;
    far = far + (((pi_2 - far) - sum) - (rest + (lost + 0x1.777a5cp-25f)));
    return copysign_f32(blend_f32(near, sum, far), x);
}

/* asin(s) - s where s is |x|, or above 1/2 asin(s) less the rounded s = sqrt((1 - |x|) / 2): half of what |x| lacks
 * to pi / 2. What the root lost is (z - s^2) / (2 s), for which a guess at the bits of 1 / (2 s) is good enough. */
INLINE vf asin_tail(vf a, vk near, vf *s)
{
    vf far = 0.5f - 0.5f * a, root = sqrt_f32(far);
    vf lost = remainder_of(root, -root, far) * (vf)(0x7e6b0000 - (vu)root);
    vf z = blend_f32(near, a * a, far);
    *s = blend_f32(near, a, root);
    vf p = z * 0x1.596484p-5f + 0x1.8c373ep-6f;
    p = p * z + 0x1.747c2cp-5f;
    p = p * z + 0x1.330202p-4f;
    p = p * z + 0x1.5555c8p-3f;
    return *s * z * p + blend_f32(near, (vf){ 0 }, lost);
}
/* high + low of pi / 2 less main less tail */
INLINE vf less_than_right(vf main, vf tail)
{
    vf pi_2 = all_f32(0x1.921fb6p0f), sum = pi_2 - main;
    return sum + (((pi_2 - sum) - main) - (tail + 0x1.777a5cp-25f));
}
INLINE vf asin_usual(vf x, vk *odd)
{
    *odd = outside_magnitude(x, 0x3f800000);
    vf s, a = abs_f32(x);
    vk near = below_f32(a, 0.5f);
    vf tail = asin_tail(a, near, &s);
    return copysign_f32(blend_f32(near, s + tail, less_than_right(s + s, tail + tail)), x);
}
/* pi / 2 - asin(x), and for |x| above 1/2 twice the half, or pi less that */
INLINE vf acos_usual(vf x, vk *odd)
{
    *odd = outside_magnitude(x, 0x3f800000);
    vf s, a = abs_f32(x);
    vk near = below_f32(a, 0.5f);
    vf tail = asin_tail(a, near, &s);
    vu sign = (vu)x & 0x80000000;
    vf twice = (vf)((vu)(s + s) ^ sign), rest = (vf)((vu)(tail + tail) ^ sign);
    vk right = below_f32(x, 0.0f);
    vf far_high = blend_f32(right, all_f32(0x1.921fb6p1f), (vf){ 0 });
    vf far_low = blend_f32(right, all_f32(-0x1.777a5cp-24f), (vf){ 0 });
    vf high = blend_f32(near, all_f32(0x1.921fb6p0f), far_high),
       low = blend_f32(near, all_f32(-0x1.777a5cp-25f), far_low);
    vf main = blend_f32(near, -x, twice), small = blend_f32(near, -(vf)((vu)tail ^ sign), rest);
    vf sum = high + main;
    return sum + ((main - (sum - high)) + (small + low));
}

#endif
