// SPDX-License-Identifier: MIT
/* A cache notes what was planned with it, and for how many tiles first: a Partitioner for a target of several IPUs
 * takes the plan of tensors on one of them from it. Planning itself takes little time. */
#ifndef POPSPARSE_PLANNING_CACHE_HPP
#define POPSPARSE_PLANNING_CACHE_HPP

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace poplin {
class PlanningCache;
namespace matmul {
class PlanningCache;
}
} // namespace poplin

namespace popsparse {
namespace dynamic {

class PlanningCache {
    std::map<std::string, unsigned> plans;

  public:
    PlanningCache() = default;
    /* Plans of dense products are none of these. */
    PlanningCache(poplin::matmul::PlanningCache *) {}
    PlanningCache(poplin::PlanningCache *) {}
    std::size_t size() const { return plans.size(); }
    /* Tiles of the first plan of this. */
    unsigned note(std::string what, unsigned tiles) { return plans.emplace(std::move(what), tiles).first->second; }
};

} // namespace dynamic

namespace static_ {
class PlanningCache : public dynamic::PlanningCache {
  public:
    using dynamic::PlanningCache::PlanningCache;
};
} // namespace static_
} // namespace popsparse
#endif
