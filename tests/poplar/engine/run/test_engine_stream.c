/* SPDX-License-Identifier: MIT */
/* Streams: guide 2.6.1, 2.6.3, 2.6.4; Poplar API, DataStream.hpp; docs/decisions.md, G2 and G10. No codelets here. */
#include "poplar/engine/engine_test.h"

typedef struct fixture {
    tw_device *device;
    tw_graph *g;
    tw_tensor x, y; /* FLOAT[4] each */
    tw_stream in, out;
    char log[4096]; /* one letter per callback */
    size_t logged;
    float next; /* value of the next data produced */
    float taken[64];
    size_t takes;
    int available; /* prefetches that succeed; negative: all */
} fixture;

static fixture *make(test_device kind)
{
    fixture *f = calloc(1, sizeof *f);
    f->device = test_device_new(kind);
    f->g = tw_graph_new(tw_device_target(f->device));
    f->x = test_variable(f->g, TW_FLOAT, SHAPE(4), "x");
    f->y = test_variable(f->g, TW_FLOAT, SHAPE(2, 2), "y");
    f->in = tw_graph_add_host_to_device_fifo(f->g, "in", TW_FLOAT, 4, TW_STREAM_REPLICATE, NULL);
    f->out = tw_graph_add_device_to_host_fifo(f->g, "out", TW_FLOAT, 4, NULL);
    f->available = -1;
    return f;
}

static void drop(fixture *f)
{
    tw_graph_free(f->g);
    tw_device_free(f->device);
    free(f);
}

static void say(fixture *f, char letter)
{
    if (f->logged + 1 < sizeof f->log) f->log[f->logged++] = letter;
}

static void produce(fixture *f, void *buffer)
{
    for (int i = 0; i < 4; i++) ((float *)buffer)[i] = f->next + (float)i;
    f->next += 10;
}
static tw_stream_result on_prefetch(void *buffer, void *user)
{
    fixture *f = user;
    if (f->available == 0) return say(f, 'n'), TW_STREAM_NOT_AVAILABLE;
    if (f->available > 0) f->available--;
    say(f, 'p');
    produce(f, buffer);
    return TW_STREAM_SUCCESS;
}
static void on_fetch(void *buffer, void *user)
{
    say(user, 'f');
    produce(user, buffer);
}
static void on_complete(void *user)
{
    say(user, 'c');
}
static void on_invalidate(void *user)
{
    say(user, 'i');
}
static void on_destroy(void *user)
{
    say(user, 'd');
}
static void on_take(void *buffer, void *user)
{
    fixture *f = user;
    say(f, 't');
    if (f->takes < 64) f->taken[f->takes++] = ((float *)buffer)[0];
}
static void on_out_complete(void *user)
{
    say(user, 'C');
}

static tw_stream_callback producer(fixture *f)
{
    return (tw_stream_callback){ on_prefetch, on_fetch, on_complete, on_invalidate, on_destroy, f };
}
static tw_stream_callback consumer(fixture *f)
{
    return (tw_stream_callback){ NULL, on_take, on_out_complete, NULL, NULL, f };
}

/* x comes in, x goes out. */
static tw_program through(fixture *f)
{
    return tw_program_sequence_of(f->g, 2,
                                  (tw_program[]){ tw_program_copy_from_stream(f->g, f->in, f->x),
                                                  tw_program_copy_to_stream(f->g, f->x, f->out) });
}

static void buffers(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        fixture *f = make(kind);
        tw_program p = tw_program_sequence_of(
            f->g, 3,
            (tw_program[]){ tw_program_copy_from_stream(f->g, f->in, f->x),
                            tw_program_copy(f->g, tw_tensor_reverse(f->g, f->x, 0), tw_tensor_flatten(f->g, f->y)),
                            tw_program_copy_to_stream(f->g, tw_tensor_transpose(f->g, f->y), f->out) });
        tw_engine *e = test_engine_new(f->g, f->device, p, NULL);
        float in[4] = { 1, 2, 3, 4 }, out[4] = { 0 };
        test_ok(tw_engine_connect_stream(e, "in", in, 0)); /* one transfer each time */
        test_ok(tw_engine_connect_stream(e, "out", out, sizeof out));
        test_ok(tw_engine_run(e, 0));
        assert_memory_equal(out, ((float[]){ 4, 2, 3, 1 }), sizeof out);
        in[0] = 5;
        test_ok(tw_engine_run(e, 0));
        assert_memory_equal(out, ((float[]){ 4, 2, 3, 5 }), sizeof out);
        tw_engine_free(e);
        drop(f);
    }
}

static void circular_buffers(void **state)
{
    (void)state;
    fixture *f = make(MODEL);
    tw_engine *e = test_engine_new(f->g, f->device, tw_program_repeat(f->g, 5, through(f)), NULL);
    float in[12], out[8];
    for (int i = 0; i < 12; i++) in[i] = (float)i;
    test_ok(tw_engine_connect_stream(e, "in", in, sizeof in));
    test_ok(tw_engine_connect_stream(e, "out", out, sizeof out));
    test_ok(tw_engine_run(e, 0)); /* transfers 0 1 2 0 1 of `in` to 0 1 0 1 0 of `out` */
    assert_true(out[0] == 4 && out[3] == 7);
    assert_true(out[4] == 0 && out[7] == 3);
    test_ok(tw_engine_run(e, 0)); /* goes on where it stopped: 2 0 1 2 0 to 1 0 1 0 1 */
    assert_true(out[0] == 8 && out[4] == 0);
    test_ok(tw_engine_connect_stream(e, "in", in, sizeof in)); /* reconnecting starts again */
    test_ok(tw_engine_connect_stream(e, "out", out, sizeof out));
    test_ok(tw_engine_run(e, 0));
    assert_true(out[0] == 4 && out[4] == 0);
    assert_int_equal(tw_engine_connect_stream(e, "in", in, 20), TW_E_STREAM_CONNECTION);
    ASSERT_MESSAGE("16");
    assert_int_equal(tw_engine_connect_stream(e, "in", in, 8), TW_E_STREAM_CONNECTION);
    tw_engine_free(e);
    drop(f);
}

/* Without prefetch: fetch just before each transfer in, after each transfer out; complete after both. */
static void callbacks(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        fixture *f = make(kind);
        f->next = 100;
        tw_engine *e = test_engine_new(f->g, f->device, tw_program_repeat(f->g, 3, through(f)), NULL);
        tw_stream_callback in = producer(f), out = consumer(f);
        test_ok(tw_engine_connect_stream_to_callback(e, "in", &in));
        test_ok(tw_engine_connect_stream_to_callback(e, "out", &out));
        assert_int_equal(f->logged, 0);
        test_ok(tw_engine_run(e, 0));
        assert_string_equal(f->log, "fctCfctCfctC");
        assert_true(f->taken[0] == 100 && f->taken[1] == 110 && f->taken[2] == 120);
        tw_engine_stop(e); /* nothing was prefetched: nothing to invalidate */
        test_ok(tw_engine_connect_stream_to_callback(e, "in", &in)); /* the old one is destroyed */
        assert_string_equal(f->log, "fctCfctCfctCd");
        tw_engine_free(e);
        assert_string_equal(f->log, "fctCfctCfctCdd");
        drop(f);
    }
}

/* Options, how much is available, and what is called while two transfers of "in" are run. */
static void prefetch(void **state)
{
    (void)state;
    static const struct {
        const char *overlap, *enable;
        bool rearranged;
        int available;
        const char *log;
    } rows[] = {
        { "none", "true", false, -1, "pcpcp" }, /* at once, then whenever the buffer is free */
        { "none", "true", true, -1, "pcpcp" },
        { "None", "true", false, 0, "nfcnfcn" }, /* not available: fetched at transfer time */
        { "none", "true", false, 1, "pcnfcn" },
        { "hostRearrangeOnly", "true", false, -1, "pcpcp" },
        { "HostRearrangeOnly", "true", true, -1, "fcfc" }, /* its buffer may be shared: never early */
        { "any", "true", false, -1, "fcfc" },
        { "none", "false", false, -1, "fcfc" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f = make(MODEL);
        f->available = rows[i].available;
        tw_tensor to = rows[i].rearranged ? tw_tensor_flatten(f->g, tw_tensor_transpose(f->g, f->y)) : f->x;
        char overlap[64], enable[64];
        snprintf(overlap, sizeof overlap, "exchange.streamBufferOverlap=%s", rows[i].overlap);
        snprintf(enable, sizeof enable, "exchange.enablePrefetch=%s", rows[i].enable);
        const char *options[] = { overlap, enable, NULL };
        tw_engine *e = test_engine_new(
            f->g, f->device, tw_program_repeat(f->g, 2, tw_program_copy_from_stream(f->g, f->in, to)), options);
        tw_stream_callback in = producer(f);
        test_ok(tw_engine_connect_stream_to_callback(e, "in", &in));
        test_ok(tw_engine_run(e, 0));
        if (strcmp(f->log, rows[i].log) != 0) fail_msg("row %zu: expected %s, got %s", i, rows[i].log, f->log);
        float x[4];
        test_ok(tw_engine_read(e, rows[i].rearranged ? "y" : "x", x, sizeof x));
        assert_true(x[0] == 10); /* the second transfer's data, in whatever way they came */
        tw_engine_free(e);
        drop(f);
    }
}

/* A prefetched buffer serves the next run; stopping throws it away. */
static void prefetch_across_runs(void **state)
{
    (void)state;
    fixture *f = make(MODEL);
    const char *options[] = { "exchange.enablePrefetch=true", "exchange.streamBufferOverlap=none", NULL };
    tw_engine *e = test_engine_new(f->g, f->device, tw_program_copy_from_stream(f->g, f->in, f->x), options);
    tw_stream_callback in = producer(f);
    test_ok(tw_engine_connect_stream_to_callback(e, "in", &in));
    float x[4];
    test_ok(tw_engine_run(e, 0));
    test_ok(tw_engine_run(e, 0));
    assert_string_equal(f->log, "pcpcp");
    test_ok(tw_engine_read(e, "x", x, sizeof x));
    assert_true(x[0] == 10);
    tw_engine_stop(e);
    test_ok(tw_engine_run(e, 0)); /* the data prefetched before are gone: 20 is never seen */
    test_ok(tw_engine_read(e, "x", x, sizeof x));
    assert_true(x[0] == 30);
    assert_string_equal(f->log, "pcpcpipcp");
    tw_engine_free(e);
    assert_string_equal(f->log, "pcpcpipcpid");
    drop(f);
}

/* Three buffers, filled ahead as far as streamCallbacks.maxLookahead allows. */
static void buffering_depth(void **state)
{
    (void)state;
    static const struct {
        const char *lookahead, *log;
    } rows[] = {
        { "streamCallbacks.maxLookahead=unlimited", "pppcptcptcptcpt" },
        { "streamCallbacks.maxLookahead=2", "ppcptcptcptcpt" },
        { "streamCallbacks.maxLookahead=0", "fctfctfctfct" },
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        fixture *f = make(MODEL);
        tw_stream deep =
            tw_graph_add_host_to_device_fifo(f->g, "deep", TW_FLOAT, 4, TW_STREAM_REPLICATE, "bufferingDepth=3");
        const char *options[] = { "exchange.enablePrefetch=true", "exchange.streamBufferOverlap=none",
                                  rows[r].lookahead, NULL };
        tw_program p[] = { tw_program_copy_from_stream(f->g, deep, f->x),
                           tw_program_copy_to_stream(f->g, f->x, f->out) };
        tw_engine *e = test_engine_new(f->g, f->device,
                                       tw_program_repeat(f->g, 4, tw_program_sequence_of(f->g, 2, p)), options);
        tw_stream_callback in = producer(f), out = consumer(f);
        out.complete = NULL;
        test_ok(tw_engine_connect_stream_to_callback(e, "deep", &in));
        test_ok(tw_engine_connect_stream_to_callback(e, "out", &out));
        test_ok(tw_engine_run(e, 0));
        assert_string_equal(f->log, rows[r].log);
        for (int i = 0; i < 4; i++) assert_true(f->taken[i] == 10.0f * (float)i);
        tw_engine_free(e);
        drop(f);
    }
}

static void unconnected(void **state)
{
    (void)state;
    fixture *f = make(MODEL);
    tw_program p[] = { through(f), tw_program_copy_to_stream(f->g, f->x, f->out), tw_program_sequence(f->g, NULL) };
    tw_engine *e = tw_engine_new_programs(f->g, 3, p, NULL);
    test_ok(tw_engine_load(e, f->device));
    float buffer[4] = { 0 };
    assert_int_equal(tw_engine_run(e, 0), TW_E_STREAM_CONNECTION);
    ASSERT_MESSAGE("'in'");
    ASSERT_MESSAGE("'out'");
    test_ok(tw_engine_run(e, 2)); /* uses none */
    test_ok(tw_engine_connect_stream(e, "out", buffer, 0));
    test_ok(tw_engine_run(e, 1));
    assert_int_equal(tw_engine_run(e, 0), TW_E_STREAM_CONNECTION);
    assert_int_equal(tw_engine_connect_stream(e, "inn", buffer, 0), TW_E_STREAM_CONNECTION);
    ASSERT_MESSAGE("'in'");
    assert_int_equal(tw_engine_connect_stream_to_callback(e, "in", &(tw_stream_callback){ 0 }),
                     TW_E_INVALID_ARGUMENT);
    const char *const *names = tw_engine_list_streams(e);
    assert_string_equal(names[0], "in");
    assert_string_equal(names[1], "out");
    assert_null(names[2]);
    tw_engine_free(e);
    drop(f);
}

/* A stream inside a function or a branch counts as used. */
static void used_in_functions(void **state)
{
    (void)state;
    fixture *f = make(MODEL);
    tw_function io = tw_graph_add_function(f->g, tw_program_copy_from_stream(f->g, f->in, f->x), "io");
    tw_engine *e = test_engine_new(f->g, f->device, tw_program_call(f->g, io), NULL);
    assert_int_equal(tw_engine_run(e, 0), TW_E_STREAM_CONNECTION);
    tw_engine_free(e);
    drop(f);
}

/* A copy above the limit is moved in pieces, and still is one transfer for the host. */
static void splitting(void **state)
{
    (void)state;
    fixture *f = make(MODEL);
    tw_tensor big = test_variable(f->g, TW_FLOAT, SHAPE(100), "big");
    tw_stream in =
        tw_graph_add_host_to_device_fifo(f->g, "bigIn", TW_FLOAT, 100, TW_STREAM_REPLICATE, "splitLimit=52");
    tw_stream out = tw_graph_add_device_to_host_fifo(f->g, "bigOut", TW_FLOAT, 100, "splitLimit=60");
    tw_tensor backwards = tw_tensor_reverse(f->g, big, 0);
    tw_engine *e =
        test_engine_new(f->g, f->device,
                        tw_program_sequence_of(f->g, 2,
                                               (tw_program[]){ tw_program_copy_from_stream(f->g, in, big),
                                                               tw_program_copy_to_stream(f->g, backwards, out) }),
                        NULL);
    float data[100], result[100];
    for (int i = 0; i < 100; i++) data[i] = (float)i;
    test_ok(tw_engine_connect_stream(e, "bigIn", data, 0));
    test_ok(tw_engine_connect_stream(e, "bigOut", result, 0));
    test_ok(tw_engine_run(e, 0));
    for (int i = 0; i < 100; i++) assert_true(result[i] == (float)(99 - i));
    tw_engine_free(e);

    tw_stream tiny =
        tw_graph_add_host_to_device_fifo(f->g, "tiny", TW_FLOAT, 100, TW_STREAM_REPLICATE, "splitLimit=3");
    e = tw_engine_new(f->g, tw_program_copy_from_stream(f->g, tiny, big), NULL);
    assert_int_equal(tw_engine_load(e, f->device), TW_E_STREAM_MEMORY);
    ASSERT_MESSAGE("tiny");
    tw_engine_free(e);
    drop(f);
}

/* Host data of half streams are 2 bytes, whatever the device uses. */
static void half_streams(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        fixture *f = make(kind);
        tw_tensor h = test_variable(f->g, TW_HALF, SHAPE(3), "h");
        tw_stream in = tw_graph_add_host_to_device_fifo(f->g, "hIn", TW_HALF, 3, TW_STREAM_REPLICATE, NULL);
        tw_stream out = tw_graph_add_device_to_host_fifo(f->g, "hOut", TW_HALF, 3, NULL);
        tw_engine *e = test_engine_new(
            f->g, f->device,
            tw_program_sequence_of(
                f->g, 2,
                (tw_program[]){ tw_program_copy_from_stream(f->g, in, tw_tensor_reverse(f->g, h, 0)),
                                tw_program_copy_to_stream(f->g, h, out) }),
            NULL);
        uint16_t data[6] = { 0x3c00, 0x4000, 0x4200, 0x3555, 0x7bff, 0x0001 }, result[3] = { 0 };
        test_ok(tw_engine_connect_stream(e, "hIn", data, sizeof data));
        test_ok(tw_engine_connect_stream(e, "hOut", result, 0));
        for (int run = 0; run < 2; run++) {
            test_ok(tw_engine_run(e, 0));
            for (int i = 0; i < 3; i++) assert_int_equal(result[i], data[3 * run + 2 - i]);
        }
        tw_engine_free(e);
        drop(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers),      cmocka_unit_test(circular_buffers),     cmocka_unit_test(callbacks),
        cmocka_unit_test(prefetch),     cmocka_unit_test(prefetch_across_runs), cmocka_unit_test(buffering_depth),
        cmocka_unit_test(unconnected),  cmocka_unit_test(used_in_functions),    cmocka_unit_test(splitting),
        cmocka_unit_test(half_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
