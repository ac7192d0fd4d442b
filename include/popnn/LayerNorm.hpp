// SPDX-License-Identifier: MIT
/* Normalisation of each sample. */
#ifndef POPNN_LAYER_NORM_HPP
#define POPNN_LAYER_NORM_HPP

#include <popnn/GroupNorm.hpp>

namespace popnn {
namespace ln {

inline std::pair<poplar::Tensor, poplar::Tensor>
layerNormStatistics(poplar::Graph &graph, const poplar::Tensor acts, float eps, poplar::program::Sequence &prog,
                    bool unbiasedVarEstimate, bool stableAlgo = false,
                    const poplar::Type &partialsType = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {})
{
    return gn::groupNormStatistics(graph, acts, eps, prog, 1, unbiasedVarEstimate, stableAlgo, partialsType,
                                   debugContext, options);
}
inline poplar::Tensor layerNormWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &mean,
                                      const poplar::Tensor &iStdDev, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {})
{
    return gn::groupNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
}
inline poplar::Tensor layerNormGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                                         const poplar::Tensor &gradsIn, const poplar::Tensor &iStdDev,
                                         const poplar::Tensor &gamma, poplar::program::Sequence &prog,
                                         const poplar::Type &type = poplar::FLOAT,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {})
{
    return gn::groupNormGradients(graph, actsWhitened, gradsIn, iStdDev, gamma, prog, type, debugContext, options);
}
/* Normalised, and whitened. */
inline std::pair<poplar::Tensor, poplar::Tensor>
layerNormalise(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gamma,
               const poplar::Tensor &beta, const poplar::Tensor &mean, const poplar::Tensor &iStdDev,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {})
{
    return gn::groupNormalise(graph, acts, gamma, beta, mean, iStdDev, prog, debugContext, options);
}
inline std::pair<poplar::Tensor, poplar::Tensor>
layerNormParamGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened, const poplar::Tensor &gradsIn,
                        poplar::program::Sequence &prog, const poplar::Type & = poplar::FLOAT,
                        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags & = {})
{
    return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog, poplar::FLOAT, debugContext);
}
inline std::pair<poplar::Tensor, poplar::Tensor>
layerNormParamGradients(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
                        const poplar::Tensor &mean, const poplar::Tensor &iStdDev, poplar::program::Sequence &prog,
                        const poplar::Type &type = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {})
{
    return gn::groupNormParamGradients(graph, acts, gradsIn, mean, iStdDev, prog, type, debugContext, options);
}
inline poplar::Tensor layerNormGradients(poplar::Graph &graph, const poplar::Tensor &acts,
                                         const poplar::Tensor &gradsIn, const poplar::Tensor &mean,
                                         const poplar::Tensor &iStdDev, const poplar::Tensor &gamma,
                                         poplar::program::Sequence &prog, const poplar::Type &type = poplar::FLOAT,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {})
{
    return gn::groupNormGradients(graph, acts, gradsIn, mean, iStdDev, gamma, prog, type, debugContext, options);
}
/* gamma += scale * gammaDelta, and beta alike. */
template <class Scale>
void layerNormParamUpdate(poplar::Graph &graph, const poplar::Tensor &gammaDelta, const poplar::Tensor &betaDelta,
                          const Scale &scale, poplar::Tensor &gamma, poplar::Tensor &beta,
                          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags & = {})
{
    poplin::detail::normParamUpdate("popnn::ln::layerNormParamUpdate", graph, gammaDelta, betaDelta, scale, gamma,
                                    beta, prog, debugContext);
}

} // namespace ln
} // namespace popnn
#endif
