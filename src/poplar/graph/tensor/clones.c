/* SPDX-License-Identifier: MIT */
/* Clones: a new variable with the shape and the tile mapping of a tensor; order and aliases by method. */
#include "poplar/graph/replicas.h"

#include <stdlib.h>
#include <string.h>

/* A run of elements of an old variable and where it starts in the clone. */
typedef struct run {
    uint32_t var, tile; /* tile: UINT32_MAX when unmapped, or when the order does not follow tiles */
    uint64_t begin, end, at;
} run;

static int clones_by_place(const void *a, const void *b)
{
    const run *x = a, *y = b;
    if (x->var != y->var) return x->var < y->var ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int by_tile(const void *a, const void *b)
{
    const run *x = a, *y = b;
    if (x->tile != y->tile) return x->tile < y->tile ? -1 : 1;
    return clones_by_place(a, b);
}

typedef struct runs {
    run *run;
    size_t n, room;
} runs;

static bool add_run(runs *r, run one)
{
    if (!tw__grow(&r->run, &r->room, r->n, sizeof *r->run)) return false;
    r->run[r->n++] = one;
    return true;
}

static bool add_dims(runs *r, uint32_t var, uint64_t offset, const tw__dim *dims, unsigned n)
{
    if (n == 0 || (n == 1 && dims[0].stride == 1))
        return add_run(
            r, (run){ .var = var, .tile = UINT32_MAX, .begin = offset, .end = offset + (n ? dims[0].count : 1) });
    for (uint64_t i = 0; i < dims[0].count; i++)
        if (!add_dims(r, var, offset + i * (uint64_t)dims[0].stride, dims + 1, n - 1)) return false;
    return true;
}

/* Distinct elements of a list as sorted, disjoint, maximal runs. */
static bool distinct(runs *r, const tw__regions *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        tw__dim dims[4];
        uint64_t offset = list->region[i].offset;
        bool repeats = false;
        memcpy(dims, list->region[i].dim, sizeof dims);
        unsigned n = tw__dims_sort(dims, list->region[i].count == 1 ? 0 : list->region[i].rank, &offset, &repeats);
        if (!add_dims(r, list->region[i].var, offset, dims, n)) return false;
    }
    if (r->n) qsort(r->run, r->n, sizeof *r->run, clones_by_place);
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        run *last = n ? &r->run[n - 1] : NULL;
        if (last && last->var == r->run[i].var && r->run[i].begin <= last->end) {
            if (r->run[i].end > last->end) last->end = r->run[i].end;
        } else {
            r->run[n++] = r->run[i];
        }
    }
    r->n = n;
    return true;
}

/* Cuts runs where the tile changes, for the order by tile. */
static bool cut_at_tiles(const tw__core *core, runs *r)
{
    runs out = { 0 };
    for (size_t i = 0; i < r->n; i++) {
        const tw__variable *v = &core->vars[r->run[i].var];
        uint64_t at = r->run[i].begin;
        for (size_t k = tw__mapped_find(v, at); at < r->run[i].end; k++) {
            run one = r->run[i];
            one.begin = at;
            const tw__mapped *m = k < v->mapped_count ? &v->mapped[k] : NULL;
            if (m && m->begin <= at) {
                one.tile = m->tile;
                one.end = m->end < one.end ? m->end : one.end;
            } else {
                if (m && m->begin < one.end) one.end = m->begin;
                k--;
            }
            if (!add_run(&out, one)) {
                free(out.run);
                return false;
            }
            at = one.end;
        }
    }
    free(r->run);
    *r = out;
    return true;
}

static const run *run_of(const runs *r, uint32_t var, uint64_t element)
{
    size_t low = 0, high = r->n;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        const run *m = &r->run[mid];
        if (m->var < var || (m->var == var && m->begin <= element))
            low = mid;
        else
            high = mid;
    }
    return &r->run[low];
}

/* The list of the clone: every element moves to its place in the new variable. */
static tw__regions *clones_moved(const tw__regions *list, const runs *r, uint32_t var)
{
    tw__builder b = { 0 };
    tw__region_walk walk = tw__region_walk_begin(list, 0, list->count);
    for (tw__elems e; tw__region_walk_next(&walk, &e) && !b.failed;)
        while (e.count) {
            const run *to = run_of(r, e.var, e.offset);
            uint64_t n = e.count, step = (uint64_t)(e.stride < 0 ? -e.stride : e.stride);
            if (step) {
                uint64_t inside = e.stride > 0 ? (to->end - 1 - e.offset) / step : (e.offset - to->begin) / step;
                if (inside + 1 < n) n = inside + 1;
            }
            tw__builder_box(&b, var, to->at + (e.offset - to->begin), &(tw__dim){ n, e.stride }, 1);
            e.offset += n * (uint64_t)e.stride;
            e.count -= n;
        }
    return tw__builder_finish(&b);
}

/* The boxes of the clone, when each box moves as a whole. */
static bool boxes_moved(const tw__node *t, const runs *r, uint32_t var, tw__boxes *out)
{
    tw__boxes_of_node(t, out);
    for (size_t i = 0; i < out->n; i++) {
        tw__box *box = tw__boxes_at(out, i);
        uint64_t low = box->offset, high = box->offset;
        for (unsigned k = 0; k < out->rank; k++) {
            const tw__axis *a = &box->axis[k];
            if (a->stride < 0)
                low -= (uint64_t)-a->stride * (a->size - 1);
            else
                high += (uint64_t)a->stride * (a->size - 1);
        }
        const run *to = run_of(r, box->var, low);
        if (high >= to->end) return false;
        box->var = var;
        box->offset = to->at + (box->offset - to->begin);
    }
    return !out->failed;
}

/* A clone that keeps the order of the elements in memory (or groups them by tile) and their aliases. */
static tw_tensor clone_order(tw_graph *graph, tw_type type, const tw__node *t, const char *name, bool gather)
{
    tw__core *core = graph->core;
    const tw__regions *list = tw__node_elements(core, t);
    runs r = { 0 };
    tw__boxes boxes = { .rank = t->t.rank };
    tw__regions *fresh = NULL;
    uint32_t var = 0;
    tw_tensor result = TW__NIL_TENSOR;
    bool added = false, done = list && distinct(&r, list);
    for (size_t i = 0; done && i < r.n; i++) done = tw__mapping_settle(&core->vars[r.run[i].var]);
    if (done && gather) {
        done = cut_at_tiles(core, &r);
        if (done && r.n) qsort(r.run, r.n, sizeof *r.run, by_tile);
    }
    uint64_t total = 0;
    for (size_t i = 0; done && i < r.n; i++) {
        r.run[i].at = total;
        total += r.run[i].end - r.run[i].begin;
    }
    if (done && gather && r.n) qsort(r.run, r.n, sizeof *r.run, clones_by_place);
    if (done) done = added = tw__variable_add(graph, type, 1, (size_t[]){ total }, name, false, &var);
    if (t->set && done && !boxes_moved(t, &r, var, &boxes)) tw__boxes_drop(&boxes);
    if (done && !boxes.n) done = (list = tw__node_regions(core, t)) && (fresh = clones_moved(list, &r, var));
    if (done) {
        size_t shape[TW__MAX_RANK];
        memcpy(shape, t->dims, t->t.rank * sizeof *shape);
        tw__variable *v = &core->vars[var];
        if (total == tw__node_count(t) && t->t.rank) { /* for messages, when the shapes agree */
            size_t *kept = TW__NEW_N(core->arena, size_t, t->t.rank);
            if (kept) {
                memcpy(kept, shape, t->t.rank * sizeof *kept);
                v->shape = kept;
                v->rank = t->t.rank;
            }
        }
        for (size_t i = 0; done && i < r.n; i++)
            done = tw__mapping_copy(v, r.run[i].at, &core->vars[r.run[i].var], r.run[i].begin, r.run[i].end);
        if (done) {
            result = fresh ? tw__tensor_from_list(core, type, t->t.rank, shape, fresh)
                           : tw__tensor_from_boxes(core, type, t->t.rank, shape, &boxes);
            fresh = NULL;
        }
    }
    if (!result.id) {
        tw__graph_no_memory(core);
        tw__regions_unref(fresh);
        if (added) tw__variable_drop_last(core);
    }
    tw__boxes_drop(&boxes);
    free(r.run);
    return result;
}

/* A new variable in row-major order of the tensor, mapped like it. */
static tw_tensor clone_new(tw_graph *graph, tw_type type, const tw__node *t, const char *name)
{
    tw__core *core = graph->core;
    const tw__regions *list = tw__node_regions(core, t);
    uint32_t var = 0;
    if (!list || !tw__variable_add(graph, type, t->t.rank, t->dims, name, false, &var)) return TW__NIL_TENSOR;
    bool done = true;
    for (uint32_t i = 0; i < list->n && done; i++) done = tw__mapping_settle(&core->vars[list->region[i].var]);
    tw__region_walk walk = tw__region_walk_begin(list, 0, list->count);
    for (tw__elems e; done && tw__region_walk_next(&walk, &e);) {
        uint64_t at = walk.pos - e.count;
        if (e.stride == 1)
            done = tw__mapping_copy(&core->vars[var], at, &core->vars[e.var], e.offset, e.offset + e.count);
        for (uint64_t i = 0; done && e.stride != 1 && i < e.count; i++) {
            uint64_t from = e.offset + i * (uint64_t)e.stride;
            done = tw__mapping_copy(&core->vars[var], at + i, &core->vars[e.var], from, from + 1);
        }
    }
    tw_tensor result = done ? tw__variable_tensor(core, var) : TW__NIL_TENSOR;
    if (!result.id) {
        tw__graph_no_memory(core);
        tw__variable_drop_last(core);
    }
    return result;
}

static tw_tensor clone_single(tw_graph *graph, tw_type type, tw_tensor tensor, tw_clone_method method,
                              const char *name)
{
    tw__core *core = graph->core;
    const tw__node *t = tw__node_get(core, tensor, "the tensor to clone");
    if (!t) return TW__NIL_TENSOR;
    if (type == TW_TYPE_NONE) type = t->t.type;
    uint32_t var = 0;
    uint64_t offset, count;
    bool plain = tw__node_run(t, &var, &offset, &count);
    switch (method) {
    case TW_CLONE_CREATE_NEW_ORDER: return clone_new(graph, type, t, name);
    case TW_CLONE_PRESERVE_ORDER_AND_ALIASES: break;
    case TW_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES: return clone_order(graph, type, t, name, true);
    case TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES: {
        const tw__regions *list = tw__node_elements(core, t);
        if (!list) return TW__NIL_TENSOR;
        if (!plain && tw__list_aliases(list) != TW__OVERLAP_NONE) return clone_new(graph, type, t, name);
    }
    }
    return plain ? clone_new(graph, type, t, name) : clone_order(graph, type, t, name, false);
}

/* --- several clones ------------------------------------------------------------------------------------------- */

/* Where element `at` of one clone's variable lies in copy `k` of n. `stretch` is the mapped interval that holds it,
 * or the gap between two; by outer dimension there is one stretch, the whole variable. */
static uint64_t copy_place(tw__mapped stretch, uint64_t at, size_t k, size_t n)
{
    return stretch.begin * n + (stretch.end - stretch.begin) * k + (at - stretch.begin);
}

/* The stretch that holds element `at`. */
static tw__mapped stretch_at(const tw__variable *v, uint64_t count, uint64_t at, bool by_tile)
{
    tw__mapped whole = { 0, count, TW_UNMAPPED };
    if (!by_tile) return whole;
    size_t i = tw__mapped_find(v, at);
    if (i < v->mapped_count && v->mapped[i].begin <= at) return v->mapped[i];
    if (i) whole.begin = v->mapped[i - 1].end;
    if (i < v->mapped_count) whole.end = v->mapped[i].begin;
    return whole;
}

/* The elements of `list`, all of variable `var`, as copies [0, n) have them. NULL: out of memory. */
static tw__regions *copies_of(const tw__variable *v, uint32_t var, const tw__regions *list, size_t n, bool by_tile)
{
    tw__builder b = { 0 };
    for (size_t k = 0; k < n; k++) {
        tw__region_walk walk = tw__region_walk_begin(list, 0, list->count);
        for (tw__elems e; tw__region_walk_next(&walk, &e) && !b.failed;)
            while (e.count) {
                tw__mapped s = stretch_at(v, v->count, e.offset, by_tile);
                uint64_t length = e.count, step = (uint64_t)(e.stride < 0 ? -e.stride : e.stride);
                if (step) {
                    uint64_t more = e.stride > 0 ? (s.end - 1 - e.offset) / step : (e.offset - s.begin) / step;
                    if (more + 1 < length) length = more + 1;
                }
                tw__builder_box(&b, var, copy_place(s, e.offset, k, n), &(tw__dim){ length, e.stride }, 1);
                e.offset += length * (uint64_t)e.stride;
                e.count -= length;
            }
    }
    return tw__builder_finish(&b);
}

/* The mapping of the variable for its n copies. */
static bool map_copies(tw__variable *v, const tw__variable *old, size_t n, bool by_tile)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < old->mapped_count; i++) {
            tw__mapped s = stretch_at(old, old->count, old->mapped[i].begin, by_tile);
            uint64_t at = copy_place(s, old->mapped[i].begin, k, n);
            if (!tw__mapping_copy(v, at, old, old->mapped[i].begin, old->mapped[i].end)) return false;
        }
    return tw__mapping_settle(v);
}

/* Makes the variable that was added last, which `one` views, n times as large; the tensor of the n copies. */
static tw_tensor multiplied(tw__core *core, tw_tensor one, size_t n, bool by_tile)
{
    uint32_t var = (uint32_t)core->var_count - 1;
    const tw__node *t = tw__node_find(core, one);
    const tw__regions *list = tw__node_regions(core, t);
    size_t shape[TW__MAX_RANK] = { n };
    tw__variable *v = &core->vars[var];
    if (!list || !tw__mapping_settle(v)) return TW__NIL_TENSOR;
    if (t->t.rank) memcpy(shape + 1, t->dims, t->t.rank * sizeof *shape);
    uint64_t total;
    tw__variable old = *v, fresh = *v;
    if (!tw__shape_count(core, 2, (size_t[]){ n, old.count }, &total)) return TW__NIL_TENSOR;
    bool as_tensor = tw__node_count(t) == old.count; /* no aliases: then it also has the tensor's shape */
    fresh.rank = as_tensor ? t->t.rank + 1 : 1;
    size_t *kept = TW__NEW_N(core->arena, size_t, fresh.rank);
    tw__regions *all = kept ? copies_of(&old, var, list, n, by_tile) : NULL;
    fresh.shape = kept;
    fresh.count = total;
    fresh.mapped = NULL, fresh.pending = NULL;
    fresh.mapped_count = fresh.mapped_room = fresh.pending_count = fresh.pending_room = fresh.pending_intervals = 0;
    if (!all || !map_copies(&fresh, &old, n, by_tile)) {
        tw__graph_no_memory(core);
        free(fresh.mapped);
        free(fresh.pending);
        tw__regions_unref(all);
        return TW__NIL_TENSOR;
    }
    memcpy(kept, as_tensor ? shape : (size_t[]){ total }, fresh.rank * sizeof *kept);
    free(old.mapped);
    free(old.pending);
    *v = fresh;
    return tw__tensor_from_list(core, t->t.type, t->t.rank + 1, shape, all);
}

/* --- of tensors that may be replicated ------------------------------------------------------------------------ */

/* What is asked for; n < 0: one clone, without a dimension for several. */
typedef struct request {
    tw_type type;
    tw_clone_method method;
    int64_t n;
    tw_clone_duplication duplication;
    const char *name;
} request;

static tw_tensor clone_part(tw_graph *graph, tw_tensor tensor, const request *r)
{
    tw_tensor one = clone_single(graph, r->type, tensor, r->method, r->name);
    if (!one.id || r->n < 0) return one;
    tw__core *core = graph->core;
    tw_tensor all = multiplied(core, one, (size_t)r->n, r->duplication == TW_CLONE_BY_TILE_CONTIGUOUS_REGION);
    tw__tensor_drop(core, one);
    if (!all.id) tw__variable_drop_last(core);
    return all;
}

/* A replicated graph clones on each of its parts. Its parent gives a tensor of replicas a clone of as many, too: it
 * stands beside the tensor wherever that goes (PopLibs clones outputs of replicated graphs for its gradients so). */
static tw_tensor clone_all(tw_graph *graph, tw_tensor tensor, const request *r)
{
    tw__core *core = graph->core;
    unsigned replicas = graph->replicas ? graph->replicas : tw__tensor_replicas(core, tensor);
    if (!replicas) return TW__NIL_TENSOR;
    if (!graph->replicas && replicas == 1) return clone_part(graph, tensor, r);
    tw_tensor first = TW__NIL_TENSOR;
    size_t vars = core->var_count;
    for (unsigned i = 0; i < replicas && tw__graph_usable(graph); i++) {
        tw__call_site_again();
        tw_tensor part =
            graph->replicas ? tw__replica_tensor(graph, tensor, i) : tw__tensor_of_replica(core, tensor, i);
        tw_tensor made = clone_part(graph->replicas ? graph->replica[i] : graph, part, r);
        tw__replica_drop(graph, tensor, part);
        if (i)
            tw__tensor_drop(core, made);
        else
            first = made;
    }
    return tw__replica_link(graph, vars, replicas) ? first : TW__NIL_TENSOR;
}

tw_tensor tw_graph_clone(tw_graph *graph, tw_type type, tw_tensor tensor, tw_clone_method method, const char *name)
{
    TW__GET(graph, core, t, tensor, "the tensor to clone");
    return clone_all(graph, tensor, &(request){ .type = type, .method = method, .n = -1, .name = name });
}

tw_tensor tw_graph_clone_n(tw_graph *graph, tw_type type, tw_tensor tensor, size_t n, tw_clone_method method,
                           tw_clone_duplication duplication, const char *name)
{
    TW__GET(graph, core, t, tensor, "the tensor to clone");
    if (!tw__check_rank(core, t->t.rank + 1)) return TW__NIL_TENSOR;
    return clone_all(graph, tensor, &(request){ type, method, (int64_t)n, duplication, name });
}
