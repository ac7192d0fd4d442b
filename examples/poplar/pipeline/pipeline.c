/* SPDX-License-Identifier: MIT */
/* A pipeline on virtual graphs: three stages, each on tiles of its own, all working at the same time on successive
 * blocks of a signal (section 2.4 of the guide).
 *
 *     tilewright run pipeline.c
 *
 * A stage sees its tiles as a graph with tiles from 0. What it adds is in the whole graph too, so that one compute
 * set holds the vertices of all stages and one step moves the whole pipeline on.
 *
 * prints: 12 blocks through 3 stages on 490, 490 and 492 tiles: all energies are right
 */
#include <math.h>
#include <tilewright/tilewright.h>

enum { STAGES = 3, BLOCKS = 12, LENGTH = 4900 }; /* samples of a block after smoothing */

/* One vertex per tile of a stage, each with its piece of `in` and `out`; `more` samples of `in` overlap. */
static void add_stage(tw_graph *stage, tw_compute_set cs, const char *vertex_type, tw_tensor in, tw_tensor out,
                      size_t more)
{
    unsigned tiles = tw_target_tiles(tw_graph_target(stage));
    size_t inputs = tw_tensor_elements(stage, in) - more, outputs = tw_tensor_elements(stage, out);
    if (outputs < tiles) tiles = (unsigned)outputs;
    for (unsigned tile = 0; tile < tiles; tile++) {
        size_t begin = inputs * tile / tiles, end = inputs * (tile + 1) / tiles;
        tw_tensor piece = tw_tensor_slice(stage, out, 0, outputs * tile / tiles, outputs * (tile + 1) / tiles);
        tw_vertex v = tw_graph_add_vertex(stage, cs, vertex_type, tile);
        tw_graph_connect(stage, v, "in", tw_tensor_slice(stage, in, 0, begin, end + more));
        tw_graph_connect(stage, v, "out", outputs == tiles ? tw_tensor_index(stage, piece, 0) : piece);
        tw_graph_map(stage, piece, tile);
    }
}

/* One step: all stages compute, then every result moves to the next stage's tiles. */
static tw_program build(tw_graph *g, tw_graph *stages[STAGES])
{
    static const size_t sizes[STAGES] = { LENGTH + 2, LENGTH, LENGTH }, out_sizes[STAGES] = { LENGTH, LENGTH, 70 };
    static const char *const types[STAGES] = { "Smooth", "Square", "Sum" };
    tw_tensor in[STAGES], out[STAGES];
    tw_compute_set cs = tw_graph_add_compute_set(g, "pipeline");
    for (int i = 0; i < STAGES; i++) {
        in[i] = tw_graph_add_variable(stages[i], TW_FLOAT, 1, &sizes[i], "in");
        out[i] = tw_graph_add_variable(stages[i], TW_FLOAT, 1, &out_sizes[i], "out");
        tw_graph_map_linearly(stages[i], in[i]);
        add_stage(stages[i], cs, types[i], in[i], out[i], i == 0 ? 2 : 0);
    }
    tw_stream from = tw_graph_add_host_to_device_fifo(g, "signal", TW_FLOAT, LENGTH + 2, TW_STREAM_REPLICATE, NULL);
    tw_stream to = tw_graph_add_device_to_host_fifo(g, "energy", TW_FLOAT, out_sizes[2], NULL);
    return tw_program_sequence_of(g, 5,
                                  (tw_program[]){ tw_program_copy_from_stream(g, from, in[0]),
                                                  tw_program_execute(g, cs), tw_program_copy(g, out[0], in[1]),
                                                  tw_program_copy(g, out[1], in[2]),
                                                  tw_program_copy_to_stream(g, out[2], to) });
}

static float signal_at(unsigned block, unsigned i)
{
    return sinf((float)(block * LENGTH + i) * 0.01f) * (float)(block + 1);
}

static void next_block(void *buffer, void *user)
{
    unsigned *block = user;
    for (unsigned i = 0; i < LENGTH + 2; i++) ((float *)buffer)[i] = signal_at(*block, i);
    ++*block;
}

typedef struct results {
    unsigned steps;
    double energy[BLOCKS + STAGES];
} results;

static void take_energy(void *buffer, void *user)
{
    results *r = user;
    for (int i = 0; i < 70; i++) r->energy[r->steps] += ((float *)buffer)[i];
    r->steps++;
}

static double expected_energy(unsigned block)
{
    double sum = 0;
    for (unsigned i = 0; i < LENGTH; i++) {
        double smooth = 0.25 * signal_at(block, i) + 0.5 * signal_at(block, i + 1) + 0.25 * signal_at(block, i + 2);
        sum += smooth * smooth;
    }
    return sum;
}

int main(void)
{
    static const unsigned bounds[STAGES + 1] = { 0, 490, 980, 1472 }; /* tiles of the stages */
    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev)), *stages[STAGES];
    tw_graph_add_codelets(g, "pipeline_codelets.cpp", "-O3");
    for (int i = 0; i < STAGES; i++) stages[i] = tw_graph_virtual_range(g, bounds[i], bounds[i + 1]);

    tw_program step = build(g, stages);
    tw_engine *e = tw_engine_new(g, tw_program_repeat(g, BLOCKS + STAGES - 1, step), NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    unsigned block = 0, wrong = 0;
    results r = { 0 };
    tw_engine_connect_stream_to_callback(e, "signal", &(tw_stream_callback){ .fetch = next_block, .user = &block });
    tw_engine_connect_stream_to_callback(e, "energy", &(tw_stream_callback){ .fetch = take_energy, .user = &r });
    if (tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;

    /* Block i leaves the last stage two steps after it entered the first. */
    for (unsigned i = 0; i < BLOCKS; i++) {
        double expected = expected_energy(i);
        wrong += !(fabs(r.energy[i + STAGES - 1] - expected) <= 1e-4 * expected);
    }
    printf("%d blocks through %d stages on %u, %u and %u tiles: ", BLOCKS, STAGES, bounds[1] - bounds[0],
           bounds[2] - bounds[1], bounds[3] - bounds[2]);
    if (wrong)
        printf("%u energies are wrong\n", wrong);
    else
        puts("all energies are right");

    for (int i = 0; i < STAGES; i++) tw_graph_free(stages[i]);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return wrong != 0;
}
