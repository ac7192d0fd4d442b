/* SPDX-License-Identifier: MIT */
/* ref_quant: what quantisation makes of one value, or of one group, for the references of tests/pto (the manual). */
#ifndef TW_TESTS_PTO_REF_QUANT_H
#define TW_TESTS_PTO_REF_QUANT_H

#include "pto/reference/ref_format.h"

/* A group of 32 values that share a power of two. */
enum { REF_MX_GROUP = 32, REF_HIF4_GROUP = 64 };
typedef struct ref_group {
    double largest, factor;      /* magnitude; 2^(127 - exponent), NaN for a group with a NaN */
    unsigned exponent;           /* code of e8m0 */
    double scaled[REF_MX_GROUP]; /* values times the factor, clipped: what is converted to `type` */
} ref_group;
/* `type` f8e4m3 or f4e2m1; `nv`: the rule of NV, else that of OCP. */
void ref_mx_group(tw_type type, bool nv, const double *values, ref_group *out);

/* HiF4: 64 values divided by their scales; returns the word of scales: e6m2, eight bits, sixteen bits. */
uint32_t ref_hif4_group(const double *values, double *scaled);

/* An accumulator's element on its way out: relu, times the scale (in f32), converted to `to`, saturating where
 * `scaled`. */
uint64_t ref_leave(tw_type from, uint64_t code, bool relu, bool scaled, double scale, tw_type to);

#endif
