// SPDX-License-Identifier: MIT
/* What recurrent layers have in common: the way from their classes to tw_popnn_recurrent_...(). Sizes, and loops
 * whose cell is a function: <tilewright/poplibs/rnn_loop.hpp>. */
#ifndef POPNN_RNN_HPP
#define POPNN_RNN_HPP

#include <cstdint>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/recurrent.h>
#include <tilewright/poplibs/rnn_loop.hpp>
#include <vector>

namespace popnn {
namespace rnn {

namespace detail {

inline tw_recurrent layerOf(const char *call, tw_recurrent_kind kind, const RnnParams &rnn,
                            NonLinearityType activation, NonLinearityType recurrentActivation)
{
    if (rnn.layerSizes.size() != 2)
        throw poputil::poplibs_error(std::string(call) + ": layerSizes are inputs and outputs, not " +
                                     std::to_string(rnn.layerSizes.size()) + " numbers");
    tw_recurrent layer = tw_popnn_recurrent(kind, poplar::handles::of(rnn.dataType), rnn.batchSize,
                                            rnn.maxTimeSteps, rnn.layerSizes[0], rnn.layerSizes[1]);
    layer.activation = static_cast<tw_non_linearity>(activation);
    layer.recurrent_activation = static_cast<tw_non_linearity>(recurrentActivation);
    if (rnn.variableTimeSteps()) layer.real_steps = poplar::handles::of(rnn.varTimeSteps);
    return layer;
}
/* The order of gates: order[i] has its weights at i. */
template <class Unit>
void setOrder(const char *call, tw_recurrent &layer, const std::vector<Unit> &order, std::size_t n)
{
    if (order.size() != n)
        throw poputil::poplibs_error(std::string(call) + ": cellOrder has " + std::to_string(order.size()) +
                                     " gates, not " + std::to_string(n));
    for (std::size_t i = 0; i < n; i++) layer.order[i] = static_cast<unsigned>(order[i]);
}

/* A handle that a call has made becomes a tensor; nil one without elements. */
inline poplar::Tensor owned(poplar::Graph &graph, tw_tensor handle)
{
    if (!handle.id) return poplar::Tensor();
    return poplar::handles::make(graph, "popnn", [&](tw_graph *) { return handle; });
}
inline tw_tensor borrowed(const poplar::Tensor &t)
{
    return t.valid() ? poplar::handles::of(t) : tw_tensor{ 0, 0 };
}

struct Weights {
    poplar::Tensor input, output, biases;
};
inline Weights owned(poplar::Graph &graph, const tw_recurrent_weights &w)
{
    return { owned(graph, w.input), owned(graph, w.output), owned(graph, w.biases) };
}
struct State {
    poplar::Tensor output, cell;
};
inline State owned(poplar::Graph &graph, const tw_recurrent_state &s)
{
    return { owned(graph, s.output), owned(graph, s.cell) };
}

inline poplar::Tensor createInput(const char *call, poplar::Graph &graph, const tw_recurrent &layer,
                                  const poplar::DebugContext &debugContext, const poplar::OptionFlags &options)
{
    const poplar::handles::OptionList list(options);
    return poplar::handles::make(graph, call, [&](tw_graph *g) {
        return tw_popnn_recurrent_input(g, &layer, debugContext.getPathName().c_str(), list.data());
    });
}
inline State createState(const char *call, poplar::Graph &graph, const tw_recurrent &layer,
                         const poplar::DebugContext &debugContext, const poplar::OptionFlags &options)
{
    const poplar::handles::OptionList list(options);
    tw_recurrent_state made = {};
    poplar::handles::call(graph, call, [&](tw_graph *g) {
        made = tw_popnn_recurrent_state(g, &layer, debugContext.getPathName().c_str(), list.data());
    });
    return owned(graph, made);
}
inline Weights createWeights(const char *call, poplar::Graph &graph, const tw_recurrent &layer,
                             const poplar::DebugContext &debugContext, const poplar::OptionFlags &options)
{
    const poplar::handles::OptionList list(options);
    tw_recurrent_weights made = {};
    poplar::handles::call(graph, call, [&](tw_graph *g) {
        made = tw_popnn_recurrent_weights(g, &layer, debugContext.getPathName().c_str(), list.data());
    });
    return owned(graph, made);
}

struct Run {
    poplar::Tensor output;
    State last;
    poplar::Tensor saved;
};
inline Run forward(const char *call, poplar::Graph &graph, const tw_recurrent &layer, const State &start,
                   const Weights &weights, const poplar::Tensor &in, bool training, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext, const poplar::OptionFlags &options)
{
    tw_recurrent_run run = {};
    poplar::handles::stepInPlace(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        run = tw_popnn_recurrent_forward(
            c.graph, &layer, { borrowed(start.output), borrowed(start.cell) },
            { borrowed(weights.input), borrowed(weights.output), borrowed(weights.biases) }, borrowed(in), training,
            c.sequence, c.path, c.options);
    });
    return { owned(graph, run.output), owned(graph, run.last), owned(graph, run.saved) };
}

struct Deltas {
    State start;
    poplar::Tensor input, deltas, attention;
};
inline Deltas backward(const char *call, poplar::Graph &graph, const tw_recurrent &layer, const Weights &weights,
                       const poplar::Tensor &saved, const poplar::Tensor &gradient,
                       const poplar::Tensor *cellGradient, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext, const poplar::OptionFlags &options)
{
    tw_recurrent_deltas made = {};
    poplar::handles::stepInPlace(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        made = tw_popnn_recurrent_backward(
            c.graph, &layer, { borrowed(weights.input), borrowed(weights.output), borrowed(weights.biases) },
            borrowed(saved), borrowed(gradient), cellGradient ? borrowed(*cellGradient) : tw_tensor{ 0, 0 },
            c.sequence, c.path, c.options);
    });
    return { owned(graph, made.start), owned(graph, made.input), owned(graph, made.deltas),
             owned(graph, made.attention) };
}
inline Weights update(const char *call, poplar::Graph &graph, const tw_recurrent &layer, const poplar::Tensor &in,
                      const poplar::Tensor &saved, const poplar::Tensor &deltas, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext, const poplar::OptionFlags &options)
{
    tw_recurrent_weights made = {};
    poplar::handles::stepInPlace(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        made = tw_popnn_recurrent_update(c.graph, &layer, borrowed(in), borrowed(saved), borrowed(deltas),
                                         c.sequence, c.path, c.options);
    });
    return owned(graph, made);
}

} // namespace detail
} // namespace rnn
} // namespace popnn
#endif
