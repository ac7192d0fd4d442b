// SPDX-License-Identifier: MIT
/* Normalisation of groups of channels of each sample. */
#ifndef POPNN_GROUP_NORM_HPP
#define POPNN_GROUP_NORM_HPP

#include <poplin/Norms.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ScaledAdd.hpp>

namespace popnn {
namespace gn {

/* Statistics have one value for each group of each sample. */
inline std::size_t groupsOf(const poplar::Tensor &acts, const poplar::Tensor &statistics)
{
    return acts.rank() && acts.dim(0) ? statistics.numElements() / acts.dim(0) : 0;
}
inline std::pair<poplar::Tensor, poplar::Tensor>
groupNormStatistics(poplar::Graph &graph, const poplar::Tensor acts, float eps, poplar::program::Sequence &prog,
                    unsigned numGroups, bool unbiasedVarEstimate, bool stableAlgo = false,
                    const poplar::Type & = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {})
{
    return poplar::handles::stepPair(
        graph, prog, debugContext, options, "popnn::gn::groupNormStatistics", [&](const poplar::handles::Call &c) {
            const tw_pair made =
                tw_popnn_group_statistics(c.graph, poplar::handles::of(acts), numGroups, static_cast<double>(eps),
                                          unbiasedVarEstimate, stableAlgo, c.sequence, c.path, c.options);
            return std::make_pair(made.first, made.second);
        });
}
inline poplar::Tensor groupNormWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &mean,
                                      const poplar::Tensor &iStdDev, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, options, "popnn::gn::groupNormWhiten", [&](const poplar::handles::Call &c) {
            return tw_popnn_group_whiten(c.graph, poplar::handles::of(acts), groupsOf(acts, mean),
                                         poplar::handles::of(mean), poplar::handles::of(iStdDev), c.sequence,
                                         c.path, c.options);
        });
}
inline poplar::Tensor groupNormGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                                         const poplar::Tensor &gradsIn, const poplar::Tensor &iStdDev,
                                         const poplar::Tensor &gamma, poplar::program::Sequence &prog,
                                         const poplar::Type & = poplar::FLOAT,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {})
{
    const char *call = "popnn::gn::groupNormGradients";
    poplin::detail::wantNorm(call, graph, actsWhitened, gradsIn, { gamma });
    poplar::handles::call(graph, call, [&](tw_graph *g) {
        tw_popnn_group_norm_fits(g, poplar::handles::of(actsWhitened), groupsOf(actsWhitened, iStdDev),
                                 poplar::handles::of(iStdDev), poplar::handles::OptionList(options).data());
    });
    poplar::Tensor grads = poplin::normGradients(graph, gradsIn, gamma, prog, debugContext);
    return poplar::handles::step(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        return tw_popnn_group_statistics_gradients(c.graph, poplar::handles::of(actsWhitened),
                                                   poplar::handles::of(grads), groupsOf(actsWhitened, iStdDev),
                                                   poplar::handles::of(iStdDev), c.sequence, c.path, c.options);
    });
}
/* Normalised, and whitened. */
inline std::pair<poplar::Tensor, poplar::Tensor>
groupNormalise(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gamma,
               const poplar::Tensor &beta, const poplar::Tensor &mean, const poplar::Tensor &iStdDev,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {})
{
    poplin::detail::wantNorm("popnn::gn::groupNormalise", graph, acts, poplar::Tensor(), { gamma, beta });
    poplar::Tensor whitened = groupNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
    return { poplin::normalise(graph, whitened, gamma, beta, prog, debugContext), whitened };
}
inline std::pair<poplar::Tensor, poplar::Tensor>
groupNormParamGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened, const poplar::Tensor &gradsIn,
                        poplar::program::Sequence &prog, const poplar::Type & = poplar::FLOAT,
                        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags & = {})
{
    return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog, poplar::FLOAT, debugContext);
}
inline std::pair<poplar::Tensor, poplar::Tensor>
groupNormParamGradients(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
                        const poplar::Tensor &mean, const poplar::Tensor &iStdDev, poplar::program::Sequence &prog,
                        const poplar::Type &type = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {})
{
    poplin::detail::wantNorm("popnn::gn::groupNormParamGradients", graph, acts, gradsIn, {});
    poplar::Tensor whitened = groupNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
    return groupNormParamGradients(graph, whitened, gradsIn, prog, type, debugContext, options);
}
inline poplar::Tensor groupNormGradients(poplar::Graph &graph, const poplar::Tensor &acts,
                                         const poplar::Tensor &gradsIn, const poplar::Tensor &mean,
                                         const poplar::Tensor &iStdDev, const poplar::Tensor &gamma,
                                         poplar::program::Sequence &prog, const poplar::Type &type = poplar::FLOAT,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {})
{
    poplin::detail::wantNorm("popnn::gn::groupNormGradients", graph, acts, gradsIn, { gamma });
    poplar::Tensor whitened = groupNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
    return groupNormGradients(graph, whitened, gradsIn, iStdDev, gamma, prog, type, debugContext, options);
}
/* gamma += scale * gammaDelta, and beta alike. */
template <class Scale>
void groupNormParamUpdate(poplar::Graph &graph, const poplar::Tensor &gammaDelta, const poplar::Tensor &betaDelta,
                          const Scale &scale, poplar::Tensor &gamma, poplar::Tensor &beta,
                          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags & = {})
{
    poplin::detail::normParamUpdate("popnn::gn::groupNormParamUpdate", graph, gammaDelta, betaDelta, scale, gamma,
                                    beta, prog, debugContext);
}

} // namespace gn
} // namespace popnn
#endif
