/* SPDX-License-Identifier: MIT */
/* Runs of rows at places of a run, against loops; errors. */
#include "poplar/libs/libs_run.h"

enum { MOST_ROWS = 30, MOST_COLUMNS = 20, RUNS = 5 };

static void libs_sequence_slice(void **state)
{
    (void)state;
    static const tw_type types[] = { TW_FLOAT, TW_HALF, TW_INT, TW_U8 };
    lcg r = { 81 };
    for (unsigned i = 0; i < 24; i++) {
        tw_type type = types[i % 4];
        size_t width = tw_type_size(type), columns = 1 + draw(&r, MOST_COLUMNS - 1), runs = RUNS;
        size_t from_rows = 1 + draw(&r, MOST_ROWS - 1), to_rows = 1 + draw(&r, MOST_ROWS - 1);
        bool flat = i % 5 == 4, zero = i % 2;
        if (flat) columns = 1;
        tw_device *dev = i % 3 ? model_device(6, 1) : tw_device_cpu_accurate_half();
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor in = tw_graph_add_variable(g, type, flat ? 1 : 2, (size_t[]){ from_rows, columns }, "in"),
                  out = tw_graph_add_variable(g, type, flat ? 1 : 2, (size_t[]){ to_rows, columns }, "out"),
                  list[3];
        map_somehow(g, in, (int)i % MAPPINGS, &r), map_somehow(g, out, (int)(i + 1) % MAPPINGS, &r);
        uint32_t number[3][RUNS];
        for (int k = 0; k < 3; k++) {
            list[k] = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &runs, "list");
            map_somehow(g, list[k], k, &r);
        }
        for (size_t k = 0; k < RUNS; k++) { /* some go over an end */
            number[0][k] = draw(&r, 9);
            number[1][k] = draw(&r, (uint32_t)from_rows + 1), number[2][k] = draw(&r, (uint32_t)to_rows + 1);
        }
        tw_program p = tw_program_sequence(g, NULL);
        tw_tensor rows = i % 4 ? in : tw_tensor_reshape(g, in, 3, (size_t[]){ from_rows, 1, columns });
        tw_popops_sequence_slice(g, rows, out, list[0], list[1], list[2], zero, p, "runs");
        if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
        static char from[MOST_ROWS * MOST_COLUMNS * 4], to[sizeof from], want[sizeof from];
        for (size_t k = 0; k < sizeof from; k++) from[k] = (char)draw(&r, 60), to[k] = (char)draw(&r, 60);
        memcpy(want, to, sizeof want);
        if (zero) memset(want, 0, to_rows * columns * width);
        for (size_t k = 0; k < RUNS; k++)
            for (size_t row = 0; row < number[0][k]; row++)
                if (number[1][k] + row < from_rows && number[2][k] + row < to_rows)
                    memcpy(want + (number[2][k] + row) * columns * width,
                           from + (number[1][k] + row) * columns * width, columns * width);
        run_once(g, dev, p, 6,
                 (io[]){ { in, from, false },
                         { out, to, false },
                         { list[0], number[0], false },
                         { list[1], number[1], false },
                         { list[2], number[2], false },
                         { out, to, true } });
        assert_memory_equal(to, want, to_rows * columns * width);
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

static void libs_sequence_refused(void **state)
{
    (void)state;
    size_t five = 5, six = 6;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor in = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 3 }, "in"),
              out = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 2 }, "out"),
              n = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &five, "n"),
              m = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &six, "m"),
              zeros = tw_graph_add_constant_double(g, TW_FLOAT, 2, (size_t[]){ 4, 3 }, 0, "zeros");
    tw_graph_map(g, in, 0), tw_graph_map(g, out, 0), tw_graph_map(g, n, 0), tw_graph_map(g, m, 0);
    tw_graph_map(g, zeros, 0);
    tw_program p = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    tw_popops_sequence_slice(g, in, out, n, n, n, true, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_sequence_slice", "'in' float[4, 3]", "'out' float[4, 2]", NULL);
    tw_popops_sequence_slice(g, in, in, n, m, n, true, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_sequence_slice", "'n' unsigned int[5]", "'m' unsigned int[6]", NULL);
    tw_popops_sequence_slice(g, in, zeros, n, n, n, true, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_sequence_slice", "constants", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_sequence_slice),
        cmocka_unit_test(libs_sequence_refused),
    };
    return cmocka_run_group_tests_name("libs_sequence", tests, NULL, NULL);
}
