// SPDX-License-Identifier: MIT
/* Half-open intervals [begin, end) of elements. */
#ifndef POPLAR_INTERVAL_HPP
#define POPLAR_INTERVAL_HPP

#include <cstddef>
#include <ostream>
#include <poplar/ArrayRef.hpp>
#include <tuple>
#include <utility>

namespace poplar {

template <class T> class GenericInterval {
  public:
    GenericInterval() : first(), last() {}
    GenericInterval(T begin, T end) : first(begin), last(end) {}
    GenericInterval(const std::pair<T, T> &p) : first(p.first), last(p.second) {}
    const T &begin() const { return first; }
    const T &end() const { return last; }
    const T &lower() const { return first; }
    const T &upper() const { return last; }
    T size() const { return last - first; }

  private:
    T first, last;
};

template <class T> bool operator==(const GenericInterval<T> &a, const GenericInterval<T> &b)
{
    return a.begin() == b.begin() && a.end() == b.end();
}
template <class T> bool operator!=(const GenericInterval<T> &a, const GenericInterval<T> &b)
{
    return !(a == b);
}
template <class T> bool operator<(const GenericInterval<T> &a, const GenericInterval<T> &b)
{
    return std::tie(a.begin(), a.end()) < std::tie(b.begin(), b.end());
}
template <class T> bool operator>(const GenericInterval<T> &a, const GenericInterval<T> &b)
{
    return b < a;
}
template <class T> bool operator<=(const GenericInterval<T> &a, const GenericInterval<T> &b)
{
    return !(b < a);
}
template <class T> bool operator>=(const GenericInterval<T> &a, const GenericInterval<T> &b)
{
    return !(a < b);
}
template <class T> std::ostream &operator<<(std::ostream &out, const GenericInterval<T> &i)
{
    return out << '[' << i.begin() << ',' << i.end() << ')';
}

using Interval = GenericInterval<std::size_t>;

} // namespace poplar
#endif
