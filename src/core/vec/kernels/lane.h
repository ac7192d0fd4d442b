/* SPDX-License-Identifier: MIT */
/* lane: how a kernel file turns rows "operation, expression" into loops. Every file of this folder is compiled once
 * per dispatch level, with TW_LEVEL set to its name and the compiler's flags for it (cmake/vec.cmake).
 *
 * Inside an expression: a, b, c are the elements; T the element type, U the unsigned type of its width, W an unsigned
 * type of at least 32 bits to calculate in (narrow types promote to int, whose overflow is undefined), S the signed
 * type of its width, BITS its width. */
#ifndef TW_VEC_KERNELS_LANE_H
#define TW_VEC_KERNELS_LANE_H

#include "core/vec/vec.h"

#include <string.h>

/* One expression serves signed and unsigned elements: comparisons with zero are at times constant. */
#pragma GCC diagnostic ignored "-Wtype-limits"

#define TW_PASTE_(a, b)   a##_##b
#define TW_PASTE(a, b)    TW_PASTE_(a, b)
#define TW_LEVELLED(name) TW_PASTE(name, TW_LEVEL)

/* Operands are disjoint, identical, or the destination lies behind: no iteration needs an earlier one's result. */
#ifdef __clang__
/* Sanitized loops do not vectorise, and clang would say so a thousand times. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define TW_SIMD _Pragma("clang loop vectorize(assume_safety)")
#else
#define TW_SIMD _Pragma("GCC ivdep")
#endif

/* X(type, T, U, W, S, bits) */
// clang-format off
#define TW_UNSIGNED(X, ...)                                                                                    \
    X(U8, uint8_t, uint8_t, uint32_t, int8_t, 8, __VA_ARGS__) X(U16, uint16_t, uint16_t, uint32_t, int16_t, 16, __VA_ARGS__) \
    X(U32, uint32_t, uint32_t, uint32_t, int32_t, 32, __VA_ARGS__) X(U64, uint64_t, uint64_t, uint64_t, int64_t, 64, __VA_ARGS__)
#define TW_SIGNED(X, ...)                                                                                      \
    X(I8, int8_t, uint8_t, uint32_t, int8_t, 8, __VA_ARGS__) X(I16, int16_t, uint16_t, uint32_t, int16_t, 16, __VA_ARGS__) \
    X(I32, int32_t, uint32_t, uint32_t, int32_t, 32, __VA_ARGS__) X(I64, int64_t, uint64_t, uint64_t, int64_t, 64, __VA_ARGS__)
#define TW_FLOATS(X, ...)                                                                                      \
    X(F32, float, uint32_t, uint32_t, int32_t, 32, __VA_ARGS__) X(F64, double, uint64_t, uint64_t, int64_t, 64, __VA_ARGS__)
#define TW_INTS(X, ...) TW_UNSIGNED(X, __VA_ARGS__) TW_SIGNED(X, __VA_ARGS__)
// clang-format on

/* Elements in memory: no alignment, and they may be seen through other types. */
#define TW_IN_MEMORY(t) t __attribute__((aligned(1), may_alias))

#define TW_TYPES(T_, U_, W_, S_, bits)                       \
    typedef T_ T __attribute__((unused));                    \
    typedef U_ U __attribute__((unused));                    \
    typedef W_ W __attribute__((unused));                    \
    typedef S_ S __attribute__((unused));                    \
    typedef TW_IN_MEMORY(T_) memory __attribute__((unused)); \
    enum { BITS = bits }

#define TW_LOAD_1 T a = x[i];
#define TW_LOAD_2 TW_LOAD_1 T b = y[i];
#define TW_LOAD_3 TW_LOAD_2 T c = z[i];

/* A core named op_type whose destination has elements of R. The expression comes last: it may have commas. */
#define TW_LOOP_AS(R, type, T_, U_, W_, S_, bits, op, sources, ...)                             \
    static void op##_##type(size_t n, void *dv, const void *av, const void *bv, const void *cv) \
    {                                                                                           \
        TW_TYPES(T_, U_, W_, S_, bits);                                                         \
        typedef TW_IN_MEMORY(R) result;                                                         \
        result *d = dv;                                                                         \
        const memory *x = av, *y = bv, *z = cv;                                                 \
        (void)y, (void)z;                                                                       \
        TW_SIMD for (size_t i = 0; i < n; i++)                                                  \
        {                                                                                       \
            TW_LOAD_##sources;                                                                  \
            d[i] = (R)(__VA_ARGS__);                                                            \
        }                                                                                       \
    }
/* The same with one element for b, read before anything is written. */
#define TW_LOOP_REPEAT(type, T_, U_, W_, S_, bits, op, sources, ...)                            \
    static void op##_##type(size_t n, void *dv, const void *av, const void *bv, const void *cv) \
    {                                                                                           \
        TW_TYPES(T_, U_, W_, S_, bits);                                                         \
        memory *d = dv;                                                                         \
        const memory *x = av, *z = cv;                                                          \
        const T b = *(const memory *)bv;                                                        \
        (void)z;                                                                                \
        TW_SIMD for (size_t i = 0; i < n; i++)                                                  \
        {                                                                                       \
            TW_LOAD_R##sources;                                                                 \
            d[i] = (T)(__VA_ARGS__);                                                            \
        }                                                                                       \
    }
#define TW_LOAD_R2              T a = x[i]
#define TW_LOAD_R3              T a = x[i], c = z[i]
#define TW_LOOP(type, T_, ...)  TW_LOOP_AS(T_, type, T_, __VA_ARGS__)
#define TW_LOOP8(type, T_, ...) TW_LOOP_AS(uint8_t, type, T_, __VA_ARGS__)

/* Entries of a tw__cores table; ROW(op, sources, expression) of a list becomes one per type. */
#define TW_ENTRY(type, T, U, W, S, bits, op, ...) [TW_VEC_##op][TW__C_##type] = (void (*)(void))op##_##type,
#define TW_ENTRY_SIGNLESS(type, T, U, W, S, bits, op, ...)     \
    [TW_VEC_##op][TW__C_##type] = (void (*)(void))op##_##type, \
    [TW_VEC_##op][TW__C_I##bits] = (void (*)(void))op##_##type,

/* Results of float arithmetic: every NaN is the same positive quiet one, so that bits do not depend on the order of
 * operands or on the instruction set (x86 makes negative ones). */
static inline float tw_number_f32(float x)
{
    return x == x ? x : __builtin_nanf("");
}
static inline double tw_number_f64(double x)
{
    return x == x ? x : __builtin_nan("");
}
#define TW_NUMBER(x) _Generic((x), float: tw_number_f32, double: tw_number_f64)(x)

#endif
