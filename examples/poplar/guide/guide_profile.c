/* SPDX-License-Identifier: MIT */
/* Chapter 8 of the guide, "Profiling": options of an engine, profiles as JSON, summaries.
 *
 *     tilewright run guide_profile.c [graph_profile.json execution_profile.json]
 *
 * prints: debug.computeInstrumentationLevel is
 * prints: Target:
 * prints: Graph:
 * prints: Execution:
 * prints: only the graph
 * prints: only the execution
 * prints: CPU: profiling is not available
 */
#include "check.h"

#include <string.h>

static tw_program build(tw_graph *g)
{
    tw_graph_add_codelets(g, "guide_codelets.cpp", NULL);
    tw_tensor value = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ 64 }, "value");
    tw_tensor amount = tw_graph_add_constant_double(g, TW_UNSIGNED_INT, 0, NULL, 1, "amount");
    tw_compute_set cs = tw_graph_add_compute_set(g, "add");
    tw_graph_map(g, amount, 0);
    unsigned tiles = tw_target_tiles(tw_graph_target(g)); /* the CPU has one */
    for (unsigned i = 0; i < 8; i++) {
        unsigned tile = i < tiles ? i : 0;
        tw_tensor piece = tw_tensor_slice(g, value, 0, i * 8, i * 8 + 8);
        tw_graph_map(g, piece, tile);
        tw_vertex v = tw_graph_add_vertex(g, cs, "AddInPlace", tile);
        tw_graph_connect(g, v, "value", piece);
        tw_graph_connect(g, v, "amount", amount);
    }
    return tw_program_repeat(g, 3, tw_program_execute(g, cs));
}

/* 8.1: static profile after loading, dynamic profile after running, both as files for other tools. */
static void write_files(tw_engine *e, const char *graph_path, const char *execution_path)
{
    FILE *graph_file = fopen(graph_path, "w"), *execution_file = fopen(execution_path, "w");
    CHECK(graph_file && execution_file);
    CHECK(tw_profile_write_graph_json(tw_engine_profile(e), graph_file, true) == TW_OK);
    CHECK(tw_profile_write_execution_json(tw_engine_profile(e), execution_file, true) == TW_OK);
    CHECK(fclose(graph_file) == 0 && fclose(execution_file) == 0);
}

/* 8.1.1: options of the constructor; POPLAR_ENGINE_OPTIONS in the environment has the last word. */
static const char *const options[] = { "debug.instrumentCompute=true", "debug.instrumentExternalExchange=false",
                                       "debug.computeInstrumentationLevel=tile", NULL };

static void cpu_has_no_profile(void)
{
    tw_device *dev = tw_device_cpu();
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_engine *e = tw_engine_new(g, build(g), NULL);
    CHECK_ENGINE(e, tw_engine_load(e, dev));
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    CHECK(tw_engine_profile(e) == NULL);
    CHECK(strstr(tw_error_message(), "profiling is not available"));
    printf("CPU: %s\n", tw_error_message());
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(int argc, char **argv)
{
    tw_ipu_model model = { .size = sizeof model,
                           .chip = TW_MK1 }; /* 8.1.1: IPUModel ipuModel; its members are fields */
    tw_device *dev = tw_device_ipu_model_with(&model);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_engine *e = tw_engine_new(g, build(g), options);
    CHECK_ENGINE(e, tw_engine_load(e, dev));
    const tw_profile *profile = tw_engine_profile(e);
    CHECK(profile && tw_profile_has_graph(profile));
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    CHECK(tw_profile_has_execution(tw_engine_profile(e)));
    printf("debug.computeInstrumentationLevel is %s\n", tw_engine_option(e, "debug.computeInstrumentationLevel"));

    tw_profile_options show = { .size = sizeof show };
    CHECK(tw_profile_options_set(&show, "showExecutionSteps", "true") == TW_OK);
    CHECK(tw_profile_options_set(&show, "showVarStorage", "true") == TW_OK);
    CHECK(tw_profile_print_summary(profile, stdout, &show) == TW_OK);
    puts("\nonly the graph\n");
    CHECK(tw_profile_print_graph_summary(profile, stdout, NULL) == TW_OK);
    puts("\nonly the execution\n");
    CHECK(tw_profile_print_execution_summary(profile, stdout, NULL) == TW_OK);
    putchar('\n');
    if (argc > 2) write_files(e, argv[1], argv[2]);

    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    cpu_has_no_profile();
    return 0;
}
