/* SPDX-License-Identifier: MIT */
/* What each step reads and writes, by elements, and the units that follow from it.
 *
 * A variable is cut where a step touches a part of it, so that a tensor written in halves begins a new life like one
 * written as a whole. Elements that a step writes are known by the bounds of what it writes and by their number
 * (races are excluded, so numbers add up): a part whose elements are all written begins a new life, other writes need
 * the rest.
 * Always live: constants, variables with a host handle or that no program touches. Values survive from run to run, so
 * the programs of an engine stand in one loop. */
#include "poplar/engine/account/live.h"

#include <stdlib.h>
#include <string.h>

/* A variable with more cuts, or more units to touch in all, stays whole: its partial writes then need the rest. */
enum { MAX_CUTS = 4096, MAX_UNIT_TOUCHES = 1 << 20 };

typedef struct part {       /* of one variable, in the step at hand */
    uint64_t lo, hi, count; /* bounds, and for a write how many of the elements */
    uint32_t var;
    bool write;
    uint8_t from, to; /* phases */
} part;
typedef TW__LIST(part) parts;

typedef struct touch { /* of a step */
    uint32_t var;
    uint32_t bounds; /* index + 1; 0: the whole variable */
    bool kill;
    uint8_t from, to;
} touch;

typedef struct cut {
    uint64_t element;
    uint32_t var;
} cut;

typedef struct gather {
    tw__liveness *l;
    parts now;         /* of the step at hand */
    uint32_t *last;    /* [2 * variables] read or written last, index + 1 in `now` */
    parts uses, kills; /* of the variable at hand, in order, apart from each other */
    TW__LIST(touch) touches;
    size_t *first; /* [plan steps + 1] in `touches` */
    TW__LIST(part) bounds;
    TW__LIST(cut) cuts;
    uint32_t *count; /* [variables] touches */
} gather;

/* --- the parts of a step -------------------------------------------------------------------------------------- */

static bool is_full(const part *p)
{
    return !p->write || p->count == p->hi - p->lo;
}

/* Parts become one when that says no less: they overlap, or stand side by side and both are full. */
static bool joins(const part *a, const part *b)
{
    if (a->var != b->var || a->write != b->write) return false;
    if (a->lo < b->hi && b->lo < a->hi) return true;
    return a->lo <= b->hi && b->lo <= a->hi && is_full(a) && is_full(b);
}

static void live_touches_join(part *a, const part *b)
{
    if (b->lo < a->lo) a->lo = b->lo;
    if (b->hi > a->hi) a->hi = b->hi;
    if (b->from < a->from) a->from = b->from;
    if (b->to > a->to) a->to = b->to;
    a->count += b->count;
}

/* Vertices are made in the order of their data, mostly: what is touched last is where the next part goes on. */
static void note(gather *g, part p)
{
    if (p.lo == p.hi) return;
    uint32_t *last = &g->last[2 * p.var + p.write];
    if (*last && joins(&g->now.items[*last - 1], &p)) {
        live_touches_join(&g->now.items[*last - 1], &p);
        return;
    }
    TW__APPEND(g->now, g->l->failed = true, p);
    *last = (uint32_t)g->now.count;
}

static part live_touches_part_of(const tw__region *r, bool write, unsigned from, unsigned to)
{
    part p = { .lo = r->offset,
               .hi = r->offset + 1,
               .count = r->count,
               .var = r->var,
               .write = write,
               .from = (uint8_t)from,
               .to = (uint8_t)to };
    for (uint32_t d = 0; d < r->rank; d++) {
        int64_t reach = (int64_t)(r->dim[d].count - 1) * r->dim[d].stride;
        if (!r->dim[d].count) p.hi = p.lo;
        if (reach < 0)
            p.lo -= (uint64_t)-reach;
        else
            p.hi += (uint64_t)reach;
    }
    return p;
}

static void access(gather *g, const tw__regions *list, bool write, unsigned from, unsigned to)
{
    for (uint32_t i = 0; list && i < list->n; i++)
        if (list->region[i].count) note(g, live_touches_part_of(&list->region[i], write, from, to));
}

/* What goes through a buffer is read before vertices compute, and written after it. A value that is read and written
 * keeps what was there. */
static void access_vertices(gather *g, uint32_t cs)
{
    const tw__core *core = g->l->a->core;
    const tw__placement *p = g->l->a->placement;
    size_t count;
    const uint32_t *vertices = tw__compute_set_vertices((tw__core *)core, cs, &count);
    for (size_t i = 0; i < count; i++) {
        const tw__vertex *v = &core->vertices[vertices[i]];
        const tw__vertex_type *info = core->types[v->type].info;
        for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
            const tw__edge *edge = &core->edges[e];
            tw__direction direction = info->fields[edge->field].direction;
            bool buffered = p->edge_place && p->edge_place[e], write = direction == TW__OUTPUT;
            unsigned phase = !buffered                ? TW__PHASE_COMPUTE
                             : direction == TW__INPUT ? TW__PHASE_GATHER
                                                      : TW__PHASE_SEND;
            if (edge->regions)
                access(g, edge->regions, write, phase, phase);
            else if (edge->count)
                note(g, (part){ .lo = edge->offset,
                                .hi = edge->offset + edge->count,
                                .count = edge->count,
                                .var = edge->var,
                                .write = write,
                                .from = (uint8_t)phase,
                                .to = (uint8_t)phase });
        }
    }
}

/* a: 1 read, 2 written; b likewise. */
static const struct {
    uint8_t a, b;
} operands[] = {
    [TW__P_EXECUTE] = { 2, 0 },     [TW__P_COPY] = { 1, 2 },         [TW__P_STREAM_IN] = { 2, 0 },
    [TW__P_STREAM_OUT] = { 1, 0 },  [TW__P_REMOTE_IN] = { 2, 1 },    [TW__P_REMOTE_OUT] = { 1, 1 },
    [TW__P_WHILE_TRUE] = { 1, 0 },  [TW__P_WHILE_FALSE] = { 1, 0 },  [TW__P_IF] = { 1, 0 },
    [TW__P_SWITCH] = { 1, 0 },      [TW__P_WRITE_UNDEF] = { 2, 0 },  [TW__P_ABORT_IF] = { 1, 0 },
    [TW__P_ERROR] = { 1, 0 },       [TW__P_PRINT] = { 1, 0 },        [TW__P_COUNTED_FOR] = { 3, 1 },
    [TW__P_CYCLE_STAMP] = { 2, 0 }, [TW__P_CYCLES_SINCE] = { 3, 0 },
};

/* 1: replicas that nobody sends to keep what the destination holds. */
static unsigned keeps_some(const tw__program *p)
{
    for (uint32_t i = 0; tw__is_cross_copy(p) && i < p->case_count; i++)
        if (p->cases[i].value == TW__TO_NOBODY) return 1;
    return 0;
}

static void access_operand(gather *g, const tw__regions *list, unsigned how)
{
    if (how & 1) access(g, list, false, TW__PHASE_GATHER, TW__PHASE_SEND);
    if (how & 2) access(g, list, true, TW__PHASE_GATHER, TW__PHASE_SEND);
}

static int live_touches_by_place(const void *x, const void *y)
{
    const part *a = x, *b = y;
    if (a->var != b->var) return a->var < b->var ? -1 : 1;
    if (a->lo != b->lo) return a->lo < b->lo ? -1 : 1;
    return (a->write > b->write) - (a->write < b->write);
}

/* --- from parts to touches ------------------------------------------------------------------------------------ */

static void add_touch(gather *g, const part *p, bool kill)
{
    const tw__variable *var = &g->l->a->core->vars[p->var];
    touch t = { .var = p->var, .kill = kill, .from = p->from, .to = p->to };
    g->count[p->var]++;
    if (p->lo > 0 || p->hi < var->count) {
        TW__APPEND(g->bounds, g->l->failed = true, *p);
        t.bounds = (uint32_t)g->bounds.count;
        if (p->lo > 0) TW__APPEND(g->cuts, g->l->failed = true, (cut){ p->lo, p->var });
        if (p->hi < var->count) TW__APPEND(g->cuts, g->l->failed = true, (cut){ p->hi, p->var });
    }
    TW__APPEND(g->touches, g->l->failed = true, t);
}

/* Sorted parts of one variable: joins those that belong together. */
static void close_up(parts *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (kept && joins(&list->items[kept - 1], &list->items[i]))
            live_touches_join(&list->items[kept - 1], &list->items[i]);
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

/* Full writes without what is used: new lives. */
static void add_kills(gather *g)
{
    size_t u = 0;
    for (size_t k = 0; k < g->kills.count; k++) {
        part left = g->kills.items[k];
        while (u < g->uses.count && g->uses.items[u].hi <= left.lo) u++;
        for (size_t i = u; i < g->uses.count && g->uses.items[i].lo < left.hi; i++) {
            part before = left;
            before.hi = g->uses.items[i].lo;
            if (before.lo < before.hi) add_touch(g, &before, true);
            left.lo = g->uses.items[i].hi;
        }
        if (left.lo < left.hi) add_touch(g, &left, true);
    }
}

static void close_variable(gather *g, const part *list, size_t count)
{
    g->uses.count = g->kills.count = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].write) TW__APPEND(g->kills, g->l->failed = true, list[i]);
    close_up(&g->kills);
    for (size_t i = 0; i < count; i++)
        if (!list[i].write) TW__APPEND(g->uses, g->l->failed = true, list[i]);
    size_t full = 0;
    for (size_t k = 0; k < g->kills.count; k++) {
        part p = g->kills.items[k];
        if (is_full(&p)) {
            g->kills.items[full++] = p;
            continue;
        }
        p.write = false; /* needs the rest */
        TW__APPEND(g->uses, g->l->failed = true, p);
    }
    g->kills.count = full;
    if (g->uses.count > 1) qsort(g->uses.items, g->uses.count, sizeof *g->uses.items, live_touches_by_place);
    close_up(&g->uses);
    for (size_t u = 0; u < g->uses.count; u++) add_touch(g, &g->uses.items[u], false);
    add_kills(g);
}

static void gather_step(gather *g, size_t s)
{
    tw__accounting *a = g->l->a;
    const tw__plan *plan = &a->engine->plan;
    const tw__plan_step *step = &plan->steps.items[s];
    bool executes = step->kind == TW__S_EXECUTE;
    if (executes) access_vertices(g, plan->execs.items[step->payload].cs);
    for (uint32_t i = 0; i < step->programs; i++) {
        const tw__program *p = &a->core->programs[plan->step_programs.items[step->first_program + i]];
        if (p->kind >= sizeof operands / sizeof *operands) continue;
        access_operand(g, p->a.regions, operands[p->kind].a);
        access_operand(g, p->b.regions, operands[p->kind].b | keeps_some(p));
    }
    for (size_t i = 0; i < g->now.count; i++) g->last[2 * g->now.items[i].var + g->now.items[i].write] = 0;
    if (g->now.count > 1) qsort(g->now.items, g->now.count, sizeof *g->now.items, live_touches_by_place);
    for (size_t i = 0, end; i < g->now.count && !g->l->failed; i = end) {
        for (end = i; end < g->now.count && g->now.items[end].var == g->now.items[i].var;) end++;
        close_variable(g, g->now.items + i, end - i);
    }
    g->now.count = 0;
    g->first[s + 1] = g->touches.count;
}

/* --- units ---------------------------------------------------------------------------------------------------- */

/* Constants, host handles, and variables that no program touches. */
static bool *find_always(const gather *g)
{
    const tw__core *core = g->l->a->core;
    bool *always = tw__calloc(core->var_count + 1, sizeof *always);
    if (!always) return NULL;
    for (uint32_t var = 0; var < core->var_count; var++)
        always[var] = core->vars[var].is_constant || !g->count[var];
    for (size_t i = 0; i < core->access_count; i++) {
        const tw__regions *list = core->accesses[i].tensor.regions;
        for (uint32_t r = 0; list && r < list->n; r++) always[list->region[r].var] = true;
    }
    return always;
}

static int by_element(const void *x, const void *y)
{
    const cut *a = x, *b = y;
    if (a->var != b->var) return a->var < b->var ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

static void make_units(gather *g, const bool *always)
{
    tw__liveness *l = g->l;
    const tw__core *core = l->a->core;
    size_t vars = core->var_count, kept = 0, at = 0;
    if (g->cuts.count > 1) qsort(g->cuts.items, g->cuts.count, sizeof *g->cuts.items, by_element);
    for (size_t i = 0; i < g->cuts.count; i++)
        if (!kept || by_element(&g->cuts.items[kept - 1], &g->cuts.items[i]) != 0)
            g->cuts.items[kept++] = g->cuts.items[i];
    l->units = tw__calloc(vars + kept + 1, sizeof *l->units);
    l->first_unit = tw__calloc(vars + 1, sizeof *l->first_unit);
    if (!l->units || !l->first_unit || vars + kept >= UINT32_MAX) {
        l->failed = true;
        return;
    }
    for (uint32_t var = 0; var < vars; var++) {
        size_t first = at;
        while (at < kept && g->cuts.items[at].var == var) at++;
        size_t cuts = at - first;
        bool whole = always[var] || cuts > MAX_CUTS || (uint64_t)(cuts + 1) * g->count[var] > MAX_UNIT_TOUCHES;
        uint64_t begin = 0;
        l->first_unit[var] = (uint32_t)l->unit_count;
        for (size_t i = first; i < at && !whole; i++) {
            l->units[l->unit_count++] = (tw__live_unit){ begin, g->cuts.items[i].element, var };
            begin = g->cuts.items[i].element;
        }
        l->units[l->unit_count++] = (tw__live_unit){ begin, core->vars[var].count, var };
    }
    l->first_unit[vars] = (uint32_t)l->unit_count;
}

/* --- touches of units ----------------------------------------------------------------------------------------- */

typedef TW__LIST(tw__live_touch) touch_list;

static uint32_t unit_at(const tw__liveness *l, uint32_t var, uint64_t element)
{
    uint32_t low = l->first_unit[var], high = l->first_unit[var + 1];
    while (high - low > 1) { /* the last unit that begins at or before it */
        uint32_t middle = low + (high - low) / 2;
        if (l->units[middle].begin <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* `place`: [units] index + 1 in the list, of the step at hand when at or behind `begin`. */
static void add_unit(gather *g, touch_list *list, size_t begin, uint32_t unit, const touch *t, size_t *place)
{
    if (place[unit] > begin && place[unit] <= list->count && list->items[place[unit] - 1].unit == unit) {
        tw__live_touch *known = &list->items[place[unit] - 1];
        if (t->from < known->from) known->from = t->from;
        if (t->to > known->to) known->to = t->to;
        return;
    }
    TW__APPEND(*list, g->l->failed = true, (tw__live_touch){ unit, t->from, t->to });
    place[unit] = list->count;
}

static void spread(gather *g, const bool *always)
{
    tw__liveness *l = g->l;
    size_t steps = l->a->engine->plan.steps.count, *place = tw__calloc(l->unit_count + 1, sizeof *place);
    touch_list use = { 0 }, kill = { 0 };
    if (!place) l->failed = true;
    for (size_t s = 0; s < steps && !l->failed; s++) {
        for (size_t i = g->first[s]; i < g->first[s + 1]; i++) {
            const touch *t = &g->touches.items[i];
            if (always[t->var]) continue;
            uint32_t first = l->first_unit[t->var], end = l->first_unit[t->var + 1];
            bool kills = t->kill;
            if (t->bounds && end - first == 1)
                kills = false; /* of a variable that stays whole */
            else if (t->bounds) {
                const part *p = &g->bounds.items[t->bounds - 1];
                first = unit_at(l, t->var, p->lo), end = unit_at(l, t->var, p->hi - 1) + 1;
            }
            for (uint32_t u = first; u < end; u++)
                kills ? add_unit(g, &kill, l->first_kill[s], u, t, place)
                      : add_unit(g, &use, l->first_use[s], u, t, place);
        }
        l->first_use[s + 1] = use.count, l->first_kill[s + 1] = kill.count;
    }
    l->use = use.items, l->kill = kill.items;
    free(place);
}

void tw__live_touches(tw__liveness *l)
{
    gather g = { .l = l };
    size_t vars = l->a->core->var_count, steps = l->a->engine->plan.steps.count;
    g.last = tw__calloc(2 * vars + 2, sizeof *g.last);
    g.count = tw__calloc(vars + 1, sizeof *g.count);
    g.first = tw__calloc(steps + 1, sizeof *g.first);
    l->first_use = tw__calloc(steps + 1, sizeof *l->first_use);
    l->first_kill = tw__calloc(steps + 1, sizeof *l->first_kill);
    l->failed |= !g.last || !g.count || !g.first || !l->first_use || !l->first_kill;
    for (size_t s = 0; s < steps && !l->failed; s++) gather_step(&g, s);
    bool *always = l->failed ? NULL : find_always(&g);
    l->failed |= !always;
    if (!l->failed) make_units(&g, always);
    l->words = (l->unit_count + 63) / 64;
    l->always = tw__calloc(l->words + 1, sizeof *l->always);
    l->failed |= !l->always;
    for (uint32_t u = 0; u < l->unit_count && !l->failed; u++)
        if (always[l->units[u].var]) tw__live_put(l->always, u);
    if (!l->failed) spread(&g, always);
    free(always), free(g.last), free(g.count), free(g.first), free(g.now.items), free(g.uses.items);
    free(g.kills.items), free(g.touches.items), free(g.bounds.items), free(g.cuts.items);
}
