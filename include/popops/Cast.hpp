// SPDX-License-Identifier: MIT
/* Elements of another type. */
#ifndef POPOPS_CAST_HPP
#define POPOPS_CAST_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops.h>

namespace popops {

inline poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &dstType,
                           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(graph, prog, debugContext, {}, "popops::cast",
                                 [&](const poplar::handles::Call &c) {
                                     return tw_popops_cast(c.graph, poplar::handles::of(src),
                                                           poplar::handles::of(dstType), c.sequence, c.path);
                                 });
}
inline poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                                     const poplar::DebugContext &debugContext = {})
{
    poplar::program::Sequence prog;
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::cast", [&](const poplar::handles::Call &c) {
            tw_popops_cast_to(c.graph, poplar::handles::of(src), poplar::handles::of(dst), c.sequence, c.path);
        });
    return std::move(prog);
}

} // namespace popops
#endif
