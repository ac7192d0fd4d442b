// SPDX-License-Identifier: MIT
/* Programs of the parent graph that use tensors of its replicas do so on all of them (guide 2.5.1), like those of the
 * replicated graph. */
#include "expect.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

typedef std::vector<int> Ints;

struct Machine {
    Device device;
    Graph top, graph;
    Tensor x, y, flag, offset;
    ComputeSet positive;
    RemoteBuffer rows;
    HostFunction times10;
    Machine() : device(model()), top(device), graph(top.createReplicatedGraph(2))
    {
        std::stringstream source("#include <poplar/Vertex.hpp>\n"
                                 "class Positive : public poplar::Vertex { public: poplar::Input<int> x;\n"
                                 "  bool compute() { return *x > 0; } };\n");
        graph.addCodelets(source);
        x = graph.addVariable(INT, { 2 }, "x"), y = graph.addVariable(INT, { 2 }, "y");
        flag = graph.addVariable(BOOL, {}, "flag"), offset = graph.addVariable(INT, { 1 }, "offset");
        for (const Tensor &t : { x, y, flag, offset }) graph.setTileMapping(t, 1);
        top.setInitialValue<int>(top.getNonReplicatedTensor(x).flatten(), { 1, 2, 3, 4 });
        graph.setInitialValue(y, 0), graph.setInitialValue(offset, 1), graph.setInitialValue(flag, false);
        top.createHostRead("y", top.getNonReplicatedTensor(y));
        top.createHostRead("flag", top.getNonReplicatedTensor(flag));
        positive = graph.addComputeSet("positive");
        VertexRef v = graph.addVertex(positive, "Positive", { { "x", x[1] } });
        graph.setTileMapping(v, 1), graph.setPerfEstimate(v, 5);
        rows = graph.addRemoteBuffer("rows", INT, 2, 2);
        times10 = graph.addHostFunction("times10", { { INT, 2 } }, { { INT, 2 } });
    }
    static Device model()
    {
        IPUModel m;
        m.numIPUs = 2, m.tilesPerIPU = 4;
        return m.createDevice();
    }
};

/* y of both replicas after the program, made with the parent graph or with the replicated one. */
template <class Make> static void both(const Ints &want, const std::string &printed, Make make)
{
    for (bool parent : { true, false }) {
        Machine m;
        Engine e(parent ? m.top : m.graph, make(m));
        for (unsigned r = 0; r < 2; r++)
            e.connectHostFunction("times10", r, [](ArrayRef<const void *> in, ArrayRef<void *> out) {
                for (int i = 0; i < 2; i++) static_cast<int *>(out[0])[i] = 10 * static_cast<const int *>(in[0])[i];
            });
        std::ostringstream text;
        e.setPrintStream(text);
        e.load(m.device);
        e.run();
        Ints y(4);
        e.readTensor("y", y.data(), y.data() + 4);
        EXPECT(y == want);
        EXPECT(text.str().find(printed) != std::string::npos);
    }
}

static void programs()
{
    both({ 1, 2, 3, 4 }, "", [](Machine &m) { return Copy(m.x, m.y); });
    both({ 3, 4, 1, 2 }, "", [](Machine &m) { return CrossReplicaCopy(m.x, m.y, { { 0, 1 }, { 1, 0 } }); });
    both({ 1, 2, 3, 4 }, "",
         [](Machine &m) { return Sequence(Copy(m.x, m.rows, m.offset), Copy(m.rows, m.y, m.offset)); });
    both({ 0, 0, 0, 0 }, "(replica 1): [3 4]", [](Machine &m) { return PrintTensor("x", m.x); });
    both({ 10, 20, 30, 40 }, "",
         [](Machine &m) { return m.times10.getId() ? Program(Call(m.times10, { m.x }, { m.y })) : Program(); });
    both({ 2, 1, 4, 3 }, "", [](Machine &m) { return If(m.flag, Copy(m.x, m.y), Copy(m.x.reverse(0), m.y)); });
    both({ 1, 2, 3, 4 }, "", [](Machine &m) {
        return Sequence(AssumeEqualAcrossReplicas(m.x), AbortOnCondition(m.flag), Copy(m.x, m.y));
    });
}

/* One transfer of a stream of the parent is for all replicas; what vertices return is each replica's own. */
static void streams()
{
    Machine m;
    DataStream in = m.top.addHostToDeviceFIFO("in", INT, 2);
    Engine e(m.top, Sequence(Copy(in, m.y), Execute(m.positive, m.flag)));
    Ints data = { 8, 9 }, y(4);
    e.connectStream("in", data.data());
    e.load(m.device);
    e.run();
    e.readTensor("y", y.data());
    EXPECT(y == Ints({ 8, 9, 8, 9 }));
    unsigned char flags[2] = { 0, 0 };
    e.readTensor("flag", flags);
    EXPECT(flags[0] == 1 && flags[1] == 1);
}

/* Rows of one replica's buffer, from the host. */
static void rows()
{
    Machine m;
    Engine e(m.graph, Copy(m.rows, m.y, m.offset));
    e.load(m.device);
    Ints first = { 5, 6 }, second = { 7, 8 }, y(4), back(2);
    e.copyToRemoteBuffer(first.data(), "rows", 1);
    e.copyToRemoteBuffer(second.data(), "rows", 1, 1);
    e.run();
    e.readTensor("y", y.data());
    EXPECT(y == Ints({ 5, 6, 7, 8 }));
    e.copyFromRemoteBuffer("rows", back.data(), 1, 1);
    EXPECT(back == second);
    EXPECT_THROWS(stream_connection_error, (e.copyFromRemoteBuffer("rows", back.data(), 1, 2), 0));
}

int main()
{
    programs();
    streams();
    rows();
    return failures != 0;
}
