// SPDX-License-Identifier: MIT
/* Whether some element is no number, or infinite. */
#ifndef POPOPS_NAN_HPP
#define POPOPS_NAN_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_order.h>

namespace popops {

inline poplar::Tensor hasNaN(poplar::Graph &graph, const poplar::Tensor &src, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "popops::hasNaN", [&](const poplar::handles::Call &c) {
            return tw_popops_has_nan(c.graph, poplar::handles::of(src), c.sequence, c.path);
        });
}
inline poplar::Tensor hasNaNOrInf(poplar::Graph &graph, const poplar::Tensor &src, poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "popops::hasNaNOrInf", [&](const poplar::handles::Call &c) {
            return tw_popops_has_nan_or_inf(c.graph, poplar::handles::of(src), c.sequence, c.path);
        });
}

} // namespace popops
#endif
