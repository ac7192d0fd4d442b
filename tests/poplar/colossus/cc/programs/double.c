/* SPDX-License-Identifier: MIT */
/* double: all of it is library code on the chip. Arithmetic, comparison, conversions, arguments, results, arrays. */
#include "program.h"

static volatile double values[] = { 0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    0.5,
                                    1.5,
                                    -2.5,
                                    3.0,
                                    1e-300,
                                    1e300,
                                    -1e300,
                                    4503599627370496.0,
                                    9007199254740993.0,
                                    2147483647.5,
                                    -2147483648.5,
                                    4294967295.5,
                                    0.1,
                                    1.0 / 3,
                                    3.141592653589793,
                                    65504.0,
                                    1e38,
                                    3.5e38,
                                    1e-310,
                                    5e-324,
                                    __builtin_inf(),
                                    -__builtin_inf(),
                                    __builtin_nan("") };

static NOINLINE void pair(double x, double y)
{
    out_double(x + y), out_double(x - y), out_double(x * y), out_double(x / y);
    out((u32)(x < y) | (u32)(x <= y) << 1 | (u32)(x == y) << 2 | (u32)(x != y) << 3 | (u32)(x > y) << 4 |
        (u32)(x >= y) << 5 | (u32) !(x < y) << 6 | (u32) !(x >= y) << 7 | (u32)__builtin_isunordered(x, y) << 8 |
        (u32)__builtin_isgreater(x, y) << 9);
    out_double(x < y ? x : y), out_double(__builtin_copysign(x, y));
}
static NOINLINE void single(double x)
{
    out_double(-x), out_double(__builtin_fabs(x)), out_double(__builtin_floor(x)), out_double(__builtin_ceil(x)),
        out_double(__builtin_trunc(x));
    if (x >= 0) out_double(__builtin_sqrt(x));
    if (__builtin_fabs(x) < 2e9) out((u32)(i32)x), out((u32)(i8)(i32)x);
    if (__builtin_fabs(x) < 9e18) out64((u64)(i64)x);
    if (x >= 0 && x < 4e9) out((u32)x);
    if (x >= 0 && x < 1.8e19) out64((u64)x);
    if (!(__builtin_fabs(x) < 1e-37) || x == 0) out_float((float)x);
    out((u32)!x);
}
struct holder {
    char c;
    double d;
    float f;
};
static NOINLINE struct holder hold(double d, char c, float f)
{
    struct holder h = { c, d * f, f };
    return h;
}
static NOINLINE double sum(const double *x, unsigned n)
{
    double s = 0;
    for (unsigned i = 0; i < n; i++) s += x[i] * (i & 1 ? 0.5 : -2.0);
    return s;
}

int main(void)
{
    static const i64 numbers[] = { 0,
                                   1,
                                   -1,
                                   0x20000000000001,
                                   -0x20000000000001,
                                   0x7fffffffffffffff,
                                   (i64)0x8000000000000000,
                                   1234567890123456789 };
    double table[6];
    for (unsigned i = 0; i < COUNT(values); i++) {
        single(values[i]);
        for (unsigned k = 0; k < COUNT(values); k++) pair(values[i], values[k]);
    }
    for (unsigned i = 0; i < COUNT(numbers); i++)
        out_double((double)numbers[i]), out_double((double)(u64)numbers[i]), out_double((double)(i32)numbers[i]),
            out_double((double)(u32)numbers[i]);
    for (unsigned i = 0; i < 6; i++) table[i] = values[i + 10];
    struct holder h = hold(values[18], 'x', 2.5f);
    out_double(sum(table, 6)), out_double(h.d), out((u32)h.c), out_float(h.f), out(sizeof h);
    return 0;
}
