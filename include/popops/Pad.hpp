// SPDX-License-Identifier: MIT
/* More elements at the edges: views, no steps. */
#ifndef POPOPS_PAD_HPP
#define POPOPS_PAD_HPP

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poputil/exceptions.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_order.h>
#include <vector>

namespace popops {

namespace padding {
enum class Type { EDGE, REFLECT };
enum class MappingMethod { NONE, ZERO, EDGE };
} // namespace padding

/* Both lists as numbers of the C calls, one for each dimension of t. */
struct PadAmounts {
    std::vector<std::int64_t> lower, upper;
    PadAmounts(const poplar::Tensor &t, const std::vector<std::ptrdiff_t> &l, const std::vector<std::ptrdiff_t> &u)
        : lower(l.begin(), l.end()), upper(u.begin(), u.end())
    {
        if (l.size() != t.rank() || u.size() != t.rank())
            throw poputil::poplibs_error("popops::pad: " + std::to_string(l.size()) + " and " +
                                         std::to_string(u.size()) + " amounts for " + std::to_string(t.rank()) +
                                         " dimensions");
    }
    PadAmounts(const poplar::Tensor &t, std::ptrdiff_t l, std::ptrdiff_t u, unsigned dim)
        : lower(t.rank()), upper(t.rank())
    {
        if (dim >= t.rank())
            throw poputil::poplibs_error("popops::pad: a tensor of " + std::to_string(t.rank()) +
                                         " dimensions has no dimension " + std::to_string(dim));
        lower[dim] = l, upper[dim] = u;
    }
};

inline poplar::Tensor padWith(poplar::Graph &graph, const poplar::Tensor &t, const PadAmounts &by, double value,
                              padding::MappingMethod method)
{
    return poplar::handles::make(graph, "popops::pad", [&](tw_graph *g) {
        return tw_popops_pad(g, poplar::handles::of(t), by.lower.data(), by.upper.data(), value,
                             static_cast<tw_pad_mapping>(method));
    });
}
template <class Value = float>
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t, const std::vector<std::ptrdiff_t> &paddingLower,
                   const std::vector<std::ptrdiff_t> &paddingUpper, Value val = Value(),
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO)
{
    return padWith(graph, t, PadAmounts(t, paddingLower, paddingUpper), static_cast<double>(val), mappingMethod);
}
template <class Value = float>
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                   std::ptrdiff_t paddingUpper, unsigned dim, Value val = Value(),
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO)
{
    return padWith(graph, t, PadAmounts(t, paddingLower, paddingUpper, dim), static_cast<double>(val),
                   mappingMethod);
}

/* With a tensor of one element, which stays where it is unless `mappingMethod` says otherwise of constants. */
inline poplar::Tensor pad(poplar::Graph &, const poplar::Tensor &t, const std::vector<std::ptrdiff_t> &paddingLower,
                          const std::vector<std::ptrdiff_t> &paddingUpper, const poplar::Tensor &val,
                          padding::MappingMethod = padding::MappingMethod::ZERO)
{
    const PadAmounts by(t, paddingLower, paddingUpper);
    if (val.numElements() != 1 || val.elementType() != t.elementType())
        throw poputil::poplibs_error("popops::pad: " + val.elementType().toString() + val.shapeToString() +
                                     " is no element of " + t.elementType().toString() + t.shapeToString());
    poplar::Tensor out = t;
    for (unsigned d = 0; d < t.rank(); d++) {
        const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(t.dim(d)), first = by.lower[d] < 0 ? -by.lower[d] : 0,
                             last = n - (by.upper[d] < 0 ? -by.upper[d] : 0);
        if (last < first)
            throw poputil::poplibs_error("popops::pad: " + std::to_string(n) + " elements cannot be padded by " +
                                         std::to_string(by.lower[d]) + " and " + std::to_string(by.upper[d]));
        out = out.slice(static_cast<std::size_t>(first), static_cast<std::size_t>(last), d);
        const auto more = [&](std::ptrdiff_t count) {
            std::vector<std::size_t> shape = out.shape();
            shape[d] = count > 0 ? static_cast<std::size_t>(count) : 0;
            std::size_t all = 1;
            for (std::size_t extent : shape) all *= extent;
            return val.flatten().broadcast(static_cast<unsigned>(all), 0).reshape(shape);
        };
        out = poplar::concat({ more(by.lower[d]), out, more(by.upper[d]) }, d);
    }
    return out;
}
inline poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                          std::ptrdiff_t paddingUpper, unsigned dim, const poplar::Tensor &val,
                          padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO)
{
    const PadAmounts by(t, paddingLower, paddingUpper, dim);
    return pad(graph, t, { by.lower.begin(), by.lower.end() }, { by.upper.begin(), by.upper.end() }, val,
               mappingMethod);
}

/* With what is there already: t slices and joins itself, so that no graph is needed. */
inline poplar::Tensor pad(const poplar::Tensor &t, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper,
                          unsigned dim, padding::Type type)
{
    const PadAmounts by(t, paddingLower, paddingUpper, dim);
    const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(t.dim(dim));
    const std::ptrdiff_t first = paddingLower < 0 ? -paddingLower : 0,
                         last = n - (paddingUpper < 0 ? -paddingUpper : 0);
    const std::ptrdiff_t most = last - first - (type == padding::Type::REFLECT ? 1 : 0);
    const bool edge = type == padding::Type::EDGE, wanted = paddingLower > 0 || paddingUpper > 0;
    if (last < first || (wanted && (edge ? most < 1 : paddingLower > most || paddingUpper > most)))
        throw poputil::poplibs_error("popops::pad: " + std::to_string(n) + " elements cannot be padded by " +
                                     std::to_string(paddingLower) + " and " + std::to_string(paddingUpper));
    poplar::Tensor out = t.slice(static_cast<std::size_t>(first), static_cast<std::size_t>(last), dim);
    const std::size_t left = out.dim(dim);
    std::vector<poplar::Tensor> parts;
    for (int behind = 0; behind < 2; behind++) {
        const std::ptrdiff_t by_ = behind ? paddingUpper : paddingLower;
        const std::size_t count = by_ > 0 ? static_cast<std::size_t>(by_) : 0;
        if (behind) parts.push_back(out);
        if (!count) continue;
        if (edge)
            parts.push_back(out.slice(behind ? left - 1 : 0, behind ? left : 1, dim)
                                .broadcast(static_cast<unsigned>(count), dim));
        else
            parts.push_back(
                out.slice(behind ? left - 1 - count : 1, behind ? left - 1 : 1 + count, dim).reverse(dim));
    }
    return poplar::concat(parts, dim);
}
inline poplar::Tensor pad(const poplar::Tensor &t, const std::vector<std::ptrdiff_t> &paddingLower,
                          const std::vector<std::ptrdiff_t> &paddingUpper, padding::Type type)
{
    const PadAmounts by(t, paddingLower, paddingUpper);
    poplar::Tensor out = t;
    for (unsigned d = 0; d < t.rank(); d++) out = pad(out, paddingLower[d], paddingUpper[d], d, type);
    return out;
}

} // namespace popops
#endif
