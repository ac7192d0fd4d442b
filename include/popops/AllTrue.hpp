// SPDX-License-Identifier: MIT
/* Whether all elements are true. */
#ifndef POPOPS_ALL_TRUE_HPP
#define POPOPS_ALL_TRUE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_order.h>

namespace popops {

inline poplar::Tensor allTrue(poplar::Graph &graph, poplar::Tensor A, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(graph, prog, debugContext, {}, "popops::allTrue",
                                 [&](const poplar::handles::Call &c) {
                                     return tw_popops_all_true(c.graph, poplar::handles::of(A), c.sequence, c.path);
                                 });
}

} // namespace popops
#endif
