/* SPDX-License-Identifier: MIT */
/* Code of counted loops: rpt around the body as it is, or around turns of several rounds at once, with what fills the
 * pipeline in front and what drains it behind; then too few rounds take the loop as it was. No instruction runs more
 * often than in the loop as written, so that nothing is calculated from values behind the data. */
#include "poplar/colossus/cc/ra/loop.h"

#include <string.h>

typedef struct pipeline {
    loop *l;
    uint32_t check, fill, kernel, drain;
    tw__mir_reg *filled;  /* by stage and virtual register: what the filling makes of it in round `stage` */
    tw__mir_reg *current; /* by virtual register: what the kernel makes */
    tw__mir_reg *former;  /* what it made the round before: phis of the kernel */
    tw__mir_reg *drained; /* by age and virtual register */
} pipeline;

static tw__mir_block *loop_block(const loop *l, uint32_t block)
{
    return &l->f->blocks[block];
}

static uint32_t new_block(loop *l, uint32_t frequency)
{
    uint32_t block = tw__mir_new_block(l->mir, l->f);
    loop_block(l, block)->frequency = frequency;
    return block;
}

static void go_to(loop *l, uint32_t from, uint32_t to)
{
    tw__mir_append(l->mir, loop_block(l, from), TW__OP_bri, 1)->operands[0] = tw__mir_to(to);
    tw__mir_add_successor(l->mir, loop_block(l, from), to);
}

static void go_on(loop *l, uint32_t from, uint32_t to)
{
    loop_block(l, from)->goes_on = to + 1;
    tw__mir_add_successor(l->mir, loop_block(l, from), to);
}

static tw__mir_reg main_insn(loop *l, uint32_t block, unsigned op, tw__mir_operand x, tw__mir_operand y)
{
    tw__mir_reg reg = tw__mir_new_reg(l->mir, l->f, TW__MIR_MAIN, 1);
    tw__mir_insn *insn = tw__mir_append(l->mir, loop_block(l, block), op, 3);
    insn->operands[0] = tw__mir_write(reg, 1);
    insn->operands[1] = x, insn->operands[2] = y;
    return reg;
}

static tw__mir_insn *put_phi(loop *l, uint32_t block, tw__mir_reg reg, unsigned words, uint32_t from,
                             tw__mir_reg one, uint32_t other_from, tw__mir_reg other)
{
    tw__mir_block *b = loop_block(l, block);
    tw__mir_insn *phi =
        b->first ? tw__mir_insert(l->mir, b, b->first, TW__MIR_phi, 5) : tw__mir_append(l->mir, b, TW__MIR_phi, 5);
    phi->operands[0] = tw__mir_write(reg, words);
    phi->operands[1] = tw__mir_to(from), phi->operands[2] = tw__mir_read(one, words);
    phi->operands[3] = tw__mir_to(other_from), phi->operands[4] = tw__mir_read(other, words);
    return phi;
}

static tw__mir_reg twin(loop *l, tw__mir_reg reg)
{
    const tw__mir_vreg *v = &l->f->vregs[reg - TW__MIR_VIRTUAL];
    return tw__mir_new_reg(l->mir, l->f, (tw__mir_file)v->file, v->words);
}

/* Rounds less one, plus a number: what was added in front of the loop is taken together with it. */
static tw__mir_reg rounds_and(loop *l, uint32_t block, int64_t number)
{
    tw__mir_reg from = l->rounds;
    const tw__mir_insn *sum = tw__loop_definition(l->f, from);
    if (sum && sum->op == TW__OP_add_s && sum->operands[2].kind == TW__MIR_CONST && !sum->operands[1].sub &&
        ra_is_virtual(sum->operands[1].reg)) {
        from = sum->operands[1].reg;
        number += sum->operands[2].value;
    }
    return number ? main_insn(l, block, TW__OP_add_s, tw__mir_read(from, 1), tw__mir_const(number)) : from;
}

/* --- rpt -------------------------------------------------------------------------------------------------------- */

static unsigned most_repeats(const loop *l)
{
    return l->mir->arch == TW_ISA_IPU1 ? 4095 : 65535; /* the field of $REPEAT_COUNT */
}

static void put_repeat(loop *l, uint32_t block, tw__mir_reg rounds, uint32_t body)
{
    tw__mir_insn *rpt = tw__mir_append(l->mir, loop_block(l, block), TW__OP_rpt_m, 2);
    rpt->operands[0] = tw__mir_read(rounds, 1);
    rpt->operands[1] = tw__mir_const(0); /* tw__ra_repeats() */
    go_on(l, block, body);
}

/* Rounds that the field may not hold: `body`, whose phis come from `entry`, runs in portions. */
static void put_portions(loop *l, uint32_t entry, tw__mir_reg rounds, uint32_t body, uint32_t behind)
{
    uint32_t head = new_block(l, loop_block(l, entry)->frequency),
             tail = new_block(l, loop_block(l, entry)->frequency);
    unsigned most = most_repeats(l);
    tw__mir_reg left = tw__mir_new_reg(l->mir, l->f, TW__MIR_MAIN, 1);
    tw__mir_insn *value = tw__mir_append(l->mir, loop_block(l, entry), TW__MIR_value, 2);
    tw__mir_reg limit = tw__mir_new_reg(l->mir, l->f, TW__MIR_MAIN, 1);
    value->operands[0] = tw__mir_write(limit, 1), value->operands[1] = tw__mir_const(most);
    go_to(l, entry, head);
    tw__mir_reg portion = tw__mir_new_reg(l->mir, l->f, TW__MIR_MAIN, 1);
    tw__mir_reg over = main_insn(l, head, TW__OP_shr_z, tw__mir_read(left, 1), tw__mir_const(g_bit_storage(most)));
    tw__mir_insn *choose = tw__mir_append(l->mir, loop_block(l, head), TW__OP_movz, 3);
    choose->operands[0] = tw__mir_change(portion, left, 1);
    choose->operands[1] = tw__mir_read(over, 1), choose->operands[2] = tw__mir_read(limit, 1);
    put_repeat(l, head, portion, body);
    tw__mir_reg rest = main_insn(l, tail, TW__OP_sub_m, tw__mir_read(left, 1), tw__mir_read(portion, 1));
    tw__mir_insn *again = tw__mir_append(l->mir, loop_block(l, tail), TW__OP_brnz, 2);
    again->operands[0] = tw__mir_read(rest, 1), again->operands[1] = tw__mir_to(head);
    tw__mir_add_successor(l->mir, loop_block(l, tail), head);
    go_to(l, tail, behind);
    go_on(l, body, tail);
    for (tw__mir_insn *phi = loop_block(l, body)->first; phi && phi->op == TW__MIR_phi; phi = phi->next) {
        unsigned k = phi->operands[1].index == entry ? 1 : 3;
        tw__mir_reg through = twin(l, phi->operands[0].reg);
        put_phi(l, head, through, phi->operands[0].words, entry, phi->operands[k + 1].reg, tail,
                phi->operands[5 - k].reg);
        phi->operands[k] = tw__mir_to(head);
        phi->operands[k + 1] = tw__mir_read(through, phi->operands[0].words);
    }
    put_phi(l, head, left, 1, entry, rounds, tail, rest);
}

/* `body` repeated so many times between `entry` and `behind`. Its phis name `entry` and itself. */
static void enter_body(loop *l, uint32_t entry, tw__mir_reg rounds, uint32_t body, uint32_t behind)
{
    uint64_t most = loop_block(l, l->block)->most_rounds;
    loop_block(l, body)->is_repeated = true;
    tw__mir_add_successor(l->mir, loop_block(l, body), body);
    if (most && most <= most_repeats(l)) {
        put_repeat(l, entry, rounds, body);
        go_on(l, body, behind);
    } else {
        put_portions(l, entry, rounds, body, behind);
    }
}

void tw__loop_repeat(loop *l)
{
    uint32_t entry = new_block(l, loop_block(l, l->before)->frequency), behind = new_block(l, 16);
    tw__mir_block *body = loop_block(l, l->block);
    tw__mir_remove(body, body->last);
    tw__mir_reg counter = body->last->operands[0].tied;
    tw__mir_remove(body, body->last);
    for (tw__mir_insn *phi = body->first; phi; phi = phi->next)
        if (phi->operands[0].reg == counter) {
            tw__mir_remove(body, phi);
            break;
        }
    body->successor_count = 0;
    tw__ra_lead(loop_block(l, l->before), l->block, entry);
    tw__ra_come_from(body, l->before, entry);
    tw__mir_reg rounds = rounds_and(l, entry, 1);
    enter_body(l, entry, rounds, l->block, behind);
    go_to(l, behind, l->behind);
    tw__ra_come_from(loop_block(l, l->behind), l->block, behind);
}

/* --- instances of instructions ---------------------------------------------------------------------------------- */

typedef tw__mir_reg reader(const pipeline *p, tw__mir_reg reg, unsigned item, int round);

static uint32_t of(const pipeline *p, int round, tw__mir_reg reg)
{
    return (uint32_t)round * p->l->vregs + (reg - TW__MIR_VIRTUAL);
}

static int stage_of(const loop *l, unsigned item)
{
    return l->items[item].time / (int)l->turns;
}

static int turn_of(const loop *l, unsigned item)
{
    return l->items[item].time % (int)l->turns;
}

/* A copy of an instruction at the end of a block; its results get new registers, which `made` keeps. */
static tw__mir_insn *put_copy(pipeline *p, uint32_t block, unsigned item, int round, reader *read,
                              tw__mir_reg *made)
{
    loop *l = p->l;
    const tw__mir_insn *old = l->items[item].insn;
    tw__mir_insn *insn = tw__mir_append(l->mir, loop_block(l, block), old->op, old->count);
    tw__mir_insn *previous = insn->previous;
    memcpy(insn, old, sizeof *old + old->count * sizeof *old->operands);
    insn->previous = previous, insn->next = NULL;
    for (unsigned k = 0; k < insn->count; k++) {
        tw__mir_operand *o = &insn->operands[k];
        tw__mir_reg reg = tw__loop_read(o);
        if (reg) *(o->use & TW__MIR_WRITE ? &o->tied : &o->reg) = read(p, reg, item, round);
    }
    for (unsigned k = 0; k < insn->count; k++) {
        tw__mir_operand *o = &insn->operands[k];
        if (o->kind == TW__MIR_REG && o->use & TW__MIR_WRITE && ra_is_virtual(o->reg))
            o->reg = made[of(p, round, old->operands[k].reg)];
    }
    return insn;
}

static void name_results(pipeline *p, unsigned item, int round, tw__mir_reg *made)
{
    const tw__mir_insn *old = p->l->items[item].insn;
    for (unsigned k = 0; k < old->count; k++) {
        const tw__mir_operand *o = &old->operands[k];
        if (o->kind == TW__MIR_REG && o->use & TW__MIR_WRITE && ra_is_virtual(o->reg))
            made[of(p, round, o->reg)] = twin(p->l, o->reg);
    }
}

/* --- filling ---------------------------------------------------------------------------------------------------- */

static tw__mir_reg read_filled(const pipeline *p, tw__mir_reg reg, unsigned item, int round)
{
    (void)item;
    const loop_phi *phi = tw__loop_phi(p->l, reg);
    if (phi) return round ? p->filled[of(p, round - 1, phi->next)] : phi->first;
    return tw__loop_definer(p->l, reg) ? p->filled[of(p, round, reg)] : reg;
}

/* Instances in the order of their turns: main first in each. */
typedef struct instance {
    int time;
    unsigned item;
    int round;
} instance;

static int instance_by_time(const void *a, const void *b)
{
    const instance *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

static void put_filling(pipeline *p)
{
    loop *l = p->l;
    int end = ((int)l->stages - 1) * (int)l->turns;
    GArray *instances = g_array_new(FALSE, FALSE, sizeof(instance));
    for (unsigned i = 0; i < l->count; i++)
        for (int round = 0; round * (int)l->turns + l->items[i].time < end; round++) {
            instance added = { round * (int)l->turns + l->items[i].time, i, round };
            g_array_append_val(instances, added);
            name_results(p, i, round, p->filled);
        }
    g_array_sort(instances, instance_by_time);
    for (guint i = 0; i < instances->len; i++) {
        const instance *n = &g_array_index(instances, instance, i);
        put_copy(p, p->fill, n->item, n->round, read_filled, p->filled);
    }
    g_array_free(instances, TRUE);
}

/* --- kernel ----------------------------------------------------------------------------------------------------- */

/* What is written later in the kernel, or in this turn, is read as it was the time before. */
static tw__mir_reg read_current(const pipeline *p, tw__mir_reg reg, unsigned item, int round)
{
    (void)round;
    const loop *l = p->l;
    const loop_phi *phi = tw__loop_phi(l, reg);
    tw__mir_reg value = phi ? phi->next : reg;
    unsigned definer = tw__loop_definer(l, value);
    if (!definer) return reg;
    if (turn_of(l, item) > turn_of(l, definer - 1)) return p->current[value - TW__MIR_VIRTUAL];
    tw__mir_reg *former = &p->former[reg - TW__MIR_VIRTUAL];
    if (*former) return *former;
    *former = twin(p->l, reg);
    int last = (int)l->stages - 2 - stage_of(l, definer - 1);
    tw__mir_reg first = last >= 0 ? p->filled[of(p, last, value)] : phi ? phi->first : value;
    put_phi(p->l, p->kernel, *former, l->f->vregs[reg - TW__MIR_VIRTUAL].words, p->fill, first, p->kernel,
            p->current[value - TW__MIR_VIRTUAL]);
    return *former;
}

static void put_kernel(pipeline *p)
{
    loop *l = p->l;
    for (unsigned i = 0; i < l->count; i++) name_results(p, i, 0, p->current);
    for (int turn = 0; turn < (int)l->turns; turn++) {
        bool has_main = false;
        for (unsigned aux = 0; aux < 2; aux++)
            for (unsigned i = 0; i < l->count; i++) {
                if (turn_of(l, i) != turn || l->items[i].is_aux != (aux != 0)) continue;
                tw__mir_insn *insn = put_copy(p, p->kernel, i, 0, read_current, p->current);
                insn->is_aux_partner = aux && has_main;
                has_main = true;
            }
    }
}

/* --- draining --------------------------------------------------------------------------------------------------- */

/* `age`: rounds before the last one. */
static tw__mir_reg drained_value(const pipeline *p, tw__mir_reg value, int age)
{
    int stage = stage_of(p->l, tw__loop_definer(p->l, value) - 1);
    return age >= stage ? p->current[value - TW__MIR_VIRTUAL] : p->drained[of(p, age, value)];
}

static tw__mir_reg read_drained(const pipeline *p, tw__mir_reg reg, unsigned item, int age)
{
    (void)item;
    const loop_phi *phi = tw__loop_phi(p->l, reg);
    if (phi) return drained_value(p, phi->next, age + 1);
    return tw__loop_definer(p->l, reg) ? drained_value(p, reg, age) : reg;
}

static void put_draining(pipeline *p)
{
    loop *l = p->l;
    GArray *instances = g_array_new(FALSE, FALSE, sizeof(instance));
    for (unsigned i = 0; i < l->count; i++)
        for (int step = 1; step <= stage_of(l, i); step++) {
            instance added = { step * (int)l->turns + turn_of(l, i), i, stage_of(l, i) - step };
            g_array_append_val(instances, added);
            name_results(p, i, added.round, p->drained);
        }
    g_array_sort(instances, instance_by_time);
    for (guint i = 0; i < instances->len; i++) {
        const instance *n = &g_array_index(instances, instance, i);
        put_copy(p, p->drain, n->item, n->round, read_drained, p->drained);
    }
    g_array_free(instances, TRUE);
}

/* --- what is read behind the loop ------------------------------------------------------------------------------- */

static void add_source(loop *l, uint32_t block, tw__mir_insn *phi, uint32_t from, tw__mir_reg reg)
{
    tw__mir_insn *wide = tw__mir_insert(l->mir, loop_block(l, block), phi, TW__MIR_phi, phi->count + 2u);
    memcpy(wide->operands, phi->operands, phi->count * sizeof *phi->operands);
    wide->operands[phi->count] = tw__mir_to(from);
    wide->operands[phi->count + 1] = tw__mir_read(reg, phi->operands[0].words);
    tw__mir_remove(loop_block(l, block), phi);
}

static tw__mir_reg last_value(const pipeline *p, tw__mir_reg reg)
{
    return tw__loop_definer(p->l, reg) ? drained_value(p, reg, 0) : reg;
}

static void join_phis(pipeline *p)
{
    loop *l = p->l;
    for (tw__mir_insn *phi = loop_block(l, l->behind)->first, *next; phi && phi->op == TW__MIR_phi; phi = next) {
        next = phi->next;
        for (unsigned k = 1; k < phi->count; k += 2)
            if (phi->operands[k].index == l->block) {
                add_source(l, l->behind, phi, p->drain, last_value(p, phi->operands[k + 1].reg));
                break;
            }
    }
}

/* Registers of the body that are read elsewhere, but in phis behind the loop: those get one. */
static void join_values(pipeline *p)
{
    loop *l = p->l;
    g_autofree tw__mir_reg *joined = g_new0(tw__mir_reg, l->vregs + 1);
    for (uint32_t b = 0; b < l->f->block_count; b++) {
        if (b == l->block || b == p->fill || b == p->kernel || b == p->drain) continue;
        for (tw__mir_insn *insn = loop_block(l, b)->first; insn; insn = insn->next)
            for (unsigned k = 0; k < insn->count; k++) {
                tw__mir_operand *o = &insn->operands[k];
                tw__mir_reg reg = tw__loop_read(o);
                if (!reg || !tw__loop_definer(l, reg)) continue;
                if (insn->op == TW__MIR_phi && insn->operands[k - 1].index == l->block) continue;
                if (b == l->behind && insn->op == TW__MIR_phi && insn->operands[k - 1].index == p->drain) continue;
                tw__mir_reg *to = &joined[reg - TW__MIR_VIRTUAL];
                if (!*to) *to = twin(l, reg);
                *(o->use & TW__MIR_WRITE ? &o->tied : &o->reg) = *to;
            }
    }
    for (uint32_t v = 0; v < l->vregs; v++)
        if (joined[v])
            put_phi(l, l->behind, joined[v], l->f->vregs[v].words, l->block, TW__MIR_VIRTUAL + v, p->drain,
                    last_value(p, TW__MIR_VIRTUAL + v));
}

/* --- the whole -------------------------------------------------------------------------------------------------- */

/* check: enough rounds? else the loop as it was; fill; kernel; drain. */
static void put_blocks(pipeline *p)
{
    loop *l = p->l;
    int stages = (int)l->stages;
    tw__mir_reg few =
        main_insn(l, p->check, TW__OP_cmpult_z, tw__mir_read(l->rounds, 1), tw__mir_const(stages - 1));
    tw__mir_insn *branch = tw__mir_append(l->mir, loop_block(l, p->check), TW__OP_brnz, 2);
    branch->operands[0] = tw__mir_read(few, 1), branch->operands[1] = tw__mir_to(l->block);
    tw__mir_add_successor(l->mir, loop_block(l, p->check), l->block);
    go_to(l, p->check, p->fill);
    tw__ra_lead(loop_block(l, l->before), l->block, p->check);
    tw__ra_come_from(loop_block(l, l->block), l->before, p->check);
    put_filling(p);
    put_kernel(p);
    tw__mir_reg rounds = rounds_and(l, p->fill, 2 - stages);
    enter_body(l, p->fill, rounds, p->kernel, p->drain);
    put_draining(p);
    go_to(l, p->drain, l->behind);
    join_phis(p);
    join_values(p);
}

/* Without overlap the body is the kernel: in the order of its turns. */
static void sort_body(loop *l)
{
    tw__mir_block *body = loop_block(l, l->block);
    tw__mir_insn *branch = tw__ra_first_branch(body);
    for (int turn = 0; turn < (int)l->turns; turn++) {
        bool has_main = false;
        for (unsigned aux = 0; aux < 2; aux++)
            for (unsigned i = 0; i < l->count; i++) {
                tw__mir_insn *insn = l->items[i].insn;
                if (l->items[i].time != turn || l->items[i].is_aux != (aux != 0)) continue;
                tw__mir_remove(body, insn);
                insn->is_aux_partner = aux && has_main;
                has_main = true;
                insn->next = branch, insn->previous = branch->previous;
                *(branch->previous ? &branch->previous->next : &body->first) = insn;
                branch->previous = insn;
            }
    }
}

/* Phis that are read behind the loop would have to live longer than a round. */
static bool phis_stay_inside(const loop *l)
{
    for (uint32_t b = 0; b < l->f->block_count; b++)
        for (const tw__mir_insn *insn = l->f->blocks[b].first; b != l->block && insn; insn = insn->next)
            for (unsigned k = 0; k < insn->count; k++)
                if (tw__loop_phi(l, tw__loop_read(&insn->operands[k]))) return false;
    return true;
}

void tw__loop_pipeline(loop *l)
{
    if (l->stages == 1 || !phis_stay_inside(l)) {
        if (l->stages == 1) sort_body(l);
        tw__loop_repeat(l);
        return;
    }
    uint32_t rare = loop_block(l, l->before)->frequency, often = loop_block(l, l->block)->frequency;
    pipeline p = { .l = l };
    p.check = new_block(l, rare), p.fill = new_block(l, rare);
    p.kernel = new_block(l, often), p.drain = new_block(l, rare);
    size_t n = l->vregs + 1u;
    p.filled = g_new0(tw__mir_reg, n * (l->stages + 1)), p.drained = g_new0(tw__mir_reg, n * (l->stages + 1));
    p.current = g_new0(tw__mir_reg, n), p.former = g_new0(tw__mir_reg, n);
    put_blocks(&p);
    g_free(p.filled);
    g_free(p.drained);
    g_free(p.current);
    g_free(p.former);
}
