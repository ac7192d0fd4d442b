/* SPDX-License-Identifier: MIT */
/* What compilers know about bits: counts, rotations, swaps, overflow, minimum and maximum, absolute values. */
#include "program.h"

static volatile u32 values[] = { 0,          1,          2,          3,          0x7f,      0x80,
                                 0xff,       0x100,      0x8000,     0xffff,     0x10000,   0x12345678,
                                 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff };

static NOINLINE void of(u32 x, u32 y)
{
    unsigned n = y & 31;
    if (x) out((u32)__builtin_clz(x)), out((u32)__builtin_ctz(x));
    out((u32)__builtin_popcount(x)), out((u32)__builtin_parity(x)), out((u32)__builtin_ffs((int)x)),
        out(__builtin_bswap32(x));
    out(__builtin_bswap16((u16)x)), out(__builtin_bitreverse32(x)), out(__builtin_rotateleft32(x, n)),
        out(__builtin_rotateright32(x, n));
    out(x << 8 | x >> 24), out(x << 16 | x >> 16), out(x << 5 | y >> 27), out(__builtin_rotateleft8((u8)x, y)),
        out(__builtin_rotateleft16((u16)x, y));
    out((i32)x < 0 ? 0 - x : x), out((i32)x < (i32)y ? x : y), out((i32)x > (i32)y ? x : y), out(x < y ? x : y),
        out(x > y ? x : y);
    u32 r;
    i32 s;
    out((u32)__builtin_add_overflow(x, y, &r)), out(r), out((u32)__builtin_sub_overflow(x, y, &r)), out(r),
        out((u32)__builtin_mul_overflow(x, y, &r)), out(r);
    out((u32)__builtin_add_overflow((i32)x, (i32)y, &s)), out((u32)s),
        out((u32)__builtin_sub_overflow((i32)x, (i32)y, &s)), out((u32)s);
    out((u32)__builtin_mul_overflow((i32)x, (i32)y, &s)), out((u32)s);
    out(x > y ? x - y : 0), out(x + y < x ? 0xffffffff : x + y), out((u32)((x & 1u << n) != 0)), out(x & (x - 1)),
        out(x & (0 - x)), out((u32)((u64)x * y >> 32));
    out((u32)((i64)(i32)x * (i32)y >> 32)), out((x ^ y) >> 31 ? 1 : 2), out(x & 0xff00ff | y & 0xff00ff00),
        out((u32)(u8)(x >> n)), out((u32)(i8)(x >> 8));
}
static NOINLINE void of_long(u64 x, unsigned n)
{
    if (x) out((u32)__builtin_clzll(x)), out((u32)__builtin_ctzll(x));
    out((u32)__builtin_popcountll(x)), out64(__builtin_bswap64(x)), out64(__builtin_rotateleft64(x, n)),
        out64(x << 13 | x >> 51);
    out64((i64)x < 0 ? 0 - x : x), out((u32)__builtin_parityll(x)), out64(__builtin_bitreverse64(x));
    u64 r;
    i64 s;
    out((u32)__builtin_add_overflow(x, x + n, &r)), out64(r),
        out((u32)__builtin_sub_overflow((i64)x, (i64)n << 60, &s)), out64((u64)s);
    out((u32)__builtin_mul_overflow(x, x >> n % 64, &r)), out64(r),
        out((u32)__builtin_mul_overflow((i64)x, (i64)n - 40, &s)), out64((u64)s);
}

int main(void)
{
    for (unsigned i = 0; i < COUNT(values); i++)
        for (unsigned k = 0; k < COUNT(values); k++) {
            of(values[i], values[k]);
            if (k % 3 == 0) of_long((u64)values[i] << 32 | values[k], i * 3);
        }
    return 0;
}
