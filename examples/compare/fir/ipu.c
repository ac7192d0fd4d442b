/* SPDX-License-Identifier: MIT */
/* A filter of 16 taps: a piece for each worker, which reads the 15 samples before it from where they lie.
 *
 * run: tilewright run --profile {profile} ipu.c {device} {padded:n+16} {h:16} {out:n}
 */
#include "../ipu.h"

enum { TAPS = 16 };

int main(int argc, char **argv)
{
    if (argc != 5) return fprintf(stderr, "usage: ipu CHIP padded.npy h.npy out.npy\n"), 2;
    tw_npy *x = read_array(argv[2]), *h = read_array(argv[3]);
    tw_device *device = open_chip(argv[1]);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_graph_add_codelets(g, "ipu_vertex.c", NULL);
    size_t n = x->count - TAPS;
    tw_tensor tx = add_input(g, "x", x), th = add_input(g, "h", h);
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 1, &n, "y");
    tw_graph_map(g, th, 0);

    const size_t least = 16, workers = 6; /* samples of a piece */
    size_t tiles = tw_target_tiles(tw_device_target(device)), pieces = n / least;
    if (pieces > tiles * workers) pieces = tiles * workers;
    size_t each = (pieces + tiles - 1) / tiles; /* pieces of a tile */
    tw_compute_set cs = tw_graph_add_compute_set(g, "fir");
    for (size_t i = 0; i < pieces; i++) {
        size_t begin = n / 2 * i / pieces * 2, end = n / 2 * (i + 1) / pieces * 2; /* behind the padding: + TAPS */
        unsigned tile = (unsigned)(i / each);
        tw_tensor out = tw_tensor_slice(g, y, 0, begin, end);
        tw_graph_map(g, out, tile);
        tw_graph_map(g, tw_tensor_slice(g, tx, 0, i ? begin + TAPS : 0, end + TAPS), tile);
        tw_vertex v = tw_graph_add_vertex(g, cs, "Fir", tile);
        tw_graph_connect(g, v, "x", tw_tensor_slice(g, tx, 0, begin + 1, end + TAPS));
        tw_graph_connect(g, v, "h", th);
        tw_graph_connect(g, v, "y", out);
    }
    int failed = run_and_write(device, g, tw_program_execute(g, cs), y, argv[4], (const char *[]){ "x", "h", NULL },
                               (tw_npy *[]){ x, h });
    tw_npy_free(x), tw_npy_free(h);
    return failed;
}
