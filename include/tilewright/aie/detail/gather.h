/* SPDX-License-Identifier: MIT */
/* Picking lanes: 256 bits of elements from a buffer of up to 1024 bits, by a vector of indices.
 *
 * With constant offsets the index vectors fold to constants and both compilers make SIMD shuffles of the picks. gcc
 * does so only for its own two-operand shuffle on registers (256-bit ones need AVX2); element by element it would
 * insert lanes one at a time, which clang joins. Indices are below n, a power of two. */
#ifndef TILEWRIGHT_AIE_GATHER_H
#define TILEWRIGHT_AIE_GATHER_H

#include <tilewright/aie/detail/core.h>

#define TW__LIST2(F)  F(0), F(1)
#define TW__LIST4(F)  F(0), F(1), F(2), F(3)
#define TW__LIST8(F)  F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7)
#define TW__LIST16(F) TW__LIST8(F), F(8), F(9), F(10), F(11), F(12), F(13), F(14), F(15)
#define TW__EACH2(F)  F(0), F(1)
#define TW__EACH4(F)  TW__EACH2(F), F(2), F(3)
#define TW__EACH8(F)  TW__EACH4(F), F(4), F(5), F(6), F(7)
#define TW__EACH16(F) TW__EACH8(F), F(8), F(9), F(10), F(11), F(12), F(13), F(14), F(15)
#define TW__ENTRY(k)  p[m[k]]

typedef uint8_t tw__u8m __attribute__((may_alias));
typedef int16_t tw__i16m __attribute__((may_alias));
typedef int32_t tw__i32m __attribute__((may_alias));
typedef uint64_t tw__u64m __attribute__((may_alias));
typedef uint8_t tw__u8x16 __attribute__((vector_size(16), aligned(16), may_alias));

#if defined(__AVX2__) && !defined(__clang__)
/* A shuffle within 128 bits is one instruction, others are three and more. So when the indices are known and a half
 * of the result comes from 128 bits anywhere in a buffer of 512 or 1024 bits, which gcc keeps in memory, these are
 * loaded first. Buffers of 256 bits are in registers, from which such a load would be a detour. */
typedef long long tw__v2di __attribute__((vector_size(16), may_alias));
typedef long long tw__v4di __attribute__((vector_size(32), may_alias));
TW__AIE tw__v4di tw__load_halves(const void *low, const void *high)
{
    typedef int v4si __attribute__((vector_size(16)));
    tw__v2di a, b;
    __builtin_memcpy(&a, low, sizeof a);
    if (low == high) return (tw__v4di)__builtin_ia32_vbroadcastsi256(a);
    __builtin_memcpy(&b, high, sizeof b);
    return (tw__v4di)__builtin_ia32_insert128i256((tw__v4di)__builtin_ia32_si256_si((v4si)a), b, 1);
}
typedef struct tw__range {
    unsigned first, last;
} tw__range;
#define TW__WITHIN(r, index)                                              \
    (r.first = (unsigned)(index) < r.first ? (unsigned)(index) : r.first, \
     r.last = (unsigned)(index) > r.last ? (unsigned)(index) : r.last)
#define TW__WITHIN_LOW(k)  TW__WITHIN(low, m[k])
#define TW__WITHIN_HIGH(k) TW__WITHIN(high, m[tw__half + (k)])
/* The same in a buffer whose two halves have changed places: what runs over its end lies together there. */
#define TW__ROUND_LOW(k)  TW__WITHIN(round_low, m[k] ^ (n / 2))
#define TW__ROUND_HIGH(k) TW__WITHIN(round_high, m[tw__half + (k)] ^ (n / 2))
#define TW__ROUND(k)      (tw__element)(first - (n - tw__half) + (k))
#define TW__A(k)          (tw__element) a
#define TW__B(k)          (tw__element)(b - tw__half)
#define TW__GATHER(name, vector, element, count, half)                                                            \
    TW__AIE vector name##_window(const element *p, unsigned a, unsigned b, vector m)                              \
    {                                                                                                             \
        typedef element tw__element;                                                                              \
        enum { tw__half = half };                                                                                 \
        const vector base = { TW__LIST##half(TW__A), TW__LIST##half(TW__B) };                                     \
        return __builtin_shuffle((vector)tw__load_halves(p + a, p + b), m - base);                                \
    }                                                                                                             \
    /* 128 bits from element `first` on, and from the buffer's beginning on behind its end */                     \
    TW__AIE tw__v2di name##_round(const element *p, unsigned n, unsigned first)                                   \
    {                                                                                                             \
        typedef element tw__element, tw__part __attribute__((vector_size(16)));                                   \
        enum { tw__half = half };                                                                                 \
        tw__part a, b;                                                                                            \
        __builtin_memcpy(&a, p + (first + half <= n ? first : n - half), sizeof a);                               \
        if (first + half <= n) return (tw__v2di)a;                                                                \
        __builtin_memcpy(&b, p, sizeof b);                                                                        \
        const tw__part from = { TW__LIST##half(TW__ROUND) };                                                      \
        return (tw__v2di)__builtin_shuffle(a, b, from);                                                           \
    }                                                                                                             \
    TW__AIE vector name##_around(const element *p, unsigned n, unsigned a, unsigned b, vector m)                  \
    {                                                                                                             \
        typedef element tw__element;                                                                              \
        enum { tw__half = half };                                                                                 \
        const vector base = { TW__LIST##half(TW__A), TW__LIST##half(TW__B) };                                     \
        const tw__v2di low = name##_round(p, n, a), high = name##_round(p, n, b);                                 \
        return __builtin_shuffle((vector)tw__load_halves(&low, &high), (m - base) & (element)(n - 1));            \
    }                                                                                                             \
    TW__AIE vector name##_of(const element *p, unsigned n, vector m)                                              \
    {                                                                                                             \
        enum { tw__half = half };                                                                                 \
        const vector *v = (const vector *)(const void *)p;                                                        \
        if (n == count) return __builtin_shuffle(v[0], m);                                                        \
        tw__range low = { n - half, 0 }, high = low;                                                              \
        TW__EACH##half(TW__WITHIN_LOW);                                                                           \
        TW__EACH##half(TW__WITHIN_HIGH);                                                                          \
        if (__builtin_constant_p(low.first) && __builtin_constant_p(low.last) &&                                  \
            __builtin_constant_p(high.first) && __builtin_constant_p(high.last)) {                                \
            unsigned least = low.first < high.first ? low.first : high.first;                                     \
            unsigned most = low.last > high.last ? low.last : high.last;                                          \
            if (low.last < low.first + half && high.first >= low.first + half && high.last < low.first + count) { \
                vector whole;                                                                                     \
                __builtin_memcpy(&whole, p + low.first, sizeof whole);                                            \
                return __builtin_shuffle(whole, m - (element)low.first);                                          \
            }                                                                                                     \
            if (most < least + half) return name##_window(p, least, least, m);                                    \
            if (low.last < low.first + half && high.last < high.first + half)                                     \
                return name##_window(p, low.first, high.first, m);                                                \
        }                                                                                                         \
        tw__range round_low = { n - half, 0 }, round_high = round_low;                                            \
        TW__EACH##half(TW__ROUND_LOW);                                                                            \
        TW__EACH##half(TW__ROUND_HIGH);                                                                           \
        if (__builtin_constant_p(round_low.first) && __builtin_constant_p(round_low.last) &&                      \
            __builtin_constant_p(round_high.first) && __builtin_constant_p(round_high.last) &&                    \
            round_low.last < round_low.first + half && round_high.last < round_high.first + half)                 \
            return name##_around(p, n, round_low.first ^ (n / 2), round_high.first ^ (n / 2), m);                 \
        if (n == 2 * count) return __builtin_shuffle(v[0], v[1], m);                                              \
        vector inner = m & (element)(2 * count - 1);                                                              \
        vector upper = (vector)((m & (element)(2 * count)) != 0);                                                 \
        return (__builtin_shuffle(v[0], v[1], inner) & ~upper) | (__builtin_shuffle(v[2], v[3], inner) & upper);  \
    }                                                                                                             \
    /* The buffer as one vector, lest a struct of complex numbers be kept in memory. */                           \
    TW__AIE vector name(const element *p, unsigned n, vector m)                                                   \
    {                                                                                                             \
        typedef element tw__512 __attribute__((vector_size(64), aligned(16), may_alias));                         \
        typedef element tw__1024 __attribute__((vector_size(128), aligned(16), may_alias));                       \
        if (n == 2 * count) {                                                                                     \
            const tw__512 all = *(const tw__512 *)(const void *)p;                                                \
            return name##_of((const element *)&all, n, m);                                                        \
        }                                                                                                         \
        if (n == 4 * count) {                                                                                     \
            const tw__1024 all = *(const tw__1024 *)(const void *)p;                                              \
            return name##_of((const element *)&all, n, m);                                                        \
        }                                                                                                         \
        return name##_of(p, n, m);                                                                                \
    }
/* 16 bytes: buffers of 2, 4 and 8 such. */
TW__AIE tw__u8x16 tw__gather8_32(const tw__u8m *p, tw__u8x16 m)
{
    const tw__u8x16 *v = (const tw__u8x16 *)(const void *)p;
    return __builtin_shuffle(v[0], v[1], m & 31);
}
#define TW__CHOSEN(bit, yes, no) ((((m & (bit)) != 0) & (yes)) | (((m & (bit)) == 0) & (no)))
TW__AIE tw__u8x16 tw__gather8(const tw__u8m *p, unsigned n, tw__u8x16 m)
{
    enum { tw__half = 0 };
    tw__range low = { n - 16, 0 };
    TW__EACH16(TW__WITHIN_LOW);
    if (__builtin_constant_p(low.first) && __builtin_constant_p(low.last)) {
        tw__u8x16 window;
        if (low.last < 16) low.first = 0;
        __builtin_memcpy(&window, p + low.first, 16);
        if (low.last < low.first + 16 && (n > 32 || low.first % 16 == 0))
            return __builtin_shuffle(window, m - (uint8_t)low.first);
    }
    tw__u8x16 r = tw__gather8_32(p, m);
    if (n > 32) r = TW__CHOSEN(32, tw__gather8_32(p + 32, m), r);
    if (n > 64) r = TW__CHOSEN(64, TW__CHOSEN(32, tw__gather8_32(p + 96, m), tw__gather8_32(p + 64, m)), r);
    return r;
}
#else
/* clang joins picks from a vector to one shuffle, and makes less of picks from a struct in memory. Where the indices
 * are not known, memory is where to pick from. */
#ifdef __clang__
#define TW__OF_VECTOR(vector, element, count, bytes, known)                                  \
    if ((known) && n * sizeof(element) == (bytes)) {                                         \
        typedef element tw__all __attribute__((vector_size(bytes), aligned(16), may_alias)); \
        const tw__all all = *(const tw__all *)(const void *)p;                               \
        const vector v = { TW__LIST##count(TW__OF_ALL) };                                    \
        return v;                                                                            \
    }
#define TW__OF_VECTORS(vector, element, count, known) \
    TW__OF_VECTOR(vector, element, count, 32, known)  \
    TW__OF_VECTOR(vector, element, count, 64, known)  \
    TW__OF_VECTOR(vector, element, count, 128, known)
#else
#define TW__OF_VECTORS(vector, element, count, known) (void)n;
#endif
#define TW__OF_ALL(k) all[m[k]]
#define TW__GATHER(name, vector, element, count, half)                                                           \
    TW__AIE vector name(const element *p, unsigned n, vector m)                                                  \
    {                                                                                                            \
        TW__OF_VECTORS(vector, element, count, __builtin_constant_p(m[0]) && __builtin_constant_p(m[count - 1])) \
        vector r = { TW__LIST##count(TW__ENTRY) };                                                               \
        return r;                                                                                                \
    }
TW__GATHER(tw__gather8, tw__u8x16, tw__u8m, 16, 8)
#endif
TW__GATHER(tw__gather16_known, tw__i16x16, tw__i16m, 16, 8)
TW__GATHER(tw__gather32_known, tw__i32x8, tw__i32m, 8, 4)
TW__GATHER(tw__gather64, tw__u64x4, tw__u64m, 4, 2)

/* Indices that are known at run time alone: from each 128 bits of the buffer what lies there. What depends on indices
 * only is done once in front of a loop. */
#ifdef __AVX2__
#define TW__KNOWN(m, last) (__builtin_constant_p((m)[0]) && __builtin_constant_p((m)[last]))
TW__AIE tw__i16x16 tw__gather16_late(const tw__i16m *p, unsigned n, tw__i16x16 m)
{
    typedef char v32qi __attribute__((vector_size(32)));
    const tw__u8x32 bytes = (tw__u8x32)(m * 0x202 + 0x100), part = bytes & 0xf0;
    tw__i16x16 r = { 0 };
#define TW__FROM_PART(k)                                                                                        \
    if (8 * (k) < n) {                                                                                          \
        typedef int16_t tw__8 __attribute__((vector_size(16)));                                                 \
        tw__8 v;                                                                                                \
        __builtin_memcpy(&v, p + 8 * (k), sizeof v);                                                            \
        const v32qi all = (v32qi)__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7); \
        const tw__u8x32 pick = bytes | (tw__u8x32)(part != 16 * (k)); /* bit 7: nothing */                      \
        r |= (tw__i16x16)__builtin_ia32_pshufb256(all, (v32qi)pick);                                            \
    }
    TW__FROM_PART(0)
    TW__FROM_PART(1)
    TW__FROM_PART(2)
    TW__FROM_PART(3)
    TW__FROM_PART(4)
    TW__FROM_PART(5)
    TW__FROM_PART(6)
    TW__FROM_PART(7)
#undef TW__FROM_PART
    return r;
}
TW__AIE tw__i32x8 tw__gather32_late(const tw__i32m *p, unsigned n, tw__i32x8 m)
{
    typedef int v8si __attribute__((vector_size(32)));
    tw__i32x8 r = { 0 };
#define TW__FROM_PART(k)                                                    \
    if (8 * (k) < n) {                                                      \
        v8si v;                                                             \
        __builtin_memcpy(&v, p + 8 * (k), sizeof v);                        \
        const tw__i32x8 is_there = (tw__i32x8)((m & ~7) == 8 * (k));        \
        r |= (tw__i32x8)__builtin_ia32_permvarsi256(v, (v8si)m) & is_there; \
    }
    TW__FROM_PART(0)
    TW__FROM_PART(1)
    TW__FROM_PART(2)
    TW__FROM_PART(3)
#undef TW__FROM_PART
    return r;
}
#else
#define TW__KNOWN(m, last) 1
#define tw__gather16_late  tw__gather16_known
#define tw__gather32_late  tw__gather32_known
#endif
TW__AIE tw__i16x16 tw__gather16(const tw__i16m *p, unsigned n, tw__i16x16 m)
{
    return TW__KNOWN(m, 15) ? tw__gather16_known(p, n, m) : tw__gather16_late(p, n, m);
}
TW__AIE tw__i32x8 tw__gather32(const tw__i32m *p, unsigned n, tw__i32x8 m)
{
    return TW__KNOWN(m, 7) ? tw__gather32_known(p, n, m) : tw__gather32_late(p, n, m);
}

/* Bits 4i .. 4i+3 of an offsets word; lanes 8 to 15 use the second word. */
TW__AIE unsigned tw__nib(unsigned word, unsigned i)
{
    return (word >> (4 * (i & 7))) & 15;
}
TW__AIE unsigned tw__nib2(unsigned low, unsigned high, unsigned i)
{
    return tw__nib(i < 8 ? low : high, i);
}

/* 16 bytes as 16-bit words. gcc takes four instructions for the conversion that is one. */
TW__AIE tw__i16x16 tw__signed16(tw__u8x16 v)
{
#if defined(__AVX2__) && !defined(__clang__)
    typedef char v16qi __attribute__((vector_size(16)));
    return (tw__i16x16)__builtin_ia32_pmovsxbw256((v16qi)v);
#else
    typedef int8_t i8x16 __attribute__((vector_size(16)));
    return __builtin_convertvector((i8x16)v, tw__i16x16);
#endif
}
TW__AIE tw__i16x16 tw__unsigned16(tw__u8x16 v)
{
#if defined(__AVX2__) && !defined(__clang__)
    typedef char v16qi __attribute__((vector_size(16)));
    return (tw__i16x16)__builtin_ia32_pmovzxbw256((v16qi)v);
#else
    return __builtin_convertvector(v, tw__i16x16);
#endif
}

/* Four elements of a buffer of n, widened. gcc: as above, from one load where they lie within 128 bits; from 256
 * bits, which are in a register, only halves. */
#if defined(__AVX2__) && !defined(__clang__)
#define TW__WIDEN(name, element, count, parts, widened)                                                       \
    TW__AIE tw__i64x4 name##_of(const element *p, unsigned n, unsigned a, unsigned b, unsigned c, unsigned d) \
    {                                                                                                         \
        typedef element tw__part __attribute__((vector_size(16), may_alias));                                 \
        typedef widened tw__from __attribute__((vector_size(16)));                                            \
        tw__range r = { n - count, 0 };                                                                       \
        TW__WITHIN(r, a), TW__WITHIN(r, b), TW__WITHIN(r, c), TW__WITHIN(r, d);                               \
        if (__builtin_constant_p(r.first) && __builtin_constant_p(r.last)) {                                  \
            if (n == 2 * count) r.first -= r.first % count;                                                   \
            if (r.last < r.first + count && !(a == b && b == c && c == d)) {                                  \
                tw__part window;                                                                              \
                const tw__part m = { (element)(a - r.first), (element)(b - r.first), (element)(c - r.first),  \
                                     (element)(d - r.first) };                                                \
                __builtin_memcpy(&window, p + r.first, sizeof window);                                        \
                return (tw__i64x4)parts((tw__from)__builtin_shuffle(window, m));                              \
            }                                                                                                 \
        }                                                                                                     \
        const tw__i64x4 v = { p[a], p[b], p[c], p[d] };                                                       \
        return v;                                                                                             \
    }                                                                                                         \
    TW__AIE tw__i64x4 name(const element *p, unsigned n, unsigned a, unsigned b, unsigned c, unsigned d)      \
    {                                                                                                         \
        typedef element tw__512 __attribute__((vector_size(64), aligned(16), may_alias));                     \
        typedef element tw__1024 __attribute__((vector_size(128), aligned(16), may_alias));                   \
        if (n == 4 * count) {                                                                                 \
            const tw__512 all = *(const tw__512 *)(const void *)p;                                            \
            return name##_of((const element *)&all, n, a, b, c, d);                                           \
        }                                                                                                     \
        if (n == 8 * count) {                                                                                 \
            const tw__1024 all = *(const tw__1024 *)(const void *)p;                                          \
            return name##_of((const element *)&all, n, a, b, c, d);                                           \
        }                                                                                                     \
        return name##_of(p, n, a, b, c, d);                                                                   \
    }
TW__WIDEN(tw__widen16, tw__i16m, 8, __builtin_ia32_pmovsxwq256, short)
TW__WIDEN(tw__widen32, tw__i32m, 4, __builtin_ia32_pmovsxdq256, int)
#else
#define TW__WIDEN(name, element)                                                                         \
    TW__AIE tw__i64x4 name(const element *p, unsigned n, unsigned a, unsigned b, unsigned c, unsigned d) \
    {                                                                                                    \
        const unsigned m[4] = { a, b, c, d };                                                            \
        TW__OF_VECTORS(tw__i64x4, element, 4, __builtin_constant_p(a) && __builtin_constant_p(d))        \
        const tw__i64x4 r = { p[a], p[b], p[c], p[d] };                                                  \
        (void)m;                                                                                         \
        return r;                                                                                        \
    }
TW__WIDEN(tw__widen16, tw__i16m)
TW__WIDEN(tw__widen32, tw__i32m)
#endif

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
