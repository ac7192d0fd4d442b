/* SPDX-License-Identifier: MIT */
/* Instruction builtins (__builtin_ipu_*) belong to the compiler for the chip; codelets use them under #ifdef __IPU__.
 * A host build gets the types they work on, the register names, and random numbers.
 *
 * Random numbers on the IPU Model: every simulated tile starts each run with the same fixed seed and setting seeds
 * has no effect (guide chapter 2), so that a codelet gives the same results every time. Vertices of a tile draw in
 * the order in which they run. The generator is the chip's xoroshiro128aox; the seed and the order of draws are not
 * the hardware's. */
#ifndef TW_IPU_BUILTINS_H
#define TW_IPU_BUILTINS_H

#include <ipudef.h>
#include <poplar/device/ipu_scalar_builtins.h>
#include <poplar/TileConstants.hpp>

#ifndef __IPU__

#ifdef __cplusplus
extern "C" {
#endif

/* Roughly normal with mean 0 and variance 1: twelve 5-bit numbers added up. An estimate: the sum that the chip forms
 * is not documented. */
static inline float tw__normal(unsigned long long bits)
{
    int sum = 0;
    for (int i = 0; i < 12; i++) sum += (int)(bits >> 5 * i & 31);
    return (float)(sum - 186) / 32.0f;
}

static inline float2 __builtin_ipu_f32v2grand(void)
{
    float2 result;
    result[0] = tw__normal(__builtin_ipu_urand64());
    result[1] = tw__normal(__builtin_ipu_urand64());
    return result;
}

static inline half2 __builtin_ipu_f16v2grand(void)
{
    half2 result;
    result[0] = tw__normal(__builtin_ipu_urand64());
    result[1] = tw__normal(__builtin_ipu_urand64());
    return result;
}

#ifdef __cplusplus
}
#endif
#endif
#endif
