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
#include <poplar/TileConstants.hpp>

#ifndef __IPU__

#ifdef __cplusplus
extern "C" {
#endif

/* Two words of state of the tile whose vertex runs in this thread; set by whoever loads the codelet. */
__attribute__((weak, visibility("default"))) unsigned long long *(*tw__codelet_random)(void);

static inline unsigned long long __builtin_ipu_urand64(void)
{
    unsigned long long *state = tw__codelet_random(), s0 = state[0], s1 = state[1], mix = s0 ^ s1, both = s0 & s1;
    state[0] = (s0 << 55 | s0 >> 9) ^ mix ^ mix << 14;
    state[1] = mix << 36 | mix >> 28;
    return mix ^ ((both << 1 | both >> 63) | (both << 2 | both >> 62));
}

static inline unsigned __builtin_ipu_urand32(void)
{
    return (unsigned)__builtin_ipu_urand64();
}

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
