/* SPDX-License-Identifier: MIT */
/* What must hold before a graph is lowered: mapping, complete vertices, no races, no recursion. */
#include "poplar/graph/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check {
    tw__core *core;
    uint8_t *program_state; /* by id: see checks_visit() */
    bool *cs_used;          /* by id */
    uint8_t *var_state;     /* 0 unknown, 1 mapped completely, 2 with gaps */
    uint64_t *touches;      /* [variables] of the compute set at hand: number, then where the next one goes */
    bool *written;          /* [variables] by a vertex of that compute set */
} check;

static tw_status checks_no_memory(void)
{
    return tw__fail(TW_E_NO_MEMORY, "out of host memory");
}

static void *zeros(size_t count, size_t size)
{
    size_t bytes;
    void *memory = tw__mul_size(count, size, &bytes) ? tw__realloc(NULL, bytes ? bytes : 1) : NULL;
    return memory ? memset(memory, 0, bytes) : NULL;
}

/* --- mapping -------------------------------------------------------------------------------------------------- */

/* docs/decisions.md, G5: on the CPU what is not mapped lies on tile 0. */
static tw_status settle_all(tw__core *core)
{
    bool cpu = core->target->kind == TW_TARGET_CPU;
    for (size_t i = 0; i < core->var_count; i++)
        if (!tw__mapping_settle(&core->vars[i]) || (cpu && !tw__mapping_fill(&core->vars[i], 0)))
            return checks_no_memory();
    for (size_t v = 1; cpu && v < core->vertex_count; v++)
        if (core->vertices[v].tile == TW_UNMAPPED) core->vertices[v].tile = 0;
    return TW_OK;
}

static bool all_mapped(check *c, uint32_t var)
{
    uint8_t *state = &c->var_state[var];
    const tw__variable *v = &c->core->vars[var];
    if (!*state) *state = tw__mapping_gap(v, 0, v->count) == v->count ? 1 : 2;
    return *state == 1;
}

static tw_status unmapped(const tw__core *core, uint32_t var, uint64_t element, const char *user)
{
    char text[TW__TEXT_BYTES];
    tw__variable_text(core, var, text, sizeof text);
    if (!core->vars[var].mapped_count)
        return tw__fail(TW_E_TILE_MAPPING,
                        "unmapped variable: %s is on no tile but is used by %s; call tw_graph_map() or "
                        "tw_graph_map_linearly()",
                        text, user);
    return tw__fail(TW_E_TILE_MAPPING, "unmapped variable: element %llu of %s is on no tile but is used by %s",
                    (unsigned long long)element, text, user);
}

static tw_status regions_mapped(check *c, const tw__regions *list, const char *user)
{
    for (uint32_t i = 0; list && i < list->n; i++) {
        if (all_mapped(c, list->region[i].var)) continue;
        tw__region_walk walk = tw__region_walk_begin(list, list->first[i], list->first[i + 1]);
        const tw__variable *v = &c->core->vars[list->region[i].var];
        for (tw__elems e; tw__region_walk_next(&walk, &e);) {
            if (e.stride == 1) {
                uint64_t gap = tw__mapping_gap(v, e.offset, e.offset + e.count);
                if (gap != e.offset + e.count) return unmapped(c->core, e.var, gap, user);
                continue;
            }
            for (uint64_t k = 0; k < (e.stride ? e.count : 1); k++) {
                uint64_t at = e.offset + k * (uint64_t)e.stride;
                if (tw__mapping_gap(v, at, at + 1) == at) return unmapped(c->core, e.var, at, user);
            }
        }
    }
    return TW_OK;
}

/* --- programs ------------------------------------------------------------------------------------------------- */

/* Depth first. A program reached again while it is being visited can only be reached through a call: programs are
 * trees otherwise. */
static tw_status checks_visit(check *c, uint32_t id)
{
    enum { NEW, OPEN, DONE };
    tw__core *core = c->core;
    if (!id || c->program_state[id] == DONE) return TW_OK;
    const tw__program *p = &core->programs[id];
    if (c->program_state[id] == OPEN)
        return tw__fail(TW_E_RECURSION, "recursive call: a %s program%s%s is reached from itself",
                        tw__program_kind_name(p->kind), p->name[0] ? " " : "", p->name);
    c->program_state[id] = OPEN;
    char user[64];
    snprintf(user, sizeof user, "a %s program", tw__program_kind_name(p->kind));
    tw_status status = regions_mapped(c, p->a.regions, user);
    if (status == TW_OK) status = regions_mapped(c, p->b.regions, user);
    if (p->kind == TW__P_EXECUTE) c->cs_used[p->id] = true;
    for (uint32_t i = 0; i < p->child_count && status == TW_OK; i++) status = checks_visit(c, p->children[i]);
    for (uint32_t i = 0; i < p->case_count && status == TW_OK; i++) status = checks_visit(c, p->cases[i].body);
    if (p->kind == TW__P_CALL && status == TW_OK) status = checks_visit(c, core->functions[p->id].body);
    c->program_state[id] = DONE;
    return status;
}

/* --- vertices ------------------------------------------------------------------------------------------------- */

/* Vector<Input<T>> connected one by one: its edges become one, in the order of their indices. */
static tw_status join_scalars(tw__core *core, uint32_t vertex, unsigned field, uint64_t count)
{
    tw__vertex *v = &core->vertices[vertex];
    uint32_t *by_index = tw__calloc(count + 1, sizeof *by_index); /* edge 0 is empty */
    if (!by_index) return checks_no_memory();
    for (uint32_t e = v->first_edge; e; e = core->edges[e].next)
        if (core->edges[e].field == field && core->edges[e].index < count) by_index[core->edges[e].index] = e;
    tw__builder b = { 0 };
    for (uint64_t i = 0; i < count; i++) {
        const tw__edge *edge = &core->edges[by_index[i]];
        if (edge->regions)
            tw__builder_range(&b, edge->regions, 0, edge->count);
        else
            tw__builder_box(&b, edge->var, edge->offset, &(tw__dim){ edge->count, 1 }, 1);
    }
    tw__regions *list = tw__builder_finish(&b);
    if (!list) {
        free(by_index);
        return checks_no_memory();
    }
    /* The first edge of the field takes the list, the others leave the chain. */
    uint32_t keep = 0, last = 0;
    for (uint32_t e = v->first_edge, next; e; e = next) {
        next = core->edges[e].next;
        bool mine = core->edges[e].field == field;
        if (mine && keep) {
            core->edges[last].next = next;
            tw__regions_unref(core->edges[e].regions);
            core->edges[e].regions = NULL;
            continue;
        }
        if (mine) keep = e;
        last = e;
    }
    v->last_edge = last;
    tw__edge *edge = &core->edges[keep];
    tw__regions_unref(edge->regions);
    edge->regions = list;
    edge->index = 0;
    edge->var = list->region[0].var;
    edge->count = count;
    free(by_index);
    return TW_OK;
}

static tw_status incomplete(const tw__core *core, uint32_t vertex, const tw__field *f, const char *what)
{
    char text[TW__TEXT_BYTES];
    return tw__fail(TW_E_CONNECTION, "unconnected field: '%s' of %s %s", f->name,
                    tw__vertex_text(core, vertex, text, sizeof text), what);
}

/* First of `want` elements of a list field that no edge covers; for messages, so the chain is walked for each. */
static uint64_t first_unconnected(const tw__core *core, const tw__vertex *v, unsigned field, bool scalars,
                                  uint64_t want)
{
    for (uint64_t index = 0; index < want; index++) {
        bool found = false;
        for (uint32_t e = v->first_edge; e && !found; e = core->edges[e].next) {
            const tw__edge *edge = &core->edges[e];
            uint64_t covered = scalars ? edge->count : 1;
            found = edge->field == field && index >= edge->index && index - edge->index < covered;
        }
        if (!found) return index;
    }
    return want;
}

/* Are all edge fields of the vertex connected, with the number of sub-vectors that was set? */
static tw_status check_fields(check *c, uint32_t vertex)
{
    tw__core *core = c->core;
    const tw__vertex *v = &core->vertices[vertex];
    const tw__vertex_type *info = tw__vertex_info(core, v);
    for (unsigned k = 0; k < info->num_fields; k++) {
        const tw__field *f = &info->fields[k];
        uint64_t want = 0, edges = 0, elements = 0, last = 0;
        if (f->direction == TW__STATE) continue;
        for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
            if (core->edges[e].field != k) continue;
            edges++;
            elements += core->edges[e].count;
            last = MAX(last, core->edges[e].index);
        }
        bool list = f->form == TW__EDGE_VECTORS || f->form == TW__EDGE_SCALARS;
        bool sized = list && tw__field_size_find(core, vertex, k, &want);
        if (edges == 0 && sized && want == 0) continue;
        if (edges == 0) return incomplete(core, vertex, f, "is not connected to any tensor");
        /* Vector<Input<T>> is one edge of n elements, or n edges of one. */
        uint64_t connected = f->form == TW__EDGE_SCALARS ? elements : edges;
        if (list && !sized) want = MAX(connected, last + 1); /* one by one, with a gap */
        if (list && connected != want) {
            char what[96];
            snprintf(what, sizeof what, "has %llu of %llu elements connected: the first missing is element %llu",
                     (unsigned long long)connected, (unsigned long long)want,
                     (unsigned long long)first_unconnected(core, v, k, f->form == TW__EDGE_SCALARS, want));
            return incomplete(core, vertex, f, what);
        }
        if (f->form == TW__EDGE_SCALARS && edges > 1) {
            tw_status status = join_scalars(core, vertex, k, edges);
            if (status != TW_OK) return status;
        }
    }
    return TW_OK;
}

/* Constants made by tw_graph_connect_constant() lie with the vertex that reads them. */
static tw_status map_constant(check *c, const tw__vertex *v, const tw__edge *edge)
{
    tw__variable *var = &c->core->vars[edge->var];
    if (!var->is_anonymous_const || var->mapped_count || !edge->count) return TW_OK;
    return tw__mapping_fill(var, v->tile) ? TW_OK : checks_no_memory();
}

static tw_status check_edges(check *c, uint32_t vertex)
{
    tw__core *core = c->core;
    const tw__vertex *v = &core->vertices[vertex];
    const tw__vertex_type *info = tw__vertex_info(core, v);
    char text[TW__TEXT_BYTES], user[TW__TEXT_BYTES + 128];
    for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
        const tw__edge *edge = &core->edges[e];
        tw_status status = map_constant(c, v, edge);
        if (status != TW_OK) return status;
        if (!edge->count || (!edge->regions && all_mapped(c, edge->var))) continue;
        snprintf(user, sizeof user, "field '%.80s' of %s", info->fields[edge->field].name,
                 tw__vertex_text(core, vertex, text, sizeof text));
        if (edge->regions) {
            status = regions_mapped(c, edge->regions, user);
            if (status != TW_OK) return status;
            continue;
        }
        uint64_t end = edge->offset + edge->count, gap = tw__mapping_gap(&core->vars[edge->var], edge->offset, end);
        if (gap != end) return unmapped(core, edge->var, gap, user);
    }
    return TW_OK;
}

/* --- races ---------------------------------------------------------------------------------------------------- */

static tw_status race(const tw__core *core, const tw__touch *a, const tw__touch *b, uint64_t element,
                      const char *cs)
{
    char x[TW__TEXT_BYTES], y[TW__TEXT_BYTES], var[TW__TEXT_BYTES];
    const tw__touch *w = a->write ? a : b, *o = a->write ? b : a;
    const tw__field *wf = &tw__vertex_info(core, &core->vertices[w->owner])->fields[core->edges[w->tag].field];
    const tw__field *of = &tw__vertex_info(core, &core->vertices[o->owner])->fields[core->edges[o->tag].field];
    return tw__fail(
        TW_E_CONTROL_PROGRAM,
        "race in compute set '%s': element %llu of %s is written by field '%s' of %s and %s by field '%s' of %s",
        cs, (unsigned long long)element, tw__variable_text(core, a->var, var, sizeof var), wf->name,
        tw__vertex_text(core, w->owner, x, sizeof x), o->write ? "also written" : "read", of->name,
        tw__vertex_text(core, o->owner, y, sizeof y));
}

/* Touches of one compute set, gathered by variable; only of variables that somebody in the set writes. What is
 * indexed by variable belongs to the whole check and is cleared for the touched ones alone: there may be thousands of
 * sets. */
typedef struct gathered {
    uint32_t *vars; /* touched, in order of the first touch */
    size_t var_count, var_room;
    tw__touch *touches;
    size_t n;
    bool failed; /* out of memory */
} gathered;

typedef void (*touch_fn)(check *c, gathered *g, uint32_t vertex, uint32_t edge, const tw__region *region,
                         bool write);

static void count_touch(check *c, gathered *g, uint32_t vertex, uint32_t edge, const tw__region *region, bool write)
{
    (void)vertex;
    uint32_t var = region ? region->var : c->core->edges[edge].var;
    if (!c->touches[var]++) {
        if (tw__grow(&g->vars, &g->var_room, g->var_count, sizeof *g->vars))
            g->vars[g->var_count++] = var;
        else
            g->failed = true;
    }
    c->written[var] |= write;
}

static void place_touch(check *c, gathered *g, uint32_t vertex, uint32_t edge, const tw__region *region, bool write)
{
    const tw__edge *e = &c->core->edges[edge];
    uint32_t var = region ? region->var : e->var;
    if (!c->written[var]) return;
    tw__touch *t = &g->touches[c->touches[var]++];
    if (region) {
        tw__regions one = { .n = 1, .region = region };
        tw__touches_of(&one, vertex, write, t);
        t->tag = edge;
    } else {
        *t = (tw__touch){ .var = var,
                          .owner = vertex,
                          .begin = e->offset,
                          .end = e->offset + e->count,
                          .tag = edge,
                          .write = write };
    }
}

static void for_each_touch(check *c, gathered *g, const uint32_t *vertices, size_t n, touch_fn fn)
{
    const tw__core *core = c->core;
    for (size_t i = 0; i < n; i++) {
        const tw__vertex *v = &core->vertices[vertices[i]];
        const tw__field *fields = tw__vertex_info(core, v)->fields;
        for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
            const tw__edge *edge = &core->edges[e];
            bool write = fields[edge->field].direction != TW__INPUT;
            if (!edge->count) continue;
            if (!edge->regions) fn(c, g, vertices[i], e, NULL, write);
            for (uint32_t r = 0; edge->regions && r < edge->regions->n; r++)
                fn(c, g, vertices[i], e, &edge->regions->region[r], write);
        }
    }
}

static tw_status find_race(check *c, gathered *g, uint32_t cs, const uint32_t *vertices, size_t n)
{
    tw__core *core = c->core;
    for (size_t i = 0; i < g->var_count; i++) {
        uint32_t var = g->vars[i];
        uint64_t here = c->written[var] ? c->touches[var] : 0;
        c->touches[var] = g->n; /* where its first touch goes */
        g->n += here;
    }
    g->touches = tw__realloc(NULL, (g->n + 1) * sizeof *g->touches);
    if (!g->touches) return checks_no_memory();
    for_each_touch(c, g, vertices, n, place_touch);
    tw__touch a, b;
    uint64_t element;
    switch (tw__overlap_find(g->touches, g->n, &a, &b, &element)) {
    case TW__OVERLAP_NONE: return TW_OK;
    case TW__OVERLAP_FOUND: return race(core, &a, &b, element, core->compute_sets[cs].name);
    case TW__OVERLAP_NO_MEMORY: break;
    }
    return checks_no_memory();
}

static tw_status check_races(check *c, uint32_t cs, const uint32_t *vertices, size_t n)
{
    gathered g = { 0 };
    if (n < 2) return TW_OK;
    for_each_touch(c, &g, vertices, n, count_touch);
    tw_status status = g.failed ? checks_no_memory() : find_race(c, &g, cs, vertices, n);
    for (size_t i = 0; i < g.var_count; i++) {
        c->touches[g.vars[i]] = 0;
        c->written[g.vars[i]] = false;
    }
    free(g.vars);
    free(g.touches);
    return status;
}

static tw_status check_compute_set(check *c, uint32_t cs)
{
    tw__core *core = c->core;
    size_t n;
    const uint32_t *vertices = tw__compute_set_vertices(core, cs, &n);
    if (n < core->compute_sets[cs].vertices) return checks_no_memory();
    for (size_t i = 0; i < n; i++) {
        char text[TW__TEXT_BYTES];
        if (core->vertices[vertices[i]].tile == TW_UNMAPPED)
            return tw__fail(TW_E_TILE_MAPPING,
                            "unmapped vertex: %s in compute set '%s' is on no tile; call tw_graph_map_vertex()",
                            tw__vertex_text(core, vertices[i], text, sizeof text), core->compute_sets[cs].name);
        tw_status status = check_fields(c, vertices[i]);
        if (status == TW_OK) status = check_edges(c, vertices[i]);
        if (status != TW_OK) return status;
    }
    return check_races(c, cs, vertices, n);
}

static tw_status run_checks(check *c, const uint32_t *programs, size_t count)
{
    tw__core *core = c->core;
    tw_status status = settle_all(core);
    for (size_t i = 0; i < count && status == TW_OK; i++) {
        if (!programs[i] || programs[i] >= core->program_count)
            return tw__fail(TW_E_CONTROL_PROGRAM, "program %zu is %s", i,
                            programs[i] ? "not one of this graph" : "nil");
        status = checks_visit(c, programs[i]);
    }
    for (size_t i = 0; i < core->access_count && status == TW_OK; i++) {
        char user[TW__TEXT_BYTES];
        snprintf(user, sizeof user, "the host access '%.200s'", core->accesses[i].handle);
        status = regions_mapped(c, core->accesses[i].tensor.regions, user);
    }
    for (uint32_t cs = 1; cs < core->compute_set_count && status == TW_OK; cs++)
        if (c->cs_used[cs]) status = check_compute_set(c, cs);
    return status;
}

tw_status tw__graph_check(tw__core *core, const uint32_t *programs, size_t count)
{
    const tw_error *sticky = &core->error->error;
    if (sticky->status != TW_OK) {
        if (sticky->file)
            return tw__fail(sticky->status, "%s:%d: %s: %s", sticky->file, sticky->line, sticky->function,
                            sticky->message);
        return tw__fail(sticky->status, "%s: %s", sticky->function, sticky->message);
    }
    check c = { .core = core,
                .program_state = zeros(core->program_count, 1),
                .cs_used = zeros(core->compute_set_count, sizeof(bool)),
                .var_state = zeros(core->var_count, 1),
                .touches = zeros(core->var_count, sizeof(uint64_t)),
                .written = zeros(core->var_count, sizeof(bool)) };
    tw_status status = TW_OK;
    if (!c.program_state || !c.cs_used || !c.var_state || !c.touches || !c.written)
        status = checks_no_memory();
    else
        status = run_checks(&c, programs, count);
    free(c.program_state);
    free(c.cs_used);
    free(c.var_state);
    free(c.touches);
    free(c.written);
    if (status == TW_OK) tw__graph_log(core);
    return status;
}
