// SPDX-License-Identifier: MIT
/* Code of the host that Poplar calls: values that depend on addresses, functions that programs call; function buffers
 * and the clock, which published programs use beside them. */
#include "expect.hpp"

#include <numeric>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/LateInitCallback.hpp>
#include <sstream>
#include <stdexcept>

using namespace poplar;
using namespace poplar::program;

static Device model(unsigned tiles = 4)
{
    IPUModel m;
    m.tilesPerIPU = tiles;
    return m.createDevice();
}

static void addCodelets(Graph &g)
{
    std::stringstream source("#include <poplar/Vertex.hpp>\n"
                             "using namespace poplar;\n"
                             "class Late : public Vertex {\n"
                             "public:\n"
                             "  Input<Vector<float>> in; Vector<Input<Vector<float>>> rows;\n"
                             "  unsigned short distance; float real; unsigned pair[2];\n"
                             "  Output<Vector<float>> out;\n"
                             "  bool compute() { out[0] = distance; out[1] = real; return true; }\n"
                             "};\n");
    g.addCodelets(source);
}

struct Broken : std::runtime_error {
    Broken() : std::runtime_error("thrown by the callback") {}
};

/* What an engine of such a graph reads back; `distance` and `real` come from the callbacks. */
template <class T, class U>
static std::vector<float> late(const Device &d, LateInitCallback<T> distance, LateInitCallback<U> real)
{
    Graph g(d);
    addCodelets(g);
    Tensor in = g.addVariable(FLOAT, { 8 }, "in"), out = g.addVariable(FLOAT, { 2 }, "out");
    ComputeSet cs = g.addComputeSet("late");
    VertexRef v = g.addVertex(cs, "Late", { { "in", in.slice(0, 4) }, { "out", out } });
    g.setFieldSize(v["rows"], 2);
    g.connect(v["rows"][0], in.slice(4, 7));
    g.connect(v["rows"][1], in.slice(6, 8));
    g.setTileMapping(v, 0), g.setTileMapping(in, 0), g.setTileMapping(out, 0);
    g.setPerfEstimate(v, 10);
    g.setInitialValue(v["pair"], std::vector<unsigned>{ 1, 2 });
    g.setInitialValue(v["distance"], distance);
    g.setInitialValue(v["real"], real);
    g.createHostRead("out", out);
    Engine e(g, Execute(cs));
    e.loadAndRun(d);
    std::vector<float> result(2);
    e.readTensor("out", result.data(), result.data() + 2);
    return result;
}

static void late_values()
{
    VertexEdgeInfo seen;
    LateInitCallback<unsigned short> distance = [&](const VertexEdgeInfo &edges) {
        seen = edges;
        return static_cast<unsigned short>(edges.storage.at("rows")[0].startOffs -
                                           edges.storage.at("in")[0].startOffs);
    };
    LateInitCallback<float> half = [](const VertexEdgeInfo &) { return 0.5f; };
    EXPECT(late(model(), distance, half) == std::vector<float>({ 16, 0.5f })); /* four floats lie between them */
    EXPECT(seen.storage.size() == 3 && seen.storage["in"].size() == 1 && seen.storage["rows"].size() == 2);
    EXPECT(seen.storage["in"][0].len == 16 && seen.storage["rows"][0].len == 12 &&
           seen.storage["rows"][1].len == 8);
    EXPECT(seen.storage["rows"][1].startOffs - seen.storage["rows"][0].startOffs == 8);
    EXPECT(seen.storage["out"][0].len == 8 && seen.storage.count("distance") == 0);

    LateInitCallback<int> large = [](const VertexEdgeInfo &) { return 65536; };
    EXPECT_THROWS(overflow_error, late(model(), large, half));
    LateInitCallback<float> broken = [](const VertexEdgeInfo &) -> float { throw Broken(); };
    EXPECT_THROWS(Broken, late(model(), distance, broken));
    EXPECT_THROWS(poplar_error, late(Device::createCPUDevice(), distance, half));
    Graph g(model());
    addCodelets(g);
    VertexRef v = g.addVertex(g.addComputeSet(), "Late");
    EXPECT_THROWS(type_error, (g.setInitialValue(v["pair"], half), 0));
    EXPECT_THROWS(graph_connection_error, (g.setInitialValue(v["in"], half), 0));
    EXPECT_THROWS(unknown_field, (g.setInitialValue(v["nothing"], half), 0));
}

struct Counter : HostCallback {
    unsigned *calls;
    explicit Counter(unsigned *c) : calls(c) {}
    void operator()(ArrayRef<const void *> in, ArrayRef<void *> out) override
    {
        ++*calls;
        EXPECT(in.size() == 2 && out.size() == 1);
        const float *x = static_cast<const float *>(in[0]);
        const int *n = static_cast<const int *>(in[1]);
        *static_cast<float *>(out[0]) = std::accumulate(x, x + 3, 0.0f) * static_cast<float>(*n);
    }
};

static void host_functions(const Device &d)
{
    Graph g(d);
    Tensor x = g.addVariable(FLOAT, { 3 }, "x"), n = g.addVariable(INT, {}, "n"), sum = g.addVariable(FLOAT, { 1 });
    for (const Tensor &t : { x, n, sum }) g.setTileMapping(t, 0);
    g.setInitialValue(x, ArrayRef<float>({ 1, 2, 3 })), g.setInitialValue(n, 4);
    HostFunction f = g.addHostFunction("weigh", { { FLOAT, 3 }, { INT, 1 } }, { { FLOAT, 1 } });
    std::vector<Graph::HostFunctionArgument> none;
    HostFunction bare = g.addHostFunction("bare", none, {});
    g.createHostRead("sum", sum);
    Engine e(g, Sequence(Call(f, { x, n }, { sum }), Repeat(3, Call(bare, {}, {}))));
    EXPECT_THROWS(stream_connection_error, (e.load(d), e.run()));
    unsigned calls = 0, bareCalls = 0;
    e.connectHostFunction("weigh", 0, std::unique_ptr<Counter>(new Counter(&calls)));
    e.connectHostFunction("bare", 0, [&](ArrayRef<const void *> in, ArrayRef<void *> out) {
        bareCalls += in.empty() && out.empty();
    });
    e.run();
    float got = 0;
    e.readTensor("sum", &got, &got + 1);
    EXPECT(got == 24 && calls == 1 && bareCalls == 3);
    EXPECT_THROWS(stream_connection_error,
                  (e.connectHostFunction("nobody", 0, [](ArrayRef<const void *>, ArrayRef<void *>) {}), 0));
    /* Mistakes come to light where programs are lowered. */
    EXPECT_THROWS(control_program_error, Engine(g, Call(f, { x }, { sum })));
    EXPECT_THROWS(type_error, Engine(g, Call(f, { x, sum }, { sum })));
    EXPECT_THROWS(stream_connection_error, g.addHostFunction("weigh", { { FLOAT, 3 } }, {}));
    EXPECT(f == HostFunction(f.getId()) && !(f == bare));
    std::ostringstream text;
    dumpProgram(g, Call(f, { x, n }, { sum }), text);
    EXPECT(text.str().find("Call host function") == 0);
}

static void function_buffers()
{
    Device d = model();
    Graph g(d);
    Tensor x = g.addVariable(INT, { 2 }), c = g.addConstant(INT, { 2 }, 6);
    g.setTileMapping(x, 1), g.setTileMapping(c, 0);
    g.createHostRead("x", x);
    Function f = g.addFunction(Copy(c, x)), other = g.addFunction(Sequence());
    FunctionBuffer b = g.addFunctionBuffer(f, FunctionBufferMappingType::REMOTE);
    EXPECT(b == FunctionBuffer(b.getId()));
    Engine e(g, Sequence(Copy(b, f), Call(f)));
    e.loadAndRun(d);
    int got[2] = { 0, 0 };
    e.readTensor("x", got, got + 2);
    EXPECT(got[0] == 6 && got[1] == 6);
    EXPECT_THROWS(control_program_error, Engine(g, Copy(b, other)));
    EXPECT_THROWS(control_program_error, g.addFunctionBuffer(Function(99), FunctionBufferMappingType::REMOTE));
}

static unsigned long long wordsOf(Engine &e, const char *handle)
{
    unsigned words[2] = { 7, 7 };
    e.readTensor(handle, words, words + 2);
    return words[0] + (static_cast<unsigned long long>(words[1]) << 32);
}

/* 25 cycles of a worker, whose turn is every sixth cycle of its tile, and the sync behind the program; that one
 * is what an empty program takes. */
static void cycles()
{
    Device d = model();
    Graph g(d);
    addCodelets(g);
    Tensor out = g.addVariable(FLOAT, { 2 }), in = g.addVariable(FLOAT, { 4 });
    ComputeSet cs = g.addComputeSet("late");
    VertexRef v = g.addVertex(cs, "Late", { { "in", in }, { "rows", in.reshape({ 2, 2 }) }, { "out", out } });
    g.setInitialValue(v["distance"], 0), g.setInitialValue(v["real"], 0.0f);
    g.setInitialValue(v["pair"], std::vector<unsigned>{ 1, 2 });
    g.setTileMapping(v, 2), g.setTileMapping(in, 2), g.setTileMapping(out, 2);
    g.setPerfEstimate(v, 25);
    Sequence timed, empty, stamped;
    for (int i = 0; i < 10; i++) timed.add(Execute(cs));
    Tensor full = cycleCount(g, timed, 1, SyncType::INTERNAL, "full"), nothing = cycleCount(g, empty, 2, "nothing");
    std::vector<Tensor> first = cycleStamp(g, stamped, { 0, 3 }, SyncType::EXTERNAL);
    stamped.add(Execute(cs));
    Tensor second = cycleStamp(g, stamped, 0, SyncType::INTERNAL);
    EXPECT(first.size() == 2 && full.shape() == std::vector<std::size_t>{ 2 } &&
           full.elementType() == UNSIGNED_INT);
    EXPECT(g.getTileMapping(full)[1].size() == 1 && g.getTileMapping(first[1])[3].size() == 1);
    g.createHostRead("full", full), g.createHostRead("nothing", nothing);
    g.createHostRead("a", first[0]), g.createHostRead("b", first[1]), g.createHostRead("c", second);
    Engine e(g, { Sequence(timed, empty), stamped });
    e.load(d);
    e.run(0);
    unsigned long long sync = wordsOf(e, "nothing");
    EXPECT(sync > 0 && wordsOf(e, "full") == 10 * 25 * 6 + sync);
    e.run(1);
    EXPECT(wordsOf(e, "a") == wordsOf(e, "b") && wordsOf(e, "c") == wordsOf(e, "a") + 25 * 6 + sync);
}

int main()
{
    late_values();
    host_functions(model());
    host_functions(Device::createCPUDevice());
    host_functions(Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu2")));
    function_buffers();
    cycles();
    return failures != 0;
}
