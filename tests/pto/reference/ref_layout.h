/* SPDX-License-Identifier: MIT */
/* ref_layout: where elements lie, for the references of tests/pto: element numbers from the formulas of the manual
 * and 1.3, and images of a tile's whole storage, so that a test compares every byte, those outside the valid region
 * too. */
#ifndef TW_TESTS_PTO_REF_LAYOUT_H
#define TW_TESTS_PTO_REF_LAYOUT_H

#include <tilewright/pto.h>

#include "pto/reference/ref_format.h"

void ref_box(const tw_pto_tile *t, uint32_t *rows, uint32_t *cols);
/* Number of element (r, c) in the tile's storage, in elements from its start; windows count in their base tile. */
size_t ref_index(const tw_pto_tile *t, uint32_t r, uint32_t c);
size_t ref_tile_bytes(const tw_pto_tile *t);
/* Number of the element of a tensor that is (r, c) of the tile that fits it, by shape and strides, from tensor->data
 * on. */
ptrdiff_t ref_tensor_index(const tw_pto_tensor *g, uint32_t r, uint32_t c);
/* Code of a pad value, as in tw_pto_tile. */
uint64_t ref_pad(tw_type type, uint64_t pad);
/* Code of element number `index`; 4-bit types lie two in a byte, the even one low. */
uint64_t ref_load(const void *storage, tw_type type, size_t index);
void ref_store(void *storage, tw_type type, size_t index, uint64_t code);

/* A copy of a tile's storage: what it held, or what it should hold. `tile` names the description; freed by ref_drop.
 * */
typedef struct ref_image {
    const tw_pto_tile *tile;
    unsigned char *bytes;
    size_t size;
} ref_image;
ref_image ref_take(tw_pto *core,
                   tw_pto_tile *tile); /* the tile's storage as it is; the tile gets a place if it has none */
void ref_drop(ref_image *image);
uint64_t ref_get(const ref_image *image, uint32_t r, uint32_t c);
void ref_set(const ref_image *image, uint32_t r, uint32_t c, uint64_t code);
double ref_value(const ref_image *image, uint32_t r, uint32_t c);
/* The elements of a window that begins at (row, col) of the tile in `base`, as the image of a tile like it that
 * stands alone (`shape`, its extents those of the window); and those elements back into the base's image. */
ref_image ref_cut(const ref_image *base, const tw_pto_tile *shape, uint32_t row, uint32_t col);
void ref_paste(const ref_image *base, const ref_image *part, uint32_t row, uint32_t col);
/* Fills all of the storage, valid or not, with codes made from random bits, and takes its image. */
typedef uint64_t ref_maker(tw_type type, uint64_t random);
ref_image ref_fill(tw_pto *core, tw_pto_tile *tile, ref_maker *make, uint64_t *state);
/* The tile's storage has the image's codes: every element of the physical extents by ref_same, other bytes exactly.
 * Else a message on stderr that says where, and false. */
bool ref_equal(tw_pto *core, tw_pto_tile *tile, const ref_image *image, const char *what);

#endif
