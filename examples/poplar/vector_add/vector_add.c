/* SPDX-License-Identifier: MIT */
/* Adds two vectors of a million integers: a MultiVertex on each tile, six workers in each.
 *
 * prints: 1000000 elements on 1472 tiles, 6 workers each: all sums are right
 */
#include <stdlib.h>
#include <tilewright/tilewright.h>

enum { N = 1000000 };

int main(void)
{
    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    const tw_target *target = tw_device_target(dev);
    unsigned tiles = tw_target_tiles(target);
    tw_graph *g = tw_graph_new(target);
    tw_graph_add_codelets(g, "vector_add_codelets.cpp", "-O3");

    size_t shape[] = { N };
    tw_tensor a = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, shape, "a");
    tw_tensor b = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, shape, "b");
    tw_tensor c = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, shape, "c");

    /* The same piece of all three vectors on one tile: nothing has to be exchanged. */
    tw_compute_set cs = tw_graph_add_compute_set(g, "add");
    for (unsigned tile = 0; tile < tiles; tile++) {
        size_t begin = (size_t)N * tile / tiles, end = (size_t)N * (tile + 1) / tiles;
        tw_tensor piece[] = { tw_tensor_slice(g, a, 0, begin, end), tw_tensor_slice(g, b, 0, begin, end),
                              tw_tensor_slice(g, c, 0, begin, end) };
        tw_vertex v = tw_graph_add_vertex(g, cs, "PlusShared", tile);
        tw_graph_connect(g, v, "left", piece[0]);
        tw_graph_connect(g, v, "right", piece[1]);
        tw_graph_connect(g, v, "total", piece[2]);
        for (int i = 0; i < 3; i++) tw_graph_map(g, piece[i], tile);
    }
    tw_graph_create_host_write(g, "a", a);
    tw_graph_create_host_write(g, "b", b);
    tw_graph_create_host_read(g, "c", c);

    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    uint32_t *data = malloc(3 * N * sizeof *data), *x = data, *y = data + N, *sum = data + 2 * N;
    if (!data) return perror("vector_add"), 1;
    for (uint32_t i = 0; i < N; i++) x[i] = i, y[i] = i * 2654435761u;
    tw_engine_write(e, "a", x, N * sizeof *x);
    tw_engine_write(e, "b", y, N * sizeof *y);
    if (tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_read(e, "c", sum, N * sizeof *sum);

    int wrong = 0;
    for (uint32_t i = 0; i < N; i++) wrong += sum[i] != x[i] + y[i];
    printf("%d elements on %u tiles, %u workers each: ", N, tiles, tw_target_worker_contexts(target));
    if (wrong)
        printf("%d sums are wrong\n", wrong);
    else
        puts("all sums are right");

    free(data);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return wrong != 0;
}
