/* SPDX-License-Identifier: MIT */
/* Recurrent layers: what calls are refused for. */
#include "poplar/libs/popnn/recurrent.h"

#include <string.h>

/* Which gate's weights stand at 0, 1 ... */
static bool recurrent_order(tw_recurrent *layer, unsigned gates)
{
    unsigned seen = 0, given = 0;
    for (unsigned i = 0; i < gates; i++) given |= layer->order[i];
    for (unsigned i = 0; i < gates; i++) {
        if (!given) layer->order[i] = i;
        if (layer->order[i] < gates) seen |= 1u << layer->order[i];
    }
    return seen == (1u << gates) - 1;
}

static bool recurrent_fail(const tw__recurrent_call *c, const char *what)
{
    const tw_recurrent *l = &c->layer;
    tw_graph_fail(c->graph, TW_E_POPLIBS, c->call,
                  "a recurrent layer of %zu steps, batch %zu, %zu inputs, %zu outputs %s", l->steps, l->batch,
                  l->input, l->output, what);
    return false;
}

static bool recurrent_check_steps(const tw__recurrent_call *c)
{
    tw_graph *g = c->graph;
    tw_tensor real = c->layer.real_steps;
    if (!real.id) return true;
    uint64_t n = tw_tensor_elements(g, real);
    tw_type type = tw_tensor_type(g, real);
    if (!tw__libs_ready(g)) return false;
    if (type == TW_UNSIGNED_INT && tw_tensor_rank(g, real) == 1 && (n == 1 || n == c->layer.batch) &&
        tw_graph_mapping_complete(g, real))
        return true;
    tw_graph_fail(g, TW_E_POPLIBS, c->call, "numbers of steps are unsigned int[1] or [%zu], on tiles, not %s",
                  c->layer.batch, tw__libs_describe(g, real).text);
    return false;
}

static bool recurrent_check_attention(const tw__recurrent_call *c)
{
    tw_graph *g = c->graph;
    tw_tensor t = c->layer.attention;
    if (!t.id) return true;
    tw__extents own = tw__libs_shape(g, t);
    tw_type type = tw_tensor_type(g, t);
    if (!tw__libs_ready(g)) return false;
    if (type == c->layer.type && own.rank == 2 && own.dim[0] == c->layer.steps && own.dim[1] == c->layer.batch &&
        tw_graph_mapping_complete(g, t))
        return true;
    tw_graph_fail(g, TW_E_POPLIBS, c->call, "scores of attention are %s[%zu, %zu] on tiles, not %s",
                  tw__expr_type_name(c->layer.type), c->layer.steps, c->layer.batch, tw__libs_describe(g, t).text);
    return false;
}

bool tw__recurrent_check(tw__recurrent_call *c, tw_graph *graph, const char *call, const tw_recurrent *layer,
                         tw_program sequence, const char *name)
{
    *c = (tw__recurrent_call){ .graph = graph, .call = call, .sequence = sequence, .name = name };
    if (!tw__libs_ready(graph)) return false;
    if (!layer) return tw_graph_fail(graph, TW_E_POPLIBS, call, "there is no layer"), false;
    c->layer = *layer;
    tw_recurrent *l = &c->layer;
    if ((unsigned)l->kind > TW_RECURRENT_GRU_RESET_AFTER) return recurrent_fail(c, "is of no kind that there is");
    c->cell = tw__recurrent_cell_of(l->kind, l->attention.id != 0);
    if (!c->cell) return recurrent_fail(c, "has attention, which is for GRU");
    if (l->type != TW_FLOAT && l->type != TW_HALF) return recurrent_fail(c, "is of float or half");
    if (!l->batch || !l->steps || !l->input || !l->output) return recurrent_fail(c, "has nothing to do");
    if (l->steps > UINT32_MAX || l->batch > SIZE_MAX / l->steps / 64 / (l->input + l->output))
        return recurrent_fail(c, "is too large");
    if (!tw__recurrent_takes(l->activation) || !tw__recurrent_takes(l->recurrent_activation))
        return recurrent_fail(c, "has sigmoid, hard sigmoid, relu or tanh as its activations");
    if (!recurrent_order(l, c->cell->gates)) return recurrent_fail(c, "has each of its gates once in its order");
    return recurrent_check_steps(c) && recurrent_check_attention(c);
}

bool tw__recurrent_options(tw__recurrent_call *c, const char *const *options)
{
    typedef struct recurrent_options {
        double memory, number;
        bool ignored;
        tw_type ignored_type, accumulators;
    } recurrent_options;
    static const tw__libs_option table[] = {
        { "availableMemoryProportion", TW__LIBS_FRACTION, offsetof(recurrent_options, memory), NULL },
        { "weightAccumulatorsType", TW__LIBS_TYPE, offsetof(recurrent_options, accumulators), NULL },
        { "inferenceOnly", TW__LIBS_BOOL, offsetof(recurrent_options, ignored), NULL },
        { "preCalcWeights", TW__LIBS_BOOL, offsetof(recurrent_options, ignored), NULL },
        { "rnnCodeReuse", TW__LIBS_BOOL, offsetof(recurrent_options, ignored), NULL },
        { "codeReuse", TW__LIBS_BOOL, offsetof(recurrent_options, ignored), NULL },
        { "disableWUPartialInterleaving", TW__LIBS_BOOL, offsetof(recurrent_options, ignored), NULL },
        { "partialsType", TW__LIBS_TYPE, offsetof(recurrent_options, ignored_type), NULL },
        { "recomputationMode", TW__LIBS_WORD, 0, "none cellAndTanh full" },
        { "numShards", TW__LIBS_FRACTION, offsetof(recurrent_options, number), NULL },
        { "rnnStepsPerWU", TW__LIBS_FRACTION, offsetof(recurrent_options, number), NULL },
        { "weightUpdateMemoryProportion", TW__LIBS_FRACTION, offsetof(recurrent_options, number), NULL },
    };
    recurrent_options read = { .memory = -1, .accumulators = c->layer.type };
    if (!tw__libs_options(c->graph, c->call, options, table, G_N_ELEMENTS(table), &read)) return false;
    c->accumulators = read.accumulators;
    if (read.memory < 0) return true;
    snprintf(c->memory, sizeof c->memory, "availableMemoryProportion=%.9g", read.memory);
    c->product[0] = c->memory;
    return true;
}

bool tw__recurrent_wants(const tw__recurrent_call *c, const char *what, tw_tensor t, unsigned rank,
                         const size_t *shape)
{
    tw_graph *g = c->graph;
    tw__extents own = tw__libs_shape(g, t);
    tw_type type = tw_tensor_type(g, t);
    if (!tw__libs_ready(g)) return false;
    if (type == c->layer.type && own.rank == rank && !memcmp(own.dim, shape, rank * sizeof *shape) &&
        tw_graph_mapping_complete(g, t))
        return true;
    tw_graph_fail(g, TW_E_POPLIBS, c->call, "the %s of the %s: %s%s on tiles, not %s", what, c->cell->name,
                  tw__expr_type_name(c->layer.type), tw__libs_shape_text(rank, shape).text,
                  tw__libs_describe(g, t).text);
    return false;
}
