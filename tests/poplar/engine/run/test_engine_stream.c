/* SPDX-License-Identifier: MIT */
/* Streams: guide 2.6.1, 2.6.3, 2.6.4; Poplar API, DataStream.hpp; docs/decisions.md, G2 and G10. No codelets here. */
#include "poplar/engine/engine_test.h"
#include "poplar/engine/run/streams.h"

#include <glib.h>
#include <pthread.h>
#include <stdio.h>

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

/* --- threads of callbacks (engine options streamCallbacks.*)
 * ----------------------------------------------------- */

enum { FEEDS = 8, ROUNDS = 9 };

/* What is connected to one stream, and nothing else. */
typedef struct feed {
    char log[128];
    size_t logged;
    int next, step, available;
    unsigned sum;
} feed;

static void note(feed *f, char letter)
{
    if (f->logged + 1 < sizeof f->log) f->log[f->logged++] = letter;
}

static void feed_fill(feed *f, void *buffer)
{
    memcpy(buffer, &f->next, sizeof f->next);
    f->next += f->step;
}

static tw_stream_result feed_prefetch(void *buffer, void *user)
{
    feed *f = user;
    if (f->available == 0) return f->available = 2, note(f, 'n'), TW_STREAM_NOT_AVAILABLE;
    f->available--;
    note(f, 'p');
    feed_fill(f, buffer);
    return TW_STREAM_SUCCESS;
}

static void feed_fetch(void *buffer, void *user)
{
    note(user, 'f');
    feed_fill(user, buffer);
}

static void feed_take(void *buffer, void *user)
{
    feed *f = user;
    int value;
    memcpy(&value, buffer, sizeof value);
    f->sum = f->sum * 31 + (unsigned)value;
    note(f, 't');
}

static void feed_complete(void *user)
{
    note(user, 'c');
}

/* Streams come in together, every third prefetches; what came goes out. The calls of each stream, and what they gave
 * and got. */
static void run_feeds(const char *mode, const char *threads, bool replicas, feed feeds[2 * FEEDS])
{
    tw_ipu_model model = { .size = sizeof model, .num_ipus = 4, .tiles_per_ipu = 8, .replicas_only = true };
    tw_device *device = tw_device_ipu_model_with(&model);
    tw_graph *g =
        replicas ? tw_graph_new_replicated(tw_device_target(device), 4) : tw_graph_new(tw_device_target(device));
    unsigned each = replicas ? 4 : 1, streams = FEEDS / 2 / each;
    tw_program in[FEEDS], out[FEEDS];
    for (unsigned i = 0; i < streams; i++) {
        char name[2][8];
        snprintf(name[0], sizeof *name, "i%u", i), snprintf(name[1], sizeof *name, "o%u", i);
        tw_tensor x = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 1 }, name[0]);
        tw_graph_map(g, x, i);
        const char *options = i % 3 ? NULL : "bufferingDepth=2";
        in[i] = tw_program_copy_from_stream(
            g, tw_graph_add_host_to_device_fifo(g, name[0], TW_INT, 1, TW_STREAM_REPLICATE, options), x);
        out[i] = tw_program_copy_to_stream(g, x, tw_graph_add_device_to_host_fifo(g, name[1], TW_INT, 1, NULL));
    }
    tw_program round = tw_program_sequence_of(
        g, 2, (tw_program[]){ tw_program_sequence_of(g, streams, in), tw_program_sequence_of(g, streams, out) });
    g_autofree char *how = g_strconcat("streamCallbacks.multiThreadMode=", mode, NULL),
                    *many = g_strconcat("streamCallbacks.numWorkerThreads=", threads, NULL);
    const char *options[] = { how, many, "exchange.streamBufferOverlap=none", NULL };
    tw_engine *e = test_engine_new(g, device, tw_program_repeat(g, ROUNDS, round), options);
    memset(feeds, 0, 2 * FEEDS * sizeof *feeds);
    for (unsigned i = 0; i < streams * each; i++) {
        feed *f = &feeds[2 * i];
        f->next = (int)(100 * i), f->step = (int)i + 1, f->available = 3;
        char name[16];
        unsigned stream = i / each;
        tw_stream_callback give = { i % 3 ? NULL : feed_prefetch, feed_fetch, feed_complete, NULL, NULL, f },
                           take = { NULL, feed_take, feed_complete, NULL, NULL, f + 1 };
        snprintf(name, sizeof name, replicas ? "i%u[%u]" : "i%u", stream, i % each);
        test_ok(tw_engine_connect_stream_to_callback(e, name, &give));
        snprintf(name, sizeof name, replicas ? "o%u[%u]" : "o%u", stream, i % each);
        test_ok(tw_engine_connect_stream_to_callback(e, name, &take));
    }
    for (int run = 0; run < 2; run++) test_ok(tw_engine_run(e, 0));
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

static void threads_give_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *mode, *threads;
    } ways[] = { { "dedicated", "1" },     { "dedicated", "4" },     { "dedicated", "auto" },
                 { "collaborative", "1" }, { "collaborative", "3" }, { "dedicated", "0" } };
    static feed want[2 * FEEDS], got[2 * FEEDS];
    for (int replicas = 0; replicas < 2; replicas++) {
        run_feeds("singleThread", "4", replicas, want);
        assert_true(want[1].sum != 0 && strchr(want[0].log, 'p') && strchr(want[0].log, 'n'));
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            run_feeds(ways[w].mode, ways[w].threads, replicas, got);
            for (unsigned i = 0; i < 2 * FEEDS; i++) {
                assert_string_equal(got[i].log, want[i].log);
                assert_int_equal(got[i].sum, want[i].sum);
                assert_int_equal(got[i].next, want[i].next);
            }
        }
    }
}

/* Callbacks that only go on when another one has begun. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int inside, wanted;
    bool opened;
    pthread_t run; /* the thread of the run */
    int by_run;
} gate = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void gate_reset(int wanted)
{
    gate.inside = gate.by_run = 0, gate.wanted = wanted, gate.opened = false, gate.run = pthread_self();
}

static void gate_fetch(void *buffer, void *user)
{
    memcpy(buffer, user, 16);
    pthread_mutex_lock(&gate.lock);
    gate.inside++;
    gate.by_run += pthread_equal(pthread_self(), gate.run) != 0;
    pthread_cond_broadcast(&gate.changed);
    while (gate.inside < gate.wanted) pthread_cond_wait(&gate.changed, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
}

/* Three streams that come in together, each of whose callbacks waits for the two others: three threads are at work,
 * which are all others, or the run's with two others. */
static void threads_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *options[3];
        int by_run;
    } ways[] = {
        { { "streamCallbacks.multiThreadMode=dedicated", "streamCallbacks.numWorkerThreads=3" }, 0 },
        { { "streamCallbacks.multiThreadMode=collaborative", "streamCallbacks.numWorkerThreads=2" }, 1 },
    };
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        fixture *f = make(MODEL);
        tw_program in[3];
        for (int i = 0; i < 3; i++) {
            const char *name = (const char *[]){ "a", "b", "c" }[i];
            tw_tensor x = test_variable(f->g, TW_FLOAT, SHAPE(4), name);
            in[i] = tw_program_copy_from_stream(
                f->g, tw_graph_add_host_to_device_fifo(f->g, name, TW_FLOAT, 4, TW_STREAM_REPLICATE, NULL), x);
        }
        tw_engine *e = test_engine_new(f->g, f->device, tw_program_sequence_of(f->g, 3, in), ways[w].options);
        float data[3][4], got[4];
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 4; k++) data[i][k] = (float)(10 * i + k);
            tw_stream_callback c = { .fetch = gate_fetch, .user = data[i] };
            test_ok(tw_engine_connect_stream_to_callback(e, (const char *[]){ "a", "b", "c" }[i], &c));
        }
        gate_reset(3);
        test_ok(tw_engine_run(e, 0));
        assert_int_equal(gate.by_run, ways[w].by_run);
        for (int i = 0; i < 3; i++) {
            test_ok(tw_engine_read(e, (const char *[]){ "a", "b", "c" }[i], got, sizeof got));
            assert_memory_equal(got, data[i], sizeof got);
        }
        tw_engine_free(e);
        drop(f);
    }
}

/* Guide 2.6.4: data is prepared while the program goes on. The second prefetches end when the program has sent what
 * it does afterwards; the thread of the run makes none of them before. */
static tw_stream_result prefetch_late(void *buffer, void *user)
{
    int *calls = user;
    for (int i = 0; i < 4; i++) ((float *)buffer)[i] = (float)(*calls + i);
    if ((*calls)++ == 0) return TW_STREAM_SUCCESS;
    pthread_mutex_lock(&gate.lock);
    bool by_run = pthread_equal(pthread_self(), gate.run) != 0;
    gate.by_run += by_run && !gate.opened;
    while (!gate.opened && !by_run) pthread_cond_wait(&gate.changed, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
    return TW_STREAM_SUCCESS;
}

static void never_fetch(void *buffer, void *user)
{
    (void)buffer, (void)user;
    fail_msg("fetched, though all was prefetched");
}

static void open_gate(void *buffer, void *user)
{
    (void)buffer, (void)user;
    pthread_mutex_lock(&gate.lock);
    gate.opened = true;
    pthread_cond_broadcast(&gate.changed);
    pthread_mutex_unlock(&gate.lock);
}

static void threads_prefetch_behind(void **state)
{
    (void)state;
    static const char *const ways[][2] = {
        { "streamCallbacks.multiThreadMode=dedicated", "streamCallbacks.numWorkerThreads=3" },
        { "streamCallbacks.multiThreadMode=collaborative", "streamCallbacks.numWorkerThreads=1" },
    };
    for (int w = 0; w < 2; w++) {
        fixture *f = make(MODEL);
        tw_stream other = tw_graph_add_host_to_device_fifo(f->g, "other", TW_FLOAT, 4, TW_STREAM_REPLICATE, NULL);
        tw_program both[] = { tw_program_copy_from_stream(f->g, f->in, f->x),
                              tw_program_copy_from_stream(f->g, other, f->y) },
                   in_both = tw_program_sequence_of(f->g, 2, both);
        tw_program steps[] = { in_both, tw_program_copy_to_stream(f->g, f->x, f->out), in_both };
        const char *options[] = { ways[w][0], ways[w][1], "exchange.streamBufferOverlap=none", NULL };
        tw_engine *e = test_engine_new(f->g, f->device, tw_program_sequence_of(f->g, 3, steps), options);
        int calls = 0, others = 0;
        tw_stream_callback in = { .prefetch = prefetch_late, .fetch = never_fetch, .user = &calls },
                           in2 = { .prefetch = prefetch_late, .fetch = never_fetch, .user = &others },
                           out = { .fetch = open_gate };
        test_ok(tw_engine_connect_stream_to_callback(e, "in", &in));
        test_ok(tw_engine_connect_stream_to_callback(e, "other", &in2));
        test_ok(tw_engine_connect_stream_to_callback(e, "out", &out));
        gate_reset(0);
        test_ok(tw_engine_run(e, 0));
        float got[4];
        test_ok(tw_engine_read(e, "x", got, sizeof got));
        assert_true(got[0] == 1 && got[3] == 4 && calls == 3 && others == 3);
        assert_int_equal(gate.by_run, 0);
        tw_engine_free(e);
        drop(f);
    }
}

/* With threads all streams of a transfer are fetched before one is moved. When it fails, what was fetched and not
 * moved comes with the next run. */
static void fetched_is_kept(void **state)
{
    (void)state;
    static const char *const modes[] = { "singleThread", "dedicated", "collaborative" };
    for (int m = 0; m < 3; m++) {
        fixture *f = make(MODEL);
        g_autofree char *mode = g_strconcat("streamCallbacks.multiThreadMode=", modes[m], NULL);
        const char *options[] = { mode, "streamCallbacks.numWorkerThreads=1", NULL };
        tw_engine *e = test_engine_new(f->g, f->device, tw_program_copy_from_stream(f->g, f->in, f->x), options);
        tw_stream_callback in = producer(f);
        test_ok(tw_engine_connect_stream_to_callback(e, "in", &in));
        test_ok(tw_engine_run(e, 0));
        tw__stream_state *st = &tw__streams_of(e, 0)[f->in.id];
        assert_string_equal(st->handle, "in");
        tw__callbacks_begin(e->callbacks, st,
                            TW__CALL_FETCH); /* as far as a transfer comes whose memory is short */
        tw__callbacks_wait(e->callbacks, st);
        tw_engine_stop(e); /* was not prefetched */
        for (int run = 1; run < 3; run++) {
            float got[4];
            test_ok(tw_engine_run(e, 0));
            test_ok(tw_engine_read(e, "x", got, sizeof got));
            assert_true(got[0] == (float)(10 * run));
        }
        assert_string_equal(f->log, "fcfcfc");
        tw_engine_free(e);
        drop(f);
    }
}

static void threads_wrong(void **state)
{
    (void)state;
    static const char *const wrong[] = { "many", "-1", "257", "3x", "" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fixture *f = make(MODEL);
        g_autofree char *option = g_strconcat("streamCallbacks.numWorkerThreads=", wrong[i], NULL);
        assert_null(tw_engine_new(f->g, through(f), (const char *[]){ option, NULL }));
        assert_int_equal(tw_error_status(), TW_E_INVALID_OPTION);
        drop(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers),
        cmocka_unit_test(circular_buffers),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(prefetch),
        cmocka_unit_test(prefetch_across_runs),
        cmocka_unit_test(buffering_depth),
        cmocka_unit_test(unconnected),
        cmocka_unit_test(used_in_functions),
        cmocka_unit_test(splitting),
        cmocka_unit_test(half_streams),
        cmocka_unit_test(threads_give_the_same),
        cmocka_unit_test(threads_at_once),
        cmocka_unit_test(threads_prefetch_behind),
        cmocka_unit_test(fetched_is_kept),
        cmocka_unit_test(threads_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
