// SPDX-License-Identifier: MIT
/* Values of fields that depend on where the vertex's edges lie in a tile's memory. */
#ifndef POPLAR_LATE_INIT_CALLBACK_HPP
#define POPLAR_LATE_INIT_CALLBACK_HPP

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace poplar {

/* For each edge field one entry for each of its vectors (or scalar edges): where it begins, in bytes from the
 * start of the tile's memory, and how many bytes it has. */
struct VertexEdgeInfo {
    struct StorageInfo {
        std::uint64_t startOffs;
        std::uint32_t len;
    };
    std::map<std::string, std::vector<StorageInfo>> storage;
};

/* Asked when an engine is made, once for each engine that executes the vertex; what it throws, the engine's
 * constructor does. Graphs of a CPU are refused there: their data have no addresses. */
template <class T> using LateInitCallback = std::function<T(const VertexEdgeInfo &)>;

} // namespace poplar
#endif
