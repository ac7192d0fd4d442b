// SPDX-License-Identifier: MIT
/* half in C++ codelets (guide 2.3.2).
 *
 * On a chip, and on the host with accurateHalf, it is the compiler's 16-bit IEEE type. On the host by default it
 * holds a float: 4 bytes, no rounding. It stays a type of its own there, because `Foo<half>` and `Foo<float>` are
 * different vertices, and mixes with the arithmetic types as _Float16 does: half op half and half op integer give
 * half, half op float gives float. */
#ifndef POPLAR_HALF_FLOAT_HPP
#define POPLAR_HALF_FLOAT_HPP

#include <limits>
#include <type_traits>
#include <utility>

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
    /* Edges to other numbers (Input<float>), which the compiler's own type takes too. */
    template <class A,
              class = typename std::enable_if<std::is_class<A>::value && !std::is_same<A, half>::value &&
                                              std::is_convertible<A, float>::value>::type,
              class = void>
    constexpr half(const A &a) : value(static_cast<float>(a))
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

/* Limits of what a half holds: of binary16, or of the float in its place. */
namespace std {
#if defined(__IPU__) || defined(TW_HALF_F16)
template <> class numeric_limits<half> {
  public:
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
    static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;
    static constexpr bool has_denorm_loss = false, is_iec559 = true, is_bounded = true, is_modulo = false;
    static constexpr bool traps = false, tinyness_before = false;
    static constexpr float_denorm_style has_denorm = denorm_present;
    static constexpr float_round_style round_style = round_to_nearest;
    static constexpr int radix = 2, digits = 11, digits10 = 3, max_digits10 = 5;
    static constexpr int min_exponent = -13, min_exponent10 = -4, max_exponent = 16, max_exponent10 = 4;
    static constexpr half min() noexcept { return half(0x1p-14f); }
    static constexpr half max() noexcept { return half(65504.0f); }
    static constexpr half lowest() noexcept { return half(-65504.0f); }
    static constexpr half epsilon() noexcept { return half(0x1p-10f); }
    static constexpr half round_error() noexcept { return half(0.5f); }
    static constexpr half denorm_min() noexcept { return half(0x1p-24f); }
    static constexpr half infinity() noexcept { return half(__builtin_inff()); }
    static constexpr half quiet_NaN() noexcept { return half(__builtin_nanf("")); }
    static constexpr half signaling_NaN() noexcept { return __builtin_nansf16(""); }
};
#else
template <> class numeric_limits<half> : public numeric_limits<float> {
  public:
    static constexpr half min() noexcept { return numeric_limits<float>::min(); }
    static constexpr half max() noexcept { return numeric_limits<float>::max(); }
    static constexpr half lowest() noexcept { return numeric_limits<float>::lowest(); }
    static constexpr half epsilon() noexcept { return numeric_limits<float>::epsilon(); }
    static constexpr half round_error() noexcept { return numeric_limits<float>::round_error(); }
    static constexpr half denorm_min() noexcept { return numeric_limits<float>::denorm_min(); }
    static constexpr half infinity() noexcept { return numeric_limits<float>::infinity(); }
    static constexpr half quiet_NaN() noexcept { return numeric_limits<float>::quiet_NaN(); }
    static constexpr half signaling_NaN() noexcept { return numeric_limits<float>::signaling_NaN(); }
};
#endif
} // namespace std

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

/* edge op= anything with a number behind it: what the edge refers to changes. */
#define TW__EDGE_ASSIGN(op)                                                                                    \
    template <class E, class A,                                                                                \
              class = typename std::enable_if<std::is_base_of<poplar::detail::HalfEdge, E>::value &&           \
                                              (std::is_arithmetic<A>::value ||                                 \
                                               poplar::detail::IsHalf<A>::value)>::type,                       \
              class = void>                                                                                    \
    inline const E &operator op(const E &a, const A &b)                                                        \
    {                                                                                                          \
        *a op poplar::detail::Operand<A>::number(b);                                                           \
        return a;                                                                                              \
    }
TW__EDGE_ASSIGN(+=)
TW__EDGE_ASSIGN(-=)
TW__EDGE_ASSIGN(*=)
TW__EDGE_ASSIGN(/=)
#undef TW__EDGE_ASSIGN

#if !defined(__IPU__) && !defined(TW_HALF_F16)
/* half op half4, which is a vector of floats here: the compiler knows it of its own 16-bit type only. */
namespace poplar {
namespace detail {
template <class V, class = void> struct IsFloats {
    static constexpr bool value = false;
};
template <class V>
struct IsFloats<V, typename std::enable_if<!std::is_class<V>::value && !std::is_pointer<V>::value &&
                                           !std::is_array<V>::value &&
                                           std::is_same<typename std::decay<decltype(std::declval<V>()[0])>::type,
                                                        float>::value>::type> {
    static constexpr bool value = true;
};
} // namespace detail
} // namespace poplar
#define TW__HALF_VECTOR(op)                                                                                    \
    template <class V, class = typename std::enable_if<poplar::detail::IsFloats<V>::value>::type>              \
    inline V operator op(const half &a, V b)                                                                   \
    {                                                                                                          \
        return static_cast<float>(a) op b;                                                                     \
    }                                                                                                          \
    template <class V, class = typename std::enable_if<poplar::detail::IsFloats<V>::value>::type>              \
    inline V operator op(V a, const half &b)                                                                   \
    {                                                                                                          \
        return a op static_cast<float>(b);                                                                     \
    }
TW__HALF_VECTOR(+)
TW__HALF_VECTOR(-)
TW__HALF_VECTOR(*)
TW__HALF_VECTOR(/)
#undef TW__HALF_VECTOR
#endif

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
