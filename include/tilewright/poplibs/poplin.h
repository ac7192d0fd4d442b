/* SPDX-License-Identifier: MIT */
/* poplin: matrices.
 *
 *     tw_tensor a = tw_poplin_create_matmul_lhs(g, TW_FLOAT, 2, (size_t[]){ m, k }, (size_t[]){ k, n }, "a", NULL);
 *     tw_tensor c = tw_poplin_matmul(g, a, b, TW_TYPE_NONE, sequence, "c", NULL);
 *
 * A product is planned from shapes, element type, target and options alone, never from where elements lie: the
 * same bits for any mapping, on one target. Inputs of the create calls lie as the plan reads them; others are
 * rearranged in each run.
 *
 * Options, "name=value", NULL ends: availableMemoryProportion (0.6 of a tile's memory for blocks; less of it makes
 * serial steps); partialsType (half, float: partial sums are floats in any case), fullyConnectedPass (NONE,
 * INFERENCE_FWD, TRAINING_FWD, TRAINING_BWD, TRAINING_WU), inputRHSIsPreArranged, use128BitConvUnitLoad,
 * enableMultiStageReduce, enableFastReduce, remapOutputTensor, gatherOutput (true, false) and planConstraints are
 * checked and have no effect.
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit and
 * TW_E_INVALID_OPTION; the graph has not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_POPLIN_H
#define TILEWRIGHT_POPLIBS_POPLIN_H

#include <tilewright/poplibs/popops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* [m][k] times [k][n]; with three dimensions, the first is one of groups. float and half, both alike; `type` float
 * or half, TW_TYPE_NONE: theirs. k = 0 gives zeros. */
TW_API tw_tensor tw_poplin_matmul(tw_graph *graph, tw_tensor a, tw_tensor b, tw_type type, tw_program sequence,
                                  const char *name, const char *const *options);
/* c += scale * a b */
TW_API void tw_poplin_matmul_accumulate(tw_graph *graph, tw_tensor c, tw_scale scale, tw_tensor a, tw_tensor b,
                                        tw_program sequence, const char *name, const char *const *options);
/* Variables for a and b of that product; `rank` 2 or 3 is that of both shapes. */
TW_API tw_tensor tw_poplin_create_matmul_lhs(tw_graph *graph, tw_type type, unsigned rank, const size_t *a,
                                             const size_t *b, const char *name, const char *const *options);
TW_API tw_tensor tw_poplin_create_matmul_rhs(tw_graph *graph, tw_type type, unsigned rank, const size_t *a,
                                             const size_t *b, const char *name, const char *const *options);
/* The plan of a product, a line each for how it is split and what is estimated. Freed with free(). */
TW_API char *tw_poplin_matmul_plan(tw_graph *graph, tw_type type, unsigned rank, const size_t *a, const size_t *b,
                                   const char *const *options);

#ifdef __cplusplus
}
#endif
#endif
