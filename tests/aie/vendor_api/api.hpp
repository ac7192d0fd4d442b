// SPDX-License-Identifier: MIT
/* Helpers of the programs that call the vendor's layered library (*.cpp here): random operands, plain arithmetic in
 * 128 bits as the reference, a count of lanes per operation. */
#ifndef TILEWRIGHT_TESTS_VENDOR_API_HPP
#define TILEWRIGHT_TESTS_VENDOR_API_HPP

#include <tilewright/aie/vendor.hpp>

#include <aie_api/aie.hpp>
#include <aie_api/utils.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace vendor {

typedef __int128 wide;
struct number { /* any element, exact: floats hold small integers in these tests unless a test says otherwise */
    wide re, im;
};
inline number of(int8_t v)
{
    return { v, 0 };
}
inline number of(uint8_t v)
{
    return { v, 0 };
}
inline number of(int16_t v)
{
    return { v, 0 };
}
inline number of(int32_t v)
{
    return { v, 0 };
}
inline number of(float v)
{
    return { static_cast<wide>(v), 0 };
}
inline number of(cint16 v)
{
    return { v.real, v.imag };
}
inline number of(cint32 v)
{
    return { v.real, v.imag };
}
inline number of(cfloat v)
{
    return { static_cast<wide>(v.real), static_cast<wide>(v.imag) };
}
inline bool operator==(number a, number b)
{
    return a.re == b.re && a.im == b.im;
}
inline number operator+(number a, number b)
{
    return { a.re + b.re, a.im + b.im };
}
inline number operator-(number a, number b)
{
    return { a.re - b.re, a.im - b.im };
}
inline number operator-(number a)
{
    return { -a.re, -a.im };
}
inline number operator*(number a, number b)
{
    return { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}
inline number conj(number a)
{
    return { a.re, -a.im };
}

template <class T> struct parts {
    typedef T type;
    static constexpr bool complex = false;
};
template <> struct parts<cint16> {
    typedef int16_t type;
    static constexpr bool complex = true;
};
template <> struct parts<cint32> {
    typedef int32_t type;
    static constexpr bool complex = true;
};
template <> struct parts<cfloat> {
    typedef float type;
    static constexpr bool complex = true;
};

/* The value an element of type T keeps of n. */
template <class T> T narrow(number n)
{
    typedef typename parts<T>::type part;
    if constexpr (parts<T>::complex)
        return T{ static_cast<part>(n.re), static_cast<part>(n.im) };
    else
        return static_cast<T>(n.re);
}
template <class T> bool same(T a, T b)
{
    return std::memcmp(&a, &b, sizeof a) == 0 || of(a) == of(b);
}

inline uint64_t random_bits()
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}
template <class P> P any_part(unsigned bits)
{
    if constexpr (std::is_same_v<P, float>) {
        return static_cast<float>(static_cast<int>(random_bits() >> 40) % 512 - 256);
    } else {
        uint64_t r = random_bits() >> 20;
        if (bits >= 8 * sizeof(P) && random_bits() % 16 == 0) return static_cast<P>(1ull << (8 * sizeof(P) - 1));
        return static_cast<P>(static_cast<int64_t>(r << (64 - bits)) >> (64 - bits));
    }
}
/* A random element; `bits`: of each component, sign included. */
template <class T> T any(unsigned bits = 64)
{
    typedef typename parts<T>::type part;
    if (bits > 8 * sizeof(part)) bits = 8 * sizeof(part);
    if constexpr (parts<T>::complex)
        return T{ any_part<part>(bits), any_part<part>(bits) };
    else
        return any_part<T>(bits);
}
template <class T, unsigned N> struct data {
    alignas(128) T v[N];
    explicit data(unsigned bits = 64)
    {
        for (T &e : v) e = any<T>(bits);
    }
    aie::vector<T, N> load() const { return aie::load_v<N>(v); }
    T operator[](unsigned i) const { return v[i]; }
};

struct count {
    unsigned long lanes, wrong;
};
inline std::map<std::string, count> &counts()
{
    static std::map<std::string, count> all;
    return all;
}
template <class T> const char *name_of();
#define VENDOR_NAME(T)                          \
    template <> inline const char *name_of<T>() \
    {                                           \
        return #T;                              \
    }
// clang-format off
VENDOR_NAME(int8) VENDOR_NAME(uint8) VENDOR_NAME(int16) VENDOR_NAME(int32) VENDOR_NAME(float)
VENDOR_NAME(cint16) VENDOR_NAME(cint32) VENDOR_NAME(cfloat)
    // clang-format on

    inline void check(const char *op, const std::string &what, unsigned lane, bool right)
{
    count &c = counts()[op];
    c.lanes++;
    if (!right && c.wrong++ < 4) std::printf("WRONG %s %s lane %u\n", op, what.c_str(), lane);
}
/* All lanes of `got` against want(lane). */
template <class V, class F> void lanes(const char *op, const V &got, F want)
{
    typedef typename V::value_type T;
    for (unsigned i = 0; i < V::size(); i++) {
        T g = got[i], w = want(i);
        check(op, std::string(name_of<T>()) + "x" + std::to_string(V::size()), i, same(g, w));
    }
}
inline int report()
{
    unsigned long lanes = 0, wrong = 0;
    for (auto &c : counts()) {
        std::printf("%-28s %8lu lanes %6lu wrong\n", c.first.c_str(), c.second.lanes, c.second.wrong);
        lanes += c.second.lanes, wrong += c.second.wrong;
    }
    std::printf("%zu operations, %lu lanes, %lu wrong\n", counts().size(), lanes, wrong);
    return wrong != 0;
}

} // namespace vendor

#endif
