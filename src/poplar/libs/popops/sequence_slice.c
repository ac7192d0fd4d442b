/* SPDX-License-Identifier: MIT */
/* Runs of rows whose places and lengths a run of the program computes. As with other slices columns are dealt out,
 * never rows; each tile copies all runs, in their order. */
#include "poplar/libs/popops/slice.h"

#include <string.h>

const tw__libs_code tw__sequence_code = {
    "popops::SequenceSlice", "12u",
    /* Rows are whole words or one worker's: workers share the rows of the result. */
    "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(TW_VECTOR(%T%, SPAN, 4)) in;\n    TW_INOUT(TW_VECTOR(%T%, SPAN, 4)) out;\n"
    "    TW_INPUT(TW_VECTOR(unsigned)) count;\n    TW_INPUT(TW_VECTOR(unsigned)) from;\n"
    "    TW_INPUT(TW_VECTOR(unsigned)) to;\n    unsigned columns, runs;\n};\n"
    "bool %ID%_compute(%ID% *v, unsigned worker)\n{\n"
    "    const size_t columns = v->columns, in_rows = tw_size(v->in) / columns, rows = tw_size(v->out) / columns;\n"
    "    size_t workers = columns * sizeof(%T%) % 4 == 0 ? tw_num_workers() : 1;\n"
    "    if (worker >= workers) return true;\n"
    "    size_t begin = rows * worker / workers, end = rows * (worker + 1) / workers;\n"
    "    for (size_t i = 0; i < v->runs; i++) {\n"
    "        size_t n = *tw_at(v->count, i), from = *tw_at(v->from, i), to = *tw_at(v->to, i);\n"
    "        for (size_t k = to < begin ? begin - to : 0; k < n && to + k < end && from + k < in_rows; k++)\n"
    "            for (size_t c = 0; c < columns; c++)\n"
    "                tw_begin(v->out)[(to + k) * columns + c] = tw_begin(v->in)[(from + k) * columns + c];\n"
    "    }\n    return true;\n}\n"
};

/* [rows][columns] of a tensor that is sliced along its first dimension. */
static tw_tensor sequence_matrix(tw_graph *graph, tw_tensor t, size_t rows, size_t columns)
{
    return tw_tensor_reshape(graph, tw__libs_bits(graph, t), 2, (size_t[]){ rows, columns });
}

/* Elements of a row: the dimensions behind the first. */
static size_t sequence_columns(const tw__extents *shape)
{
    tw__extents row = { .rank = shape->rank - 1 };
    memcpy(row.dim, shape->dim + 1, row.rank * sizeof *row.dim);
    return tw__libs_count(&row);
}

static bool sequence_check(tw_graph *graph, const char *call, tw_tensor in, tw_tensor out, const tw_tensor lists[3])
{
    if (!tw__libs_ready(graph)) return false;
    tw__extents a = tw__libs_shape(graph, in), b = tw__libs_shape(graph, out);
    tw_type type = tw_tensor_type(graph, in), other = tw_tensor_type(graph, out);
    if (!tw__libs_ready(graph)) return false;
    bool fits = a.rank && b.rank && sequence_columns(&a) == sequence_columns(&b) && type == other &&
                tw__expr_c_type(type) && tw_graph_mapping_complete(graph, in);
    if (!fits) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "rows of %s, on tiles, cannot go to %s",
                      tw__libs_describe(graph, in).text, tw__libs_describe(graph, out).text);
        return false;
    }
    for (int i = 0; i < 3; i++) {
        tw_type own = tw_tensor_type(graph, lists[i]);
        unsigned rank = tw_tensor_rank(graph, lists[i]);
        if (!tw__libs_ready(graph)) return false;
        if (own == TW_UNSIGNED_INT && rank == 1 && tw__libs_same_shape(graph, lists[i], lists[0]) &&
            tw_graph_mapping_complete(graph, lists[i]))
            continue;
        tw_graph_fail(graph, TW_E_POPLIBS, call, "lengths and places are unsigned int, as many of each: %s and %s",
                      tw__libs_describe(graph, lists[0]).text, tw__libs_describe(graph, lists[i]).text);
        return false;
    }
    if (tw_tensor_is_parallel_writeable(graph, out)) return tw__libs_writeable(graph, call, out);
    tw_graph_fail(graph, TW_E_POPLIBS, call, "%s cannot be written: it has constants, or elements twice",
                  tw__libs_describe(graph, out).text);
    return false;
}

void tw_popops_sequence_slice(tw_graph *graph, tw_tensor in, tw_tensor out, tw_tensor counts, tw_tensor in_offsets,
                              tw_tensor out_offsets, bool zero_unused, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    static const char *const fields[] = { "count", "from", "to" };
    const tw_tensor lists[] = { counts, in_offsets, out_offsets };
    if (!sequence_check(graph, __func__, in, out, lists)) return;
    if (zero_unused) tw_popops_zero(graph, out, sequence, tw__libs_path(name, "zero").text);
    uint64_t all = tw_tensor_elements(graph, out);
    if (!all || !tw_tensor_elements(graph, in)) return;
    tw_graph_push_scope(graph);
    if (tw_tensor_intersects(graph, in, out))
        in = tw_poputil_duplicate(graph, in, sequence, name, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
    size_t rows = tw_tensor_dim(graph, out, 0), in_rows = tw_tensor_dim(graph, in, 0), columns = (size_t)all / rows;
    tw_tensor to = sequence_matrix(graph, out, rows, columns), from = sequence_matrix(graph, in, in_rows, columns);
    const char *vertex = tw__libs_code_vertex(graph, &tw__sequence_code, tw_tensor_type(graph, to));
    g_autoptr(GArray) blocks = tw__libs_columns(graph, to);
    tw_compute_set cs = tw_graph_add_compute_set(graph, name && *name ? name : "sequenceSlice");
    for (guint i = 0; vertex && i < blocks->len; i++) {
        const tw_mapped_interval *m = &g_array_index(blocks, tw_mapped_interval, i);
        size_t begin = (size_t)m->interval.begin, end = (size_t)m->interval.end;
        tw_vertex v = tw_graph_add_vertex(graph, cs, vertex, m->tile);
        tw_graph_connect(graph, v, "in", tw_tensor_flatten(graph, tw_tensor_slice(graph, from, 1, begin, end)));
        tw_graph_connect(graph, v, "out", tw_tensor_flatten(graph, tw_tensor_slice(graph, to, 1, begin, end)));
        for (int k = 0; k < 3; k++) tw_graph_connect(graph, v, fields[k], lists[k]);
        tw_graph_set_field_int(graph, v, "columns", (int64_t)(end - begin));
        tw_graph_set_field_int(graph, v, "runs", (int64_t)tw_tensor_elements(graph, counts));
    }
    tw_program_sequence_add(graph, sequence, tw_program_execute(graph, cs));
    tw_graph_pop_scope(graph);
}
