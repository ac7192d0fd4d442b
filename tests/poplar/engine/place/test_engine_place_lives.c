/* SPDX-License-Identifier: MIT */
/* Who is alive together with whom decides what shares addresses, and what a full tile is said to hold. */
#include "poplar/engine/place/place_checks.h"

/* Two variables of 200,000 bytes on a Mk1 tile of 262,144: one after the other they fit, together they do not. */
static void engine_place_8_2_3_lives(void **state)
{
    (void)state;
    for (int together = 0; together < 2; together++) {
        tw_device *device;
        tw_graph *g = new_graph(&chips[0], 2, &device);
        tw_tensor big[2], small = tw_graph_add_variable(g, TW_CHAR, SHAPE(1), "small");
        tw_graph_map(g, small, 1);
        for (int i = 0; i < 2; i++) {
            big[i] = tw_graph_add_variable(g, TW_CHAR, SHAPE(200000), i ? "second" : "first");
            tw_graph_map(g, big[i], 0);
        }
        tw_tensor one = tw_tensor_broadcast(g, tw_tensor_reshape(g, small, SHAPE(1)), 200000, 0);
        tw_program fill[2] = { tw_program_copy(g, one, big[0]), tw_program_copy(g, one, big[1]) };
        tw_program use[2] = { tw_program_copy(g, tw_tensor_slice(g, big[0], 0, 7, 8), small),
                              tw_program_copy(g, tw_tensor_slice(g, big[1], 0, 7, 8), small) };
        tw_program apart[] = { fill[0], use[0], fill[1], use[1] }, mixed[] = { fill[0], fill[1], use[0], use[1] };
        const char *strict[] = { "debug.allowOutOfMemory=false", NULL };
        tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 4, together ? mixed : apart), strict);
        assert_int_equal(tw_engine_load(e, device), together ? TW_E_TILE_MEMORY : TW_OK);
        if (together) {
            const char *parts[] = { "tile 0 is out of memory", "of 262,144",
                                    "Variables 400,000 B ('first' 200,000 B)", "Stack 3,168 B" };
            for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) ASSERT_MESSAGE(parts[i]);
        } else {
            const tw__placement *p = e->placement;
            const tw__place_item *a = &p->items.items[p->var_first[1]], *b = &p->items.items[p->var_first[2]];
            assert_true(a->last < b->first &&
                        meet(a->address, a->address + 200000, b->address, b->address + 200000));
            assert_true(a->flags & TW__PLACE_OVERLAPPED);
            check_report(&chips[0], e);
            check_items(&chips[0], p);
            char *text = NULL; /* guide 8.2.3: counted once in the total, twice by data type */
            size_t size = 0;
            FILE *out = open_memstream(&text, &size);
            test_ok(tw_profile_print_graph_summary(tw_engine_profile(e), out, NULL));
            fclose(out);
            assert_non_null(strstr(text, "400,000 B"));
            assert_non_null(strstr(text, "Total After Overlapping:"));
            assert_non_null(strstr(text, "Including Gaps:"));
            assert_null(strstr(text, "absent: gaps"));
            assert_non_null(strstr(text, "0 tile(s) out of memory"));
            free(text);
        }
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

/* Two variables of 200,000 bytes on a Mk1 tile of 262,144 that would not fit if they were alive from their first step
 * to their last: one is dead between two of its lives; one is written in two halves, which no step writes at once;
 * one has been sent to other tiles before the other comes back from there. `mixed`: the same with a value that is
 * needed once more, too late. */
static tw_program lives_with_holes(tw_graph *g, int row, bool mixed, tw_tensor small, const tw_tensor *big)
{
    tw_program take[2], p[8];
    unsigned n = 0;
    for (int i = 0; i < 2; i++) take[i] = tw_program_copy(g, tw_tensor_slice(g, big[i], 0, 199999, 200000), small);
    if (row == 0) {
        p[n++] = fill(g, small, big[0]), p[n++] = take[0], p[n++] = fill(g, small, big[1]), p[n++] = take[1];
        if (!mixed) p[n++] = fill(g, small, big[0]);
        p[n++] = take[0];
    } else if (row == 1) {
        p[n++] = fill(g, small, tw_tensor_slice(g, big[0], 0, 0, 100000));
        p[n++] = tw_program_sync(g, TW_SYNC_INTERNAL);
        p[n++] = fill(g, small, tw_tensor_slice(g, big[0], 0, mixed ? 100001 : 100000, 200000));
        p[n++] = tw_program_copy(g, tw_tensor_slice(g, big[0], 0, 100000, 100001), small);
        p[n++] = fill(g, small, big[1]), p[n++] = take[1];
    } else {
        tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
        for (unsigned i = 0; i < 4; i++) {
            tw_vertex v = tw_graph_add_vertex(g, cs, "Move", 1 + i);
            tw_graph_connect(g, v, "in", tw_tensor_slice(g, big[0], 0, 50000 * i, 50000 * i + 50000));
            tw_graph_connect(g, v, "out", tw_tensor_slice(g, big[1], 0, 50000 * i, 50000 * i + 50000));
        }
        p[n++] = fill(g, small, big[0]), p[n++] = tw_program_execute(g, cs);
        if (mixed) p[n++] = take[0];
        p[n++] = take[1];
    }
    return tw_program_repeat(g, 2, tw_program_sequence_of(g, n, p));
}

static void engine_place_8_2_3_holes(void **state)
{
    (void)state;
    const char *strict[] = { "debug.allowOutOfMemory=false", NULL };
    for (int row = 0; row < 6; row++) {
        bool mixed = row % 2;
        tw_device *device;
        tw_graph *g = new_graph(&chips[0], 5, &device);
        tw_tensor small = tw_graph_add_variable(g, TW_CHAR, SHAPE(1), "small"), big[2];
        tw_graph_map(g, small, 1);
        for (int i = 0; i < 2; i++) {
            big[i] = tw_graph_add_variable(g, TW_CHAR, SHAPE(200000), i ? "second" : "first");
            tw_graph_map(g, big[i], 0);
        }
        tw_engine *e = tw_engine_new(g, lives_with_holes(g, row / 2, mixed, small, big), strict);
        tw_status status = tw_engine_load(e, device);
        if (status != (mixed ? TW_E_TILE_MEMORY : TW_OK)) fail_msg("row %d: %s", row, tw_error_message());
        if (!mixed) check_items(&chips[0], e->placement);
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

/* docs/decisions.md, G4, guide 8.2.3: what fills a tile is what is alive when most bytes are, not all that ever
 * shares its addresses.
 * Seven variables of 100,000 bytes, each copied to the next: three at a time, the first always needed. */
static void engine_place_8_2_3_what_fills_a_tile(void **state)
{
    (void)state;
    tw_device *device;
    tw_graph *g = new_graph(&chips[0], 1, &device);
    tw_program copies[6];
    tw_tensor before = { 0 };
    for (int i = 0; i < 7; i++) {
        tw_tensor v = tw_graph_add_variable(g, TW_CHAR, SHAPE(100000), "v");
        tw_graph_map(g, v, 0);
        if (i) copies[i - 1] = tw_program_copy(g, before, v);
        before = v;
    }
    const char *strict[] = { "debug.allowOutOfMemory=false", NULL };
    tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 6, copies), strict);
    assert_int_equal(tw_engine_load(e, device), TW_E_TILE_MEMORY);
    ASSERT_MESSAGE("Variables 300,000 B");
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_place_8_2_3_lives),
        cmocka_unit_test(engine_place_8_2_3_holes),
        cmocka_unit_test(engine_place_8_2_3_what_fills_a_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
