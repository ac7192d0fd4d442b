// SPDX-License-Identifier: MIT
/* The rules of the checks, as C++. */
#include "checks.inc"
