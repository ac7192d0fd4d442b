/* SPDX-License-Identifier: MIT */
/* ref_cube: products of matrices as sums of doubles with a bound of what f32 may lose, and tiles as the cube wants
 * them. */
#ifndef TW_TESTS_PTO_REF_CUBE_H
#define TW_TESTS_PTO_REF_CUBE_H

#include "pto/reference/ref_layout.h"

/* A dense matrix of values; freed by ref_values_drop. */
typedef struct ref_values {
    uint32_t rows, cols;
    double *at; /* [rows][cols] */
} ref_values;
ref_values ref_values_new(uint32_t rows, uint32_t cols); /* zeros */
void ref_values_drop(ref_values *v);
/* The first rows x cols elements of an image, decoded. */
ref_values ref_decoded(const ref_image *image, uint32_t rows, uint32_t cols);
/* Rounded to TF32: 8 bits of exponent and 10 of mantissa. */
void ref_tf32(ref_values *v, ref_rounding rounding);

/* product += a b in double, NaN and infinities as IEEE has them; bound += how far an f32 sum in any order may be from
 * it:
 * (k + 2) 2^-24 of the sum of magnitudes, of what was there too, and a denormal for each step. */
void ref_multiply(ref_values *product, ref_values *bound, const ref_values *a, const ref_values *b);
/* The tile in the layout of its memory: Left Zz (a2a3) or Nz, Right Zn, Acc Nz of 1024, scales Zz and Nn of 32, else
 * rows. */
tw_pto_tile ref_cube_tile(tw_pto_location location, tw_type type, uint32_t rows, uint32_t cols,
                          tw_pto_target target);
/* The same tile in a layout by number, 0 to 5: rows, columns, Nz, Zn, Zz, Nn. */
void ref_layout_of(tw_pto_tile *t, unsigned layout);
/* One of the six that the tile's shape allows. */
void ref_any_layout(tw_pto_tile *t, uint64_t random);
/* Codes of numbers up to 2^40 with a few special ones among them; of the smallest magnitude that stays exact in sums.
 * */
uint64_t ref_tame(tw_type type, uint64_t random);

/* Compares an f32 or i32 result: `got` within bound of `want` for elements of want, else the image's codes. */
bool ref_near(tw_pto *core, tw_pto_tile *tile, const ref_image *before, const ref_values *want,
              const ref_values *bound, const char *what);

#endif
