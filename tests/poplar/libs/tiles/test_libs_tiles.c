/* SPDX-License-Identifier: MIT */
/* Vertices of the libraries as code of the chip: each row builds a program, which simulated tiles and the native
 * vertices of the IPU Model run on the same numbers. Values are the same bits where nothing but sums, products,
 * quotients and roots is in them; where elementary functions are, they are as near as the row says, in units of the
 * last place of the greatest element of the result. */
#include "poplar/libs/libs_run.h"

#include <stdio.h>

enum { TILES = 4, MOST_BYTES = 1 << 15 };

/* A program under construction: what it reads and what is compared. */
typedef struct bench {
    tw_graph *g;
    tw_program p;
    lcg r;
    io list[IO_MOST];
    size_t count;
    char data[IO_MOST][MOST_BYTES];
} bench;

#define SHAPE(...)                                                             \
    (unsigned)(sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t)), (size_t[]) \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

/* Numbers for a tensor that is there. */
static tw_tensor feed(bench *b, tw_tensor t, double low, double high)
{
    tw_type type = tw_tensor_type(b->g, t);
    char *to = b->data[b->count];
    assert_true(io_bytes(b->g, t) <= MOST_BYTES);
    for (size_t i = 0; i < tw_tensor_elements(b->g, t); i++)
        tw_type_store(type, to + i * tw_type_size(type), draw_real(&b->r, low, high));
    b->list[b->count++] = (io){ t, to, false };
    return t;
}
static tw_tensor made(bench *b, tw_type type, unsigned rank, const size_t *shape, double low, double high)
{
    tw_tensor t = tw_graph_add_variable(b->g, type, rank, shape, "t");
    map_somehow(b->g, t, 0, &b->r);
    return feed(b, t, low, high);
}
static void compared(bench *b, tw_tensor t)
{
    if (tw_graph_status(b->g)) fail_msg("%s", tw_graph_error(b->g)->message);
    assert_true(b->count < IO_MOST && io_bytes(b->g, t) <= MOST_BYTES);
    b->list[b->count] = (io){ t, b->data[b->count], true };
    b->count++;
}

/* --- programs --------------------------------------------------------------------------------------------------- */

typedef struct function_row {
    const char *text;
    double low, high, low2, high2;
} function_row;

static void functions(bench *b, tw_type type, size_t count, const function_row *rows)
{
    for (size_t i = 0; i < count; i++) {
        tw_tensor t[2] = { made(b, type, SHAPE(70), rows[i].low, rows[i].high) };
        if (rows[i].high2 > rows[i].low2) t[1] = made(b, type, SHAPE(70), rows[i].low2, rows[i].high2);
        compared(b, tw_popops_map(b->g, rows[i].text, t[1].id ? 2 : 1, t, b->p, NULL, NULL));
    }
}
static void elementary(bench *b, tw_type type)
{
    static const function_row rows[] = { { "asin(_1)", -1, 1, 0, 0 }, { "cbrt(_1)", -9, 9, 0, 0 },
                                         { "cos(_1)", -9, 9, 0, 0 },  { "erf(_1)", -3, 3, 0, 0 },
                                         { "exp(_1)", -8, 8, 0, 0 },  { "expm1(_1)", -4, 4, 0, 0 },
                                         { "log(_1)", 0.1, 9, 0, 0 }, { "log1p(_1)", -0.9, 9, 0, 0 } };
    functions(b, type, sizeof rows / sizeof *rows, rows);
}
static void more_elementary(bench *b, tw_type type)
{
    static const function_row rows[] = { { "sigmoid(_1)", -9, 9, 0, 0 },   { "sin(_1)", -9, 9, 0, 0 },
                                         { "tan(_1)", -1, 1, 0, 0 },       { "tanh(_1)", -4, 4, 0, 0 },
                                         { "pow(_1, _2)", 0.1, 4, -3, 3 }, { "atan2(_1, _2)", -4, 4, -3, 3 } };
    functions(b, type, sizeof rows / sizeof *rows, rows);
}
static void later_elementary(bench *b, tw_type type)
{
    static const function_row rows[] = { { "exp2(_1)", -8, 8, 0, 0 },
                                         { "gelu_erf(_1)", -4, 4, 0, 0 },
                                         { "trunc(_1) + nearby_int(_2)", -3, 3, -3, 3 } };
    functions(b, type, sizeof rows / sizeof *rows, rows);
}
static void arithmetic(bench *b, tw_type type)
{
    static const function_row rows[] = { { "max(_1 * 2 - _2, 0.5)", -3, 3, -3, 3 },
                                         { "sqrt(abs(_1)) / (_2 + 1)", -3, 3, 0, 3 },
                                         { "_1 % _2", -9, 9, 0.5, 2 },
                                         { "select(_1, _2, _1 > 0) + round(_1)", -3, 3, -3, 3 },
                                         { "rsqrt(_1) - inv(_2)", 0.5, 3, 1, 3 },
                                         { "clamp(floor(_1), -1, 1) + ceil(_2)", -3, 3, -3, 3 } };
    functions(b, type, sizeof rows / sizeof *rows, rows);
}

static void sums(bench *b, tw_type type)
{
    tw_tensor t = made(b, type, SHAPE(37, 150), -1, 1);
    static const tw_reduce_op ops[] = { TW_REDUCE_ADD, TW_REDUCE_SQUARE_ADD, TW_REDUCE_MIN, TW_REDUCE_MAX };
    for (size_t i = 0; i < 4; i++)
        for (size_t dim = 0; dim < 2; dim++)
            compared(b, tw_popops_reduce(b->g, t, TW_TYPE_NONE, 1, &dim, &(tw_reduce_params){ .op = ops[i] }, b->p,
                                         NULL, NULL));
    compared(b, tw_popops_cumulative_sum(b->g, t, 1, false, true, b->p, NULL));
}
static void log_sums(bench *b, tw_type type)
{
    tw_tensor t = made(b, type, SHAPE(9, 70), -1, 1);
    compared(b, tw_popops_reduce(b->g, t, TW_TYPE_NONE, 1, (size_t[]){ 1 },
                                 &(tw_reduce_params){ .op = TW_REDUCE_LOG_ADD }, b->p, NULL, NULL));
}

static void products(bench *b, tw_type type)
{
    static const size_t a[] = { 19, 24 }, c[] = { 24, 37 };
    tw_tensor x = feed(b, tw_poplin_create_matmul_lhs(b->g, type, 2, a, c, "x", NULL), -1, 1);
    tw_tensor y = feed(b, tw_poplin_create_matmul_rhs(b->g, type, 2, a, c, "y", NULL), -1, 1);
    compared(b, tw_poplin_matmul(b->g, x, y, TW_TYPE_NONE, b->p, NULL, NULL));
}

static void convolutions(bench *b, tw_type type)
{
    tw_conv_params p = { .input_type = type,
                         .batch = 2,
                         .in_channels = 3,
                         .out_channels = 5,
                         .dims = 2,
                         .field = { 7, 8 },
                         .kernel = { 3, 3 } };
    p.input[0].padding_lower = p.input[1].padding_upper = 1, p.output[1].step = 2;
    tw_conv_params back = tw_poplin_conv_gradient_params(&p);
    tw_tensor x = feed(b, tw_poplin_create_conv_input(b->g, &p, "x", NULL), -1, 1);
    tw_tensor w = feed(b, tw_poplin_create_conv_weights(b->g, &p, "w", NULL), -1, 1);
    tw_tensor y = tw_poplin_convolution(b->g, x, w, &p, false, b->p, NULL, NULL);
    compared(b, y);
    compared(b, tw_poplin_convolution(b->g, y, w, &back, true, b->p, NULL, NULL));
    compared(b, tw_poplin_conv_weight_deltas(b->g, y, x, &p, b->p, NULL, NULL));
}

static void pools(bench *b, tw_type type)
{
    for (int kind = TW_POOL_MAX; kind <= TW_POOL_SUM; kind++) {
        tw_pool_params p = { .type = (tw_pool_type)kind,
                             .data_type = type,
                             .batch = 2,
                             .channels = 4,
                             .dims = 2,
                             .field = { 7, 6 },
                             .kernel = { 3, 2 },
                             .stride = { 2, 2 },
                             .lower = { 1, 0 } };
        tw_tensor x = made(b, type, SHAPE(2, 4, 7, 6), -1, 1), y = tw_popnn_pool(b->g, &p, x, b->p, NULL, NULL);
        compared(b, y);
        compared(b, kind == TW_POOL_MAX ? tw_popnn_pool_max_gradient(b->g, &p, x, y, y, true, b->p, NULL, NULL)
                                        : tw_popnn_pool_gradient(b->g, &p, y, b->p, NULL, NULL));
    }
}

static void activations(bench *b, tw_type type)
{
    for (int kind = TW_NL_SIGMOID; kind <= TW_NL_SWISH; kind++) {
        tw_tensor x = made(b, type, SHAPE(5, 12), -3, 3);
        compared(b, tw_popnn_non_linearity(b->g, (tw_non_linearity)kind, x, b->p, NULL));
        compared(b, tw_popnn_non_linearity_gradient(b->g, (tw_non_linearity)kind, x, x, b->p, NULL));
    }
}
static void softmaxes(bench *b, tw_type type)
{
    tw_tensor x = made(b, type, SHAPE(6, 31), -3, 3), labels = made(b, TW_UNSIGNED_INT, SHAPE(6), 0, 31);
    tw_tensor y = tw_popnn_non_linearity(b->g, TW_NL_SOFTMAX_STABLE, x, b->p, NULL);
    compared(b, y);
    compared(b, tw_popnn_log_softmax(b->g, x, b->p, NULL));
    tw_tensor loss = tw_graph_add_variable(b->g, type, SHAPE(6), "loss"),
              deltas = tw_graph_add_variable(b->g, type, SHAPE(6, 31), "deltas");
    map_somehow(b->g, loss, 0, &b->r), map_somehow(b->g, deltas, 0, &b->r);
    tw_popnn_loss(b->g, y, labels, loss, deltas, TW_LOSS_CROSS_ENTROPY, NULL, b->p, NULL);
    compared(b, loss);
    compared(b, deltas);
    compared(b, tw_popnn_max_and_arg_max(b->g, x, b->p, NULL).values);
}

static void layer_norms(bench *b, tw_type type)
{
    tw_tensor x = made(b, type, SHAPE(4, 6, 5), -2, 2), gradient = made(b, type, SHAPE(4, 6, 5), -1, 1);
    tw_pair of = tw_popnn_group_statistics(b->g, x, 1, 1e-4, false, true, b->p, NULL, NULL);
    tw_tensor white = tw_popnn_group_whiten(b->g, x, 1, of.first, of.second, b->p, NULL, NULL);
    compared(b, white);
    compared(b, tw_popnn_group_statistics_gradients(b->g, white, gradient, 1, of.second, b->p, NULL, NULL));
}

static void recurrent(bench *b, tw_type type, tw_recurrent_kind kind)
{
    tw_recurrent l = tw_popnn_recurrent(kind, type, 2, 3, 4, 5);
    tw_tensor x = feed(b, tw_popnn_recurrent_input(b->g, &l, "x", NULL), -1, 1);
    tw_recurrent_state start = tw_popnn_recurrent_state(b->g, &l, "start", NULL);
    tw_recurrent_weights w = tw_popnn_recurrent_weights(b->g, &l, "w", NULL);
    feed(b, w.input, -0.7, 0.7), feed(b, w.output, -0.7, 0.7), feed(b, w.biases, -0.3, 0.3);
    feed(b, start.output, -0.5, 0.5);
    if (start.cell.id) feed(b, start.cell, -0.5, 0.5);
    tw_tensor slope = made(b, type, SHAPE(3, 2, 5), -1, 1);
    tw_recurrent_run run = tw_popnn_recurrent_forward(b->g, &l, start, w, x, true, b->p, "run", NULL);
    tw_recurrent_deltas d =
        tw_popnn_recurrent_backward(b->g, &l, w, run.saved, slope, (tw_tensor){ 0, 0 }, b->p, "back", NULL);
    tw_recurrent_weights dw = tw_popnn_recurrent_update(b->g, &l, x, run.saved, d.deltas, b->p, "dw", NULL);
    compared(b, run.output), compared(b, d.input), compared(b, dw.input), compared(b, dw.output);
    compared(b, dw.biases);
}
static void lstm(bench *b, tw_type type)
{
    recurrent(b, type, TW_RECURRENT_LSTM);
}
static void gru(bench *b, tw_type type)
{
    recurrent(b, type, TW_RECURRENT_GRU);
}

static void solvers(bench *b, tw_type type)
{
    enum { N = 9 };
    tw_tensor x = made(b, type, SHAPE(N, N), -0.4, 0.4), right = made(b, type, SHAPE(N, 4), -1, 1);
    char *to = b->list[b->count - 2].data; /* symmetric, with a diagonal that makes it positive definite */
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k <= i; k++) {
            double v = i == k ? 3 + 0.1 * (double)i : tw_type_load(type, to + (k * N + i) * tw_type_size(type));
            tw_type_store(type, to + (i * N + k) * tw_type_size(type), v);
        }
    tw_tensor l = tw_poplin_cholesky(b->g, x, true, b->p, NULL, (const char *const[]){ "blockSize=4", NULL });
    compared(b, l);
    compared(b, tw_poplin_triangular_solve(b->g, l, right, true, true, false, b->p, NULL,
                                           (const char *const[]){ "blockSize=4", NULL }));
    tw_pair lu = tw_poplin_lu(b->g, x, b->p, NULL);
    compared(b, lu.first), compared(b, lu.second);
}

/* Cycles of factors grow otherwise with rows than with columns. */
static void factors(bench *b, tw_type type, size_t m, size_t n)
{
    tw_tensor x = made(b, type, SHAPE(2, m, n), -1, 1);
    tw_pair lu = tw_poplin_lu(b->g, x, b->p, NULL);
    compared(b, lu.first), compared(b, lu.second);
    if (m < n) return;
    tw_pair qr = tw_poplin_qr(b->g, x, b->p, NULL);
    compared(b, qr.first), compared(b, qr.second);
}
static void small_factors(bench *b, tw_type type)
{
    factors(b, type, 4, 3);
}
static void square_factors(bench *b, tw_type type)
{
    factors(b, type, 19, 19);
}
static void tall_factors(bench *b, tw_type type)
{
    factors(b, type, 40, 3);
}
static void wide_factors(bench *b, tw_type type)
{
    factors(b, type, 4, 50);
}
static void large_solvers(bench *b, tw_type type)
{
    enum { N = 30 };
    tw_tensor x = made(b, type, SHAPE(N, N), 0, 0), right = made(b, type, SHAPE(N, 7), -1, 1);
    char *to = b->list[b->count - 2].data;
    for (size_t i = 0; i < N * N; i++) tw_type_store(type, to + i * tw_type_size(type), i % (N + 1) ? 0.02 : 2);
    tw_tensor l = tw_poplin_cholesky(b->g, x, true, b->p, NULL, NULL);
    compared(b, l);
    compared(b, tw_poplin_triangular_solve(b->g, l, right, true, true, false, b->p, NULL, NULL));
}

static void splines_of(bench *b, tw_type type, unsigned degree, size_t dims, size_t edges, size_t channels,
                       size_t columns)
{
    size_t all = 1, kernel = 1;
    for (size_t d = 0; d < dims; d++) all *= degree + 1, kernel *= degree + 2;
    tw_tensor places = made(b, type, SHAPE(edges, dims), 0, 1),
              size = made(b, TW_INT, SHAPE(dims), degree + 2, degree + 3),
              is_open = made(b, TW_UNSIGNED_CHAR, SHAPE(dims), 0, 2),
              x = made(b, type, SHAPE(edges, channels), -1, 1),
              weights = made(b, type, SHAPE(kernel, channels, columns), -1, 1);
    tw_tensor basis = tw_graph_add_variable(b->g, type, SHAPE(edges, all), "basis"),
              index = tw_graph_add_variable(b->g, TW_INT, SHAPE(edges, all), "index");
    map_somehow(b->g, basis, 0, &b->r), map_somehow(b->g, index, 0, &b->r);
    tw_popops_spline_basis(b->g, places, size, is_open, basis, index, degree, b->p, NULL);
    compared(b, basis), compared(b, index);
    compared(b, tw_popops_spline_weighting(b->g, x, weights, basis, index, b->p, NULL));
}
static void splines(bench *b, tw_type type)
{
    splines_of(b, type, 1, 2, 11, 3, 4);
}
static void cubic_splines(bench *b, tw_type type)
{
    splines_of(b, type, 3, 1, 30, 1, 1);
}
static void square_splines(bench *b, tw_type type)
{
    splines_of(b, type, 2, 3, 7, 10, 7);
}

static void orders(bench *b, tw_type type)
{
    tw_tensor x = made(b, type, SHAPE(3, 50), -2, 2), at = made(b, TW_UNSIGNED_INT, SHAPE(7, 1), 0, 3);
    compared(b, tw_popops_sort(b->g, x, 1, b->p, NULL));
    tw_sorted top =
        tw_popops_top_k(b->g, x, (tw_tensor){ 0, 0 }, &(tw_top_k){ .k = 5, .largest = true }, b->p, NULL);
    compared(b, top.keys), compared(b, top.values);
    compared(b, tw_popops_multi_slice(b->g, x, at, 1, (size_t[]){ 0 }, (size_t[]){ 1 }, b->p, NULL, NULL));
    tw_tensor code = tw_graph_add_variable(b->g, type, SHAPE(7, 4), "code");
    map_somehow(b->g, code, 0, &b->r);
    tw_popops_one_hot(b->g, tw_tensor_flatten(b->g, at), code, (tw_tensor){ 0, 0 }, (tw_tensor){ 0, 0 }, b->p,
                      NULL);
    compared(b, code);
    compared(b, tw_popops_cast(b->g, x, TW_INT, b->p, NULL));
    compared(b, tw_popops_has_nan(b->g, x, b->p, NULL));
}
/* Rows that are not whole words, of halves and of bytes: workers share them as they do others. */
static void narrow_rows(bench *b, tw_type type)
{
    static const tw_type types[] = { TW_HALF, TW_U8 };
    tw_tensor at = made(b, TW_UNSIGNED_INT, SHAPE(150, 1), 0, 60), scale = made(b, TW_FLOAT, SHAPE(1), 1, 2);
    const size_t zero = 0, one = 1;
    tw_tensor x = made(b, type, SHAPE(60, 3), -2, 2), s = made(b, type, SHAPE(150, 1, 3), -2, 2);
    tw_popops_multi_update_add(b->g, x, s, at, scale, 1, &zero, &one, b->p, NULL, NULL);
    compared(b, x);
    for (size_t i = 0; i < 2; i++) {
        tw_tensor y = made(b, types[i], SHAPE(60, 5), 0, 9), put = made(b, types[i], SHAPE(150, 1, 5), 0, 9);
        compared(b, tw_popops_multi_slice(b->g, y, at, 1, &zero, &one, b->p, NULL, NULL));
        tw_popops_multi_update(b->g, y, put, at, 1, &zero, &one, b->p, NULL, NULL);
        compared(b, y);
    }
}
static void numbers_at_random(bench *b, tw_type type)
{
    tw_tensor seed = made(b, TW_UNSIGNED_INT, SHAPE(2), 1, 1e9), like = made(b, type, SHAPE(130), 0, 1);
    compared(b, tw_poprand_uniform(b->g, seed, 3, like, type, -1, 2, b->p, NULL));
    compared(b, tw_poprand_bernoulli(b->g, seed, 3, like, type, 0.3, b->p, NULL));
}
static void normal_numbers(bench *b, tw_type type)
{
    tw_tensor seed = made(b, TW_UNSIGNED_INT, SHAPE(2), 1, 1e9), like = made(b, type, SHAPE(130), 0, 1);
    compared(b, tw_poprand_normal(b->g, seed, 3, like, type, 1, 2, b->p, NULL));
    compared(b, tw_poprand_truncated_normal(b->g, seed, 3, like, type, 1, 2, 1.5, b->p, NULL));
}

/* Blocks all over; `only`: in the first so many rows of blocks, so that buckets go round. */
static void sparse_products(bench *b, tw_type type, size_t only, size_t *slot)
{
    const tw_sparse_params p = { 1, 20, 16, 8, 2, 1, 2 * 60 };
    size_t row[60], column[60], n = 0;
    uint16_t meta[1000];
    for (size_t i = 0; i < 10 * 16; i++)
        if (n < 60 && (only ? i / 16 < only : i % 3 == 0)) row[n] = i / 16 * 2, column[n++] = i % 16;
    tw_sparse_tensor t = tw_popsparse_create_weights(b->g, type, &p, "w", NULL);
    size_t size = tw_tensor_elements(b->g, t.meta) * sizeof *meta;
    assert_true(size <= sizeof meta && tw_popsparse_partition(b->g, type, &p, n, row, column, meta, slot, NULL));
    feed(b, t.values, -1, 1);
    memcpy(b->data[b->count], meta, size);
    b->list[b->count] = (io){ t.meta, b->data[b->count], false }, b->count++;
    tw_tensor x = feed(b, tw_popsparse_create_input(b->g, type, &p, "x", NULL), -1, 1);
    tw_tensor at = made(b, TW_UNSIGNED_INT, SHAPE(7), 0, 20), rows = made(b, type, SHAPE(7, 16), -1, 1);
    tw_tensor scale = made(b, TW_FLOAT, SHAPE(1), 1, 2);
    tw_tensor y = tw_popsparse_matmul(b->g, &p, t, x, false, b->p, NULL, NULL);
    compared(b, y);
    compared(b, tw_popsparse_matmul(b->g, &p, t, y, true, b->p, NULL, NULL));
    compared(b, tw_popsparse_matmul_gradient(b->g, &p, t.meta, y, x, b->p, NULL, NULL));
    compared(b, tw_popsparse_slice(b->g, &p, t, at, b->p, NULL, NULL));
    tw_popsparse_update_add(b->g, &p, t, rows, at, scale, b->p, NULL, NULL);
    compared(b, t.values);
}
static void sparse(bench *b, tw_type type)
{
    size_t slot[60];
    sparse_products(b, type, 0, slot);
}
static void sparse_spills(bench *b, tw_type type)
{
    size_t slot[60];
    sparse_products(b, type, 3, slot);
}
static void sparse_blocks(bench *b, tw_type type)
{
    static const unsigned char mask[12] = { 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0 };
    const tw_block_sparse m = { 1, 18, 16, 6, 4, mask };
    tw_tensor w = feed(b, tw_popsparse_create_blocks(b->g, type, &m, "w"), -1, 1),
              x = made(b, type, SHAPE(5, 18), -1, 1);
    compared(b, tw_popsparse_dense_sparse(b->g, x, &m, w, false, TW_TYPE_NONE, b->p, NULL, NULL));
    compared(b, tw_popsparse_block_softmax_gradient(b->g, w, w, &m, b->p, NULL));
    compared(b, tw_popsparse_block_softmax(b->g, w, &m, TW_SPARSE_ZERO_UPPER, b->p, NULL));
}

/* `units`: of float, and of half; 0: the same bits. `each`: of the last place of each element. */
static const struct row {
    const char *name;
    void (*build)(bench *b, tw_type type);
    double units[2];
    bool each;
} rows[] = {
    { "elementary", elementary, { 2, 1 }, true },
    { "more_elementary", more_elementary, { 2, 1 }, true },
    { "later_elementary", later_elementary, { 2, 1 }, true },
    { "arithmetic", arithmetic, { 0, 0 }, true },
    { "sums", sums, { 0, 0 }, true },
    { "log_sums", log_sums, { 2, 1 }, false },
    { "products", products, { 0, 0 }, true },
    { "convolutions", convolutions, { 0, 0 }, true },
    { "pools", pools, { 0, 0 }, true },
    { "activations", activations, { 4, 1 }, false },
    { "softmaxes", softmaxes, { 4, 1 }, false },
    { "layer_norms", layer_norms, { 0, 0 }, true },
    { "lstm", lstm, { 8, 2 }, false },
    { "gru", gru, { 8, 2 }, false },
    { "solvers", solvers, { 0, 0 }, true },
    { "small_factors", small_factors, { 0, 0 }, true },
    { "square_factors", square_factors, { 0, 0 }, true },
    { "tall_factors", tall_factors, { 0, 0 }, true },
    { "wide_factors", wide_factors, { 0, 0 }, true },
    { "large_solvers", large_solvers, { 0, 0 }, true },
    { "splines", splines, { 0, 0 }, true },
    { "cubic_splines", cubic_splines, { 0, 0 }, true },
    { "square_splines", square_splines, { 0, 0 }, true },
    { "orders", orders, { 0, 0 }, true },
    { "narrow_rows", narrow_rows, { 0, 0 }, true },
    { "numbers_at_random", numbers_at_random, { 0, 0 }, true },
    { "normal_numbers", normal_numbers, { 8, 1 }, false },
    { "sparse", sparse, { 0, 0 }, true },
    { "sparse_spills", sparse_spills, { 0, 0 }, true },
    { "sparse_blocks", sparse_blocks, { 4, 1 }, false },
};

/* --- runs ------------------------------------------------------------------------------------------------------- */

/* What vertex types took, by name. */
typedef struct spent {
    size_t count;
    struct {
        char name[120];
        uint64_t cycles, instances;
    } type[80];
} spent;

static void note_spent(tw_engine *e, spent *to)
{
    uint64_t cycles, instances;
    const char *name;
    to->count = 0;
    const tw_profile *p = tw_engine_profile(e);
    for (size_t i = 0; (name = tw_profile_vertex_type(p, i, &cycles, &instances)); i++) {
        assert_true(to->count < sizeof to->type / sizeof *to->type);
        snprintf(to->type[to->count].name, sizeof to->type->name, "%s", name);
        to->type[to->count].cycles = cycles, to->type[to->count++].instances = instances;
    }
}

static void note_spent_of(tw_engine *e, void *to)
{
    note_spent(e, to);
}

static void bench_run(const struct row *row, tw_type type, bool simulator, bench *b, spent *took)
{
    tw_ipu_model model = { .size = sizeof model, .tiles_per_ipu = TILES };
    tw_device *dev = simulator ? tw_device_ipu_sim_with(&model) : tw_device_ipu_model_with(&model);
    memset(b, 0, sizeof *b);
    b->r.state = 7, b->g = tw_graph_new(tw_device_target(dev)), b->p = tw_program_sequence(b->g, NULL);
    row->build(b, type);
    if (tw_graph_status(b->g)) fail_msg("%s: %s", row->name, tw_graph_error(b->g)->message);
    run_then(b->g, dev, b->p, b->count, b->list, took ? note_spent_of : NULL, took);
    tw_device_free(dev);
}

/* Products and convolutions are estimated at the rate of units that their code does not use. */
static bool is_estimated(const char *name)
{
    return strncmp(name, "pop", 3) == 0 && strncmp(name, "poplar_rt", 9) != 0 && !strstr(name, "MatMul<") &&
           !strstr(name, "Convolve<");
}

/* Cycles as estimated on the model beside those of the simulator: within a factor of two. */
static void compare_cycles(const spent *estimated, const spent *measured)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < measured->count; i++) {
        if (!is_estimated(measured->type[i].name)) continue;
        for (size_t k = 0; k < estimated->count; k++) {
            if (strcmp(measured->type[i].name, estimated->type[k].name) != 0) continue;
            double each = (double)measured->type[i].cycles / (double)measured->type[i].instances;
            double ratio = (double)estimated->type[k].cycles / (double)measured->type[i].cycles;
            print_message("  %5llu x %9.1f cycles, estimated %.2f times that: %s\n",
                          (unsigned long long)measured->type[i].instances, each, ratio, measured->type[i].name);
            wrong += ratio < 0.5 || ratio > 2;
        }
    }
    if (wrong) fail_msg("estimates of %u types of vertices are not within a factor of two", wrong);
}

static double unit_of(tw_type type, double at)
{
    int exponent;
    frexp(fmax(fabs(at), type == TW_HALF ? 0x1p-14 : 0x1p-126), &exponent);
    return ldexp(1, exponent - (type == TW_HALF ? 11 : 24));
}

static double output_distance(const struct row *row, tw_type type, size_t count, const char *got, const char *want)
{
    double greatest = 0, worst = 0;
    size_t width = tw_type_size(type);
    for (size_t i = 0; i < count; i++) greatest = fmax(greatest, fabs(tw_type_load(type, want + i * width)));
    for (size_t i = 0; i < count; i++) {
        double x = tw_type_load(type, got + i * width), y = tw_type_load(type, want + i * width);
        bool real = type == TW_FLOAT || type == TW_HALF;
        if (memcmp(got + i * width, want + i * width, width) == 0) continue;
        double d = real ? fabs(x - y) / unit_of(type, row->each ? y : greatest) : INFINITY;
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

static void row_check(const struct row *row, tw_type type)
{
    static bench on_tiles, native;
    static spent estimated, measured;
    bench_run(row, type, false, &native, &estimated);
    bench_run(row, type, true, &on_tiles, &measured);
    double worst = 0;
    for (size_t i = 0; i < native.count; i++) {
        if (!native.list[i].out) continue;
        tw_tensor t = native.list[i].tensor;
        double d = output_distance(row, tw_tensor_type(native.g, t), tw_tensor_elements(native.g, t),
                                   on_tiles.data[i], native.data[i]);
        if (!(d <= row->units[type == TW_HALF]))
            fail_msg("%s of %s, tensor %zu: %g units, not %g", row->name, tw_type_name(type, TW_SYSTEM_POPLAR), i,
                     d, row->units[type == TW_HALF]);
        worst = fmax(worst, d);
    }
    print_message("%-18s %-5s %g units\n", row->name, tw_type_name(type, TW_SYSTEM_POPLAR), worst);
    compare_cycles(&estimated, &measured);
    tw_graph_free(native.g), tw_graph_free(on_tiles.g);
}

static void libs_tiles_float(void **state)
{
    (void)state;
    const char *only = getenv("TW_ROW");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!only || strcmp(only, rows[i].name) == 0) row_check(&rows[i], TW_FLOAT);
}
static void libs_tiles_half(void **state)
{
    (void)state;
    const char *only = getenv("TW_ROW");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!only || strcmp(only, rows[i].name) == 0) row_check(&rows[i], TW_HALF);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_tiles_float), cmocka_unit_test(libs_tiles_half) };
    return cmocka_run_group_tests_name("libs_tiles", tests, NULL, NULL);
}
