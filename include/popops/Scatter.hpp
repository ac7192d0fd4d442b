// SPDX-License-Identifier: MIT
/* Windows of a tensor written at indices that come as a tensor. */
#ifndef POPOPS_SCATTER_HPP
#define POPOPS_SCATTER_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <popops/DynamicSlice.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <vector>

namespace popops {

namespace detail {
/* Dimensions that updates do not have say nothing, as in the vendor's library. */
inline void scatterWindowDims(const poplar::Tensor &updates, std::vector<unsigned> &dims)
{
    const unsigned rank = updates.rank();
    dims.erase(std::remove_if(dims.begin(), dims.end(), [rank](unsigned d) { return d >= rank; }), dims.end());
}
/* Of lists that outlive it. */
inline tw_scatter scatterAt(std::size_t vectorDim, const std::vector<unsigned> &window,
                            const std::vector<std::size_t> &inserted, const std::vector<unsigned> &operandDims)
{
    return { vectorDim,         static_cast<unsigned>(window.size()),
             window.data(),     static_cast<unsigned>(inserted.size()),
             inserted.data(),   static_cast<unsigned>(operandDims.size()),
             operandDims.data() };
}
} // namespace detail

inline void scatter(poplar::Graph &graph, const poplar::Tensor &operand, const poplar::Tensor &indices,
                    const poplar::Tensor &updates, std::size_t indexVectorDim,
                    std::vector<unsigned> updateWindowDims, std::vector<std::size_t> insertWindowDims,
                    std::vector<unsigned> scatterDimsToOperandDims, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {})
{
    detail::scatterWindowDims(updates, updateWindowDims);
    const tw_scatter at =
        detail::scatterAt(indexVectorDim, updateWindowDims, insertWindowDims, scatterDimsToOperandDims);
    std::vector<std::size_t> window(operand.rank() + 1);
    const poplar::Tensor from =
        detail::likeTable("popops::scatter", graph, operand, updates, prog, debugContext, [&](tw_graph *g) {
            tw_popops_scatter_window(g, poplar::handles::of(operand), poplar::handles::of(indices),
                                     poplar::handles::of(updates), &at, window.data());
        });
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::scatter", [&](const poplar::handles::Call &c) {
            tw_popops_scatter(c.graph, poplar::handles::of(operand), poplar::handles::of(indices),
                              poplar::handles::of(from), &at, nullptr, nullptr, c.sequence, c.path);
        });
}
/* How an update, the second, joins what it meets, the first; both are one window, and so is what it returns. */
using UpdateComputationFunc =
    std::function<poplar::Tensor(poplar::Graph &, poplar::Tensor &, poplar::Tensor &, poplar::program::Sequence &)>;

namespace detail {
struct ScatterUpdate { /* the program, made once, and what it reads and gives */
    tw_tensor old, update, joined;
    tw_program program;
};
inline tw_tensor scatterJoin(tw_graph *graph, tw_tensor old, tw_tensor update, tw_program sequence, void *user)
{
    const ScatterUpdate &u = *static_cast<ScatterUpdate *>(user);
    tw_program_sequence_add(graph, sequence, tw_program_copy(graph, old, u.old));
    tw_program_sequence_add(graph, sequence, tw_program_copy(graph, update, u.update));
    tw_program_sequence_add(graph, sequence, u.program);
    return u.joined;
}
} // namespace detail

/* One update after the other, each joined with what is there. */
inline void scatter(poplar::Graph &graph, const poplar::Tensor &operand, const poplar::Tensor &indices,
                    const poplar::Tensor &updates, std::size_t indexVectorDim,
                    std::vector<unsigned> updateWindowDims, std::vector<std::size_t> insertWindowDims,
                    std::vector<unsigned> scatterDimsToOperandDims, UpdateComputationFunc &updateComputation,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    if (!updateComputation)
        throw poputil::poplibs_error("popops::scatter: no function says how updates join what is there");
    detail::scatterWindowDims(updates, updateWindowDims);
    const tw_scatter at =
        detail::scatterAt(indexVectorDim, updateWindowDims, insertWindowDims, scatterDimsToOperandDims);
    std::vector<std::size_t> window(operand.rank() + 1);
    poplar::handles::call(graph, "popops::scatter", [&](tw_graph *g) {
        tw_popops_scatter_window(g, poplar::handles::of(operand), poplar::handles::of(indices),
                                 poplar::handles::of(updates), &at, window.data());
    });
    window.pop_back();
    detail::metadataDiffer("popops::scatter", operand, updates); /* or one has none */
    const poplar::Type type = operand.elementType();
    poplar::Tensor old = graph.addVariable(type, operand.getMetadata(), window, { debugContext, "old" });
    poplar::Tensor update = graph.addVariable(type, updates.getMetadata(), window, { debugContext, "update" });
    poputil::mapTensorLinearly(graph, old);
    poputil::mapTensorLinearly(graph, update);
    const poplar::Tensor given[] = { old, update };
    poplar::program::Sequence join;
    const poplar::Tensor joined = updateComputation(graph, old, update, join);
    if (detail::metadataDiffer("popops::scatter", operand, joined))
        throw poputil::poplibs_error("popops::scatter: an update gives other metadata than those of " +
                                     poplar::handles::describe(operand));
    detail::ScatterUpdate user = { poplar::handles::of(given[0]), poplar::handles::of(given[1]),
                                   poplar::handles::of(joined), poplar::handles::of(graph, join) };
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::scatter", [&](const poplar::handles::Call &c) {
            tw_popops_scatter(c.graph, poplar::handles::of(operand), poplar::handles::of(indices),
                              poplar::handles::of(updates), &at, detail::scatterJoin, &user, c.sequence, c.path);
        });
}

} // namespace popops
#endif
