/* SPDX-License-Identifier: MIT */
/* The sum of x y: a piece of both vectors for each worker of the tiles, whose sums are added in a tree of 32 at a
 * time.
 *
 * run: tilewright run --profile {profile} ipu.c {device} {x:n} {y:n} {out:n}
 */
#include "../ipu.h"

/* Sums of 32 neighbours each; one is left at the end. */
static tw_tensor add_up(tw_graph *g, tw_program steps, tw_tensor x)
{
    enum { FAN = 32 };
    while (tw_tensor_elements(g, x) > 1) {
        size_t n = tw_tensor_elements(g, x), sums = (n + FAN - 1) / FAN;
        tw_compute_set cs = tw_graph_add_compute_set(g, "sum");
        tw_tensor next = tw_graph_add_variable(g, TW_FLOAT, 1, &sums, "sums");
        for (size_t i = 0; i < sums; i++) {
            size_t end = (i + 1) * FAN < n ? (i + 1) * FAN : n;
            tw_tensor sum = tw_tensor_index(g, next, i);
            tw_vertex v = tw_graph_add_vertex(g, cs, "Sum", (unsigned)i);
            tw_graph_connect(g, v, "x", tw_tensor_slice(g, x, 0, i * FAN, end));
            tw_graph_connect(g, v, "sum", sum);
            tw_graph_map(g, sum, (unsigned)i);
        }
        tw_program_sequence_add(g, steps, tw_program_execute(g, cs));
        x = next;
    }
    return x;
}

int main(int argc, char **argv)
{
    if (argc != 5) return fprintf(stderr, "usage: ipu CHIP x.npy y.npy out.npy\n"), 2;
    tw_npy *x = read_array(argv[2]), *y = read_array(argv[3]);
    tw_device *device = open_chip(argv[1]);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_graph_add_codelets(g, "ipu_vertex.c", NULL);
    tw_tensor tx = add_input(g, "x", x), ty = add_input(g, "y", y);

    const size_t least = 32, workers = 6; /* elements of a piece, a multiple of two */
    size_t n = x->count, all = tw_target_tiles(tw_device_target(device)) * workers;
    size_t pieces = n / least < all ? n / least : all;
    tw_compute_set cs = tw_graph_add_compute_set(g, "dot");
    tw_tensor sums = tw_graph_add_variable(g, TW_FLOAT, 1, &pieces, "sums");
    for (size_t i = 0; i < pieces; i++) {
        size_t begin = n / 2 * i / pieces * 2, end = n / 2 * (i + 1) / pieces * 2;
        unsigned tile = (unsigned)(pieces < all ? i * (all / workers) / pieces : i / workers);
        tw_tensor px = tw_tensor_slice(g, tx, 0, begin, end), py = tw_tensor_slice(g, ty, 0, begin, end);
        tw_tensor sum = tw_tensor_index(g, sums, i);
        tw_graph_map(g, px, tile), tw_graph_map(g, py, tile), tw_graph_map(g, sum, tile);
        tw_vertex v = tw_graph_add_vertex(g, cs, "Dot", tile);
        tw_graph_connect(g, v, "x", px);
        tw_graph_connect(g, v, "y", py);
        tw_graph_connect(g, v, "sum", sum);
    }
    tw_program steps = tw_program_sequence(g, NULL);
    tw_program_sequence_add(g, steps, tw_program_execute(g, cs));
    tw_tensor sum = add_up(g, steps, sums);
    int failed =
        run_and_write(device, g, steps, sum, argv[4], (const char *[]){ "x", "y", NULL }, (tw_npy *[]){ x, y });
    tw_npy_free(x), tw_npy_free(y);
    return failed;
}
