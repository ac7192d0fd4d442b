// SPDX-License-Identifier: MIT
/* Sums of weights of a continuous kernel. */
#ifndef POPOPS_SPLINE_WEIGHTING_HPP
#define POPOPS_SPLINE_WEIGHTING_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_spline.h>

namespace popops {

inline poplar::Tensor splineWeighting(poplar::Graph &graph, const poplar::Tensor &input,
                                      const poplar::Tensor &weight, const poplar::Tensor &basis,
                                      const poplar::Tensor &weightIndex, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "popops::splineWeighting", [&](const poplar::handles::Call &c) {
            return tw_popops_spline_weighting(c.graph, poplar::handles::of(input), poplar::handles::of(weight),
                                              poplar::handles::of(basis), poplar::handles::of(weightIndex),
                                              c.sequence, c.path);
        });
}

} // namespace popops
#endif
