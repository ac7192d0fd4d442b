/* Variables, constants, load-time values, clones. */
#include "graph/build.h"

#include <stdlib.h>
#include <string.h>

bool tw__type_check(const tw__core *core, tw_type type)
{
    const tw_type_info *info = tw_type_get(type);
    if (info->type == TW_TYPE_NONE || !info->names[TW_SYSTEM_POPLAR][0])
        return tw__graph_fail(core, TW_E_TYPE,
                              "element type %s is not one of the graph's types (see tilewright info types)",
                              info->names[TW_SYSTEM_TILEWRIGHT]);
    /* Spec poplar.md 1.1: double exists on the host only. */
    if (type == TW_DOUBLE && core->target->kind != TW_TARGET_CPU)
        return tw__graph_fail(core, TW_E_TYPE, "element type double is not supported by IPU targets; use float");
    return true;
}

bool tw__variable_add(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape, const char *name,
                      bool constant, uint32_t *var)
{
    tw__core *core = graph->core;
    uint64_t count;
    if (!tw__type_check(core, type) || !tw__shape_count(core, rank, shape, &count)) return false;
    size_t *kept = TW__NEW_N(core->arena, size_t, rank);
    const char *copy = name && *name ? tw__arena_strdup(core->arena, name) : "";
    if (!kept || !copy || core->var_count >= UINT32_MAX - 1 ||
        !tw__grow(&core->vars, &core->var_room, core->var_count, sizeof *core->vars))
        return tw__graph_no_memory(core);
    if (rank) memcpy(kept, shape, rank * sizeof *kept);
    *var = (uint32_t)core->var_count;
    core->vars[core->var_count++] = (tw__variable){
        .name = copy, .type = type, .is_constant = constant, .count = count, .rank = rank, .shape = kept
    };
    return true;
}

tw_tensor tw__variable_tensor(tw__core *core, uint32_t var)
{
    const tw__variable *v = &core->vars[var];
    tw__node *node = tw__node_make(core, v->type, v->rank, true);
    if (!node) return TW__NIL_TENSOR;
    node->var = var;
    memcpy(node->dims, v->shape, v->rank * sizeof *v->shape);
    tw__row_major(v->rank, v->shape, tw__strides(node));
    return tw__node_publish(core, node);
}

/* The tensor of the variable added last; the variable goes again when there is no memory for it. */
static tw_tensor finish(tw__core *core, uint32_t var)
{
    tw_tensor tensor = tw__variable_tensor(core, var);
    if (!tensor.id) {
        tw__regions_unref(core->vars[var].initial ? core->vars[var].initial->regions : NULL);
        core->var_count--;
    }
    return tensor;
}

tw_tensor tw_graph_add_variable(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape, const char *name)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    uint32_t var = 0;
    if (!tw__variable_add(graph, type, rank, shape, name, false, &var)) return TW__NIL_TENSOR;
    return finish(graph->core, var);
}

/* --- values --------------------------------------------------------------------------------------------------------- */

/* Values for the elements of `list` (reference taken over, also on failure), all in one variable. */
static bool add_initial(tw__core *core, uint32_t var, tw__regions *list, const void *values, uint64_t bytes,
                        bool broadcast, tw_type type)
{
    tw__initial *initial = list ? TW__NEW(core->arena, tw__initial) : NULL;
    void *copy = initial ? tw__arena_alloc(core->arena, bytes ? bytes : 1, 8) : NULL;
    if (!copy) {
        tw__regions_unref(list);
        return tw__graph_no_memory(core);
    }
    if (bytes) memcpy(copy, values, bytes);
    *initial = (tw__initial){ .regions = list, .values = copy, .broadcast = broadcast, .type = type };
    tw__initial **end = &core->vars[var].initial;
    while (*end) end = &(*end)->next;
    *end = initial;
    return true;
}

static tw__regions *whole(uint32_t var, uint64_t count)
{
    tw__builder b = { 0 };
    tw__builder_box(&b, var, 0, &(tw__dim){ count, 1 }, 1);
    return tw__builder_finish(&b);
}

static bool add_constant(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape, const void *values,
                         bool broadcast, const char *name, uint32_t *var)
{
    tw__core *core = graph->core;
    if (!tw__variable_add(graph, type, rank, shape, name, true, var)) return false;
    uint64_t count = core->vars[*var].count, bytes = (broadcast ? 1 : count) * tw_type_size(type);
    if (bytes && count && !values)
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "the values of constant %s are NULL", core->vars[*var].name);
    else if (add_initial(core, *var, whole(*var, count), values, count ? bytes : 0, broadcast, type))
        return true;
    core->var_count--;
    return false;
}

tw_tensor tw_graph_add_constant(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                const void *values, bool broadcast, const char *name)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    uint32_t var = 0;
    if (!add_constant(graph, type, rank, shape, values, broadcast, name, &var)) return TW__NIL_TENSOR;
    return finish(graph->core, var);
}

tw_tensor tw_graph_add_constant_double(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                       double value, const char *name)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    uint32_t var = 0;
    uint8_t bytes[16] = { 0 };
    if (!tw__type_check(graph->core, type)) return TW__NIL_TENSOR;
    tw_type_store(type, bytes, value);
    if (!add_constant(graph, type, rank, shape, bytes, true, name, &var)) return TW__NIL_TENSOR;
    return finish(graph->core, var);
}

bool tw__constant_add(tw_graph *graph, tw_type type, const void *value, uint32_t *var)
{
    if (!add_constant(graph, type, 0, NULL, value, true, NULL, var)) return false;
    graph->core->vars[*var].is_anonymous_const = true;
    return true;
}

/* The elements of one variable: its regions, and their values gathered in that order. */
static bool set_values_of(tw__core *core, const tw__regions *list, uint32_t var, const uint8_t *values,
                          bool broadcast, tw_type type)
{
    tw__builder b = { 0 };
    size_t size = tw_type_size(type);
    uint64_t count = 0;
    for (uint32_t i = 0; i < list->n; i++)
        if (list->region[i].var == var) {
            tw__builder_range(&b, list, list->first[i], list->first[i + 1]);
            count += list->region[i].count;
        }
    tw__regions *own = tw__builder_finish(&b);
    if (broadcast || count == list->count)
        return add_initial(core, var, own, values, broadcast ? size : count * size, broadcast, type);
    uint8_t *gathered = own ? tw__realloc(NULL, count * size) : NULL, *at = gathered;
    if (!gathered) {
        tw__regions_unref(own);
        return tw__graph_no_memory(core);
    }
    for (uint32_t i = 0; i < list->n; i++)
        if (list->region[i].var == var) {
            memcpy(at, values + list->first[i] * size, list->region[i].count * size);
            at += list->region[i].count * size;
        }
    bool done = add_initial(core, var, own, gathered, count * size, false, type);
    free(gathered);
    return done;
}

/* Takes the last value of a variable off again. */
static void undo_initial(tw__variable *v)
{
    tw__initial **end = &v->initial;
    while (*end && (*end)->next) end = &(*end)->next;
    if (!*end) return;
    tw__regions_unref((*end)->regions);
    *end = NULL;
}

void tw_graph_set_initial_value(tw_graph *graph, tw_tensor tensor, const void *values, bool broadcast)
{
    TW__ENTER(graph, );
    tw__core *core = graph->core;
    char text[TW__TEXT_BYTES];
    const tw__node *t = tw__node_get(core, tensor, "the tensor to initialise");
    const tw__regions *list = t ? tw__node_regions(core, t) : NULL;
    if (!list || !list->count) return;
    if (!values) {
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "the initial values of %s are NULL",
                       tw__node_text(core, t, text, sizeof text));
        return;
    }
    for (uint32_t i = 0; i < list->n; i++)
        if (core->vars[list->region[i].var].is_constant) {
            tw__graph_fail(core, TW_E_TENSOR_CREATION, "initial value of %s, which holds constants",
                           tw__node_text(core, t, text, sizeof text));
            return;
        }
    for (uint32_t i = 0; i < list->n; i++) {
        bool seen = false;
        for (uint32_t k = 0; k < i && !seen; k++) seen = list->region[k].var == list->region[i].var;
        if (seen || set_values_of(core, list, list->region[i].var, values, broadcast, t->t.type)) continue;
        for (uint32_t k = 0; k < i; k++) { /* no effect on failure */
            bool first = true;
            for (uint32_t j = 0; j < k && first; j++) first = list->region[j].var != list->region[k].var;
            if (first) undo_initial(&core->vars[list->region[k].var]);
        }
        return;
    }
}

/* --- clone ---------------------------------------------------------------------------------------------------------- */

/* A run of elements of an old variable and where it starts in the clone. */
typedef struct run {
    uint32_t var, tile; /* tile: UINT32_MAX when unmapped, or when the order does not follow tiles */
    uint64_t begin, end, at;
} run;

static int by_place(const void *a, const void *b)
{
    const run *x = a, *y = b;
    if (x->var != y->var) return x->var < y->var ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int by_tile(const void *a, const void *b)
{
    const run *x = a, *y = b;
    if (x->tile != y->tile) return x->tile < y->tile ? -1 : 1;
    return by_place(a, b);
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
    if (r->n) qsort(r->run, r->n, sizeof *r->run, by_place);
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
static tw__regions *moved(const tw__regions *list, const runs *r, uint32_t var)
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

/* A clone that keeps the order of the elements in memory (or groups them by tile) and their aliases. */
static tw_tensor clone_order(tw_graph *graph, tw_type type, const tw__node *t, const char *name, bool gather)
{
    tw__core *core = graph->core;
    const tw__regions *list = tw__node_regions(core, t);
    runs r = { 0 };
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
    if (done && gather && r.n) qsort(r.run, r.n, sizeof *r.run, by_place);
    if (done) done = added = tw__variable_add(graph, type, 1, (size_t[]){ total }, name, false, &var);
    if (done) done = (fresh = moved(list, &r, var)) != NULL;
    if (done) {
        size_t shape[TW__MAX_RANK];
        memcpy(shape, t->dims, t->t.rank * sizeof *shape);
        tw__variable *v = &core->vars[var];
        if (total == fresh->count && t->t.rank) { /* for messages, when the shapes agree */
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
            result = tw__tensor_from_list(core, type, t->t.rank, shape, fresh);
            fresh = NULL;
        }
    }
    if (!result.id) {
        tw__graph_no_memory(core);
        tw__regions_unref(fresh);
        if (added) tw__variable_drop_last(core);
    }
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

void tw__variable_drop_last(tw__core *core)
{
    tw__variable *v = &core->vars[--core->var_count];
    free(v->mapped);
    free(v->pending);
}

tw_tensor tw_graph_clone(tw_graph *graph, tw_type type, tw_tensor tensor, tw_clone_method method, const char *name)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
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
        const tw__regions *list = tw__node_regions(core, t);
        if (!list) return TW__NIL_TENSOR;
        if (!plain && tw__list_aliases(list) != TW__OVERLAP_NONE) return clone_new(graph, type, t, name);
    }
    }
    return plain ? clone_new(graph, type, t, name) : clone_order(graph, type, t, name, false);
}
