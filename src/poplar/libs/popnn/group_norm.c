/* SPDX-License-Identifier: MIT */
/* Normalisations of groups: views in which each group of a sample is a channel. */
#include "poplar/libs/popops/popops.h"

typedef struct group_norm {
    tw_graph *graph;
    tw__extents shape;
    size_t groups;
    bool strided;
} group_norm;

static bool group_check(group_norm *n, tw_graph *graph, const char *call, tw_tensor tensor, size_t groups,
                        const char *const *options)
{
    static const tw__libs_option table[] = { { "groupNormStridedChannelGrouping", TW__LIBS_BOOL, 0, NULL } };
    *n = (group_norm){ .graph = graph, .groups = groups, .strided = true };
    if (!tw__libs_ready(graph) || !tw__libs_options(graph, call, options, table, 1, &n->strided) ||
        !tw__real_check(graph, call, tensor, 2))
        return false;
    n->shape = tw__libs_shape(graph, tensor);
    if (n->shape.rank + 1 < TW__LIBS_RANK && groups && n->shape.dim[1] % groups == 0) return true;
    tw_graph_fail(graph, TW_E_POPLIBS, call, "the channels of %s are no %zu equal groups",
                  tw__libs_describe(graph, tensor).text, groups);
    return false;
}

/* [batch][channels][...] to [channels of a group][groups * batch][...]. */
static tw_tensor group_view(const group_norm *n, tw_tensor tensor)
{
    tw_graph *g = n->graph;
    size_t each = n->shape.dim[1] / n->groups, all = n->groups * n->shape.dim[0];
    size_t parts[] = { n->strided ? each : n->groups, n->strided ? n->groups : each };
    tw_tensor apart = tw_tensor_reshape_partial(g, tensor, 1, 2, 2, parts);
    unsigned order[TW__LIBS_RANK] = { n->strided ? 1 : 2, n->strided ? 2 : 1, 0 };
    for (unsigned d = 3; d <= n->shape.rank; d++) order[d] = d;
    return tw_tensor_reshape_partial(g, tw_tensor_dim_shuffle(g, apart, order), 1, 3, 1, &all);
}

static tw_tensor group_back(const group_norm *n, tw_tensor tensor)
{
    tw_graph *g = n->graph;
    size_t pair[] = { n->groups, n->shape.dim[0] };
    tw_tensor apart = tw_tensor_reshape_partial(g, tensor, 1, 2, 2, pair);
    unsigned order[TW__LIBS_RANK] = { 2, n->strided ? 0 : 1, n->strided ? 1 : 0 };
    for (unsigned d = 3; d <= n->shape.rank; d++) order[d] = d;
    return tw_tensor_reshape(g, tw_tensor_dim_shuffle(g, apart, order), n->shape.rank, n->shape.dim);
}

tw_pair tw_popnn_group_statistics(tw_graph *graph, tw_tensor tensor, size_t groups, double eps, bool unbiased,
                                  bool stable, tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_pair){ 0 };
    group_norm n;
    if (!group_check(&n, graph, __func__, tensor, groups, options)) return (tw_pair){ TW__LIBS_NIL, TW__LIBS_NIL };
    tw_graph_push_scope(graph);
    tw_pair made = tw_poplin_norm_statistics(graph, group_view(&n, tensor), eps, unbiased, stable, sequence, name);
    if (made.first.id) made.first = tw_tensor_keep(graph, made.first);
    if (made.second.id) made.second = tw_tensor_keep(graph, made.second);
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_popnn_group_whiten(tw_graph *graph, tw_tensor tensor, size_t groups, tw_tensor mean,
                                tw_tensor inv_std_dev, tw_program sequence, const char *name,
                                const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    group_norm n;
    if (!group_check(&n, graph, __func__, tensor, groups, options)) return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    tw_tensor made = tw_poplin_norm_whiten(graph, group_view(&n, tensor), mean, inv_std_dev, sequence, name);
    if (made.id) made = tw_tensor_keep(graph, group_back(&n, made));
    tw_graph_pop_scope(graph);
    return made;
}

bool tw_popnn_group_norm_fits(tw_graph *graph, tw_tensor tensor, size_t groups, tw_tensor statistics,
                              const char *const *options)
{
    group_norm n;
    if (!group_check(&n, graph, __func__, tensor, groups, options)) return false;
    tw_graph_push_scope(graph);
    bool fits = tw_poplin_norm_fits(graph, group_view(&n, tensor), TW__LIBS_NIL, 1, &statistics);
    tw_graph_pop_scope(graph);
    return fits;
}

tw_tensor tw_popnn_group_statistics_gradients(tw_graph *graph, tw_tensor whitened, tw_tensor gradient,
                                              size_t groups, tw_tensor inv_std_dev, tw_program sequence,
                                              const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    group_norm n;
    if (!group_check(&n, graph, __func__, whitened, groups, options)) return TW__LIBS_NIL;
    if (!tw__libs_same_shape(graph, whitened, gradient)) {
        if (tw__libs_ready(graph))
            TW__LIBS_REFUSE(graph, "the gradient of %s is like it, not %s", tw__libs_describe(graph, whitened).text,
                            tw__libs_describe(graph, gradient).text);
        return TW__LIBS_NIL;
    }
    tw_graph_push_scope(graph);
    tw_tensor made = tw_poplin_norm_statistics_gradients(graph, group_view(&n, whitened), group_view(&n, gradient),
                                                         inv_std_dev, sequence, name);
    if (made.id) made = tw_tensor_keep(graph, group_back(&n, made));
    tw_graph_pop_scope(graph);
    return made;
}
