/* SPDX-License-Identifier: MIT */
/* timeline: when kernels worked and when they waited, as far as estimates of their cycles go. Each kernel has a clock
 * of its own, which goes on by the cycles that its work is estimated at. A block of a window is there when the kernel
 * that filled it passed it on, and free when its reader gave it back; a word of a stream when it was written, its
 * place when it was read: who comes earlier waits. A lock has no time of its own: who waited for one goes on when the
 * kernel that let one go last has come so far. Files with a clock take
 * their time (text_files.c); others, and memory, are always there in time. */
#include "aie/array/times/times.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SPANS = 1 << 18 }; /* of an array; what comes later is counted and not kept */

static void add_span(tw_aie_array *a, tw__kernel *k, uint64_t to, const char *cause, int partner)
{
    tw__aie_span *last = k->last_span ? &a->spans[k->last_span - 1] : NULL;
    if (to <= k->clock) return;
    if (last && last->to == k->clock && last->cause == cause && last->partner == partner) {
        last->to = to; /* work goes on, or the same wait */
        return;
    }
    if (a->span_count >= MOST_SPANS || !tw__grow(&a->spans, &a->span_room, a->span_count, sizeof *a->spans)) {
        a->spans_left_out++;
        return;
    }
    a->spans[a->span_count++] = (tw__aie_span){ k->clock, to, cause, k->number, partner };
    k->last_span = (uint32_t)a->span_count;
}

/* What the running kernel has done since its clock was read last. */
void tw__aie_clock(tw_aie_array *a, tw__kernel *k)
{
    uint64_t cycles = tw__aie_cycles_of(k, tw_aie_core.slots);
    if (cycles <= k->counted) return;
    add_span(a, k, k->clock + cycles - k->counted, NULL, -1);
    k->clock += cycles - k->counted;
    k->counted = cycles;
}

void tw__aie_wait_until(tw_aie_array *a, tw__kernel *k, uint64_t then, const char *cause, int partner)
{
    if (then <= k->clock) return;
    add_span(a, k, then, cause, partner);
    k->clock = then;
}

static void add_hold(tw_aie_array *a, const tw__aie_hold *hold)
{
    if (hold->to <= hold->from) return;
    if (a->hold_count < MOST_SPANS && tw__grow(&a->holds, &a->hold_room, a->hold_count, sizeof *a->holds))
        a->holds[a->hold_count++] = *hold;
    else
        a->spans_left_out++;
}

/* Words that are on their way at the same time are one stretch. */
static void stream_time(tw_aie_array *a, tw__fifo *f, uint64_t there, uint64_t taken)
{
    tw__aie_hold *last = f->last_hold ? &a->holds[f->last_hold - 1] : NULL;
    if (last && there <= last->to) {
        if (taken > last->to) last->to = taken;
        return;
    }
    size_t before = a->hold_count;
    add_hold(a, &(tw__aie_hold){ there, taken, TW__HOLD_STREAM, f, 0, -1 });
    if (a->hold_count > before) f->last_hold = (uint32_t)a->hold_count;
}

void tw__aie_write_time(tw_aie_array *a, tw__kernel *k, tw__fifo *f, const char *cause)
{
    unsigned at = (f->first + f->count) % f->room;
    tw__aie_clock(a, k);
    f->write_waits += f->freed[at] > k->clock ? f->freed[at] - k->clock : 0;
    tw__aie_wait_until(a, k, f->freed[at], cause, f->to);
    f->there[at] = k->clock;
}

void tw__aie_read_time(tw_aie_array *a, tw__kernel *k, tw__fifo *f, const char *cause)
{
    tw__aie_clock(a, k);
    f->read_waits += f->there[f->first] > k->clock ? f->there[f->first] - k->clock : 0;
    tw__aie_wait_until(a, k, f->there[f->first], cause, f->from);
    f->freed[f->first] = k->clock;
    stream_time(a, f, f->there[f->first], k->clock);
}

void tw__aie_window_time(tw_aie_array *a, tw__pair *p, unsigned block)
{
    uint64_t from = p->filled_at[block] > p->held_until[block] ? p->filled_at[block] : p->held_until[block];
    add_hold(a, &(tw__aie_hold){ from, p->freed_at[block], TW__HOLD_WINDOW, p, block, -1 });
    p->held_until[block] = p->freed_at[block];
}

void tw__aie_lock_time(tw_aie_array *a, const tw__kernel *k, const tw__lock *lock)
{
    add_hold(a, &(tw__aie_hold){ lock->since, k->clock, TW__HOLD_LOCK, lock, 0, k->number });
}

/* A kernel goes on that waited for a lock: whoever let one go last has come so far. */
void tw__aie_resumed(tw_aie_array *a, tw__kernel *k)
{
    int other = a->released_by;
    if (k->wait == TW__WAIT_LOCK && other >= 0 && other != k->number)
        tw__aie_wait_until(a, k, a->kernels[other]->clock, "lock", other);
}

void tw__aie_forget_times(tw_aie_array *a)
{
    a->span_count = a->hold_count = 0, a->spans_left_out = 0, a->released_by = -1;
    for (size_t i = 0; i < a->kernel_count; i++) {
        a->kernels[i]->clock = a->kernels[i]->counted = a->kernels[i]->worst = 0;
        a->kernels[i]->last_span = 0;
    }
    for (size_t i = 0; i < a->file_count; i++) a->files[i]->clock = 0, tw__plio_watch_anew(a->files[i]);
    for (size_t i = 0; i < a->pair_count; i++)
        a->pairs[i]->moved = a->pairs[i]->read_waits = a->pairs[i]->write_waits = 0;
    for (size_t i = 0; i < a->fifo_count; i++) {
        a->fifos[i]->moved = a->fifos[i]->read_waits = a->fifos[i]->write_waits = 0;
        a->fifos[i]->last_hold = 0;
    }
    for (size_t i = 0; i < a->pair_count; i++)
        for (int b = 0; b < 2; b++)
            a->pairs[i]->filled_at[b] = a->pairs[i]->freed_at[b] = a->pairs[i]->held_until[b] = 0;
    for (size_t i = 0; i < a->fifo_count; i++) {
        memset(a->fifos[i]->there, 0, a->fifos[i]->room * sizeof(uint64_t));
        memset(a->fifos[i]->freed, 0, a->fifos[i]->room * sizeof(uint64_t));
    }
}
