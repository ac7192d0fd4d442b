/* SPDX-License-Identifier: MIT */
/* Poplar: graphs for the IPU and the engine that runs them, in one include. Codelets include <tilewright/codelet.h>
 * (C) or <poplar/Vertex.hpp> (C++) instead.
 *
 *   poplar/target.h        chips, targets, devices         poplar/engine.h        compile, load, run, profile
 *   poplar/graph.h         tensors, vertices, programs     poplar/popc.h          codelets to .gp files
 *   poplar/vertex_state.h  where the fields of a vertex lie on a chip
 *
 * Threads: as each of these headers says. */
#ifndef TILEWRIGHT_POPLAR_H
#define TILEWRIGHT_POPLAR_H

#include <tilewright/poplar/engine.h>
#include <tilewright/poplar/graph.h>
#include <tilewright/poplar/popc.h>
#include <tilewright/poplar/target.h>
#include <tilewright/poplar/vertex_state.h>

#endif
