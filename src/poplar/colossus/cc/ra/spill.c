/* SPDX-License-Identifier: MIT */
/* Registers that got none live on the stack: each instruction that uses one gets a short-lived register with a
 * load in front of it, a store behind it. Constants and addresses are made again. Copies take places on the stack
 * as they are. */
#include "poplar/colossus/cc/ra/ra.h"

typedef struct spilling {
    ra *r;
    bool *is_spilled; /* by node; registers that are made here come later and are not */
    uint32_t count;
    uint32_t block;
} spilling;

static bool is_spilled(const spilling *s, const tw__mir_operand *o)
{
    return o->kind == TW__MIR_REG && ra_is_virtual(o->reg) && o->reg - TW__MIR_VIRTUAL < s->count &&
           s->is_spilled[o->reg - TW__MIR_VIRTUAL];
}

static ra_node *node_of_operand(const spilling *s, const tw__mir_operand *o)
{
    return ra_node_of(s->r, o->reg);
}

static uint32_t slot_of_node(spilling *s, ra_node *node)
{
    uint32_t bytes = 4u * node->words;
    if (!node->slot) node->slot = 1 + tw__mir_new_object(s->r->mir, s->r->f, bytes, bytes > 4 ? 8 : 4);
    return node->slot - 1;
}

static tw__mir_operand place_of_operand(spilling *s, const tw__mir_operand *o)
{
    tw__mir_operand place = tw__mir_frame(slot_of_node(s, node_of_operand(s, o)), 4 * o->sub);
    place.words = o->words, place.use = o->use;
    place.origin = o->origin, place.origin_sub = o->origin_sub;
    return place;
}

/* --- accesses --------------------------------------------------------------------------------------------------- */

void tw__ra_frame_access(ra *r, tw__mir_block *block, tw__mir_insn *before, bool store, tw__mir_operand reg,
                         uint32_t object, uint32_t offset)
{
    static const uint16_t rows[2][2][2] = {
        { { TW__OP_ld32_mz, TW__OP_st32_mz }, { TW__OP_ld32_mz, TW__OP_st32_mz } },
        { { TW__OP_ld32_az, TW__OP_st32_az }, { TW__OP_ld64_z, TW__OP_st64_z } }
    };
    bool aux =
        ra_is_virtual(reg.reg) ? r->f->vregs[reg.reg - TW__MIR_VIRTUAL].file == TW__MIR_AUX : reg.reg >= TW__MIR_A0;
    unsigned words = aux && reg.words > 1 ? 2 : 1;
    for (unsigned w = 0; w < reg.words; w += words) {
        tw__mir_insn *access = tw__mir_insert(r->mir, block, before, rows[aux][words - 1][store], 4);
        access->operands[0] = store ? tw__mir_read(reg.reg, words) : tw__mir_write(reg.reg, words);
        if (ra_is_virtual(reg.reg))
            access->operands[0].sub = (uint8_t)(reg.sub + w);
        else
            access->operands[0].reg += reg.sub + w;
        access->operands[0].origin = reg.origin, access->operands[0].origin_sub = (uint8_t)(reg.origin_sub + w);
        access->operands[1] = tw__mir_read(TW__MIR_M0 + RA_SP, 1);
        access->operands[2] = tw__mir_read(TW__MIR_M0 + RA_ZERO, 1);
        access->operands[3] = tw__mir_frame(object, offset + 4 * w);
        access->memory = (tw__mir_memory){ .use = store ? TW__MIR_WRITE : TW__MIR_READ, .group = RA_GROUP_STACK };
    }
}

static tw__mir_reg short_reg(spilling *s, unsigned file, unsigned words)
{
    tw__mir_reg reg = tw__mir_new_reg(s->r->mir, s->r->f, (tw__mir_file)file, words);
    s->r->f->vregs[reg - TW__MIR_VIRTUAL].is_short = true;
    return reg;
}

static void copy_value(spilling *s, tw__mir_insn *before, const tw__mir_insn *value, tw__mir_operand to)
{
    tw__mir_insn *again = tw__mir_insert(s->r->mir, &s->r->f->blocks[s->block], before, value->op, 2);
    again->operands[0] = to;
    again->operands[1] = value->operands[1];
}

/* --- instructions ----------------------------------------------------------------------------------------------- */

/* The operand's value in a register that lives up to here, or from here. */
static void spill_operand(spilling *s, tw__mir_operand *o, tw__mir_insn *first, tw__mir_insn *behind)
{
    const tw__mir_insn *value = node_of_operand(s, o)->remake;
    tw__mir_block *block = &s->r->f->blocks[s->block];
    tw__mir_operand old = *o;
    tw__mir_reg reg = short_reg(s, node_of_operand(s, o)->file, o->words);
    tw__mir_operand whole = tw__mir_write(reg, o->words);
    o->reg = reg, o->sub = 0;
    if (o->use & TW__MIR_WRITE && o->use & TW__MIR_READ) o->tied = reg;
    if (value) {
        whole.origin = value->operands[0].origin;
        copy_value(s, first, value, whole);
        return;
    }
    uint32_t slot = slot_of_node(s, node_of_operand(s, &old));
    if (o->use & TW__MIR_READ) tw__ra_frame_access(s->r, block, first, false, whole, slot, 4u * old.sub);
    if (o->use & TW__MIR_WRITE) tw__ra_frame_access(s->r, block, behind, true, whole, slot, 4u * old.sub);
}

/* A counter on the stack: one less unless it is 0, stored before the branch reads what it was. */
static void spill_count(spilling *s, tw__mir_insn *branch)
{
    ra *r = s->r;
    tw__mir_block *block = &r->f->blocks[s->block];
    tw__mir_operand counter = branch->operands[0];
    uint32_t slot = slot_of_node(s, node_of_operand(s, &counter));
    tw__mir_reg old = short_reg(s, TW__MIR_MAIN, 1), step = short_reg(s, TW__MIR_MAIN, 1);
    tw__ra_frame_access(r, block, branch, false, tw__mir_write(old, 1), slot, 4u * counter.sub);
    tw__mir_insn *insn = tw__mir_insert(r->mir, block, branch, TW__OP_cmpult_m, 3);
    insn->operands[0] = tw__mir_write(step, 1);
    insn->operands[1] = tw__mir_read(TW__MIR_M0 + RA_ZERO, 1);
    insn->operands[2] = tw__mir_read(old, 1);
    insn = tw__mir_insert(r->mir, block, branch, TW__OP_sub_m, 3);
    insn->operands[0] = tw__mir_write(step, 1);
    insn->operands[1] = tw__mir_read(old, 1);
    insn->operands[2] = tw__mir_read(step, 1);
    tw__ra_frame_access(r, block, branch, true, tw__mir_read(step, 1), slot, 4u * counter.sub);
    branch->op = TW__OP_brnz;
    branch->operands[0] = tw__mir_read(old, 1);
}

/* A constant is made behind the copies, which do not need it. */
static void spill_pair(spilling *s, tw__mir_operand *to, tw__mir_operand *from, tw__mir_insn *behind)
{
    const tw__mir_insn *value = is_spilled(s, from) ? node_of_operand(s, from)->remake : NULL;
    if (is_spilled(s, to)) *to = place_of_operand(s, to);
    if (!value) {
        if (is_spilled(s, from)) *from = place_of_operand(s, from);
        return;
    }
    tw__mir_operand made = *to;
    bool needs = to->kind == TW__MIR_FRAME || value->op == TW__MIR_place;
    if (needs) made = tw__mir_write(short_reg(s, node_of_operand(s, from)->file, 1), 1);
    copy_value(s, behind, value, made);
    if (to->kind == TW__MIR_FRAME) {
        tw__ra_frame_access(s->r, &s->r->f->blocks[s->block], behind, true, made, to->index, (uint32_t)to->value);
    } else if (needs) {
        tw__mir_insn *copy = tw__mir_insert(s->r->mir, &s->r->f->blocks[s->block], behind, TW__MIR_copy, 2);
        copy->operands[0] = *to;
        copy->operands[1] = tw__mir_read(made.reg, 1);
    }
    *to = *from = (tw__mir_operand){ .kind = TW__MIR_CONST }; /* nothing is left of it */
}

static void spill_copies(spilling *s, tw__mir_insn *insn)
{
    for (unsigned k = 0; k + 1 < insn->count; k += 2)
        if (is_spilled(s, &insn->operands[k]) || is_spilled(s, &insn->operands[k + 1])) {
            spill_pair(s, &insn->operands[k], &insn->operands[k + 1], insn->next);
            insn->op = TW__MIR_moves; /* also of a copy to the other file */
        }
}

static void spill_group(spilling *s, tw__mir_insn *first, tw__mir_insn *last)
{
    tw__mir_insn *behind = last->next;
    for (tw__mir_insn *insn = first;; insn = insn->next) {
        for (unsigned k = 0; k < insn->count; k++) {
            if (!is_spilled(s, &insn->operands[k])) continue;
            if (insn->op == TW__OP_brnzdec)
                spill_count(s, insn);
            else
                spill_operand(s, &insn->operands[k], first, behind);
        }
        if (insn == last) break;
    }
}

/* The one definition of a constant that is made again where it is read. */
static bool is_remade(const spilling *s, const tw__mir_insn *insn)
{
    return (insn->op == TW__MIR_value || insn->op == TW__MIR_place) && is_spilled(s, &insn->operands[0]) &&
           node_of_operand(s, &insn->operands[0])->remake == insn;
}

void tw__ra_spill(ra *r)
{
    spilling s = { .r = r, .count = r->f->vreg_count };
    s.is_spilled = RA_NEW_N(r->arena, bool, s.count);
    for (guint i = 0; i < r->spilled->len; i++) s.is_spilled[g_array_index(r->spilled, uint32_t, i)] = true;
    for (s.block = 0; s.block < r->f->block_count; s.block++)
        for (tw__mir_insn *insn = r->f->blocks[s.block].first, *next; insn; insn = next) {
            tw__mir_insn *last = ra_group_end(insn);
            next = last->next;
            if (is_remade(&s, insn))
                tw__mir_remove(&r->f->blocks[s.block], insn);
            else if (insn->op == TW__MIR_moves || insn->op == TW__MIR_copy)
                spill_copies(&s, insn);
            else
                spill_group(&s, insn, last);
        }
}
