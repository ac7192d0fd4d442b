/* SPDX-License-Identifier: MIT */
/* Numbers of the aux pipeline. The host's arithmetic does the work: results that are finite need nothing more, others
 * are looked at again for flags and NaNs. While a tile runs, subnormal single precision is flushed by the host's own
 * switch (tw__sim_fp_enter) where it has one that decides after rounding, else in software. Rounding other than
 * nearest even goes through doubles that are exact, or rounded to odd, and then one rounding in integers. */
#ifndef TW_COLOSSUS_SIM_FP_H
#define TW_COLOSSUS_SIM_FP_H

#include "poplar/colossus/sim/sim.h"

#include <math.h>

enum {
    TW__SIM_NAN32 = 0x7fffffff,
    TW__SIM_NAN16 = 0x7fff,
    TW__SIM_RND_STOCHASTIC = 5 /* beside the numbers of FP_CTL.RND */
};

/* Flags that an instruction raises, and the random bits of its stochastic roundings: 16 for each lane. */
typedef struct tw__fp {
    unsigned flags;
    bool stochastic;
    uint64_t random, prng[2];
} tw__fp;

static inline float tw__fp_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static inline uint32_t tw__fp_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}
static inline bool tw__fp_nan32(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}
static inline bool tw__fp_signalling32(uint32_t bits)
{
    return tw__fp_nan32(bits) && !(bits & 0x00400000);
}
static inline bool tw__fp_special32(uint32_t bits) /* infinity or NaN */
{
    return (bits & 0x7f800000) == 0x7f800000;
}
/* Operand of an instruction that does not calculate with it (calculating flushes by itself). */
static inline uint32_t tw__fp_flush(const tw__sim_context *w, uint32_t bits)
{
    return w->flush && !(bits & 0x7f800000) ? bits & 0x80000000 : bits;
}

/* Does the host flush by itself? A build with TW_SOFT_FLUSH tests on x86 what other hosts do. */
#if defined(__SSE2__) && !defined(TW_SOFT_FLUSH)
enum { TW__FP_HOST_FLUSHES = 1 };
#else
enum { TW__FP_HOST_FLUSHES = 0 };
#endif
/* Operands of calculations: from a register, from an accumulator. */
static inline uint32_t tw__fp_in(const tw__sim_context *w, uint32_t bits)
{
    return TW__FP_HOST_FLUSHES ? bits : tw__fp_flush(w, bits);
}
static inline float tw__fp_held(const tw__sim_context *w, float f)
{
    return TW__FP_HOST_FLUSHES ? f : tw__fp_float(tw__fp_flush(w, tw__fp_bits(f)));
}
/* A double as single, nearest even. It is flushed when even with 24 bits it lies below the normal numbers: from half
 * a step of these bits on it becomes the smallest one. */
static inline float tw__fp_single(const tw__sim_context *w, double v)
{
    if (!TW__FP_HOST_FLUSHES && w->flush && fabs(v) < 0x1p-126 - 0x1p-151) return (float)copysign(0, v);
    return (float)v;
}

static inline unsigned tw__fp_rounding(const tw__sim_context *w)
{
    unsigned mode = w->fp_ctl >> 16 & 7;
    return mode > 4 ? 0 : mode;
}

/* Half to single: the 65,536 values are exact. Signalling NaNs stay so. */
static inline uint32_t tw__fp_widen(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, rest = h & 0x7fff;
    if (__builtin_expect(rest >= 0x7c00, 0)) return sign | 0x7f800000 | (rest & 0x3ff) << 13;
    if (rest >= 0x400) return sign | ((rest << 13) + (112u << 23));
    return sign | tw__fp_bits(tw__fp_float((rest << 13) + (113u << 23)) - tw__fp_float(113u << 23));
}

/* --- fp.c ------------------------------------------------------------------------------------------------------- */

/* Finite v to a format of `mant` mantissa bits and this bias, top exponent for infinity and NaN unless `full`.
 * mode: of FP_CTL.RND, or stochastic with 16 random bits. *overflow when it is too large: then the infinity or the
 * largest number, as the mode says. */
uint32_t tw__fp_round(double v, unsigned mant, int bias, bool full, unsigned mode, uint32_t random, bool *overflow);
/* Any double as the result of a single precision instruction in the present rounding mode. */
uint32_t tw__fp_to32(const tw__sim_context *w, tw__fp *fp, double v);
/* Any double as half, lane k of the instruction; rules of NANOO. */
uint32_t tw__fp_to16(const tw__sim_context *w, tw__fp *fp, double v, unsigned lane);
/* Result r of x op y that is infinite or a NaN: what it really is, and its flags. */
uint32_t tw__fp_special(tw__fp *fp, uint32_t x, uint32_t y, uint32_t r);
/* x + y and x * y, exact or rounded to odd, for another rounding behind it. */
double tw__fp_add_odd(double x, double y);
/* One step of the random generator. */
uint64_t tw__fp_next(uint64_t prng[2]);
/* The host's flushing of subnormals for the simulator, and back. */
unsigned tw__sim_fp_enter(bool flush);
void tw__sim_fp_leave(unsigned saved);
uint32_t tw__fp_class32(uint32_t bits);
uint32_t tw__fp_class16(uint32_t bits);
/* Eight bits with their format (0: four exponent and three mantissa bits, 1: five and two) and the reverse. */
double tw__fp_from8(uint32_t bits, unsigned format, bool *nan);
uint32_t tw__fp_to8(const tw__sim_context *w, tw__fp *fp, double v, unsigned format, unsigned lane);

/* --- instructions ----------------------------------------------------------------------------------------------- */

/* For instructions that round to half precision: takes the random bits. */
static inline __attribute__((always_inline)) tw__fp tw__fp_begin16(const tw__sim_context *w)
{
    tw__fp fp = { 0 };
    if (__builtin_expect(w->fp_ctl >> 19 & 1, 0)) {
        fp.stochastic = true, fp.prng[0] = w->prng[0], fp.prng[1] = w->prng[1];
        fp.random = tw__fp_next(fp.prng);
    }
    return fp;
}
/* Ends it: false when a flag is an exception; else the instruction may write. */
static inline __attribute__((always_inline)) bool tw__fp_end(tw__sim_context *w, const tw__sim_op *op,
                                                             const tw__fp *fp)
{
    if (__builtin_expect(fp->flags, 0) && !tw__sim_fp_flags(w, op, fp->flags)) return false;
    if (__builtin_expect(fp->stochastic, 0)) w->prng[0] = fp->prng[0], w->prng[1] = fp->prng[1];
    return true;
}

/* A double that has been calculated in one rounding, as single; nearest even is the host's conversion. */
static inline uint32_t tw__fp_narrow(const tw__sim_context *w, tw__fp *fp, double v)
{
    if (__builtin_expect(w->fp_slow, 0)) return tw__fp_to32(w, fp, v);
    uint32_t r = tw__fp_bits(tw__fp_single(w, v));
    return __builtin_expect(tw__fp_special32(r), 0) ? tw__fp_to32(w, fp, v) : r;
}

/* A single that is the exact result, or one of 24 bits from operands of 11 (a second rounding then does no harm). */
static inline uint32_t tw__fp_half(const tw__sim_context *w, tw__fp *fp, float f, unsigned lane)
{
    uint32_t bits = tw__fp_bits(f), rest = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    if (__builtin_expect(rest >= 0x477ff000 || w->fp_slow, 0)) return tw__fp_to16(w, fp, f, lane);
    if (rest >= 0x38800000) return sign | (rest + 0xc8000fff + (rest >> 13 & 1)) >> 13;
    return sign | (tw__fp_bits(tw__fp_float(rest) + 0.5f) - 0x3f000000);
}

#define TW__FP_BINARY(name, host, odd)                                                                     \
    static inline uint32_t tw__fp_##name##32(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b) \
    {                                                                                                      \
        a = tw__fp_in(w, a), b = tw__fp_in(w, b);                                                          \
        float x = tw__fp_float(a), y = tw__fp_float(b);                                                    \
        if (__builtin_expect(w->fp_slow, 0)) {                                                             \
            double p = tw__fp_float(tw__fp_flush(w, a)), q = tw__fp_float(tw__fp_flush(w, b));             \
            uint32_t r = tw__fp_bits((float)(host));                                                       \
            return tw__fp_nan32(r) ? tw__fp_special(fp, a, b, r) : tw__fp_to32(w, fp, odd);                \
        }                                                                                                  \
        uint32_t r = tw__fp_bits(host);                                                                    \
        if (!TW__FP_HOST_FLUSHES && (r & 0x7fffffff) <= 0x00800000) { /* exact in double */                \
            double p = x, q = y;                                                                           \
            r = tw__fp_bits(tw__fp_single(w, odd));                                                        \
        }                                                                                                  \
        return __builtin_expect(tw__fp_special32(r), 0) ? tw__fp_special(fp, a, b, r) : r;                 \
    }                                                                                                      \
    static inline uint32_t tw__fp_##name##16(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b, \
                                             unsigned lane)                                                \
    {                                                                                                      \
        uint32_t xb = tw__fp_widen(a), yb = tw__fp_widen(b);                                               \
        float x = tw__fp_float(xb), y = tw__fp_float(yb), r = (host);                                      \
        if (__builtin_expect(tw__fp_special32(tw__fp_bits(r)), 0))                                         \
            return tw__fp_to16(w, fp, tw__fp_float(tw__fp_special(fp, xb, yb, tw__fp_bits(r))), lane);     \
        if (__builtin_expect(w->fp_slow, 0)) {                                                             \
            double p = x, q = y;                                                                           \
            return tw__fp_to16(w, fp, odd, lane);                                                          \
        }                                                                                                  \
        return tw__fp_half(w, fp, r, lane);                                                                \
    }
TW__FP_BINARY(add, x + y, tw__fp_add_odd(p, q))
TW__FP_BINARY(sub, x - y, tw__fp_add_odd(p, -q))
TW__FP_BINARY(mul, x *y, p *q)
#undef TW__FP_BINARY

static inline uint32_t tw__fp_absadd32(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b)
{
    return tw__fp_add32(w, fp, a & 0x7fffffff, b & 0x7fffffff);
}
static inline uint32_t tw__fp_absadd16(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b, unsigned lane)
{
    return tw__fp_add16(w, fp, a & 0x7fff, b & 0x7fff, lane);
}

/* Order of two singles that are no NaNs, -0 below +0: as integers. */
static inline int32_t tw__fp_key(uint32_t bits)
{
    return (int32_t)bits < 0 ? (int32_t)(0x80000000u - bits) - 1 : (int32_t)bits;
}
static inline uint32_t tw__fp_pick(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b, bool larger)
{
    a = tw__fp_flush(w, a), b = tw__fp_flush(w, b);
    if (__builtin_expect(tw__fp_nan32(a) || tw__fp_nan32(b), 0)) {
        if (tw__fp_signalling32(a) || tw__fp_signalling32(b)) fp->flags |= TW__SIM_INV;
        return !tw__fp_nan32(a) ? a : !tw__fp_nan32(b) ? b : TW__SIM_NAN32;
    }
    return (tw__fp_key(a) > tw__fp_key(b)) == larger ? a : b;
}
static inline uint32_t tw__fp_max32(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b)
{
    return tw__fp_pick(w, fp, a, b, true);
}
static inline uint32_t tw__fp_min32(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b)
{
    return tw__fp_pick(w, fp, a, b, false);
}
static inline uint32_t tw__fp_absmax32(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b)
{
    return tw__fp_max32(w, fp, a & 0x7fffffff, b & 0x7fffffff);
}
uint32_t tw__fp_div32(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b);

/* The half that a single made of one came from. */
static inline uint32_t tw__fp_back(uint32_t bits)
{
    return tw__fp_nan32(bits)       ? TW__SIM_NAN16
           : tw__fp_special32(bits) ? (bits >> 16 & 0x8000) | 0x7c00
           : (bits & 0x7fffffff) >= 0x38800000
               ? (bits >> 16 & 0x8000) | ((bits & 0x7fffffff) - (112u << 23)) >> 13
               : (bits >> 16 & 0x8000) | (tw__fp_bits(tw__fp_float(bits & 0x7fffffff) + 0.5f) - 0x3f000000);
}
#define TW__FP_PICK16(name)                                                                                \
    static inline uint32_t tw__fp_##name##16(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b, \
                                             unsigned lane)                                                \
    {                                                                                                      \
        (void)lane;                                                                                        \
        return tw__fp_back(tw__fp_##name##32(w, fp, tw__fp_widen(a), tw__fp_widen(b)));                    \
    }
TW__FP_PICK16(max)
TW__FP_PICK16(min)
TW__FP_PICK16(absmax)
#undef TW__FP_PICK16

/* Comparisons: false with a NaN (ne: true); signalling NaNs are invalid. */
#define TW__FP_COMPARE(name, operator)                                                                       \
    static inline bool tw__fp_##name(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b)           \
    {                                                                                                        \
        if (__builtin_expect(tw__fp_signalling32(a) || tw__fp_signalling32(b), 0)) fp->flags |= TW__SIM_INV; \
        return tw__fp_float(tw__fp_flush(w, a)) operator tw__fp_float(tw__fp_flush(w, b));                   \
    }
TW__FP_COMPARE(eq, ==)
TW__FP_COMPARE(ne, !=)
TW__FP_COMPARE(gt, >)
TW__FP_COMPARE(ge, >=)
TW__FP_COMPARE(lt, <)
TW__FP_COMPARE(le, <=)
#undef TW__FP_COMPARE

/* Functions of one number. False: the argument is invalid; *pole: the result is an infinity of a finite argument. */
#define TW__FP_UNARY_LIST(X) X(exp) X(exp2) X(ln) X(log2) X(tanh) X(sigm) X(sqrt) X(oox) X(oorx)
#define TW__FP_UNARY(name)   double tw__fp_##name(double x);
TW__FP_UNARY_LIST(TW__FP_UNARY)
#undef TW__FP_UNARY
uint32_t tw__fp_unary32(const tw__sim_context *w, tw__fp *fp, double (*f)(double), uint32_t a);
uint32_t tw__fp_unary16(const tw__sim_context *w, tw__fp *fp, double (*f)(double), uint32_t a, unsigned lane);
/* Rounds to an integer in single precision. */
double tw__fp_integral(double v, unsigned mode);

#endif
