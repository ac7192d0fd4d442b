/* SPDX-License-Identifier: MIT */
/* Stamps of the clock: Poplar API, CycleCount.hpp (two words, the low one first; what is between two moments), with
 * the cycles of docs/model.md: a Vertex's cycles are a worker's, which has every sixth of the tile. */
#include "../engine_test.h"

enum { WORK = 100, TILE_WORK = 6 * WORK };

typedef struct fixture {
    tw_device *device;
    tw_graph *g;
    tw_tensor count, x;
    tw_compute_set cs;
} fixture;

static fixture make(test_device kind)
{
    fixture f = { .device = test_device_new(kind) };
    f.g = test_graph_new(f.device);
    f.x = tw_graph_add_variable(f.g, TW_INT, 0, NULL, "x");
    f.count = tw_graph_add_variable(f.g, TW_UNSIGNED_INT, SHAPE(2), "count");
    tw_graph_map(f.g, f.x, 0), tw_graph_map(f.g, f.count, 0);
    tw_graph_create_host_read(f.g, "count", f.count);
    f.cs = tw_graph_add_compute_set(f.g, "work");
    tw_vertex v = tw_graph_add_vertex(f.g, f.cs, "AddTo", 0);
    tw_graph_connect(f.g, v, "x", f.x);
    tw_graph_set_field(f.g, v, "amount", 1);
    tw_graph_set_perf_estimate(f.g, v, WORK, 0);
    return f;
}

static void drop(fixture *f)
{
    tw_graph_free(f->g);
    tw_device_free(f->device);
}

static tw_program timed(fixture *f, tw_program body)
{
    return tw_program_sequence_of(
        f->g, 3,
        (tw_program[]){ tw_program_cycle_stamp(f->g, f->count), body, tw_program_cycles_since(f->g, f->count) });
}

static uint64_t read_count(tw_engine *e)
{
    uint32_t words[2] = { 99, 99 };
    test_ok(tw_engine_read(e, "count", words, sizeof words));
    return (uint64_t)words[1] << 32 | words[0];
}

static uint64_t run(fixture *f, tw_program p)
{
    tw_engine *e = test_engine_new(f->g, f->device, p, NULL);
    test_ok(tw_engine_run(e, 0));
    uint64_t cycles = read_count(e);
    tw_engine_free(e);
    return cycles;
}

static void one_compute_set(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    assert_int_equal(run(&f, timed(&f, tw_program_execute(f.g, f.cs))), TILE_WORK);
    assert_int_equal(run(&f, timed(&f, tw_program_sequence(f.g, NULL))), 0);
    drop(&f);
}

/* Straight loops are accounted as a whole, unless somebody looks at the clock inside of them. */
static void loops(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    tw_program one = tw_program_execute(f.g, f.cs),
               twice = tw_program_sequence_of(f.g, 2, (tw_program[]){ one, one }),
               seven = tw_program_repeat(f.g, 7, tw_program_repeat(f.g, 3, twice));
    assert_int_equal(run(&f, timed(&f, seven)), 42 * TILE_WORK);
    assert_int_equal(run(&f, tw_program_repeat(f.g, 5, timed(&f, one))), TILE_WORK);
    /* the clock goes on: the last of five stamps, each before the work of its round */
    tw_program stamp = tw_program_cycle_stamp(f.g, f.count);
    assert_int_equal(
        run(&f, tw_program_repeat(f.g, 5, tw_program_sequence_of(f.g, 2, (tw_program[]){ stamp, one }))),
        4 * TILE_WORK);
    drop(&f);
}

static bool add_cycles(void *user, const tw_profile_step *step)
{
    *(uint64_t *)user = step->cycles_to;
    return true;
}

/* The same cycles as the profile has, exchanges, syncs and host copies too. */
static void like_the_profile(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    tw_tensor far = tw_graph_add_variable(f.g, TW_INT, 0, NULL, "far");
    tw_graph_map(f.g, far, 9); /* on the other IPU */
    tw_program body = tw_program_sequence_of(
        f.g, 4,
        (tw_program[]){ tw_program_copy(f.g, f.x, far), tw_program_sync(f.g, TW_SYNC_EXTERNAL),
                        tw_program_execute(f.g, f.cs), tw_program_copy(f.g, far, f.x) });
    tw_engine *e = test_engine_new(f.g, f.device, timed(&f, body), NULL);
    for (int i = 0; i < 2; i++) {
        uint64_t cycles = 0;
        tw_engine_reset_execution_profile(e);
        test_ok(tw_engine_run(e, 0));
        tw_profile_each_step(tw_engine_profile(e), add_cycles, &cycles);
        assert_true(cycles > TILE_WORK);
        assert_int_equal(read_count(e), cycles);
    }
    tw_engine_enable_execution_profiling(e, false); /* programs see the clock all the same */
    uint64_t before = read_count(e);
    test_ok(tw_engine_run(e, 0));
    assert_int_equal(read_count(e), before);
    tw_engine_free(e);
    drop(&f);
}

/* A clock does not go back: not at the next run, nor at the next load. */
static void goes_on(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    tw_program p = tw_program_sequence_of(
        f.g, 2, (tw_program[]){ tw_program_execute(f.g, f.cs), tw_program_cycle_stamp(f.g, f.count) });
    tw_engine *e = test_engine_new(f.g, f.device, p, NULL);
    for (unsigned i = 1; i < 4; i++) {
        test_ok(tw_engine_run(e, 0));
        assert_int_equal(read_count(e), i * TILE_WORK);
    }
    test_ok(tw_engine_load(e, f.device));
    test_ok(tw_engine_run(e, 0));
    assert_int_equal(read_count(e), 4 * TILE_WORK);
    tw_engine_free(e);
    drop(&f);
}

/* The words need not lie side by side. */
static void views(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    tw_tensor wide = tw_graph_add_variable(f.g, TW_UNSIGNED_INT, SHAPE(4), "wide");
    tw_graph_map(f.g, wide, 1);
    f.count = tw_tensor_reverse(f.g, tw_tensor_sub_sample(f.g, wide, 2, 0), 0); /* elements 2, 0 */
    tw_graph_create_host_read(f.g, "wide", wide);
    tw_engine *e = test_engine_new(f.g, f.device, timed(&f, tw_program_execute(f.g, f.cs)), NULL);
    test_ok(tw_engine_run(e, 0));
    uint32_t words[4];
    test_ok(tw_engine_read(e, "wide", words, sizeof words));
    assert_int_equal(words[2], TILE_WORK);
    assert_int_equal(words[0] | words[1] | words[3], 0);
    tw_engine_free(e);
    drop(&f);
}

static void cpu(void **state)
{
    (void)state;
    fixture f = make(CPU);
    assert_int_equal(run(&f, timed(&f, tw_program_execute(f.g, f.cs))), 0);
    assert_int_equal(run(&f, tw_program_cycle_stamp(f.g, f.count)), 0);
    drop(&f);
}

/* What the simulator measures: a worker's turns, so a multiple of six, and some. */
static void simulator(void **state)
{
    (void)state;
    fixture f = make(SIM);
    uint64_t cycles = run(&f, timed(&f, tw_program_execute(f.g, f.cs)));
    assert_true(cycles > 0);
    assert_int_equal(run(&f, timed(&f, tw_program_repeat(f.g, 10, tw_program_execute(f.g, f.cs)))), 10 * cycles);
    drop(&f);
}

static void replicas(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    tw_graph *each = tw_graph_replicated(f.g, 2);
    tw_tensor count = tw_graph_add_variable(each, TW_UNSIGNED_INT, SHAPE(2), "counts");
    tw_graph_map(each, count, 1);
    tw_graph_create_host_read(each, "counts", count);
    tw_program p =
        tw_program_sequence_of(f.g, 3,
                               (tw_program[]){ tw_program_cycle_stamp(each, count), tw_program_execute(f.g, f.cs),
                                               tw_program_cycles_since(each, count) });
    tw_engine *e = test_engine_new(f.g, f.device, p, NULL);
    test_ok(tw_engine_run(e, 0));
    uint32_t words[4];
    test_ok(tw_engine_read(e, "counts", words, sizeof words));
    assert_int_equal(words[0], TILE_WORK);
    assert_int_equal(words[2], TILE_WORK);
    assert_int_equal(words[1] | words[3], 0);
    tw_engine_free(e);
    tw_graph_free(each);
    drop(&f);
}

static void refused(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    uint32_t zeros[2] = { 0 };
    tw_tensor constant = tw_graph_add_constant(f.g, TW_UNSIGNED_INT, SHAPE(2), zeros, false, "constant");
    const struct {
        tw_tensor words;
        const char *why;
    } rows[] = { { f.x, "two elements of unsigned int" },
                 { tw_tensor_slice(f.g, f.count, 0, 0, 1), "two elements of unsigned int" },
                 { tw_tensor_broadcast(f.g, tw_tensor_slice(f.g, f.count, 0, 0, 1), 2, 0), "twice" },
                 { constant, "constants" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_error error;
        assert_int_equal(tw_program_cycle_stamp(f.g, rows[i].words).id, 0);
        assert_true(tw_graph_take_error(f.g, &error));
        assert_int_equal(error.status, TW_E_CONTROL_PROGRAM);
        assert_non_null(strstr(error.message, rows[i].why));
        assert_string_equal(error.function, "tw_program_cycle_stamp");
    }
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_compute_set), cmocka_unit_test(loops),    cmocka_unit_test(like_the_profile),
        cmocka_unit_test(goes_on),         cmocka_unit_test(views),    cmocka_unit_test(cpu),
        cmocka_unit_test(simulator),       cmocka_unit_test(replicas), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
