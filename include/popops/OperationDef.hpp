// SPDX-License-Identifier: MIT
/* What reductions join elements with, for codelets too. */
#ifndef POPOPS_OPERATION_DEF_HPP
#define POPOPS_OPERATION_DEF_HPP

namespace popops {

enum class Operation { ADD, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, SQUARE_ADD, LOG_ADD };

} // namespace popops
#endif
