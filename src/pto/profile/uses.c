/* SPDX-License-Identifier: MIT */
/* uses: what a timeline keeps beside instructions: which part of a core's memories was in use from when to when, and
 * what each pipe waited for. Every cycle is an estimate. */
#include "pto/cost/cost.h"
#include "pto/profile/profile.h"

#include <stdlib.h>

/* --- memory ----------------------------------------------------------------------------------------------------- */

/* Bytes are held until somebody else uses them, or to the end: nobody gives them back. */
static uint64_t held_until(const struct tw__timeline *t, size_t i, uint64_t end)
{
    const tw__use *use = &t->uses[i];
    for (size_t k = 0; k < t->use_count; k++) {
        const tw__use *other = &t->uses[k];
        bool meets = k != i && other->location == use->location && other->address < use->address + use->bytes &&
                     use->address < other->address + other->bytes;
        if (meets && other->from > use->used && other->from < end) end = other->from;
    }
    return end > use->used ? end : use->used;
}

static uint32_t clipped(uint64_t cycle)
{
    return cycle < TW__NONE - 1 ? (uint32_t)cycle : TW__NONE - 1;
}

void tw__timeline_add_map(const tw_pto *core, tw_profile *p, uint32_t tile)
{
    const struct tw__timeline *t = core->timeline;
    uint64_t end = tw_pto_cycles(core);
    if (!t->use_count) return;
    tw__profile_map_in_cycles(p);
    tw__profile_map_begin(p, tile);
    for (size_t i = 0; i < t->use_count; i++) {
        const tw__use *use = &t->uses[i];
        char name[96];
        snprintf(name, sizeof name, "%u x %u %s", use->rows, use->cols, tw_type_name(use->type, TW_SYSTEM_PTO));
        tw__profile_map_add(p, &(tw__block_desc){ .address = use->address,
                                                  .bytes = use->bytes,
                                                  .name = name,
                                                  .category = tw__pto_memory_name(use->location),
                                                  .from = clipped(use->from),
                                                  .to = clipped(held_until(t, i, end)),
                                                  .used = clipped(use->used) });
    }
    tw__profile_map_end(p);
}

/* --- waits ------------------------------------------------------------------------------------------------------ */

/* "flag EVENT_ID3", "buffer 2", "tile". */
static const char *cause_of(const tw__hold *hold, char text[64])
{
    if (!hold->cause) return "its turn";
    if (hold->id == TW__NO_ID) return hold->cause;
    snprintf(text, 64, strcmp(hold->cause, "flag") ? "%s, %u" : "%s EVENT_ID%u", hold->cause, hold->id);
    return text;
}

typedef struct wait_sum {
    const char *cause;
    uint8_t pipe, from;
    uint32_t core;
    uint64_t cycles;
} wait_sum;

static unsigned number_of(tw_pto *const *cores, unsigned count, const tw_pto *core)
{
    unsigned i = 0;
    while (i < count && cores[i] != core) i++;
    return i;
}

/* Cycles that pipes of a core waited, by what for: flags of one pair of pipes together. */
static void add_sums(const wait_sum *sums, size_t count, uint32_t tile, tw_profile *p)
{
    for (size_t i = 0; i < count; i++) {
        const wait_sum *w = &sums[i];
        char text[160];
        bool from = w->from < TW_PTO_PIPES && w->from != w->pipe;
        snprintf(text, sizeof text, "%s: %s%s%s", tw_pto_pipe_name((tw_pto_pipe)w->pipe), w->cause,
                 from ? " of " : "", from ? tw_pto_pipe_name((tw_pto_pipe)w->from) : "");
        tw__profile_add_wait(p, tile, text, w->core, w->cycles);
    }
}

void tw__timeline_add_waits(tw_pto *const *cores, unsigned count, unsigned number, tw_profile *p)
{
    const struct tw__timeline *t = cores[number]->timeline;
    enum { MOST_SUMS = 512 }; /* pairs of pipes times causes are fewer, unless hundreds of cores are waited for */
    wait_sum *sums = tw__calloc(MOST_SUMS, sizeof *sums);
    size_t used = 0;
    for (size_t i = 0; sums && i < t->wait_count; i++) {
        const tw__wait_span *s = &t->waits[i];
        unsigned other = s->hold.core ? number_of(cores, count, s->hold.core) : number;
        bool known = s->hold.pipe < TW_PTO_PIPES && other < count && cores[other]->timeline;
        char text[64];
        if (t->lanes[s->pipe] == TW__NONE) continue; /* none of its instructions was kept */
        tw__profile_add_interval(
            p, &(tw__interval_desc){ .lane = t->lanes[s->pipe],
                                     .from = s->begin,
                                     .to = s->end,
                                     .name = tw__pto_row_at(s->row)->name,
                                     .cause = cause_of(&s->hold, text),
                                     .partner = known ? cores[other]->timeline->lanes[s->hold.pipe] : TW__NONE });
        wait_sum sum = { s->hold.cause ? s->hold.cause : "its turn", s->pipe, s->hold.pipe,
                         s->hold.core && other < count ? other : TW__NONE, 0 };
        size_t k = 0;
        while (k < used && !(sums[k].cause == sum.cause && sums[k].pipe == sum.pipe && sums[k].from == sum.from &&
                             sums[k].core == sum.core))
            k++;
        if (k == used && used == MOST_SUMS) continue;
        if (k == used) sums[used++] = sum;
        sums[k].cycles += s->end - s->begin;
    }
    if (sums)
        add_sums(sums, used, number, p);
    else
        cores[number]->cost_lost = true;
    free(sums);
}
