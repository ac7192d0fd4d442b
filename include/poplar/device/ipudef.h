/* SPDX-License-Identifier: MIT */
/* Short vector types of guide table 2.2, in C and C++, with the vector extensions of GCC and Clang. `long` is 32 bits
 * on the IPU, so long2 and long4 hold int on the host. half vectors hold float where half is a float
 * (poplar/HalfFloat.hpp). */
#ifndef TW_IPUDEF_H
#define TW_IPUDEF_H

#ifdef __cplusplus
#include <poplar/HalfFloat.hpp>
#elif defined(__IPU__) || defined(TW_HALF_F16)
typedef _Float16 half;
#else
typedef float half;
#endif

#ifdef __IPU__
typedef unsigned short rptsize_t; /* trips of a hardware loop: 12 bits on Mk1, 16 bits from Mk2 on */
#endif

#define TW__VECTOR(name, type, count, align) \
    typedef type name __attribute__((vector_size((count) * sizeof(type)), aligned(align)))
TW__VECTOR(char2, signed char, 2, 2);
TW__VECTOR(uchar2, unsigned char, 2, 2);
TW__VECTOR(char4, signed char, 4, 4);
TW__VECTOR(uchar4, unsigned char, 4, 4);
TW__VECTOR(short2, short, 2, 4);
TW__VECTOR(ushort2, unsigned short, 2, 4);
TW__VECTOR(short4, short, 4, 8);
TW__VECTOR(ushort4, unsigned short, 4, 8);
TW__VECTOR(int2, int, 2, 8);
TW__VECTOR(uint2, unsigned int, 2, 8);
TW__VECTOR(int4, int, 4, 16);
TW__VECTOR(uint4, unsigned int, 4, 16);
#if defined(__IPU__)
TW__VECTOR(long2, long, 2, 8);
TW__VECTOR(long4, long, 4, 16);
#elif defined(__clang__)
/* Not the types int2 and int4, as on the chip: overloads and templates must tell them apart. */
typedef int long2 __attribute__((ext_vector_type(2), aligned(8)));
typedef int long4 __attribute__((ext_vector_type(4), aligned(16)));
#else
TW__VECTOR(long2, int, 2, 8);
TW__VECTOR(long4, int, 4, 16);
#endif
TW__VECTOR(longlong2, long long, 2, 16);
TW__VECTOR(longlong4, long long, 4, 32);
TW__VECTOR(float2, float, 2, 8);
TW__VECTOR(float4, float, 4, 8);

#if defined(__IPU__) || defined(TW_HALF_F16)
#define TW__HALF_VECTORS 1 /* half2 and half4 are types of their own */
TW__VECTOR(half2, half, 2, 4);
TW__VECTOR(half4, half, 4, 8);
#elif defined(__clang__)
/* Not the types float2 and float4: overloads and templates must tell them apart. */
#define TW__HALF_VECTORS 1
typedef float half2 __attribute__((ext_vector_type(2), aligned(4)));
typedef float half4 __attribute__((ext_vector_type(4), aligned(4)));
#else
TW__VECTOR(half2, float, 2, 4);
TW__VECTOR(half4, float, 4, 4);
#endif
#undef TW__VECTOR

#endif
