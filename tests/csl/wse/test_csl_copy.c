/* SPDX-License-Identifier: MIT */
/* Which element of the host's array goes to which PE (CSL reference, transfers): against the formulas, element by
 * element. */
#include "csl/wse/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Row-major ((y w) + x) l + k, column-major (k w + x) h + y, for the PE that is the i-th of its row and j-th of its
 * column. */
static size_t flat(const tw_wse_copy *c, size_t w, size_t h, size_t i, size_t j, size_t k)
{
    return c->order == TW_WSE_COL_MAJOR ? (k * w + i) * h + j : (j * w + i) * c->elements + k;
}

static void each_order_and_spread(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++)
        for (int spread = 0; spread < 3; spread++)
            for (unsigned stride = 0; stride < 4; stride++) {
                tw_wse_copy c = { .order = (tw_wse_order)order,
                                  .spread = (tw_wse_spread)spread,
                                  .x = 2,
                                  .y = 1,
                                  .width = 5,
                                  .height = 4,
                                  .elements = 3,
                                  .row_stride = stride,
                                  .column_stride = stride };
                unsigned step = stride ? stride : 1;
                size_t across = 1 + 4 / step, down = 1 + 3 / step, words = 0;
                size_t w = spread == TW_WSE_ROWS ? 1 : across, h = spread == TW_WSE_COLUMNS ? 1 : down;
                assert_int_equal(tw__copy_shares(&c), across * down);
                assert_int_equal(tw_wse_copy_words(&c), w * h * 3);
                char *seen = calloc(w * h * 3, 1);
                for (size_t n = 0; n < across * down; n++) {
                    tw__share s = tw__copy_share(&c, n);
                    size_t i = n % across, j = n / across;
                    assert_int_equal(s.x, 2 + i * step);
                    assert_int_equal(s.y, 1 + j * step);
                    for (size_t k = 0; k < 3; k++) {
                        size_t at = s.first + k * s.step;
                        assert_int_equal(
                            at, flat(&c, w, h, spread == TW_WSE_ROWS ? 0 : i, spread == TW_WSE_COLUMNS ? 0 : j, k));
                        words += !seen[at];
                        seen[at] = 1;
                    }
                }
                assert_int_equal(words, w * h * 3); /* every element is used */
                free(seen);
            }
}

static void nothing_and_too_much(void **state)
{
    (void)state;
    tw_wse_copy none = { .width = 0, .height = 3, .elements = 4 };
    assert_int_equal(tw_wse_copy_words(&none), 0);
    tw_wse_copy huge = { .width = 4000000000u, .height = 4000000000u, .elements = 4000000000u };
    assert_int_equal(tw_wse_copy_words(&huge), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_order_and_spread),
                                        cmocka_unit_test(nothing_and_too_much) };
    return cmocka_run_group_tests_name("csl_copy", tests, NULL, NULL);
}
