/* SPDX-License-Identifier: MIT */
/* Control and status registers, and the common weights. Most registers only keep what is written; those that do more
 * are in the table below. Which exist where is in isa/csr.def. */
#include "poplar/colossus/sim/fp.h"

/* --- those that do more ----------------------------------------------------------------------------------------- */

typedef struct special {
    uint32_t (*get)(tw__sim_context *w, unsigned index);
    void (*put)(tw__sim_context *w, unsigned index, uint32_t value);
} special;

static uint32_t get_pc(tw__sim_context *w, unsigned index)
{
    (void)index;
    return w->pc;
}
static uint32_t get_wsr(tw__sim_context *w, unsigned index)
{
    return w->number | w->csr[index];
}
static uint32_t get_ssr(tw__sim_context *w, unsigned index)
{
    return w->csr[index] | w->sim->local_consensus;
}
static void put_cr(tw__sim_context *w, unsigned index, uint32_t value)
{
    (void)index;
    if (value & 1) w->sim->local_consensus = false;
    if (value & 2) w->sim->local_consensus = true;
    for (unsigned i = 0; (value & 4) && i < TW__SIM_WEIGHTS; i++) tw__sim_set_weight(w->sim, i, 0);
}
static uint32_t get_tile(tw__sim_context *w, unsigned index)
{
    (void)index;
    return w->sim->options.tile & 0x7ff;
}
static uint32_t get_base(tw__sim_context *w, unsigned index)
{
    return w->sim->contexts[index - 0x21].m[12];
}
static void put_base(tw__sim_context *w, unsigned index, uint32_t value)
{
    w->sim->contexts[index - 0x21].m[12] = value;
}
static uint32_t get_count(tw__sim_context *w, unsigned index)
{
    return (uint32_t)(tw__sim_cycle_now(w) >> (index & 1 ? 32 : 0));
}
static uint32_t get_contexts(tw__sim_context *w, unsigned index)
{
    static const uint32_t codes[] = { [TW_SIM_IDLE] = 0, [TW_SIM_ACTIVE] = 1, [TW_SIM_EXCEPTED] = 3 };
    uint32_t value = 0;
    (void)index;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) {
        const tw__sim_context *c = &w->sim->contexts[i];
        uint32_t type = c->csr[1] >> 4 & 15;
        uint32_t code = c->state == TW_SIM_EXCEPTED && (type == 2 || type == 3) ? 2 : codes[c->state];
        value |= code << (i == TW_SIM_SUPERVISOR ? 0 : 2 + 2 * i);
    }
    return value;
}
static uint32_t get_vertex(tw__sim_context *w, unsigned index)
{
    (void)index;
    return w->m[13];
}
static uint32_t get_scratch(tw__sim_context *w, unsigned index)
{
    (void)index;
    return w->m[12];
}
static uint32_t get_repeat(tw__sim_context *w, unsigned index)
{
    return index == 4 ? w->repeat_count : index == 5 ? w->repeat_first : w->repeat_end;
}
static uint32_t get_status(tw__sim_context *w, unsigned index)
{
    (void)index;
    return w->fp_sts;
}
static void put_status(tw__sim_context *w, unsigned index, uint32_t value)
{
    (void)index;
    w->fp_sts = value & 7;
}
static uint32_t get_zero(tw__sim_context *w, unsigned index)
{
    (void)w, (void)index;
    return 0;
}
static void put_clear(tw__sim_context *w, unsigned index, uint32_t value)
{
    (void)index;
    w->fp_sts &= ~value;
    if (value & 8) memset(w->e, 0, sizeof w->e), memset(w->o, 0, sizeof w->o);
}
static uint32_t get_control(tw__sim_context *w, unsigned index)
{
    (void)index;
    return w->fp_ctl;
}
static void put_control(tw__sim_context *w, unsigned index, uint32_t value)
{
    (void)index;
    tw__sim_set_fp_ctl(w, value);
}
static uint32_t get_random(tw__sim_context *w, unsigned index)
{
    return (uint32_t)(w->prng[(index - 0x103) / 2] >> (index & 1 ? 0 : 32));
}
static void put_random(tw__sim_context *w, unsigned index, uint32_t value)
{
    uint64_t *word = &w->prng[(index - 0x103) / 2];
    unsigned shift = index & 1 ? 0 : 32;
    *word = (*word & ~((uint64_t)0xffffffff << shift)) | (uint64_t)value << shift;
}
static void put_seed(tw__sim_context *w, unsigned index, uint32_t value)
{
    const uint32_t words[] = { value, ~value, value >> 19, ~value >> 19 };
    (void)index;
    for (unsigned i = 0; i < 4; i++) put_random(w, 0x103 + i, words[i]);
}
static uint32_t get_tas(tw__sim_context *w, unsigned index)
{
    (void)index;
    return w->tas;
}
static void put_tas(tw__sim_context *w, unsigned index, uint32_t value)
{
    (void)index;
    w->tas = value;
}

static const special of_workers[512] = {
    [0x000] = { get_pc, NULL },
    [0x001] = { get_wsr, NULL },
    [0x002] = { get_vertex, NULL },
    [0x003] = { get_scratch, NULL },
    [0x004 ... 0x006] = { get_repeat, NULL },
    [0x060 ... 0x061] = { get_count, NULL },
    [0x100] = { get_status, put_status },
    [0x101] = { get_zero, put_clear },
    [0x102] = { get_control, put_control },
    [0x103 ... 0x106] = { get_random, put_random },
    [0x107] = { get_zero, put_seed },
    [0x108] = { get_tas, put_tas },
};
static const special of_supervisor[512] = {
    [0x000] = { get_pc, NULL },
    [0x001] = { get_ssr, NULL },
    [0x002] = { get_zero, put_cr },
    [0x003] = { get_tile, NULL },
    [0x021 ... 0x026] = { get_base, put_base },
    [0x060 ... 0x061] = { get_count, NULL },
    [0x072] = { get_contexts, NULL },
};

/* --- all -------------------------------------------------------------------------------------------------------- */

static const tw_isa_csr *row_of(const tw__sim_context *w, unsigned index)
{
    const tw_isa_csr *row = tw_isa_csr_at(w->supervisor ? TW_ISA_SUPERVISOR : TW_ISA_WORKER, index);
    return row && (row->archs & w->sim->arch) ? row : NULL;
}

bool tw__sim_csr_get(tw__sim_context *w, unsigned index, uint32_t *value)
{
    if (index >= 512 || !row_of(w, index)) return false;
    const special *s = &(w->supervisor ? of_supervisor : of_workers)[index];
    *value = s->get ? s->get(w, index) : w->csr[index];
    return true;
}

tw__sim_put tw__sim_csr_put(tw__sim_context *w, unsigned index, uint32_t value)
{
    const tw_isa_csr *row = index < 512 ? row_of(w, index) : NULL;
    if (!row) return TW__SIM_PUT_NONE;
    if (!row->writable) return TW__SIM_PUT_READ_ONLY;
    const special *s = &(w->supervisor ? of_supervisor : of_workers)[index];
    if (s->put)
        s->put(w, index, value);
    else
        w->csr[index] = value;
    return TW__SIM_PUT_DONE;
}

void tw__sim_set_fp_ctl(tw__sim_context *w, uint32_t value)
{
    w->fp_ctl = value & 0x1f0007;
    w->fp_slow = tw__fp_rounding(w) != 0 || value >> 19 & 1;
}

void tw__sim_set_weight(tw_sim *sim, unsigned index, uint64_t bits)
{
    tw__sim_weights *weights = &sim->weights;
    unsigned unit = index / 4, group = index % 4;
    weights->words[index] = bits;
    for (unsigned i = 0; i < 4; i++)
        weights->half[group][i][unit] = tw__fp_float(tw__fp_widen((uint32_t)(bits >> 16 * i) & 0xffff));
    for (unsigned i = 0; i < 2; i++)
        weights->single[2 * group + i][unit] =
            tw__fp_float(tw__fp_flush(&sim->contexts[0], (uint32_t)(bits >> 32 * i)));
}
