// SPDX-License-Identifier: MIT
/* State of tiles that programs may set and ask for: seeds, floating point behaviour, the cycle counter. The machines
 * that graphs run on have no registers for the first two, so each graph keeps them in variables of its own. */
#include "core.hpp"

#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/RandomSeed.hpp>

namespace poplar {

using program::Copy;
using program::Sequence;

/* The graph's variable `kept`, made on first use: one row for each tile that has one. */
static Tensor stateOf(Graph &graph, tw_tensor core::GraphHolder::*kept, const std::vector<std::size_t> &shape,
                      const std::vector<unsigned> &values, const char *name)
{
    core::GraphHolder &holder = graph.get();
    core::GraphLock guard(holder.graph);
    if (!(holder.*kept).id) {
        Tensor made = graph.addVariable(UNSIGNED_INT, shape, name);
        for (std::size_t i = 0; i < shape[0]; i++)
            graph.setTileMapping(made.slice(i, i + 1), static_cast<unsigned>(i));
        graph.setInitialValue(made, ArrayRef<unsigned>(values));
        holder.*kept =
            holder.call(name, [&](tw_graph *g) { return tw_tensor_slice(g, made.get().handle(), 0, 0, shape[0]); });
    }
    /* A handle of its own for each caller: tensors release theirs. */
    tw_tensor again =
        holder.call(name, [&](tw_graph *g) { return tw_tensor_slice(g, holder.*kept, 0, 0, shape[0]); });
    return core::makeTensor(graph.share(), again, UNSIGNED_INT);
}

/* --- seeds ---------------------------------------------------------------------------------------------------- */

static Tensor seedsOf(Graph &graph)
{
    const Target &t = graph.getTarget();
    std::vector<std::size_t> shape = { t.getNumTiles(), t.getNumWorkerContexts(), 4 };
    std::vector<unsigned> values(shape[0] * shape[1] * 4);
    for (std::size_t i = 0; i < values.size(); i++) values[i] = static_cast<unsigned>(i + 1); /* never all zero */
    return stateOf(graph, &core::GraphHolder::seeds, shape, values, "hwSeeds");
}

Tensor getHwSeeds(Graph &graph, Sequence &prog, const DebugContext &dc)
{
    Tensor state = seedsOf(graph), copy = graph.clone(state, { dc, "hwSeeds" });
    prog.add(Copy(state, copy, false, dc));
    return copy;
}

void setHwSeeds(Graph &graph, const Tensor &seeds, Sequence &prog, const DebugContext &dc)
{
    Tensor state = seedsOf(graph);
    if (seeds.shape() != state.shape() || seeds.elementType() != UNSIGNED_INT)
        core::raise(TW_E_INVALID_ARGUMENT, "setHwSeeds",
                    "seeds are unsigned int of shape " + state.shapeToString() + ", not " +
                        seeds.elementType().toString() + " of shape " + seeds.shapeToString());
    prog.add(Copy(seeds, state, false, dc));
}

/* --- floating point behaviour --------------------------------------------------------------------------------- */

/* One element for each of inv, div0, oflo, esr, nanoo. */
static Tensor behaviourOf(Graph &graph)
{
    return stateOf(graph, &core::GraphHolder::behaviour, { 1, 5 }, { 0, 0, 0, 0, 1 }, "floatingPointBehaviour");
}

static void setBits(Graph &graph, Sequence &prog, const FloatingPointBehaviour &which, unsigned value,
                    const DebugContext &dc)
{
    const bool wanted[] = { which.inv, which.div0, which.oflo, which.esr, which.nanoo };
    Tensor state = behaviourOf(graph)[0];
    for (std::size_t i = 0; i < 5; i++) {
        if (!wanted[i]) continue;
        Tensor constant = graph.addConstant(UNSIGNED_INT, { 1 }, value);
        graph.setTileMapping(constant, 0);
        prog.add(Copy(constant, state.slice(i, i + 1), false, dc));
    }
}

void setFloatingPointBehaviour(Graph &graph, Sequence &prog, const FloatingPointBehaviour &behaviour,
                               const DebugContext &dc)
{
    setBits(graph, prog, behaviour, 1, dc);
    setBits(graph, prog, !behaviour, 0, dc);
}

void setFloatingPointBehaviour(Graph &graph, Sequence &prog, const Tensor &behaviour, const DebugContext &dc)
{
    prog.add(Copy(behaviour, behaviourOf(graph), false, dc));
}

Tensor getAndModifyFloatingPointBehaviour(Graph &graph, Sequence &prog, const FloatingPointBehaviour &clear,
                                          const FloatingPointBehaviour &set, const DebugContext &dc)
{
    Tensor state = behaviourOf(graph), before = graph.clone(state, { dc, "floatingPointBehaviour" });
    prog.add(Copy(state, before, false, dc));
    setBits(graph, prog, clear, 0, dc);
    setBits(graph, prog, set, 1, dc);
    return before;
}

void setStochasticRounding(Graph &graph, Sequence &prog, bool enable, const DebugContext &dc)
{
    setBits(graph, prog, FloatingPointBehaviour(false, false, false, true, false), enable, dc);
}

/* --- cycles --------------------------------------------------------------------------------------------------- */

static Tensor counter(Graph &graph, unsigned tile, const DebugContext &dc, const char *name)
{
    Tensor count = graph.addVariable(UNSIGNED_INT, { 2 }, { dc, name });
    graph.setTileMapping(count, tile);
    graph.setInitialValue(count, 0u);
    return count;
}

Tensor cycleCount(Graph &graph, Sequence &prog, unsigned tile, SyncType sync, const DebugContext &dc)
{
    Tensor count = counter(graph, tile, dc, "cycleCount");
    prog = Sequence({ program::Sync(sync, dc), core::clockProgram(count, false, dc), prog, program::Sync(sync, dc),
                      core::clockProgram(count, true, dc) },
                    dc);
    return count;
}

std::vector<Tensor> cycleStamp(Graph &graph, Sequence &prog, const std::vector<unsigned> &tiles, SyncType sync,
                               const DebugContext &dc)
{
    std::vector<Tensor> stamps;
    prog.add(program::Sync(sync, dc));
    for (unsigned tile : tiles) {
        stamps.push_back(counter(graph, tile, dc, "cycleStamp"));
        prog.add(core::clockProgram(stamps.back(), false, dc));
    }
    return stamps;
}

Tensor cycleStamp(Graph &graph, Sequence &prog, unsigned tile, SyncType sync, const DebugContext &dc)
{
    return cycleStamp(graph, prog, std::vector<unsigned>{ tile }, sync, dc)[0];
}

} // namespace poplar
