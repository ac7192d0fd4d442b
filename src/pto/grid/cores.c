/* SPDX-License-Identifier: MIT */
/* cores: a grid of cores, each a fiber, and the rounds in which they run.
 *
 * A round goes over the cores in order of device, block and number and lets each that does not wait run until it
 * waits.
 * When a round moves nobody, the run has ended or is a deadlock: then every waiting call fails, so that each kernel
 * unwinds and gives back what it holds. The first failure of a core stops the others in the same way. */
#include "pto/grid/grid.h"
#include "core/base/interrupt.h"

#include <stdlib.h>
#include <tilewright/progress.h>

enum { STACK_BYTES = 512 << 10 }; /* of a core; made when it starts, gone when it ends */
enum { MOST_POLLS = 100000 };     /* tests in a row that say no while no other core can move */

const char *tw__pto_kind_name(tw_pto_core_kind kind)
{
    static const char *const names[] = { "core", "cube core", "vector core" };
    return (unsigned)kind < 3 ? names[kind] : "core";
}

static void name_core(const tw_pto *core, char *buf, size_t size)
{
    tw_pto_identity me = tw_pto_identity_of(core);
    char device[24] = "", number[16] = "";
    if (me.devices > 1) g_snprintf(device, sizeof device, "device %u, ", me.device);
    if (me.kind == TW_PTO_VECTOR) g_snprintf(number, sizeof number, " %u", me.sub_block);
    g_snprintf(buf, (gulong)size, "%sblock %u, %s%s", device, me.block, tw__pto_kind_name(me.kind), number);
}

char *tw_pto_core_name(const tw_pto *core, char buf[64])
{
    if (!core) return *buf = 0, buf;
    name_core(core, buf, 64);
    return buf;
}

tw_pto_identity tw_pto_identity_of(const tw_pto *core)
{
    if (!core) return (tw_pto_identity){ 0 };
    return core->identity;
}

/* --- seats ------------------------------------------------------------------------------------------------------ */

void tw__pto_free_grid(tw_pto_grid *grid)
{
    for (unsigned b = 0; grid->blocks && b < grid->launch.blocks * grid->launch.devices; b++)
        tw__pto_free_queues(&grid->blocks[b]);
    free(grid->cores);
    free(grid->blocks);
    free(grid->barriers);
    free(grid->message);
    free(grid);
}

void tw__pto_free_seat(tw_pto *core)
{
    tw__seat *seat = core->seat;
    tw__fiber_free(seat->fiber);
    tw__pto_drop_transfers(seat);
    free(seat->offer.bytes), free(seat->flows);
    free(seat);
    core->seat = NULL;
}

/* A core made by itself: a grid of one, which does not own it. */
tw__seat *tw__pto_seat(tw_pto *core)
{
    if (core->seat) return core->seat;
    tw_pto_grid *grid = tw__calloc(1, sizeof *grid);
    tw__seat *seat = tw__calloc(1, sizeof *seat);
    if (grid) grid->cores = tw__calloc(1, sizeof(tw_pto *));
    if (grid) grid->blocks = tw__calloc(1, sizeof *grid->blocks);
    if (grid) grid->barriers = tw__calloc(TW__CORE_SETS, sizeof *grid->barriers);
    if (!seat || !grid || !grid->cores || !grid->blocks || !grid->barriers) {
        free(seat);
        if (grid) tw__pto_free_grid(grid);
        tw__fail(TW_E_NO_MEMORY, "no memory for the queues of a core");
        return NULL;
    }
    grid->launch =
        (tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = core->target, .blocks = 1, .devices = 1 };
    grid->count = grid->per_block = 1;
    grid->cores[0] = core;
    seat->grid = grid;
    seat->block = &grid->blocks[0];
    seat->started = true;
    core->mates = grid->cores;
    core->mate_count = 1;
    return core->seat = seat;
}

void tw__pto_leave_seat(tw_pto *core)
{
    if (!core->seat) return;
    tw__pto_free_grid(core->seat->grid); /* of one: tw_pto_grid_free takes the seats of its own cores first */
    tw__pto_free_seat(core);
    core->mates = NULL;
    core->mate_count = 0;
}

bool tw_pto_is_stopped(const tw_pto *core)
{
    if (!core) return false;
    return core->seat && core->seat->stopped && !core->seat->grid->deadlock;
}

static _Thread_local tw_pto *running;

tw_pto *tw_pto_current(void)
{
    return running;
}

/* --- waiting ---------------------------------------------------------------------------------------------------- */

static tw_status fail_wait(const tw_pto *core, const tw__wait *wait)
{
    char name[64];
    GString *text = g_string_new("deadlock: ");
    g_string_append_printf(text, "%s waits ", tw_pto_core_name(core, name));
    wait->tell(core, wait->what, text);
    tw_status status = tw__fail(TW_E_APPLICATION, "%s [rule sync.deadlock, profile %s]", text->str,
                                tw_pto_target_name(core->target));
    g_string_free(text, TRUE);
    return status;
}

static tw_status fail_stopped(tw_pto *core, const tw__wait *wait)
{
    core->seat->stopped = true;
    if (core->seat->grid->deadlock) return fail_wait(core, wait);
    return tw__fail(TW_E_APPLICATION, "stopped, because another core failed");
}

tw_status tw__pto_wait(tw_pto *core, tw__wait wait)
{
    tw__seat *seat = tw__pto_seat(core);
    if (!seat) return TW_E_NO_MEMORY;
    if (seat->grid->stopping) return fail_stopped(core, &wait);
    if (wait.ready(core, wait.what)) return TW_OK;
    if (!seat->fiber || tw__fiber_current() != seat->fiber) return fail_wait(core, &wait);
    seat->wait = wait;
    tw__fiber_yield();
    seat->wait.ready = NULL;
    return seat->grid->stopping ? fail_stopped(core, &wait) : TW_OK;
}

tw_status tw__pto_poll(tw_pto *core, tw__wait wait)
{
    tw__seat *seat = tw__pto_seat(core);
    if (!seat) return TW_E_NO_MEMORY;
    if (seat->grid->stopping) return fail_stopped(core, &wait);
    seat->grid->polled = true;
    if (++seat->polls > MOST_POLLS) return fail_wait(core, &wait);
    if (!seat->fiber || tw__fiber_current() != seat->fiber) return TW_OK;
    tw__fiber_yield();
    return seat->grid->stopping ? fail_stopped(core, &wait) : TW_OK;
}

void tw__pto_delay(tw_pto *core, tw_pto_pipe pipe, uint64_t until, const char *cause, const tw_pto *other,
                   unsigned id)
{
    tw__hold hold = { cause, (tw_pto *)(uintptr_t)other, TW_PTO_PIPES,
                      (unsigned char)(id < TW__NO_ID ? id : TW__NO_ID) };
    for (int p = 0; p < TW_PTO_PIPES; p++)
        if (pipe == TW_PTO_PIPE_ALL || p == (int)pipe) tw__pto_hold(core, (tw_pto_pipe)p, until, hold);
}

tw_status tw__pto_run_inner(tw__pto_call *call, const char *name, const tw_pto_operand *operands, unsigned count,
                            const tw_pto_attrs *attrs, unsigned blame, const char *rule)
{
    tw_pto *core = call->core;
    FILE *trace = core->trace;
    core->trace = NULL;
    core->charge_as = call->row;
    tw_status status = core->exec(core, tw__pto_row_at((size_t)tw_pto_op_by_name(name)), operands, count, attrs);
    core->charge_as = NULL;
    core->trace = trace;
    if (status == TW_OK || status == TW_E_NO_MEMORY) return status;
    char *text = g_strdup(tw_error_message());
    status = tw__pto_refuse(call, blame, rule, "%s", text);
    g_free(text);
    return status;
}

/* --- running ---------------------------------------------------------------------------------------------------- */

static void keep_failure(tw_pto_grid *grid, tw_status status, const char *message)
{
    if (grid->status != TW_OK) return;
    grid->status = status;
    grid->message = g_strdup(message);
    grid->stopping = true;
}

static void cores_body(void *user)
{
    char name[64];
    tw_pto *core = user;
    tw__seat *seat = core->seat;
    tw_pto_grid *grid = seat->grid;
    tw_status status = grid->kernel(core, grid->user);
    if (status == TW_OK) status = tw__pto_transfer(core, seat->transfer_count);
    seat->ended = true;
    if (status == TW_OK || seat->stopped || grid->status != TW_OK) return;
    char *text = grid->count == 1 ? g_strdup(tw_error_message())
                                  : g_strdup_printf("%s: %s", tw_pto_core_name(core, name), tw_error_message());
    keep_failure(grid, status, text);
    g_free(text);
}

/* All that wait, one a line. */
static void report_deadlock(tw_pto_grid *grid)
{
    char name[64];
    GString *text = g_string_new("deadlock: no core can go on");
    for (unsigned i = 0; i < grid->count; i++) {
        const tw_pto *core = grid->cores[i];
        const tw__seat *seat = core->seat;
        if (seat->ended || !seat->wait.ready) continue;
        g_string_append_printf(text, "\n  %s waits ", tw_pto_core_name(core, name));
        seat->wait.tell(core, seat->wait.what, text);
    }
    grid->deadlock = true;
    keep_failure(grid, TW_E_APPLICATION, text->str);
    g_string_free(text, TRUE);
}

void tw__pto_tell_progress(const tw_pto_grid *grid)
{
    unsigned ended = 0;
    for (unsigned i = 0; i < grid->count; i++) ended += grid->cores[i]->seat->ended;
    tw_progress_tell("grid", "cores through", ended, grid->count);
}

static bool step(tw_pto_grid *grid, tw_pto *core)
{
    tw__seat *seat = core->seat;
    if (seat->ended || (grid->stopping && !seat->started)) return false;
    if (!grid->stopping && seat->wait.ready && !seat->wait.ready(core, seat->wait.what)) return false;
    uint64_t polls = seat->polls;
    if (!seat->fiber && !(seat->fiber = tw__fiber_new(cores_body, core, STACK_BYTES))) {
        keep_failure(grid, TW_E_NO_MEMORY, tw_error_message());
        return seat->ended = true;
    }
    tw_pto *outer = running;
    seat->started = true;
    running = core;
    bool goes_on = tw__fiber_resume(seat->fiber);
    running = outer;
    if (!goes_on) {
        tw__fiber_free(seat->fiber);
        seat->fiber = NULL;
    }
    if (seat->polls == polls || seat->ended) { /* it did more than ask again */
        for (unsigned i = 0; i < grid->count && grid->polled; i++) grid->cores[i]->seat->polls = 0;
        grid->polled = false;
    }
    return true;
}

static void seat_cores(tw_pto_grid *grid)
{
    for (unsigned i = 0; i < grid->count; i++) {
        tw__seat *seat = grid->cores[i]->seat;
        seat->started = seat->ended = seat->stopped = false;
        seat->wait.ready = NULL;
        seat->polls = 0;
        memset(seat->sync, 0, sizeof seat->sync);
        tw__pto_drop_transfers(seat);
    }
    for (unsigned b = 0; b < grid->launch.blocks * grid->launch.devices; b++) tw__pto_free_queues(&grid->blocks[b]);
    memset(grid->barriers, 0, grid->launch.devices * TW__CORE_SETS * sizeof *grid->barriers);
}

tw_status tw_pto_grid_run(tw_pto_grid *grid, tw_pto_kernel kernel, void *user)
{
    if (!grid || !kernel) return tw__pto_given(NULL, grid ? "kernel" : "grid");
    if (grid->running) return tw__fail(TW_E_INVALID_ARGUMENT, "the grid is running already");
    g_free(grid->message);
    grid->message = NULL;
    grid->status = TW_OK;
    grid->stopping = grid->deadlock = false;
    grid->kernel = kernel;
    grid->user = user;
    seat_cores(grid);
    grid->running = true;
    for (bool moved = true; moved;) {
        moved = false;
        if (grid->count > 1) tw__pto_tell_progress(grid);
        if (tw__interrupt_flag) keep_failure(grid, TW_E_SYSTEM, "interrupted between two cores");
        for (unsigned i = 0; i < grid->count; i++) moved |= step(grid, grid->cores[i]);
        if (moved || grid->stopping) continue;
        for (unsigned i = 0; i < grid->count; i++) moved |= !grid->cores[i]->seat->ended;
        if (moved) report_deadlock(grid);
    }
    grid->running = false;
    tw_progress_end();
    tw__interrupt_end();
    if (grid->status != TW_OK) tw__set_error(grid->status, grid->message ? grid->message : "out of memory");
    return grid->status;
}

unsigned tw_pto_grid_cores(const tw_pto_grid *grid)
{
    if (!grid) return 0;
    return grid->count;
}

tw_pto *tw_pto_grid_core(const tw_pto_grid *grid, unsigned index)
{
    if (!grid) return NULL;
    return index < grid->count ? grid->cores[index] : NULL;
}

uint64_t tw_pto_grid_cycles(const tw_pto_grid *grid)
{
    if (!grid) return 0;
    uint64_t last = 0;
    for (unsigned i = 0; i < grid->count; i++) {
        uint64_t end = tw_pto_cycles(grid->cores[i]);
        if (end > last) last = end;
    }
    return last;
}
