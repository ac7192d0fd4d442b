/* SPDX-License-Identifier: MIT */
/* Builtins of the compiler for the chip that need no vector types: codelets use them without an include, so
 * Vertex.hpp has them. */
#ifndef TW_IPU_SCALAR_BUILTINS_H
#define TW_IPU_SCALAR_BUILTINS_H

#ifdef __IPU__

/* The compiler knows these by their names. The control registers of 'get' and 'put' are those that the context has by
 * itself, those of 'uget' and 'uput' the floating point unit's; they are constants. */
#ifdef __cplusplus
extern "C" {
#endif
void *__builtin_colossus_get_vertex_base(void) __attribute__((const));
#ifdef __cplusplus
}
#endif
#define __builtin_ipu_get(csr)                                     \
    __extension__({                                                \
        unsigned tw__csr;                                          \
        __asm__ volatile("get %0, %1" : "=r"(tw__csr) : "i"(csr)); \
        tw__csr;                                                   \
    })
#define __builtin_ipu_put(value, csr) \
    __extension__({ __asm__ volatile("put %1, %0" ::"r"((unsigned)(value)), "i"(csr) : "memory"); })

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
