/* SPDX-License-Identifier: MIT */
/* Making replicated graphs (replicas.h). */
#include "poplar/graph/replicas.h"

#include <stdlib.h>

unsigned tw_graph_replication_factor(const tw_graph *graph)
{
    if (graph && graph->core->created) return graph->core->created;
    return graph && graph->replicas ? graph->replicas : 1;
}

tw_tensor tw_graph_add_replication_index_constant(tw_graph *graph, const char *name)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    TW__REPLICA_VARIABLE(graph, i, one, tw_graph_add_constant(one, TW_UNSIGNED_INT, 0, NULL, &i, true, name));
    tw__core *core = graph->core;
    size_t vars = core->var_count;
    tw__call_site_again();
    tw_tensor index = tw_graph_add_constant(graph, TW_UNSIGNED_INT, 0, NULL, &(unsigned){ 0 }, true, name);
    if (core->created && core->var_count > vars) core->vars[vars].initial->replica = true;
    return index;
}

tw_graph *tw_graph_replicated(tw_graph *graph, unsigned factor)
{
    TW__ENTER(graph, tw__graph_refused(graph));
    const tw_target *t = graph->target;
    unsigned tiles = t->tiles, each = factor ? tiles / factor : 0;
    if (factor == 1) return graph->refs++, graph; /* the same graph once more */
    if (graph->replicas || graph->core->created) {
        tw__graph_fail(graph->core, TW_E_REPLICATION, "a replicated graph cannot be replicated again");
        return tw__graph_refused(graph);
    }
    if (!factor || tiles % factor || (t->ipus > 1 && t->ipus % factor && factor % t->ipus)) {
        tw__graph_fail(graph->core, TW_E_REPLICATION,
                       "replication factor %u does not divide the %u tile%s of %u IPU%s into equal parts", factor,
                       tiles, tiles == 1 ? "" : "s", t->ipus, t->ipus == 1 ? "" : "s");
        return tw__graph_refused(graph);
    }
    tw_graph **replica = tw__realloc(NULL, factor * sizeof *replica);
    unsigned made = 0;
    for (; replica && made < factor && tw__graph_usable(graph); made++)
        replica[made] = tw_graph_virtual_range(graph, made * each, (made + 1) * each);
    tw_graph *whole = replica && tw__graph_usable(graph) ? tw_graph_virtual_range(graph, 0, each) : NULL;
    if (whole && tw__graph_usable(graph)) {
        tw__core *core = graph->core;
        if (tiles == core->target->tiles) core->replicas = core->replicas && core->replicas != factor ? 1 : factor;
        whole->replica = replica;
        whole->replicas = factor;
        return whole;
    }
    tw__graph_no_memory(graph->core);
    while (made) tw_graph_free(replica[--made]);
    free(replica);
    tw_graph_free(whole);
    return tw__graph_refused(graph);
}
