// SPDX-License-Identifier: MIT
/* In which order the best of many come. */
#ifndef POPOPS_SORT_ORDER_HPP
#define POPOPS_SORT_ORDER_HPP

#include <ostream>

namespace popops {

enum class SortOrder { NONE, ASCENDING, DESCENDING };

inline std::ostream &operator<<(std::ostream &out, const SortOrder &order)
{
    static const char *const names[] = { "none", "ascending", "descending" };
    return out << names[static_cast<int>(order)];
}

} // namespace popops
#endif
