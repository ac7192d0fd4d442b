/* SPDX-License-Identifier: MIT */
/* Slices at offsets that a run computes: what slice.c and gather.c share. */
#ifndef TW_LIBS_POPOPS_SLICE_H
#define TW_LIBS_POPOPS_SLICE_H

#include "poplar/libs/popops/code.h"

enum {
    TW__SLICE,
    TW__SLICE_UPDATE,
    TW__SLICE_ADD,
    TW__SLICE_ADD_INTEGERS,
    TW__SLICE_MAX,
    TW__SLICE_MUL,
    TW__SLICE_CODES
};
extern const tw__libs_code tw__slice_codes[TW__SLICE_CODES], tw__sequence_code;

/* A checked call: dimensions dims[] of a tensor are sliced, in sizes[]. As a matrix it has a row for each index of
 * these, and a column for each of the others. */
typedef struct tw__slicing {
    tw_graph *graph;
    const char *call;
    tw__extents shape;
    unsigned count, order[TW__LIBS_RANK]; /* sliced dimensions, then the others */
    unsigned extents[TW__LIBS_RANK], sizes[TW__LIBS_RANK];
    size_t rows, columns, slice_rows; /* of the tensor, of one slice */
} tw__slicing;
bool tw__slice_check(tw__slicing *s, tw_graph *graph, const char *call, tw_tensor tensor, unsigned count,
                     const size_t *dims, const size_t *sizes);
/* The same of a shape, s->shape; graph and call are set, and `what` has the shape. */
bool tw__slice_check_shape(tw__slicing *s, const char *what, unsigned count, const size_t *dims,
                           const size_t *sizes);
/* Shape of a slice, behind a dimension of `lookups` with `many`. */
tw__extents tw__slice_shape(const tw__slicing *s, bool many, size_t lookups);
/* The tensor, or slices in a first dimension with `many`, as a matrix, and a tensor of that shape from one. */
tw_tensor tw__slice_matrix(const tw__slicing *s, tw_tensor tensor, bool many, size_t rows);
tw_tensor tw__slice_from_matrix(const tw__slicing *s, tw_tensor matrix, tw__extents shape, bool many);
/* Options of plans: checked, without effect. */
bool tw__slice_options(tw_graph *graph, const char *call, const char *const *options);
/* The slices at rows of `offsets` [lookups][count], in a new first dimension; zeros where a row is out of range. */
tw_tensor tw__slice_many(const tw__slicing *s, tw_tensor tensor, tw_tensor offsets, tw_program sequence,
                         const char *name);
/* TW__SLICE_UPDATE, _ADD, _ADD_INTEGERS, _MAX or _MUL; `scale` is for sums. */
void tw__slice_write(const tw__slicing *s, int code, tw_tensor tensor, tw_tensor slices, tw_tensor offsets,
                     tw_tensor scale, bool many, tw_program sequence, const char *name);

#endif
