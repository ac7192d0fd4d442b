/* SPDX-License-Identifier: MIT */
/* What the archives beside the library hold is not compiled when it is first used: calls with neither a compiler nor
 * a cache build and run. Their values are what other tests compare. */
#include "poplar/libs/libs_run.h"

#include <glib.h>
#include <glib/gstdio.h>

static tw_tensor zeros(tw_graph *g, tw_type type, unsigned rank, const size_t *shape)
{
    tw_tensor t = tw_graph_add_variable(g, type, rank, shape, "t");
    tw_poputil_map_linearly(g, t);
    return t;
}

static void archive_solvers(tw_graph *g, tw_program p)
{
    tw_tensor a = zeros(g, TW_FLOAT, 2, (size_t[]){ 5, 5 }), b = zeros(g, TW_FLOAT, 2, (size_t[]){ 5, 2 });
    tw_poplin_triangular_solve(g, a, b, true, true, false, p, "solve", NULL);
    tw_poplin_cholesky(g, a, true, p, "cholesky", NULL);
    tw_poplin_qr(g, a, p, "qr");
}

static void archive_products(tw_graph *g, tw_program p)
{
    for (int half = 0; half < 2; half++) {
        tw_type type = half ? TW_HALF : TW_FLOAT;
        tw_tensor a = zeros(g, type, 2, (size_t[]){ 5, 7 }), b = zeros(g, type, 2, (size_t[]){ 7, 3 });
        tw_poplin_matmul(g, a, b, TW_TYPE_NONE, p, "product", NULL);
        tw_conv_params c = { .input_type = type,
                             .output_type = type,
                             .batch = 1,
                             .dims = 1,
                             .field = { 6 },
                             .kernel = { 3 },
                             .in_channels = 2,
                             .out_channels = 2,
                             .groups = 1 };
        tw_tensor in = tw_poplin_create_conv_input(g, &c, "in", NULL);
        tw_tensor weights = tw_poplin_create_conv_weights(g, &c, "weights", NULL);
        tw_poplin_convolution(g, in, weights, &c, false, p, "conv", NULL);
    }
}

static void archive_layers(tw_graph *g, tw_program p)
{
    for (int i = 0; i < 3; i++) {
        tw_pool_params pool = { .type = (tw_pool_type)i,
                                .dims = 1,
                                .field = { 6 },
                                .kernel = { 2 },
                                .stride = { 1 },
                                .channels = 2,
                                .batch = 1,
                                .data_type = TW_FLOAT };
        tw_tensor in = zeros(g, TW_FLOAT, 3, (size_t[]){ 1, 2, 6 }),
                  out = tw_popnn_pool(g, &pool, in, p, "pool", NULL);
        if (pool.type == TW_POOL_MAX)
            tw_popnn_pool_max_gradient(g, &pool, in, out, out, false, p, "back", NULL);
        else
            tw_popnn_pool_gradient(g, &pool, out, p, "back", NULL);
    }
    size_t batch = 2;
    tw_tensor logs = zeros(g, TW_FLOAT, 3, (size_t[]){ 4, 2, 3 });
    tw_tensor labels = zeros(g, TW_UNSIGNED_INT, 2, (size_t[]){ 2, 2 }), n = zeros(g, TW_UNSIGNED_INT, 1, &batch);
    tw_popnn_ctc_loss(g, logs, labels, n, n, 0, TW_FLOAT, p, "ctc", NULL);
    tw_popnn_ctc_beam_search(g, logs, n, 0, 4, 2, p, "search", NULL);
    tw_tensor rows = zeros(g, TW_FLOAT, 2, (size_t[]){ 6, 4 }), into = zeros(g, TW_FLOAT, 2, (size_t[]){ 8, 4 });
    tw_popops_sequence_slice(g, rows, into, n, n, n, false, p, "runs");
}

static void archive_sparse(tw_graph *g, tw_program p)
{
    static const unsigned char mask[4] = { 1, 0, 1, 1 };
    const tw_block_sparse blocks = { 0, 8, 8, 4, 4, mask };
    const tw_sparse_params params = { .rows = 64, .columns = 64, .batch = 4, .values = 256 };
    size_t count = 3;
    for (int half = 0; half < 2; half++) {
        tw_type type = half ? TW_HALF : TW_FLOAT;
        tw_tensor x = zeros(g, type, 2, (size_t[]){ 3, 16 });
        tw_tensor y = tw_popsparse_block_softmax(g, x, &blocks, TW_SPARSE_WHOLE, p, "softmax");
        tw_popsparse_block_softmax_gradient(g, y, x, &blocks, p, "softmax");
        tw_sparse_tensor w = tw_popsparse_create_weights(g, type, &params, "weights", NULL);
        tw_tensor in = tw_popsparse_create_input(g, type, &params, "in", NULL);
        tw_popops_zero(g, w.meta, p, "meta"), tw_popops_zero(g, w.values, p, "values"),
            tw_popops_zero(g, in, p, "in");
        tw_tensor out = tw_popsparse_matmul(g, &params, w, in, false, p, "product", NULL);
        tw_popsparse_matmul_gradient(g, &params, w.meta, out, in, p, "gradient", NULL);
        tw_tensor rows = zeros(g, TW_UNSIGNED_INT, 1, &count);
        tw_tensor slices = tw_popsparse_slice(g, &params, w, rows, p, "rows", NULL);
        for (int by = 0; by <= half; by++) {
            tw_tensor scale = zeros(g, by ? TW_HALF : TW_FLOAT, 0, NULL);
            tw_popsparse_update_add(g, &params, w, slices, rows, scale, p, "update", NULL);
        }
    }
}

static void archive_steps(tw_graph *g, tw_program p)
{
    const char *const defaults[] = { "scaleFloatToHalfTolerance=0.000001", NULL };
    for (int half = 0; half < 2; half++) {
        tw_type type = half ? TW_HALF : TW_FLOAT;
        tw_tensor a = zeros(g, type, 2, (size_t[]){ 5, 7 }), b = zeros(g, type, 2, (size_t[]){ 5, 7 });
        for (int by = 0; by <= half; by++) {
            tw_scale scale = { .tensor = zeros(g, by ? TW_HALF : TW_FLOAT, 0, NULL) };
            tw_tensor gradient = zeros(g, TW_FLOAT, 2, (size_t[]){ 5, 7 });
            tw_popops_scaled_add(g, a, (tw_scale){ .number = 1 }, gradient, scale, p, "mixed", defaults);
            tw_popops_scaled_add(g, a, (tw_scale){ .number = 1 }, b, scale, p, "add", NULL);
            tw_popops_scaled_subtract(g, a, (tw_scale){ .number = 1 }, b, scale, p, "subtract", NULL);
        }
        tw_popops_scaled_subtract(g, a, (tw_scale){ .number = 1 }, b, (tw_scale){ .number = 0.5 }, p, "step", NULL);
        tw_popops_scaled_add(g, a, (tw_scale){ .number = 1 }, b, (tw_scale){ .number = 0.1 }, p, "far", NULL);
        tw_popnn_non_linearity_gradient(g, TW_NL_RELU, a, b, p, "relu");
        tw_tensor operands[2] = { a, zeros(g, TW_BOOL, 2, (size_t[]){ 5, 7 }) };
        tw_popops_map(g, "select(_1, 0, _2)", 2, operands, p, "masked", NULL);
    }
}

static void libs_archive_is_enough(void **state)
{
    (void)state;
    static void (*const calls[])(tw_graph *, tw_program) = { archive_solvers, archive_products, archive_layers,
                                                             archive_sparse, archive_steps };
    g_autofree char *archive = g_build_filename(tw_lib_dir(), "tilewright", "libs.gp", NULL);
    if (!g_file_test(archive, G_FILE_TEST_IS_REGULAR)) skip(); /* builds without popc have none */
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        tw_device *dev = i % 2 ? tw_device_cpu_accurate_half() : model_device(3, 1);
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_program p = tw_program_sequence(g, NULL);
        calls[i](g, p);
        if (tw_graph_status(g)) fail_msg("%s: %s", tw_graph_error(g)->function, tw_graph_error(g)->message);
        run_once(g, dev, p, 0, NULL);
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

static void remove_all(const char *path)
{
    GDir *dir = g_dir_open(path, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *inner = g_build_filename(path, name, NULL);
        remove_all(inner);
    }
    if (dir) g_dir_close(dir);
    g_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_archive_is_enough) };
    char *folder = g_dir_make_tmp("archive-XXXXXX", NULL);
    g_setenv("XDG_CACHE_HOME", folder, TRUE);
    g_setenv("TILEWRIGHT_CLANG", "no-such-compiler", TRUE); /* the tool chain is looked up once, later */
    int failed = cmocka_run_group_tests_name("libs_archive", tests, NULL, NULL);
    remove_all(folder);
    g_free(folder);
    return failed;
}
