/* SPDX-License-Identifier: MIT */
/* popsparse: products with matrices of which most blocks are not there.
 *
 * Block-sparse: which blocks are there is known when the graph is built.
 *
 *     tw_block_sparse w = { .rows = 512, .columns = 256, .block_rows = 16, .block_columns = 16, .mask = mask };
 *     tw_tensor blocks = tw_popsparse_create_blocks(g, TW_FLOAT, &w, "w");                  // [blocks][256]
 *     tw_tensor y = tw_popsparse_dense_sparse(g, x, &w, blocks, false, TW_TYPE_NONE, sequence, "y", NULL);
 *
 * A tensor of blocks has a row for each block that is there, in the order of the mask; a row holds its block, row by
 * row. Groups are independent matrices of one shape: masks, blocks and dense matrices follow one another along the
 * first dimension.
 *
 * Dynamic: which elements, or blocks, are there is data. The host deals them out to buckets of a fixed size, one for
 * each region of the matrix, and writes what lies where to `meta` and the values to `values`:
 *
 *     tw_sparse_params w = { .rows = 512, .columns = 256, .batch = 16, .values = 10000 };
 *     tw_sparse_tensor t = tw_popsparse_create_weights(g, TW_FLOAT, &w, "w", NULL);
 *     tw_tensor x = tw_popsparse_create_input(g, TW_FLOAT, &w, "x", NULL);                  // [1][256][16]
 *     tw_tensor y = tw_popsparse_matmul(g, &w, t, x, false, sequence, "y", NULL);           // [1][512][16]
 *     tw_popsparse_partition(g, TW_FLOAT, &w, n, row, column, meta, slot, NULL);            // block i at slot[i]
 *
 * What a bucket has no room for goes to the nearest one that has; then the run takes as many steps more, in which
 * buckets go round. More than all buckets hold is an error on the host.
 *
 * Elements are float or half, both operands alike; sums are floats, rounded at their end. What is made depends on
 * shapes, masks, target and options alone, never on where elements lie: the same bits for any mapping, on one target.
 *
 * Options of dynamic calls, the same for all calls on a tensor: availableMemoryProportion (0.6 of a tile's memory for
 * parts), metaInfoBucketOversizeProportion (0.3: room in buckets above an even spread), partitioner.forceBucketSpills
 * (false; true: no bucket has what is of its own region). Checked, without effect: doGradAPass, doGradWPass,
 * sharedBuckets, enableStructuredRearrangements, partitioner.optimiseForSpeed,
 * partitioner.useActualWorkerSplitCosts (true, false), partialsType (half, float), planConstraints.
 * Options of products of known blocks, checked and without effect: numberOfPass, memoryCycleRatio,
 * availableMemoryProportion, numBands, nSplit (numbers from 0 on), partitionMethod (block, block-naive, strip),
 * verboseLogging (true, false). All are "name=value", NULL ends.
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit and
 * TW_E_INVALID_OPTION; the graph has not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_POPSPARSE_H
#define TILEWRIGHT_POPLIBS_POPSPARSE_H

#include <tilewright/poplibs/popops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- blocks that are known ------------------------------------------------------------------------------------ */

typedef struct tw_block_sparse {
    size_t groups;                    /* 0 counts as 1 */
    size_t rows, columns;             /* of one group's matrix: whole blocks */
    size_t block_rows, block_columns; /* of a block */
    /* [groups][rows / block_rows][columns / block_columns], not 0: the block is there. Borrowed. */
    const unsigned char *mask;
} tw_block_sparse;

/* A variable [blocks][block_rows * block_columns], each block on one tile. */
TW_API tw_tensor tw_popsparse_create_blocks(tw_graph *graph, tw_type type, const tw_block_sparse *matrix,
                                            const char *name);
/* [groups * m][rows] times the matrix: [groups * m][columns]. `transposed`: [groups * m][columns] times its
 * transpose, [groups * m][rows]. Of type `type`; TW_TYPE_NONE: theirs. */
TW_API tw_tensor tw_popsparse_dense_sparse(tw_graph *graph, tw_tensor dense, const tw_block_sparse *matrix,
                                           tw_tensor blocks, bool transposed, tw_type type, tw_program sequence,
                                           const char *name, const char *const *options);

/* The matrix times [groups * columns][n]: [groups * rows][n]. `transposed`: its transpose times [groups * rows][n],
 * [groups * columns][n]. Of type `type`; TW_TYPE_NONE: theirs. */
TW_API tw_tensor tw_popsparse_sparse_dense(tw_graph *graph, const tw_block_sparse *matrix, tw_tensor blocks,
                                           tw_tensor dense, bool transposed, tw_type type, tw_program sequence,
                                           const char *name, const char *const *options);

/* Elements of a group's matrix that are 0 whatever its blocks hold. */
typedef enum tw_sparse_triangle {
    TW_SPARSE_WHOLE = 0,
    TW_SPARSE_ZERO_UPPER = 1, /* right of the diagonal */
    TW_SPARSE_ZERO_LOWER = 2  /* left of it */
} tw_sparse_triangle;
/* Of [groups * rows][k] times [groups * k][columns] the blocks of `result`. */
TW_API tw_tensor tw_popsparse_dense_dense(tw_graph *graph, tw_tensor a, tw_tensor b, const tw_block_sparse *result,
                                          tw_sparse_triangle triangle, tw_type type, tw_program sequence,
                                          const char *name, const char *const *options);

/* exp(x - max) / sum along the rows of a group's matrix, over the elements of its blocks; what is not there, and what
 * the triangle takes away, counts as -infinity and gives 0. */
TW_API tw_tensor tw_popsparse_block_softmax(tw_graph *graph, tw_tensor blocks, const tw_block_sparse *matrix,
                                            tw_sparse_triangle triangle, tw_program sequence, const char *name);
TW_API void tw_popsparse_block_softmax_in_place(tw_graph *graph, tw_tensor blocks, const tw_block_sparse *matrix,
                                                tw_sparse_triangle triangle, tw_program sequence, const char *name);
/* The gradient of what went into it, from what came out and the gradient of that. */
TW_API tw_tensor tw_popsparse_block_softmax_gradient(tw_graph *graph, tw_tensor out, tw_tensor gradient,
                                                     const tw_block_sparse *matrix, tw_program sequence,
                                                     const char *name);

/* --- dynamic: parameters ---------------------------------------------------------------------------------------- */

typedef struct tw_sparse_params {
    size_t groups;                    /* 0 counts as 1: that many matrices, one above the other */
    size_t rows, columns;             /* of one of them: output and input channels of a layer */
    size_t batch;                     /* columns of the dense matrix */
    size_t block_rows, block_columns; /* 0 counts as 1; an element is a block of 1 x 1 */
    size_t values;                    /* elements that are expected at most, of all groups */
} tw_sparse_params;
typedef struct tw_sparse_tensor {
    tw_tensor meta;   /* unsigned short [layout.meta] */
    tw_tensor values; /* [layout.values] */
} tw_sparse_tensor;
/* How the parts lie that a plan makes: for who fills buckets, and for people. */
typedef struct tw_sparse_layout {
    size_t row_parts, column_parts, batch_parts; /* of a group, for a tile each */
    size_t part_rows, part_columns, part_batch;  /* extents of the first part */
    size_t buckets, capacity;                    /* capacity: blocks in one bucket */
    size_t bucket_meta, meta, values;            /* elements: of one bucket, of all, of all */
    double cycles;                               /* estimated, of one product */
} tw_sparse_layout;
TW_API tw_sparse_layout tw_popsparse_layout(tw_graph *graph, tw_type type, const tw_sparse_params *params,
                                            const char *const *options);

/* --- dynamic: the host ------------------------------------------------------------------------------------------ */

/* Block i has its first element at row[i], column[i]; rows of group g are g * rows on. Writes meta [layout.meta] and
 * slot [blocks]: elements of block i are values[slot[i] * block_rows * block_columns] on, row by row; no other values
 * are read. False, with an error: a block is not in the matrix or is there twice, or there is no room for all. */
TW_API bool tw_popsparse_partition(tw_graph *graph, tw_type type, const tw_sparse_params *params, size_t blocks,
                                   const size_t *row, const size_t *column, uint16_t *meta, size_t *slot,
                                   const char *const *options);
/* Back: places and slots of the blocks that `meta` [layout.meta] says, by row and column. Returns their number,
 * writes up to `room`; 0 with an error: meta is not what tw_popsparse_partition() writes. */
TW_API size_t tw_popsparse_unpartition(tw_graph *graph, tw_type type, const tw_sparse_params *params,
                                       const uint16_t *meta, size_t *row, size_t *column, size_t *slot, size_t room,
                                       const char *const *options);

/* --- dynamic: the device ---------------------------------------------------------------------------------------- */

TW_API tw_sparse_tensor tw_popsparse_create_weights(tw_graph *graph, tw_type type, const tw_sparse_params *params,
                                                    const char *name, const char *const *options);
/* [groups][columns][batch] */
TW_API tw_tensor tw_popsparse_create_input(tw_graph *graph, tw_type type, const tw_sparse_params *params,
                                           const char *name, const char *const *options);
/* The matrices times [groups][columns][batch]: [groups][rows][batch]. `transposed`: their transposes times
 * [groups][rows][batch], [groups][columns][batch]. */
TW_API tw_tensor tw_popsparse_matmul(tw_graph *graph, const tw_sparse_params *params, tw_sparse_tensor sparse,
                                     tw_tensor dense, bool transposed, tw_program sequence, const char *name,
                                     const char *const *options);
/* The gradient of the values that are there, as `values`: of what tw_popsparse_matmul() made of `dense`
 * [groups][columns][batch], `gradient` [groups][rows][batch] is the gradient. */
TW_API tw_tensor tw_popsparse_matmul_gradient(tw_graph *graph, const tw_sparse_params *params, tw_tensor meta,
                                              tw_tensor gradient, tw_tensor dense, tw_program sequence,
                                              const char *name, const char *const *options);

/* Rows of a matrix, groups 1: [indices][columns] for unsigned int [indices]; a row that there is not is zeros. */
TW_API tw_tensor tw_popsparse_slice(tw_graph *graph, const tw_sparse_params *params, tw_sparse_tensor sparse,
                                    tw_tensor indices, tw_program sequence, const char *name,
                                    const char *const *options);
/* values += scale * slices, where rows have an element; `scale` one float, or half as the values. */
TW_API void tw_popsparse_update_add(tw_graph *graph, const tw_sparse_params *params, tw_sparse_tensor sparse,
                                    tw_tensor slices, tw_tensor indices, tw_tensor scale, tw_program sequence,
                                    const char *name, const char *const *options);

#ifdef __cplusplus
}
#endif
#endif
