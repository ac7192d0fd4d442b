// SPDX-License-Identifier: MIT
/* Vertices of poprand: they come with the first call that needs them, so this does nothing. */
#ifndef POPRAND_CODELETS_HPP
#define POPRAND_CODELETS_HPP

#include <poplar/Graph.hpp>

namespace poprand {
inline void addCodelets(poplar::Graph &) {}
} // namespace poprand
#endif
