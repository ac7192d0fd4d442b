// SPDX-License-Identifier: MIT
/* What the vendor's API refuses is refused with the same class, at the same call; the text begins with that call. */
#include "expect.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <unistd.h>

using namespace poplar;
using namespace poplar::program;

/* Refused with this class, and a text that begins with `call` and holds `words`. */
#define REFUSED(kind, call, words, ...)                                                                            \
    do {                                                                                                           \
        try {                                                                                                      \
            (void)(__VA_ARGS__);                                                                                   \
            std::printf("%s:%d: not refused: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                             \
            failures++;                                                                                            \
        } catch (const poplar_error &e_) {                                                                         \
            bool known_ = dynamic_cast<const kind *>(&e_) && e_.type == #kind;                                     \
            if (!known_ || std::strstr(e_.what(), "tw_") || std::strncmp(e_.what(), call ":", sizeof call) != 0 || \
                !std::strstr(e_.what(), words)) {                                                                  \
                std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, e_.type.c_str(), e_.what());                    \
                failures++;                                                                                        \
            }                                                                                                      \
        }                                                                                                          \
    } while (0)

static const char codelets[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "class All : public Vertex {\n"
    "public:\n"
    "  Input<Vector<float>> in; Output<float> out; Vector<Input<Vector<float>>> rows;\n"
    "  unsigned short small; Vector<unsigned> state;\n"
    "  bool compute() { return true; }\n"
    "};\n"
    "class One : public Vertex { public: Output<float> out; bool compute() { *out = 1; return true; } };\n";

static Device model(unsigned tiles = 4)
{
    IPUModel m;
    m.tilesPerIPU = tiles;
    return m.createDevice();
}

static void addCodelets(Graph &g, const std::string &text)
{
    std::stringstream source(text);
    g.addCodelets(source);
}

static void of_codelets()
{
    Graph g(model());
    REFUSED(graph_program_compilation_error, "Graph::addCodelets", "error", (addCodelets(g, "class Broken {"), 0));
    REFUSED(link_error, "Graph::addCodelets", "nowhere",
            (addCodelets(g, "#include <poplar/Vertex.hpp>\nextern \"C\" float nowhere(float);\n"
                            "class Calls : public poplar::Vertex { public: poplar::Output<float> out;\n"
                            "  bool compute() { *out = nowhere(1); return true; } };\n"),
             0));
    REFUSED(file_load_error, "Graph::addCodelets", "no_such_file.cpp", g.addCodelets("no_such_file.cpp"));
    char name[] = "exceptions_XXXXXX.gp";
    int file = mkstemps(name, 3);
    EXPECT(file >= 0 && write(file, "not an archive", 14) == 14);
    close(file);
    REFUSED(graph_object_load_error, "Graph::addCodelets", name, g.addCodelets(name));
    unlink(name);
    addCodelets(g, codelets);
    ComputeSet cs = g.addComputeSet();
    REFUSED(unknown_vertex_type, "Graph::addVertex", "Nobody", g.addVertex(cs, "Nobody"));
    VertexRef v = g.addVertex(cs, "All");
    Tensor x = g.addVariable(FLOAT, { 4 });
    REFUSED(unknown_field, "Graph::connect", "nothing", (g.connect(v["nothing"], x), 0));
    REFUSED(unknown_field, "Graph::setInitialValue", "nothing", (g.setInitialValue(v["nothing"], 1), 0));
    REFUSED(overflow_error, "Graph::setInitialValue", "70000", (g.setInitialValue(v["small"], 70000u), 0));
    REFUSED(no_size_specified, "Graph::getFieldSize", "rows",
            g.getFieldSize(v["rows"])); // elements may come before sizes
}

static void of_edges()
{
    Graph g(model());
    addCodelets(g, codelets);
    ComputeSet cs = g.addComputeSet("cs");
    VertexRef v = g.addVertex(cs, "All"), one = g.addVertex(cs, "One");
    Tensor x = g.addVariable(FLOAT, { 4 }, "x"), i = g.addVariable(INT, { 4 }, "i"),
           c = g.addConstant(FLOAT, { 1 }, 1.0f);
    REFUSED(graph_connection_error, "Graph::connect", "int", (g.connect(v["in"], i), 0));
    REFUSED(graph_connection_error, "Graph::connect", "4", (g.connect(v["out"], x), 0));
    REFUSED(graph_connection_error, "Graph::connect", "constant", (g.connect(v["out"], c), 0));
    g.connect(v["in"], x);
    REFUSED(graph_connection_error, "Graph::connect", "in", (g.connect(v["in"], x), 0));
    REFUSED(invalid_tile_mapping, "Engine", "Graph::setTileMapping()", Engine(g, Execute(cs)));
    g.setTileMapping(one, 0), g.setTileMapping(v, 0);
    g.setPerfEstimate(one, 1), g.setPerfEstimate(v, 1);
    REFUSED(graph_connection_error, "Engine", "out", Engine(g, Execute(cs)));
    REFUSED(type_error, "Tensor::reinterpret", "half", x.reinterpret(HALF));
    REFUSED(type_error, "Copy", "int", Copy(x, i));
    REFUSED(type_error, "concat", "int", concat(x, i));
    REFUSED(index_error, "Tensor::operator[]", "4", x[4]);
    REFUSED(index_error, "Tensor::slice", "5", x.slice(2, 5));
    REFUSED(index_error, "Tensor::dim", "3", x.dim(3));
}

static void of_mapping()
{
    Graph g(model());
    addCodelets(g, codelets);
    Tensor x = g.addVariable(FLOAT, { 4 }, "lonely"), y = g.addVariable(FLOAT, { 4 }, "y");
    REFUSED(invalid_tile_mapping, "Graph::setTileMapping", "9", (g.setTileMapping(x, 9), 0));
    REFUSED(invalid_tile_mapping, "Graph::getTileMapping", "no tile", g.getTileMapping(x));
    g.setTileMapping(y, 0);
    REFUSED(invalid_tile_mapping, "Engine", "lonely", Engine(g, Copy(x, y)));
    REFUSED(tensor_creation_error, "Graph::addConstant", "3 values",
            g.addConstant<float>(FLOAT, { 4 }, { 1, 2, 3 }));
    REFUSED(control_program_error, "Copy", "3 of shape", Copy(y, x.slice(0, 3)));
    REFUSED(graph_replication_error, "Graph", "2", Graph(model(), replication_factor(2)));
    REFUSED(graph_replication_error, "Graph::createReplicatedGraph", "3", g.createReplicatedGraph(3));
}

static void of_runs()
{
    Device d = model();
    Graph g(d);
    Tensor x = g.addVariable(FLOAT, { 4 }, "x"), flag = g.addVariable(BOOL, {}, "flag");
    g.setTileMapping(x, 0), g.setTileMapping(flag, 0);
    g.setInitialValue(flag, true);
    g.createHostWrite("in", x);
    REFUSED(tensor_io_state_error, "Graph::createHostWrite", "in", (g.createHostWrite("in", x), 0));
    DataStream s = g.addHostToDeviceFIFO("stream", FLOAT, 4);
    std::vector<Program> programs{ Copy(s, x), Abort("on purpose"), AbortOnCondition(flag, "flag is set"),
                                   ErrorProgram("wrong", x) };
    Engine e(g, programs);
    float data[4] = { 0 };
    REFUSED(poplar_error, "Engine::run", "load", (e.run(0), 0));
    e.load(d);
    REFUSED(stream_connection_error, "Engine::run", "stream", (e.run(0), 0));
    REFUSED(stream_connection_error, "Engine::connectStream", "other", (e.connectStream("other", data), 0));
    REFUSED(tensor_io_state_error, "Engine::writeTensor", "other", (e.writeTensor("other", data, data + 4), 0));
    REFUSED(tensor_io_state_error, "Engine::readTensor", "in", (e.readTensor("in", data, data + 4), 0));
    REFUSED(application_runtime_error, "Engine::run", "on purpose", (e.run(1), 0));
    e.load(d);
    REFUSED(application_runtime_error, "Engine::run", "flag is set", (e.run(2), 0));
    e.load(d);
    REFUSED(application_runtime_error, "Engine::run", "wrong", (e.run(3), 0));
    try {
        e.load(d), e.run(1);
    } catch (const runtime_error &error) { /* application_runtime_error is one */
        EXPECT(error.type == "application_runtime_error");
    }
}

static void of_memory()
{
    Device d = model(1);
    Graph g(d);
    Tensor x = g.addVariable(FLOAT, { 1000000 }, "large"), y = g.clone(x, "too");
    g.setTileMapping(x, 0), g.setTileMapping(y, 0);
    REFUSED(graph_memory_allocation_error, "Engine", "tile 0",
            Engine(g, Copy(x, y), { { "debug.allowOutOfMemory", "false" } }));
    Engine fine(g, Copy(x, y), { { "debug.allowOutOfMemory", "true" } });
}

static void of_settings()
{
    Device d = model();
    Graph g(d);
    REFUSED(invalid_machine_model, "Target::createIPUTarget", "ipu9", Target::createIPUTarget(1, "ipu9"));
    REFUSED(invalid_option, "Engine", "debug.nothing", Engine(g, Sequence(), { { "debug.nothing", "1" } }));
    REFUSED(invalid_option, "Engine", "maybe", Engine(g, Sequence(), { { "debug.instrument", "maybe" } }));
    OptionFlags flags;
    REFUSED(parse_error, "readJSON", "", (readJSON("{\"a\": ", flags), 0));
    REFUSED(parse_error, "readJSON", "", (readJSON("[1]", flags), 0));
    Device cpu = Device::createCPUDevice();
    Graph h(cpu);
    Engine e(h, Sequence());
    e.load(cpu);
    REFUSED(profiling_disabled, "Engine::getGraphProfile", "CPU", e.getGraphProfile());
    REFUSED(profiling_disabled, "Engine::getExecutionProfile", "CPU", e.getExecutionProfile());
}

/* What seldom happens. */
static void of_the_rest()
{
    Device d = model();
    Graph g(d);
    addCodelets(g, codelets);
    /* the same vertex twice, with other fields */
    REFUSED(graph_object_creation_error, "Graph::addCodelets", "'One'",
            (addCodelets(g, "#include <poplar/Vertex.hpp>\n"
                            "class One : public poplar::Vertex { public: poplar::Output<int> out;\n"
                            "  bool compute() { return true; } };\n"),
             0));
    Tensor x = g.addVariable(FLOAT, {}, "x");
    g.setTileMapping(x, 0);
    ComputeSet cs = g.addComputeSet("cs");
    g.setTileMapping(g.addVertex(cs, "One", { { "out", x } }), 0);
    REFUSED(missing_perf_estimate, "Engine", "One",
            Engine(g, Execute(cs), { { "profiler.strictEstimates", "true" } }));
    REFUSED(stream_memory_allocation_error, "Graph::addHostToDeviceFIFO", "huge",
            g.addHostToDeviceFIFO("huge", FLOAT, std::size_t(1) << 60));
    addCodelets(g, "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                   "class [[poplar::constraint(\"elem(*in) != elem(*out)\")]] Apart : public Vertex {\n"
                   "public: Input<Vector<float, VectorLayout::SPAN, 8>> in; Output<Vector<float, "
                   "VectorLayout::SPAN, 8>> out;\n"
                   "  bool compute() { return true; } };\n");
    Tensor pair = g.addVariable(FLOAT, { 4 }, "pair");
    g.setTileMapping(pair, 0);
    ComputeSet near = g.addComputeSet("near");
    VertexRef v = g.addVertex(near, "Apart", { { "in", pair }, { "out", pair } });
    g.setTileMapping(v, 0), g.setPerfEstimate(v, 1);
    REFUSED(memory_elem_constraints_error, "Engine", "elem", Engine(g, Execute(near)));
    Device cpu = Device::createCPUDevice();
    Graph vast(cpu);
    Tensor all = vast.addVariable(FLOAT, { std::size_t(1) << 50 }, "all");
    REFUSED(memory_allocation_error, "Engine", "memory", Engine(vast, WriteUndef(all)).load(cpu));
}

/* What the host lacks: headers for codelets. */
static void of_the_environment()
{
    setenv("TILEWRIGHT_ROOT", "/nowhere", 1);
    Graph g(model());
    REFUSED(no_environment, "Graph::addCodelets", "/nowhere",
            (addCodelets(g, std::string("/* new */") + codelets), 0));
    unsetenv("TILEWRIGHT_ROOT");
}

/* Profiles without what a summary shows. */
static void of_profiles()
{
    Device d = model();
    Graph g(d);
    Engine e(g, Sequence());
    e.load(d);
    REFUSED(missing_profile_data, "Engine::getExecutionProfile", "", e.getExecutionProfile());
    std::ostringstream out;
    e.run(0);
    REFUSED(missing_graph_profile, "printGraphSummary", "graph profile",
            (printGraphSummary(out, e.getExecutionProfile()), 0));
    REFUSED(missing_graph_profile, "printGraphSummary", "", (printGraphSummary(out, ProfileValue()), 0));
    REFUSED(missing_profile_data, "printExecutionSummary", "execution profile",
            (printExecutionSummary(out, e.getGraphProfile(), e.getGraphProfile()), 0));
    printExecutionSummary(out, e.getGraphProfile(), e.getExecutionProfile());
}

/* Classes that programs throw and catch themselves. */
template <class E, class Base> static void thrown(const char *name)
{
    try {
        throw E("text");
    } catch (const Base &b) {
        EXPECT(b.type == name && std::string(b.what()) == "text");
    }
}
static void of_programs()
{
    thrown<graph_cycle_error, poplar_error>("graph_cycle_error");
    thrown<graph_recursion_error, poplar_error>("graph_recursion_error");
    thrown<symbol_error, poplar_error>("symbol_error");
    thrown<poplar::runtime_error, poplar_error>("runtime_error");
    thrown<system_runtime_error, poplar::runtime_error>("system_runtime_error");
    thrown<unrecoverable_runtime_error, system_runtime_error>("unrecoverable_runtime_error");
    thrown<unknown_runtime_error, system_runtime_error>("unknown_runtime_error");
    try {
        throw recoverable_runtime_error(RecoveryAction::IPU_RESET, "text");
    } catch (const system_runtime_error &e) {
        auto r = dynamic_cast<const recoverable_runtime_error *>(&e);
        EXPECT(r && r->getRecoveryAction() == RecoveryAction::IPU_RESET);
    }
}

/* What was only default constructed, is of another graph, or is not there. */
static void of_nothing()
{
    Device d = model(), none;
    Graph g(d), other(d);
    Target nowhere;
    Tensor x = g.addVariable(FLOAT, { 2, 3 }, "x"), y = other.addVariable(FLOAT, { 2, 3 }, "y"), invalid;
    REFUSED(invalid_machine_model, "Target::getNumTiles", "not valid", nowhere.getNumTiles());
    REFUSED(invalid_machine_model, "Target::getTypeSize", "not valid", nowhere.getTypeSize(FLOAT));
    REFUSED(invalid_machine_model, "Target::getHalfVectorWidth", "not valid", nowhere.getHalfVectorWidth());
    REFUSED(invalid_machine_model, "Device::attach", "not valid", none.attach());
    REFUSED(poplar_error, "Tensor", "not valid", WriteUndef(Tensor()));
    REFUSED(poplar_error, "Tensor", "not valid", If(invalid, Sequence(), Sequence()));
    REFUSED(poplar_error, "Tensor", "not valid", Switch(invalid, { { 0, Sequence() } }));
    REFUSED(tensor_creation_error, "Graph::addConstant", "null",
            g.addConstant(FLOAT, { 2 }, static_cast<const float *>(nullptr)));
    REFUSED(type_error, "Graph::addConstantHalf", "float", g.addConstantHalf(FLOAT, { 1 }, std::uint16_t(1)));
    REFUSED(poplar_error, "Graph::setTileMapping", "belongs to another graph", (g.setTileMapping(y, 0), 0));
    EXPECT(!(x == y));
    REFUSED(index_error, "Tensor::index", "3", x.index({ 1, 3 }));
    REFUSED(tensor_creation_error, "Graph::setInitialValue", "2 values",
            (g.setInitialValue<float>(x, { 1, 2 }), 0));
    REFUSED(invalid_tile_mapping, "Graph::convertTileToTopLevelGraphTile", "4",
            g.convertTileToTopLevelGraphTile(4));
    REFUSED(invalid_machine_model, "IPUModel", "mk9", IPUModel("mk9"));
    REFUSED(invalid_machine_model, "Target::createIPUTarget", "0 IPUs", Target::createIPUTarget(0, "ipu2"));
    REFUSED(invalid_machine_model, "Target::createIPUTarget", "0 tiles", Target::createIPUTarget(1, 0, "ipu2"));
    IPUModel m;
    m.numIPUs = 0;
    REFUSED(invalid_machine_model, "IPUModel::createDevice", "numIPUs", m.createDevice());
    REFUSED(invalid_option, "DeviceManager::getDevices", "bogus",
            DeviceManager().getDevices(TargetType::IPU, 1, { { "bogus", "1" } }));
    OptionFlags flags;
    setenv("TW_TEST_OPTIONS", "[]", 1);
    REFUSED(parse_error, "TW_TEST_OPTIONS", "JSON object", (readJSONFromEnv("TW_TEST_OPTIONS", flags), 0));
    unsetenv("TW_TEST_OPTIONS");
    REFUSED(file_load_error, "Executable::deserialize", "no stream",
            Executable::deserialize(std::unique_ptr<std::istream>()));
}

/* Ranges and callbacks that are none. */
static void of_host_data()
{
    Device d = model();
    Graph g(d);
    Tensor x = g.addVariable(FLOAT, { 4 }, VariableMappingMethod::LINEAR);
    g.createHostWrite("w", x), g.createHostRead("r", x);
    RemoteBuffer rows = g.addRemoteBuffer("rows", FLOAT, 4, 2);
    Engine e(g, Sequence(Copy(g.addHostToDeviceFIFO("in", FLOAT, 4), x), Copy(x, rows)));
    float data[4];
    e.load(d);
    REFUSED(poplar_error, "Engine::readTensor", "before it begins", (e.readTensor("r", data + 4, data), 0));
    REFUSED(poplar_error, "Engine::writeTensor", "before it begins", (e.writeTensor("w", data + 4, data), 0));
    REFUSED(poplar_error, "Engine::connectStream", "before it begins", (e.connectStream("in", data + 4, data), 0));
    REFUSED(poplar_error, "Engine::connectStreamToCallback", "no callback",
            (e.connectStreamToCallback("in", std::unique_ptr<StreamCallback>()), 0));
    REFUSED(stream_connection_error, "Engine::copyFromRemoteBuffer", "rows[1]",
            (e.copyFromRemoteBuffer("rows", data, 0, 1), 0));
}

int main()
{
    of_codelets();
    of_edges();
    of_mapping();
    of_runs();
    of_memory();
    of_settings();
    of_the_rest();
    of_the_environment();
    of_profiles();
    of_programs();
    of_nothing();
    of_host_data();
    return failures;
}
