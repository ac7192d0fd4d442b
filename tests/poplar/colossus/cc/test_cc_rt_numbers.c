/* SPDX-License-Identifier: MIT */
/* 64-bit integers and double of the runtime library, compiled for this machine, against its hardware: every pair of
 * numbers at boundaries, and random ones with near, far and special exponents. */
#define TW_RT_HOST
#include "poplar/colossus/cc/rt/workers.c"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 10000000 };

static uint64_t seed = 11;
static uint64_t random64(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = seed >> 33 ^ seed;
    return x * UINT64_C(0x9e3779b97f4a7c15) ^ x >> 29;
}
/* Runs of zeros and ones, short numbers, all bits. */
static uint64_t random_integer(void)
{
    uint64_t r = random64(), s = random64();
    if (r & 64) s = (s & 1 ? UINT64_MAX : 0) << (s >> 8 & 63);
    return (r & 128 ? s << (r & 63) : s >> (r & 63)) + (r >> 8 & 3) - 1;
}
/* Few or many bits of mantissa, an exponent near `near` or anywhere. */
static uint64_t random_double(uint64_t near)
{
    uint64_t r = random64(), m = random64() >> 12;
    if (r & 7) m = m >> (r >> 3 & 63) % 52 << (r >> 3 & 63) % 52;
    if ((r & 0x700) == 0) m = UINT64_C(0xfffffffffffff) - (m >> 40);
    uint64_t e = r >> 16 & 0x7ff;
    if (r >> 32 & 3) e = (near >> 52 & 0x7ff) + (r >> 34 & 127) - 64;
    if ((r >> 41 & 63) == 0) e = r >> 48 & 1 ? 0 : 0x7ff;
    return (r & UINT64_C(1) << 63) | (e & 0x7ff) << 52 | m;
}

static const uint64_t boundaries[] = {
    0,
    1,
    2,
    0xfffffffffffff,
    0x10000000000000,
    0x10000000000001,
    0x3690000000000000,
    0x36a0000000000000,
    0x36a0000000000001,
    0x37efffffffffffff,
    0x3810000000000000,
    0x3e70000000000000,
    0x3e60000000000001,
    0x3f10000000000000,
    0x3ca0000000000000,
    0x3cb0000000000000,
    0x3fe0000000000000,
    0x3fdfffffffffffff,
    0x3feffffffffffffe,
    0x3fefffffffffffff,
    0x3ff0000000000000,
    0x3ff0000000000001,
    0x3ff8000000000000,
    0x4000000000000000,
    0x4004000000000000,
    0x4007ffffffffffff,
    0x400c000000000000,
    0x40efffe000000000,
    0x40effdffffffffff,
    0x41dfffffffc00000,
    0x41dfffffffe00000,
    0x41e0000000000000,
    0x41efffffffe00000,
    0x41f0000000000000,
    0x4330000000000000,
    0x4330000000000001,
    0x4340000000000000,
    0x43dfffffffffffff,
    0x43e0000000000000,
    0x43efffffffffffff,
    0x43f0000000000000,
    0x47efffffe0000000,
    0x47efffffefffffff,
    0x47effffff0000000,
    0x47f0000000000000,
    0x7fdfffffffffffff,
    0x7fe0000000000000,
    0x7fefffffffffffff,
    0x7ff0000000000000,
    0x7ff0000000000001,
    0x7ff8000000000000,
    0x7fffffffffffffff,
};
enum { BOUNDARIES = sizeof boundaries / sizeof *boundaries };

static double value(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}
static uint64_t pattern(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

static void same_double(const char *name, uint64_t x, uint64_t y, double got, double want)
{
    if (isnan(want) ? pattern(got) != UINT64_C(0x7ff8000000000000) : pattern(got) != pattern(want))
        fail_msg("%s(%a, %a) [0x%016llx, 0x%016llx]: %a, not %a", name, value(x), value(y), (unsigned long long)x,
                 (unsigned long long)y, got, want);
}
static void same_integer(const char *name, uint64_t x, uint64_t y, uint64_t got, uint64_t want)
{
    if (got != want)
        fail_msg("%s(0x%llx, 0x%llx): 0x%llx, not 0x%llx", name, (unsigned long long)x, (unsigned long long)y,
                 (unsigned long long)got, (unsigned long long)want);
}

/* --- two operands
 * ------------------------------------------------------------------------------------------------ */

static int order(double x, double y, int unordered)
{
    return isnan(x) || isnan(y) ? unordered : (x > y) - (x < y);
}

static void arithmetic_of(uint64_t p, uint64_t q)
{
    double x = value(p), y = value(q);
    same_double("add", p, q, rt___adddf3(x, y), x + y);
    same_double("sub", p, q, rt___subdf3(x, y), x - y);
    same_double("mul", p, q, rt___muldf3(x, y), x * y);
    same_double("div", p, q, rt___divdf3(x, y), x / y);
    same_integer("eq", p, q, (uint64_t)rt___eqdf2(x, y), (uint64_t)order(x, y, 1));
    same_integer("lt", p, q, (uint64_t)rt___ltdf2(x, y), (uint64_t)order(x, y, 1));
    same_integer("ge", p, q, (uint64_t)rt___gedf2(x, y), (uint64_t)order(x, y, -1));
    same_integer("unord", p, q, (uint64_t)rt___unorddf2(x, y), isnan(x) || isnan(y));
    if (labs((long)(p >> 52 & 0x7ff) - (long)(q >> 52 & 0x7ff)) < 80)
        same_double("fmod", p, q, rt_fmod(x, y), fmod(x, y));
}

static void arithmetic(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4 * BOUNDARIES; i++)
        for (unsigned k = 0; k < BOUNDARIES; k++)
            arithmetic_of(boundaries[i / 4] | (uint64_t)(i & 1) << 63, boundaries[k] | (uint64_t)(i & 2) << 62);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t x = random_double(UINT64_C(1023) << 52);
        arithmetic_of(x, random_double(x));
    }
}

/* --- one operand
 * --------------------------------------------------------------------------------------------------- */

/* To integers with saturation, by comparison with the limits. */
static int64_t to_signed(double x, int bits)
{
    double limit = ldexp(1, bits - 1);
    int64_t least = bits == 64 ? INT64_MIN : INT32_MIN;
    if (isnan(x)) return 0;
    return x >= limit ? ~least : x < -limit ? least : (int64_t)x;
}
static uint64_t to_unsigned(double x, int bits)
{
    if (isnan(x) || x < 0) return 0;
    return x >= ldexp(1, bits) ? bits == 64 ? UINT64_MAX : UINT32_MAX : (uint64_t)x;
}

static void same_float(const char *name, uint64_t x, float got, float want)
{
    uint32_t a, b;
    memcpy(&a, &got, 4), memcpy(&b, &want, 4);
    if (isnan(want) ? a != 0x7fc00000 : a != b)
        fail_msg("%s(%a): %a, not %a", name, value(x), (double)got, (double)want);
}

static void unary_of(uint64_t p)
{
    double x = value(p);
    same_double("sqrt", p, 0, rt_sqrt(x), sqrt(x));
    same_double("floor", p, 0, rt_floor(x), floor(x));
    same_double("ceil", p, 0, rt_ceil(x), ceil(x));
    same_double("trunc", p, 0, rt_trunc(x), trunc(x));
    same_double("rint", p, 0, rt_rint(x), rint(x));
    same_double("round", p, 0, rt_round(x), round(x));
    same_float("truncsf", p, rt___truncdfsf2(x), (float)x);
    _Float16 half = rt___truncdfhf2(x), want = (_Float16)x;
    if (isnan(x) ? !isnan((float)half) : memcmp(&half, &want, 2) != 0)
        fail_msg("trunchf(%a): %a, not %a", x, (double)half, (double)want);
    same_integer("fixsi", p, 0, (uint64_t)rt___fixdfsi(x), (uint64_t)to_signed(x, 32));
    same_integer("fixdi", p, 0, (uint64_t)rt___fixdfdi(x), (uint64_t)to_signed(x, 64));
    same_integer("fixunssi", p, 0, rt___fixunsdfsi(x), to_unsigned(x, 32));
    same_integer("fixunsdi", p, 0, rt___fixunsdfdi(x), to_unsigned(x, 64));
    float f = (float)x;
    same_double("extendsf", p, 0, rt___extendsfdf2(f), (double)f);
    same_integer("fixsfdi", p, 0, (uint64_t)rt___fixsfdi(f), (uint64_t)to_signed((double)f, 64));
    same_integer("fixunssfdi", p, 0, rt___fixunssfdi(f), to_unsigned((double)f, 64));
}

static void one_operand(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * BOUNDARIES; i++) unary_of(boundaries[i / 2] | (uint64_t)(i & 1) << 63);
    for (unsigned i = 0; i < ROUNDS / 5; i++) unary_of(random_double(UINT64_C(1040) << 52));
    for (uint32_t h = 0; h < 65536; h++) {
        uint16_t bits = (uint16_t)h;
        _Float16 half;
        memcpy(&half, &bits, 2);
        same_double("extendhf", h, 0, rt___extendhfdf2(half), (double)half);
    }
}

static void integers_to_floats(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROUNDS / 5; i++) {
        uint64_t n = i < 65 ? (i ? UINT64_MAX >> (i - 1) : 0) : random_integer();
        same_double("floatundi", n, 0, rt___floatundidf(n), (double)n);
        same_double("floatdi", n, 0, rt___floatdidf((int64_t)n), (double)(int64_t)n);
        same_double("floatunsi", n, 0, rt___floatunsidf((uint32_t)n), (double)(uint32_t)n);
        same_double("floatsi", n, 0, rt___floatsidf((int32_t)n), (double)(int32_t)n);
        same_float("floatundisf", n, rt___floatundisf(n), (float)n);
        same_float("floatdisf", n, rt___floatdisf((int64_t)n), (float)(int64_t)n);
    }
}

static void one_rounding(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROUNDS / 5; i++) {
        float v[3];
        for (unsigned k = 0; k < 3; k++) {
            uint64_t x = random_double(UINT64_C(1023) << 52);
            v[k] = (float)value(x);
        }
        if (i & 1) v[2] = -v[0] * v[1] * (i & 2 ? 1 : 0x1.000002p0f);
        same_float("fmaf", pattern((double)v[0]), rt_fmaf(v[0], v[1], v[2]), fmaf(v[0], v[1], v[2]));
    }
    for (unsigned i = 0; i < ROUNDS;
         i++) { /* few bits, so that sums stand between two results, around 2^-39 and 2^52 */
        uint64_t r = random_integer() * UINT64_C(0x9e3779b97f4a7c15);
        float x = (float)(int32_t)(r & 0xffff), y = (float)(int32_t)(r >> 16 & 0xfff) - 2048;
        float z = (float)(int32_t)(r >> 28 & 0xff) - 128;
        x = ldexpf(x, (int)(r >> 36 & 127) - 70), y = ldexpf(y, (int)(r >> 43 & 31) - 16);
        z = i & 1 ? ldexpf(z, (int)(r >> 48 & 127) - 70) : x * y * (i & 2 ? -1 : 0x1p-24f);
        same_float("fmaf", pattern((double)x), rt_fmaf(x, y, z), fmaf(x, y, z));
    }
}

/* --- integers
 * -------------------------------------------------------------------------------------------------------- */

static void integers_of(uint64_t x, uint64_t y)
{
    unsigned count = (unsigned)y & 63;
    same_integer("shl", x, count, rt___ashldi3(x, (int)count), x << count);
    same_integer("shr", x, count, rt___lshrdi3(x, (int)count), x >> count);
    same_integer("sar", x, count, (uint64_t)rt___ashrdi3((int64_t)x, (int)count), (uint64_t)((int64_t)x >> count));
    same_integer("mul", x, y, rt___muldi3(x, y), x * y);
    if (y == 0) return;
    uint64_t rest;
    same_integer("udiv", x, y, rt___udivdi3(x, y), x / y);
    same_integer("umod", x, y, rt___umoddi3(x, y), x % y);
    same_integer("udivmod", x, y, rt___udivmoddi4(x, y, &rest), x / y);
    same_integer("rest", x, y, rest, x % y);
    if (x == UINT64_C(1) << 63 && y == UINT64_MAX) return;
    same_integer("div", x, y, (uint64_t)rt___divdi3((int64_t)x, (int64_t)y), (uint64_t)((int64_t)x / (int64_t)y));
    same_integer("mod", x, y, (uint64_t)rt___moddi3((int64_t)x, (int64_t)y), (uint64_t)((int64_t)x % (int64_t)y));
}

static void integers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 256; i++)
        for (unsigned k = 0; k < 256; k++)
            integers_of((UINT64_C(1) << (i & 63)) + (i >> 6) - 2, (UINT64_C(1) << (k & 63)) + (k >> 6) - 2);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t x = random_integer(), y = random_integer();
        integers_of(x, y);
        if (y && i % 8 == 0) integers_of(x / y * y - 1, y), integers_of(x / y * y, y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),   cmocka_unit_test(one_operand), cmocka_unit_test(integers_to_floats),
        cmocka_unit_test(one_rounding), cmocka_unit_test(integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
