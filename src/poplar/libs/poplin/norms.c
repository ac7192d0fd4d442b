/* SPDX-License-Identifier: MIT */
/* Normalisations of channels: reductions over all other dimensions, and maps. */
#include "poplar/libs/popops/popops.h"

#include <math.h>

typedef struct norm {
    tw_graph *graph;
    const char *call;
    tw_type type;
    tw__extents shape;
    unsigned count;
    size_t dims[TW__LIBS_RANK]; /* all but the channels */
    size_t elements;            /* of a channel */
    tw_program sequence;
    const char *name;
} norm;

static bool norm_check(norm *n, tw_graph *graph, const char *call, tw_tensor tensor, tw_program sequence,
                       const char *name)
{
    *n = (norm){ .graph = graph, .call = call, .sequence = sequence, .name = name, .elements = 1 };
    if (!tw__real_check(graph, call, tensor, 2)) return false;
    n->type = tw_tensor_type(graph, tensor), n->shape = tw__libs_shape(graph, tensor);
    for (unsigned d = 0; d < n->shape.rank; d++)
        if (d != 1) n->dims[n->count++] = d, n->elements *= n->shape.dim[d];
    n->elements = MAX(1, n->elements); /* channels without elements have mean and variance 0 */
    return true;
}

/* `tensor` has one value for each channel of the type. */
static bool norm_check_channels(const norm *n, const char *what, tw_tensor tensor)
{
    tw_type type = tw_tensor_type(n->graph, tensor);
    unsigned rank = tw_tensor_rank(n->graph, tensor);
    if (!tw__libs_ready(n->graph)) return false;
    if (type == n->type && rank == 1 && tw_tensor_dim(n->graph, tensor, 0) == n->shape.dim[1]) return true;
    tw_graph_fail(n->graph, TW_E_POPLIBS, n->call, "the %s is %s[%zu], not %s", what, tw__expr_type_name(n->type),
                  n->shape.dim[1], tw__libs_describe(n->graph, tensor).text);
    return false;
}

static bool norm_check_like(const norm *n, tw_tensor tensor, tw_tensor other)
{
    tw_type type = tw_tensor_type(n->graph, other);
    if (!tw__libs_ready(n->graph)) return false;
    if (type == n->type && tw__libs_same_shape(n->graph, tensor, other) &&
        tw_graph_mapping_complete(n->graph, other))
        return true;
    tw_graph_fail(n->graph, TW_E_POPLIBS, n->call, "the gradient of %s is like it, on tiles, not %s",
                  tw__libs_describe(n->graph, tensor).text, tw__libs_describe(n->graph, other).text);
    return false;
}

/* [channels] as a tensor that is broadcast along all other dimensions. */
static tw_tensor norm_column(const norm *n, tw_tensor channels)
{
    tw__extents shape = { .rank = n->shape.rank - 1, .dim = { n->shape.dim[1] } };
    for (unsigned d = 1; d < shape.rank; d++) shape.dim[d] = 1;
    return tw_tensor_reshape(n->graph, channels, shape.rank, shape.dim);
}

static tw_tensor norm_map(const norm *n, const char *text, tw_type type, unsigned count, const tw_tensor *tensors)
{
    return tw__real_map(n->graph, n->call, text, type, count, tensors, TW__LIBS_NIL, n->sequence, n->name);
}

/* For each channel scale * the sum of what `op` makes of its elements. */
static tw_tensor norm_sum(const norm *n, tw_tensor tensor, tw_reduce_op op, tw_type type, double scale)
{
    tw_reduce_params params = { .op = op };
    if (scale != 1) params.scale = tw__popops_number(n->graph, TW_FLOAT, scale);
    return tw_popops_reduce(n->graph, tensor, type, n->count, n->dims, &params, n->sequence, n->name, NULL);
}

static tw_pair norm_keep(tw_graph *graph, tw_pair made)
{
    if (made.first.id) made.first = tw_tensor_keep(graph, made.first);
    if (made.second.id) made.second = tw_tensor_keep(graph, made.second);
    tw_graph_pop_scope(graph);
    return made;
}

tw_pair tw_poplin_norm_statistics(tw_graph *graph, tw_tensor tensor, double eps, bool unbiased, bool stable,
                                  tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_pair){ 0 };
    norm n;
    tw_pair made = { TW__LIBS_NIL, TW__LIBS_NIL };
    if (!norm_check(&n, graph, __func__, tensor, sequence, name)) return made;
    if (!(eps >= 0) || !isfinite(eps)) {
        TW__LIBS_REFUSE(graph, "eps is a number from 0 on, not %g", eps);
        return made;
    }
    double share = 1 / (double)n.elements;
    double factor = unbiased && n.elements > 1 ? (double)n.elements / ((double)n.elements - 1) : 1;
    char text[128];
    tw_graph_push_scope(graph);
    tw_tensor mean = norm_sum(&n, tensor, TW_REDUCE_ADD, TW_FLOAT, share), pair[] = { tensor, mean };
    if (stable) {
        tw_tensor apart[] = { tensor, norm_column(&n, mean) };
        tw_tensor squares = norm_map(&n, "square($1 - $2)", TW_FLOAT, 2, apart);
        pair[0] = norm_sum(&n, squares, TW_REDUCE_ADD, TW_FLOAT, share);
        snprintf(text, sizeof text, "rsqrt(($1 + %.9g) * %.9g)", eps, factor);
    } else {
        pair[0] = norm_sum(&n, tensor, TW_REDUCE_SQUARE_ADD, TW_FLOAT, share);
        snprintf(text, sizeof text, "rsqrt((max($1 - square($2), 0) + %.9g) * %.9g)", eps, factor);
    }
    made.second = norm_map(&n, text, n.type, stable ? 1 : 2, pair);
    made.first = n.type == TW_FLOAT ? mean : tw_popops_cast(graph, mean, n.type, sequence, name);
    return norm_keep(graph, made);
}

/* A map of the tensor and one or two lists of channels. */
static tw_tensor norm_apply(norm *n, const char *text, tw_tensor tensor, tw_tensor a, tw_tensor b)
{
    tw_graph *g = n->graph;
    tw_graph_push_scope(g);
    tw_tensor three[] = { tensor, norm_column(n, a), TW__LIBS_NIL };
    if (b.id) three[2] = norm_column(n, b);
    tw_tensor made = norm_map(n, text, n->type, b.id ? 3 : 2, three);
    if (made.id) made = tw_tensor_keep(g, made);
    tw_graph_pop_scope(g);
    return made;
}

tw_tensor tw_poplin_norm_whiten(tw_graph *graph, tw_tensor tensor, tw_tensor mean, tw_tensor inv_std_dev,
                                tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    norm n;
    if (!norm_check(&n, graph, __func__, tensor, sequence, name) || !norm_check_channels(&n, "mean", mean) ||
        !norm_check_channels(&n, "inverse standard deviation", inv_std_dev))
        return TW__LIBS_NIL;
    return norm_apply(&n, "($1 - $2) * $3", tensor, mean, inv_std_dev);
}

tw_tensor tw_poplin_normalise(tw_graph *graph, tw_tensor whitened, tw_tensor gamma, tw_tensor beta,
                              tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    norm n;
    if (!norm_check(&n, graph, __func__, whitened, sequence, name) || !norm_check_channels(&n, "gamma", gamma) ||
        !norm_check_channels(&n, "beta", beta))
        return TW__LIBS_NIL;
    return norm_apply(&n, "$1 * $2 + $3", whitened, gamma, beta);
}

tw_tensor tw_poplin_norm_gradients(tw_graph *graph, tw_tensor gradient, tw_tensor gamma, tw_program sequence,
                                   const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    norm n;
    if (!norm_check(&n, graph, __func__, gradient, sequence, name) || !norm_check_channels(&n, "gamma", gamma))
        return TW__LIBS_NIL;
    return norm_apply(&n, "$1 * $2", gradient, gamma, TW__LIBS_NIL);
}

bool tw_poplin_norm_fits(tw_graph *graph, tw_tensor tensor, tw_tensor gradient, unsigned count,
                         const tw_tensor *channels)
{
    norm n;
    if (!norm_check(&n, graph, __func__, tensor, (tw_program){ 0 }, NULL) ||
        (gradient.id && !norm_check_like(&n, tensor, gradient)) ||
        !tw__libs_list(graph, __func__, "channels", count, channels))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!norm_check_channels(&n, "list of channels", channels[i])) return false;
    return true;
}

tw_pair tw_poplin_norm_param_gradients(tw_graph *graph, tw_tensor whitened, tw_tensor gradient, tw_program sequence,
                                       const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_pair){ 0 };
    norm n;
    tw_pair made = { TW__LIBS_NIL, TW__LIBS_NIL };
    if (!norm_check(&n, graph, __func__, whitened, sequence, name) || !norm_check_like(&n, whitened, gradient))
        return made;
    tw_graph_push_scope(graph);
    tw_tensor both[] = { whitened, gradient };
    tw_tensor products = norm_map(&n, "$1 * $2", TW_FLOAT, 2, both);
    made.first = norm_sum(&n, products, TW_REDUCE_ADD, n.type, 1);
    made.second = norm_sum(&n, gradient, TW_REDUCE_ADD, n.type, 1);
    return norm_keep(graph, made);
}

tw_tensor tw_poplin_norm_statistics_gradients(tw_graph *graph, tw_tensor whitened, tw_tensor gradient,
                                              tw_tensor inv_std_dev, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    norm n;
    if (!norm_check(&n, graph, __func__, whitened, sequence, name) || !norm_check_like(&n, whitened, gradient) ||
        !norm_check_channels(&n, "inverse standard deviation", inv_std_dev))
        return TW__LIBS_NIL;
    double share = 1 / (double)n.elements;
    tw_graph_push_scope(graph);
    tw_tensor five[] = { whitened, gradient, TW__LIBS_NIL, TW__LIBS_NIL, norm_column(&n, inv_std_dev) };
    tw_tensor products = norm_map(&n, "$1 * $2", TW_FLOAT, 2, five);
    five[2] = norm_column(&n, norm_sum(&n, products, TW_REDUCE_ADD, TW_FLOAT, share));
    five[3] = norm_column(&n, norm_sum(&n, gradient, TW_REDUCE_ADD, TW_FLOAT, share));
    tw_tensor made = norm_map(&n, "$5 * ($2 - $1 * _3 - _4)", n.type, 5, five);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}
