/* SPDX-License-Identifier: MIT */
/* What the references of instructions share: results with their flags, operands of an instruction. */
#ifndef REF_PARTS_H
#define REF_PARTS_H

#include "ref_sim.h"

#include <math.h>
#include <string.h>

static inline uint32_t bits_of(float f)
{
    uint32_t b;
    memcpy(&b, &f, 4);
    return b;
}

/* --- results ---------------------------------------------------------------------------------------------------- */

enum { INV = 1, DIV0 = 2, OFLO = 4 };

static inline unsigned mode_of(const ref_state *s)
{
    unsigned mode = s->fp_ctl >> 16 & 7;
    return mode > 4 ? 0 : mode;
}
static inline bool is_nan32(uint32_t b)
{
    return (b & 0x7fffffff) > 0x7f800000;
}
static inline bool is_signalling(uint32_t b)
{
    return is_nan32(b) && !(b >> 22 & 1);
}
static inline uint32_t flushed(const ref_state *s, uint32_t b)
{
    return !s->denormals && !(b & 0x7f800000) ? b & 0x80000000 : b;
}
static inline uint32_t widened(uint32_t h) /* the single with the same value, NaNs by kind */
{
    if ((h & 0x7fff) > 0x7c00) return (h & 0x8000) << 16 | 0x7f800000 | (h & 0x3ff) << 13;
    return bits_of((float)ref_half(h));
}

static inline uint32_t single(ref_state *s, ref_number n, bool negative_zero)
{
    double wide = ref_round(n, 24, -10000, mode_of(s)), v = ref_round(n, 24, -149, mode_of(s));
    if (!n.m) return negative_zero ? 0x80000000 : 0;
    if (!s->denormals && fabs(wide) < 0x1p-126) return n.m < 0 ? 0x80000000 : 0;
    if (v == 0) return n.m < 0 ? 0x80000000 : 0;
    if (fabs(v) < 0x1p128) return bits_of((float)v);
    s->fp_sts |= OFLO;
    unsigned mode = mode_of(s);
    bool largest = mode == 3 || (mode == 1 && v < 0) || (mode == 2 && v > 0);
    return (v < 0 ? 0x80000000u : 0) | (largest ? 0x7f7fffffu : 0x7f800000u);
}

static inline uint32_t half_bits(double v) /* exact */
{
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    double a = fabs(v);
    int e;
    if (a < 0x1p-14) return sign | (uint32_t)ldexp(a, 24);
    double f = frexp(a, &e);
    return sign | (uint32_t)(e + 14) << 10 | ((uint32_t)ldexp(f, 11) & 1023);
}
static inline uint32_t half(ref_state *s, ref_number n, bool negative_zero)
{
    double v = ref_round(n, 11, -24, mode_of(s));
    if (!n.m) return negative_zero ? 0x8000 : 0;
    if (v == 0) return n.m < 0 ? 0x8000 : 0;
    if (fabs(v) < 65520) return half_bits(v);
    s->fp_sts |= OFLO;
    return s->fp_ctl >> 20 & 1 ? 0x7fff : n.m < 0 ? 0xfbff : 0x7bff;
}
/* A double in one rounding, as single or half. */
static inline uint32_t single_of(ref_state *s, double v)
{
    if (isnan(v)) return s->fp_sts |= INV, 0x7fffffff;
    if (isinf(v)) return v < 0 ? 0xff800000 : 0x7f800000;
    return single(s, ref_of(v), signbit(v));
}
static inline uint32_t half_of(ref_state *s, double v)
{
    if (isnan(v)) return 0x7fff;
    if (isinf(v)) return v < 0 ? 0xfc00 : 0x7c00;
    return half(s, ref_of(v), signbit(v));
}

/* --- two operands ----------------------------------------------------------------------------------------------- */

/* Operands are bits of singles, whether they began as such or as halves; NaN and infinity are settled here. */
static inline bool settled(ref_state *s, uint32_t x, uint32_t y, double plain, uint32_t *out)
{
    if (is_nan32(x) || is_nan32(y) || isnan(plain)) {
        if ((!is_nan32(x) && !is_nan32(y)) || is_signalling(x) || is_signalling(y)) s->fp_sts |= INV;
        *out = 0x7fffffff;
        return true;
    }
    if (!isinf(plain)) return false;
    *out = plain < 0 ? 0xff800000 : 0x7f800000;
    return true;
}

static inline uint32_t arithmetic(ref_state *s, char op, uint32_t x, uint32_t y, bool to_half)
{
    if (!to_half) x = flushed(s, x), y = flushed(s, y);
    if (op == '-') y ^= is_nan32(y) ? 0 : 0x80000000, op = '+';
    double a = ref_float(x), b = ref_float(y);
    uint32_t r;
    if (settled(s, x, y, op == '+' ? a + b : a * b, &r))
        return !to_half ? r : is_nan32(r) ? 0x7fff : r >> 31 ? 0xfc00 : 0x7c00;
    ref_number n = op == '+' ? ref_add(ref_of(a), ref_of(b)) : ref_mul(ref_of(a), ref_of(b));
    bool negative = op == '+' ? signbit(a) && signbit(b) : signbit(a) != signbit(b);
    return to_half ? half(s, n, negative) : single(s, n, negative);
}

static inline uint32_t extreme(ref_state *s, bool larger, uint32_t x, uint32_t y)
{
    x = flushed(s, x), y = flushed(s, y);
    if (is_signalling(x) || is_signalling(y)) s->fp_sts |= INV;
    if (is_nan32(x)) return is_nan32(y) ? 0x7fffffff : y;
    if (is_nan32(y)) return x;
    float a = ref_float(x), b = ref_float(y);
    if (a == b) return larger ? (signbit(a) ? y : x) : (signbit(a) ? x : y);
    return (a > b) == larger ? x : y;
}

static inline bool compared(ref_state *s, const char *op, uint32_t x, uint32_t y)
{
    if (is_signalling(x) || is_signalling(y)) s->fp_sts |= INV;
    float a = ref_float(flushed(s, x)), b = ref_float(flushed(s, y));
    return !strcmp(op, "eq")   ? a == b
           : !strcmp(op, "ne") ? !(a == b)
           : !strcmp(op, "gt") ? a > b
           : !strcmp(op, "ge") ? a >= b
           : !strcmp(op, "lt") ? a < b
                               : a <= b;
}

static inline uint32_t divided(ref_state *s, uint32_t x, uint32_t y)
{
    x = flushed(s, x), y = flushed(s, y);
    double a = ref_float(x), b = ref_float(y);
    uint32_t r;
    if (b == 0 && isfinite(a) && a != 0) s->fp_sts |= DIV0;
    if (settled(s, x, y, a / b, &r)) return r;
    if (a == 0 || isinf(b)) return signbit(a) != signbit(b) ? 0x80000000 : 0;
    ref_number n = ref_of(a), d = ref_of(b);
    __int128 top = n.m * ((__int128)1 << 70), q = top / d.m;
    q = q * 2 + (top % d.m ? (q < 0 || (q == 0 && (n.m < 0) != (d.m < 0)) ? -1 : 1) : 0);
    return single(s, (ref_number){ q, n.e - d.e - 71 }, false);
}

/* long double of the host is exact enough to tell how a result rounds, but for cases that do not turn up. */
static inline long double function_of(const char *op, long double v, bool *known)
{
    *known = true;
    if (!strcmp(op, "exp")) return expl(v);
    if (!strcmp(op, "exp2")) return exp2l(v);
    if (!strcmp(op, "ln")) return logl(v);
    if (!strcmp(op, "log2")) return log2l(v);
    if (!strcmp(op, "tanh")) return tanhl(v);
    if (!strcmp(op, "sigm")) return 1 / (1 + expl(-v));
    if (!strcmp(op, "sqrt")) return sqrtl(v);
    if (!strcmp(op, "oox")) return 1 / v;
    if (!strcmp(op, "oorx")) return 1 / sqrtl(v);
    *known = false;
    return 0;
}
static inline uint32_t unary(ref_state *s, const char *op, uint32_t x, bool to_half, bool *known)
{
    long double v = ref_float(x), r = function_of(op, is_nan32(x) ? 1 : v, known);
    uint32_t nan = to_half ? 0x7fff : 0x7fffffff;
    if (is_nan32(x)) return s->fp_sts |= is_signalling(x) ? INV : 0, nan;
    if (isnan(r)) return s->fp_sts |= INV, nan;
    if (isinf(r) && v == 0) s->fp_sts |= DIV0;
    if (isfinite(r) && fabsl(r) > 1e300L) r = r < 0 ? -1e300L : 1e300L; /* not more than a double holds */
    if (isinf(r) && isfinite(v) && v != 0) r = r < 0 ? -1e300L : 1e300L;
    if (r == 0 && v < 0 && isfinite(v)) r = 1e-300L; /* of an exponential */
    if (r != 0 && fabsl(r) < 1e-300L) r = r < 0 ? -1e-300L : 1e-300L;
    /* What only an infinite argument (or 0, for an exponential) reaches is rounded from the side where it lies. */
    double d = (double)r;
    if (isfinite(v) && v != 0) {
        if ((!strcmp(op, "sigm") || !strcmp(op, "tanh")) && fabs(d) == 1) d = nextafter(d, 0);
        if (!strncmp(op, "exp", 3) && d == 1) d = nextafter(1, v < 0 ? 0 : 2);
        if (!strcmp(op, "sigm") && d == 0.5) d = nextafter(0.5, v < 0 ? 0 : 1);
        if (!strcmp(op, "tanh") && d == (double)v) d = nextafter(d, 0);
    }
    return to_half ? half_of(s, d) : single_of(s, d);
}

static inline uint32_t classified(bool nan, bool quiet, bool inf, bool zero, bool subnormal, bool negative)
{
    if (nan) return quiet ? 2 : 1;
    if (inf) return negative ? 4 : 3;
    if (zero) return negative ? 5 : 6;
    return subnormal ? (negative ? 7 : 8) : (negative ? 9 : 10);
}

/* --- operands --------------------------------------------------------------------------------------------------- */

typedef struct view {
    ref_state *s;
    const tw_insn *insn;
    const tw_isa_row *row;
    ref_state was;
} view;

static inline const tw_isa_operand *kind(const view *v, unsigned k)
{
    return k < v->row->count ? v->row->operands[k] : NULL;
}
static inline uint32_t reg(const view *v, unsigned k, unsigned i)
{
    unsigned n = v->insn->operands[k] + i;
    return kind(v, k)->file == TW_ISA_MRF ? v->was.m[n] : v->was.a[n];
}
static inline uint32_t word(const view *v, unsigned k, unsigned i)
{
    if (!kind(v, k)) return 0;
    if (!kind(v, k)->registers) return v->insn->operands[k];
    if (!strcmp(kind(v, k)->name, "AB")) i = 0;
    uint32_t w = reg(v, k, i);
    if (!strcmp(kind(v, k)->name, "ABL")) w = (w & 0xffff) * 0x10001;
    if (!strcmp(kind(v, k)->name, "ABU")) w = (w >> 16) * 0x10001;
    return w;
}
static inline uint32_t halfword(const view *v, unsigned k, unsigned i)
{
    bool broadcast = !strncmp(kind(v, k)->name, "AB", 2) && kind(v, k)->name[2];
    return word(v, k, broadcast ? 0 : i / 2) >> 16 * (i & 1) & 0xffff;
}
static inline void put(view *v, unsigned k, unsigned i, uint32_t value)
{
    unsigned n = v->insn->operands[k] + i;
    if (kind(v, k)->file == TW_ISA_MRF) {
        if (n < 12) v->s->m[n] = value;
    } else if (n < 8) {
        v->s->a[n] = value;
    }
}
static inline void put_half(view *v, unsigned k, unsigned i, uint32_t value)
{
    unsigned n = v->insn->operands[k] + i / 2;
    if (n < 8) v->s->a[n] = (v->s->a[n] & (i & 1 ? 0xffffu : 0xffff0000u)) | value << 16 * (i & 1);
}

static inline uint32_t narrowed(ref_state *s, uint32_t x)
{
    if (is_nan32(x)) return s->fp_sts |= is_signalling(x) ? INV : 0, 0x7fff;
    return half_of(s, ref_float(flushed(s, x)));
}

static inline uint32_t byte(uint32_t v, unsigned i)
{
    return v >> 8 * i & 255;
}
static inline double quarter(uint32_t b, unsigned format)
{
    unsigned mant = format & 1 ? 2 : 3;
    int bias = format & 1 ? 16 : 8, e = (int)((b & 127) >> mant), f = (int)(b & ((1u << mant) - 1));
    if (b == 0x80) return (double)NAN;
    double v = e ? ldexp((1 << mant) + f, e - bias - (int)mant) : ldexp(f, 1 - bias - (int)mant);
    return b & 128 ? -v : v;
}
static inline double scale6(uint32_t v)
{
    int n = (int)(v & 63);
    return ldexp(1, n > 31 ? n - 64 : n);
}

/* --- groups of rows --------------------------------------------------------------------------------------------- */

/* False: not one of these. ref_lanes.c */
bool ref_float_lanes(view *v, unsigned n, const char *op);
bool ref_half_lanes(view *v, unsigned n, const char *op);
bool ref_conversion(view *v, const char *n);
/* ref_matrix.c */
bool ref_accumulators(view *v, const char *n);
bool ref_matrix(view *v, const char *n);
bool ref_single_slic(view *v, const char *n);
bool ref_random_numbers(view *v, const char *n);

#endif
