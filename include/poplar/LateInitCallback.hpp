/* Values of fields that depend on where the vertex's edges lie in a tile's memory. */
#ifndef POPLAR_LATE_INIT_CALLBACK_HPP
#define POPLAR_LATE_INIT_CALLBACK_HPP

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace poplar {

/* For each edge field: where it begins, in bytes from the start of the tile's memory; one entry for each of its
 * vectors. */
struct VertexEdgeInfo {
    struct StorageInfo {
        std::uint64_t startOffset;
    };
    std::map<std::string, std::vector<StorageInfo>> storage;
};

/* Graph::setInitialValue(field, callback) refuses it: nothing tells a graph's host code the addresses yet. */
template <class T> using LateInitCallback = std::function<T(const VertexEdgeInfo &)>;

} // namespace poplar
#endif
