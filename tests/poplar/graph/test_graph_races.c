/* SPDX-License-Identifier: MIT */
/* Races (docs/decisions.md, G1): fixed cases, then random compute sets against a comparison of all pairs. */
#include "poplar/graph/fake_codelets.h"
#include "poplar/graph/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static tw_graph *new_graph(void)
{
    tw_target *target =
        tw_target_new_ipu_model(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = 16 });
    tw_graph *g = tw_graph_new(target);
    tw_target_free(target);
    return g;
}

static tw_status check(tw_graph *g, tw_compute_set cs)
{
    tw_program p = tw_program_execute(g, cs);
    if (tw_graph_status(g) != TW_OK) fail_msg("%s", tw_graph_error(g)->message);
    return tw__graph_check(tw__graph_core(g), &p.id, 1);
}

static tw_vertex copier(tw_graph *g, tw_compute_set cs, unsigned tile, tw_tensor in, tw_tensor out)
{
    tw_vertex v = tw_graph_add_vertex(g, cs, "Copy<float>", tile);
    tw_graph_connect(g, v, "in", in);
    tw_graph_connect(g, v, "out", out);
    return v;
}

static void graph_races_cases(void **state)
{
    (void)state;
    /* Two copiers over slices of x (in) and y (out), or x for both. Elements [begin, end). */
    static const struct {
        size_t in[2][2], out[2][2];
        bool out_is_x, race;
        const char *phrase;
    } rows[] = {
        { { { 0, 8 }, { 8, 16 } }, { { 0, 8 }, { 8, 16 } }, false, false, NULL },
        { { { 0, 8 }, { 0, 8 } }, { { 0, 8 }, { 8, 16 } }, false, false, NULL }, /* both read */
        { { { 0, 8 }, { 0, 8 } }, { { 0, 8 }, { 7, 16 } }, false, true, "also written" },
        { { { 0, 8 }, { 8, 16 } }, { { 0, 8 }, { 8, 16 } }, true, false, NULL }, /* own input */
        { { { 0, 9 }, { 8, 16 } }, { { 0, 8 }, { 8, 16 } }, true, true, "element 8 of x[64]" },
        { { { 0, 8 }, { 0, 1 } }, { { 16, 24 }, { 24, 32 } }, true, false, NULL },
        { { { 0, 8 }, { 16, 17 } }, { { 16, 24 }, { 24, 32 } }, true, true, "and read by field 'in'" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_graph *g = new_graph();
        tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 64 }, "x");
        tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 64 }, "y"), o = rows[i].out_is_x ? x : y;
        tw_graph_map_linearly(g, x);
        tw_graph_map_linearly(g, y);
        tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
        for (unsigned k = 0; k < 2; k++)
            copier(g, cs, 3 + k, tw_tensor_slice(g, x, 0, rows[i].in[k][0], rows[i].in[k][1]),
                   tw_tensor_slice(g, o, 0, rows[i].out[k][0], rows[i].out[k][1]));
        tw_status status = check(g, cs);
        if (status != (rows[i].race ? TW_E_CONTROL_PROGRAM : TW_OK)) fail_msg("row %zu: %s", i, tw_error_message());
        if (rows[i].race) {
            const char *m = tw_error_message();
            bool named = strstr(m, rows[i].phrase) && strstr(m, "race in compute set 'cs'") &&
                         strstr(m, "vertex 1 of type Copy<float> on tile 3") &&
                         strstr(m, "vertex 2 of type Copy<float> on tile 4") && strstr(m, "field 'out'");
            if (!named) fail_msg("row %zu: %s", i, m);
        }
        tw_graph_free(g);
    }
}

/* Two compute sets may touch the same elements; one compute set that is not executed is not looked at. */
static void graph_races_per_compute_set(void **state)
{
    (void)state;
    tw_graph *g = new_graph();
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 64 }, "x");
    tw_graph_map_linearly(g, x);
    tw_compute_set cs[3];
    for (unsigned i = 0; i < 3; i++) {
        cs[i] = tw_graph_add_compute_set(g, "cs");
        for (unsigned k = 0; k < (i == 2 ? 2 : 1); k++) {
            tw_vertex v = tw_graph_add_vertex(g, cs[i], "Scale", 0);
            tw_graph_connect(g, v, "data", x);
        }
    }
    tw_program both =
        tw_program_sequence_of(g, 2, (tw_program[]){ tw_program_execute(g, cs[0]), tw_program_execute(g, cs[1]) });
    assert_int_equal(tw__graph_check(tw__graph_core(g), &both.id, 1), TW_OK);
    assert_int_equal(check(g, cs[2]), TW_E_CONTROL_PROGRAM);
    tw_graph_free(g);
}

/* Interleaved columns: bounds of all of them overlap, elements of none do. */
static void graph_races_columns(void **state)
{
    (void)state;
    tw_graph *g = new_graph();
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 1024, 1024 }, "x");
    tw_graph_map(g, x, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "columns");
    for (unsigned i = 0; i < 1024; i++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, "Scale", i % 16);
        tw_graph_connect(g, v, "data", tw_tensor_slice(g, x, 1, i, i + 1));
    }
    assert_int_equal(check(g, cs), TW_OK);
    tw_vertex v = tw_graph_add_vertex(g, cs, "Scale", 0);
    tw_graph_connect(g, v, "data", tw_tensor_slice_nd(g, x, (size_t[]){ 500, 3 }, (size_t[]){ 501, 4 }));
    assert_int_equal(check(g, cs), TW_E_CONTROL_PROGRAM);
    assert_non_null(strstr(tw_error_message(), "element 512003 of x[1024][1024]"));
    tw_graph_free(g);
}

static uint64_t seed = 3;
static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return n ? (unsigned)((seed >> 33) % n) : 0;
}

static tw_tensor random_view(tw_graph *g, tw_tensor x)
{
    unsigned r = pick(12), c = pick(24);
    tw_tensor t = tw_tensor_slice(g, tw_tensor_slice(g, x, 0, r, r + 1 + pick(3)), 1, c, c + 1 + pick(5));
    if (pick(3) == 0) t = tw_tensor_sub_sample(g, t, 2, pick(2));
    if (pick(3) == 0) t = tw_tensor_reverse(g, t, pick(2));
    if (pick(4) == 0)
        t = tw_tensor_concat(
            g, 2, (tw_tensor[]){ tw_tensor_slice(g, x, 0, r, r + 1), tw_tensor_slice(g, x, 0, 14, 15) }, 0);
    return tw_tensor_flatten(g, pick(2) ? tw_tensor_transpose(g, t) : t);
}

enum { SIZE = 15 * 30, MOST = 12 };

static void mark(tw_graph *g, tw_tensor t, bool *touched)
{
    const tw__regions *list = tw__tensor_get(tw__graph_core(g), t)->regions;
    tw__region_walk walk = tw__region_walk_begin(list, 0, list->count);
    for (tw__elems e; tw__region_walk_next(&walk, &e);)
        for (uint64_t i = 0; i < e.count; i++) touched[e.offset + i * (uint64_t)e.stride] = true;
}

static void graph_races_random(void **state)
{
    (void)state;
    unsigned races = 0;
    for (unsigned round = 0; round < 600; round++) {
        tw_graph *g = new_graph();
        tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 15, 30 }, "x");
        tw_graph_map(g, x, 0);
        tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
        static bool in[MOST][SIZE], out[MOST][SIZE];
        unsigned n = 2 + pick(round % 3 ? 3 : MOST - 2);
        memset(in, 0, sizeof in);
        memset(out, 0, sizeof out);
        for (unsigned i = 0; i < n; i++) {
            tw_tensor a = random_view(g, x), b = random_view(g, x);
            while (tw_tensor_contains_aliases(g, b)) b = random_view(g, x);
            copier(g, cs, 0, a, b);
            mark(g, a, in[i]);
            mark(g, b, out[i]);
        }
        bool race = false;
        for (unsigned i = 0; i < n; i++)
            for (unsigned k = 0; k < n; k++)
                for (unsigned e = 0; i != k && e < SIZE; e++) race |= out[i][e] && (out[k][e] || in[k][e]);
        tw_status status = check(g, cs);
        if (status != (race ? TW_E_CONTROL_PROGRAM : TW_OK))
            fail_msg("round %u: %s", round, race ? "missed" : tw_error_message());
        races += race;
        tw_graph_free(g);
    }
    assert_in_range(races, 100, 500); /* both answers are tried */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_races_cases),
        cmocka_unit_test(graph_races_per_compute_set),
        cmocka_unit_test(graph_races_columns),
        cmocka_unit_test(graph_races_random),
    };
    return cmocka_run_group_tests_name("graph_races", tests, NULL, NULL);
}
