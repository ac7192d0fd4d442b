/* SPDX-License-Identifier: MIT */
/* Casts: as_v16int16(x) and its like, the 384-bit image of an accumulator, and the hints delay1() to delay6().
 *
 * Threads: no state but that of the thread: what -DTW_AIE_PROFILE counts, and the control registers. */
#ifndef TILEWRIGHT_AIE_CAST_H
#define TILEWRIGHT_AIE_CAST_H

#include <tilewright/aie/detail/core.h>

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
#define TW__CXX_CAST(lanes, element, bits)                                                               \
    template <class TwT> TW__AIE v##lanes##element as_v##lanes##element(TwT x)                           \
    {                                                                                                    \
        static_assert(sizeof(TwT) == sizeof(v##lanes##element), "a cast keeps the width of the vector"); \
        v##lanes##element r;                                                                             \
        __builtin_memcpy(&r, &x, sizeof r);                                                              \
        return r;                                                                                        \
    }
TW_AIE_REAL_LIST(TW__CXX_CAST)
TW_AIE_STRUCT_LIST(TW__CXX_CAST)
#undef TW__CXX_CAST
#define TW__CXX_ACC_CAST(type, words)                           \
    template <class TwT> TW__AIE type as_##type(TwT x)          \
    {                                                           \
        return tw__from_slots_##type(TW__N(tw__to_slots, )(x)); \
    }
TW__SLOTS_LIST(TW__CXX_ACC_CAST, TW__CXX_ACC_CAST)
#undef TW__CXX_ACC_CAST
template <class TwT> TW__AIE TwT delay1(TwT x)
{
    return x;
}
template <class TwT> TW__AIE TwT delay2(TwT x)
{
    return x;
}
template <class TwT> TW__AIE TwT delay4(TwT x)
{
    return x;
}
template <class TwT> TW__AIE TwT delay6(TwT x)
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
#define as_v8acc48(x)  TW__ACC_CAST(v8acc48, x)
#define as_v16acc48(x) TW__ACC_CAST(v16acc48, x)
#define as_v4cacc48(x) TW__ACC_CAST(v4cacc48, x)
#define as_v8cacc48(x) TW__ACC_CAST(v8cacc48, x)
#define as_v4acc80(x)  TW__ACC_CAST(v4acc80, x)
#define as_v8acc80(x)  TW__ACC_CAST(v8acc80, x)
#define as_v2cacc80(x) TW__ACC_CAST(v2cacc80, x)
#define as_v4cacc80(x) TW__ACC_CAST(v4cacc80, x)
#define delay1(x)      (x)
#define delay2(x)      (x)
#define delay4(x)      (x)
#define delay6(x)      (x)
#endif

#endif
