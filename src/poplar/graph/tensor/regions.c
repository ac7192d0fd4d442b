/* SPDX-License-Identifier: MIT */
/* Region lists: ordered, coalesced, prefix-summed, shared.
 *
 * A list says which elements of which variables a tensor consists of, in row-major order. Whatever a view does, a
 * regular pattern stays one region of up to four (count, stride) pairs; the builder joins neighbours as they come. */
#include "poplar/graph/build.h"

#include <stdlib.h>
#include <string.h>

/* --- dims ------------------------------------------------------------------------------------------------------- */

unsigned tw__dims_join(tw__dim *dims, unsigned rank)
{
    unsigned n = 0;
    for (unsigned i = 0; i < rank; i++) {
        tw__dim d = dims[i];
        if (d.count == 1) continue;
        if (n && dims[n - 1].stride == (int64_t)d.count * d.stride)
            dims[n - 1] = (tw__dim){ dims[n - 1].count * d.count, d.stride };
        else
            dims[n++] = d;
    }
    return n;
}

unsigned tw__dims_sort(tw__dim *dims, unsigned rank, uint64_t *offset, bool *repeats)
{
    unsigned n = 0;
    for (unsigned i = 0; i < rank; i++) {
        tw__dim d = dims[i];
        if (d.stride < 0) {
            *offset -= (uint64_t)-d.stride * (d.count - 1);
            d.stride = -d.stride;
        }
        if (d.stride == 0 && d.count > 1) *repeats = true;
        if (d.stride == 0 || d.count == 1) continue;
        unsigned at = n++;
        for (; at && dims[at - 1].stride < d.stride; at--) dims[at] = dims[at - 1];
        dims[at] = d;
    }
    return tw__dims_join(dims, n);
}

void tw__region_bounds(const tw__region *region, uint64_t *begin, uint64_t *end)
{
    uint64_t low = region->offset, high = region->offset;
    for (unsigned i = 0; i < region->rank; i++) {
        tw__dim d = region->dim[i];
        if (d.stride < 0)
            low -= (uint64_t)-d.stride * (d.count - 1);
        else
            high += (uint64_t)d.stride * (d.count - 1);
    }
    *begin = low;
    *end = high + 1;
}

/* --- joining -------------------------------------------------------------------------------------------------- */

static bool same_dims(const tw__dim *a, const tw__dim *b, unsigned rank)
{
    return !memcmp(a, b, rank * sizeof *a);
}

/* Both are one run, or one element each. */
static bool join_runs(tw__region *a, const tw__region *b, int64_t gap)
{
    tw__dim *d = &a->dim[0];
    const tw__dim *e = &b->dim[0];
    if (d->count == 1 && e->count == 1)
        *d = (tw__dim){ 2, gap };
    else if (d->count == 1 && e->stride == gap)
        *d = (tw__dim){ e->count + 1, gap };
    else if (d->count > 1 && gap == (int64_t)d->count * d->stride && (e->count == 1 || e->stride == d->stride))
        d->count += e->count;
    else
        return false;
    return true;
}

/* Appends b to a when both together are one region. */
static bool regions_join(tw__region *a, const tw__region *b)
{
    if (a->var != b->var) return false;
    int64_t gap = (int64_t)(b->offset - a->offset);
    tw__dim *d = a->dim;
    const tw__dim *e = b->dim;
    unsigned rank = a->rank;
    if (rank == 1 && b->rank == 1 && join_runs(a, b, gap)) {
        /* done */
    } else if (rank == b->rank + 1 && same_dims(d + 1, e, b->rank) && gap == (int64_t)d->count * d->stride) {
        d->count++; /* one more row */
    } else if (rank > 1 && rank == b->rank && d->stride == e->stride && same_dims(d + 1, e + 1, rank - 1) &&
               gap == (int64_t)d->count * d->stride) {
        d->count += e->count; /* more rows */
    } else if (rank + 1 == b->rank && same_dims(d, e + 1, rank) && gap == e->stride) {
        memmove(d + 1, d, rank * sizeof *d); /* a is the row before b's first */
        d[0] = (tw__dim){ e->count + 1, e->stride };
        a->rank++;
    } else if (rank < 4 && rank == b->rank && same_dims(d, e, rank)) {
        memmove(d + 1, d, rank * sizeof *d); /* the same again, elsewhere */
        d[0] = (tw__dim){ 2, gap };
        a->rank++;
    } else {
        return false;
    }
    a->count += b->count;
    return true;
}

/* Two equal pieces were joined as rows, but b continues the second one without a gap: a becomes the first piece,
 * *tail the second with b. Keeps contiguous data in one run whatever the order of the calls was. */
static bool rejoin(tw__region *a, const tw__region *b, tw__region *tail)
{
    if (a->var != b->var || a->rank > 2 || b->rank != 1 || a->dim[0].count != 2) return false;
    tw__region second = { .var = a->var, .rank = 1, .offset = a->offset + (uint64_t)a->dim[0].stride };
    second.dim[0] = a->rank == 1 ? (tw__dim){ 1, 1 } : a->dim[1];
    second.count = second.dim[0].count;
    if (second.count > 1 && second.dim[0].stride != 1) return false;
    if (b->offset != second.offset + second.count || (b->count > 1 && b->dim[0].stride != 1)) return false;
    *tail = second;
    tail->dim[0] = (tw__dim){ second.count + b->count, 1 };
    tail->count = tail->dim[0].count;
    a->dim[0] = second.dim[0];
    a->rank = 1;
    a->count = second.count;
    return true;
}

static void collapse(tw__builder *builder)
{
    while (builder->n >= 2 && regions_join(&builder->region[builder->n - 2], &builder->region[builder->n - 1]))
        builder->n--;
}

static void regions_push(tw__builder *builder, const tw__region *region)
{
    if (builder->failed) return;
    tw__region next = *region;
    if (builder->n) {
        tw__region *last = &builder->region[builder->n - 1];
        if (regions_join(last, region)) return;
        if (!rejoin(last, region, &next)) collapse(builder);
    }
    if (!tw__grow(&builder->region, &builder->room, builder->n, sizeof *builder->region)) {
        builder->failed = true;
        return;
    }
    builder->region[builder->n++] = next;
}

void tw__builder_box(tw__builder *builder, uint32_t var, uint64_t offset, const tw__dim *dims, unsigned rank)
{
    tw__dim d[TW__MAX_RANK + 4];
    for (unsigned i = 0; i < rank; i++)
        if (dims[i].count == 0) return;
    if (rank) memcpy(d, dims, rank * sizeof *d);
    unsigned n = tw__dims_join(d, rank), outer = n > 4 ? n - 4 : 0;
    tw__region region = { .var = var, .rank = n - outer, .offset = offset, .count = 1 };
    for (unsigned i = outer; i < n; i++) {
        region.dim[i - outer] = d[i];
        region.count *= d[i].count;
    }
    if (n == 0) {
        region.rank = 1;
        region.dim[0] = (tw__dim){ 1, 1 };
    }
    /* More than four dims: one region for each index of the outer ones. */
    uint64_t index[TW__MAX_RANK + 4] = { 0 };
    for (;;) {
        regions_push(builder, &region);
        if (builder->failed) return;
        unsigned k = outer;
        while (k && ++index[k - 1] == d[k - 1].count) {
            region.offset -= (uint64_t)d[k - 1].stride * (d[k - 1].count - 1);
            index[--k] = 0;
        }
        if (!k) return;
        region.offset += (uint64_t)d[k - 1].stride;
    }
}

/* --- cutting -------------------------------------------------------------------------------------------------- */

static void cut(tw__builder *builder, uint32_t var, uint64_t offset, const tw__dim *dims, unsigned rank,
                uint64_t begin, uint64_t end)
{
    if (begin >= end) return;
    if (rank == 0) {
        tw__builder_box(builder, var, offset, NULL, 0);
        return;
    }
    uint64_t row = 1;
    for (unsigned i = 1; i < rank; i++) row *= dims[i].count;
    uint64_t first = begin / row, last = (end - 1) / row;
    uint64_t at = offset + first * (uint64_t)dims[0].stride;
    if (first == last && end - begin < row) {
        cut(builder, var, at, dims + 1, rank - 1, begin - first * row, end - first * row);
        return;
    }
    if (begin % row) {
        cut(builder, var, at, dims + 1, rank - 1, begin - first * row, row);
        first++;
        at += (uint64_t)dims[0].stride;
    }
    uint64_t full = end / row - first;
    if (full) {
        tw__dim body[4];
        memcpy(body, dims, rank * sizeof *body);
        body[0].count = full;
        tw__builder_box(builder, var, at, body, rank);
    }
    if (end % row) cut(builder, var, at + full * (uint64_t)dims[0].stride, dims + 1, rank - 1, 0, end % row);
}

bool tw__region_part(const tw__region *region, uint64_t begin, uint64_t end, uint64_t *offset, tw__dim *dims,
                     unsigned *rank)
{
    const tw__dim *d = region->dim;
    unsigned left = region->rank;
    uint64_t at = region->offset, row = region->count;
    for (;; d++, left--) {
        row /= d->count;
        uint64_t first = begin / row;
        at += first * (uint64_t)d->stride;
        begin -= first * row;
        end -= first * row;
        if (end > row || left == 1) break; /* more than one step of this dim */
        if (begin == 0 && end == row) break;
    }
    if (begin % row || end % row) return false;
    memcpy(dims, d, left * sizeof *dims);
    dims[0].count = end / row;
    *offset = at;
    *rank = tw__dims_join(dims, left);
    return true;
}

static uint32_t find_region(const tw__regions *list, uint64_t pos)
{
    uint32_t low = 0, high = list->n;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (list->first[mid] <= pos)
            low = mid;
        else
            high = mid;
    }
    return low;
}

void tw__builder_range(tw__builder *builder, const tw__regions *list, uint64_t begin, uint64_t end)
{
    if (begin >= end) return;
    for (uint32_t i = find_region(list, begin); i < list->n && list->first[i] < end && !builder->failed; i++) {
        const tw__region *r = &list->region[i];
        uint64_t from = begin > list->first[i] ? begin - list->first[i] : 0;
        uint64_t to = end < list->first[i + 1] ? end - list->first[i] : r->count;
        if (from == 0 && to == r->count)
            regions_push(builder, r);
        else
            cut(builder, r->var, r->offset, r->dim, r->rank, from, to);
    }
}

bool tw__regions_box(const tw__regions *list, uint64_t begin, uint64_t end, uint32_t *var, uint64_t *offset,
                     tw__dim *dims, unsigned *rank)
{
    if (begin >= end) return false;
    uint32_t i = find_region(list, begin);
    *var = list->region[i].var;
    return end <= list->first[i + 1] &&
           tw__region_part(&list->region[i], begin - list->first[i], end - list->first[i], offset, dims, rank);
}

/* --- lists ---------------------------------------------------------------------------------------------------- */

void tw__builder_drop(tw__builder *builder)
{
    free(builder->region);
    *builder = (tw__builder){ 0 };
}

tw__regions *tw__builder_finish(tw__builder *builder)
{
    tw__regions *list = NULL;
    size_t n = 0, bytes;
    if (!builder->failed) {
        collapse(builder);
        n = builder->n;
        /* Header, first[n + 1] and the regions in one block. */
        if (n < UINT32_MAX && tw__mul_size(n, sizeof(tw__region) + sizeof(uint64_t), &bytes) &&
            tw__add_size(bytes, sizeof *list + sizeof(uint64_t), &bytes))
            list = tw__realloc(NULL, bytes);
    }
    if (list) {
        uint64_t *first = (uint64_t *)(list + 1), count = 0;
        tw__region *regions = (tw__region *)(first + n + 1);
        for (size_t i = 0; i < n; i++) {
            first[i] = count;
            count += builder->region[i].count;
            regions[i] = builder->region[i];
        }
        first[n] = count;
        *list = (tw__regions){ .refs = 1, .n = (uint32_t)n, .count = count, .first = first, .region = regions };
    }
    tw__builder_drop(builder);
    return list;
}

tw__regions *tw__regions_ref(tw__regions *list)
{
    if (list) list->refs++;
    return list;
}

void tw__regions_unref(tw__regions *list)
{
    if (list && --list->refs == 0) free(list);
}

tw__region_walk tw__region_walk_begin(const tw__regions *list, uint64_t begin, uint64_t end)
{
    if (end > list->count) end = list->count;
    uint32_t index = begin < end ? find_region(list, begin) : 0;
    return (tw__region_walk){ .list = list, .pos = begin, .end = end, .index = index };
}

bool tw__region_walk_next(tw__region_walk *walk, tw__elems *out)
{
    if (walk->pos >= walk->end) return false;
    const tw__regions *list = walk->list;
    const tw__region *r = &list->region[walk->index];
    const tw__dim *inner = &r->dim[r->rank - 1];
    uint64_t at = walk->pos - list->first[walk->index], left = walk->end - walk->pos;
    uint64_t offset = r->offset, step = at;
    if (r->rank > 1) {
        step = at % inner->count;
        uint64_t outer = at / inner->count;
        for (unsigned k = r->rank - 1; k-- && outer;) {
            offset += outer % r->dim[k].count * (uint64_t)r->dim[k].stride;
            outer /= r->dim[k].count;
        }
    }
    uint64_t count = inner->count - step;
    if (count > left) count = left;
    *out = (tw__elems){ r->var, offset + step * (uint64_t)inner->stride, inner->stride, count };
    walk->pos += count;
    if (walk->pos == list->first[walk->index + 1]) walk->index++;
    return true;
}
