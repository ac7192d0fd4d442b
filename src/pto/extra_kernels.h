/* extra_kernels: see the .c file. */
#ifndef TW_PTO_EXTRA_KERNELS_H
#define TW_PTO_EXTRA_KERNELS_H

#include <tilewright/vec.h>

/* first + i for every flag that is set, at most `room` of them; returns how many are set. */
size_t tw__extra_compress(size_t n, const uint8_t *flags, uint32_t first, size_t room, uint32_t *out);
/* Merges lists in descending order until one is used up: how many of each, and their sum. Views of rank 1, at most
 * 65535 elements. Ties go to the lower list. */
size_t tw__extra_merge(const tw_view *keys, unsigned lists, uint16_t *used);
/* Counts byte `byte` (0 = lowest) of n contiguous elements whose higher bytes equal higher[0] (highest), higher[1], ... */
void tw__extra_histogram(size_t n, const unsigned char *row, size_t size, unsigned byte,
                         const unsigned char *higher, uint32_t *counts);
/* Rounds to TF32 (8 bits of exponent, 10 of significand): to nearest, ties to even or away from zero. */
void tw__extra_tf32(size_t n, float *values, bool away);

#endif
