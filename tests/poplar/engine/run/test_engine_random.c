/* SPDX-License-Identifier: MIT */
/* Random numbers on the IPU Model (guide chapter 2, docs/decisions.md, G6): the same fixed seed on every tile, equal
 * results of every run, whatever the number of threads. */
#include "poplar/engine/engine_test.h"

#include <math.h>
#include <omp.h>

enum { TILES = 8, DRAWS = 4000 };

static const char codelets[] =
    "#include <poplar/Vertex.hpp>\n"
    "#include <ipu_builtins.h>\n"
    "using namespace poplar;\n"
    "class Draw : public Vertex {\n"
    "public:\n"
    "    Output<Vector<unsigned>> out;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i < out.size(); i++) out[i] = __builtin_ipu_urand32();\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "class Normal : public Vertex {\n"
    "public:\n"
    "    Output<Vector<float>> out;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i + 1 < out.size(); i += 2) {\n"
    "            float2 pair = __builtin_ipu_f32v2grand();\n"
    "            out[i] = pair[0]; out[i + 1] = pair[1];\n"
    "        }\n"
    "        return true;\n"
    "    }\n"
    "};\n";

static tw_engine *draw_engine(tw_device **device, const char *type, tw_type element, unsigned per_tile)
{
    tw_ipu_model model = { .size = sizeof model, .tiles_per_ipu = TILES };
    *device = tw_device_ipu_model_with(&model);
    tw_graph *g = tw_graph_new(tw_device_target(*device));
    tw_graph_add_codelets_source(g, codelets, "c++", "draw.cpp", NULL);
    tw_tensor out = tw_graph_add_variable(g, element, SHAPE(TILES, per_tile, DRAWS), "out");
    tw_graph_create_host_read(g, "out", out);
    tw_compute_set cs = tw_graph_add_compute_set(g, "draw");
    for (unsigned tile = 0; tile < TILES; tile++) {
        tw_graph_map(g, tw_tensor_index(g, out, tile), tile);
        for (unsigned k = 0; k < per_tile; k++) {
            tw_vertex v = tw_graph_add_vertex(g, cs, type, tile);
            tw_graph_connect(g, v, "out", tw_tensor_index(g, tw_tensor_index(g, out, tile), k));
        }
    }
    tw_engine *e = test_engine_new(g, *device, tw_program_execute(g, cs), NULL);
    tw_graph_free(g);
    return e;
}

static void equal_on_every_tile_and_in_every_run(void **state)
{
    (void)state;
    static uint32_t first[TILES][2][DRAWS], again[TILES][2][DRAWS];
    tw_device *device;
    tw_engine *e = draw_engine(&device, "Draw", TW_UNSIGNED_INT, 2);
    int threads = omp_get_max_threads();
    for (int run = 0; run < 4; run++) {
        omp_set_num_threads(1 + run % 3);
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "out", run ? again : first, sizeof first));
        if (run) assert_memory_equal(first, again, sizeof first);
    }
    omp_set_num_threads(threads);
    for (unsigned tile = 1; tile < TILES; tile++) assert_memory_equal(first[0], first[tile], sizeof first[0]);
    assert_true(memcmp(first[0][0], first[0][1], sizeof first[0][0]) !=
                0); /* vertices of a tile draw one after another */
    unsigned ones = 0;
    for (unsigned i = 0; i < DRAWS; i++) ones += (unsigned)__builtin_popcount(first[0][0][i]);
    assert_true(abs((int)ones - 16 * DRAWS) < 5 * 179); /* 5 standard deviations of 32 x 4,000 coins */
    tw_engine_free(e), tw_device_free(device);
}

static void normal_moments(void **state)
{
    (void)state;
    static float values[TILES][1][DRAWS];
    tw_device *device;
    tw_engine *e = draw_engine(&device, "Normal", TW_FLOAT, 1);
    test_ok(tw_engine_run(e, 0));
    test_ok(tw_engine_read(e, "out", values, sizeof values));
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < DRAWS; i++)
        sum += values[0][0][i], squares += (double)values[0][0][i] * values[0][0][i];
    double mean = sum / DRAWS, variance = squares / DRAWS - mean * mean;
    assert_true(fabs(mean) < 0.08);           /* 5 / sqrt(4,000) */
    assert_true(fabs(variance - 1.0) < 0.12); /* 12 x (32^2 - 1) / 12 / 32^2 = 0.999 */
    tw_engine_free(e), tw_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(equal_on_every_tile_and_in_every_run),
                                        cmocka_unit_test(normal_moments) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
