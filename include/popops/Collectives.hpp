// SPDX-License-Identifier: MIT
/* Collectives between IPUs of a graph: the first dimension of a tensor is that of ranks, row i lies on rank i. */
#ifndef POPOPS_COLLECTIVES_HPP
#define POPOPS_COLLECTIVES_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <popops/CollectiveTypes.hpp>
#include <tilewright/poplibs/collectives.h>
#include <tilewright/poplibs/handles.hpp>

namespace popops {

namespace detail {
/* "method" names the way data go, which is always the same here. */
inline void checkCollectiveOptions(const char *call, const poplar::OptionFlags &options)
{
    static const char *const methods[] = { "auto", "clockwise_ring", "anticlockwise_ring",
                                           "bidirectional_ring_pair", "meet_in_middle_ring" };
    for (const auto &o : options) {
        bool known = false;
        for (const char *m : methods) known = known || (o.first == "method" && o.second == m);
        if (!known)
            throw poplar::invalid_option(std::string(call) + ": there is no option " + o.first + "=" + o.second +
                                         "; there is method: auto, clockwise_ring, anticlockwise_ring, "
                                         "bidirectional_ring_pair, meet_in_middle_ring");
    }
}
} // namespace detail

inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &toReduce, CollectiveOperator op,
                                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {})
{
    detail::checkCollectiveOptions("popops::allReduce", options);
    return poplar::handles::step(
        graph, prog, debugContext, {}, "popops::allReduce", [&](const poplar::handles::Call &c) {
            return tw_popops_all_reduce(c.graph, poplar::handles::of(toReduce), static_cast<tw_collective>(op),
                                        c.sequence, c.path);
        });
}
inline Chunks reduceScatter(poplar::Graph &graph, const poplar::Tensor &toReduce, CollectiveOperator op,
                            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {})
{
    detail::checkCollectiveOptions("popops::reduceScatter", options);
    poplar::Tensor row = poplar::handles::step(
        graph, prog, debugContext, {}, "popops::reduceScatter", [&](const poplar::handles::Call &c) {
            return tw_popops_reduce_scatter(c.graph, poplar::handles::of(toReduce), static_cast<tw_collective>(op),
                                            c.sequence, c.path);
        });
    const std::size_t ranks = toReduce.dim(0), part = (row.numElements() + ranks - 1) / ranks;
    Chunks made;
    made.originalInput = toReduce;
    for (std::size_t i = 0, at = 0; i < ranks; i++) {
        const std::size_t end = at + part < row.numElements() ? at + part : row.numElements();
        made.chunks.emplace_back(row.slice(at, end), static_cast<unsigned>(i), 0u);
        at = end;
    }
    return made;
}
inline poplar::Tensor allGather(poplar::Graph &graph, const Chunks &toGather, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {})
{
    detail::checkCollectiveOptions("popops::allGather", options);
    std::vector<poplar::Tensor> parts(toGather.chunks.size());
    for (const Chunk &c : toGather.chunks) {
        if (c.index >= parts.size() || parts[c.index].valid() || !c.tensor.valid())
            throw poputil::poplibs_error("popops::allGather: chunk " + std::to_string(c.index) + " of " +
                                         std::to_string(parts.size()) + " is none, or there twice");
        parts[c.index] = c.tensor;
    }
    if (parts.empty()) throw poputil::poplibs_error("popops::allGather: there are no chunks");
    poplar::Tensor row = poplar::concat(parts);
    return poplar::handles::step(
        graph, prog, debugContext, {}, "popops::allGather", [&](const poplar::handles::Call &c) {
            return tw_popops_all_gather(c.graph, poplar::handles::of(row),
                                        poplar::handles::of(toGather.originalInput), c.sequence, c.path);
        });
}

} // namespace popops
#endif
