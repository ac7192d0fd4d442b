/* SPDX-License-Identifier: MIT */
/* Shared by the C sources of the runtime library, which are compiled for the chip by the compiler they belong to, and
 * for the host by their tests (TW_RT_HOST), where every name has a prefix. TW_RT_SUPERVISOR: once more for the
 * supervisor, which has no floats.
 *
 * Nothing here may need what it provides: no division of 64 bits, no double arithmetic, no library call. */
#ifndef TW_COLOSSUS_CC_RT_H
#define TW_COLOSSUS_CC_RT_H

#include <stdbool.h>
#include <stdint.h>

#if defined(TW_RT_HOST)
#define RT_NAME(name) rt_##name
#define RT            static __attribute__((unused))
#elif defined(TW_RT_SUPERVISOR)
#define RT_NAME(name) __supervisor_##name
#define RT            __attribute__((weak, target("supervisor")))
#else
#define RT_NAME(name) name
#define RT            __attribute__((weak))
#endif
#if defined(TW_RT_SUPERVISOR)
#define INLINE static inline __attribute__((always_inline, unused, target("supervisor")))
#else
#define INLINE static inline __attribute__((always_inline, unused))
#endif

INLINE uint64_t words(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}
INLINE uint32_t high(uint64_t x)
{
    return (uint32_t)(x >> 32);
}
/* Leading zeros; x is not 0. */
INLINE int clz64(uint64_t x)
{
    uint32_t top = high(x);
    return top ? __builtin_clz(top) : 32 + __builtin_clz((uint32_t)x);
}

#endif
