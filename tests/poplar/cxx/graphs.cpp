// SPDX-License-Identifier: MIT
/* Graphs, views, mapping, vertices, programs and engines through <poplar/...>, on the CPU and the IPU Model. */
#include "expect.hpp"

#ifdef __clang__
#pragma clang diagnostic ignored "-Wbraced-scalar-init" /* concat(a, b, { 1 }): published programs write so */
#endif

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static Device model()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    return m.createDevice();
}

static const char scale[] = "#include <poplar/Vertex.hpp>\n"
                            "class Scale : public poplar::Vertex {\n"
                            "public:\n"
                            "  poplar::InOut<poplar::Vector<float>> x;\n"
                            "  float by;\n"
                            "  bool compute() { for (auto &v : x) v *= by; return true; }\n"
                            "};\n";

static void views()
{
    Device d = model();
    Graph g(d);
    Tensor t = g.addVariable(FLOAT, { 4, 6 }, "t");
    EXPECT(t.shape() == std::vector<std::size_t>({ 4, 6 }) && t.numElements() == 24 && t.elementType() == FLOAT);
    EXPECT(t[1].rank() == 1 && t[1][2].rank() == 0 && t.slice({ 1, 2 }, { 3, 4 }).shapeToString() == "{2,2}");
    EXPECT(t.transpose().dim(0) == 6 && t.flatten() == t.reshape({ 24 }) && t.expand({ 0 }).dim(0) == 1);
    EXPECT(concat(t, t, { 1 }).dim(1) == 12 && concat({ t, t }).dim(0) == 8);
    EXPECT(t.slice(0, 0).numElements() == 0);
    EXPECT_THROWS(index_error, t[4]);
    EXPECT_THROWS(index_error, t.slice(3, 2));
    EXPECT_THROWS(poplar_error, t.reshape({ 5 }));
    EXPECT_THROWS(type_error, t.reinterpret(HALF));
    EXPECT_THROWS(poplar_error, Tensor().shape());
    EXPECT(t.getContiguousRegions().size() == 1 && t.transpose().getContiguousRegions().size() == 24);
    EXPECT(t.broadcast(3, 0).containsAliases() && g.findUnbroadcastTensor(t.broadcast(3, 0)) == t);
    unsigned value = 0;
    EXPECT(g.addConstant(UNSIGNED_INT, { 3 }, 7u).getConstantValue(&value) && value == 7);
    EXPECT(!g.addConstant<int>(INT, { 2 }, { 1, 2 }).getConstantValue(&value));
    EXPECT(!t.getConstantValue(&value) && g.addConstant(FLOAT, {}, 1.5).containsConstant());
    VariableInterval v = t[1].getVarRegions()[0];
    EXPECT(v.interval == Interval(6, 12) && g.getVariable(v.var) == t && !g.isConstant(v.var));
}

/* guide to the rules: each element once, runs in the order of storage, copies named by the first. */
static void regions()
{
    Device d = model();
    Graph g(d);
    Tensor a = g.addVariable(INT, { 2, 3 }), b = g.addVariable(INT, { 4 });
    Tensor t = concat(b.slice(2, 4), a.transpose().flatten());
    auto sorted = g.getSortedContiguousRegions(t, { { 0, 8 } });
    EXPECT(sorted.size() == 2); /* all of a, half of b */
    std::vector<Tensor> runs = t.slices(sorted);
    EXPECT(runs[0] == a.flatten() && runs[1] == b.slice(2, 4));
    Tensor x = t, y = t;
    g.reorderToSimplify(&x, { &y });
    EXPECT(x == y && x.getContiguousRegions().size() == 2);
    Tensor twice = concat(b, b.slice(1, 3));
    std::vector<std::size_t> aliases;
    auto all = g.getSortedContiguousRegions(twice, { { 0, 6 } }, false, &aliases);
    std::size_t elements = 0, intervals = 0;
    for (const auto &run : all)
        for (const Interval &i : run) elements += i.size(), intervals++;
    EXPECT(elements == 6 && aliases.size() == intervals);
    auto once = g.getSortedContiguousRegions(twice, { { 0, 6 } }, true);
    EXPECT(once.size() == 1 && twice.slices(once)[0] == b);
}

static void mapping()
{
    Device d = model();
    Graph g(d);
    Tensor t = g.addVariable(FLOAT, { 8 });
    EXPECT_THROWS(invalid_tile_mapping, g.getTileMapping(t));
    bool complete = true;
    g.getTileMapping(t, &complete);
    EXPECT(!complete);
    g.setTileMapping(t, { { { 0, 2 }, { 4, 8 } }, {}, { { 2, 4 } } });
    auto m = g.getTileMapping(t);
    EXPECT(m.size() == 4 && m[0].size() == 2 && m[2][0] == Interval(2, 4) && m[3].empty());
    EXPECT(g.getTileMapping(t.reverse(0))[2][0] == Interval(4, 6));
    EXPECT_THROWS(invalid_tile_mapping, g.setTileMapping(t, Graph::TileToTensorMapping(5)));
    EXPECT_THROWS(invalid_tile_mapping, g.setTileMapping(t, { { { 0, 9 } } }));
    EXPECT(g.getTileMapping(g.clone(t)) == m);
    Graph v = g.createVirtualGraph(2, 4);
    EXPECT(v.getTarget().getNumTiles() == 2);
    v.setTileMapping(t, 1);
    EXPECT(g.getTileMapping(t)[3][0] == Interval(0, 8));
}

static void run(const Device &d)
{
    Graph g(d);
    std::stringstream source(scale);
    g.addCodelets(source);
    Tensor x = g.addVariable(FLOAT, { 2, 4 }, VariableMappingMethod::LINEAR, "x");
    ComputeSet cs = g.addComputeSet("scale");
    for (unsigned i = 0; i < 2; i++) {
        VertexRef v = g.addVertex(cs, "Scale", { { "x", x[i] } });
        g.setInitialValue(v["by"], 2.0f + static_cast<float>(i));
        g.setTileMapping(v, 0);
        g.setPerfEstimate(v, 20);
    }
    EXPECT_THROWS(unknown_vertex_type, g.addVertex(cs, "Nothing"));
    Tensor n = g.addVariable(INT, {}, "n"), one = g.addConstant(INT, {}, 1);
    g.setTileMapping(n, 0), g.setTileMapping(one, 0);
    g.createHostWrite("in", x), g.createHostRead("out", x), g.createHostRead("n", n);
    DataStream s = g.addDeviceToHostFIFO("s", FLOAT, 4);
    Sequence body({ Execute(cs) }, "body");
    Sequence same = body; /* goes its own way */
    same.add(Copy(one, n));
    EXPECT_THROWS(type_error, Copy(x, n));
    Engine e(g, { Repeat(3, body), same, Copy(x[0], s), Sequence() },
             { { "debug.retainDebugInformation", "true" } });
    EXPECT_THROWS(poplar_error, e.run(0));
    e.load(d);
    float data[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, streamed[4];
    e.writeTensor("in", data, data + 8);
    e.run(0);
    e.readTensor("out", data, data + 8);
    EXPECT(data[0] == 8 && data[4] == 27);
    int count = -1;
    e.readTensor("n", &count);
    EXPECT(count == 0);
    e.run(1);
    e.readTensor("n", &count);
    EXPECT(count == 1);
    e.connectStream("s", streamed, streamed + 4);
    e.run(2), e.run(3);
    EXPECT(streamed[3] == 16);
    EXPECT_THROWS(poplar_error, e.run(4));
    EXPECT_THROWS(poplar_error, e.readTensor("out", data, data + 7));
    EXPECT_THROWS(invalid_option, Engine(g, Sequence(), { { "debug.nothing", "1" } }));
    std::ostringstream summary;
    e.printProfileSummary(summary, { { "showExecutionSteps", "true" } });
    EXPECT(!summary.str().empty());
    if (d.getTarget().getTargetType() == TargetType::CPU)
        EXPECT_THROWS(profiling_disabled, e.getGraphProfile());
    else
        EXPECT(e.getGraphProfile()["target"]["numTiles"].asUint() == 4);
}

struct Counting : StreamCallback {
    int fetched = 0, *completed;
    explicit Counting(int *c) : completed(c) {}
    Result prefetch(void *) noexcept override { return Result::NotAvailable; }
    void fetch(void *p) noexcept override
    {
        for (int i = 0; i < 2; i++) static_cast<int *>(p)[i] = 10 * ++fetched;
    }
    void complete() noexcept override { ++*completed; }
};

static void streams()
{
    Device d = model();
    Graph g(d);
    Tensor t = g.addVariable(INT, { 2 }), sum = g.addVariable(INT, { 2 });
    g.setTileMapping(t, 1), g.setTileMapping(sum, 1);
    DataStream in = g.addHostToDeviceFIFO("in", INT, 2), out = g.addDeviceToHostFIFO("out", INT, 2);
    int completed = 0, got[2] = { 0, 0 }, calls = 0;
    Engine e(g, Sequence{ Copy(in, t), Copy(t, out) });
    e.connectStreamToCallback("in", std::unique_ptr<StreamCallback>(new Counting(&completed)));
    e.connectStreamToCallback("out", [&](void *p) {
        got[0] = static_cast<int *>(p)[0], got[1] = static_cast<int *>(p)[1];
        calls++;
    });
    e.loadAndRun(d);
    EXPECT(got[0] == 10 && got[1] == 20 && calls == 1 && completed == 1);
    EXPECT(e.listStreams().size() == 2);
}

static void control()
{
    Device d = model();
    Graph g(d);
    Tensor flag = g.addVariable(BOOL, {}), n = g.addVariable(INT, {}), i = g.addVariable(INT, {});
    Tensor c[4];
    for (int k = 0; k < 4; k++) g.setTileMapping(c[k] = g.addConstant(INT, {}, k), 0);
    Tensor no = g.addConstant(BOOL, {}, false);
    for (const Tensor &t : { flag, n, i, no }) g.setTileMapping(t, 0);
    g.setInitialValue(flag, true);
    g.setInitialValue(i, 2);
    g.createHostRead("n", n);
    Function f = g.addFunction(Sequence(Copy(c[3], n)));
    Switch s(i, { { 1, Copy(c[1], n) }, { 2, Copy(c[2], n) } });
    std::vector<Program> programs(3);
    programs[0] = If(flag, Copy(c[1], n), Sequence());
    programs[1] = s;
    programs[2] = Sequence{ RepeatWhileTrue(Sequence(), flag, Copy(no, flag)), Call(f) };
    Engine e(g, programs);
    e.load(d);
    int got = 0;
    for (unsigned p = 0; p < 3; p++) {
        e.run(p);
        e.readTensor("n", &got);
        EXPECT(got == static_cast<int>(p) + 1);
    }
    std::ostringstream out;
    dumpProgram(g, programs[0], out);
    EXPECT(out.str().find("If") == 0 && out.str().find("Copy") != std::string::npos);
}

int main()
{
    views();
    regions();
    mapping();
    run(model());
    run(Device::createCPUDevice());
    streams();
    control();
    return failures;
}
