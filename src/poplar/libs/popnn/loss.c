/* SPDX-License-Identifier: MIT */
/* Losses of a batch with their gradients, accuracy, the greatest of rows. */
#include "poplar/libs/popops/encode.h"
#include "poplar/libs/popops/sort.h"

/* --- checks --------------------------------------------------------------------------------------------------- */

static bool loss_fail(tw_graph *graph, const char *call, const char *what, tw_tensor tensor, tw_tensor outputs)
{
    if (tw__libs_ready(graph))
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s do not fit %s: %s", tw__libs_describe(graph, outputs).text,
                      what, tw__libs_describe(graph, tensor).text);
    return false;
}

/* Outputs [batch][classes] of any number type, expected labels [batch]. */
static bool loss_check_labels(tw_graph *graph, const char *call, tw_tensor outputs, tw_tensor expected)
{
    if (!tw__libs_ready(graph)) return false;
    tw__extents out = tw__libs_shape(graph, outputs), own = tw__libs_shape(graph, expected);
    tw_type type = tw_tensor_type(graph, expected), of = tw_tensor_type(graph, outputs);
    if (!tw__libs_ready(graph)) return false;
    bool fits = out.rank == 2 && own.rank == 1 && own.dim[0] == out.dim[0] &&
                (type == TW_INT || type == TW_UNSIGNED_INT) && tw__sort_takes(of);
    if (!fits || !tw_graph_mapping_complete(graph, expected))
        return loss_fail(graph, call, "labels [batch] of int or unsigned int, on tiles", expected, outputs);
    if (!tw_graph_mapping_complete(graph, outputs))
        return loss_fail(graph, call, "a tensor on tiles", outputs, outputs);
    return true;
}

/* One unsigned int that can be written. */
static bool loss_check_count(tw_graph *graph, const char *call, tw_tensor outputs, tw_tensor correct)
{
    tw_type type = tw_tensor_type(graph, correct);
    if (!tw__libs_ready(graph)) return false;
    if (type != TW_UNSIGNED_INT || tw_tensor_elements(graph, correct) != 1)
        return loss_fail(graph, call, "the count, one unsigned int", correct, outputs);
    return tw__libs_writeable(graph, call, correct);
}

static bool loss_check(tw_graph *graph, const char *call, tw_tensor outputs, tw_tensor expected, tw_tensor loss,
                       tw_tensor deltas, tw_loss_type type, const tw_loss_params *p)
{
    if (!tw__real_check(graph, call, outputs, 2) || !loss_check_labels(graph, call, outputs, expected))
        return false;
    tw_type own = tw_tensor_type(graph, outputs);
    tw_tensor scale[] = { p->deltas_scale, p->output_scaling };
    tw_type of_loss = tw_tensor_type(graph, loss), of_deltas = tw_tensor_type(graph, deltas);
    if (!tw__libs_ready(graph)) return false;
    if ((unsigned)type > TW_LOSS_CROSS_ENTROPY) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "there is no loss %d", (int)type);
        return false;
    }
    if (tw_tensor_rank(graph, loss) != 1 || tw_tensor_dim(graph, loss, 0) != tw_tensor_dim(graph, outputs, 0) ||
        of_loss != own)
        return loss_fail(graph, call, "the loss, [batch] of their type", loss, outputs);
    if (!tw__libs_same_shape(graph, outputs, deltas) || of_deltas != own)
        return loss_fail(graph, call, "the deltas, which are like them", deltas, outputs);
    for (int i = 0; i < 2; i++) {
        if (!scale[i].id) continue;
        tw_type of_scale = tw_tensor_type(graph, scale[i]);
        if (!tw__libs_ready(graph)) return false;
        if (of_scale != own || tw_tensor_elements(graph, scale[i]) != 1)
            return loss_fail(graph, call, "a scale, one element of their type", scale[i], outputs);
    }
    if (!tw__libs_writeable(graph, call, loss) || !tw__libs_writeable(graph, call, deltas)) return false;
    return !p->correct.id || loss_check_count(graph, call, outputs, p->correct);
}

/* --- losses --------------------------------------------------------------------------------------------------- */

typedef struct loss_call {
    tw_graph *graph;
    const char *call;
    tw_type type;
    tw_tensor outputs, hot, mask; /* hot: 1 at the expected class; mask [batch][1]: the label counts */
    tw_program sequence;
    const char *name;
} loss_call;

/* The sum of `terms`, [batch][classes] of float, to `loss`. */
static void loss_sum(const loss_call *l, tw_tensor terms, tw_tensor loss)
{
    size_t one = 1;
    tw_popops_reduce_with_output(l->graph, terms, loss, 1, &one, NULL, l->sequence, l->name, NULL);
}

static void loss_squares(const loss_call *l, tw_tensor loss, tw_tensor deltas)
{
    tw_tensor both[] = { l->outputs, l->hot };
    tw_tensor terms = tw__real_map(l->graph, l->call, "0.5 * square($1 - $2)", TW_FLOAT, 2, both, TW__LIBS_NIL,
                                   l->sequence, l->name);
    tw__real_map(l->graph, l->call, "$1 - $2", l->type, 2, both, deltas, l->sequence, l->name);
    loss_sum(l, terms, loss);
}

static void loss_entropy(const loss_call *l, const tw_loss_params *p, tw_tensor loss, tw_tensor deltas)
{
    tw_graph *g = l->graph;
    tw_tensor scaling = p->output_scaling.id ? p->output_scaling : tw__popops_number(g, l->type, 1);
    tw_tensor scale = p->deltas_scale.id ? p->deltas_scale : tw__popops_number(g, l->type, 1);
    tw_tensor five[] = { l->outputs, l->hot, l->mask, tw_tensor_reshape(g, scaling, 0, NULL),
                         tw_tensor_reshape(g, scale, 0, NULL) };
    const char *term = l->type == TW_HALF ? "select(log($4) - log($1 + 5.9605e-8), 0, $2 != 0)"
                                          : "select(log($4) - log($1 + 1.17549435e-38), 0, $2 != 0)";
    tw_tensor operand[] = { l->outputs, l->hot, l->mask, five[3] };
    tw_tensor terms = tw__real_map(g, l->call, term, TW_FLOAT, 4, operand, TW__LIBS_NIL, l->sequence, l->name);
    tw__real_map(g, l->call, "select($5 / $4 * ($1 - $2 * $4), 0, _3)", l->type, 5, five, deltas, l->sequence,
                 l->name);
    loss_sum(l, terms, loss);
}

static void add_correct(tw_graph *graph, const char *call, tw_tensor outputs, tw_tensor expected, tw_tensor correct,
                        tw_program sequence, const char *name)
{
    size_t zero = 0;
    tw_sorted best = tw__sort_rows(graph, outputs, 1, true, sequence, name);
    tw_tensor both[] = { tw_tensor_flatten(graph, best.values), tw__libs_bits(graph, expected) };
    tw_tensor hits =
        tw__popops_map(graph, call, "cast(_1 == _2, unsigned int)", 2, both, TW__LIBS_NIL, sequence, name, NULL);
    tw_tensor count = tw_popops_reduce(graph, hits, TW_TYPE_NONE, 1, &zero, NULL, sequence, name, NULL);
    tw__popops_map_in_place(graph, call, "_1 + _2", 2,
                            (tw_tensor[]){ tw_tensor_reshape(graph, correct, 0, NULL), count }, sequence, name,
                            NULL);
}

void tw_popnn_loss(tw_graph *graph, tw_tensor outputs, tw_tensor expected, tw_tensor loss, tw_tensor deltas,
                   tw_loss_type type, const tw_loss_params *params, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    static const tw_loss_params none = { { 0, 0 }, { 0, 0 }, { 0, 0 } };
    const tw_loss_params *p = params ? params : &none;
    if (!loss_check(graph, __func__, outputs, expected, loss, deltas, type, p)) return;
    loss_call l = { .graph = graph, .call = __func__, .outputs = outputs, .sequence = sequence, .name = name };
    l.type = tw_tensor_type(graph, outputs);
    size_t one = 1;
    tw_graph_push_scope(graph);
    l.hot = tw_popops_create_output(graph, 1, &outputs, l.type, tw__libs_path(name, "hot").text);
    tw__encode_hot(graph, expected, l.hot, tw__popops_number(graph, l.type, 1), tw__popops_number(graph, l.type, 0),
                   sequence, name);
    tw_tensor label = tw__libs_bits(graph, expected);
    tw_tensor counts =
        tw__popops_map(graph, __func__, "_1 != 4294967295u", 1, &label, TW__LIBS_NIL, sequence, name, NULL);
    l.mask = tw_tensor_expand(graph, counts, 1, &one);
    if (p->correct.id) add_correct(graph, __func__, outputs, expected, p->correct, sequence, name);
    if (type == TW_LOSS_SUM_SQUARED)
        loss_squares(&l, loss, deltas);
    else
        loss_entropy(&l, p, loss, deltas);
    tw_graph_pop_scope(graph);
}

void tw_popnn_accuracy(tw_graph *graph, tw_tensor outputs, tw_tensor expected, tw_tensor correct,
                       tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    if (!loss_check_labels(graph, __func__, outputs, expected) ||
        !loss_check_count(graph, __func__, outputs, correct))
        return;
    tw_graph_push_scope(graph);
    add_correct(graph, __func__, outputs, expected, correct, sequence, name);
    tw_graph_pop_scope(graph);
}

/* --- the greatest of rows ------------------------------------------------------------------------------------- */

static tw_sorted loss_first(tw_graph *graph, const char *call, tw_tensor tensor, bool down, tw_program sequence,
                            const char *name)
{
    tw_sorted made = { TW__LIBS_NIL, TW__LIBS_NIL };
    if (!tw__libs_ready(graph)) return made;
    tw__extents own = tw__libs_shape(graph, tensor);
    tw_type type = tw_tensor_type(graph, tensor);
    if (!tw__libs_ready(graph)) return made;
    if (own.rank != 2 || !own.dim[1] || !tw__sort_takes(type) || !tw_graph_mapping_complete(graph, tensor)) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has no rows of numbers, on tiles",
                      tw__libs_describe(graph, tensor).text);
        return made;
    }
    tw_graph_push_scope(graph);
    made = tw__sort_rows(graph, tensor, 1, down, sequence, name);
    if (made.keys.id) made.keys = tw_tensor_keep(graph, tw_tensor_flatten(graph, made.keys));
    if (made.values.id) made.values = tw_tensor_keep(graph, tw_tensor_flatten(graph, made.values));
    tw_graph_pop_scope(graph);
    return made;
}

tw_sorted tw_popnn_max_and_arg_max(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_sorted){ 0 };
    return loss_first(graph, __func__, tensor, true, sequence, name);
}

tw_sorted tw_popnn_min_and_arg_min(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_sorted){ 0 };
    return loss_first(graph, __func__, tensor, false, sequence, name);
}
