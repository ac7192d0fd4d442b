// SPDX-License-Identifier: MIT
/* Solvers by the vendor's names: a system with a symmetric matrix through Cholesky's factor and two triangular ones;
 * a matrix as an orthogonal times a triangular one.
 * Values in full are libs.test_libs_solve. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Cholesky.hpp>
#include <poplin/TriangularSolve.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

static void qr(Device &device)
{
    const std::size_t m = 6, n = 4;
    Graph graph(device.getTarget());
    Sequence prog;
    auto made = poplin::experimental::createQRFactorizationMatrices(graph, FLOAT, m, n, "qr");
    Tensor a = made[0], q = made[1];
    EXPECT(a.shape() == (std::vector<std::size_t>{ m, n }) && q.shape() == (std::vector<std::size_t>{ m, m }));
    poplin::experimental::QRFactorization(graph, a, q, prog, "qr", { { "rowsPerIteration", "16" } });
    EXPECT_THROWS(poputil::poplibs_error, poplin::experimental::QRFactorization(graph, q, a, prog));
    EXPECT_THROWS(invalid_option,
                  poplin::experimental::QRFactorization(graph, a, q, prog, "qr", { { "rows", "16" } }));
    EXPECT_THROWS(poputil::poplibs_error,
                  poplin::experimental::createQRFactorizationMatrices(graph, FLOAT, n, m, "qr"));
    graph.createHostWrite("a", a);
    graph.createHostRead("r", a);
    graph.createHostRead("q", q);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<float> va(m * n), vr(m * n), vq(m * m);
    for (std::size_t i = 0; i < m * n; i++)
        va[i] = static_cast<float>(std::sin(1.0 + 3.7 * static_cast<double>(i)));
    engine.writeTensor("a", va.data(), va.data() + va.size());
    engine.run();
    engine.readTensor("r", vr.data(), vr.data() + vr.size());
    engine.readTensor("q", vq.data(), vq.data() + vq.size());
    for (std::size_t i = 0; i < m; i++) {
        for (std::size_t j = 0; j < n; j++) {
            double sum = 0;
            for (std::size_t k = 0; k < m; k++) sum += static_cast<double>(vq[i * m + k]) * vr[k * n + j];
            EXPECT(std::fabs(sum - va[i * n + j]) < 1e-5 && (i <= j || vr[i * n + j] == 0));
        }
        for (std::size_t j = 0; j < m; j++) {
            double dot = 0;
            for (std::size_t k = 0; k < m; k++) dot += static_cast<double>(vq[i * m + k]) * vq[j * m + k];
            EXPECT(std::fabs(dot - (i == j ? 1 : 0)) < 1e-5);
        }
    }
}

int main()
{
    const std::size_t n = 10;
    IPUModel m;
    m.tilesPerIPU = 4;
    Device device = m.createDevice();
    Graph graph(device.getTarget());
    Sequence prog;
    Tensor a = poplin::createCholeskyInput(graph, FLOAT, { n, n }, true, "a", { { "blockSize", "4" } });
    Tensor b = poplin::createTriangularSolveInputRHS(graph, FLOAT, FLOAT, { n, n }, { n, 1 }, true, "b");
    EXPECT(poplin::createTriangularSolveInputLHS(graph, FLOAT, FLOAT, { n, n }, { n, 1 }, true, "c").dim(1) == n);
    Tensor l = poplin::cholesky(graph, a, true, prog, "l", { { "blockSize", "4" } });
    Tensor y = poplin::triangularSolve(graph, l, b, true, true, false, prog, "y");
    Tensor x = poplin::triangularSolve(graph, l.transpose(), y, true, false, false, prog, "x");
    Tensor mask = poplin::triangularMask(graph, l, false, true, prog, "mask");
    poplin::choleskyInPlace(graph, a, false, prog, "u");
    graph.createHostWrite("a", a);
    graph.createHostWrite("b", b);
    graph.createHostRead("x", x);
    graph.createHostRead("mask", mask);
    graph.createHostRead("u", a);
    graph.createHostRead("l", l.transpose());
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<float> va(n * n), vb(n), vx(n), vm(n * n), vu(n * n), vl(n * n);
    for (std::size_t i = 0; i < n * n; i++)
        va[i] = i / n == i % n ? 4.0f : 1.0f / static_cast<float>(1 + i / n + i % n);
    for (std::size_t i = 0; i < n; i++) vb[i] = static_cast<float>(i) - 3;
    engine.writeTensor("a", va.data(), va.data() + n * n);
    engine.writeTensor("b", vb.data(), vb.data() + n);
    engine.run();
    engine.readTensor("x", vx.data(), vx.data() + n);
    engine.readTensor("mask", vm.data(), vm.data() + n * n);
    engine.readTensor("u", vu.data(), vu.data() + n * n);
    engine.readTensor("l", vl.data(), vl.data() + n * n);
    for (std::size_t i = 0; i < n; i++) {
        double sum = 0;
        for (std::size_t k = 0; k < n; k++) sum += static_cast<double>(va[i * n + k]) * vx[k];
        EXPECT(std::fabs(sum - vb[i]) < 1e-5);
        for (std::size_t k = 0; k < n; k++) EXPECT(vm[i * n + k] == (i == k ? 1 : 0));
    }
    for (std::size_t i = 0; i < n * n; i++) EXPECT(std::fabs(vu[i] - vl[i]) < 1e-6);
    EXPECT_THROWS(poputil::poplibs_error, poplin::cholesky(graph, b, true, prog));
    EXPECT_THROWS(invalid_option, poplin::cholesky(graph, a, true, prog, "l", { { "blockSize", "none" } }));
    /* Blocks at 0, 4 and 8 of 10: two products below each but the last; once each. */
    EXPECT(poplin::getCholeskyMatMulPrePlanParameters(FLOAT, { n, n }, true, { { "blockSize", "4" } }).size() == 3);
    EXPECT(poplin::getCholeskyMatMulPrePlanParameters(FLOAT, { n, n }, true, {}).empty());
    for (const char *block : { "4x", "4.5", " 4", "-1", "0", "", "99999999999999999999" })
        EXPECT_THROWS(invalid_option, poplin::getCholeskyMatMulPrePlanParameters(FLOAT, { n, n }, true,
                                                                                 { { "blockSize", block } }));
    EXPECT_THROWS(invalid_option, poplin::getTriangularSolveMatMulPrePlanParameters(
                                      FLOAT, FLOAT, { n, n }, { n, 1 }, true, true, { { "nonsense", "1" } }));
    auto products = poplin::getTriangularSolveMatMulPrePlanParameters(FLOAT, FLOAT, { 3, n, n }, { 3, n, 1 }, true,
                                                                      true, { { "blockSize", "4" } });
    EXPECT(products.size() == 2 && products[1].first.aShape == (std::vector<std::size_t>{ 3, 2, 8 }));
    EXPECT(products[1].first.bShape == (std::vector<std::size_t>{ 3, 8, 1 }));
    EXPECT_THROWS(poputil::poplibs_error, poplin::getCholeskyMatMulPrePlanParameters(FLOAT, { n }, true, {}));
    qr(device);
    return failures;
}
