// SPDX-License-Identifier: MIT
/* Losses of labels that are not aligned, and their gradients. */
#ifndef POPNN_CTC_LOSS_HPP
#define POPNN_CTC_LOSS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popnn/CTCPlan.hpp>
#include <popnn/LogSoftmax.hpp>
#include <poputil/TileMapping.hpp>
#include <tilewright/poplibs/ctc.h>
#include <tilewright/poplibs/handles.hpp>

namespace popnn {
namespace ctc {

inline Plan plan(const poplar::Graph &, const poplar::Type &, const poplar::Type &, unsigned batchSize,
                 unsigned maxTime, unsigned maxLabelLength, unsigned numClasses,
                 const poplar::OptionFlags &options = {})
{
    detail::checkPlan("popnn::ctc::plan", options, true);
    return Plan({ batchSize, maxTime, maxLabelLength, numClasses });
}
inline poplar::Tensor createDataInput(poplar::Graph &graph, const poplar::Type &type, const std::size_t batchSize,
                                      const std::size_t maxTime, const std::size_t numClasses, const Plan &plan,
                                      const poplar::DebugContext &debugContext = {})
{
    plan.want("popnn::ctc::createDataInput", "labels");
    poplar::Tensor t = graph.addVariable(type, { maxTime, batchSize, numClasses }, debugContext);
    poputil::mapTensorLinearly(graph, t);
    return t;
}
inline poplar::Tensor createLabelsInput(poplar::Graph &graph, const poplar::Type &type, const std::size_t batchSize,
                                        const std::size_t maxLabelLength, const Plan &plan,
                                        const poplar::DebugContext &debugContext = {})
{
    plan.want("popnn::ctc::createLabelsInput", "labels");
    poplar::Tensor t = graph.addVariable(type, { batchSize, maxLabelLength }, debugContext);
    poputil::mapTensorLinearly(graph, t);
    return t;
}

/* Loss [batch] and gradient [time][batch][classes]. */
inline std::pair<poplar::Tensor, poplar::Tensor> calcLossAndGradientLogProbabilities(
    poplar::Graph &graph, const poplar::Type &outType, const poplar::Tensor &logProbs, const poplar::Tensor &labels,
    const poplar::Tensor &dataLengths, const poplar::Tensor &labelLengths, poplar::program::Sequence &prog,
    const unsigned blankClass, const Plan &plan, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {})
{
    const char *call = "popnn::ctc::calcLossAndGradientLogProbabilities";
    plan.want(call, "labels");
    return poplar::handles::stepPair(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        const tw_pair made =
            tw_popnn_ctc_loss(c.graph, poplar::handles::of(logProbs), poplar::handles::of(labels),
                              poplar::handles::of(dataLengths), poplar::handles::of(labelLengths), blankClass,
                              poplar::handles::of(outType), c.sequence, c.path, c.options);
        return std::make_pair(made.first, made.second);
    });
}
inline std::pair<poplar::Tensor, poplar::Tensor>
calcLossAndGradientLogits(poplar::Graph &graph, const poplar::Type &outType, const poplar::Tensor &logits,
                          const poplar::Tensor &labels, const poplar::Tensor &dataLengths,
                          const poplar::Tensor &labelLengths, poplar::program::Sequence &prog,
                          const unsigned blankClass, const Plan &plan,
                          const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    plan.want("popnn::ctc::calcLossAndGradientLogits", "labels");
    const poplar::Tensor logs = logSoftmax(graph, logits, prog, debugContext);
    return calcLossAndGradientLogProbabilities(graph, outType, logs, labels, dataLengths, labelLengths, prog,
                                               blankClass, plan, debugContext, options);
}

/* The loss alone. */
inline poplar::Tensor calcCTCLossLogProbabilities(poplar::Graph &graph, const poplar::Type &outType,
                                                  const poplar::Tensor &logProbs, const poplar::Tensor &labels,
                                                  const poplar::Tensor &dataLengths,
                                                  const poplar::Tensor &labelLengths,
                                                  poplar::program::Sequence &prog, const unsigned blankClass,
                                                  const Plan &plan, const poplar::DebugContext &debugContext = {},
                                                  const poplar::OptionFlags &options = {})
{
    return calcLossAndGradientLogProbabilities(graph, outType, logProbs, labels, dataLengths, labelLengths, prog,
                                               blankClass, plan, debugContext, options)
        .first;
}
inline poplar::Tensor calcCTCLossLogits(poplar::Graph &graph, const poplar::Type &outType,
                                        const poplar::Tensor &logits, const poplar::Tensor &labels,
                                        const poplar::Tensor &dataLengths, const poplar::Tensor &labelLengths,
                                        poplar::program::Sequence &prog, const unsigned blankClass,
                                        const Plan &plan, const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {})
{
    return calcLossAndGradientLogits(graph, outType, logits, labels, dataLengths, labelLengths, prog, blankClass,
                                     plan, debugContext, options)
        .first;
}

} // namespace ctc
} // namespace popnn
#endif
