/* SPDX-License-Identifier: MIT */
/* What profiles learn for reports: it survives JSON, equal maps are stored once, lists are bounded, damaged files are
 * refused with the place of the damage. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core/profile/json.h"
#include "core/profile/profile.h"

#include <glib.h>
#include <stdlib.h>

enum { TILES = 6 };

static tw_profile *make(void)
{
    tw_profile *p = tw__profile_new(&(tw__profile_target){
        .type = "WSE", .ipus = 1, .tiles_per_ipu = TILES, .replicas = 1, .bytes_per_tile = 4096, .clock_hz = 1e9 });
    tw__profile_set_grid(p, 3, 2, true);
    tw__profile_set_fact(p, "program", "old");
    tw__profile_set_fact(p, "program", "new \"quoted\"");
    tw__profile_add_memory_limit(p, "UB", 1024);
    for (uint32_t t = 0; t < TILES; t++) {
        tw__profile_map_begin(p, t);
        tw__profile_map_add(p, &(tw__block_desc){ 64, 32, "b", "variable", 2, 3, 2 });
        tw__profile_map_add(p,
                            &(tw__block_desc){ t == 5 ? 8 : 0, 16, "a", "variable", TW__NONE, TW__NONE, TW__NONE });
        tw__profile_map_end(p);
    }
    tw__profile_map_in_cycles(p);
    tw__profile_add_region(p, "bank 0", "UB", 0, 512);
    tw__profile_add_exchange(p, TW__EXCHANGE_GLOBAL,
                             (tw__exchange){ .content = (UINT64_C(1) << TW__CONTENT_BITS) - 1 });
    uint32_t leaf = tw__profile_add_program(p, TW_PROGRAM_ON_TILE_EXECUTE, "leaf", TW__NONE, TW__NONE, 0);
    tw__live_var live = { tw__profile_name(p, "a"), 12 };
    static const uint64_t live_tiles[TILES] = { 0, 4, 8 };
    tw__profile_set_live(p, leaf, &live, 1);
    tw__profile_set_live_tiles(p, leaf, tw__profile_row(p, live_tiles, TILES));
    tw__profile_set_liveness(p, 0, 0, 12);
    tw__profile_set_memory_fidelity(p, TW_FIDELITY_ESTIMATED, TW_FIDELITY_MODELLED);
    tw__profile_add_variable(p, &(tw__variable_desc){ "a", "float", 96, 24, 6, 0, true });
    tw__profile_add_pair(p, TW__EXCHANGE_GLOBAL, 7, 1, 2, 300, 3);
    tw__profile_name_pair(p, "FIFO 3");
    tw__profile_add_pair(p, TW__EXCHANGE_GLOBAL, 7, 2, 1, 300, 3); /* without a name */
    uint32_t set = tw__profile_add_compute_set(p, "set"), type = tw__profile_add_vertex_type(p, "kernel", 0);
    tw__type_cycles part = { .vertex_type = type, .instances = 2, .cycles = 30, .worst = 20, .worst_tile = 4 };
    const tw__work work[] = { { 0, type, 0, 18 }, { TW__NONE, type, 20, 50 } };
    uint32_t step = tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                                              .no_program = true,
                                                              .index = set,
                                                              .cycles = 50,
                                                              .types = &part,
                                                              .work = work,
                                                              .work_count = 2,
                                                              .work_tile = 4,
                                                              .type_count = 1 });
    uint32_t a = tw__profile_add_lane(p, 0, "core"), b = tw__profile_add_lane(p, 5, "dma");
    tw__profile_add_interval(p, &(tw__interval_desc){ a, 0, 10, "kernel", NULL, TW__NONE, NULL, 0 });
    tw__profile_add_interval(p, &(tw__interval_desc){ a, 10, 25, "kernel", "lock", b, NULL, 0 });
    tw__profile_add_interval(p, &(tw__interval_desc){ b, 5, 24, "copy", NULL, TW__NONE, NULL, 0 });
    tw__profile_omit_intervals(p, 9);
    tw__profile_add_wait(p, 3, "stream", 5, 12);
    tw__profile_add_wait(p, 3, "memory", TW__NONE, 0); /* no cycles: not kept */
    tw__profile_run_begin(p, "");
    tw__profile_step(p, step);
    tw__profile_run_end(p, 0);
    assert_int_equal(tw__profile_status(p), TW_OK);
    return p;
}

static void test_round_trip(void **state)
{
    (void)state;
    tw_profile *p = make(), *again;
    p->maps_omitted = 3, p->variables_omitted = 5, p->pairs_omitted = 7;
    assert_int_equal(p->maps.count, 2); /* tiles 0 to 4 share one */
    assert_int_equal(p->tile_maps.count, TILES);
    assert_int_equal(p->blocks.count, 4);
    char *graph = tw_profile_graph_json(p, false), *execution = tw_profile_execution_json(p, true);
    assert_int_equal(tw_status_of(again = tw_profile_load(graph, strlen(graph), execution, strlen(execution))),
                     TW_OK);
    char *graph2 = tw_profile_graph_json(again, false), *execution2 = tw_profile_execution_json(again, true);
    assert_string_equal(graph, graph2);
    assert_string_equal(execution, execution2);
    assert_int_equal(again->grid.columns, 3);
    assert_true(again->grid.column_major);
    assert_string_equal(again->names.items[again->facts.items[0].value], "new \"quoted\"");
    assert_int_equal(again->facts.count, 1);
    assert_int_equal(again->intervals_omitted, 9);
    assert_int_equal(again->maps_omitted, 3);
    assert_int_equal(again->variables_omitted, 5);
    assert_int_equal(again->pairs_omitted, 7);
    assert_string_equal(again->names.items[again->pairs.items[0].name], "FIFO 3");
    assert_int_equal(again->pairs.items[1].name, 0);
    assert_int_equal(again->waits.count, 1);
    assert_int_equal(again->intervals.items[1].partner, 1);
    assert_int_equal(again->intervals.items[0].partner, TW__NONE);
    assert_int_equal(again->blocks.items[0].address, 0); /* by address, whatever the order they came in */
    assert_int_equal(again->type_cycles.items[0].worst_tile, 4);
    assert_int_equal(again->blocks.items[0].used, TW__NONE);
    assert_int_equal(again->blocks.items[1].used, 2);
    assert_true(again->map_in_cycles);
    assert_string_equal(again->names.items[again->regions.items[0].category], "UB");
    assert_int_equal(again->regions.items[0].bytes, 512);
    assert_int_equal(again->exchanges[TW__EXCHANGE_GLOBAL].items[0].content, (UINT64_C(1) << TW__CONTENT_BITS) - 1);
    assert_int_equal(again->steps.items[0].work_count, 2);
    assert_int_equal(again->steps.items[0].work_tile, 4);
    assert_int_equal(again->work.items[1].worker, TW__NONE);
    assert_int_equal(again->work.items[0].to, 18);
    uint64_t tiles[TILES];
    assert_true(tw__profile_row_read(again, again->programs.items[0].live_tiles, tiles, TILES));
    assert_int_equal(tiles[2], 8);
    assert_int_equal(again->totals_fidelity, TW_FIDELITY_ESTIMATED);
    assert_int_equal(again->liveness_fidelity, TW_FIDELITY_MODELLED);
    free(graph), free(execution), free(graph2), free(execution2);
    tw_profile_free(p);
    tw_profile_free(again);
}

static void refuse(const char *graph, const char *execution, const char *part)
{
    tw_profile *p;
    if (tw_status_of(p = tw_profile_load(graph, strlen(graph), execution, execution ? strlen(execution) : 0)) !=
        TW_E_PARSE)
        fail_msg("taken: %s%s", graph, execution ? execution : "");
    if (!strstr(tw_error_message(), part)) fail_msg("'%s' is not in '%s'", part, tw_error_message());
}

#define HEAD "{\"target\":{\"numIPUs\":1,\"tilesPerIPU\":4}"

static void test_refused(void **state)
{
    (void)state;
    refuse("{\"target\":{\"numIPUs\":1,\"tilesPerIPU\":4,\"grid\":{\"columns\":1,\"rows\":3}}}", NULL,
           "do not hold");
    refuse(HEAD ",\"facts\":{\"a\":3}}", NULL, "facts");
    refuse(HEAD ",\"memory\":{\"variables\":{\"names\":[\"x\"],\"name\":[0],\"type\":[]}}}", NULL,
           "memory.variables.type: 1 values expected");
    refuse(HEAD ",\"memory\":{\"map\":{\"names\":[\"x\"],\"tile\":[4],\"map\":[0],\"blocks\":[0],\"address\":[],"
                "\"bytes\":[],"
                "\"name\":[],\"category\":[],\"from\":[],\"to\":[]}}}",
           NULL, "memory.map.tile[0]: 4 is too large");
    refuse(
        HEAD
        ",\"memory\":{\"map\":{\"names\":[],\"tile\":[0],\"map\":[0],\"blocks\":[1],\"address\":[1],\"bytes\":[1],"
        "\"name\":[0],\"category\":[0],\"from\":[0],\"to\":[0]}}}",
        NULL, "memory.map.name[0]: 0 is too large");
    refuse(HEAD "}",
           HEAD ",\"intervals\":{\"names\":[\"x\"],\"laneTile\":[1],\"laneName\":[0],\"lane\":[0],\"from\":[5],"
                "\"to\":[4],\"name\":[0],\"cause\":[0],\"partner\":[0]}}",
           "ends before it begins");
    refuse(HEAD "}",
           HEAD ",\"intervals\":{\"names\":[\"x\"],\"laneTile\":[],\"laneName\":[],\"lane\":[0],\"from\":[5],"
                "\"to\":[6],\"name\":[0],\"cause\":[0],\"partner\":[0]}}",
           "intervals.lane[0]");
    refuse(HEAD "}", HEAD ",\"intervals\":{\"names\":[3],\"laneTile\":[0],\"laneName\":[0]}}", "a text expected");
    refuse(HEAD ",\"exchangePairs\":{\"from\":[0],\"to\":[4],\"kind\":[0],\"exchange\":[0],\"bytes\":[1],"
                "\"messages\":[1]}}",
           NULL, "exchangePairs.to[0]");
    refuse(HEAD ",\"exchangePairs\":{\"names\":[\"x\"],\"from\":[0],\"to\":[1],\"kind\":[0],\"exchange\":[0],"
                "\"bytes\":[1],\"messages\":[1],\"name\":[1]}}",
           NULL, "exchangePairs.name[0]");
}

static void test_refused_work(void **state)
{
    (void)state;
#define PLAN(work)                                                                                 \
    HEAD ",\"vertexTypes\":{\"names\":[\"k\"],\"sizes\":[0]},\"simulation\":{\"plan\":[{\"type\":" \
         "\"OnTileExecute\","                                                                      \
         "\"cycles\":9,\"work\":" work "}]}}"
    refuse(HEAD "}", PLAN("{\"tile\":4,\"worker\":[],\"vertexType\":[],\"from\":[],\"to\":[]}"),
           "work.tile: 4 is too large");
    refuse(HEAD "}", PLAN("{\"tile\":1,\"worker\":[1],\"vertexType\":[1],\"from\":[0],\"to\":[1]}"),
           "work.vertexType[0]: 1 is too large");
    refuse(HEAD "}", PLAN("{\"tile\":1,\"worker\":[1],\"vertexType\":[0],\"from\":[2],\"to\":[1]}"),
           "ends before it begins");
    refuse(HEAD "}", PLAN("{\"tile\":1,\"worker\":[1],\"vertexType\":[0],\"from\":[2]}"), "work.to");
    refuse(HEAD ",\"exchanges\":{\"bytesSentByTile\":[[1]],\"content\":[-1]}}", NULL, "not negative");
}

/* The writer's own mistakes are kept as its status. */
/* What ran on workers is kept up to a limit for all steps; a step that goes beyond it is counted, not kept. */
static void test_most_work(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        GString *text =
            g_string_new("{\"target\":{\"numIPUs\":1,\"tilesPerIPU\":4},\"vertexTypes\":{\"names\":[\"a\"]},"
                         "\"simulation\":{\"steps\":[");
        const unsigned counts[] = { 2, TW__MOST_WORK - 2 + more, 1 };
        static const char *const columns[] = { "worker", "vertexType", "from", "to" };
        for (int s = 0; s < 3; s++) {
            g_string_append_printf(text, "%s{\"cycles\":9,\"work\":{\"tile\":0", s ? "," : "");
            for (int c = 0; c < 4; c++) {
                g_string_append_printf(text, ",\"%s\":[", columns[c]);
                for (unsigned i = 0; i < counts[s]; i++) g_string_append(text, i ? ",0" : "0");
                g_string_append_c(text, ']');
            }
            g_string_append(text, "}}");
        }
        g_string_append(text, "]}}");
        tw_profile *p;
        assert_int_equal(tw_status_of(p = tw_profile_load(NULL, 0, text->str, text->len)), TW_OK);
        g_string_free(text, TRUE);
        /* The last step finds room only where the one before it did not fit. */
        assert_int_equal(p->work_omitted, more ? counts[1] : 1);
        assert_int_equal(p->work.count, more ? 3 : TW__MOST_WORK);
        assert_int_equal(p->steps.items[0].work_count, 2);
        assert_int_equal(p->steps.items[1].work_count, more ? 0 : counts[1]);
        assert_int_equal(p->steps.items[2].work_count, more);
        assert_int_equal(p->steps.items[2].work_first, more ? 2 : TW__MOST_WORK);
        tw_profile_free(p);
    }
}

/* Bytes between tiles: what a file does not say is not 0, and figures of one that nobody wrote are no surprise. */
static void test_bytes_moved(void **state)
{
    (void)state;
#define MACHINE(type, members) "{\"target\":{\"type\":\"" type "\",\"numIPUs\":1,\"tilesPerIPU\":4}" members "}"
#define ACTIVE(tiles, members)                                                                                     \
    "{\"simulation\":{\"plan\":[{\"type\":\"OnTileExecute\",\"cycles\":9,\"activeCyclesByTile\":[" tiles "]}],"    \
    "\"trace\":{\"rules\":[{\"first\":0,\"count\":1}],\"runs\":[{\"name\":\"\",\"rule\":0,\"times\":1}]}}" members \
    "}"
#define TWO_TILES ACTIVE("9,8", "")
#define WIRED(tiles, bytes)                                                                                       \
    ACTIVE("9,8", ",\"dataflow\":{\"names\":[\"k\"],\"nodeName\":[0,0],\"nodeKind\":[0,0],\"nodeTile\":" tiles    \
                  ",\"nodeRuns\":[1,1],\"nodeCycles\":[8,8],\"nodeWaits\":[0,0],\"wireFrom\":[0],\"wireTo\":[1]," \
                  "\"wireKind\":[0],"                                                                             \
                  "\"wireBytes\":[" bytes "],\"wireMessages\":[1],\"wireHolds\":[64],\"wireBlocks\":[2],"         \
                  "\"wireReaderWaits\":[0],\"wireWriterWaits\":[0]}")
#define PAIR                                                                                                 \
    ",\"exchangePairs\":{\"names\":[],\"kind\":[0],\"exchange\":[0],\"from\":[0],\"to\":[1],\"bytes\":[64]," \
    "\"messages\":[1]}"
#define SHARED(value) ",\"optimizationInfo\":{\"" TW__SHARED_MEMORY_BYTES "\":" value "}"
    static const struct {
        const char *graph, *run;
        uint64_t bytes;
        tw_fidelity fidelity;
    } rows[] = {
        { MACHINE("AI_ENGINE", ""), TWO_TILES, 0, TW_FIDELITY_ABSENT },
        { MACHINE("AI_ENGINE", ""), ACTIVE("9", ""), 0, TW_FIDELITY_EXACT },
        { MACHINE("AI_ENGINE", PAIR), TWO_TILES, 64, TW_FIDELITY_EXACT },
        { MACHINE("AI_ENGINE", ""), WIRED("[1,2]", "64"), 0, TW_FIDELITY_ABSENT },
        { MACHINE("AI_ENGINE", ""), WIRED("[1,2]", "0"), 0, TW_FIDELITY_EXACT },
        { MACHINE("AI_ENGINE", ""), WIRED("[1,0]", "64"), 0, TW_FIDELITY_EXACT }, /* a file's end */
        { MACHINE("WSE", ""), TWO_TILES, 0, TW_FIDELITY_EXACT },
        { MACHINE("ASCEND_PTO", ""), TWO_TILES, 0, TW_FIDELITY_ABSENT },
        { MACHINE("ASCEND_PTO", SHARED("12")), TWO_TILES, 12, TW_FIDELITY_EXACT },
        { MACHINE("ASCEND_PTO", SHARED("-12")), TWO_TILES, 0, TW_FIDELITY_EXACT },
        { MACHINE("ASCEND_PTO", PAIR SHARED("1e300")), TWO_TILES, UINT64_MAX, TW_FIDELITY_EXACT },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *graph = rows[i].graph, *run = rows[i].run;
        tw_profile *p = tw_profile_load(graph, strlen(graph), run, strlen(run));
        if (!p) fail_msg("%zu: %s", i, tw_error_message());
        tw_fidelity fidelity;
        uint64_t bytes = tw_profile_bytes_moved(p, &fidelity);
        if (bytes != rows[i].bytes || fidelity != rows[i].fidelity)
            fail_msg("%zu: %llu bytes, fidelity %d", i, (unsigned long long)bytes, (int)fidelity);
        tw_profile_free(p);
    }
}

static void test_sticky(void **state)
{
    (void)state;
    tw_profile *p = make();
    tw__profile_add_interval(p, &(tw__interval_desc){ 99, 0, 1, "x", NULL, TW__NONE, NULL, 0 });
    assert_int_equal(tw__profile_status(p), TW_E_INDEX);
    tw_profile_free(p);
    p = make();
    tw__profile_add_lane(p, TILES, "x");
    assert_int_equal(tw__profile_status(p), TW_E_INDEX);
    tw_profile_free(p);
    p = make();
    tw__profile_map_begin(p, TILES);
    assert_int_equal(tw__profile_status(p), TW_E_INDEX);
    tw_profile_free(p);
    p = make();
    tw__profile_add_pair(p, TW__EXCHANGE_HOST, 0, TILES, 0, 1, 1);
    assert_int_equal(tw__profile_status(p), TW_E_INDEX);
    tw_profile_free(p);
}

/* The trace: a track for each lane, waits named, what is left out said. */
static void test_trace(void **state)
{
    (void)state;
    tw_profile *p = make();
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(tw_profile_write_trace(p, out, NULL), TW_OK);
    fclose(out);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    assert_non_null(strstr(text, "\"0 core\""));
    assert_non_null(strstr(text, "\"5 dma\""));
    assert_non_null(strstr(text, "\"waits for\":\"lock\""));
    assert_non_null(strstr(json_string_value(json_object_get(json_object_get(root, "otherData"), "folded")),
                           "9 later intervals"));
    json_decref(root);
    free(text);
    tw_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_refused), cmocka_unit_test(test_refused_work),
        cmocka_unit_test(test_most_work),   cmocka_unit_test(test_sticky),  cmocka_unit_test(test_trace),
        cmocka_unit_test(test_bytes_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
