// SPDX-License-Identifier: MIT
/* Losses of a batch with their gradients, accuracy, the greatest of rows. */
#ifndef POPNN_LOSS_HPP
#define POPNN_LOSS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/EncodingConstants.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popnn.h>
#include <utility>

namespace popnn {

enum LossType { SUM_SQUARED_LOSS, CROSS_ENTROPY_LOSS };

inline poplar::program::Program lossOf(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                       const poplar::Tensor &expected, const poplar::Tensor &loss,
                                       const poplar::Tensor &deltas, LossType type, const tw_loss_params &params,
                                       const poplar::DebugContext &debugContext)
{
    poplar::program::Sequence prog;
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popnn::calcLoss", [&](const poplar::handles::Call &c) {
            tw_popnn_loss(c.graph, poplar::handles::of(modelOutputs), poplar::handles::of(expected),
                          poplar::handles::of(loss), poplar::handles::of(deltas), static_cast<tw_loss_type>(type),
                          &params, c.sequence, c.path);
        });
    return std::move(prog);
}

inline poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                         const poplar::Tensor &expected, const poplar::Tensor &loss,
                                         const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
                                         const poplar::Tensor &modelOutputScaling, LossType lossType,
                                         const poplar::DebugContext &debugContext = {})
{
    const tw_loss_params params = { poplar::handles::of(deltasScale),
                                    poplar::handles::of(modelOutputScaling),
                                    { 0, 0 } };
    return lossOf(graph, modelOutputs, expected, loss, deltas, lossType, params, debugContext);
}
inline poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                         const poplar::Tensor &expected, const poplar::Tensor &loss,
                                         const poplar::Tensor &deltas, LossType lossType,
                                         const poplar::DebugContext &debugContext = {})
{
    return lossOf(graph, modelOutputs, expected, loss, deltas, lossType, tw_loss_params(), debugContext);
}
inline poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                         const poplar::Tensor &expected, const poplar::Tensor &loss,
                                         const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
                                         const poplar::Tensor &modelOutputScaling, const poplar::Tensor &numCorrect,
                                         LossType lossType, const poplar::DebugContext &debugContext = {})
{
    const tw_loss_params params = { poplar::handles::of(deltasScale), poplar::handles::of(modelOutputScaling),
                                    poplar::handles::of(numCorrect) };
    return lossOf(graph, modelOutputs, expected, loss, deltas, lossType, params, debugContext);
}
inline poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                         const poplar::Tensor &expected, const poplar::Tensor &loss,
                                         const poplar::Tensor &deltas, const poplar::Tensor &numCorrect,
                                         LossType lossType, const poplar::DebugContext &debugContext = {})
{
    const tw_loss_params params = { { 0, 0 }, { 0, 0 }, poplar::handles::of(numCorrect) };
    return lossOf(graph, modelOutputs, expected, loss, deltas, lossType, params, debugContext);
}

inline poplar::program::Program calcAccuracy(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                             const poplar::Tensor &expected, const poplar::Tensor &numCorrect,
                                             const poplar::DebugContext &debugContext = {})
{
    poplar::program::Sequence prog;
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popnn::calcAccuracy", [&](const poplar::handles::Call &c) {
            tw_popnn_accuracy(c.graph, poplar::handles::of(modelOutputs), poplar::handles::of(expected),
                              poplar::handles::of(numCorrect), c.sequence, c.path);
        });
    return std::move(prog);
}

/* The greatest (least) of each row, and where it stands. */
inline std::pair<poplar::Tensor, poplar::Tensor> maxAndArgMax(poplar::Graph &graph, const poplar::Tensor &input,
                                                              poplar::program::Sequence &prog,
                                                              const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::stepPair(
        graph, prog, debugContext, {}, "popnn::maxAndArgMax", [&](const poplar::handles::Call &c) {
            const tw_sorted made =
                tw_popnn_max_and_arg_max(c.graph, poplar::handles::of(input), c.sequence, c.path);
            return std::make_pair(made.keys, made.values);
        });
}
inline std::pair<poplar::Tensor, poplar::Tensor> minAndArgMin(poplar::Graph &graph, const poplar::Tensor &input,
                                                              poplar::program::Sequence &prog,
                                                              const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::stepPair(
        graph, prog, debugContext, {}, "popnn::minAndArgMin", [&](const poplar::handles::Call &c) {
            const tw_sorted made =
                tw_popnn_min_and_arg_min(c.graph, poplar::handles::of(input), c.sequence, c.path);
            return std::make_pair(made.keys, made.values);
        });
}
inline poplar::Tensor argMax(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    return maxAndArgMax(graph, input, prog, debugContext).second;
}
inline poplar::Tensor argMin(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    return minAndArgMin(graph, input, prog, debugContext).second;
}
/* The K greatest of each row, the greatest first where `sort` is wanted (here always), and where they stand. */
inline poplar::Tensor topK(poplar::Graph &graph, const poplar::Tensor &input, poplar::Tensor &indices, unsigned K,
                           bool, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    const tw_top_k params = { K, true, TW_SORT_DESCENDING };
    std::pair<poplar::Tensor, poplar::Tensor> made = poplar::handles::stepPair(
        graph, prog, debugContext, {}, "popnn::topK", [&](const poplar::handles::Call &c) {
            const tw_sorted best = tw_popops_top_k(c.graph, poplar::handles::of(input), tw_tensor{ 0, 0 }, &params,
                                                   c.sequence, c.path);
            return std::make_pair(best.keys, best.values);
        });
    indices = made.second;
    return made.first;
}

} // namespace popnn
#endif
