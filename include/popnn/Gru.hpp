// SPDX-License-Identifier: MIT
/* GRU layers with their gradients; with attention (AUGRU) the update gate is (1 - score) of what it is. */
#ifndef POPNN_GRU_HPP
#define POPNN_GRU_HPP

#include <popnn/GruDef.hpp>
#include <popnn/Rnn.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <utility>

namespace popnn {
namespace gru {

inline std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder()
{
    return { BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_CANDIDATE };
}

struct GruParams {
    rnn::RnnParams rnn;
    bool outputFullSequence = true;
    bool calcInputGradients = true;
    std::vector<BasicGruCellUnit> cellOrder = getDefaultBasicGruCellOrder();
    bool resetAfter = false; /* the reset gate is applied behind the product with the weights */
    NonLinearityType activation = NonLinearityType::TANH;
    NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;

    GruParams() = default;
    GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
              std::vector<std::size_t> layerSizes, NonLinearityType a = NonLinearityType::TANH,
              NonLinearityType r = NonLinearityType::SIGMOID)
        : rnn(dataType, batchSize, timeSteps, std::move(layerSizes)), activation(a), recurrentActivation(r)
    {
    }
    GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
              const poplar::Tensor &timeSteps, std::vector<std::size_t> layerSizes,
              NonLinearityType a = NonLinearityType::TANH, NonLinearityType r = NonLinearityType::SIGMOID)
        : rnn(dataType, batchSize, maxTimeSteps, timeSteps, std::move(layerSizes)), activation(a),
          recurrentActivation(r)
    {
    }
};

struct GruWeights {
    poplar::Tensor inputWeights;
    poplar::Tensor outputWeights;
    poplar::Tensor biases;
};

namespace detail {
inline tw_recurrent layerOf(const char *call, const GruParams &params)
{
    tw_recurrent layer =
        rnn::detail::layerOf(call, params.resetAfter ? TW_RECURRENT_GRU_RESET_AFTER : TW_RECURRENT_GRU, params.rnn,
                             params.activation, params.recurrentActivation);
    rnn::detail::setOrder(call, layer, params.cellOrder, BASIC_GRU_CELL_NUM_UNITS);
    layer.last_only = !params.outputFullSequence;
    layer.no_input_gradient = !params.calcInputGradients;
    return layer;
}
inline rnn::detail::Weights of(const GruWeights &w)
{
    return { w.inputWeights, w.outputWeights, w.biases };
}
inline GruWeights of(const rnn::detail::Weights &w)
{
    return { w.input, w.output, w.biases };
}
} // namespace detail

#define TW__END                                                                             \
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}, \
                               poplin::PlanningCache * = nullptr

/* --- variables ------------------------------------------------------------------------------------------------ */

inline poplar::Tensor createInput(poplar::Graph &graph, const GruParams &params, TW__END)
{
    const char *call = "popnn::gru::createInput";
    return rnn::detail::createInput(call, graph, detail::layerOf(call, params), debugContext, options);
}
inline poplar::Tensor createInitialState(poplar::Graph &graph, const GruParams &params, TW__END)
{
    const char *call = "popnn::gru::createInitialState";
    return rnn::detail::createState(call, graph, detail::layerOf(call, params), debugContext, options).output;
}
inline void zeroInitialState(poplar::Graph &graph, const poplar::Tensor &initialState,
                             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    popops::zero(graph, initialState, prog, debugContext);
}
inline GruWeights createWeights(poplar::Graph &graph, const GruParams &params, TW__END)
{
    const char *call = "popnn::gru::createWeights";
    return detail::of(
        rnn::detail::createWeights(call, graph, detail::layerOf(call, params), debugContext, options));
}
inline std::pair<poplar::Tensor, poplar::Tensor> createWeightsKernel(poplar::Graph &graph, const GruParams &params,
                                                                     TW__END)
{
    GruWeights w = createWeights(graph, params, debugContext, options);
    return { w.inputWeights, w.outputWeights };
}
inline poplar::Tensor createWeightsBiases(poplar::Graph &graph, const GruParams &params, TW__END)
{
    return createWeights(graph, params, debugContext, options).biases;
}

/* --- passes --------------------------------------------------------------------------------------------------- */

/* `intermediates` NULL: no gradients are wanted. */
inline poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                             const poplar::Tensor &in, const GruWeights &weights, poplar::Tensor *intermediates,
                             poplar::program::Sequence &prog, TW__END)
{
    const char *call = "popnn::gru::gruFwd";
    rnn::detail::Run run =
        rnn::detail::forward(call, graph, detail::layerOf(call, params), { stateInit, poplar::Tensor() },
                             detail::of(weights), in, intermediates != nullptr, prog, debugContext, options);
    if (intermediates) *intermediates = run.saved;
    return run.output;
}
/* realTimeSteps, unsigned int[batch]: how many steps each sample has. */
inline poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                             const poplar::Tensor &in, const poplar::Tensor &realTimeSteps,
                             const GruWeights &weights, poplar::Tensor *intermediates,
                             poplar::program::Sequence &prog, TW__END)
{
    GruParams own = params;
    own.rnn.varTimeSteps = realTimeSteps;
    return gruFwd(graph, own, stateInit, in, weights, intermediates, prog, debugContext, options);
}

/* Gradient of the initial state; of the inputs to *inputGrad, where that and calcInputGradients are set. */
inline poplar::Tensor gruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                             const poplar::Tensor &, const poplar::Tensor &fwdIntermediates,
                             const GruWeights &weights, const poplar::Tensor &, const poplar::Tensor &,
                             const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                             poplar::Tensor *bwdIntermediates, TW__END)
{
    const char *call = "popnn::gru::gruBwd";
    tw_recurrent layer = detail::layerOf(call, params);
    layer.no_input_gradient = layer.no_input_gradient || !inputGrad;
    rnn::detail::Deltas made = rnn::detail::backward(call, graph, layer, detail::of(weights), fwdIntermediates,
                                                     outputGrad, nullptr, prog, debugContext, options);
    if (inputGrad && !layer.no_input_gradient) *inputGrad = made.input;
    if (bwdIntermediates) *bwdIntermediates = made.deltas;
    return made.start.output;
}
inline poplar::Tensor gruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                             const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                             const GruWeights &weights, const poplar::Tensor &input,
                             const poplar::Tensor &realTimeSteps, const poplar::Tensor &output,
                             const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                             poplar::Tensor *bwdIntermediates, TW__END)
{
    GruParams own = params;
    own.rnn.varTimeSteps = realTimeSteps;
    return gruBwd(graph, own, prog, fwdOutputInit, fwdIntermediates, weights, input, output, outputGrad, inputGrad,
                  bwdIntermediates, debugContext, options);
}
inline GruWeights gruWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                        const poplar::Tensor &, const poplar::Tensor &fwdIntermediates,
                        const poplar::Tensor &bwdIntermediates, const GruWeights &, const poplar::Tensor &input,
                        const poplar::Tensor &, TW__END)
{
    const char *call = "popnn::gru::gruWU";
    return detail::of(rnn::detail::update(call, graph, detail::layerOf(call, params), input, fwdIntermediates,
                                          bwdIntermediates, prog, debugContext, options));
}
inline poplar::Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                                   const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                                   const GruWeights &weights, const poplar::Tensor &input,
                                   const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                                   poplar::Tensor *inputGrad, GruWeights &weightsGrad, TW__END)
{
    poplar::Tensor deltas;
    poplar::Tensor start = gruBwd(graph, params, prog, fwdOutputInit, fwdIntermediates, weights, input, output,
                                  outputGrad, inputGrad, &deltas, debugContext, options);
    weightsGrad = gruWU(graph, params, prog, fwdOutputInit, fwdIntermediates, deltas, weights, input, output,
                        debugContext, options);
    return start;
}
inline poplar::Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                                   const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                                   const GruWeights &weights, const poplar::Tensor &input,
                                   const poplar::Tensor &realTimeSteps, const poplar::Tensor &output,
                                   const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                                   GruWeights &weightsGrad, TW__END)
{
    GruParams own = params;
    own.rnn.varTimeSteps = realTimeSteps;
    return gruBwdWithWU(graph, own, prog, fwdOutputInit, fwdIntermediates, weights, input, output, outputGrad,
                        inputGrad, weightsGrad, debugContext, options);
}

/* --- with attention: one score for each step of a sample ------------------------------------------------------ */

/* [batch][steps], as all scores and their gradients. */
inline poplar::Tensor createAttention(poplar::Graph &graph, const GruParams &params,
                                      const poplar::DebugContext &debugContext, const poplar::OptionFlags & = {})
{
    poplar::Tensor t =
        graph.addVariable(params.rnn.dataType, { params.rnn.maxTimeSteps, params.rnn.batchSize }, debugContext);
    poputil::mapTensorLinearly(graph, t);
    return t.transpose();
}

namespace detail {
/* The layer of C with scores, which it wants as [steps][batch]; the view lives as long as the call. */
struct Attended {
    poplar::Tensor scores;
    tw_recurrent layer;
    Attended(const char *call, const GruParams &params, const poplar::Tensor &attScores)
        : layer(layerOf(call, params))
    {
        if (!attScores.valid() || attScores.rank() != 2)
            throw poputil::poplibs_error(std::string(call) + ": scores of attention are [batch][steps]");
        scores = attScores.transpose();
        layer.attention = poplar::handles::of(scores);
    }
};
inline GruParams timed(const GruParams &params, const poplar::Tensor &realTimeSteps)
{
    GruParams own = params;
    own.rnn.varTimeSteps = realTimeSteps;
    return own;
}
} // namespace detail

inline poplar::Tensor auGruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                               const poplar::Tensor &in, const GruWeights &weights, poplar::Tensor *intermediates,
                               const poplar::Tensor &attScores, poplar::program::Sequence &prog, TW__END)
{
    const char *call = "popnn::gru::auGruFwd";
    const detail::Attended a(call, params, attScores);
    rnn::detail::Run run =
        rnn::detail::forward(call, graph, a.layer, { stateInit, poplar::Tensor() }, detail::of(weights), in,
                             intermediates != nullptr, prog, debugContext, options);
    if (intermediates) *intermediates = run.saved;
    return run.output;
}
inline poplar::Tensor auGruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                               const poplar::Tensor &in, const poplar::Tensor &realTimeSteps,
                               const GruWeights &weights, poplar::Tensor *intermediates,
                               const poplar::Tensor &attScores, poplar::program::Sequence &prog, TW__END)
{
    return auGruFwd(graph, detail::timed(params, realTimeSteps), stateInit, in, weights, intermediates, attScores,
                    prog, debugContext, options);
}

/* As gruBwd; the gradient of the scores goes to *attentionsGrad. */
inline poplar::Tensor auGruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                               const poplar::Tensor &, const poplar::Tensor &fwdIntermediates,
                               const GruWeights &weights, const poplar::Tensor &, const poplar::Tensor &,
                               const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                               poplar::Tensor *bwdIntermediates, const poplar::Tensor &attentions,
                               poplar::Tensor *attentionsGrad, TW__END)
{
    const char *call = "popnn::gru::auGruBwd";
    detail::Attended a(call, params, attentions);
    a.layer.no_input_gradient = a.layer.no_input_gradient || !inputGrad;
    rnn::detail::Deltas made = rnn::detail::backward(call, graph, a.layer, detail::of(weights), fwdIntermediates,
                                                     outputGrad, nullptr, prog, debugContext, options);
    if (inputGrad && !a.layer.no_input_gradient) *inputGrad = made.input;
    if (bwdIntermediates) *bwdIntermediates = made.deltas;
    if (attentionsGrad) *attentionsGrad = made.attention.transpose();
    return made.start.output;
}
inline poplar::Tensor auGruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                               const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                               const GruWeights &weights, const poplar::Tensor &input,
                               const poplar::Tensor &realTimeSteps, const poplar::Tensor &output,
                               const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                               poplar::Tensor *bwdIntermediates, const poplar::Tensor &attentions,
                               poplar::Tensor *attentionsGrad, TW__END)
{
    return auGruBwd(graph, detail::timed(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates, weights,
                    input, output, outputGrad, inputGrad, bwdIntermediates, attentions, attentionsGrad,
                    debugContext, options);
}
/* Without scores: intermediates have what of them is needed. */
inline GruWeights auGruWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                          const poplar::Tensor &, const poplar::Tensor &fwdIntermediates,
                          const poplar::Tensor &bwdIntermediates, const GruWeights &, const poplar::Tensor &input,
                          const poplar::Tensor &, TW__END)
{
    const char *call = "popnn::gru::auGruWU";
    return detail::of(rnn::detail::update(call, graph, detail::layerOf(call, params), input, fwdIntermediates,
                                          bwdIntermediates, prog, debugContext, options));
}
inline poplar::Tensor auGruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                                     const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                                     const GruWeights &weights, const poplar::Tensor &input,
                                     const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                                     poplar::Tensor *inputGrad, GruWeights &weightsGrad,
                                     const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad, TW__END)
{
    poplar::Tensor deltas;
    poplar::Tensor start =
        auGruBwd(graph, params, prog, fwdOutputInit, fwdIntermediates, weights, input, output, outputGrad,
                 inputGrad, &deltas, attentions, attentionsGrad, debugContext, options);
    weightsGrad = auGruWU(graph, params, prog, fwdOutputInit, fwdIntermediates, deltas, weights, input, output,
                          debugContext, options);
    return start;
}
inline poplar::Tensor auGruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                                     const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                                     const GruWeights &weights, const poplar::Tensor &input,
                                     const poplar::Tensor &realTimeSteps, const poplar::Tensor &output,
                                     const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                                     GruWeights &weightsGrad, const poplar::Tensor &attentions,
                                     poplar::Tensor *attentionsGrad, TW__END)
{
    return auGruBwdWithWU(graph, detail::timed(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates,
                          weights, input, output, outputGrad, inputGrad, weightsGrad, attentions, attentionsGrad,
                          debugContext, options);
}
#undef TW__END

/* --- work ----------------------------------------------------------------------------------------------------- */

inline std::uint64_t getBasicGruCellFwdFlops(const GruParams &params)
{
    tw_recurrent layer = detail::layerOf("popnn::gru::getBasicGruCellFwdFlops", params);
    return tw_popnn_recurrent_flops(&layer, TW_RECURRENT_FORWARD);
}
inline std::uint64_t getBasicGruCellBwdFlops(const GruParams &params)
{
    tw_recurrent layer = detail::layerOf("popnn::gru::getBasicGruCellBwdFlops", params);
    return tw_popnn_recurrent_flops(&layer, TW_RECURRENT_BACKWARD);
}
inline std::uint64_t getBasicGruCellWuFlops(const GruParams &params)
{
    tw_recurrent layer = detail::layerOf("popnn::gru::getBasicGruCellWuFlops", params);
    return tw_popnn_recurrent_flops(&layer, TW_RECURRENT_UPDATE);
}

} // namespace gru
} // namespace popnn
#endif
