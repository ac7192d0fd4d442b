// SPDX-License-Identifier: MIT
/* A matrix as an orthogonal one times an upper triangular one. */
#ifndef POPLIN_QR_FACTORIZATION_HPP
#define POPLIN_QR_FACTORIZATION_HPP

#include <array>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/solve.h>

namespace poplin {
namespace experimental {

/* A [m][n] and Q [m][m], m at least n. */
inline std::array<poplar::Tensor, 2> createQRFactorizationMatrices(poplar::Graph &graph, const poplar::Type &type,
                                                                   const std::size_t m, const std::size_t n,
                                                                   const poplar::DebugContext &debugContext)
{
    if (m < n || !n)
        throw poputil::poplibs_error("poplin::experimental::createQRFactorizationMatrices: " + std::to_string(m) +
                                     " rows and " + std::to_string(n) + " columns");
    std::array<poplar::Tensor, 2> made = { { graph.addVariable(type, { m, n }, { debugContext, "A" }),
                                             graph.addVariable(type, { m, m }, { debugContext, "Q" }) } };
    for (const poplar::Tensor &t : made) poputil::mapTensorLinearly(graph, t);
    return made;
}

/* A becomes R and Q, which is the identity before, orthogonal: Q R is what A was. rowsPerIteration is checked and has
 * no effect: one vertex has the matrix. */
inline void QRFactorization(poplar::Graph &graph, poplar::Tensor &A, poplar::Tensor &Q,
                            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {})
{
    const char *call = "poplin::experimental::QRFactorization";
    unsigned rows = 0;
    const poplibs::OptionSpec spec = { { "rowsPerIteration", poplibs::OptionHandler::createWithInteger(rows) } };
    for (const auto &o : options) spec.parse(o.first, o.second);
    if (A.rank() != 2 || Q.rank() != 2 || Q.dim(0) != A.dim(0) || Q.dim(1) != A.dim(0) ||
        Q.elementType() != A.elementType())
        throw poputil::poplibs_error(std::string(call) + ": of a matrix " + A.shapeToString() +
                                     " Q is square, not " + Q.shapeToString());
    for (const poplar::Tensor &t : { A, Q }) poplar::handles::wantWriteable(call, t);
    const std::pair<poplar::Tensor, poplar::Tensor> made =
        poplar::handles::stepPair(graph, prog, debugContext, {}, call, [&](const poplar::handles::Call &c) {
            const tw_pair qr = tw_poplin_qr(c.graph, poplar::handles::of(A), c.sequence, c.path);
            return std::make_pair(qr.first, qr.second);
        });
    prog.add(poplar::program::Copy(made.first, Q, false, debugContext));
    prog.add(poplar::program::Copy(made.second, A, false, debugContext));
}

} // namespace experimental
} // namespace poplin
#endif
