/* SPDX-License-Identifier: MIT */
/* Who touches the same element: races between vertices, aliases within a tensor, overlapping copies.
 *
 * Touches are sorted by variable and begin and swept once. While all of them are single runs, the furthest end seen
 * so far (of writers, of anybody, each for two different owners) decides about the next one, so any number of
 * readers of one element costs nothing. Where bounds of strided touches meet, the elements themselves are painted,
 * window by window: memory stays bounded and the time follows the number of elements touched. */
#include "poplar/graph/build.h"

#include <stdlib.h>
#include <string.h>

void tw__touches_of(const tw__regions *list, uint32_t owner, bool write, tw__touch *out)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const tw__region *r = &list->region[i];
        tw__touch *t = &out[i];
        *t = (tw__touch){ .var = r->var, .owner = owner, .write = write, .tag = i };
        tw__region_bounds(r, &t->begin, &t->end);
        if (t->end - t->begin != r->count || r->rank > 1) t->region = r;
    }
}

/* --- the sweep over runs -------------------------------------------------------------------------------------- */

/* The two furthest ends of different owners. */
typedef struct reach {
    const tw__touch *best, *other;
} reach;

static void extend(reach *r, const tw__touch *t)
{
    if (!r->best || t->end > r->best->end) {
        if (r->best && r->best->owner != t->owner) r->other = r->best;
        r->best = t;
    } else if (t->owner != r->best->owner && (!r->other || t->end > r->other->end)) {
        r->other = t;
    }
}

static const tw__touch *reaches(const reach *r, const tw__touch *t)
{
    if (r->best && r->best->owner != t->owner && r->best->end > t->begin) return r->best;
    if (r->other && r->other->owner != t->owner && r->other->end > t->begin) return r->other;
    return NULL;
}

/* First conflict among n touches of one variable in order of begin, taking bounds for elements. */
static bool sweep_bounds(const tw__touch *t, size_t n, const tw__touch **a, const tw__touch **b)
{
    reach all = { 0 }, writers = { 0 };
    for (size_t i = 0; i < n; i++) {
        const tw__touch *hit = reaches(t[i].write ? &all : &writers, &t[i]);
        if (hit) {
            *a = hit;
            *b = &t[i];
            return true;
        }
        extend(&all, &t[i]);
        if (t[i].write) extend(&writers, &t[i]);
    }
    return false;
}

/* --- painting ------------------------------------------------------------------------------------------------- */

enum { WINDOW = 1 << 22 }; /* elements painted at a time: 16 MiB */

typedef struct paint {
    uint32_t *index; /* [window] touch that painted the element, from 1 */
    uint64_t begin, end;
    const tw__touch *touches;
    bool writing; /* first the writers paint, then the readers look */
    size_t other; /* conflict: touches[other] and the current one, at `element` */
    uint64_t element;
} paint;

static bool paint_run(paint *p, uint64_t begin, uint64_t end, size_t which)
{
    if (begin < p->begin) begin = p->begin;
    if (end > p->end) end = p->end;
    for (uint64_t e = begin; e < end; e++) {
        uint32_t *cell = &p->index[e - p->begin];
        if (*cell && p->touches[*cell - 1].owner != p->touches[which].owner) {
            p->other = *cell - 1;
            p->element = e;
            return true;
        }
        if (p->writing) *cell = (uint32_t)which + 1;
    }
    return false;
}

/* Dims in ascending order of address. Rows outside the window are skipped. */
static bool paint_dims(paint *p, uint64_t offset, const tw__dim *dims, unsigned n, size_t which)
{
    if (n == 0) return paint_run(p, offset, offset + 1, which);
    if (n == 1 && dims[0].stride == 1) return paint_run(p, offset, offset + dims[0].count, which);
    uint64_t step = (uint64_t)dims[0].stride, span = 1, first = 0, last = dims[0].count;
    for (unsigned k = 1; k < n; k++) span += (dims[k].count - 1) * (uint64_t)dims[k].stride;
    if (offset + span <= p->begin) first = (p->begin - offset - span) / step + 1;
    if (offset >= p->end) return false;
    if ((p->end - offset + step - 1) / step < last) last = (p->end - offset + step - 1) / step;
    for (uint64_t i = first; i < last; i++)
        if (paint_dims(p, offset + i * step, dims + 1, n - 1, which)) return true;
    return false;
}

static bool paint_touch(paint *p, size_t which)
{
    const tw__touch *t = &p->touches[which];
    if (t->end <= p->begin || t->begin >= p->end) return false;
    if (!t->region) return paint_run(p, t->begin, t->end, which);
    tw__dim dims[4];
    uint64_t offset = t->region->offset;
    bool repeats = false;
    memcpy(dims, t->region->dim, sizeof dims);
    unsigned n = tw__dims_sort(dims, t->region->rank, &offset, &repeats);
    return paint_dims(p, offset, dims, n, which);
}

/* Exact answer for n touches of one variable whose bounds meet. */
static tw__overlap paint_all(const tw__touch *t, size_t n, tw__touch *first, tw__touch *second, uint64_t *element)
{
    uint64_t begin = t[0].begin, end = 0;
    if (n >= UINT32_MAX) return TW__OVERLAP_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        if (t[i].end > end) end = t[i].end;
    uint64_t window = end - begin < WINDOW ? end - begin : WINDOW;
    paint p = { .touches = t, .index = tw__realloc(NULL, window * sizeof *p.index) };
    if (!p.index) return TW__OVERLAP_NO_MEMORY;
    tw__overlap result = TW__OVERLAP_NONE;
    for (; begin < end && result == TW__OVERLAP_NONE; begin += window) {
        memset(p.index, 0, window * sizeof *p.index);
        p.begin = begin;
        p.end = begin + window < end ? begin + window : end;
        for (int pass = 0; pass < 2 && result == TW__OVERLAP_NONE; pass++) {
            p.writing = pass == 0;
            for (size_t i = 0; i < n; i++)
                if (t[i].write == p.writing && paint_touch(&p, i)) {
                    *first = t[p.other];
                    *second = t[i];
                    *element = p.element;
                    result = TW__OVERLAP_FOUND;
                    break;
                }
        }
    }
    free(p.index);
    return result;
}

/* --- all together --------------------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
    const tw__touch *x = a, *y = b;
    if (x->var != y->var) return x->var < y->var ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* n touches of one variable, in order: components whose bounds meet are looked at apart. */
static tw__overlap find_in_variable(tw__touch *t, size_t n, tw__touch *first, tw__touch *second, uint64_t *element)
{
    for (size_t i = 0; i < n;) {
        uint64_t end = t[i].end;
        size_t j = i;
        bool strided = false, writes = false;
        for (; j < n && (j == i || t[j].begin < end); j++) {
            if (t[j].end > end) end = t[j].end;
            strided |= t[j].region != NULL;
            writes |= t[j].write;
        }
        const tw__touch *a, *b;
        if (writes && sweep_bounds(t + i, j - i, &a, &b)) {
            if (strided) {
                tw__overlap result = paint_all(t + i, j - i, first, second, element);
                if (result != TW__OVERLAP_NONE) return result;
            } else {
                *first = *a;
                *second = *b;
                *element = b->begin;
                return TW__OVERLAP_FOUND;
            }
        }
        i = j;
    }
    return TW__OVERLAP_NONE;
}

tw__overlap tw__overlap_find(tw__touch *touches, size_t count, tw__touch *first, tw__touch *second,
                             uint64_t *element)
{
    bool ordered = true;
    for (size_t i = 1; i < count && ordered; i++) ordered = by_begin(&touches[i - 1], &touches[i]) <= 0;
    if (!ordered) qsort(touches, count, sizeof *touches, by_begin);
    for (size_t i = 0; i < count;) {
        size_t j = i;
        while (j < count && touches[j].var == touches[i].var) j++;
        tw__overlap result = find_in_variable(touches + i, j - i, first, second, element);
        if (result != TW__OVERLAP_NONE) return result;
        i = j;
    }
    return TW__OVERLAP_NONE;
}

/* --- lists ---------------------------------------------------------------------------------------------------- */

/* Does a region name an element twice? Certain when each step is larger than all that lies inside it. */
static bool repeats_itself(const tw__region *r, bool *certain)
{
    tw__dim dims[4];
    uint64_t offset = 0, span = 1;
    bool repeats = false;
    memcpy(dims, r->dim, sizeof dims);
    unsigned n = tw__dims_sort(dims, r->count == 1 ? 0 : r->rank, &offset, &repeats);
    *certain = true;
    if (repeats) return true;
    while (n--) {
        if ((uint64_t)dims[n].stride < span) *certain = false;
        span += (dims[n].count - 1) * (uint64_t)dims[n].stride;
    }
    return false;
}

tw__overlap tw__list_aliases(const tw__regions *list)
{
    size_t n = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        bool certain;
        if (repeats_itself(&list->region[i], &certain)) return TW__OVERLAP_FOUND;
        n += certain ? 1 : list->region[i].count;
    }
    tw__touch *touches = tw__realloc(NULL, (n + 1) * sizeof *touches), a, b;
    if (!touches) return TW__OVERLAP_NO_MEMORY;
    size_t used = 0;
    uint64_t element;
    for (uint32_t i = 0; i < list->n; i++) {
        bool certain;
        repeats_itself(&list->region[i], &certain);
        if (certain) {
            tw__regions one = { .n = 1, .region = &list->region[i] };
            tw__touches_of(&one, (uint32_t)used, true, &touches[used]);
            used++;
            continue;
        }
        /* Steps that interlock: element by element. */
        tw__region_walk walk = tw__region_walk_begin(list, list->first[i], list->first[i + 1]);
        for (tw__elems e; tw__region_walk_next(&walk, &e);)
            for (uint64_t k = 0; k < e.count; k++, used++) {
                uint64_t at = e.offset + k * (uint64_t)e.stride;
                touches[used] =
                    (tw__touch){ .var = e.var, .owner = (uint32_t)used, .begin = at, .end = at + 1, .write = true };
            }
    }
    tw__overlap result = tw__overlap_find(touches, used, &a, &b, &element);
    free(touches);
    return result;
}

tw__overlap tw__lists_intersect(const tw__regions *a, const tw__regions *b)
{
    size_t n = (size_t)a->n + b->n;
    tw__touch *touches = tw__realloc(NULL, (n + 1) * sizeof *touches), x, y;
    if (!touches) return TW__OVERLAP_NO_MEMORY;
    uint64_t element;
    tw__touches_of(a, 0, true, touches);
    tw__touches_of(b, 1, true, touches + a->n);
    tw__overlap result = tw__overlap_find(touches, n, &x, &y, &element);
    free(touches);
    return result;
}

bool tw__lists_equal(const tw__regions *a, const tw__regions *b)
{
    if (a->count != b->count) return false;
    tw__region_walk p = tw__region_walk_begin(a, 0, a->count), q = tw__region_walk_begin(b, 0, b->count);
    tw__elems x = { 0 }, y = { 0 };
    for (;;) {
        if (!x.count && !tw__region_walk_next(&p, &x)) return true;
        if (!y.count && !tw__region_walk_next(&q, &y)) return true;
        if (x.var != y.var || x.offset != y.offset) return false;
        uint64_t n = x.stride == y.stride ? (x.count < y.count ? x.count : y.count) : 1;
        x.offset += n * (uint64_t)x.stride;
        y.offset += n * (uint64_t)y.stride;
        x.count -= n;
        y.count -= n;
    }
}
