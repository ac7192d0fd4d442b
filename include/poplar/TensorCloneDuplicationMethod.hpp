// SPDX-License-Identifier: MIT
/* Where the copies of cloneN() lie. */
#ifndef POPLAR_TENSOR_CLONE_DUPLICATION_METHOD_HPP
#define POPLAR_TENSOR_CLONE_DUPLICATION_METHOD_HPP

namespace poplar {

enum class TensorCloneDuplicationMethod { DUPLICATE_BY_OUTER_DIMENSION, DUPLICATE_BY_TILE_CONTIGUOUS_REGION };

} // namespace poplar
#endif
