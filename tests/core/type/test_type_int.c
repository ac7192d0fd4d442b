/* SPDX-License-Identifier: MIT */
/* Integers: float to integer in every mode at the limits of every width, inline form and exact path; integer to
 * float against the compiler; integer to integer; bool; the rows of tw_srs from the AI Engine documents. */
#include "core/type/convert.h"
#include "core/type/reference.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <math.h>
// clang-format on

typedef __int128 i128;

static const tw_type ints[] = { TW_I4, TW_I8, TW_I16, TW_I32, TW_I64, TW_U4, TW_U8, TW_U16, TW_U32, TW_U64 };
enum { INTS = sizeof ints / sizeof *ints };

/* x rounded to an integer as the definition of the mode says; |x| < 2^100. */
static i128 ref_integer(long double x, tw_rounding mode)
{
    long double low = floorl(x), middle = low + 0.5L;
    if (x == low) return (i128)x;
    bool odd = fmodl(low, 2) != 0, up = x > middle;
    switch (mode) {
    case TW_ROUND_NEAREST_EVEN: up = x == middle ? odd : up; break;
    case TW_ROUND_NEAREST_ODD: up = x == middle ? !odd : up; break;
    case TW_ROUND_NEAREST_AWAY: up = x == middle ? x > 0 : up; break;
    case TW_ROUND_NEAREST_ZERO: up = x == middle ? x < 0 : up; break;
    case TW_ROUND_NEAREST_UP: up = x >= middle; break;
    case TW_ROUND_NEAREST_DOWN: up = x > middle; break;
    case TW_ROUND_ZERO: up = x < 0; break;
    case TW_ROUND_UP: up = true; break;
    case TW_ROUND_DOWN: up = false; break;
    case TW_ROUND_TO_ODD: up = !odd; break;
    case TW_ROUND_STOCHASTIC:
    case TW_ROUND_COUNT: break;
    }
    return (i128)low + up;
}

static i128 ref_fit(i128 value, unsigned bits, bool is_signed, tw_saturation saturation)
{
    i128 one = 1, max = is_signed ? (one << (bits - 1)) - 1 : (one << bits) - 1;
    i128 min = !is_signed ? 0 : saturation == TW_SAT_SYMMETRIC ? -max : -max - 1;
    if (saturation != TW_SAT_NONE) return value < min ? min : value > max ? max : value;
    i128 size = one << bits, low = ((value % size) + size) % size;
    return is_signed && low > max ? low - size : low;
}

static i128 load_int(tw_type type, const void *src)
{
    bool is_signed = tw_type_get(type)->is_signed;
    switch (tw_type_size(type)) {
    case 1: return is_signed ? *(const int8_t *)src : *(const uint8_t *)src;
    case 2: return is_signed ? *(const int16_t *)src : *(const uint16_t *)src;
    case 4: return is_signed ? (i128) * (const int32_t *)src : *(const uint32_t *)src;
    default: return is_signed ? (i128) * (const int64_t *)src : *(const uint64_t *)src;
    }
}

static void check_float(float x)
{
    for (unsigned t = 0; t < INTS; t++)
        for (unsigned mode = 0; mode < TW_ROUND_STOCHASTIC; mode++)
            for (unsigned sat = 0; sat < TW_SAT_COUNT; sat++) {
                const tw_type_info *info = tw_type_get(ints[t]);
                i128 expected =
                    ref_fit(ref_integer(x, (tw_rounding)mode), info->bits, info->is_signed, (tw_saturation)sat);
                uint64_t raw = 0;
                tw_convert_mode m = { (tw_rounding)mode, (tw_saturation)sat };
                assert_true(tw_convert(ints[t], &raw, TW_F32, &x, m, 0));
                i128 slow = load_int(ints[t], &raw), fast = slow;
                if (info->bits <= 32) {
                    int32_t word = tw__f32_to_int(x, info->bits, info->is_signed, m.rounding, m.saturation, 0);
                    fast = info->is_signed ? word : (i128)(uint32_t)word;
                }
                if (slow != expected || fast != expected)
                    fail_msg("%s of %a, %s, saturation %u: %lld and %lld, expected %lld", info->names[0], (double)x,
                             rounding_names[mode], sat, (long long)slow, (long long)fast, (long long)expected);
            }
}

static void type_float_to_int_limits(void **state)
{
    (void)state;
    for (int power = 0; power <= 70; power++) {
        float base = ldexpf(1, power);
        static const float deltas[] = { -1.5f, -1, -0.75f, -0.5f, -0.25f, 0, 0.25f, 0.5f, 0.75f, 1, 1.5f, 2.5f };
        for (size_t d = 0; d < sizeof deltas / sizeof *deltas; d++)
            for (int sign = -1; sign <= 1; sign += 2) {
                check_float((float)sign * (base + deltas[d]));
                check_float((float)sign * nextafterf(base + deltas[d], 0));
                check_float((float)sign * nextafterf(base + deltas[d], INFINITY));
            }
    }
    check_float(0);
    check_float(0x1p-149f);
    check_float(-0x1p-60f);
    uint64_t seed = 5;
    for (int i = 0; i < 3000; i++) {
        uint32_t bits = (uint32_t)next_random(&seed);
        check_float(tw__f32_from_bits((bits & 0x80ffffff) | (120 + bits % 45) << 23)); /* 2^-7 .. 2^37 */
    }
}

static void type_nan_and_infinity_to_int(void **state)
{
    (void)state;
    for (unsigned t = 0; t < INTS; t++) {
        const tw_type_info *info = tw_type_get(ints[t]);
        for (unsigned sat = 0; sat < TW_SAT_COUNT; sat++) {
            tw_saturation s = (tw_saturation)sat;
            i128 min = ref_fit(-((i128)1 << 100), info->bits, info->is_signed, s),
                 max = ref_fit((i128)1 << 100, info->bits, info->is_signed, s);
            if (!sat) min = max = info->is_signed ? -((i128)1 << (info->bits - 1)) : 0;
            const struct {
                float x;
                i128 expected;
            } rows[] = { { NAN, sat ? 0 : min }, { -NAN, sat ? 0 : min }, { INFINITY, max }, { -INFINITY, min } };
            for (size_t i = 0; i < 4; i++) {
                uint64_t raw = 0;
                tw_convert(ints[t], &raw, TW_F32, &rows[i].x, (tw_convert_mode){ TW_ROUND_ZERO, s }, 0);
                assert_true(load_int(ints[t], &raw) == rows[i].expected);
                if (info->bits > 32) continue;
                int32_t word = tw__f32_to_int(rows[i].x, info->bits, info->is_signed, TW_ROUND_ZERO, s, 0);
                assert_true((info->is_signed ? word : (i128)(uint32_t)word) == rows[i].expected);
            }
        }
    }
}

static void type_type_int_stochastic(void **state)
{
    (void)state;
    uint64_t seed = 17;
    uint32_t up = 0, down = 0;
    for (int i = 0; i < 100000; i++) {
        uint32_t random = (uint32_t)next_random(&seed);
        int32_t a = tw__f32_to_int(2.25f, 32, true, TW_ROUND_STOCHASTIC, TW_SAT_ON, random), slow;
        float x = 2.25f;
        up += a == 3;
        down += tw__f32_to_int(-0.125f, 8, true, TW_ROUND_STOCHASTIC, TW_SAT_NONE, random) == -1;
        assert_true(a == 2 || a == 3);
        assert_int_equal(tw__f32_to_int(-7, 32, true, TW_ROUND_STOCHASTIC, TW_SAT_ON, random), -7);
        tw_convert(TW_I32, &slow, TW_F32, &x, (tw_convert_mode){ TW_ROUND_STOCHASTIC, TW_SAT_ON }, random);
        assert_true(slow == 2 || slow == 3);
    }
    assert_in_range(up, 24500, 25500);
    assert_in_range(down, 12100, 12900);
}

static void type_float_round_keeps_sign(void **state)
{
    (void)state;
    assert_int_equal(tw__f32_bits(tw__f32_round(-0.25f, TW_ROUND_NEAREST_EVEN, 0)), 0x80000000u);
    assert_int_equal(tw__f32_bits(tw__f32_round(-0.25f, TW_ROUND_UP, 0)), 0x80000000u);
    assert_true(tw__f32_round(2.5f, TW_ROUND_NEAREST_EVEN, 0) == 2);
    assert_true(tw__f32_round(-2.5f, TW_ROUND_NEAREST_AWAY, 0) == -3);
    assert_true(isinf(tw__f32_round(-INFINITY, TW_ROUND_DOWN, 0)));
    assert_true(isnan(tw__f32_round(NAN, TW_ROUND_DOWN, 0)));
}

static void type_int_to_float(void **state)
{
    (void)state;
    uint64_t seed = 23;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next_random(&seed) >> (i % 64);
        int64_t value = i & 1 ? (int64_t)bits : -(int64_t)bits;
        float f, u;
        double d;
        tw_convert_mode mode = { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE };
        tw_convert(TW_F32, &f, TW_I64, &value, mode, 0);
        tw_convert(TW_F32, &u, TW_U64, &bits, mode, 0);
        tw_convert(TW_F64, &d, TW_I64, &value, mode, 0);
        assert_true(f == (float)value && u == (float)bits && d == (double)value);
        double wide = (double)value;
        tw_convert(TW_F32, &f, TW_F64, &wide, mode, 0);
        assert_true(f == (float)wide);
    }
    int32_t big = 65520, under = 65519, odd = 0x01000001;
    uint16_t half;
    float f;
    tw_convert(TW_F16, &half, TW_I32, &big, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
    assert_int_equal(half, 0x7c00);
    tw_convert(TW_F16, &half, TW_I32, &under, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
    assert_int_equal(half, 0x7bff);
    tw_convert(TW_F32, &f, TW_I32, &odd, (tw_convert_mode){ TW_ROUND_UP, TW_SAT_NONE }, 0);
    assert_true(f == 0x1000002);
}

static void type_int_to_int(void **state)
{
    (void)state;
    static const int64_t values[] = {
        0,         1,        -1,    7,     8,      -8,    -9,    127,    128,       -128,      -129,
        255,       256,      32767, 32768, -32768, 65535, 65536, -65536, INT32_MAX, INT32_MIN, (int64_t)UINT32_MAX,
        INT64_MAX, INT64_MIN
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (unsigned t = 0; t < INTS; t++)
            for (unsigned sat = 0; sat < TW_SAT_COUNT; sat++) {
                const tw_type_info *info = tw_type_get(ints[t]);
                uint64_t raw = 0;
                tw_convert(ints[t], &raw, TW_I64, &values[i], (tw_convert_mode){ 0, (tw_saturation)sat }, 0);
                i128 expected = ref_fit(values[i], info->bits, info->is_signed, (tw_saturation)sat);
                if (load_int(ints[t], &raw) != expected)
                    fail_msg("%s of %lld, saturation %u", info->names[0], (long long)values[i], sat);
            }
    int8_t nibbles = 0x7d; /* only the low 4 bits count */
    int32_t wide;
    tw_convert(TW_I32, &wide, TW_I4, &nibbles, (tw_convert_mode){ 0 }, 0);
    assert_int_equal(wide, -3);
    tw_convert(TW_I32, &wide, TW_U4, &nibbles, (tw_convert_mode){ 0 }, 0);
    assert_int_equal(wide, 13);
}

static void type_bool_and_refused(void **state)
{
    (void)state;
    static const struct {
        float x;
        uint8_t expected;
    } rows[] = { { 0, 0 }, { -0.0f, 0 }, { 0x1p-149f, 1 }, { -3, 1 }, { NAN, 1 }, { INFINITY, 1 } };
    uint8_t b;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(tw_convert(TW_BOOL, &b, TW_F32, &rows[i].x, (tw_convert_mode){ 0 }, 0));
        assert_int_equal(b, rows[i].expected);
    }
    uint8_t two = 2;
    float f = 0;
    assert_true(tw_convert(TW_F32, &f, TW_BOOL, &two, (tw_convert_mode){ 0 }, 0));
    assert_true(f == 1);
    static const tw_type refused[] = { TW_TYPE_NONE, TW_CI16,      TW_CF32,    TW_ACC48,
                                       TW_CACC80,    (tw_type)999, (tw_type)-1 };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        uint64_t before[4] = { 1, 2, 3, 4 };
        assert_false(tw_convert(refused[i], before, TW_F32, &f, (tw_convert_mode){ 0 }, 0));
        assert_false(tw_convert(TW_F32, before, refused[i], before + 1, (tw_convert_mode){ 0 }, 0));
        assert_int_equal(before[0], 1);
    }
}

static void type_load_and_store(void **state)
{
    (void)state;
    for (unsigned type = 1; type < TW_TYPE_COUNT; type++) {
        uint64_t memory[4] = { ~0ull, ~0ull, ~0ull, ~0ull };
        tw_type_store((tw_type)type, memory, 1);
        if (tw_type_load((tw_type)type, memory) != 1)
            fail_msg("%s", tw_type_name((tw_type)type, TW_SYSTEM_TILEWRIGHT));
        const unsigned char *bytes = (const unsigned char *)memory;
        for (size_t i = tw_type_size((tw_type)type); i < sizeof memory; i++) assert_int_equal(bytes[i], 0xff);
    }
    int16_t complex[2] = { 9, 9 };
    tw_type_store(TW_CI16, complex, -5);
    assert_int_equal(complex[0], -5);
    assert_int_equal(complex[1], 0);
    int64_t acc = 0;
    tw_type_store(TW_ACC48, &acc, 1e30);
    assert_true(acc == (1ll << 47) - 1);
    tw_type_store(TW_TYPE_NONE, &acc, 3);
    assert_true(acc == (1ll << 47) - 1);
}

/* The check table of UG1079, intrinsics: shift 2. */
static void type_srs_rounding(void **state)
{
    (void)state;
    static const int inputs[] = { -12, -10, -6, -2, 2, 6, 10, 12 };
    static const struct {
        tw_rounding mode;
        int expected[8];
    } rows[] = {
        { TW_ROUND_DOWN, { -3, -3, -2, -1, 0, 1, 2, 3 } },
        { TW_ROUND_UP, { -3, -2, -1, 0, 1, 2, 3, 3 } },
        { TW_ROUND_NEAREST_UP, { -3, -2, -1, 0, 1, 2, 3, 3 } },
        { TW_ROUND_NEAREST_DOWN, { -3, -3, -2, -1, 0, 1, 2, 3 } },
        { TW_ROUND_NEAREST_AWAY, { -3, -3, -2, -1, 1, 2, 3, 3 } },
        { TW_ROUND_NEAREST_ZERO, { -3, -2, -1, 0, 0, 1, 2, 3 } },
        { TW_ROUND_NEAREST_EVEN, { -3, -2, -2, 0, 0, 2, 2, 3 } },
        { TW_ROUND_NEAREST_ODD, { -3, -3, -1, -1, 1, 1, 3, 3 } },
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t i = 0; i < 8; i++) {
            int64_t got = tw_srs(inputs[i] < 0 ? -1 : 0, (uint64_t)(int64_t)inputs[i], 2, 16, true, rows[r].mode,
                                 TW_SAT_NONE);
            if (got != rows[r].expected[i])
                fail_msg("%s of %d: %lld", rounding_names[rows[r].mode], inputs[i], (long long)got);
        }
}

static void type_srs_limits(void **state)
{
    (void)state;
    static const struct {
        int64_t high;
        uint64_t low;
        unsigned shift, bits;
        bool is_signed;
        tw_saturation saturation;
        int64_t expected;
    } rows[] = {
        { 0, 40000, 0, 16, true, TW_SAT_NONE, 40000 - 65536 },
        { 0, 40000, 0, 16, true, TW_SAT_ON, 32767 },
        { -1, (uint64_t)-40000, 0, 16, true, TW_SAT_ON, -32768 },
        { -1, (uint64_t)-40000, 0, 16, true, TW_SAT_SYMMETRIC, -32767 },
        { -1, (uint64_t)-40000, 0, 8, false, TW_SAT_ON, 0 },
        { 0, 300, 0, 8, false, TW_SAT_ON, 255 },
        { 0, 300, 0, 8, false, TW_SAT_NONE, 44 },
        { 0, 1020, 2, 8, false, TW_SAT_SYMMETRIC, 255 },
        { 0x7fff, ~0ull, 16, 64, true, TW_SAT_ON, INT64_MAX }, /* 80-bit maximum, rounds up past 2^63 */
        { -0x8000, 0, 16, 64, true, TW_SAT_ON, INT64_MIN },    /* 80-bit minimum */
        { -0x8000, 0, 16, 64, true, TW_SAT_SYMMETRIC, -INT64_MAX },
        { -1, 0x8000000000000000ull, 62, 32, true, TW_SAT_ON, -2 },
        { 0, 1, 200, 32, true, TW_SAT_ON, 0 },
        { -1, ~0ull, 200, 32, true, TW_SAT_ON, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t got = tw_srs(rows[i].high, rows[i].low, rows[i].shift, rows[i].bits, rows[i].is_signed,
                             TW_ROUND_NEAREST_EVEN, rows[i].saturation);
        if (got != rows[i].expected)
            fail_msg("row %zu: %lld, expected %lld", i, (long long)got, (long long)rows[i].expected);
    }
}

/* The form inlined in kernels and tw_convert() take the same bits of `random`: one seed gives one result
 * everywhere. */
static void type_int_stochastic(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 100000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        float x = ldexpf((float)(int32_t)(seed >> 32), -(int)(seed >> 8 & 63));
        uint32_t random = (uint32_t)(seed >> 3) * 2654435761u;
        int32_t inlined = tw__f32_to_int(x, 32, true, TW_ROUND_STOCHASTIC, TW_SAT_ON, random), converted;
        tw_convert(TW_I32, &converted, TW_F32, &x, (tw_convert_mode){ TW_ROUND_STOCHASTIC, TW_SAT_ON }, random);
        assert_int_equal(inlined, converted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_float_to_int_limits), cmocka_unit_test(type_nan_and_infinity_to_int),
        cmocka_unit_test(type_type_int_stochastic), cmocka_unit_test(type_float_round_keeps_sign),
        cmocka_unit_test(type_int_to_float),        cmocka_unit_test(type_int_to_int),
        cmocka_unit_test(type_bool_and_refused),    cmocka_unit_test(type_load_and_store),
        cmocka_unit_test(type_srs_rounding),        cmocka_unit_test(type_int_stochastic),
        cmocka_unit_test(type_srs_limits),
    };
    return cmocka_run_group_tests_name("type integers", tests, NULL, NULL);
}
