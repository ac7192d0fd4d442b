// SPDX-License-Identifier: MIT
/* Loops that count. */
#ifndef POPOPS_LOOP_HPP
#define POPOPS_LOOP_HPP

#include <cstdint>
#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

/* The body, built once, for counter = begin, begin + step ... below end; it gets the counter, an unsigned int. */
inline poplar::program::Sequence
countedLoop(poplar::Graph &graph, std::size_t begin, std::size_t end, std::size_t step,
            const std::function<poplar::program::Program(const poplar::Tensor &)> &body,
            const poplar::DebugContext &debugContext = {})
{
    if (step == 0 || begin >= end)
        throw poputil::poplibs_error("popops::countedLoop: from " + std::to_string(begin) + " to " +
                                     std::to_string(end) + " by " + std::to_string(step) + " there are no steps");
    if (end > UINT32_MAX || step > UINT32_MAX)
        throw poputil::poplibs_error("popops::countedLoop: from " + std::to_string(begin) + " to " +
                                     std::to_string(end) + " by " + std::to_string(step) +
                                     " is more than an unsigned int counts");
    poplar::Tensor counter = graph.addVariable(poplar::UNSIGNED_INT, { 1 }, { debugContext, "counter" });
    graph.setTileMapping(counter, 0);
    poplar::program::Sequence loop, once;
    fill(graph, counter, loop, begin, { debugContext, "begin" });
    once.add(body(counter));
    addInPlace(graph, counter, static_cast<unsigned>(step), once, { debugContext, "step" });
    const std::size_t times = (end - begin - 1) / step + 1;
    loop.add(poplar::program::Repeat(static_cast<unsigned>(times), once, debugContext));
    return loop;
}
inline poplar::program::Sequence
countedLoop(poplar::Graph &graph, std::size_t count,
            const std::function<poplar::program::Program(const poplar::Tensor &)> &body,
            const poplar::DebugContext &debugContext = {})
{
    return countedLoop(graph, 0, count, 1, body, debugContext);
}

namespace detail {
/* Before a step is built. */
inline void wantCounter(const char *call, const poplar::Tensor &count, const poplar::Tensor &limit)
{
    const poplar::Type type = count.elementType();
    if ((type != poplar::INT && type != poplar::UNSIGNED_INT) || limit.elementType() != type ||
        count.numElements() != 1 || limit.numElements() != 1)
        throw poputil::poplibs_error(std::string(call) + ": " + poplar::handles::describe(count) + " up to " +
                                     poplar::handles::describe(limit) + "; both are one int or unsigned int");
    poplar::handles::wantWriteable(call, count);
}
} // namespace detail

/* count += countStep; a scalar bool that says whether it is still another than the limit, for RepeatWhileTrue. */
inline poplar::Tensor addForLoopCounterVertex(poplar::Graph &graph, const poplar::Tensor &count,
                                              const poplar::Tensor &countLimit, int countStep, unsigned tile,
                                              poplar::program::Sequence &prog, const poplar::DebugContext &di)
{
    detail::wantCounter("popops::addForLoopCounterVertex", count, countLimit);
    if (tile >= graph.getTarget().getNumTiles())
        throw poputil::poplibs_error("popops::addForLoopCounterVertex: there is no tile " + std::to_string(tile));
    const poplar::Tensor one = count.reshape({}), limit = countLimit.reshape({});
    if (count.elementType() == poplar::UNSIGNED_INT) /* a step back wraps round */
        addInPlace(graph, one, static_cast<unsigned>(countStep), prog, { di, "step" });
    else
        addInPlace(graph, one, countStep, prog, { di, "step" });
    poplar::Tensor more = graph.addVariable(poplar::BOOL, {}, { di, "more" });
    graph.setTileMapping(more, tile);
    mapWithOutput(graph, expr::NotEqual(expr::_1, expr::_2), { one, limit }, more, prog, { di, "more" });
    return more;
}

/* count = initial; while count != limit: body, count += step. Both are scalars of int or unsigned int. */
inline poplar::program::Sequence countedForLoop(poplar::Graph &graph, const poplar::Tensor &count, int initialCount,
                                                const poplar::Tensor &countLimit, int countStep,
                                                const poplar::program::Program &body,
                                                const poplar::DebugContext &debugContext = {})
{
    detail::wantCounter("popops::countedForLoop", count, countLimit);
    poplar::program::Sequence loop, condition, once;
    fill(graph, count, loop, initialCount, { debugContext, "begin" });
    poplar::Tensor more = neq(graph, count, countLimit, condition, { debugContext, "more" });
    once.add(body);
    if (count.elementType() == poplar::UNSIGNED_INT) /* a step back wraps round */
        addInPlace(graph, count, static_cast<unsigned>(countStep), once, { debugContext, "step" });
    else
        addInPlace(graph, count, countStep, once, { debugContext, "step" });
    loop.add(poplar::program::RepeatWhileTrue(condition, more.reshape({}), once, debugContext));
    return loop;
}
inline poplar::program::Sequence countedForLoop(poplar::Graph &graph, int initialCount,
                                                const poplar::Tensor &countLimit, int countStep,
                                                const poplar::program::Program &body,
                                                const poplar::DebugContext &debugContext = {})
{
    poplar::Tensor count = graph.clone(countLimit, { debugContext, "counter" });
    return countedForLoop(graph, count, initialCount, countLimit, countStep, body, debugContext);
}

} // namespace popops
#endif
