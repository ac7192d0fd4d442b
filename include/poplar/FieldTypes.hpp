// SPDX-License-Identifier: MIT
/* Part of <poplar/Vertex.hpp>; kept for sources that include it by name. */
#ifndef POPLAR_FIELD_TYPES_HPP
#define POPLAR_FIELD_TYPES_HPP
#include <poplar/InOutTypes.hpp>
#endif
