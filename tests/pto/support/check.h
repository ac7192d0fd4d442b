/* SPDX-License-Identifier: MIT */
/* check: what the tests of pto share. */
#ifndef TW_TESTS_PTO_CHECK_H
#define TW_TESTS_PTO_CHECK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pto/pto.h"

#define OK(call)                                                                   \
    do {                                                                           \
        if ((call) != TW_OK) fail_msg("%s failed: %s", #call, tw_error_message()); \
    } while (0)
/* The call fails and its message has both parts. */
#define REFUSED(call, part, other)                                                                 \
    do {                                                                                           \
        if ((call) == TW_OK) fail_msg("%s succeeded", #call);                                      \
        if (!strstr(tw_error_message(), part) || !strstr(tw_error_message(), other))               \
            fail_msg("%s: \"%s\" lacks \"%s\" or \"%s\"", #call, tw_error_message(), part, other); \
    } while (0)

static uint64_t seed = 88172645463325252u;
static inline uint64_t random_bits(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * UINT64_C(2685821657736338717);
}

static inline tw_pto_tile vec_tile(tw_type type, uint32_t rows, uint32_t cols)
{
    return tw_pto_tile_of(TW_PTO_VEC, type, rows, cols);
}

/* Element of a tile as a double, and back. */
static inline double get(tw_pto *core, tw_pto_tile *t, uint32_t r, uint32_t c)
{
    return tw_type_load(t->type, (char *)tw_pto_data(core, t) + tw_pto_element(t, r, c));
}
static inline void set(tw_pto *core, tw_pto_tile *t, uint32_t r, uint32_t c, double value)
{
    tw_type_store(t->type, (char *)tw_pto_data(core, t) + tw_pto_element(t, r, c), value);
}

/* With COUNT_ROWS: which rows of ops.def a program has executed. Every execution in such a program has its results
 * compared, so a row reached is a row whose values are tested. tests/pto/support/rows.def says which program has
 * which. */
#ifdef COUNT_ROWS
#include <stdio.h>

static unsigned char row_reached[1024];
static inline void count_rows(tw_pto *core)
{
    for (size_t i = 0; core && i < tw__pto_row_count() && i < sizeof row_reached; i++)
        for (unsigned pipe = 0; pipe < TW_PTO_PIPES; pipe++)
            row_reached[i] |= core->tally[i * TW_PTO_PIPES + pipe].calls != 0;
    tw_pto_free(core);
}
#define tw_pto_new(target, flags) (tw_pto_new)(target, (flags) | TW_PTO_PROFILE)
#define tw_pto_free(core)         count_rows(core)

static const struct {
    const char *row, *program;
} row_tests[] = {
#define X(row, program) { #row, #program },
#include "pto/support/rows.def"
#undef X
};
/* The rows that rows.def promises for `program`. */
static inline void check_rows_reached(const char *program)
{
    unsigned missing = 0;
    for (size_t i = 0; i < sizeof row_tests / sizeof *row_tests; i++) {
        if (strcmp(row_tests[i].program, program) != 0) continue;
        int row = tw_pto_op_by_name(row_tests[i].row);
        if (row < 0 || row_reached[row]) continue;
        print_error("%s is not executed\n", row_tests[i].row);
        missing++;
    }
    assert_int_equal(missing, 0);
}
#endif

#define TILE(t)   tw_pto_tile_operand(t)
#define TENSOR(t) tw_pto_tensor_operand(t)
#define SCALAR(s) tw_pto_scalar_operand(s)
#define CALL(core, name, attrs, ...)                           \
    tw_pto_call(core, name, (tw_pto_operand[]){ __VA_ARGS__ }, \
                sizeof((tw_pto_operand[]){ __VA_ARGS__ }) / sizeof(tw_pto_operand), attrs)

static inline bool same_value(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

#endif
