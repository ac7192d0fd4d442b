/* SPDX-License-Identifier: MIT */
/* popops: slices at offsets that the run computes, gather and scatter.
 *
 *     tw_tensor table = tw_popops_create_sliceable(g, TW_FLOAT, 2, (size_t[]){ 1000, 64 }, 1, (size_t[]){ 0 },
 *                                                  (size_t[]){ 1 }, 0, "table");
 *     tw_tensor rows = tw_popops_multi_slice(g, table, offsets, 1, (size_t[]){ 0 }, (size_t[]){ 1 }, sequence,
 *                                            "rows", NULL);                              // [n][1][64]
 *
 * `dims` [count] are sliced, in `sizes` [count]; all other dimensions are taken whole. Each tile has some elements of
 * every index that is sliced, so offsets move nothing; tensors of the create calls lie so, others are rearranged in
 * each run. Updates of one element come in the order of their slices: results do not depend on mappings.
 *
 * Offsets are UNSIGNED_INT. A dynamic offset that is not below its extent counts as 0; of many slices, one with such
 * an offset reads zeros and updates nothing. A slice that runs over the end goes on at the start.
 *
 * Options, "name=value", NULL ends: usedForSlice, usedForUpdate, operationForUpdate (none, add, max, mul),
 * partialType (half, float), availableMemoryProportion, indicesDistribution (uniform, onePoint),
 * planMinimisationTarget (memory, cycles), indicesAreSorted, paddingIndexUsed, planConstraints: checked, without
 * effect; many slices read zeros for padding in any case, and a dynamic one of C++ is one of many where
 * paddingIndexUsed is true. usedForSlice or usedForUpdate is true; validateIndices and
 * remapOutOfBoundIndices are false.
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit and
 * TW_E_INVALID_OPTION; the graph has not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_POPOPS_SLICE_H
#define TILEWRIGHT_POPLIBS_POPOPS_SLICE_H

#include <tilewright/poplar/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- variables ------------------------------------------------------------------------------------------------ */

/* `grain`: elements of the other dimensions that stay together on a tile; 0: a vector. */
TW_API tw_tensor tw_popops_create_sliceable(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                            unsigned count, const size_t *dims, const size_t *sizes, size_t grain,
                                            const char *name);
/* `lookups` slices of `tensor`, in a new first dimension, where its elements are. */
TW_API tw_tensor tw_popops_create_slices(tw_graph *graph, tw_tensor tensor, unsigned count, const size_t *dims,
                                         const size_t *sizes, size_t lookups, const char *name);
/* The same of a tensor that tw_popops_create_sliceable() would make. */
TW_API tw_tensor tw_popops_create_slices_for(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                             unsigned count, const size_t *dims, const size_t *sizes,
                                             size_t lookups, const char *name);
/* Of which `slice` is one of slices[i] along dims[i]. */
TW_API tw_tensor tw_popops_create_sliceable_from_slice(tw_graph *graph, tw_tensor slice, unsigned count,
                                                       const size_t *dims, const size_t *slices, const char *name);
/* Offsets [lookups][count]. */
TW_API tw_tensor tw_popops_create_indices(tw_graph *graph, unsigned count, size_t lookups, const char *name);
/* How a table of rows is spread for lookups: for people. Freed with free(). */
TW_API char *tw_popops_slice_plan(tw_graph *graph, tw_type type, size_t rows, size_t columns, size_t lookups,
                                  const char *const *options);

/* --- one slice: offset [count] -------------------------------------------------------------------------------- */

TW_API tw_tensor tw_popops_dynamic_slice(tw_graph *graph, tw_tensor tensor, tw_tensor offset, unsigned count,
                                         const size_t *dims, const size_t *sizes, tw_program sequence,
                                         const char *name);
TW_API void tw_popops_dynamic_update(tw_graph *graph, tw_tensor tensor, tw_tensor slice, tw_tensor offset,
                                     unsigned count, const size_t *dims, const size_t *sizes, tw_program sequence,
                                     const char *name);

/* --- many slices: offsets [n][count], slices [n][...] --------------------------------------------------------- */

TW_API tw_tensor tw_popops_multi_slice(tw_graph *graph, tw_tensor tensor, tw_tensor offsets, unsigned count,
                                       const size_t *dims, const size_t *sizes, tw_program sequence,
                                       const char *name, const char *const *options);
TW_API void tw_popops_multi_update(tw_graph *graph, tw_tensor tensor, tw_tensor slices, tw_tensor offsets,
                                   unsigned count, const size_t *dims, const size_t *sizes, tw_program sequence,
                                   const char *name, const char *const *options);
/* += scale * slice, in floats rounded to the tensor's type each time; `scale` one float, or half as the tensor. Of
 * int and unsigned int modulo 2^32, `scale` one of that type. */
TW_API void tw_popops_multi_update_add(tw_graph *graph, tw_tensor tensor, tw_tensor slices, tw_tensor offsets,
                                       tw_tensor scale, unsigned count, const size_t *dims, const size_t *sizes,
                                       tw_program sequence, const char *name, const char *const *options);
TW_API void tw_popops_multi_update_max(tw_graph *graph, tw_tensor tensor, tw_tensor slices, tw_tensor offsets,
                                       unsigned count, const size_t *dims, const size_t *sizes, tw_program sequence,
                                       const char *name, const char *const *options);
/* *= slice, of float and half, rounded each time. */
TW_API void tw_popops_multi_update_mul(tw_graph *graph, tw_tensor tensor, tw_tensor slices, tw_tensor offsets,
                                       unsigned count, const size_t *dims, const size_t *sizes, tw_program sequence,
                                       const char *name, const char *const *options);

/* The checks of tw_popops_multi_update() alone, or of tw_popops_dynamic_update() where not `many` (without options),
 * for who converts slices in front of one. False, with the error that the call would give. */
TW_API bool tw_popops_update_fits(tw_graph *graph, tw_tensor tensor, tw_tensor slices, tw_tensor offsets, bool many,
                                  unsigned count, const size_t *dims, const size_t *sizes,
                                  const char *const *options);

/* For each i, in order: rows out[out_offsets[i] ...] = in[in_offsets[i] ...], counts[i] of them, along the first
 * dimension; what is not in both tensors is left out. With `zero_unused` all other rows are 0. */
TW_API void tw_popops_sequence_slice(tw_graph *graph, tw_tensor in, tw_tensor out, tw_tensor counts,
                                     tw_tensor in_offsets, tw_tensor out_offsets, bool zero_unused,
                                     tw_program sequence, const char *name);

/* --- gather and scatter --------------------------------------------------------------------------------------- */

/* Elements of `tensor` along `axis` at `indices` (int, unsigned int): its shape with that of the indices in place of
 * the axis. */
TW_API tw_tensor tw_popops_gather(tw_graph *graph, tw_tensor tensor, tw_tensor indices, unsigned axis,
                                  tw_program sequence, const char *name);
/* Gather and scatter of XLA. `indices` has vectors along dimension `index_vector_dim` (its rank: single numbers);
 * number k of a vector is the offset in dimension start_index_map[k]. */
typedef struct tw_gather {
    size_t index_vector_dim;
    unsigned offset_count;        /* dimensions of the result that slices have ... */
    const size_t *offset_dims;    /* ... ascending */
    const size_t *slice_sizes;    /* [rank of the tensor] */
    unsigned collapsed_count;     /* dimensions of slices, of size 1, that the result does not have ... */
    const size_t *collapsed_dims; /* ... ascending */
    unsigned map_count;
    const unsigned *start_index_map;
} tw_gather;
/* Offsets are moved until the slice is within the tensor. */
TW_API tw_tensor tw_popops_gather_slices(tw_graph *graph, tw_tensor tensor, tw_tensor indices,
                                         const tw_gather *gather, tw_program sequence, const char *name);
typedef struct tw_scatter {
    size_t index_vector_dim;
    unsigned window_count;       /* dimensions of the updates that windows have ... */
    const unsigned *window_dims; /* ... ascending */
    unsigned inserted_count;     /* dimensions of the tensor, of size 1 in a window, that updates do not have ... */
    const size_t *inserted_dims; /* ... ascending */
    unsigned map_count;
    const unsigned *to_operand; /* number k of a vector is the offset in dimension to_operand[k] */
} tw_scatter;
/* How an update joins what it meets: NULL replaces it. Both are one window; what it returns is of that shape and
 * type. The steps that it needs go to `sequence`, which a loop executes once for each update. */
typedef tw_tensor (*tw_scatter_update)(tw_graph *graph, tw_tensor old, tw_tensor update, tw_program sequence,
                                       void *user);
/* In the order of the updates; windows that are not within the tensor are skipped. */
TW_API void tw_popops_scatter(tw_graph *graph, tw_tensor tensor, tw_tensor indices, tw_tensor updates,
                              const tw_scatter *scatter, tw_scatter_update update, void *user, tw_program sequence,
                              const char *name);
/* The checks of that call alone, for who makes variables for `update` in front of it. False, with the error that the
 * call would give; else window[rank of the tensor] are the extents of a window. */
TW_API bool tw_popops_scatter_window(tw_graph *graph, tw_tensor tensor, tw_tensor indices, tw_tensor updates,
                                     const tw_scatter *scatter, size_t *window);

#ifdef __cplusplus
}
#endif
#endif
