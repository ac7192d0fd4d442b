// SPDX-License-Identifier: MIT
/* Reports: profiles as pva::Report, as trees of values and as summaries; registers of tiles in programs. */
#include "expect.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/RandomSeed.hpp>
#include <pva/pva.hpp>
#include <pvti/pvti.hpp>
#include <sstream>
#include <type_traits>
#include <unistd.h>

using namespace poplar;
using namespace poplar::program;

static Device model()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    return m.createDevice();
}

static const char codelets[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "class Sum : public Vertex {\n"
    "public:\n"
    "  Input<Vector<float>> in;\n"
    "  Output<float> out;\n"
    "  bool compute() { float s = 0; for (float v : in) s += v; *out = s; return true; }\n"
    "};\n";

/* Two vertices of 8 bytes of pointers and more on tiles 0 and 1, 77 and 99 cycles each: known before a run. */
static Engine make(const Device &d, const OptionFlags &options = {})
{
    Graph g(d);
    std::stringstream source(codelets);
    g.addCodelets(source);
    Tensor x = g.addVariable(FLOAT, { 8 }, "x"), y = g.addVariable(FLOAT, { 2 }, "y");
    ComputeSet cs = g.addComputeSet("sums");
    for (unsigned i = 0; i < 2; i++) {
        VertexRef v = g.addVertex(cs, "Sum", { { "in", x.slice(4 * i, 4 * i + 4) }, { "out", y[i] } });
        g.setTileMapping(v, i);
        g.setPerfEstimate(v, 77 + 22 * i);
    }
    for (unsigned i = 0; i < 2; i++) g.setTileMapping(x.slice(4 * i, 4 * i + 4), i), g.setTileMapping(y[i], i);
    g.createHostRead("y", y);
    return Engine(g, Execute(cs), options);
}

static void compilation(const pva::Report &report)
{
    EXPECT(report.compilation().graph().numVertices() == 2 && report.compilation().graph().numComputeSets() == 1);
    EXPECT(report.compilation().target().numTiles() == 4 && report.compilation().target().numIPUs() == 1);
    EXPECT(report.compilation().target().architecture() == "ipu2" &&
           report.compilation().target().bytesPerTile() == 638976);
    const auto tiles = report.compilation().tiles();
    EXPECT(tiles.size() == 4 && tiles[0].memory().vertices().size() == 1 && tiles[2].memory().vertices().empty());
    EXPECT(tiles[1].memory().vertices()[0].type().name() == "Sum");
    const auto categories = tiles[0].memory().category();
    EXPECT(categories.variable().nonInterleaved().nonOverlapped() == 20); /* 4 floats of x, 1 of y */
    EXPECT(categories.vertexInstanceState().total() > 0 && categories.globalMessage().total() == 0);
    EXPECT(tiles[0].memory().total().excludingGaps() <= tiles[0].memory().total().includingGaps());
    const auto sets = report.compilation().computeSets();
    EXPECT(sets.size() == 1 && sets[0].name() == "sums" && sets[0].vertices()[0].type().name() == "Sum");
    EXPECT(sets[0].vertices()[0].count() == 2);
    EXPECT(report.poplarVersion().string() == versionString().cloneAsString().substr(0, 5) ||
           !report.poplarVersion().string().empty());
}

/* A tile's time is six times that of its only vertex. */
static void execution(const pva::Report &report, bool measured)
{
    std::size_t found = 0;
    for (const auto &step : report.execution().steps())
        for (const auto &cs : step.computeSets()) {
            found++;
            EXPECT(cs.name() == "sums");
            const auto cycles = cs.estimatedCyclesByTile();
            EXPECT(cycles.size() == 4 && cycles[0] == 6 * 77 && cycles[1] == 6 * 99 && cycles[2] == 0);
            EXPECT(measured ? cs.cyclesByTile() == cycles : cs.cyclesByTile().empty());
            EXPECT(step.cyclesTo() - step.cyclesFrom() <= step.cycles() && step.type() == "OnTileExecute");
        }
    EXPECT(found == 2 && report.execution().totalCycles() >= 2 * 6 * 99);
}

/* Program trees: visited from the root, a step knows which of its nodes it ran. */
static void programs(const pva::Report &report)
{
    struct Visitor : pva::ProgramVisitor {
        unsigned sets = 0, others = 0;
        std::vector<std::string> live;
        void visitOnTileExecute(const pva::OnTileExecuteProgram &p) override
        {
            sets++;
            EXPECT(p.computeset().name() == "sums" && p.type() == pva::Program::Type::OnTileExecute);
            EXPECT(p.children().empty());
            for (const pva::Var &v : p.vars()) live.push_back(v.name() + (v.alwaysLive() ? "!" : ""));
        }
        void visitOther(const pva::Program &p) override
        {
            others++;
            EXPECT(p.type() != pva::Program::Type::Unknown && !p.typeName().empty());
            for (const auto &child : p.children()) child->accept(*this);
        }
    } visitor;
    const auto all = report.compilation().programs();
    EXPECT(!all.empty() && all[0]->_id() == 0);
    all.at(0)->accept(visitor);
    EXPECT(visitor.sets == 1 && visitor.others + 1 == all.size());
    EXPECT(visitor.live.size() >= 2);
    std::uint64_t bytes = 0, most = 0;
    for (const pva::Var &v : report.compilation().alwaysLiveVariables()) bytes += v.bytes();
    for (const auto &step : report.compilation().livenessProgramSteps()) {
        EXPECT(step.program() && step.program()->children().empty());
        most = std::max(most, step.notAlwaysLiveMemory().bytes());
    }
    EXPECT(bytes + most >= 40); /* x and y */
    unsigned ran = 0;
    for (const auto &step : report.execution().steps()) {
        const bool sync = step.type() == "Sync";
        ran += !sync;
        EXPECT(sync == (step.program()->type() == pva::Program::Type::Sync));
        EXPECT(step.program()->name() == (sync ? "" : step.name()));
        EXPECT(step.ipus().size() == 1 && step.ipus()[0].cycles() == step.cycles());
    }
    EXPECT(ran >= 2 && report.execution().totalCycles().total() == report.execution().totalCycles());
}

static void reports()
{
    Device d = model();
    for (bool measured : { false, true }) {
        Engine e = make(d, { { "debug.instrumentCompute", measured ? "true" : "false" } });
        e.load(d);
        compilation(e.getReport());
        EXPECT(e.getReport().execution().steps().empty());
        e.run(), e.run();
        execution(e.getReport(), measured);
        programs(e.getReport());
        EXPECT(e.getReport(false).execution().steps().empty());
    }
    Device cpu = Device::createCPUDevice();
    Graph g(cpu);
    Engine e(g, Sequence());
    EXPECT_THROWS(profiling_disabled, e.getReport());
}

/* A step of two IPUs has a number of cycles for each, whether tiles compute in it or not. */
static void twoIPUs()
{
    IPUModel m;
    m.tilesPerIPU = 4, m.numIPUs = 2;
    Device d = m.createDevice();
    Graph g(d);
    std::stringstream source(codelets);
    g.addCodelets(source);
    Tensor x = g.addVariable(FLOAT, { 8 }, "x"), far = g.clone(x, "far"), y = g.addVariable(FLOAT, {}, "y");
    ComputeSet cs = g.addComputeSet("sums");
    VertexRef v = g.addVertex(cs, "Sum", { { "in", far }, { "out", y } });
    g.setTileMapping(x, 0), g.setTileMapping(far, 5), g.setTileMapping(y, 5), g.setTileMapping(v, 5);
    g.setPerfEstimate(v, 77);
    g.createHostRead("y", y);
    Engine e(g, Sequence({ Copy(x, far), Execute(cs) }));
    e.load(d);
    e.run();
    unsigned sets = 0, others = 0;
    for (const auto &step : e.getReport().execution().steps()) {
        const auto ipus = step.ipus();
        EXPECT(ipus.size() == 2);
        const bool computes = !step.computeSets().empty();
        (computes ? sets : others)++;
        EXPECT(ipus[0].cycles() == (computes ? 0 : step.cycles()));
        EXPECT(ipus[1].cycles() == (computes ? 6 * 77 : step.cycles()));
    }
    EXPECT(sets == 1 && others > 0);
}

/* Trees of values are sorted by name, so the categories in these lines may be in another order. */
static std::string withoutNotes(const std::ostringstream &out)
{
    std::string text = out.str();
    for (std::size_t at; (at = text.find("Note: ")) != std::string::npos;) text.erase(at, text.find('\n', at) - at);
    return text;
}

static void files()
{
    Device d = model();
    char folder[] = "/tmp/tw_reports_XXXXXX";
    EXPECT(mkdtemp(folder));
    std::string path = std::string(folder) + "/";
    Engine e = make(d, { { "autoReport.all", "true" }, { "autoReport.directory", path } });
    e.load(d);
    e.run(), e.run();
    pva::Report report = pva::openReport(path + "profile.pop"); /* stands for the two files beside it */
    compilation(report);
    execution(report, true);                                              /* autoReport.all instruments */
    pva::Report alone = pva::openReport(path + "execution_profile.json"); /* without the tree of programs */
    std::size_t computing = 0;
    for (const pva::Step &step : alone.execution().steps()) {
        EXPECT(step.program()->typeName() == step.type() && step.program()->name().empty());
        computing += step.program()->type() == pva::Program::Type::OnTileExecute;
    }
    EXPECT(computing > 0);
    std::ofstream(path + "both.json") << "{}";
    EXPECT_THROWS(std::runtime_error, pva::openReport(path + "both.json"));
    EXPECT_THROWS(std::runtime_error, pva::openReport("/nothing/profile.pop"));
    std::ostringstream fromFile, fromTree, fromEngine;
    printGraphSummary(fromFile, path + "graph_profile.json", {});
    printGraphSummary(fromTree, e.getGraphProfile());
    EXPECT(withoutNotes(fromFile) == withoutNotes(fromTree) && fromFile.str().find("Vertex") != std::string::npos);
    e.printProfileSummary(fromEngine, { { "showExecutionSteps", "true" } });
    std::ostringstream both, steps;
    printProfileSummary(both, e.getGraphProfile(), e.getExecutionProfile(), { { "showExecutionSteps", "true" } });
    EXPECT(withoutNotes(both) == withoutNotes(fromEngine));
    printExecutionSummary(steps, e.getGraphProfile(), e.getExecutionProfile());
    std::ostringstream reported;
    e.reportExecution(reported);
    EXPECT(steps.str() == reported.str() && !steps.str().empty());
    EXPECT_THROWS(invalid_option, e.printProfileSummary(both, { { "showNothing", "true" } }));
    std::string clean = "rm -r '" + path + "'";
    EXPECT(std::system(clean.c_str()) == 0);
}

/* What is set is read back, in order; the sequence is wrapped in place. */
static void registers(const Device &d)
{
    Graph g(d);
    std::size_t tiles = g.getTarget().getNumTiles(), workers = g.getTarget().getNumWorkerContexts();
    Sequence first, second, fp;
    Tensor before = getHwSeeds(g, first, "before"), after = getHwSeeds(g, second, { "after" });
    EXPECT(before.shape() == std::vector<std::size_t>({ tiles, workers, 4 }) &&
           before.elementType() == UNSIGNED_INT);
    Tensor seeds = g.clone(before);
    g.setInitialValue(seeds, 5u);
    setHwSeeds(g, seeds, first, "set");
    EXPECT_THROWS(poplar_error, setHwSeeds(g, seeds.flatten(), first));
    setFloatingPointBehaviour(g, fp, { true, true, false, false, false }, "fp");
    Tensor old = getAndModifyFloatingPointBehaviour(g, fp, { false, true, false, false, false },
                                                    { false, false, true, false, false });
    setStochasticRounding(g, fp, true, "sr");
    Tensor now = getAndModifyFloatingPointBehaviour(g, fp, !FloatingPointBehaviour(), !FloatingPointBehaviour());
    setFloatingPointBehaviour(g, fp, old, "restore");
    Tensor last = getAndModifyFloatingPointBehaviour(g, fp, !FloatingPointBehaviour(), !FloatingPointBehaviour());
    Tensor cycles = cycleCount(g, fp, 0, SyncType::INTERNAL, "count");
    EXPECT(cycles.shape() == std::vector<std::size_t>({ 2 }) && g.getTileMapping(cycles)[0].size() == 1);
    const std::pair<const char *, Tensor> read[] = {
        { "before", before }, { "after", after }, { "old", old }, { "now", now }, { "last", last }
    };
    for (const auto &r : read) g.createHostRead(r.first, r.second);
    Engine e(g, { first, second, fp });
    e.load(d);
    e.run(0), e.run(1), e.run(2);
    std::vector<unsigned> seen[2];
    unsigned state[3][5];
    for (int i = 0; i < 2; i++) {
        seen[i].resize(tiles * workers * 4);
        e.readTensor(read[i].first, seen[i].data(), seen[i].data() + seen[i].size());
    }
    for (int i = 0; i < 3; i++) e.readTensor(read[2 + i].first, state[i], state[i] + 5);
    EXPECT(seen[0][0] != seen[0][1] && seen[1] == std::vector<unsigned>(tiles * workers * 4, 5));
    const unsigned wanted[3][5] = { { 1, 1, 0, 0, 0 }, { 1, 0, 1, 1, 0 }, { 1, 1, 0, 0, 0 } };
    for (int i = 0; i < 15; i++) EXPECT(state[i / 5][i % 5] == wanted[i / 5][i % 5]);
}

/* Each line has cycles from and to, and tiles that compute, exchange, wait. */
static void intervals()
{
    Device d = model();
    Graph g(d);
    Tensor x = g.addVariable(FLOAT, { 64 }, VariableMappingMethod::LINEAR), y = g.addVariable(FLOAT, { 64 });
    g.setTileMapping(y, 0);
    Engine e(g, Copy(x, y));
    e.load(d);
    std::ostringstream none, out;
    EXPECT_THROWS(missing_profile_data, (e.reportIntervals(none), 0));
    e.run();
    e.reportIntervals(out);
    std::istringstream lines(out.str());
    unsigned long last = 0, exchanging = 0, waiting = 0, tiles = g.getTarget().getNumTiles();
    for (std::string line; std::getline(lines, line);) {
        unsigned long begin, end, compute, exchange, sync;
        EXPECT(std::sscanf(line.c_str(), "%lu,%lu,%lu,%lu,%lu", &begin, &end, &compute, &exchange, &sync) == 5);
        EXPECT(begin >= last && end > begin && compute <= tiles && exchange <= tiles && sync <= tiles);
        last = end, exchanging = std::max(exchanging, exchange), waiting = std::max(waiting, sync);
    }
    EXPECT(exchanging > 0 && waiting == tiles);
}

/* Two blocks and a function in a loop, and streams; a vertex of 77 cycles on tile 0, one of 99 on tile 1. */
static Engine blocksEngine(const Device &d, OptionFlags options)
{
    Graph g(d);
    std::stringstream source(codelets);
    g.addCodelets(source);
    Tensor x = g.addVariable(FLOAT, { 8 }, "x"), y = g.addVariable(FLOAT, { 2 }, "y");
    ComputeSet sets[2];
    for (unsigned i = 0; i < 2; i++) {
        sets[i] = g.addComputeSet(i ? "op2" : "op1");
        VertexRef v = g.addVertex(sets[i], "Sum", { { "in", x.slice(4 * i, 4 * i + 4) }, { "out", y[i] } });
        g.setTileMapping(v, i), g.setPerfEstimate(v, 77 + 22 * i);
        g.setTileMapping(x.slice(4 * i, 4 * i + 4), i), g.setTileMapping(y[i], i);
    }
    auto op = [&](unsigned i) { return Block(Execute(sets[i]), i ? "op2" : "op1"); };
    Function f = g.addFunction(Block(Sequence(op(1), op(0)), "body"));
    DataStream in = g.addHostToDeviceFIFO("in", FLOAT, 8);
    const Sequence inner(op(0), Block(Repeat(2, op(1)), "twice"), Sequence({ Call(f), op(0) }, "none"));
    return Engine(g, Sequence(Copy(in, x), Repeat(3, Block(inner, "stage1"))), options);
}
static std::string blocksOf(const pva::Report &report, std::size_t tile)
{
    std::ostringstream out;
    std::uint64_t before = 0;
    for (const pva::Block &b : report.execution().blocks(tile)) {
        EXPECT(b.cyclesTo() > b.cyclesFrom() && b.cyclesFrom() >= before && b.tile() == tile);
        EXPECT(!b.isCommon() && !b.isOverflow() && !b.isBlockFlush());
        EXPECT(b.isStreamCopy() == (b.program()->typeName().compare(0, 10, "StreamCopy") == 0));
        before = b.cyclesFrom();
        out << (b.isStreamCopy() ? b.program()->typeName() : b.program()->name()) << ' ';
    }
    return out.str();
}
/* As pva's Python module is to print it. */
static void describe(const pva::Report &r, std::ostream &out)
{
    out << r.compilation().graph().numVertices() << ' ' << r.compilation().target().numTiles() << ' '
        << r.poplarVersion().string() << ' ' << r.execution().totalCycles().total() << '\n';
    for (const auto &t : r.compilation().tiles())
        out << t.memory().total().includingGaps() << ' ' << t.memory().category().variable().total() << ' '
            << t.memory().vertices().size() << '\n';
    for (const auto &s : r.compilation().computeSets()) out << s.name() << ' ' << s.vertices()[0].count() << '\n';
    for (const auto &p : r.compilation().programs()) {
        out << p->_id() << ' ' << p->typeName() << ' ' << p->name() << ' ' << p->children().size();
        for (const auto &v : p->vars()) out << ' ' << v.name() << '=' << v.bytes() << (v.alwaysLive() ? "!" : "");
        out << '\n';
    }
    for (const auto &s : r.execution().steps()) {
        out << s.name() << ' ' << s.ipus()[0].cycles() << ' ' << s.program()->name();
        for (const auto &set : s.computeSets()) out << ' ' << set.estimatedCyclesByTile()[1];
        out << '\n';
    }
    for (std::size_t tile = 0; tile < 3; tile++)
        for (const auto &b : r.execution().blocks(tile))
            out << b.program()->typeName() << ' ' << b.program()->name() << ' ' << b.cyclesFrom() << ' '
                << b.cyclesTo() << ' ' << b.tile() << ' ' << b.isStreamCopy() << '\n';
}
static void runBlocks(Engine &e, const Device &d, unsigned times)
{
    static float data[8];
    e.connectStream("in", data, data + 8);
    e.load(d);
    for (unsigned i = 0; i < times; i++) e.run();
}

static void blocks()
{
    Device d = model();
    Engine e = blocksEngine(d, { { "profiler.blocks.filter", "stage.|op[0-9]|twice|bod" } });
    runBlocks(e, d, 2);
    std::string six; /* "bod" is not all of the name, nor is "none" a block's */
    for (int i = 0; i < 6; i++) six += "stage1 op1 op1 op1 ";
    EXPECT(blocksOf(e.getReport(), 0) == six);
    EXPECT(blocksOf(e.getReport(), 2).empty());
    Engine all = blocksEngine(d, { { "profiler.blocks.filter", ".*" }, { "profiler.programs.filter", "none" } });
    runBlocks(all, d, 1);
    EXPECT(blocksOf(all.getReport(), 1).find("stage1 twice op2 op2 none body op2 stage1 twice") == 0);
    for (const pva::Block &b : all.getReport().execution().blocks(1)) /* a tile's time is six times its vertex's */
        if (b.program()->name() == "op2") EXPECT(b.cyclesTo() - b.cyclesFrom() == 6 * 99);
    Engine io =
        blocksEngine(d, { { "profiler.programs.filter", "op1" }, { "debug.instrumentExternalExchange", "true" } });
    runBlocks(io, d, 1);
    EXPECT(blocksOf(io.getReport(), 0).find("StreamCopyBegin StreamCopyMid StreamCopyEnd op1 ") == 0);
    EXPECT(blocksOf(blocksEngine(d, {}).getReport(), 0).empty());
    EXPECT_THROWS(invalid_option, blocksEngine(d, { { "profiler.blocks.filter", "stage(" } }));
}

static void traces()
{
    pvti::TraceChannel channel("test");
    pvti::Tracepoint whole(&channel, "whole"), part(&channel, std::string("part")), cut(&channel, "cut off", 3);
    pvti::Metadata more = pvti::createJsonMetadata("{\"n\":1}");
    pvti::Tracepoint told(&channel, "told", 4, &more);
    EXPECT(more.get() == "{\"n\":1}");
    pvti::Tracepoint::event(&channel, "now");
    EXPECT(channel.name() == "test");
    /* Several shared libraries may make and destroy one channel of a static library that they have linked in. */
    EXPECT(std::is_trivially_destructible<pvti::TraceChannel>::value);
}

int main(int argc, char **argv)
{
    if (argc > 1) { /* for pva's Python module: a profile, and what it is to say of it */
        Device d = model();
        Engine e = blocksEngine(d, { { "autoReport.all", "true" },
                                     { "autoReport.directory", argv[1] },
                                     { "profiler.blocks.filter", ".*" },
                                     { "debug.instrumentExternalExchange", "true" } });
        runBlocks(e, d, 2);
        std::ofstream out(std::string(argv[1]) + "/expected");
        describe(e.getReport(), out);
        return failures;
    }
    reports();
    blocks();
    twoIPUs();
    files();
    registers(model());
    registers(Device::createCPUDevice());
    intervals();
    traces();
    return failures;
}
