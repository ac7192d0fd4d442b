/* SPDX-License-Identifier: MIT */
/* popnn: the loss of sequences of labels that nobody has aligned (connectionist temporal classification).
 *
 *     tw_pair made = tw_popnn_ctc_loss(g, logs, labels, steps, lengths, 0, TW_FLOAT, sequence, "ctc", NULL);
 *
 * The loss of a sample is -ln of the probability of its labels, over all ways to stretch them over its steps: each
 * label for one step or more, blanks between them where one likes, and at least one between two labels that are
 * alike. Sums are floats. Labels that no way leads to have a loss of 1e30 and more.
 *
 * Options, "name=value", NULL ends: includeSoftmaxGradient (true: the gradient is of what a softmax was made of whose
 * logarithm the probabilities are; false: of the logarithms). partialsType (half, float), availableMemoryProportion
 * and planConstraints are checked and have no effect.
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit and
 * TW_E_INVALID_OPTION; the graph has not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_CTC_H
#define TILEWRIGHT_POPLIBS_CTC_H

#include <tilewright/poplibs/norms.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Logarithms of probabilities [steps][batch][classes], float or half, labels [batch][most], how many steps and labels
 * each sample has [batch]: all three unsigned int. First: the loss [batch], of type `type` (TW_TYPE_NONE: that of the
 * logarithms); second: the gradient, with their shape, 0 behind a sample's last step. */
TW_API tw_pair tw_popnn_ctc_loss(tw_graph *graph, tw_tensor logs, tw_tensor labels, tw_tensor steps,
                                 tw_tensor lengths, unsigned blank, tw_type type, tw_program sequence,
                                 const char *name, const char *const *options);

#ifdef __cplusplus
}
#endif
#endif
