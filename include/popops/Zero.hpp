// SPDX-License-Identifier: MIT
/* Zero for all elements. */
#ifndef POPOPS_ZERO_HPP
#define POPOPS_ZERO_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
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

} // namespace popops
#endif
