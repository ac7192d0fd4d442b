/* SPDX-License-Identifier: MIT */
/* What the files of popops share. */
#ifndef TW_LIBS_POPOPS_POPOPS_H
#define TW_LIBS_POPOPS_POPOPS_H

#include "poplar/libs/popops/expr.h"

/* --- map.c ---------------------------------------------------------------------------------------------------- */

/* The public calls of map under the name of another: `call` is what errors name. `output` may be nil. */
tw_tensor tw__popops_map(tw_graph *graph, const char *call, const char *expression, unsigned count,
                         const tw_tensor *tensors, tw_tensor output, tw_program sequence, const char *name,
                         const char *const *options);
void tw__popops_map_in_place(tw_graph *graph, const char *call, const char *expression, unsigned count,
                             const tw_tensor *tensors, tw_program sequence, const char *name,
                             const char *const *options);
/* One set of vertices that the caller executes, which changes a tensor that has each element once. */
void tw__popops_map_set_in_place(tw_graph *graph, const char *call, const char *expression, tw_tensor tensor,
                                 tw_compute_set cs);
/* One set of vertices that the caller executes; `output` is none of the tensors and has each element once. */
void tw__popops_map_set(tw_graph *graph, const char *call, const char *expression, unsigned count,
                        const tw_tensor *tensors, tw_tensor output, tw_compute_set cs);
/* A constant of one element, on tile 0. */
tw_tensor tw__popops_number(tw_graph *graph, tw_type type, double value);

/* --- values.c ------------------------------------------------------------------------------------------------- */

/* Vertices that write one value, or count: names and code, freed by the caller; NULL for types that have none. */
char *tw__popops_fill_vertex(tw_type type, bool counts);
char *tw__popops_fill_code(tw_type type, bool counts);
/* Whether scaled sums take the scale: a number, or a tensor of one. Else an error of `call`. */
bool tw__popops_scale_fits(tw_graph *graph, const char *call, const tw_scale *scale);

/* --- real.c: floats and halves, computed as floats ------------------------------------------------------------- */

/* float or half, `rank` dimensions at least, on tiles. Else an error of `call`. */
bool tw__real_check(tw_graph *graph, const char *call, tw_tensor tensor, unsigned rank);
/* A text for map in which $1 is the value of _1 as float, and so on, and whose result, a float there, is made one of
 * `result`. Freed by the caller. */
char *tw__real_text(tw_graph *graph, const char *text, tw_type result, unsigned count, const tw_tensor *tensors);
/* The map of a text in which $1 is the value of _1 as float, and so on; the result, a float there, is of type
 * `result`. `output` nil: a new tensor. */
tw_tensor tw__real_map(tw_graph *graph, const char *call, const char *text, tw_type result, unsigned count,
                       const tw_tensor *tensors, tw_tensor output, tw_program sequence, const char *name);

/* Whether no element is there twice, as a copy into the tensor needs; else an error of `call`. */
bool tw__popops_each_once(tw_graph *graph, const char *call, tw_tensor tensor);

#endif
