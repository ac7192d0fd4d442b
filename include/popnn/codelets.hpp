// SPDX-License-Identifier: MIT
/* Vertices of popnn: they come with the first call that needs them, so this does nothing. */
#ifndef POPNN_CODELETS_HPP
#define POPNN_CODELETS_HPP

#include <poplar/Graph.hpp>

namespace popnn {
inline void addCodelets(poplar::Graph &) {}
} // namespace popnn
#endif
