/* SPDX-License-Identifier: MIT */
/* Plans of matrix products. */
#ifndef TW_LIBS_POPLIN_PLAN_H
#define TW_LIBS_POPLIN_PLAN_H

#include "poplar/libs/libs.h"

typedef struct tw__matmul_options {
    double memory;
    bool ignored;
    tw_type ignored_type;
} tw__matmul_options;

/* A product [groups][m][k] x [groups][k][n]: blocks of m_block x k_block and k_block x n_block, one of each for
 * each of groups * m_parts * n_parts * k_parts places at a time; k_steps steps, one after the other, add to the
 * same sums. */
typedef struct tw__matmul_plan {
    size_t groups, m, k, n;
    tw_type type;
    size_t m_parts, n_parts, k_parts, k_steps;
    size_t m_block, n_block, k_block;
    double cycles; /* estimated */
    double product, exchange, joining;
    uint64_t bytes; /* of blocks on a tile */
} tw__matmul_plan;

bool tw__matmul_read_options(tw_graph *graph, const char *call, const char *const *options,
                             tw__matmul_options *into);
void tw__matmul_make_plan(const tw_graph *graph, tw__matmul_plan *plan, const tw__matmul_options *options);
/* Cycles of a tile for a block: what its convolution units could do. */
double tw__matmul_block_cycles(double m, double n, double k, size_t type_size);
/* Tile of a place. */
unsigned tw__matmul_tile(const tw_graph *graph, const tw__matmul_plan *plan, size_t group, size_t i, size_t j,
                         size_t l);
/* --- matmul.c ------------------------------------------------------------------------------------------------- */

/* Vertex of a block: fields a [m][k] and b [k][n] of float or half, out [m][n] of floats, m, n, k; with
 * `first` out becomes the product, else the product is added to it. NULL with an error. */
const char *tw__matmul_vertex(tw_graph *graph, tw_type type);

#endif
