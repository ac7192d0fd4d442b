// SPDX-License-Identifier: MIT
/* Which weights of a continuous kernel edges meet, and how much of each. */
#ifndef POPOPS_SPLINE_BASIS_HPP
#define POPOPS_SPLINE_BASIS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_spline.h>

namespace popops {

inline void splineBasis(poplar::Graph &graph, const poplar::Tensor &pseudo, const poplar::Tensor &kernelSize,
                        const poplar::Tensor &isOpenSpline, const poplar::Tensor &basis,
                        const poplar::Tensor &weightIndex, unsigned degree, poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::splineBasis", [&](const poplar::handles::Call &c) {
            tw_popops_spline_basis(c.graph, poplar::handles::of(pseudo), poplar::handles::of(kernelSize),
                                   poplar::handles::of(isOpenSpline), poplar::handles::of(basis),
                                   poplar::handles::of(weightIndex), degree, c.sequence, c.path);
        });
}

} // namespace popops
#endif
