/* SPDX-License-Identifier: MIT */
/* place: elements by their number. IOTA: start + k step; COMPRESS: those whose flag is set, side by side. */
#include "core/vec/kernels/lane.h"

/* d[i] = a + (c + i) b; c is a uint64_t, the number of the first element. Integers wrap; floats calculate with one
 * rounding per operation, so that an element depends on its number alone. */
#define IOTA_LOOP(type, T_, U_, W_, S_, bits, ...)                                                     \
    static void IOTA_##type(size_t n, void *dv, const void *start, const void *step, const void *from) \
    {                                                                                                  \
        TW_TYPES(T_, U_, W_, S_, bits);                                                                \
        memory *d = dv;                                                                                \
        W begin = *(const memory *)start, by = *(const memory *)step;                                  \
        uint64_t first;                                                                                \
        memcpy(&first, from, sizeof first);                                                            \
        T next = (T)(begin + (W)first * by), add = (T)by;                                              \
        for (size_t i = 0; i < n; i++) {                                                               \
            d[i] = next;                                                                               \
            next = (T)(next + add);                                                                    \
        }                                                                                              \
    }
#define IOTA_FLOAT_LOOP(type, T_, U_, W_, S_, bits, ...)                                                     \
    static void IOTA_##type(size_t n, void *dv, const void *start, const void *step, const void *from)       \
    {                                                                                                        \
        TW_TYPES(T_, U_, W_, S_, bits);                                                                      \
        memory *d = dv;                                                                                      \
        T begin = *(const memory *)start, by = *(const memory *)step;                                        \
        uint64_t first;                                                                                      \
        memcpy(&first, from, sizeof first);                                                                  \
        if (first + n <= INT32_MAX) /* numbers that vectors convert */                                       \
            for (int32_t i = 0; i < (int32_t)n; i++) d[i] = TW_NUMBER(begin + (T)((int32_t)first + i) * by); \
        else                                                                                                 \
            for (size_t i = 0; i < n; i++) d[i] = TW_NUMBER(begin + (T)(first + i) * by);                    \
    }
TW_UNSIGNED(IOTA_LOOP, 0)
TW_FLOATS(IOTA_FLOAT_LOOP, 0)

/* d has room for n elements; what lies behind the last one kept is undefined, so that no branch depends on a flag. */
#define COMPRESS_LOOP(type, T_, U_, W_, S_, bits, ...)                                               \
    static size_t COMPRESS_##type(size_t n, void *restrict dv, const void *av, const uint8_t *flags) \
    {                                                                                                \
        TW_TYPES(T_, U_, W_, S_, bits);                                                              \
        const memory *x = av;                                                                        \
        memory *d = dv;                                                                              \
        size_t set = 0;                                                                              \
        for (size_t i = 0; i < n; i++) {                                                             \
            d[set] = x[i];                                                                           \
            set += flags[i] != 0;                                                                    \
        }                                                                                            \
        return set;                                                                                  \
    }
TW_UNSIGNED(COMPRESS_LOOP, 0)

// clang-format off
const tw__cores TW_LEVELLED(tw__cores_place) = { {
    TW_UNSIGNED(TW_ENTRY_SIGNLESS, IOTA) TW_FLOATS(TW_ENTRY, IOTA) TW_UNSIGNED(TW_ENTRY_SIGNLESS, COMPRESS)
} };
// clang-format on
