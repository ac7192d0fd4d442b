/* SPDX-License-Identifier: MIT */
/* Reductions and expansions on every type, profile, layout, valid region and pad value against ref_fold.c; and that
 * the tables of references name every row of ops.def. */
#include "pto/support/check.h"
#include "pto/reference/ref_tables.h"

static void pto_ref_fold_cross(void **state)
{
    ref_tally tally = { 0 };
    (void)state;
    ref_cross(ref_fold_rows, ref_fold_count, &tally);
    print_message("%lu combinations agree, %lu are refused\n", tally.runs, tally.refused);
    assert_int_equal(tally.failures, 0);
    assert_int_equal(tally.idle, 0);
}

/* Families whose rows have loops of their own: the cube, scales, quantisation, tables in global memory, sorting,
 * random numbers, convolutions, cores and devices (test_pto_ops_cube_all.c and its like), and registers that are set.
 * */
static bool has_own_loops(const char *family)
{
    static const char *const names[] = {
        "matmul",        "matmul_mx",      "store_quant", "move_quant",
        "extract_quant", "insert_quant",   "extract2",    "move_zz",
        "scale_address", "quant",          "quant_mx",    "quant_hif4",
        "dequant",       "gather_global",  "gather_l1",   "scatter_global",
        "sort32",        "merge_blocks",   "merge_lists", "histogram",
        "random",        "img2col",        "set_map",     "set_padding",
        "set_repeat",    "set_dequant",    "set_quant",   "set_quant_vector",
        "push",          "push_slot",      "pop",         "pop_slot",
        "talloc",        "tfree",          "sync_all",    "put",
        "notify",        "wait_signal",    "test_signal", "broadcast",
        "comm_gather",   "comm_scatter",   "comm_reduce", "sort_groups",
        "gather_masked", "scatter_masked", "gather_swap",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], family) == 0) return true;
    return false;
}

static bool in_table(const ref_row *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0) return true;
    return false;
}

static void pto_ref_registry(void **state)
{
    const struct {
        const ref_row *rows;
        size_t count;
    } tables[] = { { ref_lane_rows, ref_lane_count },
                   { ref_mask_rows, ref_mask_count },
                   { ref_fold_rows, ref_fold_count },
                   { ref_convert_rows, ref_convert_count },
                   { ref_move_rows, ref_move_count } };
    unsigned missing = 0;
    (void)state;
    for (size_t i = 0; i < tw__pto_row_count(); i++) {
        const tw__pto_row *row = tw__pto_row_at(i);
        bool found = has_own_loops(row->family) || row->rules & TW__CPU_ONLY ||
                     strcmp(row->name, "TPREFETCH_ASYNC") == 0; /* no tile to look at */
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
            found = found || in_table(tables[t].rows, tables[t].count, row->name);
        if (!found) print_error("%s has no reference in a table of ref_tables.h\n", row->name), missing++;
    }
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (size_t i = 0; i < tables[t].count; i++) {
            if (!tables[t].rows[i].reference)
                print_error("%s without a reference\n", tables[t].rows[i].name), missing++;
            if (tw_pto_op_by_name(tables[t].rows[i].name) < 0)
                print_error("no row %s\n", tables[t].rows[i].name), missing++;
        }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_ref_registry), cmocka_unit_test(pto_ref_fold_cross) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
