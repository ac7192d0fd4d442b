/* SPDX-License-Identifier: MIT */
/* poprand: random numbers.
 *
 *     tw_tensor w = tw_poprand_normal(g, seed, 1, reference, TW_FLOAT, 0, 0.1, sequence, "w");
 *
 * Numbers are those of Philox4x32-10 (J. K. Salmon and others, SC 2011): `seed`, two unsigned int, with `modifier`
 * joined to the first by an exclusive or, is the key, the number of an element in `reference`, in row-major order,
 * the counter. So one seed and modifier give the same numbers on any mapping, number of tiles and device. `seed`
 * nil: a seed of the graph's own, which tw_poprand_set_seed() sets, and which each execution of a call moves on.
 * Results have the shape of `reference` and lie where it does.
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit; the graph has
 * not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_POPRAND_H
#define TILEWRIGHT_POPLIBS_POPRAND_H

#include <tilewright/poplar/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

TW_API void tw_poprand_set_seed(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_program sequence,
                                const char *name);
/* From min to max, both of them included: float, half (steps of 2^-24 of the range, bounds rounded inwards), int. */
TW_API tw_tensor tw_poprand_uniform(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_tensor reference,
                                    tw_type type, double min, double max, tw_program sequence, const char *name);
/* exp of uniform numbers from log(min) to log(max), 1 <= min < max: float, half, int (rounded down). */
TW_API tw_tensor tw_poprand_log_uniform(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_tensor reference,
                                        tw_type type, double min, double max, tw_program sequence,
                                        const char *name);
/* float, half. */
TW_API tw_tensor tw_poprand_normal(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_tensor reference,
                                   tw_type type, double mean, double std_dev, tw_program sequence,
                                   const char *name);
/* Those from mean - alpha std_dev to mean + alpha std_dev; alpha above 0. */
TW_API tw_tensor tw_poprand_truncated_normal(tw_graph *graph, tw_tensor seed, uint32_t modifier,
                                             tw_tensor reference, tw_type type, double mean, double std_dev,
                                             double alpha, tw_program sequence, const char *name);
/* 1 with that probability, in steps of 1/65536, else 0: float, half, int. */
TW_API tw_tensor tw_poprand_bernoulli(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_tensor reference,
                                      tw_type type, double probability, tw_program sequence, const char *name);
/* Elements of `tensor` times `scale` with probability `keep` (1: a copy, not scaled), else 0. `reference` has its
 * shape, or one that is broadcast to it: then what shares an element of it stays or goes together. */
TW_API tw_tensor tw_poprand_dropout(tw_graph *graph, tw_tensor seed, uint32_t modifier, tw_tensor tensor,
                                    tw_tensor reference, double keep, double scale, tw_program sequence,
                                    const char *name);

#ifdef __cplusplus
}
#endif
#endif
