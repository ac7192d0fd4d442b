/* SPDX-License-Identifier: MIT */
/* The multiply family on real data, name by name and type by type, against the sums of aie_mul_model.h. Random
 * offsets, steps and squares, random and extreme data. Intrinsics are compiled as functions here; test_aie_worked.c
 * and test_aie_constant.c have them inlined with constants. */
#define TW__AIE static __attribute__((noinline, unused))
#include <tilewright/aie/detail/mul_calls.h>
#include "aie/aie_mul_rows.h"

static void aie_mul_bytes(void **state)
{
    SETUP(160);
#define BYTES(n, x_, z_, small, large, zt_, acc_t) \
    PLAIN_BOTH(, n, , PLAIN, CONJ_NONE, x_, z_, small, large, zt_, acc_t, 48, XQ, ZQ)
    BYTES(16, INT8, INT8, v64int8, v128int8, v32int8, v16acc48)
    BYTES(16, INT8, UINT8, v64int8, v128int8, v32uint8, v16acc48)
    BYTES(16, UINT8, INT8, v64uint8, v128uint8, v32int8, v16acc48)
    BYTES(16, UINT8, UINT8, v64uint8, v128uint8, v32uint8, v16acc48)
    BYTES(8, INT8, INT8, v64int8, v128int8, v32int8, v8acc48)
    BYTES(8, INT8, UINT8, v64int8, v128int8, v32uint8, v8acc48)
    BYTES(8, UINT8, INT8, v64uint8, v128uint8, v32int8, v8acc48)
    BYTES(8, UINT8, UINT8, v64uint8, v128uint8, v32uint8, v8acc48)
    DONE();
}

#define PAIRED_(FORM, n, z_, ...) REAL(FORM, , n, INT16, z_, v32int16, v64int16, __VA_ARGS__)
static void aie_mul_pairs(void **state)
{
    SETUP(24);
#define PAIRED(...)            \
    PAIRED_(SUMS, __VA_ARGS__) \
    PAIRED_(MAXIMA, __VA_ARGS__)
    PAIRED(16, INT8, v32int8, v16acc48, 48, XHQ, YQ, ZHQ)
    PAIRED(16, UINT8, v32uint8, v16acc48, 48, XHQ, YQ, ZHQ)
    PAIRED(16, INT16, v16int16, v16acc48, 48, XHQ2, YQ, ZHN)
    PAIRED(8, INT8, v32int8, v8acc48, 48, XQ, YQ, ZQ)
    PAIRED(8, UINT8, v32uint8, v8acc48, 48, XQ, YQ, ZQ)
    PAIRED(8, INT16, v16int16, v8acc48, 48, XQ, YQ, ZN)
    REAL(SELF, , 16, INT16, v32int16, v64int16, v16acc48, 48, XHQ2, SHQ)
    REAL(SELF, , 8, INT16, v32int16, v64int16, v8acc48, 48, XQ, SQ)
    DONE();
}
static void aie_mul_pairs_taps(void **state)
{
    SETUP(50);
    PAIRED_(CENTRE, 16, INT8, v32int8, v16acc48, 48, XHQ, YMQ, ZHQ)
    PAIRED_(CENTRE, 16, UINT8, v32uint8, v16acc48, 48, XHQ, YMQ, ZHQ)
    PAIRED_(CENTRE, 16, INT16, v16int16, v16acc48, 48, XHQ2, YMQ, ZHN)
    PAIRED_(CENTRE, 8, INT8, v32int8, v8acc48, 48, XQ, YMQ, ZQ)
    PAIRED_(CENTRE, 8, UINT8, v32uint8, v8acc48, 48, XQ, YMQ, ZQ)
    PAIRED_(CENTRE, 8, INT16, v16int16, v8acc48, 48, XQ, YMQ, ZN)
    PAIRED_(UPPER, 8, INT8, v32int8, v16acc48, 48, XQ, YUQ, ZQ)
    PAIRED_(UPPER, 8, UINT8, v32uint8, v16acc48, 48, XQ, YUQ, ZQ)
    PAIRED_(UPPER, 8, INT16, v16int16, v16acc48, 48, XQ, YUQ, ZN)
    DONE();
}

#define BY_32(FORM, l, n, ...) REAL(FORM, l, n, INT16, INT32, v32int16, v64int16, v8int32, __VA_ARGS__)
#define OF_32(FORM, l, n, ...) REAL(FORM, l, n, INT32, INT16, v16int32, v32int32, v16int16, __VA_ARGS__)
#define WIDE(FORM, l, n, ...)  REAL(FORM, l, n, INT32, INT32, v16int32, v32int32, v8int32, __VA_ARGS__)
static void aie_mul_wide_real(void **state)
{
    SETUP(14);
#define SUMS_AND_MAXIMA(TYPES, ...) \
    TYPES(SUMS, __VA_ARGS__)        \
    TYPES(MAXIMA, __VA_ARGS__)
    SUMS_AND_MAXIMA(BY_32, , 16, v16acc48, 48, XH1, Y1, ZH1)
    SUMS_AND_MAXIMA(OF_32, , 16, v16acc48, 48, XH1, Y1, ZH1)
    SUMS_AND_MAXIMA(BY_32, , 8, v8acc48, 48, XN, Y1, ZN)
    SUMS_AND_MAXIMA(OF_32, , 8, v8acc48, 48, XN, Y1, ZN)
    SUMS_AND_MAXIMA(BY_32, l, 8, v8acc80, 80, XN, Y1, ZN)
    SUMS_AND_MAXIMA(OF_32, l, 8, v8acc80, 80, XN, Y1, ZN)
    SUMS_AND_MAXIMA(WIDE, l, 8, v8acc80, 80, X1, Y1, Z1)
    SUMS_AND_MAXIMA(BY_32, l, 4, v4acc80, 80, XN, Y1, ZN)
    SUMS_AND_MAXIMA(OF_32, l, 4, v4acc80, 80, XN, Y1, ZN)
    SUMS_AND_MAXIMA(WIDE, l, 4, v4acc80, 80, XN, Y1, ZN)
    REAL(SELF, l, 8, INT32, v16int32, v32int32, v8acc80, 80, X1, S1)
    REAL(SELF, l, 4, INT32, v16int32, v32int32, v4acc80, 80, XN, SN)
    DONE();
}
static void aie_mul_wide_taps(void **state)
{
    SETUP(40);
    BY_32(CENTRE, , 8, v8acc48, 48, X1, YM1, ZN)
    OF_32(CENTRE, , 8, v8acc48, 48, X1, YM1, ZN)
    BY_32(CENTRE, l, 8, v8acc80, 80, X1, YM1, ZN)
    OF_32(CENTRE, l, 8, v8acc80, 80, X1, YM1, ZN)
    BY_32(CENTRE, l, 4, v4acc80, 80, XN, YM1, ZN)
    OF_32(CENTRE, l, 4, v4acc80, 80, XN, YM1, ZN)
    WIDE(CENTRE, l, 4, v4acc80, 80, X1, YM1, ZN)
    BY_32(UPPER, , 8, v16acc48, 48, XN, YUN, ZN)
    OF_32(UPPER, , 8, v16acc48, 48, XN, YUN, ZN)
    BY_32(UPPER, l, 4, v8acc80, 80, XN, YUN, ZN)
    OF_32(UPPER, l, 4, v8acc80, 80, XN, YUN, ZN)
    WIDE(UPPER, l, 4, v8acc80, 80, XN, YUN, ZN)
    DONE();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_mul_bytes),      cmocka_unit_test(aie_mul_pairs),
        cmocka_unit_test(aie_mul_pairs_taps), cmocka_unit_test(aie_mul_wide_real),
        cmocka_unit_test(aie_mul_wide_taps),
    };
    return cmocka_run_group_tests_name("aie.mul", tests, NULL, NULL);
}
