/* SPDX-License-Identifier: MIT */
/* Pairs of instructions for the two pipelines, block by block. A worker has no latencies: what one turn writes the
 * next one reads. Both halves of a bundle read before either writes, so that a register may be read and
 * overwritten in one; a branch takes effect behind the instruction beside it. Longest ways through the block
 * first. */
#include "poplar/colossus/cc/ra/ra.h"

#include <string.h>

typedef struct link {  /* an instruction that waits for another one */
    uint32_t to, next; /* next: 1 + link */
    uint8_t turns;     /* 0: may share its bundle */
} link;

typedef struct work { /* an instruction of the block */
    tw__mir_insn *insn;
    uint32_t links;  /* 1 + first */
    uint32_t waits;  /* for how many */
    uint32_t ready;  /* turn from which on it may go */
    uint32_t length; /* turns from here to the end */
    uint32_t order;
    bool is_aux, is_alone, is_barrier;
    uint32_t reads, writes; /* units */
} work;

typedef struct bundling {
    tw__mir *mir;
    GRand *random;
    work *items;
    uint32_t count;
    GArray *links;
    GArray *memory;                  /* uint32_t: accesses since the last barrier */
    uint32_t written[RA_UNITS];      /* 1 + last instruction that writes the unit */
    GArray *readers[RA_UNITS];       /* uint32_t: since then */
    uint32_t barrier, state, branch; /* 1 + last of each */
} bundling;

/* --- what an instruction is
 * -------------------------------------------------------------------------------------- */

static void note_units(work *w)
{
    const tw__mir_insn *insn = w->insn;
    if (insn->op == TW__MIR_call) w->writes |= RA_CALLER_SAVES;
    for (unsigned k = 0; k < insn->count; k++) {
        const tw__mir_operand *o = &insn->operands[k];
        if (o->kind != TW__MIR_REG) continue;
        uint32_t set = ((o->words < 32 ? 1u << o->words : 0u) - 1u) << (o->reg - 1);
        if (o->use & TW__MIR_READ) w->reads |= set;
        if (o->use & TW__MIR_WRITE) w->writes |= set;
    }
    if (insn->op == TW__MIR_ret) w->reads |= 1u << RA_LR;
    w->reads &= ~(1u << RA_ZERO | 1u << (RA_A + 15) | 1u << (RA_A + 14)); /* constants */
}

static work work_of(tw__mir_insn *insn, uint32_t order)
{
    const tw_isa_row *row = tw__mir_row(insn);
    work w = { .insn = insn, .order = order };
    w.is_aux = row && row->pipe == TW_ISA_AUX;
    bool direct = insn->op == TW__MIR_call && insn->operands[0].kind == TW__MIR_SYMBOL;
    bool repeats = insn->op == TW__OP_rpt_m || insn->op == TW__OP_rpt_z; /* may get a partner to align the body */
    bool goes = insn->op == TW__MIR_ret || insn->op == TW__MIR_jump;
    w.is_alone = row ? repeats || row->flags & (TW_ISA_ALONE | TW_ISA_TWO_WORDS) : !goes && !direct;
    w.is_barrier = (row && row->flags & TW_ISA_SYSTEM) || insn->op == TW__MIR_call || insn->op == TW__MIR_text;
    note_units(&w);
    return w;
}

/* --- what waits for what
 * ----------------------------------------------------------------------------------------- */

static void wait_for(bundling *b, uint32_t first, uint32_t then, unsigned turns)
{
    if (first == then) return;
    link added = { then, b->items[first].links, (uint8_t)turns };
    g_array_append_val(b->links, added);
    b->items[first].links = b->links->len;
    b->items[then].waits++;
}

static unsigned access_size(const tw__mir_insn *insn)
{
    const tw_isa_row *row = tw__mir_row(insn);
    return row && !row->accesses[1] ? row->accesses[0] & (TW_ISA_STORE - 1u) : 0;
}

/* Base and constant offset, nothing else: can two accesses be told apart? */
static bool are_apart(const work *a, const work *b)
{
    const tw__mir_operand *x = a->insn->operands, *y = b->insn->operands;
    unsigned x_size = access_size(a->insn), y_size = access_size(b->insn);
    if (!x_size || !y_size || a->insn->count != 4 || b->insn->count != 4) return false;
    if (x[3].kind != TW__MIR_CONST || y[3].kind != TW__MIR_CONST || x[1].reg != y[1].reg || x[2].reg != y[2].reg)
        return false;
    if (x[2].use & TW__MIR_WRITE || y[2].use & TW__MIR_WRITE) return false;
    int64_t from = x[3].value * x_size, to = y[3].value * y_size;
    return from + (int64_t)x_size <= to || to + (int64_t)y_size <= from;
}

/* Has a base or delta been written between the two? */
static bool same_bases(const bundling *b, uint32_t first, uint32_t then)
{
    const work *w = &b->items[then];
    for (unsigned k = 1; k < 3 && k < w->insn->count; k++) {
        if (w->insn->operands[k].kind != TW__MIR_REG) return false;
        uint32_t unit = w->insn->operands[k].reg - 1;
        if (b->written[unit] > first) return false;
    }
    return true;
}

static bool may_meet(const bundling *b, uint32_t first, uint32_t then)
{
    const tw__mir_memory *x = &b->items[first].insn->memory, *y = &b->items[then].insn->memory;
    if (x->is_volatile && y->is_volatile) return true;
    if (!((x->use | y->use) & TW__MIR_WRITE)) return false;
    bool own = x->group >= RA_GROUP_SCRATCH || y->group >= RA_GROUP_SCRATCH;
    if (x->group != y->group && (own || (x->group && y->group))) return false;
    return !(are_apart(&b->items[first], &b->items[then]) && same_bases(b, first, then));
}

static void wait_for_memory(bundling *b, uint32_t item)
{
    if (!b->items[item].insn->memory.use && !b->items[item].insn->memory.is_volatile) return;
    for (guint i = 0; i < b->memory->len; i++) {
        uint32_t first = g_array_index(b->memory, uint32_t, i);
        if (may_meet(b, first, item)) wait_for(b, first, item, 1);
    }
    g_array_append_val(b->memory, item);
}

static void wait_to_read(bundling *b, uint32_t item)
{
    const work *w = &b->items[item];
    unsigned op = w->insn->op;
    bool late = op == TW__MIR_call || op == TW__MIR_ret; /* what a call hands on is read behind its bundle */
    for (uint32_t set = w->reads; set; set &= set - 1) {
        unsigned unit = (unsigned)g_bit_nth_lsf(set, -1);
        bool own = unit == RA_LR && op == TW__MIR_ret;
        if (b->written[unit]) wait_for(b, b->written[unit] - 1, item, late && !own ? 0 : 1);
        g_array_append_val(b->readers[unit], item);
    }
}

static void wait_to_write(bundling *b, uint32_t item)
{
    for (uint32_t set = b->items[item].writes; set; set &= set - 1) {
        unsigned unit = (unsigned)g_bit_nth_lsf(set, -1);
        if (b->written[unit]) wait_for(b, b->written[unit] - 1, item, 1);
        for (guint i = 0; i < b->readers[unit]->len; i++)
            wait_for(b, g_array_index(b->readers[unit], uint32_t, i), item, 0);
        b->written[unit] = item + 1;
        g_array_set_size(b->readers[unit], 0);
    }
}

/* Halves of a bundle that exists already: neither reads what the other one writes. */
static void wait_for_registers(bundling *b, uint32_t item)
{
    bool leads = item + 1 < b->count && b->items[item + 1].insn->is_aux_partner;
    if (b->items[item].insn->is_aux_partner) return;
    wait_to_read(b, item);
    if (leads) wait_to_read(b, item + 1);
    wait_to_write(b, item);
    if (leads) wait_to_write(b, item + 1);
}

/* Everything since the last barrier comes before this one. */
static void wait_for_all(bundling *b, uint32_t item, unsigned turns)
{
    uint32_t from = b->barrier ? b->barrier - 1 : 0;
    for (uint32_t i = from; i < item; i++) wait_for(b, i, item, tw__mir_is_branch(b->items[i].insn) ? 1 : turns);
}

static void find_links(bundling *b, uint32_t item)
{
    work *w = &b->items[item];
    bool repeats = w->insn->op == TW__OP_rpt_m || w->insn->op == TW__OP_rpt_z;
    bool branches = tw__mir_is_branch(w->insn) || repeats;
    wait_for_registers(b, item);
    if (w->is_barrier || branches) {
        wait_for_all(b, item, w->insn->op == TW__MIR_call || branches ? 0 : 1);
    } else if (b->barrier) {
        wait_for(b, b->barrier - 1, item, 1);
    }
    wait_for_memory(b, item);
    if (!w->is_barrier && !branches && tw__ra_has_state(w->insn)) {
        if (b->state) wait_for(b, b->state - 1, item, 1);
        b->state = item + 1;
    }
    if (w->is_barrier) {
        b->barrier = item + 1;
        g_array_set_size(b->memory, 0);
    }
}

static void find_lengths(bundling *b)
{
    for (uint32_t i = b->count; i-- > 0;) {
        work *w = &b->items[i];
        w->length = 1;
        for (uint32_t k = w->links; k; k = g_array_index(b->links, link, k - 1).next) {
            const link *l = &g_array_index(b->links, link, k - 1);
            w->length = MAX(w->length, b->items[l->to].length + l->turns);
        }
    }
}

/* --- turns ------------------------------------------------------------------------------------------ */

static bool is_better(bundling *b, const work *x, const work *y)
{
    if (x->length != y->length) return x->length > y->length;
    return b->random ? g_rand_boolean(b->random) : x->order < y->order;
}

static int bundle_choose(bundling *b, const GArray *ready, uint32_t turn, bool aux, const work *beside)
{
    int best = -1;
    for (guint i = 0; i < ready->len; i++) {
        const work *w = &b->items[g_array_index(ready, uint32_t, i)];
        if (w->ready > turn || w->is_aux != aux) continue;
        if (beside && (w->is_alone || beside->is_alone)) continue;
        if (best < 0 || is_better(b, w, &b->items[g_array_index(ready, uint32_t, (guint)best)])) best = (int)i;
    }
    return best;
}

static uint32_t issue(bundling *b, GArray *ready, guint at, uint32_t turn)
{
    uint32_t item = g_array_index(ready, uint32_t, at);
    g_array_remove_index_fast(ready, at);
    for (uint32_t k = b->items[item].links; k; k = g_array_index(b->links, link, k - 1).next) {
        const link *l = &g_array_index(b->links, link, k - 1);
        work *w = &b->items[l->to];
        w->ready = MAX(w->ready, turn + l->turns);
        if (--w->waits == 0) g_array_append_val(ready, l->to);
    }
    return item;
}

static void bundle_put(tw__mir_block *block, tw__mir_insn *insn, bool partner)
{
    insn->is_aux_partner = partner;
    insn->previous = block->last, insn->next = NULL;
    *(block->last ? &block->last->next : &block->first) = insn;
    block->last = insn;
}

/* Main first: what its instruction lets go may still stand beside it. Gives up when it takes more than `most`
 * turns. */
static uint32_t run_turns(bundling *b, tw__mir_block *block, uint32_t most)
{
    g_autoptr(GArray) ready = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint32_t done = 0, turn = 0;
    for (uint32_t i = 0; i < b->count; i++)
        if (!b->items[i].waits) g_array_append_val(ready, i);
    block->first = block->last = NULL;
    for (; done < b->count && turn <= most; turn++) {
        const work *first = NULL;
        int main = bundle_choose(b, ready, turn, false, NULL), aux = bundle_choose(b, ready, turn, true, NULL);
        if (main >= 0 && b->items[g_array_index(ready, uint32_t, (guint)main)].is_alone && aux >= 0) main = -1;
        if (main >= 0) {
            first = &b->items[issue(b, ready, (guint)main, turn)];
            bundle_put(block, first->insn, false), done++;
        }
        aux = bundle_choose(b, ready, turn, true, first);
        if (aux < 0) continue;
        const work *second = &b->items[issue(b, ready, (guint)aux, turn)];
        bundle_put(block, second->insn, first != NULL), done++;
        if (first) continue;
        main =
            bundle_choose(b, ready, turn, false, second); /* let go by the aux instruction: stands in front of it */
        if (main < 0) continue;
        first = &b->items[issue(b, ready, (guint)main, turn)];
        tw__mir_insn *last = block->last;
        block->last = last->previous;
        *(block->last ? &block->last->next : &block->first) = NULL;
        bundle_put(block, first->insn, false), bundle_put(block, last, true), done++;
    }
    return turn;
}

/* --- blocks ------------------------------------------------------------------------------------------ */

static void collect_block(bundling *b, const tw__mir_block *block)
{
    b->count = 0;
    for (const tw__mir_insn *insn = block->first; insn; insn = insn->next) b->count++;
    b->items = g_new(work, b->count + 1);
    uint32_t i = 0;
    for (tw__mir_insn *insn = block->first; insn; insn = insn->next, i++) b->items[i] = work_of(insn, i);
    g_array_set_size(b->links, 0);
    g_array_set_size(b->memory, 0);
    memset(b->written, 0, sizeof b->written);
    b->barrier = b->state = 0;
    for (unsigned unit = 0; unit < RA_UNITS; unit++) g_array_set_size(b->readers[unit], 0);
}

static uint32_t count_bundles(const tw__mir_block *block)
{
    uint32_t n = 0;
    for (const tw__mir_insn *insn = block->first; insn; insn = insn->next) n += !insn->is_aux_partner;
    return n;
}

/* The order that a block had: of the body of a loop that was scheduled with its neighbours. */
static void restore_order(bundling *b, tw__mir_block *block, const bool *partners)
{
    block->first = block->last = NULL;
    for (uint32_t i = 0; i < b->count; i++) bundle_put(block, b->items[i].insn, partners[i]);
}

static void bundle_block(bundling *b, tw__mir_block *block)
{
    uint32_t before = count_bundles(block);
    collect_block(b, block);
    g_autofree bool *partners = g_new(bool, b->count + 1);
    for (uint32_t i = 0; i < b->count; i++) partners[i] = b->items[i].insn->is_aux_partner;
    for (uint32_t i = 0; i < b->count; i++) find_links(b, i);
    find_lengths(b);
    if (run_turns(b, block, before) > before) restore_order(b, block, partners);
    g_free(b->items);
}

/* --- bodies of rpt ---------------------------------------------------------------------------------------------- */

static void pad_bundle(tw__mir *mir, tw__mir_block *block, tw__mir_insn *alone)
{
    const tw_isa_row *row = tw__mir_row(alone);
    bool aux = row && row->pipe == TW_ISA_AUX;
    tw__mir_insn *pad;
    if (aux) {
        pad = tw__mir_insert(mir, block, alone, TW__OP_setzi_m, 2);
        pad->operands[0] = tw__mir_write(TW__MIR_M0 + 14, 1); /* nop */
        alone->is_aux_partner = true;
    } else {
        pad = alone->next ? tw__mir_insert(mir, block, alone->next, TW__OP_setzi_a, 2)
                          : tw__mir_append(mir, block, TW__OP_setzi_a, 2);
        pad->operands[0] = tw__mir_write(TW__MIR_A0 + 13, 1); /* fnop */
        pad->is_aux_partner = true;
    }
    pad->operands[1] = tw__mir_const(0);
}

static void finish_body(tw__mir *mir, tw__mir_block *block)
{
    if (!block->first) { /* rpt has no empty body */
        tw__mir_insn *nop = tw__mir_append(mir, block, TW__OP_setzi_m, 2);
        nop->operands[0] = tw__mir_write(TW__MIR_M0 + 14, 1), nop->operands[1] = tw__mir_const(0);
    }
    for (tw__mir_insn *insn = block->first, *next; insn; insn = next) {
        tw__mir_insn *last = ra_group_end(insn);
        next = last->next;
        if (last == insn) pad_bundle(mir, block, insn);
    }
}

/* Bodies of rpt consist of bundles; then their size is known. */
void tw__ra_repeats(tw__mir *mir, tw__mir_function *f)
{
    for (uint32_t i = 0; i < f->block_count; i++)
        if (f->blocks[i].is_repeated) finish_body(mir, &f->blocks[i]);
    for (uint32_t i = 0; i < f->block_count; i++) {
        tw__mir_insn *last = f->blocks[i].last;
        if (!last || last->op != TW__OP_rpt_m) continue;
        last->operands[1].value = (int64_t)count_bundles(&f->blocks[f->blocks[i].goes_on - 1]) - 1;
    }
}

void tw__ra_bundle(tw__mir *mir, tw__mir_function *f, const tw__ra_options *options)
{
    if (f->in_supervisor || f->context == TW__MIR_SUPERVISOR) return; /* one pipeline */
    bundling b = { .mir = mir,
                   .links = g_array_new(FALSE, FALSE, sizeof(link)),
                   .memory = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
    if (options->seed) b.random = g_rand_new_with_seed(options->seed);
    for (unsigned unit = 0; unit < RA_UNITS; unit++) b.readers[unit] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t i = 0; i < f->block_count; i++)
        if (f->blocks[i].first) bundle_block(&b, &f->blocks[i]);
    for (unsigned unit = 0; unit < RA_UNITS; unit++) g_array_free(b.readers[unit], TRUE);
    g_array_free(b.links, TRUE);
    g_array_free(b.memory, TRUE);
    if (b.random) g_rand_free(b.random);
}
