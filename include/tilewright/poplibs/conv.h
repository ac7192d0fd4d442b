/* SPDX-License-Identifier: MIT */
/* poplin: convolutions in one, two or three dimensions, their gradients and the updates of their parameters.
 *
 *     tw_conv_params p = { .input_type = TW_FLOAT, .batch = 4, .in_channels = 3, .out_channels = 8, .dims = 2,
 *                          .field = { 28, 28 }, .kernel = { 3, 3 } };
 *     tw_tensor x = tw_poplin_create_conv_input(g, &p, "x", NULL);
 *     tw_tensor w = tw_poplin_create_conv_weights(g, &p, "w", NULL);
 *     tw_tensor y = tw_poplin_convolution(g, x, w, &p, false, sequence, "y", NULL);      // [4][8][26][26]
 *
 * out[b, co, y] = sum over ci, k of in'[b, ci, y + k] * w'[co, ci, k], within each group. Shapes are
 *     input    [batch][groups * in_channels][field ...]
 *     weights  [groups][out_channels][in_channels][kernel ...]
 *     output   [batch][groups * out_channels][field ...]
 *     biases   [groups * out_channels]
 * Transforms: of input and kernel first the truncation, then step - 1 zeros between elements, then padding with
 * zeros, then the flip; of the output first the truncation, then each step-th element from the first, then padding.
 * No zero is multiplied with or moved.
 *
 * Elements are float or half, inputs and weights alike; sums are floats, rounded at their end. A convolution is
 * planned from its parameters, the target and options alone, never from where elements lie: the same bits for any
 * mapping, on one target. Inputs and weights of the create calls lie as the plan reads them; others are rearranged in
 * each run.
 *
 * Options, "name=value", NULL ends: availableMemoryProportion (0.6 of a tile's memory for blocks; less of it makes
 * serial steps). Checked, without effect: pass (NONE, NONE_MATMUL, INFERENCE_FWD, TRAINING_FWD, TRAINING_BWD,
 * TRAINING_WU and the same with FC_ in front), partialsType, partialsType.interTile, partialsType.interIPU (half,
 * float: sums are floats in any case), use128BitConvUnitLoad, enableMultiStageReduce, enableFastReduce,
 * remapOutputTensor, enableConvDithering, gatherConvOutput, disableTransformations, insertTransformsCycleCountProgs,
 * enableTransformsConvTable, enableAmpHalfEnginesPlan (true, false), planConstraints, planConstraintsOutputFilename.
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit and
 * TW_E_INVALID_OPTION; the graph has not changed then.
 * Threads: as the graph's. Calls without a graph may run in several at once. */
#ifndef TILEWRIGHT_POPLIBS_CONV_H
#define TILEWRIGHT_POPLIBS_CONV_H

#include <tilewright/poplibs/popops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- parameters ----------------------------------------------------------------------------------------------- */

enum { TW_CONV_DIMS = 3 };         /* of the field, at most */
typedef struct tw_conv_transform { /* along one dimension; all zero: nothing is changed */
    unsigned truncation_lower, truncation_upper;
    unsigned step; /* dilation of inputs and kernels, stride of outputs; 0 counts as 1 */
    unsigned padding_lower, padding_upper;
    bool flip; /* of inputs and kernels */
} tw_conv_transform;
typedef struct tw_conv_params {
    tw_type input_type, output_type;  /* float, half; output TW_TYPE_NONE: the input's */
    size_t batch, groups;             /* groups 0 counts as 1 */
    size_t in_channels, out_channels; /* of a group */
    unsigned dims;
    size_t field[TW_CONV_DIMS], kernel[TW_CONV_DIMS];
    tw_conv_transform input[TW_CONV_DIMS], weights[TW_CONV_DIMS], output[TW_CONV_DIMS];
} tw_conv_params;

/* What is wrong with them, in words; NULL: nothing. Freed with free(). */
TW_API char *tw_poplin_conv_problem(const tw_conv_params *params);
/* Extents along a dimension; 0 where there is none, or when something is wrong with the parameters. */
TW_API size_t tw_poplin_conv_output_size(const tw_conv_params *params, unsigned dim);
/* Element of the input field that kernel element `tap` meets for output element `out` along a dimension, in *input;
 * false: it is padding, a zero of the dilation or out of range. */
TW_API bool tw_poplin_conv_input_index(const tw_conv_params *params, unsigned dim, size_t out, size_t tap,
                                       size_t *input);
/* The convolution that makes the gradient of the input from that of the output, with weights whose channels are
 * exchanged and whose kernels are flipped. */
TW_API tw_conv_params tw_poplin_conv_gradient_params(const tw_conv_params *params);
/* The convolution that makes the gradient of the weights: input channels are its batch, the gradient of the output
 * is its kernel, the batch its input channels. */
TW_API tw_conv_params tw_poplin_conv_weight_update_params(const tw_conv_params *params);
/* Multiplications and additions, without those with zeros of padding and dilation; gradients of input and weights
 * have as many. */
TW_API uint64_t tw_poplin_conv_flops(const tw_conv_params *params);

/* --- tensors -------------------------------------------------------------------------------------------------- */

/* The first two also with inputs of TW_QUARTER, planned as halves. */
TW_API tw_tensor tw_poplin_create_conv_input(tw_graph *graph, const tw_conv_params *params, const char *name,
                                             const char *const *options);
TW_API tw_tensor tw_poplin_create_conv_weights(tw_graph *graph, const tw_conv_params *params, const char *name,
                                               const char *const *options);
/* One element for each channel (dimension 1) of `activations`, where these lie. */
TW_API tw_tensor tw_poplin_create_biases(tw_graph *graph, tw_tensor activations, const char *name);

/* --- forward and backward ------------------------------------------------------------------------------------- */

/* `transpose_and_flip`: the weights are those of the convolution whose gradient `params` are. */
TW_API tw_tensor tw_poplin_convolution(tw_graph *graph, tw_tensor input, tw_tensor weights,
                                       const tw_conv_params *params, bool transpose_and_flip, tw_program sequence,
                                       const char *name, const char *const *options);
/* Weights for a backward pass into `out`: channels exchanged, kernels flipped. */
TW_API void tw_poplin_weights_transpose_flip(tw_graph *graph, tw_tensor weights, tw_tensor out, tw_program sequence,
                                             const char *name);
/* Gradient of the weights, of the output's type, from that of the output and from the input, both of the input's
 * type; `params` are of the forward pass. */
TW_API tw_tensor tw_poplin_conv_weight_deltas(tw_graph *graph, tw_tensor gradient, tw_tensor input,
                                              const tw_conv_params *params, tw_program sequence, const char *name,
                                              const char *const *options);
/* weights += scale * gradient of the weights */
TW_API void tw_poplin_conv_weight_update(tw_graph *graph, tw_tensor gradient, tw_tensor weights, tw_tensor input,
                                         const tw_conv_params *params, tw_scale scale, tw_program sequence,
                                         const char *name, const char *const *options);
/* biases += scale * sum of the gradient over batch and field. Options are those of convolutions, checked and without
 * effect. */
TW_API void tw_poplin_conv_bias_update(tw_graph *graph, tw_tensor gradient, tw_tensor biases, tw_scale scale,
                                       tw_program sequence, const char *name, const char *const *options);
/* tensor += biases, for each channel */
TW_API void tw_poplin_add_bias(tw_graph *graph, tw_tensor tensor, tw_tensor biases, tw_program sequence,
                               const char *name);
/* Weights of a fully connected layer, as the input of a convolution in one dimension whose kernel has one element:
 * [batch][groups * rows][columns] becomes a new [batch][groups * columns][rows]. Of `params`, those of the forward
 * pass, the groups and dimensions count. */
TW_API tw_tensor tw_poplin_fully_connected_weight_transpose(tw_graph *graph, tw_tensor weights,
                                                            const tw_conv_params *params, tw_program sequence,
                                                            const char *name, const char *const *options);

/* --- plans ---------------------------------------------------------------------------------------------------- */

/* The plan of a convolution, a line each for how it is split and what is estimated. Freed with free(). */
TW_API char *tw_poplin_conv_plan(tw_graph *graph, const tw_conv_params *params, const char *const *options);
typedef struct tw_conv_costs {
    uint64_t cycles, bytes; /* estimated; of blocks on a tile */
} tw_conv_costs;
TW_API tw_conv_costs tw_poplin_conv_costs(tw_graph *graph, const tw_conv_params *params,
                                          const char *const *options);

#ifdef __cplusplus
}
#endif
#endif
