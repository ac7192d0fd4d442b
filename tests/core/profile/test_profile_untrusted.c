/* SPDX-License-Identifier: MIT */
/* Profile files from elsewhere: truncated, nested, with numbers beyond all limits, with very many entries. Reading
 * ends soon, with a profile or with an error, and what was read can be printed, written and freed. */
#include "core/profile/profile.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <time.h>

#include <cmocka.h>

#define TARGET "\"target\": {\"numTiles\": 4, \"tilesPerIPU\": 4, \"numIPUs\": 1}"

enum { MANY = 100000, SECONDS = 10 }; /* linear work takes some tenths of a second, quadratic work minutes */

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Reads one or both parts, uses whatever comes out in every way, and says what reading returned. */
static tw_status use(const GString *graph, const GString *execution)
{
    double start = cpu_seconds();
    tw_profile *p = tw_profile_load(graph ? graph->str : NULL, graph ? graph->len : 0,
                                    execution ? execution->str : NULL, execution ? execution->len : 0);
    tw_status status = tw_status_of(p);
    if (status) {
        assert_null(p);
        assert_true(*tw_error_message());
    } else {
        FILE *out = fopen("/dev/null", "w");
        tw_profile_options options = { .size = sizeof options,
                                       .show_var_storage = true,
                                       .show_optimizations = true,
                                       .show_execution_steps = true,
                                       .show_per_ipu_memory_usage = true };
        assert_non_null(out);
        assert_int_equal(tw_profile_print_summary(p, out, &options), TW_OK);
        if (tw_profile_has_graph(p)) assert_int_equal(tw_profile_write_graph_json(p, out, false), TW_OK);
        if (tw_profile_has_execution(p)) {
            assert_int_equal(tw_profile_write_execution_json(p, out, false), TW_OK);
            assert_int_equal(tw_profile_write_trace(p, out, &options), TW_OK);
        }
        fclose(out);
        tw_profile_free(p);
    }
    assert_true(cpu_seconds() - start < SECONDS);
    return status;
}

static tw_status use_texts(const char *graph, const char *execution)
{
    GString *g = graph ? g_string_new(graph) : NULL, *e = execution ? g_string_new(execution) : NULL;
    tw_status status = use(g, e);
    if (g) g_string_free(g, TRUE);
    if (e) g_string_free(e, TRUE);
    return status;
}

static void repeat(GString *out, const char *text, unsigned times)
{
    for (unsigned i = 0; i < times; i++) g_string_append_printf(out, "%s%s", i ? "," : "", text);
}

/* --- many entries ----------------------------------------------------------------------------------------------- */

/* Pairs of parent and child, a chain, and the end of the chain adopts the pairs: each is asked whether it is
 * above. */
static void profile_untrusted_program_tree(void **state)
{
    (void)state;
    GString *text = g_string_new("{" TARGET ", \"programs\": [");
    for (unsigned i = 0; i < MANY; i++) g_string_append_printf(text, "{\"children\": [%u]}, {},", 2 * i + 1);
    for (unsigned i = 0; i < MANY; i++) g_string_append_printf(text, "{\"children\": [%u]},", 2 * MANY + i + 1);
    g_string_append(text, "{\"children\": [");
    for (unsigned i = 0; i < MANY; i++) g_string_append_printf(text, "%s%u", i ? "," : "", 2 * i);
    g_string_append(text, "]}], \"memory\": {\"liveness\": {\"programs\": []}}}");
    assert_int_equal(use(text, NULL), TW_OK);
    g_string_free(text, TRUE);
}

static void profile_untrusted_cycles(void **state)
{
    (void)state;
    tw_profile *p;
    static const char text[] = "{" TARGET ", \"programs\": [{\"children\": [1]}, {\"children\": [2]}, "
                               "{\"children\": [0, 2, 3]}, {\"children\": [1]}]}";
    assert_int_equal(tw_status_of(p = tw_profile_load(text, sizeof text - 1, NULL, 0)), TW_OK);
    static const uint32_t parents[] = { TW__NONE, 0, 1, 2 };
    for (int i = 0; i < 4; i++) assert_int_equal(p->programs.items[i].parent, parents[i]);
    tw_profile_free(p);
}

static void profile_untrusted_categories(void **state)
{
    (void)state;
    GString *text = g_string_new("{" TARGET ", \"memory\": {\"byCategory\": {");
    for (unsigned i = 0; i < MANY; i++)
        g_string_append_printf(text, "%s\"c%u\": {\"nonInterleaved\": {\"nonOverlapped\": [1]}}", i ? "," : "", i);
    g_string_append(text, "}}}");
    assert_int_equal(use(text, NULL), TW_E_OVERFLOW);
    g_string_free(text, TRUE);
}

/* One compute set with very many entries, executed by very many steps of very many types. */
static void profile_untrusted_types(void **state)
{
    (void)state;
    GString *graph = g_string_new("{" TARGET ", \"vertexTypes\": {\"names\": ["),
            *run = g_string_new("{\"simulation\": {");
    repeat(graph, "\"t\"", MANY);
    g_string_append(graph, "]}, \"computeSets\": {\"names\": [\"a\"], \"vertexCounts\": [[");
    repeat(graph, "1", MANY);
    g_string_append(graph, "]], \"vertexTypes\": [[");
    for (unsigned i = 0; i < MANY; i++) g_string_append_printf(graph, "%s%u", i ? "," : "", i % 1000);
    g_string_append(graph, "]]}}");
    g_string_append(run,
                    "\"steps\": [{\"type\": \"OnTileExecute\", \"computeset\": 0, \"activeCyclesByVertexType\": [");
    repeat(run, "1", MANY);
    g_string_append(run, "]},");
    repeat(run, "{\"type\": \"OnTileExecute\", \"computeset\": 0}", MANY);
    g_string_append(run, "]}}");
    assert_int_equal(use(graph, run), TW_OK);
    g_string_free(graph, TRUE);
    g_string_free(run, TRUE);
}

static void profile_untrusted_compute_sets(void **state)
{
    (void)state;
    GString *graph = g_string_new("{" TARGET ", \"computeSets\": {\"names\": [");
    GString *run = g_string_new("{\"profilerMode\": \"COMPUTE_SETS\", \"simulation\": {\"steps\": [");
    repeat(graph, "\"a\"", MANY);
    g_string_append(graph, "]}}");
    repeat(run, "{\"type\": \"OnTileExecute\", \"computeset\": 0}", MANY);
    g_string_append(run, "]}}");
    assert_int_equal(use(graph, run), TW_OK);
    g_string_free(graph, TRUE);
    g_string_free(run, TRUE);
}

static void profile_untrusted_million_numbers(void **state)
{
    (void)state;
    GString *text = g_string_new("{" TARGET ", \"exchanges\": {\"bytesSentByTile\": [[");
    repeat(text, "1", 1000000);
    g_string_append(text, "]]}}");
    assert_int_equal(use(text, NULL), TW_E_PARSE); /* for four tiles */
    g_string_free(text, TRUE);
}

/* --- numbers and texts ------------------------------------------------------------------------------------------ */

static void profile_untrusted_numbers(void **state)
{
    (void)state;
    static const char *const graphs[] = {
        "{\"target\": {\"numTiles\": 9223372036854775807, \"numIPUs\": 9223372036854775807}}",
        "{\"target\": {\"tilesPerIPU\": 4294967297, \"numIPUs\": 4294967297}}",
        "{\"target\": {\"numTiles\": 1e300}}",
        "{\"target\": {\"numTiles\": -1}}",
        "{\"target\": {\"numTiles\": 4, \"numReplicas\": 99}}",
        "{\"target\": {\"numTiles\": 99999999999999999999}}",
        "{" TARGET ", \"programs\": [{\"children\": [4294967295]}]}",
        "{" TARGET ", \"programs\": [{\"children\": [-1]}]}",
        "{" TARGET ", \"computeSets\": {\"names\": [\"a\"], \"vertexCounts\": [[1]], \"vertexTypes\": [[7]]}}",
        "{" TARGET ", \"vertexTypes\": {\"names\": [1]}}",
        "{" TARGET ", \"memory\": {\"liveness\": {\"programs\": [{\"program\": 1, \"vars\": []}]}}}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(graphs); i++)
        if (use_texts(graphs[i], NULL) != TW_E_PARSE) fail_msg("%s", graphs[i]);
#define RUN(text) "{" TARGET ", \"simulation\": {" text "}}"
    static const char *const runs[] = {
        RUN("\"plan\": [{}], \"trace\": {\"rules\": [{\"first\": 0, \"count\": 2}], \"runs\": []}"),
        RUN("\"plan\": [{}], \"trace\": {\"rules\": [{\"first\": 4294967295, \"count\": 4294967295}]}"),
        RUN("\"plan\": [{}], \"trace\": {\"rules\": [{\"items\": []}]}"),
        RUN("\"plan\": [{}], \"trace\": {\"rules\": [{\"items\": [[0, 1]]}]}"),
        RUN("\"plan\": [{}], \"trace\": {\"rules\": [{\"first\": 0, \"count\": 1}, {\"items\": [[0, 4294967295]]}, "
            "{\"items\": [[1, 4294967295]]}, {\"items\": [[2, 4294967295]]}]}"),
        RUN("\"plan\": [{}], \"trace\": {\"rules\": [{\"first\": 0, \"count\": 1}], \"runs\": [{\"rule\": 0, "
            "\"times\": "
            "9223372036854775807}]}"),
        RUN("\"steps\": [{\"cyclesFrom\": 9223372036854775807}]"),
        RUN("\"steps\": [{\"cyclesFrom\": 9, \"cyclesTo\": 8}]"),
        RUN("\"steps\": [{\"cycles\": 1, \"cyclesOverlapped\": 2}]"),
        RUN("\"steps\": [{\"activeTiles\": 5}]"),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(runs); i++)
        if (use_texts(NULL, runs[i]) != TW_E_PARSE) fail_msg("%s", runs[i]);
    /* many executions of one step are no reason to list them all */
    assert_int_equal(
        use_texts(NULL, RUN("\"plan\": [{\"cycles\": 7}], \"trace\": {\"rules\": [{\"first\": 0, \"count\": 1}], "
                            "\"runs\": [{\"rule\": 0, \"times\": 9007199254740992}]}")),
        TW_OK);
}

static void profile_untrusted_nesting(void **state)
{
    (void)state;
    GString *deep = g_string_new("{" TARGET ", \"x\": ");
    for (int i = 0; i < 1000000; i++) g_string_append_c(deep, '[');
    assert_int_equal(use(deep, NULL), TW_E_PARSE);
    g_string_free(deep, TRUE);
    /* rules within rules, as deep as a file can say */
    GString *rules = g_string_new(
        "{" TARGET ", \"simulation\": {\"plan\": [{}], \"trace\": {\"rules\": [{\"first\": 0, \"count\": 1}");
    for (int i = 1; i < 1000; i++) g_string_append_printf(rules, ", {\"items\": [[%d, 1]]}", i - 1);
    g_string_append(rules, "], \"runs\": [{\"rule\": 999}]}}}");
    assert_int_equal(use(NULL, rules), TW_E_OVERFLOW);
    g_string_free(rules, TRUE);
}

static void profile_untrusted_bytes(void **state)
{
    (void)state;
    static const char text[] = "{" TARGET ", \"optimizationInfo\": {\"a\": 1}}";
    for (size_t n = 0; n < sizeof text - 1; n++) { /* cut off anywhere, a NUL anywhere */
        GString *cut = g_string_new_len(text, (gssize)n), *zero = g_string_new_len(text, sizeof text - 1);
        zero->str[n] = 0;
        assert_int_equal(use(cut, NULL), TW_E_PARSE);
        assert_int_not_equal(use(zero, NULL), TW_OK);
        g_string_free(cut, TRUE);
        g_string_free(zero, TRUE);
    }
    assert_int_equal(use_texts("{" TARGET ", \"vertexTypes\": {\"names\": [\"\\u0000\"]}}", NULL), TW_E_PARSE);
    assert_int_equal(use_texts("{" TARGET ", \"vertexTypes\": {\"names\": [\"\xff\"]}}", NULL), TW_E_PARSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_untrusted_program_tree), cmocka_unit_test(profile_untrusted_cycles),
        cmocka_unit_test(profile_untrusted_categories),   cmocka_unit_test(profile_untrusted_types),
        cmocka_unit_test(profile_untrusted_compute_sets), cmocka_unit_test(profile_untrusted_million_numbers),
        cmocka_unit_test(profile_untrusted_numbers),      cmocka_unit_test(profile_untrusted_nesting),
        cmocka_unit_test(profile_untrusted_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
