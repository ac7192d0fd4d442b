/* SPDX-License-Identifier: MIT */
/* pto_peers: the loops that tile instructions are compared with, built once per dispatch level with -O3 and the flags
 * that the kernels of that level have (cmake/bench.cmake), so both sides have the same instructions. */
#include "peers/pto_peers.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define PASTE_(a, b)   a##_##b
#define PASTE(a, b)    PASTE_(a, b)
#define LEVELLED(name) PASTE(name, TW_LEVEL)

static void add(size_t n, float *restrict z, const float *restrict x, const float *restrict y)
{
    for (size_t i = 0; i < n; i++) z[i] = x[i] + y[i];
}

static void row_sums(size_t rows, size_t columns, float *restrict z, const float *restrict x)
{
    for (size_t r = 0; r < rows; r++) {
        float sum = 0;
        for (size_t i = 0; i < columns; i++) sum += x[r * columns + i];
        z[r] = sum;
    }
}

static void iota(size_t n, int32_t *restrict z, int32_t start)
{
    for (size_t i = 0; i < n; i++) z[i] = start + (int32_t)i;
}

#ifdef __F16C__
static void narrow(size_t n, uint16_t *restrict z, const float *restrict x)
{
    for (size_t i = 0; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(z + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), 0));
}
#endif

#ifdef __x86_64__
/* libmvec's vector functions take and return one register. */
#define EXP(V, lanes, load, store)                                                   \
    static void exp_loop(size_t n, float *z, const float *x, void (*vector)(void))   \
    {                                                                                \
        V (*f)(V) = (V(*)(V))vector;                                                 \
        for (size_t i = 0; i + lanes <= n; i += lanes) store(z + i, f(load(x + i))); \
    }
#if defined(__AVX512F__)
#define SYMBOL "_ZGVeN16v_expf"
EXP(__m512, 16, _mm512_loadu_ps, _mm512_storeu_ps)
#elif defined(__AVX2__)
#define SYMBOL "_ZGVdN8v_expf"
EXP(__m256, 8, _mm256_loadu_ps, _mm256_storeu_ps)
#else
#define SYMBOL "_ZGVbN4v_expf"
EXP(__m128, 4, _mm_loadu_ps, _mm_storeu_ps)
#endif
#endif

const pto_peers LEVELLED(pto_peers) = {
    .add = add,
    .row_sums = row_sums,
    .iota = iota,
#ifdef __F16C__
    .narrow = narrow,
#endif
#ifdef __x86_64__
    .exp_loop = exp_loop,
    .exp_symbol = SYMBOL,
#endif
};
