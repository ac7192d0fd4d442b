/* SPDX-License-Identifier: MIT */
/* Shapes: what makes a tensor, and views that keep the order of its elements or permute its dimensions. */
#include "poplar/graph/build.h"

#include <string.h>

/* --- making tensors ------------------------------------------------------------------------------------------- */

/* A shape of rank 0 may be NULL, which memcpy() must not see. */
void tw__node_set_shape(tw__node *node, const size_t *shape)
{
    for (unsigned i = 0; i < node->t.rank; i++) node->dims[i] = shape[i];
}

tw__node *tw__node_affine(tw__core *core, const tw__node *like, unsigned rank)
{
    tw__node *node = tw__node_make(core, like->t.type, rank, true);
    if (node) {
        node->var = like->var;
        node->offset = like->offset;
    }
    return node;
}

tw_tensor tw__tensor_from_list(tw__core *core, tw_type type, unsigned rank, const size_t *shape, tw__regions *list)
{
    if (!list) {
        tw__graph_no_memory(core);
        return TW__NIL_TENSOR;
    }
    int64_t stride[TW__MAX_RANK] = { 0 };
    const tw__region *only = list->region;
    bool affine =
        list->n == 1 && tw__dims_reshape(only->dim, only->count == 1 ? 0 : only->rank, rank, shape, stride);
    tw__node *node = tw__node_make(core, type, rank, affine);
    if (!node) {
        tw__regions_unref(list);
        return TW__NIL_TENSOR;
    }
    tw__node_set_shape(node, shape);
    if (affine) {
        memcpy(tw__strides(node), stride, rank * sizeof *stride);
        node->var = only->var;
        node->offset = only->offset;
        tw__regions_unref(list); /* made again if somebody asks */
    } else {
        node->t.regions = list;
    }
    return tw__node_publish(core, node);
}

/* The same elements under another shape. */
tw_tensor tw__reshaped(tw__core *core, const tw__node *t, unsigned rank, const size_t *shape)
{
    if (t->affine) {
        tw__dim dims[TW__MAX_RANK];
        int64_t stride[TW__MAX_RANK] = { 0 };
        for (unsigned i = 0; i < t->t.rank; i++) dims[i] = (tw__dim){ t->dims[i], tw__strides(t)[i] };
        unsigned n = tw__dims_join(dims, t->t.rank);
        bool empty = tw__node_count(t) == 0;
        if (empty || tw__dims_reshape(dims, n, rank, shape, stride)) {
            tw__node *node = tw__node_affine(core, t, rank);
            if (!node) return TW__NIL_TENSOR;
            tw__node_set_shape(node, shape);
            memcpy(tw__strides(node), stride, rank * sizeof *stride);
            return tw__node_publish(core, node);
        }
    }
    tw_tensor result;
    if (t->set && tw__box_set_reshape(core, t, rank, shape, &result)) return result;
    tw__regions *list = tw__node_regions(core, t);
    return list ? tw__tensor_from_list(core, t->t.type, rank, shape, tw__regions_ref(list)) : TW__NIL_TENSOR;
}

uint64_t tw__dims_product(const size_t *shape, unsigned begin, unsigned end)
{
    uint64_t n = 1;
    for (unsigned i = begin; i < end; i++) n *= shape[i];
    return n;
}

/* --- argument checks ------------------------------------------------------------------------------------------ */

bool tw__check_dim(tw__core *core, const tw__node *t, unsigned dim)
{
    char text[TW__TEXT_BYTES];
    if (dim < t->t.rank) return true;
    return tw__graph_fail(core, TW_E_INDEX, "dimension %u is out of range: %s has %u dimension%s", dim,
                          tw__node_text(core, t, text, sizeof text), t->t.rank, t->t.rank == 1 ? "" : "s");
}

bool tw__check_rank(tw__core *core, unsigned rank)
{
    if (rank <= TW__MAX_RANK) return true;
    return tw__graph_fail(core, TW_E_TENSOR_CREATION, "a tensor of %u dimensions: at most %d are possible", rank,
                          TW__MAX_RANK);
}

bool tw__shape_count(const tw__core *core, unsigned rank, const size_t *shape, uint64_t *count)
{
    if (!tw__check_rank((tw__core *)(uintptr_t)core, rank)) return false;
    if (rank && !shape) return tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "the shape is NULL");
    if (!tw__shape_fits(rank, shape))
        return tw__graph_fail(core, TW_E_TENSOR_CREATION, "the shape has too many elements");
    *count = tw__dims_product(shape, 0, rank);
    return true;
}

/* Dimensions of 0 aside, so that strides exist and a dimension of 0 can be taken away: sizes in bits must fit,
 * too. */
bool tw__shape_fits(unsigned rank, const size_t *shape)
{
    uint64_t n = 1, limit = INT64_MAX / 64;
    for (unsigned i = 0; i < rank; i++)
        if (shape[i] && (__builtin_mul_overflow(n, shape[i], &n) || n > limit)) return false;
    return true;
}

/* --- shapes --------------------------------------------------------------------------------------------------- */

tw_tensor tw_tensor_reshape(tw_graph *graph, tw_tensor tensor, unsigned rank, const size_t *shape)
{
    TW__GET(graph, core, t, tensor, "the tensor to reshape");
    uint64_t count;
    char a[TW__TEXT_BYTES], b[TW__TEXT_BYTES];
    if (!tw__shape_count(core, rank, shape, &count)) return TW__NIL_TENSOR;
    if (count != tw__node_count(t)) {
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "reshape of %s with %llu elements to %s with %llu",
                       tw__node_text(core, t, a, sizeof a), (unsigned long long)tw__node_count(t),
                       tw__shape_text(rank, shape, b, sizeof b), (unsigned long long)count);
        return TW__NIL_TENSOR;
    }
    return tw__reshaped(core, t, rank, shape);
}

/* Dims [begin, end) of t replaced by `rank` new ones. */
static tw_tensor replaced(tw__core *core, const tw__node *t, unsigned begin, unsigned end, unsigned rank,
                          const size_t *shape)
{
    size_t all[2 * TW__MAX_RANK];
    unsigned n = begin;
    memcpy(all, t->dims, begin * sizeof *all);
    for (unsigned i = 0; i < rank; i++) all[n++] = shape[i];
    for (unsigned i = end; i < t->t.rank; i++) all[n++] = t->dims[i];
    uint64_t count;
    return tw__shape_count(core, n, all, &count) ? tw__reshaped(core, t, n, all) : TW__NIL_TENSOR;
}

static bool check_dims(tw__core *core, const tw__node *t, unsigned begin, unsigned end)
{
    char text[TW__TEXT_BYTES];
    if (begin <= end && end <= t->t.rank) return true;
    return tw__graph_fail(core, TW_E_INDEX, "dimensions [%u, %u) are out of range: %s has %u", begin, end,
                          tw__node_text(core, t, text, sizeof text), t->t.rank);
}

tw_tensor tw_tensor_reshape_partial(tw_graph *graph, tw_tensor tensor, unsigned begin, unsigned end, unsigned rank,
                                    const size_t *shape)
{
    TW__GET(graph, core, t, tensor, "the tensor to reshape");
    uint64_t count;
    char a[TW__TEXT_BYTES], b[TW__TEXT_BYTES];
    if (!check_dims(core, t, begin, end) || !tw__shape_count(core, rank, shape, &count)) return TW__NIL_TENSOR;
    if (count != tw__dims_product(t->dims, begin, end)) {
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "reshape of dimensions [%u, %u) of %s, %llu elements, to %s",
                       begin, end, tw__node_text(core, t, a, sizeof a),
                       (unsigned long long)tw__dims_product(t->dims, begin, end),
                       tw__shape_text(rank, shape, b, sizeof b));
        return TW__NIL_TENSOR;
    }
    return replaced(core, t, begin, end, rank, shape);
}

tw_tensor tw_tensor_flatten(tw_graph *graph, tw_tensor tensor)
{
    TW__GET(graph, core, t, tensor, "the tensor to flatten");
    size_t count = tw__node_count(t);
    return tw__reshaped(core, t, 1, &count);
}

tw_tensor tw_tensor_flatten_dims(tw_graph *graph, tw_tensor tensor, unsigned begin, unsigned end)
{
    TW__GET(graph, core, t, tensor, "the tensor to flatten");
    if (!check_dims(core, t, begin, end)) return TW__NIL_TENSOR;
    size_t count = tw__dims_product(t->dims, begin, end);
    return replaced(core, t, begin, end, 1, &count);
}

tw_tensor tw_tensor_expand(tw_graph *graph, tw_tensor tensor, unsigned count, const size_t *positions)
{
    TW__GET(graph, core, t, tensor, "the tensor to expand");
    char text[TW__TEXT_BYTES];
    size_t shape[TW__MAX_RANK];
    unsigned n = 0;
    if (!tw__check_rank(core, count > TW__MAX_RANK ? count : t->t.rank + count)) return TW__NIL_TENSOR;
    for (unsigned i = 0; i < count; i++)
        if (positions[i] > t->t.rank) {
            tw__graph_fail(core, TW_E_INDEX, "expand before dimension %zu is out of range: %s has %u dimensions",
                           positions[i], tw__node_text(core, t, text, sizeof text), t->t.rank);
            return TW__NIL_TENSOR;
        }
    for (unsigned d = 0; d <= t->t.rank; d++) {
        for (unsigned i = 0; i < count; i++)
            if (positions[i] == d) shape[n++] = 1;
        if (d < t->t.rank) shape[n++] = t->dims[d];
    }
    return tw__reshaped(core, t, n, shape);
}

tw_tensor tw_tensor_squeeze(tw_graph *graph, tw_tensor tensor, unsigned count, const size_t *dims)
{
    TW__GET(graph, core, t, tensor, "the tensor to squeeze");
    char text[TW__TEXT_BYTES];
    bool gone[TW__MAX_RANK] = { false };
    for (unsigned i = 0; i < count; i++) {
        if (!tw__check_dim(core, t, dims[i] > UINT32_MAX ? UINT32_MAX : (unsigned)dims[i])) return TW__NIL_TENSOR;
        if (t->dims[dims[i]] != 1) {
            tw__graph_fail(core, TW_E_INVALID_ARGUMENT,
                           "squeeze of dimension %zu of %s, which has %zu elements, not 1", dims[i],
                           tw__node_text(core, t, text, sizeof text), t->dims[dims[i]]);
            return TW__NIL_TENSOR;
        }
        gone[dims[i]] = true;
    }
    size_t shape[TW__MAX_RANK];
    unsigned n = 0;
    for (unsigned d = 0; d < t->t.rank; d++)
        if (!gone[d]) shape[n++] = t->dims[d];
    return tw__reshaped(core, t, n, shape);
}

/* --- order of dimensions -------------------------------------------------------------------------------------- */

static tw_tensor shuffled(tw__core *core, const tw__node *t, const unsigned *p)
{
    unsigned rank = t->t.rank;
    size_t shape[TW__MAX_RANK];
    for (unsigned i = 0; i < rank; i++) shape[i] = t->dims[p[i]];
    if (t->affine) {
        tw__node *node = tw__node_affine(core, t, rank);
        if (!node) return TW__NIL_TENSOR;
        tw__node_set_shape(node, shape);
        for (unsigned i = 0; i < rank; i++) tw__strides(node)[i] = tw__strides(t)[p[i]];
        return tw__node_publish(core, node);
    }
    tw__boxes boxes = { .rank = rank };
    tw__boxes_of_node(t, &boxes);
    for (size_t i = 0; i < boxes.n; i++) {
        tw__axis old[TW__MAX_RANK], *axis = tw__boxes_at(&boxes, i)->axis;
        memcpy(old, axis, rank * sizeof *old);
        for (unsigned k = 0; k < rank; k++) axis[k] = old[p[k]];
    }
    return tw__tensor_from_boxes(core, t->t.type, rank, shape, &boxes);
}

tw_tensor tw_tensor_dim_shuffle(tw_graph *graph, tw_tensor tensor, const unsigned *permutation)
{
    TW__GET(graph, core, t, tensor, "the tensor to shuffle");
    char text[TW__TEXT_BYTES];
    bool used[TW__MAX_RANK] = { false };
    for (unsigned i = 0; i < t->t.rank; i++) {
        if (!tw__check_dim(core, t, permutation[i])) return TW__NIL_TENSOR;
        if (used[permutation[i]]) {
            tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "dimension %u of %s appears twice in the permutation",
                           permutation[i], tw__node_text(core, t, text, sizeof text));
            return TW__NIL_TENSOR;
        }
        used[permutation[i]] = true;
    }
    return shuffled(core, t, permutation);
}

/* Dims source[k] move to positions destination[k]; the others keep their order. */
static tw_tensor moved(tw__core *core, const tw__node *t, unsigned count, const unsigned *source,
                       const unsigned *destination)
{
    char text[TW__TEXT_BYTES];
    unsigned p[TW__MAX_RANK], rank = t->t.rank, next = 0;
    bool taken[TW__MAX_RANK] = { false }, filled[TW__MAX_RANK] = { false };
    for (unsigned k = 0; k < count; k++) {
        if (!tw__check_dim(core, t, source[k]) || !tw__check_dim(core, t, destination[k])) return TW__NIL_TENSOR;
        if (taken[source[k]] || filled[destination[k]]) {
            tw__graph_fail(core, TW_E_INVALID_ARGUMENT,
                           "dimension %u of %s moves twice, or two move to dimension %u", source[k],
                           tw__node_text(core, t, text, sizeof text), destination[k]);
            return TW__NIL_TENSOR;
        }
        taken[source[k]] = filled[destination[k]] = true;
        p[destination[k]] = source[k];
    }
    for (unsigned d = 0; d < rank; d++) {
        if (filled[d]) continue;
        while (taken[next]) next++;
        p[d] = next++;
    }
    return shuffled(core, t, p);
}

tw_tensor tw_tensor_dim_shuffle_partial(tw_graph *graph, tw_tensor tensor, unsigned count, const unsigned *source,
                                        const unsigned *destination)
{
    TW__GET(graph, core, t, tensor, "the tensor to shuffle");
    return moved(core, t, count, source, destination);
}

tw_tensor tw_tensor_dim_roll(tw_graph *graph, tw_tensor tensor, unsigned dim, unsigned new_position)
{
    TW__GET(graph, core, t, tensor, "the tensor to roll");
    return moved(core, t, 1, &dim, &new_position);
}

tw_tensor tw_tensor_transpose(tw_graph *graph, tw_tensor tensor)
{
    TW__GET(graph, core, t, tensor, "the tensor to transpose");
    char text[TW__TEXT_BYTES];
    if (t->t.rank != 2) {
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT,
                       "transpose of %s, which has %u dimensions, not 2; tw_tensor_dim_shuffle() takes any number",
                       tw__node_text(core, t, text, sizeof text), t->t.rank);
        return TW__NIL_TENSOR;
    }
    return shuffled(core, t, (unsigned[]){ 1, 0 });
}
