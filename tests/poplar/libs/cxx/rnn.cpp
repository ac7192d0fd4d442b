// SPDX-License-Identifier: MIT
/* Recurrent networks whose cell is the caller's, against loops in double: forward and in reverse, with numbers of
 * steps, with temporaries that are gathered. The cell is s = s / 2 + x, y = 3 s. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popnn/Recurrent.hpp>
#include <popops/ElementWise.hpp>

using namespace poplar;
using namespace poplar::program;
using namespace popnn::rnn;

enum { STEPS = 5, BATCH = 2, SIZE = 3, ROW = BATCH * SIZE };

struct Run {
    std::vector<float> x = std::vector<float>(STEPS * ROW), start = std::vector<float>(ROW);
    std::vector<unsigned> real;
    std::map<std::string, std::vector<float>> out;
};

static Run numbers(std::vector<unsigned> real)
{
    Run r;
    r.real = std::move(real);
    for (std::size_t i = 0; i < r.x.size(); i++)
        r.x[i] = static_cast<float>(std::sin(1.0 + 2.3 * static_cast<double>(i)));
    for (std::size_t i = 0; i < r.start.size(); i++) r.start[i] = 1 + static_cast<float>(i) / 8;
    return r;
}

static RnnParams paramsOf(Graph &graph, const Run &r)
{
    RnnParams params(FLOAT, BATCH, STEPS, { SIZE, SIZE });
    if (!r.real.empty()) {
        params.varTimeSteps = graph.addConstant(UNSIGNED_INT, { r.real.size() }, r.real.data());
        graph.setTileMapping(params.varTimeSteps, 0);
    }
    return params;
}

static void execute(Device &device, Graph &graph, const Sequence &prog, const Tensor &x, const Tensor &start,
                    Run &r, const std::map<std::string, Tensor> &read)
{
    graph.createHostWrite("x", x);
    graph.createHostWrite("start", start);
    for (const auto &t : read) graph.createHostRead(t.first, t.second);
    Engine engine(graph, prog);
    engine.load(device);
    engine.writeTensor("x", r.x.data(), r.x.data() + r.x.size());
    engine.writeTensor("start", r.start.data(), r.start.data() + r.start.size());
    engine.run();
    for (const auto &t : read) {
        std::vector<float> &into = r.out[t.first];
        into.resize(t.second.numElements());
        engine.readTensor(t.first, into.data(), into.data() + into.size());
    }
}

static void near(const std::vector<float> &seen, const std::vector<double> &want)
{
    EXPECT(seen.size() == want.size());
    for (std::size_t i = 0; i < seen.size() && i < want.size(); i++)
        EXPECT(std::abs(static_cast<double>(seen[i]) - want[i]) < 1e-5);
}

/* A sample's steps: its own number, or that of all. */
static unsigned stepsOf(const Run &r, std::size_t sample)
{
    return r.real.empty() ? static_cast<unsigned>(STEPS) : r.real[r.real.size() == 1 ? 0 : sample];
}

/* States of each step, outputs 3 s, temporaries (s, x), and what is left; samples that have ended keep theirs. */
static void loops(Device &device, bool reverse, const std::vector<unsigned> &real)
{
    Run r = numbers(real);
    Graph graph(device.getTarget());
    Sequence prog;
    const RnnParams params = paramsOf(graph, r);
    Tensor x = createInputTensor(graph, params, 1, "x"), start = createInitialState(graph, params, true, 1, 1, "s"),
           states = createOutputTensor(graph, params, 1, "states"),
           made = createOutputTensor(graph, params, 1, "made"),
           out = createOutputTensor(graph, params, 1u, 1u, "out"),
           interim = createOutputTensor(graph, params, 2u, 1u, "interim").reshapePartial(0, 1, { STEPS, 2 });
    for (const Tensor &t : { states, made, out, interim }) popops::zero(graph, t, prog);
    const auto cell = [](Graph &g, const Tensor &, const Tensor &counter, const RnnBatchwiseFlags &flags,
                         std::vector<Tensor> &state, const RnnSlice &slice, std::vector<Tensor> &created,
                         Sequence *init, const DebugNameAndId &id) {
        EXPECT(counter.numElements() == 1 && init);
        Sequence step;
        Tensor in = slice.inputs[0], next = popops::mul(g, state[0].squeeze({ 0 }), 0.5f, step, { id, "half" });
        popops::addInPlace(g, next, in, step);
        if (flags.valid()) {
            popops::mulInPlace(g, next, flags.mask.expand({ 1 }), step);
            Tensor old = popops::mul(g, state[0].squeeze({ 0 }), flags.inverse.expand({ 1 }), step);
            popops::addInPlace(g, next, old, step);
        }
        step.add(Copy(next, state[0].squeeze({ 0 })));
        step.add(Copy(next, slice.interimOut[0]));
        step.add(Copy(in, slice.interimOut[1]));
        step.add(Copy(popops::mul(g, next, 3.0f, step), slice.outputs[0].squeeze({ 0 })));
        created[0] = popops::neg(g, next, step);
        return step;
    };
    OptionFlags options = { { "codeReuse", "true" } };
    std::vector<Tensor> last = Rnn(graph, params, reverse, { start }, { states, 0 }, { x }, nullptr, &interim,
                                   { out }, { made }, prog, cell, 1, options, "run");
    execute(
        device, graph, prog, x, start, r,
        { { "states", states }, { "out", out }, { "made", made }, { "interim", interim }, { "last", last[0] } });

    std::vector<double> s(r.start.begin(), r.start.end()), each(STEPS * ROW), outs(STEPS * ROW), mades(STEPS * ROW),
        kept(2 * STEPS * ROW);
    const unsigned most = std::max(stepsOf(r, 0), stepsOf(r, 1));
    for (unsigned k = 0; k < STEPS; k++) {
        const std::size_t t = reverse ? STEPS - 1 - k : k;
        for (std::size_t i = 0; i < ROW && t < most; i++) {
            const bool own = t < stepsOf(r, i / SIZE);
            const double in = static_cast<double>(r.x[t * ROW + i]);
            if (own) s[i] = s[i] / 2 + in;
            each[t * ROW + i] = own ? s[i] : 0;
            outs[t * ROW + i] = 3 * s[i], mades[t * ROW + i] = -s[i];
            kept[2 * t * ROW + i] = s[i], kept[(2 * t + 1) * ROW + i] = in;
        }
    }
    near(r.out["states"], each), near(r.out["out"], outs), near(r.out["made"], mades);
    near(r.out["interim"], kept), near(r.out["last"], s);
}

/* In reverse; the sum over steps of t(state) x(step) comes from what is gathered. */
static void gathers(Device &device, unsigned stepsPerGather, const std::vector<unsigned> &real)
{
    Run r = numbers(real);
    Graph graph(device.getTarget());
    Sequence prog;
    const RnnParams params = paramsOf(graph, r);
    Tensor x = createInputTensor(graph, params, 1, "x"), start = createInitialState(graph, params, true, 1, 1, "s");
    Tensor sum = graph.addVariable(FLOAT, { ROW }, "sum");
    graph.setTileMapping(sum, 0);
    popops::zero(graph, sum, prog);
    const auto cell = [](Graph &g, const TimeStepState &time, const RnnBatchwiseFlags &, std::vector<Tensor> &state,
                         const RnnSlice &slice, std::vector<Tensor> &, Sequence *, const DebugNameAndId &) {
        EXPECT(time.begin.numElements() == 1 && time.counter.numElements() == 1);
        Sequence step;
        Tensor own = state[0].squeeze({ 0 });
        popops::mulInPlace(g, own, 0.5f, step);
        popops::addInPlace(g, own, slice.interimIn, step);
        step.add(Copy(own, slice.interimOut[0]));
        return step;
    };
    unsigned calls = 0;
    const auto gather = [&](Graph &g, const RnnSlice &slice, unsigned count, Sequence *init,
                            const DebugNameAndId &) {
        EXPECT(count == (calls ? STEPS % stepsPerGather : std::min<unsigned>(stepsPerGather, STEPS)));
        EXPECT((init != nullptr) == !calls);
        calls++;
        Sequence step;
        Tensor both =
            popops::mul(g, slice.inputs[0].reshape({ count, ROW }), slice.interimIn.reshape({ count, ROW }), step);
        for (unsigned i = 0; i < count; i++) popops::addInPlace(g, sum, both[i], step);
        return step;
    };
    OptionFlags options;
    Rnn(graph, params, { start }, StateSequence(), {}, x, 1, prog, cell, { x }, gather, 1, stepsPerGather, options,
        "run");
    execute(device, graph, prog, x, start, r, { { "sum", sum } });
    std::vector<double> s(r.start.begin(), r.start.end()), want(ROW);
    for (std::size_t t = STEPS; t-- > 0;)
        for (std::size_t i = 0; i < ROW && t < stepsOf(r, 0); i++) {
            const double in = static_cast<double>(r.x[t * ROW + i]);
            s[i] = s[i] / 2 + in, want[i] += s[i] * in;
        }
    near(r.out["sum"], want);
}

static void shifts(Device &device)
{
    Run r = numbers({});
    Graph graph(device.getTarget());
    Sequence prog;
    const RnnParams params = paramsOf(graph, r);
    Tensor x = createInputTensor(graph, params, 1, "x"), start = createInitialState(graph, params, true, 1, 1, "s");
    Tensor shifted = shiftRnnTensor(graph, params, x, start, prog, 1);
    execute(device, graph, prog, x, start, r, { { "shifted", shifted } });
    std::vector<double> want(r.start.begin(), r.start.end());
    want.insert(want.end(), r.x.begin(), r.x.end() - ROW);
    near(r.out["shifted"], want);
    EXPECT_THROWS(poputil::poplibs_error, shiftRnnTensor(graph, params, x, x, prog, 1));
    OptionFlags options = { { "codeReused", "true" } };
    EXPECT_THROWS(invalid_option,
                  Rnn(graph, params, false, { start }, StateSequence(), { x }, nullptr, nullptr, {}, {}, prog,
                      LoopBodyType([](Graph &, const TimeStepState &, const RnnBatchwiseFlags &,
                                      std::vector<Tensor> &, const RnnSlice &, std::vector<Tensor> &, Sequence *,
                                      const DebugNameAndId &) { return Sequence(); }),
                      1, options));
}

/* What a sample has left behind, even an infinity, is 0 in the sequence of states after its last step. */
static void ended(Device &device)
{
    Run r = numbers({ 1, STEPS });
    for (std::size_t i = 0; i < SIZE; i++) r.start[i] = i ? HUGE_VALF : NAN;
    Graph graph(device.getTarget());
    Sequence prog;
    const RnnParams params = paramsOf(graph, r);
    Tensor x = createInputTensor(graph, params, 1, "x"), start = createInitialState(graph, params, true, 1, 1, "s"),
           states = createOutputTensor(graph, params, 1, "states");
    const auto cell = [](Graph &g, const TimeStepState &, const RnnBatchwiseFlags &flags,
                         std::vector<Tensor> &state, const RnnSlice &slice, std::vector<Tensor> &, Sequence *,
                         const DebugNameAndId &) {
        EXPECT(flags.valid());
        Sequence step;
        popops::addInPlace(g, state[0], slice.inputs[0].expand({ 0 }), step);
        return step;
    };
    OptionFlags options;
    Rnn(graph, params, false, { start }, { states, 0 }, { x }, nullptr, nullptr, {}, {}, prog, cell, 1, options);
    execute(device, graph, prog, x, start, r, { { "states", states } });
    const std::vector<float> &seen = r.out["states"];
    for (std::size_t i = 0; i < SIZE; i++) {
        EXPECT(i ? std::isinf(seen[i]) : std::isnan(seen[i]));
        for (std::size_t t = 1; t < STEPS; t++)
            EXPECT(seen[t * ROW + i] == 0 && std::isfinite(seen[t * ROW + SIZE + i]));
    }
}

/* A plain layer in double: outputs of all steps, tanh(x Wff + h Wfb + b). */
struct Layer {
    enum { IN = 4 };
    std::vector<double> x, h, wff, wfb, b;
    static std::vector<double> drawn(std::size_t n, double from)
    {
        std::vector<double> v(n);
        for (std::size_t i = 0; i < n; i++)
            v[i] = static_cast<double>(static_cast<float>(std::sin(from + 1.7 * static_cast<double>(i)) / 2));
        return v;
    }
    Layer()
        : x(drawn(STEPS * BATCH * IN, 1)), h(drawn(ROW, 2)), wff(drawn(IN * SIZE, 3)), wfb(drawn(SIZE * SIZE, 4)),
          b(drawn(SIZE, 5))
    {
    }
    std::vector<double> outputs() const
    {
        std::vector<double> all, now = h, next(ROW);
        for (std::size_t t = 0; t < STEPS; t++, now = next) {
            for (std::size_t i = 0; i < ROW; i++) {
                const std::size_t row = i / SIZE, column = i % SIZE;
                double sum = b[column];
                for (std::size_t k = 0; k < IN; k++) sum += x[(t * BATCH + row) * IN + k] * wff[k * SIZE + column];
                for (std::size_t k = 0; k < SIZE; k++) sum += now[row * SIZE + k] * wfb[k * SIZE + column];
                next[i] = std::tanh(sum);
            }
            all.insert(all.end(), next.begin(), next.end());
        }
        return all;
    }
};

/* Of the sum of outputs times `weight`, for each number of one of the layer's arrays, by differences. */
static std::vector<double> slopes(Layer layer, std::vector<double> Layer::*array, const std::vector<double> &weight)
{
    const double d = 1e-5;
    std::vector<double> out;
    for (double &v : layer.*array) {
        const double was = v;
        double sum = 0;
        for (double way : { d, -d }) {
            v = was + way;
            const std::vector<double> y = layer.outputs();
            for (std::size_t i = 0; i < y.size(); i++) sum += y[i] * weight[i] * (way > 0 ? 1 : -1);
        }
        v = was;
        out.push_back(sum / (2 * d));
    }
    return out;
}

static Tensor constantOf(Graph &graph, const std::vector<std::size_t> &shape, const std::vector<double> &v)
{
    Tensor t = graph.addConstant(FLOAT, shape, v.data());
    poputil::mapTensorLinearly(graph, t);
    return t;
}

static void plain(Device &device)
{
    const Layer layer;
    const std::vector<double> weight = Layer::drawn(STEPS * ROW, 6);
    Graph graph(device.getTarget());
    Sequence prog;
    Tensor x = createInput(graph, STEPS, BATCH, Layer::IN, SIZE, FLOAT),
           h = createFwdState(graph, FLOAT, BATCH, SIZE, prog, true, false),
           wff = createWeightsInput(graph, STEPS, BATCH, Layer::IN, SIZE, FLOAT),
           wfb = createWeightsFeedback(graph, BATCH, SIZE, FLOAT);
    EXPECT((x.shape() == std::vector<std::size_t>{ STEPS, BATCH, Layer::IN }) && wff.dim(0) == Layer::IN &&
           wfb.dim(1) == SIZE);
    Tensor b = constantOf(graph, { SIZE }, layer.b), slope = constantOf(graph, { STEPS, BATCH, SIZE }, weight);
    prog.add(Copy(constantOf(graph, x.shape(), layer.x), x));
    prog.add(Copy(constantOf(graph, h.shape(), layer.h), getOutputFromFwdState(h)));
    prog.add(Copy(constantOf(graph, wff.shape(), layer.wff), wff));
    prog.add(Copy(constantOf(graph, wfb.shape(), layer.wfb), wfb));
    Tensor weighted = forwardWeightInput(graph, x, wff, prog);
    Tensor y = rnnFwdSequence(graph, prog, h, nullptr, b, wff, wfb, x, popnn::NonLinearityType::TANH, FLOAT, false,
                              "fwd"),
           same = rnnFwdSequence(graph, prog, h, &weighted, b, wff, wfb, x, popnn::NonLinearityType::TANH, FLOAT,
                                 true);
    Tensor dx, dwff, dwfb, db;
    std::tie(dx, dwff, dwfb, db) =
        rnnBwdSequence(graph, true, false, prog, h, y, b, wff, wfb, slope.dimShuffle({ 1, 0, 2 }), x,
                       popnn::NonLinearityType::TANH, FLOAT, "bwd");
    auto few = rnnBwdSequence(graph, false, true, prog, h, y, b, wff, wfb, slope.dimShuffle({ 1, 0, 2 }), x,
                              popnn::NonLinearityType::TANH, FLOAT);
    EXPECT(!std::get<0>(few).valid() && !std::get<1>(few).valid() && dx.shape() == x.shape());
    std::pair<Tensor, Tensor> last =
        backwardGradientStep(graph, slope[STEPS - 1], createBwdState(graph, FLOAT, BATCH, SIZE, prog), y[STEPS - 1],
                             wff, wfb, prog, popnn::NonLinearityType::TANH);
    EXPECT_THROWS(poputil::poplibs_error,
                  forwardIterate(graph, x[0], h, wfb, b, prog, popnn::NonLinearityType::TANH));
    EXPECT(getMatMulPrePlanParameters(STEPS, BATCH, Layer::IN, SIZE, FLOAT).size() == 6 &&
           getFwdFlops(1, 1, 1, 1) == 4);
    const std::map<std::string, Tensor> read = {
        { "y", y },      { "same", same }, { "dx", dx },          { "wff", dwff },
        { "wfb", dwfb }, { "b", db },      { "last", last.first }
    };
    for (const auto &t : read) graph.createHostRead(t.first, t.second);
    Engine engine(graph, prog);
    engine.load(device);
    engine.run();
    std::map<std::string, std::vector<float>> out;
    for (const auto &t : read) {
        out[t.first].resize(t.second.numElements());
        engine.readTensor(t.first, out[t.first].data(), out[t.first].data() + out[t.first].size());
    }
    const std::vector<double> ofInputs = slopes(layer, &Layer::x, weight);
    near(out["y"], layer.outputs()), near(out["dx"], ofInputs),
        near(out["wff"], slopes(layer, &Layer::wff, weight));
    near(out["wfb"], slopes(layer, &Layer::wfb, weight)), near(out["b"], slopes(layer, &Layer::b, weight));
    near(out["last"], { ofInputs.end() - BATCH * Layer::IN, ofInputs.end() });
    EXPECT(out["same"] == out["y"]);
}

int main()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    Device device = m.createDevice();
    for (bool reverse : { false, true })
        for (const std::vector<unsigned> &real : { std::vector<unsigned>(), { 3 }, { 2, 4 } })
            loops(device, reverse, real);
    gathers(device, 2, {});
    gathers(device, 3, { 4 });
    gathers(device, 9, {});
    shifts(device);
    ended(device);
    plain(device);
    return failures;
}
