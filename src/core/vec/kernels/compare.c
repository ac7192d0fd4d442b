/* SPDX-License-Identifier: MIT */
/* compare: comparisons and predicates, which write bytes 0 / 1, and select, which reads bytes (0 = false). A NaN is
 * unequal to everything; select moves bits. The driver turns bytes into bits and back. */
#include "core/vec/kernels/lane.h"
#include "core/type/convert.h"

// clang-format off
#define ORDERED(ROW)                                                                                           \
    ROW(LT, 2, a < b)                                                                                          \
    ROW(LE, 2, a <= b)                                                                                         \
    ROW(GT, 2, a > b)                                                                                          \
    ROW(GE, 2, a >= b)
#define EQUALITY(ROW)                                                                                          \
    ROW(EQ, 2, a == b)                                                                                         \
    ROW(NE, 2, a != b)
#define PREDICATES(ROW)                                                                                        \
    ROW(ISNAN, 1, a != a)                                                                                      \
    ROW(ISINF, 1, (BITS_OF(a) << 1) == INFINITE)                                                               \
    ROW(ISFINITE, 1, (BITS_OF(a) << 1) < INFINITE)                                                             \
    ROW(SIGNBIT, 1, BITS_OF(a) >> (BITS - 1))
// clang-format on

#define BITS_OF(x) _Generic((x), float: tw__f32_bits, double: tw__f64_bits)(x)
#define INFINITE   (BITS == 32 ? (U)0xff000000u : (U)0xffe0000000000000u)

#define DEFINE_SIGNLESS(op, sources, ...) TW_UNSIGNED(TW_LOOP8, op, sources, __VA_ARGS__)
#define DEFINE_INTS(op, sources, ...)     TW_INTS(TW_LOOP8, op, sources, __VA_ARGS__)
#define DEFINE_FLOATS(op, sources, ...)   TW_FLOATS(TW_LOOP8, op, sources, __VA_ARGS__)
#define ENTER_SIGNLESS(op, sources, ...)  TW_UNSIGNED(TW_ENTRY_SIGNLESS, op, 0)
#define ENTER_INTS(op, sources, ...)      TW_INTS(TW_ENTRY, op, 0)
#define ENTER_FLOATS(op, sources, ...)    TW_FLOATS(TW_ENTRY, op, 0)

EQUALITY(DEFINE_SIGNLESS)
EQUALITY(DEFINE_FLOATS)
ORDERED(DEFINE_INTS)
ORDERED(DEFINE_FLOATS)
PREDICATES(DEFINE_FLOATS)

#define SELECT_LOOP(type, T, U, W, S, bits, ...)                                                    \
    static void SELECT_##type(size_t n, void *dv, const void *mask, const void *av, const void *bv) \
    {                                                                                               \
        typedef TW_IN_MEMORY(T) memory;                                                             \
        memory *d = dv;                                                                             \
        const uint8_t *m = mask;                                                                    \
        const memory *x = av, *y = bv;                                                              \
        TW_SIMD for (size_t i = 0; i < n; i++)                                                      \
        {                                                                                           \
            T a = x[i], b = y[i];                                                                   \
            d[i] = m[i] ? a : b;                                                                    \
        }                                                                                           \
    }
TW_UNSIGNED(SELECT_LOOP, 0)

// clang-format off
const tw__cores TW_LEVELLED(tw__cores_compare) = { {
    EQUALITY(ENTER_SIGNLESS) EQUALITY(ENTER_FLOATS) ORDERED(ENTER_INTS) ORDERED(ENTER_FLOATS)
    PREDICATES(ENTER_FLOATS) TW_UNSIGNED(TW_ENTRY, SELECT)
} };
// clang-format on
