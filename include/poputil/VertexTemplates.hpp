// SPDX-License-Identifier: MIT
/* Names of vertices with template arguments. */
#ifndef POPUTIL_VERTEX_TEMPLATES_HPP
#define POPUTIL_VERTEX_TEMPLATES_HPP

#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <string>
#include <utility>

namespace poputil {

/* Text of an argument: std::to_string, unless a type has a form of its own. */
template <class T> struct VertexTemplateToString {
    static std::string to_string(const T &v) { return std::to_string(v); }
};
template <> struct VertexTemplateToString<poplar::StringRef> {
    static std::string to_string(const poplar::StringRef &s) { return s; }
};
template <> struct VertexTemplateToString<const char *> {
    static std::string to_string(const char *s) { return s; }
};
template <std::size_t n> struct VertexTemplateToString<char[n]> {
    static std::string to_string(const char *s) { return s; }
};
template <> struct VertexTemplateToString<std::string> {
    static std::string to_string(const std::string &s) { return s; }
};
template <> struct VertexTemplateToString<poplar::Type> {
    static std::string to_string(const poplar::Type &t) { return t.toString(); }
};
template <> struct VertexTemplateToString<bool> {
    static std::string to_string(bool b) { return b ? "true" : "false"; }
};

inline void addTemplateArguments(std::string &) {}
template <class T, class... More> void addTemplateArguments(std::string &text, const T &first, const More &...more)
{
    if (text.back() != '<') text += ',';
    text += VertexTemplateToString<T>::to_string(first);
    addTemplateArguments(text, more...);
}

inline std::string templateVertex(const std::string &name)
{
    return name;
}
template <class... Args> std::string templateVertex(const std::string &name, const Args &...args)
{
    std::string text = name + "<";
    addTemplateArguments(text, args...);
    return text + ">";
}

} // namespace poputil
#endif
