/* SPDX-License-Identifier: MIT */
/* Programs whose ranks are not alike, for ranks_test.sh: the argument says in what. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/tilewright.h>

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int odd = tw_world_rank() == 1;
    tw_ipu_model model = { .size = sizeof model, .num_ipus = 4, .tiles_per_ipu = 4 };
    tw_device *device = tw_device_ipu_model_with(&model);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    size_t shape[] = { 40 + (odd && !strcmp(how, "shape")) };
    tw_tensor a = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 40 }, "first");
    tw_tensor b = tw_graph_add_variable(g, TW_INT, 1, shape, odd && !strcmp(how, "name") ? "other" : "second");
    tw_graph_map_linearly_with(g, a, 1, 1, 0);
    tw_graph_map_linearly_with(g, b, 1, 1, odd && !strcmp(how, "mapping"));
    tw_graph_create_host_access(g, "first", a);
    tw_graph_create_host_read(g, "second", b);
    tw_program copy = tw_program_copy(g, a, tw_tensor_slice(g, b, 0, 0, 40));
    if (odd && !strcmp(how, "program")) copy = tw_program_repeat(g, 2, copy);
    static const char *const verified[] = { "mpi.verify=true", NULL };
    tw_engine *e = tw_engine_new(g, copy, strcmp(how, "values") ? NULL : verified);
    static int values[41];
    for (int i = 0; i < 40; i++) values[i] = i + (odd && !strcmp(how, "values"));
    tw_status s = tw_engine_load(e, device);
    if (!s) s = tw_engine_write(e, "first", values, 40 * sizeof *values);
    if (!s && !(odd && !strcmp(how, "call"))) s = tw_engine_run(e, 0);
    if (!s) s = tw_engine_read(e, "second", values, shape[0] * sizeof *values);
    if (s) fprintf(stderr, "[%u] error: %s\n", tw_world_rank(), tw_error_message());
    if (!s) printf("values %d to %d\n", values[0], values[39]);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    return s != TW_OK;
}
