// SPDX-License-Identifier: MIT
/* Random numbers by the vendor's names: ranges, seeds, errors. Distributions are libs.test_libs_poprand. */
#include "../../cxx/expect.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <string>

using namespace poplar;
using namespace poplar::program;

int main()
{
    IPUModel m;
    m.tilesPerIPU = 8;
    Device device = m.createDevice();
    Graph graph(device.getTarget());
    poprand::addCodelets(graph);
    const std::size_t n = 500;
    Tensor reference = graph.addVariable(FLOAT, { 5, n / 5 }, "reference");
    Tensor seed = graph.addVariable(UNSIGNED_INT, { 2 }, "seed");
    poputil::mapTensorLinearly(graph, reference);
    graph.setTileMapping(seed, 3);
    Sequence prog;
    poprand::setSeed(graph, seed, 5, prog);
    Tensor made[] = { poprand::uniform(graph, &seed, 0, reference, FLOAT, -1.0, 1.0, prog, "uniform"),
                      poprand::uniform(graph, &seed, 0, reference, FLOAT, -1.0, 1.0, prog),
                      poprand::uniform(graph, &seed, 1, reference, FLOAT, -1.0, 1.0, prog),
                      poprand::uniform(graph, nullptr, 0, reference, FLOAT, -1.0, 1.0, prog),
                      poprand::truncatedNormal(graph, &seed, 0, reference, FLOAT, 0.0, 0.5, 2.0, prog),
                      poprand::logUniform(graph, nullptr, 0, reference, FLOAT, 1.0, 2.0, prog),
                      poprand::bernoulli(graph, &seed, 0, reference, FLOAT, 0.5, prog),
                      poprand::dropout(graph, &seed, 0, reference, reference, 0.5, 2.0, prog),
                      poprand::shapedDropout(graph, &seed, 0, reference, reference.slice(0, 1, 1), 0.5, 2.0,
                                             prog) };
    EXPECT(poprand::normal(graph, &seed, 0, reference, HALF, 1.0, 1.0, prog).shape() == reference.shape());
    for (int k = 0; k < 9; k++) graph.createHostRead("made" + std::to_string(k), made[k]);
    graph.createHostWrite("seed", seed);
    graph.createHostWrite("reference", reference);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<unsigned> key = { 17, 4 };
    std::vector<float> in(n, 3.0f), out[9];
    engine.writeTensor("seed", key.data(), key.data() + 2);
    engine.writeTensor("reference", in.data(), in.data() + n);
    engine.run();
    for (int k = 0; k < 9; k++) {
        out[k].resize(n);
        engine.readTensor("made" + std::to_string(k), out[k].data(), out[k].data() + n);
    }
    EXPECT(out[0] == out[1] && out[0] != out[2] && out[0] != out[3]);
    bool rows = true;
    for (std::size_t i = 0; i < n; i++) {
        EXPECT(out[0][i] >= -1 && out[0][i] <= 1 && out[4][i] >= -1 && out[4][i] <= 1);
        EXPECT(out[5][i] >= 1 && out[5][i] <= 2);
        EXPECT((out[6][i] == 0 || out[6][i] == 1) && (out[7][i] == 0 || out[7][i] == 6));
        rows = rows && out[8][i] == out[8][i / (n / 5) * (n / 5)];
    }
    EXPECT(rows);
    EXPECT_THROWS(poputil::poplibs_error, poprand::uniform(graph, &reference, 0, reference, FLOAT, 0.0, 1.0, prog));
    EXPECT_THROWS(poputil::poplibs_error, poprand::bernoulli(graph, &seed, 0, reference, FLOAT, 2.0, prog));
    EXPECT_THROWS(poputil::poplibs_error, poprand::dropout(graph, &seed, 0, reference, seed, 0.5, 1.0, prog));
    return failures;
}
