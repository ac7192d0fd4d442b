// SPDX-License-Identifier: MIT
/* A layer whose weights are sparse learns another one of which a tenth of the weights are there. Which of its own are
 * there is data: the host begins with half of the places, and gives it all of them later, without another graph.
 *
 *     g++ -std=c++11 sparse_layer.cpp $(pkg-config --cflags --libs poplar) -lpopsparse -lpopops -lpoputil && ./a.out
 *
 * prints: with 38 of 768 weights the error is 0.18
 * prints: with 77 of 768 weights the error is 0.00
 */
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/SparsePartitioner.hpp>
#include <popsparse/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace poplar;
using namespace poplar::program;
namespace sparse = popsparse::dynamic;

enum { BATCH = 32, IN = 32, OUT = 24, WEIGHTS = IN * OUT / 10 + 1, ROUNDS = 300 };

/* Numbers from -1 to 1 that are the same everywhere. */
static float number()
{
    static std::uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / 8388608.0f - 1;
}

/* The first `count` places: every tenth element of the matrix, begun in steps of two so that halves are spread. */
static popsparse::COOMatrix<float> places(std::size_t count)
{
    popsparse::COOMatrix<float> m(count);
    for (std::size_t i = 0; i < count; i++) {
        const std::size_t at = i * 20 % (IN * OUT) + (i * 20 / (IN * OUT)) * 10;
        m.rowIndices[i] = at / IN, m.columnIndices[i] = at % IN;
    }
    return m;
}

/* New places for the engine's weights, all of them 0; what the error is after some rounds. */
static double learn(Engine &engine, const sparse::Partitioner<float> &host, std::size_t weights)
{
    const sparse::SparsityDataImpl<float> data = host.createSparsityDataImpl(places(weights));
    const std::vector<std::uint16_t> meta(data.metaInfo.begin(), data.metaInfo.end());
    engine.writeTensor("meta", meta.data(), meta.data() + meta.size());
    engine.writeTensor("weights", data.nzValues.data(), data.nzValues.data() + data.nzValues.size());
    engine.run();
    float error;
    engine.readTensor("error", &error, &error + 1);
    return static_cast<double>(error) / (BATCH * OUT);
}

int main()
{
    IPUModel model;
    model.tilesPerIPU = 16;
    Device device = model.createDevice();
    Graph graph(device.getTarget());
    popsparse::addCodelets(graph);
    const auto params = sparse::FullyConnectedParams::createWithNumNonZeroValues({}, WEIGHTS, BATCH, 1, IN, OUT);
    sparse::SparseTensor weights = sparse::createFullyConnectedWeights(graph, FLOAT, params, "weights");
    Tensor x = sparse::createFullyConnectedInput(graph, FLOAT, params, "x");
    Tensor wanted = graph.addVariable(FLOAT, { BATCH, OUT }, "wanted");
    poputil::mapTensorLinearly(graph, wanted);

    Sequence round;
    Tensor y = sparse::fullyConnectedFwd(graph, weights, x, params, round, "y");
    Tensor slope = popops::sub(graph, y, wanted, round, "slope");
    Tensor error = popops::reduce(graph, slope, { 0, 1 }, popops::Operation::SQUARE_ADD, round, "error");
    Tensor gradient =
        sparse::fullyConnectedSparseGradW(graph, weights.getMetaInfoTensor(), slope, x, params, round, "gradient");
    popops::scaledAddTo(graph, weights.getNzValuesTensor(), gradient, -0.03f, round, "step");
    graph.createHostWrite("meta", weights.getMetaInfoTensor());
    graph.createHostWrite("weights", weights.getNzValuesTensor());
    graph.createHostWrite("x", x);
    graph.createHostWrite("wanted", wanted);
    graph.createHostRead("error", error);

    std::vector<float> in(BATCH * IN), out(BATCH * OUT);
    const popsparse::COOMatrix<float> truth = places(WEIGHTS);
    for (float &v : in) v = number();
    for (std::size_t i = 0; i < WEIGHTS; i++) {
        const float weight = number();
        for (std::size_t b = 0; b < BATCH; b++)
            out[b * OUT + truth.rowIndices[i]] += weight * in[b * IN + truth.columnIndices[i]];
    }
    Engine engine(graph, Repeat(ROUNDS, round));
    engine.load(device);
    engine.writeTensor("x", in.data(), in.data() + in.size());
    engine.writeTensor("wanted", out.data(), out.data() + out.size());
    const sparse::Partitioner<float> host(params, FLOAT, graph.getTarget(), {});
    for (std::size_t count : { WEIGHTS / 2, +WEIGHTS })
        std::printf("with %zu of %d weights the error is %.2f\n", count, IN * OUT,
                    learn(engine, host, static_cast<std::size_t>(count)));
    return 0;
}
