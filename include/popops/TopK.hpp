// SPDX-License-Identifier: MIT
/* The k largest or smallest along the last dimension. */
#ifndef POPOPS_TOP_K_HPP
#define POPOPS_TOP_K_HPP

#include <ostream>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/SortOrder.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_order.h>
#include <utility>
#include <vector>

namespace popops {

struct TopKParams {
    unsigned k;
    bool largest;
    SortOrder sortOrder;
    bool stableSort; /* of later versions; elements that are alike stay in their order in any case */
    TopKParams(unsigned count, bool l, SortOrder order, bool stable = false)
        : k(count), largest(l), sortOrder(order), stableSort(stable)
    {
    }
    tw_top_k handles() const { return tw_top_k{ k, largest, static_cast<tw_sort_order>(sortOrder) }; }
};
inline std::ostream &operator<<(std::ostream &out, const TopKParams &p)
{
    return out << "{k=" << p.k << ",largest=" << (p.largest ? "true" : "false") << ",sortOrder=" << p.sortOrder
               << "}";
}

inline poplar::Tensor createTopKInput(poplar::Graph &graph, const poplar::Type &type,
                                      const std::vector<std::size_t> &shape, const TopKParams &params,
                                      const poplar::DebugContext &debugContext = {})
{
    const tw_top_k p = params.handles();
    return poplar::handles::make(graph, "popops::createTopKInput", [&](tw_graph *g) {
        return tw_popops_create_top_k_input(g, poplar::handles::of(type), static_cast<unsigned>(shape.size()),
                                            shape.data(), &p, debugContext.getPathName().c_str());
    });
}

/* Keys, and their values, or where they stood without any. */
inline std::pair<poplar::Tensor, poplar::Tensor> topKPair(poplar::Graph &graph, poplar::program::Sequence &prog,
                                                          const poplar::Tensor &keys, const poplar::Tensor *values,
                                                          const TopKParams &params, const char *call,
                                                          const poplar::DebugContext &debugContext)
{
    const tw_top_k p = params.handles();
    return poplar::handles::stepPair(graph, prog, debugContext, {}, call, [&](const poplar::handles::Call &c) {
        const tw_sorted made =
            tw_popops_top_k(c.graph, poplar::handles::of(keys),
                            values ? poplar::handles::of(*values) : tw_tensor{ 0, 0 }, &p, c.sequence, c.path);
        return std::make_pair(made.keys, made.values);
    });
}
inline poplar::Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &t,
                           const TopKParams &params, const poplar::DebugContext &debugContext = {})
{
    return topKPair(graph, prog, t, nullptr, params, "popops::topK", debugContext).first;
}
inline std::pair<poplar::Tensor, poplar::Tensor>
topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &keys,
             const poplar::Tensor &values, const TopKParams &params, const poplar::DebugContext &debugContext = {})
{
    return topKPair(graph, prog, keys, &values, params, "popops::topKKeyValue", debugContext);
}
inline std::pair<poplar::Tensor, poplar::Tensor>
topKWithPermutation(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &t,
                    const TopKParams &params, const poplar::DebugContext &debugContext = {})
{
    return topKPair(graph, prog, t, nullptr, params, "popops::topKWithPermutation", debugContext);
}

} // namespace popops
#endif
