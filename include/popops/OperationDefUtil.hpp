// SPDX-License-Identifier: MIT
/* Operations of reductions as words. */
#ifndef POPOPS_OPERATION_DEF_UTIL_HPP
#define POPOPS_OPERATION_DEF_UTIL_HPP

#include <popops/Operation.hpp>

namespace poputil {

inline const char *asString(const popops::Operation &op)
{
    static const char *const words[] = { "Add",         "Mul",        "Min",        "Max",
                                         "Logical And", "Logical Or", "Square Add", "Log Add" };
    return words[static_cast<int>(op)];
}

} // namespace poputil
#endif
