// SPDX-License-Identifier: MIT
/* Names of activations. */
#ifndef POPNN_NON_LINEARITY_DEF_HPP
#define POPNN_NON_LINEARITY_DEF_HPP

namespace popnn {

enum class NonLinearityType {
    SIGMOID,
    HARD_SIGMOID,
    RELU,
    TANH,
    GELU,
    SWISH,
    SOFTMAX,
    SOFTMAX_STABLE,
    SOFTMAX_SCALED,
    GELU_ERF /* of later versions */
};

} // namespace popnn
#endif
