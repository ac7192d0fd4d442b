/* SPDX-License-Identifier: MIT */
/* The steps from SSA to the code of one function. */
#include "poplar/colossus/cc/ra/ra.h"

enum { ROUNDS = 60 };

static bool writes_link(const tw__mir_insn *insn)
{
    if (insn->op == TW__MIR_call) return true;
    for (unsigned k = 0; k < insn->count; k++)
        if (insn->operands[k].kind == TW__MIR_REG && insn->operands[k].use & TW__MIR_WRITE &&
            insn->operands[k].reg == TW__MIR_M0 + RA_LR)
            return true;
    return false;
}

static bool has_calls(const tw__mir_function *f)
{
    for (uint32_t b = 0; b < f->block_count; b++)
        for (const tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next)
            if (writes_link(insn)) return true;
    return false;
}

/* $m12 to $m15 and $a8 on are no storage; $sp, $lr and the frame pointer where they are needed. */
static uint32_t allocatable_units(const ra *r)
{
    const tw__mir_function *f = r->f;
    uint32_t set = 0xfffu | (f->in_supervisor || f->context == TW__MIR_SUPERVISOR ? 0 : 0xffu << RA_A);
    if (r->has_frame) set &= ~(1u << RA_SP);
    if (f->context != TW__MIR_WORKER && !r->has_calls) set &= ~(1u << RA_LR);
    if (f->has_dynamic_stack) set &= ~(1u << RA_FP);
    return set;
}

/* Registers until all that is left has one. */
static void ra_allocate(ra *r)
{
    bool entry = r->f->context == TW__MIR_WORKER;
    for (unsigned round = 0; !r->problem; round++) {
        tw__arena_free(r->arena);
        r->arena = tw__arena_new(0);
        if (!r->arena) g_error("out of memory");
        r->has_frame = !entry || r->has_calls || r->f->object_count || r->f->has_dynamic_stack;
        r->allocatable = allocatable_units(r);
        r->used = 0;
        g_array_set_size(r->spilled, 0);
        tw__ra_live(r);
        if (round == 0) {
            tw__ra_coalesce(r);
            tw__ra_live(r);
        }
        tw__ra_assign(r);
        if (!r->spilled->len || r->problem) break;
        tw__ra_spill(r);
        if (round == ROUNDS) r->problem = "no end of register allocation";
    }
}

static void run_steps(ra *r)
{
    r->f->own_objects = r->f->object_count;
    tw__ra_track_arguments(r);
    tw__ra_clean(r->mir, r->f);
    tw__ra_groups(r->f);
    if (!r->options->no_loops) tw__ra_counted(r->mir, r->f, r->options);
    tw__ra_clean(r->mir, r->f);
    r->has_calls = has_calls(r->f);
    tw__ra_far_objects(r);
    tw__ra_track_begin(r);
    tw__ra_lower(r);
    r->frequencies = g_new(uint32_t, r->f->block_count);
    tw__mir_link(r->mir, r->f);
    tw__ra_loops(r->mir, r->f, r->frequencies);
    ra_allocate(r);
    if (r->problem) return;
    tw__ra_rewrite(r);
    tw__ra_frame(r);
    if (r->problem) return;
    tw__ra_expand(r);
    tw__ra_flow(r->mir, r->f);
    if (!r->options->no_bundles) tw__ra_bundle(r->mir, r->f, r->options);
    tw__ra_repeats(r->mir, r->f);
    tw__ra_track_end(r);
}

const char *tw__ra_function(tw__mir *mir, tw__mir_function *f, const tw__ra_options *options)
{
    static const tw__ra_options none;
    const char *problem = tw__mir_check(mir, f);
    if (problem) return problem;
    ra r = { .mir = mir, .f = f, .options = options ? options : &none };
    r.arena = NULL;
    r.spilled = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    if (r.options->seed) r.random = g_rand_new_with_seed(r.options->seed);
    run_steps(&r);
    if (r.problem) problem = tw__arena_printf(mir->arena, "%s: %s", f->name, r.problem);
    tw__arena_free(r.arena);
    g_free(r.frequencies);
    g_array_free(r.spilled, TRUE);
    if (r.random) g_rand_free(r.random);
    return problem;
}
