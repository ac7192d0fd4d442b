// SPDX-License-Identifier: MIT
/* The functions of <cmath> for half and for edges to a half.
 *
 * A half is promoted to float, as guide 2.3.2 says of operations that are not vectorised, and the result is a float:
 * it is rounded when it becomes a half again. In calls with several arguments a half counts as a float, so that
 * pow(half, double) is a double. Included by the <cmath> and <math.h> of codelets. */
#ifndef TW_HALF_MATH_HPP
#define TW_HALF_MATH_HPP

#include <poplar/HalfFloat.hpp>

namespace poplar {
namespace detail {

/* A half, or an edge to one, counts as a float; another arithmetic type as what the standard says: integers as
 * double. Nothing for other types. */
template <class A, bool = IsHalf<A>::value, bool = std::is_arithmetic<A>::value, bool = std::is_integral<A>::value>
struct MathType {};
template <class A, bool Arithmetic, bool Integral> struct MathType<A, true, Arithmetic, Integral> {
    typedef float type;
};
template <class A> struct MathType<A, false, true, true> {
    typedef double type;
};
template <class A> struct MathType<A, false, true, false> {
    typedef A type;
};

template <class A> struct IfHalf : std::enable_if<IsHalf<A>::value, float> {};

/* Type in which a function of A and B is computed, when one of them is a half. */
template <class A, class B, bool = IsHalf<A>::value || IsHalf<B>::value> struct MathTypes {};
template <class A, class B> struct MathTypes<A, B, true> {
    typedef decltype(typename MathType<A>::type() + typename MathType<B>::type()) type;
};
template <class A, class B, class C, bool = IsHalf<A>::value || IsHalf<B>::value || IsHalf<C>::value>
struct MathTypes3 {};
template <class A, class B, class C> struct MathTypes3<A, B, C, true> {
    typedef decltype(typename MathType<A>::type() + typename MathType<B>::type() +
                     typename MathType<C>::type()) type;
};

template <class A> constexpr typename MathType<A>::type mathValue(const A &a)
{
    return static_cast<typename MathType<A>::type>(Operand<A>::number(a));
}

} // namespace detail
} // namespace poplar

// clang-format off
namespace std {

#define TW__HALF_1(name, result)                                                                                \
    template <class A, class = typename poplar::detail::IfHalf<A>::type> inline result name(const A &a)         \
    {                                                                                                           \
        return std::name(poplar::detail::mathValue(a));                                                         \
    }
#define TW__HALF_2(name, result)                                                                                \
    template <class A, class B, class R = typename poplar::detail::MathTypes<A, B>::type>                       \
    inline result name(const A &a, const B &b)                                                                  \
    {                                                                                                           \
        return std::name(static_cast<R>(poplar::detail::mathValue(a)),                                          \
                         static_cast<R>(poplar::detail::mathValue(b)));                                         \
    }
#define TW__HALF_3(name)                                                                                        \
    template <class A, class B, class C, class R = typename poplar::detail::MathTypes3<A, B, C>::type>          \
    inline R name(const A &a, const B &b, const C &c)                                                           \
    {                                                                                                           \
        return std::name(static_cast<R>(poplar::detail::mathValue(a)),                                          \
                         static_cast<R>(poplar::detail::mathValue(b)),                                          \
                         static_cast<R>(poplar::detail::mathValue(c)));                                         \
    }
/* A half and something that stays as it is. */
#define TW__HALF_WITH(name, result, other)                                                                      \
    template <class A, class = typename poplar::detail::IfHalf<A>::type>                                        \
    inline result name(const A &a, other b)                                                                     \
    {                                                                                                           \
        return std::name(poplar::detail::mathValue(a), b);                                                      \
    }
TW__HALF_1(acos, float) TW__HALF_1(asin, float) TW__HALF_1(atan, float) TW__HALF_1(cos, float)
TW__HALF_1(sin, float) TW__HALF_1(tan, float) TW__HALF_1(acosh, float) TW__HALF_1(asinh, float)
TW__HALF_1(atanh, float) TW__HALF_1(cosh, float) TW__HALF_1(sinh, float) TW__HALF_1(tanh, float)
TW__HALF_1(exp, float) TW__HALF_1(exp2, float) TW__HALF_1(expm1, float) TW__HALF_1(log, float)
TW__HALF_1(log10, float) TW__HALF_1(log1p, float) TW__HALF_1(log2, float) TW__HALF_1(logb, float)
TW__HALF_1(cbrt, float) TW__HALF_1(fabs, float) TW__HALF_1(abs, float) TW__HALF_1(sqrt, float)
TW__HALF_1(erf, float) TW__HALF_1(erfc, float) TW__HALF_1(lgamma, float) TW__HALF_1(tgamma, float)
TW__HALF_1(ceil, float) TW__HALF_1(floor, float) TW__HALF_1(nearbyint, float) TW__HALF_1(rint, float)
TW__HALF_1(round, float) TW__HALF_1(trunc, float)
TW__HALF_1(ilogb, int) TW__HALF_1(lrint, long) TW__HALF_1(llrint, long long) TW__HALF_1(lround, long)
TW__HALF_1(llround, long long) TW__HALF_1(fpclassify, int) TW__HALF_1(isfinite, bool) TW__HALF_1(isinf, bool)
TW__HALF_1(isnan, bool) TW__HALF_1(isnormal, bool) TW__HALF_1(signbit, bool)
TW__HALF_2(atan2, R) TW__HALF_2(pow, R) TW__HALF_2(hypot, R) TW__HALF_2(fmod, R) TW__HALF_2(remainder, R)
TW__HALF_2(copysign, R) TW__HALF_2(nextafter, R) TW__HALF_2(fdim, R) TW__HALF_2(fmax, R) TW__HALF_2(fmin, R)
TW__HALF_2(isgreater, bool) TW__HALF_2(isgreaterequal, bool) TW__HALF_2(isless, bool)
TW__HALF_2(islessequal, bool) TW__HALF_2(islessgreater, bool) TW__HALF_2(isunordered, bool)
TW__HALF_3(fma)
#if __cplusplus >= 201703L
TW__HALF_3(hypot)
#endif
TW__HALF_WITH(frexp, float, int *) TW__HALF_WITH(ldexp, float, int) TW__HALF_WITH(scalbn, float, int)
TW__HALF_WITH(scalbln, float, long) TW__HALF_WITH(nexttoward, float, long double)
TW__HALF_WITH(modf, float, float *)

/* The whole part of a half is one. */
template <class A, class = typename poplar::detail::IfHalf<A>::type> inline float modf(const A &a, half *whole)
{
    float part, rest = std::modf(poplar::detail::mathValue(a), &part);
    *whole = static_cast<half>(part);
    return rest;
}
template <class A, class B, class R = typename poplar::detail::MathTypes<A, B>::type>
inline R remquo(const A &a, const B &b, int *quotient)
{
    return std::remquo(static_cast<R>(poplar::detail::mathValue(a)), static_cast<R>(poplar::detail::mathValue(b)),
                       quotient);
}

#ifdef __cpp_lib_math_special_functions
#define TW__HALF_ORDER(name)                                                                                    \
    template <class A, class = typename poplar::detail::IfHalf<A>::type>                                        \
    inline float name(unsigned n, const A &a)                                                                   \
    {                                                                                                           \
        return std::name(n, poplar::detail::mathValue(a));                                                      \
    }
#define TW__HALF_ORDERS(name)                                                                                   \
    template <class A, class = typename poplar::detail::IfHalf<A>::type>                                        \
    inline float name(unsigned n, unsigned m, const A &a)                                                       \
    {                                                                                                           \
        return std::name(n, m, poplar::detail::mathValue(a));                                                   \
    }
TW__HALF_1(comp_ellint_1, float) TW__HALF_1(comp_ellint_2, float) TW__HALF_1(expint, float)
TW__HALF_1(riemann_zeta, float)
TW__HALF_2(beta, R) TW__HALF_2(comp_ellint_3, R) TW__HALF_2(cyl_bessel_i, R) TW__HALF_2(cyl_bessel_j, R)
TW__HALF_2(cyl_bessel_k, R) TW__HALF_2(cyl_neumann, R) TW__HALF_2(ellint_1, R) TW__HALF_2(ellint_2, R)
TW__HALF_3(ellint_3) TW__HALF_ORDER(hermite) TW__HALF_ORDER(laguerre) TW__HALF_ORDER(legendre)
TW__HALF_ORDER(sph_bessel) TW__HALF_ORDER(sph_neumann) TW__HALF_ORDERS(assoc_laguerre)
TW__HALF_ORDERS(assoc_legendre) TW__HALF_ORDERS(sph_legendre)
#undef TW__HALF_ORDER
#undef TW__HALF_ORDERS
#endif

#undef TW__HALF_1
#undef TW__HALF_2
#undef TW__HALF_3
#undef TW__HALF_WITH

} // namespace std
// clang-format on

#endif
