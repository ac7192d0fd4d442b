// SPDX-License-Identifier: MIT
/* Windows of a tensor written at indices that come as a tensor. */
#ifndef POPOPS_SCATTER_HPP
#define POPOPS_SCATTER_HPP

#include <popops/DynamicSlice.hpp>

namespace popops {

inline void scatter(poplar::Graph &graph, const poplar::Tensor &operand, const poplar::Tensor &indices,
                    const poplar::Tensor &updates, std::size_t indexVectorDim,
                    std::vector<unsigned> updateWindowDims, std::vector<std::size_t> insertWindowDims,
                    std::vector<unsigned> scatterDimsToOperandDims, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {})
{
    const tw_scatter at = { indexVectorDim,
                            static_cast<unsigned>(updateWindowDims.size()),
                            updateWindowDims.data(),
                            static_cast<unsigned>(insertWindowDims.size()),
                            insertWindowDims.data(),
                            static_cast<unsigned>(scatterDimsToOperandDims.size()),
                            scatterDimsToOperandDims.data() };
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::scatter", [&](const poplar::handles::Call &c) {
            tw_popops_scatter(c.graph, poplar::handles::of(operand), poplar::handles::of(indices),
                              poplar::handles::of(updates), &at, nullptr, nullptr, c.sequence, c.path);
        });
}

} // namespace popops
#endif
