/* SPDX-License-Identifier: MIT */
/* The 16 largest by the library.
 *
 * run: tilewright run -ltilewright_poplibs --profile {profile} ipu.c {device} {x:n} {out:16}
 */
#include "../ipu.h"

#include <tilewright/poplibs.h>

int main(int argc, char **argv)
{
    if (argc != 4) return fprintf(stderr, "usage: ipu CHIP x.npy out.npy\n"), 2;
    tw_npy *x = read_array(argv[2]);
    tw_device *device = open_chip(argv[1]);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    const tw_top_k best = { .k = 16, .largest = true, .order = TW_SORT_DESCENDING };
    tw_tensor tx = tw_popops_create_top_k_input(g, TW_FLOAT, 1, x->shape, &best, "x");
    tw_graph_create_host_write(g, "x", tx);
    tw_program steps = tw_program_sequence(g, NULL);
    tw_sorted found = tw_popops_top_k(g, tx, (tw_tensor){ 0 }, &best, steps, "best");
    int failed =
        run_and_write(device, g, steps, found.keys, argv[3], (const char *[]){ "x", NULL }, (tw_npy *[]){ x });
    tw_npy_free(x);
    return failed;
}
