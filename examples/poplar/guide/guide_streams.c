/* SPDX-License-Identifier: MIT */
/* Section 2.6 of the guide, "Data streams and remote buffers".
 *
 * prints: connected buffer: 1 2 3 4
 * prints: circular buffer: 10 20 30 40
 * prints: callback: fetched before the transfer, read after it
 * prints: prefetch: 3 blocks ahead of time, 1 at the time of its transfer
 * prints: merged: 2 copies from streams, 1 transfer
 * prints: remote buffer: rows 2 and 0
 */
#include "check.h"

#include <string.h>

enum { N = 4 };

typedef struct setting {
    tw_device *dev;
    tw_graph *g;
    tw_tensor data;
    tw_stream in, out;
    tw_program read, write; /* Copy(in, data), Copy(data, out) */
} setting;

/* A stream has a name, a type and a number of elements; a Copy moves its data. */
static setting set_up(void)
{
    setting s = { .dev = tw_device_by_name(NULL, TW_MK2, 1) };
    s.g = tw_graph_new(tw_device_target(s.dev));
    s.data = tw_graph_add_variable(s.g, TW_INT, 1, (size_t[]){ N }, "data");
    tw_graph_map_linearly(s.g, s.data);
    s.in = tw_graph_add_host_to_device_fifo(s.g, "in", TW_INT, N, TW_STREAM_REPLICATE, NULL);
    s.out = tw_graph_add_device_to_host_fifo(s.g, "out", TW_INT, N, NULL);
    s.read = tw_program_copy_from_stream(s.g, s.in, s.data);
    s.write = tw_program_copy_to_stream(s.g, s.data, s.out);
    return s;
}

/* Device side: in -> data -> out, `rounds` times. */
static tw_engine *load(const setting *s, unsigned rounds, const char *const *options)
{
    tw_program round = tw_program_sequence_of(s->g, 2, (tw_program[]){ s->read, s->write });
    tw_engine *e = tw_engine_new(s->g, tw_program_repeat(s->g, rounds, round), options);
    CHECK_ENGINE(e, tw_engine_load(e, s->dev));
    return e;
}

static void connected_buffers(const setting *s)
{
    int32_t in[N] = { 1, 2, 3, 4 }, out[N] = { 0 };
    tw_engine *e = load(s, 1, NULL);
    CHECK(tw_engine_run(e, 0) == TW_E_STREAM_CONNECTION); /* a stream that is used must be connected */
    CHECK_ENGINE(e, tw_engine_connect_stream(e, "in", in, sizeof in));
    CHECK_ENGINE(e, tw_engine_connect_stream(e, "out", out, sizeof out));
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    printf("connected buffer: %d %d %d %d\n", out[0], out[1], out[2], out[3]);
    tw_engine_free(e);
}

/* A buffer of several transfers is used in a circle. */
static void circular_buffers(const setting *s)
{
    int32_t in[3 * N], out[2 * N] = { 0 };
    for (int i = 0; i < 3 * N; i++) in[i] = i < 2 * N ? i : (i - 2 * N + 1) * 10;
    tw_engine *e = load(s, 3, NULL);
    CHECK_ENGINE(e, tw_engine_connect_stream(e, "in", in, sizeof in));
    CHECK_ENGINE(e, tw_engine_connect_stream(e, "out", out, sizeof out));
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    /* The third transfer came round to the first half. */
    printf("circular buffer: %d %d %d %d\n", out[0], out[1], out[2], out[3]);
    CHECK(out[N] == in[N]);
    tw_engine_free(e);
}

typedef struct host {
    int fetched, prefetched, completed, received, available;
} host;

static void fetch(void *buffer, void *user)
{
    host *h = user;
    for (int i = 0; i < N; i++) ((int32_t *)buffer)[i] = h->completed * 100 + i;
    h->fetched++;
}

static tw_stream_result prefetch(void *buffer, void *user)
{
    host *h = user;
    if (h->prefetched == h->available) return TW_STREAM_NOT_AVAILABLE;
    for (int i = 0; i < N; i++) ((int32_t *)buffer)[i] = h->prefetched * 100 + i;
    h->prefetched++;
    return TW_STREAM_SUCCESS;
}

static void complete(void *user)
{
    ((host *)user)->completed++;
}

static void receive(void *buffer, void *user)
{
    host *h = user;
    CHECK(((int32_t *)buffer)[1] == h->received * 100 + 1);
    h->received++;
}

static void callbacks(const setting *s)
{
    host h = { 0 };
    tw_engine *e = load(s, 2, NULL);
    tw_stream_callback in = { .prefetch = prefetch, .fetch = fetch, .complete = complete, .user = &h };
    CHECK_ENGINE(e, tw_engine_connect_stream_to_callback(e, "in", &in));
    CHECK_ENGINE(
        e, tw_engine_connect_stream_to_callback(e, "out", &(tw_stream_callback){ .fetch = receive, .user = &h }));
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    CHECK(h.fetched == 2 && h.completed == 2 && h.received == 2 && h.prefetched == 0);
    puts("callback: fetched before the transfer, read after it");
    tw_engine_free(e);
}

/* 2.6.4: with prefetch on, and buffers that overlap with no other stream's, the callback is asked early. */
static void prefetching(const setting *s)
{
    static const char *const options[] = { "exchange.enablePrefetch=true", "exchange.streamBufferOverlap=None",
                                           NULL };
    host h = { .available = 3 };
    tw_engine *e = load(s, 4, options);
    tw_stream_callback in = { .prefetch = prefetch, .fetch = fetch, .complete = complete, .user = &h };
    CHECK_ENGINE(e, tw_engine_connect_stream_to_callback(e, "in", &in));
    CHECK_ENGINE(
        e, tw_engine_connect_stream_to_callback(e, "out", &(tw_stream_callback){ .fetch = receive, .user = &h }));
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    CHECK(h.completed == 4 && h.received == 4);
    printf("prefetch: %d blocks ahead of time, %d at the time of its transfer\n", h.prefetched, h.fetched);
    tw_engine_free(e);
}

static bool count_transfers(void *user, const tw_profile_step *step)
{
    *(int *)user += step->type == TW_PROGRAM_STREAM_COPY;
    return true;
}

/* 2.6.1: transfers next to each other become one. */
static void merged_copies(const setting *s)
{
    tw_graph *g = s->g;
    tw_tensor more = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ N }, "more");
    tw_graph_map(g, more, 1);
    tw_stream second = tw_graph_add_host_to_device_fifo(g, "second", TW_INT, N, TW_STREAM_REPLICATE, NULL);
    tw_program both[] = { s->read, tw_program_copy_from_stream(g, second, more) };
    tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 2, both), NULL);
    CHECK_ENGINE(e, tw_engine_load(e, s->dev));
    int32_t in[2][N] = { { 0 } };
    int transfers = 0;
    CHECK_ENGINE(e, tw_engine_connect_stream(e, "in", in[0], sizeof in[0]));
    CHECK_ENGINE(e, tw_engine_connect_stream(e, "second", in[1], sizeof in[1]));
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    tw_profile_each_step(tw_engine_profile(e), count_transfers, &transfers);
    printf("merged: 2 copies from streams, %d transfer\n", transfers);
    tw_engine_free(e);
}

/* 2.6.2: rows in memory off the chip; the offsets of a Copy say which rows, their number says how many. */
static void remote_buffers(const setting *s)
{
    tw_graph *g = s->g;
    enum { ROWS = 3 };
    tw_remote_buffer store = tw_graph_add_remote_buffer(g, "store", TW_INT, N, ROWS, false, false);
    tw_tensor two = tw_graph_add_variable(g, TW_INT, 2, (size_t[]){ 2, N }, "two");
    tw_graph_map_linearly(g, two);
    uint32_t wanted[] = { 2, 0 };
    tw_tensor rows = tw_graph_add_constant(g, TW_UNSIGNED_INT, 1, (size_t[]){ 2 }, wanted, false, "rows");
    tw_graph_map(g, rows, 0);
    tw_graph_create_host_read(g, "two", two);

    tw_engine *e = tw_engine_new(g, tw_program_copy_from_remote(g, store, two, rows), NULL);
    CHECK_ENGINE(e, tw_engine_load(e, s->dev));
    for (int row = 0; row < ROWS; row++) {
        int32_t values[N] = { row, row, row, row };
        CHECK_ENGINE(e, tw_engine_copy_to_remote_buffer(e, "store", (uint64_t)row, values, sizeof values));
    }
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    int32_t got[2][N];
    CHECK_ENGINE(e, tw_engine_read(e, "two", got, sizeof got));
    printf("remote buffer: rows %d and %d\n", got[0][0], got[1][N - 1]);
    tw_engine_free(e);
}

int main(void)
{
    setting s = set_up();
    connected_buffers(&s);
    circular_buffers(&s);
    callbacks(&s);
    prefetching(&s);
    merged_copies(&s);
    remote_buffers(&s);
    tw_graph_free(s.g);
    tw_device_free(s.dev);
    return 0;
}
