// SPDX-License-Identifier: MIT
/* Normalisations of channels, dimension 1. */
#ifndef POPLIN_NORMS_HPP
#define POPLIN_NORMS_HPP

#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/norms.h>
#include <utility>
#include <vector>

namespace poplin {

namespace detail {
/* Before the first of several steps is built; `gradient` may be an invalid tensor. */
inline void wantNorm(const char *call, const poplar::Graph &graph, const poplar::Tensor &acts,
                     const poplar::Tensor &gradient, const std::vector<poplar::Tensor> &channels)
{
    const std::vector<tw_tensor> list = poplar::handles::of(channels);
    poplar::handles::call(graph, call, [&](tw_graph *g) {
        tw_poplin_norm_fits(g, poplar::handles::of(acts),
                            gradient.valid() ? poplar::handles::of(gradient) : tw_tensor{ 0, 0 },
                            static_cast<unsigned>(list.size()), list.data());
    });
}
/* gamma += scale * gammaDelta, and beta alike, by one step for both. */
template <class Scale>
void normParamUpdate(const char *call, poplar::Graph &graph, const poplar::Tensor &gammaDelta,
                     const poplar::Tensor &betaDelta, const Scale &scale, const poplar::Tensor &gamma,
                     const poplar::Tensor &beta, poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext)
{
    if (gamma.shape() != gammaDelta.shape() || beta.shape() != betaDelta.shape() ||
        gamma.elementType() != beta.elementType() || gammaDelta.elementType() != betaDelta.elementType())
        throw poputil::poplibs_error(std::string(call) + ": " + poplar::handles::describe(gammaDelta) + " and " +
                                     poplar::handles::describe(betaDelta) + " are no updates of " +
                                     poplar::handles::describe(gamma) + " and " + poplar::handles::describe(beta));
    popops::scaledAddTo(graph, concat(gamma.flatten(), beta.flatten()),
                        concat(gammaDelta.flatten(), betaDelta.flatten()), scale, prog, debugContext);
}
} // namespace detail

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

/* --- over the batches of several replicas --------------------------------------------------------------------- */

/* Sums of each of the tensors over groups of `groupSize` replicas. */
using DistributedNormReduceCallback = std::function<std::vector<poplar::Tensor>(
    poplar::Graph &replicatedGraph, const std::vector<poplar::Tensor> &inputsToReduce,
    poplar::program::Sequence &prog, unsigned groupSize, const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options)>;

namespace detail {

/* A norm whose batch is that of `groups` replicas: their parts of mean values are summed by the callback. */
struct DistributedNorm {
    poplar::Graph &graph;
    poplar::program::Sequence &prog;
    const DistributedNormReduceCallback &callback;
    const poplar::DebugContext &debugContext;
    std::vector<std::size_t> dims; /* all but the channels */
    unsigned groups;
    double elements; /* of a channel, in all replicas */

    DistributedNorm(const char *call, poplar::Graph &g, poplar::program::Sequence &p,
                    const DistributedNormReduceCallback &f, const poplar::DebugContext &dc,
                    const poplar::Tensor &acts, unsigned normSize)
        : graph(g), prog(p), callback(f), debugContext(dc), groups(1), elements(1)
    {
        const std::size_t batch = acts.rank() < 2 ? 0 : acts.dim(0);
        if (!batch || !normSize || normSize % batch || !acts.numElements())
            throw poputil::poplibs_error(std::string(call) + ": " + acts.shapeToString() +
                                         " has no part of a batch of " + std::to_string(normSize));
        groups = static_cast<unsigned>(normSize / batch);
        if (groups > 1 && !f)
            throw poputil::poplibs_error(std::string(call) + ": no callback that sums over " +
                                         std::to_string(groups) + " replicas");
        for (std::size_t d = 0; d < acts.rank(); d++)
            if (d != 1) dims.push_back(d);
        elements = static_cast<double>(acts.numElements() / acts.dim(1)) * groups;
    }
    poplar::Tensor mean(const poplar::Tensor &t, popops::Operation op)
    {
        poplar::Tensor share =
            graph.addConstant(poplar::FLOAT, {}, static_cast<float>(1 / elements), { debugContext, "share" });
        graph.setTileMapping(share, 0);
        return popops::reduce(graph, t, poplar::FLOAT, dims, { op, false, share }, prog, debugContext);
    }
    void sum(std::vector<poplar::Tensor> parts, std::vector<poplar::Tensor *> results)
    {
        if (groups > 1) parts = callback(graph, parts, prog, groups, debugContext, {});
        if (parts.size() != results.size())
            throw poputil::poplibs_error("the callback that sums over replicas gives " +
                                         std::to_string(parts.size()) + " tensors for " +
                                         std::to_string(results.size()));
        for (std::size_t i = 0; i < parts.size(); i++) *results[i] = parts[i];
    }
    /* [channels] along the channels of a tensor. */
    static poplar::Tensor column(const poplar::Tensor &channels, const poplar::Tensor &like)
    {
        std::vector<std::size_t> shape(like.rank() - 1, 1);
        shape[0] = channels.numElements();
        return channels.reshape(shape);
    }
};

} // namespace detail

/* Mean and inverse standard deviation over `normSize` elements of the batch, of which each replica has the same
 * part. */
inline std::pair<poplar::Tensor, poplar::Tensor>
distributedNormStatistics(poplar::Graph &replicatedGraph, const poplar::Tensor &acts, float eps,
                          poplar::program::Sequence &prog, bool unbiasedVarEstimate,
                          DistributedNormReduceCallback allReduceCallback, unsigned normSize,
                          bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
                          const poplar::DebugContext &debugContext = {})
{
    namespace pe = popops::expr;
    detail::DistributedNorm n("poplin::distributedNormStatistics", replicatedGraph, prog, allReduceCallback,
                              debugContext, acts, normSize);
    if (n.groups == 1)
        return normStatistics(replicatedGraph, acts, eps, prog, unbiasedVarEstimate, stableAlgo, partialsType,
                              debugContext);
    detail::wantNorm("poplin::distributedNormStatistics", replicatedGraph, acts, poplar::Tensor(), {});
    const float factor =
        static_cast<float>(unbiasedVarEstimate && n.elements > 1 ? n.elements / (n.elements - 1) : 1);
    poplar::Tensor mean = n.mean(acts, popops::Operation::ADD), power, spread;
    if (stableAlgo) {
        n.sum({ mean }, { &mean });
        poplar::Tensor apart = popops::map(replicatedGraph, pe::Square(pe::Cast(pe::_1, poplar::FLOAT) - pe::_2),
                                           { acts, n.column(mean, acts) }, prog, debugContext);
        n.sum({ n.mean(apart, popops::Operation::ADD) }, { &power });
        spread = popops::map(replicatedGraph, pe::Rsqrt((pe::_1 + eps) * factor), { power }, prog, debugContext);
    } else {
        power = n.mean(acts, popops::Operation::SQUARE_ADD);
        n.sum({ mean, power }, { &mean, &power });
        spread = popops::map(replicatedGraph,
                             pe::Rsqrt((pe::Max(pe::_1 - pe::Square(pe::_2), pe::Const(0.0f)) + eps) * factor),
                             { power, mean }, prog, debugContext);
    }
    if (acts.elementType() == poplar::FLOAT) return { mean, spread };
    return { popops::cast(replicatedGraph, mean, acts.elementType(), prog, debugContext),
             popops::cast(replicatedGraph, spread, acts.elementType(), prog, debugContext) };
}
inline poplar::Tensor
distributedNormStatisticsGradients(poplar::Graph &replicatedGraph, const poplar::Tensor &actsWhitened,
                                   const poplar::Tensor &gradsIn, const poplar::Tensor &invStdDev,
                                   poplar::program::Sequence &prog, DistributedNormReduceCallback reduceCallback,
                                   unsigned normSize, const poplar::Type &partialsType = poplar::FLOAT,
                                   const poplar::DebugContext &debugContext = {})
{
    namespace pe = popops::expr;
    detail::DistributedNorm n("poplin::distributedNormStatisticsGradients", replicatedGraph, prog, reduceCallback,
                              debugContext, actsWhitened, normSize);
    if (n.groups == 1)
        return normStatisticsGradients(replicatedGraph, actsWhitened, gradsIn, invStdDev, prog, partialsType,
                                       debugContext);
    detail::wantNorm("poplin::distributedNormStatisticsGradients", replicatedGraph, actsWhitened, gradsIn,
                     { invStdDev });
    const auto real = [](const pe::Expr &e) { return pe::Cast(e, poplar::FLOAT); };
    poplar::Tensor both =
        popops::map(replicatedGraph, real(pe::_1) * real(pe::_2), { actsWhitened, gradsIn }, prog, debugContext);
    poplar::Tensor slope = n.mean(both, popops::Operation::ADD), shift = n.mean(gradsIn, popops::Operation::ADD);
    n.sum({ slope, shift }, { &slope, &shift });
    return popops::map(
        replicatedGraph,
        pe::Cast(real(pe::_3) * (real(pe::_2) - pe::_5 - real(pe::_1) * pe::_4), gradsIn.elementType()),
        { actsWhitened, gradsIn, n.column(invStdDev, gradsIn), n.column(slope, gradsIn), n.column(shift, gradsIn) },
        prog, debugContext);
}

} // namespace poplin
#endif
