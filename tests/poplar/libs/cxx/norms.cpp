// SPDX-License-Identifier: MIT
/* Normalisations by the vendor's names: what comes out has mean 0 and variance 1 in its sets. Values in full are
 * libs.test_libs_norms. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/Norms.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <string>

using namespace poplar;
using namespace poplar::program;

/* Two replicas with the same part of a batch have the statistics and gradients of one. */
static void distributed(Device &device, const Type &type, bool stable)
{
    Graph graph(device.getTarget());
    const std::vector<std::size_t> shape = { 2, 3, 4 };
    Tensor x = graph.addVariable(type, shape, "x"), up = graph.addVariable(type, shape, "up");
    poputil::mapTensorLinearly(graph, x);
    poputil::mapTensorLinearly(graph, up);
    Sequence prog;
    Tensor gamma = popnn::createNormParams(graph, x).first;
    popops::fill(graph, gamma, prog, 3.0f);
    unsigned calls = 0;
    const auto twice = [&](Graph &g, const std::vector<Tensor> &parts, Sequence &p, unsigned groups,
                           const DebugContext &, const OptionFlags &) {
        EXPECT(groups == 2);
        calls++;
        std::vector<Tensor> sums;
        for (const Tensor &t : parts) sums.push_back(popops::add(g, t, t, p));
        return sums;
    };
    auto one = popnn::bn::batchNormStatistics(graph, x, 1e-3f, prog, false, stable);
    auto two = popnn::bn::distributedBatchNormStatistics(graph, x, 1e-3f, prog, false, twice, 4, stable);
    auto unbiased = popnn::bn::distributedBatchNormStatistics(graph, x, 1e-3f, prog, true, twice, 4, stable);
    auto own = popnn::bn::distributedBatchNormStatistics(graph, x, 1e-3f, prog, false, nullptr, 2, stable);
    Tensor slope = popnn::bn::batchNormGradients(graph, x, up, one.first, one.second, gamma, prog);
    Tensor slopes =
        popnn::bn::distributedBatchNormGradients(graph, x, up, two.first, two.second, gamma, prog, twice, 4);
    EXPECT(calls == (stable ? 5 : 3) && two.second.elementType() == type && slopes.elementType() == type);
    std::vector<Tensor> results = {
        one.first,  one.second,     two.first,       two.second,      own.first,
        own.second, unbiased.first, unbiased.second, slope.flatten(), slopes.flatten()
    };
    graph.createHostWrite("x", x);
    graph.createHostWrite("up", up);
    std::vector<Tensor> floats;
    for (const Tensor &t : results) floats.push_back(popops::cast(graph, t, FLOAT, prog));
    graph.createHostRead("all", concat(floats));
    for (unsigned size : { 0, 3 })
        EXPECT_THROWS(poputil::poplibs_error,
                      popnn::bn::distributedBatchNormStatistics(graph, x, 1e-3f, prog, false, twice, size));
    EXPECT_THROWS(poputil::poplibs_error,
                  popnn::bn::distributedBatchNormStatistics(graph, x, 1e-3f, prog, false, nullptr, 4));
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<float> in(24), gradient(24), all(72);
    for (std::size_t k = 0; k < 24; k++)
        in[k] = static_cast<float>(k * 37 % 19) - 6, gradient[k] = static_cast<float>(k * 5 % 7);
    std::vector<char> bytes(48);
    if (type == HALF) {
        for (auto hostTensor : { std::make_pair("x", &in), std::make_pair("up", &gradient) }) {
            copyFloatToDeviceHalf(device.getTarget(), hostTensor.second->data(), bytes.data(), 24);
            engine.writeTensor(hostTensor.first, bytes.data(), bytes.data() + 48);
        }
    } else {
        engine.writeTensor("x", in.data(), in.data() + 24);
        engine.writeTensor("up", gradient.data(), gradient.data() + 24);
    }
    engine.run();
    engine.readTensor("all", all.data(), all.data() + 72);
    const double close = type == HALF ? 4e-3 : 1e-5;
    for (std::size_t c = 0; c < 3; c++) {
        double sum = 0, square = 0;
        for (std::size_t k = 0; k < 8; k++) {
            const double v = in[k / 4 * 12 + c * 4 + k % 4];
            sum += v, square += v * v;
        }
        const double mean = sum / 8, spread = square / 8 - mean * mean;
        const double want[] = { mean, 1 / std::sqrt(spread + 1e-3), 1 / std::sqrt((spread + 1e-3) * 16 / 15) };
        for (int which : { 0, 6, 12 }) {
            EXPECT(std::fabs(all[which + c] - want[0]) < 4 * close);
            EXPECT(std::fabs(all[which + 3 + c] - want[1]) < close);
        }
        EXPECT(std::fabs(all[21 + c] - want[2]) < close);
    }
    for (std::size_t k = 0; k < 24; k++) EXPECT(std::fabs(all[24 + k] - all[48 + k]) < 4 * close);
}

/* Sets without elements have mean 0 and variance 0; without sets there is nothing. */
static void empty(Device &device)
{
    Graph graph(device.getTarget());
    Sequence prog;
    std::vector<Tensor> means, spreads;
    for (bool stable : { false, true })
        for (const std::vector<std::size_t> &shape :
             { std::vector<std::size_t>{ 3, 3, 0 }, { 1, 0, 3 }, { 0, 3, 0 }, { 0, 5 } }) {
            Tensor x = graph.addVariable(FLOAT, shape, "x");
            graph.setTileMapping(x, 0);
            auto made = popnn::gn::groupNormStatistics(graph, x, 1.0f, prog, 1, stable, stable);
            EXPECT(made.first.rank() == 1 && made.first.dim(0) == shape[0] && made.second.dim(0) == shape[0]);
            means.push_back(made.first), spreads.push_back(made.second);
        }
    graph.createHostRead("means", concat(means));
    graph.createHostRead("spreads", concat(spreads));
    Engine engine(graph, prog);
    engine.load(device);
    engine.run();
    std::vector<float> m(8, 9), s(8, 9);
    engine.readTensor("means", m.data(), m.data() + 8);
    engine.readTensor("spreads", s.data(), s.data() + 8);
    for (std::size_t i = 0; i < 8; i++) EXPECT(m[i] == 0 && s[i] == 1);
}

int main()
{
    IPUModel m;
    m.tilesPerIPU = 8;
    Device device = m.createDevice();
    Graph graph(device.getTarget());
    const std::size_t batch = 2, channels = 4, field = 6, n = batch * channels * field;
    Tensor x = graph.addVariable(FLOAT, { batch, channels, field }, "x");
    poputil::mapTensorLinearly(graph, x);
    std::pair<Tensor, Tensor> params = poplin::createNormParams(graph, x);
    Tensor gamma = params.first, beta = params.second;
    EXPECT(gamma.rank() == 1 && gamma.dim(0) == channels);
    Sequence prog;
    auto b = popnn::bn::batchNormStatistics(graph, x, 1e-6f, prog, false);
    auto g = popnn::gn::groupNormStatistics(graph, x, 1e-6f, prog, 2, false, true);
    auto i = popnn::in::instanceNormStatistics(graph, x, 1e-6f, prog, false, false);
    auto l = popnn::ln::layerNormStatistics(graph, x, 1e-6f, prog, false);
    EXPECT(b.first.dim(0) == 4 && g.first.dim(0) == 4 && i.first.dim(0) == 8 && l.second.dim(0) == 2);
    std::pair<Tensor, Tensor> out[] = { popnn::bn::batchNormalise(graph, x, gamma, beta, b.first, b.second, prog),
                                        popnn::gn::groupNormalise(graph, x, gamma, beta, g.first, g.second, prog),
                                        popnn::in::instanceNormalise(graph, x, gamma, beta, i.first, i.second,
                                                                     prog),
                                        popnn::ln::layerNormalise(graph, x, gamma, beta, l.first, l.second, prog) };
    Tensor back[] = { popnn::bn::batchNormGradients(graph, x, x, b.first, b.second, gamma, prog),
                      popnn::gn::groupNormGradients(graph, out[1].second, x, g.second, gamma, prog),
                      popnn::in::instanceNormGradients(graph, x, x, i.first, i.second, gamma, prog),
                      popnn::ln::layerNormGradients(graph, out[3].second, x, l.second, gamma, prog) };
    auto deltas = popnn::bn::batchNormParamGradients(graph, out[0].second, x, prog);
    popnn::bn::batchNormParamUpdate(graph, deltas.first, deltas.second, 0.5f, gamma, beta, prog);
    EXPECT(popnn::bn::batchNormalise(graph, x, gamma, beta, prog).shape() == x.shape());
    graph.createHostWrite("x", x);
    graph.createHostWrite("gamma", gamma);
    for (int k = 0; k < 4; k++) {
        graph.createHostRead("white" + std::to_string(k), out[k].second);
        graph.createHostRead("out" + std::to_string(k), out[k].first);
        graph.createHostRead("back" + std::to_string(k), back[k]);
    }
    graph.createHostRead("beta", beta);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<float> in(n), white(n), y(n), slope(n), two(channels, 2.0f), sums(channels);
    for (std::size_t k = 0; k < n; k++) in[k] = static_cast<float>(k * 37 % 19);
    engine.writeTensor("x", in.data(), in.data() + n);
    engine.writeTensor("gamma", two.data(), two.data() + channels);
    engine.run();
    for (int k = 0; k < 4; k++) {
        engine.readTensor("white" + std::to_string(k), white.data(), white.data() + n);
        engine.readTensor("out" + std::to_string(k), y.data(), y.data() + n);
        engine.readTensor("back" + std::to_string(k), slope.data(), slope.data() + n);
        std::vector<double> sum(8), squares(8), slopes(8);
        for (std::size_t e = 0; e < n; e++) {
            std::size_t c = e / field % channels, s = e / field / channels;
            std::size_t set = k == 0 ? c : k == 1 ? c % 2 * 2 + s : k == 2 ? s * channels + c : s;
            sum[set] += white[e], squares[set] += white[e] * white[e], slopes[set] += slope[e];
            EXPECT(y[e] == 2 * white[e]);
        }
        std::size_t sets = k == 2 ? 8 : k == 3 ? 2 : 4;
        for (std::size_t set = 0; set < sets; set++) {
            EXPECT(std::fabs(sum[set]) < 1e-4 && std::fabs(squares[set] * sets / n - 1) < 1e-4);
            EXPECT(std::fabs(slopes[set]) < 1e-3); /* a constant added to a set changes nothing */
        }
    }
    engine.readTensor("beta", sums.data(), sums.data() + channels);
    double all = 0, half = 0;
    for (float v : in) all += v;
    for (float v : sums) half += v;
    EXPECT(std::fabs(half - all / 2) < 1e-3);
    EXPECT_THROWS(poputil::poplibs_error, popnn::gn::groupNormStatistics(graph, x, 1e-6f, prog, 3, false));
    for (const Type &type : { FLOAT, HALF })
        for (bool stable : { false, true }) distributed(device, type, stable);
    empty(device);
    EXPECT(popnn::getNormFwdFlops(4, 48) == 6 * 48 + 20 && popnn::getNormFwdFlops(4, 48, false) == 96);
    EXPECT(popnn::getNormBwdFlops(4, 48) == 392 && popnn::getNormWuFlops(8, 48) == 176);
    return failures;
}
