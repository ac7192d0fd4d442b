// SPDX-License-Identifier: MIT
/* Normalisations of channels, dimension 1. */
#ifndef POPLIN_NORMS_HPP
#define POPLIN_NORMS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/TileMapping.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/norms.h>
#include <utility>

namespace poplin {

inline poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Type &type,
                                      const poplar::DebugContext &debugContext = {})
{
    return poputil::createBroadcastOperand(graph, acts, type, 1, false, debugContext);
}
inline poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts,
                                      const poplar::DebugContext &debugContext = {})
{
    return createNormGamma(graph, acts, acts.elementType(), debugContext);
}
inline poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Type &type,
                                     const poplar::DebugContext &debugContext = {})
{
    return poputil::createBroadcastOperand(graph, acts, type, 1, false, debugContext);
}
inline poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts,
                                     const poplar::DebugContext &debugContext = {})
{
    return createNormBeta(graph, acts, acts.elementType(), debugContext);
}
inline std::pair<poplar::Tensor, poplar::Tensor> createNormParams(poplar::Graph &graph, const poplar::Tensor &acts,
                                                                  const poplar::DebugContext &debugContext = {})
{
    return { createNormGamma(graph, acts, debugContext), createNormBeta(graph, acts, debugContext) };
}
inline std::pair<poplar::Tensor, poplar::Tensor> normStatistics(poplar::Graph &graph, const poplar::Tensor &acts,
                                                                float eps, poplar::program::Sequence &prog,
                                                                bool unbiasedVarEstimate, bool stableAlgo = false,
                                                                const poplar::Type & = poplar::FLOAT,
                                                                const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::stepPair(
        graph, prog, debugContext, {}, "poplin::normStatistics", [&](const poplar::handles::Call &c) {
            const tw_pair made =
                tw_poplin_norm_statistics(c.graph, poplar::handles::of(acts), static_cast<double>(eps),
                                          unbiasedVarEstimate, stableAlgo, c.sequence, c.path);
            return std::make_pair(made.first, made.second);
        });
}
inline std::pair<poplar::Tensor, poplar::Tensor>
normParamGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened, const poplar::Tensor &gradsIn,
                   poplar::program::Sequence &prog, const poplar::Type & = poplar::FLOAT,
                   const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::stepPair(
        graph, prog, debugContext, {}, "poplin::normParamGradients", [&](const poplar::handles::Call &c) {
            const tw_pair made = tw_poplin_norm_param_gradients(c.graph, poplar::handles::of(actsWhitened),
                                                                poplar::handles::of(gradsIn), c.sequence, c.path);
            return std::make_pair(made.first, made.second);
        });
}
inline poplar::Tensor normWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &mean,
                                 const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "poplin::normWhiten", [&](const poplar::handles::Call &c) {
            return tw_poplin_norm_whiten(c.graph, poplar::handles::of(acts), poplar::handles::of(mean),
                                         poplar::handles::of(invStdDev), c.sequence, c.path);
        });
}
inline poplar::Tensor normalise(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                                const poplar::Tensor &gamma, const poplar::Tensor &beta,
                                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "poplin::normalise", [&](const poplar::handles::Call &c) {
            return tw_poplin_normalise(c.graph, poplar::handles::of(actsWhitened), poplar::handles::of(gamma),
                                       poplar::handles::of(beta), c.sequence, c.path);
        });
}
inline poplar::Tensor normGradients(poplar::Graph &graph, const poplar::Tensor &gradsIn,
                                    const poplar::Tensor &gamma, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "poplin::normGradients", [&](const poplar::handles::Call &c) {
            return tw_poplin_norm_gradients(c.graph, poplar::handles::of(gradsIn), poplar::handles::of(gamma),
                                            c.sequence, c.path);
        });
}
inline poplar::Tensor normStatisticsGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                                              const poplar::Tensor &gradsIn, const poplar::Tensor &invStdDev,
                                              poplar::program::Sequence &prog, const poplar::Type & = poplar::FLOAT,
                                              const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "poplin::normStatisticsGradients", [&](const poplar::handles::Call &c) {
            return tw_poplin_norm_statistics_gradients(c.graph, poplar::handles::of(actsWhitened),
                                                       poplar::handles::of(gradsIn), poplar::handles::of(invStdDev),
                                                       c.sequence, c.path);
        });
}

} // namespace poplin
#endif
