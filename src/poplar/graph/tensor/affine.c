/* SPDX-License-Identifier: MIT */
/* Shapes with strides, and region lists cut into boxes.
 *
 * Most tensors are affine: one stride per dimension, and a view is arithmetic on shape and strides. A tensor of
 * several pieces is a region list; to permute, slice or stretch a dimension of it, the list is cut into boxes of the
 * index space that are affine each, the boxes are transformed, and the new row-major list is swept from them. The
 * cost follows the number of regions before and after, not the number of elements. */
#include "poplar/graph/build.h"

#include <stdlib.h>
#include <string.h>

void tw__row_major(unsigned rank, const size_t *shape, int64_t *stride)
{
    int64_t step = 1;
    for (unsigned i = rank; i--;) {
        stride[i] = step;
        step = (int64_t)((uint64_t)step * shape[i]); /* of a tensor without elements the others may be anything */
    }
}

bool tw__dims_reshape(const tw__dim *dims, unsigned n, unsigned rank, const size_t *shape, int64_t *stride)
{
    /* From the innermost dimension out: each takes its share of the current run of even steps. */
    uint64_t left = n ? dims[n - 1].count : 1;
    int64_t step = n ? dims[n - 1].stride : 1;
    for (unsigned j = rank; j--;) {
        if (shape[j] == 1) {
            stride[j] = 0;
            continue;
        }
        if (left == 1 && n > 1) {
            n--;
            left = dims[n - 1].count;
            step = dims[n - 1].stride;
        }
        if (shape[j] == 0 || left % shape[j]) return false;
        stride[j] = step;
        left /= shape[j];
        step *= (int64_t)shape[j];
    }
    return true;
}

/* --- boxes ---------------------------------------------------------------------------------------------------- */

static size_t box_bytes(unsigned rank)
{
    return sizeof(tw__box) + rank * sizeof(tw__axis);
}

tw__box *tw__boxes_at(const tw__boxes *boxes, size_t index)
{
    return (tw__box *)(boxes->data + index * box_bytes(boxes->rank));
}

tw__box *tw__boxes_add(tw__boxes *boxes)
{
    if (boxes->failed || !tw__grow(&boxes->data, &boxes->room, boxes->n, box_bytes(boxes->rank))) {
        boxes->failed = true;
        return NULL;
    }
    return tw__boxes_at(boxes, boxes->n++);
}

void tw__boxes_drop(tw__boxes *boxes)
{
    free(boxes->data);
    boxes->data = NULL;
    boxes->n = boxes->room = 0;
}

/* Elements [pos, pos + shape[0] * ...) of the region as an affine block of `shape`? */
static bool block_strides(const tw__region *region, uint64_t pos, unsigned rank, const size_t *shape,
                          uint64_t count, uint64_t *offset, int64_t *stride)
{
    tw__dim dims[4];
    unsigned n;
    return tw__region_part(region, pos, pos + count, offset, dims, &n) &&
           tw__dims_reshape(dims, n, rank, shape, stride);
}

/* The largest affine block of whole indices of dimension d that starts at element `pos` of the region, `at` steps of
 * size `row` into the dimension. Returns its number of indices (0 = none) with its strides. */
static uint64_t block_at(const tw__region *region, uint64_t pos, uint64_t most, uint64_t row, unsigned rank,
                         const size_t *shape, uint64_t *offset, int64_t *stride)
{
    size_t block[TW__MAX_RANK];
    memcpy(block, shape, rank * sizeof *block);
    uint64_t size = region->count;
    for (unsigned k = 0; k < region->rank; k++) {
        /* `size` = elements of one step of the region's dim k - 1: stay inside the step that holds pos. */
        uint64_t whole = (size - pos % size) / row;
        uint64_t steps = whole < most ? whole : most;
        block[0] = steps;
        if (steps && block_strides(region, pos, rank, block, steps * row, offset, stride)) return steps;
        size /= region->dim[k].count;
    }
    return 0;
}

static bool cut_region(tw__boxes *boxes, const tw__region *region, uint64_t first, const size_t *shape,
                       const uint64_t *row)
{
    unsigned rank = boxes->rank;
    for (uint64_t pos = 0; pos < region->count;) {
        uint64_t flat = first + pos, left = region->count - pos, steps = 0, offset = 0;
        int64_t stride[TW__MAX_RANK];
        unsigned d = 0;
        for (;; d++) {
            /* At d == rank - 1 a row is one element, and what is left of the innermost run always fits. */
            if (flat % row[d] || left < row[d]) continue;
            uint64_t index = flat / row[d] % shape[d], most = shape[d] - index;
            steps = block_at(region, pos, most, row[d], rank - d, shape + d, &offset, stride);
            if (steps) break;
        }
        tw__box *box = tw__boxes_add(boxes);
        if (!box) return false;
        box->var = region->var;
        box->offset = offset;
        for (unsigned k = 0; k < rank; k++) {
            if (k <= d)
                box->axis[k] = (tw__axis){ flat / row[k] % shape[k], k < d ? 1 : steps, k < d ? 0 : stride[0] };
            else
                box->axis[k] = (tw__axis){ 0, shape[k], stride[k - d] };
        }
        pos += steps * row[d];
    }
    return true;
}

void tw__boxes_from_list(tw__boxes *boxes, const tw__regions *list, const size_t *shape)
{
    uint64_t row[TW__MAX_RANK], step = 1;
    for (unsigned k = boxes->rank; k--;) {
        row[k] = step;
        step *= shape[k];
    }
    for (uint32_t i = 0; i < list->n; i++)
        if (!cut_region(boxes, &list->region[i], list->first[i], shape, row)) return;
}

/* --- sweep ---------------------------------------------------------------------------------------------------- */

typedef struct sweep {
    const tw__boxes *boxes;
    const size_t *shape;
    tw__builder *out;
    tw__arena *scratch;
    unsigned axis; /* that `before` compares */
    uint64_t index[TW__MAX_RANK];
} sweep;

static gint before(gconstpointer a, gconstpointer b, gpointer user)
{
    const sweep *s = user;
    uint64_t x = tw__boxes_at(s->boxes, *(const uint32_t *)a)->axis[s->axis].begin;
    uint64_t y = tw__boxes_at(s->boxes, *(const uint32_t *)b)->axis[s->axis].begin;
    return x < y ? -1 : x > y;
}

/* Of a list: several GiB. A view that repeats boxes can stand for more; asking for its order is out of memory. */
enum { MOST_REGIONS = 1 << 26 };

/* Indices [from, to) of axis d of one box that spans all later axes. */
static void affine_emit(sweep *s, uint32_t which, unsigned d, uint64_t from, uint64_t to)
{
    const tw__box *box = tw__boxes_at(s->boxes, which);
    unsigned rank = s->boxes->rank;
    uint64_t offset = box->offset;
    tw__dim dims[TW__MAX_RANK];
    for (unsigned k = 0; k < d; k++) offset += (s->index[k] - box->axis[k].begin) * (uint64_t)box->axis[k].stride;
    offset += (from - box->axis[d].begin) * (uint64_t)box->axis[d].stride;
    for (unsigned k = d; k < rank; k++)
        dims[k - d] = (tw__dim){ k == d ? to - from : box->axis[k].size, box->axis[k].stride };
    tw__builder_box(s->out, box->var, offset, dims, rank - d);
    if (s->out->n > MOST_REGIONS) s->out->failed = true;
}

static void order_by(sweep *s, uint32_t *set, size_t n, unsigned d)
{
    bool ordered = true;
    s->axis = d;
    for (size_t i = 1; i < n && ordered; i++) ordered = before(&set[i - 1], &set[i], s) <= 0;
    if (!ordered) g_qsort_with_data(set, (gint)n, sizeof *set, before, s);
}

/* Boxes set[0..n) tile what is left of the shape once the indices before d are fixed. */
static void sweep_axis(sweep *s, const uint32_t *set, size_t n, unsigned d)
{
    tw__arena_mark mark = tw__arena_save(s->scratch);
    uint32_t *sorted = TW__NEW_N(s->scratch, uint32_t, n), *active = TW__NEW_N(s->scratch, uint32_t, n);
    if (!sorted || !active) {
        s->out->failed = true;
        return;
    }
    memcpy(sorted, set, n * sizeof *sorted);
    order_by(s, sorted, n, d);

    size_t next = 0, live = 0;
    for (uint64_t x = 0; x < s->shape[d] && !s->out->failed;) {
        uint64_t y = s->shape[d];
        size_t kept = 0;
        for (size_t i = 0; i < live; i++) {
            const tw__axis *a = &tw__boxes_at(s->boxes, active[i])->axis[d];
            if (a->begin + a->size > x) active[kept++] = active[i];
        }
        for (live = kept; next < n && tw__boxes_at(s->boxes, sorted[next])->axis[d].begin <= x; next++)
            active[live++] = sorted[next];
        if (next < n) y = tw__boxes_at(s->boxes, sorted[next])->axis[d].begin;
        for (size_t i = 0; i < live; i++) {
            const tw__axis *a = &tw__boxes_at(s->boxes, active[i])->axis[d];
            if (a->begin + a->size < y) y = a->begin + a->size;
        }
        if (live == 1)
            affine_emit(s, active[0], d, x, y);
        else if (live && x < y) {
            order_by(s, active, live, d + 1); /* once for all of them */
            for (uint64_t i = x; i < y && !s->out->failed; i++) {
                s->index[d] = i;
                sweep_axis(s, active, live, d + 1);
            }
        }
        x = y;
    }
    tw__arena_restore(s->scratch, mark);
}

tw__regions *tw__boxes_to_list(const tw__boxes *boxes, const size_t *shape)
{
    tw__builder out = { .failed = boxes->failed };
    tw__arena *scratch = tw__arena_new(0);
    uint32_t *all = NULL;
    size_t n = 0;
    if (!scratch || boxes->n > INT32_MAX || !(all = TW__NEW_N(scratch, uint32_t, boxes->n + 1))) out.failed = true;
    if (!out.failed) {
        for (size_t i = 0; i < boxes->n; i++) {
            bool empty = false;
            for (unsigned k = 0; k < boxes->rank; k++) empty |= tw__boxes_at(boxes, i)->axis[k].size == 0;
            if (!empty) all[n++] = (uint32_t)i;
        }
        sweep s = { .boxes = boxes, .shape = shape, .out = &out, .scratch = scratch };
        if (n) sweep_axis(&s, all, n, 0);
    }
    tw__arena_free(scratch);
    return tw__builder_finish(&out);
}
