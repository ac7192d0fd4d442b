/* SPDX-License-Identifier: MIT */
/* Normalisations against loops in double, their gradients against differences; the same bits wherever elements
 * lie. */
#include "poplar/libs/libs_run.h"

enum { B = 3, C = 6, F = 10, N = B * C * F };

typedef struct norm_case {
    tw_type type;
    size_t groups; /* 0: channels of the whole batch */
    bool strided, unbiased, stable;
    double x[N], g[N], gamma[C], beta[C];
} norm_case;

/* Group of element i among those that share statistics. */
static size_t group_of(const norm_case *c, size_t i)
{
    size_t channel = i / F % C, batch = i / F / C;
    if (!c->groups) return channel;
    return (c->strided ? channel % c->groups : channel / (C / c->groups)) * B + batch;
}

static const double eps = 1e-3;
static void norm_reference(const norm_case *c, const double *x, double *mean, double *inv, double *y)
{
    size_t sets = c->groups ? c->groups * B : C;
    double n = (double)(N / sets);
    for (size_t k = 0; k < sets; k++) mean[k] = inv[k] = 0;
    for (size_t i = 0; i < N; i++) mean[group_of(c, i)] += x[i] / n;
    for (size_t i = 0; i < N; i++) inv[group_of(c, i)] += pow(x[i] - mean[group_of(c, i)], 2) / n;
    for (size_t k = 0; k < sets; k++) inv[k] = 1 / sqrt((inv[k] + eps) * (c->unbiased ? n / (n - 1) : 1));
    for (size_t i = 0; i < N; i++)
        y[i] = c->gamma[i / F % C] * (x[i] - mean[group_of(c, i)]) * inv[group_of(c, i)] + c->beta[i / F % C];
}

enum { MEAN, INV, Y, BACK, GAMMA, BETA, OUTS };
static void norm_run(const norm_case *c, tw_device *dev, int way, char out[OUTS][N * 4])
{
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    const char *const options[] = { c->strided ? "groupNormStridedChannelGrouping=true"
                                               : "groupNormStridedChannelGrouping=false",
                                    NULL };
    lcg r = { 2 };
    size_t shape[] = { B, C, 2, F / 2 }, channels = C;
    tw_tensor t[4];
    for (int k = 0; k < 4; k++) {
        t[k] = k < 2 ? tw_graph_add_variable(g, c->type, 4, shape, "x")
                     : tw_graph_add_variable(g, c->type, 1, &channels, "p");
        map_somehow(g, t[k], (way + k) % MAPPINGS, &r);
    }
    tw_program p = tw_program_sequence(g, NULL);
    tw_pair of = c->groups
                     ? tw_popnn_group_statistics(g, t[0], c->groups, eps, c->unbiased, c->stable, p, "of", options)
                     : tw_poplin_norm_statistics(g, t[0], eps, c->unbiased, c->stable, p, "of");
    tw_tensor white = c->groups
                          ? tw_popnn_group_whiten(g, t[0], c->groups, of.first, of.second, p, "white", options)
                          : tw_poplin_norm_whiten(g, t[0], of.first, of.second, p, "white");
    tw_tensor y = tw_poplin_normalise(g, white, t[2], t[3], p, "y");
    tw_pair params = tw_poplin_norm_param_gradients(g, white, t[1], p, "params");
    tw_tensor scaled = tw_poplin_norm_gradients(g, t[1], t[2], p, "scaled");
    tw_tensor back =
        c->groups ? tw_popnn_group_statistics_gradients(g, white, scaled, c->groups, of.second, p, "b", options)
                  : tw_poplin_norm_statistics_gradients(g, white, scaled, of.second, p, "b");
    if (tw_graph_status(g)) fail_msg("%s: %s", tw_graph_error(g)->function, tw_graph_error(g)->message);
    static char in[4][N * 4];
    const double *from[] = { c->x, c->g, c->gamma, c->beta };
    for (int k = 0; k < 4; k++)
        for (size_t i = 0; i < (k < 2 ? N : C); i++)
            tw_type_store(c->type, in[k] + i * tw_type_size(c->type), from[k][i]);
    io list[] = { { t[0], in[0], false },
                  { t[1], in[1], false },
                  { t[2], in[2], false },
                  { t[3], in[3], false },
                  { of.first, out[MEAN], true },
                  { of.second, out[INV], true },
                  { y, out[Y], true },
                  { back, out[BACK], true },
                  { params.first, out[GAMMA], true },
                  { params.second, out[BETA], true } };
    run_once(g, dev, p, 10, list);
    tw_graph_free(g);
}

static void norm_close(const norm_case *c, const char *what, const char *out, size_t count, const double *want,
                       double room)
{
    for (size_t i = 0; i < count; i++) {
        double seen = tw_type_load(c->type, out + i * tw_type_size(c->type));
        if (fabs(seen - want[i]) > room * (1 + fabs(want[i])))
            fail_msg("%s %zu: %g, not %g", what, i, seen, want[i]);
    }
}

/* Without `unbiased` gradients are those of the whole, but for eps in their variance: by differences. */
static void norm_gradients(const norm_case *c, char out[OUTS][N * 4])
{
    static double moved[N], up[N], down[N], mean[C * B], inv[C * B], want[N];
    double gamma[C] = { 0 }, beta[C] = { 0 }, unit = c->type == TW_HALF ? 0x1p-6 : 2e-3;
    memcpy(moved, c->x, sizeof moved);
    for (size_t i = 0; i < N; i++) {
        const double step = 1e-4;
        moved[i] = c->x[i] + step, norm_reference(c, moved, mean, inv, up);
        moved[i] = c->x[i] - step, norm_reference(c, moved, mean, inv, down);
        moved[i] = c->x[i], want[i] = 0;
        for (size_t k = 0; k < N; k++) want[i] += c->g[k] * (up[k] - down[k]) / (2 * step);
    }
    norm_close(c, "gradient", out[BACK], N, want, unit);
    norm_reference(c, c->x, mean, inv, up);
    for (size_t i = 0; i < N; i++) {
        gamma[i / F % C] += c->g[i] * (c->x[i] - mean[group_of(c, i)]) * inv[group_of(c, i)];
        beta[i / F % C] += c->g[i];
    }
    norm_close(c, "gamma", out[GAMMA], C, gamma, unit * 2);
    norm_close(c, "beta", out[BETA], C, beta, unit * 2);
}

static void libs_norms_random(void **state)
{
    (void)state;
    static const size_t groups[] = { 0, 2, 1, C, 3 };
    static norm_case c;
    static char out[2][OUTS][N * 4];
    lcg r = { 51 };
    for (unsigned k = 0; k < 20; k++) {
        c.type = k < 10 ? TW_FLOAT : TW_HALF, c.groups = groups[k % 5];
        c.strided = k / 5 % 2, c.unbiased = k % 4 == 3, c.stable = k % 3 == 1;
        for (size_t i = 0; i < N; i++) {
            char bytes[2][4]; /* as the type has them */
            tw_type_store(c.type, bytes[0], draw_real(&r, -1, 3)),
                tw_type_store(c.type, bytes[1], draw_real(&r, -1, 1));
            c.x[i] = tw_type_load(c.type, bytes[0]), c.g[i] = tw_type_load(c.type, bytes[1]);
        }
        for (size_t i = 0; i < C; i++) c.gamma[i] = 0.5 + (double)i / 4, c.beta[i] = (double)i / 8 - 0.5;
        for (int way = 0; way < 2; way++) {
            tw_device *dev = way ? model_device(6, 1) : tw_device_cpu_accurate_half();
            memset(out[way], 0, sizeof out[way]);
            norm_run(&c, dev, (int)(k + (unsigned)way) % MAPPINGS, out[way]);
            tw_device_free(dev);
        }
        assert_memory_equal(out[0], out[1], sizeof out[0]);
        static double mean[C * B], inv[C * B], y[N];
        double unit = c.type == TW_HALF ? 0x1p-8 : 1e-5;
        norm_reference(&c, c.x, mean, inv, y);
        norm_close(&c, "mean", out[0][MEAN], c.groups ? c.groups * B : C, mean, unit);
        norm_close(&c, "inverse", out[0][INV], c.groups ? c.groups * B : C, inv, unit);
        norm_close(&c, "y", out[0][Y], N, y, unit * 4);
        if (!c.unbiased) norm_gradients(&c, out[0]);
    }
}

static void libs_norms_refused(void **state)
{
    (void)state;
    size_t four = 4;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 3, 6 }, "x"),
              m = tw_graph_add_variable(g, TW_FLOAT, 1, &four, "mean");
    tw_graph_map(g, x, 0), tw_graph_map(g, m, 0);
    tw_program p = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    tw_poplin_norm_statistics(g, m, eps, false, false, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_norm_statistics", "'mean' float[4]", NULL);
    tw_poplin_norm_statistics(g, x, -1, false, false, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_norm_statistics", "eps", "-1", NULL);
    tw_poplin_norm_whiten(g, x, m, m, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_norm_whiten", "the mean is float[6]", "'mean' float[4]", NULL);
    tw_poplin_normalise(g, x, m, m, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_normalise", "gamma", "'mean' float[4]", NULL);
    tw_poplin_norm_gradients(g, x, m, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_norm_gradients", "gamma", NULL);
    tw_poplin_norm_param_gradients(g, x, m, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_norm_param_gradients", "'x' float[3, 6]", "'mean' float[4]", NULL);
    tw_poplin_norm_statistics_gradients(g, x, x, m, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_norm_statistics_gradients", "inverse", "'mean' float[4]", NULL);
    tw_popnn_group_statistics(g, x, 4, eps, false, false, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_group_statistics", "'x' float[3, 6]", "4 equal groups", NULL);
    tw_popnn_group_whiten(g, x, 0, m, m, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_group_whiten", "0 equal groups", NULL);
    tw_popnn_group_statistics_gradients(g, x, m, 2, m, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_group_statistics_gradients", "'mean' float[4]", NULL);
    const tw_tensor nil = { 0, 0 }, columns = tw_tensor_index(g, x, 0), lists[] = { columns, m };
    assert_false(tw_poplin_norm_fits(g, x, m, 0, NULL));
    refused_with(g, TW_E_POPLIBS, "tw_poplin_norm_fits", "'x' float[3, 6]", "'mean' float[4]", NULL);
    assert_false(tw_poplin_norm_fits(g, x, x, 2, lists));
    refused_with(g, TW_E_POPLIBS, "tw_poplin_norm_fits", "float[6]", "'mean' float[4]", NULL);
    assert_false(tw_popnn_group_norm_fits(g, x, 4, m, NULL));
    refused_with(g, TW_E_POPLIBS, "tw_popnn_group_norm_fits", "4 equal groups", NULL);
    assert_false(tw_popnn_group_norm_fits(g, x, 2, m, NULL));
    refused_with(g, TW_E_POPLIBS, "tw_poplin_norm_fits", "'mean' float[4]", NULL);
    assert_true(tw_poplin_norm_fits(g, x, x, 1, lists) && tw_poplin_norm_fits(g, x, nil, 0, NULL));
    assert_true(tw_popnn_group_norm_fits(g, x, 2, columns, NULL));
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_norms_random), cmocka_unit_test(libs_norms_refused) };
    return cmocka_run_group_tests_name("libs_norms", tests, NULL, NULL);
}
