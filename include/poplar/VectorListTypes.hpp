// SPDX-License-Identifier: MIT
/* Part of <poplar/Vertex.hpp>; VectorList is declared in VectorTypes.hpp. */
#ifndef POPLAR_VECTOR_LIST_TYPES_HPP
#define POPLAR_VECTOR_LIST_TYPES_HPP
#include <poplar/VectorTypes.hpp>
#endif
