/* SPDX-License-Identifier: MIT */
/* Codelets that fault end the run with an error that names vertex, field, tile and compute set; the process and the
 * engine go on. debug.runtimeVerify finds writes outside of fields. */
#include "poplar/engine/engine_test.h"

#include <omp.h>

static const char codelets[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "struct Null : Vertex {\n"
    "    InOut<int> go; Vector<int> table;\n"
    "    bool compute() { int *volatile p = &table[0]; if (*go) p[*go == 2 ? 100 : 0] = 1; return true; }\n"
    "};\n"
    "struct Deep : Vertex {\n"
    "    InOut<int> go;\n"
    "    static int down(volatile int *n) { volatile int room[64]; room[0] = *n; return *n ? down(n) + room[0] : "
    "0; }\n"
    "    bool compute() { if (*go) *go = down(&*go); return true; }\n"
    "};\n"
    "struct Divide : Vertex {\n"
    "    InOut<int> go;\n"
    "    bool compute() { volatile int zero = !*go; *go = 7 / zero; return true; }\n"
    "};\n"
    "struct Far : Vertex {\n"
    "    InOut<int> go; Output<Vector<int>> data;\n"
    "    bool compute() {\n"
    "        int *volatile p = *go == 1 ? (int *)0x300000 : *go == 2 ? (int *)(1ul << 60) : &data[0];\n"
    "        *p = 3; return true;\n"
    "    }\n"
    "};\n"
    "struct Past : Vertex {\n"
    "    InOut<int> go; Output<Vector<int>> data; Input<Vector<int, VectorLayout::ONE_PTR>> in;\n"
    "    bool compute() {\n"
    "        data[0] = 5;\n"
    "        if (*go == 1) (&data[0])[data.size()] = 6;\n"
    "        if (*go == 2) (&data[0])[-2] = 6;\n"
    "        if (*go == 3) in[1] = 6;\n"
    "        if (*go == 4) data[1] = in[5];\n" /* reading on is no mistake */
    "        return true;\n"
    "    }\n"
    "};\n"
    "template <class T> int lower(T *data, int *go) {\n"
    "    int *volatile p = (int *)(*go == 1 ? 0x300000 : 0x7ffffffff000); if (*go) *p = 3; return data < go;\n"
    "}\n"
    "struct GoFirst : Vertex {\n"
    "    InOut<int> go; Output<Vector<int>> data;\n"
    "    bool compute() { data[0] = lower(&data[0], &*go); return true; }\n"
    "};\n"
    "struct GoLast : Vertex {\n"
    "    Output<Vector<int>> data; InOut<int> go;\n"
    "    bool compute() { data[0] = lower(&data[0], &*go); return true; }\n"
    "};\n"
    "struct Views : Vertex {\n"
    "    Input<Vector<int>> whole, part; Output<Vector<int>> out;\n"
    "    bool compute() {\n"
    "        out[0] = 0;\n"
    "        for (int x : whole) out[0] += x;\n"
    "        out[1] = (unsigned long)&whole[0] % 64, out[2] = &part[0] - &whole[0]; return true;\n"
    "    }\n"
    "};\n";

enum { TILES = 16 };

/* A graph with a vertex of `type` on each tile, whose `go` is an element of go[]. */
typedef struct bench {
    tw_device *device;
    tw_graph *g;
    tw_engine *engine;
} bench;

static bench make(test_device kind, const char *type, const char *const *options)
{
    bench b = { .device = test_device_new(kind) };
    b.g = tw_graph_new(tw_device_target(b.device));
    tw_graph_add_codelets_source(b.g, codelets, "c++", "faults.cpp", "-O1");
    unsigned tiles = test_tiles(b.g);
    tw_tensor go = tw_graph_add_variable(b.g, TW_INT, SHAPE(tiles), "go"),
              data = tw_graph_add_variable(b.g, TW_INT, SHAPE(tiles, 4), "data"),
              in = tw_graph_add_variable(b.g, TW_INT, SHAPE(tiles, 4), "in");
    tw_compute_set cs = tw_graph_add_compute_set(b.g, "work");
    for (unsigned t = 0; t < tiles; t++) {
        tw_tensor one = tw_tensor_reshape(b.g, tw_tensor_slice(b.g, go, 0, t, t + 1), 0, NULL);
        tw_vertex v = tw_graph_add_vertex(b.g, cs, type, t);
        tw_graph_map_range(b.g, go, t, 1, t);
        tw_graph_map_range(b.g, data, 4 * t, 4, t);
        tw_graph_map_range(b.g, in, 4 * t, 4, t);
        tw_graph_connect(b.g, v, "go", one);
        if (strcmp(type, "Null") != 0 && strcmp(type, "Deep") != 0 && strcmp(type, "Divide") != 0)
            tw_graph_connect(b.g, v, "data", tw_tensor_index(b.g, data, t));
        if (strcmp(type, "Past") == 0) tw_graph_connect(b.g, v, "in", tw_tensor_index(b.g, in, t));
    }
    tw_graph_create_host_access(b.g, "go", go);
    tw_graph_create_host_access(b.g, "data", data);
    b.engine = test_engine_new(b.g, b.device, tw_program_execute(b.g, cs), options);
    return b;
}

static void drop(bench *b)
{
    tw_engine_free(b->engine);
    tw_graph_free(b->g);
    tw_device_free(b->device);
}

static tw_status run_with(const bench *b, unsigned tile, int value)
{
    int32_t go[TILES] = { 0 };
    for (unsigned t = 0; t < test_tiles(b->g); t++) go[t] = t >= tile ? value : 0;
    test_ok(tw_engine_write(b->engine, "go", go, test_tiles(b->g) * sizeof *go));
    return tw_engine_run(b->engine, 0);
}

static const struct {
    const char *type, *what;
    int go;
} faults[] = {
    { "Null", "writes to address 0x0, through a null pointer; its field 'table' has no data", 1 },
    { "Null", "writes to address 0x190, through a null pointer; its field 'table' has no data", 2 },
    { "Deep", "its stack overflows", 1 },
#if defined(__x86_64__)
    { "Divide", "it divides an integer by zero", 1 },
#endif
    { "Far", "bytes before its field '", 1 },
#if defined(__x86_64__)
    { "Far", "it touches an address that no machine of this kind has", 2 },
#endif
};

static void codelets_that_fault(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads += 3)
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
            for (test_device kind = CPU; kind < TEST_DEVICES; kind += 2)
                for (int verified = 0; verified < 2; verified++) {
                    omp_set_num_threads(threads);
                    bench b = make(kind, faults[i].type,
                                   (const char *[]){ verified ? "debug.runtimeVerify=true" : NULL, NULL });
                    unsigned tile = kind == CPU ? 0 : 5;
                    for (int round = 0; round < 3; round++) {
                        tw_status status = run_with(&b, tile, faults[i].go);
                        if (status != TW_E_APPLICATION)
                            fail_msg("%s, %d threads, device %d, verified %d, round %d: status %d", faults[i].type,
                                     threads, (int)kind, verified, round, (int)status);
                        char where[96];
                        snprintf(where, sizeof where,
                                 "of type '%s' in compute set 'work' on tile %u: ", faults[i].type, tile);
                        ASSERT_MESSAGE(where);
                        ASSERT_MESSAGE(faults[i].what);
                        if (strcmp(faults[i].type, "Divide") != 0) test_ok(run_with(&b, 0, 0)); /* and on it goes */
                    }
                    drop(&b);
                }
    omp_set_num_threads(omp_get_num_procs());
}

/* An address below all fields, or above them (no process has that page): the first in memory is named, or the
 * last. */
static void nearest_field(void **state)
{
    (void)state;
    static const char *const types[] = { "GoFirst", "GoLast" };
    for (int i = 0; i < 2; i++) {
        bench b = make(MODEL, types[i], NULL);
        int32_t data[TILES][4];
        test_ok(run_with(&b, 0, 0));
        test_ok(tw_engine_read(b.engine, "data", data, test_tiles(b.g) * sizeof data[0]));
        assert_int_equal(run_with(&b, 3, 1), TW_E_APPLICATION);
        ASSERT_MESSAGE(data[3][0] ? "bytes before its field 'data' of 16 bytes, the nearest"
                                  : "bytes before its field 'go' of 4 bytes, the nearest");
#if defined(__x86_64__)
        assert_int_equal(run_with(&b, 3, 2), TW_E_APPLICATION);
        ASSERT_MESSAGE(data[3][0] ? "bytes behind the end of its field 'go' of 4 bytes, the nearest"
                                  : "bytes behind the end of its field 'data' of 16 bytes, the nearest");
#endif
        drop(&b);
    }
}

static const struct {
    int go;
    const char *what; /* NULL: nothing is wrong */
} writes[] = {
    { 0, NULL },
    { 1, "it writes behind its field 'data' of 16 bytes, 0 bytes past the end" },
    { 2, "it writes before its field 'data' of 16 bytes, 5 bytes in front of it" },
    { 3, "it writes to its field 'in', which is an Input" },
    { 4, NULL },
};

static void writes_outside_of_fields(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind += 2)
        for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
            bench b = make(kind, "Past", (const char *[]){ "debug.runtimeVerify=true", NULL });
            unsigned tile = kind == CPU ? 0 : 3;
            tw_status status = run_with(&b, tile, writes[i].go);
            assert_int_equal(status, writes[i].what ? TW_E_APPLICATION : TW_OK);
            if (writes[i].what) {
                ASSERT_MESSAGE(writes[i].what);
                ASSERT_MESSAGE(kind == CPU ? "on tile 0" : "on tile 3");
            }
            int32_t data[TILES][4];
            test_ok(tw_engine_read(b.engine, "data", data, test_tiles(b.g) * sizeof data[0]));
            if (!writes[i].what) assert_int_equal(data[tile][0], 5); /* what it may write arrives */
            drop(&b);
        }
}

/* Without faults nothing differs: fields that share data, lists, single elements, all workers. */
static void verified_results(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    tw_graph *g = test_graph_new(device);
    tw_tensor m = test_variable(g, TW_FLOAT, SHAPE(3, 4), "m"), sums = test_variable(g, TW_FLOAT, SHAPE(3), "sums"),
              ids = test_variable(g, TW_UNSIGNED_INT, SHAPE(12), "ids"),
              picked = test_variable(g, TW_FLOAT, SHAPE(3), "picked");
    tw_compute_set first = tw_graph_add_compute_set(g, "first"), second = tw_graph_add_compute_set(g, "second");
    tw_vertex negate = tw_graph_add_vertex(g, first, "NegateRows", 0),
              all = tw_graph_add_vertex(g, first, "WorkerIds", 1),
              add = tw_graph_add_vertex(g, second, "RowSums", 2),
              pick = tw_graph_add_vertex(g, second, "PickEdges", 3);
    tw_tensor rows[3];
    for (unsigned r = 0; r < 3; r++) rows[r] = tw_tensor_index(g, m, r);
    tw_graph_connect_list(g, negate, "rows", 3, rows);
    tw_graph_connect_list(g, add, "rows", 3, rows);
    tw_graph_connect(g, all, "ids", ids);
    tw_graph_connect(g, add, "sums", sums);
    tw_graph_connect(g, pick, "in", tw_tensor_flatten(g, tw_tensor_slice(g, m, 1, 2, 3)));
    tw_graph_connect(g, pick, "out", picked);
    tw_engine *e = test_engine_new(
        g, device,
        tw_program_sequence_of(g, 2, (tw_program[]){ tw_program_execute(g, first), tw_program_execute(g, second) }),
        (const char *[]){ "debug.runtimeVerify=true", NULL });
    float x[12], y[3], z[3];
    for (int i = 0; i < 12; i++) x[i] = (float)i;
    uint32_t n[12];
    test_ok(tw_engine_write(e, "m", x, sizeof x));
    test_ok(tw_engine_run(e, 0));
    test_ok(tw_engine_read(e, "sums", y, sizeof y));
    test_ok(tw_engine_read(e, "picked", z, sizeof z));
    test_ok(tw_engine_read(e, "ids", n, sizeof n));
    for (int r = 0; r < 3; r++) assert_true(y[r] == -(float)(16 * r + 6) && z[r] == -(float)(4 * r + 2));
    for (unsigned i = 0; i < 12; i++) assert_int_equal(n[i], 600 + i % 6);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

/* Copies of data that two fields share hold all of it, and lie as the data does. */
static void verified_places(void **state)
{
    (void)state;
    int32_t out[2][3], x[64];
    for (int i = 0; i < 64; i++) x[i] = i;
    for (int verified = 0; verified < 2; verified++) {
        tw_device *device = test_device_new(MODEL);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_graph_add_codelets_source(g, codelets, "c++", "faults.cpp", "-O1");
        tw_tensor t = test_variable(g, TW_INT, SHAPE(64), "x"), result = test_variable(g, TW_INT, SHAPE(3), "out");
        tw_graph_map(g, t, 1), tw_graph_map(g, result, 1);
        tw_compute_set cs = tw_graph_add_compute_set(g, "work");
        tw_vertex v = tw_graph_add_vertex(g, cs, "Views", 1);
        tw_graph_connect(g, v, "whole", tw_tensor_slice(g, t, 0, 5, 40));
        tw_graph_connect(g, v, "part", tw_tensor_slice(g, t, 0, 7, 9));
        tw_graph_connect(g, v, "out", result);
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs),
                                       (const char *[]){ verified ? "debug.runtimeVerify=true" : NULL, NULL });
        test_ok(tw_engine_write(e, "x", x, sizeof x));
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "out", out[verified], sizeof out[0]));
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
    assert_int_equal(out[0][0], (5 + 39) * 35 / 2);
    assert_int_equal(out[0][2], 2);
    assert_memory_equal(out[0], out[1], sizeof out[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codelets_that_fault),
        cmocka_unit_test(codelets_that_fault), /* cmocka sets its own handlers before each test */
        cmocka_unit_test(writes_outside_of_fields),
        cmocka_unit_test(verified_results),
        cmocka_unit_test(verified_places),
        cmocka_unit_test(nearest_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
