// SPDX-License-Identifier: MIT
/* The logarithm of softmax along the last dimension. */
#ifndef POPNN_LOG_SOFTMAX_HPP
#define POPNN_LOG_SOFTMAX_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popnn.h>

namespace popnn {

inline poplar::Tensor logSoftmax(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "popnn::logSoftmax", [&](const poplar::handles::Call &c) {
            return tw_popnn_log_softmax(c.graph, poplar::handles::of(t), c.sequence, c.path);
        });
}
inline void logSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popnn::logSoftmaxInPlace", [&](const poplar::handles::Call &c) {
            tw_popnn_log_softmax_in_place(c.graph, poplar::handles::of(t), c.sequence, c.path);
        });
}

} // namespace popnn
#endif
