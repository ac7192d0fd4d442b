/* SPDX-License-Identifier: MIT */
/* cores: one core from its making to its end. */
#include "pto/exec/exec.h"
#include "pto/grid/grid.h"
#include "pto/profile/profile.h"

#include <stdlib.h>

enum { KERNEL_BYTES = TW__KERNELS * sizeof(tw__kernel_slot) };

static size_t checked_bytes(void)
{
    return tw__pto_row_count() * TW__CHECKED_WAYS * sizeof(tw__checked);
}

static void leave_profile(void *core)
{
    tw__pto_leave_profile(&(tw_pto *){ core }, 1, 1);
}

tw_pto *tw_pto_new(tw_pto_target target, unsigned flags)
{
    if ((unsigned)target >= TW_PTO_TARGETS) {
        return tw__made(tw__fail(TW_E_INVALID_ARGUMENT, "unknown PTO target %d", (int)target), NULL);
    }
    tw_pto *core = calloc(1, sizeof *core);
    if (core) core->checked = tw__zero_pages(checked_bytes());
    if (core) core->kernels = tw__zero_pages(KERNEL_BYTES);
    if (tw__profile_wanted()) flags |= TW_PTO_TIMELINE;
    if (flags & TW_PTO_TIMELINE) flags |= TW_PTO_PROFILE;
    if (core && flags & TW_PTO_PROFILE) {
        core->tally = calloc(tw__pto_row_count() * TW_PTO_PIPES, sizeof *core->tally);
    }
    if (!core || !core->checked || !core->kernels || (flags & TW_PTO_PROFILE && !core->tally) ||
        (flags & TW_PTO_TIMELINE && !tw__timeline_new(core))) {
        tw__pto_free_core(core);
        return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for a core"), NULL);
    }
    core->target = target;
    core->identity = (tw_pto_identity){ .blocks = 1, .sub_blocks = 1, .devices = 1 };
    core->exec = tw__pto_exec_row;
    core->flags = flags;
    for (int l = 0; l < TW_PTO_LOCATIONS; l++)
        core->memory[l].size = tw__pto_memory_size(target, (tw_pto_location)l);
    tw__profile_expect(core, leave_profile);
    return core;
}

void tw_pto_free(tw_pto *core)
{
    if (core) leave_profile(core);
    tw__pto_free_core(core);
}

void tw__pto_free_core(tw_pto *core)
{
    if (!core) return;
    tw__profile_forget(core);
    tw__pto_leave_seat(core);
    for (int l = 0; l < TW_PTO_LOCATIONS; l++) tw__free_pages(core->memory[l].bytes, core->memory[l].room);
    free(core->places);
    tw__arena_free(core->scratch);
    tw__free_pages(core->kernels, KERNEL_BYTES);
    tw__free_pages(core->checked, checked_bytes());
    free(core->tally);
    tw__timeline_free(core);
    free(core);
}
