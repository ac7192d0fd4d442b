/* SPDX-License-Identifier: MIT */
/* Plans of convolutions: ways to split batch, field and channels over the tiles, by estimated cycles; the vertex and
 * its estimator. All figures are estimates. */
#include "poplar/libs/poplin/codes.h"
#include "poplar/libs/poplin/conv_code.h"
#include "poplar/libs/poplin/conv.h"

#include <string.h>

bool tw__conv_read_options(tw_graph *graph, const char *call, const char *const *options, tw__conv_options *into)
{
    static const char passes[] = "NONE NONE_MATMUL INFERENCE_FWD TRAINING_FWD TRAINING_BWD TRAINING_WU "
                                 "FC_INFERENCE_FWD FC_TRAINING_FWD FC_TRAINING_BWD FC_TRAINING_WU";
#define IGNORED(name)      { name, TW__LIBS_BOOL, offsetof(tw__conv_options, ignored), NULL }
#define IGNORED_TYPE(name) { name, TW__LIBS_TYPE, offsetof(tw__conv_options, ignored_type), NULL }
    static const tw__libs_option table[] = {
        { "availableMemoryProportion", TW__LIBS_FRACTION, offsetof(tw__conv_options, memory), NULL },
        { "pass", TW__LIBS_WORD, 0, passes },
        IGNORED_TYPE("partialsType"),
        IGNORED_TYPE("partialsType.interTile"),
        IGNORED_TYPE("partialsType.interIPU"),
        { "numIPUs", TW__LIBS_FRACTION, offsetof(tw__conv_options, ignored_number), NULL },
        { "tilesPerIPU", TW__LIBS_FRACTION, offsetof(tw__conv_options, ignored_number), NULL },
        IGNORED("use128BitConvUnitLoad"),
        IGNORED("enableMultiStageReduce"),
        IGNORED("enableFastReduce"),
        IGNORED("remapOutputTensor"),
        IGNORED("enableConvDithering"),
        IGNORED("gatherConvOutput"),
        IGNORED("disableTransformations"),
        IGNORED("insertTransformsCycleCountProgs"),
        IGNORED("enableTransformsConvTable"),
        IGNORED("enableAmpHalfEnginesPlan"),
        IGNORED("disableSRForAMPVertices"),
        IGNORED("enableTileLevelExpandDims"),
        { "planConstraints", TW__LIBS_TEXT, 0, NULL },
        { "planConstraintsOutputFilename", TW__LIBS_TEXT, 0, NULL },
    };
#undef IGNORED
#undef IGNORED_TYPE
    *into = (tw__conv_options){ .memory = 0.6 };
    return tw__libs_options(graph, call, options, table, G_N_ELEMENTS(table), into);
}

/* --- estimates ------------------------------------------------------------------------------------------------ */

static size_t conv_over(size_t a, size_t b)
{
    return b ? a / b + (a % b != 0) : 0;
}

/* Cycles of a tile for `meet` pairs of output and tap: 16 float or 64 half multiply-adds a cycle, and a load of the
 * weights for each sixteen channels. */
static double conv_cycles(double meet, double taps, size_t ci, size_t co, size_t type_size)
{
    double macs = type_size == 2 ? 64 : 16, sixteens = (double)conv_over(co, 16);
    return meet * (double)ci * 16 * sixteens / macs + 300 + sixteens * taps * (double)ci * 16 / 4;
}

static tw_perf_estimate conv_estimator(const tw_vertex_info *v, const tw_target *target, void *user)
{
    (void)target;
    size_t ci = (size_t)tw_vertex_info_value(v, "ci", 0), co = (size_t)tw_vertex_info_value(v, "co", 0);
    double meet = tw_vertex_info_value(v, "batch", 0), taps = 1;
    for (size_t d = 0; d < TW_CONV_DIMS; d++) {
        int64_t f[7], pairs = 0;
        for (size_t i = 0; i < 7; i++) f[i] = (int64_t)tw_vertex_info_value(v, "axis", 7 * d + i);
        tw__conv_axis a = { .out = f[0],
                            .taps = f[1],
                            .in = f[2],
                            .out_step = f[3],
                            .tap_step = f[4],
                            .start = f[5],
                            .dilation = f[6] };
        for (int64_t o = 0; o < a.out; o++)
            for (int64_t t = 0; t < a.taps; t++) pairs += tw__conv_source(&a, o, t) >= 0;
        meet *= (double)pairs, taps *= (double)a.taps;
    }
    double cycles = conv_cycles(meet, taps, ci, co, GPOINTER_TO_SIZE(user));
    return (tw_perf_estimate){ (uint64_t)cycles, (uint64_t)(2 * meet * (double)ci * (double)co) };
}

const tw__libs_code tw__conv_code = { "poplin::Convolve", "fh", tw__conv_text };

const char *tw__conv_vertex(tw_graph *graph, tw_type type)
{
    const char *name = tw__libs_product_vertex(graph, &tw__conv_code, type);
    if (name)
        tw_graph_register_perf_estimator(graph, name, conv_estimator, GSIZE_TO_POINTER(type == TW_HALF ? 2 : 4),
                                         NULL);
    return name;
}

/* --- search --------------------------------------------------------------------------------------------------- */

typedef struct conv_search {
    const tw__conv *c;
    size_t extent[TW__CONV_CUTS], type_size, tiles;
    double room;
    tw__conv_plan *best;
    bool found;
} conv_search;

/* Blocks and estimates for the parts that are set. */
static void conv_estimate(const conv_search *s, tw__conv_plan *p)
{
    double window = 1, meet = 1, taps = 1;
    for (int d = 0; d < TW__CONV_CUTS; d++)
        p->block[d] = conv_over(s->extent[d], p->parts[d] * (d == TW__CONV_IN ? p->steps : 1));
    for (int d = 0; d < TW_CONV_DIMS; d++) {
        const tw__conv_axis *a = &s->c->axis[d];
        int64_t begin = 0, end = 0;
        if (a->in) tw__conv_window(a, 0, (int64_t)p->block[TW__CONV_FIELD + d], &begin, &end);
        window *= (double)(end - begin), taps *= (double)a->taps;
        meet *= (double)p->block[TW__CONV_FIELD + d] * (double)a->taps / (double)a->dilation;
    }
    double batch = (double)p->block[TW__CONV_BATCH], ci = (double)p->block[TW__CONV_IN],
           co = (double)p->block[TW__CONV_OUT], sums = batch * co, size = (double)s->type_size;
    for (int d = 0; d < TW_CONV_DIMS; d++) sums *= (double)p->block[TW__CONV_FIELD + d];
    double moved = (batch * window * ci + taps * ci * co) * size, steps = (double)p->steps;
    p->product =
        steps * conv_cycles(batch * meet, taps, p->block[TW__CONV_IN], p->block[TW__CONV_OUT], s->type_size);
    p->exchange = steps * (moved / 4 + 120);
    p->joining = p->parts[TW__CONV_IN] > 1 ? 1.5 * sums + 200 : 0;
    p->cycles = p->product + p->exchange + p->joining;
    p->bytes = (uint64_t)(2 * moved + (p->parts[TW__CONV_IN] > 1 ? 2 : 1) * sums * 4);
}

/* Sets the parts of cut `d` and those after it, for `places` tiles. */
static void conv_try(conv_search *s, tw__conv_plan *p, int d, size_t places)
{
    if (d == TW__CONV_CUTS) {
        conv_estimate(s, p);
        double slack = p->parts[TW__CONV_IN] > s->best->parts[TW__CONV_IN] ? 0.97 : 1; /* fewer sums to join */
        if ((double)p->bytes > s->room || (s->found && p->cycles >= s->best->cycles * slack)) return;
        *s->best = *p, s->found = true;
        return;
    }
    size_t grain = d == TW__CONV_OUT ? 16 : 1, steps = d == TW__CONV_IN ? p->steps : 1;
    size_t most = MIN(conv_over(s->extent[d], grain), places);
    for (size_t parts = 1; parts <= most && parts * steps <= s->extent[d]; parts += parts < 4 ? 1 : parts / 3) {
        size_t block = conv_over(conv_over(s->extent[d], parts * steps), grain) * grain;
        p->parts[d] = conv_over(conv_over(s->extent[d], block), steps); /* fewer parts of that size may do */
        conv_try(s, p, d + 1, places / p->parts[d]);
    }
}

void tw__conv_make_plan(const tw_graph *graph, const tw__conv *c, const tw__conv_options *options,
                        tw__conv_plan *plan)
{
    const tw_target *target = tw_graph_target(graph);
    bool chip = tw_target_get_kind(target) != TW_TARGET_CPU;
    conv_search s = { .c = c,
                      .extent = { c->p.batch, (size_t)c->axis[0].out, (size_t)c->axis[1].out,
                                  (size_t)c->axis[2].out, c->p.out_channels, c->p.in_channels },
                      .type_size = c->p.input_type == TW_HALF ? 2 : 4,
                      .tiles = MAX(1, tw_target_tiles(target) / c->p.groups),
                      .room = chip ? options->memory * (double)tw_target_bytes_per_tile(target) : 1e18,
                      .best = plan };
    tw__conv_plan one = { .parts = { 1, 1, 1, 1, 1, 1 }, .steps = 1 };
    *plan = one;
    conv_estimate(&s, plan);
    for (int d = 0; d < TW__CONV_CUTS; d++)
        if (!s.extent[d]) return;
    for (size_t steps = 1; steps <= s.extent[TW__CONV_IN] && !s.found; steps *= 2)
        one.steps = steps, conv_try(&s, &one, 0, s.tiles);
    s.room = 1e18; /* it does not fit: the engine will say by how much */
    if (!s.found) one.steps = s.extent[TW__CONV_IN], conv_try(&s, &one, 0, s.tiles);
}

unsigned tw__conv_tile(const tw_graph *graph, const tw__conv *c, const tw__conv_plan *plan, size_t group,
                       const size_t at[TW__CONV_CUTS])
{
    size_t tiles = tw_target_tiles(tw_graph_target(graph)), places = 1, place = 0;
    for (int d = 0; d < TW__CONV_CUTS; d++)
        places *= plan->parts[d], place = place * plan->parts[d] + MIN(at[d], plan->parts[d] - 1);
    return (unsigned)((group * MIN(MAX(1, tiles / c->p.groups), places) + place) % tiles);
}

/* --- printed -------------------------------------------------------------------------------------------------- */

static bool conv_plan_of(tw_graph *graph, const char *call, const tw_conv_params *params,
                         const char *const *options, tw__conv *c, tw__conv_plan *plan)
{
    tw__conv_options read;
    if (!tw__conv_read(graph, call, params, c) || !tw__conv_read_options(graph, call, options, &read)) return false;
    tw__conv_make_plan(graph, c, &read, plan);
    return true;
}

char *tw_poplin_conv_plan(tw_graph *graph, const tw_conv_params *params, const char *const *options)
{
    tw__conv c;
    tw__conv_plan p;
    if (!conv_plan_of(graph, __func__, params, options, &c, &p)) return NULL;
    const size_t *n = p.parts, *b = p.block;
    unsigned first = TW_CONV_DIMS - c.dims;
    g_autofree char *text = g_strdup_printf(
        "convolution batch %zu, %zu group%s, %zu to %zu channels, field %s, kernel %s of %s\n"
        "split       batch %zu, field %s, out channels %zu, in channels %zu; %zu serial step%s\n"
        "blocks      %zu of batch, %s of field, %zu out channels, %zu in channels, %llu bytes a tile\n"
        "cycles      %.0f (estimated): product %.0f, exchange %.0f, joining %.0f\n",
        c.p.batch, c.p.groups, c.p.groups == 1 ? "" : "s", c.p.in_channels, c.p.out_channels,
        tw__libs_shape_text(c.dims, c.p.field + first).text, tw__libs_shape_text(c.dims, c.p.kernel + first).text,
        tw_type_name(c.p.input_type, TW_SYSTEM_POPLAR), n[TW__CONV_BATCH],
        tw__libs_shape_text(c.dims, n + TW__CONV_FIELD + first).text, n[TW__CONV_OUT], n[TW__CONV_IN], p.steps,
        p.steps == 1 ? "" : "s", b[TW__CONV_BATCH], tw__libs_shape_text(c.dims, b + TW__CONV_FIELD + first).text,
        b[TW__CONV_OUT], b[TW__CONV_IN], (unsigned long long)p.bytes, p.cycles, p.product, p.exchange, p.joining);
    char *copy = strdup(text);
    if (!copy) tw_graph_fail(graph, TW_E_NO_MEMORY, __func__, "out of host memory");
    return copy;
}

tw_conv_costs tw_poplin_conv_costs(tw_graph *graph, const tw_conv_params *params, const char *const *options)
{
    tw__conv c;
    tw__conv_plan p;
    if (!conv_plan_of(graph, __func__, params, options, &c, &p)) return (tw_conv_costs){ 0, 0 };
    return (tw_conv_costs){ (uint64_t)p.cycles, p.bytes };
}
