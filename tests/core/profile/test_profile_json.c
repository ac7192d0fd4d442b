/* SPDX-License-Identifier: MIT */
/* JSON of a profile: what a machine writes comes back, the vendor's forms are read, damaged files are refused with a
 * place. */
#include "core/profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TARGET "\"target\":{\"numIPUs\":1,\"tilesPerIPU\":4,\"bytesPerTile\":1024,\"clockFrequency\":1000000}"

static tw__row row_of(tw_profile *p, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t values[] = { a, b, c, d };
    return tw__profile_row(p, values, 4);
}

/* One of everything a machine can record. */
static tw_profile *full_profile(void)
{
    tw_profile *p = tw__profile_new(&(tw__profile_target){ .type = "IPU_MODEL",
                                                           .arch = "ipu2",
                                                           .ipus = 2,
                                                           .tiles_per_ipu = 2,
                                                           .replicas = 1,
                                                           .bytes_per_tile = 1000,
                                                           .clock_hz = 1.33e9,
                                                           .min_sync_delay = 98 });
    tw__profile_set_sync_delays(p, row_of(p, 1, 2, 0, 0));
    tw__profile_set_counts(p, 10, 20, 30, 2);
    tw__profile_add_optimization(p, "mergedCopies", 3);
    tw__profile_add_optimization(p, "share", 0.25);
    uint32_t add = tw__profile_add_vertex_type(p, "Add<float>", 12),
             mul = tw__profile_add_vertex_type(p, "Mul \"quoted\"\\\n", 8);
    uint32_t cs1 = tw__profile_add_compute_set(p, "first"), cs2 = tw__profile_add_compute_set(p, "");
    tw__profile_add_vertices(p, cs2, mul, 3);
    tw__profile_add_vertices(p, cs1, add, 7);
    tw__profile_add_exchange(p, TW__EXCHANGE_INTERNAL,
                             (tw__exchange){ .sent = row_of(p, 4, 0, 0, 0),
                                             .received = row_of(p, 0, 4, 4, 4),
                                             .code = row_of(p, 8, 8, 8, 8) });
    tw__profile_add_exchange(p, TW__EXCHANGE_HOST, (tw__exchange){ .cycles = row_of(p, 9, 0, 0, 0) });
    uint32_t root = tw__profile_add_program(p, TW_PROGRAM_SEQUENCE, "", TW__NONE, TW__NONE, 0);
    uint32_t loop = tw__profile_add_program(p, TW_PROGRAM_REPEAT, "", root, TW__NONE, 5);
    uint32_t execute = tw__profile_add_program(p, TW_PROGRAM_ON_TILE_EXECUTE, "first", loop, cs1, 0);
    tw__memory *m = tw__memory_new(4);
    tw__memory_count(m, 1, TW_STORAGE_VARIABLE, 400);
    tw__memory_count(m, 2, TW_STORAGE_VARIABLE, 1400);
    tw__memory_add(m, 1, TW_STORAGE_VARIABLE, TW__INTERLEAVED, TW__NOT_OVERLAPPED, 64);
    tw__memory_add(m, 0, TW_STORAGE_MESSAGE, TW__NON_INTERLEAVED, TW__OVERLAPPED, 32);
    tw__profile_set_memory(p, m, TW_FIDELITY_MODELLED);
    tw__memory_free(m);
    tw__profile_set_category_fidelity(p, "vertexCode", TW_FIDELITY_ABSENT);
    tw__profile_add_memory(p, "routes", "Routing tables", TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED,
                           row_of(p, 1, 1, 1, 1), TW_FIDELITY_EXACT);
    tw__profile_set_vertex_bytes(p, add, TW__VERTEX_BYTES_EDGE, row_of(p, 5, 6, 7, 8));
    tw__profile_add_always_live(p, "stack", 100);
    tw__profile_set_liveness(p, row_of(p, 25, 25, 25, 25), row_of(p, 1, 2, 3, 4), 10);
    tw__live_var live[] = { { tw__profile_name(p, "x"), 6 }, { tw__profile_name(p, "x"), 4 } };
    tw__profile_set_live(p, execute, live, 2);
    tw__type_cycles cycles = { .vertex_type = add, .instances = 7, .cycles = 50 };
    tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_SYNC,
                                              .sync = TW_PROFILE_SYNC_INTERNAL,
                                              .cycles = 100,
                                              .no_program = true,
                                              .fidelity = TW_FIDELITY_MODELLED });
    tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_DO_EXCHANGE,
                                              .name = "pre",
                                              .program = root,
                                              .active = row_of(p, 0, 5, 5, 4),
                                              .data = row_of(p, 0, 4, 4, 4),
                                              .overlapped = 2 });
    tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                              .name = "first",
                                              .program = execute,
                                              .index = cs1,
                                              .active = row_of(p, 60, 0, 30, 0),
                                              .types = &cycles,
                                              .type_count = 1,
                                              .fidelity = TW_FIDELITY_ESTIMATED });
    tw__profile_run_begin(p, "main");
    tw__profile_range(p, 0, 3, 5);
    tw__profile_step(p, 0);
    tw__profile_run_end(p, 12.5);
    assert_int_equal(tw__profile_status(p), TW_OK);
    return p;
}

static void profile_json_round_trip(void **state)
{
    (void)state;
    tw_profile *p = full_profile(), *q = NULL;
    char *graph = tw_profile_graph_json(p, true), *execution = tw_profile_execution_json(p, false);
    assert_int_equal(tw_status_of(q = tw_profile_load(graph, strlen(graph), execution, strlen(execution))), TW_OK);
    char *graph_again = tw_profile_graph_json(q, true), *execution_again = tw_profile_execution_json(q, false);
    assert_string_equal(graph_again, graph);
    assert_string_equal(execution_again, execution);
    tw_profile_totals a, b;
    tw_profile_get_totals(p, &a);
    tw_profile_get_totals(q, &b);
    assert_memory_equal(&a, &b, sizeof a);
    tw_fidelity fidelity;
    assert_int_equal(tw_profile_memory(q, "variable", &fidelity), 1864);
    assert_int_equal(fidelity, TW_FIDELITY_MODELLED);
    assert_int_equal(tw_profile_memory(q, "vertexCode", &fidelity), 0);
    assert_int_equal(fidelity, TW_FIDELITY_ABSENT);
    assert_int_equal(tw_profile_memory(q, "nothing", &fidelity), 0);
    assert_int_equal(fidelity, TW_FIDELITY_ABSENT);
    tw_profile_free(q);
    /* The execution file stands alone. */
    assert_int_equal(tw_status_of(q = tw_profile_load(NULL, 0, execution, strlen(execution))), TW_OK);
    assert_false(tw_profile_has_graph(q));
    assert_true(tw_profile_has_execution(q));
    assert_int_equal(tw_profile_tiles(q), 4);
    tw_profile_get_totals(q, &b);
    assert_memory_equal(&a, &b, sizeof a);
    assert_null(tw_profile_graph_json(q, false));
    free(graph_again), free(execution_again), free(graph), free(execution);
    tw_profile_free(p), tw_profile_free(q);
}

/* Members of Poplar API, graph profile and execution profile that other programs read. */
static void profile_json_members(void **state)
{
    (void)state;
    tw_profile *p = full_profile();
    tw__profile_set_mode(p, "COMPUTE_SETS");
    static const uint32_t cycles[] = { 5, 6 }, zero[] = { 0, 0 };
    tw__profile_set_vertex_cycles(p, cycles, zero, zero, 2);
    char *graph = tw_profile_graph_json(p, false), *execution = tw_profile_execution_json(p, false);
    static const char *const in_graph[] = {
        "\"numTiles\":4",
        "\"totalMemory\":4000",
        "\"clockFrequency\":1330000000",
        "\"relativeSyncDelayByTile\":[1,2]",
        "\"optimizationInfo\":{\"mergedCopies\":3,\"share\":0.25}",
        "\"numVars\":30",
        "\"vertexCounts\":[[7],[3]]",
        "\"vertexTypes\":[[0],[1]]",
        "\"bytesReceivedByTile\":[[0,4,4,4]]",
        "\"estimatedCyclesByTile\":[[9,0,0,0]]",
        "\"codeBytesByTile\":[[8,8,8,8]]",
        "\"children\":[1]",
        "{\"type\":\"OnTileExecute\",\"name\":\"first\",\"computeset\":0",
        "\"count\":5",
        "\"edgePtrBytes\":[[5,6,7,8],null]",
        "\"Mul \\\"quoted\\\"\\\\\\u000a\"",
        "\"interleaved\":{\"nonOverlapped\":[0,64,0,0]}",
        "\"fidelity\":\"modelled\"",
        "\"label\":\"Routing tables\"",
    };
    static const char *const in_execution[] = {
        "\"profilerMode\":\"COMPUTE_SETS\"",
        "\"computeSetCyclesByTile\":[[60,0,30,0],null]",
        "\"vertexCycles\":[5,6]",
        "\"programTrace\":[0,2,0,2,0,2,0,2,0,2]",
        "\"cycles\":915",
        "\"compute\":450",
        "\"activeCompute\":250",
        "\"doExchange\":70",
        "\"syncType\":\"Internal\"",
        "\"cyclesFrom\":100,\"cyclesTo\":103",
        "\"cyclesOverlapped\":2",
        "\"totalData\":12",
        "\"threadBalance\":0.555555",
        "\"activeTiles\":2",
        "\"microseconds\":12.5",
    };
    for (size_t i = 0; i < sizeof in_graph / sizeof *in_graph; i++)
        if (!strstr(graph, in_graph[i])) fail_msg("no %s in %s", in_graph[i], graph);
    for (size_t i = 0; i < sizeof in_execution / sizeof *in_execution; i++)
        if (!strstr(execution, in_execution[i])) fail_msg("no %s in %s", in_execution[i], execution);
    free(graph), free(execution);
    tw__profile_set_mode(p, "SINGLE_TILE_COMPUTE_SETS");
    execution = tw_profile_execution_json(p, false);
    assert_non_null(strstr(execution, "\"computeSetCycles\":[60,0]"));
    free(execution);
    tw_profile_free(p);
}

static bool last_step(void *user, const tw_profile_step *s)
{
    *(tw_profile_step *)user = *s;
    return true;
}

/* The vendor's list of steps: explicit times, sums and ratios instead of rows, cycles by type as plain numbers. */
static void profile_json_vendor_steps(void **state)
{
    (void)state;
    static const char graph[] =
        "{" TARGET ",\"vertexTypes\":{\"names\":[\"A\",\"B\"],\"sizes\":[4,4]},\"computeSets\":"
        "{\"names\":[\"cs\"],\"vertexCounts\":[[3]],\"vertexTypes\":[[1]]}}";
    static const char execution[] =
        "{\"simulation\":{\"cycles\":500,\"tileCycles\":{\"compute\":[10,20,30,40],\"sync\":7},\"steps\":["
        "{\"type\":\"DoExchange\",\"name\":\"x\",\"cycles\":50,\"cyclesFrom\":10,\"cyclesTo\":40,\"activeTiles\":3,"
        "\"tileBalance\":0.5,\"activeTileBalance\":0.75,\"totalData\":99,\"dataBalance\":0.125},"
        "{\"type\":\"Unheard\",\"cycles\":1},"
        "{\"type\":\"OnTileExecute\",\"cycles\":60,\"computeset\":0,\"activeCyclesByVertexType\":[0,44],"
        "\"activeCyclesByTile\":[60,0,0,0]}]}}";
    tw_profile *p = tw_profile_load(graph, strlen(graph), execution, strlen(execution));
    tw_status status = tw_status_of(p);
    if (status) fail_msg("%s", tw_error_message());
    tw_profile_step s;
    tw__profile_step_info(p, 0, &s);
    assert_int_equal(s.overlapped, 20); /* 50 cycles in a span of 30 */
    assert_int_equal(s.active_tiles, 3);
    assert_true(s.tile_balance == 0.5 && s.active_tile_balance == 0.75 && s.data_balance == 0.125);
    assert_int_equal(s.total_data, 99);
    tw__profile_step_info(p, 1, &s);
    assert_int_equal(s.type, TW_PROGRAM_OTHER);
    assert_string_equal(s.type_name, "Unheard");
    tw_profile_each_step(p, last_step, &s);
    assert_int_equal(s.cycles_from, 41);
    assert_int_equal(s.cycles_to, 101);
    assert_true(s.thread_balance == 44 / 60.0);
    assert_int_equal(p->type_cycles.items[0].instances, 3);
    tw_profile_totals t;
    tw_profile_get_totals(p, &t);
    assert_int_equal(t.cycles, 500);
    assert_int_equal(t.by_bucket[TW_CYCLES_COMPUTE], 100);
    assert_int_equal(t.by_bucket[TW_CYCLES_SYNC], 7);
    assert_int_equal(t.by_bucket[TW_CYCLES_EXCHANGE], 100); /* 0.5 x 50 cycles x 4 tiles */
    /* Explicit times survive writing. */
    char *again = tw_profile_execution_json(p, false);
    tw_profile *q = NULL;
    assert_int_equal(tw_status_of(q = tw_profile_load(graph, strlen(graph), again, strlen(again))), TW_OK);
    tw_profile_step z;
    tw_profile_each_step(q, last_step, &z);
    assert_int_equal(z.cycles_from, 41);
    free(again);
    tw_profile_free(p), tw_profile_free(q);
}

/* The list of a long run's steps is for other readers: what the plan says counts, and a text that is cut, or whose
 * brackets or texts are wrong, is refused. */
static void profile_json_long_run(void **state)
{
    (void)state;
    tw_profile *p = full_profile();
    tw__profile_run_begin(p, "\"steps\":[ in a name");
    tw__profile_range(p, 0, 1, 20000);
    tw__profile_run_end(p, 1);
    tw_profile_totals before, after;
    assert_int_equal(tw_profile_get_totals(p, &before), TW_OK);
    char *text = tw_profile_execution_json(p, false), *list = strstr(text, "\"steps\":[{");
    assert_non_null(list);
    char *cycles = strstr(list + 100, "\"cycles\":");
    assert_non_null(cycles);
    cycles[strlen("\"cycles\":")] = '9';
    tw_profile *loaded = tw_profile_load(NULL, 0, text, strlen(text));
    if (!loaded) fail_msg("%s", tw_error_message());
    assert_int_equal(tw_profile_get_totals(loaded, &after), TW_OK);
    assert_int_equal(after.steps, before.steps);
    assert_int_equal(after.cycles, before.cycles);
    assert_string_equal(loaded->names.items[loaded->runs.items[loaded->runs.count - 1].name],
                        "\"steps\":[ in a name");
    assert_null(tw_profile_load(NULL, 0, text, strlen(text) / 2));
    assert_int_equal(tw_error_status(), TW_E_PARSE);
    static const struct {
        const char *what;
        char becomes;
        size_t at;
    } wrong[] = { { "}", ']', 0 }, { "{", '[', 0 }, { "\"first\"", '\n', 1 } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *at = strstr(list + 100, wrong[i].what) + wrong[i].at;
        *at = wrong[i].becomes;
        if (tw_profile_load(NULL, 0, text, strlen(text))) fail_msg("%zu: taken", i);
        if (!strstr(tw_error_message(), "execution profile:1:")) fail_msg("%zu: %s", i, tw_error_message());
        *at = wrong[i].what[wrong[i].at];
    }
    tw_profile *whole = tw_profile_load(NULL, 0, text, strlen(text));
    if (!whole) fail_msg("%s", tw_error_message());
    free(text), tw_profile_free(loaded), tw_profile_free(whole), tw_profile_free(p);
}

static void profile_json_errors(void **state)
{
    (void)state;
    static const struct {
        bool graph;
        const char *json, *place, *what;
    } rows[] = {
        { true, "", "graph profile:1:0", "" },
        { true, "{\n \"a\": ]", "graph profile:2:7", "" },
        { true, "[]", "top level", "object" },
        { true, "{}", "top level", "no target" },
        { true, "{\"tilewright\":{\"schema\":2}," TARGET "}", "tilewright", "newer" },
        { true, "{\"tilewright\":{\"part\":\"execution\"}," TARGET "}", "tilewright", "graph part" },
        { true, "{\"target\":{\"numIPUs\":3,\"tilesPerIPU\":5,\"numTiles\":16}}", "target", "do not make" },
        { true, "{\"target\":{\"numIPUs\":1,\"tilesPerIPU\":4000000000}}", "target", "do not make" },
        { true, "{\"target\":{\"numIPUs\":1,\"tilesPerIPU\":4,\"numReplicas\":5}}", "target", "replicas" },
        { true, "{\"target\":{\"numIPUs\":\"1\"}}", "target.numIPUs", "a number" },
        { true, "{" TARGET ",\"graph\":[]}", "graph", "an object" },
        { true, "{" TARGET ",\"graph\":{\"numVars\":-1}}", "graph.numVars", "not negative" },
        { true, "{" TARGET ",\"optimizationInfo\":{\"a\":\"b\"}}", "optimizationInfo.a", "a number" },
        { true, "{" TARGET ",\"memory\":{\"byTile\":{\"total\":[1,2,3,4,5]}}}", "memory.byTile.total",
          "5 values for 4" },
        { true, "{" TARGET ",\"memory\":{\"byTile\":{\"total\":[1,\"2\"]}}}", "memory.byTile.total[1]",
          "a number" },
        { true, "{" TARGET ",\"memory\":{\"byCategory\":{\"stack\":3}}}", "memory.byCategory.stack", "an object" },
        { true, "{" TARGET ",\"memory\":{\"byCategory\":{\"stack\":{\"fidelity\":\"sure\"}}}}",
          "memory.byCategory.stack.fidelity", "'sure'" },
        { true, "{" TARGET ",\"memory\":{\"byVertexType\":{\"codeBytes\":[[1]]}}}", "memory.byVertexType.codeBytes",
          "1 entries for 0" },
        { true, "{" TARGET ",\"memory\":{\"liveness\":{\"programs\":[{\"program\":3}]}}}",
          "memory.liveness.programs[0]", "no such" },
        { true, "{" TARGET ",\"programs\":[{\"type\":\"If\",\"children\":[1]}]}", "programs[0].children",
          "program 1" },
        { true, "{" TARGET ",\"programs\":[7]}", "programs[0]", "an object" },
        { true, "{" TARGET ",\"vertexTypes\":{\"names\":[1]}}", "vertexTypes.names[0]", "a text" },
        { true, "{" TARGET ",\"computeSets\":{\"names\":[\"a\"],\"vertexCounts\":[[1]],\"vertexTypes\":[[9]]}}",
          "computeSets", "vertex type 9" },
        { true, "{" TARGET ",\"exchanges\":{\"cyclesByTile\":[[0],[-3]]}}", "exchanges.cyclesByTile[1][0]", "" },
        { false, "{" TARGET ",\"simulation\":{\"steps\":[{\"cycles\":1,\"cyclesOverlapped\":2}]}}",
          "simulation.steps[0]", "overlap" },
        { false, "{" TARGET ",\"simulation\":{\"steps\":[{\"cyclesFrom\":5,\"cyclesTo\":4}]}}",
          "simulation.steps[0]", "order" },
        { false, "{" TARGET ",\"simulation\":{\"steps\":[{\"activeCyclesByVertexType\":[1]}]}}",
          "simulation.steps[0].activeCyclesByVertexType[0]", "vertex type" },
        { false, "{" TARGET ",\"simulation\":{\"steps\":[{\"activeTiles\":5}]}}", "simulation.steps[0]",
          "too many" },
        { false, "{" TARGET ",\"simulation\":{\"cyclesByVertexType\":[5]}}", "simulation.cyclesByVertexType",
          "0 vertex" },
        { false, "{" TARGET ",\"simulation\":{\"plan\":[],\"trace\":{\"rules\":[{\"first\":0,\"count\":1}]}}}",
          "simulation.trace.rules[0]", "plan of 0" },
        { false,
          "{" TARGET ",\"simulation\":{\"plan\":[{}],\"trace\":{\"rules\":[{\"first\":0,\"count\":1},"
          "{\"items\":[[1,1]]}]}}}",
          "simulation.trace.rules[1]", "earlier" },
        { false, "{" TARGET ",\"simulation\":{\"plan\":[{}],\"trace\":{\"runs\":[{\"rule\":0}]}}}",
          "simulation.trace.runs[0]", "no rule" },
        { false, "{" TARGET ",\"vertexCycles\":[1],\"vertexComputeSet\":[]}", "vertexComputeSet", "1 values" },
        { false, "{}", "top level", "no target" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_profile *p = (tw_profile *)&rows; /* set to NULL on failure */
        size_t size = strlen(rows[i].json);
        tw_status status = rows[i].graph ? tw_status_of(p = tw_profile_load(rows[i].json, size, NULL, 0))
                                         : tw_status_of(p = tw_profile_load(NULL, 0, rows[i].json, size));
        const char *message = tw_error_message();
        if (status != TW_E_PARSE || p || !strstr(message, rows[i].place) || !strstr(message, rows[i].what))
            fail_msg("row %zu: %s: status %d, '%s'", i, rows[i].json, status, message);
    }
    tw_profile *p = NULL;
    assert_int_equal(tw_status_of(p = tw_profile_load(NULL, 0, NULL, 0)), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_status_of(p = tw_profile_load_files("/nowhere/graph.json", NULL)), TW_E_FILE_LOAD);
    assert_non_null(strstr(tw_error_message(), "/nowhere/graph.json"));
}

/* Loops of programs and traces that claim more steps than any machine runs do not hang the readers. */
static void profile_json_hostile(void **state)
{
    (void)state;
    static const char cycle[] =
        "{" TARGET ",\"programs\":[{\"children\":[1,0]},{\"children\":[0,1]},{\"children\":[0]}],"
        "\"memory\":{\"liveness\":{}}}";
    tw_profile *p = NULL;
    assert_int_equal(tw_status_of(p = tw_profile_load(cycle, strlen(cycle), NULL, 0)), TW_OK);
    unsigned depth, seen = 0;
    for (uint32_t at = tw__profile_next_program(p, TW__NONE, &depth); at != TW__NONE;
         at = tw__profile_next_program(p, at, &depth))
        seen++;
    assert_int_equal(seen, 3);
    tw_profile_free(p);
    char bomb[4096];
    size_t n = (size_t)snprintf(
        bomb, sizeof bomb,
        "{" TARGET ",\"simulation\":{\"plan\":[{\"cycles\":1}],\"trace\":{\"rules\":[{\"first\":0,\"count\":1}");
    for (int i = 0; i < 20; i++)
        n += (size_t)snprintf(bomb + n, sizeof bomb - n, ",{\"items\":[[%d,4000000000]]}", i);
    snprintf(bomb + n, sizeof bomb - n, "],\"runs\":[{\"rule\":20}]}}}");
    assert_int_equal(tw_status_of(p = tw_profile_load(NULL, 0, bomb, strlen(bomb))), TW_E_PARSE);
    assert_non_null(strstr(tw_error_message(), "too many executed steps"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_json_round_trip),   cmocka_unit_test(profile_json_members),
        cmocka_unit_test(profile_json_vendor_steps), cmocka_unit_test(profile_json_long_run),
        cmocka_unit_test(profile_json_errors),       cmocka_unit_test(profile_json_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
