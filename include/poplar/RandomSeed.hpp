// SPDX-License-Identifier: MIT
/* State of the tiles' random number generators as part of a program. */
#ifndef POPLAR_RANDOM_SEED_HPP
#define POPLAR_RANDOM_SEED_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

/* UNSIGNED_INT of shape {tiles, worker contexts, 4}, row t on tile t. Appends to `prog`. */
Tensor getHwSeeds(Graph &graph, program::Sequence &prog, const DebugContext &debugContext = {});
/* What is set is what getHwSeeds() returns from then on. The CPU and the IPU Model have no such hardware: their
 * codelets draw from generators of their own, which this does not change. */
void setHwSeeds(Graph &graph, const Tensor &seeds, program::Sequence &prog, const DebugContext &debugContext = {});

} // namespace poplar
#endif
