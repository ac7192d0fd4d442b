/* SPDX-License-Identifier: MIT */
/* Physical registers, by weight: long lives first, and what is worth more throws out what is worth less; a register
 * for which there is no room goes to the list of those that live on the stack. */
#include "poplar/colossus/cc/ra/ra.h"

#include <math.h>
#include <string.h>

typedef struct taken { /* a unit's time that a node has; node UINT32_MAX: the unit itself (arguments, calls) */
    uint32_t from, to, node;
} taken;

typedef struct hint {
    uint32_t node;   /* who would like ... */
    tw__mir_reg reg; /* ... its first word where this register is */
    int shift;       /* ... plus so many words */
    float worth;
} hint;

typedef struct assigning {
    ra *r;
    GArray *units[RA_UNITS]; /* taken, by place */
    GArray *hints;           /* by node */
    uint32_t *first_hint;    /* by node; [vreg_count] is the end */
    uint32_t *pending, pending_count;
    GArray *met; /* uint32_t: nodes in the way of the last look */
} assigning;

/* --- time of units ---------------------------------------------------------------------------------------------- */

static guint find_taken(const GArray *unit, uint32_t from) /* first that ends behind `from` */
{
    guint low = 0, high = unit->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index(unit, taken, middle).to <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void assign_take(assigning *a, unsigned unit, const ra_lane *lane, uint32_t node)
{
    for (uint32_t i = 0; i < lane->count; i++) {
        taken added = { lane->segments[i].from, lane->segments[i].to, node };
        guint at = find_taken(a->units[unit], added.from);
        g_array_insert_val(a->units[unit], at, added);
    }
}

static void give_back(assigning *a, unsigned unit, const ra_lane *lane)
{
    for (uint32_t i = 0; i < lane->count; i++)
        g_array_remove_index(a->units[unit], find_taken(a->units[unit], lane->segments[i].from));
}

static bool is_met(const assigning *a, uint32_t node)
{
    for (guint i = 0; i < a->met->len; i++)
        if (g_array_index(a->met, uint32_t, i) == node) return true;
    return false;
}

/* Adds to `met` what has the unit while the lane is alive; false: the unit itself is in use. */
static bool assign_look(assigning *a, unsigned unit, const ra_lane *lane)
{
    const GArray *u = a->units[unit];
    for (uint32_t i = 0; i < lane->count; i++)
        for (guint k = find_taken(u, lane->segments[i].from);
             k < u->len && g_array_index(u, taken, k).from < lane->segments[i].to; k++) {
            uint32_t node = g_array_index(u, taken, k).node;
            if (node == UINT32_MAX) return false;
            if (!is_met(a, node)) g_array_append_val(a->met, node);
        }
    return true;
}

/* --- weights ---------------------------------------------------------------------------------------------------- */

static uint32_t node_length(const ra *r, const ra_node *node)
{
    uint32_t sum = 0;
    for (unsigned w = 0; w < node->words; w++) {
        const ra_lane *lane = &r->lanes[node->lane + w];
        for (uint32_t i = 0; i < lane->count; i++) sum += lane->segments[i].to - lane->segments[i].from;
    }
    return sum;
}

/* A register that lives at one instruction must get its place, wide ones before narrow ones. */
static void weigh(ra *r)
{
    for (uint32_t v = 0; v < r->f->vreg_count; v++) {
        ra_node *node = &r->nodes[v];
        if (!node->lane) continue;
        node->length = node_length(r, node);
        node->weight = node->use / ((float)node->length / (float)node->words + 20.0f);
        if (node->remake) node->weight /= 2;
        if (node->is_short) node->weight = 1e30f * (float)(node->words * node->words);
    }
}

/* --- hints ------------------------------------------------------------------------------------------------------ */

static void add_hint(assigning *a, const tw__mir_operand *who, const tw__mir_operand *whose, float worth)
{
    if (!ra_is_virtual(who->reg)) return;
    hint added = { who->reg - TW__MIR_VIRTUAL, whose->reg, (int)whose->sub - (int)who->sub, worth };
    if (ra_is_virtual(whose->reg) && ra_node_of(a->r, whose->reg)->file != ra_node_of(a->r, who->reg)->file) return;
    g_array_append_val(a->hints, added);
}

static int by_node(const void *a, const void *b)
{
    const hint *x = a, *y = b;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void find_hints(assigning *a)
{
    const tw__mir_function *f = a->r->f;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (const tw__mir_insn *insn = f->blocks[b].first; insn; insn = insn->next)
            for (unsigned k = 0; insn->op == TW__MIR_moves && k + 1 < insn->count; k += 2) {
                const tw__mir_operand *to = &insn->operands[k], *from = to + 1;
                if (to->kind != TW__MIR_REG || from->kind != TW__MIR_REG) continue;
                add_hint(a, to, from, (float)a->r->frequencies[b]);
                add_hint(a, from, to, (float)a->r->frequencies[b]);
            }
    g_array_sort(a->hints, by_node);
    a->first_hint = RA_NEW_N(a->r->arena, uint32_t, f->vreg_count + 1u);
    guint at = 0;
    for (uint32_t v = 0; v <= f->vreg_count; v++) {
        while (at < a->hints->len && g_array_index(a->hints, hint, at).node < v) at++;
        a->first_hint[v] = at;
    }
}

static float hint_worth(const assigning *a, uint32_t v, unsigned unit)
{
    float worth = 0;
    for (uint32_t i = a->first_hint[v]; i < a->first_hint[v + 1]; i++) {
        const hint *h = &g_array_index(a->hints, hint, i);
        int there = ra_is_virtual(h->reg) ? ra_node_of(a->r, h->reg)->unit : (int)h->reg - 1;
        if (there >= 0 && there + h->shift == (int)unit) worth += h->worth;
    }
    return worth;
}

/* --- choice ----------------------------------------------------------------------------------------------------- */

static uint32_t units_of(unsigned unit, unsigned words)
{
    return ((1u << words) - 1) << unit;
}

/* What else a free unit costs: registers that have to be kept for the caller, and pairs that it breaks. */
static float unit_cost(const assigning *a, const ra_node *node, unsigned unit)
{
    uint32_t set = units_of(unit, node->words);
    bool entry = a->r->f->context == TW__MIR_WORKER;
    float cost = 0;
    if (!entry && set & RA_CALLEE_SAVES & ~a->r->used) cost += 32;
    if (node->words == 1 && node->file == TW__MIR_AUX && !a->units[unit ^ 1u]->len) cost += 0.5f;
    if (a->r->random) cost += (float)g_rand_double(a->r->random) * 40;
    return cost;
}

static bool assign_fits(const assigning *a, const ra_node *node, unsigned unit)
{
    uint32_t set = units_of(unit, node->words);
    return unit % node->words == 0 && (a->r->allocatable & set) == set;
}

static void place_node(assigning *a, uint32_t v, unsigned unit)
{
    ra_node *node = &a->r->nodes[v];
    node->unit = (int)unit;
    a->r->used |= units_of(unit, node->words);
    for (unsigned w = 0; w < node->words; w++) assign_take(a, unit + w, &a->r->lanes[node->lane + w], v);
}

static void throw_out(assigning *a, uint32_t v)
{
    ra_node *node = &a->r->nodes[v];
    for (unsigned w = 0; w < node->words; w++) give_back(a, (unsigned)node->unit + w, &a->r->lanes[node->lane + w]);
    node->unit = -1;
    a->pending[a->pending_count++] = v;
}

static float met_weight(const assigning *a)
{
    float sum = 0;
    for (guint i = 0; i < a->met->len; i++) sum += a->r->nodes[g_array_index(a->met, uint32_t, i)].weight;
    return sum;
}

static bool look_at_all(assigning *a, const ra_node *node, unsigned unit)
{
    g_array_set_size(a->met, 0);
    for (unsigned w = 0; w < node->words; w++)
        if (!assign_look(a, unit + w, &a->r->lanes[node->lane + w])) return false;
    return true;
}

static void place_or_spill(assigning *a, uint32_t v)
{
    ra_node *node = &a->r->nodes[v];
    unsigned first = node->file == TW__MIR_AUX ? RA_A : RA_M;
    int best = -1, victim = -1;
    float best_score = 0, least = INFINITY;
    for (unsigned unit = first; unit < first + 16; unit += node->words) {
        if (!assign_fits(a, node, unit) || !look_at_all(a, node, unit)) continue;
        if (!a->met->len) {
            float score = hint_worth(a, v, unit) - unit_cost(a, node, unit);
            if (best < 0 || score > best_score) best = (int)unit, best_score = score;
        } else if (met_weight(a) < least) {
            victim = (int)unit, least = met_weight(a);
        }
    }
    if (best < 0 && victim >= 0 && least < node->weight) {
        look_at_all(a, node, (unsigned)victim);
        for (guint i = 0; i < a->met->len; i++) throw_out(a, g_array_index(a->met, uint32_t, i));
        best = victim;
    }
    if (best >= 0) {
        place_node(a, v, (unsigned)best);
        return;
    }
    if (node->is_short) a->r->problem = "one instruction needs more registers than there are";
    g_array_append_val(a->r->spilled, v);
}

typedef struct wish {
    uint32_t length, node;
} wish;

static int by_size(const void *a, const void *b)
{
    const wish *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    return x->node > y->node ? -1 : x->node < y->node;
}

/* The longest lives are taken last from a stack that grows down. */
static void sort_pending(assigning *a)
{
    const ra *r = a->r;
    g_autofree wish *wishes = g_new(wish, r->f->vreg_count + 1u);
    uint32_t n = 0;
    for (uint32_t v = 0; v < r->f->vreg_count; v++)
        if (r->nodes[v].lane) wishes[n++] = (wish){ r->nodes[v].length, v };
    qsort(wishes, n, sizeof *wishes, by_size);
    a->pending = RA_NEW_N(r->arena, uint32_t, r->f->vreg_count);
    for (uint32_t i = 0; i < n; i++) a->pending[i] = wishes[i].node;
    a->pending_count = n;
}

void tw__ra_assign(ra *r)
{
    assigning a = { .r = r,
                    .hints = g_array_new(FALSE, FALSE, sizeof(hint)),
                    .met = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
    for (unsigned unit = 0; unit < RA_UNITS; unit++) {
        a.units[unit] = g_array_new(FALSE, FALSE, sizeof(taken));
        assign_take(&a, unit, &r->lanes[unit], UINT32_MAX);
    }
    weigh(r);
    find_hints(&a);
    sort_pending(&a);
    while (a.pending_count && !r->problem) place_or_spill(&a, a.pending[--a.pending_count]);
    for (unsigned unit = 0; unit < RA_UNITS; unit++) g_array_free(a.units[unit], TRUE);
    g_array_free(a.hints, TRUE);
    g_array_free(a.met, TRUE);
}
