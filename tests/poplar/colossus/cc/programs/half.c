/* SPDX-License-Identifier: MIT */
/* _Float16: one rounding for each operation; conversions, arrays, arguments, members. No exception where the rest
 * of a register would cause one. */
#include "program.h"

typedef _Float16 half;
static volatile half values[] = {
    0.0f16, -0.0f16,   1.0f16,    -1.0f16,   0.5f16,   1.5f16,   -2.5f16,   3.0f16,
    0.1f16, 2048.0f16, 2049.0f16, 0.3333f16, 100.0f16, 200.0f16, -180.0f16, 0.0625f16
};

static void out_half(half x)
{
    union {
        half h;
        u16 u;
    } bits = { x };
    out(x != x ? 0x7e00 : bits.u);
}
static NOINLINE void pair(half x, half y)
{
    out_half(x + y), out_half(x - y), out_half(x * y);
    if (y != 0) out_half(x / y);
    out((u32)(x < y) | (u32)(x <= y) << 1 | (u32)(x == y) << 2 | (u32)(x != y) << 3 | (u32)(x > y) << 4 |
        (u32)(x >= y) << 5);
    out_half(x < y ? x : y), out_half(x * y + x), out(x < y ? 5 : 6);
}
static NOINLINE void single(half x)
{
    out_half(-x), out_float((float)x), out((u32)(int)x), out_half((half)((float)x * 1.7f)), out_half((half)(int)x),
        out_double((double)x);
    out_half((half)((double)x / 3)), out((u32)!x);
}
struct holder {
    half a;
    u8 b;
    half c[3];
};
static NOINLINE struct holder hold(half a, u8 b, half c)
{
    struct holder h = { a + c, b, { c, a, c * a } };
    return h;
}
static NOINLINE half many(half a, half b, half c, half d, half e, half f, half g, half h)
{
    return a - b + c * d - e + f * g - h;
}
static NOINLINE half sum(const half *x, unsigned n)
{
    half s = 0;
    for (unsigned i = 0; i < n; i++) s += x[i];
    return s;
}
static NOINLINE void scale(half *x, unsigned n, half by)
{
    for (unsigned i = 0; i < n; i++) x[i] = x[i] * by + (half)0.5f;
}

int main(void)
{
    half table[21];
    for (unsigned i = 0; i < COUNT(values); i++) {
        single(values[i]);
        for (unsigned k = 0; k < COUNT(values); k++)
            if (__builtin_fabsf((float)values[i] * (float)values[k]) < 60000) pair(values[i], values[k]);
    }
    for (unsigned i = 0; i < 21; i++) table[i] = values[i % 8] + (half)(int)i;
    out_half(sum(table, 21)), scale(table + 1, 17, 0.75f16), out_half(sum(table, 20)), out_half(sum(table + 1, 7));
    for (unsigned i = 0; i < 21; i++) out_half(table[i]);
    struct holder h = hold(values[5], 200, values[6]);
    out_half(h.a), out(h.b), out_half(h.c[2]), out(sizeof h);
    out_half(many(values[2], values[3], values[4], values[5], values[6], values[7], values[8], values[11]));
    return 0;
}
