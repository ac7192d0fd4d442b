/* SPDX-License-Identifier: MIT */
/* times: what the work of kernels takes, and when they worked and waited. All of it is estimated. */
#ifndef TW_AIE_ARRAY_TIMES_H
#define TW_AIE_ARRAY_TIMES_H

#include "aie/array/model/model.h"

/* --- cycles.c --- */
uint64_t tw__aie_cycles_of(const tw__kernel *kernel, const uint64_t slots[TW_AIE_SLOTS]);
void tw__aie_stamp(tw_aie_array *array, tw__plio *file); /* when what an output has got just now was there */

/* --- timeline.c --- */
void tw__aie_clock(tw_aie_array *array, tw__kernel *kernel); /* of the running kernel: up to now */
void tw__aie_wait_until(tw_aie_array *array, tw__kernel *kernel, uint64_t then, const char *cause, int partner);
void tw__aie_resumed(tw_aie_array *array, tw__kernel *kernel);
/* An item of a queue is about to be written or read by the running kernel: it waits until that is possible. */
void tw__aie_write_time(tw_aie_array *array, tw__kernel *kernel, tw__fifo *fifo, const char *cause);
void tw__aie_read_time(tw_aie_array *array, tw__kernel *kernel, tw__fifo *fifo, const char *cause);
void tw__aie_forget_times(tw_aie_array *array);
void tw__aie_window_time(tw_aie_array *array, tw__pair *pair, unsigned block);               /* it was given back */
void tw__aie_lock_time(tw_aie_array *array, const tw__kernel *kernel, const tw__lock *lock); /* it was let go */

#endif
