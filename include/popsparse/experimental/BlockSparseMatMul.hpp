// SPDX-License-Identifier: MIT
/* Products with a matrix of blocks, and products of which only some blocks are wanted. */
#ifndef POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_MAT_MUL_HPP
#define POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_MAT_MUL_HPP

#include <popsparse/experimental/BlockSparse.hpp>
#include <poputil/TileMapping.hpp>

namespace popsparse {
namespace experimental {

/* What is known of a product [dim[0]][dim[1]] x [dim[1]][dim[2]] before its data: extents of one group. Sums are
 * floats whatever partialDataType says. */
class BSMatMulParams {
    std::array<int, 3> dims, blocks;
    std::vector<unsigned char> mask;
    bool ofResult, transposed;
    poplar::Type in, out;
    SubBlockMask triangle;
    unsigned groups;

    static void check(const char *call, const std::array<int, 3> &dim, const std::array<int, 3> &block)
    {
        for (std::size_t d = 0; d < 3; d++)
            if (detail::extent(call, dim[d]) % detail::extent(call, block[d]))
                throw poputil::poplibs_error(std::string(call) + ": an extent of " + std::to_string(dim[d]) +
                                             " in blocks of " + std::to_string(block[d]));
    }

  public:
    /* Dense times blocks. With rhsNeedTranspose dim and blockSize are those of the transposed matrix, mask and blocks
     * those of the matrix as it is. */
    BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                   const std::vector<unsigned char> &rhsSparsity, bool rhsNeedTranspose, poplar::Type inDataType,
                   poplar::Type outDataType, poplar::Type, unsigned numGroupsIn = 1)
        : dims(dim), blocks(blockSize), mask(rhsSparsity), ofResult(false), transposed(rhsNeedTranspose),
          in(inDataType), out(outDataType), triangle(SubBlockMask::None), groups(numGroupsIn)
    {
        check("popsparse::experimental::BSMatMulParams", dims, blocks);
        matrix("popsparse::experimental::BSMatMulParams");
    }
    /* Dense times dense, of which blocks are wanted. */
    BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                   const std::vector<unsigned char> &resSparsity, poplar::Type inDataType, poplar::Type outDataType,
                   poplar::Type, SubBlockMask subBlockMask = SubBlockMask::None, unsigned numGroupsIn = 1)
        : dims(dim), blocks(blockSize), mask(resSparsity), ofResult(true), transposed(false), in(inDataType),
          out(outDataType), triangle(subBlockMask), groups(numGroupsIn)
    {
        check("popsparse::experimental::BSMatMulParams", dims, blocks);
        matrix("popsparse::experimental::BSMatMulParams");
    }
    BSMatMulParams(BSMatMulParams &&) = default;

    /* The sparse matrix of the product; borrows the mask. */
    tw_block_sparse matrix(const char *call) const
    {
        const std::size_t rows = ofResult ? 0 : transposed ? 2 : 1, columns = transposed ? 1 : 2;
        return detail::blocks(call, dims[rows], dims[columns], blocks[rows], blocks[columns], mask, groups);
    }
    bool sparseResult() const { return ofResult; }
    bool transposedRhs() const { return transposed; }
    const poplar::Type &inputType() const { return in; }
    const poplar::Type &outputType() const { return out; }
    SubBlockMask resultMask() const { return triangle; }
    /* [groups * dim[d]][dim[d + 1]] */
    std::vector<std::size_t> denseShape(std::size_t d) const
    {
        return { groups * static_cast<std::size_t>(dims[d]), static_cast<std::size_t>(dims[d + 1]) };
    }
};

namespace detail {
inline poplar::Tensor denseInput(poplar::Graph &graph, const BSMatMulParams &p, std::size_t d,
                                 const poplar::DebugContext &debugContext)
{
    poplar::Tensor t = graph.addVariable(p.inputType(), p.denseShape(d), debugContext);
    poputil::mapTensorLinearly(graph, t);
    return t;
}
} // namespace detail

inline poplar::Tensor createBSMatMulInputLHS(poplar::Graph &graph, const BSMatMulParams &bsMatMul,
                                             const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags & = {})
{
    return detail::denseInput(graph, bsMatMul, 0, debugContext);
}
inline poplar::Tensor createBSMatMulInputRHS(poplar::Graph &graph, const BSMatMulParams &bsMatMul,
                                             const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags & = {})
{
    const char *call = "popsparse::experimental::createBSMatMulInputRHS";
    if (bsMatMul.sparseResult()) return detail::denseInput(graph, bsMatMul, 1, debugContext);
    const std::string path = debugContext.getPathName();
    const tw_block_sparse m = bsMatMul.matrix(call);
    return poplar::handles::make(graph, call, [&](tw_graph *g) {
        return tw_popsparse_create_blocks(g, poplar::handles::of(bsMatMul.inputType()), &m, path.c_str());
    });
}
/* Dense [groups * dim[0]][dim[2]], or the wanted blocks of it. */
inline poplar::Tensor bsMatMul(poplar::Graph &graph, const BSMatMulParams &bsMatMulParams,
                               poplar::program::Sequence &prog, const poplar::Tensor &lhsMatrix,
                               const poplar::Tensor &rhsMatrix, const poplar::OptionFlags &options = {},
                               const poplar::DebugContext &debugContext = {})
{
    const char *call = "popsparse::experimental::bsMatMul";
    const BSMatMulParams &p = bsMatMulParams;
    const tw_block_sparse m = p.matrix(call);
    if (lhsMatrix.elementType() != p.inputType() || rhsMatrix.elementType() != p.inputType() ||
        lhsMatrix.shape() != p.denseShape(0))
        throw poputil::poplibs_error(std::string(call) + ": these are not the operands that the parameters are of");
    return poplar::handles::step(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        const tw_type type = poplar::handles::of(p.outputType());
        return p.sparseResult()
                   ? tw_popsparse_dense_dense(c.graph, poplar::handles::of(lhsMatrix),
                                              poplar::handles::of(rhsMatrix), &m, detail::triangle(p.resultMask()),
                                              type, c.sequence, c.path, c.options)
                   : tw_popsparse_dense_sparse(c.graph, poplar::handles::of(lhsMatrix), &m,
                                               poplar::handles::of(rhsMatrix), p.transposedRhs(), type, c.sequence,
                                               c.path, c.options);
    });
}

} // namespace experimental
} // namespace popsparse
#endif
