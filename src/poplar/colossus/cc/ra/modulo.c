/* SPDX-License-Identifier: MIT */
/* Turns for the instructions of a loop, so that rounds overlap: iterative modulo scheduling (B. R. Rau, 1994) with
 * one turn from result to use and two slots in a turn. A register holds one value at a time: what a round writes
 * must not be needed any more when the next one writes it, which keeps the code free of copies. */
#include "poplar/colossus/cc/ra/loop.h"

#include <string.h>

enum { MOST_EDGES = 4000, MOST_TURNS = 64, MOST_STAGES = 8 };

typedef struct edge { /* time(to) >= time(from) + turns - rounds * length of a round */
    uint8_t from, to;
    int8_t turns;
    int16_t rounds;
} edge;

typedef struct scheduling {
    loop *l;
    GArray *edges;
    int length; /* turns of a round under trial */
    int height[LOOP_ITEMS], times[LOOP_ITEMS], last[LOOP_ITEMS];
    int slots[2][MOST_TURNS]; /* 1 + item */
} scheduling;

static void modulo_edge(scheduling *s, unsigned from, unsigned to, int turns, int rounds)
{
    edge e = { (uint8_t)from, (uint8_t)to, (int8_t)turns, (int16_t)rounds };
    if (from != to || turns > 0) g_array_append_val(s->edges, e);
}

/* --- registers -------------------------------------------------------------------------------------------------- */

static bool register_edges(scheduling *s, unsigned item)
{
    const loop *l = s->l;
    const tw__mir_insn *insn = l->items[item].insn;
    for (unsigned k = 0; k < insn->count; k++) {
        tw__mir_reg reg = tw__loop_read(&insn->operands[k]);
        if (!reg) continue;
        unsigned definer = tw__loop_definer(l, reg);
        const loop_phi *phi = tw__loop_phi(l, reg);
        if (definer) {
            modulo_edge(s, definer - 1, item, 1, 0);
            modulo_edge(s, item, definer - 1, 0, 1);
        } else if (phi) {
            definer = tw__loop_definer(l, phi->next);
            if (!definer) return false; /* a value of two rounds ago, or one that does not change */
            modulo_edge(s, definer - 1, item, 1, 1);
            if (definer - 1 != item) modulo_edge(s, item, definer - 1, 0, 0);
        }
    }
    return true;
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

/* Does `later`, `rounds` rounds on, touch what `first` touches? */
static bool access_touches(const loop_access *first, const loop_access *later, int64_t rounds)
{
    int64_t distance = later->offset + rounds * later->stride - first->offset;
    return distance < (int64_t)first->size && -distance < (int64_t)later->size;
}

enum { FAR = 16 }; /* rounds: more are never under way at once */

static void memory_edges(scheduling *s, unsigned a, unsigned b)
{
    const loop_item *x = &s->l->items[a], *y = &s->l->items[b]; /* x comes first in a round, or is y */
    const tw__mir_memory *m = &x->insn->memory, *n = &y->insn->memory;
    bool ordered = m->is_volatile && n->is_volatile;
    if (!ordered && (!m->use || !n->use || !((m->use | n->use) & TW__MIR_WRITE))) return;
    if (!ordered && m->group != n->group && m->group && n->group) return;
    bool known = !ordered && x->access.root && x->access.root == y->access.root &&
                 x->access.index == y->access.index && x->access.scale == y->access.scale;
    if (a != b && (!known || access_touches(&x->access, &y->access, 0))) modulo_edge(s, a, b, 1, 0);
    for (int rounds = 1; rounds <= FAR; rounds++) {
        bool back = !known || access_touches(&y->access, &x->access, rounds);
        bool forth = !known || access_touches(&x->access, &y->access, rounds);
        if (back) modulo_edge(s, b, a, 1, rounds);
        if (forth && a != b) modulo_edge(s, a, b, 1, rounds);
        if (!known) return;
    }
}

static void state_edges(scheduling *s)
{
    int first = -1, last = -1;
    for (unsigned i = 0; i < s->l->count; i++) {
        if (!tw__ra_has_state(s->l->items[i].insn)) continue;
        if (last >= 0) modulo_edge(s, (unsigned)last, i, 1, 0);
        if (first < 0) first = (int)i;
        last = (int)i;
    }
    if (first >= 0) modulo_edge(s, (unsigned)last, (unsigned)first, 1, 1);
}

/* --- Rau -------------------------------------------------------------------------------------------------------- */

/* False: some circle of dependences needs a longer round. */
static bool find_heights(scheduling *s)
{
    memset(s->height, 0, sizeof s->height);
    for (unsigned pass = 0; pass <= s->l->count; pass++) {
        bool changed = false;
        for (guint i = 0; i < s->edges->len; i++) {
            const edge *e = &g_array_index(s->edges, edge, i);
            int height = s->height[e->to] + e->turns - e->rounds * s->length;
            if (height > s->height[e->from]) s->height[e->from] = height, changed = true;
        }
        if (!changed) return true;
    }
    return false;
}

static void take_out(scheduling *s, unsigned item)
{
    if (s->times[item] < 0) return;
    s->slots[s->l->items[item].is_aux][s->times[item] % s->length] = 0;
    s->times[item] = -1;
}

static void put_in(scheduling *s, unsigned item, int time)
{
    int *slot = &s->slots[s->l->items[item].is_aux][time % s->length];
    if (*slot) take_out(s, (unsigned)*slot - 1);
    for (guint i = 0; i < s->edges->len; i++) {
        const edge *e = &g_array_index(s->edges, edge, i);
        if (e->from != item || e->to == item || s->times[e->to] < 0) continue;
        if (s->times[e->to] < time + e->turns - e->rounds * s->length) take_out(s, e->to);
    }
    *slot = (int)item + 1;
    s->times[item] = s->last[item] = time;
}

static int earliest(const scheduling *s, unsigned item)
{
    int time = 0;
    for (guint i = 0; i < s->edges->len; i++) {
        const edge *e = &g_array_index(s->edges, edge, i);
        if (e->to != item || e->from == item || s->times[e->from] < 0) continue;
        time = MAX(time, s->times[e->from] + e->turns - e->rounds * s->length);
    }
    return time;
}

static int highest_left(const scheduling *s, GRand *random)
{
    int best = -1;
    for (unsigned i = 0; i < s->l->count; i++) {
        if (s->times[i] >= 0) continue;
        if (best < 0 || s->height[i] > s->height[best]) best = (int)i;
        if (random && s->height[i] == s->height[best] && g_rand_boolean(random)) best = (int)i;
    }
    return best;
}

static bool try_length(scheduling *s, GRand *random)
{
    memset(s->slots, 0, sizeof s->slots);
    for (unsigned i = 0; i < s->l->count; i++) s->times[i] = s->last[i] = -1;
    if (!find_heights(s)) return false;
    unsigned budget = 12 * s->l->count + 20;
    for (int item; (item = highest_left(s, random)) >= 0;) {
        if (!budget--) return false;
        int from = earliest(s, (unsigned)item), time = -1;
        for (int t = from; t < from + s->length && time < 0; t++)
            if (!s->slots[s->l->items[item].is_aux][t % s->length]) time = t;
        if (time < 0) time = MAX(from, s->last[item] + 1);
        if (time > 60 * s->length) return false;
        put_in(s, (unsigned)item, time);
    }
    return true;
}

/* --- registers that are needed ---------------------------------------------------------------------------------- */

static unsigned words_of(const loop *l, tw__mir_reg reg)
{
    return l->f->vregs[reg - TW__MIR_VIRTUAL].words;
}

static unsigned modulo_file(const loop *l, tw__mir_reg reg)
{
    return l->f->vregs[reg - TW__MIR_VIRTUAL].file;
}

/* Turns from one that writes a register to the last that reads it. */
static int life_of(const scheduling *s, unsigned definer, tw__mir_reg reg)
{
    const loop *l = s->l;
    int life = 1;
    for (unsigned i = 0; i < l->count; i++)
        for (unsigned k = 0; k < l->items[i].insn->count; k++) {
            tw__mir_reg read = tw__loop_read(&l->items[i].insn->operands[k]);
            const loop_phi *phi = read ? tw__loop_phi(l, read) : NULL;
            if (read == reg) life = MAX(life, s->times[i] - s->times[definer]);
            if (phi && phi->next == reg) life = MAX(life, s->times[i] + s->length - s->times[definer]);
        }
    return life;
}

static void count_fixed(const scheduling *s, unsigned need[2])
{
    const loop *l = s->l;
    GArray *seen = g_array_new(FALSE, FALSE, sizeof(tw__mir_reg));
    for (unsigned i = 0; i < l->count; i++)
        for (unsigned k = 0; k < l->items[i].insn->count; k++) {
            tw__mir_reg reg = tw__loop_read(&l->items[i].insn->operands[k]);
            bool known = !reg || tw__loop_definer(l, reg) || tw__loop_phi(l, reg);
            for (guint n = 0; n < seen->len; n++) known = known || g_array_index(seen, tw__mir_reg, n) == reg;
            if (known) continue;
            g_array_append_val(seen, reg);
            need[modulo_file(l, reg)] += words_of(l, reg);
        }
    g_array_free(seen, TRUE);
}

static bool has_room(const scheduling *s)
{
    const loop *l = s->l;
    unsigned fixed[2] = { 0, 0 };
    int use[2][MOST_TURNS] = { { 0 } };
    count_fixed(s, fixed);
    for (unsigned i = 0; i < l->count; i++)
        for (unsigned k = 0; k < l->items[i].insn->count; k++) {
            const tw__mir_operand *o = &l->items[i].insn->operands[k];
            if (o->kind != TW__MIR_REG || !(o->use & TW__MIR_WRITE) || !ra_is_virtual(o->reg)) continue;
            int life = MIN(life_of(s, i, o->reg), s->length);
            for (int t = 0; t < life; t++) use[modulo_file(l, o->reg)][(s->times[i] + t) % s->length] += o->words;
        }
    for (int t = 0; t < s->length; t++)
        if (use[0][t] + (int)fixed[0] > 11 || use[1][t] + (int)fixed[1] > 8) return false;
    return true;
}

/* --- result ----------------------------------------------------------------------------------------------------- */

static void keep_times(scheduling *s)
{
    int first = INT_MAX, last = 0;
    for (unsigned i = 0; i < s->l->count; i++) first = MIN(first, s->times[i]);
    for (unsigned i = 0; i < s->l->count; i++) {
        s->l->items[i].time = s->times[i] - first;
        last = MAX(last, s->l->items[i].time);
    }
    s->l->turns = (unsigned)s->length;
    s->l->stages = (unsigned)(last / s->length) + 1;
}

bool tw__loop_schedule(loop *l, GRand *random)
{
    scheduling s = { .l = l, .edges = g_array_new(FALSE, FALSE, sizeof(edge)) };
    int slots[2] = { 0, 0 };
    bool found = true;
    for (unsigned i = 0; i < l->count && found; i++) {
        slots[l->items[i].is_aux]++;
        found = register_edges(&s, i);
        for (unsigned k = i; k < l->count; k++) memory_edges(&s, i, k);
    }
    state_edges(&s);
    found = found && s.edges->len < MOST_EDGES;
    if (found) {
        found = false;
        for (s.length = MAX(MAX(slots[0], slots[1]), 1); !found && s.length < MOST_TURNS; s.length++)
            if (try_length(&s, random) && has_room(&s)) {
                keep_times(&s);
                found = l->stages <= MOST_STAGES;
            }
    }
    g_array_free(s.edges, TRUE);
    return found;
}
