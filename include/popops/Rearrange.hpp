// SPDX-License-Identifier: MIT
/* Other orders of storage. Here layouts change no result, and an edge takes elements from wherever they lie:
 * regrouping ahead never pays, so tensors stay as they are unless a program says that they shall not. */
#ifndef POPOPS_REARRANGE_HPP
#define POPOPS_REARRANGE_HPP

#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Cast.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace popops {
namespace rearrange {

inline unsigned getMinimumRegroupGrainSize(const poplar::Type &type)
{
    if (type == poplar::HALF) return 4;
    if (type == poplar::FLOAT) return 2;
    return 1;
}
inline poplar::Tensor regroupIfBeneficial(poplar::Graph &, const poplar::Tensor &in, const poplar::Tensor &ref,
                                          poplar::program::Sequence &, const poplar::DebugContext & = {})
{
    if (in.rank() != ref.rank())
        throw poputil::poplibs_error("popops::rearrange::regroupIfBeneficial: tensors of different ranks");
    return in;
}
inline poplar::Tensor regroupIfBeneficial(poplar::Graph &, const poplar::Tensor &in, std::size_t preferredGrouping,
                                          poplar::program::Sequence &, const poplar::DebugContext & = {})
{
    if (!in.rank() || !preferredGrouping || in.dim(in.rank() - 1) % preferredGrouping)
        throw poputil::poplibs_error("popops::rearrange::regroupIfBeneficial: no groups in the last dimension");
    return in;
}
inline poplar::Tensor regroupIfBeneficial(poplar::Graph &, const poplar::Tensor &in, const poplar::Tensor &ref,
                                          std::vector<poplar::program::Copy> &, poplar::ComputeSet,
                                          const poplar::DebugContext & = {})
{
    if (in.rank() != ref.rank())
        throw poputil::poplibs_error("popops::rearrange::regroupIfBeneficial: tensors of different ranks");
    return in;
}
/* Groups of one dimension become groups of another: `from` and `to` are (dimension, size) of the innermost ones. */
template <class Copies>
poplar::Tensor regroupTensor(poplar::Graph &, const poplar::Tensor &t, Copies &, const poplar::ComputeSet &,
                             const poputil::GroupingInfo &from, const poputil::GroupingInfo &to,
                             const poplar::DebugContext & = {})
{
    for (const poputil::GroupingInfo &g : { from, to })
        if (g.first >= t.rank() || !g.second || t.dim(g.first) % g.second)
            throw poputil::poplibs_error("popops::rearrange::regroupTensor: no groups of " +
                                         std::to_string(g.second) + " in dimension " + std::to_string(g.first) +
                                         " of " + t.shapeToString());
    return t;
}
/* A copy in which `to` (dimension, size) are the innermost groups: the tensor itself where they are that already, or
 * where the dimension is no whole number of groups. */
inline poplar::Tensor regroupIfPossible(poplar::Graph &graph, const poplar::Tensor &t,
                                        poplar::program::Sequence &prog, const poputil::GroupingInfo &to,
                                        const poplar::DebugContext &debugContext = {})
{
    if (t.rank() < 2 || to.first >= t.rank() || to.second < 2 || t.dim(to.first) % to.second) return t;
    const std::vector<poputil::GroupingInfo> groups = poputil::detectDimGroupings(graph, t);
    if (!groups.empty() && groups[0].first == to.first && groups[0].second % to.second == 0) return t;
    std::vector<std::size_t> shape = t.shape();
    std::vector<unsigned> order;
    for (unsigned d = 0; d < t.rank(); d++) {
        order.push_back(d);
        if (d == to.first) order.push_back(t.rank());
    }
    shape[to.first] /= to.second;
    shape.push_back(to.second);
    const poplar::Tensor made = graph.addVariable(t.elementType(), t.getMetadata(), shape, debugContext);
    poputil::mapTensorLinearly(graph, made);
    const poplar::Tensor view = made.dimShuffle(order).reshape(t.shape());
    prog.add(poplar::program::Copy(t, view, false, debugContext));
    return view;
}
/* Matrices, the last two dimensions, transposed. */
inline poplar::Tensor partialTranspose(poplar::Graph &, const poplar::Tensor &in, const poplar::ComputeSet &,
                                       const poplar::DebugContext & = {})
{
    if (in.rank() < 2)
        throw poputil::poplibs_error("popops::rearrange::partialTranspose: " + in.shapeToString() +
                                     " has no matrices");
    const unsigned last = in.rank() - 1;
    return in.dimShufflePartial({ last - 1, last }, { last, last - 1 });
}
/* No: there is one vertex for all shapes and types. */
inline bool canUseFastTranspose(const poplar::Target &, const poplar::Type &, unsigned, unsigned, unsigned)
{
    return false;
}
/* Matrices of `rows` times `cols`, flattened, transposed by vertices of `cs`: number i from getInOut(i).first to
 * getInOut(i).second, once however many tiles name it. Vertices are where the results lie. */
inline void
addTransposeVertices(poplar::Graph &graph, const poplar::ComputeSet &cs, const poplar::Type &dType, unsigned rows,
                     unsigned cols, const poplar::Graph::TileToTensorMapping &mapping,
                     std::function<std::pair<const poplar::Tensor, const poplar::Tensor>(std::size_t)> getInOut)
{
    std::set<std::size_t> numbers;
    for (const std::vector<poplar::Interval> &tile : mapping)
        for (const poplar::Interval &run : tile)
            for (std::size_t i = run.begin(); i < run.end(); i++) numbers.insert(i);
    std::vector<poplar::Tensor> from, to;
    for (std::size_t i : numbers) {
        const std::pair<const poplar::Tensor, const poplar::Tensor> matrix = getInOut(i);
        for (const poplar::Tensor &t : { matrix.first, matrix.second })
            if (t.rank() != 1 || t.numElements() != std::size_t{ rows } * cols || t.elementType() != dType)
                throw poputil::poplibs_error("popops::rearrange::addTransposeVertices: matrix " +
                                             std::to_string(i) + " is " + t.elementType().toString() +
                                             t.shapeToString() + ", not " + dType.toString() + " of " +
                                             std::to_string(rows) + " x " + std::to_string(cols) + " elements");
        from.push_back(matrix.first.reshape({ rows, cols }).transpose().flatten());
        to.push_back(matrix.second);
    }
    if (!to.empty()) cast(graph, poplar::concat(from), poplar::concat(to), cs);
}

} // namespace rearrange
} // namespace popops
#endif
