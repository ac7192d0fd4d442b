/* SPDX-License-Identifier: MIT */
/* Vertices that are texts, one for each element type; columns of matrices. */
#ifndef TW_LIBS_POPOPS_CODE_H
#define TW_LIBS_POPOPS_CODE_H

#include "poplar/libs/popops/popops.h"

/* --- code.c: texts -------------------------------------------------------------------------------------------- */

typedef struct tw__libs_code {
    const char *name;  /* of the vertex, without "<float>" */
    const char *types; /* f float, h half, i int, u unsigned, b bool; 1, 2 elements of so many bytes, u of four */
    const char *text;  /* C: %T% is the element type, %NAME% the vertex, %ID% a name that is its own, %KEY% the body
                        * of a function of an element `e` to an unsigned in the order of the elements */
} tw__libs_code;
bool tw__libs_code_takes(const tw__libs_code *code, tw_type type);
/* Name and code of a vertex, freed by the caller. */
char *tw__libs_code_name(const tw__libs_code *code, tw_type type);
char *tw__libs_code_text(const tw__libs_code *code, tw_type type);
/* Its name, when the graph has it: from the archive, or compiled. NULL with an error. */
const char *tw__libs_code_vertex(tw_graph *graph, const tw__libs_code *code, tw_type type);
/* The same for products, whose code is in the archive of the CPU's level. */
const char *tw__libs_product_vertex(tw_graph *graph, const tw__libs_code *code, tw_type type);
/* The tensor as unsigned numbers of its elements' size: for vertices that move elements. */
tw_tensor tw__libs_bits(tw_graph *graph, tw_tensor tensor);

/* --- code.c: columns of a matrix, in lists of tw_mapped_interval ---------------------------------------------- */

/* Whole grains, at least a vector, spread over all tiles. */
GArray *tw__libs_linear_columns(tw_graph *graph, tw_type type, size_t columns, size_t grain);
/* Where each column is; linear where one lies on several tiles. */
GArray *tw__libs_columns(tw_graph *graph, tw_tensor matrix);
/* A matrix whose blocks of columns are one run each, on the tile of their block. */
tw_tensor tw__libs_add_columns(tw_graph *graph, tw_type type, size_t rows, size_t columns, const GArray *blocks,
                               const char *name);

#endif
