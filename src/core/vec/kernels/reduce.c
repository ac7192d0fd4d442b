/* SPDX-License-Identifier: MIT */
/* reduce: folds of contiguous elements into an accumulator, and the place of an extreme.
 *
 * Index order is a plain loop. Tree order (tw_fold_order) is defined by element numbers alone, so that it is the same
 * at every vector width: blocks of 1024 elements; within a block lane l of 16 takes elements l, l + 16, ... in order,
 * then lanes l and l + 8, l + 4, l + 2, l + 1 are joined; blocks are joined as a binary counter carries
 * (src/core/vec/ reduce.c). Integer sums are the same in any order. */
#include "core/vec/kernels/lane.h"
#include "core/type/convert.h"

// clang-format off
#define INTEGER_FOLDS(ROW)                                                                                     \
    ROW(SUM, (W)r + (W)a)                                                                                      \
    ROW(PROD, (W)r * (W)a)                                                                                     \
    ROW(SQUARE_ADD, (W)r + (W)a * (W)a)
#define TRUTH_FOLDS(ROW)                                                                                       \
    ROW(ALL, (r != 0) & (a != 0))                                                                              \
    ROW(ANY, (r != 0) | (a != 0))
#define INTEGER_EXTREMES(ROW)                                                                                  \
    ROW(LOWEST, a < r ? a : r)                                                                                 \
    ROW(HIGHEST, r < a ? a : r)
#define FLOAT_FOLDS(ROW)                                                                                       \
    ROW(SUM, r + a)                                                                                            \
    ROW(PROD, r * a)                                                                                           \
    ROW(SQUARE_ADD, r + a * a)
/* MORE and LESS give the same result whatever the order, so the compiler may use lanes; FIRST does not. */
#define FLOAT_EXTREMES(ROW)                                                                                    \
    ROW(LOWEST, LESS(r, a, NUMBER))                                                                            \
    ROW(HIGHEST, MORE(r, a, NUMBER))                                                                           \
    ROW(LOWEST_PROPAGATE, LESS(r, a, PROPAGATE))                                                               \
    ROW(HIGHEST_PROPAGATE, MORE(r, a, PROPAGATE))
#define FLOAT_FIRSTS(ROW)                                                                                      \
    ROW(LOWEST_FIRST, TW_NUMBER(a < r ? a : r))                                                                           \
    ROW(HIGHEST_FIRST, TW_NUMBER(r < a ? a : r))
#define FLOAT_TREES(ROW)                                                                                       \
    ROW(SUM_TREE, r + a, r + a)                                                                                \
    ROW(PROD_TREE, r * a, r * a)                                                                               \
    ROW(SQUARE_ADD_TREE, r + a * a, r + a)
// clang-format on

#define BITS_OF(x)      _Generic((x), float: tw__f32_bits, double: tw__f64_bits)(x)
#define FROM_BITS(x)    _Generic((x), uint32_t: tw__f32_from_bits, uint64_t: tw__f64_from_bits)(x)
#define NUMBER(a, b)    TW_NUMBER((a) == (a) ? (a) : (b))
#define PROPAGATE(a, b) ((T)__builtin_nan(""))
#define LESS(a, b, rule) \
    ((a) < (b) ? (a) : (b) < (a) ? (b) : (a) == (b) ? FROM_BITS((U)(BITS_OF(a) | BITS_OF(b))) : rule(a, b))
#define MORE(a, b, rule) \
    ((a) > (b) ? (a) : (b) > (a) ? (b) : (a) == (b) ? FROM_BITS((U)(BITS_OF(a) & BITS_OF(b))) : rule(a, b))

#define FOLD_LOOP(type, T_, U_, W_, S_, bits, op, ...)           \
    static void op##_##type(size_t n, void *acc, const void *xv) \
    {                                                            \
        TW_TYPES(T_, U_, W_, S_, bits);                          \
        const memory *x = xv;                                    \
        T r = *(memory *)acc;                                    \
        for (size_t i = 0; i < n; i++) {                         \
            T a = x[i];                                          \
            r = (T)(__VA_ARGS__);                                \
        }                                                        \
        *(memory *)acc = r;                                      \
    }

/* A NaN stays one: it becomes the canonical one at the end. */
#define NUMBER_LOOP(type, T_, U_, W_, S_, bits, op, ...)         \
    static void op##_##type(size_t n, void *acc, const void *xv) \
    {                                                            \
        TW_TYPES(T_, U_, W_, S_, bits);                          \
        const memory *x = xv;                                    \
        T r = *(memory *)acc;                                    \
        for (size_t i = 0; i < n; i++) {                         \
            T a = x[i];                                          \
            r = __VA_ARGS__;                                     \
        }                                                        \
        if (n > 0) *(memory *)acc = TW_NUMBER(r);                \
    }

/* Extremes by 16 lanes: every element may be folded in any order and any number of times. */
#define EXTREME_LOOP(type, T_, U_, W_, S_, bits, op, ...)                                   \
    static inline T_ op##_step_##type(T_ r, T_ a)                                           \
    {                                                                                       \
        TW_TYPES(T_, U_, W_, S_, bits);                                                     \
        return (T)(__VA_ARGS__);                                                            \
    }                                                                                       \
    static void op##_##type(size_t n, void *acc, const void *xv)                            \
    {                                                                                       \
        TW_TYPES(T_, U_, W_, S_, bits);                                                     \
        const memory *x = xv;                                                               \
        T lane[16], r = *(memory *)acc;                                                     \
        size_t i = 0;                                                                       \
        if (n >= 16) {                                                                      \
            for (int l = 0; l < 16; l++) lane[l] = r;                                       \
            for (; i + 16 <= n; i += 16)                                                    \
                for (int l = 0; l < 16; l++) lane[l] = op##_step_##type(lane[l], x[i + l]); \
            for (int l = 0; l < 16; l++) r = op##_step_##type(r, lane[l]);                  \
        }                                                                                   \
        for (; i < n; i++) r = op##_step_##type(r, x[i]);                                   \
        *(memory *)acc = r;                                                                 \
    }

/* One block of the tree, n <= 1024, to *out; the driver joins blocks. Lanes that got no element stay out of it, so
 * there is no neutral element to worry about. */
#define TREE_LOOP(type, T_, U_, W_, S_, bits, op, step, join)       \
    static void op##_##type(size_t n, void *out, const void *xv)    \
    {                                                               \
        TW_TYPES(T_, U_, W_, S_, bits);                             \
        const memory *x = xv;                                       \
        T lane[16];                                                 \
        size_t lanes = n < 16 ? n : 16, i = lanes;                  \
        for (size_t l = 0; l < lanes; l++) {                        \
            T a = x[l], r = TREE_START_##op;                        \
            lane[l] = step;                                         \
        }                                                           \
        for (; i + 16 <= n; i += 16)                                \
            for (int l = 0; l < 16; l++) {                          \
                T a = x[i + l], r = lane[l];                        \
                lane[l] = step;                                     \
            }                                                       \
        for (size_t l = 0; i < n; i++, l++) {                       \
            T a = x[i], r = lane[l];                                \
            lane[l] = step;                                         \
        }                                                           \
        for (size_t half = 8; half > 0; half /= 2)                  \
            for (size_t l = 0; l < half && l + half < lanes; l++) { \
                T r = lane[l], a = lane[l + half];                  \
                lane[l] = join;                                     \
            }                                                       \
        *(memory *)out = lane[0];                                   \
    }
/* What a lane's first element is folded into; -0 is neutral for sums, +0 is not. */
#define TREE_START_SUM_TREE        (T) - 0.0
#define TREE_START_PROD_TREE       (T)1
#define TREE_START_SQUARE_ADD_TREE (T) - 0.0

/* Place of the first extreme: by vectors the extreme of a block, then, if it beats the best so far, where it is. A
 * zero of either sign is the same extreme. NaN: ignored, first one wins, or compared as is, by the rule. */
#define ARG_LOOP(type, T_, U_, W_, S_, bits, op, better)                                        \
    static size_t op##_##type(size_t n, const void *xv)                                         \
    {                                                                                           \
        TW_TYPES(T_, U_, W_, S_, bits);                                                         \
        const memory *x = xv;                                                                   \
        size_t place = 0;                                                                       \
        while (place < n && !(x[place] == x[place])) place++;                                   \
        if (place == n) return n;                                                               \
        T r = x[place];                                                                         \
        for (size_t at = place; at < n; at += TW__BLOCK) {                                      \
            size_t count = n - at < TW__BLOCK ? n - at : TW__BLOCK;                             \
            T best = r;                                                                         \
            for (size_t i = 0; i < count; i++) best = x[at + i] better best ? x[at + i] : best; \
            if (best == r) continue;                                                            \
            r = best;                                                                           \
            for (place = at; x[place] != r;) place++;                                           \
        }                                                                                       \
        return place;                                                                           \
    }
#define ARG_NAN_LOOP(type, T_, U_, W_, S_, bits, op, plain) \
    static size_t op##_##type(size_t n, const void *xv)     \
    {                                                       \
        typedef TW_IN_MEMORY(T_) memory;                    \
        const memory *x = xv;                               \
        for (size_t i = 0; i < n; i++)                      \
            if (x[i] != x[i]) return i;                     \
        return plain##_##type(n, xv);                       \
    }
/* A leading NaN stays: nothing compares as better. */
#define ARG_FIRST_LOOP(type, T_, U_, W_, S_, bits, op, plain)     \
    static size_t op##_##type(size_t n, const void *xv)           \
    {                                                             \
        typedef TW_IN_MEMORY(T_) memory;                          \
        const memory *x = xv;                                     \
        return n > 0 && x[0] != x[0] ? 0 : plain##_##type(n, xv); \
    }

#define DEFINE_SIGNLESS(op, ...) TW_UNSIGNED(FOLD_LOOP, op, __VA_ARGS__)
#define DEFINE_EXTREME(op, ...)  TW_INTS(EXTREME_LOOP, op, __VA_ARGS__)
#define DEFINE_TRUTH(op, ...)    FOLD_LOOP(U8, uint8_t, uint8_t, uint32_t, int8_t, 8, op, __VA_ARGS__)
#define DEFINE_FLOAT(op, ...)    TW_FLOATS(FOLD_LOOP, op, __VA_ARGS__)
#define DEFINE_NUMBER(op, ...)   TW_FLOATS(NUMBER_LOOP, op, __VA_ARGS__)
#define DEFINE_FLOAT_X(op, ...)  TW_FLOATS(EXTREME_LOOP, op, __VA_ARGS__)
#define DEFINE_TREE(op, ...)     TW_FLOATS(TREE_LOOP, op, __VA_ARGS__)
#define ENTER_SIGNLESS(op, ...)  TW_UNSIGNED(TW_ENTRY_SIGNLESS, op, 0)
#define ENTER_INTS(op, ...)      TW_INTS(TW_ENTRY, op, 0)
#define ENTER_TRUTH(op, ...)     [TW_VEC_##op][TW__C_U8] = (void (*)(void))op##_U8,
#define ENTER_FLOATS(op, ...)    TW_FLOATS(TW_ENTRY, op, 0)

INTEGER_FOLDS(DEFINE_SIGNLESS)
TRUTH_FOLDS(DEFINE_TRUTH)
INTEGER_EXTREMES(DEFINE_EXTREME)
FLOAT_FOLDS(DEFINE_NUMBER)
FLOAT_EXTREMES(DEFINE_FLOAT_X)
FLOAT_FIRSTS(DEFINE_FLOAT)
FLOAT_TREES(DEFINE_TREE)
TW_INTS(ARG_LOOP, ARGMIN, <)
TW_INTS(ARG_LOOP, ARGMAX, >)
TW_FLOATS(ARG_LOOP, ARGMIN, <)
TW_FLOATS(ARG_LOOP, ARGMAX, >)
TW_FLOATS(ARG_NAN_LOOP, ARGMIN_PROPAGATE, ARGMIN)
TW_FLOATS(ARG_NAN_LOOP, ARGMAX_PROPAGATE, ARGMAX)
TW_FLOATS(ARG_FIRST_LOOP, ARGMIN_FIRST, ARGMIN)
TW_FLOATS(ARG_FIRST_LOOP, ARGMAX_FIRST, ARGMAX)

// clang-format off
const tw__cores TW_LEVELLED(tw__cores_reduce) = { {
    INTEGER_FOLDS(ENTER_SIGNLESS) TRUTH_FOLDS(ENTER_TRUTH) INTEGER_EXTREMES(ENTER_INTS)
    FLOAT_FOLDS(ENTER_FLOATS) FLOAT_EXTREMES(ENTER_FLOATS) FLOAT_FIRSTS(ENTER_FLOATS)
    FLOAT_TREES(ENTER_FLOATS) TW_INTS(TW_ENTRY, ARGMIN) TW_INTS(TW_ENTRY, ARGMAX)
    TW_FLOATS(TW_ENTRY, ARGMIN) TW_FLOATS(TW_ENTRY, ARGMAX) TW_FLOATS(TW_ENTRY, ARGMIN_PROPAGATE)
    TW_FLOATS(TW_ENTRY, ARGMAX_PROPAGATE) TW_FLOATS(TW_ENTRY, ARGMIN_FIRST)
    TW_FLOATS(TW_ENTRY, ARGMAX_FIRST)
} };
// clang-format on
