/* The AMP units. Every unit has an even and an odd accumulator, E and O: E gathers the sums of the group of inputs at
 * hand, O holds partial sums that come in two at a time and results that leave two at a time. Phase 0 exchanges them.
 * Sums are those of Colossus ISA 10.6: exact products, added in double from the first to the last, then to the
 * accumulator, and rounded once to single. */
#include "poplar/colossus/sim/amp.h"

#include "poplar/colossus/sim/fp.h"

enum { SET = 8 }; /* units of a set */

/* --- the sums --------------------------------------------------------------------------------------------------- */

/* sums[k] = from[k] + x[0] * weights[0][k] + ... for the units of one set; exact products. */
typedef void dot_set(const float *from, const float (*weights)[TW__SIM_UNITS], const float *x, float *sums);

#define DOT4(k)                                                                                               \
    (float)((double)from[k] +                                                                                 \
            ((((double)x[0] * weights[0][k] + (double)x[1] * weights[1][k]) + (double)x[2] * weights[2][k]) + \
             (double)x[3] * weights[3][k]))
#define DOT1(k) (float)((double)from[k] + (double)x[0] * weights[0][k])
#define SUMS(name, DOT, attribute)                                                                      \
    attribute static void name(const float *from, const float(*weights)[TW__SIM_UNITS], const float *x, \
                               float *sums)                                                             \
    {                                                                                                   \
        for (unsigned k = 0; k < SET; k++) sums[k] = DOT(k);                                            \
    }
SUMS(dot4_any, DOT4, )
SUMS(dot1_any, DOT1, )
#if defined(__x86_64__)
SUMS(dot4_avx2, DOT4, __attribute__((target("avx2"))))
SUMS(dot1_avx2, DOT1, __attribute__((target("avx2"))))
#endif

static dot_set *dot4 = dot4_any, *dot1 = dot1_any;
static gsize chosen;
static void choose(void)
{
    if (!g_once_init_enter(&chosen)) return;
#if defined(__x86_64__)
    if (tw__cpu_has(TW__CPU_AVX2)) dot4 = dot4_avx2, dot1 = dot1_avx2;
#endif
    g_once_init_leave(&chosen, 1);
}

/* What a step makes before anything is written. */
typedef struct step {
    tw__fp fp;
    unsigned channels; /* of each set */
    float e[2 * SET];  /* sums, single */
    uint32_t d[4];     /* results as they go to registers */
} step;

/* One of the sums again, in the rounding mode of the moment and with its flags. */
static void exact(tw__sim_context *w, step *s, unsigned k, double from, const float (*weights)[TW__SIM_UNITS],
                  const float *x, unsigned lanes)
{
    double sum = (double)x[0] * weights[0][k];
    for (unsigned i = 1; i < lanes; i++) sum += (double)x[i] * weights[i][k];
    s->e[k] = tw__fp_float(tw__fp_narrow(w, &s->fp, from + sum));
}

static void sum_up(tw__sim_context *w, step *s, const float *from, const float (*weights)[TW__SIM_UNITS],
                   const float *x, unsigned lanes, unsigned sets)
{
    if (__builtin_expect(!chosen, 0)) choose();
    uint32_t special = w->fp_slow;
    for (unsigned set = 0; set < sets; set++) {
        unsigned first = set * SET;
        (lanes == 4 ? dot4 : dot1)(from + first, (const float(*)[TW__SIM_UNITS]) & weights[0][first], x,
                                   s->e + first);
        for (unsigned k = 0; k < s->channels; k++) special |= tw__fp_special32(tw__fp_bits(s->e[first + k]));
    }
    if (__builtin_expect(!special, 1)) return;
    for (unsigned set = 0; set < sets; set++)
        for (unsigned k = set * SET; k < set * SET + s->channels; k++) exact(w, s, k, from[k], weights, x, lanes);
}

/* --- operands --------------------------------------------------------------------------------------------------- */

static void halves_in(const uint32_t *a, float *x, unsigned n)
{
    for (unsigned i = 0; i < n; i++) x[i] = tw__fp_float(tw__fp_widen(a[i / 2] >> 16 * (i & 1) & 0xffff));
}

/* Partial sums from registers: two for each set. */
static void partials_in(const tw__sim_context *w, unsigned reg, unsigned bits, unsigned sets, float *p)
{
    if (bits == 16)
        halves_in(&w->a[reg], p, 2 * sets);
    else
        for (unsigned i = 0; i < 2 * sets; i++) p[i] = tw__fp_float(tw__fp_in(w, w->a[reg + i]));
}

static void result_out(tw__sim_context *w, step *s, unsigned bits, unsigned count, const float *from)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t v = tw__fp_bits(from[i]);
        s->d[i] = bits == 32        ? v
                  : tw__fp_nan32(v) ? tw__fp_special(&s->fp, v, v, v) & TW__SIM_NAN16
                                    : tw__fp_half(w, &s->fp, from[i], i);
    }
}

static void write_results(tw__sim_context *w, const tw__sim_op *op, const step *s, unsigned bits, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (bits == 32)
            w->a[op->ad + i] = s->d[i];
        else if (i & 1)
            w->a[op->ad + i / 2] = s->d[i - 1] | s->d[i] << 16;
    }
}

/* --- AMP -------------------------------------------------------------------------------------------------------- */

/* Channels of each set: two for each engine; the operand's numbers are those of TileConstants.hpp. */
static unsigned channels_of(uint32_t operand)
{
    unsigned engines = 4u >> (operand >> 3 & 3);
    return engines ? 2 * engines : 2;
}

static void keep_sums(tw__sim_context *w, const step *s, bool first, unsigned sets)
{
    for (unsigned set = 0; set < sets; set++) {
        float *e = w->e + set * SET, *o = w->o + set * SET;
        if (first) memcpy(o, e, s->channels * sizeof *o);
        memcpy(e, s->e + set * SET, s->channels * sizeof *e);
    }
}

/* The odd accumulators of a set move on by two; partial sums p come in at the end. */
static void move_on(float *o, unsigned channels, const float *p)
{
    memmove(o, o + 2, (channels - 2) * sizeof *o);
    o[channels - 2] = p[0], o[channels - 1] = p[1];
}

/* Where the results of a step come from: the even accumulators if phase 0 is about to exchange them. */
static const float *leaving(const tw__sim_context *w, bool first, unsigned set)
{
    return (first ? w->e : w->o) + set * SET;
}

static bool amp_halves(tw__sim_context *w, const tw__sim_op *op, step *s, unsigned in, unsigned out, unsigned sets)
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

bool tw__sim_amp16(tw__sim_context *w, const tw__sim_op *op, unsigned in, unsigned out, unsigned sets)
{
    step s = { .fp = out == 16 ? tw__fp_begin16(w) : (tw__fp){ 0 }, .channels = channels_of(op->aux_imm) };
    float x[4];
    halves_in(&w->a[op->ar[1]], x, 4);
    sum_up(w, &s, op->aux_imm & 7 ? w->e : w->o, w->weights->half[op->aux_imm & 3], x, 4, sets);
    return amp_halves(w, op, &s, in, out, sets);
}

/* A scalar in each phase. One set: even phases move partial sums and results; two: even ones those of the first set,
 * odd ones those of the second. $TAS is overwritten. */
bool tw__sim_amp32(tw__sim_context *w, const tw__sim_op *op, unsigned sets)
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
        double sum = 0, start = k % SET + shift < SET ? from[k + shift] : 0;
        for (unsigned i = 0; i < 8; i++)
            sum += from8(a[i / 4] >> 8 * (i & 3) & 0xff, csr[0x31] >> 1) *
                   from8((uint32_t)(w->weights->words[4 * k + group] >> 8 * i) & 0xff, csr[0x31]);
        s->e[k] = tw__fp_float(tw__fp_narrow(w, &s->fp, start + sum * scale));
    }
}

bool tw__sim_amp8(tw__sim_context *w, const tw__sim_op *op)
{
    step s = { .fp = tw__fp_begin16(w), .channels = channels_of(op->aux_imm) };
    sums8(w, &s, &w->a[op->ar[1]], op->aux_imm & 3, op->aux_imm & 7 ? w->e : w->o, 0);
    return amp_halves(w, op, &s, 16, 16, 2);
}

/* --- SLIC ------------------------------------------------------------------------------------------------------- */

/* A sliding step: unit k goes on from unit k + 2; partial sums enter at the last two, which are units 4 and 5 of a
 * kernel of three. */
static void slide(const tw__sim_context *w, uint32_t operand, unsigned sets, const float *p, step *s, float *from)
{
    s->channels = operand & 4 ? 6 : 8;
    for (unsigned set = 0; set < sets; set++) {
        memcpy(from + set * SET, w->e + set * SET + 2, (s->channels - 2) * sizeof *from);
        from[set * SET + s->channels - 2] = p[2 * set], from[set * SET + s->channels - 1] = p[2 * set + 1];
    }
}

static bool slic_halves(tw__sim_context *w, const tw__sim_op *op, step *s, unsigned out, unsigned sets)
{
    float leave[4];
    for (unsigned set = 0; set < sets; set++) memcpy(leave + 2 * set, w->e + set * SET, 2 * sizeof *leave);
    result_out(w, s, out, 2 * sets, leave);
    if (!tw__fp_end(w, op, &s->fp)) return false;
    keep_sums(w, s, false, sets);
    write_results(w, op, s, out, 2 * sets);
    return true;
}

bool tw__sim_slic16(tw__sim_context *w, const tw__sim_op *op, unsigned in, unsigned out, unsigned sets)
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
bool tw__sim_slic32(tw__sim_context *w, const tw__sim_op *op, unsigned sets)
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
        if (sets == 2) from[SET + s.channels - 2] += p[0], from[SET + s.channels - 1] += p[1];
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

bool tw__sim_slic8(tw__sim_context *w, const tw__sim_op *op)
{
    step s = { .fp = tw__fp_begin16(w) };
    float p[4], from[2 * SET] = { 0 };
    partials_in(w, op->ar[2], 16, 2, p);
    slide(w, op->aux_imm, 2, p, &s, from);
    sums8(w, &s, &w->a[op->ar[1]], op->aux_imm & 3, from, 0);
    return slic_halves(w, op, &s, 16, 2);
}
