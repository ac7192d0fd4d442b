// SPDX-License-Identifier: MIT
/* Cholesky's factors. */
#ifndef POPLIN_CHOLESKY_HPP
#define POPLIN_CHOLESKY_HPP

#include <poplin/TriangularSolve.hpp>

namespace poplin {

/* The products of a call of cholesky(), once each. */
inline std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getCholeskyMatMulPrePlanParameters(const poplar::Type &, const std::vector<std::size_t> &shape, bool,
                                   poplar::OptionFlags options)
{
    const std::size_t groups = detail::solverGroups("poplin::getCholeskyMatMulPrePlanParameters", shape);
    const std::size_t n = shape[shape.size() - 1];
    poplar::OptionFlags products;
    const std::size_t block = detail::solverBlock(options, products);
    std::vector<std::pair<MatMulParams, poplar::OptionFlags>> all;
    for (std::size_t at = block; at < n; at += block) {
        const std::size_t width = at + block < n ? block : n - at;
        detail::solverProduct(all, groups, width, at, width, products);
        detail::solverProduct(all, groups, n - at - width, at, width, products);
    }
    return all;
}

#define TW__END \
    const poplar::DebugContext &debugContext = {}, poplar::OptionFlags options = {}, PlanningCache * = nullptr

inline poplar::Tensor createCholeskyInput(poplar::Graph &graph, const poplar::Type &type,
                                          const std::vector<std::size_t> &shape, bool, TW__END)
{
    return detail::solverInput("poplin::createCholeskyInput", graph, type, shape, debugContext, options);
}
/* The lower l with a = l l', or the upper u with a = u' u. */
inline poplar::Tensor cholesky(poplar::Graph &graph, const poplar::Tensor &a, bool lower,
                               poplar::program::Sequence &prog, TW__END)
{
    return poplar::handles::step(
        graph, prog, debugContext, options, "poplin::cholesky", [&](const poplar::handles::Call &c) {
            return tw_poplin_cholesky(c.graph, poplar::handles::of(a), lower, c.sequence, c.path, c.options);
        });
}
inline void choleskyInPlace(poplar::Graph &graph, const poplar::Tensor &a, bool lower,
                            poplar::program::Sequence &prog, TW__END)
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "poplin::choleskyInPlace", [&](const poplar::handles::Call &c) {
            tw_poplin_cholesky_in_place(c.graph, poplar::handles::of(a), lower, c.sequence, c.path, c.options);
        });
}
#undef TW__END

} // namespace poplin
#endif
