/* SPDX-License-Identifier: MIT */
/* What is pending of a variable's mapping, merged into it: the later on top of the earlier, and of what was
 * mapped. */
#include "poplar/graph/build.h"

#include <stdlib.h>

/* --- any order ------------------------------------------------------------------------------------------------- */

static void mapping_put(tw__mapped *out, size_t *n, uint64_t begin, uint64_t end, uint32_t tile)
{
    if (begin >= end) return;
    if (*n && out[*n - 1].tile == tile && out[*n - 1].end == begin)
        out[*n - 1].end = end;
    else
        out[(*n)++] = (tw__mapped){ begin, end, tile };
}

typedef struct entry {
    uint64_t begin;
    uint32_t index; /* in pending: the larger, the later */
} entry;

typedef struct live_interval {
    uint64_t end;
    uint32_t index;
} live_interval;

/* Stable radix sort by begin, 11 bits at a time: logs of millions of intervals come from strided views. `other` has
 * as much room. Returns the array that holds the result. */
static entry *sort_entries(entry *a, entry *other, size_t n)
{
    enum { BITS = 11, BUCKETS = 1 << BITS };
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) most |= a[i].begin;
    for (unsigned shift = 0; shift < 64 && most >> shift; shift += BITS) {
        size_t at[BUCKETS] = { 0 }, sum = 0;
        for (size_t i = 0; i < n; i++) at[a[i].begin >> shift & (BUCKETS - 1)]++;
        for (size_t k = 0; k < BUCKETS; k++) {
            size_t here = at[k];
            at[k] = sum;
            sum += here;
        }
        for (size_t i = 0; i < n; i++) other[at[a[i].begin >> shift & (BUCKETS - 1)]++] = a[i];
        entry *swap = a;
        a = other;
        other = swap;
    }
    return a;
}

/* A heap of intervals, the latest on top. */
static void heap_push(live_interval *heap, size_t *n, live_interval one)
{
    size_t i = (*n)++;
    for (; i && heap[(i - 1) / 2].index < one.index; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = one;
}

static void heap_pop(live_interval *heap, size_t *n)
{
    live_interval last = heap[--*n];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= *n) break;
        if (child + 1 < *n && heap[child + 1].index > heap[child].index) child++;
        if (heap[child].index < last.index) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
}

/* The old mapping under [begin, end), which no pending interval covers. */
static void put_old(const tw__variable *v, size_t *at, tw__mapped *out, size_t *n, uint64_t begin, uint64_t end)
{
    while (*at < v->mapped_count && v->mapped[*at].end <= begin) ++*at;
    for (size_t i = *at; i < v->mapped_count && v->mapped[i].begin < end; i++) {
        const tw__mapped *m = &v->mapped[i];
        mapping_put(out, n, m->begin > begin ? m->begin : begin, m->end < end ? m->end : end, m->tile);
    }
}

static size_t mapping_merge(const tw__variable *v, const entry *order, live_interval *heap, tw__mapped *out)
{
    size_t n = 0, live = 0, old = 0, next = 0, count = v->pending_intervals;
    uint64_t at = 0;
    while (next < count || live) {
        if (!live && order[next].begin > at) {
            put_old(v, &old, out, &n, at, order[next].begin);
            at = order[next].begin;
        }
        for (; next < count && order[next].begin <= at; next++) {
            entry e = order[next];
            heap_push(heap, &live, (live_interval){ e.begin + v->pending[e.index].width, e.index });
        }
        while (live && heap[0].end <= at) heap_pop(heap, &live);
        if (!live) continue;
        uint64_t end = next < count && order[next].begin < heap[0].end ? order[next].begin : heap[0].end;
        mapping_put(out, &n, at, end, v->pending[heap[0].index].tile);
        at = end;
    }
    put_old(v, &old, out, &n, at, UINT64_MAX);
    return n;
}

/* What is pending on top of what is mapped; `out` has room. False: no memory. */
static bool merge_sorted(const tw__variable *v, tw__mapped *out, size_t *n)
{
    size_t count = v->pending_intervals, at = 0;
    entry *order = tw__realloc(NULL, 2 * count * sizeof *order), *sorted_order = order;
    live_interval *heap = tw__realloc(NULL, count * sizeof *heap);
    bool done = order && heap, sorted = true;
    for (size_t i = 0; i < v->pending_count && done; i++)
        for (uint64_t k = 0; k < v->pending[i].rows; k++, at++) {
            order[at] = (entry){ v->pending[i].begin + k * v->pending[i].stride, (uint32_t)i };
            sorted &= at == 0 || order[at - 1].begin <= order[at].begin;
        }
    if (done && !sorted) sorted_order = sort_entries(order, order + count, count);
    if (done) *n = mapping_merge(v, sorted_order, heap, out);
    free(order);
    free(heap);
    return done;
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

/* Columns of a matrix, as a transposed tensor maps them: elements [x, end) of each row from `first` up to `last`. */
typedef struct column {
    uint64_t x, end, first, last;
    uint32_t tile;
} column;

static int column_by_x(const void *a, const void *b)
{
    const column *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

/* Of how many elements the rows are of which everything pending is columns; 0: of none. */
static uint64_t row_length(const tw__variable *v)
{
    uint64_t length = 0;
    for (size_t i = 0; i < v->pending_count; i++) {
        const tw__mapped_rows *p = &v->pending[i];
        if (p->rows == 1) continue;
        if (!length) length = p->stride;
        if (p->stride != length) return 0;
    }
    for (size_t i = 0; i < v->pending_count && length; i++)
        if (v->pending[i].begin % length + v->pending[i].width > length) return 0;
    return length;
}

/* A variable that was not mapped, and columns that do not meet: row by row, in order, with nothing to sort but the
 * columns. False: something else, or no memory. */
static bool merge_columns(const tw__variable *v, tw__mapped *out, size_t *count)
{
    uint64_t length = v->mapped_count ? 0 : row_length(v), first = UINT64_MAX, last = 0, at = 0;
    column *columns = length ? tw__realloc(NULL, v->pending_count * sizeof *columns) : NULL;
    if (!columns) return false;
    for (size_t i = 0; i < v->pending_count; i++) {
        const tw__mapped_rows *p = &v->pending[i];
        uint64_t row = p->begin / length, x = p->begin % length;
        columns[i] = (column){ x, x + p->width, row, row + p->rows, p->tile };
        if (row < first) first = row;
        if (row + p->rows > last) last = row + p->rows;
    }
    qsort(columns, v->pending_count, sizeof *columns, column_by_x);
    /* Each row looks at all columns: not when most have ended, or not begun. */
    bool done = v->pending_count <= 4 * (v->pending_intervals / (last - first));
    size_t n = 0;
    for (uint64_t row = first; row < last && done; row++)
        for (size_t i = 0; i < v->pending_count; i++) {
            const column *c = &columns[i];
            if (row < c->first || row >= c->last) continue;
            done &= row * length + c->x >= at;
            at = row * length + c->end;
            mapping_put(out, &n, row * length + c->x, at, c->tile);
        }
    free(columns);
    *count = n;
    return done;
}

bool tw__mapping_settle(tw__variable *v)
{
    size_t count = v->pending_intervals, n = 0;
    if (!count) return true;
    if (v->pending_count >= UINT32_MAX) return false;
    /* Each boundary starts at most one interval; each old one may be cut once more for each pending one. */
    size_t room = v->mapped_count + 2 * count + 1;
    tw__mapped *out = tw__realloc(NULL, room * sizeof *out);
    if (!out || (!merge_columns(v, out, &n) && !merge_sorted(v, out, &n))) {
        free(out);
        return false;
    }
    tw__mapped *fitted = tw__realloc(out, n * sizeof *out);
    free(v->mapped);
    free(v->pending);
    v->mapped = fitted ? fitted : out;
    v->mapped_count = n;
    v->mapped_room = fitted ? n : room;
    v->pending = NULL;
    v->pending_count = v->pending_room = v->pending_intervals = 0;
    return true;
}
