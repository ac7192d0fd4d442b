/* SPDX-License-Identifier: MIT */
/* The multiply family lane by lane, four at a time: every combination of types. */
#ifndef TILEWRIGHT_AIE_MUL_LANES_H
#define TILEWRIGHT_AIE_MUL_LANES_H

#include <tilewright/aie/detail/mul_index.h>

/* --- lane by lane, four at a time ----------------------------------------------------------------------------- */

/* Components `part` of 4 elements, from lane `first` of the indices, widened. n: elements; scale: components of
 * one. */
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
    if (!a->z) { /* z lies in the y buffer, which may be that of x, and is addressed as x is */
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
    const void *z = a->z ? a->z : a->y;
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

/* Four products of 64 bits, extended to lanes of 128 and added to four neighbours. A word's sum has a carry when it
 * is below what was added; that of an upper word leaves the lane. */
TW__AIE void tw__add80(tw__word80 *acc, tw__i64x4 p)
{
    const tw__i64x4 turned = __builtin_shufflevector(p, p, 0, 2, 1, 3), sign = (tw__i64x4)(turned < 0);
    const tw__u64x4 added[2] = { (tw__u64x4)__builtin_shufflevector(turned, sign, 0, 4, 2, 6),
                                 (tw__u64x4)__builtin_shufflevector(turned, sign, 1, 5, 3, 7) };
    const uint64_t top = (uint64_t)1 << 63;
#define TW__HALF(k)                                                                                              \
    {                                                                                                            \
        tw__u64x4 *at = (tw__u64x4 *)(void *)(acc + 2 * (k));                                                    \
        const tw__u64x4 sum = *at + added[k];                                                                    \
        const tw__i64x4 carry = (tw__i64x4)((tw__i64x4)(sum ^ top) < (tw__i64x4)(added[k] ^ top)), none = { 0 }; \
        *at = sum - (tw__u64x4)__builtin_shufflevector(none, carry, 0, 4, 2, 6);                                 \
    }
    TW__HALF(0) TW__HALF(1)
#undef TW__HALF
}

TW__AIE void tw__column80(tw__word80 *acc, const tw__mul *a, const tw__shape *s, unsigned flags, unsigned c,
                          unsigned first)
{
    if (c >= s->columns || first >= s->lanes) return;
    tw__factors f = tw__factors_of(a, s, flags, c, first);
#ifdef __AVX2__
    /* Real factors of 32 bits: no product needs more than 64. */
    if (!s->xcomplex && !s->zcomplex && !(flags & (TW__PAIR | TW__ABS | TW__CT)) && first + 4 <= s->lanes) {
        const tw__u64x4 p = tw__product(f.xr, f.zr, 1);
        tw__add80(acc + first, (tw__i64x4)(flags & TW__SUBTRACT ? -p : p));
        return;
    }
#endif
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

/* _uct: the datum of column uct_col on the y side, shifted, into the upper half of the accumulator. At most 8
 * lanes. */
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

#endif
