// SPDX-License-Identifier: MIT
/* Groups of sparse times dense matrices: the sparse pattern is data (dynamic), or the graph knows it (static_). */
#ifndef POPSPARSE_MAT_MUL_HPP
#define POPSPARSE_MAT_MUL_HPP

#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMulParams.hpp>
#include <poputil/TileMapping.hpp>
#include <tilewright/poplibs/sparse_places.hpp>

namespace popsparse {
namespace dynamic {

namespace detail {
/* What the left operand was made for. */
struct MatMulMetaData : poputil::TensorMetaDataBase {
    MatMulParams params;
    explicit MatMulMetaData(const MatMulParams &p) : params(p) {}
    std::unique_ptr<poputil::TensorMetaDataBase> clone() const override
    {
        return std::unique_ptr<poputil::TensorMetaDataBase>(new MatMulMetaData(params));
    }
};
} // namespace detail

#define TW__END                                                                             \
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}, \
                               PlanningCache *cache = nullptr

inline SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                               const MatMulParams &params, TW__END)
{
    std::unique_ptr<poputil::TensorMetaDataBase> made(new detail::MatMulMetaData(params));
    return detail::createSparse("popsparse::dynamic::createSparseDenseMatMulLHS", graph, inputType, params.get(),
                                debugContext, options, cache, std::move(made));
}
/* [groups][k][n] */
inline poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                                 const MatMulParams &params, TW__END)
{
    (void)cache;
    return detail::createDense("popsparse::dynamic::createSparseDenseMatMulRHS", graph, inputType, params.get(),
                               debugContext, options);
}
/* [groups][m][k] times [groups][k][n]; a transposed operand is given as it was before. */
inline poplar::Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs, const poplar::Tensor &rhs,
                                        poplar::program::Sequence &prog, bool transposeLHS = false,
                                        bool transposeRHS = false, TW__END)
{
    const char *call = "popsparse::dynamic::sparseDenseMatMul";
    const auto *made = dynamic_cast<const detail::MatMulMetaData *>(lhs.getOpMetaData().getData());
    if (!made)
        throw poputil::poplibs_error(std::string(call) +
                                     ": the left operand was not made by createSparseDenseMatMulLHS");
    if (rhs.rank() != 3)
        throw poputil::poplibs_error(std::string(call) + ": the right operand has " + std::to_string(rhs.rank()) +
                                     " dimensions; it has 3");
    detail::note(cache, graph.getTarget(), lhs.getNzValuesTensor().elementType(), made->params.get(), options);
    return detail::multiply(call, graph, lhs, transposeRHS ? rhs.dimShuffle({ 0, 2, 1 }) : rhs, transposeLHS,
                            made->params.get(), prog, debugContext, options);
}

} // namespace dynamic

/* Groups are one above the other in the stored matrix. Sums are floats. */
namespace static_ {

namespace detail {
/* The sparse operand of all groups: [groups * m][k], or [groups * k][m] where the dense one is first. */
inline popsparse::detail::Places places(const std::string &call, const MatMulParams &p,
                                        const std::array<std::size_t, 2> &block)
{
    const std::size_t rows = p.isTransposed() ? p.getK() : p.getM(),
                      columns = p.isTransposed() ? p.getM() : p.getK();
    if (!block[0] || !block[1] || rows % block[0] || columns % block[1])
        throw poputil::poplibs_error(call + ": a matrix " + std::to_string(rows) + " x " + std::to_string(columns) +
                                     " in blocks of " + std::to_string(block[0]) + " x " +
                                     std::to_string(block[1]));
    return { call, p.getNumGroups() * rows, columns, block };
}

/* What the sparse operand was made for, and which of its blocks are there. */
struct Pattern : poputil::TensorMetaDataBase {
    MatMulParams params;
    popsparse::detail::Places grid;
    std::vector<unsigned char> mask;
    std::size_t count = 0;

    template <typename T>
    Pattern(const char *call, const MatMulParams &p, const CSRMatrix<T> &m)
        : params(p), grid(places(call, p, m.getBlockDimensions()))
    {
        const std::size_t across = grid.columns / grid.block[1];
        mask.resize(grid.rows / grid.block[0] * across);
        const COOMatrix<T> list = grid.sorted(grid.list(m));
        count = list.rowIndices.size();
        for (std::size_t b = 0; b < count; b++)
            mask[list.rowIndices[b] / grid.block[0] * across + list.columnIndices[b] / grid.block[1]] = 1;
    }
    std::unique_ptr<poputil::TensorMetaDataBase> clone() const override
    {
        return std::unique_ptr<poputil::TensorMetaDataBase>(new Pattern(*this));
    }
    tw_block_sparse matrix() const /* borrows the mask */
    {
        tw_block_sparse m{};
        m.groups = params.getNumGroups();
        m.rows = grid.rows / m.groups, m.columns = grid.columns;
        m.block_rows = grid.block[0], m.block_columns = grid.block[1];
        m.mask = mask.data();
        return m;
    }
};
inline void order(const char *call, const MatMulParams &params, bool denseFirst)
{
    if (params.isTransposed() != denseFirst)
        throw poputil::poplibs_error(std::string(call) + ": these parameters are of the other order of operands");
}
template <typename T>
SparseTensor createSparse(const char *call, bool denseFirst, poplar::Graph &graph, const poplar::Type &type,
                          const MatMulParams &params, const CSRMatrix<T> &m, const poplar::DebugContext &dc)
{
    order(call, params, denseFirst);
    std::unique_ptr<Pattern> made(new Pattern(call, params, m));
    const tw_block_sparse blocks = made->matrix();
    const std::string path = dc.getPathName();
    poplar::Tensor values = poplar::handles::make(graph, call, [&](tw_graph *g) {
        return tw_popsparse_create_blocks(g, poplar::handles::of(type), &blocks, path.c_str());
    });
    return SparseTensor(values.flatten(), poputil::TensorMetaData(std::move(made)));
}
inline poplar::Tensor createDense(const char *call, bool denseFirst, poplar::Graph &graph, const poplar::Type &type,
                                  const MatMulParams &params, const poplar::DebugContext &dc)
{
    order(call, params, denseFirst);
    const std::size_t g = params.getNumGroups(), k = params.getK(), n = params.getN();
    poplar::Tensor t = graph.addVariable(
        type, denseFirst ? std::vector<std::size_t>{ g, n, k } : std::vector<std::size_t>{ g, k, n }, dc);
    poputil::mapTensorLinearly(graph, t);
    return t;
}
inline poplar::Tensor multiply(const char *call, bool denseFirst, poplar::Graph &graph, const SparseTensor &sparse,
                               const poplar::Tensor &dense, bool transposed, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext, const poplar::OptionFlags &options)
{
    const auto *made = dynamic_cast<const Pattern *>(sparse.getOpMetaData().getData());
    if (!made) throw poputil::poplibs_error(std::string(call) + ": the sparse operand was not made for a product");
    order(call, made->params, denseFirst);
    const std::size_t g = made->params.getNumGroups();
    if (dense.rank() != 3 || dense.dim(0) != g)
        throw poputil::poplibs_error(std::string(call) +
                                     ": the dense operand has 3 dimensions, of which the first "
                                     "counts " +
                                     std::to_string(g) + " groups, not " + dense.shapeToString());
    if (sparse.getNzValuesTensor().numElements() != made->count * made->grid.area())
        throw poputil::poplibs_error(std::string(call) +
                                     ": the sparse operand has other values than it was made for");
    const tw_block_sparse blocks = made->matrix();
    const poplar::Tensor values = sparse.getNzValuesTensor().reshape({ made->count, made->grid.area() }),
                         flat = dense.flatten(0, 2);
    poplar::Tensor out =
        poplar::handles::step(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
            const tw_tensor w = poplar::handles::of(values), x = poplar::handles::of(flat);
            return denseFirst ? tw_popsparse_dense_sparse(c.graph, x, &blocks, w, transposed, TW_TYPE_NONE,
                                                          c.sequence, c.path, c.options)
                              : tw_popsparse_sparse_dense(c.graph, &blocks, w, x, transposed, TW_TYPE_NONE,
                                                          c.sequence, c.path, c.options);
        });
    return out.reshape({ g, out.dim(0) / g, out.dim(1) });
}
} // namespace detail

/* Values by row and column, block after block. */
template <typename T>
SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params, const CSRMatrix<T> &csrLHS, TW__END)
{
    (void)options, (void)cache;
    return detail::createSparse("popsparse::static_::createSparseDenseMatMulLHS", false, graph, inputType, params,
                                csrLHS, debugContext);
}
template <typename T>
SparseTensor createDenseSparseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params, const CSRMatrix<T> &csrRHS, TW__END)
{
    (void)options, (void)cache;
    return detail::createSparse("popsparse::static_::createDenseSparseMatMulRHS", true, graph, inputType, params,
                                csrRHS, debugContext);
}
/* [groups][k][n] */
template <typename T>
poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                          const MatMulParams &params, const CSRMatrix<T> &, TW__END)
{
    (void)options, (void)cache;
    return detail::createDense("popsparse::static_::createSparseDenseMatMulRHS", false, graph, inputType, params,
                               debugContext);
}
/* [groups][n][k] */
template <typename T>
poplar::Tensor createDenseSparseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                          const MatMulParams &params, const CSRMatrix<T> &, TW__END)
{
    (void)options, (void)cache;
    return detail::createDense("popsparse::static_::createDenseSparseMatMulLHS", true, graph, inputType, params,
                               debugContext);
}
/* [groups][m][k] times [groups][k][n]; a transposed operand is given as it was before. */
inline poplar::Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs, const poplar::Tensor &rhs,
                                        poplar::program::Sequence &prog, bool transposeLHS = false,
                                        bool transposeRHS = false, TW__END)
{
    (void)cache;
    return detail::multiply("popsparse::static_::sparseDenseMatMul", false, graph, lhs,
                            transposeRHS && rhs.rank() == 3 ? rhs.dimShuffle({ 0, 2, 1 }) : rhs, transposeLHS, prog,
                            debugContext, options);
}
/* [groups][n][k] times [groups][k][m] */
inline poplar::Tensor denseSparseMatMul(poplar::Graph &graph, const poplar::Tensor &lhs, const SparseTensor &rhs,
                                        poplar::program::Sequence &prog, bool transposeLHS = false,
                                        bool transposeRHS = false, TW__END)
{
    (void)cache;
    return detail::multiply("popsparse::static_::denseSparseMatMul", true, graph, rhs,
                            transposeLHS && lhs.rank() == 3 ? lhs.dimShuffle({ 0, 2, 1 }) : lhs, transposeRHS, prog,
                            debugContext, options);
}

} // namespace static_
#undef TW__END
} // namespace popsparse
#endif
