/* SPDX-License-Identifier: MIT */
/* Softmax of rows by the library; the rows lie on all tiles.
 *
 * run: tilewright run -ltilewright_poplibs --profile {profile} ipu.c {device} {x:n,64} {out:n,64}
 */
#include "../ipu.h"

#include <tilewright/poplibs.h>

int main(int argc, char **argv)
{
    if (argc != 4) return fprintf(stderr, "usage: ipu CHIP x.npy out.npy\n"), 2;
    tw_npy *x = read_array(argv[2]);
    tw_device *device = open_chip(argv[1]);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_tensor tx = add_input(g, "x", x);
    tw_poputil_map_linearly(g, tx);
    tw_program steps = tw_program_sequence(g, NULL);
    tw_popnn_non_linearity_in_place(g, TW_NL_SOFTMAX_STABLE, tx, steps, "softmax");
    int failed = run_and_write(device, g, steps, tx, argv[3], (const char *[]){ "x", NULL }, (tw_npy *[]){ x });
    tw_npy_free(x);
    return failed;
}
