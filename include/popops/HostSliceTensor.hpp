// SPDX-License-Identifier: MIT
/* Tensors of rows that go to and from off-chip memory: their layout alone. */
#ifndef POPOPS_HOST_SLICE_TENSOR_HPP
#define POPOPS_HOST_SLICE_TENSOR_HPP

#include <algorithm>
#include <poplar/Graph.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

struct IndicesAndTensor {
    poplar::Tensor indices;
    poplar::Tensor tensor;
};
/* Rows of packets of 256 bytes; they follow one another over the tiles, as many on each, the first with one more. */
inline poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                   const std::vector<std::size_t> &shape, bool,
                                                   const poplar::DebugContext &debugContext = {})
{
    const poplar::Tensor t = graph.addVariable(type, shape, debugContext);
    const std::size_t columns = shape.empty() ? 1 : shape.back(), all = t.numElements();
    if (!all) return t;
    const std::size_t packet = 256 / graph.getTarget().getTypeSize(type), inRow = (columns + packet - 1) / packet;
    const std::size_t packets = all / columns * inRow, tiles = graph.getTarget().getNumTiles();
    /* The first element of a packet. */
    const auto element = [&](std::size_t p) { return p / inRow * columns + std::min(columns, p % inRow * packet); };
    const poplar::Tensor flat = t.flatten();
    for (std::size_t tile = 0, begin = 0; tile < tiles && begin < packets; tile++) {
        const std::size_t end = begin + packets / tiles + (tile < packets % tiles);
        graph.setTileMapping(flat.slice(element(begin), element(end)), static_cast<unsigned>(tile));
        begin = end;
    }
    return t;
}
/* Each row's index lies where the row begins. */
inline IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                  const std::vector<std::size_t> &shape, bool isRead,
                                                  const poplar::DebugContext &debugContext = {})
{
    if (shape.size() != 2)
        throw poputil::poplibs_error("popops::createHostSliceableTensor: the shape is rows and columns");
    const poplar::Tensor t = createHostTransferableTensor(graph, type, shape, isRead, { debugContext, "tensor" });
    poplar::Tensor indices = graph.addVariable(poplar::UNSIGNED_INT, { shape[0] }, { debugContext, "indices" });
    poputil::mapTensorLinearly(graph, indices);
    if (t.numElements()) {
        const poplar::Graph::TileToTensorMapping where = graph.getTileMapping(t);
        for (unsigned tile = 0; tile < where.size(); tile++)
            for (const poplar::Interval &run : where[tile])
                for (std::size_t row = (run.begin() + shape[1] - 1) / shape[1]; row * shape[1] < run.end(); row++)
                    graph.setTileMapping(indices[row], tile);
    }
    return { indices, t };
}

} // namespace popops
#endif
