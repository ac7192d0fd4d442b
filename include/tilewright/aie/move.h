/* SPDX-License-Identifier: MIT */
/* Construction and parts: undef, null, casts, concat, upd/ext/set of sub-vectors, single elements.
 * Index 0 is the lowest address, the first lane, the least significant part.
 *
 * Threads: no state but that of the thread: what -DTW_AIE_PROFILE counts, and the control registers. */
#ifndef TILEWRIGHT_AIE_MOVE_H
#define TILEWRIGHT_AIE_MOVE_H

#include <tilewright/aie/shift.h>
#ifdef __cplusplus
#include <type_traits>
#endif

/* X(element, lanes of 128, 256, 512, 1024 bits) */
// clang-format off
#define TW__ELEMENTS(X) \
    X(int8, 16, 32, 64, 128) \
    X(uint8, 16, 32, 64, 128) \
    X(int16, 8, 16, 32, 64) \
    X(int32, 4, 8, 16, 32) \
    X(cint16, 4, 8, 16, 32) \
    X(cint32, 2, 4, 8, 16) \
    X(float, 4, 8, 16, 32) \
    X(cfloat, 2, 4, 8, 16)
// clang-format on

/* undef: with TW_AIE_CHECK a mark that computing intrinsics report (aie/detail/check_lanes.h). */
#ifdef TW_AIE_CHECK
#define TW__UNDEF(name, r) tw__aie_mark(name, &(r), sizeof(r))
#else
#define TW__UNDEF(name, r) __builtin_memset(&(r), 0, sizeof(r))
#endif
#define TW__DEFINE_UNDEF(type)             \
    TW__AIE type undef_##type(TW__AT_ONLY) \
    {                                      \
        type r;                            \
        TW__HERE;                          \
        TW__UNDEF("undef_" #type, r);      \
        return r;                          \
    }                                      \
    TW__AIE type null_##type(void)         \
    {                                      \
        type r;                            \
        __builtin_memset(&r, 0, sizeof r); \
        return r;                          \
    }
#define TW__UNDEF_VECTOR(lanes, element, bits) TW__DEFINE_UNDEF(v##lanes##element)
TW_AIE_REAL_LIST(TW__UNDEF_VECTOR)
TW_AIE_STRUCT_LIST(TW__UNDEF_VECTOR)
TW_AIE_ACC48_LIST(TW__UNDEF_VECTOR)
TW_AIE_ACC80_LIST(TW__UNDEF_VECTOR)
#ifdef TW_AIE_EXTRA
TW_AIE_REAL_EXTRA_LIST(TW__UNDEF_VECTOR)
TW_AIE_STRUCT_EXTRA_LIST(TW__UNDEF_VECTOR)
#endif
// clang-format off
TW__DEFINE_UNDEF(v4accfloat)
TW__DEFINE_UNDEF(v8accfloat)
TW__DEFINE_UNDEF(v16accfloat)
TW__DEFINE_UNDEF(v2caccfloat)
TW__DEFINE_UNDEF(v4caccfloat)
TW__DEFINE_UNDEF(v8caccfloat)
// clang-format on
#undef TW__UNDEF_VECTOR

/* --- sub-vectors ---------------------------------------------------------------------------------------------- */

TW__AIE unsigned tw__part(const char *name, int i, unsigned parts)
{
    (void)name;
    TW__CHECK(i >= 0 && (unsigned)i < parts, name, "index %d is not 0 to %u", i, parts - 1);
    return (unsigned)i & (parts - 1);
}
#define TW__EXT(name, part, whole)                                                                             \
    TW__AIE part TW__N(name, tw_##name##_##whole)(whole b, int i)                                              \
    {                                                                                                          \
        part r;                                                                                                \
        TW__COUNT(MOVE, 1);                                                                                    \
        __builtin_memcpy(&r, (const char *)&b + tw__part(#name, i, sizeof b / sizeof r) * sizeof r, sizeof r); \
        return r;                                                                                              \
    }
#define TW__UPD(name, part, whole)                                                                       \
    TW__AIE whole TW__N(name, tw_##name##_##whole)(whole b, int i, part v)                               \
    {                                                                                                    \
        TW__COUNT(MOVE, 1);                                                                              \
        __builtin_memcpy((char *)&b + tw__part(#name, i, sizeof b / sizeof v) * sizeof v, &v, sizeof v); \
        return b;                                                                                        \
    }
#define TW__SETPART(name, part, whole)                                                                   \
    TW__AIE whole TW__N(name, tw_##name##_##part)(int i, part v)                                         \
    {                                                                                                    \
        whole b;                                                                                         \
        TW__UNDEF(#name, b);                                                                             \
        TW__COUNT(MOVE, 1);                                                                              \
        __builtin_memcpy((char *)&b + tw__part(#name, i, sizeof b / sizeof v) * sizeof v, &v, sizeof v); \
        return b;                                                                                        \
    }
#define TW__CONCAT(part, whole, pair)                                                \
    TW__AIE whole TW__N(concat, tw_concat_##part##_##whole)(TW__CONCAT_##pair(part)) \
    {                                                                                \
        whole r;                                                                     \
        TW__COUNT(MOVE, 1);                                                          \
        TW__CONCAT_BODY_##pair;                                                      \
        return r;                                                                    \
    }
#define TW__CONCAT_2(part) part a, part b
#define TW__CONCAT_4(part) part a, part b, part c, part d
#define TW__CONCAT_8(part) part a, part b, part c, part d, part e, part f, part g, part h
#define TW__PUT(k, v)      __builtin_memcpy((char *)&r + k * sizeof v, &v, sizeof v)
#define TW__CONCAT_BODY_2  TW__PUT(0, a), TW__PUT(1, b)
#define TW__CONCAT_BODY_4  TW__CONCAT_BODY_2, TW__PUT(2, c), TW__PUT(3, d)
#define TW__CONCAT_BODY_8  TW__CONCAT_BODY_4, TW__PUT(4, e), TW__PUT(5, f), TW__PUT(6, g), TW__PUT(7, h)

#define TW__PARTS(E, V, W, X, Y) TW__PARTS_(v##V##E, v##W##E, v##X##E, v##Y##E)
// clang-format off
#define TW__PARTS_(V, W, X, Y) \
    TW__EXT(ext_v, V, W) \
    TW__EXT(ext_v, V, X) \
    TW__EXT(ext_v, V, Y) \
    TW__EXT(ext_w, W, X) \
    TW__EXT(ext_w, W, Y) \
    TW__EXT(ext_x, X, Y) \
    TW__UPD(upd_v, V, W) \
    TW__UPD(upd_v, V, X) \
    TW__UPD(upd_v, V, Y) \
    TW__UPD(upd_w, W, X) \
    TW__UPD(upd_w, W, Y) \
    TW__UPD(upd_x, X, Y) \
    TW__SETPART(wset_v, V, W) \
    TW__SETPART(xset_v, V, X) \
    TW__SETPART(yset_v, V, Y) \
    TW__SETPART(xset_w, W, X) \
    TW__SETPART(yset_w, W, Y) \
    TW__SETPART(yset_x, X, Y) \
    TW__CONCAT(V, W, 2) \
    TW__CONCAT(W, X, 2) \
    TW__CONCAT(X, Y, 2) \
    TW__CONCAT(V, X, 4) \
    TW__CONCAT(W, Y, 4) \
    TW__CONCAT(V, Y, 8)
// clang-format on
TW__ELEMENTS(TW__PARTS)

/* Halves of a BM register. */
#define TW__HALVES(BM, AM)                                           \
    TW__CONCAT(AM, BM, 2)                                            \
    TW__AIE AM TW__N(ext_lo, tw_ext_lo_##BM)(BM b)                   \
    {                                                                \
        AM r;                                                        \
        __builtin_memcpy(&r, &b, sizeof r);                          \
        return r;                                                    \
    }                                                                \
    TW__AIE AM TW__N(ext_hi, tw_ext_hi_##BM)(BM b)                   \
    {                                                                \
        AM r;                                                        \
        __builtin_memcpy(&r, (const char *)&b + sizeof r, sizeof r); \
        return r;                                                    \
    }                                                                \
    TW__AIE BM TW__N(upd_lo, tw_upd_lo_##BM)(BM b, AM v)             \
    {                                                                \
        __builtin_memcpy(&b, &v, sizeof v);                          \
        return b;                                                    \
    }                                                                \
    TW__AIE BM TW__N(upd_hi, tw_upd_hi_##BM)(BM b, AM v)             \
    {                                                                \
        __builtin_memcpy((char *)&b + sizeof v, &v, sizeof v);       \
        return b;                                                    \
    }
// clang-format off
TW__HALVES(v16acc48, v8acc48)
TW__HALVES(v8cacc48, v4cacc48)
TW__HALVES(v8acc80, v4acc80)
TW__HALVES(v4cacc80, v2cacc80)
// clang-format on

/* --- elements: 8-bit ones have no direct form (through int16) ------------------------------------------------- */

TW__AIE cint16 tw__cint16_of(int v)
{
    cint16 r;
    __builtin_memcpy(&r, &v, sizeof r);
    return r;
}
/* C++: the element's type is free, so that an int literal for an int16 lane leaves nothing ambiguous in clang, which
 * converts vectors of equal width into each other. */
#ifdef __cplusplus
#define TW__FREE_ELEMENT(element) template <class T_ = element> /* that of a value in bare braces */
#define TW__VALUE(element)        T_
#define TW__TO(element, v)        tw__element<element>::of(v)
template <class TwE> struct tw__element {
    template <class TwT> TW__AIE TwE of(TwT v) { return static_cast<TwE>(v); }
};
/* An integer for a cint16: the low half is the real part. */
template <> struct tw__element<cint16> {
    template <class TwT> TW__AIE typename std::enable_if<!std::is_integral<TwT>::value, cint16>::type of(TwT v)
    {
        return static_cast<cint16>(v);
    }
    template <class TwT> TW__AIE typename std::enable_if<std::is_integral<TwT>::value, cint16>::type of(TwT v)
    {
        return tw__cint16_of(static_cast<int>(v));
    }
};
#else
#define TW__FREE_ELEMENT(element)
#define TW__VALUE(element) element
#define TW__TO(element, v) (v)
#endif
#define TW__ELEMENT(vector, element)                                                                     \
    TW__AIE element TW__N(ext_elem, tw_ext_elem_##vector)(vector b, int i)                               \
    {                                                                                                    \
        element r;                                                                                       \
        TW__LANE_DEFINED("ext_elem", &b, i * sizeof r & (sizeof b - 1), sizeof r);                       \
        TW__COUNT(SCALAR, 1);                                                                            \
        __builtin_memcpy(&r, (const char *)&b + tw__part("ext_elem", i, sizeof b / sizeof r) * sizeof r, \
                         sizeof r);                                                                      \
        return r;                                                                                        \
    }                                                                                                    \
    TW__FREE_ELEMENT(element)                                                                            \
    TW__AIE vector TW__N(upd_elem, tw_upd_elem_##vector)(vector b, int i, TW__VALUE(element) v)          \
    {                                                                                                    \
        const element e = TW__TO(element, v);                                                            \
        TW__COUNT(SCALAR, 1);                                                                            \
        TW__PUT_LANE(b, tw__part("upd_elem", i, sizeof b / sizeof e) * sizeof e, e);                     \
        return b;                                                                                        \
    }                                                                                                    \
    TW__FREE_ELEMENT(element)                                                                            \
    TW__AIE vector TW__N(shft_elem, tw_shft_elem_##vector)(vector b, TW__VALUE(element) v)               \
    {                                                                                                    \
        vector r;                                                                                        \
        const element e = TW__TO(element, v);                                                            \
        TW__COUNT(SCALAR, 1);                                                                            \
        __builtin_memcpy((char *)&r + sizeof e, &b, sizeof b - sizeof e);                                \
        __builtin_memcpy(&r, &e, sizeof e);                                                              \
        TW__SHIFTED_UP(r, b, sizeof e);                                                                  \
        return r;                                                                                        \
    }
// clang-format off
#define TW__WIDE_ELEMENTS(X) \
    X(int16, 8, 16, 32, 64) \
    X(int32, 4, 8, 16, 32) \
    X(cint16, 4, 8, 16, 32) \
    X(cint32, 2, 4, 8, 16) \
    X(float, 4, 8, 16, 32) \
    X(cfloat, 2, 4, 8, 16)
#define TW__ELEMENT4(E, V, W, X, Y) \
    TW__ELEMENT(v##V##E, E) \
    TW__ELEMENT(v##W##E, E) \
    TW__ELEMENT(v##X##E, E) \
    TW__ELEMENT(v##Y##E, E)
TW__WIDE_ELEMENTS(TW__ELEMENT4)
// clang-format on
#ifndef __cplusplus
/* An integer for a cint16: the low half is the real part. */
#define TW__ELEMENT_OF_INT(vector)                                  \
    TW__AIE vector tw_upd_elem_int_##vector(vector b, int i, int v) \
    {                                                               \
        return tw_upd_elem_##vector(b, i, tw__cint16_of(v));        \
    }                                                               \
    TW__AIE vector tw_shft_elem_int_##vector(vector b, int v)       \
    {                                                               \
        return tw_shft_elem_##vector(b, tw__cint16_of(v));          \
    }
// clang-format off
TW__ELEMENT_OF_INT(v4cint16)
TW__ELEMENT_OF_INT(v8cint16)
TW__ELEMENT_OF_INT(v16cint16)
TW__ELEMENT_OF_INT(v32cint16)
// clang-format on
#endif
/* float: a pair at once, elements 2i and 2i+1. */
TW__AIE v8float TW__N(upd_elem, tw_upd_elem2_v8float)(v8float b, int i, float re, float im)
{
    b[2 * tw__part("upd_elem", i, 4)] = re;
    b[2 * tw__part("upd_elem", i, 4) + 1] = im;
    return b;
}

#include <tilewright/aie/cast.h>
#ifndef __cplusplus
#include <tilewright/aie/detail/move_c.h>
#endif

#endif
