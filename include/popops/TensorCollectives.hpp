// SPDX-License-Identifier: MIT
/* Collectives between IPUs under the name of the header that has tensors with a dimension of ranks only. */
#ifndef POPOPS_TENSOR_COLLECTIVES_HPP
#define POPOPS_TENSOR_COLLECTIVES_HPP

#include <popops/Collectives.hpp>

#endif
