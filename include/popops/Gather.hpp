// SPDX-License-Identifier: MIT
/* Elements and slices at indices that come as a tensor. */
#ifndef POPOPS_GATHER_HPP
#define POPOPS_GATHER_HPP

#include <popops/DynamicSlice.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

struct GatherParams {
    std::size_t maxElementsPerTile = 65535; /* without effect */
    GatherParams() = default;
    explicit GatherParams(std::size_t most) : maxElementsPerTile(most) {}
};

inline poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                        const std::vector<std::size_t> &operandShape, unsigned axis,
                                        GatherParams = {}, const poplar::DebugContext &debugContext = {})
{
    return createSliceableTensor(graph, type, operandShape, { axis }, { 1 }, 0, debugContext);
}
inline poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                        const std::vector<std::size_t> &inputShape,
                                        const std::vector<std::size_t> &sliceSizes,
                                        std::vector<unsigned> startIndexMap,
                                        const poplar::DebugContext &debugContext = {})
{
    std::vector<std::size_t> dims(startIndexMap.begin(), startIndexMap.end()), sizes;
    for (std::size_t d : dims) {
        if (d >= sliceSizes.size())
            throw poputil::poplibs_error("popops::createGatherInput: " + std::to_string(sliceSizes.size()) +
                                         " slice sizes, and none of dimension " + std::to_string(d));
        sizes.push_back(sliceSizes[d]);
    }
    return createSliceableTensor(graph, type, inputShape, dims, sizes, 0, debugContext);
}

inline poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input, const poplar::Tensor &indices,
                             unsigned axis, poplar::program::Sequence &prog, GatherParams,
                             const poplar::DebugContext &debugContext = {})
{
    const poplar::Tensor metadata = input.getMetadata();
    const poplar::Tensor made =
        poplar::handles::step(graph, prog, debugContext, {}, "popops::gather", [&](const poplar::handles::Call &c) {
            return tw_popops_gather(c.graph, poplar::handles::of(input), poplar::handles::of(indices), axis,
                                    c.sequence, c.path);
        });
    return detail::sharing(metadata, made, graph);
}
inline poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input, const poplar::Tensor &indices,
                             std::size_t indexVectorDim, const std::vector<std::size_t> &offsetDims,
                             const std::vector<std::size_t> &sliceSizes,
                             const std::vector<std::size_t> &collapsedSliceDims,
                             const std::vector<unsigned> &startIndexMap, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    if (sliceSizes.size() != input.rank())
        throw poputil::poplibs_error("popops::gather: " + std::to_string(sliceSizes.size()) + " slice sizes for " +
                                     std::to_string(input.rank()) + " dimensions");
    const tw_gather of = { indexVectorDim,
                           static_cast<unsigned>(offsetDims.size()),
                           offsetDims.data(),
                           sliceSizes.data(),
                           static_cast<unsigned>(collapsedSliceDims.size()),
                           collapsedSliceDims.data(),
                           static_cast<unsigned>(startIndexMap.size()),
                           startIndexMap.data() };
    const poplar::Tensor metadata = input.getMetadata();
    const poplar::Tensor made =
        poplar::handles::step(graph, prog, debugContext, {}, "popops::gather", [&](const poplar::handles::Call &c) {
            return tw_popops_gather_slices(c.graph, poplar::handles::of(input), poplar::handles::of(indices), &of,
                                           c.sequence, c.path);
        });
    return detail::sharing(metadata, made, graph);
}

} // namespace popops
#endif
