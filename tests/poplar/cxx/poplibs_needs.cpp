// SPDX-License-Identifier: MIT
/* What the sources of PopLibs ask of the layer below them beyond the guide. */
#include "expect.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <algorithm>
#include <limits>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

/* Estimators read state, and connections to constants: worklists in one and two dimensions. */
static void constantsInEstimators()
{
    IPUModel m;
    m.tilesPerIPU = 1;
    Device d = m.createDevice();
    Graph g(d);
    std::stringstream source("#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                             "class Lists : public Vertex { public: Input<Vector<unsigned short>> one;\n"
                             "  Vector<Input<Vector<unsigned short>>> many; Input<Vector<float>> x; unsigned n;\n"
                             "  Output<float> out;\n"
                             "  bool compute() { *out = many[1][0] + one[2] + n; return true; } };\n");
    g.addCodelets(source);
    const std::vector<unsigned short> a{ 7, 8, 9 }, b{ 65535 };
    Tensor one = g.addConstant(UNSIGNED_SHORT, { 3 }, a.data()),
           two = g.addConstant(UNSIGNED_SHORT, { 1 }, b.data());
    Tensor x = g.addVariable(FLOAT, { 2 }), out = g.addVariable(FLOAT, {});
    for (const Tensor &t : { one, two, x, out }) g.setTileMapping(t, 0);
    ComputeSet cs = g.addComputeSet();
    VertexRef v = g.addVertex(cs, "Lists", { { "one", one }, { "x", x }, { "out", out } });
    g.connect(v["many"][0], one); /* before its size, as PopLibs' pooling does */
    g.connect(v["many"][1], two);
    g.setFieldSize(v["many"], 2);
    g.setInitialValue(v["n"], -1); /* an int for an unsigned field */
    g.setTileMapping(v, 0);
    int calls = 0;
    g.registerPerfEstimator("Lists", [&calls](const VertexIntrospector &i, const Target &t) {
        calls++;
        EXPECT(i.getFieldInfo("one").getInitialValues<unsigned>(t) == std::vector<unsigned>({ 7, 8, 9 }));
        auto many = i.getFieldInfo("many").getInitialValues<std::vector<unsigned short>>(t);
        EXPECT(many.size() == 2 && many[0].size() == 3 && many[0][1] == 8 && many[1][0] == 65535);
        EXPECT(i.getFieldInfo("x").getInitialValues<float>(t).empty());
        EXPECT(i.getFieldInfo("n").getInitialValue<unsigned>(t) == 4294967295u);
        return VertexPerfEstimate(10);
    });
    g.createHostRead("out", out);
    Engine e(g, Execute(cs));
    e.loadAndRun(d);
    float got = 0;
    e.readTensor("out", &got, &got + 1);
    EXPECT(calls > 0);
    EXPECT(got == static_cast<float>(65535u + 9u + 4294967295u));
}

/* Views survive a round trip into another graph: types, mapping, which elements, in which order. */
static void tensorsAsText()
{
    Target target = Target::createIPUTarget(1, 4, "ipu2");
    Graph g(target);
    Tensor a = g.addVariable(HALF, { 3, 4 }), b = g.addVariable(INT, { 5 });
    for (unsigned i = 0; i < 3; i++) g.setTileMapping(a[i], 3 - i);
    g.setTileMapping(b, 2);
    std::stringstream file;
    g.serializeTensors(file, { a.transpose().slice(1, 3), b.reverse(0), a }, SerializationFormat::Binary);
    Graph h(target);
    std::vector<Tensor> back = h.deserializeTensors(file, SerializationFormat::Binary);
    EXPECT(back.size() == 3);
    EXPECT(back[0].elementType() == HALF && back[0].shape() == std::vector<std::size_t>({ 2, 3 }));
    EXPECT(h.getTileMapping(back[0]) == g.getTileMapping(a.transpose().slice(1, 3)));
    EXPECT(h.getTileMapping(back[1]) == g.getTileMapping(b.reverse(0)) && back[1].elementType() == INT);
    EXPECT(back[2].transpose().slice(1, 3) == back[0]); /* the same variable */
    for (const char *bad :
         { "", "{}", "[", "{\"tilewright_tensors\":1,\"tensors\":[{\"shape\":[2],\"regions\":[[0,0,2]]}]}",
           "{\"tilewright_tensors\":1,\"variables\":[{\"type\":\"float\",\"elements\":2}],"
           "\"tensors\":[{\"shape\":[3],\"regions\":[[0,0,3]]}]}" }) {
        std::stringstream in(bad);
        bool thrown = false;
        try {
            h.deserializeTensors(in, SerializationFormat::JSON);
        } catch (const poplar_error &) {
            thrown = true;
        }
        EXPECT(thrown);
    }
}

/* Programs that ask for code of the chip run without it. */
static void codeThatIsNotThere()
{
    IPUModel m;
    m.tilesPerIPU = 1;
    m.compileIPUCode = true;
    Device d = m.createDevice();
    Graph g(d);
    Tensor x = g.addConstant(INT, {}, 5), y = g.addVariable(INT, {});
    g.setTileMapping(x, 0), g.setTileMapping(y, 0);
    g.createHostRead("y", y);
    Engine e(g, Copy(x, y));
    e.loadAndRun(d);
    int got = 0;
    e.readTensor("y", &got, &got + 1);
    EXPECT(got == 5);
}

/* A CPU device answers what work is divided by as the IPU Model does: the same codelets run on both. */
static void cpuDividesAlike()
{
    Target cpu = Target::createCPUTarget(), ipu = Target::createIPUTarget(1, "ipu2");
    EXPECT(cpu.getNumWorkerContexts() == ipu.getNumWorkerContexts());
    EXPECT(cpu.getWeightsPerConvUnit(false) == 16 && cpu.getFp16InFp32OutConvUnitsPerTile() == 8);
}

/* popops::map asks how many elements a scalar's slices in another tensor's regions have, and does not use them. */
static void slicesPastTheEnd()
{
    Graph g(Target::createIPUTarget(1, 4, "ipu2"));
    Tensor x = g.addVariable(FLOAT, { 1 }), y = g.addVariable(FLOAT, { 8 });
    std::vector<Tensor> parts =
        x.slices(std::vector<std::vector<Interval>>({ { { 0, 3 }, { 4, 8 } }, { { 0, 1 } } }));
    EXPECT(parts[0].numElements() == 7 && parts[0].shape() == std::vector<std::size_t>({ 7 }));
    EXPECT(parts[0].rank() == 1 && parts[0].elementType() == FLOAT && parts[1] == x);
    Tensor both = concat(y, parts[0]);
    EXPECT(both.numElements() == 15);
    EXPECT_THROWS(index_error, both.flatten());
    EXPECT_THROWS(index_error, (g.setTileMapping(parts[0], 0), 0));
    EXPECT_THROWS(index_error, parts[0][0]);
    EXPECT_THROWS(index_error, x.slices(std::vector<Interval>({ { 0, 3 } })));
    EXPECT_THROWS(index_error, x.slices(std::vector<std::vector<Interval>>({ { { 1, 0 } } })));
}

/* LINEAR takes all tiles, evenly; poputil::mapTensorLinearly is what has a least size for each. */
static void linearMappings()
{
    Graph g(Target::createIPUTarget(1, 4, "ipu2"));
    auto mapping = g.getTileMapping(g.addVariable(FLOAT, { 10 }, VariableMappingMethod::LINEAR));
    std::size_t at = 0;
    for (const auto &tile : mapping) {
        EXPECT(tile.size() == 1 && tile[0].begin() == at && (tile[0].size() == 2 || tile[0].size() == 3));
        at = tile[0].end();
    }
    EXPECT(at == 10);
    mapping = g.getTileMapping(g.addVariable(HALF, { 3 }, VariableMappingMethod::LINEAR));
    EXPECT(mapping[2].size() == 1 && mapping[3].empty());
}

/* Host ranges may be longer than the tensor, as StdArithmeticTests' are; shorter ones are refused. */
static void longHostRanges()
{
    Device d = Device::createCPUDevice();
    Graph g(d);
    Tensor x = g.addVariable(INT, { 2 }, VariableMappingMethod::LINEAR);
    g.createHostWrite("x", x);
    g.createHostRead("x", x);
    Engine e(g, Sequence());
    e.load(d);
    const int in[] = { 1, 2, 3, 4 };
    int out[] = { 0, 0, 9, 9 };
    e.writeTensor("x", in, in + 4);
    e.readTensor("x", out, out + 4);
    EXPECT(out[0] == 1 && out[1] == 2 && out[2] == 9 && out[3] == 9);
    EXPECT_THROWS(poplar_error, (e.writeTensor("x", in, in + 1), 0));
    EXPECT_THROWS(poplar_error, (e.readTensor("x", out, out + 1), 0));
}

/* The collectives tool states its own limits between IPUs, and makes and drops virtual graphs. */
static void limitsOutliveVirtualGraphs()
{
    IPUModel m;
    m.numIPUs = 2;
    m.tilesPerIPU = 2;
    for (unsigned from : { 0u, 1u })
        m.globalExchangeConstraints.emplace_back(1e9, std::vector<GlobalExchangeFlow>{ { from, 1 - from } });
    Device d = m.createDevice();
    Graph g(d);
    for (int i = 0; i < 3; i++) {
        Graph part = g.createVirtualGraph(0, 2);
        EXPECT(part.getTarget().getNumTiles() == 2);
    }
    const int values[] = { 7, 8 };
    Tensor x = g.addConstant(INT, { 2 }, values), y = g.addVariable(INT, { 2 });
    g.setTileMapping(x, 0), g.setTileMapping(y, 3);
    g.createHostRead("y", y);
    Engine e(g, Copy(x, y));
    e.loadAndRun(d);
    int got[2] = { 0, 0 };
    e.readTensor("y", got, got + 2);
    EXPECT(got[0] == 7 && got[1] == 8);
    EXPECT(d.getTarget().getGlobalExchangeConstraints().size() == 2);
}

/* popops fills the result of an empty minimum with infinity, through a field of half or float. */
static void infiniteInitialValues()
{
    Device d = IPUModel().createDevice();
    Graph g(d);
    std::stringstream source("#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                             "template <class T> class Fill : public Vertex { public: T in; Output<T> out;\n"
                             "  bool compute() { *out = in; return true; } };\n"
                             "template class Fill<half>; template class Fill<float>;\n");
    g.addCodelets(source);
    ComputeSet cs = g.addComputeSet();
    const float infinity = std::numeric_limits<float>::infinity();
    Tensor single = g.addVariable(FLOAT, { 2 }), small = g.addVariable(HALF, { 2 });
    for (const Tensor &t : { single, small })
        for (unsigned i = 0; i < 2; i++) {
            VertexRef v =
                g.addVertex(cs, t.elementType() == HALF ? "Fill<half>" : "Fill<float>", { { "out", t[i] } });
            g.setInitialValue(v["in"], i ? -infinity : infinity);
            g.setTileMapping(v, 0);
        }
    g.setTileMapping(single, 0), g.setTileMapping(small, 0);
    g.createHostRead("single", single), g.createHostRead("small", small);
    Engine e(g, Execute(cs));
    e.loadAndRun(d);
    float got[2] = { 0, 0 };
    e.readTensor("single", got, got + 2);
    EXPECT(got[0] == infinity && got[1] == -infinity);
    std::uint16_t bits[2] = { 0, 0 };
    e.readTensor("small", bits, bits + 2);
    EXPECT(bits[0] == 0x7c00 && bits[1] == 0xfc00);
}

/* DistributedBatchNorm clones a tensor of replicas through the parent, and connects one buffer for all replicas. */
static void replicasFromTheParent()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    Device d = m.createDevice();
    Graph top(d);
    Graph replicated = top.createReplicatedGraph(2);
    Tensor x = replicated.addVariable(INT, { 3 });
    replicated.setTileMapping(x, 1);
    Tensor y = top.clone(x), three = top.cloneN(x, 3);
    Tensor all = top.getNonReplicatedTensor(y);
    EXPECT(all.shape() == std::vector<std::size_t>({ 2, 3 }));
    EXPECT(top.getTileMapping(all)[1].size() == 1 && top.getTileMapping(all)[3].size() == 1);
    EXPECT(top.getNonReplicatedTensor(three).shape() == std::vector<std::size_t>({ 2, 3, 3 }));
    EXPECT(top.clone(all).shape() == all.shape());
    DataStream in = replicated.addHostToDeviceFIFO("in", INT, 3),
               out = replicated.addDeviceToHostFIFO("out", INT, 3);
    Engine e(top, Sequence({ Copy(in, x), Copy(top.getNonReplicatedTensor(x), all), Copy(y, out) }));
    int from[6] = { 1, 2, 3, 4, 5, 6 }, to[6] = { 0, 0, 0, 0, 0, 0 };
    e.connectStream("in", from, from + 6);
    e.connectStream("out", to);
    EXPECT_THROWS(stream_connection_error, (e.connectStream("in", from, from + 3), 0));
    EXPECT_THROWS(stream_connection_error, (e.connectStream("inn", from), 0));
    e.loadAndRun(d);
    EXPECT(std::equal(from, from + 6, to));
}

int main()
{
    limitsOutliveVirtualGraphs();
    infiniteInitialValues();
    replicasFromTheParent();
    slicesPastTheEnd();
    linearMappings();
    longHostRanges();
    constantsInEstimators();
    tensorsAsText();
    codeThatIsNotThere();
    cpuDividesAlike();
    return failures;
}
