/* SPDX-License-Identifier: MIT */
/* Placing the objects of one tile: greedy, in an order that puts the hard ones first, each into the smallest gap that
 * holds it beside what is alive at the same time and away from what its constraints forbid.
 *
 * Objects that end above a goal, a little more than what is alive at once, are then settled below it
 * (place_settle.c). When an object finds no room at all, it moves to the front of the order and the tile is placed
 * again. */
#include "core/tile/place_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS     6
#define ORDERED_MOST 1024 /* objects of a tile for which several orders are tried */

/* --- time ----------------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t rank_of(const uint32_t *steps, uint32_t count, uint32_t step)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (steps[middle] < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Steps in which something begins or ends are all that matters; an object that outlives all of them is always
 * alive. */
static bool rank_steps(tw__placer *p)
{
    uint32_t count = p->fit->count, unique = 0, lives = 0, life_count;
    tw__place_life one;
    for (uint32_t i = 0; i < count; i++) {
        p->life_start[i] = lives;
        lives += p->items[i]->life_count ? p->items[i]->life_count : 1;
    }
    p->life_start[count] = lives;
    p->lives = tw__realloc(NULL, (lives + (size_t)1) * sizeof *p->lives);
    uint32_t *steps = tw__realloc(NULL, (2 * (size_t)lives + 1) * sizeof *steps);
    if (!steps || !p->lives) {
        free(steps);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const tw__place_life *of = tw__place_lives(p->items[i], &one, &life_count);
        for (uint32_t k = 0; k < life_count; k++) p->lives[p->life_start[i] + k] = of[k];
    }
    for (uint32_t k = 0; k < lives; k++) steps[2 * k] = p->lives[k].first, steps[2 * k + 1] = p->lives[k].last;
    qsort(steps, 2 * (size_t)lives, sizeof *steps, by_number);
    for (uint32_t i = 0; i < 2 * lives; i++)
        if (!unique || steps[unique - 1] != steps[i]) steps[unique++] = steps[i];
    for (uint32_t k = 0; k < lives; k++) {
        p->lives[k].first = rank_of(steps, unique, p->lives[k].first);
        p->lives[k].last = rank_of(steps, unique, p->lives[k].last);
    }
    for (uint32_t i = 0; i < count; i++)
        p->first[i] = p->lives[p->life_start[i]].first, p->last[i] = p->lives[p->life_start[i + 1] - 1].last;
    p->ranks = unique ? unique : 1;
    free(steps);
    return true;
}

static bool make_files(tw__placer *p)
{
    size_t total = 0;
    for (unsigned k = 0; k < TW__PLACE_CLASSES; k++) {
        p->class_start[k] = total;
        total += ((uint64_t)p->ranks >> k) + 1;
    }
    p->class_start[TW__PLACE_CLASSES] = total;
    p->heads = tw__realloc(NULL, total * sizeof *p->heads);
    return p->heads != NULL;
}

static void clear_files(tw__placer *p)
{
    memset(p->heads, 0xFF, p->class_start[TW__PLACE_CLASSES] * sizeof *p->heads);
    memset(p->class_used, 0, sizeof p->class_used);
    p->busy.count = p->lasting.count = 0;
    p->hint.bytes = 0;
}

/* --- where it fits -------------------------------------------------------------------------------------------- */

/* First of the busy stretches that begins at or after `address`. */
static size_t busy_at(const tw__placer *p, uint64_t address)
{
    size_t low = 0, high = p->busy.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->busy.items[middle].start < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#define LAST_ROOM (TW__NOWHERE - 1) /* of the gap above all that is in the way: the largest */

typedef struct gap {
    uint64_t address; /* of the item in it, NOWHERE: there is none */
    uint64_t room;    /* bytes from its beginning, NOWHERE when there is none */
    uint64_t end;
} gap;

/* Smallest gap from `from` to `high` that holds the item, the lowest of several; the search ends at one of `enough`
 * bytes. */
static gap gap_from(const tw__placer *p, const tw__place_item *item, uint64_t from, uint64_t high, uint64_t enough)
{
    const tw__list *a = &p->crowd;
    const tw__spans *b = &p->busy;
    gap best = { TW__NOWHERE, TW__NOWHERE, 0 };
    uint64_t at = from;
    size_t i = 0, k = busy_at(p, from);
    if (k > 0 && b->items[k - 1].end > at) at = b->items[k - 1].end;
    while (at < high) {
        bool from_a = i < a->count && (k == b->count || a->items[i].where.start <= b->items[k].start);
        bool last = !from_a && k == b->count;
        tw__span next = last ? (tw__span){ high, high } : from_a ? a->items[i++].where : b->items[k++];
        if (next.start >= high) next.start = high, last = true;
        uint64_t start = tw__align_up(at, item->align);
        if (start + item->bytes <= next.start) {
            uint64_t room = last ? LAST_ROOM : next.start - at;
            if (room < best.room) best = (gap){ start, room, next.start };
            if (room == enough) break;
        }
        if (last) break;
        if (next.end > at) at = next.end;
    }
    return best;
}

/* Best gap of [low, high) for item `i`, whose crowd is gathered. Thousands of equal objects that are always alive
 * stand on one tile in real programs (constants of a library): what the search for the last one found is where that
 * for the next one begins. */
static uint64_t best_gap(tw__placer *p, uint32_t i, uint64_t low, uint64_t high)
{
    const tw__place_item *item = p->items[i];
    tw__gap_hint *h = &p->hint;
    if (!tw__placer_always(p, i) || p->fit->pair_start[i + 1] > p->fit->pair_start[i])
        return gap_from(p, item, low, high, 0).address;
    bool known = h->bytes == item->bytes && h->align == item->align && h->low == low && h->high == high &&
                 h->changes == p->changes;
    gap g = known ? gap_from(p, item, h->from, high, h->room) : (gap){ 0 };
    if (!known || g.room != h->room) g = gap_from(p, item, low, high, 0);
    *h = (tw__gap_hint){ item->bytes, low, high, g.room, high, p->changes, item->align };
    if (g.address == TW__NOWHERE) return g.address;
    h->from = g.address + item->bytes, h->changes++; /* when it is filed there */
    /* What is left of this gap is the smallest now when it holds another one. */
    if (g.room != LAST_ROOM && g.end - h->from >= item->bytes) h->room = g.end - h->from;
    return g.address;
}

/* Ranges of addresses the item may use, best first, in `out`; returns how many. */
static unsigned windows_of(const tw__placer *p, uint32_t i, tw__span out[TW_TILE_MAX_REGIONS])
{
    const tw_tile_arch *arch = p->fit->arch;
    const tw__place_item *item = p->items[i];
    bool whole = true;
    unsigned count = 0;
    for (uint32_t k = p->fit->pair_start[i]; k < p->fit->pair_start[i + 1]; k++)
        whole = whole && p->fit->pairs[k].rule != TW__PLACE_REGION;
    if (item->flags & (TW__PLACE_INTERLEAVED | TW__PLACE_EXECUTABLE)) whole = false;
    if (whole) out[count++] = (tw__span){ arch->base_address, p->end };
    for (unsigned r = 0; !whole && r < arch->region_count; r++) {
        const tw_tile_region *region = &arch->regions[r];
        if ((item->flags & TW__PLACE_INTERLEAVED) && !region->interleaved) continue;
        if ((item->flags & TW__PLACE_EXECUTABLE) && !region->executable) continue;
        out[count++] = (tw__span){ region->start, (uint64_t)region->start + region->bytes };
    }
    uint64_t limit = p->end - (item->flags & TW__PLACE_OVERREAD ? arch->fetch_overread_bytes : 0);
    for (unsigned w = 0; w < count; w++)
        if (out[w].end > limit) out[w].end = limit;
    return count;
}

bool tw__placer_place(tw__placer *p, uint32_t i)
{
    tw__span windows[TW_TILE_MAX_REGIONS];
    tw__place_item *item = p->items[i];
    unsigned count = windows_of(p, i, windows);
    tw__placer_gather(p, i, false);
    uint64_t at = item->bytes || !count ? TW__NOWHERE : tw__align_up(windows[0].start, item->align);
    for (unsigned w = 0; w < count && at == TW__NOWHERE; w++) at = best_gap(p, i, windows[w].start, windows[w].end);
    item->address = at;
    if (at != TW__NOWHERE) tw__placer_file(p, i);
    return at != TW__NOWHERE;
}

/* --- order and attempts --------------------------------------------------------------------------------------- */

typedef struct sort_key {
    uint32_t index, boost, hardness, align;
    double weight;
} sort_key;

static int by_key(const void *a, const void *b)
{
    const sort_key *x = a, *y = b;
    if (x->boost != y->boost) return x->boost > y->boost ? -1 : 1;
    if (x->hardness != y->hardness) return x->hardness > y->hardness ? -1 : 1;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    if (x->align != y->align) return x->align > y->align ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Objects that found no room come first, then the hard ones: tied to a region and always alive, constrained, always
 * alive (they never give room back). The others by size times a power of the time they live: its root packs closest
 * in most programs (see bench_place). */
static bool make_order(tw__placer *p, double power)
{
    sort_key *keys = tw__realloc(NULL, (p->fit->count + (size_t)1) * sizeof *keys);
    if (!keys) return false;
    for (uint32_t i = 0; i < p->fit->count; i++) {
        const tw__place_item *item = p->items[i];
        bool tied = item->flags & (TW__PLACE_INTERLEAVED | TW__PLACE_EXECUTABLE);
        bool constrained = p->fit->pair_start[i + 1] > p->fit->pair_start[i], always = tw__placer_always(p, i);
        double life = 0;
        for (uint32_t k = p->life_start[i]; k < p->life_start[i + 1]; k++)
            life += (double)(p->lives[k].last - p->lives[k].first) + 1;
        keys[i] = (sort_key){ i, p->boost[i], tied * 4u + constrained * 2u + always * (tied ? 3u : 1u), item->align,
                              (double)item->bytes * pow(life, power) };
    }
    qsort(keys, p->fit->count, sizeof *keys, by_key);
    for (uint32_t i = 0; i < p->fit->count; i++) p->order[i] = keys[i].index;
    free(keys);
    return true;
}

/* Places everything that finds room. */
static void place_once(tw__placer *p, double power)
{
    if (!make_order(p, power)) p->failed = true;
    clear_files(p);
    for (uint32_t i = 0; i < p->fit->count; i++) p->items[i]->address = TW__NOWHERE;
    for (uint32_t k = 0; k < p->fit->count && !p->failed; k++)
        if (!tw__placer_place(p, p->order[k])) p->boost[p->order[k]]++;
}

/* Levels to settle below, one after the other: 1/25, 1/33, 1/50 more than what is alive at once, and room for
 * alignment. */
static const unsigned goal_shares[] = { 25, 33, 50 };
enum { GOALS = sizeof goal_shares / sizeof *goal_shares, GOAL_SLACK = 64 };

static uint64_t goal_of(const tw__placer *p, unsigned share)
{
    return p->fit->arch->base_address + p->alive + p->alive / share + GOAL_SLACK;
}

static uint64_t missing_bytes(const tw__placer *p)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->fit->count; i++)
        sum += p->items[i]->address == TW__NOWHERE ? p->items[i]->bytes : 0;
    return sum;
}

static uint64_t top_of(const tw__placer *p)
{
    uint64_t top = 0;
    for (uint32_t i = 0; i < p->fit->count; i++)
        if (p->items[i]->address != TW__NOWHERE && tw__placer_span(p, i).end > top) top = tw__placer_span(p, i).end;
    return top;
}

/* Attempts until everything has a place, and is below the last goal when the order is free; the best one stays. */
static uint64_t place_all(tw__placer *p)
{
    static const double powers[ATTEMPTS] = { 0.5, 0, 1, 0.25, 0.75, 0.5 };
    uint64_t least = TW__NOWHERE, least_top = TW__NOWHERE;
    bool is_free = p->fit->count <= ORDERED_MOST && !p->fit->pair_start[p->fit->count];
    for (unsigned attempt = 0; attempt < ATTEMPTS && !p->failed; attempt++) {
        if (!least && (!is_free || least_top <= goal_of(p, goal_shares[GOALS - 1]))) break;
        place_once(p, is_free ? powers[attempt] : 0.5);
        bool more = true;
        for (unsigned level = 0; level <= GOALS && more && !p->failed; level++) {
            if (level) more = tw__placer_settle(p, goal_of(p, goal_shares[level - 1]));
            uint64_t missing = missing_bytes(p), top = top_of(p);
            if (missing > least || (missing == least && top >= least_top)) continue;
            least = missing, least_top = top;
            for (uint32_t i = 0; i < p->fit->count; i++) p->best[i] = p->items[i]->address;
        }
    }
    clear_files(p);
    for (uint32_t i = 0; i < p->fit->count && !p->failed; i++)
        if ((p->items[i]->address = p->best[i]) != TW__NOWHERE) tw__placer_file(p, i);
    return least;
}

/* What found no room begins in the last free stretch and goes on past the end, beside those alive at the same time;
 * what is tied to regions or constrained lies past the end as a whole. */
static void place_overflow(tw__placer *p)
{
    for (uint32_t k = 0; k < p->fit->count; k++) {
        uint32_t i = p->order[k];
        tw__place_item *item = p->items[i];
        if (item->address != TW__NOWHERE) continue;
        bool tied = item->flags & (TW__PLACE_INTERLEAVED | TW__PLACE_EXECUTABLE) ||
                    p->fit->pair_start[i + 1] > p->fit->pair_start[i];
        tw__placer_gather(p, i, false);
        item->address = best_gap(p, i, tied ? p->end : p->fit->arch->base_address, TW__NOWHERE / 2);
        if (item->address + item->bytes <= p->end) /* only the margin for reading on was missing */
            item->address = best_gap(p, i, p->end, TW__NOWHERE / 2);
        item->flags |= TW__PLACE_OVERFLOWED;
        tw__placer_file(p, i);
    }
}

bool tw__fit_tile(tw__fit *fit, tw__place_tile *result)
{
    size_t count = fit->count + (size_t)1;
    tw__placer p = { .fit = fit,
                     .items = fit->items,
                     .end = fit->arch->base_address + (uint64_t)fit->arch->bytes_per_tile };
    uint32_t *numbers = tw__realloc(NULL, 7 * count * sizeof *numbers);
    uint64_t *best = tw__realloc(NULL, count * sizeof *best);
    if (!numbers || !best) {
        free(numbers), free(best);
        return false;
    }
    memset(numbers, 0, 7 * count * sizeof *numbers);
    p.first = numbers, p.last = numbers + count, p.boost = numbers + 2 * count, p.order = numbers + 3 * count;
    p.next = numbers + 4 * count, p.push = numbers + 5 * count;
    p.life_start = numbers + 6 * count;
    p.best = best;
    *result = (tw__place_tile){ 0 };
    fit->unplaced = TW__NO_ITEM;
    bool ok = rank_steps(&p) && make_files(&p);
    if (ok) {
        for (uint32_t i = 0; i < fit->count; i++) result->bytes += p.items[i]->bytes;
        result->max_live = tw__placer_most_alive(&p, &result->fullest);
        p.alive = result->max_live;
        uint64_t missing = place_all(&p);
        for (uint32_t i = 0; i < fit->count && missing && fit->unplaced == TW__NO_ITEM; i++)
            if (p.items[i]->address == TW__NOWHERE) fit->unplaced = i;
        place_overflow(&p);
        tw__placer_measure(&p, result);
    }
    free(p.busy.items), free(p.lasting.items), free(p.crowd.items), free(p.scratch.items), free(p.queue);
    free(p.heads), free(p.lives), free(numbers), free(best);
    return ok && !p.failed;
}
