// SPDX-License-Identifier: MIT
/* What a host type is like: size, alignment, kind. */
#ifndef POPLAR_TYPE_TRAITS_HPP
#define POPLAR_TYPE_TRAITS_HPP

#include <cstddef>
#include <poplar/Type.hpp>
#include <type_traits>

namespace poplar {

struct TypeTraits {
    std::size_t size = 0, align = 0; /* bytes */
    bool isSimple = false, isIntegral = false, isFloat = false, isSigned = false;

    template <class T> static constexpr bool isSimpleType()
    {
        return std::is_arithmetic<T>::value || std::is_same<T, IeeeHalf>::value;
    }
    bool isSimpleType() const { return isSimple; }

    template <class T> static TypeTraits make()
    {
        TypeTraits t;
        t.size = sizeof(T), t.align = alignof(T);
        t.isSimple = isSimpleType<T>();
        t.isIntegral = std::is_integral<T>::value;
        t.isFloat = std::is_floating_point<T>::value || std::is_same<T, IeeeHalf>::value;
        t.isSigned = std::is_signed<T>::value || std::is_same<T, IeeeHalf>::value;
        return t;
    }
};

} // namespace poplar
#endif
