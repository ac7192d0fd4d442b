// SPDX-License-Identifier: MIT
/* Numbers of the host as elements of a device, and back, for any target whose half has 16 bits. Rounded once, to
 * the nearest even; what is larger than a QUARTER becomes its largest number. Without metadata a QUARTER is F143,
 * scale 0. */
#ifndef POPLAR_TYPE_CONVERSION_HPP
#define POPLAR_TYPE_CONVERSION_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <vector>

namespace poplar {

/* `count` elements: of the host type `traits` at src or dst, of `type` on the other side. type_error. */
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src,
                         const TypeTraits &traits, std::size_t count, void *dst);
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src, void *dst,
                           const TypeTraits &traits, std::size_t count);

/* V: a type, or a list that has data() and size(), as std::vector, ArrayRef. A list of the second is written through,
 * as its elements may be const. */
template <class List>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, const List &src, void *dst)
{
    using V = typename std::remove_cv<typename std::remove_reference<decltype(*src.data())>::type>::type;
    convertToDeviceType(type, metadata, src.data(), TypeTraits::make<V>(), src.size(), dst);
}
template <class List> void convertToDeviceType(const Type &type, const List &src, void *dst)
{
    convertToDeviceType(type, QuarterMetadata(), src, dst);
}
template <class List>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src, const List &dst)
{
    using V = typename std::remove_cv<typename std::remove_reference<decltype(*dst.data())>::type>::type;
    convertFromDeviceType(type, metadata, src, const_cast<V *>(dst.data()), TypeTraits::make<V>(), dst.size());
}
template <class List> void convertFromDeviceType(const Type &type, const void *src, const List &dst)
{
    convertFromDeviceType(type, QuarterMetadata(), src, dst);
}

} // namespace poplar
#endif
