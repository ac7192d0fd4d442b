// SPDX-License-Identifier: MIT
/* Solvers by the vendor's names: a system with a symmetric matrix through Cholesky's factor and two triangular ones.
 * Values in full are libs.test_libs_solve. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Cholesky.hpp>
#include <poplin/TriangularSolve.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

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
    return failures;
}
