// SPDX-License-Identifier: MIT
/* Normalisation of each channel of each sample. */
#ifndef POPNN_INSTANCE_NORM_HPP
#define POPNN_INSTANCE_NORM_HPP

#include <cstdint>
#include <popnn/GroupNorm.hpp>
#include <popnn/Norms.hpp>

namespace popnn {
namespace in {

inline std::pair<poplar::Tensor, poplar::Tensor>
instanceNormStatistics(poplar::Graph &graph, const poplar::Tensor acts, float eps, poplar::program::Sequence &prog,
                       bool unbiasedVarEstimate, bool stableAlgo, const poplar::Type &partialsType = poplar::FLOAT,
                       const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return gn::groupNormStatistics(graph, acts, eps, prog, acts.rank() > 1 ? static_cast<unsigned>(acts.dim(1)) : 0,
                                   unbiasedVarEstimate, stableAlgo, partialsType, debugContext, options);
}
inline poplar::Tensor instanceNormWhiten(poplar::Graph &graph, const poplar::Tensor &acts,
                                         const poplar::Tensor &mean, const poplar::Tensor &iStdDev,
                                         poplar::program::Sequence &prog,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {})
{
    return gn::groupNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
}
inline poplar::Tensor instanceNormGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
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
instanceNormalise(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gamma,
                  const poplar::Tensor &beta, const poplar::Tensor &mean, const poplar::Tensor &iStdDev,
                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {})
{
    return gn::groupNormalise(graph, acts, gamma, beta, mean, iStdDev, prog, debugContext, options);
}
inline std::pair<poplar::Tensor, poplar::Tensor>
instanceNormParamGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened, const poplar::Tensor &gradsIn,
                           poplar::program::Sequence &prog, const poplar::Type & = poplar::FLOAT,
                           const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags & = {})
{
    return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog, poplar::FLOAT, debugContext);
}
inline std::pair<poplar::Tensor, poplar::Tensor>
instanceNormParamGradients(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
                           const poplar::Tensor &mean, const poplar::Tensor &iStdDev,
                           poplar::program::Sequence &prog, const poplar::Type &type = poplar::FLOAT,
                           const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return gn::groupNormParamGradients(graph, acts, gradsIn, mean, iStdDev, prog, type, debugContext, options);
}
inline poplar::Tensor
instanceNormGradients(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
                      const poplar::Tensor &mean, const poplar::Tensor &iStdDev, const poplar::Tensor &gamma,
                      poplar::program::Sequence &prog, const poplar::Type &type = poplar::FLOAT,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return gn::groupNormGradients(graph, acts, gradsIn, mean, iStdDev, gamma, prog, type, debugContext, options);
}
/* gamma += scale * gammaDelta, and beta alike. */
template <class Scale>
void instanceNormParamUpdate(poplar::Graph &graph, const poplar::Tensor &gammaDelta,
                             const poplar::Tensor &betaDelta, const Scale &scale, poplar::Tensor &gamma,
                             poplar::Tensor &beta, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags & = {})
{
    poplin::detail::normParamUpdate("popnn::in::instanceNormParamUpdate", graph, gammaDelta, betaDelta, scale,
                                    gamma, beta, prog, debugContext);
}
/* Operations, as popnn/Norms.hpp counts them: a channel of the batch has one mean and one deviation. */
inline std::uint64_t getFwdFlops(std::uint64_t numChannels, std::uint64_t actsPerChannel, bool computeEstimates)
{
    return getNormFwdFlops(numChannels, numChannels * actsPerChannel, computeEstimates);
}
inline std::uint64_t getBwdFlops(std::uint64_t numChannels, std::uint64_t actsPerChannel)
{
    return getNormBwdFlops(numChannels, numChannels * actsPerChannel);
}
inline std::uint64_t getWuFlops(std::uint64_t numChannels, std::uint64_t actsPerChannel)
{
    return getNormWuFlops(numChannels, numChannels * actsPerChannel);
}

} // namespace in
} // namespace popnn
#endif
