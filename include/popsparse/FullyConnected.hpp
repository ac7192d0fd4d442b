// SPDX-License-Identifier: MIT
/* Layers with sparse weights W [outputs][inputs] whose pattern is data: Y = X W^T, and the gradients. */
#ifndef POPSPARSE_FULLY_CONNECTED_HPP
#define POPSPARSE_FULLY_CONNECTED_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseTensor.hpp>
#include <sstream>
#include <tilewright/poplibs/handles.hpp>
#include <tuple>
#include <vector>

namespace popsparse {
namespace dynamic {

namespace detail {
/* What a plan depends on beside the number of tiles. */
inline std::string planned(const poplar::Type &type, const Problem &p, const poplar::OptionFlags &options)
{
    std::ostringstream text;
    text << type << ' ' << p.sparsity << ' ' << p.ratio << ' ' << p.groups << ' ' << p.rows << ' ' << p.columns
         << ' ' << p.batch;
    for (const auto &o : options) text << ' ' << o.first << '=' << o.second;
    return text.str();
}
inline void note(PlanningCache *cache, const poplar::Target &target, const poplar::Type &type, const Problem &p,
                 const poplar::OptionFlags &options)
{
    if (cache) cache->note(planned(type, p, options), target.getNumTiles());
}
inline tw_sparse_tensor of(const SparseTensor &t)
{
    return { poplar::handles::of(t.getMetaInfoTensor()), poplar::handles::of(t.getNzValuesTensor()) };
}
inline SparseTensor createSparse(const char *call, poplar::Graph &graph, const poplar::Type &type, const Problem &p,
                                 const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                                 PlanningCache *cache, const poputil::TensorMetaData &made = {})
{
    const poplar::handles::OptionList texts(options);
    const tw_sparse_params params = p.params();
    const std::string path = debugContext.getPathName();
    tw_sparse_tensor both{};
    poplar::Tensor meta = poplar::handles::make(graph, call, [&](tw_graph *g) {
        both = tw_popsparse_create_weights(g, poplar::handles::of(type), &params, path.c_str(), texts.data());
        return both.meta;
    });
    poplar::Tensor values = poplar::handles::make(graph, call, [&](tw_graph *) { return both.values; });
    note(cache, graph.getTarget(), type, p, options);
    return SparseTensor(meta, values, made);
}
/* [groups][columns][batch] */
inline poplar::Tensor createDense(const char *call, poplar::Graph &graph, const poplar::Type &type,
                                  const Problem &p, const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options)
{
    const poplar::handles::OptionList texts(options);
    const tw_sparse_params params = p.params();
    const std::string path = debugContext.getPathName();
    return poplar::handles::make(graph, call, [&](tw_graph *g) {
        return tw_popsparse_create_input(g, poplar::handles::of(type), &params, path.c_str(), texts.data());
    });
}
inline poplar::Tensor multiply(const char *call, poplar::Graph &graph, const SparseTensor &sparse,
                               const poplar::Tensor &dense, bool transposed, const Problem &p,
                               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                               const poplar::OptionFlags &options)
{
    const tw_sparse_params params = p.params();
    return poplar::handles::step(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        return tw_popsparse_matmul(c.graph, &params, of(sparse), poplar::handles::of(dense), transposed, c.sequence,
                                   c.path, c.options);
    });
}
/* [batch][groups * channels] as [groups][channels][batch], and back. */
inline poplar::Tensor channelsFirst(const char *call, const poplar::Tensor &t, const Problem &p,
                                    std::size_t channels)
{
    if (t.rank() != 2 || t.dim(0) != p.batch || t.dim(1) != p.groups * channels)
        throw poputil::poplibs_error(std::string(call) + ": [" + std::to_string(p.batch) + ", " +
                                     std::to_string(p.groups * channels) + "] are wanted, not " +
                                     t.shapeToString());
    return t.reshape({ p.batch, p.groups, channels }).dimShuffle({ 1, 2, 0 });
}
inline poplar::Tensor batchFirst(const poplar::Tensor &t)
{
    return t.dimShuffle({ 2, 0, 1 }).flatten(1, 3);
}
} // namespace detail

#define TW__END                                                                             \
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}, \
                               PlanningCache *cache = nullptr

inline SparseTensor createFullyConnectedWeights(poplar::Graph &graph, const poplar::Type &inputType,
                                                const FullyConnectedParams &params, TW__END)
{
    return detail::createSparse("popsparse::dynamic::createFullyConnectedWeights", graph, inputType, params.get(),
                                debugContext, options, cache);
}
/* [batch][inputs] */
inline poplar::Tensor createFullyConnectedInput(poplar::Graph &graph, const poplar::Type &inputType,
                                                const FullyConnectedParams &params, TW__END)
{
    (void)cache;
    return detail::batchFirst(detail::createDense("popsparse::dynamic::createFullyConnectedInput", graph, inputType,
                                                  params.get(), debugContext, options));
}
/* [batch][inputs] to [batch][outputs]. */
inline poplar::Tensor fullyConnectedFwd(poplar::Graph &graph, const SparseTensor &weights,
                                        const poplar::Tensor &activations, const FullyConnectedParams &fcParams,
                                        poplar::program::Sequence &prog, TW__END)
{
    const char *call = "popsparse::dynamic::fullyConnectedFwd";
    const detail::Problem &p = fcParams.get();
    detail::note(cache, graph.getTarget(), weights.getNzValuesTensor().elementType(), p, options);
    return detail::batchFirst(detail::multiply(call, graph, weights,
                                               detail::channelsFirst(call, activations, p, p.columns), false, p,
                                               prog, debugContext, options));
}
/* [batch][outputs] to [batch][inputs]. */
inline poplar::Tensor fullyConnectedGradA(poplar::Graph &graph, const SparseTensor &weights,
                                          const poplar::Tensor &gradients, const FullyConnectedParams &fcParams,
                                          poplar::program::Sequence &prog, TW__END)
{
    const char *call = "popsparse::dynamic::fullyConnectedGradA";
    const detail::Problem &p = fcParams.get();
    detail::note(cache, graph.getTarget(), weights.getNzValuesTensor().elementType(), p, options);
    return detail::batchFirst(detail::multiply(call, graph, weights,
                                               detail::channelsFirst(call, gradients, p, p.rows), true, p, prog,
                                               debugContext, options));
}
/* Gradients of the values that are there, in their order. */
inline poplar::Tensor fullyConnectedSparseGradW(poplar::Graph &graph, const poplar::Tensor sparsityMetaInfo,
                                                const poplar::Tensor &gradA, const poplar::Tensor &activations,
                                                const FullyConnectedParams &fcParams,
                                                poplar::program::Sequence &prog, TW__END)
{
    const char *call = "popsparse::dynamic::fullyConnectedSparseGradW";
    const detail::Problem &p = fcParams.get();
    const tw_sparse_params params = p.params();
    const poplar::Tensor rows = detail::channelsFirst(call, gradA, p, p.rows),
                         columns = detail::channelsFirst(call, activations, p, p.columns);
    detail::note(cache, graph.getTarget(), activations.elementType(), p, options);
    return poplar::handles::step(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        return tw_popsparse_matmul_gradient(c.graph, &params, poplar::handles::of(sparsityMetaInfo),
                                            poplar::handles::of(rows), poplar::handles::of(columns), c.sequence,
                                            c.path, c.options);
    });
}
#undef TW__END

/* Of a dense product that the vendor's plan would split; ours is poplin's. */
inline std::tuple<unsigned, unsigned, unsigned>
fullyConnectedDenseGradWSerialSplits(const poplar::Graph &, const poplar::Type &, const FullyConnectedParams &,
                                     const poplar::OptionFlags & = {}, PlanningCache * = nullptr)
{
    poputil::detail::notHere("popsparse::dynamic::fullyConnectedDenseGradWSerialSplits");
}

} // namespace dynamic
} // namespace popsparse
#endif
