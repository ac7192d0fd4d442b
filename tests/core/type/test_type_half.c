/* SPDX-License-Identifier: MIT */
/* Half and bfloat16 against two references: the compiler's own conversions (nearest even) and the definitions of the
 * rounding modes on the list of all values (reference.h), at every value, every midpoint and one step beside it. */
#include "core/type/convert.h"
#include "core/type/reference.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
// clang-format on

enum { HALF_COUNT = 0x7c00, BF16_COUNT = 0x7f80 };

static long double half_values[HALF_COUNT], bf16_values[BF16_COUNT];
static uint32_t half_codes[HALF_COUNT], bf16_codes[BF16_COUNT];
static const format_list halves = { HALF_COUNT, half_values, half_codes, 65536.0L };
static format_list bf16s = { BF16_COUNT, bf16_values, bf16_codes, 0x1p128L };

static int make_lists(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < HALF_COUNT; code++) {
        int exponent = (int)(code >> 10), mantissa = (int)(code & 0x3ff);
        half_values[code] = exponent ? ldexpl(1024 + mantissa, exponent - 25) : ldexpl(mantissa, -24);
        half_codes[code] = code;
    }
    for (uint32_t code = 0; code < BF16_COUNT; code++) {
        int exponent = (int)(code >> 7), mantissa = (int)(code & 0x7f);
        bf16_values[code] = exponent ? ldexpl(128 + mantissa, exponent - 134) : ldexpl(mantissa, -133);
        bf16_codes[code] = code;
    }
    return 0;
}

static void type_half_to_float_is_exact(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x10000; code++) {
        float got = tw_f16_to_f32((uint16_t)code);
        uint32_t magnitude = code & 0x7fff;
        assert_int_equal(signbit(got) != 0, code >> 15);
        if (magnitude < HALF_COUNT)
            assert_true(fabsl((long double)got) == half_values[magnitude]);
        else if (magnitude == 0x7c00)
            assert_true(isinf(got));
        else
            assert_int_equal(tw__f32_bits(got), code >> 15 << 31 | 0x7fc00000u | (code & 0x3ff) << 13);
    }
}

static void type_half_round_trips_in_every_mode(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x10000; code++) {
        bool nan = (code & 0x7fff) > 0x7c00;
        uint32_t expected = nan ? code | 0x200 : code;
        for (unsigned mode = 0; mode < TW_ROUND_COUNT; mode++) {
            float f = tw_f16_to_f32((uint16_t)code);
            if (tw_f32_to_f16(f, (tw_rounding)mode, 0xffffffffu) != expected)
                fail_msg("half 0x%04x, %s: 0x%04x", code, rounding_names[mode],
                         tw_f32_to_f16(f, (tw_rounding)mode, 0xffffffffu));
            if (!nan && tw_f64_to_f16(f, (tw_rounding)mode, 0xffffffffu) != expected)
                fail_msg("half 0x%04x, %s, from double", code, rounding_names[mode]);
        }
    }
}

/* Checks x in both signs, every deterministic mode, the inline form and tw_convert. */
static void check_float(const format_list *list, tw_type to, float x)
{
    uint32_t infinity = to == TW_F16 ? 0x7c00 : 0x7f80;
    for (unsigned mode = 0; mode < TW_ROUND_STOCHASTIC; mode++)
        for (unsigned sign = 0; sign < 2; sign++) {
            float value = sign ? -x : x;
            long index = ref_round(list, value, (tw_rounding)mode);
            uint32_t magnitude = index == REF_OVERFLOW ? infinity : list->codes[index];
            for (unsigned sat = 0; sat < TW_SAT_COUNT; sat++) {
                uint32_t expected = sign << 15 | (sat && magnitude == infinity ? infinity - 1 : magnitude);
                uint16_t got = to == TW_F16 ? tw__f32_to_f16(value, (tw_rounding)mode, (tw_saturation)sat, 0)
                                            : tw__f32_to_bf16(value, (tw_rounding)mode, (tw_saturation)sat, 0),
                         slow = 0xdead;
                tw_convert_mode m = { (tw_rounding)mode, (tw_saturation)sat };
                assert_true(tw_convert(to, &slow, TW_F32, &value, m, 0));
                if (got != expected || slow != expected)
                    fail_msg("%s of %a, %s, saturation %u: 0x%04x and 0x%04x, expected 0x%04x",
                             tw_type_get(to)->names[0], (double)value, rounding_names[mode], sat, got, slow,
                             expected);
            }
        }
}

static void type_half_midpoints(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < HALF_COUNT; code++) {
        long double above = code + 1 < HALF_COUNT ? half_values[code + 1] : 65536.0L;
        float middle = (float)((half_values[code] + above) / 2); /* 12 significant bits: exact */
        check_float(&halves, TW_F16, middle);
        check_float(&halves, TW_F16, nextafterf(middle, 0));
        check_float(&halves, TW_F16, nextafterf(middle, INFINITY));
        if (code % 16 == 0) {
            check_float(&halves, TW_F16, nextafterf((float)above, 0));
            check_float(&halves, TW_F16, nextafterf((float)above, INFINITY));
        }
    }
}

static void type_half_far_out(void **state)
{
    (void)state;
    static const float values[] = { 0x1p-149f,  0x1p-126f, 0x1.8p-126f, 0x1.fffffep-127f,
                                    0x1p-60f,   0x1p-25f,  0x1.8p-25f,  0x1.000002p-25f,
                                    65504,      65505,     65519.996f,  65520,
                                    65535.996f, 65536,     1e10f,       FLT_MAX };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) check_float(&halves, TW_F16, values[i]);
    for (unsigned mode = 0; mode < TW_ROUND_COUNT; mode++) { /* infinity stays in every mode */
        assert_int_equal(tw_f32_to_f16(INFINITY, (tw_rounding)mode, 0), 0x7c00);
        assert_int_equal(tw_f32_to_f16(-INFINITY, (tw_rounding)mode, 0), 0xfc00);
        assert_int_equal(tw_f32_to_bf16(-INFINITY, (tw_rounding)mode, 0), 0xff80);
    }
}

static void type_bf16_midpoints(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < BF16_COUNT; code++) {
        assert_true(tw_bf16_to_f32((uint16_t)code) == bf16_values[code]);
        if (code % 3) continue;
        float middle = tw__f32_from_bits(code << 16 | 0x8000);
        check_float(&bf16s, TW_BF16, middle);
        check_float(&bf16s, TW_BF16, nextafterf(middle, 0));
        check_float(&bf16s, TW_BF16, nextafterf(middle, INFINITY));
    }
    check_float(&bf16s, TW_BF16, FLT_MAX);
    check_float(&bf16s, TW_BF16, 0x1p-149f);
}

static void type_half_equals_compiler(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 2000000; i++) {
        uint32_t bits = (uint32_t)next_random(&seed);
        if (i & 1) bits = (bits & 0x8fffffff) | 0x30000000; /* half of them near the range of half */
        float f = tw__f32_from_bits(bits);
        _Float16 h = (_Float16)f;
        uint16_t expected;
        memcpy(&expected, &h, sizeof expected);
        if (isnan(f)) expected = (uint16_t)((bits >> 16 & 0x8000) | 0x7e00 | (bits >> 13 & 0x1ff));
        if (tw_f32_to_f16(f, TW_ROUND_NEAREST_EVEN, 0) != expected) fail_msg("0x%08x", bits);
    }
}

/* One rounding: a double just beside a midpoint of halves that a float would land on. */
static void type_double_to_half_rounds_once(void **state)
{
    (void)state;
    for (uint32_t code = 0; code + 1 < HALF_COUNT; code += 3) {
        double middle = (double)((half_values[code] + half_values[code + 1]) / 2);
        double near[] = { middle, nextafter(middle, 0), nextafter(middle, INFINITY), middle * (1 - 0x1p-40),
                          middle * (1 + 0x1p-40) };
        for (size_t i = 0; i < sizeof near / sizeof *near; i++)
            for (unsigned mode = 0; mode < TW_ROUND_STOCHASTIC; mode++) {
                double x = code & 1 ? -near[i] : near[i];
                uint32_t expected = (x < 0 ? 0x8000u : 0) | halves.codes[ref_round(&halves, x, (tw_rounding)mode)];
                uint16_t slow;
                tw_convert(TW_F16, &slow, TW_F64, &x, (tw_convert_mode){ (tw_rounding)mode, TW_SAT_NONE }, 0);
                uint16_t got = tw_f64_to_f16(x, (tw_rounding)mode, 0);
                if (got != expected || slow != expected)
                    fail_msg("%a, %s: 0x%04x, 0x%04x, expected 0x%04x", x, rounding_names[mode], got, slow,
                             expected);
            }
    }
    assert_int_equal(tw_f64_to_f16(5e-324, TW_ROUND_UP, 0), 1);
    assert_int_equal(tw_f64_to_f16(-5e-324, TW_ROUND_NEAREST_EVEN, 0), 0x8000);
    assert_int_equal(tw_f64_to_f16(DBL_MAX, TW_ROUND_ZERO, 0), 0x7bff);
    assert_int_equal(tw_f64_to_f16(DBL_MAX, TW_ROUND_NEAREST_EVEN, 0), 0x7c00);
    assert_int_equal(tw_f64_to_f16((double)NAN, TW_ROUND_NEAREST_EVEN, 0) & 0x7e00, 0x7e00);
}

static void type_double_to_bf16_rounds_once(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 200000; i++) {
        uint32_t code = (uint32_t)(next_random(&seed) % (BF16_COUNT - 1));
        double middle = (double)((bf16_values[code] + bf16_values[code + 1]) / 2);
        double x = i % 3 == 0 ? middle : nextafter(middle, i % 3 == 1 ? 0 : INFINITY);
        tw_rounding mode = (tw_rounding)(i % TW_ROUND_STOCHASTIC);
        long index = ref_round(&bf16s, x, mode);
        uint16_t got = tw__f64_to_bf16(x, mode, TW_SAT_NONE);
        if (got != (uint32_t)index)
            fail_msg("%a, %s: 0x%04x, expected 0x%04lx", x, rounding_names[mode], got, index);
    }
}

/* 1 + k / 8192 of the way from 1 to the next half, with each of the 8,192 random values once: k of them round up. */
static void type_half_stochastic_distribution(void **state)
{
    (void)state;
    static const uint32_t fractions[] = { 0, 1, 2, 1000, 4095, 4096, 4097, 8191 };
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        float x = tw__f32_from_bits(0x3f800000u | fractions[i]);
        uint32_t up = 0;
        for (uint32_t random = 0; random < 8192; random++) {
            uint16_t half = tw_f32_to_f16(x, TW_ROUND_STOCHASTIC, random | 0xabc0e000u),
                     slow; /* high bits unused */
            assert_int_equal(half, tw_f32_to_f16(x, TW_ROUND_STOCHASTIC, random));
            tw_convert(TW_F16, &slow, TW_F32, &x, (tw_convert_mode){ TW_ROUND_STOCHASTIC, TW_SAT_NONE }, random);
            assert_int_equal(half, slow);
            assert_true(half == 0x3c00 || half == 0x3c01);
            up += half == 0x3c01;
        }
        assert_int_equal(up, fractions[i]);
    }
}

static void type_half_stochastic_corners(void **state)
{
    (void)state;
    uint64_t seed = 3;
    uint32_t up = 0, infinite = 0;
    for (int i = 0; i < 100000; i++) {
        uint32_t random = (uint32_t)next_random(&seed);
        up += tw_f32_to_f16(0x1p-26f, TW_ROUND_STOCHASTIC, random);              /* a quarter of the least half */
        infinite += tw_f32_to_f16(65520, TW_ROUND_STOCHASTIC, random) == 0x7c00; /* half way out of range */
        assert_int_equal(tw_f32_to_f16(0x1p-80f, TW_ROUND_STOCHASTIC, random & 0x7ffffffe), 0);
        assert_int_equal(tw_f32_to_f16(1e6f, TW_ROUND_STOCHASTIC, random), 0x7c00);
        assert_int_equal(tw__f32_to_f16(1e6f, TW_ROUND_STOCHASTIC, TW_SAT_ON, random), 0x7bff);
    }
    assert_in_range(up, 24500, 25500); /* 25,000 +- 3.6 sigma */
    assert_in_range(infinite, 49400, 50600);
    for (int i = 0; i < 200000; i++) { /* inline and exact path agree on any float */
        uint64_t bits = next_random(&seed);
        float x = tw__f32_from_bits((uint32_t)bits);
        uint32_t random = (uint32_t)(bits >> 32);
        uint16_t slow[2];
        tw_convert_mode mode = { TW_ROUND_STOCHASTIC, TW_SAT_NONE };
        tw_convert(TW_F16, &slow[0], TW_F32, &x, mode, random);
        tw_convert(TW_BF16, &slow[1], TW_F32, &x, mode, random);
        if (tw_f32_to_f16(x, TW_ROUND_STOCHASTIC, random) != slow[0] ||
            tw_f32_to_bf16(x, TW_ROUND_STOCHASTIC, random) != slow[1])
            fail_msg("0x%016llx", (unsigned long long)bits);
    }
}

static void type_double_to_half_stochastic(void **state)
{
    (void)state;
    uint64_t seed = 11;
    uint32_t up = 0;
    double x = 1 + 0x1p-10 * (0.25 + 0x1p-20); /* the part under a float's fraction counts too */
    for (int i = 0; i < 100000; i++)
        up += tw_f64_to_f16(x, TW_ROUND_STOCHASTIC, (uint32_t)next_random(&seed)) == 0x3c01;
    assert_in_range(up, 24500, 25500);
}

static void type_nan_keeps_top_of_payload(void **state)
{
    (void)state;
    float quiet = tw__f32_from_bits(0xffd5a000u), signalling = tw__f32_from_bits(0x7f802000u);
    for (unsigned mode = 0; mode < TW_ROUND_COUNT; mode++)
        for (unsigned sat = 0; sat < TW_SAT_COUNT; sat++) {
            tw_convert_mode m = { (tw_rounding)mode, (tw_saturation)sat };
            uint16_t half[2], bf[2];
            assert_int_equal(tw__f32_to_f16(quiet, m.rounding, m.saturation, ~0u), 0xfead);
            assert_int_equal(tw__f32_to_f16(signalling, m.rounding, m.saturation, ~0u), 0x7e01);
            assert_int_equal(tw__f32_to_bf16(quiet, m.rounding, m.saturation, ~0u), 0xffd5);
            assert_int_equal(tw__f32_to_bf16(signalling, m.rounding, m.saturation, ~0u), 0x7fc0);
            tw_convert(TW_F16, &half[0], TW_F32, &quiet, m, ~0u);
            tw_convert(TW_F16, &half[1], TW_F32, &signalling, m, ~0u);
            tw_convert(TW_BF16, &bf[0], TW_F32, &quiet, m, ~0u);
            tw_convert(TW_BF16, &bf[1], TW_F32, &signalling, m, ~0u);
            assert_int_equal(half[0], 0xfead);
            assert_int_equal(half[1], 0x7e01);
            assert_int_equal(bf[0], 0xffd5);
            assert_int_equal(bf[1], 0x7fc0);
        }
    assert_int_equal(tw__f32_bits(tw_bf16_to_f32(0x7f81)), 0x7fc10000u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_half_to_float_is_exact),
        cmocka_unit_test(type_half_round_trips_in_every_mode),
        cmocka_unit_test(type_half_midpoints),
        cmocka_unit_test(type_half_far_out),
        cmocka_unit_test(type_bf16_midpoints),
        cmocka_unit_test(type_half_equals_compiler),
        cmocka_unit_test(type_double_to_half_rounds_once),
        cmocka_unit_test(type_double_to_bf16_rounds_once),
        cmocka_unit_test(type_half_stochastic_distribution),
        cmocka_unit_test(type_half_stochastic_corners),
        cmocka_unit_test(type_double_to_half_stochastic),
        cmocka_unit_test(type_nan_keeps_top_of_payload),
    };
    return cmocka_run_group_tests_name("type half", tests, make_lists, NULL);
}
