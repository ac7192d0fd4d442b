/* SPDX-License-Identifier: MIT */
/* The references' own formats and addresses against values known from the definitions: a mistake there would hide
 * others. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "pto/reference/ref_layout.h"

static void pto_ref_format_known(void **state)
{
    static const struct {
        tw_type type;
        uint64_t code;
        double value;
    } rows[] = {
        { TW_F16, 0x3c00, 1 },
        { TW_F16, 0x7bff, 65504 },
        { TW_F16, 0x0001, 0x1p-24 },
        { TW_F16, 0x0400, 0x1p-14 },
        { TW_F16, 0xfc00, -INFINITY },
        { TW_BF16, 0x3f80, 1 },
        { TW_BF16, 0x7f7f, 0x1.fep127 },
        { TW_BF16, 0x8001, -0x1p-133 },
        { TW_F32, 0x7f7fffff, 0x1.fffffep127 },
        { TW_F32, 1, 0x1p-149 },
        { TW_F8E4M3, 0x7e, 448 },
        { TW_F8E4M3, 0x01, 0x1p-9 },
        { TW_F8E4M3, 0x38, 1 },
        { TW_F8E5M2, 0x7b, 57344 },
        { TW_F8E5M2, 0x7c, INFINITY },
        { TW_F8E5M2, 0x01, 0x1p-16 },
        { TW_F4E2M1, 7, 6 },
        { TW_F4E2M1, 9, -0.5 },
        { TW_F4E1M2, 7, 1.75 },
        { TW_F4E1M2, 1, 0.25 },
        { TW_F8E8M0, 127, 1 },
        { TW_F8E8M0, 0, 0x1p-127 },
        { TW_F8E8M0, 254, 0x1p127 },
        /* HiFloat8: prefix 0001 and no exponent = 1 */
        { TW_HIF8, 0x08, 1 },
        { TW_HIF8, 0x0f, 1.875 },
        { TW_HIF8, 0x10, 2 },
        { TW_HIF8, 0x18, 0.5 },
        { TW_HIF8, 0x20, 4 },
        { TW_HIF8, 0x28, 8 },
        { TW_HIF8, 0x30, 0.25 },
        { TW_HIF8, 0x6e, 32768 },
        { TW_HIF8, 0x6f, INFINITY },
        { TW_HIF8, 0xef, -INFINITY },
        { TW_HIF8, 0x7e, 0x1p-15 },
        { TW_HIF8, 0x01, 0x1p-22 },
        { TW_HIF8, 0x07, 0x1p-16 },
        { TW_HIF8, 0x88, -1 },
        { TW_I8, 0x80, -128 },
        { TW_U16, 0xffff, 65535 },
        { TW_I4, 0x8, -8 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (ref_decode(rows[i].type, rows[i].code) != rows[i].value)
            fail_msg("row %zu: %g", i, ref_decode(rows[i].type, rows[i].code));
        if (ref_encode(rows[i].type, rows[i].value, REF_EVEN, false) != rows[i].code)
            fail_msg("row %zu: %#llx", i,
                     (unsigned long long)ref_encode(rows[i].type, rows[i].value, REF_EVEN, false));
    }
    assert_true(ref_is_nan(TW_HIF8, 0x80) && ref_is_nan(TW_F8E4M3, 0xff) && ref_is_nan(TW_F8E8M0, 255));
}

/* Every code of a small format comes back; the middle between neighbours goes to the even one, a little more up. */
static void pto_ref_format_neighbours(void **state)
{
    static const tw_type types[] = {
        TW_F16, TW_BF16, TW_F8E4M3, TW_F8E5M2, TW_F4E2M1, TW_F4E1M2, TW_F8E8M0, TW_HIF8
    };
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        uint64_t codes = UINT64_C(1) << ref_bits(types[t]);
        for (uint64_t code = 0; code < codes; code++)
            if (!ref_is_nan(types[t], code))
                assert_int_equal(ref_encode(types[t], ref_decode(types[t], code), REF_EVEN, false), code);
        if (types[t] == TW_HIF8) continue; /* codes are not in order of value */
        for (uint64_t code = 0; code + 1 < codes / 2; code++) {
            double a = ref_decode(types[t], code), b = ref_decode(types[t], code + 1), middle = a + (b - a) / 2;
            if (isnan(b) || isinf(b)) break;
            assert_int_equal(ref_encode(types[t], middle, REF_EVEN, false), code + (code & 1));
            assert_int_equal(ref_encode(types[t], nextafter(middle, INFINITY), REF_EVEN, false), code + 1);
            assert_int_equal(ref_encode(types[t], nextafter(middle, 0), REF_AWAY, false), code);
            assert_int_equal(ref_encode(types[t], middle, REF_AWAY, false), code + 1);
            assert_int_equal(ref_encode(types[t], middle, REF_DOWN, false), code);
            assert_int_equal(ref_encode(types[t], middle, REF_UP, false), code + 1);
            assert_int_equal(ref_encode(types[t], middle, REF_ODD, false), code | 1);
        }
    }
}

static void pto_ref_format_ends(void **state)
{
    static const struct {
        tw_type type;
        double value;
        bool saturate;
        uint64_t code;
    } rows[] = {
        { TW_F16, 65519.9, false, 0x7bff },
        { TW_F16, 65520, false, 0x7c00 },
        { TW_F16, 65520, true, 0x7bff },
        { TW_F16, -1e9, true, 0xfbff },
        { TW_F8E4M3, 464, false, 0x7e },
        { TW_F8E4M3, 464.1, false, 0x7f },
        { TW_F8E4M3, INFINITY, true, 0x7e },
        { TW_F8E5M2, 61440, false, 0x7c },
        { TW_F8E5M2, 61439, false, 0x7b },
        { TW_HIF8, 40960, false, 0x6e },
        { TW_HIF8, 40961, false, 0x6f },
        { TW_HIF8, 0x1p-23, false, 0 },
        { TW_HIF8, -0x1.8p-23, false, 0x81 },
        { TW_F4E2M1, 100, false, 7 },
        { TW_F4E2M1, NAN, false, 0 },
        { TW_I8, 200, true, 127 },
        { TW_I8, 200, false, 200 },
        { TW_U8, -3, true, 0 },
        { TW_I16, NAN, true, 0 },
        { TW_I8, 2.5, true, 2 },
        { TW_I8, -3.5, true, 0xfc },
        { TW_F8E8M0, 3, false, 128 },
        { TW_F8E8M0, 6, false, 130 },
        { TW_F32, 0x1.ffffffp127, false, 0x7f800000 },
        { TW_I32, -2147483649.0, true, 0x80000000 },
        { TW_I32, -2147483649.0, false, 0x7fffffff },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ref_encode(rows[i].type, rows[i].value, REF_EVEN, rows[i].saturate) != rows[i].code)
            fail_msg("row %zu: %#llx", i,
                     (unsigned long long)ref_encode(rows[i].type, rows[i].value, REF_EVEN, rows[i].saturate));
}

/* The library's scalar conversions against the references': two independent descriptions of each format. */
static void pto_ref_format_library(void **state)
{
    static const tw_type types[] = { TW_F16,    TW_BF16,   TW_F32,    TW_F8E4M3, TW_F8E5M2,
                                     TW_F4E2M1, TW_F4E1M2, TW_F8E8M0, TW_HIF8,   TW_I8,
                                     TW_U8,     TW_I16,    TW_U16,    TW_I32,    TW_U32 };
    uint64_t seed = 1;
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int i = 0; i < 10000; i++) {
            uint64_t code = ref_any(types[t], ref_next(&seed)), got = 0;
            double value = ref_decode(types[t], code), loaded = tw_type_load(types[t], &code);
            if (ref_bits(types[t]) != 4) assert_true(value == loaded || (isnan(value) && isnan(loaded)));
            double x = ref_decode(TW_F32, ref_any(TW_F32, ref_next(&seed)));
            if (i & 1) x = value * (1 + (double)(ref_next(&seed) % 65) / 64);
            for (int saturate = 0; saturate < 2; saturate++)
                for (int r = REF_EVEN; r <= REF_ODD; r++) {
                    static const tw_rounding modes[] = { TW_ROUND_NEAREST_EVEN, TW_ROUND_NEAREST_AWAY,
                                                         TW_ROUND_DOWN,         TW_ROUND_UP,
                                                         TW_ROUND_ZERO,         TW_ROUND_TO_ODD };
                    tw_convert_mode mode = { modes[r], saturate ? TW_SAT_ON : TW_SAT_NONE };
                    uint64_t want = ref_encode(types[t], x, (ref_rounding)r, saturate);
                    /* what is past the range of these has no odd neighbour: left open */
                    bool odd_end = types[t] == TW_F8E4M3 || types[t] == TW_HIF8 || types[t] == TW_F8E8M0;
                    if (r == REF_ODD && odd_end && fabs(x) > 448) continue;
                    got = 0;
                    assert_true(tw_convert(types[t], &got, TW_F64, &x, mode, 0));
                    if (!ref_same(types[t], got, want))
                        fail_msg("%s of %.17g, rounding %d, saturate %d: %#llx, not %#llx",
                                 tw_type_name(types[t], TW_SYSTEM_PTO), x, r, saturate, (unsigned long long)got,
                                 (unsigned long long)want);
                }
        }
}

/* Elements worked out by hand from the formulas of the documents. */
static void pto_ref_layout_known(void **state)
{
    static const struct {
        tw_type type;
        uint32_t rows, cols;
        unsigned char blayout, slayout;
        uint32_t fractal, r, c;
        size_t index;
    } rows[] = {
        { TW_F32, 4, 8, TW_PTO_ROW_MAJOR, TW_PTO_NONE_BOX, 512, 2, 3, 19 },
        { TW_F32, 8, 4, TW_PTO_COL_MAJOR, TW_PTO_NONE_BOX, 512, 2, 3, 26 },
        { TW_F16, 32, 32, TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW, 512, 17, 18,
          3 * 256 + 16 + 2 }, /* Nz: box (1, 1) is the last */
        { TW_F16, 32, 48, TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW, 512, 0, 16, 2 * 256 },
        { TW_F16, 32, 48, TW_PTO_ROW_MAJOR, TW_PTO_BOX_ROW, 512, 0, 16, 256 },              /* Zz */
        { TW_F16, 32, 48, TW_PTO_ROW_MAJOR, TW_PTO_BOX_COL, 512, 1, 2, 2 * 16 + 1 },        /* Zn */
        { TW_I8, 64, 32, TW_PTO_ROW_MAJOR, TW_PTO_BOX_COL, 512, 33, 17, 3 * 512 + 32 + 1 }, /* 32 x 16 */
        { TW_F32, 32, 32, TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW, 1024, 1, 17, 2 * 256 + 17 },    /* 16 x 16 */
        { TW_F8E8M0, 16, 4, TW_PTO_ROW_MAJOR, TW_PTO_BOX_ROW, 32, 1, 3, 32 + 3 },           /* 16 x 2 */
        { TW_F8E8M0, 4, 32, TW_PTO_COL_MAJOR, TW_PTO_BOX_COL, 32, 3, 17, 3 * 32 + 3 },      /* 2 x 16, Nn */
        { TW_F4E2M1, 16, 128, TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW, 512, 1, 65, 1024 + 65 },    /* 16 x 64 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_tile t = tw_pto_tile_of(TW_PTO_MAT, rows[i].type, rows[i].rows, rows[i].cols);
        t.blayout = rows[i].blayout, t.slayout = rows[i].slayout, t.fractal = rows[i].fractal;
        if (ref_index(&t, rows[i].r, rows[i].c) != rows[i].index)
            fail_msg("row %zu: %zu", i, ref_index(&t, rows[i].r, rows[i].c));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_ref_format_known), cmocka_unit_test(pto_ref_format_neighbours),
        cmocka_unit_test(pto_ref_format_ends),  cmocka_unit_test(pto_ref_format_library),
        cmocka_unit_test(pto_ref_layout_known),
    };
    return cmocka_run_group_tests_name("pto_ref_format", tests, NULL, NULL);
}
