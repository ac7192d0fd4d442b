/* SPDX-License-Identifier: MIT */
/* Tensor views against a model that keeps every element: a list of (variable, element) and a shape, transformed by
 * explicit n-dimensional indices. Each operation alone, then random programs of them. */
#include "poplar/graph/fake_codelets.h"
#include "poplar/graph/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { MAX_RANK = 6, MAX_ELEMENTS = 20000 };

typedef struct model {
    unsigned rank;
    size_t shape[MAX_RANK];
    size_t count;
    uint64_t *element; /* variable << 32 | element */
} model;

static size_t product(unsigned rank, const size_t *shape)
{
    size_t n = 1;
    for (unsigned i = 0; i < rank; i++) n *= shape[i];
    return n;
}

static model model_new(unsigned rank, const size_t *shape)
{
    model m = { .rank = rank, .count = product(rank, shape) };
    for (unsigned i = 0; i < rank; i++) m.shape[i] = shape[i];
    m.element = calloc(m.count + 1, sizeof *m.element);
    return m;
}

static model model_variable(uint32_t var, unsigned rank, const size_t *shape)
{
    model m = model_new(rank, shape);
    for (size_t i = 0; i < m.count; i++) m.element[i] = (uint64_t)var << 32 | i;
    return m;
}

/* Element of `m` at a multi-index. */
static uint64_t at(const model *m, const size_t *index)
{
    size_t flat = 0;
    for (unsigned k = 0; k < m->rank; k++) {
        assert_true(index[k] < m->shape[k]);
        flat = flat * m->shape[k] + index[k];
    }
    return m->element[flat];
}

static void unflatten(const model *m, size_t flat, size_t *index)
{
    for (unsigned k = m->rank; k--;) {
        index[k] = flat % m->shape[k];
        flat /= m->shape[k];
    }
}

/* One dimension of the result picked from one of the source: source index = (scale * i + offset) / divide %
 * modulo. */
static model model_dim(const model *m, unsigned dim, size_t size, int64_t scale, int64_t offset, size_t divide,
                       size_t modulo)
{
    size_t shape[MAX_RANK], index[MAX_RANK];
    memcpy(shape, m->shape, sizeof shape);
    shape[dim] = size;
    model out = model_new(m->rank, shape);
    for (size_t i = 0; i < out.count; i++) {
        unflatten(&out, i, index);
        index[dim] = (size_t)((int64_t)index[dim] * scale + offset) / divide % modulo;
        out.element[i] = at(m, index);
    }
    return out;
}

static model model_shuffle(const model *m, const unsigned *p)
{
    size_t shape[MAX_RANK], index[MAX_RANK], from[MAX_RANK];
    for (unsigned k = 0; k < m->rank; k++) shape[k] = m->shape[p[k]];
    model out = model_new(m->rank, shape);
    for (size_t i = 0; i < out.count; i++) {
        unflatten(&out, i, index);
        for (unsigned k = 0; k < m->rank; k++) from[p[k]] = index[k];
        out.element[i] = at(m, from);
    }
    return out;
}

static model model_concat(unsigned n, const model *const *parts, unsigned dim)
{
    size_t shape[MAX_RANK], index[MAX_RANK];
    memcpy(shape, parts[0]->shape, sizeof shape);
    shape[dim] = 0;
    for (unsigned i = 0; i < n; i++) shape[dim] += parts[i]->shape[dim];
    model out = model_new(parts[0]->rank, shape);
    for (size_t i = 0; i < out.count; i++) {
        unsigned k = 0;
        unflatten(&out, i, index);
        for (; index[dim] >= parts[k]->shape[dim]; k++) index[dim] -= parts[k]->shape[dim];
        out.element[i] = at(parts[k], index);
    }
    return out;
}

static model model_reshape(const model *m, unsigned rank, const size_t *shape)
{
    model out = model_new(rank, shape);
    assert_int_equal(out.count, m->count);
    memcpy(out.element, m->element, m->count * sizeof *m->element);
    return out;
}

/* --- comparison ----------------------------------------------------------------------------------------------- */

static void check(tw_graph *g, tw_tensor t, const model *m, const char *what)
{
    if (tw_graph_status(g) != TW_OK) fail_msg("%s: %s", what, tw_graph_error(g)->message);
    tw__core *core = tw__graph_core(g);
    const tw__tensor *tensor = tw__tensor_get(core, t);
    assert_non_null(tensor);
    if (tensor->rank != m->rank || memcmp(tensor->shape, m->shape, m->rank * sizeof *m->shape))
        fail_msg("%s: shape", what);
    const tw__regions *list = tensor->regions;
    if (list->count != m->count)
        fail_msg("%s: %llu elements, not %zu", what, (unsigned long long)list->count, m->count);
    uint64_t first = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        uint64_t n = 1;
        assert_int_equal(list->first[i], first);
        assert_in_range(list->region[i].rank, 1, 4);
        for (unsigned k = 0; k < list->region[i].rank; k++) n *= list->region[i].dim[k].count;
        assert_int_equal(n, list->region[i].count);
        first += n;
    }
    assert_int_equal(list->first[list->n], list->count);
    size_t pos = 0;
    tw__region_walk walk = tw__region_walk_begin(list, 0, list->count);
    for (tw__elems e; tw__region_walk_next(&walk, &e);)
        for (uint64_t i = 0; i < e.count; i++, pos++) {
            uint64_t got = (uint64_t)e.var << 32 | (e.offset + i * (uint64_t)e.stride);
            if (got != m->element[pos])
                fail_msg("%s: element %zu is %llx, not %llx", what, pos, (unsigned long long)got,
                         (unsigned long long)m->element[pos]);
        }
    assert_int_equal(pos, m->count);
}

/* A walk over a part must give the same elements. */
static void check_part(tw_graph *g, tw_tensor t, const model *m, size_t begin, size_t end)
{
    const tw__tensor *tensor = tw__tensor_get(tw__graph_core(g), t);
    tw__region_walk walk = tw__region_walk_begin(tensor->regions, begin, end);
    for (tw__elems e; tw__region_walk_next(&walk, &e);)
        for (uint64_t i = 0; i < e.count; i++, begin++)
            assert_int_equal((uint64_t)e.var << 32 | (e.offset + i * (uint64_t)e.stride), m->element[begin]);
    assert_int_equal(begin, end);
}

static void check_queries(tw_graph *g, tw_tensor t, const model *m)
{
    /* Contiguous regions: as few as possible, each ascending by one in one variable. */
    size_t n = 0, begin = 0;
    tw_interval *got = calloc(m->count + 1, sizeof *got);
    size_t count = tw_tensor_contiguous_regions(g, t, got, m->count + 1);
    for (size_t i = 0; i < m->count; i++)
        if (i + 1 == m->count || m->element[i + 1] != m->element[i] + 1) {
            assert_true(n < count);
            assert_int_equal(got[n].begin, begin);
            assert_int_equal(got[n].end, i + 1);
            n++;
            begin = i + 1;
        }
    assert_int_equal(n, count);
    assert_int_equal(tw_tensor_is_contiguous(g, t), count <= 1);
    free(got);
    bool twice = false;
    uint64_t *sorted = calloc(m->count + 1, sizeof *sorted);
    memcpy(sorted, m->element, m->count * sizeof *sorted);
    for (size_t gap = m->count / 2; gap; gap /= 2) /* shell sort */
        for (size_t i = gap; i < m->count; i++)
            for (size_t k = i; k >= gap && sorted[k - gap] > sorted[k]; k -= gap) {
                uint64_t x = sorted[k];
                sorted[k] = sorted[k - gap];
                sorted[k - gap] = x;
            }
    for (size_t i = 1; i < m->count; i++) twice |= sorted[i] == sorted[i - 1];
    free(sorted);
    assert_int_equal(tw_tensor_contains_aliases(g, t), twice);
    assert_int_equal(tw_tensor_is_parallel_writeable(g, t), !twice);
}

/* --- fixed cases ---------------------------------------------------------------------------------------------- */

typedef struct fixture {
    tw_target *target;
    tw_graph *g;
    tw_tensor x, y;
    model mx, my;
} fixture;

static fixture open_graph(void)
{
    fixture f = { .target = tw_target_new_cpu(false) };
    f.g = tw_graph_new(f.target);
    f.x = tw_graph_add_variable(f.g, TW_FLOAT, 3, (size_t[]){ 4, 6, 10 }, "x");
    f.y = tw_graph_add_variable(f.g, TW_FLOAT, 3, (size_t[]){ 4, 6, 10 }, "y");
    f.mx = model_variable(0, 3, (size_t[]){ 4, 6, 10 });
    f.my = model_variable(1, 3, (size_t[]){ 4, 6, 10 });
    return f;
}

static void close_graph(fixture *f)
{
    free(f->mx.element);
    free(f->my.element);
    tw_graph_free(f->g);
    tw_target_free(f->target);
}

static void same(fixture *f, tw_tensor t, model m, const char *what)
{
    check(f->g, t, &m, what);
    check_queries(f->g, t, &m);
    free(m.element);
}

static void graph_views_each_operation(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_graph *g = f.g;
    /* The same operations on an affine tensor, and on one of two pieces. */
    const model *parts[] = { &f.mx, &f.my };
    model both = model_concat(2, parts, 1);
    tw_tensor pair = tw_tensor_concat(g, 2, (tw_tensor[]){ f.x, f.y }, 1);
    check(g, pair, &both, "concat");
    const model *ms[] = { &f.mx, &both };
    tw_tensor ts[] = { f.x, pair };
    for (int k = 0; k < 2; k++) {
        const model *m = ms[k];
        tw_tensor t = ts[k];
        const size_t *s = m->shape;
        same(&f, tw_tensor_slice(g, t, 0, 1, 3), model_dim(m, 0, 2, 1, 1, 1, s[0]), "slice 0");
        same(&f, tw_tensor_slice(g, t, 1, 2, 5), model_dim(m, 1, 3, 1, 2, 1, s[1]), "slice 1");
        same(&f, tw_tensor_slice(g, t, 2, 9, 10), model_dim(m, 2, 1, 1, 9, 1, s[2]), "slice 2");
        same(&f, tw_tensor_slice(g, t, 2, 3, 3), model_dim(m, 2, 0, 1, 3, 1, s[2]), "empty slice");
        same(&f, tw_tensor_reverse(g, t, 1), model_dim(m, 1, s[1], -1, (int64_t)s[1] - 1, 1, s[1]), "reverse");
        same(&f, tw_tensor_sub_sample(g, t, 4, 2), model_dim(m, 2, 3, 4, 0, 1, s[2]), "subsample");
        same(&f, tw_tensor_broadcast(g, t, 3, 1), model_dim(m, 1, 3 * s[1], 1, 0, 1, s[1]), "broadcast");
        same(&f, tw_tensor_broadcast(g, t, 0, 1), model_dim(m, 1, 0, 1, 0, 1, s[1]), "broadcast 0");
        same(&f, tw_tensor_upsample(g, t, 3, 1), model_dim(m, 1, 3 * s[1], 1, 0, 3, s[1]), "upsample");
        same(&f, tw_tensor_dim_shuffle(g, t, (unsigned[]){ 2, 0, 1 }), model_shuffle(m, (unsigned[]){ 2, 0, 1 }),
             "shuffle");
        same(&f, tw_tensor_dim_roll(g, t, 2, 0), model_shuffle(m, (unsigned[]){ 2, 0, 1 }), "roll");
        same(&f, tw_tensor_dim_shuffle_partial(g, t, 1, (unsigned[]){ 0 }, (unsigned[]){ 2 }),
             model_shuffle(m, (unsigned[]){ 1, 2, 0 }), "partial shuffle");
        same(&f, tw_tensor_flatten(g, t), model_reshape(m, 1, &m->count), "flatten");
        same(&f, tw_tensor_flatten_dims(g, t, 1, 3), model_reshape(m, 2, (size_t[]){ s[0], s[1] * s[2] }),
             "flatten dims");
        same(&f, tw_tensor_reshape_partial(g, t, 2, 3, 2, (size_t[]){ 5, 2 }),
             model_reshape(m, 4, (size_t[]){ s[0], s[1], 5, 2 }), "partial");
        same(&f, tw_tensor_expand(g, t, 3, (size_t[]){ 0, 3, 3 }),
             model_reshape(m, 6, (size_t[]){ 1, s[0], s[1], s[2], 1, 1 }), "expand");
        tw_tensor one = tw_tensor_slice(g, t, 1, 2, 3);
        model m1 = model_dim(m, 1, 1, 1, 2, 1, s[1]);
        same(&f, tw_tensor_squeeze(g, one, 1, (size_t[]){ 1 }), model_reshape(&m1, 2, (size_t[]){ s[0], s[2] }),
             "squeeze");
        free(m1.element);
        model m2 = model_dim(m, 0, 1, 1, 2, 1, s[0]);
        same(&f, tw_tensor_index(g, t, 2), model_reshape(&m2, 2, (size_t[]){ s[1], s[2] }), "index");
        free(m2.element);
        model m3 = model_new(0, NULL);
        m3.element[0] = at(m, (size_t[]){ 3, 2, 7 });
        same(&f, tw_tensor_element(g, t, (size_t[]){ 3, 2, 7 }), m3, "element");
        model m4 = model_new(1, (size_t[]){ 12 });
        for (size_t i = 0; i < 5; i++) m4.element[i] = m->element[i + 7];
        for (size_t i = 0; i < 7; i++) m4.element[5 + i] = m->element[i + 12];
        same(&f, tw_tensor_pick(g, t, 3, (tw_interval[]){ { 7, 12 }, { 0, 0 }, { 12, 19 } }), m4, "pick");
        tw_tensor row = tw_tensor_index(g, t, 0);
        model mrow = model_dim(m, 0, 1, 1, 0, 1, s[0]);
        const model *ap[] = { m, &mrow };
        same(&f, tw_tensor_append(g, t, row, 0), model_concat(2, ap, 0), "append");
        free(mrow.element);
        same(&f, tw_tensor_slice_nd(g, t, (size_t[]){ 1, 1, 1 }, (size_t[]){ 3, 4, 9 }), ({
            model a = model_dim(m, 0, 2, 1, 1, 1, s[0]), b = model_dim(&a, 1, 3, 1, 1, 1, s[1]),
                  c = model_dim(&b, 2, 8, 1, 1, 1, s[2]);
            free(a.element);
            free(b.element);
            c;
        }),
             "slice_nd");
    }
    free(both.element);
    close_graph(&f);
}

/* Matrices whose columns lie in groups, as libraries lay out operands of a product, alone and two of them: each
 * slice of rows, of columns, and of both. */
static void graph_views_slices_of_groups(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_tensor whole[3], two[2] = { f.x, f.y };
    const model *parts[2] = { &f.mx, &f.my };
    model models[3];
    for (int i = 0; i < 2; i++) { /* 4 groups of 10 columns of 6 rows; {6, 4, 10} as {6, 40} */
        model shuffled = model_shuffle(parts[i], (unsigned[]){ 1, 0, 2 });
        models[i] = model_reshape(&shuffled, 2, (size_t[]){ 6, 40 });
        free(shuffled.element);
        whole[i] = tw_tensor_reshape(f.g, tw_tensor_dim_shuffle(f.g, two[i], (unsigned[]){ 1, 0, 2 }), 2,
                                     (size_t[]){ 6, 40 });
    }
    for (unsigned dim = 0; dim < 2; dim++) {
        models[2] = model_concat(2, (const model *[]){ &models[0], &models[1] }, dim);
        whole[2] = tw_tensor_concat(f.g, 2, (tw_tensor[]){ whole[0], whole[1] }, dim);
        for (int k = 0; k < 3; k++) {
            const model *m = &models[k];
            for (size_t begin = 0; begin <= m->shape[1]; begin++)
                for (size_t end = begin; end <= m->shape[1]; end += begin % 3 + 1) {
                    model cut = model_dim(m, 1, end - begin, 1, (int64_t)begin, 1, m->shape[1]);
                    check(f.g, tw_tensor_slice(f.g, whole[k], 1, begin, end), &cut, "columns");
                    model middle = model_dim(&cut, 0, 3, 1, 2, 1, m->shape[0]);
                    check(f.g, tw_tensor_slice_nd(f.g, whole[k], (size_t[]){ 2, begin }, (size_t[]){ 5, end }),
                          &middle, "both");
                    free(middle.element);
                    free(cut.element);
                }
            for (size_t begin = 0; begin <= m->shape[0]; begin++) {
                model cut = model_dim(m, 0, m->shape[0] - begin, 1, (int64_t)begin, 1, m->shape[0]);
                check(f.g, tw_tensor_slice(f.g, whole[k], 0, begin, m->shape[0]), &cut, "rows");
                free(cut.element);
            }
        }
        free(models[2].element);
    }
    free(models[0].element);
    free(models[1].element);
    close_graph(&f);
}

/* --- what must stay small ------------------------------------------------------------------------------------- */

static uint32_t regions(tw_graph *g, tw_tensor t)
{
    assert_int_equal(tw_graph_status(g), TW_OK);
    return tw__tensor_get(tw__graph_core(g), t)->regions->n;
}

static void graph_views_regions_stay_few(void **state)
{
    (void)state;
    tw_target *target = tw_target_new_cpu(false);
    tw_graph *g = tw_graph_new(target);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4096, 4096 }, "x");
    tw_tensor t = tw_tensor_transpose(g, x);
    assert_int_equal(regions(g, t), 1);
    assert_int_equal(regions(g, tw_tensor_slice(g, t, 0, 7, 4000)), 1);
    assert_int_equal(regions(g, tw_tensor_flatten(g, tw_tensor_slice(g, t, 1, 7, 4000))), 1);
    assert_int_equal(regions(g, tw_tensor_broadcast(g, x, 1000, 0)), 1);
    assert_int_equal(regions(g, tw_tensor_upsample(g, t, 3, 1)), 1);
    assert_int_equal(regions(g, tw_tensor_reshape(g, t, 3, (size_t[]){ 64, 64, 4096 })), 1);
    /* [4096][64][64] of the transposed one, shuffled again. */
    tw_tensor r = tw_tensor_reshape(g, t, 3, (size_t[]){ 4096, 64, 64 });
    assert_int_equal(regions(g, tw_tensor_dim_shuffle(g, r, (unsigned[]){ 1, 0, 2 })), 1);
    /* Flattening in the middle of a run keeps a prefix, the body and a suffix. */
    assert_in_range(regions(g, tw_tensor_pick(g, t, 1, &(tw_interval){ 5, 16000000 })), 1, 3);
    /* A tensor put together from its rows, or from its columns, is the tensor. */
    tw_tensor rows[64], columns[64];
    for (size_t i = 0; i < 64; i++) rows[i] = tw_tensor_slice(g, x, 0, i * 64, i * 64 + 64);
    for (size_t i = 0; i < 64; i++) columns[i] = tw_tensor_slice(g, x, 1, i * 64, i * 64 + 64);
    assert_int_equal(regions(g, tw_tensor_concat(g, 64, rows, 0)), 1);
    tw_tensor again = tw_tensor_concat(g, 64, columns, 1);
    assert_true(tw_tensor_equal(g, again, x));
    assert_int_equal(regions(g, again), 1);
    /* Columns in groups of 8: slices of whole groups are one region, within a group too. */
    tw_tensor groups =
        tw_tensor_reshape(g, tw_tensor_dim_roll(g, tw_tensor_reshape(g, x, 3, (size_t[]){ 512, 4096, 8 }), 1, 0), 2,
                          (size_t[]){ 4096, 4096 });
    assert_int_equal(regions(g, groups), 1);
    assert_int_equal(regions(g, tw_tensor_slice(g, groups, 1, 48, 96)), 1);
    assert_int_equal(regions(g, tw_tensor_slice(g, groups, 1, 50, 53)), 1);
    assert_int_equal(regions(g, tw_tensor_slice_nd(g, groups, (size_t[]){ 32, 48 }, (size_t[]){ 64, 96 })), 1);
    /* Two halves side by side: one region for each row of each half, and the transposed one costs no more. */
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4096, 4096 }, "y");
    tw_tensor wide = tw_tensor_concat(g, 2, (tw_tensor[]){ x, y }, 1);
    assert_int_equal(regions(g, wide), 8192);
    assert_int_equal(regions(g, tw_tensor_transpose(g, wide)), 2);
    assert_int_equal(regions(g, tw_tensor_slice(g, wide, 1, 0, 4096)), 1);
    assert_int_equal(regions(g, tw_tensor_transpose(g, tw_tensor_concat(g, 2, (tw_tensor[]){ t, y }, 0))), 8192);
    tw_graph_free(g);
    tw_target_free(target);
}

/* Strips of x beside strips of y, one below the other: the columns of x alone step evenly again, those of strips that
 * have changed places do not. */
static void graph_views_boxes_join_again(void **state)
{
    (void)state;
    enum { STRIPS = 20 };
    tw_target *target = tw_target_new_cpu(false);
    tw_graph *g = tw_graph_new(target);
    for (size_t high = 1; high <= 3; high += 2)
        for (int turned = 0; turned < 2; turned++) {
            size_t rows = STRIPS * high, first = 4 * high;
            tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ rows, 5 }, "x"), strips[STRIPS];
            tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ high, 2 }, "y");
            if (turned) x = tw_tensor_reverse(g, x, 0);
            for (size_t i = 0; i < STRIPS; i++) {
                tw_tensor two[2] = { tw_tensor_slice(g, x, 0, i * high, (i + 1) * high), y };
                strips[i] = tw_tensor_concat(g, 2, two, 1);
            }
            tw_tensor left = tw_tensor_slice(g, tw_tensor_concat(g, STRIPS, strips, 0), 1, 0, 5);
            assert_true(tw_tensor_equal(g, left, x));
            assert_true(tw__node_find(tw__graph_core(g), left)->affine);
            strips[STRIPS - 1] = strips[4];
            left = tw_tensor_slice(g, tw_tensor_concat(g, STRIPS, strips, 0), 1, 0, 5);
            assert_false(tw__node_find(tw__graph_core(g), left)->affine);
            assert_true(tw_tensor_equal(g, tw_tensor_slice(g, left, 0, rows - high, rows),
                                        tw_tensor_slice(g, x, 0, first, first + high)));
        }
    assert_int_equal(tw_graph_status(g), TW_OK);
    tw_graph_free(g);
    tw_target_free(target);
}

/* --- random programs ------------------------------------------------------------------------------------------ */

static uint64_t seed;

static unsigned pick(unsigned n) /* 0 .. n - 1 */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return n ? (unsigned)((seed >> 33) % n) : 0;
}

enum { POOL = 12 };
typedef struct pool {
    tw_tensor t[POOL];
    model m[POOL];
} pool;

/* A shape with the same number of elements. */
static unsigned random_shape(size_t count, size_t *shape)
{
    unsigned rank = 0;
    while (rank < 4 && count > 1) {
        size_t f = 1;
        for (size_t k = 2; k <= count && k < 40; k++)
            if (count % k == 0 && (f == 1 || pick(2))) f = k;
        if (f == 1 || pick(4) == 0) f = count;
        shape[rank++] = f;
        count /= f;
    }
    if (count > 1 || rank == 0) shape[rank++] = count;
    return rank;
}

/* One random operation on pool entry k. False when it does not apply. */
static bool step(tw_graph *g, pool *p, unsigned k, unsigned other, tw_tensor *t, model *m, const char **what)
{
    const model *a = &p->m[k];
    tw_tensor x = p->t[k];
    unsigned rank = a->rank, d = pick(rank ? rank : 1);
    size_t size = rank ? a->shape[d] : 1, shape[MAX_RANK];
    unsigned op = pick(10);
    if (rank == 0 && op != 5) return false;
    switch (op) {
    case 0: {
        size_t begin = pick((unsigned)size + 1), end = begin + pick((unsigned)(size - begin) + 1);
        *what = "slice";
        *t = tw_tensor_slice(g, x, d, begin, end);
        *m = model_dim(a, d, end - begin, 1, (int64_t)begin, 1, size ? size : 1);
        return true;
    }
    case 1:
        *what = "reverse";
        *t = tw_tensor_reverse(g, x, d);
        *m = model_dim(a, d, size, -1, (int64_t)size - 1, 1, size ? size : 1);
        return true;
    case 2: {
        unsigned stride = 1 + pick(4);
        *what = "subsample";
        *t = tw_tensor_sub_sample(g, x, stride, d);
        *m = model_dim(a, d, (size + stride - 1) / stride, stride, 0, 1, size ? size : 1);
        return true;
    }
    case 3: {
        unsigned p4[MAX_RANK];
        for (unsigned i = 0; i < rank; i++) p4[i] = i;
        for (unsigned i = rank; i > 1; i--) {
            unsigned j = pick(i), swap = p4[i - 1];
            p4[i - 1] = p4[j];
            p4[j] = swap;
        }
        *what = "shuffle";
        *t = tw_tensor_dim_shuffle(g, x, p4);
        *m = model_shuffle(a, p4);
        return true;
    }
    case 4: {
        unsigned times = 1 + pick(3);
        if (a->count * times > MAX_ELEMENTS || !size) return false;
        bool up = pick(2);
        *what = up ? "upsample" : "broadcast";
        *t = up ? tw_tensor_upsample(g, x, times, d) : tw_tensor_broadcast(g, x, times, d);
        *m = model_dim(a, d, size * times, 1, 0, up ? times : 1, size);
        return true;
    }
    case 5:
    case 6:
    case 7: {
        if (a->count == 0) return false;
        unsigned n = random_shape(a->count, shape);
        *what = "reshape";
        *t = tw_tensor_reshape(g, x, n, shape);
        *m = model_reshape(a, n, shape);
        return true;
    }
    case 8: { /* concat with another entry of the same shape but for d */
        const model *b = &p->m[other];
        bool fits = b->rank == rank && a->count + b->count <= MAX_ELEMENTS;
        for (unsigned i = 0; fits && i < rank; i++) fits = i == d || a->shape[i] == b->shape[i];
        if (!fits) b = a;
        if (a->count + b->count > MAX_ELEMENTS) return false;
        const model *both[] = { a, b };
        *what = "concat";
        *t = tw_tensor_concat(g, 2, (tw_tensor[]){ x, fits ? p->t[other] : x }, d);
        *m = model_concat(2, both, d);
        return true;
    }
    default: { /* a few intervals */
        tw_interval in[3];
        size_t total = 0;
        for (unsigned i = 0; i < 3; i++) {
            in[i].begin = pick((unsigned)a->count + 1);
            in[i].end = in[i].begin + pick((unsigned)(a->count - in[i].begin) + 1);
            total += in[i].end - in[i].begin;
        }
        if (total > MAX_ELEMENTS) return false;
        *what = "pick";
        *t = tw_tensor_pick(g, x, 3, in);
        *m = model_new(1, &total);
        size_t n = 0;
        for (unsigned i = 0; i < 3; i++)
            for (size_t e = in[i].begin; e < in[i].end; e++) m->element[n++] = a->element[e];
        return true;
    }
    }
}

static void graph_views_random_programs(void **state)
{
    (void)state;
    tw_target *target = tw_target_new_cpu(false);
    for (unsigned round = 0; round < 150; round++) {
        seed = round + 1;
        tw_graph *g = tw_graph_new(target);
        pool p;
        for (uint32_t i = 0; i < POOL; i++) {
            size_t shape[4];
            unsigned rank = 1 + pick(4);
            for (unsigned k = 0; k < rank; k++) shape[k] = 1 + pick(rank == 1 ? 60 : 6);
            p.t[i] = tw_graph_add_variable(g, TW_FLOAT, rank, shape, NULL);
            p.m[i] = model_variable(i, rank, shape);
        }
        for (unsigned i = 0; i < 60; i++) {
            unsigned k = pick(POOL), to = pick(POOL);
            tw_tensor t;
            model m;
            const char *what;
            if (!step(g, &p, k, pick(POOL), &t, &m, &what)) continue;
            char text[64];
            snprintf(text, sizeof text, "round %u, step %u: %s", round, i, what);
            check(g, t, &m, text);
            if (m.count) {
                size_t begin = pick((unsigned)m.count), end = begin + pick((unsigned)(m.count - begin) + 1);
                check_part(g, t, &m, begin, end);
            }
            if (i % 8 == 0) check_queries(g, t, &m);
            tw_tensor_free(g, p.t[to]);
            free(p.m[to].element);
            p.t[to] = t;
            p.m[to] = m;
        }
        for (uint32_t i = 0; i < POOL; i++) free(p.m[i].element);
        tw_graph_free(g);
    }
    tw_target_free(target);
}

/* Equality and intersection against the models. */
static void graph_views_equal_and_intersect(void **state)
{
    (void)state;
    tw_target *target = tw_target_new_cpu(false);
    tw_graph *g = tw_graph_new(target);
    tw_tensor x = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 60 }, "x");
    model mx = model_variable(0, 1, (size_t[]){ 60 });
    for (seed = 5; seed % 1000 != 999;) {
        static unsigned rounds;
        if (++rounds > 400) break;
        tw_tensor t[2];
        model m[2];
        for (int k = 0; k < 2; k++) {
            unsigned stride = 1 + pick(4), begin = pick(40), end = begin + pick(20);
            tw_tensor s = tw_tensor_slice(g, x, 0, begin, end);
            model ms = model_dim(&mx, 0, end - begin, 1, begin, 1, 60);
            t[k] = tw_tensor_sub_sample(g, s, stride, 0);
            m[k] =
                model_dim(&ms, 0, (end - begin + stride - 1) / stride, stride, 0, 1, ms.shape[0] ? ms.shape[0] : 1);
            free(ms.element);
        }
        bool share = false, equal = m[0].count == m[1].count;
        for (size_t i = 0; i < m[0].count; i++) {
            equal = equal && m[0].element[i] == m[1].element[i];
            for (size_t k = 0; k < m[1].count; k++) share |= m[0].element[i] == m[1].element[k];
        }
        assert_int_equal(tw_tensor_intersects(g, t[0], t[1]), share);
        assert_int_equal(tw_tensor_equal(g, t[0], t[1]), equal);
        free(m[0].element);
        free(m[1].element);
    }
    free(mx.element);
    tw_graph_free(g);
    tw_target_free(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_views_each_operation),   cmocka_unit_test(graph_views_slices_of_groups),
        cmocka_unit_test(graph_views_boxes_join_again), cmocka_unit_test(graph_views_regions_stay_few),
        cmocka_unit_test(graph_views_random_programs),  cmocka_unit_test(graph_views_equal_and_intersect),
    };
    return cmocka_run_group_tests_name("graph_views", tests, NULL, NULL);
}
