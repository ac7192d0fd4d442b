/* SPDX-License-Identifier: MIT */
/* What a profile learns from the engine beside sums: who sends to whom, exchanges that move the same twice, workers,
 * live bytes by tile, when a block of a tile is in use. Figures are worked out by hand. */
#include "poplar/engine/engine_test.h"

#include "core/profile/profile.h"

static tw_device *model(unsigned ipus, unsigned tiles)
{
    tw_ipu_model m = { .size = sizeof m, .chip = TW_MK1, .num_ipus = ipus, .tiles_per_ipu = tiles };
    return tw_device_ipu_model_with(&m);
}

static const tw_profile *run(tw_engine *e, tw_device *device)
{
    test_ok(tw_engine_load(e, device));
    test_ok(tw_engine_run(e, 0));
    const tw_profile *p = tw_engine_profile(e);
    assert_non_null(p);
    return p;
}

static tw_tensor variable(tw_graph *g, const char *name, size_t elements, unsigned tile)
{
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, SHAPE(elements), name);
    tw_graph_map(g, t, tile);
    return t;
}

static uint64_t pair_bytes(const tw_profile *p, uint32_t kind, uint32_t from, uint32_t to, uint64_t *messages)
{
    uint64_t bytes = 0;
    *messages = 0;
    for (size_t i = 0; i < p->pairs.count; i++) {
        const tw__profile_pair *at = &p->pairs.items[i];
        if (at->kind == kind && at->from == from && at->to == to) bytes += at->bytes, *messages += at->messages;
    }
    return bytes;
}

/* a (10 floats, tile 0) goes to tile 1 in one piece, two of its columns to tile 2, all of it to the other chip. */
static void pairs_and_messages(void **state)
{
    (void)state;
    tw_device *device = model(2, 4);
    tw_graph *g = test_graph_new(device);
    tw_tensor a = variable(g, "a", 10, 0), b = variable(g, "b", 10, 1), c = variable(g, "c", 4, 2),
              d = variable(g, "d", 10, 6);
    tw_tensor rows = tw_tensor_reshape(g, a, 2, (size_t[]){ 2, 5 });
    tw_tensor ends = tw_tensor_concat(
        g, 2, (tw_tensor[]){ tw_tensor_slice(g, rows, 1, 0, 1), tw_tensor_slice(g, rows, 1, 4, 5) }, 1);
    tw_program p = tw_program_sequence_of(g, 3,
                                          (tw_program[]){ tw_program_copy(g, a, b),
                                                          tw_program_copy(g, tw_tensor_flatten(g, ends), c),
                                                          tw_program_copy(g, a, d) });
    tw_engine *e = tw_engine_new(g, p, NULL);
    tw_graph_free(g);
    const tw_profile *profile = run(e, device);
    uint64_t messages;
    assert_int_equal(pair_bytes(profile, TW__EXCHANGE_INTERNAL, 0, 1, &messages), 40);
    assert_int_equal(messages, 1);
    assert_int_equal(pair_bytes(profile, TW__EXCHANGE_INTERNAL, 0, 2, &messages), 16);
    assert_true(messages >= 2); /* two columns; how their elements are joined is the model's */
    assert_int_equal(pair_bytes(profile, TW__EXCHANGE_GLOBAL, 0, 6, &messages), 40);
    assert_int_equal(messages, 1);
    assert_int_equal(pair_bytes(profile, TW__EXCHANGE_INTERNAL, 1, 0, &messages), 0);
    assert_int_equal(profile->pairs_omitted, 0);
    tw_engine_free(e), tw_device_free(device);
}

/* Pairs of an exchange add up to what its tiles receive, also where a tile needs an element twice. */
static void pairs_add_up(void **state)
{
    (void)state;
    enum { TILES = 8, N = 64 };
    tw_device *device = model(1, TILES);
    tw_graph *g = test_graph_new(device);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(N), "x"), y = variable(g, "y", TILES, 0);
    for (unsigned t = 0; t < TILES; t++) tw_graph_map_range(g, x, t * N / TILES, N / TILES, t);
    for (unsigned t = 0; t < TILES; t++) tw_graph_map_range(g, y, t, 1, t);
    tw_compute_set cs = tw_graph_add_compute_set(g, "sum");
    for (unsigned t = 0; t < TILES; t++)
        for (unsigned k = 1; k < 4; k++) {
            tw_vertex v = tw_graph_add_vertex(g, cs, "Plus", t);
            tw_graph_connect(g, v, "x", tw_tensor_index(g, x, (t * 8 + 8) % N));
            tw_graph_connect(g, v, "y", tw_tensor_index(g, x, (t * 8 + 8 * k) % N));
            tw_tensor out = tw_graph_add_variable(g, TW_FLOAT, SHAPE(1), "out");
            tw_graph_map(g, out, t);
            tw_graph_connect(g, v, "sum", tw_tensor_index(g, out, 0));
        }
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    tw_graph_free(g);
    const tw_profile *p = run(e, device);
    uint64_t received[TILES], sum[TILES] = { 0 }, bytes = 0;
    assert_true(p->exchanges[0].count == 1 &&
                tw__profile_row_read(p, p->exchanges[0].items[0].received, received, TILES));
    for (size_t i = 0; i < p->pairs.count; i++) sum[p->pairs.items[i].to] += p->pairs.items[i].bytes;
    for (unsigned t = 0; t < TILES; t++) {
        assert_int_equal(sum[t], received[t]);
        assert_int_equal(sum[t], 12); /* three tiles, a float each */
        bytes += sum[t];
    }
    assert_int_equal(bytes, 12 * TILES);
    assert_int_equal(p->rows.items[p->exchanges[0].items[0].sent].sum, 4 * TILES); /* one sender, three receivers */
    tw_engine_free(e), tw_device_free(device);
}

/* a goes to tile 1 twice; `between` decides what happens in between. */
static void contents(const char *between, uint64_t out[2])
{
    tw_device *device = model(1, 4);
    tw_graph *g = test_graph_new(device);
    tw_tensor a = variable(g, "a", 16, 0), b = variable(g, "b", 16, 1), c = variable(g, "c", 16, 1),
              other = variable(g, "other", 16, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "scale");
    tw_vertex v = tw_graph_add_vertex(g, cs, "Scale<float>", 0);
    tw_graph_connect(g, v, "data", strcmp(between, "written") ? other : a);
    tw_graph_set_field(g, v, "factor", 2);
    tw_program middle = tw_program_execute(g, cs);
    if (!strcmp(between, "copied")) middle = tw_program_copy(g, other, a);
    if (!strcmp(between, "loop")) middle = tw_program_repeat(g, 3, middle);
    tw_program p =
        tw_program_sequence_of(g, 3, (tw_program[]){ tw_program_copy(g, a, b), middle, tw_program_copy(g, a, c) });
    tw_engine *e = tw_engine_new(g, p, NULL);
    tw_graph_free(g);
    const tw_profile *profile = run(e, device);
    assert_int_equal(profile->exchanges[0].count, 2);
    for (int i = 0; i < 2; i++) out[i] = profile->exchanges[0].items[i].content;
    tw_engine_free(e), tw_device_free(device);
}

static void same_data_twice(void **state)
{
    (void)state;
    uint64_t at[2];
    contents("kept", at);
    assert_true(at[0] != 0);
    assert_true(at[0] == at[1]);
    contents("written", at);
    assert_true(at[0] != at[1]);
    contents("copied", at);
    assert_true(at[0] != at[1]);
    contents("loop", at); /* may be written there, for all that is looked at */
    assert_true(at[0] != at[1]);
}

/* 7 vertices on 6 workers: the first has 30 cycles, so the seventh follows the second, a worker gets every sixth
 * cycle. */
static void workers(void **state)
{
    (void)state;
    tw_device *device = model(1, 2);
    tw_graph *g = test_graph_new(device);
    tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(8), "x");
    tw_graph_map(g, x, 1);
    tw_compute_set cs = tw_graph_add_compute_set(g, "set");
    for (unsigned i = 0; i < 8; i++) {
        unsigned tile = i < 7;
        if (!tile) tw_graph_map_range(g, x, i, 1, 0);
        tw_vertex v = tw_graph_add_vertex(g, cs, "IsPositive", tile);
        tw_graph_connect(g, v, "x", tw_tensor_index(g, x, i));
        tw_graph_set_perf_estimate(g, v, i == 0 ? 30 : 10, 0);
    }
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    tw_graph_free(g);
    const tw_profile *p = run(e, device);
    const tw__step *step = &p->steps.items[p->steps.count - 1];
    assert_int_equal(step->work_tile, 1); /* the slower one */
    assert_int_equal(step->work_count, 7);
    static const uint64_t expected[7][3] = { { 0, 0, 180 }, { 1, 0, 60 }, { 2, 0, 60 },  { 3, 0, 60 },
                                             { 4, 0, 60 },  { 5, 0, 60 }, { 1, 60, 120 } };
    for (int i = 0; i < 7; i++) {
        const tw__work *w = &p->work.items[step->work_first + (size_t)i];
        assert_int_equal(w->worker, expected[i][0]);
        assert_int_equal(w->from, expected[i][1]);
        assert_int_equal(w->to, expected[i][2]);
        assert_string_equal(p->names.items[p->types.items[w->vertex_type].name], "IsPositive");
    }
    tw_engine_free(e), tw_device_free(device);
}

/* b lives on tile 1 only between the two copies; a and c are read and written outside. */
static void live_by_tile(void **state)
{
    (void)state;
    tw_device *device = model(1, 4);
    tw_graph *g = test_graph_new(device);
    tw_tensor a = variable(g, "a", 16, 0), b = variable(g, "b", 16, 1), c = variable(g, "c", 16, 2);
    tw_graph_set_initial_value(g, a, (float[16]){ 1 }, false);
    tw_program p = tw_program_sequence_of(
        g, 3, (tw_program[]){ tw_program_copy(g, a, b), tw_program_copy(g, b, c), tw_program_copy(g, c, a) });
    tw_engine *e = tw_engine_new(g, p, NULL);
    tw_graph_free(g);
    const tw_profile *profile = run(e, device);
    uint64_t row[4], most = 0;
    unsigned seen = 0;
    for (size_t i = 0; i < profile->programs.count; i++) {
        const tw__profile_program *at = &profile->programs.items[i];
        if (!at->live_names) continue;
        assert_true(tw__profile_row_read(profile, at->live_tiles, row, 4));
        uint64_t listed = 0;
        tw__live_var *vars;
        size_t count;
        test_ok(tw__profile_live(profile, (uint32_t)i, &vars, &count));
        for (size_t k = 0; k < count; k++) listed += vars[k].bytes;
        free(vars);
        assert_int_equal(row[0] + row[1] + row[2] + row[3], listed); /* the list, by tile */
        if (row[1] > most) most = row[1];
        seen++;
    }
    assert_true(seen >= 3);
    assert_int_equal(most, 64);
    /* b's block: from the first copy to the second, named as programs of the tree. */
    bool found = false;
    for (size_t i = 0; i < profile->blocks.count; i++) {
        const tw__profile_block *block = &profile->blocks.items[i];
        if (strcmp(profile->names.items[block->name], "b")) continue;
        found = true;
        assert_true(block->from < block->to && block->to < profile->programs.count);
        assert_int_equal(profile->programs.items[block->from].type, TW_PROGRAM_DO_EXCHANGE);
        assert_int_equal(profile->programs.items[block->to].type, TW_PROGRAM_DO_EXCHANGE);
    }
    assert_true(found);
    assert_int_equal(profile->regions.count, 2); /* of Mk1: guide 7.2.2 */
    assert_int_equal(profile->regions.items[0].address, 0x40000);
    assert_int_equal(profile->liveness_fidelity, TW_FIDELITY_MODELLED);
    tw_engine_free(e), tw_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_and_messages), cmocka_unit_test(pairs_add_up),
        cmocka_unit_test(same_data_twice),    cmocka_unit_test(workers),
        cmocka_unit_test(live_by_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
