// SPDX-License-Identifier: MIT
/* Points at even distances. */
#ifndef POPLIN_MESH_GRID_HPP
#define POPLIN_MESH_GRID_HPP

#include <poplar/Graph.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <vector>

namespace poplin {

/* A constant of `count` numbers from `left` to `right`, both included; float or half. One number is `left`. */
inline poplar::Tensor linspace(poplar::Graph &graph, const poplar::Type &type, float left, float right,
                               std::size_t count, const poplar::DebugContext &debugContext = {})
{
    if (type != poplar::FLOAT && type != poplar::HALF)
        throw poputil::poplibs_error("poplin::linspace: numbers of type " + type.toString() +
                                     "; float and half are possible");
    if (!count) throw poputil::poplibs_error("poplin::linspace: a row of 0 numbers");
    std::vector<float> points(count);
    const double step = count > 1 ? (static_cast<double>(right) - left) / static_cast<double>(count - 1) : 0;
    for (std::size_t i = 0; i < count; i++) points[i] = static_cast<float>(left + step * static_cast<double>(i));
    if (count > 1) points[count - 1] = right;
    poplar::Tensor row = graph.addConstant(type, { count }, poplar::ArrayRef<float>(points), debugContext);
    poputil::mapTensorLinearly(graph, row);
    return row;
}

/* Coordinates of the points (x[j], y[i]): two views of shape {y, x}. */
inline std::vector<poplar::Tensor> meshgrid2d(poplar::Graph &, poplar::Tensor x, poplar::Tensor y)
{
    if (x.rank() != 1 || y.rank() != 1)
        throw poputil::poplibs_error("poplin::meshgrid2d: rows of rank " + std::to_string(x.rank()) + " and " +
                                     std::to_string(y.rank()) + "; both are 1");
    const std::size_t columns = x.dim(0), rows = y.dim(0);
    return { x.expand({ 0 }).broadcast(static_cast<unsigned>(rows), 0),
             y.expand({ 1 }).broadcast(static_cast<unsigned>(columns), 1) };
}

} // namespace poplin
#endif
