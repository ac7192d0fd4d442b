/* SPDX-License-Identifier: MIT */
/* Complex scalars: tw_cint16_mul(a, b) and its like in C, operators in C++.
 *
 * Threads: plain values without state. */
#ifndef TILEWRIGHT_AIE_COMPLEX_H
#define TILEWRIGHT_AIE_COMPLEX_H

#include <tilewright/aie/detail/core.h>

#define TW__HIDE_NONE(a, b) ((void)0)
/* X(type, component, type that computes, what keeps products from being fused): integers wrap. */
#define TW__COMPLEX_LIST(X)                   \
    X(cint16, int16, uint32_t, TW__HIDE_NONE) \
    X(cint32, int32, uint64, TW__HIDE_NONE)   \
    X(cfloat, float, float, TW__HIDE_BOTH)
#define TW__COMPLEX_OPS(type, part, wide, hide)                                                     \
    TW__AIE type tw_##type(part real, part imag)                                                    \
    {                                                                                               \
        type r;                                                                                     \
        r.real = real, r.imag = imag;                                                               \
        return r;                                                                                   \
    }                                                                                               \
    TW__AIE type tw_##type##_add(type a, type b)                                                    \
    {                                                                                               \
        return tw_##type((part)((wide)a.real + (wide)b.real), (part)((wide)a.imag + (wide)b.imag)); \
    }                                                                                               \
    TW__AIE type tw_##type##_sub(type a, type b)                                                    \
    {                                                                                               \
        return tw_##type((part)((wide)a.real - (wide)b.real), (part)((wide)a.imag - (wide)b.imag)); \
    }                                                                                               \
    TW__AIE type tw_##type##_mul(type a, type b)                                                    \
    {                                                                                               \
        wide rr = (wide)a.real * (wide)b.real, ii = (wide)a.imag * (wide)b.imag;                    \
        wide ri = (wide)a.real * (wide)b.imag, ir = (wide)a.imag * (wide)b.real;                    \
        hide(rr, ii);                                                                               \
        hide(ri, ir);                                                                               \
        return tw_##type((part)(rr - ii), (part)(ri + ir));                                         \
    }                                                                                               \
    TW__AIE type tw_##type##_neg(type a)                                                            \
    {                                                                                               \
        return tw_##type((part)(-(wide)a.real), (part)(-(wide)a.imag));                             \
    }                                                                                               \
    TW__AIE type tw_##type##_conj(type a)                                                           \
    {                                                                                               \
        return tw_##type(a.real, (part)(-(wide)a.imag));                                            \
    }                                                                                               \
    TW__AIE int tw_##type##_equal(type a, type b)                                                   \
    {                                                                                               \
        return a.real == b.real && a.imag == b.imag;                                                \
    }
TW__COMPLEX_LIST(TW__COMPLEX_OPS)
#ifdef __cplusplus
#define TW__COMPLEX_CXX(type, part, wide, hide) \
    TW__AIE type operator+(type a, type b)      \
    {                                           \
        return tw_##type##_add(a, b);           \
    }                                           \
    TW__AIE type operator-(type a, type b)      \
    {                                           \
        return tw_##type##_sub(a, b);           \
    }                                           \
    TW__AIE type operator*(type a, type b)      \
    {                                           \
        return tw_##type##_mul(a, b);           \
    }                                           \
    TW__AIE type operator-(type a)              \
    {                                           \
        return tw_##type##_neg(a);              \
    }                                           \
    TW__AIE type &operator+=(type &a, type b)   \
    {                                           \
        return a = tw_##type##_add(a, b);       \
    }                                           \
    TW__AIE type &operator-=(type &a, type b)   \
    {                                           \
        return a = tw_##type##_sub(a, b);       \
    }                                           \
    TW__AIE type &operator*=(type &a, type b)   \
    {                                           \
        return a = tw_##type##_mul(a, b);       \
    }                                           \
    TW__AIE bool operator==(type a, type b)     \
    {                                           \
        return tw_##type##_equal(a, b) != 0;    \
    }                                           \
    TW__AIE bool operator!=(type a, type b)     \
    {                                           \
        return tw_##type##_equal(a, b) == 0;    \
    }
TW__COMPLEX_LIST(TW__COMPLEX_CXX)
#define TW__COMPLEX_SHIFTS(type)                                                  \
    TW__AIE type operator>>(type a, int n)                                        \
    {                                                                             \
        a.real >>= n, a.imag >>= n;                                               \
        return a;                                                                 \
    }                                                                             \
    TW__AIE type operator<<(type a, int n)                                        \
    {                                                                             \
        a.real = static_cast<decltype(a.real)>(static_cast<uint64>(a.real) << n); \
        a.imag = static_cast<decltype(a.imag)>(static_cast<uint64>(a.imag) << n); \
        return a;                                                                 \
    }
TW__COMPLEX_SHIFTS(cint16)
TW__COMPLEX_SHIFTS(cint32)
TW__COMPLEX_SHIFTS(cint64)
#undef TW__COMPLEX_SHIFTS
#endif

#endif
