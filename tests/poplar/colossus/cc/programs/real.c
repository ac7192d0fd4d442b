/* SPDX-License-Identifier: MIT */
/* float: arithmetic, comparison with NaN and infinity, conversions, rounding, the exact functions. No subnormal
 * numbers: the chip has none. */
#include "program.h"

static volatile float values[] = { 0.0f,
                                   -0.0f,
                                   1.0f,
                                   -1.0f,
                                   0.5f,
                                   1.5f,
                                   2.5f,
                                   -2.5f,
                                   3.0f,
                                   1e-10f,
                                   1e10f,
                                   -1e10f,
                                   16777216.0f,
                                   16777217.0f,
                                   2147483520.0f,
                                   0.1f,
                                   0.3333333f,
                                   3.1415927f,
                                   65504.0f,
                                   1e20f,
                                   1e38f,
                                   -1e38f,
                                   __builtin_inff(),
                                   -__builtin_inff() };
static volatile float nothing = __builtin_nanf("");

static NOINLINE void pair(float x, float y)
{
    out_float(x + y), out_float(x - y), out_float(x * y);
    if (y != 0) out_float(x / y);
    out((u32)(x < y) | (u32)(x <= y) << 1 | (u32)(x == y) << 2 | (u32)(x != y) << 3 | (u32)(x > y) << 4 |
        (u32)(x >= y) << 5);
    out((u32) !(x < y) | (u32) !(x <= y) << 1 | (u32)__builtin_isunordered(x, y) << 2 |
        (u32)__builtin_islessgreater(x, y) << 3);
    out_float(x < y ? x : y), out_float(x > y ? x : y), out_float(x < y ? 1.0f : -1.0f), out(x < y ? 17 : 4);
    out_float(__builtin_copysignf(x, y)), out_float(x * 2.0f + y);
    if (x < y)
        out(1);
    else
        out(2);
    if (!(x >= y)) out(3);
}
static NOINLINE void single(float x)
{
    out_float(-x), out_float(__builtin_fabsf(x)), out_float(__builtin_floorf(x)), out_float(__builtin_ceilf(x));
    out_float(__builtin_truncf(x)), out_float(__builtin_rintf(x)), out_float(__builtin_roundf(x));
    out((u32)__builtin_isnan(x) | (u32)__builtin_isinf(x) << 1 | (u32)__builtin_isfinite(x) << 2 |
        (u32) !!__builtin_signbit(x) << 3);
    if (x >= 0) out_float(__builtin_sqrtf(x));
    out((u32)!x), out(x ? 1 : 2);
    if (__builtin_fabsf(x) < 2e9f) out((u32)(i32)x), out((u32)(i16)(i32)x), out64((u64)(i64)x);
    if (x >= 0 && x < 4e9f) out((u32)x), out64((u64)x);
    out_double((double)x), out_double((double)x * 3);
}
static NOINLINE void integers(i32 a, u32 b, i16 c, u8 d, i64 e, u64 f)
{
    out_float((float)a), out_float((float)b), out_float((float)c), out_float((float)d), out_float((float)e),
        out_float((float)f);
}
static NOINLINE float series(int n)
{
    float sum = 0, term = 1;
    for (int i = 1; i < n; i++) sum += term, term = term * 0.9f / (float)i + 0.01f;
    return sum;
}
static NOINLINE float horner(const float *c, int n, float x)
{
    float y = 0;
    while (n--) y = y * x + c[n];
    return y;
}

int main(void)
{
    static const i64 numbers[] = {
        0, 1, -1, 16777217, -16777217, 33554433, 0x7fffffff, -0x80000000ll, 0x7fffffffffffffff, 0x8000008000000001
    };
    static const float coefficients[] = { 1, -0.5f, 0.25f, 3, -7, 0.125f };
    for (unsigned i = 0; i < COUNT(values); i++) {
        single(values[i]);
        for (unsigned k = 0; k < COUNT(values); k++) pair(values[i], values[k]);
        pair(values[i], nothing), pair(nothing, values[i]);
    }
    for (unsigned i = 0; i < COUNT(numbers); i++)
        integers((i32)numbers[i], (u32)numbers[i], (i16)numbers[i], (u8)numbers[i], numbers[i], (u64)numbers[i]);
    for (int n = 1; n < 40; n += 7) out_float(series(n)), out_float(horner(coefficients, n % 6 + 1, values[n % 9]));
    return 0;
}
