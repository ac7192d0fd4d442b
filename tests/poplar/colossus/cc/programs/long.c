/* SPDX-License-Identifier: MIT */
/* Integers of 64 bits: every operation on values at the edges; as arguments, results, members, array elements. */
#include "program.h"

static volatile u64 values[] = { 0,
                                 1,
                                 2,
                                 3,
                                 7,
                                 10,
                                 0xff,
                                 0x7fff,
                                 0x8000,
                                 0xffff,
                                 0x10000,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x100000000,
                                 0x100000001,
                                 0x123456789a,
                                 0xffffffffff,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0x8000000000000001,
                                 0xaaaaaaaaaaaaaaaa,
                                 0xfffffffeffffffff,
                                 0xffffffff00000000,
                                 0xfffffffffffffffe,
                                 0xffffffffffffffff };

static NOINLINE u64 mix64(u64 s, u64 x)
{
    return (s << 7 | s >> 57) ^ (x * 0x9e3779b97f4a7c15);
}
static NOINLINE u64 of_unsigned(u64 x, u64 y)
{
    u64 s = 0;
    unsigned n = (unsigned)y & 63;
    s = mix64(s, x + y), s = mix64(s, x - y), s = mix64(s, x * y), s = mix64(s, x & y), s = mix64(s, x | y),
    s = mix64(s, x ^ y);
    s = mix64(s, ~x), s = mix64(s, 0 - x), s = mix64(s, x << n), s = mix64(s, x >> n), s = mix64(s, x < y),
    s = mix64(s, x <= y);
    s = mix64(s, x == y), s = mix64(s, x != y), s = mix64(s, !x), s = mix64(s, x && y), s = mix64(s, x > y ? x : y);
    if (y) s = mix64(s, x / y), s = mix64(s, x % y);
    s = mix64(s, x / 10), s = mix64(s, x % 1000), s = mix64(s, x << 1), s = mix64(s, x << 31),
    s = mix64(s, x << 32);
    s = mix64(s, x << 33), s = mix64(s, x >> 1), s = mix64(s, x >> 31), s = mix64(s, x >> 32),
    s = mix64(s, x >> 63);
    s = mix64(s, (u64)(u32)x * (u32)y), s = mix64(s, (x >> 32) * (u32)y), s = mix64(s, x + 1), s = mix64(s, x - 1);
    s = mix64(s, x & 0xffff0000ffff), s = mix64(s, x * 1000003), s = mix64(s, x == 0x100000000),
    s = mix64(s, (u32)x);
    return s;
}
static NOINLINE u64 of_signed(i64 x, i64 y)
{
    u64 s = 0;
    unsigned n = (unsigned)y & 63;
    s = mix64(s, (u64)(x >> n)), s = mix64(s, x < y), s = mix64(s, x <= y), s = mix64(s, x < 0),
    s = mix64(s, x > -1);
    if (y && !(y == -1 && x == (i64)0x8000000000000000)) s = mix64(s, (u64)(x / y)), s = mix64(s, (u64)(x % y));
    s = mix64(s, (u64)(x / 7)), s = mix64(s, (u64)(x % 16)), s = mix64(s, (u64)(x >> 1)),
    s = mix64(s, (u64)(x >> 40));
    s = mix64(s, (u64)(i64)(i32)x), s = mix64(s, (u64)(i64)(i16)x), s = mix64(s, (u64)(i64)(i8)x);
    s = mix64(s, (u64)((i64)(i32)x * (i32)y)), s = mix64(s, (u64)(x < y ? x : y));
    return s;
}

struct holder {
    u8 small;
    u64 wide;
    u16 more;
    i64 last;
};
static NOINLINE struct holder hold(u8 a, u64 b, u16 c, i64 d)
{
    struct holder h = { a, b, c, d };
    return h;
}
static NOINLINE u64 many(u32 a, u64 b, u32 c, u64 d, u8 e, u64 f, u64 g)
{
    return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + 17 * g;
}

int main(void)
{
    u64 table[8], sum = 0;
    for (unsigned i = 0; i < COUNT(values); i++)
        for (unsigned k = 0; k < COUNT(values); k++)
            sum = mix64(sum, of_unsigned(values[i], values[k])),
            out64(mix64(sum, of_signed((i64)values[i], (i64)values[k])));
    for (unsigned i = 0; i < 8; i++) table[i] = values[i + 8] * values[i + 12];
    for (unsigned i = 0; i < 8; i++) out64(table[7 - i] >> i);
    struct holder h = hold((u8)values[6], values[16], (u16)values[9], (i64)values[22]);
    out(h.small), out64(h.wide), out(h.more), out64((u64)h.last);
    out64(many((u32)values[3], values[14], 9, values[15], (u8)values[5], values[18], values[20]));
    return 0;
}
