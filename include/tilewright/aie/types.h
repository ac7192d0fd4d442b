/* SPDX-License-Identifier: MIT */
/* AI Engine types: scalars, vectors and accumulators under the vendor's names, at their sizes, aligned to 16 bytes.
 *
 *   real vectors   GNU vectors: v[i] reads and writes a lane, + - * & work by lane
 *   complex ones   unions of one member: v.lane[i].real, v.lane[i].imag
 *   accumulators   structs of the 1.4 rows below: a.lane[i], held sign-extended in 64 bits (acc48) or 128 (acc80). An
 *                  acc48 lane may carry more than 48 bits between observations: arithmetic is modulo 2^48, and
 *                  everything that reads a lane wraps it first (tw_acc_lane(), srs, cascade).
 *
 * The lists are the one table of names: the library's parser and listing expand them too. Sources: UG1079 (vector
 * data types), UG1078 lane table; docs/aie.md
 *
 * Threads: plain values without state. */
#ifndef TILEWRIGHT_AIE_TYPES_H
#define TILEWRIGHT_AIE_TYPES_H

#include <stdint.h>

/* Without AVX the compiler warns that vectors of 256 bits would be passed otherwise with it. Kernels and what they
 * call are compiled with the same options, so it stays silent from here on. */
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

typedef int8_t int8;
typedef int16_t int16;
typedef int32_t int32;
typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
__extension__ typedef long long int64;
__extension__ typedef unsigned long long uint64;
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 tw__u128;

/* Complex scalars: real part first. */
#define TW_AIE_COMPLEX_LIST(X) \
    X(cint8, int8)             \
    X(cint16, int16)           \
    X(cint32, int32)           \
    X(cint64, int64)           \
    X(cint128, int128)         \
    X(cfloat, float)
#ifndef TW__AIE_SCALAR_MEMBERS /* C++ members; aie/vendor.hpp has some */
#define TW__AIE_SCALAR_MEMBERS(name)
#endif
#define TW__AIE_COMPLEX(name, part)  \
    typedef struct name {            \
        part real, imag;             \
        TW__AIE_SCALAR_MEMBERS(name) \
    } name;
TW_AIE_COMPLEX_LIST(TW__AIE_COMPLEX)
#undef TW__AIE_COMPLEX

/* X(lanes, element, component, bits of a component, c = 1 for complex, note)
 *   REAL   GNU vector; WIDE real 128-bit elements (struct); CPLX complex (struct)
 *   note   ARITH intrinsics work on it; MOVE load, store, cast and what docs/aie.md names; EXTRA needs TW_AIE_EXTRA:
 *   in
 *          the lane table of UG1078 but not in the element lists of UG1079. */
// clang-format off
#define TW_AIE_REAL_LIST(X) \
    X(16, int8, 8) X(32, int8, 8) X(64, int8, 8) X(128, int8, 8) \
    X(16, uint8, 8) X(32, uint8, 8) X(64, uint8, 8) X(128, uint8, 8) \
    X(8, int16, 16) X(16, int16, 16) X(32, int16, 16) X(64, int16, 16) \
    X(4, int32, 32) X(8, int32, 32) X(16, int32, 32) X(32, int32, 32) \
    X(4, int64, 64) X(8, int64, 64) \
    X(4, float, 32) X(8, float, 32) X(16, float, 32) X(32, float, 32)
#define TW_AIE_REAL_EXTRA_LIST(X) X(2, int64, 64) X(16, int64, 64)
#define TW_AIE_STRUCT_LIST(X) \
    X(2, int128, 128) \
    X(8, cint8, 16) X(16, cint8, 16) X(32, cint8, 16) X(64, cint8, 16) \
    X(4, cint16, 32) X(8, cint16, 32) X(16, cint16, 32) X(32, cint16, 32) \
    X(2, cint32, 64) X(4, cint32, 64) X(8, cint32, 64) X(16, cint32, 64) \
    X(2, cint64, 128) X(4, cint64, 128) \
    X(1, cint128, 256) \
    X(2, cfloat, 64) X(4, cfloat, 64) X(8, cfloat, 64) X(16, cfloat, 64)
#define TW_AIE_STRUCT_EXTRA_LIST(X) \
    X(1, int128, 128) X(4, int128, 128) X(8, int128, 128) X(1, cint64, 128) X(8, cint64, 128) \
    X(2, cint128, 256) X(4, cint128, 256)
/* X(lanes, kind, bits of a component, c, words): words = components. */
#define TW_AIE_ACC48_LIST(X) X(8, acc48, 1) X(16, acc48, 1) X(4, cacc48, 2) X(8, cacc48, 2)
#define TW_AIE_ACC80_LIST(X) X(4, acc80, 1) X(8, acc80, 1) X(2, cacc80, 2) X(4, cacc80, 2)
// clang-format on

#define TW__AIE_VEC(bytes) __attribute__((vector_size(bytes), aligned(16), may_alias))

#ifndef TW__AIE_MEMBERS /* aie/vendor.hpp makes them classes and fills this in */
#define TW__AIE_MEMBERS(type, element)
#define TW__AIE_ACC_MEMBERS(type)
#define TW__AIE_WHOLE                      union
#define TW__GNU(type)                      type /* the GNU vector of a real vector type, its value, and back */
#define TW__LANES(v)                       (v)
#define TW__WRAP(type, ...)                ((type)(__VA_ARGS__))
#define TW__AIE_REAL(lanes, element, bits) typedef element v##lanes##element TW__AIE_VEC((lanes) * (bits) / 8);
#else
#define TW__AIE_WHOLE struct
#define TW__AIE_REAL(lanes, element, bits)                                     \
    typedef struct __attribute__((aligned(16), may_alias)) v##lanes##element { \
        typedef element tw_lanes TW__AIE_VEC((lanes) * (bits) / 8);            \
        tw_lanes lane;                                                         \
        TW__AIE_MEMBERS(v##lanes##element, element)                            \
    } v##lanes##element;
#endif
TW_AIE_REAL_LIST(TW__AIE_REAL)
#ifdef TW_AIE_EXTRA
TW_AIE_REAL_EXTRA_LIST(TW__AIE_REAL)
#endif
#undef TW__AIE_REAL

/* A union, though of one member: gcc takes structs apart, lane by lane, and vectors of them leave the registers. */
#define TW__AIE_STRUCT(lanes, element, bits)                                        \
    typedef TW__AIE_WHOLE __attribute__((aligned(16), may_alias)) v##lanes##element \
    {                                                                               \
        element lane[lanes];                                                        \
        TW__AIE_MEMBERS(v##lanes##element, element)                                 \
    }                                                                               \
    v##lanes##element;
TW_AIE_STRUCT_LIST(TW__AIE_STRUCT)
#ifdef TW_AIE_EXTRA
TW_AIE_STRUCT_EXTRA_LIST(TW__AIE_STRUCT)
#endif
#undef TW__AIE_STRUCT

/* What the arithmetic works on: 256-bit pieces. */
typedef uint8_t tw__u8x32 __attribute__((vector_size(32), aligned(16), may_alias));
typedef int16_t tw__i16x16 __attribute__((vector_size(32), aligned(16), may_alias));
typedef int32_t tw__i32x8 __attribute__((vector_size(32), aligned(16), may_alias));
typedef uint32_t tw__u32x8 __attribute__((vector_size(32), aligned(16), may_alias));
typedef int32_t tw__i32x4 __attribute__((vector_size(16), may_alias));
typedef uint64_t tw__u64x4 __attribute__((vector_size(32), aligned(16), may_alias));
typedef int64_t tw__i64x4 __attribute__((vector_size(32), aligned(16), may_alias));
typedef float tw__f32x8 __attribute__((vector_size(32), aligned(16), may_alias));

typedef struct cacc48 {
    int64 real, imag;
} tw__cacc48_lane;
typedef struct cacc80 {
    int128 real, imag;
} tw__cacc80_lane;
typedef int64 tw__acc48_lane;
typedef int128 tw__acc80_lane;

#define TW__AIE_ACC48(lanes, kind, parts)                                   \
    typedef struct __attribute__((aligned(16), may_alias)) v##lanes##kind { \
        union {                                                             \
            int64 word[(lanes) * (parts)];                                  \
            tw__##kind##_lane lane[lanes];                                  \
            tw__u64x4 piece[(lanes) * (parts) / 4];                         \
        };                                                                  \
        TW__AIE_ACC_MEMBERS(v##lanes##kind)                                 \
    } v##lanes##kind;
TW_AIE_ACC48_LIST(TW__AIE_ACC48)
#undef TW__AIE_ACC48

#define TW__AIE_ACC80(lanes, kind, parts)                                   \
    typedef struct __attribute__((aligned(16), may_alias)) v##lanes##kind { \
        union {                                                             \
            int128 word[(lanes) * (parts)];                                 \
            tw__##kind##_lane lane[lanes];                                  \
            tw__u64x4 piece[(lanes) * (parts) / 2];                         \
        };                                                                  \
        TW__AIE_ACC_MEMBERS(v##lanes##kind)                                 \
    } v##lanes##kind;
TW_AIE_ACC80_LIST(TW__AIE_ACC80)
#undef TW__AIE_ACC80

/* There are no float accumulators: these are other names of the vectors. */
typedef v4float v4accfloat;
typedef v8float v8accfloat;
typedef v16float v16accfloat;
typedef v2cfloat v2caccfloat;
typedef v4cfloat v4caccfloat;
typedef v8cfloat v8caccfloat;

#endif
