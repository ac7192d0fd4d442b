/* SPDX-License-Identifier: MIT */
/* Sorts and top-k against qsort of elements with their places; the same bits wherever elements lie. */
#include "poplar/libs/libs_run.h"

enum { MOST = 24000 };
static const tw_type types[] = { TW_FLOAT, TW_HALF, TW_INT, TW_UNSIGNED_INT };

typedef struct item {
    double key;
    bool negative; /* of a zero */
    uint32_t place;
} item;

static int by_key(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->negative != y->negative) return x->negative ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}
static int by_key_down(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    if (x->negative != y->negative) return x->negative ? 1 : -1;
    return x->place < y->place ? -1 : x->place > y->place;
}

typedef struct sort_case {
    tw_type type;
    size_t shape[3]; /* sorted along dimension `dim` */
    unsigned dim;
    bool top;
    tw_top_k params;
    char keys[MOST * 4];
    uint32_t values[MOST];
} sort_case;

/* Results in row-major order of their shape, that of the keys with `take` elements along the dimension. */
static void sort_reference(const sort_case *c, size_t take, char *keys, uint32_t *values)
{
    static item row[MOST];
    size_t n = c->shape[c->dim], inner = 1, outer = 1, width = tw_type_size(c->type);
    for (unsigned d = 0; d < 3; d++) *(d < c->dim ? &outer : &inner) *= d == c->dim ? 1 : c->shape[d];
    bool down = c->top && c->params.largest;
    bool turned = c->top && c->params.order == (down ? TW_SORT_ASCENDING : TW_SORT_DESCENDING);
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < inner; i++) {
            for (size_t k = 0; k < n; k++) {
                double v = tw_type_load(c->type, c->keys + ((o * n + k) * inner + i) * width);
                row[k] = (item){ v, signbit(v) != 0, (uint32_t)k };
            }
            qsort(row, n, sizeof *row, down ? by_key_down : by_key);
            if (turned) qsort(row, take, sizeof *row, down ? by_key : by_key_down);
            for (size_t k = 0; k < take; k++) {
                const item *from = &row[k];
                size_t to = (o * take + k) * inner + i;
                memcpy(keys + to * width, c->keys + ((o * n + from->place) * inner + i) * width, width);
                values[to] = c->top ? from->place : c->values[(o * n + from->place) * inner + i];
            }
        }
}

enum { OUT, IN_PLACE };
static void sort_run_case(tw_device *dev, sort_case *c, int way, int form, char *keys, uint32_t *values)
{
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    lcg r = { 5 };
    tw_tensor k = tw_graph_add_variable(g, c->type, 3, c->shape, "keys"),
              v = tw_graph_add_variable(g, TW_UNSIGNED_INT, 3, c->shape, "values");
    map_somehow(g, k, way, &r), map_somehow(g, v, (way + 1) % MAPPINGS, &r);
    tw_program p = tw_program_sequence(g, NULL);
    tw_sorted out = { k, v };
    if (c->top)
        out = tw_popops_top_k(g, k, (tw_tensor){ 0, 0 }, &c->params, p, "y");
    else if (form == OUT)
        out = tw_popops_sort_key_value(g, k, v, c->dim, p, "y");
    else
        tw_popops_sort_key_value_in_place(g, k, v, c->dim, p, "y");
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    io list[] = {
        { k, c->keys, false }, { out.keys, keys, true }, { out.values, values, true }, { v, c->values, false }
    };
    run_once(g, dev, p, c->top ? 3 : 4, list);
    tw_graph_free(g);
}

static void sort_fill(sort_case *c, lcg *r, unsigned kinds)
{
    for (size_t i = 0; i < c->shape[0] * c->shape[1] * c->shape[2]; i++) {
        double v = draw(r, kinds);
        if (c->type == TW_FLOAT || c->type == TW_HALF) v = (v - kinds / 2) / 4;
        if (c->type == TW_INT) v -= kinds / 2;
        if (v == 0 && c->type == TW_FLOAT && draw(r, 2)) v = -0.0;
        tw_type_store(c->type, c->keys + i * tw_type_size(c->type), v);
        c->values[i] = draw(r, 1000000);
    }
}

static void sort_compare(sort_case *c, unsigned k)
{
    static char want[MOST * 4], out[MOST * 4];
    static uint32_t want_values[MOST], values[MOST];
    size_t take = c->top ? c->params.k : c->shape[c->dim];
    size_t count = c->shape[0] * c->shape[1] * c->shape[2] / c->shape[c->dim] * take;
    sort_reference(c, take, want, want_values);
    tw_device *dev[] = { tw_device_cpu_accurate_half(), model_device(5, 1) };
    for (int way = 0; way < MAPPINGS; way++) {
        if (way == (int)(k % 3)) continue;
        sort_run_case(dev[way % 2], c, way, way / 2 ? OUT : IN_PLACE, out, values);
        if (memcmp(out, want, count * tw_type_size(c->type)) != 0) fail_msg("case %u, mapping %d: keys", k, way);
        if (memcmp(values, want_values, count * 4) != 0) fail_msg("case %u, mapping %d: values", k, way);
    }
    tw_device_free(dev[0]), tw_device_free(dev[1]);
}

static void libs_sort_random(void **state)
{
    (void)state;
    static sort_case c;
    lcg r = { 21 };
    for (unsigned k = 0; k < 16; k++) {
        c = (sort_case){ .type = types[k % 4], .dim = draw(&r, 3) };
        for (unsigned d = 0; d < 3; d++) c.shape[d] = 1 + draw(&r, d == c.dim ? 90 : 9);
        sort_fill(&c, &r, k % 2 ? 20 : 30000);
        sort_compare(&c, k);
    }
}

/* Long rows are cut in pieces, which merge: sizes around them. */
static void libs_sort_long(void **state)
{
    (void)state;
    static sort_case c;
    static const size_t sizes[] = { 1023, 1024, 1537, 5000, 20011 };
    lcg r = { 22 };
    for (unsigned k = 0; k < 5; k++) {
        c = (sort_case){ .type = types[k % 4], .dim = 2, .shape = { 1, k % 2 + 1, sizes[k] } };
        if (k == 4) c.shape[1] = 1;
        sort_fill(&c, &r, k % 2 ? 50 : 60000);
        sort_compare(&c, k);
    }
}

static void libs_sort_top_k(void **state)
{
    (void)state;
    static sort_case c;
    lcg r = { 23 };
    for (unsigned k = 0; k < 18; k++) {
        size_t n = k < 12 ? 1 + draw(&r, 60) : 1500 + draw(&r, 4000);
        c = (sort_case){
            .type = types[k % 4], .dim = 2, .top = true, .shape = { 1 + draw(&r, 2), 1 + draw(&r, 2), n }
        };
        c.params =
            (tw_top_k){ k % 5 == 0 ? (unsigned)n : draw(&r, (uint32_t)n + 1), k / 3 % 2, (tw_sort_order)(k % 3) };
        if (k == 1) c.params.k = 1;
        sort_fill(&c, &r, k % 2 ? 20 : 30000);
        sort_compare(&c, k);
    }
}

static void libs_sort_refused(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 6 }, "keys"),
              b = tw_graph_add_variable(g, TW_BOOL, 2, (size_t[]){ 4, 6 }, "flags"),
              v = tw_graph_add_variable(g, TW_INT, 2, (size_t[]){ 6, 4 }, "values"),
              one = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "one"),
              loose = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 3 }, "loose");
    tw_graph_map(g, t, 0), tw_graph_map(g, b, 0), tw_graph_map(g, v, 0), tw_graph_map(g, one, 0);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor twice = tw_tensor_broadcast(g, tw_tensor_reshape(g, one, 1, (size_t[]){ 1 }), 4, 0);
    uint64_t before = graph_hash(g);
    tw_popops_sort(g, t, 2, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_sort", "'keys' float[4, 6]", "no dimension 2", NULL);
    tw_popops_sort_in_place(g, b, 0, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_sort_in_place", "'flags' bool[4, 6]", "sorted", NULL);
    tw_popops_sort_key_value(g, t, v, 0, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_sort_key_value", "'keys' float[4, 6]", "'values' int[6, 4]", NULL);
    tw_popops_sort_key_value_in_place(g, twice, twice, 0, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_sort_key_value_in_place", "'one' float[4]", "twice", NULL);
    tw_popops_sort(g, loose, 0, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_sort", "'loose' float[3]", "no tile", NULL);
    tw_popops_top_k(g, t, (tw_tensor){ 0, 0 }, &(tw_top_k){ 7, true, TW_SORT_NONE }, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_top_k", "'keys' float[4, 6]", "7", NULL);
    tw_popops_top_k(g, one, (tw_tensor){ 0, 0 }, &(tw_top_k){ 1, true, TW_SORT_NONE }, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_top_k", "'one' float[]", "no dimension", NULL);
    tw_popops_create_top_k_input(g, TW_FLOAT, 1, (size_t[]){ 3 }, &(tw_top_k){ 4, true, TW_SORT_NONE }, "t");
    refused_with(g, TW_E_POPLIBS, "tw_popops_create_top_k_input", "[3]", "float", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_sort_random), cmocka_unit_test(libs_sort_long),
                                        cmocka_unit_test(libs_sort_top_k), cmocka_unit_test(libs_sort_refused) };
    return cmocka_run_group_tests_name("libs_sort", tests, NULL, NULL);
}
