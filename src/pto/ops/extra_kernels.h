/* SPDX-License-Identifier: MIT */
/* extra_kernels: see the .c file. */
#ifndef TW_PTO_EXTRA_KERNELS_H
#define TW_PTO_EXTRA_KERNELS_H

#include <tilewright/vec.h>

/* Merges lists in descending order until one is used up: how many of each, and their sum. Views of rank 1, at most
 * 65535 elements. Ties go to the lower list. */
size_t tw__extra_merge(const tw_view *keys, unsigned lists, uint16_t *used);
/* Rounds to TF32 (8 bits of exponent, 10 of significand): to nearest, ties to even or away from zero. */
void tw__extra_tf32(size_t n, float *values, bool away);

#endif
