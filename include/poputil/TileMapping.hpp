// SPDX-License-Identifier: MIT
/* Which tile has which elements. */
#ifndef POPUTIL_TILE_MAPPING_HPP
#define POPUTIL_TILE_MAPPING_HPP

#include <algorithm>
#include <cstdint>
#include <memory>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/poputil.h>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace poputil {

/* Tile number `tile` of a mapping that begins at `offset` and goes up, round the tiles, or begins as far from the
 * last tile and goes down; and back. */
inline unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending)
{
    const unsigned up = (tile + offset % numTiles) % numTiles;
    return ascending ? up : numTiles - 1 - up;
}
inline unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending)
{
    return ((ascending ? tile : numTiles - 1 - tile) + numTiles - offset % numTiles) % numTiles;
}

/* As many entries as tiles get something; an entry for each tile where it is not the first ones, in their order. */
inline std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Target &target, std::vector<std::size_t> shape, unsigned minElementsPerTile,
                      unsigned grainSize, unsigned offset = 0, bool ascendingOrder = true)
{
    const unsigned tiles = target.getNumTiles();
    const bool first = !offset && ascendingOrder;
    std::size_t elements = 1;
    for (std::size_t d : shape) elements *= d;
    std::vector<tw_interval> blocks(tiles);
    const std::size_t used =
        tw_poputil_linear_blocks(tiles, elements, minElementsPerTile, grainSize, blocks.data(), tiles);
    std::vector<std::vector<poplar::Interval>> mapping(first ? used : tiles);
    for (unsigned i = 0; i < used; i++)
        mapping[invTransformTileIndex(i, tiles, offset, ascendingOrder)].emplace_back(blocks[i].begin,
                                                                                      blocks[i].end);
    return mapping;
}
inline std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Graph &graph, std::vector<std::size_t> shape, unsigned minElementsPerTile,
                      unsigned grainSize, unsigned offset = 0, bool ascendingOrder = true)
{
    return calcLinearTileMapping(graph.getTarget(), std::move(shape), minElementsPerTile, grainSize, offset,
                                 ascendingOrder);
}
namespace detail {
/* Least elements on a tile, and what they are a multiple of, by default. */
inline std::pair<unsigned, unsigned> linearDefaults(const poplar::Graph &graph, const poplar::Type &type)
{
    unsigned least = 0, grain = 1;
    poplar::handles::call(graph, "poputil::calcLinearTileMapping", [&](tw_graph *g) {
        tw_poputil_linear_defaults(g, poplar::handles::of(type), &least, &grain);
    });
    return std::make_pair(least, grain);
}
} // namespace detail
/* Of a tensor; a template, so that `{}` is the shape of a scalar. */
template <class T>
typename std::enable_if<std::is_same<T, poplar::Tensor>::value, std::vector<std::vector<poplar::Interval>>>::type
calcLinearTileMapping(const poplar::Graph &graph, const T &t, unsigned offset = 0, bool ascendingOrder = true)
{
    const std::pair<unsigned, unsigned> d = detail::linearDefaults(graph, t.elementType());
    return calcLinearTileMapping(graph, t.shape(), d.first, d.second, offset, ascendingOrder);
}
inline std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(const poplar::Target &target,
                                                                        const std::vector<std::size_t> shape,
                                                                        poplar::Type type, unsigned offset = 0,
                                                                        bool ascendingOrder = true)
{
    const std::pair<unsigned, unsigned> d = detail::linearDefaults(poplar::Graph(target), type);
    return calcLinearTileMapping(target, shape, d.first, d.second, offset, ascendingOrder);
}
/* With the tile after the last one. */
inline std::pair<poplar::Graph::TileToTensorMapping, unsigned>
calcLinearTileMappingAndNewOffset(const poplar::Graph &graph, const poplar::Tensor &t, unsigned offset = 0)
{
    const std::size_t used = calcLinearTileMapping(graph, t).size();
    const std::size_t tiles = graph.getTarget().getNumTiles();
    return std::make_pair(calcLinearTileMapping(graph, t, offset), static_cast<unsigned>((offset + used) % tiles));
}
/* A tile for the first elements of a tensor of this shape, so that small tensors do not all begin on one. */
inline std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape,
                                       std::size_t seed)
{
    std::uint64_t hash = 0xcbf29ce484222325u ^ seed; /* FNV-1a, a dimension at a time */
    for (std::size_t d : shape) hash = (hash ^ d) * 0x100000001b3u;
    return static_cast<std::size_t>((hash ^ hash >> 32) % numTiles);
}
inline std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape)
{
    return chooseMappingOffset(numTiles, shape, 0);
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
/* From tile `offset` on, round the tiles, or down from as far before the last one; returns the tile after the last
 * one (of later versions of the API). */
inline unsigned mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t,
                                            unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                                            bool ascendingOrder = true)
{
    const unsigned tiles = graph.getTarget().getNumTiles();
    const std::size_t used = calcLinearTileMapping(graph, t.shape(), minElementsPerTile, grainSize).size();
    graph.setTileMapping(
        t, calcLinearTileMapping(graph, t.shape(), minElementsPerTile, grainSize, offset, ascendingOrder));
    return invTransformTileIndex(static_cast<unsigned>(used % tiles), tiles, offset, ascendingOrder);
}
inline unsigned mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset = 0,
                                            bool ascendingOrder = true)
{
    const std::pair<unsigned, unsigned> d = detail::linearDefaults(graph, t.elementType());
    return mapTensorLinearlyWithOffset(graph, t, d.first, d.second, offset, ascendingOrder);
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
/* A clone in which each element is there once: those that name one again are mapped linearly from tile `offset` on.
 * With the tile after the last one of these. */
inline std::pair<poplar::Tensor, unsigned> cloneAndExpandAliasing(poplar::Graph &graph, const poplar::Tensor &t,
                                                                  unsigned offset = 0,
                                                                  const poplar::DebugContext &debugContext = {})
{
    const bool aliased = t.containsAliases();
    const poplar::Graph::TileToTensorMapping mapping =
        aliased ? graph.getTileMapping(t) : poplar::Graph::TileToTensorMapping();
    const poplar::Tensor made = graph.clone(t, debugContext);
    const poplar::Tensor flat = made.flatten();
    std::vector<poplar::Tensor> again;
    std::size_t at = 0;
    if (aliased) {
        std::vector<poplar::Interval> first;
        for (const auto &regions : graph.getSortedContiguousRegions(t.flatten(), { { 0, t.numElements() } }, true))
            first.insert(first.end(), regions.begin(), regions.end());
        std::sort(first.begin(), first.end());
        first.emplace_back(t.numElements(), t.numElements());
        for (const poplar::Interval &i : first) {
            if (i.begin() > at) again.push_back(flat.slice(at, i.begin()));
            at = i.end();
        }
        graph.setTileMapping(made, mapping);
    }
    if (!again.empty()) offset = mapTensorLinearlyWithOffset(graph, poplar::concat(again), offset);
    return std::make_pair(made, offset);
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
