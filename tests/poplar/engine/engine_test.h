/* SPDX-License-Identifier: MIT */
/* What the tests of the engine share: devices, a set of small codelets, short ways to build a graph. */
#ifndef TESTS_ENGINE_HELPER_H
#define TESTS_ENGINE_HELPER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tilewright/poplar/engine.h>

#define SHAPE(...)                                                   \
    (sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t)), (size_t[]) \
    {                                                                \
        __VA_ARGS__                                                  \
    }

static const char test_codelets[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "struct Plus : Vertex {\n"
    "    Input<float> x, y;\n"
    "    Output<float> sum;\n"
    "    bool compute() { *sum = *x + *y; return true; }\n"
    "};\n"
    "class AddTo : public Vertex {\n"
    "public:\n"
    "    InOut<int> x;\n"
    "    int amount;\n"
    "    bool compute() { *x = *x + amount; return true; }\n"
    "};\n"
    "class Less : public Vertex {\n"
    "public:\n"
    "    Input<int> x;\n"
    "    Output<bool> result;\n"
    "    int limit;\n"
    "    bool compute() { *result = *x < limit; return true; }\n"
    "};\n"
    "class IsPositive : public Vertex {\n"
    "public:\n"
    "    Input<int> x;\n"
    "    bool compute() { return *x > 0; }\n"
    "};\n"
    "template <typename T> class Scale : public Vertex {\n"
    "public:\n"
    "    InOut<Vector<T>> data;\n"
    "    float factor;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i < data.size(); i++) data[i] = T(float(data[i]) * factor);\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "template class Scale<float>;\n"
    "template class Scale<half>;\n"
    "class AddVectors : public Vertex {\n"
    "public:\n"
    "    Input<Vector<float>> a;\n"
    "    Input<Vector<float>> b;\n"
    "    Output<Vector<float>> c;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i < c.size(); i++) c[i] = a[i] + b[i];\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "class RowSums : public Vertex {\n"
    "public:\n"
    "    Vector<Input<Vector<float>>> rows;\n"
    "    Output<Vector<float>> sums;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i < rows.size(); i++) {\n"
    "            float sum = 0;\n"
    "            for (unsigned j = 0; j < rows[i].size(); j++) sum += rows[i][j];\n"
    "            sums[i] = sum;\n"
    "        }\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "class NegateRows : public Vertex {\n"
    "public:\n"
    "    Vector<InOut<Vector<float>>> rows;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i < rows.size(); i++)\n"
    "            for (unsigned j = 0; j < rows[i].size(); j++) rows[i][j] = -rows[i][j];\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "class PickEdges : public Vertex {\n"
    "public:\n"
    "    Vector<Input<float>> in;\n"
    "    Output<Vector<float>> out;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i < in.size(); i++) out[i] = in[i];\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "class FirstHalf : public Vertex {\n" /* leaves the rest of its output alone */
    "public:\n"
    "    Output<Vector<float>> out;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i < out.size() / 2; i++) out[i] = 1;\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "class Aligned : public Vertex {\n"
    "public:\n"
    "    Input<Vector<float, VectorLayout::SPAN, 16>> in;\n"
    "    Output<unsigned> offset;\n"
    "    Output<float> first;\n"
    "    bool compute() {\n"
    "        *offset = (unsigned)((unsigned long)(&in[0]) % 16);\n"
    "        *first = in[0];\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "class WorkerIds : public MultiVertex {\n"
    "public:\n"
    "    Output<Vector<unsigned>> ids;\n"
    "    bool compute(unsigned worker) {\n"
    "        for (unsigned i = worker; i < ids.size(); i += MultiVertex::numWorkers())\n"
    "            ids[i] = 100 * MultiVertex::numWorkers() + worker;\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "class UsesTable : public Vertex {\n"
    "public:\n"
    "    Vector<int> table;\n"
    "    short pair[2];\n"
    "    Output<int> sum;\n"
    "    bool compute() {\n"
    "        int s = pair[0] * 1000 + pair[1] * 100;\n"
    "        for (unsigned i = 0; i < table.size(); i++) s += table[i];\n"
    "        *sum = s;\n"
    "        return true;\n"
    "    }\n"
    "};\n";

typedef enum test_device { CPU, CPU_ACCURATE, MODEL, SIM, TEST_DEVICES } test_device;

/* On the simulator the codelets run natively in the memories of tiles. */
#define TEST_NATIVE "{\"simulator.runNativeVertices\":\"true\"}"

static inline tw_device *test_device_new(test_device kind)
{
    tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .num_ipus = 2, .tiles_per_ipu = 8 };
    tw_device *device = kind == CPU            ? tw_device_cpu()
                        : kind == CPU_ACCURATE ? tw_device_cpu_accurate_half()
                        : kind == SIM          ? tw_device_ipu_sim_with(&model)
                                               : tw_device_ipu_model_with(&model);
    const char *set = getenv("POPLAR_ENGINE_OPTIONS");
    if (kind == SIM && !set) setenv("POPLAR_ENGINE_OPTIONS", TEST_NATIVE, 1);
    if (kind != SIM && set && strcmp(set, TEST_NATIVE) == 0) unsetenv("POPLAR_ENGINE_OPTIONS");
    assert_non_null(device);
    return device;
}

/* A graph with the codelets above. */
static inline tw_graph *test_graph_new(const tw_device *device)
{
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_graph_add_codelets_source(g, test_codelets, "c++", "test.cpp", "-O1");
    if (tw_graph_status(g) != TW_OK) fail_msg("%s", tw_graph_error(g)->message);
    return g;
}

static inline unsigned test_tiles(const tw_graph *g)
{
    return tw_target_tiles(tw_graph_target(g));
}

/* A variable with host access under its name, spread over the tiles. */
static inline tw_tensor test_variable(tw_graph *g, tw_type type, unsigned rank, const size_t *shape,
                                      const char *name)
{
    tw_tensor t = tw_graph_add_variable(g, type, rank, shape, name);
    tw_graph_map_linearly_with(g, t, 1, 1, 0);
    tw_graph_create_host_access(g, name, t);
    return t;
}

static inline void test_ok(tw_status status)
{
    if (status != TW_OK) fail_msg("%s: %s", tw_status_name(status), tw_error_message());
}

/* An engine that is loaded. */
static inline tw_engine *test_engine_new(tw_graph *g, tw_device *device, tw_program program,
                                         const char *const *options)
{
    tw_engine *e = tw_engine_new(g, program, options);
    test_ok(tw_engine_load(e, device));
    return e;
}

static inline int test_read_int(tw_engine *e, const char *handle)
{
    int value = -12345;
    test_ok(tw_engine_read(e, handle, &value, sizeof value));
    return value;
}

#define ASSERT_MESSAGE(text)                                                                              \
    do {                                                                                                  \
        if (!strstr(tw_error_message(), text)) fail_msg("'%s' is not in '%s'", text, tw_error_message()); \
    } while (0)

#endif
