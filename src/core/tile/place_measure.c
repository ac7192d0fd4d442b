/* SPDX-License-Identifier: MIT */
/* Figures of a placed tile: most bytes alive at once, the last address used, gaps, what shares its addresses. */
#include "core/tile/place_fit.h"

#include <stdlib.h>
#include <string.h>

int tw__by_place(const void *a, const void *b)
{
    const tw__located *x = a, *y = b;
    if (x->where.start != y->where.start) return x->where.start > y->where.start ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

uint64_t tw__placer_most_alive(const tw__placer *p, uint32_t *step)
{
    int64_t *change = tw__realloc(NULL, ((size_t)p->ranks + 1) * sizeof *change), now = 0, most = 0;
    uint32_t fullest = 0;
    if (!change) return 0;
    memset(change, 0, ((size_t)p->ranks + 1) * sizeof *change);
    for (uint32_t i = 0; i < p->fit->count; i++)
        for (uint32_t k = p->life_start[i]; k < p->life_start[i + 1]; k++) {
            change[p->lives[k].first] += (int64_t)p->items[i]->bytes;
            change[p->lives[k].last + 1] -= (int64_t)p->items[i]->bytes;
        }
    for (uint32_t r = 0; r < p->ranks; r++)
        if ((now += change[r]) > most) most = now, fullest = r;
    for (uint32_t i = 0; i < p->fit->count; i++) /* something begins there */
        for (uint32_t k = p->life_start[i]; k < p->life_start[i + 1]; k++) {
            tw__place_life one;
            uint32_t count;
            if (p->lives[k].first == fullest)
                *step = tw__place_lives(p->items[i], &one, &count)[k - p->life_start[i]].first;
        }
    free(change);
    return (uint64_t)most;
}

/* Bytes [start, end) by region; past the end of the memory they have overflowed. */
static void add_used(const tw__placer *p, uint64_t start, uint64_t end, tw__place_tile *result)
{
    const tw_tile_arch *arch = p->fit->arch;
    for (unsigned r = 0; r < arch->region_count; r++) {
        uint64_t low = arch->regions[r].start, high = low + arch->regions[r].bytes;
        if (high > p->end) high = p->end;
        uint64_t from = start > low ? start : low, to = end < high ? end : high;
        if (from < to)
            result->used[arch->regions[r].interleaved ? TW__INTERLEAVED : TW__NON_INTERLEAVED] += to - from;
    }
    if (end > p->end) result->used[TW__OVERFLOWED] += end - (start > p->end ? start : p->end);
}

/* Sweep over addresses: shared stretches, unused ones, the last used address of each region. */
void tw__placer_measure(tw__placer *p, tw__place_tile *result)
{
    uint32_t count = p->fit->count, used = 0;
    const tw_tile_arch *arch = p->fit->arch;
    tw__located *all = tw__realloc(NULL, (count + (size_t)1) * sizeof *all);
    if (!all) {
        p->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (p->items[i]->bytes) all[used++] = (tw__located){ tw__placer_span(p, i), i };
    qsort(all, used, sizeof *all, tw__by_place);
    uint64_t covered = 0, reach = arch->base_address, tops[TW_TILE_MAX_REGIONS] = { 0 };
    uint32_t owner = TW__NO_ITEM; /* the item that reaches farthest so far */
    for (uint32_t k = 0; k < used; k++) {
        tw__span s = all[k].where;
        if (owner != TW__NO_ITEM && s.start < reach)
            p->items[owner]->flags |= TW__PLACE_OVERLAPPED, p->items[all[k].index]->flags |= TW__PLACE_OVERLAPPED;
        for (unsigned r = 0; r < arch->region_count; r++) {
            uint64_t start = arch->regions[r].start, end = start + arch->regions[r].bytes;
            uint64_t top = s.end < end ? s.end : end;
            if (s.start < end && top > start && top - start > tops[r]) tops[r] = top - start;
        }
        if (s.end <= reach) continue;
        add_used(p, s.start > reach ? s.start : reach, s.end, result);
        covered += s.end - (s.start > reach ? s.start : reach);
        reach = s.end, owner = all[k].index;
    }
    result->reach = reach - arch->base_address;
    result->overflow = reach > p->end ? reach - p->end : 0;
    for (unsigned r = 0; r < arch->region_count; r++) result->peak += tops[r];
    result->peak += result->overflow;
    result->gaps = result->peak > covered ? result->peak - covered : 0;
    free(all);
}
