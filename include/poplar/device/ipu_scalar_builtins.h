/* SPDX-License-Identifier: MIT */
/* Builtins of the compiler for the chip that codelets use without an include, so that Vertex.hpp has them: all of
 * them on a chip, on the host those that need no vector types. */
#ifndef TW_IPU_SCALAR_BUILTINS_H
#define TW_IPU_SCALAR_BUILTINS_H

#ifdef __IPU__

#ifdef __cplusplus
extern "C" {
#endif
void *__builtin_colossus_get_vertex_base(void) __attribute__((const)); /* the compiler knows it by its name */
#ifdef __cplusplus
}
#endif
#include <poplar/device/ipu_device_builtins.h>

#elif defined(__clang__)

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

/* The tile's cycle counter. Here it is the computer's own: it goes on, at a pace of its own. */
static inline unsigned __builtin_ipu_get_scount_l(void)
{
    return (unsigned)__builtin_readcyclecounter();
}
static inline unsigned __builtin_ipu_get_scount_u(void)
{
    return (unsigned)(__builtin_readcyclecounter() >> 32);
}

#ifdef __cplusplus
}
#endif
#endif
#endif
