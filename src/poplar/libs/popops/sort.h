/* SPDX-License-Identifier: MIT */
/* The first k of rows in order: what sorts, top-k and arg-max share. */
#ifndef TW_LIBS_POPOPS_SORT_H
#define TW_LIBS_POPOPS_SORT_H

#include "poplar/libs/popops/code.h"

enum { TW__SORT_FIRST, TW__SORT_MERGE, TW__SORT_TAKE, TW__SORT_CODES };
extern const tw__libs_code tw__sort_codes[TW__SORT_CODES];

/* Of a matrix [rows][n]: the first k elements of each row and where they stood, [rows][k] each; the order is that
 * of the bits of a number, elements that are alike in the order of their places. Least first, or with `down`
 * greatest. */
tw_sorted tw__sort_rows(tw_graph *graph, tw_tensor matrix, size_t k, bool down, tw_program sequence,
                        const char *name);
/* Elements of each row at places [rows][k]. */
tw_tensor tw__sort_take(tw_graph *graph, tw_tensor matrix, tw_tensor places, tw_program sequence, const char *name);
bool tw__sort_takes(tw_type type);

#endif
