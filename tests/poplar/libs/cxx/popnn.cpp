// SPDX-License-Identifier: MIT
/* popnn by the vendor's names: a step of a classifier's training whose loss falls, texts, errors. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/NonLinearityDefUtil.hpp>
#include <popnn/codelets.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static void texts()
{
    std::ostringstream out;
    out << popnn::NonLinearityType::HARD_SIGMOID << ' ' << popnn::NonLinearityType::SOFTMAX_STABLE;
    EXPECT(out.str() == "hard sigmoid softmax_stable");
    popnn::NonLinearityType type;
    std::istringstream in("hard sigmoid gelu");
    EXPECT(in >> type && type == popnn::NonLinearityType::HARD_SIGMOID);
    EXPECT(in >> type && type == popnn::NonLinearityType::GELU);
    EXPECT(poputil::templateVertex("V", type) == "V<popnn::NonLinearityType::GELU>");
    std::istringstream bad("bell");
    EXPECT_THROWS(poputil::poplibs_error, bad >> type);
}

/* Scores are changed themselves: the loss falls in each step. */
static void training()
{
    IPUModel m;
    m.tilesPerIPU = 8;
    Device device = m.createDevice();
    Graph graph(device.getTarget());
    popnn::addCodelets(graph);
    const std::size_t batch = 4, classes = 5;
    Tensor scores = graph.addVariable(FLOAT, { batch, classes }, "scores");
    Tensor labels = graph.addVariable(UNSIGNED_INT, { batch }, "labels");
    Tensor loss = graph.addVariable(FLOAT, { batch }, "loss"), deltas = graph.clone(scores, "deltas");
    Tensor correct = graph.addVariable(UNSIGNED_INT, {}, "correct");
    poputil::mapTensorLinearly(graph, scores);
    poputil::mapTensorLinearly(graph, deltas);
    poputil::mapTensorLinearly(graph, labels);
    poputil::mapTensorLinearly(graph, loss);
    graph.setTileMapping(correct, 0);
    Sequence prog;
    float scaling = 0;
    Tensor y = popnn::nonLinearity(graph, popnn::NonLinearityType::SOFTMAX, scores, scaling, prog, "softmax");
    EXPECT(scaling == 1.0f);
    prog.add(popnn::calcLoss(graph, y, labels, loss, deltas, correct, popnn::CROSS_ENTROPY_LOSS, "loss"));
    popops::scaledAddTo(graph, scores, deltas, -0.5f, prog);
    Tensor hidden = popnn::relu(graph, scores, prog), logs = popnn::logSoftmax(graph, scores, prog, "logs");
    popnn::nonLinearityInputGradient(graph, popnn::NonLinearityType::RELU, hidden, deltas, prog, "back");
    ComputeSet cs = graph.addComputeSet("set");
    Tensor twice = graph.clone(hidden, "twice");
    prog.add(Copy(scores, twice));
    popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::RELU, twice, scaling, cs, "in a set");
    Tensor back = popnn::nonLinearityInputGradient(graph, popnn::NonLinearityType::RELU, hidden, deltas, cs);
    prog.add(Execute(cs));
    EXPECT(scaling == 1.0f && back.shape() == hidden.shape());
    EXPECT_THROWS(poputil::poplibs_error,
                  popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::SOFTMAX, twice, cs));
    graph.createHostRead("twice", twice);
    graph.createHostWrite("labels", labels);
    graph.createHostWrite("correct", correct);
    graph.createHostRead("loss", loss);
    graph.createHostRead("logs", logs);
    graph.createHostRead("hidden", hidden);
    graph.createHostRead("best", popnn::argMax(graph, scores, prog));
    Tensor places, two = popnn::topK(graph, scores, places, 2, true, prog);
    graph.createHostRead("places", places);
    EXPECT(two.dim(1) == 2 && popnn::minAndArgMin(graph, scores, prog).first.rank() == 1);
    prog.add(popnn::calcAccuracy(graph, scores, labels, correct));
    graph.createHostRead("correct", correct);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<unsigned> in = { 1, 4, 2, 1 }, best(batch), first(2 * batch);
    unsigned hits = 0;
    engine.writeTensor("labels", in.data(), in.data() + batch);
    float before = 1e9f;
    for (int step = 0; step < 3; step++) {
        engine.writeTensor("correct", &hits, &hits + 1);
        engine.run();
        std::vector<float> l(batch), log(batch * classes), h(batch * classes);
        engine.readTensor("loss", l.data(), l.data() + batch);
        engine.readTensor("logs", log.data(), log.data() + batch * classes);
        engine.readTensor("hidden", h.data(), h.data() + batch * classes);
        float sum = l[0] + l[1] + l[2] + l[3], all = 0;
        for (std::size_t i = 0; i < classes; i++) all += std::exp(log[i]);
        for (float v : h) EXPECT(v >= 0);
        std::vector<float> again(batch * classes);
        engine.readTensor("twice", again.data(), again.data() + batch * classes);
        EXPECT(again == h);
        EXPECT(sum < before && std::fabs(all - 1) < 1e-5f);
        before = sum;
    }
    engine.readTensor("best", best.data(), best.data() + batch);
    engine.readTensor("places", first.data(), first.data() + 2 * batch);
    engine.readTensor("correct", &hits, &hits + 1);
    EXPECT(best == in && first[0] == 1 && first[2] == 4);
    EXPECT(hits == 2 * batch); /* once in calcLoss(), before the last step, and once after it */
    EXPECT_THROWS(poputil::poplibs_error, popnn::relu(graph, labels, prog));
    EXPECT_THROWS(poputil::poplibs_error,
                  popnn::calcLoss(graph, y, labels, deltas, deltas, popnn::SUM_SQUARED_LOSS));
}

int main()
{
    texts();
    training();
    return failures;
}
