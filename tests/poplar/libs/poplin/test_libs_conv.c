/* SPDX-License-Identifier: MIT */
/* Convolutions against plain loops in double that transform every tensor element by element; gradients against the
 * bilinear form that they are derivatives of; the same bits for all mappings; plans; errors. */
#include "poplar/libs/libs_run.h"
#include "poplar/graph/build.h"

enum { CONV_MOST = 1 << 15 };

/* --- the rule, written out ------------------------------------------------------------------------------------ */

/* Where element i of a transformed line comes from: -1, a zero. */
static long line_source(size_t n, const tw_conv_transform *t, size_t i)
{
    size_t left = n - t->truncation_lower - t->truncation_upper, step = t->step ? t->step : 1;
    size_t dilated = left ? 1 + (left - 1) * step : 0, whole = t->padding_lower + dilated + t->padding_upper;
    if (t->flip) i = whole - 1 - i;
    if (i < t->padding_lower || i >= t->padding_lower + dilated || (i - t->padding_lower) % step) return -1;
    return (long)((i - t->padding_lower) / step + t->truncation_lower);
}

static size_t line_size(size_t n, const tw_conv_transform *t)
{
    size_t left = n - t->truncation_lower - t->truncation_upper, step = t->step ? t->step : 1;
    return t->padding_lower + (left ? 1 + (left - 1) * step : 0) + t->padding_upper;
}

typedef struct shape3 {
    size_t field[3], kernel[3], out[3];
    tw_conv_transform in[3], k[3], o[3];
    size_t b, g, ci, co;
} shape3;

static shape3 in_three(const tw_conv_params *p)
{
    shape3 s = { .field = { 1, 1, 1 },
                 .kernel = { 1, 1, 1 },
                 .out = { 1, 1, 1 },
                 .b = p->batch,
                 .g = p->groups ? p->groups : 1,
                 .ci = p->in_channels,
                 .co = p->out_channels };
    for (unsigned d = 0, at = 3 - p->dims; d < p->dims; d++, at++) {
        s.field[at] = p->field[d], s.kernel[at] = p->kernel[d];
        s.in[at] = p->input[d], s.k[at] = p->weights[d], s.o[at] = p->output[d];
        size_t whole = line_size(s.field[at], &s.in[at]) - line_size(s.kernel[at], &s.k[at]) + 1;
        size_t step = s.o[at].step ? s.o[at].step : 1;
        whole -= s.o[at].truncation_lower + s.o[at].truncation_upper;
        s.out[at] = s.o[at].padding_lower + (whole + step - 1) / step + s.o[at].padding_upper;
    }
    return s;
}

/* Calls back with the indices of every product: of output, input and weights, all row-major. */
typedef void (*each_product)(size_t out, size_t in, size_t weight, void *user);
static void products_of_line(const shape3 *s, unsigned d, const size_t o[3], size_t i[3], size_t k[3],
                             size_t base[3], each_product f, void *user)
{
    if (d == 3) {
        size_t at_in = 0, at_k = 0, at_out = 0;
        for (int a = 0; a < 3; a++)
            at_in = at_in * s->field[a] + i[a], at_k = at_k * s->kernel[a] + k[a],
            at_out = at_out * s->out[a] + o[a];
        size_t in_size = s->field[0] * s->field[1] * s->field[2],
               k_size = s->kernel[0] * s->kernel[1] * s->kernel[2], out_size = s->out[0] * s->out[1] * s->out[2];
        f(base[0] * out_size + at_out, base[1] * in_size + at_in, base[2] * k_size + at_k, user);
        return;
    }
    size_t step = s->o[d].step ? s->o[d].step : 1, taps = line_size(s->kernel[d], &s->k[d]);
    size_t whole =
        line_size(s->field[d], &s->in[d]) - taps + 1 - s->o[d].truncation_lower - s->o[d].truncation_upper;
    size_t real = (whole + step - 1) / step;
    if (o[d] < s->o[d].padding_lower || o[d] - s->o[d].padding_lower >= real) return;
    size_t y = (o[d] - s->o[d].padding_lower) * step + s->o[d].truncation_lower;
    for (size_t t = 0; t < taps; t++) {
        long from = line_source(s->field[d], &s->in[d], y + t), tap = line_source(s->kernel[d], &s->k[d], t);
        if (from < 0 || tap < 0) continue;
        i[d] = (size_t)from, k[d] = (size_t)tap;
        products_of_line(s, d + 1, o, i, k, base, f, user);
    }
}

static void each_of(const tw_conv_params *p, each_product f, void *user)
{
    shape3 s = in_three(p);
    size_t o[3], i[3], k[3];
    for (size_t b = 0; b < s.b; b++)
        for (size_t g = 0; g < s.g; g++)
            for (size_t co = 0; co < s.co; co++)
                for (size_t ci = 0; ci < s.ci; ci++)
                    for (o[0] = 0; o[0] < s.out[0]; o[0]++)
                        for (o[1] = 0; o[1] < s.out[1]; o[1]++)
                            for (o[2] = 0; o[2] < s.out[2]; o[2]++) {
                                size_t base[] = { (b * s.g + g) * s.co + co, (b * s.g + g) * s.ci + ci,
                                                  (g * s.co + co) * s.ci + ci };
                                products_of_line(&s, 0, o, i, k, base, f, user);
                            }
}

/* --- a case --------------------------------------------------------------------------------------------------- */

typedef struct conv_case {
    tw_conv_params p;
    size_t inputs, weights, outputs; /* elements */
    float x[CONV_MOST], w[CONV_MOST], dy[CONV_MOST];
    double y[CONV_MOST], dx[CONV_MOST], dw[CONV_MOST]; /* expected */
    double y_size[CONV_MOST], dx_size[CONV_MOST],
        dw_size[CONV_MOST]; /* sums of absolute values: what errors grow with */
    uint64_t products;
} conv_case;

static void add_product(size_t out, size_t in, size_t weight, void *user)
{
    conv_case *c = user;
    double y = (double)c->x[in] * c->w[weight], dx = (double)c->dy[out] * c->w[weight],
           dw = (double)c->dy[out] * c->x[in];
    c->y[out] += y, c->dx[in] += dx, c->dw[weight] += dw;
    c->y_size[out] += fabs(y), c->dx_size[in] += fabs(dx), c->dw_size[weight] += fabs(dw);
    c->products++;
}

static void fill(float *f, size_t n, tw_type type, lcg *r)
{
    for (size_t i = 0; i < n; i++) {
        f[i] = (float)draw_real(r, -1, 1);
        if (type == TW_HALF) f[i] = tw_f16_to_f32(tw_f32_to_f16(f[i], TW_ROUND_NEAREST_EVEN, 0));
    }
}

static unsigned shape_of(const tw_conv_params *p, int role, size_t shape[6])
{
    size_t g = p->groups ? p->groups : 1;
    unsigned lead = role == 2 ? 3 : 2;
    if (role == 2)
        shape[0] = g, shape[1] = p->out_channels, shape[2] = p->in_channels;
    else
        shape[0] = p->batch, shape[1] = g * (role ? p->out_channels : p->in_channels);
    shape3 s = in_three(p);
    for (unsigned d = 0; d < p->dims; d++)
        shape[lead + d] = (role == 0 ? s.field : role == 1 ? s.out : s.kernel)[3 - p->dims + d];
    return lead + p->dims;
}

static size_t elements_of(const tw_conv_params *p, int role)
{
    size_t shape[6], n = 1;
    unsigned rank = shape_of(p, role, shape);
    for (unsigned d = 0; d < rank; d++) n *= shape[d];
    return n;
}

static bool case_make(conv_case *c, const tw_conv_params *p, lcg *r)
{
    memset(c, 0, sizeof *c);
    c->p = *p;
    c->inputs = elements_of(p, 0), c->outputs = elements_of(p, 1), c->weights = elements_of(p, 2);
    if (c->inputs > CONV_MOST || c->outputs > CONV_MOST || c->weights > CONV_MOST) return false;
    fill(c->x, c->inputs, p->input_type, r), fill(c->w, c->weights, p->input_type, r);
    fill(c->dy, c->outputs, p->input_type, r);
    each_of(p, add_product, c);
    return true;
}

static void *in_type(const float *f, size_t n, tw_type type)
{
    uint16_t *h = malloc((n + 1) * sizeof(float));
    if (type == TW_FLOAT) return memcpy(h, f, n * sizeof *f);
    for (size_t i = 0; i < n; i++) h[i] = tw_f32_to_f16(f[i], TW_ROUND_NEAREST_EVEN, 0);
    return h;
}

static tw_tensor variable(tw_graph *g, const tw_conv_params *p, int role, int way, lcg *places)
{
    static const char *const names[] = { "x", "dy", "w" };
    size_t shape[6];
    unsigned rank = shape_of(p, role, shape);
    if (way == MAPPINGS && role == 0) return tw_poplin_create_conv_input(g, p, "x", NULL);
    if (way == MAPPINGS && role == 2) return tw_poplin_create_conv_weights(g, p, "w", NULL);
    tw_tensor t;
    if (way == 1) { /* stored with the channels last */
        size_t stored[6];
        unsigned back[6];
        for (unsigned d = 0; d < rank; d++) {
            stored[d] = shape[d == 0 ? 0 : d == rank - 1 ? 1 : d + 1];
            back[d] = d == 0 ? 0 : d == 1 ? rank - 1 : d - 1;
        }
        t = tw_tensor_dim_shuffle(g, tw_graph_add_variable(g, p->input_type, rank, stored, names[role]), back);
    } else {
        t = tw_graph_add_variable(g, p->input_type, rank, shape, names[role]);
    }
    map_somehow(g, t, way % MAPPINGS, places);
    return t;
}

typedef struct results {
    char y[4 * CONV_MOST], dx[4 * CONV_MOST], dw[4 * CONV_MOST];
} results;

static void case_run(const conv_case *c, tw_device *dev, int way, const char *option, results *to)
{
    const char *const options[] = { option, NULL };
    lcg places = { (uint64_t)way };
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = variable(g, &c->p, 0, way, &places), dy = variable(g, &c->p, 1, way, &places),
              w = variable(g, &c->p, 2, way, &places);
    tw_program p = tw_program_sequence(g, NULL);
    tw_conv_params back = tw_poplin_conv_gradient_params(&c->p);
    tw_tensor y = tw_poplin_convolution(g, x, w, &c->p, false, p, "y", options);
    tw_tensor dx = tw_poplin_convolution(g, dy, w, &back, true, p, "dx", options);
    tw_tensor dw = tw_poplin_conv_weight_deltas(g, dy, x, &c->p, p, "dw", options);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    tw_tensor made[] = { dx, y, dw };
    static const int role[] = { 0, 1, 2 };
    for (int i = 0; i < 3; i++) {
        size_t shape[6];
        unsigned rank = shape_of(&c->p, role[i], shape);
        assert_int_equal(tw_tensor_rank(g, made[i]), rank);
        for (unsigned d = 0; d < rank; d++) assert_int_equal(tw_tensor_dim(g, made[i], d), shape[d]);
    }
    void *hx = in_type(c->x, c->inputs, c->p.input_type), *hw = in_type(c->w, c->weights, c->p.input_type),
         *hdy = in_type(c->dy, c->outputs, c->p.input_type);
    run_once(g, dev, p, 6,
             (io[]){ { x, hx, false },
                     { w, hw, false },
                     { dy, hdy, false },
                     { y, to->y, true },
                     { dx, to->dx, true },
                     { dw, to->dw, true } });
    free(hx), free(hw), free(hdy);
    tw_graph_free(g);
}

static void compare(const char *what, const void *seen, const double *want, const double *size, size_t n,
                    tw_type type)
{
    for (size_t i = 0; i < n; i++) {
        double is =
            type == TW_HALF ? (double)tw_f16_to_f32(((const uint16_t *)seen)[i]) : (double)((const float *)seen)[i];
        double room = size[i] * 4e-6 + (type == TW_HALF ? fabs(want[i]) * 0x1p-11 + 0x1p-25 : 0);
        if (!(fabs(is - want[i]) <= room)) fail_msg("%s[%zu]: %.9g, not %.9g", what, i, is, want[i]);
    }
}

static conv_case one;
static results first, again;

static void case_check(tw_device *dev, const char *option)
{
    tw_type type = one.p.output_type ? one.p.output_type : one.p.input_type;
    case_run(&one, dev, 0, option, &first);
    compare("y", first.y, one.y, one.y_size, one.outputs, type);
    compare("dx", first.dx, one.dx, one.dx_size, one.inputs, type);
    compare("dw", first.dw, one.dw, one.dw_size, one.weights, type);
    assert_true(tw_poplin_conv_flops(&one.p) == 2 * one.products);
}

static void case_mappings(tw_device *dev)
{
    size_t bytes = tw_type_size(one.p.output_type ? one.p.output_type : one.p.input_type);
    for (int way = 1; way <= MAPPINGS; way++) {
        case_run(&one, dev, way, NULL, &again);
        if (memcmp(first.y, again.y, one.outputs * bytes) || memcmp(first.dx, again.dx, one.inputs * bytes) ||
            memcmp(first.dw, again.dw, one.weights * bytes))
            fail_msg("other bits in mapping %d", way);
    }
}

/* --- tests ---------------------------------------------------------------------------------------------------- */

static unsigned few(lcg *r, unsigned most)
{
    return draw(r, 2) ? 0 : draw(r, most + 1);
}

/* Parameters with transforms of all kinds, some of which do not fit. */
static tw_conv_params draw_params(lcg *r)
{
    tw_conv_params p = { .input_type = draw(r, 4) ? TW_FLOAT : TW_HALF,
                         .batch = 1 + (draw(r, 4) ? draw(r, 3) : draw(r, 20)),
                         .groups = draw(r, 3) ? draw(r, 2) : 1 + draw(r, 4),
                         .in_channels = 1 + draw(r, 9),
                         .out_channels = 1 + (draw(r, 3) ? draw(r, 9) : draw(r, 40)),
                         .dims = 1 + draw(r, 3) };
    if (draw(r, 4) == 0) p.output_type = p.input_type == TW_HALF ? TW_FLOAT : TW_HALF;
    for (unsigned d = 0; d < p.dims; d++) {
        p.field[d] = 1 + draw(r, p.dims == 1 ? 30 : p.dims == 2 ? 10 : 5), p.kernel[d] = 1 + draw(r, 4);
        tw_conv_transform *t[] = { &p.input[d], &p.weights[d], &p.output[d] };
        for (int i = 0; i < 3; i++)
            *t[i] = (tw_conv_transform){ few(r, 2), few(r, 2), few(r, 3),
                                         few(r, 2), few(r, 2), i < 2 && draw(r, 3) == 0 };
    }
    return p;
}

static void libs_conv_random(void **state)
{
    (void)state;
    tw_device *dev[] = { tw_device_cpu_accurate_half(), model_device(11, 1), model_device(60, 1) };
    lcg r = { 11 };
    int done = 0, refused = 0;
    for (int i = 0; done < 60 && i < 400; i++) {
        tw_conv_params p = draw_params(&r);
        char *problem = tw_poplin_conv_problem(&p);
        if (problem) {
            refused++;
            free(problem);
            continue;
        }
        if (!case_make(&one, &p, &r)) continue;
        for (unsigned d = 0; d < p.dims; d++)
            assert_int_equal(tw_poplin_conv_output_size(&p, d), in_three(&p).out[3 - p.dims + d]);
        case_check(dev[done % 3], NULL);
        if (done % 4 == 0) case_mappings(dev[done % 3]);
        done++;
    }
    assert_true(done == 60 && refused > 5);
    for (int d = 0; d < 3; d++) tw_device_free(dev[d]);
}

static void libs_conv_sizes(void **state)
{
    (void)state;
    static const tw_conv_params rows[] = {
        { TW_FLOAT,
          0,
          1,
          0,
          3,
          16,
          2,
          { 14, 14 },
          { 3, 3 },
          { { 0, 0, 0, 1, 1, 0 }, { 0, 0, 0, 1, 1, 0 } },
          { { 0 } },
          { { 0 } } },
        { TW_FLOAT, 0, 16, 1, 2, 33, 2, { 8, 5 }, { 3, 2 }, { { 0 } }, { { 0 } }, { { 0, 0, 2, 0, 0, 0 } } },
        { TW_FLOAT, 0, 2, 6, 1, 1, 2, { 6, 7 }, { 3, 3 }, { { 0 } }, { { 0 } }, { { 0 } } },
        { TW_HALF, 0, 3, 1, 20, 48, 1, { 40 }, { 5 }, { { 0, 0, 0, 2, 2, 0 } }, { { 0 } }, { { 0 } } },
        { TW_FLOAT, 0, 1, 1, 100, 4, 1, { 1 }, { 1 }, { { 0 } }, { { 0 } }, { { 0 } } },
    };
    tw_device *dev[] = { tw_device_cpu_accurate_half(), model_device(60, 1) };
    lcg r = { 3 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int d = 0; d < 2; d++) {
            assert_true(case_make(&one, &rows[i], &r));
            case_check(dev[d], NULL), case_mappings(dev[d]);
        }
    for (int d = 0; d < 2; d++) tw_device_free(dev[d]);
}

/* Little memory makes serial steps, which change nothing but the plan. */
static void libs_conv_serial(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_conv_params p = { .input_type = TW_FLOAT,
                         .batch = 4,
                         .in_channels = 32,
                         .out_channels = 8,
                         .dims = 2,
                         .field = { 8, 8 },
                         .kernel = { 3, 3 } };
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    static const char *const little[] = { "availableMemoryProportion=0.02", NULL };
    char *plan = tw_poplin_conv_plan(g, &p, NULL), *serial = tw_poplin_conv_plan(g, &p, little);
    assert_non_null(strstr(plan, "32 to 8 channels, field [8, 8], kernel [3, 3] of float"));
    assert_non_null(strstr(plan, "1 serial step\n"));
    assert_non_null(strstr(serial, "serial steps"));
    tw_conv_costs whole = tw_poplin_conv_costs(g, &p, NULL), less = tw_poplin_conv_costs(g, &p, little);
    assert_true(whole.cycles > 0 && less.cycles > whole.cycles && less.bytes < whole.bytes);
    free(plan), free(serial);
    tw_graph_free(g);
    lcg r = { 9 };
    assert_true(case_make(&one, &p, &r));
    case_check(dev, little[0]);
    tw_device_free(dev);
}

/* Vertices that differ in output channels read the same window, whose regions are there once. */
static void libs_conv_windows(void **state)
{
    (void)state;
    tw_device *dev = model_device(64, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_program s = tw_program_sequence(g, NULL);
    tw_conv_params p = { .input_type = TW_FLOAT,
                         .batch = 1,
                         .in_channels = 4,
                         .out_channels = 64,
                         .dims = 2,
                         .field = { 16, 16 },
                         .kernel = { 3, 3 } };
    tw_tensor in = tw_graph_add_variable(g, TW_FLOAT, 4, (size_t[]){ 1, 4, 16, 16 }, "in");
    tw_poputil_map_linearly(g, in);
    tw_poplin_convolution(g, in, tw_poplin_create_conv_weights(g, &p, "weights", NULL), &p, false, s, NULL, NULL);
    assert_int_equal(tw_graph_status(g), TW_OK);
    const tw__core *core = tw__graph_core(g);
    size_t windows = 0;
    for (size_t e = 1; e < core->edge_count; e++) {
        const tw__regions *window = core->edges[e].regions;
        for (size_t k = 1; window && k < e; k++) {
            const tw__regions *other = core->edges[k].regions;
            if (!other || !tw__lists_equal(window, other)) continue;
            assert_ptr_equal(window, other);
            windows++;
        }
    }
    assert_true(windows > 0);
    tw_graph_free(g);
    tw_device_free(dev);
}

/* weights += scale * gradient, biases likewise, tensor += biases. */
static void libs_conv_updates(void **state)
{
    (void)state;
    tw_device *dev = model_device(7, 1);
    tw_conv_params p = { .input_type = TW_FLOAT,
                         .batch = 3,
                         .groups = 2,
                         .in_channels = 2,
                         .out_channels = 5,
                         .dims = 2,
                         .field = { 5, 6 },
                         .kernel = { 2, 3 } };
    lcg r = { 21 };
    assert_true(case_make(&one, &p, &r));
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = variable(g, &p, 0, 0, &r), dy = variable(g, &p, 1, 2, &r), w = variable(g, &p, 2, MAPPINGS, &r),
              k = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "k");
    tw_graph_map(g, k, 3);
    tw_program s = tw_program_sequence(g, NULL);
    tw_tensor y = tw_poplin_convolution(g, x, w, &p, false, s, "y", NULL);
    tw_tensor b = tw_poplin_create_biases(g, y, "b");
    tw_poplin_add_bias(g, y, b, s, "bias");
    tw_tensor turned = tw_poplin_create_conv_weights(g,
                                                     &(tw_conv_params){ .input_type = TW_FLOAT,
                                                                        .batch = 3,
                                                                        .groups = 2,
                                                                        .in_channels = 5,
                                                                        .out_channels = 2,
                                                                        .dims = 2,
                                                                        .field = { 6, 8 },
                                                                        .kernel = { 2, 3 } },
                                                     "turned", NULL);
    tw_poplin_weights_transpose_flip(g, w, turned, s, "turn");
    tw_poplin_conv_weight_update(g, dy, w, x, &p, (tw_scale){ 0.5, { 0, 0 } }, s, "wu", NULL);
    tw_poplin_conv_weight_update(g, dy, w, x, &p, (tw_scale){ 0, k }, s, "wu", NULL);
    tw_poplin_conv_bias_update(g, dy, b, (tw_scale){ 0, k }, s, "bu", NULL);
    tw_tensor fc = tw_poplin_fully_connected_weight_transpose(g, tw_tensor_reshape(g, x, 3, (size_t[]){ 3, 4, 30 }),
                                                              &(tw_conv_params){ .input_type = TW_FLOAT,
                                                                                 .batch = 1,
                                                                                 .groups = 2,
                                                                                 .in_channels = 2,
                                                                                 .out_channels = 1,
                                                                                 .dims = 1,
                                                                                 .field = { 30 },
                                                                                 .kernel = { 1 } },
                                                              s, "fc", NULL);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    assert_int_equal(tw_tensor_dim(g, fc, 1), 60);
    assert_int_equal(tw_tensor_dim(g, fc, 2), 2);
    float biases[10], old[10], scale = -2, seen[600], weights[120], flipped[120], exchanged[360];
    fill(biases, 10, TW_FLOAT, &r);
    memcpy(old, biases, sizeof old);
    float read[10];
    run_once(g, dev, s, 10,
             (io[]){ { x, one.x, false },
                     { dy, one.dy, false },
                     { w, one.w, false },
                     { b, biases, false },
                     { k, &scale, false },
                     { y, seen, true },
                     { w, weights, true },
                     { turned, flipped, true },
                     { b, read, true },
                     { fc, exchanged, true } });
    double sums[10] = { 0 };
    for (size_t i = 0; i < one.outputs; i++) {
        size_t channel = i / 16 % 10;
        sums[channel] += (double)one.dy[i];
        assert_true(fabs(seen[i] - (one.y[i] + (double)old[channel])) < 1e-5);
    }
    for (int i = 0; i < 10; i++) assert_true(fabs(read[i] - (old[i] - 2 * sums[i])) < 1e-4);
    for (size_t i = 0; i < one.weights; i++) {
        assert_true(fabs(weights[i] - (one.w[i] - 1.5 * one.dw[i])) < 1e-4);
        size_t tap = i % 6, ci = i / 6 % 2, co = i / 12 % 5, group = i / 60;
        assert_true(flipped[((group * 2 + ci) * 5 + co) * 6 + 5 - tap] == one.w[i]);
    }
    for (size_t i = 0; i < 360; i++) { /* [3][2 groups][2][30] to [3][2][30][2] */
        size_t column = i % 30, row = i / 30 % 2;
        assert_true(exchanged[i / 60 * 60 + column * 2 + row] == one.x[i]);
    }
    tw_graph_free(g);
    tw_device_free(dev);
}

/* One extent is 0: zeros, or nothing. */
static void libs_conv_empty(void **state)
{
    (void)state;
    tw_device *dev = model_device(5, 1);
    tw_conv_params p = { .input_type = TW_FLOAT,
                         .batch = 2,
                         .in_channels = 1,
                         .out_channels = 3,
                         .dims = 1,
                         .field = { 4 },
                         .kernel = { 2 },
                         .input = { { 2, 2, 1, 3, 0, false } } };
    lcg r = { 1 };
    assert_true(case_make(&one, &p, &r)); /* everything is cut off and padded */
    case_check(dev, NULL);
    p.in_channels = 0;
    assert_true(case_make(&one, &p, &r));
    assert_int_equal(one.outputs, 12);
    case_check(dev, NULL);
    p.batch = 0, p.in_channels = 1;
    assert_true(case_make(&one, &p, &r));
    case_check(dev, NULL);
    tw_device_free(dev);
}

static void libs_conv_refused(void **state)
{
    (void)state;
    tw_conv_params ok = { .input_type = TW_FLOAT,
                          .batch = 1,
                          .in_channels = 4,
                          .out_channels = 2,
                          .dims = 2,
                          .field = { 6, 5 },
                          .kernel = { 3, 3 } };
    assert_null(tw_poplin_conv_problem(&ok));
    static const struct {
        tw_conv_params p;
        const char *words;
    } rows[] = {
        { { .input_type = TW_FLOAT, .dims = 0 }, "a field of 0 dimensions" },
        { { .input_type = TW_FLOAT, .dims = 4 }, "a field of 4 dimensions; it has 1, 2 or 3" },
        { { .input_type = TW_INT, .dims = 1, .field = { 2 }, .kernel = { 1 } }, "elements of int; they are" },
        { { .input_type = TW_HALF, .output_type = TW_INT, .dims = 1, .field = { 2 }, .kernel = { 1 } },
          "elements of int" },
        { { .input_type = TW_FLOAT, .dims = 2, .field = { 6, 2 }, .kernel = { 1, 3 } },
          "dimension 1: the kernel has 3 elements, more than the 2" },
        { { .input_type = TW_FLOAT, .dims = 1, .field = { 6 }, .kernel = { 0 } },
          "dimension 0: the kernel has no" },
        { { .input_type = TW_FLOAT, .dims = 1, .field = { 6 }, .kernel = { 2 }, .input = { { 4, 3, 0, 0, 0, 0 } } },
          "7 elements are cut off a field of 6" },
        { { .input_type = TW_FLOAT,
            .dims = 1,
            .field = { 6 },
            .kernel = { 2 },
            .weights = { { 1, 2, 0, 0, 0, 0 } } },
          "3 elements are cut off a kernel of 2" },
        { { .input_type = TW_FLOAT,
            .dims = 1,
            .field = { 6 },
            .kernel = { 2 },
            .output = { { 3, 3, 0, 0, 0, 0 } } },
          "6 elements are cut off an output of 5" },
        { { .input_type = TW_FLOAT,
            .dims = 1,
            .field = { 6 },
            .kernel = { 2 },
            .input = { { 0, 0, 0, 4000000000u, 0, 0 } } },
          "the field has more than" },
        { { .input_type = TW_FLOAT,
            .groups = (size_t)1 << 32,
            .in_channels = (size_t)1 << 32,
            .dims = 1,
            .field = { 6 },
            .kernel = { 2 } },
          "4294967296 groups, more than 1048576" },
        { { .input_type = TW_FLOAT, .batch = SIZE_MAX, .dims = 1, .field = { 6 }, .kernel = { 2 } },
          "18446744073709551615 of batch, more than 536870912" },
        { { .input_type = TW_FLOAT, .in_channels = 1 << 30, .dims = 1, .field = { 6 }, .kernel = { 2 } },
          "1073741824 channels, more than" },
        { { .input_type = TW_FLOAT,
            .batch = 1,
            .in_channels = 1 << 16,
            .out_channels = 1 << 16,
            .dims = 1,
            .field = { 6 },
            .kernel = { 2 } },
          "a tensor of 8589934592 elements, more than 4294967295" },
        { { .input_type = TW_FLOAT,
            .batch = 1 << 20,
            .groups = 1 << 10,
            .in_channels = 4,
            .dims = 1,
            .field = { 2 },
            .kernel = { 1 } },
          "a tensor of 8589934592 elements, more than 4294967295" },
    };
    tw_device *dev = model_device(5, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_program s = tw_program_sequence(g, NULL);
    lcg r = { 1 };
    tw_tensor x = variable(g, &ok, 0, 0, &r), w = variable(g, &ok, 2, 0, &r), dy = variable(g, &ok, 1, 0, &r),
              loose = tw_graph_add_variable(g, TW_FLOAT, 4, (size_t[]){ 1, 4, 6, 5 }, "loose"),
              h = tw_popops_cast(g, x, TW_HALF, s, "h"),
              few = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 3 }, "few"),
              flag = tw_graph_add_variable(g, TW_BOOL, 1, (size_t[]){ 1 }, "flag");
    tw_graph_map(g, few, 0), tw_graph_map(g, flag, 0);
    uint64_t before = graph_hash(g);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = tw_poplin_conv_problem(&rows[i].p);
        if (!text || !strstr(text, rows[i].words)) fail_msg("'%s' lacks '%s'", text ? text : "", rows[i].words);
        free(text);
        tw_poplin_convolution(g, x, w, &rows[i].p, false, s, NULL, NULL);
        refused_with(g, TW_E_POPLIBS, "tw_poplin_convolution", rows[i].words, NULL);
        assert_int_equal(tw_poplin_conv_output_size(&rows[i].p, 0), 0);
    }
    tw_poplin_convolution(g, dy, w, &ok, false, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_convolution", "the input", "float[1, 4, 6, 5]",
                 "'dy' float[1, 2, 4, 3]", NULL);
    tw_poplin_convolution(g, x, w, &ok, true, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_convolution", "the weights", "float[1, 4, 2, 3, 3]",
                 "'w' float[1, 2, 4, 3, 3]", NULL);
    tw_poplin_convolution(g, loose, w, &ok, false, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_convolution", "'loose' float[1, 4, 6, 5]", "no tile", NULL);
    tw_poplin_convolution(g, h, w, &ok, false, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_convolution", "float[1, 4, 6, 5], not", "half[1, 4, 6, 5]", NULL);
    tw_poplin_convolution(g, x, w, NULL, false, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_convolution", "no parameters", NULL);
    tw_poplin_convolution(g, x, w, &ok, false, s, NULL, (const char *const[]){ "pass=FORWARD", NULL });
    refused_with(g, TW_E_INVALID_OPTION, "tw_poplin_convolution", "FORWARD", "TRAINING_FWD", NULL);
    tw_poplin_conv_weight_deltas(g, x, x, &ok, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_conv_weight_deltas", "the output's gradient", "[1, 2, 4, 3]", NULL);
    tw_poplin_conv_weight_update(g, dy, x, x, &ok, (tw_scale){ 1, { 0, 0 } }, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_conv_weight_update", "the weights", "'x' float[1, 4, 6, 5]", NULL);
    tw_poplin_conv_weight_update(g, dy, w, x, &ok, (tw_scale){ 1, few }, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_conv_weight_update", "a scale is one number", "'few' float[3]", NULL);
    tw_poplin_conv_bias_update(g, dy, few, (tw_scale){ 1, { 0, 0 } }, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_conv_bias_update", "'dy' float[1, 2, 4, 3]", "'few' float[3]", NULL);
    tw_tensor twice = tw_tensor_broadcast(g, tw_tensor_slice(g, few, 0, 0, 1), 2, 0), /* of one element each */
        flat = tw_tensor_broadcast(g, tw_tensor_slice(g, w, 1, 0, 1), 2, 1);
    tw_poplin_conv_bias_update(g, dy, twice, (tw_scale){ 1, { 0, 0 } }, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_conv_bias_update", "'few' float[2]", "more than once", NULL);
    tw_poplin_conv_weight_update(g, dy, tw_tensor_reshape(g, flat, 5, (size_t[]){ 1, 2, 4, 3, 3 }), x, &ok,
                                 (tw_scale){ 1, { 0, 0 } }, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_conv_weight_update", "'w' float[1, 2, 4, 3, 3]", "more than once",
                 NULL);
    tw_poplin_conv_bias_update(g, dy, tw_tensor_slice(g, few, 0, 0, 2), (tw_scale){ 1, flag }, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_conv_bias_update", "a scale is one number", "'flag' bool[1]", NULL);
    tw_poplin_add_bias(g, tw_tensor_broadcast(g, dy, 2, 0), tw_tensor_slice(g, few, 0, 0, 2), s, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_add_bias", "'dy' float[2, 2, 4, 3]", "more than once", NULL);
    tw_poplin_add_bias(g, dy, few, s, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_add_bias", "'few' float[3]", NULL);
    tw_poplin_create_biases(g, few, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_create_biases", "'few' float[3]", NULL);
    tw_poplin_weights_transpose_flip(g, w, w, s, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_weights_transpose_flip", "'w' float[1, 2, 4, 3, 3]", NULL);
    tw_poplin_fully_connected_weight_transpose(g, w, &ok, s, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poplin_fully_connected_weight_transpose", "here: 2", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_conv_random), cmocka_unit_test(libs_conv_sizes),
                                        cmocka_unit_test(libs_conv_serial), cmocka_unit_test(libs_conv_updates),
                                        cmocka_unit_test(libs_conv_empty),  cmocka_unit_test(libs_conv_refused),
                                        cmocka_unit_test(libs_conv_windows) };
    return cmocka_run_group_tests_name("libs_conv", tests, NULL, NULL);
}
