// SPDX-License-Identifier: MIT
/* Sorts along a dimension, least first. */
#ifndef POPOPS_SORT_HPP
#define POPOPS_SORT_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_order.h>

namespace popops {

inline poplar::Tensor sort(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim,
                           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "popops::sort", [&](const poplar::handles::Call &c) {
            return tw_popops_sort(c.graph, poplar::handles::of(t), dim, c.sequence, c.path);
        });
}
inline void sortInPlace(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim,
                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::sortInPlace", [&](const poplar::handles::Call &c) {
            tw_popops_sort_in_place(c.graph, poplar::handles::of(t), dim, c.sequence, c.path);
        });
}
/* The values, in the order of their keys. */
inline poplar::Tensor sortKeyValue(poplar::Graph &graph, const poplar::Tensor &k, const poplar::Tensor &v,
                                   unsigned dim, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "popops::sortKeyValue", [&](const poplar::handles::Call &c) {
            const tw_sorted made = tw_popops_sort_key_value(c.graph, poplar::handles::of(k), poplar::handles::of(v),
                                                            dim, c.sequence, c.path);
            tw_tensor_free(c.graph, made.keys);
            return made.values;
        });
}
inline void sortKeyValueInPlace(poplar::Graph &graph, const poplar::Tensor &k, const poplar::Tensor &v,
                                unsigned dim, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::sortKeyValueInPlace", [&](const poplar::handles::Call &c) {
            tw_popops_sort_key_value_in_place(c.graph, poplar::handles::of(k), poplar::handles::of(v), dim,
                                              c.sequence, c.path);
        });
}

} // namespace popops
#endif
