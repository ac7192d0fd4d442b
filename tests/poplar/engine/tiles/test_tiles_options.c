/* SPDX-License-Identifier: MIT */
/* Options of the simulator in graphs: traces, the environment, what is refused. */
#include "tiles_test.h"

static const char classes[] =
    "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
    "class Inc : public Vertex { public: InOut<int> x; static const bool isExternalCodelet = true; };\n"
    "class Small : public Vertex { public: InOut<float> x; static const bool isExternalCodelet = true; };\n";
static const char code[] =
    WORKER("Inc", STACK("Inc", "0"),
           "  ld32 $m0, $mvertex_base, $mzero, 0\n  ld32 $m1, $m0, $mzero, 0\n  add $m1, $m1, 1\n"
           "  st32 $m1, $m0, $mzero, 0\n  exitz $mzero")
    /* 2^-140, twice */
    WORKER("Small", STACK("Small", "0"),
           "  ld32 $m0, $mvertex_base, $mzero, 0\n  setzi $a0, 512\n  f32add $a0, $a0, $a0\n"
           "  st32 $a0, $m0, $mzero, 0\n  exitz $mzero");

static tw_device *device_with(const char *const *options)
{
    tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .tiles_per_ipu = 4 };
    return tw_device_ipu_sim_options(&model, options);
}

/* A vertex of the type on each of three tiles. Returns what the run says; x: their fields behind it. */
static tw_status run_on(tw_device *device, const char *type, int runs, int x[3])
{
    assert_non_null(device);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    add_file(g, "classes.cpp", classes);
    add_file(g, "code.S", code);
    tw_compute_set cs = tw_graph_add_compute_set(g, "set");
    tw_tensor t = tw_graph_add_variable(g, strcmp(type, "Inc") ? TW_FLOAT : TW_INT, SHAPE(3), "x");
    tw_graph_create_host_access(g, "x", t);
    for (unsigned i = 0; i < 3; i++) {
        tw_graph_map(g, tw_tensor_slice(g, t, 0, i, i + 1), i + 1);
        tw_graph_connect(g, tw_graph_add_vertex(g, cs, type, i + 1), "x", tw_tensor_index(g, t, i));
    }
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    test_ok(tw_engine_load(e, device));
    memset(x, 0, 12);
    test_ok(tw_engine_write(e, "x", x, 12));
    tw_status status = TW_OK;
    for (int i = 0; i < runs && status == TW_OK; i++) status = tw_engine_run(e, 0);
    if (status == TW_OK) test_ok(tw_engine_read(e, "x", x, 12));
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
    return status;
}

static unsigned count(const char *text, const char *word)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) n++;
    return n;
}

/* Tiles in order, whatever the threads did; every instruction of every run. */
static void traces(void **state)
{
    (void)state;
    if (tw_world_size() > 1) skip(); /* each rank would write the same file */
    g_autofree char *path = g_build_filename(test_folder, "trace", NULL);
    g_autofree char *option = g_strdup_printf("traceFile=%s", path);
    g_autofree char *text = NULL, *one = NULL;
    int x[3];
    test_ok(run_on(device_with((const char *const[]){ option, NULL }), "Inc", 2, x));
    assert_int_equal(x[2], 2);
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    const char *at = text;
    for (int run = 0; run < 2; run++)
        for (int tile = 1; tile < 4; tile++) {
            char place[20];
            snprintf(place, sizeof place, "on tile %d\n", tile);
            at = strstr(at, place);
            assert_non_null(at);
        }
    assert_int_equal(count(text, "of type 'Inc' in compute set 'set'"), 6);
    assert_int_equal(count(text, "add $m1, $m1, 1"), 6);
    assert_int_equal(count(text, "add $m1, $m1, 1  $m1=2"), 3);
    assert_int_equal(count(text, "]=2"), 3);
    assert_int_equal(count(text, "exitz"), 6);
    test_ok(run_on(device_with((const char *const[]){ option, "traceTile=2", NULL }), "Inc", 2, x));
    assert_true(g_file_get_contents(path, &one, NULL, NULL));
    assert_int_equal(count(one, "on tile 2\n"), 2);
    assert_int_equal(count(one, "on tile "), 2);
    assert_int_equal(run_on(device_with((const char *const[]){ "traceFile=/nowhere/t", NULL }), "Inc", 1, x),
                     TW_E_IO);
    ASSERT_MESSAGE("'/nowhere/t' cannot be written");
}

/* Guide 9.3: the environment wins over the program. */
static void environment(void **state)
{
    (void)state;
    int x[3];
    test_ok(run_on(device_with(NULL), "Small", 1, x));
    assert_int_equal(x[0], 0);
    test_ok(run_on(device_with((const char *const[]){ "denormals=true", NULL }), "Small", 1, x));
    assert_int_equal(x[0], 1024);
    setenv("POPLAR_SIMULATOR_OPTIONS", "{\"denormals\": \"false\"}", 1);
    test_ok(run_on(device_with((const char *const[]){ "denormals=true", NULL }), "Small", 1, x));
    assert_int_equal(x[0], 0);
    setenv("POPLAR_SIMULATOR_OPTIONS", "{\"denormals\": true}", 1);
    test_ok(run_on(tile_device(true, TW_MK2), "Small", 1, x));
    assert_int_equal(x[1], 1024);
    test_ok(run_on(tile_device(false, TW_MK2), "Small", 1, x)); /* code in assembly only, on the model */
    assert_int_equal(x[2], 1024);
    unsetenv("POPLAR_SIMULATOR_OPTIONS");
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *option, *message;
    } wrong[] = {
        { "denormal=true", "traceFile, traceTile, denormals, seed, breakOnException, translate, ignoreClashes" },
        { "denormals=maybe", "denormals" },
        { "denormals", "not of the form key=value" },
        { "traceTile=-2", "-2 is no tile" },
        { "seed=x", "expected an integer" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        assert_null(device_with((const char *const[]){ wrong[i].option, NULL }));
        ASSERT_MESSAGE(wrong[i].message);
    }
    g_autofree char *longer = g_strnfill(1100, 'x'), *path = g_strdup_printf("traceFile=%s", longer);
    assert_null(device_with((const char *const[]){ path, NULL }));
    ASSERT_MESSAGE("more than 1023 bytes");
    setenv("POPLAR_SIMULATOR_OPTIONS", "{\"frob\": 1}", 1);
    assert_null(device_with(NULL));
    ASSERT_MESSAGE("POPLAR_SIMULATOR_OPTIONS: unknown option 'frob'");
    unsetenv("POPLAR_SIMULATOR_OPTIONS");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(traces), cmocka_unit_test(environment),
                                        cmocka_unit_test(refused) };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
