/* Which variables hold a value that is still needed, step by step: what each step touches, then live_flow.c, then lives for
 * the placement and account/live_report.c.
 *
 * Whole variables are followed. A step that writes every element of a variable (races are excluded, so the counts of its
 * outputs add up) begins a new life. Always live: constants, variables with a host handle, everything a tile keeps for
 * the whole run. Values survive from run to run, so the programs of an engine stand in one loop. */
#include "poplar/engine/place/live.h"

#include <stdlib.h>
#include <string.h>

/* --- uses and kills of a step ----------------------------------------------------------------------------------------- */

typedef struct gather { /* of the step at hand */
    tw__liveness *l;
    TW__LIST(uint32_t) use, kill, touched;
    uint64_t *written; /* [variables] elements */
    uint8_t *read;     /* [variables] */
} gather;

static void push(gather *g, uint32_t **items, size_t *room, size_t *count, uint32_t value)
{
    if (tw__grow(items, room, *count, sizeof **items))
        (*items)[(*count)++] = value;
    else
        g->l->failed = true;
}
#define APPEND(g, list, value) push(g, &(list).items, &(list).room, &(list).count, value)

static void reads(gather *g, uint32_t var)
{
    if (g->read[var]) return;
    if (!g->written[var]) APPEND(g, g->touched, var);
    g->read[var] = 1;
}

static void writes(gather *g, uint32_t var, uint64_t count)
{
    if (!count) return;
    if (!g->read[var] && !g->written[var]) APPEND(g, g->touched, var);
    g->written[var] += count;
}

static void access(gather *g, const tw__regions *list, bool read, bool write)
{
    for (uint32_t i = 0; list && i < list->n; i++) {
        if (read) reads(g, list->region[i].var);
        if (write) writes(g, list->region[i].var, list->region[i].count);
    }
}

static void access_vertices(gather *g, uint32_t cs)
{
    const tw__core *core = g->l->a->core;
    size_t count;
    const uint32_t *vertices = tw__compute_set_vertices((tw__core *)core, cs, &count);
    for (size_t i = 0; i < count; i++) {
        const tw__vertex *v = &core->vertices[vertices[i]];
        const tw__vertex_type *info = core->types[v->type].info;
        for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
            const tw__edge *edge = &core->edges[e];
            tw__direction direction = info->fields[edge->field].direction;
            bool read = direction != TW__OUTPUT, write = direction != TW__INPUT;
            if (edge->regions) {
                access(g, edge->regions, read, write);
                continue;
            }
            if (read) reads(g, edge->var);
            if (write) writes(g, edge->var, edge->count);
        }
    }
}

/* a: 1 read, 2 written; b likewise. */
static const struct {
    uint8_t a, b;
} operands[] = {
    [TW__P_EXECUTE] = { 2, 0 },    [TW__P_COPY] = { 1, 2 },        [TW__P_STREAM_IN] = { 2, 0 },
    [TW__P_STREAM_OUT] = { 1, 0 }, [TW__P_REMOTE_IN] = { 2, 1 },   [TW__P_REMOTE_OUT] = { 1, 1 },
    [TW__P_WHILE_TRUE] = { 1, 0 }, [TW__P_WHILE_FALSE] = { 1, 0 }, [TW__P_IF] = { 1, 0 },
    [TW__P_SWITCH] = { 1, 0 },     [TW__P_WRITE_UNDEF] = { 2, 0 }, [TW__P_ABORT_IF] = { 1, 0 },
    [TW__P_ERROR] = { 1, 0 },      [TW__P_PRINT] = { 1, 0 },       [TW__P_COUNTED_FOR] = { 3, 1 },
};

static void gather_step(gather *g, size_t s)
{
    tw__accounting *a = g->l->a;
    const tw__plan *plan = &a->engine->plan;
    const tw__plan_step *step = &plan->steps.items[s];
    if (step->kind == TW__S_EXECUTE) access_vertices(g, plan->execs.items[step->payload].cs);
    for (uint32_t i = 0; i < step->programs; i++) {
        const tw__program *p = &a->core->programs[plan->step_programs.items[step->first_program + i]];
        if (p->kind >= sizeof operands / sizeof *operands) continue;
        access(g, p->a.regions, operands[p->kind].a & 1, operands[p->kind].a & 2);
        access(g, p->b.regions, operands[p->kind].b & 1, operands[p->kind].b & 2);
    }
    for (size_t i = 0; i < g->touched.count; i++) {
        uint32_t var = g->touched.items[i];
        bool whole = g->written[var] >= a->core->vars[var].count && g->written[var];
        if (whole && !g->read[var])
            APPEND(g, g->kill, var);
        else
            APPEND(g, g->use, var); /* a partial write needs the rest */
        g->read[var] = 0, g->written[var] = 0;
    }
    g->touched.count = 0;
}

static bool gather_all(tw__liveness *l)
{
    gather g = { .l = l };
    size_t vars = l->a->core->var_count, steps = l->a->engine->plan.steps.count;
    g.written = tw__calloc(vars + 1, sizeof *g.written);
    g.read = tw__calloc(vars + 1, 1);
    l->first_use = tw__calloc(steps + 1, sizeof *l->first_use);
    l->first_kill = tw__calloc(steps + 1, sizeof *l->first_kill);
    l->failed |= !g.written || !g.read || !l->first_use || !l->first_kill;
    for (size_t s = 0; s < steps && !l->failed; s++) {
        gather_step(&g, s);
        l->first_use[s + 1] = g.use.count, l->first_kill[s + 1] = g.kill.count;
    }
    l->use = g.use.items, l->kill = g.kill.items;
    free(g.touched.items), free(g.written), free(g.read);
    return !l->failed;
}

/* Constants, host handles, and variables that no program touches. */
static void find_always(tw__liveness *l)
{
    const tw__core *core = l->a->core;
    size_t steps = l->a->engine->plan.steps.count;
    memset(l->always, 0xff, l->words * sizeof *l->always);
    for (size_t i = 0; i < l->first_use[steps]; i++) tw__live_drop(l->always, l->use[i]);
    for (size_t i = 0; i < l->first_kill[steps]; i++) tw__live_drop(l->always, l->kill[i]);
    for (uint32_t var = 0; var < core->var_count; var++)
        if (core->vars[var].is_constant) tw__live_put(l->always, var);
    for (size_t i = 0; i < core->access_count; i++) {
        const tw__regions *list = core->accesses[i].tensor.regions;
        for (uint32_t r = 0; list && r < list->n; r++) tw__live_put(l->always, list->region[r].var);
    }
    for (uint32_t var = (uint32_t)core->var_count; var < l->words * 64; var++) tw__live_drop(l->always, var);
}

/* Takes variables that are always live out of the lists of the steps. */
static void keep_others(const tw__liveness *l, uint32_t *list, size_t *first)
{
    size_t kept = 0, from = 0;
    for (size_t s = 0; s < l->a->engine->plan.steps.count; s++) {
        for (; from < first[s + 1]; from++)
            if (!tw__live_has(l->always, list[from])) list[kept++] = list[from];
        first[s + 1] = kept;
    }
}

/* --- lives for the placement: time is counted in entries of the shape -------------------------------------------------- */

/* From the first to the last entry at which a variable is live. What no step needs keeps its place. */
static bool set_variable_lives(const tw__liveness *l)
{
    tw__placement *p = l->a->placement;
    size_t vars = l->a->core->var_count;
    uint32_t *first = tw__realloc(NULL, (vars + 1) * sizeof *first), *last = tw__calloc(vars + 1, sizeof *last);
    bool ok = first && last;
    if (ok) memset(first, 0xff, (vars + 1) * sizeof *first);
    for (size_t i = 0; i < l->runs.count && ok; i++) {
        const tw__live_run *run = &l->runs.items[i];
        if (run->lo < first[run->var]) first[run->var] = run->lo;
        if (run->hi > last[run->var]) last[run->var] = run->hi;
    }
    for (uint32_t var = 0; var < vars && ok; var++)
        for (uint32_t i = p->var_first[var]; i < p->var_first[var + 1] && first[var] != UINT32_MAX; i++)
            p->items.items[i].first = first[var], p->items.items[i].last = last[var];
    free(first), free(last);
    return ok;
}

/* From the first to the last entry that executes their compute set. */
static void set_buffer_lives(const tw__accounting *a)
{
    tw__placement *p = a->placement;
    for (uint32_t at = (uint32_t)a->shape.count; at-- > 0;) {
        if (a->shape.items[at].kind != TW__SHAPE_STEP) continue;
        const tw__plan_step *step = &a->engine->plan.steps.items[a->shape.items[at].value];
        if (step->kind != TW__S_EXECUTE) continue;
        uint32_t x = step->payload;
        for (uint32_t i = p->exec_item[x]; i < p->exec_item_end[x]; i++) {
            tw__place_item *item = &p->items.items[i];
            item->first = at;
            if (item->last == TW__PLACE_ALWAYS) item->last = at;
        }
    }
}

tw_status tw__account_liveness(tw__accounting *a)
{
    tw__liveness l = { .a = a, .words = (a->core->var_count + 63) / 64 };
    l.always = tw__calloc(l.words + 1, sizeof *l.always);
    l.failed = !l.always;
    if (!l.failed && gather_all(&l)) {
        find_always(&l);
        keep_others(&l, l.use, l.first_use), keep_others(&l, l.kill, l.first_kill);
        tw__live_flow(&l);
    }
    if (!l.failed) tw__live_report(&l);
    set_buffer_lives(a);
    if (l.failed || !set_variable_lives(&l))
        TW__LOG(PROFILER, WARN, "liveness left out: %s; all variables keep their memory for the whole run",
                l.spent > TW__LIVE_BUDGET ? "the control flow is too large" : "out of memory");
    free(l.always), free(l.runs.items), free(l.use), free(l.kill), free(l.first_use), free(l.first_kill);
    return TW_OK;
}
