// SPDX-License-Identifier: MIT
/* Whole numbers divided, aligned and shared out; lists as sources of later versions name them. */
#ifndef GCCS_ALGORITHM_HPP
#define GCCS_ALGORITHM_HPP

#include <poplar/ArrayRef.hpp>
#include <type_traits>
#include <utility>

namespace gccs {

/* Of a type that both fit in; neither is negative, b is at least 1. */
template <class A, class B> constexpr typename std::common_type<A, B>::type ceildiv(A a, B b)
{
    return static_cast<typename std::common_type<A, B>::type>(a / b + (a % b != 0));
}
template <class A, class B> constexpr typename std::common_type<A, B>::type floordiv(A a, B b)
{
    return static_cast<typename std::common_type<A, B>::type>(a / b);
}
/* 0 where b is 0. */
template <class A, class B> constexpr typename std::common_type<A, B>::type ceildiv0(A a, B b)
{
    return b == 0 ? typename std::common_type<A, B>::type(0) : ceildiv(a, b);
}
/* The nearest multiple of b that is not below a, or not above it. */
template <class A, class B> constexpr typename std::common_type<A, B>::type alignNext(A a, B b)
{
    return ceildiv(a, b) * b;
}
template <class A, class B> constexpr typename std::common_type<A, B>::type alignPrev(A a, B b)
{
    return floordiv(a, b) * b;
}
/* The smallest k with 2^k >= n; 0 for 0. */
template <class T> constexpr unsigned ceilLog2(T n)
{
    return n <= 1 ? 0 : 1 + ceilLog2(ceildiv(n, 2));
}
/* 1 + 2 + ... + n */
template <class T> constexpr T nthTriangular(T n)
{
    return n % 2 ? (n + 1) / 2 * n : n / 2 * (n + 1);
}
/* n in `parts` parts whose sizes differ by 1 at most: how many have ceildiv(n, parts) elements, and how many
 * floordiv(n, parts). */
template <class T> constexpr std::pair<T, T> balancedPartition(T n, T parts)
{
    return std::pair<T, T>(n % parts, parts - n % parts);
}

} // namespace gccs
#endif
