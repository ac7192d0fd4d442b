/* SPDX-License-Identifier: MIT */
/* sched: kernels as fibers that take turns, and what they call that may have to wait. */
#ifndef TW_AIE_ARRAY_SCHED_H
#define TW_AIE_ARRAY_SCHED_H

#include "aie/array/times/times.h"

/* --- run.c --- */
bool tw__aie_start_kernels(tw_aie_array *array);      /* for array->iterations; false: the array has failed */
void tw__aie_run_kernels(tw_aie_array *array);        /* until none can go on */
tw_status tw__aie_verdict(const tw_aie_array *array); /* what it means that none can: done, or a deadlock */
void tw__aie_open_in(tw__kernel *kernel, int port);   /* lends a block of a window to the kernel ... */
void tw__aie_open_out(tw__kernel *kernel, int port);
void tw__aie_close_in(tw__kernel *kernel, int port); /* ... and passes it on */
void tw__aie_close_out(tw__kernel *kernel, int port);
void tw__aie_yield(tw__kernel *kernel, tw__wait wait); /* back when the reason is gone */
void tw__aie_stop_kernels(tw_aie_array *array);        /* gives up those that wait */
tw__lock *tw__aie_lock(const tw_aie_array *array, const tw__kernel *kernel, int id);

#endif
