// SPDX-License-Identifier: MIT
/* Cycles that a program takes, as a tensor. */
#ifndef POPLAR_CYCLE_COUNT_HPP
#define POPLAR_CYCLE_COUNT_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace poplar {

/* UNSIGNED_INT of shape {2} on `tile`, the low word first: cycles of `prog`, which becomes a sequence of a sync
 * of that type, itself, and another sync, whose cycles count too. They are those of the profile, estimates as far
 * as it says so; all tiles have one clock. Always 0 on the CPU. */
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile, SyncType sync,
                  const DebugContext &debugContext = {});
/* As before SDK 2.1: with internal syncs. */
inline Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                         const DebugContext &debugContext = {})
{
    return cycleCount(graph, prog, tile, SyncType::INTERNAL, debugContext);
}
/* The clock itself when the program passes: cycles since the engine was made. */
Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile, SyncType sync,
                  const DebugContext &debugContext = {});
/* The same on several tiles, after one sync: a tensor for each of them. */
std::vector<Tensor> cycleStamp(Graph &graph, program::Sequence &prog, const std::vector<unsigned> &tiles,
                               SyncType sync, const DebugContext &debugContext = {});

} // namespace poplar
#endif
