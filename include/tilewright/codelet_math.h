/* SPDX-License-Identifier: MIT */
/* Elementary functions of float for codelets, whole arrays at a time: the same bits on every machine and at every
 * vector width (docs/vec-math.md), several times as fast as the C library's.
 *
 *     tw_map_exp(n, dst, src);        n elements; dst may be src, but must not overlap it otherwise
 *     tw_map_pow(n, dst, a, b);
 *
 * On the chip they are functions of the runtime library: instructions where it has them, else within the units of the
 * last place that docs/colossus-compiler.md lists.
 * Threads: several at once. */
#ifndef TILEWRIGHT_CODELET_MATH_H
#define TILEWRIGHT_CODELET_MATH_H

#include <stddef.h>

/* clang-format off */
#define TW_CODELET_MATH_1(X) \
    X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) \
    X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(cbrt) X(sigmoid) X(silu) X(gelu_erf) X(gelu_tanh) \
    X(softplus)
#define TW_CODELET_MATH_2(X) X(pow) X(atan2) X(fmod) X(hypot)
/* clang-format on */

/* Rows stay in their order: objects in archives carry it. */
typedef struct tw_codelet_math {
#define TW__ROW(name) void (*name)(size_t n, float *dst, const float *src);
    TW_CODELET_MATH_1(TW__ROW)
#undef TW__ROW
#define TW__ROW(name) void (*name)(size_t n, float *dst, const float *a, const float *b);
    TW_CODELET_MATH_2(TW__ROW)
#undef TW__ROW
} tw_codelet_math;

#ifdef __POPC__
#ifdef __cplusplus
extern "C" {
#endif
#ifdef __IPU__
#define TW__ROW(name) void tw_map_##name(size_t n, float *dst, const float *src);
TW_CODELET_MATH_1(TW__ROW)
#undef TW__ROW
#define TW__ROW(name) void tw_map_##name(size_t n, float *dst, const float *a, const float *b);
TW_CODELET_MATH_2(TW__ROW)
#undef TW__ROW
#else
/* Set by whoever loads the codelet. */
__attribute__((weak, visibility("default"))) const tw_codelet_math *tw__codelet_math;
#define TW__ROW(name)                                                        \
    static inline void tw_map_##name(size_t n, float *dst, const float *src) \
    {                                                                        \
        tw__codelet_math->name(n, dst, src);                                 \
    }
TW_CODELET_MATH_1(TW__ROW)
#undef TW__ROW
#define TW__ROW(name)                                                                      \
    static inline void tw_map_##name(size_t n, float *dst, const float *a, const float *b) \
    {                                                                                      \
        tw__codelet_math->name(n, dst, a, b);                                              \
    }
TW_CODELET_MATH_2(TW__ROW)
#undef TW__ROW
#endif
#ifdef __cplusplus
}
#endif
#endif
#endif
