// SPDX-License-Identifier: MIT
// Part of <pto/pto-inst.hpp>: views of global memory.
#ifndef PTO_PTO_TENSOR_HPP
#define PTO_PTO_TENSOR_HPP

namespace pto {

enum class Layout {
#define TW_PTO_CPP_LAYOUT(name, number, text) name = TW_PTO_##name,
    TW_PTO_LAYOUT_LIST(TW_PTO_CPP_LAYOUT)
#undef TW_PTO_CPP_LAYOUT
};
namespace GlobalTensorDim {
enum { DIM_0, DIM_1, DIM_2, DIM_3, DIM_4, TOTAL_DIM };
}

namespace tw_detail {
// Five numbers, known or given as -1. `given`: all five, or exactly those that are -1, in order.
template <typename... Values> void fill_in(std::array<int64_t, 5> &numbers, Values... values)
{
    const std::array<int64_t, sizeof...(Values)> given{ { int64_t(values)... } };
    std::size_t next = 0, dynamic = 0;
    for (int64_t v : numbers) dynamic += v < 0;
    if (given.size() != 5 && given.size() != dynamic)
        throw std::invalid_argument("all five extents or the dynamic ones are given");
    for (int64_t &v : numbers)
        if (v < 0 || given.size() == 5) v = given[next++];
}
template <typename... Values>
using if_numbers =
    std::enable_if_t<(sizeof...(Values) > 0) && (std::is_convertible<Values, int64_t>::value && ...)>;
} // namespace tw_detail

template <int64_t N0 = -1, int64_t N1 = -1, int64_t N2 = -1, int64_t N3 = -1, int64_t N4 = -1> struct Shape {
    std::array<int64_t, 5> shape{ { N0, N1, N2, N3, N4 } };
    Shape() = default;
    template <typename... Values, typename = tw_detail::if_numbers<Values...>> Shape(Values... values)
    {
        tw_detail::fill_in(shape, values...);
    }
};
// In elements.
template <int64_t N0 = -1, int64_t N1 = -1, int64_t N2 = -1, int64_t N3 = -1, int64_t N4 = -1> struct Stride {
    std::array<int64_t, 5> stride{ { N0, N1, N2, N3, N4 } };
    Stride() = default;
    template <typename... Values, typename = tw_detail::if_numbers<Values...>> Stride(Values... values)
    {
        tw_detail::fill_in(stride, values...);
    }
};

// --- a contiguous matrix in the shape that its layout gives it
// ------------------------------------------------------------------

namespace tw_detail {
struct matrix {
    std::array<int64_t, 5> shape, stride;
};
// -1 stays -1 in whatever it is a factor of.
constexpr int64_t times(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a * b;
}
constexpr int64_t over(int64_t a, int64_t b)
{
    return a < 0 ? -1 : a / b;
}
constexpr matrix matrix_of(Layout layout, int64_t c0, int64_t r, int64_t c)
{
    const int64_t all = times(r, c);
    switch (layout) {
    case Layout::DN: return { { { 1, 1, 1, r, c } }, { { all, all, all, 1, r } } };
    case Layout::NZ:
        return { { { 1, over(c, c0), over(r, 16), 16, c0 } }, { { all, times(r, c0), 16 * c0, c0, 1 } } };
    case Layout::HIF4_A_ZZ:
    case Layout::MX_A_ZZ: return { { { 1, over(r, 16), over(c, 2), 16, 2 } }, { { all, times(16, c), 32, 2, 1 } } };
    case Layout::HIF4_B_NN:
    case Layout::MX_B_NN: return { { { 1, over(c, 16), over(r, 2), 16, 2 } }, { { all, times(16, r), 32, 2, 1 } } };
    case Layout::MX_A_ND: return { { { 1, 1, r, over(c, 2), 2 } }, { { all, all, c, 2, 1 } } };
    case Layout::MX_A_DN: return { { { 1, 1, over(c, 2), r, 2 } }, { { all, all, times(2, r), 2, 1 } } };
    case Layout::MX_B_ND: return { { { 1, 1, over(r, 2), c, 2 } }, { { all, all, times(2, c), 2, 1 } } };
    case Layout::MX_B_DN: return { { { 1, 1, c, over(r, 2), 2 } }, { { all, all, r, 2, 1 } } };
    default: return { { { 1, 1, 1, r, c } }, { { all, all, all, c, 1 } } };
    }
}
template <typename Element> constexpr int64_t block_elements() // of 32 bytes
{
    return 256 / bits_of<Element>();
}
} // namespace tw_detail

// Rows and columns of -1 are given to the constructor, both or the one that is dynamic.
template <typename Element, int64_t Rows = -1, int64_t Cols = -1, Layout L = Layout::ND> struct TileShape2D {
    std::array<int64_t, 5> shape = tw_detail::matrix_of(L, tw_detail::block_elements<Element>(), Rows, Cols).shape;
    TileShape2D() = default;
    template <int64_t R = Rows, int64_t C = Cols, typename = std::enable_if_t<(R < 0) != (C < 0)>>
    TileShape2D(int64_t extent) : TileShape2D(R < 0 ? extent : Rows, C < 0 ? extent : Cols)
    {
    }
    TileShape2D(int64_t rows, int64_t cols)
        : shape(tw_detail::matrix_of(L, tw_detail::block_elements<Element>(), rows, cols).shape)
    {
    }
};
template <typename Element, int64_t Rows = -1, int64_t Cols = -1, Layout L = Layout::ND> struct BaseShape2D {
    std::array<int64_t, 5> stride =
        tw_detail::matrix_of(L, tw_detail::block_elements<Element>(), Rows, Cols).stride;
    BaseShape2D() = default;
    template <int64_t R = Rows, int64_t C = Cols, typename = std::enable_if_t<(R < 0) != (C < 0)>>
    BaseShape2D(int64_t extent) : BaseShape2D(R < 0 ? extent : Rows, C < 0 ? extent : Cols)
    {
    }
    BaseShape2D(int64_t rows, int64_t cols)
        : stride(tw_detail::matrix_of(L, tw_detail::block_elements<Element>(), rows, cols).stride)
    {
    }
};

// --- tensors
// -------------------------------------------------------------------------------------------------------------------

template <typename Element, typename ShapeT, typename StrideT, Layout L = Layout::ND> class GlobalTensor {
  public:
    using DType = Element;
    using RawDType = std::remove_cv_t<Element>;
    static constexpr Layout layout = L;
    GlobalTensor(Element *data = nullptr, const ShapeT &shape = ShapeT(), const StrideT &stride = StrideT())
    {
        tensor_ = tw_pto_tensor();
        tensor_.type = tw_detail::type_of<RawDType>::value;
        tensor_.layout = tw_pto_layout(int(L));
        for (std::size_t d = 0; d < 5; d++) {
            tensor_.shape[d] = std::size_t(shape.shape[d]);
            tensor_.stride[d] = std::ptrdiff_t(stride.stride[d]);
        }
        rebind(data);
    }
    Element *data() const { return static_cast<Element *>(tensor_.data); }
    void rebind(Element *data) { tensor_.data = const_cast<RawDType *>(data); }
    int GetShape(int d) const { return int(tensor_.shape[d]); }
    int GetStride(int d) const { return int(tensor_.stride[d]); }
    tw_pto_tensor *raw() { return &tensor_; }

  private:
    tw_pto_tensor tensor_;
};

} // namespace pto
#endif
