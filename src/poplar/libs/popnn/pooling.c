/* SPDX-License-Identifier: MIT */
/* Pooling and its gradients: the geometry and the plan of a convolution from one channel to as many as there are. The
 * gradient of the input is pooled over the outputs that each element is part of. */
#include "poplar/libs/popnn/codes.h"
#include "poplar/libs/poplin/conv.h"

#include <string.h>

/* --- vertices ------------------------------------------------------------------------------------------------- */

/* A window in any order and outputs [batch][z][y][x][channels], as those of convolutions (conv_code.h); 64 channels
 * at a time. Where outputs are no whole words, one worker does all. */
#define POOL(fields, start, join, finish)                                                                         \
    "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"                                                                    \
    "    TW_INPUT(TW_VECTOR(%T%, ONE_PTR)) in;\n    TW_OUTPUT(TW_VECTOR(%T%, ONE_PTR, 4)) out;\n" fields          \
    "    unsigned batch, channels;\n    int stride[5], axis[3][7];\n    bool mean;\n};\n"                         \
    "static inline int %ID%source(const int *a, int out, int tap)\n{\n"                                           \
    "    int q = a[3] * out + a[4] * tap + a[5];\n"                                                               \
    "    if (q < 0 || q % a[6]) return -1;\n"                                                                     \
    "    return q / a[6] < a[2] ? q / a[6] : -1;\n}\n"                                                            \
    "bool %ID%_compute(%ID% *v, unsigned worker)\n{\n"                                                            \
    "    const int *az = v->axis[0], *ay = v->axis[1], *ax = v->axis[2];\n"                                       \
    "    const size_t nz = (size_t)az[0], ny = (size_t)ay[0], nx = (size_t)ax[0], channels = v->channels;\n"      \
    "    const size_t all = v->batch * nz * ny * nx, step = (size_t)v->stride[1];\n"                              \
    "    const size_t workers = channels * sizeof(%T%) % 4 == 0 ? tw_num_workers() : 1;\n"                        \
    "    if (worker >= workers) return true;\n"                                                                   \
    "    for (size_t i = all * worker / workers; i < all * (worker + 1) / workers; i++)\n"                        \
    "        for (size_t c0 = 0; c0 < channels; c0 += 64) {\n"                                                    \
    "            size_t n = channels - c0 < 64 ? channels - c0 : 64, met = 0, own = i * channels + c0;\n"         \
    "            int x = (int)(i % nx), y = (int)(i / nx % ny), z = (int)(i / nx / ny % nz);\n"                   \
    "            size_t base = i / nx / ny / nz * (size_t)v->stride[0] + c0 * step;\n"                            \
    "            float acc[64];\n"                                                                                \
    "            for (size_t c = 0; c < n; c++) acc[c] = " start ";\n"                                            \
    "            for (int tz = 0; tz < az[1]; tz++)\n"                                                            \
    "                for (int ty = 0; ty < ay[1]; ty++)\n"                                                        \
    "                    for (int tx = 0; tx < ax[1]; tx++) {\n"                                                  \
    "                        int sz = %ID%source(az, z, tz), sy = %ID%source(ay, y, ty), sx = %ID%source(ax, x, " \
    "tx);\n"                                                                                                      \
    "                        if (sz < 0 || sy < 0 || sx < 0) continue;\n"                                         \
    "                        size_t at = base + (size_t)sz * (size_t)v->stride[2] + (size_t)sy * "                \
    "(size_t)v->stride[3] +\n"                                                                                    \
    "                                    (size_t)sx * (size_t)v->stride[4];\n"                                    \
    "                        met++;\n"                                                                            \
    "                        for (size_t c = 0; c < n; c++) {\n"                                                  \
    "                            float e = (float)*tw_at(v->in, at + c * step);\n"                                \
    "                            " join ";\n"                                                                     \
    "                        }\n"                                                                                 \
    "                    }\n"                                                                                     \
    "            for (size_t c = 0; c < n; c++) *tw_at(v->out, own + c) = (%T%)(" finish ");\n"                   \
    "        }\n"                                                                                                 \
    "    return true;\n}\n"
#define POOL_OWN  "    TW_INPUT(TW_VECTOR(%T%, ONE_PTR)) own;\n"
#define POOL_PAIR "    TW_INPUT(TW_VECTOR(%T%, ONE_PTR)) pair;\n"

typedef enum pool_vertex { POOL_GREATEST, POOL_SUM, POOL_EQUAL, POOL_GRADIENT, POOL_VERTICES } pool_vertex;
_Static_assert((int)POOL_VERTICES == (int)TW__POOL_CODES, "the header counts them");
const tw__libs_code tw__pool_codes[TW__POOL_CODES] = {
    [POOL_GREATEST] = { "popnn::PoolMax", "fh",
                        POOL("", "-__builtin_inff()", "if (e > acc[c] || e != e) acc[c] = e", "acc[c]") },
    [POOL_SUM] = { "popnn::PoolSum", "fh",
                   POOL("", "0", "acc[c] += e", "v->mean && met ? acc[c] / (float)met : acc[c]") },
    /* how many of the inputs equal `own`, the greatest */
    [POOL_EQUAL] = { "popnn::PoolEqual", "fh",
                     POOL(POOL_OWN, "0", "acc[c] += e == (float)*tw_at(v->own, own + c)", "acc[c]") },
    /* the gradients of the outputs, beside them in `pair`, whose greatest is the input `own` */
    [POOL_GRADIENT] = { "popnn::PoolMaxGradient", "fh",
                        POOL(POOL_OWN POOL_PAIR, "0",
                             "if (*tw_at(v->pair, at + c * step) == *tw_at(v->own, own + c)) acc[c] += e",
                             "acc[c]") },
};

/* Measured on simulated tiles: 300 cycles for each pair of output and tap to find whether they meet, 14 for each
 * channel where they do. */
static tw_perf_estimate pool_estimator(const tw_vertex_info *v, const tw_target *target, void *user)
{
    (void)target, (void)user;
    double met = tw_vertex_info_value(v, "batch", 0), tried = met,
           channels = tw_vertex_info_value(v, "channels", 0);
    for (size_t d = 0; d < TW_CONV_DIMS; d++) {
        int64_t f[7], meet = 0;
        for (size_t i = 0; i < 7; i++) f[i] = (int64_t)tw_vertex_info_value(v, "axis", 7 * d + i);
        tw__conv_axis a = { .in = f[2], .out_step = f[3], .tap_step = f[4], .start = f[5], .dilation = f[6] };
        for (int64_t o = 0; o < f[0]; o++)
            for (int64_t t = 0; t < f[1]; t++) meet += tw__conv_source(&a, o, t) >= 0;
        met *= (double)meet, tried *= (double)(f[0] * f[1]);
    }
    return (tw_perf_estimate){ (uint64_t)(300 * tried + 14 * met * channels + 600), (uint64_t)(met * channels) };
}

/* --- parameters ----------------------------------------------------------------------------------------------- */

static tw_conv_params pool_as_conv(const tw_pool_params *p)
{
    tw_conv_params c = { .input_type = p->data_type,
                         .batch = p->batch,
                         .groups = 1,
                         .in_channels = 1,
                         .out_channels = p->channels,
                         .dims = p->dims };
    for (unsigned d = 0; d < MIN(p->dims, (unsigned)TW_CONV_DIMS); d++) {
        c.field[d] = p->field[d], c.kernel[d] = p->kernel[d], c.output[d].step = p->stride[d];
        c.input[d].padding_lower = (unsigned)MAX(p->lower[d], 0);
        c.input[d].padding_upper = (unsigned)MAX(p->upper[d], 0);
        c.input[d].truncation_lower = (unsigned)-(int64_t)MIN(p->lower[d], 0);
        c.input[d].truncation_upper = (unsigned)-(int64_t)MIN(p->upper[d], 0);
    }
    return c;
}

char *tw_popnn_pool_problem(const tw_pool_params *params)
{
    if (!params) return tw_poplin_conv_problem(NULL);
    tw_conv_params c = pool_as_conv(params);
    if ((unsigned)params->type <= TW_POOL_SUM) return tw_poplin_conv_problem(&c);
    return strdup("there is no such pooling; it is MAX, AVG or SUM");
}

size_t tw_popnn_pool_output_size(const tw_pool_params *params, unsigned dim)
{
    if (!params) return 0;
    tw_conv_params c = pool_as_conv(params);
    return tw_poplin_conv_output_size(&c, dim);
}

uint64_t tw_popnn_pool_flops(const tw_pool_params *params)
{
    if (!params) return 0;
    tw_conv_params c = pool_as_conv(params);
    return tw_poplin_conv_flops(&c) / 2;
}

/* --- building ------------------------------------------------------------------------------------------------- */

typedef struct pooling {
    tw_graph *graph;
    const char *call;
    const tw_pool_params *p;
    tw_conv_params geometry;
    tw__conv c;
    tw_program sequence;
    const char *name;
} pooling;

static bool pool_read(pooling *o, tw_graph *graph, const char *call, const tw_pool_params *params,
                      tw_program sequence, const char *name, const char *const *options)
{
    static const tw__libs_option table[] = { { "poolUseIntrospectiveMapping", TW__LIBS_BOOL, 0, NULL },
                                             { "optimizeForSpeed", TW__LIBS_BOOL, 0, NULL },
                                             { "useFloatPartialsWhereBeneficial", TW__LIBS_BOOL, 0, NULL } };
    bool ignored;
    *o = (pooling){ .graph = graph, .call = call, .p = params, .sequence = sequence, .name = name };
    if (!tw__libs_ready(graph)) return false;
    if (params && (unsigned)params->type > TW_POOL_SUM) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "there is no such pooling; it is MAX, AVG or SUM");
        return false;
    }
    if (params) o->geometry = pool_as_conv(params);
    return tw__conv_read(graph, call, params ? &o->geometry : NULL, &o->c) &&
           tw__libs_options(graph, call, options, table, G_N_ELEMENTS(table), &ignored);
}

/* A tensor of the input's or the output's shape, on tiles. */
static bool pool_check(const pooling *o, const char *what, bool output, tw_tensor tensor)
{
    tw_graph *g = o->graph;
    tw__extents want = { .rank = 2 + o->p->dims, .dim = { o->p->batch, o->p->channels } },
                own = tw__libs_shape(g, tensor);
    tw_type type = tw_tensor_type(g, tensor);
    if (!tw__libs_ready(g)) return false;
    for (unsigned d = 0; d < o->p->dims; d++)
        want.dim[2 + d] = output ? tw_popnn_pool_output_size(o->p, d) : o->p->field[d];
    if (own.rank != want.rank || memcmp(own.dim, want.dim, own.rank * sizeof *own.dim) || type != o->p->data_type)
        tw_graph_fail(g, TW_E_POPLIBS, o->call, "%s of this pooling: %s%s, not %s", what,
                      tw_type_name(o->p->data_type, TW_SYSTEM_POPLAR),
                      tw__libs_shape_text(want.rank, want.dim).text, tw__libs_describe(g, tensor).text);
    else if (!tw_graph_mapping_complete(g, tensor))
        tw_graph_fail(g, TW_E_POPLIBS, o->call, "%s has elements that are on no tile",
                      tw__libs_describe(g, tensor).text);
    return tw__libs_ready(g);
}

static tw_tensor pool_view(const pooling *o, tw_tensor t)
{
    return t.id ? tw__conv_view(o->graph, t, 1, o->p->dims) : t;
}

static tw_tensor pool_zeros(const pooling *o, const tw__conv *c)
{
    size_t shape[6] = { 1, o->p->batch, 0, 0, 0, o->p->channels };
    for (int d = 0; d < TW_CONV_DIMS; d++) shape[2 + d] = tw__conv_out(&c->axis[d]);
    tw_tensor made = tw_graph_add_variable(o->graph, o->p->data_type, 6, shape, o->name);
    tw_poputil_map_linearly(o->graph, made);
    tw_popops_zero(o->graph, made, o->sequence, o->name);
    return made;
}

/* What a vertex makes of windows of `in`, and of `pair`, of the same shape, if there is one; `own` has the shape of
 * the result. Both in and out are [batch][channels][field ...]. */
static tw_tensor pool_build(const pooling *o, const tw__conv *c, pool_vertex kind, tw_tensor in, tw_tensor own,
                            tw_tensor pair)
{
    tw_graph *g = o->graph;
    tw__conv_plan plan;
    tw__conv_options options = { .memory = 0.6 };
    const char *vertex = tw__libs_code_vertex(g, &tw__pool_codes[kind], o->p->data_type);
    if (!vertex) return TW__LIBS_NIL;
    tw_graph_register_perf_estimator(g, vertex, pool_estimator, NULL, NULL);
    bool padded = false, nothing = !o->p->batch || !o->p->channels;
    size_t first[6] = { 0 }, last[6] = { 1, o->p->batch, 0, 0, 0, o->p->channels };
    for (int d = 0; d < TW_CONV_DIMS; d++) {
        const tw__conv_axis *a = &c->axis[d];
        first[2 + d] = a->pad_lower, last[2 + d] = a->pad_lower + (size_t)a->out;
        padded |= a->pad_lower || a->pad_upper;
        nothing |= !a->in || !a->out;
    }
    if (nothing) return tw__conv_unview(g, pool_zeros(o, c), o->p->dims);
    tw__conv_make_plan(g, c, &options, &plan);
    in = tw__conv_without_cut(g, c, pool_view(o, in), 2, false);
    if (pair.id) pair = tw__conv_without_cut(g, c, pool_view(o, pair), 2, false);
    if (own.id) own = tw_tensor_slice_nd(g, pool_view(o, own), first, last);
    tw_tensor made = tw__conv_create_output(g, c, &plan, o->p->data_type, 0, o->name);
    tw_compute_set cs = tw_graph_add_compute_set(g, tw__libs_path(o->name, "Pool").text);
    unsigned inner = tw__conv_innermost(g, in);
    for (size_t i = 0; i < tw__conv_block_count(c, &plan); i++) {
        size_t place[TW__CONV_CUTS] = { 0 }, begin[6], end[6];
        if (!tw__conv_block(c, &plan, i, place, begin, end)) continue;
        tw_graph_push_scope(g);
        tw_vertex v = tw_graph_add_vertex(g, cs, vertex, tw__conv_tile(g, c, &plan, begin[0], place));
        const size_t channels[] = { begin[5], end[5] };
        tw_tensor windows[2] = { 0 };
        tw__conv_connect(g, c, v, "in", in, begin, end, channels, inner, &windows[0]);
        if (pair.id) tw__conv_connect(g, c, v, "pair", pair, begin, end, channels, inner, &windows[1]);
        if (own.id) tw_graph_connect(g, v, "own", tw_tensor_flatten(g, tw_tensor_slice_nd(g, own, begin, end)));
        tw_graph_connect(g, v, "out", tw_tensor_flatten(g, tw_tensor_slice_nd(g, made, begin, end)));
        tw_graph_set_field_int(g, v, "batch", (int64_t)(end[1] - begin[1]));
        tw_graph_set_field_int(g, v, "channels", (int64_t)(end[5] - begin[5]));
        tw_graph_set_field_int(g, v, "mean", kind == POOL_SUM && o->p->type == TW_POOL_AVG && c == &o->c);
        tw_graph_pop_scope(g);
    }
    tw_program_sequence_add(g, o->sequence, tw_program_execute(g, cs));
    if (padded) { /* inputs that were cut off have no gradient */
        tw_tensor whole = pool_zeros(o, c);
        tw_program_sequence_add(g, o->sequence,
                                tw_program_copy(g, made, tw_tensor_slice_nd(g, whole, first, last)));
        made = whole;
    }
    return tw__conv_unview(g, made, o->p->dims);
}

static tw_tensor pool_keep(tw_graph *graph, tw_tensor made)
{
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

/* The geometry of the gradient: its taps are the outputs that an element is part of. */
static bool pool_backward(const pooling *o, tw__conv *back)
{
    tw_conv_params p = tw_poplin_conv_gradient_params(&o->geometry);
    p.in_channels = 1, p.out_channels = o->p->channels;
    return tw__conv_read(o->graph, o->call, &p, back);
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

tw_tensor tw_popnn_pool(tw_graph *graph, const tw_pool_params *params, tw_tensor input, tw_program sequence,
                        const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    pooling o;
    if (!pool_read(&o, graph, __func__, params, sequence, name, options) ||
        !pool_check(&o, "the input", false, input))
        return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    pool_vertex kind = params->type == TW_POOL_MAX ? POOL_GREATEST : POOL_SUM;
    return pool_keep(graph, pool_build(&o, &o.c, kind, input, TW__LIBS_NIL, TW__LIBS_NIL));
}

/* One over the number of elements under the kernel for each output of the field, as a constant. */
static tw_tensor pool_shares(const pooling *o)
{
    size_t shape[TW_CONV_DIMS], count = 1;
    for (int d = 0; d < TW_CONV_DIMS; d++) shape[d] = (size_t)o->c.axis[d].out, count *= shape[d];
    g_autofree float *share = g_new(float, count + 1);
    for (size_t i = 0; i < count; i++) {
        size_t rest = i, pairs = 1;
        for (int d = TW_CONV_DIMS - 1; d >= 0; rest /= shape[d], d--) {
            const tw__conv_axis *a = &o->c.axis[d];
            size_t meet = 0;
            for (int64_t t = 0; t < a->taps; t++) meet += tw__conv_source(a, (int64_t)(rest % shape[d]), t) >= 0;
            pairs *= meet;
        }
        share[i] = pairs ? 1 / (float)pairs : 0;
    }
    unsigned first = TW_CONV_DIMS - o->p->dims;
    tw_tensor made = tw_graph_add_constant(o->graph, TW_FLOAT, o->p->dims, shape + first, share, false, "shares");
    tw_poputil_map_linearly(o->graph, made);
    return made;
}

tw_tensor tw_popnn_pool_gradient(tw_graph *graph, const tw_pool_params *params, tw_tensor gradient,
                                 tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    pooling o;
    tw__conv back;
    if (!pool_read(&o, graph, __func__, params, sequence, name, options)) return TW__LIBS_NIL;
    if (params->type == TW_POOL_MAX) {
        TW__LIBS_REFUSE(graph, "the gradient of MAX also needs the input: tw_popnn_pool_max_gradient()");
        return TW__LIBS_NIL;
    }
    if (!pool_check(&o, "the output's gradient", true, gradient) || !pool_backward(&o, &back)) return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    if (params->type == TW_POOL_AVG && tw_tensor_elements(graph, gradient)) {
        tw_tensor two[] = { gradient, pool_shares(&o) };
        gradient =
            tw__real_map(graph, __func__, "$1 * $2", params->data_type, 2, two, TW__LIBS_NIL, sequence, name);
    }
    return pool_keep(graph, pool_build(&o, &back, POOL_SUM, gradient, TW__LIBS_NIL, TW__LIBS_NIL));
}

tw_tensor tw_popnn_pool_max_gradient(tw_graph *graph, const tw_pool_params *params, tw_tensor input,
                                     tw_tensor pooled, tw_tensor gradient, bool scaled, tw_program sequence,
                                     const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    pooling o;
    tw__conv back;
    if (!pool_read(&o, graph, __func__, params, sequence, name, options)) return TW__LIBS_NIL;
    if (params->type != TW_POOL_MAX) {
        TW__LIBS_REFUSE(graph, "the gradient of AVG and SUM needs no input: tw_popnn_pool_gradient()");
        return TW__LIBS_NIL;
    }
    if (!pool_check(&o, "the input", false, input) || !pool_check(&o, "the output", true, pooled) ||
        !pool_check(&o, "the output's gradient", true, gradient) || !pool_backward(&o, &back))
        return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    if (scaled && tw_tensor_elements(graph, gradient)) {
        tw_tensor two[] = { gradient, pool_build(&o, &o.c, POOL_EQUAL, input, pooled, TW__LIBS_NIL) };
        gradient = tw__real_map(graph, __func__, "$1 / max($2, 1)", params->data_type, 2, two, TW__LIBS_NIL,
                                sequence, name);
    }
    return pool_keep(graph, pool_build(&o, &back, POOL_GRADIENT, gradient, input, pooled));
}
