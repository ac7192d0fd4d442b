/* SPDX-License-Identifier: MIT */
/* Sums of all elements up to each: a piece for each worker, whose sums go to one tile in groups; what stands before a
 * group, and then before a piece, is added on the way back.
 *
 * run: tilewright run --profile {profile} ipu.c {device} {x:n} {out:n}
 */
#include "../ipu.h"

/* y is the prefix sums of x, in pieces on all tiles; of the pieces' sums the same, until there is one piece. */
static tw_tensor prefix(tw_graph *g, tw_program steps, tw_tensor x, size_t length, size_t tiles)
{
    size_t n = tw_tensor_elements(g, x), pieces = (n + length - 1) / length;
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 1, &n, "y");
    tw_tensor sums = tw_graph_add_variable(g, TW_FLOAT, 1, &pieces, "sums");
    tw_compute_set scan = tw_graph_add_compute_set(g, "scan"), add = tw_graph_add_compute_set(g, "add");
    size_t each = (pieces + tiles - 1) / tiles;
    for (size_t i = 0; i < pieces; i++) {
        size_t begin = i * length, end = begin + length < n ? begin + length : n;
        unsigned tile = (unsigned)(i / each);
        tw_tensor py = tw_tensor_slice(g, y, 0, begin, end), sum = tw_tensor_index(g, sums, i);
        tw_graph_map(g, py, tile), tw_graph_map(g, sum, tile);
        tw_vertex v = tw_graph_add_vertex(g, scan, "Scan", tile);
        tw_graph_connect(g, v, "x", tw_tensor_slice(g, x, 0, begin, end));
        tw_graph_connect(g, v, "y", py), tw_graph_connect(g, v, "sum", sum);
    }
    tw_program_sequence_add(g, steps, tw_program_execute(g, scan));
    if (pieces == 1) return y;
    tw_tensor before = prefix(g, steps, sums, 64, tiles);
    for (size_t i = 1; i < pieces; i++) {
        size_t begin = i * length, end = begin + length < n ? begin + length : n;
        tw_vertex v = tw_graph_add_vertex(g, add, "Add", (unsigned)(i / each));
        tw_graph_connect(g, v, "before", tw_tensor_index(g, before, i - 1));
        tw_graph_connect(g, v, "y", tw_tensor_slice(g, y, 0, begin, end));
    }
    tw_program_sequence_add(g, steps, tw_program_execute(g, add));
    return y;
}

int main(int argc, char **argv)
{
    if (argc != 4) return fprintf(stderr, "usage: ipu CHIP x.npy out.npy\n"), 2;
    tw_npy *x = read_array(argv[2]);
    tw_device *device = open_chip(argv[1]);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_graph_add_codelets(g, "ipu_vertex.c", NULL);
    tw_tensor tx = add_input(g, "x", x);

    const size_t least = 16, workers = 6;
    size_t n = x->count, tiles = tw_target_tiles(tw_device_target(device)), length = least;
    while ((n + length - 1) / length > tiles * workers) length += 2;
    size_t pieces = (n + length - 1) / length,
           each = (pieces + tiles - 1) / tiles * length; /* elements of a tile */
    for (size_t i = 0; i * each < n; i++)
        tw_graph_map(g, tw_tensor_slice(g, tx, 0, i * each, (i + 1) * each < n ? (i + 1) * each : n), (unsigned)i);
    tw_program steps = tw_program_sequence(g, NULL);
    tw_tensor y = prefix(g, steps, tx, length, tiles);
    int failed = run_and_write(device, g, steps, y, argv[3], (const char *[]){ "x", NULL }, (tw_npy *[]){ x });
    tw_npy_free(x);
    return failed;
}
