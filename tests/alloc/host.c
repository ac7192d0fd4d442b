/* SPDX-License-Identifier: MIT */
/* A host program: exchange, streams, control, printing and a profile on a chip of four tiles. Argument: the codelets
 * of examples/poplar/scale. */
#include <tilewright/tilewright.h>

enum { TILES = 4, N = 64 };

static tw_program build(tw_graph *g, const char *codelets)
{
    tw_graph_add_codelets(g, codelets, NULL);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ TILES, N }, "x"),
              turned = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ N, TILES }, "turned");
    tw_graph_map_linearly(g, x);
    tw_graph_map_linearly(g, turned);
    tw_compute_set cs = tw_graph_add_compute_set(g, "scale");
    for (unsigned tile = 0; tile < TILES; tile++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, "Scale", tile);
        tw_graph_connect(g, v, "data", tw_tensor_slice(g, x, 0, tile, tile + 1));
        tw_graph_set_field(g, v, "factor", 2.0f);
    }
    tw_graph_create_host_access(g, "x", x);
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_FLOAT, TILES * N, TW_STREAM_REPLICATE, NULL);
    tw_program all = tw_program_sequence(g, "all");
    tw_program_sequence_add(g, all, tw_program_copy_from_stream(g, in, x));
    tw_program_sequence_add(g, all, tw_program_repeat(g, 3, tw_program_execute(g, cs)));
    tw_program_sequence_add(g, all, tw_program_copy(g, tw_tensor_transpose(g, x), turned));
    tw_program_sequence_add(g, all,
                            tw_program_print_tensor(g, "turned", tw_tensor_slice(g, turned, 0, 0, 2), NULL));
    return all;
}

static bool run(tw_engine *e, tw_device *device)
{
    static float in[TILES * N], out[TILES * N];
    for (int i = 0; i < TILES * N; i++) in[i] = (float)i;
    if (tw_engine_load(e, device) != TW_OK || tw_engine_connect_stream(e, "in", in, sizeof in) != TW_OK)
        return false;
    if (tw_engine_run(e, 0) != TW_OK || tw_engine_read(e, "x", out, sizeof out) != TW_OK) return false;
    printf("x[3][63] = %g\n", (double)out[TILES * N - 1]);
    const tw_profile *profile = tw_engine_profile(e);
    return profile && tw_profile_print_summary(profile, stdout, NULL) == TW_OK;
}

int main(int argc, char **argv)
{
    tw_device *whole = argc > 1 ? tw_device_ipu_model(TW_MK2, 1) : NULL,
              *device = whole ? tw_device_virtual(whole, TILES) : NULL;
    tw_graph *g = device ? tw_graph_new(tw_device_target(device)) : NULL;
    tw_engine *e = g ? tw_engine_new(g, build(g, argv[1]), NULL) : NULL;
    bool good = e && run(e, device);
    if (!good && (!e || tw_engine_report_error(stderr, e) == TW_OK))
        fprintf(stderr, "host: %s\n", tw_error_message());
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
    tw_device_free(whole);
    return !good;
}
