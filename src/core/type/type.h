/* SPDX-License-Identifier: MIT */
/* type: what the other boxes use besides <tilewright/type.h>. No _Float16 arithmetic operators outside this box.
 * Scalar conversions for kernels: type/convert.h. */
#ifndef TW_TYPE_TYPE_H
#define TW_TYPE_TYPE_H

#include "core/base/base.h"
#include <tilewright/type.h>

/* --- real.c: one exact value between any two types ------------------------------------------------------------ */

typedef enum tw__real_class { TW__REAL_FINITE, TW__REAL_INFINITY, TW__REAL_NAN } tw__real_class;

/* Finite: (-1)^negative * magnitude * 2^exponent, exactly; zero keeps its sign.
 * NaN: payload holds the mantissa bits of the source, left-justified in 63 bits, quiet bit included. */
typedef struct tw__real {
    tw__real_class kind;
    bool negative;
    int exponent;
    unsigned __int128 magnitude;
    uint64_t payload;
} tw__real;

tw__real tw__real_load(tw_type type, const void *src); /* real types and accumulators; zero for any other */
/* Real types and accumulators; any other is left alone. Rules: tw_convert. */
void tw__real_store(tw_type type, void *dst, const tw__real *value, tw_convert_mode mode, uint32_t random);

#endif
