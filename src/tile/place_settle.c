/* Settling objects below a goal: each goes where clearing the place costs least, and what it turns out is settled in turn.
 * Objects turned out often cost more, so that the search does not go in circles. */
#include "tile/place_fit.h"

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
    unsigned k = tw__placer_class(p, i);
    uint32_t *at = &p->heads[p->class_start[k] + ((uint64_t)p->first[i] >> k)];
    bool placed = p->items[i]->address != TW__NOWHERE;
    if (!tw__grow(&p->queue, &p->queue_room, p->queue_count, sizeof *p->queue)) {
        p->failed = true;
        return;
    }
    while (placed && *at != i) at = &p->next[*at];
    if (placed) *at = p->next[i];
    p->items[i]->address = TW__NOWHERE;
    p->queue[p->queue_count++] = i;
}

static void crowd_add(tw__placer *p, tw__span where, uint32_t index)
{
    if (!tw__grow(&p->crowd, &p->crowd_room, p->crowd_count, sizeof *p->crowd))
        p->failed = true;
    else
        p->crowd[p->crowd_count++] = (tw__located){ where, index };
}

static void find_crowd(tw__placer *p, uint32_t i)
{
    uint32_t first = p->first[i], last = p->last[i];
    p->crowd_count = 0;
    for (unsigned k = 0; k < TW__PLACE_CLASSES; k++) {
        if (!p->class_used[k]) continue;
        uint64_t file = (uint64_t)first >> k, end = (uint64_t)last >> k;
        for (file -= file > 0; file <= end; file++)
            for (uint32_t other = p->heads[p->class_start[k] + file]; other != TW__NO_ITEM; other = p->next[other])
                if (p->first[other] <= last && p->last[other] >= first)
                    crowd_add(p, tw__placer_span(p, other), other);
    }
    for (size_t k = 0; k < p->busy.count; k++) crowd_add(p, p->busy.items[k], TW__NO_ITEM);
    if (p->crowd_count > 1) qsort(p->crowd, p->crowd_count, sizeof *p->crowd, tw__by_place);
}

/* What it costs to clear [start, end): bytes, more for those turned out before; NOWHERE when something there must stay. */
static uint64_t cost_of(const tw__placer *p, uint64_t start, uint64_t end, uint64_t best)
{
    uint64_t cost = 0;
    for (size_t k = 0; k < p->crowd_count && p->crowd[k].where.start < end && cost < best; k++) {
        uint32_t other = p->crowd[k].index;
        if (p->crowd[k].where.end <= start) continue;
        if (other == TW__NO_ITEM || !is_movable(p, other)) return TW__NOWHERE;
        cost += (uint64_t)p->items[other]->bytes * (1 + p->push[other]);
    }
    return cost;
}

/* Gives item `i` a place that ends below `goal`, turning out others if it must. */
static bool settle(tw__placer *p, uint32_t i, uint64_t goal)
{
    tw__place_item *item = p->items[i];
    uint64_t low = p->fit->arch->base_address, best = TW__NOWHERE, where = TW__NOWHERE;
    find_crowd(p, i);
    for (size_t k = 0; k <= 2 * p->crowd_count && best; k++) { /* beside something, or at the start */
        tw__span s = k < 2 * p->crowd_count ? p->crowd[k / 2].where : (tw__span){ 0, low };
        uint64_t at =
            k % 2 ? (s.start > low + item->bytes ? (s.start - item->bytes) & ~(uint64_t)(item->align - 1) : low)
                  : s.end;
        at = tw__placer_round_up(at, item->align);
        if (at < low || at + item->bytes > goal) continue;
        uint64_t cost = cost_of(p, at, at + item->bytes, best);
        if (cost < best) best = cost, where = at;
    }
    if (where == TW__NOWHERE) return false;
    for (size_t k = 0; k < p->crowd_count; k++) {
        uint32_t other = p->crowd[k].index;
        if (p->crowd[k].where.end <= where || p->crowd[k].where.start >= where + item->bytes) continue;
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
        bool settled = budget && work && settle(p, i, goal < limit ? goal : limit);
        uint64_t spent = (uint64_t)p->crowd_count * p->crowd_count;
        work = work > spent ? work - spent : 0;
        if (budget) budget--;
        if (!settled) tw__placer_place(p, i), all = false;
    }
    return all;
}
