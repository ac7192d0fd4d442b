/* SPDX-License-Identifier: MIT */
/* The multiply family: what a call asks for, and which elements its lanes and columns take. */
#ifndef TILEWRIGHT_AIE_MUL_INDEX_H
#define TILEWRIGHT_AIE_MUL_INDEX_H

#include <tilewright/aie/detail/gather.h>

/* Component types of an operand. */
enum { TW__I8 = 0, TW__U8 = 1, TW__I16 = 2, TW__I32 = 3 };

/* What a name asks for. */
enum {
    TW__SUBTRACT = 1, /* msc, negmul */
    TW__ANTISYM = 2,  /* pre-adder: at most one of these; TW__PAIR alone is sym */
    TW__MAX = 4,
    TW__MIN = 8,
    TW__MAXDIFF = 16,
    TW__ABS = 32,
    TW__CONJ = 64,    /* _c: the operand that is complex */
    TW__CONJ_X = 128, /* _cn */
    TW__CONJ_Z = 256, /* _nc; _cc has both */
    /* set by the overload */
    TW__PAIR = 512, /* there is a second datum */
    TW__CT = 1024,
    TW__UCT = 2048,
    TW__ZVARIES = 4096 /* zstart is no compile-time constant; for checks */
};

typedef struct tw__mul {
    const void *x, *y, *z;
    unsigned xstart, xoffs, xoffs_hi, xstep, xsquare, ystart, ysquare, mtap, uct_col, uct_shift;
    unsigned zstart, zoffs, zoffs_hi, zstep, zsquare;
} tw__mul;

/* Everything known when an overload is compiled. */
typedef struct tw__shape {
    unsigned xtype, xcomplex, nx; /* elements of x, and of y */
    unsigned ztype, zcomplex, nz;
    unsigned lanes, columns;
} tw__shape;

/* --- which element: index vectors ---------------------------------------------------------------------------------
 * One vector of indices per 256 bits picked. From constant offsets they fold to constants. Steps and starts are taken
 * modulo the buffer, a power of two, so negative ones need no care. */

/* The int16 scheme works on blocks of 2 lanes x 2 columns; `square` permutes a block. Of two neighbouring nibbles the
 * first gives the even lane's offset, the second is relative to it, plus 1; both count pairs. Entries go lane by
 * lane, 2 columns each, 8 lanes of one offsets word. The select family uses it with 4 lanes to a block. */
TW__AIE tw__i16x16 tw__pairs(unsigned word, unsigned square, unsigned base, unsigned n)
{
    int16_t e0 = (int16_t)(2 * (word & 15)), e1 = (int16_t)(2 * (word >> 8 & 15));
    int16_t e2 = (int16_t)(2 * (word >> 16 & 15)), e3 = (int16_t)(2 * (word >> 24 & 15));
    int16_t d0 = (int16_t)(2 * (word >> 4 & 15) + 2), d1 = (int16_t)(2 * (word >> 12 & 15) + 2);
    int16_t d2 = (int16_t)(2 * (word >> 20 & 15) + 2), d3 = (int16_t)(2 * (word >> 28) + 2);
    int16_t q0 = square & 3, q1 = square >> 4 & 3, q2 = square >> 8 & 3, q3 = square >> 12 & 3;
    tw__i16x16 even = { e0, e0, e0, e0, e1, e1, e1, e1, e2, e2, e2, e2, e3, e3, e3, e3 };
    tw__i16x16 delta = { d0, d0, d0, d0, d1, d1, d1, d1, d2, d2, d2, d2, d3, d3, d3, d3 };
    tw__i16x16 q = { q0, q1, q2, q3, q0, q1, q2, q3, q0, q1, q2, q3, q0, q1, q2, q3 };
    return (even + (delta & -(q >> 1)) + (q & 1) + (int16_t)(base & ~1u)) & (int16_t)(n - 1);
}

/* Lanes 0 to 15 of one column in that scheme: two entries of the square, eight pairs of nibbles. */
TW__AIE tw__i16x16 tw__pairs_column(unsigned low, unsigned high, unsigned square, unsigned base, unsigned n)
{
#define TW__E(k) (int16_t)(2 * tw__nib2(low, high, 2 * (k)))
#define TW__D(k) (int16_t)(2 * tw__nib2(low, high, 2 * (k) + 1) + 2)
    int16_t e0 = TW__E(0), e1 = TW__E(1), e2 = TW__E(2), e3 = TW__E(3);
    int16_t e4 = TW__E(4), e5 = TW__E(5), e6 = TW__E(6), e7 = TW__E(7);
    int16_t d0 = TW__D(0), d1 = TW__D(1), d2 = TW__D(2), d3 = TW__D(3);
    int16_t d4 = TW__D(4), d5 = TW__D(5), d6 = TW__D(6), d7 = TW__D(7);
#undef TW__E
#undef TW__D
    int16_t q0 = square & 3, q1 = square >> 8 & 3;
    tw__i16x16 even = { e0, e0, e1, e1, e2, e2, e3, e3, e4, e4, e5, e5, e6, e6, e7, e7 };
    tw__i16x16 delta = { d0, d0, d1, d1, d2, d2, d3, d3, d4, d4, d5, d5, d6, d6, d7, d7 };
    tw__i16x16 q = { q0, q1, q0, q1, q0, q1, q0, q1, q0, q1, q0, q1, q0, q1, q0, q1 };
    return (even + (delta & -(q >> 1)) + (q & 1) + (int16_t)base) & (int16_t)(n - 1);
}

/* General scheme: one nibble per lane. */
TW__AIE tw__i16x16 tw__nibbles(unsigned low, unsigned high, unsigned base, unsigned n)
{
#define TW__L(k) (int16_t)tw__nib(low, k)
#define TW__H(k) (int16_t)tw__nib(high, k)
    tw__i16x16 nib = { TW__LIST8(TW__L), TW__LIST8(TW__H) };
#undef TW__L
#undef TW__H
    return (nib + (int16_t)base) & (int16_t)(n - 1);
}

/* 8-bit schemes, 32 entries: 16 lanes x 2 columns, or 8 lanes x 2 columns of two column pairs (`wide` 0), whose bases
 * differ. Nibbles 2j and 2j+1 serve a block of 4 lanes; `relative`: the odd one counts from the even one, plus 1. */
typedef struct tw__bytes {
    unsigned word, unit; /* what one nibble counts */
    unsigned relative, wide, base, base2, n;
} tw__bytes;

TW__AIE tw__u8x32 tw__byte_offsets(tw__bytes b, tw__u8x32 second)
{
#define TW__E(k) (uint8_t)(b.unit * tw__nib(b.word, 2 * (k)))
#define TW__D(k)                                                      \
    (uint8_t)(b.unit * (b.relative ? tw__nib(b.word, 2 * (k) + 1) + 1 \
                                   : tw__nib(b.word, 2 * (k) + 1) - tw__nib(b.word, 2 * (k))))
    uint8_t e0 = TW__E(0), e1 = TW__E(1), d0 = TW__D(0), d1 = TW__D(1);
    uint8_t e2 = b.wide ? TW__E(2) : e0, e3 = b.wide ? TW__E(3) : e1;
    uint8_t d2 = b.wide ? TW__D(2) : d0, d3 = b.wide ? TW__D(3) : d1;
#undef TW__E
#undef TW__D
#define TW__8(v) v, v, v, v, v, v, v, v
    uint8_t s0 = (uint8_t)b.base, s1 = (uint8_t)(b.wide ? b.base : b.base2);
    tw__u8x32 even = { TW__8(e0), TW__8(e1), TW__8(e2), TW__8(e3) };
    tw__u8x32 delta = { TW__8(d0), TW__8(d1), TW__8(d2), TW__8(d3) };
    tw__u8x32 base = { TW__8(s0), TW__8(s0), TW__8(s1), TW__8(s1) };
#undef TW__8
    return even + (delta & -second) + base;
}

/* x of 8 by 8 bits: the square permutes blocks of 2 double lanes x 2 columns, lanes of a double lane are
 * neighbours. */
TW__AIE tw__u8x32 tw__bytes_x(tw__bytes b, unsigned square)
{
    uint8_t q0 = square & 3, q1 = square >> 4 & 3, q2 = square >> 8 & 3, q3 = square >> 12 & 3;
#define TW__Q q0, q1, q0, q1, q2, q3, q2, q3
    tw__u8x32 q = { TW__Q, TW__Q, TW__Q, TW__Q };
#undef TW__Q
#define TW__ODD 0, 0, 1, 1, 0, 0, 1, 1
    const tw__u8x32 odd = { TW__ODD, TW__ODD, TW__ODD, TW__ODD };
#undef TW__ODD
    return (tw__byte_offsets(b, q >> 1) + 2 * (q & 1) + odd) & (uint8_t)(b.n - 1);
}

/* z of 8 by 8 bits: the square acts before rows are doubled, so that lanes 4k and 4k+2 share. */
TW__AIE tw__u8x32 tw__bytes_z(tw__bytes b, unsigned square)
{
    uint8_t q0 = square & 3, q1 = square >> 4 & 3, q2 = square >> 8 & 3, q3 = square >> 12 & 3;
#define TW__Q q0, q1, q2, q3, q0, q1, q2, q3
    tw__u8x32 q = { TW__Q, TW__Q, TW__Q, TW__Q };
#undef TW__Q
    return (tw__byte_offsets(b, q >> 1) + (q & 1)) & (uint8_t)(b.n - 1);
}

/* z of 16 by 8 bits: as z of bytes, but two nibbles to a block of 2 lanes. 16 entries of one offsets word. */
TW__AIE tw__i16x16 tw__pairs_z(unsigned word, unsigned square, unsigned base)
{
    int16_t e0 = (int16_t)(2 * (word & 15)), e1 = (int16_t)(2 * (word >> 8 & 15));
    int16_t e2 = (int16_t)(2 * (word >> 16 & 15)), e3 = (int16_t)(2 * (word >> 24 & 15));
    int16_t o0 = (int16_t)(2 * (word >> 4 & 15)), o1 = (int16_t)(2 * (word >> 12 & 15));
    int16_t o2 = (int16_t)(2 * (word >> 20 & 15)), o3 = (int16_t)(2 * (word >> 28));
    int16_t q0 = square & 3, q1 = square >> 4 & 3, q2 = square >> 8 & 3, q3 = square >> 12 & 3;
    tw__i16x16 even = { e0, e0, e0, e0, e1, e1, e1, e1, e2, e2, e2, e2, e3, e3, e3, e3 };
    tw__i16x16 odd = { o0, o0, o0, o0, o1, o1, o1, o1, o2, o2, o2, o2, o3, o3, o3, o3 };
    tw__i16x16 q = { q0, q1, q2, q3, q0, q1, q2, q3, q0, q1, q2, q3, q0, q1, q2, q3 };
    tw__i16x16 second = -(q >> 1);
    return ((even & ~second) + (odd & second) + (q & 1) + (int16_t)base) & 31;
}

#endif
