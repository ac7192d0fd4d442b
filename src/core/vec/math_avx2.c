/* SPDX-License-Identifier: MIT */
/* The elementary functions with AVX2, eight floats at a time; cmake/vec.cmake gives this file its -m options. */
#ifdef __x86_64__
#define TW__LEVEL avx2
#define TW__LANES 8
#define TW__SLEEF avx
#include "core/vec/math_loops.h"
#endif
