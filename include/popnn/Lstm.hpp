// SPDX-License-Identifier: MIT
/* LSTM layers with their gradients. */
#ifndef POPNN_LSTM_HPP
#define POPNN_LSTM_HPP

#include <popnn/LstmDef.hpp>
#include <popnn/Rnn.hpp>
#include <popops/Zero.hpp>
#include <utility>

namespace popnn {
namespace lstm {

inline std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder()
{
    return { BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_CANDIDATE,
             BASIC_LSTM_CELL_OUTPUT_GATE };
}

struct LstmParams {
    rnn::RnnParams rnn;
    bool outputFullSequence = true;
    bool doInputWeightCalc = true; /* false is refused */
    bool calcInputGradients = true;
    std::vector<BasicLstmCellUnit> cellOrder = getDefaultBasicLstmCellOrder();
    NonLinearityType activation = NonLinearityType::TANH;
    NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;

    LstmParams() = default;
    LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
               std::vector<std::size_t> layerSizes, NonLinearityType a = NonLinearityType::TANH,
               NonLinearityType r = NonLinearityType::SIGMOID)
        : rnn(dataType, batchSize, timeSteps, std::move(layerSizes)), activation(a), recurrentActivation(r)
    {
    }
    LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
               const poplar::Tensor &timeSteps, std::vector<std::size_t> layerSizes,
               NonLinearityType a = NonLinearityType::TANH, NonLinearityType r = NonLinearityType::SIGMOID)
        : rnn(dataType, batchSize, maxTimeSteps, timeSteps, std::move(layerSizes)), activation(a),
          recurrentActivation(r)
    {
    }
};

struct LstmState {
    poplar::Tensor output;
    poplar::Tensor cellState;
    poplar::Tensor getAsTensor() const { return poplar::concat(output.expand({ 0 }), cellState.expand({ 0 })); }
};
struct LstmWeights {
    poplar::Tensor inputWeights;
    poplar::Tensor outputWeights;
    poplar::Tensor biases;
};

namespace detail {
inline tw_recurrent layerOf(const char *call, const LstmParams &params)
{
    if (!params.doInputWeightCalc)
        throw poputil::poplibs_error(std::string(call) + ": doInputWeightCalc=false is not in these libraries");
    tw_recurrent layer =
        rnn::detail::layerOf(call, TW_RECURRENT_LSTM, params.rnn, params.activation, params.recurrentActivation);
    rnn::detail::setOrder(call, layer, params.cellOrder, BASIC_LSTM_CELL_NUM_UNITS);
    layer.last_only = !params.outputFullSequence;
    layer.no_input_gradient = !params.calcInputGradients;
    return layer;
}
inline rnn::detail::Weights of(const LstmWeights &w)
{
    return { w.inputWeights, w.outputWeights, w.biases };
}
inline LstmWeights of(const rnn::detail::Weights &w)
{
    return { w.input, w.output, w.biases };
}
} // namespace detail

#define TW__END                                                                             \
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}, \
                               poplin::PlanningCache * = nullptr

/* --- variables ------------------------------------------------------------------------------------------------ */

inline poplar::Tensor createInput(poplar::Graph &graph, const LstmParams &params, TW__END)
{
    const char *call = "popnn::lstm::createInput";
    return rnn::detail::createInput(call, graph, detail::layerOf(call, params), debugContext, options);
}
inline LstmState createInitialState(poplar::Graph &graph, const LstmParams &params, TW__END)
{
    const char *call = "popnn::lstm::createInitialState";
    rnn::detail::State s =
        rnn::detail::createState(call, graph, detail::layerOf(call, params), debugContext, options);
    return { s.output, s.cell };
}
inline poplar::Tensor createInitialOutput(poplar::Graph &graph, const LstmParams &params, TW__END)
{
    return createInitialState(graph, params, debugContext, options).output;
}
inline poplar::Tensor createInitialCellState(poplar::Graph &graph, const LstmParams &params, TW__END)
{
    return createInitialState(graph, params, debugContext, options).cellState;
}
inline void zeroInitialState(poplar::Graph &graph, const LstmState &initialState, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    popops::zero(graph, initialState.output, prog, debugContext);
    popops::zero(graph, initialState.cellState, prog, debugContext);
}
inline LstmWeights createWeights(poplar::Graph &graph, const LstmParams &params, TW__END)
{
    const char *call = "popnn::lstm::createWeights";
    return detail::of(
        rnn::detail::createWeights(call, graph, detail::layerOf(call, params), debugContext, options));
}
inline std::pair<poplar::Tensor, poplar::Tensor> createWeightsKernel(poplar::Graph &graph, const LstmParams &params,
                                                                     TW__END)
{
    LstmWeights w = createWeights(graph, params, debugContext, options);
    return { w.inputWeights, w.outputWeights };
}
inline poplar::Tensor createWeightsBiases(poplar::Graph &graph, const LstmParams &params, TW__END)
{
    return createWeights(graph, params, debugContext, options).biases;
}

/* --- passes --------------------------------------------------------------------------------------------------- */

/* `intermediates` NULL: no gradients are wanted. */
inline poplar::Tensor lstmFwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                              const LstmState &stateInit, const LstmWeights &weights, const poplar::Tensor &in,
                              poplar::Tensor *intermediates, TW__END)
{
    const char *call = "popnn::lstm::lstmFwd";
    rnn::detail::Run run =
        rnn::detail::forward(call, graph, detail::layerOf(call, params), { stateInit.output, stateInit.cellState },
                             detail::of(weights), in, intermediates != nullptr, prog, debugContext, options);
    if (intermediates) *intermediates = run.saved;
    return run.output;
}
/* The output, and the cells after the last step. */
inline std::pair<poplar::Tensor, poplar::Tensor> lstmFwd(poplar::Graph &graph, const LstmParams &params,
                                                         const LstmState &stateInit, const poplar::Tensor &in,
                                                         const LstmWeights &weights, poplar::Tensor *intermediates,
                                                         poplar::program::Sequence &prog, TW__END)
{
    const char *call = "popnn::lstm::lstmFwd";
    rnn::detail::Run run =
        rnn::detail::forward(call, graph, detail::layerOf(call, params), { stateInit.output, stateInit.cellState },
                             detail::of(weights), in, intermediates != nullptr, prog, debugContext, options);
    if (intermediates) *intermediates = run.saved;
    return { run.output, run.last.cell };
}

/* Gradients of the initial state; of the inputs to *inputGrad, where that and calcInputGradients are set. */
inline LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                         const LstmState &, const poplar::Tensor &fwdIntermediates, const LstmWeights &weights,
                         const poplar::Tensor &, const poplar::Tensor &, const poplar::Tensor &outputGrad,
                         const poplar::Tensor *lastCellStateGrad, poplar::Tensor *inputGrad,
                         poplar::Tensor *bwdIntermediates, TW__END)
{
    const char *call = "popnn::lstm::lstmBwd";
    tw_recurrent layer = detail::layerOf(call, params);
    layer.no_input_gradient = layer.no_input_gradient || !inputGrad;
    rnn::detail::Deltas made = rnn::detail::backward(call, graph, layer, detail::of(weights), fwdIntermediates,
                                                     outputGrad, lastCellStateGrad, prog, debugContext, options);
    if (inputGrad && !layer.no_input_gradient) *inputGrad = made.input;
    if (bwdIntermediates) *bwdIntermediates = made.deltas;
    return { made.start.output, made.start.cell };
}
inline LstmWeights lstmWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                          const LstmState &, const poplar::Tensor &fwdIntermediates,
                          const poplar::Tensor &bwdIntermediates, const LstmWeights &, const poplar::Tensor &input,
                          const poplar::Tensor &, TW__END)
{
    const char *call = "popnn::lstm::lstmWU";
    return detail::of(rnn::detail::update(call, graph, detail::layerOf(call, params), input, fwdIntermediates,
                                          bwdIntermediates, prog, debugContext, options));
}
inline LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                               const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                               const LstmWeights &weights, const poplar::Tensor &input,
                               const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                               const poplar::Tensor *lastCellStateGrad, poplar::Tensor *inputGrad,
                               LstmWeights &weightsGrad, TW__END)
{
    poplar::Tensor deltas;
    LstmState start = lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights, input, output,
                              outputGrad, lastCellStateGrad, inputGrad, &deltas, debugContext, options);
    weightsGrad = lstmWU(graph, params, prog, fwdStateInit, fwdIntermediates, deltas, weights, input, output,
                         debugContext, options);
    return start;
}
#undef TW__END

/* --- work ----------------------------------------------------------------------------------------------------- */

inline std::uint64_t getBasicLstmCellFwdFlops(const LstmParams &params)
{
    tw_recurrent layer = detail::layerOf("popnn::lstm::getBasicLstmCellFwdFlops", params);
    return tw_popnn_recurrent_flops(&layer, TW_RECURRENT_FORWARD);
}
inline std::uint64_t getBasicLstmCellBwdFlops(const LstmParams &params)
{
    tw_recurrent layer = detail::layerOf("popnn::lstm::getBasicLstmCellBwdFlops", params);
    return tw_popnn_recurrent_flops(&layer, TW_RECURRENT_BACKWARD);
}
inline std::uint64_t getBasicLstmCellWuFlops(const LstmParams &params)
{
    tw_recurrent layer = detail::layerOf("popnn::lstm::getBasicLstmCellWuFlops", params);
    return tw_popnn_recurrent_flops(&layer, TW_RECURRENT_UPDATE);
}

} // namespace lstm
} // namespace popnn
#endif
