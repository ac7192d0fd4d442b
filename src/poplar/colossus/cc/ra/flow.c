/* SPDX-License-Identifier: MIT */
/* Blocks: what cannot be reached or is not read goes, how often they run, branches between them. */
#include "poplar/colossus/cc/ra/ra.h"

#include <string.h>

/* --- what nobody needs (SSA) ------------------------------------------------------------------------------------ */

/* Rows that work on accumulators, random state or control registers stand last in the table. */
bool tw__ra_has_state(const tw__mir_insn *insn)
{
    const tw_isa_row *row = tw__mir_row(insn);
    return insn->has_effect || !row || insn->op >= TW__OP_f16v2cmac ||
           row->flags & (TW_ISA_CONTROL | TW_ISA_SYSTEM);
}

static bool is_removable(const tw__mir_insn *insn)
{
    const tw_isa_row *row = tw__mir_row(insn);
    if (insn->memory.use & TW__MIR_WRITE || insn->memory.is_volatile || insn->has_effect) return false;
    if (row ? tw__ra_has_state(insn) : insn->op > TW__MIR_place) return false;
    for (unsigned k = 0; row && k < TW_ISA_ACCESSES; k++)
        if (row->accesses[k] & TW_ISA_STORE) return false;
    return true;
}

/* Reads of each virtual register; instructions that only make what is never read are removed, last ones first, until
 * nothing changes. */
static void count_uses(const tw__mir_insn *insn, uint32_t *uses, uint32_t step)
{
    for (unsigned k = 0; k < insn->count; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG || !(o->use & TW__MIR_READ)) continue;
        tw__mir_reg reg = o->use & TW__MIR_WRITE ? o->tied : o->reg;
        if (ra_is_virtual(reg)) uses[reg - TW__MIR_VIRTUAL] += step;
    }
}

static bool is_needed(const tw__mir_insn *insn, const uint32_t *uses)
{
    bool writes = false;
    for (unsigned k = 0; k < insn->count; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG || !(o->use & TW__MIR_WRITE)) continue;
        writes = true;
        if (!ra_is_virtual(o->reg) || uses[o->reg - TW__MIR_VIRTUAL]) return true;
    }
    return !writes || !is_removable(insn);
}

static void remove_unread(tw__mir_function *f)
{
    g_autofree uint32_t *uses = g_new0(uint32_t, f->vreg_count + 1);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next) count_uses(insn, uses, 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = f->block_count; b-- > 0;)
            for (tw__mir_insn *insn = f->blocks[b].last, *before; insn; insn = before) {
                before = insn->previous;
                if (insn->is_aux_partner || (insn->next && insn->next->is_aux_partner) || is_needed(insn, uses))
                    continue;
                count_uses(insn, uses, (uint32_t)-1);
                tw__mir_remove(&f->blocks[b], insn);
                changed = true;
            }
    }
}

static void drop_sources(tw__mir_function *f, uint32_t block, uint32_t gone)
{
    for (tw__mir_insn *phi = f->blocks[block].first; phi && phi->op == TW__MIR_phi; phi = phi->next)
        for (unsigned k = 1; k < phi->count; k += 2)
            if (phi->operands[k].index == gone) {
                memmove(&phi->operands[k], &phi->operands[k + 2], (phi->count - k - 2u) * sizeof *phi->operands);
                phi->count = (uint16_t)(phi->count - 2);
                break;
            }
}

static void remove_unreachable(tw__mir *mir, tw__mir_function *f)
{
    uint32_t count, *order = tw__mir_order(mir, f, &count);
    g_autofree bool *reached = g_new0(bool, f->block_count + 1);
    for (uint32_t i = 0; i < count; i++) reached[order[i]] = true;
    for (uint32_t b = 0; b < f->block_count; b++) {
        tw__mir_block *block = &f->blocks[b];
        if (reached[b]) continue;
        for (uint32_t i = 0; i < block->successor_count; i++)
            if (reached[block->successors[i]]) drop_sources(f, block->successors[i], b);
        block->first = block->last = NULL;
        block->successor_count = 0;
    }
    tw__mir_link(mir, f);
}

/* --- copies (SSA) ----------------------------------------------------------------------------------------------- */

/* What a register is a copy of: another one of its file, or a base that nobody can write. */
static const tw__mir_operand *copied(const tw__mir_function *f, const tw__mir_insn *copy)
{
    const tw__mir_operand *to = &copy->operands[0], *from = &copy->operands[1];
    if (copy->op != TW__MIR_copy || !ra_is_virtual(to->reg)) return NULL;
    unsigned file = f->vregs[to->reg - TW__MIR_VIRTUAL].file;
    if (!ra_is_virtual(from->reg)) {
        unsigned unit = from->reg - 1;
        bool is_base = unit == RA_WORKER_BASE || unit == RA_WORKER_BASE + 1;
        return is_base && file == TW__MIR_MAIN && from->words == 1 ? from : NULL;
    }
    return f->vregs[from->reg - TW__MIR_VIRTUAL].file == file ? from : NULL;
}

static void read_source(const tw__mir_operand **sources, tw__mir_insn *insn, tw__mir_operand *o)
{
    tw__mir_reg *reg = o->use & TW__MIR_WRITE ? &o->tied : &o->reg;
    for (unsigned steps = 0; steps < 100 && ra_is_virtual(*reg); steps++) {
        const tw__mir_operand *from = sources[*reg - TW__MIR_VIRTUAL];
        bool fixed = o->use & TW__MIR_WRITE || insn->op >= TW__OP_COUNT; /* a phi, a copy: wants a virtual one */
        if (!from || (fixed && !ra_is_virtual(from->reg)) || (o->use & TW__MIR_WRITE && from->sub)) return;
        *reg = from->reg;
        o->sub = (uint8_t)(o->sub + from->sub);
    }
}

static void read_through_copies(tw__mir_function *f)
{
    g_autofree const tw__mir_operand **sources = g_new0(const tw__mir_operand *, f->vreg_count + 1);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (const tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next)
            if (copied(f, insn)) sources[insn->operands[0].reg - TW__MIR_VIRTUAL] = copied(f, insn);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next)
            for (unsigned k = 0; k < insn->count; k++)
                if (insn->operands[k].kind == TW__MIR_REG && insn->operands[k].use & TW__MIR_READ)
                    read_source(sources, insn, &insn->operands[k]);
}

void tw__ra_clean(tw__mir *mir, tw__mir_function *f)
{
    remove_unreachable(mir, f);
    read_through_copies(f);
    remove_unread(f);
}

/* --- how often -------------------------------------------------------------------------------------------------- */

/* Blocks of the loop that goes from `back` to `head`, once deeper each. */
static void deepen(const tw__mir_function *f, uint32_t head, uint32_t back, uint32_t *seen, uint32_t mark)
{
    g_autofree uint32_t *stack = g_new(uint32_t, f->block_count + 1);
    uint32_t depth = 0;
    if (seen[head] != mark) seen[head] = mark, f->blocks[head].loop_depth++;
    if (seen[back] != mark) seen[back] = mark, f->blocks[back].loop_depth++, stack[depth++] = back;
    while (depth) {
        const tw__mir_block *block = &f->blocks[stack[--depth]];
        for (uint32_t k = 0; k < block->predecessor_count; k++) {
            uint32_t p = block->predecessors[k];
            if (seen[p] == mark) continue;
            seen[p] = mark, f->blocks[p].loop_depth++;
            stack[depth++] = p;
        }
    }
}

static bool dominates(const uint32_t *dominators, uint32_t a, uint32_t b)
{
    while (b != a && b != UINT32_MAX) b = dominators[b];
    return b == a;
}

/* Selection's frequencies, or eight rounds for each loop. */
void tw__ra_loops(tw__mir *mir, tw__mir_function *f, uint32_t *frequencies)
{
    uint32_t *dominators = tw__mir_dominators(mir, f);
    g_autofree uint32_t *seen = g_new0(uint32_t, f->block_count + 1);
    bool known = false;
    for (uint32_t b = 0; b < f->block_count; b++) {
        f->blocks[b].loop_depth = 0;
        known = known || f->blocks[b].frequency != 16;
    }
    for (uint32_t head = 0; head < f->block_count; head++)
        for (uint32_t k = 0; k < f->blocks[head].predecessor_count; k++) {
            uint32_t back = f->blocks[head].predecessors[k];
            if ((back == 0 || dominators[back] != UINT32_MAX) && dominates(dominators, head, back))
                deepen(f, head, back, seen, head + 1);
        }
    for (uint32_t b = 0; b < f->block_count; b++)
        frequencies[b] = known ? f->blocks[b].frequency : 16u << 3 * MIN(f->blocks[b].loop_depth, 6);
}

/* --- branches --------------------------------------------------------------------------------------------------- */

static uint32_t final_target(const tw__mir_function *f, uint32_t to)
{
    for (unsigned steps = 0; steps < 16; steps++) {
        const tw__mir_insn *first = f->blocks[to].first;
        if (!first || first->op != TW__OP_bri || first->operands[0].kind != TW__MIR_BLOCK) return to;
        if (first->operands[0].index == to) return to;
        to = first->operands[0].index;
    }
    return to;
}

static void thread_branches(tw__mir *mir, tw__mir_function *f)
{
    for (uint32_t b = 0; b < f->block_count; b++) {
        tw__mir_block *block = &f->blocks[b];
        block->successor_count = 0, block->successors = NULL;
        if (block->is_repeated) tw__mir_add_successor(mir, block, b);
        if (block->goes_on) tw__mir_add_successor(mir, block, block->goes_on - 1);
        for (tw__mir_insn *insn = block->last; insn && tw__mir_is_branch(insn); insn = insn->previous)
            for (unsigned k = 0; k < insn->count; k++) {
                if (insn->operands[k].kind != TW__MIR_BLOCK) continue;
                insn->operands[k].index = final_target(f, insn->operands[k].index);
                tw__mir_add_successor(mir, block, insn->operands[k].index);
            }
    }
    remove_unreachable(mir, f);
}

static unsigned opposite(unsigned op)
{
    switch (op) {
    case TW__OP_brz: return TW__OP_brnz;
    case TW__OP_brnz: return TW__OP_brz;
    case TW__OP_brneg: return TW__OP_brpos;
    case TW__OP_brpos: return TW__OP_brneg;
    default: return 0;
    }
}

static bool goes_to(const tw__mir_insn *insn, unsigned k, uint32_t block)
{
    return insn && insn->operands[k].kind == TW__MIR_BLOCK && insn->operands[k].index == block;
}

/* Branches to the next block of the text fall away. */
static void fall_through(tw__mir_block *block, uint32_t next)
{
    tw__mir_insn *last = block->last, *before = last ? last->previous : NULL;
    if (!last || last->op != TW__OP_bri) return;
    bool conditional = before && tw__mir_is_branch(before) && before->count == 2;
    if (goes_to(last, 0, next)) {
        tw__mir_remove(block, last);
        if (conditional && goes_to(before, 1, next) && before->op != TW__OP_brnzdec) tw__mir_remove(block, before);
    } else if (conditional && opposite(before->op) && goes_to(before, 1, next)) {
        before->op = (uint16_t)opposite(before->op);
        before->operands[1] = last->operands[0];
        tw__mir_remove(block, last);
    }
}

/* --- order of blocks -------------------------------------------------------------------------------------------- */

/* Where a block would best go on: what has to stand behind it, else where it ends up. */
static uint32_t next_block(const tw__mir_function *f, uint32_t b, const bool *placed)
{
    const tw__mir_block *block = &f->blocks[b];
    if (block->goes_on) return block->goes_on - 1;
    const tw__mir_insn *last = block->last;
    if (last && last->op == TW__OP_bri && last->operands[0].kind == TW__MIR_BLOCK &&
        !placed[last->operands[0].index])
        return last->operands[0].index;
    const tw__mir_insn *before = last ? last->previous : NULL; /* the other way may be turned round */
    if (last && last->op == TW__OP_bri && before && opposite(before->op) &&
        before->operands[1].kind == TW__MIR_BLOCK && !placed[before->operands[1].index])
        return before->operands[1].index;
    return UINT32_MAX;
}

static bool stands_behind(const tw__mir_function *f, uint32_t b)
{
    for (uint32_t i = 0; i < f->blocks[b].predecessor_count; i++) {
        uint32_t p = f->blocks[b].predecessors[i];
        if (p != b && f->blocks[p].goes_on == b + 1) return true;
    }
    return false;
}

static void order_blocks(tw__mir *mir, tw__mir_function *f)
{
    g_autofree bool *placed = g_new0(bool, f->block_count + 1);
    f->order = tw__ra_zalloc(mir->arena, f->block_count + 1u, sizeof *f->order);
    f->order_count = 0;
    for (uint32_t start = 0; start < f->block_count; start++) {
        bool reached = start == 0 || f->blocks[start].predecessor_count;
        if (placed[start] || !reached || stands_behind(f, start)) continue;
        for (uint32_t b = start; b != UINT32_MAX && !placed[b]; b = next_block(f, b, placed)) {
            bool wrong =
                b != start && stands_behind(f, b) && f->blocks[f->order[f->order_count - 1]].goes_on != b + 1;
            if (wrong) break;
            placed[b] = true;
            f->order[f->order_count++] = b;
        }
    }
}

void tw__ra_flow(tw__mir *mir, tw__mir_function *f)
{
    thread_branches(mir, f);
    order_blocks(mir, f);
    for (uint32_t i = f->order_count; i-- > 0;)
        fall_through(&f->blocks[f->order[i]], i + 1 < f->order_count ? f->order[i + 1] : UINT32_MAX);
}
