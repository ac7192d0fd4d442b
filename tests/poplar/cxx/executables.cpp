// SPDX-License-Identifier: MIT
/* Executables: compiled once, written, read by another engine; damage is found. */
#include "expect.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static const char codelets[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "class Dot : public Vertex {\n"
    "public:\n"
    "  Vector<Input<Vector<float>>> rows;\n"
    "  Vector<Input<float>> each;\n"
    "  Output<float> out;\n"
    "  Vector<float> weights;\n"
    "  unsigned short offset;\n"
    "  bool compute() {\n"
    "    float sum = offset;\n"
    "    for (unsigned i = 0; i < rows.size(); i++)\n"
    "      for (unsigned k = 0; k < rows[i].size(); k++) sum += rows[i][k] * weights[i];\n"
    "    for (unsigned i = 0; i < each.size(); i++) sum += each[i] * 1000.0f;\n"
    "    *out = sum;\n"
    "    return true;\n"
    "  }\n"
    "};\n";

static Device model(unsigned ipus = 1)
{
    IPUModel m;
    m.numIPUs = ipus;
    m.tilesPerIPU = 4;
    return m.createDevice();
}

/* A graph that uses what a file has to hold: views, constants, initial values, state, all kinds of programs. */
static Executable make(const Device &d, const OptionFlags &options = {})
{
    Graph g(d);
    std::stringstream source(codelets);
    g.addCodelets(source);
    Tensor x = g.addVariable(FLOAT, { 4, 6 }, VariableMappingMethod::LINEAR, "x"), y = g.addVariable(FLOAT, { 2 });
    Tensor n = g.addVariable(INT, {}, "n"), one = g.addConstant(INT, {}, 1), flag = g.addVariable(BOOL, {});
    Tensor ints[3];
    unsigned tiles = g.getTarget().getNumTiles();
    for (int k = 0; k < 3; k++) g.setTileMapping(ints[k] = g.addConstant(INT, {}, 10 * k), 3 % tiles);
    for (const Tensor &t : { n, one, flag }) g.setTileMapping(t, 2 % tiles);
    g.setTileMapping(y, 1 % tiles);
    g.setInitialValue<float>(x.reverse(1)[3], { 1, 2, 3, 4, 5, 6 });
    g.setInitialValue(flag, true);
    ComputeSet cs = g.addComputeSet("dot"), unused = g.addComputeSet("unused");
    for (unsigned i = 0; i < 2; i++) {
        VertexRef v = g.addVertex(cs, "Dot", { { "out", y[i] } });
        g.connect(v["rows"], std::vector<Tensor>{ x[i], x.transpose()[i].slice(0, 2), x.slice(1, 1, 0).flatten() });
        g.setFieldSize(v["each"], 2);
        g.connect(v["each"][1], x[3][i]), g.connect(v["each"][0], x[3][5]);
        g.setInitialValue(v["weights"], std::vector<float>{ 1, 10, 100 });
        g.setInitialValue(v["offset"], 7u + i);
        g.setTileMapping(v, i % tiles);
        if (i) g.setPerfEstimate(v, 33);
    }
    g.registerPerfEstimator("Dot", [](const VertexIntrospector &v, const Target &) {
        return VertexPerfEstimate(100 + v.getFieldInfo("rows").size());
    });
    g.addVertex(unused, "Dot");
    DataStream in = g.addHostToDeviceFIFO("in", FLOAT, 24), out = g.addDeviceToHostFIFO("out", FLOAT, 2);
    RemoteBuffer remote = g.addRemoteBuffer("rows", FLOAT, 6, 3);
    Tensor row = g.addVariable(UNSIGNED_INT, { 1 });
    g.setTileMapping(row, 0);
    g.setInitialValue(row, 2u);
    g.createHostRead("x", x), g.createHostWrite("x in", x), g.createHostRead("n", n);
    Function f = g.addFunction(Sequence({ Copy(ints[1], n) }, "ten"));
    Switch s(n, { { 10, Copy(ints[2], n) } }, Copy(one, n));
    std::vector<Program> programs{
        Sequence({ Execute(cs), Copy(y, out) }, "main"),
        Sequence(Copy(in, x), Repeat(3, Sequence({ Execute(cs) })), Copy(y, out)),
        Sequence(Call(f), s, If(flag, Sequence(), Copy(one, n))),
        Sequence(Copy(x[3], remote, row), Copy(remote, x[0], row), PrintTensor("x0", x[0])),
    };
    return compileGraph(g, programs, options);
}

static std::string bytesOf(const Executable &e)
{
    std::ostringstream out;
    e.serialize(out);
    return out.str();
}

/* The host's own time differs from run to run. */
static std::string withoutTimes(std::string text)
{
    const std::string key = "\"microseconds\":";
    for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos; at += key.size())
        text.erase(at + key.size(), text.find(',', at) - at - key.size());
    return text;
}

static std::string run(Engine e, const Device &d)
{
    std::ostringstream text;
    float in[24], out[2], x[24];
    int n;
    for (int i = 0; i < 24; i++) in[i] = static_cast<float>(i);
    e.setPrintTensorStream(text);
    e.load(d);
    e.connectStream("in", in, in + 24);
    e.connectStream("out", out, out + 2);
    for (unsigned p = 0; p < 4; p++) {
        e.run(p);
        e.readTensor("x", x, x + 24);
        e.readTensor("n", &n);
        text << p << ": " << out[0] << ' ' << out[1] << ' ' << n;
        for (float v : x) text << ' ' << v;
        text << '\n';
    }
    for (const std::string &s : e.listStreams()) text << s << '\n';
    if (d.getTarget().getTargetType() != TargetType::CPU) text << e.getProfile();
    return withoutTimes(text.str());
}

static void saved(const Device &d)
{
    Executable a = make(d, { { "debug.retainDebugInformation", "true" } });
    std::string bytes = bytesOf(a), plain = run(Engine(std::move(a)), d);
    EXPECT(bytes == bytesOf(make(d, { { "debug.retainDebugInformation", "true" } })));
    std::istringstream in(bytes);
    Executable b = Executable::deserialize(in);
    EXPECT(bytesOf(b) == bytes);
    EXPECT(plain.find("0: ") == 0);
    std::string again = run(Engine(b), d);
    EXPECT(again == plain); /* values, streams, memory, cycles */
    EXPECT(run(Engine(b), d) == plain);
    EXPECT_THROWS(invalid_option, Engine(b, { { "debug.nothing", "1" } }));
    EXPECT_THROWS(poplar_error, Engine(std::move(b)).load(model(2)));
}

static std::string loadError(const std::string &bytes)
{
    try {
        Executable::deserialize(std::unique_ptr<std::istream>(new std::istringstream(bytes)));
    } catch (const file_load_error &e) {
        return e.what();
    }
    return "";
}

static void damaged()
{
    std::string bytes = bytesOf(make(model()));
    EXPECT(loadError("") == "Executable::deserialize: this is not an executable of a graph");
    std::string other = bytes;
    other[8] = 99;
    EXPECT(loadError(other).find("has version 99, this library reads version 2") != std::string::npos);
    EXPECT(loadError(bytes.substr(0, bytes.size() - 1)).find("cut off") != std::string::npos);
    for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 97) {
        other = bytes;
        other[at] = static_cast<char>(other[at] ^ 0x20);
        EXPECT(!loadError(other).empty());
    }
    EXPECT_THROWS(poplar_error, bytesOf(Executable()));
}

static void replicas()
{
    Device d = model(2);
    Graph top(d), g = top.createReplicatedGraph(2);
    Tensor x = g.addVariable(INT, { 3 }), index = g.addReplicationIndexConstant();
    g.setTileMapping(x, 1), g.setTileMapping(index, 0);
    DataStream in = g.addHostToDeviceFIFO("in", INT, 3);
    top.createHostRead("all", g.getNonReplicatedTensor(x));
    Executable a = compileGraph(g, { Sequence(Copy(in, x)) });
    std::istringstream bytes(bytesOf(a));
    Engine e(Executable::deserialize(bytes));
    int data[6] = { 1, 2, 3, 4, 5, 6 }, got[6] = { 0 };
    e.connectStream("in[0]", data, data + 3), e.connectStream("in[1]", data + 3, data + 6);
    e.load(d);
    e.run();
    e.readTensor("all", got, got + 6);
    EXPECT(got[0] == 1 && got[5] == 6);
}

/* An executable is what was compiled: a graph that went on is refused. */
static void changed()
{
    Device d = Device::createCPUDevice();
    Graph g(d);
    std::stringstream source("#include <poplar/Vertex.hpp>\n"
                             "class V : public poplar::Vertex { public: bool compute() { return true; } };\n");
    g.addCodelets(source);
    ComputeSet cs = g.addComputeSet("grows");
    g.addVertex(cs, "V");
    Executable e = compileGraph(g, { Execute(cs) });
    EXPECT(!bytesOf(e).empty());
    g.addVertex(cs, "V");
    EXPECT_THROWS(poplar_error, bytesOf(e));
}

/* What estimators and progress functions throw, the constructor of the engine does; then all is as before. */
static void thrown()
{
    IPUModel m;
    m.tilesPerIPU = 2;
    Device d = m.createDevice();
    Graph g(d);
    std::stringstream source("#include <poplar/Vertex.hpp>\n"
                             "class Thrown : public poplar::Vertex { public: poplar::Output<float> out;\n"
                             "  bool compute() { *out = 1; return true; } };\n");
    g.addCodelets(source);
    Tensor x = g.addVariable(FLOAT, {}, VariableMappingMethod::LINEAR);
    ComputeSet cs = g.addComputeSet();
    g.setTileMapping(g.addVertex(cs, "Thrown", { { "out", x } }), 0);
    bool fails = true;
    g.registerPerfEstimator("Thrown", [&](const VertexIntrospector &, const Target &) -> VertexPerfEstimate {
        if (fails) throw std::out_of_range("no such layout");
        return 7;
    });
    EXPECT_THROWS(std::out_of_range, Engine(g, Execute(cs)));
    EXPECT_THROWS(std::out_of_range, compileGraph(g, { Execute(cs) }));
    fails = false;
    EXPECT_THROWS(std::domain_error,
                  Engine(g, Execute(cs), {}, [](int, int) { throw std::domain_error("progress"); }));
    Engine e(g, Execute(cs));
    e.loadAndRun(d);
}

int main()
{
    thrown();
    saved(model());
    saved(Device::createCPUDevice());
    damaged();
    replicas();
    changed();
    return failures;
}
