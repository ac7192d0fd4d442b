/* SPDX-License-Identifier: MIT */
/* Triangular systems and Cholesky's factors: what they give, multiplied in double, is what went in; the same bits for
 * all mappings; errors. */
#include "poplar/libs/libs_run.h"

enum { SOLVE_MOST = 40 * 40 * 3 };

static void no_error(tw_graph *g)
{
    if (tw_graph_status(g)) fail_msg("%s: %s", tw_graph_error(g)->function, tw_graph_error(g)->message);
}

typedef struct solve_case {
    size_t batches, n, k; /* batches 0: rank 2 */
    tw_type type;
    bool left, lower, unit;
    const char *block;
} solve_case;

static double triangle(const solve_case *c, const double *a, size_t batch, size_t i, size_t j)
{
    if (c->lower ? j > i : j < i) return 0;
    return c->unit && i == j ? 1 : a[(batch * c->n + i) * c->n + j];
}

static void store(tw_type type, size_t n, double *values, char *to)
{
    for (size_t i = 0; i < n; i++) {
        tw_type_store(type, to + i * tw_type_size(type), values[i]);
        values[i] = tw_type_load(type, to + i * tw_type_size(type));
    }
}

static void solve_run(const solve_case *c, tw_device *dev, int way, char *a, char *b, char *x)
{
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    lcg r = { 4 };
    size_t sa[] = { c->batches, c->n, c->n };
    size_t sb[] = { c->batches, c->left ? c->n : c->k, c->left ? c->k : c->n };
    unsigned rank = c->batches ? 3 : 2, skip = 3 - rank;
    const char *const options[] = { c->block, NULL };
    tw_tensor ta = way ? tw_graph_add_variable(g, c->type, rank, sa + skip, "a")
                       : tw_poplin_create_solver_input(g, c->type, rank, sa + skip, "a", options);
    tw_tensor tb = tw_graph_add_variable(g, c->type, rank, sb + skip, "b");
    if (way) map_somehow(g, ta, way, &r);
    map_somehow(g, tb, (way + 1) % MAPPINGS, &r);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor tx = tw_poplin_triangular_solve(g, ta, tb, c->left, c->lower, c->unit, p, "x", options);
    no_error(g);
    run_once(g, dev, p, 3, (io[]){ { ta, a, false }, { tb, b, false }, { tx, x, true } });
    tw_graph_free(g);
}

static void libs_solve_triangular(void **state)
{
    (void)state;
    static double a[SOLVE_MOST], b[SOLVE_MOST];
    static char ha[SOLVE_MOST * 4], hb[SOLVE_MOST * 4], x[2][SOLVE_MOST * 4];
    static const char *const blocks[] = { NULL, "blockSize=7", "blockSize=1", "blockSize=16" };
    lcg r = { 61 };
    for (unsigned i = 0; i < 16; i++) {
        solve_case c = { .batches = draw(&r, 4),
                         .n = 1 + draw(&r, 39),
                         .k = 1 + draw(&r, 39),
                         .type = i % 5 == 4 ? TW_HALF : TW_FLOAT,
                         .left = i & 1,
                         .lower = i & 2,
                         .unit = i & 4,
                         .block = blocks[i % 4] };
        size_t all = c.batches ? c.batches : 1, n = c.n, rows = c.left ? n : c.k, columns = c.left ? c.k : n;
        double scale = 1.0 / (double)n; /* what is next to the diagonal is small: no solution grows */
        for (size_t at = 0; at < all * n * n; at++)
            a[at] = at / n % n == at % n ? 1 + draw_real(&r, 0, 1) : scale * draw_real(&r, -1, 1);
        for (size_t at = 0; at < all * n * c.k; at++) b[at] = draw_real(&r, -1, 1);
        store(c.type, all * n * n, a, ha), store(c.type, all * n * c.k, b, hb);
        size_t width = tw_type_size(c.type);
        for (int way = 0; way < 2; way++) {
            tw_device *dev = model_device(9, 1);
            solve_run(&c, dev, way * 2, ha, hb, x[way]);
            tw_device_free(dev);
        }
        assert_memory_equal(x[0], x[1], all * n * c.k * width);
        for (size_t m = 0; m < all; m++)
            for (size_t row = 0; row < rows; row++)
                for (size_t column = 0; column < columns; column++) {
                    double sum = 0;
                    for (size_t k = 0; k < n; k++) {
                        size_t place = c.left ? (m * rows + k) * columns + column : (m * rows + row) * columns + k;
                        double v = tw_type_load(c.type, x[0] + place * width);
                        sum += c.left ? triangle(&c, a, m, row, k) * v : v * triangle(&c, a, m, k, column);
                    }
                    double want = b[(m * rows + row) * columns + column];
                    if (!(fabs(sum - want) < (c.type == TW_HALF ? 4e-3 : 4e-6)))
                        fail_msg("case %u [%zu, %zu]: %g, not %g", i, row, column, sum, want);
                }
    }
}

/* q r is a, q q' is one, r has zeros below its diagonal. */
static void qr_compare(const char *q, const char *r, tw_type type, const double *a, size_t m, size_t n)
{
    size_t width = tw_type_size(type);
    double room = type == TW_HALF ? 0.02 : 4e-6;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < m; k++)
                sum += tw_type_load(type, q + (i * m + k) * width) * tw_type_load(type, r + (k * n + j) * width);
            if (!(fabs(sum - a[i * n + j]) < room)) fail_msg("[%zu, %zu]: %g, not %g", i, j, sum, a[i * n + j]);
            if (j < i) assert_true(tw_type_load(type, r + (i * n + j) * width) == 0);
        }
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t k = 0; k < m; k++)
                sum += tw_type_load(type, q + (i * m + k) * width) * tw_type_load(type, q + (j * m + k) * width);
            if (!(fabs(sum - (i == j)) < room)) fail_msg("q q' [%zu, %zu] is %g", i, j, sum);
        }
    }
}

static void libs_solve_qr(void **state)
{
    (void)state;
    static double a[SOLVE_MOST];
    static char in[SOLVE_MOST * 4], q[SOLVE_MOST * 4], r_out[SOLVE_MOST * 4];
    lcg r = { 63 };
    for (unsigned i = 0; i < 8; i++) {
        size_t n = 1 + draw(&r, 12), m = n + draw(&r, 6), batches = 1 + draw(&r, 3), shape[] = { batches, m, n };
        tw_type type = i % 4 == 3 ? TW_HALF : TW_FLOAT;
        size_t width = tw_type_size(type);
        for (size_t at = 0; at < batches * m * n; at++) a[at] = i == 5 && at % n ? 0 : draw_real(&r, -1, 1);
        store(type, batches * m * n, a, in);
        tw_device *dev = i % 3 ? model_device(7, 1) : tw_device_cpu_accurate_half();
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor ta = tw_graph_add_variable(g, type, 3, shape, "a");
        map_somehow(g, ta, (int)i % MAPPINGS, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_pair made = tw_poplin_qr(g, ta, p, "qr");
        no_error(g);
        uint64_t before = graph_hash(g);
        tw_poplin_qr(g, tw_tensor_dim_shuffle(g, ta, (unsigned[]){ 0, 2, 1 }), p, "qr");
        if (m > n) refused_with(g, TW_E_POPLIBS, "tw_poplin_qr", "as many rows as columns", NULL);
        if (m > n) assert_int_equal(graph_hash(g), before);
        run_once(g, dev, p, 3, (io[]){ { ta, in, false }, { made.first, q, true }, { made.second, r_out, true } });
        for (size_t b = 0; b < batches; b++)
            qr_compare(q + b * m * m * width, r_out + b * m * n * width, type, a + b * m * n, m, n);
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

/* l u is a, l has ones on its diagonal; both have zeros where they are triangles. */
static void lu_compare(const float *l, const float *u, const double *a, size_t m, size_t n)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (size_t k = 0; k < m; k++)
                sum += (double)l[i * m + k] * u[k * n + j], size += fabs((double)l[i * m + k] * u[k * n + j]);
            if (!(fabs(sum - a[i * n + j]) <= 2e-6 * size))
                fail_msg("[%zu, %zu]: %g, not %g", i, j, sum, a[i * n + j]);
            if (j < i) assert_true(u[i * n + j] == 0);
        }
        for (size_t j = i; j < m; j++) assert_true(l[i * m + j] == (i == j));
    }
}

static void libs_solve_lu(void **state)
{
    (void)state;
    static double a[SOLVE_MOST];
    static char in[SOLVE_MOST * 4];
    static float l[SOLVE_MOST], u[SOLVE_MOST];
    lcg r = { 64 };
    for (unsigned i = 0; i < 8; i++) {
        size_t n = 1 + draw(&r, 12), m = 1 + draw(&r, 12), batches = 1 + draw(&r, 3), shape[] = { batches, m, n };
        tw_type type = i % 4 == 3 ? TW_HALF : TW_FLOAT;
        for (size_t at = 0; at < batches * m * n; at++)
            a[at] = draw_real(&r, -1, 1) + (at % (m * n) % (n + 1) ? 0 : 5);
        store(type, batches * m * n, a, in);
        tw_device *dev = i % 3 ? model_device(7, 1) : tw_device_cpu_accurate_half();
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor ta = tw_graph_add_variable(g, type, 3, shape, "a");
        map_somehow(g, ta, (int)i % MAPPINGS, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_pair made = tw_poplin_lu(g, ta, p, "lu");
        no_error(g);
        tw_poplin_lu(g, tw_tensor_slice(g, ta, 1, 0, 0), p, "lu");
        refused_with(g, TW_E_POPLIBS, "tw_poplin_lu", "is no matrix", NULL);
        run_once(g, dev, p, 3, (io[]){ { ta, in, false }, { made.first, l, true }, { made.second, u, true } });
        for (size_t b = 0; b < batches; b++) lu_compare(l + b * m * m, u + b * m * n, a + b * m * n, m, n);
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

static void libs_solve_cholesky(void **state)
{
    (void)state;
    static double a[SOLVE_MOST], root[SOLVE_MOST];
    static char in[SOLVE_MOST * 4], out[2][SOLVE_MOST * 4];
    lcg r = { 62 };
    for (unsigned i = 0; i < 8; i++) {
        size_t batches = draw(&r, 4), all = batches ? batches : 1, n = 1 + draw(&r, 39),
               shape[] = { batches, n, n };
        bool lower = i % 2;
        tw_type type = i % 4 == 3 ? TW_HALF : TW_FLOAT;
        size_t width = tw_type_size(type);
        for (size_t at = 0; at < all * n * n; at++) root[at] = draw_real(&r, -1, 1);
        for (size_t at = 0; at < all * n * n; at++) { /* root times its transpose, and n on the diagonal */
            size_t m = at / n / n, row = at / n % n, column = at % n;
            a[at] = row == column ? (double)n : 0;
            for (size_t k = 0; k < n; k++) a[at] += root[(m * n + row) * n + k] * root[(m * n + column) * n + k];
        }
        store(type, all * n * n, a, in);
        for (size_t at = 0; at < all * n * n; at++) /* the other triangle is not read */
            if (lower ? at % n > at / n % n : at % n < at / n % n) tw_type_store(type, in + at * width, NAN);
        tw_device *dev = i % 3 ? model_device(7, 1) : tw_device_cpu_accurate_half();
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor ta = tw_graph_add_variable(g, type, batches ? 3 : 2, shape + !batches, "a");
        map_somehow(g, ta, (int)i % MAPPINGS, &r);
        tw_program p = tw_program_sequence(g, NULL);
        const char *const options[] = { i % 2 ? "blockSize=8" : NULL, NULL };
        tw_tensor made = tw_poplin_cholesky(g, ta, lower, p, "l", options);
        tw_poplin_cholesky_in_place(g, ta, lower, p, "l", options);
        no_error(g);
        run_once(g, dev, p, 3, (io[]){ { ta, in, false }, { made, out[0], true }, { ta, out[1], true } });
        assert_memory_equal(out[0], out[1], all * n * n * width);
        for (size_t at = 0; at < all * n * n; at++) {
            size_t m = at / n / n, row = at / n % n, column = at % n;
            double sum = 0;
            for (size_t k = 0; k < n; k++) {
                size_t x = lower ? (m * n + row) * n + k : (m * n + k) * n + row;
                size_t y = lower ? (m * n + column) * n + k : (m * n + k) * n + column;
                sum += tw_type_load(type, out[0] + x * width) * tw_type_load(type, out[0] + y * width);
            }
            if (!(fabs(sum - a[at]) < (type == TW_HALF ? 4e-3 : 1e-6) * (double)n * 2))
                fail_msg("case %u [%zu, %zu]: %g, not %g", i, row, column, sum, a[at]);
            if (lower ? column > row : column < row) assert_true(tw_type_load(type, out[0] + at * width) == 0);
        }
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

static void libs_solve_mask(void **state)
{
    (void)state;
    enum { N = 5 };
    tw_device *dev = model_device(3, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, 3, (size_t[]){ 2, N, N }, "a");
    tw_poputil_map_linearly(g, a);
    tw_program p = tw_program_sequence(g, NULL);
    float in[2 * N * N], out[4][2 * N * N];
    io list[5] = { { a, in, false } };
    for (int i = 0; i < 4; i++)
        list[i + 1] = (io){ tw_poplin_triangular_mask(g, a, i & 1, i & 2, p, "m"), out[i], true };
    no_error(g);
    for (int i = 0; i < 2 * N * N; i++) in[i] = (float)(i + 1);
    run_once(g, dev, p, 5, list);
    for (int i = 0; i < 4; i++)
        for (int at = 0; at < 2 * N * N; at++) {
            int row = at / N % N, column = at % N;
            bool own = i & 1 ? column <= row : column >= row;
            float want = !own ? 0 : i & 2 && row == column ? 1 : in[at];
            assert_true(out[i][at] == want);
        }
    tw_graph_free(g);
    tw_device_free(dev);
}

static void libs_solve_refused(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 4 }, "a"),
              b = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 5, 4 }, "b"),
              i = tw_graph_add_variable(g, TW_INT, 2, (size_t[]){ 4, 4 }, "i");
    tw_graph_map(g, a, 0), tw_graph_map(g, b, 0), tw_graph_map(g, i, 0);
    tw_program p = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    tw_poplin_triangular_solve(g, a, b, true, true, false, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_triangular_solve", "'a' float[4, 4] times x", "'b' float[5, 4]", NULL);
    tw_poplin_triangular_solve(g, b, a, true, true, false, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_triangular_solve", "'b' float[5, 4]", "no square matrix", NULL);
    tw_poplin_triangular_solve(g, a, i, true, true, false, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_triangular_solve", "'i' int[4, 4]", NULL);
    tw_poplin_cholesky(g, b, true, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_cholesky", "'b' float[5, 4]", "no square matrix", NULL);
    tw_poplin_cholesky(g, a, true, p, NULL, (const char *const[]){ "blockSize=0", NULL });
    refused_with(g, TW_E_INVALID_OPTION, "tw_poplin_cholesky", "blockSize", "from 1 on", NULL);
    tw_poplin_cholesky_in_place(g, a, true, p, NULL, (const char *const[]){ "blocksize=8", NULL });
    refused_with(g, TW_E_INVALID_OPTION, "tw_poplin_cholesky_in_place", "blocksize", NULL);
    tw_poplin_cholesky_in_place(g, tw_tensor_broadcast(g, tw_tensor_slice(g, a, 0, 0, 1), 4, 0), true, p, NULL,
                                NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_cholesky_in_place", "'a' float[4, 4]", "more than once", NULL);
    tw_poplin_triangular_mask(g, b, true, false, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_triangular_mask", "'b' float[5, 4]", NULL);
    tw_poplin_create_solver_input(g, TW_INT, 2, (size_t[]){ 4, 4 }, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_create_solver_input", "int[4, 4]", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_solve_triangular), cmocka_unit_test(libs_solve_cholesky),
        cmocka_unit_test(libs_solve_qr),         cmocka_unit_test(libs_solve_lu),
        cmocka_unit_test(libs_solve_mask),       cmocka_unit_test(libs_solve_refused),
    };
    return cmocka_run_group_tests_name("libs_solve", tests, NULL, NULL);
}
