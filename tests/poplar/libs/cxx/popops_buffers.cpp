// SPDX-License-Identifier: MIT
/* Buffers of rows by the vendor's names: circular ones, those for off-chip memory, runs of rows. */
#include "../../cxx/expect.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/CircBuf.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/SequenceSlice.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;

int main()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    Device device = m.createDevice();
    Graph graph(device.getTarget());
    Sequence prog, body;

    /* five tensors into a buffer of three: the last three are there */
    popops::CircBuf buffer(graph, FLOAT, 3, { 2 }, "buffer");
    Tensor x = graph.addVariable(FLOAT, { 2 }, "x");
    poputil::mapTensorLinearly(graph, x);
    graph.setInitialValue(x, ArrayRef<float>({ 0, 10 }));
    popops::addInPlace(graph, x, 1.0f, body);
    buffer.add(x, body);
    prog.add(Repeat(5, body));
    for (unsigned i = 0; i < 3; i++) graph.createHostRead("prev" + std::to_string(i), buffer.prev(i, prog));
    EXPECT(buffer.size() == 3 && buffer.getIndex().numElements() == 1 && !buffer.getTileMapping().empty());
    EXPECT_THROWS(poputil::poplibs_error, buffer.prev(3, prog));
    EXPECT_THROWS(poputil::poplibs_error, buffer.add(x.reshape({ 1, 2 }), prog));

    popops::IndicesAndTensor rows = popops::createHostSliceableTensor(graph, HALF, { 5, 8 }, true, "rows");
    EXPECT(rows.indices.numElements() == 5 && rows.tensor.dim(1) == 8);
    EXPECT_THROWS(poputil::poplibs_error, popops::createHostSliceableTensor(graph, HALF, { 5 }, true));

    Tensor from = graph.addVariable(INT, { 4, 2 }, "from"), to = graph.addVariable(INT, { 4, 2 }, "to");
    Tensor two = graph.addConstant<unsigned>(UNSIGNED_INT, { 1 }, 2),
           one = graph.addConstant<unsigned>(UNSIGNED_INT, { 1 }, 1);
    for (const Tensor &t : { from, to, two, one }) poputil::mapTensorLinearly(graph, t);
    graph.setInitialValue(from, ArrayRef<int>({ 1, 2, 3, 4, 5, 6, 7, 8 }));
    popops::sequenceSlice(graph, from, to, two, one, two, true, prog);
    graph.createHostRead("to", to);

    Engine engine(graph, prog);
    engine.load(device);
    engine.run();
    std::vector<float> entry(2);
    for (int i = 0; i < 3; i++) {
        engine.readTensor("prev" + std::to_string(i), entry.data(), entry.data() + 2);
        EXPECT(entry[0] == static_cast<float>(5 - i) && entry[1] == static_cast<float>(15 - i));
    }
    std::vector<int> out(8);
    engine.readTensor("to", out.data(), out.data() + 8);
    EXPECT(out == (std::vector<int>{ 0, 0, 0, 0, 3, 4, 5, 6 }));
    return failures;
}
