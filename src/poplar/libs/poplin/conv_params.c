/* SPDX-License-Identifier: MIT */
/* Parameters of convolutions: checks, extents, which elements meet, parameters of the gradients. */
#include "poplar/libs/poplin/conv.h"

#include <inttypes.h>
#include <string.h>

/* --- one dimension -------------------------------------------------------------------------------------------- */

enum { CONV_MOST = 1 << 29, CONV_GROUPS = 1 << 20 }; /* elements of a dimension: vertices count them with ints */

static uint64_t conv_cut(uint64_t n, const tw_conv_transform *t)
{
    uint64_t cut = (uint64_t)t->truncation_lower + t->truncation_upper;
    return cut > n ? 0 : n - cut;
}

static uint64_t conv_dilated(uint64_t n, uint64_t step)
{
    return n ? 1 + (n - 1) * MAX(step, 1) : 0;
}

static uint64_t conv_transformed(uint64_t n, const tw_conv_transform *t)
{
    return t->padding_lower + conv_dilated(conv_cut(n, t), t->step) + t->padding_upper;
}

/* Of checked parameters. */
static tw__conv_axis conv_axis(const tw_conv_params *p, unsigned d)
{
    const tw_conv_transform *in = &p->input[d], *k = &p->weights[d], *out = &p->output[d];
    int64_t size = (int64_t)conv_transformed(p->field[d], in), kernel = (int64_t)conv_transformed(p->kernel[d], k);
    int64_t whole = (int64_t)conv_cut((uint64_t)(size - kernel + 1), out), stride = MAX(out->step, 1);
    tw__conv_axis a = { .out = (whole + stride - 1) / stride,
                        .taps = (int64_t)conv_cut(p->kernel[d], k),
                        .in = (int64_t)conv_cut(p->field[d], in),
                        .out_step = stride,
                        .tap_step = MAX(k->step, 1),
                        .start = out->truncation_lower,
                        .dilation = MAX(in->step, 1),
                        .in_first = in->truncation_lower,
                        .tap_first = k->truncation_lower,
                        .pad_lower = out->padding_lower,
                        .pad_upper = out->padding_upper };
    a.start += k->flip ? kernel - 1 - (int64_t)k->padding_lower : k->padding_lower;
    if (k->flip) a.tap_step = -a.tap_step;
    if (in->flip) a.start = size - 1 - a.start, a.tap_step = -a.tap_step, a.out_step = -a.out_step;
    a.start -= in->padding_lower;
    return a;
}

int64_t tw__conv_source(const tw__conv_axis *a, int64_t out, int64_t tap)
{
    int64_t q = a->out_step * out + a->tap_step * tap + a->start;
    return q < 0 || q % a->dilation || q / a->dilation >= a->in ? -1 : q / a->dilation;
}

void tw__conv_window(const tw__conv_axis *a, int64_t out, int64_t out_end, int64_t *begin, int64_t *end)
{
    int64_t across = a->out_step * (out_end - 1 - out), along = a->tap_step * (a->taps - 1);
    int64_t from = a->out_step * out + a->start, least = from + MIN(across, 0) + MIN(along, 0),
            most = from + MAX(across, 0) + MAX(along, 0);
    *begin = CLAMP((MAX(least, 0) + a->dilation - 1) / a->dilation, 0, a->in - 1);
    *end = CLAMP(MAX(most, 0) / a->dilation + 1, *begin + 1, a->in);
}

size_t tw__conv_out(const tw__conv_axis *a)
{
    return a->pad_lower + (size_t)a->out + a->pad_upper;
}

/* --- checks --------------------------------------------------------------------------------------------------- */

static char *conv_problem_of(const tw_conv_params *p, unsigned d)
{
    const struct {
        const char *what;
        uint64_t size;
        const tw_conv_transform *t;
    } side[] = { { "field", p->field[d], &p->input[d] }, { "kernel", p->kernel[d], &p->weights[d] } };
    for (int i = 0; i < 2; i++) {
        const tw_conv_transform *t = side[i].t;
        uint64_t cut = (uint64_t)t->truncation_lower + t->truncation_upper;
        if (cut > side[i].size)
            return g_strdup_printf("dimension %u: %" PRIu64 " elements are cut off a %s of %" PRIu64, d, cut,
                                   side[i].what, side[i].size);
        if (side[i].size > CONV_MOST || t->step > CONV_MOST || conv_transformed(side[i].size, t) > CONV_MOST)
            return g_strdup_printf("dimension %u: the %s has more than %d elements", d, side[i].what, CONV_MOST);
    }
    uint64_t in = conv_transformed(p->field[d], &p->input[d]),
             kernel = conv_transformed(p->kernel[d], &p->weights[d]);
    if (!kernel) return g_strdup_printf("dimension %u: the kernel has no elements", d);
    if (kernel > in)
        return g_strdup_printf("dimension %u: the kernel has %" PRIu64 " elements, more than the %" PRIu64
                               " of the input, each as transformed",
                               d, kernel, in);
    uint64_t out = in - kernel + 1, cut = (uint64_t)p->output[d].truncation_lower + p->output[d].truncation_upper;
    if (cut > out)
        return g_strdup_printf("dimension %u: %" PRIu64 " elements are cut off an output of %" PRIu64, d, cut, out);
    if (p->output[d].step > CONV_MOST || p->output[d].padding_lower > CONV_MOST ||
        p->output[d].padding_upper > CONV_MOST)
        return g_strdup_printf("dimension %u: the output has more than %d elements", d, CONV_MOST);
    return NULL;
}

static bool conv_is_real(tw_type type)
{
    return type == TW_FLOAT || type == TW_HALF;
}

/* Of parameters whose dimensions are right: no tensor has more elements than 32 bits count. */
static char *conv_problem_of_size(const tw_conv_params *p)
{
    if (p->groups > CONV_GROUPS) return g_strdup_printf("%zu groups, more than %d", p->groups, CONV_GROUPS);
    const size_t n[] = { p->batch, p->in_channels, p->out_channels };
    for (size_t i = 0; i < G_N_ELEMENTS(n); i++)
        if (n[i] > CONV_MOST)
            return g_strdup_printf("%zu %s, more than %d", n[i], i ? "channels" : "of batch", CONV_MOST);
    double groups = (double)MAX(p->groups, 1), batch = groups * (double)p->batch,
           in = batch * (double)p->in_channels, out = batch * (double)p->out_channels,
           weights = groups * (double)p->in_channels * (double)p->out_channels;
    for (unsigned d = 0; d < p->dims; d++) {
        tw__conv_axis a = conv_axis(p, d);
        in *= (double)p->field[d], weights *= (double)p->kernel[d], out *= (double)tw__conv_out(&a);
    }
    double most = MAX(MAX(in, out), weights);
    return most > UINT32_MAX ? g_strdup_printf("a tensor of %.0f elements, more than %u", most, UINT32_MAX) : NULL;
}

/* As glib's memory. */
static char *conv_problem(const tw_conv_params *p)
{
    if (!p) return g_strdup("there are no parameters");
    if (p->dims < 1 || p->dims > TW_CONV_DIMS)
        return g_strdup_printf("a field of %u dimensions; it has 1, 2 or 3", p->dims);
    if (!conv_is_real(p->input_type) || (p->output_type != TW_TYPE_NONE && !conv_is_real(p->output_type)))
        return g_strdup_printf(
            "elements of %s; they are of float or half",
            tw_type_name(conv_is_real(p->input_type) ? p->output_type : p->input_type, TW_SYSTEM_POPLAR));
    char *text = NULL;
    for (unsigned d = 0; d < p->dims && !text; d++) text = conv_problem_of(p, d);
    return text ? text : conv_problem_of_size(p);
}

char *tw_poplin_conv_problem(const tw_conv_params *params)
{
    g_autofree char *text = conv_problem(params);
    return text ? strdup(text) : NULL;
}

/* One of them, with every default. */
static tw_conv_params conv_with_defaults(const tw_conv_params *p, unsigned first)
{
    tw_conv_params out = *p;
    out.dims = TW_CONV_DIMS, out.groups = MAX(p->groups, 1);
    if (out.output_type == TW_TYPE_NONE) out.output_type = out.input_type;
    for (unsigned d = 0; d < TW_CONV_DIMS; d++) {
        bool given = d >= first;
        out.field[d] = given ? p->field[d - first] : 1, out.kernel[d] = given ? p->kernel[d - first] : 1;
        out.input[d] = given ? p->input[d - first] : (tw_conv_transform){ 0 };
        out.weights[d] = given ? p->weights[d - first] : (tw_conv_transform){ 0 };
        out.output[d] = given ? p->output[d - first] : (tw_conv_transform){ 0 };
    }
    return out;
}

bool tw__conv_read(tw_graph *graph, const char *call, const tw_conv_params *params, tw__conv *into)
{
    if (!tw__libs_ready(graph)) return false;
    g_autofree char *text = conv_problem(params);
    if (text) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s", text);
        return false;
    }
    into->dims = params->dims;
    into->p = conv_with_defaults(params, TW_CONV_DIMS - params->dims);
    for (unsigned d = 0; d < TW_CONV_DIMS; d++) into->axis[d] = conv_axis(&into->p, d);
    return true;
}

/* --- public --------------------------------------------------------------------------------------------------- */

static bool conv_axis_of(const tw_conv_params *params, unsigned dim, tw__conv_axis *a)
{
    g_autofree char *text = conv_problem(params);
    if (text || dim >= params->dims) return false;
    *a = conv_axis(params, dim);
    return true;
}

size_t tw_poplin_conv_output_size(const tw_conv_params *params, unsigned dim)
{
    tw__conv_axis a;
    return conv_axis_of(params, dim, &a) ? tw__conv_out(&a) : 0;
}

bool tw_poplin_conv_input_index(const tw_conv_params *params, unsigned dim, size_t out, size_t tap, size_t *input)
{
    tw__conv_axis a;
    if (!conv_axis_of(params, dim, &a)) return false;
    int64_t o = (int64_t)out - (int64_t)a.pad_lower, t = (int64_t)tap - (int64_t)a.tap_first;
    if (o < 0 || o >= a.out || t < 0 || t >= a.taps) return false;
    int64_t i = tw__conv_source(&a, o, t);
    if (i >= 0 && input) *input = (size_t)i + a.in_first;
    return i >= 0;
}

uint64_t tw_poplin_conv_flops(const tw_conv_params *params)
{
    uint64_t pairs =
        params ? 2 * params->batch * MAX(params->groups, 1) * params->in_channels * params->out_channels : 0;
    tw__conv_axis a;
    for (unsigned d = 0; params && d < MIN(params->dims, (unsigned)TW_CONV_DIMS); d++) {
        uint64_t meet = 0;
        if (!conv_axis_of(params, d, &a)) return 0;
        for (int64_t o = 0; o < a.out; o++)
            for (int64_t t = 0; t < a.taps; t++) meet += tw__conv_source(&a, o, t) >= 0;
        pairs *= meet;
    }
    return pairs;
}

/* What undoes an output's transform, of which the last (whole - 1) % stride elements gave nothing. */
static tw_conv_transform conv_undone(const tw_conv_params *p, unsigned d)
{
    const tw_conv_transform *out = &p->output[d];
    uint64_t whole =
        conv_transformed(p->field[d], &p->input[d]) - conv_transformed(p->kernel[d], &p->weights[d]) + 1;
    uint64_t kept = conv_cut(whole, out), step = MAX(out->step, 1);
    return (tw_conv_transform){ .truncation_lower = out->padding_lower,
                                .truncation_upper = out->padding_upper,
                                .step = (unsigned)step,
                                .padding_lower = out->truncation_lower,
                                .padding_upper = out->truncation_upper + (unsigned)(kept ? (kept - 1) % step : 0) };
}

/* What an input or a kernel becomes as an output. */
static tw_conv_transform conv_as_output(const tw_conv_transform *t)
{
    return (tw_conv_transform){ .truncation_lower = t->padding_lower,
                                .truncation_upper = t->padding_upper,
                                .step = MAX(t->step, 1),
                                .padding_lower = t->truncation_lower,
                                .padding_upper = t->truncation_upper };
}

tw_conv_params tw_poplin_conv_gradient_params(const tw_conv_params *params)
{
    g_autofree char *text = conv_problem(params);
    if (text) return (tw_conv_params){ 0 };
    tw_conv_params g = *params;
    g.in_channels = params->out_channels, g.out_channels = params->in_channels;
    for (unsigned d = 0; d < params->dims; d++) {
        const tw_conv_transform *in = &params->input[d], *k = &params->weights[d];
        unsigned more = (unsigned)conv_transformed(params->kernel[d], k) - 1;
        g.field[d] = tw_poplin_conv_output_size(params, d);
        g.input[d] = conv_undone(params, d);
        g.input[d].padding_lower += more, g.input[d].padding_upper += more;
        g.input[d].flip = in->flip;
        g.weights[d] = (tw_conv_transform){ .truncation_lower = k->truncation_upper,
                                            .truncation_upper = k->truncation_lower,
                                            .step = MAX(k->step, 1),
                                            .padding_lower = k->padding_upper,
                                            .padding_upper = k->padding_lower,
                                            .flip = k->flip != in->flip };
        g.output[d] = conv_as_output(in);
    }
    return g;
}

tw_conv_params tw_poplin_conv_weight_update_params(const tw_conv_params *params)
{
    g_autofree char *text = conv_problem(params);
    if (text) return (tw_conv_params){ 0 };
    tw_conv_params w = *params;
    w.batch = params->in_channels, w.in_channels = params->batch;
    for (unsigned d = 0; d < params->dims; d++) {
        bool flip = params->weights[d].flip;
        w.kernel[d] = tw_poplin_conv_output_size(params, d);
        w.input[d].flip = params->input[d].flip != flip;
        w.weights[d] = conv_undone(params, d);
        w.weights[d].flip = flip;
        w.output[d] = conv_as_output(&params->weights[d]);
    }
    return w;
}
