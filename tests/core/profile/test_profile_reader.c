/* SPDX-License-Identifier: MIT */
/* Reading profile files: each mistake is named with its place in the file, each limit holds, members mean what
 * docs/profile.md says, also where two spellings or two entries meet. */
#include "core/profile/json.h"
#include "core/profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define TARGET       "\"target\": {\"numTiles\": 4, \"tilesPerIPU\": 2, \"numIPUs\": 2}"
#define TYPES        "\"vertexTypes\": {\"names\": [\"a\", \"b\"], \"sizes\": [4, 8]}"
#define G(members)   "{" TARGET ", " TYPES ", " members "}"
#define STEPS(steps) "{\"simulation\": {\"steps\": [" steps "]}}"
#define PLAN(trace)  "{\"simulation\": {\"plan\": [{\"cycles\": 1}, {\"cycles\": 2}], \"trace\": {" trace "}}}"
#define NOTHING      G("\"graph\": {}")

static const struct {
    const char *graph, *execution, *message;
} mistakes[] = {
    { "[]", NULL, "graph profile: top level: an object expected" },
    { "{}", NULL, "graph profile: top level: there is no target: the number of tiles is not known" },
    { "{\"target\": 3}", NULL, "graph profile: target: an object expected" },
    { "{\"target\": {\"numTiles\": 5, \"tilesPerIPU\": 2, \"numIPUs\": 2}}", NULL,
      "graph profile: target: 2 IPUs of 2 tiles do not make 5 tiles" },
    { "{\"target\": {\"numTiles\": 4, \"numIPUs\": 0}}", NULL,
      "graph profile: target: 0 IPUs of 0 tiles do not make 4 tiles" },
    { "{\"target\": {\"numIPUs\": 2}}", NULL, "graph profile: target: 2 IPUs of 0 tiles do not make 0 tiles" },
    { "{\"target\": {\"numTiles\": 4, \"numIPUs\": 2, \"numReplicas\": 5}}", NULL,
      "graph profile: target: 5 replicas do not fit 4 tiles" },
    { "{\"target\": {\"numTiles\": 4, \"numIPUs\": 2, \"numReplicas\": 0}}", NULL,
      "graph profile: target: 0 replicas do not fit 4 tiles" },
    { "{\"target\": {\"numTiles\": -4}}", NULL,
      "graph profile: target.numTiles: a number that is not negative expected" },
    { "{\"target\": {\"numTiles\": \"4\"}}", NULL, "graph profile: target.numTiles: a number expected" },
    { "{\"target\": {\"numTiles\": 4, \"clockFrequency\": -1}}", NULL,
      "graph profile: target.clockFrequency: a number that is not negative expected" },
    { "{\"target\": {\"numTiles\": 4, \"type\": 1}}", NULL, "graph profile: target.type: a text expected" },
    { "{" TARGET ", \"vertexTypes\": {\"names\": [\"a\", 3]}}", NULL,
      "graph profile: vertexTypes.names[1]: a text expected" },
    { "{" TARGET ", \"vertexTypes\": {\"names\": 3}}", NULL,
      "graph profile: vertexTypes.names: an array expected" },
    { "{\"tilewright\": {\"part\": \"execution\"}, " TARGET "}", NULL,
      "graph profile: tilewright: this is the execution part, the graph part is expected" },
    { G("\"graph\": {\"numVars\": []}"), NULL, "graph profile: graph.numVars: a number expected" },
    { G("\"graph\": {\"numEdges\": -1}"), NULL,
      "graph profile: graph.numEdges: a number that is not negative expected" },
    { G("\"optimizationInfo\": {\"x\": \"y\"}"), NULL, "graph profile: optimizationInfo.x: a number expected" },
    { G("\"computeSets\": {\"names\": [1]}"), NULL, "graph profile: computeSets.names[0]: a text expected" },
    { G("\"computeSets\": {\"names\": [\"c\"], \"vertexCounts\": [[1]], \"vertexTypes\": [[0, 1]]}"), NULL,
      "graph profile: computeSets: vertexCounts and vertexTypes of compute set 0 differ in length" },
    { G("\"computeSets\": {\"names\": [\"c\"], \"vertexCounts\": [[1]], \"vertexTypes\": [[2]]}"), NULL,
      "graph profile: computeSets: compute set 0 names vertex type 2 of 2" },
    { G("\"exchanges\": {\"bytesSentByTile\": [[1], [1, 2, 3, 4, 5]]}"), NULL,
      "graph profile: exchanges.bytesSentByTile[1]: 5 values for 4 tiles" },
    { G("\"hostExchanges\": {\"codeBytesByTile\": [[1, \"x\"]]}"), NULL,
      "graph profile: hostExchanges.codeBytesByTile[0][1]: a number that is not negative expected" },
    { G("\"externalExchanges\": {\"cyclesByTile\": [{}]}"), NULL,
      "graph profile: externalExchanges.cyclesByTile[0]: an array with a number for each tile expected" },
    { G("\"programs\": [{}, 3]"), NULL, "graph profile: programs[1]: an object expected" },
    { G("\"programs\": [{\"children\": [1]}]"), NULL,
      "graph profile: programs[0].children: program 1 does not exist" },
    { G("\"programs\": [{}, {\"children\": [0, -1]}]"), NULL,
      "graph profile: programs[1].children[1]: a number that is not negative expected" },
    { G("\"memory\": {\"byCategory\": {\"x\": 3}}"), NULL,
      "graph profile: memory.byCategory.x: an object expected" },
    { G("\"memory\": {\"byCategory\": {\"x\": {\"fidelity\": \"sure\"}}}"), NULL,
      "graph profile: memory.byCategory.x.fidelity: 'sure' is none of exact, modelled, estimated, absent" },
    { G("\"memory\": {\"byCategory\": {\"x\": {\"interleaved\": {\"overlapped\": [1, 2, 3, 4, 5]}}}}"), NULL,
      "graph profile: memory.byCategory.x.interleaved.overlapped: 5 values for 4 tiles" },
    { G("\"memory\": {\"byTile\": {\"totalIncludingGaps\": \"x\"}}"), NULL,
      "graph profile: memory.byTile.totalIncludingGaps: an array with a number for each tile expected" },
    { G("\"memory\": {\"liveness\": {\"programs\": [{\"program\": 0}]}}"), NULL,
      "graph profile: memory.liveness.programs[0]: there is no such program" },
    { G("\"programs\": [{}], \"memory\": {\"liveness\": {\"programs\": [{\"program\": 0}, {\"program\": 1}]}}"),
      NULL, "graph profile: memory.liveness.programs[1]: there is no such program" },
    { G("\"memory\": {\"byTile\": {\"total\": [1], \"totalIncludingGaps\": \"x\"}}"), NULL,
      "graph profile: memory.byTile.totalIncludingGaps: an array with a number for each tile expected" },
    /* After a place was left, the next mistake is named without it. */
    { G("\"graph\": {\"numVars\": 1}, \"optimizationInfo\": 3"), NULL,
      "graph profile: optimizationInfo: an object expected" },
    { G("\"memory\": {\"byTile\": {\"total\": [1, 2]}, \"byRegion\": 4}"), NULL,
      "graph profile: memory.byRegion: an object expected" },
    { G("\"exchanges\": {\"bytesSentByTile\": [[1.5, 2]]}, \"programs\": {}"), NULL,
      "graph profile: programs: an array expected" },
    { NOTHING, "{\"simulation\": {\"cyclesByVertexType\": [1, 2, 3]}}",
      "execution profile: simulation.cyclesByVertexType: 3 entries for 2 vertex types" },
    { NOTHING, "{\"simulation\": {\"tileCycles\": {\"activeCompute\": [1, 2, 3, 4, 5]}}}",
      "execution profile: simulation.tileCycles.activeCompute: 5 values for 4 tiles" },
    { NOTHING, STEPS("3"), "execution profile: simulation.steps[0]: an object expected" },
    { NOTHING, STEPS("{}, {\"cycles\": 1, \"cyclesOverlapped\": 2}"),
      "execution profile: simulation.steps[1]: more cycles overlap than the step has" },
    { NOTHING, STEPS("{\"cyclesFrom\": 5, \"cyclesTo\": 4}"),
      "execution profile: simulation.steps[0]: cyclesFrom and cyclesTo are not in order" },
    { NOTHING, STEPS("{\"cyclesFrom\": 9007199254740993, \"cyclesTo\": 9007199254740994}"),
      "execution profile: simulation.steps[0]: cyclesFrom and cyclesTo are not in order" },
    { NOTHING, STEPS("{\"cyclesFrom\": 0, \"cyclesTo\": 9007199254740993}"),
      "execution profile: simulation.steps[0]: cyclesFrom and cyclesTo are not in order" },
    { NOTHING, STEPS("{\"activeCyclesByVertexType\": [1, 2, 3]}"),
      "execution profile: simulation.steps[0].activeCyclesByVertexType[2]: there is no such vertex type" },
    { NOTHING, STEPS("{\"activeCyclesByVertexType\": [{\"cycles\": 1, \"vertexType\": 2}]}"),
      "execution profile: simulation.steps[0].activeCyclesByVertexType[0]: there is no such vertex type" },
    { NOTHING, STEPS("{\"activeTiles\": 5}"),
      "execution profile: simulation.steps[0]: 5 active tiles are too many" },
    { NOTHING, PLAN("\"rules\": [{\"first\": 0, \"count\": 3}]"),
      "execution profile: simulation.trace.rules[0]: steps are not in a plan of 2 steps" },
    { NOTHING, PLAN("\"rules\": [{\"first\": 2, \"count\": 1}]"),
      "execution profile: simulation.trace.rules[0]: steps are not in a plan of 2 steps" },
    { NOTHING, PLAN("\"rules\": [{\"first\": 1, \"count\": 2}]"),
      "execution profile: simulation.trace.rules[0]: steps are not in a plan of 2 steps" },
    { NOTHING,
      PLAN("\"rules\": [{\"first\": 0, \"count\": 2}], \"runs\": [{\"rule\": 0, \"times\": 4503599627370497}]"),
      "execution profile: simulation.trace.runs[0]: too many executed steps" },
    { NOTHING, PLAN("\"runs\": [{\"times\": 9007199254740993}]"),
      "execution profile: simulation.trace.runs[0]: too many executed steps" },
    { NOTHING, PLAN("\"rules\": [{\"first\": 0, \"count\": 0}]"),
      "execution profile: simulation.trace.rules[0]: steps are not in a plan of 2 steps" },
    { NOTHING, PLAN("\"rules\": [{\"items\": []}]"),
      "execution profile: simulation.trace.rules[0]: a rule without items" },
    { NOTHING, PLAN("\"rules\": [{\"first\": 0, \"count\": 1}, {\"items\": [[1, 1]]}]"),
      "execution profile: simulation.trace.rules[1]: items name earlier rules and a count above 0" },
    { NOTHING, PLAN("\"rules\": [{\"first\": 0, \"count\": 1}, {\"items\": [[0, 0]]}]"),
      "execution profile: simulation.trace.rules[1]: items name earlier rules and a count above 0" },
    { NOTHING, PLAN("\"rules\": [{\"first\": 0, \"count\": 1}, {\"items\": [[0, 4294967296]]}]"),
      "execution profile: simulation.trace.rules[1]: items name earlier rules and a count above 0" },
    { NOTHING,
      PLAN(
          "\"rules\": [{\"first\": 0, \"count\": 2}, {\"items\": [[0, 4294967295]]}, {\"items\": [[1, 1048577]]}]"),
      "execution profile: simulation.trace.rules[2]: too many executed steps" },
    { NOTHING, PLAN("\"rules\": [{\"first\": 0, \"count\": 1}], \"runs\": [{\"rule\": 1}]"),
      "execution profile: simulation.trace.runs[0]: there is no rule 1" },
    { NOTHING, PLAN("\"rules\": [{\"first\": 0, \"count\": 1}], \"runs\": [{\"rule\": 4000}]"),
      "execution profile: simulation.trace.runs[0]: there is no rule 4000" },
    { NOTHING,
      PLAN("\"rules\": [{\"first\": 0, \"count\": 1}], \"runs\": [{\"rule\": 0}, {\"rule\": 0, \"times\": "
           "9007199254740992}]"),
      "execution profile: simulation.trace.runs[1]: too many executed steps" },
    { NOTHING, "{\"vertexCycles\": [1, 2], \"vertexComputeSet\": [0], \"vertexType\": [0, 0]}",
      "execution profile: vertexComputeSet: 2 values expected" },
};

static tw_status load(tw_profile **p, const char *graph, const char *execution)
{
    return tw_status_of(
        *p = tw_profile_load(graph, graph ? strlen(graph) : 0, execution, execution ? strlen(execution) : 0));
}

static void profile_reader_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        tw_profile *p;
        tw_status status = load(&p, mistakes[i].graph, mistakes[i].execution);
        if (status != TW_E_PARSE || strcmp(tw_error_message(), mistakes[i].message))
            fail_msg("row %zu: %s: %s", i, tw_status_name(status), tw_error_message());
        assert_null(p);
    }
}

/* What just fits. */
static void profile_reader_limits(void **state)
{
    static const char *const rows[][2] = {
        { NOTHING, STEPS("{\"cyclesFrom\": 9007199254740992, \"cyclesTo\": 9007199254740992}") },
        { NOTHING, STEPS("{\"cycles\": 2, \"cyclesOverlapped\": 2}") },
        { NOTHING, STEPS("{\"activeTiles\": 4}") },
        { NOTHING, STEPS("{\"activeCyclesByVertexType\": [1, 2]}") },
        { NOTHING, PLAN("\"rules\": [{\"first\": 1, \"count\": 1}, {\"items\": [[0, 4294967295]]}], \"runs\": "
                        "[{\"rule\": 1}]") },
        { NOTHING, PLAN("\"rules\": [{\"first\": 0, \"count\": 1}], \"runs\": [{\"rule\": 0, \"times\": "
                        "9007199254740992}]") },
        { G("\"exchanges\": {\"bytesSentByTile\": [[1, 2, 3, 4]]}"), NULL },
        { "{\"target\": {\"numTiles\": 4, \"numIPUs\": 2, \"numReplicas\": 2}}", NULL },
        { "{\"target\": {\"numTiles\": 4, \"numIPUs\": 2, \"numReplicas\": 4}}", NULL },
        { NOTHING, PLAN("\"rules\": [{\"first\": 0, \"count\": 2}], \"runs\": [{\"rule\": 0, \"times\": "
                        "4503599627370496}]") },
        { NOTHING, PLAN("\"runs\": [{\"times\": 9007199254740992}]") },
        { G("\"graph\": {\"numVars\": 0.0, \"numEdges\": 1.5}"), NULL },
        { "{\"target\": {\"tilesPerIPU\": 4, \"numIPUs\": 2}}", NULL },
        /* 2^21 x (2^32 - 1) + 2^21 = 2^53 steps */
        { NOTHING, PLAN("\"rules\": [{\"first\": 0, \"count\": 1}, {\"items\": [[0, 4294967295]]}, {\"items\": "
                        "[[1, 2097152], "
                        "[0, 2097152]]}], \"runs\": [{\"rule\": 2}]") },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_profile *p;
        if (load(&p, rows[i][0], rows[i][1]) != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
        tw_profile_free(p);
    }
}

static void profile_reader_values(void **state)
{
    (void)state;
    tw_profile *p;
    assert_int_equal(
        load(&p,
             G("\"graph\": {\"numVertices\": 7, \"numComputeSets\": 3}, "
               "\"computeSets\": {\"names\": [\"c\", \"d\"], \"vertexCounts\": [[1, 2, 4], [8]], "
               "\"vertexTypes\": [[1, 0, 1], [1]]}, "
               "\"exchanges\": {\"estimatedCyclesByTile\": [[5, 6]], \"bytesSentByTile\": [[1], [2, 3]]}, "
               "\"programs\": [{\"type\": \"Sequence\", \"children\": [1]}, {\"type\": \"Dance\"}], "
               "\"memory\": {\"byTile\": {\"total\": [1, 2, 3, 4]}, "
               "\"byCategory\": {\"x\": {\"interleaved\": {\"nonOverlapped\": [0, 9]}}}}"),
             NULL),
        TW_OK);
    /* Entries of one compute set and type are one; they are sorted. */
    assert_int_equal(p->set_counts.count, 3);
    static const uint32_t wanted[3][3] = { { 0, 0, 2 }, { 0, 1, 5 }, { 1, 1, 8 } };
    for (int i = 0; i < 3; i++) {
        assert_int_equal(p->set_counts.items[i].compute_set, wanted[i][0]);
        assert_int_equal(p->set_counts.items[i].vertex_type, wanted[i][1]);
        assert_int_equal(p->set_counts.items[i].count, wanted[i][2]);
    }
    assert_int_equal(p->programs.count, 2);
    assert_int_equal(p->programs.items[1].type, TW_PROGRAM_OTHER);
    assert_int_equal(p->programs.items[1].parent, 0);
    tw_fidelity fidelity;
    assert_int_equal(tw_profile_memory(p, "x", &fidelity), 9);
    assert_int_equal(fidelity, TW_FIDELITY_EXACT);
    uint64_t by_tile[4];
    assert_true(tw_profile_memory_by_tile(p, by_tile));
    for (int t = 0; t < 4; t++) assert_int_equal(by_tile[t], t + 1);
    /* Both spellings of an exchange's cycles are one figure, and come back under the name that is written. */
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(tw_profile_write_graph_json(p, out, false), TW_OK);
    fclose(out);
    assert_non_null(strstr(text, "[5,6"));
    assert_non_null(strstr(text, "\"numVertices\":7"));
    assert_non_null(strstr(text, "\"numVars\":0"));
    assert_non_null(strstr(text, "\"numEdges\":0"));
    assert_non_null(strstr(text, "\"Dance\""));
    free(text);
    tw_profile_free(p);
}

typedef struct seen {
    unsigned count, active_tiles;
    double tile_balance;
} seen;

static bool look(void *user, const tw_profile_step *step)
{
    seen *s = user;
    s->count++, s->active_tiles = step->active_tiles, s->tile_balance = step->tile_balance;
    return true;
}

/* What a file leaves out follows from what it says. */
static void profile_reader_defaults(void **state)
{
    static const struct {
        const char *graph;
        unsigned tiles, ipus, each, replicas;
    } rows[] = {
        { "{\"target\": {\"numTiles\": 4}}", 4, 1, 4, 1 },
        { "{\"target\": {\"numTiles\": 4, \"numIPUs\": 2}}", 4, 2, 2, 1 },
        { "{\"target\": {\"tilesPerIPU\": 3, \"numIPUs\": 2, \"numReplicas\": 2}}", 6, 2, 3, 2 },
    };
    (void)state;
    tw_profile *p;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(load(&p, rows[i].graph, NULL), TW_OK);
        assert_int_equal(p->target.tiles, rows[i].tiles);
        assert_int_equal(p->target.ipus, rows[i].ipus);
        assert_int_equal(p->target.tiles_per_ipu, rows[i].each);
        assert_int_equal(p->target.replicas, rows[i].replicas);
        tw_profile_free(p);
    }
    char most[100];
    snprintf(most, sizeof most, "{\"target\": {\"tilesPerIPU\": %lu}}", (unsigned long)TW__MAX_TILES);
    assert_int_equal(load(&p, most, NULL), TW_OK);
    tw_profile_free(p);
    snprintf(most, sizeof most, "{\"target\": {\"tilesPerIPU\": %lu}}", (unsigned long)TW__MAX_TILES + 1);
    assert_int_equal(load(&p, most, NULL), TW_E_PARSE);
    /* Figures that a step states instead of the rows they follow from. */
    seen s = { 0 };
    assert_int_equal(
        load(&p, NOTHING,
             STEPS("{\"type\": \"OnTileExecute\", \"cycles\": 9, \"activeTiles\": 3, \"tileBalance\": 0.5}")),
        TW_OK);
    tw_profile_each_step(p, look, &s);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.active_tiles, 3);
    assert_true(s.tile_balance == 0.5);
    tw_profile_free(p);
}

/* The largest numbers that fit, and one more. */
static void profile_reader_bounds(void **state)
{
    const unsigned long most = TW__MAX_TILES;
    const struct {
        const char *graph; /* %lu: the number */
        unsigned long fits;
    } rows[] = {
        { "{\"target\": {\"tilesPerIPU\": 1, \"numIPUs\": %lu}}", most },
        { "{\"target\": {\"tilesPerIPU\": 1, \"numIPUs\": 1, \"grid\": {\"columns\": 1, \"rows\": %lu}}}", most },
        { "{\"target\": {\"tilesPerIPU\": 1, \"numIPUs\": 1, \"grid\": {\"columns\": %lu, \"rows\": 1}}}", most },
        { G("\"memory\": {\"variables\": {\"names\": [\"\"], \"name\": [0], \"type\": [0], \"bytes\": [0], "
            "\"elements\": [0], \"tiles\": [%lu], \"firstTile\": [0], \"alwaysLive\": [1]}}"),
          most },
        { G("\"memory\": {\"variables\": {\"names\": [\"\"], \"name\": [0], \"type\": [0], \"bytes\": [0], "
            "\"elements\": [0], \"tiles\": [0], \"firstTile\": [%lu], \"alwaysLive\": [1]}}"),
          most - 1 },
        { G("\"memory\": {\"variables\": {\"names\": [\"\"], \"name\": [0], \"type\": [0], \"bytes\": [%lu], "
            "\"elements\": [0], \"tiles\": [0], \"firstTile\": [0], \"alwaysLive\": [1]}}"),
          (1ul << 53) - 1 },
        { G("\"memory\": {\"variables\": {\"names\": [\"\"], \"name\": [0], \"type\": [0], \"bytes\": [0], "
            "\"elements\": [0], \"tiles\": [0], \"firstTile\": [0], \"alwaysLive\": [%lu]}}"),
          1 },
        { G("\"exchangePairs\": {\"kind\": [%lu], \"exchange\": [0], \"from\": [0], \"to\": [0], \"bytes\": [0], "
            "\"messages\": [0]}"),
          2 },
        { G("\"exchangePairs\": {\"kind\": [0], \"exchange\": [0], \"from\": [%lu], \"to\": [0], \"bytes\": [0], "
            "\"messages\": [0]}"),
          3 },
        { G("\"exchangePairs\": {\"kind\": [0], \"exchange\": [0], \"from\": [0], \"to\": [%lu], \"bytes\": [0], "
            "\"messages\": [0]}"),
          3 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned more = 0; more < 2; more++) {
            char text[800];
            tw_profile *p;
            snprintf(text, sizeof text, rows[i].graph, rows[i].fits + more);
            if ((load(&p, text, NULL) == TW_OK) != !more)
                fail_msg("row %zu, %u more: %s", i, more, tw_error_message());
            tw_profile_free(p);
        }
}

/* Plain cycles in the order of vertex types belong to as many instances as the compute set has of the type. */
static void profile_reader_instances(void **state)
{
    (void)state;
    tw_profile *p;
    assert_int_equal(load(&p,
                          G("\"computeSets\": {\"names\": [\"c\", \"d\"], \"vertexCounts\": [[7], [8]], "
                            "\"vertexTypes\": [[1], [0]]}"),
                          STEPS("{\"type\": \"OnTileExecute\", \"computeset\": 0, \"cycles\": 9, "
                                "\"activeCyclesByVertexType\": [5, 6]}")),
                     TW_OK);
    assert_int_equal(p->type_cycles.count, 2);
    assert_int_equal(p->type_cycles.items[0].instances, 0);
    assert_int_equal(p->type_cycles.items[1].instances, 7);
    assert_int_equal(p->steps.items[0].thread_cycles, 11);
    tw_profile_free(p);
}

/* The first type and the last are known by name as well. */
static void profile_reader_types(void **state)
{
    (void)state;
    for (int t = 0; t < TW_PROGRAM_OTHER; t++) {
        char graph[400], execution[200];
        tw_profile *p;
        const char *name = tw_program_type_name((tw_program_type)t);
        snprintf(graph, sizeof graph, G("\"programs\": [{\"type\": \"%s\"}]"), name);
        snprintf(execution, sizeof execution, STEPS("{\"type\": \"%s\"}"), name);
        assert_int_equal(load(&p, graph, execution), TW_OK);
        assert_int_equal(p->programs.items[0].type, t);
        assert_int_equal(p->steps.items[0].type, t);
        tw_profile_free(p);
    }
}

/* One ratio alone counts, also when it is 0; syncs have none. */
static bool keep(void *user, const tw_profile_step *step)
{
    *(tw_profile_step *)user = *step;
    return true;
}

static void profile_reader_ratios(void **state)
{
    static const struct {
        const char *key;
        size_t offset;
    } rows[] = {
        { "tileBalance", offsetof(tw_profile_step, tile_balance) },
        { "activeTileBalance", offsetof(tw_profile_step, active_tile_balance) },
        { "threadBalance", offsetof(tw_profile_step, thread_balance) },
        { "dataBalance", offsetof(tw_profile_step, data_balance) },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 3; k++) { /* stated as 0, as 0.25, not stated */
            char text[300];
            tw_profile *p;
            tw_profile_step got, plain;
            snprintf(text, sizeof text, STEPS("{\"type\": \"DoExchange\", \"cycles\": 9, \"%s\": %s}"), rows[i].key,
                     k == 0   ? "0"
                     : k == 1 ? "0.25"
                              : "null");
            assert_int_equal(load(&p, NOTHING, text), TW_OK);
            tw_profile_each_step(p, keep, &got);
            tw_profile_free(p);
            assert_int_equal(load(&p, NOTHING, STEPS("{\"type\": \"DoExchange\", \"cycles\": 9}")), TW_OK);
            tw_profile_each_step(p, keep, &plain);
            tw_profile_free(p);
            double value = *(double *)((char *)&got + rows[i].offset),
                   otherwise = *(double *)((char *)&plain + rows[i].offset),
                   want = k == 2 ? otherwise
                          : k    ? 0.25
                                 : 0;
            if (value != want) fail_msg("%s is %g, not %g", rows[i].key, value, want);
        }
}

/* A file may hold one part or both (docs/profile.md). */
static void profile_reader_files(void **state)
{
#define BOTH(members) "{\"tilewright\": {\"part\": \"both\"}" members "}"
    static const struct {
        const char *text, *message; /* NULL: read */
        bool graph, execution;
    } rows[] = {
        { BOTH(", \"graph\": " NOTHING), NULL, true, false },
        { BOTH(", \"execution\": {" TARGET ", \"simulation\": {\"steps\": []}}"), NULL, false, true },
        { BOTH(", \"graph\": " NOTHING ", \"execution\": " STEPS("")), NULL, true, true },
        { BOTH(""), "top level: neither \"graph\" nor \"execution\"", false, false },
        { BOTH(", \"graph\": " NOTHING ", \"execution\": 3"), "execution: an object expected", false, false },
        { BOTH(", \"graph\": 3, \"execution\": {}"), "graph: an object expected", false, false },
        { "{\"tilewright\": {\"part\": \"both\", \"schema\": 99}}", "tilewright: schema 99 is newer than the",
          false, false },
        { NOTHING, NULL, true, false },
        { "{" TARGET ", \"simulation\": {\"steps\": []}}", NULL, false, true },
        { "{" TARGET ", \"programTrace\": []}", NULL, false, true },
        { "{\"tilewright\": {\"part\": \"execution\"}, " TARGET "}", NULL, false, true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[] = "/tmp/profile_reader_XXXXXX";
        int fd = mkstemp(name);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, rows[i].text, strlen(rows[i].text)), (ssize_t)strlen(rows[i].text));
        close(fd);
        tw_profile *p = tw_profile_load_file(name);
        tw_status status = tw_status_of(p);
        unlink(name);
        if (rows[i].message) {
            if (status != TW_E_PARSE || !strstr(tw_error_message(), rows[i].message) || p)
                fail_msg("row %zu: %s", i, status ? tw_error_message() : "read");
            continue;
        }
        if (status != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
        assert_int_equal(tw_profile_has_graph(p), rows[i].graph);
        assert_int_equal(tw_profile_has_execution(p), rows[i].execution);
        tw_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_reader_mistakes), cmocka_unit_test(profile_reader_limits),
        cmocka_unit_test(profile_reader_values),   cmocka_unit_test(profile_reader_defaults),
        cmocka_unit_test(profile_reader_bounds),   cmocka_unit_test(profile_reader_instances),
        cmocka_unit_test(profile_reader_ratios),   cmocka_unit_test(profile_reader_types),
        cmocka_unit_test(profile_reader_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
