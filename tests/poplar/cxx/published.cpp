// SPDX-License-Identifier: MIT
/* Calls that published programs make beside those of the tutorials, and what they come to. */
#include "expect.hpp"

#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/RemoteBuffer.hpp>
#include <poplar/replication_factor.hpp>
#include <pva/pva.hpp>
#include <pvti/pvti.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static Device model(unsigned tiles = 4)
{
    IPUModel m;
    m.tilesPerIPU = tiles;
    return m.createDevice();
}

static const char codelet[] = "#include <poplar/Vertex.hpp>\n"
                              "class Axpy : public poplar::Vertex {\n"
                              "public:\n"
                              "  poplar::Input<poplar::Vector<float>> x;\n"
                              "  poplar::InOut<poplar::Vector<float>> y;\n"
                              "  float a;\n"
                              "  bool compute() {\n"
                              "    for (unsigned i = 0; i < x.size(); i++) y[i] += a * x[i];\n"
                              "    return true;\n"
                              "  }\n"
                              "};\n";

static std::size_t count(const std::string &text, const std::string &what)
{
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) n++;
    return n;
}

static void text_of_graphs()
{
    Device d = model();
    Graph g(d.getTarget(), replication_factor(1));
    std::stringstream source(codelet);
    g.addCodelets(source);
    Tensor x = g.addVariable(FLOAT, { 2, 4 }, VariableMappingMethod::LINEAR, "left"), y = g.clone(x, "right");
    ComputeSet cs = g.addComputeSet("axpy steps");
    for (unsigned i = 0; i < 2; i++) {
        VertexRef v = g.addVertex(cs, "Axpy", { { "x", x[i] }, { "y", y[i] } });
        g.setInitialValue(v["a"], 2.0f);
        g.setTileMapping(v, i);
        g.setPerfEstimate(v, 10);
    }
    Sequence timed = Repeat(3, Execute(cs)); /* a program becomes a sequence of it */
    Tensor cycles = cycleCount(g, timed, 0, "timer");
    EXPECT(cycles.numElements() == 2 && cycles.elementType() == UNSIGNED_INT);
    std::ostringstream computes, vertices;
    g.outputComputeGraph(computes, { timed });
    EXPECT(computes.str().find("axpy steps") != std::string::npos);
    g.outputVertexGraph(vertices, { timed });
    EXPECT(vertices.str().find("digraph") == 0 && count(vertices.str(), "Axpy\\naxpy steps") == 2);
    EXPECT(count(vertices.str(), "-> v") == 6 && count(vertices.str(), "-> var") == 2); /* x and y in, y out */
    EXPECT(count(vertices.str(), "left") == 1 && count(vertices.str(), "right") == 1);
    std::ostringstream bytes, again;
    g.serialize(bytes, SerializationFormat::Binary);
    g.serialize(again, poplar::SerializationFormat::Binary);
    EXPECT(bytes.str().compare(0, 8, "TWGRAPH\n") == 0 && bytes.str() == again.str() && bytes.str().size() > 500);
    EXPECT_THROWS(poplar_error, (g.serialize(bytes, SerializationFormat::JSON), 0));
    Engine e(g, timed);
    Engine::TimerTimePoint start = e.getTimeStamp();
    e.loadAndRun(d);
    EXPECT(e.reportTiming(start, e.getTimeStamp()).find(" ms") != std::string::npos);
    std::ostringstream broken;
    broken.setstate(std::ios::badbit);
    EXPECT_THROWS(poplar_error, (g.serialize(broken, SerializationFormat::Binary), 0));
}

static void values()
{
    Device d = model();
    Graph g(d);
    std::stringstream source(
        "#include <poplar/Vertex.hpp>\n"
        "class Halves : public poplar::Vertex {\n"
        "public:\n"
        "  half one;\n"
        "  poplar::Vector<half> list;\n"
        "  poplar::Output<float> out;\n"
        "  bool compute() { *out = (float)one + (float)list[0] * 10 + (float)list[1] * 100; return true; }\n"
        "};\n");
    g.addCodelets(source);
    Tensor h = g.addVariable(HALF, { 3 }, "h"), out = g.addVariable(FLOAT, {}, "out");
    g.setTileMapping(h, 0), g.setTileMapping(out, 0);
    const std::uint16_t bits[] = { 0x3c00, 0x4000, 0xc200 }; /* 1, 2, -3 */
    g.setInitialValueHalf(h, ArrayRef<std::uint16_t>(bits));
    ComputeSet cs = g.addComputeSet();
    VertexRef v = g.addVertex(cs, "Halves", { { "out", out } });
    g.setInitialValueHalf(v["one"], 0x3c00);
    g.setInitialValueHalf(v["list"], ArrayRef<std::uint16_t>(bits + 1, 2));
    g.setTileMapping(v, 0);
    g.setPerfEstimate(v, 5);
    g.createHostRead("h", h), g.createHostRead("out", out);
    Engine e(g, Execute(cs));
    e.loadAndRun(d);
    std::uint16_t got[3];
    e.readTensor("h", got, got + 3);
    EXPECT(got[0] == bits[0] && got[1] == bits[1] && got[2] == bits[2]);
    std::vector<float> sum(1);
    e.readTensor("out", ArrayRef<float>(sum));
    EXPECT(sum[0] == 1 + 20 - 300);
}

/* Host buffers are sized with getTypeSize and filled by copyFloatToDeviceHalf: 4 bytes on a plain CPU target. */
static void halves(const Device &d, std::size_t size)
{
    Graph g(d);
    const Target &target = g.getTarget();
    EXPECT(target.getTypeSize(HALF) == size);
    Tensor x = g.addVariable(HALF, { 4 }), y = g.addVariable(HALF, { 4 });
    g.setTileMapping(x, 0), g.setTileMapping(y, 0);
    g.createHostWrite("x", x), g.createHostRead("y", y);
    DataStream in = g.addHostToDeviceFIFO("in", HALF, 4), out = g.addDeviceToHostFIFO("out", HALF, 4);
    std::vector<Program> programs{ Copy(x, y), Sequence{ Copy(in, x), Copy(x, out) } };
    Executable compiled = compileGraph(g, programs);
    std::stringstream bytes;
    compiled.serialize(bytes);
    Engine engines[] = { Engine(std::move(compiled)), Engine(Executable::deserialize(bytes)) };
    for (Engine &e : engines) {
        const float values[] = { 1, -2, 0.5f, 1024 };
        std::vector<char> given(4 * size), got(4 * size), streamed(4 * size);
        copyFloatToDeviceHalf(target, values, given.data(), 4);
        e.load(d);
        e.writeTensor("x", given.data(), given.data() + given.size());
        e.run(0);
        e.readTensor("y", got.data(), got.data() + got.size());
        e.connectStream("in", given.data(), given.data() + given.size());
        e.connectStream("out", streamed.data(), streamed.data() + streamed.size());
        e.run(1);
        EXPECT(got == given && streamed == given);
        float back[4];
        copyDeviceHalfToFloat(target, got.data(), back, 4);
        EXPECT(back[0] == 1 && back[1] == -2 && back[2] == 0.5f && back[3] == 1024);
        EXPECT_THROWS(poplar_error, (e.readTensor("y", got.data(), got.data() + got.size() - 1), 0));
    }
}

static void targets_of_codelets()
{
    Graph g(model());
    const std::string source = "#include <poplar/Vertex.hpp>\n"
                               "class V : public poplar::Vertex { public: bool compute() { return true; } };\n";
    std::stringstream other(source), nowhere(source), own(source);
    EXPECT(g.addCodelets(other, "", CodeletFileType::CppSource, "ipu1") && !g.hasCodelet("V"));
    EXPECT_THROWS(poplar_error, g.addCodelets(nowhere, "", CodeletFileType::CppSource, "ipu7"));
    EXPECT(g.addCodelets(own, "-O1", CodeletFileType::CppSource, "ipu2") && g.hasCodelet("V"));
}

static void tiles()
{
    Device d = model(8);
    Graph g(d);
    Graph part = g.createVirtualGraph(2, 6);
    EXPECT(part.convertTileToTopLevelGraphTile(1) == 3 && part.convertTopLevelGraphTileToTile(5) == 3);
    EXPECT_THROWS(invalid_tile_mapping, part.convertTopLevelGraphTileToTile(6));
    EXPECT(part.getTopLevelGraph().getTarget().getNumTiles() == 8);
    Tensor x = g.addVariable(FLOAT, { 6 }), c = g.addConstant(FLOAT, { 2 }, 1.0f);
    g.setTileMapping(x.slice(0, 3), 1), g.setTileMapping(x.slice(3, 6), 4), g.setTileMapping(c, 1);
    auto m = g.getVariableTileMapping(concat({ x.slice(2, 4), c, x.slice(0, 2) }));
    EXPECT(m.size() == 8 && m[1] == std::vector<Interval>({ { 0, 1 }, { 4, 6 } }));
    EXPECT(m[4] == std::vector<Interval>({ { 1, 2 } }));
}

/* Guide 2.5.2: refused on the CPU and the IPU Model; elsewhere a graph without a parent. */
static void replicas()
{
    EXPECT_THROWS(graph_replication_error, Graph(model().getTarget(), replication_factor(2)));
    EXPECT_THROWS(graph_replication_error, Graph(Device::createCPUDevice(), replication_factor(2)));
    IPUModel two;
    two.numIPUs = 2, two.tilesPerIPU = 4;
    EXPECT(Graph(two.createDevice({ { "replicasOnly", "true" } }), replication_factor(2)).getReplicationFactor() ==
           2);
    Device d = Device::createSimulatorDevice(Target::createIPUTarget(2, 4, "ipu2"));
    EXPECT_THROWS(graph_replication_error, Graph(d, replication_factor(3)));
    Graph g(d, replication_factor(2));
    EXPECT(g.getReplicationFactor() == 2 && g.getTarget().getNumTiles() == 4 && g.getTarget().getNumIPUs() == 1);
    Tensor x = g.addVariable(INT, { 3 }, "x"), index = g.addReplicationIndexConstant();
    Tensor at = g.addVariable(UNSIGNED_INT, {}, "at");
    for (const Tensor &t : { x, index, at }) g.setTileMapping(t, 3);
    EXPECT_THROWS(graph_replication_error, g.getNonReplicatedTensor(x));
    EXPECT_THROWS(graph_replication_error, g.getTopLevelGraph());
    g.createHostWrite("x", x), g.createHostRead("x back", x), g.createHostRead("at", at);
    Tensor y = g.clone(x);
    Engine e(g, Sequence{ Copy(index, at), CrossReplicaCopy(x, y, { { 0, 1 }, { 1, 0 } }), Copy(y, x) });
    e.load(d);
    int data[6] = { 1, 2, 3, 4, 5, 6 }, got[6] = { 0 };
    unsigned where[2] = { 7, 7 };
    e.writeTensor("x", data, data + 6);
    e.run();
    e.readTensor("x back", got, got + 6);
    e.readTensor("at", where, where + 2);
    EXPECT(got[0] == 4 && got[2] == 6 && got[3] == 1 && got[5] == 3 && where[0] == 0 && where[1] == 1);
}

static void traces()
{
    pvti::TraceChannel channel = { "published" };
    pvti::Tracepoint point(&channel, "all");
    EXPECT(channel.name() == "published");
}

int main()
{
    text_of_graphs();
    values();
    halves(model(), 2);
    halves(Device::createCPUDevice(), 4);
    targets_of_codelets();
    tiles();
    replicas();
    traces();
    return failures;
}
