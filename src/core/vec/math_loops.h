/* SPDX-License-Identifier: MIT */
/* Arrays from the bodies on one vector, and the table of this level. A tail shorter than a vector is computed in a
 * whole vector padded with ones (no function is slow or special there), so it gets the bits of the body. */
#ifndef TW_VEC_MATH_LOOPS_H
#define TW_VEC_MATH_LOOPS_H

#include "core/vec/math_f32.h"
#include "core/vec/math_f64.h"

/* Loads and stores at any alignment: through void pointers, as a pointer to float promises a multiple of four. */

INLINE vf load_f32(const void *src, size_t n)
{
    vf x = (vf){ 0 } + 1.0f;
    memcpy(&x, src, n * sizeof(float));
    return x;
}

INLINE vd load_f64(const void *src, size_t n)
{
    vd x = (vd){ 0 } + 1.0;
    memcpy(&x, src, n * sizeof(double));
    return x;
}

INLINE void store_f32(void *dst, vf x, size_t n)
{
    memcpy(dst, &x, n * sizeof(float));
}
INLINE void store_f64(void *dst, vd x, size_t n)
{
    memcpy(dst, &x, n * sizeof(double));
}

INLINE void map_f32(size_t n, float *dst, const float *src, vf (*body)(vf))
{
    size_t i = 0;
    for (; n - i >= TW__LANES; i += TW__LANES) store_f32(dst + i, body(load_f32(src + i, TW__LANES)), TW__LANES);
    if (i < n) store_f32(dst + i, body(load_f32(src + i, n - i)), n - i);
}

INLINE void map_f64(size_t n, double *dst, const double *src, vd (*body)(vd))
{
    size_t i = 0;
    for (; n - i >= TW__LANES64; i += TW__LANES64)
        store_f64(dst + i, body(load_f64(src + i, TW__LANES64)), TW__LANES64);
    if (i < n) store_f64(dst + i, body(load_f64(src + i, n - i)), n - i);
}

INLINE void map2_f32(size_t n, float *dst, const float *a, const float *b, vf (*body)(vf, vf))
{
    size_t i = 0;
    for (; n - i >= TW__LANES; i += TW__LANES)
        store_f32(dst + i, body(load_f32(a + i, TW__LANES), load_f32(b + i, TW__LANES)), TW__LANES);
    if (i < n) store_f32(dst + i, body(load_f32(a + i, n - i), load_f32(b + i, n - i)), n - i);
}

INLINE void map2_f64(size_t n, double *dst, const double *a, const double *b, vd (*body)(vd, vd))
{
    size_t i = 0;
    for (; n - i >= TW__LANES64; i += TW__LANES64)
        store_f64(dst + i, body(load_f64(a + i, TW__LANES64), load_f64(b + i, TW__LANES64)), TW__LANES64);
    if (i < n) store_f64(dst + i, body(load_f64(a + i, n - i), load_f64(b + i, n - i)), n - i);
}

#define ARRAYS(op)                                                       \
    static void op##_array_f32(size_t n, float *dst, const float *src)   \
    {                                                                    \
        map_f32(n, dst, src, op##_f32);                                  \
    }                                                                    \
    static void op##_array_f64(size_t n, double *dst, const double *src) \
    {                                                                    \
        map_f64(n, dst, src, op##_f64);                                  \
    }
TW__MATH_UNARY(ARRAYS)
#undef ARRAYS
#define ARRAYS(op)                                                                      \
    static void op##_array_f32(size_t n, float *dst, const float *a, const float *b)    \
    {                                                                                   \
        map2_f32(n, dst, a, b, op##_f32);                                               \
    }                                                                                   \
    static void op##_array_f64(size_t n, double *dst, const double *a, const double *b) \
    {                                                                                   \
        map2_f64(n, dst, a, b, op##_f64);                                               \
    }
TW__MATH_BINARY(ARRAYS)
#undef ARRAYS

#define ROW(op) .op##_f32 = op##_array_f32, .op##_f64 = op##_array_f64,
const tw__math_table TW__CAT(tw__math_table_, TW__LEVEL) = { TW__MATH_UNARY(ROW) TW__MATH_BINARY(ROW) };
#undef ROW

#endif
