/* SPDX-License-Identifier: MIT */
/* The adder with a codelet compiled beforehand: no source, and no compiler, is needed when the program runs.
 *
 *     popc ../adder/adder_codelets.cpp -o adder_codelets.gp
 *     tilewright run adder_popc.c adder_codelets.gp
 *
 * prints: 1.5 + 2.25 = 3.75
 */
#include <tilewright/tilewright.h>

int main(int argc, char **argv)
{
    static const char *const fields[] = { "left", "right", "total" };
    float values[3] = { 1.5f, 2.25f, 0 };

    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(g, argc > 1 ? argv[1] : "adder_codelets.gp", NULL); /* the same call as for sources */

    tw_compute_set cs = tw_graph_add_compute_set(g, "add");
    tw_vertex adder = tw_graph_add_vertex(g, cs, "Plus", 0);
    for (int i = 0; i < 3; i++) {
        tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, fields[i]);
        tw_graph_map(g, t, 0);
        tw_graph_connect(g, adder, fields[i], t);
        tw_graph_create_host_access(g, fields[i], t);
    }

    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    for (int i = 0; i < 2; i++) tw_engine_write(e, fields[i], &values[i], sizeof values[i]);
    if (tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_read(e, "total", &values[2], sizeof values[2]);
    printf("%g + %g = %g\n", values[0], values[1], values[2]);

    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return values[2] == 3.75f ? 0 : 1;
}
