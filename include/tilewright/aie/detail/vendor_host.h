/* SPDX-License-Identifier: MIT */
/* What keeps the vendor's layered library from running on a host of 64 bits, or compiling with it: declared ahead, so
 * that its own definitions give way. */
#ifndef TILEWRIGHT_AIE_VENDOR_HOST_H
#define TILEWRIGHT_AIE_VENDOR_HOST_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring> /* the library uses strlen() and the like without asking for them */
#include <tilewright/aie/scalar.h>

/* Constructs that later compilers refuse by default, the vendor's does not. g++ needs -fpermissive in addition. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wc++11-narrowing"
#if __has_warning("-Wmissing-template-arg-list-after-template-kw")
#pragma clang diagnostic ignored "-Wmissing-template-arg-list-after-template-kw"
#endif
#else
#pragma GCC diagnostic ignored "-Wattributes"
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

namespace aie {
namespace detail {
namespace utils {

#ifndef __clang__
/* Written there with `unsigned N`, which g++ never matches. */
template <typename TwT> struct num_elems;
template <typename TwT, std::size_t TwN> struct num_elems<std::array<TwT, TwN>> {
    static constexpr unsigned value = TwN;
};
#endif

/* Truncates an address to 16 bytes, as a load does; the library's own mask has 32 bits. */
template <unsigned Elems, typename TwT> constexpr TwT *floor_ptr(TwT *ptr);
#define TW__FLOOR(lanes, TwT)                                                                        \
    template <> inline TwT *floor_ptr<lanes, TwT>(TwT * ptr)                                         \
    {                                                                                                \
        return reinterpret_cast<TwT *>(reinterpret_cast<std::uintptr_t>(ptr) & ~(std::uintptr_t)15); \
    }
#define TW__FLOORS_(lanes, T)     TW__FLOOR(lanes, T) TW__FLOOR(lanes, const T)
#define TW__FLOORS(T, V, W, X, Y) TW__FLOORS_(V, T) TW__FLOORS_(W, T) TW__FLOORS_(X, T) TW__FLOORS_(Y, T)
TW__ELEMENTS(TW__FLOORS)
#undef TW__FLOORS
#undef TW__FLOORS_
#undef TW__FLOOR

} // namespace utils
} // namespace detail
} // namespace aie

#endif
