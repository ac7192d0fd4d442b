// SPDX-License-Identifier: MIT
/* Slices, gather and scatter by the vendor's names: shapes, values, errors; libs.test_libs_slice has all values. */
#include "../../cxx/expect.hpp"

#include <algorithm>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Gather.hpp>
#include <popops/Scatter.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static Device model()
{
    IPUModel m;
    m.tilesPerIPU = 8;
    return m.createDevice();
}

typedef std::vector<std::size_t> Shape;

/* Embedding: rows of a table, read, added to, and read again. */
static void embedding()
{
    Device device = model();
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    const std::size_t rows = 20, width = 6, n = 5;
    popops::SlicePlan plan = popops::embedding::plan(graph, FLOAT, rows, width, { n }, {});
    EXPECT(plan != popops::SlicePlan() && plan == popops::embedding::plan(graph, FLOAT, rows, width, { 2, 3 }));
    std::ostringstream text;
    text << plan;
    EXPECT(text.str().find("20 rows of 6 float") == 0);
    Tensor table = popops::createSliceableTensor(graph, FLOAT, { rows, width }, { 0 }, { 1 }, plan, {}, "table");
    Tensor offsets = popops::createIndicesTensor(graph, { 0 }, n, plan, {}, "offsets");
    Tensor grads = popops::createSliceTensor(graph, table, { 0 }, { 1 }, n, "grads");
    EXPECT(grads.shape() == Shape({ n, 1, width }) && offsets.shape() == Shape({ n, 1 }));
    EXPECT(popops::createSliceTensor(graph, FLOAT, { rows, width }, { 0 }, { 1 }, n, plan, {}).shape() ==
           grads.shape());
    EXPECT(popops::createSliceableTensorFromSlice(graph, grads[0], { 0 }, { rows }).shape() == table.shape());
    Tensor scale = graph.addConstant(FLOAT, {}, -0.5f);
    graph.setTileMapping(scale, 0);
    Sequence prog;
    Tensor before = popops::multiSlice(graph, table, offsets, { 0 }, { 1 }, prog, plan, {}, "before");
    popops::multiUpdateAdd(graph, table, grads, offsets, scale, { 0 }, { 1 }, prog, plan, {}, "add");
    Tensor after = popops::multiSlice(graph, table, offsets, { 0 }, { 1 }, prog, plan, {}, "after");
    popops::multiUpdateMax(graph, table, grads, offsets, { 0 }, { 1 }, prog, plan, {});
    popops::multiUpdate(graph, table, grads, offsets, { 0 }, { 1 }, prog, plan, {});
    graph.createHostWrite("table", table);
    graph.createHostWrite("offsets", offsets);
    graph.createHostWrite("grads", grads);
    graph.createHostRead("before", before);
    graph.createHostRead("after", after);
    graph.createHostRead("table", table);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<float> t(rows * width), g(n * width), b(n * width), a(n * width);
    std::vector<unsigned> o = { 3, 7, 3, 19, 0 };
    for (std::size_t i = 0; i < t.size(); i++) t[i] = static_cast<float>(i);
    for (std::size_t i = 0; i < g.size(); i++) g[i] = static_cast<float>(i + 1);
    engine.writeTensor("table", t.data(), t.data() + t.size());
    engine.writeTensor("offsets", o.data(), o.data() + o.size());
    engine.writeTensor("grads", g.data(), g.data() + g.size());
    engine.run();
    engine.readTensor("before", b.data(), b.data() + b.size());
    engine.readTensor("after", a.data(), a.data() + a.size());
    for (std::size_t i = 0; i < n; i++)
        for (std::size_t j = 0; j < width; j++) {
            float old = t[o[i] * width + j], sum = old;
            for (std::size_t k = 0; k < n; k++)
                if (o[k] == o[i]) sum -= 0.5f * g[k * width + j];
            EXPECT(b[i * width + j] == old && a[i * width + j] == sum);
        }
    engine.readTensor("table", t.data(), t.data() + t.size());
    for (std::size_t j = 0; j < width; j++) EXPECT(t[3 * width + j] == g[2 * width + j]); /* the last of two */
}

static void others()
{
    Device device = model();
    Graph graph(device.getTarget());
    Tensor t = popops::createGatherInput(graph, INT, { 4, 5 }, 1, popops::GatherParams(), "t");
    Tensor i = graph.addVariable(UNSIGNED_INT, { 2, 3 }, "i"), one = graph.addVariable(UNSIGNED_INT, { 1 }, "one");
    poputil::mapTensorLinearly(graph, i);
    graph.setTileMapping(one, 1);
    Sequence prog;
    Tensor y = popops::gather(graph, t, i, 1, prog, popops::GatherParams(), "y");
    EXPECT(y.shape() == Shape({ 4, 2, 3 }));
    Tensor x = popops::gather(graph, t, i.flatten(), 1, { 0 }, { 4, 1 }, { 1 }, { 1 }, prog, "x");
    EXPECT(x.shape() == Shape({ 4, 6 }));
    Tensor row = popops::dynamicSlice(graph, t, one, { 0 }, { 1 }, prog, "row");
    EXPECT(row.shape() == Shape({ 1, 5 }));
    popops::dynamicUpdate(graph, t, row, one, { 0 }, { 1 }, prog, "put");
    popops::scatter(graph, t, i.flatten(), x.transpose(), 1, { 1 }, { 1 }, { 1 }, prog, "scatter");
    popops::UpdateComputationFunc join = [](Graph &g, Tensor &old, Tensor &update, Sequence &p) {
        return popops::sub(g, popops::mul(g, old, 2, p), update, p);
    };
    Tensor joined = graph.clone(t, "joined");
    prog.add(Copy(t, joined));
    popops::scatter(graph, joined, i.flatten(), x.transpose(), 1, { 1 }, { 1 }, { 1 }, join, prog, "joins");
    EXPECT_THROWS(poputil::poplibs_error,
                  popops::scatter(graph, joined, i.flatten(), x, 1, { 1 }, {}, { 1 }, join, prog));
    /* no variables, and no call of the function, before all has been checked */
    const auto bytes = [&] {
        std::ostringstream out;
        graph.serialize(out, SerializationFormat::Binary);
        return out.str().size();
    };
    bool called = false;
    popops::UpdateComputationFunc asked = [&](Graph &, Tensor &old, Tensor &, Sequence &) {
        called = true;
        return old;
    };
    Tensor loose = graph.addVariable(INT, { 4, 5 }, "loose");
    const auto before = bytes();
    const auto refused = [&](const Tensor &to, const Tensor &at, std::vector<unsigned> dims) {
        EXPECT_THROWS(poputil::poplibs_error,
                      popops::scatter(graph, to, at, x.transpose(), 1, { 1 }, { 1 }, dims, asked, prog));
    };
    refused(joined, i.flatten(), { 2 });                        /* no such dimension */
    refused(joined, i.flatten(), { 1, 0 });                     /* vectors of two numbers */
    refused(joined, i.flatten().slice(0, 5), { 1 });            /* five indices for six updates */
    refused(loose, i.flatten(), { 1 });                         /* on no tile */
    refused(t.slice(0, 1).broadcast(4, 0), i.flatten(), { 1 }); /* elements twice */
    EXPECT(!called && bytes() == before);
    popops::UpdateComputationFunc none;
    EXPECT_THROWS(poputil::poplibs_error,
                  popops::scatter(graph, joined, i.flatten(), x.transpose(), 1, { 1 }, { 1 }, { 1 }, none, prog));
    graph.createHostRead("joined", joined);
    graph.createHostWrite("t", t);
    graph.createHostWrite("i", i);
    graph.createHostRead("y", y);
    graph.createHostRead("t", t);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<int> in(20), out(24), same(20);
    std::vector<unsigned> at = { 4, 0, 1, 1, 3, 2 };
    for (int k = 0; k < 20; k++) in[k] = k * k;
    engine.writeTensor("t", in.data(), in.data() + 20);
    engine.writeTensor("i", at.data(), at.data() + 6);
    engine.run();
    engine.readTensor("y", out.data(), out.data() + 24);
    engine.readTensor("t", same.data(), same.data() + 20);
    for (int k = 0; k < 24; k++) EXPECT(out[k] == in[k / 6 * 5 + static_cast<int>(at[k % 6])]);
    engine.readTensor("joined", out.data(), out.data() + 20);
    EXPECT(std::equal(in.begin(), in.end(), out.begin())); /* 2 v - v, in one column twice */
    EXPECT(same == in);                                    /* everything went back to where it came from */
    std::size_t mapped = 0;
    for (const auto &tile : popops::getSliceMapping(graph, t, { 0 }, { 1 }))
        for (const Interval &part : tile) mapped += part.size();
    EXPECT(mapped == 5);
    bool thrown = false;
    try {
        popops::dynamicSlice(graph, t, one, { 2 }, { 1 }, prog);
    } catch (const poputil::poplibs_error &e) {
        thrown = std::string(e.what()).find("'t' int[4, 5]") != std::string::npos;
    }
    EXPECT(thrown);
}

int main()
{
    embedding();
    others();
    return failures;
}
