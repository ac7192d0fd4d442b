/* SPDX-License-Identifier: MIT */
/* What the lane families (aie/lanes.h) compute with: the pickers of both lane schemes, and operations on 512 bits. */
#ifndef TILEWRIGHT_AIE_LANES_SIMD_H
#define TILEWRIGHT_AIE_LANES_SIMD_H

#include <tilewright/aie/detail/mul_calls.h>

typedef struct tw__x512 {
    tw__i32x8 low, high;
} tw__x512;

TW__AIE tw__i32x8 tw__index32(unsigned word, unsigned start, unsigned n)
{
#define TW__L(k) (int32_t)tw__nib(word, k)
    tw__i32x8 nib = { TW__LIST8(TW__L) };
#undef TW__L
    return (nib + (int32_t)start) & (int32_t)(n - 1);
}

/* 16 lanes of 32 bits, 8 of 64, 32 of 16: from a buffer of n elements. */
TW__AIE tw__x512 tw__pick32(const void *p, unsigned n, unsigned start, unsigned low, unsigned high, unsigned square)
{
    (void)square;
    tw__x512 r;
    r.low = tw__gather32((const tw__i32m *)p, n, tw__index32(low, start, n));
    r.high = tw__gather32((const tw__i32m *)p, n, tw__index32(high, start, n));
    return r;
}
/* Sums of cint16: offsets as of int16, a pair of nibbles for two lanes, the second relative to the first, plus 1;
 * without a square (UG1078 "Reduced Lane Addressing Scheme"). */
TW__AIE tw__i32x8 tw__index_pairs(unsigned word, unsigned start, unsigned n)
{
#define TW__L(k) (int32_t)(tw__nib(word, k) + ((k) & 1) * (tw__nib(word, (k) & 6) + 1))
    tw__i32x8 nib = { TW__LIST8(TW__L) };
#undef TW__L
    return (nib + (int32_t)start) & (int32_t)(n - 1);
}
TW__AIE tw__x512 tw__pick_pairs(const void *p, unsigned n, unsigned start, unsigned low, unsigned high,
                                unsigned square)
{
    (void)square;
    tw__x512 r;
    r.low = tw__gather32((const tw__i32m *)p, n, tw__index_pairs(low, start, n));
    r.high = tw__gather32((const tw__i32m *)p, n, tw__index_pairs(high, start, n));
    return r;
}
TW__AIE tw__x512 tw__pick64(const void *p, unsigned n, unsigned start, unsigned low, unsigned high, unsigned square)
{
    (void)high, (void)square;
#define TW__L(k) tw__nib(low, k)
#define TW__H(k) tw__nib(low, 4 + (k))
    tw__u64x4 l = { TW__LIST4(TW__L) }, h = { TW__LIST4(TW__H) };
#undef TW__L
#undef TW__H
    tw__x512 r;
    r.low = (tw__i32x8)tw__gather64((const tw__u64m *)p, n, (l + start) & (n - 1));
    r.high = (tw__i32x8)tw__gather64((const tw__u64m *)p, n, (h + start) & (n - 1));
    return r;
}
TW__AIE tw__x512 tw__pick16(const void *p, unsigned n, unsigned start, unsigned low, unsigned high, unsigned square)
{
    tw__x512 r;
    r.low = (tw__i32x8)tw__gather16((const tw__i16m *)p, n, tw__pairs(low, square, start, n));
    r.high = (tw__i32x8)tw__gather16((const tw__i16m *)p, n, tw__pairs(high, square, start, n));
    return r;
}

/* --- what is done with two lanes -------------------------------------------------------------------------------- */

typedef uint16_t tw__u16x16 __attribute__((vector_size(32)));
/* Lanes as 32-bit words; halves: 8 lanes of 32 bits, or 16 of 16. All ones where the bit of a lane is set. */
TW__AIE tw__i32x8 tw__bits32(unsigned bits)
{
    const tw__u32x8 bit = { 1, 2, 4, 8, 16, 32, 64, 128 };
    return (tw__i32x8)(((bit & bits)) != 0);
}
TW__AIE tw__i32x8 tw__bits64(unsigned bits)
{
    const tw__u32x8 bit = { 1, 1, 2, 2, 4, 4, 8, 8 };
    return (tw__i32x8)((bit & bits) != 0);
}
TW__AIE tw__i32x8 tw__bits16(unsigned bits)
{
    const tw__u16x16 bit = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768 };
    return (tw__i32x8)((bit & (uint16_t)bits) != 0);
}
/* The other way: a bit per lane that is all ones. */
TW__AIE unsigned tw__mask32(tw__i32x8 m)
{
    const tw__i32x8 bit = { 1, 2, 4, 8, 16, 32, 64, 128 };
    tw__i32x8 b = m & bit;
    return (unsigned)(b[0] | b[1] | b[2] | b[3] | b[4] | b[5] | b[6] | b[7]);
}
TW__AIE unsigned tw__mask16(tw__i32x8 m)
{
    const tw__u16x16 bit = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768 };
    tw__i32x8 b = m & (tw__i32x8)bit;
    unsigned all = (unsigned)(b[0] | b[1] | b[2] | b[3] | b[4] | b[5] | b[6] | b[7]);
    return (all | all >> 16) & 0xffff;
}

#define TW__BOTH(r, body)                       \
    tw__x512 r;                                 \
    {                                           \
        const tw__i32x8 a = x.low, b = y.low;   \
        r.low = body;                           \
    }                                           \
    {                                           \
        const tw__i32x8 a = x.high, b = y.high; \
        r.high = body;                          \
    }
#define TW__OP(name, body)                        \
    TW__AIE tw__x512 name(tw__x512 x, tw__x512 y) \
    {                                             \
        TW__BOTH(r, body)                         \
        return r;                                 \
    }
#define TW__A16                  ((tw__i16x16)a)
#define TW__B16                  ((tw__i16x16)b)
#define TW__WHERE(mask, yes, no) (((mask) & (yes)) | (~(mask) & (no)))
// clang-format off
TW__OP(tw__add32, (tw__i32x8)((tw__u32x8)a + (tw__u32x8)b))
TW__OP(tw__sub32, (tw__i32x8)((tw__u32x8)a - (tw__u32x8)b))
TW__OP(tw__max32, TW__WHERE((tw__i32x8)(a > b), a, b))
TW__OP(tw__min32, TW__WHERE((tw__i32x8)(a < b), a, b))
TW__OP(tw__maxdiff32, (tw__i32x8)(a > b) & (tw__i32x8)((tw__u32x8)a - (tw__u32x8)b))
TW__OP(tw__lt32, (tw__i32x8)(a < b))
TW__OP(tw__le32, (tw__i32x8)(a <= b))
TW__OP(tw__eq32, (tw__i32x8)(a == b))
TW__OP(tw__add16, (tw__i32x8)((tw__u16x16)a + (tw__u16x16)b))
TW__OP(tw__sub16, (tw__i32x8)((tw__u16x16)a - (tw__u16x16)b))
TW__OP(tw__max16, TW__WHERE((tw__i32x8)(TW__A16 > TW__B16), a, b))
TW__OP(tw__min16, TW__WHERE((tw__i32x8)(TW__A16 < TW__B16), a, b))
TW__OP(tw__maxdiff16, (tw__i32x8)(TW__A16 > TW__B16) & (tw__i32x8)((tw__u16x16)a - (tw__u16x16)b))
TW__OP(tw__lt16, (tw__i32x8)(TW__A16 < TW__B16))
TW__OP(tw__le16, (tw__i32x8)(TW__A16 <= TW__B16))
TW__OP(tw__eq16, (tw__i32x8)(TW__A16 == TW__B16))
// clang-format on
#undef TW__OP
TW__AIE tw__x512 tw__abs32(tw__x512 x)
{
    tw__x512 y = { { 0 }, { 0 } };
    y = tw__sub32(y, x);
    tw__x512 r = { TW__WHERE((tw__i32x8)(x.low < 0), y.low, x.low),
                   TW__WHERE((tw__i32x8)(x.high < 0), y.high, x.high) };
    return r;
}
TW__AIE tw__x512 tw__abs16(tw__x512 x)
{
    tw__x512 y = { { 0 }, { 0 } };
    y = tw__sub16(y, x);
    tw__x512 r = { TW__WHERE((tw__i32x8)((tw__i16x16)x.low < 0), y.low, x.low),
                   TW__WHERE((tw__i32x8)((tw__i16x16)x.high < 0), y.high, x.high) };
    return r;
}
TW__AIE unsigned tw__bits_of32(tw__x512 m)
{
    return tw__mask32(m.low) | tw__mask32(m.high) << 8;
}
TW__AIE unsigned tw__bits_of16(tw__x512 m)
{
    return tw__mask16(m.low) | tw__mask16(m.high) << 16;
}
TW__AIE tw__x512 tw__choose(tw__i32x8 low, tw__i32x8 high, tw__x512 x, tw__x512 y)
{
    tw__x512 r = { TW__WHERE(low, y.low, x.low), TW__WHERE(high, y.high, x.high) };
    return r;
}
TW__AIE tw__x512 tw__select32(unsigned sel, tw__x512 x, tw__x512 y)
{
    return tw__choose(tw__bits32(sel), tw__bits32(sel >> 8), x, y);
}
TW__AIE tw__x512 tw__select64(unsigned sel, tw__x512 x, tw__x512 y)
{
    return tw__choose(tw__bits64(sel), tw__bits64(sel >> 4), x, y);
}
TW__AIE tw__x512 tw__select16(unsigned sel, tw__x512 x, tw__x512 y)
{
    return tw__choose(tw__bits16(sel), tw__bits16(sel >> 16), x, y);
}

#endif
