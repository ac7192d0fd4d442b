/* The float family against single operations in order, each rounded to float by way of double (exact for products of
 * two floats, and for sums: rounding twice is harmless, a double has more than 2 x 24 + 2 bits). Bit by bit, NaN aside.
 * Conversions, elementary functions, whole-vector products, cyclic addressing, complex scalars. */
#define TW__AIE static __attribute__((noinline, unused))
#include <tilewright/aie/scalar.h>
#include "aie/aie_cases.h"

#include <math.h>

static float xb[32], zb[8], ab[8];
static struct {
    int xs, zs;
    unsigned xo, zo;
} p;

static float draw_float(void)
{
    static const float extreme[] = { 0.0f,     -0.0f,     1.0f,           -1.0f,  3.4028235e38f, -3.4028235e38f,
                                     INFINITY, -INFINITY, 1.1754944e-38f, 1e-45f, 16777217.0f,   NAN };
    uint32_t bits = rnd();
    float f;
    if (rnd() % 8 == 0) return extreme[rnd() % 12];
    if (rnd() % 2) bits = (bits & 0x80ffffffu) | 0x3f000000u; /* near 1: sums round */
    memcpy(&f, &bits, 4);
    return f;
}
static void draw(void)
{
    for (int i = 0; i < 32; i++) xb[i] = draw_float();
    for (int i = 0; i < 8; i++) zb[i] = draw_float(), ab[i] = draw_float();
    p.xs = (int)(rnd() % 32), p.zs = (int)(rnd() % 8), p.xo = rnd(), p.zo = rnd();
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

/* What a name does. */
enum { NEG = 1, ABS = 2, CX = 4, CZ = 8, ADD = 16 };
/* Kinds: real x real, complex x real, real x complex, complex x complex. n: floats in x. z: NULL = from x. */
static void expect(float *r, unsigned n, bool xc, bool zc, const float *z, unsigned nz, unsigned flags, bool simple)
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
            r[k] = v;
        }
    }
}
static __attribute__((noinline)) void same(const char *name, const void *got, const float *want)
{
    for (int i = 0; i < 8; i++) {
        float g;
        memcpy(&g, (const char *)got + 4 * i, 4);
        if (isnan(g) && isnan(want[i])) continue;
        if (memcmp(&g, &want[i], 4)) fail_msg("%s lane %d: %a, expected %a", name, i, (double)g, (double)want[i]);
    }
}

#define LOAD(type, name, from) \
    type name;                 \
    memcpy(&name, from, sizeof name)
#define PRODUCT(name, xt, n, xc, zt, zc, ret, flags)                                         \
    {                                                                                        \
        LOAD(xt, x, xb);                                                                     \
        LOAD(zt, z, zb);                                                                     \
        ret r = name(x, p.xs, p.xo, z, p.zs, p.zo);                                          \
        expect(want, n, xc, zc, zb, 8, flags, false), same(#name " " #xt " " #zt, &r, want); \
    }
#define SUM(name, xt, n, xc, zt, zc, ret, flags)                                                     \
    {                                                                                                \
        LOAD(xt, x, xb);                                                                             \
        LOAD(zt, z, zb);                                                                             \
        LOAD(ret, acc, ab);                                                                          \
        ret r = name(acc, x, p.xs, p.xo, z, p.zs, p.zo);                                             \
        expect(want, n, xc, zc, zb, 8, (flags) | ADD, false), same(#name " " #xt " " #zt, &r, want); \
    }
#define RR(F, name, flags)                                       \
    F(name, v16float, 16, false, v8float, false, v8float, flags) \
    F(name, v32float, 32, false, v8float, false, v8float, flags)
#define CR(F, name, flags)                                       \
    F(name, v8cfloat, 16, true, v8float, false, v4cfloat, flags) \
    F(name, v16cfloat, 32, true, v8float, false, v4cfloat, flags)
#define RC(F, name, flags)                                        \
    F(name, v16float, 16, false, v4cfloat, true, v4cfloat, flags) \
    F(name, v32float, 32, false, v4cfloat, true, v4cfloat, flags)
#define CC(F, name, flags)                                       \
    F(name, v8cfloat, 16, true, v4cfloat, true, v4cfloat, flags) \
    F(name, v16cfloat, 32, true, v4cfloat, true, v4cfloat, flags)
#define ALL(F, name, flags) RR(F, name, flags) CR(F, name, flags) RC(F, name, flags) CC(F, name, flags)
#define CONJUGATES(F, name, flags) \
    CC(F, name##_cn, (flags) | CX) \
    CC(F, name##_nc, (flags) | CZ) \
    CC(F, name##_cc, (flags) | CX | CZ) CR(F, name##_c, (flags) | CX) RC(F, name##_c, (flags) | CZ)

static void aie_float_products(void **state)
{
    (void)state;
    float want[8];
    for (unsigned n = case_count(4000); n > 0; n--) {
        draw();
        // clang-format off
        ALL(PRODUCT, fpmul, 0)
        ALL(PRODUCT, fpneg_mul, NEG)
        RR(PRODUCT, fpabs_mul, ABS)
        RR(PRODUCT, fpneg_abs_mul, NEG | ABS)
        CONJUGATES(PRODUCT, fpmul, 0)
        CONJUGATES(PRODUCT, fpneg_mul, NEG)
        ALL(SUM, fpmac, 0)
        ALL(SUM, fpmsc, NEG)
        RR(SUM, fpmac_abs, ABS)
        RR(SUM, fpmsc_abs, NEG | ABS)
        CONJUGATES(SUM, fpmac, 0)
        CONJUGATES(SUM, fpmsc, NEG)
        // clang-format on
        /* z in x; short forms */
        LOAD(v16float, x, xb);
        LOAD(v8float, x8, xb);
        LOAD(v8float, z8, zb);
        LOAD(v8float, acc, ab);
        LOAD(v4cfloat, xc, xb);
        LOAD(v4cfloat, zc, zb);
        LOAD(v4cfloat, accc, ab);
        v8float r = fpmul(x, p.xs, p.xo, p.zs, p.zo);
        expect(want, 16, false, false, xb, 16, 0, false), same("fpmul of one buffer", &r, want);
        r = fpmac(acc, x, p.xs, p.xo, p.zs, p.zo);
        expect(want, 16, false, false, xb, 16, ADD, false), same("fpmac of one buffer", &r, want);
        r = fpmul(x8, z8), expect(want, 8, false, false, zb, 8, 0, true), same("fpmul short", &r, want);
        r = fpmsc(acc, x8, z8), expect(want, 8, false, false, zb, 8, NEG | ADD, true),
        same("fpmsc short", &r, want);
        v4cfloat c = fpmul(xc, zc);
        expect(want, 8, true, true, zb, 8, 0, true), same("fpmul of cfloat, short", &c, want);
        c = fpmac_nc(accc, xc, zc), expect(want, 8, true, true, zb, 8, CZ | ADD, true),
        same("fpmac_nc short", &c, want);
    }
}

static float flip(float v, bool yes)
{
    return yes ? -v : v;
}

static void aie_float_lanes(void **state)
{
    (void)state;
    float want[8];
    for (unsigned n = case_count(10000); n > 0; n--) {
        draw();
        LOAD(v32float, x, xb);
        LOAD(v16cfloat, xc, xb);
        LOAD(v8float, acc, ab);
        LOAD(v4cfloat, accc, ab);
        float b[8], cb[8];
        unsigned lt = 0, le = 0, eq = 0, cmp = 0, ge = 0;
        for (unsigned l = 0; l < 8; l++) {
            b[l] = xb[((unsigned)p.xs + (p.xo >> (4 * l) & 15)) % 32];
            cb[l] = xb[2 * (((unsigned)p.xs + (p.xo >> (4 * (l / 2)) & 15)) % 16) + l % 2];
            lt |= (unsigned)(ab[l] < b[l]) << l, le |= (unsigned)(ab[l] <= b[l]) << l,
                eq |= (unsigned)(ab[l] == b[l]) << l;
            ge |= (unsigned)(ab[l] >= b[l]) << l;
        }
#define LANES(name, value, call)                          \
    {                                                     \
        for (unsigned l = 0; l < 8; l++) want[l] = value; \
        v8float r = call;                                 \
        same(#name, &r, want);                            \
    }
        LANES(fpadd, plus(ab[l], b[l]), fpadd(acc, x, p.xs, p.xo))
        LANES(fpsub, plus(ab[l], -b[l]), fpsub(acc, x, p.xs, p.xo))
        LANES(fpadd_abs, plus(ab[l], fabsf(b[l])), fpadd_abs(acc, x, p.xs, p.xo))
        LANES(fpsub_abs, plus(ab[l], -fabsf(b[l])), fpsub_abs(acc, x, p.xs, p.xo))
        LANES(fpneg, -b[l], fpneg(x, p.xs, p.xo))
        LANES(fpabs, fabsf(b[l]), fpabs(x, p.xs, p.xo))
        LANES(fpneg_abs, -fabsf(b[l]), fpneg_abs(x, p.xs, p.xo))
        LANES(fpshuffle, b[l], fpshuffle(x, p.xs, p.xo))
        LANES(fpmax, ab[l] >= b[l] ? ab[l] : b[l], fpmax(acc, x, p.xs, p.xo))
        LANES(fpmin, ab[l] < b[l] ? ab[l] : b[l], fpmin(acc, x, p.xs, p.xo, cmp))
        assert_int_equal(cmp, lt);
        assert_int_equal(fplt(acc, x, p.xs, p.xo), lt);
        assert_int_equal(fplt_fast(acc, x, p.xs, p.xo), lt);
        assert_int_equal(fple_safe(acc, x, p.xs, p.xo), le);
        assert_int_equal(fpge_safe(acc, x, p.xs, p.xo), ge);
        assert_int_equal(fpeq(acc, x, p.xs, p.xo), eq);
        assert_int_equal(fpne(acc, x, p.xs, p.xo), 0xff & ~eq);
        for (unsigned l = 0; l < 8; l++) want[l] = plus(ab[l], cb[l]);
        v4cfloat c = fpadd(accc, xc, p.xs, p.xo);
        same("fpadd of cfloat", &c, want);
        /* _conf: sign mask, add modes, ones, abs, compare modes */
        LOAD(v8float, z, zb);
        int ones = (int)(rnd() % 2), absolute = (int)(rnd() % 2), addmode = (int)(rnd() % 4),
            mode = (int)(rnd() % 3);
        unsigned mask = rnd() & 0xff, expected = 0;
        float product[8];
        for (unsigned l = 0; l < 8; l++) {
            float v = ones ? b[l] : times(b[l], zb[((unsigned)p.zs + (p.zo >> (4 * l) & 15)) % 8]);
            product[l] = v = absolute ? fabsf(v) : v;
            bool minus = addmode == fpadd_sub || (addmode == fpadd_mixadd && l % 2) ||
                         (addmode == fpadd_mixsub && l % 2 == 0);
            v = flip(v, minus != (mask >> l & 1));
            want[l] = plus(ab[l], v);
            if (mode == fpcmp_lt)
                want[l] = ab[l] < product[l] ? ab[l] : product[l], expected |= (unsigned)(ab[l] < product[l]) << l;
            if (mode == fpcmp_ge)
                want[l] = ab[l] >= product[l] ? ab[l] : product[l], expected |= (unsigned)(ab[l] >= product[l])
                                                                                << l;
        }
        v8float r = fpmac_conf(acc, x, p.xs, p.xo, z, p.zs, p.zo, ones, absolute, addmode, mask, mode, cmp);
        same("fpmac_conf", &r, want);
        assert_int_equal(cmp, expected);
    }
}

static void aie_float_conversions(void **state)
{
    (void)state;
    for (unsigned n = case_count(10000); n > 0; n--) {
        int shift = (int)(rnd() % 64) - 32, value = (int)rnd();
        double exact = ldexp((double)value, -shift);
        assert_true(fix2float(value, shift) == (float)exact);
        float f = draw_float();
        double scaled = ldexp((double)f, shift);
        double r = isnan(f)                  ? 0
                   : scaled >= 2147483647.0  ? 2147483647.0
                   : scaled <= -2147483648.0 ? -2147483648.0
                                             : rint(scaled);
        if (r > 2147483647.0) r = 2147483647.0;
        if ((double)float2fix(f, shift) != r) fail_msg("float2fix(%a, %d)", (double)f, shift);
        v8int32 w;
        for (int i = 0; i < 8; i++) w[i] = (int)rnd();
        v8float wf = fix2float(w, shift);
        v8int32 back = float2fix(wf, shift);
        for (int i = 0; i < 8; i++) {
            assert_true(wf[i] == (float)ldexp((double)w[i], -shift));
            assert_int_equal(back[i], float2fix(wf[i], shift));
        }
        uint32_t angle = rnd();
        cint16 sc = sincos(angle);
        double radians = ldexp((double)(int32_t)angle, -31) * 3.14159265358979323846;
        assert_true(fabs(sc.real - 32768 * cos(radians)) < 1.06 && fabs(sc.imag - 32768 * sin(radians)) < 1.06);
    }
    assert_int_equal(float2fix(2.5f), 2);
    assert_int_equal(float2fix(3.5f), 4);
    assert_int_equal(inv(1 << 16, 16, 8), 1 << 8);
    assert_int_equal(invsqrt(4 << 16, 16, 16), 1 << 15);
    assert_true(inv(4.0f) == 0.25f && invsqrt(16.0f) == 0.25f && _sqrtf(9.0f) == 3.0f);
    v8float big = { 1e9f, -1e9f, 40000.0f, 2.5f, -2.5f, 0.4f, NAN, 32767.0f };
    v8int16 h = float2fix16(big, 0);
    static const int expected[] = { 32767, -32768, 32767, 2, -2, 0, 0, 32767 };
    for (int i = 0; i < 8; i++) assert_int_equal(h[i], expected[i]);
    assert_int_equal(clb(1), 31);
    assert_int_equal(clb(-1), 32);
}

static void aie_whole_vectors_and_addresses(void **state)
{
    (void)state;
    v16int16 a, b;
    v4cint32 c, d;
    for (unsigned n = case_count(10000); n > 0; n--) {
        fill(&a, sizeof a, 16), fill(&b, sizeof b, 16), fill(&c, sizeof c, 32), fill(&d, sizeof d, 32);
        v16acc48 r = msc(mul(a, b), a, b), s = negmul(a, b);
        for (int i = 0; i < 16; i++) {
            assert_true(r.word[i] == 0);
            assert_true(s.word[i] == -(int64)a[i] * b[i]);
        }
        v4cacc80 t = mac(null_v4cacc80(), c, d);
        for (int i = 0; i < 4; i++) {
            assert_true(t.lane[i].real ==
                        (int128)c.lane[i].real * d.lane[i].real - (int128)c.lane[i].imag * d.lane[i].imag);
            assert_true(t.lane[i].imag ==
                        (int128)c.lane[i].real * d.lane[i].imag + (int128)c.lane[i].imag * d.lane[i].real);
        }
    }
    int16 ring[8];
    assert_ptr_equal(cyclic_add(ring + 6, 3, ring, 8), ring + 1);
    assert_ptr_equal(cyclic_add(ring + 1, -2, ring, 8), ring + 7);
    assert_ptr_equal(cyclic_add(ring + 1, 2, ring, 8), ring + 3);
    assert_ptr_equal(byte_incr(ring, 4), ring + 2);
    cint16 u = { 3, -4 }, v = { -2, 5 }, w = tw_cint16_mul(u, v);
    assert_true(w.real == 14 && w.imag == 23);
    w = tw_cint16_mul((cint16){ -32768, -32768 }, (cint16){ -32768, 32767 });
    assert_true(w.real == (int16)((int64)-32768 * -32768 + 32768LL * 32767) &&
                w.imag == (int16)(-32768LL * 32767 + 32768LL * 32768));
}

static void aie_parts(void **state)
{
    (void)state;
    v32cint16 y, reversed = null_v32cint16();
    v8cint16 w;
    v4cint16 v;
    for (int i = 0; i < 32; i++) y.lane[i] = (cint16){ (int16)i, (int16)(100 + i) };
    for (int i = 0; i < 4; i++) {
        w = ext_w(y, i), v = ext_v(y, 2 * i + 1);
        assert_int_equal(w.lane[0].real, 8 * i), assert_int_equal(w.lane[7].imag, 107 + 8 * i);
        assert_int_equal(v.lane[0].real, 8 * i + 4);
        reversed = upd_w(reversed, 3 - i, w);
    }
    assert_int_equal(ext_elem(reversed, 0).real, 24), assert_int_equal(ext_elem(reversed, 31).real, 7);
    v16cint16 x = concat(w, ext_w(ext_x(y, 0), 1));
    assert_int_equal(ext_elem(x, 8).real, 8);
    x = upd_elem(shft_elem(x, ((cint16){ 9, 9 })), 3, ((cint16){ 1, 2 }));
    assert_int_equal(x.lane[0].real, 9), assert_int_equal(x.lane[3].imag, 2);
    v16int8 b = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
    v64int8 bb = concat(b, b, b, b), z = xset_v(2, b);
    v128int8 full = concat(b, b, b, b, b, b, b, b);
    assert_int_equal(bb[63], 16), assert_int_equal(z[32], 1), assert_int_equal(full[127], 16);
    v4int32 cast = as_v4int32(b);
    assert_int_equal(cast[0], 0x04030201);
    /* Accumulators: halves, and the slots of a reinterpreting cast. */
    v4acc80 lo = null_v4acc80(), hi = null_v4acc80();
    lo.word[1] = -5 * ((int128)1 << 48) + 7, hi.word[3] = 11;
    v8acc80 both = concat(lo, hi);
    assert_true(ext_hi(both).word[3] == 11 && ext_lo(both).word[1] == lo.word[1]);
    v16acc48 slots = as_v16acc48(both);
    assert_true(slots.word[2] == 7 && slots.word[3] == -5 && slots.word[14] == 11 && slots.word[15] == 0);
    assert_true(as_v8acc80(slots).word[1] == lo.word[1]);
    assert_true(upd_hi(both, lo).word[5] == lo.word[1]);
    uint8_t image[48];
    tw_aie_pack384(tw__to_slots_v4acc80(lo), image);
    assert_int_equal(image[12], 7), assert_int_equal(image[18], 251), assert_int_equal(image[23], 255);
    assert_true(tw__from_slots_v4acc80(tw_aie_unpack384(image)).word[1] == lo.word[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_float_products),
        cmocka_unit_test(aie_float_lanes),
        cmocka_unit_test(aie_float_conversions),
        cmocka_unit_test(aie_whole_vectors_and_addresses),
        cmocka_unit_test(aie_parts),
    };
    return cmocka_run_group_tests_name("aie.float", tests, NULL, NULL);
}
