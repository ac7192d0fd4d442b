// SPDX-License-Identifier: MIT
/* Triangular systems. */
#ifndef POPLIN_TRIANGULAR_SOLVE_HPP
#define POPLIN_TRIANGULAR_SOLVE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/solve.h>
#include <vector>

namespace poplin {

#define TW__END                                                                             \
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}, \
                               PlanningCache * = nullptr

namespace detail {
inline poplar::Tensor solverInput(const char *call, poplar::Graph &graph, const poplar::Type &type,
                                  const std::vector<std::size_t> &shape, const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options)
{
    const poplar::handles::OptionList list(options);
    std::string path = debugContext.getPathName();
    return poplar::handles::make(graph, call, [&](tw_graph *g) {
        return tw_poplin_create_solver_input(g, poplar::handles::of(type), static_cast<unsigned>(shape.size()),
                                             shape.data(), path.c_str(), list.data());
    });
}
/* Options of a solver: the size of its blocks, and those of its products; both are checked as its call does. */
inline std::size_t solverBlock(const poplar::OptionFlags &options, poplar::OptionFlags &products)
{
    unsigned long block = 64;
    for (const auto &o : options)
        if (o.first == "blockSize") {
            char *end = nullptr;
            block = std::strtoul(o.second.c_str(), &end, 10);
            if (!std::isdigit(static_cast<unsigned char>(o.second[0])) || *end || !block || block >= 0xffffffffu)
                throw poplar::invalid_option("option 'blockSize' cannot be '" + std::string(o.second) +
                                             "'; it can be: numbers from 1 on");
        } else {
            products.set(o.first, o.second);
        }
    std::ostringstream ignored;
    matMulReportPlan(ignored, poplar::Graph(poplar::Target::createCPUTarget()), poplar::FLOAT, poplar::FLOAT,
                     { 1, 1 }, { 1, 1 }, products);
    return block;
}
/* [groups][rows][sum] times [groups][sum][columns], once. */
inline void solverProduct(std::vector<std::pair<MatMulParams, poplar::OptionFlags>> &all, std::size_t groups,
                          std::size_t rows, std::size_t sum, std::size_t columns,
                          const poplar::OptionFlags &options)
{
    const MatMulParams made = { poplar::FLOAT, poplar::FLOAT, { groups, rows, sum }, { groups, sum, columns } };
    for (const auto &one : all)
        if (!(one.first < made) && !(made < one.first)) return;
    if (rows && sum && columns) all.emplace_back(made, options);
}
inline std::size_t solverGroups(const char *call, const std::vector<std::size_t> &shape)
{
    std::size_t groups = 1;
    if (shape.size() < 2)
        throw poputil::poplibs_error(std::string(call) + ": a matrix of rank " + std::to_string(shape.size()));
    for (std::size_t d = 0; d + 2 < shape.size(); d++) groups *= shape[d];
    return groups;
}
} // namespace detail

/* The products of a call of triangularSolve(), once each. */
inline std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getTriangularSolveMatMulPrePlanParameters(
    const poplar::Type &, const poplar::Type &, const std::vector<std::size_t> &aShape,
    const std::vector<std::size_t> &bShape, bool leftSide, bool, const poplar::OptionFlags &options)
{
    const char *const call = "poplin::getTriangularSolveMatMulPrePlanParameters";
    const std::size_t groups = detail::solverGroups(call, aShape), n = aShape[aShape.size() - 1];
    if (detail::solverGroups(call, bShape) != groups)
        throw poputil::poplibs_error(std::string(call) + ": other batches on both sides");
    poplar::OptionFlags products;
    const std::size_t block = detail::solverBlock(options, products);
    const std::size_t columns = bShape[bShape.size() - (leftSide ? 1 : 2)];
    std::vector<std::pair<MatMulParams, poplar::OptionFlags>> all;
    for (std::size_t row = block; row < n; row += block)
        detail::solverProduct(all, groups, row + block < n ? block : n - row, row, columns, products);
    return all;
}

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
