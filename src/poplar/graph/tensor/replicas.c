/* SPDX-License-Identifier: MIT */
/* Tensors, vertices and calls of replicated graphs, replica by replica (replicas.h). */
#include "poplar/graph/replicas.h"

#include <string.h>

/* --- tensors -------------------------------------------------------------------------------------------------- */

/* Replicas of a variable: 1 when it is not replicated. */
static unsigned replicas_of(const tw__core *core, uint32_t var)
{
    return core->vars[var].sisters + 1;
}

/* Replicas of a tensor: the same for all its replicated variables, 1 when it has none. 0 with an error. */
static unsigned replicas_in(const tw__core *core, const tw__regions *list)
{
    unsigned found = 1;
    for (uint32_t k = 0; k < list->n; k++) {
        unsigned n = replicas_of(core, list->region[k].var);
        if (n == 1 || n == found) continue;
        if (found != 1) {
            tw__graph_fail(core, TW_E_REPLICATION, "a tensor holds variables of %u and of %u replicas", found, n);
            return 0;
        }
        found = n;
    }
    return found;
}

/* Appends the tensor as replica `i` has it. */
static void build_part(tw__builder *builder, const tw__core *core, const tw__regions *list, unsigned i)
{
    for (uint32_t k = 0; k < list->n; k++) {
        const tw__region *r = &list->region[k];
        const tw__variable *v = &core->vars[r->var];
        tw__builder_box(builder, v->sisters && i ? v->first_sister + i - 1 : r->var, r->offset, r->dim, r->rank);
    }
}

tw_tensor tw__replica_parts(tw__core *core, const tw__node *t, unsigned begin, unsigned end, bool stacked)
{
    const tw__regions *list = tw__node_regions(core, t);
    size_t shape[TW__MAX_RANK + 1] = { end - begin };
    if (!list || (stacked && !tw__check_rank(core, t->t.rank + 1))) return TW__NIL_TENSOR;
    tw__builder b = { 0 };
    for (unsigned i = begin; i < end; i++) build_part(&b, core, list, i);
    tw__regions *all = tw__builder_finish(&b);
    if (!all) {
        tw__graph_no_memory(core);
        return TW__NIL_TENSOR;
    }
    if (t->t.rank) memcpy(shape + stacked, t->dims, t->t.rank * sizeof *shape);
    return tw__tensor_from_list(core, t->t.type, t->t.rank + stacked, shape, all);
}

tw_tensor tw__replica_tensor(const tw_graph *graph, tw_tensor tensor, unsigned i)
{
    tw__core *core = graph->core;
    const tw__node *t = tw__node_find(core, tensor);
    const tw__regions *list = t ? tw__node_elements(core, t) : NULL;
    if (!list) return tensor; /* nil or stale: the call itself says so */
    unsigned n = replicas_in(core, list);
    if (n <= 1) return tensor;
    if (n == graph->replicas) return i ? tw__replica_parts(core, t, i, i + 1, false) : tensor;
    char text[TW__TEXT_BYTES];
    tw__graph_fail(core, TW_E_REPLICATION, "%s has %u replicas, the graph has %u",
                   tw__node_text(core, t, text, sizeof text), n, graph->replicas);
    return TW__NIL_TENSOR;
}

unsigned tw__tensor_replicas(const tw__core *core, tw_tensor tensor)
{
    const tw__node *t = tw__node_find(core, tensor);
    if (!t) return 1; /* whoever uses the tensor says so */
    const tw__regions *list = tw__node_elements(core, t);
    return list ? replicas_in(core, list) : 0;
}

tw_tensor tw__tensor_of_replica(tw__core *core, tw_tensor tensor, unsigned i)
{
    return i ? tw__replica_parts(core, tw__node_find(core, tensor), i, i + 1, false) : tensor;
}

void tw__replica_drop(const tw_graph *graph, tw_tensor tensor, tw_tensor part)
{
    if (part.id != tensor.id || part.generation != tensor.generation) tw__tensor_drop(graph->core, part);
}

tw_tensor tw__replica_stacked(const tw_graph *graph, tw_tensor tensor, const char *what)
{
    const tw__node *t = tw__node_get(graph->core, tensor, what);
    tw_tensor probe = t ? tw__replica_tensor(graph, tensor, 0) : TW__NIL_TENSOR; /* checks the number */
    return probe.id ? tw__replica_parts(graph->core, t, 0, graph->replicas, true) : TW__NIL_TENSOR;
}

tw_tensor tw_graph_get_non_replicated_tensor(tw_graph *graph, tw_tensor tensor)
{
    TW__GET(graph, core, t, tensor, "the tensor");
    if (core->created) {
        tw__graph_fail(core, TW_E_REPLICATION,
                       "a graph that exists as replicas only has no tensors of all of them");
        return TW__NIL_TENSOR;
    }
    const tw__regions *list = tw__node_regions(core, t);
    unsigned n = list ? replicas_in(core, list) : 0;
    return n ? tw__replica_parts(core, t, 0, n, true) : TW__NIL_TENSOR;
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

bool tw__replica_next(const tw_graph *graph, unsigned i)
{
    if (i >= graph->replicas || !tw__graph_usable(graph)) return false;
    tw__call_site_again();
    return true;
}

bool tw__replica_link(const tw_graph *graph, size_t first_var, unsigned replicas)
{
    tw__core *core = graph->core;
    if (!tw__graph_usable(graph) || core->var_count != first_var + replicas) return false;
    core->vars[first_var].first_sister = (uint32_t)first_var + 1;
    core->vars[first_var].sisters = replicas - 1;
    return true;
}

tw_vertex tw__replica_vertex(const tw_graph *graph, tw_vertex vertex, unsigned i)
{
    const tw__core *core = graph->core;
    size_t low = 0, high = core->replicated_count;
    while (low < high) { /* ascending, since vertices are appended */
        size_t middle = (low + high) / 2;
        if (core->replicated[middle].first < vertex.id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < core->replicated_count && core->replicated[low].first == vertex.id &&
        core->replicated[low].count == graph->replicas)
        return (tw_vertex){ vertex.id + i };
    if (vertex.id)
        tw__graph_fail(core, TW_E_REPLICATION, "vertex %u was not added through a graph of %u replicas", vertex.id,
                       graph->replicas);
    else
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "the vertex is nil");
    return (tw_vertex){ 0 };
}
