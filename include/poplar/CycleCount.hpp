/* Cycles that a program takes, as a tensor. */
#ifndef POPLAR_CYCLE_COUNT_HPP
#define POPLAR_CYCLE_COUNT_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

/* UNSIGNED_INT of shape {2} on `tile`, the low word first: cycles of `prog`, which is wrapped in syncs of that type.
 * Always 0 on the CPU and the IPU Model, where programs cannot see the cycles: the profile has them. */
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile, SyncType sync,
                  const DebugContext &debugContext = {});
/* As before SDK 2.1: with internal syncs. */
inline Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                         const DebugContext &debugContext = {})
{
    return cycleCount(graph, prog, tile, SyncType::INTERNAL, debugContext);
}
/* The same for a moment: the counter of `tile` when the program passes. */
Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile, SyncType sync,
                  const DebugContext &debugContext = {});

} // namespace poplar
#endif
