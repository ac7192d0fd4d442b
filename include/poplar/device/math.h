/* SPDX-License-Identifier: MIT */
/* <math.h> of codelets: in C the system's, in C++ also the functions for half of <cmath>. */
#ifndef TW_CODELET_MATH_H
#define TW_CODELET_MATH_H

#ifdef __cplusplus
#include <cmath>
#endif
#include_next <math.h>

#endif
