/* SPDX-License-Identifier: MIT */
/* The aux pipeline: what the rows say in their column `sem` is a macro here, SEM_... (rows_aux_table.h makes
 * functions of them; translated code has the text of this file in front). All calculate first, then tw__fp_end() says
 * whether a flag is an exception, then they write. R32(k, i) is word i of operand k, R16(k, i) its half i. */
#ifndef TW_COLOSSUS_SIM_ROWS_AUX_H
#define TW_COLOSSUS_SIM_ROWS_AUX_H

#include "poplar/colossus/sim/amp.h"
#include "poplar/colossus/sim/fp.h"

#include "poplar/colossus/sim/kinds.h"

#define R32(k, i) w->a[op->ar[k] + (IS_KIND(k, AB) ? 0u : (unsigned)(i))]
#define R16(k, i)                                 \
    (IS_KIND(k, ABL)   ? w->a[op->ar[k]] & 0xffff \
     : IS_KIND(k, ABU) ? w->a[op->ar[k]] >> 16    \
                       : w->a[op->ar[k] + (unsigned)(i) / 2] >> 16 * ((unsigned)(i) & 1) & 0xffff)
#define OUT(i) w->a[op->ad + (unsigned)(i)]
#define END(fp) \
    if (!tw__fp_end(w, op, &(fp))) return false
#define EACH(i, n) for (unsigned i = 0; i < (n); i++)

static inline float f32(const tw__sim_context *w, uint32_t bits)
{
    return tw__fp_float(tw__fp_in(w, bits));
}
/* A half as a number; a signalling NaN among the operands of a sum of products is invalid like any other NaN result.
 */
static inline float f16(uint32_t half)
{
    return tw__fp_float(tw__fp_widen(half));
}

static inline void put_halves(uint32_t *to, const uint32_t *h, unsigned n)
{
    if (n == 4)
        put_pair(to, join(h[0] | h[1] << 16, h[2] | h[3] << 16));
    else
        *to = h[0] | h[1] << 16;
}
static inline void put_lanes(uint32_t *to, const uint32_t *r, unsigned n)
{
    if (n == 2)
        put_pair(to, join(r[0], r[1]));
    else
        *to = *r;
}

/* --- logic, moves ----------------------------------------------------------------------------------------------- */

/* A broadcast half is in both halves of x. */
#define WORD(k)                                                \
    (IS_KIND(k, ABL)   ? (w->a[op->ar[k]] & 0xffff) * 0x10001u \
     : IS_KIND(k, ABU) ? (w->a[op->ar[k]] >> 16) * 0x10001u    \
     : IS_IN(k, ARF)   ? w->a[op->ar[k]]                       \
     : (int)F##k < 0   ? 0u                                    \
                       : op->aux_imm)
#define SEM_U32(expression)            \
    uint32_t x = WORD(1), y = WORD(2); \
    (void)x, (void)y;                  \
    OUT(0) = (uint32_t)(expression);

#define PAIR_OF(k) (IS_IN(k, ARF) ? get_pair(&w->a[op->ar[k]]) : 0)
#define SEM_U64(expression)                                    \
    uint64_t x = PAIR_OF(1), y = PAIR_OF(2), v = (expression); \
    (void)x, (void)y;                                          \
    put_pair(&OUT(0), v);

/* --- lanes ------------------------------------------------------------------------------------------------------ */

#define SEM_LANES32(n, name)                                           \
    tw__fp fp = { 0 };                                                 \
    uint32_t r[n];                                                     \
    EACH(i, n) r[i] = tw__fp_##name##32(w, &fp, R32(1, i), R32(2, i)); \
    END(fp);                                                           \
    put_lanes(&OUT(0), r, n);

#define SEM_LANES16(n, name)                                              \
    tw__fp fp = tw__fp_begin16(w);                                        \
    uint32_t r[n];                                                        \
    EACH(i, n) r[i] = tw__fp_##name##16(w, &fp, R16(1, i), R16(2, i), i); \
    END(fp);                                                              \
    put_halves(&OUT(0), r, n);

#define SEM_COMPARE32(n, name)                                          \
    tw__fp fp = { 0 };                                                  \
    uint32_t r[n];                                                      \
    EACH(i, n) r[i] = 0u - tw__fp_##name(w, &fp, R32(1, i), R32(2, i)); \
    END(fp);                                                            \
    put_lanes(&OUT(0), r, n);

#define SEM_COMPARE16(n, name)                                                                                 \
    tw__fp fp = { 0 };                                                                                         \
    uint32_t r[n];                                                                                             \
    EACH(i, n) r[i] = (0u - tw__fp_##name(w, &fp, tw__fp_widen(R16(1, i)), tw__fp_widen(R16(2, i)))) & 0xffff; \
    END(fp);                                                                                                   \
    put_halves(&OUT(0), r, n);

#define SEM_CLAMP32(n)                                                                                             \
    tw__fp fp = { 0 };                                                                                             \
    uint32_t r[n];                                                                                                 \
    EACH(i, n) r[i] = tw__fp_min32(w, &fp, tw__fp_max32(w, &fp, R32(1, i), w->a[op->ar[2]]), w->a[op->ar[2] + 1]); \
    END(fp);                                                                                                       \
    put_lanes(&OUT(0), r, n);

#define SEM_CLAMP16(n)                                                                        \
    tw__fp fp = { 0 };                                                                        \
    uint32_t r[n], low = w->a[op->ar[2]] & 0xffff, high = w->a[op->ar[2]] >> 16;              \
    EACH(i, n) r[i] = tw__fp_min16(w, &fp, tw__fp_max16(w, &fp, R16(1, i), low, i), high, i); \
    END(fp);                                                                                  \
    put_halves(&OUT(0), r, n);

#define SEM_CLASS32(n)                                  \
    uint32_t r = 0;                                     \
    EACH(i, n) r |= tw__fp_class32(R32(1, i)) << 8 * i; \
    OUT(0) = r;
#define SEM_CLASS16(n)                                  \
    uint32_t r = 0;                                     \
    EACH(i, n) r |= tw__fp_class16(R16(1, i)) << 8 * i; \
    OUT(0) = r;

#define SEM_SUM16(n)                                                                                            \
    tw__fp fp = { 0 };                                                                                          \
    uint32_t r[(n) / 2];                                                                                        \
    EACH(i, (n) / 2) r[i] = tw__fp_add32(w, &fp, tw__fp_widen(R16(1, 2 * i)), tw__fp_widen(R16(1, 2 * i + 1))); \
    END(fp);                                                                                                    \
    put_lanes(&OUT(0), r, (n) / 2);

/* Both halves get the maximum of two. */
#define SEM_MAXC16(n)                                                                            \
    tw__fp fp = { 0 };                                                                           \
    uint32_t r[2];                                                                               \
    EACH(i, 2) r[i] = tw__fp_max16(w, &fp, R16(1, (2 * i) % (n)), R16(1, (2 * i + 1) % (n)), i); \
    END(fp);                                                                                     \
    put_halves(&OUT(0), r, 2);

#define SEM_UNARY32(n, name)                                       \
    tw__fp fp = { 0 };                                             \
    uint32_t r = tw__fp_unary32(w, &fp, tw__fp_##name, R32(1, 0)); \
    END(fp);                                                       \
    OUT(0) = r;
/* exp(0) and sigm(0) take one turn only (guide 7.5.2). */
#define SEM_UNARY16(n, name)                                               \
    tw__fp fp = tw__fp_begin16(w);                                         \
    uint32_t r[n];                                                         \
    EACH(i, n) r[i] = tw__fp_unary16(w, &fp, tw__fp_##name, R16(1, i), i); \
    END(fp);                                                               \
    if (CYCLES == 2 && !w->a[op->ar[1]] && quick_##name) w->extra--;       \
    put_halves(&OUT(0), r, n);
enum { quick_exp = 1, quick_sigm = 1, quick_exp2 = 0, quick_ln = 0, quick_log2 = 0, quick_tanh = 0 };

/* --- conversions ------------------------------------------------------------------------------------------------ */

#define SEM_F16_TO_F32(n)                                                                          \
    tw__fp fp = { 0 };                                                                             \
    uint32_t r[n];                                                                                 \
    EACH(i, n)                                                                                     \
    {                                                                                              \
        r[i] = tw__fp_widen(R16(1, i));                                                            \
        if (__builtin_expect(tw__fp_nan32(r[i]), 0)) r[i] = tw__fp_special(&fp, r[i], r[i], r[i]); \
    }                                                                                              \
    END(fp);                                                                                       \
    put_lanes(&OUT(0), r, n);

static inline uint32_t narrowed(const tw__sim_context *w, tw__fp *fp, uint32_t bits, unsigned lane)
{
    if (__builtin_expect(tw__fp_nan32(bits), 0)) return tw__fp_special(fp, bits, bits, bits) & TW__SIM_NAN16;
    return tw__fp_half(w, fp, f32(w, bits), lane);
}
#define SEM_F32_TO_F16(n)                             \
    tw__fp fp = tw__fp_begin16(w);                    \
    uint32_t r[(n) + 1];                              \
    EACH(i, n) r[i] = narrowed(w, &fp, R32(1, i), i); \
    if ((n) == 1) r[1] = r[0];                        \
    END(fp);                                          \
    put_halves(&OUT(0), r, (n) == 1 ? 2 : (n));

#define SEM_F32_OF(value)                                               \
    tw__fp fp = { 0 };                                                  \
    uint32_t x = R32(1, 0), r = tw__fp_narrow(w, &fp, (double)(value)); \
    END(fp);                                                            \
    OUT(0) = r;

#define SEM_F32_INT                                                            \
    tw__fp fp = { 0 };                                                         \
    uint32_t x = tw__fp_flush(w, R32(1, 0)), r = x;                            \
    if (tw__fp_nan32(x))                                                       \
        r = tw__fp_special(&fp, x, x, x);                                      \
    else if (!tw__fp_special32(x))                                             \
        r = tw__fp_bits((float)tw__fp_integral(tw__fp_float(x), op->aux_imm)); \
    END(fp);                                                                   \
    OUT(0) = r;

/* Too large ones and NaNs are invalid; the result is the nearest number there is, or 0. */
static inline uint32_t to_integer(const tw__sim_context *w, tw__fp *fp, uint32_t bits, double low, double high)
{
    if (tw__fp_nan32(bits)) {
        fp->flags |= TW__SIM_INV;
        return 0;
    }
    double v = tw__fp_integral(tw__fp_float(tw__fp_flush(w, bits)), tw__fp_rounding(w));
    if (v >= low && v <= high) return (uint32_t)(int64_t)v;
    fp->flags |= TW__SIM_INV;
    return (uint32_t)(int64_t)(v < low ? low : high);
}
#define SEM_F32_TO_INT(low, high)                          \
    tw__fp fp = { 0 };                                     \
    uint32_t r = to_integer(w, &fp, R32(1, 0), low, high); \
    END(fp);                                               \
    OUT(0) = r;

#define SEM_F32_UNIFORM(n)                                                      \
    tw__fp fp = { 0 };                                                          \
    uint32_t r[n];                                                              \
    EACH(i, n) r[i] = tw__fp_narrow(w, &fp, (R32(1, i) + 0.5) * 0x1p-32 - 0.5); \
    END(fp);                                                                    \
    put_lanes(&OUT(0), r, n);
#define SEM_F16_UNIFORM(n)                                                       \
    tw__fp fp = tw__fp_begin16(w);                                               \
    uint32_t r[n];                                                               \
    EACH(i, n) r[i] = tw__fp_to16(w, &fp, (R16(1, i) + 0.5) * 0x1p-16 - 0.5, i); \
    END(fp);                                                                     \
    put_halves(&OUT(0), r, n);

/* Both ways multiply by 2^FP_SCL: software writes the negative scale before it narrows. */
static inline double scale8(uint32_t csr)
{
    return ldexp(1, (int)(csr << 26) >> 26);
}
#define SEM_F8_TO_F16(n)                                                                \
    tw__fp fp = tw__fp_begin16(w);                                                      \
    uint32_t r[n];                                                                      \
    EACH(i, n)                                                                          \
    {                                                                                   \
        bool nan;                                                                       \
        double v = tw__fp_from8(w->a[op->ar[1]] >> 8 * i & 0xff, w->csr[0x109], &nan);  \
        r[i] = nan ? TW__SIM_NAN16 : tw__fp_to16(w, &fp, v * scale8(w->csr[0x10a]), i); \
    }                                                                                   \
    END(fp);                                                                            \
    put_halves(&OUT(0), r, n);
#define SEM_F16_TO_F8(n)                                                                                     \
    tw__fp fp = tw__fp_begin16(w);                                                                           \
    uint32_t r[2] = { 0, 0 };                                                                                \
    EACH(i, n)                                                                                               \
    r[i / 4] |= tw__fp_to8(w, &fp, f16(R16(1, i)) * scale8(w->csr[0x10a]), w->csr[0x109], i) << 8 * (i & 3); \
    END(fp);                                                                                                 \
    OUT(0) = r[0];                                                                                           \
    if ((n) > 4) OUT(1) = r[1];
static uint32_t class8(uint32_t bits, unsigned format)
{
    uint32_t normal = bits >> (format & 1 ? 2 : 3) & (format & 1 ? 31 : 15), sign = bits >> 7;
    return bits == 0x80 ? 2 : !bits ? 6 : normal ? 10 - sign : 8 - sign;
}
#define SEM_CLASS8                                                                   \
    uint32_t r = 0;                                                                  \
    EACH(i, 4) r |= class8(w->a[op->ar[1]] >> 8 * i & 0xff, w->csr[0x109]) << 8 * i; \
    OUT(0) = r;

/* --- accumulators (Colossus ISA 10.5) --------------------------------------------------------------------------- */

/* Exact products, their sum and the accumulator added in double, one rounding to single. */
#define ADD_TO(k, value) t[k] = tw__fp_narrow(w, &fp, (double)tw__fp_held(w, w->e[k]) + (value))
#define KEEP(n)          EACH(k, n) w->e[k] = tw__fp_float(t[k])

#define SEM_ACC32(n, value)           \
    tw__fp fp = { 0 };                \
    uint32_t t[n];                    \
    EACH(i, n)                        \
    {                                 \
        double v = f32(w, R32(0, i)); \
        ADD_TO(i, value);             \
    }                                 \
    END(fp);                          \
    KEEP(n);
#define SEM_ACC16(n, value)        \
    tw__fp fp = { 0 };             \
    uint32_t t[n];                 \
    EACH(i, n)                     \
    {                              \
        double v = f16(R16(0, i)); \
        ADD_TO(i, value);          \
    }                              \
    END(fp);                       \
    KEEP(n);
#define SEM_MAC(n)                                                       \
    tw__fp fp = { 0 };                                                   \
    uint32_t t[n];                                                       \
    EACH(i, n) ADD_TO(i, (double)f32(w, R32(0, i)) * f32(w, R32(1, i))); \
    END(fp);                                                             \
    KEEP(n);
#define SEM_CMAC(n)                                                         \
    tw__fp fp = { 0 };                                                      \
    uint32_t t[n];                                                          \
    EACH(i, n)                                                              \
    ADD_TO(i, (double)f16(R16(0, 2 * i)) * f16(R16(1, 2 * i)) +             \
                  (double)f16(R16(0, 2 * i + 1)) * f16(R16(1, 2 * i + 1))); \
    END(fp);                                                                \
    KEEP(n);
#define SEM_OUTER                                                                 \
    tw__fp fp = { 0 };                                                            \
    uint32_t t[4];                                                                \
    EACH(i, 4) ADD_TO(i, (double)f32(w, R32(0, i & 1)) * f32(w, R32(1, i >> 1))); \
    END(fp);                                                                      \
    KEEP(4);

/* The hot one: both lanes at once where the host has such vectors. */
typedef float float2 __attribute__((vector_size(8)));
typedef double double2 __attribute__((vector_size(16)));
static inline float2 floats_of(const tw__sim_context *w, uint64_t bits)
{
    float2 f;
    bits = join(tw__fp_in(w, (uint32_t)bits), tw__fp_in(w, (uint32_t)(bits >> 32)));
    memcpy(&f, &bits, 8);
    return f;
}
static inline bool any_special(uint64_t pair)
{
    return ((pair & UINT64_C(0x7f8000007f800000)) + UINT64_C(0x0080000000800000)) & UINT64_C(0x8000000080000000);
}
static TW__SIM_COLD bool axpy_slow(tw__sim_context *w, const tw__sim_op *op, double v0, double v1, uint64_t *r)
{
    tw__fp fp = { 0 };
    *r = join(tw__fp_narrow(w, &fp, v0), tw__fp_narrow(w, &fp, v1));
    return tw__fp_end(w, op, &fp);
}
#define SEM_AXPY                                                                                         \
    double scale = f32(w, w->tas);                                                                       \
    double2 wide = __builtin_convertvector(floats_of(w, PAIR_OF(1)), double2) * scale +                  \
                   __builtin_convertvector(floats_of(w, PAIR_OF(2)), double2);                           \
    float2 narrow = __builtin_convertvector(wide, float2);                                               \
    if (!TW__FP_HOST_FLUSHES) narrow = (float2){ tw__fp_single(w, wide[0]), tw__fp_single(w, wide[1]) }; \
    uint64_t t, old;                                                                                     \
    memcpy(&t, &narrow, 8);                                                                              \
    if (__builtin_expect(any_special(t) || w->fp_slow, 0))                                               \
        if (!axpy_slow(w, op, wide[0], wide[1], &t)) return false;                                       \
    memcpy(&old, w->e, 8);                                                                               \
    memcpy(w->e, &t, 8);                                                                                 \
    put_pair(&OUT(0), old);

#define SEM_MIX                                                                         \
    tw__fp fp = tw__fp_begin16(w);                                                      \
    double s0 = f16(w->tas & 0xffff), s1 = f16(w->tas >> 16);                           \
    uint32_t t[4], r[4];                                                                \
    EACH(k, 4) r[k] = narrowed(w, &fp, tw__fp_bits(w->e[k]), k);                        \
    EACH(k, 4) t[k] = tw__fp_narrow(w, &fp, s0 * f16(R16(1, k)) + s1 * f16(R16(2, k))); \
    END(fp);                                                                            \
    KEEP(4);                                                                            \
    put_halves(&OUT(0), r, 4);

#define SEM_GACC                                                 \
    tw__fp fp = tw__fp_begin16(w);                               \
    uint32_t r[4];                                               \
    EACH(k, 4) r[k] = narrowed(w, &fp, tw__fp_bits(w->e[k]), k); \
    END(fp);                                                     \
    put_halves(&OUT(0), r, 4);

/* The eight accumulators of a chain: 0 even, 1 odd ones, 2 and 3 those of the second set. */
static inline float *chain(tw__sim_context *w, uint32_t number)
{
    return (number & 1 ? w->o : w->e) + (number & 2 ? 8 : 0);
}
static inline void shift_in(float *c, uint32_t s0, uint32_t s1)
{
    memmove(c, c + 2, 6 * sizeof *c);
    c[6] = tw__fp_float(s0), c[7] = tw__fp_float(s1);
}
#define SEM_GINA32                                           \
    float *c = chain(w, op->aux_imm);                        \
    uint32_t r0 = tw__fp_bits(c[0]), r1 = tw__fp_bits(c[1]); \
    shift_in(c, R32(1, 0), R32(1, 1));                       \
    put_pair(&OUT(0), join(r0, r1));
#define SEM_GINA16                                                 \
    float *c = chain(w, op->aux_imm);                              \
    tw__fp fp = tw__fp_begin16(w);                                 \
    uint32_t r[2];                                                 \
    EACH(k, 2) r[k] = narrowed(w, &fp, tw__fp_bits(c[k]), k);      \
    END(fp);                                                       \
    shift_in(c, tw__fp_widen(R16(1, 0)), tw__fp_widen(R16(1, 1))); \
    put_halves(&OUT(0), r, 2);

/* Raw words (10.7). Phase 0 of stacc copies the even accumulators to the odd ones; all return the next odd pair.
 * Phase p of istacc puts words of two rows of a 4 x 4 block of halves into every second even one. */
static inline void shift_out(tw__sim_context *w, uint32_t *r)
{
    r[0] = tw__fp_bits(w->o[0]), r[1] = tw__fp_bits(w->o[1]);
    shift_in(w->o, 0, 0);
}
#define SEM_STACC                                                 \
    uint32_t r[2];                                                \
    if (!(op->aux_imm & 1)) memcpy(w->o, w->e, 8 * sizeof *w->e); \
    shift_out(w, r);                                              \
    put_pair(&OUT(0), join(r[0], r[1]));
#define SEM_ISTACC                                                   \
    uint32_t r[2], t[4];                                             \
    EACH(j, 4) t[j] = R16(1, j) | R16(2, j) << 16;                   \
    shift_out(w, r);                                                 \
    EACH(j, 4) w->e[2 * j + (op->aux_imm & 1)] = tw__fp_float(t[j]); \
    put_pair(&OUT(0), join(r[0], r[1]));

/* --- AMP and SLIC (10.6): amp.c --------------------------------------------------------------------------------- */

#define SEM_AMP16(in, out, sets) \
    if (!tw__sim_amp16_##in##_##out##_##sets(w, op)) return false;
#define SEM_AMP32(sets) \
    if (!tw__sim_amp32_##sets(w, op)) return false;
#define SEM_AMP8 \
    if (!tw__sim_amp8(w, op)) return false;
#define SEM_SLIC16(in, out, sets) \
    if (!tw__sim_slic16_##in##_##out##_##sets(w, op)) return false;
#define SEM_SLIC32(sets) \
    if (!tw__sim_slic32_##sets(w, op)) return false;
#define SEM_SLIC8 \
    if (!tw__sim_slic8(w, op)) return false;

/* --- random numbers (10.8) -------------------------------------------------------------------------------------- */

#define SEM_URAND32 OUT(0) = (uint32_t)tw__fp_next(w->prng);
#define SEM_URAND64                    \
    uint64_t v = tw__fp_next(w->prng); \
    put_pair(&OUT(0), v);

/* The sum of twelve five-bit fields, as the vendor's library models it: mean 0, deviation near 1. */
static inline double gaussian(uint64_t v)
{
    int sum = 0;
    for (unsigned i = 0; i < 12; i++) sum += (int)(v >> 5 * i & 31);
    return (sum - 186) / 32.0;
}
#define SEM_GRAND32 EACH(i, 2) OUT(i) = tw__fp_bits((float)gaussian(tw__fp_next(w->prng)));
#define SEM_GRAND16                                                           \
    tw__fp fp = { 0 };                                                        \
    uint32_t r[2];                                                            \
    EACH(i, 2) r[i] = tw__fp_to16(w, &fp, gaussian(tw__fp_next(w->prng)), i); \
    put_halves(&OUT(0), r, 2);

/* Keeps a lane when its 16 random bits are below r / 65536. */
static inline bool kept(uint64_t random, uint32_t r, unsigned lane)
{
    return r >> 16 & 1 || (random >> 16 * lane & 0xffff) < (r & 0xffff);
}
#define SEM_RMASK16                                       \
    uint64_t random = tw__fp_next(w->prng);               \
    uint32_t p = w->a[op->ar[2]], r[4];                   \
    EACH(i, 4) r[i] = kept(random, p, i) ? R16(1, i) : 0; \
    put_halves(&OUT(0), r, 4);
#define SEM_RMASK32                                       \
    uint64_t random = tw__fp_next(w->prng);               \
    uint32_t p = w->a[op->ar[2]], r[2];                   \
    EACH(i, 2) r[i] = kept(random, p, i) ? R32(1, i) : 0; \
    put_lanes(&OUT(0), r, 2);

#endif
