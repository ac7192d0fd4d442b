/* SPDX-License-Identifier: MIT */
/* What several IPUs cost: links by topology, sync groups (guide 2.7), host exchange (the sample of guide 8.2.3),
 * replicas in the profile. */
#include "poplar/engine/account/account.h"
#include "poplar/engine/engine_test.h"

#include <math.h>

enum { MAX_STEPS = 64 };

typedef struct trace {
    unsigned count;
    tw_profile_step steps[MAX_STEPS];
} trace;

static bool note(void *user, const tw_profile_step *step)
{
    trace *t = user;
    assert_true(t->count < MAX_STEPS);
    t->steps[t->count++] = *step;
    return true;
}

/* Runs `program` once; what it consisted of. The engine keeps the texts. */
static tw_engine *traced(tw_graph *g, tw_device *device, tw_program program, const char *const *options, trace *t)
{
    tw_engine *e = test_engine_new(g, device, program, options);
    test_ok(tw_engine_run(e, 0));
    t->count = 0;
    tw_profile_each_step(tw_engine_profile(e), note, t);
    return e;
}

static const tw_profile_step *first_of(const trace *t, tw_program_type type)
{
    for (unsigned i = 0; i < t->count; i++)
        if (t->steps[i].type == type) return &t->steps[i];
    fail_msg("no step of type %s", tw_program_type_name(type));
    return NULL;
}

/* --- links ---------------------------------------------------------------------------------------------------- */

/* The widths as PopLibs states them; a route hop by hop, one link at a time. Returns how many: 15 ns each. */
static unsigned add_route(double *load, unsigned ipus, bool torus, unsigned src, unsigned dst, double bytes)
{
    unsigned hops = 0;
    unsigned rungs = ipus / 2, at = src;
    double *pair = load, *cross = load + ipus, *up = cross + ipus, *down = up + ipus;
    if (src / 2 == dst / 2) {
        pair[src] += bytes / 4;
        return 1;
    }
    if (at % 2 != dst % 2) cross[at] += bytes / 2, at ^= 1, hops++;
    unsigned above = (dst / 2 + rungs - at / 2) % rungs;
    double goes_up = dst > at, goes_down = dst < at;
    if (torus) goes_up = 2 * above < rungs ? 1 : 2 * above == rungs ? 0.5 : 0, goes_down = 1 - goes_up;
    for (unsigned k = at; goes_up > 0 && k != dst; k = (k + 2) % ipus) up[k] += goes_up * bytes / 2, hops++;
    if (goes_up > 0 && goes_down > 0) hops -= rungs / 2; /* both ways are as long: one counts */
    for (unsigned k = at; goes_down > 0 && k != dst; k = (k + ipus - 2) % ipus)
        down[k] += goes_down * bytes / 2, hops++;
    return hops;
}

static void links_by_topology(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (unsigned ipus = 2; ipus <= 16; ipus += 2)
        for (int torus = 0; torus < 2; torus++)
            for (int round = 0; round < 20; round++) {
                tw_ipu_model model = { .size = sizeof model, .num_ipus = ipus, .tiles_per_ipu = 1 };
                if (torus) test_ok(tw_ipu_model_set_option(&model, "ipuLinkTopology", "torus"));
                tw_target *target = tw_target_new_ipu_model(&model);
                uint64_t flow[16 * 16] = { 0 };
                double load[4 * 16] = { 0 }, worst = 0;
                unsigned farthest = 0;
                for (int i = 0; i <= round; i++) {
                    seed = seed * 6364136223846793005u + 1442695040888963407u;
                    unsigned src = (unsigned)(seed >> 33) % ipus, dst = (unsigned)(seed >> 43) % ipus;
                    if (src == dst) continue;
                    flow[src * ipus + dst] += 1 + (seed >> 50);
                    unsigned hops = add_route(load, ipus, torus, src, dst, (double)(1 + (seed >> 50)));
                    farthest = hops > farthest ? hops : farthest;
                }
                for (unsigned i = 0; i < 4 * ipus; i++) worst = fmax(worst, load[i]);
                double bytes_per_cycle = 128.0 * (1u << 30) * 0.85 / 8 / 1.33e9;
                bool failed = false;
                double got = (double)tw__link_cycles(target, flow, &failed),
                       expected = ceil(worst / bytes_per_cycle + farthest * 15e-9 * 1.33e9);
                if (failed || fabs(got - expected) > 1)
                    fail_msg("%u IPUs, torus %d: %g cycles, expected %g", ipus, torus, got, expected);
                tw_target_free(target);
            }
}

/* Data for all tiles of another IPU crosses the links once: 4,096 bytes over four links of 10.98 bytes per cycle, and
 * 15 ns on the way. */
static void broadcast_to_another_ipu(void **state)
{
    (void)state;
    enum { TILES = 1472, FLOATS = 1024 };
    for (int spread = 0; spread < 2; spread++) { /* from one tile, and from many */
        tw_device *device = tw_device_ipu_model(TW_MK2, 2);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(1, FLOATS), "x"),
                  y = tw_graph_add_variable(g, TW_FLOAT, SHAPE(TILES, FLOATS), "y");
        for (unsigned i = 0; i < FLOATS; i++) tw_graph_map_range(g, x, i, 1, spread ? i : 0);
        for (unsigned i = 0; i < TILES; i++) tw_graph_map_range(g, y, (size_t)i * FLOATS, FLOATS, TILES + i);
        trace t;
        tw_engine *e = traced(g, device, tw_program_copy(g, tw_tensor_broadcast(g, x, TILES, 0), y), NULL, &t);
        const tw_profile_step *links = first_of(&t, TW_PROGRAM_GLOBAL_EXCHANGE),
                              *inside = first_of(&t, TW_PROGRAM_DO_EXCHANGE);
        assert_int_equal(links->cycles, 114);
        assert_int_equal(links->total_data, 4096);
        assert_int_equal(inside->total_data, 4096 * TILES);
        assert_true(inside->cycles >= 4096 / 4 && inside->cycles < 4096 / 4 + 150);
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

/* To one tile there is nothing to spread; the same twice is sent once. */
static void one_tile_of_another_ipu(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(1, 100), "x"),
              y = tw_graph_add_variable(g, TW_INT, SHAPE(2, 100), "y");
    tw_graph_map(g, x, 3), tw_graph_map(g, y, 12);
    trace t;
    tw_engine *e = traced(g, device, tw_program_copy(g, tw_tensor_broadcast(g, x, 2, 0), y), NULL, &t);
    assert_int_equal(t.count, 2); /* sync, exchange */
    assert_int_equal(t.steps[1].type, TW_PROGRAM_GLOBAL_EXCHANGE);
    assert_int_equal(t.steps[1].total_data, 400);
    assert_int_equal(t.steps[1].active_tiles, 2);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

/* --- syncs ---------------------------------------------------------------------------------------------------- */

/* The table of guide 2.7.2, for four IPUs in two replicas. */
static const struct {
    const char *configuration, *independent;
    tw__sync_purpose purpose;
    const char *group;
} groups[] = {
    { "intraReplicaAndAll", "false", TW__SYNC_BETWEEN_IPUS, "GS1, 2 IPUs of each replica" },
    { "intraReplicaAndAll", "false", TW__SYNC_REMOTE, "GS1, 2 IPUs of each replica" },
    { "intraReplicaAndAll", "false", TW__SYNC_BETWEEN_REPLICAS, "GS2, 4 IPUs" },
    { "intraReplicaAndAll", "false", TW__SYNC_HOST, "GS2, 4 IPUs" },
    { "intraReplicaAndAll", "true", TW__SYNC_BETWEEN_IPUS, "GS1, 2 IPUs of each replica" },
    { "intraReplicaAndAll", "true", TW__SYNC_HOST, "GS1, 2 IPUs of each replica" },
    { "intraReplicaAndAll", "true", TW__SYNC_BETWEEN_REPLICAS, "GS2, 4 IPUs" },
    { "ipuAndAll", "false", TW__SYNC_REMOTE, "GS1, each IPU" },
    { "ipuAndAll", "false", TW__SYNC_BETWEEN_IPUS, "GS2, 4 IPUs" },
    { "ipuAndAll", "false", TW__SYNC_HOST, "GS2, 4 IPUs" },
    { "ipuAndAll", "true", TW__SYNC_HOST, "GS1, each IPU" },
    { "ipuAndAll", "true", TW__SYNC_BETWEEN_IPUS, "GS2, 4 IPUs" },
    { "intraReplicaAndLadder", "false", TW__SYNC_BETWEEN_IPUS, "GS1, 2 IPUs of each replica" },
    { "intraReplicaAndLadder", "false", TW__SYNC_HOST, "GS2, 4 IPUs" },
    { "intraReplicaAndLadder", "true", TW__SYNC_REMOTE, "GS1, 2 IPUs of each replica" },
    { "intraReplicaAndAll", "false", TW__SYNC_IN_IPU, "" },
};

static void sync_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(groups); i++) {
        tw_ipu_model model = { .size = sizeof model, .num_ipus = 4, .tiles_per_ipu = 2 };
        test_ok(tw_ipu_model_set_option(&model, "syncConfiguration", groups[i].configuration));
        tw_device *device = tw_device_ipu_model_with(&model);
        tw_graph *g = tw_graph_new(tw_device_target(device)), *replicated = tw_graph_replicated(g, 2);
        char option[64];
        snprintf(option, sizeof option, "target.syncReplicasIndependently=%s", groups[i].independent);
        tw_engine *e = test_engine_new(g, device, tw_program_sequence(g, ""), (const char *[]){ option, NULL });
        tw__sync_cost cost = tw__sync_cost_of(e, groups[i].purpose, -1, false);
        if (strcmp(cost.group, groups[i].group) != 0)
            fail_msg("row %zu: '%s', expected '%s'", i, cost.group, groups[i].group);
        unsigned inside = tw_target_max_sync_delay(tw_device_target(device));
        bool several = groups[i].group[0] && !strstr(groups[i].group, "each IPU");
        assert_true(several ? cost.cycles > inside : cost.cycles == inside);
        cost = tw__sync_cost_of(e, TW__SYNC_HOST, 1, false);
        bool ladder = strstr(groups[i].configuration, "Ladder") && groups[i].independent[0] == 'f';
        assert_int_equal(strstr(cost.group, "GS2, 2 IPUs on one side") != NULL, ladder);
        tw_engine_free(e);
        tw_graph_free(replicated);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

/* Without delays no sync costs anything, over several IPUs neither. */
static void syncs_without_delay(void **state)
{
    (void)state;
    for (int none = 0; none < 2; none++) {
        tw_ipu_model model = { .size = sizeof model, .num_ipus = 4, .tiles_per_ipu = 2, .no_sync_delay = none };
        tw_device *device = tw_device_ipu_model_with(&model);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_engine *e = test_engine_new(g, device, tw_program_sequence(g, ""), NULL);
        static const tw__sync_purpose purposes[] = { TW__SYNC_IN_IPU, TW__SYNC_BETWEEN_IPUS, TW__SYNC_HOST,
                                                     TW__SYNC_ALL };
        for (size_t i = 0; i < G_N_ELEMENTS(purposes); i++)
            assert_int_equal(tw__sync_cost_of(e, purposes[i], -1, false).cycles == 0, none);
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

/* Two streams for one tile of each of two IPUs; how the syncs around the copy are called, and who is busy how
 * long. */
static void software_syncs(void **state)
{
    (void)state;
    static const char *const expected[2][3] = { { "GS2, 2 IPUs", "GS2, 2 IPUs", "" },
                                                { "GS2, 2 IPUs", "software, each IPU", "" } };
    for (int software = 0; software < 2; software++) {
        tw_device *device = test_device_new(MODEL);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(110), "x");
        tw_graph_map_range(g, x, 0, 10, 0), tw_graph_map_range(g, x, 10, 100, 8);
        tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_INT, 110, TW_STREAM_REPLICATE, NULL);
        static const char *const options[][2] = { { NULL }, { "opt.enableSwSyncs=true", NULL } };
        tw_engine *e = test_engine_new(g, device, tw_program_copy_from_stream(g, in, x), options[software]);
        int32_t data[110] = { 0 };
        test_ok(tw_engine_connect_stream(e, "in", data, sizeof data));
        test_ok(tw_engine_run(e, 0));
        trace t = { 0 };
        tw_profile_each_step(tw_engine_profile(e), note, &t);
        assert_int_equal(t.count, 4);
        const unsigned at[] = { 0, 2, 3 };
        for (int i = 0; i < 3; i++) assert_string_equal(t.steps[at[i]].name, expected[software][i]);
        assert_true(t.steps[0].cycles > tw_target_max_sync_delay(tw_device_target(device)));
        uint64_t cycles[16];
        assert_true(tw_profile_step_cycles(tw_engine_profile(e), t.steps[1].plan_step, cycles));
        assert_int_equal(cycles[8], 5 + 400);
        assert_int_equal(cycles[0], software ? 5 + 40 : 5 + 400); /* waits for the other IPU */
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

static void software_syncs_exclude(void **state)
{
    (void)state;
    tw_ipu_model model = { .size = sizeof model, .num_ipus = 2, .tiles_per_ipu = 2 };
    for (int configured = 0; configured < 2; configured++) {
        if (configured) test_ok(tw_ipu_model_set_option(&model, "syncConfiguration", "ipuandall"));
        tw_device *device = tw_device_ipu_model_with(&model);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        const char *const options[] = { "opt.enableSwSyncs=true",
                                        configured ? NULL : "target.syncReplicasIndependently=true", NULL };
        tw_engine *e = tw_engine_new(g, tw_program_sequence(g, ""), options);
        assert_int_equal(tw_engine_status(e), TW_E_INVALID_OPTION);
        assert_non_null(strstr(tw_engine_error(e)->message,
                               configured ? "syncConfiguration" : "target.syncReplicasIndependently"));
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
    assert_int_equal(tw_ipu_model_set_option(&model, "syncConfiguration", "all"), TW_E_INVALID_OPTION);
    ASSERT_MESSAGE("intraReplicaAndLadder");
    assert_int_equal(tw_ipu_model_set_option(&model, "ipuLinkTopologie", "mesh"), TW_E_INVALID_OPTION);
}

/* --- the host ------------------------------------------------------------------------------------------------- */

/* Guide 8.2.3, Mk1: 2 and 4 bytes to a tile take 7 and 9 cycles; 25,122 bytes to 392 tiles, 98 to the fullest (a
 * balance of 21.1 %), take 10,700 on each of them. */
static void host_exchange_of_the_guide(void **state)
{
    (void)state;
    static const struct {
        unsigned halves, tiles, fullest;
        uint64_t cycles;
    } rows[] = { { 1, 1, 1, 7 }, { 2, 1, 2, 9 }, { 12561, 392, 49, 10700 } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_device *device = tw_device_ipu_model(TW_MK1, 1);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_tensor x = tw_graph_add_variable(g, TW_HALF, SHAPE(rows[i].halves), "x");
        size_t done = 0;
        for (unsigned tile = 0; tile < rows[i].tiles; tile++) {
            size_t left = rows[i].halves - done, n = tile == 0 ? rows[i].fullest : left / (rows[i].tiles - tile);
            tw_graph_map_range(g, x, done, n, tile);
            done += n;
        }
        tw_stream in =
            tw_graph_add_host_to_device_fifo(g, "in", TW_HALF, rows[i].halves, TW_STREAM_REPLICATE, NULL);
        tw_engine *e = test_engine_new(g, device, tw_program_copy_from_stream(g, in, x), NULL);
        uint16_t *data = calloc(rows[i].halves, sizeof *data);
        test_ok(tw_engine_connect_stream(e, "in", data, rows[i].halves * sizeof *data));
        test_ok(tw_engine_run(e, 0));
        trace t = { 0 };
        tw_profile_each_step(tw_engine_profile(e), note, &t);
        const tw_profile_step *copy = first_of(&t, TW_PROGRAM_STREAM_COPY);
        assert_int_equal(copy->cycles, rows[i].cycles);
        assert_int_equal(copy->active_tiles, rows[i].tiles);
        assert_int_equal(copy->total_data, 2 * rows[i].halves);
        for (unsigned s = 0; s < t.count; s++) assert_string_equal(t.steps[s].name, ""); /* no groups on one IPU */
        free(data);
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

/* --- replicas ------------------------------------------------------------------------------------------------- */

static void replicas_in_the_profile(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    tw_graph *g = tw_graph_new(tw_device_target(device)), *both = tw_graph_replicated(g, 2);
    tw_tensor x = tw_graph_add_variable(both, TW_INT, SHAPE(100), "x");
    tw_graph_map(both, x, 1);
    tw_graph_create_host_access(both, "x", x);
    tw_engine *e = test_engine_new(g, device, tw_program_sequence(g, ""), NULL);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    tw_profile_print_summary(tw_engine_profile(e), out, NULL);
    fclose(out);
    assert_non_null(strstr(text, "Memory on one replica:"));
    char *line = strstr(text, "Number of Replicas:");
    assert_non_null(line);
    assert_int_equal(strtol(line + strlen("Number of Replicas:"), NULL, 10), 2);
    line = strstr(text, "Variables:");
    assert_non_null(line);
    assert_int_equal(strtol(line + strlen("Variables:"), NULL, 10), 400); /* of one, not 800 */
    free(text);
    tw_engine_free(e);
    tw_graph_free(both);
    tw_graph_free(g);
    tw_device_free(device);
}

/* --- what a model changes ------------------------------------------------------------------------------------- */

/* Stated limits take the place of the links' own; copies inside a tile follow the stated rate; both survive in a
 * file. */
static void model_of_its_own(void **state)
{
    (void)state;
    const tw_global_exchange_flow flows[] = { { 0, 1 }, { 2, 1 } };
    const tw_global_exchange_constraint limit = { 8 * 1.33e9, 2, flows }; /* a byte a cycle for both */
    const uint64_t offsets[] = { 0, 65536, 131072 };
    tw_ipu_model model = { .size = sizeof model,
                           .num_ipus = 4,
                           .tiles_per_ipu = 2,
                           .bytes_per_tile = 196608,
                           .memcpy_bytes_per_cycle = 64,
                           .memory_element_offsets = offsets,
                           .memory_element_count = 3,
                           .interleaved_memory_element_index = 2,
                           .ipu_link_topology = TW_LINK_TORUS,
                           .global_exchange_constraints = &limit,
                           .global_exchange_constraint_count = 1 };
    tw_device *device = tw_device_ipu_model_with(&model);
    assert_non_null(device);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(2, 1024), "x"),
              y = tw_graph_add_variable(g, TW_INT, SHAPE(2, 1024), "y"),
              z = tw_graph_add_variable(g, TW_INT, SHAPE(2, 1024), "z");
    tw_graph_map_range(g, x, 0, 1024, 0), tw_graph_map_range(g, x, 1024, 1024, 4);
    tw_graph_map(g, y, 2), tw_graph_map(g, z, 2);
    trace t;
    tw_engine *e =
        traced(g, device,
               tw_program_sequence_of(g, 2, (tw_program[]){ tw_program_copy(g, x, y), tw_program_copy(g, y, z) }),
               NULL, &t);
    assert_int_equal(first_of(&t, TW_PROGRAM_GLOBAL_EXCHANGE)->cycles, 8192);
    assert_int_equal(first_of(&t, TW_PROGRAM_ON_TILE_EXECUTE)->cycles, 60 + 8192 / 64);
    size_t count;
    assert_int_equal(tw_target_memory_element_offsets(tw_device_target(device), &count)[2], 131072);
    assert_int_equal(count, 3);

    char *bytes = NULL;
    size_t size;
    FILE *file = open_memstream(&bytes, &size);
    test_ok(tw_engine_serialize(e, file));
    fclose(file);
    tw_engine *again = tw_engine_deserialize(bytes, size, NULL);
    test_ok(tw_engine_status(again));
    assert_true(tw_target_equal(tw_engine_target(again), tw_device_target(device)));
    test_ok(tw_engine_load(again, device));
    tw_engine_free(again);
    free(bytes);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_by_topology),       cmocka_unit_test(broadcast_to_another_ipu),
        cmocka_unit_test(one_tile_of_another_ipu), cmocka_unit_test(sync_groups),
        cmocka_unit_test(software_syncs),          cmocka_unit_test(syncs_without_delay),
        cmocka_unit_test(software_syncs_exclude),  cmocka_unit_test(host_exchange_of_the_guide),
        cmocka_unit_test(replicas_in_the_profile), cmocka_unit_test(model_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
