/* SPDX-License-Identifier: MIT */
/* Tensor views: slice, concat, reshape, shuffle, ... Everything shares storage with its argument.
 *
 * Affine tensors (nearly all) are transformed by arithmetic on shape and strides. Slices of others are cut out
 * of their lists, row by row or region by region; else cut into boxes over at most three dimensions (what lies
 * before, the one concerned, what lies after), or over all of them for a shuffle. */
#include "poplar/graph/build.h"

#include <limits.h>
#include <string.h>

/* --- one dimension -------------------------------------------------------------------------------------------- */

/* What becomes of an axis: indices first, first + step, ... (`count` of them, step may be -1); or, for one index and
 * `step` 0, that index `count` times. */
typedef struct pick {
    uint64_t first, count;
    int64_t step;
} pick;

/* The part of a box's axis that `p` takes; size 0 when nothing. Moves the box's offset. */
static void pick_axis(tw__box *box, unsigned d, pick p)
{
    tw__axis *a = &box->axis[d];
    uint64_t end = a->begin + a->size;
    if (p.step == 0) {
        *a = (tw__axis){ 0, p.count, 0 };
    } else if (p.step > 0) {
        uint64_t step = (uint64_t)p.step, last = p.first + p.count * step;
        uint64_t from = a->begin > p.first ? (a->begin - p.first + step - 1) / step : 0;
        uint64_t to = end >= last ? p.count : end > p.first ? (end - p.first + step - 1) / step : 0;
        if (from >= to) {
            a->size = 0;
            return;
        }
        box->offset += (p.first + from * step - a->begin) * (uint64_t)a->stride;
        *a = (tw__axis){ from, to - from, to - from > 1 ? a->stride * p.step : 0 };
    } else {
        /* The whole axis backwards: index i becomes count - 1 - i. */
        box->offset += (a->size - 1) * (uint64_t)a->stride;
        *a = (tw__axis){ p.count - end, a->size, -a->stride };
    }
}

/* Regions of a tensor that can be meant: more than a GiB of them. Refused beforehand, where a number multiplies
 * them. */
enum { MAX_PIECES = 1 << 24 };

/* Rows of a slice, each a range of the list, that are cheaper to find one by one than by cutting all of the list. */
static bool few_rows(const tw__regions *list, uint64_t rows)
{
    return rows <= 16 || rows <= list->n;
}

/* Indices [begin, end) of each dimension of a list of that shape, range by range: a part of a tensor of very many
 * regions costs what the part has. False when these are too many ranges. */
static bool slice_rows(tw__builder *out, const tw__regions *list, unsigned rank, const size_t *shape,
                       const size_t *begin, const size_t *end)
{
    uint64_t rows = 1, row = 1, place = 0, step[TW__MAX_RANK] = { 0 };
    unsigned last = rank; /* dimensions from here on are taken as a whole */
    while (last && begin[last - 1] == 0 && end[last - 1] == shape[last - 1]) row *= shape[--last];
    if (last == 0) {
        tw__builder_range(out, list, 0, list->count);
        return true;
    }
    uint64_t length = (end[last - 1] - begin[last - 1]) * row;
    for (unsigned d = last; d--;) {
        step[d] = row;
        place += begin[d] * row;
        row *= shape[d];
        if (d < last - 1 && (__builtin_mul_overflow(rows, end[d] - begin[d], &rows) || !few_rows(list, rows)))
            return false;
    }
    size_t index[TW__MAX_RANK] = { 0 };
    for (uint64_t i = 0; i < rows; i++) {
        tw__builder_range(out, list, place, place + length);
        unsigned d = last - 1; /* to the next row, as an odometer does */
        while (d-- && ++index[d] == end[d] - begin[d]) {
            place -= (index[d] - 1) * step[d];
            index[d] = 0;
        }
        if (d != UINT_MAX) place += step[d];
    }
    return true;
}

/* Innermost dims that make `unit` elements go to out[0..*k), and *n are left: {900, 75, 8} is {900} and 75 times 8
 * for 600. */
static bool split_off(tw__dim *dims, unsigned *n, uint64_t unit, tw__dim *out, unsigned *k)
{
    tw__dim taken[TW__MAX_RANK];
    unsigned count = 0;
    while (unit > 1) {
        if (*n == 0) return false;
        tw__dim *d = &dims[*n - 1];
        uint64_t part = d->count < unit ? d->count : unit;
        if (unit % part || d->count % part) return false;
        taken[count++] = (tw__dim){ part, d->stride };
        unit /= part;
        *d = (tw__dim){ d->count / part, d->stride * (int64_t)part };
        if (d->count == 1) --*n;
    }
    for (*k = 0; *k < count; ++*k) out[*k] = taken[count - 1 - *k];
    return true;
}

/* Elements [first, first + count) of dims[0..*n), which must be dims again. */
static bool cut_dims(tw__dim *dims, unsigned *n, uint64_t first, uint64_t count, uint64_t *offset)
{
    while (*n) {
        uint64_t block = 1;
        for (unsigned i = 1; i < *n; i++) block *= dims[i].count;
        uint64_t index = first / block;
        *offset += index * (uint64_t)dims[0].stride;
        first -= index * block;
        if (first == 0 && count % block == 0) {
            dims[0].count = count / block;
            return true;
        }
        if (first + count > block) return false;
        memmove(dims, dims + 1, --*n * sizeof *dims);
    }
    return true;
}

/* Indices [p.first, p.first + p.count) of the middle of {outer, middle, inner}. */
typedef struct rows {
    const tw__regions *list;
    uint64_t row, first, length; /* elements of a row, and which of each */
    uint64_t middle, inner;
} rows;

/* What lies in elements [begin, end) of the list, row by row. */
static void add_rows(tw__builder *out, const rows *r, uint64_t begin, uint64_t end)
{
    for (uint64_t start = begin - begin % r->row; start < end && !out->failed; start += r->row) {
        uint64_t from = start + r->first, to = from + r->length;
        tw__builder_range(out, r->list, from > begin ? from : begin, to < end ? to : end);
    }
}

/* Whole rows of a region at once, when the slice of its pattern is a pattern. */
static bool add_pattern(tw__builder *out, const rows *r, const tw__region *region, uint64_t begin, uint64_t end)
{
    tw__dim dims[TW__MAX_RANK + 4], middle[TW__MAX_RANK], inner[TW__MAX_RANK];
    uint64_t offset;
    unsigned n, m, k;
    if (!tw__region_part(region, begin, end, &offset, dims, &n) || !split_off(dims, &n, r->inner, inner, &k) ||
        !split_off(dims, &n, r->middle, middle, &m) ||
        !cut_dims(middle, &m, r->first / r->inner, r->length / r->inner, &offset))
        return false;
    memcpy(dims + n, middle, m * sizeof *dims);
    memcpy(dims + n + m, inner, k * sizeof *dims);
    tw__builder_box(out, region->var, offset, dims, n + m + k);
    return true;
}

/* The slice, region by region: the order of elements is that of the list. */
static void slice_regions(tw__builder *out, const rows *r)
{
    for (uint32_t i = 0; i < r->list->n && !out->failed; i++) {
        uint64_t begin = r->list->first[i], end = r->list->first[i + 1];
        uint64_t from = (begin + r->row - 1) / r->row * r->row, to = end / r->row * r->row;
        if (to <= from) {
            add_rows(out, r, begin, end);
            continue;
        }
        add_rows(out, r, begin, from);
        if (!add_pattern(out, r, &r->list->region[i], from - begin, to - begin)) add_rows(out, r, from, to);
        add_rows(out, r, to, end);
    }
}

/* The same of a tensor of boxes; `shape` is that of the result. */
static tw_tensor picked_boxes(tw__core *core, const tw__node *t, const size_t *shape, unsigned d, pick p)
{
    tw__boxes boxes = { .rank = t->t.rank };
    size_t begin[TW__MAX_RANK] = { 0 }, end[TW__MAX_RANK];
    memcpy(end, t->dims, t->t.rank * sizeof *end);
    if (p.step == 1) begin[d] = p.first, end[d] = p.first + p.count;
    if (tw__dims_product(shape, 0, t->t.rank)) tw__box_set_slice(t->set, begin, end, &boxes);
    for (size_t i = 0; i < boxes.n && p.step != 1; i++) pick_axis(tw__boxes_at(&boxes, i), d, p);
    return tw__tensor_from_boxes(core, t->t.type, t->t.rank, shape, &boxes);
}

/* A tensor with dimension d changed by `p`. */
static tw_tensor picked(tw__core *core, const tw__node *t, unsigned d, pick p)
{
    unsigned rank = t->t.rank;
    size_t shape[TW__MAX_RANK];
    memcpy(shape, t->dims, rank * sizeof *shape);
    shape[d] = p.count;
    if (t->affine) {
        tw__node *node = tw__node_affine(core, t, rank);
        if (!node) return TW__NIL_TENSOR;
        tw__node_set_shape(node, shape);
        memcpy(tw__strides(node), tw__strides(t), rank * sizeof(int64_t));
        int64_t *stride = &tw__strides(node)[d];
        uint64_t first = p.step < 0 && p.count ? p.count - 1 : p.first;
        if (tw__dims_product(shape, 0, rank)) node->offset += first * (uint64_t)*stride;
        *stride = p.count > 1 ? *stride * p.step : 0;
        return tw__node_publish(core, node);
    }
    const tw__regions *list = t->set ? NULL : t->t.regions;
    size_t pieces = list ? list->n : tw__box_set_boxes(t->set)->n; /* also where a list was made beside the set */
    if (p.step == 0 && pieces && p.count > MAX_PIECES / pieces) {
        char text[TW__TEXT_BYTES];
        tw__graph_fail(core, TW_E_TENSOR_CREATION, "%llu times the %zu pieces of %s: a tensor can have %d",
                       (unsigned long long)p.count, pieces, tw__node_text(core, t, text, sizeof text), MAX_PIECES);
        return TW__NIL_TENSOR;
    }
    if (!list) return picked_boxes(core, t, shape, d, p);
    uint64_t outer = tw__dims_product(shape, 0, d), inner = tw__dims_product(shape, d + 1, rank);
    if (p.step == 1 && p.first == 0 && p.count == t->dims[d]) return tw__reshaped(core, t, rank, shape);
    if (p.step == 1) {
        const size_t first[3] = { 0, p.first, 0 }, end[3] = { outer, p.first + p.count, inner };
        const rows all = { list, t->dims[d] * inner, p.first * inner, p.count * inner, t->dims[d], inner };
        tw__builder b = { 0 };
        if (all.length && !slice_rows(&b, list, 3, (size_t[3]){ outer, t->dims[d], inner }, first, end))
            slice_regions(&b, &all);
        return tw__tensor_from_list(core, t->t.type, rank, shape, tw__builder_finish(&b));
    }
    size_t flat[3] = { outer, t->dims[d], inner };
    tw__boxes boxes = { .rank = 3 };
    if (outer * inner * p.count > 0) tw__boxes_from_list(&boxes, list, flat);
    for (size_t i = 0; i < boxes.n; i++) pick_axis(tw__boxes_at(&boxes, i), 1, p);
    flat[1] = p.count;
    tw__regions *result = tw__boxes_to_list(&boxes, flat);
    tw__boxes_drop(&boxes);
    return tw__tensor_from_list(core, t->t.type, rank, shape, result);
}

static bool views_check_range(tw__core *core, const tw__node *t, unsigned dim, size_t begin, size_t end)
{
    char text[TW__TEXT_BYTES];
    if (begin <= end && end <= t->dims[dim]) return true;
    return tw__graph_fail(core, TW_E_INDEX, "slice [%zu, %zu) is out of range: dimension %u of %s has %zu elements",
                          begin, end, dim, tw__node_text(core, t, text, sizeof text), t->dims[dim]);
}

/* --- slices --------------------------------------------------------------------------------------------------- */

tw_tensor tw_tensor_slice(tw_graph *graph, tw_tensor tensor, unsigned dim, size_t begin, size_t end)
{
    TW__GET(graph, core, t, tensor, "the tensor to slice");
    if (!tw__check_dim(core, t, dim) || !views_check_range(core, t, dim, begin, end)) return TW__NIL_TENSOR;
    return picked(core, t, dim, (pick){ begin, end - begin, 1 });
}

/* slice_nd and element: by rows, or dimension after dimension, the outermost first, which cuts off most of a list. */
static tw_tensor sliced_nd(tw__core *core, const tw__node *t, tw_tensor tensor, const size_t *begin,
                           const size_t *end)
{
    tw_tensor now = tensor;
    size_t shape[TW__MAX_RANK];
    if (t->t.rank == 0) return tw__reshaped(core, t, 0, NULL);
    for (unsigned d = 0; d < t->t.rank; d++) shape[d] = end[d] - begin[d];
    if (t->set) {
        tw__boxes boxes = { .rank = t->t.rank };
        if (tw__dims_product(shape, 0, t->t.rank)) tw__box_set_slice(t->set, begin, end, &boxes);
        return tw__tensor_from_boxes(core, t->t.type, t->t.rank, shape, &boxes);
    }
    if (!t->affine) {
        tw__builder b = { 0 };
        if (slice_rows(&b, t->t.regions, t->t.rank, t->dims, begin, end))
            return tw__tensor_from_list(core, t->t.type, t->t.rank, shape, tw__builder_finish(&b));
    }
    for (unsigned d = 0; d < t->t.rank; d++) {
        const tw__node *from = tw__node_find(core, now);
        tw_tensor next = picked(core, from, d, (pick){ begin[d], end[d] - begin[d], 1 });
        if (now.id != tensor.id) tw__tensor_drop(core, now);
        if (!next.id) return next;
        now = next;
    }
    return now;
}

tw_tensor tw_tensor_slice_nd(tw_graph *graph, tw_tensor tensor, const size_t *begin, const size_t *end)
{
    TW__GET(graph, core, t, tensor, "the tensor to slice");
    for (unsigned d = 0; d < t->t.rank; d++)
        if (!views_check_range(core, t, d, begin[d], end[d])) return TW__NIL_TENSOR;
    return sliced_nd(core, t, tensor, begin, end);
}

tw_tensor tw_tensor_index(tw_graph *graph, tw_tensor tensor, size_t index)
{
    TW__GET(graph, core, t, tensor, "the tensor to index");
    char text[TW__TEXT_BYTES];
    if (!tw__check_dim(core, t, 0)) return TW__NIL_TENSOR;
    if (index >= t->dims[0]) {
        tw__graph_fail(core, TW_E_INDEX, "index %zu is out of range: dimension 0 of %s has %zu elements", index,
                       tw__node_text(core, t, text, sizeof text), t->dims[0]);
        return TW__NIL_TENSOR;
    }
    tw_tensor row = picked(core, t, 0, (pick){ index, 1, 1 });
    const tw__node *r = tw__node_find(core, row);
    if (!r) return row;
    tw_tensor result = tw__reshaped(core, r, r->t.rank - 1, r->dims + 1);
    tw__tensor_drop(core, row);
    return result;
}

tw_tensor tw_tensor_element(tw_graph *graph, tw_tensor tensor, const size_t *indices)
{
    TW__GET(graph, core, t, tensor, "the tensor to index");
    size_t end[TW__MAX_RANK];
    char text[TW__TEXT_BYTES];
    for (unsigned d = 0; d < t->t.rank; d++) {
        if (indices[d] >= t->dims[d]) {
            tw__graph_fail(core, TW_E_INDEX, "index %zu is out of range: dimension %u of %s has %zu elements",
                           indices[d], d, tw__node_text(core, t, text, sizeof text), t->dims[d]);
            return TW__NIL_TENSOR;
        }
        end[d] = indices[d] + 1;
    }
    tw_tensor one = sliced_nd(core, t, tensor, indices, end);
    const tw__node *r = tw__node_find(core, one);
    if (!r) return one;
    tw_tensor result = tw__reshaped(core, r, 0, NULL);
    tw__tensor_drop(core, one);
    return result;
}

tw_tensor tw_tensor_pick(tw_graph *graph, tw_tensor tensor, size_t count, const tw_interval *intervals)
{
    TW__GET(graph, core, t, tensor, "the tensor to pick from");
    char text[TW__TEXT_BYTES];
    uint64_t size = tw__node_count(t);
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        if (intervals[i].begin > intervals[i].end || intervals[i].end > size) {
            tw__graph_fail(core, TW_E_INDEX, "interval %zu, [%llu, %llu), is out of range: %s has %llu elements", i,
                           (unsigned long long)intervals[i].begin, (unsigned long long)intervals[i].end,
                           tw__node_text(core, t, text, sizeof text), (unsigned long long)size);
            return TW__NIL_TENSOR;
        }
        total += intervals[i].end - intervals[i].begin;
    }
    tw__regions *list = tw__node_regions(core, t);
    if (!list || !tw__shape_count(core, 1, &total, &size)) return TW__NIL_TENSOR;
    tw__builder b = { 0 };
    for (size_t i = 0; i < count; i++) tw__builder_range(&b, list, intervals[i].begin, intervals[i].end);
    return tw__tensor_from_list(core, t->t.type, 1, &total, tw__builder_finish(&b));
}

/* --- concat --------------------------------------------------------------------------------------------------- */

static bool check_concat(tw__core *core, const tw__node *first, const tw__node *t, size_t index, unsigned dim)
{
    char a[TW__TEXT_BYTES], b[TW__TEXT_BYTES], sa[TW__TEXT_BYTES], sb[TW__TEXT_BYTES];
    if (t->t.type != first->t.type)
        return tw__graph_fail(
            core, TW_E_TYPE, "concat of different element types: tensor 0 (%s) is %s, tensor %zu (%s) is %s",
            tw__node_text(core, first, a, sizeof a), tw_type_name(first->t.type, TW_SYSTEM_POPLAR), index,
            tw__node_text(core, t, b, sizeof b), tw_type_name(t->t.type, TW_SYSTEM_POPLAR));
    bool fits = t->t.rank == first->t.rank;
    for (unsigned k = 0; fits && k < t->t.rank; k++) fits = k == dim || t->dims[k] == first->dims[k];
    return fits ||
           tw__graph_fail(core, TW_E_INVALID_ARGUMENT,
                          "concat along dimension %u: tensor 0 (%s) has shape %s, tensor %zu (%s) has shape "
                          "%s; all other dimensions must be equal",
                          dim, tw__node_text(core, first, a, sizeof a),
                          tw__shape_text(first->t.rank, first->dims, sa, sizeof sa), index,
                          tw__node_text(core, t, b, sizeof b), tw__shape_text(t->t.rank, t->dims, sb, sizeof sb));
}

/* Does box b continue a along dimension d? Then a gets it. */
static bool join_boxes(tw__box *a, const tw__box *b, unsigned rank, unsigned d)
{
    if (a->var != b->var) return false;
    for (unsigned k = 0; k < rank; k++) {
        const tw__axis *x = &a->axis[k], *y = &b->axis[k];
        if (k != d && (x->begin != y->begin || x->size != y->size)) return false;
        if ((k == d ? x->size > 1 && y->size > 1 : x->size > 1) && x->stride != y->stride) return false;
    }
    tw__axis *x = &a->axis[d];
    const tw__axis *y = &b->axis[d];
    int64_t stride = (int64_t)(b->offset - a->offset) / (int64_t)x->size;
    if (x->begin + x->size != y->begin || stride * (int64_t)x->size != (int64_t)(b->offset - a->offset) ||
        (x->size > 1 && stride != x->stride) || (y->size > 1 && stride != y->stride))
        return false;
    x->size += y->size;
    x->stride = stride;
    return true;
}

/* Tensors one after the other along `dim`; affine ones that continue each other are one box. */
static tw_tensor joined_boxes(tw__core *core, size_t count, const tw_tensor *tensors, unsigned dim,
                              const size_t *shape)
{
    const tw__node *first = tw__node_find(core, tensors[0]);
    unsigned rank = first->t.rank;
    tw__boxes boxes = { .rank = rank };
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const tw__node *t = tw__node_find(core, tensors[i]);
        size_t from = boxes.n;
        if (t->dims[dim]) tw__boxes_of_node(t, &boxes);
        for (size_t k = from; k < boxes.n; k++) tw__boxes_at(&boxes, k)->axis[dim].begin += at;
        if (from && boxes.n == from + 1 &&
            join_boxes(tw__boxes_at(&boxes, from - 1), tw__boxes_at(&boxes, from), rank, dim))
            boxes.n--;
        at += t->dims[dim];
    }
    return tw__tensor_from_boxes(core, first->t.type, rank, shape, &boxes);
}

static tw_tensor concatenated(tw__core *core, size_t count, const tw_tensor *tensors, unsigned dim)
{
    const tw__node *first = tw__node_get(core, tensors[0], "tensor 0");
    if (!first || !tw__check_dim(core, first, dim)) return TW__NIL_TENSOR;
    size_t shape[TW__MAX_RANK];
    unsigned rank = first->t.rank;
    memcpy(shape, first->dims, rank * sizeof *shape);
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        const tw__node *t = tw__node_find(core, tensors[i]);
        if (!t) {
            char what[32];
            snprintf(what, sizeof what, "tensor %zu", i);
            t = tw__node_get(core, tensors[i], what); /* says why */
        }
        if (!t || !check_concat(core, first, t, i, dim)) return TW__NIL_TENSOR;
        total += t->dims[dim];
    }
    shape[dim] = total;
    uint64_t elements, outer = tw__dims_product(shape, 0, dim);
    if (!tw__shape_count(core, rank, shape, &elements)) return TW__NIL_TENSOR;
    bool boxes = outer > 1, lists = false;
    for (size_t i = 0; i < count; i++) {
        const tw__node *t = tw__node_find(core, tensors[i]);
        boxes |= t->set != NULL;
        lists |= !t->set && !t->affine && tw__node_count(t); /* which may be very many boxes */
    }
    boxes |= !lists && rank > 1;
    if (count == 1) return tw__reshaped(core, first, rank, shape);
    if (boxes && elements) return joined_boxes(core, count, tensors, dim, shape);
    tw__builder b = { 0 };
    for (size_t i = 0; i < count; i++) tw__builder_node(&b, tw__node_find(core, tensors[i]));
    tw__regions *list = tw__builder_finish(&b);
    return tw__tensor_from_list(core, first->t.type, rank, shape, list);
}

tw_tensor tw_tensor_concat(tw_graph *graph, unsigned count, const tw_tensor *tensors, unsigned dim)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    if (!count || !tensors) {
        tw__graph_fail(graph->core, TW_E_INVALID_ARGUMENT, "concat of no tensors");
        return TW__NIL_TENSOR;
    }
    return concatenated(graph->core, count, tensors, dim);
}

tw_tensor tw_tensor_append(tw_graph *graph, tw_tensor tensor, tw_tensor element, unsigned dim)
{
    TW__GET(graph, core, t, tensor, "the tensor to append to");
    const tw__node *e = tw__node_get(core, element, "the element to append");
    if (!e || !tw__check_dim(core, t, dim)) return TW__NIL_TENSOR;
    /* The element has one dimension less; it becomes one index of `dim`. */
    size_t shape[TW__MAX_RANK];
    char a[TW__TEXT_BYTES], b[TW__TEXT_BYTES];
    bool fits = e->t.rank + 1 == t->t.rank;
    for (unsigned k = 0; fits && k < t->t.rank; k++) {
        shape[k] = k == dim ? 1 : t->dims[k];
        if (k != dim) fits = e->dims[k < dim ? k : k - 1] == t->dims[k];
    }
    if (!fits) {
        tw__graph_fail(
            core, TW_E_INVALID_ARGUMENT,
            "append to %s along dimension %u: the element has shape %s; it must have the other dimensions",
            tw__node_text(core, t, a, sizeof a), dim, tw__shape_text(e->t.rank, e->dims, b, sizeof b));
        return TW__NIL_TENSOR;
    }
    tw_tensor parts[2] = { tensor, tw__reshaped(core, e, t->t.rank, shape) };
    if (!parts[1].id) return TW__NIL_TENSOR;
    tw_tensor result = concatenated(core, 2, parts, dim);
    tw__tensor_drop(core, parts[1]);
    return result;
}

/* --- repetition and choice ------------------------------------------------------------------------------------ */

/* Each block of dims >= `at` as a unit, `times` times in a row: a dimension of one element at `at` is stretched, then
 * merged with its neighbour before (upsample) or after it (broadcast). */
static tw_tensor repeated(tw__core *core, const tw__node *t, unsigned dim, size_t times, bool inside)
{
    unsigned at = inside ? dim + 1 : dim, rank = t->t.rank;
    size_t shape[3];
    uint64_t total;
    size_t merged[TW__MAX_RANK];
    memcpy(merged, t->dims, rank * sizeof *merged);
    if (!tw__mul_size(merged[dim], times, &merged[dim])) merged[dim] = SIZE_MAX;
    if (!tw__shape_count(core, rank, merged, &total)) return TW__NIL_TENSOR;
    if (t->dims[dim] == 1) return picked(core, t, dim, (pick){ 0, times, 0 });
    /* Three dims are enough: before, the unit, after. */
    shape[0] = tw__dims_product(t->dims, 0, at);
    shape[1] = 1;
    shape[2] = tw__dims_product(t->dims, at, rank);
    tw_tensor unit = tw__reshaped(core, t, 3, shape);
    const tw__node *u = tw__node_find(core, unit);
    if (!u) return TW__NIL_TENSOR;
    tw_tensor wide = picked(core, u, 1, (pick){ 0, times, 0 });
    tw__tensor_drop(core, unit);
    const tw__node *w = tw__node_find(core, wide);
    if (!w) return TW__NIL_TENSOR;
    tw_tensor result = tw__reshaped(core, w, rank, merged);
    tw__tensor_drop(core, wide);
    return result;
}

tw_tensor tw_tensor_broadcast(tw_graph *graph, tw_tensor tensor, unsigned times, unsigned dim)
{
    TW__GET(graph, core, t, tensor, "the tensor to broadcast");
    return tw__check_dim(core, t, dim) ? repeated(core, t, dim, times, false) : TW__NIL_TENSOR;
}

tw_tensor tw_tensor_upsample(tw_graph *graph, tw_tensor tensor, unsigned scale, unsigned dim)
{
    TW__GET(graph, core, t, tensor, "the tensor to upsample");
    return tw__check_dim(core, t, dim) ? repeated(core, t, dim, scale, true) : TW__NIL_TENSOR;
}

tw_tensor tw_tensor_sub_sample(tw_graph *graph, tw_tensor tensor, unsigned stride, unsigned dim)
{
    TW__GET(graph, core, t, tensor, "the tensor to subsample");
    if (!tw__check_dim(core, t, dim)) return TW__NIL_TENSOR;
    if (stride == 0) {
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "subsample with stride 0: it must be at least 1");
        return TW__NIL_TENSOR;
    }
    return picked(core, t, dim, (pick){ 0, (t->dims[dim] + stride - 1) / stride, stride });
}

tw_tensor tw_tensor_reverse(tw_graph *graph, tw_tensor tensor, unsigned dim)
{
    TW__GET(graph, core, t, tensor, "the tensor to reverse");
    return tw__check_dim(core, t, dim) ? picked(core, t, dim, (pick){ 0, t->dims[dim], -1 }) : TW__NIL_TENSOR;
}

tw_tensor tw_tensor_reinterpret(tw_graph *graph, tw_tensor tensor, tw_type type)
{
    TW__GET(graph, core, t, tensor, "the tensor to reinterpret");
    char text[TW__TEXT_BYTES];
    if (!tw__type_check(core, type)) return TW__NIL_TENSOR;
    size_t from = tw_target_type_size(graph->target, t->t.type), to = tw_target_type_size(graph->target, type);
    if (from != to) {
        tw__graph_fail(core, TW_E_TYPE,
                       "reinterpret of %s from %s (%zu bytes) to %s (%zu bytes): sizes must be equal",
                       tw__node_text(core, t, text, sizeof text), tw_type_name(t->t.type, TW_SYSTEM_POPLAR), from,
                       tw_type_name(type, TW_SYSTEM_POPLAR), to);
        return TW__NIL_TENSOR;
    }
    tw_tensor same = tw__reshaped(core, t, t->t.rank, t->dims);
    const tw__node *node = tw__node_find(core, same);
    if (node) ((tw__node *)(uintptr_t)node)->t.type = type; /* nobody else has it yet */
    return same;
}
