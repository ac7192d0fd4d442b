/* SPDX-License-Identifier: MIT */
/* What an engine refuses, and how it says so. */

#include "poplar/engine/engine_test.h"

static void graph_errors_arrive_at_load(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(4), "x");
    tw_tensor_slice(g, x, 0, 2, 9);
    tw_engine *e = tw_engine_new(g, tw_program_sequence(g, NULL), NULL);
    assert_null(e);
    assert_int_equal(tw_engine_status(e), TW_E_INDEX);
    assert_int_equal(tw_engine_load(e, device), TW_E_INDEX);
    assert_string_equal(tw_engine_error(e)->function, "tw_tensor_slice");
    assert_non_null(strstr(tw_engine_error(e)->file, "test_engine_errors.c"));
    assert_int_equal(tw_engine_run(e, 0), TW_E_INDEX);
    float v;
    assert_int_equal(tw_engine_write(e, "x", &v, 4), TW_E_INDEX);
    assert_int_equal(tw_engine_connect_stream(e, "x", &v, 4), TW_E_INDEX);
    assert_null(tw_engine_profile(e));
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(tw_engine_report_error(out, e), TW_E_INDEX);
    fclose(out);
    assert_non_null(strstr(text, "error: "));
    free(text);
    tw_engine_free(e);
    tw_engine_free(NULL);
    tw_graph_free(g);
    tw_device_free(device);
}

static void unmapped(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL), *cpu = test_device_new(CPU);
    for (int on_cpu = 0; on_cpu < 2; on_cpu++) {
        tw_graph *g = tw_graph_new(tw_device_target(on_cpu ? cpu : device));
        tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, SHAPE(4), "lonely");
        tw_tensor b = tw_graph_add_variable(g, TW_FLOAT, SHAPE(4), "b");
        tw_graph_map(g, b, 0);
        tw_engine *e = tw_engine_new(g, tw_program_copy(g, a, b), NULL);
        tw_status s = tw_engine_load(e, on_cpu ? cpu : device);
        assert_int_equal(s, on_cpu ? TW_OK : TW_E_TILE_MAPPING); /* docs/decisions.md, G5 */
        if (!on_cpu) ASSERT_MESSAGE("lonely");
        tw_engine_free(e);
        tw_graph_free(g);
    }
    tw_device_free(device);
    tw_device_free(cpu);
}

static void not_loaded(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL), *other = test_device_new(CPU);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_tensor x = test_variable(g, TW_FLOAT, SHAPE(4), "x");
    tw_engine *e = tw_engine_new(g, tw_program_write_undef(g, x), NULL);
    float v[4] = { 0 };
    assert_int_equal(tw_engine_run(e, 0), TW_E_NOT_LOADED);
    assert_int_equal(tw_engine_write(e, "x", v, sizeof v), TW_E_NOT_LOADED);
    assert_int_equal(tw_engine_read(e, "x", v, sizeof v), TW_E_NOT_LOADED);
    assert_int_equal(tw_engine_deploy(e), TW_E_NOT_LOADED);
    assert_int_equal(tw_engine_load(e, NULL), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_engine_load(e, other), TW_E_ERROR);
    ASSERT_MESSAGE("target");
    assert_int_equal(tw_engine_run(e, 0), TW_E_NOT_LOADED);
    test_ok(tw_engine_prepare(e, device));
    assert_int_equal(tw_engine_run(e, 0), TW_E_NOT_LOADED);
    test_ok(tw_engine_deploy(e));
    test_ok(tw_engine_run(e, 0));
    assert_int_equal(tw_engine_run(e, 1), TW_E_INDEX);
    test_ok(tw_engine_status(e)); /* failing actions leave the engine usable */
    tw_engine_free(e);
    assert_int_equal(tw_engine_run(NULL, 0), TW_E_INVALID_ARGUMENT);
    tw_graph_free(g);
    tw_device_free(device);
    tw_device_free(other);
}

/* Whoever looks once, at the end, learns of the first name that was wrong; calls after it work. */
static void first_wrong_name(void **state)
{
    (void)state;
    static const char *const functions[] = { "tw_engine_connect_stream",
                                             "tw_engine_connect_stream_to_callback",
                                             "tw_engine_connect_host_function",
                                             "tw_engine_write",
                                             "tw_engine_read",
                                             "tw_engine_copy_to_remote_buffer",
                                             "tw_engine_copy_from_remote_buffer" };
    tw_device *device = test_device_new(MODEL);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_tensor x = test_variable(g, TW_FLOAT, SHAPE(4), "x");
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_FLOAT, 4, 1, NULL);
    tw_engine *e = tw_engine_new(g, tw_program_copy_from_stream(g, in, x), NULL);
    float v[4] = { 1, 2, 3, 4 };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        test_ok(tw_engine_load(e, device));
        test_ok(tw_engine_status(e));
        tw_status s[] = { tw_engine_connect_stream(e, i == 0 ? "inn" : "in", v, 0),
                          i == 1 ? tw_engine_connect_stream_to_callback(e, "inn", NULL) : TW_OK,
                          i == 2 ? tw_engine_connect_host_function(e, "inn", 0, NULL) : TW_OK,
                          tw_engine_write(e, i == 3 ? "inn" : "x", v, sizeof v),
                          tw_engine_read(e, i == 4 ? "inn" : "x", v, sizeof v),
                          i == 5 ? tw_engine_copy_to_remote_buffer(e, "inn", 0, v, 4) : TW_OK,
                          i == 6 ? tw_engine_copy_from_remote_buffer(e, "inn", 0, v, 4) : TW_OK };
        for (size_t k = 0; k < sizeof s / sizeof *s; k++) assert_int_equal(s[k] != TW_OK, k == i);
        tw_engine_connect_stream(e, "another", v, 0); /* the first one is kept */
        test_ok(tw_engine_connect_stream(e, "in", v, 0));
        test_ok(tw_engine_run(e, 0));
        assert_int_equal(tw_engine_status(e), s[i]);
        assert_string_equal(tw_engine_error(e)->function, functions[i]);
        if (i != 1 && i != 2) assert_non_null(strstr(tw_engine_error(e)->message, "'inn'"));
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_int_equal(tw_engine_report_error(out, e), s[i]);
        fclose(out);
        assert_non_null(strstr(text, functions[i]));
        free(text);
        assert_int_equal(tw_engine_take_error(e, NULL), s[i]);
        test_ok(tw_engine_take_error(e, NULL));
    }
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

static void programs_of_nothing(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_engine *e = tw_engine_new(NULL, (tw_program){ 1 }, NULL);
    assert_null(e);
    assert_int_equal(tw_engine_status(e), TW_E_INVALID_ARGUMENT);
    int line = __LINE__ + 1;
    e = tw_engine_new(g, (tw_program){ 0 }, NULL);
    assert_null(e);
    assert_int_equal(tw_engine_status(e), TW_E_CONTROL_PROGRAM);
    assert_string_equal(tw_engine_error(e)->function, "tw_engine_new");
    assert_int_equal(tw_engine_error(e)->line, line);
    tw_engine_free(e);
    e = tw_engine_new(g, (tw_program){ 99 }, NULL);
    assert_int_equal(tw_engine_status(e), TW_E_CONTROL_PROGRAM);
    tw_engine_free(e);
    e = tw_engine_new_programs(g, 0, NULL, NULL);
    assert_int_equal(tw_engine_status(e), TW_E_CONTROL_PROGRAM);
    tw_engine_free(e);
    /* What comes after says the same, as long as nothing else fails. */
    assert_int_equal(tw_engine_load(e, device), TW_E_CONTROL_PROGRAM);
    assert_int_equal(tw_engine_run(e, 0), TW_E_CONTROL_PROGRAM);
    assert_int_equal(tw_graph_status(tw_graph_new(NULL)), TW_E_CONTROL_PROGRAM);
    assert_null(tw_target_new_virtual(tw_device_target(device), 9, 9));
    assert_int_equal(tw_engine_status(e), TW_E_MACHINE_MODEL);
    tw_graph_free(g);
    tw_device_free(device);
}

/* --- options -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *option;
    tw_status status;
    const char *message;
} options[] = {
    { "exchange.enablePrefetch=true", TW_OK, NULL },
    { "exchange.streamBufferOverlap=HostRearrangeOnly", TW_OK, NULL },
    { "exchange.streamBufferOverlap=NONE", TW_OK, NULL },
    { "target.workerStackSizeInBytes=0x200", TW_OK, NULL },
    { "opt.enableSwSyncs=true", TW_OK, NULL },
    { "target.hostSyncTimeout=12.5", TW_OK, NULL },
    { "streamCallbacks.multiThreadMode=collaborative", TW_OK, NULL },
    { "exchange.enablePrefech=true", TW_E_INVALID_OPTION, "exchange.enablePrefetch" },
    { "exchange.enablePrefetch=maybe", TW_E_INVALID_OPTION, "exchange.enablePrefetch" },
    { "exchange.streamBufferOverlap=some", TW_E_INVALID_OPTION, "hostRearrangeOnly" },
    { "debug.computeInstrumentationLevel=thread", TW_E_INVALID_OPTION, "vertex" },
    { "streamCallbacks.maxLookahead=some", TW_E_INVALID_OPTION, "unlimited" },
    { "nothing.like.it=1", TW_E_INVALID_OPTION, "nothing.like.it" },
    { "debug.instrument", TW_E_INVALID_OPTION, "key=value" },
};

static void option_values(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        tw_graph *g = tw_graph_new(tw_device_target(device));
        const char *list[] = { options[i].option, NULL };
        tw_engine *e = tw_engine_new(g, tw_program_sequence(g, NULL), list);
        tw_status s = tw_engine_load(e, device);
        if (s != options[i].status) fail_msg("%s: %s", options[i].option, tw_error_message());
        if (options[i].message) ASSERT_MESSAGE(options[i].message);
        tw_engine_free(e);
        tw_graph_free(g);
    }
    tw_device_free(device);
}

static void environment_wins(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    const char *list[] = { "exchange.streamBufferOverlap=none", "debug.instrument=true", NULL };
    setenv("POPLAR_ENGINE_OPTIONS",
           "{\"exchange.streamBufferOverlap\": \"any\", \"exchange.enablePrefetch\": \"true\"}", 1);
    tw_engine *e = tw_engine_new(g, tw_program_sequence(g, NULL), list);
    test_ok(tw_engine_status(e));
    assert_string_equal(tw_engine_option(e, "exchange.streamBufferOverlap"), "any");
    assert_string_equal(tw_engine_option(e, "exchange.enablePrefetch"), "true");
    assert_string_equal(tw_engine_option(e, "debug.instrument"), "true");
    assert_string_equal(tw_engine_option(e, "debug.instrumentCompute"), "false");
    assert_null(tw_engine_option(e, "no.such.option"));
    tw_engine_free(e);
    setenv("POPLAR_ENGINE_OPTIONS", "{\"no.such.option\": \"1\"}", 1);
    e = tw_engine_new(g, tw_program_sequence(g, NULL), list);
    assert_int_equal(tw_engine_status(e), TW_E_INVALID_OPTION);
    tw_engine_free(e);
    unsetenv("POPLAR_ENGINE_OPTIONS");
    tw_graph_free(g);
    tw_device_free(device);
}

/* The table has every key of Poplar API, engine options and runtime options: a sample, and the shape of both
 * listings. */
static void option_table(void **state)
{
    (void)state;
    static const char *const keys[] = { "autoReport.all",
                                        "autoReport.executionProfileProgramRunCount",
                                        "debug.computeInstrumentationLevel",
                                        "debug.allowOutOfMemory",
                                        "exchange.multicastPolicy",
                                        "opt.maxCompilationThreads",
                                        "prng.seed",
                                        "target.syncReplicasIndependently",
                                        "streamCallbacks.maxLookahead",
                                        "target.syncMethod",
                                        "streamCallbacks.numWorkerThreads" };
    for (int json = 0; json < 2; json++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        tw_engine_print_options(out, json);
        fclose(out);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) assert_non_null(strstr(text, keys[i]));
        assert_non_null(strstr(text, json ? "\"implemented\": true" : " implemented "));
        free(text);
    }
}

static void no_profile_on_cpu(void **state)
{
    (void)state;
    tw_device *device = test_device_new(CPU);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_engine *e = test_engine_new(g, device, tw_program_sequence(g, NULL), NULL);
    test_ok(tw_engine_run(e, 0));
    assert_null(tw_engine_profile(e));
    ASSERT_MESSAGE("not available on the CPU");
    tw_engine_reset_execution_profile(e);
    tw_engine_enable_execution_profiling(e, true);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

int main(void)
{
    unsetenv("POPLAR_ENGINE_OPTIONS");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_errors_arrive_at_load),
        cmocka_unit_test(unmapped),
        cmocka_unit_test(not_loaded),
        cmocka_unit_test(first_wrong_name),
        cmocka_unit_test(programs_of_nothing),
        cmocka_unit_test(option_values),
        cmocka_unit_test(environment_wins),
        cmocka_unit_test(option_table),
        cmocka_unit_test(no_profile_on_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
