/* SPDX-License-Identifier: MIT */
/* Replicated graphs: guide 2.5, 2.5.1, 2.6.1; Poplar API, DebugContext.hpp and Program.hpp. Eight IPUs of four tiles,
 * four replicas. */
#include "poplar/engine/engine_test.h"

enum { REPLICAS = 4, TILES = 8 }; /* of a replica */

typedef struct fixture {
    tw_device *device;
    tw_graph *g, *rg; /* parent, replicated */
} fixture;

static fixture make(void)
{
    fixture f;
    tw_ipu_model model = { .size = sizeof model, .num_ipus = 8, .tiles_per_ipu = 4 };
    f.device = tw_device_ipu_model_with(&model);
    f.g = tw_graph_new(tw_device_target(f.device));
    f.rg = tw_graph_replicated(f.g, REPLICAS);
    tw_graph_add_codelets_source(f.rg, test_codelets, "c++", "codelets.cpp", NULL);
    return f;
}

static void drop(fixture *f)
{
    if (tw_graph_status(f->g)) print_error("%s\n", tw_graph_error(f->g)->message);
    assert_int_equal(tw_graph_status(f->g), TW_OK);
    tw_graph_free(f->rg);
    tw_graph_free(f->g);
    tw_device_free(f->device);
}

/* A vector of ints on one tile of each replica. */
static tw_tensor ints(fixture *f, size_t n, unsigned tile, const char *name)
{
    tw_tensor t = tw_graph_add_variable(f->rg, TW_INT, 1, &n, name);
    tw_graph_map(f->rg, t, tile);
    return t;
}

static tw_engine *load(fixture *f, tw_program program)
{
    tw_engine *e = tw_engine_new(f->g, program, NULL);
    tw_status status = tw_engine_load(e, f->device);
    if (status) print_error("%s\n", tw_error_message());
    assert_int_equal(status, TW_OK);
    return e;
}

static void run(tw_engine *e)
{
    tw_status status = tw_engine_run(e, 0);
    if (status) print_error("%s\n", tw_error_message());
    assert_int_equal(status, TW_OK);
}

static void check(tw_engine *e, const char *handle, size_t n, const int *want)
{
    int got[64];
    assert_int_equal(tw_engine_read(e, handle, got, n * sizeof *got), TW_OK);
    for (size_t i = 0; i < n; i++)
        if (got[i] != want[i]) fail_msg("%s[%zu] is %d, not %d", handle, i, got[i], want[i]);
}

/* Guide 2.5: each replica has its own instance of a variable, on the tile of that replica that its mapping names. */
static void engine_replica_2_5_instances(void **state)
{
    (void)state;
    fixture f = make();
    assert_int_equal(tw_graph_replication_factor(f.rg), 4);
    assert_int_equal(tw_graph_replication_factor(f.g), 1);
    assert_int_equal(tw_target_tiles(tw_graph_target(f.rg)), TILES);
    assert_int_equal(tw_target_ipus(tw_graph_target(f.rg)), 2);
    tw_tensor x = ints(&f, 3, 5, "x");
    tw_tensor all = tw_graph_get_non_replicated_tensor(f.g, x);
    assert_int_equal(tw_tensor_rank(f.g, all), 2);
    assert_int_equal(tw_tensor_dim(f.g, all, 0), REPLICAS);
    assert_int_equal(tw_tensor_dim(f.g, all, 1), 3);
    tw_mapped_interval m[8];
    assert_int_equal(tw_graph_get_mapping(f.g, all, m, 8), REPLICAS);
    for (unsigned r = 0; r < REPLICAS; r++) {
        assert_int_equal(m[r].tile, r * TILES + 5);
        assert_int_equal(m[r].interval.begin, 3 * r);
        assert_int_equal(m[r].interval.end, 3 * r + 3);
    }
    assert_int_equal(tw_graph_get_mapping(f.rg, x, m, 8), 1);
    assert_int_equal(m[0].tile, 5);
    tw_tensor clone = tw_graph_clone(f.rg, TW_TYPE_NONE, x, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "clone");
    all = tw_graph_get_non_replicated_tensor(f.g, clone);
    assert_int_equal(tw_graph_get_mapping(f.g, all, m, 8), REPLICAS);
    assert_int_equal(m[3].tile, 3 * TILES + 5);
    drop(&f);
}

/* Vertices run on every replica; an operation of the parent on one of them alone. */
static void engine_replica_2_5_1_vertices(void **state)
{
    (void)state;
    fixture f = make();
    tw_tensor x = ints(&f, 1, 1, "x"), flat = tw_tensor_index(f.rg, x, 0);
    tw_graph_set_initial_value(f.rg, x, &(int){ 7 }, true);
    tw_compute_set cs = tw_graph_add_compute_set(f.rg, "add"), once = tw_graph_add_compute_set(f.g, "once");
    tw_vertex v = tw_graph_add_vertex(f.rg, cs, "AddTo", TW_UNMAPPED);
    tw_graph_map_vertex(f.rg, v, 1);
    tw_graph_connect(f.rg, v, "x", flat);
    tw_graph_set_field(f.rg, v, "amount", 3);
    assert_int_equal(tw_graph_vertex_count(f.g), REPLICAS);
    tw_tensor all = tw_graph_get_non_replicated_tensor(f.g, x); /* [4][1] */
    tw_vertex w = tw_graph_add_vertex(f.g, once, "AddTo", 2 * TILES + 1);
    tw_graph_connect(f.g, w, "x", tw_tensor_element(f.g, all, (size_t[]){ 2, 0 }));
    tw_graph_set_field(f.g, w, "amount", 100);
    tw_graph_create_host_access(f.rg, "x", x);
    tw_program p = tw_program_sequence_of(
        f.rg, 2,
        (tw_program[]){ tw_program_repeat(f.rg, 2, tw_program_execute(f.rg, cs)), tw_program_execute(f.g, once) });
    tw_engine *e = load(&f, p);
    run(e);
    check(e, "x", 4, (int[]){ 13, 13, 113, 13 });
    assert_int_equal(tw_engine_write(e, "x", (int[]){ 1, 2, 3, 4 }, 16), TW_OK);
    run(e);
    check(e, "x", 4, (int[]){ 7, 8, 109, 10 });
    tw_engine_free(e);
    drop(&f);
}

static void engine_replica_copies(void **state)
{
    (void)state;
    fixture f = make();
    tw_tensor x = ints(&f, 2, 0, "x"), y = ints(&f, 2, 3, "y"), z = ints(&f, 2, 6, "z"), w = ints(&f, 2, 2, "w");
    tw_tensor id = tw_graph_add_replication_index_constant(f.rg, "id"),
              where = tw_graph_add_variable(f.rg, TW_UNSIGNED_INT, 0, NULL, "where");
    tw_tensor one = tw_graph_add_constant(f.g, TW_INT, 1, (size_t[]){ 2 }, (int[]){ 5, 6 }, false, "one");
    tw_graph_map(f.rg, id, 0);
    tw_graph_map(f.rg, where, 1);
    tw_graph_map(f.g, one, 31);
    tw_graph_create_host_access(f.rg, "x", x);
    tw_graph_create_host_read(f.rg, "y", y);
    tw_graph_create_host_read(f.rg, "z", z);
    tw_graph_create_host_read(f.rg, "w", w);
    tw_graph_create_host_read(f.rg, "where", where);
    const unsigned next[] = { 1, 2, 3, 0 };
    tw_program steps[] = { tw_program_copy(f.rg, x, y), tw_program_copy(f.rg, id, where),
                           tw_program_copy(f.rg, one, w), tw_program_cross_replica_copy(f.rg, x, z, next) };
    tw_engine *e = load(&f, tw_program_sequence_of(f.g, 4, steps));
    assert_int_equal(tw_engine_write(e, "x", (int[]){ 1, 2, 3, 4, 5, 6, 7, 8 }, 32), TW_OK);
    run(e);
    check(e, "y", 8, (int[]){ 1, 2, 3, 4, 5, 6, 7, 8 });
    check(e, "z", 8, (int[]){ 7, 8, 1, 2, 3, 4, 5, 6 }); /* replica i sends to i + 1 */
    check(e, "w", 8, (int[]){ 5, 6, 5, 6, 5, 6, 5, 6 });
    check(e, "where", 4, (int[]){ 0, 1, 2, 3 });
    tw_engine_free(e);
    drop(&f);
}

/* Guide 2.6.1: a stream to replicas either broadcasts the same data to all, or has data for each.
 * Remote buffers: one for each replica. */
static void engine_replica_2_6_1_streams(void **state)
{
    (void)state;
    fixture f = make();
    tw_tensor x = ints(&f, 2, 0, "x"), y = ints(&f, 2, 3, "y");
    tw_stream own = tw_graph_add_host_to_device_fifo(f.rg, "own", TW_INT, 2, TW_STREAM_REPLICATE, NULL);
    tw_stream same = tw_graph_add_host_to_device_fifo(f.rg, "same", TW_INT, 2, TW_STREAM_BROADCAST, NULL);
    tw_stream out = tw_graph_add_device_to_host_fifo(f.rg, "out", TW_INT, 2, NULL);
    tw_remote_buffer far = tw_graph_add_remote_buffer(f.rg, "far", TW_INT, 2, 1, false, false);
    tw_graph_create_host_read(f.rg, "y", y);
    tw_program steps[] = { tw_program_copy_from_stream(f.rg, own, x), tw_program_copy_to_stream(f.rg, x, out),
                           tw_program_copy_to_remote(f.rg, x, far, (tw_tensor){ 0 }),
                           tw_program_copy_from_stream(f.rg, same, y) };
    tw_engine *e = load(&f, tw_program_sequence_of(f.g, 4, steps));
    const char *const *handles = tw_engine_list_streams(e);
    static const char *const want[] = { "own[0]", "own[1]", "own[2]", "own[3]", "same", "out[0]" };
    for (int i = 0; i < 6; i++) assert_string_equal(handles[i], want[i]);
    int in[REPLICAS][2], taken[REPLICAS][2] = { { 0 } }, all[2] = { 40, 41 }, row[2];
    for (int r = 0; r < REPLICAS; r++) {
        char name[16];
        in[r][0] = 10 * r, in[r][1] = 10 * r + 1;
        snprintf(name, sizeof name, "own[%d]", r);
        assert_int_equal(tw_engine_connect_stream(e, name, in[r], sizeof in[r]), TW_OK);
        snprintf(name, sizeof name, "out[%d]", r);
        assert_int_equal(tw_engine_connect_stream(e, name, taken[r], sizeof taken[r]), TW_OK);
    }
    assert_int_equal(tw_engine_connect_stream(e, "same", all, sizeof all), TW_OK);
    run(e);
    assert_memory_equal(taken, in, sizeof in);
    check(e, "y", 8, (int[]){ 40, 41, 40, 41, 40, 41, 40, 41 });
    assert_int_equal(tw_engine_copy_from_remote_buffer(e, "far[3]", 0, row, sizeof row), TW_OK);
    assert_int_equal(row[1], 31);
    tw_engine_free(e);
    drop(&f);
}

/* Loop counters and AND results reach every replica. */
static void engine_replica_control(void **state)
{
    (void)state;
    fixture f = make();
    tw_tensor x = ints(&f, 1, 1, "x"), i = ints(&f, 1, 0, "i"), seen = ints(&f, 1, 2, "seen");
    tw_tensor yes = tw_graph_add_variable(f.rg, TW_BOOL, 0, NULL, "yes");
    tw_graph_map(f.rg, yes, 0);
    tw_graph_set_initial_value(f.rg, x, &(int){ 1 }, true);
    tw_compute_set add = tw_graph_add_compute_set(f.rg, "add"), test = tw_graph_add_compute_set(f.rg, "test");
    tw_vertex v = tw_graph_add_vertex(f.rg, add, "AddTo", 1), u = tw_graph_add_vertex(f.rg, test, "IsPositive", 1);
    tw_graph_connect(f.rg, v, "x", tw_tensor_index(f.rg, x, 0));
    tw_graph_set_field_int(f.rg, v, "amount", 2);
    tw_graph_connect(f.rg, u, "x", tw_tensor_index(f.rg, x, 0));
    tw_graph_create_host_access(f.rg, "x", x);
    tw_graph_create_host_read(f.rg, "seen", seen);
    tw_graph_create_host_read(f.rg, "yes", yes);
    tw_program body = tw_program_sequence_of(
        f.rg, 2, (tw_program[]){ tw_program_execute(f.rg, add), tw_program_copy(f.rg, i, seen) });
    tw_program p = tw_program_sequence_of(
        f.rg, 2,
        (tw_program[]){ tw_program_counted_for_loop(f.rg, tw_tensor_index(f.rg, i, 0), 0, 5, 1, body),
                        tw_program_execute_all_true(f.rg, test, yes) });
    tw_engine *e = load(&f, p);
    run(e);
    bool all[REPLICAS];
    check(e, "x", 4, (int[]){ 11, 11, 11, 11 });
    check(e, "seen", 4, (int[]){ 4, 4, 4, 4 });
    assert_int_equal(tw_engine_read(e, "yes", all, sizeof all), TW_OK);
    for (int r = 0; r < REPLICAS; r++) assert_true(all[r]);
    assert_int_equal(tw_engine_write(e, "x", (int[]){ 1, 1, -100, 1 }, 16), TW_OK);
    run(e);
    assert_int_equal(tw_engine_read(e, "yes", all, sizeof all), TW_OK);
    for (int r = 0; r < REPLICAS; r++) assert_false(all[r]); /* one vertex said no */
    tw_engine_free(e);
    drop(&f);
}

static void engine_replica_prints(void **state)
{
    (void)state;
    fixture f = make();
    tw_tensor x = ints(&f, 2, 1, "x");
    tw_graph_set_initial_value(f.rg, x, (int[]){ 1, 2 }, false);
    tw_engine *e = load(&f, tw_program_print_tensor(f.rg, "x", x, NULL));
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    tw_engine_set_print_tensor_stream(e, out);
    run(e);
    fclose(out);
    assert_non_null(strstr(text, "x (replica 0)"));
    assert_non_null(strstr(text, "x (replica 3)"));
    free(text);
    tw_engine_free(e);
    drop(&f);
}

/* Virtual graphs of a replicated one, and what is refused. */
static void engine_replica_limits(void **state)
{
    (void)state;
    fixture f = make();
    tw_graph *half = tw_graph_virtual_first(f.rg, 2); /* tiles 0, 1 of both IPUs of each replica */
    assert_int_equal(tw_graph_replication_factor(half), REPLICAS);
    tw_tensor x = tw_graph_add_variable(half, TW_INT, 1, (size_t[]){ 1 }, "x");
    tw_graph_map(half, x, 3);
    tw_mapped_interval m[4];
    assert_int_equal(tw_graph_get_mapping(f.g, tw_graph_get_non_replicated_tensor(f.g, x), m, 4), 4);
    assert_int_equal(m[1].tile, TILES + 5);
    tw_error error;
    static const unsigned twice[] = { 0, 0, 1, 2 }, far[] = { 0, 1, 2, 4 };
    tw_program_cross_replica_copy(f.rg, x, x, twice);
    assert_int_equal(tw_graph_take_error(f.g, &error), TW_E_REPLICATION);
    tw_program_cross_replica_copy(f.rg, x, x, far);
    assert_int_equal(tw_graph_take_error(f.g, &error), TW_E_REPLICATION);
    tw_program_cross_replica_copy(f.g, x, x, far);
    assert_int_equal(tw_graph_take_error(f.g, &error), TW_E_REPLICATION);
    tw_graph_free(tw_graph_replicated(f.rg, 2));
    assert_int_equal(tw_graph_take_error(f.g, &error), TW_E_REPLICATION);
    tw_graph_free(tw_graph_replicated(f.g, 3));
    assert_int_equal(tw_graph_take_error(f.g, &error), TW_E_REPLICATION);
    assert_non_null(strstr(error.message, "32 tiles of 8 IPUs"));
    tw_compute_set cs = tw_graph_add_compute_set(f.g, "cs");
    tw_vertex v = tw_graph_add_vertex(f.g, cs, "AddTo", 0); /* of the parent: not on every replica */
    tw_graph_set_field(f.rg, v, "amount", 1);
    assert_int_equal(tw_graph_take_error(f.g, &error), TW_E_REPLICATION);
    tw_graph_map(f.rg, x, TILES); /* a tile that no replica has */
    assert_int_equal(tw_graph_take_error(f.g, &error), TW_E_TILE_MAPPING);
    assert_string_equal(error.function, "tw_graph_map");
    assert_int_equal(error.line, __LINE__ - 3);
    tw_graph_free(half);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_replica_2_5_instances), cmocka_unit_test(engine_replica_2_5_1_vertices),
        cmocka_unit_test(engine_replica_copies),        cmocka_unit_test(engine_replica_2_6_1_streams),
        cmocka_unit_test(engine_replica_control),       cmocka_unit_test(engine_replica_prints),
        cmocka_unit_test(engine_replica_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
