// SPDX-License-Identifier: MIT
/* One value for all elements. */
#ifndef POPOPS_FILL_HPP
#define POPOPS_FILL_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops.h>
#include <vector>

namespace popops {

template <class T>
void fill(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog, T value,
          const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::fill", [&](const poplar::handles::Call &c) {
            tw_popops_fill(c.graph, poplar::handles::of(t), static_cast<double>(value), c.sequence, c.path);
        });
}

/* Vertices of a compute set that the caller executes: for elements of some regions (on the tiles they are mapped to,
 * whatever tile is named), of a tile, of all tiles. */
template <class T>
void fill(poplar::Graph &graph, poplar::Tensor t, const std::vector<poplar::Interval> &tileRegions, unsigned,
          poplar::ComputeSet fillCS, T value)
{
    std::vector<poplar::Tensor> parts;
    const poplar::Tensor flat = t.flatten();
    for (const poplar::Interval &i : tileRegions) parts.push_back(flat.slice(i));
    if (parts.empty()) return;
    const poplar::Tensor all = poplar::concat(parts);
    poplar::handles::call(graph, "popops::fill", [&](tw_graph *g) {
        tw_popops_fill_set(g, poplar::handles::of(all), static_cast<double>(value),
                           tw_compute_set{ fillCS.getId() });
    });
}
template <class T>
void fill(poplar::Graph &graph, const poplar::Tensor &t, const std::vector<std::vector<poplar::Interval>> &mapping,
          poplar::ComputeSet fillCS, T value)
{
    std::vector<poplar::Interval> all; /* so that what is wrong with the last is said before the first is built */
    for (const std::vector<poplar::Interval> &tile : mapping) all.insert(all.end(), tile.begin(), tile.end());
    fill(graph, t, all, 0, fillCS, value);
}
template <class T>
void fill(poplar::Graph &graph, const poplar::Tensor &t, unsigned tile, poplar::ComputeSet fillCS, T value)
{
    const auto mapping = graph.getTileMapping(t);
    if (tile >= mapping.size())
        throw poputil::poplibs_error("popops::fill: there is no tile " + std::to_string(tile));
    fill(graph, t, mapping[tile], tile, fillCS, value);
}

} // namespace popops
#endif
