/* SPDX-License-Identifier: MIT */
/* Variables: constants, load-time values, clones, reinterpretation; targets and devices. */
#include "poplar/graph/fake_codelets.h"
#include "poplar/graph/build.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static tw_graph *new_graph(void)
{
    tw_target *target =
        tw_target_new_ipu_model(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = 8 });
    tw_graph *g = tw_graph_new(target);
    tw_target_free(target);
    return g;
}

static void fine(tw_graph *g)
{
    if (tw_graph_status(g) != TW_OK) fail_msg("%s", tw_graph_error(g)->message);
}

/* Value of each element of a variable after a load, as an engine applies the list; NaN where none is given. */
static void load(tw_graph *g, uint32_t var, float *out)
{
    const tw__variable *v = &tw__graph_core(g)->vars[var];
    for (uint64_t i = 0; i < v->count; i++) out[i] = -1;
    for (const tw__initial *k = v->initial; k; k = k->next) {
        size_t at = 0;
        tw__region_walk walk = tw__region_walk_begin(k->regions, 0, k->regions->count);
        for (tw__elems e; tw__region_walk_next(&walk, &e);)
            for (uint64_t i = 0; i < e.count; i++, at++) {
                assert_int_equal(e.var, var);
                out[e.offset + i * (uint64_t)e.stride] = ((const float *)k->values)[k->broadcast ? 0 : at];
            }
    }
}

static void graph_variable_initial_values(void **state)
{
    (void)state;
    tw_graph *g = new_graph();
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 2, 3 }, "x");
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 2, 3 }, "y");
    float values[12], got[6];
    for (int i = 0; i < 12; i++) values[i] = (float)i;
    /* [4][3] of both, transposed: [3][4], value of element (c, r) = 4 c + r. */
    tw_graph_set_initial_value(g, tw_tensor_transpose(g, tw_tensor_concat(g, 2, (tw_tensor[]){ x, y }, 0)), values,
                               false);
    fine(g);
    memset(values, 0, sizeof values); /* copied */
    load(g, 0, got);
    assert_memory_equal(got, ((float[]){ 0, 4, 8, 1, 5, 9 }), sizeof got);
    load(g, 1, got);
    assert_memory_equal(got, ((float[]){ 2, 6, 10, 3, 7, 11 }), sizeof got);
    /* Later values win; those of a part leave the rest. */
    tw_graph_set_initial_value(g, tw_tensor_slice(g, x, 1, 1, 2), &(float){ 50 }, true);
    load(g, 0, got);
    assert_memory_equal(got, ((float[]){ 0, 50, 8, 1, 50, 9 }), sizeof got);
    fine(g);
    tw_graph_free(g);
}

static void graph_variable_constants(void **state)
{
    (void)state;
    tw_graph *g = new_graph();
    tw_tensor c = tw_graph_add_constant(g, TW_FLOAT, 1, (size_t[]){ 3 }, (float[]){ 1, 2, 3 }, false, "c");
    tw_tensor d = tw_graph_add_constant_double(g, TW_HALF, 2, (size_t[]){ 2, 2 }, 0.1, NULL);
    tw_tensor e = tw_graph_add_constant(g, TW_INT, 1, (size_t[]){ 0 }, NULL, false, "none");
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 3 }, "x");
    fine(g);
    float got[3];
    load(g, 0, got);
    assert_memory_equal(got, ((float[]){ 1, 2, 3 }), sizeof got);
    const tw__initial *k = tw__graph_core(g)->vars[1].initial;
    assert_true(k->broadcast && *(const uint16_t *)k->values == 0x2e66);
    assert_int_equal(tw_tensor_elements(g, e), 0);
    assert_true(tw_tensor_contains_constant(g, c) && tw_tensor_contains_constant(g, d));
    assert_true(tw_tensor_contains_constant(g, tw_tensor_concat(g, 2, (tw_tensor[]){ x, c }, 0)));
    assert_false(tw_tensor_contains_constant(g, x) || tw_tensor_contains_constant(g, e));
    assert_false(tw_tensor_is_parallel_writeable(g, c));
    tw_graph_free(g);
}

/* --- clones: a model element by element ----------------------------------------------------------------------- */

static size_t elements(tw_graph *g, tw_tensor t, uint64_t *out)
{
    const tw__regions *list = tw__tensor_get(tw__graph_core(g), t)->regions;
    size_t n = 0;
    tw__region_walk walk = tw__region_walk_begin(list, 0, list->count);
    for (tw__elems e; tw__region_walk_next(&walk, &e);)
        for (uint64_t i = 0; i < e.count; i++)
            out[n++] = (uint64_t)e.var << 32 | (e.offset + i * (uint64_t)e.stride);
    return n;
}

static unsigned tile_of(tw_graph *g, uint64_t element)
{
    tw__variable *v = &tw__graph_core(g)->vars[element >> 32];
    assert_true(tw__mapping_settle(v));
    size_t i = tw__mapped_find(v, (uint32_t)element);
    return i < v->mapped_count && v->mapped[i].begin <= (uint32_t)element ? v->mapped[i].tile : TW_UNMAPPED;
}

static void graph_variable_clones(void **state)
{
    (void)state;
    enum { MOST = 200 };
    for (int kind = 0; kind < 6; kind++) {
        for (int method = 0; method < 4; method++) {
            tw_graph *g = new_graph();
            tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 6, 10 }, "x");
            tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 6, 10 }, "y");
            for (unsigned i = 0; i < 9; i++)
                tw_graph_map(g, tw_tensor_slice(g, x, 1, i, i + 1), (i * 5) % 8); /* column 9: unmapped */
            tw_graph_map_linearly_with(g, y, 4, 1, 2);
            tw_tensor kinds[] = {
                x,
                tw_tensor_transpose(g, x),
                tw_tensor_sub_sample(g, tw_tensor_reverse(g, x, 1), 3, 1),
                tw_tensor_concat(
                    g, 2, (tw_tensor[]){ tw_tensor_slice(g, x, 0, 1, 5), tw_tensor_slice(g, y, 0, 2, 4) }, 0),
                tw_tensor_broadcast(g, tw_tensor_slice(g, x, 0, 1, 3), 2, 0),
                tw_tensor_slice(g, x, 0, 2, 2),
            };
            tw_tensor t = kinds[kind], c = tw_graph_clone(g, TW_INT, t, (tw_clone_method)method, "copy");
            fine(g);
            assert_int_equal(tw_tensor_type(g, c), TW_INT);
            assert_int_equal(tw_tensor_rank(g, c), 2);
            assert_memory_equal(tw_tensor_shape(g, c), tw_tensor_shape(g, t), 2 * sizeof(size_t));
            uint64_t a[MOST], b[MOST];
            size_t n = elements(g, t, a);
            assert_int_equal(elements(g, c, b), n);
            bool aliases = tw_tensor_contains_aliases(g, t);
            bool keep = method == TW_CLONE_PRESERVE_ORDER_AND_ALIASES ||
                        method == TW_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES;
            bool by_order = method == TW_CLONE_PRESERVE_ORDER_AND_ALIASES ||
                            (method == TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES && !aliases);
            size_t distinct = 0;
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(tile_of(g, b[i]), tile_of(g, a[i]));
                assert_int_equal(b[i] >> 32, b[0] >> 32); /* one new variable */
                bool seen = false;
                for (size_t k = 0; k < i; k++) {
                    seen |= b[k] == b[i];
                    if (keep) assert_int_equal(a[k] == a[i], b[k] == b[i]);
                    if (by_order) assert_int_equal(a[k] < a[i], b[k] < b[i]);
                    if (method == TW_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES &&
                        tile_of(g, a[k]) < tile_of(g, a[i]))
                        assert_true(b[k] < b[i]);
                }
                distinct += !seen;
                if (method == TW_CLONE_CREATE_NEW_ORDER) assert_int_equal((uint32_t)b[i], i);
            }
            if (n) assert_int_equal(tw__graph_core(g)->vars[b[0] >> 32].count, distinct);
            if (!keep) assert_int_equal(distinct, n);
            tw_graph_free(g);
        }
    }
}

static void graph_variable_reinterpret(void **state)
{
    (void)state;
    /* docs/decisions.md, G3: half has two bytes on the model, and four on a CPU target without accurate half. */
    static const struct {
        int target;
        tw_type from, to;
        bool fits;
    } rows[] = {
        { 0, TW_FLOAT, TW_INT, true },  { 0, TW_HALF, TW_SHORT, true },    { 0, TW_HALF, TW_FLOAT, false },
        { 1, TW_HALF, TW_FLOAT, true }, { 1, TW_HALF, TW_SHORT, false },   { 2, TW_HALF, TW_SHORT, true },
        { 2, TW_CHAR, TW_BOOL, true },  { 0, TW_LONGLONG, TW_INT, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_target *target =
            rows[i].target == 0 ? tw_target_new_ipu_model(NULL) : tw_target_new_cpu(rows[i].target == 2);
        tw_graph *g = tw_graph_new(target);
        tw_tensor x = tw_graph_add_variable(g, rows[i].from, 2, (size_t[]){ 4, 4 }, "x");
        tw_tensor t = tw_tensor_reinterpret(g, tw_tensor_transpose(g, x), rows[i].to);
        if (tw_graph_status(g) != (rows[i].fits ? TW_OK : TW_E_TYPE)) fail_msg("row %zu", i);
        if (rows[i].fits) {
            assert_int_equal(tw_tensor_type(g, t), rows[i].to);
            assert_int_equal(tw_tensor_type(g, x), rows[i].from);
            assert_true(tw_tensor_equal(g, tw_tensor_transpose(g, tw_tensor_reinterpret(g, t, rows[i].from)), x));
        }
        tw_graph_free(g);
        tw_target_free(target);
    }
}

/* --- targets -------------------------------------------------------------------------------------------------- */

static void graph_target_figures(void **state)
{
    (void)state;
    /* Spec poplar.md 2.1 and 2.3. */
    tw_device *mk1 = tw_device_ipu_model(TW_MK1, 1), *mk2 = tw_device_ipu_model(TW_MK2, 4), *cpu = tw_device_cpu();
    const struct {
        const tw_target *t;
        const char *arch;
        unsigned tiles, ipus, workers, half, type_half;
        uint64_t bytes;
        size_t elements;
    } rows[] = {
        { tw_device_target(mk1), "ipu1", 1216, 1, 6, 4, 2, 262144, 12 },
        { tw_device_target(mk2), "ipu2", 4 * 1472, 4, 6, 4, 2, 638976, 26 },
        { tw_device_target(cpu), "cpu", 1, 1, 6, 4, 4, UINT64_MAX, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const tw_target *t = rows[i].t;
        size_t n;
        assert_string_equal(tw_target_arch(t), rows[i].arch);
        assert_int_equal(tw_target_tiles(t), rows[i].tiles);
        assert_int_equal(tw_target_ipus(t), rows[i].ipus);
        assert_int_equal(tw_target_tiles_per_ipu(t), rows[i].tiles / rows[i].ipus);
        assert_int_equal(tw_target_worker_contexts(t), rows[i].workers);
        assert_int_equal(tw_target_vector_width(t, TW_HALF), rows[i].half);
        assert_int_equal(tw_target_vector_width(t, TW_FLOAT), 2);
        assert_int_equal(tw_target_data_path_width(t), 64);
        assert_int_equal(tw_target_type_size(t, TW_HALF), rows[i].type_half);
        assert_true(tw_target_bytes_per_tile(t) == rows[i].bytes);
        assert_true(tw_target_memory_bytes(t) == (i == 2 ? UINT64_MAX : rows[i].bytes * rows[i].tiles));
        const uint64_t *offsets = tw_target_memory_element_offsets(t, &n);
        assert_int_equal(n, rows[i].elements);
        if (n) assert_int_equal(offsets[1], 16384);
        assert_true(tw_target_clock_hz(t) > 0);
    }
    const tw_target *t = tw_device_target(mk2);
    assert_int_equal(tw_target_interleaved_memory_element_index(t), 13);
    assert_int_equal(tw_target_memory_element_offsets(t, NULL)[14] - tw_target_memory_element_offsets(t, NULL)[13],
                     32768);
    assert_true(tw_target_exchange_bytes_per_cycle(t) == 4);
    assert_int_equal(tw_target_memcpy_bytes_per_cycle(t), 8);
    assert_true(tw_target_supports_exchange_bus_sharing(t));
    assert_int_equal(tw_target_tiles_per_shared_exchange_bus(t), 2);
    assert_int_equal(tw_target_rpt_count_max(t), 65535);
    assert_int_equal(tw_target_atomic_store_granularity(t), 4);
    assert_int_equal(tw_target_conv_units(t, TW_HALF, TW_FLOAT), 8);
    assert_int_equal(tw_target_weights_per_conv_unit(t, TW_HALF), 16);
    /* ceil(15 ns x 1.33 GHz x (1 + 4 / 4) x 2) */
    assert_int_equal(tw_target_global_sync_cycles(t), 80);
    assert_int_equal(tw_target_max_sync_delay(tw_device_target(mk1)), 118);
    assert_true(tw_device_attach(cpu));
    tw_device_detach(cpu);
    tw_device_free(mk1);
    tw_device_free(mk2);
    tw_device_free(cpu);
}

/* Limits of types, control values, links and host exchange blocks (Poplar API, Target.hpp). */
static void graph_target_facts(void **state)
{
    (void)state;
    tw_device *mk1 = tw_device_ipu_model(TW_MK1, 2), *cpu = tw_device_cpu();
    const tw_target *t = tw_device_target(mk1), *host = tw_device_target(cpu);
    int8_t c[2];
    uint8_t uc[2];
    int32_t i[2];
    uint64_t u[2];
    uint16_t h[2];
    float f[2];
    assert_true(tw_target_type_limits(t, TW_SIGNED_CHAR, &c[0], &c[1]) && c[0] == -128 && c[1] == 127);
    assert_true(tw_target_type_limits(t, TW_UNSIGNED_CHAR, &uc[0], &uc[1]) && uc[0] == 0 && uc[1] == 255);
    assert_true(tw_target_type_limits(t, TW_INT, &i[0], &i[1]) && i[0] == INT32_MIN && i[1] == INT32_MAX);
    assert_true(tw_target_type_limits(t, TW_U64, &u[0], &u[1]) && u[0] == 0 && u[1] == UINT64_MAX);
    assert_true(tw_target_type_limits(t, TW_FLOAT, &f[0], &f[1]) && f[0] == -3.40282347e38f && f[1] == -f[0]);
    assert_true(tw_target_type_limits(t, TW_HALF, &h[0], &h[1]) && h[0] == 0xfbff && h[1] == 0x7bff); /* 65504 */
    assert_true(tw_target_type_limits(host, TW_HALF, &f[0], NULL) && f[0] == -3.40282347e38f); /* half is float */
    assert_true(tw_target_type_limits(t, TW_BOOL, &uc[0], &uc[1]) && uc[0] == 0 && uc[1] == 1);
    assert_false(tw_target_type_limits(t, TW_QUARTER, NULL, NULL));
    assert_false(tw_target_type_limits(t, TW_TYPE_NONE, NULL, NULL));

    assert_int_equal(tw_target_make_fp_ictl(t, true, false, false, false, false), 1);
    assert_int_equal(tw_target_make_fp_ictl(t, false, true, true, false, false), 6);
    assert_int_equal(tw_target_make_fp_ictl(t, false, false, false, true, true), 3 << 19);
    assert_int_equal(tw_target_fp_ictl_index(t), 0x20);
    assert_int_equal(tw_target_dbg_data_index(t), 0x70);
    assert_string_equal(tw_target_system(t), "ipu1");
    assert_int_equal(tw_target_ipu_link_domain_size(t), 2);
    assert_int_equal(tw_target_instance_size(t), 2);
    assert_int_equal(tw_target_ipu_link_topology(t), TW_LINK_MESH);
    assert_int_equal(tw_target_ipu_link_configuration(t), TW_LINK_DEFAULT);
    assert_false(tw_target_gateway_mode(t));
    size_t constraints = 9;
    assert_null(tw_target_global_exchange_constraints(t, &constraints));
    assert_int_equal(constraints, 0);

    unsigned per_context = tw_target_tiles_per_xb_context(t), contexts = tw_target_contexts_per_xb(t);
    for (unsigned tile = 0; tile < tw_target_tiles(t); tile++) /* the three numbers name the tile of an IPU */
        assert_int_equal(
            (tw_target_host_exchange_xb(t, tile) * contexts + tw_target_host_exchange_context(t, tile)) *
                    per_context +
                tw_target_host_exchange_context_position(t, tile),
            tile % 1216);
    assert_int_equal(tw_target_host_exchange_xb(t, 2 * 1216), UINT_MAX);
    assert_int_equal(tw_target_host_exchange_xb(host, 0), 0);

    tw_target *small = tw_target_new_virtual(t, 1, 100), *again = tw_target_new_virtual(t, 1, 100);
    assert_int_equal(tw_target_tiles(small), 100);
    assert_true(tw_target_equal(small, again) && tw_target_hash(small) == tw_target_hash(again));
    assert_false(tw_target_equal(small, t));
    assert_true(tw_target_hash(small) != tw_target_hash(t));
    assert_null(tw_target_new_virtual(t, 3, 100));
    assert_null(tw_target_new_virtual(t, 1, 1217));
    assert_null(tw_target_new_virtual(NULL, 1, 1));
    assert_null(tw_target_new_virtual(t, 0, 100));

    tw_target *none = tw_target_new_virtual(t, 2, 0); /* what is left when others have all tiles can be asked */
    assert_int_equal(tw_target_tiles_per_ipu(none), 0);
    assert_int_equal(tw_target_tiles(none), 0);
    assert_int_equal(tw_target_host_exchange_xb(none, 0), UINT_MAX);
    tw_graph *empty = tw_graph_new(none);
    assert_int_equal(tw_graph_status(empty), TW_E_MACHINE_MODEL);
    assert_non_null(strstr(tw_graph_error(empty)->message, "no tiles"));
    tw_graph_free(empty);
    assert_null(tw_device_virtual(mk1, 0));
    tw_target_free(none);
    tw_target_free(small);
    tw_target_free(again);
    tw_device_free(mk1);
    tw_device_free(cpu);
}

static void graph_target_models(void **state)
{
    (void)state;
    tw_ipu_model m = { .size = sizeof m,
                       .chip = TW_MK1,
                       .num_ipus = 2,
                       .tiles_per_ipu = 10,
                       .worker_contexts = 3,
                       .bytes_per_tile = 1000,
                       .clock_hz = 1e9,
                       .exchange_bytes_per_cycle = 8,
                       .max_sync_delay = 50,
                       .global_sync_cycles = 7,
                       .accurate_half = true };
    tw_device *d = tw_device_ipu_model_with(&m), *fewer = tw_device_virtual(d, 4);
    const tw_target *t = tw_device_target(d), *v = tw_device_target(fewer);
    assert_int_equal(tw_target_tiles(t), 20);
    assert_int_equal(tw_target_tiles(v), 8);
    assert_int_equal(tw_target_ipus(v), 2);
    assert_int_equal(tw_target_worker_contexts(v), 3);
    assert_int_equal(tw_target_bytes_per_tile(t), 1000);
    assert_true(tw_target_clock_hz(t) == 1e9 && tw_target_exchange_bytes_per_cycle(t) == 8);
    assert_int_equal(tw_target_max_sync_delay(t), 50);
    assert_int_equal(tw_target_min_sync_delay(t), 50);
    assert_int_equal(tw_target_global_sync_cycles(t), 7);
    assert_true(tw_target_accurate_half(t));
    assert_false(tw_target_equal(t, v));
    tw_target *same = tw_target_new_ipu_model(&m);
    assert_true(tw_target_equal(t, same));
    tw_target_free(same);
    m.no_sync_delay = true;
    same = tw_target_new_ipu_model(&m);
    assert_int_equal(tw_target_max_sync_delay(same), 0);
    assert_int_equal(tw_target_global_sync_cycles(same), 0);
    assert_false(tw_target_equal(t, same));
    tw_target_free(same);
    tw_device_free(d);
    assert_int_equal(tw_target_tiles(v), 8); /* a device of its own */
    tw_device_free(fewer);
}

static void graph_target_refuses(void **state)
{
    (void)state;
    static const struct {
        tw_ipu_model model;
        const char *phrase;
    } rows[] = {
        { { .tiles_per_ipu = 1473 }, "1473 tiles per IPU: an ipu2 has 1472" },
        { { .chip = (tw_chip)5 }, "unknown chip 5" },
        { { .num_ipus = 5000 }, "5000 IPUs" },
        { { .clock_hz = -1 }, "positive" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_ipu_model model = rows[i].model;
        model.size = sizeof model;
        assert_null(tw_device_ipu_model_with(&model));
        if (!strstr(tw_error_message(), rows[i].phrase)) fail_msg("row %zu: %s", i, tw_error_message());
    }
    tw_device *cpu = tw_device_cpu();
    assert_null(tw_device_virtual(cpu, 2));
    tw_device_free(cpu);
}

static void graph_target_half(void **state)
{
    (void)state;
    const float in[] = { 1.5f, -2, 65504, 1e-8f };
    for (int accurate = 0; accurate < 2; accurate++) {
        tw_target *t = tw_target_new_cpu(accurate);
        uint8_t raw[17];
        float out[4];
        tw_target_copy_float_to_half(t, in, raw + accurate, 4); /* odd addresses are fine, too */
        tw_target_copy_half_to_float(t, raw + accurate, out, 4);
        assert_true(out[0] == 1.5f && out[1] == -2 && out[2] == 65504 && out[3] == (accurate ? 0 : 1e-8f));
        tw_target_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_variable_initial_values),
        cmocka_unit_test(graph_variable_constants),
        cmocka_unit_test(graph_variable_clones),
        cmocka_unit_test(graph_variable_reinterpret),
        cmocka_unit_test(graph_target_figures),
        cmocka_unit_test(graph_target_facts),
        cmocka_unit_test(graph_target_models),
        cmocka_unit_test(graph_target_refuses),
        cmocka_unit_test(graph_target_half),
    };
    return cmocka_run_group_tests_name("graph_variable", tests, NULL, NULL);
}
