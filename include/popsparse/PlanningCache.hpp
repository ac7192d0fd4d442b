// SPDX-License-Identifier: MIT
/* A cache notes what was planned with it; planning itself takes little time. */
#ifndef POPSPARSE_PLANNING_CACHE_HPP
#define POPSPARSE_PLANNING_CACHE_HPP

#include <cstddef>
#include <set>
#include <string>

namespace poplin {
class PlanningCache;
namespace matmul {
class PlanningCache;
}
} // namespace poplin

namespace popsparse {
namespace dynamic {

class PlanningCache {
    std::set<std::string> plans;

  public:
    PlanningCache() = default;
    /* Plans of dense products are none of these. */
    PlanningCache(poplin::matmul::PlanningCache *) {}
    PlanningCache(poplin::PlanningCache *) {}
    std::size_t size() const { return plans.size(); }
    void note(std::string what) { plans.insert(std::move(what)); }
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
