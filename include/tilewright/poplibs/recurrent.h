/* SPDX-License-Identifier: MIT */
/* popnn: recurrent layers with their gradients: LSTM, GRU and the plain one.
 *
 *     tw_recurrent layer = tw_popnn_recurrent(TW_RECURRENT_LSTM, TW_FLOAT, batch, steps, inputs, outputs);
 *     tw_tensor x = tw_popnn_recurrent_input(g, &layer, "x", NULL);       // [steps][batch][inputs]
 *     tw_recurrent_weights w = tw_popnn_recurrent_weights(g, &layer, "w", NULL);
 *     tw_recurrent_state start = tw_popnn_recurrent_state(g, &layer, "start", NULL);
 *     tw_recurrent_run run = tw_popnn_recurrent_forward(g, &layer, start, w, x, true, sequence, "run", NULL);
 *     tw_recurrent_deltas d =
 *         tw_popnn_recurrent_backward(g, &layer, w, run.saved, gradient, nil, sequence, "back", NULL);
 *     tw_recurrent_weights dw = tw_popnn_recurrent_update(g, &layer, x, run.saved, d.deltas, sequence, "dw", NULL);
 *
 * With W the weights of inputs, U those of outputs, b the biases, R the recurrent activation and A the activation:
 *   plain            h = A(W x + U h + b)
 *   LSTM             f, i, o = R(W x + U h + b); n = A(W x + U h + b); c = f c + i n; h = o A(c)
 *   GRU              r, u = R(W x + U h + b); n = A(W x + U (r h) + b); h = u h + (1 - u) n
 *   GRU, reset after r, u = R(W x + U h + b0 + b1); n = A(W x + b0 + r (U h + b1)); h = u h + (1 - u) n
 * With attention a (AUGRU) the last equation of a GRU has (1 - a) u where it has u.
 * Products of inputs with W are made for all steps at once, those with U in a loop over the steps, which is one body
 * for all of them. Sums are floats.
 *
 * Options, "name=value", NULL ends: availableMemoryProportion goes to the matrix products; weightAccumulatorsType
 * (half, float) is the type of gradients of weights. inferenceOnly, preCalcWeights, rnnCodeReuse, codeReuse,
 * disableWUPartialInterleaving (true, false), partialsType (half, float: sums are floats in any case),
 * recomputationMode (none, cellAndTanh, full), numShards, rnnStepsPerWU, weightUpdateMemoryProportion (numbers) are
 * checked and have no effect.
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit and
 * TW_E_INVALID_OPTION; the graph has not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_RECURRENT_H
#define TILEWRIGHT_POPLIBS_RECURRENT_H

#include <tilewright/poplibs/popnn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_recurrent_kind {
    TW_RECURRENT_PLAIN = 0,
    TW_RECURRENT_LSTM = 1,
    TW_RECURRENT_GRU = 2,
    TW_RECURRENT_GRU_RESET_AFTER = 3
} tw_recurrent_kind;
typedef enum tw_lstm_gate {
    TW_LSTM_FORGET = 0,
    TW_LSTM_INPUT = 1,
    TW_LSTM_CANDIDATE = 2,
    TW_LSTM_OUTPUT = 3
} tw_lstm_gate;
typedef enum tw_gru_gate { TW_GRU_RESET = 0, TW_GRU_UPDATE = 1, TW_GRU_CANDIDATE = 2 } tw_gru_gate;

typedef struct tw_recurrent {
    tw_recurrent_kind kind;
    tw_type type; /* float, half: of all tensors */
    size_t batch, steps, input, output;
    /* Nil, or unsigned int[1] or [batch], at most `steps`: from this step on a sample's state stays as it is, and its
     * outputs are 0. */
    tw_tensor real_steps;
    tw_non_linearity activation, recurrent_activation; /* sigmoid, hard sigmoid, relu, tanh */
    unsigned order[4]; /* weights of which gate stand at 0, 1 ...; all zero: as above */
    bool last_only;    /* the output is that of the last step */
    bool no_input_gradient;
    tw_tensor
        attention; /* of GRU: nil, or [steps][batch] of the layer's type, one score for each step of a sample */
} tw_recurrent;
/* All steps, tanh, and sigmoid for gates. */
TW_API tw_recurrent tw_popnn_recurrent(tw_recurrent_kind kind, tw_type type, size_t batch, size_t steps,
                                       size_t input, size_t output);

typedef struct tw_recurrent_state {
    tw_tensor output; /* [batch][output] */
    tw_tensor cell;   /* the same, of an LSTM */
} tw_recurrent_state;
typedef struct tw_recurrent_weights {
    tw_tensor input;  /* [gates][input][output] */
    tw_tensor output; /* [gates][output][output] */
    tw_tensor biases; /* [gates][output]; of a GRU that resets after the product [gates][2][output] */
} tw_recurrent_weights;

/* --- variables, as the products read them --------------------------------------------------------------------- */

TW_API tw_tensor tw_popnn_recurrent_input(tw_graph *graph, const tw_recurrent *layer, const char *name,
                                          const char *const *options);
TW_API tw_recurrent_state tw_popnn_recurrent_state(tw_graph *graph, const tw_recurrent *layer, const char *name,
                                                   const char *const *options);
TW_API tw_recurrent_weights tw_popnn_recurrent_weights(tw_graph *graph, const tw_recurrent *layer, const char *name,
                                                       const char *const *options);

/* --- passes --------------------------------------------------------------------------------------------------- */

typedef struct tw_recurrent_run {
    tw_tensor output;        /* [steps][batch][output], or [batch][output] */
    tw_recurrent_state last; /* after the last step */
    tw_tensor saved;         /* for the gradients; nil without `training` */
} tw_recurrent_run;
TW_API tw_recurrent_run tw_popnn_recurrent_forward(tw_graph *graph, const tw_recurrent *layer,
                                                   tw_recurrent_state start, tw_recurrent_weights weights,
                                                   tw_tensor input, bool training, tw_program sequence,
                                                   const char *name, const char *const *options);
typedef struct tw_recurrent_deltas {
    tw_recurrent_state start; /* gradient of the state before the first step */
    tw_tensor input;          /* of the inputs; nil with `no_input_gradient` */
    tw_tensor deltas;         /* of what goes into the gates of each step */
    tw_tensor attention;      /* [steps][batch], gradient of the scores; nil without them */
} tw_recurrent_deltas;
/* From the gradient of the output and, or nil, that of the cell after the last step. */
TW_API tw_recurrent_deltas tw_popnn_recurrent_backward(tw_graph *graph, const tw_recurrent *layer,
                                                       tw_recurrent_weights weights, tw_tensor saved,
                                                       tw_tensor gradient, tw_tensor cell_gradient,
                                                       tw_program sequence, const char *name,
                                                       const char *const *options);
/* Gradients of the weights; scores of attention are not read, `saved` has what is needed. */
TW_API tw_recurrent_weights tw_popnn_recurrent_update(tw_graph *graph, const tw_recurrent *layer, tw_tensor input,
                                                      tw_tensor saved, tw_tensor deltas, tw_program sequence,
                                                      const char *name, const char *const *options);

/* --- work ----------------------------------------------------------------------------------------------------- */

typedef enum tw_recurrent_pass {
    TW_RECURRENT_FORWARD = 0,
    TW_RECURRENT_BACKWARD = 1,
    TW_RECURRENT_UPDATE = 2
} tw_recurrent_pass;
/* Operations on numbers, of all steps: two for each multiply-add of products, one for each operation of the equations
 * above, activations counting as one. */
TW_API uint64_t tw_popnn_recurrent_flops(const tw_recurrent *layer, tw_recurrent_pass pass);

#ifdef __cplusplus
}
#endif
#endif
