/* SPDX-License-Identifier: MIT */
/* How often each of 64 numbers occurs: every worker counts its piece, then the library adds the counts of all.
 *
 * run: tilewright run -ltilewright_poplibs --profile {profile} ipu.c {device} {x:n} {out:64}
 */
#include "../ipu.h"

#include <tilewright/poplibs.h>

enum { BINS = 64 };

int main(int argc, char **argv)
{
    if (argc != 4) return fprintf(stderr, "usage: ipu CHIP x.npy out.npy\n"), 2;
    tw_npy *x = read_array(argv[2]);
    tw_device *device = open_chip(argv[1]);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_graph_add_codelets(g, "ipu_vertex.c", NULL);
    size_t n = x->count;
    tw_tensor tx = tw_graph_add_variable(g, TW_INT, 1, &n, "x");
    tw_graph_create_host_write(g, "x", tx);

    const size_t least = 64, workers = 6;
    size_t tiles = tw_target_tiles(tw_device_target(device)), pieces = n / least;
    if (pieces > tiles * workers) pieces = tiles * workers;
    size_t each = (pieces + tiles - 1) / tiles; /* pieces of a tile */
    tw_tensor counts = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ pieces, BINS }, "counts");
    tw_compute_set cs = tw_graph_add_compute_set(g, "count");
    for (size_t i = 0; i < pieces; i++) {
        tw_tensor px = tw_tensor_slice(g, tx, 0, n * i / pieces, n * (i + 1) / pieces);
        tw_tensor own = tw_tensor_index(g, counts, i);
        unsigned tile = (unsigned)(i / each);
        tw_graph_map(g, px, tile), tw_graph_map(g, own, tile);
        tw_vertex v = tw_graph_add_vertex(g, cs, "Count", tile);
        tw_graph_connect(g, v, "x", px);
        tw_graph_connect(g, v, "counts", own);
    }
    tw_program steps = tw_program_sequence(g, NULL);
    tw_program_sequence_add(g, steps, tw_program_execute(g, cs));
    tw_tensor all = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ BINS }, "all");
    for (unsigned i = 0; i < BINS; i++) tw_graph_map(g, tw_tensor_index(g, all, i), i);
    tw_popops_reduce_with_output(g, counts, all, 1, (size_t[]){ 0 }, NULL, steps, "sum", NULL);
    int failed = run_and_write(device, g, steps, all, argv[3], (const char *[]){ "x", NULL }, (tw_npy *[]){ x });
    tw_npy_free(x);
    return failed;
}
