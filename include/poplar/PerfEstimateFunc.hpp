// SPDX-License-Identifier: MIT
/* Functions that say what a vertex costs. */
#ifndef POPLAR_PERF_ESTIMATE_FUNC_HPP
#define POPLAR_PERF_ESTIMATE_FUNC_HPP

#include <cstdint>
#include <functional>

namespace poplar {

class Target;
class VertexIntrospector;

/* Worker cycles of a Vertex, tile cycles of a MultiVertex. */
struct VertexPerfEstimate {
    std::uint64_t cycles = 0, flops = 0;
    VertexPerfEstimate() = default;
    VertexPerfEstimate(std::uint64_t c) : cycles(c) {}
    VertexPerfEstimate(std::uint64_t c, std::uint64_t f) : cycles(c), flops(f) {}
};

using PerfEstimateFunc = std::function<VertexPerfEstimate(const VertexIntrospector &vertex, const Target &target)>;

} // namespace poplar
#endif
