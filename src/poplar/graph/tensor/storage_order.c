/* SPDX-License-Identifier: MIT */
/* Tensors of boxes in the order of their storage: box after box, each a run of its variable. What
 * tw_tensor_reorder_to_simplify() finds by sorting elements is found by sorting boxes here. */
#include "poplar/graph/build.h"

#include <stdlib.h>
#include <string.h>

/* A box whose elements are one run. Its axes of more than one element, the longest step first, make the run. */
typedef struct stored {
    uint64_t begin, count;
    uint32_t var, index;
} stored;

typedef struct axes {
    unsigned n, axis[TW__MAX_RANK];
} axes;

static bool box_run(const tw__box *box, unsigned rank, axes *a, stored *run)
{
    uint64_t step = 1;
    a->n = 0;
    *run = (stored){ .begin = box->offset, .count = 1, .var = box->var };
    for (unsigned k = 0; k < rank; k++) {
        const tw__axis *x = &box->axis[k];
        if (x->size == 1) continue;
        if (x->stride == 0) return false;
        if (x->stride < 0) run->begin -= (uint64_t)-x->stride * (x->size - 1);
        unsigned at = a->n++;
        for (; at && llabs(box->axis[a->axis[at - 1]].stride) < llabs(x->stride); at--)
            a->axis[at] = a->axis[at - 1];
        a->axis[at] = k;
    }
    for (unsigned i = a->n; i--;) {
        const tw__axis *x = &box->axis[a->axis[i]];
        if ((uint64_t)llabs(x->stride) != step) return false;
        step *= x->size;
    }
    run->count = step;
    return true;
}

static int stored_by_place(const void *a, const void *b)
{
    const stored *x = a, *y = b;
    if (x->var != y->var) return x->var < y->var ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Boxes in order of storage; NULL when they are no runs apart from each other, or out of memory. */
static stored *stored_runs(const tw__boxes *boxes)
{
    axes a;
    bool apart = true;
    stored *runs = tw__realloc(NULL, (boxes->n + 1) * sizeof *runs);
    for (size_t i = 0; runs && i < boxes->n && apart; i++) {
        apart = box_run(tw__boxes_at(boxes, i), boxes->rank, &a, &runs[i]);
        runs[i].index = (uint32_t)i;
    }
    if (runs && apart) qsort(runs, boxes->n, sizeof *runs, stored_by_place);
    for (size_t i = 1; runs && i < boxes->n && apart; i++)
        apart = runs[i - 1].var != runs[i].var || runs[i - 1].begin + runs[i - 1].count <= runs[i].begin;
    if (apart) return runs;
    free(runs);
    return NULL;
}

/* --- tensors that follow -------------------------------------------------------------------------------------- */

static bool same_places(const tw__boxes *a, const tw__boxes *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++) {
        const tw__axis *x = tw__boxes_at(a, i)->axis, *y = tw__boxes_at(b, i)->axis;
        for (unsigned k = 0; k < a->rank; k++)
            if (x[k].begin != y[k].begin || x[k].size != y[k].size) return false;
    }
    return true;
}

/* The elements of a box in the order in which another one, `like`, is stored; where that one steps down its axes are
 * walked from their ends. */
static void add_turned(tw__builder *out, const tw__box *box, const tw__box *like, const axes *a)
{
    tw__dim dims[TW__MAX_RANK];
    uint64_t offset = box->offset;
    for (unsigned i = 0; i < a->n; i++) {
        const tw__axis *x = &box->axis[a->axis[i]];
        bool down = like->axis[a->axis[i]].stride < 0;
        if (down) offset += (x->size - 1) * (uint64_t)x->stride;
        dims[i] = (tw__dim){ x->size, down ? -x->stride : x->stride };
    }
    tw__builder_box(out, box->var, offset, dims, a->n);
}

/* What another tensor has where `box` is, in that box's order of storage. */
static void add_turned_part(tw__builder *out, struct tw__box_set *other, const tw__box *box, unsigned rank,
                            const axes *a)
{
    size_t begin[TW__MAX_RANK], end[TW__MAX_RANK], shape[TW__MAX_RANK];
    tw__boxes cut = { .rank = rank }, turned = { .rank = a->n };
    for (unsigned k = 0; k < rank; k++) begin[k] = box->axis[k].begin, end[k] = begin[k] + box->axis[k].size;
    tw__box_set_slice(other, begin, end, &cut);
    out->failed |= cut.failed;
    if (cut.n == 1 && !cut.failed) {
        add_turned(out, tw__boxes_at(&cut, 0), box, a);
        tw__boxes_drop(&cut);
        return;
    }
    for (unsigned i = 0; i < a->n; i++) shape[i] = box->axis[a->axis[i]].size;
    for (size_t c = 0; c < cut.n && !out->failed; c++) {
        const tw__box *from = tw__boxes_at(&cut, c);
        tw__box *to = tw__boxes_add(&turned);
        if (!to) break;
        to->var = from->var, to->offset = from->offset;
        for (unsigned i = 0; i < a->n; i++) {
            tw__axis x = from->axis[a->axis[i]];
            if (box->axis[a->axis[i]].stride < 0) {
                to->offset += (x.size - 1) * (uint64_t)x.stride;
                x = (tw__axis){ shape[i] - x.begin - x.size, x.size, -x.stride };
            }
            to->axis[i] = x;
        }
    }
    tw__regions *list = tw__boxes_to_list(&turned, shape);
    if (list)
        tw__builder_range(out, list, 0, list->count);
    else
        out->failed = true;
    tw__regions_unref(list);
    tw__boxes_drop(&cut);
    tw__boxes_drop(&turned);
}

static tw__regions *turned_list(const tw__boxes *boxes, const stored *runs, struct tw__box_set *other)
{
    const tw__boxes *own = tw__box_set_boxes(other);
    bool same = same_places(boxes, own);
    tw__builder b = { 0 };
    for (size_t i = 0; i < boxes->n && !b.failed; i++) {
        const tw__box *box = tw__boxes_at(boxes, runs[i].index);
        axes a = { .n = 0 };
        stored ignored;
        box_run(box, boxes->rank, &a, &ignored);
        if (same)
            add_turned(&b, tw__boxes_at(own, runs[i].index), box, &a);
        else
            add_turned_part(&b, other, box, boxes->rank, &a);
    }
    return tw__builder_finish(&b);
}

/* Lists of more regions are ordered faster by their elements: each box of t cuts a piece out of all of them. */
enum { MOST_REGIONS_CUT = 1 << 15 };

static bool worth_cutting(const tw__node *other)
{
    return other->set || other->affine || other->t.regions->n <= MOST_REGIONS_CUT;
}

bool tw__storage_order(const tw__node *t, size_t count, const tw__node *const *others, tw__regions **lists)
{
    if (!t->set && !t->affine) return false;
    struct tw__box_set *set = tw__node_box_set(t);
    const tw__boxes *boxes = set ? tw__box_set_boxes(set) : NULL;
    stored *runs = boxes && boxes->n ? stored_runs(boxes) : NULL;
    size_t n = 0;
    bool few = true;
    for (size_t i = 0; i < count; i++) few &= worth_cutting(others[i]);
    for (bool done = runs && few; done && n <= count; n += done) {
        struct tw__box_set *other = n < count ? tw__node_box_set(others[n]) : tw__box_set_ref(set);
        done = other && (lists[n] = turned_list(boxes, runs, other));
        tw__box_set_unref(other);
    }
    bool done = n > count;
    while (!done && n) tw__regions_unref(lists[--n]);
    free(runs);
    tw__box_set_unref(set);
    return done;
}
