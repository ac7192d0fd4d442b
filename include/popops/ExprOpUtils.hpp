// SPDX-License-Identifier: MIT
/* Operations of expressions as text: ABSOLUTE, ADD, SELECT ... */
#ifndef POPOPS_EXPR_OP_UTILS_HPP
#define POPOPS_EXPR_OP_UTILS_HPP

#include <ostream>
#include <popops/ExprOp.hpp>
#include <string>

namespace popops {
namespace expr {
namespace ostream_ext {

#define TW__SHOWN(Type)                                                                \
    inline std::ostream &operator<<(std::ostream &out, const Type &op)                 \
    {                                                                                  \
        const std::string name = poputil::VertexTemplateToString<Type>::to_string(op); \
        return out << name.substr(name.rfind(':') + 1);                                \
    }
TW__SHOWN(UnaryOpType)
TW__SHOWN(BinaryOpType)
TW__SHOWN(TernaryOpType)
#undef TW__SHOWN

} // namespace ostream_ext
} // namespace expr
} // namespace popops
#endif
