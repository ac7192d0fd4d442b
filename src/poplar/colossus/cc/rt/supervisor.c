/* SPDX-License-Identifier: MIT */
/* The runtime library's C for the supervisor as one unit. */
#define TW_RT_SUPERVISOR
// NOLINTBEGIN(bugprone-suspicious-include)
#include "rt.h"
#include "int64.c"
#include "string.c"
// NOLINTEND(bugprone-suspicious-include)
