/* SPDX-License-Identifier: MIT */
/* Vectors of all kinds: arithmetic, comparison, selection, lanes, shuffles, conversions, memory, arguments and
 * results. */
#include "program.h"

typedef _Float16 half;
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef half half2 __attribute__((ext_vector_type(2)));
typedef half half4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef short short2 __attribute__((ext_vector_type(2)));
typedef short short4 __attribute__((ext_vector_type(4)));
typedef u8 uchar4 __attribute__((ext_vector_type(4)));
typedef u32 uint2 __attribute__((ext_vector_type(2)));

static volatile int one = 1;

static void out_half(half x)
{
    union {
        half h;
        u16 u;
    } bits = { x };
    out(x != x ? 0x7e00 : bits.u);
}
#define OUT2(put, v) put((v)[0]), put((v)[1])
#define OUT4(put, v) OUT2(put, v), put((v)[2]), put((v)[3])

static NOINLINE float2 f2(float2 a, float2 b)
{
    return a * b + a - b / 2.0f;
}
static NOINLINE float4 f4(float4 a, float4 b, float s)
{
    return a * s + b * a - (float4)(1.5f);
}
static NOINLINE half2 h2(half2 a, half2 b)
{
    return a * b + a - b;
}
static NOINLINE half4 h4(half4 a, half4 b, half s)
{
    return a * s + b - a;
}
static NOINLINE int4 i4(int4 a, int4 b)
{
    return (a + b) * a - (b >> 1) ^ (a & b) | ~a;
}
static NOINLINE short4 s4(short4 a, short4 b)
{
    return a * b + (a >> 2) - (b << 1);
}
static NOINLINE short2 s2(short2 a, short2 b)
{
    return (a ^ b) + (short2)(7);
}
static NOINLINE uchar4 c4(uchar4 a, uchar4 b)
{
    return a * b + (a >> 3) - b;
}
static NOINLINE float2 choose(float2 a, float2 b)
{
    int2 m = a < b;
    return (float2)(((int2)a & m) | ((int2)b & ~m));
}
static NOINLINE float4 lanes(float4 a, int i, float x)
{
    a[i] = x;
    a[(i + 1) & 3] += a[(i + 2) & 3];
    return a;
}
static NOINLINE half4 half_lanes(half4 a, int i, half x)
{
    a[i & 3] = x;
    return a;
}
static NOINLINE half4 narrow(float4 a)
{
    return __builtin_convertvector(a, half4);
}
static NOINLINE float4 widen(half4 a)
{
    return __builtin_convertvector(a, float4);
}
static NOINLINE int4 whole(float4 a)
{
    return __builtin_convertvector(a, int4);
}
static NOINLINE float4 from(int4 a)
{
    return __builtin_convertvector(a, float4);
}
static NOINLINE float4 several(half2 a, float4 b, half4 c, float2 d, int2 e)
{
    return (float4)((float)a.x, b.y, (float)c.z, d.x + (float)e.y);
}

int main(void)
{
    float2 a = { 1.5f * one, -2 }, b = { 3, 0.25f };
    float4 c = { 1, 2, 3, 4 * one }, d = { -0.5f, 8, 0.125f, 100 };
    half2 e = { 1.5f16, (half)(2.0f * one) }, f = { -3, 0.5f16 };
    half4 g = { 1, -2, 3.5f16, (half)(float)(4 * one) }, h = { 0.5f16, 10, -1, 7 };
    int4 i = { 1, -5, 100000, 7 * one }, j = { 3, 4, -5, 0x7fff };
    short4 k = { 100, -200, 300, (short)(7 * one) }, l = { 3, -4, 500, 9 };
    uchar4 m = { 200, 100, 50, (u8)(25 * one) }, n = { 3, 7, 11, 250 };
    OUT2(out_float, f2(a, b)), OUT4(out_float, f4(c, d, 0.75f)), OUT2(out_half, h2(e, f)),
        OUT4(out_half, h4(g, h, 0.25f16));
    OUT4(out, i4(i, j));
    OUT4(out, s4(k, l)), OUT2(out, s2(k.xz, l.yw)), OUT4(out, c4(m, n)), OUT2(out_float, choose(a, b));
    for (int x = 0; x < 4; x++)
        OUT4(out_float, lanes(c, x * one, 9.5f)), OUT4(out_half, half_lanes(g, x * one, 6.5f16));
    OUT4(out_half, narrow(d)), OUT4(out_float, widen(g)), OUT4(out, whole(d)), OUT4(out_float, from(i));
    OUT4(out_float, c.wzyx), OUT4(out_float, c.xxzz), OUT2(out_float, d.yw), OUT4(out_half, g.zwxy),
        OUT2(out_half, h.wx), OUT4(out_half, h.xxww);
    OUT4(out_float, several(e, c, g, a, i.xy));
    int4 less = c < d, equal = i == j;
    OUT4(out, less), OUT4(out, equal);
    short4 half_less = g < h;
    OUT4(out, half_less);
    half4 many[5];
    for (int x = 0; x < 5; x++) many[x] = g * (half)(float)(x + one);
    half4 sum = many[0];
    for (int x = 1; x < 5; x++) sum += many[x], many[x].y = sum.w;
    OUT4(out_half, sum), OUT4(out_half, many[3]);
    return 0;
}
