/* SPDX-License-Identifier: MIT */
/* Running the kernels: the scheduler, what is wrong when nothing moves.
 *
 * The scheduler goes round the files and the kernels in order of creation, and lets each kernel run until it waits.
 * So a run is the same every time. When a round moves nothing, the run has ended or is a deadlock. Kernels are fibers
 * on stacks of their own; their control registers (tw_aie_core) are swapped with them. */
#include "aie/array/sched/sched.h"
#include "core/base/interrupt.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/progress.h>

/* Vectors of 1024 bits by value, and none in registers: layered kernels without optimisation need more than 512 KiB.
 * Only pages that are touched exist. */
enum { STACK_BYTES = 4 << 20 };

tw__lock *tw__aie_lock(const tw_aie_array *a, const tw__kernel *k, int id)
{
    return &a->locks[(unsigned)tw__aie_tile_of(a, k) * a->arch->locks + (unsigned)id];
}

void tw__aie_yield(tw__kernel *k, tw__wait wait)
{
    k->wait = wait;
    tw__aie_clock(tw__aie_current, k);
    k->control = tw_aie_core;
    tw__fiber_yield();
    tw_aie_core = k->control;
}

static bool windows_ready(const tw__kernel *k)
{
    for (int i = 0; i < TW__AIE_PORTS; i++) {
        const tw__pair *in = k->window_in[i], *out = k->window_out[i];
        if (in && !in->async_in && in->full == 0) return false;
        if (out && !out->async_out && out->full == out->blocks) return false;
    }
    return true;
}

static bool can_acquire(const tw__kernel *k)
{
    const tw_aie_window *w = &k->waits_view->window;
    return w->is_output ? k->window_out[w->port]->full < k->window_out[w->port]->blocks
                        : k->window_in[w->port]->full > 0;
}

static bool ready(const tw_aie_array *a, const tw__kernel *k)
{
    const tw__lock *lock = tw__aie_lock(a, k, k->lock);
    switch (k->wait) {
    case TW__RUN: return true;
    case TW__WAIT_READ: return k->waits_for->count > 0;
    case TW__WAIT_ANY: return (k->in[0] && k->in[0]->count > 0) || (k->in[1] && k->in[1]->count > 0);
    case TW__WAIT_WRITE: return k->waits_for->count < k->waits_for->room;
    case TW__WAIT_WINDOWS: return windows_ready(k);
    case TW__WAIT_ACQUIRE: return can_acquire(k);
    case TW__WAIT_LOCK: return !lock->held && (k->lock_value < 0 || lock->value == k->lock_value);
    case TW__WAIT_UNTIL: return k->until(k->until_user) != 0;
    case TW__DONE: return false;
    }
    return false;
}

void tw__aie_open_in(tw__kernel *k, int port)
{
    tw__pair *in = k->window_in[port];
    tw__aie_clock(tw__aie_current, k);
    in->read_waits += in->filled_at[in->read] > k->clock ? in->filled_at[in->read] - k->clock : 0;
    tw__aie_wait_until(tw__aie_current, k, in->filled_at[in->read], "window", in->from);
    memcpy(in->block[in->read], in->tail, in->margin);
    k->view_in[port].window = (tw_aie_window){ .data = in->block[in->read],
                                               .bytes = in->bytes + in->margin,
                                               .margin = in->margin,
                                               .port = (uint16_t)port,
                                               .is_open = 1 };
    k->view_in[port].ptr = in->block[in->read];
}

void tw__aie_open_out(tw__kernel *k, int port)
{
    tw__pair *out = k->window_out[port];
    tw__aie_clock(tw__aie_current, k);
    out->write_waits += out->freed_at[out->write] > k->clock ? out->freed_at[out->write] - k->clock : 0;
    tw__aie_wait_until(tw__aie_current, k, out->freed_at[out->write], "window in use", out->to);
    k->view_out[port].window = (tw_aie_window){ .data = out->block[out->write] + out->margin,
                                                .bytes = out->bytes,
                                                .port = (uint16_t)port,
                                                .is_output = 1,
                                                .is_open = 1 };
    k->view_out[port].ptr = k->view_out[port].window.data;
}

void tw__aie_close_in(tw__kernel *k, int port)
{
    tw__pair *in = k->window_in[port];
    memcpy(in->tail, in->block[in->read] + in->bytes, in->margin);
    tw__aie_clock(tw__aie_current, k);
    in->freed_at[in->read] = k->clock;
    tw__aie_window_time(tw__aie_current, in, in->read);
    if (in->from < 0) in->moved++; /* a file has no kernel that counts */
    in->read = (in->read + 1) % in->blocks, in->full--;
    k->view_in[port].window.is_open = 0;
}

void tw__aie_close_out(tw__kernel *k, int port)
{
    tw__pair *out = k->window_out[port];
    tw__aie_clock(tw__aie_current, k);
    out->filled_at[out->write] = k->clock;
    out->moved++;
    out->write = (out->write + 1) % out->blocks, out->full++;
    k->view_out[port].window.is_open = 0;
}

/* Lends the windows to one firing and passes them on behind it. */
static void fire(tw__kernel *k)
{
    for (int i = 0; i < TW__AIE_PORTS; i++) {
        if (k->window_in[i] && !k->window_in[i]->async_in) tw__aie_open_in(k, i);
        if (k->window_out[i] && !k->window_out[i]->async_out) tw__aie_open_out(k, i);
    }
    k->fn(k->user);
    for (int i = 0; i < TW__AIE_PORTS; i++) {
        if (k->window_in[i] && !k->window_in[i]->async_in) tw__aie_close_in(k, i);
        if (k->window_out[i] && !k->window_out[i]->async_out) tw__aie_close_out(k, i);
    }
}

static void body(void *user)
{
    tw__kernel *k = user;
    while (k->target == 0 || k->fired < k->target) {
        while (!windows_ready(k)) tw__aie_yield(k, TW__WAIT_WINDOWS);
        uint64_t before = k->counted;
        fire(k);
        k->fired++;
        tw__aie_clock(tw__aie_current, k);
        if (k->counted - before > k->worst) k->worst = k->counted - before;
        k->last_span = 0;                              /* a firing is an interval of its own */
        if (k->target == 0) tw__aie_yield(k, TW__RUN); /* so that a kernel without ports does not hold the array */
    }
    k->wait = TW__DONE;
    tw__aie_clock(tw__aie_current, k);
    k->control = tw_aie_core;
}

static bool start(tw_aie_array *a, tw__kernel *k)
{
    uint64_t iterations = a->iterations;
    bool ports = false;
    for (int i = 0; i < TW__AIE_PORTS; i++) ports |= k->window_in[i] || (i <= TW__AIE_STREAMS && k->in[i]);
    if ((iterations == 0 || k->repeat == 0) && !ports) {
        tw__aie_fail(a, TW_E_INVALID_ARGUMENT,
                     "kernel '%s' has no input, so it would run for ever: give a number of iterations", k->name);
        return false;
    }
    k->target = iterations && k->repeat ? k->fired + iterations * k->repeat : 0;
    k->fiber = tw__fiber_new(body, k, STACK_BYTES);
    if (!k->fiber) {
        tw__aie_fail(a, TW_E_NO_MEMORY, "no memory for the stack of kernel '%s'", k->name);
        return false;
    }
    for (int i = 0; i < TW__AIE_PORTS; i++) {
        if (k->window_in[i]) k->view_in[i].window = (tw_aie_window){ .port = (uint16_t)i };
        if (k->window_out[i]) k->view_out[i].window = (tw_aie_window){ .port = (uint16_t)i, .is_output = 1 };
    }
    k->wait = k->ended ? TW__DONE : TW__RUN;
    return true;
}

bool tw__aie_start_kernels(tw_aie_array *a)
{
    for (size_t i = 0; i < a->kernel_count; i++)
        if (!start(a, a->kernels[i])) return false;
    return true;
}

/* Kernels that still wait are given up: their frames are unwound as if they ran, so that destructors may use ports
 * and locks. */
void tw__aie_stop_kernels(tw_aie_array *a)
{
    tw_aie_array *outer = tw__aie_current;
    tw_aie_control saved = tw_aie_core;
    if (outer == a) return; /* exit() in a kernel */
    tw__aie_current = a;
    for (size_t i = 0; i < a->kernel_count; i++) {
        tw__kernel *k = a->kernels[i];
        a->running = k;
        tw_aie_core = k->control;
        tw__fiber_free(k->fiber);
        k->fiber = NULL;
    }
    a->running = NULL;
    a->started = false;
    tw_aie_core = saved;
    tw__aie_current = outer;
}

/* --- what is wrong when nothing moves ------------------------------------------------------------------------- */

static void describe_wait(const tw_aie_array *a, const tw__kernel *k, GString *text)
{
    g_string_append_printf(text, "\n  kernel '%s' on tile (%d,%d), firing %llu, waits ", k->name, k->column, k->row,
                           (unsigned long long)k->fired + 1);
    const tw__fifo *f = k->waits_for;
    const char *what = k->port == TW__AIE_STREAMS ? "the cascade" : "stream";
    if (k->wait == TW__WAIT_READ)
        g_string_append_printf(text, "to read %s %d from %s, which is empty", what, k->port % TW__AIE_STREAMS,
                               tw__aie_peer(a, f->from, f).text);
    if (k->wait == TW__WAIT_ANY) g_string_append(text, "for a word on any of its input streams, which are empty");
    if (k->wait == TW__WAIT_WRITE)
        g_string_append_printf(text, "to write %s %d to %s, whose queue of %u is full", what,
                               k->port % TW__AIE_STREAMS, tw__aie_peer(a, f->to, f).text, f->room);
    if (k->wait == TW__WAIT_LOCK)
        g_string_append_printf(text, "for lock %d%s", k->lock,
                               tw__aie_lock(a, k, k->lock)->held ? ", which is held" : " to have another value");
    if (k->wait == TW__WAIT_UNTIL) g_string_append(text, k->until_what);
    bool acquires = k->wait == TW__WAIT_ACQUIRE;
    gsize before = text->len;
    for (int i = 0; (acquires || k->wait == TW__WAIT_WINDOWS) && i < TW__AIE_PORTS; i++) {
        if (acquires && &k->view_in[i] != k->waits_view && &k->view_out[i] != k->waits_view) continue;
        if (k->window_in[i] && k->window_in[i]->full == 0)
            g_string_append_printf(text, "for input window %d from %s; ", i,
                                   tw__aie_peer(a, k->window_in[i]->from, k->window_in[i]).text);
        if (k->window_out[i] && k->window_out[i]->full == k->window_out[i]->blocks)
            g_string_append_printf(text, "for output window %d, which %s has not read; ", i,
                                   tw__aie_peer(a, k->window_out[i]->to, k->window_out[i]).text);
    }
    if (text->len > before) g_string_truncate(text, text->len - strlen("; ")); /* of the last one */
    if (k->wait != TW__WAIT_WINDOWS && k->wait != TW__RUN && k->control.file)  /* compiled with TW_AIE_CHECK */
        g_string_append_printf(text, " (%s:%d)", k->control.file, k->control.line);
}

/* Every kernel has done what was asked, or the inputs have ended and all that is left waits for input. */
tw_status tw__aie_verdict(const tw_aie_array *a)
{
    bool all_done = true, only_input = a->iterations == 0;
    for (size_t i = 0; i < a->kernel_count; i++) {
        const tw__kernel *k = a->kernels[i];
        all_done &= k->wait == TW__DONE || k->repeat == 0;
        only_input &= k->wait == TW__WAIT_READ || k->wait == TW__WAIT_ANY || k->wait == TW__WAIT_WINDOWS ||
                      k->wait == TW__WAIT_ACQUIRE || k->wait == TW__WAIT_UNTIL || k->wait == TW__DONE;
    }
    for (size_t i = 0; i < a->file_count; i++)
        only_input &= a->files[i]->is_output || a->files[i]->at == a->files[i]->count;
    if (all_done || only_input) return TW_OK;
    GString *text = g_string_new("deadlock: no kernel can go on");
    for (size_t i = 0; i < a->kernel_count; i++)
        if (a->kernels[i]->wait != TW__DONE) describe_wait(a, a->kernels[i], text);
    tw__set_error(TW_E_APPLICATION, text->str);
    g_string_free(text, TRUE);
    return TW_E_APPLICATION;
}

/* Kernels that go on until their input ends do not say how often that is. */
static void tell_firings(const tw_aie_array *a)
{
    uint64_t fired = 0, target = 0;
    bool known = true;
    for (size_t i = 0; i < a->kernel_count; i++) {
        const tw__kernel *k = a->kernels[i];
        fired += k->fired, target += k->target;
        known &= k->target != 0;
    }
    tw_progress_tell("array", "firings", fired, known ? target : 0);
}

void tw__aie_run_kernels(tw_aie_array *a)
{
    tw_aie_array *outer = tw__aie_current;
    tw_aie_control saved = tw_aie_core;
    tw__aie_current = a;
    for (bool moved = true; moved && a->status == TW_OK;) {
        moved = false;
        tell_firings(a);
        for (size_t i = 0; i < a->file_count; i++)
            if (tw__plio_step(a, a->files[i])) moved = true, tw__aie_stamp(a, a->files[i]);
        for (size_t i = 0; i < a->kernel_count; i++) {
            tw__kernel *k = a->kernels[i];
            if (!ready(a, k)) continue;
            if (tw__interrupt_flag) {
                tw__aie_fail(a, TW_E_SYSTEM, "interrupted before firing %llu of kernel '%s'",
                             (unsigned long long)k->fired + 1, k->name);
                break;
            }
            tw__aie_resumed(a, k);
            a->running = k;
            tw_aie_core = k->control;
            tw__fiber_resume(k->fiber);
            a->running = NULL;
            moved = true;
        }
    }
    tw_progress_end();
    tw_aie_core = saved;
    tw__aie_current = outer;
}
