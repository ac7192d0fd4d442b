/* SPDX-License-Identifier: MIT */
/* Blocks of elements with rows and columns exchanged in registers. A register holds 16 bytes of one row in each
 * 128-bit lane, of rows far enough apart that zipping registers within lanes, log2 times, leaves whole columns. */
#include "core/vec/kernels/lane.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* One lane: the instructions of every machine. */
typedef uint8_t lane __attribute__((vector_size(16)));
typedef uint16_t lane16 __attribute__((vector_size(16)));
typedef uint32_t lane32 __attribute__((vector_size(16)));
typedef uint64_t lane64 __attribute__((vector_size(16)));

#define LANE_LOW_8(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define LANE_HIGH_8(a, b) \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LANE_LOW_16(a, b)  (lane) __builtin_shufflevector((lane16)(a), (lane16)(b), 0, 8, 1, 9, 2, 10, 3, 11)
#define LANE_HIGH_16(a, b) (lane) __builtin_shufflevector((lane16)(a), (lane16)(b), 4, 12, 5, 13, 6, 14, 7, 15)
#define LANE_LOW_32(a, b)  (lane) __builtin_shufflevector((lane32)(a), (lane32)(b), 0, 4, 1, 5)
#define LANE_HIGH_32(a, b) (lane) __builtin_shufflevector((lane32)(a), (lane32)(b), 2, 6, 3, 7)
#define LANE_LOW_64(a, b)  (lane) __builtin_shufflevector((lane64)(a), (lane64)(b), 0, 2)
#define LANE_HIGH_64(a, b) (lane) __builtin_shufflevector((lane64)(a), (lane64)(b), 1, 3)

static inline lane lane_load(const char *p, ptrdiff_t step)
{
    lane v;
    (void)step;
    memcpy(&v, p, sizeof v);
    return v;
}

/* A register of several lanes, `step` bytes apart in memory. */
#if defined(__AVX512F__)
typedef __m512i wide;
#define WIDE_LOW(bits, a, b)  _mm512_unpacklo_epi##bits(a, b)
#define WIDE_HIGH(bits, a, b) _mm512_unpackhi_epi##bits(a, b)
static inline wide wide_load(const char *p, ptrdiff_t step)
{
    wide v = _mm512_castsi128_si512(_mm_loadu_si128((const void *)p));
    v = _mm512_mask_broadcast_i32x4(v, 0x00f0, _mm_loadu_si128((const void *)(p + step)));
    v = _mm512_mask_broadcast_i32x4(v, 0x0f00, _mm_loadu_si128((const void *)(p + 2 * step)));
    return _mm512_mask_broadcast_i32x4(v, 0xf000, _mm_loadu_si128((const void *)(p + 3 * step)));
}
#elif defined(__AVX2__)
typedef __m256i wide;
#define WIDE_LOW(bits, a, b)  _mm256_unpacklo_epi##bits(a, b)
#define WIDE_HIGH(bits, a, b) _mm256_unpackhi_epi##bits(a, b)
static inline wide wide_load(const char *p, ptrdiff_t step)
{
    wide v = _mm256_castsi128_si256(_mm_loadu_si128((const void *)p));
    return _mm256_inserti128_si256(v, _mm_loadu_si128((const void *)(p + step)), 1);
}
#else
typedef lane wide;
#define WIDE_LOW(bits, a, b)  LANE_LOW_##bits(a, b)
#define WIDE_HIGH(bits, a, b) LANE_HIGH_##bits(a, b)
static inline wide wide_load(const char *p, ptrdiff_t step)
{
    return lane_load(p, step);
}
#endif

#define LANE_LOW(bits, a, b)  LANE_LOW_##bits(a, b)
#define LANE_HIGH(bits, a, b) LANE_HIGH_##bits(a, b)

/* N columns of as many rows as a register has elements, `blocks` times along the rows; N = elements of a lane. Not
 * inlined: the loop needs every register for its addresses. */
#define STRIP(name, reg, REG, bits)                                                                               \
    static __attribute__((noinline)) void name(size_t blocks, char *d, ptrdiff_t dr, const char *s, ptrdiff_t sr) \
    {                                                                                                             \
        enum { N = 128 / bits };                                                                                  \
        for (; blocks > 0; blocks--, d += N * dr, s += 16) {                                                      \
            reg a[N], b[N];                                                                                       \
            UNROLL for (int i = 0; i < N; i++) a[i] = reg##_load(s + i * sr, N * sr);                             \
            UNROLL for (int stage = 1; stage < N; stage *= 2)                                                     \
            {                                                                                                     \
                UNROLL for (int i = 0; i < N / 2; i++)                                                            \
                {                                                                                                 \
                    b[2 * i] = REG##_LOW(bits, a[i], a[i + N / 2]);                                               \
                    b[2 * i + 1] = REG##_HIGH(bits, a[i], a[i + N / 2]);                                          \
                }                                                                                                 \
                UNROLL for (int i = 0; i < N; i++) a[i] = b[i];                                                   \
            }                                                                                                     \
            UNROLL for (int i = 0; i < N; i++) memcpy(d + i * dr, &a[i], sizeof a[i]);                            \
        }                                                                                                         \
    }

/* Rows and columns that fill no block go one by one. */
#define TURN(bits)                                                                                                 \
    STRIP(wide_##bits, wide, WIDE, bits)                                                                           \
    STRIP(lane_##bits, lane, LANE, bits)                                                                           \
    static void one_by_one_##bits(size_t rows, size_t columns, char *d, ptrdiff_t dr, const char *s, ptrdiff_t sr) \
    {                                                                                                              \
        for (size_t j = 0; j < columns; j++)                                                                       \
            for (size_t i = 0; i < rows; i++)                                                                      \
                memcpy(d + (ptrdiff_t)j * dr + i * bits / 8, s + (ptrdiff_t)i * sr + j * bits / 8, bits / 8);      \
    }                                                                                                              \
    static void turn_##bits(size_t rows, size_t columns, void *dv, ptrdiff_t dr, const void *sv, ptrdiff_t sr)     \
    {                                                                                                              \
        enum { SIZE = bits / 8, N = 128 / bits, HIGH = sizeof(wide) / SIZE };                                      \
        size_t blocks = columns / N, left = columns % N, i = 0;                                                    \
        char *d = dv;                                                                                              \
        const char *s = sv;                                                                                        \
        for (; i + HIGH <= rows; i += HIGH) wide_##bits(blocks, d + i * SIZE, dr, s + (ptrdiff_t)i * sr, sr);      \
        for (; i + N <= rows; i += N) lane_##bits(blocks, d + i * SIZE, dr, s + (ptrdiff_t)i * sr, sr);            \
        if (i < rows) one_by_one_##bits(rows - i, columns - left, d + i * SIZE, dr, s + (ptrdiff_t)i * sr, sr);    \
        if (left) one_by_one_##bits(rows, left, d + (ptrdiff_t)(columns - left) * dr, dr, s + blocks * 16, sr);    \
    }

TURN(8)
TURN(16)
TURN(32)
TURN(64)

tw__turn *const TW_LEVELLED(tw__turns)[4] = { turn_8, turn_16, turn_32, turn_64 };
