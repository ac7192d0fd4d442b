/* Picking lanes: 256 bits of elements from a buffer of up to 1024 bits, by a vector of indices.
 *
 * With constant offsets the index vectors fold to constants and both compilers make SIMD shuffles of the picks. gcc
 * does so only for its own two-operand shuffle on registers (256-bit ones need AVX2); element by element it would
 * insert lanes one at a time, which clang joins. Indices are below n, a power of two. */
#ifndef TILEWRIGHT_AIE_GATHER_H
#define TILEWRIGHT_AIE_GATHER_H

#include <tilewright/aie/core.h>

#define TW__LIST4(F)  F(0), F(1), F(2), F(3)
#define TW__LIST8(F)  F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7)
#define TW__LIST16(F) TW__LIST8(F), F(8), F(9), F(10), F(11), F(12), F(13), F(14), F(15)
#define TW__LIST32(F)                                                                                         \
    TW__LIST16(F), F(16), F(17), F(18), F(19), F(20), F(21), F(22), F(23), F(24), F(25), F(26), F(27), F(28), \
        F(29), F(30), F(31)

#define TW__EACH4(F)  F(0), F(1), F(2), F(3)
#define TW__EACH8(F)  TW__EACH4(F), F(4), F(5), F(6), F(7)
#define TW__EACH16(F) TW__EACH8(F), F(8), F(9), F(10), F(11), F(12), F(13), F(14), F(15)
#define TW__EACH32(F)                                                                                         \
    TW__EACH16(F), F(16), F(17), F(18), F(19), F(20), F(21), F(22), F(23), F(24), F(25), F(26), F(27), F(28), \
        F(29), F(30), F(31)
#define TW__AT(k) p[m[k]]
#if defined(__AVX2__) && !defined(__clang__)
/* Pieces 0 and 1, or 0 to 3: the second pair is chosen where the index says so. */
#define TW__LEAST(k) \
    low = (unsigned)m[k] < low ? (unsigned)m[k] : low, high = (unsigned)m[k] > high ? (unsigned)m[k] : high
#define TW__GATHER(name, vector, element, count)                                                                 \
    TW__AIE vector name(const element *p, unsigned n, vector m)                                                  \
    {                                                                                                            \
        const vector *v = (const vector *)(const void *)p;                                                       \
        if (n == count) return __builtin_shuffle(v[0], m);                                                       \
        unsigned low = n - count, high = 0;                                                                      \
        TW__EACH##count(TW__LEAST);                                                                              \
        if (__builtin_constant_p(low) && __builtin_constant_p(high) && high < low + count) {                     \
            vector window; /* what is picked lies within 256 bits */                                             \
            __builtin_memcpy(&window, p + low, sizeof window);                                                   \
            return __builtin_shuffle(window, m - (element)low);                                                  \
        }                                                                                                        \
        if (n == 2 * count) return __builtin_shuffle(v[0], v[1], m);                                             \
        vector inner = m & (element)(2 * count - 1);                                                             \
        vector upper = (vector)((m & (element)(2 * count)) != 0);                                                \
        return (__builtin_shuffle(v[0], v[1], inner) & ~upper) | (__builtin_shuffle(v[2], v[3], inner) & upper); \
    }
#else
#define TW__GATHER(name, vector, element, count)                \
    TW__AIE vector name(const element *p, unsigned n, vector m) \
    {                                                           \
        (void)n;                                                \
        vector r = { TW__LIST##count(TW__AT) };                 \
        return r;                                               \
    }
#endif
typedef uint8_t tw__u8m __attribute__((may_alias));
typedef int16_t tw__i16m __attribute__((may_alias));
typedef int32_t tw__i32m __attribute__((may_alias));
typedef uint64_t tw__u64m __attribute__((may_alias));
TW__GATHER(tw__gather8, tw__u8x32, tw__u8m, 32)
TW__GATHER(tw__gather16, tw__i16x16, tw__i16m, 16)
TW__GATHER(tw__gather32, tw__i32x8, tw__i32m, 8)
TW__GATHER(tw__gather64, tw__u64x4, tw__u64m, 4)

/* Bits 4i .. 4i+3 of an offsets word; lanes 8 to 15 use the second word. */
TW__AIE unsigned tw__nib(unsigned word, unsigned i)
{
    return (word >> (4 * (i & 7))) & 15;
}
TW__AIE unsigned tw__nib2(unsigned low, unsigned high, unsigned i)
{
    return tw__nib(i < 8 ? low : high, i);
}

/* 32-bit halves of 256 bits, sign-extended. gcc takes four instructions for a conversion that is one. */
#if defined(__AVX2__) && !defined(__clang__)
#define TW__SEXT32(v) (tw__u64x4) __builtin_ia32_pmovsxdq256(v)
#else
#define TW__SEXT32(v) (tw__u64x4) __builtin_convertvector(v, tw__i64x4)
#endif
TW__AIE tw__u64x4 tw__low64(tw__i32x8 v)
{
    typedef int i32x4 __attribute__((vector_size(16)));
    i32x4 half = __builtin_shufflevector(v, v, 0, 1, 2, 3);
    return TW__SEXT32(half);
}
TW__AIE tw__u64x4 tw__high64(tw__i32x8 v)
{
    typedef int i32x4 __attribute__((vector_size(16)));
    i32x4 half = __builtin_shufflevector(v, v, 4, 5, 6, 7);
    return TW__SEXT32(half);
}

/* Sums of products of neighbours, a[2i] * b[2i] + a[2i+1] * b[2i+1] modulo 2^32. */
TW__AIE tw__i32x8 tw__dot2(tw__i16x16 a, tw__i16x16 b)
{
#if defined(__AVX2__)
    typedef short v16hi __attribute__((vector_size(32)));
    return (tw__i32x8)__builtin_ia32_pmaddwd256((v16hi)a, (v16hi)b);
#else
    typedef uint32_t u32x8 __attribute__((vector_size(32)));
    u32x8 low = (u32x8)(((tw__i32x8)a << 16) >> 16) * (u32x8)(((tw__i32x8)b << 16) >> 16);
    return (tw__i32x8)(low + (u32x8)((tw__i32x8)a >> 16) * (u32x8)((tw__i32x8)b >> 16));
#endif
}

#endif
