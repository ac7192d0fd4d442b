// SPDX-License-Identifier: MIT
/* poplin's headers: products, groups, sums, plans, errors. tests/poplar/libs/poplin has the rules. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <cstring>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
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
    using poputil::poplibs_error;
    EXPECT((throws<poplibs_error>([&] { poplin::matMul(graph, a, a, prog); },
                                  "poplin::matMul: [10, 40] times [10, 40]")));
    EXPECT((throws<poplibs_error>([&] { poplin::matMul(graph, groups, groups, prog); }, "rank 3; it is 2")));
    EXPECT((throws<invalid_option>([&] { poplin::matMul(graph, a, b, prog, "c", { { "partials", "half" } }); },
                                   "no option 'partials'")));
    return failures;
}
