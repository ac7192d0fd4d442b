// SPDX-License-Identifier: MIT
/* Softmax of matrices whose blocks are known when the graph is built. */
#ifndef POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_HPP
#define POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_HPP

#include <array>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popsparse.h>
#include <vector>

namespace popsparse {
namespace experimental {

/* Elements that are 0 whatever the blocks hold; the diagonal is that of a group's matrix. */
enum class SubBlockMask { None, ZeroUpperTriangle, ZeroLowerTriangle };

namespace detail {
inline std::size_t extent(const char *call, int n)
{
    if (n <= 0) throw poputil::poplibs_error(std::string(call) + ": an extent of " + std::to_string(n));
    return static_cast<std::size_t>(n);
}
/* Of `groups` matrices one above the other, rows of one; `mask` has to live as long. */
inline tw_block_sparse blocks(const char *call, int rows, int columns, int blockRows, int blockColumns,
                              const std::vector<unsigned char> &mask, unsigned groups)
{
    tw_block_sparse m{};
    m.groups = groups;
    m.rows = extent(call, rows), m.columns = extent(call, columns);
    m.block_rows = extent(call, blockRows), m.block_columns = extent(call, blockColumns);
    m.mask = mask.data();
    const std::size_t wanted = groups * (m.rows / m.block_rows) * (m.columns / m.block_columns);
    if (!groups || mask.size() != wanted)
        throw poputil::poplibs_error(std::string(call) + ": a mask of " + std::to_string(mask.size()) +
                                     " blocks; it has " + std::to_string(wanted));
    return m;
}
inline tw_sparse_triangle triangle(SubBlockMask mask)
{
    return mask == SubBlockMask::None                ? TW_SPARSE_WHOLE
           : mask == SubBlockMask::ZeroUpperTriangle ? TW_SPARSE_ZERO_UPPER
                                                     : TW_SPARSE_ZERO_LOWER;
}
/* dim[0] counts the rows of all groups. */
inline tw_block_sparse softmaxBlocks(const char *call, const std::array<int, 2> &dim,
                                     const std::array<int, 2> &blockSize, const std::vector<unsigned char> &mask,
                                     unsigned groups)
{
    const std::size_t rows = extent(call, dim[0]);
    if (!groups || rows % groups)
        throw poputil::poplibs_error(std::string(call) + ": " + std::to_string(dim[0]) + " rows of " +
                                     std::to_string(groups) + " groups");
    return blocks(call, static_cast<int>(rows / groups), dim[1], blockSize[0], blockSize[1], mask, groups);
}
} // namespace detail

inline poplar::Tensor bsSoftmax(poplar::Graph &graph, poplar::Tensor sparseTensor, const std::array<int, 2> &dim,
                                const std::array<int, 2> &blockSize, const std::vector<unsigned char> &sparsity,
                                SubBlockMask subBlockMaskType, unsigned numGroups, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {})
{
    const char *call = "popsparse::experimental::bsSoftmax";
    const tw_block_sparse m = detail::softmaxBlocks(call, dim, blockSize, sparsity, numGroups);
    return poplar::handles::step(graph, prog, debugContext, {}, call, [&](const poplar::handles::Call &c) {
        return tw_popsparse_block_softmax(c.graph, poplar::handles::of(sparseTensor), &m,
                                          detail::triangle(subBlockMaskType), c.sequence, c.path);
    });
}
inline void bsSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor sparseTensor, const std::array<int, 2> &dim,
                             const std::array<int, 2> &blockSize, const std::vector<unsigned char> &sparsity,
                             SubBlockMask subBlockMaskType, unsigned numGroups, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    const char *call = "popsparse::experimental::bsSoftmaxInPlace";
    const tw_block_sparse m = detail::softmaxBlocks(call, dim, blockSize, sparsity, numGroups);
    poplar::handles::stepInPlace(graph, prog, debugContext, {}, call, [&](const poplar::handles::Call &c) {
        tw_popsparse_block_softmax_in_place(c.graph, poplar::handles::of(sparseTensor), &m,
                                            detail::triangle(subBlockMaskType), c.sequence, c.path);
    });
}
/* From what came out and the gradient of that. */
inline poplar::Tensor bsSoftmaxGrad(poplar::Graph &graph, poplar::Tensor sparseOut, poplar::Tensor sparseOutGrad,
                                    const std::array<int, 2> &dim, const std::array<int, 2> &blockSize,
                                    const std::vector<unsigned char> &sparsity, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {})
{
    const char *call = "popsparse::experimental::bsSoftmaxGrad";
    const tw_block_sparse m = detail::softmaxBlocks(call, dim, blockSize, sparsity, 1);
    return poplar::handles::step(graph, prog, debugContext, {}, call, [&](const poplar::handles::Call &c) {
        return tw_popsparse_block_softmax_gradient(c.graph, poplar::handles::of(sparseOut),
                                                   poplar::handles::of(sparseOutGrad), &m, c.sequence, c.path);
    });
}

} // namespace experimental
} // namespace popsparse
#endif
