/* SPDX-License-Identifier: MIT */
/* The same bits for any number of threads, and engines in threads of the caller's own. */
#include <omp.h>

#include "poplar/engine/engine_test.h"

enum { ROWS = 700, COLUMNS = 512, VERTICES = 4200, N = ROWS * COLUMNS };

typedef struct job {
    tw_device *device;
    tw_graph *g;
    tw_engine *e;
    float *result;
    uint32_t *ids;
} job;

/* Contiguous and strided edges in many vertices, copies large enough to be shared, a condition over all. */
static void make(job *j)
{
    j->device = test_device_new(MODEL);
    tw_graph *g = j->g = test_graph_new(j->device);
    tw_tensor a = test_variable(g, TW_FLOAT, SHAPE(ROWS, COLUMNS), "a");
    tw_tensor b = test_variable(g, TW_FLOAT, SHAPE(ROWS, COLUMNS), "b");
    tw_tensor c = test_variable(g, TW_FLOAT, SHAPE(COLUMNS, ROWS), "c");
    tw_tensor ids = test_variable(g, TW_UNSIGNED_INT, SHAPE(VERTICES), "ids");
    tw_compute_set rows = tw_graph_add_compute_set(g, "rows"), columns = tw_graph_add_compute_set(g, "columns");
    tw_tensor flat = tw_tensor_flatten(g, b);
    for (unsigned i = 0; i < VERTICES; i++) {
        tw_graph_push_scope(g);
        size_t begin = (size_t)N * i / VERTICES, end = (size_t)N * (i + 1) / VERTICES;
        tw_vertex v = tw_graph_add_vertex(g, rows, "AddVectors", i % 16);
        tw_graph_connect(g, v, "a", tw_tensor_slice(g, tw_tensor_flatten(g, a), 0, begin, end));
        tw_graph_connect(g, v, "b",
                         tw_tensor_slice(g, tw_tensor_reverse(g, tw_tensor_flatten(g, a), 0), 0, begin, end));
        tw_graph_connect(g, v, "c", tw_tensor_slice(g, flat, 0, begin, end));
        tw_vertex w = tw_graph_add_vertex(g, rows, "WorkerIds", (i * 7) % 16);
        tw_graph_connect(g, w, "ids", tw_tensor_slice(g, ids, 0, i, i + 1));
        tw_graph_pop_scope(g);
    }
    for (unsigned i = 0; i < COLUMNS; i++) {
        tw_vertex v = tw_graph_add_vertex(g, columns, "Scale<float>", i % 16);
        tw_graph_connect(g, v, "data", tw_tensor_index(g, tw_tensor_transpose(g, b), i));
        tw_graph_set_field(g, v, "factor", 1.0 + i / 512.0);
    }
    tw_program p[] = { tw_program_execute(g, rows), tw_program_execute(g, columns),
                       tw_program_copy(g, tw_tensor_transpose(g, b), c), tw_program_copy(g, b, a) };
    j->e = test_engine_new(g, j->device, tw_program_repeat(g, 3, tw_program_sequence_of(g, 4, p)), NULL);
    j->result = malloc(N * sizeof(float));
    j->ids = malloc(VERTICES * sizeof(uint32_t));
    for (int i = 0; i < N; i++) j->result[i] = (float)(i % 1013) / 7;
    test_ok(tw_engine_write(j->e, "a", j->result, N * sizeof(float)));
}

static void run(job *j)
{
    test_ok(tw_engine_run(j->e, 0));
    test_ok(tw_engine_read(j->e, "c", j->result, N * sizeof(float)));
    test_ok(tw_engine_read(j->e, "ids", j->ids, VERTICES * sizeof(uint32_t)));
}

static void drop(job *j)
{
    tw_engine_free(j->e);
    tw_graph_free(j->g);
    tw_device_free(j->device);
    free(j->result);
    free(j->ids);
}

static void any_number_of_threads(void **state)
{
    (void)state;
    int before = omp_get_max_threads();
    job first = { 0 };
    for (int threads = 1; threads <= 4; threads *= 2) {
        job j;
        omp_set_num_threads(threads);
        make(&j);
        run(&j);
        if (threads == 1) {
            first = j;
            continue;
        }
        assert_memory_equal(j.result, first.result, N * sizeof(float));
        assert_memory_equal(j.ids, first.ids, VERTICES * sizeof(uint32_t));
        drop(&j);
    }
    omp_set_num_threads(before);
    drop(&first);
}

/* Two engines at once, each inside a parallel region: the engine's own regions step back. */
static void engines_in_threads(void **state)
{
    (void)state;
    if (tw_world_size() > 1) skip(); /* of several ranks, one thread makes all calls */
    job j[3];
    for (int i = 0; i < 3; i++) make(&j[i]);
    run(&j[2]);
    tw_status status[2];
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; i++) status[i] = tw_engine_run(j[i].e, 0);
    for (int i = 0; i < 2; i++) {
        test_ok(status[i]);
        test_ok(tw_engine_read(j[i].e, "c", j[i].result, N * sizeof(float)));
        assert_memory_equal(j[i].result, j[2].result, N * sizeof(float));
    }
    for (int i = 0; i < 3; i++) drop(&j[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(any_number_of_threads),
                                        cmocka_unit_test(engines_in_threads) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
