/* SPDX-License-Identifier: MIT */
/* Products with blocks that are known, and softmax of such matrices, against loops over dense matrices in double; the
 * same bits for all mappings of one target; errors. */
#include "poplar/libs/libs_run.h"

enum { BLOCK_MOST = 1 << 15 };
typedef struct matrix { /* what a tensor holds: floats, and the same in the tensor's type */
    float f[BLOCK_MOST];
    uint16_t h[BLOCK_MOST];
} matrix;
static matrix left, right;
static float seen[BLOCK_MOST], again[BLOCK_MOST];

static void *drawn(matrix *m, tw_type type, size_t n, lcg *r)
{
    for (size_t i = 0; i < n; i++) {
        m->f[i] = (float)draw_real(r, -1, 1);
        m->h[i] = tw_f32_to_f16(m->f[i], TW_ROUND_NEAREST_EVEN, 0);
        if (type == TW_HALF) m->f[i] = tw_f16_to_f32(m->h[i]);
    }
    return type == TW_HALF ? (void *)m->h : m->f;
}
static double result(const void *data, tw_type type, size_t i)
{
    return type == TW_HALF ? (double)tw_f16_to_f32(((const uint16_t *)data)[i]) : (double)((const float *)data)[i];
}

typedef struct block_case {
    tw_block_sparse w;
    size_t m, count; /* rows of the dense matrix of a group; blocks */
    tw_type from, to;
    bool transposed;
    tw_sparse_triangle triangle;
    unsigned char mask[512];
} block_case;

static void draw_case(block_case *c, int i, lcg *r)
{
    size_t grid_rows = 1 + draw(r, 6), grid_columns = 1 + draw(r, 6);
    *c = (block_case){ .w = { 1 + draw(r, 3), 0, 0, 1 + draw(r, 9), 1 + draw(r, 9), NULL },
                       .m = 1 + draw(r, 30),
                       .from = i % 2 ? TW_HALF : TW_FLOAT,
                       .to = i % 4 > 1 ? TW_HALF : TW_FLOAT,
                       .transposed = i % 3 == 1,
                       .triangle = (tw_sparse_triangle)(i % 3) };
    c->w.rows = grid_rows * c->w.block_rows, c->w.columns = grid_columns * c->w.block_columns;
    for (size_t b = 0; b < c->w.groups * grid_rows * grid_columns; b++)
        c->count += c->mask[b] = draw(r, 100) < 20u + 20u * (unsigned)(i % 4);
    c->mask[0] = 1, c->count = 0; /* one at least */
    for (size_t b = 0; b < c->w.groups * grid_rows * grid_columns; b++) c->count += c->mask[b];
    c->w.mask = c->mask;
}

/* Place of an element among the blocks, SIZE_MAX: it is not there. */
static size_t place(const block_case *c, size_t group, size_t row, size_t column)
{
    const tw_block_sparse *w = &c->w;
    size_t across = w->columns / w->block_columns, before = 0;
    size_t own = (group * (w->rows / w->block_rows) + row / w->block_rows) * across + column / w->block_columns;
    if (!c->mask[own]) return SIZE_MAX;
    for (size_t b = 0; b < own; b++) before += c->mask[b];
    return (before * w->block_rows + row % w->block_rows) * w->block_columns + column % w->block_columns;
}
static bool cut(const block_case *c, size_t row, size_t column)
{
    return (c->triangle == TW_SPARSE_ZERO_UPPER && column > row) ||
           (c->triangle == TW_SPARSE_ZERO_LOWER && column < row);
}

static tw_tensor block_input(tw_graph *g, tw_type type, size_t rows, size_t columns, int way, lcg *r)
{
    tw_tensor t = tw_graph_add_variable(g, type, 2, (size_t[]){ rows, columns }, "in");
    map_somehow(g, t, way, r);
    return t;
}
static void same_or(const block_case *c, int way, size_t bytes)
{
    (void)c;
    if (way && memcmp(seen, again, bytes) != 0) fail_msg("other bits in mapping %d", way);
}

static void near(double is, double want, double size, tw_type type, const char *what, size_t i, size_t j)
{
    double room = type == TW_HALF ? fabs(want) * 0x1p-10 + size * 1e-6 + 1e-7 : size * 2e-6;
    if (!(fabs(is - want) <= room)) fail_msg("%s [%zu, %zu]: %.9g, not %.9g", what, i, j, is, want);
}

/* --- dense times blocks ----------------------------------------------------------------------------------------- */

static void run_dense_sparse(tw_device *dev, const block_case *c, int way, void *to)
{
    lcg r = { 7 }, places = { (uint64_t)way };
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    size_t across = c->transposed ? c->w.columns : c->w.rows, area = c->w.block_rows * c->w.block_columns;
    tw_tensor x = block_input(g, c->from, c->w.groups * c->m, across, way, &places);
    tw_tensor w = way ? block_input(g, c->from, c->count, area, way, &places)
                      : tw_popsparse_create_blocks(g, c->from, &c->w, "w");
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y = tw_popsparse_dense_sparse(g, x, &c->w, w, c->transposed, c->to, p, "y", NULL);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    assert_int_equal(tw_tensor_dim(g, y, 0), c->w.groups * c->m);
    void *a = drawn(&left, c->from, c->w.groups * c->m * across, &r),
         *b = drawn(&right, c->from, c->count * area, &r);
    run_once(g, dev, p, 3, (io[]){ { x, a, false }, { w, b, false }, { y, to, true } });
    tw_graph_free(g);
}

static void check_dense_sparse(const block_case *c)
{
    size_t out = c->transposed ? c->w.rows : c->w.columns, sum = c->transposed ? c->w.columns : c->w.rows;
    for (size_t i = 0; i < c->w.groups * c->m; i++)
        for (size_t j = 0; j < out; j++) {
            double want = 0, size = 0;
            for (size_t k = 0; k < sum; k++) {
                size_t at = place(c, i / c->m, c->transposed ? j : k, c->transposed ? k : j);
                if (at == SIZE_MAX) continue;
                double v = (double)left.f[i * sum + k] * right.f[at];
                want += v, size += fabs(v);
            }
            near(result(seen, c->to, i * out + j), want, size, c->to, "product", i, j);
        }
}

static void libs_dense_sparse(void **state)
{
    (void)state;
    lcg r = { 3 };
    for (int i = 0; i < 12; i++) {
        block_case c;
        draw_case(&c, i, &r);
        tw_device *dev = i % 3 == 2 ? tw_device_cpu_accurate_half() : model_device(i % 2 ? 9 : 64, 1);
        size_t out = c.transposed ? c.w.rows : c.w.columns;
        for (int way = 0; way < MAPPINGS; way++) {
            run_dense_sparse(dev, &c, way, way ? again : seen);
            same_or(&c, way, c.w.groups * c.m * out * tw_type_size(c.to));
        }
        check_dense_sparse(&c);
        tw_device_free(dev);
    }
}

/* --- blocks times dense ----------------------------------------------------------------------------------------- */

static void run_sparse_dense(tw_device *dev, const block_case *c, int way, void *to)
{
    lcg r = { 7 }, places = { (uint64_t)way };
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    size_t sum = c->transposed ? c->w.rows : c->w.columns, area = c->w.block_rows * c->w.block_columns;
    tw_tensor x = block_input(g, c->from, c->w.groups * sum, c->m, way, &places);
    tw_tensor w = block_input(g, c->from, c->count, area, way, &places);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y = tw_popsparse_sparse_dense(g, &c->w, w, x, c->transposed, c->to, p, "y", NULL);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    assert_int_equal(tw_tensor_dim(g, y, 1), c->m);
    void *a = drawn(&left, c->from, c->w.groups * sum * c->m, &r), *b = drawn(&right, c->from, c->count * area, &r);
    run_once(g, dev, p, 3, (io[]){ { x, a, false }, { w, b, false }, { y, to, true } });
    tw_graph_free(g);
}

static void check_sparse_dense(const block_case *c)
{
    size_t out = c->transposed ? c->w.columns : c->w.rows, sum = c->transposed ? c->w.rows : c->w.columns;
    for (size_t i = 0; i < c->w.groups * out; i++)
        for (size_t j = 0; j < c->m; j++) {
            double want = 0, size = 0;
            for (size_t k = 0, group = i / out; k < sum; k++) {
                size_t at = place(c, group, c->transposed ? k : i % out, c->transposed ? i % out : k);
                if (at == SIZE_MAX) continue;
                double v = (double)right.f[at] * left.f[(group * sum + k) * c->m + j];
                want += v, size += fabs(v);
            }
            near(result(seen, c->to, i * c->m + j), want, size, c->to, "product", i, j);
        }
}

static void libs_sparse_dense(void **state)
{
    (void)state;
    lcg r = { 5 };
    for (int i = 0; i < 6; i++) {
        block_case c;
        draw_case(&c, i, &r);
        tw_device *dev = model_device(i % 2 ? 9 : 64, 1);
        for (int way = 0; way < 2; way++) {
            run_sparse_dense(dev, &c, way, way ? again : seen);
            same_or(&c, way, c.w.groups * (c.transposed ? c.w.columns : c.w.rows) * c.m * tw_type_size(c.to));
        }
        check_sparse_dense(&c);
        tw_device_free(dev);
    }
}

/* --- blocks of a dense product ---------------------------------------------------------------------------------- */

static void run_dense_dense(tw_device *dev, const block_case *c, int way, void *to)
{
    lcg r = { 7 }, places = { (uint64_t)way };
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = block_input(g, c->from, c->w.groups * c->w.rows, c->m, way, &places);
    tw_tensor w = block_input(g, c->from, c->w.groups * c->m, c->w.columns, (way + 1) % MAPPINGS, &places);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y = tw_popsparse_dense_dense(g, x, w, &c->w, c->triangle, c->to, p, "y", NULL);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    assert_int_equal(tw_tensor_dim(g, y, 0), c->count);
    void *a = drawn(&left, c->from, c->w.groups * c->w.rows * c->m, &r),
         *b = drawn(&right, c->from, c->w.groups * c->m * c->w.columns, &r);
    run_once(g, dev, p, 3, (io[]){ { x, a, false }, { w, b, false }, { y, to, true } });
    tw_graph_free(g);
}

static void check_dense_dense(const block_case *c)
{
    for (size_t g = 0; g < c->w.groups; g++)
        for (size_t i = 0; i < c->w.rows; i++)
            for (size_t j = 0; j < c->w.columns; j++) {
                size_t at = place(c, g, i, j);
                double want = 0, size = 0;
                for (size_t k = 0; k < c->m && !cut(c, i, j); k++) {
                    double v =
                        (double)left.f[(g * c->w.rows + i) * c->m + k] * right.f[(g * c->m + k) * c->w.columns + j];
                    want += v, size += fabs(v);
                }
                if (at != SIZE_MAX) near(result(seen, c->to, at), want, size, c->to, "block", i, j);
            }
}

static void libs_dense_dense(void **state)
{
    (void)state;
    lcg r = { 4 };
    for (int i = 0; i < 12; i++) {
        block_case c;
        draw_case(&c, i, &r);
        tw_device *dev = model_device(i % 2 ? 9 : 64, 1);
        for (int way = 0; way < MAPPINGS; way++) {
            run_dense_dense(dev, &c, way, way ? again : seen);
            same_or(&c, way, c.count * c.w.block_rows * c.w.block_columns * tw_type_size(c.to));
        }
        check_dense_dense(&c);
        tw_device_free(dev);
    }
}

/* --- softmax ---------------------------------------------------------------------------------------------------- */

static double softmax[BLOCK_MOST];

/* Of left, into softmax[]: 0 where nothing counts. */
static void softmax_rows(const block_case *c)
{
    for (size_t i = 0; i < c->w.groups * c->w.rows; i++) {
        double sum = 0;
        for (int pass = 0; pass < 2; pass++)
            for (size_t j = 0; j < c->w.columns; j++) {
                size_t at = place(c, i / c->w.rows, i % c->w.rows, j);
                if (at == SIZE_MAX) continue;
                double e = cut(c, i % c->w.rows, j) ? 0 : exp((double)left.f[at]);
                if (pass)
                    softmax[at] = e > 0 ? e / sum : 0;
                else
                    sum += e;
            }
    }
}

static void check_softmax_gradient(const block_case *c, const void *y, const void *dx)
{
    for (size_t i = 0; i < c->w.groups * c->w.rows; i++) {
        double sum = 0;
        for (int pass = 0; pass < 2; pass++)
            for (size_t j = 0; j < c->w.columns; j++) {
                size_t at = place(c, i / c->w.rows, i % c->w.rows, j);
                if (at == SIZE_MAX) continue;
                double out = result(y, c->from, at), slope = right.f[at];
                if (!pass)
                    sum += out * slope;
                else
                    near(result(dx, c->from, at), out * (slope - sum), 4, c->from, "gradient", i, j);
            }
    }
}

static void libs_block_softmax(void **state)
{
    (void)state;
    static float y[BLOCK_MOST], in_place[BLOCK_MOST], dx[BLOCK_MOST];
    lcg r = { 5 };
    for (int i = 0; i < 12; i++) {
        block_case c;
        draw_case(&c, i, &r);
        tw_device *dev = model_device(i % 2 ? 9 : 64, 1);
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        size_t area = c.w.block_rows * c.w.block_columns, n = c.count * area;
        tw_tensor x = block_input(g, c.from, c.count, area, i % MAPPINGS, &r);
        tw_tensor slope = block_input(g, c.from, c.count, area, (i + 1) % MAPPINGS, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_tensor out = tw_popsparse_block_softmax(g, x, &c.w, c.triangle, p, "y");
        tw_popsparse_block_softmax_in_place(g, x, &c.w, c.triangle, p, "y");
        tw_tensor back = tw_popsparse_block_softmax_gradient(g, out, slope, &c.w, p, "dx");
        if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
        void *a = drawn(&left, c.from, n, &r), *b = drawn(&right, c.from, n, &r);
        run_once(g, dev, p, 5,
                 (io[]){ { x, a, false },
                         { slope, b, false },
                         { out, y, true },
                         { x, in_place, true },
                         { back, dx, true } });
        softmax_rows(&c);
        for (size_t k = 0; k < n; k++) near(result(y, c.from, k), softmax[k], 1, c.from, "softmax", k, 0);
        assert_memory_equal(y, in_place, n * tw_type_size(c.from));
        check_softmax_gradient(&c, y, dx);
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

/* --- errors ----------------------------------------------------------------------------------------------------- */

static void libs_block_refused(void **state)
{
    (void)state;
    static const unsigned char mask[6] = { 1, 0, 1, 1, 0, 0 };
    const tw_block_sparse w = { 1, 8, 12, 4, 4, mask }, uneven = { 1, 8, 12, 3, 4, mask },
                          none = { 1, 8, 12, 4, 4, NULL };
    const char *const unknown[] = { "partitionMethods=block", NULL }, *const value[] = { "partitionMethod=rows",
                                                                                         NULL };
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    lcg r = { 1 };
    tw_tensor x = block_input(g, TW_FLOAT, 5, 8, 0, &r), wide = block_input(g, TW_FLOAT, 5, 9, 0, &r);
    tw_tensor half = block_input(g, TW_HALF, 5, 8, 0, &r), b = tw_popsparse_create_blocks(g, TW_FLOAT, &w, "b");
    tw_program p = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    const char *const product = "tw_popsparse_dense_sparse";
    tw_popsparse_create_blocks(g, TW_INT, &w, "b");
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_create_blocks", "int", NULL);
    tw_popsparse_create_blocks(g, TW_FLOAT, &uneven, "b");
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_create_blocks", "8 x 12", "3 x 4", "whole number", NULL);
    tw_popsparse_dense_sparse(g, x, &none, b, false, TW_TYPE_NONE, p, "y", NULL);
    refused_with(g, TW_E_POPLIBS, product, "no mask", NULL);
    tw_popsparse_dense_sparse(g, x, NULL, b, false, TW_TYPE_NONE, p, "y", NULL);
    refused_with(g, TW_E_POPLIBS, product, "there is none", NULL);
    tw_popsparse_dense_sparse(g, wide, &w, b, false, TW_TYPE_NONE, p, "y", NULL);
    refused_with(g, TW_E_POPLIBS, product, "[5, 8]", "float[5, 9]", NULL);
    tw_popsparse_dense_sparse(g, x, &w, b, true, TW_TYPE_NONE, p, "y", NULL);
    refused_with(g, TW_E_POPLIBS, product, "[5, 12]", NULL);
    tw_popsparse_dense_sparse(g, half, &w, b, false, TW_TYPE_NONE, p, "y", NULL);
    refused_with(g, TW_E_POPLIBS, product, "half[5, 8]", "float[3, 16]", NULL);
    tw_popsparse_dense_sparse(g, x, &w, x, false, TW_TYPE_NONE, p, "y", NULL);
    refused_with(g, TW_E_POPLIBS, product, "blocks", "[3, 16]", NULL);
    tw_popsparse_dense_sparse(g, x, &w, b, false, TW_TYPE_NONE, p, "y", unknown);
    refused_with(g, TW_E_INVALID_OPTION, product, "partitionMethods", "partitionMethod", NULL);
    tw_popsparse_dense_sparse(g, x, &w, b, false, TW_TYPE_NONE, p, "y", value);
    refused_with(g, TW_E_INVALID_OPTION, product, "rows", "block-naive", NULL);
    tw_popsparse_sparse_dense(g, &w, b, x, false, TW_TYPE_NONE, p, "y", NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_sparse_dense", "[12, 8]", "float[5, 8]", NULL);
    tw_popsparse_block_softmax(g, x, &w, TW_SPARSE_WHOLE, p, "y");
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_block_softmax", "[3, 16]", NULL);
    tw_popsparse_block_softmax(g, b, &w, (tw_sparse_triangle)3, p, "y");
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_block_softmax", "no triangle 3", NULL);
    tw_popsparse_dense_dense(g, x, x, &w, (tw_sparse_triangle)3, TW_TYPE_NONE, p, "y", NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popsparse_dense_dense", "no triangle 3", NULL);
    assert_true(before == graph_hash(g));
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_dense_sparse),  cmocka_unit_test(libs_sparse_dense),
        cmocka_unit_test(libs_dense_dense),   cmocka_unit_test(libs_block_softmax),
        cmocka_unit_test(libs_block_refused),
    };
    return cmocka_run_group_tests_name("libs_block_sparse", tests, NULL, NULL);
}
