/* SPDX-License-Identifier: MIT */
/* The text summary beyond the guide's sample: options, colours, full tiles, IPUs, replicas, modelled figures, and the
 * command line. */
#include "core/profile/profile.h"
#include <glib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>

static tw__row row_of(tw_profile *p, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t values[] = { a, b, c, d };
    return tw__profile_row(p, values, 4);
}

static tw_profile *small_profile(uint32_t replicas)
{
    tw_profile *p = tw__profile_new(&(tw__profile_target){ .type = "IPU_MODEL",
                                                           .ipus = 2,
                                                           .tiles_per_ipu = 2,
                                                           .replicas = replicas,
                                                           .bytes_per_tile = 1000,
                                                           .clock_hz = 1e9 });
    tw__profile_add_memory(p, "variable", NULL, TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED,
                           row_of(p, 100, 200, 1500, 400), TW_FIDELITY_MODELLED);
    tw__profile_add_memory(p, "stack", NULL, TW__INTERLEAVED, TW__NOT_OVERLAPPED, row_of(p, 10, 10, 10, 10),
                           TW_FIDELITY_EXACT);
    tw__profile_set_category_fidelity(p, "vertexCode", TW_FIDELITY_ABSENT);
    tw__profile_add_optimization(p, "mergedCopies", 1234);
    return p;
}

static char *text_of(const tw_profile *p, const tw_profile_options *options,
                     tw_status (*print)(const tw_profile *, FILE *, const tw_profile_options *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(print(p, out, options), TW_OK);
    fclose(out);
    /* collapse blanks, so that columns may move */
    char *to = text;
    for (char *from = text; *from; from++)
        if (*from != ' ' || (to > text && to[-1] != ' ' && to[-1] != '\n')) *to++ = *from;
    *to = 0;
    return text;
}

static void expect(const char *text, const char *part, bool wanted)
{
    if ((strstr(text, part) != NULL) != wanted) fail_msg("%s '%s' in:\n%s", wanted ? "no" : "unwanted", part, text);
}
#define HAS(text, part)     expect(text, part, true)
#define HAS_NOT(text, part) expect(text, part, false)

/* Before placement: no gaps, what exceeds a tile overflows, absent and modelled figures are named. */
static void profile_summary_unplaced(void **state)
{
    (void)state;
    tw_profile *p = small_profile(1);
    char *text = text_of(p, NULL, tw_profile_print_summary);
    HAS(text, "Including Gaps: absent\n");
    HAS(text, "Non-interleaved: 1,690 B\nInterleaved: 40 B\nOverflowed: 510 B\nTotal: 2,240 B\n");
    HAS(text, "Variables: 2,200 B\nStack: 40 B\nTotal: 2,240 B\n");
    HAS_NOT(text, "\nOverlapped");
    HAS(text, "Note: modelled: Variables.\nNote: absent: Vertex Code.\nNote: variables have no addresses");
    HAS(text, "Maximum (Excluding Gaps): 1,510 (1.5 K) on tile 2\n1 tile(s) out of memory\n");
    HAS(text, "Tile 2: 1,510 B including gaps, 510 B past the end\nVariables: 1,500 B\nStack: 10 B\n");
    HAS_NOT(text, "Execution:");
    HAS_NOT(text, "Optimizations:");
    HAS_NOT(text, "\033[");
    free(text);
    tw_profile_options options = { .size = sizeof options,
                                   .show_per_ipu_memory_usage = true,
                                   .show_optimizations = true };
    text = text_of(p, &options, tw_profile_print_graph_summary);
    HAS(text, "Optimizations:\nmergedCopies: 1,234\n");
    HAS(text, "Memory on IPU 0:\n");
    HAS(text, "Overflowed: 0 B\nTotal: 320 B\n");
    HAS(text, "Memory on IPU 1:\n");
    HAS(text, "Non-interleaved: 1,390 B\nInterleaved: 20 B\nOverflowed: 510 B\n");
    free(text);
    assert_int_equal(tw_profile_print_execution_summary(p, stdout, NULL), TW_E_MISSING_PROFILE);
    assert_int_equal(tw_profile_print_summary(NULL, stdout, NULL), TW_E_INVALID_ARGUMENT);
    tw_profile_free(p);
}

/* Memory is shown for the first replica only. */
static void profile_summary_replicas(void **state)
{
    (void)state;
    tw_profile *p = small_profile(2);
    char *text = text_of(p, NULL, tw_profile_print_summary);
    HAS(text, "Number of Replicas: 2\nIPUs per Replica: 1\nTiles per Replica: 2\n");
    HAS(text, "Memory on one replica:\n");
    HAS(text, "Variables: 300 B\n");
    HAS(text, "0 tile(s) out of memory\n");
    free(text);
    p->target.copies = 3; /* each of two, were that possible */
    text = text_of(p, NULL, tw_profile_print_summary);
    HAS(text, "Number of IPUs: 6\n");
    HAS(text, "Number of Replicas: 6\nIPUs per Replica: 1\nTiles per Replica: 2\n");
    HAS(text, "Variables: 300 B\n");
    free(text);
    tw_profile_free(p);
}

static void profile_summary_execution(void **state)
{
    (void)state;
    tw_profile *p = small_profile(1);
    uint32_t type = tw__profile_add_vertex_type(p, "Add", 4);
    tw__type_cycles cycles = { .vertex_type = type, .instances = 2, .cycles = 30 };
    tw__profile_add_step(p,
                         &(tw__step_desc){ .type = TW_PROGRAM_SYNC, .sync = TW_PROFILE_SYNC_GLOBAL, .cycles = 9 });
    tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                              .name = "add",
                                              .active = row_of(p, 20, 0, 20, 0),
                                              .types = &cycles,
                                              .type_count = 1,
                                              .fidelity = TW_FIDELITY_ESTIMATED });
    tw__profile_range(p, 0, 2, 3);
    tw__profile_run_end(p, 0);
    tw_profile_options options = { .size = sizeof options, .show_execution_steps = true, .max_steps = 4 };
    char *text = text_of(p, &options, tw_profile_print_execution_summary);
    HAS(text, "Total cycles: 87 (approx 0.1 microseconds)\n");
    HAS(text,
        "Total compute cycles (including idle threads): 120\nTotal compute cycles (excluding idle threads): 90\n");
    HAS(text, "Total sync cycles: 228\nTotal tile balance: 34.5%\nTotal thread balance: 75.0%\nNote: cycles are "
              "estimated.\n");
    HAS(text, "Note: 2 of 4 tiles are in use; the balance of these alone is 69.0%.\n");
    HAS(text, "Add (0 instances): 90\n");
    HAS(text, "--- Global Sync ---\nOnTileExecute (cycles 9 - 29): add\nCycles: 20 (0 overlapped with previous) "
              "[estimated]\n"
              "Active Tiles: 2 / 4\nThread Balance: 75.0%\nTile Balance: 50.0%\nActive Tile Balance: 100.0%\n"
              "By vertex type:\nAdd (2 instances): 30\n");
    HAS(text, "(cycles 38 - 58)");
    HAS_NOT(text, "(cycles 67 - 87)");
    HAS(text, "Note: 2 further steps are not shown.\n");
    free(text);
    tw_profile_free(p);
}

/* Tiles of other machines have no threads. */
static void profile_summary_threads(void **state)
{
    (void)state;
    static const char *const machines[] = { "AI_ENGINE", "ASCEND_PTO", "WSE" };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        tw_profile *p = tw__profile_new(&(tw__profile_target){ .type = machines[i],
                                                               .ipus = 1,
                                                               .tiles_per_ipu = 4,
                                                               .replicas = 1,
                                                               .bytes_per_tile = 1000,
                                                               .clock_hz = 1e9 });
        uint32_t type = tw__profile_add_vertex_type(p, "add", 4);
        tw__type_cycles cycles = { .vertex_type = type, .instances = 2, .cycles = 30 };
        tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                                  .active = row_of(p, 20, 0, 20, 0),
                                                  .types = &cycles,
                                                  .type_count = 1 });
        tw__profile_range(p, 0, 1, 1);
        tw__profile_run_end(p, 0);
        tw_profile_options options = { .size = sizeof options, .show_execution_steps = true };
        char *text = text_of(p, &options, tw_profile_print_execution_summary);
        HAS(text, "Total compute cycles: 40\n");
        HAS_NOT(text, "hread");
        free(text);
        tw_profile_free(p);
    }
}

static void profile_summary_colours(void **state)
{
    (void)state;
    static const struct {
        const char *force, *cli;
        tw_colours option;
        bool coloured; /* the output is not a terminal */
    } rows[] = {
        { NULL, NULL, TW_COLOURS_AUTO, false }, { NULL, NULL, TW_COLOURS_ON, true },
        { NULL, NULL, TW_COLOURS_OFF, false },  { NULL, "0", TW_COLOURS_ON, false },
        { NULL, "1", TW_COLOURS_OFF, false },   { "1", "0", TW_COLOURS_OFF, true },
        { "1", NULL, TW_COLOURS_AUTO, true },   { "0", NULL, TW_COLOURS_ON, true },
        { "0", "0", TW_COLOURS_ON, false },
    };
    tw_profile *p = small_profile(1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].force ? setenv("CLICOLOR_FORCE", rows[i].force, 1) : unsetenv("CLICOLOR_FORCE");
        rows[i].cli ? setenv("CLICOLOR", rows[i].cli, 1) : unsetenv("CLICOLOR");
        tw_profile_options options = { .size = sizeof options, .colours = rows[i].option };
        char *text = text_of(p, &options, tw_profile_print_summary);
        if ((strstr(text, "\033[") != NULL) != rows[i].coloured) fail_msg("row %zu", i);
        free(text);
    }
    unsetenv("CLICOLOR_FORCE"), unsetenv("CLICOLOR");
    tw_profile_free(p);
}

static void profile_summary_options(void **state)
{
    (void)state;
    tw_profile_options options = { .size = sizeof options };
    assert_int_equal(tw_profile_options_set(&options, "colours", "true"), TW_OK);
    assert_int_equal(tw_profile_options_set(&options, "showVarStorage", "true"), TW_OK);
    assert_int_equal(tw_profile_options_set(&options, "showOptimizations", "true"), TW_OK);
    assert_int_equal(tw_profile_options_set(&options, "showExecutionSteps", "true"), TW_OK);
    assert_int_equal(tw_profile_options_set(&options, "showPerIpuMemoryUsage", "true"), TW_OK);
    assert_true(options.colours == TW_COLOURS_ON && options.show_var_storage && options.show_optimizations &&
                options.show_execution_steps && options.show_per_ipu_memory_usage);
    assert_int_equal(tw_profile_options_set(&options, "showVarStorage", "false"), TW_OK);
    assert_false(options.show_var_storage);
    assert_int_equal(tw_profile_options_set(&options, "showVarStorge", "true"), TW_E_INVALID_OPTION);
    assert_non_null(strstr(tw_error_message(), "showVarStorage"));
    assert_int_equal(tw_profile_options_set(&options, "colours", "red"), TW_E_INVALID_OPTION);
}

/* --- files ---------------------------------------------------------------------------------------------------- */

#define GRAPH     TW_SOURCE_DIR "/tests/golden/profile_graph.json"
#define EXECUTION TW_SOURCE_DIR "/tests/golden/profile_execution.json"

/* Prints and frees a profile; the text is the caller's. */
static char *summary_of(tw_profile *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(tw_profile_print_summary(p, out, NULL), TW_OK);
    fclose(out);
    tw_profile_free(p);
    return text;
}

static char *summary_of_file(const char *path)
{
    tw_profile *p = tw_profile_load_file(path);
    if (!p) fail_msg("%s: %s", path, tw_error_message());
    return summary_of(p);
}

/* Both parts in one file say what two files say; a part by itself is recognised. */
static void profile_summary_one_file(void **state)
{
    char path[] = "/tmp/tw-profile-XXXXXX", *one, *two;
    tw_profile *p = NULL, *again = NULL;
    (void)state;
    assert_int_equal(tw_status_of(p = tw_profile_load_files(GRAPH, EXECUTION)), TW_OK);
    FILE *out = fdopen(mkstemp(path), "w");
    assert_int_equal(tw_profile_write_json(p, out, false), TW_OK);
    fclose(out);
    assert_int_equal(tw_status_of(again = tw_profile_load_files(GRAPH, EXECUTION)), TW_OK);
    two = summary_of(again), one = summary_of_file(path);
    assert_string_equal(one, two);
    free(one), free(two);
    assert_int_equal(tw_status_of(again = tw_profile_load_file(EXECUTION)), TW_E_PARSE);
    assert_non_null(
        strstr(tw_error_message(), "there is no target")); /* the vendor's, which needs its graph part */
    out = fopen(path, "w");
    assert_int_equal(tw_profile_write_execution_json(p, out, false), TW_OK);
    fclose(out);
    tw_profile_free(p);
    one = summary_of_file(path);
    assert_true(strstr(one, "Execution:") && !strstr(one, "Memory Usage:"));
    free(one);
    one = summary_of_file(GRAPH);
    assert_true(!strstr(one, "Execution:") && strstr(one, "Memory Usage:"));
    free(one);
    static const char *const bad[][2] = {
        { "{\"tilewright\":{\"part\":\"both\"}}", "neither" },
        { "{\"tilewright\":{\"part\":\"both\"},\"graph\":3}", "graph" },
        { "{\"tilewright\":{\"part\":\"both\",\"schema\":99},\"graph\":{}}", "newer" },
        { "[]", "object" },
        { "{", "1:" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        out = fopen(path, "w");
        fputs(bad[i][0], out);
        fclose(out);
        assert_int_equal(tw_status_of(p = tw_profile_load_file(path)), TW_E_PARSE);
        assert_null(p);
        if (!strstr(tw_error_message(), bad[i][1])) fail_msg("row %zu: %s", i, tw_error_message());
    }
    remove(path);
    assert_int_equal(tw_status_of(p = tw_profile_load_file(path)), TW_E_FILE_LOAD);
}

/* Perfetto: slices of one track nest. Ours lie one after the other; ids of processes and threads are above 0. */
static void assert_no_overlap(json_t *events)
{
    json_t *event;
    size_t i;
    GHashTable *ended = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    json_array_foreach(events, i, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "ph")), "X")) continue;
        int64_t pid = json_integer_value(json_object_get(event, "pid")),
                tid = json_integer_value(json_object_get(event, "tid"));
        double from = json_number_value(json_object_get(event, "ts")),
               to = from + json_number_value(json_object_get(event, "dur"));
        assert_true(pid > 0 && tid > 0 && to >= from);
        int64_t key = pid << 32 | tid;
        double *last = g_hash_table_lookup(ended, &key);
        if (last && from < *last - 1e-9) fail_msg("event %zu overlaps the one before it on its track", i);
        int64_t *k = g_new(int64_t, 1);
        double *v = g_new(double, 1);
        *k = key, *v = to;
        g_hash_table_replace(ended, k, v);
    }
    g_hash_table_destroy(ended);
}

static void profile_summary_trace(void **state)
{
    (void)state;
    tw_profile *p = NULL;
    assert_int_equal(tw_status_of(p = tw_profile_load_files(GRAPH, EXECUTION)), TW_OK);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(tw_profile_write_trace(p, out, NULL), TW_OK);
    fclose(out);
    json_t *root = json_loads(text, 0, NULL), *event, *events = json_object_get(root, "traceEvents");
    size_t i, complete = 0;
    double end = 0;
    json_array_foreach(events, i, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "ph")), "X")) continue;
        if (json_integer_value(json_object_get(event, "pid")) != 1) continue; /* tracks of tiles */
        double to =
            json_number_value(json_object_get(event, "ts")) + json_number_value(json_object_get(event, "dur"));
        end = to > end ? to : end;
        complete++;
    }
    assert_no_overlap(events);
    assert_int_equal(complete, 21);
    assert_true(end > 13580 / 1600.0 - 1e-6 && end < 13580 / 1600.0 + 1e-6); /* microseconds at 1.6 GHz */
    json_decref(root);
    free(text);
    tw_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_summary_unplaced),  cmocka_unit_test(profile_summary_replicas),
        cmocka_unit_test(profile_summary_execution), cmocka_unit_test(profile_summary_colours),
        cmocka_unit_test(profile_summary_options),   cmocka_unit_test(profile_summary_trace),
        cmocka_unit_test(profile_summary_one_file),  cmocka_unit_test(profile_summary_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
