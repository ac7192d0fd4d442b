/* SPDX-License-Identifier: MIT */
/* Constraints of vertices (guide 3.2.2): from pairs of fields to pairs of objects.
 *
 * Two fields that are connected to different parts of one interval of a variable can only be placed apart when the
 * interval becomes several objects: it is cut where these edges begin and end, unless another edge crosses the
 * cut. */
#include "poplar/engine/place/place.h"

#include <stdlib.h>
#include <string.h>

/* --- cuts ----------------------------------------------------------------------------------------------------- */

static int by_element(const void *x, const void *y)
{
    const tw__cut *a = x, *b = y;
    if (a->var != b->var) return a->var < b->var ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

static void add_cut(tw__cuts *cuts, uint32_t var, uint64_t element)
{
    TW__APPEND(*cuts, cuts->failed = true, (tw__cut){ var, element });
}

static bool in_one_interval(const tw__variable *var, const tw__edge *a, const tw__edge *b)
{
    size_t at = tw__mapped_find(var, a->offset);
    if (at >= var->mapped_count) return false;
    const tw__mapped *m = &var->mapped[at];
    return m->begin <= a->offset && a->offset + a->count <= m->end && m->begin <= b->offset &&
           b->offset + b->count <= m->end;
}

static void cut_vertex(const tw__core *core, const tw__vertex *v, const tw__constraint *c, tw__cuts *cuts)
{
    for (uint32_t i = v->first_edge; i; i = core->edges[i].next) {
        const tw__edge *a = &core->edges[i];
        if (a->field != c->a || a->regions || !a->count) continue;
        for (uint32_t k = v->first_edge; k; k = core->edges[k].next) {
            const tw__edge *b = &core->edges[k];
            if (b->field != c->b || b->regions || !b->count || a->var != b->var) continue;
            if (a->offset < b->offset + b->count && b->offset < a->offset + a->count) continue; /* the same data */
            if (!in_one_interval(&core->vars[a->var], a, b)) continue;
            add_cut(cuts, a->var, a->offset), add_cut(cuts, a->var, a->offset + a->count);
            add_cut(cuts, b->var, b->offset), add_cut(cuts, b->var, b->offset + b->count);
        }
    }
}

/* Forgets the cuts that lie inside of an edge. */
static void drop_crossed(const tw__core *core, const tw__vertex *v, tw__cuts *cuts, bool *crossed)
{
    for (uint32_t i = v->first_edge; i; i = core->edges[i].next) {
        const tw__edge *e = &core->edges[i];
        if (e->regions || e->count < 2) continue;
        size_t low = 0, high = cuts->count; /* the first cut after the edge's beginning */
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            const tw__cut *c = &cuts->items[middle];
            if (c->var < e->var || (c->var == e->var && c->element <= e->offset))
                low = middle + 1;
            else
                high = middle;
        }
        for (;
             low < cuts->count && cuts->items[low].var == e->var && cuts->items[low].element < e->offset + e->count;
             low++)
            crossed[low] = true;
    }
}

typedef void (*each_vertex)(const tw__core *core, const tw__vertex *v, tw__cuts *cuts, bool *crossed);

static void cut_by_constraints(const tw__core *core, const tw__vertex *v, tw__cuts *cuts, bool *crossed)
{
    (void)crossed;
    const tw__vertex_type *info = core->types[v->type].info;
    for (unsigned c = 0; c < info->num_constraints; c++) cut_vertex(core, v, &info->placed_apart[c], cuts);
}

static void constraints_visit(const tw_engine *engine, each_vertex call, tw__cuts *cuts, bool *crossed)
{
    for (size_t x = 0; x < engine->plan.execs.count; x++) {
        size_t count;
        const uint32_t *list = tw__compute_set_vertices(engine->core, engine->plan.execs.items[x].cs, &count);
        for (size_t i = 0; i < count; i++) call(engine->core, &engine->core->vertices[list[i]], cuts, crossed);
    }
}

tw__cuts tw__placement_cuts(const tw_engine *engine)
{
    const tw__core *core = engine->core;
    tw__cuts cuts = { 0 };
    bool constrained = false;
    for (size_t t = 0; t < core->type_count; t++) constrained |= core->types[t].info->num_constraints > 0;
    if (!constrained) return cuts;
    constraints_visit(engine, cut_by_constraints, &cuts, NULL);
    if (!cuts.count) return cuts;
    qsort(cuts.items, cuts.count, sizeof *cuts.items, by_element);
    size_t kept = 1;
    for (size_t i = 1; i < cuts.count; i++)
        if (by_element(&cuts.items[kept - 1], &cuts.items[i]) != 0) cuts.items[kept++] = cuts.items[i];
    cuts.count = kept;
    bool *crossed = tw__calloc(cuts.count + 1, sizeof *crossed);
    if (!crossed) cuts.failed = true;
    if (crossed) constraints_visit(engine, drop_crossed, &cuts, crossed);
    kept = 0;
    for (size_t i = 0; crossed && i < cuts.count; i++)
        if (!crossed[i]) cuts.items[kept++] = cuts.items[i];
    cuts.count = kept;
    free(crossed);
    return cuts;
}

/* --- pairs ---------------------------------------------------------------------------------------------------- */

typedef TW__LIST(uint32_t) numbers;

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The objects that the edges of a field point to, each once. */
static bool objects_of(tw__placement *p, const tw__vertex *v, unsigned field, numbers *out)
{
    out->count = 0;
    for (uint32_t e = v->first_edge; e; e = p->core->edges[e].next) {
        const tw__edge *edge = &p->core->edges[e];
        if (edge->field != field || !edge->count) continue;
        uint32_t place = p->edge_place ? p->edge_place[e] : 0;
        uint32_t item =
            place ? p->buffers.items[place - 1].item : tw__placement_item_of(p, edge->var, edge->offset);
        if (item == TW__NO_PLACE) continue;
        if (!tw__grow(&out->items, &out->room, out->count, sizeof *out->items)) return false;
        out->items[out->count++] = item;
    }
    if (out->count > 1) qsort(out->items, out->count, sizeof *out->items, by_number);
    size_t kept = out->count > 0;
    for (size_t i = 1; i < out->count; i++)
        if (out->items[i] != out->items[kept - 1]) out->items[kept++] = out->items[i];
    out->count = kept;
    return true;
}

static void constraints_add_pair(tw__placement *p, uint32_t a, uint32_t b, tw__constraint_rule rule,
                                 const char *text)
{
    TW__APPEND(p->pairs, p->failed = true,
               (tw__place_pair){ a < b ? a : b, a < b ? b : a,
                                 rule == TW__CONSTRAINT_ELEM ? TW__PLACE_ELEM : TW__PLACE_REGION, text });
}

static void note_conflict(tw__placement *p, const tw__vertex *v, uint32_t vertex, const tw__constraint *c,
                          uint32_t item)
{
    const tw__vertex_type *info = p->core->types[v->type].info;
    char text[512];
    if (p->conflict) return;
    snprintf(text, sizeof text,
             "vertex %u of type %s on tile %u: \"%s\" cannot hold: fields '%s' and '%s' are connected to the same "
             "part of "
             "'%s'. Connect them to different variables",
             vertex, info->name, v->tile, c->text, info->fields[c->a].name, info->fields[c->b].name,
             p->items.items[item].name);
    p->conflict = strdup(text);
    if (!p->conflict) p->failed = true;
}

static int by_objects(const void *x, const void *y)
{
    const tw__place_pair *a = x, *b = y;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    if (a->b != b->b) return a->b < b->b ? -1 : 1;
    return (a->rule > b->rule) - (a->rule < b->rule);
}

/* Vertices that share variables ask for the same: one pair is enough. */
static void drop_repeated(tw__placement *p, size_t from)
{
    size_t kept = from;
    tw__place_pair *pairs = p->pairs.items;
    if (p->pairs.count - from < 2) return;
    qsort(pairs + from, p->pairs.count - from, sizeof *pairs, by_objects);
    for (size_t i = from; i < p->pairs.count; i++)
        if (i == from || by_objects(&pairs[kept - 1], &pairs[i]) != 0) pairs[kept++] = pairs[i];
    p->pairs.count = kept;
}

/* Text of messages, made once for each constraint of a type. */
static const char *constraints_text_of(tw_engine *engine, const tw__vertex_type *info, const tw__constraint *c,
                                       const char **texts)
{
    unsigned i = (unsigned)(c - info->placed_apart);
    if (!texts[i]) texts[i] = tw__arena_printf(engine->arena, "vertex type %s: %s", info->name, c->text);
    return texts[i];
}

void tw__placement_pairs(tw_engine *engine, tw__placement *p, uint32_t exec)
{
    const tw__exec *x = &engine->plan.execs.items[exec];
    size_t from = p->pairs.count, checked = from, count;
    unsigned most = 0;
    for (size_t g = 0; g < x->group_count; g++) {
        unsigned n = p->core->types[x->groups[g].type].info->num_constraints;
        if (n > most) most = n;
    }
    if (!most) return;
    const uint32_t *list = tw__compute_set_vertices(p->core, x->cs, &count);
    const char ***texts = tw__calloc(p->core->type_count + 1, sizeof *texts);
    numbers a = { 0 }, b = { 0 };
    if (!texts) p->failed = true;
    for (size_t i = 0; i < count && !p->failed; i++) {
        const tw__vertex *v = &p->core->vertices[list[i]];
        const tw__vertex_type *info = p->core->types[v->type].info;
        if (info->num_constraints && !texts[v->type])
            texts[v->type] = TW__NEW_N(engine->arena, const char *, info->num_constraints);
        for (unsigned c = 0; c < info->num_constraints && texts[v->type]; c++) {
            const tw__constraint *rule = &info->placed_apart[c];
            if (!objects_of(p, v, rule->a, &a) || !objects_of(p, v, rule->b, &b)) p->failed = true;
            for (size_t m = 0; m < a.count; m++)
                for (size_t n = 0; n < b.count; n++) {
                    if (a.items[m] == b.items[n]) note_conflict(p, v, list[i], rule, a.items[m]);
                    constraints_add_pair(p, a.items[m], b.items[n], rule->rule,
                                         constraints_text_of(engine, info, rule, texts[v->type]));
                }
        }
        if (p->pairs.count > 2 * checked + 4096) drop_repeated(p, from), checked = p->pairs.count;
    }
    drop_repeated(p, from);
    free(a.items), free(b.items), free(texts);
}
