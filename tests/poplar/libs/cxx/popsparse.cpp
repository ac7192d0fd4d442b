// SPDX-License-Identifier: MIT
/* popsparse by the vendor's names: layers and products with sparse matrices against dense loops, formats of the host,
 * rows, matrices of blocks, and what is refused. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <cstring>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popsparse/Embedding.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/SparsePartitioner.hpp>
#include <popsparse/codelets.hpp>
#include <popsparse/experimental/BlockSparseMatMul.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace popsparse;
using namespace popsparse::dynamic;

static float number(std::size_t i)
{
    return static_cast<float>(i * 37 % 101) / 50 - 1;
}
static std::vector<float> numbers(std::size_t n, std::size_t from)
{
    std::vector<float> out(n);
    for (std::size_t i = 0; i < n; i++) out[i] = number(i + from);
    return out;
}
static bool same(const std::vector<float> &a, const std::vector<float> &b)
{
    bool all = a.size() == b.size();
    for (std::size_t i = 0; all && i < a.size(); i++) all = std::fabs(a[i] - b[i]) <= 1e-5f;
    return all;
}

/* c[m][n] += a[m][k] b[k][n] by strides: rows and columns of each. */
struct View {
    const std::vector<float> &data;
    std::size_t row, column;
};
static void multiply(std::vector<float> &c, std::size_t m, std::size_t n, std::size_t k, View a, View b)
{
    c.assign(m * n, 0);
    for (std::size_t i = 0; i < m; i++)
        for (std::size_t j = 0; j < n; j++)
            for (std::size_t l = 0; l < k; l++)
                c[i * n + j] += a.data[i * a.row + l * a.column] * b.data[l * b.row + j * b.column];
}

/* A matrix of blocks [height][width], every third of which is there, as it is stored and dense. */
struct Sparse {
    CSRMatrix<float> csr;
    std::vector<float> dense;
    Sparse(std::size_t rows, std::size_t columns, std::size_t height, std::size_t width)
        : csr(std::array<std::size_t, 2>{ { height, width } }), dense(rows * columns)
    {
        csr.rowIndices.push_back(0);
        for (std::size_t i = 0; i < rows; i += height) {
            for (std::size_t j = 0; j < columns; j += width) {
                if ((i / height * 5 + j / width) % 3) continue;
                csr.columnIndices.push_back(j);
                for (std::size_t k = 0; k < height * width; k++) {
                    const float v = number(csr.nzValues.size() + 11);
                    csr.nzValues.push_back(v);
                    dense[(i + k / width) * columns + j + k % width] = v;
                }
            }
            csr.rowIndices.push_back(csr.nzValues.size());
        }
    }
};

static std::vector<std::uint16_t> words(const std::vector<std::size_t> &meta)
{
    return std::vector<std::uint16_t>(meta.begin(), meta.end());
}
static void write(Engine &engine, const char *name, const std::vector<float> &v)
{
    engine.writeTensor(name, v.data(), v.data() + v.size());
}
static std::vector<float> read(Engine &engine, const char *name, std::size_t n)
{
    std::vector<float> v(n);
    engine.readTensor(name, v.data(), v.data() + n);
    return v;
}

static void layer(Device &device)
{
    enum { B = 5, IN = 12, OUT = 18, LOOKUPS = 3 };
    Graph graph(device.getTarget());
    addCodelets(graph);
    const Sparse w(OUT, IN, 3, 2);
    const SparsityParams blocks(SparsityType::Element, SparsityStructure::Unstructured, { { 3, 2 } });
    EXPECT(blocks.type == SparsityType::Block && blocks == blocks &&
           SparsityParams().type == SparsityType::Element);
    const auto params =
        FullyConnectedParams::createWithNumNonZeroValues(blocks, w.csr.nzValues.size(), B, 1, IN, OUT);
    EXPECT(params.getNumNonZeroValues() == w.csr.nzValues.size() && params.getInputChannels() == IN);
    PlanningCache cache;
    Sequence prog;
    SparseTensor weights = createFullyConnectedWeights(graph, FLOAT, params, "w", {}, &cache);
    Tensor x = createFullyConnectedInput(graph, FLOAT, params, "x", {}, &cache);
    Tensor dy = graph.addVariable(FLOAT, { B, OUT }, "dy"), scale = graph.addConstant(FLOAT, {}, 2.0f);
    poputil::mapTensorLinearly(graph, dy);
    graph.setTileMapping(scale, 0);
    EXPECT((x.shape() == std::vector<std::size_t>{ B, IN }) && cache.size() == 1);
    Tensor y = fullyConnectedFwd(graph, weights, x, params, prog, "y", {}, &cache);
    Tensor dx = fullyConnectedGradA(graph, weights, dy, params, prog, "dx", {}, &cache);
    Tensor dw =
        fullyConnectedSparseGradW(graph, weights.getMetaInfoTensor(), dy, x, params, prog, "dw", {}, &cache);
    EXPECT((y.shape() == std::vector<std::size_t>{ B, OUT }) && cache.size() == 1);
    EXPECT(dw.shape() == weights.getNzValuesTensor().shape());
    Tensor indices = createIndicesTensor(graph, params, LOOKUPS),
           slices = createSliceTensor(graph, FLOAT, params, LOOKUPS);
    Tensor rows = embeddingSlice(graph, weights, indices, prog, params, "rows");
    embeddingUpdateAdd(graph, weights, slices, indices, scale, prog, params, "update");
    graph.createHostWrite("meta", weights.getMetaInfoTensor());
    graph.createHostWrite("values", weights.getNzValuesTensor());
    graph.createHostRead("updated", weights.getNzValuesTensor());
    graph.createHostWrite("x", x);
    graph.createHostWrite("dy", dy);
    graph.createHostWrite("indices", indices);
    graph.createHostWrite("slices", slices);
    graph.createHostRead("y", y);
    graph.createHostRead("dx", dx);
    graph.createHostRead("dw", dw);
    graph.createHostRead("rows", rows);

    Partitioner<float> host(params, FLOAT, graph.getTarget(), {}, &cache, "layer");
    EXPECT(cache.size() == 1 && host.getmetaInfoBucketElements() > 0 && host.getPlanPartitions()[0].at(0) == 0);
    SparsityDataImpl<float> data = host.createSparsityDataImpl(w.csr);
    const std::vector<std::uint16_t> meta = words(data.metaInfo);
    const std::vector<unsigned> at = { 17, 4, 17 };
    const std::vector<float> vx = numbers(B * IN, 3), vdy = numbers(B * OUT, 5), vs = numbers(LOOKUPS * IN, 7);
    Engine engine(graph, prog);
    engine.load(device);
    engine.writeTensor("meta", meta.data(), meta.data() + meta.size());
    engine.writeTensor("indices", at.data(), at.data() + at.size());
    write(engine, "values", data.nzValues), write(engine, "x", vx), write(engine, "dy", vdy),
        write(engine, "slices", vs);
    engine.run();
    std::vector<float> want, outer;
    multiply(want, B, OUT, IN, { vx, IN, 1 }, { w.dense, 1, IN });
    EXPECT(same(read(engine, "y", B * OUT), want));
    multiply(want, B, IN, OUT, { vdy, OUT, 1 }, { w.dense, IN, 1 });
    EXPECT(same(read(engine, "dx", B * IN), want));
    multiply(outer, OUT, IN, B, { vdy, 1, OUT }, { vx, IN, 1 });
    data.nzValues = read(engine, "dw", data.nzValues.size());
    COOMatrix<float> slope = host.sparsityDataImplToCOOMatrix(data);
    EXPECT(slope.nzValues.size() == w.csr.nzValues.size() && slope.numRows == OUT);
    for (std::size_t i = 0; i < slope.nzValues.size(); i++) {
        const std::size_t r = slope.rowIndices[i / 6] + i % 6 / 2, c = slope.columnIndices[i / 6] + i % 2;
        EXPECT(std::fabs(slope.nzValues[i] - outer[r * IN + c]) < 1e-5f);
    }
    std::vector<float> taken;
    for (unsigned r : at) taken.insert(taken.end(), w.dense.begin() + r * IN, w.dense.begin() + (r + 1) * IN);
    EXPECT(read(engine, "rows", LOOKUPS * IN) == taken);
    data.nzValues = read(engine, "updated", data.nzValues.size());
    const CSRMatrix<float> updated = host.sparsityDataImplToCSRMatrix(data);
    EXPECT(updated.columnIndices == w.csr.columnIndices && updated.rowIndices == w.csr.rowIndices);
    for (std::size_t i = 0; i < slope.nzValues.size(); i++) {
        const std::size_t r = slope.rowIndices[i / 6] + i % 6 / 2, c = slope.columnIndices[i / 6] + i % 2;
        float value = w.csr.nzValues[i];
        for (std::size_t k = 0; k < LOOKUPS; k++) value += at[k] == r ? 2 * vs[k * IN + c] : 0;
        EXPECT(std::fabs(updated.nzValues[i] - value) < 1e-5f);
    }
}

static void products(Device &device)
{
    enum { G = 2, M = 10, K = 8, N = 3 };
    Graph graph(device.getTarget());
    Sequence prog;
    const Sparse a(G * M, K, 1, 1);
    const auto params = MatMulParams::createWithNzRatio({}, 0.5, G, M, K, N);
    SparseTensor lhs = createSparseDenseMatMulLHS(graph, FLOAT, params, "lhs");
    Tensor rhs = createSparseDenseMatMulRHS(graph, FLOAT, params, "rhs");
    EXPECT((rhs.shape() == std::vector<std::size_t>{ G, K, N }));
    Tensor y = sparseDenseMatMul(graph, lhs, rhs, prog);
    Tensor again = sparseDenseMatMul(graph, lhs, rhs.dimShuffle({ 0, 2, 1 }), prog, false, true);
    Tensor back = sparseDenseMatMul(graph, lhs, y, prog, true, false, "back");
    EXPECT((back.shape() == std::vector<std::size_t>{ G, K, N }));
    EXPECT_THROWS(
        poputil::poplibs_error,
        sparseDenseMatMul(graph, SparseTensor(lhs.getMetaInfoTensor(), lhs.getNzValuesTensor()), rhs, prog));
    EXPECT_THROWS(poputil::poplibs_error, sparseDenseMatMul(graph, lhs, rhs[0], prog));
    EXPECT_THROWS(poputil::poplibs_error, sparseDenseMatMul(graph, lhs, rhs, prog, true));
    graph.createHostWrite("meta", lhs.getMetaInfoTensor());
    graph.createHostWrite("values", lhs.getNzValuesTensor());
    graph.createHostWrite("rhs", rhs);
    graph.createHostRead("y", y);
    graph.createHostRead("again", again);
    graph.createHostRead("back", back);
    Partitioner<float> host(params, FLOAT, graph.getTarget(), {});
    const SparsityDataImpl<float> data = host.createSparsityDataImpl(a.csr);
    const std::vector<std::uint16_t> meta = words(data.metaInfo);
    const std::vector<float> v = numbers(G * K * N, 2);
    Engine engine(graph, prog);
    engine.load(device);
    engine.writeTensor("meta", meta.data(), meta.data() + meta.size());
    write(engine, "values", data.nzValues), write(engine, "rhs", v);
    engine.run();
    const std::vector<float> seen = read(engine, "y", G * M * N), round = read(engine, "back", G * K * N);
    EXPECT(read(engine, "again", G * M * N) == seen);
    for (std::size_t g = 0; g < G; g++) {
        const std::vector<float> own(a.dense.begin() + static_cast<long>(g * M * K),
                                     a.dense.begin() + static_cast<long>((g + 1) * M * K));
        const std::vector<float> in(v.begin() + static_cast<long>(g * K * N),
                                    v.begin() + static_cast<long>((g + 1) * K * N));
        std::vector<float> forward, want;
        multiply(forward, M, N, K, { own, K, 1 }, { in, N, 1 });
        multiply(want, K, N, M, { own, 1, K }, { forward, N, 1 });
        EXPECT(
            same({ seen.begin() + static_cast<long>(g * M * N), seen.begin() + static_cast<long>((g + 1) * M * N) },
                 forward));
        EXPECT(same(
            { round.begin() + static_cast<long>(g * K * N), round.begin() + static_cast<long>((g + 1) * K * N) },
            want));
    }
}

/* All three formats hold the same matrix, and give it back. */
static void formats(Device &device)
{
    enum { IN = 12, OUT = 18 };
    const Sparse w(OUT, IN, 3, 2);
    const auto params = FullyConnectedParams::createWithNzRatio(
        { SparsityType::Block, SparsityStructure::Unstructured, { { 3, 2 } } }, 0.4, 4, 1, IN, OUT);
    std::ostringstream text;
    text << params;
    EXPECT(text.str().find("Block") != std::string::npos && params.getNzRatio() == 0.4);
    Partitioner<float> host(params, FLOAT, device.getTarget(), {});
    const SparsityDataImpl<float> data = host.createSparsityDataImpl(w.csr);
    const CSCMatrix<float> csc = host.sparsityDataImplToCSCMatrix(data);
    const COOMatrix<float> coo = host.sparsityDataImplToCOOMatrix(data);
    EXPECT(csc.columnIndices.size() == IN / 2 + 1 && csc.columnIndices.back() == w.csr.nzValues.size());
    EXPECT(coo.nzValues == w.csr.nzValues && coo.columnIndices == w.csr.columnIndices);
    EXPECT(host.createSparsityDataImpl(csc).nzValues == data.nzValues);
    EXPECT(host.createSparsityDataImpl(coo).metaInfo == data.metaInfo);
    EXPECT(host.sparsityDataImplToCSRMatrix(host.createSparsityDataImpl(csc)).nzValues == w.csr.nzValues);
    CSRMatrix<float> wrong = w.csr;
    wrong.rowIndices[1]++;
    EXPECT_THROWS(poputil::poplibs_error, host.createSparsityDataImpl(wrong));
    wrong = w.csr, wrong.columnIndices[0] = IN;
    EXPECT_THROWS(poputil::poplibs_error, host.createSparsityDataImpl(wrong));
    wrong = w.csr, wrong.rowIndices.pop_back();
    EXPECT_THROWS(poputil::poplibs_error, host.createSparsityDataImpl(wrong));
    EXPECT_THROWS(poputil::poplibs_error, host.createSparsityDataImpl(CSRMatrix<float>()));
    const auto few =
        FullyConnectedParams::createWithNumNonZeroValues(params.getSparsityParams(), 12, 4, 1, IN, OUT);
    Partitioner<float> small(few, FLOAT, device.getTarget(), { { "metaInfoBucketOversizeProportion", "0" } });
    EXPECT_THROWS(poputil::poplibs_error, small.createSparsityDataImpl(w.csr));
    EXPECT_THROWS(poputil::poplibs_error, FullyConnectedParams::createWithNzRatio({}, 1.5, 4, 1, IN, OUT));
    EXPECT_THROWS(poputil::poplibs_error, FullyConnectedParams::createWithNzRatio({}, 0.5, 4, 0, IN, OUT));
    EXPECT_THROWS(poputil::poplibs_error,
                  FullyConnectedParams::createWithNzRatio(
                      SparsityParams(SparsityType::Block, SparsityStructure::Unstructured, { { 0, 4 } }), 0.5, 4, 1,
                      IN, OUT));
    EXPECT_THROWS(poputil::poplibs_error, FullyConnectedParams::createWithNzRatio({}, 0.5, 4, 5, IN, OUT));
    EXPECT_THROWS(invalid_option,
                  Partitioner<float>(few, FLOAT, device.getTarget(), { { "partialType", "half" } }));
    Graph graph(device.getTarget());
    try {
        fullyConnectedDenseGradWSerialSplits(graph, FLOAT, params);
        EXPECT(false);
    } catch (const poputil::poplibs_error &e) {
        EXPECT(std::strstr(e.what(), "./dev poplibs") != nullptr);
    }
}

static void blocks(Device &device)
{
    using namespace popsparse::experimental;
    enum { M = 4, K = 6, N = 8 };
    Graph graph(device.getTarget());
    Sequence prog;
    const std::vector<unsigned char> mask = { 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1 }; /* 3 x 4 blocks of 2 x 2 */
    const std::array<int, 3> dim = { { M, K, N } }, back = { { M, N, K } }, size = { { 2, 2, 2 } };
    BSMatMulParams forward(dim, size, mask, false, FLOAT, FLOAT, FLOAT),
        transposed(back, size, mask, true, FLOAT, FLOAT, FLOAT);
    const std::vector<unsigned char> some = { 1, 0, 0, 1, 0, 1, 1, 0 }; /* of [4][8] */
    BSMatMulParams result(dim, size, some, FLOAT, FLOAT, FLOAT, SubBlockMask::ZeroUpperTriangle);
    Tensor x = createBSMatMulInputLHS(graph, forward, "x"), w = createBSMatMulInputRHS(graph, forward, "w");
    Tensor dense = createBSMatMulInputRHS(graph, result, "dense");
    EXPECT((w.shape() == std::vector<std::size_t>{ 7, 4 }) && (dense.shape() == std::vector<std::size_t>{ K, N }));
    Tensor y = bsMatMul(graph, forward, prog, x, w), dx = bsMatMul(graph, transposed, prog, y, w, {}, "dx");
    Tensor part = bsMatMul(graph, result, prog, x, dense, { { "numberOfPass", "2" } });
    Tensor soft = bsSoftmax(graph, w, { { K, N } }, { { 2, 2 } }, mask, SubBlockMask::None, 1, prog);
    Tensor slope = bsSoftmaxGrad(graph, soft, w, { { K, N } }, { { 2, 2 } }, mask, prog);
    EXPECT((dx.shape() == std::vector<std::size_t>{ M, K }) && (part.shape() == std::vector<std::size_t>{ 4, 4 }));
    EXPECT(slope.shape() == w.shape());
    EXPECT_THROWS(poputil::poplibs_error, bsMatMul(graph, forward, prog, y, w));
    EXPECT_THROWS(poputil::poplibs_error, BSMatMulParams(dim, size, some, false, FLOAT, FLOAT, FLOAT));
    EXPECT_THROWS(poputil::poplibs_error,
                  bsSoftmax(graph, w, { { K, N } }, { { 2, 2 } }, some, SubBlockMask::None, 1, prog));
    EXPECT_THROWS(invalid_option, bsMatMul(graph, forward, prog, x, w, { { "numberOfPasses", "2" } }));
    graph.createHostWrite("x", x);
    graph.createHostWrite("w", w);
    graph.createHostWrite("dense", dense);
    graph.createHostRead("y", y);
    graph.createHostRead("dx", dx);
    graph.createHostRead("part", part);
    graph.createHostRead("soft", soft);
    Engine engine(graph, prog);
    engine.load(device);
    const std::vector<float> vx = numbers(M * K, 1), vw = numbers(7 * 4, 9), vd = numbers(K * N, 4);
    write(engine, "x", vx), write(engine, "w", vw), write(engine, "dense", vd);
    engine.run();
    std::vector<float> whole(K * N), want, round, product;
    for (std::size_t b = 0, n = 0; b < mask.size(); b++)
        for (std::size_t k = 0; mask[b] && k < 4; k++, n++)
            whole[(b / 4 * 2 + k / 2) * N + b % 4 * 2 + k % 2] = vw[n];
    multiply(want, M, N, K, { vx, K, 1 }, { whole, N, 1 });
    multiply(round, M, K, N, { want, N, 1 }, { whole, 1, N });
    multiply(product, M, N, K, { vx, K, 1 }, { vd, N, 1 });
    EXPECT(same(read(engine, "y", M * N), want) && same(read(engine, "dx", M * K), round));
    std::vector<float> taken;
    for (std::size_t b = 0; b < some.size(); b++)
        for (std::size_t k = 0; some[b] && k < 4; k++) {
            const std::size_t r = b / 4 * 2 + k / 2, c = b % 4 * 2 + k % 2;
            taken.push_back(c > r ? 0 : product[r * N + c]);
        }
    EXPECT(same(read(engine, "part", 16), taken));
    const std::vector<float> p = read(engine, "soft", 28);
    EXPECT(std::fabs(p[0] + p[1] + p[4] + p[5] - 1) < 1e-6f && std::fabs(p[8] + p[9] + p[12] + p[13] - 1) < 1e-6f);
}

/* A matrix that the graph knows, in both orders of the operands. */
static void known(Device &device)
{
    namespace fixed = popsparse::static_;
    enum { G = 2, M = 6, K = 8, N = 5 };
    Graph graph(device.getTarget());
    Sequence prog;
    const Sparse a(G * M, K, 3, 2), b(K, M, 2, 3);
    const auto first = fixed::MatMulParams::createForSparseDense(G, M, K, N),
               last = fixed::MatMulParams::createForDenseSparse(1, N, K, M);
    EXPECT(!first.isTransposed() && last.isTransposed() && last.getM() == M && last.getN() == N && first != last);
    fixed::PlanningCache cache;
    const fixed::SparseTensor lhs =
                                  fixed::createSparseDenseMatMulLHS(graph, FLOAT, first, a.csr, "lhs", {}, &cache),
                              rhs = fixed::createDenseSparseMatMulRHS(graph, FLOAT, last, b.csr, "rhs");
    Tensor x = fixed::createSparseDenseMatMulRHS(graph, FLOAT, first, a.csr, "x"),
           u = fixed::createDenseSparseMatMulLHS(graph, FLOAT, last, b.csr, "u");
    Tensor y = fixed::sparseDenseMatMul(graph, lhs, x, prog, false, false, "y", { { "numBands", "2" } });
    Tensor back = fixed::sparseDenseMatMul(graph, lhs, y.dimShuffle({ 0, 2, 1 }), prog, true, true);
    Tensor v = fixed::denseSparseMatMul(graph, u, rhs, prog, false, false, "v");
    EXPECT((y.shape() == std::vector<std::size_t>{ G, M, N }) &&
           (v.shape() == std::vector<std::size_t>{ 1, N, M }));
    EXPECT((x.shape() == std::vector<std::size_t>{ G, K, N }) &&
           (u.shape() == std::vector<std::size_t>{ 1, N, K }));
    EXPECT_THROWS(poputil::poplibs_error, fixed::sparseDenseMatMul(graph, rhs, x, prog));
    EXPECT_THROWS(poputil::poplibs_error, fixed::sparseDenseMatMul(graph, lhs, x[0], prog));
    EXPECT_THROWS(poputil::poplibs_error, fixed::sparseDenseMatMul(graph, lhs, y, prog));
    EXPECT_THROWS(poputil::poplibs_error,
                  fixed::sparseDenseMatMul(graph, fixed::SparseTensor(lhs.getNzValuesTensor()), x, prog));
    EXPECT_THROWS(invalid_option,
                  fixed::sparseDenseMatMul(graph, lhs, x, prog, false, false, "", { { "bands", "2" } }));
    EXPECT_THROWS(poputil::poplibs_error, fixed::createSparseDenseMatMulLHS(graph, FLOAT, last, b.csr));
    EXPECT_THROWS(poputil::poplibs_error, fixed::createSparseDenseMatMulLHS(graph, FLOAT, first, b.csr));
    CSRMatrix<float> twice = a.csr;
    twice.columnIndices[1] = twice.columnIndices[0];
    EXPECT_THROWS(poputil::poplibs_error, fixed::createSparseDenseMatMulLHS(graph, FLOAT, first, twice));

    fixed::Partitioner<float> host(first, FLOAT, graph.getTarget(), {}, &cache, "known");
    EXPECT_THROWS(poputil::poplibs_error, host.sparsityDataImplToCSRMatrix(fixed::SparsityDataImpl<float>({})));
    CSRMatrix<float> unordered = a.csr; /* columns of a line in any order */
    std::swap(unordered.columnIndices[0], unordered.columnIndices[1]);
    std::swap_ranges(unordered.nzValues.begin(), unordered.nzValues.begin() + 6, unordered.nzValues.begin() + 6);
    const fixed::SparsityDataImpl<float> data = host.createSparsityDataImpl(unordered);
    EXPECT(data.nzValues == a.csr.nzValues);
    const CSCMatrix<float> csc = host.sparsityDataImplToCSCMatrix(data);
    EXPECT(csc.columnIndices.size() == K / 2 + 1 && host.createSparsityDataImpl(csc).nzValues == data.nzValues);
    EXPECT(host.sparsityDataImplToCSRMatrix(data).rowIndices == a.csr.rowIndices);
    EXPECT(host.createSparsityDataImpl(host.sparsityDataImplToCOOMatrix(data)).nzValues == data.nzValues);
    EXPECT_THROWS(poputil::poplibs_error, host.createSparsityDataImpl(twice));
    CSRMatrix<float> less = a.csr;
    less.columnIndices[0] += less.columnIndices[1] == less.columnIndices[0] + 2 ? 0 : 2;
    EXPECT(less.columnIndices != a.csr.columnIndices);
    EXPECT_THROWS(poputil::poplibs_error, host.createSparsityDataImpl(less));

    graph.createHostWrite("lhs", lhs.getNzValuesTensor());
    graph.createHostWrite("rhs", rhs.getNzValuesTensor());
    graph.createHostWrite("x", x);
    graph.createHostWrite("u", u);
    graph.createHostRead("y", y);
    graph.createHostRead("back", back);
    graph.createHostRead("v", v);
    Engine engine(graph, prog);
    engine.load(device);
    const std::vector<float> vx = numbers(G * K * N, 1), vu = numbers(N * K, 6);
    write(engine, "lhs", data.nzValues), write(engine, "rhs", b.csr.nzValues);
    write(engine, "x", vx), write(engine, "u", vu);
    engine.run();
    const std::vector<float> sy = read(engine, "y", G * M * N), sb = read(engine, "back", G * K * N);
    std::vector<float> want, round;
    for (long g = 0; g < G; g++) {
        const std::vector<float> own(a.dense.begin() + g * M * K, a.dense.begin() + (g + 1) * M * K);
        const std::vector<float> in(vx.begin() + g * K * N, vx.begin() + (g + 1) * K * N);
        multiply(want, M, N, K, { own, K, 1 }, { in, N, 1 });
        multiply(round, K, N, M, { own, 1, K }, { want, N, 1 });
        EXPECT(same({ sy.begin() + g * M * N, sy.begin() + (g + 1) * M * N }, want));
        EXPECT(same({ sb.begin() + g * K * N, sb.begin() + (g + 1) * K * N }, round));
    }
    multiply(want, N, M, K, { vu, K, 1 }, { b.dense, M, 1 });
    EXPECT(same(read(engine, "v", N * M), want));
}

/* Tensors on a part of two IPUs: a partitioner for all of them has the one plan from the cache, and its own where
 * there are more. */
static void shard()
{
    IPUModel two;
    two.numIPUs = 2, two.tilesPerIPU = 4;
    Device device = two.createDevice();
    const Target &target = device.getTarget();
    Graph graph(target), part = graph.createVirtualGraph(4, 8), six = graph.createVirtualGraph(0, 6);
    CSRMatrix<float> zero;
    zero.rowIndices.assign(19, 0);
    const auto params = MatMulParams::createWithNzRatio({}, 0.3, 1, 18, 12, 40);
    const auto meta = [&](const Target &on, PlanningCache *cache) {
        return Partitioner<float>(params, FLOAT, on, {}, cache).createSparsityDataImpl(zero).metaInfo.size();
    };
    const auto make = [&](Graph &on, PlanningCache &cache) {
        return createSparseDenseMatMulLHS(on, FLOAT, params, "lhs", {}, &cache).getMetaInfoTensor().numElements();
    };
    PlanningCache first, all, odd;
    const std::size_t whole = meta(target, nullptr), own = make(part, first);
    EXPECT(whole != own && meta(part.getTarget(), nullptr) == own);
    EXPECT(meta(target, &first) == own && meta(part.getTarget(), &first) == own && first.size() == 1);
    EXPECT(make(graph, first) == whole && meta(target, &first) == whole && meta(part.getTarget(), &first) == own);
    EXPECT(meta(target, &all) == whole && all.size() == 0);
    EXPECT(make(graph, all) == whole);
    EXPECT_THROWS(poputil::poplibs_error, meta(part.getTarget(), &all));
    EXPECT(make(part, all) == own && meta(part.getTarget(), &all) == own);
    EXPECT(meta(target, &odd) == whole);
    const std::size_t few = make(six, odd);
    EXPECT(meta(target, &odd) == few && meta(six.getTarget(), nullptr) == few);
    EXPECT(make(part, odd) == own);
    EXPECT_THROWS(poputil::poplibs_error, meta(target, &odd)); /* of 6 tiles or of 4 */
    const std::vector<CSRMatrix<float>> empty(2, std::array<std::size_t, 2>{ { 3, 2 } });
    EXPECT(empty[1].getBlockSize() == 6);
}

int main()
{
    IPUModel model;
    model.tilesPerIPU = 12;
    Device device = model.createDevice();
    layer(device);
    products(device);
    formats(device);
    blocks(device);
    known(device);
    shard();
    Device cpu = Device::createCPUDevice();
    layer(cpu);
    return failures != 0;
}
