// SPDX-License-Identifier: MIT
/* Normalisation of channels over the batch. */
#ifndef POPNN_BATCH_NORM_HPP
#define POPNN_BATCH_NORM_HPP

#include <poplin/Norms.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ScaledAdd.hpp>

namespace popnn {
namespace bn {

inline std::pair<poplar::Tensor, poplar::Tensor>
batchNormStatistics(poplar::Graph &graph, const poplar::Tensor acts, float eps, poplar::program::Sequence &prog,
                    bool unbiasedVarEstimate, bool stableAlgo = false,
                    const poplar::Type &partialsType = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags & = {})
{
    return poplin::normStatistics(graph, acts, eps, prog, unbiasedVarEstimate, stableAlgo, partialsType,
                                  debugContext);
}
inline poplar::Tensor batchNormWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &mean,
                                      const poplar::Tensor &iStdDev, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags & = {})
{
    return poplin::normWhiten(graph, acts, mean, iStdDev, prog, debugContext);
}
/* combinedMultiplicand * acts + addend */
inline poplar::Tensor batchNormalise(poplar::Graph &graph, const poplar::Tensor &acts,
                                     const poplar::Tensor &combinedMultiplicand, const poplar::Tensor &addend,
                                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags & = {})
{
    return poplin::normalise(graph, acts, combinedMultiplicand, addend, prog, debugContext);
}
inline poplar::Tensor batchNormGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                                         const poplar::Tensor &gradsIn, const poplar::Tensor &iStdDev,
                                         const poplar::Tensor &gamma, poplar::program::Sequence &prog,
                                         const poplar::Type &type = poplar::FLOAT,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags & = {})
{
    poplin::detail::wantNorm("popnn::bn::batchNormGradients", graph, actsWhitened, gradsIn, { iStdDev, gamma });
    poplar::Tensor grads = poplin::normGradients(graph, gradsIn, gamma, prog, debugContext);
    return poplin::normStatisticsGradients(graph, actsWhitened, grads, iStdDev, prog, type, debugContext);
}
/* Normalised, and whitened. */
inline std::pair<poplar::Tensor, poplar::Tensor>
batchNormalise(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gamma,
               const poplar::Tensor &beta, const poplar::Tensor &mean, const poplar::Tensor &iStdDev,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {})
{
    poplin::detail::wantNorm("popnn::bn::batchNormalise", graph, acts, poplar::Tensor(),
                             { mean, iStdDev, gamma, beta });
    poplar::Tensor whitened = batchNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
    return { poplin::normalise(graph, whitened, gamma, beta, prog, debugContext), whitened };
}
inline std::pair<poplar::Tensor, poplar::Tensor>
batchNormParamGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened, const poplar::Tensor &gradsIn,
                        poplar::program::Sequence &prog, const poplar::Type & = poplar::FLOAT,
                        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags & = {})
{
    return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog, poplar::FLOAT, debugContext);
}
inline std::pair<poplar::Tensor, poplar::Tensor>
batchNormParamGradients(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
                        const poplar::Tensor &mean, const poplar::Tensor &iStdDev, poplar::program::Sequence &prog,
                        const poplar::Type &type = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {})
{
    poplin::detail::wantNorm("popnn::bn::batchNormParamGradients", graph, acts, gradsIn, { mean, iStdDev });
    poplar::Tensor whitened = batchNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
    return batchNormParamGradients(graph, whitened, gradsIn, prog, type, debugContext, options);
}
inline poplar::Tensor batchNormGradients(poplar::Graph &graph, const poplar::Tensor &acts,
                                         const poplar::Tensor &gradsIn, const poplar::Tensor &mean,
                                         const poplar::Tensor &iStdDev, const poplar::Tensor &gamma,
                                         poplar::program::Sequence &prog, const poplar::Type &type = poplar::FLOAT,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {})
{
    poplin::detail::wantNorm("popnn::bn::batchNormGradients", graph, acts, gradsIn, { mean, iStdDev, gamma });
    poplar::Tensor whitened = batchNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
    return batchNormGradients(graph, whitened, gradsIn, iStdDev, gamma, prog, type, debugContext, options);
}
/* The same over `normBatchSize` elements of the batch, which several replicas have: the callback sums over them. */
inline std::pair<poplar::Tensor, poplar::Tensor>
distributedBatchNormStatistics(poplar::Graph &replicatedGraph, const poplar::Tensor acts, float eps,
                               poplar::program::Sequence &prog, bool unbiasedVarEstimate,
                               poplin::DistributedNormReduceCallback reduceCallback, unsigned normBatchSize,
                               bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
                               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags & = {})
{
    return poplin::distributedNormStatistics(replicatedGraph, acts, eps, prog, unbiasedVarEstimate, reduceCallback,
                                             normBatchSize, stableAlgo, partialsType, debugContext);
}
inline poplar::Tensor
distributedBatchNormGradients(poplar::Graph &replicatedGraph, const poplar::Tensor &actsWhitened,
                              const poplar::Tensor &gradsIn, const poplar::Tensor &invStdDev,
                              const poplar::Tensor &gamma, poplar::program::Sequence &prog,
                              poplin::DistributedNormReduceCallback reduceCallback, unsigned normBatchSize,
                              const poplar::Type &partialsType = poplar::FLOAT,
                              const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags & = {})
{
    const char *call = "popnn::bn::distributedBatchNormGradients";
    poplin::detail::DistributedNorm(call, replicatedGraph, prog, reduceCallback, debugContext, actsWhitened,
                                    normBatchSize);
    poplin::detail::wantNorm(call, replicatedGraph, actsWhitened, gradsIn, { invStdDev, gamma });
    poplar::Tensor grads = poplin::normGradients(replicatedGraph, gradsIn, gamma, prog, debugContext);
    return poplin::distributedNormStatisticsGradients(replicatedGraph, actsWhitened, grads, invStdDev, prog,
                                                      reduceCallback, normBatchSize, partialsType, debugContext);
}
inline poplar::Tensor distributedBatchNormGradients(
    poplar::Graph &replicatedGraph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
    const poplar::Tensor &mean, const poplar::Tensor &invStdDev, const poplar::Tensor &gamma,
    poplar::program::Sequence &prog, poplin::DistributedNormReduceCallback reduceCallback, unsigned normBatchSize,
    const poplar::Type &partialsType = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {})
{
    const char *call = "popnn::bn::distributedBatchNormGradients";
    poplin::detail::DistributedNorm(call, replicatedGraph, prog, reduceCallback, debugContext, acts, normBatchSize);
    poplin::detail::wantNorm(call, replicatedGraph, acts, gradsIn, { mean, invStdDev, gamma });
    poplar::Tensor whitened = batchNormWhiten(replicatedGraph, acts, mean, invStdDev, prog, debugContext, options);
    return distributedBatchNormGradients(replicatedGraph, whitened, gradsIn, invStdDev, gamma, prog, reduceCallback,
                                         normBatchSize, partialsType, debugContext, options);
}
/* gamma += scale * gammaDelta, and beta alike. */
template <class Scale>
void batchNormParamUpdate(poplar::Graph &graph, const poplar::Tensor &gammaDelta, const poplar::Tensor &betaDelta,
                          const Scale &scale, poplar::Tensor &gamma, poplar::Tensor &beta,
                          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags & = {})
{
    poplin::detail::normParamUpdate("popnn::bn::batchNormParamUpdate", graph, gammaDelta, betaDelta, scale, gamma,
                                    beta, prog, debugContext);
}

} // namespace bn
} // namespace popnn
#endif
