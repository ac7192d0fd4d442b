/* SPDX-License-Identifier: MIT */
/* The multiply family through SIMD: 8- and 16-bit data, cint16 by cint16. */
#ifndef TILEWRIGHT_AIE_MUL_SIMD_H
#define TILEWRIGHT_AIE_MUL_SIMD_H

#include <tilewright/aie/detail/mul_lanes.h>

/* --- SIMD: 8- and 16-bit data ------------------------------------------------------------------------------------
 * Sums of two neighbouring 16-bit products, 8 at a time, in 32 bits; then added to lanes of 64. Widening sums that
 * lie in the order 0, 4, 1, 5, 2, 6, 3, 7 takes a mask and a shift: even ones belong to the first four lanes, odd
 * ones to the next four. So the data are picked in that order. A sum is raised to be unsigned, and the lanes lowered
 * again. */

/* Sums raised by `raised`, lanes of two pieces in turn. */
TW__AIE void tw__accumulate(tw__u64x4 *acc, tw__u32x8 sums, tw__u64x4 raised, unsigned flags)
{
    const uint64_t low = 0xffffffff;
    const tw__u64x4 pairs = (tw__u64x4)sums, even = (pairs & low) - raised, odd = (pairs >> 32) - raised;
    acc[0] = flags & TW__SUBTRACT ? acc[0] - even : acc[0] + even;
    acc[1] = flags & TW__SUBTRACT ? acc[1] - odd : acc[1] + odd;
}

/* 16 entries, two to a lane, in the order of the sums. */
TW__AIE tw__i16x16 tw__zip16(tw__i16x16 v)
{
    const tw__i32x8 w = (tw__i32x8)v;
    return (tw__i16x16)__builtin_shufflevector(w, w, 0, 4, 1, 5, 2, 6, 3, 7);
}
/* A block is 32 products: lanes 0-7 and 8-15 of two columns, or with 8 lanes two columns and the next two. */
typedef struct tw__pieces {
    tw__i16x16 low, high;
} tw__pieces;

/* Bytes: two lists of 16 indices, one behind the other. */
TW__AIE tw__i16x16 tw__widened(const void *p, unsigned n, tw__u8x16 m, unsigned type)
{
    typedef int16_t i16x8 __attribute__((vector_size(16)));
    const i16x8 w = (i16x8)m; /* the two columns of a lane */
    const tw__u8x16 v =
        tw__gather8((const tw__u8m *)p, n, (tw__u8x16)__builtin_shufflevector(w, w, 0, 4, 1, 5, 2, 6, 3, 7));
    return type == TW__I8 ? tw__signed16(v) : tw__unsigned16(v);
}
TW__AIE tw__pieces tw__widen8(const void *p, unsigned n, tw__u8x32 m, unsigned type)
{
    tw__pieces r;
    r.low = tw__widened(p, n, __builtin_shufflevector(m, m, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                        type);
    r.high = tw__widened(
        p, n, __builtin_shufflevector(m, m, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31), type);
    return r;
}

TW__AIE tw__pieces tw__block_x(const tw__mul *a, const tw__shape *s, unsigned b)
{
    tw__pieces r;
    unsigned wide = s->lanes == 16, pair = wide ? b : 2 * b, base = a->xstart + pair * a->xstep,
             next = base + a->xstep;
    if (s->xtype <= TW__U8) {
        tw__bytes bytes = { a->xoffs, 4, 1, wide, base, next, s->nx };
        return tw__widen8(a->x, s->nx, tw__bytes_x(bytes, a->xsquare), s->xtype);
    }
    base = (a->xstart & ~1u) + pair * a->xstep;
    tw__i16x16 low = tw__pairs(a->xoffs, a->xsquare, base, s->nx);
    tw__i16x16 high = wide ? tw__pairs(a->xoffs_hi, a->xsquare, base, s->nx)
                           : tw__pairs(a->xoffs, a->xsquare, base + a->xstep, s->nx);
    r.low = tw__gather16((const tw__i16m *)a->x, s->nx, tw__zip16(low));
    r.high = tw__gather16((const tw__i16m *)a->x, s->nx, tw__zip16(high));
    return r;
}

/* 16 entries of int16 z: nibble and column step. */
TW__AIE tw__i16x16 tw__doubled(unsigned word, unsigned even, unsigned odd)
{
#define TW__L(k) (int16_t)tw__nib(word, k), (int16_t)tw__nib(word, k)
    tw__i16x16 nib = { TW__LIST8(TW__L) };
#undef TW__L
    int16_t e = (int16_t)even, o = (int16_t)odd;
    tw__i16x16 base = { e, o, e, o, e, o, e, o, e, o, e, o, e, o, e, o };
    return (nib + base) & 15;
}

TW__AIE tw__pieces tw__block_z(const tw__mul *a, const tw__shape *s, unsigned b)
{
    tw__pieces r;
    unsigned wide = s->lanes == 16, pair = wide ? b : 2 * b;
    if (s->ztype > TW__U8) {
        unsigned base = a->zstart + 2 * pair * a->zstep, t = a->zstep, next = wide ? base : base + 2 * t;
        tw__i16x16 low = tw__doubled(a->zoffs, base, base + t);
        tw__i16x16 high = tw__doubled(wide ? a->zoffs_hi : a->zoffs, next, next + t);
        r.low = tw__gather16((const tw__i16m *)a->z, 16, tw__zip16(low));
        r.high = tw__gather16((const tw__i16m *)a->z, 16, tw__zip16(high));
        return r;
    }
    unsigned base = a->zstart + pair * a->zstep, next = base + a->zstep;
    if (s->xtype <= TW__U8) {
        tw__bytes bytes = { a->zoffs, 2, 0, wide, base, next, 32 };
        return tw__widen8(a->z, 32, tw__bytes_z(bytes, a->zsquare), s->ztype);
    }
    tw__i16x16 low = tw__pairs_z(a->zoffs, a->zsquare, base);
    tw__i16x16 high = tw__pairs_z(wide ? a->zoffs_hi : a->zoffs, a->zsquare, wide ? base : next);
    r.low = tw__widened(a->z, 32, __builtin_convertvector(low, tw__u8x16), s->ztype);
    r.high = tw__widened(a->z, 32, __builtin_convertvector(high, tw__u8x16), s->ztype);
    return r;
}

typedef struct tw__sums {
    tw__u32x8 low, high;
} tw__sums;

TW__AIE void tw__add_block(tw__sums *sums, const tw__mul *a, const tw__shape *s, unsigned b)
{
    if (b >= s->lanes * s->columns / 32) return;
    const tw__pieces x = tw__block_x(a, s, b), z = tw__block_z(a, s, b);
    sums->low += (tw__u32x8)tw__dot2(x.low, z.low);
    sums->high += (tw__u32x8)tw__dot2(x.high, z.high);
}

TW__AIE void tw__dot(tw__u64x4 *acc, const tw__mul *a, const tw__shape *s, unsigned flags)
{
    /* Sums of two 16-bit products lie between -2^31 + 2^16 and 2^31, which two of -32768 by itself reach, and there
     * is one block of them. All columns with 8-bit factors together stay below 2^25. */
    const unsigned wide = s->lanes == 16;
    const uint32_t raise = s->ztype == TW__I16 ? 0x7fff0000 : 0x80000000;
    const tw__u64x4 raised = { raise, raise, raise, raise };
    const tw__u32x8 zero = { 0 };
    tw__sums sums = { zero + raise, zero };
    if (s->ztype == TW__I16 || wide) sums.high += raise;
    tw__add_block(&sums, a, s, 0);
    tw__add_block(&sums, a, s, 1);
    tw__add_block(&sums, a, s, 2);
    tw__add_block(&sums, a, s, 3);
    if (s->ztype != TW__I16 && !wide) {
        tw__accumulate(acc, sums.low + sums.high, raised, flags);
        return;
    }
    tw__accumulate(acc, sums.low, raised, flags);
    tw__accumulate(acc + (wide ? 2 : 0), sums.high, raised, flags);
}

/* --- SIMD: cint16 by cint16 --------------------------------------------------------------------------------------
 * One such vector of sums holds the real and imaginary parts of four lanes: re 0, 2, im 0, 2, re 1, 3, im 1, 3. */

/* The lanes' elements in that order; `word` starts at the nibble of lane 0. */
TW__AIE tw__i32x8 tw__four(unsigned word, unsigned start, unsigned n)
{
    const int32_t e0 = word & 15, e1 = word >> 4 & 15, e2 = word >> 8 & 15, e3 = word >> 12 & 15;
    const tw__i32x8 nib = { e0, e2, e0, e2, e1, e3, e1, e3 };
    return (nib + (int32_t)start) & (int32_t)(n - 1);
}

/* Each result is the sum of two products, of which conjugation decides the signs: -v*w is taken as ~v*w + w. Sums lie
 * between -2^31 + 2^16 and 2^31 when no sign is turned, else between -2^31 and 2^31 - 2^15. */
TW__AIE void tw__dot_four(tw__u64x4 *acc, const tw__mul *a, const tw__shape *s, unsigned flags, unsigned half)
{
    const unsigned wide = s->lanes == 8, shift = wide ? 16 * half : 0, column = wide ? 0 : half;
    const unsigned turned_x = (flags & (TW__CONJ | TW__CONJ_X)) != 0,
                   turned_z = (flags & (TW__CONJ | TW__CONJ_Z)) != 0;
    const tw__i32x8 ix = tw__four(a->xoffs >> shift, a->xstart + column * a->xstep, s->nx);
    const tw__i32x8 iz = tw__four(a->zoffs >> shift, a->zstart + column * a->zstep, 8);
    /* z as it lies meets x for real parts, xr*zr and xi*zi, swapped for imaginary ones, xr*zi and xi*zr */
    const tw__i32x8 real = { -1, -1, 0, 0, -1, -1, 0, 0 };
    const tw__i32x8 straight = iz * 2 | (iz * 2 + 1) << 16, swapped = (iz * 2 + 1) | iz << 17; /* 16-bit entries */
    const tw__i16x16 entries = (tw__i16x16)((straight & real) | (swapped & ~real));
    const tw__i32x8 z = (tw__i32x8)tw__gather16((const tw__i16m *)a->z, 16, entries);
    /* where the product of the low or high halves is turned */
    const tw__i32x8 low = ~real & -(int32_t)turned_z;
    const tw__i32x8 high = (real & -(int32_t)(turned_x == turned_z)) | (~real & -(int32_t)turned_x);
    const tw__i32x8 turned = (low & 0xffff) | (high & ~0xffff);
    const tw__i32x8 x = tw__gather32((const tw__i32m *)a->x, s->nx, ix) ^ turned;
    const tw__i32x8 once = ((z << 16 >> 16) & low) + ((z >> 16) & high);
    const uint32_t re = turned_x == turned_z ? 0x80000000 : 0x7fff0000;
    const uint32_t im = turned_x | turned_z ? 0x80000000 : 0x7fff0000;
    const tw__u32x8 raise = { re, re, im, im, re, re, im, im };
    const tw__u64x4 raised = { re, im, re, im };
    const tw__u32x8 sums = (tw__u32x8)tw__dot2((tw__i16x16)x, (tw__i16x16)z) + ((tw__u32x8)once + raise);
    tw__accumulate(acc + (wide ? 2 * half : 0), sums, raised, flags);
}

#endif
