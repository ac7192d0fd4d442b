// SPDX-License-Identifier: MIT
/* A matrix as a lower triangular one times an upper triangular one. */
#ifndef POPLIN_LU_FACTORIZATION_HPP
#define POPLIN_LU_FACTORIZATION_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/solve.h>
#include <utility>

namespace poplin {
namespace experimental {

/* L [m][m] and U [m][n], of float; rows are not exchanged. */
inline std::pair<poplar::Tensor, poplar::Tensor> LUFactorization(poplar::Graph &graph, poplar::Tensor &input,
                                                                 poplar::program::Sequence &seq,
                                                                 const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::stepPair(
        graph, seq, debugContext, {}, "poplin::experimental::LUFactorization", [&](const poplar::handles::Call &c) {
            const tw_pair lu = tw_poplin_lu(c.graph, poplar::handles::of(input), c.sequence, c.path);
            return std::make_pair(lu.first, lu.second);
        });
}

} // namespace experimental
} // namespace poplin
#endif
