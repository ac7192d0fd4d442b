/* SPDX-License-Identifier: MIT */
/* elementary: the functions of math.h as rows of the core tables. They have the same bits at every level and dispatch
 * by themselves, so one table serves all levels. A new function is one row here and one in TW_VEC_OP_LIST. */
#include "core/vec/vec.h"
#include "core/vec/math.h"

// clang-format off
#define UNARY(ROW)                                                                                             \
    ROW(EXP, exp) ROW(EXP2, exp2) ROW(EXP10, exp10) ROW(EXPM1, expm1)                                          \
    ROW(LOG, log) ROW(LOG2, log2) ROW(LOG10, log10) ROW(LOG1P, log1p)                                          \
    ROW(SIN, sin) ROW(COS, cos) ROW(TAN, tan) ROW(ASIN, asin) ROW(ACOS, acos) ROW(ATAN, atan)                  \
    ROW(SINH, sinh) ROW(COSH, cosh) ROW(TANH, tanh) ROW(ASINH, asinh) ROW(ACOSH, acosh) ROW(ATANH, atanh)      \
    ROW(ERF, erf) ROW(ERFC, erfc) ROW(CBRT, cbrt) ROW(SIGMOID, sigmoid) ROW(SILU, silu)                        \
    ROW(GELU_ERF, gelu_erf) ROW(GELU_TANH, gelu_tanh) ROW(SOFTPLUS, softplus)
#define BINARY(ROW) ROW(POW, pow) ROW(ATAN2, atan2) ROW(HYPOT, hypot) ROW(REM, fmod)
// clang-format on

#define DEFINE_UNARY(op, name)                                                           \
    static void op##_F32(size_t n, void *d, const void *a, const void *b, const void *c) \
    {                                                                                    \
        (void)b, (void)c;                                                                \
        tw__math_##name##_f32(n, d, a);                                                  \
    }                                                                                    \
    static void op##_F64(size_t n, void *d, const void *a, const void *b, const void *c) \
    {                                                                                    \
        (void)b, (void)c;                                                                \
        tw__math_##name##_f64(n, d, a);                                                  \
    }
#define DEFINE_BINARY(op, name)                                                          \
    static void op##_F32(size_t n, void *d, const void *a, const void *b, const void *c) \
    {                                                                                    \
        (void)c;                                                                         \
        tw__math_##name##_f32(n, d, a, b);                                               \
    }                                                                                    \
    static void op##_F64(size_t n, void *d, const void *a, const void *b, const void *c) \
    {                                                                                    \
        (void)c;                                                                         \
        tw__math_##name##_f64(n, d, a, b);                                               \
    }
UNARY(DEFINE_UNARY)
BINARY(DEFINE_BINARY)

/* Floor modulus: the remainder moved to the sign of the divisor (the manual, TREM). In blocks: the remainder may
 * overwrite a destination that is one of the sources. */
#define DEFINE_MOD(type, T, name)                                                              \
    static void MOD_##type(size_t n, void *dv, const void *av, const void *bv, const void *cv) \
    {                                                                                          \
        typedef T __attribute__((aligned(1), may_alias)) memory;                               \
        memory *d = dv;                                                                        \
        const memory *a = av, *b = bv;                                                         \
        T rest[TW__BLOCK];                                                                     \
        (void)cv;                                                                              \
        for (size_t done = 0; done < n; done += TW__BLOCK) {                                   \
            size_t count = n - done < TW__BLOCK ? n - done : TW__BLOCK;                        \
            tw__math_fmod_##name(count, rest, (const T *)(const void *)(a + done),             \
                                 (const T *)(const void *)(b + done));                         \
            for (size_t i = 0; i < count; i++) {                                               \
                T r = rest[i], divisor = b[done + i];                                          \
                d[done + i] = r != 0 && (r < 0) != (divisor < 0) ? r + divisor : r;            \
            }                                                                                  \
        }                                                                                      \
    }
DEFINE_MOD(F32, float, f32)
DEFINE_MOD(F64, double, f64)

#define ENTER(op, name) \
    [TW_VEC_##op][TW__C_F32] = (void (*)(void))op##_F32, [TW_VEC_##op][TW__C_F64] = (void (*)(void))op##_F64,
const tw__cores tw__cores_elementary = { { UNARY(ENTER) BINARY(ENTER) ENTER(MOD, ) } };
