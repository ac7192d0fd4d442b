/* SPDX-License-Identifier: MIT */
/* Recurrent layers: variables, loops over the steps, gradients of weights. Products with inputs are made for
 * all steps at once; what a loop reads and writes lies in columns, so that a step moves its own elements only. */
#include "poplar/libs/popnn/recurrent.h"

#include <string.h>

#define RUN_NIL ((tw_recurrent_run){ TW__LIBS_NIL, { TW__LIBS_NIL, TW__LIBS_NIL }, TW__LIBS_NIL })
#define DELTAS_NIL \
    ((tw_recurrent_deltas){ { TW__LIBS_NIL, TW__LIBS_NIL }, TW__LIBS_NIL, TW__LIBS_NIL, TW__LIBS_NIL })
#define WEIGHTS_NIL ((tw_recurrent_weights){ TW__LIBS_NIL, TW__LIBS_NIL, TW__LIBS_NIL })

tw_recurrent tw_popnn_recurrent(tw_recurrent_kind kind, tw_type type, size_t batch, size_t steps, size_t input,
                                size_t output)
{
    return (tw_recurrent){ .kind = kind,
                           .type = type,
                           .batch = batch,
                           .steps = steps,
                           .input = input,
                           .output = output,
                           .activation = TW_NL_TANH,
                           .recurrent_activation = TW_NL_SIGMOID };
}

#define WANTS(c, what, t, ...)                                                                \
    tw__recurrent_wants((c), (what), (t), sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t), \
                        (size_t[]){ __VA_ARGS__ })

static bool recurrent_check_weights(const tw__recurrent_call *c, tw_recurrent_weights w)
{
    const tw_recurrent *l = &c->layer;
    size_t gates = c->cell->gates;
    return WANTS(c, "weights of inputs", w.input, gates, l->input, l->output) &&
           WANTS(c, "weights of outputs", w.output, gates, l->output, l->output) &&
           (c->cell->two_biases ? WANTS(c, "biases", w.biases, gates, 2, l->output)
                                : WANTS(c, "biases", w.biases, gates, l->output));
}

/* --- views and variables -------------------------------------------------------------------------------------- */

static const char *recurrent_path(const tw__recurrent_call *c, const char *name, tw__libs_text *text)
{
    *text = tw__libs_path(c->name, name);
    return text->text;
}
#define PATH(c, name) recurrent_path((c), (name), &(tw__libs_text){ { 0 } })

/* A variable [rows][batch][output], or with rows = 0 [batch][output]. */
static tw_tensor recurrent_variable(const tw__recurrent_call *c, tw_type type, size_t rows, const char *name)
{
    size_t shape[] = { rows, c->layer.batch, c->layer.output };
    tw_tensor t = tw_graph_add_variable(c->graph, type, rows ? 3 : 2, rows ? shape : shape + 1, PATH(c, name));
    tw_poputil_map_linearly(c->graph, t);
    return t;
}

/* [steps][slots][batch][output], sliced by steps. */
static tw_tensor recurrent_sequence(const tw__recurrent_call *c, tw_type type, size_t slots, const char *name)
{
    size_t shape[] = { c->layer.steps, slots, c->layer.batch, c->layer.output }, dim = 0, size = 1;
    return tw_popops_create_sliceable(c->graph, type, 4, shape, 1, &dim, &size, 0, PATH(c, name));
}

/* [steps][slots][batch][output] to [steps * batch][slots * output] of slots [first, end). */
static tw_tensor recurrent_rows(const tw__recurrent_call *c, tw_tensor all, unsigned first, unsigned end)
{
    tw_graph *g = c->graph;
    tw_tensor part = tw_tensor_slice(g, all, 1, first, end);
    tw_tensor order = tw_tensor_dim_shuffle(g, part, (unsigned[]){ 0, 2, 1, 3 });
    return tw_tensor_flatten_dims(g, tw_tensor_flatten_dims(g, order, 2, 4), 0, 2);
}

static unsigned recurrent_place(const tw__recurrent_call *c, unsigned gate)
{
    unsigned at = 0;
    while (c->layer.order[at] != gate) at++;
    return at;
}

/* Gates in the order of the enumeration, in a first dimension, from weights or biases of that. */
static tw_tensor recurrent_gates(const tw__recurrent_call *c, tw_tensor of_gates)
{
    tw_tensor parts[4];
    for (unsigned gate = 0; gate < c->cell->gates; gate++) {
        unsigned at = recurrent_place(c, gate);
        parts[gate] = tw_tensor_slice(c->graph, of_gates, 0, at, at + 1);
    }
    return tw_tensor_concat(c->graph, c->cell->gates, parts, 0);
}

/* And back. */
static tw_tensor recurrent_ungates(const tw__recurrent_call *c, tw_tensor gates)
{
    tw_tensor parts[4];
    for (unsigned at = 0; at < c->cell->gates; at++) {
        unsigned gate = c->layer.order[at];
        parts[at] = tw_tensor_slice(c->graph, gates, 0, gate, gate + 1);
    }
    return tw_tensor_concat(c->graph, c->cell->gates, parts, 0);
}

/* Weights [gates][rows][output] of gates [first, end), which are in order, as [rows][gates * output]. */
static tw_tensor recurrent_matrix(const tw__recurrent_call *c, tw_tensor gates, unsigned first, unsigned end)
{
    tw_tensor part = tw_tensor_slice(c->graph, gates, 0, first, end);
    tw_tensor order = tw_tensor_dim_shuffle(c->graph, part, (unsigned[]){ 1, 0, 2 });
    return tw_tensor_flatten_dims(c->graph, order, 1, 3);
}

/* A matrix of [rows][gates * output] as [gates][rows][output]. */
static tw_tensor recurrent_unmatrix(const tw__recurrent_call *c, tw_tensor matrix)
{
    size_t n = c->layer.output, parts[] = { tw_tensor_dim(c->graph, matrix, 1) / n, n };
    tw_tensor apart = tw_tensor_reshape_partial(c->graph, matrix, 1, 2, 2, parts);
    return tw_tensor_dim_shuffle(c->graph, apart, (unsigned[]){ 1, 0, 2 });
}

/* A copy that lies as a product with `rows` rows on its left reads it. */
static tw_tensor recurrent_arranged(const tw__recurrent_call *c, tw_tensor matrix, size_t rows)
{
    tw_graph *g = c->graph;
    size_t b[] = { tw_tensor_dim(g, matrix, 0), tw_tensor_dim(g, matrix, 1) }, a[] = { rows, b[0] };
    tw_tensor made = tw_poplin_create_matmul_rhs(g, c->layer.type, 2, a, b, PATH(c, "weights"), c->product);
    tw_program_sequence_add(g, c->sequence, tw_program_copy(g, matrix, made));
    return made;
}

/* Weights of outputs for the products of a step; `back` transposed. */
static void recurrent_step_weights(const tw__recurrent_call *c, tw_tensor weights, bool back, tw_tensor into[])
{
    tw_tensor gates = recurrent_gates(c, weights);
    for (unsigned i = 0; i < TW__RECURRENT_PRODUCTS && c->cell->product[i].end; i++) {
        tw_tensor m = recurrent_matrix(c, gates, c->cell->product[i].first, c->cell->product[i].end);
        into[i] = recurrent_arranged(c, back ? tw_tensor_transpose(c->graph, m) : m, c->layer.batch);
    }
}

static tw_tensor recurrent_keep(tw_graph *graph, tw_tensor t)
{
    return t.id ? tw_tensor_keep(graph, t) : t;
}

tw_tensor tw_popnn_recurrent_input(tw_graph *graph, const tw_recurrent *layer, const char *name,
                                   const char *const *options)
{
    tw__recurrent_call c;
    if (!tw__recurrent_check(&c, graph, __func__, layer, (tw_program){ 0 }, name) ||
        !tw__recurrent_options(&c, options))
        return TW__LIBS_NIL;
    const tw_recurrent *l = &c.layer;
    tw_graph_push_scope(graph);
    size_t a[] = { l->steps * l->batch, l->input }, b[] = { l->input, c.cell->gates * l->output };
    tw_tensor rows = tw_poplin_create_matmul_lhs(graph, l->type, 2, a, b, name, c.product);
    tw_tensor made = tw_tensor_reshape_partial(graph, rows, 0, 1, 2, (size_t[]){ l->steps, l->batch });
    made = recurrent_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

tw_recurrent_state tw_popnn_recurrent_state(tw_graph *graph, const tw_recurrent *layer, const char *name,
                                            const char *const *options)
{
    tw__recurrent_call c;
    tw_recurrent_state made = { TW__LIBS_NIL, TW__LIBS_NIL };
    if (!tw__recurrent_check(&c, graph, __func__, layer, (tw_program){ 0 }, name) ||
        !tw__recurrent_options(&c, options))
        return made;
    made.output = recurrent_variable(&c, c.layer.type, 0, "output");
    if (c.cell->has_cell) made.cell = recurrent_variable(&c, c.layer.type, 0, "cell");
    return made;
}

tw_recurrent_weights tw_popnn_recurrent_weights(tw_graph *graph, const tw_recurrent *layer, const char *name,
                                                const char *const *options)
{
    tw__recurrent_call c;
    if (!tw__recurrent_check(&c, graph, __func__, layer, (tw_program){ 0 }, name) ||
        !tw__recurrent_options(&c, options))
        return WEIGHTS_NIL;
    const tw_recurrent *l = &c.layer;
    tw_graph_push_scope(graph);
    size_t n = c.cell->gates * l->output, rows[] = { l->steps * l->batch, l->batch };
    size_t of_input[] = { l->input, n }, of_output[] = { l->output, n };
    tw_recurrent_weights w = { .biases = TW__LIBS_NIL };
    w.input = recurrent_unmatrix(&c, tw_poplin_create_matmul_rhs(graph, l->type, 2, (size_t[]){ rows[0], l->input },
                                                                 of_input, PATH(&c, "inputWeights"), c.product));
    w.output =
        recurrent_unmatrix(&c, tw_poplin_create_matmul_rhs(graph, l->type, 2, (size_t[]){ rows[1], l->output },
                                                           of_output, PATH(&c, "outputWeights"), c.product));
    size_t shape[] = { c.cell->gates, 2, l->output }, one[] = { c.cell->gates, l->output };
    w.biases = tw_graph_add_variable(graph, l->type, c.cell->two_biases ? 3 : 2, c.cell->two_biases ? shape : one,
                                     PATH(&c, "biases"));
    tw_poputil_map_linearly(graph, w.biases);
    w.input = recurrent_keep(graph, w.input), w.output = recurrent_keep(graph, w.output);
    w.biases = recurrent_keep(graph, w.biases);
    tw_graph_pop_scope(graph);
    return w;
}

/* --- loops ---------------------------------------------------------------------------------------------------- */

static tw_tensor recurrent_map(const tw__recurrent_call *c, tw_program body, const char *text, tw_tensor output,
                               unsigned count, const tw_tensor *tensors)
{
    return tw__real_map(c->graph, c->call, text, tw_tensor_type(c->graph, output), count, tensors, output, body,
                        PATH(c, "state"));
}

/* A loop over the steps: the number of the one that the body is in, and the samples for which it counts. */
typedef struct step_loop {
    const tw__recurrent_call *c;
    tw_tensor counter, step; /* unsigned int[1] */
    tw_tensor counts;        /* bool [batch][1] or [1][1]; nil: for all */
    tw_program body;
} step_loop;

static void loop_begin(step_loop *l, const tw__recurrent_call *c, bool back)
{
    tw_graph *g = c->graph;
    size_t one = 1;
    *l = (step_loop){ .c = c, .body = tw_program_sequence(g, PATH(c, "step")) };
    l->step = l->counter = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &one, PATH(c, "counter"));
    tw_graph_map(g, l->counter, 0);
    if (back) {
        char text[64];
        snprintf(text, sizeof text, "%zuu - _1", c->layer.steps - 1);
        l->step = tw_popops_map(g, text, 1, &l->counter, l->body, PATH(c, "counter"), NULL);
    }
    tw_tensor real = c->layer.real_steps;
    if (!real.id) return;
    tw_tensor both[] = { l->step, tw_tensor_expand(g, real, 1, &one) };
    l->counts = tw_popops_map(g, "_1 < _2", 2, both, l->body, PATH(c, "counts"), NULL);
}

static void loop_end(const step_loop *l)
{
    tw_graph *g = l->c->graph;
    tw_program_sequence_add(g, l->c->sequence,
                            tw_program_counted_for_loop(g, l->counter, 0, (int64_t)l->c->layer.steps, 1, l->body));
}

/* Row `step` of a sequence, without its first dimension. */
static tw_tensor loop_read(const step_loop *l, tw_tensor all)
{
    size_t dim = 0, size = 1;
    tw_graph *g = l->c->graph;
    tw_tensor row = tw_popops_dynamic_slice(g, all, l->step, 1, &dim, &size, l->body, PATH(l->c, "read"));
    return tw_tensor_squeeze(g, row, 1, &dim);
}

static void loop_write(const step_loop *l, tw_tensor all, tw_tensor row)
{
    size_t dim = 0, size = 1;
    tw_graph *g = l->c->graph;
    row = tw_tensor_reshape_partial(g, row, 0, 0, 1, &size);
    tw_popops_dynamic_update(g, all, row, l->step, 1, &dim, &size, l->body, PATH(l->c, "write"));
}

static void loop_copy(const step_loop *l, tw_tensor from, tw_tensor to)
{
    tw_program_sequence_add(l->c->graph, l->body, tw_program_copy(l->c->graph, from, to));
}

/* Scores of attention where a loop reads them: [steps][batch][1]. */
static tw_tensor recurrent_attention(const tw__recurrent_call *c)
{
    tw_graph *g = c->graph;
    size_t shape[] = { c->layer.steps, c->layer.batch, 1 }, dim = 0, size = 1;
    if (!c->layer.attention.id) return TW__LIBS_NIL;
    tw_tensor made =
        tw_popops_create_sliceable(g, c->layer.type, 3, shape, 1, &dim, &size, 0, PATH(c, "attention"));
    tw_tensor from = tw_tensor_reshape(g, c->layer.attention, 3, shape);
    tw_program_sequence_add(g, c->sequence, tw_program_copy(g, from, made));
    return made;
}

static tw_tensor recurrent_copy_of(const tw__recurrent_call *c, tw_tensor t, tw_type type, const char *name)
{
    tw_tensor made = recurrent_variable(c, type, 0, name);
    if (type == tw_tensor_type(c->graph, t))
        tw_program_sequence_add(c->graph, c->sequence, tw_program_copy(c->graph, t, made));
    else
        tw_popops_cast_to(c->graph, t, made, c->sequence, PATH(c, name));
    return made;
}

/* --- forward -------------------------------------------------------------------------------------------------- */

/* W x of all steps: [steps][batch][gates * output] of floats. */
static tw_tensor forward_weighted(const tw__recurrent_call *c, tw_tensor weights, tw_tensor input)
{
    tw_graph *g = c->graph;
    const tw_recurrent *l = &c->layer;
    tw_tensor matrix = recurrent_matrix(c, recurrent_gates(c, weights), 0, c->cell->gates);
    tw_tensor product = tw_poplin_matmul(g, tw_tensor_flatten_dims(g, input, 0, 2), matrix, TW_FLOAT, c->sequence,
                                         PATH(c, "inputs"), c->product);
    size_t shape[] = { l->steps, l->batch, c->cell->gates * l->output }, dim = 0, size = 1;
    tw_tensor made = tw_popops_create_sliceable(g, TW_FLOAT, 3, shape, 1, &dim, &size, 0, PATH(c, "inputs"));
    tw_program_sequence_add(g, c->sequence, tw_program_copy(g, product, made));
    return made;
}

/* The state after a step; samples for which it does not count keep theirs. */
static void forward_state(const step_loop *l, tw_tensor next, tw_tensor state)
{
    if (l->counts.id)
        recurrent_map(l->c, l->body, "select($1, $2, $3)", state, 3, (tw_tensor[]){ next, state, l->counts });
    else
        loop_copy(l, next, state);
}

static void forward_output(const step_loop *l, tw_tensor next, tw_tensor output)
{
    if (l->counts.id) {
        tw_tensor row = recurrent_variable(l->c, l->c->layer.type, 0, "row");
        next = recurrent_map(l->c, l->body, "select($1, 0, $2)", row, 2, (tw_tensor[]){ next, l->counts });
    }
    loop_write(l, output, next);
}

static tw_recurrent_run forward_build(const tw__recurrent_call *c, tw_recurrent_state start,
                                      tw_recurrent_weights weights, tw_tensor input, bool training)
{
    tw_graph *g = c->graph;
    const tw_recurrent *l = &c->layer;
    bool cell = c->cell->has_cell;
    step_loop loop;
    tw_recurrent_run run = RUN_NIL;
    tw__recurrent_step s = { .call = c, .biases = recurrent_gates(c, weights.biases) };
    tw_tensor weighted = forward_weighted(c, weights.input, input);
    recurrent_step_weights(c, weights.output, false, s.weights);
    run.last.output = recurrent_copy_of(c, start.output, l->type, "output");
    if (cell) run.last.cell = s.cell = recurrent_copy_of(c, start.cell, l->type, "cell");
    size_t shape[] = { l->steps, l->batch, l->output }, dim = 0, size = 1;
    run.output = l->last_only
                     ? run.last.output
                     : tw_popops_create_sliceable(g, l->type, 3, shape, 1, &dim, &size, 0, PATH(c, "outputs"));
    if (training) run.saved = recurrent_sequence(c, l->type, c->cell->saved, "saved");
    tw_tensor attention = recurrent_attention(c);
    loop_begin(&loop, c, false);
    s.body = loop.body;
    if (attention.id) s.attention = loop_read(&loop, attention);
    s.weighted = loop_read(&loop, weighted);
    s.saved = recurrent_variable(c, l->type, c->cell->saved, "gates");
    s.next = recurrent_variable(c, l->type, 0, "next");
    loop_copy(&loop, run.last.output, tw_tensor_index(g, s.saved, 0));
    if (cell) {
        s.next_cell = recurrent_variable(c, l->type, 0, "nextCell");
        loop_copy(&loop, s.cell, tw_tensor_index(g, s.saved, TW__LSTM_CELL));
    }
    c->cell->forward(&s);
    forward_state(&loop, s.next, run.last.output);
    if (cell) forward_state(&loop, s.next_cell, run.last.cell);
    if (!l->last_only) forward_output(&loop, s.next, run.output);
    if (training) loop_write(&loop, run.saved, s.saved);
    loop_end(&loop);
    return run;
}

tw_recurrent_run tw_popnn_recurrent_forward(tw_graph *graph, const tw_recurrent *layer, tw_recurrent_state start,
                                            tw_recurrent_weights weights, tw_tensor input, bool training,
                                            tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_recurrent_run){ 0 };
    tw__recurrent_call c;
    if (!tw__recurrent_check(&c, graph, __func__, layer, sequence, name) || !tw__recurrent_options(&c, options))
        return RUN_NIL;
    const tw_recurrent *l = &c.layer;
    if (!recurrent_check_weights(&c, weights) || !WANTS(&c, "inputs", input, l->steps, l->batch, l->input) ||
        !WANTS(&c, "output before the first step", start.output, l->batch, l->output) ||
        (c.cell->has_cell && !WANTS(&c, "cell before the first step", start.cell, l->batch, l->output)))
        return RUN_NIL;
    tw_graph_push_scope(graph);
    tw_recurrent_run run = forward_build(&c, start, weights, input, training);
    if (l->last_only) run.output = tw_tensor_slice(graph, run.output, 0, 0, l->batch); /* a handle of its own */
    run.output = recurrent_keep(graph, run.output), run.saved = recurrent_keep(graph, run.saved);
    run.last.output = recurrent_keep(graph, run.last.output), run.last.cell = recurrent_keep(graph, run.last.cell);
    tw_graph_pop_scope(graph);
    return run;
}

/* --- backward ------------------------------------------------------------------------------------------------- */

static bool recurrent_check_slots(const tw__recurrent_call *c, const char *what, tw_tensor t, size_t slots)
{
    return WANTS(c, what, t, c->layer.steps, slots, c->layer.batch, c->layer.output);
}

/* A gradient [batch][output] without the samples for which the step does not count; what came from later steps for
 * these goes to *past. */
static void backward_mask(const step_loop *l, tw_tensor later, tw_tensor gradient, tw_tensor *past)
{
    const tw__recurrent_call *c = l->c;
    if (!l->counts.id) return;
    *past = recurrent_variable(c, TW_FLOAT, 0, "past");
    recurrent_map(c, l->body, "select(0, $1, $2)", *past, 2, (tw_tensor[]){ later, l->counts });
    recurrent_map(c, l->body, "select($1, 0, $2)", gradient, 2, (tw_tensor[]){ gradient, l->counts });
}

static void backward_unmask(const step_loop *l, tw_tensor gradient, tw_tensor past)
{
    if (past.id) recurrent_map(l->c, l->body, "$1 + $2", gradient, 2, (tw_tensor[]){ gradient, past });
}

static void backward_loop(const tw__recurrent_call *c, tw__recurrent_step *s, tw_tensor saved, tw_tensor gradient,
                          tw_tensor deltas)
{
    const tw_recurrent *l = &c->layer;
    tw_tensor of_steps = TW__LIBS_NIL, past = TW__LIBS_NIL, past_cell = TW__LIBS_NIL;
    step_loop loop;
    if (!l->last_only) {
        size_t shape[] = { l->steps, l->batch, l->output }, dim = 0, size = 1;
        of_steps = tw_popops_create_sliceable(c->graph, l->type, 3, shape, 1, &dim, &size, 0, PATH(c, "gradients"));
        tw_program_sequence_add(c->graph, c->sequence, tw_program_copy(c->graph, gradient, of_steps));
    }
    tw_tensor attention = recurrent_attention(c);
    loop_begin(&loop, c, true);
    s->body = loop.body;
    if (attention.id) s->attention = loop_read(&loop, attention);
    s->saved = loop_read(&loop, saved);
    s->gradient = recurrent_variable(c, TW_FLOAT, 0, "gradient");
    s->deltas = recurrent_variable(c, l->type, c->cell->deltas, "deltas");
    if (of_steps.id)
        recurrent_map(c, loop.body, "$1 + $2", s->gradient, 2,
                      (tw_tensor[]){ s->back, loop_read(&loop, of_steps) });
    else
        loop_copy(&loop, s->back, s->gradient);
    backward_mask(&loop, s->back, s->gradient, &past);
    if (c->cell->has_cell) {
        s->cell_gradient = recurrent_variable(c, TW_FLOAT, 0, "cellGradient");
        backward_mask(&loop, s->cell_back, s->cell_back, &past_cell);
    }
    c->cell->backward(s);
    backward_unmask(&loop, s->back, past);
    if (c->cell->has_cell) backward_unmask(&loop, s->cell_back, past_cell);
    loop_write(&loop, deltas, s->deltas);
    loop_end(&loop);
}

static tw_tensor backward_start(const tw__recurrent_call *c, tw_tensor gradient, const char *name)
{
    if (gradient.id) return recurrent_copy_of(c, gradient, TW_FLOAT, name);
    tw_tensor zeros = recurrent_variable(c, TW_FLOAT, 0, name);
    tw_popops_zero(c->graph, zeros, c->sequence, PATH(c, name));
    return zeros;
}

/* A float gradient as one of the layer's type, in a tensor of its own. */
static tw_tensor backward_result(const tw__recurrent_call *c, tw_tensor gradient)
{
    if (!gradient.id || c->layer.type == TW_FLOAT) return gradient;
    return recurrent_copy_of(c, gradient, c->layer.type, "gradient");
}

static tw_tensor backward_inputs(const tw__recurrent_call *c, tw_tensor weights, tw_tensor deltas)
{
    tw_graph *g = c->graph;
    tw_tensor matrix = recurrent_matrix(c, recurrent_gates(c, weights), 0, c->cell->gates);
    tw_tensor product =
        tw_poplin_matmul(g, recurrent_rows(c, deltas, 0, c->cell->gates), tw_tensor_transpose(g, matrix),
                         c->layer.type, c->sequence, PATH(c, "inputs"), c->product);
    return tw_tensor_reshape_partial(g, product, 0, 1, 2, (size_t[]){ c->layer.steps, c->layer.batch });
}

/* [steps][batch]: its slot's elements of all outputs joined. */
static tw_tensor backward_attention(const tw__recurrent_call *c, tw_tensor deltas)
{
    tw_graph *g = c->graph;
    unsigned slot = c->cell->deltas - 1;
    tw_tensor own = tw_tensor_slice(g, deltas, 1, slot, slot + 1);
    return tw_popops_reduce(g, own, c->layer.type, 2, (size_t[]){ 1, 3 }, NULL, c->sequence, PATH(c, "attention"),
                            NULL);
}

tw_recurrent_deltas tw_popnn_recurrent_backward(tw_graph *graph, const tw_recurrent *layer,
                                                tw_recurrent_weights weights, tw_tensor saved, tw_tensor gradient,
                                                tw_tensor cell_gradient, tw_program sequence, const char *name,
                                                const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_recurrent_deltas){ 0 };
    tw__recurrent_call c;
    if (!tw__recurrent_check(&c, graph, __func__, layer, sequence, name) || !tw__recurrent_options(&c, options))
        return DELTAS_NIL;
    const tw_recurrent *l = &c.layer;
    bool fits = recurrent_check_weights(&c, weights) &&
                recurrent_check_slots(&c, "saved values", saved, c.cell->saved) &&
                (l->last_only ? WANTS(&c, "gradient of the output", gradient, l->batch, l->output)
                              : WANTS(&c, "gradient of outputs", gradient, l->steps, l->batch, l->output));
    if (!fits || (c.cell->has_cell && cell_gradient.id &&
                  !WANTS(&c, "gradient of the cell", cell_gradient, l->batch, l->output)))
        return DELTAS_NIL;
    tw_graph_push_scope(graph);
    tw_recurrent_deltas made = DELTAS_NIL;
    tw__recurrent_step s = { .call = &c };
    recurrent_step_weights(&c, weights.output, true, s.weights);
    s.back = backward_start(&c, l->last_only ? gradient : TW__LIBS_NIL, "back");
    if (c.cell->has_cell) s.cell_back = backward_start(&c, cell_gradient, "cellBack");
    made.deltas = recurrent_sequence(&c, l->type, c.cell->deltas, "deltas");
    backward_loop(&c, &s, saved, gradient, made.deltas);
    if (!l->no_input_gradient) made.input = recurrent_keep(graph, backward_inputs(&c, weights.input, made.deltas));
    if (l->attention.id) made.attention = recurrent_keep(graph, backward_attention(&c, made.deltas));
    made.deltas = recurrent_keep(graph, made.deltas);
    made.start.output = recurrent_keep(graph, backward_result(&c, s.back));
    made.start.cell = recurrent_keep(graph, backward_result(&c, s.cell_back));
    tw_graph_pop_scope(graph);
    return made;
}

/* --- gradients of weights ------------------------------------------------------------------------------------- */

/* rows' deltas as [gates][rows of the product][output]. */
static tw_tensor update_product(const tw__recurrent_call *c, tw_tensor rows, tw_tensor deltas)
{
    tw_graph *g = c->graph;
    return recurrent_unmatrix(c, tw_poplin_matmul(g, tw_tensor_transpose(g, rows), deltas, c->accumulators,
                                                  c->sequence, PATH(c, "weights"), c->product));
}

static tw_tensor update_outputs(const tw__recurrent_call *c, tw_tensor saved, tw_tensor deltas)
{
    tw_graph *g = c->graph;
    tw_tensor before = recurrent_rows(c, saved, 0, 1), rows = before;
    if (c->layer.kind == TW_RECURRENT_GRU_RESET_AFTER) { /* slot 3 is the delta of the candidate's product */
        tw_tensor parts[] = { recurrent_rows(c, deltas, 0, 2), recurrent_rows(c, deltas, 3, 4) };
        return update_product(c, rows, tw_tensor_concat(g, 2, parts, 1));
    }
    if (c->layer.kind != TW_RECURRENT_GRU)
        return update_product(c, rows, recurrent_rows(c, deltas, 0, c->cell->gates));
    tw_tensor both[] = { before, recurrent_rows(c, saved, 1 + TW_GRU_RESET, 2 + TW_GRU_RESET) };
    tw_tensor kept =
        tw__real_map(g, c->call, "$1 * $2", c->layer.type, 2, both, TW__LIBS_NIL, c->sequence, PATH(c, "reset"));
    tw_tensor parts[] = { update_product(c, rows, recurrent_rows(c, deltas, 0, 2)),
                          update_product(c, kept, recurrent_rows(c, deltas, 2, 3)) };
    return tw_tensor_concat(g, 2, parts, 0);
}

static tw_tensor update_biases(const tw__recurrent_call *c, tw_tensor deltas)
{
    tw_graph *g = c->graph;
    size_t dims[] = { 0, 2 }, one = 1;
    tw_tensor of_gates = tw_tensor_slice(g, deltas, 1, 0, c->cell->two_biases ? 4 : c->cell->gates);
    tw_tensor sums =
        tw_popops_reduce(g, of_gates, c->accumulators, 2, dims, NULL, c->sequence, PATH(c, "biases"), NULL);
    if (!c->cell->two_biases) return sums; /* [gates][output] */
    tw_tensor first = tw_tensor_expand(g, tw_tensor_slice(g, sums, 0, 0, 3), 1, &one);
    tw_tensor parts[] = { tw_tensor_slice(g, sums, 0, 0, 2), tw_tensor_slice(g, sums, 0, 3, 4) };
    tw_tensor second = tw_tensor_expand(g, tw_tensor_concat(g, 2, parts, 0), 1, &one);
    tw_tensor both = tw_tensor_concat(g, 2, (tw_tensor[]){ first, second }, 1);
    return tw_poputil_duplicate(g, both, c->sequence, PATH(c, "biases"), TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
}

tw_recurrent_weights tw_popnn_recurrent_update(tw_graph *graph, const tw_recurrent *layer, tw_tensor input,
                                               tw_tensor saved, tw_tensor deltas, tw_program sequence,
                                               const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_recurrent_weights){ 0 };
    tw__recurrent_call c;
    if (!tw__recurrent_check(&c, graph, __func__, layer, sequence, name) || !tw__recurrent_options(&c, options))
        return WEIGHTS_NIL;
    const tw_recurrent *l = &c.layer;
    const tw__recurrent_cell *attended = tw__recurrent_cell_of(l->kind, true);
    if (attended && tw__libs_shape(graph, saved).dim[1] == attended->saved) c.cell = attended;
    if (!WANTS(&c, "inputs", input, l->steps, l->batch, l->input) ||
        !recurrent_check_slots(&c, "saved values", saved, c.cell->saved) ||
        !recurrent_check_slots(&c, "deltas", deltas, c.cell->deltas))
        return WEIGHTS_NIL;
    tw_graph_push_scope(graph);
    tw_tensor rows = tw_tensor_flatten_dims(graph, input, 0, 2);
    tw_recurrent_weights w = { update_product(&c, rows, recurrent_rows(&c, deltas, 0, c.cell->gates)),
                               update_outputs(&c, saved, deltas), update_biases(&c, deltas) };
    w.input = recurrent_keep(graph, recurrent_ungates(&c, w.input));
    w.output = recurrent_keep(graph, recurrent_ungates(&c, w.output));
    w.biases = recurrent_keep(graph, recurrent_ungates(&c, w.biases));
    tw_graph_pop_scope(graph);
    return w;
}

/* --- work ----------------------------------------------------------------------------------------------------- */

uint64_t tw_popnn_recurrent_flops(const tw_recurrent *layer, tw_recurrent_pass pass)
{
    const tw__recurrent_cell *cell = layer ? tw__recurrent_cell_of(layer->kind, layer->attention.id != 0) : NULL;
    if (!cell) return 0;
    uint64_t rows = (uint64_t)layer->steps * layer->batch, n = layer->output;
    uint64_t inputs = layer->input, products = 2 * rows * cell->gates * n;
    if (pass == TW_RECURRENT_BACKWARD && layer->no_input_gradient) inputs = 0;
    if (pass == TW_RECURRENT_UPDATE)
        return products * (inputs + n) + rows * cell->deltas * n + (layer->kind == TW_RECURRENT_GRU ? rows * n : 0);
    return products * (inputs + n) + rows * n * cell->element_ops[pass == TW_RECURRENT_BACKWARD];
}
