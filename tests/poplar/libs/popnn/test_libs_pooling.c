/* SPDX-License-Identifier: MIT */
/* Pooling and its gradients against plain loops in double, the gradient of the average also by differences; the same
 * bits for all mappings and targets; errors. */
#include "poplar/libs/libs_run.h"

enum { POOL_MOST = 1 << 14 };

typedef struct pool_case {
    tw_pool_params p;
    size_t in[3], out[3], inputs, outputs;
    float x[POOL_MOST], dy[POOL_MOST];
    double y[POOL_MOST], dx[POOL_MOST], shared[POOL_MOST];
} pool_case;

static void three(const tw_pool_params *p, unsigned d, size_t *field, size_t *kernel, unsigned *stride, int *lower,
                  int *upper)
{
    bool given = d + p->dims >= 3;
    unsigned at = given ? d + p->dims - 3 : 0;
    *field = given ? p->field[at] : 1, *kernel = given ? p->kernel[at] : 1;
    *stride = given && p->stride[at] ? p->stride[at] : 1;
    *lower = given ? p->lower[at] : 0, *upper = given ? p->upper[at] : 0;
}

static size_t extent(const tw_pool_params *p, unsigned d)
{
    size_t field, kernel;
    unsigned stride;
    int lower, upper;
    three(p, d, &field, &kernel, &stride, &lower, &upper);
    return ((size_t)((long)field + lower + upper) - kernel) / stride + 1;
}

/* Elements of the input under the kernel at an output, and how many of them there are. */
static size_t under(const pool_case *c, size_t out, size_t *list)
{
    size_t o[3], rest = out, n = 0, begin[3], end[3];
    for (int d = 2; d >= 0; rest /= c->out[d], d--) {
        size_t field, kernel;
        unsigned stride;
        int lower, upper;
        three(&c->p, (unsigned)d, &field, &kernel, &stride, &lower, &upper);
        o[d] = rest % c->out[d];
        long from = (long)(o[d] * stride) - lower, to = from + (long)kernel;
        long least = lower < 0 ? -lower : 0, most = upper < 0 ? (long)field + upper : (long)field;
        begin[d] = (size_t)(from < least ? least : from), end[d] = (size_t)(to > most ? most : to);
        if (to <= least || from >= most) return 0;
    }
    for (size_t z = begin[0]; z < end[0]; z++)
        for (size_t y = begin[1]; y < end[1]; y++)
            for (size_t x = begin[2]; x < end[2]; x++)
                list[n++] = ((rest * c->in[0] + z) * c->in[1] + y) * c->in[2] + x;
    return n;
}

static void expect(pool_case *c)
{
    size_t list[512];
    memset(c->y, 0, sizeof c->y), memset(c->dx, 0, sizeof c->dx), memset(c->shared, 0, sizeof c->shared);
    for (size_t o = 0; o < c->outputs; o++) {
        size_t n = under(c, o, list), equal = 0;
        double y = c->p.type == TW_POOL_MAX ? -INFINITY : 0, share = c->p.type == TW_POOL_AVG && n ? (double)n : 1;
        for (size_t i = 0; i < n; i++) {
            double v = (double)c->x[list[i]];
            if (c->p.type == TW_POOL_MAX)
                y = v > y ? v : y;
            else
                y += v / share;
        }
        c->y[o] = y;
        for (size_t i = 0; i < n; i++) equal += (double)c->x[list[i]] == y;
        for (size_t i = 0; i < n; i++) {
            if (c->p.type == TW_POOL_MAX && (double)c->x[list[i]] != y) continue;
            c->dx[list[i]] += (double)c->dy[o] / share;
            if (equal) c->shared[list[i]] += (double)c->dy[o] / (double)equal;
        }
    }
}

static bool make(pool_case *c, const tw_pool_params *p, lcg *r)
{
    c->p = *p;
    c->inputs = c->outputs = p->batch * p->channels;
    for (unsigned d = 0; d < 3; d++) {
        c->in[d] = d + p->dims >= 3 ? p->field[d + p->dims - 3] : 1, c->out[d] = extent(p, d);
        c->inputs *= c->in[d], c->outputs *= c->out[d];
    }
    if (c->inputs > POOL_MOST || c->outputs > POOL_MOST) return false;
    /* few values, so that several are the greatest; all are halves */
    for (size_t i = 0; i < c->inputs; i++) c->x[i] = (float)draw(r, 7) / 4 - 1;
    for (size_t i = 0; i < c->outputs; i++) c->dy[i] = (float)draw(r, 129) / 64 - 1;
    expect(c);
    return true;
}

static void *in_type(const float *f, size_t n, tw_type type)
{
    uint16_t *h = malloc((n + 1) * sizeof(float));
    if (type == TW_FLOAT) return memcpy(h, f, n * sizeof *f);
    for (size_t i = 0; i < n; i++) h[i] = tw_f32_to_f16(f[i], TW_ROUND_NEAREST_EVEN, 0);
    return h;
}

static tw_tensor variable(tw_graph *g, const pool_case *c, bool output, int way, lcg *places)
{
    size_t shape[5] = { c->p.batch, c->p.channels };
    for (unsigned d = 0; d < c->p.dims; d++) shape[2 + d] = output ? c->out[3 - c->p.dims + d] : c->p.field[d];
    tw_tensor t = tw_graph_add_variable(g, c->p.data_type, 2 + c->p.dims, shape, output ? "dy" : "x");
    if (way == MAPPINGS) { /* channels last in storage */
        size_t channels = shape[1];
        for (unsigned d = 1; d <= c->p.dims; d++) shape[d] = shape[d + 1];
        shape[1 + c->p.dims] = channels;
        t = tw_graph_add_variable(g, c->p.data_type, 2 + c->p.dims, shape, "last");
        t = tw_tensor_dim_roll(g, t, 1 + c->p.dims, 1);
    }
    map_somehow(g, t, way % MAPPINGS, places);
    return t;
}

typedef struct pooled {
    char y[4 * POOL_MOST], dx[4 * POOL_MOST], shared[4 * POOL_MOST];
} pooled;

static void pool_run(const pool_case *c, tw_device *dev, int way, pooled *to)
{
    lcg places = { (uint64_t)way };
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = variable(g, c, false, way, &places),
              dy = variable(g, c, true, (way + 1) % (MAPPINGS + 1), &places);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y = tw_popnn_pool(g, &c->p, x, p, "y", NULL), dx, shared = { 0, 0 };
    bool max = c->p.type == TW_POOL_MAX;
    dx = max ? tw_popnn_pool_max_gradient(g, &c->p, x, y, dy, false, p, "dx", NULL)
             : tw_popnn_pool_gradient(g, &c->p, dy, p, "dx", NULL);
    if (max) shared = tw_popnn_pool_max_gradient(g, &c->p, x, y, dy, true, p, "shared", NULL);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    assert_int_equal(tw_tensor_elements(g, y), c->outputs);
    assert_int_equal(tw_tensor_elements(g, dx), c->inputs);
    for (unsigned d = 0; d < c->p.dims; d++) {
        assert_int_equal(tw_tensor_dim(g, y, 2 + d), c->out[3 - c->p.dims + d]);
        assert_int_equal(tw_tensor_dim(g, dx, 2 + d), c->p.field[d]);
        assert_int_equal(tw_popnn_pool_output_size(&c->p, d), c->out[3 - c->p.dims + d]);
    }
    void *hx = in_type(c->x, c->inputs, c->p.data_type), *hdy = in_type(c->dy, c->outputs, c->p.data_type);
    run_once(g, dev, p, max ? 5 : 4,
             (io[]){ { x, hx, false },
                     { dy, hdy, false },
                     { y, to->y, true },
                     { dx, to->dx, true },
                     { shared, to->shared, true } });
    free(hx), free(hdy);
    tw_graph_free(g);
}

static void compare(const char *what, const pool_case *c, const void *seen, const double *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool half = c->p.data_type == TW_HALF;
        double is = half ? (double)tw_f16_to_f32(((const uint16_t *)seen)[i]) : (double)((const float *)seen)[i];
        if (is == want[i]) continue; /* infinities */
        if (!(fabs(is - want[i]) <= (half ? 0.002 : 1e-6) * (fabs(want[i]) + 4)))
            fail_msg("%s[%zu]: %.9g, not %.9g", what, i, is, want[i]);
    }
}

static pool_case one;
static pooled first, again;

static void libs_pooling_random(void **state)
{
    (void)state;
    tw_device *dev[] = { tw_device_cpu_accurate_half(), model_device(9, 1), model_device(50, 1) };
    lcg r = { 4 };
    int done = 0;
    for (int i = 0; done < 48 && i < 400; i++) {
        tw_pool_params p = { .type = (tw_pool_type)(done % 3),
                             .data_type = draw(&r, 3) ? TW_FLOAT : TW_HALF,
                             .batch = 1 + draw(&r, 4),
                             .channels = 1 + draw(&r, draw(&r, 3) ? 9 : 80),
                             .dims = 1 + draw(&r, 3) };
        for (unsigned d = 0; d < p.dims; d++) {
            p.field[d] = 1 + draw(&r, 9), p.kernel[d] = 1 + draw(&r, 4), p.stride[d] = draw(&r, 4);
            p.lower[d] = draw(&r, 2) ? 0 : (int)draw(&r, 4) - 1,
            p.upper[d] = draw(&r, 2) ? 0 : (int)draw(&r, 4) - 1;
        }
        char *problem = tw_popnn_pool_problem(&p);
        bool fits = true;
        for (unsigned d = 0; d < p.dims; d++) {
            long size = (long)p.field[d] + p.lower[d] + p.upper[d];
            fits = fits && size >= (long)p.kernel[d] && (p.lower[d] < 0) + (p.upper[d] < 0) <= (int)p.field[d];
        }
        assert_true(fits == !problem);
        free(problem);
        if (!fits || !make(&one, &p, &r)) continue;
        size_t bytes = tw_type_size(p.data_type);
        pool_run(&one, dev[0], 0, &first);
        compare("y", &one, first.y, one.y, one.outputs), compare("dx", &one, first.dx, one.dx, one.inputs);
        if (p.type == TW_POOL_MAX) compare("shared", &one, first.shared, one.shared, one.inputs);
        for (int way = 1; way <= MAPPINGS && done % 3 == i % 3; way++) {
            pool_run(&one, dev[way % 3], way, &again);
            if (memcmp(first.y, again.y, one.outputs * bytes) || memcmp(first.dx, again.dx, one.inputs * bytes))
                fail_msg("other bits in mapping %d", way);
        }
        done++;
    }
    assert_int_equal(done, 48);
    for (int d = 0; d < 3; d++) tw_device_free(dev[d]);
}

/* sum(dy * y) changes by h * dx[i] when input i changes by h. */
static void libs_pooling_differences(void **state)
{
    (void)state;
    tw_device *dev = tw_device_cpu_accurate_half();
    lcg r = { 8 };
    tw_pool_params p = { .type = TW_POOL_AVG,
                         .data_type = TW_FLOAT,
                         .batch = 1,
                         .channels = 2,
                         .dims = 2,
                         .field = { 5, 4 },
                         .kernel = { 3, 2 },
                         .stride = { 2, 1 },
                         .lower = { 1, 0 },
                         .upper = { 0, 1 } };
    assert_true(make(&one, &p, &r));
    pool_run(&one, dev, 0, &first);
    for (size_t i = 0; i < one.inputs; i++) {
        float was = one.x[i];
        double difference = 0;
        for (int sign = -1; sign <= 1; sign += 2) {
            one.x[i] = was + (float)sign * 0.5f;
            pool_run(&one, dev, 0, &again);
            for (size_t o = 0; o < one.outputs; o++)
                difference += sign * (double)one.dy[o] * (double)((const float *)(void *)again.y)[o];
        }
        one.x[i] = was;
        assert_true(fabs(difference - (double)((const float *)(void *)first.dx)[i]) < 1e-5);
    }
    tw_device_free(dev);
}

static void libs_pooling_refused(void **state)
{
    (void)state;
    tw_device *dev = model_device(5, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_program s = tw_program_sequence(g, NULL);
    tw_pool_params p = { .type = TW_POOL_MAX,
                         .data_type = TW_FLOAT,
                         .batch = 2,
                         .channels = 3,
                         .dims = 2,
                         .field = { 6, 4 },
                         .kernel = { 2, 2 },
                         .stride = { 2, 2 } },
                   sum = p, none = p, large = p, cut = p, real = p;
    sum.type = TW_POOL_SUM, none.type = (tw_pool_type)3, large.kernel[1] = 5, cut.lower[0] = -7,
    real.data_type = TW_INT;
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 4, (size_t[]){ 2, 3, 6, 4 }, "x"),
              y = tw_graph_add_variable(g, TW_FLOAT, 4, (size_t[]){ 2, 3, 3, 2 }, "y"),
              loose = tw_graph_add_variable(g, TW_FLOAT, 4, (size_t[]){ 2, 3, 6, 4 }, "loose");
    tw_poputil_map_linearly(g, x), tw_poputil_map_linearly(g, y);
    uint64_t before = graph_hash(g);
    tw_popnn_pool(g, &p, y, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_pool", "the input", "float[2, 3, 6, 4], not 'y' float[2, 3, 3, 2]",
                 NULL);
    tw_popnn_pool(g, &p, loose, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_pool", "'loose' float[2, 3, 6, 4] has elements that are on no tile",
                 NULL);
    tw_popnn_pool(g, &none, x, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_pool", "MAX, AVG or SUM", NULL);
    tw_popnn_pool(g, &large, x, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_pool", "dimension 1: the kernel has 5", NULL);
    tw_popnn_pool(g, &cut, x, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_pool", "7 elements are cut off a field of 6", NULL);
    tw_popnn_pool(g, &real, x, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_pool", "elements of int", NULL);
    tw_popnn_pool(g, NULL, x, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_pool", "no parameters", NULL);
    tw_popnn_pool(g, &p, x, s, NULL, (const char *const[]){ "optimizeForSpeed=1", NULL });
    refused_with(g, TW_E_INVALID_OPTION, "tw_popnn_pool", "optimizeForSpeed", "true, false", NULL);
    tw_popnn_pool_gradient(g, &p, y, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_pool_gradient", "the gradient of MAX also needs", NULL);
    tw_popnn_pool_gradient(g, &sum, x, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_pool_gradient", "float[2, 3, 3, 2], not 'x'", NULL);
    tw_popnn_pool_max_gradient(g, &sum, x, y, y, false, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_pool_max_gradient", "needs no input", NULL);
    tw_popnn_pool_max_gradient(g, &p, x, x, y, false, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_pool_max_gradient", "the output of this pooling", NULL);
    assert_int_equal(graph_hash(g), before);
    assert_true(tw_popnn_pool_flops(&p) == 144 && tw_popnn_pool_flops(NULL) == 0);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_pooling_random),
                                        cmocka_unit_test(libs_pooling_differences),
                                        cmocka_unit_test(libs_pooling_refused) };
    return cmocka_run_group_tests_name("libs_pooling", tests, NULL, NULL);
}
