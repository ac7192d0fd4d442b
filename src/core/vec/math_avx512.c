/* SPDX-License-Identifier: MIT */
/* The elementary functions with AVX-512 (F and DQ), sixteen floats at a time; cmake/vec.cmake gives this file its -m
 * options. */
#ifdef __x86_64__
#define TW__LEVEL avx512
#define TW__LANES 16
#define TW__SLEEF avx512fnofma
#include "core/vec/math_loops.h"
#endif
