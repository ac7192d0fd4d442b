/* SPDX-License-Identifier: MIT */
/* y = 2.5 x + y on all tiles: a piece of both vectors on each, cut again for six workers.
 *
 * run: tilewright run --profile {profile} ipu.c {device} {x:n} {y:n} {out:n}
 */
#include "../ipu.h"

int main(int argc, char **argv)
{
    if (argc != 5) return fprintf(stderr, "usage: ipu CHIP x.npy y.npy out.npy\n"), 2;
    tw_npy *x = read_array(argv[2]), *y = read_array(argv[3]);
    tw_device *device = open_chip(argv[1]);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_graph_add_codelets(g, "ipu_vertex.c", NULL);
    tw_tensor tx = add_input(g, "x", x), ty = add_input(g, "y", y);

    const unsigned grain = 2; /* elements of one load */
    size_t n = x->count, tiles = tw_target_tiles(tw_device_target(device)), workers = 6;
    size_t pieces =
        (n + 2 * grain - 1) / (2 * grain) < tiles * workers ? (n + 2 * grain - 1) / (2 * grain) : tiles * workers;
    tw_compute_set cs = tw_graph_add_compute_set(g, "axpy");
    for (size_t i = 0; i < pieces; i++) {
        size_t begin = n / grain * i / pieces * grain, end = n / grain * (i + 1) / pieces * grain;
        unsigned tile = (unsigned)(i / workers);
        if (pieces <= tiles) tile = (unsigned)i;
        tw_tensor px = tw_tensor_slice(g, tx, 0, begin, end), py = tw_tensor_slice(g, ty, 0, begin, end);
        tw_graph_map(g, px, tile), tw_graph_map(g, py, tile);
        tw_vertex v = tw_graph_add_vertex(g, cs, "Axpy", tile);
        tw_graph_connect(g, v, "x", px);
        tw_graph_connect(g, v, "y", py);
        tw_graph_set_field(g, v, "factor", 2.5);
    }
    int failed = run_and_write(device, g, tw_program_execute(g, cs), ty, argv[4],
                               (const char *[]){ "x", "y", NULL }, (tw_npy *[]){ x, y });
    tw_npy_free(x), tw_npy_free(y);
    return failed;
}
