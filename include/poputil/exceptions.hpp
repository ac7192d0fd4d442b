// SPDX-License-Identifier: MIT
/* What the libraries throw when arguments do not fit. Options are poplar::invalid_option. */
#ifndef POPUTIL_EXCEPTIONS_HPP
#define POPUTIL_EXCEPTIONS_HPP

#include <stdexcept>
#include <string>

namespace poputil {

struct poplibs_error : std::runtime_error {
    std::string type; /* name of the class that was thrown */
    explicit poplibs_error(const std::string &s) : std::runtime_error(s), type("poplibs_error") {}
    explicit poplibs_error(const char *s) : std::runtime_error(s), type("poplibs_error") {}
};

namespace detail {
/* What a call says that is declared and not here: it would need a part of the vendor's libraries of its own. */
[[noreturn]] inline void notHere(const char *name)
{
    throw poplibs_error(std::string(name) + " is not in these libraries; './dev poplibs DIR' builds the vendor's");
}
} // namespace detail

} // namespace poputil
#endif
