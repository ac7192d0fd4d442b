/* SPDX-License-Identifier: MIT */
/* Multiplies two matrices from .npy files into a third, on the 1,472 tiles of a simulated IPU.
 *
 *     tilewright run matmul.c a.npy b.npy c.npy
 *     tilewright run matmul.c --make 301 203 257 a.npy b.npy     makes a pair to try it with
 *
 * C is cut into a grid of blocks, one for each tile. A block needs some rows of A and some columns of B: connecting
 * them is all there is to do, the engine exchanges them before the vertices run.
 *
 * prints: 301 x 203 x 257 on
 * prints: largest difference from the product in double precision:
 */
#include "npy.h"

#include <math.h>
#include <tilewright/tilewright.h>

static int make(char **argv)
{
    size_t size[3];
    for (int i = 0; i < 3; i++) size[i] = strtoul(argv[i], NULL, 10);
    matrix m[2] = { npy_new(size[0], size[1]), npy_new(size[1], size[2]) };
    uint32_t state = 1;
    for (int i = 0; i < 2; i++) {
        if (!m[i].data) return perror("matmul"), 1;
        for (size_t k = 0; k < m[i].rows * m[i].cols; k++) {
            state = state * 1664525 + 1013904223;
            m[i].data[k] = (float)(state >> 8) / (1 << 23) - 1; /* -1 to 1 */
        }
        if (!npy_write(argv[3 + i], &m[i])) return 1;
        free(m[i].data);
    }
    return 0;
}

/* Blocks down and across: at most `tiles` of them, as square as the matrix allows. */
static void choose_grid(unsigned tiles, size_t rows, size_t cols, size_t *down, size_t *across)
{
    *down = (size_t)sqrt((double)tiles * rows / cols);
    if (*down < 1) *down = 1;
    if (*down > rows) *down = rows;
    if (*down > tiles) *down = tiles;
    *across = tiles / *down < cols ? tiles / *down : cols;
}

static tw_program multiply(tw_graph *g, tw_tensor a, tw_tensor b, tw_tensor c)
{
    size_t rows = tw_tensor_dim(g, c, 0), cols = tw_tensor_dim(g, c, 1), inner = tw_tensor_dim(g, a, 1), down,
           across;
    choose_grid(tw_target_tiles(tw_graph_target(g)), rows, cols, &down, &across);
    tw_compute_set cs = tw_graph_add_compute_set(g, "matmul");
    for (size_t i = 0; i < down; i++)
        for (size_t j = 0; j < across; j++) {
            unsigned tile = (unsigned)(i * across + j);
            size_t top = rows * i / down, bottom = rows * (i + 1) / down;
            size_t left = cols * j / across, right = cols * (j + 1) / across;
            tw_tensor block = tw_tensor_slice_nd(g, c, (size_t[]){ top, left }, (size_t[]){ bottom, right });
            tw_graph_map(g, block, tile);
            tw_vertex v = tw_graph_add_vertex(g, cs, "MatMulBlock", tile);
            tw_graph_connect(g, v, "a", tw_tensor_flatten(g, tw_tensor_slice(g, a, 0, top, bottom)));
            tw_graph_connect(g, v, "b", tw_tensor_flatten(g, tw_tensor_slice(g, b, 1, left, right)));
            tw_graph_connect(g, v, "c", tw_tensor_flatten(g, block));
            tw_graph_set_field_int(g, v, "inner", (int64_t)inner);
            tw_graph_set_field_int(g, v, "cols", (int64_t)(right - left));
        }
    printf("%zu x %zu x %zu on %zu x %zu tiles\n", rows, inner, cols, down, across);
    return tw_program_execute(g, cs);
}

static tw_tensor add_matrix(tw_graph *g, const matrix *m, const char *name)
{
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ m->rows, m->cols }, name);
    tw_graph_create_host_access(g, name, t);
    return t;
}

/* Largest difference from the product in double precision on the host. */
static double largest_error(const matrix *a, const matrix *b, const matrix *c)
{
    double worst = 0;
    for (size_t i = 0; i < c->rows; i++)
        for (size_t j = 0; j < c->cols; j++) {
            double sum = 0;
            for (size_t k = 0; k < a->cols; k++) sum += (double)a->data[i * a->cols + k] * b->data[k * b->cols + j];
            worst = fmax(worst, fabs(sum - c->data[i * c->cols + j]));
        }
    return worst;
}

int main(int argc, char **argv)
{
    matrix a, b, c;
    if (argc == 7 && strcmp(argv[1], "--make") == 0) return make(argv + 2);
    if (argc != 4)
        return fprintf(stderr, "usage: matmul a.npy b.npy c.npy | --make rows inner cols a.npy b.npy\n"), 2;
    if (!npy_read(argv[1], &a) || !npy_read(argv[2], &b)) return 1;
    if (a.cols != b.rows || !a.rows || !a.cols || !b.cols)
        return fprintf(stderr, "cannot multiply %zu x %zu by %zu x %zu\n", a.rows, a.cols, b.rows, b.cols), 1;
    c = npy_new(a.rows, b.cols);
    if (!c.data) return perror("matmul"), 1;

    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(g, "matmul_codelets.cpp", "-O3");
    tw_tensor ta = add_matrix(g, &a, "a"), tb = add_matrix(g, &b, "b"), tc = add_matrix(g, &c, "c");
    tw_graph_map_linearly(g, ta);
    tw_graph_map_linearly(g, tb);
    tw_engine *e = tw_engine_new(g, multiply(g, ta, tb, tc), NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_write(e, "a", a.data, a.rows * a.cols * sizeof(float));
    tw_engine_write(e, "b", b.data, b.rows * b.cols * sizeof(float));
    if (tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_read(e, "c", c.data, c.rows * c.cols * sizeof(float));
    if (!npy_write(argv[3], &c)) return 1;
    free(c.data);
    if (!npy_read(argv[3], &c)) return 1; /* what is checked below is what the file holds */

    /* A float sum of `inner` products of numbers up to 1 is off by at most about inner * 2^-24 * inner. */
    double error = largest_error(&a, &b, &c), largest = 0;
    for (size_t i = 0; i < a.rows * a.cols; i++) largest = fmax(largest, fabs(a.data[i]));
    for (size_t i = 0; i < b.rows * b.cols; i++) largest = fmax(largest, fabs(b.data[i]));
    bool right = error <= largest * largest * (double)a.cols * (double)a.cols * 0x1p-24;
    printf("largest difference from the product in double precision: %.2g%s\n", error, right ? "" : ": WRONG");
    tw_profile_totals totals;
    if (tw_profile_get_totals(tw_engine_profile(e), &totals) == TW_OK)
        printf("%llu cycles (%s)\n", (unsigned long long)totals.cycles, tw_fidelity_name(totals.fidelity));

    free(a.data), free(b.data), free(c.data);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return !right;
}
