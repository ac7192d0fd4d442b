/* SPDX-License-Identifier: MIT */
/* Memory of the IPU Model by category, out of memory (docs/decisions.md, G4), liveness. docs/model.md, Poplar API,
 * vertex state. */
#include "poplar/engine/engine_test.h"

#include <fcntl.h>
#include <unistd.h>

static tw_device *model(tw_chip chip, unsigned tiles)
{
    tw_ipu_model m = { .size = sizeof m, .chip = chip, .tiles_per_ipu = tiles };
    return tw_device_ipu_model_with(&m);
}

static uint64_t memory(tw_engine *e, const char *category)
{
    tw_fidelity fidelity;
    return tw_profile_memory(tw_engine_profile(e), category, &fidelity);
}

/* Half takes 2 bytes on every model, bool 1; constants are counted apart. */
static void variables_and_constants(void **state)
{
    (void)state;
    tw_device *device = model(TW_MK2, 4);
    tw_graph *g = test_graph_new(device);
    static const struct {
        tw_type type;
        size_t count;
    } rows[] = { { TW_HALF, 100 }, { TW_BOOL, 7 }, { TW_FLOAT, 33 }, { TW_LONGLONG, 3 } };
    uint64_t bytes = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_tensor t = tw_graph_add_variable(g, rows[i].type, SHAPE(rows[i].count), NULL);
        tw_graph_map(g, t, (unsigned)i);
        bytes += rows[i].count * (rows[i].type == TW_HALF    ? 2
                                  : rows[i].type == TW_BOOL  ? 1
                                  : rows[i].type == TW_FLOAT ? 4
                                                             : 8);
    }
    tw_tensor c = tw_graph_add_constant_double(g, TW_FLOAT, SHAPE(5), 1, "c");
    tw_graph_map(g, c, 0);
    tw_engine *e = test_engine_new(g, device, tw_program_sequence(g, NULL), NULL);
    assert_int_equal(memory(e, "variable"), bytes);
    assert_int_equal(memory(e, "constant"), 20);
    tw_fidelity fidelity;
    assert_int_equal(tw_profile_memory(tw_engine_profile(e), "variable", &fidelity), bytes);
    assert_int_equal(fidelity, TW_FIDELITY_EXACT);
    tw_profile_memory(tw_engine_profile(e), "vertexCode", &fidelity);
    assert_int_equal(fidelity, TW_FIDELITY_ABSENT); /* no code generator */
    assert_int_equal(memory(e, "stack"), 4 * 6 * (480 + 48));
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* Vertex state as laid out on the chip (Poplar API, vertex state): pointers of 4 bytes, SPAN 8, a nested SPAN 8 + 8
 * for each row. */
static void vertex_state(void **state)
{
    (void)state;
    tw_device *device = model(TW_MK2, 1);
    tw_graph *g = test_graph_new(device);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(32), "x"),
              n = tw_graph_add_variable(g, TW_INT, SHAPE(1), "n");
    tw_graph_map(g, x, 0), tw_graph_map(g, n, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_vertex adder = tw_graph_add_vertex(g, cs, "Plus", 0); /* 3 pointers */
    tw_graph_connect(g, adder, "x", tw_tensor_index(g, x, 0)),
        tw_graph_connect(g, adder, "y", tw_tensor_index(g, x, 1));
    tw_graph_connect(g, adder, "sum", tw_tensor_index(g, x, 2));
    tw_vertex rows = tw_graph_add_vertex(g, cs, "RowSums", 0); /* SPAN of SPANs, SPAN */
    tw_graph_connect(g, rows, "rows", tw_tensor_reshape(g, tw_tensor_slice(g, x, 0, 4, 16), SHAPE(3, 4)));
    tw_graph_connect(g, rows, "sums", tw_tensor_slice(g, x, 0, 16, 19));
    tw_vertex table = tw_graph_add_vertex(g, cs, "UsesTable", 0); /* SPAN, 2 shorts, pointer */
    tw_graph_set_field_values(g, table, "table", TW_INT, 5, (int32_t[]){ 1, 2, 3, 4, 5 });
    tw_graph_set_field_values(g, table, "pair", TW_SHORT, 2, (int16_t[]){ 1, 2 });
    tw_graph_connect(g, table, "sum", n);
    tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
    assert_int_equal(memory(e, "vertexInstanceState"), 12 + 16 + 16);
    assert_int_equal(memory(e, "vertexFieldData"), 3 * 8 + 5 * 4);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* Guide 7.3: the workers' stacks are as large as the vertices of the tile state; where one does not, the estimate
 * stands. */
static void stacks(void **state)
{
    (void)state;
    static const char text[] =
        "#include <poplar/Vertex.hpp>\n#include <poplar/StackSizeDefs.hpp>\nusing namespace poplar;\n"
        "DEF_STACK_USAGE(100, \"__runCodelet_Known\")\nDEF_STACK_USAGE(0, \"__runCodelet_None\")\n"
        "DEF_STACK_USAGE(600, \"__runCodelet_Deep\")\n"
        "class Known : public Vertex { public: InOut<int> x; bool compute() { *x = 1; return true; } };\n"
        "class None : public Vertex { public: InOut<int> x; bool compute() { *x = 1; return true; } };\n"
        "class Deep : public Vertex { public: InOut<int> x; bool compute() { *x = 1; return true; } };\n"
        "class Unknown : public Vertex { public: InOut<int> x; bool compute() { *x = 1; return true; } };\n";
    static const struct {
        const char *types[3], *option;
        uint64_t bytes;
        tw_fidelity fidelity;
    } rows[] = {
        { { "None" }, NULL, 6 * 48, TW_FIDELITY_EXACT },
        { { "Known" }, NULL, 6 * (104 + 48), TW_FIDELITY_EXACT },
        { { "None", "Known", "Deep" }, NULL, 6 * (600 + 48), TW_FIDELITY_EXACT },
        { { "Unknown" }, NULL, 6 * (480 + 48), TW_FIDELITY_ESTIMATED },
        { { "Known", "Unknown" }, NULL, 6 * (480 + 48), TW_FIDELITY_ESTIMATED },
        { { "Deep", "Unknown" }, NULL, 6 * (600 + 48), TW_FIDELITY_ESTIMATED },
        { { NULL }, NULL, 6 * (480 + 48), TW_FIDELITY_ESTIMATED },
        { { "Deep", "Unknown" }, "target.workerStackSizeInBytes=0x200", 6 * (512 + 48), TW_FIDELITY_EXACT },
        { { "None" }, "target.supervisorStackSizeInBytes=90", 6 * 48 + 96, TW_FIDELITY_EXACT },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_device *device = model(TW_MK2, 1);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_graph_add_codelets_source(g, text, "c++", "stacks.cpp", "-O1");
        tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
        for (int k = 0; k < 3 && rows[i].types[k]; k++) {
            tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(1), NULL);
            tw_graph_map(g, x, 0);
            tw_graph_connect(g, tw_graph_add_vertex(g, cs, rows[i].types[k], 0), "x", x);
        }
        const char *options[] = { rows[i].option, NULL };
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), options);
        tw_fidelity fidelity;
        uint64_t bytes = tw_profile_memory(tw_engine_profile(e), "stack", &fidelity);
        if (bytes != rows[i].bytes || fidelity != rows[i].fidelity)
            fail_msg("row %zu: %llu bytes, %s", i, (unsigned long long)bytes, tw_fidelity_name(fidelity));
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

static tw_graph *too_large(tw_device *device, uint64_t bytes)
{
    tw_graph *g = test_graph_new(device);
    tw_tensor x = tw_graph_add_variable(g, TW_CHAR, SHAPE((size_t)bytes), "big");
    tw_graph_map(g, x, 1);
    return g;
}

/* Mk1: 262,144 bytes, 3,168 of them stack. Both sides of the limit, both settings of debug.allowOutOfMemory. */
static void out_of_memory(void **state)
{
    (void)state;
    const char *strict[] = { "debug.allowOutOfMemory=false", NULL };
    tw_device *device = model(TW_MK1, 4);
    uint64_t other = 6 * 528;
    for (int over = 0; over < 2; over++) {
        tw_graph *g = too_large(device, 262144 - 16 - other + (uint64_t)over);
        tw_engine *e =
            tw_engine_new(g, tw_program_sequence(g, NULL), strict); /* one control instruction: 16 bytes */
        tw_status status = tw_engine_load(e, device);
        assert_int_equal(status, over ? TW_E_TILE_MEMORY : TW_OK);
        if (over) {
            ASSERT_MESSAGE("tile 1 is out of memory");
            ASSERT_MESSAGE("262,145 bytes of 262,144, 1 too many");
            ASSERT_MESSAGE("Variables 258,961 B");
        }
        tw_engine_free(e), tw_graph_free(g);
    }
    tw_graph *g = too_large(device, 300000);
    tw_engine *e = test_engine_new(g, device, tw_program_sequence(g, NULL), NULL); /* not fatal by default */
    test_ok(tw_engine_run(e, 0));
    uint64_t by_tile[4];
    assert_true(tw_profile_memory_by_tile(tw_engine_profile(e), by_tile));
    assert_int_equal(by_tile[1], 300000 + other + 16);
    assert_int_equal(by_tile[0], other + 16);
    char *json = tw_profile_graph_json(tw_engine_profile(e), false), *text = NULL;
    assert_non_null(strstr(json, "\"overflowed\""));
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    test_ok(tw_profile_print_graph_summary(tw_engine_profile(e), out, NULL));
    fclose(out);
    assert_non_null(strstr(text, "1 tile(s) out of memory"));
    assert_non_null(strstr(text, "41,040 B")); /* 300,000 + 3,168 + 16 - 262,144 overflowed */
    free(text), free(json);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

static void instrumentation_takes_memory(void **state)
{
    (void)state;
    static const struct {
        const char *level;
        uint64_t bytes;
        const char *mode;
    } rows[] = {
        { "debug.computeInstrumentationLevel=tile", 8 * 4, "COMPUTE_SETS" },
        { "debug.computeInstrumentationLevel=vertex", 8 * 3, "VERTICES" },
        { "debug.computeInstrumentationLevel=ipu", 8, "SINGLE_TILE_COMPUTE_SETS" },
        { "debug.instrument=true", 8 * 4, "COMPUTE_SETS" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_device *device = model(TW_MK2, 4);
        tw_graph *g = test_graph_new(device);
        tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(3), "x");
        tw_graph_map(g, x, 0);
        tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
        for (size_t k = 0; k < 3; k++) {
            tw_vertex v = tw_graph_add_vertex(g, cs, "IsPositive", 0);
            tw_graph_connect(g, v, "x", tw_tensor_index(g, x, k));
            tw_graph_set_perf_estimate(g, v, 100 + k, 0);
        }
        const char *options[] = { "debug.instrumentCompute=true", rows[i].level, NULL };
        tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), options);
        test_ok(tw_engine_run(e, 0));
        assert_int_equal(memory(e, "instrumentationResults"), rows[i].bytes);
        char *json = tw_profile_execution_json(tw_engine_profile(e), false);
        assert_non_null(strstr(json, rows[i].mode));
        if (i == 1) assert_non_null(strstr(json, "100,101,102")); /* cycles of each vertex, last execution */
        free(json);
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

/* a -> b -> c by copies: b lives between its write and its read; handles are always live. */
static void liveness(void **state)
{
    (void)state;
    tw_device *device = model(TW_MK2, 2);
    tw_graph *g = test_graph_new(device);
    tw_tensor t[4];
    const char *names[] = { "first", "middle", "last", "handle" };
    for (int i = 0; i < 4; i++) {
        t[i] = tw_graph_add_variable(g, TW_FLOAT, SHAPE(10 * ((size_t)i + 1)), names[i]);
        tw_graph_map(g, t[i], 0);
    }
    tw_graph_create_host_access(g, "handle", t[3]);
    tw_program steps[4] = {
        tw_program_copy(g, tw_tensor_slice(g, t[3], 0, 0, 10), t[0]),
        tw_program_copy(g, tw_tensor_concat(g, 2, (tw_tensor[]){ t[0], t[0] }, 0), t[1]),
        tw_program_copy(g, tw_tensor_concat(g, 2, (tw_tensor[]){ t[1], tw_tensor_slice(g, t[1], 0, 0, 10) }, 0),
                        t[2]),
        tw_program_copy(g, t[2], tw_tensor_slice(g, t[3], 0, 0, 30))
    };
    for (int i = 0; i < 4; i++) tw_program_name(g, steps[i], (const char *[]){ "s0", "s1", "s2", "s3" }[i]);
    tw_engine *e = test_engine_new(g, device, tw_program_sequence_of(g, 4, steps), NULL);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tw_profile_options options = { .size = sizeof options, .show_var_storage = true, .colours = TW_COLOURS_OFF };
    test_ok(tw_profile_print_graph_summary(tw_engine_profile(e), out, &options));
    fclose(out);
    static const struct {
        const char *step, *live;
        uint64_t bytes;
    } rows[] = {
        { "s0", "first", 40 },
        { "s1", "middle", 40 + 80 },
        { "s2", "last", 80 + 120 },
        { "s3", "last", 120 },
    };
    for (size_t i = 0; i < 4; i++) {
        char head[64], total[64];
        snprintf(head, sizeof head, "OnTileExecute: %s/OnTileCopy", rows[i].step);
        snprintf(total, sizeof total, "Live Bytes (excluding always-live): %llu",
                 (unsigned long long)rows[i].bytes);
        const char *at = strstr(text, head);
        if (!at) fail_msg("no '%s' in\n%s", head, text);
        const char *line = strstr(at, "Live Bytes");
        assert_non_null(line);
        char *squeezed = strdup(line), *to = squeezed;
        for (const char *c = line; *c; c++) /* blanks collapsed */
            if (*c != ' ' || (to > squeezed && to[-1] != ' ')) *to++ = *c;
        *to = 0;
        if (strncmp(squeezed, total, strlen(total))) fail_msg("%s: '%.60s'", rows[i].step, squeezed);
        free(squeezed);
        assert_non_null(strstr(line, rows[i].live));
    }
    const char *always = strstr(text, "Always-live variables");
    assert_non_null(always);
    assert_non_null(strstr(always, "handle"));
    free(text);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* autoReport.all writes both files (guide 9.2, docs/decisions.md, G9); they read back. */
static void automatic_reports(void **state)
{
    (void)state;
    if (tw_world_size() > 1) skip(); /* rank 0 alone writes them */
    char folder[] = "/tmp/tilewright-report-XXXXXX", option[128], graph[128], execution[128];
    assert_non_null(mkdtemp(folder));
    snprintf(option, sizeof option, "autoReport.directory=%s/deep", folder);
    snprintf(graph, sizeof graph, "%s/deep/graph_profile.json", folder);
    snprintf(execution, sizeof execution, "%s/deep/execution_profile.json", folder);
    const char *options[] = { "autoReport.all=true", option, NULL };
    tw_device *device = model(TW_MK2, 4);
    tw_graph *g = test_graph_new(device);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(64), "x"),
              y = tw_graph_add_variable(g, TW_FLOAT, SHAPE(64), "y");
    tw_graph_map(g, x, 0), tw_graph_map(g, y, 3);
    tw_engine *e = test_engine_new(g, device, tw_program_copy(g, x, y), options);
    assert_int_equal(access(graph, R_OK), 0);
    for (int i = 0; i < 3; i++) test_ok(tw_engine_run(e, 0));
    tw_profile *p = NULL;
    test_ok(tw_status_of(p = tw_profile_load_files(graph, execution)));
    tw_profile_totals t;
    test_ok(tw_profile_get_totals(p, &t));
    assert_int_equal(t.runs, 2); /* autoReport.executionProfileProgramRunCount */
    assert_int_equal(t.steps, 2 * 2);
    tw_profile_free(p);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    unlink(graph), unlink(execution);
    snprintf(option, sizeof option, "%s/deep", folder);
    rmdir(option), rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_and_constants),
        cmocka_unit_test(vertex_state),
        cmocka_unit_test(stacks),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(instrumentation_takes_memory),
        cmocka_unit_test(liveness),
        cmocka_unit_test(automatic_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
