/* SPDX-License-Identifier: MIT */
/* The worked examples of docs/aie.md as they stand there: X[i] = i, and z that picks one column at a time, so that
 * every index the example lists can be read off the result. Rounding at half a unit; the most negative data. */
#include <tilewright/aie.h>

#include <stdio.h>
#include <string.h>
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

static v32int16 count32(void)
{
    v32int16 x;
    for (int i = 0; i < 32; i++) x[i] = (int16)i;
    return x;
}
static v16cint16 count16c(void)
{
    v16cint16 x;
    for (int i = 0; i < 16; i++) x.lane[i].real = (int16)i, x.lane[i].imag = 0;
    return x;
}
static void lanes(const char *example, const int64 *words, unsigned step, const int *expected, unsigned count)
{
    for (unsigned l = 0; l < count; l++)
        if (words[step * l] != expected[l])
            fail_msg("%s, lane %u: X[%lld], expected X[%d]", example, l, (long long)words[step * l], expected[l]);
}

/* 1. lmul8(v16int32, 2, 0x76543210, z, 0, 0): lanes 2, 3, ... 9 */
static void aie_worked_1(void **state)
{
    (void)state;
    v16int32 x;
    v8int32 z = { 1, 1, 1, 1, 1, 1, 1, 1 };
    for (int i = 0; i < 16; i++) x[i] = i;
    v8acc80 r = lmul8(x, 2, 0x76543210, z, 0, 0);
    for (int l = 0; l < 8; l++) assert_true(r.word[l] == 2 + l);
}

/* 2. and 3. mul8(v32int16, 0, 0x00002400, 4, square, z, 0, 0, 1); column c is seen with z[c] = 1 alone. */
static void aie_worked_2_and_3(void **state)
{
    (void)state;
    static const int plain[4][8] = { { 0, 2, 8, 14, 0, 2, 0, 2 },
                                     { 1, 3, 9, 15, 1, 3, 1, 3 },
                                     { 4, 6, 12, 18, 4, 6, 4, 6 },
                                     { 5, 7, 13, 19, 5, 7, 5, 7 } };
    static const int squared[4][8] = { { 3, 1, 15, 9, 3, 1, 3, 1 },
                                       { 0, 2, 8, 14, 0, 2, 0, 2 },
                                       { 7, 5, 19, 13, 7, 5, 7, 5 },
                                       { 4, 6, 12, 18, 4, 6, 4, 6 } };
    for (int c = 0; c < 4; c++) {
        v16int16 z = { 0 };
        z[c] = 1;
        v8acc48 r = mul8(count32(), 0, 0x00002400, 4, 0x3210, z, 0, 0, 1);
        lanes("2", r.word, 1, plain[c], 8);
        r = mul8(count32(), 0, 0x00002400, 4, 0x2103, z, 0, 0, 1);
        lanes("3", r.word, 1, squared[c], 8);
    }
}

/* 4. mul16(v64int8, 0, 0x33323130, 32, 0x3120, z32, 0, 0, 2, 0x3210): z_k multiplies X[16k .. 16k+15] on lanes 0 ..
 * 15 */
static void aie_worked_4(void **state)
{
    (void)state;
    v64int8 x;
    for (int i = 0; i < 64; i++) x[i] = (int8)i;
    for (int k = 0; k < 8; k++) {
        v32int8 z = { 0 };
        int expected[16];
        z[k] = 1;
        for (int l = 0; l < 16; l++) expected[l] = (16 * k + l) % 64;
        v16acc48 r = mul16(x, 0, 0x33323130, 32, 0x3120, z, 0, 0, 2, 0x3210);
        lanes("4", r.word, 1, expected, 16);
    }
}

/* 5. mul4_sym(v16cint16 x, 2, 0x3210, 1, 11, z16, 0, 0, 1): lane l, column c adds X[2+l+c] and X[11+l-c] */
static void aie_worked_5(void **state)
{
    (void)state;
    for (int c = 0; c < 4; c++) {
        v16int16 z = { 0 };
        int expected[4];
        z[c] = 1;
        for (int l = 0; l < 4; l++) expected[l] = (2 + l + c) % 16 + (11 + l - c) % 16;
        v4cacc48 r = mul4_sym(count16c(), 2, 0x3210, 1, 11, z, 0, 0, 1);
        lanes("5", r.word, 2, expected, 4);
    }
}

/* 6. mul4_sym(x, 7, 0x3210, 1, 12, c, 4, 0x0000, 1): sum over c of coef[4+c] (x[7+l+c] + x[12+l-c]) */
static void aie_worked_6(void **state)
{
    (void)state;
    v16cint16 x = count16c();
    v16int16 coef;
    for (int i = 0; i < 16; i++) coef[i] = (int16)(i * i - 7 * i + 3), x.lane[i].imag = (int16)(100 - 9 * i);
    v4cacc48 r = mul4_sym(x, 7, 0x3210, 1, 12, coef, 4, 0x0000, 1);
    for (int l = 0; l < 4; l++) {
        int re = 0, im = 0;
        for (int c = 0; c < 4; c++) {
            cint16 a = x.lane[(7 + l + c) % 16], b = x.lane[(12 + l - c) % 16];
            re += coef[4 + c] * (a.real + b.real), im += coef[4 + c] * (a.imag + b.imag);
        }
        assert_int_equal(r.lane[l].real, re);
        assert_int_equal(r.lane[l].imag, im);
    }
}

/* 7. mac4_sym_ct(acc, L, 14, 0x6420, 2, R, 0, 5, c, 8, 0, 1): columns 0-2: c[8+c] (L[14+2l+2c] + R[2l-2c mod 16]);
 * column 3: c[11] L[19+2l] */
static void aie_worked_7(void **state)
{
    (void)state;
    v16cint16 left = count16c(), right = count16c();
    v16int16 c;
    v4cacc48 acc = null_v4cacc48();
    for (int i = 0; i < 16; i++) {
        left.lane[i].imag = (int16)(5 * i - 30), right.lane[i].real = (int16)(1000 - 3 * i);
        right.lane[i].imag = (int16)(i * i), c[i] = (int16)(17 * i - 100);
    }
    for (int l = 0; l < 4; l++) acc.lane[l].real = 1000000 * l, acc.lane[l].imag = -l;
    v4cacc48 r = mac4_sym_ct(acc, left, 14, 0x6420, 2, right, 0, 5, c, 8, 0, 1);
    for (int l = 0; l < 4; l++) {
        cint16 centre = left.lane[(19 + 2 * l) % 16];
        int64 re = 1000000 * l + c[11] * centre.real, im = -l + c[11] * centre.imag;
        for (int k = 0; k < 3; k++) {
            cint16 a = left.lane[(14 + 2 * l + 2 * k) % 16], b = right.lane[(2 * l - 2 * k + 16) % 16];
            re += c[8 + k] * (a.real + b.real), im += c[8 + k] * (a.imag + b.imag);
        }
        assert_int_equal(r.lane[l].real, re);
        assert_int_equal(r.lane[l].imag, im);
    }
}

/* 8. weights twice in x (x[4]=x[5]=w0, x[6]=x[7]=w1 ...), mul16(x, 0, 0, 4, 0x1032, z, 0, 0x76543210, 2, 0x2110):
 * lane l = sum of w_k z[l+k], of 5 taps */
static void aie_worked_8(void **state)
{
    (void)state;
    static const int8_t w[5] = { 3, -7, 100, -128, 127 };
    v128int8 x = { 0 };
    v32int8 z;
    for (int k = 0; k < 5; k++) x[4 + 2 * k] = x[5 + 2 * k] = w[k];
    for (int i = 0; i < 32; i++) z[i] = (int8)(i % 3 ? 90 - 11 * i : -128);
    v16acc48 r = mul16(x, 0, 0, 4, 0x1032, z, 0, 0x76543210, 2, 0x2110);
    for (int l = 0; l < 16; l++) {
        int sum = 0;
        for (int k = 0; k < 5; k++) sum += w[k] * z[l + k];
        assert_int_equal(r.word[l], sum);
    }
}

/* All four data -32768: two products of 2^30 sum to 2^31, one more than 32 bits hold; the accumulator has 48. */
static void aie_most_negative(void **state)
{
    (void)state;
    v32int16 x;
    v16int16 z;
    for (int i = 0; i < 32; i++) x[i] = INT16_MIN;
    for (int i = 0; i < 16; i++) z[i] = INT16_MIN;
    v16acc48 a = mul16(x, 0, 0x06040200, 0x0e0c0a08, 0x3210, z, 0, 0, 0, 1);
    for (int l = 0; l < 16; l++) assert_int_equal(a.word[l], (int64)1 << 31);
    a = mac16(a, x, 0, 0x06040200, 0x0e0c0a08, 0x3210, z, 0, 0, 0, 1);
    for (int l = 0; l < 16; l++) assert_int_equal(a.word[l], (int64)1 << 32);
    a = msc16(a, x, 0, 0x06040200, 0x0e0c0a08, 0x3210, z, 0, 0, 0, 1);
    a = msc16(a, x, 0, 0x06040200, 0x0e0c0a08, 0x3210, z, 0, 0, 0, 1);
    a = msc16(a, x, 0, 0x06040200, 0x0e0c0a08, 0x3210, z, 0, 0, 0, 1);
    for (int l = 0; l < 16; l++) assert_int_equal(a.word[l], -((int64)1 << 31));
    v8acc48 b = mul8(x, 0, 0x3210, 2, 0x3210, z, 0, 0, 1);
    for (int l = 0; l < 8; l++) assert_int_equal(b.word[l], (int64)1 << 32);
    /* Complex: both parts -32768. Imaginary: two of 2^30. */
    v16cint16 c;
    v8cint16 d;
    for (int i = 0; i < 16; i++) c.lane[i].real = c.lane[i].imag = INT16_MIN;
    for (int i = 0; i < 8; i++) d.lane[i].real = d.lane[i].imag = INT16_MIN;
    v4cacc48 e = mul4(c, 0, 0x3210, 1, d, 0, 0, 1);
    for (int l = 0; l < 4; l++) {
        assert_int_equal(e.lane[l].real, 0);
        assert_int_equal(e.lane[l].imag, (int64)1 << 32);
    }
    /* 32 by 32: eight times 2^62 passes 64 bits and fits 80. */
    v16int32 w;
    v8int32 v;
    for (int i = 0; i < 16; i++) w[i] = INT32_MIN;
    for (int i = 0; i < 8; i++) v[i] = INT32_MIN;
    v8acc80 f = lmul8(w, 0, 0x76543210, v, 0, 0);
    for (int i = 0; i < 7; i++) f = lmac8(f, w, 0, 0x76543210, v, 0, 0);
    for (int l = 0; l < 8; l++) assert_true(f.word[l] == (int128)1 << 65);
}

/* The top of 48 and of 80 bits and one more is the bottom, and back; srs with saturation tells them apart. */
static void aie_accumulators_wrap(void **state)
{
    (void)state;
    v32int16 x = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    v16int16 z = { 1 };
    v16int32 w = { 1, 1, 1, 1 };
    v8int32 v = { 1 };
    v8int32 most = { INT32_MAX, INT32_MIN, 1, -1, 1 << 30, 1 << 28, 1 << 27, -(1 << 28) };
    set_rnd(rnd_floor), set_sat(), clr_symsat();
    v16acc48 a = null_v16acc48();
    a.word[0] = ((int64)1 << 47) - 1, a.word[1] = -((int64)1 << 47);
    assert_int_equal(srs(a, 0)[0], INT16_MAX), assert_int_equal(srs(a, 0)[1], INT16_MIN);
    v16acc48 up = mac16(a, x, 0, 0x06040200, 0x0e0c0a08, 0x3210, z, 0, 0, 0, 1);
    v16acc48 down = msc16(a, x, 0, 0x06040200, 0x0e0c0a08, 0x3210, z, 0, 0, 0, 1);
    assert_int_equal(srs(up, 0)[0], INT16_MIN), assert_int_equal(srs(up, 0)[1], INT16_MIN);
    assert_int_equal(srs(down, 0)[0], INT16_MAX), assert_int_equal(srs(down, 0)[1], INT16_MAX);
    assert_int_equal(lsrs(up, 16)[0], INT32_MIN), assert_int_equal(lsrs(down, 16)[1], INT32_MAX);
    v4acc80 b = null_v4acc80();
    b.word[0] = ((int128)1 << 79) - 1, b.word[1] = -((int128)1 << 79);
    assert_int_equal(srs(b, 0)[0], INT32_MAX), assert_int_equal(srs(b, 0)[1], INT32_MIN);
    v4acc80 higher = lmac4(b, w, 0, 0x3210, 0, v, 0, 0, 1), lower = lmsc4(b, w, 0, 0x3210, 0, v, 0, 0, 1);
    assert_int_equal(srs(higher, 0)[0], INT32_MIN), assert_int_equal(srs(higher, 0)[1], INT32_MIN);
    assert_int_equal(srs(lower, 0)[0], INT32_MAX), assert_int_equal(srs(lower, 0)[1], INT32_MAX);
    assert_true(lsrs(higher, 16)[0] == INT64_MIN && lsrs(lower, 16)[1] == INT64_MAX);
    /* ups keeps the low 48 bits of v * 2^shift */
    static const int32 wrapped[] = { -524288, 0, 524288, -524288, 0, 0, 0, 0 }; /* v * 2^19 modulo 2^32 */
    v8int32 low = lsrs(ups(most, 35), 16);
    for (int i = 0; i < 8; i++) assert_int_equal(low[i], wrapped[i]);
    clr_sat();
}

/* Half a unit in the last place, and the neighbours of it, at every shift of srs, in every mode: ties below and above
 * zero, at even and at odd results. */
static void aie_half_ulp(void **state)
{
    (void)state;
    for (int s = 1; s <= 30; s++)
        for (int f = -3; f <= 3; f++) {
            const int64 unit = (int64)1 << s, half = unit / 2, tie = f * unit + half;
            /* ceil and pos_inf go up; floor and neg_inf down; sym_inf away from zero, sym_zero to it; even, odd */
            const int64 at_tie[8] = {
                f, f + 1, f + 1, f, tie >= 0 ? f + 1 : f, tie >= 0 ? f : f + 1, f + (f & 1), f + !(f & 1)
            };
            for (int mode = 0; mode < 8; mode++) {
                v8acc48 a = null_v8acc48();
                set_rnd(mode);
                a.word[0] = tie, a.word[1] = tie - 1, a.word[2] = tie + 1, a.word[3] = f * unit;
                v8int16 r = srs(a, s);
                const int64 below = s == 1 ? f : mode == rnd_ceil ? f + 1 : f; /* s = 1: no fraction is left */
                const int64 above = s == 1 ? f + 1 : mode == rnd_floor ? f : f + 1;
                if (r[0] != at_tie[mode] || r[1] != below || r[2] != above || r[3] != f)
                    fail_msg("mode %d, shift %d, %d and a half: %d, %d below, %d above, %d at", mode, s, f, r[0],
                             r[1], r[2], r[3]);
            }
        }
    set_rnd(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_worked_1),          cmocka_unit_test(aie_worked_2_and_3),
        cmocka_unit_test(aie_worked_4),          cmocka_unit_test(aie_worked_5),
        cmocka_unit_test(aie_worked_6),          cmocka_unit_test(aie_worked_7),
        cmocka_unit_test(aie_worked_8),          cmocka_unit_test(aie_most_negative),
        cmocka_unit_test(aie_accumulators_wrap), cmocka_unit_test(aie_half_ulp),
    };
    return cmocka_run_group_tests_name("aie.worked", tests, NULL, NULL);
}
