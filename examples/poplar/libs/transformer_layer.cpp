// SPDX-License-Identifier: MIT
/* The transformer of transformer.c in C++, by the vendor's names: one block of attention and one of two dense layers
 * learn a text by heart, letter by letter, and write it.
 *
 *     g++ -std=c++11 transformer_layer.cpp $(pkg-config --cflags --libs poplar) -lpopnn -lpoplin -lpopops -lpoprand
 *
 * prints: what a program does is known before it runs, and a graph of small steps becomes a machine of its
 */
#include <cmath>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/TileMapping.hpp>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

static const std::string text = "a tile has its own memory and its own code. tiles compute, then they exchange "
                                "what they have made, then they wait "
                                "for one another. nothing is shared, so nothing has to be locked: a letter that "
                                "leaves a tile arrives when its clock "
                                "says so. what a program does is known before it runs, and a graph of small steps "
                                "becomes a machine of its own. ";
static const std::string alphabet = " .,:abcdefghijklmnopqrstuvwxyz";
enum {
    BATCH = 16,
    WINDOW = 32,
    ROWS = BATCH * WINDOW,
    WIDTH = 32,
    INNER = 64,
    LETTERS = 32,
    STEPS = 700,
    WRITTEN = 140
};
enum { EMBED, PLACES, QKV, OUT, FIRST, SECOND, READ, WEIGHTS };
static const std::size_t shapes[WEIGHTS][2] = { { LETTERS, WIDTH }, { WINDOW, WIDTH }, { WIDTH, 3 * WIDTH },
                                                { WIDTH, WIDTH },   { WIDTH, INNER },  { INNER, WIDTH },
                                                { WIDTH, LETTERS } };

class Transformer {
    Graph &g;
    Tensor w[WEIGHTS], dw[WEIGHTS], ones, hot, normalIn, deviationIn, heads, scores, mixed, normal, deviation,
        inner, last;

  public:
    Tensor letters;
    explicit Transformer(Graph &graph) : g(graph) {}

    Tensor variable(const Type &type, std::vector<std::size_t> shape)
    {
        Tensor t = g.addVariable(type, shape);
        poputil::mapTensorLinearly(g, t);
        return t;
    }
    void begin(Sequence &p)
    {
        const std::vector<unsigned> two = { 3, 4 };
        Tensor seed = g.addConstant(UNSIGNED_INT, { 2 }, two.data());
        g.setTileMapping(seed, 0);
        for (unsigned i = 0; i < WEIGHTS; i++) {
            w[i] = variable(FLOAT, { shapes[i][0], shapes[i][1] });
            const double spread = i <= PLACES ? 0.5 : 1 / std::sqrt(static_cast<double>(shapes[i][0]));
            p.add(Copy(poprand::normal(g, &seed, i, w[i], FLOAT, 0, spread, p), w[i]));
        }
        ones = g.addConstant(FLOAT, { WIDTH }, 1.0f);
        g.setTileMapping(ones, 0);
    }

    void forward(const Tensor &input, Sequence &p)
    {
        hot = variable(FLOAT, { ROWS, LETTERS });
        popops::encodeOneHot(g, input, hot, p);
        Tensor x = rows(popops::add(g, samples(product(hot, w[EMBED], p)), w[PLACES], p));
        normalIn = normalised(x, deviationIn, p);
        heads = product(normalIn, w[QKV], p);
        Tensor raw = grouped(head(0), head(1).dimShuffle({ 0, 2, 1 }), p);
        raw = popops::map(g, pe::_1 * 0.176776695f + pe::_2, { raw, mask() }, p);
        scores = popnn::softmaxStable(g, rows(raw), p);
        mixed = rows(grouped(samples(scores), head(2), p));
        Tensor attended = popops::add(g, x, product(mixed, w[OUT], p), p);
        normal = normalised(attended, deviation, p);
        inner = popnn::relu(g, product(normal, w[FIRST], p), p);
        last = popops::add(g, attended, product(inner, w[SECOND], p), p);
        letters = popnn::softmaxStable(g, product(last, w[READ], p), p);
    }

    void backward(const Tensor &gradient, Sequence &p)
    {
        Tensor d = productBack(last, READ, gradient, p);
        Tensor dense = productBack(inner, SECOND, d, p);
        dense = popnn::nonLinearityInputGradient(g, popnn::NonLinearityType::RELU, inner, dense, p);
        dense = normalisedBack(normal, deviation, productBack(normal, FIRST, dense, p), p);
        d = popops::add(g, d, dense, p);
        Tensor ofHeads = attentionBack(productBack(mixed, OUT, d, p), p);
        Tensor ofNormal = productBack(normalIn, QKV, ofHeads, p);
        d = popops::add(g, d, normalisedBack(normalIn, deviationIn, ofNormal, p), p);
        dw[EMBED] = product(hot.transpose(), d, p);
        dw[PLACES] = popops::reduce(g, samples(d), { 0 }, { popops::Operation::ADD }, p);
    }

    /* Adam: a step is the mean of gradients over the root of the mean of their squares. */
    void update(Sequence &first, Sequence &p)
    {
        for (unsigned i = 0; i < WEIGHTS; i++) {
            Tensor mean = variable(FLOAT, { shapes[i][0], shapes[i][1] }), square = variable(FLOAT, mean.shape());
            popops::zero(g, mean, first);
            popops::zero(g, square, first);
            popops::mapInPlace(g, pe::_1 * 0.9f + pe::_2 * 0.1f, { mean, dw[i] }, p);
            popops::mapInPlace(g, pe::_1 * 0.99f + pe::_2 * pe::_2 * 0.01f, { square, dw[i] }, p);
            popops::mapInPlace(g, pe::_1 - pe::_2 * 0.004f / (pe::Sqrt(pe::_3) + 1e-6f), { w[i], mean, square }, p);
        }
    }

  private:
    static Tensor samples(const Tensor &t) { return t.reshape({ BATCH, WINDOW, t.dim(1) }); }
    static Tensor rows(const Tensor &t) { return t.reshape({ ROWS, t.dim(2) }); }
    Tensor head(std::size_t part) const { return samples(heads.slice(part * WIDTH, (part + 1) * WIDTH, 1)); }
    Tensor product(const Tensor &a, const Tensor &b, Sequence &p) { return poplin::matMul(g, a, b, p); }
    Tensor grouped(const Tensor &a, const Tensor &b, Sequence &p)
    {
        return poplin::matMulGrouped(g, a, b, p, FLOAT);
    }
    Tensor mask() /* nothing after a letter counts for it */
    {
        std::vector<float> later(WINDOW * WINDOW);
        for (std::size_t i = 0; i < WINDOW; i++)
            for (std::size_t j = i + 1; j < WINDOW; j++) later[i * WINDOW + j] = -1e4f;
        Tensor t = g.addConstant(FLOAT, { WINDOW, WINDOW }, later.data());
        g.setTileMapping(t, 0);
        return t;
    }
    Tensor normalised(const Tensor &x, Tensor &deviationOf, Sequence &p)
    {
        std::pair<Tensor, Tensor> of = popnn::ln::layerNormStatistics(g, x, 1e-5f, p, false, true);
        deviationOf = of.second;
        return popnn::ln::layerNormWhiten(g, x, of.first, of.second, p);
    }
    Tensor normalisedBack(const Tensor &white, const Tensor &deviationOf, const Tensor &gradient, Sequence &p)
    {
        return popnn::ln::layerNormGradients(g, white, gradient, deviationOf, ones, p);
    }
    Tensor productBack(const Tensor &a, int i, const Tensor &gradient, Sequence &p)
    {
        dw[i] = product(a.transpose(), gradient, p);
        return product(gradient, w[i].transpose(), p);
    }
    Tensor attentionBack(const Tensor &gradient, Sequence &p)
    {
        Tensor ofScores = rows(grouped(samples(gradient), head(2).dimShuffle({ 0, 2, 1 }), p));
        Tensor raw =
            popnn::nonLinearityInputGradient(g, popnn::NonLinearityType::SOFTMAX_STABLE, scores, ofScores, p);
        Tensor d = samples(popops::mul(g, raw, 0.176776695f, p)), back = d.dimShuffle({ 0, 2, 1 });
        Tensor dq = rows(grouped(d, head(1), p)), dk = rows(grouped(back, head(0), p));
        Tensor dv = rows(grouped(samples(scores).dimShuffle({ 0, 2, 1 }), samples(gradient), p));
        return concat({ dq, dk, dv }, 1);
    }
};

int main()
{
    Device device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Transformer model(graph);
    Tensor in = model.variable(UNSIGNED_INT, { ROWS }), next = model.variable(UNSIGNED_INT, { ROWS });
    Tensor loss = model.variable(FLOAT, { ROWS }), gradient = model.variable(FLOAT, { ROWS, LETTERS });
    Sequence start, say, learn;
    model.begin(start);
    model.forward(in, say);
    learn.add(say);
    learn.add(popnn::calcLoss(graph, model.letters, next, loss, gradient, popnn::CROSS_ENTROPY_LOSS));
    model.backward(gradient, learn);
    model.update(start, learn);
    graph.createHostWrite("in", in);
    graph.createHostWrite("next", next);
    graph.createHostRead("likely", model.letters);
    Engine engine(graph, { start, learn, say });
    engine.load(device);
    engine.run(0);
    unsigned state = 1;
    std::vector<unsigned> now(ROWS), then(ROWS);
    for (int step = 0; step < STEPS; step++) {
        for (std::size_t b = 0; b < BATCH; b++) {
            state = state * 1664525u + 1013904223u;
            for (std::size_t t = 0, at = (state >> 8) % text.size(); t < WINDOW; t++, at++) {
                now[b * WINDOW + t] = static_cast<unsigned>(alphabet.find(text[at % text.size()]));
                then[b * WINDOW + t] = static_cast<unsigned>(alphabet.find(text[(at + 1) % text.size()]));
            }
        }
        engine.writeTensor("in", now.data(), now.data() + ROWS);
        engine.writeTensor("next", then.data(), then.data() + ROWS);
        engine.run(1);
    }
    std::string line = "what a program does";
    std::vector<float> likely(ROWS * LETTERS);
    for (int n = 0; n < WRITTEN; n++) {
        const std::size_t first = line.size() > WINDOW ? line.size() - WINDOW : 0, at = line.size() - first - 1;
        for (std::size_t t = 0; t <= at; t++) now[t] = static_cast<unsigned>(alphabet.find(line[first + t]));
        engine.writeTensor("in", now.data(), now.data() + ROWS);
        engine.run(2);
        engine.readTensor("likely", likely.data(), likely.data() + likely.size());
        std::size_t best = 0;
        for (std::size_t c = 1; c < alphabet.size(); c++)
            if (likely[at * LETTERS + c] > likely[at * LETTERS + best]) best = c;
        line += alphabet[best];
    }
    std::cout << line << "\n";
    return 0;
}
