/* SPDX-License-Identifier: MIT */
/* Switches with tables and without: each value inside, at both ends and outside, for conditions of all sizes. No two
 * cases in a row do the same, so that none of it becomes data. */
#include "program.h"

#define A(n) \
    case n: y = y * 3 + (u32)(n); break;
#define B(n) \
    case n: y = (y ^ 0x55) - (u32)(n); break;
#define C(n) \
    case n: y = mix(y, (u32)(n)); break;
#define D(n) \
    case n: y = y / 7 + (y >> 3); break;
#define FOUR(n)         A(n) B((n) + 1) C((n) + 2) D((n) + 3)
#define SIXTEEN(n)      FOUR(n) FOUR((n) + 4) FOUR((n) + 8) FOUR((n) + 12)
#define SPREAD(n, step) A(n) B((n) + (step)) C((n) + 2 * (step)) D((n) + 3 * (step))

#define SWITCH(name, type, cases)           \
    static NOINLINE u32 name(type x, u32 y) \
    {                                       \
        switch (x) {                        \
            cases default : y += 5;         \
        }                                   \
        return y;                           \
    }
/* Those of all 2^bits values, or `count` from `first` on. */
#define RUN(name, type, first, count) \
    for (u32 i = 0; i < (count); i++) out(name((type)((first) + (type)i), i * 77))

SWITCH(signed_byte, i8, FOUR(-6) FOUR(-2) FOUR(2))
SWITCH(byte_ends, i8, FOUR(-128) FOUR(-124) FOUR(120) FOUR(124))
SWITCH(high_bytes, u8, FOUR(240) FOUR(248) FOUR(252))
SWITCH(signed_half, i16, FOUR(-4) SIXTEEN(0))
SWITCH(half_ends, i16, FOUR(-32768) FOUR(-32764) FOUR(32760) FOUR(32764))
SWITCH(high_halves, u16, FOUR(65524) FOUR(65528) FOUR(65532))
SWITCH(from_zero, u32, SIXTEEN(0))
SWITCH(from_one, u32, SIXTEEN(1))
SWITCH(from_three, u32, SIXTEEN(3))
SWITCH(six, u32, FOUR(1) A(5) B(6))
SWITCH(around_zero, i32, FOUR(-8) FOUR(-4) FOUR(0) FOUR(4))
SWITCH(word_ends, i32, FOUR(-2147483647 - 1) FOUR(-2147483644) FOUR(2147483640) FOUR(2147483644))
SWITCH(middle, u32, FOUR(0x7ffffff8u) FOUR(0x7ffffffcu) FOUR(0x80000000u) FOUR(0x80000004u))
SWITCH(holes, u32, SPREAD(10, 2) SPREAD(18, 2) SPREAD(26, 2) SPREAD(34, 2) SPREAD(42, 2))
SWITCH(sparse, u32, SPREAD(10, 5) SPREAD(30, 5) SPREAD(50, 5) SPREAD(70, 5))
SWITCH(mixed, u32, SIXTEEN(0) A(1000) B(5000) SIXTEEN(70000) C(0xffffffffu) SIXTEEN(100000))
SWITCH(long_around, i64, FOUR(-8) FOUR(-4) FOUR(0) FOUR(4))
SWITCH(long_high, i64, SIXTEEN(0x700000000) FOUR(0x2fffffff8) FOUR(0x2fffffffc) FOUR(0x300000000) FOUR(0x300000004))
SWITCH(long_ends, u64, FOUR(0xfffffffffffffff8u) FOUR(0xfffffffffffffffcu) FOUR(0) FOUR(4))
SWITCH(long_one, u64, A(0x500000000) B(7))

static NOINLINE u32 complete(u32 x, u32 y)
{
    switch (x & 15) {
        SIXTEEN(0)
    }
    switch (x >> 30) {
        FOUR(0)
    }
    return y;
}

/* No other values: there is no compare, and numbers without a case never come. */
static NOINLINE u32 known(i32 x, u32 y)
{
    switch (x) {
        FOUR(-40) SPREAD(-30, 2) FOUR(-20) default : __builtin_unreachable();
    }
    return y;
}
static NOINLINE u32 known_spread(i32 x, u32 y)
{
    switch (x) {
        SPREAD(-3000, 1000) FOUR(7) C(500) default : __builtin_unreachable();
    }
    return y;
}
static NOINLINE u32 known_long(i64 x, u32 y)
{
    switch (x) {
        FOUR(0x900000000) FOUR(0x900000004) default : __builtin_unreachable();
    }
    return y;
}

/* A machine: tables that lead into their own loop, cases that share a place, some that go on into the next. */
static inline u32 step(u32 x, u32 y)
{
    switch (x) {
        FOUR(2) FOUR(6) default : y ^= x;
    }
    return y;
}
static NOINLINE u32 machine(const u8 *code, u32 count)
{
    u32 y = 1, z = 2, sum = 0;
    float f = 1;
    for (u32 at = 0; at < count; at++) {
        switch (code[at]) {
        case 0: y += z; break;
        case 1: continue;
        case 2: z = y ^ sum; /* fallthrough */
        case 3: sum += z; break;
        case 4:
        case 5:
        case 8: f = f * 0.5f + (float)(y & 7); break;
        case 6: at += code[at] & 1; break;
        case 7: y = step(z & 15, y); break;
        case 9: return sum + y;
        case 10: z = step(y & 15, z) + step(sum & 15, y); break;
        case 11:
            while (y & 1) y >>= 1, sum++;
            break;
        default: sum = mix(sum, y + z);
        }
        sum ^= (u32)(i32)f;
    }
    return mix(sum, mix(y, z));
}

/* What is called through a pointer is told to the linker, or is an error; a table does not change that. */
static NOINLINE u32 twice(u32 x)
{
    return 2 * x;
}
static u32 (*volatile pointer)(u32) = twice;
static NOINLINE u32 through_pointer(u32 x, u32 y)
{
    switch (x) {
        SIXTEEN(0) default : y = pointer(y);
    }
    return y;
}
#ifdef __IPU__
__asm__(".stack_calls through_pointer, twice\n");
#endif

int main(void)
{
    u8 code[64];
    RUN(signed_byte, i8, 0, 256);
    RUN(byte_ends, i8, 0, 256);
    RUN(high_bytes, u8, 0, 256);
    RUN(signed_half, i16, -40, 80);
    RUN(half_ends, i16, -32788, 40);
    RUN(high_halves, u16, 65510, 40);
    RUN(from_zero, u32, -3u, 24);
    RUN(from_one, u32, -3u, 24);
    RUN(from_three, u32, -3u, 28);
    RUN(six, u32, -3u, 14);
    RUN(around_zero, i32, -20, 40);
    RUN(word_ends, u32, 0x7fffffe0u, 64);
    RUN(middle, u32, 0x7fffffe0u, 64);
    RUN(holes, u32, 0, 70);
    RUN(sparse, u32, 0, 100);
    RUN(mixed, u32, -20u, 60);
    RUN(mixed, u32, 990, 20);
    RUN(mixed, u32, 4990, 20);
    RUN(mixed, u32, 69990, 40);
    RUN(mixed, u32, 99990, 40);
    RUN(long_around, i64, -20, 40);
    RUN(long_around, i64, 0x100000000 - 20, 40);
    RUN(long_high, i64, 0x6fffffff0, 40);
    RUN(long_high, i64, 0x2ffffffe0, 64);
    RUN(long_high, i64, -20, 40);
    RUN(long_ends, u64, 0 - 20ull, 40);
    RUN(long_ends, u64, 0x100000000 - 20, 40);
    RUN(long_one, u64, 0x4fffffffe, 4);
    RUN(long_one, u64, 5, 4);
    RUN(complete, u32, 0xfffffff0u, 32);
    RUN(complete, u32, 0x7ffffff0u, 32);
    RUN(complete, u32, 0x3ffffff0u, 32);
    RUN(known, i32, -40, 4);
    for (i32 x = -30; x <= -24; x += 2) out(known(x, 3));
    RUN(known, i32, -20, 4);
    for (i32 x = -3000; x <= 0; x += 1000) out(known_spread(x, 3));
    RUN(known_spread, i32, 7, 4);
    out(known_spread(500, 3));
    RUN(known_long, i64, 0x900000000, 8);
    RUN(through_pointer, u32, -3u, 24);
    for (u32 round = 0; round < 40; round++) {
        for (u32 i = 0; i < COUNT(code); i++)
            code[i] = (u8)((i * 7 + round * round * 13 + (i >> 3)) % (round & 1 ? 14 : 9));
        out(machine(code, COUNT(code)));
    }
    return 0;
}
