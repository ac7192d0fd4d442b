// SPDX-License-Identifier: MIT
/* Alignment of vectors in tile memory (guide 4.1.3): the rules are part of the vector types. */
#ifndef POPLAR_ALIGNMENT_HPP
#define POPLAR_ALIGNMENT_HPP

#include <poplar/VectorTypes.hpp>

#endif
