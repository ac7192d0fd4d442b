// SPDX-License-Identifier: MIT
/* Counts: 0, 1, 2 ... (one-hot encodings are not there yet). */
#ifndef POPOPS_ENCODING_HPP
#define POPOPS_ENCODING_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops.h>

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

} // namespace popops
#endif
