// SPDX-License-Identifier: MIT
/* The name without `poplar/` that code for tiles also uses. */
#include <poplar/Loops.hpp>
