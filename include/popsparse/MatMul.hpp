// SPDX-License-Identifier: MIT
/* Groups of sparse times dense matrices; the sparse pattern is data. */
#ifndef POPSPARSE_MAT_MUL_HPP
#define POPSPARSE_MAT_MUL_HPP

#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMulParams.hpp>

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
    detail::note(cache, lhs.getNzValuesTensor().elementType(), made->params.get(), options);
    return detail::multiply(call, graph, lhs, transposeRHS ? rhs.dimShuffle({ 0, 2, 1 }) : rhs, transposeLHS,
                            made->params.get(), prog, debugContext, options);
}
#undef TW__END

} // namespace dynamic
} // namespace popsparse
#endif
