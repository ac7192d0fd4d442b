/* SPDX-License-Identifier: MIT */
/* Remote buffers: guide 2.6.2. */
#include "poplar/engine/engine_test.h"

typedef struct fixture {
    tw_device *device;
    tw_graph *g;
    tw_tensor x, offsets;
    tw_remote_buffer rb;
} fixture;

static fixture make(test_device kind, size_t rows, tw_type offsets)
{
    fixture f = { .device = test_device_new(kind) };
    f.g = tw_graph_new(tw_device_target(f.device));
    f.x = test_variable(f.g, TW_INT, SHAPE(rows, 4), "x");
    f.offsets = test_variable(f.g, offsets, SHAPE(rows), "offsets");
    f.rb = tw_graph_add_remote_buffer(f.g, "rb", TW_INT, 4, 5, false, false);
    return f;
}

static void drop(fixture *f)
{
    tw_graph_free(f->g);
    tw_device_free(f->device);
}

static void rows_by_offset(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * TEST_DEVICES; k++) { /* public programs have offsets of either type */
        fixture f = make((test_device)(k / 2), 2, k % 2 ? TW_INT : TW_UNSIGNED_INT);
        tw_program p[] = { tw_program_copy_from_remote(f.g, f.rb, f.x, f.offsets),
                           tw_program_copy_to_remote(f.g, tw_tensor_dim_shuffle(f.g, f.x, (unsigned[]){ 0, 1 }),
                                                     f.rb, f.offsets) };
        tw_engine *e = tw_engine_new_programs(f.g, 2, p, NULL);
        test_ok(tw_engine_load(e, f.device));
        int32_t row[4], x[8];
        for (int r = 0; r < 5; r++) {
            for (int i = 0; i < 4; i++) row[i] = 10 * r + i;
            test_ok(tw_engine_copy_to_remote_buffer(e, "rb", (uint64_t)r, row, sizeof row));
        }
        test_ok(tw_engine_write(e, "offsets", (uint32_t[]){ 4, 1 }, 8));
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "x", x, sizeof x));
        assert_memory_equal(x, ((int32_t[]){ 40, 41, 42, 43, 10, 11, 12, 13 }), sizeof x);
        test_ok(tw_engine_write(e, "offsets", (uint32_t[]){ 0, 3 }, 8));
        test_ok(tw_engine_run(e, 1));
        static const int first[] = { 40, 10, 20, 10, 40 };
        for (int r = 0; r < 5; r++) {
            test_ok(tw_engine_copy_from_remote_buffer(e, "rb", (uint64_t)r, row, sizeof row));
            assert_int_equal(row[0], first[r]);
        }
        /* past the last row: nothing is moved */
        test_ok(tw_engine_write(e, "offsets", (uint32_t[]){ 2, 5 }, 8));
        assert_int_equal(tw_engine_run(e, 1), TW_E_APPLICATION);
        ASSERT_MESSAGE("rb");
        ASSERT_MESSAGE("5");
        test_ok(tw_engine_copy_from_remote_buffer(e, "rb", 2, row, sizeof row));
        assert_int_equal(row[0], 20);
        test_ok(tw_engine_load(e, f.device)); /* all zero again */
        test_ok(tw_engine_copy_from_remote_buffer(e, "rb", 4, row, sizeof row));
        assert_int_equal(row[0], 0);
        tw_engine_free(e);
        drop(&f);
    }
}

/* Without offsets row 0; one offset for one row; strided tensors. */
static void one_row(void **state)
{
    (void)state;
    fixture f = make(MODEL, 4, TW_UNSIGNED_INT);
    tw_tensor column = tw_tensor_index(f.g, tw_tensor_transpose(f.g, f.x), 2);
    tw_tensor offset = tw_tensor_slice(f.g, f.offsets, 0, 3, 4);
    tw_program p[] = { tw_program_copy_to_remote(f.g, column, f.rb, (tw_tensor){ 0 }),
                       tw_program_copy_to_remote(f.g, column, f.rb, offset) };
    tw_engine *e = tw_engine_new_programs(f.g, 2, p, NULL);
    test_ok(tw_engine_load(e, f.device));
    int32_t x[16], row[4];
    for (int i = 0; i < 16; i++) x[i] = i;
    test_ok(tw_engine_write(e, "x", x, sizeof x));
    test_ok(tw_engine_write(e, "offsets", (uint32_t[]){ 9, 9, 9, 3 }, 16));
    for (unsigned i = 0; i < 2; i++) {
        test_ok(tw_engine_run(e, i));
        test_ok(tw_engine_copy_from_remote_buffer(e, "rb", i ? 3 : 0, row, sizeof row));
        assert_memory_equal(row, ((int32_t[]){ 2, 6, 10, 14 }), sizeof row);
    }
    tw_engine_free(e);
    drop(&f);
}

static void host_errors(void **state)
{
    (void)state;
    fixture f = make(MODEL, 1, TW_INT);
    tw_engine *e =
        tw_engine_new(f.g, tw_program_copy_from_remote(f.g, f.rb, tw_tensor_flatten(f.g, f.x), f.offsets), NULL);
    int32_t row[4] = { 0 };
    assert_int_equal(tw_engine_copy_to_remote_buffer(e, "rb", 0, row, sizeof row), TW_E_NOT_LOADED);
    test_ok(tw_engine_load(e, f.device));
    assert_int_equal(tw_engine_copy_to_remote_buffer(e, "rb", 5, row, sizeof row), TW_E_INDEX);
    assert_int_equal(tw_engine_copy_to_remote_buffer(e, "rb", 0, row, 12), TW_E_INVALID_ARGUMENT);
    ASSERT_MESSAGE("16");
    assert_int_equal(tw_engine_copy_from_remote_buffer(e, "rbb", 0, row, sizeof row), TW_E_STREAM_CONNECTION);
    ASSERT_MESSAGE("'rb'");
    tw_engine_free(e);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_by_offset), cmocka_unit_test(one_row),
                                        cmocka_unit_test(host_errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
