/* SPDX-License-Identifier: MIT */
/* Constant offsets take other paths than offsets known at run time alone: the compiler folds the index vectors, and
 * with AVX2 whole windows are loaded. Every row is a call with literal offsets, compiled as users compile it, against
 * the same call with the offsets read from memory, which test_aie_mul.c and test_aie_lanes.c compare with models.
 * Windows at every place of the buffer, around its end, broadcasts, identities, scattered lanes. */
#include <tilewright/aie.h>
#include "aie/aie_cases.h"

/* Operands of one call: what both variants get. */
static _Alignas(64) uint8_t xdata[128], ydata[128], zdata[32], accdata[256];
#define OPERAND(type, from) (*(const type *)(const void *)(from))

/* Integers as literals, and from an array that the compiler cannot see through. */
#define LITERAL(i, value) (value)
#define READ(i, value)    (numbers[i])

#define MUL16_I16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    mac16(acc, x, N(0, a), N(1, b), N(2, c), N(3, d), z, N(4, e), N(5, f), N(6, g), N(7, h))
#define MUL8_I16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    msc8(acc, x, N(0, a), N(1, b), N(2, c), N(3, d), z, N(4, e), N(5, f), N(6, g))
#define MUL16_I8(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    mac16(acc, x, N(0, a), N(1, b), N(2, c), N(3, d), z, N(4, e), N(5, f), N(6, g), N(7, h))
#define MUL8_I8(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    mac8(acc, x, N(0, a), N(1, b), N(2, c), N(3, d), z, N(4, e), N(5, f), N(6, g), N(7, h))
#define MUL8_I16I8(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    mac8(acc, x, N(0, a), N(1, b), N(2, c), N(3, d), z, N(4, e), N(5, f), N(6, g), N(7, h))
#define MUL8_C16(N, acc, x, y, z, a, b, c, d, e, f, g, h) mac8(acc, x, N(0, a), N(1, b), z, N(4, e), N(5, f))
#define MUL4_C16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    msc4(acc, x, N(0, a), N(1, b), N(2, c), z, N(4, e), N(5, f), N(6, g))
#define SYM8_I16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    mac8_sym(acc, x, N(0, a), N(1, b), N(2, c), N(3, d), y, N(4, e), N(3, d), z, N(5, f), N(6, g), N(7, h))
#define SYM4_C16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    mac4_sym(acc, x, N(0, a), N(1, b), N(2, c), y, N(3, d), z, N(4, e), N(5, f), N(6, g))
#define MIXED8(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    mac8(acc, x, N(0, a), N(1, b), N(2, c), z, N(4, e), N(5, f), N(6, g))
#define MIXED16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    msc16(acc, x, N(0, a), N(1, b), N(2, c), z, N(4, e), N(5, f), N(6, g))
#define ABS8_I16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    mac8_abs(acc, x, N(0, a), N(1, b), N(2, c), N(3, d), z, N(4, e), N(5, f), N(6, g))
#define MAX8_I16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    mac8_max(acc, x, N(0, a), N(1, b), N(2, c), N(3, d), y, N(4, e), N(3, d), z, N(5, f), N(6, g), N(7, h))
#define CT4_C16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    msc4_sym_ct(acc, x, N(0, a), N(1, b), y, N(2, c), N(3, d), z, N(4, e), N(5, f), N(6, g))
#define UCT4_C16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    mac4_antisym_uct(acc, x, N(0, a), N(1, b), 1, y, N(2, c), N(7, h), N(3, d), z, N(4, e), N(5, f), N(6, g))
#define CONJ8_C16(N, acc, x, y, z, a, b, c, d, e, f, g, h) mac8_cn(acc, x, N(0, a), N(1, b), z, N(4, e), N(5, f))
#define LMUL8_I32(N, acc, x, y, z, a, b, c, d, e, f, g, h) lmac8(acc, x, N(0, a), N(1, b), z, N(4, e), N(5, f))
#define SHUFFLE32(N, acc, x, y, z, a, b, c, d, e, f, g, h) shuffle32(x, N(0, a), N(1, b), N(2, c), N(3, d))
#define SELECT16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    select16((unsigned)N(6, g), x, N(0, a), N(1, b), N(2, c), y, N(3, d), N(4, e), N(5, f))
#define SHUFFLE8(N, acc, x, y, z, a, b, c, d, e, f, g, h) shuffle8(x, N(0, a), N(1, b))
#define FPMAC(N, acc, x, y, z, a, b, c, d, e, f, g, h)    fpmac(acc, x, N(0, a), N(1, b), z, N(2, c), N(3, d))
#define LAST1(op, acc, x, z, N, a, b, e, f)               op(acc, x, N(0, a), N(1, b), z, N(4, e), N(5, f))
#define LASTN(op, acc, x, z, N, a, b, c, e, f, g) \
    op(acc, x, N(0, a), N(1, b), N(2, c), z, N(4, e), N(5, f), N(6, g))
#define MAC4_1(N, acc, x, y, z, a, b, c, d, e, f, g, h)  LAST1(mac4, acc, x, z, N, a, b, e, f)
#define MAC4_N(N, acc, x, y, z, a, b, c, d, e, f, g, h)  LASTN(mac4, acc, x, z, N, a, b, c, e, f, g)
#define MAC8_1(N, acc, x, y, z, a, b, c, d, e, f, g, h)  LAST1(mac8_c, acc, x, z, N, a, b, e, f)
#define LMAC4_1(N, acc, x, y, z, a, b, c, d, e, f, g, h) LAST1(lmac4, acc, x, z, N, a, b, e, f)
#define LMSC4_N(N, acc, x, y, z, a, b, c, d, e, f, g, h) LASTN(lmsc4, acc, x, z, N, a, b, c, e, f, g)
#define LMAC2_1(N, acc, x, y, z, a, b, c, d, e, f, g, h) LAST1(lmac2_cc, acc, x, z, N, a, b, e, f)
#define LMAC2_N(N, acc, x, y, z, a, b, c, d, e, f, g, h) LASTN(lmac2, acc, x, z, N, a, b, c, e, f, g)
#define ADD32(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    add32(x, N(0, a), N(1, b), N(2, c), N(3, d), y, N(4, e), N(5, f), N(6, g), N(7, h))
#define MAX16(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    max16(x, N(0, a), N(1, b), N(2, c), y, N(3, d), N(4, e), N(5, f))
#define ABS32(N, acc, x, y, z, a, b, c, d, e, f, g, h) abs32(x, N(0, a), N(1, b), N(2, c), N(3, d))
#define FPSELECT8(N, acc, x, y, z, a, b, c, d, e, f, g, h) \
    fpselect8((unsigned)N(6, g), x, N(0, a), N(1, b), y, N(2, c), N(3, d))
#define FPSHUFFLE16(N, acc, x, y, z, a, b, c, d, e, f, g, h) fpshuffle16(x, N(0, a), N(1, b), N(2, c))
#define FPMSC_NC(N, acc, x, y, z, a, b, c, d, e, f, g, h)    fpmsc_nc(acc, x, N(0, a), N(1, b), z, N(2, c), N(3, d))
#define FPMAC_MIXED(N, acc, x, y, z, a, b, c, d, e, f, g, h) fpmac_c(acc, x, N(0, a), N(1, b), z, N(2, c), N(3, d))
#define FPMAX(N, acc, x, y, z, a, b, c, d, e, f, g, h)       fpmax(acc, x, N(0, a), N(1, b))
#define FPSUB(N, acc, x, y, z, a, b, c, d, e, f, g, h)       fpsub(acc, x, N(0, a), N(1, b))

/* X(name, call, result and accumulator, x, z, eight integers) */
// clang-format off
#define CASES(X) \
    X(sliding, MUL16_I16, v16acc48, v32int16, v16int16, 2, 0x03020100, 0x07060504, 0x2110, 2, 0, 0, 1) \
    X(sliding_odd, MUL16_I16, v16acc48, v32int16, v16int16, 4, 0x03020100, 0x07060504, 0x3221, 3, 0, 0, 1) \
    X(around_the_end, MUL16_I16, v16acc48, v32int16, v16int16, 26, 0x03020100, 0x07060504, 0x2110, 14, 0x76543210, 0x3210, 1) \
    X(at_the_end, MUL16_I16, v16acc48, v64int16, v16int16, 46, 0x03020100, 0x07060504, 0x2110, 0, 0, 0, 1) \
    X(identity, MUL16_I16, v16acc48, v32int16, v16int16, 0, 0x06040200, 0x0e0c0a08, 0x3210, 0, 0x76543210, 0xfedcba98, 0) \
    X(scattered, MUL16_I16, v16acc48, v32int16, v16int16, 6, 0x9a3c71f5, 0x1db86e42, 0x1302, 5, 0xa5c3f170, 0x2d8b6e94, 7) \
    X(scattered_far, MUL16_I16, v16acc48, v64int16, v16int16, 36, 0xf1e2d3c4, 0xb5a69788, 0x2031, 9, 0x01234567, 0x89abcdef, -3) \
    X(eight, MUL8_I16, v8acc48, v64int16, v16int16, 0, 0x00002400, 4, 0x3210, 0, 0, 1, 0) \
    X(eight_sliding, MUL8_I16, v8acc48, v32int16, v16int16, 6, 0x03020100, 2, 0x2110, 4, 0, 1, 0) \
    X(eight_scattered, MUL8_I16, v8acc48, v32int16, v16int16, 30, 0x8f1e2d3c, 10, 0x0213, 15, 0x13579bdf, 3, 0) \
    X(bytes_tile, MUL16_I8, v16acc48, v64int8, v32int8, 32, 0, 8, 0x3210, 0, 0x0c080400, 2, 0x1010) \
    X(bytes_taps, MUL16_I8, v16acc48, v64int8, v32int8, 0, 0, 4, 0x1032, 0, 0x76543210, 2, 0x2110) \
    X(bytes_apart, MUL16_I8, v16acc48, v128uint8, v32int8, 36, 0x33323130, 32, 0x3120, 4, 0xfa35c071, 2, 0x3210) \
    X(bytes_wrap, MUL16_I8, v16acc48, v64int8, v32uint8, 52, 0x33323130, 16, 0x3120, 28, 0x76543210, 6, 0x2031) \
    X(bytes_eight, MUL8_I8, v8acc48, v128int8, v32int8, 100, 0x3210, 12, 0x3210, 2, 0x4321, 2, 0x3210) \
    X(mixed, MUL8_I16I8, v8acc48, v32int16, v32int8, 2, 0x03020100, 2, 0x2110, 0, 0x03020100, 4, 0x3210) \
    X(mixed_wrap, MUL8_I16I8, v8acc48, v64int16, v32uint8, 54, 0x8f1e2d3c, 6, 0x1302, 30, 0x8f1e2d3c, 2, 0x0213) \
    X(complex, MUL8_C16, v8cacc48, v16cint16, v8cint16, 5, 0x76543210, 0, 0, 3, 0, 0, 0) \
    X(complex_wrap, MUL8_C16, v8cacc48, v16cint16, v8cint16, 12, 0x76543210, 0, 0, 1, 0x76543210, 0, 0) \
    X(complex_scattered, MUL8_C16, v8cacc48, v32cint16, v8cint16, 21, 0xf1e2d3c4, 0, 0, 6, 0x13572460, 0, 0) \
    X(complex_four, MUL4_C16, v4cacc48, v16cint16, v8cint16, 3, 0x3210, 1, 0, 0, 0, 1, 0) \
    X(complex_four_wrap, MUL4_C16, v4cacc48, v32cint16, v8cint16, 30, 0xf83a, 5, 0, 7, 0x3175, 3, 0) \
    X(symmetric, SYM8_I16, v8acc48, v32int16, v16int16, 4, 0x03020100, 2, 0x2110, 20, 0, 0, 1) \
    X(symmetric_complex, SYM4_C16, v4cacc48, v16cint16, v8cint16, 7, 0x3210, 1, 12, 4, 0, 1, 0) \
    X(mixed_int32, MIXED8, v8acc48, v16int32, v16int16, 3, 0x76543210, 1, 0, 2, 0, 1, 0) \
    X(mixed_int32_wrap, MIXED8, v8acc48, v32int32, v16int16, 27, 0x8f1e2d3c, 5, 0, 9, 0x13579bdf, 7, 0) \
    X(mixed_taps_int32, MIXED8, v8acc48, v32int16, v8int32, 29, 0x76543210, 1, 0, 1, 0x76543210, 1, 0) \
    X(mixed_complex, MIXED8, v8cacc48, v16cint16, v16int16, 6, 0x76543210, 1, 0, 4, 0, 1, 0) \
    X(mixed_complex_far, MIXED8, v8cacc48, v32cint16, v16int16, 25, 0xfa61c7d2, 3, 0, 15, 0x02468ace, 2, 0) \
    X(mixed_complex_taps, MIXED8, v8cacc48, v32int16, v8cint16, 28, 0x76543210, 1, 0, 3, 0x00001111, 1, 0) \
    X(mixed_sixteen, MIXED16, v16acc48, v16int32, v16int16, 5, 0x76543210, 0x0edcba98, 0, 2, 0x33221100, 0x77665544, 0) \
    X(absolute, ABS8_I16, v8acc48, v32int16, v16int16, 2, 0x03020100, 2, 0x2110, 3, 0, 1, 0) \
    X(largest, MAX8_I16, v8acc48, v32int16, v16int16, 4, 0x03020100, 2, 0x2110, 20, 0, 0x1111, 1) \
    X(centre, CT4_C16, v4cacc48, v16cint16, v8cint16, 3, 0x3210, 13, 9, 2, 0, 1, 0) \
    X(upper_centre, UCT4_C16, v8cacc48, v16cint16, v8cint16, 3, 0x3210, 13, 7, 2, 0, 1, 1) \
    X(conjugate, CONJ8_C16, v8cacc48, v16cint16, v8cint16, 5, 0x76543210, 0, 0, 3, 0x01230123, 0, 0) \
    X(wide, LMUL8_I32, v8acc80, v16int32, v8int32, 2, 0x76543210, 0, 0, 1, 0, 0, 0) \
    X(interleave, SHUFFLE32, v32int16, v64int16, v16int16, 0, 0xf3f2f1f0, 0xf7f6f5f4, 0x3120, 0, 0, 0, 0) \
    X(reverse, SHUFFLE32, v32int16, v32int16, v16int16, 0, 0x080a0c0e, 0x00020406, 0x0123, 0, 0, 0, 0) \
    X(select, SELECT16, v16int32, v16int32, v8int32, 3, 0x76543210, 0xfedcba98, 0, 0x01234567, 0x89abcdef, 0x5a3c, 0) \
    X(eight_complex, SHUFFLE8, v8cint32, v16cint32, v8int32, 9, 0x07162534, 0, 0, 0, 0, 0, 0) \
    X(broadcast, FPMAC, v8float, v16float, v8float, 5, 0x76543210, 3, 0, 0, 0, 0, 0) \
    X(float_wrap, FPMAC, v8float, v32float, v8float, 29, 0x76543210, 0, 0x01234567, 0, 0, 0, 0) \
    X(int16_cint32, MAC4_N, v4cacc48, v32int16, v4cint32, 29, 0x3175, 5, 0, 1, 0x1302, 1, 0) \
    X(int32_cint16, MAC4_N, v4cacc48, v32int32, v8cint16, 30, 0x3210, 1, 0, 5, 0x4321, 2, 0) \
    X(cint16_int32, MAC4_N, v4cacc48, v16cint16, v8int32, 14, 0xf3a1, 3, 0, 6, 0x0123, 1, 0) \
    X(cint32_int16, MAC8_1, v8cacc48, v8cint32, v16int16, 6, 0x76543210, 0, 0, 9, 0x02468ace, 0, 0) \
    X(cint16_cint32, MAC4_1, v4cacc48, v32cint16, v4cint32, 30, 0x3210, 0, 0, 1, 0x2031, 0, 0) \
    X(cint32_cint16, MAC4_1, v4cacc48, v16cint32, v8cint16, 14, 0x5210, 0, 0, 3, 0x7410, 0, 0) \
    X(wide_four, LMSC4_N, v4acc80, v32int32, v8int32, 29, 0x3210, 2, 0, 6, 0x4321, 1, 0) \
    X(wide_int16, LMSC4_N, v4acc80, v32int16, v8int32, 29, 0xf210, 2, 0, 6, 0x4321, 1, 0) \
    X(wide_complex, LMAC4_1, v4cacc80, v16int32, v4cint32, 13, 0x3210, 0, 0, 2, 0x3210, 0, 0) \
    X(wide_two, LMAC2_N, v2cacc80, v16cint16, v4cint32, 15, 0x31, 1, 0, 3, 0x12, 1, 0) \
    X(wide_both, LMAC2_1, v2cacc80, v8cint32, v4cint32, 7, 0x10, 0, 0, 3, 0x12, 0, 0) \
    X(sum, ADD32, v32int16, v32int16, v16int16, 2, 0x06040200, 0x0e0c0a08, 0x3210, 30, 0x9a3c71f5, 0x1db86e42, 0x1302) \
    X(maximum, MAX16, v16int32, v16int32, v8int32, 3, 0x76543210, 0xfedcba98, 5, 0x01234567, 0x89abcdef, 0, 0) \
    X(magnitude, ABS32, v32int16, v64int16, v16int16, 46, 0x06040200, 0x0e0c0a08, 0x2301, 0, 0, 0, 0) \
    X(float_select, FPSELECT8, v8cfloat, v8cfloat, v8float, 3, 0x76543210, 1, 0x02461357, 0, 0, 0x5a, 0) \
    X(float_shuffle, FPSHUFFLE16, v16float, v32float, v8float, 27, 0x76543210, 0x01234567, 0, 0, 0, 0, 0) \
    X(float_complex, FPMSC_NC, v4cfloat, v8cfloat, v4cfloat, 6, 0x3210, 1, 0x3120, 0, 0, 0, 0) \
    X(float_mixed, FPMAC_MIXED, v4cfloat, v16float, v4cfloat, 14, 0x3210, 1, 0x0000, 0, 0, 0, 0) \
    X(float_maximum, FPMAX, v8float, v32float, v8float, 27, 0x76543210, 0, 0, 0, 0, 0, 0) \
    X(float_difference, FPSUB, v4cfloat, v16cfloat, v8float, 13, 0x3a10, 0, 0, 0, 0, 0, 0) \
    X(float_scattered, FPMAC, v8float, v16float, v8float, 11, 0xf0a5c371, 6, 0x33221100, 0, 0, 0, 0)
// clang-format on

#define DEFINE(name, call, acc_t, x_t, z_t, ...)                                                               \
    static __attribute__((noinline)) acc_t constant_##name(acc_t acc, x_t x, x_t y, z_t z)                     \
    {                                                                                                          \
        (void)acc, (void)y, (void)z;                                                                           \
        return CALL(call, LITERAL, acc, x, y, z, __VA_ARGS__);                                                 \
    }                                                                                                          \
    static __attribute__((noinline)) acc_t variable_##name(acc_t acc, x_t x, x_t y, z_t z, const int *numbers) \
    {                                                                                                          \
        (void)acc, (void)y, (void)z;                                                                           \
        return CALL(call, READ, acc, x, y, z, __VA_ARGS__);                                                    \
    }                                                                                                          \
    static void once_##name(void *constant, void *variable)                                                    \
    {                                                                                                          \
        static const int kept[] = { __VA_ARGS__ };                                                             \
        int numbers[8];                                                                                        \
        memcpy(numbers, (const void *volatile)kept, sizeof numbers);                                           \
        const acc_t acc = OPERAND(acc_t, accdata);                                                             \
        const x_t x = OPERAND(x_t, xdata), y = OPERAND(x_t, ydata);                                            \
        const z_t z = OPERAND(z_t, zdata);                                                                     \
        *(acc_t *)constant = constant_##name(acc, x, y, z);                                                    \
        *(acc_t *)variable = variable_##name(acc, x, y, z, numbers);                                           \
    }
#define CALL(call, ...) call(__VA_ARGS__)
CASES(DEFINE)

typedef struct row {
    const char *name;
    void (*once)(void *constant, void *variable);
    size_t bytes;
    unsigned floats;
} row;
#define FLOATS(acc_t)               _Generic((acc_t *)0, v8float *: 1, v16float *: 1, v4cfloat *: 1, v8cfloat *: 1, default: 0)
#define ROW(name, call, acc_t, ...) { #name, once_##name, sizeof(acc_t), FLOATS(acc_t) },
static const row rows[] = { CASES(ROW) };

/* Floats of moderate size, so that no NaN hides its sign. */
static void fill_floats(void *out, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(float); i++)
        ((float *)out)[i] = (float)((int)(rnd() % 200001) - 100000) / 7.0f;
}

static void aie_constant_offsets_are_offsets(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned n = case_count(200); n > 0; n--) {
            static _Alignas(64) uint8_t constant[256], variable[256];
            void *const data[] = { xdata, ydata, zdata, accdata };
            const size_t sizes[] = { sizeof xdata, sizeof ydata, sizeof zdata, sizeof accdata };
            for (int k = 0; k < 4; k++)
                rows[i].floats ? fill_floats(data[k], sizes[k]) : fill(data[k], sizes[k], 16);
            rows[i].once(constant, variable);
            if (memcmp(constant, variable, rows[i].bytes) == 0) continue;
            for (size_t b = 0; b < rows[i].bytes; b += 8)
                if (memcmp(constant + b, variable + b, 8) != 0)
                    fail_msg("%s: bytes %zu to %zu differ: %016llx with constants, %016llx without", rows[i].name,
                             b, b + 7, *(unsigned long long *)(void *)(constant + b),
                             *(unsigned long long *)(void *)(variable + b));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(aie_constant_offsets_are_offsets) };
    return cmocka_run_group_tests_name("aie.constant", tests, NULL, NULL);
}
