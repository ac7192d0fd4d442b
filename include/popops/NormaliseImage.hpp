// SPDX-License-Identifier: MIT
/* Images of three channels, scaled, with a fourth of zeros. */
#ifndef POPOPS_NORMALISE_IMAGE_HPP
#define POPOPS_NORMALISE_IMAGE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_order.h>

namespace popops {

inline poplar::Tensor createNormaliseImageInput(poplar::Graph &graph, const poplar::Type &type,
                                                const poplar::ArrayRef<std::size_t> shape,
                                                const poplar::DebugContext &debugContext = {})
{
    const std::vector<std::size_t> list(shape.begin(), shape.end());
    return poplar::handles::make(graph, "popops::createNormaliseImageInput", [&](tw_graph *g) {
        return tw_popops_create_image(g, poplar::handles::of(type), static_cast<unsigned>(list.size()), list.data(),
                                      debugContext.getPathName().c_str());
    });
}
inline poplar::Tensor normaliseImage(poplar::Graph &graph, poplar::program::Sequence &seq, poplar::Tensor tIn,
                                     float inScale, poplar::Tensor offsets, poplar::Tensor scales,
                                     const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, seq, debugContext, {}, "popops::normaliseImage", [&](const poplar::handles::Call &c) {
            return tw_popops_normalise_image(c.graph, poplar::handles::of(tIn), static_cast<double>(inScale),
                                             poplar::handles::of(offsets), poplar::handles::of(scales), c.sequence,
                                             c.path);
        });
}

} // namespace popops
#endif
