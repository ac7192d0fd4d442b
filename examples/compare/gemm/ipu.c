/* SPDX-License-Identifier: MIT */
/* C = A B by the library, which cuts the product for tiles and for their matrix units; inputs lie as its plan reads
 * them.
 *
 * run: tilewright run -ltilewright_poplibs --profile {profile} ipu.c {device} {a:n,n} {b:n,n} {out:n,n}
 */
#include "../ipu.h"

#include <tilewright/poplibs.h>

int main(int argc, char **argv)
{
    if (argc != 5) return fprintf(stderr, "usage: ipu CHIP a.npy b.npy out.npy\n"), 2;
    tw_npy *a = read_array(argv[2]), *b = read_array(argv[3]);
    tw_device *device = open_chip(argv[1]);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_tensor ta = tw_poplin_create_matmul_lhs(g, TW_FLOAT, 2, a->shape, b->shape, "a", NULL);
    tw_tensor tb = tw_poplin_create_matmul_rhs(g, TW_FLOAT, 2, a->shape, b->shape, "b", NULL);
    tw_graph_create_host_write(g, "a", ta), tw_graph_create_host_write(g, "b", tb);
    tw_program steps = tw_program_sequence(g, NULL);
    tw_tensor c = tw_poplin_matmul(g, ta, tb, TW_TYPE_NONE, steps, "c", NULL);
    int failed =
        run_and_write(device, g, steps, c, argv[4], (const char *[]){ "a", "b", NULL }, (tw_npy *[]){ a, b });
    tw_npy_free(a), tw_npy_free(b);
    return failed;
}
