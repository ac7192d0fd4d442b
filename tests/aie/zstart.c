/* SPDX-License-Identifier: MIT */
/* zstart, as C. */
#include "zstart.inc"
