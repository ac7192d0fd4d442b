/* SPDX-License-Identifier: MIT */
/* What is known about the tile program besides the tables of its image. */
#include "csl/lang/dsd/local.h"

void *tw__dsd_new(sema *s, size_t bytes)
{
    void *memory = tw__arena_zalloc(tw__csl_sema_lasting(s), bytes, _Alignof(max_align_t));
    if (!memory) tw__csl_no_memory(tw__csl_sema_ctx(s));
    return memory;
}

tw__dsd_state *tw__dsd_state_of(sema *s)
{
    void **slot = tw__csl_sema_dsd_slot(s);
    if (!*slot) *slot = tw__dsd_new(s, sizeof(tw__dsd_state));
    return *slot;
}

void tw__dsd_fix_task(sema *s, tw__dsd_fix_kind kind, uint32_t row, bool second, const tw__dsd_action *action)
{
    if (!action->task && !action->task_id) return;
    tw__dsd_state *state = tw__dsd_state_of(s);
    tw__dsd_fix *fix = tw__dsd_new(s, sizeof *fix);
    if (!state || !fix) return;
    *fix = (tw__dsd_fix){ state->fixes, (uint8_t)kind, second,     action->action.kind == TW__CSL_ACT_UNBLOCK,
                          row,          action->task,  action->at, action->action.at };
    state->fixes = fix;
}
