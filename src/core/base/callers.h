/* SPDX-License-Identifier: MIT */
/* callers: where in a program this library was called from, for profiles. A call is kept as addresses, in a table
 * of the process; lines are looked up when somebody asks, for all calls at once, in the program's debug information
 * by addr2line (binutils or LLVM). Without either, and where the library is a part of the program, calls are not
 * known. Threads: any. */
#ifndef TW_BASE_CALLERS_H
#define TW_BASE_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

/* The call by which this thread came into the library, as a number of this process; 0 = not known. A microsecond or
 * two: for who records. */
uint32_t tw__caller(void);
/* A function of the program, or of what it has loaded, likewise. */
uint32_t tw__caller_function(const void *function);
/* The line of a call in the innermost file that is none of our headers; file NULL = not known. */
typedef struct tw__caller_place {
    const char *file; /* stays */
    uint32_t line;
} tw__caller_place;
tw__caller_place tw__caller_find(uint32_t number);

#endif
