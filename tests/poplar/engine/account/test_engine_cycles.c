/* SPDX-License-Identifier: MIT */
/* Cycles of the IPU Model: docs/model.md row by row, docs/decisions.md, G7, Poplar API, summary and cycles of compute
 * sets. */
#include "poplar/engine/engine_test.h"

#include "core/profile/profile.h"
#include <tilewright/interrupt.h>

/* One tile of Mk2 unless a test needs more: figures below are worked out by hand from the rules. */
static tw_device *model(unsigned ipus, unsigned tiles)
{
    tw_ipu_model m = { .size = sizeof m, .chip = TW_MK1, .num_ipus = ipus, .tiles_per_ipu = tiles };
    return tw_device_ipu_model_with(&m);
}

/* n IsPositive vertices on tile 0, vertex i with estimate cycles[i] (none when NULL). */
static tw_engine *vertices_engine(tw_device *device, unsigned n, const uint64_t *cycles, tw_program *program_out,
                                  const char *const *options)
{
    tw_graph *g = test_graph_new(device);
    tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(n), "x");
    tw_graph_map(g, x, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "set");
    for (unsigned i = 0; i < n; i++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, "IsPositive", 0);
        tw_graph_connect(g, v, "x", tw_tensor_index(g, x, i));
        if (cycles) tw_graph_set_perf_estimate(g, v, cycles[i], 0);
    }
    tw_program p = tw_program_execute(g, cs);
    if (program_out) *program_out = p;
    tw_engine *e = tw_engine_new(g, p, options);
    tw_graph_free(g);
    return e;
}

static tw_profile_totals run_totals(tw_engine *e, tw_device *device)
{
    tw_profile_totals totals;
    test_ok(tw_engine_load(e, device));
    test_ok(tw_engine_run(e, 0));
    const tw_profile *p = tw_engine_profile(e);
    assert_non_null(p);
    test_ok(tw_profile_get_totals(p, &totals));
    return totals;
}

static void workers_in_creation_order(void **state)
{
    (void)state;
    static const struct {
        unsigned n;
        uint64_t cycles[8], tile, active;
    } rows[] = {
        { 1, { 10 }, 60, 10 },                     /* a tile always takes six turns */
        { 6, { 10, 10, 10, 10, 10, 10 }, 60, 60 }, /* six workers in parallel */
        { 7, { 10, 10, 10, 10, 10, 10, 10 }, 120, 70 } /* the seventh waits */,
        { 7, { 30, 10, 10, 10, 10, 10, 10 }, 180, 90 } /* and goes to the least loaded */,
        { 8, { 30, 10, 20, 20, 20, 20, 5, 25 }, 240, 150 } /* 5 on worker 1 (15), 25 on it too: 40 */,
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_device *device = model(1, 1);
        tw_engine *e = vertices_engine(device, rows[i].n, rows[i].cycles, NULL, NULL);
        tw_profile_totals t = run_totals(e, device);
        if (t.by_bucket[TW_CYCLES_COMPUTE] != rows[i].tile || t.compute_active != rows[i].active)
            fail_msg("row %zu: tile %llu, active %llu", i, (unsigned long long)t.by_bucket[TW_CYCLES_COMPUTE],
                     (unsigned long long)t.compute_active);
        assert_int_equal(t.cycles, rows[i].tile); /* nothing to exchange: no sync */
        assert_int_equal(t.fidelity, TW_FIDELITY_MODELLED);
        tw_engine_free(e), tw_device_free(device);
    }
}

/* 12 + 3 per edge + one word of 8 bytes + one element. */
static void vertex_without_estimate(void **state)
{
    (void)state;
    tw_device *device = model(1, 1);
    tw_engine *e = vertices_engine(device, 1, NULL, NULL, NULL);
    tw_profile_totals t = run_totals(e, device);
    assert_int_equal(t.compute_active, 12 + 3 + 1 + 1);
    assert_int_equal(t.by_bucket[TW_CYCLES_COMPUTE], 6 * (12 + 3 + 1 + 1));
    assert_int_equal(t.fidelity, TW_FIDELITY_ESTIMATED);
    tw_engine_free(e), tw_device_free(device);
}

static void strict_estimates(void **state)
{
    (void)state;
    tw_device *device = model(1, 1);
    const char *strict[] = { "profiler.strictEstimates=true", NULL };
    tw_engine *e = vertices_engine(device, 1, NULL, NULL, strict);
    assert_int_equal(tw_engine_load(e, device), TW_E_MISSING_PERF_ESTIMATE);
    ASSERT_MESSAGE("IsPositive");
    tw_engine_free(e);
    e = vertices_engine(device, 1, (uint64_t[]){ 5 }, NULL, strict);
    test_ok(tw_engine_load(e, device));
    tw_engine_free(e), tw_device_free(device);
}

static tw_perf_estimate by_elements(const tw_vertex_info *vertex, const tw_target *target, void *user)
{
    (void)target;
    return (tw_perf_estimate){ *(int *)user + 2 * tw_vertex_info_field_size(vertex, "data"), 0 };
}

static int destroyed;
static void destroy(void *user)
{
    (void)user;
    destroyed++;
}

/* The estimator sees sizes; a value on the vertex wins; a MultiVertex has the tile to itself. */
static void estimators(void **state)
{
    (void)state;
    tw_device *device = model(1, 1);
    tw_graph *g = test_graph_new(device);
    static int fixed = 7;
    destroyed = 0;
    tw_graph_register_perf_estimator(g, "Scale<float>", by_elements, &fixed, destroy);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(10), "x");
    tw_tensor ids = tw_graph_add_variable(g, TW_UNSIGNED_INT, SHAPE(6), "ids");
    tw_graph_map(g, x, 0), tw_graph_map(g, ids, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "set");
    tw_vertex a = tw_graph_add_vertex(g, cs, "Scale<float>", 0), b = tw_graph_add_vertex(g, cs, "Scale<float>", 0);
    tw_vertex m = tw_graph_add_vertex(g, cs, "WorkerIds", 0);
    tw_graph_connect(g, a, "data", tw_tensor_slice(g, x, 0, 0, 4));
    tw_graph_connect(g, b, "data", tw_tensor_slice(g, x, 0, 4, 10));
    tw_graph_connect(g, m, "ids", ids);
    tw_graph_set_field(g, a, "factor", 1), tw_graph_set_field(g, b, "factor", 1);
    tw_graph_set_perf_estimate(g, b, 100, 0);
    tw_graph_set_perf_estimate(g, m, 33, 0);
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    tw_profile_totals t = run_totals(e, device);
    assert_int_equal(t.compute_active, 7 + 2 * 4 + 100 + 33);
    assert_int_equal(t.by_bucket[TW_CYCLES_COMPUTE], 6 * 100 + 33);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    assert_int_equal(destroyed, 1);
}

typedef struct seen {
    int count;
    tw_profile_step steps[256];
} seen;
static bool see(void *user, const tw_profile_step *step)
{
    seen *s = user;
    if (s->count < 256) s->steps[s->count] = *step;
    s->count++;
    return true;
}

/* A vertex on tile 3 adds words of tiles 0 and 1 into a word of tile 2. */
static void exchange_before_and_after(void **state)
{
    (void)state;
    tw_device *device = model(1, 4);
    tw_graph *g = test_graph_new(device);
    tw_tensor in = tw_graph_add_variable(g, TW_FLOAT, SHAPE(2), "in");
    tw_tensor out = tw_graph_add_variable(g, TW_FLOAT, SHAPE(1), "out");
    tw_graph_map(g, tw_tensor_index(g, in, 0), 0), tw_graph_map(g, tw_tensor_index(g, in, 1), 1),
        tw_graph_map(g, out, 2);
    tw_compute_set cs = tw_graph_add_compute_set(g, "add");
    tw_vertex v = tw_graph_add_vertex(g, cs, "Plus", 3);
    tw_graph_connect(g, v, "x", tw_tensor_index(g, in, 0));
    tw_graph_connect(g, v, "y", tw_tensor_index(g, in, 1));
    tw_graph_connect(g, v, "sum", out);
    tw_graph_set_perf_estimate(g, v, 10, 0);
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    tw_profile_totals t = run_totals(e, device);
    seen s = { 0 };
    tw_profile_each_step(tw_engine_profile(e), see, &s);
    assert_int_equal(s.count, 5);
    static const char *const types[] = { "Sync", "DoExchange", "OnTileExecute", "Sync", "DoExchange" };
    static const char *const names[] = { "", "add/ExchangePre", "add", "", "add/ExchangePost" };
    for (int i = 0; i < 5; i++) {
        assert_string_equal(s.steps[i].type_name, types[i]);
        assert_string_equal(s.steps[i].name, names[i]);
    }
    assert_int_equal(s.steps[0].cycles, 118); /* guide 8.2.3 */
    assert_int_equal(s.steps[1].total_data, 8);
    assert_int_equal(s.steps[1].active_tiles, 3);
    assert_int_equal(s.steps[1].cycles, 2 + 87 + 32); /* tile 3: 8 bytes, farthest partner at the other end */
    assert_int_equal(s.steps[1].overlapped, 0);       /* its last tile leaves the sync last */
    assert_int_equal(s.steps[2].cycles, 60);
    assert_int_equal(s.steps[2].cycles_from, s.steps[1].cycles_to); /* no sync before compute */
    assert_int_equal(s.steps[4].total_data, 4);
    assert_int_equal(s.steps[4].cycles, 1 + 87 + 32 / 3);
    assert_int_equal(t.by_bucket[TW_CYCLES_EXCHANGE],
                     (2 + 87 + 32) + (1 + 87 + 32) + (1 + 87 + 32 * 2 / 3) + 2 * (1 + 87 + 32 / 3));
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* Two vertices of a tile read the same remote word: it is received once; one word for two tiles is sent once. */
static void equal_data_once(void **state)
{
    (void)state;
    tw_device *device = model(1, 3);
    tw_graph *g = test_graph_new(device);
    tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(1), "x");
    tw_graph_map(g, x, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "read");
    for (int i = 0; i < 4; i++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, "IsPositive", 1 + i % 2);
        tw_graph_connect(g, v, "x", x);
    }
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    run_totals(e, device);
    seen s = { 0 };
    tw_profile_each_step(tw_engine_profile(e), see, &s);
    assert_int_equal(s.steps[1].total_data, 2 * 4);
    assert_int_equal(s.steps[1].cycles, 1 + 87 + 32);
    tw_fidelity fidelity;
    assert_int_equal(tw_profile_memory(tw_engine_profile(e), "message", &fidelity), 2 * 4);
    assert_int_equal(fidelity, TW_FIDELITY_MODELLED);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* Copies: within a tile a run-time vertex, between tiles an exchange, between IPUs a global one. */
static void copies(void **state)
{
    (void)state;
    static const struct {
        unsigned ipus, tiles, from, to, steps;
        const char *type[3], *name;
    } rows[] = {
        { 1, 4, 1, 1, 1, { "OnTileExecute" }, "move/OnTileCopy" },
        { 1, 4, 1, 3, 2, { "Sync", "DoExchange" }, "move" },
        { 2, 4, 1, 5, 2, { "Sync", "GlobalExchange" }, "move" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_device *device = model(rows[i].ipus, rows[i].tiles);
        tw_graph *g = test_graph_new(device);
        tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, SHAPE(100), "a"),
                  b = tw_graph_add_variable(g, TW_FLOAT, SHAPE(100), "b");
        tw_graph_map(g, a, rows[i].from), tw_graph_map(g, b, rows[i].to);
        tw_program p = tw_program_copy(g, a, b);
        tw_program_name(g, p, "move");
        tw_engine *e = tw_engine_new(g, p, NULL);
        run_totals(e, device);
        seen s = { 0 };
        tw_profile_each_step(tw_engine_profile(e), see, &s);
        assert_int_equal(s.count, rows[i].steps);
        for (unsigned k = 0; k < rows[i].steps; k++) assert_string_equal(s.steps[k].type_name, rows[i].type[k]);
        assert_string_equal(s.steps[rows[i].steps - 1].name, rows[i].name);
        if (i == 0) assert_int_equal(s.steps[0].cycles, 60 + 400 / 8);
        if (i > 0) assert_int_equal(s.steps[1].total_data, 400);
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

/* Repeat, nested Repeat, While, If: the trace has exactly what was executed. */
static void trace_of_control_flow(void **state)
{
    (void)state;
    tw_device *device = model(1, 1);
    tw_graph *g = test_graph_new(device);
    tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(1), "x"),
              go = tw_graph_add_variable(g, TW_BOOL, 0, NULL, "go");
    tw_graph_map(g, x, 0), tw_graph_map(g, go, 0);
    tw_graph_create_host_access(g, "x", x);
    tw_compute_set one = tw_graph_add_compute_set(g, "one"), test = tw_graph_add_compute_set(g, "test");
    tw_vertex v = tw_graph_add_vertex(g, one, "AddTo", 0), w = tw_graph_add_vertex(g, test, "Less", 0);
    tw_graph_connect(g, v, "x", x), tw_graph_set_field(g, v, "amount", 1), tw_graph_set_perf_estimate(g, v, 1, 0);
    tw_graph_connect(g, w, "x", x), tw_graph_connect(g, w, "result", go), tw_graph_set_field(g, w, "limit", 40);
    tw_graph_set_perf_estimate(g, w, 1, 0);
    tw_program add = tw_program_execute(g, one), cond = tw_program_execute(g, test);
    tw_program inner = tw_program_repeat(g, 5, add);
    tw_program pair[2] = { inner, tw_program_execute(g, one) };
    tw_program outer = tw_program_repeat(g, 4, tw_program_sequence_of(g, 2, pair)); /* 4 x (5 + 1) = 24 */
    tw_program all[2] = { outer, tw_program_repeat_while_true(g, cond, go, add) };  /* 16 more, 17 tests */
    tw_engine *e = test_engine_new(g, device, tw_program_sequence_of(g, 2, all), NULL);
    test_ok(tw_engine_run(e, 0));
    assert_int_equal(test_read_int(e, "x"), 40);
    tw_profile_totals t;
    test_ok(tw_profile_get_totals(tw_engine_profile(e), &t));
    assert_int_equal(t.compute_active, 40 + 17);
    assert_int_equal(t.steps, 40 + 17);
    assert_int_equal(t.cycles, 6 * (40 + 17));
    tw_engine_enable_execution_profiling(e, false);
    test_ok(tw_engine_run(e, 0));
    test_ok(tw_profile_get_totals(tw_engine_profile(e), &t));
    assert_int_equal(t.runs, 1);
    tw_engine_enable_execution_profiling(e, true);
    tw_engine_reset_execution_profile(e);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* A predicate goes to all tiles before the branch is taken. */
static void predicate_is_broadcast(void **state)
{
    (void)state;
    tw_device *device = model(1, 8);
    tw_graph *g = test_graph_new(device);
    tw_tensor p = tw_graph_add_variable(g, TW_BOOL, 0, NULL, "p"),
              a = tw_graph_add_variable(g, TW_INT, SHAPE(1), "a");
    tw_graph_map(g, p, 2), tw_graph_map(g, a, 0);
    tw_graph_set_initial_value(g, p, &(uint8_t){ 1 }, true);
    tw_engine *e =
        tw_engine_new(g, tw_program_if(g, p, tw_program_sequence(g, NULL), tw_program_sequence(g, NULL)), NULL);
    run_totals(e, device);
    seen s = { 0 };
    tw_profile_each_step(tw_engine_profile(e), see, &s);
    assert_int_equal(s.count, 2);
    assert_string_equal(s.steps[1].name, "switchControlBroadcast0/ExchangePre");
    assert_int_equal(s.steps[1].active_tiles, 8);
    assert_int_equal(s.steps[1].total_data, 7);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* External sync, copy, two internal syncs (guide 8.2.3); 5 + bytes at the host's rate. */
static void stream_copy(void **state)
{
    (void)state;
    tw_device *device = model(1, 4);
    tw_graph *g = test_graph_new(device);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(400), "x");
    tw_graph_map_linearly(g, x);
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_FLOAT, 400, TW_STREAM_REPLICATE, NULL);
    tw_engine *e = tw_engine_new(g, tw_program_copy_from_stream(g, in, x), NULL);
    static float data[400];
    test_ok(tw_engine_load(e, device));
    test_ok(tw_engine_connect_stream(e, "in", data, sizeof data));
    test_ok(tw_engine_run(e, 0));
    seen s = { 0 };
    tw_profile_each_step(tw_engine_profile(e), see, &s);
    assert_int_equal(s.count, 4);
    assert_int_equal(s.steps[0].sync, TW_PROFILE_SYNC_EXTERNAL);
    assert_string_equal(s.steps[1].type_name, "StreamCopy");
    assert_int_equal(s.steps[1].total_data, 1600);
    assert_int_equal(s.steps[1].cycles, 5 + 682); /* 1,600 bytes at 2.349 per cycle, more than 400 at 1 */
    assert_true(s.steps[1].active_tile_balance == 1.0);
    assert_int_equal(s.steps[2].sync, TW_PROFILE_SYNC_INTERNAL);
    assert_int_equal(s.steps[3].sync, TW_PROFILE_SYNC_INTERNAL);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* A print is a copy to the host, and has its title: what it costs is not taken for the program's own streams. */
static void print_step(void **state)
{
    (void)state;
    static const struct {
        const char *title, *name, *step;
    } rows[] = { { "sums", "", "print sums" }, { NULL, "", "print" }, { "sums", "debug", "debug" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_device *device = model(1, 4);
        tw_graph *g = test_graph_new(device);
        tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(4), "x");
        tw_graph_map(g, x, 2);
        tw_program p = tw_program_print_tensor(g, rows[i].title, x, NULL);
        if (*rows[i].name) tw_program_name(g, p, rows[i].name);
        tw_engine *e = tw_engine_new(g, p, NULL);
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        tw_engine_set_print_tensor_stream(e, out);
        tw_profile_totals t = run_totals(e, device);
        fclose(out);
        assert_non_null(strchr(text, '['));
        free(text);
        seen s = { 0 };
        tw_profile_each_step(tw_engine_profile(e), see, &s);
        assert_int_equal(s.count, 4);
        assert_string_equal(s.steps[1].type_name, "StreamCopy");
        assert_string_equal(s.steps[1].name, rows[i].step);
        assert_int_equal(s.steps[1].total_data, 16);
        assert_int_equal(t.by_bucket[TW_CYCLES_COMPUTE], 0);
        assert_int_equal(t.by_bucket[TW_CYCLES_HOST_EXCHANGE], s.steps[1].cycles);
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

typedef struct handed {
    unsigned calls, last;
} handed;
static void hand(void *bytes, void *user)
{
    handed *h = user;
    memset(bytes, 0, 4 * sizeof(float));
    if (++h->calls == h->last) tw_interrupt(true);
}

/* repeat 5 { repeat 4 { in -> x; x -> y }; y -> z }, ended by an interrupt in the transfer of number `last`: what ran
 * before it is in the profile, rounds of both loops and the one that was cut. */
static void interrupted_loops(void **state)
{
    (void)state;
    if (tw_world_size() > 1) skip(); /* the rank with the stream is interrupted, others a step later */
    for (unsigned last = 1; last <= 20; last++) {
        tw_device *device = model(1, 4);
        tw_graph *g = test_graph_new(device);
        tw_tensor t[3];
        for (unsigned i = 0; i < 3; i++) {
            t[i] = tw_graph_add_variable(g, TW_FLOAT, SHAPE(4), "xyz");
            tw_graph_map(g, t[i], i);
        }
        tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_FLOAT, 4, TW_STREAM_REPLICATE, NULL);
        tw_program near = tw_program_copy(g, t[0], t[1]), far = tw_program_copy(g, t[1], t[2]);
        tw_program_name(g, near, "near"), tw_program_name(g, far, "far");
        tw_program inner =
            tw_program_sequence_of(g, 2, (tw_program[]){ tw_program_copy_from_stream(g, in, t[0]), near });
        tw_program outer = tw_program_sequence_of(g, 2, (tw_program[]){ tw_program_repeat(g, 4, inner), far });
        tw_engine *e = tw_engine_new(g, tw_program_repeat(g, 5, outer), NULL);
        handed h = { .last = last };
        test_ok(tw_engine_load(e, device));
        test_ok(tw_engine_connect_stream_to_callback(e, "in", &(tw_stream_callback){ .fetch = hand, .user = &h }));
        assert_int_equal(tw_engine_run(e, 0), TW_E_SYSTEM);
        tw_interrupt(false);
        unsigned transfers = 0, nears = 0, fars = 0;
        seen *s = calloc(1, sizeof *s);
        assert_non_null(s);
        tw_profile_each_step(tw_engine_profile(e), see, s);
        for (int i = 0; i < s->count && i < 256; i++) {
            transfers += !strcmp(s->steps[i].type_name, "StreamCopy");
            nears += !strncmp(s->steps[i].name, "near", 4);
            fars += !strncmp(s->steps[i].name, "far", 3);
        }
        free(s);
        if (transfers != last || nears != last - 1 || fars != (last - 1) / 4)
            fail_msg("after transfer %u: %u transfers, %u and %u copies", last, transfers, nears, fars);
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

/* repeat 5 { in -> x; sync } of two replicas, ended in the fourth transfer of either: the profile, of replica 0,
 * has its four, also when it waits for the other. */
static void interrupted_replicas(void **state)
{
    (void)state;
    if (tw_world_size() > 1) skip(); /* the rank with the stream is interrupted, others a step later */
    for (unsigned who = 0; who < 2; who++) {
        tw_ipu_model model = { .size = sizeof model, .num_ipus = 2, .tiles_per_ipu = 4, .replicas_only = true };
        tw_device *device = tw_device_ipu_model_with(&model);
        tw_graph *g = tw_graph_new_replicated(tw_device_target(device), 2);
        tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(4), "x");
        tw_graph_map(g, x, 0);
        tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_FLOAT, 4, TW_STREAM_REPLICATE, NULL);
        tw_program round = tw_program_sequence_of(
            g, 2, (tw_program[]){ tw_program_copy_from_stream(g, in, x), tw_program_sync(g, TW_SYNC_GLOBAL) });
        static const char *const options[] = { "target.syncReplicasIndependently=true", NULL };
        tw_engine *e = tw_engine_new(g, tw_program_repeat(g, 5, round), options);
        test_ok(tw_engine_load(e, device));
        handed h[2] = { { 0 } };
        h[who].last = 4;
        test_ok(tw_engine_connect_stream_to_callback(e, "in[0]",
                                                     &(tw_stream_callback){ .fetch = hand, .user = &h[0] }));
        test_ok(tw_engine_connect_stream_to_callback(e, "in[1]",
                                                     &(tw_stream_callback){ .fetch = hand, .user = &h[1] }));
        assert_int_equal(tw_engine_run(e, 0), TW_E_SYSTEM);
        tw_interrupt(false);
        seen *s = calloc(1, sizeof *s);
        assert_non_null(s);
        tw_profile_each_step(tw_engine_profile(e), see, s);
        unsigned transfers = 0;
        for (int i = 0; i < s->count && i < 256; i++) transfers += !strcmp(s->steps[i].type_name, "StreamCopy");
        free(s);
        if (transfers != 4) fail_msg("ended by replica %u: %u transfers", who, transfers);
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_in_creation_order),
        cmocka_unit_test(vertex_without_estimate),
        cmocka_unit_test(strict_estimates),
        cmocka_unit_test(estimators),
        cmocka_unit_test(exchange_before_and_after),
        cmocka_unit_test(equal_data_once),
        cmocka_unit_test(copies),
        cmocka_unit_test(trace_of_control_flow),
        cmocka_unit_test(predicate_is_broadcast),
        cmocka_unit_test(stream_copy),
        cmocka_unit_test(print_step),
        cmocka_unit_test(interrupted_loops),
        cmocka_unit_test(interrupted_replicas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
