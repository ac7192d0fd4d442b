// SPDX-License-Identifier: MIT
/* A reference to elements that lie one after the other somewhere else: what calls take for shapes and lists. One made
 * from braces ends with the full expression. */
#ifndef POPLAR_ARRAY_REF_HPP
#define POPLAR_ARRAY_REF_HPP

/* Published programs use these without including them: the vendor's headers bring them in, so these do. */
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif

namespace poplar {

template <class T> class ArrayRef {
  public:
    using value_type = T;
    using const_iterator = const T *;
    using iterator = const T *;
    using const_reference = const T &;
    using size_type = std::size_t;

    ArrayRef() : first(nullptr), count(0) {}
    ArrayRef(const T *begin, std::size_t size) : first(begin), count(size) {}
    template <class A> ArrayRef(const std::vector<T, A> &v) : first(v.data()), count(v.size()) {}
    /* vectors of pointers to more than T points to */
    template <class U, class A,
              class = typename std::enable_if<std::is_pointer<U>::value && !std::is_same<U, T>::value &&
                                              std::is_convertible<U *, const T *>::value>::type>
    ArrayRef(const std::vector<U, A> &v) : first(v.data()), count(v.size())
    {
    }
    template <class U, class = typename std::enable_if<std::is_pointer<U>::value && !std::is_same<U, T>::value &&
                                                       std::is_convertible<U *, const T *>::value>::type>
    ArrayRef(const ArrayRef<U> &a) : first(a.data()), count(a.size())
    {
    }
    template <std::size_t N> ArrayRef(const std::array<T, N> &a) : first(a.data()), count(N) {}
    template <std::size_t N> ArrayRef(const T (&a)[N]) : first(a), count(N) {}
    ArrayRef(std::initializer_list<T> list)
    {
        first = list.begin(); /* not in the initialiser, where g++ warns of what braces always do */
        count = list.size();
    }

    const_iterator begin() const { return first; }
    const_iterator end() const { return first + count; }
    const_iterator cbegin() const { return first; }
    const_iterator cend() const { return first + count; }
    const T *data() const { return first; }
    std::size_t size() const { return count; }
    bool empty() const { return count == 0; }
    const T &front() const { return first[0]; }
    const T &back() const { return first[count - 1]; }
    const T &operator[](std::size_t i) const { return first[i]; }
    std::vector<T> cloneAsVector() const { return std::vector<T>(begin(), end()); }

  private:
    const T *first;
    std::size_t count;
};

template <class T> bool operator==(const ArrayRef<T> &a, const ArrayRef<T> &b)
{
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); i++)
        if (!(a[i] == b[i])) return false;
    return true;
}
template <class T> bool operator!=(const ArrayRef<T> &a, const ArrayRef<T> &b)
{
    return !(a == b);
}

} // namespace poplar

namespace gccs {
using poplar::ArrayRef; /* as later versions name it */
}
#endif
