// SPDX-License-Identifier: MIT
/* Regions of tensors: sorted, simplified, unbroadcast. The C API does it; here are lists and values. */
#include "core.hpp"

namespace poplar {

static std::vector<tw_interval> intervals(ArrayRef<Interval> list)
{
    std::vector<tw_interval> c;
    c.reserve(list.size());
    for (const Interval &i : list) c.push_back({ i.begin(), i.end() });
    return c;
}

std::vector<std::vector<Interval>> Graph::getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions,
                                                                     bool removeAliased,
                                                                     std::vector<std::size_t> *aliases) const
{
    const core::View &v = t.get();
    std::vector<tw_interval> parts = intervals(regions);
    unsigned flags = (removeAliased ? +TW_REGIONS_ONCE : 0) | (aliases ? +TW_REGIONS_REPRESENTATIVES : 0);
    static const tw_interval none = { 0, 0 };
    std::unique_ptr<tw_sorted_regions, void (*)(tw_sorted_regions *)> sorted(
        v.graph->call("Graph::getSortedContiguousRegions",
                      [&](tw_graph *g) {
                          return tw_tensor_sorted_contiguous_regions(g, v.handle(), parts.size(),
                                                                     parts.empty() ? &none : parts.data(), flags);
                      }),
        tw_sorted_regions_free);
    std::vector<std::vector<Interval>> result(sorted->run_count);
    if (aliases) aliases->assign(sorted->representatives, sorted->representatives + sorted->interval_count);
    for (std::size_t r = 0; r < sorted->run_count; r++) {
        result[r].reserve(sorted->first[r + 1] - sorted->first[r]);
        for (std::size_t i = sorted->first[r]; i < sorted->first[r + 1]; i++)
            result[r].emplace_back(sorted->intervals[i].begin, sorted->intervals[i].end);
    }
    return result;
}

/* In the order of the variables, *t has as few regions as any order can give it. */
void Graph::reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts, bool) const
{
    const std::shared_ptr<core::GraphHolder> graph = t->get().graph;
    tw_tensor simple = t->get().handle();
    std::vector<tw_tensor> others;
    for (const Tensor *other : ts) others.push_back(other->get().handle());
    graph->call("Graph::reorderToSimplify", [&](tw_graph *g) {
        return tw_tensor_reorder_to_simplify(g, &simple, others.size(), others.data());
    });
    *t = core::makeTensor(graph, simple, t->elementType());
    for (std::size_t i = 0; i < ts.size(); i++) *ts[i] = core::makeTensor(graph, others[i], ts[i]->elementType());
}

Tensor Graph::findUnbroadcastTensor(const Tensor &t) const
{
    const core::View &v = t.get();
    return core::makeTensor(v.graph,
                            v.graph->call("Graph::findUnbroadcastTensor",
                                          [&](tw_graph *g) { return tw_tensor_find_unbroadcast(g, v.handle()); }),
                            v.type);
}

Tensor Graph::getVariable(VariableRef v) const
{
    return get().call("Graph::getVariable", [&](tw_graph *g) {
        tw_tensor t = tw_graph_get_variable(g, v.id);
        return core::makeTensor(holder, t, core::hostType(tw_tensor_type(g, t)));
    });
}

bool Graph::isConstant(VariableRef v) const
{
    return get().call("Graph::isConstant", [&](tw_graph *g) { return tw_graph_variable_is_constant(g, v.id); });
}

} // namespace poplar
