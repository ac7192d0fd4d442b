/* SPDX-License-Identifier: MIT */
/* Ten steps of heat: pieces of rows for all workers, which read the rows above and below where they lie; cells go
 * from one variable to another and back, so that a step changes nothing that it reads.
 *
 * run: tilewright run --profile {profile} ipu.c {device} {u:n,n} {out:n,n}
 */
#include "../ipu.h"

enum { STEPS = 10 };

/* What lies at [row][begin to end) of a square. */
static tw_tensor piece(tw_graph *g, tw_tensor u, size_t row, size_t begin, size_t end)
{
    return tw_tensor_slice(g, tw_tensor_index(g, u, row), 0, begin, end);
}

static tw_program step(tw_graph *g, tw_tensor from, tw_tensor to, size_t pieces, size_t each)
{
    size_t n = tw_tensor_dim(g, from, 0), length = n / pieces;
    tw_compute_set cs = tw_graph_add_compute_set(g, "step");
    for (size_t i = 0; i < n * pieces; i++) {
        size_t row = i / pieces, begin = i % pieces * length, end = begin + length;
        unsigned tile = (unsigned)(i / each);
        tw_graph_map(g, piece(g, from, row, begin, end), tile),
            tw_graph_map(g, piece(g, to, row, begin, end), tile);
        bool rim = row == 0 || row == n - 1;
        size_t left = begin ? begin - 1 : 0, right = end < n ? end + 1 : n;
        tw_vertex v = tw_graph_add_vertex(g, cs, rim ? "Keep" : "Mean", tile);
        tw_graph_connect(g, v, "row", piece(g, from, row, left, right));
        tw_graph_connect(g, v, "out", piece(g, to, row, begin, end));
        tw_graph_set_field(g, v, "skip", (double)(begin - left));
        if (rim) continue;
        tw_graph_connect(g, v, "above", piece(g, from, row - 1, begin, end));
        tw_graph_connect(g, v, "below", piece(g, from, row + 1, begin, end));
        tw_graph_set_field(g, v, "first", begin == 0), tw_graph_set_field(g, v, "last", end == n);
    }
    return tw_program_execute(g, cs);
}

int main(int argc, char **argv)
{
    if (argc != 4) return fprintf(stderr, "usage: ipu CHIP u.npy out.npy\n"), 2;
    tw_npy *u = read_array(argv[2]);
    tw_device *device = open_chip(argv[1]);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_graph_add_codelets(g, "ipu_vertex.c", NULL);
    tw_tensor a = add_input(g, "u", u), b = tw_graph_add_variable(g, TW_FLOAT, 2, u->shape, "other");

    const size_t least = 16, workers = 6; /* cells of a piece */
    size_t n = u->shape[0], tiles = tw_target_tiles(tw_device_target(device)), pieces = 1;
    while (n * pieces * 2 <= tiles * workers && n % (pieces * 2) == 0 && n / (pieces * 2) >= least) pieces *= 2;
    size_t each = (n * pieces + tiles - 1) / tiles; /* pieces of a tile */
    tw_program both = tw_program_sequence(g, NULL);
    tw_program_sequence_add(g, both, step(g, a, b, pieces, each));
    tw_program_sequence_add(g, both, step(g, b, a, pieces, each));
    int failed = run_and_write(device, g, tw_program_repeat(g, STEPS / 2, both), a, argv[3],
                               (const char *[]){ "u", NULL }, (tw_npy *[]){ u });
    tw_npy_free(u);
    return failed;
}
