// SPDX-License-Identifier: MIT
/* conv_net.c under the names of C++: a convolutional net learns to tell horizontal from vertical bars that it draws
 * itself.
 *
 *     g++ -std=c++11 conv_net_cxx.cpp $(pkg-config --cflags --libs poplar) -lpopops -lpoplin -lpopnn && ./a.out
 *
 * prints: of 32 new pictures more than nine in ten were told: yes
 */
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <iostream>
#include <random>

using namespace poplar;
using namespace poplar::program;
using popnn::pooling::PoolParams;

static const std::size_t batch = 32, size = 8, channels = 4, classes = 2;

struct Pictures {
    std::vector<float> points;
    std::vector<unsigned> labels;
};

/* A bar of five points somewhere on a noisy ground. */
static Pictures draw(std::mt19937 &random)
{
    Pictures out{ std::vector<float>(batch * size * size), std::vector<unsigned>(batch) };
    for (float &point : out.points) point = static_cast<float>(random() % 1000) / 2500.0f;
    for (std::size_t i = 0; i < batch; i++) {
        const unsigned upright = out.labels[i] = static_cast<unsigned>(random() % classes);
        const std::size_t along = random() % (size - 4), across = random() % size;
        for (std::size_t k = 0; k < 5; k++) {
            const std::size_t y = upright ? along + k : across, x = upright ? across : along + k;
            out.points[(i * size + y) * size + x] += 0.8f;
        }
    }
    return out;
}

struct Net {
    poplin::ConvParams conv{ FLOAT,
                             FLOAT,
                             batch,
                             { size, size },
                             { 3, 3 },
                             1,
                             channels,
                             1,
                             { { 0, 0 }, { 0, 0 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { false, false } },
                             poplin::ConvParams::InputTransform(2),
                             poplin::ConvParams::OutputTransform(2) };
    PoolParams pool{
        popnn::PoolingType::MAX, { size, size }, { 8, 8 }, { 8, 8 }, { 0, 0 }, { 0, 0 }, channels, batch, FLOAT
    };
    Tensor pictures, labels, kernels, dense, active, pooled, features, guess;

    void forward(Graph &graph, Sequence &prog)
    {
        Tensor sums = poplin::convolution(graph, pictures, kernels, conv, false, prog, "conv");
        active = popnn::relu(graph, sums, prog, "relu");
        pooled = popnn::pooling::pool(graph, pool, active, prog, "pool");
        features = pooled.reshape({ batch, channels });
        guess = popnn::softmaxStable(graph, poplin::matMul(graph, features, dense, prog, "scores"), prog, "guess");
    }
    /* Forward and back, each parameter moved by -rate times its gradient. */
    void train(Graph &graph, Sequence &prog)
    {
        const float rate = -0.3f / batch;
        forward(graph, prog);
        Tensor slope = graph.clone(guess, "slope"), loss = graph.addVariable(FLOAT, { batch }, "loss");
        poputil::mapTensorLinearly(graph, loss);
        prog.add(popnn::calcLoss(graph, guess, labels, loss, slope, popnn::CROSS_ENTROPY_LOSS, "loss"));
        Tensor back = poplin::matMul(graph, slope, dense.transpose(), prog, "back").reshape(pooled.shape());
        poplin::matMulAcc(graph, dense, rate, features.transpose(), slope, prog, "dense");
        back = popnn::pooling::poolInputGradient(graph, pool, active, pooled, back, true, prog, "unpool");
        back = popnn::nonLinearityInputGradient(graph, popnn::NonLinearityType::RELU, active, back, prog, "unrelu");
        poplin::convolutionWeightUpdate(graph, back, kernels, pictures, conv, rate, prog, "kernels");
    }
};

int main()
{
    auto ipus = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1); /* tilewright run --device */
    Device device = ipus.empty() ? IPUModel().createDevice() : std::move(ipus[0]);
    Graph graph(device.getTarget());
    popops::addCodelets(graph), poplin::addCodelets(graph), popnn::addCodelets(graph);
    Net net;
    net.pictures = poplin::createInput(graph, net.conv, "pictures");
    net.kernels = poplin::createWeights(graph, net.conv, "kernels");
    net.dense = poplin::createMatMulInputRHS(graph, FLOAT, { batch, channels }, { channels, classes }, "dense");
    net.labels = graph.addVariable(UNSIGNED_INT, { batch }, "labels");
    Tensor correct = graph.addVariable(UNSIGNED_INT, {}, "correct");
    poputil::mapTensorLinearly(graph, net.labels), graph.setTileMapping(correct, 0);

    Sequence training, test;
    net.train(graph, training);
    popops::zero(graph, correct, test);
    net.forward(graph, test);
    test.add(popnn::calcAccuracy(graph, net.guess, net.labels, correct));
    graph.createHostWrite("pictures", net.pictures), graph.createHostWrite("labels", net.labels);
    graph.createHostWrite("kernels", net.kernels), graph.createHostWrite("dense", net.dense);
    graph.createHostRead("correct", correct);
    Engine engine(graph, { training, test });
    engine.load(device);

    std::mt19937 random(1);
    std::vector<float> kernels(channels * 9), dense(channels * classes);
    for (float &w : kernels) w = static_cast<float>(random() % 1000) / 2500.0f - 0.2f;
    for (float &w : dense) w = static_cast<float>(random() % 1000) / 2500.0f - 0.2f;
    engine.writeTensor("kernels", kernels.data(), kernels.data() + kernels.size());
    engine.writeTensor("dense", dense.data(), dense.data() + dense.size());
    for (int step = 0; step <= 100; step++) { /* new pictures each time; the last ones are for the test */
        Pictures p = draw(random);
        engine.writeTensor("pictures", p.points.data(), p.points.data() + p.points.size());
        engine.writeTensor("labels", p.labels.data(), p.labels.data() + batch);
        engine.run(step == 100);
    }
    unsigned told = 0;
    engine.readTensor("correct", &told, &told + 1);
    const bool well = told * 10 > batch * 9;
    std::cout << "of " << batch << " new pictures more than nine in ten were told: " << (well ? "yes" : "no")
              << "\n";
    return !well;
}
