/* SPDX-License-Identifier: MIT */
/* popnn: activations, losses, normalisations, pooling, each with its gradients.
 *
 *     tw_tensor h = tw_popnn_non_linearity(g, TW_NL_RELU, z, sequence, "h");
 *     tw_popnn_loss(g, outputs, labels, loss, deltas, TW_LOSS_CROSS_ENTROPY, NULL, sequence, "loss");
 *
 * Elements are float or half; halves are computed as floats where sums or exponentials are made of them. Results do
 * not depend on mappings.
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit; the graph has
 * not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_POPNN_H
#define TILEWRIGHT_POPLIBS_POPNN_H

#include <tilewright/poplibs/popops.h>
#include <tilewright/poplibs/popops_order.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- activations ---------------------------------------------------------------------------------------------- */

typedef enum tw_non_linearity {
    TW_NL_SIGMOID = 0,
    TW_NL_HARD_SIGMOID = 1, /* max(0, min(1, 0.2 x + 0.5)) */
    TW_NL_RELU = 2,
    TW_NL_TANH = 3,
    TW_NL_GELU = 4,           /* 0.5 x (1 + tanh(sqrt(2 / pi) x (1 + 0.044715 x^2))) */
    TW_NL_SWISH = 5,          /* x sigmoid(x) */
    TW_NL_SOFTMAX = 6,        /* along the last dimension, as the two below */
    TW_NL_SOFTMAX_STABLE = 7, /* the greatest element is taken from all */
    TW_NL_SOFTMAX_SCALED = 8, /* the same times tw_popnn_scaling() */
    TW_NL_GELU_ERF = 9        /* 0.5 x (1 + erf(x / sqrt(2))) */
} tw_non_linearity;
TW_API tw_tensor tw_popnn_non_linearity(tw_graph *graph, tw_non_linearity type, tw_tensor tensor,
                                        tw_program sequence, const char *name);
TW_API void tw_popnn_non_linearity_in_place(tw_graph *graph, tw_non_linearity type, tw_tensor tensor,
                                            tw_program sequence, const char *name);
/* The gradient of what went in from that of what came out. `act` is what came out; of TW_NL_HARD_SIGMOID,
 * TW_NL_GELU, TW_NL_GELU_ERF and TW_NL_SWISH what went in. That of TW_NL_GELU is of x times the normal
 * distribution, which its function is near to. */
TW_API tw_tensor tw_popnn_non_linearity_gradient(tw_graph *graph, tw_non_linearity type, tw_tensor act,
                                                 tw_tensor gradient, tw_program sequence, const char *name);
/* The same two as vertices of a compute set that the caller executes: not of a softmax, which takes more than one,
 * and in place of tensors that have each element once. The gradient is a variable of the caller's. */
TW_API void tw_popnn_non_linearity_in_place_set(tw_graph *graph, tw_non_linearity type, tw_tensor tensor,
                                                tw_compute_set set);
TW_API tw_tensor tw_popnn_non_linearity_gradient_set(tw_graph *graph, tw_non_linearity type, tw_tensor act,
                                                     tw_tensor gradient, tw_compute_set set, const char *name);
/* 62000 for TW_NL_SOFTMAX_SCALED, 1 for all others. */
TW_API double tw_popnn_scaling(tw_non_linearity type);
/* x - max - log(sum(exp(x - max))) along the last dimension. */
TW_API tw_tensor tw_popnn_log_softmax(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name);
TW_API void tw_popnn_log_softmax_in_place(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name);

/* --- losses --------------------------------------------------------------------------------------------------- */

typedef enum tw_loss_type { TW_LOSS_SUM_SQUARED = 0, TW_LOSS_CROSS_ENTROPY = 1 } tw_loss_type;
typedef struct tw_loss_params { /* nil: 1; one element of the outputs' type each, for the cross entropy */
    tw_tensor deltas_scale;
    tw_tensor output_scaling; /* what outputs have been multiplied with */
    tw_tensor correct;        /* nil, or one unsigned int: as tw_popnn_accuracy() */
} tw_loss_params;
/* Outputs and deltas [batch][classes], expected labels [batch] (int, unsigned int), loss [batch]. The label
 * 0xffffffff counts for no class; for the cross entropy its loss and deltas are 0. `params` NULL: all nil. */
TW_API void tw_popnn_loss(tw_graph *graph, tw_tensor outputs, tw_tensor expected, tw_tensor loss, tw_tensor deltas,
                          tw_loss_type type, const tw_loss_params *params, tw_program sequence, const char *name);
/* Adds to `correct`, one unsigned int, the rows whose greatest output is at the expected label. */
TW_API void tw_popnn_accuracy(tw_graph *graph, tw_tensor outputs, tw_tensor expected, tw_tensor correct,
                              tw_program sequence, const char *name);
/* Of [batch][n], float, half, int or unsigned int: the greatest (least) of each row, [batch], and where it
 * stands, the first where there are several. */
TW_API tw_sorted tw_popnn_max_and_arg_max(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name);
TW_API tw_sorted tw_popnn_min_and_arg_min(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name);

#ifdef __cplusplus
}
#endif
#endif
