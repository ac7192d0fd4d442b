/* SPDX-License-Identifier: MIT */
/* y = A x: each row in segments of 64 or more, a segment for each worker; then the sums of a row's segments.
 *
 * run: tilewright run --profile {profile} ipu.c {device} {a:n,n} {x:n} {out:n}
 */
#include "../ipu.h"

int main(int argc, char **argv)
{
    if (argc != 5) return fprintf(stderr, "usage: ipu CHIP a.npy x.npy out.npy\n"), 2;
    tw_npy *a = read_array(argv[2]), *x = read_array(argv[3]);
    tw_device *device = open_chip(argv[1]);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_graph_add_codelets(g, "../dot/ipu_vertex.c", NULL);
    tw_tensor ta = add_input(g, "a", a), tx = add_input(g, "x", x);
    tw_graph_map_linearly(g, tx);

    const size_t least = 64, workers = 6;
    size_t n = x->count, tiles = tw_target_tiles(tw_device_target(device)), segments = 1;
    while (n * segments * 2 <= tiles * workers && n / (segments * 2) >= least) segments *= 2;
    size_t length = n / segments, each = (n * segments + tiles - 1) / tiles; /* vertices of a tile */
    tw_tensor sums = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ n, segments }, "sums");
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 1, &n, "y");
    tw_compute_set products = tw_graph_add_compute_set(g, "products"), add = tw_graph_add_compute_set(g, "add");
    for (size_t row = 0; row < n; row++) {
        for (size_t s = 0; s < segments; s++) {
            /* Tiles hold the same segment of several rows: its part of x is sent to them once. */
            unsigned tile = (unsigned)((s * n + row) / each);
            size_t begin = s * length, end = begin + length;
            tw_tensor part = tw_tensor_slice_nd(g, ta, (size_t[]){ row, begin }, (size_t[]){ row + 1, end });
            tw_tensor sum = tw_tensor_index(g, tw_tensor_index(g, sums, row), s);
            tw_graph_map(g, part, tile), tw_graph_map(g, sum, tile);
            tw_vertex v = tw_graph_add_vertex(g, products, "Dot", tile);
            tw_graph_connect(g, v, "x", tw_tensor_flatten(g, part));
            tw_graph_connect(g, v, "y", tw_tensor_slice(g, tx, 0, begin, end));
            tw_graph_connect(g, v, "sum", sum);
        }
        unsigned tile = (unsigned)(row * tiles / n);
        tw_tensor sum = tw_tensor_index(g, y, row);
        tw_vertex v = tw_graph_add_vertex(g, add, "Sum", tile);
        tw_graph_connect(g, v, "x", tw_tensor_index(g, sums, row));
        tw_graph_connect(g, v, "sum", sum);
        tw_graph_map(g, sum, tile);
    }
    tw_program steps = tw_program_sequence(g, NULL);
    tw_program_sequence_add(g, steps, tw_program_execute(g, products));
    tw_program_sequence_add(g, steps, tw_program_execute(g, add));
    int failed =
        run_and_write(device, g, steps, y, argv[4], (const char *[]){ "a", "x", NULL }, (tw_npy *[]){ a, x });
    tw_npy_free(a), tw_npy_free(x);
    return failed;
}
