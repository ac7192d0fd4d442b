// SPDX-License-Identifier: MIT
/* Other orders of storage. Here layouts change no result, and an edge takes elements from wherever they lie:
 * regrouping ahead never pays, so tensors stay as they are. */
#ifndef POPOPS_REARRANGE_HPP
#define POPOPS_REARRANGE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>

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

} // namespace rearrange
} // namespace popops
#endif
