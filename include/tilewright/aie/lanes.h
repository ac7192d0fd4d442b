/* Lane families: shuffle, select, add, sub, abs, max, min, maxdiff, compares. Two schemes say which element feeds lane l
 * (aie.md 2.3): one nibble per lane for 32- and 64-bit elements, pairs with a square for int16.
 *
 *     add16(x, xstart, xoffs, xoffs_hi, [y,] ystart, yoffs, yoffs_hi)     add16(x, y)
 *     select32(sel, x, xstart, xoffs, xoffs_hi, xsquare, [y,] ystart, ...)  select32(sel, x, y)
 *     max16_like names with cmp: maxcmp16(..., cmp), cmp an unsigned variable that receives one bit per lane
 *
 * Sums wrap at the width of the element (assumed: UG1078 names no saturation); |most negative| stays (assumed). */
#ifndef TILEWRIGHT_AIE_LANES_H
#define TILEWRIGHT_AIE_LANES_H

#include <tilewright/aie/calls_mul.h>

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

/* --- overloads ------------------------------------------------------------------------------------------------------
 * Shapes of one operand's arguments: 8 lanes (start, offsets), 16 (start, offsets, offsets_hi), 32 (the same, square). */
#define TW__P8(p)  int p##s, int p##o
#define TW__P16(p) int p##s, int p##o, int p##h
#define TW__P32(p) int p##s, int p##o, int p##h, int p##q
#define TW__G8(p)  (unsigned)p##s, (unsigned)p##o, 0, 0
#define TW__G16(p) (unsigned)p##s, (unsigned)p##o, (unsigned)p##h, 0
#define TW__G32(p) (unsigned)p##s, (unsigned)p##o, (unsigned)p##h, (unsigned)p##q
/* Types of a kind: small (512 bits), large, lanes of either, picker. */
#define TW__K_i32(F, ...) F(v16int32, v32int32, 16, tw__pick32, 16, 32, __VA_ARGS__)
#define TW__K_c16(F, ...) F(v16cint16, v32cint16, 16, tw__pick32, 16, 32, __VA_ARGS__)
#define TW__K_f32(F, ...) F(v16float, v32float, 16, tw__pick32, 16, 32, __VA_ARGS__)
#define TW__K_i16(F, ...) F(v32int16, v64int16, 32, tw__pick16, 32, 64, __VA_ARGS__)
#define TW__K_c32(F, ...) F(v8cint32, v16cint32, 8, tw__pick64, 8, 16, __VA_ARGS__)
#define TW__K_cf(F, ...)  F(v8cfloat, v16cfloat, 8, tw__pick64, 8, 16, __VA_ARGS__)

#define TW__FROM(v) tw__from512(&(v))
TW__AIE tw__x512 tw__from512(const void *p)
{
    tw__x512 r;
    __builtin_memcpy(&r, p, sizeof r);
    return r;
}
#define TW__RETURN(type, value)            \
    type r_;                               \
    const tw__x512 v_ = value;             \
    TW__COUNT(VECTOR, 1);                  \
    __builtin_memcpy(&r_, &v_, sizeof r_); \
    return r_
#define TW__RETURN_BITS(value) \
    TW__COUNT(VECTOR, 1);      \
    return value

#ifdef __cplusplus
#define TW__OUT(type, name) type &name
#define TW__SET(name)       name
#else
#define TW__OUT(type, name) type *name
#define TW__SET(name)       *name
#endif

/* What an operand's arguments must keep, and which lanes they read. */
#ifdef TW_AIE_CHECK
TW__AIE void tw__check_pick(const char *name, const char *letter, unsigned paired, unsigned start, unsigned square)
{
    TW__CHECK(!paired || start % 2 == 0, name, "%sstart %d is not a multiple of 2; the hardware drops the low bits",
              letter, (int)start);
    for (unsigned i = 0; paired && i < 4; i++)
        TW__CHECK((square >> (4 * i) & 15) <= 3, name, "%ssquare 0x%x: nibble %u is %u, above 3", letter, square, i,
                  square >> (4 * i) & 15);
    TW__CHECK(!paired || square >> 16 == 0, name, "%ssquare 0x%x has bits above its four nibbles", letter, square);
}
#define TW__PAIRED_tw__pick16                         1
#define TW__PAIRED_tw__pick32                         0
#define TW__PAIRED_tw__pick64                         0
#define TW__READ_LANES(name, letter, pick, p, n, ...) TW__READ_LANES_(name, letter, pick, p, n, __VA_ARGS__)
#define TW__READ_LANES_(name, letter, pick, p, n, start, low, high, square) \
    do {                                                                    \
        tw__check_pick(name, letter, TW__PAIRED_##pick, start, square);     \
        TW__READ(name, pick, p, n, start, low, high, square);               \
    } while (0)
#else
#define TW__READ_LANES(...) ((void)0)
#endif

/* x alone. */
#define TW__ONE(small, large, shape, pick, ns, nl, name, op)                   \
    TW__AIE small TW__N(name, tw_##name##_x_##small)(small x, TW__P##shape(x)) \
    {                                                                          \
        TW__READ_LANES(#name, "x", pick, &x, ns, TW__G##shape(x));             \
        TW__RETURN(small, op(pick(&x, ns, TW__G##shape(x))));                  \
    }                                                                          \
    TW__AIE small TW__N(name, tw_##name##_x_##large)(large x, TW__P##shape(x)) \
    {                                                                          \
        TW__READ_LANES(#name, "x", pick, &x, nl, TW__G##shape(x));             \
        TW__RETURN(small, op(pick(&x, nl, TW__G##shape(x))));                  \
    }                                                                          \
    TW__AIE small TW__N(name, tw_##name##_s_##small)(small x)                  \
    {                                                                          \
        TW__DEFINED(#name, &x, sizeof x);                                      \
        TW__RETURN(small, op(TW__FROM(x)));                                    \
    }
/* x and y, an argument before them (select) or behind them (cmp). The body sees a and b. */
#define TW__TWO(small, large, shape, pick, ns, nl, name, ret, BEFORE, BEHIND, BODY)                              \
    TW__AIE ret(small)                                                                                           \
        TW__N(name, tw_##name##_x_##small)(BEFORE() small x, TW__P##shape(x), TW__P##shape(y) BEHIND())          \
    {                                                                                                            \
        TW__READ_LANES(#name, "x", pick, &x, ns, TW__G##shape(x));                                               \
        TW__READ_LANES(#name, "y", pick, &x, ns, TW__G##shape(y));                                               \
        const tw__x512 a = pick(&x, ns, TW__G##shape(x)), b = pick(&x, ns, TW__G##shape(y));                     \
        BODY(small);                                                                                             \
    }                                                                                                            \
    TW__AIE ret(small)                                                                                           \
        TW__N(name, tw_##name##_x_##large)(BEFORE() large x, TW__P##shape(x), TW__P##shape(y) BEHIND())          \
    {                                                                                                            \
        TW__READ_LANES(#name, "x", pick, &x, nl, TW__G##shape(x));                                               \
        TW__READ_LANES(#name, "y", pick, &x, nl, TW__G##shape(y));                                               \
        const tw__x512 a = pick(&x, nl, TW__G##shape(x)), b = pick(&x, nl, TW__G##shape(y));                     \
        BODY(small);                                                                                             \
    }                                                                                                            \
    TW__AIE ret(small)                                                                                           \
        TW__N(name, tw_##name##_y_##small)(BEFORE() small x, TW__P##shape(x), small y, TW__P##shape(y) BEHIND()) \
    {                                                                                                            \
        TW__READ_LANES(#name, "x", pick, &x, ns, TW__G##shape(x));                                               \
        TW__READ_LANES(#name, "y", pick, &y, ns, TW__G##shape(y));                                               \
        const tw__x512 a = pick(&x, ns, TW__G##shape(x)), b = pick(&y, ns, TW__G##shape(y));                     \
        BODY(small);                                                                                             \
    }                                                                                                            \
    TW__AIE ret(small) TW__N(name, tw_##name##_s_##small)(BEFORE() small x, small y BEHIND())                    \
    {                                                                                                            \
        TW__DEFINED(#name, &x, sizeof x);                                                                        \
        TW__DEFINED(#name, &y, sizeof y);                                                                        \
        const tw__x512 a = TW__FROM(x), b = TW__FROM(y);                                                         \
        BODY(small);                                                                                             \
    }
#define TW__NOTHING()
#define TW__SEL()      unsigned sel,
#define TW__CMP()      , TW__OUT(unsigned, cmp)
#define TW__SAME(type) type
#define TW__BITS(type) unsigned

#define TW__IDENTITY(v) v
// clang-format off
TW__K_i32(TW__ONE, shuffle16, TW__IDENTITY)
TW__K_c16(TW__ONE, shuffle16, TW__IDENTITY)
TW__K_i16(TW__ONE, shuffle32, TW__IDENTITY)
TW__K_c32(TW__ONE, shuffle8, TW__IDENTITY)
TW__K_f32(TW__ONE, fpshuffle16, TW__IDENTITY)
TW__K_cf(TW__ONE, fpshuffle8, TW__IDENTITY)
TW__K_i32(TW__ONE, abs16, tw__abs32)
TW__K_i16(TW__ONE, abs32, tw__abs16)

#define TW__B_SEL32(type) TW__RETURN(type, tw__select32(sel, a, b))
#define TW__B_SEL16(type) TW__RETURN(type, tw__select16(sel, a, b))
#define TW__B_SEL64(type) TW__RETURN(type, tw__select64(sel, a, b))
TW__K_i32(TW__TWO, select16, TW__SAME, TW__SEL, TW__NOTHING, TW__B_SEL32)
TW__K_c16(TW__TWO, select16, TW__SAME, TW__SEL, TW__NOTHING, TW__B_SEL32)
TW__K_i16(TW__TWO, select32, TW__SAME, TW__SEL, TW__NOTHING, TW__B_SEL16)
TW__K_c32(TW__TWO, select8, TW__SAME, TW__SEL, TW__NOTHING, TW__B_SEL64)
TW__K_f32(TW__TWO, fpselect16, TW__SAME, TW__SEL, TW__NOTHING, TW__B_SEL32)
TW__K_cf(TW__TWO, fpselect8, TW__SAME, TW__SEL, TW__NOTHING, TW__B_SEL64)

#define TW__B_ADD32(type) TW__RETURN(type, tw__add32(a, b))
#define TW__B_SUB32(type) TW__RETURN(type, tw__sub32(a, b))
#define TW__B_ADD16(type) TW__RETURN(type, tw__add16(a, b))
#define TW__B_SUB16(type) TW__RETURN(type, tw__sub16(a, b))
TW__K_i32(TW__TWO, add16, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_ADD32)
TW__K_i32(TW__TWO, sub16, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_SUB32)
TW__K_c16(TW__TWO, add16, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_ADD16)
TW__K_c16(TW__TWO, sub16, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_SUB16)
TW__K_i16(TW__TWO, add32, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_ADD16)
TW__K_i16(TW__TWO, sub32, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_SUB16)
TW__K_c32(TW__TWO, add8, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_ADD32)
TW__K_c32(TW__TWO, sub8, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_SUB32)

/* Names of int32 lanes end in 16, those of int16 in 32: the number of lanes. bits: width in the helpers above. */
#define TW__COMPARES(kind, lanes, bits) \
    TW__K_##kind(TW__TWO, max##lanes, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_MAX##bits) \
    TW__K_##kind(TW__TWO, min##lanes, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_MIN##bits) \
    TW__K_##kind(TW__TWO, maxdiff##lanes, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_MAXDIFF##bits) \
    TW__K_##kind(TW__TWO, lt##lanes, TW__BITS, TW__NOTHING, TW__NOTHING, TW__B_LT##bits) \
    TW__K_##kind(TW__TWO, le##lanes, TW__BITS, TW__NOTHING, TW__NOTHING, TW__B_LE##bits) \
    TW__K_##kind(TW__TWO, gt##lanes, TW__BITS, TW__NOTHING, TW__NOTHING, TW__B_GT##bits) \
    TW__K_##kind(TW__TWO, ge##lanes, TW__BITS, TW__NOTHING, TW__NOTHING, TW__B_GE##bits) \
    TW__K_##kind(TW__TWO, eq##lanes, TW__BITS, TW__NOTHING, TW__NOTHING, TW__B_EQ##bits) \
    TW__K_##kind(TW__TWO, ne##lanes, TW__BITS, TW__NOTHING, TW__NOTHING, TW__B_NE##bits) \
    TW__K_##kind(TW__TWO, maxcmp##lanes, TW__SAME, TW__NOTHING, TW__CMP, TW__B_MAXCMP##bits) \
    TW__K_##kind(TW__TWO, mincmp##lanes, TW__SAME, TW__NOTHING, TW__CMP, TW__B_MINCMP##bits) \
    TW__K_##kind(TW__TWO, maxdiffcmp##lanes, TW__SAME, TW__NOTHING, TW__CMP, TW__B_MAXDIFFCMP##bits) \
    TW__K_##kind(TW__TWO, subcmp##lanes, TW__SAME, TW__NOTHING, TW__CMP, TW__B_SUBCMP##bits)
#define TW__B_MAX32(type)     TW__RETURN(type, tw__max32(a, b))
#define TW__B_MIN32(type)     TW__RETURN(type, tw__min32(a, b))
#define TW__B_MAXDIFF32(type) TW__RETURN(type, tw__maxdiff32(a, b))
#define TW__B_LT32(type)      TW__RETURN_BITS(tw__bits_of32(tw__lt32(a, b)))
#define TW__B_LE32(type)      TW__RETURN_BITS(tw__bits_of32(tw__le32(a, b)))
#define TW__B_GT32(type)      TW__RETURN_BITS(tw__bits_of32(tw__lt32(b, a)))
#define TW__B_GE32(type)      TW__RETURN_BITS(tw__bits_of32(tw__le32(b, a)))
#define TW__B_EQ32(type)      TW__RETURN_BITS(tw__bits_of32(tw__eq32(a, b)))
#define TW__B_NE32(type)      TW__RETURN_BITS(0xffff & ~tw__bits_of32(tw__eq32(a, b)))
#define TW__B_MAX16(type)     TW__RETURN(type, tw__max16(a, b))
#define TW__B_MIN16(type)     TW__RETURN(type, tw__min16(a, b))
#define TW__B_MAXDIFF16(type) TW__RETURN(type, tw__maxdiff16(a, b))
#define TW__B_LT16(type)      TW__RETURN_BITS(tw__bits_of16(tw__lt16(a, b)))
#define TW__B_LE16(type)      TW__RETURN_BITS(tw__bits_of16(tw__le16(a, b)))
#define TW__B_GT16(type)      TW__RETURN_BITS(tw__bits_of16(tw__lt16(b, a)))
#define TW__B_GE16(type)      TW__RETURN_BITS(tw__bits_of16(tw__le16(b, a)))
#define TW__B_EQ16(type)      TW__RETURN_BITS(tw__bits_of16(tw__eq16(a, b)))
#define TW__B_NE16(type)      TW__RETURN_BITS(~tw__bits_of16(tw__eq16(a, b)))
/* cmp (assumed, aie.md 2.3): max, sub, maxdiff x < y; min x >= y: the second operand is the result. */
#define TW__B_MAXCMP32(type)                      \
    TW__SET(cmp) = tw__bits_of32(tw__lt32(a, b)); \
    TW__B_MAX32(type)
#define TW__B_MINCMP32(type)                      \
    TW__SET(cmp) = tw__bits_of32(tw__le32(b, a)); \
    TW__B_MIN32(type)
#define TW__B_MAXDIFFCMP32(type)                  \
    TW__SET(cmp) = tw__bits_of32(tw__lt32(a, b)); \
    TW__B_MAXDIFF32(type)
#define TW__B_SUBCMP32(type)                      \
    TW__SET(cmp) = tw__bits_of32(tw__lt32(a, b)); \
    TW__B_SUB32(type)
#define TW__B_MAXCMP16(type)                      \
    TW__SET(cmp) = tw__bits_of16(tw__lt16(a, b)); \
    TW__B_MAX16(type)
#define TW__B_MINCMP16(type)                      \
    TW__SET(cmp) = tw__bits_of16(tw__le16(b, a)); \
    TW__B_MIN16(type)
#define TW__B_MAXDIFFCMP16(type)                  \
    TW__SET(cmp) = tw__bits_of16(tw__lt16(a, b)); \
    TW__B_MAXDIFF16(type)
#define TW__B_SUBCMP16(type)                      \
    TW__SET(cmp) = tw__bits_of16(tw__lt16(a, b)); \
    TW__B_SUB16(type)
    TW__COMPARES(i32, 16, 32)
    TW__COMPARES(i16, 32, 16)

/* abscmp: |x| and the signs. */
#define TW__ABSCMP(small, large, shape, pick, ns, nl, name, op, below)                                 \
    TW__AIE small TW__N(name, tw_##name##_x_##small)(small x, TW__P##shape(x), TW__OUT(unsigned, cmp)) \
    {                                                                                                  \
        TW__READ_LANES(#name, "x", pick, &x, ns, TW__G##shape(x)); \
        const tw__x512 a = pick(&x, ns, TW__G##shape(x)), zero = { { 0 }, { 0 } };                     \
        TW__SET(cmp) = below(a, zero);                                                                 \
        TW__RETURN(small, op(a));                                                                      \
    }                                                                                                  \
    TW__AIE small TW__N(name, tw_##name##_x_##large)(large x, TW__P##shape(x), TW__OUT(unsigned, cmp)) \
    {                                                                                                  \
        TW__READ_LANES(#name, "x", pick, &x, nl, TW__G##shape(x)); \
        const tw__x512 a = pick(&x, nl, TW__G##shape(x)), zero = { { 0 }, { 0 } };                     \
        TW__SET(cmp) = below(a, zero);                                                                 \
        TW__RETURN(small, op(a));                                                                      \
    }                                                                                                  \
    TW__AIE small TW__N(name, tw_##name##_s_##small)(small x, TW__OUT(unsigned, cmp))                  \
    {                                                                                                  \
        TW__DEFINED(#name, &x, sizeof x); \
        const tw__x512 a = TW__FROM(x), zero = { { 0 }, { 0 } };                                       \
        TW__SET(cmp) = below(a, zero);                                                                 \
        TW__RETURN(small, op(a));                                                                      \
    }
#define TW__BELOW32(a, b) tw__bits_of32(tw__lt32(a, b))
#define TW__BELOW16(a, b) tw__bits_of16(tw__lt16(a, b))
TW__K_i32(TW__ABSCMP, abscmp16, tw__abs32, TW__BELOW32)
TW__K_i16(TW__ABSCMP, abscmp32, tw__abs16, TW__BELOW16)
// clang-format on

/* --- names in C ------------------------------------------------------------------------------------------------------
 * By number of arguments: short form, x alone, with a y buffer; the type of x chooses the function. */
#ifndef __cplusplus
#define TW__T_i(f, k) \
    v16int32:         \
    tw_##f##_##k##_v16int32
#define TW__T_I(f, k) \
    v32int32:         \
    tw_##f##_##k##_v32int32
#define TW__T_ic(f, k) \
    v16int32:          \
    tw_##f##_##k##_v16int32, v16cint16 : tw_##f##_##k##_v16cint16
#define TW__T_IC(f, k) \
    v32int32:          \
    tw_##f##_##k##_v32int32, v32cint16 : tw_##f##_##k##_v32cint16
#define TW__T_h(f, k) \
    v32int16:         \
    tw_##f##_##k##_v32int16
#define TW__T_H(f, k) \
    v64int16:         \
    tw_##f##_##k##_v64int16
#define TW__T_c(f, k) \
    v8cint32:         \
    tw_##f##_##k##_v8cint32
#define TW__T_C(f, k) \
    v16cint32:        \
    tw_##f##_##k##_v16cint32
#define TW__T_f(f, k) \
    v16float:         \
    tw_##f##_##k##_v16float
#define TW__T_F(f, k) \
    v32float:         \
    tw_##f##_##k##_v32float
#define TW__T_g(f, k) \
    v8cfloat:         \
    tw_##f##_##k##_v8cfloat
#define TW__T_G(f, k) \
    v16cfloat:        \
    tw_##f##_##k##_v16cfloat
#define TW__PICK_S(S, L, f, v) _Generic((v), TW__T_##S(f, s))
#define TW__PICK_X(S, L, f, v) _Generic((v), TW__T_##S(f, x), TW__T_##L(f, x))
#define TW__PICK_Y(S, L, f, v) _Generic((v), TW__T_##S(f, y))

#define TW__FAMILY(table, s, L, f, ...)      TW__CALLED(TW__FAMILY_(table, TW__NARGS(__VA_ARGS__), s, L, f, __VA_ARGS__))
#define TW__FAMILY_(table, n, s, L, f, ...)  TW__FAMILY__(table, n, s, L, f, __VA_ARGS__)
#define TW__FAMILY__(table, n, s, L, f, ...) table##_##n(s, L, f, __VA_ARGS__)
/* one operand: 8, 16, 32 lanes */
#define tw__one_1(s, L, f, x)             TW__PICK_S(s, L, f, x)(x)
#define tw__one_3(s, L, f, x, a, b)       TW__PICK_X(s, L, f, x)(x, a, b)
#define tw__one_4(s, L, f, x, a, b, c)    TW__PICK_X(s, L, f, x)(x, a, b, c)
#define tw__one_5(s, L, f, x, a, b, c, d) TW__PICK_X(s, L, f, x)(x, a, b, c, d)
/* one operand and cmp */
#define tw__onecmp_2(s, L, f, x, m)             TW__PICK_S(s, L, f, x)(x, &(m))
#define tw__onecmp_5(s, L, f, x, a, b, c, m)    TW__PICK_X(s, L, f, x)(x, a, b, c, &(m))
#define tw__onecmp_6(s, L, f, x, a, b, c, d, m) TW__PICK_X(s, L, f, x)(x, a, b, c, d, &(m))
/* two operands of 8, 16 and 32 lanes */
#define tw__two8_2(s, L, f, x, y)                           TW__PICK_S(s, L, f, x)(x, y)
#define tw__two8_5(s, L, f, x, a, b, d, e)                  TW__PICK_X(s, L, f, x)(x, a, b, d, e)
#define tw__two8_6(s, L, f, x, a, b, y, d, e)               TW__PICK_Y(s, L, f, x)(x, a, b, y, d, e)
#define tw__two16_2(s, L, f, x, y)                          TW__PICK_S(s, L, f, x)(x, y)
#define tw__two16_7(s, L, f, x, a, b, c, d, e, g)           TW__PICK_X(s, L, f, x)(x, a, b, c, d, e, g)
#define tw__two16_8(s, L, f, x, a, b, c, y, d, e, g)        TW__PICK_Y(s, L, f, x)(x, a, b, c, y, d, e, g)
#define tw__two32_2(s, L, f, x, y)                          TW__PICK_S(s, L, f, x)(x, y)
#define tw__two32_9(s, L, f, x, a, b, c, q, d, e, g, r)     TW__PICK_X(s, L, f, x)(x, a, b, c, q, d, e, g, r)
#define tw__two32_10(s, L, f, x, a, b, c, q, y, d, e, g, r) TW__PICK_Y(s, L, f, x)(x, a, b, c, q, y, d, e, g, r)
#define tw__sel8_3(s, L, f, l, x, y)                        TW__PICK_S(s, L, f, x)(l, x, y)
#define tw__sel8_6(s, L, f, l, x, a, b, d, e)               TW__PICK_X(s, L, f, x)(l, x, a, b, d, e)
#define tw__sel8_7(s, L, f, l, x, a, b, y, d, e)            TW__PICK_Y(s, L, f, x)(l, x, a, b, y, d, e)
#define tw__sel16_3(s, L, f, l, x, y)                       TW__PICK_S(s, L, f, x)(l, x, y)
#define tw__sel16_8(s, L, f, l, x, a, b, c, d, e, g)        TW__PICK_X(s, L, f, x)(l, x, a, b, c, d, e, g)
#define tw__sel16_9(s, L, f, l, x, a, b, c, y, d, e, g)     TW__PICK_Y(s, L, f, x)(l, x, a, b, c, y, d, e, g)
#define tw__sel32_3(s, L, f, l, x, y)                       TW__PICK_S(s, L, f, x)(l, x, y)
#define tw__sel32_10(s, L, f, l, x, a, b, c, q, d, e, g, r) TW__PICK_X(s, L, f, x)(l, x, a, b, c, q, d, e, g, r)
#define tw__sel32_11(s, L, f, l, x, a, b, c, q, y, d, e, g, r) \
    TW__PICK_Y(s, L, f, x)(l, x, a, b, c, q, y, d, e, g, r)
#define tw__cmp16_3(s, L, f, x, y, m)                       TW__PICK_S(s, L, f, x)(x, y, &(m))
#define tw__cmp16_8(s, L, f, x, a, b, c, d, e, g, m)        TW__PICK_X(s, L, f, x)(x, a, b, c, d, e, g, &(m))
#define tw__cmp16_9(s, L, f, x, a, b, c, y, d, e, g, m)     TW__PICK_Y(s, L, f, x)(x, a, b, c, y, d, e, g, &(m))
#define tw__cmp32_3(s, L, f, x, y, m)                       TW__PICK_S(s, L, f, x)(x, y, &(m))
#define tw__cmp32_10(s, L, f, x, a, b, c, q, d, e, g, r, m) TW__PICK_X(s, L, f, x)(x, a, b, c, q, d, e, g, r, &(m))
#define tw__cmp32_11(s, L, f, x, a, b, c, q, y, d, e, g, r, m) \
    TW__PICK_Y(s, L, f, x)(x, a, b, c, q, y, d, e, g, r, &(m))

#define shuffle8(...)     TW__FAMILY(tw__one, c, C, shuffle8, __VA_ARGS__)
#define shuffle16(...)    TW__FAMILY(tw__one, ic, IC, shuffle16, __VA_ARGS__)
#define shuffle32(...)    TW__FAMILY(tw__one, h, H, shuffle32, __VA_ARGS__)
#define fpshuffle8(...)   TW__FAMILY(tw__one, g, G, fpshuffle8, __VA_ARGS__)
#define fpshuffle16(...)  TW__FAMILY(tw__one, f, F, fpshuffle16, __VA_ARGS__)
#define abs16(...)        TW__FAMILY(tw__one, i, I, abs16, __VA_ARGS__)
#define abs32(...)        TW__FAMILY(tw__one, h, H, abs32, __VA_ARGS__)
#define abscmp16(...)     TW__FAMILY(tw__onecmp, i, I, abscmp16, __VA_ARGS__)
#define abscmp32(...)     TW__FAMILY(tw__onecmp, h, H, abscmp32, __VA_ARGS__)
#define select8(...)      TW__FAMILY(tw__sel8, c, C, select8, __VA_ARGS__)
#define select16(...)     TW__FAMILY(tw__sel16, ic, IC, select16, __VA_ARGS__)
#define select32(...)     TW__FAMILY(tw__sel32, h, H, select32, __VA_ARGS__)
#define fpselect8(...)    TW__FAMILY(tw__sel8, g, G, fpselect8, __VA_ARGS__)
#define fpselect16(...)   TW__FAMILY(tw__sel16, f, F, fpselect16, __VA_ARGS__)
#define add8(...)         TW__FAMILY(tw__two8, c, C, add8, __VA_ARGS__)
#define sub8(...)         TW__FAMILY(tw__two8, c, C, sub8, __VA_ARGS__)
#define add16(...)        TW__FAMILY(tw__two16, ic, IC, add16, __VA_ARGS__)
#define sub16(...)        TW__FAMILY(tw__two16, ic, IC, sub16, __VA_ARGS__)
#define add32(...)        TW__FAMILY(tw__two32, h, H, add32, __VA_ARGS__)
#define sub32(...)        TW__FAMILY(tw__two32, h, H, sub32, __VA_ARGS__)
#define max16(...)        TW__FAMILY(tw__two16, i, I, max16, __VA_ARGS__)
#define min16(...)        TW__FAMILY(tw__two16, i, I, min16, __VA_ARGS__)
#define maxdiff16(...)    TW__FAMILY(tw__two16, i, I, maxdiff16, __VA_ARGS__)
#define lt16(...)         TW__FAMILY(tw__two16, i, I, lt16, __VA_ARGS__)
#define le16(...)         TW__FAMILY(tw__two16, i, I, le16, __VA_ARGS__)
#define gt16(...)         TW__FAMILY(tw__two16, i, I, gt16, __VA_ARGS__)
#define ge16(...)         TW__FAMILY(tw__two16, i, I, ge16, __VA_ARGS__)
#define eq16(...)         TW__FAMILY(tw__two16, i, I, eq16, __VA_ARGS__)
#define ne16(...)         TW__FAMILY(tw__two16, i, I, ne16, __VA_ARGS__)
#define max32(...)        TW__FAMILY(tw__two32, h, H, max32, __VA_ARGS__)
#define min32(...)        TW__FAMILY(tw__two32, h, H, min32, __VA_ARGS__)
#define maxdiff32(...)    TW__FAMILY(tw__two32, h, H, maxdiff32, __VA_ARGS__)
#define lt32(...)         TW__FAMILY(tw__two32, h, H, lt32, __VA_ARGS__)
#define le32(...)         TW__FAMILY(tw__two32, h, H, le32, __VA_ARGS__)
#define gt32(...)         TW__FAMILY(tw__two32, h, H, gt32, __VA_ARGS__)
#define ge32(...)         TW__FAMILY(tw__two32, h, H, ge32, __VA_ARGS__)
#define eq32(...)         TW__FAMILY(tw__two32, h, H, eq32, __VA_ARGS__)
#define ne32(...)         TW__FAMILY(tw__two32, h, H, ne32, __VA_ARGS__)
#define maxcmp16(...)     TW__FAMILY(tw__cmp16, i, I, maxcmp16, __VA_ARGS__)
#define mincmp16(...)     TW__FAMILY(tw__cmp16, i, I, mincmp16, __VA_ARGS__)
#define maxdiffcmp16(...) TW__FAMILY(tw__cmp16, i, I, maxdiffcmp16, __VA_ARGS__)
#define subcmp16(...)     TW__FAMILY(tw__cmp16, i, I, subcmp16, __VA_ARGS__)
#define maxcmp32(...)     TW__FAMILY(tw__cmp32, h, H, maxcmp32, __VA_ARGS__)
#define mincmp32(...)     TW__FAMILY(tw__cmp32, h, H, mincmp32, __VA_ARGS__)
#define maxdiffcmp32(...) TW__FAMILY(tw__cmp32, h, H, maxdiffcmp32, __VA_ARGS__)
#define subcmp32(...)     TW__FAMILY(tw__cmp32, h, H, subcmp32, __VA_ARGS__)
#endif

#endif
