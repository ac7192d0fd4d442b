/* SPDX-License-Identifier: MIT */
/* How elements lie in storage: groups that are neighbours, variables made of whole blocks. */
#include "poplar/libs/libs.h"

#include <string.h>

static unsigned gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b, b = rest;
    }
    return (unsigned)a;
}

/* Cuts of the flattened tensor: where a run of storage or a tile ends. Every group must end at none of them but its
 * own borders, so its size divides the last dimension and the place of each cut. */
unsigned tw_poputil_innermost_grouping(tw_graph *graph, tw_tensor tensor)
{
    if (!tw__libs_ready(graph)) return 0;
    tw__extents s = tw__libs_shape(graph, tensor);
    if (!tw__libs_ready(graph)) return 0;
    if (!s.rank) {
        TW__LIBS_REFUSE(graph, "a tensor of rank 0 has no innermost dimension");
        return 0;
    }
    if (!tw__libs_count(&s)) return 1;
    unsigned group = gcd(s.dim[s.rank - 1], 0);
    g_autoptr(GArray) regions = tw__libs_variable_regions(graph, tensor);
    for (guint i = 0; i < regions->len; i++)
        group = gcd(g_array_index(regions, tw_variable_region, i).elements.begin, group);
    g_autoptr(GArray) mapping = tw__libs_mapping(graph, tensor);
    for (guint i = 0; i < mapping->len; i++)
        group = gcd(g_array_index(mapping, tw_mapped_interval, i).interval.begin, group);
    return group;
}

/* How many units of `unit` elements along dimension d are neighbours; `view` has these units as its last
 * dimension. The view that has the groups found as its units goes to *joined. */
static unsigned grouping_along(tw_graph *graph, tw_tensor view, unsigned rank, unsigned d, size_t unit,
                               tw_tensor *joined)
{
    tw_tensor beside = tw_tensor_dim_roll(graph, view, d, rank - 1);
    tw_tensor lines = tw_tensor_flatten_dims(graph, beside, rank - 1, rank + 1);
    unsigned group = tw_poputil_innermost_grouping(graph, lines);
    unsigned size = group % unit ? 1 : (unsigned)(group / unit);
    if (size <= 1) return 1;
    size_t apart[] = { tw_tensor_dim(graph, view, d) / size, unit * size };
    tw_tensor units = tw_tensor_reshape_partial(graph, lines, rank - 1, rank, 2, apart);
    *joined = tw_tensor_dim_roll(graph, units, rank - 1, d);
    return size;
}

size_t tw_poputil_dim_groupings(tw_graph *graph, tw_tensor tensor, tw_grouping *groupings, size_t room)
{
    if (!tw__libs_ready(graph)) return 0;
    tw__extents s = tw__libs_shape(graph, tensor);
    if (!tw__libs_ready(graph)) return 0;
    if (!s.rank || s.rank >= TW__LIBS_RANK) {
        TW__LIBS_REFUSE(graph, "a tensor of rank %u has no dimensions to group", s.rank);
        return 0;
    }
    if (!tw__libs_count(&s)) return 0;
    size_t found = 0, unit = 1, end = s.rank;
    bool used[TW__LIBS_RANK] = { false };
    tw_graph_push_scope(graph);
    tw_tensor view = tw_tensor_expand(graph, tensor, 1, &end);
    for (bool again = true; again;) {
        again = false;
        for (unsigned d = s.rank; d-- > 0 && !again;) {
            unsigned size = used[d] ? 1 : grouping_along(graph, view, s.rank, d, unit, &view);
            if (size == 1) continue;
            if (groupings && found < room) groupings[found] = (tw_grouping){ d, size };
            found++, unit *= size, used[d] = again = true;
        }
    }
    tw_graph_pop_scope(graph);
    return found;
}

/* --- blocks --------------------------------------------------------------------------------------------------- */

static bool splits_fit(const tw__extents *shape, const size_t *splits)
{
    for (unsigned d = 0; d < shape->rank; d++)
        if (!splits[d]) return false;
    return true;
}

/* The block at `place`: its begin and end in each dimension. */
static void block_at(const tw__extents *shape, const size_t *splits, const size_t *place, size_t *begin,
                     size_t *end)
{
    for (unsigned d = 0; d < shape->rank; d++) {
        size_t n = shape->dim[d], step = n / splits[d] + (n % splits[d] != 0);
        begin[d] = MIN(place[d] * step, n);
        end[d] = MIN(begin[d] + step, n);
    }
}

static bool next_place(const tw__extents *shape, const size_t *splits, size_t *place)
{
    for (unsigned d = shape->rank; d-- > 0;) {
        if (++place[d] < splits[d]) return true;
        place[d] = 0;
    }
    return false;
}

/* View of the blocks from storage, joined dimension by dimension; dimensions before `dim` are at `place`. */
static tw_tensor join_blocks(tw_graph *graph, tw_tensor flat, const tw__extents *shape, const size_t *splits,
                             size_t *place, unsigned dim, uint64_t *at)
{
    if (dim == shape->rank) {
        size_t begin[TW__LIBS_RANK], end[TW__LIBS_RANK];
        tw__extents block = { .rank = shape->rank };
        block_at(shape, splits, place, begin, end);
        for (unsigned d = 0; d < shape->rank; d++) block.dim[d] = end[d] - begin[d];
        uint64_t from = *at;
        *at += tw__libs_count(&block);
        return tw_tensor_reshape(graph, tw_tensor_slice(graph, flat, 0, from, *at), block.rank, block.dim);
    }
    size_t count = MIN(splits[dim], MAX(shape->dim[dim], 1)); /* those after it are empty */
    g_autofree tw_tensor *part = count > UINT32_MAX ? NULL : g_try_new(tw_tensor, count);
    if (!part) {
        tw_graph_fail(graph, TW_E_NO_MEMORY, "tw_poputil_create_partitionable", "%zu blocks along dimension %u",
                      count, dim);
        return TW__LIBS_NIL;
    }
    for (place[dim] = 0; place[dim] < count && tw__libs_ready(graph); place[dim]++)
        part[place[dim]] = join_blocks(graph, flat, shape, splits, place, dim + 1, at);
    return tw__libs_ready(graph) ? tw_tensor_concat(graph, (unsigned)count, part, dim) : TW__LIBS_NIL;
}

tw_tensor tw_poputil_create_partitionable(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                          const size_t *splits, const char *name)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    if (!tw__libs_list(graph, __func__, "shape", rank, shape) ||
        !tw__libs_list(graph, __func__, "splits", rank, splits))
        return TW__LIBS_NIL;
    tw__extents s = { .rank = rank };
    if (rank <= TW__LIBS_RANK && rank) memcpy(s.dim, shape, rank * sizeof *shape);
    if (rank > TW__LIBS_RANK || !splits_fit(&s, splits)) {
        TW__LIBS_REFUSE(graph, "%s cannot be split into %s blocks", tw__libs_shape_text(rank, shape).text,
                        tw__libs_shape_text(rank, splits).text);
        return TW__LIBS_NIL;
    }
    size_t elements = tw__libs_count(&s), place[TW__LIBS_RANK] = { 0 };
    tw_graph_push_scope(graph);
    uint64_t at = 0;
    tw_tensor flat = tw_graph_add_variable(graph, type, 1, &elements, name);
    tw_tensor made = tw_tensor_keep(graph, join_blocks(graph, flat, &s, splits, place, 0, &at));
    tw_graph_pop_scope(graph);
    return made;
}

void tw_poputil_each_partition(tw_graph *graph, tw_tensor tensor, const size_t *splits,
                               tw_partition_callback callback, void *user)
{
    if (!tw__libs_ready(graph)) return;
    tw__extents s = tw__libs_shape(graph, tensor);
    if (!tw__libs_ready(graph) || !tw__libs_list(graph, __func__, "splits", s.rank, splits)) return;
    if (!callback) {
        TW__LIBS_REFUSE(graph, "there is nobody to call back");
        return;
    }
    if (!splits_fit(&s, splits)) {
        TW__LIBS_REFUSE(graph, "%s cannot be split into %s blocks", tw__libs_describe(graph, tensor).text,
                        tw__libs_shape_text(s.rank, splits).text);
        return;
    }
    size_t place[TW__LIBS_RANK] = { 0 }, begin[TW__LIBS_RANK], end[TW__LIBS_RANK];
    do {
        block_at(&s, splits, place, begin, end);
        tw_tensor block = tw_tensor_slice_nd(graph, tensor, begin, end);
        callback(graph, place, block, user);
        tw_tensor_free(graph, block);
    } while (next_place(&s, splits, place));
}
