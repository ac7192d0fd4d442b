/* SPDX-License-Identifier: MIT */
/* Quantisation in groups (MX, HiF4), int8 with tmp, dequantising conversions, TCVT with tmp; against loops written
 * here. */
#define COUNT_ROWS
#include "pto/support/check.h"

static unsigned biased(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits >> 23 & 255;
}

/* Exponent of a group by the rules of the manual. */
static unsigned exponent(double largest, bool e4m3, bool nv)
{
    float m = (float)largest;
    if (isnan(largest)) return 255;
    if (!nv) {
        int e = (int)biased(m) - (e4m3 ? 8 : 1);
        return e < 0 ? 0 : (unsigned)e;
    }
    float s = m * (1.0f / (e4m3 ? 448.0f : 6.0f));
    for (unsigned e = 0; e < 255; e++)
        if (ldexp(1, (int)e - 127) >= (double)s) return e; /* rounded up to a power of two */
    return 254;
}

static unsigned nibble(tw_pto *core, tw_pto_tile *t, uint32_t r, uint32_t c)
{
    return ((unsigned char *)tw_pto_data(core, t))[(r * t->cols + c) / 2] >> 4 * (c & 1) & 15;
}

static double e2m1(unsigned bits)
{
    static const double values[] = { 0, .5, 1, 1.5, 2, 3, 4, 6 };
    return bits & 8 ? -values[bits & 7] : values[bits & 7];
}

static void one_mx(tw_pto_target target, tw_type from, tw_type to, bool down, bool nv, bool zz)
{
    enum { M = 64, N = 128 };
    tw_pto *core = tw_pto_new(target, 0);
    uint32_t gr = down ? M / 32 : M, gc = down ? N : N / 32;
    tw_pto_tile src = vec_tile(from, M, N), dst = vec_tile(to, M, N),
                e = vec_tile(TW_F8E8M0, gr, zz ? gc : (gc + 31) / 32 * 32),
                most = vec_tile(from, gr, (gc + 31) / 32 * 32), factor = vec_tile(TW_F32, gr, (gc + 31) / 32 * 32);
    tw_pto_attrs attrs = { .axis = down, .scale_rule = nv };
    if (zz) e.slayout = TW_PTO_BOX_ROW, e.fractal = 32;
    e.valid_cols = most.valid_cols = factor.valid_cols = gc;
    for (uint32_t r = 0; r < M; r++)
        for (uint32_t c = 0; c < N; c++)
            set(core, &src, r, c, ldexp((double)(random_bits() % 255) - 127, (int)(random_bits() % 9) - 8));
    for (uint32_t c = 0; c < 32; c++) set(core, &src, c, 33, 0); /* a group of zeros along rows */
    for (uint32_t c = 32; c < 64; c++) set(core, &src, 3, c, 0); /* and along columns */
    set(core, &src, 40, 70, INFINITY);
    set(core, &src, 50, 100, NAN);
    OK(CALL(core, "tquant.mx", &attrs, TILE(&dst), TILE(&src), TILE(&e), TILE(&most), TILE(&factor)));
    bool e4m3 = to == TW_F8E4M3;
    double limit = e4m3 ? 448 : 6;
    for (uint32_t r = 0; r < gr; r++)
        for (uint32_t c = 0; c < gc; c++) {
            double largest = 0;
            for (uint32_t i = 0; i < 32; i++) {
                double x = fabs(down ? get(core, &src, r * 32 + i, c) : get(core, &src, r, c * 32 + i));
                if (isnan(x) || isnan(largest))
                    largest = NAN;
                else
                    largest = x > largest ? x : largest;
            }
            unsigned want = exponent(largest, e4m3, nv);
            unsigned got = *((unsigned char *)tw_pto_data(core, &e) + tw_pto_element(&e, r, c));
            if (got != want) fail_msg("group (%u, %u) of %g: exponent %u instead of %u", r, c, largest, got, want);
            assert_true(same_value(get(core, &most, r, c), largest));
            double by = want == 255 ? (double)NAN : ldexp(1, 127 - (int)want);
            assert_true(same_value(get(core, &factor, r, c), by));
            for (uint32_t i = 0; i < 32; i++) {
                uint32_t y = down ? r * 32 + i : r, x = down ? c : c * 32 + i;
                double v = get(core, &src, y, x) * by;
                v = v > limit ? limit : v < -limit ? -limit : v;
                if (isnan(v)) continue; /* of e2m1: has no NaN; of e4m3: is NaN, below */
                unsigned char q = 0;
                tw_convert(to, &q, TW_F64, &v, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_ON }, 0);
                double expect = e4m3 ? tw_type_load(to, &q) : e2m1(q & 15);
                double have = e4m3 ? get(core, &dst, y, x) : e2m1(nibble(core, &dst, y, x));
                if (have != expect) fail_msg("(%u, %u): %g gives %g instead of %g", y, x, v, have, expect);
            }
        }
    if (e4m3) assert_true(isnan(get(core, &dst, 50, 100)));
    tw_pto_free(core);
}

static void pto_quant_mx(void **state)
{
    static const tw_type types[][2] = { { TW_F32, TW_F8E4M3 },
                                        { TW_BF16, TW_F8E4M3 },
                                        { TW_F16, TW_F8E4M3 },
                                        { TW_BF16, TW_F4E2M1 },
                                        { TW_F16, TW_F4E2M1 } };
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int i = 0; i < 8; i++)
            one_mx(i & 1 ? TW_PTO_A5 : TW_PTO_CPU, types[t][0], types[t][1], i & 2, i & 4, i == 1 || i == 7);
}

/* Worked by hand: the exponent of 448 is 8 above that of 1, so a group whose largest value is 448 keeps its values.
 * */
static void pto_quant_mx_known(void **state)
{
    static const struct {
        float largest;
        unsigned ocp, nv;
    } rows[] = { { 448, 127, 127 }, { 449, 127, 128 }, { 512, 128, 128 },
                 { 1, 119, 119 },   { 0, 0, 0 },       { 3e-39f, 0, 0 } };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int nv = 0; nv < 2; nv++) {
            tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
            tw_pto_tile src = vec_tile(TW_F32, 16, 32), dst = vec_tile(TW_F8E4M3, 16, 32),
                        e = vec_tile(TW_U8, 16, 32), most = src, factor = src;
            e.valid_cols = most.valid_cols = factor.valid_cols = 1;
            most.place = factor.place = 0;
            set(core, &src, 2, 7, -(double)rows[i].largest);
            OK(CALL(core, "tquant.mx", (&(tw_pto_attrs){ .scale_rule = nv }), TILE(&dst), TILE(&src), TILE(&e),
                    TILE(&most), TILE(&factor)));
            if (get(core, &e, 2, 0) != (nv ? rows[i].nv : rows[i].ocp))
                fail_msg("%g %s: %g", (double)rows[i].largest, nv ? "nv" : "ocp", get(core, &e, 2, 0));
            assert_true(get(core, &most, 2, 0) == (double)rows[i].largest);
            tw_pto_free(core);
        }
}

/* HiF4: bits of the scales, and that values come back within half a step of their own scale. */
static void pto_quant_hif4(void **state)
{
    enum { M = 8, N = 128 };
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_tile src = vec_tile(TW_BF16, M, N), dst = vec_tile(TW_HIF4, M, N), s = vec_tile(TW_U32, M, 8);
    s.valid_cols = 2;
    for (uint32_t r = 0; r < M; r++)
        for (uint32_t c = 0; c < N; c++)
            set(core, &src, r, c,
                ldexp((double)(random_bits() % 255) - 127, (int)(random_bits() % 4) - 6 + (int)r));
    for (uint32_t c = 0; c < 64; c++)
        set(core, &src, 7, c, c == 5 ? -7 : c == 20 ? 3 : c == 33 ? 1.75 : c == 62 ? 0.25 : 0);
    OK(CALL(core, "tquant.hif4", NULL, TILE(&dst), TILE(&src), TILE(&s)));
    uint32_t word =
        (uint32_t)get(core, &s, 7, 0); /* largest 7: scale 1 = e6m2 48 * 4; only element 5 needs both bits */
    assert_int_equal(word & 255, 48 * 4);
    assert_int_equal(word >> 8 & 255, 1);
    assert_int_equal(word >> 16, 1u << 1 | 1u << 5);
    for (uint32_t r = 0; r < M; r++)
        for (uint32_t c = 0; c < N; c++) {
            static const double e1m2[] = { 0, .25, .5, .75, 1, 1.25, 1.5, 1.75 };
            word = (uint32_t)get(core, &s, r, c / 64);
            double scale = ldexp(1 + (word & 3) / 4.0, (int)(word >> 2 & 63) - 48);
            scale *= word >> (8 + c % 64 / 8) & 1 ? 2 : 1;
            scale *= word >> (16 + c % 64 / 4) & 1 ? 2 : 1;
            unsigned bits = nibble(core, &dst, r, c);
            double x = get(core, &src, r, c), back = e1m2[bits & 7] * (bits & 8 ? -1 : 1) * scale;
            double top =
                1.75 * scale; /* the 8-bit scale may be rounded down: the largest values are clipped then */
            double error = fabs(x) > top ? fabs(fabs(back) - top) : fabs(x - back);
            if (error > 0.125 * scale * (1 + 1e-9)) fail_msg("(%u, %u): %g comes back as %g", r, c, x, back);
        }
    tw_pto_free(core);
    core = tw_pto_new(TW_PTO_A5, 0);
    REFUSED(CALL(core, "tquant.hif4", NULL, TILE(&dst), TILE(&src), TILE(&s)), "profile.absent", "a5");
    tw_pto_free(core);
}

static void pto_quant_tmp(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_tile a = vec_tile(TW_F32, 4, 32), q = vec_tile(TW_I8, 4, 32), u = vec_tile(TW_U8, 4, 32),
                p = vec_tile(TW_F32, 8, 1), z = p, tmp = vec_tile(TW_F32, 4, 32), small = vec_tile(TW_F32, 2, 32);
    p.blayout = z.blayout = TW_PTO_COL_MAJOR;
    for (uint32_t r = 0; r < 4; r++) {
        for (uint32_t c = 0; c < 32; c++) set(core, &a, r, c, c * 2.5 - 40 + r); /* ties at every second */
        set(core, &p, r, 0, 1 << r);
        set(core, &z, r, 0, 10.0 * r);
    }
    set(core, &a, 0, 0, NAN);
    set(core, &a, 0, 1, INFINITY);
    set(core, &a, 0, 2, -INFINITY);
    OK(CALL(core, "tquant", NULL, TILE(&q), TILE(&a), TILE(&p), TILE(&tmp)));
    OK(CALL(core, "tquant", NULL, TILE(&u), TILE(&a), TILE(&p), TILE(&tmp), TILE(&z)));
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = r ? 0 : 3; c < 32; c++) {
            double x = get(core, &a, r, c) * (1 << r), s = nearbyint(x), t = nearbyint(x + 10.0 * r);
            assert_true(get(core, &q, r, c) == (s > 127 ? 127 : s < -128 ? -128 : s));
            assert_true(get(core, &u, r, c) == (t > 255 ? 255 : t < 0 ? 0 : t));
        }
    assert_true(get(core, &q, 0, 0) == 0 && get(core, &q, 0, 1) == 127 && get(core, &q, 0, 2) == -128);
    REFUSED(CALL(core, "tquant", NULL, TILE(&q), TILE(&a), TILE(&p), TILE(&small)), "tmp.same", "f32");
    tw_pto_free(core);
}

/* i32 to f16 with a factor; TADDDEQRELU has the same arithmetic with an addition and relu. */
static void pto_quant_dequant(void **state)
{
    static const double values[] = {
        0, 1, -1, 1000, -1000, 65504, 70000, -70000, 2147483647, -2147483648.0, 2049, 3
    };
    (void)state;
    for (int target = 0; target < TW_PTO_A5; target++)
        for (int f = 0; f < 3; f++) {
            const float factor = f == 0 ? 1 : f == 1 ? 0.5f : 0x1p-16f;
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            tw_pto_tile a = vec_tile(TW_I32, 1, 16), b = a, h = vec_tile(TW_F16, 1, 16),
                        tmp = vec_tile(TW_I32, 1, 16);
            a.valid_cols = b.valid_cols = h.valid_cols = sizeof values / sizeof *values;
            for (uint32_t c = 0; c < a.valid_cols; c++) set(core, &a, 0, c, values[c]), set(core, &b, 0, c, c % 3);
            if (f) OK(CALL(core, "set_deqscale", NULL, SCALAR(tw_pto_f32(factor))));
            OK(CALL(core, "tcvt", (&(tw_pto_attrs){ .round = TW_PTO_ROUND_RINT }), TILE(&h), TILE(&a)));
            for (uint32_t c = 0; c < a.valid_cols; c++) {
                double x = (double)(float)values[c] * (double)factor;
                x = x > 65504 ? 65504 : x < -65504 ? -65504 : x; /* saturation is this pair's default */
                assert_true(get(core, &h, 0, c) ==
                            tw_f16_to_f32(tw_f32_to_f16((float)x, TW_ROUND_NEAREST_EVEN, 0)));
            }
            OK(CALL(core, "tadddeqrelu", NULL, TILE(&h), TILE(&a), TILE(&b), SCALAR(tw_pto_f32(factor)),
                    TILE(&tmp)));
            for (uint32_t c = 0; c < a.valid_cols; c++) {
                int32_t sum = (int32_t)((uint32_t)(int32_t)values[c] + c % 3); /* wraps */
                double x = (double)(float)sum * (double)factor;
                x = x > 65504 ? 65504 : x < 0 ? 0 : x;
                assert_true(get(core, &h, 0, c) ==
                            tw_f16_to_f32(tw_f32_to_f16((float)x, TW_ROUND_NEAREST_EVEN, 0)));
            }
            tw_pto_free(core);
        }
}

/* With tmp A2/A3 wrap, without they saturate; tmp must have the size that the manual gives, and one byte less is
 * refused. */
static void pto_quant_convert_tmp(void **state)
{
    static const struct {
        tw_type from, to;
        uint32_t rows, cols, stride, bytes;
    } rows[] = {
        { TW_F32, TW_I16, 4, 128, 128, 512 }, /* 256 * 2 */
        { TW_F32, TW_I16, 4, 70, 128, 1568 }, /* 32 * (3 * 128 / 8 + 1) */
        { TW_F32, TW_I16, 1, 130, 192, 512 }, /* the whole registers */
        { TW_F16, TW_I16, 4, 33, 48, 160 },   /* 32 * 5 */
        { TW_F16, TW_I8, 4, 64, 64, 256 },    /* max(256, 128 + 128) */
        { TW_F16, TW_I8, 4, 17, 32, 192 },    /* max(96, 128 + 64) */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
        tw_pto_tile a = vec_tile(rows[i].from, rows[i].rows, rows[i].stride),
                    d = vec_tile(rows[i].to, rows[i].rows, (rows[i].stride + 31) / 32 * 32),
                    tmp = vec_tile(TW_U8, 1, (rows[i].bytes + 31) / 32 * 32),
                    less = vec_tile(TW_U8, 1, rows[i].bytes - 32);
        a.valid_cols = d.valid_cols = rows[i].cols;
        set(core, &a, 0, 3, 40000);
        OK(CALL(core, "tcvt", NULL, TILE(&d), TILE(&a), TILE(&tmp)));
        assert_true(get(core, &d, 0, 3) == (rows[i].to == TW_I16 ? -25536 : 64));
        OK(CALL(core, "tcvt", NULL, TILE(&d), TILE(&a)));
        assert_true(get(core, &d, 0, 3) == (rows[i].to == TW_I16 ? 32767 : 127));
        REFUSED(CALL(core, "tcvt", NULL, TILE(&d), TILE(&a), TILE(&less)), "tmp.size", "a2a3");
        OK(CALL(core, "tcvt", (&(tw_pto_attrs){ .saturate = TW_PTO_SATURATE_ON }), TILE(&d), TILE(&a),
                TILE(&less)));
        tw_pto_free(core);
    }
}

static void pto_quant_rows(void **state)
{
    (void)state;
    check_rows_reached("quant");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_quant_mx),      cmocka_unit_test(pto_quant_mx_known),
        cmocka_unit_test(pto_quant_hif4),    cmocka_unit_test(pto_quant_tmp),
        cmocka_unit_test(pto_quant_dequant), cmocka_unit_test(pto_quant_convert_tmp),
        cmocka_unit_test(pto_quant_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
