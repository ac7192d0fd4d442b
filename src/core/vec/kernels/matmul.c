/* SPDX-License-Identifier: MIT */
/* matmul: strips of a matrix product, 4 rows by a few vectors in registers. Each element of the product is a plain
 * sum over the depth in ascending order, so the width of a vector does not show. */
#include "core/vec/kernels/lane.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#define VECTOR 64
#define ACROSS 4 /* vectors of a row in registers */
#elif defined(__AVX2__)
#include <immintrin.h>
#define VECTOR 32
#define ACROSS 2
#else
#define VECTOR 16
#define ACROSS 2
#endif

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* Sums are loaded and stored vector by vector: copied as arrays they would live in memory. */
// clang-format off
#define STRIP(name, T, STEP, FINISH)                                                                           \
    static void name(size_t rows, size_t depth, void *acc, size_t pitch, const void *av, const void *bv,       \
                     bool add)                                                                                 \
    {                                                                                                          \
        typedef T vector __attribute__((vector_size(VECTOR)));                                                 \
        typedef T memory __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));                  \
        enum { LANES = VECTOR / sizeof(T) };                                                                   \
        const T *a = av;                                                                                       \
        for (size_t row = 0; row < rows; row += 4)                                                             \
            for (size_t column = 0; column < TW__STRIP; column += ACROSS * LANES) {                            \
                T *c = (T *)acc + row * pitch + column;                                                        \
                const T *b = (const T *)bv + column;                                                           \
                vector sum[4][ACROSS], right[ACROSS];                                                          \
                UNROLL for (size_t r = 0; r < 4; r++)                                                          \
                    UNROLL for (size_t v = 0; v < ACROSS; v++) {                                               \
                        const memory *from = (const void *)(c + r * pitch + v * LANES);                        \
                        sum[r][v] = (vector){ 0 };                                                             \
                        if (add) sum[r][v] = *from;                                                            \
                    }                                                                                          \
                for (size_t k = 0; k < depth; k++, b += TW__STRIP) {                                           \
                    UNROLL for (size_t v = 0; v < ACROSS; v++)                                                 \
                        right[v] = *(const memory *)(const void *)(b + v * LANES);                             \
                    UNROLL for (size_t r = 0; r < 4; r++) {                                                    \
                        T left = a[(row + r) * depth + k];                                                     \
                        UNROLL for (size_t v = 0; v < ACROSS; v++)                                             \
                            sum[r][v] = STEP(sum[r][v], left, right[v]);                                       \
                    }                                                                                          \
                }                                                                                              \
                UNROLL for (size_t r = 0; r < 4; r++)                                                          \
                    UNROLL for (size_t v = 0; v < ACROSS; v++) {                                               \
                        memory *to = (void *)(c + r * pitch + v * LANES);                                      \
                        *to = FINISH(sum[r][v]);                                                               \
                    }                                                                                          \
            }                                                                                                  \
    }
// clang-format on
/* A NaN is the canonical one, as everywhere; a comparison of vectors gives all ones where it holds. */
typedef uint32_t bits32 __attribute__((vector_size(VECTOR)));
typedef uint64_t bits64 __attribute__((vector_size(VECTOR)));
#define NUMBERS(bits, x, nan)     (vector)((((bits)((x) == (x))) & (bits)(x)) | (~(bits)((x) == (x)) & nan))
#define NUMBERS_F32(x)            NUMBERS(bits32, x, 0x7fc00000u)
#define NUMBERS_F64(x)            NUMBERS(bits64, x, UINT64_C(0x7ff8000000000000))
#define AS_IT_IS(x)               (x)
#define MUL_ADD(sum, left, right) ((sum) + (left) * (right))
STRIP(strip_f32, float, MUL_ADD, NUMBERS_F32)
STRIP(strip_f64, double, MUL_ADD, NUMBERS_F64)
STRIP(strip_u32, uint32_t, MUL_ADD, AS_IT_IS)
STRIP(strip_u64, uint64_t, MUL_ADD, AS_IT_IS)

/* Fused: vector instructions, or element by element through fma(), which is exact everywhere. */
#if defined(__AVX512F__)
#define FMA_F32(sum, left, right) (vector) _mm512_fmadd_ps(_mm512_set1_ps(left), (__m512)(right), (__m512)(sum))
#define FMA_F64(sum, left, right) (vector) _mm512_fmadd_pd(_mm512_set1_pd(left), (__m512d)(right), (__m512d)(sum))
STRIP(fused_f32, float, FMA_F32, NUMBERS_F32)
STRIP(fused_f64, double, FMA_F64, NUMBERS_F64)
#elif defined(__AVX2__)
#define FMA_F32(sum, left, right) (vector) _mm256_fmadd_ps(_mm256_set1_ps(left), (__m256)(right), (__m256)(sum))
#define FMA_F64(sum, left, right) (vector) _mm256_fmadd_pd(_mm256_set1_pd(left), (__m256d)(right), (__m256d)(sum))
STRIP(fused_f32, float, FMA_F32, NUMBERS_F32)
STRIP(fused_f64, double, FMA_F64, NUMBERS_F64)
#else
#define FUSED(name, T, fma_)                                                                              \
    static void name(size_t rows, size_t depth, void *accv, size_t pitch, const void *av, const void *bv, \
                     bool add)                                                                            \
    {                                                                                                     \
        for (size_t row = 0; row < rows; row++) {                                                         \
            T *acc = (T *)accv + row * pitch;                                                             \
            const T *a = (const T *)av + row * depth, *b = bv;                                            \
            if (!add) memset(acc, 0, TW__STRIP * sizeof(T));                                              \
            for (size_t k = 0; k < depth; k++, b += TW__STRIP) {                                          \
                T left = a[k];                                                                            \
                TW_SIMD for (int j = 0; j < TW__STRIP; j++) acc[j] = fma_(left, b[j], acc[j]);            \
            }                                                                                             \
            for (int j = 0; j < TW__STRIP; j++) acc[j] = TW_NUMBER(acc[j]);                               \
        }                                                                                                 \
    }
FUSED(fused_f32, float, __builtin_fmaf)
FUSED(fused_f64, double, __builtin_fma)
#endif

const tw__strips TW_LEVELLED(tw__strips) = { .f32 = strip_f32,
                                             .f32_fused = fused_f32,
                                             .f64 = strip_f64,
                                             .f64_fused = fused_f64,
                                             .u32 = strip_u32,
                                             .u64 = strip_u64 };
