/* SPDX-License-Identifier: MIT */
/* Continuous kernels of B-splines against their definition in double: random shapes, mappings and types; errors. */
#include "poplar/libs/libs_run.h"

enum { SPLINE_MOST = 1 << 12 };

/* Piece k of the spline of `degree` at v in [0, 1): the recursion of Cox and de Boor on whole knots. */
static double spline_piece(double x, int degree)
{
    if (degree == 0) return x >= 0 && x < 1;
    return x / degree * spline_piece(x, degree - 1) + (degree + 1 - x) / degree * spline_piece(x - 1, degree - 1);
}

typedef struct spline_case {
    tw_type type;
    size_t edges, dims, splines, kernel, channels, outputs;
    unsigned degree;
    int size[3];
    uint8_t open[3];
    float pseudo[SPLINE_MOST], input[SPLINE_MOST], weight[SPLINE_MOST];
    uint16_t half[3][SPLINE_MOST];
} spline_case;

static void *spline_drawn(spline_case *c, int which, float *to, size_t n, double low, double high, lcg *r)
{
    assert_true(n <= SPLINE_MOST);
    for (size_t i = 0; i < n; i++) {
        to[i] = (float)draw_real(r, low, high);
        c->half[which][i] = tw_f32_to_f16(to[i], TW_ROUND_NEAREST_EVEN, 0);
        if (c->type == TW_HALF) to[i] = tw_f16_to_f32(c->half[which][i]);
    }
    return c->type == TW_HALF ? (void *)c->half[which] : to;
}

static void draw_spline(spline_case *c, unsigned i, lcg *r)
{
    c->type = i % 3 == 2 ? TW_HALF : TW_FLOAT;
    c->degree = 1 + i % 3, c->dims = 1 + draw(r, 3), c->edges = 1 + draw(r, 12);
    c->splines = c->kernel = 1;
    for (size_t d = 0; d < c->dims; d++) {
        c->open[d] = (uint8_t)draw(r, 2);
        c->size[d] = (int)(c->degree + 1 + draw(r, 3));
        c->splines *= c->degree + 1, c->kernel *= (size_t)c->size[d];
    }
    c->channels = 1 + draw(r, 3), c->outputs = 1 + draw(r, 5);
    while (c->kernel * c->channels * c->outputs > SPLINE_MOST) c->outputs = c->channels = 1;
}

static double spline_read(const spline_case *c, const void *data, size_t i)
{
    return tw_type_load(c->type, (const char *)data + i * tw_type_size(c->type));
}

static void spline_check(const spline_case *c, const void *basis, const int *index, const void *out)
{
    double room = c->type == TW_HALF ? 0x1p-10 : 2e-6;
    for (size_t e = 0; e < c->edges; e++) {
        double all = 0;
        for (size_t s = 0; s < c->splines; s++) {
            size_t rest = s, place = 0, step = 1;
            double want = 1;
            for (size_t d = 0; d < c->dims; d++) {
                /* in float, as which piece it is can hang on a rounding */
                float v = c->pseudo[e * c->dims + d] * (float)(c->size[d] - (int)c->degree * c->open[d]);
                size_t k = rest % (c->degree + 1), whole = (size_t)floorf(v);
                place += (whole + k) % (size_t)c->size[d] * step;
                want *= spline_piece((double)(v - floorf(v)) + (double)(c->degree - k), (int)c->degree);
                step *= (size_t)c->size[d], rest /= c->degree + 1;
            }
            assert_int_equal(index[e * c->splines + s], place);
            double is = spline_read(c, basis, e * c->splines + s);
            if (!(fabs(is - want) <= room)) fail_msg("basis [%zu, %zu]: %g, not %g", e, s, is, want);
            all += want;
        }
        assert_true(fabs(all - 1) < 1e-5);
        for (size_t o = 0; o < c->outputs; o++) {
            double want = 0, size = 0;
            for (size_t s = 0; s < c->splines; s++)
                for (size_t k = 0; k < c->channels; k++) {
                    size_t at = ((size_t)index[e * c->splines + s] * c->channels + k) * c->outputs + o;
                    double v = spline_read(c, basis, e * c->splines + s) * (double)c->input[e * c->channels + k] *
                               (double)c->weight[at];
                    want += v, size += fabs(v);
                }
            double is = spline_read(c, out, e * c->outputs + o);
            if (!(fabs(is - want) <= size * 4e-6 + (c->type == TW_HALF ? fabs(want) * 0x1p-10 + 1e-7 : 0)))
                fail_msg("output [%zu, %zu]: %g, not %g", e, o, is, want);
        }
    }
}

static void libs_spline_values(void **state)
{
    (void)state;
    static spline_case c;
    static char basis[SPLINE_MOST * 4], out[SPLINE_MOST * 4];
    static int index[SPLINE_MOST];
    lcg r = { 71 };
    for (unsigned i = 0; i < 24; i++) {
        draw_spline(&c, i, &r);
        tw_device *dev = i % 4 == 3 ? tw_device_cpu_accurate_half() : model_device(i % 2 ? 7 : 20, 1);
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        size_t shapes[][3] = { { c.edges, c.dims },
                               { c.dims },
                               { c.dims },
                               { c.edges, c.splines },
                               { c.edges, c.splines },
                               { c.edges, c.channels },
                               { c.kernel, c.channels, c.outputs } };
        static const unsigned ranks[] = { 2, 1, 1, 2, 2, 2, 3 };
        const tw_type types[] = { c.type, TW_INT, TW_U8, c.type, TW_INT, c.type, c.type };
        tw_tensor t[7];
        for (unsigned k = 0; k < 7; k++) {
            t[k] = tw_graph_add_variable(g, types[k], ranks[k], shapes[k], "t");
            map_somehow(g, t[k], (int)(i + k) % MAPPINGS, &r);
        }
        tw_program p = tw_program_sequence(g, NULL);
        tw_popops_spline_basis(g, t[0], t[1], t[2], t[3], t[4], c.degree, p, NULL);
        tw_tensor y = tw_popops_spline_weighting(g, t[5], t[6], t[3], t[4], p, "y");
        if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
        void *pseudo = spline_drawn(&c, 0, c.pseudo, c.edges * c.dims, 0, 1, &r);
        void *input = spline_drawn(&c, 1, c.input, c.edges * c.channels, -1, 1, &r);
        void *weight = spline_drawn(&c, 2, c.weight, c.kernel * c.channels * c.outputs, -1, 1, &r);
        run_once(g, dev, p, 8,
                 (io[]){ { t[0], pseudo, false },
                         { t[1], c.size, false },
                         { t[2], c.open, false },
                         { t[5], input, false },
                         { t[6], weight, false },
                         { t[3], basis, true },
                         { t[4], index, true },
                         { y, out, true } });
        spline_check(&c, basis, index, out);
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

static void libs_spline_refused(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_program p = tw_program_sequence(g, NULL);
    lcg r = { 1 };
    size_t edges[] = { 5, 2 }, splines[] = { 5, 4 }, weights[] = { 9, 2, 3 };
    tw_tensor pseudo = tw_graph_add_variable(g, TW_FLOAT, 2, edges, "pseudo"),
              size = tw_graph_add_variable(g, TW_INT, 1, edges + 1, "size"),
              open = tw_graph_add_variable(g, TW_U8, 1, edges + 1, "open"),
              basis = tw_graph_add_variable(g, TW_FLOAT, 2, splines, "basis"),
              index = tw_graph_add_variable(g, TW_INT, 2, splines, "index"),
              weight = tw_graph_add_variable(g, TW_FLOAT, 3, weights, "weight");
    tw_tensor all[] = { pseudo, size, open, basis, index, weight };
    for (int i = 0; i < 6; i++) map_somehow(g, all[i], i % MAPPINGS, &r);
    uint64_t before = graph_hash(g);
    const char *first = "tw_popops_spline_basis", *second = "tw_popops_spline_weighting";
    tw_popops_spline_basis(g, index, size, open, basis, index, 1, p, NULL);
    refused_with(g, TW_E_POPLIBS, first, "not float or half", NULL);
    tw_popops_spline_basis(g, pseudo, open, open, basis, index, 1, p, NULL);
    refused_with(g, TW_E_POPLIBS, first, "kernelSize: int[2]", NULL);
    tw_popops_spline_basis(g, pseudo, size, size, basis, index, 1, p, NULL);
    refused_with(g, TW_E_POPLIBS, first, "isOpenSpline: unsigned char[2]", NULL);
    tw_popops_spline_basis(g, pseudo, size, open, basis, index, 2, p, NULL);
    refused_with(g, TW_E_POPLIBS, first, "basis: float[5, 9]", NULL);
    tw_popops_spline_basis(g, pseudo, size, open, basis, basis, 1, p, NULL);
    refused_with(g, TW_E_POPLIBS, first, "weightIndex: int[5, 4]", NULL);
    tw_popops_spline_basis(g, pseudo, size, open, basis, index, 4, p, NULL);
    refused_with(g, TW_E_POPLIBS, first, "degree 4", NULL);
    tw_popops_spline_weighting(g, pseudo, basis, basis, index, p, NULL);
    refused_with(g, TW_E_POPLIBS, second, "weight: float[0, 2, 0]", NULL);
    tw_popops_spline_weighting(g, pseudo, weight, weight, index, p, NULL);
    refused_with(g, TW_E_POPLIBS, second, "basis: float[5, 0]", NULL);
    tw_popops_spline_weighting(g, pseudo, weight, basis, basis, p, NULL);
    refused_with(g, TW_E_POPLIBS, second, "weightIndex: int[5, 4]", NULL);
    assert_true(before == graph_hash(g));
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_spline_values),
                                        cmocka_unit_test(libs_spline_refused) };
    return cmocka_run_group_tests_name("libs_spline", tests, NULL, NULL);
}
