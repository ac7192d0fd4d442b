/* Placing the objects of one tile: greedy, in an order that puts the hard ones first, each into the smallest gap that holds
 * it beside what is alive at the same time and away from what its constraints forbid.
 *
 * Objects that are always alive become a short sorted list of busy stretches. The others are found by time: an object alive
 * for less than 2^k steps is filed under class k and its first step / 2^k, so a question about a span of time looks at few
 * files of each class.
 *
 * Objects that end above a goal, a little more than what is alive at once, are then settled below it (place_settle.c). When an
 * object finds no room at all, it moves to the front of the order and the tile is placed again. */
#include "tile/place_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS 6

static void push(tw__placer *p, tw__spans *list, tw__span value)
{
    if (value.start >= value.end) return;
    if (!tw__grow(&list->items, &list->room, list->count, sizeof *list->items)) {
        p->failed = true;
        return;
    }
    list->items[list->count++] = value;
}

/* --- time ---------------------------------------------------------------------------------------------------------- */

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

/* Steps in which something begins or ends are all that matters; an object that outlives all of them is always alive. */
static bool rank_steps(tw__placer *p)
{
    uint32_t count = p->fit->count, unique = 0;
    uint32_t *steps = tw__realloc(NULL, (2 * (size_t)count + 1) * sizeof *steps);
    if (!steps) return false;
    for (uint32_t i = 0; i < count; i++) steps[2 * i] = p->items[i]->first, steps[2 * i + 1] = p->items[i]->last;
    qsort(steps, 2 * (size_t)count, sizeof *steps, by_number);
    for (uint32_t i = 0; i < 2 * count; i++)
        if (!unique || steps[unique - 1] != steps[i]) steps[unique++] = steps[i];
    for (uint32_t i = 0; i < count; i++) {
        p->first[i] = rank_of(steps, unique, p->items[i]->first);
        p->last[i] = rank_of(steps, unique, p->items[i]->last);
    }
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
}

/* --- what is in the way ------------------------------------------------------------------------------------------------ */

static void add_busy(tw__placer *p, tw__span value)
{
    size_t at = p->busy.count;
    push(p, &p->busy, value);
    if (p->busy.count == at) return;
    tw__span *s = p->busy.items;
    for (; at > 0 && s[at - 1].start > value.start; at--) s[at] = s[at - 1];
    s[at] = value;
    if (at + 1 < p->busy.count && s[at].end == s[at + 1].start) {
        s[at].end = s[at + 1].end;
        memmove(&s[at + 1], &s[at + 2], (p->busy.count - at - 2) * sizeof *s), p->busy.count--;
    }
    if (at > 0 && s[at - 1].end == s[at].start) {
        s[at - 1].end = s[at].end;
        memmove(&s[at], &s[at + 1], (p->busy.count - at - 1) * sizeof *s), p->busy.count--;
    }
}

/* First of the lasting objects that stands at or after `address`. */
static size_t lasting_at(const tw__placer *p, uint64_t address)
{
    size_t low = 0, high = p->lasting.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->lasting.items[middle].where.start < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_lasting(tw__placer *p, uint32_t i)
{
    tw__list *l = &p->lasting;
    if (!tw__grow(&l->items, &l->room, l->count, sizeof *l->items)) {
        p->failed = true;
        return;
    }
    size_t at = lasting_at(p, p->items[i]->address);
    memmove(&l->items[at + 1], &l->items[at], (l->count++ - at) * sizeof *l->items);
    l->items[at] = (tw__located){ tw__placer_span(p, i), i };
}

static uint32_t *file_of(const tw__placer *p, uint32_t i)
{
    unsigned k = tw__placer_class(p, i);
    return &p->heads[p->class_start[k] + ((uint64_t)p->first[i] >> k)];
}

void tw__placer_file(tw__placer *p, uint32_t i)
{
    if (!p->items[i]->bytes) return;
    if (tw__placer_always(p, i)) {
        add_busy(p, tw__placer_span(p, i));
    } else if (tw__placer_lasts(p, i)) {
        add_lasting(p, i);
    } else {
        uint32_t *head = file_of(p, i);
        p->next[i] = *head, *head = i, p->class_used[tw__placer_class(p, i)] = true;
    }
}

void tw__placer_unfile(tw__placer *p, uint32_t i)
{
    if (tw__placer_lasts(p, i)) {
        tw__list *l = &p->lasting;
        size_t at = lasting_at(p, p->items[i]->address);
        while (at < l->count && l->items[at].index != i) at++;
        if (at < l->count) memmove(&l->items[at], &l->items[at + 1], (--l->count - at) * sizeof *l->items);
        return;
    }
    uint32_t *at = file_of(p, i);
    while (*at != i) at = &p->next[*at];
    *at = p->next[i];
}

static void add_to(tw__placer *p, tw__list *list, tw__span where, uint32_t index)
{
    if (where.start >= where.end) return;
    if (tw__grow(&list->items, &list->room, list->count, sizeof *list->items))
        list->items[list->count++] = (tw__located){ where, index };
    else
        p->failed = true;
}

static bool meets_in_time(const tw__placer *p, uint32_t i, uint32_t other)
{
    return p->first[other] <= p->last[i] && p->last[other] >= p->first[i];
}

static void find_contemporaries(tw__placer *p, uint32_t i)
{
    uint32_t first = p->first[i], last = p->last[i];
    for (unsigned k = 0; k < TW__PLACE_CLASSES; k++) {
        if (!p->class_used[k]) continue;
        uint64_t file = (uint64_t)first >> k, end = (uint64_t)last >> k;
        for (file -= file > 0; file <= end; file++)
            for (uint32_t other = p->heads[p->class_start[k] + file]; other != TW__NO_ITEM; other = p->next[other])
                if (meets_in_time(p, i, other)) add_to(p, &p->scratch, tw__placer_span(p, other), other);
    }
}

/* Addresses that an element or region shares with [start, end). */
static tw__span element_hull(const tw_tile_arch *arch, tw__span s)
{
    int low = tw_tile_element_at(arch, (uint32_t)s.start), high = tw_tile_element_at(arch, (uint32_t)s.end - 1);
    if (low < 0 || high < 0) return (tw__span){ 0, 0 }; /* past the end: no element */
    uint64_t end =
        (unsigned)high + 1 < arch->element_count ? arch->element_offsets[high + 1] : arch->bytes_per_tile;
    return (tw__span){ arch->base_address + (uint64_t)arch->element_offsets[low], arch->base_address + end };
}

static void find_forbidden(tw__placer *p, uint32_t i)
{
    const tw__fit *fit = p->fit;
    for (uint32_t k = fit->pair_start[i]; k < fit->pair_start[i + 1]; k++) {
        const tw__place_item *other = p->items[fit->pairs[k].other];
        tw__span s = tw__placer_span(p, fit->pairs[k].other);
        if (other->address == TW__NOWHERE || s.start == s.end) continue;
        if (fit->pairs[k].rule == TW__PLACE_ELEM) add_to(p, &p->scratch, element_hull(fit->arch, s), TW__NO_ITEM);
        for (unsigned r = 0; fit->pairs[k].rule == TW__PLACE_REGION && r < fit->arch->region_count; r++) {
            const tw_tile_region *region = &fit->arch->regions[r];
            tw__span whole = { region->start, (uint64_t)region->start + region->bytes };
            if (s.start < whole.end && whole.start < s.end) add_to(p, &p->scratch, whole, TW__NO_ITEM);
        }
    }
}

/* Three sorted lists become one: what was gathered, what lasts, what is always there. */
void tw__placer_gather(tw__placer *p, uint32_t i, bool busy)
{
    p->scratch.count = p->crowd.count = 0;
    if (!p->items[i]->bytes) return;
    find_contemporaries(p, i);
    find_forbidden(p, i);
    if (p->scratch.count > 1) qsort(p->scratch.items, p->scratch.count, sizeof *p->scratch.items, tw__by_place);
    if (!p->lasting.count && !(busy && p->busy.count)) {
        tw__list swap = p->crowd;
        p->crowd = p->scratch, p->scratch = swap;
        return;
    }
    tw__list *out = &p->crowd;
    size_t most = p->scratch.count + p->lasting.count + p->busy.count;
    if (out->room < most) { /* all of it at once: this is the hot loop of tiles with many lasting objects */
        tw__located *more = tw__realloc(out->items, 2 * most * sizeof *more);
        if (!more) {
            p->failed = true;
            return;
        }
        out->items = more, out->room = 2 * most;
    }
    size_t a = 0, b = 0, c = busy ? 0 : p->busy.count;
    for (;;) {
        while (b < p->lasting.count && !meets_in_time(p, i, p->lasting.items[b].index)) b++;
        uint64_t x = a < p->scratch.count ? p->scratch.items[a].where.start : TW__NOWHERE,
                 y = b < p->lasting.count ? p->lasting.items[b].where.start : TW__NOWHERE,
                 z = c < p->busy.count ? p->busy.items[c].start : TW__NOWHERE;
        if (x == TW__NOWHERE && y == TW__NOWHERE && z == TW__NOWHERE) return;
        if (x <= y && x <= z)
            out->items[out->count++] = p->scratch.items[a++];
        else if (y <= z)
            out->items[out->count++] = p->lasting.items[b++];
        else
            out->items[out->count++] = (tw__located){ p->busy.items[c++], TW__NO_ITEM };
    }
}

/* --- where it fits ------------------------------------------------------------------------------------------------------ */

/* Smallest gap of [low, high) that holds the item; the room above the last busy stretch counts as the largest. */
static uint64_t best_gap(const tw__placer *p, const tw__place_item *item, uint64_t low, uint64_t high)
{
    const tw__list *a = &p->crowd;
    const tw__spans *b = &p->busy;
    uint64_t at = low, best = TW__NOWHERE, best_room = TW__NOWHERE, mask = item->align - 1;
    size_t i = 0, k = 0;
    while (at < high) {
        bool from_a = i < a->count && (k == b->count || a->items[i].where.start <= b->items[k].start);
        bool last = !from_a && k == b->count;
        tw__span next = last ? (tw__span){ high, high } : from_a ? a->items[i++].where : b->items[k++];
        if (next.start >= high) next.start = high, last = true;
        uint64_t start = (at + mask) & ~mask; /* rounded up */
        if (start + item->bytes <= next.start) {
            uint64_t room = last ? TW__NOWHERE - 1 : next.start - at;
            if (room < best_room) best = start, best_room = room;
        }
        if (last) break;
        if (next.end > at) at = next.end;
    }
    return best;
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
    uint64_t at = item->bytes || !count ? TW__NOWHERE : tw__placer_round_up(windows[0].start, item->align);
    for (unsigned w = 0; w < count && at == TW__NOWHERE; w++)
        at = best_gap(p, item, windows[w].start, windows[w].end);
    item->address = at;
    if (at != TW__NOWHERE) tw__placer_file(p, i);
    return at != TW__NOWHERE;
}

/* --- order and attempts ---------------------------------------------------------------------------------------------------- */

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

/* Objects that found no room come first, then the hard ones: tied to a region and always alive, constrained, always alive
 * (they never give room back). The others by size times the root of their life, which packs closer than either alone (see
 * bench_place). */
static bool make_order(tw__placer *p)
{
    sort_key *keys = tw__realloc(NULL, (p->fit->count + (size_t)1) * sizeof *keys);
    if (!keys) return false;
    for (uint32_t i = 0; i < p->fit->count; i++) {
        const tw__place_item *item = p->items[i];
        bool tied = item->flags & (TW__PLACE_INTERLEAVED | TW__PLACE_EXECUTABLE);
        bool constrained = p->fit->pair_start[i + 1] > p->fit->pair_start[i], always = tw__placer_always(p, i);
        double life = sqrt((double)(p->last[i] - p->first[i]) + 1);
        keys[i] = (sort_key){ i, p->boost[i], tied * 4u + constrained * 2u + always * (tied ? 3u : 1u), item->align,
                              (double)item->bytes * life };
    }
    qsort(keys, p->fit->count, sizeof *keys, by_key);
    for (uint32_t i = 0; i < p->fit->count; i++) p->order[i] = keys[i].index;
    free(keys);
    return true;
}

/* Places everything that finds room. */
static void place_once(tw__placer *p)
{
    if (!make_order(p)) p->failed = true;
    clear_files(p);
    for (uint32_t i = 0; i < p->fit->count; i++) p->items[i]->address = TW__NOWHERE;
    for (uint32_t k = 0; k < p->fit->count && !p->failed; k++)
        if (!tw__placer_place(p, p->order[k])) p->boost[p->order[k]]++;
}

/* Levels to settle below, one after the other: 1/25, 1/33, 1/50 more than what is alive at once, and room for alignment. */
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

/* Attempts until everything has a place; the best one stays. */
static uint64_t place_all(tw__placer *p)
{
    uint64_t least = TW__NOWHERE, least_top = TW__NOWHERE;
    for (unsigned attempt = 0; attempt < ATTEMPTS && least && !p->failed; attempt++) {
        place_once(p);
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

/* What found no room begins in the last free stretch and goes on past the end, beside those alive at the same time; what is
 * tied to regions or constrained lies past the end as a whole. */
static void place_overflow(tw__placer *p)
{
    for (uint32_t k = 0; k < p->fit->count; k++) {
        uint32_t i = p->order[k];
        tw__place_item *item = p->items[i];
        if (item->address != TW__NOWHERE) continue;
        bool tied = item->flags & (TW__PLACE_INTERLEAVED | TW__PLACE_EXECUTABLE) ||
                    p->fit->pair_start[i + 1] > p->fit->pair_start[i];
        tw__placer_gather(p, i, false);
        item->address = best_gap(p, item, tied ? p->end : p->fit->arch->base_address, TW__NOWHERE / 2);
        if (item->address + item->bytes <= p->end) /* only the margin for reading on was missing */
            item->address = best_gap(p, item, p->end, TW__NOWHERE / 2);
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
    uint32_t *numbers = tw__realloc(NULL, 6 * count * sizeof *numbers);
    uint64_t *best = tw__realloc(NULL, count * sizeof *best);
    if (!numbers || !best) {
        free(numbers), free(best);
        return false;
    }
    memset(numbers, 0, 6 * count * sizeof *numbers);
    p.first = numbers, p.last = numbers + count, p.boost = numbers + 2 * count, p.order = numbers + 3 * count;
    p.next = numbers + 4 * count, p.push = numbers + 5 * count;
    p.best = best;
    *result = (tw__place_tile){ 0 };
    fit->unplaced = TW__NO_ITEM;
    bool ok = rank_steps(&p) && make_files(&p);
    if (ok) {
        for (uint32_t i = 0; i < fit->count; i++) result->bytes += p.items[i]->bytes;
        result->max_live = tw__placer_most_alive(&p);
        p.alive = result->max_live;
        uint64_t missing = place_all(&p);
        for (uint32_t i = 0; i < fit->count && missing && fit->unplaced == TW__NO_ITEM; i++)
            if (p.items[i]->address == TW__NOWHERE) fit->unplaced = i;
        place_overflow(&p);
        tw__placer_measure(&p, result);
    }
    free(p.busy.items), free(p.lasting.items), free(p.crowd.items), free(p.scratch.items), free(p.queue);
    free(p.heads), free(numbers), free(best);
    return ok && !p.failed;
}
