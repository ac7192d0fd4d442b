// SPDX-License-Identifier: MIT
/* Forms of calls that published programs use, each of which has to pick one overload. Compiled by g++ and clang++ in
 * C++11, 14, 17 and 20 with -Wpedantic -Werror (forms.sh), and run. */
#include "expect.hpp"

#ifdef __clang__
#pragma clang diagnostic ignored "-Wbraced-scalar-init" /* concat(a, b, { 1 }): published programs write so */
#endif

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

/* What stands for an operation of a library: names arrive as all kinds of debug information. */
static std::string op(const DebugContext &debugContext)
{
    DebugInfo di(debugContext, "library");
    const DebugNameAndId &dnai = { di };
    auto path = [](const DebugContext &dc) { return dc.getPathName(); };
    std::string b = "b";
    EXPECT(path({ di }) == path(di) && path({ dnai }) == path(dnai) && path({ dnai, "x" }) == path({ di, "x" }));
    EXPECT(path({ dnai, "a" + b }) == path({ di, "ab" }) && path({}) == "" && path(DebugContext{ b }) == "b");
    EXPECT(path(debugContext) == path({ debugContext.getPathName() }));
    return path({ di, "x" });
}

static void names(Graph &g)
{
    std::string s = "s";
    EXPECT(op("a") == "a/x" && op(s) == "s/x" && op(s + "x") == "sx/x" && op({}) == "x");
    EXPECT(op({ "p" }) == "p/x" && op({ DebugContext("p"), "q" }) == "p/q/x");
    g.addComputeSet(), g.addComputeSet("cs"), g.addComputeSet(s + "cs"), g.addComputeSet({ "cs" });
}

static void shapes(Graph &g)
{
    std::size_t n = 2, m = 3;
    unsigned u = 4;
    std::vector<std::size_t> v = { 2, 2 };
    EXPECT(g.addVariable(FLOAT, {}).rank() == 0 && g.addVariable(FLOAT, { 4 }).dim(0) == 4);
    EXPECT(g.addVariable(FLOAT, { 0 }).numElements() == 0 && g.addVariable(FLOAT, { n, m }).numElements() == 6);
    EXPECT(g.addVariable(FLOAT, { u, 2u }, "x").dim(0) == 4 && g.addVariable(FLOAT, v).rank() == 2);
    EXPECT(g.addVariable(FLOAT, { v }, { "x" }).rank() == 2);
    EXPECT(g.addVariable(HALF, g.addVariable(FLOAT, v).shape(), VariableMappingMethod::LINEAR).rank() == 2);
}

/* Metadata are tensors, which no braces stand for. */
static void metadata(Graph &g)
{
    Tensor none, t = g.addVariable(QUARTER, { 2 }), own = t.getMetadata();
    EXPECT(g.addVariable(FLOAT, {}, {}).rank() == 0 && g.clone(t, {}).dim(0) == 2);
    EXPECT(g.addVariable(QUARTER, own, { 2 }, "x").getMetadata() == own);
    EXPECT(g.addVariable(FLOAT, none, { 2 }, VariableMappingMethod::LINEAR, { "x" }).dim(0) == 2);
    EXPECT(g.addConstant(QUARTER, own, { 2 }, 0, "c").dim(0) == 2 && g.addConstant(QUARTER, {}, 1).rank() == 0);
    const std::vector<std::size_t> shape = { 3 };
    EXPECT(g.addVariable(FLOAT, {}, shape, { "x" }).dim(0) == 3 && g.addVariable(QUARTER, {}, shape).hasMetadata());
    EXPECT(g.addConstant<double>(FLOAT, none, shape, 2.5, "c").dim(0) == 3);
    EXPECT(g.addConstant<float>(FLOAT, {}, 1).rank() == 0 &&
           g.addConstant<float>(FLOAT, { 2 }, 1.0f, "c").dim(0) == 2);
    EXPECT(g.clone(own, t).dim(0) == 2 && g.clone(QUARTER, own, t, { "c" }).dim(0) == 2);
    EXPECT(!Sequence(Block(Sequence(), "empty"), Block(WriteUndef(t), { "name" })).isEmpty());
}

static void constants(Graph &g)
{
    std::vector<float> v = { 1, 2 };
    float one[] = { 1 };
    Tensor all[] = { g.addConstant(FLOAT, { 2 }, 1),
                     g.addConstant(FLOAT, {}, 1.5),
                     g.addConstant(UNSIGNED_INT, { 1 }, 1u, "c"),
                     g.addConstant(BOOL, {}, true),
                     g.addConstant(FLOAT, { 2 }, v.data()),
                     g.addConstant(FLOAT, { 1 }, one, "c"),
                     g.addConstant(FLOAT, { 2 }, ArrayRef<float>(v)),
                     g.addConstant<float>(FLOAT, { 2 }, { 1.0, 2.0 }),
                     g.addConstant(FLOAT, {}, static_cast<const void *>(one), TypeTraits::make<float>(), false),
                     g.addConstantHalf(HALF, { 1 }, std::uint16_t(0x3c00)) };
    for (const Tensor &t : all) EXPECT(t.containsConstant());
#if __cplusplus >= 201703L
    EXPECT(g.addConstant(FLOAT, { 2 }, ArrayRef(v)).containsConstant());
#endif
}

static void views(Graph &g)
{
    Tensor t = g.addVariable(FLOAT, { 4, 6 }), row = t[0];
    std::vector<Tensor> list = { t, t };
    std::vector<Interval> ranges = { { 0, 1 }, { 2, 4 } };
    std::vector<std::vector<Interval>> nested = { { { 0, 1 }, { 3, 4 } }, { { 1, 2 } } };
    std::size_t k = 2;
    unsigned a = 0, b = 1;
    EXPECT(t.slice({ 0, 1 }, { 2, 3 }).numElements() == 4 && t.slice(1, 3).dim(0) == 2);
    EXPECT(row.slice({ 4, 6 }).numElements() == 2 && t.slice(0, k, 1).dim(1) == 2);
    EXPECT(t.slice(Interval(1, 2), 1).dim(1) == 1 && row.slice({ 1 }, { 3 }).numElements() == 2);
    EXPECT(t.slices(ranges).size() == 2 && t.slices(nested)[0].dim(0) == 2 && t.slices(ranges, 1)[1].dim(1) == 2);
    EXPECT(t.expand({ 0 }).rank() == 3 && t.expand(std::vector<std::size_t>(k, 0)).rank() == 4);
    EXPECT(t.dimShufflePartial({ a }, { b }) == t.transpose());
    EXPECT(t.dimShufflePartial({ t.rank() - 1 }, { 1 }) == t && t.dimRoll(1).dim(0) == 6);
    EXPECT(t.dimShuffle({ 1, 0 }).dim(0) == 6 && t.reshape({ 24 }).rank() == 1 && row[0].reshape({}).rank() == 0);
    EXPECT(t.expand({ 0 }).squeeze({ 0 }) == t && t.flatten(0, 2).rank() == 1 && t.index({ 1, 2 }).rank() == 0);
    EXPECT(t.reshapePartial(0, 1, { 2, 2 }).rank() == 3 && t.broadcast(2, 0).dim(0) == 8);
    EXPECT(concat({ t, t }, 1).dim(1) == 12 && concat({ t, t }).dim(0) == 8 && concat(t, t).dim(0) == 8);
    EXPECT(concat(t, t, 1).dim(1) == 12 && concat(t, t, { 1 }).dim(1) == 12 && concat(list).dim(0) == 8);
    EXPECT(concat(list, 1).dim(1) == 12 && append(t, row).dim(0) == 5);
    auto mapping = g.getTileMapping(g.addVariable(FLOAT, { 8 }, VariableMappingMethod::LINEAR));
    std::vector<std::size_t> aliases;
    EXPECT(g.getSortedContiguousRegions(row, { { 0, 6 } }, true).size() == 1);
    EXPECT(g.getSortedContiguousRegions(t.flatten(), mapping[0]).size() == 1);
    EXPECT(g.getSortedContiguousRegions(t.flatten(), mapping[0], false, &aliases).size() == 1);
    Tensor x = t, y = t, z = t;
    std::vector<Tensor *> others = { &y, &z };
    g.reorderToSimplify(&x, {});
    g.reorderToSimplify(&x, { &y });
    g.reorderToSimplify(&x, { &y, &z }, false);
    g.reorderToSimplify(&x, others);
    bool complete = true;
    EXPECT(g.getTileMapping(t, &complete).size() == 4 && !complete && g.getTileMapping(t, false).size() == 4);
    g.setTileMapping(t, 0);
    g.setTileMapping(row, { { { 0, 6 } } });
    Type &kept = HALF; /* programs have such parameters */
    EXPECT(kept == HALF && kept != FLOAT);
    EXPECT(g.clone(t).shape() == t.shape() && g.clone(HALF, t, "c").elementType() == HALF);
    EXPECT(g.clone(t, { "c" }, TensorCloneMethod::CREATE_NEW_ORDER).shape() == t.shape());
    EXPECT(g.cloneN(t, 3, "n").dim(0) == 3);
}

static void vertices(Graph &g)
{
    std::stringstream source("#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                             "class Forms : public Vertex {\n"
                             "public:\n"
                             "  Input<float> a; Vector<Input<Vector<float>>> b; Output<Vector<float>> c;\n"
                             "  unsigned n; bool flag; float real; unsigned short small; unsigned late;\n"
                             "  Vector<unsigned> list; Vector<float> reals;\n"
                             "  bool compute() { return true; }\n"
                             "};\n");
    g.addCodelets(source);
    Tensor t = g.addVariable(FLOAT, { 8 }), out = g.addVariable(FLOAT, { 2 }), more = g.addVariable(FLOAT, { 1 });
    std::vector<Interval> x = { { 0, 2 }, { 4, 8 } };
    std::vector<unsigned> table = { 1, 2 };
    std::vector<float> reals = { 1 };
    ComputeSet cs = g.addComputeSet();
    VertexRef v = g.addVertex(cs, "Forms", { { "a", t[0] }, { "b", t.slices(x) }, { "c", concat(out, more) } });
    VertexRef w = g.addVertex(cs, "Forms", { { "a", 2.0f }, { "c", out } });
    g.setFieldSize(w["b"], 2);
    for (std::size_t i = 0; i < 2; i++) g.connect(w["b"][i], t.slice(x[i]));
    EXPECT(g.getFieldSize(v["b"]) == 2 && g.getFieldSize(w["b"]) == 2);
    g.setInitialValue(v["n"], 7u), g.setInitialValue(v["n"], std::size_t(7)), g.setInitialValue(v["n"], 7);
    g.setInitialValue(v["n"], 7ll), g.setInitialValue(v["flag"], true), g.setInitialValue(v["flag"], false);
    g.setInitialValue(v["real"], 1.5f), g.setInitialValue(v["real"], 2.5), g.setInitialValue(v["real"], 3);
    g.setInitialValue(v["small"], static_cast<unsigned short>(3)), g.setInitialValue(v["small"], 'c');
    g.setInitialValue(v["list"], table), g.setInitialValue(v["list"], ArrayRef<unsigned>(table));
    g.setInitialValue<unsigned>(v["list"], { 3, 4 });
    g.setInitialValue<float>(v["reals"], reals), g.setInitialValue(v["reals"], ArrayRef<float>(reals));
    g.setInitialValue<unsigned>(v["late"], [](const VertexEdgeInfo &e) { return unsigned(e.storage.size()); });
    g.setInitialValue(v["late"], LateInitCallback<unsigned>([](const VertexEdgeInfo &) { return 1u; }));
    g.setPerfEstimate(v, 20), g.setPerfEstimate(v, 20u, 3), g.setPerfEstimate(w, VertexPerfEstimate{ 20, 3 });
    EXPECT_THROWS(overflow_error, (g.setInitialValue(v["small"], 65536), 0));
    HostFunction f = g.addHostFunction("f", { { FLOAT, 8 } }, {}), h = g.addHostFunction("h", {}, { { FLOAT, 2 } });
    Call calls[] = { Call(f, { t }, {}), Call(h, {}, { out }, { "host" }), Call(f, ArrayRef<Tensor>{ t }, {}) };
    for (const Call &c : calls) EXPECT(!c.isEmpty());
}

static Program returned(const Tensor &t)
{
    Sequence s;
    s.add(Copy(t, t));
    return std::move(s);
}

static void programs(Graph &g)
{
    Tensor t = g.addVariable(INT, {}, VariableMappingMethod::LINEAR), flag = g.addVariable(BOOL, {});
    ComputeSet cs = g.addComputeSet();
    Copy a(t, t), b(t, t, false, "copy");
    DebugInfo di({ "op" }, "library");
    const DebugNameAndId dnai = { di };
    const DebugContext debugContext = { dnai };
    Sequence empty[] = { Sequence(),           Sequence({}, { di }),   Sequence{ {}, { dnai } },
                         Sequence{ { dnai } }, Sequence(debugContext), Sequence({}, DebugContext{ "s" }) };
    for (const Sequence &s : empty) EXPECT(s.isEmpty());
    Sequence full[] = { Sequence({ a, b }), Sequence{ a, b }, Sequence(a, b, a), Sequence{ { a, b }, { dnai } } };
    for (const Sequence &s : full) EXPECT(!s.isEmpty());
    Sequence one = { a };
    Program p = Execute(cs), q = returned(t);
    std::vector<Program> list(3);
    EXPECT(list[0].isEmpty() && !q.isEmpty());
    list[0] = one, p = std::move(one), list[1] = Sequence{ full[0], empty[0] };
    std::vector<Copy> copies = { a, b };
    Program rest[] = { Execute(cs, flag, { di }),
                       Switch(t, { { 0, a } }, b, { dnai }),
                       Switch(t, { { 0, a }, { 1, b } }),
                       Switch(t, { di }).add(3, a),
                       Switch(t, { { 0, one } }), /* one case alone, with a literal that is a null pointer too */
                       Switch(t, { { 0, Sequence() } }, "named").add(1, a),
                       If(flag, Sequence(), full[0]),
                       If(flag, a, b, { dnai, "if" }),
                       Repeat(0, a),
                       RepeatWhileTrue(Sequence(), flag, std::move(full[1])),
                       PrintTensor(t),
                       PrintTensor("title", t),
                       PrintTensor("title", t, { di }),
                       WriteUndef(t, { dnai }),
                       Sync(SyncType::INTERNAL),
                       Abort("why"),
                       AbortOnCondition(flag) };
    for (const Program &r : rest) EXPECT(!r.isEmpty());
    a = b; /* programs are assigned */
}

static void options(Graph &g, const Device &d)
{
    bool fast = true;
    std::string value = "true";
    OptionFlags o{ { "debug.instrument", "true" } }, p = { { "debug.trace", fast ? "true" : "false" } };
    o.set("debug.trace", value);
    o.set({ { "debug.trace", "false" } });
    std::size_t n = 0;
    for (const auto &f : o) n += f.first.size() + f.second.size();
    EXPECT(n == std::string("debug.instrumenttruedebug.tracefalse").size() && o.at("debug.trace") == "false");
    Program prog = Sequence();
    std::vector<Program> progs = { prog, Sequence() };
    Engine one(g, prog), many(g, progs), braced(g, { Sequence(), prog }, o),
        temporary(g, Sequence{ prog, prog }, p), inlined(g, prog, { { "debug.instrument", "true" } });
    Engine made(compileGraph(g, { prog }));
    for (Engine *e : { &one, &many, &braced, &temporary, &inlined, &made }) e->load(d), e->run();
    many.run(1, "named");
    Engine moved = std::move(one);
    std::vector<Executable> list;
    list.push_back(compileGraph(g, progs, o));
    EXPECT(Engine(std::move(list[0]), OptionFlags()).listStreams().empty());
}

/* What is written less often. */
static void rare(Graph &g, const Device &d)
{
    std::vector<Tensor *> pointers;
    ArrayRef<Tensor *> list(pointers);
    ArrayRef<const Tensor *> more(list);
    EXPECT(more.empty());
    GlobalExchangeFlow flow(0, 1);
    EXPECT(GlobalExchangeConstraint(2.0, { flow }) ==
           GlobalExchangeConstraint(2.0, std::vector<GlobalExchangeFlow>{ flow }));
    IPUModel m;
    m.tilesPerIPU = 4;
    OptionFlags mesh = { { "ipuLinkTopology", "mesh" } };
    EXPECT(m.createDevice(mesh, false, 7).getOptions() == mesh && m.createDevice(mesh, false, 7).getId() == 7);
    EXPECT(d.getOptions() == OptionFlags() && d.getId() == 0);
    StreamCallbackHandle one = [](void *) {}, two = [](void *) {};
    one = std::move(two);
    EXPECT(one.get() && !two.get());
    StreamCallbackBase &base = *one.get();
    base.complete(), base.invalidatePrefetched();
    HostCallbackHandle code = [](ArrayRef<const void *>, ArrayRef<void *>) {};
    code = HostCallbackHandle([](ArrayRef<const void *>, ArrayRef<void *>) {});
    Engine::ProgressFunc progress = [](int done, int of) { EXPECT(done <= of); };
    Engine e(g, Sequence(), {}, progress);
    e.load(d);
    DataStream in = g.addHostToDeviceFIFO("rare in", FLOAT, 2), out = g.addDeviceToHostFIFO("rare out", FLOAT, 2);
    Tensor x = g.addVariable(FLOAT, { 2 });
    g.setTileMapping(x, 0);
    Engine copies(g, Sequence(Copy(in, x), Copy(x, out)));
    float sent[] = { 1, 2 }, got[2] = { 0, 0 };
    copies.connectStream(in, sent);
    copies.connectStream(out, got, got + 2);
    copies.loadAndRun(d);
    EXPECT(got[0] == 1 && got[1] == 2);
    copies.connectStreamToCallback(in, [](void *p) { static_cast<float *>(p)[1] = 5; });
    copies.run();
    EXPECT(got[1] == 5);
    copies.connectStreamToCallback("rare in", 0, [](void *p) { static_cast<float *>(p)[1] = 6; });
    copies.run();
    EXPECT(got[1] == 6);
    EXPECT_THROWS(stream_connection_error, copies.connectStreamToCallback("rare in", 1, [](void *) {}));
    std::stringstream source("#include <poplar/Vertex.hpp>\n"
                             "class Rare : public poplar::Vertex { public: bool compute() { return true; } };\n"),
        broken("}");
    std::ostringstream output;
    g.addCodelets(source, "", output);
    EXPECT(g.hasCodelet("Rare") && output.str().empty());
    EXPECT_THROWS(graph_program_compilation_error,
                  g.addCodelets(broken, "-O1", output, CodeletFileType::CppSource, ""));
    EXPECT(output.str().find("error") != std::string::npos);
    g.registerCycleEstimator("Rare", [](const VertexIntrospector &, const Target &) -> std::uint64_t { return 5; });
}

int main()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    Device d = m.createDevice();
    Graph g(d), other{ d.getTarget() };
    names(g), shapes(g), metadata(g), constants(g), views(g), vertices(g), programs(g);
    options(other, d);
    rare(other, d);
    return failures;
}
