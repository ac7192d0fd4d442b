/* SPDX-License-Identifier: MIT */
/* Common to the tests of AI Engine intrinsics: how many random cases, random and extreme data, a failing row in
 * full. */
#ifndef TW_TESTS_AIE_CASES_H
#define TW_TESTS_AIE_CASES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif
// clang-format on

/* Instrumented code is an order slower, to compile and to run. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER 0
#endif

static uint64_t seed = 0x9e3779b97f4a7c15u;

/* xorshift64*: the same numbers everywhere. */
static inline uint32_t rnd(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 32);
}

/* Bytes for operands: random, or all the extreme values of their width, mixed. */
static inline void fill(void *out, size_t bytes, unsigned width)
{
    static const uint32_t extreme[] = { 0x80000000u, 0x7fffffffu, 0,           0xffffffffu,
                                        1,           0x80000001u, 0x80008000u, 0x7fff8000u };
    uint32_t kind = rnd() % 4;
    for (size_t i = 0; i < bytes / 4; i++) {
        uint32_t word = rnd();
        if (kind == 0) word = extreme[rnd() % 8];
        if (kind == 1) word = 0x80000000u; /* everything most negative, in 32 bits */
        if (kind <= 1 && width == 16) word = (word >> 16) | (word & 0xffff0000u);
        if (kind <= 1 && width == 8) word = (word >> 24) * 0x01010101u;
        memcpy((char *)out + 4 * i, &word, 4);
    }
}

/* TW_AIE_CASES=n: n random cases per row instead of the default; TW_AIE_SCALE=n: n times the default, which comes to
 * 10,000 calls a family and more (a quarter of that under sanitizers). */
static inline unsigned case_count(unsigned normal)
{
    const char *cases = getenv("TW_AIE_CASES"), *scale = getenv("TW_AIE_SCALE");
    if (cases) return (unsigned)strtoul(cases, NULL, 10);
    if (scale) return normal * (unsigned)strtoul(scale, NULL, 10);
    return UNDER_SANITIZER ? (normal + 3) / 4 : normal;
}

#endif
