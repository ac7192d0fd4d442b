// SPDX-License-Identifier: MIT
/* Activations and their gradients. */
#ifndef POPNN_NON_LINEARITY_HPP
#define POPNN_NON_LINEARITY_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popnn.h>

namespace popnn {

inline poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType type, poplar::Tensor t,
                                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(graph, prog, debugContext, {}, "popnn::nonLinearity",
                                 [&](const poplar::handles::Call &c) {
                                     return tw_popnn_non_linearity(c.graph, static_cast<tw_non_linearity>(type),
                                                                   poplar::handles::of(t), c.sequence, c.path);
                                 });
}
inline poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType type, poplar::Tensor t,
                                   float &nonLinearityScaling, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {})
{
    nonLinearityScaling = static_cast<float>(tw_popnn_scaling(static_cast<tw_non_linearity>(type)));
    return nonLinearity(graph, type, t, prog, debugContext);
}
inline void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType type, poplar::Tensor t,
                                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(graph, prog, debugContext, {}, "popnn::nonLinearityInPlace",
                                 [&](const poplar::handles::Call &c) {
                                     tw_popnn_non_linearity_in_place(c.graph, static_cast<tw_non_linearity>(type),
                                                                     poplar::handles::of(t), c.sequence, c.path);
                                 });
}
inline void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType type, poplar::Tensor t,
                                float &nonLinearityScaling, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {})
{
    nonLinearityScaling = static_cast<float>(tw_popnn_scaling(static_cast<tw_non_linearity>(type)));
    nonLinearityInPlace(graph, type, t, prog, debugContext);
}
inline poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType type, poplar::Tensor act,
                                                poplar::Tensor outGradient, poplar::program::Sequence &prog,
                                                const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "popnn::nonLinearityInputGradient", [&](const poplar::handles::Call &c) {
            return tw_popnn_non_linearity_gradient(c.graph, static_cast<tw_non_linearity>(type),
                                                   poplar::handles::of(act), poplar::handles::of(outGradient),
                                                   c.sequence, c.path);
        });
}

/* Vertices of a compute set that the caller executes: not of a softmax, which takes more than one. */
inline void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType type, poplar::Tensor t,
                                poplar::ComputeSet &cs, const poplar::DebugContext & = {})
{
    poplar::handles::call(graph, "popnn::nonLinearityInPlace", [&](tw_graph *g) {
        tw_popnn_non_linearity_in_place_set(g, static_cast<tw_non_linearity>(type), poplar::handles::of(t),
                                            tw_compute_set{ cs.getId() });
    });
}
inline void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType type, poplar::Tensor t,
                                float &nonLinearityScaling, poplar::ComputeSet &cs,
                                const poplar::DebugContext &debugContext = {})
{
    nonLinearityScaling = static_cast<float>(tw_popnn_scaling(static_cast<tw_non_linearity>(type)));
    nonLinearityInPlace(graph, type, t, cs, debugContext);
}
inline poplar::Tensor nonLinearityInputGradient(poplar::Graph &graph, NonLinearityType type, poplar::Tensor act,
                                                poplar::Tensor outGradient, poplar::ComputeSet &cs,
                                                const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::make(graph, "popnn::nonLinearityInputGradient", [&](tw_graph *g) {
        return tw_popnn_non_linearity_gradient_set(g, static_cast<tw_non_linearity>(type), poplar::handles::of(act),
                                                   poplar::handles::of(outGradient), tw_compute_set{ cs.getId() },
                                                   debugContext.getPathName().c_str());
    });
}

#define TW__ACTIVATION(name, TYPE)                                                                             \
    inline poplar::Tensor name(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,        \
                               const poplar::DebugContext &debugContext = {})                                  \
    {                                                                                                          \
        return nonLinearity(graph, NonLinearityType::TYPE, t, prog, debugContext);                             \
    }                                                                                                          \
    inline void name##InPlace(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,         \
                              const poplar::DebugContext &debugContext = {})                                   \
    {                                                                                                          \
        nonLinearityInPlace(graph, NonLinearityType::TYPE, t, prog, debugContext);                             \
    }                                                                                                          \
    inline poplar::Tensor name(poplar::Graph &graph, poplar::Tensor t, float &scaling,                         \
                               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {}) \
    {                                                                                                          \
        return nonLinearity(graph, NonLinearityType::TYPE, t, scaling, prog, debugContext);                    \
    }                                                                                                          \
    inline void name##InPlace(poplar::Graph &graph, poplar::Tensor t, float &scaling,                          \
                              poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})  \
    {                                                                                                          \
        nonLinearityInPlace(graph, NonLinearityType::TYPE, t, scaling, prog, debugContext);                    \
    }
TW__ACTIVATION(sigmoid, SIGMOID)
TW__ACTIVATION(relu, RELU)
TW__ACTIVATION(tanh, TANH)
TW__ACTIVATION(gelu, GELU)
TW__ACTIVATION(geluErf, GELU_ERF)
TW__ACTIVATION(swish, SWISH)
TW__ACTIVATION(softmax, SOFTMAX)
TW__ACTIVATION(softmaxStable, SOFTMAX_STABLE)
TW__ACTIVATION(scaledSoftmaxStable, SOFTMAX_SCALED)
#undef TW__ACTIVATION

} // namespace popnn
#endif
