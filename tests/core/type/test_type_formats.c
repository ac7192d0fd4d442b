/* SPDX-License-Identifier: MIT */
/* The 4- and 8-bit formats and cb16: values decoded here from the published bit layouts, then every value, midpoint
 * and step beside it in every mode against the definitions of reference.h. */
#include "core/type/convert.h"
#include "core/type/reference.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
// clang-format on

/* Value of code (sign bit clear) of a format with e exponent and m mantissa bits. */
static long double plain_value(uint32_t code, unsigned m, int bias)
{
    uint32_t exponent = code >> m, mantissa = code & ((1u << m) - 1);
    return exponent ? ldexpl((1u << m) + mantissa, (int)exponent - bias - (int)m)
                    : ldexpl(mantissa, 1 - bias - (int)m);
}

/* HiFloat8 by its prefix: 11 = 4 exponent bits and 1 of mantissa, 10 = 3 and 2, 01 = 2 and 3, 001 = 1 and 3,
 * 0001 = 0 and 3, 0000 = 2^(low 3 bits - 23). The exponent is a sign, then bits below a leading one. */
static long double hif8_value(uint32_t code)
{
    static const struct {
        uint32_t mask, prefix;
        int exponent_bits, mantissa_bits;
    } rows[] = {
        { 0x60, 0x60, 4, 1 }, { 0x60, 0x40, 3, 2 }, { 0x60, 0x20, 2, 3 }, { 0x70, 0x10, 1, 3 }, { 0x78, 0x08, 0, 3 }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if ((code & rows[i].mask) != rows[i].prefix) continue;
        int m = rows[i].mantissa_bits, e = rows[i].exponent_bits, exponent = 0;
        uint32_t field = (code >> m) & ((1u << e) - 1);
        if (e) {
            exponent = (int)((field & ((1u << (e - 1)) - 1)) | 1u << (e - 1));
            if (field >> (e - 1)) exponent = -exponent;
        }
        return ldexpl((1u << m) + (code & ((1u << m) - 1)), exponent - m);
    }
    return code & 7 ? ldexpl(1, (int)(code & 7) - 23) : 0;
}

static const struct {
    tw_type type;
    unsigned mantissa;
    int bias;
    uint32_t last;    /* code of the largest finite value */
    int64_t infinity; /* code, or -1 */
    int64_t nan;      /* code of a NaN given to it, -1 = becomes 0 */
    long double max, least;
} formats[] = {
    { TW_F8E4M3, 3, 7, 0x7e, -1, 0x7f, 448, 0x1p-9L },
    { TW_F8E5M2, 2, 15, 0x7b, 0x7c, 0x7e, 57344, 0x1p-16L },
    { TW_QUARTER, 3, 8, 0x7f, -1, 0x80, 240, 0x1p-10L },
    { TW_F4E2M1, 1, 1, 7, -1, -1, 6, 0.5L },
    { TW_F4E1M2, 2, 1, 7, -1, -1, 1.75L, 0.25L },
    { TW_HIF4, 2, 1, 7, -1, -1, 1.75L, 0.25L },
    { TW_CB16, 9, 42, 0x7dff, 0x7e00, 0x7f00, 0x1.ff8p20L, 0x1p-50L },
    { TW_HIF8, 0, 0, 0x6e, 0x6f, 0x80, 32768, 0x1p-22L },
};
enum { FORMATS = sizeof formats / sizeof *formats };

static int by_value(const void *a, const void *b)
{
    const long double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The list of format i; values and codes are allocated. */
static format_list list_of(size_t i)
{
    uint32_t codes = formats[i].type == TW_HIF8 ? 0x80 : formats[i].last + 1;
    struct {
        long double value;
        uint32_t code;
    } *pairs = calloc(codes, sizeof *pairs);
    uint32_t n = 0;
    for (uint32_t code = 0; code < codes; code++) {
        if (code == formats[i].infinity) continue;
        pairs[n].code = code;
        pairs[n++].value =
            formats[i].type == TW_HIF8 ? hif8_value(code) : plain_value(code, formats[i].mantissa, formats[i].bias);
    }
    qsort(pairs, n, sizeof *pairs, by_value);
    long double *values = calloc(n, sizeof *values);
    uint32_t *sorted = calloc(n, sizeof *sorted);
    for (uint32_t k = 0; k < n; k++) values[k] = pairs[k].value, sorted[k] = pairs[k].code;
    free(pairs);
    long double gap = formats[i].type == TW_HIF8 ? 0x1p14L : values[n - 1] - values[n - 2];
    return (format_list){ n, values, sorted, values[n - 1] + gap };
}

static void type_formats_decode(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++) {
        tw_type type = formats[i].type;
        uint32_t sign = 1u << (tw_type_get(type)->bits - 1);
        format_list list = list_of(i);
        assert_true(list.values[list.count - 1] == formats[i].max);
        assert_true(list.values[1] == formats[i].least);
        for (size_t k = 0; k < list.count; k++) {
            uint32_t code = list.codes[k], minus = code | sign;
            if (tw_type_load(type, &code) != (double)list.values[k])
                fail_msg("%s code 0x%x: %g, expected %Lg", tw_type_get(type)->names[0], code,
                         tw_type_load(type, &code), list.values[k]);
            bool no_minus_zero = code == 0 && (type == TW_HIF8 || type == TW_QUARTER);
            if (no_minus_zero)
                assert_true(isnan(tw_type_load(type, &minus)));
            else
                assert_true(tw_type_load(type, &minus) == -(double)list.values[k]);
        }
        if (formats[i].infinity >= 0) {
            uint32_t code = (uint32_t)formats[i].infinity;
            assert_true(isinf(tw_type_load(type, &code)));
        }
        free((void *)list.values);
        free((void *)list.codes);
    }
}

static uint32_t code_after_overflow(size_t i, bool saturate, bool negative)
{
    uint32_t sign = negative ? 1u << (tw_type_get(formats[i].type)->bits - 1) : 0;
    if (saturate || formats[i].nan < 0) return formats[i].last | sign;
    if (formats[i].infinity >= 0) return (uint32_t)formats[i].infinity | sign;
    return (uint32_t)formats[i].nan | (formats[i].type == TW_QUARTER ? 0 : sign); /* its NaN has no sign */
}

static void check(size_t i, const format_list *list, double x)
{
    tw_type type = formats[i].type;
    for (unsigned mode = 0; mode < TW_ROUND_STOCHASTIC; mode++)
        for (unsigned sat = 0; sat < TW_SAT_COUNT; sat++) {
            long index = ref_round(list, x, (tw_rounding)mode);
            uint32_t sign = signbit(x) ? 1u << (tw_type_get(type)->bits - 1) : 0;
            uint32_t expected =
                index == REF_OVERFLOW ? code_after_overflow(i, sat, signbit(x)) : list->codes[index] | sign;
            if (index == 0 && (type == TW_HIF8 || type == TW_QUARTER)) expected = 0;
            uint32_t got = 0;
            tw_convert(type, &got, TW_F64, &x, (tw_convert_mode){ (tw_rounding)mode, (tw_saturation)sat }, 0);
            if (got != expected)
                fail_msg("%s of %a, %s, saturation %u: 0x%x, expected 0x%x", tw_type_get(type)->names[0], x,
                         rounding_names[mode], sat, got, expected);
        }
}

static void type_formats_round(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++) {
        format_list list = list_of(i);
        size_t step = list.count > 1000 ? 37 : 1;
        for (size_t k = 0; k < list.count; k += step) {
            double value = (double)list.values[k],
                   next = (double)(k + 1 < list.count ? list.values[k + 1] : list.next);
            double points[] = { value,
                                (value + next) / 2,
                                nextafter((value + next) / 2, 0),
                                nextafter((value + next) / 2, INFINITY),
                                nextafter(next, 0),
                                next };
            for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
                check(i, &list, points[p]);
                check(i, &list, -points[p]);
            }
        }
        check(i, &list, 1e300);
        check(i, &list, -1e300);
        check(i, &list, 1e-300);
        free((void *)list.values);
        free((void *)list.codes);
    }
}

static void type_formats_infinity_and_nan(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++)
        for (unsigned sat = 0; sat < 2; sat++) {
            double inf = -INFINITY, nan = NAN;
            uint32_t got = 0;
            tw_convert_mode mode = { TW_ROUND_ZERO, (tw_saturation)sat };
            tw_convert(formats[i].type, &got, TW_F64, &inf, mode, 0);
            assert_int_equal(got, code_after_overflow(i, sat, true));
            tw_convert(formats[i].type, &got, TW_F64, &nan, mode, 0);
            assert_int_equal(got, formats[i].nan < 0 ? 0 : formats[i].nan);
        }
}

/* Known codes of HiFloat8 and of the CSL document. */
static void type_formats_known_codes(void **state)
{
    (void)state;
    static const struct {
        tw_type type;
        double value;
        uint32_t code;
    } rows[] = {
        { TW_HIF8, 1, 0x08 },          { TW_HIF8, 2, 0x10 },        { TW_HIF8, 0.5, 0x18 },
        { TW_HIF8, 32768, 0x6e },      { TW_HIF8, 0x1p-15, 0x7e },  { TW_HIF8, 0x1p-16, 0x07 },
        { TW_HIF8, -1.25, 0x8a },      { TW_CB16, 6, 0x5900 },      { TW_F8E4M3, 1, 0x38 },
        { TW_F8E5M2, 1, 0x3c },        { TW_QUARTER, 1, 0x40 },     { TW_F4E2M1, 3, 5 },
        { TW_F8E8M0, 1, 127 },         { TW_F8E8M0, 0x1p127, 254 }, { TW_F8E8M0, 0, 0 },
        { TW_F8E8M0, -1, 255 },        { TW_F8E8M0, 0x1p-127, 0 },  { TW_F8E8M0, 1.5, 128 },
        { TW_F8E8M0, 3, 128 },         { TW_F8E8M0, 2.9, 128 },     { TW_F8E8M0, 0x1p-200, 0 },
        { TW_F8E8M0, 0x1.8p127, 254 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t code = 0;
        tw_type_store(rows[i].type, &code, rows[i].value);
        if (code != rows[i].code)
            fail_msg("%s of %g: 0x%x, expected 0x%x", tw_type_get(rows[i].type)->names[0], rows[i].value, code,
                     rows[i].code);
    }
    uint8_t scale = 130, no_scale = 255;
    assert_true(tw_type_load(TW_F8E8M0, &scale) == 8);
    assert_true(isnan(tw_type_load(TW_F8E8M0, &no_scale)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_formats_decode),
        cmocka_unit_test(type_formats_round),
        cmocka_unit_test(type_formats_infinity_and_nan),
        cmocka_unit_test(type_formats_known_codes),
    };
    return cmocka_run_group_tests_name("type formats", tests, NULL, NULL);
}
