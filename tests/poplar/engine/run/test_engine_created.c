/* SPDX-License-Identifier: MIT */
/* Graphs that exist as replicas only: guide 2.5, 2.5.2, 2.6.1, 2.7.2; a program counter for each replica. Four
 * replicas of two IPUs with four tiles each, unless a test says more. */
#include "core/wire/wire.h"
#include "poplar/engine/engine_test.h"

#include <stdio.h>
#include <unistd.h>

enum { REPLICAS = 4, TILES = 8, MOST = 16 }; /* tiles: of a replica */

static const char more_codelets[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "struct Mix : Vertex {\n" /* out may be longer: its rest stays as it was */
    "    Input<Vector<int>> in; Output<Vector<int>> out; int k;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i + 1 < out.size(); i++) out[i] = in[i % in.size()] * 31 + k;\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "struct Turn : Vertex {\n"
    "    InOut<Vector<int>> data; int k; int calls;\n" /* calls: state that a vertex keeps */
    "    bool compute() {\n"
    "        for (unsigned i = 0; i < data.size(); i++) data[i] = data[i] * 5 + k + calls;\n"
    "        calls++;\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "struct Rows : Vertex {\n"
    "    Vector<Input<Vector<int>>> rows; Vector<Input<int>> single; Output<Vector<int>> out;\n"
    "    bool compute() {\n"
    "        for (unsigned i = 0; i < rows.size(); i++) {\n"
    "            int sum = single[i];\n"
    "            for (unsigned j = 0; j < rows[i].size(); j++) sum = sum * 3 + rows[i][j];\n"
    "            out[i] = sum;\n"
    "        }\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "struct Bits : Vertex {\n" /* a small number that follows from data and replica */
    "    Input<Vector<int>> in; Input<unsigned> index; Output<int> out; int most;\n"
    "    bool compute() {\n"
    "        unsigned x = *index;\n"
    "        for (unsigned i = 0; i < in.size(); i++) x = x * 7 + in[i];\n"
    "        *out = x % (unsigned)most;\n"
    "        return true;\n"
    "    }\n"
    "};\n"
    "struct Fuel : Vertex {\n"
    "    InOut<int> left; Output<bool> go;\n"
    "    bool compute() { *go = *left > 0; *left = *left - 1; return true; }\n"
    "};\n";

typedef struct fixture {
    tw_device *device;
    tw_graph *g;
    unsigned replicas;
} fixture;

static fixture make_on(tw_target_kind kind, unsigned replicas, unsigned ipus_each, unsigned tiles_per_ipu)
{
    fixture f = { .replicas = replicas };
    tw_ipu_model model = { .size = sizeof model,
                           .num_ipus = replicas * ipus_each,
                           .tiles_per_ipu = tiles_per_ipu,
                           .replicas_only = true };
    f.device = kind == TW_TARGET_IPU ? tw_device_ipu_sim_with(&model) : tw_device_ipu_model_with(&model);
    f.g = tw_graph_new_replicated(tw_device_target(f.device), replicas);
    if (!f.g) fail_msg("%s", tw_error_message());
    tw_graph_add_codelets_source(f.g, test_codelets, "c++", "codelets.cpp", NULL);
    tw_graph_add_codelets_source(f.g, more_codelets, "c++", "more.cpp", NULL);
    return f;
}

static fixture make(void)
{
    return make_on(TW_TARGET_IPU_MODEL, REPLICAS, 2, 4);
}

static void drop(fixture *f)
{
    if (tw_graph_status(f->g)) fail_msg("%s", tw_graph_error(f->g)->message);
    tw_graph_free(f->g);
    tw_device_free(f->device);
}

static tw_tensor variable(tw_graph *g, tw_type type, size_t n, unsigned tile, const char *name)
{
    tw_tensor t = tw_graph_add_variable(g, type, 1, &n, name);
    tw_graph_map(g, t, tile);
    tw_graph_create_host_access(g, name, t);
    return t;
}

static tw_tensor scalar(tw_graph *g, tw_type type, unsigned tile, const char *name)
{
    return tw_tensor_index(g, variable(g, type, 1, tile, name), 0);
}

static tw_tensor index_of(tw_graph *g)
{
    tw_tensor t = tw_graph_add_replication_index_constant(g, "index");
    tw_graph_map(g, t, 0);
    return t;
}

static tw_engine *load(const fixture *f, tw_program program, const char *const *options)
{
    tw_engine *e = tw_engine_new(f->g, program, options);
    if (!e || tw_engine_load(e, f->device)) fail_msg("%s", tw_error_message());
    return e;
}

static void run(tw_engine *e)
{
    if (tw_engine_run(e, 0)) fail_msg("%s", tw_error_message());
}

static void check(tw_engine *e, const char *handle, size_t n, const int *want)
{
    int got[256] = { 0 };
    if (tw_engine_read(e, handle, got, n * sizeof *got)) fail_msg("%s", tw_error_message());
    for (size_t i = 0; i < n; i++)
        if (got[i] != want[i]) fail_msg("%s[%zu] is %d, not %d", handle, i, got[i], want[i]);
}

static tw_program add_to(tw_graph *g, tw_tensor x, unsigned tile, int amount)
{
    tw_compute_set cs = tw_graph_add_compute_set(g, "add");
    tw_vertex v = tw_graph_add_vertex(g, cs, "AddTo", tile);
    tw_graph_connect(g, v, "x", x);
    tw_graph_set_field(g, v, "amount", amount);
    return tw_program_execute(g, cs);
}

static tw_program both(tw_graph *g, tw_program a, tw_program b)
{
    return tw_program_sequence_of(g, 2, (tw_program[]){ a, b });
}

/* --- the graph ------------------------------------------------------------------------------------------------ */

/* Guide 2.5.2: only a replica, no parent; refused on the model (2.5) unless it is told to take it. */
static void engine_created_2_5_2_graph(void **state)
{
    (void)state;
    fixture f = make();
    assert_int_equal(tw_graph_replication_factor(f.g), REPLICAS);
    assert_int_equal(tw_target_tiles(tw_graph_target(f.g)), TILES);
    assert_int_equal(tw_target_ipus(tw_graph_target(f.g)), 2);
    tw_graph *part = tw_graph_virtual_range(f.g, 2, 4);
    assert_int_equal(tw_graph_replication_factor(part), REPLICAS);
    tw_graph_free(part);
    tw_tensor index = index_of(f.g);
    double value;
    assert_false(tw_tensor_constant_value(f.g, index, &value)); /* known at load */
    drop(&f);

    tw_ipu_model model = { .size = sizeof model, .num_ipus = 6, .tiles_per_ipu = 4 };
    tw_device *plain = tw_device_ipu_model_with(&model);
    assert_null(tw_graph_new_replicated(tw_device_target(plain), 2));
    assert_int_equal(tw_error_status(), TW_E_REPLICATION);
    tw_device_free(plain);
    model.replicas_only = true;
    tw_device *device = tw_device_ipu_model_with(&model);
    assert_null(tw_graph_new_replicated(tw_device_target(device), 0));
    assert_null(tw_graph_new_replicated(tw_device_target(device), UINT32_MAX));
    assert_null(tw_graph_new_replicated(tw_device_target(device), 4));
    assert_int_equal(tw_error_status(), TW_E_REPLICATION);
    tw_graph *halves = tw_graph_new_replicated(tw_device_target(device), 12); /* two of an IPU */
    assert_int_equal(tw_target_tiles(tw_graph_target(halves)), 2);
    tw_graph_top_level(halves);
    assert_int_equal(tw_graph_status(halves), TW_E_REPLICATION);
    tw_graph_free(halves);
    tw_device_free(device);
}

/* --- control flow of their own -------------------------------------------------------------------------------- */

/* Replica i does i rounds of a loop whose end it finds out itself, and takes branch i of a switch on its index. */
static void engine_created_2_5_2_own_way(void **state)
{
    (void)state;
    fixture f = make();
    tw_graph *g = f.g;
    tw_tensor index = index_of(g), x = scalar(g, TW_INT, 3, "x"), left = scalar(g, TW_INT, 1, "left");
    tw_tensor go = tw_graph_add_variable(g, TW_BOOL, 0, NULL, "go"), at = scalar(g, TW_INT, 0, "at");
    tw_graph_map(g, go, 1);
    tw_compute_set cs = tw_graph_add_compute_set(g, "fuel");
    tw_vertex v = tw_graph_add_vertex(g, cs, "Fuel", 1);
    tw_graph_connect(g, v, "left", left);
    tw_graph_connect(g, v, "go", go);
    tw_program loop = tw_program_repeat_while_true(g, tw_program_execute(g, cs), go, add_to(g, x, 3, 1)),
               branches = tw_program_switch(g, at, add_to(g, x, 3, 7000));
    for (int i = 1; i < REPLICAS; i++) tw_program_switch_add(g, branches, i, add_to(g, x, 3, 100 * i));
    tw_tensor as_int = tw_tensor_reinterpret(g, index, TW_INT);
    tw_program steps[] = { tw_program_copy(g, as_int, left), tw_program_copy(g, as_int, at), loop, branches };
    tw_engine *e = load(&f, tw_program_sequence_of(g, 4, steps), NULL);
    run(e);
    check(e, "x", REPLICAS, (int[]){ 7000, 101, 202, 303 });
    assert_int_equal(tw_engine_write(e, "x", (int[]){ 1, 2, 3, 4 }, 16), TW_OK);
    run(e);
    check(e, "x", REPLICAS, (int[]){ 7001, 103, 205, 307 });
    tw_engine_free(e);
    drop(&f);
}

/* A ring that adds up what all have: n - 1 times to the next one, where a switch on the index says which row of a
 * table is read and written, as PopLibs' replicated collectives do. */
static void ring(unsigned n)
{
    fixture f = make_on(TW_TARGET_IPU_MODEL, n, 1, 2);
    tw_graph *g = f.g;
    tw_tensor index = index_of(g), mine = scalar(g, TW_INT, 0, "mine"), sum = variable(g, TW_INT, n, 1, "table");
    tw_tensor sent = scalar(g, TW_INT, 0, "sent"), got = scalar(g, TW_INT, 0, "got"),
              at = scalar(g, TW_INT, 0, "at");
    tw_tensor row = tw_graph_add_variable(g, TW_INT, 0, NULL, "row");
    tw_graph_map(g, row, 1);
    unsigned next[MOST];
    for (unsigned i = 0; i < n; i++) next[i] = (i + 1) % n;
    tw_program put = tw_program_switch(g, at, tw_program_copy(g, row, tw_tensor_index(g, sum, 0)));
    for (unsigned i = 1; i < n; i++)
        tw_program_switch_add(g, put, (int)i, tw_program_copy(g, row, tw_tensor_index(g, sum, i)));
    /* the row that arrives in round k at replica i is that of replica i - k */
    tw_program wrap = tw_program_switch(g, at, tw_program_sequence(g, ""));
    tw_program_switch_add(g, wrap, -1, add_to(g, at, 0, (int)n));
    tw_program round[] = { tw_program_cross_replica_copy(g, sent, got, next),
                           tw_program_copy(g, got, sent),
                           add_to(g, at, 0, -1),
                           wrap,
                           tw_program_copy(g, got, row),
                           put };
    tw_program steps[] = { tw_program_copy(g, tw_tensor_reinterpret(g, index, TW_INT), at),
                           tw_program_copy(g, mine, sent), tw_program_copy(g, mine, row), put,
                           tw_program_repeat(g, n - 1, tw_program_sequence_of(g, 6, round)) };
    tw_engine *e = load(&f, tw_program_sequence_of(g, 5, steps), NULL);
    int values[MOST], want[MOST * MOST];
    for (unsigned i = 0; i < n; i++) values[i] = 100 + (int)(i * i);
    for (unsigned i = 0; i < n * n; i++) want[i] = values[i % n];
    assert_int_equal(tw_engine_write(e, "mine", values, n * sizeof *values), TW_OK);
    run(e);
    check(e, "table", n * n, want);
    tw_engine_free(e);
    drop(&f);
}

static void engine_created_ring(void **state)
{
    (void)state;
    for (unsigned n = 4; n <= MOST; n *= 2) ring(n);
    if (tw_world_size() == 1) ring(2), ring(3);
}

/* A map that leaves replicas out: who is sent nothing keeps what it has. */
static void engine_created_partial_map(void **state)
{
    (void)state;
    fixture f = make();
    tw_tensor x = variable(f.g, TW_INT, 2, 1, "x"), y = variable(f.g, TW_INT, 2, 6, "y");
    const unsigned to[] = { TW_UNMAPPED, 3, TW_UNMAPPED, 0 };
    tw_engine *e = load(&f, tw_program_cross_replica_copy(f.g, x, y, to), NULL);
    tw_engine_write(e, "x", (int[]){ 1, 2, 3, 4, 5, 6, 7, 8 }, 32);
    tw_engine_write(e, "y", (int[]){ -1, -2, -3, -4, -5, -6, -7, -8 }, 32);
    run(e);
    check(e, "y", 8, (int[]){ 7, 8, -3, -4, -5, -6, 3, 4 });
    tw_engine_free(e);
    drop(&f);
    f = make();
    x = variable(f.g, TW_INT, 2, 1, "x");
    tw_program_cross_replica_copy(f.g, x, x, (unsigned[]){ 1, 1, 2, 3 });
    assert_int_equal(tw_graph_status(f.g), TW_E_REPLICATION);
    tw_graph_free(f.g);
    tw_device_free(f.device);
}

/* --- replicas that do not meet -------------------------------------------------------------------------------- */

/* Replica 2 alone takes another way, `theirs` instead of `ours`. */
static void part(tw_program (*ours)(tw_graph *, tw_tensor), tw_program (*theirs)(tw_graph *, tw_tensor),
                 const char *const words[])
{
    fixture f = make();
    tw_tensor x = variable(f.g, TW_INT, 3, 1, "x"), at = scalar(f.g, TW_INT, 0, "at");
    tw_program way = tw_program_switch(f.g, at, ours(f.g, x));
    tw_program_switch_add(f.g, way, 2, theirs(f.g, x));
    tw_tensor index = tw_tensor_reinterpret(f.g, index_of(f.g), TW_INT);
    tw_engine *e = load(&f, both(f.g, tw_program_copy(f.g, index, at), way), NULL);
    for (int time = 0; time < 2; time++) { /* the engine can run again */
        assert_int_equal(tw_engine_run(e, 0), TW_E_APPLICATION);
        for (unsigned i = 0; words[i]; i++)
            if (!strstr(tw_error_message(), words[i]))
                fail_msg("no \"%s\" in \"%s\"", words[i], tw_error_message());
    }
    tw_engine_free(e);
    drop(&f);
}

static const unsigned onward[] = { 1, 2, 3, 0 };

static tw_program named_copy(tw_graph *g, tw_tensor x)
{
    tw_program copy = tw_program_cross_replica_copy(g, x, variable(g, TW_INT, 3, 2, "y"), onward);
    tw_program_name(g, copy, "forward");
    return copy;
}

static tw_program other_copy(tw_graph *g, tw_tensor x)
{
    return tw_program_cross_replica_copy(g, variable(g, TW_INT, 3, 2, "z"), x, onward);
}

static tw_program nothing(tw_graph *g, tw_tensor x)
{
    (void)x;
    return tw_program_sequence(g, "");
}

static tw_program global_sync(tw_graph *g, tw_tensor x)
{
    (void)x;
    return tw_program_sync(g, TW_SYNC_GLOBAL);
}

static tw_program abort_it(tw_graph *g, tw_tensor x)
{
    (void)x;
    return tw_program_abort(g, "stop here");
}

static void engine_created_do_not_meet(void **state)
{
    (void)state;
    part(named_copy, nothing,
         (const char *[]){ "replicas 0 and 2 do not meet",
                           "replica 0 waits in CrossReplicaCopy 'forward' of 'x' to 'y'", "replica 2 has ended",
                           NULL });
    part(nothing, named_copy,
         (const char *[]){ "replica 0 has ended", "replica 2 waits in CrossReplicaCopy", NULL });
    part(named_copy, other_copy, (const char *[]){ "of 'x' to 'y'", "of 'z' to 'x'", NULL });
    part(named_copy, global_sync, (const char *[]){ "of 'x' to 'y'", "waits in a global Sync", NULL });
    part(named_copy, abort_it, (const char *[]){ "replica 2: stop here", NULL });
}

/* The same copy in two branches is one place. */
static void engine_created_meet_in_branches(void **state)
{
    (void)state;
    fixture f = make();
    tw_tensor x = scalar(f.g, TW_INT, 1, "x"), y = scalar(f.g, TW_INT, 3, "y"), at = scalar(f.g, TW_INT, 0, "at");
    tw_program copy = tw_program_cross_replica_copy(f.g, x, y, onward),
               way = tw_program_switch(f.g, at, both(f.g, add_to(f.g, x, 1, 10), copy));
    tw_program_switch_add(f.g, way, 1, both(f.g, add_to(f.g, x, 1, 20), copy));
    tw_tensor index = tw_tensor_reinterpret(f.g, index_of(f.g), TW_INT);
    tw_engine *e = load(&f, both(f.g, tw_program_copy(f.g, index, at), way), NULL);
    run(e);
    check(e, "y", 4, (int[]){ 10, 10, 20, 10 });
    tw_engine_free(e);
    drop(&f);
}

/* --- streams, buffers, printing --------------------------------------------------------------------------------- */

typedef struct feed {
    int next, step; /* what fetch gives, and by how much that grows */
    int *log, *logged;
} feed;

static void give(void *buffer, void *user)
{
    feed *f = user;
    memcpy(buffer, &f->next, sizeof f->next);
    if (f->log) f->log[(*f->logged)++] = f->next;
    f->next += f->step;
}

static void take(void *buffer, void *user)
{
    feed *f = user;
    int value;
    memcpy(&value, buffer, sizeof value);
    f->log[(*f->logged)++] = value;
}

/* Guide 2.6.1: a stream for each replica, or one that sends the same to all; callbacks in the order of replicas. */
static void engine_created_2_6_1_streams(void **state)
{
    (void)state;
    fixture f = make();
    tw_graph *g = f.g;
    tw_tensor x = variable(g, TW_INT, 1, 2, "x"), y = variable(g, TW_INT, 1, 3, "y");
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_INT, 1, TW_STREAM_REPLICATE, NULL),
              all = tw_graph_add_host_to_device_fifo(g, "all", TW_INT, 1, TW_STREAM_BROADCAST, NULL),
              out = tw_graph_add_device_to_host_fifo(g, "out", TW_INT, 1, NULL);
    tw_program round[] = { tw_program_copy_from_stream(g, in, x), tw_program_copy_from_stream(g, all, y),
                           add_to(g, tw_tensor_index(g, x, 0), 2, 1), tw_program_copy_to_stream(g, x, out) };
    tw_engine *e = load(&f, tw_program_repeat(g, 2, tw_program_sequence_of(g, 4, round)), NULL);
    const char *const *names = tw_engine_list_streams(e);
    unsigned count = 0;
    while (names[count]) count++;
    assert_int_equal(count, 2 * REPLICAS + 1);
    int log[64], logged = 0, calls[4], called = 0;
    feed feeds[REPLICAS], one = { .next = 70, .step = 5, .log = calls, .logged = &called };
    feed last = { .log = log, .logged = &logged };
    assert_int_equal(tw_engine_run(e, 0), TW_E_STREAM_CONNECTION);
    for (int i = 0; i < REPLICAS; i++) {
        char name[16];
        feeds[i] = (feed){ .next = 100 * i, .step = 1, .log = log, .logged = &logged };
        snprintf(name, sizeof name, "in[%d]", i);
        assert_int_equal(tw_engine_connect_stream_to_callback(
                             e, name, &(tw_stream_callback){ .fetch = give, .user = &feeds[i] }),
                         TW_OK);
        snprintf(name, sizeof name, "out[%d]", i);
        assert_int_equal(
            tw_engine_connect_stream_to_callback(e, name, &(tw_stream_callback){ .fetch = take, .user = &last }),
            TW_OK);
    }
    assert_int_equal(
        tw_engine_connect_stream_to_callback(e, "all", &(tw_stream_callback){ .fetch = give, .user = &one }),
        TW_OK);
    run(e);
    const int want[] = { 0, 100, 200, 300, 1, 101, 201, 301, 1, 101, 201, 301, 2, 102, 202, 302 };
    assert_int_equal(logged, 16);
    assert_memory_equal(log, want, sizeof want);
    assert_int_equal(called, 2);
    check(e, "y", 4, (int[]){ 75, 75, 75, 75 });
    int buffer[REPLICAS] = { 0 };
    assert_int_equal(tw_engine_connect_stream(e, "out", buffer, sizeof buffer), TW_OK); /* all at once */
    logged = 0;
    run(e);
    assert_memory_equal(buffer, ((int[]){ 4, 104, 204, 304 }), sizeof buffer);
    tw_engine_free(e);
    drop(&f);
}

/* Guide 2.7.2: with target.syncReplicasIndependently a replica waits for the host alone, so that each may use its
 * stream as often as it likes; else that is an error. */
static void engine_created_2_7_2_host(void **state)
{
    (void)state;
    fixture f = make();
    tw_graph *g = f.g;
    tw_tensor x = variable(g, TW_INT, 1, 2, "x"), at = scalar(g, TW_INT, 0, "at"), i = scalar(g, TW_INT, 0, "i");
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_INT, 1, TW_STREAM_REPLICATE, NULL);
    tw_program body = tw_program_copy_from_stream(g, in, x);
    tw_program loop = tw_program_counted_for_loop_dynamic(g, i, 0, at, 1, body);
    tw_tensor index = tw_tensor_reinterpret(g, index_of(g), TW_INT);
    tw_program p = both(g, tw_program_copy(g, index, at), loop);
    feed feeds[REPLICAS];
    for (int alone = 0; alone < 2; alone++) {
        const char *options[] = { "target.syncReplicasIndependently=true", NULL };
        tw_engine *e = load(&f, p, alone ? options : NULL);
        for (int k = 0; k < REPLICAS; k++) {
            char name[16];
            feeds[k] = (feed){ .next = 10 * k + 1, .step = 1 };
            snprintf(name, sizeof name, "in[%d]", k);
            tw_stream_callback c = { .fetch = give, .user = &feeds[k] };
            assert_int_equal(tw_engine_connect_stream_to_callback(e, name, &c), TW_OK);
        }
        if (alone) {
            run(e);
            check(e, "x", REPLICAS, (int[]){ 0, 11, 22, 33 });
        } else {
            assert_int_equal(tw_engine_run(e, 0), TW_E_APPLICATION);
            assert_non_null(strstr(tw_error_message(), "replica 1 waits in Copy of stream 'in'"));
        }
        tw_engine_free(e);
    }
    drop(&f);
}

/* Remote buffers are each replica's own, and so are the rows that it asks for. */
static void engine_created_remote(void **state)
{
    (void)state;
    fixture f = make();
    tw_graph *g = f.g;
    tw_tensor x = variable(g, TW_INT, 2, 2, "x"), row = variable(g, TW_UNSIGNED_INT, 1, 0, "row");
    tw_remote_buffer rb = tw_graph_add_remote_buffer(g, "rb", TW_INT, 2, REPLICAS, false, false);
    tw_tensor index = tw_tensor_reshape(g, index_of(g), 1, (size_t[]){ 1 });
    tw_program steps[] = { tw_program_copy(g, index, row), tw_program_copy_to_remote(g, x, rb, row) };
    tw_engine *e = load(&f, tw_program_sequence_of(g, 2, steps), NULL);
    tw_engine_write(e, "x", (int[]){ 1, 2, 3, 4, 5, 6, 7, 8 }, 32);
    run(e);
    for (int k = 0; k < REPLICAS; k++)
        for (int r = 0; r < REPLICAS; r++) {
            char name[16];
            int got[2];
            snprintf(name, sizeof name, "rb[%d]", k);
            assert_int_equal(tw_engine_copy_from_remote_buffer(e, name, (uint64_t)r, got, sizeof got), TW_OK);
            assert_int_equal(got[0], k == r ? 2 * k + 1 : 0);
        }
    tw_engine_free(e);
    drop(&f);
}

static void engine_created_print(void **state)
{
    (void)state;
    if (tw_world_size() > 1) return; /* a rank prints its own replicas */
    fixture f = make();
    tw_tensor x = variable(f.g, TW_INT, 1, 2, "x");
    tw_engine *e = load(&f, tw_program_print_tensor(f.g, "x", x, NULL), NULL);
    tw_engine_write(e, "x", (int[]){ 1, 2, 3, 4 }, 16);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tw_engine_set_print_tensor_stream(e, out);
    run(e);
    fclose(out);
    assert_string_equal(text, "x (replica 0): [1]\nx (replica 1): [2]\nx (replica 2): [3]\nx (replica 3): [4]\n");
    free(text);
    tw_engine_free(e);
    drop(&f);
}

/* --- what it costs ---------------------------------------------------------------------------------------------- */

/* The clock of a replica that waits goes on when the last one has come. */
static void engine_created_clock(void **state)
{
    (void)state;
    fixture f = make();
    tw_graph *g = f.g;
    tw_tensor x = scalar(g, TW_INT, 3, "x"), at = scalar(g, TW_INT, 0, "at"), i = scalar(g, TW_INT, 0, "i");
    tw_tensor begin = variable(g, TW_UNSIGNED_INT, 2, 0, "begin"), end = variable(g, TW_UNSIGNED_INT, 2, 0, "end");
    tw_program loop = tw_program_counted_for_loop_dynamic(g, i, 0, at, 1, add_to(g, x, 3, 1));
    tw_tensor index = tw_tensor_reinterpret(g, index_of(g), TW_INT);
    tw_program steps[] = { tw_program_copy(g, index, at), loop, tw_program_cycle_stamp(g, begin),
                           tw_program_sync(g, TW_SYNC_GLOBAL), tw_program_cycle_stamp(g, end) };
    tw_engine *e = load(&f, tw_program_sequence_of(g, 5, steps), NULL);
    run(e);
    unsigned before[2 * REPLICAS], after[2 * REPLICAS];
    assert_int_equal(tw_engine_read(e, "begin", before, sizeof before), TW_OK);
    assert_int_equal(tw_engine_read(e, "end", after, sizeof after), TW_OK);
    for (int k = 1; k < REPLICAS; k++) {
        assert_true(before[2 * k] > before[2 * (k - 1)]); /* one round more */
        assert_int_equal(after[2 * k], after[0]);
    }
    assert_true(after[0] >= before[2 * (REPLICAS - 1)]);
    if (tw_world_rank() == 0) { /* guide 9: memory of one replica, since it is the same for all */
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_int_equal(tw_profile_print_summary(tw_engine_profile(e), out, NULL), TW_OK);
        fclose(out);
        const char *at_replicas = strstr(text, "Number of Replicas:");
        assert_non_null(at_replicas);
        assert_int_equal(strtol(at_replicas + strlen("Number of Replicas:"), NULL, 10), REPLICAS);
        free(text);
    }
    tw_engine_free(e);
    drop(&f);
}

/* --- random graphs ---------------------------------------------------------------------------------------------- */

static uint64_t seed;
static unsigned draw(unsigned limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % limit;
}

enum { VARIABLES = 3, PARTS = 3, MOST_ELEMENTS = 40 };

typedef struct random_graph {
    tw_tensor var[VARIABLES], index, control, left, go;
    size_t size[VARIABLES];
} random_graph;

static tw_tensor piece(tw_graph *g, const random_graph *r, unsigned v, size_t *n)
{
    size_t size = r->size[v], begin = draw((unsigned)size), end = begin + 1 + draw((unsigned)(size - begin));
    *n = end - begin;
    return tw_tensor_slice(g, r->var[v], 0, begin, end);
}

static tw_program random_set(tw_graph *g, const random_graph *r)
{
    tw_compute_set cs = tw_graph_add_compute_set(g, "set");
    unsigned from = draw(VARIABLES), to = (from + 1 + draw(VARIABLES - 1)) % VARIABLES, kind = draw(3);
    size_t n, m;
    tw_tensor in = piece(g, r, from, &n), out = piece(g, r, to, &m);
    tw_vertex v = tw_graph_add_vertex(g, cs, (const char *[]){ "Mix", "Turn", "Rows" }[kind], draw(TILES));
    if (kind == 0) {
        tw_graph_connect(g, v, "in", in);
        tw_graph_connect(g, v, "out", out);
    } else if (kind == 1) {
        tw_graph_connect(g, v, "data", out);
    } else {
        size_t rows = n < m ? n : m;
        tw_tensor list[MOST_ELEMENTS], single[MOST_ELEMENTS];
        for (size_t i = 0; i < rows; i++)
            list[i] = tw_tensor_slice(g, in, 0, i, n), single[i] = tw_tensor_index(g, in, n - 1 - i);
        tw_graph_connect_list(g, v, "rows", (unsigned)rows, list);
        tw_graph_connect_list(g, v, "single", (unsigned)rows, single);
        tw_graph_connect(g, v, "out", tw_tensor_slice(g, out, 0, 0, rows));
    }
    if (kind < 2) tw_graph_set_field(g, v, "k", draw(100));
    if (kind == 1) tw_graph_set_field(g, v, "calls", 0);
    return tw_program_execute(g, cs);
}

/* Sets *x to a number below `most` that follows from data and the replica. */
static tw_program random_number(tw_graph *g, const random_graph *r, tw_tensor to, unsigned most)
{
    size_t n;
    tw_compute_set cs = tw_graph_add_compute_set(g, "bits");
    tw_vertex v = tw_graph_add_vertex(g, cs, "Bits", draw(TILES));
    tw_graph_connect(g, v, "in", piece(g, r, draw(VARIABLES), &n));
    tw_graph_connect(g, v, "index", r->index);
    tw_graph_connect(g, v, "out", to);
    tw_graph_set_field(g, v, "most", most);
    return tw_program_execute(g, cs);
}

static tw_program random_program(tw_graph *g, const random_graph *r, unsigned depth)
{
    tw_program sequence = tw_program_sequence(g, "");
    for (unsigned k = 1 + draw(3); k; k--) {
        unsigned kind = depth ? draw(5) : 0;
        tw_program p;
        if (kind == 1) { /* branches */
            tw_program_sequence_add(g, sequence, random_number(g, r, r->control, 3));
            p = tw_program_switch(g, r->control, random_program(g, r, depth - 1));
            tw_program_switch_add(g, p, 1, random_program(g, r, depth - 1));
        } else if (kind == 2 && depth == 2) { /* a loop that data ends */
            tw_program_sequence_add(g, sequence, random_number(g, r, r->left, 4));
            tw_compute_set cs = tw_graph_add_compute_set(g, "fuel");
            tw_vertex v = tw_graph_add_vertex(g, cs, "Fuel", draw(TILES));
            tw_graph_connect(g, v, "left", r->left);
            tw_graph_connect(g, v, "go", r->go);
            p = tw_program_repeat_while_true(g, tw_program_execute(g, cs), r->go, random_program(g, r, depth - 1));
        } else if (kind == 3) {
            p = tw_program_repeat(g, draw(3), random_program(g, r, depth - 1));
        } else {
            p = random_set(g, r);
        }
        tw_program_sequence_add(g, sequence, p);
    }
    return sequence;
}

/* The same for a seed, in a graph of replicas and in one alone, whose index the host gives. Programs of the parts
 * between copies of variable 0 to variable 1 of another replica. */
static void build(tw_graph *g, uint64_t from, random_graph *r, tw_program parts[PARTS])
{
    static const char *const names[VARIABLES] = { "a", "b", "c" };
    seed = from;
    for (unsigned v = 0; v < VARIABLES; v++) {
        size_t n = r->size[v] = v == 1 ? r->size[0] : 2 + draw(MOST_ELEMENTS - 2), at = 0;
        r->var[v] = tw_graph_add_variable(g, TW_INT, 1, &n, names[v]);
        while (at < n) {
            size_t end = at + 1 + draw((unsigned)(n - at));
            tw_graph_map(g, tw_tensor_slice(g, r->var[v], 0, at, end), draw(TILES));
            at = end;
        }
        tw_graph_create_host_access(g, names[v], r->var[v]);
    }
    r->control = tw_graph_add_variable(g, TW_INT, 0, NULL, "control");
    r->left = tw_graph_add_variable(g, TW_INT, 0, NULL, "left");
    r->go = tw_graph_add_variable(g, TW_BOOL, 0, NULL, "go");
    tw_graph_map(g, r->control, draw(TILES)), tw_graph_map(g, r->left, draw(TILES)),
        tw_graph_map(g, r->go, draw(TILES));
    for (unsigned p = 0; p < PARTS; p++) parts[p] = random_program(g, r, 2);
}

static const unsigned maps[PARTS - 1][REPLICAS] = { { 1, 2, 3, 0 }, { 2, TW_UNMAPPED, 0, 1 } };

static void by_hand(tw_target_kind kind, uint64_t from, size_t sizes[VARIABLES],
                    int (*values)[REPLICAS][MOST_ELEMENTS])
{
    tw_ipu_model model = { .size = sizeof model, .num_ipus = 2, .tiles_per_ipu = 4 };
    tw_device *device = kind == TW_TARGET_IPU ? tw_device_ipu_sim_with(&model) : tw_device_ipu_model_with(&model);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_graph_add_codelets_source(g, more_codelets, "c++", "more.cpp", NULL);
    random_graph r = { .index = tw_graph_add_variable(g, TW_UNSIGNED_INT, 0, NULL, "index") };
    tw_graph_map(g, r.index, 0);
    tw_graph_create_host_write(g, "index", r.index);
    tw_program parts[PARTS];
    build(g, from, &r, parts);
    const char *const options[] = { "simulator.runNativeVertices=true", NULL };
    tw_engine *e[REPLICAS];
    for (unsigned i = 0; i < REPLICAS; i++) {
        e[i] = tw_engine_new_programs(g, PARTS, parts, options);
        if (!e[i] || tw_engine_load(e[i], device)) fail_msg("%s", tw_error_message());
        tw_engine_write(e[i], "index", &i, sizeof i);
        for (unsigned v = 0; v < VARIABLES; v++)
            tw_engine_write(e[i], (const char *[]){ "a", "b", "c" }[v], values[v][i], r.size[v] * sizeof(int));
    }
    for (unsigned p = 0; p < PARTS; p++) {
        int sent[REPLICAS][MOST_ELEMENTS];
        for (unsigned i = 0; i < REPLICAS; i++) {
            if (tw_engine_run(e[i], p)) fail_msg("%s", tw_error_message());
            tw_engine_read(e[i], "a", sent[i], r.size[0] * sizeof(int));
        }
        for (unsigned i = 0; p + 1 < PARTS && i < REPLICAS; i++)
            if (maps[p][i] != TW_UNMAPPED) tw_engine_write(e[maps[p][i]], "b", sent[i], r.size[0] * sizeof(int));
    }
    for (unsigned i = 0; i < REPLICAS; i++) {
        for (unsigned v = 0; v < VARIABLES; v++)
            tw_engine_read(e[i], (const char *[]){ "a", "b", "c" }[v], values[v][i], r.size[v] * sizeof(int));
        tw_engine_free(e[i]);
    }
    memcpy(sizes, r.size, sizeof r.size);
    tw_graph_free(g);
    tw_device_free(device);
}

static void compare(tw_target_kind kind, uint64_t from)
{
    int values[VARIABLES][REPLICAS][MOST_ELEMENTS];
    for (unsigned v = 0; v < VARIABLES; v++)
        for (unsigned i = 0; i < REPLICAS; i++)
            for (unsigned k = 0; k < MOST_ELEMENTS; k++) values[v][i][k] = (int)(v * 1000 + i * 37 + k * k);
    int start[VARIABLES][REPLICAS][MOST_ELEMENTS];
    memcpy(start, values, sizeof start);
    size_t sizes[VARIABLES];
    by_hand(kind, from, sizes, values);
    fixture f = make_on(kind, REPLICAS, 2, 4);
    random_graph r = { .index = index_of(f.g) };
    tw_program parts[PARTS], whole = tw_program_sequence(f.g, "");
    build(f.g, from, &r, parts);
    for (unsigned p = 0; p < PARTS; p++) {
        tw_program_sequence_add(f.g, whole, parts[p]);
        if (p + 1 < PARTS)
            tw_program_sequence_add(f.g, whole, tw_program_cross_replica_copy(f.g, r.var[0], r.var[1], maps[p]));
    }
    const char *const options[] = { "simulator.runNativeVertices=true", NULL };
    tw_engine *e = load(&f, whole, options);
    for (unsigned v = 0; v < VARIABLES; v++) {
        const char *name = (const char *[]){ "a", "b", "c" }[v];
        int data[REPLICAS * MOST_ELEMENTS];
        for (unsigned i = 0; i < REPLICAS; i++) memcpy(data + i * sizes[v], start[v][i], sizes[v] * sizeof *data);
        assert_int_equal(tw_engine_write(e, name, data, REPLICAS * sizes[v] * sizeof *data), TW_OK);
    }
    run(e);
    for (unsigned v = 0; v < VARIABLES; v++) {
        int want[REPLICAS * MOST_ELEMENTS];
        for (unsigned i = 0; i < REPLICAS; i++) memcpy(want + i * sizes[v], values[v][i], sizes[v] * sizeof *want);
        check(e, (const char *[]){ "a", "b", "c" }[v], REPLICAS * sizes[v], want);
    }
    tw_engine_free(e);
    drop(&f);
}

/* A graph of replicas gives what the graph of one gives that is run once for each, with the copies done by hand. */
static void engine_created_random(void **state)
{
    (void)state;
    unsigned graphs = tw_world_size() > 1 ? 6 : 20;
    for (uint64_t s = 1; s <= graphs; s++) compare(TW_TARGET_IPU_MODEL, s);
    for (uint64_t s = 1; s <= graphs / 4; s++) compare(TW_TARGET_IPU, 1000 + s);
}

/* --- executables ------------------------------------------------------------------------------------------------ */

static void engine_created_executable(void **state)
{
    (void)state;
    fixture f = make();
    tw_tensor x = variable(f.g, TW_INT, 1, 1, "x"), at = variable(f.g, TW_INT, 1, 3, "at");
    tw_tensor index = tw_tensor_reshape(f.g, tw_tensor_reinterpret(f.g, index_of(f.g), TW_INT), 1, (size_t[]){ 1 });
    tw_engine *e = load(
        &f, both(f.g, tw_program_copy(f.g, index, at), tw_program_cross_replica_copy(f.g, at, x, onward)), NULL);
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    assert_int_equal(tw_engine_serialize(e, out), TW_OK);
    fclose(out);
    tw_engine_free(e);
    e = tw_engine_deserialize(bytes, size, NULL);
    free(bytes);
    if (!e || tw_engine_load(e, f.device)) fail_msg("%s", tw_error_message());
    run(e);
    check(e, "x", 4, (int[]){ 3, 0, 1, 2 });
    tw_engine_free(e);
    drop(&f);
}

/* Each half of this machine's memory: one would fit, as a rank may have, four do not. */
static void engine_created_too_large(void **state)
{
    (void)state;
    if (tw__wire_size() > 1) skip();
    size_t half = (size_t)sysconf(_SC_PHYS_PAGES) / 2 * (size_t)sysconf(_SC_PAGESIZE);
    const char *options[] = { "debug.allowOutOfMemory=true", NULL };
    for (unsigned remote = 0; remote < 2; remote++) {
        fixture f = make();
        size_t elements = remote ? 1 : half / sizeof(int);
        tw_tensor x = tw_graph_add_variable(f.g, TW_INT, 1, &elements, "x");
        tw_graph_map(f.g, x, 0);
        tw_program p = tw_program_sequence(f.g, "");
        if (remote)
            p = tw_program_copy_to_remote(
                f.g, x, tw_graph_add_remote_buffer(f.g, "rows", TW_INT, 1, half / sizeof(int), false, false),
                (tw_tensor){ 0 });
        tw_engine *e = tw_engine_new(f.g, p, options);
        if (!e) fail_msg("%s", tw_error_message());
        assert_int_equal(tw_engine_load(e, f.device), TW_E_NO_MEMORY);
        const char *text = remote ? "remote buffer 'rows[2]'" : "the variables of 4 replicas take";
        if (!strstr(tw_error_message(), text)) fail_msg("%s", tw_error_message());
        tw_engine_free(e);
        drop(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_created_2_5_2_graph),   cmocka_unit_test(engine_created_2_5_2_own_way),
        cmocka_unit_test(engine_created_ring),          cmocka_unit_test(engine_created_partial_map),
        cmocka_unit_test(engine_created_do_not_meet),   cmocka_unit_test(engine_created_meet_in_branches),
        cmocka_unit_test(engine_created_2_6_1_streams), cmocka_unit_test(engine_created_2_7_2_host),
        cmocka_unit_test(engine_created_remote),        cmocka_unit_test(engine_created_print),
        cmocka_unit_test(engine_created_clock),         cmocka_unit_test(engine_created_random),
        cmocka_unit_test(engine_created_executable),    cmocka_unit_test(engine_created_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
