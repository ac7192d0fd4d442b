/* SPDX-License-Identifier: MIT */
/* Elements in the order of their storage, simplest order, unbroadcast views, explicit regions and several clones:
 * the rules of Graph::getSortedContiguousRegions and its relatives, on random views. */
#include "poplar/graph/fake_codelets.h"
#include "poplar/graph/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

typedef struct element {
    uint32_t var;
    uint64_t at;
} element;

static tw_graph *new_graph(unsigned tiles)
{
    tw_target *target =
        tw_target_new_ipu_model(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = tiles });
    tw_graph *g = tw_graph_new(target);
    tw_target_free(target);
    return g;
}

/* Every element of a view, by its variable. */
static element *elements_of(tw_graph *g, tw_tensor t, size_t *count)
{
    *count = (size_t)tw_tensor_elements(g, t);
    size_t n = tw_tensor_variable_regions(g, t, NULL, 0), k = 0;
    tw_variable_region *r = calloc(n + 1, sizeof *r);
    element *e = calloc(*count + 1, sizeof *e);
    tw_tensor_variable_regions(g, t, r, n);
    for (size_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < r[i].elements.end - r[i].elements.begin; j++)
            e[k++] = (element){ r[i].variable, r[i].offset + j };
    assert_int_equal(k, *count);
    free(r);
    return e;
}

static bool same(element a, element b)
{
    return a.var == b.var && a.at == b.at;
}

static bool before(element a, element b)
{
    return a.var != b.var ? a.var < b.var : a.at < b.at;
}

/* Rules 1 to 4 of the order; `aliased`: some element of the parts occurs several times. */
static void check_sorted(tw_graph *g, tw_tensor t, size_t parts, const tw_interval *part, unsigned flags)
{
    size_t count;
    element *e = elements_of(g, t, &count);
    unsigned *asked = calloc(count + 1, sizeof *asked), *given = calloc(count + 1, sizeof *given);
    for (size_t i = 0; i < parts; i++)
        for (uint64_t k = part[i].begin; k < part[i].end; k++) asked[k]++;
    bool aliased = false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) aliased |= asked[i] && asked[k] && same(e[i], e[k]);
    tw_sorted_regions *s = tw_tensor_sorted_contiguous_regions(g, t, parts, part, flags);
    assert_non_null(s);
    element last = { 0, 0 }, first = last;
    for (size_t r = 0; r < s->run_count; r++) {
        assert_true(s->first[r] < s->first[r + 1]);
        element begin = e[s->intervals[s->first[r]].begin], next = begin;
        if (r) assert_false(before(begin, first));
        if (r && !aliased)
            assert_false(begin.var == last.var && begin.at == last.at + 1); /* touching runs are one */
        first = begin;
        for (size_t i = s->first[r]; i < s->first[r + 1]; i++) {
            assert_true(s->intervals[i].begin < s->intervals[i].end);
            if (flags & TW_REGIONS_REPRESENTATIVES) assert_true(s->representatives[i] < count);
            for (uint64_t k = s->intervals[i].begin; k < s->intervals[i].end; k++, next.at++) {
                assert_true(same(e[k], next));
                given[k]++;
                if (!(flags & TW_REGIONS_REPRESENTATIVES)) continue;
                uint64_t stands = s->representatives[i] + (k - s->intervals[i].begin);
                assert_true(stands <= k && same(e[stands], e[k]));
                for (uint64_t j = 0; j < stands; j++) assert_false(asked[j] && same(e[j], e[k]));
            }
        }
        last = (element){ next.var, next.at - 1 };
    }
    assert_int_equal(s->first[s->run_count], s->interval_count);
    for (size_t i = 0; i < count; i++) {
        if (!(flags & TW_REGIONS_ONCE)) {
            assert_int_equal(asked[i], given[i]);
            continue;
        }
        unsigned times = 0;
        for (size_t k = 0; k < count; k++) times += same(e[i], e[k]) ? given[k] : 0;
        bool meant = false;
        for (size_t k = 0; k < count; k++) meant |= same(e[i], e[k]) && asked[k];
        assert_int_equal(times, meant);
    }
    tw_sorted_regions_free(s);
    free(e);
    free(asked);
    free(given);
}

static unsigned below(unsigned n)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return n ? (state >> 8) % n : 0;
}

/* A view of rank 1 of some of the variables' elements. */
static tw_tensor random_view(tw_graph *g, const tw_tensor *vars, unsigned n)
{
    tw_tensor parts[4];
    unsigned count = 1 + below(4);
    for (unsigned i = 0; i < count; i++) {
        tw_tensor t = vars[below(n)];
        size_t size = tw_tensor_dim(g, t, 0), begin = below((unsigned)size),
               end = begin + below((unsigned)(size - begin) + 1);
        t = tw_tensor_slice(g, t, 0, begin, end);
        if (below(3) == 0) t = tw_tensor_reverse(g, t, 0);
        if (below(4) == 0) t = tw_tensor_broadcast(g, t, 2, 0);
        if (below(4) == 0) t = tw_tensor_sub_sample(g, t, 2, 0);
        if (tw_tensor_rank(g, t) == 2) t = below(2) ? tw_tensor_transpose(g, t) : t;
        parts[i] = tw_tensor_flatten(g, t);
    }
    return tw_tensor_concat(g, count, parts, 0);
}

static void make_variables(tw_graph *g, tw_tensor *vars)
{
    vars[0] = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 17 }, "a");
    vars[1] = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 5 }, "b");
    vars[2] = tw_graph_add_constant_double(g, TW_FLOAT, 1, (size_t[]){ 3 }, 1, "c");
}

static void graph_sorted_random_orders(void **state)
{
    (void)state;
    tw_graph *g = new_graph(4);
    tw_tensor vars[3];
    make_variables(g, vars);
    for (int round = 0; round < 2000; round++) {
        tw_graph_push_scope(g);
        tw_tensor t = random_view(g, vars, 3);
        uint64_t n = tw_tensor_elements(g, t);
        tw_interval part[3], all = { 0, n };
        unsigned parts = 0;
        for (uint64_t at = 0; parts < 3 && at < n; at = part[parts++].end) {
            uint64_t begin = at + below((unsigned)(n - at));
            part[parts] = (tw_interval){ begin, begin + below((unsigned)(n - begin) + 1) };
        }
        for (unsigned flags = 0; flags < 4; flags++) {
            check_sorted(g, t, parts, part, flags);
            check_sorted(g, t, 1, &all, flags);
        }
        tw_graph_pop_scope(g);
    }
    assert_int_equal(tw_graph_status(g), TW_OK);
    tw_graph_free(g);
}

static void graph_sorted_simplest_order(void **state)
{
    (void)state;
    tw_graph *g = new_graph(4);
    tw_tensor vars[3];
    make_variables(g, vars);
    for (int round = 0; round < 500; round++) {
        tw_graph_push_scope(g);
        tw_tensor t = random_view(g, vars, 3), plain = t, other;
        size_t n = (size_t)tw_tensor_elements(g, t), count;
        other = tw_graph_add_variable(g, TW_INT, 1, &n, NULL);
        element *old = elements_of(g, t, &count);
        tw_sorted_regions *s = tw_tensor_sorted_contiguous_regions(g, t, 0, NULL, 0);
        assert_true(tw_tensor_reorder_to_simplify(g, &plain, 1, &other));
        assert_true(tw_tensor_contiguous_regions(g, plain, NULL, 0) <= s->run_count);
        element *now = elements_of(g, plain, &count), *moved = elements_of(g, other, &count);
        bool *seen = calloc(n + 1, sizeof *seen);
        for (size_t i = 0; i < n; i++) { /* the other's elements are numbered: where was element i? */
            assert_true(moved[i].at < n && !seen[moved[i].at]);
            seen[moved[i].at] = true;
            assert_true(same(now[i], old[moved[i].at]));
        }
        free(seen);
        free(old);
        free(now);
        free(moved);
        tw_sorted_regions_free(s);
        tw_graph_pop_scope(g);
    }
    tw_tensor small = tw_tensor_slice(g, vars[0], 0, 0, 2), t = vars[0];
    assert_false(tw_tensor_reorder_to_simplify(g, &t, 1, &small));
    tw_error error;
    assert_int_equal(tw_graph_take_error(g, &error), TW_E_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "17 and 2 elements"));
    assert_true(t.id == vars[0].id); /* nothing happened */
    assert_null(tw_tensor_sorted_contiguous_regions(g, t, 1, &(tw_interval){ 4, 18 }, 0));
    assert_int_equal(tw_graph_take_error(g, NULL), TW_E_INDEX);
    tw_graph_free(g);
}

/* --- tensors of many blocks ----------------------------------------------------------------------------------- */

enum { BLOCKED = 3, MODEL = 2048 };
typedef struct model { /* which element of its variable each element of the view is */
    size_t shape[BLOCKED];
    uint64_t at[MODEL];
} model;

static size_t model_count(const model *m)
{
    return m->shape[0] * m->shape[1] * m->shape[2];
}

/* [6][8][12] of blocks, each a run of the variable: 2 x 4 x 3 elements, or with ragged ends. */
static tw_tensor of_blocks(tw_graph *g, tw_tensor flat, const size_t block[BLOCKED], model *m)
{
    const size_t shape[BLOCKED] = { 6, 8, 12 };
    tw_tensor planes[6], rows[8], parts[12];
    uint64_t at = 0;
    unsigned n0 = 0;
    memcpy(m->shape, shape, sizeof shape);
    for (size_t i = 0; i < shape[0]; i += block[0]) {
        unsigned n1 = 0;
        for (size_t j = 0; j < shape[1]; j += block[1]) {
            unsigned n2 = 0;
            for (size_t k = 0; k < shape[2]; k += block[2]) {
                size_t size[BLOCKED] = { MIN(block[0], shape[0] - i), MIN(block[1], shape[1] - j),
                                         MIN(block[2], shape[2] - k) };
                uint64_t from = at;
                for (size_t a = 0; a < size[0]; a++)
                    for (size_t b = 0; b < size[1]; b++)
                        for (size_t c = 0; c < size[2]; c++) m->at[((i + a) * 8 + j + b) * 12 + k + c] = at++;
                parts[n2++] = tw_tensor_reshape(g, tw_tensor_slice(g, flat, 0, from, at), BLOCKED, size);
            }
            rows[n1++] = tw_tensor_concat(g, n2, parts, 2);
        }
        planes[n0++] = tw_tensor_concat(g, n1, rows, 1);
    }
    return tw_tensor_concat(g, n0, planes, 0);
}

/* A step of a random walk over views, and the same of the model: index i of the new view is index from[i] of the old
 * one, dimension by dimension. */
static tw_tensor model_step(tw_graph *g, tw_tensor t, model *m)
{
    model old = *m;
    unsigned p[BLOCKED] = { 0, 1, 2 }, d = below(BLOCKED), swap = below(BLOCKED), kind = below(6);
    size_t begin[BLOCKED] = { 0 }, end[BLOCKED], n = 0;
    memcpy(end, old.shape, sizeof end);
    if (kind == 0) { /* other dimensions of as many elements */
        size_t a = old.shape[0], b = old.shape[1];
        m->shape[0] = b, m->shape[1] = a;
        return tw_tensor_reshape(g, t, BLOCKED, m->shape);
    }
    if (kind < 3) p[d] = swap, p[swap] = d;
    if (kind == 3 && old.shape[d] > 2) begin[d] = 1, end[d] = old.shape[d] - below(2);
    unsigned step = kind == 4 && old.shape[d] > 3 ? 2 : 1;
    for (unsigned k = 0; k < BLOCKED; k++) m->shape[k] = end[p[k]] - begin[p[k]];
    if (step > 1) m->shape[d] = (m->shape[d] + 1) / 2;
    for (size_t i = 0; i < m->shape[0]; i++)
        for (size_t j = 0; j < m->shape[1]; j++)
            for (size_t k = 0; k < m->shape[2]; k++) {
                const size_t index[BLOCKED] = { i, j, k };
                size_t from[BLOCKED];
                for (unsigned x = 0; x < BLOCKED; x++) {
                    from[p[x]] = begin[p[x]] + index[x] * (x == d ? step : 1);
                    if (kind == 5 && x == d) from[x] = old.shape[x] - 1 - index[x];
                }
                m->at[n++] = old.at[(from[0] * old.shape[1] + from[1]) * old.shape[2] + from[2]];
            }
    if (kind < 3) return tw_tensor_dim_shuffle(g, t, p);
    if (kind == 3) return tw_tensor_slice_nd(g, t, begin, end);
    return kind == 4 ? tw_tensor_sub_sample(g, t, step, d) : tw_tensor_reverse(g, t, d);
}

static void check_model(tw_graph *g, tw_tensor t, const model *m)
{
    size_t count;
    element *e = elements_of(g, t, &count);
    assert_int_equal(count, model_count(m));
    for (size_t i = 0; i < count; i++) assert_true(e[i].at == m->at[i]);
    free(e);
}

static void graph_sorted_blocks(void **state)
{
    (void)state;
    static const size_t blocks[][BLOCKED] = { { 2, 4, 3 }, { 1, 1, 5 }, { 4, 3, 1 }, { 6, 1, 12 }, { 1, 8, 1 } };
    tw_graph *g = new_graph(8);
    size_t total = 576, count;
    tw_tensor flat = tw_graph_add_variable(g, TW_INT, 1, &total, "flat"),
              other = tw_graph_add_variable(g, TW_INT, 1, &total, "other");
    tw_graph_map_linearly_with(g, flat, 40, 1, 0);
    for (unsigned round = 0; round < 100; round++) {
        tw_graph_push_scope(g);
        model m, n;
        tw_tensor t = of_blocks(g, flat, blocks[round % G_N_ELEMENTS(blocks)], &m);
        tw_tensor o = of_blocks(g, other, blocks[round / 2 % G_N_ELEMENTS(blocks)], &n), first = t;
        assert_true(tw_tensor_equal(g, t, first) && !tw_tensor_equal(g, t, o));
        assert_true(tw_tensor_is_parallel_writeable(g, t) && tw_graph_mapping_complete(g, t));
        assert_false(tw_graph_mapping_complete(g, o) || tw_tensor_intersects(g, t, o));
        for (unsigned step = round % 7; step--;) {
            t = model_step(g, t, &m);
            if (step & 1) check_model(g, t, &m); /* else nobody has asked for its elements yet */
        }
        check_model(g, t, &m);
        assert_true(tw_tensor_intersects(g, t, first));
        tw_tensor clone = tw_graph_clone(g, TW_TYPE_NONE, t, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, NULL);
        assert_true(tw_graph_mapping_complete(g, clone) && !tw_tensor_intersects(g, t, clone));
        tw_tensor a = t, b = clone, c = tw_graph_clone(g, TW_TYPE_NONE, t, TW_CLONE_CREATE_NEW_ORDER, NULL);
        tw_tensor linear = c, follow[2] = { b, c };
        assert_true(tw_tensor_reorder_to_simplify(g, &a, 2, follow));
        assert_true(tw_tensor_is_contiguous(g, follow[0])); /* a clone has no gaps */
        size_t at_count;
        element *now = elements_of(g, a, &count), *where = elements_of(g, follow[1], &at_count);
        assert_int_equal(count, at_count);
        for (size_t i = 0; i < count; i++) {
            assert_true(now[i].at == m.at[where[i].at]); /* `linear` is in the order of t */
            assert_true(i == 0 || now[i - 1].at < now[i].at);
        }
        free(now), free(where);
        assert_true(tw_tensor_is_contiguous(g, linear));
        tw_graph_pop_scope(g);
    }
    assert_int_equal(tw_graph_status(g), TW_OK);
    tw_graph_free(g);
}

static void graph_sorted_unbroadcast(void **state)
{
    (void)state;
    tw_graph *g = new_graph(4);
    tw_tensor b = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 5 }, "b");
    for (unsigned rows = 1; rows < 4; rows++)
        for (unsigned columns = 1; columns < 4; columns++) {
            tw_tensor t = tw_tensor_broadcast(g, tw_tensor_broadcast(g, b, rows, 0), columns, 1);
            assert_true(tw_tensor_equal(g, tw_tensor_find_unbroadcast(g, t), b));
        }
    tw_tensor one = tw_tensor_slice_nd(g, b, (size_t[]){ 1, 1 }, (size_t[]){ 2, 2 });
    tw_tensor wide = tw_tensor_broadcast(g, tw_tensor_broadcast(g, one, 4000, 1), 7000, 0);
    assert_true(tw_tensor_equal(g, tw_tensor_find_unbroadcast(g, wide), one));
    /* Nearly a broadcast: one element differs. */
    tw_tensor parts[] = { tw_tensor_slice(g, b, 0, 0, 2), tw_tensor_slice(g, b, 0, 0, 1),
                          tw_tensor_slice(g, b, 0, 3, 4) };
    tw_tensor near = tw_tensor_concat(g, 3, parts, 0);
    assert_true(tw_tensor_equal(g, tw_tensor_find_unbroadcast(g, near), near));
    tw_tensor none = tw_tensor_slice(g, b, 0, 1, 1);
    assert_int_equal(tw_tensor_elements(g, tw_tensor_find_unbroadcast(g, none)), 0);
    assert_int_equal(tw_graph_status(g), TW_OK);
    tw_graph_free(g);
}

static void graph_sorted_explicit_regions(void **state)
{
    (void)state;
    tw_graph *g = new_graph(4);
    tw_tensor vars[3];
    make_variables(g, vars);
    for (int round = 0; round < 300; round++) {
        tw_tensor t = random_view(g, vars, 3);
        size_t n = tw_tensor_variable_regions(g, t, NULL, 0);
        tw_variable_region *r = calloc(n + 1, sizeof *r);
        tw_tensor_variable_regions(g, t, r, n);
        if (n) assert_true(tw_tensor_equal(g, tw_tensor_of_regions(g, n, r), t));
        free(r);
    }
    static const struct {
        tw_variable_region region[2];
        size_t n;
        tw_status status;
        const char *message;
    } wrong[] = {
        { { { { 0, 4 }, 0, 7 } }, 1, TW_E_INDEX, "no such variable" },
        { { { { 0, 4 }, 14, 0 } }, 1, TW_E_INDEX, "the variable is shorter" },
        { { { { 0, 4 }, 0, 0 }, { { 5, 6 }, 0, 0 } }, 2, TW_E_INDEX, "do not follow" },
        { { { { 0, 4 }, 0, 0 }, { { 4, 3 }, 0, 0 } }, 2, TW_E_INDEX, "wrong way round" },
        { { { { 0, 1 }, 0, 0 }, { { 1, 2 }, 0, 3 } }, 2, TW_E_TYPE, "several types" },
        { { { { 0, 0 }, 0, 0 } }, 0, TW_E_TENSOR_CREATION, "no regions" },
    };
    tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 3 }, "d"); /* variable 3 */
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        tw_error error;
        assert_int_equal(tw_tensor_of_regions(g, wrong[i].n, wrong[i].region).id, 0);
        assert_int_equal(tw_graph_take_error(g, &error), wrong[i].status);
        assert_non_null(strstr(error.message, wrong[i].message));
    }
    tw_graph_free(g);
}

/* --- several clones ------------------------------------------------------------------------------------------- */

static unsigned tile_of(tw_graph *g, tw_tensor t, uint64_t at)
{
    tw_mapped_interval m[64];
    size_t n = tw_graph_get_mapping(g, t, m, 64);
    for (size_t i = 0; i < n; i++)
        if (m[i].interval.begin <= at && at < m[i].interval.end) return m[i].tile;
    return TW_UNMAPPED;
}

static void graph_sorted_several_clones(void **state)
{
    (void)state;
    tw_graph *g = new_graph(4);
    tw_tensor v = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 12 }, "v");
    tw_graph_map_range(g, v, 0, 4, 1);
    tw_graph_map_range(g, v, 4, 3, 0); /* 7 and 8 stay unmapped */
    tw_graph_map_range(g, v, 9, 3, 1);
    tw_tensor views[] = { v,
                          tw_tensor_reverse(g, v, 0),
                          tw_tensor_reshape(g, v, 2, (size_t[]){ 3, 4 }),
                          tw_tensor_transpose(g, tw_tensor_reshape(g, v, 2, (size_t[]){ 3, 4 })),
                          tw_tensor_broadcast(g, v, 2, 0),
                          tw_tensor_slice(g, v, 0, 5, 5) };
    for (size_t i = 0; i < G_N_ELEMENTS(views); i++)
        for (int method = TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES;
             method <= TW_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES; method++)
            for (int by_tile = 0; by_tile < 2; by_tile++) {
                tw_tensor t = views[i], one = tw_graph_clone(g, TW_INT, t, (tw_clone_method)method, "one");
                tw_tensor all = tw_graph_clone_n(g, TW_INT, t, 3, (tw_clone_method)method,
                                                 (tw_clone_duplication)by_tile, "all");
                assert_int_equal(tw_graph_status(g), TW_OK);
                assert_int_equal(tw_tensor_rank(g, all), tw_tensor_rank(g, t) + 1);
                assert_int_equal(tw_tensor_dim(g, all, 0), 3);
                assert_int_equal(tw_tensor_type(g, all), TW_INT);
                size_t n, total;
                element *e = elements_of(g, one, &n), *copies = elements_of(g, all, &total);
                assert_int_equal(total, 3 * n);
                for (size_t k = 0; k < total; k++) {
                    assert_int_equal(copies[k].var, copies[0].var);
                    assert_int_equal(tile_of(g, all, k), tile_of(g, t, k % n));
                    for (size_t j = 0; j < k; j++) /* aliases within a copy as in one clone, none between copies */
                        assert_int_equal(same(copies[j], copies[k]), j / n == k / n && same(e[j % n], e[k % n]));
                    if (k % n && k / n && before(e[k % n - 1], e[k % n]) && !by_tile) /* the order of one clone */
                        assert_true(copies[k].at - copies[k - 1].at == e[k % n].at - e[k % n - 1].at);
                }
                free(e);
                free(copies);
            }
    /* By tile: elements 0 to 3 lie on tile 1, so that their copies are the first 12. */
    tw_tensor all = tw_graph_clone_n(g, TW_TYPE_NONE, v, 3, TW_CLONE_CREATE_NEW_ORDER,
                                     TW_CLONE_BY_TILE_CONTIGUOUS_REGION, NULL);
    size_t total;
    element *e = elements_of(g, all, &total);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(e[12 * k].at, 4 * k);
        assert_int_equal(e[12 * k + 4].at, 12 + 3 * k);
        assert_int_equal(e[12 * k + 7].at, 21 + 2 * k);
        assert_int_equal(e[12 * k + 9].at, 27 + 3 * k);
    }
    free(e);
    tw_tensor none =
        tw_graph_clone_n(g, TW_FLOAT, v, 0, TW_CLONE_CREATE_NEW_ORDER, TW_CLONE_BY_OUTER_DIMENSION, NULL);
    assert_int_equal(tw_tensor_dim(g, none, 0), 0);
    assert_int_equal(tw_tensor_dim(g, none, 1), 12);
    tw_graph_free(g);
}

/* The n-th allocation of each call fails: an error, nothing half done, nothing lost. */
static void graph_sorted_no_memory(void **state)
{
    (void)state;
    bool failed = true;
    for (int n = 1; failed && n < 200; n++) {
        tw_graph *g = new_graph(2);
        tw_tensor v = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 5 }, "v");
        tw_graph_map_linearly(g, v);
        tw_tensor t = tw_tensor_transpose(g, tw_tensor_broadcast(g, v, 2, 0)), other = t;
        size_t before_count = tw_graph_variable_count(g);
        tw__fail_allocation((unsigned long)n);
        tw_sorted_regions *s = tw_tensor_sorted_contiguous_regions(g, t, 0, NULL, TW_REGIONS_REPRESENTATIVES);
        tw_tensor_reorder_to_simplify(g, &t, 1, &other);
        tw_tensor_find_unbroadcast(g, t);
        tw_graph_clone_n(g, TW_FLOAT, v, 2, TW_CLONE_PRESERVE_ORDER_AND_ALIASES, TW_CLONE_BY_TILE_CONTIGUOUS_REGION,
                         NULL);
        tw__fail_allocation(0);
        failed = tw_graph_status(g) != TW_OK;
        if (failed) assert_int_equal(tw_graph_status(g), TW_E_NO_MEMORY);
        if (failed) assert_int_equal(tw_graph_variable_count(g), before_count);
        tw_sorted_regions_free(s);
        tw_graph_free(g);
    }
    assert_false(failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_sorted_random_orders),    cmocka_unit_test(graph_sorted_simplest_order),
        cmocka_unit_test(graph_sorted_blocks),           cmocka_unit_test(graph_sorted_unbroadcast),
        cmocka_unit_test(graph_sorted_explicit_regions), cmocka_unit_test(graph_sorted_several_clones),
        cmocka_unit_test(graph_sorted_no_memory),
    };
    return cmocka_run_group_tests_name("graph_sorted", tests, NULL, NULL);
}
