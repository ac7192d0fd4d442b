// SPDX-License-Identifier: MIT
#ifndef POPLAR_TARGET_TYPE_HPP
#define POPLAR_TARGET_TYPE_HPP

#include <string>

namespace poplar {

enum class TargetType { IPU, IPU_MODEL, CPU };
std::string toString(TargetType type); /* "IPU", "IPU_MODEL", "CPU" */

} // namespace poplar
#endif
