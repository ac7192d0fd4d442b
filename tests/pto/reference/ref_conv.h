/* SPDX-License-Identifier: MIT */
/* ref_conv: where the elements of feature maps and filters lie, and the rows of a convolution's matrix, by
 * coordinates. */
#ifndef TW_TESTS_PTO_REF_CONV_H
#define TW_TESTS_PTO_REF_CONV_H

#include <tilewright/pto.h>

/* Extents of an image, or coordinates in one. */
typedef struct ref_map {
    uint32_t g, n, c, d, h, w;
} ref_map;

/* A ConvTile's description for an image of these extents; false when the layout has no dimension for one of them.
 * Groups of c0 channels; of fractals the images fill boxes of 16. */
bool ref_conv_shape(tw_pto_layout layout, const ref_map *of, uint32_t c0, tw_pto_conv *out);
/* Number of an element in the layout. */
size_t ref_conv_place(tw_pto_layout layout, const ref_map *of, const ref_map *at, uint32_t c0);
/* Element (row, col) of the matrix of a convolution's inputs: row ((n D + d) OH + oh) OW + ow, column
 * ((c1 KH + kh)
 * KW + kw) C0 + c0. Gets the coordinates in the map; false outside of it or past its channels: padding. */
bool ref_conv_input(const tw_pto_conv *v, const ref_map *of, uint32_t c0, uint64_t row, uint64_t col, ref_map *at);
/* Extents of that matrix; rows 0 when the filter is larger than the padded map. */
void ref_conv_matrix(const tw_pto_conv *v, const ref_map *of, uint32_t c0, uint64_t *rows, uint64_t *cols);

#endif
