// SPDX-License-Identifier: MIT
/* Operations of expressions, by number. */
#ifndef POPOPS_EXPR_OP_HPP
#define POPOPS_EXPR_OP_HPP

#include <poputil/VertexTemplates.hpp>
#include <string>
#include <tilewright/poplibs/expr_ops.h>

namespace popops {
namespace expr {

#define TW__ROW(name, number, call, Class, ENUM, symbol, types, result, real, integer) ENUM = number,
enum class UnaryOpType { TW_EXPR_UNARY(TW__ROW) };
enum class BinaryOpType { TW_EXPR_BINARY(TW__ROW) };
enum class TernaryOpType { TW_EXPR_TERNARY(TW__ROW) };
#undef TW__ROW

/* As texts of expressions call them. */
#define TW__ROW(name, number, call, Class, ENUM, symbol, types, result, real, integer) \
    case Type::ENUM: return #name;
inline const char *nameOf(UnaryOpType op)
{
    using Type = UnaryOpType;
    switch (op) {
        TW_EXPR_UNARY(TW__ROW)
    }
    return "";
}
inline const char *nameOf(BinaryOpType op)
{
    using Type = BinaryOpType;
    switch (op) {
        TW_EXPR_BINARY(TW__ROW)
    }
    return "";
}
inline const char *nameOf(TernaryOpType op)
{
    using Type = TernaryOpType;
    switch (op) {
        TW_EXPR_TERNARY(TW__ROW)
    }
    return "";
}
#undef TW__ROW

} // namespace expr
} // namespace popops

namespace poputil {

#define TW__ROW(name, number, call, Class, ENUM, symbol, types, result, real, integer) \
    case Type::ENUM: return TW__PREFIX #ENUM;
#define TW__NAMES(Type_, TABLE)                                      \
    template <> struct VertexTemplateToString<popops::expr::Type_> { \
        static std::string to_string(const popops::expr::Type_ &op)  \
        {                                                            \
            using Type = popops::expr::Type_;                        \
            switch (op) {                                            \
                TABLE(TW__ROW)                                       \
            }                                                        \
            return "";                                               \
        }                                                            \
    };
#define TW__PREFIX "popops::expr::UnaryOpType::"
TW__NAMES(UnaryOpType, TW_EXPR_UNARY)
#undef TW__PREFIX
#define TW__PREFIX "popops::expr::BinaryOpType::"
TW__NAMES(BinaryOpType, TW_EXPR_BINARY)
#undef TW__PREFIX
#define TW__PREFIX "popops::expr::TernaryOpType::"
TW__NAMES(TernaryOpType, TW_EXPR_TERNARY)
#undef TW__PREFIX
#undef TW__NAMES
#undef TW__ROW

} // namespace poputil
#endif
