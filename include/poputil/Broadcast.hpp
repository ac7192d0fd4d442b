// SPDX-License-Identifier: MIT
/* Shapes that fit each other as in NumPy. */
#ifndef POPUTIL_BROADCAST_HPP
#define POPUTIL_BROADCAST_HPP

#include <poplar/Tensor.hpp>
#include <poputil/exceptions.hpp>
#include <tilewright/poplibs/poputil.h>
#include <vector>

namespace poputil {

/* Leading dimensions of one element to the tensor of the lower rank. */
inline void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b)
{
    poplar::Tensor &low = a.rank() < b.rank() ? a : b;
    const poplar::Tensor &high = a.rank() < b.rank() ? b : a;
    if (low.rank() != high.rank()) low = low.expand(std::vector<std::size_t>(high.rank() - low.rank(), 0));
}

inline void broadcastToMatch(poplar::Tensor &a, const std::vector<std::size_t> &shape)
{
    const std::vector<std::size_t> own = a.shape();
    bool fits = own.size() <= shape.size();
    for (std::size_t d = 0; fits && d < own.size(); d++)
        fits = own[d] == 1 || own[d] == shape[d + shape.size() - own.size()];
    if (!fits) {
        std::string text = "poputil::broadcastToMatch: " + a.shapeToString() + " cannot be broadcast to {";
        for (std::size_t d = 0; d < shape.size(); d++) text += (d ? "," : "") + std::to_string(shape[d]);
        throw poplibs_error(text + "}");
    }
    poplar::Tensor t = a.expand(std::vector<std::size_t>(shape.size() - own.size(), 0));
    for (unsigned d = 0; d < shape.size(); d++)
        if (t.dim(d) != shape[d]) t = t.broadcast(static_cast<unsigned>(shape[d]), d);
    a = t;
}

inline bool canBroadcastToMatch(const poplar::Tensor &a, const poplar::Tensor &b)
{
    const std::vector<std::size_t> x = a.shape(), y = b.shape();
    return tw_poputil_broadcast_shape(static_cast<unsigned>(x.size()), x.data(), static_cast<unsigned>(y.size()),
                                      y.data(), nullptr, nullptr);
}

inline void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b)
{
    const std::vector<std::size_t> x = a.shape(), y = b.shape();
    std::vector<std::size_t> shape(x.size() > y.size() ? x.size() : y.size());
    if (!tw_poputil_broadcast_shape(static_cast<unsigned>(x.size()), x.data(), static_cast<unsigned>(y.size()),
                                    y.data(), nullptr, shape.data()))
        throw poplibs_error("poputil::broadcastToMatch: " + a.shapeToString() + " and " + b.shapeToString() +
                            " do not fit each other");
    broadcastToMatch(a, shape);
    broadcastToMatch(b, shape);
}
inline void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c)
{
    broadcastToMatch(a, b);
    broadcastToMatch(b, c);
    broadcastToMatch(c, a);
}

} // namespace poputil
#endif
