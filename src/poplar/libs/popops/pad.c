/* SPDX-License-Identifier: MIT */
/* Padding, which is views alone; images of three channels; questions about all elements. */
#include "poplar/libs/popops/popops.h"

#include <string.h>

/* --- padding -------------------------------------------------------------------------------------------------- */

#define PAD_MOST ((int64_t)UINT32_MAX)

/* What is cut off leaves something; reflected elements are there. `least` elements stay along each dimension. */
static bool pad_check(tw_graph *graph, const char *call, tw_tensor tensor, const int64_t *lower,
                      const int64_t *upper, const tw_pad_kind *kind)
{
    if (!tw__libs_ready(graph)) return false;
    tw__extents own = tw__libs_shape(graph, tensor);
    if (!tw__libs_ready(graph) || !tw__libs_list(graph, call, "lower", own.rank, lower) ||
        !tw__libs_list(graph, call, "upper", own.rank, upper))
        return false;
    for (unsigned d = 0; d < own.rank; d++) {
        /* no tensor has so many elements; sums of these don't overflow */
        int64_t low = CLAMP(lower[d], -PAD_MOST, PAD_MOST), high = CLAMP(upper[d], -PAD_MOST, PAD_MOST);
        int64_t n = (int64_t)own.dim[d], cut = MAX(-low, 0) + MAX(-high, 0), most = MAX(lower[d], upper[d]);
        int64_t there = !kind ? INT64_MAX : *kind == TW_PAD_EDGE ? (n > cut ? INT64_MAX : 0) : n - cut - 1;
        if (cut <= n && (most <= 0 || most <= there) && most < PAD_MOST) continue;
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s cannot be padded by %lld and %lld along dimension %u",
                      tw__libs_describe(graph, tensor).text, (long long)lower[d], (long long)upper[d], d);
        return false;
    }
    return true;
}

/* Elements [lower cut, n - upper cut) along d. */
static tw_tensor pad_cut(tw_graph *graph, tw_tensor tensor, unsigned d, int64_t lower, int64_t upper)
{
    size_t n = tw_tensor_dim(graph, tensor, d);
    return tw_tensor_slice(graph, tensor, d, lower < 0 ? (size_t)-lower : 0, upper < 0 ? n - (size_t)-upper : n);
}

/* A constant beside an edge of `tensor` along d. */
static tw_tensor pad_constant(tw_graph *graph, tw_tensor tensor, unsigned d, size_t count, bool behind,
                              double value, tw_pad_mapping mapping)
{
    tw__extents shape = tw__libs_shape(graph, tensor);
    size_t n = shape.dim[d];
    shape.dim[d] = count;
    tw_tensor made =
        tw_graph_add_constant_double(graph, tw_tensor_type(graph, tensor), shape.rank, shape.dim, value, "padding");
    if (mapping == TW_PAD_MAP_ZERO || (mapping == TW_PAD_MAP_EDGE && !n)) tw_graph_map(graph, made, 0);
    if (mapping != TW_PAD_MAP_EDGE || !n) return made;
    tw_tensor edge = tw_tensor_slice(graph, tensor, d, behind ? n - 1 : 0, behind ? n : 1);
    edge = tw_tensor_broadcast(graph, edge, (unsigned)count, d);
    g_autoptr(GArray) list = tw__libs_mapping(graph, edge);
    for (guint i = 0; i < list->len; i++) {
        const tw_mapped_interval *m = &g_array_index(list, tw_mapped_interval, i);
        tw_graph_map_range(graph, made, m->interval.begin, m->interval.end - m->interval.begin, m->tile);
    }
    return made;
}

tw_tensor tw_popops_pad(tw_graph *graph, tw_tensor tensor, const int64_t *lower, const int64_t *upper, double value,
                        tw_pad_mapping mapping)
{
    if (!pad_check(graph, __func__, tensor, lower, upper, NULL)) return TW__LIBS_NIL;
    unsigned rank = tw_tensor_rank(graph, tensor);
    tw_graph_push_scope(graph);
    tw_tensor made = tw_tensor_reshape(graph, tensor, rank, tw_tensor_shape(graph, tensor));
    for (unsigned d = 0; d < rank; d++) {
        tw_tensor part[3];
        unsigned count = 0;
        made = pad_cut(graph, made, d, lower[d], upper[d]);
        if (lower[d] > 0) part[count++] = pad_constant(graph, made, d, (size_t)lower[d], false, value, mapping);
        part[count++] = made;
        if (upper[d] > 0) part[count++] = pad_constant(graph, made, d, (size_t)upper[d], true, value, mapping);
        if (count > 1) made = tw_tensor_concat(graph, count, part, d);
    }
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

/* `count` elements beside an edge: the edge again and again, or those behind it in reverse. */
static tw_tensor pad_repeated(tw_graph *graph, tw_tensor tensor, unsigned d, size_t count, bool behind,
                              tw_pad_kind kind)
{
    size_t n = tw_tensor_dim(graph, tensor, d);
    if (kind == TW_PAD_EDGE) {
        tw_tensor edge = tw_tensor_slice(graph, tensor, d, behind ? n - 1 : 0, behind ? n : 1);
        return tw_tensor_broadcast(graph, edge, (unsigned)count, d);
    }
    size_t begin = behind ? n - 1 - count : 1;
    return tw_tensor_reverse(graph, tw_tensor_slice(graph, tensor, d, begin, begin + count), d);
}

tw_tensor tw_popops_pad_with(tw_graph *graph, tw_tensor tensor, const int64_t *lower, const int64_t *upper,
                             tw_pad_kind kind)
{
    if (!pad_check(graph, __func__, tensor, lower, upper, &kind)) return TW__LIBS_NIL;
    unsigned rank = tw_tensor_rank(graph, tensor);
    tw_graph_push_scope(graph);
    tw_tensor made = tw_tensor_reshape(graph, tensor, rank, tw_tensor_shape(graph, tensor));
    for (unsigned d = 0; d < rank; d++) {
        tw_tensor part[3];
        unsigned count = 0;
        made = pad_cut(graph, made, d, lower[d], upper[d]);
        if (lower[d] > 0) part[count++] = pad_repeated(graph, made, d, (size_t)lower[d], false, kind);
        part[count++] = made;
        if (upper[d] > 0) part[count++] = pad_repeated(graph, made, d, (size_t)upper[d], true, kind);
        if (count > 1) made = tw_tensor_concat(graph, count, part, d);
    }
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

/* --- images --------------------------------------------------------------------------------------------------- */

tw_tensor tw_popops_create_image(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                 const char *name)
{
    if (!tw__libs_ready(graph) || !tw__libs_list(graph, __func__, "shape", rank, shape)) return TW__LIBS_NIL;
    if (!rank || shape[rank - 1] != 3) {
        TW__LIBS_REFUSE(graph, "an image has 3 channels in its last dimension, not %s",
                        tw__libs_shape_text(rank, shape).text);
        return TW__LIBS_NIL;
    }
    tw_tensor made = tw_graph_add_variable(graph, type, rank, shape, name);
    tw_poputil_map_linearly_with(graph, made, 128, 12, 0);
    return made;
}

tw_tensor tw_popops_normalise_image(tw_graph *graph, tw_tensor image, double scale, tw_tensor offsets,
                                    tw_tensor scales, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw_type from = tw_tensor_type(graph, image), type = from == TW_U8 ? TW_HALF : from;
    tw__extents shape = tw__libs_shape(graph, image);
    tw_type of_offsets = tw_tensor_type(graph, offsets), of_scales = tw_tensor_type(graph, scales);
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    bool fits = shape.rank && shape.dim[shape.rank - 1] == 3 && (type == TW_HALF || type == TW_FLOAT) &&
                of_offsets == type && of_scales == type && tw_tensor_elements(graph, offsets) == 3 &&
                tw_tensor_elements(graph, scales) == 3;
    if (!fits) {
        TW__LIBS_REFUSE(graph,
                        "%s with offsets %s and scales %s: images have 3 channels in their last dimension, "
                        "offsets and scales are three of their type (half for unsigned char)",
                        tw__libs_describe(graph, image).text, tw__libs_describe(graph, offsets).text,
                        tw__libs_describe(graph, scales).text);
        return TW__LIBS_NIL;
    }
    if (!tw_graph_mapping_complete(graph, image)) {
        TW__LIBS_REFUSE(graph, "%s has elements that are on no tile", tw__libs_describe(graph, image).text);
        return TW__LIBS_NIL;
    }
    unsigned last = shape.rank - 1;
    char text[96];
    tw_graph_push_scope(graph);
    shape.dim[last] = 4;
    tw_tensor made = tw_graph_add_variable(graph, type, shape.rank, shape.dim, name);
    tw_poputil_map_linearly_with(graph, made, 128, 4, 0);
    snprintf(text, sizeof text, "(%s * %.9g - _2) * _3", from == TW_U8 ? "cast(_1, half)" : "_1", scale);
    tw_tensor three = tw_tensor_flatten(graph, offsets), operand[] = { image, three, three };
    operand[2] = tw_tensor_flatten(graph, scales);
    tw_popops_map_with_output(graph, text, 3, operand, tw_tensor_slice(graph, made, last, 0, 3), sequence, name,
                              NULL);
    tw_popops_zero(graph, tw_tensor_slice(graph, made, last, 3, 4), sequence, name);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

/* --- all elements --------------------------------------------------------------------------------------------- */

/* A bool for all elements: of `text` for each, joined by `op`. */
static tw_tensor all_elements(tw_graph *graph, const char *call, tw_tensor tensor, const char *text,
                              tw_reduce_op op, tw_program sequence, const char *name)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    size_t zero = 0;
    tw_reduce_params params = { .op = op };
    tw_graph_push_scope(graph);
    tw_tensor each = tw_tensor_flatten(graph, tensor);
    if (text) each = tw__popops_map(graph, call, text, 1, &each, TW__LIBS_NIL, sequence, name, NULL);
    tw_tensor made = tw_popops_reduce(graph, each, TW_TYPE_NONE, 1, &zero, &params, sequence, name, NULL);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_popops_all_true(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    if (tw_tensor_type(graph, tensor) != TW_BOOL && tw__libs_ready(graph))
        TW__LIBS_REFUSE(graph, "%s is not of bool", tw__libs_describe(graph, tensor).text);
    return all_elements(graph, __func__, tensor, NULL, TW_REDUCE_LOGICAL_AND, sequence, name);
}

tw_tensor tw_popops_has_nan(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    return all_elements(graph, __func__, tensor, "is_nan(_1)", TW_REDUCE_LOGICAL_OR, sequence, name);
}

tw_tensor tw_popops_has_nan_or_inf(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    return all_elements(graph, __func__, tensor, "!is_finite(_1)", TW_REDUCE_LOGICAL_OR, sequence, name);
}
