// SPDX-License-Identifier: MIT
/* How elements of tensors lie in storage. */
#ifndef POPUTIL_VAR_STRUCTURE_HPP
#define POPUTIL_VAR_STRUCTURE_HPP

#include <functional>
#include <poplar/Graph.hpp>
#include <poputil/Util.hpp>
#include <utility>
#include <vector>

namespace poputil {

using GroupingInfo = std::pair<unsigned, unsigned>; /* dimension, size */

inline unsigned detectInnermostGrouping(const poplar::Graph &graph, const poplar::Tensor &t)
{
    unsigned size = 0;
    poplar::handles::call(graph, "poputil::detectInnermostGrouping",
                          [&](tw_graph *g) { size = tw_poputil_innermost_grouping(g, poplar::handles::of(t)); });
    return size;
}
inline std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph &graph, const poplar::Tensor &t)
{
    tw_grouping found[64];
    std::size_t n = 0;
    poplar::handles::call(graph, "poputil::detectDimGroupings",
                          [&](tw_graph *g) { n = tw_poputil_dim_groupings(g, poplar::handles::of(t), found, 64); });
    std::vector<GroupingInfo> groupings;
    for (std::size_t i = 0; i < n; i++) groupings.emplace_back(found[i].dim, found[i].size);
    return groupings;
}

inline poplar::Tensor createPartitionableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                const std::vector<std::size_t> &shape,
                                                const std::vector<std::size_t> &nPartitions,
                                                const poplar::DebugContext &debugContext = {})
{
    if (shape.size() != nPartitions.size())
        throw poplibs_error("poputil::createPartitionableTensor: " + std::to_string(nPartitions.size()) +
                            " numbers of partitions for " + std::to_string(shape.size()) + " dimensions");
    std::string path = debugContext.getPathName();
    return poplar::handles::make(graph, "poputil::createPartitionableTensor", [&](tw_graph *g) {
        return tw_poputil_create_partitionable(g, poplar::handles::of(type), static_cast<unsigned>(shape.size()),
                                               shape.data(), nPartitions.data(), path.c_str());
    });
}
inline void
iterateTensorPartitions(const poplar::Tensor &t, const std::vector<std::size_t> &nPartitions,
                        const std::function<void(const std::vector<std::size_t> &, const poplar::Tensor &)> &f)
{
    const std::vector<std::size_t> shape = t.shape();
    std::size_t blocks = 1;
    for (std::size_t n : nPartitions) blocks *= n;
    if (shape.size() != nPartitions.size() || !blocks)
        throw poplibs_error("poputil::iterateTensorPartitions: the numbers of partitions do not fit " +
                            t.shapeToString());
    for (std::size_t b = 0; b < blocks; b++) {
        std::vector<std::size_t> place = unflattenIndex(nPartitions, b), begin(shape.size()), end(shape.size());
        for (std::size_t d = 0; d < shape.size(); d++) {
            std::size_t step = (shape[d] + nPartitions[d] - 1) / nPartitions[d];
            begin[d] = std::min(place[d] * step, shape[d]), end[d] = std::min(begin[d] + step, shape[d]);
        }
        f(place, t.slice(begin, end));
    }
}

} // namespace poputil
#endif
