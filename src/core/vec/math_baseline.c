/* SPDX-License-Identifier: MIT */
/* The elementary functions with what every processor of its kind has, four floats at a time. */
#define TW__LEVEL baseline
#define TW__LANES 4
#ifdef __x86_64__
#define TW__SLEEF sse2
#else
#define TW__SLEEF advsimdnofma
#endif
#include "core/vec/math_loops.h"
