/* SPDX-License-Identifier: MIT */
/* A clock that only goes forward. */
#include "core/base/base.h"

#include <time.h>

double tw__seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
