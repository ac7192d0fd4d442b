// SPDX-License-Identifier: MIT
/* Tiles for input and output, and for computing. */
#ifndef GCL_TILE_ALLOCATION_HPP
#define GCL_TILE_ALLOCATION_HPP

#include <poplar/Graph.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <vector>

namespace gcl {

/* Streams need no tiles of their own here: one that can be named. */
inline unsigned getMinIoTiles(const poplar::Graph &)
{
    return 1;
}
/* `count` tiles of each IPU from its tile `offset` on, as numbers of the whole graph. */
inline std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset, unsigned count)
{
    const unsigned each = graph.getTarget().getTilesPerIPU(), all = graph.getTarget().getNumTiles();
    if (offset > each || count > each - offset)
        throw poputil::poplibs_error("gcl::perIPUTiles: tiles " + std::to_string(offset) + " to " +
                                     std::to_string(offset + count) + " of an IPU that has " +
                                     std::to_string(each));
    std::vector<unsigned> tiles;
    for (unsigned first = 0; first < all; first += each)
        for (unsigned t = 0; t < count; t++) tiles.push_back(first + offset + t);
    return tiles;
}

} // namespace gcl
#endif
