/* SPDX-License-Identifier: MIT */
/* Clones with the values of what they are clones of, here and on other IPUs. */
#include "poplar/libs/libs.h"

tw_tensor tw_poputil_duplicate(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name,
                               tw_clone_method method)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    tw_tensor made = tw_graph_clone(graph, TW_TYPE_NONE, tensor, method, name);
    tw_program_sequence_add(graph, sequence, tw_program_copy(graph, tensor, made));
    return made;
}

/* Maps `tensor` of `graph` as `like` is mapped in the graph `of`, each tile moved by `shift`. */
static void map_like(tw_graph *graph, tw_tensor tensor, const tw_graph *of, tw_tensor like, int64_t shift)
{
    g_autoptr(GArray) mapping = tw__libs_mapping(of, like);
    for (guint i = 0; i < mapping->len; i++) {
        const tw_mapped_interval *m = &g_array_index(mapping, tw_mapped_interval, i);
        tw_graph_map_range(graph, tensor, m->interval.begin, m->interval.end - m->interval.begin,
                           (unsigned)((int64_t)m->tile + shift));
    }
}

/* The IPU that has all of the tensor, or -1. */
static int64_t ipu_of(const tw_graph *graph, const GArray *mapping)
{
    unsigned per = tw_target_tiles_per_ipu(tw_graph_target(graph));
    int64_t ipu = -1;
    for (guint i = 0; i < mapping->len; i++) {
        int64_t own = g_array_index(mapping, tw_mapped_interval, i).tile / per;
        if (ipu >= 0 && own != ipu) return -1;
        ipu = own;
    }
    return ipu;
}

tw_tensor tw_poputil_clone_to_ipu(tw_graph *graph, tw_tensor tensor, unsigned ipu, const char *name,
                                  tw_clone_method method)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    const tw_target *target = tw_graph_target(graph);
    g_autoptr(GArray) mapping = tw__libs_mapping(graph, tensor);
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    int64_t from = ipu_of(graph, mapping);
    if (ipu >= tw_target_ipus(target) || from < 0) {
        TW__LIBS_REFUSE(graph,
                        ipu >= tw_target_ipus(target) ? "%s: there is no IPU %u of %u"
                                                      : "%s does not lie on one IPU that could become IPU %u of %u",
                        tw__libs_describe(graph, tensor).text, ipu, tw_target_ipus(target));
        return TW__LIBS_NIL;
    }
    int64_t shift = ((int64_t)ipu - from) * tw_target_tiles_per_ipu(target);
    tw_tensor made = tw_graph_clone(graph, TW_TYPE_NONE, tensor, method, name);
    map_like(graph, made, graph, tensor, shift);
    return made;
}

tw_tensor tw_poputil_copy_to_ipu(tw_graph *graph, tw_tensor tensor, tw_program sequence, unsigned ipu,
                                 const char *name, tw_clone_method method)
{
    tw_tensor made = tw_poputil_clone_to_ipu(graph, tensor, ipu, name, method);
    if (tw__libs_ready(graph)) tw_program_sequence_add(graph, sequence, tw_program_copy(graph, tensor, made));
    return made;
}

tw_tensor tw_poputil_clone_to_graph(tw_graph *graph, tw_graph *to, tw_tensor tensor, const char *name,
                                    tw_clone_method method)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    if (!to || tw_graph_replication_factor(graph) != tw_graph_replication_factor(to)) {
        TW__LIBS_REFUSE(graph, "the graphs have %u and %u replicas", tw_graph_replication_factor(graph),
                        to ? tw_graph_replication_factor(to) : 0);
        return TW__LIBS_NIL;
    }
    unsigned tiles = tw_target_tiles(tw_graph_target(to));
    g_autoptr(GArray) mapping = tw__libs_mapping(graph, tensor);
    for (guint i = 0; i < mapping->len; i++) {
        unsigned tile = g_array_index(mapping, tw_mapped_interval, i).tile;
        if (tile < tiles) continue;
        TW__LIBS_REFUSE(graph, "%s lies on tile %u, the other graph has %u tiles",
                        tw__libs_describe(graph, tensor).text, tile, tiles);
        return TW__LIBS_NIL;
    }
    tw_tensor made = tw_graph_clone(to, TW_TYPE_NONE, tensor, method, name);
    map_like(to, made, graph, tensor, 0);
    return made;
}
