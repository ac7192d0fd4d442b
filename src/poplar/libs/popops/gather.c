/* SPDX-License-Identifier: MIT */
/* Gather and scatter: slices at offsets that come as a tensor of any shape. */
#include "poplar/libs/popops/slice.h"

#include <string.h>

/* --- indices -------------------------------------------------------------------------------------------------- */

static bool gather_check_indices(tw_graph *graph, const char *call, tw_tensor indices)
{
    tw_type type = tw_tensor_type(graph, indices);
    if (!tw__libs_ready(graph)) return false;
    if (type == TW_INT || type == TW_UNSIGNED_INT) return true;
    tw_graph_fail(graph, TW_E_POPLIBS, call, "indices are int or unsigned int, not %s",
                  tw__libs_describe(graph, indices).text);
    return false;
}

/* Vectors of indices as [n][count], count numbers along dimension `dim`; `batch` gets the other dimensions. */
static bool gather_vectors(tw_graph *graph, const char *call, tw_tensor indices, size_t dim, unsigned count,
                           tw__extents *batch)
{
    if (!gather_check_indices(graph, call, indices)) return false;
    tw__extents own = tw__libs_shape(graph, indices);
    size_t numbers = dim < own.rank ? own.dim[dim] : 1;
    if (dim > own.rank || numbers != count) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has no vectors of %u numbers along dimension %zu",
                      tw__libs_describe(graph, indices).text, count, dim);
        return false;
    }
    batch->rank = 0;
    for (unsigned d = 0; d < own.rank; d++)
        if (d != dim) batch->dim[batch->rank++] = own.dim[d];
    return true;
}

static tw_tensor gather_matrix(tw_graph *graph, tw_tensor indices, size_t dim, unsigned count)
{
    unsigned rank = tw_tensor_rank(graph, indices);
    if (dim < rank) indices = tw_tensor_dim_roll(graph, indices, (unsigned)dim, rank - 1);
    size_t n = count ? (size_t)tw_tensor_elements(graph, indices) / count : 0;
    return tw_tensor_reshape(graph, indices, 2, (size_t[]){ n, count });
}

/* The last offset of each sliced dimension, [count]. */
static tw_tensor gather_limits(const tw__slicing *s)
{
    unsigned limit[TW__LIBS_RANK];
    for (unsigned i = 0; i < s->count; i++) limit[i] = s->extents[i] - s->sizes[i];
    size_t n = s->count;
    tw_tensor made = tw_graph_add_constant(s->graph, TW_UNSIGNED_INT, 1, &n, limit, false, NULL);
    tw_graph_map(s->graph, made, 0);
    return made;
}

/* Dimensions that `list` names, each below `rank` and, with `ascending`, in order; else no two alike. */
static bool gather_dims(tw_graph *graph, const char *call, const char *what, unsigned count, const size_t *list,
                        unsigned rank, bool ascending)
{
    if (!tw__libs_list(graph, call, what, count, list)) return false;
    for (unsigned i = 0; i < count; i++) {
        bool fits = list[i] < rank;
        for (unsigned k = 0; k < i; k++) fits &= ascending ? list[k] < list[i] : list[k] != list[i];
        if (fits) continue;
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s %s are not %sdimensions below %u", what,
                      tw__libs_shape_text(count, list).text, ascending ? "ascending " : "different ", rank);
        return false;
    }
    return true;
}

/* The sliced dimensions map[] of a tensor, windows of size[rank]; the other dimensions are cut to their sizes. */
static tw_tensor gather_cut(tw_graph *graph, tw_tensor tensor, unsigned count, const unsigned *map,
                            const size_t *size)
{
    tw__extents own = tw__libs_shape(graph, tensor);
    size_t begin[TW__LIBS_RANK] = { 0 }, end[TW__LIBS_RANK];
    memcpy(end, size, own.rank * sizeof *end);
    for (unsigned i = 0; i < count; i++) end[map[i]] = own.dim[map[i]];
    return tw_tensor_slice_nd(graph, tensor, begin, end);
}

static bool in_list(unsigned count, const size_t *list, size_t dim)
{
    for (unsigned i = 0; i < count; i++)
        if (list[i] == dim) return true;
    return false;
}

static void gather_widen(unsigned count, const unsigned *from, size_t *to)
{
    for (unsigned i = 0; i < count && i < TW__LIBS_RANK; i++) to[i] = from[i];
}

/* --- gather --------------------------------------------------------------------------------------------------- */

tw_tensor tw_popops_gather(tw_graph *graph, tw_tensor tensor, tw_tensor indices, unsigned axis, tw_program sequence,
                           const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__slicing s;
    if (!tw__slice_check(&s, graph, __func__, tensor, 1, (size_t[]){ axis }, (size_t[]){ 1 }) ||
        !gather_check_indices(graph, __func__, indices))
        return TW__LIBS_NIL;
    tw__extents own = tw__libs_shape(graph, indices);
    tw_graph_push_scope(graph);
    tw_tensor offsets = gather_matrix(graph, tw_tensor_flatten(graph, tw__libs_bits(graph, indices)), 1, 1);
    tw_tensor slices = tw__slice_many(&s, tensor, offsets, sequence, name);
    tw_tensor rows = tw_tensor_squeeze(graph, slices, 1, (size_t[]){ axis + 1 });
    tw_tensor made = tw_tensor_reshape_partial(graph, tw_tensor_dim_roll(graph, rows, 0, axis), axis, axis + 1,
                                               own.rank, own.dim);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

static bool gather_check(tw__slicing *s, tw_graph *graph, const char *call, tw_tensor tensor, tw_tensor indices,
                         const tw_gather *p, tw__extents *batch)
{
    size_t map[TW__LIBS_RANK], sizes[TW__LIBS_RANK];
    if (!tw__libs_ready(graph)) return false;
    tw__extents own = tw__libs_shape(graph, tensor);
    if (!tw__libs_ready(graph)) return false;
    if (!p || p->map_count > own.rank || p->collapsed_count > own.rank) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, p ? "%s does not have so many dimensions" : "of %s: which slices?",
                      tw__libs_describe(graph, tensor).text);
        return false;
    }
    if (!tw__libs_list(graph, call, "start_index_map", p->map_count, p->start_index_map) ||
        !tw__libs_list(graph, call, "slice_sizes", own.rank, p->slice_sizes))
        return false;
    gather_widen(p->map_count, p->start_index_map, map);
    if (!gather_dims(graph, call, "start_index_map", p->map_count, map, own.rank, false) ||
        !gather_dims(graph, call, "collapsed_dims", p->collapsed_count, p->collapsed_dims, own.rank, true) ||
        !gather_vectors(graph, call, indices, p->index_vector_dim, p->map_count, batch))
        return false;
    unsigned result = batch->rank + own.rank - p->collapsed_count;
    if (!gather_dims(graph, call, "offset_dims", p->offset_count, p->offset_dims, result, true)) return false;
    for (unsigned d = 0; d < own.rank; d++)
        if (p->slice_sizes[d] > own.dim[d] ||
            (in_list(p->collapsed_count, p->collapsed_dims, d) && p->slice_sizes[d] != 1)) {
            tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has no slices of %s, of which dimensions %s are left out",
                          tw__libs_describe(graph, tensor).text, tw__libs_shape_text(own.rank, p->slice_sizes).text,
                          tw__libs_shape_text(p->collapsed_count, p->collapsed_dims).text);
            return false;
        }
    if (p->offset_count != own.rank - p->collapsed_count) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%u dimensions of slices for %u offset_dims",
                      own.rank - p->collapsed_count, p->offset_count);
        return false;
    }
    for (unsigned i = 0; i < p->map_count; i++) sizes[i] = p->slice_sizes[map[i]];
    return tw__slice_check(s, graph, call, tensor, p->map_count, map, sizes);
}

/* [n][slice] to the result: dimensions of slices where `offset_dims` says, those of the batch in between. */
static tw_tensor gather_result(tw_graph *graph, tw_tensor slices, const tw_gather *p, const tw__extents *batch)
{
    size_t gone[TW__LIBS_RANK];
    unsigned order[TW__LIBS_RANK], rank = batch->rank + p->offset_count, from_batch = 0, from_slice = batch->rank;
    for (unsigned i = 0; i < p->collapsed_count; i++) gone[i] = p->collapsed_dims[i] + 1;
    if (p->collapsed_count) slices = tw_tensor_squeeze(graph, slices, p->collapsed_count, gone);
    tw_tensor apart = tw_tensor_reshape_partial(graph, slices, 0, 1, batch->rank, batch->dim);
    for (unsigned d = 0; d < rank; d++)
        order[d] = in_list(p->offset_count, p->offset_dims, d) ? from_slice++ : from_batch++;
    return tw_tensor_dim_shuffle(graph, apart, order);
}

tw_tensor tw_popops_gather_slices(tw_graph *graph, tw_tensor tensor, tw_tensor indices, const tw_gather *gather,
                                  tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__slicing s;
    tw__extents batch;
    if (!gather_check(&s, graph, __func__, tensor, indices, gather, &batch)) return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    tw_tensor matrix = gather_matrix(graph, indices, gather->index_vector_dim, s.count);
    bool is_signed = tw_tensor_type(graph, indices) == TW_INT;
    if (is_signed) matrix = tw_popops_map(graph, "max(_1, 0)", 1, &matrix, sequence, name, NULL);
    tw_tensor both[] = { tw__libs_bits(graph, matrix), gather_limits(&s) };
    tw_tensor offsets = tw_popops_map(graph, "min(_1, _2)", 2, both, sequence, name, NULL);
    tw_tensor cut = gather_cut(graph, tensor, s.count, gather->start_index_map, gather->slice_sizes);
    tw__slicing of_cut;
    size_t dims[TW__LIBS_RANK], sizes[TW__LIBS_RANK];
    for (unsigned i = 0; i < s.count; i++) dims[i] = s.order[i], sizes[i] = s.sizes[i];
    tw_tensor made = TW__LIBS_NIL;
    if (tw__slice_check(&of_cut, graph, __func__, cut, s.count, dims, sizes)) {
        tw_tensor slices = tw__slice_many(&of_cut, cut, offsets, sequence, name);
        made = gather_result(graph, slices, gather, &batch);
    }
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

/* --- scatter -------------------------------------------------------------------------------------------------- */

typedef struct scatter_call {
    tw_graph *graph;
    tw__slicing s;             /* of the cut tensor */
    tw_tensor tensor, updates; /* [n][window], of the tensor's rank */
    tw_tensor offsets, limits; /* [n][count], [count] */
    tw_scatter_update update;
    void *user;
    tw_program sequence;
    const char *name;
} scatter_call;

/* Extents of the window in all dimensions of the tensor; false with an error. */
static bool scatter_window(tw_graph *graph, const char *call, tw_tensor tensor, tw_tensor updates,
                           const tw_scatter *p, const tw__extents *batch, size_t *window)
{
    size_t dims[TW__LIBS_RANK];
    tw__extents own = tw__libs_shape(graph, tensor), given = tw__libs_shape(graph, updates);
    if (!tw__libs_ready(graph) || !tw__libs_list(graph, call, "window_dims", p->window_count, p->window_dims))
        return false;
    if (p->window_count > given.rank) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "window_dims has more numbers than %s has dimensions",
                      tw__libs_describe(graph, updates).text);
        return false;
    }
    gather_widen(p->window_count, p->window_dims, dims);
    if (!gather_dims(graph, call, "window_dims", p->window_count, dims, given.rank, true) ||
        !gather_dims(graph, call, "inserted_dims", p->inserted_count, p->inserted_dims, own.rank, true))
        return false;
    bool fits = p->window_count + p->inserted_count == own.rank && given.rank == batch->rank + p->window_count &&
                tw_tensor_type(graph, tensor) == tw_tensor_type(graph, updates);
    for (unsigned d = 0, at = 0; fits && d < own.rank; d++) {
        window[d] = in_list(p->inserted_count, p->inserted_dims, d) ? 1 : given.dim[dims[at++]];
        fits = window[d] <= own.dim[d];
    }
    for (unsigned d = 0, at = 0; fits && d < given.rank; d++)
        if (!in_list(p->window_count, dims, d)) fits = given.dim[d] == batch->dim[at++];
    if (!fits)
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s does not have the updates %s at indices of %s",
                      tw__libs_describe(graph, tensor).text, tw__libs_describe(graph, updates).text,
                      tw__libs_shape_text(batch->rank, batch->dim).text);
    return fits;
}

/* [n][window] of all dimensions of the tensor. */
static tw_tensor scatter_updates(tw_graph *graph, tw_tensor updates, const tw_scatter *p, const tw__extents *batch)
{
    unsigned order[TW__LIBS_RANK], rank = tw_tensor_rank(graph, updates), at = 0, behind = batch->rank;
    size_t dims[TW__LIBS_RANK], places[TW__LIBS_RANK];
    gather_widen(p->window_count, p->window_dims, dims);
    for (unsigned d = 0; d < rank; d++) order[in_list(p->window_count, dims, d) ? behind++ : at++] = d;
    tw_tensor rows = tw_tensor_dim_shuffle(graph, updates, order);
    size_t n = tw__libs_count(batch);
    rows = tw_tensor_reshape_partial(graph, rows, 0, batch->rank, 1, &n);
    /* before which dimension of what is there each new one comes */
    for (unsigned i = 0; i < p->inserted_count; i++) places[i] = p->inserted_dims[i] + 1 - i;
    return p->inserted_count ? tw_tensor_expand(graph, rows, p->inserted_count, places) : rows;
}

/* One update after the other, each joined with what is there by the callback. */
static void scatter_loop(scatter_call *c, const char *call)
{
    tw_graph *g = c->graph;
    size_t n = tw_tensor_dim(g, c->offsets, 0), zero = 0, one = 1, dims[TW__LIBS_RANK], sizes[TW__LIBS_RANK];
    unsigned rank = tw_tensor_rank(g, c->tensor);
    for (unsigned i = 0; i < c->s.count; i++) dims[i] = c->s.order[i], sizes[i] = c->s.sizes[i];
    tw_tensor counter = tw_graph_add_variable(g, TW_UNSIGNED_INT, 0, NULL, tw__libs_path(c->name, "count").text);
    tw_graph_map(g, counter, 0);
    tw_tensor at = tw_tensor_reshape(g, counter, 1, &one);
    tw_program body = tw_program_sequence(g, NULL), then = tw_program_sequence(g, NULL);
    tw_tensor row = tw_popops_dynamic_slice(g, c->offsets, at, 1, &zero, &one, body, c->name);
    tw_tensor offset = tw_tensor_flatten(g, row);
    tw_tensor within = tw_popops_lteq(g, offset, c->limits, body, c->name, NULL);
    tw_reduce_params all = { .op = TW_REDUCE_LOGICAL_AND };
    tw_tensor good = tw_popops_reduce(g, within, TW_TYPE_NONE, 1, &zero, &all, body, c->name, NULL);
    tw_tensor old = tw_popops_dynamic_slice(g, c->tensor, offset, c->s.count, dims, sizes, then, c->name);
    tw_tensor given = tw_popops_dynamic_slice(g, c->updates, at, 1, &zero, &one, then, c->name);
    tw_tensor joined = c->update(g, old, tw_tensor_squeeze(g, given, 1, &zero), then, c->user);
    if (tw__libs_ready(g) &&
        !(joined.id && tw_tensor_rank(g, joined) == rank && tw__libs_same_shape(g, joined, old)))
        tw_graph_fail(g, TW_E_POPLIBS, call, "an update gives a window of %s, not another tensor",
                      tw__libs_describe(g, old).text);
    tw_popops_dynamic_update(g, c->tensor, joined, offset, c->s.count, dims, sizes, then, c->name);
    tw_program_sequence_add(g, body, tw_program_if(g, good, then, tw_program_sequence(g, NULL)));
    tw_program_sequence_add(g, c->sequence, tw_program_counted_for_loop(g, counter, 0, (int64_t)n, 1, body));
}

static bool scatter_check(tw_graph *graph, const char *call, tw_tensor tensor, tw_tensor indices, tw_tensor updates,
                          const tw_scatter *p, tw__extents *batch, size_t *window)
{
    size_t map[TW__LIBS_RANK];
    if (!tw__libs_ready(graph)) return false;
    tw__extents own = tw__libs_shape(graph, tensor);
    if (!tw__libs_ready(graph)) return false;
    if (!p || p->map_count > own.rank) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s",
                      p ? "to_operand has more numbers than the tensor has dimensions" : "nothing says where");
        return false;
    }
    if (!tw__libs_list(graph, call, "to_operand", p->map_count, p->to_operand) ||
        !tw__libs_list(graph, call, "window", own.rank, window))
        return false;
    gather_widen(p->map_count, p->to_operand, map);
    if (!gather_vectors(graph, call, indices, p->index_vector_dim, p->map_count, batch) ||
        !gather_dims(graph, call, "to_operand", p->map_count, map, own.rank, false) ||
        !scatter_window(graph, call, tensor, updates, p, batch, window))
        return false;
    size_t sizes[TW__LIBS_RANK];
    for (unsigned i = 0; i < p->map_count; i++) sizes[i] = window[map[i]];
    tw__slicing whole;
    if (!tw__slice_check(&whole, graph, call, tensor, p->map_count, map, sizes)) return false;
    if (tw_tensor_is_parallel_writeable(graph, tensor)) return true;
    tw_graph_fail(graph, TW_E_POPLIBS, call, "%s cannot be written: it has constants, or elements twice",
                  tw__libs_describe(graph, tensor).text);
    return false;
}

bool tw_popops_scatter_window(tw_graph *graph, tw_tensor tensor, tw_tensor indices, tw_tensor updates,
                              const tw_scatter *scatter, size_t *window)
{
    tw__extents batch;
    return scatter_check(graph, __func__, tensor, indices, updates, scatter, &batch, window);
}

void tw_popops_scatter(tw_graph *graph, tw_tensor tensor, tw_tensor indices, tw_tensor updates,
                       const tw_scatter *scatter, tw_scatter_update update, void *user, tw_program sequence,
                       const char *name)
{
    tw__extents batch;
    size_t map[TW__LIBS_RANK], window[TW__LIBS_RANK], sizes[TW__LIBS_RANK];
    if (!tw__libs_takes(graph, __func__, sequence) ||
        !scatter_check(graph, __func__, tensor, indices, updates, scatter, &batch, window))
        return;
    gather_widen(scatter->map_count, scatter->to_operand, map);
    for (unsigned i = 0; i < scatter->map_count; i++) sizes[i] = window[map[i]];
    tw_graph_push_scope(graph);
    scatter_call c = { .graph = graph, .update = update, .user = user, .sequence = sequence, .name = name };
    c.tensor = gather_cut(graph, tensor, scatter->map_count, scatter->to_operand, window);
    c.updates = scatter_updates(graph, updates, scatter, &batch);
    if (tw__slice_check(&c.s, graph, __func__, c.tensor, scatter->map_count, map, sizes) &&
        tw_tensor_elements(graph, c.updates)) {
        tw_tensor matrix =
            gather_matrix(graph, tw__libs_bits(graph, indices), scatter->index_vector_dim, c.s.count);
        c.limits = gather_limits(&c.s), c.offsets = matrix;
        if (update) {
            scatter_loop(&c, __func__);
        } else {
            tw_tensor both[] = { matrix, c.limits };
            tw_tensor within =
                tw_popops_map(graph, "select(_1, 4294967295u, _1 <= _2)", 2, both, sequence, name, NULL);
            tw__slice_write(&c.s, TW__SLICE_UPDATE, c.tensor, c.updates, within, TW__LIBS_NIL, true, sequence,
                            name);
        }
    }
    tw_graph_pop_scope(graph);
}
