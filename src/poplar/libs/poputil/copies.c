/* SPDX-License-Identifier: MIT */
/* Clones with the values of what they are clones of, here and on other IPUs. */
#include "poplar/libs/libs.h"

/* A copy that writes each element once: a clone may keep aliases. */
static void copy_once(tw_graph *graph, tw_program sequence, tw_tensor from, tw_tensor to)
{
    if (tw__libs_ready(graph) && tw_tensor_contains_aliases(graph, to)) {
        tw_graph_push_scope(graph);
        tw_tensor flat = tw_tensor_flatten(graph, to);
        tw_sorted_regions *once = tw_tensor_sorted_contiguous_regions(graph, flat, 0, NULL, TW_REGIONS_ONCE);
        if (once) {
            tw_tensor source = tw_tensor_pick(graph, tw_tensor_flatten(graph, from), once->interval_count,
                                              once->intervals),
                      target = tw_tensor_pick(graph, flat, once->interval_count, once->intervals);
            tw_program_sequence_add(graph, sequence, tw_program_copy(graph, source, target));
        }
        tw_sorted_regions_free(once);
        tw_graph_pop_scope(graph);
        return;
    }
    tw_program_sequence_add(graph, sequence, tw_program_copy(graph, from, to));
}

tw_tensor tw_poputil_duplicate(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name,
                               tw_clone_method method)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw_tensor made = tw_graph_clone(graph, TW_TYPE_NONE, tensor, method, name);
    copy_once(graph, sequence, tensor, made);
    return made;
}

/* Maps `tensor` of `graph` as `like` is mapped in the graph `of`. */
static void map_like(tw_graph *graph, tw_tensor tensor, const tw_graph *of, tw_tensor like)
{
    g_autoptr(GArray) mapping = tw__libs_mapping(of, like);
    for (guint i = 0; i < mapping->len; i++) {
        const tw_mapped_interval *m = &g_array_index(mapping, tw_mapped_interval, i);
        tw_graph_map_range(graph, tensor, m->interval.begin, m->interval.end - m->interval.begin, m->tile);
    }
}

tw_tensor tw_poputil_clone_to_ipu(tw_graph *graph, tw_tensor tensor, unsigned ipu, const char *name,
                                  tw_clone_method method)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    const tw_target *target = tw_graph_target(graph);
    unsigned per = tw_target_tiles_per_ipu(target);
    g_autoptr(GArray) mapping = tw__libs_mapping(graph, tensor);
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    bool mapped = tw_graph_mapping_complete(graph, tensor);
    if (ipu >= tw_target_ipus(target) || !mapped) {
        TW__LIBS_REFUSE(graph,
                        mapped ? "%s: there is no IPU %u of %u" : "%s is not mapped to tiles: none on IPU %u of %u",
                        tw__libs_describe(graph, tensor).text, ipu, tw_target_ipus(target));
        return TW__LIBS_NIL;
    }
    tw_tensor made = tw_graph_clone(graph, TW_TYPE_NONE, tensor, method, name);
    for (guint i = 0; i < mapping->len; i++) { /* the same tile of that IPU, from whatever IPU it is */
        const tw_mapped_interval *m = &g_array_index(mapping, tw_mapped_interval, i);
        tw_graph_map_range(graph, made, m->interval.begin, m->interval.end - m->interval.begin,
                           ipu * per + m->tile % per);
    }
    return made;
}

tw_tensor tw_poputil_copy_to_ipu(tw_graph *graph, tw_tensor tensor, tw_program sequence, unsigned ipu,
                                 const char *name, tw_clone_method method)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw_tensor made = tw_poputil_clone_to_ipu(graph, tensor, ipu, name, method);
    if (tw__libs_ready(graph)) copy_once(graph, sequence, tensor, made);
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
    map_like(to, made, graph, tensor);
    return made;
}
