/* SPDX-License-Identifier: MIT */
/* Inner products of halves on the matrix units: on each of two simulated tiles a supervisor vertex loads weights that
 * all workers share, and starts them.
 *
 *     tilewright run dot.c
 *
 * prints: 40 vectors, 320 inner products are right
 */
#include <math.h>
#include <string.h>
#include <tilewright/tilewright.h>

enum { TILES = 2, VECTORS = 20, ROWS = 8, DEPTH = 16 };

static float weights[TILES][ROWS][DEPTH], x[TILES][VECTORS][DEPTH], y[TILES][VECTORS][ROWS];

static tw_tensor variable(tw_graph *g, tw_type type, size_t rows, size_t columns, const char *name)
{
    tw_tensor t = tw_graph_add_variable(g, type, 3, (size_t[]){ TILES, rows, columns }, name);
    for (unsigned tile = 0; tile < TILES; tile++) tw_graph_map(g, tw_tensor_index(g, t, tile), tile);
    tw_graph_create_host_access(g, name, t);
    return t;
}

static void write_halves(tw_engine *e, const tw_target *target, const char *name, const float *values, size_t count)
{
    uint16_t halves[TILES * VECTORS * DEPTH];
    tw_target_copy_float_to_half(target, values, halves, count);
    tw_engine_write(e, name, halves, count * sizeof *halves);
}

int main(void)
{
    tw_device *dev =
        tw_device_ipu_sim_with(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = TILES });
    const tw_target *target = tw_device_target(dev);
    tw_graph *g = tw_graph_new(target);
    tw_graph_add_codelets(g, "dot.cpp", NULL);
    tw_graph_add_codelets(g, "dot.S", NULL);
    tw_tensor w = variable(g, TW_HALF, ROWS, DEPTH, "weights"), in = variable(g, TW_HALF, VECTORS, DEPTH, "x"),
              out = variable(g, TW_FLOAT, VECTORS, ROWS, "y");
    tw_compute_set cs = tw_graph_add_compute_set(g, "dot");
    for (unsigned tile = 0; tile < TILES; tile++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, "AmpDot", tile);
        tw_graph_connect(g, v, "weights", tw_tensor_flatten(g, tw_tensor_index(g, w, tile)));
        tw_graph_connect(g, v, "x", tw_tensor_flatten(g, tw_tensor_index(g, in, tile)));
        tw_graph_connect(g, v, "y", tw_tensor_flatten(g, tw_tensor_index(g, out, tile)));
        tw_graph_set_field_int(g, v, "count", VECTORS);
    }
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;

    float *values = &weights[0][0][0], *vectors = &x[0][0][0]; /* small multiples of 1/8: every sum is exact */
    for (int i = 0; i < TILES * ROWS * DEPTH; i++) values[i] = (float)(i * 7 % 31 - 15) / 8;
    for (int i = 0; i < TILES * VECTORS * DEPTH; i++) vectors[i] = (float)(i * 11 % 37 - 18) / 8;
    write_halves(e, target, "weights", values, TILES * ROWS * DEPTH);
    write_halves(e, target, "x", vectors, TILES * VECTORS * DEPTH);
    if (tw_engine_run(e, 0) != TW_OK) return fprintf(stderr, "%s\n", tw_error_message()), 1;
    tw_engine_read(e, "y", y, sizeof y);
    int right = 0;
    for (int tile = 0; tile < TILES; tile++)
        for (int v = 0; v < VECTORS; v++)
            for (int row = 0; row < ROWS; row++) {
                float sum = 0;
                for (int k = 0; k < DEPTH; k++) sum += weights[tile][row][k] * x[tile][v][k];
                right += sum == y[tile][v][row];
            }
    printf("%d vectors, %d inner products are right\n", TILES * VECTORS, right);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return 0;
}
