// SPDX-License-Identifier: MIT
/* Zero for all elements. */
#ifndef POPOPS_ZERO_HPP
#define POPOPS_ZERO_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Fill.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops.h>

namespace popops {

inline void zero(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(graph, prog, debugContext, {}, "popops::zero",
                                 [&](const poplar::handles::Call &c) {
                                     tw_popops_zero(c.graph, poplar::handles::of(t), c.sequence, c.path);
                                 });
}
/* Vertices of a compute set that the caller executes, as fill() makes them. */
inline void zero(poplar::Graph &graph, poplar::Tensor t, const std::vector<poplar::Interval> &tileRegions,
                 unsigned tile, poplar::ComputeSet zeroCS)
{
    fill(graph, t, tileRegions, tile, zeroCS, 0);
}
inline void zero(poplar::Graph &graph, const poplar::Tensor &t, unsigned tile, poplar::ComputeSet zeroCS)
{
    fill(graph, t, tile, zeroCS, 0);
}
inline void zero(poplar::Graph &graph, const poplar::Tensor &t,
                 const std::vector<std::vector<poplar::Interval>> &mapping, poplar::ComputeSet zeroCS)
{
    fill(graph, t, mapping, zeroCS, 0);
}

} // namespace popops
#endif
