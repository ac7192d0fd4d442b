/* SPDX-License-Identifier: MIT */
/* array: its life, and its runs from power-up to what came of them. */
#include "aie/array/profile/profile.h"
#include "aie/array/sched/sched.h"
#include "core/base/interrupt.h"
#include "core/profile/profile.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

static void leave_profile(void *array)
{
    if (tw__profile_wanted()) tw__profile_leave(((tw_aie_array *)array)->profile);
}

tw_aie_array *tw_aie_array_new(void)
{
    tw_aie_array *a = calloc(1, sizeof *a);
    if (a) a->arch = tw_tile_arch_by_name("aie1");
    if (a) a->locks = calloc((size_t)a->arch->tiles * a->arch->locks, sizeof *a->locks);
    if (tw__aie_profile_file()) tw__interrupt_ends();
    if (a && a->locks) return tw__profile_expect(a, leave_profile), a;
    free(a);
    return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for an array"), NULL);
}

void tw_aie_array_free(tw_aie_array *a)
{
    if (!a) return;
    tw__profile_forget(a);
    leave_profile(a);
    tw__aie_save_profile(a);
    tw__aie_stop_kernels(a);
    for (size_t i = 0; i < a->kernel_count; i++)
        free(a->kernels[i]->name), free(a->kernels[i]->group), free(a->kernels[i]);
    for (size_t i = 0; i < a->parameter_count; i++) free(a->parameters[i]->name), free(a->parameters[i]);
    for (size_t i = 0; i < a->fifo_count; i++)
        free(a->fifos[i]->data), free(a->fifos[i]->there), free(a->fifos[i]->freed), free(a->fifos[i]);
    for (size_t i = 0; i < a->pair_count; i++) free(a->pairs[i]->tail), free(a->pairs[i]);
    for (size_t i = 0; i < a->file_count; i++)
        free(a->files[i]->path), free(a->files[i]->name), free(a->files[i]->bytes), free(a->files[i]->last),
            free(a->files[i]->stamps), tw__plio_watch_end(a->files[i]), free(a->files[i]);
    free(a->parameters);
    free(a->kernels), free(a->fifos), free(a->pairs), free(a->files), free(a->locks), free(a->message);
    tw_profile_free(a->profile);
    g_free(a->unread_ports);
    free(a->spans), free(a->holds), free(a->place_runs);
    tw__aie_free_memory(a);
    free(a);
}

/* As after power-up. */
static void reset_kernel(tw__kernel *k)
{
    memset(&k->control, 0, sizeof k->control);
    memset(k->words_in, 0, sizeof k->words_in), memset(k->words_out, 0, sizeof k->words_out);
    memset(k->events, 0, sizeof k->events);
    k->fired = k->read_slots = k->fills = 0;
    k->ended = false;
}

static void reset(tw_aie_array *a)
{
    for (size_t i = 0; i < a->fifo_count; i++) a->fifos[i]->count = a->fifos[i]->first = 0;
    for (size_t i = 0; i < a->pair_count; i++) {
        tw__pair *p = a->pairs[i];
        p->full = p->read = p->write = 0;
        if (p->tail) memset(p->tail, 0, p->margin);
    }
    for (size_t i = 0; i < a->file_count; i++) {
        if (!a->files[i]->path && !a->files[i]->is_output) continue; /* sent for this run */
        a->files[i]->at = 0;
        if (!a->files[i]->is_output) continue;
        a->files[i]->count = a->files[i]->stamp_count = 0;
        if (a->files[i]->last) memset(a->files[i]->last, 0, a->files[i]->last_room);
    }
    tw__aie_forget_times(a);
    if (a->place_room) memset(a->place_runs, 0, a->place_room * sizeof *a->place_runs);
    a->places_lost = false;
    for (size_t i = 0; i < a->kernel_count; i++) reset_kernel(a->kernels[i]);
    memset(a->locks, 0, (size_t)a->arch->tiles * a->arch->locks * sizeof *a->locks);
}

/* What ran so far; a program that was started for it ends here. */
static void keep_interrupted(tw_aie_array *a)
{
    tw_profile_free(a->profile);
    a->profile = tw__aie_profile(a);
    if (!tw__interrupt_is_end()) return;
    fprintf(stderr, "tilewright: %s\n", a->message ? a->message : "interrupted");
    leave_profile(a);
    tw__aie_save_profile(a);
    tw_profile_free(a->profile);
    a->profile = NULL;
    tw__interrupt_end();
}

/* On until nothing moves; what came of it. */
static tw_status proceed(tw_aie_array *a)
{
    if (a->status == TW_OK) tw__aie_run_kernels(a);
    if (a->status != TW_OK) {
        if (tw_interrupted()) keep_interrupted(a);
        tw__set_error(a->status, a->message ? a->message : "");
        return a->status;
    }
    tw_status status = tw__aie_verdict(a);
    tw__aie_count_unread(a);
    a->told = status != TW_OK; /* a deadlock explains itself */
    if (status == TW_OK && a->is_whole) tw__aie_finish(a);
    tw_profile_free(a->profile);
    a->profile = tw__aie_profile(a);
    a->unwritten = status != TW_OK;
    return status == TW_OK ? tw__plio_store_all(a) : status;
}

/* A run of n firings leaves the rest of a file; one to the end of the files needs whole blocks, any run at least
 * one. */
static bool whole_blocks(tw_aie_array *a)
{
    for (size_t i = 0; i < a->file_count; i++) {
        const tw__plio *f = a->files[i];
        if (f->is_output || !f->path || !f->pair || f->count % f->pair->bytes == 0) continue;
        if (a->iterations && f->count > f->pair->bytes) continue;
        tw__aie_fail(a, TW_E_PARSE, "%s: %zu bytes are not a multiple of the window of %u bytes", f->path, f->count,
                     f->pair->bytes);
        return false;
    }
    return true;
}

static tw_status go(tw_aie_array *a, uint64_t iterations, bool is_whole)
{
    tw__aie_stop_kernels(a); /* of the run before */
    a->iterations = iterations;
    a->is_whole = is_whole;
    a->started = a->status == TW_OK && whole_blocks(a) && tw__aie_place_windows(a) && tw__aie_start_kernels(a);
    return proceed(a);
}

tw_status tw_aie_array_run(tw_aie_array *a, uint64_t iterations)
{
    if (!a) return tw__missing("array");
    if (tw__aie_current) return tw__fail(TW_E_INVALID_ARGUMENT, "a kernel cannot run an array");
    tw__aie_stop_kernels(a);
    reset(a);
    return go(a, iterations, true);
}

tw_status tw_aie_array_resume(tw_aie_array *a, uint64_t iterations)
{
    if (!a) return tw__missing("array");
    if (tw__aie_current) return tw__fail(TW_E_INVALID_ARGUMENT, "a kernel cannot run an array");
    return go(a, iterations, false);
}

tw_status tw_aie_array_continue(tw_aie_array *a)
{
    if (!a) return tw__missing("array");
    if (tw__aie_current) return tw__fail(TW_E_INVALID_ARGUMENT, "a kernel cannot run an array");
    if (!a->started) return tw__fail(TW_E_INVALID_ARGUMENT, "tw_aie_array_continue() before tw_aie_array_run()");
    return proceed(a);
}

void tw_aie_array_end(tw_aie_array *a)
{
    if (!a) return;
    tw__aie_finish(a);
    tw__aie_stop_kernels(a);
}

const tw_profile *tw_aie_array_profile(tw_aie_array *a)
{
    if (!a) return NULL;
    return a->profile;
}
