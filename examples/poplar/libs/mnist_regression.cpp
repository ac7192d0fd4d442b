// SPDX-License-Identifier: MIT
/* Handwritten digits told apart by logistic regression, from the files that MNIST comes in: what mnist.c does, in
 * C++.
 *
 *     python3 mnist_data.py digits
 *     g++ -std=c++11 mnist_regression.cpp $(pkg-config --cflags --libs poplar) -lpopops -lpoplin -lpopnn -lpoputil
 *     ./a.out digits [EPOCHS]
 * prints: more than nine in ten were told: yes
 * */
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;

enum : unsigned { BATCH = 50, POINTS = 28 * 28, CLASSES = 10, EPOCHS = 12 };

struct Digits {
    std::vector<float> points;
    std::vector<unsigned> labels;
    Digits(const std::string &folder, const std::string &set)
    {
        for (unsigned char b : content(folder + "/" + set + "-images-idx3-ubyte", 16))
            points.push_back(static_cast<float>(b) / 255);
        for (unsigned char b : content(folder + "/" + set + "-labels-idx1-ubyte", 8)) labels.push_back(b % CLASSES);
        if (points.size() != labels.size() * POINTS) throw std::runtime_error(folder + ": no files of MNIST");
    }

  private:
    static std::vector<unsigned char> content(const std::string &path, std::size_t header)
    {
        std::ifstream in(path, std::ios::binary);
        std::vector<unsigned char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        if (bytes.size() < header) throw std::runtime_error(path + " is not there, or no file of MNIST");
        bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header));
        return bytes;
    }
};

/* Whole batches of a set through one of the programs. */
static void runAll(Engine &engine, const Digits &set, unsigned program)
{
    for (std::size_t at = 0; at + BATCH <= set.labels.size(); at += BATCH) {
        engine.writeTensor("points", &set.points[at * POINTS], &set.points[at * POINTS] + BATCH * POINTS);
        engine.writeTensor("labels", &set.labels[at], &set.labels[at] + BATCH);
        engine.run(program);
    }
}

static int regression(const std::string &folder, int epochs)
{
    const Digits train(folder, "train"), test(folder, "t10k");
    Device device = IPUModel().createDevice();
    Graph graph(device.getTarget());
    Tensor points = poplin::createMatMulInputLHS(graph, FLOAT, { BATCH, POINTS }, { POINTS, CLASSES }, "points");
    Tensor weights = poplin::createMatMulInputRHS(graph, FLOAT, { BATCH, POINTS }, { POINTS, CLASSES }, "weights");
    Tensor labels = graph.addVariable(UNSIGNED_INT, { BATCH }, "labels"),
           loss = graph.addVariable(FLOAT, { BATCH }, "loss"),
           slope = graph.addVariable(FLOAT, { BATCH, CLASSES }, "slope"),
           correct = graph.addVariable(UNSIGNED_INT, {}, "correct");
    for (const Tensor &t : { labels, loss, slope, correct }) poputil::mapTensorLinearly(graph, t);
    const auto guess = [&](Sequence &prog) {
        Tensor scores = poplin::matMul(graph, points, weights, prog, "scores");
        return popnn::nonLinearity(graph, popnn::NonLinearityType::SOFTMAX_STABLE, scores, prog, "guess");
    };

    Sequence learn, check; /* weights -= rate * points' (guess - expected) */
    Tensor learned = guess(learn), checked = guess(check);
    learn.add(popnn::calcLoss(graph, learned, labels, loss, slope, popnn::LossType::CROSS_ENTROPY_LOSS, "loss"));
    poplin::matMulAcc(graph, weights, -0.25f / BATCH, points.transpose(), slope, learn, "learn");
    check.add(popnn::calcAccuracy(graph, checked, labels, correct, "accuracy"));

    graph.createHostWrite("points", points);
    graph.createHostWrite("labels", labels);
    graph.createHostWrite("weights", weights);
    graph.createHostWrite("none", correct);
    graph.createHostRead("correct", correct);
    Engine engine(graph, { learn, check });
    engine.load(device);
    const std::vector<float> zeros(POINTS * CLASSES);
    unsigned told = 0, tested = static_cast<unsigned>(test.labels.size()) / BATCH * BATCH;
    engine.writeTensor("weights", zeros.data(), zeros.data() + zeros.size());
    engine.writeTensor("none", &told, &told + 1);
    for (int i = 0; i < epochs; i++) runAll(engine, train, 0);
    runAll(engine, test, 1);
    engine.readTensor("correct", &told, &told + 1);
    std::cout << told << " of " << tested << " new digits after " << epochs << " epochs\n"
              << "more than nine in ten were told: " << (told * 10 > tested * 9 ? "yes" : "no") << '\n';
    return told * 10 <= tested * 9;
}

int main(int argc, char **argv)
{
    if (argc < 2) return std::cerr << "mnist_regression FOLDER [EPOCHS]\n", 2;
    try {
        return regression(argv[1], argc > 2 ? std::atoi(argv[2]) : static_cast<int>(EPOCHS));
    } catch (const std::exception &e) {
        return std::cerr << "mnist_regression: " << e.what() << '\n', 1;
    }
}
