// SPDX-License-Identifier: MIT
/* Rows of sparse weights at indices that are data. */
#ifndef POPSPARSE_EMBEDDING_HPP
#define POPSPARSE_EMBEDDING_HPP

#include <popsparse/FullyConnected.hpp>
#include <poputil/TileMapping.hpp>

namespace popsparse {
namespace dynamic {

#define TW__END                                                                             \
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}, \
                               PlanningCache * = nullptr

inline poplar::Tensor createIndicesTensor(poplar::Graph &graph, const FullyConnectedParams &,
                                          std::size_t numIndices, const poplar::OptionFlags & = {},
                                          const poplar::DebugContext &debugContext = {})
{
    poplar::Tensor t = graph.addVariable(poplar::UNSIGNED_INT, { numIndices }, debugContext);
    poputil::mapTensorLinearly(graph, t);
    return t;
}
/* [indices][inputs] */
inline poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &dataType,
                                        const FullyConnectedParams &params, std::size_t numIndices,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags & = {}, PlanningCache * = nullptr)
{
    poplar::Tensor t = graph.addVariable(dataType, { numIndices, params.getInputChannels() }, debugContext);
    poputil::mapTensorLinearly(graph, t);
    return t;
}
/* [indices][inputs] of weights [outputs][inputs]. */
inline poplar::Tensor embeddingSlice(poplar::Graph &graph, const SparseTensor &t, const poplar::Tensor &indices,
                                     poplar::program::Sequence &prog, const FullyConnectedParams &params, TW__END)
{
    const char *call = "popsparse::dynamic::embeddingSlice";
    const tw_sparse_params p = params.get().params();
    return poplar::handles::step(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        return tw_popsparse_slice(c.graph, &p, detail::of(t), poplar::handles::of(indices), c.sequence, c.path,
                                  c.options);
    });
}
/* += scale * slices, of the weights that are there. */
inline void embeddingUpdateAdd(poplar::Graph &graph, const SparseTensor &t, const poplar::Tensor &slices,
                               const poplar::Tensor &indices, const poplar::Tensor &scale,
                               poplar::program::Sequence &prog, const FullyConnectedParams &params, TW__END)
{
    const char *call = "popsparse::dynamic::embeddingUpdateAdd";
    const tw_sparse_params p = params.get().params();
    poplar::handles::stepInPlace(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        tw_popsparse_update_add(c.graph, &p, detail::of(t), poplar::handles::of(slices),
                                poplar::handles::of(indices), poplar::handles::of(scale), c.sequence, c.path,
                                c.options);
    });
}
#undef TW__END

} // namespace dynamic
} // namespace popsparse
#endif
