/* SPDX-License-Identifier: MIT */
/* Vertices: connections of each kind of field, sizes, initial values, estimates. */
#include "poplar/graph/fake_codelets.h"
#include "poplar/graph/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

typedef struct fixture {
    tw_target *target;
    tw_graph *g;
    tw_tensor x, i; /* float[8][16], int[4] */
    tw_compute_set cs;
    tw_vertex all;
} fixture;

static fixture open_on(tw_target *target)
{
    fixture f = { .target = target };
    f.g = tw_graph_new(f.target);
    f.x = tw_graph_add_variable(f.g, TW_FLOAT, 2, (size_t[]){ 8, 16 }, "x");
    f.i = tw_graph_add_variable(f.g, TW_INT, 1, (size_t[]){ 4 }, "i");
    tw_graph_map_linearly(f.g, f.x);
    tw_graph_map_linearly(f.g, f.i);
    f.cs = tw_graph_add_compute_set(f.g, "cs");
    f.all = tw_graph_add_vertex(f.g, f.cs, "All", 0);
    return f;
}

static fixture open_graph(void)
{
    return open_on(tw_target_new_ipu_model(NULL));
}

static void close_graph(fixture *f)
{
    tw_graph_free(f->g);
    tw_target_free(f->target);
}

static void fine(fixture *f)
{
    if (tw_graph_status(f->g) != TW_OK) fail_msg("%s", tw_graph_error(f->g)->message);
}

static unsigned field(const fixture *f, tw_vertex v, const char *name)
{
    const tw__core *core = tw__graph_core(f->g);
    const tw__vertex_type *info = tw__vertex_info(core, &core->vertices[v.id]);
    return (unsigned)(tw__vertex_field(info, name) - info->fields);
}

/* Edges of a field in the order of the chain. */
static size_t edges(const fixture *f, tw_vertex v, const char *name, const tw__edge **out)
{
    const tw__core *core = tw__graph_core(f->g);
    size_t n = 0;
    for (uint32_t e = core->vertices[v.id].first_edge; e; e = core->edges[e].next)
        if (core->edges[e].field == field(f, v, name)) out[n++] = &core->edges[e];
    return n;
}

static const tw__field_value *value(const fixture *f, tw_vertex v, const char *name)
{
    const tw__core *core = tw__graph_core(f->g);
    for (uint32_t i = core->vertices[v.id].first_value; i; i = core->values[i].next)
        if (core->values[i].field == field(f, v, name)) return &core->values[i];
    return NULL;
}

static const void *bytes(const tw__field_value *v)
{
    return v->bytes > 8 ? v->u.data : v->u.inline_bytes;
}

static void graph_vertex_edges(void **state)
{
    (void)state;
    fixture f = open_graph();
    const tw__edge *e[16];
    /* One element; any rank. */
    tw_graph_connect(f.g, f.all, "scalar", tw_tensor_slice(f.g, f.i, 0, 2, 3));
    assert_int_equal(edges(&f, f.all, "scalar", e), 1);
    assert_int_equal(e[0]->offset, 2);
    /* Rank 2 row by row, contiguous or not. */
    tw_graph_connect(f.g, f.all, "rows", tw_tensor_slice(f.g, f.x, 0, 2, 5));
    assert_int_equal(edges(&f, f.all, "rows", e), 3);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(e[k]->index, k);
        assert_int_equal(e[k]->offset, 32 + 16 * k);
        assert_int_equal(e[k]->count, 16);
        assert_null(e[k]->regions);
    }
    tw_graph_connect(f.g, f.all, "list", tw_tensor_transpose(f.g, tw_tensor_slice(f.g, f.x, 1, 3, 5)));
    assert_int_equal(edges(&f, f.all, "list", e), 2);
    for (unsigned k = 0; k < 2; k++) {
        assert_int_equal(e[k]->count, 8);
        assert_non_null(e[k]->regions);
        assert_int_equal(e[k]->regions->region[0].offset, 3 + k);
        assert_int_equal(e[k]->regions->region[0].dim[0].stride, 16);
    }
    /* A list of tensors of different sizes. */
    tw_graph_connect_list(f.g, f.all, "outs", 3,
                          (tw_tensor[]){ tw_tensor_index(f.g, f.x, 0),
                                         tw_tensor_slice(f.g, tw_tensor_index(f.g, f.x, 1), 0, 0, 3),
                                         tw_tensor_index(f.g, f.x, 2) });
    assert_int_equal(edges(&f, f.all, "outs", e), 3);
    assert_int_equal(e[1]->count, 3);
    /* Several regions in one vector. */
    tw_graph_connect(
        f.g, f.all, "short_span",
        tw_tensor_concat(f.g, 2, (tw_tensor[]){ tw_tensor_index(f.g, f.x, 1), tw_tensor_index(f.g, f.x, 4) }, 0));
    assert_int_equal(edges(&f, f.all, "short_span", e), 1);
    assert_int_equal(e[0]->count, 32);
    assert_int_equal(e[0]->regions->count, 32);
    /* No elements. */
    tw_graph_connect(f.g, f.all, "compact", tw_tensor_slice(f.g, tw_tensor_flatten(f.g, f.x), 0, 5, 5));
    assert_int_equal(edges(&f, f.all, "compact", e), 1);
    assert_int_equal(e[0]->count, 0);
    assert_int_equal(tw_graph_get_field_size(f.g, f.all, "rows"), 3);
    assert_int_equal(tw_graph_get_field_size(f.g, f.all, "short_span"), 32);
    assert_int_equal(tw_graph_get_field_size(f.g, f.all, "scalar"), 1);
    assert_int_equal(tw_graph_get_field_size(f.g, f.all, "s"), 4);
    assert_true(tw_graph_has_field(f.g, f.all, "rows") && !tw_graph_has_field(f.g, f.all, "rows[0]"));
    assert_false(tw_graph_has_field(f.g, f.all, "row") || tw_graph_has_field(f.g, f.all, NULL));
    assert_false(tw_graph_has_field(f.g, (tw_vertex){ 0 }, "s") ||
                 tw_graph_has_field(f.g, (tw_vertex){ 999 }, "s"));
    fine(&f);
    /* Handles may go: edges keep what they need. */
    tw_tensor_free(f.g, f.x);
    assert_int_equal(edges(&f, f.all, "list", e), 2);
    assert_int_equal(e[1]->regions->count, 8);
    close_graph(&f);
}

/* Sub-vectors one by one, in any order; Vector<Input<T>> ends as one edge in the order of the indices. */
static void graph_vertex_indexed(void **state)
{
    (void)state;
    fixture f = open_graph();
    const tw__edge *e[16];
    tw_compute_set cs = tw_graph_add_compute_set(f.g, "own");
    tw_vertex rows = tw_graph_add_vertex(f.g, cs, "Rows", 1), sum = tw_graph_add_vertex(f.g, cs, "Sum", 1);
    tw_graph_set_field_size(f.g, rows, "rows", 3);
    static const unsigned order[] = { 1, 2, 0 };
    for (unsigned k = 0; k < 3; k++) {
        char name[16];
        snprintf(name, sizeof name, "rows[%u]", order[k]);
        tw_graph_connect(f.g, rows, name, tw_tensor_index(f.g, f.x, order[k]));
    }
    assert_int_equal(edges(&f, rows, "rows", e), 3);
    for (unsigned k = 0; k < 3; k++) assert_int_equal(e[k]->index, order[k]);
    tw_graph_set_field_size(f.g, sum, "edges", 3);
    for (unsigned k = 0; k < 3; k++) {
        char name[16];
        snprintf(name, sizeof name, "edges[%u]", order[k]);
        tw_graph_connect(f.g, sum, name, tw_tensor_element(f.g, f.x, (size_t[]){ order[k], 5 * order[k] }));
    }
    tw_graph_connect(f.g, sum, "out", tw_tensor_element(f.g, f.x, (size_t[]){ 7, 7 }));
    tw_graph_connect(f.g, rows, "rows[1]", tw_tensor_index(f.g, f.x, 1));
    assert_int_equal(tw_graph_take_error(f.g, NULL), TW_E_CONNECTION);
    tw_program p = tw_program_execute(f.g, cs);
    if (tw__graph_check(tw__graph_core(f.g), &p.id, 1) != TW_OK) fail_msg("%s", tw_error_message());
    assert_int_equal(edges(&f, sum, "edges", e), 1);
    assert_int_equal(e[0]->count, 3);
    assert_int_equal(e[0]->index, 0);
    tw__region_walk walk = tw__region_walk_begin(e[0]->regions, 0, 3);
    unsigned at = 0;
    for (tw__elems run; tw__region_walk_next(&walk, &run);)
        for (uint64_t k = 0; k < run.count; k++, at++)
            assert_int_equal(run.offset + k * (uint64_t)run.stride, at * 16 + 5 * at);
    assert_int_equal(at, 3);
    assert_int_equal(edges(&f, sum, "out", e), 1); /* the chain is whole */
    assert_int_equal(tw__graph_check(tw__graph_core(f.g), &p.id, 1), TW_OK);
    close_graph(&f);
}

/* A hundred thousand sub-vectors, one by one. */
static void graph_vertex_many_indexed(void **state)
{
    (void)state;
    enum { N = 100000 };
    fixture f = open_graph();
    tw_tensor y = tw_graph_add_variable(f.g, TW_FLOAT, 2, (size_t[]){ N, 2 }, "y");
    tw_graph_map_linearly(f.g, y);
    tw_compute_set cs = tw_graph_add_compute_set(f.g, "own");
    tw_vertex rows = tw_graph_add_vertex(f.g, cs, "Rows", 1);
    tw_graph_set_field_size(f.g, rows, "rows", N);
    for (unsigned k = 0; k < N; k++) {
        char name[16];
        snprintf(name, sizeof name, "rows[%u]", k);
        tw_graph_push_scope(f.g);
        tw_graph_connect(f.g, rows, name, tw_tensor_index(f.g, y, k));
        tw_graph_pop_scope(f.g);
    }
    fine(&f);
    tw_graph_connect(f.g, rows, "rows[7]", tw_tensor_index(f.g, y, 7));
    assert_int_equal(tw_graph_take_error(f.g, NULL), TW_E_CONNECTION);
    tw_program p = tw_program_execute(f.g, cs);
    assert_int_equal(tw__graph_check(tw__graph_core(f.g), &p.id, 1), TW_OK);
    close_graph(&f);
}

static void graph_vertex_constants(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_compute_set cs = tw_graph_add_compute_set(f.g, "own");
    tw_vertex sum = tw_graph_add_vertex(f.g, cs, "Sum", 9);
    tw_graph_connect_constant(f.g, sum, "edges", 2.5);
    tw_graph_connect(f.g, sum, "out", tw_tensor_element(f.g, f.x, (size_t[]){ 0, 0 }));
    tw_program p = tw_program_execute(f.g, cs);
    fine(&f);
    const tw__core *core = tw__graph_core(f.g);
    assert_int_equal(tw__graph_check(tw__graph_core(f.g), &p.id, 1), TW_OK);
    const tw__variable *v = &core->vars[core->var_count - 1];
    assert_true(v->is_constant && v->is_anonymous_const);
    assert_int_equal(v->mapped[0].tile, 9); /* with its vertex */
    assert_true(*(const float *)v->initial->values == 2.5f);
    close_graph(&f);
}

static void graph_vertex_values(void **state)
{
    (void)state;
    for (int half_bytes = 2; half_bytes <= 4; half_bytes += 2) {
        fixture f = open_on(tw_target_new_cpu(half_bytes == 2));
        tw_graph_set_field(f.g, f.all, "n", 4294967295.0);
        tw_graph_set_field(f.g, f.all, "flag", 1);
        tw_graph_set_field(f.g, f.all, "k", 0.1);
        tw_graph_set_field_int(f.g, f.all, "i", INT32_MIN);
        tw_graph_set_field_values(f.g, f.all, "s", TW_DOUBLE, 4, (double[]){ -32768, 32767, 0, 7 });
        tw_graph_set_field_values(f.g, f.all, "table", TW_INT, 6, (int[]){ 1, 2, 3, 4, 5, 65535 });
        tw_graph_set_field_values(f.g, f.all, "blob", TW_UNSIGNED_CHAR, 12, "hello world");
        fine(&f);
        assert_int_equal(*(const uint32_t *)bytes(value(&f, f.all, "n")), UINT32_MAX);
        assert_int_equal(*(const uint8_t *)bytes(value(&f, f.all, "flag")), 1);
        assert_int_equal(*(const int32_t *)bytes(value(&f, f.all, "i")), INT32_MIN);
        const tw__field_value *k = value(&f, f.all, "k"), *s = value(&f, f.all, "s"),
                              *table = value(&f, f.all, "table");
        assert_int_equal(k->bytes, half_bytes); /* docs/decisions.md, G3 */
        if (half_bytes == 2)
            assert_int_equal(*(const uint16_t *)bytes(k), 0x2e66);
        else
            assert_true(*(const float *)bytes(k) == 0.1f);
        assert_int_equal(s->bytes, 8);
        assert_memory_equal(bytes(s), ((short[]){ -32768, 32767, 0, 7 }), 8);
        assert_int_equal(table->count, 6);
        assert_memory_equal(bytes(table), ((unsigned short[]){ 1, 2, 3, 4, 5, 65535 }), 12);
        assert_memory_equal(bytes(value(&f, f.all, "blob")), "hello world", 12);
        /* Again: the later value counts. */
        tw_graph_set_field_int(f.g, f.all, "n", 5);
        tw_graph_set_field_values(f.g, f.all, "table", TW_UNSIGNED_SHORT, 1, (unsigned short[]){ 9 });
        assert_int_equal(*(const uint32_t *)bytes(value(&f, f.all, "n")), 5);
        assert_int_equal(value(&f, f.all, "table")->count, 1);
        assert_int_equal(tw_graph_get_field_size(f.g, f.all, "table"), 1);
        fine(&f);
        close_graph(&f);
    }
    /* A size without values is zeros; then values must have that size. */
    fixture f = open_graph();
    tw_graph_set_field_size(f.g, f.all, "table", 100);
    const tw__field_value *table = value(&f, f.all, "table");
    assert_int_equal(table->count, 100);
    for (unsigned k = 0; k < 100; k++) assert_int_equal(((const uint16_t *)bytes(table))[k], 0);
    tw_graph_set_field_values(f.g, f.all, "table", TW_INT, 6, (int[]){ 1, 2, 3, 4, 5, 6 });
    assert_int_equal(tw_graph_take_error(f.g, NULL), TW_E_NO_SIZE);
    close_graph(&f);
}

/* Values at the edge of a type fit; the next one does not. */
static void graph_vertex_value_limits(void **state)
{
    (void)state;
    static const struct {
        tw_type type;
        double fits, not;
    } rows[] = {
        { TW_CHAR, 127, 128 },
        { TW_CHAR, -128, -129 },
        { TW_UNSIGNED_SHORT, 65535, 65536 },
        { TW_INT, 2147483647, 2147483648.0 },
        { TW_HALF, 65519.9, 65520 },
        { TW_HALF, -65504, -1e5 },
        { TW_FLOAT, 3.4028235e38, 3.5e38 },
        { TW_BOOL, 1, 0.5 },
        { TW_UNSIGNED_INT, 0, -1 },
        { TW_INT, 3, 3.25 },
        { TW_LONGLONG, -9223372036854775808.0, 9223372036854775808.0 },
    };
    fixture f = open_graph();
    const tw__core *core = tw__graph_core(f.g);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_true(tw__value_fits(core, rows[i].type, rows[i].fits, "f", "v"));
        assert_int_equal(tw_graph_status(f.g), TW_OK);
        assert_false(tw__value_fits(core, rows[i].type, rows[i].not, "f", "v"));
        assert_int_equal(tw_graph_take_error(f.g, NULL), TW_E_OVERFLOW);
    }
    assert_true(tw__value_fits(core, TW_FLOAT, 1.0 / 0.0, "f", "v"));
    assert_true(tw__value_fits(core, TW_HALF, 0.0 / 0.0, "f", "v"));
    close_graph(&f);
}

/* Spec poplar.md 1.7, guide 4.2 and 4.3. */
static void graph_vertex_max_field_dim(void **state)
{
    (void)state;
    static const struct {
        tw_chip chip;
        const char *field;
        unsigned dim;
        uint64_t most;
    } rows[] = {
        { TW_MK2, "short_span", 0, 2047 }, { TW_MK2, "rows", 1, 2047 },          { TW_MK2, "rows", 0, UINT32_MAX },
        { TW_MK1, "list", 0, 4095 },       { TW_MK1, "list", 1, 16383 },         { TW_MK2, "list", 0, 65535 },
        { TW_MK2, "list", 1, 8191 },       { TW_MK2, "compact", 0, UINT32_MAX },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        fixture f =
            open_on(tw_target_new_ipu_model(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .chip = rows[i].chip }));
        if (tw_graph_max_field_dim(f.g, "All", rows[i].field, rows[i].dim) != rows[i].most) fail_msg("row %zu", i);
        close_graph(&f);
    }
}

/* Both sides of what a layout can count, in each way to connect; a CPU has no such limit. */
static void graph_vertex_layout_limits(void **state)
{
    (void)state;
    static const struct {
        tw_chip chip; /* 0: the CPU */
        const char *field;
        size_t rows, row; /* rows 0: a vector */
        bool fits;
    } cases[] = {
        { TW_MK2, "short_span", 0, 2047, true }, { TW_MK2, "short_span", 0, 2048, false },
        { 0, "short_span", 0, 2048, true },      { TW_MK2, "rows", 2, 2047, true },
        { TW_MK2, "rows", 2, 2048, false },      { 0, "rows", 2, 2048, true },
        { TW_MK1, "list", 4095, 1, true },       { TW_MK1, "list", 4096, 1, false },
        { TW_MK1, "list", 1, 16383, true },      { TW_MK1, "list", 1, 16384, false },
        { TW_MK2, "list", 65535, 1, true },      { TW_MK2, "list", 65536, 1, false },
        { TW_MK2, "list", 1, 8191, true },       { TW_MK2, "list", 1, 8192, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t rows = cases[i].rows, row = cases[i].row;
        for (int way = 0; way < (rows ? 3 : 1); way++) {
            if (way == 2 && rows > 2) continue;
            fixture f = open_on(cases[i].chip ? tw_target_new_ipu_model(&(tw_ipu_model){
                                                    .size = sizeof(tw_ipu_model), .chip = cases[i].chip })
                                              : tw_target_new_cpu(false));
            tw_compute_set cs = tw_graph_add_compute_set(f.g, "cs");
            tw_vertex v = tw_graph_add_vertex(f.g, cs, "All", 0);
            tw_tensor x = tw_graph_add_variable(f.g, TW_FLOAT, 2, (size_t[]){ rows ? rows : 1, row }, "x");
            if (way == 0) {
                tw_graph_connect(f.g, v, cases[i].field, x);
            } else {
                tw_tensor *parts = g_new(tw_tensor, rows);
                for (size_t r = 0; r < rows; r++) parts[r] = tw_tensor_index(f.g, x, r);
                char name[32];
                snprintf(name, sizeof name, "%s[%zu]", cases[i].field, rows - 1);
                if (way == 2) tw_graph_set_field_size(f.g, v, cases[i].field, rows);
                if (way == 2)
                    tw_graph_connect(f.g, v, name, parts[rows - 1]);
                else
                    tw_graph_connect_list(f.g, v, cases[i].field, rows, parts);
                g_free(parts);
            }
            tw_error error = { 0 };
            tw_status status = tw_graph_take_error(f.g, &error);
            if (status != (cases[i].fits ? TW_OK : TW_E_CONNECTION) ||
                (status && !strstr(error.message, "more than its vector layout can count")))
                fail_msg("case %zu way %d: %s", i, way, status ? error.message : "no error");
            if (status) assert_int_equal(tw_graph_edge_count(f.g), 0); /* no effect */
            close_graph(&f);
        }
    }
}

static int destroyed;
static void destroy(void *user)
{
    destroyed += *(int *)user;
}

static tw_perf_estimate estimate(const tw_vertex_info *v, const tw_target *target, void *user)
{
    (void)target;
    assert_int_equal(tw_vertex_info_field_size(v, "rows"), 3);
    assert_int_equal(tw_vertex_info_sub_size(v, "rows", 2), 16);
    assert_int_equal(tw_vertex_info_field_size(v, "nonsense"), 0);
    assert_true(tw_vertex_info_value(v, "n", 0) == 12);
    assert_true(tw_vertex_info_value(v, "s", 3) == 7);
    assert_true(tw_vertex_info_value(v, "s", 4) == 0);
    assert_true(tw_vertex_info_value(v, "k", 0) == 1.5);
    assert_string_equal(tw_vertex_info_layout(v, "rows", 1), "ShortSpan");
    assert_string_equal(tw_vertex_info_layout(v, "list", 0), "DeltaNElements");
    assert_string_equal(tw_vertex_info_layout(v, "compact", 0), "OnePtr");
    assert_string_equal(tw_vertex_info_layout(v, "n", 0), "NotAVector");
    return (tw_perf_estimate){ (uint64_t)*(int *)user, 2 };
}

/* Elements of a list may be connected before its size is set, or without it when none is left out. */
static void graph_vertex_size_after_elements(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_vertex v = tw_graph_add_vertex(f.g, f.cs, "Rows", 0);
    tw_graph_connect(f.g, v, "rows[1]", tw_tensor_index(f.g, f.x, 1));
    tw_graph_set_field_size(f.g, v, "rows", 1);
    assert_int_equal(tw_graph_take_error(f.g, NULL), TW_E_CONNECTION);
    tw_graph_set_field_size(f.g, v, "rows", 2);
    fine(&f);
    assert_int_equal(tw_graph_get_field_size(f.g, v, "rows"), 2);
    tw_graph_connect(f.g, v, "rows[2]", tw_tensor_index(f.g, f.x, 2));
    assert_int_equal(tw_graph_take_error(f.g, NULL), TW_E_INDEX);
    tw_graph_connect(f.g, v, "rows[0]", tw_tensor_index(f.g, f.x, 0));
    fine(&f);
    close_graph(&f);
}

static void graph_vertex_negative_is_unsigned_bits(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_graph_set_field_int(f.g, f.all, "n", -2); /* an unsigned int, set from an int */
    fine(&f);
    tw_vertex_info info = { tw__graph_core(f.g), f.all.id };
    assert_true(tw_vertex_info_value(&info, "n", 0) == 4294967294.0);
    tw_graph_set_field_int(f.g, f.all, "n", (int64_t)INT32_MIN - 1);
    assert_int_equal(tw_graph_take_error(f.g, NULL), TW_E_OVERFLOW);
    close_graph(&f);
}

/* Connections to constants are known before a run, others are not. */
static void graph_vertex_constants_known(void **state)
{
    (void)state;
    fixture f = open_graph();
    static const float numbers[12] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    tw_tensor c = tw_graph_add_constant(f.g, TW_FLOAT, 2, (size_t[]){ 2, 6 }, numbers, false, "c");
    tw_graph_map(f.g, c, 0);
    tw_vertex v = tw_graph_add_vertex(f.g, f.cs, "Rows", 0);
    /* Transposed: the elements of a row lie apart. */
    tw_graph_connect(f.g, v, "rows", tw_tensor_transpose(f.g, c));
    tw_graph_connect(f.g, f.all, "rows", tw_tensor_slice(f.g, f.x, 0, 0, 3));
    tw_graph_connect(f.g, f.all, "compact", tw_tensor_flatten(f.g, tw_tensor_reverse(f.g, c, 1)));
    fine(&f);
    tw_vertex_info info = { tw__graph_core(f.g), v.id };
    double out[16] = { 0 };
    assert_int_equal(tw_vertex_info_values(&info, "rows", 4, out, 16), 2);
    assert_true(out[0] == 4 && out[1] == 10);
    assert_int_equal(tw_vertex_info_values(&info, "rows", 6, out, 16), 0);
    info.vertex = f.all.id;
    assert_int_equal(tw_vertex_info_values(&info, "compact", 0, out, 7), 12); /* all are counted, 7 are copied */
    assert_true(out[0] == 5 && out[5] == 0 && out[6] == 11 && out[7] == 0);
    assert_true(tw_vertex_info_value(&info, "compact", 11) == 6);
    assert_true(tw_vertex_info_value(&info, "compact", 12) == 0);
    assert_int_equal(tw_vertex_info_values(&info, "rows", 1, out, 16), 0); /* variables */
    assert_int_equal(tw_vertex_info_values(&info, "nonsense", 0, out, 16), 0);
    close_graph(&f);
}

static void graph_vertex_estimates(void **state)
{
    (void)state;
    fixture f = open_graph();
    int first = 1, second = 10;
    destroyed = 0;
    tw_graph_register_perf_estimator(f.g, "All", estimate, &first, destroy);
    tw_graph_register_perf_estimator(f.g, "All", estimate, &second, destroy);
    assert_int_equal(destroyed, 1);
    tw_graph_connect(f.g, f.all, "rows", tw_tensor_slice(f.g, f.x, 0, 0, 3));
    tw_graph_set_field(f.g, f.all, "n", 12);
    tw_graph_set_field(f.g, f.all, "k", 1.5);
    tw_graph_set_field_values(f.g, f.all, "s", TW_INT, 4, (int[]){ 1, 2, 3, 7 });
    fine(&f);
    const tw__core *core = tw__graph_core(f.g);
    const tw__vertex_type_entry *entry = &core->types[core->vertices[f.all.id].type];
    tw_vertex_info info = { core, f.all.id };
    assert_int_equal(entry->estimator(&info, core->target, entry->user).cycles, 10);
    /* Set on vertices in any order, kept sorted; the later one counts. */
    tw_vertex v[4];
    for (unsigned i = 0; i < 4; i++) v[i] = tw_graph_add_vertex(f.g, f.cs, "Scale", 0);
    static const unsigned order[] = { 2, 0, 3, 2, 1 };
    for (unsigned i = 0; i < 5; i++) tw_graph_set_perf_estimate(f.g, v[order[i]], 100 * i, i);
    assert_int_equal(core->estimate_count, 4);
    static const unsigned cycles[] = { 100, 400, 300, 200 };
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(core->estimates[i].vertex, v[i].id);
        assert_int_equal(core->estimates[i].cycles, cycles[i]);
    }
    close_graph(&f);
    assert_int_equal(destroyed, 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_vertex_edges),
        cmocka_unit_test(graph_vertex_indexed),
        cmocka_unit_test(graph_vertex_many_indexed),
        cmocka_unit_test(graph_vertex_constants),
        cmocka_unit_test(graph_vertex_values),
        cmocka_unit_test(graph_vertex_value_limits),
        cmocka_unit_test(graph_vertex_max_field_dim),
        cmocka_unit_test(graph_vertex_layout_limits),
        cmocka_unit_test(graph_vertex_estimates),
        cmocka_unit_test(graph_vertex_constants_known),
        cmocka_unit_test(graph_vertex_size_after_elements),
        cmocka_unit_test(graph_vertex_negative_is_unsigned_bits),
    };
    return cmocka_run_group_tests_name("graph_vertex", tests, NULL, NULL);
}
