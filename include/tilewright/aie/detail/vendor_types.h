/* SPDX-License-Identifier: MIT */
/* The vector and accumulator types as classes, for C++ that is layered on the intrinsics; included by aie/vendor.hpp
 * before the types themselves.
 *
 * A GNU vector type loses its attributes (alignment of 16 bytes, aliasing) as a template argument, and two of one
 * size convert into each other. A class does neither. Every class is an aggregate and trivially copyable; v[i] is a
 * lane; a cast between types of one size, (v8int32)v, reinterprets, and has to be written. */
#ifndef TILEWRIGHT_AIE_VENDOR_TYPES_H
#define TILEWRIGHT_AIE_VENDOR_TYPES_H

#include <type_traits>

/* Whether From may be cast to To: different classes of one kind (vector, accumulator) and width. */
template <class From, class To>
using tw__castable =
    typename std::enable_if<!std::is_same<From, To>::value &&
                            std::is_same<typename From::tw_kind, typename To::tw_kind>::value &&
                            static_cast<int>(From::tw_bits) == static_cast<int>(To::tw_bits)>::type;

struct tw__vector_kind;
struct tw__accumulator_kind;

#define TW__INLINE inline __attribute__((always_inline))
#define TW__AIE_MEMBERS(type, element)                                                          \
    typedef tw__vector_kind tw_kind;                                                            \
    typedef element value_type;                                                                 \
    enum { tw_bits = 8 * sizeof(lane) };                                                        \
    TW__INLINE element &operator[](unsigned i)                                                  \
    {                                                                                           \
        return reinterpret_cast<element *>(&lane)[i];                                           \
    }                                                                                           \
    TW__INLINE const element &operator[](unsigned i) const                                      \
    {                                                                                           \
        return reinterpret_cast<const element *>(&lane)[i];                                     \
    }                                                                                           \
    template <class To, class = tw__castable<type, To>> TW__INLINE explicit operator To() const \
    {                                                                                           \
        To to;                                                                                  \
        __builtin_memcpy(&to, this, sizeof to);                                                 \
        return to;                                                                              \
    }
template <class To, class From> To tw__accumulator_cast(const From &from); /* aie/vendor.hpp */
/* Accumulators are reinterpreted by their 48-bit slots. */
#define TW__AIE_ACC_MEMBERS(type)                                                               \
    typedef tw__accumulator_kind tw_kind;                                                       \
    enum { tw_bits = sizeof(word) / sizeof(word[0]) * (sizeof(word[0]) == 8 ? 48 : 96) };       \
    template <class To, class = tw__castable<type, To>> TW__INLINE explicit operator To() const \
    {                                                                                           \
        return tw__accumulator_cast<To>(*this);                                                 \
    }
/* Complex scalars: to a wider integer one by itself, to the others where a cast is written. */
template <class TwC> using tw__component = decltype(TwC::real);
template <class From, class To, bool Widens>
using tw__complex_cast =
    typename std::enable_if<std::is_class<To>::value && !std::is_same<From, To>::value &&
                            sizeof(To) == 2 * sizeof(To::real) &&
                            Widens == (sizeof(To) > sizeof(From) && std::is_integral<tw__component<To>>::value &&
                                       std::is_integral<tw__component<From>>::value)>::type;
#define TW__AIE_SCALAR_MEMBERS(name)                                                                \
    template <class To, class From = name, class = tw__complex_cast<From, To, true>>                \
    TW__INLINE operator To() const                                                                  \
    {                                                                                               \
        return To{ static_cast<tw__component<To>>(real), static_cast<tw__component<To>>(imag) };    \
    }                                                                                               \
    template <class To, class From = name, class = tw__complex_cast<From, To, false>, class = void> \
    TW__INLINE explicit operator To() const                                                         \
    {                                                                                               \
        return To{ static_cast<tw__component<To>>(real), static_cast<tw__component<To>>(imag) };    \
    }
#define TW__GNU(type)       type::tw_lanes
#define TW__LANES(v)        ((v).lane)
#define TW__WRAP(type, ...) (type{ (type::tw_lanes)(__VA_ARGS__) })

#endif
