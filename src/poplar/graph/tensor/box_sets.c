/* SPDX-License-Identifier: MIT */
/* Tensors of many boxes, as the blocks of a product or a convolution make them.
 *
 * In row-major order such a tensor falls apart into a region for each row of each block, often for each element. Its
 * boxes stay as few as they are, whatever order the dimensions get: a node keeps them, views are arithmetic on
 * boxes, and the region list is made when somebody asks for the order of all elements. Questions that do not depend
 * on the order are answered from the boxes. */
#include "poplar/graph/build.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BOXES = 1 << 15 }; /* more are not kept: they become a list at once */

struct tw__box_set {
    uint32_t refs;
    tw__boxes boxes;
    tw__regions *elements; /* in order of the boxes; NULL: not asked for yet */
    /* For slices: boxes by where they begin along the axis with the most cuts. */
    uint32_t *by_begin;
    unsigned axis, slices;
    uint64_t widest;
};

struct tw__box_set *tw__box_set_ref(struct tw__box_set *set)
{
    if (set) set->refs++;
    return set;
}

void tw__box_set_unref(struct tw__box_set *set)
{
    if (!set || --set->refs) return;
    tw__regions_unref(set->elements);
    tw__boxes_drop(&set->boxes);
    free(set->by_begin);
    free(set);
}

const tw__boxes *tw__box_set_boxes(const struct tw__box_set *set)
{
    return &set->boxes;
}

/* --- tensors of boxes ----------------------------------------------------------------------------------------- */

static void drop_empty(tw__boxes *boxes)
{
    size_t bytes = sizeof(tw__box) + boxes->rank * sizeof(tw__axis), n = 0;
    for (size_t i = 0; i < boxes->n; i++) {
        const tw__box *box = tw__boxes_at(boxes, i);
        bool empty = false;
        for (unsigned k = 0; k < boxes->rank; k++) empty |= box->axis[k].size == 0;
        if (!empty && n++ != i) memcpy(tw__boxes_at(boxes, n - 1), box, bytes);
    }
    boxes->n = n;
}

static tw_tensor one_box(tw__core *core, tw_type type, unsigned rank, const size_t *shape, const tw__box *box)
{
    tw__node *node = tw__node_make(core, type, rank, true);
    if (!node) return TW__NIL_TENSOR;
    tw__node_set_shape(node, shape);
    node->var = box->var;
    node->offset = box->offset;
    for (unsigned k = 0; k < rank; k++) tw__strides(node)[k] = shape[k] == 1 ? 0 : box->axis[k].stride;
    return tw__node_publish(core, node);
}

/* Takes over the set and its list, if there is one. */
static tw_tensor of_set(tw__core *core, tw_type type, unsigned rank, const size_t *shape, struct tw__box_set *set,
                        tw__regions *list)
{
    tw__node *node = tw__node_make(core, type, rank, false);
    if (!node) {
        tw__box_set_unref(set);
        tw__regions_unref(list);
        return TW__NIL_TENSOR;
    }
    tw__node_set_shape(node, shape);
    node->set = set;
    node->t.regions = list;
    return tw__node_publish(core, node);
}

/* In how many dimensions the box does not begin at 0. */
static unsigned dims_away(const tw__box *box, unsigned rank)
{
    unsigned away = 0;
    for (unsigned k = 0; k < rank; k++) away += box->axis[k].begin > 0;
    return away;
}

/* Do the boxes, which tile `shape`, step evenly from one to the next? Then the first becomes all of them. */
static bool join_evenly(tw__boxes *boxes, const size_t *shape)
{
    int64_t stride[TW__MAX_RANK] = { 0 };
    uint64_t corner = 0;
    tw__box *first = tw__boxes_at(boxes, 0);
    for (size_t i = 0; i < boxes->n; i++) {
        const tw__box *box = tw__boxes_at(boxes, i);
        if (box->var != first->var) return false;
        if (!dims_away(box, boxes->rank)) corner = box->offset;
    }
    for (size_t i = 0; i < boxes->n; i++) {
        const tw__box *box = tw__boxes_at(boxes, i);
        bool next = dims_away(box, boxes->rank) == 1;
        for (unsigned k = 0; k < boxes->rank; k++)
            if (box->axis[k].size > 1)
                stride[k] = box->axis[k].stride;
            else if (next && box->axis[k].begin == 1)
                stride[k] = (int64_t)(box->offset - corner);
    }
    for (size_t i = 0; i < boxes->n; i++) {
        const tw__box *box = tw__boxes_at(boxes, i);
        uint64_t offset = corner;
        for (unsigned k = 0; k < boxes->rank; k++) {
            if (box->axis[k].size > 1 && box->axis[k].stride != stride[k]) return false;
            offset += box->axis[k].begin * (uint64_t)stride[k];
        }
        if (box->offset != offset) return false;
    }
    first->offset = corner;
    for (unsigned k = 0; k < boxes->rank; k++) first->axis[k] = (tw__axis){ 0, shape[k], stride[k] };
    return true;
}

tw_tensor tw__tensor_from_boxes(tw__core *core, tw_type type, unsigned rank, const size_t *shape, tw__boxes *boxes)
{
    struct tw__box_set *set = NULL;
    if (!boxes->failed) drop_empty(boxes);
    if (!boxes->failed && boxes->n && join_evenly(boxes, shape)) {
        tw_tensor made = one_box(core, type, rank, shape, tw__boxes_at(boxes, 0));
        tw__boxes_drop(boxes);
        return made;
    }
    bool kept = !boxes->failed && boxes->n && boxes->n <= MOST_BOXES;
    if (kept && (set = tw__realloc(NULL, sizeof *set))) {
        *set = (struct tw__box_set){ .refs = 1, .boxes = *boxes };
        *boxes = (tw__boxes){ .rank = rank };
        return of_set(core, type, rank, shape, set, NULL);
    }
    tw__regions *list = kept ? NULL : tw__boxes_to_list(boxes, shape);
    tw__boxes_drop(boxes);
    return tw__tensor_from_list(core, type, rank, shape, list);
}

void tw__boxes_of_node(const tw__node *node, tw__boxes *out)
{
    size_t bytes = sizeof(tw__box) + out->rank * sizeof(tw__axis);
    if (node->set) {
        const tw__boxes *own = &node->set->boxes;
        for (size_t i = 0; i < own->n; i++) {
            tw__box *box = tw__boxes_add(out);
            if (!box) return;
            memcpy(box, tw__boxes_at(own, i), bytes);
        }
    } else if (node->affine) {
        tw__box *box = tw__boxes_add(out);
        if (!box) return;
        box->var = node->var;
        box->offset = node->offset;
        for (unsigned k = 0; k < out->rank; k++)
            box->axis[k] = (tw__axis){ 0, node->dims[k], tw__strides(node)[k] };
    } else {
        tw__boxes_from_list(out, node->t.regions, node->dims);
    }
}

struct tw__box_set *tw__node_box_set(const tw__node *node)
{
    if (node->set) return tw__box_set_ref(node->set);
    struct tw__box_set *set = tw__realloc(NULL, sizeof *set);
    if (!set) return NULL;
    *set = (struct tw__box_set){ .refs = 1, .boxes = { .rank = node->t.rank } };
    tw__boxes_of_node(node, &set->boxes);
    if (!set->boxes.failed) return set;
    tw__box_set_unref(set);
    return NULL;
}

bool tw__node_corner(const tw__node *node, uint32_t *var, uint64_t *offset)
{
    if (tw__node_count(node) == 0) return false;
    const tw__boxes *boxes = node->set ? &node->set->boxes : NULL;
    *var = node->affine ? node->var : boxes ? 0 : node->t.regions->region[0].var;
    *offset = node->affine ? node->offset : boxes ? 0 : node->t.regions->region[0].offset;
    for (size_t i = 0; boxes && i < boxes->n; i++) {
        const tw__box *box = tw__boxes_at(boxes, i);
        if (!dims_away(box, boxes->rank)) *var = box->var, *offset = box->offset;
    }
    return true;
}

/* --- order does not matter ------------------------------------------------------------------------------------ */

/* Dims in ascending order of address, unless elements repeat: then as they are. */
static void add_unordered(tw__builder *out, const tw__box *box, unsigned rank)
{
    tw__dim dims[TW__MAX_RANK], sorted[TW__MAX_RANK];
    uint64_t offset = box->offset;
    bool repeats = false;
    for (unsigned k = 0; k < rank; k++) dims[k] = (tw__dim){ box->axis[k].size, box->axis[k].stride };
    memcpy(sorted, dims, sizeof sorted);
    unsigned n = tw__dims_sort(sorted, rank, &offset, &repeats);
    if (repeats)
        tw__builder_box(out, box->var, box->offset, dims, rank);
    else
        tw__builder_box(out, box->var, offset, sorted, n);
}

tw__regions *tw__node_elements(const tw__core *core, const tw__node *node)
{
    struct tw__box_set *set = node->set;
    if (!set) return tw__node_regions(core, node);
    if (set->elements) return set->elements;
    tw__builder b = { 0 };
    for (size_t i = 0; i < set->boxes.n && !b.failed; i++)
        add_unordered(&b, tw__boxes_at(&set->boxes, i), set->boxes.rank);
    set->elements = tw__builder_finish(&b);
    if (!set->elements) tw__graph_no_memory(core);
    return set->elements;
}

bool tw__box_sets_equal(const struct tw__box_set *a, const struct tw__box_set *b)
{
    size_t bytes = sizeof(tw__box) + a->boxes.rank * sizeof(tw__axis);
    if (a == b) return true;
    if (a->boxes.rank != b->boxes.rank || a->boxes.n != b->boxes.n) return false;
    for (size_t i = 0; i < a->boxes.n; i++) {
        const tw__box *x = tw__boxes_at(&a->boxes, i), *y = tw__boxes_at(&b->boxes, i);
        if (x->var != y->var || x->offset != y->offset || memcmp(x->axis, y->axis, bytes - sizeof *x)) return false;
    }
    return true;
}

/* --- slices --------------------------------------------------------------------------------------------------- */

static gint earlier(gconstpointer a, gconstpointer b, gpointer user)
{
    const struct tw__box_set *s = user;
    uint64_t x = tw__boxes_at(&s->boxes, *(const uint32_t *)a)->axis[s->axis].begin;
    uint64_t y = tw__boxes_at(&s->boxes, *(const uint32_t *)b)->axis[s->axis].begin;
    return x < y ? -1 : x > y;
}

/* False: no memory; all boxes are looked at then. */
static bool make_index(struct tw__box_set *set)
{
    size_t n = set->boxes.n;
    uint64_t total[TW__MAX_RANK] = { 0 }, end[TW__MAX_RANK] = { 0 };
    if (!(set->by_begin = tw__realloc(NULL, n * sizeof *set->by_begin))) return false;
    for (size_t i = 0; i < n; i++) {
        const tw__box *box = tw__boxes_at(&set->boxes, i);
        set->by_begin[i] = (uint32_t)i;
        for (unsigned k = 0; k < set->boxes.rank; k++) {
            total[k] += box->axis[k].size;
            end[k] = MAX(end[k], box->axis[k].begin + box->axis[k].size);
        }
    }
    double best = 2;
    for (unsigned k = 0; k < set->boxes.rank; k++) {
        double part = (double)total[k] / ((double)end[k] * (double)n);
        if (part < best) best = part, set->axis = k;
    }
    for (size_t i = 0; i < n; i++)
        set->widest = MAX(set->widest, tw__boxes_at(&set->boxes, i)->axis[set->axis].size);
    g_qsort_with_data(set->by_begin, (gint)n, sizeof *set->by_begin, earlier, set);
    return true;
}

static void add_cut(tw__boxes *out, const tw__box *box, const size_t *begin, const size_t *end)
{
    unsigned rank = out->rank;
    for (unsigned k = 0; k < rank; k++)
        if (box->axis[k].begin >= end[k] || box->axis[k].begin + box->axis[k].size <= begin[k]) return;
    tw__box *made = tw__boxes_add(out);
    if (!made) return;
    made->var = box->var;
    made->offset = box->offset;
    for (unsigned k = 0; k < rank; k++) {
        tw__axis a = box->axis[k];
        uint64_t from = MAX(a.begin, begin[k]), to = MIN(a.begin + a.size, end[k]);
        made->offset += (from - a.begin) * (uint64_t)a.stride;
        made->axis[k] = (tw__axis){ from - begin[k], to - from, a.stride };
    }
}

/* First of by_begin that may reach to `at`. */
static size_t first_near(const struct tw__box_set *set, uint64_t at)
{
    size_t low = 0, high = set->boxes.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tw__boxes_at(&set->boxes, set->by_begin[middle])->axis[set->axis].begin + set->widest <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tw__box_set_slice(struct tw__box_set *set, const size_t *begin, const size_t *end, tw__boxes *out)
{
    const tw__boxes *own = &set->boxes;
    if (!set->by_begin && (set->slices++ == 0 || !make_index(set))) {
        for (size_t i = 0; i < own->n; i++) add_cut(out, tw__boxes_at(own, i), begin, end);
        return;
    }
    for (size_t i = first_near(set, begin[set->axis]); i < own->n; i++) {
        const tw__box *box = tw__boxes_at(own, set->by_begin[i]);
        if (box->axis[set->axis].begin >= end[set->axis]) break;
        add_cut(out, box, begin, end);
    }
}

/* --- other shapes --------------------------------------------------------------------------------------------- */

/* Axes of a box that become one, of the extents given: a range of their indices, if it is even. */
static bool join_axes(const tw__axis *axis, const size_t *extent, unsigned n, tw__axis *out)
{
    uint64_t row = 1;
    *out = (tw__axis){ 0, 1, 0 };
    for (unsigned k = n; k--; row *= extent[k]) {
        tw__axis a = axis[k];
        if (a.size > 1 && out->size > 1) {
            if (out->begin || out->size != row || a.stride != out->stride * (int64_t)row) return false;
            *out = (tw__axis){ a.begin * row, a.size * row, out->stride };
        } else if (a.size > 1) { /* of rows of one element each */
            if (row > 1) return false;
            *out = (tw__axis){ a.begin, a.size, a.stride };
        } else {
            out->begin += a.begin * row;
        }
    }
    return true;
}

/* The other way round. */
static bool split_axis(tw__axis a, const size_t *extent, unsigned n, tw__axis *out)
{
    for (unsigned k = 0; k < n; k++) {
        uint64_t row = tw__dims_product(extent, k + 1, n), first = a.begin / row,
                 last = (a.begin + a.size - 1) / row;
        if (first == last) {
            out[k] = (tw__axis){ first, 1, 0 };
            a.begin -= first * row;
            continue;
        }
        if (a.begin % row || a.size % row) return false;
        out[k] = (tw__axis){ first, a.size / row, a.stride * (int64_t)row };
        for (unsigned i = k + 1; i < n; i++)
            out[i] = (tw__axis){ 0, extent[i], a.stride * (int64_t)tw__dims_product(extent, i + 1, n) };
        return true;
    }
    return true;
}

/* The next dimensions of both shapes that have as many elements. */
static void next_group(const size_t *from, unsigned from_rank, unsigned *i, const size_t *to, unsigned to_rank,
                       unsigned *j)
{
    uint64_t a = *i < from_rank ? from[(*i)++] : 1, b = *j < to_rank ? to[(*j)++] : 1;
    while (a != b)
        if (a < b)
            a *= from[(*i)++];
        else
            b *= to[(*j)++];
}

static bool reshape_box(const tw__box *old, const size_t *from, unsigned from_rank, tw__box *made, const size_t *to,
                        unsigned to_rank)
{
    made->var = old->var;
    made->offset = old->offset;
    for (unsigned i = 0, j = 0; i < from_rank || j < to_rank;) {
        unsigned first = i, second = j;
        tw__axis flat;
        next_group(from, from_rank, &i, to, to_rank, &j);
        if (!join_axes(old->axis + first, from + first, i - first, &flat) ||
            !split_axis(flat, to + second, j - second, made->axis + second))
            return false;
    }
    return true;
}

bool tw__box_set_reshape(tw__core *core, const tw__node *t, unsigned rank, const size_t *shape, tw_tensor *result)
{
    tw__boxes made = { .rank = rank };
    const tw__boxes *own = &t->set->boxes;
    if (rank == t->t.rank && (!rank || !memcmp(shape, t->dims, rank * sizeof *shape))) {
        *result = of_set(core, t->t.type, rank, shape, tw__box_set_ref(t->set), tw__regions_ref(t->t.regions));
        return true;
    }
    for (size_t i = 0; i < own->n; i++) {
        tw__box *box = tw__boxes_add(&made);
        if (box && reshape_box(tw__boxes_at(own, i), t->dims, t->t.rank, box, shape, rank)) continue;
        tw__boxes_drop(&made);
        return false;
    }
    *result = tw__tensor_from_boxes(core, t->t.type, rank, shape, &made);
    return true;
}
