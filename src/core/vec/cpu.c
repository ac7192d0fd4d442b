/* SPDX-License-Identifier: MIT */
/* cpu: the kernels of each level of instruction sets (base.h: tw__cpu_best says which one runs). */
#include "core/vec/vec.h"

#include "core/base/base.h"

#include <assert.h>

#define DECLARE(level)                                                                                    \
    extern const tw__cores tw__cores_integer_##level, tw__cores_float_##level, tw__cores_compare_##level, \
        tw__cores_reduce_##level, tw__cores_place_##level;                                                \
    extern const tw__conversion tw__conversions_##level[];                                                \
    extern const tw__strips tw__strips_##level;                                                           \
    extern const tw__thin tw__thin_##level;                                                               \
    extern tw__turn *const tw__turns_##level[];
#define LEVEL(level)                                                                      \
    { #level,                                                                             \
      &tw__thin_##level,                                                                  \
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

static_assert((int)TW__AVX512 == (int)TW__CPU_AVX512 && (int)TW__AVX2 == (int)TW__CPU_AVX2, "the levels of base");

const tw__level *tw__level_of(int level)
{
    return level >= 0 && level < TW__LEVELS && tw__cpu_has((tw__cpu_level)level) && levels[level].name
               ? &levels[level]
               : NULL;
}

int tw__best_level(void)
{
    return (int)tw__cpu_best();
}

tw__turn *tw__turn_of(size_t size)
{
    unsigned row = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
    return row < 4 ? levels[tw__best_level()].turns[row] : NULL;
}

const tw__thin *tw__thin_of(void)
{
    return levels[tw__best_level()].thin;
}

const char *tw_vec_cpu(void)
{
    return levels[tw__best_level()].name;
}
