/* SPDX-License-Identifier: MIT */
/* Elementwise rows on every type, profile, layout, valid region and pad value against ref_lanes.c. */
#include "pto/support/check.h"
#include "pto/reference/ref_tables.h"

static void pto_ref_lanes_cross(void **state)
{
    ref_tally tally = { 0 };
    (void)state;
    ref_cross(ref_lane_rows, ref_lane_count, &tally);
    print_message("%lu combinations agree, %lu are refused\n", tally.runs, tally.refused);
    assert_int_equal(tally.failures, 0);
    assert_int_equal(tally.idle, 0);
}

/* Bits of comparisons, and selection by them. */
static void pto_ref_lanes_masks(void **state)
{
    ref_tally tally = { 0 };
    (void)state;
    ref_cross(ref_mask_rows, ref_mask_count, &tally);
    print_message("%lu combinations agree, %lu are refused\n", tally.runs, tally.refused);
    assert_int_equal(tally.failures, 0);
    assert_int_equal(tally.idle, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_ref_lanes_cross),
                                        cmocka_unit_test(pto_ref_lanes_masks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
