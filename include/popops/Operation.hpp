// SPDX-License-Identifier: MIT
/* What reductions join elements with. */
#ifndef POPOPS_OPERATION_HPP
#define POPOPS_OPERATION_HPP

#include <istream>
#include <ostream>
#include <popops/OperationDef.hpp>
#include <poputil/VertexTemplates.hpp>
#include <string>

namespace popops {

inline const char *operationName(Operation op)
{
    static const char *const names[] = { "ADD",         "MUL",        "MIN",        "MAX",
                                         "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOG_ADD" };
    return names[static_cast<int>(op)];
}
inline std::ostream &operator<<(std::ostream &out, const Operation &op)
{
    return out << operationName(op);
}
inline std::istream &operator>>(std::istream &in, Operation &op)
{
    std::string word;
    in >> word;
    for (int i = 0; i < 8; i++)
        if (word == operationName(static_cast<Operation>(i))) {
            op = static_cast<Operation>(i);
            return in;
        }
    in.setstate(std::ios::failbit);
    return in;
}

} // namespace popops

namespace poputil {
template <> struct VertexTemplateToString<popops::Operation> {
    static std::string to_string(const popops::Operation &op)
    {
        return std::string("popops::Operation::") + popops::operationName(op);
    }
};
} // namespace poputil
#endif
