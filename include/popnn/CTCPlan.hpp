// SPDX-License-Identifier: MIT
/* Plans of CTC losses and searches: a sample is one vertex's, so there is nothing to choose; what the plan is for
 * is kept. */
#ifndef POPNN_CTC_PLAN_HPP
#define POPNN_CTC_PLAN_HPP

#include <cstdlib>
#include <ostream>
#include <poplar/OptionFlags.hpp>
#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>
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

    /* That it was made by the plan of a loss ("labels") or of a search ("beams"). */
    void want(const char *call, const std::string &size) const
    {
        for (const std::string &w : what)
            if (w == size) return;
        throw poputil::poplibs_error(std::string(call) + ": a plan of something else, without " + size);
    }

  private:
    std::vector<unsigned> sizes;
    std::vector<std::string> what;
};

namespace detail {

/* Constraints name parts that a plan could have, each with a number from 1 on: nothing else is there to keep. */
inline void checkConstraints(const char *call, const std::string &text)
{
    std::string word;
    for (std::size_t i = 0; i < text.size(); i++) {
        if (text[i] == '"') {
            const std::size_t end = text.find('"', i + 1);
            word = text.substr(i + 1, end == std::string::npos ? end : end - i - 1);
            bool known = false;
            for (const char *name : { "parallel", "serial", "batch", "time", "label", "alphabet", "sliceIntoOutput",
                                      "sliceFromInput", "lastBlankOnSeparateTile" })
                known = known || word == name;
            if (!known)
                throw poputil::poplibs_error(std::string(call) + ": planConstraints: there is no part '" + word +
                                             "'");
            i = end == std::string::npos ? text.size() : end;
        } else if (text[i] == ':' &&
                   text.find_first_of("0123456789{tf-", i + 1) == text.find_first_of("0-", i + 1)) {
            throw poputil::poplibs_error(std::string(call) + ": planConstraints: no plan has less than 1 of '" +
                                         word + "'");
        }
    }
}
/* Options of plans: they are checked, and have no effect otherwise. */
inline void checkPlan(const char *call, const poplar::OptionFlags &options, bool loss)
{
    for (const auto &o : options) {
        const bool type = o.first == "partialsType" && (o.second == "half" || o.second == "float");
        if (type || (!loss && o.first == "sortStageGroups")) continue;
        if (loss && o.first == "availableMemoryProportion") {
            if (std::strtod(o.second.c_str(), nullptr) > 0) continue;
            throw poputil::poplibs_error(std::string(call) + ": no plan needs only " + o.second + " of the memory");
        }
        if (!loss || o.first != "planConstraints")
            throw poplar::invalid_option(std::string(call) + ": there is no option " + o.first + "=" + o.second);
        checkConstraints(call, o.second);
    }
}

} // namespace detail

} // namespace ctc
} // namespace popnn
#endif
