/* SPDX-License-Identifier: MIT */
/* Shared by the C sources of the runtime library, which are compiled for the chip by the compiler they belong to,
 * and for the host by their tests (TW_RT_HOST), where every name has a prefix. RT_HELPER: a name that begins with
 * __, which supervisors' do anyway. TW_RT_SUPERVISOR: once more for the supervisor, which has no floats.  Nothing
 * here may need what it provides: no division of 64 bits, no double arithmetic, no library call. */
#ifndef TW_COLOSSUS_CC_RT_H
#define TW_COLOSSUS_CC_RT_H

#if defined(TW_RT_HOST)
#include <stdbool.h>
#include <stdint.h>
#else /* no header is there when it is compiled */
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
#define bool        _Bool
#define true        1
#define false       0
#define INT32_MAX   0x7fffffff
#define INT32_MIN   (-INT32_MAX - 1)
#define UINT32_MAX  0xffffffffu
#define INT64_MAX   0x7fffffffffffffffll
#define UINT64_MAX  0xffffffffffffffffull
#define UINT32_C(n) n##u
#define UINT64_C(n) n##ull
#endif

#if defined(TW_RT_HOST)
#define RT_NAME(name)   rt_##name
#define RT_HELPER(name) rt___##name
#define RT              static __attribute__((unused))
#elif defined(TW_RT_SUPERVISOR)
#define RT_NAME(name)   __supervisor_##name
#define RT_HELPER(name) __supervisor_##name
#define RT              __attribute__((weak, annotate("tw-context supervisor")))
#else
#define RT_NAME(name)   name
#define RT_HELPER(name) __##name
#define RT              __attribute__((weak))
#endif
#define INLINE static inline __attribute__((always_inline, unused))

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
