// SPDX-License-Identifier: MIT
/* Where the code of a function buffer is kept. */
#ifndef POPLAR_FUNCTION_BUFFER_MAPPING_TYPE_HPP
#define POPLAR_FUNCTION_BUFFER_MAPPING_TYPE_HPP

namespace poplar {

enum class FunctionBufferMappingType { REMOTE };

} // namespace poplar
#endif
