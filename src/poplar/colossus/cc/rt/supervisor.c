/* SPDX-License-Identifier: MIT */
/* The runtime library's C for the supervisor as one unit. */
#define TW_RT_SUPERVISOR
#include "rt.h"
// NOLINTNEXTLINE(bugprone-suspicious-include)
#include "int64.c"
