// SPDX-License-Identifier: MIT
/* Plans of CTC losses and searches: a sample is one vertex's, so there is nothing to choose; what the plan is for
 * is kept. */
#ifndef POPNN_CTC_PLAN_HPP
#define POPNN_CTC_PLAN_HPP

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace popnn {
namespace ctc {

class Plan {
  public:
    Plan() = default;
    explicit Plan(std::vector<unsigned> madeFor,
                  std::vector<std::string> names = { "batch", "steps", "labels", "classes" })
        : sizes(std::move(madeFor)), what(std::move(names))
    {
    }
    friend bool operator==(const Plan &a, const Plan &b) { return a.sizes == b.sizes && a.what == b.what; }
    friend bool operator!=(const Plan &a, const Plan &b) { return !(a == b); }
    friend bool operator<(const Plan &a, const Plan &b)
    {
        return a.what != b.what ? a.what < b.what : a.sizes < b.sizes;
    }
    friend std::ostream &operator<<(std::ostream &out, const Plan &plan)
    {
        out << "CTC: one vertex for each sample;";
        for (std::size_t i = 0; i < plan.sizes.size() && i < plan.what.size(); i++)
            out << ' ' << plan.what[i] << ' ' << plan.sizes[i];
        return out << '\n';
    }

  private:
    std::vector<unsigned> sizes;
    std::vector<std::string> what;
};

} // namespace ctc
} // namespace popnn
#endif
