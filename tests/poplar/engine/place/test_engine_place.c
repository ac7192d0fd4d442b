/* SPDX-License-Identifier: MIT */
/* Placement of whole programs against an independent checker (place_checks.h). When objects share addresses:
 * test_engine_place_lives.c. */
#include "poplar/engine/place/place_checks.h"

static uint64_t seed = 0x853C49E6748FEA9B;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 24) % below;
}

/* --- random programs ------------------------------------------------------------------------------------------ */

enum { TILES = 12, VARIABLES = 12, SETS = 6, EACH = 10 };

/* Mapped in pieces to random tiles; `whole`: to one. */
static tw_tensor variable(tw_graph *g, tw_type type, size_t count, bool whole, uint32_t tile)
{
    tw_tensor t = tw_graph_add_variable(g, type, SHAPE(count), NULL);
    for (size_t at = 0, end; at < count; at = end) {
        end = whole ? count : at + 1 + draw((uint32_t)count);
        if (end > count) end = count;
        tw_graph_map(g, tw_tensor_slice(g, t, 0, at, end), whole ? tile : draw(TILES));
    }
    return t;
}

static tw_tensor part(tw_graph *g, tw_tensor t, size_t most)
{
    size_t count = tw_tensor_elements(g, t), n = 1 + draw((uint32_t)(count < most ? count : most));
    size_t at = draw((uint32_t)(count - n + 1));
    return tw_tensor_slice(g, t, 0, at, at + n);
}

static tw_tensor own(tw_graph *g, tw_type type, size_t count, uint32_t tile)
{
    bool here = draw(4) != 0;
    return variable(g, type, count, here, tile);
}

static tw_program random_set(tw_graph *g, const tw_tensor *vars, int set)
{
    char name[16];
    snprintf(name, sizeof name, "set%d", set);
    tw_compute_set cs = tw_graph_add_compute_set(g, name);
    for (int i = 0; i < EACH; i++) {
        uint32_t tile = draw(TILES);
        if (draw(2)) {
            size_t n = 1 + draw(40);
            tw_vertex v = tw_graph_add_vertex(g, cs, "Apart", tile);
            tw_graph_connect(g, v, "a", part(g, vars[draw(VARIABLES)], 50));
            tw_graph_connect(g, v, "b", own(g, TW_FLOAT, n, tile));
            tw_graph_connect(g, v, "c", own(g, TW_HALF, 1 + draw(60), tile));
            tw_graph_set_field_values(g, v, "n", TW_INT, 1, (int32_t[]){ 5 });
            continue;
        }
        tw_vertex v = tw_graph_add_vertex(g, cs, "Rows", tile);
        tw_tensor rows[3];
        for (int r = 0; r < 3; r++) rows[r] = part(g, vars[draw(VARIABLES)], 30);
        tw_graph_connect_list(g, v, "rows", 1 + draw(3), rows);
        tw_graph_connect_list(g, v, "list", 1 + draw(3), rows);
        tw_graph_connect(g, v, "ones", part(g, vars[draw(VARIABLES)], 5));
        tw_graph_connect(g, v, "wide", part(g, vars[draw(VARIABLES)], 60));
        tw_graph_connect(g, v, "fast", part(g, vars[draw(VARIABLES)], 60));
        tw_graph_set_field_values(g, v, "table", TW_INT, 3, (int32_t[]){ 1, 2, 3 });
        tw_graph_set_field_values(g, v, "tag", TW_CHAR, 1, (char[]){ 'x' });
        tw_graph_connect(g, v, "sum", own(g, TW_FLOAT, 1, tile));
    }
    return tw_program_execute(g, cs);
}

static void engine_place_random_programs(void **state)
{
    (void)state;
    for (int round = 0; round < 6; round++) {
        const chip *c = &chips[round % 2];
        tw_device *device;
        tw_graph *g = new_graph(c, TILES, &device);
        tw_tensor vars[VARIABLES];
        tw_program steps[2 * SETS];
        for (int i = 0; i < VARIABLES; i++)
            vars[i] = variable(g, TW_FLOAT, 20 + draw(600), i % 3 == 0, draw(TILES));
        for (int i = 0; i < SETS; i++) {
            steps[2 * i] = random_set(g, vars, i);
            tw_tensor from = vars[draw(VARIABLES)], to = vars[draw(VARIABLES)];
            size_t n = tw_tensor_elements(g, from) < tw_tensor_elements(g, to) ? tw_tensor_elements(g, from)
                                                                               : tw_tensor_elements(g, to);
            steps[2 * i + 1] = from.id == to.id ? tw_program_sequence(g, NULL)
                                                : tw_program_copy(g, tw_tensor_slice(g, from, 0, 0, n),
                                                                  tw_tensor_slice(g, to, 0, 0, n));
        }
        tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 2 * SETS, steps), NULL);
        test_ok(tw_engine_load(e, device));
        check_report(c, e);
        check_items(c, e->placement);
        for (uint32_t v = 1; v < e->core->vertex_count; v++) check_vertex(c, e, v);
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

/* States of one group lie side by side, each at its own address, inside of their object. */
static void engine_place_3_2_vertex_states(void **state)
{
    (void)state;
    tw_device *device;
    tw_graph *g = new_graph(&chips[1], 4, &device);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(40), "x"),
              y = tw_graph_add_variable(g, TW_FLOAT, SHAPE(10), "y");
    tw_graph_map(g, x, 2), tw_graph_map(g, y, 2);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_vertex v[10];
    for (size_t i = 0; i < 10; i++) {
        v[i] = tw_graph_add_vertex(g, cs, "Reads", 2);
        tw_graph_connect(g, v[i], "in", tw_tensor_slice(g, x, 0, 4 * i, 4 * i + 4));
        tw_graph_connect(g, v[i], "out", tw_tensor_index(g, y, i));
    }
    tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
    uint64_t previous = 0, x0, y0;
    uint32_t tile;
    test_ok(tw__placed_element(e, 0, 0, &tile, &x0));
    test_ok(tw__placed_element(e, 1, 0, &tile, &y0));
    for (size_t i = 0; i < 10; i++) {
        tw__placed_vertex p;
        test_ok(tw__placed_vertex_get(e, v[i].id, &p));
        assert_int_equal(p.device->size, 12); /* SPAN and a pointer */
        assert_int_equal(p.tile, 2);
        if (i) assert_int_equal(p.address - previous, 12);
        previous = p.address;
        assert_int_equal(p.values[0].address, x0 + 16 * i);
        assert_int_equal(p.values[0].count, 4);
        assert_int_equal(p.values[1].address, y0 + 4 * i);
        tw__placed_vertex_clear(&p);
    }
    tw__placed_vertex p;
    assert_int_equal(tw__placed_vertex_get(e, 0, &p), TW_E_INDEX);
    assert_int_equal(tw__placed_vertex_get(e, 11, &p), TW_E_INDEX);
    assert_int_equal(tw__placed_element(e, 0, 40, &tile, &x0), TW_E_INDEX);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* Guide 7.5: 64-bit accesses serve what is 8 bytes long and longer; what is shorter begins at a unit of atomic
 * stores. */
static void engine_place_7_5_alignment(void **state)
{
    (void)state;
    tw_device *device;
    tw_graph *g = new_graph(&chips[1], 1, &device);
    tw_program fills[20];
    tw_tensor one = tw_graph_add_variable(g, TW_CHAR, SHAPE(1), "one");
    tw_graph_map(g, one, 0);
    for (size_t n = 1; n <= 20; n++) {
        tw_tensor t = tw_graph_add_variable(g, TW_CHAR, SHAPE(n), "t");
        tw_graph_map(g, t, 0);
        fills[n - 1] = fill(g, one, t);
    }
    tw_engine *e = test_engine_new(g, device, tw_program_sequence_of(g, 20, fills), NULL);
    const tw__placement *p = e->placement;
    for (uint32_t n = 1; n <= 20; n++) {
        const tw__place_item *item = &p->items.items[p->var_first[n]];
        if (item->bytes != n || item->align != (n < 8 ? 4 : 8)) fail_msg("%u bytes: align %u", n, item->align);
    }
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* The bytes would fit, a limit does not let them: it is named, with its size. */
static void engine_place_4_1_4_limits_are_named(void **state)
{
    (void)state;
    const char *strict[] = { "debug.allowOutOfMemory=false", NULL };
    tw_device *device;
    tw_graph *g = new_graph(&chips[0], 1, &device);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(33000), "x");
    tw_graph_map(g, x, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_graph_connect(g, tw_graph_add_vertex(g, cs, "Fast", 0), "in", x);
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), strict);
    assert_int_equal(tw_engine_load(e, device), TW_E_TILE_MEMORY);
    ASSERT_MESSAGE("'x' has to lie in interleaved memory, which has 131,072 bytes; 132,000 bytes");
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* Tile 1 reads overlapping ranges of a variable on tile 0: one message buffer, at addresses as far apart as the data.
 * The buffers of the next step lie in the same place. What tile 1 writes for tile 0 has a buffer of its own; what is
 * not aligned as its field asks is put right by a copy. */
static void engine_place_buffers(void **state)
{
    (void)state;
    tw_device *device;
    tw_graph *g = new_graph(&chips[1], 2, &device);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(100), "x"),
              y = tw_graph_add_variable(g, TW_FLOAT, SHAPE(10), "y"),
              z = tw_graph_add_variable(g, TW_FLOAT, SHAPE(40), "z");
    tw_graph_map(g, x, 0), tw_graph_map(g, y, 0), tw_graph_map(g, z, 1);
    tw_compute_set sets[2] = { tw_graph_add_compute_set(g, "one"), tw_graph_add_compute_set(g, "two") };
    static const struct {
        int set;
        size_t begin, end;
    } rows[] = { { 0, 0, 4 }, { 0, 2, 6 }, { 0, 6, 8 }, { 0, 20, 30 }, { 1, 50, 90 } };
    tw_vertex v[5];
    for (size_t i = 0; i < 5; i++) {
        v[i] = tw_graph_add_vertex(g, sets[rows[i].set], "Reads", 1);
        tw_graph_connect(g, v[i], "in", tw_tensor_slice(g, x, 0, rows[i].begin, rows[i].end));
        tw_graph_connect(g, v[i], "out", tw_tensor_index(g, y, i));
    }
    tw_vertex odd = tw_graph_add_vertex(g, sets[1], "Rows", 1); /* 16 bytes asked for, 4 bytes off */
    tw_graph_connect_list(g, odd, "rows", 1, (tw_tensor[]){ tw_tensor_slice(g, z, 0, 8, 9) });
    tw_graph_connect_list(g, odd, "list", 1, (tw_tensor[]){ tw_tensor_slice(g, z, 0, 8, 9) });
    tw_graph_connect(g, odd, "ones", tw_tensor_slice(g, z, 0, 8, 10));
    tw_graph_connect(g, odd, "wide", tw_tensor_slice(g, z, 0, 1, 9));
    tw_graph_connect(g, odd, "fast", tw_tensor_slice(g, z, 0, 0, 4));
    tw_graph_set_field_values(g, odd, "table", TW_INT, 1, (int32_t[]){ 1 });
    tw_graph_connect(g, odd, "sum", tw_tensor_index(g, y, 9));
    tw_program steps[2] = { tw_program_execute(g, sets[0]), tw_program_execute(g, sets[1]) };
    tw_engine *e = test_engine_new(g, device, tw_program_sequence_of(g, 2, steps), NULL);
    uint32_t at[5];
    for (size_t i = 0; i < 5; i++) {
        tw__placed_vertex p;
        test_ok(tw__placed_vertex_get(e, v[i].id, &p));
        at[i] = p.values[0].address;
        tw__placed_vertex_clear(&p);
        check_vertex(&chips[1], e, v[i].id);
    }
    assert_int_equal(at[1] - at[0], 2 * 4);
    assert_int_equal(at[2] - at[0], 6 * 4); /* side by side */
    assert_true(!meet(at[3], at[3] + 40, at[0], at[0] + 32));
    assert_true(meet(at[4], at[4] + 160, at[0], at[0] + 32)); /* the steps do not need theirs together */
    check_vertex(&chips[1], e, odd.id);
    tw_fidelity fidelity;
    const tw_profile *profile = tw_engine_profile(e);
    assert_int_equal(tw_profile_memory(profile, "message", &fidelity), (8 + 10 + 40) * 4);
    assert_int_equal(tw_profile_memory(profile, "outputEdge", &fidelity), 4 * 4 + 2 * 4); /* y[0..3], y[4], y[9] */
    assert_int_equal(tw_profile_memory(profile, "rearrangement", &fidelity), 8 * 4);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    test_ok(tw_profile_print_graph_summary(
        profile, out, &(tw_profile_options){ .size = sizeof(tw_profile_options), .show_var_storage = true }));
    fclose(out);
    static const struct {
        const char *name;
        int bytes;
    } live[] = { { "<message:one>", 72 },
                 { "<message:two>", 160 },
                 { "<outputEdge:one>", 16 },
                 { "<outputEdge:two>", 8 },
                 { "<rearrangement:two>", 32 } };
    for (size_t i = 0; i < sizeof live / sizeof *live; i++) {
        const char *line = strstr(text, live[i].name);
        if (!line || atoi(line + strlen(live[i].name)) != live[i].bytes) fail_msg("%s in\n%s", live[i].name, text);
    }
    free(text);
    check_report(&chips[1], e);
    check_items(&chips[1], e->placement);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* --- constraints ---------------------------------------------------------------------------------------------- */

static tw_status constrained(const chip *c, const char *type, size_t in, size_t out, int how)
{
    tw_device *device;
    tw_graph *g = new_graph(c, 2, &device);
    tw_type element = strcmp(type, "Regions") == 0 ? TW_CHAR : TW_FLOAT;
    tw_tensor t = tw_graph_add_variable(g, element, SHAPE(in + out), "pair"),
              s = tw_graph_add_variable(g, TW_FLOAT, SHAPE(1), "s");
    tw_graph_map(g, t, 1), tw_graph_map(g, s, 1);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs"), next = tw_graph_add_compute_set(g, "next");
    tw_vertex v = tw_graph_add_vertex(g, cs, type, 1);
    tw_graph_connect(g, v, "in", tw_tensor_slice(g, t, 0, 0, in));
    tw_graph_connect(g, v, "out",
                     how == 2 ? tw_tensor_slice(g, t, 0, 0, in) : tw_tensor_slice(g, t, 0, in, in + out));
    tw_program steps[2] = { tw_program_execute(g, cs), tw_program_execute(g, next) };
    if (how == 1) { /* another vertex reads across the place where the variable would have to be cut */
        tw_vertex w = tw_graph_add_vertex(g, next, "Reads", 1);
        tw_graph_connect(g, w, "in", t), tw_graph_connect(g, w, "out", tw_tensor_index(g, s, 0));
    }
    tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 2, steps), NULL);
    tw_status status = tw_engine_load(e, device);
    if (!status) {
        check_report(c, e);
        check_items(c, e->placement);
        check_vertex(c, e, v.id);
    }
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    return status;
}

static void engine_place_3_2_2_constraints(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const chip *c = &chips[k];
        size_t low = c->interleaved - c->base, high = c->end - c->interleaved, most = low > high ? low : high;
        test_ok(constrained(c, "Elements", 100, 50, 0)); /* two parts of one variable are cut apart */
        test_ok(constrained(c, "Regions", 4096, 4096, 0));
        assert_int_equal(constrained(c, "Elements", 100, 50, 1), TW_E_ELEM_CONSTRAINTS);
        ASSERT_MESSAGE("\"elem(*in)!=elem(*out)\" cannot hold");
        ASSERT_MESSAGE("'in' and 'out'");
        ASSERT_MESSAGE("'pair'");
        assert_int_equal(constrained(c, "Elements", 100, 50, 2), TW_E_ELEM_CONSTRAINTS); /* the same data */
        /* each in a region of its own: up to the region's size, less the margin at the end of the memory */
        test_ok(constrained(c, "Regions", most - 4096, 8, 0));
        assert_int_equal(constrained(c, "Regions", most + 8, 8, 0), TW_E_ELEM_CONSTRAINTS);
        ASSERT_MESSAGE("tile 1: no place for");
        ASSERT_MESSAGE("Regions: region(*in)!=region(*out)");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_place_random_programs), cmocka_unit_test(engine_place_3_2_vertex_states),
        cmocka_unit_test(engine_place_7_5_alignment),   cmocka_unit_test(engine_place_4_1_4_limits_are_named),
        cmocka_unit_test(engine_place_buffers),         cmocka_unit_test(engine_place_3_2_2_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
