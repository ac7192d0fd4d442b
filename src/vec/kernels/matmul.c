/* matmul: strips of a matrix product, 4 rows by a few vectors in registers. Each element of the product is a plain sum
 * over the depth in ascending order, so the width of a vector does not show. */
#include "vec/kernels/lane.h"

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
#define STRIP(name, T, STEP)                                                                                 \
    static void name(size_t rows, size_t depth, void *acc, const void *av, const void *bv)                   \
    {                                                                                                        \
        typedef T vector __attribute__((vector_size(VECTOR)));                                               \
        typedef T memory __attribute__((vector_size(VECTOR), aligned(8), may_alias));                        \
        enum { LANES = VECTOR / sizeof(T) };                                                                 \
        const T *a = av;                                                                                     \
        for (size_t row = 0; row < rows; row += 4)                                                           \
            for (size_t column = 0; column < TW__STRIP; column += ACROSS * LANES) {                          \
                T *c = (T *)acc + row * TW__STRIP + column;                                                  \
                const T *b = (const T *)bv + column;                                                         \
                vector sum[4][ACROSS], right[ACROSS];                                                        \
                UNROLL for (int r = 0; r < 4; r++) UNROLL for (int v = 0; v < ACROSS; v++) sum[r][v] =       \
                    *(const memory *)(const void *)(c + r * TW__STRIP + v * LANES);                          \
                for (size_t k = 0; k < depth; k++, b += TW__STRIP) {                                         \
                    UNROLL for (int v = 0; v < ACROSS; v++) right[v] =                                       \
                        *(const memory *)(const void *)(b + v * LANES);                                      \
                    UNROLL for (int r = 0; r < 4; r++)                                                       \
                    {                                                                                        \
                        T left = a[(row + (size_t)r) * depth + k];                                           \
                        UNROLL for (int v = 0; v < ACROSS; v++) sum[r][v] = STEP(sum[r][v], left, right[v]); \
                    }                                                                                        \
                }                                                                                            \
                UNROLL for (int r = 0; r < 4; r++) UNROLL for (int v = 0; v < ACROSS; v++) *                 \
                    (memory *)(void *)(c + r * TW__STRIP + v * LANES) = sum[r][v];                           \
            }                                                                                                \
    }
#define MUL_ADD(sum, left, right) ((sum) + (left) * (right))
STRIP(strip_f32, float, MUL_ADD)
STRIP(strip_f64, double, MUL_ADD)
STRIP(strip_u32, uint32_t, MUL_ADD)
STRIP(strip_u64, uint64_t, MUL_ADD)

/* Fused: vector instructions, or element by element through fma(), which is exact everywhere. */
#if defined(__AVX512F__)
#define FMA_F32(sum, left, right) (vector) _mm512_fmadd_ps(_mm512_set1_ps(left), (__m512)(right), (__m512)(sum))
#define FMA_F64(sum, left, right) (vector) _mm512_fmadd_pd(_mm512_set1_pd(left), (__m512d)(right), (__m512d)(sum))
STRIP(fused_f32, float, FMA_F32)
STRIP(fused_f64, double, FMA_F64)
#elif defined(__AVX2__)
#define FMA_F32(sum, left, right) (vector) _mm256_fmadd_ps(_mm256_set1_ps(left), (__m256)(right), (__m256)(sum))
#define FMA_F64(sum, left, right) (vector) _mm256_fmadd_pd(_mm256_set1_pd(left), (__m256d)(right), (__m256d)(sum))
STRIP(fused_f32, float, FMA_F32)
STRIP(fused_f64, double, FMA_F64)
#else
#define FUSED(name, T, fma_)                                                                   \
    static void name(size_t rows, size_t depth, void *accv, const void *av, const void *bv)    \
    {                                                                                          \
        for (size_t row = 0; row < rows; row++) {                                              \
            T *acc = (T *)accv + row * TW__STRIP;                                              \
            const T *a = (const T *)av + row * depth, *b = bv;                                 \
            for (size_t k = 0; k < depth; k++, b += TW__STRIP) {                               \
                T left = a[k];                                                                 \
                TW_SIMD for (int j = 0; j < TW__STRIP; j++) acc[j] = fma_(left, b[j], acc[j]); \
            }                                                                                  \
        }                                                                                      \
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
