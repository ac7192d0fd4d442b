/* SPDX-License-Identifier: MIT */
/* Activations and their gradients. */
#include "poplar/libs/popops/popops.h"

#include <string.h>

/* x: what goes in, $2 the gradient of what came out; of softmax nothing: it needs sums. */
static const struct {
    const char *function, *gradient;
} activations[] = {
    [TW_NL_SIGMOID] = { "sigmoid($1)", "$2 * $1 * (1 - $1)" },
    [TW_NL_HARD_SIGMOID] = { "max(0, min(1, 0.2 * $1 + 0.5))", "select($2 * 0.2, 0, $1 >= -2.5 && $1 <= 2.5)" },
    [TW_NL_RELU] = { "relu($1)", "select($2, 0, $1 > 0)" },
    [TW_NL_TANH] = { "tanh($1)", "$2 * (1 - $1 * $1)" },
    [TW_NL_GELU] = { "0.5 * $1 * (1 + tanh(0.7978845608 * $1 * (1 + 0.044715 * $1 * $1)))",
                     "$2 * 0.5 * (1 + tanh(0.7978845608 * $1 * (1 + 0.044715 * $1 * $1)) + "
                     "$1 * exp(-0.5 * $1 * $1) * 0.7978845608)" },
    [TW_NL_SWISH] = { "$1 * sigmoid($1)", "$2 * sigmoid($1) * (1 + $1 * (1 - sigmoid($1)))" },
    [TW_NL_SOFTMAX] = { NULL, NULL },
    [TW_NL_SOFTMAX_STABLE] = { NULL, NULL },
    [TW_NL_SOFTMAX_SCALED] = { NULL, NULL },
    [TW_NL_GELU_ERF] = { "gelu_erf($1)", "$2 * (0.5 * (1 + erf(0.7071067812 * $1)) + "
                                         "$1 * exp(-0.5 * $1 * $1) * 0.3989422804)" },
};

double tw_popnn_scaling(tw_non_linearity type)
{
    return type == TW_NL_SOFTMAX_SCALED ? 62000 : 1;
}

/* --- sums along the last dimension ---------------------------------------------------------------------------- */

typedef struct activation {
    tw_graph *graph;
    const char *call;
    tw_program sequence;
    const char *name;
    tw_type type;
} activation;

/* A column of what `op` makes of each row, of float for sums. */
static tw_tensor row_reduce(const activation *a, tw_tensor tensor, tw_reduce_op op)
{
    tw_graph *g = a->graph;
    unsigned rank = tw_tensor_rank(g, tensor);
    size_t last = rank - 1, behind = rank - 1;
    tw_type type = op == TW_REDUCE_ADD ? TW_FLOAT : TW_TYPE_NONE;
    tw_reduce_params params = { .op = op };
    tw_tensor made = tw_popops_reduce(g, tensor, type, 1, &last, &params, a->sequence, a->name, NULL);
    return tw_tensor_expand(g, made, 1, &behind);
}

/* `tensor` minus its row's greatest element, as float. */
static tw_tensor less_most(const activation *a, tw_tensor tensor)
{
    tw_tensor both[] = { tensor, row_reduce(a, tensor, TW_REDUCE_MAX) };
    return tw__real_map(a->graph, a->call, "$1 - $2", TW_FLOAT, 2, both, TW__LIBS_NIL, a->sequence, a->name);
}

static tw_tensor softmax(const activation *a, tw_non_linearity type, tw_tensor tensor, tw_tensor output)
{
    tw_graph *g = a->graph;
    tw_tensor from = type == TW_NL_SOFTMAX ? tensor : less_most(a, tensor);
    tw_tensor e = tw__real_map(g, a->call, "exp($1)", TW_FLOAT, 1, &from, TW__LIBS_NIL, a->sequence, a->name);
    tw_tensor both[] = { e, row_reduce(a, e, TW_REDUCE_ADD) };
    const char *text = type == TW_NL_SOFTMAX_SCALED ? "_1 / _2 * 62000" : "_1 / _2";
    return tw__real_map(g, a->call, text, a->type, 2, both, output, a->sequence, a->name);
}

static tw_tensor softmax_gradient(const activation *a, tw_tensor act, tw_tensor gradient)
{
    tw_graph *g = a->graph;
    tw_tensor three[] = { act, gradient, TW__LIBS_NIL };
    tw_tensor product = tw__real_map(g, a->call, "$1 * $2", TW_FLOAT, 2, three, TW__LIBS_NIL, a->sequence, a->name);
    three[2] = row_reduce(a, product, TW_REDUCE_ADD);
    return tw__real_map(g, a->call, "$1 * ($2 - _3)", a->type, 3, three, TW__LIBS_NIL, a->sequence, a->name);
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

static bool activation_check(activation *a, tw_graph *graph, const char *call, tw_non_linearity type,
                             tw_tensor tensor, tw_program sequence, const char *name)
{
    *a = (activation){ graph, call, sequence, name, TW_TYPE_NONE };
    if (!tw__libs_ready(graph)) return false;
    if ((unsigned)type >= G_N_ELEMENTS(activations)) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "there is no activation %d", (int)type);
        return false;
    }
    if (!tw__real_check(graph, call, tensor, activations[type].function ? 0 : 1)) return false;
    a->type = tw_tensor_type(graph, tensor);
    return true;
}

static tw_tensor activate(const activation *a, tw_non_linearity type, tw_tensor tensor, tw_tensor output)
{
    tw_graph_push_scope(a->graph);
    const char *text = activations[type].function;
    tw_tensor made = text ? tw__real_map(a->graph, a->call, text, a->type, 1, &tensor, output, a->sequence, a->name)
                          : softmax(a, type, tensor, output);
    if (made.id && !output.id) made = tw_tensor_keep(a->graph, made);
    tw_graph_pop_scope(a->graph);
    return made;
}

tw_tensor tw_popnn_non_linearity(tw_graph *graph, tw_non_linearity type, tw_tensor tensor, tw_program sequence,
                                 const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    activation a;
    if (!activation_check(&a, graph, __func__, type, tensor, sequence, name)) return TW__LIBS_NIL;
    return activate(&a, type, tensor, TW__LIBS_NIL);
}

void tw_popnn_non_linearity_in_place(tw_graph *graph, tw_non_linearity type, tw_tensor tensor, tw_program sequence,
                                     const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    activation a;
    if (activation_check(&a, graph, __func__, type, tensor, sequence, name) &&
        tw__libs_writeable(graph, __func__, tensor) && tw__popops_each_once(graph, __func__, tensor))
        activate(&a, type, tensor, tensor);
}

static bool gradient_check(const activation *a, tw_tensor act, tw_tensor gradient)
{
    if (!tw__real_check(a->graph, a->call, gradient, 0)) return false;
    if (!tw__libs_same_shape(a->graph, act, gradient) || tw_tensor_type(a->graph, gradient) != a->type)
        tw_graph_fail(a->graph, TW_E_POPLIBS, a->call, "the gradient of %s is like it, not %s",
                      tw__libs_describe(a->graph, act).text, tw__libs_describe(a->graph, gradient).text);
    return tw__libs_ready(a->graph);
}

tw_tensor tw_popnn_non_linearity_gradient(tw_graph *graph, tw_non_linearity type, tw_tensor act, tw_tensor gradient,
                                          tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    activation a;
    if (!activation_check(&a, graph, __func__, type, act, sequence, name) || !gradient_check(&a, act, gradient))
        return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    tw_tensor both[] = { act, gradient };
    const char *text = activations[type].gradient;
    tw_tensor made = text ? tw__real_map(graph, __func__, text, a.type, 2, both, TW__LIBS_NIL, sequence, name)
                          : softmax_gradient(&a, act, gradient);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

/* --- vertices of a compute set that the caller executes -------------------------------------------------------- */

static bool activation_check_set(activation *a, tw_graph *graph, const char *call, tw_non_linearity type,
                                 tw_tensor tensor)
{
    if (!activation_check(a, graph, call, type, tensor, (tw_program){ 0 }, NULL)) return false;
    if (!activations[type].function)
        tw_graph_fail(graph, TW_E_POPLIBS, call, "a softmax of %s takes more than one compute set",
                      tw__libs_describe(graph, tensor).text);
    return tw__libs_ready(graph);
}

void tw_popnn_non_linearity_in_place_set(tw_graph *graph, tw_non_linearity type, tw_tensor tensor,
                                         tw_compute_set set)
{
    if (!tw__libs_takes_set(graph, __func__, set)) return;
    activation a;
    if (!activation_check_set(&a, graph, __func__, type, tensor) || !tw__libs_writeable(graph, __func__, tensor))
        return;
    if (tw_tensor_contains_aliases(graph, tensor)) {
        TW__LIBS_REFUSE(graph, "%s cannot change in one compute set: it has an element more than once",
                        tw__libs_describe(graph, tensor).text);
        return;
    }
    g_autofree char *text = tw__real_text(graph, activations[type].function, a.type, 1, &tensor);
    tw__popops_map_set_in_place(graph, __func__, text, tensor, set);
}

tw_tensor tw_popnn_non_linearity_gradient_set(tw_graph *graph, tw_non_linearity type, tw_tensor act,
                                              tw_tensor gradient, tw_compute_set set, const char *name)
{
    if (!tw__libs_takes_set(graph, __func__, set)) return TW__LIBS_NIL;
    activation a;
    if (!activation_check_set(&a, graph, __func__, type, act) || !gradient_check(&a, act, gradient))
        return TW__LIBS_NIL;
    tw_tensor both[] = { act, gradient }, made = tw_popops_create_output(graph, 2, both, a.type, name);
    g_autofree char *text = tw__real_text(graph, activations[type].gradient, a.type, 2, both);
    tw__popops_map_set(graph, __func__, text, 2, both, made, set);
    return made;
}

/* --- logarithms ------------------------------------------------------------------------------------------------ */

static tw_tensor log_softmax(const activation *a, tw_tensor tensor, tw_tensor output)
{
    tw_graph *g = a->graph;
    tw_graph_push_scope(g);
    tw_tensor less = less_most(a, tensor);
    tw_tensor e = tw__real_map(g, a->call, "exp(_1)", TW_FLOAT, 1, &less, TW__LIBS_NIL, a->sequence, a->name);
    tw_tensor both[] = { less, row_reduce(a, e, TW_REDUCE_ADD) };
    tw_tensor made = tw__real_map(g, a->call, "_1 - log(_2)", a->type, 2, both, output, a->sequence, a->name);
    if (made.id && !output.id) made = tw_tensor_keep(g, made);
    tw_graph_pop_scope(g);
    return made;
}

tw_tensor tw_popnn_log_softmax(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    activation a;
    if (!activation_check(&a, graph, __func__, TW_NL_SOFTMAX, tensor, sequence, name)) return TW__LIBS_NIL;
    return log_softmax(&a, tensor, TW__LIBS_NIL);
}

void tw_popnn_log_softmax_in_place(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    activation a;
    if (activation_check(&a, graph, __func__, TW_NL_SOFTMAX, tensor, sequence, name) &&
        tw__libs_writeable(graph, __func__, tensor) && tw__popops_each_once(graph, __func__, tensor))
        log_softmax(&a, tensor, tensor);
}
