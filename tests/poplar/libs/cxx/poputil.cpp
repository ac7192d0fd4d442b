// SPDX-License-Identifier: MIT
/* poputil's headers: forwarded to the calls of C (tests/poplar/libs/poputil has their rules), errors as exceptions,
 * functions of graphs, options. */
#include "../../cxx/expect.hpp"

#include <cstring>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/VertexTemplates.hpp>

using namespace poplar;
using namespace poplar::program;

template <class E, class F> static bool throws(F f, const char *words)
{
    try {
        f();
    } catch (const E &e) {
        if (std::strstr(e.what(), words)) return true;
        std::printf("'%s' lacks '%s'\n", e.what(), words);
    }
    return false;
}

static Device model(unsigned ipus = 1)
{
    IPUModel m;
    m.tilesPerIPU = 16, m.numIPUs = ipus;
    return m.createDevice();
}

static void mappings()
{
    Device device = model();
    Graph graph(device.getTarget());
    Tensor t = graph.addVariable(FLOAT, { 10, 10 }, "t");
    poputil::mapTensorLinearly(graph, t);
    Graph::TileToTensorMapping want = poputil::calcLinearTileMapping(graph, t);
    EXPECT(want.size() == 3); /* 50 grains of 2, at least 16 of them a tile */
    want.resize(16);
    EXPECT(graph.getTileMapping(t) == want);
    poputil::mapTensorLinearly(graph, t, 1, 25);
    EXPECT(graph.getTileMapping(t)[1] == std::vector<Interval>(1, Interval(25, 50)));
    EXPECT(poputil::getTileImbalance(graph, t) == 18); /* 7 would be even */
    EXPECT(poputil::mapTensorLinearlyWithOffset(graph, t, 1, 25, 14) == 2);
    EXPECT(graph.getTileMapping(t)[0] == std::vector<Interval>(1, Interval(50, 75)));
    EXPECT(poputil::dimIsSplitOverTiles(graph, t, 0) && !poputil::dimIsSplitOverIPUs(graph, t, 0));
    poputil::TensorUseTracker tracker(16);
    tracker.add(graph, 3, t.slice(0, 5));
    poputil::TensorUseTracker copy = tracker;
    EXPECT(!copy.empty());
    copy.mapTensorsByUse(graph, 1, 1, true);
    EXPECT(graph.getTileMapping(t)[3] == std::vector<Interval>(1, Interval(0, 100)));
    /* halves that two tiles use each, spread one after the other: so each tile has the same of both */
    poputil::TensorUseTracker both(16);
    for (std::size_t half = 0; half < 100; half += 50) {
        poputil::TensorUseTracker one(16);
        for (unsigned tile : { 4u, 5u }) one.add(graph, tile, t.flatten().slice(half, half + 50));
        one.resolve(graph, 25, 25);
        both.add(one);
    }
    both.mapTensorsByUse(graph, 1, 100);
    want.assign(16, {});
    want[4] = { Interval(0, 25), Interval(50, 75) }, want[5] = { Interval(25, 50), Interval(75, 100) };
    EXPECT(graph.getTileMapping(t) == want);
    Tensor bias = poputil::createBroadcastOperand(graph, t, HALF, 1);
    EXPECT(bias.shape() == std::vector<std::size_t>{ 10 } && bias.elementType() == HALF);
    EXPECT((throws<invalid_tile_mapping>([&] { tracker.add(graph, 16, t); },
                                         "poputil::TensorUseTracker::add: tile 16")));
}

static void shapes()
{
    Device device = model();
    Graph graph(device.getTarget());
    Tensor a = graph.addVariable(FLOAT, { 4, 1 }, "a"), b = graph.addVariable(FLOAT, { 3 }, "b"), c = a, d = b;
    EXPECT(poputil::canBroadcastToMatch(a, b));
    poputil::broadcastToMatch(c, d);
    EXPECT(c.shape() == d.shape() && c.shape() == (std::vector<std::size_t>{ 4, 3 }));
    EXPECT(d[3] == b && c.transpose()[2] == a.flatten());
    d = b;
    EXPECT((throws<poputil::poplibs_error>([&] { poputil::broadcastToMatch(d, { 4 }); }, "{3}")));
    Tensor e = graph.addVariable(FLOAT, { 2 }, "e");
    EXPECT((throws<poputil::poplibs_error>([&] { poputil::broadcastToMatch(d, e); }, "{3} and {2}")));
    Tensor t = graph.addVariable(FLOAT, { 2, 6, 4 }, "t"), f = poputil::factorDims(t, { 3, 2 }, 1);
    EXPECT(f.shape() == (std::vector<std::size_t>{ 2, 2, 2, 3, 2 }));
    EXPECT(f[1][0][1][2][1] == t[1][2][3] && poputil::unfactorDims(f, 2, 1) == t);
    EXPECT((throws<poputil::poplibs_error>([&] { poputil::factorDims(t, { 4 }, 1); }, "4 does not divide")));
    EXPECT((throws<poputil::poplibs_error>([&] { poputil::factorDims(t, { 2, 2 }, 2); }, "2 factors")));
    EXPECT((throws<poputil::poplibs_error>([&] { poputil::unfactorDims(t, 2); }, "{2,6,4}")));
    EXPECT(poputil::detectInnermostGrouping(graph, t) == 4 && poputil::detectDimGroupings(graph, t)[0].second == 4);
    Tensor p = poputil::createPartitionableTensor(graph, FLOAT, { 4, 6 }, { 2, 3 });
    unsigned blocks = 0;
    poputil::iterateTensorPartitions(p, { 2, 3 }, [&](const std::vector<std::size_t> &i, const Tensor &block) {
        EXPECT(block.isContiguous() && block.numElements() == 4 && i[0] * 3 + i[1] == blocks);
        blocks++;
    });
    EXPECT(blocks == 6);
}

static void intervals()
{
    std::vector<Interval> list = { { 8, 9 }, { 0, 3 }, { 3, 5 }, { 6, 6 } };
    poputil::mergeAdjacentRegions(list);
    EXPECT(list == (std::vector<Interval>{ { 0, 5 }, { 8, 9 } }));
    auto parts = poputil::splitRegions(std::vector<Interval>{ { 0, 7 }, { 20, 26 }, { 40, 53 } }, 3, 5, 5);
    EXPECT(parts.size() == 3); /* 9 grains, 2 at least a part: at most 4 parts, so 3 grains in each */
    EXPECT(parts[0] == (std::vector<Interval>{ { 0, 7 }, { 20, 22 } }));
    EXPECT(parts[1] == (std::vector<Interval>{ { 22, 26 }, { 40, 45 } }));
    EXPECT(parts[2] == (std::vector<Interval>{ { 45, 53 } }));
    auto nested =
        poputil::splitRegions(std::vector<std::vector<Interval>>{ { { 0, 2 }, { 5, 7 } }, { { 9, 11 } } }, 1, 2);
    EXPECT(nested == (std::vector<std::vector<std::vector<Interval>>>{ { { { 0, 2 }, { 5, 6 } } },
                                                                       { { { 6, 7 } }, { { 9, 11 } } } }));
    EXPECT(poputil::intervalSequenceNumElements(nested[1]) == 3 &&
           poputil::flattenIntervals(nested[1]).size() == 2);
    Device device = model();
    EXPECT(poputil::splitRegionsBetweenWorkers(device.getTarget(), list, 1).size() == 6);
    EXPECT(poputil::unflattenIndex(std::vector<unsigned>{ 2, 3, 4 }, 17) == (std::vector<unsigned>{ 1, 1, 1 }));
    EXPECT(poputil::flattenIndex(std::vector<unsigned>{ 2, 3, 4 }, std::vector<unsigned>{ 1, 1, 1 }) == 17);
    EXPECT(poputil::balancedPartition(10, 4) == (std::vector<int>{ 2, 3, 2, 3 }));
    EXPECT(poputil::castToDeviceHalfValue(device.getTarget(), 0.1) == 0.0999755859375);
    EXPECT(poputil::checkAccuracyWhenCast(device.getTarget(), 0.1, FLOAT, HALF, 1e-3) &&
           !poputil::checkAccuracyWhenCast(device.getTarget(), 0.1, FLOAT, HALF, 1e-6));
}

static void names()
{
    using poputil::templateVertex;
    EXPECT(templateVertex("a::B") == "a::B");
    EXPECT(templateVertex("a::B", FLOAT, true, 3u, "x::Y", std::string("z")) == "a::B<float,true,3,x::Y,z>");
    EXPECT(templateVertex("B", UNSIGNED_INT) == "B<unsigned int>");
}

static void functions()
{
    Device device = model(2);
    Graph graph(device.getTarget());
    Tensor x = graph.addVariable(FLOAT, { 4 }, "x"), y = graph.addVariable(FLOAT, { 4 }, "y");
    graph.setTileMapping(x, 1), graph.setTileMapping(y, 2);
    Sequence prog;
    namespace fn = poputil::graphfn;
    fn::VoidFunction swapHalves(graph, { fn::input(x), fn::output(y) },
                                fn::VoidFunction::Body([](std::vector<Tensor> &a, Sequence &p) {
                                    p.add(Copy(concat(a[0].slice(2, 4), a[0].slice(0, 2)), a[1]));
                                }));
    std::vector<Tensor> args = { x, y };
    swapHalves(args, prog);
    fn::TensorFunction reversed(graph, { fn::input(x) }, [&](std::vector<Tensor> &a, Sequence &p) {
        return poputil::duplicate(graph, a[0].reverse(0), p);
    });
    std::string called;
    fn::ProgramFunction turned(
        graph, { fn::inout(y) },
        [&](std::vector<Tensor> &a, const DebugNameAndId &id) {
            called = id.getPathName();
            Sequence p;
            p.add(Copy(poputil::duplicate(graph, a[0].reverse(0), p), a[0]));
            return p;
        },
        false, "turned");
    args = { y };
    prog.add(turned(args)), prog.add(turned(args));
    EXPECT(called == "turned");
    fn::TensorFunction named(graph, { fn::input(x) },
                             [&](std::vector<Tensor> &a, Sequence &, const DebugNameAndId &) { return a[0]; });
    EXPECT(named(args, prog).numElements() == 4);
    Tensor z = reversed(args, prog);
    EXPECT(args.size() == 1);
    Tensor far = poputil::copyToIpu(graph, z, prog, 1, "far");
    EXPECT(graph.getTileMapping(far)[17].size() == 1);
    /* from both IPUs, with elements that stand there twice */
    Tensor wide = graph.addVariable(FLOAT, { 32 }, VariableMappingMethod::LINEAR, "wide"), from, to;
    prog.add(Copy(z.broadcast(8, 0), wide));
    const TensorCloneMethod keep = TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES;
    Tensor twice = poputil::copyToIpu(graph, wide.broadcast(2, 0), prog, 1, "twice", keep),
           later = poputil::createIpuCopy(graph, wide.broadcast(2, 0), 0, from, to),
           again = poputil::duplicate(graph, wide.broadcast(2, 0), prog, "again", keep);
    EXPECT(twice.containsAliases() && again.containsAliases() && to.numElements() == 32 &&
           later.numElements() == 64);
    const Graph::TileToTensorMapping onOne = graph.getTileMapping(twice);
    for (std::size_t tile = 0; tile < onOne.size(); tile++) EXPECT(onOne[tile].empty() == (tile < 16));
    prog.add(Copy(from, to));
    graph.createHostRead("twice", twice), graph.createHostRead("later", later),
        graph.createHostRead("again", again);
    EXPECT((throws<poputil::poplibs_error>([&] { poputil::cloneToIpu(graph, graph.addVariable(FLOAT, { 4 }), 1); },
                                           "not mapped")));
    EXPECT((throws<poputil::poplibs_error>([&] { swapHalves(args, prog); }, "1 arguments")));
    graph.createHostWrite("x", x), graph.createHostRead("far", far);
    Engine engine(graph, prog);
    engine.load(device);
    float in[] = { 1, 2, 3, 4 }, out[4];
    engine.writeTensor("x", in, in + 4);
    engine.run(0);
    engine.readTensor("far", out, out + 4);
    EXPECT(out[0] == 2 && out[1] == 1 && out[2] == 4 && out[3] == 3);
    for (const char *name : { "twice", "later", "again" }) {
        float all[64];
        engine.readTensor(name, all, all + 64);
        for (std::size_t i = 0; i < 64; i++) EXPECT(all[i] == out[i % 4]);
    }
}

static void options()
{
    unsigned number = 0;
    bool flag = false;
    double real = 0;
    std::string text;
    std::vector<int> list;
    enum Way { WALK, RUN } way = WALK;
    using poplibs::OptionHandler;
    const poplibs::OptionSpec spec{ { "number", OptionHandler::createWithInteger(number) },
                                    { "flag", OptionHandler::createWithBool(flag) },
                                    { "real", OptionHandler::createWithDouble(real) },
                                    { "text", OptionHandler::createWithString(text) },
                                    { "list", OptionHandler::createWithList(list) },
                                    { "way",
                                      OptionHandler::createWithEnum(way, { { "walk", WALK }, { "run", RUN } }) } };
    spec.parse("number", "0x10"), spec.parse("flag", "true"), spec.parse("real", "2.5"), spec.parse("text", "a,b");
    spec.parse("list", "1,-2,3"), spec.parse("way", "run"), spec.parse("none", "1", true);
    EXPECT(number == 16 && flag && real == 2.5 && text == "a,b" && way == RUN);
    EXPECT(list == (std::vector<int>{ 1, -2, 3 }));
    EXPECT((throws<invalid_option>([&] { spec.parse("none", "12"); }, "'none' with value '12'")));
    EXPECT((throws<invalid_option>([&] { spec.parse("flag", "True"); }, "'True' is not one of false, true")));
    EXPECT((throws<invalid_option>([&] { spec.parse("number", "-1"); }, "'number': '-1'")));
    EXPECT((throws<invalid_option>([&] { spec.parse("real", "2.5x"); }, "2.5x")));
}

int main()
{
    mappings();
    shapes();
    intervals();
    names();
    functions();
    options();
    return failures;
}
