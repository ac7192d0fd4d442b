// SPDX-License-Identifier: MIT
/* Tensors of rows that go to and from off-chip memory: their layout alone. */
#ifndef POPOPS_HOST_SLICE_TENSOR_HPP
#define POPOPS_HOST_SLICE_TENSOR_HPP

#include <popops/DynamicSlice.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

struct IndicesAndTensor {
    poplar::Tensor indices;
    poplar::Tensor tensor;
};
/* {rows, row}: columns are spread, so that a row comes from and goes to all tiles. */
inline poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                   const std::vector<std::size_t> &shape, bool,
                                                   const poplar::DebugContext &debugContext = {})
{
    if (shape.size() < 2) {
        poplar::Tensor t = graph.addVariable(type, shape, debugContext);
        poputil::mapTensorLinearly(graph, t);
        return t;
    }
    return createSliceableTensor(graph, type, shape, { 0 }, { 1 }, 0, debugContext);
}
inline IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                  const std::vector<std::size_t> &shape, bool isRead,
                                                  const poplar::DebugContext &debugContext = {})
{
    if (shape.size() != 2)
        throw poputil::poplibs_error("popops::createHostSliceableTensor: the shape is rows and columns");
    poplar::Tensor indices = graph.addVariable(poplar::UNSIGNED_INT, { shape[0] }, { debugContext, "indices" });
    poputil::mapTensorLinearly(graph, indices);
    return { indices, createHostTransferableTensor(graph, type, shape, isRead, { debugContext, "tensor" }) };
}

} // namespace popops
#endif
