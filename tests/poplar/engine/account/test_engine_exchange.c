/* SPDX-License-Identifier: MIT */
/* Who sends what to whom, against a walk element by element over random mappings and views. */
#include "poplar/engine/account/account.h"
#include "poplar/engine/engine_test.h"

static uint64_t seed = 3;
static uint64_t below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

enum { N = 360, TILES = 16 };

/* Random intervals on random tiles, or with `gaps` on none; tile_of[element]. */
static tw_tensor mapped_variable(tw_graph *g, const char *name, bool gaps, uint32_t *tile_of)
{
    tw_tensor t = tw_graph_add_variable(g, TW_SHORT, SHAPE(N), name);
    for (uint64_t i = 0, n; i < N; i += n) {
        n = 1 + below(20);
        if (n > N - i) n = N - i;
        unsigned tile = gaps && below(3) == 0 ? TW_UNMAPPED : (unsigned)below(TILES);
        if (tile != TW_UNMAPPED) tw_graph_map_range(g, t, i, n, tile);
        for (uint64_t k = i; k < i + n; k++) tile_of[k] = tile;
    }
    return t;
}

/* A view of all elements; at[i] = element of the variable. */
static tw_tensor shuffled(tw_graph *g, tw_tensor t, uint32_t *at)
{
    static const size_t shapes[][2] = { { 1, 360 }, { 12, 30 }, { 60, 6 }, { 2, 180 }, { 90, 4 } };
    const size_t *shape = shapes[below(5)];
    bool reverse = below(2), transpose = below(2);
    if (reverse) t = tw_tensor_reverse(g, t, 0);
    t = tw_tensor_reshape(g, t, 2, shape);
    if (transpose) t = tw_tensor_transpose(g, t);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t flat = transpose ? (uint32_t)(i % shape[0] * shape[1] + i / shape[0]) : i;
        at[i] = reverse ? N - 1 - flat : flat;
    }
    return tw_tensor_flatten(g, t);
}

static void against_elements(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    for (int round = 0; round < 500; round++) {
        bool gaps = round >= 300; /* an engine meets them where a program does not reach */
        tw_graph *g = tw_graph_new(tw_device_target(device));
        uint32_t src_tile[N], dst_tile[N], src_at[N], dst_at[N];
        tw_tensor a = mapped_variable(g, "a", gaps, src_tile), b = mapped_variable(g, "b", gaps, dst_tile);
        tw_program p = tw_program_copy(g, shuffled(g, a, src_at), shuffled(g, b, dst_at));
        tw__core *core = tw__graph_core(g);
        if (!gaps) test_ok(tw__graph_check(core, &p.id, 1));
        for (size_t v = 0; v < core->var_count; v++) assert_true(tw__mapping_settle(&core->vars[v]));
        const tw__program *copy = &core->programs[p.id];
        uint64_t first = below(N), count = 1 + below(N - first), seen = 0;
        bool with_src = round % 3 != 1, with_dst = round % 3 != 2;
        tw__exchange_walk walk = tw__exchange_begin(core, with_src ? copy->a.regions : NULL, 77,
                                                    with_dst ? copy->b.regions : NULL, 78, first, count);
        tw__piece piece;
        while (tw__exchange_next(&walk, &piece)) {
            assert_true(piece.count > 0 && seen + piece.count <= count);
            for (uint64_t i = 0; i < piece.count; i++) {
                uint64_t at = first + seen + i;
                uint64_t src = piece.src + i * (uint64_t)piece.src_stride,
                         dst = piece.dst + i * (uint64_t)piece.dst_stride;
                assert_int_equal(src, with_src ? src_at[at] : at);
                assert_int_equal(dst, with_dst ? dst_at[at] : at);
                assert_int_equal(piece.src_tile, with_src ? src_tile[src] : 77);
                assert_int_equal(piece.dst_tile, with_dst ? dst_tile[dst] : 78);
            }
            seen += piece.count;
        }
        assert_int_equal(seen, count);
        tw_graph_free(g);
    }
    tw_device_free(device);
}

/* One element for all of a destination: of the source that element alone, whatever follows it. */
static void broadcast(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    for (uint64_t element = 0; element < 6; element++) {
        tw_graph *g = tw_graph_new(tw_device_target(device));
        tw_tensor a = tw_graph_add_variable(g, TW_SHORT, SHAPE(6), "a"),
                  b = tw_graph_add_variable(g, TW_SHORT, SHAPE(40), "b");
        for (unsigned i = 0; i < 6; i += 2) tw_graph_map_range(g, a, i, 2, i);
        for (unsigned i = 0; i < 40; i += 10) tw_graph_map_range(g, b, i, 10, 8 + i / 10);
        tw_tensor one = tw_tensor_broadcast(g, tw_tensor_slice(g, a, 0, element, element + 1), 40, 0);
        tw_program p = tw_program_copy(g, one, b);
        tw__core *core = tw__graph_core(g);
        test_ok(tw__graph_check(core, &p.id, 1));
        for (size_t v = 0; v < core->var_count; v++) assert_true(tw__mapping_settle(&core->vars[v]));
        const tw__program *copy = &core->programs[p.id];
        tw__exchange_walk walk = tw__exchange_begin(core, copy->a.regions, 77, copy->b.regions, 78, 0, 40);
        tw__piece piece;
        uint64_t seen = 0;
        while (tw__exchange_next(&walk, &piece)) {
            assert_int_equal(piece.src_tile, element / 2 * 2);
            assert_int_equal(piece.dst_tile, 8 + seen / 10);
            for (uint64_t i = 0; i < piece.count; i++)
                assert_int_equal(piece.src + i * (uint64_t)piece.src_stride, element);
            seen += piece.count;
        }
        assert_int_equal(seen, 40);
        tw_graph_free(g);
    }
    tw_device_free(device);
}

/* Bytes moved, with equal data counted once: columns side by side, rows backwards and single elements are not
 * equal. */
static void counts_each_element_once(void **state)
{
    (void)state;
    enum { ROWS = 3, COLUMNS = 5 };
    static const struct {
        uint64_t first;
        int64_t stride;
        uint64_t count;
    } pieces[][4] = {
        { { 0, COLUMNS, ROWS }, { 1, COLUMNS, ROWS }, { 2, COLUMNS, ROWS }, { 3, COLUMNS, ROWS } }, /* transposed */
        { { 10, -5, 3 }, { 0, 5, 3 }, { 5, 5, 2 }, { 1, 5, 1 } }, /* the same column, both ways; and an element */
        { { 4, -1, 5 }, { 0, 1, 5 }, { 2, 1, 6 }, { 8, 7, 1 } },  /* one run of nine */
        { { 3, 0, 2 },
          { 4, 0, 2 },
          { 3, 0, 1 },
          { 3, 0, 2 } }, /* broadcasts of two elements, and one of them alone */
    };
    static const uint64_t elements[] = { 12, 4, 9, 5 };
    tw_device *device = test_device_new(MODEL);
    for (size_t n = 0; n < 2 * G_N_ELEMENTS(pieces); n++) {
        size_t i = n / 2;
        unsigned to = n % 2 ? 9 : 5; /* on another IPU, and on the same */
        tw__traffic traffic;
        assert_true(tw__traffic_init(&traffic, tw_device_target(device)));
        for (size_t k = 0; k < G_N_ELEMENTS(pieces[i]); k++) {
            tw__piece piece = { .src_tile = 1,
                                .dst_tile = to,
                                .src_var = 0,
                                .dst_var = UINT32_MAX,
                                .src = pieces[i][k].first,
                                .src_stride = pieces[i][k].stride,
                                .count = pieces[i][k].count };
            tw__traffic_add(&traffic, &piece, 2);
        }
        tw__traffic_finish(&traffic);
        uint64_t received = (n % 2 ? traffic.inward : traffic.received)[to],
                 sent = (n % 2 ? traffic.outward : traffic.sent)[1];
        if (received != elements[i] * 2 || sent != elements[i] * 2 || traffic.spread ||
            traffic.internal + traffic.global != elements[i] * 2)
            fail_msg("case %zu: %llu bytes received", i, (unsigned long long)received);
        tw__traffic_free(&traffic);
    }
    tw_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(against_elements), cmocka_unit_test(broadcast),
                                        cmocka_unit_test(counts_each_element_once) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
