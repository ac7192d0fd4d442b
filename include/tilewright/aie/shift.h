/* SPDX-License-Identifier: MIT */
/* Between vectors and accumulators: ups, lups, pack, upack, unpack; srs and relatives are in aie/srs.h.
 *
 * Threads: no state but that of the thread: what -DTW_AIE_PROFILE counts, and the control registers. */
#ifndef TILEWRIGHT_AIE_SHIFT_H
#define TILEWRIGHT_AIE_SHIFT_H

#include <tilewright/aie/srs.h>

/* --- ups: acc = v << shift, wrapped --------------------------------------------------------------------------- */

TW__AIE tw__u64x4 tw__ups(tw__i64x4 v, int shift)
{
    if (shift >= 0) return (tw__u64x4)v << (unsigned)(shift & 63);
    const uint64_t raise = (uint64_t)1 << 62;
    return (((tw__u64x4)v + raise) >> 1) - raise / 2;
}
/* Four components from the k-th four on. */
#define TW__FOUR(k)             4 * (k), 4 * (k) + 1, 4 * (k) + 2, 4 * (k) + 3
#define TW__WIDE_int16(w, n, k) tw__widen16((const tw__i16m *)(w), n, TW__FOUR(k))
#define TW__WIDE_int32(w, n, k) tw__widen32((const tw__i32m *)(w), n, TW__FOUR(k))
#define TW__WIDE_int8(w, n, k)  tw__listed((w)[4 * (k)], (w)[4 * (k) + 1], (w)[4 * (k) + 2], (w)[4 * (k) + 3])
#define TW__WIDE_uint8(w, n, k) TW__WIDE_int8(w, n, k)
TW__AIE tw__i64x4 tw__listed(int a, int b, int c, int d)
{
    const tw__i64x4 v = { a, b, c, d };
    return v;
}
TW__AIE int128 tw__ups80(int128 v, int shift)
{
    return shift < 0 ? v >> 1 : (int128)((tw__u128)v << (shift & 63));
}
/* X(name, vector, accumulator, component, words, widening) */
#define TW__UPS_LIST(X)                              \
    X(ups, v8int16, v8acc48, int16, 8, tw__ups)      \
    X(ups, v16int16, v16acc48, int16, 16, tw__ups)   \
    X(ups, v4cint16, v4cacc48, int16, 8, tw__ups)    \
    X(ups, v8cint16, v8cacc48, int16, 16, tw__ups)   \
    X(ups, v8int32, v8acc48, int32, 8, tw__ups)      \
    X(ups, v4cint32, v4cacc48, int32, 8, tw__ups)    \
    X(ups, v16int8, v16acc48, int8, 16, tw__ups)     \
    X(ups, v16uint8, v16acc48, uint8, 16, tw__ups)   \
    X(lups, v4int32, v4acc80, int32, 4, tw__ups80)   \
    X(lups, v8int32, v8acc80, int32, 8, tw__ups80)   \
    X(lups, v2cint32, v2cacc80, int32, 4, tw__ups80) \
    X(lups, v4cint32, v4cacc80, int32, 8, tw__ups80) \
    X(lups, v4int64, v4acc80, int64, 4, tw__ups80)   \
    X(lups, v2cint64, v2cacc80, int64, 4, tw__ups80)
#define TW__UPS(name, from, to, component, words, widen_)                                \
    TW__AIE to TW__N(name, tw_##name##_##from)(from v, int shift)                        \
    {                                                                                    \
        to a;                                                                            \
        component w[words];                                                              \
        TW__CHECK(shift >= -1 && shift <= 62, #name, "shift %d is not -1 to 62", shift); \
        TW__DEFINED(#name, &v, sizeof v);                                                \
        TW__COUNT(MOVE, 1);                                                              \
        __builtin_memcpy(w, &v, sizeof w);                                               \
        TW__FILL_##widen_(words, component) return a;                                    \
    }
#define TW__FILL_tw__ups(words, component)                                      \
    a.piece[0] = tw__ups(TW__WIDE_##component(w, words, 0), shift);             \
    a.piece[1] = tw__ups(TW__WIDE_##component(w, words, 1), shift);             \
    if (words == 16) {                                                          \
        const unsigned k = words / 4 - 2; /* 2; 0 for 8 words, unused */        \
        a.piece[k] = tw__ups(TW__WIDE_##component(w, words, k), shift);         \
        a.piece[k + 1] = tw__ups(TW__WIDE_##component(w, words, k + 1), shift); \
    }
#define TW__FILL_tw__ups80(words, component) \
    for (unsigned k = 0; k < words; k++) a.word[k] = tw__ups80(w[k], shift);
TW__UPS_LIST(TW__UPS)

/* Lanes 2k of the vector to lane k of the lower half, 2k + 1 to the upper one. X(name, plain name, vector,
 * accumulator, lane bytes): the reverse of srs_ilv. */
#define TW__UPS_ILV_LIST(X)                \
    X(ups_ilv, ups, v16int16, v16acc48, 2) \
    X(ups_ilv, ups, v8cint16, v8cacc48, 4) \
    X(lups_ilv, lups, v8int32, v8acc80, 4) \
    X(lups_ilv, lups, v4cint32, v4cacc80, 8)
#define TW__UPS_ILV(name, plain, from, to, bytes)                                                           \
    TW__AIE to TW__N(name, tw_##name##_##from)(from v, int shift)                                           \
    {                                                                                                       \
        from r;                                                                                             \
        for (unsigned k = 0; k < sizeof r / (2 * bytes); k++) {                                             \
            __builtin_memcpy((char *)&r + k * bytes, (const char *)&v + 2 * k * bytes, bytes);              \
            __builtin_memcpy((char *)&r + sizeof r / 2 + k * bytes, (const char *)&v + (2 * k + 1) * bytes, \
                             bytes);                                                                        \
        }                                                                                                   \
        return TW__N(plain, tw_##plain##_##from)(r, shift);                                                 \
    }
TW__UPS_ILV_LIST(TW__UPS_ILV)

/* --- pack, unpack --------------------------------------------------------------------------------------------- */

TW__AIE tw__i16x16 tw__clamp16(tw__i16x16 v, int16_t low, int16_t high)
{
    tw__i16x16 below = (tw__i16x16)(v < low), above = (tw__i16x16)(v > high);
    return (below & low) | (above & high) | (v & ~(below | above));
}
TW__AIE tw__i8x16 tw__pack16(tw__i16x16 v, unsigned is_unsigned)
{
    TW__MODE_NEEDED("pack");
    TW__DEFINED("pack", &v, sizeof v);
    if (tw_aie_core.sat)
        v = is_unsigned ? tw__clamp16(v, 0, 255) : tw__clamp16(v, tw_aie_core.symsat ? -127 : -128, 127);
    typedef int8_t i8x32 __attribute__((vector_size(32)));
    i8x32 b = (i8x32)v;
    return (tw__i8x16)__builtin_shufflevector(b, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}
#define TW__PACK(name, small, large, is_unsigned)                                  \
    TW__AIE small TW__N(name, tw_##name##_v16int16)(v16int16 v)                    \
    {                                                                              \
        TW__COUNT(VECTOR, 1);                                                      \
        return TW__WRAP(small, tw__pack16((tw__i16x16)TW__LANES(v), is_unsigned)); \
    }                                                                              \
    TW__AIE large TW__N(name, tw_##name##_v32int16)(v32int16 v)                    \
    {                                                                              \
        large r;                                                                   \
        tw__x512 x = tw__from512(&v);                                              \
        TW__COUNT(VECTOR, 1);                                                      \
        tw__i8x16 low = tw__pack16((tw__i16x16)x.low, is_unsigned);                \
        tw__i8x16 high = tw__pack16((tw__i16x16)x.high, is_unsigned);              \
        __builtin_memcpy(&r, &low, 16);                                            \
        __builtin_memcpy((char *)&r + 16, &high, 16);                              \
        return r;                                                                  \
    }
TW__PACK(pack, v16int8, v32int8, 0)
TW__PACK(upack, v16uint8, v32uint8, 1)
#define TW__UNPACK(from, to)                                                     \
    TW__AIE to TW__N(unpack, tw_unpack_##from)(from v)                           \
    {                                                                            \
        TW__COUNT(VECTOR, 1);                                                    \
        return TW__WRAP(to, __builtin_convertvector(TW__LANES(v), TW__GNU(to))); \
    }
TW__UNPACK(v16int8, v16int16)
TW__UNPACK(v16uint8, v16int16)
TW__UNPACK(v32int8, v32int16)
TW__UNPACK(v32uint8, v32int16)

/* packa: the eight words of 32 bits of a vector, each sign-extended to a slot of 48, as the cascade carries them. */
#define TW__PACKA_LIST(X) \
    X(v8int32, v8acc48)   \
    X(v16int16, v8acc48)  \
    X(v32int8, v8acc48)   \
    X(v32uint8, v8acc48)  \
    X(v8float, v8acc48)   \
    X(v8cint16, v4cacc48) \
    X(v4cint32, v4cacc48) \
    X(v4cfloat, v4cacc48)
#define TW__PACKA(from, to)                               \
    TW__AIE to TW__N(packa, tw_packa_##from)(from v)      \
    {                                                     \
        to a;                                             \
        int32_t words[8];                                 \
        TW__COUNT(VECTOR, 1);                             \
        TW__DEFINED("packa", &v, sizeof v);               \
        __builtin_memcpy(words, &v, sizeof words);        \
        for (int k = 0; k < 8; k++) a.word[k] = words[k]; \
        return a;                                         \
    }
TW__PACKA_LIST(TW__PACKA)

#ifndef __cplusplus
#define TW__A_ups(from) \
    from:               \
    tw_ups_##from
#define TW__A_lups(from) \
    from:                \
    tw_lups_##from
#define ups(v, s)                       \
    TW__CALLED(_Generic((v),            \
                   TW__A_ups(v8int16),  \
                   TW__A_ups(v16int16), \
                   TW__A_ups(v4cint16), \
                   TW__A_ups(v8cint16), \
                   TW__A_ups(v8int32),  \
                   TW__A_ups(v4cint32), \
                   TW__A_ups(v16int8),  \
                   TW__A_ups(v16uint8))(v, s))
#define lups(v, s)                       \
    TW__CALLED(_Generic((v),             \
                   TW__A_lups(v4int32),  \
                   TW__A_lups(v8int32),  \
                   TW__A_lups(v2cint32), \
                   TW__A_lups(v4cint32), \
                   TW__A_lups(v4int64),  \
                   TW__A_lups(v2cint64))(v, s))
#define TW__A_ups_ilv(name, from) \
    from:                         \
    tw_##name##_##from
#define ups_ilv(v, s) \
    TW__CALLED(_Generic((v), TW__A_ups_ilv(ups_ilv, v16int16), TW__A_ups_ilv(ups_ilv, v8cint16))(v, s))
#define lups_ilv(v, s) \
    TW__CALLED(_Generic((v), TW__A_ups_ilv(lups_ilv, v8int32), TW__A_ups_ilv(lups_ilv, v4cint32))(v, s))
#define pack(v)                    TW__CALLED(_Generic((v), v16int16: tw_pack_v16int16, v32int16: tw_pack_v32int16)(v))
#define upack(v)                   TW__CALLED(_Generic((v), v16int16: tw_upack_v16int16, v32int16: tw_upack_v32int16)(v))
#define TW__PACKA_CHOICE(from, to) , from : tw_packa_##from
#define packa(v)                   TW__CALLED(_Generic((v)TW__PACKA_LIST(TW__PACKA_CHOICE))(v))
#define unpack(v)                                \
    TW__CALLED(_Generic((v),                     \
                   v16int8: tw_unpack_v16int8,   \
                   v16uint8: tw_unpack_v16uint8, \
                   v32int8: tw_unpack_v32int8,   \
                   v32uint8: tw_unpack_v32uint8)(v))
#endif

#endif
