// SPDX-License-Identifier: MIT
/* One element of each row. */
#ifndef POPOPS_SELECT_SCALAR_FROM_ROWS_HPP
#define POPOPS_SELECT_SCALAR_FROM_ROWS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_order.h>
#include <popops/EncodingConstants.hpp>

namespace popops {

inline poplar::Tensor selectScalarFromRows(poplar::Graph &graph, const poplar::Tensor &params,
                                           const poplar::Tensor &indices, poplar::program::Sequence &prog,
                                           const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "popops::selectScalarFromRows", [&](const poplar::handles::Call &c) {
            return tw_popops_select_scalar_from_rows(c.graph, poplar::handles::of(params),
                                                     poplar::handles::of(indices), c.sequence, c.path);
        });
}

} // namespace popops
#endif
