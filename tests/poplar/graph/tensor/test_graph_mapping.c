/* SPDX-License-Identifier: MIT */
/* Tile mapping against an array with a tile for each element; linear mapping; virtual graphs. */
#include "poplar/graph/fake_codelets.h"
#include "poplar/graph/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { N = 600, TILES = 40 };

static tw_graph *new_graph(unsigned tiles, unsigned ipus)
{
    tw_target *target = tw_target_new_ipu_model(
        &(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = tiles, .num_ipus = ipus });
    tw_graph *g = tw_graph_new(target);
    tw_target_free(target);
    return g;
}

static uint64_t seed = 7;
static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return n ? (unsigned)((seed >> 33) % n) : 0;
}

/* Elements of a rank-1 or rank-2 view, through the flattened list. */
static size_t elements(tw_graph *g, tw_tensor t, uint64_t *out)
{
    const tw__regions *list = tw__tensor_get(tw__graph_core(g), t)->regions;
    tw__region_walk walk = tw__region_walk_begin(list, 0, list->count);
    size_t n = 0;
    for (tw__elems e; tw__region_walk_next(&walk, &e);)
        for (uint64_t i = 0; i < e.count; i++) out[n++] = e.offset + i * (uint64_t)e.stride;
    return n;
}

static void check_mapping(tw_graph *g, tw_tensor t, const unsigned *tiles)
{
    uint64_t index[4 * N];
    tw_mapped_interval got[4 * N];
    size_t count = elements(g, t, index), n = tw_graph_get_mapping(g, t, got, 4 * N), k = 0;
    assert_int_equal(tw_graph_status(g), TW_OK);
    bool complete = true;
    for (size_t i = 0; i < count;) {
        unsigned tile = tiles[index[i]];
        size_t j = i;
        while (j < count && tiles[index[j]] == tile) j++;
        if (tile == TW_UNMAPPED) {
            complete = false;
        } else {
            assert_true(k < n);
            assert_int_equal(got[k].interval.begin, i);
            assert_int_equal(got[k].interval.end, j);
            assert_int_equal(got[k].tile, tile);
            k++;
        }
        i = j;
    }
    assert_int_equal(k, n);
    assert_int_equal(tw_graph_mapping_complete(g, t), complete);
}

static void check_intervals(const tw__variable *v, const unsigned *tiles)
{
    assert_int_equal(v->pending_count, 0);
    uint64_t at = 0;
    for (size_t i = 0; i < v->mapped_count; i++) {
        const tw__mapped *m = &v->mapped[i];
        assert_true(m->begin >= at && m->begin < m->end && m->end <= v->count);
        if (i) assert_true(m[-1].end < m->begin || m[-1].tile != m->tile); /* neighbours are merged */
        for (; at < m->begin; at++) assert_int_equal(tiles[at], TW_UNMAPPED);
        for (; at < m->end; at++) assert_int_equal(tiles[at], m->tile);
    }
    for (; at < v->count; at++) assert_int_equal(tiles[at], TW_UNMAPPED);
    for (size_t e = 0; e < v->count; e++) {
        size_t i = tw__mapped_find(v, e);
        bool mapped = i < v->mapped_count && v->mapped[i].begin <= e;
        assert_int_equal(mapped ? v->mapped[i].tile : TW_UNMAPPED, tiles[e]);
    }
}

/* Random strided views on random tiles, with few and with many calls between two readings. */
static void graph_mapping_random(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        tw_graph *g = new_graph(TILES, 1);
        tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ N / 20, 20 }, "x");
        unsigned tiles[N];
        uint64_t index[N];
        for (size_t i = 0; i < N; i++) tiles[i] = TW_UNMAPPED;
        for (unsigned i = 0; i < 120; i++) {
            unsigned r = pick(N / 20), c = pick(20), tile = pick(round % 2 ? TILES : 3);
            tw_tensor t = tw_tensor_slice(g, tw_tensor_slice(g, x, 0, r, r + pick(N / 20 - r) + 1), 1, c,
                                          c + pick(20 - c) + 1);
            if (pick(3) == 0) t = tw_tensor_sub_sample(g, t, 1 + pick(3), pick(2));
            if (pick(3) == 0) t = tw_tensor_transpose(g, t);
            if (pick(4) == 0) t = tw_tensor_reverse(g, t, pick(2));
            if (pick(5) == 0) t = tw_tensor_flatten(g, x);
            size_t n = elements(g, t, index), first = 0;
            if (pick(2)) {
                first = pick((unsigned)n + 1);
                n = first + pick((unsigned)(n - first) + 1);
                tw_graph_map_range(g, t, first, n - first, tile);
            } else {
                tw_graph_map(g, t, tile);
            }
            for (size_t k = first; k < n; k++) tiles[index[k]] = tile;
            if (pick(round < 20 ? 4 : 60) == 0) check_mapping(g, pick(2) ? t : x, tiles);
        }
        check_mapping(g, tw_tensor_transpose(g, x), tiles);
        check_mapping(g, tw_tensor_broadcast(g, x, 2, 0), tiles);
        check_intervals(&tw__graph_core(g)->vars[0], tiles);
        tw_graph_free(g);
    }
}

/* Columns of matrices that were not mapped before: all or some, in any order, on top of each other now and then, with
 * runs of contiguous elements between them. */
static void graph_mapping_columns(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        tw_graph *g = new_graph(TILES, 1);
        size_t rows = 1 + pick(12), columns = 1 + pick(N / 12), ranges = 1 + pick(20), n = rows * columns;
        tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ rows, columns }, "x"),
                  t = tw_tensor_transpose(g, x);
        unsigned tiles[N];
        uint64_t index[N];
        for (size_t i = 0; i < N; i++) tiles[i] = TW_UNMAPPED;
        if (round % 8 == 0) tw_graph_map_linearly_with(g, t, (unsigned)(n / TILES) + 1, 1, 0);
        for (size_t i = 0; round % 8 && i < ranges; i++) {
            size_t k = round % 8 == 1 ? ranges - 1 - i : i, first = n * k / ranges, end = n * (k + 1) / ranges;
            unsigned tile = pick(round % 3 ? TILES : 2);
            if (round % 8 > 4 && pick(4) == 0) first = pick((unsigned)end + 1);
            tw_tensor of = round % 8 == 7 && pick(3) == 0 ? x : t;
            tw_graph_map_range(g, of, first, end - first, tile);
            elements(g, of, index);
            for (size_t e = first; e < end; e++) tiles[index[e]] = tile;
        }
        size_t each = n / TILES + 1;
        elements(g, t, index);
        for (size_t e = 0; round % 8 == 0 && e < n; e++) tiles[index[e]] = (unsigned)(e / each);
        check_mapping(g, pick(2) ? t : x, tiles);
        check_intervals(&tw__graph_core(g)->vars[0], tiles);
        tw_graph_free(g);
    }
}

/* In-order mapping needs neither log nor sorting; a later mapping of all replaces everything. */
static void graph_mapping_in_order(void **state)
{
    (void)state;
    tw_graph *g = new_graph(0, 1);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 1472 * 4 }, "x");
    const tw__variable *v = &tw__graph_core(g)->vars[0];
    for (unsigned i = 0; i < 1472; i++) {
        tw_graph_map_range(g, x, i * 4, 4, i);
        assert_int_equal(v->mapped_count, i + 1);
        assert_int_equal(v->pending_count, 0);
    }
    tw_graph_map(g, x, 3);
    assert_int_equal(tw_graph_get_mapping(g, x, NULL, 0), 1);
    assert_int_equal(tw_graph_status(g), TW_OK);
    tw_graph_free(g);
}

static void graph_mapping_linear(void **state)
{
    (void)state;
    static const struct {
        tw_type type;
        size_t elements;
        unsigned tiles, used, each; /* expected: tiles with elements, elements on all of them but the last */
    } rows[] = {
        { TW_FLOAT, 1472 * 512, 1472, 1472, 512 },
        { TW_FLOAT, 1472 * 512 + 1, 1472, 1467, 514 }, /* in units of two floats */
        { TW_FLOAT, 100, 1472, 4, 32 },                /* 128 bytes on a tile at least */
        { TW_HALF, 100, 1472, 2, 64 },
        { TW_HALF, 10 * 100, 10, 10, 100 },
        { TW_HALF, 10 * 101, 10, 10, 104 }, /* in units of four halves */
        { TW_BOOL, 4096, 8, 8, 512 },
        { TW_FLOAT, 1, 1472, 1, 1 },
        { TW_FLOAT, 0, 1472, 0, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_graph *g = new_graph(rows[i].tiles, 1);
        tw_tensor x = tw_graph_add_variable(g, rows[i].type, 1, &rows[i].elements, "x");
        tw_graph_map_linearly(g, x);
        tw_mapped_interval got[1472];
        size_t n = tw_graph_get_mapping(g, x, got, 1472);
        if (n != rows[i].used) fail_msg("row %zu: %zu tiles", i, n);
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(got[k].tile, k);
            assert_int_equal(got[k].interval.begin, k * rows[i].each);
            size_t end = (k + 1) * rows[i].each;
            assert_int_equal(got[k].interval.end, end < rows[i].elements ? end : rows[i].elements);
        }
        assert_true(tw_graph_mapping_complete(g, x));
        tw_graph_free(g);
    }
}

static void graph_mapping_linear_with(void **state)
{
    (void)state;
    tw_graph *g = new_graph(10, 1);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 100 }, "x");
    tw_graph_map_linearly_with(g, x, 1, 3, 8);
    tw_mapped_interval got[10];
    assert_int_equal(tw_graph_get_mapping(g, x, got, 10), 9);
    for (unsigned i = 0; i < 9; i++) {
        assert_int_equal(got[i].tile, (8 + i) % 10); /* goes round */
        assert_int_equal(got[i].interval.begin, 12 * i);
    }
    /* A transposed tensor is spread in its own order. */
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 10 }, "y");
    tw_graph_map_linearly_with(g, tw_tensor_transpose(g, y), 1, 4, 0);
    assert_int_equal(tw_graph_get_mapping(g, tw_tensor_transpose(g, y), got, 10), 10);
    for (unsigned i = 0; i < 10; i++) assert_int_equal(got[i].tile, i);
    assert_int_equal(tw_graph_get_mapping(g, y, NULL, 0), 40);
    tw_graph_free(g);
}

/* --- virtual graphs ------------------------------------------------------------------------------------------- */

static void graph_virtual_tiles(void **state)
{
    (void)state;
    tw_graph *g = new_graph(8, 2);
    tw_graph *first = tw_graph_virtual_first(g, 3), *range = tw_graph_virtual_range(g, 4, 12);
    tw_graph *ipu = tw_graph_virtual_range(g, 8, 16), *list = tw_graph_virtual_tiles(g, 2, (unsigned[]){ 7, 1 });
    tw_graph *nested = tw_graph_virtual_range(range, 2, 4);
    const struct {
        tw_graph *g;
        unsigned ipus, tiles, top[8];
    } rows[] = {
        { first, 2, 6, { 0, 1, 2, 8, 9, 10 } },
        { range, 1, 8, { 4, 5, 6, 7, 8, 9, 10, 11 } },
        { ipu, 1, 8, { 8, 9, 10, 11, 12, 13, 14, 15 } },
        { list, 2, 4, { 7, 1, 15, 9 } },
        { nested, 1, 2, { 6, 7 } },
    };
    assert_int_equal(tw_graph_status(g), TW_OK);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const tw_target *t = tw_graph_target(rows[i].g);
        assert_int_equal(tw_target_tiles(t), rows[i].tiles);
        assert_int_equal(tw_target_ipus(t), rows[i].ipus);
        assert_ptr_equal(tw_graph_top_level(rows[i].g), g);
        unsigned inside = 0;
        for (unsigned k = 0; k < rows[i].tiles; k++) {
            assert_int_equal(tw_graph_to_top_level_tile(rows[i].g, k), rows[i].top[k]);
            assert_int_equal(tw_graph_from_top_level_tile(rows[i].g, rows[i].top[k]), k);
        }
        for (unsigned k = 0; k < 16; k++) inside += tw_graph_from_top_level_tile(rows[i].g, k) != TW_UNMAPPED;
        assert_int_equal(inside, rows[i].tiles);
        assert_int_equal(tw_graph_to_top_level_tile(rows[i].g, rows[i].tiles), TW_UNMAPPED);
    }
    assert_int_equal(tw_graph_to_top_level_tile(g, 5), 5);
    /* The top-level graph may go first. */
    tw_graph_free(g);
    tw_graph_free(nested);
    for (size_t i = 0; i < 4; i++) tw_graph_free(rows[i].g);
}

/* Guide 2.4: what one graph adds is seen in the other, with its own tile numbers. */
static void graph_virtual_shares(void **state)
{
    (void)state;
    tw_graph *g = new_graph(8, 1), *v = tw_graph_virtual_range(g, 4, 8);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_tensor x = tw_graph_add_variable(v, TW_FLOAT, 1, (size_t[]){ 64 }, "x");
    tw_graph_map_linearly_with(v, x, 1, 1, 0);
    tw_vertex a = tw_graph_add_vertex(v, cs, "Scale", 1);
    tw_vertex b = tw_graph_add_vertex(g, cs, "Scale", 2);
    tw_graph_connect(g, a, "data", tw_tensor_slice(v, x, 0, 0, 8));
    tw_graph_connect(v, b, "data", tw_tensor_slice(g, x, 0, 8, 16));
    tw_graph_map_vertex(v, b, 3);
    assert_int_equal(tw_graph_status(g), TW_OK);
    const tw__core *core = tw__graph_core(g);
    assert_ptr_equal(core, tw__graph_core(v));
    assert_int_equal(core->vertices[a.id].tile, 5);
    assert_int_equal(core->vertices[b.id].tile, 7);
    assert_int_equal(tw_graph_vertex_count(v), 2);
    tw_mapped_interval got[8];
    assert_int_equal(tw_graph_get_mapping(g, x, got, 8), 4);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(got[i].tile, 4 + i);
    assert_int_equal(tw_graph_get_mapping(v, x, got, 8), 4);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(got[i].tile, i);
    /* What lies outside is left out, yet mapped. */
    tw_graph_map_range(g, x, 16, 16, 0);
    assert_int_equal(tw_graph_get_mapping(v, x, got, 8), 3);
    assert_int_equal(got[1].interval.begin, 32);
    assert_true(tw_graph_mapping_complete(v, x));
    /* One error for both. */
    tw_graph_map(v, x, 4);
    assert_int_equal(tw_graph_status(g), TW_E_TILE_MAPPING);
    assert_non_null(strstr(tw_graph_error(g)->message, "virtual graph has 4 tiles"));
    tw_graph_free(v);
    tw_graph_free(g);
}

/* docs/decisions.md, G5: on the CPU everything goes to tile 0; there is no tile 1. */
static void graph_mapping_cpu(void **state)
{
    (void)state;
    tw_target *target = tw_target_new_cpu(false);
    tw_graph *g = tw_graph_new(target);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 16 }, "x");
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 16 }, "y");
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_vertex v = tw_graph_add_vertex(g, cs, "Copy<float>", TW_UNMAPPED);
    tw_graph_connect(g, v, "in", x);
    tw_graph_connect(g, v, "out", y);
    tw_graph_map_range(g, y, 4, 2, 0);
    tw_program p = tw_program_execute(g, cs);
    assert_int_equal(tw__graph_check(tw__graph_core(g), &p.id, 1), TW_OK);
    assert_int_equal(tw__graph_core(g)->vertices[v.id].tile, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tw__graph_core(g)->vars[i].mapped_count, 1);
        assert_int_equal(tw__graph_core(g)->vars[i].mapped[0].end, 16);
    }
    tw_graph_map(g, x, 5);
    assert_int_equal(tw_graph_status(g), TW_E_TILE_MAPPING);
    assert_non_null(strstr(tw_graph_error(g)->message, "the CPU target has 1 tile"));
    tw_graph_free(g);
    tw_target_free(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_mapping_random),      cmocka_unit_test(graph_mapping_columns),
        cmocka_unit_test(graph_mapping_in_order),    cmocka_unit_test(graph_mapping_linear),
        cmocka_unit_test(graph_mapping_linear_with), cmocka_unit_test(graph_virtual_tiles),
        cmocka_unit_test(graph_virtual_shares),      cmocka_unit_test(graph_mapping_cpu),
    };
    return cmocka_run_group_tests_name("graph_mapping", tests, NULL, NULL);
}
