// SPDX-License-Identifier: MIT
/* Which tile has which elements. */
#ifndef POPUTIL_TILE_MAPPING_HPP
#define POPUTIL_TILE_MAPPING_HPP

#include <memory>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/poputil.h>
#include <tuple>
#include <vector>

namespace poputil {

/* As many entries as tiles get something. */
inline std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(const poplar::Graph &graph,
                                                                        std::vector<std::size_t> shape,
                                                                        unsigned minElementsPerTile,
                                                                        unsigned grainSize)
{
    unsigned tiles = graph.getTarget().getNumTiles();
    std::size_t elements = 1;
    for (std::size_t d : shape) elements *= d;
    std::vector<tw_interval> blocks(tiles);
    std::size_t used =
        tw_poputil_linear_blocks(tiles, elements, minElementsPerTile, grainSize, blocks.data(), tiles);
    std::vector<std::vector<poplar::Interval>> mapping(used);
    for (std::size_t i = 0; i < used; i++) mapping[i].emplace_back(blocks[i].begin, blocks[i].end);
    return mapping;
}
inline std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(const poplar::Graph &graph,
                                                                        const poplar::Tensor &t)
{
    unsigned least = 0, grain = 1;
    poplar::handles::call(graph, "poputil::calcLinearTileMapping", [&](tw_graph *g) {
        tw_poputil_linear_defaults(g, poplar::handles::of(t.elementType()), &least, &grain);
    });
    return calcLinearTileMapping(graph, t.shape(), least, grain);
}

inline void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                              unsigned grainSize)
{
    poplar::handles::call(graph, "poputil::mapTensorLinearly", [&](tw_graph *g) {
        tw_poputil_map_linearly_with(g, poplar::handles::of(t), minElementsPerTile, grainSize, 0);
    });
}
inline void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t)
{
    poplar::handles::call(graph, "poputil::mapTensorLinearly",
                          [&](tw_graph *g) { tw_poputil_map_linearly(g, poplar::handles::of(t)); });
}
/* From tile `offset` on, round the tiles; returns the tile after the last one (of later versions of the API). */
inline unsigned mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t,
                                            unsigned minElementsPerTile, unsigned grainSize, unsigned offset)
{
    unsigned next = 0;
    poplar::handles::call(graph, "poputil::mapTensorLinearlyWithOffset", [&](tw_graph *g) {
        next = tw_poputil_map_linearly_with(g, poplar::handles::of(t), minElementsPerTile, grainSize, offset);
    });
    return next;
}
inline unsigned mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset)
{
    unsigned least = 0, grain = 1;
    poplar::handles::call(graph, "poputil::mapTensorLinearlyWithOffset", [&](tw_graph *g) {
        tw_poputil_linear_defaults(g, poplar::handles::of(t.elementType()), &least, &grain);
    });
    return mapTensorLinearlyWithOffset(graph, t, least, grain, offset);
}

inline unsigned getTileImbalance(const poplar::Graph::TileToTensorMapping &mapping, unsigned minElementsPerTile = 0,
                                 unsigned grainSize = 1)
{
    std::size_t most = 0, all = 0;
    for (const auto &tile : mapping) {
        std::size_t load = 0;
        for (const poplar::Interval &i : tile) load += i.size();
        most = load > most ? load : most, all += load;
    }
    if (mapping.empty()) return 0;
    std::size_t grains = (all + grainSize - 1) / grainSize,
                even = (grains + mapping.size() - 1) / mapping.size() * grainSize;
    if (even < minElementsPerTile) even = minElementsPerTile;
    return static_cast<unsigned>(most > even ? most - even : 0);
}
inline unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t,
                                 unsigned minElementsPerTile = 0, unsigned grainSize = 1)
{
    return getTileImbalance(graph.getTileMapping(t), minElementsPerTile, grainSize);
}

/* Records which tile uses which elements; maps each variable to where it is used. */
class TensorUseTracker {
  public:
    enum class MappingMethod { OptimizeHaloRegions, ConstrainMappingToUsedTiles, None };
    explicit TensorUseTracker(unsigned = 0) : tracker(tw_poputil_tracker_new(), tw_use_tracker_free) {}
    TensorUseTracker(const TensorUseTracker &other) : TensorUseTracker() { add(other); }
    TensorUseTracker(TensorUseTracker &&other) = default;
    TensorUseTracker &operator=(TensorUseTracker other)
    {
        tracker = std::move(other.tracker);
        return *this;
    }
    void add(const poplar::Graph &graph, unsigned tile, const poplar::Tensor &t)
    {
        poplar::handles::call(graph, "poputil::TensorUseTracker::add", [&](tw_graph *g) {
            tw_poputil_tracker_add(g, tracker.get(), tile, poplar::handles::of(t));
        });
    }
    void add(const TensorUseTracker &other) { tw_poputil_tracker_merge(tracker.get(), other.tracker.get()); }
    bool empty() const { return tw_poputil_tracker_empty(tracker.get()); }
    void mapTensorsByUse(poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
                         bool extendPartialUsage = false, MappingMethod method = MappingMethod::None)
    {
        poplar::handles::call(graph, "poputil::TensorUseTracker::mapTensorsByUse", [&](tw_graph *g) {
            tw_poputil_tracker_map(g, tracker.get(), grainSize, minElementsPerTile, extendPartialUsage, of(method));
        });
    }
    void resolve(const poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
                 bool extendPartialUsage = false, MappingMethod mappingMethod = MappingMethod::None)
    {
        poplar::handles::call(graph, "poputil::TensorUseTracker::resolve", [&](tw_graph *g) {
            tw_poputil_tracker_resolve(g, tracker.get(), grainSize, minElementsPerTile, extendPartialUsage,
                                       of(mappingMethod));
        });
    }

  private:
    static tw_use_mapping of(MappingMethod method)
    {
        return method == MappingMethod::None                  ? TW_USE_ANY
               : method == MappingMethod::OptimizeHaloRegions ? TW_USE_HALO
                                                              : TW_USE_USED_TILES;
    }
    std::unique_ptr<tw_use_tracker, void (*)(tw_use_tracker *)> tracker;
};

inline bool dimIsSplitOverTiles(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension)
{
    bool split = false;
    poplar::handles::call(graph, "poputil::dimIsSplitOverTiles", [&](tw_graph *g) {
        split = tw_poputil_dim_is_split(g, poplar::handles::of(t), dimension, false);
    });
    return split;
}
inline bool dimIsSplitOverIPUs(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension)
{
    bool split = false;
    poplar::handles::call(graph, "poputil::dimIsSplitOverIPUs", [&](tw_graph *g) {
        split = tw_poputil_dim_is_split(g, poplar::handles::of(t), dimension, true);
    });
    return split;
}

inline poplar::Tensor createBroadcastOperand(poplar::Graph &graph, const poplar::Tensor &full,
                                             const poplar::Type &type, unsigned dim, bool ditherMapping = false,
                                             const poplar::DebugContext &debugContext = {})
{
    std::string path = debugContext.getPathName();
    return poplar::handles::make(graph, "poputil::createBroadcastOperand", [&](tw_graph *g) {
        return tw_poputil_create_broadcast_operand(g, poplar::handles::of(full), poplar::handles::of(type), dim,
                                                   ditherMapping, path.c_str());
    });
}

/* --- other IPUs and graphs ------------------------------------------------------------------------------------ */

inline poplar::Tensor
cloneToIpu(poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIPU,
           const poplar::DebugContext &debugContext = {},
           poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
{
    std::string path = debugContext.getPathName();
    return poplar::handles::make(graph, "poputil::cloneToIpu", [&](tw_graph *g) {
        return tw_poputil_clone_to_ipu(g, poplar::handles::of(t), dstIPU, path.c_str(),
                                       static_cast<tw_clone_method>(method));
    });
}
namespace detail {
/* Source and destination of a Copy that writes each element of `to`, which may have aliases, once. */
inline std::pair<poplar::Tensor, poplar::Tensor> copiedOnce(const poplar::Graph &graph, const poplar::Tensor &from,
                                                            const poplar::Tensor &to)
{
    if (!to.containsAliases()) return { from, to };
    const poplar::Tensor source = from.flatten(), target = to.flatten();
    const auto once = graph.getSortedContiguousRegions(target, { poplar::Interval(0, target.numElements()) }, true);
    return { poplar::concat(source.slices(once)), poplar::concat(target.slices(once)) };
}
} // namespace detail

inline poplar::Tensor
copyToIpu(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog, unsigned dstIPU,
          const poplar::DebugContext &debugContext = {},
          poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
{
    poplar::Tensor made = cloneToIpu(graph, t, dstIPU, debugContext, method);
    const std::pair<poplar::Tensor, poplar::Tensor> copied = detail::copiedOnce(graph, t, made);
    prog.add(poplar::program::Copy(copied.first, copied.second, false, debugContext));
    return made;
}
/* The caller adds the Copy of copySrc to copyDst. */
inline poplar::Tensor
createIpuCopy(poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIpu, poplar::Tensor &copySrc,
              poplar::Tensor &copyDst, const poplar::DebugContext &debugContext = {},
              poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES)
{
    poplar::Tensor made = cloneToIpu(graph, t, dstIpu, debugContext, method);
    std::tie(copySrc, copyDst) = detail::copiedOnce(graph, t, made);
    return made;
}
inline poplar::Tensor
cloneToGraph(poplar::Graph &srcGraph, poplar::Graph &dstGraph, const poplar::Tensor &t,
             const poplar::DebugContext &debugContext = {},
             poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
{
    std::string path = debugContext.getPathName();
    return poplar::handles::make(dstGraph, "poputil::cloneToGraph", [&](tw_graph *to) {
        return tw_poputil_clone_to_graph(poplar::handles::of(srcGraph), to, poplar::handles::of(t), path.c_str(),
                                         static_cast<tw_clone_method>(method));
    });
}

} // namespace poputil
#endif
