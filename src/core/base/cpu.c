/* SPDX-License-Identifier: MIT */
/* cpu: which of the instruction sets that code is compiled for this machine has. One answer for kernels and codelets,
 * so that TILEWRIGHT_CPU lowers both. */
#include "core/base/base.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

bool tw__cpu_has(tw__cpu_level level)
{
    if (level == TW__CPU_BASELINE) return true;
#ifdef __x86_64__
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
                __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (level == TW__CPU_AVX2) return avx2;
    if (level == TW__CPU_AVX512)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return false;
}

static tw__cpu_level best;

static void cpu_choose(void)
{
    static const char *const names[TW__CPU_LEVELS] = { "baseline", "avx2", "avx512" };
    const char *limit = getenv("TILEWRIGHT_CPU");
    best = TW__CPU_AVX512;
    for (int level = 0; limit && level < TW__CPU_LEVELS; level++)
        if (strcmp(limit, names[level]) == 0) best = (tw__cpu_level)level;
    while (!tw__cpu_has(best)) best--;
}

tw__cpu_level tw__cpu_best(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, cpu_choose);
    return best;
}

/* A level of the x86-64 psABI asks for a little more than our kernels do. */
const char *tw__cpu_march(void)
{
#ifdef __x86_64__
    tw__cpu_level level = tw__cpu_best();
    bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    bool v3 = v2 && level >= TW__CPU_AVX2 && __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("movbe");
    bool v4 = v3 && level >= TW__CPU_AVX512 && __builtin_cpu_supports("avx512cd");
    return v4 ? "x86-64-v4" : v3 ? "x86-64-v3" : v2 ? "x86-64-v2" : "x86-64";
#else
    return NULL;
#endif
}
