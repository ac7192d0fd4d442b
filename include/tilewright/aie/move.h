/* Construction and parts: undef, null, casts, concat, upd/ext/set of sub-vectors, single elements (aie.md 2.1).
 * Index 0 is the lowest address, the first lane, the least significant part. */
#ifndef TILEWRIGHT_AIE_MOVE_H
#define TILEWRIGHT_AIE_MOVE_H

#include <tilewright/aie/shift.h>

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

/* undef: with TW_AIE_CHECK a mark that computing intrinsics report (aie/site.h). */
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

/* --- sub-vectors ------------------------------------------------------------------------------------------------- */

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

/* --- elements: 8-bit ones have no direct form (through int16) ------------------------------------------------------ */

/* C++: the element's type is free, so that an int literal for an int16 lane leaves nothing ambiguous in clang, which
 * converts vectors of equal width into each other. */
#ifdef __cplusplus
#define TW__FREE_ELEMENT   template <class T_>
#define TW__VALUE(element) T_
#define TW__TO(element, v) static_cast<element>(v)
#else
#define TW__FREE_ELEMENT
#define TW__VALUE(element) element
#define TW__TO(element, v) (v)
#endif
#define TW__ELEMENT(vector, element)                                                                             \
    TW__AIE element TW__N(ext_elem, tw_ext_elem_##vector)(vector b, int i)                                       \
    {                                                                                                            \
        element r;                                                                                               \
        TW__DEFINED("ext_elem", (const char *)&b + (i * sizeof r & (sizeof b - 1) & ~(size_t)7), 8);             \
        TW__COUNT(SCALAR, 1);                                                                                    \
        __builtin_memcpy(&r, (const char *)&b + tw__part("ext_elem", i, sizeof b / sizeof r) * sizeof r,         \
                         sizeof r);                                                                              \
        return r;                                                                                                \
    }                                                                                                            \
    TW__FREE_ELEMENT TW__AIE vector TW__N(upd_elem, tw_upd_elem_##vector)(vector b, int i, TW__VALUE(element) v) \
    {                                                                                                            \
        const element e = TW__TO(element, v);                                                                    \
        TW__COUNT(SCALAR, 1);                                                                                    \
        __builtin_memcpy((char *)&b + tw__part("upd_elem", i, sizeof b / sizeof e) * sizeof e, &e, sizeof e);    \
        return b;                                                                                                \
    }                                                                                                            \
    TW__FREE_ELEMENT TW__AIE vector TW__N(shft_elem, tw_shft_elem_##vector)(vector b, TW__VALUE(element) v)      \
    {                                                                                                            \
        vector r;                                                                                                \
        const element e = TW__TO(element, v);                                                                    \
        TW__COUNT(SCALAR, 1);                                                                                    \
        __builtin_memcpy((char *)&r + sizeof e, &b, sizeof b - sizeof e);                                        \
        __builtin_memcpy(&r, &e, sizeof e);                                                                      \
        return r;                                                                                                \
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
/* float: a pair at once, elements 2i and 2i+1. */
TW__AIE v8float TW__N(upd_elem, tw_upd_elem2_v8float)(v8float b, int i, float re, float im)
{
    b[2 * tw__part("upd_elem", i, 4)] = re;
    b[2 * tw__part("upd_elem", i, 4) + 1] = im;
    return b;
}

/* A lane of an accumulator, wrapped to its width: word k of a.word (real and imaginary parts count). */
TW__AIE int64 tw_acc48_word(int64 word)
{
    return (int64)((uint64)word << 16) >> 16;
}
TW__AIE int128 tw_acc80_word(int128 word)
{
    return (int128)((tw__u128)word << 48) >> 48;
}

/* --- casts -------------------------------------------------------------------------------------------------------
 * Between equal widths. Accumulators are reinterpreted by their 48-bit slots: an 80-bit lane lies in two, its low 48
 * bits in the even one and the rest, sign-filled, in the odd one. */
typedef struct tw__slots {
    int64 slot[16];
} tw__slots;
#define TW__SLOTS48(type, words)                                              \
    TW__AIE tw__slots TW__N(tw__to_slots, tw__to_slots_##type)(type a)        \
    {                                                                         \
        tw__slots s = { { 0 } };                                              \
        for (int k = 0; k < words; k++) s.slot[k] = tw_acc48_word(a.word[k]); \
        return s;                                                             \
    }                                                                         \
    TW__AIE type tw__from_slots_##type(tw__slots s)                           \
    {                                                                         \
        type a;                                                               \
        for (int k = 0; k < words; k++) a.word[k] = s.slot[k];                \
        return a;                                                             \
    }
#define TW__SLOTS80(type, words)                                                             \
    TW__AIE tw__slots TW__N(tw__to_slots, tw__to_slots_##type)(type a)                       \
    {                                                                                        \
        tw__slots s = { { 0 } };                                                             \
        for (int k = 0; k < words; k++) {                                                    \
            s.slot[2 * k] = tw_acc48_word((int64)a.word[k]);                                 \
            s.slot[2 * k + 1] = (int64)(tw_acc80_word(a.word[k]) >> 48);                     \
        }                                                                                    \
        return s;                                                                            \
    }                                                                                        \
    TW__AIE type tw__from_slots_##type(tw__slots s)                                          \
    {                                                                                        \
        type a;                                                                              \
        for (int k = 0; k < words; k++)                                                      \
            a.word[k] = tw_acc80_word((int128)(((tw__u128)(int128)s.slot[2 * k + 1] << 48) | \
                                               ((uint64)s.slot[2 * k] & 0xffffffffffffu)));  \
        return a;                                                                            \
    }
// clang-format off
#define TW__SLOTS_LIST(X80, X48) \
    X48(v8acc48, 8) \
    X48(v4cacc48, 8) \
    X80(v4acc80, 4) \
    X80(v2cacc80, 4) \
    X48(v16acc48, 16) \
    X48(v8cacc48, 16) \
    X80(v8acc80, 8) \
    X80(v4cacc80, 8)
// clang-format on
TW__SLOTS_LIST(TW__SLOTS80, TW__SLOTS48)

/* The 384-bit register image: eight slots of six bytes, little endian. */
TW__AIE void tw_aie_pack384(tw__slots s, uint8_t image[48])
{
    for (int k = 0; k < 8; k++) __builtin_memcpy(image + 6 * k, &s.slot[k], 6);
}
TW__AIE tw__slots tw_aie_unpack384(const uint8_t image[48])
{
    tw__slots s = { { 0 } };
    for (int k = 0; k < 8; k++) {
        __builtin_memcpy(&s.slot[k], image + 6 * k, 6);
        s.slot[k] = tw_acc48_word(s.slot[k]);
    }
    return s;
}

#ifdef __cplusplus
#define TW__CXX_CAST(lanes, element, bits)                                                             \
    template <class T> TW__AIE v##lanes##element as_v##lanes##element(T x)                             \
    {                                                                                                  \
        static_assert(sizeof(T) == sizeof(v##lanes##element), "a cast keeps the width of the vector"); \
        v##lanes##element r;                                                                           \
        __builtin_memcpy(&r, &x, sizeof r);                                                            \
        return r;                                                                                      \
    }
TW_AIE_REAL_LIST(TW__CXX_CAST)
TW_AIE_STRUCT_LIST(TW__CXX_CAST)
#undef TW__CXX_CAST
#define TW__CXX_ACC_CAST(type, words)                           \
    template <class T> TW__AIE type as_##type(T x)              \
    {                                                           \
        return tw__from_slots_##type(TW__N(tw__to_slots, )(x)); \
    }
TW__SLOTS_LIST(TW__CXX_ACC_CAST, TW__CXX_ACC_CAST)
#undef TW__CXX_ACC_CAST
template <class T> TW__AIE T delay1(T x)
{
    return x;
}
template <class T> TW__AIE T delay2(T x)
{
    return x;
}
template <class T> TW__AIE T delay4(T x)
{
    return x;
}
template <class T> TW__AIE T delay6(T x)
{
    return x;
}
#else
#define TW__CAST(type, x)                                                                       \
    __extension__({                                                                             \
        __typeof__(x) tw_from = (x);                                                            \
        type tw_to;                                                                             \
        _Static_assert(sizeof tw_from == sizeof tw_to, "a cast keeps the width of the vector"); \
        __builtin_memcpy(&tw_to, &tw_from, sizeof tw_to);                                       \
        tw_to;                                                                                  \
    })
#define as_v16int8(x)             TW__CAST(v16int8, x)
#define as_v32int8(x)             TW__CAST(v32int8, x)
#define as_v64int8(x)             TW__CAST(v64int8, x)
#define as_v128int8(x)            TW__CAST(v128int8, x)
#define as_v16uint8(x)            TW__CAST(v16uint8, x)
#define as_v32uint8(x)            TW__CAST(v32uint8, x)
#define as_v64uint8(x)            TW__CAST(v64uint8, x)
#define as_v128uint8(x)           TW__CAST(v128uint8, x)
#define as_v8int16(x)             TW__CAST(v8int16, x)
#define as_v16int16(x)            TW__CAST(v16int16, x)
#define as_v32int16(x)            TW__CAST(v32int16, x)
#define as_v64int16(x)            TW__CAST(v64int16, x)
#define as_v4int32(x)             TW__CAST(v4int32, x)
#define as_v8int32(x)             TW__CAST(v8int32, x)
#define as_v16int32(x)            TW__CAST(v16int32, x)
#define as_v32int32(x)            TW__CAST(v32int32, x)
#define as_v4int64(x)             TW__CAST(v4int64, x)
#define as_v8int64(x)             TW__CAST(v8int64, x)
#define as_v4float(x)             TW__CAST(v4float, x)
#define as_v8float(x)             TW__CAST(v8float, x)
#define as_v16float(x)            TW__CAST(v16float, x)
#define as_v32float(x)            TW__CAST(v32float, x)
#define as_v2int128(x)            TW__CAST(v2int128, x)
#define as_v8cint8(x)             TW__CAST(v8cint8, x)
#define as_v16cint8(x)            TW__CAST(v16cint8, x)
#define as_v32cint8(x)            TW__CAST(v32cint8, x)
#define as_v64cint8(x)            TW__CAST(v64cint8, x)
#define as_v4cint16(x)            TW__CAST(v4cint16, x)
#define as_v8cint16(x)            TW__CAST(v8cint16, x)
#define as_v16cint16(x)           TW__CAST(v16cint16, x)
#define as_v32cint16(x)           TW__CAST(v32cint16, x)
#define as_v2cint32(x)            TW__CAST(v2cint32, x)
#define as_v4cint32(x)            TW__CAST(v4cint32, x)
#define as_v8cint32(x)            TW__CAST(v8cint32, x)
#define as_v16cint32(x)           TW__CAST(v16cint32, x)
#define as_v2cint64(x)            TW__CAST(v2cint64, x)
#define as_v4cint64(x)            TW__CAST(v4cint64, x)
#define as_v1cint128(x)           TW__CAST(v1cint128, x)
#define as_v2cfloat(x)            TW__CAST(v2cfloat, x)
#define as_v4cfloat(x)            TW__CAST(v4cfloat, x)
#define as_v8cfloat(x)            TW__CAST(v8cfloat, x)
#define as_v16cfloat(x)           TW__CAST(v16cfloat, x)
#define TW__SLOTS_OF(type, words) , type : tw__to_slots_##type
#define TW__ACC_CAST(type, x) \
    tw__from_slots_##type(_Generic((x), int: tw__no_such_overload TW__SLOTS_LIST(TW__SLOTS_OF, TW__SLOTS_OF))(x))
#define as_v8acc48(x)           TW__ACC_CAST(v8acc48, x)
#define as_v16acc48(x)          TW__ACC_CAST(v16acc48, x)
#define as_v4cacc48(x)          TW__ACC_CAST(v4cacc48, x)
#define as_v8cacc48(x)          TW__ACC_CAST(v8cacc48, x)
#define as_v4acc80(x)           TW__ACC_CAST(v4acc80, x)
#define as_v8acc80(x)           TW__ACC_CAST(v8acc80, x)
#define as_v2cacc80(x)          TW__ACC_CAST(v2cacc80, x)
#define as_v4cacc80(x)          TW__ACC_CAST(v4cacc80, x)
#define delay1(x)               (x)
#define delay2(x)               (x)
#define delay4(x)               (x)
#define delay6(x)               (x)

/* Names in C: the type of the operand chooses. The first association only carries the commas. */
#define TW__CHOOSE(x, list)     _Generic((x), int: tw__no_such_overload TW__ELEMENTS(list))
#define TW__E_VW(E, V, W, X, Y) , v##W##E : tw_ext_v_v##W##E, v##X##E : tw_ext_v_v##X##E, v##Y##E : tw_ext_v_v##Y##E
#define TW__E_W(E, V, W, X, Y)  , v##X##E : tw_ext_w_v##X##E, v##Y##E : tw_ext_w_v##Y##E
#define TW__E_X(E, V, W, X, Y)  , v##Y##E : tw_ext_x_v##Y##E
#define TW__U_V(E, V, W, X, Y)  , v##W##E : tw_upd_v_v##W##E, v##X##E : tw_upd_v_v##X##E, v##Y##E : tw_upd_v_v##Y##E
#define TW__U_W(E, V, W, X, Y)  , v##X##E : tw_upd_w_v##X##E, v##Y##E : tw_upd_w_v##Y##E
#define TW__U_X(E, V, W, X, Y)  , v##Y##E : tw_upd_x_v##Y##E
#define TW__S_WV(E, V, W, X, Y) , v##V##E : tw_wset_v_v##V##E
#define TW__S_XV(E, V, W, X, Y) , v##V##E : tw_xset_v_v##V##E
#define TW__S_YV(E, V, W, X, Y) , v##V##E : tw_yset_v_v##V##E
#define TW__S_XW(E, V, W, X, Y) , v##W##E : tw_xset_w_v##W##E
#define TW__S_YW(E, V, W, X, Y) , v##W##E : tw_yset_w_v##W##E
#define TW__S_YX(E, V, W, X, Y) , v##X##E : tw_yset_x_v##X##E
#define TW__C_2(E, V, W, X, Y)                         \
    , v##V##E : tw_concat_v##V##E##_v##W##E,           \
                v##W##E : tw_concat_v##W##E##_v##X##E, \
                          v##X##E : tw_concat_v##X##E##_v##Y##E
#define TW__C_4(E, V, W, X, Y) , v##V##E : tw_concat_v##V##E##_v##X##E, v##W##E : tw_concat_v##W##E##_v##Y##E
#define TW__C_8(E, V, W, X, Y) , v##V##E : tw_concat_v##V##E##_v##Y##E
#define ext_v(b, i)            TW__CALLED(TW__CHOOSE(b, TW__E_VW)(b, i))
#define ext_w(b, i)            TW__CALLED(TW__CHOOSE(b, TW__E_W)(b, i))
#define ext_x(b, i)            TW__CALLED(TW__CHOOSE(b, TW__E_X)(b, i))
#define upd_v(b, i, v)         TW__CALLED(TW__CHOOSE(b, TW__U_V)(b, i, v))
#define upd_w(b, i, v)         TW__CALLED(TW__CHOOSE(b, TW__U_W)(b, i, v))
#define upd_x(b, i, v)         TW__CALLED(TW__CHOOSE(b, TW__U_X)(b, i, v))
#define wset_v(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_WV)(i, v))
#define xset_v(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_XV)(i, v))
#define yset_v(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_YV)(i, v))
#define xset_w(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_XW)(i, v))
#define yset_w(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_YW)(i, v))
#define yset_x(i, v)           TW__CALLED(TW__CHOOSE(v, TW__S_YX)(i, v))
#define TW__HALF(BM, AM)       , AM : tw_concat_##AM##_##BM
#define TW__HALVES_OF(f) \
    v16acc48:            \
    tw_##f##_v16acc48, v8cacc48 : tw_##f##_v8cacc48, v8acc80 : tw_##f##_v8acc80, v4cacc80 : tw_##f##_v4cacc80
#define concat(...)           TW__CONCAT_C(TW__NARGS(__VA_ARGS__), __VA_ARGS__)
#define TW__CONCAT_C(n, ...)  TW__CONCAT_C_(n, __VA_ARGS__)
#define TW__CONCAT_C_(n, ...) tw__concat_##n(__VA_ARGS__)
#define tw__concat_2(a, b)                                                                                       \
    _Generic((a),                                                                                                \
        int: tw__no_such_overload TW__ELEMENTS(TW__C_2) TW__HALF(v16acc48, v8acc48) TW__HALF(v8cacc48, v4cacc48) \
            TW__HALF(v8acc80, v4acc80) TW__HALF(v4cacc80, v2cacc80))(a, b)
#define tw__concat_4(a, b, c, d)             TW__CHOOSE(a, TW__C_4)(a, b, c, d)
#define tw__concat_8(a, b, c, d, e, f, g, h) TW__CHOOSE(a, TW__C_8)(a, b, c, d, e, f, g, h)
#define ext_lo(b)                            _Generic((b), TW__HALVES_OF(ext_lo))(b)
#define ext_hi(b)                            _Generic((b), TW__HALVES_OF(ext_hi))(b)
#define upd_lo(b, v)                         _Generic((b), TW__HALVES_OF(upd_lo))(b, v)
#define upd_hi(b, v)                         _Generic((b), TW__HALVES_OF(upd_hi))(b, v)
#define TW__ELEM_OF(f, x)                    _Generic((x), int: tw__no_such_overload TW__WIDE_ELEMENTS(TW__ELEM_##f))
#define TW__ELEM_ext(E, V, W, X, Y)                      \
    , v##V##E : tw_ext_elem_v##V##E,                     \
                v##W##E : tw_ext_elem_v##W##E,           \
                          v##X##E : tw_ext_elem_v##X##E, \
                                    v##Y##E : tw_ext_elem_v##Y##E
#define TW__ELEM_upd(E, V, W, X, Y)                      \
    , v##V##E : tw_upd_elem_v##V##E,                     \
                v##W##E : tw_upd_elem_v##W##E,           \
                          v##X##E : tw_upd_elem_v##X##E, \
                                    v##Y##E : tw_upd_elem_v##Y##E
#define TW__ELEM_shft(E, V, W, X, Y)                      \
    , v##V##E : tw_shft_elem_v##V##E,                     \
                v##W##E : tw_shft_elem_v##W##E,           \
                          v##X##E : tw_shft_elem_v##X##E, \
                                    v##Y##E : tw_shft_elem_v##Y##E
#define ext_elem(b, i)               TW__CALLED(TW__ELEM_OF(ext, b)(b, i))
#define shft_elem(b, v)              TW__CALLED(TW__ELEM_OF(shft, b)(b, v))
#define upd_elem(...)                TW__UPD_ELEM(TW__NARGS(__VA_ARGS__), __VA_ARGS__)
#define TW__UPD_ELEM(n, ...)         TW__UPD_ELEM_(n, __VA_ARGS__)
#define TW__UPD_ELEM_(n, ...)        TW__CALLED(tw__upd_elem_##n(__VA_ARGS__))
#define tw__upd_elem_3(b, i, v)      TW__ELEM_OF(upd, b)(b, i, v)
#define tw__upd_elem_4(b, i, re, im) tw_upd_elem2_v8float(b, i, re, im)
#endif

#endif
