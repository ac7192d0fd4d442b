/* SPDX-License-Identifier: MIT */
/* convert: conversions of contiguous elements, from the scalar code of the type box (type/convert.h) and the casts of
 * C. One row per pair of types and group of modes; everything without a row goes element by element through
 * tw_convert() (src/core/vec/convert.c), or in two steps through f32 where the first one is exact. */
#include "core/vec/kernels/lane.h"
#include "core/type/convert.h"
#ifdef __F16C__
#include <immintrin.h>
#endif

#define LOOP(name, To, From, expression)                                     \
    static void name(size_t n, void *dv, const void *sv, const tw__how *how) \
    {                                                                        \
        typedef TW_IN_MEMORY(To) result;                                     \
        typedef TW_IN_MEMORY(From) source;                                   \
        result *d = dv;                                                      \
        const source *s = sv;                                                \
        (void)how;                                                           \
        TW_SIMD for (size_t i = 0; i < n; i++)                               \
        {                                                                    \
            From a = s[i];                                                   \
            d[i] = (To)(expression);                                         \
        }                                                                    \
    }
#define RANDOM (how->random ? how->random[i] : 0)

/* The instructions round as tw__f32_to_f16 does and treat NaN alike; compilers do not find them by themselves. */
#if defined(__AVX512F__)
static void f32_from_f16(size_t n, void *d, const void *s, const tw__how *how)
{
    float *to = d;
    const uint16_t *from = s;
    (void)how;
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(from + i))));
    if (i < n) {
        __mmask16 rest = (__mmask16)((1u << (n - i)) - 1);
        _mm512_mask_storeu_ps(to + i, rest, _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(rest, from + i)));
    }
}
/* Clamped: infinities, given or made, become the largest finite value. NaN passes both, as the second operand
 * does. */
static inline __m256i halves_of(__m512 x, bool clamped)
{
    const __m512 most = _mm512_set1_ps(65504.0f), least = _mm512_set1_ps(-65504.0f);
    if (clamped) x = _mm512_max_ps(least, _mm512_min_ps(most, x));
    return _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline void convert_narrow(size_t n, uint16_t *to, const float *from, bool clamped)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(void *)(to + i), halves_of(_mm512_loadu_ps(from + i), clamped));
    if (i < n) {
        __mmask16 rest = (__mmask16)((1u << (n - i)) - 1);
        _mm256_mask_storeu_epi16(to + i, rest, halves_of(_mm512_maskz_loadu_ps(rest, from + i), clamped));
    }
}
#elif defined(__F16C__)
static void f32_from_f16(size_t n, void *d, const void *s, const tw__how *how)
{
    typedef TW_IN_MEMORY(float) result;
    typedef TW_IN_MEMORY(uint16_t) source;
    result *to = d;
    const source *from = s;
    (void)how;
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps((float *)(void *)(to + i),
                         _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(from + i))));
    for (; i < n; i++) to[i] = tw__f16_to_f32(from[i]);
}
static inline void convert_narrow(size_t n, uint16_t *d, const float *s, bool clamped)
{
    typedef TW_IN_MEMORY(uint16_t) result;
    typedef TW_IN_MEMORY(float) source;
    result *to = d;
    const source *from = s;
    const __m256 most = _mm256_set1_ps(65504.0f), least = _mm256_set1_ps(-65504.0f);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256 x = _mm256_loadu_ps((const float *)(const void *)(from + i));
        if (clamped) x = _mm256_max_ps(least, _mm256_min_ps(most, x)); /* NaN passes as the second operand */
        _mm_storeu_si128((__m128i *)(void *)(to + i),
                         _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    for (; i < n; i++) to[i] = tw__f32_to_f16(from[i], TW_ROUND_NEAREST_EVEN, clamped ? TW_SAT_ON : TW_SAT_NONE, 0);
}
#else
LOOP(f32_from_f16, float, uint16_t, tw__f16_to_f32(a))
LOOP(f16_from_f32, uint16_t, float, tw__f32_to_f16(a, TW_ROUND_NEAREST_EVEN, TW_SAT_NONE, 0))
LOOP(f16_from_f32_sat, uint16_t, float, tw__f32_to_f16(a, TW_ROUND_NEAREST_EVEN, TW_SAT_ON, 0))
#endif
#ifdef __F16C__
static void f16_from_f32(size_t n, void *d, const void *s, const tw__how *how)
{
    (void)how;
    convert_narrow(n, d, s, false);
}
static void f16_from_f32_sat(size_t n, void *d, const void *s, const tw__how *how)
{
    (void)how;
    convert_narrow(n, d, s, true);
}
#endif
LOOP(f16_from_f32_any, uint16_t, float, tw__f32_to_f16(a, how->mode.rounding, how->mode.saturation, RANDOM))
LOOP(f32_from_bf16, float, uint16_t, tw__bf16_to_f32(a))
LOOP(bf16_from_f32, uint16_t, float, tw__f32_to_bf16(a, TW_ROUND_NEAREST_EVEN, TW_SAT_NONE, 0))
LOOP(bf16_from_f32_sat, uint16_t, float, tw__f32_to_bf16(a, TW_ROUND_NEAREST_EVEN, TW_SAT_ON, 0))
LOOP(bf16_from_f32_any, uint16_t, float, tw__f32_to_bf16(a, how->mode.rounding, how->mode.saturation, RANDOM))
LOOP(f16_from_f64, uint16_t, double, tw__f64_to_f16(a, TW_ROUND_NEAREST_EVEN, TW_SAT_NONE))
LOOP(bf16_from_f64, uint16_t, double, tw__f64_to_bf16(a, TW_ROUND_NEAREST_EVEN, TW_SAT_NONE))

/* Between f32 and f64 the hardware keeps the top of a NaN's payload and makes it quiet, as the type box does. */
LOOP(f64_from_f32, double, float, a)
LOOP(f32_from_f64, float, double, a)

/* X(name, C type, bits, signed) */
// clang-format off
#define SMALL_INTS(X) X(I8, int8_t, 8, 1) X(I16, int16_t, 16, 1) X(U8, uint8_t, 8, 0) X(U16, uint16_t, 16, 0)
#define INTS(X) SMALL_INTS(X) X(I32, int32_t, 32, 1) X(U32, uint32_t, 32, 0)
#define ALL_INTS(X) INTS(X) X(I64, int64_t, 64, 1) X(U64, uint64_t, 64, 0)
// clang-format on

#define FROM_INT(name, T, bits, is_signed) \
    LOOP(f32_from_##name, float, T, a)     \
    LOOP(f64_from_##name, double, T, a)
ALL_INTS(FROM_INT)

#define TO_INT(name, T, bits, is_signed)                                                                     \
    LOOP(name##_even, T, float, tw__f32_to_int(a, bits, is_signed, TW_ROUND_NEAREST_EVEN, TW_SAT_NONE, 0))   \
    LOOP(name##_zero, T, float, tw__f32_to_int(a, bits, is_signed, TW_ROUND_ZERO, TW_SAT_NONE, 0))           \
    LOOP(name##_even_sat, T, float, tw__f32_to_int(a, bits, is_signed, TW_ROUND_NEAREST_EVEN, TW_SAT_ON, 0)) \
    LOOP(name##_zero_sat, T, float, tw__f32_to_int(a, bits, is_signed, TW_ROUND_ZERO, TW_SAT_ON, 0))         \
    LOOP(name##_any, T, float, tw__f32_to_int(a, bits, is_signed, how->mode.rounding, how->mode.saturation, RANDOM))
INTS(TO_INT)

/* Doubles, and floats to 64-bit integers, as tw_convert: NaN is 0 when clamped, else it and infinity give the
 * minimum; wrapping keeps the low bits of the rounded value, however large. */
static inline uint64_t low_bits_of(double integral)
{
    if (integral > -0x1p63 && integral < 0x1p63) return (uint64_t)(int64_t)integral;
    uint64_t bits = tw__f64_bits(integral), mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    unsigned shift = (unsigned)(bits >> 52 & 0x7ff) - 1075;
    uint64_t low = shift < 64 ? mantissa << shift : 0;
    return bits >> 63 ? 0 - low : low;
}
static inline uint64_t integer_of(double r, unsigned bits, bool is_signed, bool clamped)
{
    uint64_t max = ~UINT64_C(0) >> (64 - bits + is_signed), min = is_signed ? ~max : 0;
    if (!clamped) return r - r == 0 ? low_bits_of(r) : min;
    double end = is_signed ? (double)(UINT64_C(1) << (bits - 1)) : 2.0 * (double)(UINT64_C(1) << (bits - 1));
    if (r >= end) return max;
    if (r <= (is_signed ? -end : 0.0)) return min;
    return r != r ? 0 : is_signed ? (uint64_t)(int64_t)r : (uint64_t)r;
}
#define TO_INT_WIDE(name, T, bits, is_signed, From, from)                                                      \
    LOOP(name##_from_##from##_even, T, From, integer_of(__builtin_rint((double)a), bits, is_signed, false))    \
    LOOP(name##_from_##from##_zero, T, From, integer_of(__builtin_trunc((double)a), bits, is_signed, false))   \
    LOOP(name##_from_##from##_even_sat, T, From, integer_of(__builtin_rint((double)a), bits, is_signed, true)) \
    LOOP(name##_from_##from##_zero_sat, T, From, integer_of(__builtin_trunc((double)a), bits, is_signed, true))
#define FROM_F64(name, T, bits, is_signed) TO_INT_WIDE(name, T, bits, is_signed, double, f64)
ALL_INTS(FROM_F64)
TO_INT_WIDE(I64, int64_t, 64, 1, float, f32)
TO_INT_WIDE(U64, uint64_t, 64, 0, float, f32)

/* Integers among themselves: wrapping keeps the low bits, so a destination's signedness does not matter; saturating
 * clamps in 64 bits. */
#define WRAP(from, T, ...)                \
    LOOP(u8_from_##from, uint8_t, T, a)   \
    LOOP(u16_from_##from, uint16_t, T, a) \
    LOOP(u32_from_##from, uint32_t, T, a) \
    LOOP(u64_from_##from, uint64_t, T, a)
ALL_INTS(WRAP)
#define CLAMP_TO(to, from, T, F, bits, is_signed)                                                           \
    LOOP(to##_from_##from##_sat, T, F,                                                                      \
         clamp(a, is_signed ? -((int64_t)1 << (bits - 1)) + (how->mode.saturation == TW_SAT_SYMMETRIC) : 0, \
               ((int64_t)1 << (bits - is_signed)) - 1))
#define clamp(x, low, high) ((int64_t)(x) < (low) ? (low) : (int64_t)(x) > (high) ? (high) : (int64_t)(x))
#define CLAMP_FROM(from, F)                 \
    CLAMP_TO(I8, from, int8_t, F, 8, 1)     \
    CLAMP_TO(U8, from, uint8_t, F, 8, 0)    \
    CLAMP_TO(I16, from, int16_t, F, 16, 1)  \
    CLAMP_TO(U16, from, uint16_t, F, 16, 0) \
    CLAMP_TO(I32, from, int32_t, F, 32, 1)  \
    CLAMP_TO(U32, from, uint32_t, F, 32, 0)
CLAMP_FROM(I8, int8_t)
CLAMP_FROM(U8, uint8_t)
CLAMP_FROM(I16, int16_t)
CLAMP_FROM(U16, uint16_t)
CLAMP_FROM(I32, int32_t)
CLAMP_FROM(U32, uint32_t)
CLAMP_FROM(I64, int64_t)

enum { ANY = -1, EVEN = TW_ROUND_NEAREST_EVEN, ZERO = TW_ROUND_ZERO };

/* The first row that fits wins. Casts round integers and doubles to nearest even: other modes have no row. */
// clang-format off
const tw__conversion TW_LEVELLED(tw__conversions)[] = {
    { TW_F16, TW_F32, ANY, ANY, f32_from_f16 },
    { TW_F32, TW_F16, EVEN, 0, f16_from_f32 },
    { TW_F32, TW_F16, EVEN, 1, f16_from_f32_sat },
    { TW_F32, TW_F16, ANY, ANY, f16_from_f32_any },
    { TW_BF16, TW_F32, ANY, ANY, f32_from_bf16 },
    { TW_F32, TW_BF16, EVEN, 0, bf16_from_f32 },
    { TW_F32, TW_BF16, EVEN, 1, bf16_from_f32_sat },
    { TW_F32, TW_BF16, ANY, ANY, bf16_from_f32_any },
    { TW_F64, TW_F16, EVEN, 0, f16_from_f64 },
    { TW_F64, TW_BF16, EVEN, 0, bf16_from_f64 },
    { TW_F32, TW_F64, ANY, ANY, f64_from_f32 },
    { TW_F64, TW_F32, EVEN, 0, f32_from_f64 },
#define ROWS(name, T, bits, is_signed)                                   \
    { TW_##name, TW_F32, bits < 32 ? ANY : EVEN, ANY, f32_from_##name }, \
    { TW_##name, TW_F64, bits < 64 ? ANY : EVEN, ANY, f64_from_##name },
    ALL_INTS(ROWS)
#undef ROWS
#define ROWS(name, T, bits, is_signed)                                                                    \
    { TW_F32, TW_##name, EVEN, 0, name##_even }, { TW_F32, TW_##name, ZERO, 0, name##_zero },             \
    { TW_F32, TW_##name, EVEN, 1, name##_even_sat }, { TW_F32, TW_##name, ZERO, 1, name##_zero_sat }, \
    { TW_F32, TW_##name, ANY, ANY, name##_any },
    INTS(ROWS)
#undef ROWS
#define ROWS_OF(from, name, loop)                                                                   \
    { TW_##from, TW_##name, EVEN, 0, loop##_even }, { TW_##from, TW_##name, ZERO, 0, loop##_zero }, \
    { TW_##from, TW_##name, EVEN, 1, loop##_even_sat }, { TW_##from, TW_##name, ZERO, 1, loop##_zero_sat },
#define ROWS(name, T, bits, is_signed) ROWS_OF(F64, name, name##_from_f64)
    ALL_INTS(ROWS)
#undef ROWS
    ROWS_OF(F32, I64, I64_from_f32) ROWS_OF(F32, U64, U64_from_f32)
#define ROWS(from, T, bits, is_signed)                                                                  \
    { TW_##from, TW_U8, ANY, 0, u8_from_##from }, { TW_##from, TW_I8, ANY, 0, u8_from_##from },         \
    { TW_##from, TW_U16, ANY, 0, u16_from_##from }, { TW_##from, TW_I16, ANY, 0, u16_from_##from }, \
    { TW_##from, TW_U32, ANY, 0, u32_from_##from }, { TW_##from, TW_I32, ANY, 0, u32_from_##from }, \
    { TW_##from, TW_U64, ANY, 0, u64_from_##from }, { TW_##from, TW_I64, ANY, 0, u64_from_##from },
    ALL_INTS(ROWS)
#undef ROWS
#define ROWS(from)                                                                                              \
    { TW_##from, TW_I8, ANY, ANY, I8_from_##from##_sat }, { TW_##from, TW_U8, ANY, ANY, U8_from_##from##_sat }, \
    { TW_##from, TW_I16, ANY, ANY, I16_from_##from##_sat },                                                 \
    { TW_##from, TW_U16, ANY, ANY, U16_from_##from##_sat },                                                 \
    { TW_##from, TW_I32, ANY, ANY, I32_from_##from##_sat },                                                 \
    { TW_##from, TW_U32, ANY, ANY, U32_from_##from##_sat },
    ROWS(I8) ROWS(U8) ROWS(I16) ROWS(U16) ROWS(I32) ROWS(U32) ROWS(I64)
#undef ROWS
    { TW_TYPE_NONE, TW_TYPE_NONE, 0, 0, NULL }
};
// clang-format on
