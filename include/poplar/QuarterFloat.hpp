// SPDX-License-Identifier: MIT
/* FP8 in C++ codelets: elements of 8 bits, and what two formats and a scale make of them. Behind a field of quarters
 * stands a pointer to its metadata, one byte for the whole field: an input of its own with the name "FIELD.metadata",
 * which connecting the field connects, too. */
#ifndef POPLAR_QUARTER_FLOAT_HPP
#define POPLAR_QUARTER_FLOAT_HPP

#include <poplar/InOutTypes.hpp>

/* Only storage: arithmetic is that of half or float. 0x80 is the NaN; there are no infinities and no -0. */
struct quarter {
    unsigned char bits;
};

/* F143: 4 bits of exponent with bias 8, 3 of mantissa. F152: 5 with bias 16, 2. All values times 2^scale. */
struct quarter_metadata {
    enum class format : unsigned char { f143, f152 };
    format fmt;
    signed char scale; /* -32 ... 31 */
};

namespace poplar {

using MetadataType = unsigned char;

/* From an element of a QUARTER_METADATA tensor: the format in bit 7, the scale in the 6 lowest. */
inline quarter_metadata unpackMetadata(const MetadataType *packed)
{
    const int scale = *packed & 0x3f;
    return { *packed & 0x80 ? quarter_metadata::format::f152 : quarter_metadata::format::f143,
             static_cast<signed char>(scale < 32 ? scale : scale - 64) };
}

namespace detail {
template <class Access> struct WithMetadata : Access {
    const MetadataType *getMetadata() const { return tw_metadata; }
    const MetadataType *tw_metadata; /* the last member: popc counts from the end */
};
} // namespace detail

#define TW__QUARTER_EDGE(Edge, Const)                                                                    \
    template <VectorLayout L, unsigned MinAlign, bool Interleaved>                                       \
    class Edge<Vector<quarter, L, MinAlign, Interleaved>>                                                \
        : public detail::WithMetadata<detail::VectorAccess<Const quarter, L, MinAlign>> {};              \
    template <VectorListLayout L, unsigned MinAlign, bool Interleaved>                                   \
    class Edge<VectorList<quarter, L, MinAlign, Interleaved>>                                            \
        : public detail::WithMetadata<detail::ListAccess<Const quarter, L, MinAlign>> {};                \
    /* the rows of a vector have one metadata byte, and are like those of other types */                 \
    template <VectorLayout R, unsigned RowAlign, bool RowInterleaved, VectorLayout L, unsigned MinAlign, \
              bool Interleaved>                                                                          \
    class Vector<Edge<Vector<quarter, R, RowAlign, RowInterleaved>>, L, MinAlign, Interleaved>           \
        : public detail::WithMetadata<                                                                   \
              detail::VectorAccess<Const detail::VectorAccess<Const quarter, R, RowAlign>, L, MinAlign>> {};
TW__QUARTER_EDGE(Input, const)
TW__QUARTER_EDGE(Output, )
TW__QUARTER_EDGE(InOut, )
#undef TW__QUARTER_EDGE
template <unsigned MinAlign, bool Interleaved>
class Input<Vector<quarter, VectorLayout::ONE_PTR, MinAlign, Interleaved>>
    : public detail::WithMetadata<detail::VectorAccess<const quarter, VectorLayout::ONE_PTR, MinAlign>> {};

namespace quarter_detail { /* not among the vendor's names */
union Word {
    unsigned bits;
    float number;
};
/* 2^n, for n from -126 to 127 */
inline float power(int n)
{
    Word w;
    w.bits = static_cast<unsigned>(n + 127) << 23;
    return w.number;
}
inline int mantissa(quarter_metadata m)
{
    return m.fmt == quarter_metadata::format::f152 ? 2 : 3;
}
inline int bias(quarter_metadata m)
{
    return m.fmt == quarter_metadata::format::f152 ? 16 : 8;
}
} // namespace quarter_detail

inline float toFloat(quarter q, quarter_metadata m)
{
    const int width = quarter_detail::mantissa(m), field = (q.bits & 0x7f) >> width;
    const int digits = (q.bits & ((1 << width) - 1)) | (field ? 1 << width : 0);
    if (q.bits == 0x80) {
        quarter_detail::Word nan;
        nan.bits = 0x7fc00000;
        return nan.number;
    }
    const float value = static_cast<float>(digits) *
                        quarter_detail::power((field ? field : 1) - quarter_detail::bias(m) - width + m.scale);
    return q.bits & 0x80 ? -value : value;
}
inline half toHalf(quarter q, quarter_metadata m)
{
    return static_cast<half>(toFloat(q, m));
}

/* Rounded once, to the nearest even. What is too large becomes the largest number; with `nanoo` the NaN. */
inline quarter toQuarter(float value, quarter_metadata m, bool nanoo = false)
{
    quarter_detail::Word w;
    w.number = value;
    const unsigned sign = w.bits >> 31;
    w.bits &= 0x7fffffff;
    if (w.bits > 0x7f800000) return { 0x80 };
    /* A number of float's least ones is 0 whatever the scale. */
    const int width = quarter_detail::mantissa(m), exponent = static_cast<int>(w.bits >> 23) - 127 - m.scale;
    const int field = exponent + quarter_detail::bias(m) > 1 ? exponent + quarter_detail::bias(m) : 1;
    unsigned code = 0x80;
    if (field < 0x80 >> width) {
        const float digits = w.number * quarter_detail::power(width + quarter_detail::bias(m) - field - m.scale);
        const unsigned whole = static_cast<unsigned>(digits);
        const float rest = digits - static_cast<float>(whole);
        code = whole + (rest > 0.5f || (rest == 0.5f && (whole & 1))) + (static_cast<unsigned>(field - 1) << width);
    }
    if (code > 0x7f)
        code = nanoo ? 0x80 : 0x7f | sign << 7;
    else if (code)
        code |= sign << 7;
    return { static_cast<unsigned char>(code) };
}
#if defined(__IPU__) || defined(TW_HALF_F16)
inline quarter toQuarter(half value, quarter_metadata m, bool nanoo = false)
{
    return toQuarter(static_cast<float>(value), m, nanoo);
}
#endif

} // namespace poplar
#endif
