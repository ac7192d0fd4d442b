// SPDX-License-Identifier: MIT
/* How a new variable is mapped to tiles. */
#ifndef POPLAR_VARIABLE_MAPPING_METHOD_HPP
#define POPLAR_VARIABLE_MAPPING_METHOD_HPP

namespace poplar {

enum class VariableMappingMethod { NONE, LINEAR };

} // namespace poplar
#endif
