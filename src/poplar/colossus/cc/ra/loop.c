/* SPDX-License-Identifier: MIT */
/* Counted loops of one block: constants go in front of them, pointers move on in the accesses themselves, and what
 * then is known of each access decides what may be turned round. */
#include "poplar/colossus/cc/ra/loop.h"

#include <string.h>

unsigned tw__loop_definer(const loop *l, tw__mir_reg reg)
{
    return ra_is_virtual(reg) && reg - TW__MIR_VIRTUAL < l->vregs ? l->definer[reg - TW__MIR_VIRTUAL] : 0;
}

const loop_phi *tw__loop_phi(const loop *l, tw__mir_reg reg)
{
    uint32_t v = reg - TW__MIR_VIRTUAL;
    return ra_is_virtual(reg) && v < l->vregs && l->phi_of[v] ? &l->phis[l->phi_of[v] - 1] : NULL;
}

tw__mir_reg tw__loop_read(const tw__mir_operand *o)
{
    if (o->kind != TW__MIR_REG || !(o->use & TW__MIR_READ)) return 0;
    tw__mir_reg reg = o->use & TW__MIR_WRITE ? o->tied : o->reg;
    return ra_is_virtual(reg) ? reg : 0;
}

static bool reads(const tw__mir_insn *insn, tw__mir_reg reg)
{
    for (unsigned k = 0; k < insn->count; k++)
        if (tw__loop_read(&insn->operands[k]) == reg) return true;
    return false;
}

/* --- counters down to 0 ----------------------------------------------------------------------------------------- */

static tw__mir_insn *find_phi(const tw__mir_block *block, tw__mir_reg next, uint32_t from, unsigned *entry)
{
    for (tw__mir_insn *phi = block->first; phi && phi->op == TW__MIR_phi; phi = phi->next)
        for (unsigned k = 1; phi->count == 5 && k < 5; k += 2)
            if (phi->operands[k].index == from && phi->operands[k + 1].reg == next) {
                *entry = 5 - k;
                return phi;
            }
    return NULL;
}

static const tw__mir_insn *find_definition(const tw__mir_function *f, tw__mir_reg reg, uint32_t block)
{
    for (const tw__mir_insn *insn = f->blocks[block].last; insn; insn = insn->previous)
        for (unsigned k = 0; k < insn->count; k++)
            if (insn->operands[k].kind == TW__MIR_REG && insn->operands[k].use & TW__MIR_WRITE &&
                insn->operands[k].reg == reg)
                return insn;
    return NULL;
}

/* next = count - 1; brnz next: one brnzdec, of a counter that is one less. */
static void count_down(tw__mir *mir, tw__mir_function *f, uint32_t block, const uint32_t *uses)
{
    tw__mir_insn *branch = f->blocks[block].last ? f->blocks[block].last->previous : NULL;
    if (!branch || branch->op != TW__OP_brnz || branch->operands[0].sub || !ra_is_virtual(branch->operands[0].reg))
        return;
    tw__mir_reg next = branch->operands[0].reg;
    uint32_t head = branch->operands[1].index;
    unsigned entry = 0;
    tw__mir_insn *phi = find_phi(&f->blocks[head], next, block, &entry);
    tw__mir_insn *sum = (tw__mir_insn *)find_definition(f, next, block);
    if (!phi || !sum || sum->op != TW__OP_add_s || f->blocks[head].predecessor_count != 2) return;
    tw__mir_reg count = phi->operands[0].reg;
    if (sum->operands[1].reg != count || sum->operands[2].value != -1) return;
    if (uses[next - TW__MIR_VIRTUAL] != 2 || uses[count - TW__MIR_VIRTUAL] != 1) return;
    tw__mir_operand *first = &phi->operands[entry];
    uint32_t before = phi->operands[entry - 1].index;
    const tw__mir_insn *value = find_definition(f, first->reg, before);
    bool known = value && value->op == TW__MIR_value && value->operands[1].kind == TW__MIR_CONST;
    tw__mir_reg less = tw__mir_new_reg(mir, f, TW__MIR_MAIN, 1);
    tw__mir_insn *start =
        tw__ra_at_end(mir, &f->blocks[before], known ? TW__MIR_value : TW__OP_add_s, known ? 2 : 3);
    start->operands[0] = tw__mir_write(less, 1);
    start->operands[1] = known ? tw__mir_const((uint32_t)value->operands[1].value - 1) : *first;
    if (!known) start->operands[2] = tw__mir_const(-1);
    if (known) f->blocks[block].most_rounds = (uint32_t)value->operands[1].value;
    *first = tw__mir_read(less, 1);
    tw__mir_remove(&f->blocks[block], sum);
    branch->op = TW__OP_brnzdec;
    branch->operands[0] = tw__mir_change(next, count, 1);
}

static void count_all_down(tw__mir *mir, tw__mir_function *f)
{
    uint32_t blocks = f->block_count, room = f->vreg_count;
    g_autofree uint32_t *uses = g_new0(uint32_t, room + 1);
    for (uint32_t b = 0; b < blocks; b++)
        for (const tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next)
            for (unsigned k = 0; k < insn->count; k++) {
                tw__mir_reg reg = tw__loop_read(&insn->operands[k]);
                if (reg) uses[reg - TW__MIR_VIRTUAL]++;
            }
    for (uint32_t b = 0; b < blocks; b++) count_down(mir, f, b, uses);
}

/* --- which loops ------------------------------------------------------------------------------------------------ */

/* brnzdec N = n, itself; bri out. */
static bool find_ends(loop *l, tw__mir_insn **branch)
{
    const tw__mir_block *block = &l->f->blocks[l->block];
    tw__mir_insn *out = block->last;
    if (!out || out->op != TW__OP_bri || !out->previous || out->previous->op != TW__OP_brnzdec) return false;
    *branch = out->previous;
    l->behind = out->operands[0].index;
    if ((*branch)->operands[1].index != l->block || l->behind == l->block || block->predecessor_count != 2)
        return false;
    l->before = block->predecessors[block->predecessors[0] == l->block];
    return true;
}

/* How often is a register read in the function, phis of the block and what is in the block counted apart? */
static void count_reads(const loop *l, tw__mir_reg reg, unsigned *inside, unsigned *outside)
{
    *inside = *outside = 0;
    for (uint32_t b = 0; b < l->f->block_count; b++)
        for (const tw__mir_insn *insn = l->f->blocks[b].first; insn; insn = insn->next)
            if (reads(insn, reg)) ++*(b == l->block ? inside : outside);
}

static bool find_phis(loop *l, const tw__mir_insn *branch)
{
    bool counted = false;
    for (tw__mir_insn *insn = l->f->blocks[l->block].first; insn && insn->op == TW__MIR_phi; insn = insn->next) {
        unsigned entry = insn->operands[1].index == l->block ? 4 : 2;
        loop_phi p = { .reg = insn->operands[0].reg,
                       .first = insn->operands[entry].reg,
                       .next = insn->operands[6 - entry].reg,
                       .words = insn->operands[0].words };
        if (insn->count != 5 || insn->operands[entry].sub || insn->operands[6 - entry].sub) return false;
        if (p.reg == branch->operands[0].tied) {
            unsigned inside, outside;
            count_reads(l, p.reg, &inside, &outside);
            if (p.next != branch->operands[0].reg || inside != 1 || outside) return false;
            count_reads(l, p.next, &inside, &outside);
            if (inside != 1 || outside || !ra_is_virtual(p.first)) return false;
            l->rounds = p.first, counted = true;
            continue;
        }
        if (l->phi_count == LOOP_ITEMS) return false;
        l->phis[l->phi_count++] = p;
    }
    return counted;
}

/* What may be in the body of rpt at all, and whether it is a row. */
static bool may_repeat(const tw__mir_function *f, const tw__mir_insn *insn, bool *is_row)
{
    const tw_isa_row *row = tw__mir_row(insn);
    *is_row = row != NULL;
    if (row) return !(row->flags & (TW_ISA_CONTROL | TW_ISA_SYSTEM | TW_ISA_ALONE | TW_ISA_TWO_WORDS));
    return insn->op == TW__MIR_copy || insn->op == TW__MIR_join || ra_is_constant(f, insn);
}

static void note_registers(loop *l, bool grown)
{
    if (grown) {
        l->vregs = l->f->vreg_count;
        g_free(l->definer);
        g_free(l->phi_of);
        l->definer = g_new(uint32_t, l->vregs + 1u), l->phi_of = g_new(uint32_t, l->vregs + 1u);
    }
    memset(l->definer, 0, l->vregs * sizeof *l->definer);
    memset(l->phi_of, 0, l->vregs * sizeof *l->phi_of);
    for (unsigned i = 0; i < l->phi_count; i++) l->phi_of[l->phis[i].reg - TW__MIR_VIRTUAL] = i + 1;
    for (unsigned i = 0; i < l->count; i++)
        for (unsigned k = 0; k < l->items[i].insn->count; k++) {
            const tw__mir_operand *o = &l->items[i].insn->operands[k];
            if (o->kind == TW__MIR_REG && o->use & TW__MIR_WRITE && ra_is_virtual(o->reg))
                l->definer[o->reg - TW__MIR_VIRTUAL] = i + 1;
        }
}

static bool collect_items(loop *l)
{
    l->count = 0, l->is_simple = true;
    for (tw__mir_insn *insn = l->f->blocks[l->block].first; insn; insn = insn->next) {
        if (insn->op == TW__MIR_phi || tw__mir_is_branch(insn)) continue;
        bool is_row;
        if (l->count == LOOP_ITEMS || !may_repeat(l->f, insn, &is_row)) return false;
        for (unsigned k = 0; k < insn->count; k++) { /* physical registers: arguments and the like */
            const tw__mir_operand *o = &insn->operands[k];
            if (o->kind == TW__MIR_REG && o->use & TW__MIR_WRITE && !ra_is_virtual(o->reg)) is_row = false;
        }
        l->is_simple = l->is_simple && is_row;
        const tw_isa_row *row = tw__mir_row(insn);
        l->items[l->count++] = (loop_item){ .insn = insn, .is_aux = row && row->pipe == TW_ISA_AUX };
    }
    note_registers(l, true);
    return true;
}

/* --- what does not change goes in front ------------------------------------------------------------------------- */

static bool changes(const loop *l, tw__mir_reg reg)
{
    return tw__loop_definer(l, reg) || tw__loop_phi(l, reg);
}

static bool is_constant_unit(unsigned unit) /* the worker's bases and zeros */
{
    return (unit >= RA_WORKER_BASE && unit <= RA_ZERO) || unit >= RA_A + 14;
}

/* A load from where nothing of the loop stores. */
static bool is_fixed_load(const loop *l, const tw__mir_insn *insn)
{
    if (insn->memory.use != TW__MIR_READ || insn->memory.is_volatile || !insn->memory.group) return false;
    for (unsigned i = 0; i < l->count; i++) {
        const tw__mir_memory *m = &l->items[i].insn->memory;
        if (m->use & TW__MIR_WRITE && (!m->group || m->group == insn->memory.group)) return false;
    }
    return true;
}

static bool is_fixed(const loop *l, const tw__mir_insn *insn)
{
    if (insn->memory.is_volatile || insn->has_effect) return false;
    const tw_isa_row *row = tw__mir_row(insn);
    if (row && tw__ra_has_state(insn)) return false;
    if ((insn->memory.use || (row && row->accesses[0])) && !is_fixed_load(l, insn)) return false;
    for (unsigned k = 0; k < insn->count; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG) continue;
        if (!ra_is_virtual(o->reg) && !is_constant_unit(o->reg - 1)) return false;
        if (changes(l, tw__loop_read(o))) return false;
    }
    return true;
}

static bool hoist(loop *l)
{
    bool any = false;
    for (unsigned i = 0; i < l->count; i++) {
        tw__mir_insn *insn = l->items[i].insn;
        if (!is_fixed(l, insn)) continue;
        tw__mir_insn *moved = tw__ra_at_end(l->mir, &l->f->blocks[l->before], insn->op, insn->count);
        tw__mir_insn *previous = moved->previous, *next = moved->next;
        size_t bytes = sizeof *insn + insn->count * sizeof *insn->operands;
        memcpy(moved, insn, bytes);
        moved->previous = previous, moved->next = next;
        tw__mir_remove(&l->f->blocks[l->block], insn);
        memmove(&l->items[i], &l->items[i + 1], (l->count - i - 1) * sizeof *l->items);
        l->count--, i--, any = true;
        note_registers(l, false);
    }
    return any;
}

/* --- pointers --------------------------------------------------------------------------------------------------- */

static const struct {
    uint16_t row, step;
    uint8_t size, base; /* bytes; operand of the base */
    bool indexed;       /* the last operand is a register */
} steps[] = {
    { TW__OP_ld32_mz, TW__OP_ld32step_ms, 4, 1, false }, { TW__OP_ld32_az, TW__OP_ld32step_as, 4, 1, false },
    { TW__OP_ld64_z, TW__OP_ld64step_s, 8, 1, false },   { TW__OP_ld128_z, TW__OP_ld128step_s, 16, 1, false },
    { TW__OP_ldb16_z, TW__OP_ldb16step_s, 2, 1, false }, { TW__OP_lds16_z, TW__OP_lds16step_s, 2, 1, false },
    { TW__OP_ldz16_z, TW__OP_ldz16step_s, 2, 1, false }, { TW__OP_lds8_z, TW__OP_lds8step_s, 1, 1, false },
    { TW__OP_ldz8_z, TW__OP_ldz8step_s, 1, 1, false },   { TW__OP_ldb8_z, TW__OP_ldb8step_s, 1, 1, false },
    { TW__OP_st32_mz, TW__OP_st32step_ms, 4, 1, false }, { TW__OP_st32_az, TW__OP_st32step_as, 4, 1, false },
    { TW__OP_st64_z, TW__OP_st64step_s, 8, 1, false },   { TW__OP_ld32_m, TW__OP_ld32step_ms, 4, 1, true },
    { TW__OP_ld32_a, TW__OP_ld32step_as, 4, 1, true },   { TW__OP_ld64_r, TW__OP_ld64step_s, 8, 1, true },
    { TW__OP_ld128_r, TW__OP_ld128step_s, 16, 1, true }, { TW__OP_ldb16_r, TW__OP_ldb16step_s, 2, 1, true },
    { TW__OP_lds16_r, TW__OP_lds16step_s, 2, 1, true },  { TW__OP_ldz16_r, TW__OP_ldz16step_s, 2, 1, true },
    { TW__OP_lds8_r, TW__OP_lds8step_s, 1, 1, true },    { TW__OP_ldz8_r, TW__OP_ldz8step_s, 1, 1, true },
    { TW__OP_ldb8_r, TW__OP_ldb8step_s, 1, 1, true },    { TW__OP_st32_a, TW__OP_st32step_as, 4, 1, true },
    { TW__OP_st64_r, TW__OP_st64step_s, 8, 1, true },    { TW__OP_stm32, TW__OP_st32step_ms, 4, 1, true },
};

static int step_of(const tw__mir_insn *insn)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++)
        if (steps[i].row == insn->op) return (int)i;
    return -1;
}

/* What a phi grows by each round: its next value is the sum of itself and a constant. */
static bool grows_by(const loop *l, const loop_phi *p, int64_t *by)
{
    unsigned item = tw__loop_definer(l, p->next);
    if (!item) return false;
    const tw__mir_insn *insn = l->items[item - 1].insn;
    if ((insn->op != TW__OP_add_s && insn->op != TW__OP_add_z) || insn->operands[1].reg != p->reg ||
        insn->operands[2].kind != TW__MIR_CONST)
        return false;
    *by = insn->operands[2].value;
    return true;
}

static bool is_zero_operand(const tw__mir_operand *o)
{
    return o->kind == TW__MIR_REG && o->reg == TW__MIR_M0 + RA_ZERO;
}

/* A pointer of a loop: loads, or stores, with this base, and this index where they have one. */
typedef struct pointer {
    tw__mir_reg base, index;
    int64_t by; /* bytes each round */
    unsigned size;
    bool stores;
} pointer;

static bool pointer_of(const loop *l, const tw__mir_insn *insn, pointer *p, int64_t *offset)
{
    int step = step_of(insn);
    if (step < 0 || insn->memory.is_volatile) return false;
    const tw__mir_operand *o = insn->operands, *last = &o[insn->count - 1];
    if (insn->count == 4 && !is_zero_operand(&o[2])) return false;
    *p = (pointer){ .base = o[1].reg, .size = steps[step].size, .stores = o[0].use == TW__MIR_READ };
    *offset = 0;
    if (!ra_is_virtual(p->base) || o[1].sub) return false;
    const loop_phi *moving = NULL;
    if (steps[step].indexed) {
        p->index = last->reg;
        if (last->sub || changes(l, p->base) || !(moving = tw__loop_phi(l, p->index))) return false;
    } else {
        if (last->kind != TW__MIR_CONST || !(moving = tw__loop_phi(l, p->base))) return false;
        *offset = last->value * p->size;
    }
    if (!grows_by(l, moving, &p->by)) return false;
    if (p->index) p->by *= p->size;
    return true;
}

/* The same addresses, whatever is done there. */
static bool same_addresses(const pointer *a, const pointer *b)
{
    return a->base == b->base && a->index == b->index && (!a->index || a->size == b->size);
}

static bool is_member(const loop *l, unsigned item, const pointer *p, int64_t *offset)
{
    pointer other;
    return pointer_of(l, l->items[item].insn, &other, offset) && same_addresses(p, &other) &&
           other.stores == p->stores;
}

const tw__mir_insn *tw__loop_definition(const tw__mir_function *f, tw__mir_reg reg)
{
    const tw__mir_insn *found = NULL;
    for (uint32_t b = 0; b < f->block_count && !found; b++) found = find_definition(f, reg, b);
    return found;
}

static bool is_known_zero(const loop *l, tw__mir_reg reg)
{
    const tw__mir_insn *insn = tw__loop_definition(l->f, reg);
    return insn && insn->op == TW__MIR_value && insn->operands[1].kind == TW__MIR_CONST && !insn->operands[1].value;
}

static tw__mir_reg before_loop(loop *l, unsigned op, tw__mir_reg x, tw__mir_operand y)
{
    tw__mir_reg to = tw__mir_new_reg(l->mir, l->f, TW__MIR_MAIN, 1);
    tw__mir_insn *insn = tw__ra_at_end(l->mir, &l->f->blocks[l->before], op, 3);
    insn->operands[0] = tw__mir_write(to, 1);
    insn->operands[1] = tw__mir_read(x, 1), insn->operands[2] = y;
    return to;
}

/* Where the accesses through one pointer start: base + index * size + offset, calculated in front of the loop. */
static tw__mir_reg first_address(loop *l, const pointer *p, int64_t offset)
{
    tw__mir_reg sum = p->index ? p->base : tw__loop_phi(l, p->base)->first;
    tw__mir_reg index = p->index ? tw__loop_phi(l, p->index)->first : 0;
    if (index && !is_known_zero(l, index)) {
        unsigned shift = (unsigned)g_bit_nth_lsf(p->size, -1);
        if (shift) index = before_loop(l, TW__OP_shl_z, index, tw__mir_const(shift));
        sum = before_loop(l, TW__OP_add_m, sum, tw__mir_read(index, 1));
    }
    return offset ? before_loop(l, TW__OP_add_s, sum, tw__mir_const(offset)) : sum;
}

static void with_step(loop *l, unsigned at, int64_t bytes, tw__mir_reg from, tw__mir_reg to)
{
    tw__mir_block *block = &l->f->blocks[l->block];
    tw__mir_insn *old = l->items[at].insn;
    tw__mir_insn *insn = tw__mir_insert(l->mir, block, old, steps[step_of(old)].step, 4);
    insn->memory = old->memory;
    insn->operands[0] = old->operands[0];
    insn->operands[1] = tw__mir_read(TW__MIR_M0 + RA_ZERO, 1);
    insn->operands[2] = tw__mir_change(to, from, 1);
    insn->operands[3] = tw__mir_const(bytes / steps[step_of(old)].size);
    tw__mir_remove(block, old);
    l->items[at].insn = insn;
}

/* A row with a constant offset for one with an index. */
static unsigned constant_row(unsigned op)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++)
        for (unsigned k = 0; steps[i].row == op && k < G_N_ELEMENTS(steps); k++)
            if (!steps[k].indexed && steps[k].step == steps[i].step) return steps[k].row;
    return op;
}

static void read_through(loop *l, unsigned at, tw__mir_reg from, int64_t offset)
{
    tw__mir_insn *old = l->items[at].insn;
    tw__mir_block *block = &l->f->blocks[l->block];
    unsigned size = steps[step_of(old)].size;
    tw__mir_insn *insn = tw__mir_insert(l->mir, block, old, constant_row(old->op), 4);
    insn->memory = old->memory;
    insn->operands[0] = old->operands[0];
    insn->operands[1] = tw__mir_read(from, 1);
    insn->operands[2] = tw__mir_read(TW__MIR_M0 + RA_ZERO, 1);
    insn->operands[3] = tw__mir_const(offset / size);
    tw__mir_remove(block, old);
    l->items[at].insn = insn;
}

static void add_phi(loop *l, const pointer *p, int64_t offset, tw__mir_reg reg, tw__mir_reg first, tw__mir_reg next)
{
    tw__mir_block *block = &l->f->blocks[l->block];
    tw__mir_insn *phi = tw__mir_insert(l->mir, block, block->first, TW__MIR_phi, 5);
    phi->operands[0] = tw__mir_write(reg, 1);
    phi->operands[1] = tw__mir_to(l->before), phi->operands[2] = tw__mir_read(first, 1);
    phi->operands[3] = tw__mir_to(l->block), phi->operands[4] = tw__mir_read(next, 1);
    l->phis[l->phi_count++] = (loop_phi){ .reg = reg,
                                          .first = first,
                                          .next = next,
                                          .words = 1,
                                          .base = p->base,
                                          .index = p->index,
                                          .size = p->index ? p->size : 0,
                                          .offset = offset };
}

/* Can an access move its pointer by so many bytes? */
static bool may_step(const loop *l, unsigned at, int64_t bytes)
{
    int64_t size = steps[step_of(l->items[at].insn)].size;
    return bytes % size == 0 && bytes / size >= -128 && bytes / size <= 127;
}

/* Several accesses through one pointer: each moves it on to where the next one goes, so that one register is enough.
 * false: one of them cannot. */
static bool step_in_turn(loop *l, const pointer *p)
{
    unsigned members[LOOP_ITEMS], count = 0;
    int64_t offsets[LOOP_ITEMS + 1];
    for (unsigned i = 0; i < l->count; i++)
        if (is_member(l, i, p, &offsets[count])) members[count++] = i;
    if (count < 2 || offsets[0] > 32767 || offsets[0] < -32768) return false;
    offsets[count] = offsets[0] + p->by;
    for (unsigned i = 0; i < count; i++)
        if (!may_step(l, members[i], offsets[i + 1] - offsets[i])) return false;
    tw__mir_reg from = tw__mir_new_reg(l->mir, l->f, TW__MIR_MAIN, 1), at = from,
                first = first_address(l, p, offsets[0]);
    for (unsigned i = 0; i < count; i++) {
        int64_t bytes = offsets[i + 1] - offsets[i];
        tw__mir_reg to = bytes ? tw__mir_new_reg(l->mir, l->f, TW__MIR_MAIN, 1) : at;
        if (bytes)
            with_step(l, members[i], bytes, at, to);
        else
            read_through(l, members[i], at, 0);
        at = to;
    }
    add_phi(l, p, offsets[0], from, first, at);
    return true;
}

/* One pointer for the loads, and one for the stores, of one base and index: each moves it on, or the access with
 * the lowest offset does and the others read what it was. */
static bool step_pointer(loop *l, unsigned one)
{
    pointer p;
    int64_t offset, lowest = INT64_MAX;
    unsigned mover = one;
    if (l->phi_count == LOOP_ITEMS || !pointer_of(l, l->items[one].insn, &p, &offset)) return false;
    if (p.by && step_in_turn(l, &p)) return true;
    for (unsigned i = 0; i < l->count; i++)
        if (is_member(l, i, &p, &offset) && offset <= lowest) lowest = offset, mover = i;
    p.size = steps[step_of(l->items[mover].insn)].size;
    if (!p.by || p.by % p.size || p.by / p.size < -128 || p.by / p.size > 127 || lowest > 32767) return false;
    for (unsigned i = 0; i < l->count; i++) /* whole elements from the mover on */
        if (is_member(l, i, &p, &offset) && (offset - lowest) % steps[step_of(l->items[i].insn)].size) return false;
    tw__mir_reg from = tw__mir_new_reg(l->mir, l->f, TW__MIR_MAIN, 1),
                to = tw__mir_new_reg(l->mir, l->f, TW__MIR_MAIN, 1);
    tw__mir_reg first = first_address(l, &p, lowest);
    for (unsigned i = 0; i < l->count; i++)
        if (i != mover && is_member(l, i, &p, &offset)) read_through(l, i, from, offset - lowest);
    with_step(l, mover, p.by, from, to);
    add_phi(l, &p, lowest, from, first, to);
    return true;
}

/* Counters that only count themselves. */
static bool drop_counters(loop *l)
{
    for (unsigned i = 0; i < l->phi_count; i++) {
        loop_phi *p = &l->phis[i];
        unsigned item = tw__loop_definer(l, p->next), inside, outside, next_inside, next_outside;
        if (!item || p->reg == p->next) continue;
        tw__mir_insn *sum = l->items[item - 1].insn;
        if (sum->memory.use || !tw__mir_row(sum) || tw__ra_has_state(sum) || tw__mir_row(sum)->accesses[0])
            continue;
        count_reads(l, p->reg, &inside, &outside);
        count_reads(l, p->next, &next_inside, &next_outside);
        if (outside || next_outside || inside != 1 || next_inside != 1 || !reads(sum, p->reg)) continue;
        tw__mir_remove(&l->f->blocks[l->block], sum);
        for (tw__mir_insn *phi = l->f->blocks[l->block].first; phi; phi = phi->next)
            if (phi->op == TW__MIR_phi && phi->operands[0].reg == p->reg) {
                tw__mir_remove(&l->f->blocks[l->block], phi);
                break;
            }
        memmove(p, p + 1, (l->phi_count - i - 1) * sizeof *p);
        l->phi_count--;
        return true;
    }
    return false;
}

/* --- what is known of accesses ---------------------------------------------------------------------------------- */

/* The phi that a pointer comes from by the steps of accesses, and how far they go; NULL: it comes from elsewhere. */
static const loop_phi *stepped_from(const loop *l, tw__mir_reg reg, int64_t *by)
{
    *by = 0;
    for (unsigned left = l->count; !tw__loop_phi(l, reg); left--) {
        unsigned definer = tw__loop_definer(l, reg);
        const tw__mir_insn *step = definer && left ? l->items[definer - 1].insn : NULL;
        if (!step || step->count != 4 || !(step->operands[2].use & TW__MIR_WRITE) || step->operands[2].reg != reg ||
            step->operands[3].kind != TW__MIR_CONST)
            return NULL;
        *by += step->operands[3].value * (tw__mir_row(step)->accesses[0] & (TW_ISA_STORE - 1u));
        reg = step->operands[2].tied;
    }
    return tw__loop_phi(l, reg);
}

/* By how much the address grows that accesses step. */
static bool stepped_by(const loop *l, const loop_phi *phi, int64_t *by)
{
    return stepped_from(l, phi->next, by) == phi;
}

static void note_access(loop *l, loop_item *item)
{
    const tw__mir_insn *insn = item->insn;
    const tw_isa_row *row = tw__mir_row(insn);
    item->access = (loop_access){ 0 };
    if (!row || !row->accesses[0] || row->accesses[1] || insn->count != 4) return;
    unsigned size = row->accesses[0] & (TW_ISA_STORE - 1u);
    const tw__mir_operand *o = insn->operands;
    bool is_step = o[2].use & TW__MIR_WRITE;
    tw__mir_reg root = is_step ? o[2].tied : o[1].reg;
    if (is_step ? !is_zero_operand(&o[1]) : !is_zero_operand(&o[2]) || o[3].kind != TW__MIR_CONST) return;
    int64_t by = 0, moved;
    const loop_phi *phi = stepped_from(l, root, &moved);
    if (phi ? !grows_by(l, phi, &by) && !stepped_by(l, phi, &by) : tw__loop_definer(l, root) != 0) return;
    if (phi) root = phi->reg;
    item->access = (loop_access){
        .root = root, .offset = moved + (is_step ? 0 : o[3].value * size), .stride = by, .size = size
    };
    if (!phi || !phi->base) return;
    item->access.root = phi->base, item->access.index = phi->index, item->access.scale = phi->size;
    item->access.offset += phi->offset;
}

/* --- all loops -------------------------------------------------------------------------------------------------- */

static bool is_wanted(const loop *l)
{
    return l->f->blocks[l->block].first && l->f->blocks[l->block].successor_count == 2;
}

static void improve_loop(loop *l, GRand *random)
{
    tw__mir_insn *branch;
    if (!is_wanted(l) || !find_ends(l, &branch) || !find_phis(l, branch) || !collect_items(l)) return;
    while (hoist(l)) continue;
    for (unsigned i = l->count; i-- > 0;)
        if (step_pointer(l, i)) note_registers(l, true);
    if (!collect_items(l)) return;
    while (drop_counters(l))
        if (!collect_items(l)) return;
    if (!l->count) return;
    for (unsigned i = 0; i < l->count; i++) note_access(l, &l->items[i]);
    if (l->is_simple && tw__loop_schedule(l, random))
        tw__loop_pipeline(l);
    else
        tw__loop_repeat(l);
    tw__mir_link(l->mir, l->f);
}

void tw__ra_counted(tw__mir *mir, tw__mir_function *f, const tw__ra_options *options)
{
    if (f->in_supervisor || f->context == TW__MIR_SUPERVISOR) return; /* rpt is for workers */
    GRand *random = options->seed ? g_rand_new_with_seed(options->seed) : NULL;
    uint32_t blocks = f->block_count;
    count_all_down(mir, f);
    for (uint32_t b = 0; b < blocks; b++) {
        loop l = { .mir = mir, .f = f, .block = b };
        improve_loop(&l, random);
        g_free(l.definer);
        g_free(l.phi_of);
    }
    if (random) g_rand_free(random);
}
