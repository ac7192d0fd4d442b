/* SPDX-License-Identifier: MIT */
/* The adder of guide 2.8 from source to result, on every device. */
#include "poplar/engine/engine_test.h"

static void adder(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        tw_device *device = test_device_new(kind);
        tw_graph *g = test_graph_new(device);
        tw_tensor in = tw_graph_add_variable(g, TW_FLOAT, SHAPE(2), "in");
        tw_tensor out = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "out");
        tw_graph_map(g, in, 0);
        tw_graph_map(g, out, 0);
        tw_compute_set cs = tw_graph_add_compute_set(g, "add");
        tw_vertex v = tw_graph_add_vertex(g, cs, "Plus", 0);
        tw_graph_connect(g, v, "x", tw_tensor_index(g, in, 0));
        tw_graph_connect(g, v, "y", tw_tensor_index(g, in, 1));
        tw_graph_connect(g, v, "sum", out);
        tw_graph_create_host_write(g, "in", in);
        tw_graph_create_host_read(g, "out", out);
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
        tw_graph_free(g); /* the engine holds what it needs */
        float x[2] = { 1.5f, 2.25f }, sum = 0;
        test_ok(tw_engine_write(e, "in", x, sizeof x));
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "out", &sum, sizeof sum));
        assert_true(sum == 3.75f);
        tw_engine_free(e);
        tw_device_free(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(adder) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
