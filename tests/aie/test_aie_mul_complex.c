/* SPDX-License-Identifier: MIT */
/* The multiply family on complex data with 48-bit accumulators: as test_aie_mul.c. */
#define TW__AIE static __attribute__((noinline, unused))
#include <tilewright/aie/detail/mul_calls.h>
#include "aie/aie_mul_rows.h"

#define I16_C16(N, FORM, l, n, ...) N(FORM, l, n, INT16, CINT16, v32int16, v64int16, v8cint16, __VA_ARGS__)
#define I16_C32(N, FORM, l, n, ...) N(FORM, l, n, INT16, CINT32, v32int16, v64int16, v4cint32, __VA_ARGS__)
#define I32_C16(N, FORM, l, n, ...) N(FORM, l, n, INT32, CINT16, v16int32, v32int32, v8cint16, __VA_ARGS__)
#define C16_I16(N, FORM, l, n, ...) N(FORM, l, n, CINT16, INT16, v16cint16, v32cint16, v16int16, __VA_ARGS__)
#define C16_I32(N, FORM, l, n, ...) N(FORM, l, n, CINT16, INT32, v16cint16, v32cint16, v8int32, __VA_ARGS__)
#define C32_I16(N, FORM, l, n, ...) N(FORM, l, n, CINT32, INT16, v8cint32, v16cint32, v16int16, __VA_ARGS__)
#define C16_C16(N, FORM, l, n, ...) N(FORM, l, n, CINT16, CINT16, v16cint16, v32cint16, v8cint16, __VA_ARGS__)
#define C16_C32(N, FORM, l, n, ...) N(FORM, l, n, CINT16, CINT32, v16cint16, v32cint16, v4cint32, __VA_ARGS__)
#define C32_C16(N, FORM, l, n, ...) N(FORM, l, n, CINT32, CINT16, v8cint32, v16cint32, v8cint16, __VA_ARGS__)

static void aie_mul_complex_sums(void **state)
{
    SETUP(8);
    I16_C16(ONE_COMPLEX, SUMS, , 8, v8cacc48, 48, XN, Y1, ZN)
    I16_C16(ONE_COMPLEX, SUMS, , 4, v4cacc48, 48, XN, Y1, ZN)
    I16_C32(ONE_COMPLEX, SUMS, , 8, v8cacc48, 48, X1, Y1, Z1)
    I16_C32(ONE_COMPLEX, SUMS, , 4, v4cacc48, 48, XN, Y1, ZN)
    I32_C16(ONE_COMPLEX, SUMS, , 8, v8cacc48, 48, X1, Y1, Z1)
    I32_C16(ONE_COMPLEX, SUMS, , 4, v4cacc48, 48, XN, Y1, ZN)
    C16_I16(ONE_COMPLEX, SUMS, , 8, v8cacc48, 48, XN, Y1, ZN)
    C16_I16(ONE_COMPLEX, SUMS, , 4, v4cacc48, 48, XN, Y1, ZN)
    C16_I32(ONE_COMPLEX, SUMS, , 8, v8cacc48, 48, X1, Y1, Z1)
    C16_I32(ONE_COMPLEX, SUMS, , 4, v4cacc48, 48, XN, Y1, ZN)
    C32_I16(ONE_COMPLEX, SUMS, , 8, v8cacc48, 48, X1, Y1, Z1)
    C32_I16(ONE_COMPLEX, SUMS, , 4, v4cacc48, 48, XN, Y1, ZN)
    C16_C16(BOTH_COMPLEX, SUMS, , 8, v8cacc48, 48, X1, Y1, Z1)
    C16_C16(EVERY_CONJUGATION, SUMS, , 4, v4cacc48, 48, XN, Y1, ZN)
    C16_C32(BOTH_COMPLEX, SUMS, , 4, v4cacc48, 48, X1, Y1, Z1)
    C32_C16(BOTH_COMPLEX, SUMS, , 4, v4cacc48, 48, X1, Y1, Z1)
    BOTH_COMPLEX(SELF, , 8, CINT16, v16cint16, v32cint16, v8cacc48, 48, X1, S1)
    BOTH_COMPLEX(SELF, , 4, CINT16, v16cint16, v32cint16, v4cacc48, 48, XN, SN)
    DONE();
}

static void aie_mul_complex_maxima(void **state)
{
    SETUP(50);
    I16_C16(EVERY_CONJUGATION, MAXIMA, , 8, v8cacc48, 48, XN, Y1, ZN)
    I16_C16(EVERY_CONJUGATION, MAXIMA, , 4, v4cacc48, 48, XN, Y1, ZN)
    I16_C32(ONE_COMPLEX, MAXIMA, , 8, v8cacc48, 48, X1, Y1, Z1)
    I16_C32(ONE_COMPLEX, MAXIMA, , 4, v4cacc48, 48, XN, Y1, ZN)
    I32_C16(ONE_COMPLEX, MAXIMA, , 8, v8cacc48, 48, X1, Y1, Z1)
    I32_C16(ONE_COMPLEX, MAXIMA, , 4, v4cacc48, 48, XN, Y1, ZN)
    DONE();
}

static void aie_mul_complex_taps(void **state)
{
    SETUP(20);
    I16_C16(EVERY_CONJUGATION, CENTRE, , 8, v8cacc48, 48, X1, YM1, ZN)
    C16_I16(ONE_COMPLEX, CENTRE, , 8, v8cacc48, 48, X1, YM1, ZN)
    I16_C16(ONE_COMPLEX, CENTRE, , 4, v4cacc48, 48, XN, YM1, ZN)
    I16_C32(ONE_COMPLEX, CENTRE, , 4, v4cacc48, 48, X1, YM1, ZN)
    I32_C16(ONE_COMPLEX, CENTRE, , 4, v4cacc48, 48, X1, YM1, ZN)
    C16_I16(ONE_COMPLEX, CENTRE, , 4, v4cacc48, 48, XN, YM1, ZN)
    C16_I32(ONE_COMPLEX, CENTRE, , 4, v4cacc48, 48, X1, YM1, ZN)
    C16_C16(BOTH_COMPLEX, CENTRE, , 4, v4cacc48, 48, X1, YM1, ZN)
    C32_I16(ONE_COMPLEX, CENTRE, , 4, v4cacc48, 48, X1, YM1, ZN)
    DONE();
}

static void aie_mul_complex_upper(void **state)
{
    SETUP(20);
    I16_C16(ONE_COMPLEX, UPPER, , 4, v8cacc48, 48, XN, YUN, ZN)
    I16_C32(ONE_COMPLEX, UPPER, , 4, v8cacc48, 48, XN, YUN, ZN)
    I32_C16(ONE_COMPLEX, UPPER, , 4, v8cacc48, 48, XN, YUN, ZN)
    C16_I16(ONE_COMPLEX, UPPER, , 4, v8cacc48, 48, XN, YUN, ZN)
    C16_I32(ONE_COMPLEX, UPPER, , 4, v8cacc48, 48, XN, YUN, ZN)
    C16_C16(EVERY_CONJUGATION, UPPER, , 4, v8cacc48, 48, XN, YUN, ZN)
    C16_C32(BOTH_COMPLEX, UPPER, , 4, v8cacc48, 48, X1, YU1, Z1)
    C32_I16(ONE_COMPLEX, UPPER, , 4, v8cacc48, 48, XN, YUN, ZN)
    C32_C16(BOTH_COMPLEX, UPPER, , 4, v8cacc48, 48, X1, YU1, Z1)
    DONE();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_mul_complex_sums),
        cmocka_unit_test(aie_mul_complex_maxima),
        cmocka_unit_test(aie_mul_complex_taps),
        cmocka_unit_test(aie_mul_complex_upper),
    };
    return cmocka_run_group_tests_name("aie.mul_complex", tests, NULL, NULL);
}
