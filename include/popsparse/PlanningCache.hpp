// SPDX-License-Identifier: MIT
/* A cache notes what tensors and products were planned with it, and for how many tiles: a Partitioner made after the
 * tensors for a target of several IPUs takes the plan of tensors on a part of it. Planning itself takes little
 * time. */
#ifndef POPSPARSE_PLANNING_CACHE_HPP
#define POPSPARSE_PLANNING_CACHE_HPP

#include <cstddef>
#include <map>
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
    std::map<std::string, std::set<unsigned>> plans;

  public:
    PlanningCache() = default;
    /* Plans of dense products are none of these. */
    PlanningCache(poplin::matmul::PlanningCache *) {}
    PlanningCache(poplin::PlanningCache *) {}
    std::size_t size() const { return plans.size(); }
    void note(const std::string &what, unsigned tiles) { plans[what].insert(tiles); }
    /* Numbers of tiles that this was planned for. */
    std::set<unsigned> tiles(const std::string &what) const
    {
        const auto found = plans.find(what);
        return found == plans.end() ? std::set<unsigned>() : found->second;
    }
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
