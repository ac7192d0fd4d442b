/* SPDX-License-Identifier: MIT */
/* popnn: sequences of labels that nobody has aligned (connectionist temporal classification): their loss, and the
 * most probable ones.
 *
 *     tw_pair made = tw_popnn_ctc_loss(g, logs, labels, steps, lengths, 0, TW_FLOAT, sequence, "ctc", NULL);
 *     tw_ctc_paths best = tw_popnn_ctc_beam_search(g, logs, steps, 0, 16, 3, sequence, "search", NULL);
 * The loss of a sample is -ln of the probability of its labels, over all ways to stretch them over its steps: each
 * label for one step or more, blanks between them where one likes, and at least one between two labels that are
 * alike. Sums are floats. Labels that no way leads to have a loss of 1e30 and more.
 * Options, "name=value", NULL ends: includeSoftmaxGradient (true: the gradient is of what a softmax was made of
 * whose logarithm the probabilities are; false: of the logarithms); zeroInfinity (false; true: where no way leads to
 * the labels, loss and gradient are 0). zeroInfinityRelTolerance, enableReducedClassesInLabel, partialsType (half,
 * float), availableMemoryProportion and planConstraints are checked and have no effect.
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit and
 * TW_E_INVALID_OPTION; the graph has not changed then. Threads: as the graph's. */
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

typedef struct tw_ctc_paths {
    tw_tensor loss;    /* [batch][paths]: -ln of the probability that the search has found, the least one first */
    tw_tensor lengths; /* [batch][paths], unsigned int: numbers of labels */
    tw_tensor labels;  /* [batch][paths][steps], unsigned int; 0 behind the last one */
} tw_ctc_paths;
/* Of logarithms [steps][batch][classes], float or half, and numbers of steps [batch], unsigned int. After each step
 * the `beams` most probable beginnings are kept, with all ways that lead to them; of two that are alike the one found
 * first. Sums are floats, the loss has the type of the logarithms. With fewer beginnings than paths the rest has no
 * labels and a loss of 1e30, infinity of halves. Options: the last three above. */
TW_API tw_ctc_paths tw_popnn_ctc_beam_search(tw_graph *graph, tw_tensor logs, tw_tensor steps, unsigned blank,
                                             unsigned beams, unsigned paths, tw_program sequence, const char *name,
                                             const char *const *options);

#ifdef __cplusplus
}
#endif
#endif
