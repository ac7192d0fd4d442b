/* SPDX-License-Identifier: MIT */
/* Sorted sets of element intervals, to tell whether copies are independent of each other. A strided region
 * counts as everything between its first and last element: saying "dependent" too often costs a step, never a
 * wrong result. */
#include "poplar/engine/plan/lower.h"

#include <string.h>

static tw__span bounds_of(const tw__region *r)
{
    int64_t low = 0, high = 0;
    for (uint32_t k = 0; k < r->rank; k++) {
        int64_t reach = (int64_t)(r->dim[k].count - 1) * r->dim[k].stride;
        *(reach < 0 ? &low : &high) += reach;
    }
    return (tw__span){ r->var, r->offset + (uint64_t)low, r->offset + (uint64_t)high + 1 };
}

/* Index of the first interval that ends after (var, begin). */
static size_t element_spans_find(const tw__span_set *set, uint32_t var, uint64_t begin)
{
    size_t lo = 0, hi = set->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const tw__span *s = &set->items[mid];
        if (s->var < var || (s->var == var && s->end <= begin))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool tw__spans_touch(const tw__span_set *set, const tw__regions *list)
{
    if (!set->count) return false;
    for (uint32_t i = 0; i < list->n; i++) {
        tw__span s = bounds_of(&list->region[i]);
        size_t at = element_spans_find(set, s.var, s.begin);
        if (at < set->count && set->items[at].var == s.var && set->items[at].begin < s.end) return true;
    }
    return false;
}

static bool element_spans_add(tw__span_set *set, tw__span s)
{
    size_t first = element_spans_find(set, s.var, s.begin ? s.begin - 1 : 0), last = first;
    while (last < set->count && set->items[last].var == s.var && set->items[last].begin <= s.end) {
        if (set->items[last].begin < s.begin) s.begin = set->items[last].begin;
        if (set->items[last].end > s.end) s.end = set->items[last].end;
        last++;
    }
    if (first == last && !tw__grow(&set->items, &set->room, set->count, sizeof s)) return false;
    memmove(&set->items[first + 1], &set->items[last], (set->count - last) * sizeof s);
    set->items[first] = s;
    set->count = set->count - (last - first) + 1;
    return true;
}

bool tw__spans_add(tw__span_set *set, const tw__regions *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (!element_spans_add(set, bounds_of(&list->region[i]))) return false;
    return true;
}
