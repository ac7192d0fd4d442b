/* SPDX-License-Identifier: MIT */
/* Matrices whose blocks are known: what products and softmax share. */
#ifndef TW_LIBS_POPSPARSE_BLOCK_H
#define TW_LIBS_POPSPARSE_BLOCK_H

#include "poplar/libs/popops/popops.h"

#include <tilewright/poplibs/popsparse.h>

/* A checked matrix: groups are not 0. */
typedef struct tw__blocks {
    tw_graph *graph;
    const char *call;
    tw_block_sparse m;
    size_t grid_rows, grid_columns; /* blocks along a group's matrix */
    size_t *number;                 /* [groups][grid_rows][grid_columns] of a block, SIZE_MAX: it is not there */
    size_t count, area;             /* of all groups; elements of one */
} tw__blocks;
bool tw__blocks_check(tw__blocks *b, tw_graph *graph, const char *call, const tw_block_sparse *matrix);
void tw__blocks_free(tw__blocks *b);
/* float or half, [count][area], mapped. */
bool tw__blocks_tensor(const tw__blocks *b, tw_tensor tensor);
bool tw__blocks_triangle(const tw__blocks *b, tw_sparse_triangle triangle); /* there is such a one */
/* Number of a block, SIZE_MAX: it is not there. */
static inline size_t tw__blocks_at(const tw__blocks *b, size_t group, size_t i, size_t j)
{
    return b->number[(group * b->grid_rows + i) * b->grid_columns + j];
}

#endif
