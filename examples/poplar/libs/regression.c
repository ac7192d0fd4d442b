/* SPDX-License-Identifier: MIT */
/* The libraries in C: a line through noisy points by gradient descent, all of it on the device.
 *
 *     cc regression.c $(pkg-config --cflags --libs tilewright_poplibs)
 *
 * prints: y = 3.00 x + 0.50 after 200 steps
 */
#include <tilewright/poplibs.h>
#include <tilewright/tilewright.h>

enum { POINTS = 64, STEPS = 200 };

int main(void)
{
    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    size_t rows[] = { POINTS, 2 }, one[] = { 2, 1 };
    tw_tensor x = tw_poplin_create_matmul_lhs(g, TW_FLOAT, 2, rows, one, "x", NULL);
    tw_tensor w = tw_poplin_create_matmul_rhs(g, TW_FLOAT, 2, rows, one, "w", NULL);
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ POINTS, 1 }, "y");
    tw_poputil_map_linearly(g, y);

    /* w -= rate * x' (x w - y), again and again */
    tw_program step = tw_program_sequence(g, "step");
    tw_tensor guess = tw_poplin_matmul(g, x, w, TW_TYPE_NONE, step, "guess", NULL);
    tw_tensor error = tw_popops_sub(g, guess, y, step, "error", NULL);
    tw_tensor slope = tw_poplin_matmul(g, tw_tensor_transpose(g, x), error, TW_TYPE_NONE, step, "slope", NULL);
    tw_popops_scaled_subtract(g, w, (tw_scale){ .number = 1 }, slope, (tw_scale){ .number = 0.02 }, step, "update",
                              NULL);

    tw_program all = tw_program_sequence(g, NULL);
    tw_popops_zero(g, w, all, "start");
    tw_program_sequence_add(g, all, tw_program_repeat(g, STEPS, step));
    tw_graph_create_host_write(g, "x", x);
    tw_graph_create_host_write(g, "y", y);
    tw_graph_create_host_read(g, "w", w);
    tw_engine *e = tw_engine_new(g, all, NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;

    float points[POINTS][2], values[POINTS], line[2];
    for (int i = 0; i < POINTS; i++) {
        float at = (float)i / POINTS;
        points[i][0] = at, points[i][1] = 1;
        values[i] = 3 * at + 0.5f + (i % 2 ? 0.01f : -0.01f);
    }
    tw_engine_write(e, "x", points, sizeof points);
    tw_engine_write(e, "y", values, sizeof values);
    if (tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_read(e, "w", line, sizeof line);
    printf("y = %.2f x + %.2f after %d steps\n", line[0], line[1], STEPS);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return 0;
}
