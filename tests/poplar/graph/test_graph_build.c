/* SPDX-License-Identifier: MIT */
/* A graph from end to end: the example of graph.h, and what an engine then reads. */
#include "poplar/graph/fake_codelets.h"
#include "poplar/graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static tw_target *model(unsigned tiles)
{
    return tw_target_new_ipu_model(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = tiles });
}

static void assert_fine(tw_graph *g)
{
    if (tw_graph_status(g) != TW_OK)
        print_error("%s: %s\n", tw_graph_error(g)->function, tw_graph_error(g)->message);
    assert_int_equal(tw_graph_status(g), TW_OK);
}

static void graph_build_example(void **state)
{
    (void)state;
    tw_target *target = model(0);
    tw_graph *g = tw_graph_new(target);
    tw_graph_add_codelets(g, "scale.c", NULL);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 1472, 512 }, "x");
    tw_graph_map_linearly(g, x);
    tw_compute_set cs = tw_graph_add_compute_set(g, "scale");
    for (unsigned i = 0; i < 1472; i++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, "Scale", i);
        tw_graph_connect(g, v, "data", tw_tensor_slice(g, x, 0, i, i + 1));
        tw_graph_set_field(g, v, "factor", 2.0);
    }
    tw_program p = tw_program_repeat(g, 10, tw_program_execute(g, cs));
    assert_fine(g);
    assert_int_equal(tw_graph_vertex_count(g), 1472);
    assert_int_equal(tw_graph_edge_count(g), 1472);

    tw__core *core = tw__graph_core(g);
    assert_int_equal(tw__graph_check(core, &p.id, 1), TW_OK);
    assert_int_equal(core->programs[p.id].kind, TW__P_REPEAT);
    assert_int_equal(core->programs[core->programs[p.id].children[0]].kind, TW__P_EXECUTE);
    size_t n;
    const uint32_t *vertices = tw__compute_set_vertices(core, cs.id, &n);
    assert_int_equal(n, 1472);
    for (size_t i = 0; i < n; i++) {
        const tw__vertex *v = &core->vertices[vertices[i]];
        const tw__edge *e = &core->edges[v->first_edge];
        assert_int_equal(v->tile, i);
        assert_int_equal(e->offset, i * 512);
        assert_int_equal(e->count, 512);
        assert_null(e->regions);
        float factor;
        memcpy(&factor, core->values[v->first_value].u.inline_bytes, 4);
        assert_true(factor == 2.0f);
    }
    const tw__variable *var = &core->vars[0];
    assert_int_equal(var->mapped_count, 1472);
    for (size_t i = 0; i < 1472; i++) assert_int_equal(var->mapped[i].begin, i * 512);
    tw_graph_free(g);
    tw_target_free(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(graph_build_example) };
    return cmocka_run_group_tests_name("graph_build", tests, NULL, NULL);
}
