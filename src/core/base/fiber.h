/* SPDX-License-Identifier: MIT */
/* fiber: functions that run until they wait, each on a stack of its own. One thread resumes them one at a time, so a
 * program of fibers behaves the same every time.
 *
 *     tw__fiber *f = tw__fiber_new(body, user, 0);
 *     while (tw__fiber_resume(f)) ...;                  // body called tw__fiber_yield()
 *     tw__fiber_free(f);
 *
 * A fiber belongs to the thread that resumes it first. One that is freed while it waits is unwound: destructors of
 * C++ frames and cleanups of C frames compiled with -fexceptions run, in that thread; what else it holds is its own
 * business. */
#ifndef TW_BASE_FIBER_H
#define TW_BASE_FIBER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tw__fiber tw__fiber;

/* Stack in bytes, 0 = 512 KiB; below it lies a page that faults. NULL (with a message) when there is no memory. */
tw__fiber *tw__fiber_new(void (*fn)(void *user), void *user, size_t stack_bytes);
void tw__fiber_free(tw__fiber *fiber); /* NULL is fine; from inside: nothing */
/* Runs it until it yields (true) or its function returns (false, also ever after). */
bool tw__fiber_resume(tw__fiber *fiber);
void tw__fiber_yield(void);         /* back to whoever resumed; nothing outside a fiber */
tw__fiber *tw__fiber_current(void); /* NULL outside */

#endif
