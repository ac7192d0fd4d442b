/* SPDX-License-Identifier: MIT */
/* The float family against single operations in order, each rounded to float by way of double (exact for products of
 * two floats, and for sums: rounding twice is harmless, a double has more than 2 x 24 + 2 bits). Bit by bit, NaN
 * aside: every name, every pair of types, with start and offsets, lane by lane, with z in x. */
#ifndef __cplusplus /* g++ misplaces large vectors passed to templates that are not inlined */
#define TW__AIE static __attribute__((noinline, unused))
#endif
#include <tilewright/aie/float.h>
#include "aie/aie_cases.h"

#include <math.h>

static float xb[32], zb[8], ab[8], want[8];
static struct {
    int xs, zs, ones, absolute, addmode, cmpmode;
    unsigned xo, zo, mask;
} p;

static float draw_float(void)
{
    static const float extreme[] = { 0.0f,     -0.0f,     1.0f,           -1.0f,  3.4028235e38f, -3.4028235e38f,
                                     INFINITY, -INFINITY, 1.1754944e-38f, 1e-45f, 16777217.0f,   NAN };
    uint32_t bits = rnd();
    float f;
    if (rnd() % 8 == 0) return extreme[rnd() % 12];
    if (rnd() % 8 == 0)
        bits &= 0x80ffffffu; /* denormals and the smallest normal ones */
    else if (rnd() % 2)
        bits = (bits & 0x80ffffffu) | 0x3f000000u; /* near 1: sums round */
    memcpy(&f, &bits, 4);
    return f;
}
static void draw(void)
{
    for (int i = 0; i < 32; i++) xb[i] = draw_float();
    for (int i = 0; i < 8; i++) zb[i] = draw_float(), ab[i] = rnd() % 4 ? draw_float() : xb[rnd() % 32];
    p.xs = (int)(rnd() % 32), p.zs = (int)(rnd() % 8), p.xo = rnd(), p.zo = rnd();
    p.ones = (int)(rnd() % 2), p.absolute = (int)(rnd() % 2), p.addmode = (int)(rnd() % 4);
    p.cmpmode = (int)(rnd() % 3), p.mask = rnd() & 0xff;
}
static float times(float a, float b)
{
    volatile double r = (double)a * (double)b;
    return (float)r;
}
static float plus(float a, float b)
{
    volatile double r = (double)a + (double)b;
    return (float)r;
}
static __attribute__((noinline)) void same(const char *name, const void *got)
{
    for (int i = 0; i < 8; i++) {
        float g;
        memcpy(&g, (const char *)got + 4 * i, 4);
        if (isnan(g) && isnan(want[i])) continue;
        if (memcmp(&g, &want[i], 4) != 0)
            fail_msg("%s lane %d: %a, expected %a", name, i, (double)g, (double)want[i]);
    }
}
static void same_bits(const char *name, unsigned got, unsigned expected)
{
    if (got != expected) fail_msg("%s: bits %02x, expected %02x", name, got, expected);
}

/* --- products ------------------------------------------------------------------------------------------------- */

/* What a name does. */
enum { NEG = 1, ABS = 2, CX = 4, CZ = 8, ADD = 16 };
/* xc, zc: complex; n, nz: floats in the buffer of x, of z; simple: lane by lane. */
static __attribute__((noinline)) void expect(unsigned n, bool xc, bool zc, const float *z, unsigned nz,
                                             unsigned flags, bool simple)
{
    unsigned lanes = xc || zc ? 4 : 8, sx = xc ? 2 : 1, sz = zc ? 2 : 1;
    for (unsigned l = 0; l < lanes; l++) {
        unsigned i = simple ? l : ((unsigned)p.xs + (p.xo >> (4 * l) & 15)) % (n / sx);
        unsigned j = simple ? l : ((unsigned)p.zs + (p.zo >> (4 * l) & 15)) % (nz / sz);
        float xr = xb[sx * i], zr = z[sz * j], xi = xc ? xb[2 * i + 1] : 0, zi = zc ? z[2 * j + 1] : 0;
        if (flags & CX) xi = -xi;
        if (flags & CZ) zi = -zi;
        float first[2] = { times(xr, zr), xc ? times(xi, zr) : times(xr, zi) }, second[2] = { 0, 0 };
        if (xc && zc) first[1] = times(xr, zi), second[0] = -times(xi, zi), second[1] = times(xi, zr);
        for (unsigned c = 0; c < (lanes == 4 ? 2u : 1u); c++) {
            unsigned k = lanes == 4 ? 2 * l + c : l;
            float v = first[c], w = second[c];
            if (flags & ABS) v = fabsf(v);
            if (flags & NEG) v = -v, w = -w;
            if (flags & ADD) v = plus(ab[k], v);
            if (xc && zc) v = plus(v, w);
            want[k] = v;
        }
    }
}

#define LOAD(type, name, from) \
    type name;                 \
    memcpy(&name, from, sizeof name)
#define JUDGE(name, form, types, call)     \
    {                                      \
        LOAD(ret_, acc, ab);               \
        (void)acc;                         \
        ret_ r = call;                     \
        same(#name form " of " types, &r); \
    }
/* One name on one pair of types: a product, or with an accumulator. */
#define PRODUCT(name, flags, xt, n, xc, zt, zc, ret)                         \
    {                                                                        \
        typedef ret ret_;                                                    \
        LOAD(xt, x, xb);                                                     \
        LOAD(zt, z, zb);                                                     \
        expect(n, xc, zc, zb, 8, flags, false);                              \
        JUDGE(name, "", #xt " and " #zt, name(x, p.xs, p.xo, z, p.zs, p.zo)) \
    }
#define SUM(name, flags, xt, n, xc, zt, zc, ret)                                  \
    {                                                                             \
        typedef ret ret_;                                                         \
        LOAD(xt, x, xb);                                                          \
        LOAD(zt, z, zb);                                                          \
        expect(n, xc, zc, zb, 8, (flags) | ADD, false);                           \
        JUDGE(name, "", #xt " and " #zt, name(acc, x, p.xs, p.xo, z, p.zs, p.zo)) \
    }
#define SHORT_PRODUCT(name, flags, xt, n, xc, zt, zc, ret) \
    {                                                      \
        typedef ret ret_;                                  \
        LOAD(xt, x, xb);                                   \
        LOAD(zt, z, zb);                                   \
        expect(n, xc, zc, zb, 8, flags, true);             \
        JUDGE(name, " short", #xt " and " #zt, name(x, z)) \
    }
#define SHORT_SUM(name, flags, xt, n, xc, zt, zc, ret)          \
    {                                                           \
        typedef ret ret_;                                       \
        LOAD(xt, x, xb);                                        \
        LOAD(zt, z, zb);                                        \
        expect(n, xc, zc, zb, 8, (flags) | ADD, true);          \
        JUDGE(name, " short", #xt " and " #zt, name(acc, x, z)) \
    }
#define SELF_PRODUCT(name, flags, xt, n, xc, zt, zc, ret)               \
    {                                                                   \
        typedef ret ret_;                                               \
        LOAD(xt, x, xb);                                                \
        expect(n, xc, xc, xb, n, flags, false);                         \
        JUDGE(name, " in itself", #xt, name(x, p.xs, p.xo, p.zs, p.zo)) \
    }
#define SELF_SUM(name, flags, xt, n, xc, zt, zc, ret)                        \
    {                                                                        \
        typedef ret ret_;                                                    \
        LOAD(xt, x, xb);                                                     \
        expect(n, xc, xc, xb, n, (flags) | ADD, false);                      \
        JUDGE(name, " in itself", #xt, name(acc, x, p.xs, p.xo, p.zs, p.zo)) \
    }
/* Names that every pair has; those of real results; conjugations of one and of two complex operands. */
#define PLAIN(P, S, ...)           \
    P(fpmul, 0, __VA_ARGS__)       \
    P(fpneg_mul, NEG, __VA_ARGS__) \
    S(fpmac, 0, __VA_ARGS__)       \
    S(fpmsc, NEG, __VA_ARGS__)
#define REAL(P, S, ...)                      \
    PLAIN(P, S, __VA_ARGS__)                 \
    P(fpabs_mul, ABS, __VA_ARGS__)           \
    P(fpneg_abs_mul, NEG | ABS, __VA_ARGS__) \
    S(fpmac_abs, ABS, __VA_ARGS__)           \
    S(fpmsc_abs, NEG | ABS, __VA_ARGS__)
#define CONJUGATED(P, S, suffix, flags, ...)         \
    P(fpmul##suffix, flags, __VA_ARGS__)             \
    P(fpneg_mul##suffix, NEG | (flags), __VA_ARGS__) \
    S(fpmac##suffix, flags, __VA_ARGS__)             \
    S(fpmsc##suffix, NEG | (flags), __VA_ARGS__)
#define X_COMPLEX(P, S, ...) PLAIN(P, S, __VA_ARGS__) CONJUGATED(P, S, _c, CX, __VA_ARGS__)
#define Z_COMPLEX(P, S, ...) PLAIN(P, S, __VA_ARGS__) CONJUGATED(P, S, _c, CZ, __VA_ARGS__)
#define BOTH_COMPLEX(P, S, ...)            \
    PLAIN(P, S, __VA_ARGS__)               \
    CONJUGATED(P, S, _cn, CX, __VA_ARGS__) \
    CONJUGATED(P, S, _nc, CZ, __VA_ARGS__) \
    CONJUGATED(P, S, _cc, CX | CZ, __VA_ARGS__)

static void aie_float_products(void **state)
{
    (void)state;
    for (unsigned n = case_count(2000); n > 0; n--) {
        draw();
        REAL(PRODUCT, SUM, v8float, 8, false, v8float, false, v8float)
        X_COMPLEX(PRODUCT, SUM, v4cfloat, 8, true, v8float, false, v4cfloat)
        Z_COMPLEX(PRODUCT, SUM, v8float, 8, false, v4cfloat, true, v4cfloat)
        BOTH_COMPLEX(PRODUCT, SUM, v4cfloat, 8, true, v4cfloat, true, v4cfloat)
        REAL(PRODUCT, SUM, v16float, 16, false, v8float, false, v8float)
        REAL(PRODUCT, SUM, v32float, 32, false, v8float, false, v8float)
        X_COMPLEX(PRODUCT, SUM, v8cfloat, 16, true, v8float, false, v4cfloat)
        X_COMPLEX(PRODUCT, SUM, v16cfloat, 32, true, v8float, false, v4cfloat)
        Z_COMPLEX(PRODUCT, SUM, v16float, 16, false, v4cfloat, true, v4cfloat)
        Z_COMPLEX(PRODUCT, SUM, v32float, 32, false, v4cfloat, true, v4cfloat)
        BOTH_COMPLEX(PRODUCT, SUM, v8cfloat, 16, true, v4cfloat, true, v4cfloat)
        BOTH_COMPLEX(PRODUCT, SUM, v16cfloat, 32, true, v4cfloat, true, v4cfloat)
    }
}
static void aie_float_short_and_self_products(void **state)
{
    (void)state;
    for (unsigned n = case_count(2000); n > 0; n--) {
        draw();
        REAL(SHORT_PRODUCT, SHORT_SUM, v8float, 8, false, v8float, false, v8float)
        X_COMPLEX(SHORT_PRODUCT, SHORT_SUM, v4cfloat, 8, true, v8float, false, v4cfloat)
        Z_COMPLEX(SHORT_PRODUCT, SHORT_SUM, v8float, 8, false, v4cfloat, true, v4cfloat)
        BOTH_COMPLEX(SHORT_PRODUCT, SHORT_SUM, v4cfloat, 8, true, v4cfloat, true, v4cfloat)
        REAL(SELF_PRODUCT, SELF_SUM, v8float, 8, false, , , v8float)
        BOTH_COMPLEX(SELF_PRODUCT, SELF_SUM, v4cfloat, 8, true, , , v4cfloat)
        REAL(SELF_PRODUCT, SELF_SUM, v16float, 16, false, , , v8float)
        REAL(SELF_PRODUCT, SELF_SUM, v32float, 32, false, , , v8float)
        BOTH_COMPLEX(SELF_PRODUCT, SELF_SUM, v8cfloat, 16, true, , , v4cfloat)
        BOTH_COMPLEX(SELF_PRODUCT, SELF_SUM, v16cfloat, 32, true, , , v4cfloat)
    }
}

/* --- one operand, sums, compares ------------------------------------------------------------------------------ */

static float lane[8]; /* what an operand's arguments pick: from n floats, pairs of them, lane by lane */
static void pick(const float *from, unsigned n, int start, unsigned offsets, bool is_complex, bool simple)
{
    for (unsigned l = 0; l < 8; l++) {
        unsigned at = is_complex ? l / 2 : l, size = is_complex ? 2 : 1;
        unsigned element = simple ? at : ((unsigned)start + (offsets >> (4 * at) & 15)) % (n / size);
        lane[l] = from[size * element + (is_complex ? l % 2 : 0)];
    }
}
#define LANES(name, value, call)                                                  \
    {                                                                             \
        for (unsigned l = 0; l < 8; l++) a = ab[l], b = lane[l], want[l] = value; \
        ret_ r = call;                                                            \
        same(#name, &r);                                                          \
    }
#define OPEN(...) __VA_ARGS__
/* args: start and offsets, or nothing. */
#define ONE_AND_SUMS(xt, n, cplx, ret, simple, args)                      \
    {                                                                     \
        typedef ret ret_;                                                 \
        LOAD(xt, x, xb);                                                  \
        LOAD(ret, acc, ab);                                               \
        float a, b;                                                       \
        pick(xb, n, p.xs, p.xo, cplx, simple);                            \
        LANES(fpadd, plus(a, b), fpadd(acc, x OPEN args))                 \
        LANES(fpsub, plus(a, -b), fpsub(acc, x OPEN args))                \
        LANES(fpadd_abs, plus(a, fabsf(b)), fpadd_abs(acc, x OPEN args))  \
        LANES(fpsub_abs, plus(a, -fabsf(b)), fpsub_abs(acc, x OPEN args)) \
        LANES(fpneg, ((void)a, -b), fpneg(x OPEN args))                   \
        LANES(fpabs, ((void)a, fabsf(b)), fpabs(x OPEN args))             \
        LANES(fpneg_abs, ((void)a, -fabsf(b)), fpneg_abs(x OPEN args))    \
        LANES(fpshuffle, ((void)a, b), fpshuffle(x OPEN args))            \
    }
#define BITS(name, op, args)                                                            \
    {                                                                                   \
        unsigned expected = 0;                                                          \
        for (unsigned l = 0; l < 8; l++) expected |= (unsigned)(ab[l] op lane[l]) << l; \
        same_bits(#name, name(acc, x OPEN args), expected);                             \
        same_bits(#name "_fast", name##_fast(acc, x OPEN args), expected);              \
        same_bits(#name "_safe", name##_safe(acc, x OPEN args), expected);              \
    }
#define ABS_BITS(name, op, args)                                                               \
    {                                                                                          \
        unsigned expected = 0;                                                                 \
        for (unsigned l = 0; l < 8; l++) expected |= (unsigned)(ab[l] op fabsf(lane[l])) << l; \
        same_bits(#name, name(acc, x OPEN args), expected);                                    \
    }
#define CHOICES(xt, n, simple, args)                                                \
    {                                                                               \
        typedef v8float ret_;                                                       \
        LOAD(xt, x, xb);                                                            \
        LOAD(v8float, acc, ab);                                                     \
        float a, b;                                                                 \
        pick(xb, n, p.xs, p.xo, false, simple);                                     \
        LANES(fpmax, a >= b ? a : b, fpmax(acc, x OPEN args))                       \
        LANES(fpmin, a < b ? a : b, fpmin(acc, x OPEN args))                        \
        LANES(fpmax_abs, a >= fabsf(b) ? a : fabsf(b), fpmax_abs(acc, x OPEN args)) \
        LANES(fpmin_abs, a < fabsf(b) ? a : fabsf(b), fpmin_abs(acc, x OPEN args))  \
        ABS_BITS(fplt_abs, <, args)                                                 \
        ABS_BITS(fpge_abs, >=, args)                                                \
        BITS(fplt, <, args)                                                         \
        BITS(fple, <=, args)                                                        \
        BITS(fpgt, >, args)                                                         \
        BITS(fpge, >=, args)                                                        \
        BITS(fpeq, ==, args)                                                        \
        BITS(fpne, !=, args)                                                        \
    }
/* With the bits of the choice. */
#define CHOICES_CMP(xt, n)                                                                   \
    {                                                                                        \
        typedef v8float ret_;                                                                \
        LOAD(xt, x, xb);                                                                     \
        LOAD(v8float, acc, ab);                                                              \
        float a, b;                                                                          \
        unsigned cmp = 0, lt = 0, ge = 0;                                                    \
        pick(xb, n, p.xs, p.xo, false, false);                                               \
        for (unsigned l = 0; l < 8; l++)                                                     \
            lt |= (unsigned)(ab[l] < lane[l]) << l, ge |= (unsigned)(ab[l] >= lane[l]) << l; \
        LANES(fpmax, a >= b ? a : b, fpmax(acc, x, p.xs, p.xo, cmp))                         \
        same_bits("fpmax cmp of " #xt, cmp, ge);                                             \
        LANES(fpmin, a < b ? a : b, fpmin(acc, x, p.xs, p.xo, cmp))                          \
        same_bits("fpmin cmp of " #xt, cmp, lt);                                             \
    }
#define AT_OFFSETS (, p.xs, p.xo)
#define NONE       ()

static void aie_float_lanes(void **state)
{
    (void)state;
    for (unsigned n = case_count(5000); n > 0; n--) {
        draw();
        ONE_AND_SUMS(v8float, 8, false, v8float, false, AT_OFFSETS)
        ONE_AND_SUMS(v16float, 16, false, v8float, false, AT_OFFSETS)
        ONE_AND_SUMS(v32float, 32, false, v8float, false, AT_OFFSETS)
        ONE_AND_SUMS(v4cfloat, 8, true, v4cfloat, false, AT_OFFSETS)
        ONE_AND_SUMS(v8cfloat, 16, true, v4cfloat, false, AT_OFFSETS)
        ONE_AND_SUMS(v16cfloat, 32, true, v4cfloat, false, AT_OFFSETS)
        ONE_AND_SUMS(v8float, 8, false, v8float, true, NONE)
        ONE_AND_SUMS(v4cfloat, 8, true, v4cfloat, true, NONE)
        CHOICES(v8float, 8, false, AT_OFFSETS)
        CHOICES(v16float, 16, false, AT_OFFSETS)
        CHOICES(v32float, 32, false, AT_OFFSETS)
        CHOICES(v8float, 8, true, NONE)
        CHOICES_CMP(v8float, 8)
        CHOICES_CMP(v16float, 16)
        CHOICES_CMP(v32float, 32)
    }
}

/* --- _conf ---------------------------------------------------------------------------------------------------- */

static unsigned chosen; /* lanes where the accumulator won the comparison */
static __attribute__((noinline)) void expect_conf(unsigned n, const float *z, unsigned nz, const float *acc)
{
    float second[8];
    pick(z, nz, p.zs, p.zo, false, false);
    memcpy(second, lane, sizeof second);
    pick(xb, n, p.xs, p.xo, false, false);
    chosen = 0;
    for (unsigned l = 0; l < 8; l++) {
        float v = p.ones ? lane[l] : times(lane[l], second[l]), a = acc ? acc[l] : 0;
        if (p.absolute) v = fabsf(v);
        bool first = p.cmpmode == fpcmp_lt ? a < v : p.cmpmode == fpcmp_ge ? a >= v : false;
        bool minus = p.addmode == fpadd_sub || (p.addmode == fpadd_mixadd && l % 2) ||
                     (p.addmode == fpadd_mixsub && l % 2 == 0);
        chosen |= (unsigned)first << l;
        if (p.cmpmode != fpcmp_nrm)
            want[l] = first ? a : v;
        else {
            v = minus != (p.mask >> l & 1) ? -v : v;
            want[l] = acc ? plus(a, v) : v;
        }
    }
}
#define HOW p.ones, p.absolute, p.addmode, (int)p.mask, p.cmpmode
#define CONF(xt, n, zt, ret)                                                                             \
    {                                                                                                    \
        typedef ret ret_;                                                                                \
        LOAD(xt, x, xb);                                                                                 \
        LOAD(zt, z, zb);                                                                                 \
        unsigned bits = ~0u;                                                                             \
        expect_conf(n, zb, 8, ab);                                                                       \
        JUDGE(fpmac_conf, "", #xt, fpmac_conf(acc, x, p.xs, p.xo, z, p.zs, p.zo, HOW))                   \
        JUDGE(fpmac_conf, " cmp", #xt, fpmac_conf(acc, x, p.xs, p.xo, z, p.zs, p.zo, HOW, bits))         \
        same_bits("fpmac_conf of " #xt, bits, chosen);                                                   \
        expect_conf(n, xb, n, ab);                                                                       \
        JUDGE(fpmac_conf, " in itself", #xt, fpmac_conf(acc, x, p.xs, p.xo, p.zs, p.zo, HOW))            \
        JUDGE(fpmac_conf, " in itself, cmp", #xt, fpmac_conf(acc, x, p.xs, p.xo, p.zs, p.zo, HOW, bits)) \
        same_bits("fpmac_conf in itself of " #xt, bits, chosen);                                         \
        expect_conf(n, zb, 8, NULL);                                                                     \
        JUDGE(fpmul_conf, "", #xt, fpmul_conf(x, p.xs, p.xo, z, p.zs, p.zo, HOW))                        \
        JUDGE(fpmul_conf, " cmp", #xt, fpmul_conf(x, p.xs, p.xo, z, p.zs, p.zo, HOW, bits))              \
        same_bits("fpmul_conf of " #xt, bits, chosen);                                                   \
        expect_conf(n, xb, n, NULL);                                                                     \
        JUDGE(fpmul_conf, " in itself", #xt, fpmul_conf(x, p.xs, p.xo, p.zs, p.zo, HOW))                 \
        JUDGE(fpmul_conf, " in itself, cmp", #xt, fpmul_conf(x, p.xs, p.xo, p.zs, p.zo, HOW, bits))      \
        same_bits("fpmul_conf in itself of " #xt, bits, chosen);                                         \
    }

static void aie_float_conf(void **state)
{
    (void)state;
    for (unsigned n = case_count(5000); n > 0; n--) {
        draw();
        CONF(v8float, 8, v8float, v8float)
        CONF(v4cfloat, 8, v4cfloat, v4cfloat)
        CONF(v16float, 16, v8float, v8float)
        CONF(v32float, 32, v8float, v8float)
        CONF(v8cfloat, 16, v4cfloat, v4cfloat)
        CONF(v16cfloat, 32, v4cfloat, v4cfloat)
        CONF(v4cfloat, 8, v8float, v4cfloat)
        CONF(v8cfloat, 16, v8float, v4cfloat)
        CONF(v16cfloat, 32, v8float, v4cfloat)
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_float_products),
        cmocka_unit_test(aie_float_short_and_self_products),
        cmocka_unit_test(aie_float_lanes),
        cmocka_unit_test(aie_float_conf),
    };
    return cmocka_run_group_tests_name("aie.float", tests, NULL, NULL);
}
