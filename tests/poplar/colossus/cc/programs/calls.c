/* SPDX-License-Identifier: MIT */
/* Many arguments of all kinds, variable ones, pointers to functions, recursion, results of all kinds. */
#include "program.h"
typedef __builtin_va_list va_list;
#define va_start __builtin_va_start
#define va_arg   __builtin_va_arg
#define va_end   __builtin_va_end
#define va_copy  __builtin_va_copy

struct small {
    short s;
};
struct large {
    int a[5];
};

static volatile int one = 1;

static NOINLINE u32 ints(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
    return mix(
        mix(mix(mix(mix(mix(mix(mix(mix((u32)a, (u32)b), (u32)c), (u32)d), (u32)e), (u32)f), (u32)g), (u32)h),
            (u32)i),
        (u32)j);
}
static NOINLINE float floats(float a, float b, float c, float d, float e, float f, float g, float h)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
static NOINLINE double all(u8 a, float b, i64 c, i16 d, double e, int f, float g, double h, u64 i, struct large j,
                           struct small k)
{
    return a + b + (double)c + d + e + f + g + h + (double)i + j.a[4] + k.s;
}
static NOINLINE u32 listed(int n, ...)
{
    va_list list, again;
    u32 s = 0;
    va_start(list, n);
    va_copy(again, list);
    for (int i = 0; i < n; i++) {
        s = mix(s, (u32)va_arg(list, int));
        u64 l = va_arg(list, u64);
        s = mix(s, (u32)(l >> 32) ^ (u32)l);
        s = mix(s, (u32)(int)(va_arg(list, double) * 16));
        struct large g = va_arg(list, struct large);
        s = mix(s, (u32)g.a[2]);
        s = mix(s, (u32)*va_arg(list, char *));
    }
    s = mix(s, (u32)va_arg(again, int));
    va_end(list);
    va_end(again);
    return s;
}
static NOINLINE u32 through(const char *kinds, va_list list)
{
    u32 s = 0;
    for (; *kinds; kinds++) {
        if (*kinds == 'i') s = mix(s, va_arg(list, u32));
        if (*kinds == 'l') s = mix(s, (u32)(va_arg(list, u64) >> 8));
        if (*kinds == 's') s = mix(s, (u32)va_arg(list, struct small).s);
    }
    return s;
}
static NOINLINE u32 kinds(const char *text, ...)
{
    va_list list;
    va_start(list, text);
    u32 s = through(text, list);
    va_end(list);
    return s;
}
static int plus(int a, int b)
{
    return a + b;
}
static int minus(int a, int b)
{
    return a - b;
}
static int product(int a, int b)
{
    return a * b;
}
typedef int binary(int, int);
static binary *const table[] = { plus, minus, product };
static NOINLINE binary *choose(int i)
{
    return table[i % 3];
}
static NOINLINE int apply(binary *f, int a, int b)
{
    return f(a, b) + f(b, a);
}

#ifdef __IPU__
__asm__(".stack_total fibonacci, 512\n"); /* what DEF_STACK_USAGE says */
#endif
static NOINLINE u32 fibonacci(u32 n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
static NOINLINE int is_odd(u32 n);
static NOINLINE int is_even(u32 n)
{
    return n == 0 ? one : is_odd(n - 1);
}
static NOINLINE int is_odd(u32 n)
{
    return n == 0 ? 0 : is_even(n - 1);
}
static NOINLINE u32 ackermann(u32 m, u32 n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static NOINLINE u32 hanoi(int n, u8 *pegs, int from, int to)
{
    if (n == 0) return 0;
    int by = 3 - from - to;
    u32 moves = hanoi(n - 1, pegs, from, by);
    pegs[from]--, pegs[to]++;
    return moves + 1 + hanoi(n - 1, pegs, by, to);
}
static NOINLINE i8 narrow(int x)
{
    return (i8)x;
}
static NOINLINE u16 narrower(int x)
{
    return (u16)x;
}
static NOINLINE _Bool truth(int x)
{
    return x > 3;
}

int main(void)
{
    struct large l = { { 1, 2, 3, 4, 5 * one } };
    struct small s = { (short)(-7 * one) };
    out(ints(1, 2, 3, 4, 5, 6 * one, 7, 8, 9, 10)), out_float(floats(1, 2, 3, 4, 5, 6, 7, (float)(8 * one)));
    out_double(all(200, 1.5f, -5000000000, -3, 0.25, 7, 2.5f, 1e10, 0x8000000000000000, l, s));
    out(listed(2, 5, 0x123456789ull, 1.25, l, "x", one, 77ull, -3.5, l, "yz"));
    out(kinds("ilsils", 1u, 2ull << 20, s, 3u * (u32)one, 5ull << 33, s)), out(kinds(""));
    for (int i = 0; i < 6; i++) out((u32)choose(i * one)(i, 3)), out((u32)apply(choose(i), 10, i));
    u8 pegs[3] = { 8, 0, 0 };
    out(fibonacci(15)), out((u32)is_even(101)), out(ackermann(2, 7)), out(hanoi(8, pegs, 0, 2)), out(pegs[2]);
    for (int i = 126; i < 130; i++) out((u32)narrow(i * one)), out((u32)narrower(-i)), out((u32)truth(i - 125));
    return 0;
}
