/* SPDX-License-Identifier: MIT */
/* Cells of recurrent layers: one step forward and back. Expressions are those of tw__real_map(), where R{x} and A{x}
 * are the recurrent and the other activation of x, r{y} and a{y} their derivatives where they have the value y. */
#include "poplar/libs/popnn/recurrent.h"

#include <string.h>

/* %1$s: what it is applied to. */
static const struct {
    const char *function, *derivative;
} cell_activations[] = {
    [TW_NL_SIGMOID] = { "sigmoid(%1$s)", "(%1$s * (1 - %1$s))" },
    [TW_NL_HARD_SIGMOID] = { "max(0, min(1, 0.2 * (%1$s) + 0.5))", "select(0.2f, 0f, %1$s > 0 && %1$s < 1)" },
    [TW_NL_RELU] = { "relu(%1$s)", "select(1f, 0f, %1$s > 0)" },
    [TW_NL_TANH] = { "tanh(%1$s)", "(1 - %1$s * %1$s)" },
};

bool tw__recurrent_takes(tw_non_linearity type)
{
    return (unsigned)type < G_N_ELEMENTS(cell_activations);
}

/* --- expressions ---------------------------------------------------------------------------------------------- */

/* Appends text up to `end`, or to the brace that closes it; returns what follows. */
static const char *cell_expand(const tw_recurrent *layer, const char *text, GString *out)
{
    while (*text && *text != '}') {
        if (text[1] != '{') {
            g_string_append_c(out, *text++);
            continue;
        }
        tw_non_linearity type = g_ascii_tolower(*text) == 'r' ? layer->recurrent_activation : layer->activation;
        const char *format =
            g_ascii_isupper(*text) ? cell_activations[type].function : cell_activations[type].derivative;
        g_autoptr(GString) inner = g_string_new("");
        text = cell_expand(layer, text + 2, inner);
        for (const char *f = format; *f; f++) /* "%1$s" */
            if (*f == '%')
                g_string_append(out, inner->str), f += 3;
            else
                g_string_append_c(out, *f);
    }
    return *text ? text + 1 : text;
}

/* A compute set of maps that do not wait for one another; the list of tensors ends with a nil one. */
typedef struct cell_set {
    const tw__recurrent_step *step;
    tw_compute_set cs;
} cell_set;

static cell_set cell_begin(const tw__recurrent_step *s, const char *name)
{
    tw_graph *g = s->call->graph;
    cell_set set = { s, tw_graph_add_compute_set(g, tw__libs_path(s->call->name, name).text) };
    tw_program_sequence_add(g, s->body, tw_program_execute(g, set.cs));
    return set;
}

static void cell_map(cell_set set, tw_tensor output, const char *text, const tw_tensor *tensors)
{
    const tw__recurrent_call *c = set.step->call;
    unsigned count = 0;
    while (tensors[count].id) count++;
    g_autoptr(GString) expanded = g_string_new("");
    cell_expand(&c->layer, text, expanded);
    g_autofree char *real =
        tw__real_text(c->graph, expanded->str, tw_tensor_type(c->graph, output), count, tensors);
    tw__popops_map_set(c->graph, c->call, real, count, tensors, output, set.cs);
}
#define CELL_MAP(set, output, text, ...) \
    cell_map((set), (output), (text), (tw_tensor[]){ __VA_ARGS__, TW__LIBS_NIL })

/* --- parts of a step ------------------------------------------------------------------------------------------ */

static tw_tensor cell_slot(const tw__recurrent_step *s, tw_tensor slots, unsigned slot)
{
    return tw_tensor_index(s->call->graph, slots, slot);
}

/* Saved value of a gate. */
static tw_tensor cell_gate(const tw__recurrent_step *s, unsigned gate)
{
    return cell_slot(s, s->saved, 1 + gate);
}

/* Columns of part `part` of a matrix [batch][parts * output]. */
static tw_tensor cell_columns(const tw__recurrent_step *s, tw_tensor matrix, unsigned part)
{
    size_t n = s->call->layer.output;
    return tw_tensor_slice(s->call->graph, matrix, 1, part * n, (part + 1) * n);
}

static tw_tensor cell_bias(const tw__recurrent_step *s, unsigned gate, unsigned which)
{
    tw_tensor own = tw_tensor_index(s->call->graph, s->biases, gate);
    return s->call->cell->two_biases ? tw_tensor_index(s->call->graph, own, which) : own;
}

/* A matrix of the layer's type times those weights: floats. */
static tw_tensor cell_product(const tw__recurrent_step *s, tw_tensor matrix, unsigned which)
{
    return tw_poplin_matmul(s->call->graph, matrix, s->weights[which], TW_FLOAT, s->body,
                            tw__libs_path(s->call->name, "step").text, s->call->product);
}

/* Deltas of parts [first, end) as a matrix [batch][parts * output]. */
static tw_tensor cell_deltas(const tw__recurrent_step *s, unsigned first, unsigned end)
{
    tw_graph *g = s->call->graph;
    tw_tensor parts = tw_tensor_slice(g, s->deltas, 0, first, end);
    return tw_tensor_flatten_dims(g, tw_tensor_dim_shuffle(g, parts, (unsigned[]){ 1, 0, 2 }), 1, 3);
}

/* --- plain ---------------------------------------------------------------------------------------------------- */

static void plain_forward(const tw__recurrent_step *s)
{
    tw_tensor product = cell_product(s, cell_slot(s, s->saved, 0), 0);
    cell_set set = cell_begin(s, "output");
    CELL_MAP(set, cell_gate(s, 0), "A{$1 + $2 + $3}", s->weighted, product, cell_bias(s, 0, 0));
    CELL_MAP(set, s->next, "A{$1 + $2 + $3}", s->weighted, product, cell_bias(s, 0, 0));
}

static void plain_backward(const tw__recurrent_step *s)
{
    CELL_MAP(cell_begin(s, "deltas"), cell_slot(s, s->deltas, 0), "$1 * a{$2}", s->gradient, cell_gate(s, 0));
    tw_tensor product = cell_product(s, cell_deltas(s, 0, 1), 0);
    tw_program_sequence_add(s->call->graph, s->body, tw_program_copy(s->call->graph, product, s->back));
}

/* --- LSTM ----------------------------------------------------------------------------------------------------- */

static void lstm_forward(const tw__recurrent_step *s)
{
    tw_tensor product = cell_product(s, cell_slot(s, s->saved, 0), 0);
    cell_set set = cell_begin(s, "gates");
    for (unsigned gate = 0; gate < 4; gate++)
        CELL_MAP(set, cell_gate(s, gate), gate == TW_LSTM_CANDIDATE ? "A{$1 + $2 + $3}" : "R{$1 + $2 + $3}",
                 cell_columns(s, s->weighted, gate), cell_columns(s, product, gate), cell_bias(s, gate, 0));
    CELL_MAP(cell_begin(s, "cell"), s->next_cell, "$1 * $2 + $3 * $4", cell_gate(s, TW_LSTM_FORGET), s->cell,
             cell_gate(s, TW_LSTM_INPUT), cell_gate(s, TW_LSTM_CANDIDATE));
    set = cell_begin(s, "output");
    CELL_MAP(set, cell_slot(s, s->saved, TW__LSTM_ACTIVE), "A{$1}", s->next_cell);
    CELL_MAP(set, s->next, "$1 * A{$2}", cell_gate(s, TW_LSTM_OUTPUT), s->next_cell);
}

static void lstm_backward(const tw__recurrent_step *s)
{
    tw_tensor active = cell_slot(s, s->saved, TW__LSTM_ACTIVE), before = cell_slot(s, s->saved, TW__LSTM_CELL);
    tw_tensor forget = cell_gate(s, TW_LSTM_FORGET), input = cell_gate(s, TW_LSTM_INPUT),
              candidate = cell_gate(s, TW_LSTM_CANDIDATE), output = cell_gate(s, TW_LSTM_OUTPUT);
    CELL_MAP(cell_begin(s, "cell"), s->cell_gradient, "$1 + $2 * $3 * a{$4}", s->cell_back, s->gradient, output,
             active);
    cell_set set = cell_begin(s, "deltas");
    CELL_MAP(set, cell_slot(s, s->deltas, TW_LSTM_FORGET), "$1 * $2 * r{$3}", s->cell_gradient, before, forget);
    CELL_MAP(set, cell_slot(s, s->deltas, TW_LSTM_INPUT), "$1 * $2 * r{$3}", s->cell_gradient, candidate, input);
    CELL_MAP(set, cell_slot(s, s->deltas, TW_LSTM_CANDIDATE), "$1 * $2 * a{$3}", s->cell_gradient, input,
             candidate);
    CELL_MAP(set, cell_slot(s, s->deltas, TW_LSTM_OUTPUT), "$1 * $2 * r{$3}", s->gradient, active, output);
    CELL_MAP(set, s->cell_back, "$1 * $2", s->cell_gradient, forget);
    tw_tensor product = cell_product(s, cell_deltas(s, 0, 4), 0);
    tw_program_sequence_add(s->call->graph, s->body, tw_program_copy(s->call->graph, product, s->back));
}

/* --- GRU ------------------------------------------------------------------------------------------------------ */

static void gru_gates(const tw__recurrent_step *s, tw_tensor product)
{
    cell_set set = cell_begin(s, "gates");
    for (unsigned gate = 0; gate < 2; gate++) {
        tw_tensor of[] = { cell_columns(s, s->weighted, gate), cell_columns(s, product, gate),
                           cell_bias(s, gate, 0), TW__LIBS_NIL, TW__LIBS_NIL };
        if (s->call->cell->two_biases) of[3] = cell_bias(s, gate, 1);
        cell_map(set, cell_gate(s, gate), of[3].id ? "R{$1 + $2 + $3 + $4}" : "R{$1 + $2 + $3}", of);
    }
    if (s->call->cell->two_biases)
        CELL_MAP(set, cell_slot(s, s->saved, TW__GRU_PRODUCT), "$1 + $2",
                 cell_columns(s, product, TW_GRU_CANDIDATE), cell_bias(s, TW_GRU_CANDIDATE, 1));
}

/* What the update gate is in the last equation: with attention a slot of its own. */
static tw_tensor gru_update(const tw__recurrent_step *s)
{
    return s->attention.id ? cell_slot(s, s->saved, s->call->cell->saved - 1) : cell_gate(s, TW_GRU_UPDATE);
}

static void gru_output(const tw__recurrent_step *s)
{
    if (s->attention.id)
        CELL_MAP(cell_begin(s, "attention"), gru_update(s), "(1 - $1) * $2", s->attention,
                 cell_gate(s, TW_GRU_UPDATE));
    CELL_MAP(cell_begin(s, "output"), s->next, "$1 * $2 + (1 - $1) * $3", gru_update(s), cell_slot(s, s->saved, 0),
             cell_gate(s, TW_GRU_CANDIDATE));
}

static void gru_forward(const tw__recurrent_step *s)
{
    tw_graph *g = s->call->graph;
    tw_tensor before = cell_slot(s, s->saved, 0);
    gru_gates(s, cell_product(s, before, 0));
    tw_tensor kept = tw_graph_clone(g, TW_TYPE_NONE, s->next, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "kept");
    CELL_MAP(cell_begin(s, "reset"), kept, "$1 * $2", cell_gate(s, TW_GRU_RESET), before);
    tw_tensor product = cell_product(s, kept, 1); /* before the next compute set begins */
    CELL_MAP(cell_begin(s, "candidate"), cell_gate(s, TW_GRU_CANDIDATE), "A{$1 + $2 + $3}",
             cell_columns(s, s->weighted, TW_GRU_CANDIDATE), product, cell_bias(s, TW_GRU_CANDIDATE, 0));
    gru_output(s);
}

static void gru_after_forward(const tw__recurrent_step *s)
{
    gru_gates(s, cell_product(s, cell_slot(s, s->saved, 0), 0));
    CELL_MAP(cell_begin(s, "candidate"), cell_gate(s, TW_GRU_CANDIDATE), "A{$1 + $2 * $3 + $4}",
             cell_columns(s, s->weighted, TW_GRU_CANDIDATE), cell_gate(s, TW_GRU_RESET),
             cell_slot(s, s->saved, TW__GRU_PRODUCT), cell_bias(s, TW_GRU_CANDIDATE, 0));
    gru_output(s);
}

/* Deltas of the update gate and of the candidate. */
static void gru_common(const tw__recurrent_step *s, cell_set set)
{
    tw_tensor update = cell_gate(s, TW_GRU_UPDATE), candidate = cell_gate(s, TW_GRU_CANDIDATE);
    tw_tensor before = cell_slot(s, s->saved, 0), delta = cell_slot(s, s->deltas, TW_GRU_UPDATE);
    if (s->attention.id) {
        CELL_MAP(set, delta, "$1 * ($2 - $3) * (1 - $5) * r{$4}", s->gradient, before, candidate, update,
                 s->attention);
        CELL_MAP(set, cell_slot(s, s->deltas, s->call->cell->deltas - 1), "$1 * ($3 - $2) * $4", s->gradient,
                 before, candidate, update);
    } else {
        CELL_MAP(set, delta, "$1 * ($2 - $3) * r{$4}", s->gradient, before, candidate, update);
    }
    CELL_MAP(set, cell_slot(s, s->deltas, TW_GRU_CANDIDATE), "$1 * (1 - $2) * a{$3}", s->gradient, gru_update(s),
             candidate);
}

static void gru_backward(const tw__recurrent_step *s)
{
    tw_tensor reset = cell_gate(s, TW_GRU_RESET);
    gru_common(s, cell_begin(s, "deltas"));
    tw_tensor kept = cell_product(s, cell_deltas(s, TW_GRU_CANDIDATE, TW_GRU_CANDIDATE + 1), 1);
    CELL_MAP(cell_begin(s, "reset"), cell_slot(s, s->deltas, TW_GRU_RESET), "$1 * $2 * r{$3}", kept,
             cell_slot(s, s->saved, 0), reset);
    tw_tensor product = cell_product(s, cell_deltas(s, 0, 2), 0);
    CELL_MAP(cell_begin(s, "back"), s->back, "$1 * $2 + $3 * $4 + $5", s->gradient, gru_update(s), kept, reset,
             product);
}

static void gru_after_backward(const tw__recurrent_step *s)
{
    tw_graph *g = s->call->graph;
    tw_tensor reset = cell_gate(s, TW_GRU_RESET), update = gru_update(s),
              candidate = cell_gate(s, TW_GRU_CANDIDATE);
    cell_set set = cell_begin(s, "deltas");
    gru_common(s, set);
    CELL_MAP(set, cell_slot(s, s->deltas, TW_GRU_RESET), "$1 * (1 - $2) * a{$3} * $4 * r{$5}", s->gradient, update,
             candidate, cell_slot(s, s->saved, TW__GRU_PRODUCT), reset);
    CELL_MAP(set, cell_slot(s, s->deltas, 3), "$1 * (1 - $2) * a{$3} * $4", s->gradient, update, candidate, reset);
    /* the product's own delta is that of slot 3, not of the candidate */
    tw_tensor parts[] = { cell_deltas(s, 0, 2), cell_deltas(s, 3, 4) };
    tw_tensor product = cell_product(s, tw_tensor_concat(g, 2, parts, 1), 0);
    CELL_MAP(cell_begin(s, "back"), s->back, "$1 * $2 + $3", s->gradient, update, product);
}

static const tw__recurrent_cell cell_plain = { .name = "plain layer",
                                               .gates = 1,
                                               .saved = 2,
                                               .deltas = 1,
                                               .element_ops = { 3, 3 },
                                               .product = { { 0, 1 } },
                                               .forward = plain_forward,
                                               .backward = plain_backward };
static const tw__recurrent_cell cell_lstm = { .name = "LSTM",
                                              .gates = 4,
                                              .saved = 7,
                                              .deltas = 4,
                                              .has_cell = true,
                                              .element_ops = { 4 * 3 + 5, 5 + 4 * 4 + 1 },
                                              .product = { { 0, 4 } },
                                              .forward = lstm_forward,
                                              .backward = lstm_backward };
/* With `attention` slots and operations of its own. */
#define CELL_GRU(attention)                                                        \
    { .name = "GRU",                                                               \
      .gates = 3,                                                                  \
      .saved = 4 + (attention),                                                    \
      .deltas = 3 + (attention),                                                   \
      .element_ops = { 3 * 3 + 5 + 2 * (attention), 3 * 5 + 4 + 5 * (attention) }, \
      .product = { { 0, 2 }, { 2, 3 } },                                           \
      .forward = gru_forward,                                                      \
      .backward = gru_backward }
#define CELL_GRU_AFTER(attention)                                                  \
    { .name = "GRU",                                                               \
      .gates = 3,                                                                  \
      .saved = 5 + (attention),                                                    \
      .deltas = 4 + (attention),                                                   \
      .two_biases = true,                                                          \
      .element_ops = { 3 * 4 + 5 + 2 * (attention), 3 * 5 + 3 + 5 * (attention) }, \
      .product = { { 0, 3 } },                                                     \
      .forward = gru_after_forward,                                                \
      .backward = gru_after_backward }

const tw__recurrent_cell *tw__recurrent_cell_of(tw_recurrent_kind kind, bool attention)
{
    static const tw__recurrent_cell gru[2] = { CELL_GRU(0), CELL_GRU(1) },
                                    after[2] = { CELL_GRU_AFTER(0), CELL_GRU_AFTER(1) };
    switch ((int)kind) {
    case TW_RECURRENT_PLAIN: return attention ? NULL : &cell_plain;
    case TW_RECURRENT_LSTM: return attention ? NULL : &cell_lstm;
    case TW_RECURRENT_GRU: return &gru[attention];
    case TW_RECURRENT_GRU_RESET_AFTER: return &after[attention];
    default: return NULL;
    }
}
