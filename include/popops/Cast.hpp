// SPDX-License-Identifier: MIT
/* Elements of another type. */
#ifndef POPOPS_CAST_HPP
#define POPOPS_CAST_HPP

#include <cstdio>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>
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

/* A bool for each element: float to half keeps it within `tolerance` times its size. */
inline poplar::Tensor checkAccuracyWhenCast(poplar::Graph &graph, const poplar::Tensor &input,
                                            poplar::Type outputType, double tolerance,
                                            poplar::program::Sequence &prog,
                                            const poplar::DebugContext &debugContext = {})
{
    if (input.elementType() != poplar::FLOAT || outputType != poplar::HALF)
        throw poputil::poplibs_error("popops::checkAccuracyWhenCast: from " + input.elementType().toString() +
                                     " to " + outputType.toString() + "; float to half is what can be checked");
    char text[128];
    std::snprintf(text, sizeof text, "abs(cast(cast(_1, half), float) - _1) <= abs(_1) * %.9g", tolerance);
    return poplar::handles::step(graph, prog, debugContext, {}, "popops::checkAccuracyWhenCast",
                                 [&](const poplar::handles::Call &c) {
                                     const tw_tensor t = poplar::handles::of(input);
                                     return tw_popops_map(c.graph, text, 1, &t, c.sequence, c.path, c.options);
                                 });
}

} // namespace popops
#endif
