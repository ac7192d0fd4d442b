/* SPDX-License-Identifier: MIT */
/* stop: a debugger looks at instructions before they run. Those that it wants to see have an instruction of their
 * own in the decoded program, so that nothing is asked where there is no debugger; the wafer waits inside the
 * instruction, so that what comes after is the same as without. */
#include "csl/wse/pe/pe.h"

#include <stdlib.h>

bool tw__wse_debug(tw__wse *w, tw__wse_stop_hook *hook, void *user)
{
    if (!w->debug && !(w->debug = tw__calloc(1, sizeof *w->debug))) return false;
    tw__debug *d = w->debug;
    d->hook = hook;
    d->user = user;
    d->follow = UINT32_MAX;
    d->until = TW__WSE_NEVER;
    if (!d->seen) d->seen = tw__calloc(w->count, sizeof *d->seen);
    if (!d->again) d->again = tw__calloc(w->count, sizeof *d->again);
    bool good = d->seen && d->again;
    for (size_t k = 0; k < w->image->program_count && good; k++) {
        tw__decoded *p = &w->decoded[k];
        size_t count = p->program->code_count;
        if (!p->marks) p->marks = tw__calloc(count + 1, sizeof *p->marks);
        if (!p->behind && (p->behind = tw__calloc(count + 1, sizeof *p->behind)))
            for (size_t at = 0; at < count; at++) p->behind[at] = p->code[at].op;
        good = p->marks && p->behind;
    }
    return good;
}

void tw__wse_debug_free(tw__wse *w)
{
    if (w->debug) free(w->debug->seen), free(w->debug->again);
    free(w->debug);
}

static void set_stop(tw__decoded *p, uint32_t at, bool on)
{
    p->code[at].op = on ? TW__WSE_I_STOP : p->behind[at];
}

static tw__decoded *followed(const tw__wse *w)
{
    if (w->debug->follow >= w->count || !w->pe[w->debug->follow].program) return NULL;
    return &w->decoded[w->image->pes[w->debug->follow].program];
}

void tw__wse_mark(tw__wse *w, uint32_t program, uint32_t at, bool on)
{
    if (program >= w->image->program_count || at >= w->image->programs[program].code_count) return;
    tw__decoded *p = &w->decoded[program];
    p->marks[at] = on;
    set_stop(p, at, on || p == followed(w));
}

void tw__wse_follow(tw__wse *w, uint32_t pe)
{
    tw__decoded *before = followed(w);
    w->debug->follow = pe;
    tw__decoded *p = followed(w);
    if (before == p) return;
    for (uint32_t at = 0; before && at < before->program->code_count; at++) set_stop(before, at, before->marks[at]);
    for (uint32_t at = 0; p && at < p->program->code_count; at++) set_stop(p, at, true);
}

void tw__wse_stop_at(tw__wse *w, uint64_t cycle)
{
    w->debug->until = cycle;
}

void tw__wse_interrupt(tw__wse *w)
{
    if (w->debug) w->debug->interrupted = 1;
}

bool tw__wse_left(const tw__wse *w)
{
    return w->debug && w->debug->left;
}

unsigned tw__wse_op_behind(const tw__decoded *d, uint32_t at)
{
    unsigned op = d->behind ? d->behind[at] : d->code[at].op;
    return op == TW__WSE_I_INDICES ? d->checks[d->check_of[at]].op : op;
}

/* Waits until the clock of the fabric is the PE's own, or the operation that it begins does. */
static bool catches_up(const tw__decoded *d, uint32_t at)
{
    switch (tw__wse_op_behind(d, at)) {
    case TW__CSL_I_DSDOP: return !d->uses[d->code[at].x].simple;
    case TW__CSL_I_MAP:
    case TW__CSL_I_GET_CONFIG:
    case TW__CSL_I_SET_CONFIG:
    case TW__CSL_I_QUEUE_FLUSH: return true;
    default: return false;
    }
}

bool tw__wse_debug_asks(tw__wse *w, tw__wse_stop stop)
{
    tw__debug *d = w->debug;
    if (!d->left && !d->hook(d->user, &stop)) d->left = true;
    return !d->left;
}

tw__run tw__wse_stop_before(tw__part *part, tw__pe *pe, uint64_t clock)
{
    tw__debug *d = part->w->debug;
    uint32_t number = tw__wse_pe_number(part, pe);
    bool again = d->again[number] == pe->pc + 1;
    d->again[number] = 0;
    if (!pe->printing && clock > part->now && catches_up(pe->program, pe->pc)) return TW__RUN_SYNC;
    if (again || (!pe->program->marks[pe->pc] && d->follow != number)) return TW__RUN_SLICE;
    d->seen[number] = pe->pc + 1;
    if (tw__wse_debug_asks(part->w, (tw__wse_stop){ TW__WSE_STOP_CODE, number, pe->pc, clock }))
        return TW__RUN_SLICE;
    pe->main_state = TW__MAIN_FAULT;
    part->fault = true;
    return TW__RUN_FAULT;
}

void tw__wse_stopped(tw__part *part, const tw__pe *pe, tw__run why)
{
    tw__debug *d = part->w->debug;
    uint32_t number = tw__wse_pe_number(part, pe);
    bool same = d->seen[number] == pe->pc + 1 && (why == TW__RUN_SYNC || why == TW__RUN_WAIT);
    d->again[number] = same ? pe->pc + 1 : 0;
    d->seen[number] = 0;
}
