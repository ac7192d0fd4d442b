/* SPDX-License-Identifier: MIT */
/* timeline: what a core keeps with TW_PTO_TIMELINE: when each instruction began and ended on its pipe, what pipes
 * waited for, which part of the memories was in use from when to when. profile/ shows it. */
#include "core/base/callers.h"
#include "core/base/fiber.h"
#include "core/base/interrupt.h"
#include "pto/cost/cost.h"

#include <stdlib.h>
#include <string.h>

bool tw__timeline_new(tw_pto *core)
{
    return (core->timeline = tw__calloc(1, sizeof *core->timeline)) != NULL;
}

void tw__timeline_free(tw_pto *core)
{
    if (core->timeline) free(core->timeline->spans), free(core->timeline->waits), free(core->timeline->uses);
    if (core->timeline) free(core->timeline->file);
    free(core->timeline);
    core->timeline = NULL;
}

/* Of a second text lines are not known: one core seldom runs two. */
void tw__timeline_source(tw_pto *core, const char *file)
{
    struct tw__timeline *t = core->timeline;
    if (t->file && strcmp(t->file, file) != 0) t->other = true;
    if (t->file) return;
    size_t bytes = strlen(file) + 1;
    if ((t->file = tw__realloc(NULL, bytes)))
        memcpy(t->file, file, bytes);
    else
        core->cost_lost = true;
}

/* Of a program in C or C++: the call that is going on. */
static uint32_t line_now(const tw_pto *core)
{
    if (core->line) return core->line;
    const uint32_t call = tw__caller();
    return call ? TW__OF_CALL | call : 0;
}

void tw__timeline_add(tw_pto *core, const tw__pto_row *row, tw_pto_pipe pipe, uint64_t begin, uint64_t end,
                      uint64_t there)
{
    struct tw__timeline *t = core->timeline;
    if (t->count >= TW__MOST_SPANS)
        t->left_out++;
    else if (!tw__grow(&t->spans, &t->room, t->count, sizeof *t->spans))
        core->cost_lost = true;
    else
        t->spans[t->count++] =
            (tw__span){ begin, end, there, line_now(core), (uint16_t)tw__pto_row_index(row), (uint8_t)pipe };
    if (tw__interrupt_flag && !tw__fiber_current()) tw__interrupt_end(); /* grids look for themselves */
}

static bool is_use_of(const tw__use *use, const tw__use *fresh)
{
    return use->location == fresh->location && use->address == fresh->address && use->bytes == fresh->bytes &&
           use->type == fresh->type && use->rows == fresh->rows && use->cols == fresh->cols;
}

/* A tile that comes and goes at the same address, in a loop for instance, is one block. */
void tw__timeline_use(tw_pto *core, const tw_pto_tile *tile, uint64_t begin, uint64_t end)
{
    struct tw__timeline *t = core->timeline;
    tw__place *p = &core->places[tile->place - 1];
    bool window = tile->base_rows != 0;
    tw__use fresh = { .location = p->location,
                      .type = tile->type,
                      .address = p->address,
                      .bytes = p->bytes,
                      .rows = window ? tile->base_rows : tile->rows,
                      .cols = window ? tile->base_cols : tile->cols,
                      .from = begin,
                      .used = end };
    size_t i = p->block ? p->block - 1 : t->use_count;
    if (i < t->use_count && !is_use_of(&t->uses[i], &fresh)) i = t->use_count; /* it has moved, or another type */
    for (size_t k = 0; k < t->use_count && i == t->use_count; k++)
        if (is_use_of(&t->uses[k], &fresh)) i = k;
    if (i == t->use_count) {
        if (t->use_count >= TW__MOST_USES) return;
        if (!tw__grow(&t->uses, &t->use_room, t->use_count, sizeof *t->uses)) {
            core->cost_lost = true;
            return;
        }
        t->uses[t->use_count++] = fresh;
    }
    p->block = (uint32_t)i + 1;
    if (t->uses[i].used < end) t->uses[i].used = end;
    if (t->uses[i].from > begin) t->uses[i].from = begin;
}

void tw__timeline_wait(tw_pto *core, const tw__pto_row *row, tw_pto_pipe pipe, uint64_t begin, uint64_t end,
                       tw__hold hold)
{
    struct tw__timeline *t = core->timeline;
    if (t->wait_count >= TW__MOST_SPANS)
        t->left_out++;
    else if (!tw__grow(&t->waits, &t->wait_room, t->wait_count, sizeof *t->waits))
        core->cost_lost = true;
    else
        t->waits[t->wait_count++] =
            (tw__wait_span){ begin, end, line_now(core), (uint16_t)tw__pto_row_index(row), (uint8_t)pipe, hold };
}
