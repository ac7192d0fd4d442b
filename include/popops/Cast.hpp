// SPDX-License-Identifier: MIT
/* Elements of another type. */
#ifndef POPOPS_CAST_HPP
#define POPOPS_CAST_HPP

#include <cstdio>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Fill.hpp>
#include <popops/QuarterCast.hpp>
#include <poputil/exceptions.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops.h>

namespace popops {

namespace detail {
inline poplar::Tensor castPlain(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &dstType,
                                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext)
{
    return poplar::handles::step(graph, prog, debugContext, {}, "popops::cast",
                                 [&](const poplar::handles::Call &c) {
                                     return tw_popops_cast(c.graph, poplar::handles::of(src),
                                                           poplar::handles::of(dstType), c.sequence, c.path);
                                 });
}
/* Elements of QUARTER as floats; all others stay as they are. */
inline poplar::Tensor withoutQuarters(poplar::Graph &graph, const poplar::Tensor &t,
                                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext)
{
    return t.elementType() == poplar::QUARTER ? quarters::toFloat(graph, t, prog, debugContext) : t;
}
/* Before anything is built of FP8, which goes by floats; these are not cast to numbers of 8 bytes. */
inline void wantQuarters(const poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &to)
{
    quarters::wantUsable("popops::cast", graph, src);
    for (const poplar::Type &t : { src.elementType(), to })
        if (graph.getTarget().getTypeSize(t) > 4)
            throw poputil::poplibs_error("popops::cast: " + poplar::handles::describe(src) + " cannot be cast to " +
                                         to.toString());
}
} // namespace detail

/* Elements of the same type are copied. */
inline void castWithOutput(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Tensor &dst,
                           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    if (src.shape() != dst.shape())
        throw poputil::poplibs_error("popops::cast: " + src.shapeToString() + " to " + dst.shapeToString());
    const bool to = dst.elementType() == poplar::QUARTER;
    if (to || src.elementType() == poplar::QUARTER) {
        detail::wantQuarters(graph, src, dst.elementType());
        quarters::wantUsable("popops::cast", graph, dst);
        poplar::handles::wantWriteable("popops::cast", dst);
    }
    const poplar::Tensor from = to || dst.elementType() != src.elementType()
                                    ? detail::withoutQuarters(graph, src, prog, debugContext)
                                    : src;
    if (to) {
        const bool real = from.elementType() == poplar::FLOAT;
        return quarters::fromFloat(graph,
                                   real ? from : detail::castPlain(graph, from, poplar::FLOAT, prog, debugContext),
                                   dst, prog, debugContext);
    }
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::cast", [&](const poplar::handles::Call &c) {
            tw_popops_cast_to(c.graph, poplar::handles::of(from), poplar::handles::of(dst), c.sequence, c.path);
        });
}
/* To QUARTER by `metadata`, one element of QUARTER_METADATA; for other types it is not read. */
inline poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &dstType,
                           const poplar::Tensor &metadata, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {})
{
    if (src.elementType() == poplar::QUARTER || dstType == poplar::QUARTER)
        detail::wantQuarters(graph, src, dstType);
    if (dstType != poplar::QUARTER) {
        const poplar::Tensor from = detail::withoutQuarters(graph, src, prog, debugContext);
        return from.elementType() == dstType && src.elementType() == poplar::QUARTER
                   ? from
                   : detail::castPlain(graph, from, dstType, prog, debugContext);
    }
    const poplar::Tensor made =
        src.containsConstant()
            ? graph.addVariable(dstType, metadata, src.shape(), poplar::VariableMappingMethod::LINEAR, debugContext)
            : graph.clone(dstType, metadata, src, debugContext);
    castWithOutput(graph, src, made, prog, debugContext);
    return made;
}
inline poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &dstType,
                           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return cast(graph, src, dstType, src.elementType() == poplar::QUARTER ? src.getMetadata() : poplar::Tensor(),
                prog, debugContext);
}
inline poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                                     const poplar::DebugContext &debugContext = {})
{
    poplar::program::Sequence prog;
    castWithOutput(graph, src, dst, prog, debugContext);
    return std::move(prog);
}
/* Vertices of a compute set that the caller executes; FP8 takes more than one, and is refused. */
inline void cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst, poplar::ComputeSet cs)
{
    poplar::handles::call(graph, "popops::cast", [&](tw_graph *g) {
        tw_popops_cast_set(g, poplar::handles::of(src), poplar::handles::of(dst), tw_compute_set{ cs.getId() });
    });
}
inline poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src, const poplar::Type &dstType,
                           poplar::ComputeSet cs, const poplar::DebugContext &debugContext = {})
{
    for (const poplar::Type &t : { src.elementType(), dstType })
        if (t == poplar::QUARTER)
            throw poputil::poplibs_error("popops::cast: quarter is not cast in a compute set");
    const poplar::Tensor made = graph.clone(dstType, src, debugContext);
    cast(graph, src, made, cs);
    return made;
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
