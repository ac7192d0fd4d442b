/* SPDX-License-Identifier: MIT */
/* Broadcasting, and dimensions taken apart and put together. */
#include "poplar/libs/libs.h"

#include <limits.h>

bool tw_poputil_broadcast_shape(unsigned rank_a, const size_t *a, unsigned rank_b, const size_t *b, unsigned *rank,
                                size_t *shape)
{
    unsigned most = MAX(rank_a, rank_b);
    if ((rank_a && !a) || (rank_b && !b)) {
        tw_error_set(TW_E_POPLIBS, "tw_poputil_broadcast_shape: a shape of %u dimensions that is NULL",
                     rank_a && !a ? rank_a : rank_b);
        return false;
    }
    for (unsigned d = 0; d < most; d++) {
        size_t x = d + rank_a < most ? 1 : a[d + rank_a - most], y = d + rank_b < most ? 1 : b[d + rank_b - most];
        if (x != y && x != 1 && y != 1) return false;
        if (shape) shape[d] = x == 1 ? y : x;
    }
    if (rank) *rank = most;
    return true;
}

bool tw_poputil_can_broadcast(const tw_graph *graph, tw_tensor a, tw_tensor b)
{
    if (!tw__libs_ready(graph)) return false;
    tw__extents x = tw__libs_shape(graph, a), y = tw__libs_shape(graph, b);
    return tw__libs_ready(graph) && tw_poputil_broadcast_shape(x.rank, x.dim, y.rank, y.dim, NULL, NULL);
}

tw_tensor tw_poputil_broadcast_to(tw_graph *graph, tw_tensor tensor, unsigned rank, const size_t *shape)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    tw__extents own = tw__libs_shape(graph, tensor);
    if (!tw__libs_ready(graph) || !tw__libs_list(graph, __func__, "shape", rank, shape)) return TW__LIBS_NIL;
    bool fits = rank >= own.rank && rank <= TW__LIBS_RANK;
    for (unsigned d = 0; fits && d < own.rank; d++)
        fits = own.dim[d] == 1 || own.dim[d] == shape[d + rank - own.rank];
    for (unsigned d = 0; fits && d < rank; d++) fits = shape[d] <= UINT_MAX;
    if (!fits) {
        TW__LIBS_REFUSE(graph, "%s cannot be broadcast to %s", tw__libs_describe(graph, tensor).text,
                        tw__libs_shape_text(rank, shape).text);
        return TW__LIBS_NIL;
    }
    size_t grown[TW__LIBS_RANK];
    for (unsigned d = 0; d < rank; d++) grown[d] = d + own.rank < rank ? 1 : own.dim[d + own.rank - rank];
    tw_graph_push_scope(graph);
    tw_tensor view = tw_tensor_reshape(graph, tensor, rank, grown);
    for (unsigned d = 0; d < rank; d++)
        if (grown[d] != shape[d]) view = tw_tensor_broadcast(graph, view, (unsigned)shape[d], d);
    view = tw_tensor_keep(graph, view);
    tw_graph_pop_scope(graph);
    return view;
}

tw_tensor tw_poputil_factor_dims(tw_graph *graph, tw_tensor tensor, unsigned count, const size_t *factors,
                                 unsigned start)
{
    if (!tw__libs_ready(graph) || !tw__libs_list(graph, __func__, "factors", count, factors)) return TW__LIBS_NIL;
    tw__extents own = tw__libs_shape(graph, tensor);
    bool fits = tw__libs_ready(graph) && (uint64_t)start + count <= own.rank && own.rank + count <= TW__LIBS_RANK;
    for (unsigned i = 0; fits && i < count; i++) fits = factors[i] && own.dim[start + i] % factors[i] == 0;
    if (!fits) {
        TW__LIBS_REFUSE(graph, "%s has no %u dimensions from %u on that %s divides",
                        tw__libs_describe(graph, tensor).text, count, start,
                        tw__libs_shape_text(count, factors).text);
        return TW__LIBS_NIL;
    }
    tw__extents split = { .rank = own.rank + count };
    unsigned order[TW__LIBS_RANK];
    for (unsigned d = 0, at = 0; d < own.rank; d++) {
        bool factored = d >= start && d < start + count;
        if (factored) {
            split.dim[at] = own.dim[d] / factors[d - start], split.dim[at + 1] = factors[d - start];
            order[d] = at, order[d + count] = at + 1;
        } else {
            split.dim[at] = own.dim[d];
            order[d < start ? d : d + count] = at;
        }
        at += factored ? 2 : 1;
    }
    tw_tensor apart = tw_tensor_reshape(graph, tensor, split.rank, split.dim);
    tw_tensor made = tw_tensor_dim_shuffle(graph, apart, order);
    tw_tensor_free(graph, apart);
    return made;
}

tw_tensor tw_poputil_unfactor_dims(tw_graph *graph, tw_tensor tensor, unsigned count, unsigned start)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    tw__extents own = tw__libs_shape(graph, tensor);
    if (!tw__libs_ready(graph) || start + 2 * (uint64_t)count > own.rank) {
        TW__LIBS_REFUSE(graph, "%s has no %u pairs of dimensions from %u on", tw__libs_describe(graph, tensor).text,
                        count, start);
        return TW__LIBS_NIL;
    }
    unsigned order[TW__LIBS_RANK];
    tw__extents joined = { .rank = own.rank - count };
    for (unsigned d = 0, at = 0; d < joined.rank; d++) {
        bool pair = d >= start && d < start + count;
        unsigned from = d < start + count ? d : d + count;
        joined.dim[d] = pair ? own.dim[d] * own.dim[d + count] : own.dim[from];
        order[at++] = from;
        if (pair) order[at++] = d + count;
    }
    tw_tensor beside = tw_tensor_dim_shuffle(graph, tensor, order);
    tw_tensor made = tw_tensor_reshape(graph, beside, joined.rank, joined.dim);
    tw_tensor_free(graph, beside);
    return made;
}
