/* SPDX-License-Identifier: MIT */
/* Labels, sums along a dimension, histograms, padding, images and questions about all elements, against loops;
 * the same bits wherever elements lie. */
#include "poplar/libs/libs_run.h"

static void store_real(tw_type type, char *to, size_t i, double v)
{
    tw_type_store(type, to + i * tw_type_size(type), v);
}
static double load_real(tw_type type, const char *from, size_t i)
{
    return tw_type_load(type, from + i * tw_type_size(type));
}

static void no_error(tw_graph *g)
{
    if (tw_graph_status(g)) fail_msg("%s: %s", tw_graph_error(g)->function, tw_graph_error(g)->message);
}

/* --- labels --------------------------------------------------------------------------------------------------- */

static void libs_encode_one_hot(void **state)
{
    (void)state;
    static const tw_type types[] = { TW_FLOAT, TW_HALF, TW_INT, TW_UNSIGNED_INT, TW_BOOL };
    lcg r = { 31 };
    for (unsigned k = 0; k < 20; k++) {
        tw_type type = types[k % 5];
        size_t n = 1 + draw(&r, 9), classes = 1 + draw(&r, 40);
        tw_device *dev = k % 3 ? model_device(6, 1) : tw_device_cpu_accurate_half();
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor i = tw_graph_add_variable(g, k % 2 ? TW_INT : TW_UNSIGNED_INT, 1, &n, "labels"),
                  e = tw_graph_add_variable(g, type, 2, (size_t[]){ n, classes }, "rows"),
                  on = tw_graph_add_variable(g, type, 0, NULL, "on");
        map_somehow(g, i, (int)k % MAPPINGS, &r), map_somehow(g, e, (int)(k / 2) % MAPPINGS, &r);
        tw_graph_map(g, on, 1 % tw_target_tiles(tw_graph_target(g)));
        tw_program p = tw_program_sequence(g, NULL);
        bool given = k % 2 && type != TW_BOOL;
        tw_popops_one_hot(g, i, e, given ? on : (tw_tensor){ 0, 0 }, (tw_tensor){ 0, 0 }, p, "y");
        no_error(g);
        uint32_t label[9];
        char value[4], out[360 * 4];
        store_real(type, value, 0, 7);
        for (size_t a = 0; a < n; a++) label[a] = draw(&r, 5) ? draw(&r, (uint32_t)classes + 2) : UINT32_MAX;
        if (type == TW_BOOL) value[0] = 1;
        run_once(g, dev, p, 3, (io[]){ { i, label, false }, { on, value, false }, { e, out, true } });
        for (size_t a = 0; a < n * classes; a++)
            if (load_real(type, out, a) != (label[a / classes] == a % classes ? given ? 7 : 1 : 0))
                fail_msg("case %u, element %zu: %g", k, a, load_real(type, out, a));
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

static void libs_encode_scalars_of_rows(void **state)
{
    (void)state;
    lcg r = { 32 };
    for (unsigned k = 0; k < 8; k++) {
        tw_type type = k % 2 ? TW_HALF : TW_FLOAT;
        size_t n = 8, classes = 1 + draw(&r, 30);
        tw_device *dev = model_device(6, 1);
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor i = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &n, "labels"),
                  e = tw_graph_add_variable(g, type, 2, (size_t[]){ n, classes }, "rows");
        map_somehow(g, i, (int)k % MAPPINGS, &r), map_somehow(g, e, (int)(k / 2) % MAPPINGS, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_tensor y = tw_popops_select_scalar_from_rows(g, e, i, p, "y");
        tw_popops_update_scalar_in_rows(g, e, i, p, "less");
        no_error(g);
        uint32_t label[8];
        char in[8 * 30 * 4], out[8 * 30 * 4], scalar[8 * 4];
        for (size_t a = 0; a < n; a++) label[a] = draw(&r, (uint32_t)classes);
        label[2] = (uint32_t)classes, label[5] = UINT32_MAX, label[6] = UINT32_MAX - 1;
        for (size_t a = 0; a < n * classes; a++) store_real(type, in, a, draw(&r, 64));
        run_once(g, dev, p, 4,
                 (io[]){ { i, label, false }, { e, in, false }, { e, out, true }, { y, scalar, true } });
        for (size_t a = 0; a < n; a++) {
            bool masked = label[a] == UINT32_MAX, outside = !masked && label[a] >= classes;
            double s = load_real(type, scalar, a);
            assert_true(outside ? isnan(s) : s == (masked ? 0 : load_real(type, in, a * classes + label[a])));
            for (size_t c = 0; c < classes; c++) {
                double v = load_real(type, out, a * classes + c), old = load_real(type, in, a * classes + c);
                assert_true(outside ? isnan(v) : v == old - (label[a] == c));
            }
        }
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

/* --- sums along a dimension, histograms ----------------------------------------------------------------------- */

static void libs_encode_cumulative_sum(void **state)
{
    (void)state;
    static const tw_type types[] = { TW_FLOAT, TW_HALF, TW_INT, TW_UNSIGNED_INT };
    lcg r = { 33 };
    for (unsigned k = 0; k < 16; k++) {
        tw_type type = types[k % 4];
        size_t shape[] = { 1 + draw(&r, 6), 1 + draw(&r, 20), 1 + draw(&r, 7) },
               all = shape[0] * shape[1] * shape[2];
        unsigned dim = draw(&r, 3);
        bool exclusive = k / 4 % 2, reverse = k / 8;
        char in[840 * 4], out[2][840 * 4];
        for (size_t a = 0; a < all; a++) store_real(type, in, a, draw(&r, 9));
        if (type == TW_INT) store_real(type, in, 0, 2147483647);
        for (int way = 0; way < 2; way++) {
            tw_device *dev = way ? model_device(6, 1) : tw_device_cpu_accurate_half();
            tw_graph *g = tw_graph_new(tw_device_target(dev));
            tw_tensor t = tw_graph_add_variable(g, type, 3, shape, "t");
            map_somehow(g, t, (int)(k + 2 * (unsigned)way) % MAPPINGS, &r);
            tw_program p = tw_program_sequence(g, NULL);
            tw_tensor y = tw_popops_cumulative_sum(g, t, dim, exclusive, reverse, p, "y");
            no_error(g);
            run_once(g, dev, p, 2, (io[]){ { t, in, false }, { y, out[way], true } });
            tw_graph_free(g);
            tw_device_free(dev);
        }
        assert_memory_equal(out[0], out[1], all * tw_type_size(type));
        size_t inner = 1, n = shape[dim];
        for (unsigned d = dim + 1; d < 3; d++) inner *= shape[d];
        for (size_t a = 0; a < all; a++) { /* sums of small integers: exact, but for int's first, modulo 2^32 */
            size_t at = a / inner % n;
            double sum = 0;
            for (size_t b = 0; b < n; b++)
                if (reverse ? b > at || (b == at && !exclusive) : b < at || (b == at && !exclusive))
                    sum += load_real(type, in, a + b * inner - at * inner);
            if (type == TW_INT) sum = (double)(int32_t)(uint32_t)(int64_t)sum;
            if (load_real(type, out[0], a) != sum)
                fail_msg("case %u: %g, not %g", k, load_real(type, out[0], a), sum);
        }
    }
}

static void libs_encode_histogram(void **state)
{
    (void)state;
    enum { N = 1500 };
    static const char *const as_float[] = { "useFloatArithmetic=true",
                                            "useFloatArithmeticWithUnsignedIntOutput=false", NULL };
    lcg r = { 34 };
    for (unsigned k = 0; k < 8; k++) {
        tw_type type = k % 2 ? TW_HALF : TW_FLOAT;
        size_t levels = 1 + draw(&r, 9), n = N;
        tw_device *dev = k % 3 ? model_device(6, 1) : tw_device_cpu_accurate_half();
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor t = tw_graph_add_variable(g, type, 1, &n, "t"),
                  l = tw_graph_add_variable(g, type, 1, &levels, "l");
        map_somehow(g, t, (int)k % MAPPINGS, &r), map_somehow(g, l, (int)(k + 1) % MAPPINGS, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_tensor y = tw_popops_histogram(g, t, l, k / 4, p, "y", k == 3 ? as_float : NULL);
        no_error(g);
        assert_int_equal(tw_tensor_type(g, y), k == 3 ? TW_FLOAT : TW_UNSIGNED_INT);
        char in[N * 4], level[10 * 4];
        uint32_t out[10], want[10] = { 0 };
        for (size_t a = 0; a < levels; a++) store_real(type, level, a, (double)a * 2 - 4);
        for (size_t a = 0; a < N; a++) {
            store_real(type, in, a, (draw(&r, 200) - 100.0) / 8);
            double v = load_real(type, in, a);
            size_t bin = 0;
            while (bin < levels && (k / 4 ? fabs(v) : v) >= load_real(type, level, bin)) bin++;
            want[bin]++;
        }
        run_once(g, dev, p, 3, (io[]){ { t, in, false }, { l, level, false }, { y, out, true } });
        for (size_t a = 0; a <= levels; a++) {
            float f;
            memcpy(&f, &out[a], 4);
            assert_true(k == 3 ? f == (float)want[a] : out[a] == want[a]);
        }
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

static void libs_encode_all_elements(void **state)
{
    (void)state;
    enum { N = 200 };
    tw_device *dev = model_device(6, 1);
    for (int k = 0; k < 4; k++) {
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        lcg r = { 35 };
        tw_tensor b = tw_graph_add_variable(g, TW_BOOL, 2, (size_t[]){ 10, 20 }, "b"),
                  f = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ N }, "f");
        map_somehow(g, b, k, &r), map_somehow(g, f, k, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_tensor y[] = { tw_popops_all_true(g, b, p, "all"), tw_popops_has_nan(g, f, p, "nan"),
                          tw_popops_has_nan_or_inf(g, f, p, "inf") };
        no_error(g);
        bool in[N], out[3];
        float x[N];
        for (int a = 0; a < N; a++) in[a] = k != 1 || a != 133, x[a] = (float)a;
        if (k == 2) x[199] = NAN;
        if (k == 3) x[0] = -INFINITY;
        run_once(g, dev, p, 5,
                 (io[]){ { b, in, false },
                         { f, x, false },
                         { y[0], &out[0], true },
                         { y[1], &out[1], true },
                         { y[2], &out[2], true } });
        assert_int_equal(tw_tensor_rank(g, y[0]), 0);
        assert_int_equal(out[0], k != 1);
        assert_int_equal(out[1], k == 2);
        assert_int_equal(out[2], k >= 2);
        tw_graph_free(g);
    }
    tw_device_free(dev);
}

/* --- padding, images ------------------------------------------------------------------------------------------ */

/* Index of the tensor for index i of the padded one; -1: the value. */
static int64_t padded_from(int64_t i, int64_t n, int64_t lower, int64_t upper, int kind)
{
    int64_t first = lower < 0 ? -lower : 0, last = n - (upper < 0 ? -upper : 0) - 1, at = i - lower;
    if (at >= first && at <= last) return at;
    if (kind < 0) return -1;
    if (kind == TW_PAD_EDGE) return at < first ? first : last;
    return at < first ? 2 * first - at : 2 * last - at;
}

static void libs_encode_pad(void **state)
{
    (void)state;
    lcg r = { 36 };
    for (int k = 0; k < 30; k++) {
        int kind = k % 3 - 1;
        tw_device *dev = model_device(6, 1);
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        size_t shape[] = { 3 + draw(&r, 4), 3 + draw(&r, 4) };
        int64_t lower[2], upper[2];
        for (int d = 0; d < 2;
             d++) { /* what is cut leaves two elements; reflections are shorter than that leaves */
            int64_t n = (int64_t)shape[d];
            lower[d] = (int64_t)draw(&r, 4) - 2, upper[d] = n > 4 ? (int64_t)draw(&r, 4) - 2 : (int64_t)draw(&r, 2);
            if (kind == TW_PAD_REFLECT) {
                int64_t left = n + (lower[d] < 0 ? lower[d] : 0) + (upper[d] < 0 ? upper[d] : 0);
                if (lower[d] >= left) lower[d] = left - 1;
                if (upper[d] >= left) upper[d] = left - 1;
            }
        }
        tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 2, shape, "t");
        map_somehow(g, t, k % MAPPINGS, &r);
        tw_tensor y = kind < 0 ? tw_popops_pad(g, t, lower, upper, 2.5, k % 2 ? TW_PAD_MAP_ZERO : TW_PAD_MAP_EDGE)
                               : tw_popops_pad_with(g, t, lower, upper, (tw_pad_kind)kind);
        no_error(g);
        float in[36], out[400];
        for (int a = 0; a < 36; a++) in[a] = (float)a;
        run_once(g, dev, tw_program_sequence(g, NULL), 2, (io[]){ { t, in, false }, { y, out, true } });
        size_t rows = tw_tensor_dim(g, y, 0), columns = tw_tensor_dim(g, y, 1);
        assert_int_equal(rows, (int64_t)shape[0] + lower[0] + upper[0]);
        assert_int_equal(columns, (int64_t)shape[1] + lower[1] + upper[1]);
        for (size_t a = 0; a < rows * columns; a++) {
            int64_t i = padded_from((int64_t)(a / columns), (int64_t)shape[0], lower[0], upper[0], kind);
            int64_t j = padded_from((int64_t)(a % columns), (int64_t)shape[1], lower[1], upper[1], kind);
            assert_true(out[a] == (i < 0 || j < 0 ? 2.5f : in[i * (int64_t)shape[1] + j]));
        }
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

/* Constants beside an element are on its tile. */
static void libs_encode_pad_mapping(void **state)
{
    (void)state;
    tw_device *dev = model_device(6, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 2 }, "t");
    tw_graph_map_range(g, t, 0, 1, 3), tw_graph_map_range(g, t, 1, 1, 5);
    static const unsigned want[3][5] = { { NOWHERE, NOWHERE, 3, 5, NOWHERE },
                                         { 0, 0, 3, 5, 0 },
                                         { 3, 3, 3, 5, 5 } };
    for (int m = 0; m < 3; m++) {
        tw_tensor y = tw_popops_pad(g, t, (int64_t[]){ 2 }, (int64_t[]){ 1 }, 0, (tw_pad_mapping)m);
        unsigned *tile = tiles_of(g, y);
        for (int i = 0; i < 5; i++) assert_int_equal(tile[i], want[m][i]);
        free(tile);
    }
    tw_graph_free(g);
    tw_device_free(dev);
}

static void libs_encode_image(void **state)
{
    (void)state;
    static const tw_type types[] = { TW_FLOAT, TW_HALF, TW_U8 };
    for (int k = 0; k < 6; k++) {
        tw_type from = types[k % 3], type = from == TW_U8 ? TW_HALF : from;
        tw_device *dev = k % 2 ? model_device(6, 1) : tw_device_cpu_accurate_half();
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor t = tw_popops_create_image(g, from, 3, (size_t[]){ 4, 5, 3 }, "image"),
                  o = tw_graph_add_variable(g, type, 1, (size_t[]){ 3 }, "offsets"),
                  s = tw_graph_add_variable(g, type, 1, (size_t[]){ 3 }, "scales");
        tw_graph_map(g, o, 0), tw_graph_map(g, s, 0);
        tw_program p = tw_program_sequence(g, NULL);
        tw_tensor y = tw_popops_normalise_image(g, t, 0.25, o, s, p, "y");
        no_error(g);
        char in[60 * 4], offset[3 * 4], scale[3 * 4], out[80 * 4];
        for (size_t a = 0; a < 60; a++) store_real(from, in, a, (double)(a * 3 % 64));
        for (size_t a = 0; a < 3; a++)
            store_real(type, offset, a, (double)a - 1), store_real(type, scale, a, 2 + a);
        run_once(g, dev, p, 4,
                 (io[]){ { t, in, false }, { o, offset, false }, { s, scale, false }, { y, out, true } });
        for (size_t a = 0; a < 20; a++)
            for (size_t c = 0; c < 4; c++) { /* exact in half, too */
                double want = c < 3 ? ((double)((a * 3 + c) * 3 % 64) / 4 - ((double)c - 1)) * (2 + (double)c) : 0;
                assert_true(load_real(type, out, a * 4 + c) == want);
            }
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

/* --- errors --------------------------------------------------------------------------------------------------- */

static void libs_encode_refused(void **state)
{
    (void)state;
    const tw_tensor nil = { 0, 0 };
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor f = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 6 }, "rows"),
              i = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 3 }, "labels"),
              b = tw_graph_add_variable(g, TW_BOOL, 1, (size_t[]){ 3 }, "flags");
    tw_graph_map(g, f, 0), tw_graph_map(g, i, 0), tw_graph_map(g, b, 0);
    tw_program p = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    tw_popops_one_hot(g, i, f, nil, nil, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_one_hot", "'rows' float[4, 6]", "'labels' int[3]", NULL);
    tw_popops_one_hot(g, tw_tensor_concat(g, 2, (tw_tensor[]){ i, tw_tensor_slice(g, i, 0, 0, 1) }, 0), f, i, nil,
                      p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_one_hot", "'labels' int[3]", "no value", NULL);
    tw_popops_select_scalar_from_rows(g, f, i, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_select_scalar_from_rows", "'rows' float[4, 6]", NULL);
    tw_popops_update_scalar_in_rows(g, b, i, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_update_scalar_in_rows", "'flags' bool[3]", NULL);
    tw_popops_cumulative_sum(g, f, 2, false, false, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_cumulative_sum", "'rows' float[4, 6]", "no dimension 2", NULL);
    tw_popops_cumulative_sum(g, b, 0, false, false, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_cumulative_sum", "'flags' bool[3]", NULL);
    tw_popops_histogram(g, f, i, false, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_histogram", "'labels' int[3]", NULL);
    tw_popops_all_true(g, f, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_all_true", "'rows' float[4, 6]", "bool", NULL);
    tw_popops_has_nan(g, i, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_has_nan", "is_nan", "int", NULL);
    tw_popops_pad(g, f, (int64_t[]){ -3, 0 }, (int64_t[]){ -2, 0 }, 0, TW_PAD_MAP_NONE);
    refused_with(g, TW_E_POPLIBS, "tw_popops_pad", "'rows' float[4, 6]", "-3 and -2 along dimension 0", NULL);
    tw_popops_pad_with(g, f, (int64_t[]){ 0, 6 }, (int64_t[]){ 0, 0 }, TW_PAD_REFLECT);
    refused_with(g, TW_E_POPLIBS, "tw_popops_pad_with", "6 and 0 along dimension 1", NULL);
    tw_popops_create_image(g, TW_FLOAT, 2, (size_t[]){ 3, 4 }, "image");
    refused_with(g, TW_E_POPLIBS, "tw_popops_create_image", "[3, 4]", NULL);
    tw_popops_normalise_image(g, f, 1, b, b, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_normalise_image", "'rows' float[4, 6]", "'flags' bool[3]", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_encode_one_hot),        cmocka_unit_test(libs_encode_scalars_of_rows),
        cmocka_unit_test(libs_encode_cumulative_sum), cmocka_unit_test(libs_encode_histogram),
        cmocka_unit_test(libs_encode_all_elements),   cmocka_unit_test(libs_encode_pad),
        cmocka_unit_test(libs_encode_pad_mapping),    cmocka_unit_test(libs_encode_image),
        cmocka_unit_test(libs_encode_refused),
    };
    return cmocka_run_group_tests_name("libs_encode", tests, NULL, NULL);
}
