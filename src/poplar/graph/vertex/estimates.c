/* SPDX-License-Identifier: MIT */
/* Performance estimates: set on a vertex, or computed by an estimator of its type (docs/decisions.md, G7). */
#include "poplar/graph/replicas.h"

#include <stdlib.h>
#include <string.h>

void tw_graph_set_perf_estimate(tw_graph *graph, tw_vertex vertex, uint64_t cycles, uint64_t flops)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA(graph, i, one,
                     tw_graph_set_perf_estimate(one, tw__replica_vertex(graph, vertex, i), cycles, flops));
    tw__core *core = graph->core;
    if (!tw__vertex_get(core, vertex)) return;
    size_t low = 0, high = core->estimate_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (core->estimates[mid].vertex < vertex.id)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == core->estimate_count || core->estimates[low].vertex != vertex.id) {
        if (!tw__grow(&core->estimates, &core->estimate_room, core->estimate_count, sizeof *core->estimates)) {
            tw__graph_no_memory(core);
            return;
        }
        memmove(&core->estimates[low + 1], &core->estimates[low],
                (core->estimate_count - low) * sizeof *core->estimates);
        core->estimate_count++;
    }
    core->estimates[low] = (tw__vertex_estimate){ vertex.id, cycles, flops };
}

void tw_graph_register_perf_estimator(tw_graph *graph, const char *vertex_type, tw_perf_estimator estimator,
                                      void *user, void (*destroy)(void *user))
{
    TW__ENTER(graph, );
    int64_t type = tw__type_entry(graph->core, vertex_type);
    if (type < 0) return;
    tw__vertex_type_entry *entry = &graph->core->types[type];
    if (entry->destroy) entry->destroy(entry->user);
    entry->estimator = estimator;
    entry->user = user;
    entry->destroy = destroy;
}

/* --- what an estimator may ask -------------------------------------------------------------------------------- */

static const tw__field *field_of(const tw_vertex_info *vertex, const char *name, unsigned *index)
{
    const tw__vertex_type *info = tw__vertex_info(vertex->core, &vertex->core->vertices[vertex->vertex]);
    for (unsigned i = 0; name && i < info->num_fields; i++)
        if (!strcmp(info->fields[i].name, name)) {
            *index = i;
            return &info->fields[i];
        }
    return NULL;
}

size_t tw_vertex_info_field_size(const tw_vertex_info *vertex, const char *field)
{
    if (!vertex) return 0;
    unsigned index;
    uint64_t size = 0;
    if (!field_of(vertex, field, &index)) return 0;
    tw__field_size_now(vertex->core, vertex->vertex, index, &size);
    return size;
}

size_t tw_vertex_info_sub_size(const tw_vertex_info *vertex, const char *field, size_t index)
{
    if (!vertex) return 0;
    const tw__core *core = vertex->core;
    unsigned number;
    const tw__field *f = field_of(vertex, field, &number);
    if (!f) return 0;
    if (f->form != TW__EDGE_VECTORS) return 1;
    for (uint32_t e = core->vertices[vertex->vertex].first_edge; e; e = core->edges[e].next)
        if (core->edges[e].field == number && core->edges[e].index == index) return core->edges[e].count;
    return 0;
}

/* Of state: in the host's form. */
static size_t state_values(const tw__core *core, const tw__field *f, const tw__field_value *v, double *values,
                           size_t room)
{
    bool wide = f->type == TW_HALF && tw__codelets_variant(core->codelets) == TW__HALF_FLOAT;
    tw_type type = wide ? TW_FLOAT : f->type;
    size_t size = tw_type_size(type), count = size ? v->bytes / size : 0;
    const uint8_t *bytes = v->bytes > 8 ? v->u.data : v->u.inline_bytes;
    for (size_t i = 0; i < count && i < room; i++) values[i] = tw_type_load(type, bytes + i * size);
    return count;
}

/* `count` elements of a connection from `done` on; false when one of them is no constant. */
static bool run_values(const tw__core *core, const tw__elems *run, double *values, size_t room, size_t done)
{
    double ignored;
    for (uint64_t i = 0; i < run->count; i++, done++)
        if (!tw__constant_element(core, run->var, run->offset + (uint64_t)((int64_t)i * run->stride),
                                  done < room ? &values[done] : &ignored))
            return false;
    return true;
}

static size_t edge_values(const tw__core *core, const tw__edge *e, double *values, size_t room)
{
    if (!e->regions) {
        tw__elems run = { e->var, e->offset, 1, e->count };
        return run_values(core, &run, values, room, 0) ? e->count : 0;
    }
    size_t done = 0;
    tw__region_walk walk = tw__region_walk_begin(e->regions, 0, e->regions->count);
    for (tw__elems run; tw__region_walk_next(&walk, &run); done += run.count)
        if (!run_values(core, &run, values, room, done)) return 0;
    return done;
}

size_t tw_vertex_info_values(const tw_vertex_info *vertex, const char *field, size_t sub, double *values,
                             size_t room)
{
    if (!vertex) return 0;
    const tw__core *core = vertex->core;
    const tw__vertex *v = &core->vertices[vertex->vertex];
    unsigned number;
    const tw__field *f = field_of(vertex, field, &number);
    if (!f) return 0;
    if (f->form == TW__STATE_PLAIN || f->form == TW__STATE_VECTOR) {
        for (uint32_t i = v->first_value; i; i = core->values[i].next)
            if (core->values[i].field == number) return state_values(core, f, &core->values[i], values, room);
        return 0;
    }
    for (uint32_t e = v->first_edge; e; e = core->edges[e].next)
        if (core->edges[e].field == number && core->edges[e].index == sub)
            return edge_values(core, &core->edges[e], values, room);
    return 0;
}

double tw_vertex_info_value(const tw_vertex_info *vertex, const char *field, size_t index)
{
    if (!vertex) return 0;
    double few[8], *values = index < 8 ? few : tw__calloc(index + 1, sizeof *values);
    bool known = values && tw_vertex_info_values(vertex, field, 0, values, index + 1) > index;
    double value = known ? values[index] : 0;
    if (values != few) free(values);
    return value;
}

const char *tw_vertex_info_layout(const tw_vertex_info *vertex, const char *field, unsigned dim)
{
    if (!vertex) return NULL;
    /* Names of poplar::layout (Poplar API, VectorLayout.hpp). */
    static const char *const names[TW__LAYOUT_COUNT] = {
        [TW__LAYOUT_NONE] = "NotAVector",
        [TW__LAYOUT_SPAN] = "Span",
        [TW__LAYOUT_SHORT_SPAN] = "ShortSpan",
        [TW__LAYOUT_ONE_PTR] = "OnePtr",
        [TW__LAYOUT_SCALED_PTR32] = "ScaledPtr32",
        [TW__LAYOUT_SCALED_PTR64] = "ScaledPtr64",
        [TW__LAYOUT_SCALED_PTR128] = "ScaledPtr128",
        [TW__LAYOUT_DELTAN] = "DeltaN",
        [TW__LAYOUT_DELTANELEMENTS] = "DeltaNElements",
    };
    unsigned index;
    const tw__field *f = field_of(vertex, field, &index);
    if (!f || dim >= f->rank) return names[TW__LAYOUT_NONE];
    return names[tw__layout_on(vertex->core->target, f->layout[f->is_list ? 0 : dim], f->min_align)];
}
