/* SPDX-License-Identifier: MIT */
/* Data from the host and back while a program runs: two streams with callbacks, prefetch on.
 *
 *     tilewright run streams.c
 *
 * The device asks for blocks of samples and sends back their running mean. With prefetch, the next block is asked for
 * as soon as the buffer is free; at the end of the data the callback answers that there is none.
 *
 * prints: 10 blocks of 256 samples sent, 10 received, 10 of them fetched ahead of time: all means are right
 */
#include <math.h>
#include <tilewright/tilewright.h>

enum { BLOCK = 256, BLOCKS = 10 };

typedef struct source {
    unsigned sent, ahead; /* blocks */
} source;

static float sample(unsigned i)
{
    return sinf((float)i * 0.05f) + 1;
}

static void fill(float *block, unsigned number)
{
    for (unsigned i = 0; i < BLOCK; i++) block[i] = sample(number * BLOCK + i);
}

/* Called early; what it leaves in the buffer is used by the next transfer. */
static tw_stream_result prefetch(void *buffer, void *user)
{
    source *s = user;
    if (s->sent == BLOCKS) return TW_STREAM_NOT_AVAILABLE; /* end of the data */
    fill(buffer, s->sent);
    s->ahead++;
    return TW_STREAM_SUCCESS;
}

/* Called when the device needs the block now. */
static void fetch(void *buffer, void *user)
{
    fill(buffer, ((source *)user)->sent);
}

/* The device has the block. */
static void complete(void *user)
{
    ((source *)user)->sent++;
}

typedef struct sink {
    unsigned received, wrong; /* blocks, means */
    float sum;
    unsigned count;
} sink;

static void take(void *buffer, void *user)
{
    sink *s = user;
    const float *means = buffer;
    for (unsigned i = 0; i < BLOCK; i++) {
        s->sum += sample(s->count++);
        s->wrong += means[i] != s->sum / (float)s->count;
    }
    s->received++;
}

static tw_program build(tw_graph *g)
{
    tw_tensor samples = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ BLOCK }, "samples");
    tw_tensor means = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ BLOCK }, "means");
    tw_tensor sum = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "sum");
    tw_tensor count = tw_graph_add_variable(g, TW_UNSIGNED_INT, 0, NULL, "count");
    tw_tensor all[] = { samples, means, sum, count };
    static const char *const fields[] = { "samples", "means", "sum", "count" };
    tw_compute_set cs = tw_graph_add_compute_set(g, "mean");
    tw_vertex v = tw_graph_add_vertex(g, cs, "RunningMean", 0);
    for (int i = 0; i < 4; i++) {
        tw_graph_map(g, all[i], 0);
        tw_graph_connect(g, v, fields[i], all[i]);
    }
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_FLOAT, BLOCK, TW_STREAM_REPLICATE, NULL);
    tw_stream out = tw_graph_add_device_to_host_fifo(g, "out", TW_FLOAT, BLOCK, NULL);
    return tw_program_sequence_of(g, 3,
                                  (tw_program[]){ tw_program_copy_from_stream(g, in, samples),
                                                  tw_program_execute(g, cs),
                                                  tw_program_copy_to_stream(g, means, out) });
}

int main(void)
{
    static const char *const options[] = { "exchange.enablePrefetch=true",
                                           "exchange.streamBufferOverlap=hostRearrangeOnly", NULL };
    source from = { 0, 0 };
    sink to = { 0, 0, 0, 0 };

    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(g, "streams_codelets.cpp", "-O3");
    tw_engine *e = tw_engine_new(g, tw_program_repeat(g, BLOCKS, build(g)), options);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_connect_stream_to_callback(
        e, "in",
        &(tw_stream_callback){ .prefetch = prefetch, .fetch = fetch, .complete = complete, .user = &from });
    tw_engine_connect_stream_to_callback(e, "out", &(tw_stream_callback){ .fetch = take, .user = &to });
    if (tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;

    printf("%u blocks of %d samples sent, %u received, %u of them fetched ahead of time: ", from.sent, BLOCK,
           to.received, from.ahead);
    if (to.wrong)
        printf("%u means are wrong\n", to.wrong);
    else
        puts("all means are right");

    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return to.wrong || to.received != BLOCKS;
}
