// SPDX-License-Identifier: MIT
/* Activations as text. */
#ifndef POPNN_NON_LINEARITY_DEF_UTIL_HPP
#define POPNN_NON_LINEARITY_DEF_UTIL_HPP

#include <istream>
#include <ostream>
#include <popnn/NonLinearityDef.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <string>

namespace popnn {

inline const char *asString(const NonLinearityType &type)
{
    static const char *const names[] = {
        "sigmoid", "hard sigmoid", "relu",           "tanh",           "gelu",
        "swish",   "softmax",      "softmax_stable", "softmax_scaled", "gelu_erf"
    };
    return names[static_cast<int>(type)];
}
inline std::ostream &operator<<(std::ostream &out, const NonLinearityType &type)
{
    return out << asString(type);
}
inline std::istream &operator>>(std::istream &in, NonLinearityType &type)
{
    std::string word, more;
    in >> word;
    if (word == "hard" && in >> more) word += " " + more;
    for (int i = 0; i <= static_cast<int>(NonLinearityType::GELU_ERF); i++)
        if (word == asString(static_cast<NonLinearityType>(i))) {
            type = static_cast<NonLinearityType>(i);
            return in;
        }
    throw poputil::poplibs_error("there is no non-linearity '" + word + "'");
}

} // namespace popnn

namespace poputil {
template <> struct VertexTemplateToString<popnn::NonLinearityType> {
    static std::string to_string(const popnn::NonLinearityType &type)
    {
        static const char *const names[] = { "SIGMOID",        "HARD_SIGMOID", "RELU",    "TANH",
                                             "GELU",           "SWISH",        "SOFTMAX", "SOFTMAX_STABLE",
                                             "SOFTMAX_SCALED", "GELU_ERF" };
        return std::string("popnn::NonLinearityType::") + names[static_cast<int>(type)];
    }
};
} // namespace poputil
#endif
