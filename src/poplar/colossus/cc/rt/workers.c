/* SPDX-License-Identifier: MIT */
/* The runtime library's C for workers as one unit: one text, in which names are there once. */
// NOLINTBEGIN(bugprone-suspicious-include)
#include "rt.h"
#include "int64.c"
#include "string.c"
#include "double.c"
#include "convert.c"
#include "trigonometry.c"
#include "exponential.c"
#include "special.c"
#include "map.c"
#include "complex.c"
// NOLINTEND(bugprone-suspicious-include)
