/* SPDX-License-Identifier: MIT */
/* Cycles of one vertex: what was set on it, what its type's estimator says, or a model from what its edges touch. */
#include "poplar/engine/engine.h"

#include <stdlib.h>

/* Plain scalar code: launch and exit, pointers from the vertex state, one 64-bit load or store for each 8 bytes of an
 * edge and one arithmetic instruction for each element of the longest edge. Estimates, marked as such. */
#define LAUNCH_CYCLES     12
#define FIELD_CYCLES      3
#define SUPERVISOR_CYCLES 11 /* PopLibs' basicOpSupervisorOverhead (Poplar API, cycles of compute sets) */

static uint64_t modelled_cycles(const tw__core *core, uint32_t vertex)
{
    const tw__vertex *v = &core->vertices[vertex];
    const tw__vertex_type *type = core->types[v->type].info;
    unsigned width = tw_target_data_path_width(core->target) / 8,
             contexts = tw_target_worker_contexts(core->target);
    uint64_t fixed = LAUNCH_CYCLES, words = 0, longest = 0;
    for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
        const tw__edge *edge = &core->edges[e];
        const tw__field *field = &type->fields[edge->field];
        uint64_t bytes = edge->count * tw_target_type_size(core->target, field->type);
        uint64_t moves = field->direction == TW__INOUT ? 2 : 1;
        fixed += FIELD_CYCLES;
        words += moves * ((bytes + width - 1) / width);
        if (edge->count > longest) longest = edge->count;
    }
    if (type->kind == TW__VERTEX) return fixed + words + longest;
    uint64_t share = (words + longest + contexts - 1) / contexts; /* the six workers split the elements */
    return SUPERVISOR_CYCLES + contexts * (fixed + share);
}

static int estimate_order(const void *key, const void *item)
{
    uint32_t a = *(const uint32_t *)key, b = ((const tw__vertex_estimate *)item)->vertex;
    return a < b ? -1 : a > b;
}

tw_perf_estimate tw__vertex_cycles(const tw__core *core, uint32_t vertex, bool *modelled)
{
    *modelled = false;
    if (core->estimate_count) {
        const tw__vertex_estimate *e =
            bsearch(&vertex, core->estimates, core->estimate_count, sizeof *e, estimate_order);
        if (e) return (tw_perf_estimate){ e->cycles, e->flops };
    }
    const tw__vertex_type_entry *type = &core->types[core->vertices[vertex].type];
    if (type->estimator) {
        tw_vertex_info info = { core, vertex };
        return type->estimator(&info, core->target, type->user);
    }
    *modelled = true;
    return (tw_perf_estimate){ modelled_cycles(core, vertex), 0 };
}
