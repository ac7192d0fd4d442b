// SPDX-License-Identifier: MIT
/* One value for all elements. */
#ifndef POPOPS_FILL_HPP
#define POPOPS_FILL_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops.h>

namespace popops {

template <class T>
void fill(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog, T value,
          const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::fill", [&](const poplar::handles::Call &c) {
            tw_popops_fill(c.graph, poplar::handles::of(t), static_cast<double>(value), c.sequence, c.path);
        });
}

} // namespace popops
#endif
