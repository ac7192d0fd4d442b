/* SPDX-License-Identifier: MIT */
/* Heat spreads from a hot wire over a plate: 2-D heat equation on the 1,472 tiles of a simulated IPU.
 *
 *     tilewright run heat.c [picture.ppm [tolerance]]
 *     tilewright run -n 2 heat.c                        two processes share the tiles (docs/mpi.md)
 *
 * Each tile holds a block of cells with a frame around it. Four copies fill all frames with the neighbours' edges; a
 * MultiVertex on each tile makes a time step; every hundred steps the device itself decides whether to go on: until
 * no cell changes by more than the tolerance in a step.
 *
 * prints: Number of vertices:
 * prints: Cycles by vertex type:
 * prints: HeatStep
 * prints: 384 x 552 cells on 32 x 46 tiles
 * prints: the same as on the host
 */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <tilewright/tilewright.h>

enum { DOWN = 32, ACROSS = 46, ROWS = 12, COLS = 12 }; /* tiles; cells of each */
enum { HIGH = DOWN * ROWS, WIDE = ACROSS * COLS, ROUND = 100 };
static const float rate = 0.2f;
static float tolerance = 4e-4f; /* unless the user gives another */

typedef struct plate {
    float cells[HIGH][WIDE]; /* temperature, 0 to 1 */
    uint8_t fixed[HIGH][WIDE];
} plate;

/* A spiral of wire at temperature 1; the plate starts cold and its rim stays cold. */
static void set_up(plate *p)
{
    memset(p, 0, sizeof *p);
    for (double turn = 0.15; turn < 3.25; turn += 0.0005) {
        double angle = turn * 2 * M_PI, radius = turn * HIGH / 7.2;
        int row = (int)(HIGH / 2 + radius * sin(angle)), col = (int)(WIDE / 2 + radius * 1.35 * cos(angle));
        for (int y = row - 1; y <= row + 1; y++)
            for (int x = col - 1; x <= col + 1; x++)
                if (y >= 0 && y < HIGH && x >= 0 && x < WIDE) p->cells[y][x] = 1, p->fixed[y][x] = 1;
    }
}

/* The same steps as plain C. */
static void host_steps(plate *p, unsigned steps)
{
    static float field[2][HIGH + 2][WIDE + 2];
    memset(field, 0, sizeof field);
    for (int y = 0; y < HIGH; y++) memcpy(&field[0][y + 1][1], p->cells[y], sizeof p->cells[y]);
    for (unsigned step = 0; step < steps; step++) {
        float(*in)[WIDE + 2] = field[step % 2], (*out)[WIDE + 2] = field[1 - step % 2];
        for (int y = 1; y <= HIGH; y++)
            for (int x = 1; x <= WIDE; x++) {
                float flow =
                    rate * ((in[y][x - 1] + in[y][x + 1]) + (in[y - 1][x] + in[y + 1][x]) - 4.0f * in[y][x]);
                out[y][x] = in[y][x] + (p->fixed[y - 1][x - 1] ? 0.0f : flow);
            }
    }
    for (int y = 0; y < HIGH; y++) memcpy(p->cells[y], &field[steps % 2][y + 1][1], sizeof p->cells[y]);
}

/* Part [top, bottom) x [left, right) of the blocks [y0, y1) x [x0, x1). */
static tw_tensor part(tw_graph *g, tw_tensor blocks, const size_t tiles[4], const size_t cells[4])
{
    return tw_tensor_slice_nd(g, blocks, (size_t[]){ tiles[0], tiles[2], cells[0], cells[2] },
                              (size_t[]){ tiles[1], tiles[3], cells[1], cells[3] });
}

/* Fills the frames of all blocks: each copy moves one edge of every block to its neighbour on that side. */
static tw_program exchange_edges(tw_graph *g, tw_tensor blocks)
{
    static const struct {
        size_t from_tiles[4], from_cells[4], to_tiles[4], to_cells[4]; /* [y0, y1) x [x0, x1) */
    } moves[] = {
        { { 0, DOWN - 1, 0, ACROSS },
          { ROWS, ROWS + 1, 1, COLS + 1 },
          { 1, DOWN, 0, ACROSS },
          { 0, 1, 1, COLS + 1 } },
        { { 1, DOWN, 0, ACROSS },
          { 1, 2, 1, COLS + 1 },
          { 0, DOWN - 1, 0, ACROSS },
          { ROWS + 1, ROWS + 2, 1, COLS + 1 } },
        { { 0, DOWN, 0, ACROSS - 1 },
          { 1, ROWS + 1, COLS, COLS + 1 },
          { 0, DOWN, 1, ACROSS },
          { 1, ROWS + 1, 0, 1 } },
        { { 0, DOWN, 1, ACROSS },
          { 1, ROWS + 1, 1, 2 },
          { 0, DOWN, 0, ACROSS - 1 },
          { 1, ROWS + 1, COLS + 1, COLS + 2 } },
    };
    tw_program all = tw_program_sequence(g, "edges");
    for (int i = 0; i < 4; i++)
        tw_program_sequence_add(g, all,
                                tw_program_copy(g, part(g, blocks, moves[i].from_tiles, moves[i].from_cells),
                                                part(g, blocks, moves[i].to_tiles, moves[i].to_cells)));
    return all;
}

typedef struct device_plate {
    tw_tensor field[2]; /* [DOWN][ACROSS][ROWS + 2][COLS + 2]: a step reads one and writes the other */
    tw_tensor fixed;    /* [DOWN][ACROSS][ROWS][COLS] */
    tw_tensor change;   /* [DOWN * ACROSS][workers] */
    tw_tensor still, rounds;
} device_plate;

static tw_program step(tw_graph *g, const device_plate *d, int from)
{
    tw_compute_set cs = tw_graph_add_compute_set(g, "step");
    for (unsigned tile = 0; tile < DOWN * ACROSS; tile++) {
        size_t y = tile / ACROSS, x = tile % ACROSS;
        tw_vertex v = tw_graph_add_vertex(g, cs, "HeatStep", tile);
        tw_graph_connect(g, v, "in",
                         tw_tensor_flatten(g, tw_tensor_index(g, tw_tensor_index(g, d->field[from], y), x)));
        tw_graph_connect(g, v, "out",
                         tw_tensor_flatten(g, tw_tensor_index(g, tw_tensor_index(g, d->field[1 - from], y), x)));
        tw_graph_connect(g, v, "fixed",
                         tw_tensor_flatten(g, tw_tensor_index(g, tw_tensor_index(g, d->fixed, y), x)));
        tw_graph_connect(g, v, "change", tw_tensor_index(g, d->change, tile));
        tw_graph_set_field_int(g, v, "rows", ROWS);
        tw_graph_set_field_int(g, v, "cols", COLS);
        tw_graph_set_field(g, v, "rate", rate);
    }
    return tw_program_execute(g, cs);
}

/* Largest change of all tiles in two stages: 46 tiles look at 32 each, one looks at the 46. */
static tw_program ask_whether_it_changes(tw_graph *g, const device_plate *d)
{
    tw_tensor largest = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ ACROSS }, "largest");
    tw_compute_set first = tw_graph_add_compute_set(g, "largest"), second = tw_graph_add_compute_set(g, "decide");
    for (unsigned i = 0; i < ACROSS; i++) {
        tw_graph_map(g, tw_tensor_index(g, largest, i), i);
        tw_vertex v = tw_graph_add_vertex(g, first, "Largest", i);
        tw_graph_connect(g, v, "in",
                         tw_tensor_flatten(g, tw_tensor_slice(g, d->change, 0, i * DOWN, (i + 1) * DOWN)));
        tw_graph_connect(g, v, "out", tw_tensor_index(g, largest, i));
    }
    tw_vertex v = tw_graph_add_vertex(g, second, "StillChanging", 0);
    tw_graph_connect(g, v, "change", largest);
    tw_graph_connect(g, v, "yes", d->still);
    tw_graph_connect(g, v, "rounds", d->rounds);
    tw_graph_set_field(g, v, "tolerance", tolerance);
    return tw_program_sequence_of(g, 2,
                                  (tw_program[]){ tw_program_execute(g, first), tw_program_execute(g, second) });
}

static tw_program build(tw_graph *g)
{
    unsigned workers = tw_target_worker_contexts(tw_graph_target(g));
    size_t framed[] = { DOWN, ACROSS, ROWS + 2, COLS + 2 }, plain[] = { DOWN, ACROSS, ROWS, COLS };
    float huge = 1e30f;
    device_plate d = {
        .field = { tw_graph_add_variable(g, TW_FLOAT, 4, framed, "field0"),
                   tw_graph_add_variable(g, TW_FLOAT, 4, framed, "field1") },
        .fixed = tw_graph_add_variable(g, TW_UNSIGNED_CHAR, 4, plain, "fixed"),
        .change = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ DOWN * ACROSS, workers }, "change"),
        .still = tw_graph_add_variable(g, TW_UNSIGNED_INT, 0, NULL, "still"),
        .rounds = tw_graph_add_variable(g, TW_UNSIGNED_INT, 0, NULL, "rounds"),
    };
    for (unsigned tile = 0; tile < DOWN * ACROSS; tile++) {
        for (int i = 0; i < 2; i++)
            tw_graph_map(g, tw_tensor_index(g, tw_tensor_index(g, d.field[i], tile / ACROSS), tile % ACROSS), tile);
        tw_graph_map(g, tw_tensor_index(g, tw_tensor_index(g, d.fixed, tile / ACROSS), tile % ACROSS), tile);
        tw_graph_map(g, tw_tensor_index(g, d.change, tile), tile);
    }
    tw_graph_map(g, d.still, 0);
    tw_graph_map(g, d.rounds, 0);
    tw_graph_set_initial_value(g, d.change, &huge, true); /* the first question is answered "yes" */

    /* The host sees the plate row by row, without frames: a view, no copy is made. */
    tw_tensor cells = part(g, d.field[0], (size_t[]){ 0, DOWN, 0, ACROSS }, (size_t[]){ 1, ROWS + 1, 1, COLS + 1 });
    static const unsigned by_row[] = { 0, 2, 1, 3 };
    size_t flat[] = { HIGH, WIDE };
    tw_graph_create_host_access(g, "cells", tw_tensor_reshape(g, tw_tensor_dim_shuffle(g, cells, by_row), 2, flat));
    tw_graph_create_host_write(g, "fixed",
                               tw_tensor_reshape(g, tw_tensor_dim_shuffle(g, d.fixed, by_row), 2, flat));
    tw_graph_create_host_read(g, "rounds", d.rounds);

    tw_program two_steps = tw_program_sequence_of(g, 4,
                                                  (tw_program[]){ exchange_edges(g, d.field[0]), step(g, &d, 0),
                                                                  exchange_edges(g, d.field[1]), step(g, &d, 1) });
    return tw_program_repeat_while_true(g, ask_whether_it_changes(g, &d), d.still,
                                        tw_program_repeat(g, ROUND / 2, two_steps));
}

int main(int argc, char **argv)
{
    static plate device, host;
    if (argc > 2 && !((tolerance = strtof(argv[2], NULL)) > 0))
        return fprintf(stderr, "'%s' is no tolerance: a number above 0 is\n", argv[2]), 2;
    set_up(&device);
    host = device;

    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(g, "heat_codelets.cpp", "-O3");
    tw_engine *e = tw_engine_new(g, build(g), NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_write(e, "cells", device.cells, sizeof device.cells);
    tw_engine_write(e, "fixed", device.fixed, sizeof device.fixed);
    if (tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    uint32_t rounds = 0;
    tw_engine_read(e, "rounds", &rounds, sizeof rounds);
    tw_engine_read(e, "cells", device.cells, sizeof device.cells);

    host_steps(&host, rounds * ROUND);
    double difference = 0;
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++)
            difference = fmax(difference, fabs((double)host.cells[y][x] - device.cells[y][x]));

    tw_profile_print_summary(tw_engine_profile(e), stdout, NULL);
    putchar('\n');
    picture_print(device.cells[0], HIGH, WIDE, 92);
    printf("\n%d x %d cells on %d x %d tiles; no cell changes by more than %g in a step after %u steps\n", HIGH,
           WIDE, DOWN, ACROSS, tolerance, rounds * ROUND);
    bool right = difference <= 1e-5 && rounds > 1;
    printf("%s (largest difference %g)\n", right ? "the same as on the host" : "NOT THE SAME AS ON THE HOST",
           difference);
    if (argc > 1 && tw_world_rank() == 0 && picture_write(argv[1], device.cells[0], HIGH, WIDE))
        printf("picture: %s\n", argv[1]);

    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return !right;
}
