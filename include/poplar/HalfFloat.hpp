/* half in C++ codelets (guide 2.3.2).
 *
 * On a chip, and on the host with accurateHalf, it is the compiler's 16-bit IEEE type. On the host by default it
 * holds a float: 4 bytes, no rounding. It stays a type of its own there, because `Foo<half>` and `Foo<float>` are
 * different vertices, and mixes with the arithmetic types as _Float16 does: half op half and half op integer give
 * half, half op float gives float. */
#ifndef POPLAR_HALF_FLOAT_HPP
#define POPLAR_HALF_FLOAT_HPP

#include <type_traits>

#if defined(__IPU__) || defined(TW_HALF_F16)

typedef _Float16 half;

#else

class half {
    float value;

  public:
    half() = default;
    template <class A, class = typename std::enable_if<std::is_arithmetic<A>::value>::type>
    constexpr half(A a) : value(static_cast<float>(a))
    {
    }
    constexpr operator float() const { return value; }
    template <class A> half &operator+=(const A &a) { return *this = half(value + static_cast<float>(a)); }
    template <class A> half &operator-=(const A &a) { return *this = half(value - static_cast<float>(a)); }
    template <class A> half &operator*=(const A &a) { return *this = half(value * static_cast<float>(a)); }
    template <class A> half &operator/=(const A &a) { return *this = half(value / static_cast<float>(a)); }
    half &operator++() { return *this += 1; }
    half &operator--() { return *this -= 1; }
    half operator++(int)
    {
        half old = *this;
        *this += 1;
        return old;
    }
    half operator--(int)
    {
        half old = *this;
        *this -= 1;
        return old;
    }
};
constexpr half operator-(half a)
{
    return half(-static_cast<float>(a));
}
constexpr half operator+(half a)
{
    return a;
}

#endif

namespace poplar {
using ::half;

namespace detail {

/* Base of edges to a half (Input<half>...), which take part in arithmetic like the half they refer to. */
struct HalfEdge {};

template <class A> struct IsHalf {
    static constexpr bool value = std::is_same<A, half>::value || std::is_base_of<HalfEdge, A>::value;
};
template <class A> struct IsOther {
    static constexpr bool value = std::is_arithmetic<A>::value && !IsHalf<A>::value;
};

/* Type of `A op B`, when one is a half in the sense above, the other that or an arithmetic type, and the compiler's
 * own operators do not do it: nothing otherwise. */
template <class A, class B, bool = IsHalf<A>::value && IsHalf<B>::value,
          bool = (IsHalf<A>::value && IsOther<B>::value) || (IsOther<A>::value && IsHalf<B>::value),
          bool = std::is_class<A>::value || std::is_class<B>::value>
struct HalfResult {};
template <class A, class B> struct HalfResult<A, B, true, false, true> {
    typedef half type;
};
template <class A, class B> struct HalfResult<A, B, false, true, true> {
    typedef typename std::conditional<IsHalf<A>::value, B, A>::type other;
    typedef typename std::conditional<std::is_floating_point<other>::value, other, half>::type type;
};

/* The number behind an operand; a half that holds a float gives the float. */
template <class A, bool = IsHalf<A>::value> struct Operand {
    static constexpr A number(const A &a) { return a; }
};
template <class A> struct Operand<A, true> {
#if defined(__IPU__) || defined(TW_HALF_F16)
    static constexpr half number(const half &a) { return a; }
#else
    static constexpr float number(const half &a) { return a; }
#endif
};

} // namespace detail
} // namespace poplar

// clang-format off
#define TW__HALF_OPERATOR(op)                                                                                  \
    template <class A, class B>                                                                                \
    constexpr typename poplar::detail::HalfResult<A, B>::type operator op(const A &a, const B &b)              \
    {                                                                                                          \
        return static_cast<typename poplar::detail::HalfResult<A, B>::type>(                                   \
            poplar::detail::Operand<A>::number(a) op poplar::detail::Operand<B>::number(b));                   \
    }
TW__HALF_OPERATOR(+)
TW__HALF_OPERATOR(-)
TW__HALF_OPERATOR(*)
TW__HALF_OPERATOR(/)
#undef TW__HALF_OPERATOR

/* x += edge: the compiler's own candidates have no 16-bit type. */
#define TW__HALF_ASSIGN(op)                                                                                    \
    template <class A, class E,                                                                                \
              class = typename std::enable_if<(std::is_arithmetic<A>::value || std::is_same<A, half>::value) &&\
                                              std::is_base_of<poplar::detail::HalfEdge, E>::value>::type>      \
    inline A &operator op(A &a, const E &b)                                                                    \
    {                                                                                                          \
        return a op poplar::detail::Operand<E>::number(b);                                                     \
    }
TW__HALF_ASSIGN(+=)
TW__HALF_ASSIGN(-=)
TW__HALF_ASSIGN(*=)
TW__HALF_ASSIGN(/=)
#undef TW__HALF_ASSIGN

#define TW__HALF_COMPARE(op)                                                                                   \
    template <class A, class B, class = typename poplar::detail::HalfResult<A, B>::type>                       \
    constexpr bool operator op(const A &a, const B &b)                                                         \
    {                                                                                                          \
        return poplar::detail::Operand<A>::number(a) op poplar::detail::Operand<B>::number(b);                 \
    }
TW__HALF_COMPARE(==)
TW__HALF_COMPARE(!=)
TW__HALF_COMPARE(<)
TW__HALF_COMPARE(<=)
TW__HALF_COMPARE(>)
TW__HALF_COMPARE(>=)
#undef TW__HALF_COMPARE
// clang-format on

#endif
