/* SPDX-License-Identifier: MIT */
/* Activations and losses against formulas in double, gradients against differences of these; the same bits wherever
 * elements lie. */
#include "poplar/libs/libs_run.h"

enum { ROWS = 5, MOST = 40 };

static void no_error(tw_graph *g)
{
    if (tw_graph_status(g)) fail_msg("%s: %s", tw_graph_error(g)->function, tw_graph_error(g)->message);
}

/* One row of n elements. */
static void activation_reference(tw_non_linearity type, size_t n, const double *x, double *y)
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, x[i]);
    for (size_t i = 0; i < n; i++) sum += exp(x[i] - most);
    for (size_t i = 0; i < n; i++) {
        double v = x[i];
        switch (type) {
        case TW_NL_SIGMOID: y[i] = 1 / (1 + exp(-v)); break;
        case TW_NL_HARD_SIGMOID: y[i] = fmax(0, fmin(1, 0.2 * v + 0.5)); break;
        case TW_NL_RELU: y[i] = fmax(0, v); break;
        case TW_NL_TANH: y[i] = tanh(v); break;
        case TW_NL_GELU: y[i] = 0.5 * v * (1 + tanh(sqrt(2 / M_PI) * v * (1 + 0.044715 * v * v))); break;
        case TW_NL_GELU_ERF: y[i] = 0.5 * v * (1 + erf(v / sqrt(2))); break;
        case TW_NL_SWISH: y[i] = v / (1 + exp(-v)); break;
        case TW_NL_SOFTMAX:
        case TW_NL_SOFTMAX_STABLE: y[i] = exp(v - most) / sum; break;
        case TW_NL_SOFTMAX_SCALED: y[i] = 62000 * (exp(v - most) / sum); break;
        }
    }
}

/* What goes in from what comes out, by central differences. */
static void gradient_reference(tw_non_linearity type, size_t n, const double *x, const double *g, double *out)
{
    double up[MOST], down[MOST], moved[MOST];
    memcpy(moved, x, n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        const double step = 1e-5;
        moved[i] = x[i] + step, activation_reference(type, n, moved, up);
        moved[i] = x[i] - step, activation_reference(type, n, moved, down);
        moved[i] = x[i], out[i] = 0;
        for (size_t k = 0; k < n; k++) out[i] += g[k] * (up[k] - down[k]) / (2 * step);
    }
}

typedef struct nn_case {
    tw_non_linearity type;
    tw_type element;
    size_t n;
    char x[ROWS * MOST * 4], g[ROWS * MOST * 4];
} nn_case;

static void nn_run(const nn_case *c, tw_device *dev, int way, char *y, char *gradient, char *in_place)
{
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    lcg r = { 3 };
    size_t shape[] = { ROWS, c->n };
    tw_tensor x = tw_graph_add_variable(g, c->element, 2, shape, "x"),
              out = tw_graph_add_variable(g, c->element, 2, shape, "g"), own;
    map_somehow(g, x, way, &r), map_somehow(g, out, (way + 1) % MAPPINGS, &r);
    own = tw_graph_clone(g, TW_TYPE_NONE, x, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "own");
    tw_program p = tw_program_sequence(g, NULL);
    tw_program_sequence_add(g, p, tw_program_copy(g, x, own));
    tw_tensor act = tw_popnn_non_linearity(g, c->type, x, p, "y");
    bool of_input = c->type == TW_NL_HARD_SIGMOID || c->type == TW_NL_GELU || c->type == TW_NL_GELU_ERF ||
                    c->type == TW_NL_SWISH;
    tw_tensor back = tw_popnn_non_linearity_gradient(g, c->type, of_input ? x : act, out, p, "back");
    if (way && (c->type < TW_NL_SOFTMAX || c->type == TW_NL_GELU_ERF)) { /* in one compute set */
        tw_compute_set cs = tw_graph_add_compute_set(g, "set");
        tw_popnn_non_linearity_in_place_set(g, c->type, own, cs);
        back = tw_popnn_non_linearity_gradient_set(g, c->type, of_input ? x : act, out, cs, "back");
        tw_program_sequence_add(g, p, tw_program_execute(g, cs));
    } else {
        tw_popnn_non_linearity_in_place(g, c->type, own, p, "own");
    }
    no_error(g);
    io list[] = { { x, (void *)(uintptr_t)c->x, false },
                  { out, (void *)(uintptr_t)c->g, false },
                  { act, y, true },
                  { back, gradient, true },
                  { own, in_place, true } };
    run_once(g, dev, p, 5, list);
    tw_graph_free(g);
}

static void nn_compare(const nn_case *c, const char *y, const char *gradient)
{
    size_t width = tw_type_size(c->element);
    double unit = c->element == TW_HALF ? 0x1p-9 : 1e-5, scale = tw_popnn_scaling(c->type);
    for (size_t row = 0; row < ROWS; row++) {
        double x[MOST], g[MOST], want[MOST], back[MOST];
        for (size_t i = 0; i < c->n; i++) {
            x[i] = tw_type_load(c->element, c->x + (row * c->n + i) * width);
            g[i] = tw_type_load(c->element, c->g + (row * c->n + i) * width);
        }
        activation_reference(c->type, c->n, x, want);
        gradient_reference(c->type, c->n, x, g, back);
        for (size_t i = 0; i < c->n; i++) {
            double seen = tw_type_load(c->element, y + (row * c->n + i) * width);
            double slope = tw_type_load(c->element, gradient + (row * c->n + i) * width);
            if (fabs(seen - want[i]) > unit * (scale + fabs(want[i])))
                fail_msg("activation %d of %g: %g, not %g", (int)c->type, x[i], seen, want[i]);
            /* of the function itself, but for gelu; a scaled softmax counts as one that is not */
            double room = c->type == TW_NL_GELU ? 0.02 + unit : unit * 30;
            if (c->type == TW_NL_SOFTMAX_SCALED) continue;
            if (fabs(slope - back[i]) > room * (1 + fabs(back[i])))
                fail_msg("gradient %d at %g: %g, not %g", (int)c->type, x[i], slope, back[i]);
        }
    }
}

static void libs_popnn_activations(void **state)
{
    (void)state;
    static nn_case c;
    lcg r = { 41 };
    for (unsigned k = 0; k < 20; k++) {
        c.type = (tw_non_linearity)(k % 10), c.element = k < 10 ? TW_FLOAT : TW_HALF, c.n = 1 + draw(&r, MOST - 1);
        size_t width = tw_type_size(c.element), bytes = ROWS * c.n * width;
        for (size_t i = 0; i < ROWS * c.n; i++) { /* not where derivatives jump */
            double v = draw_real(&r, -4, 4);
            if (fabs(v) < 0.01 || fabs(fabs(v) - 2.5) < 0.01) v += 0.05;
            tw_type_store(c.element, c.x + i * width, v);
            tw_type_store(c.element, c.g + i * width, draw_real(&r, -1, 1));
        }
        char y[2][ROWS * MOST * 4], back[2][ROWS * MOST * 4], own[2][ROWS * MOST * 4];
        for (int way = 0; way < 2; way++) {
            tw_device *dev = way ? model_device(6, 1) : tw_device_cpu_accurate_half();
            nn_run(&c, dev, (int)(k + (unsigned)way) % MAPPINGS, y[way], back[way], own[way]);
            tw_device_free(dev);
        }
        nn_compare(&c, y[0], back[0]);
        assert_memory_equal(y[0], y[1], bytes);
        assert_memory_equal(y[0], own[0], bytes);
        assert_memory_equal(y[0], own[1], bytes);
        assert_memory_equal(back[0], back[1], bytes);
    }
    assert_true(tw_popnn_scaling(TW_NL_SOFTMAX_SCALED) == 62000 && tw_popnn_scaling(TW_NL_SOFTMAX) == 1);
}

/* Rows whose exponentials do not fit a float. */
static void libs_popnn_log_softmax(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 2, 3 }, "x");
    tw_graph_map(g, x, 1);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y = tw_popnn_log_softmax(g, x, p, "y"),
              z = tw_popnn_non_linearity(g, TW_NL_SOFTMAX_STABLE, x, p, "z");
    tw_popnn_log_softmax_in_place(g, x, p, "x");
    no_error(g);
    float in[] = { 1000, 1001, 999, -3, 4, 0.5f }, out[6], soft[6], own[6];
    run_once(g, dev, p, 4, (io[]){ { x, in, false }, { y, out, true }, { z, soft, true }, { x, own, true } });
    for (int i = 0; i < 6; i++) {
        double sum = 0;
        for (int k = i / 3 * 3; k < i / 3 * 3 + 3; k++) sum += exp((double)in[k] - (double)in[i]);
        assert_true(fabs(out[i] + log(sum)) < 1e-5 && fabs(soft[i] - 1 / sum) < 1e-6 && own[i] == out[i]);
    }
    tw_graph_free(g);
    tw_device_free(dev);
}

/* --- losses --------------------------------------------------------------------------------------------------- */

enum { BATCH = 6, CLASSES = 7 };
static double loss_reference(tw_loss_type type, const double *y, uint32_t label, double s)
{
    double sum = 0;
    for (size_t c = 0; c < CLASSES; c++) {
        bool hot = c == label;
        if (type == TW_LOSS_SUM_SQUARED) sum += 0.5 * (y[c] - hot) * (y[c] - hot);
        if (type == TW_LOSS_CROSS_ENTROPY && hot) sum -= log(y[c]) - log(s);
    }
    return sum;
}

static void libs_popnn_losses(void **state)
{
    (void)state;
    lcg r = { 42 };
    for (int k = 0; k < 16; k++) {
        tw_loss_type type = (tw_loss_type)(k % 2);
        tw_type t = k / 2 % 2 ? TW_HALF : TW_FLOAT;
        bool scaled = k / 4 % 2 && type == TW_LOSS_CROSS_ENTROPY;
        size_t batch = BATCH, width = tw_type_size(t);
        tw_device *dev = k / 8 ? model_device(6, 1) : tw_device_cpu_accurate_half();
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor y = tw_graph_add_variable(g, t, 2, (size_t[]){ BATCH, CLASSES }, "y"),
                  d = tw_graph_add_variable(g, t, 2, (size_t[]){ BATCH, CLASSES }, "d"),
                  e = tw_graph_add_variable(g, k % 3 ? TW_INT : TW_UNSIGNED_INT, 1, &batch, "e"),
                  l = tw_graph_add_variable(g, t, 1, &batch, "l"),
                  count = tw_graph_add_variable(g, TW_UNSIGNED_INT, 0, NULL, "count"),
                  two = tw_graph_add_constant_double(g, t, 0, NULL, 2, "two"),
                  eight = tw_graph_add_constant_double(g, t, 0, NULL, 8, "eight");
        map_somehow(g, y, k % MAPPINGS, &r), map_somehow(g, d, (k + 1) % MAPPINGS, &r);
        map_somehow(g, e, k % MAPPINGS, &r), map_somehow(g, l, (k + 2) % MAPPINGS, &r);
        tw_graph_map(g, count, 0), tw_graph_map(g, two, 0), tw_graph_map(g, eight, 0);
        tw_program p = tw_program_sequence(g, NULL);
        tw_loss_params params = { .correct = count };
        if (scaled) params.deltas_scale = two, params.output_scaling = eight;
        tw_popnn_loss(g, y, e, l, d, type, k % 4 == 3 && !scaled ? NULL : &params, p, "loss");
        if (k % 4 == 3 && !scaled) tw_popnn_accuracy(g, y, e, count, p, "accuracy");
        no_error(g);
        char in[BATCH * CLASSES * 4], delta[BATCH * CLASSES * 4], loss[BATCH * 4];
        uint32_t label[BATCH], hits = 10, want = 10;
        double s = scaled ? 8 : 1, unit = t == TW_HALF ? 0x1p-8 : 1e-5;
        for (size_t i = 0; i < BATCH * CLASSES; i++)
            tw_type_store(t, in + i * width, s * (0.05 + 0.9 * (double)((i * 5 + (size_t)k) % 17) / 17));
        for (size_t i = 0; i < BATCH; i++) label[i] = i == 2 ? UINT32_MAX : draw(&r, CLASSES);
        run_once(g, dev, p, 6,
                 (io[]){ { y, in, false },
                         { e, label, false },
                         { count, &hits, false },
                         { d, delta, true },
                         { l, loss, true },
                         { count, &hits, true } });
        for (size_t i = 0; i < BATCH; i++) {
            double row[CLASSES], was;
            size_t best = 0;
            for (size_t c = 0; c < CLASSES; c++) row[c] = tw_type_load(t, in + (i * CLASSES + c) * width);
            for (size_t c = 0; c < CLASSES; c++) best = row[c] > row[best] ? c : best;
            want += best == label[i];
            was = loss_reference(type, row, label[i], s);
            double seen = tw_type_load(t, loss + i * width);
            if (fabs(seen - was) > unit * (1 + fabs(was))) fail_msg("case %d: loss %g, not %g", k, seen, was);
            for (size_t c = 0; c < CLASSES; c++) {
                double of = tw_type_load(t, delta + (i * CLASSES + c) * width), hot = c == label[i];
                double out = type == TW_LOSS_SUM_SQUARED ? row[c] - hot
                             : label[i] == UINT32_MAX    ? 0
                                                         : (scaled ? 2.0 : 1.0) / s * (row[c] - hot * s);
                if (fabs(of - out) > unit) fail_msg("case %d: delta %g, not %g", k, of, out);
            }
        }
        assert_int_equal(hits, want);
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

/* Deltas of the cross entropy of a softmax are its gradient: by differences of the loss. */
static void libs_popnn_entropy_gradient(void **state)
{
    (void)state;
    size_t batch = BATCH;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ BATCH, CLASSES }, "x"),
              d = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ BATCH, CLASSES }, "d"),
              e = tw_graph_add_variable(g, TW_INT, 1, &batch, "e"),
              l = tw_graph_add_variable(g, TW_FLOAT, 1, &batch, "l");
    tw_graph_map(g, x, 0), tw_graph_map(g, d, 1), tw_graph_map(g, e, 2), tw_graph_map(g, l, 3);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y = tw_popnn_non_linearity(g, TW_NL_SOFTMAX, x, p, "y");
    tw_popnn_loss(g, y, e, l, d, TW_LOSS_CROSS_ENTROPY, NULL, p, "loss");
    no_error(g);
    lcg r = { 43 };
    float in[BATCH * CLASSES], out[BATCH * CLASSES];
    int32_t label[BATCH];
    for (int i = 0; i < BATCH * CLASSES; i++) in[i] = (float)draw_real(&r, -2, 2);
    for (int i = 0; i < BATCH; i++) label[i] = (int32_t)draw(&r, CLASSES);
    run_once(g, dev, p, 3, (io[]){ { x, in, false }, { e, label, false }, { d, out, true } });
    for (int i = 0; i < BATCH * CLASSES; i++) {
        double row[CLASSES], soft[CLASSES], at[2];
        for (int s = 0; s < 2; s++) {
            for (int c = 0; c < CLASSES; c++) row[c] = in[i / CLASSES * CLASSES + c];
            row[i % CLASSES] += s ? -1e-5 : 1e-5;
            activation_reference(TW_NL_SOFTMAX, CLASSES, row, soft);
            at[s] = -log(soft[label[i / CLASSES]]);
        }
        assert_true(fabs(out[i] - (at[0] - at[1]) / 2e-5) < 1e-5);
    }
    tw_graph_free(g);
    tw_device_free(dev);
}

static void libs_popnn_arg_max(void **state)
{
    (void)state;
    static const tw_type types[] = { TW_FLOAT, TW_HALF, TW_INT, TW_UNSIGNED_INT };
    lcg r = { 44 };
    for (unsigned k = 0; k < 8; k++) {
        tw_type t = types[k % 4];
        size_t n = k < 6 ? 1 + draw(&r, 50) : 2500, rows = 3, width = tw_type_size(t);
        tw_device *dev = k % 2 ? model_device(6, 1) : tw_device_cpu_accurate_half();
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor x = tw_graph_add_variable(g, t, 2, (size_t[]){ rows, n }, "x");
        map_somehow(g, x, (int)k % MAPPINGS, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_sorted most = tw_popnn_max_and_arg_max(g, x, p, "most"),
                  least = tw_popnn_min_and_arg_min(g, x, p, "least");
        no_error(g);
        static char in[3 * 2500 * 4];
        char best[2][3 * 4];
        uint32_t at[2][3];
        for (size_t i = 0; i < rows * n; i++)
            tw_type_store(t, in + i * width, draw(&r, 30) - (t == TW_UNSIGNED_INT ? 0.0 : 15.0));
        run_once(g, dev, p, 5,
                 (io[]){ { x, in, false },
                         { most.keys, best[0], true },
                         { most.values, at[0], true },
                         { least.keys, best[1], true },
                         { least.values, at[1], true } });
        for (size_t row = 0; row < rows; row++)
            for (int down = 0; down < 2; down++) {
                size_t want = 0;
                for (size_t i = 0; i < n; i++) {
                    double v = tw_type_load(t, in + (row * n + i) * width);
                    double old = tw_type_load(t, in + (row * n + want) * width);
                    if (down ? v < old : v > old) want = i;
                }
                assert_int_equal(at[down][row], want);
                assert_memory_equal(best[down] + row * width, in + (row * n + want) * width, width);
            }
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

static void libs_popnn_refused(void **state)
{
    (void)state;
    size_t batch = 4;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 6 }, "y"),
              i = tw_graph_add_variable(g, TW_INT, 1, &batch, "labels"),
              l = tw_graph_add_variable(g, TW_HALF, 1, &batch, "loss"),
              loose = tw_graph_add_variable(g, TW_FLOAT, 1, &batch, "loose");
    tw_graph_map(g, y, 0), tw_graph_map(g, i, 0), tw_graph_map(g, l, 0);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor flat = tw_tensor_flatten(g, y);
    uint64_t before = graph_hash(g);
    tw_popnn_non_linearity(g, TW_NL_RELU, i, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_non_linearity", "'labels' int[4]", NULL);
    tw_popnn_non_linearity(g, (tw_non_linearity)10, y, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_non_linearity", "activation 10", NULL);
    tw_popnn_non_linearity_in_place(g, TW_NL_TANH, loose, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_non_linearity_in_place", "'loose' float[4]", "no tile", NULL);
    tw_popnn_non_linearity_gradient(g, TW_NL_TANH, y, flat, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_non_linearity_gradient", "'y' float[4, 6]", "'y' float[24]", NULL);
    tw_tensor twice[] = { y, y }, both = tw_tensor_concat(g, 2, twice, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    before = graph_hash(g);
    tw_popnn_non_linearity_in_place_set(g, TW_NL_SOFTMAX, y, cs);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_non_linearity_in_place_set", "'y' float[4, 6]", "compute set", NULL);
    tw_popnn_non_linearity_in_place_set(g, TW_NL_RELU, both, cs);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_non_linearity_in_place_set", "float[8, 6]", "more than once", NULL);
    tw_popnn_non_linearity_in_place(g, TW_NL_SOFTMAX, both, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_non_linearity_in_place", "float[8, 6]", "more than once", NULL);
    tw_popnn_log_softmax_in_place(g, both, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_log_softmax_in_place", "float[8, 6]", "more than once", NULL);
    tw_popops_map_in_place(g, "_1 + 1", 1, &both, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_map_in_place", "float[8, 6]", "more than once", NULL);
    tw_popops_map_with_output(g, "_1 + 1", 1, &both, both, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_map_with_output", "float[8, 6]", "more than once", NULL);
    tw_popnn_non_linearity_gradient_set(g, TW_NL_TANH, y, flat, cs, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_non_linearity_gradient_set", "'y' float[4, 6]", "'y' float[24]", NULL);
    tw_popnn_loss(g, y, i, l, y, TW_LOSS_SUM_SQUARED, NULL, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_loss", "'y' float[4, 6]", "'loss' half[4]", NULL);
    tw_popnn_loss(g, y, y, l, y, TW_LOSS_SUM_SQUARED, NULL, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_loss", "labels [batch]", "'y' float[4, 6]", NULL);
    tw_popnn_accuracy(g, y, i, i, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_accuracy", "one unsigned int", "'labels' int[4]", NULL);
    tw_popnn_max_and_arg_max(g, i, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_max_and_arg_max", "'labels' int[4]", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_popnn_activations), cmocka_unit_test(libs_popnn_log_softmax),
        cmocka_unit_test(libs_popnn_losses),      cmocka_unit_test(libs_popnn_entropy_gradient),
        cmocka_unit_test(libs_popnn_arg_max),     cmocka_unit_test(libs_popnn_refused),
    };
    return cmocka_run_group_tests_name("libs_popnn", tests, NULL, NULL);
}
