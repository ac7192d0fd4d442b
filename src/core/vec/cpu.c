/* cpu: which kernels this machine runs. TILEWRIGHT_CPU=baseline|avx2|avx512 lowers the choice, never raises it. */
#include "core/vec/vec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(level)                                                                                    \
    extern const tw__cores tw__cores_integer_##level, tw__cores_float_##level, tw__cores_compare_##level, \
        tw__cores_reduce_##level, tw__cores_place_##level;                                                \
    extern const tw__conversion tw__conversions_##level[];                                                \
    extern const tw__strips tw__strips_##level;                                                           \
    extern tw__turn *const tw__turns_##level[];
#define LEVEL(level)                                                                      \
    { #level,                                                                             \
      &tw__strips_##level,                                                                \
      tw__turns_##level,                                                                  \
      { &tw__cores_integer_##level, &tw__cores_float_##level, &tw__cores_compare_##level, \
        &tw__cores_reduce_##level, &tw__cores_place_##level, &tw__cores_elementary },     \
      tw__conversions_##level }

extern const tw__cores tw__cores_elementary;
DECLARE(baseline)
#ifdef __x86_64__
DECLARE(avx2)
DECLARE(avx512)
#endif

static const tw__level levels[TW__LEVELS] = {
    [TW__BASELINE] = LEVEL(baseline),
#ifdef __x86_64__
    [TW__AVX2] = LEVEL(avx2),
    [TW__AVX512] = LEVEL(avx512),
#endif
};

static bool supported(int level)
{
    if (level == TW__BASELINE) return true;
#ifdef __x86_64__
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
                __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (level == TW__AVX2) return avx2;
    if (level == TW__AVX512)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return false;
}

const tw__level *tw__level_of(int level)
{
    return level >= 0 && level < TW__LEVELS && supported(level) ? &levels[level] : NULL;
}

static int best;

static void choose(void)
{
    const char *limit = getenv("TILEWRIGHT_CPU");
    int top = TW__LEVELS - 1;
    for (int level = 0; limit && level < TW__LEVELS; level++)
        if (levels[level].name && strcmp(limit, levels[level].name) == 0) top = level;
    for (best = top; best > TW__BASELINE && !supported(best);) best--;
}

int tw__best_level(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return best;
}

tw__turn *tw__turn_of(size_t size)
{
    unsigned row = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
    return row < 4 ? levels[tw__best_level()].turns[row] : NULL;
}

const char *tw_vec_cpu(void)
{
    return levels[tw__best_level()].name;
}
