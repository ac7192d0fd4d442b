// SPDX-License-Identifier: MIT
/* Collectives by the vendor's names, within a replica and between two. Values in full are
 * libs.test_libs_collectives. */
#include "../../cxx/expect.hpp"

#include <gcl/Collectives.hpp>
#include <gcl/TileAllocation.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/Collectives.hpp>
#include <poputil/TileMapping.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

int main()
{
    IPUModel m;
    m.numIPUs = 2;
    m.tilesPerIPU = 4;
    Device device = m.createDevice();
    Graph graph(device.getTarget());
    EXPECT(gcl::perIPUTiles(graph, 1, 2) == (std::vector<unsigned>{ 1, 2, 5, 6 }));
    EXPECT_THROWS(poputil::poplibs_error, gcl::perIPUTiles(graph, 3, 2));
    EXPECT(gcl::getMinIoTiles(graph) > 0);

    Sequence prog;
    Tensor t = graph.addVariable(FLOAT, { 2, 5 }, "t");
    graph.setTileMapping(t[0], 1);
    graph.setTileMapping(t[1], 6);
    Tensor sum = gcl::allReduceWithinReplica(graph, t, gcl::CollectiveOperator::ADD, prog, "sum",
                                             { { "method", "clockwise_ring" } });
    popops::Chunks parts = popops::reduceScatter(graph, t, popops::CollectiveOperator::MAX, prog, "parts");
    EXPECT(parts.chunks.size() == 2 && parts.chunks[0].tensor.numElements() == 3 && parts.chunks[1].index == 1);
    EXPECT(graph.getTileMapping(parts.chunks[1].tensor)[6].size() == 1);
    Tensor most = popops::allGather(graph, parts, prog, "most");
    graph.createHostWrite("t", t);
    graph.createHostRead("sum", sum);
    graph.createHostRead("most", most);

    Graph two = graph.createReplicatedGraph(2);
    Tensor x = two.addVariable(FLOAT, { 3 }, "x");
    poputil::mapTensorLinearly(two, x);
    Tensor all = gcl::allGatherCrossReplica(two, x, prog, gcl::CommGroup(), "all");
    Tensor part = gcl::reduceScatterCrossReplica(two, x, gcl::CollectiveOperator::ADD, prog, "part");
    gcl::allReduceInPlaceCrossReplica(two, x, gcl::CollectiveOperator::MEAN, prog, "mean");
    EXPECT(all.shape() == (std::vector<std::size_t>{ 2, 3 }) && part.numElements() == 2);
    EXPECT_THROWS(poputil::poplibs_error,
                  gcl::allReduceCrossReplica(two, x, gcl::CollectiveOperator::ADD, prog,
                                             gcl::CommGroup(gcl::CommGroupType::CONSECUTIVE, 1)));
    EXPECT_THROWS(invalid_option, gcl::allReduceWithinReplica(graph, t, gcl::CollectiveOperator::ADD, prog, "sum",
                                                              { { "method", "square" } }));
    Tensor both = graph.getNonReplicatedTensor(x);
    graph.createHostWrite("x", both);
    graph.createHostRead("mean", both);
    graph.createHostRead("all", graph.getNonReplicatedTensor(all));
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<float> in = { 1, 2, 3, 4, 5, 10, 0, 30, 1, 50 }, out(10), xs = { 1, 2, 3, 5, 6, 7 }, mean(6),
                       rows(12);
    engine.writeTensor("t", in.data(), in.data() + 10);
    engine.writeTensor("x", xs.data(), xs.data() + 6);
    engine.run();
    engine.readTensor("sum", out.data(), out.data() + 10);
    for (int i = 0; i < 10; i++) EXPECT(out[i] == in[i % 5] + in[i % 5 + 5]);
    engine.readTensor("most", out.data(), out.data() + 10);
    for (int i = 0; i < 10; i++) EXPECT(out[i] == (in[i % 5] > in[i % 5 + 5] ? in[i % 5] : in[i % 5 + 5]));
    engine.readTensor("mean", mean.data(), mean.data() + 6);
    for (int i = 0; i < 6; i++) EXPECT(mean[i] == static_cast<float>(3 + i % 3));
    engine.readTensor("all", rows.data(), rows.data() + 12);
    for (int i = 0; i < 12; i++) EXPECT(rows[i] == xs[i % 6]);

    std::stringstream text;
    text << popops::CollectiveOperator::SQUARE_ADD;
    popops::CollectiveOperator op;
    text >> op;
    EXPECT(op == popops::CollectiveOperator::SQUARE_ADD);
    return failures;
}
