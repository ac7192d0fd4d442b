/* SPDX-License-Identifier: MIT */
/* Rounding, flags and functions of the aux pipeline, away from the fast path. */
#include "poplar/colossus/sim/fp.h"

#include <float.h>

#if defined(__SSE2__)
#include <immintrin.h>
#else
#include <fenv.h>
#endif

/* --- the host --------------------------------------------------------------------------------------------------- */

unsigned tw__sim_fp_enter(bool flush)
{
#if defined(__SSE2__)
    unsigned saved = _mm_getcsr();
    /* all masked, nearest even; FTZ and DAZ */
    _mm_setcsr(0x1f80 | (flush && TW__FP_HOST_FLUSHES ? 0x8040 : 0));
    return saved;
#else
    (void)flush;
    int saved = fegetround();
    fesetround(FE_TONEAREST);
    return (unsigned)saved;
#endif
}

void tw__sim_fp_leave(unsigned saved)
{
#if defined(__SSE2__)
    _mm_setcsr(saved);
#else
    fesetround((int)saved);
#endif
}

/* --- rounding --------------------------------------------------------------------------------------------------- */

static bool rounds_up(uint64_t rest, unsigned shift, uint64_t odd, bool negative, unsigned mode, uint32_t random)
{
    uint64_t half = UINT64_C(1) << (shift - 1);
    switch (mode) {
    case 1: return rest && !negative;
    case 2: return rest && negative;
    case 3: return false;
    case 4: return rest >= half;
    case TW__SIM_RND_STOCHASTIC: {
        uint64_t part = shift > 16 ? rest >> (shift - 16) : rest << (16 - shift); /* of one step, in 65536ths */
        return part + (random & 0xffff) >= 0x10000;
    }
    default: return rest > half || (rest == half && odd);
    }
}

uint32_t tw__fp_round(double v, unsigned mant, int bias, bool full, unsigned mode, uint32_t random, bool *overflow)
{
    uint64_t bits;
    memcpy(&bits, &v, 8);
    bool negative = bits >> 63;
    int field = (int)(bits >> 52 & 0x7ff), exponent = field - 1023 + bias;
    unsigned width =
        31 - (unsigned)__builtin_clz((unsigned)bias + 1) + 1; /* of the exponent: bias is 2^(width-1) - 1 */
    if (full) width = 31 - (unsigned)__builtin_clz((unsigned)bias) + 1; /* ... or 2^(width-1) */
    uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | (field ? UINT64_C(1) << 52 : 0);
    unsigned shift = 52 - mant;
    if (exponent <= 0) shift += (unsigned)(1 - exponent), exponent = 0;
    if (shift > 63) shift = 63;
    uint64_t q = m >> shift, rest = m & ((UINT64_C(1) << shift) - 1);
    if (rounds_up(rest, shift, q & 1, negative, mode, random)) q++;
    uint64_t out = exponent ? ((uint64_t)exponent << mant) + (q - (UINT64_C(1) << mant)) : q;
    uint64_t top =
        (UINT64_C(1) << (width + mant)) - (full ? 1 : UINT64_C(1) << mant); /* the largest, or infinity */
    *overflow = full ? out > top : out >= top;
    if (*overflow)
        out = full || mode == 3 || (mode == 1 && negative) || (mode == 2 && !negative) ? top - !full : top;
    return (uint32_t)(out | (uint64_t)negative << (width + mant));
}

/* Is v below the normal numbers of single precision when it is rounded as if there were no such limit? */
static bool tiny32(double v, unsigned mode)
{
    double a = fabs(v);
    if (a >= 0x1p-126 || a == 0) return false;
    bool overflow;
    uint32_t r = tw__fp_round(v * 0x1p100, 23, 127, false, mode, 0, &overflow);
    return (r & 0x7fffffff) < tw__fp_bits(0x1p-26f);
}

uint32_t tw__fp_to32(const tw__sim_context *w, tw__fp *fp, double v)
{
    if (isnan(v)) {
        fp->flags |= TW__SIM_INV;
        return TW__SIM_NAN32;
    }
    if (isinf(v)) return v < 0 ? 0xff800000 : 0x7f800000;
    unsigned mode = tw__fp_rounding(w);
    if (w->flush && tiny32(v, mode)) return signbit(v) ? 0x80000000 : 0;
    bool overflow;
    uint32_t r = tw__fp_round(v, 23, 127, false, mode, 0, &overflow);
    if (overflow) fp->flags |= TW__SIM_OFLO;
    return r;
}

uint32_t tw__fp_to16(const tw__sim_context *w, tw__fp *fp, double v, unsigned lane)
{
    if (isnan(v)) return TW__SIM_NAN16;
    if (isinf(v)) return v < 0 ? 0xfc00 : 0x7c00;
    unsigned mode = fp->stochastic ? TW__SIM_RND_STOCHASTIC : tw__fp_rounding(w);
    bool overflow;
    uint32_t r = tw__fp_round(v, 10, 15, false, mode, (uint32_t)(fp->random >> 16 * (lane & 3)), &overflow);
    if (!overflow) return r;
    fp->flags |= TW__SIM_OFLO;
    return w->fp_ctl >> 20 & 1 ? TW__SIM_NAN16 : (v < 0 ? 0xfbff : 0x7bff);
}

double tw__fp_add_odd(double x, double y)
{
    double s = x + y, back = s - x, error = (x - (s - back)) + (y - back); /* x + y = s + error, exactly */
    if (error == 0 || !isfinite(s)) return s;
    uint64_t bits;
    memcpy(&bits, &s, 8);
    if ((error < 0) != (s < 0)) bits--; /* the sum lies nearer to zero than s */
    bits |= 1;
    memcpy(&s, &bits, 8);
    return s;
}

uint32_t tw__fp_special(tw__fp *fp, uint32_t x, uint32_t y, uint32_t r)
{
    if (tw__fp_nan32(r)) {
        bool was = tw__fp_nan32(x) || tw__fp_nan32(y);
        if (!was || tw__fp_signalling32(x) || tw__fp_signalling32(y)) fp->flags |= TW__SIM_INV;
        return TW__SIM_NAN32;
    }
    if (!tw__fp_special32(x) && !tw__fp_special32(y)) fp->flags |= TW__SIM_OFLO;
    return r;
}

uint32_t tw__fp_div32(const tw__sim_context *w, tw__fp *fp, uint32_t a, uint32_t b)
{
    a = tw__fp_flush(w, a), b = tw__fp_flush(w, b);
    double x = tw__fp_float(a), y = tw__fp_float(b), q = x / y;
    if (isnan(q)) return tw__fp_special(fp, a, b, TW__SIM_NAN32);
    if (y == 0 && !isinf(x)) fp->flags |= TW__SIM_DIV0;
    if (!isfinite(q) || x == 0 || isinf(y)) return tw__fp_to32(w, fp, q);
    /* The quotient of two singles is never half way between two singles unless it is subnormal; the remainder says
     * on which side of the double it lies. */
    double rest = fma(-q, y, x);
    if (rest != 0) {
        uint64_t bits;
        memcpy(&bits, &q, 8);
        if (((rest < 0) != (y < 0)) != (q < 0)) bits--;
        bits |= 1;
        memcpy(&q, &bits, 8);
    }
    return tw__fp_to32(w, fp, q);
}

/* --- classes, integers ------------------------------------------------------------------------------------------ */

/* 1, 2 NaNs; 3, 4 infinities; then zeros, subnormal and normal numbers, + and - by the parity of the order below. */
static uint32_t class_of(bool nan, bool quiet, bool infinite, bool zero, bool normal, bool negative)
{
    return nan        ? (quiet ? 2u : 1u)
           : infinite ? (negative ? 4u : 3u)
           : zero     ? (negative ? 5u : 6u)
           : normal   ? (negative ? 9u : 10u)
                      : (negative ? 7u : 8u);
}

uint32_t tw__fp_class32(uint32_t bits)
{
    return class_of(tw__fp_nan32(bits), bits >> 22 & 1, tw__fp_special32(bits), !(bits & 0x7fffffff),
                    bits & 0x7f800000, bits >> 31);
}

uint32_t tw__fp_class16(uint32_t bits)
{
    return class_of((bits & 0x7fff) > 0x7c00, bits >> 9 & 1, (bits & 0x7c00) == 0x7c00, !(bits & 0x7fff),
                    bits & 0x7c00, bits >> 15 & 1);
}

double tw__fp_integral(double v, unsigned mode)
{
    switch (mode) {
    case 1: return ceil(v);
    case 2: return floor(v);
    case 3: return trunc(v);
    case 4: return copysign(floor(fabs(v) + 0.5), v); /* exact: v comes from a single */
    default: return nearbyint(v);
    }
}

/* --- FP8 -------------------------------------------------------------------------------------------------------- */

double tw__fp_from8(uint32_t bits, unsigned format, bool *nan)
{
    unsigned mant = format & 1 ? 2 : 3;
    int bias = format & 1 ? 16 : 8, exponent = (int)((bits & 0x7f) >> mant);
    double m = bits & ((1u << mant) - 1);
    *nan = bits == 0x80;
    double v = exponent ? ldexp(m + (1 << mant), exponent - bias - (int)mant) : ldexp(m, 1 - bias - (int)mant);
    return bits & 0x80 ? -v : v;
}

uint32_t tw__fp_to8(const tw__sim_context *w, tw__fp *fp, double v, unsigned format, unsigned lane)
{
    if (isnan(v)) return 0x80;
    unsigned mant = format & 1 ? 2 : 3, mode = fp->stochastic ? TW__SIM_RND_STOCHASTIC : tw__fp_rounding(w);
    bool overflow = isinf(v);
    uint32_t random = (uint32_t)(fp->random >> 8 * (lane & 7) & 0xff) << 8;
    uint32_t r = overflow ? (v < 0 ? 0xff : 0x7f)
                          : tw__fp_round(v, mant, format & 1 ? 16 : 8, true, mode, random, &overflow);
    if (overflow) {
        fp->flags |= TW__SIM_OFLO;
        if (w->fp_ctl >> 20 & 1) return 0x80;
    }
    return r == 0x80 ? 0 : r; /* there is no -0 */
}

/* --- functions of one number ------------------------------------------------------------------------------------ */

/* The host's functions may be off by one in the last place of a double. Where a function never reaches `limit`, its
 * value is at least the neighbour of that on the side of `inside`, so that rounding behind it in any direction is
 * right. */
static double short_of(double v, double limit, double inside)
{
    return (inside < limit ? v >= limit : v <= limit) ? nextafter(limit, inside) : v;
}

double tw__fp_exp(double x)
{
    return x ? short_of(exp(x), 1, x < 0 ? 0 : 2) : 1;
}
double tw__fp_exp2(double x)
{
    return x ? short_of(exp2(x), 1, x < 0 ? 0 : 2) : 1;
}
double tw__fp_ln(double x)
{
    return log(x);
}
double tw__fp_log2(double x)
{
    return log2(x);
}
double tw__fp_tanh(double x)
{
    double v = tanh(x);
    return x == 0 || isinf(x) || isnan(x) ? v : short_of(short_of(v, x, 0), x < 0 ? -1 : 1, 0);
}
double tw__fp_sigm(double x)
{
    if (x == 0 || isinf(x)) return x == 0 ? 0.5 : x < 0 ? 0 : 1;
    return short_of(short_of(1 / (1 + exp(-x)), 1, 0), 0.5, x < 0 ? 0 : 1);
}
double tw__fp_sqrt(double x)
{
    return sqrt(x);
}
double tw__fp_oox(double x)
{
    return 1 / x;
}
double tw__fp_oorx(double x)
{
    return 1 / sqrt(x);
}

/* Flags by what went in and what came out: a NaN out of a number is invalid, an infinity out of zero a division;
 * other infinities of numbers are only too large for the host's doubles, and zeros too small. */
static double apply(tw__fp *fp, double (*f)(double), double x)
{
    double v = f(x);
    if (isnan(v)) fp->flags |= TW__SIM_INV;
    if (isinf(v) && x == 0) fp->flags |= TW__SIM_DIV0;
    if (isinf(v) && isfinite(x) && x != 0) return copysign(DBL_MAX, v);
    if (v == 0 && x < 0 && isfinite(x)) return copysign(DBL_MIN, v); /* of an exponential */
    return v;
}

uint32_t tw__fp_unary32(const tw__sim_context *w, tw__fp *fp, double (*f)(double), uint32_t a)
{
    a = tw__fp_flush(w, a);
    if (tw__fp_nan32(a)) return tw__fp_special(fp, a, a, a);
    return tw__fp_to32(w, fp, apply(fp, f, tw__fp_float(a)));
}

uint32_t tw__fp_unary16(const tw__sim_context *w, tw__fp *fp, double (*f)(double), uint32_t a, unsigned lane)
{
    uint32_t x = tw__fp_widen(a);
    if (tw__fp_nan32(x)) tw__fp_special(fp, x, x, x);
    double v = tw__fp_nan32(x) ? NAN : apply(fp, f, tw__fp_float(x));
    return tw__fp_to16(w, fp, v, lane);
}

/* --- random numbers --------------------------------------------------------------------------------------------- */

static uint64_t rotl(uint64_t v, unsigned n)
{
    return v << n | v >> (64 - n);
}

/* xoroshiro128aox, Colossus ISA 10.8. */
uint64_t tw__fp_next(uint64_t prng[2])
{
    uint64_t s0 = prng[0], s1 = prng[1], sx = s0 ^ s1, both = s0 & s1;
    prng[0] = rotl(s0, 55) ^ sx ^ sx << 14, prng[1] = rotl(sx, 36);
    return sx ^ (rotl(both, 1) | rotl(both, 2));
}
