// SPDX-License-Identifier: MIT
/* Elements of another type. */
#ifndef POPOPS_CAST_HPP
#define POPOPS_CAST_HPP

#include <cstdio>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Fill.hpp>
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

/* A bool without dimensions: the one element of `input`, a float, is kept by half within `tolerance` times its
 * size; a half always by float. */
inline poplar::Tensor checkAccuracyWhenCast(poplar::Graph &graph, const poplar::Tensor &input,
                                            poplar::Type outputType, double tolerance,
                                            poplar::program::Sequence &prog,
                                            const poplar::DebugContext &debugContext = {})
{
    const bool widens = input.elementType() == poplar::HALF && outputType == poplar::FLOAT;
    if (!widens && (input.elementType() != poplar::FLOAT || outputType != poplar::HALF))
        throw poputil::poplibs_error("popops::checkAccuracyWhenCast: from " + input.elementType().toString() +
                                     " to " + outputType.toString() +
                                     "; float to half and half to float are what can be checked");
    if (input.numElements() != 1)
        throw poputil::poplibs_error("popops::checkAccuracyWhenCast: " + std::to_string(input.numElements()) +
                                     " elements; one is what can be checked");
    const poplar::Tensor one = input.reshape({});
    if (widens) {
        poplar::Tensor always = graph.clone(poplar::BOOL, one, { debugContext, "always" });
        fill(graph, always, prog, true, { debugContext, "fill" });
        return always;
    }
    char text[128];
    std::snprintf(text, sizeof text, "abs(cast(cast(_1, half), float) - _1) <= abs(_1) * %.9g", tolerance);
    return poplar::handles::step(graph, prog, debugContext, {}, "popops::checkAccuracyWhenCast",
                                 [&](const poplar::handles::Call &c) {
                                     const tw_tensor t = poplar::handles::of(one);
                                     return tw_popops_map(c.graph, text, 1, &t, c.sequence, c.path, c.options);
                                 });
}

} // namespace popops
#endif
