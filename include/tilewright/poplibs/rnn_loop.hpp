// SPDX-License-Identifier: MIT
/* Recurrent networks whose cell is a function of the caller: what <popnn/Rnn.hpp> has of popnn::rnn::Rnn. One loop
 * makes all steps; numbers of shards are taken and have no effect.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_RNN_LOOP_HPP
#define TILEWRIGHT_POPLIBS_RNN_LOOP_HPP

#include <algorithm>
#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace popnn {
namespace rnn {

/* --- sizes, and what cells get -------------------------------------------------------------------------------- */

/* layerSizes: inputs and outputs. */
struct RnnParams {
    poplar::Type dataType;
    std::size_t batchSize = 0;
    std::size_t maxTimeSteps = 0;
    std::size_t timeSteps = 0;
    poplar::Tensor varTimeSteps; /* unsigned int: one number, or one for each sample */
    std::vector<std::size_t> layerSizes;

    RnnParams() = default;
    RnnParams(poplar::Type type, std::size_t batch, std::size_t steps, std::vector<std::size_t> sizes)
        : dataType(type), batchSize(batch), maxTimeSteps(steps), timeSteps(steps), layerSizes(std::move(sizes))
    {
    }
    RnnParams(poplar::Type type, std::size_t batch, std::size_t maxSteps, const poplar::Tensor &steps,
              std::vector<std::size_t> sizes)
        : dataType(type), batchSize(batch), maxTimeSteps(maxSteps), timeSteps(maxSteps), varTimeSteps(steps),
          layerSizes(std::move(sizes))
    {
    }
    bool variableTimeSteps() const { return varTimeSteps.valid(); }
    bool batchVariableTimeSteps() const { return variableTimeSteps() && varTimeSteps.numElements() > 1; }
    std::size_t getMaxShards(const poplar::Graph &) const { return 1; } /* steps are made on all tiles */
    std::size_t getInputBytesPerTile(const poplar::Graph &graph) const { return bytesPerTile(graph, 0); }
    std::size_t getOutputBytesPerTile(const poplar::Graph &graph) const { return bytesPerTile(graph, 1); }

  private:
    std::size_t bytesPerTile(const poplar::Graph &graph, std::size_t which) const
    {
        std::size_t bytes = batchSize * layerSizes.at(which) * graph.getTarget().getTypeSize(dataType);
        return (bytes + graph.getTarget().getNumTiles() - 1) / graph.getTarget().getNumTiles();
    }
};

/* What one step reads and writes: rows of the sequences. */
struct RnnSlice {
    std::vector<poplar::Tensor> inputs;
    poplar::Tensor interimIn;
    poplar::Tensor interimOut;
    std::vector<poplar::Tensor> outputs;
};

/* Of the parameters' type, [batch]: 1 where the step is one of the sample's own, and 1 where it is not. Without
 * elements where samples have one number of steps. */
struct RnnBatchwiseFlags {
    poplar::Tensor mask;
    poplar::Tensor inverse;
    bool valid() const { return mask.valid(); }
};

/* As cells of later versions get it; unsigned int[1] each, the flag only where numbers of steps vary. */
struct TimeStepState {
    poplar::Tensor begin;
    poplar::Tensor counter;
    poplar::Tensor variableSeqFlag;
};

/* The program of a step. A function of a shard's first step and a counter (2.2), or of both in a TimeStepState. */
class LoopBodyType {
    using Graph = poplar::Graph;
    using Tensors = std::vector<poplar::Tensor>;
    using Sequence = poplar::program::Sequence;
    using Id = poplar::DebugNameAndId;
    std::function<Sequence(Graph &, const TimeStepState &, const RnnBatchwiseFlags &, Tensors &, const RnnSlice &,
                           Tensors &, Sequence *, const Id &)>
        body;

    template <class F> struct takesTensors {
        template <class G>
        static auto test(G *g)
            -> decltype((*g)(std::declval<Graph &>(), std::declval<const poplar::Tensor &>(),
                             std::declval<const poplar::Tensor &>(), std::declval<const RnnBatchwiseFlags &>(),
                             std::declval<Tensors &>(), std::declval<const RnnSlice &>(), std::declval<Tensors &>(),
                             static_cast<Sequence *>(nullptr), std::declval<const Id &>()),
                        std::true_type());
        template <class> static std::false_type test(...);
        using type = decltype(test<F>(nullptr));
    };
    template <class F> void set(F f, std::true_type)
    {
        body = [f](Graph &graph, const TimeStepState &time, const RnnBatchwiseFlags &flags, Tensors &state,
                   const RnnSlice &slice, Tensors &created, Sequence *prog, const Id &id) mutable {
            return f(graph, time.begin, time.counter, flags, state, slice, created, prog, id);
        };
    }
    template <class F> void set(F f, std::false_type) { body = std::move(f); }

  public:
    template <class F, class = typename std::enable_if<!std::is_same<F, LoopBodyType>::value>::type>
    LoopBodyType(F f)
    {
        set(std::move(f), typename takesTensors<F>::type());
    }
    Sequence operator()(Graph &graph, const TimeStepState &time, const RnnBatchwiseFlags &flags, Tensors &state,
                        const RnnSlice &slice, Tensors &created, Sequence *prog, const Id &id) const
    {
        return body(graph, time, flags, state, slice, created, prog, id);
    }
};

/* The program that takes what `count` steps have left: inputs [count * batch][...], interimIn their temporaries. */
using GatherBodyType =
    std::function<poplar::program::Sequence(poplar::Graph &, const RnnSlice &, unsigned stepsPerGather,
                                            poplar::program::Sequence *, const poplar::DebugNameAndId &)>;

/* State `stateIndex` of each step is written to `output`. */
struct StateSequence {
    poplar::Tensor output;
    std::size_t stateIndex;
};

namespace detail {

/* Rows that a step slices: whole rows stay on one tile. */
inline poplar::Tensor sequenceOf(poplar::Graph &graph, const poplar::Type &type, std::vector<std::size_t> shape,
                                 const poplar::DebugContext &debugContext)
{
    return popops::createSliceableTensor(graph, type, shape, { 0 }, { 1 }, 0, debugContext);
}

/* Everything that a call of Rnn has made. */
class Loop {
    poplar::Graph &graph;
    const RnnParams &params;
    poplar::program::Sequence &prog;
    const poplar::DebugNameAndId id;
    poplar::Tensor begin, counter,
        most;              /* unsigned int[1]; most: without elements, or steps of the longest sample */
    poplar::Tensor counts; /* bool [batch]: the step is one of the sample's */

    poplar::Tensor number(unsigned value, const char *name)
    {
        poplar::Tensor t = graph.addVariable(poplar::UNSIGNED_INT, { 1 }, { id, name });
        graph.setTileMapping(t, 0);
        popops::fill(graph, t, prog, value, { id, name });
        return t;
    }

  public:
    std::vector<poplar::Tensor> state;

    Loop(poplar::Graph &g, const RnnParams &p, poplar::program::Sequence &sequence,
         const std::vector<poplar::Tensor> &initState, unsigned first, const poplar::DebugContext &debugContext)
        : graph(g), params(p), prog(sequence), id(debugContext.getPathName())
    {
        if (!p.maxTimeSteps || !p.batchSize)
            throw poputil::poplibs_error("popnn::rnn::Rnn: there are no steps, or no samples");
        begin = graph.addConstant(poplar::UNSIGNED_INT, { 1 }, 0u, { id, "begin" });
        graph.setTileMapping(begin, 0);
        counter = number(first, "counter");
        if (p.variableTimeSteps())
            most = popops::reduce(graph, p.varTimeSteps, { 0 }, { popops::Operation::MAX }, prog, { id, "most" })
                       .reshape({ 1 });
        for (const poplar::Tensor &t : initState) {
            state.push_back(t.valid() ? graph.clone(t, { id, "state" }) : t);
            if (t.valid()) prog.add(poplar::program::Copy(t, state.back(), false, { id, "state" }));
        }
    }
    const poplar::Tensor &step() const { return counter; }
    TimeStepState time() const { return { begin, counter, most }; }

    /* [count] rows from `at` on, joined with what is behind them. */
    poplar::Tensor read(const poplar::Tensor &sequence, const poplar::Tensor &at, std::size_t count,
                        poplar::program::Sequence &body)
    {
        if (!sequence.valid()) return sequence;
        if (sequence.rank() < 2 || sequence.dim(0) != params.maxTimeSteps)
            throw poputil::poplibs_error("popnn::rnn::Rnn: a sequence has " + sequence.shapeToString() + ", not " +
                                         std::to_string(params.maxTimeSteps) + " steps");
        return popops::dynamicSlice(graph, sequence, at, { 0 }, { count }, body, { id, "read" }).flatten(0, 2);
    }
    /* A row, or as many as it has of its own, of a sequence. */
    void write(poplar::Tensor sequence, const poplar::Tensor &row, const poplar::Tensor &at,
               poplar::program::Sequence &body)
    {
        if (sequence.rank() == row.rank())
            sequence = sequence.reshapePartial(0, 1, { sequence.dim(0) / row.dim(0), row.dim(0) });
        popops::dynamicUpdate(graph, sequence, row.expand({ 0 }), at, { 0 }, { 1 }, body, { id, "write" });
    }
    RnnBatchwiseFlags flags(poplar::program::Sequence &body)
    {
        if (!params.batchVariableTimeSteps()) return {};
        counts = popops::gt(graph, params.varTimeSteps, counter, body, { id, "own" });
        poplar::Tensor mask = popops::cast(graph, counts, params.dataType, body, { id, "mask" });
        return { mask, popops::cast(graph, popops::logicalNot(graph, counts, body, { id, "past" }), params.dataType,
                                    body, { id, "inverse" }) };
    }
    /* What a step writes of a state: 0 for samples that have ended. */
    poplar::Tensor stored(const StateSequence &sequence, const RnnBatchwiseFlags &flags,
                          poplar::program::Sequence &body)
    {
        const poplar::Tensor &t = state.at(sequence.stateIndex);
        if (!flags.valid()) return t;
        poplar::Tensor zero = graph.addConstant(t.elementType(), {}, 0, { id, "zero" });
        graph.setTileMapping(zero, 0);
        return popops::select(graph, t, zero, counts.expand({ 1 }), body, { id, "stored" }); /* not NaN * 0 */
    }
    poplar::Tensor temporary(const poplar::ArrayRef<std::size_t> &shape, const char *name)
    {
        poplar::Tensor t = graph.addVariable(params.dataType, shape, { id, name });
        poputil::mapTensorLinearly(graph, t);
        return t;
    }
    /* `body`, or `past` behind the last step of the longest sample. */
    void counted(poplar::program::Sequence &into, const poplar::program::Sequence &body,
                 const poplar::program::Sequence &past)
    {
        if (!params.variableTimeSteps()) {
            into.add(body);
            return;
        }
        poplar::Tensor own = popops::lt(graph, counter, most, into, { id, "counts" });
        into.add(poplar::program::If(own.reshape({}), body, past, { id, "step" }));
    }
    void advance(poplar::program::Sequence &body, bool reverse)
    {
        if (reverse)
            popops::subInPlace(graph, counter, 1u, body, { id, "counter" });
        else
            popops::addInPlace(graph, counter, 1u, body, { id, "counter" });
    }
    RnnSlice slice(const std::vector<poplar::Tensor> &inputs, const poplar::Tensor *interimIn,
                   std::size_t temporaries, poplar::program::Sequence &body)
    {
        RnnSlice s;
        for (const poplar::Tensor &t : inputs) s.inputs.push_back(read(t, counter, 1, body));
        if (interimIn) s.interimIn = read(*interimIn, counter, 1, body);
        if (temporaries)
            s.interimOut = temporary({ temporaries, params.batchSize, params.layerSizes.at(1) }, "interimOut");
        return s;
    }
    const poplar::DebugNameAndId &name() const { return id; }
};

inline void checkOptions(const char *call, const poplar::OptionFlags &options)
{
    for (const auto &o : options)
        if (o.first != "codeReuse" || (o.second != "true" && o.second != "false"))
            throw poplar::invalid_option(std::string(call) + ": '" + o.first + "' = '" + o.second +
                                         "' is no option: codeReuse is, true or false");
}

} // namespace detail

/* --- tensors -------------------------------------------------------------------------------------------------- */

/* [multiple][batch][inputs or outputs] */
inline poplar::Tensor createInitialState(poplar::Graph &graph, const RnnParams &params, bool isOutput,
                                         unsigned multiple, unsigned, const poplar::DebugContext &debugContext = {})
{
    poplar::Tensor t = graph.addVariable(
        params.dataType, { multiple, params.batchSize, params.layerSizes.at(isOutput) }, debugContext);
    poputil::mapTensorLinearly(graph, t);
    return t;
}
/* [steps][batch][size] */
inline poplar::Tensor createRecurrentTensor(poplar::Graph &graph, const RnnParams &params, unsigned size, unsigned,
                                            const poplar::DebugContext &debugContext = {})
{
    return detail::sequenceOf(graph, params.dataType, { params.maxTimeSteps, params.batchSize, size },
                              debugContext);
}
inline poplar::Tensor createInputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                                        const poplar::DebugContext &debugContext = {})
{
    return createRecurrentTensor(graph, params, static_cast<unsigned>(params.layerSizes.at(0)), numShards,
                                 debugContext);
}
inline poplar::Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                                         const poplar::DebugContext &debugContext = {})
{
    return createRecurrentTensor(graph, params, static_cast<unsigned>(params.layerSizes.at(1)), numShards,
                                 debugContext);
}
/* [steps * multiple][batch][outputs] */
inline poplar::Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned multiple, unsigned,
                                         const poplar::DebugContext &debugContext = {})
{
    return detail::sequenceOf(graph, params.dataType,
                              { params.maxTimeSteps, multiple, params.batchSize, params.layerSizes.at(1) },
                              debugContext)
        .flatten(0, 2);
}
/* For step n what tBase has for n - 1, and tSingle, which is copied, for the first. */
inline poplar::Tensor shiftRnnTensor(poplar::Graph &graph, const RnnParams &params, const poplar::Tensor &tBase,
                                     const poplar::Tensor &tSingle, poplar::program::Sequence &prog, unsigned,
                                     const poplar::DebugContext &debugContext = {})
{
    std::size_t multiple = params.maxTimeSteps ? tBase.dim(0) / params.maxTimeSteps : 0;
    if (!multiple || tSingle.dim(0) != multiple)
        throw poputil::poplibs_error("popnn::rnn::shiftRnnTensor: " + tSingle.shapeToString() + " is no step of " +
                                     tBase.shapeToString());
    poplar::Tensor first = graph.clone(tSingle, debugContext);
    prog.add(poplar::program::Copy(tSingle, first, false, debugContext));
    return poplar::concat(first, tBase.slice(0, tBase.dim(0) - multiple));
}

/* --- loops ---------------------------------------------------------------------------------------------------- */

/* `loopFn` makes the program of a step, which reads and writes the state in place. Returned: the states after the
 * last step. Sequences are [steps][...]; interimOut [steps][m][batch][outputs] gets what is in slice.interimOut,
 * outputs [steps * m][batch][size] what is in slice.outputs, created[i] what the function has made. Behind the last
 * step of the longest sample states stay, and 0 is written for interimOut and the state sequence. */
inline std::vector<poplar::Tensor>
Rnn(poplar::Graph &graph, const RnnParams &params, bool reverse, const std::vector<poplar::Tensor> &initState,
    const StateSequence &stateSequence, const std::vector<poplar::Tensor> &inputs, const poplar::Tensor *interimIn,
    poplar::Tensor *interimOut, const std::vector<poplar::Tensor> &outputs,
    const std::vector<poplar::Tensor> &created, poplar::program::Sequence &prog, const LoopBodyType &loopFn,
    unsigned, poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {})
{
    detail::checkOptions("popnn::rnn::Rnn", options);
    detail::Loop loop(graph, params, prog, initState, reverse ? static_cast<unsigned>(params.maxTimeSteps) - 1 : 0,
                      debugContext);
    poplar::program::Sequence step, body, past;
    RnnSlice slice = loop.slice(inputs, interimIn, interimOut ? interimOut->dim(1) : 0, body);
    for (const poplar::Tensor &t : outputs)
        slice.outputs.push_back(loop.temporary({ t.dim(0) / params.maxTimeSteps, t.dim(1), t.dim(2) }, "output"));
    const RnnBatchwiseFlags flags = loop.flags(body);
    std::vector<poplar::Tensor> made(created.size());
    body.add(loopFn(graph, loop.time(), flags, loop.state, slice, made, &prog, loop.name()));
    if (interimOut) {
        loop.write(*interimOut, slice.interimOut, loop.step(), body);
        popops::zero(graph, slice.interimOut, past, loop.name());
        loop.write(*interimOut, slice.interimOut, loop.step(), past);
    }
    if (stateSequence.output.valid()) {
        poplar::Tensor row = loop.stored(stateSequence, flags, body);
        loop.write(stateSequence.output, row, loop.step(), body);
        poplar::Tensor zeros = graph.clone(row, { loop.name(), "zeros" });
        popops::zero(graph, zeros, past, loop.name());
        loop.write(stateSequence.output, zeros, loop.step(), past);
    }
    for (std::size_t i = 0; i < outputs.size(); i++) loop.write(outputs[i], slice.outputs[i], loop.step(), body);
    for (std::size_t i = 0; i < created.size(); i++) loop.write(created[i], made[i], loop.step(), body);
    loop.counted(step, body, past);
    loop.advance(step, reverse);
    prog.add(poplar::program::Repeat(static_cast<unsigned>(params.maxTimeSteps), step, loop.name()));
    return loop.state;
}

/* From the last step to the first; after each `stepsPerGather` of them, and after what is left, `gatherFn` gets their
 * temporaries, `numTemps` of [batch][outputs] for each step, with the rows of gatherInputs, in the order of the
 * steps. */
inline std::vector<poplar::Tensor>
Rnn(poplar::Graph &graph, const RnnParams &params, const std::vector<poplar::Tensor> &initState,
    const StateSequence &stateSequence, const std::vector<poplar::Tensor> &inputs, const poplar::Tensor &interimIn,
    const unsigned numTemps, poplar::program::Sequence &prog, const LoopBodyType &loopFn,
    const std::vector<poplar::Tensor> &gatherInputs, const GatherBodyType &gatherFn, unsigned,
    unsigned stepsPerGather, poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {})
{
    using poplar::program::Repeat;
    using poplar::program::Sequence;
    detail::checkOptions("popnn::rnn::Rnn", options);
    if (!stepsPerGather || !numTemps)
        throw poputil::poplibs_error("popnn::rnn::Rnn: nothing is gathered, of 0 steps or temporaries");
    const unsigned steps = static_cast<unsigned>(params.maxTimeSteps), size = std::min(stepsPerGather, steps);
    detail::Loop loop(graph, params, prog, initState, steps - 1, debugContext);
    /* of the steps of one gathering, in their order; `place` goes down with the steps */
    poplar::Tensor kept = detail::sequenceOf(
        graph, params.dataType, { size, numTemps, params.batchSize, params.layerSizes.at(1) }, loop.name());
    poplar::Tensor place = graph.addVariable(poplar::UNSIGNED_INT, { 1 }, { loop.name(), "place" });
    graph.setTileMapping(place, 0);

    Sequence step, body, past;
    RnnSlice slice = loop.slice(inputs, interimIn.valid() ? &interimIn : nullptr, numTemps, body);
    const RnnBatchwiseFlags flags = loop.flags(body);
    std::vector<poplar::Tensor> none;
    body.add(loopFn(graph, loop.time(), flags, loop.state, slice, none, &prog, loop.name()));
    popops::zero(graph, slice.interimOut, past, loop.name());
    if (stateSequence.output.valid()) {
        poplar::Tensor row = loop.stored(stateSequence, flags, body);
        loop.write(stateSequence.output, row, loop.step(), body);
        poplar::Tensor zeros = graph.clone(row, { loop.name(), "zeros" });
        popops::zero(graph, zeros, past, loop.name());
        loop.write(stateSequence.output, zeros, loop.step(), past);
    }
    loop.counted(step, body, past);
    loop.write(kept, slice.interimOut, place, step);
    popops::subInPlace(graph, place, 1u, step, { loop.name(), "place" });
    loop.advance(step, true);

    const poplar::Function once = graph.addFunction(step);
    bool first = true;
    for (unsigned left = steps, count; left; left -= count * (left / count)) {
        count = std::min(size, left);
        Sequence block;
        popops::fill(graph, place, block, count - 1, { loop.name(), "place" });
        block.add(Repeat(count, poplar::program::Call(once), loop.name()));
        /* the counter is one step before the first of these; behind step 0 it has wrapped */
        poplar::Tensor from = popops::add(graph, loop.step(), 1u, block, { loop.name(), "from" });
        RnnSlice gathered;
        for (const poplar::Tensor &t : gatherInputs) gathered.inputs.push_back(loop.read(t, from, count, block));
        gathered.interimIn = kept.slice(0, count).flatten(0, 2);
        block.add(gatherFn(graph, gathered, count, first ? &prog : nullptr, loop.name()));
        prog.add(Repeat(left / count, block, loop.name()));
        first = false;
    }
    return loop.state;
}

} // namespace rnn
} // namespace popnn
#endif
