// SPDX-License-Identifier: MIT
/* Triangular systems. */
#ifndef POPLIN_TRIANGULAR_SOLVE_HPP
#define POPLIN_TRIANGULAR_SOLVE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/solve.h>
#include <vector>

namespace poplin {

#define TW__END                                                                             \
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}, \
                               matmul::PlanningCache * = nullptr

namespace detail {
inline poplar::Tensor solverInput(const char *call, poplar::Graph &graph, const poplar::Type &type,
                                  const std::vector<std::size_t> &shape, const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options)
{
    std::vector<std::string> texts;
    std::vector<const char *> list;
    for (const auto &o : options) texts.push_back(o.first + "=" + o.second);
    for (const std::string &t : texts) list.push_back(t.c_str());
    list.push_back(nullptr);
    std::string path = debugContext.getPathName();
    return poplar::handles::make(graph, call, [&](tw_graph *g) {
        return tw_poplin_create_solver_input(g, poplar::handles::of(type), static_cast<unsigned>(shape.size()),
                                             shape.data(), path.c_str(), list.data());
    });
}
} // namespace detail

inline poplar::Tensor createTriangularSolveInputLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                                    const poplar::Type &, const std::vector<std::size_t> &aShape,
                                                    const std::vector<std::size_t> &, bool, TW__END)
{
    return detail::solverInput("poplin::createTriangularSolveInputLHS", graph, inputType, aShape, debugContext,
                               options);
}
inline poplar::Tensor createTriangularSolveInputRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                                    const poplar::Type &, const std::vector<std::size_t> &,
                                                    const std::vector<std::size_t> &bShape, bool, TW__END)
{
    return detail::solverInput("poplin::createTriangularSolveInputRHS", graph, inputType, bShape, debugContext,
                               options);
}
/* x of a x = b, or with leftSide = false of x a = b. */
inline poplar::Tensor triangularSolve(poplar::Graph &graph, const poplar::Tensor &a, const poplar::Tensor &b,
                                      bool leftSide, bool lower, bool unitDiagonal, poplar::program::Sequence &prog,
                                      TW__END)
{
    return poplar::handles::step(
        graph, prog, debugContext, options, "poplin::triangularSolve", [&](const poplar::handles::Call &c) {
            return tw_poplin_triangular_solve(c.graph, poplar::handles::of(a), poplar::handles::of(b), leftSide,
                                              lower, unitDiagonal, c.sequence, c.path, c.options);
        });
}
/* Zeros in the other triangle, ones on the diagonal if asked. */
inline poplar::Tensor triangularMask(poplar::Graph &graph, const poplar::Tensor &a, bool lower, bool unitDiagonal,
                                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(graph, prog, debugContext, {}, "poplin::triangularMask",
                                 [&](const poplar::handles::Call &c) {
                                     return tw_poplin_triangular_mask(c.graph, poplar::handles::of(a), lower,
                                                                      unitDiagonal, c.sequence, c.path);
                                 });
}
#undef TW__END

} // namespace poplin
#endif
