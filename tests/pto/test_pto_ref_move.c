/* Transfers, moves, windows, padding, gathering and scattering on every type, profile, layout, valid region and pad value against ref_move.c. */
#include "check.h"
#include "ref_tables.h"

static void pto_ref_move_cross(void **state)
{
    ref_tally tally = { 0 };
    (void)state;
    ref_cross(ref_move_rows, ref_move_count, &tally);
    print_message("%lu combinations agree, %lu are refused\n", tally.runs, tally.refused);
    assert_int_equal(tally.failures, 0);
    assert_int_equal(tally.idle, 11); /* TINSERT of A2/A3 takes accumulators alone, with loops of their own */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_ref_move_cross) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
