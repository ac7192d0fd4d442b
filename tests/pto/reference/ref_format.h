/* SPDX-License-Identifier: MIT */
/* ref_format: what a code of an element type means and which code is nearest to a value, for the references of
 * tests/pto.
 * Written from the definitions of the formats and sharing nothing with src: a code is taken apart into its fields and
 * put together by ldexp; a value is encoded by searching the format's own values in order. Slow and plain. */
#ifndef TW_TESTS_PTO_REF_FORMAT_H
#define TW_TESTS_PTO_REF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tilewright/type.h> /* for the names of the types alone */

typedef enum ref_rounding {
    REF_EVEN, /* nearest, ties to even */
    REF_AWAY, /* nearest, ties away from zero */
    REF_DOWN,
    REF_UP,
    REF_ZERO,
    REF_ODD /* inexact values take the neighbour whose code is odd */
} ref_rounding;

unsigned ref_bits(tw_type type); /* of an element: 4 to 64 */
bool ref_is_float(tw_type type);
bool ref_is_signed(tw_type type);
bool ref_is_nan(tw_type type, uint64_t code);
/* Value of a code; integers of 64 bits beyond 2^53 are rounded. */
double ref_decode(tw_type type, uint64_t code);
/* The value itself of an integer type's code, extended to 64 bits. */
int64_t ref_integer(tw_type type, uint64_t code);
/* Code of a value, rounded once.
 *   saturate  values past the range give its end, NaN gives 0 in integers; else integers wrap (NaN and infinities:
 * the
 *             least number), floats go to infinity, or to NaN where there is none
 * 4-bit floats always saturate and turn NaN into 0; e8m0 takes 0 as its least value and negative values as NaN. */
uint64_t ref_encode(tw_type type, double value, ref_rounding rounding, bool saturate);
/* Equal codes, or both NaN. */
bool ref_same(tw_type type, uint64_t a, uint64_t b);
/* A value rounded to f32, as a kernel that computes in f32 holds it. */
double ref_f32(double value);
double ref_to_integral(double value, ref_rounding rounding);

/* Codes worth trying: zeros, ones, the ends of the range, denormals, infinities, NaN; `count` gets their number. */
const uint64_t *ref_specials(tw_type type, size_t *count);
/* A code from random bits: one in eight is special, the rest any code. */
uint64_t ref_any(tw_type type, uint64_t random);
/* A code of a small integer, exact in every type: -4 to 4, from 0 on where there is no sign (4 bits: any code; e8m0:
 * 1/8 to 8). */
uint64_t ref_small(tw_type type, uint64_t random);
/* splitmix64: the same numbers in every run. */
uint64_t ref_next(uint64_t *state);

#endif
