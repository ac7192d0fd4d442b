/* SPDX-License-Identifier: MIT */
/* popops: sorts, the first of many, codes of labels, sums along a dimension, counts, padding, images.
 *
 *     tw_popops_sort_in_place(g, x, 1, sequence, "sort");
 *     tw_sorted best = tw_popops_top_k(g, scores, (tw_tensor){ 0 }, &(tw_top_k){ 5, true, TW_SORT_DESCENDING },
 *                                      sequence, "best");                          // best.values: where they stood
 *
 * Results do not depend on mappings.
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit; the graph has
 * not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_POPOPS_ORDER_H
#define TILEWRIGHT_POPLIBS_POPOPS_ORDER_H

#include <tilewright/poplar/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- sorts ---------------------------------------------------------------------------------------------------- */

/* float, half, int and unsigned int, least first. -0 comes before +0, NaN outside of the infinities, by its sign.
 * Elements that are alike stay in their order. */
TW_API tw_tensor tw_popops_sort(tw_graph *graph, tw_tensor tensor, unsigned dim, tw_program sequence,
                                const char *name);
TW_API void tw_popops_sort_in_place(tw_graph *graph, tw_tensor tensor, unsigned dim, tw_program sequence,
                                    const char *name);
typedef struct tw_sorted {
    tw_tensor keys, values;
} tw_sorted;
/* Values of any type go where their keys go. */
TW_API tw_sorted tw_popops_sort_key_value(tw_graph *graph, tw_tensor keys, tw_tensor values, unsigned dim,
                                          tw_program sequence, const char *name);
TW_API void tw_popops_sort_key_value_in_place(tw_graph *graph, tw_tensor keys, tw_tensor values, unsigned dim,
                                              tw_program sequence, const char *name);

typedef enum tw_sort_order { TW_SORT_NONE = 0, TW_SORT_ASCENDING = 1, TW_SORT_DESCENDING = 2 } tw_sort_order;
typedef struct tw_top_k {
    unsigned k; /* at most the elements that there are */
    bool largest;
    tw_sort_order order; /* TW_SORT_NONE: best first */
} tw_top_k;
/* The k largest or smallest along the last dimension, with their values; `values` nil: with their places, unsigned
 * int. Keys that are alike stay in their order. */
TW_API tw_sorted tw_popops_top_k(tw_graph *graph, tw_tensor keys, tw_tensor values, const tw_top_k *params,
                                 tw_program sequence, const char *name);
TW_API tw_tensor tw_popops_create_top_k_input(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                              const tw_top_k *params, const char *name);

/* --- labels --------------------------------------------------------------------------------------------------- */

/* encoded[...][c] is `on` where c is the index, else `off` (one element of its type each; nil: 1 and 0). Indices
 * are int or unsigned int, of the shape of `encoded` without its last dimension; one that is no class has no hot
 * element. */
TW_API void tw_popops_one_hot(tw_graph *graph, tw_tensor indices, tw_tensor encoded, tw_tensor on, tw_tensor off,
                              tw_program sequence, const char *name);
/* rows[i][indices[i]], float or half; 0 for index 0xffffffff, NaN for another that is out of range. */
TW_API tw_tensor tw_popops_select_scalar_from_rows(tw_graph *graph, tw_tensor rows, tw_tensor indices,
                                                   tw_program sequence, const char *name);
/* 1 less there; index 0xffffffff changes nothing, another that is out of range makes its row NaN. */
TW_API void tw_popops_update_scalar_in_rows(tw_graph *graph, tw_tensor rows, tw_tensor indices, tw_program sequence,
                                            const char *name);

/* --- sums along a dimension, counts --------------------------------------------------------------------------- */

/* Element i is the sum of those up to i, or before i with `exclusive`, in that order; `reverse`: from the end.
 * Sums of halves are floats that are rounded for each element, those of integers are modulo 2^32. */
TW_API tw_tensor tw_popops_cumulative_sum(tw_graph *graph, tw_tensor tensor, unsigned dim, bool exclusive,
                                          bool reverse, tw_program sequence, const char *name);
/* How many elements (of their magnitudes with `absolute`) are below levels[0], below levels[1] ..., from the last
 * level on: one more than there are levels, which ascend. unsigned int; options useFloatArithmetic (false): float,
 * useFloatArithmeticWithUnsignedIntOutput (false): without effect. */
TW_API tw_tensor tw_popops_histogram(tw_graph *graph, tw_tensor tensor, tw_tensor levels, bool absolute,
                                     tw_program sequence, const char *name, const char *const *options);
TW_API tw_tensor tw_popops_all_true(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name);
TW_API tw_tensor tw_popops_has_nan(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name);
TW_API tw_tensor tw_popops_has_nan_or_inf(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name);

/* --- padding: views, no steps --------------------------------------------------------------------------------- */

typedef enum tw_pad_mapping {
    TW_PAD_MAP_NONE = 0, /* constants stay unmapped */
    TW_PAD_MAP_ZERO = 1, /* on tile 0 */
    TW_PAD_MAP_EDGE = 2  /* where the nearest element is */
} tw_pad_mapping;
/* lower[d] and upper[d] more elements of `value` along each dimension; negative: so many fewer. */
TW_API tw_tensor tw_popops_pad(tw_graph *graph, tw_tensor tensor, const int64_t *lower, const int64_t *upper,
                               double value, tw_pad_mapping mapping);
typedef enum tw_pad_kind { TW_PAD_EDGE = 0, TW_PAD_REFLECT = 1 } tw_pad_kind; /* without the edge itself */
TW_API tw_tensor tw_popops_pad_with(tw_graph *graph, tw_tensor tensor, const int64_t *lower, const int64_t *upper,
                                    tw_pad_kind kind);

/* --- images --------------------------------------------------------------------------------------------------- */

/* The last dimension is of 3 channels. */
TW_API tw_tensor tw_popops_create_image(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                        const char *name);
/* (image * scale - offsets[c]) * scales[c], and a fourth channel of zeros. float, half, or unsigned char, which gives
 * half; offsets and scales are of the result's type. */
TW_API tw_tensor tw_popops_normalise_image(tw_graph *graph, tw_tensor image, double scale, tw_tensor offsets,
                                           tw_tensor scales, tw_program sequence, const char *name);

#ifdef __cplusplus
}
#endif
#endif
