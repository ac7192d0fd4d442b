// SPDX-License-Identifier: MIT
/* What libraries on top of the layer rely on, in the order of their use; docs/poplar-cpp.md has the list with these
 * functions' names. Each runs on the CPU and on the IPU Model. */
#include "expect.hpp"

#include <algorithm>
#include <ctime>
#include <map>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static Device chosen; /* of the round */
static bool onCpu;

static const char codelets[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "class Double : public Vertex {\n"
    "public:\n"
    "  Input<Vector<float>> in; Output<Vector<float>> out;\n"
    "  bool compute() { for (unsigned i = 0; i < in.size(); i++) out[i] = 2 * in[i]; return true; }\n"
    "};\n"
    "class AddOne : public Vertex {\n"
    "public:\n"
    "  Input<int> in; Output<int> out;\n"
    "  bool compute() { *out = *in + 1; return true; }\n"
    "};\n"
    "class Less : public Vertex {\n"
    "public:\n"
    "  Input<int> in; Input<int> limit; Output<bool> out;\n"
    "  bool compute() { *out = *in < *limit; return true; }\n"
    "};\n";

struct Work {
    Graph g;
    std::vector<float> values = std::vector<float>(24);
    Work() : g(chosen.getTarget())
    {
        std::stringstream source(codelets);
        g.addCodelets(source);
        for (std::size_t i = 0; i < values.size(); i++) values[i] = static_cast<float>(i + 1);
    }
    unsigned tile(unsigned t) const { return t % g.getTarget().getNumTiles(); }
    VertexRef add(ComputeSet cs, const char *type, unsigned t)
    {
        VertexRef v = g.addVertex(cs, type);
        g.setTileMapping(v, tile(t));
        g.setPerfEstimate(v, 20);
        return v;
    }
    VertexRef doubled(ComputeSet cs, const Tensor &in, const Tensor &out, unsigned t = 0)
    {
        VertexRef v = add(cs, "Double", t);
        g.connect(v["in"], in), g.connect(v["out"], out);
        return v;
    }
    Tensor numbers(const std::vector<std::size_t> &shape, const char *name, unsigned t = 0)
    {
        Tensor x = g.addVariable(FLOAT, shape, name);
        g.setTileMapping(x, tile(t));
        g.setInitialValue(x, ArrayRef<float>(values.data(), x.numElements()));
        return x;
    }
    Tensor integer(int value, unsigned t = 0)
    {
        Tensor x = g.addVariable(INT, {});
        g.setTileMapping(x, tile(t));
        g.setInitialValue(x, value);
        return x;
    }
    std::vector<float> run(const Tensor &result, const Program &p)
    {
        g.createHostRead("result", result);
        std::vector<float> got(result.numElements(), -1.0f);
        Engine e(g, p);
        e.loadAndRun(chosen);
        e.readTensor("result", got.data(), got.data() + got.size());
        return got;
    }
    int run1(const Tensor &result, const Program &p)
    {
        g.createHostRead("result", result);
        int got = -1;
        Engine e(g, p);
        e.loadAndRun(chosen);
        e.readTensor("result", &got, &got + 1);
        return got;
    }
};

static void gathered_slices() /* 1 */
{
    Work w;
    Tensor x = w.numbers({ 4, 6 }, "x"), y = w.g.addVariable(FLOAT, { 24 }, "y");
    w.g.setTileMapping(y, 0);
    Tensor view = x.dimShuffle({ 1, 0 }).flatten();
    std::vector<Interval> whole(1, Interval(0, 24));
    Tensor in = concat(view.slices(w.g.getSortedContiguousRegions(view, whole)));
    ComputeSet cs = w.g.addComputeSet();
    w.doubled(cs, in, y);
    std::vector<float> got = w.run(y, Execute(cs));
    for (std::size_t i = 0; i < 24; i++) EXPECT(got[i] == 2 * w.values[i]);
}

static void views_of_constants() /* 2 */
{
    Work w;
    Tensor x = w.numbers({ 4 }, "x"), c = w.g.addConstant(FLOAT, { 4 }, 3.0f), mixed = concat(x, c);
    EXPECT(mixed.containsConstant() && !mixed.isParallelWriteable());
    EXPECT(!mixed.slice(0, 4).containsConstant() && mixed.slice(0, 4).isParallelWriteable());
    EXPECT(mixed.slice(2, 6).slice(2, 4).containsConstant() && !x.broadcast(2, 0).isParallelWriteable());
    EXPECT(mixed.reshape({ 2, 4 })[0].slice(1, 3).isParallelWriteable());
}

static void mapping_after_simplify() /* 3 */
{
    Work w;
    Tensor x = w.g.addVariable(FLOAT, { 6, 8 }, VariableMappingMethod::NONE, "x");
    for (unsigned i = 0; i < 6; i++) w.g.setTileMapping(x[i], w.tile(i));
    Tensor t = x.transpose(), other = t;
    w.g.reorderToSimplify(&t, { &other });
    std::vector<Interval> regions = t.getContiguousRegions();
    for (const auto &tile : w.g.getTileMapping(t))
        for (const Interval &i : tile)
            EXPECT(std::any_of(regions.begin(), regions.end(),
                               [&](const Interval &r) { return r.begin() <= i.begin() && i.end() <= r.end(); }));
}

static void mapping_of_clones() /* 4 */
{
    Work w;
    Tensor x = w.g.addVariable(FLOAT, { 2, 3, 4 }, "x");
    for (unsigned i = 0; i < 3; i++) w.g.setTileMapping(x.slice(i, i + 1, 1), w.tile(i));
    Tensor view = x.dimShuffle({ 2, 0, 1 }),
           copy = w.g.clone(FLOAT, view, "copy", TensorCloneMethod::CREATE_NEW_ORDER);
    w.g.setTileMapping(copy, 0);
    w.g.setTileMapping(copy, w.g.getTileMapping(view));
    EXPECT(w.g.getTileMapping(copy) == w.g.getTileMapping(view));
}

static void mapping_of_slices() /* 5 */
{
    Work w;
    Tensor x = w.g.addVariable(FLOAT, { 4, 4 }, "x"), columns = x.transpose();
    w.g.setTileMapping(x, 0);
    w.g.setTileMapping(columns[1], w.tile(2));
    auto m = w.g.getTileMapping(x);
    if (!onCpu) EXPECT(m[2] == std::vector<Interval>({ { 1, 2 }, { 5, 6 }, { 9, 10 }, { 13, 14 } }));
    EXPECT(w.g.getTileMapping(columns[1])[w.tile(2)] == std::vector<Interval>({ { 0, 4 } }));
}

static void two_variables_as_one() /* 6 */
{
    Work w;
    Tensor x = w.numbers({ 6 }, "x"), a = w.g.addVariable(FLOAT, { 4 }), b = w.g.addVariable(FLOAT, { 8 });
    w.g.setTileMapping(a, 0), w.g.setTileMapping(b, w.tile(1));
    Tensor both = concat(a, b), half = both.slice(0, 6), rest = both.slice(6, 12);
    ComputeSet cs = w.g.addComputeSet();
    w.doubled(cs, half, rest, 1);
    std::vector<float> got = w.run(both, Sequence(Copy(x, half), Execute(cs)));
    for (std::size_t i = 0; i < 6; i++) EXPECT(got[i] == w.values[i] && got[6 + i] == 2 * w.values[i]);
}

static void no_elements() /* 7 */
{
    Work w;
    Tensor none = w.g.addVariable(FLOAT, { 0 }), x = w.numbers({ 3 }, "x"), out = w.g.addVariable(FLOAT, { 0 });
    w.g.setTileMapping(none, 0), w.g.setTileMapping(out, 0);
    EXPECT(concat(none, x) == x && none.getContiguousRegions().empty() && w.g.getTileMapping(none)[0].empty());
    ComputeSet cs = w.g.addComputeSet();
    w.doubled(cs, none, out);
    w.g.createHostRead("none", none);
    EXPECT(w.run(x, Sequence(Copy(none, out), Execute(cs)))[2] == 3);
}

static void rank_0() /* 8 */
{
    Work w;
    Tensor n = w.integer(0), limit = w.integer(5), flag = w.g.addVariable(BOOL, {});
    w.g.setTileMapping(flag, 0);
    ComputeSet test = w.g.addComputeSet("test"), step = w.g.addComputeSet("step");
    VertexRef v = w.add(test, "Less", 0), s = w.add(step, "AddOne", 0);
    w.g.connect(v["in"], n), w.g.connect(v["limit"], limit.reshape({ 1 })), w.g.connect(v["out"], flag);
    w.g.connect(s["in"], n.reshape({ 1 })), w.g.connect(s["out"], n.reshape({ 1 }).reshape({}));
    Sequence p{ RepeatWhileTrue(Execute(test), flag, Execute(step)), If(flag, Sequence(), Execute(step)),
                Switch(n, { { 6, Execute(step) } }) };
    EXPECT(w.run1(n, p) == 7);
}

static void broadcasts() /* 9 */
{
    Work w;
    Tensor bias = w.numbers({ 3 }, "bias"), y = w.g.addVariable(FLOAT, { 4, 3 }),
           z = w.g.addVariable(FLOAT, { 4, 3 });
    w.g.setTileMapping(y, 0), w.g.setTileMapping(z, w.tile(1));
    Tensor many = bias.expand({ 0 }).broadcast(4, 0);
    ComputeSet cs = w.g.addComputeSet();
    w.doubled(cs, many.flatten(), y.flatten());
    std::vector<float> got = w.run(concat(y, z), Sequence(Copy(many, z), Execute(cs)));
    for (std::size_t i = 0; i < 12; i++) EXPECT(got[i] == 2 * w.values[i % 3] && got[12 + i] == w.values[i % 3]);
}

static void shared_compute_sets() /* 10 */
{
    Work w;
    Tensor x = w.numbers({ 6 }, "x"), y = w.g.addVariable(FLOAT, { 6 });
    w.g.setTileMapping(y, 0);
    std::vector<ComputeSet> sets;
    Sequence p;
    for (unsigned i = 0; i < 6; i++) {
        if (sets.size() <= i / 2) {
            sets.push_back(w.g.addComputeSet("shared"));
            p.add(Execute(sets.back())); /* vertices come later */
        }
        w.doubled(sets[i / 2], x.slice(i, i + 1), y.slice(i, i + 1), i);
    }
    std::vector<float> got = w.run(y, p);
    for (std::size_t i = 0; i < 6; i++) EXPECT(got[i] == 2 * w.values[i]);
}

static void many() /* 11: seconds of processor time, far from the limit that bench_cxx measures */
{
    if (onCpu) return;
    Graph g(Target::createIPUTarget(1, "ipu2"));
    std::stringstream source(codelets);
    g.addCodelets(source);
    std::clock_t start = std::clock();
    Tensor x = g.addVariable(FLOAT, { 1000, 1000 }, VariableMappingMethod::LINEAR), y = g.clone(x);
    ComputeSet cs = g.addComputeSet();
    std::vector<Interval> intervals;
    for (std::size_t i = 0; i < 1000000; i++) intervals.emplace_back(i, i + 1);
    auto runs = g.getSortedContiguousRegions(x.transpose(), intervals);
    EXPECT(runs.size() == 1 && runs[0].size() == 1000000);
    Tensor in = x.flatten(), out = y.flatten();
    for (unsigned i = 0; i < 100000; i++) {
        VertexRef v = g.addVertex(
            cs, "Double", { { "in", in.slice(10 * i, 10 * i + 10) }, { "out", out.slice(10 * i, 10 * i + 10) } });
        g.setTileMapping(v, i % 1472);
    }
    EXPECT(g.getNumVertices() == 100000);
    EXPECT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 60);
}

static void nothing_to_do() /* 12, 13 */
{
    Work w;
    Tensor x = w.numbers({ 3 }, "x");
    ComputeSet empty = w.g.addComputeSet("empty");
    EXPECT(w.run(x, Sequence{ Execute(empty), Copy(x, x), Sequence(), Repeat(0, Execute(empty)) })[1] == 2);
}

static void functions() /* 14 */
{
    Work w;
    Tensor in = w.numbers({ 2 }, "in"), out = w.g.addVariable(FLOAT, { 2 }), x = w.numbers({ 4 }, "x"),
           y = w.g.clone(x);
    w.g.setTileMapping(out, 0);
    ComputeSet cs = w.g.addComputeSet();
    w.doubled(cs, in, out);
    Function f = w.g.addFunction(Execute(cs));
    Sequence p;
    for (unsigned i = 0; i < 4; i += 2)
        p.add(Sequence{ Copy(x.slice(i, i + 2), in), Call(f), Copy(out, y.slice(i, i + 2)) });
    std::vector<float> got = w.run(y, p);
    for (std::size_t i = 0; i < 4; i++) EXPECT(got[i] == 2 * w.values[i]);
}

static void several_programs() /* 15, 16, 17 */
{
    Work w;
    Tensor n = w.integer(3);
    ComputeSet step = w.g.addComputeSet();
    VertexRef v = w.add(step, "AddOne", 0);
    w.g.connect(v["in"], n), w.g.connect(v["out"], n);
    w.g.createHostRead("n", n), w.g.createHostWrite("n in", n);
    int got = 0, ten = 10;
    std::vector<Program> programs{ Execute(step), Repeat(2, Execute(step)) };
    Engine first(w.g, programs);
    first.load(chosen);
    first.run(0), first.run(1);
    first.readTensor("n", &got, &got + 1);
    EXPECT(got == 6); /* values last from run to run */
    first.load(chosen);
    first.run(0);
    first.readTensor("n", &got, &got + 1);
    EXPECT(got == 4); /* a load starts anew */
    Tensor more = w.integer(100);
    w.g.createHostRead("more", more);
    Execute upload = Execute(step), download = upload;
    Engine second(w.g, Sequence{ upload, Copy(n, more), download });
    second.load(chosen);
    second.writeTensor("n in", &ten, &ten + 1);
    second.run();
    second.readTensor("more", &got, &got + 1);
    EXPECT(got == 11);
    first.run(0);
    first.readTensor("n", &got, &got + 1);
    EXPECT(got == 5);
}

static void devices() /* 18 */
{
    EXPECT(chosen.attach());
    chosen.detach(), chosen.detach();
    EXPECT(chosen.attach());
    Target t = chosen.getTarget(), same = t;
    EXPECT(t == same && t == chosen.getTarget());
    IPUModel m;
    m.tilesPerIPU = 4;
    EXPECT(m.createDevice().getTarget() == m.createDevice().getTarget());
    m.tilesPerIPU = 5;
    EXPECT(m.createDevice().getTarget() != t);
}

static void far_outputs() /* 19 */
{
    Work w;
    Tensor x = w.numbers({ 4 }, "x", 1), y = w.g.addVariable(FLOAT, { 4 });
    w.g.setTileMapping(y, w.tile(2));
    ComputeSet cs = w.g.addComputeSet();
    w.doubled(cs, x, y, 3);
    EXPECT(w.run(y, Execute(cs))[3] == 8);
}

static void equal_names() /* 20 */
{
    Work w;
    Tensor a = w.numbers({ 2 }, "same"), b = w.numbers({ 2 }, "same"),
           c = w.g.addConstant(FLOAT, { 2 }, 5.0f, "same");
    w.g.setTileMapping(c, 0);
    ComputeSet first = w.g.addComputeSet("same"), second = w.g.addComputeSet("same");
    w.doubled(first, a, b), w.doubled(second, c, a);
    std::vector<float> got = w.run(concat(a, b), Sequence{ Execute(first), Execute(second) });
    EXPECT(got[0] == 10 && got[1] == 10 && got[2] == 2 && got[3] == 4);
}

int main()
{
    for (bool cpu : { true, false }) {
        IPUModel m;
        m.tilesPerIPU = 4;
        onCpu = cpu;
        chosen = cpu ? Device::createCPUDevice() : m.createDevice();
        gathered_slices(), views_of_constants(), mapping_after_simplify(), mapping_of_clones(), mapping_of_slices();
        two_variables_as_one(), no_elements(), rank_0(), broadcasts(), shared_compute_sets(), many();
        nothing_to_do(), functions(), several_programs(), devices(), far_outputs(), equal_names();
    }
    return failures;
}
