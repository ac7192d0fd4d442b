/* SPDX-License-Identifier: MIT */
/* Out of SSA: each phi gets a register of its own that all predecessors write, as several copies at once
 * (Boissinot and others: Revisiting Out-of-SSA Translation): right whatever the registers are, and what coalesce.c
 * can join costs nothing. Tied operands and joins become copies, too. */
#include "poplar/colossus/cc/ra/ra.h"

#include <string.h>

static tw__mir_insn *moves_before(ra *r, uint32_t block, tw__mir_insn *before, unsigned pairs)
{
    return tw__mir_insert(r->mir, &r->f->blocks[block], before, TW__MIR_moves, 2 * pairs);
}

static tw__mir_reg twin_of(ra *r, tw__mir_reg reg)
{
    tw__mir_vreg *v = &r->f->vregs[reg - TW__MIR_VIRTUAL];
    return tw__mir_new_reg(r->mir, r->f, v->file, v->words);
}

/* --- edges ------------------------------------------------------------------------------------------------------ */

tw__mir_insn *tw__ra_first_branch(const tw__mir_block *block)
{
    tw__mir_insn *first = NULL;
    for (tw__mir_insn *insn = block->last; insn; insn = insn->previous) {
        bool repeats = insn->op == TW__OP_rpt_m || insn->op == TW__OP_rpt_z;
        if (!tw__mir_is_branch(insn) && !repeats) break;
        first = insn;
    }
    return first;
}

tw__mir_insn *tw__ra_at_end(tw__mir *mir, tw__mir_block *block, unsigned op, unsigned count)
{
    tw__mir_insn *before = tw__ra_first_branch(block);
    return before ? tw__mir_insert(mir, block, before, op, count) : tw__mir_append(mir, block, op, count);
}

/* The operand of a block's branches that writes `reg`, or NULL. */
static tw__mir_operand *branch_writes(tw__mir_block *block, tw__mir_reg reg)
{
    for (tw__mir_insn *insn = tw__ra_first_branch(block); insn; insn = insn->next)
        for (unsigned k = 0; k < insn->count; k++)
            if (insn->operands[k].kind == TW__MIR_REG && insn->operands[k].use & TW__MIR_WRITE &&
                insn->operands[k].reg == reg)
                return &insn->operands[k];
    return NULL;
}

void tw__ra_lead(tw__mir_block *block, uint32_t from, uint32_t to)
{
    for (tw__mir_insn *insn = tw__ra_first_branch(block); insn; insn = insn->next)
        for (unsigned k = 0; k < insn->count; k++)
            if (insn->operands[k].kind == TW__MIR_BLOCK && insn->operands[k].index == from)
                insn->operands[k].index = to;
    for (uint32_t i = 0; i < block->successor_count; i++)
        if (block->successors[i] == from) block->successors[i] = to;
}

void tw__ra_come_from(tw__mir_block *block, uint32_t from, uint32_t to)
{
    for (tw__mir_insn *phi = block->first; phi && phi->op == TW__MIR_phi; phi = phi->next)
        for (unsigned k = 1; k < phi->count; k += 2)
            if (phi->operands[k].index == from) phi->operands[k].index = to;
}

/* A block of its own for the way from `from` to `to`. */
static uint32_t split_edge(ra *r, uint32_t from, uint32_t to)
{
    uint32_t added = tw__mir_new_block(r->mir, r->f);
    tw__mir_block *block = &r->f->blocks[added];
    block->loop_depth = MIN(r->f->blocks[from].loop_depth, r->f->blocks[to].loop_depth);
    block->frequency = MIN(r->f->blocks[from].frequency, r->f->blocks[to].frequency);
    tw__mir_append(r->mir, block, TW__OP_bri, 1)->operands[0] = tw__mir_to(to);
    tw__ra_lead(&r->f->blocks[from], to, added);
    tw__mir_add_successor(r->mir, block, to);
    tw__ra_come_from(&r->f->blocks[to], from, added);
    return added;
}

static void count_reads(const ra *r, uint32_t *reads)
{
    for (uint32_t b = 0; b < r->f->block_count; b++)
        for (const tw__mir_insn *insn = r->f->blocks[b].first; insn; insn = insn->next)
            for (unsigned k = 0; k < insn->count; k++) {
                const tw__mir_operand *o = &insn->operands[k];
                if (o->kind != TW__MIR_REG || !(o->use & TW__MIR_READ)) continue;
                tw__mir_reg reg = o->use & TW__MIR_WRITE ? o->tied : o->reg;
                if (ra_is_virtual(reg)) reads[reg - TW__MIR_VIRTUAL]++;
            }
}

/* A branch that counts writes behind the place where copies for its targets stand. Where one phi is all that reads
 * its result, it writes that one's register (fill_predecessor()); else the way there gets a block. */
static void split_counting_edges(ra *r)
{
    g_autofree uint32_t *reads = g_new0(uint32_t, r->f->vreg_count + 1);
    count_reads(r, reads);
    uint32_t count = r->f->block_count;
    for (uint32_t b = 0; b < count; b++)
        for (tw__mir_insn *phi = r->f->blocks[b].first; phi && phi->op == TW__MIR_phi; phi = phi->next)
            for (unsigned k = 1; k < phi->count; k += 2) {
                uint32_t from = phi->operands[k].index;
                tw__mir_reg reg = phi->operands[k + 1].reg;
                if (!branch_writes(&r->f->blocks[from], reg) || reads[reg - TW__MIR_VIRTUAL] == 1) continue;
                split_edge(r, from, b);
                tw__mir_link(r->mir, r->f);
            }
}

/* --- phis ------------------------------------------------------------------------------------------------------- */

static unsigned count_phis(const tw__mir_block *block)
{
    unsigned n = 0;
    for (const tw__mir_insn *phi = block->first; phi && phi->op == TW__MIR_phi; phi = phi->next) n++;
    return n;
}

/* Copies at the end of one predecessor. */
static void fill_predecessor(ra *r, uint32_t block, uint32_t from, const tw__mir_reg *webs, unsigned n)
{
    tw__mir_block *before = &r->f->blocks[from];
    tw__mir_insn *moves = tw__ra_at_end(r->mir, before, TW__MIR_moves, 2 * n);
    unsigned i = 0;
    for (tw__mir_insn *phi = r->f->blocks[block].first; i < n; phi = phi->next, i++) {
        tw__mir_operand source = phi->operands[2];
        for (unsigned k = 1; k < phi->count; k += 2)
            if (phi->operands[k].index == from) source = phi->operands[k + 1];
        tw__mir_operand *counts = branch_writes(&r->f->blocks[from], source.reg);
        if (counts) source.reg = counts->tied, counts->reg = counts->tied = webs[i];
        moves->operands[2 * i] = tw__mir_write(webs[i], source.words);
        moves->operands[2 * i + 1] = source;
    }
}

static void lower_phis(ra *r, uint32_t block)
{
    unsigned n = count_phis(&r->f->blocks[block]);
    if (!n) return;
    g_autofree tw__mir_reg *webs = g_new(tw__mir_reg, n);
    tw__mir_insn *phi = r->f->blocks[block].first;
    for (unsigned i = 0; i < n; i++, phi = phi->next) webs[i] = twin_of(r, phi->operands[0].reg);
    for (uint32_t k = 0; k < r->f->blocks[block].predecessor_count; k++)
        fill_predecessor(r, block, r->f->blocks[block].predecessors[k], webs, n);
    tw__mir_insn *moves = moves_before(r, block, r->f->blocks[block].first, n);
    for (unsigned i = 0; i < n; i++) {
        phi = moves->next;
        moves->operands[2 * i] = phi->operands[0];
        moves->operands[2 * i + 1] = tw__mir_read(webs[i], phi->operands[0].words);
        tw__mir_remove(&r->f->blocks[block], phi);
    }
}

/* --- tied operands, joins, copies ------------------------------------------------------------------------------- */

static bool is_tied(const tw__mir_operand *o)
{
    return o->kind == TW__MIR_REG && o->use == (TW__MIR_READ | TW__MIR_WRITE) && o->tied != o->reg;
}

/* In front of a bundle, whose halves both read before they write. */
static void lower_tied(ra *r, uint32_t block, tw__mir_insn *first, tw__mir_insn *last)
{
    unsigned n = 0;
    for (tw__mir_insn *insn = first;; insn = insn->next) {
        for (unsigned k = 0; k < insn->count; k++) n += is_tied(&insn->operands[k]);
        if (insn == last) break;
    }
    if (!n) return;
    tw__mir_insn *moves = moves_before(r, block, first, n);
    unsigned i = 0;
    for (tw__mir_insn *insn = first;; insn = insn->next) {
        for (unsigned k = 0; k < insn->count; k++) {
            tw__mir_operand *o = &insn->operands[k];
            if (!is_tied(o)) continue;
            moves->operands[2 * i] = tw__mir_write(o->reg, o->words);
            moves->operands[2 * i + 1] = tw__mir_read(o->tied, o->words);
            moves->operands[2 * i++ + 1].sub = o->sub;
            o->tied = o->reg, o->sub = 0;
        }
        if (insn == last) break;
    }
}

static void lower_join(ra *r, uint32_t block, tw__mir_insn *join)
{
    tw__mir_insn *moves = moves_before(r, block, join, join->count - 1u);
    unsigned at = 0;
    for (unsigned k = 1; k < join->count; k++) {
        tw__mir_operand to = join->operands[0];
        to.sub = (uint8_t)at, to.words = join->operands[k].words;
        at += to.words;
        moves->operands[2 * k - 2] = to;
        moves->operands[2 * k - 1] = join->operands[k];
    }
    tw__mir_remove(&r->f->blocks[block], join);
}

static unsigned lower_file(const ra *r, tw__mir_reg reg)
{
    return ra_is_virtual(reg) ? r->f->vregs[reg - TW__MIR_VIRTUAL].file : reg >= TW__MIR_A0;
}

static void lower_copy(ra *r, tw__mir_insn *copy)
{
    if (lower_file(r, copy->operands[0].reg) == lower_file(r, copy->operands[1].reg)) copy->op = TW__MIR_moves;
}

void tw__ra_lower(ra *r)
{
    split_counting_edges(r);
    uint32_t blocks = r->f->block_count;
    for (uint32_t b = 0; b < blocks; b++) lower_phis(r, b);
    for (uint32_t b = 0; b < blocks; b++)
        for (tw__mir_insn *insn = r->f->blocks[b].first, *next; insn; insn = next) {
            tw__mir_insn *last = ra_group_end(insn);
            next = last->next;
            if (insn->op == TW__MIR_join)
                lower_join(r, b, insn);
            else if (insn->op == TW__MIR_copy)
                lower_copy(r, insn);
            else if (insn->op != TW__MIR_moves)
                lower_tied(r, b, insn, last);
        }
}
