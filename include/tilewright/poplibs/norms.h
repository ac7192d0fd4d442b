/* SPDX-License-Identifier: MIT */
/* Normalisations: of channels (poplin), of groups of channels (popnn), with gradients.
 *
 *     tw_pair of = tw_poplin_norm_statistics(g, x, 1e-5, false, false, sequence, "of");     // batch norm
 *     tw_tensor white = tw_poplin_norm_whiten(g, x, of.first, of.second, sequence, "white");
 *     tw_tensor y = tw_poplin_normalise(g, white, gamma, beta, sequence, "y");
 *
 * Tensors are [batch][channels][...], float or half; statistics and parameters have their type. Sums are floats.
 * Results do not depend on mappings.
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit; the graph has
 * not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_NORMS_H
#define TILEWRIGHT_POPLIBS_NORMS_H

#include <tilewright/poplar/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_pair {
    tw_tensor first, second;
} tw_pair;

/* --- one value for each channel ------------------------------------------------------------------------------- */

/* Mean, and 1 / sqrt((variance + eps) * c): c is n / (n - 1) for n elements with `unbiased`, else 1. The variance
 * is that of squares less the mean's, or with `stable` that of differences to the mean. */
TW_API tw_pair tw_poplin_norm_statistics(tw_graph *graph, tw_tensor tensor, double eps, bool unbiased, bool stable,
                                         tw_program sequence, const char *name);
/* (tensor - mean) * inv_std_dev */
TW_API tw_tensor tw_poplin_norm_whiten(tw_graph *graph, tw_tensor tensor, tw_tensor mean, tw_tensor inv_std_dev,
                                       tw_program sequence, const char *name);
/* gamma * whitened + beta */
TW_API tw_tensor tw_poplin_normalise(tw_graph *graph, tw_tensor whitened, tw_tensor gamma, tw_tensor beta,
                                     tw_program sequence, const char *name);
/* Gradients of gamma and beta: sums of whitened * gradient and of gradient. */
TW_API tw_pair tw_poplin_norm_param_gradients(tw_graph *graph, tw_tensor whitened, tw_tensor gradient,
                                              tw_program sequence, const char *name);
/* gamma * gradient */
TW_API tw_tensor tw_poplin_norm_gradients(tw_graph *graph, tw_tensor gradient, tw_tensor gamma, tw_program sequence,
                                          const char *name);
/* Of what was whitened: inv_std_dev * (gradient - whitened * mean(whitened * gradient) - mean(gradient)). */
TW_API tw_tensor tw_poplin_norm_statistics_gradients(tw_graph *graph, tw_tensor whitened, tw_tensor gradient,
                                                     tw_tensor inv_std_dev, tw_program sequence, const char *name);

/* The checks of these calls alone, for who builds several of them or none: `gradient`, where it is not nil, is like
 * the tensor, and each of `channels` has one value for each channel. False, with the error that a call would give. */
TW_API bool tw_poplin_norm_fits(tw_graph *graph, tw_tensor tensor, tw_tensor gradient, unsigned count,
                                const tw_tensor *channels);

/* --- one value for each group of channels of each sample ------------------------------------------------------ */

/* Groups are equally large: channel c is of group c mod groups, or with groupNormStridedChannelGrouping=false of
 * group c / (channels / groups). Statistics are [groups * batch], a group's samples after one another. */
TW_API tw_pair tw_popnn_group_statistics(tw_graph *graph, tw_tensor tensor, size_t groups, double eps,
                                         bool unbiased, bool stable, tw_program sequence, const char *name,
                                         const char *const *options);
TW_API tw_tensor tw_popnn_group_whiten(tw_graph *graph, tw_tensor tensor, size_t groups, tw_tensor mean,
                                       tw_tensor inv_std_dev, tw_program sequence, const char *name,
                                       const char *const *options);
TW_API tw_tensor tw_popnn_group_statistics_gradients(tw_graph *graph, tw_tensor whitened, tw_tensor gradient,
                                                     size_t groups, tw_tensor inv_std_dev, tw_program sequence,
                                                     const char *name, const char *const *options);
/* The checks of these calls alone: `statistics` has one value for each group of each sample. */
TW_API bool tw_popnn_group_norm_fits(tw_graph *graph, tw_tensor tensor, size_t groups, tw_tensor statistics,
                                     const char *const *options);

#ifdef __cplusplus
}
#endif
#endif
