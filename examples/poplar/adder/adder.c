/* SPDX-License-Identifier: MIT */
/* The smallest graph: one vertex that adds two numbers, on tile 0 of a simulated IPU.
 *
 *     tilewright run adder.c 3 4
 *
 * prints: 3 + 4 = 7
 */
#include <stdlib.h>
#include <tilewright/tilewright.h>

int main(int argc, char **argv)
{
    float in[2] = { argc > 1 ? strtof(argv[1], NULL) : 3, argc > 2 ? strtof(argv[2], NULL) : 4 }, out = 0;

    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(g, "adder_codelets.cpp", NULL); /* compiled on the spot, cached */

    /* Three variables of one element each, on the tile where the vertex runs. */
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "x");
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "y");
    tw_tensor sum = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "sum");
    tw_graph_map(g, x, 0);
    tw_graph_map(g, y, 0);
    tw_graph_map(g, sum, 0);

    tw_compute_set cs = tw_graph_add_compute_set(g, "add");
    tw_vertex adder = tw_graph_add_vertex(g, cs, "Plus", 0);
    tw_graph_connect(g, adder, "left", x);
    tw_graph_connect(g, adder, "right", y);
    tw_graph_connect(g, adder, "total", sum);

    tw_graph_create_host_write(g, "x", x); /* only named handles can be written and read */
    tw_graph_create_host_write(g, "y", y);
    tw_graph_create_host_read(g, "sum", sum);

    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    if (tw_engine_load(e, dev) != TW_OK) /* one check for all of the above */
        return tw_engine_report_error(stderr, e), 1;
    tw_engine_write(e, "x", &in[0], sizeof in[0]);
    tw_engine_write(e, "y", &in[1], sizeof in[1]);
    if (tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_read(e, "sum", &out, sizeof out);
    printf("%g + %g = %g\n", in[0], in[1], out);

    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return out == in[0] + in[1] ? 0 : 1;
}
