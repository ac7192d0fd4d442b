/* SPDX-License-Identifier: MIT */
/* Variables for slices and for what is sliced; what a plan says. */
#include "poplar/libs/popops/slice.h"

#include <string.h>

bool tw__slice_options(tw_graph *graph, const char *call, const char *const *options)
{
    typedef struct slice_options {
        bool slice, update, flag;
        double memory;
    } slice_options;
    static const tw__libs_option table[] = {
        { "usedForSlice", TW__LIBS_BOOL, offsetof(slice_options, slice), NULL },
        { "usedForUpdate", TW__LIBS_BOOL, offsetof(slice_options, update), NULL },
        { "operationForUpdate", TW__LIBS_WORD, 0, "none add max mul" },
        { "partialType", TW__LIBS_WORD, 0, "half float" },
        { "indicesAreSorted", TW__LIBS_BOOL, offsetof(slice_options, flag), NULL },
        { "paddingIndexUsed", TW__LIBS_BOOL, offsetof(slice_options, flag), NULL }, /* of many: in any case */
        { "remapOutOfBoundIndices", TW__LIBS_WORD, 0, "false" },
        { "validateIndices", TW__LIBS_WORD, 0, "false" },
        { "availableMemoryProportion", TW__LIBS_FRACTION, offsetof(slice_options, memory), NULL },
        { "indicesDistribution", TW__LIBS_WORD, 0, "uniform onePoint" },
        { "planMinimisationTarget", TW__LIBS_WORD, 0, "memory cycles" },
        { "planConstraints", TW__LIBS_TEXT, 0, NULL },
    };
    slice_options chosen = { .slice = true, .update = true };
    if (!tw__libs_options(graph, call, options, table, G_N_ELEMENTS(table), &chosen)) return false;
    if (chosen.slice || chosen.update) return true;
    tw_graph_fail(graph, TW_E_INVALID_OPTION, call, "options 'usedForSlice' and 'usedForUpdate' are both false");
    return false;
}

/* Slices move bits: FP8 is none of the types that codelets have a name for. */
static bool slice_of_type(tw_type type)
{
    return type == TW_QUARTER || tw__expr_c_type(type);
}

/* A shape that will be sliced. */
static bool slice_of_shape(tw__slicing *s, tw_graph *graph, const char *call, tw_type type, unsigned rank,
                           const size_t *shape, unsigned count, const size_t *dims, const size_t *sizes)
{
    *s = (tw__slicing){ .graph = graph, .call = call, .shape = { .rank = rank } };
    if (!tw__libs_ready(graph)) return false;
    if (rank >= TW__LIBS_RANK || !slice_of_type(type)) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "no tensor of %s with %u dimensions can be sliced",
                      tw__expr_type_name(type), rank);
        return false;
    }
    if (!tw__libs_list(graph, call, "shape", rank, shape)) return false;
    if (rank) memcpy(s->shape.dim, shape, rank * sizeof *shape);
    return tw__slice_check_shape(s, tw__libs_shape_text(rank, shape).text, count, dims, sizes);
}

/* [rows][columns] of those blocks, as a tensor of `shape`. */
static tw_tensor slice_variable(const tw__slicing *s, tw_type type, size_t rows, const GArray *blocks,
                                tw__extents shape, bool many, const char *name)
{
    tw_graph *g = s->graph;
    tw_graph_push_scope(g);
    tw_tensor matrix = tw__libs_add_columns(g, type, rows, s->columns, blocks, name);
    tw_tensor made = tw_tensor_keep(g, tw__slice_from_matrix(s, matrix, shape, many));
    tw_graph_pop_scope(g);
    return made;
}

tw_tensor tw_popops_create_sliceable(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                     unsigned count, const size_t *dims, const size_t *sizes, size_t grain,
                                     const char *name)
{
    tw__slicing s;
    if (!slice_of_shape(&s, graph, __func__, type, rank, shape, count, dims, sizes)) return TW__LIBS_NIL;
    g_autoptr(GArray) blocks = tw__libs_linear_columns(graph, type, s.columns, grain);
    return slice_variable(&s, type, s.rows, blocks, s.shape, false, name);
}

tw_tensor tw_popops_create_slices(tw_graph *graph, tw_tensor tensor, unsigned count, const size_t *dims,
                                  const size_t *sizes, size_t lookups, const char *name)
{
    tw__slicing s;
    if (!tw__slice_check(&s, graph, __func__, tensor, count, dims, sizes)) return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    g_autoptr(GArray) blocks = tw__libs_columns(graph, tw__slice_matrix(&s, tensor, false, s.rows));
    tw_graph_pop_scope(graph);
    return slice_variable(&s, tw_tensor_type(graph, tensor), lookups * s.slice_rows, blocks,
                          tw__slice_shape(&s, true, lookups), true, name);
}

tw_tensor tw_popops_create_slices_for(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                      unsigned count, const size_t *dims, const size_t *sizes, size_t lookups,
                                      const char *name)
{
    tw__slicing s;
    if (!slice_of_shape(&s, graph, __func__, type, rank, shape, count, dims, sizes)) return TW__LIBS_NIL;
    g_autoptr(GArray) blocks = tw__libs_linear_columns(graph, type, s.columns, 0);
    return slice_variable(&s, type, lookups * s.slice_rows, blocks, tw__slice_shape(&s, true, lookups), true, name);
}

tw_tensor tw_popops_create_sliceable_from_slice(tw_graph *graph, tw_tensor slice, unsigned count,
                                                const size_t *dims, const size_t *slices, const char *name)
{
    tw__slicing s;
    size_t none[TW__LIBS_RANK] = { 0 };
    if (!tw__slice_check(&s, graph, __func__, slice, count, dims, none) ||
        !tw__libs_list(graph, __func__, "slices", count, slices))
        return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    g_autoptr(GArray) blocks = tw__libs_columns(graph, tw__slice_matrix(&s, slice, false, s.rows));
    tw_graph_pop_scope(graph);
    tw__extents shape = s.shape;
    for (unsigned i = 0; i < count; i++) {
        shape.dim[dims[i]] *= slices[i];
        s.rows *= slices[i];
    }
    return slice_variable(&s, tw_tensor_type(graph, slice), s.rows, blocks, shape, false, name);
}

tw_tensor tw_popops_create_indices(tw_graph *graph, unsigned count, size_t lookups, const char *name)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    tw_tensor made = tw_graph_add_variable(graph, TW_UNSIGNED_INT, 2, (size_t[]){ lookups, count }, name);
    tw_poputil_map_linearly(graph, made);
    return made;
}

char *tw_popops_slice_plan(tw_graph *graph, tw_type type, size_t rows, size_t columns, size_t lookups,
                           const char *const *options)
{
    if (!tw__libs_ready(graph)) return NULL;
    const tw_target *target = tw_graph_target(graph);
    if (!slice_of_type(type) || !tw__slice_options(graph, __func__, options)) {
        if (tw__libs_ready(graph))
            TW__LIBS_REFUSE(graph, "no tensor of %s can be sliced", tw__expr_type_name(type));
        return NULL;
    }
    g_autoptr(GArray) blocks = tw__libs_linear_columns(graph, type, columns, 0);
    size_t most = 0, bytes = tw_target_type_size(target, type);
    for (guint i = 0; i < blocks->len; i++) {
        const tw_mapped_interval *m = &g_array_index(blocks, tw_mapped_interval, i);
        most = MAX(most, (size_t)(m->interval.end - m->interval.begin));
    }
    return g_strdup_printf("%zu rows of %zu %s, %zu lookups\n"
                           "columns on %u tiles, at most %zu on each: %zu bytes of the table, %zu of the result\n",
                           rows, columns, tw__expr_type_name(type), lookups, blocks->len, most, most * rows * bytes,
                           most * lookups * bytes);
}
