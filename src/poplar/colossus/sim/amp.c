/* SPDX-License-Identifier: MIT */
/* The AMP units. Every unit has an even and an odd accumulator, E and O: E gathers the sums of the group of inputs at
 * hand, O holds partial sums that come in two at a time and results that leave two at a time. Phase 0 exchanges them.
 * Sums are those of Colossus ISA 10.6: exact products, added in double from the first to the last, then to the
 * accumulator, and rounded once to single. */
#include "poplar/colossus/sim/amp.h"

#include "poplar/colossus/sim/fp.h"

#include "poplar/colossus/sim/kinds.h"

enum { SET = 8 }; /* units of a set */

/* --- the sums --------------------------------------------------------------------------------------------------- */

/* Everything below is compiled for each row, and again for hosts with wider vectors. */
#define INLINE static inline __attribute__((always_inline))

typedef double row_of_weights[TW__SIM_UNITS];

/* What a step makes before anything is written. */
typedef struct step {
    tw__fp fp;
    unsigned channels;             /* of each set */
    _Alignas(32) float e[2 * SET]; /* sums, single */
    uint32_t d[4];                 /* results as they go to registers */
} step;

/* sums[k] = from[k] + x[0] * weights[0][k] + ... for the units of one set; exact products. */
INLINE void sum_set(const tw__sim_context *w, const float *from, const row_of_weights *weights, const float *x,
                    unsigned lanes, float *sums)
{
    for (unsigned k = 0; k < SET; k++) {
        double sum = x[0] * weights[0][k];
        if (lanes == 4) sum = ((sum + x[1] * weights[1][k]) + x[2] * weights[2][k]) + x[3] * weights[3][k];
        sums[k] = tw__fp_single(w, tw__fp_held(w, from[k]) + sum);
    }
}

/* The sums again, in the rounding mode of the moment and with their flags. */
static __attribute__((noinline, cold)) void sum_slowly(tw__sim_context *w, step *s, const float *from,
                                                       const row_of_weights *weights, const float *x,
                                                       unsigned lanes, unsigned sets)
{
    for (unsigned k = 0; k < sets * SET; k++) {
        if (k % SET >= s->channels) continue;
        double sum = x[0] * weights[0][k];
        for (unsigned i = 1; i < lanes; i++) sum += x[i] * weights[i][k];
        s->e[k] = tw__fp_float(tw__fp_narrow(w, &s->fp, tw__fp_held(w, from[k]) + sum));
    }
}

INLINE void sum_up(tw__sim_context *w, step *s, const float *from, const row_of_weights *weights, const float *x,
                   unsigned lanes, unsigned sets)
{
    uint32_t special = w->fp_slow;
    for (unsigned set = 0; set < sets; set++)
        sum_set(w, from + set * SET, (const row_of_weights *)&weights[0][set * SET], x, lanes, s->e + set * SET);
    for (unsigned k = 0; k < sets * SET; k++) special |= tw__fp_special32(tw__fp_bits(s->e[k]));
    if (__builtin_expect(special, 0)) sum_slowly(w, s, from, weights, x, lanes, sets);
}

/* --- operands --------------------------------------------------------------------------------------------------- */

INLINE void halves_in(const uint32_t *a, float *x, unsigned n)
{
    for (unsigned i = 0; i < n; i++) x[i] = tw__fp_float(tw__fp_widen(a[i / 2] >> 16 * (i & 1) & 0xffff));
}

/* Partial sums from registers: two for each set. */
INLINE void partials_in(const tw__sim_context *w, unsigned reg, unsigned bits, unsigned sets, float *p)
{
    if (bits == 16)
        halves_in(&w->a[reg], p, 2 * sets);
    else
        for (unsigned i = 0; i < 2 * sets; i++)
            p[i] = tw__fp_float(w->a[reg + i]); /* as they are, until they are added */
}

INLINE void result_out(tw__sim_context *w, step *s, unsigned bits, unsigned count, const float *from)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t v = tw__fp_bits(from[i]);
        s->d[i] = bits == 32        ? v
                  : tw__fp_nan32(v) ? tw__fp_special(&s->fp, v, v, v) & TW__SIM_NAN16
                                    : tw__fp_half(w, &s->fp, tw__fp_held(w, from[i]), i);
    }
}

INLINE void write_results(tw__sim_context *w, const tw__sim_op *op, const step *s, unsigned bits, unsigned count)
{
    uint32_t *to = &w->a[op->ad];
    if (bits == 32)
        put_pair(to, join(s->d[0], s->d[1]));
    else if (count == 4)
        put_pair(to, join(s->d[0] | s->d[1] << 16, s->d[2] | s->d[3] << 16));
    else
        *to = s->d[0] | s->d[1] << 16;
}

/* --- AMP -------------------------------------------------------------------------------------------------------- */

/* Channels of each set: two for each engine; the operand's numbers are those of TileConstants.hpp. */
INLINE unsigned channels_of(uint32_t operand)
{
    unsigned engines = 4u >> (operand >> 3 & 3);
    return engines ? 2 * engines : 2;
}

INLINE void keep_sums(tw__sim_context *w, const step *s, bool first, unsigned sets)
{
    for (unsigned set = 0; set < sets; set++) {
        float *e = w->e + set * SET, *o = w->o + set * SET;
        const float *sum = s->e + set * SET;
        if (__builtin_expect(s->channels == SET, 1)) {
            if (first) memcpy(o, e, SET * sizeof *o);
            memcpy(e, sum, SET * sizeof *e);
            continue;
        }
        for (unsigned k = 0; k < s->channels; k++) {
            if (first) o[k] = e[k];
            e[k] = sum[k];
        }
    }
}

/* The odd accumulators of a set move on by two; partial sums p come in at the end. */
INLINE void move_on(float *o, unsigned channels, const float *p)
{
    if (__builtin_expect(channels == SET, 1)) {
        float t[SET] = { o[2], o[3], o[4], o[5], o[6], o[7], p[0], p[1] };
        memcpy(o, t, sizeof t);
        return;
    }
    for (unsigned k = 0; k + 2 < channels; k++) o[k] = o[k + 2];
    o[channels - 2] = p[0], o[channels - 1] = p[1];
}

/* Where the results of a step come from: the even accumulators if phase 0 is about to exchange them. */
INLINE const float *leaving(const tw__sim_context *w, bool first, unsigned set)
{
    return (first ? w->e : w->o) + set * SET;
}

INLINE bool amp_halves(tw__sim_context *w, const tw__sim_op *op, step *s, unsigned in, unsigned out, unsigned sets)
{
    bool first = !(op->aux_imm & 7);
    float p[4], leave[4];
    partials_in(w, op->ar[2], in, sets, p);
    for (unsigned set = 0; set < sets; set++) memcpy(leave + 2 * set, leaving(w, first, set), 2 * sizeof *leave);
    result_out(w, s, out, 2 * sets, leave);
    if (!tw__fp_end(w, op, &s->fp)) return false;
    keep_sums(w, s, first, sets);
    for (unsigned set = 0; set < sets; set++) move_on(w->o + set * SET, s->channels, p + 2 * set);
    write_results(w, op, s, out, 2 * sets);
    return true;
}

INLINE bool amp16(tw__sim_context *w, const tw__sim_op *op, unsigned in, unsigned out, unsigned sets)
{
    step s = { .fp = out == 16 ? tw__fp_begin16(w) : (tw__fp){ 0 }, .channels = channels_of(op->aux_imm) };
    float x[4];
    halves_in(&w->a[op->ar[1]], x, 4);
    sum_up(w, &s, op->aux_imm & 7 ? w->e : w->o, w->weights->half[op->aux_imm & 3], x, 4, sets);
    return amp_halves(w, op, &s, in, out, sets);
}

/* A scalar in each phase. One set: even phases move partial sums and results; two: even ones those of the first set,
 * odd ones those of the second. $TAS is overwritten. */
INLINE bool amp32(tw__sim_context *w, const tw__sim_op *op, unsigned sets)
{
    unsigned phase = op->aux_imm & 7;
    bool first = !phase, moves = sets == 2 || !(phase & 1);
    unsigned set = sets == 2 ? phase & 1 : 0;
    step s = { .channels = channels_of(op->aux_imm) };
    uint32_t bits = w->a[op->ar[1]];
    float x = tw__fp_float(tw__fp_in(w, bits)), p[2];
    sum_up(w, &s, first ? w->o : w->e, &w->weights->single[phase], &x, 1, sets);
    partials_in(w, op->ar[2], 32, 1, p);
    if (moves) result_out(w, &s, 32, 2, leaving(w, first, set));
    if (!tw__fp_end(w, op, &s.fp)) return false;
    keep_sums(w, &s, first, sets);
    if (moves) move_on(w->o + set * SET, s.channels, p);
    w->tas = bits;
    write_results(w, op, &s, 32, 2);
    return true;
}

/* --- FP8 -------------------------------------------------------------------------------------------------------- */

static double from8(uint32_t byte, unsigned format)
{
    bool nan;
    double v = tw__fp_from8(byte, format, &nan);
    return nan ? (double)NAN : v;
}

/* Eight products for each unit; formats and scale in control registers of the supervisor. */
static void sums8(tw__sim_context *w, step *s, const uint32_t *a, unsigned group, const float *from, unsigned shift)
{
    const uint32_t *csr = w->sim->contexts[TW_SIM_SUPERVISOR].csr;
    double scale = ldexp(1, (int)(csr[0x33] << 26) >> 26);
    for (unsigned k = 0; k < 2 * SET; k++) {
        if (k % SET >= s->channels) continue;
        double sum = 0, start = k % SET + shift < SET ? tw__fp_held(w, from[k + shift]) : 0;
        for (unsigned i = 0; i < 8; i++)
            sum += from8(a[i / 4] >> 8 * (i & 3) & 0xff, csr[0x31] >> 1) *
                   from8((uint32_t)(w->weights->words[4 * k + group] >> 8 * i) & 0xff, csr[0x31]);
        s->e[k] = tw__fp_float(tw__fp_narrow(w, &s->fp, start + sum * scale));
    }
}

INLINE bool amp8(tw__sim_context *w, const tw__sim_op *op)
{
    step s = { .fp = tw__fp_begin16(w), .channels = channels_of(op->aux_imm) };
    sums8(w, &s, &w->a[op->ar[1]], op->aux_imm & 3, op->aux_imm & 7 ? w->e : w->o, 0);
    return amp_halves(w, op, &s, 16, 16, 2);
}

/* --- SLIC ------------------------------------------------------------------------------------------------------- */

/* A sliding step: unit k goes on from unit k + 2; partial sums enter at the last two, which are units 4 and 5 of a
 * kernel of three. */
INLINE void slide(const tw__sim_context *w, uint32_t operand, unsigned sets, const float *p, step *s, float *from)
{
    s->channels = operand & 4 ? 6 : 8;
    for (unsigned set = 0; set < sets; set++) {
        memcpy(from + set * SET, w->e + set * SET + 2, (s->channels - 2) * sizeof *from);
        from[set * SET + s->channels - 2] = p[2 * set], from[set * SET + s->channels - 1] = p[2 * set + 1];
    }
}

INLINE bool slic_halves(tw__sim_context *w, const tw__sim_op *op, step *s, unsigned out, unsigned sets)
{
    float leave[4];
    for (unsigned set = 0; set < sets; set++) memcpy(leave + 2 * set, w->e + set * SET, 2 * sizeof *leave);
    result_out(w, s, out, 2 * sets, leave);
    if (!tw__fp_end(w, op, &s->fp)) return false;
    keep_sums(w, s, false, sets);
    write_results(w, op, s, out, 2 * sets);
    return true;
}

INLINE bool slic16(tw__sim_context *w, const tw__sim_op *op, unsigned in, unsigned out, unsigned sets)
{
    step s = { .fp = out == 16 ? tw__fp_begin16(w) : (tw__fp){ 0 } };
    float x[4], p[4], from[2 * SET] = { 0 };
    halves_in(&w->a[op->ar[1]], x, 4);
    partials_in(w, op->ar[2], in, sets, p);
    slide(w, op->aux_imm, sets, p, &s, from);
    sum_up(w, &s, from, w->weights->half[op->aux_imm & 3], x, 4, sets);
    return slic_halves(w, op, &s, out, sets);
}

/* Two instructions for a step (bit 3 of the operand): the first takes the low words of the weights and slides, the
 * second adds the products of the high words. With two sets the second one moves the other set's partial sums and
 * results, which wait in its odd accumulators. Modelled: no public code uses it. */
INLINE bool slic32(tw__sim_context *w, const tw__sim_op *op, unsigned sets)
{
    bool second = op->aux_imm & 8;
    step s = { 0 };
    uint32_t bits = w->a[op->ar[1]];
    float x = tw__fp_float(tw__fp_in(w, bits)), p[4] = { 0 }, from[2 * SET] = { 0 };
    float *held = w->o + SET;
    partials_in(w, op->ar[2], 32, 1, p);
    slide(w, op->aux_imm, sets, p, &s, from);
    if (second) {
        memcpy(from, w->e, sizeof from);
        for (unsigned i = 0; i < 2 && sets == 2; i++) {
            float *at = &from[SET + s.channels - 2 + i];
            *at = tw__fp_held(w, tw__fp_held(w, *at) + tw__fp_held(w, p[i]));
        }
    }
    sum_up(w, &s, from, &w->weights->single[2 * (op->aux_imm & 3) + second], &x, 1, sets);
    if (!second)
        result_out(w, &s, 32, 2, w->e);
    else if (sets == 2)
        result_out(w, &s, 32, 2, held);
    if (!tw__fp_end(w, op, &s.fp)) return false;
    if (!second && sets == 2) memcpy(held, w->e + SET, 2 * sizeof *held);
    keep_sums(w, &s, false, sets);
    w->tas = bits;
    write_results(w, op, &s, 32, 2);
    return true;
}

INLINE bool slic8(tw__sim_context *w, const tw__sim_op *op)
{
    step s = { .fp = tw__fp_begin16(w) };
    float p[4], from[2 * SET] = { 0 };
    partials_in(w, op->ar[2], 16, 2, p);
    slide(w, op->aux_imm, 2, p, &s, from);
    sums8(w, &s, &w->a[op->ar[1]], op->aux_imm & 3, from, 0);
    return slic_halves(w, op, &s, 16, 2);
}

/* --- all eight units of each set on a host with wide vectors ---------------------------------------------------- */

#if defined(__x86_64__)
#include <immintrin.h>

#define WIDE_TARGET "avx2,f16c,fma"
#define WIDE        static inline __attribute__((always_inline, target(WIDE_TARGET)))

/* Accumulators are read and written in quarters of 16 bytes: the host passes stores on to loads of the same shape. */
typedef struct quarters {
    __m128 low, high;
} quarters;
WIDE quarters load_set(const float *p)
{
    return (quarters){ _mm_loadu_ps(p), _mm_loadu_ps(p + 4) };
}
WIDE void store_set(float *p, quarters q)
{
    _mm_storeu_ps(p, q.low);
    _mm_storeu_ps(p + 4, q.high);
}
/* Products of halves and of singles are exact in double, so that fused sums of them are rounded as others are. */
WIDE __m128 sum_four(__m128 from, const row_of_weights *weights, unsigned first, const __m256d *x, unsigned lanes)
{
    __m256d sum = _mm256_mul_pd(x[0], _mm256_load_pd(&weights[0][first]));
    for (unsigned i = 1; i < lanes; i++) sum = _mm256_fmadd_pd(x[i], _mm256_load_pd(&weights[i][first]), sum);
    return _mm256_cvtpd_ps(_mm256_add_pd(_mm256_cvtps_pd(from), sum));
}
WIDE __m128i special_lanes(__m128 v)
{
    const __m128i ones = _mm_set1_epi32(0x7f800000);
    return _mm_cmpeq_epi32(_mm_and_si128(_mm_castps_si128(v), ones), ones);
}
WIDE bool special_quarter(__m128 v, __m128 u)
{
    return _mm_movemask_epi8(_mm_or_si128(special_lanes(v), special_lanes(u)));
}
/* Two partial sums of a set as the low half of a vector. */
WIDE __m128 wide_partials(const tw__sim_context *w, const tw__sim_op *op, unsigned bits, unsigned set)
{
    const uint32_t *a = &w->a[op->ar[2]];
    if (bits == 32) return _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)a));
    return _mm_cvtph_ps(_mm_cvtsi32_si128((int)a[set]));
}

/* The common case of an AMP step of halves or of singles: nearest even, eight units, nothing special. False: the
 * other way has to do it; nothing has been changed. */
WIDE bool wide_amp(tw__sim_context *w, const tw__sim_op *op, unsigned lanes, unsigned in, unsigned out,
                   unsigned sets)
{
    uint32_t operand = op->aux_imm;
    if (w->fp_slow || operand & ~7u) return false;
    bool first = !(operand & 7), single = lanes == 1;
    unsigned moving = single ? (sets == 2 ? operand & 1 : 0) : 2; /* the set that moves on; 2: all */
    bool moves = !single || sets == 2 || !(operand & 1);
    const row_of_weights *weights = single ? &w->weights->single[operand & 7] : w->weights->half[operand & 3];
    __m256d x[4];
    if (single) {
        x[0] = _mm256_set1_pd(tw__fp_float(w->a[op->ar[1]]));
    } else {
        __m256d all = _mm256_cvtps_pd(_mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)&w->a[op->ar[1]])));
        x[0] = _mm256_permute4x64_pd(all, 0x00), x[1] = _mm256_permute4x64_pd(all, 0x55);
        x[2] = _mm256_permute4x64_pd(all, 0xaa), x[3] = _mm256_permute4x64_pd(all, 0xff);
    }
    quarters e[2], o[2], sum[2];
    bool special = false;
    for (unsigned s = 0; s < sets; s++) {
        e[s] = load_set(w->e + s * SET), o[s] = load_set(w->o + s * SET);
        quarters from = first ? o[s] : e[s];
        sum[s].low = sum_four(from.low, weights, s * SET, x, lanes);
        sum[s].high = sum_four(from.high, weights, s * SET + 4, x, lanes);
        special |= special_quarter(sum[s].low, sum[s].high);
        if (first) o[s] = e[s]; /* what leaves, and what the odd ones are from now on */
    }
    __m128 leave = sets == 2 && !single ? _mm_movelh_ps(o[0].low, o[1].low) : o[moving & 1].low;
    if (out == 16) special |= special_quarter(leave, leave);
    for (unsigned s = 0; s < sets && in == 16; s++) /* NaNs move in as they are */
        special |= special_quarter(_mm_setzero_ps(), _mm_movelh_ps(wide_partials(w, op, in, s), _mm_setzero_ps()));
    if (__builtin_expect(special, 0)) return false;
    uint64_t result = 0;
    if (out == 16) {
        __m128i half = _mm_cvtps_ph(leave, _MM_FROUND_TO_NEAREST_INT);
        result = (uint64_t)_mm_cvtsi128_si64(half);
        __m128i top = _mm_cmpeq_epi16(_mm_and_si128(half, _mm_set1_epi16(0x7c00)), _mm_set1_epi16(0x7c00));
        if (__builtin_expect(_mm_movemask_epi8(top) & (sets == 2 ? 0xff : 0x0f), 0)) return false; /* overflow */
    } else if (moves) {
        result = (uint64_t)_mm_cvtsi128_si64(_mm_castps_si128(leave));
    }
    for (unsigned s = 0; s < sets; s++) {
        store_set(w->e + s * SET, sum[s]);
        if (moves && (moving == 2 || moving == s)) {
            __m128 p = wide_partials(w, op, in, single ? 0 : s);
            o[s].low = _mm_shuffle_ps(o[s].low, o[s].high, 0x4e), o[s].high = _mm_shuffle_ps(o[s].high, p, 0x4e);
        }
        store_set(w->o + s * SET, o[s]);
    }
    if (single) w->tas = w->a[op->ar[1]];
    if (out == 16 && sets == 1)
        w->a[op->ad] = (uint32_t)result;
    else
        put_pair(&w->a[op->ad], result);
    return true;
}
#endif

/* --- the rows --------------------------------------------------------------------------------------------------- */

#define CALL_amp16_16_16_1  amp16(w, op, 16, 16, 1)
#define CALL_amp16_16_16_2  amp16(w, op, 16, 16, 2)
#define CALL_amp16_32_16_1  amp16(w, op, 32, 16, 1)
#define CALL_amp16_32_32_1  amp16(w, op, 32, 32, 1)
#define CALL_amp32_1        amp32(w, op, 1)
#define CALL_amp32_2        amp32(w, op, 2)
#define CALL_amp8           amp8(w, op)
#define CALL_slic16_16_16_1 slic16(w, op, 16, 16, 1)
#define CALL_slic16_16_16_2 slic16(w, op, 16, 16, 2)
#define CALL_slic16_32_16_1 slic16(w, op, 32, 16, 1)
#define CALL_slic16_32_32_1 slic16(w, op, 32, 32, 1)
#define CALL_slic32_1       slic32(w, op, 1)
#define CALL_slic32_2       slic32(w, op, 2)
#define CALL_slic8          slic8(w, op)

/* Rows that have a fast way; the others are rare. */
#if defined(__x86_64__)
#define FAST(name, ...)                                                                                           \
    static                                                                                                        \
        __attribute__((target(WIDE_TARGET), noinline)) bool fast_##name(tw__sim_context *w, const tw__sim_op *op) \
    {                                                                                                             \
        return wide_amp(w, op, __VA_ARGS__) || CALL_##name;                                                       \
    }
#define CHOOSE(name) \
    if (TW__FP_HOST_FLUSHES && w->sim->wide) return fast_##name(w, op);
#else
#define FAST(name, ...)
#define CHOOSE(name)
#endif
FAST(amp16_16_16_1, 4, 16, 16, 1)
FAST(amp16_16_16_2, 4, 16, 16, 2)
FAST(amp16_32_16_1, 4, 32, 16, 1)
FAST(amp16_32_32_1, 4, 32, 32, 1)
FAST(amp32_1, 1, 32, 32, 1)
FAST(amp32_2, 1, 32, 32, 2)
#define CHOOSE_amp16_16_16_1 CHOOSE(amp16_16_16_1)
#define CHOOSE_amp16_16_16_2 CHOOSE(amp16_16_16_2)
#define CHOOSE_amp16_32_16_1 CHOOSE(amp16_32_16_1)
#define CHOOSE_amp16_32_32_1 CHOOSE(amp16_32_32_1)
#define CHOOSE_amp32_1       CHOOSE(amp32_1)
#define CHOOSE_amp32_2       CHOOSE(amp32_2)
#define CHOOSE_amp8
#define CHOOSE_slic16_16_16_1
#define CHOOSE_slic16_16_16_2
#define CHOOSE_slic16_32_16_1
#define CHOOSE_slic16_32_32_1
#define CHOOSE_slic32_1
#define CHOOSE_slic32_2
#define CHOOSE_slic8
#define ROW(name)                                                 \
    bool tw__sim_##name(tw__sim_context *w, const tw__sim_op *op) \
    {                                                             \
        CHOOSE_##name return CALL_##name;                         \
    }
TW__SIM_AMP_LIST(ROW)
