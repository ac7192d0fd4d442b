// SPDX-License-Identifier: MIT
/* Tables of estimators: a vertex's name and a function of it, its target and its template arguments. */
#ifndef POPUTIL_CYCLES_TABLES_HPP
#define POPUTIL_CYCLES_TABLES_HPP

#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poputil/VertexTemplates.hpp>
#include <string>
#include <utility>
#include <vector>

#define MAKE_PERF_ESTIMATOR_NAME(codelet) getPerfEstimateFor##codelet
#define CYCLE_ESTIMATOR_ENTRY_NOPARAMS(ns, codelet) \
    poputil::internal::makePerfEstimatorEntry(#ns "::" #codelet, MAKE_PERF_ESTIMATOR_NAME(codelet))
#define CYCLE_ESTIMATOR_ENTRY(ns, codelet, ...) \
    poputil::internal::makePerfEstimatorEntry(#ns "::" #codelet, MAKE_PERF_ESTIMATOR_NAME(codelet), __VA_ARGS__)
#define CODELET_FIELD(field) const auto field = vertex.getFieldInfo(#field)

namespace poputil {
namespace internal {

using PerfEstimatorTable = std::vector<std::pair<std::string, poplar::PerfEstimateFunc>>;

template <class F, class... Args>
std::pair<std::string, poplar::PerfEstimateFunc> makePerfEstimatorEntry(const std::string &codelet, F f,
                                                                        Args... args)
{
    return { templateVertex(codelet, args...),
             std::bind(f, std::placeholders::_1, std::placeholders::_2, args...) };
}
inline void registerPerfFunctions(poplar::Graph &graph, const PerfEstimatorTable &table)
{
    for (const auto &row : table) graph.registerPerfEstimator(row.first, poplar::PerfEstimateFunc(row.second));
}

} // namespace internal
} // namespace poputil
#endif
