/* The multiply family: [l]{mul,mac,msc,negmul}{2,4,8,16} with pre-adder, centre tap, conjugation. This file computes;
 * aie/calls_mul.h has the names and overloads. Formulas: aie.md 2.5.
 *
 * Result lane l is the sum over columns c of pre(x(l,c), y(l,c)) * z(l,c), taken modulo 2^48 or 2^80 (here: 2^64 and
 * 2^128, wrapped when observed). Everything but the data is constant after inlining, so what remains is straight
 * code. Real 8- and 16-bit data, and cint16 by cint16, go through SIMD, with a pre-adder that adds or subtracts too; the
 * rest lane by lane, four at a time. */
#ifndef TILEWRIGHT_AIE_MUL_H
#define TILEWRIGHT_AIE_MUL_H

#include <tilewright/aie/gather.h>

/* Component types of an operand. */
enum { TW__I8, TW__U8, TW__I16, TW__I32 };

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
    TW__UCT = 2048
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
 * first gives the even lane's offset, the second is relative to it, plus 1; both count pairs. Entries go lane by lane,
 * 2 columns each, 8 lanes of one offsets word. The select family (aie.md 2.3) uses it with 4 lanes to a block. */
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

/* x of 8 by 8 bits: the square permutes blocks of 2 double lanes x 2 columns, lanes of a double lane are neighbours. */
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

/* --- lane by lane, four at a time ------------------------------------------------------------------------------------ */

/* Components `part` of 4 elements, from lane `first` of the indices, widened. n: elements; scale: components of one. */
TW__AIE tw__i64x4 tw__pick(const void *p, unsigned n, unsigned type, tw__i16x16 ix, unsigned first, unsigned scale,
                           unsigned part)
{
#define TW__I(k) (scale * (unsigned)ix[first + (k)] + part)
#define TW__P(k) ((const tw__source *)p)[TW__I(k)]
    if (type == TW__I8) {
        typedef int8_t tw__source;
        const tw__i64x4 r = { TW__LIST4(TW__P) };
        return r;
    }
    if (type == TW__U8) {
        typedef tw__u8m tw__source;
        const tw__i64x4 r = { TW__LIST4(TW__P) };
        return r;
    }
    if (type == TW__I16) return tw__widen16((const tw__i16m *)p, scale * n, TW__LIST4(TW__I));
    return tw__widen32((const tw__i32m *)p, scale * n, TW__LIST4(TW__I));
#undef TW__P
#undef TW__I
}

TW__AIE unsigned tw__is_paired(const tw__shape *s)
{
    return s->xtype == TW__I16 && !s->xcomplex && !s->zcomplex && s->ztype <= TW__I16;
}

/* Indices into x or y (start, step, square say which) of all lanes at column c. */
TW__AIE tw__i16x16 tw__column_x(const tw__mul *a, const tw__shape *s, unsigned start, unsigned step,
                                unsigned square, unsigned c)
{
    if (tw__is_paired(s))
        return tw__pairs_column(a->xoffs, a->xoffs_hi, square >> (4 * (c % 2)), (start & ~1u) + c / 2 * step,
                                s->nx);
    return tw__nibbles(a->xoffs, a->xoffs_hi, start + c * step, s->nx);
}

TW__AIE tw__i16x16 tw__column_z(const tw__mul *a, const tw__shape *s, unsigned c)
{
    if (!a->z) { /* z lies in the x buffer and is addressed as x is */
        tw__mul self = *a;
        self.xoffs = a->zoffs;
        self.xoffs_hi = a->zoffs_hi;
        return tw__column_x(&self, s, a->zstart, a->zstep, a->zsquare, c);
    }
    if (s->ztype > TW__U8) return tw__nibbles(a->zoffs, a->zoffs_hi, a->zstart + c * a->zstep, s->nz);
#define TW__E(k) (int16_t)(2 * tw__nib2(a->zoffs, a->zoffs_hi, 2 * (k)))
#define TW__O(k) (int16_t)(2 * tw__nib2(a->zoffs, a->zoffs_hi, 2 * (k) + 1))
#define TW__2(F) F(0), F(0), F(1), F(1), F(2), F(2), F(3), F(3), F(4), F(4), F(5), F(5), F(6), F(6), F(7), F(7)
    unsigned square = a->zsquare >> (4 * (c % 2));
    int16_t q0 = square & 3, q1 = square >> 8 & 3;
    tw__i16x16 even = { TW__2(TW__E) }, odd = { TW__2(TW__O) };
    tw__i16x16 q = { q0, q1, q0, q1, q0, q1, q0, q1, q0, q1, q0, q1, q0, q1, q0, q1 };
#undef TW__E
#undef TW__O
#undef TW__2
    tw__i16x16 second = -(q >> 1);
    return ((even & ~second) + (odd & second) + (q & 1) + (int16_t)(a->zstart + c / 2 * a->zstep)) & 31;
}

/* The data of 4 lanes after the pre-adder. */
TW__AIE tw__i64x4 tw__pre(const tw__mul *a, const tw__shape *s, unsigned flags, tw__i16x16 ix, tw__i16x16 iy,
                          unsigned first, unsigned part)
{
    tw__i64x4 x = tw__pick(a->x, s->nx, s->xtype, ix, first, 1 + s->xcomplex, part);
    if (flags & TW__ABS) return (x ^ (x >> 63)) - (x >> 63);
    if (!(flags & TW__PAIR)) return x;
    tw__i64x4 y = tw__pick(a->y, s->nx, s->xtype, iy, first, 1 + s->xcomplex, part);
    if (flags & TW__ANTISYM) return x - y;
    if (!(flags & (TW__MAX | TW__MIN | TW__MAXDIFF))) return x + y;
    tw__i64x4 greater = (tw__i64x4)(x > y);
    if (flags & TW__MAX) return (x & greater) | (y & ~greater);
    if (flags & TW__MIN) return (y & greater) | (x & ~greater);
    return (x - y) & greater;
}

/* Real and imaginary factors of 4 lanes of a column. */
typedef struct tw__factors {
    tw__i64x4 xr, xi, zr, zi;
} tw__factors;

TW__AIE tw__factors tw__factors_of(const tw__mul *a, const tw__shape *s, unsigned flags, unsigned c, unsigned first)
{
    tw__factors f;
    tw__i16x16 iz = tw__column_z(a, s, c), ix = tw__column_x(a, s, a->xstart, a->xstep, a->xsquare, c), iy = ix;
    const void *z = a->z ? a->z : a->x;
    const unsigned nz = a->z ? s->nz : s->nx;
    if (flags & TW__PAIR) iy = tw__column_x(a, s, a->ystart, 0u - a->xstep, a->ysquare, c);
    if ((flags & TW__CT) && c == s->columns - 1) { /* the centre tap stands alone */
        flags &= ~(unsigned)TW__PAIR;
        ix = tw__is_paired(s) ? tw__pairs_column(a->xoffs, a->xoffs_hi, a->xsquare, a->xstart + a->mtap, s->nx)
                              : tw__nibbles(a->xoffs, a->xoffs_hi, a->xstart + a->mtap, s->nx);
    }
    f.xr = tw__pre(a, s, flags, ix, iy, first, 0);
    f.zr = tw__pick(z, nz, s->ztype, iz, first, 1 + s->zcomplex, 0);
    f.xi = f.zi = f.xr;
    if (s->xcomplex) f.xi = tw__pre(a, s, flags, ix, iy, first, 1);
    if (s->zcomplex) f.zi = tw__pick(z, nz, s->ztype, iz, first, 2, 1);
    if ((flags & TW__CONJ_X) || ((flags & TW__CONJ) && s->xcomplex)) f.xi = -f.xi;
    if ((flags & TW__CONJ_Z) || ((flags & TW__CONJ) && s->zcomplex)) f.zi = -f.zi;
    return f;
}

typedef int64 tw__word48 __attribute__((may_alias));
__extension__ typedef __int128 tw__word80 __attribute__((may_alias));

/* a * b modulo 2^64. `narrow`: both fit 32 bits, which is one instruction. */
TW__AIE tw__u64x4 tw__product(tw__i64x4 a, tw__i64x4 b, unsigned narrow)
{
#if defined(__AVX2__) && !defined(__clang__)
    typedef int v8si __attribute__((vector_size(32)));
    if (narrow) return (tw__u64x4)__builtin_ia32_pmuldq256((v8si)a, (v8si)b);
#endif
    (void)narrow;
    return (tw__u64x4)a * (tw__u64x4)b;
}

/* Products of 48-bit accumulators fit 64 bits (pre-added 33 by 16, or 17 by 32), those of 80-bit ones do not. */
TW__AIE void tw__column48(tw__word48 *acc, const tw__mul *a, const tw__shape *s, unsigned flags, unsigned c,
                          unsigned first)
{
    if (c >= s->columns || first >= s->lanes) return;
    const tw__factors f = tw__factors_of(a, s, flags, c, first);
    const unsigned narrow = s->xtype != TW__I32 || !(flags & (TW__PAIR | TW__ABS | TW__CONJ | TW__CONJ_X));
    const unsigned narrow_z = narrow && (s->ztype != TW__I32 || !(flags & (TW__CONJ | TW__CONJ_Z)));
    tw__u64x4 re = tw__product(f.xr, f.zr, narrow);
    if (!s->xcomplex && !s->zcomplex) {
        tw__u64x4 *at = (tw__u64x4 *)(void *)(acc + first);
        *at = flags & TW__SUBTRACT ? *at - re : *at + re;
        return;
    }
    tw__u64x4 im = s->xcomplex ? tw__product(f.xi, f.zr, narrow) : tw__product(f.xr, f.zi, narrow_z);
    if (s->xcomplex && s->zcomplex)
        re -= tw__product(f.xi, f.zi, narrow_z), im += tw__product(f.xr, f.zi, narrow_z);
    const tw__u64x4 low = __builtin_shufflevector(re, im, 0, 4, 1, 5),
                    high = __builtin_shufflevector(re, im, 2, 6, 3, 7);
    tw__u64x4 *at = (tw__u64x4 *)(void *)(acc + 2 * first);
    at[0] = flags & TW__SUBTRACT ? at[0] - low : at[0] + low;
    at[1] = flags & TW__SUBTRACT ? at[1] - high : at[1] + high;
}

TW__AIE void tw__column80(tw__word80 *acc, const tw__mul *a, const tw__shape *s, unsigned flags, unsigned c,
                          unsigned first)
{
    if (c >= s->columns || first >= s->lanes) return;
    tw__factors f = tw__factors_of(a, s, flags, c, first);
    tw__u128 sign = flags & TW__SUBTRACT ? ~(tw__u128)0 : 1;
#define TW__W(v)          (tw__u128)(int128) f.v
#define TW__ADD(i, value) acc[i] = (int128)((tw__u128)acc[i] + sign * (value))
#define TW__DO(l)                                                                                     \
    if (first + l < s->lanes) {                                                                       \
        const unsigned at = s->xcomplex | s->zcomplex ? 2 * (first + l) : first + l;                  \
        if (!s->xcomplex && !s->zcomplex) {                                                           \
            TW__ADD(at, TW__W(xr[l]) * TW__W(zr[l]));                                                 \
        } else if (s->xcomplex && s->zcomplex) {                                                      \
            TW__ADD(at, TW__W(xr[l]) * TW__W(zr[l]) - TW__W(xi[l]) * TW__W(zi[l]));                   \
            TW__ADD(at + 1, TW__W(xr[l]) * TW__W(zi[l]) + TW__W(xi[l]) * TW__W(zr[l]));               \
        } else {                                                                                      \
            TW__ADD(at, TW__W(xr[l]) * TW__W(zr[l]));                                                 \
            TW__ADD(at + 1, s->xcomplex ? TW__W(xi[l]) * TW__W(zr[l]) : TW__W(xr[l]) * TW__W(zi[l])); \
        }                                                                                             \
    }
    TW__DO(0) TW__DO(1) TW__DO(2) TW__DO(3)
#undef TW__DO
#undef TW__ADD
#undef TW__W
}

/* _uct: the datum of column uct_col on the y side, shifted, into the upper half of the accumulator. At most 8 lanes. */
#define TW__DEFINE_UCT(name, word, wide)                                                               \
    TW__AIE void name(word *acc, const tw__mul *a, const tw__shape *s, unsigned flags, unsigned first) \
    {                                                                                                  \
        if (first >= s->lanes) return;                                                                 \
        tw__i16x16 even = tw__column_x(a, s, a->ystart, 0u - a->xstep, a->ysquare, a->uct_col & ~1u);  \
        tw__i16x16 odd = tw__column_x(a, s, a->ystart, 0u - a->xstep, a->ysquare, a->uct_col | 1u);    \
        tw__i16x16 iy = a->uct_col & 1 ? odd : even;                                                   \
        tw__i64x4 re = tw__pick(a->y, s->nx, s->xtype, iy, first, 1 + s->xcomplex, 0), im = re;        \
        if (s->xcomplex) im = tw__pick(a->y, s->nx, s->xtype, iy, first, 2, 1);                        \
        if ((flags & TW__CONJ_X) || ((flags & TW__CONJ) && s->xcomplex)) im = -im;                     \
        unsigned parts = s->xcomplex | s->zcomplex ? 2 : 1, shift = a->uct_shift & 63;                 \
        wide sign = flags & TW__SUBTRACT ? (wide)0 - 1 : 1;                                            \
        TW__UCT_LANE(0, wide) TW__UCT_LANE(1, wide) TW__UCT_LANE(2, wide) TW__UCT_LANE(3, wide)        \
    }
#define TW__UCT_LANE(l, wide)                                                                                     \
    if (first + l < s->lanes) {                                                                                   \
        unsigned u = parts * (s->lanes + first + l);                                                              \
        acc[u] = (__typeof__(acc[u] + 0))((wide)acc[u] + sign * ((wide)re[l] << shift));                          \
        if (s->xcomplex) acc[u + 1] = (__typeof__(acc[u] + 0))((wide)acc[u + 1] + sign * ((wide)im[l] << shift)); \
    }
TW__DEFINE_UCT(tw__uct48, tw__word48, uint64)
TW__DEFINE_UCT(tw__uct80, tw__word80, tw__u128)
#undef TW__DEFINE_UCT
#undef TW__UCT_LANE

/* --- SIMD: 8- and 16-bit data ---------------------------------------------------------------------------------------
 * Sums of two neighbouring 16-bit products, 8 at a time, in 32 bits; then added to lanes of 64. Widening sums that lie
 * in the order 0, 4, 1, 5, 2, 6, 3, 7 takes a mask and a shift: even ones belong to the first four lanes, odd ones to
 * the next four. So the data are picked in that order. A sum is raised to be unsigned, and the lanes lowered again. */

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

/* --- SIMD: cint16 by cint16 -----------------------------------------------------------------------------------------
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

/* --- all of it ------------------------------------------------------------------------------------------------------ */

#ifdef TW_AIE_CHECK
#ifdef __cplusplus
extern "C"
#endif
    TW_API void
    tw__aie_check_mul(const tw__mul *a, const tw__shape *s, unsigned flags, const void *acc, unsigned word);
/* Copies, so that what is known of the originals stays known after the call. */
TW__AIE void tw__check_mul(tw__mul a, tw__shape s, unsigned flags, const void *acc, unsigned word)
{
    tw__aie_check_mul(&a, &s, flags, acc, word);
}
#define TW__CHECK_MUL(a, s, flags, acc, word) tw__check_mul(*(a), *(s), flags, acc, word)
#else
#define TW__CHECK_MUL(a, s, flags, acc, word) ((void)0)
#endif

/* What calls_mul.h names. SIMD, and lane by lane by the number of columns: up to 8 lanes, 16 lanes, twice the lanes with
 * _uct. With a pre-adder, sums of (x + y) * z are those of x * z and those of y * z. */
TW__AIE tw__mul tw__y_side(const tw__mul *a)
{
    tw__mul y = *a;
    y.x = a->y, y.xstart = a->ystart, y.xstep = 0u - a->xstep, y.xsquare = a->ysquare;
    return y;
}
TW__AIE unsigned tw__y_flags(unsigned flags)
{
    return flags & TW__ANTISYM ? flags ^ TW__SUBTRACT : flags;
}
TW__AIE void tw__mul_dot(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags)
{
    tw__dot((tw__u64x4 *)acc, a, s, flags);
}
TW__AIE void tw__mul_four(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags)
{
    tw__dot_four((tw__u64x4 *)acc, a, s, flags, 0);
    tw__dot_four((tw__u64x4 *)acc, a, s, flags, 1);
}
TW__AIE void tw__mul_dot_pair(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags)
{
    const tw__mul y = tw__y_side(a);
    tw__dot((tw__u64x4 *)acc, a, s, flags);
    tw__dot((tw__u64x4 *)acc, &y, s, tw__y_flags(flags));
}
TW__AIE void tw__mul_four_pair(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags)
{
    const tw__mul y = tw__y_side(a);
    tw__mul_four(acc, a, s, flags);
    tw__mul_four(acc, &y, s, tw__y_flags(flags));
}
/* 4 lanes and 2 columns, of which the second is the centre tap. */
TW__AIE void tw__mul_four_ct(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags)
{
    const tw__mul y = tw__y_side(a);
    tw__mul centre = *a;
    centre.xstart += a->mtap, centre.xstep = 0;
    tw__dot_four((tw__u64x4 *)acc, a, s, flags, 0);
    tw__dot_four((tw__u64x4 *)acc, &y, s, tw__y_flags(flags), 0);
    tw__dot_four((tw__u64x4 *)acc, &centre, s, flags, 1);
}
#define TW__DEFINE_MUL(name, word, DO)                                                           \
    TW__AIE void tw__mul_##name(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags) \
    {                                                                                            \
        word *w = (word *)acc;                                                                   \
        DO;                                                                                      \
    }
#define TW__48(c)     tw__column48(w, a, s, flags, c, 0), tw__column48(w, a, s, flags, c, 4)
#define TW__48HIGH(c) tw__column48(w, a, s, flags, c, 8), tw__column48(w, a, s, flags, c, 12)
#define TW__80(c)     tw__column80(w, a, s, flags, c, 0), tw__column80(w, a, s, flags, c, 4)
#define TW__UCT48     tw__uct48(w, a, s, flags, 0), tw__uct48(w, a, s, flags, 4)
#define TW__UCT80     tw__uct80(w, a, s, flags, 0), tw__uct80(w, a, s, flags, 4)
#define TW__EACH1(F)  F(0)
TW__DEFINE_MUL(lanes48_1, tw__word48, TW__EACH1(TW__48))
TW__DEFINE_MUL(lanes48_2, tw__word48, TW__EACH2(TW__48))
TW__DEFINE_MUL(lanes48_4, tw__word48, TW__EACH4(TW__48))
TW__DEFINE_MUL(lanes48_8, tw__word48, TW__EACH8(TW__48))
TW__DEFINE_MUL(wide48_1, tw__word48, (TW__EACH1(TW__48), TW__EACH1(TW__48HIGH)))
TW__DEFINE_MUL(wide48_2, tw__word48, (TW__EACH2(TW__48), TW__EACH2(TW__48HIGH)))
TW__DEFINE_MUL(wide48_4, tw__word48, (TW__EACH4(TW__48), TW__EACH4(TW__48HIGH)))
TW__DEFINE_MUL(uct48_1, tw__word48, (TW__EACH1(TW__48), TW__UCT48))
TW__DEFINE_MUL(uct48_2, tw__word48, (TW__EACH2(TW__48), TW__UCT48))
TW__DEFINE_MUL(uct48_4, tw__word48, (TW__EACH4(TW__48), TW__UCT48))
TW__DEFINE_MUL(uct48_8, tw__word48, (TW__EACH8(TW__48), TW__UCT48))
TW__DEFINE_MUL(lanes80_1, tw__word80, TW__EACH1(TW__80))
TW__DEFINE_MUL(lanes80_2, tw__word80, TW__EACH2(TW__80))
TW__DEFINE_MUL(lanes80_4, tw__word80, TW__EACH4(TW__80))
TW__DEFINE_MUL(uct80_1, tw__word80, (TW__EACH1(TW__80), TW__UCT80))
TW__DEFINE_MUL(uct80_2, tw__word80, (TW__EACH2(TW__80), TW__UCT80))
TW__DEFINE_MUL(uct80_4, tw__word80, (TW__EACH4(TW__80), TW__UCT80))
#undef TW__48
#undef TW__48HIGH
#undef TW__80
#undef TW__UCT48
#undef TW__UCT80
#undef TW__DEFINE_MUL

/* --- names ---------------------------------------------------------------------------------------------------------
 * C: TW__CALL(class, flags, arguments) chooses by number and types of the arguments. C++: a template that hands over
 * to the overloads of the class, so that objects which convert to vectors are taken too; by value, because deduction
 * drops the alignment of a vector type. Scalars are all int there: one kind of conversion leaves nothing ambiguous. */
#ifdef __cplusplus
#ifdef TW_AIE_CHECK
#define TW__NAME(name, cls, flags) \
    TW__COUNTS_##cls(TW__PLACED_FLAGS, name, tw__raw_##cls, static_cast<unsigned>(flags))
#else
#define TW__NAME(name, cls, flags)                                             \
    template <class... A> TW__AIE auto name(A... a) -> decltype(cls(0u, a...)) \
    {                                                                          \
        return cls(flags, a...);                                               \
    }
#endif
#else
struct tw_no_intrinsic_takes_these_arguments; /* what a compiler names when no overload fits */
extern struct tw_no_intrinsic_takes_these_arguments *tw__no_such_overload;
#define TW__NARGS(...)                                                                  TW__NARGS_(__VA_ARGS__, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TW__NARGS_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, count, ...) count
#define TW__CALL(cls, flags, ...)                                                       TW__CALLED(TW__CALL_(cls, TW__NARGS(__VA_ARGS__), flags, __VA_ARGS__))
#define TW__CALL_(cls, n, flags, ...)                                                   TW__CALL__(cls, n, flags, __VA_ARGS__)
#define TW__CALL__(cls, n, flags, ...)                                                  cls##_##n(flags, __VA_ARGS__)
#endif

#endif
