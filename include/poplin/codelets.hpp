// SPDX-License-Identifier: MIT
/* Vertices of poplin: they come with the first call that needs them, so this does nothing. */
#ifndef POPLIN_CODELETS_HPP
#define POPLIN_CODELETS_HPP

#include <poplar/Graph.hpp>

namespace poplin {
inline void addCodelets(poplar::Graph &) {}
} // namespace poplin
#endif
