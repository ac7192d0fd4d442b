/* SPDX-License-Identifier: MIT */
/* Sparse matrices whose pattern is data: plans, and what is done in rounds of buckets. */
#ifndef TW_LIBS_POPSPARSE_SPARSE_H
#define TW_LIBS_POPSPARSE_SPARSE_H

#include "poplar/libs/popops/code.h"

#include <tilewright/poplibs/popsparse.h>

/* --- plan.c --------------------------------------------------------------------------------------------------- */

/* A region is a part of the rows and columns of one group; each has a bucket and, for each part of the batch, a tile.
 * Words of a bucket in meta: how many blocks it has; for each its region and its place there, in blocks: row, column.
 * Behind all buckets one word: how many steps more than one a run takes. At step s a region's tiles see bucket
 * (region + s) mod regions. */
typedef struct tw__sparse_plan {
    tw_sparse_params p; /* no 0 */
    tw_type type;
    size_t area, grid_rows, grid_columns; /* of a block; blocks along a group's matrix */
    size_t x_block, y_block, z_block;     /* of a part: rows and columns of blocks, batch */
    size_t x_parts, y_parts, z_parts;
    size_t regions, capacity, words;
    unsigned tiles;
    double cycles;
    bool force_spills;
} tw__sparse_plan;
enum { TW__SPARSE_WORDS = 3 }; /* of a block */

/* False, with an error of `call`. */
bool tw__sparse_make_plan(tw__sparse_plan *plan, tw_graph *graph, const char *call, tw_type type,
                          const tw_sparse_params *params, const char *const *options);
static inline unsigned tw__sparse_tile(const tw__sparse_plan *plan, size_t region, size_t z)
{
    return (unsigned)((region * plan->z_parts + z) % plan->tiles);
}
static inline size_t tw__sparse_region(const tw__sparse_plan *plan, size_t group, size_t x, size_t y)
{
    return (group * plan->x_parts + x) * plan->y_parts + y;
}

/* --- rounds.c ------------------------------------------------------------------------------------------------- */

/* Something that every region does with each block of its own. */
typedef struct tw__sparse_work {
    tw_graph *graph;
    const char *call, *name;
    tw__sparse_plan plan;
    tw_program sequence;
    const char *vertex;
    size_t batches;         /* parts of the batch that there are vertices for: those of the plan, or one */
    tw_tensor meta, values; /* values: of what is read; nil */
    tw_tensor sums;         /* floats of the buckets that are made, [parts of the batch][values]; nil */
    /* Connects a vertex of `region` and batch part `z` to all but meta, values and sums, which are there. */
    void (*connect)(const struct tw__sparse_work *work, tw_vertex vertex, size_t region, size_t z);
    void *user;
} tw__sparse_work;
/* The meta data and values of a call are what they should be; values may be nil. */
bool tw__sparse_check(const tw__sparse_work *work);
/* All of them once, and further steps as the meta data have it. */
void tw__sparse_rounds(tw__sparse_work *work);
/* Zero sums, and what they are in the end: added over the batch, as values. */
void tw__sparse_add_sums(tw__sparse_work *work);
tw_tensor tw__sparse_finish_sums(const tw__sparse_work *work);
/* Maps buckets, of values or their like, to the tiles of part `z` of the batch. */
void tw__sparse_map_values(tw_graph *graph, const tw__sparse_plan *plan, tw_tensor values, size_t z);

#endif
