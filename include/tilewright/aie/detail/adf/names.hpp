// SPDX-License-Identifier: MIT
/* Functions by the names that graphs write as text: initialization_function(k) = "fir::init<8>". Part of
 * <tilewright/aie/adf.hpp>.
 *
 *     TW_ADF_FUNCTION(fir::init<8>);   // at namespace scope, where the function is declared
 *
 * Functions that are no templates are found without it where the program's symbols can be seen (-rdynamic). */
#ifndef TILEWRIGHT_ADF_NAMES_HPP
#define TILEWRIGHT_ADF_NAMES_HPP

#include <cxxabi.h>
#include <dlfcn.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <string>

namespace adf {
namespace detail {

typedef void (*named_function)();

inline std::map<std::string, named_function> &functions()
{
    static std::map<std::string, named_function> all;
    return all;
}
inline std::string without_spaces(const std::string &name)
{
    std::string s;
    for (char c : name)
        if (!std::isspace(static_cast<unsigned char>(c))) s += c;
    return s;
}
inline bool name_function(const char *name, named_function f)
{
    functions()[without_spaces(name)] = f;
    return true;
}
/* "a::b" as the symbol of void a::b() in the Itanium ABI; "" when it is no plain name. */
inline std::string symbol_of(const std::string &name)
{
    std::string parts;
    int count = 0;
    for (size_t at = 0, end; at <= name.size(); at = end + 2, count++) {
        end = std::min(name.find("::", at), name.size());
        std::string part = name.substr(at, end - at);
        if (part.empty() || part.find_first_of("<>(),:") != std::string::npos) return "";
        parts += std::to_string(part.size()) + part;
    }
    return count == 1 ? "_Z" + parts + "v" : "_ZN" + parts + "Ev";
}
/* Of a class, as it is written. */
inline std::string class_name(const char *symbol)
{
    int status = 0;
    char *text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string name = status == 0 && text ? text : symbol;
    std::free(text);
    return name;
}
/* Null when nobody knows it. */
inline named_function function_by_name(const std::string &given)
{
    std::string name = without_spaces(given);
    auto known = functions().find(name);
    if (known != functions().end()) return known->second;
    std::string symbol = symbol_of(name);
    void *at = symbol.empty() ? nullptr : dlsym(RTLD_DEFAULT, symbol.c_str());
    return reinterpret_cast<named_function>(at);
}

} // namespace detail
} // namespace adf

#define TW__ADF_JOIN_(a, b) a##b
#define TW__ADF_JOIN(a, b)  TW__ADF_JOIN_(a, b)
#define TW_ADF_FUNCTION(...)                                                \
    [[maybe_unused]] static const bool TW__ADF_JOIN(tw__named_, __LINE__) = \
        adf::detail::name_function(#__VA_ARGS__, &__VA_ARGS__)

#endif
