// SPDX-License-Identifier: MIT
/* Plans of CTC losses: a sample is one vertex's, so there is nothing to choose; what the plan is for is kept. */
#ifndef POPNN_CTC_PLAN_HPP
#define POPNN_CTC_PLAN_HPP

#include <ostream>
#include <vector>

namespace popnn {
namespace ctc {

class Plan {
  public:
    Plan() = default;
    explicit Plan(std::vector<unsigned> madeFor) : sizes(std::move(madeFor)) {}
    friend bool operator==(const Plan &a, const Plan &b) { return a.sizes == b.sizes; }
    friend bool operator!=(const Plan &a, const Plan &b) { return !(a == b); }
    friend bool operator<(const Plan &a, const Plan &b) { return a.sizes < b.sizes; }
    friend std::ostream &operator<<(std::ostream &out, const Plan &plan)
    {
        static const char *const names[] = { "batch", "steps", "labels", "classes" };
        out << "CTC loss: one vertex for each sample;";
        for (std::size_t i = 0; i < plan.sizes.size() && i < 4; i++) out << ' ' << names[i] << ' ' << plan.sizes[i];
        return out << '\n';
    }

  private:
    std::vector<unsigned> sizes;
};

} // namespace ctc
} // namespace popnn
#endif
