/* SPDX-License-Identifier: MIT */
/* Vertex fields: pointers into variables, message buffers for what is not contiguous or not aligned, lists,
 * state. */
#include "poplar/engine/engine_test.h"

#define OPEN(kind)                             \
    tw_device *device = test_device_new(kind); \
    tw_graph *g = test_graph_new(device)
#define CLOSE()                 \
    do {                        \
        tw_engine_free(e);      \
        tw_graph_free(g);       \
        tw_device_free(device); \
    } while (0)

enum { N = 24 };

static void fill(tw_engine *e, const char *handle, int n)
{
    float x[256];
    for (int i = 0; i < n; i++) x[i] = (float)(i + 1);
    test_ok(tw_engine_write(e, handle, x, (size_t)n * sizeof *x));
}

/* One vertex, connected to views of every kind; its output and its input live on other tiles than it does. */
static void views_in_and_out(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        for (int in_kind = 0; in_kind < 6; in_kind++) {
            for (int out_kind = 0; out_kind < 4; out_kind++) {
                OPEN(kind);
                tw_tensor a = test_variable(g, TW_FLOAT, SHAPE(4, 6), "a"),
                          c = test_variable(g, TW_FLOAT, SHAPE(4, 6), "c");
                tw_tensor flat = tw_tensor_flatten(g, a), out = tw_tensor_flatten(g, c);
                tw_tensor ins[] = { flat,
                                    tw_tensor_reverse(g, flat, 0),
                                    tw_tensor_flatten(g, tw_tensor_transpose(g, a)),
                                    tw_tensor_broadcast(g, tw_tensor_slice(g, flat, 0, 3, 9), 4, 0),
                                    tw_tensor_concat(g, 2,
                                                     (tw_tensor[]){ tw_tensor_slice(g, flat, 0, 12, 24),
                                                                    tw_tensor_slice(g, flat, 0, 0, 12) },
                                                     0),
                                    tw_tensor_pick(g, flat, 3,
                                                   (tw_interval[]){ { 20, 24 }, { 1, 20 }, { 0, 1 } }) };
                tw_tensor outs[] = { out, tw_tensor_reverse(g, out, 0),
                                     tw_tensor_flatten(g, tw_tensor_transpose(g, c)),
                                     tw_tensor_concat(g, 2,
                                                      (tw_tensor[]){ tw_tensor_slice(g, out, 0, 7, 24),
                                                                     tw_tensor_slice(g, out, 0, 0, 7) },
                                                      0) };
                tw_compute_set cs = tw_graph_add_compute_set(g, "add");
                tw_vertex v = tw_graph_add_vertex(g, cs, "AddVectors", test_tiles(g) / 2);
                tw_graph_connect(g, v, "a", ins[in_kind]);
                tw_graph_connect(g, v, "b", flat);
                tw_graph_connect(g, v, "c", outs[out_kind]);
                tw_engine *e = test_engine_new(g, device, tw_program_repeat(g, 2, tw_program_execute(g, cs)), NULL);
                fill(e, "a", N);
                test_ok(tw_engine_run(e, 0));
                float c_values[N];
                test_ok(tw_engine_read(e, "c", c_values, sizeof c_values));
                for (int i = 0; i < N; i++) {
                    int from[] = { i,         N - 1 - i,    i % 4 * 6 + i / 4,
                                   3 + i % 6, (i + 12) % N, i < 4 ? 20 + i : i < 23 ? i - 3 : 0 };
                    int to[] = { i, N - 1 - i, i % 4 * 6 + i / 4, (i + 7) % N };
                    float expected = (float)(from[in_kind] + 1) + (float)(i + 1);
                    if (c_values[to[out_kind]] != expected)
                        fail_msg("in %d, out %d, element %d", in_kind, out_kind, i);
                }
                CLOSE();
            }
        }
    }
}

/* InOut through a buffer: gathered before, scattered after, the rest untouched. */
static void strided_in_out(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        OPEN(kind);
        tw_tensor a = test_variable(g, TW_FLOAT, SHAPE(N), "a");
        tw_compute_set cs = tw_graph_add_compute_set(g, "scale");
        for (unsigned i = 0; i < 3; i++) { /* elements i, i + 4, i + 8 ...; every fourth stays */
            tw_vertex v = tw_graph_add_vertex(g, cs, "Scale<float>", i % test_tiles(g));
            tw_graph_connect(g, v, "data", tw_tensor_sub_sample(g, tw_tensor_slice(g, a, 0, i, N), 4, 0));
            tw_graph_set_field(g, v, "factor", 2.0 + i);
        }
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
        fill(e, "a", N);
        test_ok(tw_engine_run(e, 0));
        float x[N];
        test_ok(tw_engine_read(e, "a", x, sizeof x));
        for (int i = 0; i < N; i++) {
            float factor[] = { 2, 3, 4, 1 };
            assert_true(x[i] == (float)(i + 1) * factor[i % 4]);
        }
        CLOSE();
    }
}

/* What a vertex leaves alone in its Output keeps its value, contiguous or not. */
static void partial_output(void **state)
{
    (void)state;
    for (int strided = 0; strided < 2; strided++) {
        OPEN(MODEL);
        tw_tensor a = test_variable(g, TW_FLOAT, SHAPE(8), "a");
        tw_compute_set cs = tw_graph_add_compute_set(g, "half");
        tw_vertex v = tw_graph_add_vertex(g, cs, "FirstHalf", 3);
        tw_graph_connect(g, v, "out", strided ? tw_tensor_reverse(g, a, 0) : a);
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
        fill(e, "a", 8);
        test_ok(tw_engine_run(e, 0));
        float x[8];
        test_ok(tw_engine_read(e, "a", x, sizeof x));
        for (int i = 0; i < 8; i++) {
            bool written = strided ? i >= 4 : i < 4;
            assert_true(x[i] == (written ? 1.0f : (float)(i + 1)));
        }
        CLOSE();
    }
}

static void lists_of_vectors(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        OPEN(kind);
        tw_tensor a = test_variable(g, TW_FLOAT, SHAPE(4, 6), "a"), s = test_variable(g, TW_FLOAT, SHAPE(12), "s");
        tw_compute_set cs = tw_graph_add_compute_set(g, "sums");
        tw_vertex by_row = tw_graph_add_vertex(g, cs, "RowSums", 0);
        tw_graph_connect(g, by_row, "rows", a); /* rank 2: row by row */
        tw_graph_connect(g, by_row, "sums", tw_tensor_slice(g, s, 0, 0, 4));
        tw_vertex by_column = tw_graph_add_vertex(g, cs, "RowSums", 1 % test_tiles(g));
        tw_tensor columns[6];
        for (unsigned i = 0; i < 6; i++) columns[i] = tw_tensor_index(g, tw_tensor_transpose(g, a), i);
        tw_graph_connect_list(g, by_column, "rows", 6, columns);
        tw_graph_connect(g, by_column, "sums", tw_tensor_slice(g, s, 0, 4, 10));
        tw_vertex jagged = tw_graph_add_vertex(g, cs, "RowSums", 1 % test_tiles(g)); /* in any order */
        tw_graph_set_field_size(g, jagged, "rows", 2);
        tw_graph_connect(g, jagged, "rows[1]", tw_tensor_slice(g, tw_tensor_flatten(g, a), 0, 1, 24));
        tw_graph_connect(g, jagged, "rows[0]", tw_tensor_slice(g, tw_tensor_flatten(g, a), 0, 0, 1));
        tw_graph_connect(g, jagged, "sums", tw_tensor_slice(g, s, 0, 10, 12));
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
        fill(e, "a", N);
        test_ok(tw_engine_run(e, 0));
        float sums[12];
        test_ok(tw_engine_read(e, "s", sums, sizeof sums));
        static const float expected[12] = { 21, 57, 93, 129, 40, 44, 48, 52, 56, 60, 1, 299 };
        assert_memory_equal(sums, expected, sizeof sums);
        CLOSE();
    }
}

static void lists_in_out(void **state)
{
    (void)state;
    OPEN(MODEL);
    tw_tensor a = test_variable(g, TW_FLOAT, SHAPE(4, 6), "a");
    tw_compute_set cs = tw_graph_add_compute_set(g, "negate");
    tw_vertex v = tw_graph_add_vertex(g, cs, "NegateRows", 5);
    tw_tensor rows[3] = { tw_tensor_index(g, a, 0),
                          tw_tensor_index(g, tw_tensor_transpose(g, tw_tensor_slice(g, a, 0, 1, 4)), 2),
                          tw_tensor_reverse(g, tw_tensor_slice(g, tw_tensor_index(g, a, 2), 0, 3, 6), 0) };
    tw_graph_connect_list(g, v, "rows", 3, rows);
    tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
    fill(e, "a", N);
    test_ok(tw_engine_run(e, 0));
    float x[N];
    test_ok(tw_engine_read(e, "a", x, sizeof x));
    for (int i = 0; i < N; i++) {
        bool negated = i < 6 || i == 8 || i == 14 || i == 20 || (i >= 15 && i < 18);
        assert_true(x[i] == (negated ? -1.0f : 1.0f) * (float)(i + 1));
    }
    CLOSE();
}

/* Vector<Input<float>>: one pointer for each element. */
static void lists_of_scalars(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        OPEN(kind);
        tw_tensor a = test_variable(g, TW_FLOAT, SHAPE(4, 6), "a"), s = test_variable(g, TW_FLOAT, SHAPE(6), "s");
        tw_compute_set cs = tw_graph_add_compute_set(g, "pick");
        tw_vertex v = tw_graph_add_vertex(g, cs, "PickEdges", 0);
        tw_graph_connect(g, v, "in",
                         tw_tensor_pick(g, tw_tensor_reverse(g, tw_tensor_flatten(g, a), 0), 2,
                                        (tw_interval[]){ { 0, 2 }, { 20, 24 } }));
        tw_graph_connect(g, v, "out", s);
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
        fill(e, "a", N);
        test_ok(tw_engine_run(e, 0));
        float x[6];
        test_ok(tw_engine_read(e, "s", x, sizeof x));
        assert_memory_equal(x, ((float[]){ 24, 23, 4, 3, 2, 1 }), sizeof x);
        CLOSE();
    }
}

static void plain_state(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        OPEN(kind);
        tw_tensor sum = test_variable(g, TW_INT, SHAPE(2), "sum");
        tw_compute_set cs = tw_graph_add_compute_set(g, "table");
        for (unsigned i = 0; i < 2; i++) {
            tw_vertex v = tw_graph_add_vertex(g, cs, "UsesTable", 0);
            tw_graph_set_field_values(g, v, "table", TW_INT, 4 - i, (int32_t[]){ 1, 2, 3, 4 });
            tw_graph_set_field_values(g, v, "pair", TW_SHORT, 2, (int16_t[]){ (int16_t)(7 + i), 5 });
            tw_graph_connect(g, v, "sum", tw_tensor_index(g, sum, i));
        }
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
        int x[2];
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "sum", x, sizeof x));
        assert_int_equal(x[0], 7510);
        assert_int_equal(x[1], 8506);
        CLOSE();
    }
}

/* compute() runs once for each worker: six on an IPU, one on the CPU. */
static void multi_vertices(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        OPEN(kind);
        tw_tensor ids = test_variable(g, TW_UNSIGNED_INT, SHAPE(3, 10), "ids");
        tw_compute_set cs = tw_graph_add_compute_set(g, "ids");
        for (unsigned i = 0; i < 3; i++) {
            tw_vertex v = tw_graph_add_vertex(g, cs, "WorkerIds", i % test_tiles(g));
            tw_graph_connect(g, v, "ids", tw_tensor_index(g, ids, i));
        }
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
        unsigned x[30], workers = kind >= MODEL ? 6 : 1;
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "ids", x, sizeof x));
        for (unsigned i = 0; i < 30; i++) assert_int_equal(x[i], 100 * workers + i % 10 % workers);
        CLOSE();
    }
}

/* A vector that asks for 16 bytes gets them, wherever its elements lie. */
static void alignment(void **state)
{
    (void)state;
    OPEN(MODEL);
    tw_tensor a = test_variable(g, TW_FLOAT, SHAPE(N), "a");
    tw_tensor off = test_variable(g, TW_UNSIGNED_INT, SHAPE(16), "off"),
              first = test_variable(g, TW_FLOAT, SHAPE(16), "first");
    tw_compute_set cs = tw_graph_add_compute_set(g, "aligned");
    for (unsigned i = 0; i < 16; i++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, "Aligned", i);
        tw_graph_connect(g, v, "in", tw_tensor_slice(g, a, 0, i, i + 8));
        tw_graph_connect(g, v, "offset", tw_tensor_index(g, off, i));
        tw_graph_connect(g, v, "first", tw_tensor_index(g, first, i));
    }
    tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
    fill(e, "a", N);
    test_ok(tw_engine_run(e, 0));
    unsigned offsets[16];
    float x[16];
    test_ok(tw_engine_read(e, "off", offsets, sizeof offsets));
    test_ok(tw_engine_read(e, "first", x, sizeof x));
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(offsets[i], 0);
        assert_true(x[i] == (float)(i + 1));
    }
    CLOSE();
}

/* half in storage, in vectors and in codelets: 4 bytes on a plain CPU, else 2 (docs/decisions.md, G3). */
static void half_vectors(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        OPEN(kind);
        tw_tensor h = test_variable(g, TW_HALF, SHAPE(9), "h");
        tw_compute_set cs = tw_graph_add_compute_set(g, "scale");
        tw_vertex v = tw_graph_add_vertex(g, cs, "Scale<half>", 0);
        tw_graph_connect(g, v, "data", tw_tensor_slice(g, h, 0, 1, 8));
        tw_graph_set_field(g, v, "factor", 0.5);
        tw_vertex w = tw_graph_add_vertex(g, cs, "Scale<half>", 0); /* through a buffer */
        tw_graph_connect(
            g, w, "data",
            tw_tensor_concat(g, 2, (tw_tensor[]){ tw_tensor_slice(g, h, 0, 8, 9), tw_tensor_slice(g, h, 0, 0, 1) },
                             0));
        tw_graph_set_field(g, w, "factor", 4.0);
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
        uint16_t x[9];
        for (int i = 0; i < 9; i++) x[i] = 0x4000; /* 2 */
        test_ok(tw_engine_write(e, "h", x, sizeof x));
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "h", x, sizeof x));
        for (int i = 0; i < 9; i++) assert_int_equal(x[i], i == 0 || i == 8 ? 0x4800 : 0x3c00); /* 8, 1 */
        CLOSE();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_in_and_out), cmocka_unit_test(strided_in_out), cmocka_unit_test(partial_output),
        cmocka_unit_test(lists_of_vectors), cmocka_unit_test(lists_in_out),   cmocka_unit_test(lists_of_scalars),
        cmocka_unit_test(plain_state),      cmocka_unit_test(multi_vertices), cmocka_unit_test(alignment),
        cmocka_unit_test(half_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
