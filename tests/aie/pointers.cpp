// SPDX-License-Identifier: MIT
/* Accesses through plain pointers, as C++. */
#include "pointers.inc"
