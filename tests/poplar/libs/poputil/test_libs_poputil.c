/* SPDX-License-Identifier: MIT */
/* poputil against its rules, spelled out element by element. */
#include "poplar/libs/libs_test.h"

/* --- linear mapping ------------------------------------------------------------------------------------------- */

typedef unsigned __int128 wide;

static uint64_t up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* The rule in its own words: grains, how many a tile gets at least, how many tiles that makes, who gets which. */
static void check_blocks(unsigned tiles, uint64_t n, unsigned least, unsigned grain)
{
    uint64_t grains = up(n, grain), per = up(grains, tiles);
    if (least > 0) {
        uint64_t most = grains / up(least, grain);
        if (most < 1) most = 1;
        if (up(grains, most) > per) per = up(grains, most);
    }
    uint64_t used = n ? up(grains, per) : 0;
    tw_interval *seen = malloc((used + 1) * sizeof *seen);
    assert_int_equal(tw_poputil_linear_blocks(tiles, n, least, grain, seen, used + 1), used);
    assert_true(used <= tiles);
    for (uint64_t i = 0; i < used; i++) {
        uint64_t begin = (uint64_t)((wide)i * grains / used), end = (uint64_t)((wide)(i + 1) * grains / used);
        assert_int_equal(seen[i].begin, begin * grain);
        assert_int_equal(seen[i].end, (wide)end * grain < n ? end * grain : n);
    }
    free(seen);
}

static void libs_poputil_blocks(void **state)
{
    (void)state;
    lcg r = { 7 };
    for (int i = 0; i < 20000; i++)
        check_blocks(1 + draw(&r, i % 3 ? 1500 : 8), draw(&r, i % 5 ? 5000 : 1000000), draw(&r, 100),
                     1 + draw(&r, 9));
    check_blocks(1472, 1000, 32, 2);
    /* 500 grains, at least 16 a tile: at most 31 tiles, so 17 grains on the fullest, which makes 30 tiles */
    assert_int_equal(tw_poputil_linear_blocks(1472, 1000, 32, 2, NULL, 0), 30);
    assert_int_equal(tw_poputil_linear_blocks(1472, 0, 32, 2, NULL, 0), 0);
    assert_int_equal(tw_poputil_linear_blocks(4, 10, 0, 0, NULL, 0), 4);
    static const struct {
        unsigned tiles, least, grain;
    } most[] = { { 3, 0, 1 }, { 1, 0, 4 }, { 1472, 100, 3 }, { 7, UINT32_MAX, UINT32_MAX } };
    for (size_t i = 0; i < sizeof most / sizeof *most; i++)
        check_blocks(most[i].tiles, UINT64_MAX, most[i].least, most[i].grain);
}

static void libs_poputil_map_linearly(void **state)
{
    (void)state;
    static const struct {
        tw_type type;
        unsigned least, grain;
    } rows[] = {
        { TW_FLOAT, 32, 2 }, { TW_HALF, 64, 4 }, { TW_INT, 32, 2 }, { TW_BOOL, 128, 8 }, { TW_U8, 128, 8 }
    };
    tw_device *dev = model_device(64, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        unsigned least, grain;
        tw_poputil_linear_defaults(g, rows[k].type, &least, &grain);
        assert_int_equal(least, rows[k].least);
        assert_int_equal(grain, rows[k].grain);
        tw_tensor t = tw_graph_add_variable(g, rows[k].type, 2, (size_t[]){ 33, 37 }, "t");
        tw_poputil_map_linearly(g, t);
        tw_interval block[64];
        size_t used = tw_poputil_linear_blocks(64, 33 * 37, least, grain, block, 64);
        unsigned *tile = tiles_of(g, t);
        for (size_t b = 0; b < used; b++)
            for (uint64_t i = block[b].begin; i < block[b].end; i++) assert_int_equal(tile[i], b);
        free(tile);
    }
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 100 }, "t");
    assert_int_equal(tw_poputil_map_linearly_with(g, t, 0, 10, 60), 6);
    unsigned *tile = tiles_of(g, t);
    for (unsigned i = 0; i < 100; i++) assert_int_equal(tile[i], (60 + i / 10) % 64);
    free(tile);
    assert_int_equal(tw_graph_status(g), TW_OK);
    tw_graph_free(g);
    tw_device_free(dev);
}

static void libs_poputil_mapping_queries(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 2);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 6 }, "t");
    for (unsigned row = 0; row < 4; row++) tw_graph_map_range(g, t, row * 6, 6, row);
    assert_false(tw_poputil_dim_is_split(g, t, 1, false));
    assert_true(tw_poputil_dim_is_split(g, t, 0, false));
    assert_false(tw_poputil_dim_is_split(g, t, 0, true));
    assert_int_equal(tw_poputil_tile_imbalance(g, t, 0, 1), 3); /* 6 on a tile, 24 / 8 would be even */
    assert_int_equal(tw_poputil_tile_imbalance(g, t, 6, 1), 0);
    tw_graph_map_range(g, t, 18, 6, 4);
    assert_true(tw_poputil_dim_is_split(g, t, 0, true));
    tw_tensor bias = tw_poputil_create_broadcast_operand(g, t, TW_FLOAT, 0, false, "bias");
    unsigned *tile = tiles_of(g, bias);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(tile[i], i == 3 ? 4 : i);
    free(tile);
    tw_poputil_dim_is_split(g, t, 2, false);
    assert_int_equal(tw_graph_take_error(g, NULL), TW_E_INDEX);
    tw_graph_free(g);
    tw_device_free(dev);
}

/* --- users ---------------------------------------------------------------------------------------------------- */

enum { USE_TILES = 8, USE_ELEMENTS = 200 };

static void users_case(lcg *r, tw_use_mapping method, bool extend)
{
    tw_device *dev = model_device(USE_TILES, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ USE_ELEMENTS }, "t");
    tw_tensor constant = tw_graph_add_constant_double(g, TW_FLOAT, 1, (size_t[]){ 9 }, 1, "c");
    tw_use_tracker *tracker = tw_poputil_tracker_new(), *other = tw_poputil_tracker_new();
    assert_true(tw_poputil_tracker_empty(tracker));
    tw_poputil_tracker_add(g, tracker, 1, constant);
    assert_true(tw_poputil_tracker_empty(tracker));
    bool uses[USE_ELEMENTS][USE_TILES] = { { false } }, used[USE_ELEMENTS] = { false };
    for (unsigned k = 1 + draw(r, 12); k-- > 0;) {
        unsigned begin = draw(r, USE_ELEMENTS), end = begin + 1 + draw(r, USE_ELEMENTS - begin),
                 tile = draw(r, USE_TILES);
        tw_poputil_tracker_add(g, k % 2 ? tracker : other, tile, tw_tensor_slice(g, t, 0, begin, end));
        for (unsigned i = begin; i < end; i++) uses[i][tile] = used[i] = true;
    }
    tw_poputil_tracker_merge(tracker, other);
    tw_poputil_tracker_map(g, tracker, 1 + draw(r, 4), draw(r, 40), extend, method);
    assert_int_equal(tw_graph_status(g), TW_OK);
    unsigned *tile = tiles_of(g, t);
    for (unsigned i = 0; i < USE_ELEMENTS; i++) {
        if (used[i] && (tile[i] == NOWHERE || !uses[i][tile[i]])) fail_msg("%u is on tile %u", i, tile[i]);
        if (!used[i]) assert_int_equal(tile[i] != NOWHERE, extend);
    }
    free(tile);
    tw_use_tracker_free(tracker);
    tw_use_tracker_free(other);
    tw_graph_free(g);
    tw_device_free(dev);
}

static void libs_poputil_users(void **state)
{
    (void)state;
    lcg r = { 3 };
    for (int i = 0; i < 200; i++) users_case(&r, (tw_use_mapping)(i % 3), i / 3 % 2);
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_use_tracker *tracker = tw_poputil_tracker_new();
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 64 }, "t");
    for (unsigned tile = 0; tile < 4; tile++) tw_poputil_tracker_add(g, tracker, tile, t);
    tw_poputil_tracker_map(g, tracker, 1, 0, false, TW_USE_ANY);
    assert_int_equal(tw_poputil_tile_imbalance(g, t, 0, 1), 0); /* used by all: spread evenly */
    tw_poputil_tracker_add(g, tracker, 4, t);
    refused_with(g, TW_E_TILE_MAPPING, "tw_poputil_tracker_add", "tile 4", NULL);
    tw_poputil_tracker_add(g, NULL, 1, t);
    refused_with(g, TW_E_INVALID_ARGUMENT, "tw_poputil_tracker_add", "NULL", NULL);
    tw_use_tracker_free(tracker);
    tw_use_tracker_free(NULL);
    tw_graph_free(g);
    tw_device_free(dev);
}

/* --- intervals ------------------------------------------------------------------------------------------------ */

static void libs_poputil_merge(void **state)
{
    (void)state;
    lcg r = { 11 };
    for (int i = 0; i < 500; i++) {
        tw_interval list[12];
        bool in[64] = { false };
        size_t count = draw(&r, 13);
        for (size_t k = 0; k < count; k++) {
            list[k].begin = draw(&r, 60), list[k].end = list[k].begin + draw(&r, 4);
            for (uint64_t e = list[k].begin; e < list[k].end; e++) in[e] = true;
        }
        size_t left = tw_poputil_merge_regions(list, count);
        for (size_t k = 0; k < left; k++) {
            assert_true(list[k].begin < list[k].end);
            if (k) assert_true(list[k - 1].end < list[k].begin);
            for (uint64_t e = list[k].begin; e < list[k].end; e++) assert_true(in[e]), in[e] = false;
        }
        for (int e = 0; e < 64; e++) assert_false(in[e]);
    }
}

static void split_case(lcg *r)
{
    tw_interval list[8];
    uint64_t element[400], n = 0, at = 0;
    size_t count = draw(r, 8);
    for (size_t k = 0; k < count; k++) {
        list[k].begin = at += 1 + draw(r, 5), list[k].end = at += draw(r, 40);
        for (uint64_t e = list[k].begin; e < list[k].end; e++) element[n++] = e;
    }
    tw_split_limits limits = { .grain = draw(r, 5),
                               .parts = draw(r, 9),
                               .min_elements = draw(r, 50),
                               .max_elements = draw(r, 2) ? 0 : 20 + draw(r, 50),
                               .max_region = draw(r, 2) ? 0 : 5 + draw(r, 20) };
    uint64_t grain = limits.grain ? limits.grain : 1, grains = up(n, grain);
    tw_sorted_regions *s = tw_poputil_split_regions(count, list, &limits);
    assert_non_null(s);
    uint64_t done = 0, least = UINT64_MAX, most = 0;
    for (size_t p = 0; p < s->run_count; p++) {
        uint64_t size = 0;
        for (size_t k = s->first[p]; k < s->first[p + 1]; k++) {
            tw_interval v = s->intervals[k];
            assert_true(v.begin < v.end);
            if (limits.max_region)
                assert_true(v.end - v.begin <= (limits.max_region < grain ? grain : limits.max_region));
            for (uint64_t e = v.begin; e < v.end; e++) assert_int_equal(e, element[done++]);
            size += v.end - v.begin;
        }
        if (p + 1 < s->run_count) assert_int_equal(size % grain, 0);
        if (limits.max_elements && !limits.min_elements) assert_true(size <= limits.max_elements);
        if (up(size, grain) < least) least = up(size, grain);
        if (up(size, grain) > most) most = up(size, grain);
    }
    assert_int_equal(done, n);
    assert_int_equal(s->first[s->run_count], s->interval_count);
    if (n) assert_true(most - least <= 1);
    if (!limits.max_elements) assert_true(s->run_count <= (limits.parts ? limits.parts : 1));
    if (limits.min_elements && !limits.max_elements && grains >= up(limits.min_elements, grain))
        assert_true(least >= up(limits.min_elements, grain));
    tw_sorted_regions_free(s);
}

static void libs_poputil_split(void **state)
{
    (void)state;
    lcg r = { 5 };
    for (int i = 0; i < 5000; i++) split_case(&r);
    tw_sorted_regions *s = tw_poputil_split_regions(1, (tw_interval[]){ { 10, 30 } }, NULL);
    assert_int_equal(s->run_count, 1);
    assert_int_equal(s->intervals[0].end, 30);
    tw_sorted_regions_free(s);
    /* as many elements as there can be, in one interval and in two: ends of the parts are those of the blocks */
    static const struct {
        size_t count;
        tw_interval list[2];
        tw_split_limits limits;
        size_t parts, intervals;
    } rows[] = {
        { 1, { { 0, UINT64_MAX } }, { .parts = 3 }, 3, 3 },
        { 1, { { 0, UINT64_MAX } }, { .grain = 4 }, 1, 1 },
        { 1, { { 0, UINT64_MAX } }, { .grain = UINT32_MAX, .parts = 1000 }, 1000, 1000 },
        { 2, { { 0, 1ull << 63 }, { 1ull << 63, UINT64_MAX } }, { .parts = 2 }, 2, 3 },
        { 2, { { 0, 1ull << 63 }, { 1ull << 63, UINT64_MAX } }, { .grain = 2, .parts = 3 }, 3, 4 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_interval block[1000];
        s = tw_poputil_split_regions(rows[i].count, rows[i].list, &rows[i].limits);
        assert_non_null(s);
        assert_int_equal(s->run_count, rows[i].parts);
        assert_int_equal(s->interval_count, rows[i].intervals);
        assert_int_equal(
            tw_poputil_linear_blocks((unsigned)rows[i].parts, UINT64_MAX, 0, rows[i].limits.grain, block, 1000),
            rows[i].parts);
        for (size_t p = 0; p < rows[i].parts; p++) {
            assert_int_equal(s->intervals[s->first[p]].begin, block[p].begin);
            assert_int_equal(s->intervals[s->first[p + 1] - 1].end, block[p].end);
        }
        tw_sorted_regions_free(s);
    }
}

/* --- shapes --------------------------------------------------------------------------------------------------- */

static void libs_poputil_broadcast(void **state)
{
    (void)state;
    static const struct {
        unsigned a, b, rank;
        size_t x[3], y[3], shape[3];
        bool fits;
    } rows[] = {
        { 2, 1, 2, { 4, 3 }, { 3 }, { 4, 3 }, true }, { 2, 2, 2, { 4, 1 }, { 1, 5 }, { 4, 5 }, true },
        { 0, 2, 2, { 0 }, { 2, 3 }, { 2, 3 }, true }, { 3, 2, 3, { 2, 1, 3 }, { 7, 1 }, { 2, 7, 3 }, true },
        { 1, 1, 1, { 0 }, { 1 }, { 0 }, true },       { 1, 1, 1, { 3 }, { 4 }, { 0 }, false },
        { 2, 1, 2, { 3, 2 }, { 3 }, { 0 }, false },
    };
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t shape[3];
        unsigned rank = 9;
        bool fits = tw_poputil_broadcast_shape(rows[k].a, rows[k].x, rows[k].b, rows[k].y, &rank, shape);
        assert_int_equal(fits, rows[k].fits);
        tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, rows[k].a, rows[k].x, "a"),
                  b = tw_graph_add_variable(g, TW_FLOAT, rows[k].b, rows[k].y, "b");
        assert_int_equal(tw_poputil_can_broadcast(g, a, b), rows[k].fits);
        if (!fits) continue;
        assert_int_equal(rank, rows[k].rank);
        assert_memory_equal(shape, rows[k].shape, rank * sizeof *shape);
        tw_tensor full = tw_poputil_broadcast_to(g, b, rank, shape);
        assert_memory_equal(tw_tensor_shape(g, full), shape, rank * sizeof *shape);
        for (uint64_t i = 0; i < tw_tensor_elements(g, full); i++) { /* the element it has to be */
            uint64_t rest = i, from = 0, step = 1;
            for (unsigned d = rank; d-- > 0;) {
                size_t own = d + rows[k].b < rank ? 1 : rows[k].y[d + rows[k].b - rank], at = rest % shape[d];
                rest /= shape[d];
                from += (own == 1 ? 0 : at) * step, step *= own;
            }
            assert_int_equal(place_of(g, full, i).offset, from);
        }
    }
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 2, 3 }, "odd");
    tw_poputil_broadcast_to(g, x, 2, (size_t[]){ 2, 4 });
    refused_with(g, TW_E_POPLIBS, "tw_poputil_broadcast_to", "'odd' float[2, 3]", "[2, 4]", NULL);
    tw_poputil_broadcast_to(g, x, 1, (size_t[]){ 3 });
    refused_with(g, TW_E_POPLIBS, "tw_poputil_broadcast_to", "[3]", NULL);
    tw_graph_free(g);
    tw_device_free(dev);
}

static void libs_poputil_factors(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 3, (size_t[]){ 2, 6, 4 }, "t");
    tw_tensor f = tw_poputil_factor_dims(g, t, 2, (size_t[]){ 3, 2 }, 1); /* [2][2][2][3][2] */
    static const size_t shape[] = { 2, 2, 2, 3, 2 };
    assert_memory_equal(tw_tensor_shape(g, f), shape, sizeof shape);
    for (size_t i = 0, at = 0; i < 2; i++)
        for (size_t a = 0; a < 2; a++)
            for (size_t b = 0; b < 2; b++)
                for (size_t c = 0; c < 3; c++)
                    for (size_t d = 0; d < 2; d++, at++)
                        assert_int_equal(place_of(g, f, at).offset, (i * 6 + a * 3 + c) * 4 + b * 2 + d);
    assert_true(tw_tensor_equal(g, tw_poputil_unfactor_dims(g, f, 2, 1), t));
    tw_poputil_factor_dims(g, t, 1, (size_t[]){ 4 }, 1);
    refused_with(g, TW_E_POPLIBS, "tw_poputil_factor_dims", "'t' float[2, 6, 4]", "[4]", NULL);
    tw_poputil_unfactor_dims(g, t, 2, 0);
    refused_with(g, TW_E_POPLIBS, "tw_poputil_unfactor_dims", "2 pairs", NULL);
    tw_graph_free(g);
    tw_device_free(dev);
}

/* --- storage -------------------------------------------------------------------------------------------------- */

/* Whether every `group` elements of the flattened tensor are neighbours in storage and on one tile. */
static bool grouped(tw_graph *g, tw_tensor t, const unsigned *tile, uint64_t group)
{
    for (uint64_t i = 0; i < tw_tensor_elements(g, t); i++) {
        if (i % group == 0) continue;
        tw_variable_region a = place_of(g, t, i - 1), b = place_of(g, t, i);
        if (a.variable != b.variable || a.offset + 1 != b.offset || tile[i - 1] != tile[i]) return false;
    }
    return true;
}

static void libs_poputil_grouping(void **state)
{
    (void)state;
    lcg r = { 19 };
    tw_device *dev = model_device(8, 1);
    for (int k = 0; k < 60; k++) {
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        size_t shape[] = { 1 + draw(&r, 3), 1 + draw(&r, 6), 1 + draw(&r, 6) };
        tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 3, shape, "t");
        tw_poputil_map_linearly_with(g, t, draw(&r, 8), 1 + draw(&r, 6), 0);
        if (draw(&r, 2)) t = tw_tensor_dim_roll(g, t, 1, 2);
        size_t last = tw_tensor_dim(g, t, 2), best = 1;
        unsigned *tile = tiles_of(g, t);
        for (size_t group = 1; group <= last; group++)
            if (last % group == 0 && grouped(g, t, tile, group)) best = group;
        assert_int_equal(tw_poputil_innermost_grouping(g, t), best);
        free(tile);
        tw_graph_free(g);
    }
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    /* [6][4] of blocks of 3 x 2, each a run in row-major order */
    tw_tensor flat = tw_graph_add_variable(g, TW_FLOAT, 4, (size_t[]){ 2, 2, 3, 2 }, "t");
    tw_graph_map(g, flat, 0);
    tw_tensor t = tw_poputil_unfactor_dims(g, flat, 2, 0);
    tw_grouping found[4];
    assert_int_equal(tw_poputil_dim_groupings(g, t, found, 4), 2);
    assert_int_equal(found[0].dim, 1), assert_int_equal(found[0].size, 2);
    assert_int_equal(found[1].dim, 0), assert_int_equal(found[1].size, 3);
    assert_int_equal(tw_poputil_innermost_grouping(g, tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 0 }, "")), 1);
    tw_poputil_innermost_grouping(g, tw_tensor_element(g, t, (size_t[]){ 0, 0 }));
    refused_with(g, TW_E_POPLIBS, "tw_poputil_innermost_grouping", "rank 0", NULL);
    tw_graph_free(g);
    tw_device_free(dev);
}

typedef struct seen_blocks {
    size_t count, elements;
    const size_t *splits;
} seen_blocks;

static void see_block(tw_graph *g, const size_t *place, tw_tensor block, void *user)
{
    seen_blocks *seen = user;
    assert_int_equal(place[0] * seen->splits[1] + place[1], seen->count++);
    if (tw_tensor_elements(g, block)) { /* one run of storage, one behind the other */
        tw_variable_region r;
        assert_int_equal(tw_tensor_variable_regions(g, block, &r, 1), 1);
        assert_int_equal(r.offset, seen->elements);
    }
    seen->elements += tw_tensor_elements(g, block);
}

static void libs_poputil_partitions(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    static const size_t splits[][2] = { { 1, 1 }, { 2, 3 }, { 3, 2 }, { 7, 10 }, { 4, 4 } };
    for (size_t k = 0; k < sizeof splits / sizeof *splits; k++) {
        tw_tensor t = tw_poputil_create_partitionable(g, TW_FLOAT, 2, (size_t[]){ 7, 10 }, splits[k], "t");
        seen_blocks seen = { .splits = splits[k] };
        tw_poputil_each_partition(g, t, splits[k], see_block, &seen);
        assert_int_equal(tw_graph_status(g), TW_OK);
        assert_int_equal(seen.count, splits[k][0] * splits[k][1]);
        assert_int_equal(seen.elements, 70);
        assert_false(tw_tensor_contains_aliases(g, t));
    }
    tw_tensor many = tw_poputil_create_partitionable(
        g, TW_FLOAT, 2, (size_t[]){ 7, 0 }, (size_t[]){ SIZE_MAX, (size_t)1 << 33 }, "t"); /* most are empty */
    assert_int_equal(tw_tensor_dim(g, many, 0), 7);
    assert_int_equal(tw_tensor_dim(g, many, 1), 0);
    tw_poputil_create_partitionable(g, TW_FLOAT, 2, (size_t[]){ 7, 10 }, (size_t[]){ 0, 1 }, "t");
    refused_with(g, TW_E_POPLIBS, "tw_poputil_create_partitionable", "[7, 10]", "[0, 1]", NULL);
    tw_graph_free(g);
    tw_device_free(dev);
}

/* --- copies --------------------------------------------------------------------------------------------------- */

static void libs_poputil_copies(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 2);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 3, 4 }, "x");
    for (unsigned i = 0; i < 3; i++) tw_graph_map_range(g, x, i * 4, 4, i);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor same =
        tw_poputil_duplicate(g, tw_tensor_transpose(g, x), p, "same", TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
    tw_tensor there = tw_poputil_copy_to_ipu(g, x, p, 1, "there", TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
    unsigned *tile = tiles_of(g, there);
    for (unsigned i = 0; i < 12; i++) assert_int_equal(tile[i], 4 + i / 4);
    free(tile);
    tw_graph *v = tw_graph_virtual_range(g, 4, 8);
    tw_tensor in_v = tw_poputil_clone_to_graph(g, v, x, "v", TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
    tile = tiles_of(v, in_v);
    for (unsigned i = 0; i < 12; i++) assert_int_equal(tile[i], i / 4);
    free(tile);
    tw_graph_create_host_write(g, "x", x);
    tw_graph_create_host_read(g, "same", same);
    tw_graph_create_host_read(g, "there", there);
    tw_engine *e = tw_engine_new(g, p, NULL);
    assert_int_equal(tw_engine_load(e, dev), TW_OK);
    float in[12], out[12], out2[12];
    for (int i = 0; i < 12; i++) in[i] = (float)i;
    tw_engine_write(e, "x", in, sizeof in);
    assert_int_equal(tw_engine_run(e, 0), TW_OK);
    tw_engine_read(e, "same", out, sizeof out);
    tw_engine_read(e, "there", out2, sizeof out2);
    for (int i = 0; i < 12; i++) assert_true(out[i] == in[i % 3 * 4 + i / 3] && out2[i] == in[i]);
    tw_engine_free(e);
    uint64_t before = graph_hash(g);
    tw_poputil_copy_to_ipu(g, x, p, 2, "there", TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
    refused_with(g, TW_E_POPLIBS, "tw_poputil_clone_to_ipu", "'x' float[3, 4]", "IPU 2 of 2", NULL);
    tw_poputil_clone_to_graph(g, NULL, x, "v", TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
    refused_with(g, TW_E_POPLIBS, "tw_poputil_clone_to_graph", "replicas", NULL);
    tw_poputil_clone_to_graph(g, v, there, "v", TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
    refused_with(g, TW_E_POPLIBS, "tw_poputil_clone_to_graph", "tile 4", "4 tiles", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(v);
    tw_graph_free(g);
    tw_device_free(dev);
}

/* A list that is NULL and counts elements is an error, which changes nothing. */
static void libs_poputil_null_lists(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    const size_t shape[] = { 2, 3 }, one[] = { 1, 1 };
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, shape, "x"), out = { 0, 0 };
    tw_tensor indices = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, one, "indices");
    tw_poputil_map_linearly(g, x), tw_poputil_map_linearly(g, indices);
    tw_program p = tw_program_sequence(g, NULL);
    tw_reduce_one all = { x, TW_TYPE_NONE, 1, NULL, NULL };
    tw_compute_set set[1 + TW_REDUCE_SETS];
    const tw_top_k best = { .k = 1 };
    static const unsigned first;
    const tw_gather places = { .map_count = 1 }, sizes = { .map_count = 1, .start_index_map = &first };
    const tw_scatter windows = { .map_count = 1, .to_operand = &first, .window_count = 1 },
                     inserted = { .map_count = 1, .to_operand = &first, .inserted_count = 1 },
                     to = { .map_count = 1 };
    uint64_t before = graph_hash(g);
#define REFUSES(name, ...)                                                        \
    do {                                                                          \
        (void)name(g, __VA_ARGS__);                                               \
        refused_with(g, TW_E_POPLIBS, #name, "a list of", "that is NULL", NULL);  \
        if (graph_hash(g) != before) fail_msg("%s has changed the graph", #name); \
    } while (0)
    REFUSES(tw_poputil_broadcast_to, x, 2, NULL);
    REFUSES(tw_poputil_factor_dims, x, 1, NULL, 0);
    REFUSES(tw_poputil_create_partitionable, TW_FLOAT, 2, NULL, one, "t");
    REFUSES(tw_poputil_create_partitionable, TW_FLOAT, 2, shape, NULL, "t");
    REFUSES(tw_poputil_each_partition, x, NULL, see_block, NULL);
    REFUSES(tw_popops_map, "_1", 1, NULL, p, "t", NULL);
    REFUSES(tw_popops_map_in_place, "_1", 1, NULL, p, "t", NULL);
    REFUSES(tw_popops_map_with_output, "_1", 1, NULL, x, p, "t", NULL);
    REFUSES(tw_popops_create_output, 1, NULL, TW_FLOAT, "t");
    REFUSES(tw_popops_reduce, x, TW_FLOAT, 1, NULL, NULL, p, "t", NULL);
    REFUSES(tw_popops_reduce_with_output, x, x, 1, NULL, NULL, p, "t", NULL);
    REFUSES(tw_popops_reduce_many, 1, NULL, &out, p, "t", NULL);
    REFUSES(tw_popops_reduce_many, 1, &all, NULL, p, "t", NULL);
    REFUSES(tw_popops_reduce_many, 1, &all, &out, p, "t", NULL);
    REFUSES(tw_popops_reduce_sets, 1, NULL, &out, 0, set, TW_REDUCE_SETS, "t", NULL);
    REFUSES(tw_popops_reduce_sets, 1, &all, &out, 0, NULL, TW_REDUCE_SETS, "t", NULL);
    REFUSES(tw_popops_reduce_sets, 1, &all, &out, 1, NULL, 1 + TW_REDUCE_SETS, "t", NULL);
    REFUSES(tw_popops_top_k, x, x, NULL, p, "t");
    REFUSES(tw_popops_create_top_k_input, TW_FLOAT, 2, NULL, &best, "t");
    REFUSES(tw_popops_create_top_k_input, TW_FLOAT, 2, shape, NULL, "t");
    REFUSES(tw_popops_pad, x, NULL, (int64_t[]){ 1, 1 }, 0, TW_PAD_MAP_NONE);
    REFUSES(tw_popops_pad_with, x, (int64_t[]){ 1, 1 }, NULL, TW_PAD_EDGE);
    REFUSES(tw_popops_create_image, TW_FLOAT, 2, NULL, "t");
    REFUSES(tw_popops_create_sliceable, TW_FLOAT, 2, NULL, 1, one, one, 0, "t");
    REFUSES(tw_popops_create_sliceable, TW_FLOAT, 2, shape, 1, NULL, one, 0, "t");
    REFUSES(tw_popops_create_slices, x, 1, one, NULL, 2, "t");
    REFUSES(tw_popops_create_slices_for, TW_FLOAT, 2, NULL, 1, one, one, 2, "t");
    REFUSES(tw_popops_create_sliceable_from_slice, x, 1, one, NULL, "t");
    REFUSES(tw_popops_dynamic_slice, x, indices, 1, NULL, one, p, "t");
    REFUSES(tw_popops_dynamic_update, x, x, indices, 1, one, NULL, p, "t");
    REFUSES(tw_popops_multi_slice, x, indices, 1, NULL, one, p, "t", NULL);
    REFUSES(tw_popops_gather_slices, x, indices, &places, p, "t");
    REFUSES(tw_popops_gather_slices, x, indices, &sizes, p, "t");
    REFUSES(tw_popops_scatter, x, indices, x, &windows, NULL, NULL, p, "t");
    REFUSES(tw_popops_scatter, x, indices, x, &inserted, NULL, NULL, p, "t");
    REFUSES(tw_popops_scatter, x, indices, x, &to, NULL, NULL, p, "t");
    REFUSES(tw_popops_scatter_window, x, indices, x, &windows, NULL);
    REFUSES(tw_poplin_create_matmul_lhs, TW_FLOAT, 2, NULL, one, "t", NULL);
    REFUSES(tw_poplin_create_matmul_rhs, TW_FLOAT, 2, one, NULL, "t", NULL);
    REFUSES(tw_poplin_create_solver_input, TW_FLOAT, 2, NULL, "t", NULL);
#undef REFUSES
    assert_false(tw_poputil_broadcast_shape(1, NULL, 1, one, NULL, NULL));
    assert_int_equal(tw_error_status(), TW_E_POPLIBS);
    assert_non_null(strstr(tw_error_message(), "a shape of 1 dimensions"));
    assert_false(tw_poputil_broadcast_shape(1, NULL, 2, one, NULL, NULL)); /* the one that is NULL */
    assert_non_null(strstr(tw_error_message(), "a shape of 1 dimensions"));
    assert_false(tw_poputil_broadcast_shape(1, one, 2, NULL, NULL, NULL));
    assert_non_null(strstr(tw_error_message(), "a shape of 2 dimensions"));
    assert_int_equal(tw_poputil_merge_regions(NULL, 2), 0);
    assert_null(tw_poputil_split_regions(2, NULL, NULL));
    assert_null(tw_poputil_split_regions(1, (tw_interval[]){ { 5, 4 } }, NULL));
    assert_null(tw_poputil_split_regions(2, (tw_interval[]){ { 0, UINT64_MAX }, { 0, 1 } }, NULL));
    /* lists that are written where there are some: they count */
    assert_int_equal(tw_poputil_linear_blocks(4, 8, 0, 1, NULL, 4), 4);
    tw_grouping grouping[4];
    size_t groupings = tw_poputil_dim_groupings(g, x, grouping, 4);
    assert_true(groupings > 0);
    assert_int_equal(tw_poputil_dim_groupings(g, x, NULL, 4), groupings);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_poputil_null_lists),   cmocka_unit_test(libs_poputil_blocks),
        cmocka_unit_test(libs_poputil_map_linearly), cmocka_unit_test(libs_poputil_mapping_queries),
        cmocka_unit_test(libs_poputil_users),        cmocka_unit_test(libs_poputil_merge),
        cmocka_unit_test(libs_poputil_split),        cmocka_unit_test(libs_poputil_broadcast),
        cmocka_unit_test(libs_poputil_factors),      cmocka_unit_test(libs_poputil_grouping),
        cmocka_unit_test(libs_poputil_partitions),   cmocka_unit_test(libs_poputil_copies),
    };
    return cmocka_run_group_tests_name("libs_poputil", tests, NULL, NULL);
}
