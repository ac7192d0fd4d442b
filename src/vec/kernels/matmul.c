/* matmul: strips of a matrix product, 4 rows by two vectors in registers. Each element of the product is a plain sum
 * over the depth in ascending order, so the width of a vector does not show. */
#include "vec/kernels/lane.h"

#if defined(__AVX512F__)
#define VECTOR 64
#elif defined(__AVX2__)
#define VECTOR 32
#else
#define VECTOR 16
#endif

#define STRIP(name, T, STEP)                                                                  \
    static void name(size_t rows, size_t depth, void *acc, const void *av, const void *bv)    \
    {                                                                                         \
        typedef T vector __attribute__((vector_size(VECTOR)));                                \
        enum { LANES = VECTOR / sizeof(T) };                                                  \
        const T *a = av;                                                                      \
        for (size_t row = 0; row < rows; row += 4)                                            \
            for (size_t column = 0; column < TW__STRIP; column += 2 * LANES) {                \
                T *c = (T *)acc + row * TW__STRIP + column;                                   \
                const T *b = (const T *)bv + column;                                          \
                vector sum[4][2];                                                             \
                for (int r = 0; r < 4; r++) memcpy(sum[r], c + r * TW__STRIP, sizeof sum[r]); \
                for (size_t k = 0; k < depth; k++, b += TW__STRIP) {                          \
                    vector right[2];                                                          \
                    memcpy(right, b, sizeof right);                                           \
                    for (int r = 0; r < 4; r++) {                                             \
                        T left = a[(row + (size_t)r) * depth + k];                            \
                        sum[r][0] = STEP(sum[r][0], left, right[0]);                          \
                        sum[r][1] = STEP(sum[r][1], left, right[1]);                          \
                    }                                                                         \
                }                                                                             \
                for (int r = 0; r < 4; r++) memcpy(c + r * TW__STRIP, sum[r], sizeof sum[r]); \
            }                                                                                 \
    }
#define MUL_ADD(sum, left, right) ((sum) + (left) * (right))
STRIP(strip_f32, float, MUL_ADD)
STRIP(strip_f64, double, MUL_ADD)
STRIP(strip_u32, uint32_t, MUL_ADD)
STRIP(strip_u64, uint64_t, MUL_ADD)

/* Fused: element by element through fma(), which is exact everywhere; vector instructions where there are some. */
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

const tw__strips TW_LEVELLED(tw__strips) = { .f32 = strip_f32,
                                             .f32_fused = fused_f32,
                                             .f64 = strip_f64,
                                             .f64_fused = fused_f64,
                                             .u32 = strip_u32,
                                             .u64 = strip_u64 };
