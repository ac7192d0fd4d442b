/* SPDX-License-Identifier: MIT */
/* What the sweep (sweep.c) asks of a program that runs with fail_alloc.c preloaded, and what it hears. */
#ifndef FAIL_ALLOC_H
#define FAIL_ALLOC_H

#include <stdint.h>

enum { ASKS_FD = 198, ANSWERS_FD = 199 }; /* above what a program opens for itself */

typedef struct ask {
    uint64_t nth;    /* the allocation that fails, counted from main on; 0 = none */
    uint32_t onward; /* and all after it */
    uint32_t traced; /* the file `trace` tells where that was, and where a signal struck */
} ask;

typedef struct answer {
    uint64_t allocations; /* asked for by then */
    int32_t status;       /* as of waitpid */
} answer;

#endif
