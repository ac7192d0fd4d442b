/* SPDX-License-Identifier: MIT */
/* reference: one element of one operation, in plain C; what the kernels are compared with. */
#ifndef TW_VEC_REFERENCE_H
#define TW_VEC_REFERENCE_H

#include "core/vec/vec.h"

/* dst = op(src...) where all operands have `type` (comparisons and predicates write one byte, 0 or 1). False when the
 * operation has no reference for the type. Division by zero gives what a kernel with no_div_fault gives. */
bool tw__vec_reference(tw_vec_op op, const tw_vec_mode *mode, tw_type type, void *dst, const void *const *src);

#endif
