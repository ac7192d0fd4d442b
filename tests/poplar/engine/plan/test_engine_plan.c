/* SPDX-License-Identifier: MIT */
/* What programs become: how many steps, transfers and copies, what is shared, what is bounded. */
#include "poplar/engine/engine.h"
#include "poplar/engine/engine_test.h"

typedef struct fixture {
    tw_device *device;
    tw_graph *g;
    tw_tensor x, y, z; /* INT[4] */
    tw_stream in[3], out[2];
} fixture;

static fixture make(void)
{
    fixture f = { .device = test_device_new(MODEL) };
    f.g = tw_graph_new(tw_device_target(f.device));
    f.x = test_variable(f.g, TW_INT, SHAPE(4), "x");
    f.y = test_variable(f.g, TW_INT, SHAPE(4), "y");
    f.z = test_variable(f.g, TW_INT, SHAPE(4), "z");
    char name[] = "in0";
    for (int i = 0; i < 3; i++, name[2]++)
        f.in[i] = tw_graph_add_host_to_device_fifo(f.g, name, TW_INT, 4, TW_STREAM_REPLICATE, NULL);
    char out[] = "out0";
    for (int i = 0; i < 2; i++, out[3]++) f.out[i] = tw_graph_add_device_to_host_fifo(f.g, out, TW_INT, 4, NULL);
    return f;
}

static void drop(fixture *f, tw_engine *e)
{
    tw_engine_free(e);
    tw_graph_free(f->g);
    tw_device_free(f->device);
}

static tw_engine *compile(const fixture *f, unsigned count, const tw_program *programs)
{
    tw_engine *e = tw_engine_new(f->g, tw_program_sequence_of(f->g, count, programs), NULL);
    test_ok(tw_engine_status(e));
    return e;
}

static void independent_copies_are_one_step(void **state)
{
    (void)state;
    fixture f = make();
    tw_tensor lo[3], hi[3], t[3] = { f.x, f.y, f.z };
    for (int i = 0; i < 3; i++)
        lo[i] = tw_tensor_slice(f.g, t[i], 0, 0, 2), hi[i] = tw_tensor_slice(f.g, t[i], 0, 2, 4);
    tw_program p[] = { tw_program_copy(f.g, lo[0], lo[1]), tw_program_copy(f.g, lo[0], lo[2]),
                       tw_program_copy(f.g, hi[0], hi[1]),
                       tw_program_copy(f.g, hi[1], hi[2]) }; /* the last one needs the third */
    tw_engine *e = compile(&f, 4, p);
    assert_int_equal(e->plan.steps.count, 2);
    assert_int_equal(e->plan.steps.items[0].programs, 3);
    assert_int_equal(e->plan.steps.items[1].programs, 1);
    drop(&f, e);
}

/* One direction, different streams, up to the limit: one transfer with one sync (guide 2.6.1). */
static void stream_copies_merge(void **state)
{
    (void)state;
    fixture f = make();
    tw_program a = tw_program_copy_from_stream(f.g, f.in[0], f.x),
               b = tw_program_copy_from_stream(f.g, f.in[1], f.y),
               c = tw_program_copy_from_stream(f.g, f.in[2], f.z),
               d = tw_program_copy_to_stream(f.g, f.x, f.out[0]), g = tw_program_copy_to_stream(f.g, f.y, f.out[1]);
    static const size_t parts[] = { 3, 2, 1, 1, 1, 1 };
    tw_program sync = tw_program_sync(f.g, TW_SYNC_INTERNAL);
    /*                 a b c | d g | a | (sync) b | a, not twice in one transfer | a */
    tw_program p[] = { a, b, c, d, g, a, sync, b, sync, a, a };
    tw_engine *e = compile(&f, sizeof p / sizeof *p, p);
    assert_int_equal(e->plan.transfers.count, 6);
    for (size_t i = 0; i < 6; i++) assert_int_equal(e->plan.transfers.items[i].count, parts[i]);
    assert_int_equal(e->plan.transfers.items[0].bytes, 48);
    drop(&f, e);
}

/* 128 MiB for each IPU (guide 2.6.3): by where the tensor lies. Pieces are ranges of the stream, in order. */
static void stream_limit(void **state)
{
    (void)state;
    static const struct {
        size_t mib;
        unsigned ipus;
        const char *options;
        size_t transfers;
    } rows[] = {
        { 128, 1, NULL, 1 },
        { 129, 1, NULL, 2 },
        { 256, 2, NULL, 1 },
        { 257, 2, NULL, 3 },
        { 300, 1, NULL, 3 },
        { 2, 1, "splitLimit=1048576", 2 },
        { 2, 2, "splitLimit=1048576", 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f = make();
        uint64_t n = (uint64_t)rows[i].mib << 18;
        tw_tensor t = tw_graph_add_variable(f.g, TW_FLOAT, SHAPE(n), "t");
        for (unsigned k = 0; k < rows[i].ipus; k++) {
            uint64_t begin = n * k / rows[i].ipus, end = n * (k + 1) / rows[i].ipus;
            tw_graph_map_range(f.g, t, begin, end - begin, 8 * k + 3);
        }
        tw_stream s = tw_graph_add_host_to_device_fifo(f.g, "s", TW_FLOAT, n, TW_STREAM_REPLICATE, rows[i].options);
        tw_program p = tw_program_copy_from_stream(f.g, s, t);
        tw_engine *e = compile(&f, 1, &p);
        if (e->plan.transfers.count != rows[i].transfers)
            fail_msg("row %zu: %zu transfers", i, e->plan.transfers.count);
        uint64_t total = 0;
        for (size_t k = 0; k < e->plan.transfers.count; k++) total += e->plan.transfers.items[k].bytes;
        assert_int_equal(total, n * 4);
        drop(&f, e);
    }
}

/* Straight loops are known as such; programs used often are emitted once; a compute set is lowered once. */
static void loops_and_sharing(void **state)
{
    (void)state;
    fixture f = make();
    tw_program copy = tw_program_copy(f.g, f.x, f.y), back = tw_program_copy(f.g, f.y, f.x);
    tw_program both = tw_program_sequence_of(f.g, 2, (tw_program[]){ copy, back });
    tw_program p[] = { tw_program_repeat(
        f.g, 5, tw_program_sequence_of(f.g, 2, (tw_program[]){ both, tw_program_repeat(f.g, 3, both) })) };
    tw_engine *e = compile(&f, 1, p);
    assert_int_equal(e->plan.copies.count, 2);
    assert_int_equal(e->plan.code.items[0].op, TW__I_LOOP);
    assert_true(e->plan.code.items[0].straight);
    tw_engine_free(e);
    tw_tensor word = tw_tensor_index(f.g, f.z, 0);
    tw_program q[] = { tw_program_repeat(f.g, 5, tw_program_if(f.g, word, copy, back)) };
    e = compile(&f, 1, q);
    assert_false(e->plan.code.items[0].straight);
    tw_engine_free(e);
    tw_program big = tw_program_repeat(f.g, 2, both);
    for (int i = 0; i < 40; i++) big = tw_program_sequence_of(f.g, 2, (tw_program[]){ big, big }); /* 2^40 leaves */
    e = compile(&f, 1, &big);
    assert_true(e->plan.code.count < 1000);
    drop(&f, e);
}

/* A chain of nested programs as deep as memory allows is an error, not an overflow of the stack. */
static void deep_nesting(void **state)
{
    (void)state;
    fixture f = make();
    tw_program p = tw_program_copy(f.g, f.x, f.y);
    for (int i = 0; i < 100000; i++) p = tw_program_repeat(f.g, 1, p);
    tw_engine *e = tw_engine_new(f.g, p, NULL);
    assert_int_equal(tw_engine_status(e), TW_E_CONTROL_PROGRAM);
    assert_non_null(strstr(tw_engine_error(e)->message, "nested"));
    drop(&f, e);
}

static void on_progress(int step, int total, void *user)
{
    int *last = user;
    assert_int_equal(step, last[0]++);
    last[1] = total;
}

/* Steps 0 to total, each once and in order. */
static void progress(void **state)
{
    (void)state;
    fixture f = make();
    int last[2] = { 0, 0 };
    tw_program p = tw_program_copy(f.g, f.x, f.y);
    tw_engine *e = tw_engine_new_with_progress(f.g, 1, &p, NULL, on_progress, last);
    test_ok(tw_engine_status(e));
    assert_true(last[1] > 1);
    assert_int_equal(last[0], last[1] + 1);
    drop(&f, e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_copies_are_one_step),
        cmocka_unit_test(stream_copies_merge),
        cmocka_unit_test(stream_limit),
        cmocka_unit_test(loops_and_sharing),
        cmocka_unit_test(deep_nesting),
        cmocka_unit_test(progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
