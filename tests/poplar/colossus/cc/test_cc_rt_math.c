/* SPDX-License-Identifier: MIT */
/* Mathematics of the runtime library, compiled for this machine, against the host's in double: the largest error
 * of each function in units of the last place, over all exponents, with subnormal numbers and, as on the chip,
 * without; special values as annex F of C17 lists them. */
#define TW_RT_HOST
#include "poplar/colossus/cc/rt/workers.c"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum { ROUNDS = 1000000 };

static uint64_t seed = 3;
static uint32_t random32(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33 ^ seed >> 13));
}

static double power_of_ten(double x)
{
    return pow(10, x);
}

static double silu(double x)
{
    return x < -800 ? -0.0 : x / (1 + exp(-x));
}
static double gelu_tanh(double x)
{
    double v = 2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x);
    return x < -800 ? -0.0 : x / (1 + exp(-v));
}
static double gelu_erf(double x)
{
    return x < -800 ? -0.0 : 0.5 * x * erfc(-x * 0.70710678118654752440);
}
static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}
/* Of one number, by the function of arrays. */
#define MAPPED(name)                    \
    static float mapped_##name(float x) \
    {                                   \
        float y;                        \
        rt_tw_map_##name(1, &y, &x);    \
        return y;                       \
    }
MAPPED(silu)
MAPPED(gelu_tanh)
MAPPED(gelu_erf)
MAPPED(softplus)

static const struct function {
    const char *name;
    float (*function)(float);
    double (*reference)(double);
    float low, high; /* where numbers are taken from: |x| */
    double bound;    /* units in the last place */
    double around;   /* of a result below it the error counts as at it */
} functions[] = {
    { "sinf", rt_sinf, sin, 0, INFINITY, 1, 0 },
    { "cosf", rt_cosf, cos, 0, INFINITY, 1, 0 },
    { "tanf", rt_tanf, tan, 0, INFINITY, 1.25, 0 },
    { "asinf", rt_asinf, asin, 0, 1, 1, 0 },
    { "acosf", rt_acosf, acos, 0, 1, 1, 0 },
    { "atanf", rt_atanf, atan, 0, INFINITY, 1.25, 0 },
    { "sinhf", rt_sinhf, sinh, 0, 95, 1, 0 },
    { "coshf", rt_coshf, cosh, 0, 95, 1, 0 },
    { "tanhf", rt_tanhf, tanh, 0, 20, 1.5, 0 },
    { "expm1f", rt_expm1f, expm1, 0, 95, 1, 0 },
    { "exp10f", rt_exp10f, power_of_ten, 0, 50, 1, 0 },
    { "log10f", rt_log10f, log10, 0, INFINITY, 1, 0 },
    { "log1pf", rt_log1pf, log1p, 0, INFINITY, 1.5, 0 },
    { "asinhf", rt_asinhf, asinh, 0, INFINITY, 1.5, 0 },
    { "acoshf", rt_acoshf, acosh, 0, INFINITY, 1.5, 0 },
    { "atanhf", rt_atanhf, atanh, 0, 1, 1.5, 0 },
    { "cbrtf", rt_cbrtf, cbrt, 0, INFINITY, 1, 0 },
    { "erff", rt_erff, erf, 0, 12, 1.5, 0 },
    { "erfcf", rt_erfcf, erfc, 0, 12, 4, 0 },
    { "lgammaf", rt_lgammaf, lgamma, 0, INFINITY, 8, 1 },
    { "sqrtf", rt_sqrtf, sqrt, 0, INFINITY, 0.5001, 0 },
    { "floorf", rt_floorf, floor, 0, INFINITY, 0, 0 },
    { "ceilf", rt_ceilf, ceil, 0, INFINITY, 0, 0 },
    { "truncf", rt_truncf, trunc, 0, INFINITY, 0, 0 },
    { "rintf", rt_rintf, rint, 0, INFINITY, 0, 0 },
    { "roundf", rt_roundf, round, 0, INFINITY, 0, 0 },
    { "expf", rt_expf, exp, 0, 95, 1, 0 },
    { "exp2f", rt_exp2f, exp2, 0, 130, 1, 0 },
    { "logf", rt_logf, log, 0, INFINITY, 1, 0 },
    { "log2f", rt_log2f, log2, 0, INFINITY, 1, 0 },
    { "silu", mapped_silu, silu, 0, INFINITY, 3, 0 },
    { "gelu_tanh", mapped_gelu_tanh, gelu_tanh, 0, INFINITY, 3, 0 },
    { "gelu_erf", mapped_gelu_erf, gelu_erf, 0, INFINITY, 6, 0 },
    { "softplus", mapped_softplus, softplus, 0, INFINITY, 2.5, 0 },
};

/* Units of the last place between them, of a normal float's. Both tiny, both infinite or both NaN: none. */
static double units(float got, double want, double around)
{
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    if (isnan(got)) return INFINITY;
    if (fabs(want) < 0x1p-126 && fabsf(got) <= 0x1p-126f) return 0;
    if (fabs(want) >= 0x1.ffffffp127)
        return isinf(got) && (got > 0) == (want > 0) ? 0 : fabs(want) < 0x1.000001p128 ? 0.5 : INFINITY;
    if (isinf(got)) return fabs(want) > 0x1.fffffep127 ? 0.5 : INFINITY;
    int exponent;
    frexp(fmax(fmax(fabs(want), 0x1p-126), around), &exponent);
    return fabs((double)got - want) / ldexp(1, exponent - 24);
}

static float random_float(float low, float high)
{
    for (;;) {
        uint32_t bits = random32() & 0x7fffffff;
        if (bits < 0x800000) continue;
        float x = float_from(bits);
        if (random32() & 3) { /* mostly of everyday size */
            x = float_from((bits & 0x7fffff) | (uint32_t)(110 + random32() % 26) << 23);
        }
        if (x >= low && x <= high) return random32() & 1 ? -x : x;
    }
}

static void measure(bool flushes)
{
    bool wrong = false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct function *f = &functions[i];
        double worst = 0;
        float at = 0;
        for (unsigned k = 0; k < ROUNDS; k++) {
            float x = random_float(f->low, f->high), y = f->function(x);
            double error = units(y, f->reference((double)x), f->around);
            if (error > worst) worst = error, at = x;
        }
        print_message("%-9s %s %.3f at %a\n", f->name, flushes ? "flushed" : "       ", worst, (double)at);
        if (worst > f->bound)
            wrong = true, print_error("%s: %g at %a: %a\n", f->name, worst, (double)at, (double)f->function(at));
    }
    assert_false(wrong);
}

static void one_argument(void **state)
{
    (void)state;
    measure(false);
}

/* Multiples of a quarter turn are where a reduction that is not careful loses all. */
static void near_multiples(void **state)
{
    (void)state;
    for (int k = 1; k < 200000; k++)
        for (int off = -2; off <= 2; off++) {
            float x = float_from(float_word((float)(k * M_PI_2)) + (uint32_t)off);
            assert_true(units(rt_sinf(x), sin((double)x), 0) < 1);
            assert_true(units(rt_cosf(x), cos((double)x), 0) < 1);
            assert_true(units(rt_tanf(x), tan((double)x), 0) < 1.25);
        }
}

static void two_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        float (*function)(float, float);
        double (*reference)(double, double);
        double bound;
    } rows[] = { { "atan2f", rt_atan2f, atan2, 1 },
                 { "powf", rt_powf, pow, 1 },
                 { "fmodf", rt_fmodf, fmod, 0 },
                 { "hypotf", rt_hypotf, hypot, 1 },
                 { "remainderf", rt_remainderf, remainder, 0 },
                 { "fmaxf", rt_fmaxf, fmax, 0 },
                 { "fdimf", rt_fdimf, fdim, 0.5001 } };
    bool wrong = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double worst = 0;
        float p = 0, q = 0;
        for (unsigned k = 0; k < ROUNDS; k++) {
            float x = random_float(0, INFINITY), y = random_float(0, INFINITY);
            if (k & 1) y = x * (1 + (float)(int32_t)random32() * 0x1p-31f);
            if (rows[i].function == rt_powf && k & 2) {
                x = 1 + (float)(int32_t)random32() * 0x1p-33f;
                y = (float)(random32() % 40000) * 0.0113f;
            }
            double want = rows[i].reference((double)x, (double)y);
            if (i == 2 || i == 4) /* remainders are exact, and may be subnormal */
                want = fabs(want) < 0x1p-126 ? 0 : want;
            double error = units(rows[i].function(x, y), want, 0);
            if (error > worst) worst = error, p = x, q = y;
        }
        print_message("%-10s %.3f at %a, %a\n", rows[i].name, worst, (double)p, (double)q);
        if (worst > rows[i].bound)
            wrong = true, print_error("%s: %g at %a, %a: %a\n", rows[i].name, worst, (double)p, (double)q,
                                      (double)rows[i].function(p, q));
    }
    assert_false(wrong);
}

#ifdef __SSE2__
static void without_subnormals(void **state)
{
    (void)state;
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    measure(true);
    two_arguments(NULL);
    _mm_setcsr(before);
}
#endif

/* --- special values
 * ------------------------------------------------------------------------------------------------------ */

static bool same(float a, float b)
{
    return float_word(a) == float_word(b) || (isnan(a) && isnan(b));
}

static void special_values(void **state)
{
    (void)state;
    const float values[] = { 0,
                             -0.0f,
                             1,
                             -1,
                             0.5f,
                             -0.5f,
                             2,
                             -2,
                             3,
                             -3,
                             1.5f,
                             -1.5f,
                             INFINITY,
                             -INFINITY,
                             NAN,
                             0x1.fffffep127f,
                             -0x1.fffffep127f,
                             0x1p-126f,
                             -0x1p-126f,
                             1e9f,
                             -1e9f };
    enum { COUNT = sizeof values / sizeof *values };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (unsigned k = 0; k < COUNT; k++) {
            float x = values[k], got = functions[i].function(x), want = (float)functions[i].reference((double)x);
            bool exact = x == 0 || isinf(x) || isnan(want) || isinf(want);
            if (exact ? !same(got, want) : units(got, (double)want, functions[i].around) > functions[i].bound + 1)
                fail_msg("%s(%a): %a, not %a", functions[i].name, (double)x, (double)got, (double)want);
        }
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned k = 0; k < COUNT; k++) {
            float x = values[i], y = values[k];
            const struct {
                const char *name;
                float got, want;
            } rows[] = { { "powf", rt_powf(x, y), powf(x, y) },
                         { "atan2f", rt_atan2f(x, y), atan2f(x, y) },
                         { "fmodf", rt_fmodf(x, y), fmodf(x, y) },
                         { "hypotf", rt_hypotf(x, y), hypotf(x, y) },
                         { "remainderf", rt_remainderf(x, y), remainderf(x, y) },
                         { "fdimf", rt_fdimf(x, y), fdimf(x, y) } };
            for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
                bool plain = isfinite(rows[r].want) && rows[r].want != 0;
                if (fabsf(rows[r].want) < 0x1p-126f && !isnan(rows[r].want) && rows[r].want != 0) continue;
                if (plain ? units(rows[r].got, (double)rows[r].want, 0) > 1 : !same(rows[r].got, rows[r].want))
                    fail_msg("%s(%a, %a): %a, not %a", rows[r].name, (double)x, (double)y, (double)rows[r].got,
                             (double)rows[r].want);
            }
        }
}

static void parts_of_floats(void **state)
{
    (void)state;
    for (unsigned k = 0; k < ROUNDS; k++) {
        float x = random_float(0, INFINITY), whole, expected;
        int e, f, by = (int)(random32() % 300) - 150;
        assert_true(same(rt_frexpf(x, &e), frexpf(x, &f)) && e == f);
        assert_true(same(rt_modff(x, &whole), modff(x, &expected)) && same(whole, expected));
        assert_int_equal(rt_ilogbf(x), ilogbf(x));
        assert_true(same(rt_logbf(x), logbf(x)));
        float want = ldexpf(x, by);
        if (fabsf(want) >= 0x1p-126f) assert_true(same(rt_ldexpf(x, by), want));
        if (fabsf(x) < 2e9f) assert_int_equal(rt_lroundf(x), lroundf(x));
        if (fabsf(x) < 2e9f) assert_int_equal(rt_lrintf(x), lrintf(x));
        float s, c;
        rt_sincosf(x, &s, &c);
        assert_true(same(s, rt_sinf(x)) && same(c, rt_cosf(x)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_argument),       cmocka_unit_test(near_multiples),  cmocka_unit_test(two_arguments),
#ifdef __SSE2__
        cmocka_unit_test(without_subnormals),
#endif
        cmocka_unit_test(special_values),     cmocka_unit_test(parts_of_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
