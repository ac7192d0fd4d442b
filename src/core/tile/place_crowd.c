/* SPDX-License-Identifier: MIT */
/* What is in the way of an object: everything placed so far that is alive together with it, and what its constraints
 * forbid.
 *
 * Objects that are always alive become a short sorted list of busy stretches; those that are alive for long are kept
 * by address. The others are found by time: an object alive for less than 2^k steps is filed under class k and its
 * first step / 2^k, so a question about a span of time looks at few files of each class. */
#include "core/tile/place_fit.h"

#include <stdlib.h>
#include <string.h>

static void place_crowd_push(tw__placer *p, tw__spans *list, tw__span value)
{
    if (value.start >= value.end) return;
    TW__APPEND(*list, p->failed = true, value);
}

static void add_busy(tw__placer *p, tw__span value)
{
    size_t at = p->busy.count;
    place_crowd_push(p, &p->busy, value);
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
    p->changes++;
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
    p->changes++;
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
    TW__APPEND(*list, p->failed = true, (tw__located){ where, index });
}

static bool lives_meet(const tw__placer *p, uint32_t i, uint32_t other)
{
    const tw__place_life *a = p->lives + p->life_start[i], *a_end = p->lives + p->life_start[i + 1],
                         *b = p->lives + p->life_start[other], *b_end = p->lives + p->life_start[other + 1];
    while (a < a_end && b < b_end) {
        if (a->last < b->first)
            a++;
        else if (b->last < a->first)
            b++;
        else
            return true;
    }
    return false;
}

static bool meets_in_time(const tw__placer *p, uint32_t i, uint32_t other)
{
    return p->first[other] <= p->last[i] && p->last[other] >= p->first[i] && lives_meet(p, i, other);
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
