// SPDX-License-Identifier: MIT
/* poplin's headers: products, groups, sums, plans, errors. tests/poplar/libs/poplin has the rules. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <cstring>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/TypeConversion.hpp>
#include <pva/pva.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/FullyConnected.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/MeshGrid.hpp>
#include <poplin/codelets.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

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

/* FP8: values are exact in their products, the result is of the type that is wanted. */
static void quarters(Device &device)
{
    Graph graph(device.getTarget());
    Tensor a = poplin::createMatMulInputLHS(graph, QUARTER, HALF, { 5, 7 }, { 7, 3 }, "a"),
           b = poplin::createMatMulInputRHS(graph, QUARTER, HALF, { 5, 7 }, { 7, 3 }, "b");
    Sequence prog;
    Tensor c = poplin::matMul(graph, a, b, prog, FLOAT);
    Tensor ready = poplin::preArrangeMatMulInputRHS(graph, { 5, 7 }, b, prog, HALF, "ready"),
           readies = poplin::preArrangeMatMulGroupedInputRHS(graph, { 1, 5, 7 }, b.expand({ 0 }), prog, HALF);
    graph.createHostRead("ready", poplin::matMul(graph, a, ready, prog, FLOAT));
    graph.createHostRead("readies", poplin::matMulGrouped(graph, a.expand({ 0 }), readies, prog, FLOAT));
    EXPECT(poplin::matMul(graph, a, b, prog).elementType() == HALF);
    poplin::ConvParams p(QUARTER, FLOAT, 1, { 7 }, { 3 }, 5, 1, 1); /* the same numbers as a field of 5 channels */
    const auto variables = [&] {
        std::size_t n = 0;
        handles::call(graph, "count", [&](tw_graph *g) { n = tw_graph_variable_count(g); });
        return n;
    };
    const std::size_t before = variables();
    Tensor in = poplin::createInput(graph, p, "in"), w = poplin::createWeights(graph, p, "w");
    EXPECT(in.elementType() == QUARTER && in.hasMetadata() && w.elementType() == QUARTER && w.hasMetadata());
    EXPECT(variables() == before + 4); /* both and their metadata: nothing of another type beside them */
    Tensor y = poplin::convolution(graph, in, w, p, false, prog);
    EXPECT((throws<poputil::poplibs_error>([&] { poplin::matMul(graph, a, a, prog); }, "quarter{5,7} times")));
    Tensor half = graph.clone(HALF, in), flat = w.reshape({ 1, 5, 1, 3 });
    EXPECT(poplin::convolution(graph, in, flat, p, true, prog).shape() == y.shape());
    Sequence none;
    const unsigned long vertices = graph.getNumVertices();
    const auto refused = [&](const Tensor &x, const Tensor &k, bool flip, const char *words) {
        return throws<poputil::poplibs_error>([&] { poplin::convolution(graph, x, k, p, flip, none); }, words);
    };
    EXPECT(refused(half, w, false, "the input: quarter{1,5,7}, not half{1,5,7}"));
    EXPECT(refused(in, w.slice(0, 2, 3), false, "the weights: quarter{1,1,5,3}, not 'w' quarter{1,1,5,2}"));
    EXPECT(refused(in, flat, false, "the weights: quarter{1,1,5,3}") && refused(in, w, true, "quarter{1,5,1,3}"));
    EXPECT_THROWS(invalid_option, poplin::convolution(graph, in, w, p, false, none, "y", { { "parts", "1" } }));
    EXPECT(graph.getNumVertices() == vertices && none.isEmpty()); /* no cast is left */
    graph.createHostWrite("a", a), graph.createHostWrite("b", b), graph.createHostRead("c", c);
    graph.createHostWrite("in", in), graph.createHostWrite("w", w), graph.createHostRead("y", y);
    Engine engine(graph, prog);
    std::size_t named = 0; /* bytes of variables that always live: no arrangement of halves is left behind */
    const pva::Report report = engine.getReport(false);
    for (const pva::Var &live : report.compilation().alwaysLiveVariables())
        named += live.name() == "a" || live.name() == "b" ? live.bytes() : 0;
    EXPECT(named <= 35 + 21);
    engine.load(device);
    const QuarterMetadata one(QuarterMetadata::Format::F143, 1), two(QuarterMetadata::Format::F152, -2);
    std::vector<float> x(35), z(21), sums(15), row(5);
    for (int i = 0; i < 35; i++) x[i] = static_cast<float>(i % 9 - 4) * 2;
    for (int i = 0; i < 21; i++) z[i] = static_cast<float>(i % 5 - 2) * 0.25f;
    std::vector<unsigned char> qx(35), qz(21);
    convertToDeviceType(QUARTER, one, x, qx.data()), convertToDeviceType(QUARTER, two, z, qz.data());
    engine.writeTensor("a", one, qx.data(), qx.data() + 35),
        engine.writeTensor("b", two, qz.data(), qz.data() + 21);
    engine.writeTensor("in", one, qx.data(), qx.data() + 35),
        engine.writeTensor("w", two, qz.data(), qz.data() + 15);
    engine.run(0);
    engine.readTensor("c", sums.data(), sums.data() + 15), engine.readTensor("y", row.data(), row.data() + 5);
    for (int i = 0; i < 15; i++) {
        float sum = 0;
        for (int k = 0; k < 7; k++) sum += x[i / 3 * 7 + k] * z[k * 3 + i % 3];
        EXPECT(sums[i] == sum);
    }
    for (const char *name : { "ready", "readies" }) { /* their scale goes with them */
        std::vector<float> again(15);
        engine.readTensor(name, again.data(), again.data() + 15);
        EXPECT(again == sums);
    }
    for (int i = 0; i < 5; i++) {
        float sum = 0;
        for (int k = 0; k < 15; k++) sum += x[k / 3 * 7 + i + k % 3] * z[k];
        EXPECT(row[i] == sum);
    }
}

/* What a result cannot be copied to is refused before anything is built. */
static void outputs(Device &device)
{
    Graph graph(device.getTarget());
    const auto linear = VariableMappingMethod::LINEAR;
    Tensor a = graph.addVariable(FLOAT, { 2, 3 }, linear, "a"), b = graph.addVariable(FLOAT, { 3, 4 }, linear, "b"),
           qa = graph.addVariable(QUARTER, { 2, 3 }, linear, "qa"),
           qb = graph.addVariable(QUARTER, { 3, 4 }, linear, "qb"),
           fixed = graph.addConstant(FLOAT, { 2, 4 }, 1.0f, "fixed"),
           eights = graph.addVariable(QUARTER, { 2, 4 }, linear, "eights"),
           wide = graph.addVariable(FLOAT, { 2, 5 }, linear, "wide"),
           whole = graph.addVariable(INT, { 2, 4 }, linear, "whole"),
           nowhere = graph.addVariable(QUARTER, { 3, 4 }, "nowhere"),
           none = graph.addVariable(UNSIGNED_CHAR, { 3, 4 }, linear, "none").reinterpret(QUARTER),
           square = graph.addVariable(FLOAT, { 2, 2 }, linear, "square");
    graph.setTileMapping(fixed, 0);
    const poplin::ConvParams p(FLOAT, 1, { 4 }, { 2 }, 1, 1, 1), q(QUARTER, 1, { 4 }, { 2 }, 1, 1, 1);
    Tensor x = poplin::createInput(graph, p, "x"), w = poplin::createWeights(graph, p, "w"),
           qx = poplin::createInput(graph, q, "qx"), qw = poplin::createWeights(graph, q, "qw"),
           y = graph.addVariable(QUARTER, { 1, 1, 3 }, linear, "y"),
           z = graph.addConstant(FLOAT, { 1, 1, 3 }, 1.0f, "z"), h = poplin::createConvOutput(graph, q, "h");
    EXPECT(h.elementType() == HALF && !h.hasMetadata());
    EXPECT(poplin::createMatMulOutput(graph, QUARTER, { 2, 3 }, { 3, 4 }).elementType() == HALF);
    Sequence prog;
    const auto variables = [&] {
        std::size_t n = 0;
        handles::call(graph, "count", [&](tw_graph *g) { n = tw_graph_variable_count(g); });
        return n;
    };
    const std::size_t before = variables();
    const auto product = [&](const Tensor &l, const Tensor &r, Tensor to, const char *words,
                             const OptionFlags &options = {}) {
        return throws<poputil::poplibs_error>(
            [&] { poplin::matMulWithOutput(graph, l, r, to, prog, "c", options); }, words);
    };
    EXPECT(
        product(a, b, fixed, "poplin::matMulWithOutput: 'fixed' float{2,4} cannot be written: it has constants"));
    EXPECT(product(a, b, eights, "the output is half{2,4}, not 'eights' quarter{2,4}"));
    EXPECT(product(qa, qb, eights, "the output is half{2,4}, not 'eights' quarter{2,4}"));
    EXPECT(product(qa, qb, fixed, "'fixed' float{2,4} cannot be written"));
    EXPECT(product(a, b, wide, "the output is float{2,4}, not 'wide' float{2,5}") && product(a, b, whole, "int"));
    EXPECT(product(qa, qb, whole, "a product is float or half, not int"));
    EXPECT(product(qa, nowhere, wide.slice(0, 4, 1), "'nowhere' quarter{3,4} has elements that are on no tile"));
    EXPECT(product(qa, none, wide.slice(0, 4, 1), "'none' quarter{3,4} has no metadata"));
    EXPECT(product(qa, b, wide.slice(0, 4, 1), "'qa' quarter{2,3} times 'b' float{3,4}"));
    EXPECT_THROWS(invalid_option, poplin::matMul(graph, qa, qb, prog, HALF, "c", { { "partials", "half" } }));
    const auto convolved = [&](const Tensor &in, const Tensor &by, const poplin::ConvParams &of, const Tensor &to,
                               const char *words) {
        return throws<poputil::poplibs_error>(
            [&] { poplin::convolutionWithOutput(graph, in, by, to, of, false, prog); }, words);
    };
    EXPECT(convolved(x, w, p, z, "'z' float{1,1,3} cannot be written: it has constants"));
    EXPECT(convolved(x, w, p, y, "the output is float{1,1,3}, not 'y' quarter{1,1,3}"));
    EXPECT(convolved(qx, qw, q, y, "the output is half{1,1,3}, not 'y' quarter{1,1,3}"));
    EXPECT(
        convolved(qx, none.flatten().slice(0, 2).reshape({ 1, 1, 1, 2 }), q, h, "'none' quarter{1,1,1,2} has no"));
    EXPECT((throws<poputil::poplibs_error>(
        [&] {
            Tensor q2 = fixed.slice(0, 2, 1);
            poplin::experimental::QRFactorization(graph, square, q2, prog);
        },
        "'fixed' float{2,2} cannot be written")));
    EXPECT(variables() == before && graph.getNumVertices() == 0 && prog.isEmpty());
    poplin::convolutionWithOutput(graph, qx, qw, h, q, false, prog);
    EXPECT(!prog.isEmpty());
}

int main()
{
    IPUModel m;
    m.tilesPerIPU = 16;
    Device device = m.createDevice();
    Graph graph(device.getTarget());
    popops::addCodelets(graph), poplin::addCodelets(graph);
    Tensor a = poplin::createMatMulInputLHS(graph, FLOAT, { 10, 40 }, { 40, 20 }, "a"),
           b = poplin::createMatMulInputRHS(graph, FLOAT, FLOAT, { 10, 40 }, { 40, 20 }, "b"),
           v = graph.addVariable(FLOAT, { 40 }, "v");
    poputil::mapTensorLinearly(graph, v);
    Sequence prog;
    poplin::matmul::PlanningCache cache;
    Tensor c = poplin::matMul(graph, a, b, prog, "c", { { "partialsType", "float" } }, &cache);
    Tensor half = poplin::matMul(graph, a, b, prog, HALF);
    Tensor line = poplin::matMul(graph, a, v.expand({ 1 }), prog);
    poplin::matMulAcc(graph, c, 0.5f, a, b, prog);
    Tensor groups = a.reshape({ 2, 5, 40 });
    Tensor squares = poplin::matMulGrouped(graph, groups, poplin::transposeGroupedMatrix(groups), prog, FLOAT);
    EXPECT(squares.shape() == (std::vector<std::size_t>{ 2, 5, 5 }) && half.elementType() == HALF);
    Tensor ready = poplin::preArrangeMatMulInputRHS(graph, { 10, 40 }, b, prog, FLOAT, "ready");
    Tensor same = poplin::matMul(graph, a, ready, prog, "same");
    Tensor readies = poplin::preArrangeMatMulGroupedInputRHS(graph, { 2, 5, 40 },
                                                             poplin::transposeGroupedMatrix(groups), prog, FLOAT);
    EXPECT(readies.shape() == (std::vector<std::size_t>{ 2, 40, 5 }));
    Tensor xs = poplin::linspace(graph, FLOAT, 10, -10, 5, "xs"), ys = poplin::linspace(graph, FLOAT, 1, 2, 3);
    std::vector<Tensor> grid = poplin::meshgrid2d(graph, xs, ys);
    EXPECT(grid.size() == 2 && grid[0].shape() == (std::vector<std::size_t>{ 3, 5 }));
    Tensor points = popops::add(graph, grid[0], grid[1], prog);
    graph.createHostRead("same", same), graph.createHostRead("points", points);
    graph.createHostWrite("a", a), graph.createHostWrite("b", b), graph.createHostWrite("v", v);
    graph.createHostRead("c", c), graph.createHostRead("line", line), graph.createHostRead("squares", squares);
    Engine engine(graph, prog);
    engine.load(device);
    float x[10][40], y[40][20], w[40], z[10][20], l[10], s[2][5][5];
    for (int i = 0; i < 400; i++) x[i / 40][i % 40] = static_cast<float>(i * 7 % 23 - 11);
    for (int i = 0; i < 800; i++) y[i / 20][i % 20] = static_cast<float>(i * 5 % 17 - 8);
    for (int i = 0; i < 40; i++) w[i] = static_cast<float>(i % 3);
    engine.writeTensor("a", &x[0][0], &x[0][0] + 400), engine.writeTensor("b", &y[0][0], &y[0][0] + 800);
    engine.writeTensor("v", w, w + 40);
    engine.run(0);
    engine.readTensor("c", &z[0][0], &z[0][0] + 200), engine.readTensor("line", l, l + 10);
    engine.readTensor("squares", &s[0][0][0], &s[0][0][0] + 50);
    float again[10][20], sums[3][5];
    engine.readTensor("same", &again[0][0], &again[0][0] + 200);
    engine.readTensor("points", &sums[0][0], &sums[0][0] + 15);
    for (int i = 0; i < 15; i++) EXPECT(sums[i / 5][i % 5] == 10 - 5.0f * (i % 5) + 1 + 0.5f * (i / 5));
    for (int i = 0; i < 200; i++) EXPECT(z[i / 20][i % 20] == 1.5f * again[i / 20][i % 20]);
    for (int i = 0; i < 10; i++) { /* whole numbers: exact */
        float sum = 0;
        for (int k = 0; k < 40; k++) sum += x[i][k] * w[k];
        EXPECT(l[i] == sum);
        for (int j = 0; j < 20; j++) {
            sum = 0;
            for (int k = 0; k < 40; k++) sum += x[i][k] * y[k][j];
            EXPECT(z[i][j] == 1.5f * sum);
        }
        for (int j = 0; j < 5; j++) {
            sum = 0;
            for (int k = 0; k < 40; k++) sum += x[i][k] * x[i / 5 * 5 + j][k];
            EXPECT(s[i / 5][i % 5][j] == sum);
        }
    }
    std::ostringstream plan;
    poplin::matMulReportPlan(plan, graph, FLOAT, FLOAT, { 10, 40 }, { 40, 20 });
    EXPECT(plan.str().find("1 x [10, 40] x [40, 20] of float") != std::string::npos);
    poplin::matMulGroupedReportPlan(plan, graph, FLOAT, FLOAT, { 2, 5, 40 }, { 2, 40, 5 });
    EXPECT(plan.str().find("2 x [5, 40] x [40, 5] of float") != std::string::npos);
    auto passes =
        poplin::fc::getMatMulPrePlanParameters({ 1, 4, 40, 20 }, { { "partialsType", "float" } }, FLOAT, false);
    EXPECT(passes.size() == 3 && passes[2].first.aShape == (std::vector<std::size_t>{ 1, 40, 4 }));
    EXPECT(passes[1].second.at("fullyConnectedPass") == "TRAINING_BWD");
    std::set<poplin::MatMulPlanParams> plans;
    for (const auto &pass : passes) plans.emplace(&graph.getTarget(), pass.first, &pass.second);
    poplin::matmul::PlanningCache planned;
    poplin::preplanMatMuls(plans, planned);
    EXPECT(planned.size() == 3);
    EXPECT(poplin::fc::getMatMulPrePlanParameters({ 1, 4, 40, 20 }, {}, FLOAT, true).size() == 1);
    using poputil::poplibs_error;
    EXPECT((throws<poplibs_error>(
        [&] { poplin::matMulGroupedReportPlan(plan, graph, FLOAT, FLOAT, { 5, 4 }, { 4, 5 }); },
        "rank 2; it is 3")));
    EXPECT((throws<poplibs_error>([&] { poplin::linspace(graph, INT, 0, 1, 2); }, "type int")));
    EXPECT((throws<poplibs_error>([&] { poplin::meshgrid2d(graph, a, xs); }, "rank 2 and 1")));
    EXPECT((throws<poplibs_error>([&] { poplin::matMul(graph, a, a, prog); },
                                  "poplin::matMul: [10, 40] times [10, 40]")));
    EXPECT((throws<poplibs_error>([&] { poplin::matMul(graph, groups, groups, prog); }, "rank 3; it is 2")));
    EXPECT((throws<invalid_option>([&] { poplin::matMul(graph, a, b, prog, "c", { { "partials", "half" } }); },
                                   "no option 'partials'")));
    quarters(device);
    outputs(device);
    return failures;
}
