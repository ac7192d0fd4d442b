/* SPDX-License-Identifier: MIT */
/* From accumulators to vectors: srs, lsrs, bsrs, ubsrs, and interleaved.
 *
 * Order of srs: shift, round, saturate, by lane and by component. Rounding adds a bias before a shift that rounds
 * down; the bias of the symmetric modes depends on the sign, that of the convergent ones on the last bit kept.
 *
 * Threads: no state but that of the thread: what -DTW_AIE_PROFILE counts, and the control registers. */
#ifndef TILEWRIGHT_AIE_SRS_H
#define TILEWRIGHT_AIE_SRS_H

#include <tilewright/aie/lanes.h>

typedef struct tw__rounding {
    int shift;                          /* -1 to 62; negative = left */
    uint64_t bias, if_negative, if_odd; /* added, modulo 2^64 */
    int64_t low, high;                  /* range of the result, when it saturates */
    unsigned saturate;
} tw__rounding;

/* Counts what is clipped; with TW_AIE_CHECK_CLIPPING it is reported too. Called component by component, in order. */
#ifdef TW_AIE_CHECK
TW__AIE void tw__count_clipped(int128 value, tw__rounding r)
{
    const unsigned component = tw_aie_core.component++;
    if (!r.saturate || (value >= r.low && value <= r.high)) return;
    tw_aie_core.clipped++;
    tw_aie_core.status |= 1;
#ifdef TW_AIE_CHECK_CLIPPING
    tw__aie_report("srs", "component %u: %lld is clipped to %lld", component, (long long)value,
                   (long long)(value < r.low ? r.low : r.high));
#else
    (void)component;
#endif
}
#define TW__CLIPPED(value, r) tw__count_clipped(value, r)
#define TW__FIRST_COMPONENT   ((void)(tw_aie_core.component = 0))
#else
#define TW__CLIPPED(value, r) ((void)0)
#define TW__FIRST_COMPONENT   ((void)0)
#endif

TW__AIE tw__rounding tw__rounding_of(int shift, unsigned bits, unsigned is_unsigned)
{
    tw__rounding r;
    TW__CHECK(shift >= -1 && shift <= 62, "srs", "shift %d is not -1 to 62", shift);
    TW__MODE_NEEDED("srs");
    TW__FIRST_COMPONENT;
    r.shift = shift < -1 ? -1 : shift > 62 ? 62 : shift;
    uint64_t half = r.shift > 0 ? (uint64_t)1 << (r.shift - 1) : 0;
    uint64_t down = half - (r.shift > 0); /* ties go down */
    unsigned mode = tw_aie_core.rnd;
    r.bias = mode == rnd_floor                                                    ? 0
             : mode == rnd_ceil                                                   ? 2 * half - (r.shift > 0)
             : mode == rnd_pos_inf || mode == rnd_sym_inf || mode == rnd_conv_odd ? half
                                                                                  : down;
    r.if_negative = r.shift <= 0 ? 0 : mode == rnd_sym_inf ? ~(uint64_t)0 : mode == rnd_sym_zero;
    r.if_odd = r.shift <= 0 ? 0 : mode == rnd_conv_odd ? ~(uint64_t)0 : mode == rnd_conv_even;
    r.saturate = tw_aie_core.sat;
    r.high = is_unsigned ? ((int64_t)1 << bits) - 1 : (int64_t)(((uint64_t)1 << (bits - 1)) - 1);
    r.low = is_unsigned ? 0 : tw_aie_core.symsat ? -r.high : -r.high - 1;
    return r;
}

/* Four 48-bit lanes, held in 64 bits: wrapped, shifted, rounded, saturated. AVX2 has no arithmetic shift, so values
 * are raised: by 2^47 from the wrap on, or by 2^62 for shifts that would lose that. */
TW__AIE tw__u64x4 tw__srs4(tw__u64x4 a, tw__rounding r)
{
    const uint64_t raise48 = (uint64_t)1 << 47, raise = (uint64_t)1 << 62;
    const unsigned s = (unsigned)r.shift;
    a = (a + raise48) & (((uint64_t)1 << 48) - 1);
    if (s < 47) {
        tw__u64x4 sum = a + r.bias;
        if (r.if_negative) sum += ((a >> 47) - 1) & r.if_negative;
        if (r.if_odd) sum += -((a >> s) & 1) & r.if_odd;
        a = (sum >> s) - (raise48 >> s);
    } else if (r.shift < 0) {
        a = (a - raise48) << 1;
    } else {
        a -= raise48;
        a += r.bias + (-(a >> 63) & r.if_negative) + (-((a >> s) & 1) & r.if_odd);
        a = ((a + raise) >> s) - (raise >> s);
    }
    TW__CLIPPED((int64_t)a[0], r);
    TW__CLIPPED((int64_t)a[1], r);
    TW__CLIPPED((int64_t)a[2], r);
    TW__CLIPPED((int64_t)a[3], r);
    if (!r.saturate) return a;
    tw__i64x4 v = (tw__i64x4)a, below = (tw__i64x4)(v < r.low), above = (tw__i64x4)(v > r.high);
    v = (below & r.low) | (above & r.high) | (v & ~(below | above));
    return (tw__u64x4)v;
}

/* The pieces of an accumulator, shifted. As the core starts, without rounding and saturation, the bits kept of a
 * 48-bit lane are those of lane >> shift, whatever lies above. Everything else happens apart, so that a call of srs
 * is short. */
typedef struct tw__quad {
    tw__u64x4 piece[4];
} tw__quad;
TW__APART void tw__srs_by_mode(tw__quad *q, unsigned pieces, int shift, unsigned bits, unsigned is_unsigned)
{
    const tw__rounding r = tw__rounding_of(shift, bits, is_unsigned);
    for (unsigned i = 0; i < pieces; i++) q->piece[i] = tw__srs4(q->piece[i], r);
}
TW__AIE unsigned tw__just_shifts(int shift, unsigned bits)
{
#ifdef TW_AIE_CHECK
    (void)shift, (void)bits;
    return 0;
#else
    return !(tw_aie_core.rnd | tw_aie_core.sat) && (unsigned)shift <= 48 - bits;
#endif
}
TW__AIE tw__quad tw__shifted(const tw__u64x4 *p, unsigned pieces, int shift, unsigned bits, unsigned is_unsigned)
{
    tw__quad q;
    q.piece[0] = p[0], q.piece[1] = p[1];
    q.piece[2] = p[pieces - 2], q.piece[3] = p[pieces - 1];
    if (tw__just_shifts(shift, bits)) {
        const unsigned s = (unsigned)shift;
        q.piece[0] >>= s, q.piece[1] >>= s, q.piece[2] >>= s, q.piece[3] >>= s;
        return q;
    }
    tw__quad other = q;
    tw__srs_by_mode(&other, pieces, shift, bits, is_unsigned);
    return other;
}

/* An 80-bit lane to at most 64 bits. */
TW__AIE int64 tw__srs80(int128 lane, tw__rounding r)
{
    int128 a = (int128)((tw__u128)lane << 48) >> 48;
    if (r.shift < 0)
        a *= 2;
    else {
        int64_t bias = (int64_t)(r.bias + (a < 0 ? r.if_negative : 0) + ((a >> r.shift) & 1 ? r.if_odd : 0));
        a = (a + bias) >> r.shift;
    }
    TW__CLIPPED(a, r);
    if (r.saturate) a = a < r.low ? r.low : a > r.high ? r.high : a;
    return (int64)a;
}

/* As the core starts, and shifted by 32 at most, a result lies in the lower word of its lane: of eight lanes, or of
 * four twice. */
TW__AIE unsigned tw__just_shifts80(int shift)
{
    return tw__just_shifts(shift, 16);
}
TW__AIE tw__i32x8 tw__low_of80(const tw__u64x4 *p, unsigned pieces, unsigned s)
{
    const tw__i32x8 a = (tw__i32x8)(p[0] >> s), b = (tw__i32x8)(p[1] >> s);
    const tw__i32x8 c = (tw__i32x8)(p[pieces - 2] >> s), d = (tw__i32x8)(p[pieces - 1] >> s);
    const tw__i32x8 low = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);  /* 0 2 . . 1 3 . . */
    const tw__i32x8 high = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14); /* 4 6 . . 5 7 . . */
    return __builtin_shufflevector(low, high, 0, 4, 1, 5, 8, 12, 9, 13);
}

/* --- srs ------------------------------------------------------------------------------------------------------ */

typedef int16_t tw__i16x8 __attribute__((vector_size(16), aligned(16), may_alias));
typedef int8_t tw__i8x16 __attribute__((vector_size(16), aligned(16), may_alias));

/* Of 8 or 16 shifted words the low 16 or 32 bits. */
TW__AIE tw__i32x8 tw__low32(tw__u64x4 a, tw__u64x4 b)
{
    const tw__i32x8 v = (tw__i32x8)a, w = (tw__i32x8)b;
    return __builtin_shufflevector(v, w, 0, 2, 4, 6, 8, 10, 12, 14);
}
TW__AIE tw__i16x8 tw__low16(tw__u64x4 a, tw__u64x4 b)
{
    const tw__i16x16 v = (tw__i16x16)a, w = (tw__i16x16)b;
    return __builtin_shufflevector(v, w, 0, 4, 8, 12, 16, 20, 24, 28);
}
/* Steps that are one instruction each: words 0 1 4 5 2 3 6 7, 8 9 12 13 10 11 14 15, both in turn, in order. */
TW__AIE tw__i16x16 tw__low16x16(tw__quad q)
{
    const tw__i32x8 a = (tw__i32x8)q.piece[0], b = (tw__i32x8)q.piece[1];
    const tw__i32x8 c = (tw__i32x8)q.piece[2], d = (tw__i32x8)q.piece[3];
    const tw__u32x8 low = (tw__u32x8)__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
    const tw__u32x8 high = (tw__u32x8)__builtin_shufflevector(c, d, 0, 2, 8, 10, 4, 6, 12, 14);
    const tw__i16x16 both = (tw__i16x16)((low & 0xffff) | high << 16);
    const tw__i32x8 w =
        (tw__i32x8)__builtin_shufflevector(both, both, 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
    return (tw__i16x16)__builtin_shufflevector(w, w, 0, 4, 1, 5, 2, 6, 3, 7);
}

/* X(name, accumulator, result, its 8 words, words, bits) */
#define TW__SRS48_LIST(X)                                     \
    X(srs, v8acc48, v8int16, tw__low16, tw__i16x8, 8, 16)     \
    X(srs, v4cacc48, v4cint16, tw__low16, tw__i16x8, 8, 16)   \
    X(lsrs, v8acc48, v8int32, tw__low32, tw__i32x8, 8, 32)    \
    X(lsrs, v16acc48, v16int32, tw__low32, tw__i32x8, 16, 32) \
    X(lsrs, v4cacc48, v4cint32, tw__low32, tw__i32x8, 8, 32)  \
    X(lsrs, v8cacc48, v8cint32, tw__low32, tw__i32x8, 16, 32)
#define TW__SRS48(name, from, to, low, part, words, bits)                     \
    TW__AIE to TW__N(name, tw_##name##_##from)(from a, int shift)             \
    {                                                                         \
        TW__DEFINED(#name, &a, sizeof a);                                     \
        to r;                                                                 \
        const tw__quad q = tw__shifted(a.piece, (words) / 4, shift, bits, 0); \
        const part v = low(q.piece[0], q.piece[1]);                           \
        TW__COUNT(STORE, 1);                                                  \
        __builtin_memcpy(&r, &v, sizeof v);                                   \
        if (words == 16) {                                                    \
            const part w = low(q.piece[2], q.piece[3]);                       \
            __builtin_memcpy((char *)&r + sizeof r - sizeof w, &w, sizeof w); \
        }                                                                     \
        return r;                                                             \
    }
TW__SRS48_LIST(TW__SRS48)
#define TW__SRS16(from, to)                                                       \
    TW__AIE to TW__N(srs, tw_srs_##from)(from a, int shift)                       \
    {                                                                             \
        to r;                                                                     \
        TW__DEFINED("srs", &a, sizeof a);                                         \
        const tw__i16x16 v = tw__low16x16(tw__shifted(a.piece, 4, shift, 16, 0)); \
        TW__COUNT(STORE, 1);                                                      \
        __builtin_memcpy(&r, &v, sizeof r);                                       \
        return r;                                                                 \
    }
TW__SRS16(v16acc48, v16int16)
TW__SRS16(v8cacc48, v8cint16)

/* X(name, accumulator, result, component, words, bits) */
#define TW__SRS80_LIST(X)                     \
    X(srs, v4acc80, v4int32, int32, 4, 32)    \
    X(srs, v8acc80, v8int32, int32, 8, 32)    \
    X(srs, v2cacc80, v2cint32, int32, 4, 32)  \
    X(srs, v4cacc80, v4cint32, int32, 8, 32)  \
    X(lsrs, v4acc80, v4int64, int64, 4, 64)   \
    X(lsrs, v8acc80, v8int64, int64, 8, 64)   \
    X(lsrs, v2cacc80, v2cint64, int64, 4, 64) \
    X(lsrs, v4cacc80, v4cint64, int64, 8, 64)
#define TW__SRS80(name, from, to, component, words, bits)                            \
    TW__AIE to TW__N(name, tw_##name##_##from)(from a, int shift)                    \
    {                                                                                \
        to r;                                                                        \
        component v[words];                                                          \
        TW__DEFINED(#name, &a, sizeof a);                                            \
        if (bits == 32 && tw__just_shifts80(shift)) {                                \
            const tw__i32x8 w = tw__low_of80(a.piece, (words) / 2, (unsigned)shift); \
            TW__COUNT(STORE, 1);                                                     \
            __builtin_memcpy(&r, &w, sizeof r < sizeof w ? sizeof r : sizeof w);     \
            return r;                                                                \
        }                                                                            \
        const tw__rounding m = tw__rounding_of(shift, bits, 0);                      \
        TW__COUNT(STORE, 1);                                                         \
        v[0] = (component)tw__srs80(a.word[0], m);                                   \
        v[1] = (component)tw__srs80(a.word[1], m);                                   \
        v[2] = (component)tw__srs80(a.word[2], m);                                   \
        v[3] = (component)tw__srs80(a.word[3], m);                                   \
        if (words == 8) {                                                            \
            v[words - 4] = (component)tw__srs80(a.word[words - 4], m);               \
            v[words - 3] = (component)tw__srs80(a.word[words - 3], m);               \
            v[words - 2] = (component)tw__srs80(a.word[words - 2], m);               \
            v[words - 1] = (component)tw__srs80(a.word[words - 1], m);               \
        }                                                                            \
        __builtin_memcpy(&r, v, sizeof r);                                           \
        return r;                                                                    \
    }
TW__SRS80_LIST(TW__SRS80)

#define TW__BSRS(name, to, is_unsigned)                                                                         \
    TW__AIE to TW__N(name, tw_##name##_v16acc48)(v16acc48 a, int shift)                                         \
    {                                                                                                           \
        TW__DEFINED(#name, &a, sizeof a);                                                                       \
        const tw__quad q = tw__shifted(a.piece, 4, shift, 8, is_unsigned);                                      \
        const tw__i8x16 low = (tw__i8x16)tw__low16(q.piece[0], q.piece[1]);                                     \
        const tw__i8x16 high = (tw__i8x16)tw__low16(q.piece[2], q.piece[3]);                                    \
        TW__COUNT(STORE, 1);                                                                                    \
        return TW__WRAP(                                                                                        \
            to, __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)); \
    }
TW__BSRS(bsrs, v16int8, 0)
TW__BSRS(ubsrs, v16uint8, 1)

/* Lanes of the halves of a BM, alternating. X(name, plain name, accumulator, result, lane bytes) */
#define TW__ILV_LIST(X)                      \
    X(srs_ilv, srs, v16acc48, v16int16, 2)   \
    X(srs_ilv, srs, v8cacc48, v8cint16, 4)   \
    X(srs_ilv, srs, v8acc80, v8int32, 4)     \
    X(srs_ilv, srs, v4cacc80, v4cint32, 8)   \
    X(lsrs_ilv, lsrs, v16acc48, v16int32, 4) \
    X(lsrs_ilv, lsrs, v8cacc48, v8cint32, 8) \
    X(lsrs_ilv, lsrs, v8acc80, v8int64, 8)   \
    X(lsrs_ilv, lsrs, v4cacc80, v4cint64, 16)
#define TW__ILV(name, plain, from, to, bytes)                                                               \
    TW__AIE to TW__N(name, tw_##name##_##from)(from a, int shift)                                           \
    {                                                                                                       \
        to r, v = TW__N(plain, tw_##plain##_##from)(a, shift);                                              \
        for (unsigned k = 0; k < sizeof r / (2 * bytes); k++) {                                             \
            __builtin_memcpy((char *)&r + 2 * k * bytes, (const char *)&v + k * bytes, bytes);              \
            __builtin_memcpy((char *)&r + (2 * k + 1) * bytes, (const char *)&v + sizeof r / 2 + k * bytes, \
                             bytes);                                                                        \
        }                                                                                                   \
        return r;                                                                                           \
    }
TW__ILV_LIST(TW__ILV)

#ifndef __cplusplus
#define TW__A_srs(from) \
    from:               \
    tw_srs_##from
#define TW__A_lsrs(from) \
    from:                \
    tw_lsrs_##from
#define TW__A_ilv(n, from) \
    from:                  \
    tw_##n##_##from
#define srs(a, s)                       \
    TW__CALLED(_Generic((a),            \
                   TW__A_srs(v8acc48),  \
                   TW__A_srs(v16acc48), \
                   TW__A_srs(v4cacc48), \
                   TW__A_srs(v8cacc48), \
                   TW__A_srs(v4acc80),  \
                   TW__A_srs(v8acc80),  \
                   TW__A_srs(v2cacc80), \
                   TW__A_srs(v4cacc80))(a, s))
#define lsrs(a, s)                       \
    TW__CALLED(_Generic((a),             \
                   TW__A_lsrs(v8acc48),  \
                   TW__A_lsrs(v16acc48), \
                   TW__A_lsrs(v4cacc48), \
                   TW__A_lsrs(v8cacc48), \
                   TW__A_lsrs(v4acc80),  \
                   TW__A_lsrs(v8acc80),  \
                   TW__A_lsrs(v2cacc80), \
                   TW__A_lsrs(v4cacc80))(a, s))
#define TW__ILV_C(n, a, s)                 \
    TW__CALLED(_Generic((a),               \
                   TW__A_ilv(n, v16acc48), \
                   TW__A_ilv(n, v8cacc48), \
                   TW__A_ilv(n, v8acc80),  \
                   TW__A_ilv(n, v4cacc80))(a, s))
#define srs_ilv(a, s)  TW__ILV_C(srs_ilv, a, s)
#define lsrs_ilv(a, s) TW__ILV_C(lsrs_ilv, a, s)
#define bsrs(a, s)     TW__CALLED(tw_bsrs_v16acc48(a, s))
#define ubsrs(a, s)    TW__CALLED(tw_ubsrs_v16acc48(a, s))
#endif

#endif
