// SPDX-License-Identifier: MIT
/* The most probable labels of sequences that are not aligned, by beam search. */
#ifndef POPNN_CTC_INFERENCE_HPP
#define POPNN_CTC_INFERENCE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/CTCPlan.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popops/ElementWise.hpp>
#include <tilewright/poplibs/ctc.h>
#include <tilewright/poplibs/handles.hpp>
#include <tuple>

namespace popnn {
namespace ctc_infer {

inline ctc::Plan plan(const poplar::Graph &, const poplar::Type &, unsigned batchSize, unsigned maxTime,
                      unsigned numClasses, unsigned beamwidth, const poplar::OptionFlags &options = {})
{
    ctc::detail::checkPlan("popnn::ctc_infer::plan", options, false);
    return ctc::Plan({ batchSize, maxTime, numClasses, beamwidth }, { "batch", "steps", "classes", "beams" });
}
inline poplar::Tensor createDataInput(poplar::Graph &graph, const poplar::Type &type, const std::size_t batchSize,
                                      const std::size_t maxTime, const std::size_t numClasses,
                                      const ctc::Plan &plan, const poplar::DebugContext &debugContext = {})
{
    plan.want("popnn::ctc_infer::createDataInput", "beams");
    poplar::Tensor t = graph.addVariable(type, { maxTime, batchSize, numClasses }, debugContext);
    poputil::mapTensorLinearly(graph, t);
    return t;
}

/* Logarithms of probabilities [batch][paths], numbers of labels [batch][paths], labels
 * [batch][paths][time], the most probable first. */
inline std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor> beamSearchDecoderLogProbabilities(
    poplar::Graph &graph, const poplar::Tensor &logProbs, const poplar::Tensor &dataLengths,
    poplar::program::Sequence &prog, unsigned blankClass, unsigned beamwidth, unsigned topPaths,
    const ctc::Plan &plan, const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    const char *call = "popnn::ctc_infer::beamSearchDecoderLogProbabilities";
    plan.want(call, "beams");
    tw_ctc_paths made = {};
    poplar::handles::stepInPlace(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        made = tw_popnn_ctc_beam_search(c.graph, poplar::handles::of(logProbs), poplar::handles::of(dataLengths),
                                        blankClass, beamwidth, topPaths, c.sequence, c.path, c.options);
    });
    const auto owned = [&](tw_tensor t) {
        return poplar::handles::make(graph, call, [&](tw_graph *) { return t; });
    };
    poplar::Tensor logs = owned(made.loss), lengths = owned(made.lengths);
    popops::negInPlace(graph, logs, prog, debugContext);
    return std::make_tuple(logs, lengths, owned(made.labels));
}
inline std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor>
beamSearchDecoderLogits(poplar::Graph &graph, const poplar::Tensor &logits, const poplar::Tensor &dataLengths,
                        poplar::program::Sequence &prog, unsigned blankClass, unsigned beamwidth, unsigned topPaths,
                        const ctc::Plan &plan, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {})
{
    plan.want("popnn::ctc_infer::beamSearchDecoderLogits", "beams");
    const poplar::Tensor logs = logSoftmax(graph, logits, prog, debugContext);
    return beamSearchDecoderLogProbabilities(graph, logs, dataLengths, prog, blankClass, beamwidth, topPaths, plan,
                                             debugContext, options);
}

} // namespace ctc_infer
} // namespace popnn
#endif
