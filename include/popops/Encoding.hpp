// SPDX-License-Identifier: MIT
/* Counts: 0, 1, 2 ...; labels as rows of classes. */
#ifndef POPOPS_ENCODING_HPP
#define POPOPS_ENCODING_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/EncodingConstants.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops.h>
#include <tilewright/poplibs/popops_order.h>

namespace popops {

template <class T>
typename std::enable_if<std::is_integral<T>::value>::type iota(poplar::Graph &graph, const poplar::Tensor &t,
                                                               T startInteger, poplar::program::Sequence &prog,
                                                               const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(graph, prog, debugContext, {}, "popops::iota",
                                 [&](const poplar::handles::Call &c) {
                                     tw_popops_iota(c.graph, poplar::handles::of(t),
                                                    static_cast<std::int64_t>(startInteger), c.sequence, c.path);
                                 });
}

inline void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices, const poplar::Tensor &encoded,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::encodeOneHot", [&](const poplar::handles::Call &c) {
            tw_popops_one_hot(c.graph, poplar::handles::of(indices), poplar::handles::of(encoded),
                              tw_tensor{ 0, 0 }, tw_tensor{ 0, 0 }, c.sequence, c.path);
        });
}
inline void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices, const poplar::Tensor &encoded,
                         poplar::program::Sequence &prog, const poplar::Tensor &on, const poplar::Tensor &off,
                         const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::encodeOneHot", [&](const poplar::handles::Call &c) {
            tw_popops_one_hot(c.graph, poplar::handles::of(indices), poplar::handles::of(encoded),
                              poplar::handles::of(on), poplar::handles::of(off), c.sequence, c.path);
        });
}

} // namespace popops
#endif
