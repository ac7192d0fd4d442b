/* SPDX-License-Identifier: MIT */
/* Matrix products against loops in double; the same bits for all mappings of one target; serial steps; groups;
 * errors. */
#include "poplar/libs/libs_run.h"

enum { MATMUL_MOST = 1 << 16 };
static float af[MATMUL_MOST], bf[MATMUL_MOST], out[MATMUL_MOST], first[MATMUL_MOST];
static uint16_t ah[MATMUL_MOST], bh[MATMUL_MOST];

typedef struct matmul_case {
    size_t g, m, k, n;
    tw_type from, to;
    const char *option;
} matmul_case;

static const void *host(tw_type type, float *f, uint16_t *h, size_t n, lcg *r)
{
    for (size_t i = 0; i < n; i++) {
        f[i] = (float)draw_real(r, -1, 1);
        h[i] = tw_f32_to_f16(f[i], TW_ROUND_NEAREST_EVEN, 0);
        if (type == TW_HALF) f[i] = tw_f16_to_f32(h[i]);
    }
    return type == TW_HALF ? (const void *)h : f;
}

static void run_product(tw_device *dev, const matmul_case *c, int way, void *to)
{
    lcg r = { 17 }, places = { (uint64_t)way };
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    size_t sa[] = { c->g, c->m, c->k }, sb[] = { c->g, c->k, c->n };
    unsigned rank = c->g ? 3 : 2, skip = 3 - rank;
    const char *const options[] = { c->option, NULL };
    tw_tensor a, b;
    if (way == MAPPINGS) {
        a = tw_poplin_create_matmul_lhs(g, c->from, rank, sa + skip, sb + skip, "a", options);
        b = tw_poplin_create_matmul_rhs(g, c->from, rank, sa + skip, sb + skip, "b", options);
    } else {
        a = tw_graph_add_variable(g, c->from, rank, sa + skip, "a");
        if (rank == 2 && way == 1) { /* stored transposed */
            a = tw_tensor_transpose(g, tw_graph_add_variable(g, c->from, 2, (size_t[]){ c->k, c->m }, "a"));
        }
        b = tw_graph_add_variable(g, c->from, rank, sb + skip, "b");
        map_somehow(g, a, way, &places), map_somehow(g, b, (way + 1) % MAPPINGS, &places);
    }
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y = tw_poplin_matmul(g, a, b, c->to, p, "y", options);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    assert_int_equal(tw_tensor_dim(g, y, rank - 1), c->n);
    assert_int_equal(tw_tensor_dim(g, y, rank - 2), c->m);
    size_t groups = c->g ? c->g : 1;
    const void *x = host(c->from, af, ah, groups * c->m * c->k, &r),
               *z = host(c->from, bf, bh, groups * c->k * c->n, &r);
    run_once(g, dev, p, 3,
             (io[]){ { a, (void *)(uintptr_t)x, false }, { b, (void *)(uintptr_t)z, false }, { y, to, true } });
    tw_graph_free(g);
}

static void check_product(const matmul_case *c, const void *seen)
{
    for (size_t g = 0; g < (c->g ? c->g : 1); g++)
        for (size_t i = 0; i < c->m; i++)
            for (size_t j = 0; j < c->n; j++) {
                double want = 0, size = 0;
                for (size_t l = 0; l < c->k; l++) {
                    double v = (double)af[(g * c->m + i) * c->k + l] * bf[(g * c->k + l) * c->n + j];
                    want += v, size += fabs(v);
                }
                size_t at = (g * c->m + i) * c->n + j;
                double is = c->to == TW_HALF ? (double)tw_f16_to_f32(((const uint16_t *)seen)[at])
                                             : (double)((const float *)seen)[at];
                double room = c->to == TW_HALF ? fabs(want) * 0x1p-10 + size * 1e-6 + 1e-7 : size * 2e-6;
                if (!(fabs(is - want) <= room)) fail_msg("[%zu, %zu]: %.9g, not %.9g", i, j, is, want);
            }
}

static void check_case(const matmul_case *c)
{
    tw_device *dev[] = { model_device(11, 1), model_device(60, 1), tw_device_cpu_accurate_half() };
    for (int d = 0; d < 3; d++) {
        run_product(dev[d], c, 0, first);
        check_product(c, first);
        size_t bytes = (c->g ? c->g : 1) * c->m * c->n * tw_type_size(c->to);
        for (int way = 1; way <= MAPPINGS && d < 2; way++) {
            run_product(dev[d], c, way, out);
            if (memcmp(first, out, bytes) != 0)
                fail_msg("%zu x %zu x %zu: other bits in mapping %d", c->m, c->k, c->n, way);
        }
        tw_device_free(dev[d]);
    }
}

static void libs_matmul_random(void **state)
{
    (void)state;
    lcg r = { 5 };
    for (int i = 0; i < 10; i++) {
        matmul_case c = { i % 4 == 3 ? 1 + draw(&r, 5) : 0,
                          1 + draw(&r, 70),
                          1 + draw(&r, 150),
                          1 + draw(&r, 90),
                          i % 3 == 1 ? TW_HALF : TW_FLOAT,
                          i % 3 == 2 || (i % 3 == 1 && i % 2) ? TW_HALF : TW_FLOAT,
                          NULL };
        check_case(&c);
    }
}

static void libs_matmul_sizes(void **state)
{
    (void)state;
    static const matmul_case rows[] = {
        { 0, 1, 1, 1, TW_FLOAT, TW_FLOAT, NULL },    { 0, 1, 300, 1, TW_FLOAT, TW_FLOAT, NULL },
        { 0, 64, 64, 64, TW_FLOAT, TW_FLOAT, NULL }, { 0, 13, 700, 33, TW_HALF, TW_HALF, NULL },
        { 0, 200, 3, 2, TW_FLOAT, TW_FLOAT, NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_case(&rows[i]);
}

/* Little memory makes serial steps, which change nothing but the plan. */
static void libs_matmul_serial(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    size_t a[] = { 100, 256 }, b[] = { 256, 100 };
    const char *const little[] = { "availableMemoryProportion=0.03", NULL };
    char *plan = tw_poplin_matmul_plan(g, TW_FLOAT, 2, a, b, NULL),
         *serial = tw_poplin_matmul_plan(g, TW_FLOAT, 2, a, b, little);
    assert_non_null(strstr(plan, "1 serial step\n"));
    assert_null(strstr(serial, "1 serial step\n"));
    assert_non_null(strstr(serial, "serial steps"));
    free(plan), free(serial);
    tw_graph_free(g);
    tw_device_free(dev);
    matmul_case c = { 0, 100, 256, 100, TW_FLOAT, TW_FLOAT, "availableMemoryProportion=0.004" };
    check_case(&c);
}

static void libs_matmul_accumulate(void **state)
{
    (void)state;
    tw_device *dev = model_device(7, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 6, 40 }, "a"),
              b = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 40, 9 }, "b"),
              c = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 6, 9 }, "c"),
              k = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "k");
    tw_poputil_map_linearly(g, a), tw_poputil_map_linearly(g, b), tw_poputil_map_linearly(g, c),
        tw_graph_map(g, k, 1);
    tw_program p = tw_program_sequence(g, NULL);
    tw_poplin_matmul_accumulate(g, c, (tw_scale){ 0.5, { 0, 0 } }, a, b, p, NULL, NULL);
    tw_poplin_matmul_accumulate(g, c, (tw_scale){ 0, k }, a, b, p, NULL, NULL);
    assert_int_equal(tw_graph_status(g), TW_OK);
    lcg r = { 2 };
    float old[54], seen[54], scale = -2;
    host(TW_FLOAT, af, ah, 240, &r), host(TW_FLOAT, bf, bh, 360, &r), host(TW_FLOAT, old, ah, 54, &r);
    run_once(
        g, dev, p, 5,
        (io[]){ { a, af, false }, { b, bf, false }, { c, old, false }, { k, &scale, false }, { c, seen, true } });
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 9; j++) {
            double sum = 0;
            for (int l = 0; l < 40; l++) sum += (double)af[i * 40 + l] * bf[l * 9 + j];
            assert_true(fabs(seen[i * 9 + j] - (old[i * 9 + j] - 1.5 * sum)) < 2e-5);
        }
    tw_graph_free(g);
    tw_device_free(dev);
}

static void libs_matmul_edges(void **state)
{
    (void)state;
    tw_device *dev = model_device(7, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 3, 0 }, "a"),
              b = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 0, 5 }, "b");
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y = tw_poplin_matmul(g, a, b, TW_TYPE_NONE, p, "y", NULL);
    tw_tensor none = tw_poplin_matmul(g, b, tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 5, 2 }, "c"),
                                      TW_TYPE_NONE, p, "z", NULL);
    assert_int_equal(tw_tensor_elements(g, none), 0);
    float zeros[15];
    memset(zeros, 1, sizeof zeros);
    run_once(g, dev, p, 1, &(io){ y, zeros, true });
    for (int i = 0; i < 15; i++) assert_true(zeros[i] == 0);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 70, 24 }, "x"),
              h = tw_graph_add_variable(g, TW_HALF, 2, (size_t[]){ 24, 3 }, "h"),
              i = tw_graph_add_variable(g, TW_INT, 2, (size_t[]){ 24, 3 }, "i"),
              square = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 24, 24 }, "s"),
              flag = tw_graph_add_variable(g, TW_BOOL, 1, (size_t[]){ 1 }, "flag"),
              loose = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 70, 70 }, "l");
    tw_poputil_map_linearly(g, square), tw_poputil_map_linearly(g, flag);
    tw_poputil_map_linearly(g, x), tw_poputil_map_linearly(g, h), tw_poputil_map_linearly(g, i);
    uint64_t before = graph_hash(g);
    tw_poplin_matmul(g, x, x, TW_TYPE_NONE, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul", "[70, 24] times [70, 24]", NULL);
    tw_poplin_matmul(g, x, tw_tensor_flatten(g, x), TW_TYPE_NONE, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul", "[70, 24] times [1680]", NULL);
    tw_poplin_matmul(g, x, h, TW_TYPE_NONE, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul", "'x' float[70, 24]", "'h' half[24, 3]", NULL);
    tw_poplin_matmul(g, i, tw_tensor_transpose(g, i), TW_TYPE_NONE, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul", "matrices of int", NULL);
    tw_poplin_matmul(g, x, tw_tensor_transpose(g, x), TW_INT, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul", "as int", NULL);
    tw_poplin_matmul_accumulate(g, loose, (tw_scale){ 1, { 0, 0 } }, x, tw_tensor_transpose(g, x), p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul_accumulate", "'l' float[70, 70]", "no tile", NULL);
    tw_poplin_matmul_accumulate(g, x, (tw_scale){ 1, { 0, 0 } }, x, tw_tensor_transpose(g, x), p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul_accumulate", "'x' float[70, 24] +=", NULL);
    tw_poplin_matmul_accumulate(g, tw_tensor_broadcast(g, tw_tensor_slice(g, x, 0, 0, 1), 24, 0),
                                (tw_scale){ 1, { 0, 0 } }, tw_tensor_transpose(g, x), x, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul_accumulate", "'x' float[24, 24]", "more than once", NULL);
    tw_poplin_matmul_accumulate(g, square, (tw_scale){ 1, x }, tw_tensor_transpose(g, x), x, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul_accumulate", "a scale is one number", "'x' float[70, 24]",
                 NULL);
    tw_poplin_matmul_accumulate(g, square, (tw_scale){ 1, flag }, tw_tensor_transpose(g, x), x, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul_accumulate", "a scale is one number", "'flag' bool[1]", NULL);
    tw_poplin_create_matmul_lhs(g, TW_FLOAT, 2, (size_t[]){ 2, 3 }, (size_t[]){ 2, 3 }, "a", NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_create_matmul_lhs", "[2, 3] times [2, 3]", NULL);
    tw_poplin_matmul(g, x, tw_tensor_transpose(g, x), TW_TYPE_NONE, p, NULL,
                     (const char *const[]){ "fullyConnectedPass=TRAINING", NULL });
    refused_with(g, TW_E_INVALID_OPTION, "tw_poplin_matmul", "TRAINING", "TRAINING_WU", NULL);
    assert_null(tw_poplin_matmul_plan(g, TW_FLOAT, 4, (size_t[]){ 1, 2, 3, 3 }, (size_t[]){ 1, 2, 3, 3 }, NULL));
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul_plan", "times", NULL);
    assert_null(tw_poplin_matmul_plan(g, TW_FLOAT, 4, NULL, NULL, NULL));
    refused_with(g, TW_E_POPLIBS, "tw_poplin_matmul_plan", "a: a list of 4 that is NULL", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_matmul_random), cmocka_unit_test(libs_matmul_sizes),
                                        cmocka_unit_test(libs_matmul_serial),
                                        cmocka_unit_test(libs_matmul_accumulate),
                                        cmocka_unit_test(libs_matmul_edges) };
    return cmocka_run_group_tests_name("libs_matmul", tests, NULL, NULL);
}
