// SPDX-License-Identifier: MIT
/* Runs of rows at places that a run of the program computes. */
#ifndef POPOPS_SEQUENCE_SLICE_HPP
#define POPOPS_SEQUENCE_SLICE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_slice.h>

namespace popops {

inline void sequenceSlice(poplar::Graph &graph, const poplar::Tensor &tIn, const poplar::Tensor &tOut,
                          const poplar::Tensor &tN, const poplar::Tensor &tInOffset,
                          const poplar::Tensor &tOutOffset, bool zeroUnused, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::sequenceSlice", [&](const poplar::handles::Call &c) {
            tw_popops_sequence_slice(c.graph, poplar::handles::of(tIn), poplar::handles::of(tOut),
                                     poplar::handles::of(tN), poplar::handles::of(tInOffset),
                                     poplar::handles::of(tOutOffset), zeroUnused, c.sequence, c.path);
        });
}

} // namespace popops
#endif
