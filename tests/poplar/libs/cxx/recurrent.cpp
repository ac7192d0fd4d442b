// SPDX-License-Identifier: MIT
/* Recurrent layers by the vendor's names: the graph has what that of the calls in C has.
 * Values in full are libs.test_libs_recurrent. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popnn/Gru.hpp>
#include <popnn/Lstm.hpp>
#include <poputil/TileMapping.hpp>
#include <tilewright/poplar/engine.h>

using namespace poplar;
using namespace poplar::program;

enum { BATCH = 2, STEPS = 3, IN = 4, OUT = 5 };

/* One step of a GRU whose weights are 0: half of the state is kept. */
static void gruKeepsHalf(Device &device, bool resetAfter)
{
    Graph graph(device.getTarget());
    Sequence prog;
    popnn::gru::GruParams params(FLOAT, BATCH, 1, { IN, OUT });
    params.resetAfter = resetAfter;
    params.cellOrder = { BASIC_GRU_CELL_CANDIDATE, BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_RESET_GATE };
    Tensor x = popnn::gru::createInput(graph, params, "x"),
           start = popnn::gru::createInitialState(graph, params, "h");
    popnn::gru::GruWeights w = popnn::gru::createWeights(graph, params, "w");
    EXPECT(w.biases.rank() == (resetAfter ? 3u : 2u) && w.outputWeights.dim(2) == OUT);
    for (const Tensor &t : { x, w.inputWeights, w.outputWeights, w.biases }) popops::zero(graph, t, prog);
    Tensor saved, inputGrad;
    popnn::gru::GruWeights dw;
    Tensor y = popnn::gru::gruFwd(graph, params, start, x, w, &saved, prog, "run");
    Tensor back = popnn::gru::gruBwdWithWU(graph, params, prog, start, saved, w, x, y, y, &inputGrad, dw, "back");
    EXPECT(inputGrad.shape() == x.shape() && dw.biases.shape() == w.biases.shape());
    EXPECT(popnn::gru::gruFwd(graph, params, start, x, w, nullptr, prog).shape() == y.shape());
    graph.createHostWrite("start", start);
    graph.createHostRead("y", y);
    graph.createHostRead("back", back);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<float> in(BATCH * OUT), out(BATCH * OUT), slope(BATCH * OUT);
    for (std::size_t i = 0; i < in.size(); i++) in[i] = static_cast<float>(i) - 4;
    engine.writeTensor("start", in.data(), in.data() + in.size());
    engine.run();
    engine.readTensor("y", out.data(), out.data() + out.size());
    engine.readTensor("back", slope.data(), slope.data() + slope.size());
    for (std::size_t i = 0; i < in.size(); i++) EXPECT(out[i] == in[i] / 2 && slope[i] == in[i] / 4);
}

/* One step of a GRU with attention whose weights are 0: the update gate is half, of which 1 - a counts. */
static void auGruKeepsLess(Device &device)
{
    Graph graph(device.getTarget());
    Sequence prog;
    popnn::gru::GruParams params(FLOAT, BATCH, 1, { IN, OUT });
    Tensor x = popnn::gru::createInput(graph, params, "x"),
           start = popnn::gru::createInitialState(graph, params, "h"),
           scores = popnn::gru::createAttention(graph, params, "scores");
    EXPECT(scores.shape() == (std::vector<std::size_t>{ BATCH, 1 }));
    popnn::gru::GruWeights w = popnn::gru::createWeights(graph, params, "w"), dw;
    for (const Tensor &t : { x, w.inputWeights, w.outputWeights, w.biases }) popops::zero(graph, t, prog);
    Tensor saved, inputGrad, scoresGrad;
    Tensor y = popnn::gru::auGruFwd(graph, params, start, x, w, &saved, scores, prog, "run");
    Tensor back = popnn::gru::auGruBwdWithWU(graph, params, prog, start, saved, w, x, y, y, &inputGrad, dw, scores,
                                             &scoresGrad, "back");
    EXPECT(scoresGrad.shape() == scores.shape() && dw.biases.shape() == w.biases.shape());
    graph.createHostWrite("start", start);
    graph.createHostWrite("scores", scores);
    for (const auto &t :
         { std::make_pair("y", y), std::make_pair("back", back), std::make_pair("slope", scoresGrad) })
        graph.createHostRead(t.first, t.second);
    Engine engine(graph, prog);
    engine.load(device);
    const std::vector<float> a = { 0.25f, 0.5f };
    std::vector<float> in(BATCH * OUT), out(BATCH * OUT), down(BATCH * OUT), slope(BATCH);
    for (std::size_t i = 0; i < in.size(); i++) in[i] = static_cast<float>(i) - 4;
    engine.writeTensor("start", in.data(), in.data() + in.size());
    engine.writeTensor("scores", a.data(), a.data() + a.size());
    engine.run();
    engine.readTensor("y", out.data(), out.data() + out.size());
    engine.readTensor("back", down.data(), down.data() + down.size());
    engine.readTensor("slope", slope.data(), slope.data() + slope.size());
    for (std::size_t b = 0; b < BATCH; b++) {
        float sum = 0, u = (1 - a[b]) / 2;
        for (std::size_t i = b * OUT; i < (b + 1) * OUT; i++) {
            EXPECT(out[i] == in[i] * u && down[i] == out[i] * u);
            sum -= out[i] * in[i] / 2;
        }
        EXPECT(std::abs(slope[b] - sum) < 1e-5f);
    }
    EXPECT_THROWS(poputil::poplibs_error,
                  popnn::gru::auGruFwd(graph, params, start, x, w, nullptr, scores.transpose(), prog));
}

int main()
{
    IPUModel m;
    m.tilesPerIPU = 6;
    Device device = m.createDevice();

    Graph graph(device.getTarget());
    Sequence prog;
    popnn::lstm::LstmParams params(FLOAT, BATCH, STEPS, { IN, OUT });
    Tensor x = popnn::lstm::createInput(graph, params, "x");
    popnn::lstm::LstmState start = popnn::lstm::createInitialState(graph, params, "start");
    popnn::lstm::LstmWeights w = popnn::lstm::createWeights(graph, params, "w"), dw;
    EXPECT(x.shape() == (std::vector<std::size_t>{ STEPS, BATCH, IN }) && w.inputWeights.dim(0) == 4);
    Tensor saved, inputGrad;
    Tensor y = popnn::lstm::lstmFwd(graph, params, prog, start, w, x, &saved, "run");
    popnn::lstm::LstmState back =
        popnn::lstm::lstmBwdWithWU(graph, params, prog, start, saved, w, x, y, y, nullptr, &inputGrad, dw, "back");
    EXPECT(back.cellState.shape() == start.cellState.shape() &&
           dw.outputWeights.shape() == w.outputWeights.shape());

    /* the same in C: as many of everything */
    tw_graph *g = tw_graph_new(tw_graph_target(handles::of(graph)));
    tw_recurrent layer = tw_popnn_recurrent(TW_RECURRENT_LSTM, TW_FLOAT, BATCH, STEPS, IN, OUT);
    tw_program p = tw_program_sequence(g, nullptr);
    tw_tensor cx = tw_popnn_recurrent_input(g, &layer, "x", nullptr);
    tw_recurrent_state cs = tw_popnn_recurrent_state(g, &layer, "start", nullptr);
    tw_recurrent_weights cw = tw_popnn_recurrent_weights(g, &layer, "w", nullptr);
    tw_recurrent_run run = tw_popnn_recurrent_forward(g, &layer, cs, cw, cx, true, p, "run", nullptr);
    tw_recurrent_deltas d =
        tw_popnn_recurrent_backward(g, &layer, cw, run.saved, run.output, tw_tensor{ 0, 0 }, p, "back", nullptr);
    tw_popnn_recurrent_update(g, &layer, cx, run.saved, d.deltas, p, "back", nullptr);
    EXPECT(tw_graph_status(g) == TW_OK);
    EXPECT(tw_graph_vertex_count(g) == tw_graph_vertex_count(handles::of(graph)));
    EXPECT(tw_graph_edge_count(g) == tw_graph_edge_count(handles::of(graph)));
    EXPECT(tw_graph_variable_count(g) == tw_graph_variable_count(handles::of(graph)));
    tw_graph_free(g);

    auto pair = popnn::lstm::lstmFwd(graph, params, start, x, w, nullptr, prog, "again");
    EXPECT(pair.first.shape() == y.shape() && pair.second.shape() == start.cellState.shape());
    EXPECT(popnn::lstm::getBasicLstmCellFwdFlops(params) ==
           2u * STEPS * BATCH * 4 * OUT * (IN + OUT) + STEPS * BATCH * OUT * 17u);
    Engine(graph, prog);

    gruKeepsHalf(device, false);
    gruKeepsHalf(device, true);
    auGruKeepsLess(device);

    params.cellOrder.pop_back();
    EXPECT_THROWS(poputil::poplibs_error, popnn::lstm::createWeights(graph, params, "w"));
    params.cellOrder = popnn::lstm::getDefaultBasicLstmCellOrder();
    EXPECT_THROWS(poputil::poplibs_error, popnn::lstm::lstmFwd(graph, params, prog, start, w, y, nullptr));
    EXPECT_THROWS(invalid_option, popnn::lstm::createWeights(graph, params, "w", { { "codeReused", "true" } }));
    params.doInputWeightCalc = false;
    EXPECT_THROWS(poputil::poplibs_error, popnn::lstm::createWeights(graph, params, "w"));
    return failures;
}
