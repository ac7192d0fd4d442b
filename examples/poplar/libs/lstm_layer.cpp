// SPDX-License-Identifier: MIT
/* The LSTM of lstm.c in C++, by the vendor's names: it reads one bit a step and says after each step whether it has
 * seen an odd number of ones.
 *
 *     g++ -std=c++11 lstm_layer.cpp $(pkg-config --cflags --libs poplar) -lpopnn -lpoplin -lpopops -lpoprand
 *
 * prints: 3072 of 3072 right after training
 */
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/Loss.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/TileMapping.hpp>

#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

enum { STEPS = 12, BATCH = 64, HIDDEN = 8, CLASSES = 2, TRAINING = 600, TESTS = 4, ROWS = STEPS * BATCH };

/* Random bits, and as labels whether the number of ones so far is odd; both are [STEPS][BATCH]. */
static void makeData(unsigned &state, std::vector<float> &bits, std::vector<unsigned> &labels)
{
    for (int b = 0; b < BATCH; b++) {
        unsigned odd = 0;
        for (int t = 0; t < STEPS; t++) {
            state = state * 1664525u + 1013904223u;
            odd ^= state >> 31;
            bits[t * BATCH + b] = state >> 31 ? 1.0f : -1.0f;
            labels[t * BATCH + b] = odd;
        }
    }
}

int main()
{
    Device device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    popnn::lstm::LstmParams params(FLOAT, BATCH, STEPS, { 1, HIDDEN });
    params.calcInputGradients = false;
    Tensor x = popnn::lstm::createInput(graph, params, "x");
    popnn::lstm::LstmWeights w = popnn::lstm::createWeights(graph, params, "w"), dw;
    popnn::lstm::LstmState start = popnn::lstm::createInitialState(graph, params, "start");
    Tensor v = poplin::createMatMulInputRHS(graph, FLOAT, { ROWS, HIDDEN }, { HIDDEN, CLASSES }, "v");
    Tensor labels = graph.addVariable(UNSIGNED_INT, { ROWS }, "labels");
    Tensor loss = graph.addVariable(FLOAT, { ROWS }, "loss");
    Tensor right = graph.addVariable(UNSIGNED_INT, {}, "right");
    poputil::mapTensorLinearly(graph, labels);
    poputil::mapTensorLinearly(graph, loss);
    graph.setTileMapping(right, 0);

    Tensor seed = graph.addConstant<unsigned>(UNSIGNED_INT, { 2 }, { 5, 6 });
    graph.setTileMapping(seed, 0);
    Sequence begin, learn, check;
    const std::vector<Tensor> learnt = { w.inputWeights, w.outputWeights, w.biases, v };
    for (unsigned i = 0; i < 4; i++)
        begin.add(Copy(poprand::uniform(graph, &seed, i, learnt[i], FLOAT, -0.8, 0.8, begin), learnt[i]));
    popnn::lstm::zeroInitialState(graph, start, begin);

    /* loss and its gradient from the outputs of all steps */
    Sequence step;
    Tensor saved;
    Tensor h = popnn::lstm::lstmFwd(graph, params, step, start, w, x, &saved, "lstm");
    Tensor flat = h.reshape({ ROWS, HIDDEN });
    Tensor y = popnn::softmaxStable(graph, poplin::matMul(graph, flat, v, step, "dense"), step, "y");
    Tensor dy = graph.clone(y, "dy");
    step.add(popnn::calcLoss(graph, y, labels, loss, dy, right, popnn::CROSS_ENTROPY_LOSS, "loss"));
    check.add(step);
    learn.add(step);

    /* gradients of all weights, and a step against them */
    Tensor dh = poplin::matMul(graph, dy, v.transpose(), learn, "dh").reshape(h.shape());
    Tensor dv = poplin::matMul(graph, flat.transpose(), dy, learn, "dv");
    popnn::lstm::lstmBwdWithWU(graph, params, learn, start, saved, w, x, h, dh, nullptr, nullptr, dw, "back");
    const std::vector<Tensor> slopes = { dw.inputWeights, dw.outputWeights, dw.biases, dv };
    for (unsigned i = 0; i < 4; i++)
        popops::scaledSubtractFrom(graph, learnt[i], slopes[i], 2.0f / ROWS, learn, "update");

    graph.createHostWrite("x", x);
    graph.createHostWrite("labels", labels);
    graph.createHostWrite("zero", right);
    graph.createHostRead("right", right);
    Engine engine(graph, { begin, learn, check });
    engine.load(device);
    std::vector<float> bits(ROWS);
    std::vector<unsigned> expected(ROWS);
    unsigned state = 1, correct = 0;
    engine.run(0);
    for (int i = 0; i < TRAINING + TESTS; i++) {
        makeData(state, bits, expected);
        engine.writeTensor("x", bits.data(), bits.data() + ROWS);
        engine.writeTensor("labels", expected.data(), expected.data() + ROWS);
        if (i == TRAINING) engine.writeTensor("zero", &correct, &correct + 1);
        engine.run(i < TRAINING ? 1 : 2);
    }
    engine.readTensor("right", &correct, &correct + 1);
    std::cout << correct << " of " << TESTS * ROWS << " right after training\n";
    return 0;
}
