// SPDX-License-Identifier: MIT
/* Plain recurrent layers, h = f(x Wff + h' Wfb + b): weights of inputs [inputs][outputs], of feedback
 * [outputs][outputs], biases [outputs]. Steps are a loop; products that no step has to wait for are one for all
 * steps. */
#ifndef POPNN_RECURRENT_HPP
#define POPNN_RECURRENT_HPP

#include <popnn/NonLinearity.hpp>
#include <popnn/Rnn.hpp>
#include <popops/Reduce.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace popnn {
namespace rnn {

namespace detail {
inline poplar::OptionFlags productOptions(const poplar::Type &partialsType, const char *pass)
{
    return { { "partialsType", partialsType.toString() }, { "fullyConnectedPass", pass } };
}
inline const char *forwardPass(bool inferenceOnly)
{
    return inferenceOnly ? "INFERENCE_FWD" : "TRAINING_FWD";
}
inline void sequenceRank(const char *call, const poplar::Tensor &t)
{
    if (t.rank() != 3 || !t.dim(0))
        throw poputil::poplibs_error(std::string("popnn::rnn::") + call +
                                     ": a sequence has steps, a batch and numbers, not " + t.shapeToString());
}
/* Where a loop reads its steps. */
inline poplar::Tensor stepsOf(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext)
{
    poplar::Tensor made = sequenceOf(graph, t.elementType(), t.shape(), debugContext);
    prog.add(poplar::program::Copy(t, made, false, debugContext));
    return made;
}
inline std::uint64_t productFlops(std::uint64_t rows, std::uint64_t sums, std::uint64_t columns)
{
    return sums ? rows * columns * (2 * sums - 1) : 0;
}
} // namespace detail

/* Products of a layer; what the vendor's plans beside these, ours does not need. */
inline std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(std::size_t numSteps, std::size_t batchSize, std::size_t inputSize,
                           std::size_t outputSize, const poplar::Type &dType,
                           const poplar::Type &partialsType = poplar::FLOAT, bool inferenceOnly = false,
                           bool hasFeedforwardWeights = true)
{
    std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>> all;
    const std::size_t rows = numSteps * batchSize;
    const auto add = [&](std::size_t m, std::size_t k, std::size_t n, const char *pass) {
        all.emplace_back(poplin::MatMulParams{ dType, dType, { m, k }, { k, n } },
                         detail::productOptions(partialsType, pass));
    };
    add(batchSize, outputSize, outputSize, detail::forwardPass(inferenceOnly));
    if (hasFeedforwardWeights) add(rows, inputSize, outputSize, detail::forwardPass(inferenceOnly));
    if (inferenceOnly) return all;
    add(batchSize, outputSize, outputSize, "TRAINING_BWD");
    add(outputSize, rows, outputSize, "TRAINING_WU");
    if (!hasFeedforwardWeights) return all;
    add(rows, outputSize, inputSize, "TRAINING_BWD");
    add(inputSize, rows, outputSize, "TRAINING_WU");
    return all;
}

/* Multiplications and additions of products, of biases and of sums; not of f. */
inline std::uint64_t getFwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize, unsigned outputSize,
                                 bool weightInput = true)
{
    const std::uint64_t rows = std::uint64_t(sequenceSize) * batchSize;
    return detail::productFlops(rows, outputSize, outputSize) + 2 * std::uint64_t(sequenceSize) * outputSize +
           (weightInput ? detail::productFlops(rows, inputSize, outputSize) : 0);
}
inline std::uint64_t getBwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize, unsigned outputSize,
                                 bool calcInputGrad = true)
{
    const std::uint64_t rows = std::uint64_t(sequenceSize) * batchSize;
    return detail::productFlops(rows, outputSize, outputSize) +
           (calcInputGrad ? rows * outputSize * inputSize +
                                (inputSize ? rows * outputSize * (std::uint64_t(inputSize) - 1) : 0)
                          : 0);
}
inline std::uint64_t getWuFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize, unsigned outputSize)
{
    const std::uint64_t rows = std::uint64_t(sequenceSize) * batchSize;
    const std::uint64_t weights = std::uint64_t(outputSize) * inputSize + std::uint64_t(outputSize) * outputSize;
    return rows * weights + (rows ? rows - 1 : 0) * (weights + outputSize) + weights + outputSize;
}

#define TW__END const poplar::DebugContext &debugContext = {}, poplin::PlanningCache * = nullptr

/* [steps][batch][inputs] */
inline poplar::Tensor createInput(poplar::Graph &graph, unsigned numSteps, unsigned batchSize, unsigned inputSize,
                                  unsigned, const poplar::Type &dType, const poplar::Type & = poplar::FLOAT,
                                  bool = false, TW__END)
{
    return detail::sequenceOf(graph, dType, { numSteps, batchSize, inputSize }, debugContext);
}
/* [batch][outputs]; 0 with initState. */
inline poplar::Tensor createFwdState(poplar::Graph &graph, const poplar::Type &dType, unsigned batchSize,
                                     unsigned outputSize, poplar::program::Sequence &prog, bool initState,
                                     bool inferenceOnly, TW__END)
{
    poplar::Tensor t = poplin::createMatMulInputLHS(
        graph, dType, { batchSize, outputSize }, { outputSize, outputSize }, debugContext,
        detail::productOptions(poplar::FLOAT, detail::forwardPass(inferenceOnly)));
    if (initState) popops::zero(graph, t, prog, debugContext);
    return t;
}
inline poplar::Tensor getOutputFromFwdState(const poplar::Tensor &fwdState)
{
    return fwdState;
}
inline poplar::Tensor createBwdState(poplar::Graph &graph, const poplar::Type &dType, unsigned batchSize,
                                     unsigned outputSize, poplar::program::Sequence &prog, TW__END)
{
    return createFwdState(graph, dType, batchSize, outputSize, prog, true, false, debugContext);
}
inline poplar::Tensor createWeightsInput(poplar::Graph &graph, unsigned sequenceSize, unsigned batchSize,
                                         unsigned inputSize, unsigned outputSize, const poplar::Type &dType,
                                         const poplar::Type &partialsType = poplar::FLOAT,
                                         bool inferenceOnly = false, TW__END)
{
    return poplin::createMatMulInputRHS(graph, dType, { std::size_t(sequenceSize) * batchSize, inputSize },
                                        { inputSize, outputSize }, debugContext,
                                        detail::productOptions(partialsType, detail::forwardPass(inferenceOnly)));
}
inline poplar::Tensor createWeightsFeedback(poplar::Graph &graph, unsigned batchSize, unsigned outputSize,
                                            const poplar::Type &dType,
                                            const poplar::Type &partialsType = poplar::FLOAT,
                                            bool inferenceOnly = false, TW__END)
{
    return poplin::createMatMulInputRHS(graph, dType, { batchSize, outputSize }, { outputSize, outputSize },
                                        debugContext,
                                        detail::productOptions(partialsType, detail::forwardPass(inferenceOnly)));
}

/* [steps][batch][inputs] to [steps][batch][outputs]: x Wff. */
inline poplar::Tensor forwardWeightInput(poplar::Graph &graph, const poplar::Tensor &actIn,
                                         const poplar::Tensor &weights, poplar::program::Sequence &prog,
                                         const poplar::Type &partialsType = poplar::FLOAT,
                                         bool inferenceOnly = false, TW__END)
{
    detail::sequenceRank("forwardWeightInput", actIn);
    return poplin::matMul(graph, actIn.flatten(0, 2), weights, prog, debugContext,
                          detail::productOptions(partialsType, detail::forwardPass(inferenceOnly)))
        .reshapePartial(0, 1, { actIn.dim(0), actIn.dim(1) });
}
/* From what forwardWeightInput() makes, the outputs of all steps. */
inline poplar::Tensor forwardIterate(poplar::Graph &graph, const poplar::Tensor &feedFwdIn,
                                     const poplar::Tensor &initState, const poplar::Tensor &feedbackWeights,
                                     const poplar::Tensor &biases, poplar::program::Sequence &prog,
                                     NonLinearityType nonLinearityType,
                                     const poplar::Type &partialsType = poplar::FLOAT, bool inferenceOnly = false,
                                     TW__END)
{
    detail::sequenceRank("forwardIterate", feedFwdIn);
    const std::size_t steps = feedFwdIn.dim(0), batch = feedFwdIn.dim(1), outputs = feedFwdIn.dim(2);
    const RnnParams params(feedFwdIn.elementType(), batch, steps, { outputs, outputs });
    const poplar::Tensor in = detail::stepsOf(graph, feedFwdIn, prog, { debugContext, "in" });
    detail::Loop loop(graph, params, prog, { initState }, 0, debugContext);
    poplar::Tensor out = detail::sequenceOf(graph, params.dataType, feedFwdIn.shape(), { debugContext, "actOut" });
    poplar::program::Sequence step;
    poplar::Tensor sum = poplin::matMul(graph, loop.state[0], feedbackWeights, step, { loop.name(), "Feedback" },
                                        detail::productOptions(partialsType, detail::forwardPass(inferenceOnly)));
    popops::addInPlace(graph, sum, loop.read(in, loop.step(), 1, step), step, { loop.name(), "Sum" });
    popops::addInPlace(graph, sum, biases, step, { loop.name(), "Bias" });
    nonLinearityInPlace(graph, nonLinearityType, sum, step, loop.name());
    loop.write(out, sum.expand({ 0 }), loop.step(), step);
    step.add(poplar::program::Copy(sum, loop.state[0], false, loop.name()));
    loop.advance(step, false);
    prog.add(poplar::program::Repeat(static_cast<unsigned>(steps), step, loop.name()));
    return out;
}
/* Both; without weightedIn inputs are weighted here. */
inline poplar::Tensor rnnFwdSequence(poplar::Graph &graph, poplar::program::Sequence &prog,
                                     const poplar::Tensor &fwdStateInit, const poplar::Tensor *weightedIn,
                                     const poplar::Tensor &biases, const poplar::Tensor &feedFwdWeights,
                                     const poplar::Tensor &feedbackWeights, const poplar::Tensor &prevLayerActs,
                                     const NonLinearityType &nonLinearityType, const poplar::Type &partialsType,
                                     bool inferenceOnly, TW__END)
{
    const poplar::Tensor in = weightedIn ? *weightedIn
                                         : forwardWeightInput(graph, prevLayerActs, feedFwdWeights, prog,
                                                              partialsType, inferenceOnly, debugContext);
    return forwardIterate(graph, in, fwdStateInit, feedbackWeights, biases, prog, nonLinearityType, partialsType,
                          inferenceOnly, debugContext);
}

/* From the gradient of this step's output and the state of the step behind it this one's: the gradient in front of
 * f. */
inline poplar::Tensor backwardGradientStep(poplar::Graph &graph, const poplar::Tensor &nextLayerGrad,
                                           const poplar::Tensor &bwdState, const poplar::Tensor &actOut,
                                           const poplar::Tensor &weightsFeedback, poplar::program::Sequence &prog,
                                           NonLinearityType nonLinearityType,
                                           const poplar::Type &partialsType = poplar::FLOAT, TW__END)
{
    poplar::Tensor sum = poplin::matMul(graph, bwdState, weightsFeedback.transpose(), prog, { debugContext, "Fb" },
                                        detail::productOptions(partialsType, "TRAINING_BWD"));
    popops::addInPlace(graph, sum, nextLayerGrad, prog, { debugContext, "AddOutGrad" });
    return nonLinearityInputGradient(graph, nonLinearityType, actOut, sum, prog, debugContext);
}
/* With the gradient of the inputs in front of it. */
inline std::pair<poplar::Tensor, poplar::Tensor>
backwardGradientStep(poplar::Graph &graph, const poplar::Tensor &nextLayerGrad, const poplar::Tensor &bwdState,
                     const poplar::Tensor &actOut, const poplar::Tensor &weightsInput,
                     const poplar::Tensor &weightsFeedback, poplar::program::Sequence &prog,
                     NonLinearityType nonLinearityType, const poplar::Type &partialsType = poplar::FLOAT, TW__END)
{
    const poplar::Tensor state = backwardGradientStep(graph, nextLayerGrad, bwdState, actOut, weightsFeedback, prog,
                                                      nonLinearityType, partialsType, debugContext);
    return { poplin::matMul(graph, state, weightsInput.transpose(), prog, { debugContext, "Ff" },
                            detail::productOptions(partialsType, "TRAINING_BWD")),
             state };
}
/* Adds what a step, or rows of several, has to the gradients of all parameters. */
inline void paramDeltaUpdate(poplar::Graph &graph, const poplar::Tensor &bwdState, const poplar::Tensor &actIn,
                             const poplar::Tensor &prevOut, poplar::Tensor &weightsInputDeltasAcc,
                             poplar::Tensor &weightsFeedbackDeltasAcc, poplar::Tensor &biasDeltasAcc,
                             poplar::program::Sequence &prog, const poplar::Type &partialsType = poplar::FLOAT,
                             TW__END)
{
    const poplar::OptionFlags options = detail::productOptions(partialsType, "TRAINING_WU");
    poplin::matMulAcc(graph, weightsInputDeltasAcc, 1.0f, actIn.transpose(), bwdState, prog, { debugContext, "Wi" },
                      options);
    poplin::matMulAcc(graph, weightsFeedbackDeltasAcc, 1.0f, prevOut.transpose(), bwdState, prog,
                      { debugContext, "Wfb" }, options);
    const poplar::Tensor sums =
        popops::reduce(graph, bwdState, { 0 }, { popops::Operation::ADD }, prog, debugContext);
    popops::addInPlace(graph, biasDeltasAcc, sums, prog, debugContext);
}
/* Gradients of inputs, weights of inputs and of feedback, biases; those that are not asked for are invalid tensors.
 * outGradient: [batch][steps][outputs], of the outputs fwdState [steps][batch][outputs]. */
inline std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor, poplar::Tensor>
rnnBwdSequence(poplar::Graph &graph, bool doWU, bool ignoreInputGradientCalc, poplar::program::Sequence &prog,
               const poplar::Tensor &fwdStateInit, const poplar::Tensor &fwdState, const poplar::Tensor &biases,
               const poplar::Tensor &feedFwdWeights, const poplar::Tensor &feedbackWeights,
               const poplar::Tensor &outGradient, const poplar::Tensor &actIn,
               const NonLinearityType &nonLinearityType, const poplar::Type &partialsType, TW__END)
{
    detail::sequenceRank("rnnBwdSequence", fwdState);
    detail::sequenceRank("rnnBwdSequence", outGradient);
    detail::sequenceRank("rnnBwdSequence", actIn);
    const std::size_t steps = fwdState.dim(0), batch = fwdState.dim(1), outputs = fwdState.dim(2);
    const RnnParams params(fwdState.elementType(), batch, steps, { outputs, outputs });
    const poplar::Tensor gradients = detail::stepsOf(graph, outGradient.dimShuffle({ 1, 0, 2 }), prog,
                                                     { debugContext, "gradients" }),
                         acts = detail::stepsOf(graph, fwdState, prog, { debugContext, "acts" });
    const poplar::Tensor zero = createBwdState(graph, params.dataType, static_cast<unsigned>(batch),
                                               static_cast<unsigned>(outputs), prog, debugContext);
    detail::Loop loop(graph, params, prog, { zero }, static_cast<unsigned>(steps) - 1, debugContext);
    poplar::Tensor deltas =
        detail::sequenceOf(graph, params.dataType, fwdState.shape(), { debugContext, "deltas" });
    poplar::program::Sequence step;
    const poplar::Tensor delta = backwardGradientStep(
        graph, loop.read(gradients, loop.step(), 1, step), loop.state[0], loop.read(acts, loop.step(), 1, step),
        feedbackWeights, step, nonLinearityType, partialsType, loop.name());
    loop.write(deltas, delta.expand({ 0 }), loop.step(), step);
    step.add(poplar::program::Copy(delta, loop.state[0], false, loop.name()));
    loop.advance(step, true);
    prog.add(poplar::program::Repeat(static_cast<unsigned>(steps), step, loop.name()));

    const poplar::Tensor rows = deltas.flatten(0, 2);
    poplar::Tensor in, ofInput, ofFeedback, ofBiases;
    if (!ignoreInputGradientCalc)
        in = poplin::matMul(graph, rows, feedFwdWeights.transpose(), prog, { debugContext, "Ff" },
                            detail::productOptions(partialsType, "TRAINING_BWD"))
                 .reshapePartial(0, 1, { steps, batch });
    if (doWU) {
        ofInput = graph.clone(feedFwdWeights, { debugContext, "weightsInput" });
        ofFeedback = graph.clone(feedbackWeights, { debugContext, "weightsFeedback" });
        ofBiases = graph.clone(biases, { debugContext, "biases" });
        for (const poplar::Tensor &t : { ofInput, ofFeedback, ofBiases })
            popops::zero(graph, t, prog, debugContext);
        const poplar::Tensor before = concat(fwdStateInit.expand({ 0 }), fwdState.slice(0, steps - 1));
        paramDeltaUpdate(graph, rows, actIn.flatten(0, 2), before.flatten(0, 2), ofInput, ofFeedback, ofBiases,
                         prog, partialsType, debugContext);
    }
    return std::make_tuple(in, ofInput, ofFeedback, ofBiases);
}
#undef TW__END

} // namespace rnn
} // namespace popnn
#endif
