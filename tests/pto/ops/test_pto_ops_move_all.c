/* SPDX-License-Identifier: MIT */
/* Transfers, moves, windows, padding, gathering and scattering on every type, profile, layout, valid region and pad
 * value against ref_move.c. */
#include "pto/support/check.h"
#include "pto/reference/ref_layout.h"
#include "pto/reference/ref_tables.h"

static void pto_ref_move_cross(void **state)
{
    ref_tally tally = { 0 };
    (void)state;
    ref_cross(ref_move_rows, ref_move_count, &tally);
    print_message("%lu combinations agree, %lu are refused\n", tally.runs, tally.refused);
    assert_int_equal(tally.failures, 0);
    assert_int_equal(tally.idle, 11); /* TINSERT of A2/A3 takes accumulators alone, with loops of their own */
}

/* TSUBVIEW: a window is a name for a part of its tile: what is written through it lands in the tile, at the addresses
 * of the tile's layout, and nowhere else. */
static void one_window(tw_pto_target target, tw_type type, unsigned layout, uint32_t row, uint32_t col)
{
    tw_pto *core = tw_pto_new(target, 0);
    uint64_t state = row + 100 * col;
    tw_pto_tile t = vec_tile(type, 64, 128), w = t;
    t.blayout = layout == 1 || layout == 2 || layout == 5;
    t.slayout = (unsigned char)(layout < 2                   ? TW_PTO_NONE_BOX
                                : layout == 2 || layout == 4 ? TW_PTO_BOX_ROW
                                                             : TW_PTO_BOX_COL);
    w.blayout = t.blayout, w.slayout = t.slayout;
    w.rows = w.valid_rows = 32, w.cols = w.valid_cols = 64;
    if (layout < 2) w.valid_rows = 29, w.valid_cols = 57;
    ref_image image = ref_fill(core, &t, ref_any, &state);
    uint64_t code = ref_any(type, 12345);
    OK(tw_pto_window(core, &w, &t, row, col));
    OK(CALL(core, "texpands", NULL, TILE(&w), SCALAR(tw_pto_bits(type, code))));
    for (uint32_t r = 0; r < w.valid_rows; r++)
        for (uint32_t c = 0; c < w.valid_cols; c++) ref_set(&image, row + r, col + c, code);
    if (!ref_equal(core, &t, &image, "a tile under its window"))
        fail_msg("layout %u at (%u, %u)", layout, row, col);
    ref_drop(&image);
    tw_pto_free(core);
}

static void pto_ref_move_windows(void **state)
{
    static const tw_type types[] = { TW_I8, TW_F16, TW_F32 };
    (void)state;
    for (int t = 0; t < 3; t++)
        for (unsigned layout = 0; layout < 6; layout++)
            for (uint32_t row = 0; row <= 32; row += 32)
                for (uint32_t col = 0; col <= 64; col += 32) {
                    one_window(TW_PTO_CPU, types[t], layout, row, col);
                    if (layout == 0)
                        one_window(TW_PTO_A2A3, types[t], layout, row + (row ? -3u : 0), col + (col ? -3u : 0));
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_ref_move_cross),
                                        cmocka_unit_test(pto_ref_move_windows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
