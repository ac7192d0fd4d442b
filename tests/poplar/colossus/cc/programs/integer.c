/* SPDX-License-Identifier: MIT */
/* Every operation on integers of 8, 16 and 32 bits, on all pairs of values at their edges; mixed signs and sizes. */
#include "program.h"

static volatile u32 values[] = { 0,          1,          2,          3,          5,          7,          10,
                                 31,         32,         100,        127,        128,        129,        200,
                                 255,        256,        257,        1000,       32767,      32768,      32769,
                                 65535,      65536,      65537,      1000003,    0x7ffffffe, 0x7fffffff, 0x80000000,
                                 0x80000001, 0xaaaaaaaa, 0xfffffff0, 0xfffffffe, 0xffffffff };

#define OPERATIONS(T, U, BITS)                                                                            \
    static NOINLINE u32 of_##T(T x, T y)                                                                  \
    {                                                                                                     \
        u32 s = 0;                                                                                        \
        unsigned n = (unsigned)y % BITS;                                                                  \
        s = mix(s, (u32)(T)((U)x + (U)y)), s = mix(s, (u32)(T)((U)x - (U)y));                             \
        s = mix(s, (u32)(T)((u32)x * (u32)y)), s = mix(s, (u32)(T)(x & y));                               \
        s = mix(s, (u32)(T)(x | y)), s = mix(s, (u32)(T)(x ^ y)), s = mix(s, (u32)(T)~x);                 \
        s = mix(s, (u32)(T)((U)x << n)), s = mix(s, (u32)(T)(x >> n)), s = mix(s, (u32)(T)(0 - (U)x));    \
        s = mix(s, (u32)(x < y)), s = mix(s, (u32)(x <= y)), s = mix(s, (u32)(x == y));                   \
        s = mix(s, (u32)(x != y)), s = mix(s, (u32)(x > y)), s = mix(s, (u32)(x >= y));                   \
        s = mix(s, (u32)!x), s = mix(s, (u32)(x && y)), s = mix(s, (u32)(x || y));                        \
        s = mix(s, x > y ? (u32)x : (u32)y), s = mix(s, x < y ? (u32)x : (u32)y);                         \
        if (y != 0 && !((T) - 1 < 0 && y == (T) - 1)) s = mix(s, (u32)(x / y)), s = mix(s, (u32)(x % y)); \
        s = mix(s, (u32)(T)(x / 3)), s = mix(s, (u32)(T)(x % 3)), s = mix(s, (u32)(T)(x / 7));            \
        s = mix(s, (u32)(T)(x / 10)), s = mix(s, (u32)(T)(x % 10)), s = mix(s, (u32)(T)(x / 16));         \
        s = mix(s, (u32)(T)(x % 16)), s = mix(s, (u32)(T)(x / 100)), s = mix(s, (u32)(T)(x % 127));       \
        s = mix(s, (u32)(i8)x), s = mix(s, (u32)(u8)x), s = mix(s, (u32)(i16)x), s = mix(s, (u32)(u16)x); \
        return s;                                                                                         \
    }                                                                                                     \
    static NOINLINE void all_##T(void)                                                                    \
    {                                                                                                     \
        for (unsigned i = 0; i < COUNT(values); i++) {                                                    \
            u32 s = 0;                                                                                    \
            for (unsigned k = 0; k < COUNT(values); k++) s = mix(s, of_##T((T)values[i], (T)values[k]));  \
            out(s);                                                                                       \
        }                                                                                                 \
    }
OPERATIONS(i8, u8, 8)
OPERATIONS(u8, u8, 8)
OPERATIONS(i16, u16, 16)
OPERATIONS(u16, u16, 16)
OPERATIONS(i32, u32, 32)
OPERATIONS(u32, u32, 32)

static NOINLINE u32 mixed(i8 a, u8 b, i16 c, u16 d, i32 e, u32 f)
{
    u32 s = 0;
    s = mix(s, (u32)(a < b)), s = mix(s, (u32)(a < (i32)f)), s = mix(s, (u32)(e < c)),
    s = mix(s, (u32)((u32)e < f));
    s = mix(s, (u32)(a * d)), s = mix(s, (u32)(c * b)), s = mix(s, (u32)a + b + (u32)c + d + (u32)e + f);
    s = mix(s, (u32)(a >> 2)), s = mix(s, (u32)(b >> 2)), s = mix(s, (u32)(c >> 3)), s = mix(s, (u32)(d >> 3));
    s = mix(s, (u32)(-a)), s = mix(s, (u32)(~b)), s = mix(s, (u32)(a == (i8)b)), s = mix(s, (u32)(c == (i16)d));
    return s;
}

/* Constants that need one, two and more instructions, on either side. */
static NOINLINE u32 constants(u32 x)
{
    u32 s = 0;
    s = mix(s, x + 1), s = mix(s, x + 0x7fff), s = mix(s, x + 0x8000), s = mix(s, x + 0xffff),
    s = mix(s, x + 0x12345);
    s = mix(s, x - 1), s = mix(s, x - 0x8000), s = mix(s, x - 0x8001), s = mix(s, x + 0x12345678);
    s = mix(s, 5 - x), s = mix(s, 0x12345678 - x), s = mix(s, 0x8000 - x), s = mix(s, 0u - x);
    s = mix(s, x & 0xfff), s = mix(s, x & 0x1000), s = mix(s, x & 0xfffff000), s = mix(s, x & 0xfff00000);
    s = mix(s, x | 0xfff), s = mix(s, x | 0x1000), s = mix(s, x | 0xfff00000), s = mix(s, x | 0x00ff00ff);
    s = mix(s, x ^ 1), s = mix(s, x ^ 0xfff), s = mix(s, x ^ 0xffffffff), s = mix(s, x ^ 0x80000000);
    s = mix(s, x * 3), s = mix(s, x * 0x7fff), s = mix(s, x * 0x8000), s = mix(s, x * 0x12345),
    s = mix(s, x * 0xffffffff);
    s = mix(s, x == 0x7fff), s = mix(s, x == 0x8000), s = mix(s, x < 0xffff), s = mix(s, x < 0x10000),
    s = mix(s, x > 0xfffff);
    s = mix(s, (i32)x < -1), s = mix(s, (i32)x < 0x8000), s = mix(s, (i32)x > -0x8001),
    s = mix(s, (i32)x >= 0x7fffffff);
    return s;
}

int main(void)
{
    all_i8(), all_u8(), all_i16(), all_u16(), all_i32(), all_u32();
    for (unsigned i = 0; i < COUNT(values); i++) {
        out(constants(values[i]));
        for (unsigned k = 0; k < COUNT(values); k += 5)
            out(mixed((i8)values[i], (u8)values[k], (i16)values[i], (u16)values[k], (i32)values[k], values[i]));
    }
    return 0;
}
