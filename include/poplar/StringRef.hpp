// SPDX-License-Identifier: MIT
/* A reference to text that lies somewhere else. */
#ifndef POPLAR_STRING_REF_HPP
#define POPLAR_STRING_REF_HPP

#include <cstddef>
#include <cstring>
#include <ostream>
#include <poplar/ArrayRef.hpp>
#include <string>

namespace poplar {

class StringRef : public ArrayRef<char> {
  public:
    StringRef() = default;
    StringRef(std::nullptr_t) = delete;
    StringRef(const std::string &s) : ArrayRef<char>(s.data(), s.size()) {}
    StringRef(const char *s, std::size_t size) : ArrayRef<char>(s, size) {}
    StringRef(const char *s) : ArrayRef<char>(s, std::strlen(s)) {}
    std::string cloneAsString() const { return std::string(begin(), end()); }
    operator std::string() const { return cloneAsString(); }
};

inline bool operator==(StringRef a, StringRef b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}
inline bool operator!=(StringRef a, StringRef b)
{
    return !(a == b);
}
inline bool operator<(StringRef a, StringRef b)
{
    return a.cloneAsString() < b.cloneAsString();
}
inline std::string operator+(StringRef a, StringRef b)
{
    return a.cloneAsString() + b.cloneAsString();
}
inline std::string operator+(const char *a, StringRef b)
{
    return a + b.cloneAsString();
}
inline std::string operator+(const std::string &a, StringRef b)
{
    return a + b.cloneAsString();
}
inline std::string operator+(StringRef a, const char *b)
{
    return a.cloneAsString() + b;
}
inline std::string operator+(StringRef a, const std::string &b)
{
    return a.cloneAsString() + b;
}
inline std::string &operator+=(std::string &a, StringRef b)
{
    return a.append(b.begin(), b.end());
}
inline std::ostream &operator<<(std::ostream &out, StringRef s)
{
    return out.write(s.data(), static_cast<std::streamsize>(s.size()));
}

} // namespace poplar
#endif
