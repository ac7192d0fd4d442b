/* SPDX-License-Identifier: MIT */
/* Every other element of 4 bytes, which is what a stride of two, the real parts of complex numbers and the like are:
 * to and from contiguous memory. What lies between is read at most, and only between the first and the last. */
#include "core/vec/kernels/lane.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

typedef TW_IN_MEMORY(uint32_t) word;

static void thin_pack(size_t n, void *dv, const void *sv)
{
    word *d = dv;
    const word *s = sv;
    size_t i = 0;
#if defined(__AVX512F__)
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    for (; i + 16 < n; i += 16)
        _mm512_storeu_si512(d + i, _mm512_permutex2var_epi32(_mm512_loadu_si512(s + 2 * i), even,
                                                             _mm512_loadu_si512(s + 2 * i + 16)));
#elif defined(__AVX2__)
    for (; i + 8 < n; i += 8) {
        __m256 low = _mm256_loadu_ps((const float *)(const void *)(s + 2 * i)),
               high = _mm256_loadu_ps((const float *)(const void *)(s + 2 * i + 8));
        __m256i both = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88)); /* 0 2 8 10 4 6 12 14 */
        _mm256_storeu_si256((__m256i *)(void *)(d + i), _mm256_permute4x64_epi64(both, 0xd8));
    }
#endif
    for (; i < n; i++) d[i] = s[2 * i];
}

static void thin_unpack(size_t n, void *dv, const void *sv)
{
    word *d = dv;
    const word *s = sv;
    size_t i = 0;
#if defined(__AVX512F__) /* the masked stores of AVX2 are slow on some processors */
    for (; i + 8 <= n; i += 8) {
        __m512i wide = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(s + i)));
        _mm512_mask_storeu_epi32(d + 2 * i, 0x5555, wide);
    }
#endif
    for (; i < n; i++) d[2 * i] = s[i];
}

const tw__thin TW_LEVELLED(tw__thin) = { thin_pack, thin_unpack };
