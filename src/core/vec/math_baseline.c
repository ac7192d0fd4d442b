/* SPDX-License-Identifier: MIT */
/* The elementary functions with what every x86-64 has: SSE2, four floats at a time. */
#define TW__LEVEL baseline
#define TW__LANES 4
#define TW__SLEEF sse2
#include "core/vec/math_loops.h"
