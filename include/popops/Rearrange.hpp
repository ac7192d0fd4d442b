// SPDX-License-Identifier: MIT
/* Other orders of storage. Here layouts change no result, and an edge takes elements from wherever they lie:
 * regrouping ahead never pays, so tensors stay as they are. */
#ifndef POPOPS_REARRANGE_HPP
#define POPOPS_REARRANGE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>
#include <string>
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

} // namespace rearrange
} // namespace popops
#endif
