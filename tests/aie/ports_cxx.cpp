// SPDX-License-Identifier: MIT
/* What a kernel does through its ports, as C++. */
#include "ports.inc"
