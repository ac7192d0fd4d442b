/* SPDX-License-Identifier: MIT */
/* popnn: pooling in one, two or three dimensions, with gradients.
 *
 *     tw_pool_params p = { .type = TW_POOL_MAX, .data_type = TW_FLOAT, .batch = 4, .channels = 8, .dims = 2,
 *                          .field = { 28, 28 }, .kernel = { 2, 2 }, .stride = { 2, 2 } };
 *     tw_tensor y = tw_popnn_pool(g, &p, x, sequence, "y", NULL);                       // [4][8][14][14]
 *
 * Tensors are [batch][channels][field ...] of float or half; sums are floats. Padding takes no part: the greatest and
 * the average are those of the elements under the kernel. Where there are none, the greatest is -inf, the average 0.
 * Results do not depend on mappings or targets.
 *
 * Options, "name=value", NULL ends, checked and without effect: poolUseIntrospectiveMapping, optimizeForSpeed,
 * useFloatPartialsWhereBeneficial (true, false).
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit and
 * TW_E_INVALID_OPTION; the graph has not changed then.
 * Threads: as the graph's. Calls without a graph may run in several at once. */
#ifndef TILEWRIGHT_POPLIBS_POOLING_H
#define TILEWRIGHT_POPLIBS_POOLING_H

#include <tilewright/poplibs/conv.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_pool_type { TW_POOL_MAX = 0, TW_POOL_AVG = 1, TW_POOL_SUM = 2 } tw_pool_type;
typedef struct tw_pool_params {
    tw_pool_type type;
    tw_type data_type; /* float, half */
    size_t batch, channels;
    unsigned dims;
    size_t field[TW_CONV_DIMS], kernel[TW_CONV_DIMS];
    unsigned stride[TW_CONV_DIMS];                /* 0 counts as 1 */
    int lower[TW_CONV_DIMS], upper[TW_CONV_DIMS]; /* padding of the input; negative: elements are cut off */
} tw_pool_params;

/* What is wrong with them, in words; NULL: nothing. Freed with free(). */
TW_API char *tw_popnn_pool_problem(const tw_pool_params *params);
/* (field + lower + upper - kernel) / stride + 1; 0 when something is wrong. */
TW_API size_t tw_popnn_pool_output_size(const tw_pool_params *params, unsigned dim);
/* Pairs of outputs and elements under their kernels. */
TW_API uint64_t tw_popnn_pool_flops(const tw_pool_params *params);

TW_API tw_tensor tw_popnn_pool(tw_graph *graph, const tw_pool_params *params, tw_tensor input, tw_program sequence,
                               const char *name, const char *const *options);
/* The gradient of the input of TW_POOL_AVG and TW_POOL_SUM from that of the output. */
TW_API tw_tensor tw_popnn_pool_gradient(tw_graph *graph, const tw_pool_params *params, tw_tensor gradient,
                                        tw_program sequence, const char *name, const char *const *options);
/* That of TW_POOL_MAX, which also needs what went in and came out: each input that equals the greatest gets the whole
 * gradient, or `scaled` its share of it. */
TW_API tw_tensor tw_popnn_pool_max_gradient(tw_graph *graph, const tw_pool_params *params, tw_tensor input,
                                            tw_tensor pooled, tw_tensor gradient, bool scaled, tw_program sequence,
                                            const char *name, const char *const *options);

#ifdef __cplusplus
}
#endif
#endif
