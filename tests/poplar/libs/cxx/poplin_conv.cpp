// SPDX-License-Identifier: MIT
/* poplin's headers of convolutions: the graph that C makes, parameters, plans, errors. tests/poplar/libs/poplin has
 * the rules. */
#include "../../cxx/expect.hpp"

#include <cstring>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <sstream>
#include <tilewright/poplibs/poplin.h>

using namespace poplar;
using namespace poplar::program;
using poplin::ConvParams;
using poputil::poplibs_error;

template <class E, class F> static bool throws(F f, const char *words)
{
    try {
        f();
    } catch (const E &e) {
        if (std::strstr(e.what(), words)) return true;
        std::printf("'%s' lacks '%s'\n", e.what(), words);
    }
    return false;
}

static void parameters()
{
    ConvParams p(FLOAT, HALF, 2, { 9, 8 }, { 3, 3 }, 4, 6, 2,
                 { { 1, 0 }, { 0, 0 }, { 1, 2 }, { 1, 0 }, { 1, 0 }, { false, true } },
                 ConvParams::InputTransform(2), { { 0, 1 }, { 0, 0 }, { 2, 3 }, { 0, 1 }, { 0, 0 } });
    EXPECT(p.getTransformedInputSize(0) == 10 && p.getTransformedInputSize(1) == 15 &&
           p.getUntransformedOutputSize(1) == 13);
    EXPECT(p.getOutputFieldShape() == (std::vector<std::size_t>{ 4, 5 }));
    EXPECT(p.getNumOutputChans() == 12 && p.getNumInputChans() == 8);
    ConvParams g = poplin::getGradientParams(p), w = poplin::getWeightUpdateParams(p);
    EXPECT(g.getOutputFieldShape() == p.inputFieldShape && g.inputTransform.dilation[1] == 3 &&
           g.inputTransform.truncationLower[1] == 1 && g.outputTransform.stride[1] == 2 &&
           g.inputChannelsPerConvGroup == 6);
    EXPECT(w.getOutputFieldShape() == p.kernelShape && w.batchSize == 4 && w.inputChannelsPerConvGroup == 2);
    EXPECT(p == p && p != g && (p < g) != (g < p) &&
           std::hash<ConvParams>()(p) == std::hash<ConvParams>()(ConvParams(p)));
    std::ostringstream text;
    text << p;
    EXPECT(text.str().find("\"inputFieldShape\": [9, 8], \"kernelShape\": [3, 3]") != std::string::npos);
    ConvParams same(FLOAT, 1, { 5 }, { 1 }, 1, 1, 1);
    same.kernelTransform.dilation = { 7 };
    EXPECT(same.canonicalize() == ConvParams(FLOAT, 1, { 5 }, { 1 }, 1, 1, 1));
    /* out[o] = in[2 o + k - 1] */
    ConvParams line(FLOAT, FLOAT, 1, { 6 }, { 3 }, 1, 1, 1, { { 0 }, { 0 }, { 1 }, { 1 }, { 1 }, { false } },
                    ConvParams::InputTransform(1), { { 0 }, { 0 }, { 2 }, { 0 }, { 0 } });
    EXPECT(poplin::getDilatedSize(4, 3) == 10 && poplin::getDilatedSize(0, 3) == 0);
    EXPECT(poplin::getInputIndex(0, 0, 0, line) == ~0u && poplin::getInputIndex(0, 2, 1, line) == 4);
    EXPECT(poplin::getKernelIndex(0, 1, 3, line) == 2 && poplin::getKernelIndex(0, 0, 5, line) == ~0u);
    EXPECT((poplin::getInputRange(0, { 0, 2 }, line) == poplin::Range(0, 4)));
    EXPECT((poplin::getOutputRangeForKernelIndex(0, { 0, 3 }, 0, line) == poplin::Range(1, 3)));
    EXPECT((poplin::getOutputRangeForInputIndex(0, { 0, 3 }, 3, line) == poplin::Range(1, 3)));
    EXPECT((poplin::getKernelRange(0, { 0, 1 }, 0u, line) == poplin::Range(1, 2)));
    EXPECT(poplin::getFwdFlops(line) == 2 * 8 && poplin::getBwdFlops(line) == 16 && poplin::getWuFlops(line) == 16);
    EXPECT((throws<poplibs_error>([] { ConvParams(FLOAT, 1, { 5 }, { 3, 3 }, 1, 1, 1); },
                                  "1 dimensions with a kernel of 2")));
    EXPECT((throws<poplibs_error>([] { ConvParams(FLOAT, 1, { 2 }, { 3 }, 1, 1, 1); },
                                  "the kernel has 3 elements, more than the 2")));
    EXPECT((throws<poplibs_error>(
        [&] {
            line.outputTransform.stride = { 0 };
            line.validate();
        },
        "a stride of 0")));
    EXPECT((throws<poplibs_error>(
        [&] {
            line.outputTransform.stride = {};
            line.validate();
        },
        "outputTransform has not one")));
    EXPECT((throws<poplibs_error>([] { ConvParams(FLOAT, 1, { 2, 2, 2, 2 }, { 1, 1, 1, 1 }, 1, 1, 1); },
                                  "a field of 4 dimensions")));
}

/* What a graph is, without debug names. */
static std::string shapeOf(const Graph &graph)
{
    std::ostringstream out;
    poplar::handles::call(graph, "shapeOf", [&](tw_graph *g) {
        out << tw_graph_vertex_count(g) << " " << tw_graph_edge_count(g) << " " << tw_graph_variable_count(g);
    });
    return out.str();
}

/* Parameters as text: what is written is read again; what is wrong with a text is said. */
static void texts()
{
    poplin::ConvParams p(HALF, FLOAT, 2, { 9, 8 }, { 3, 2 }, 4, 5, 3), q;
    p.inputTransform.paddingLower = { 1, 2 }, p.inputTransform.flip = { true, false };
    p.kernelTransform.dilation = { 2, 1 }, p.outputTransform.stride = { 1, 3 };
    std::stringstream all;
    all << p;
    all >> q;
    EXPECT(p == q);
    std::istringstream few("{ \"dataType\":\"float\", \"batchSize\" : 1, \"numConvGroups\": 1,\n"
                           "\"inputChannelsPerConvGroup\": 2, \"outputChannelsPerConvGroup\": 3,"
                           "\"inputFieldShape\": [5], \"kernelShape\": [ 2 ] }");
    few >> q;
    EXPECT(q == poplin::ConvParams(FLOAT, 1, { 5 }, { 2 }, 2, 3, 1));
    std::istringstream one("{\"kernelTransform\": {\"flip\": [1]}, \"inputTransform\": {\"flip\": [false]}}");
    one >> q;
    EXPECT(q.kernelTransform.flip[0] && !q.inputTransform.flip[0] && q.batchSize == 1);
    for (const char *text : { "",
                              "{",
                              "{\"batchSize\": }",
                              "{\"batchSize\": -1}",
                              "{\"kernelShape\": [1",
                              "{\"inputType\": \"int\"}",
                              "{\"inputFieldShape\": [5, 6]}",
                              "{\"inputTransform\": {\"flip\": {\"a\": 1}}}",
                              "{\"batchSize\": [1, 2]}",
                              "{\"batchSize\": \" -1\"}",
                              "{\"batchSize\": 99999999999999999999999}",
                              "{\"batchSize\": true}",
                              "{\"batchsize\": 9}",
                              "{\"batchSize\": 1.5}",
                              "{\"kernelTransform\": 5}",
                              "{\"inputTransform\": [1, 2]}",
                              "{\"inputTransform\": {\"stride\": [1]}}",
                              "{\"inputTransform\": {\"paddingLower\": [4294967297]}}",
                              "{\"inputTransform\": {\"flip\": [2]}}",
                              "{\"outputTransform\": {\"stride\": [4294967297]}}" }) {
        std::istringstream wrong(text);
        const poplin::ConvParams before = q;
        EXPECT_THROWS(poputil::poplibs_error, wrong >> q);
        EXPECT(q == before);
    }
}

int main()
{
    texts();
    parameters();
    IPUModel m;
    m.tilesPerIPU = 16;
    Device device = m.createDevice();
    Graph graph(device.getTarget()), twin(device.getTarget());
    poplin::addCodelets(graph);
    ConvParams p(FLOAT, 3, { 6, 5 }, { 3, 2 }, 2, 4, 1);
    Sequence prog;
    poplin::PlanningCache cache;
    Tensor x = poplin::createInput(graph, p, "x"), w = poplin::createWeights(graph, p, "w", {}, &cache);
    EXPECT(x.shape() == (std::vector<std::size_t>{ 3, 2, 6, 5 }) &&
           w.shape() == (std::vector<std::size_t>{ 1, 4, 2, 3, 2 }));
    Tensor y = poplin::convolution(graph, x, w, p, false, prog, "y", { { "partialsType", "float" } }, &cache);
    Tensor b = poplin::createBiases(graph, y);
    poplin::addBias(graph, y, b, prog, "bias");
    ConvParams back = poplin::getGradientParams(p);
    Tensor dx = poplin::convolution(graph, y, w, back, true, prog, "dx");
    Tensor turned = poplin::createWeights(graph, back, "turned");
    poplin::weightsTransposeChansFlipXY(graph, w, turned, prog);
    Tensor dx2 = poplin::convolution(graph, y, turned, back, false, prog, "dx");
    Tensor dw = poplin::calculateWeightDeltas(graph, y, x, p, prog, "dw");
    Tensor w0 = graph.clone(w, "w0");
    prog.add(Copy(w, w0));
    poplin::convolutionWeightUpdate(graph, y, w, x, p, -0.5f, prog, "wu");
    poplin::convolutionBiasUpdate(graph, y, b, 1.0f,
                                  { { "partialsType", "float" }, { "remapOutputTensor", "true" } }, prog, "bu");
    EXPECT(dx.shape() == x.shape() && dw.shape() == w.shape());
    /* the same calls in C, on a graph of the same target */
    poplar::handles::call(twin, "twin", [&](tw_graph *g) {
        tw_conv_params c = p.handle(), back_c = back.handle();
        tw_tensor cx = tw_poplin_create_conv_input(g, &c, "x", nullptr),
                  cw = tw_poplin_create_conv_weights(g, &c, "w", nullptr);
        tw_program s = tw_program_sequence(g, nullptr);
        tw_tensor cy = tw_poplin_convolution(g, cx, cw, &c, false, s, "y", nullptr);
        tw_tensor cb = tw_poplin_create_biases(g, cy, "biases");
        tw_poplin_add_bias(g, cy, cb, s, "bias");
        tw_poplin_convolution(g, cy, cw, &back_c, true, s, "dx", nullptr);
        tw_tensor ct = tw_poplin_create_conv_weights(g, &back_c, "turned", nullptr);
        tw_poplin_weights_transpose_flip(g, cw, ct, s, nullptr);
        tw_poplin_convolution(g, cy, ct, &back_c, false, s, "dx", nullptr);
        tw_poplin_conv_weight_deltas(g, cy, cx, &c, s, "dw", nullptr);
        tw_tensor c0 = tw_graph_clone(g, TW_FLOAT, cw, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "w0");
        tw_program_sequence_add(g, s, tw_program_copy(g, cw, c0));
        tw_poplin_conv_weight_update(g, cy, cw, cx, &c, tw_scale{ -0.5, { 0, 0 } }, s, "wu", nullptr);
        tw_poplin_conv_bias_update(g, cy, cb, tw_scale{ 1, { 0, 0 } }, s, "bu", nullptr);
    });
    EXPECT(shapeOf(graph) == shapeOf(twin));

    for (const auto &io : { std::make_pair("x", x), std::make_pair("w", w), std::make_pair("b", b) })
        graph.createHostWrite(io.first, io.second);
    for (const auto &io : { std::make_pair("y", y), std::make_pair("dx", dx), std::make_pair("dx2", dx2),
                            std::make_pair("dw", dw), std::make_pair("w1", w), std::make_pair("b1", b) })
        graph.createHostRead(io.first, io.second);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<float> hx(180), hw(48), hb(4), hy(192), hdx(180), hdx2(180), hdw(48), hw1(48), hb1(4);
    for (std::size_t i = 0; i < hx.size(); i++) hx[i] = static_cast<float>(static_cast<int>(i * 7 % 11) - 5);
    for (std::size_t i = 0; i < hw.size(); i++) hw[i] = static_cast<float>(static_cast<int>(i * 5 % 7) - 3);
    hb = { 1, -2, 3, 0 };
    engine.writeTensor("x", hx.data(), hx.data() + 180), engine.writeTensor("w", hw.data(), hw.data() + 48);
    engine.writeTensor("b", hb.data(), hb.data() + 4);
    engine.run(0);
    engine.readTensor("y", hy.data(), hy.data() + 192), engine.readTensor("dx", hdx.data(), hdx.data() + 180);
    engine.readTensor("dx2", hdx2.data(), hdx2.data() + 180), engine.readTensor("dw", hdw.data(), hdw.data() + 48);
    engine.readTensor("w1", hw1.data(), hw1.data() + 48), engine.readTensor("b1", hb1.data(), hb1.data() + 4);
    std::vector<float> wy(192), wdx(180), wdw(48), sum(4); /* whole numbers: exact */
    for (int i = 0; i < 192; i++) {
        int col = i % 4, row = i / 4 % 4, co = i / 16 % 4, batch = i / 64;
        wy[i] = hb[co];
        for (int k = 0; k < 12; k++) {
            int kx = k % 2, ky = k / 2 % 3, ci = k / 6;
            wy[i] += hx[((batch * 2 + ci) * 6 + row + ky) * 5 + col + kx] * hw[co * 12 + k];
        }
        sum[co] += wy[i];
        for (int k = 0; k < 12; k++) {
            int kx = k % 2, ky = k / 2 % 3, ci = k / 6, at = ((batch * 2 + ci) * 6 + row + ky) * 5 + col + kx;
            wdx[at] += wy[i] * hw[co * 12 + k], wdw[co * 12 + k] += wy[i] * hx[at];
        }
    }
    EXPECT(hy == wy && hdx == wdx && hdx2 == wdx && hdw == wdw);
    for (int i = 0; i < 48; i++) EXPECT(hw1[i] == hw[i] - 0.5f * wdw[i]);
    for (int i = 0; i < 4; i++) EXPECT(hb1[i] == hb[i] + sum[i]);

    std::ostringstream plan;
    poplin::reportPlanInfo(plan, graph, p);
    poplin::reportWeightUpdatePlanInfo(plan, graph, p);
    EXPECT(plan.str().find("2 to 4 channels, field [6, 5], kernel [3, 2] of float") != std::string::npos);
    EXPECT(plan.str().find("batch 2, 1 group, 3 to 4 channels, field [6, 5], kernel [4, 4]") != std::string::npos);
    EXPECT(poplin::reportPlanEstimatedCosts(graph, p).cycles > 0 &&
           poplin::reportWeightUpdatePlanEstimatedCosts(graph, p).memory > 0);
    EXPECT(poplin::getFwdPerfectCycleCount(graph, p) == 192 * 12 / 16.0 / 16);
    EXPECT((throws<poplibs_error>([&] { poplin::convolution(graph, w, w, p, false, prog); },
                                  "poplin::convolution: the input")));
    EXPECT((throws<invalid_option>([&] { poplin::createInput(graph, p, "c", { { "partials", "half" } }); },
                                   "no option 'partials'")));
    return failures;
}
