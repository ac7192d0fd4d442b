/* SPDX-License-Identifier: MIT */
/* A row of 512 numbers on each of 1,472 tiles, doubled ten times; then the profile of what that cost.
 *
 *     tilewright run scale_host.c
 *
 * prints: x[1471][511] = 1024
 * prints: Number of vertices:
 * prints: 1,472
 * prints: Cycles by vertex type:
 * prints: Scale
 */
#include <tilewright/tilewright.h>

static float host_x[1472][512];

int main(void)
{
    for (int row = 0; row < 1472; row++)
        for (int i = 0; i < 512; i++) host_x[row][i] = 1;

    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(g, "scale.c", NULL); /* compiled on the spot, cached */

    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 1472, 512 }, "x");
    tw_graph_map_linearly(g, x);
    tw_compute_set cs = tw_graph_add_compute_set(g, "scale");
    for (int tile = 0; tile < 1472; tile++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, "Scale", tile);
        tw_graph_connect(g, v, "data", tw_tensor_slice(g, x, 0, tile, tile + 1));
        tw_graph_set_field(g, v, "factor", 2.0f);
    }
    tw_graph_create_host_access(g, "x", x); /* only named handles can be read or written */
    tw_engine *e = tw_engine_new(g, tw_program_repeat(g, 10, tw_program_execute(g, cs)), NULL);
    if (tw_engine_load(e, dev) != TW_OK) /* one check for all of the above */
        return tw_engine_report_error(stderr, e), 1;
    tw_engine_write(e, "x", host_x, sizeof host_x);
    tw_engine_run(e, 0);
    tw_engine_read(e, "x", host_x, sizeof host_x);
    printf("x[1471][511] = %g\n", host_x[1471][511]);
    tw_profile_print_summary(tw_engine_profile(e), stdout, NULL);

    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return 0;
}
