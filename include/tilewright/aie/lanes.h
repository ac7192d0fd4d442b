/* SPDX-License-Identifier: MIT */
/* Lane families: shuffle, select, add, sub, abs, max, min, maxdiff, compares. Two schemes say which element feeds
 * lane l
 *: one nibble per lane for 32- and 64-bit elements, pairs with a square for int16. add16 and sub16 of cint16
 * have pairs too.
 *
 *     add16(x, xstart, xoffs, xoffs_hi, [y,] ystart, yoffs, yoffs_hi)     add16(x, y)
 *     select32(sel, x, xstart, xoffs, xoffs_hi, xsquare, [y,] ystart, ...)  select32(sel, x, y)
 *     max16_like names with cmp: maxcmp16(..., cmp), cmp an unsigned variable that receives one bit per lane
 *
 * Sums wrap at the width of the element (assumed: UG1078 names no saturation); |most negative| stays (assumed).
 *
 * Threads: no state but that of the thread: what -DTW_AIE_PROFILE counts, and the control registers. */
#ifndef TILEWRIGHT_AIE_LANES_H
#define TILEWRIGHT_AIE_LANES_H

#include <tilewright/aie/detail/lanes_simd.h>

/* --- overloads ---------------------------------------------------------------------------------------------------
 * Shapes of one operand's arguments: 8 lanes (start, offsets), 16 (start, offsets, offsets_hi), 32 (the same,
 * square). */
#define TW__P8(p)  int p##s, int p##o
#define TW__P16(p) int p##s, int p##o, int p##h
#define TW__P32(p) int p##s, int p##o, int p##h, int p##q
#define TW__G8(p)  (unsigned)p##s, (unsigned)p##o, 0, 0
#define TW__G16(p) (unsigned)p##s, (unsigned)p##o, (unsigned)p##h, 0
#define TW__G32(p) (unsigned)p##s, (unsigned)p##o, (unsigned)p##h, (unsigned)p##q
/* Types of a kind: small (512 bits), large, lanes of either, picker. */
#define TW__K_i32(F, ...) F(v16int32, v32int32, 16, tw__pick32, 16, 32, __VA_ARGS__)
#define TW__K_c16(F, ...) F(v16cint16, v32cint16, 16, tw__pick32, 16, 32, __VA_ARGS__)
#define TW__K_sum(F, ...) F(v16cint16, v32cint16, 16, tw__pick_pairs, 16, 32, __VA_ARGS__)
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
#define TW__PAIRED_tw__pick_pairs                     0
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

#define TW__B_SEL(type, select)               \
    const tw__x512 chosen = select(sel, a, b);   \
    TW__SELECTED(chosen, select, sel, a, b);       \
    TW__RETURN(type, chosen)
#define TW__B_SEL32(type) TW__B_SEL(type, tw__select32)
#define TW__B_SEL16(type) TW__B_SEL(type, tw__select16)
#define TW__B_SEL64(type) TW__B_SEL(type, tw__select64)
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
TW__K_sum(TW__TWO, add16, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_ADD16)
TW__K_sum(TW__TWO, sub16, TW__SAME, TW__NOTHING, TW__NOTHING, TW__B_SUB16)
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
/* cmp (assumed, docs/aie.md): max, sub, maxdiff x < y; min x >= y: the second operand is the result. */
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

#ifndef __cplusplus
#include <tilewright/aie/detail/lanes_c.h>
#endif

#endif
