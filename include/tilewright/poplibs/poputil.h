/* SPDX-License-Identifier: MIT */
/* poputil: where elements lie, lists of intervals cut for workers, shapes that fit each other, copies.
 *
 *     tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 100, 10 }, "x");
 *     tw_poputil_map_linearly(g, x);
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit.
 * Threads: as the graph's. Calls without a graph may run in several at once. */
#ifndef TILEWRIGHT_POPLIBS_POPUTIL_H
#define TILEWRIGHT_POPLIBS_POPUTIL_H

#include <tilewright/poplar/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- linear mapping ------------------------------------------------------------------------------------------- */

/* `elements` in blocks of whole grains, one block for each of the first tiles: no two differ by more than a grain,
 * each has `min_elements` where there are that many. Returns the number of blocks, writes up to `room`, none where
 * `blocks` is NULL. `grain` 0 counts as 1. */
TW_API size_t tw_poputil_linear_blocks(unsigned tiles, uint64_t elements, unsigned min_elements, unsigned grain,
                                       tw_interval *blocks, size_t room);
/* Block i on tile (i + offset) modulo the graph's tiles; returns the tile after the last one, for the next tensor. */
TW_API unsigned tw_poputil_map_linearly_with(tw_graph *graph, tw_tensor tensor, unsigned min_elements,
                                             unsigned grain, unsigned offset);
/* Grain: the elements of a vector of the target; at least 128 bytes a tile; from tile 0 on. */
TW_API void tw_poputil_map_linearly(tw_graph *graph, tw_tensor tensor);
/* The two numbers of tw_poputil_map_linearly() for a type. */
TW_API void tw_poputil_linear_defaults(const tw_graph *graph, tw_type type, unsigned *min_elements,
                                       unsigned *grain);
/* How many elements the fullest tile has above an even spread over all tiles (0 when it has fewer). */
TW_API uint64_t tw_poputil_tile_imbalance(const tw_graph *graph, tw_tensor tensor, unsigned min_elements,
                                          unsigned grain);
/* Whether some line of elements along `dim` lies on more than one tile (`ipus`: more than one IPU). */
TW_API bool tw_poputil_dim_is_split(tw_graph *graph, tw_tensor tensor, unsigned dim, bool ipus);
/* One element for each index of `dim` of `full`, each on a tile that has such elements. */
TW_API tw_tensor tw_poputil_create_broadcast_operand(tw_graph *graph, tw_tensor full, tw_type type, unsigned dim,
                                                     bool dither, const char *name);

/* --- who uses what -------------------------------------------------------------------------------------------- */

/* Collects which tile uses which elements of variables and maps them to where they are used. A tracker belongs to
 * the graph that its tensors and tiles are of. */
typedef struct tw_use_tracker tw_use_tracker;
typedef enum tw_use_mapping {
    TW_USE_ANY = 0,       /* elements of several tiles are spread evenly over these */
    TW_USE_HALO = 1,      /* the same, and runs stay whole where that moves less */
    TW_USE_USED_TILES = 2 /* each element on a tile that uses it, whatever grain and minimum say */
} tw_use_mapping;
TW_API tw_use_tracker *tw_poputil_tracker_new(void);
TW_API void tw_use_tracker_free(tw_use_tracker *tracker); /* NULL is fine */
TW_API void tw_poputil_tracker_add(tw_graph *graph, tw_use_tracker *tracker, unsigned tile, tw_tensor tensor);
TW_API void tw_poputil_tracker_merge(tw_use_tracker *tracker, const tw_use_tracker *other);
TW_API bool tw_poputil_tracker_empty(const tw_use_tracker *tracker);
/* Maps all elements of the variables that were added (constants are left out). With `extend` elements nobody uses
 * go to the tile of the used ones before them; else they stay unmapped. */
TW_API void tw_poputil_tracker_map(tw_graph *graph, const tw_use_tracker *tracker, unsigned grain,
                                   unsigned min_elements, bool extend, tw_use_mapping method);

/* Takes in the uses' place where tw_poputil_tracker_map() would put the elements. So uses of several trackers that
 * are merged afterwards are spread for themselves. */
TW_API void tw_poputil_tracker_resolve(tw_graph *graph, tw_use_tracker *tracker, unsigned grain,
                                       unsigned min_elements, bool extend, tw_use_mapping method);

/* --- lists of intervals --------------------------------------------------------------------------------------- */

/* Sorts, joins those that touch and drops empty ones, in place; returns how many are left: 0 with tw_error_status()
 * TW_E_POPLIBS where `regions` is NULL and `count` is not 0. */
TW_API size_t tw_poputil_merge_regions(tw_interval *regions, size_t count);
typedef struct tw_split_limits { /* 0: the default */
    unsigned grain;              /* 1; pieces are whole grains of elements, but for the last */
    unsigned parts;              /* 1; at most so many */
    unsigned min_elements;       /* 0; in a part, where there are as many */
    unsigned max_elements;       /* UINT_MAX; in a part, rounded down to grains; yields to the minimum */
    unsigned max_region;         /* UINT_MAX; in an interval of a part, rounded down to grains */
} tw_split_limits;
/* The elements of `regions` in their order, in parts as even as those of tw_poputil_linear_blocks(): run r of the
 * result is part r. NULL with tw_error_status(): no memory; TW_E_POPLIBS: `regions` is NULL and `count` is not 0, an
 * interval ends before it begins, or they have 2^64 elements or more. Free with tw_sorted_regions_free(). */
TW_API tw_sorted_regions *tw_poputil_split_regions(size_t count, const tw_interval *regions,
                                                   const tw_split_limits *limits);

/* --- shapes --------------------------------------------------------------------------------------------------- */

/* Shape of what two shapes are broadcast to, as NumPy does: equal extents or 1, missing outer dimensions are 1.
 * Returns its rank and writes up to max(rank_a, rank_b) extents; false: they do not fit, or a shape is NULL. */
TW_API bool tw_poputil_broadcast_shape(unsigned rank_a, const size_t *a, unsigned rank_b, const size_t *b,
                                       unsigned *rank, size_t *shape);
TW_API bool tw_poputil_can_broadcast(const tw_graph *graph, tw_tensor a, tw_tensor b);
/* The tensor repeated to that shape, a new view. */
TW_API tw_tensor tw_poputil_broadcast_to(tw_graph *graph, tw_tensor tensor, unsigned rank, const size_t *shape);
/* Dimension start + i = a * factors[i] becomes two: all outer parts a first, then all inner parts. And back. */
TW_API tw_tensor tw_poputil_factor_dims(tw_graph *graph, tw_tensor tensor, unsigned count, const size_t *factors,
                                        unsigned start);
TW_API tw_tensor tw_poputil_unfactor_dims(tw_graph *graph, tw_tensor tensor, unsigned count, unsigned start);

/* --- storage -------------------------------------------------------------------------------------------------- */

/* Largest g that divides the last dimension and for which every g elements of it, from the first on, are
 * neighbours in one variable and on one tile. Rank 0 is an error (0); a tensor without elements: 1. */
TW_API unsigned tw_poputil_innermost_grouping(tw_graph *graph, tw_tensor tensor);
typedef struct tw_grouping {
    unsigned dim, size;
} tw_grouping;
/* Groupings from the innermost in storage outwards, sizes above 1 only. Returns how many there are, writes up to
 * `room`, none where `groupings` is NULL. */
TW_API size_t tw_poputil_dim_groupings(tw_graph *graph, tw_tensor tensor, tw_grouping *groupings, size_t room);
/* A variable of that shape whose blocks, splits[d] of them along dimension d (the last may be smaller), are one
 * run of storage each. Unmapped. */
TW_API tw_tensor tw_poputil_create_partitionable(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                                 const size_t *splits, const char *name);
/* Calls back for each such block, in row-major order: its place, [rank], and a view that is gone afterwards. */
typedef void (*tw_partition_callback)(tw_graph *graph, const size_t *place, tw_tensor block, void *user);
TW_API void tw_poputil_each_partition(tw_graph *graph, tw_tensor tensor, const size_t *splits,
                                      tw_partition_callback callback, void *user);

/* --- copies --------------------------------------------------------------------------------------------------- */

/* A clone with the values that `tensor` has when `sequence` comes to it. */
TW_API tw_tensor tw_poputil_duplicate(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name,
                                      tw_clone_method method);
/* A clone on IPU `ipu` of the graph: elements keep their tile within the IPU. */
TW_API tw_tensor tw_poputil_clone_to_ipu(tw_graph *graph, tw_tensor tensor, unsigned ipu, const char *name,
                                         tw_clone_method method);
TW_API tw_tensor tw_poputil_copy_to_ipu(tw_graph *graph, tw_tensor tensor, tw_program sequence, unsigned ipu,
                                        const char *name, tw_clone_method method);
/* A clone in another (virtual) graph of the same top-level graph: tile i of one is tile i of the other. */
TW_API tw_tensor tw_poputil_clone_to_graph(tw_graph *graph, tw_graph *to, tw_tensor tensor, const char *name,
                                           tw_clone_method method);

#ifdef __cplusplus
}
#endif
#endif
