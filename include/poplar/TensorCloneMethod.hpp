// SPDX-License-Identifier: MIT
/* What a clone keeps of the storage of its model. */
#ifndef POPLAR_TENSOR_CLONE_METHOD_HPP
#define POPLAR_TENSOR_CLONE_METHOD_HPP

namespace poplar {

enum class TensorCloneMethod {
    PRESERVE_ORDER_UNLESS_ALIASES,
    PRESERVE_ORDER_AND_ALIASES,
    CREATE_NEW_ORDER,
    GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
};

} // namespace poplar
#endif
