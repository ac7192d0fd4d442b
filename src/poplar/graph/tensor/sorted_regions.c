/* SPDX-License-Identifier: MIT */
/* Elements of a view in the order of their storage: what a layer needs that hands views to vertices. */
#include "poplar/graph/build.h"

#include <stdlib.h>
#include <string.h>

/* Elements [begin, begin + count) of a flattened tensor, which lie one after the other in a variable. */
typedef struct piece {
    uint64_t offset, count, begin;
    uint64_t first; /* begin of the first piece with the same elements */
    uint32_t var;
    uint32_t copy; /* how many pieces before it have the same elements */
} piece;

typedef struct pieces {
    piece *piece;
    size_t n, room;
} pieces;

static bool add_piece(pieces *p, uint32_t var, uint64_t offset, uint64_t count, uint64_t begin)
{
    piece *last = p->n ? &p->piece[p->n - 1] : NULL;
    if (last && last->var == var && last->offset + last->count == offset && last->begin + last->count == begin) {
        last->count += count;
        return true;
    }
    if (!tw__grow(&p->piece, &p->room, p->n, sizeof *p->piece)) return false;
    p->piece[p->n++] = (piece){ offset, count, begin, begin, var, 0 };
    return true;
}

static bool sorted_regions_collect(pieces *p, const tw__regions *list, tw_interval part)
{
    tw__region_walk walk = tw__region_walk_begin(list, part.begin, part.end);
    uint64_t at = part.begin;
    for (tw__elems e; tw__region_walk_next(&walk, &e); at += e.count) {
        if (e.stride == 1) {
            if (!add_piece(p, e.var, e.offset, e.count, at)) return false;
            continue;
        }
        for (uint64_t i = 0; i < e.count; i++)
            if (!add_piece(p, e.var, e.offset + i * (uint64_t)e.stride, 1, at + i)) return false;
    }
    return true;
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int sorted_regions_by_place(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    if (x->var != y->var) return compare(x->var, y->var);
    if (x->offset != y->offset) return compare(x->offset, y->offset);
    return compare(x->begin, y->begin);
}

static int by_copy(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    return x->copy != y->copy ? compare(x->copy, y->copy) : sorted_regions_by_place(a, b);
}

/* Most lists are in order already, or in few rising stretches. */
static void sort_pieces(pieces *p, int (*order)(const void *, const void *))
{
    size_t i = 1;
    while (i < p->n && order(&p->piece[i - 1], &p->piece[i]) <= 0) i++;
    if (i < p->n) qsort(p->piece, p->n, sizeof *p->piece, order);
}

static bool shares(const pieces *p)
{
    for (size_t i = 1; i < p->n; i++) {
        const piece *a = &p->piece[i - 1], *b = &p->piece[i];
        if (a->var == b->var && b->offset < a->offset + a->count) return true;
    }
    return false;
}

/* --- elements that occur several times ------------------------------------------------------------------------ */

typedef struct place {
    uint32_t var;
    uint64_t at;
} place;

static int by_address(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->var != y->var ? compare(x->var, y->var) : compare(x->at, y->at);
}

/* Where pieces begin or end, each place once. */
static place *borders(const pieces *p, size_t *count)
{
    place *all = tw__realloc(NULL, 2 * p->n * sizeof *all);
    if (!all) return NULL;
    for (size_t i = 0; i < p->n; i++) {
        all[2 * i] = (place){ p->piece[i].var, p->piece[i].offset };
        all[2 * i + 1] = (place){ p->piece[i].var, p->piece[i].offset + p->piece[i].count };
    }
    qsort(all, 2 * p->n, sizeof *all, by_address);
    size_t n = 0;
    for (size_t i = 0; i < 2 * p->n; i++)
        if (!n || by_address(&all[n - 1], &all[i]) != 0) all[n++] = all[i];
    *count = n;
    return all;
}

static size_t border_after(const place *all, size_t count, uint32_t var, uint64_t offset)
{
    size_t low = 0, high = count;
    place here = { var, offset };
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_address(&all[middle], &here) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Cuts pieces until two of them have all their elements in common or none, and numbers the copies. */
static bool sorted_regions_cut(pieces *p)
{
    size_t count;
    place *all = borders(p, &count);
    pieces parts = { 0 };
    bool done = all;
    for (size_t i = 0; done && i < p->n; i++) {
        piece now = p->piece[i];
        for (size_t b = border_after(all, count, now.var, now.offset); done && now.count; b++) {
            uint64_t n = all[b].at - now.offset;
            done = tw__grow(&parts.piece, &parts.room, parts.n, sizeof *parts.piece);
            if (done) parts.piece[parts.n++] = (piece){ now.offset, n, now.begin, now.begin, now.var, 0 };
            now.offset += n, now.begin += n, now.count -= n;
        }
    }
    free(all);
    if (!done) {
        free(parts.piece);
        return false;
    }
    free(p->piece);
    *p = parts;
    sort_pieces(p, sorted_regions_by_place);
    for (size_t i = 1; i < p->n; i++) {
        const piece *a = &p->piece[i - 1];
        piece *b = &p->piece[i];
        if (a->var != b->var || a->offset != b->offset) continue;
        b->copy = a->copy + 1;
        b->first = a->first;
    }
    return true;
}

static void keep_first_copies(pieces *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->piece[i].copy == 0) p->piece[n++] = p->piece[i];
    p->n = n;
}

/* --- runs ----------------------------------------------------------------------------------------------------- */

static bool follows(const piece *a, const piece *b)
{
    return a->copy == b->copy && a->var == b->var && a->offset + a->count == b->offset;
}

/* A run of pieces: where it begins in their list and how many there are. */
typedef struct run {
    const piece *piece;
    size_t n;
} run;

static int by_first(const void *a, const void *b)
{
    return sorted_regions_by_place(((const run *)a)->piece, ((const run *)b)->piece);
}

/* The arrays lie behind the struct. */
static tw_sorted_regions *room_for(size_t runs, size_t intervals)
{
    size_t bytes = sizeof(tw_sorted_regions) + (runs + 1) * sizeof(size_t) +
                   intervals * (sizeof(tw_interval) + sizeof(uint64_t));
    char *memory = tw__realloc(NULL, bytes);
    tw_sorted_regions *r = (tw_sorted_regions *)(void *)memory;
    if (!r) return NULL;
    memory += sizeof *r;
    r->intervals = (tw_interval *)(void *)memory;
    memory += intervals * sizeof(tw_interval);
    r->representatives = (uint64_t *)(void *)memory;
    memory += intervals * sizeof(uint64_t);
    r->first = (size_t *)(void *)memory;
    r->run_count = runs;
    r->interval_count = 0;
    return r;
}

/* Shared pieces stay apart, so that each has a representative of its own. */
static void write_run(tw_sorted_regions *to, const run *from, bool apart)
{
    for (size_t i = 0; i < from->n; i++) {
        const piece *p = &from->piece[i];
        tw_interval *last = i && !apart ? &to->intervals[to->interval_count - 1] : NULL;
        if (last && last->end == p->begin) {
            last->end += p->count;
            continue;
        }
        to->representatives[to->interval_count] = p->first;
        to->intervals[to->interval_count++] = (tw_interval){ p->begin, p->begin + p->count };
    }
}

static tw_sorted_regions *sorted(pieces *p, bool apart)
{
    size_t n = 0;
    sort_pieces(p, by_copy);
    for (size_t i = 0; i < p->n; i++) n += i == 0 || !follows(&p->piece[i - 1], &p->piece[i]);
    run *runs = tw__realloc(NULL, (n + 1) * sizeof *runs);
    tw_sorted_regions *result = runs ? room_for(n, p->n) : NULL;
    if (result) {
        n = 0;
        for (size_t i = 0; i < p->n; i++) {
            if (i == 0 || !follows(&p->piece[i - 1], &p->piece[i])) runs[n++] = (run){ &p->piece[i], 0 };
            runs[n - 1].n++;
        }
        if (n && p->piece[p->n - 1].copy) qsort(runs, n, sizeof *runs, by_first);
        for (size_t i = 0; i < n; i++) {
            result->first[i] = result->interval_count;
            write_run(result, &runs[i], apart);
        }
        result->first[n] = result->interval_count;
    }
    free(runs);
    return result;
}

/* Pieces of `parts`; NULL parts stands for all elements. */
static bool gather(tw__core *core, const tw__regions *list, size_t count, const tw_interval *parts, pieces *p)
{
    tw_interval all = { 0, list->count };
    if (!parts) parts = &all, count = 1;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].begin > parts[i].end || parts[i].end > list->count)
            return tw__graph_fail(core, TW_E_INDEX, "interval [%llu, %llu) of a tensor of %llu elements",
                                  (unsigned long long)parts[i].begin, (unsigned long long)parts[i].end,
                                  (unsigned long long)list->count);
        if (!sorted_regions_collect(p, list, parts[i])) return tw__graph_no_memory(core);
    }
    return true;
}

tw_sorted_regions *tw_tensor_sorted_contiguous_regions(const tw_graph *graph, tw_tensor tensor, size_t count,
                                                       const tw_interval *parts, unsigned flags)
{
    TW__ENTER_GETTER(graph, NULL);
    tw__core *core = graph->core;
    const tw__node *t = tw__node_get(core, tensor, "the argument");
    const tw__regions *list = t ? tw__node_regions(core, t) : NULL;
    pieces p = { 0 };
    tw_sorted_regions *result = NULL;
    bool shared = false;
    if (!list || !gather(core, list, count, parts, &p)) goto done;
    sort_pieces(&p, sorted_regions_by_place);
    shared = shares(&p);
    if (shared && !sorted_regions_cut(&p)) goto no_memory;
    if (shared && (flags & TW_REGIONS_ONCE)) keep_first_copies(&p);
    result = sorted(&p, shared && (flags & TW_REGIONS_REPRESENTATIVES));
    if (result) goto done;
no_memory:
    tw__graph_no_memory(core);
done:
    free(p.piece);
    return result;
}

void tw_sorted_regions_free(tw_sorted_regions *regions)
{
    free(regions);
}

/* --- views that follow ---------------------------------------------------------------------------------------- */

static tw_tensor of_interval(tw_graph *graph, tw_tensor tensor, const tw_sorted_regions *order)
{
    const tw__node *t = tw__node_get(graph->core, tensor, "the tensor to reorder");
    if (!t) return TW__NIL_TENSOR;
    uint64_t n = tw__node_count(t);
    bool same = order->interval_count <= 1; /* all elements, as they are */
    if (same) return tw__reshaped(graph->core, t, 1, (size_t[]){ n });
    return tw_tensor_pick(graph, tensor, order->interval_count, order->intervals);
}

/* Tensors of one shape, the first of boxes or affine: false when it has to be done otherwise. */
static bool simplify_boxes(tw__core *core, tw_tensor *tensor, size_t count, tw_tensor *others, bool *done)
{
    const tw__node *t = tw__node_find(core, *tensor), **other = tw__realloc(NULL, (count + 1) * sizeof *other);
    tw__regions **lists = tw__realloc(NULL, (count + 1) * sizeof *lists);
    tw_tensor *made = tw__realloc(NULL, (count + 1) * sizeof *made);
    size_t n = tw__node_count(t);
    bool alike = other && lists && made;
    for (size_t i = 0; i < count && alike; i++) {
        other[i] = tw__node_find(core, others[i]);
        alike = other[i]->t.rank == t->t.rank;
        for (unsigned k = 0; k < t->t.rank && alike; k++) alike = other[i]->dims[k] == t->dims[k];
    }
    bool found = alike && tw__storage_order(t, count, other, lists);
    *done = found;
    for (size_t i = 0; i <= count && found; i++) {
        made[i] = tw__tensor_from_list(core, (i < count ? other[i] : t)->t.type, 1, &n, lists[i]);
        *done &= made[i].id != 0;
    }
    if (*done) {
        if (count) memcpy(others, made, count * sizeof *made);
        *tensor = made[count];
    }
    for (size_t i = 0; i <= count && found && !*done; i++) tw__tensor_drop(core, made[i]);
    free(other), free(lists), free(made);
    return found;
}

bool tw_tensor_reorder_to_simplify(tw_graph *graph, tw_tensor *tensor, size_t count, tw_tensor *others)
{
    TW__ENTER(graph, false);
    tw__core *core = graph->core;
    const tw__node *t = tw__node_get(core, *tensor, "the tensor to simplify");
    if (!t) return false;
    for (size_t i = 0; i < count; i++) {
        const tw__node *o = tw__node_get(core, others[i], "a tensor to reorder with it");
        if (!o) return false;
        if (tw__node_count(o) != tw__node_count(t))
            return tw__graph_fail(core, TW_E_INVALID_ARGUMENT,
                                  "tensors of %llu and %llu elements cannot be reordered alike",
                                  (unsigned long long)tw__node_count(t), (unsigned long long)tw__node_count(o));
    }
    bool done = false;
    if (!tw__node_plain(t) && simplify_boxes(core, tensor, count, others, &done)) return done;
    tw_sorted_regions *order = tw_tensor_sorted_contiguous_regions(graph, *tensor, 0, NULL, 0);
    tw_tensor *made = order ? tw__realloc(NULL, (count + 1) * sizeof *made) : NULL;
    size_t n = 0;
    if (order && !made) tw__graph_no_memory(core);
    for (; made && n <= count; n++) {
        tw__call_site_again();
        made[n] = of_interval(graph, n < count ? others[n] : *tensor, order);
        if (!made[n].id) break;
    }
    done = made && n > count;
    if (done) {
        if (count) memcpy(others, made, count * sizeof *made);
        *tensor = made[count];
    } else {
        while (n) tw__tensor_drop(core, made[--n]);
    }
    free(made);
    tw_sorted_regions_free(order);
    return done;
}

/* Does dimension d, of n, repeat its first `part` elements? Each element is then the one `part` before it. */
static bool repeats(tw_graph *graph, tw_tensor tensor, unsigned d, size_t part, size_t n)
{
    tw_tensor front = tw_tensor_slice(graph, tensor, d, 0, n - part),
              back = tw_tensor_slice(graph, tensor, d, part, n);
    bool same = front.id && back.id && tw_tensor_equal(graph, front, back);
    tw__tensor_drop(graph->core, front);
    tw__tensor_drop(graph->core, back);
    return same;
}

tw_tensor tw_tensor_find_unbroadcast(tw_graph *graph, tw_tensor tensor)
{
    TW__GET(graph, core, t, tensor, "the argument");
    unsigned rank = t->t.rank;
    tw_tensor found = tw__reshaped(core, t, rank, t->dims);
    for (unsigned d = 0; d < rank && found.id; d++) {
        size_t n = tw__node_find(core, found)->dims[d];
        for (size_t part = 1; part < n && core->error->error.status == TW_OK; part++) {
            tw__call_site_again();
            if (n % part || !repeats(graph, found, d, part, n)) continue;
            tw_tensor smaller = tw_tensor_slice(graph, found, d, 0, part);
            tw__tensor_drop(core, found);
            found = smaller;
            break;
        }
    }
    if (core->error->error.status == TW_OK) return found;
    tw__tensor_drop(core, found);
    return TW__NIL_TENSOR;
}

tw_tensor tw_tensor_of_regions(tw_graph *graph, size_t count, const tw_variable_region *regions)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    tw__core *core = graph->core;
    tw__builder b = { 0 };
    tw_type type = TW_TYPE_NONE;
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const tw_variable_region *r = &regions[i];
        uint64_t n = r->elements.end - r->elements.begin;
        const tw__variable *v = r->variable < core->var_count ? &core->vars[r->variable] : NULL;
        const char *wrong = !v                                         ? "no such variable"
                            : r->elements.begin != at                  ? "elements do not follow one another"
                            : r->elements.end < at                     ? "begin and end are the wrong way round"
                            : n > v->count || r->offset > v->count - n ? "the variable is shorter"
                            : i && v->type != type                     ? "the variables have several types"
                                                                       : NULL;
        if (wrong) {
            tw__builder_drop(&b);
            tw__graph_fail(core, i && v && v->type != type ? TW_E_TYPE : TW_E_INDEX,
                           "region %zu (elements [%llu, %llu) of variable %u): %s", i,
                           (unsigned long long)r->offset, (unsigned long long)(r->offset + n), r->variable, wrong);
            return TW__NIL_TENSOR;
        }
        type = v->type;
        tw__builder_box(&b, r->variable, r->offset, &(tw__dim){ n, 1 }, 1);
        at += n;
    }
    if (!count) {
        tw__graph_fail(core, TW_E_TENSOR_CREATION, "a tensor of no regions has no type");
        return TW__NIL_TENSOR;
    }
    tw__regions *list = tw__builder_finish(&b);
    if (list) return tw__tensor_from_list(core, type, 1, (size_t[]){ at }, list);
    tw__graph_no_memory(core);
    return TW__NIL_TENSOR;
}
