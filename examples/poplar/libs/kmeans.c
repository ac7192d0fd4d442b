/* SPDX-License-Identifier: MIT */
/* K-means in C: points around four places are sorted into clusters. A round of the device's loop is a product for the
 * distances, the least of each row, and a product of its code with the points for the new middles.
 *
 *     cc kmeans.c $(pkg-config --cflags --libs tilewright_poplibs) -lm
 *
 * prints: 400 points at (1.0, 1.0), (5.0, 1.0), (1.0, 5.0), (5.0, 5.0): 100 100 100 100
 */
#include <tilewright/poplibs.h>
#include <tilewright/tilewright.h>

#include <math.h>
#include <stdlib.h>

enum { POINTS = 400, CLUSTERS = 4, DIMS = 2, ROUNDS = 12 };
#define SHAPE(...)                                                             \
    (unsigned)(sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t)), (size_t[]) \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

/* Points that lie evenly around each place, at two distances; the first middles are four of them. */
static void make_points(float points[POINTS][DIMS], float middles[CLUSTERS][DIMS])
{
    static const float place[CLUSTERS][DIMS] = { { 1, 1 }, { 5, 1 }, { 1, 5 }, { 5, 5 } };
    for (int i = 0; i < POINTS; i++) {
        double angle = 2 * 3.14159265358979 * (i / CLUSTERS) / (POINTS / CLUSTERS),
               far = 0.3 + 0.7 * (i / CLUSTERS % 2);
        points[i][0] = place[i % CLUSTERS][0] + (float)(far * cos(angle));
        points[i][1] = place[i % CLUSTERS][1] + (float)(far * sin(angle));
    }
    for (int c = 0; c < CLUSTERS; c++)
        for (int d = 0; d < DIMS; d++) middles[c][d] = points[5 * c][d];
}

/* Squares of distances [POINTS][CLUSTERS], without that of the point, which is the same for all. */
static tw_tensor distances(tw_graph *g, tw_tensor points, tw_tensor middles, tw_program p)
{
    tw_reduce_params squares = { .op = TW_REDUCE_SQUARE_ADD };
    tw_tensor both =
        tw_poplin_matmul(g, points, tw_tensor_transpose(g, middles), TW_TYPE_NONE, p, "products", NULL);
    tw_tensor own = tw_popops_reduce(g, middles, TW_TYPE_NONE, 1, (size_t[]){ 1 }, &squares, p, "squares", NULL);
    return tw_popops_map(g, "_2 - 2 * _1", 2, (tw_tensor[]){ both, own }, p, "distances", NULL);
}

int main(void)
{
    tw_device *dev = tw_device_by_name(getenv("TILEWRIGHT_DEVICE") ? NULL : "cpu", TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor points = tw_graph_add_variable(g, TW_FLOAT, SHAPE(POINTS, DIMS), "points");
    tw_tensor middles = tw_graph_add_variable(g, TW_FLOAT, SHAPE(CLUSTERS, DIMS), "middles");
    tw_tensor code = tw_graph_add_variable(g, TW_FLOAT, SHAPE(POINTS, CLUSTERS), "code");
    tw_poputil_map_linearly(g, points), tw_poputil_map_linearly(g, middles), tw_poputil_map_linearly(g, code);
    tw_program round = tw_program_sequence(g, "round");
    tw_sorted nearest = tw_popnn_min_and_arg_min(g, distances(g, points, middles, round), round, "nearest");
    tw_popops_one_hot(g, nearest.values, code, (tw_tensor){ 0, 0 }, (tw_tensor){ 0, 0 }, round, "code");
    tw_tensor sums = tw_poplin_matmul(g, tw_tensor_transpose(g, code), points, TW_TYPE_NONE, round, "sums", NULL);
    tw_tensor counts = tw_popops_reduce(g, code, TW_TYPE_NONE, 1, (size_t[]){ 0 }, NULL, round, "counts", NULL);
    tw_tensor column = tw_tensor_reshape(g, counts, SHAPE(CLUSTERS, 1));
    tw_popops_map_with_output(g, "select(_1 / _2, 0, _2 > 0)", 2, (tw_tensor[]){ sums, column }, middles, round,
                              "middles", NULL);
    tw_graph_create_host_write(g, "points", points);
    tw_graph_create_host_access(g, "middles", middles);
    tw_graph_create_host_read(g, "counts", counts);
    tw_engine *e = tw_engine_new(g, tw_program_repeat(g, ROUNDS, round), NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    static float data[POINTS][DIMS], found[CLUSTERS][DIMS], many[CLUSTERS];
    make_points(data, found);
    tw_engine_write(e, "points", data, sizeof data);
    tw_engine_write(e, "middles", found, sizeof found);
    if (tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_read(e, "middles", found, sizeof found);
    tw_engine_read(e, "counts", many, sizeof many);
    printf("%d points at", POINTS);
    for (int c = 0; c < CLUSTERS; c++)
        printf("%s (%.1f, %.1f)", c ? "," : "", (double)found[c][0], (double)found[c][1]);
    printf(": %g %g %g %g\n", (double)many[0], (double)many[1], (double)many[2], (double)many[3]);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return 0;
}
