/* SPDX-License-Identifier: MIT */
/* Builds that take ten times as long for a case (sanitizers, emulation) look at each n-th case of loops over all
 * values or all combinations: cmake/tests.cmake sets TW_SHARE=n for them. A prime, so that no loop inside stands
 * still. */
#ifndef SHARE_H
#define SHARE_H

#include <stdlib.h>

static inline unsigned share_of_cases(void)
{
    const char *n = getenv("TW_SHARE");
    unsigned long share = n ? strtoul(n, NULL, 10) : 1;
    return share ? (unsigned)share : 1;
}

#endif
