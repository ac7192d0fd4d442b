/* SPDX-License-Identifier: MIT */
/* Settling objects below a goal: each goes where clearing the place costs least, and what it turns out is settled in
 * turn. Objects turned out often cost more, so that the search does not go in circles. */
#include "core/tile/place_fit.h"

#include <stdlib.h>

/* Objects settled at most, so that the effort stays in proportion. */
#define SETTLE_EACH 100   /* for each that is to be settled */
#define SETTLE_MOST 3     /* for each object of the tile */
#define SETTLE_WORK 20000 /* comparisons for each object of the tile */
/* Plain objects with a life of their own may be moved again. */
static bool is_movable(const tw__placer *p, uint32_t i)
{
    const tw__place_item *item = p->items[i];
    return item->bytes && !(item->flags & (TW__PLACE_INTERLEAVED | TW__PLACE_EXECUTABLE)) &&
           !tw__placer_always(p, i) && p->fit->pair_start[i + 1] == p->fit->pair_start[i];
}

static void turn_out(tw__placer *p, uint32_t i)
{
    if (!tw__grow(&p->queue, &p->queue_room, p->queue_count, sizeof *p->queue)) {
        p->failed = true;
        return;
    }
    if (p->items[i]->address != TW__NOWHERE) tw__placer_unfile(p, i);
    p->items[i]->address = TW__NOWHERE;
    p->queue[p->queue_count++] = i;
}

/* What it costs to clear [start, end): bytes, more for those turned out before; NOWHERE when something there must
 * stay. */
static uint64_t cost_of(const tw__placer *p, uint64_t start, uint64_t end, uint64_t best)
{
    uint64_t cost = 0;
    for (size_t k = 0; k < p->crowd.count && p->crowd.items[k].where.start < end && cost < best; k++) {
        uint32_t other = p->crowd.items[k].index;
        if (p->crowd.items[k].where.end <= start) continue;
        if (other == TW__NO_ITEM || !is_movable(p, other)) return TW__NOWHERE;
        cost += (uint64_t)p->items[other]->bytes * (1 + p->push[other]);
    }
    return cost;
}

/* Gives item `i` a place that ends below `goal`, turning out others if it must. */
static bool place_settle_settle(tw__placer *p, uint32_t i, uint64_t goal)
{
    tw__place_item *item = p->items[i];
    uint64_t low = p->fit->arch->base_address, best = TW__NOWHERE, where = TW__NOWHERE;
    tw__placer_gather(p, i, true);
    for (size_t k = 0; k <= 2 * p->crowd.count && best; k++) { /* beside something, or at the start */
        tw__span s = k < 2 * p->crowd.count ? p->crowd.items[k / 2].where : (tw__span){ 0, low };
        uint64_t at =
            k % 2 ? (s.start > low + item->bytes ? (s.start - item->bytes) & ~(uint64_t)(item->align - 1) : low)
                  : s.end;
        at = tw__align_up(at, item->align);
        if (at < low || at + item->bytes > goal) continue;
        uint64_t cost = cost_of(p, at, at + item->bytes, best);
        if (cost < best) best = cost, where = at;
    }
    if (where == TW__NOWHERE) return false;
    for (size_t k = 0; k < p->crowd.count; k++) {
        uint32_t other = p->crowd.items[k].index;
        if (p->crowd.items[k].where.end <= where || p->crowd.items[k].where.start >= where + item->bytes) continue;
        p->push[other]++;
        turn_out(p, other);
    }
    item->address = where;
    tw__placer_file(p, i);
    return true;
}

bool tw__placer_settle(tw__placer *p, uint64_t goal)
{
    bool all = true;
    p->queue_count = 0;
    for (uint32_t i = 0; i < p->fit->count && !p->failed; i++)
        if (is_movable(p, i) && (p->items[i]->address == TW__NOWHERE || tw__placer_span(p, i).end > goal))
            turn_out(p, i);
    size_t budget = SETTLE_EACH * p->queue_count, most = SETTLE_MOST * (size_t)p->fit->count;
    uint64_t work = SETTLE_WORK * (uint64_t)p->fit->count; /* comparisons */
    if (budget > most) budget = most;
    while (p->queue_count && !p->failed) {
        uint32_t i = p->queue[--p->queue_count];
        uint64_t limit =
            p->end - (p->items[i]->flags & TW__PLACE_OVERREAD ? p->fit->arch->fetch_overread_bytes : 0);
        bool settled = budget && work && place_settle_settle(p, i, goal < limit ? goal : limit);
        uint64_t spent = (uint64_t)p->crowd.count * p->crowd.count;
        work = work > spent ? work - spent : 0;
        if (budget) budget--;
        if (!settled) tw__placer_place(p, i), all = false;
    }
    return all;
}
