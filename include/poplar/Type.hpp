// SPDX-License-Identifier: MIT
/* Element types. Comparable, usable as keys; the constants are usable while other libraries are initialised. */
#ifndef POPLAR_TYPE_HPP
#define POPLAR_TYPE_HPP

#include <cstddef>
#include <functional>
#include <ostream>
#include <poplar/StringRef.hpp>
#include <string>

namespace poplar {

class IeeeHalf;

class Type {
  public:
    constexpr Type() : code(0) {}
    constexpr explicit Type(unsigned c) : code(c) {} /* for the constants below: place in their list, from 1 */
    std::string toString() const;                    /* "unsigned int" */
    std::size_t hash() const { return code; }
    constexpr unsigned getCode() const { return code; }
    bool requiresMetadata() const; /* format and scale lie elsewhere: true for QUARTER */
    bool isFloatingPoint() const;

  private:
    unsigned code;
};

inline constexpr bool operator==(const Type &a, const Type &b)
{
    return a.getCode() == b.getCode();
}
inline constexpr bool operator!=(const Type &a, const Type &b)
{
    return a.getCode() != b.getCode();
}
inline constexpr bool operator<(const Type &a, const Type &b)
{
    return a.getCode() < b.getCode();
}
inline std::ostream &operator<<(std::ostream &out, const Type &type)
{
    return out << type.toString();
}

/* X(NAME, code, text): several names of one type share a code. */
#define POPLAR_TYPE_LIST(X)  \
    X(BOOL, 1)               \
    X(CHAR, 2)               \
    X(SIGNED_CHAR, 3)        \
    X(UNSIGNED_CHAR, 4)      \
    X(SHORT, 5)              \
    X(SIGNED_SHORT, 5)       \
    X(UNSIGNED_SHORT, 6)     \
    X(INT, 7)                \
    X(SIGNED_INT, 7)         \
    X(SIGNED, 7)             \
    X(UNSIGNED_INT, 8)       \
    X(UNSIGNED, 8)           \
    X(LONG, 9)               \
    X(SIGNED_LONG, 9)        \
    X(UNSIGNED_LONG, 10)     \
    X(LONGLONG, 11)          \
    X(SIGNED_LONGLONG, 11)   \
    X(UNSIGNED_LONGLONG, 12) \
    X(HALF, 13)              \
    X(FLOAT, 14)             \
    X(DOUBLE, 15)            \
    X(QUARTER, 16)           \
    X(QUARTER_METADATA, 17)
/* Not const, as programs pass them as Type &; nobody writes to them. */
#define POPLAR_TYPE_CONSTANT(name, code) extern Type name;
POPLAR_TYPE_LIST(POPLAR_TYPE_CONSTANT)
#undef POPLAR_TYPE_CONSTANT

/* equivalent_device_type<float>().value is FLOAT. */
template <class T> struct equivalent_device_type;
#define POPLAR_DECLARE_EQUIV_TYPE(host, TYPE)               \
    template <> struct equivalent_device_type<host> {       \
        const ::poplar::Type &value;                        \
        equivalent_device_type() : value(::poplar::TYPE) {} \
    };
POPLAR_DECLARE_EQUIV_TYPE(bool, BOOL)
POPLAR_DECLARE_EQUIV_TYPE(char, CHAR)
POPLAR_DECLARE_EQUIV_TYPE(signed char, SIGNED_CHAR)
POPLAR_DECLARE_EQUIV_TYPE(unsigned char, UNSIGNED_CHAR)
POPLAR_DECLARE_EQUIV_TYPE(short, SHORT)
POPLAR_DECLARE_EQUIV_TYPE(unsigned short, UNSIGNED_SHORT)
POPLAR_DECLARE_EQUIV_TYPE(int, INT)
POPLAR_DECLARE_EQUIV_TYPE(unsigned, UNSIGNED_INT)
POPLAR_DECLARE_EQUIV_TYPE(long, LONG)
POPLAR_DECLARE_EQUIV_TYPE(unsigned long, UNSIGNED_LONG)
POPLAR_DECLARE_EQUIV_TYPE(long long, LONGLONG)
POPLAR_DECLARE_EQUIV_TYPE(unsigned long long, UNSIGNED_LONGLONG)
POPLAR_DECLARE_EQUIV_TYPE(IeeeHalf, HALF)
POPLAR_DECLARE_EQUIV_TYPE(float, FLOAT)
POPLAR_DECLARE_EQUIV_TYPE(double, DOUBLE)

} // namespace poplar

namespace std {
template <> struct hash<poplar::Type> {
    size_t operator()(const poplar::Type &t) const { return t.hash(); }
};
} // namespace std
#endif
