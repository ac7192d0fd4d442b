/* SPDX-License-Identifier: MIT */
/* A MultiVertex in assembly: six workers that divide by six (Poplar user guide, 7.5.3), compared with a codelet in
 * C++ in the same graph. On the IPU Model a vertex that exists only in assembly runs in the simulator, others
 * natively.
 *
 *     tilewright run split.c
 *
 * prints: SquareByTile: 48 lengths as in C++
 * prints: SquareByHost: 48 lengths as in C++
 * prints: SquareByTile
 */
#include <string.h>
#include <tilewright/tilewright.h>

enum { LENGTHS = 48 };

static int in[LENGTHS][LENGTHS];

static tw_tensor variable(tw_graph *g, const char *name)
{
    tw_tensor t = tw_graph_add_variable(g, TW_INT, 2, (size_t[]){ LENGTHS, LENGTHS }, name);
    for (unsigned n = 0; n < LENGTHS; n++) tw_graph_map(g, tw_tensor_index(g, t, n), n % 4);
    tw_graph_create_host_access(g, name, t);
    return t;
}

/* A vertex of this type for each length: element i of row n is written for i < n. */
static tw_program squares(tw_graph *g, const char *type, tw_tensor from, tw_tensor to)
{
    tw_compute_set cs = tw_graph_add_compute_set(g, type);
    for (unsigned n = 1; n < LENGTHS; n++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, type, n % 4);
        tw_graph_connect(g, v, "in", tw_tensor_slice(g, tw_tensor_index(g, from, n), 0, 0, n));
        tw_graph_connect(g, v, "out", tw_tensor_slice(g, tw_tensor_index(g, to, n), 0, 0, n));
        if (strcmp(type, "SquareByHost") == 0) tw_graph_set_field_int(g, v, "share", n / 6 << 3 | n % 6);
    }
    return tw_program_execute(g, cs);
}

int main(void)
{
    static const char *const types[] = { "Square", "SquareByTile", "SquareByHost" };
    static int out[3][LENGTHS][LENGTHS];
    tw_device *dev = tw_device_ipu_model_with(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = 4 });
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(g, "split.cpp", NULL);
    tw_graph_add_codelets(g, "split.S", NULL);
    tw_tensor x = variable(g, "in");
    tw_program all = tw_program_sequence(g, "all");
    for (int t = 0; t < 3; t++) tw_program_sequence_add(g, all, squares(g, types[t], x, variable(g, types[t])));
    tw_engine *e = tw_engine_new(g, all, NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    for (int i = 0; i < LENGTHS * LENGTHS; i++) in[i / LENGTHS][i % LENGTHS] = 1000 * (i % LENGTHS) - i;
    tw_engine_write(e, "in", in, sizeof in);
    for (int t = 0; t < 3; t++) tw_engine_write(e, types[t], out[t], sizeof out[t]);
    if (tw_engine_run(e, 0) != TW_OK) return fprintf(stderr, "%s\n", tw_error_message()), 1;
    for (int t = 0; t < 3; t++) tw_engine_read(e, types[t], out[t], sizeof out[t]);
    for (int t = 1; t < 3; t++) {
        int same = 0;
        for (int n = 0; n < LENGTHS; n++) same += !memcmp(out[t][n], out[0][n], sizeof out[0][n]);
        printf("%s: %d lengths as in C++\n", types[t], same);
    }
    tw_profile_print_summary(tw_engine_profile(e), stdout, NULL);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return 0;
}
