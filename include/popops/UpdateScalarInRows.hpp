// SPDX-License-Identifier: MIT
/* One element of each row, less 1. */
#ifndef POPOPS_UPDATE_SCALAR_IN_ROWS_HPP
#define POPOPS_UPDATE_SCALAR_IN_ROWS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_order.h>
#include <popops/EncodingConstants.hpp>

namespace popops {

inline void updateScalarInRows(poplar::Graph &graph, const poplar::Tensor &params, const poplar::Tensor &indices,
                               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::updateScalarInRows", [&](const poplar::handles::Call &c) {
            tw_popops_update_scalar_in_rows(c.graph, poplar::handles::of(params), poplar::handles::of(indices),
                                            c.sequence, c.path);
        });
}

} // namespace popops
#endif
