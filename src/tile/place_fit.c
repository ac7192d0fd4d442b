/* Placing the objects of one tile: greedy, in an order that puts the hard ones first, each into the smallest gap that holds
 * it beside what is alive at the same time and away from what its constraints forbid.
 *
 * Objects that are always alive become a short sorted list of busy stretches. The others are found by time: an object alive
 * for less than 2^k steps is filed under class k and its first step / 2^k, so a question about a span of time looks at few
 * files of each class.
 *
 * Objects that end above the goal, a little more than what is alive at once, are then settled below it one by one, by
 * turning out neighbours in time that cost least, which are settled in turn. When an object finds no room at all, it moves to
 * the front of the order and the tile is placed again. */
#include "tile/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE     UINT32_MAX
#define CLASSES  33
#define ATTEMPTS 6

/* Objects settled at most, so that the effort stays in proportion. */
#define SETTLE_EACH 100   /* for each that is to be settled */
#define SETTLE_MOST 3     /* for each object of the tile */
#define SETTLE_WORK 20000 /* comparisons for each object of the tile */
#define NOWHERE     UINT64_MAX

typedef struct span {
    uint64_t start, end;
} span;

typedef struct located {
    span where;
    uint32_t index;
} located;

typedef struct spans {
    span *items;
    size_t count, room;
} spans;

typedef struct placer {
    tw__fit *fit;
    tw__place_item **items;
    uint64_t end;           /* of the memory */
    uint64_t alive;         /* most bytes alive in one step */
    uint32_t *first, *last; /* of each item, as ranks of the steps that matter */
    uint32_t ranks;
    uint32_t *boost; /* attempts in which the item found no room at all */
    uint32_t *push;  /* times it was turned out of its place */
    uint64_t *best;  /* addresses of the best attempt so far */
    uint32_t *order;
    uint32_t *next;  /* within a file */
    uint32_t *heads; /* of all files, class by class */
    size_t class_start[CLASSES + 1];
    bool class_used[CLASSES];
    spans busy;            /* always alive, sorted, apart from each other */
    struct located *crowd; /* what stands where an object is to be settled */
    size_t crowd_count, crowd_room;
    uint32_t *queue; /* objects to be settled */
    size_t queue_count, queue_room;
    spans around; /* of one question */
    bool failed;  /* out of host memory */
} placer;

static bool is_always(const placer *p, uint32_t i)
{
    return p->first[i] == 0 && p->last[i] == p->ranks - 1;
}

static void push(placer *p, spans *list, span value)
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
static bool rank_steps(placer *p)
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

static unsigned class_of(const placer *p, uint32_t i)
{
    uint32_t length = p->last[i] - p->first[i];
    return length ? 32 - (unsigned)__builtin_clz(length) : 0;
}

static bool make_files(placer *p)
{
    size_t total = 0;
    for (unsigned k = 0; k < CLASSES; k++) {
        p->class_start[k] = total;
        total += ((uint64_t)p->ranks >> k) + 1;
    }
    p->class_start[CLASSES] = total;
    p->heads = tw__realloc(NULL, total * sizeof *p->heads);
    return p->heads != NULL;
}

static void clear_files(placer *p)
{
    memset(p->heads, 0xFF, p->class_start[CLASSES] * sizeof *p->heads);
    memset(p->class_used, 0, sizeof p->class_used);
    p->busy.count = 0;
}

/* --- what is in the way ------------------------------------------------------------------------------------------------ */

static span place_of(const placer *p, uint32_t i)
{
    return (span){ p->items[i]->address, p->items[i]->address + p->items[i]->bytes };
}

static void add_busy(placer *p, span value)
{
    size_t at = p->busy.count;
    push(p, &p->busy, value);
    if (p->busy.count == at) return;
    span *s = p->busy.items;
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

static void file_item(placer *p, uint32_t i)
{
    if (!p->items[i]->bytes) return;
    if (is_always(p, i)) {
        add_busy(p, place_of(p, i));
        return;
    }
    unsigned k = class_of(p, i);
    uint32_t *head = &p->heads[p->class_start[k] + ((uint64_t)p->first[i] >> k)];
    p->next[i] = *head, *head = i, p->class_used[k] = true;
}

static void find_contemporaries(placer *p, uint32_t i)
{
    uint32_t first = p->first[i], last = p->last[i];
    for (unsigned k = 0; k < CLASSES; k++) {
        if (!p->class_used[k]) continue;
        uint64_t file = (uint64_t)first >> k, end = (uint64_t)last >> k;
        for (file -= file > 0; file <= end; file++)
            for (uint32_t other = p->heads[p->class_start[k] + file]; other != NONE; other = p->next[other])
                if (p->first[other] <= last && p->last[other] >= first) push(p, &p->around, place_of(p, other));
    }
}

/* Addresses that an element or region shares with [start, end). */
static span element_hull(const tw_tile_arch *arch, span s)
{
    int low = tw_tile_element_at(arch, (uint32_t)s.start), high = tw_tile_element_at(arch, (uint32_t)s.end - 1);
    if (low < 0 || high < 0) return (span){ 0, 0 }; /* past the end: no element */
    uint64_t end =
        (unsigned)high + 1 < arch->element_count ? arch->element_offsets[high + 1] : arch->bytes_per_tile;
    return (span){ arch->base_address + (uint64_t)arch->element_offsets[low], arch->base_address + end };
}

static void find_forbidden(placer *p, uint32_t i)
{
    const tw__fit *fit = p->fit;
    for (uint32_t k = fit->pair_start[i]; k < fit->pair_start[i + 1]; k++) {
        const tw__place_item *other = p->items[fit->pairs[k].other];
        span s = place_of(p, fit->pairs[k].other);
        if (other->address == NOWHERE || s.start == s.end) continue;
        if (fit->pairs[k].rule == TW__PLACE_ELEM) push(p, &p->around, element_hull(fit->arch, s));
        for (unsigned r = 0; fit->pairs[k].rule == TW__PLACE_REGION && r < fit->arch->region_count; r++) {
            const tw_tile_region *region = &fit->arch->regions[r];
            span whole = { region->start, (uint64_t)region->start + region->bytes };
            if (s.start < whole.end && whole.start < s.end) push(p, &p->around, whole);
        }
    }
}

static int by_start(const void *a, const void *b)
{
    const span *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* --- where it fits ------------------------------------------------------------------------------------------------------ */

/* Smallest gap of [low, high) that holds the item; the room above the last busy stretch counts as the largest. */
static uint64_t best_gap(const placer *p, const tw__place_item *item, uint64_t low, uint64_t high)
{
    const spans *a = &p->around, *b = &p->busy;
    uint64_t at = low, best = NOWHERE, best_room = NOWHERE, mask = item->align - 1;
    size_t i = 0, k = 0;
    while (at < high) {
        bool from_a = i < a->count && (k == b->count || a->items[i].start <= b->items[k].start);
        bool last = !from_a && k == b->count;
        span next = last ? (span){ high, high } : from_a ? a->items[i++] : b->items[k++];
        if (next.start >= high) next.start = high, last = true;
        uint64_t start = (at + mask) & ~mask; /* rounded up */
        if (start + item->bytes <= next.start) {
            uint64_t room = last ? NOWHERE - 1 : next.start - at;
            if (room < best_room) best = start, best_room = room;
        }
        if (last) break;
        if (next.end > at) at = next.end;
    }
    return best;
}

/* Ranges of addresses the item may use, best first, in `out`; returns how many. */
static unsigned windows_of(const placer *p, uint32_t i, span out[TW_TILE_MAX_REGIONS])
{
    const tw_tile_arch *arch = p->fit->arch;
    const tw__place_item *item = p->items[i];
    bool whole = true;
    unsigned count = 0;
    for (uint32_t k = p->fit->pair_start[i]; k < p->fit->pair_start[i + 1]; k++)
        whole = whole && p->fit->pairs[k].rule != TW__PLACE_REGION;
    if (item->flags & (TW__PLACE_INTERLEAVED | TW__PLACE_EXECUTABLE)) whole = false;
    if (whole) out[count++] = (span){ arch->base_address, p->end };
    for (unsigned r = 0; !whole && r < arch->region_count; r++) {
        const tw_tile_region *region = &arch->regions[r];
        if ((item->flags & TW__PLACE_INTERLEAVED) && !region->interleaved) continue;
        if ((item->flags & TW__PLACE_EXECUTABLE) && !region->executable) continue;
        out[count++] = (span){ region->start, (uint64_t)region->start + region->bytes };
    }
    uint64_t limit = p->end - (item->flags & TW__PLACE_OVERREAD ? arch->fetch_overread_bytes : 0);
    for (unsigned w = 0; w < count; w++)
        if (out[w].end > limit) out[w].end = limit;
    return count;
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

static bool place_item(placer *p, uint32_t i)
{
    span windows[TW_TILE_MAX_REGIONS];
    tw__place_item *item = p->items[i];
    unsigned count = windows_of(p, i, windows);
    p->around.count = 0;
    if (item->bytes) find_contemporaries(p, i);
    if (item->bytes) find_forbidden(p, i);
    if (p->around.count > 1) qsort(p->around.items, p->around.count, sizeof(span), by_start);
    uint64_t at = item->bytes || !count ? NOWHERE : round_up(windows[0].start, item->align);
    for (unsigned w = 0; w < count && at == NOWHERE; w++) at = best_gap(p, item, windows[w].start, windows[w].end);
    item->address = at;
    if (at != NOWHERE) file_item(p, i);
    return at != NOWHERE;
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
static bool make_order(placer *p)
{
    sort_key *keys = tw__realloc(NULL, (p->fit->count + (size_t)1) * sizeof *keys);
    if (!keys) return false;
    for (uint32_t i = 0; i < p->fit->count; i++) {
        const tw__place_item *item = p->items[i];
        bool tied = item->flags & (TW__PLACE_INTERLEAVED | TW__PLACE_EXECUTABLE);
        bool constrained = p->fit->pair_start[i + 1] > p->fit->pair_start[i], always = is_always(p, i);
        double life = sqrt((double)(p->last[i] - p->first[i]) + 1);
        keys[i] = (sort_key){ i, p->boost[i], tied * 4u + constrained * 2u + always * (tied ? 3u : 1u), item->align,
                              item->bytes * life };
    }
    qsort(keys, p->fit->count, sizeof *keys, by_key);
    for (uint32_t i = 0; i < p->fit->count; i++) p->order[i] = keys[i].index;
    free(keys);
    return true;
}

/* Places everything that finds room. */
static void place_once(placer *p)
{
    if (!make_order(p)) p->failed = true;
    clear_files(p);
    for (uint32_t i = 0; i < p->fit->count; i++) p->items[i]->address = NOWHERE;
    for (uint32_t k = 0; k < p->fit->count && !p->failed; k++)
        if (!place_item(p, p->order[k])) p->boost[p->order[k]]++;
}

/* --- settling below the goal ------------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const located *x = a, *y = b;
    if (x->where.start != y->where.start) return x->where.start > y->where.start ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Plain objects with a life of their own may be moved again. */
static bool is_movable(const placer *p, uint32_t i)
{
    const tw__place_item *item = p->items[i];
    return item->bytes && !(item->flags & (TW__PLACE_INTERLEAVED | TW__PLACE_EXECUTABLE)) && !is_always(p, i) &&
           p->fit->pair_start[i + 1] == p->fit->pair_start[i];
}

static void turn_out(placer *p, uint32_t i)
{
    unsigned k = class_of(p, i);
    uint32_t *at = &p->heads[p->class_start[k] + ((uint64_t)p->first[i] >> k)];
    bool placed = p->items[i]->address != NOWHERE;
    if (!tw__grow(&p->queue, &p->queue_room, p->queue_count, sizeof *p->queue)) {
        p->failed = true;
        return;
    }
    while (placed && *at != i) at = &p->next[*at];
    if (placed) *at = p->next[i];
    p->items[i]->address = NOWHERE;
    p->queue[p->queue_count++] = i;
}

static void crowd_add(placer *p, span where, uint32_t index)
{
    if (!tw__grow(&p->crowd, &p->crowd_room, p->crowd_count, sizeof *p->crowd))
        p->failed = true;
    else
        p->crowd[p->crowd_count++] = (located){ where, index };
}

static void find_crowd(placer *p, uint32_t i)
{
    uint32_t first = p->first[i], last = p->last[i];
    p->crowd_count = 0;
    for (unsigned k = 0; k < CLASSES; k++) {
        if (!p->class_used[k]) continue;
        uint64_t file = (uint64_t)first >> k, end = (uint64_t)last >> k;
        for (file -= file > 0; file <= end; file++)
            for (uint32_t other = p->heads[p->class_start[k] + file]; other != NONE; other = p->next[other])
                if (p->first[other] <= last && p->last[other] >= first) crowd_add(p, place_of(p, other), other);
    }
    for (size_t k = 0; k < p->busy.count; k++) crowd_add(p, p->busy.items[k], NONE);
    if (p->crowd_count > 1) qsort(p->crowd, p->crowd_count, sizeof *p->crowd, by_place);
}

/* What it costs to clear [start, end): bytes, more for those turned out before; NOWHERE when something there must stay. */
static uint64_t cost_of(const placer *p, uint64_t start, uint64_t end, uint64_t best)
{
    uint64_t cost = 0;
    for (size_t k = 0; k < p->crowd_count && p->crowd[k].where.start < end && cost < best; k++) {
        uint32_t other = p->crowd[k].index;
        if (p->crowd[k].where.end <= start) continue;
        if (other == NONE || !is_movable(p, other)) return NOWHERE;
        cost += (uint64_t)p->items[other]->bytes * (1 + p->push[other]);
    }
    return cost;
}

/* Gives item `i` a place that ends below `goal`, turning out others if it must. */
static bool settle(placer *p, uint32_t i, uint64_t goal)
{
    tw__place_item *item = p->items[i];
    uint64_t low = p->fit->arch->base_address, best = NOWHERE, where = NOWHERE;
    find_crowd(p, i);
    for (size_t k = 0; k <= 2 * p->crowd_count && best; k++) { /* beside something, or at the start */
        span s = k < 2 * p->crowd_count ? p->crowd[k / 2].where : (span){ 0, low };
        uint64_t at =
            k % 2 ? (s.start > low + item->bytes ? (s.start - item->bytes) & ~(uint64_t)(item->align - 1) : low)
                  : s.end;
        at = round_up(at, item->align);
        if (at < low || at + item->bytes > goal) continue;
        uint64_t cost = cost_of(p, at, at + item->bytes, best);
        if (cost < best) best = cost, where = at;
    }
    if (where == NOWHERE) return false;
    for (size_t k = 0; k < p->crowd_count; k++) {
        uint32_t other = p->crowd[k].index;
        if (p->crowd[k].where.end <= where || p->crowd[k].where.start >= where + item->bytes) continue;
        p->push[other]++;
        turn_out(p, other);
    }
    item->address = where;
    file_item(p, i);
    return true;
}

/* False when some stay above. */
static bool settle_all(placer *p, uint64_t goal)
{
    bool all = true;
    p->queue_count = 0;
    for (uint32_t i = 0; i < p->fit->count && !p->failed; i++)
        if (is_movable(p, i) && (p->items[i]->address == NOWHERE || place_of(p, i).end > goal)) turn_out(p, i);
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
        if (!settled) place_item(p, i), all = false;
    }
    return all;
}

/* Levels to settle below, one after the other: 1/25, 1/33, 1/50 more than what is alive at once, and room for alignment. */
static const unsigned goal_shares[] = { 25, 33, 50 };
enum { GOALS = sizeof goal_shares / sizeof *goal_shares, GOAL_SLACK = 64 };

static uint64_t goal_of(const placer *p, unsigned share)
{
    return p->fit->arch->base_address + p->alive + p->alive / share + GOAL_SLACK;
}

static uint64_t missing_bytes(const placer *p)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->fit->count; i++) sum += p->items[i]->address == NOWHERE ? p->items[i]->bytes : 0;
    return sum;
}

static uint64_t top_of(const placer *p)
{
    uint64_t top = 0;
    for (uint32_t i = 0; i < p->fit->count; i++)
        if (p->items[i]->address != NOWHERE && place_of(p, i).end > top) top = place_of(p, i).end;
    return top;
}

/* Attempts until everything has a place; the best one stays. */
static uint64_t place_all(placer *p)
{
    uint64_t least = NOWHERE, least_top = NOWHERE;
    for (unsigned attempt = 0; attempt < ATTEMPTS && least && !p->failed; attempt++) {
        place_once(p);
        bool more = true;
        for (unsigned level = 0; level <= GOALS && more && !p->failed; level++) {
            if (level) more = settle_all(p, goal_of(p, goal_shares[level - 1]));
            uint64_t missing = missing_bytes(p), top = top_of(p);
            if (missing > least || (missing == least && top >= least_top)) continue;
            least = missing, least_top = top;
            for (uint32_t i = 0; i < p->fit->count; i++) p->best[i] = p->items[i]->address;
        }
    }
    clear_files(p);
    for (uint32_t i = 0; i < p->fit->count && !p->failed; i++)
        if ((p->items[i]->address = p->best[i]) != NOWHERE) file_item(p, i);
    return least;
}

/* Past the end of the memory, still beside those alive at the same time. */
static void place_overflow(placer *p)
{
    for (uint32_t k = 0; k < p->fit->count; k++) {
        tw__place_item *item = p->items[p->order[k]];
        if (item->address != NOWHERE) continue;
        p->around.count = 0;
        find_contemporaries(p, p->order[k]);
        if (p->around.count > 1) qsort(p->around.items, p->around.count, sizeof(span), by_start);
        item->address = best_gap(p, item, p->end, NOWHERE / 2);
        item->flags |= TW__PLACE_OVERFLOWED;
        file_item(p, p->order[k]);
    }
}

/* --- figures ---------------------------------------------------------------------------------------------------------------- */

static uint64_t most_alive(const placer *p)
{
    int64_t *change = tw__realloc(NULL, ((size_t)p->ranks + 1) * sizeof *change), now = 0, most = 0;
    if (!change) return 0;
    memset(change, 0, ((size_t)p->ranks + 1) * sizeof *change);
    for (uint32_t i = 0; i < p->fit->count; i++)
        change[p->first[i]] += p->items[i]->bytes, change[p->last[i] + 1] -= p->items[i]->bytes;
    for (uint32_t r = 0; r < p->ranks; r++)
        if ((now += change[r]) > most) most = now;
    free(change);
    return (uint64_t)most;
}

/* Sweep over addresses: shared stretches, unused ones, the last used address of each region. */
static void measure(placer *p, tw__place_tile *result)
{
    uint32_t count = p->fit->count, used = 0;
    const tw_tile_arch *arch = p->fit->arch;
    located *all = tw__realloc(NULL, (count + (size_t)1) * sizeof *all);
    if (!all) {
        p->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (p->items[i]->bytes) all[used++] = (located){ place_of(p, i), i };
    qsort(all, used, sizeof *all, by_place);
    uint64_t covered = 0, reach = arch->base_address, tops[TW_TILE_MAX_REGIONS] = { 0 };
    uint32_t owner = NONE; /* the item that reaches farthest so far */
    for (uint32_t k = 0; k < used; k++) {
        span s = all[k].where;
        if (owner != NONE && s.start < reach)
            p->items[owner]->flags |= TW__PLACE_OVERLAPPED, p->items[all[k].index]->flags |= TW__PLACE_OVERLAPPED;
        for (unsigned r = 0; r < arch->region_count; r++) {
            uint64_t start = arch->regions[r].start, end = start + arch->regions[r].bytes;
            uint64_t top = s.end < end ? s.end : end;
            if (s.start < end && top > start && top - start > tops[r]) tops[r] = top - start;
        }
        if (s.end <= reach) continue;
        covered += s.end - (s.start > reach ? s.start : reach);
        reach = s.end, owner = all[k].index;
    }
    result->overflow = reach > p->end ? reach - p->end : 0;
    for (unsigned r = 0; r < arch->region_count; r++) result->peak += tops[r];
    result->peak += result->overflow;
    result->gaps = result->peak > covered ? result->peak - covered : 0;
    free(all);
}

bool tw__fit_tile(tw__fit *fit, tw__place_tile *result)
{
    size_t count = fit->count + (size_t)1;
    placer p = { .fit = fit,
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
    fit->unplaced = NONE;
    bool ok = rank_steps(&p) && make_files(&p);
    if (ok) {
        for (uint32_t i = 0; i < fit->count; i++) result->bytes += p.items[i]->bytes;
        result->max_live = most_alive(&p);
        p.alive = result->max_live;
        uint64_t missing = place_all(&p);
        for (uint32_t i = 0; i < fit->count && missing && fit->unplaced == NONE; i++)
            if (p.items[i]->address == NOWHERE) fit->unplaced = i;
        place_overflow(&p);
        measure(&p, result);
    }
    free(p.busy.items), free(p.around.items), free(p.crowd), free(p.queue), free(p.heads), free(numbers),
        free(best);
    return ok && !p.failed;
}
