// SPDX-License-Identifier: MIT
/* Plans of CTC losses and searches: a sample is one vertex's, so there is nothing to choose; what the plan is for
 * is kept. */
#ifndef POPNN_CTC_PLAN_HPP
#define POPNN_CTC_PLAN_HPP

#include <algorithm>
#include <cmath>
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

/* Constraints are an object of JSON that names parts a plan could have, each with a number from 1 on: nothing else is
 * there to keep. No text is no constraint. */
class Constraints {
    const char *call;
    const std::string &text;
    std::size_t at = 0;

    [[noreturn]] void wrong() const
    {
        throw poplar::invalid_option(std::string(call) + ": planConstraints cannot be '" + text + "'");
    }
    char next()
    {
        at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
        return at < text.size() ? text[at] : '\0';
    }
    void want(char c)
    {
        if (next() != c) wrong();
        at++;
    }
    std::string upTo(const char *ends)
    {
        const std::size_t from = at;
        at = std::min(text.find_first_of(ends, at), text.size());
        return text.substr(from, at - from);
    }
    void part(bool inside)
    {
        want('"');
        const std::string name = upTo("\"");
        want('"');
        bool known = false;
        for (const char *one : { "parallel", "serial", "batch", "time", "label", "alphabet", "sliceIntoOutput",
                                 "sliceFromInput", "lastBlankOnSeparateTile" })
            known = known || name == one;
        if (!known)
            throw poputil::poplibs_error(std::string(call) + ": planConstraints: there is no part '" + name + "'");
        want(':');
        if (next() == '{' && !inside) return object(true);
        const std::string word = upTo(",} \t\r\n");
        if (word == "true" || word == "false") return;
        const std::size_t digits = word[0] == '-';
        if (word.size() == digits || word.find_first_not_of("0123456789", digits) != std::string::npos) wrong();
        if (digits || word.find_first_not_of('0') == std::string::npos)
            throw poputil::poplibs_error(std::string(call) + ": planConstraints: no plan has less than 1 of '" +
                                         name + "'");
    }
    void object(bool inside)
    {
        want('{');
        if (next() != '}') {
            part(inside);
            while (next() == ',') at++, part(inside);
        }
        want('}');
    }

  public:
    Constraints(const char *call_, const std::string &text_) : call(call_), text(text_) {}
    void check()
    {
        if (!next()) return;
        object(false);
        if (next()) wrong();
    }
};
/* A finite number with nothing around it. */
inline double checkedNumber(const char *call, const std::string &name, const std::string &text)
{
    char *end = nullptr;
    const double n = std::strtod(text.c_str(), &end);
    if (text.find_first_not_of("0123456789.eE+-") != std::string::npos || text.empty() || *end || !std::isfinite(n))
        throw poplar::invalid_option(std::string(call) + ": " + name + " cannot be '" + text + "'");
    return n;
}
/* Options of plans: they are checked, and have no effect otherwise. */
inline void checkPlan(const char *call, const poplar::OptionFlags &options, bool loss)
{
    for (const auto &o : options) {
        const bool type = o.first == "partialsType" && (o.second == "half" || o.second == "float");
        if (type) continue;
        if (!loss && o.first == "sortStageGroups" && checkedNumber(call, o.first, o.second) >= 1) continue;
        if (loss && o.first == "availableMemoryProportion") {
            if (checkedNumber(call, o.first, o.second) > 0) continue;
            throw poputil::poplibs_error(std::string(call) + ": no plan needs only " + o.second + " of the memory");
        }
        if (!loss || o.first != "planConstraints")
            throw poplar::invalid_option(std::string(call) + ": there is no option " + o.first + "=" + o.second);
        Constraints(call, o.second).check();
    }
}

} // namespace detail

} // namespace ctc
} // namespace popnn
#endif
