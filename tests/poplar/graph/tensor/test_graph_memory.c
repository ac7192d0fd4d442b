/* SPDX-License-Identifier: MIT */
/* Memory: every allocation may fail, and then the call has no effect; temporaries leave no trace. */
#include "poplar/graph/fake_codelets.h"
#include "poplar/graph/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
#include <cmocka.h>

/* --- every allocation fails once ------------------------------------------------------------------------------ */

/* A little of everything. The graph may be in error from any point on. */
static tw_graph *build(tw_target *target, tw_status *status)
{
    tw_graph *g = tw_graph_new(target);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 8, 16 }, "x");
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 8, 16 }, "y");
    tw_tensor n = tw_graph_add_variable(g, TW_INT, 0, NULL, "n");
    tw_tensor c = tw_graph_add_constant(g, TW_FLOAT, 1, (size_t[]){ 4 }, (float[]){ 1, 2, 3, 4 }, false, "c");
    tw_graph_map_linearly(g, x);
    for (unsigned i = 0; i < 16; i++) tw_graph_map(g, tw_tensor_slice(g, y, 1, 15 - i, 16 - i), i % 4);
    tw_graph_map(g, n, 0);
    tw_graph_map(g, c, 1);
    tw_tensor both = tw_tensor_concat(g, 2, (tw_tensor[]){ x, y }, 1);
    tw_tensor t = tw_tensor_transpose(g, both);
    tw_tensor u = tw_tensor_upsample(g, tw_tensor_reverse(g, tw_tensor_sub_sample(g, t, 3, 0), 1), 2, 0);
    tw_graph_set_initial_value(g, both, &(float){ 3 }, true);
    tw_graph_set_initial_value(g, tw_tensor_slice(g, both, 0, 1, 2), (float[32]){ 1 }, false);
    tw_graph_clone(g, TW_HALF, t, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "t2");
    tw_graph_clone(g, TW_TYPE_NONE, u, TW_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES, "u2");
    tw_graph_clone(g, TW_TYPE_NONE, u, TW_CLONE_CREATE_NEW_ORDER, "u3");
    tw_graph_get_mapping(g, t, NULL, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    for (unsigned i = 0; i < 16; i++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, "Copy<float>", i % 4);
        tw_graph_connect(g, v, "in", tw_tensor_slice(g, x, 1, i, i + 1));
        tw_graph_connect(g, v, "out", tw_tensor_slice(g, y, 1, i, i + 1));
        tw_graph_set_perf_estimate(g, v, 3, 4);
    }
    tw_compute_set cs2 = tw_graph_add_compute_set(g, "cs2");
    tw_vertex s = tw_graph_add_vertex(g, cs2, "Sum", 0);
    tw_graph_set_field_size(g, s, "edges", 2);
    tw_graph_connect(g, s, "edges[1]", tw_tensor_element(g, x, (size_t[]){ 0, 5 }));
    tw_graph_connect_constant(g, s, "edges[0]", 1);
    tw_graph_connect(g, s, "out", tw_tensor_element(g, y, (size_t[]){ 0, 0 }));
    tw_vertex all = tw_graph_add_vertex(g, cs, "All", 0);
    tw_graph_set_field_values(g, all, "table", TW_INT, 9, (int[9]){ 1 });
    tw_graph_connect(g, all, "rows", tw_tensor_slice(g, t, 0, 0, 3));
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_FLOAT, 16, TW_STREAM_REPLICATE, NULL);
    tw_graph_create_host_access(g, "x", x);
    tw_graph *v = tw_graph_virtual_range(g, 1, 3);
    tw_graph_add_compute_set(v, "virtual");
    tw_program seq = tw_program_sequence(g, "main");
    tw_program_sequence_add(g, seq, tw_program_copy_from_stream(g, in, tw_tensor_index(g, x, 0)));
    tw_program_sequence_add(g, seq, tw_program_repeat(g, 3, tw_program_execute(g, cs2)));
    tw_program sw = tw_program_switch(g, n, seq);
    tw_program_switch_add(g, sw, 1, seq);
    tw_program_sequence_add(g, seq, sw);
    tw_program_sequence_add(g, seq, tw_program_copy(g, tw_tensor_slice(g, t, 0, 0, 16), tw_tensor_transpose(g, y)));
    tw_program_sequence_add(g, seq, tw_program_call(g, tw_graph_add_function(g, seq, "f")));
    tw_program_sequence_add(g, seq, tw_program_print_tensor(g, NULL, u, NULL));
    tw_graph_push_scope(g);
    tw_tensor_slice(g, x, 0, 0, 1);
    tw_graph_pop_scope(g);
    *status = tw_graph_status(g);
    if (*status == TW_OK) *status = tw__graph_check(tw__graph_core(g), &seq.id, 1);
    tw_graph_free(v);
    return g;
}

static void graph_memory_each_allocation_fails(void **state)
{
    (void)state;
    tw_target *target =
        tw_target_new_ipu_model(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = 4 });
    unsigned long n = 1;
    tw_status status = TW_E_NO_MEMORY;
    for (bool done = false; n < 5000 && !done; n++) {
        tw__fail_allocation(n);
        tw_graph *g = build(target, &status);
        done = tw__fail_allocation(0) != 0;
        if (status != TW_OK && status != TW_E_NO_MEMORY) fail_msg("allocation %lu: %s", n, tw_error_message());
        tw_graph_free(g);
    }
    assert_int_equal(status, TW_OK);
    assert_in_range(n, 100, 4999);
    tw_target_free(target);
}

/* --- a call without memory has no effect ---------------------------------------------------------------------- */

typedef struct counts {
    size_t vars, vertices, edges, values, sizes, programs, functions, streams, remotes, accesses, estimates, sets;
    uint64_t mapping; /* of all variables */
} counts;

static counts count(tw_graph *g)
{
    tw__core *c = tw__graph_core(g);
    counts n = { c->var_count,
                 c->vertex_count,
                 c->edge_count,
                 c->value_count,
                 c->size_count,
                 c->program_count,
                 c->function_count,
                 c->stream_count,
                 c->remote_count,
                 c->access_count,
                 c->estimate_count,
                 c->compute_set_count,
                 0 };
    for (size_t i = 0; i < c->var_count; i++) {
        assert_true(tw__mapping_settle(&c->vars[i]));
        for (size_t k = 0; k < c->vars[i].mapped_count; k++) {
            const tw__mapped *m = &c->vars[i].mapped[k];
            n.mapping = n.mapping * 31 + m->begin * 7 + m->end * 3 + m->tile;
        }
        for (const tw__initial *k = c->vars[i].initial; k; k = k->next) n.mapping++;
    }
    return n;
}

typedef struct fixture {
    tw_graph *g;
    tw_tensor x, y, wide;
    tw_vertex v, all;
    tw_program exec, seq;
} fixture;

static void call_map(fixture *f)
{
    tw_graph_map(f->g, tw_tensor_transpose(f->g, f->wide), 2);
}
static void call_linear(fixture *f)
{
    tw_graph_map_linearly(f->g, f->wide);
}
static void call_connect(fixture *f)
{
    tw_graph_connect(f->g, f->v, "in", tw_tensor_slice(f->g, f->wide, 1, 3, 9));
}
static void call_rows(fixture *f)
{
    tw_graph_connect(f->g, f->all, "rows", tw_tensor_transpose(f->g, f->wide));
}
static void call_constant(fixture *f)
{
    tw_graph_connect_constant(f->g, f->all, "scalar", 3);
}
static void call_values(fixture *f)
{
    tw_graph_set_field_values(f->g, f->all, "table", TW_INT, 40, (int[40]){ 1 });
}
static void call_initial(fixture *f)
{
    tw_graph_set_initial_value(f->g, f->wide, (float[256]){ 1 }, false);
}
static void call_clone(fixture *f)
{
    tw_graph_clone(f->g, TW_HALF, f->wide, TW_CLONE_PRESERVE_ORDER_AND_ALIASES, "c");
}
static void call_clone_new(fixture *f)
{
    tw_graph_clone(f->g, TW_HALF, f->wide, TW_CLONE_CREATE_NEW_ORDER, "c");
}
static void call_clone_gather(fixture *f)
{
    tw_graph_clone(f->g, TW_HALF, f->wide, TW_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES, "c");
}
static void call_variable(fixture *f)
{
    tw_graph_add_variable(f->g, TW_FLOAT, 1, (size_t[]){ 4 }, "v");
}
static void call_copy(fixture *f)
{
    tw_program_copy(f->g, tw_tensor_slice(f->g, f->wide, 1, 0, 16), tw_tensor_slice(f->g, f->wide, 1, 16, 32));
}
static void call_access(fixture *f)
{
    tw_graph_create_host_access(f->g, "w", f->wide);
}
static void call_size(fixture *f)
{
    tw_graph_set_field_size(f->g, f->all, "table", 100);
}
static void call_list(fixture *f)
{
    tw_graph_connect_list(
        f->g, f->all, "outs", 2,
        (tw_tensor[]){ tw_tensor_slice(f->g, f->wide, 1, 0, 3), tw_tensor_slice(f->g, f->wide, 1, 3, 6) });
}

static void graph_memory_no_effect(void **state)
{
    (void)state;
    static void (*const calls[])(fixture *f) = {
        call_map,      call_linear,  call_connect, call_rows,      call_constant,
        call_values,   call_initial, call_clone,   call_clone_new, call_clone_gather,
        call_variable, call_copy,    call_access,  call_size,      call_list,
    };
    tw_target *target =
        tw_target_new_ipu_model(&(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = 4 });
    unsigned failed = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        for (unsigned long n = 1; n < 200; n++) {
            fixture f = { .g = tw_graph_new(target) };
            f.x = tw_graph_add_variable(f.g, TW_FLOAT, 2, (size_t[]){ 8, 16 }, "x");
            f.y = tw_graph_add_variable(f.g, TW_FLOAT, 2, (size_t[]){ 8, 16 }, "y");
            f.wide = tw_tensor_concat(f.g, 2, (tw_tensor[]){ f.x, f.y }, 1);
            tw_graph_map(f.g, tw_tensor_slice(f.g, f.x, 1, 3, 9), 1);
            tw_compute_set cs = tw_graph_add_compute_set(f.g, "cs");
            f.v = tw_graph_add_vertex(f.g, cs, "Copy<float>", 0);
            f.all = tw_graph_add_vertex(f.g, cs, "All", 0);
            counts before = count(f.g);
            tw__fail_allocation(n);
            calls[i](&f);
            bool done = tw__fail_allocation(0) != 0;
            tw_status status = tw_graph_take_error(f.g, NULL);
            counts after = count(f.g);
            if (status == TW_OK) {
                tw_graph_free(f.g);
                if (done) break;
                continue; /* it could do without */
            }
            assert_int_equal(status, TW_E_NO_MEMORY);
            if (memcmp(&before, &after, sizeof before)) fail_msg("call %zu, allocation %lu: an effect", i, n);
            calls[i](&f); /* and it works when there is memory again */
            assert_int_equal(tw_graph_status(f.g), TW_OK);
            failed++;
            tw_graph_free(f.g);
        }
    }
    assert_true(failed > 30);
    tw_target_free(target);
}

/* --- temporaries ---------------------------------------------------------------------------------------------- */

static long resident(void)
{
    long pages = 0, ignored;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &ignored, &pages) != 2) pages = 0;
    if (f) fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static void graph_memory_temporaries(void **state)
{
    (void)state;
    tw_target *target = tw_target_new_cpu(false);
    tw_graph *g = tw_graph_new(target);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 1000, 64 }, "x");
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 1000, 64 }, "y");
    long before = 0;
    for (unsigned i = 0; i < 100000; i++) {
        bool scope = i % 2;
        if (scope) tw_graph_push_scope(g);
        tw_tensor a = tw_tensor_slice(g, x, 0, i % 900, i % 900 + 8),
                  b = tw_tensor_slice(g, y, 0, i % 900, i % 900 + 8);
        tw_tensor c = tw_tensor_concat(g, 2, (tw_tensor[]){ a, b }, 1);
        if (scope) {
            tw_graph_pop_scope(g);
            assert_false(tw_tensor_valid(g, c));
        } else {
            tw_tensor_free(g, a);
            tw_tensor_free(g, b);
            tw_tensor_free(g, c);
        }
        if (i == 1000) before = resident();
    }
    assert_int_equal(tw_graph_status(g), TW_OK);
#ifndef __SANITIZE_ADDRESS__
#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
    if (!__has_feature(address_sanitizer)) assert_true(resident() - before < 256 * 1024);
#endif
    tw_graph_free(g);
    tw_target_free(target);
}

static void graph_memory_scopes(void **state)
{
    (void)state;
    tw_target *target = tw_target_new_cpu(false);
    tw_graph *g = tw_graph_new(target);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 10 }, "x");
    tw_graph_push_scope(g);
    tw_tensor a = tw_tensor_slice(g, x, 0, 0, 5);
    tw_graph_push_scope(g);
    tw_tensor b = tw_tensor_slice(g, a, 0, 0, 2), c = tw_tensor_keep(g, tw_tensor_slice(g, a, 0, 1, 3)),
              d = tw_tensor_slice(g, a, 0, 0, 1);
    tw_tensor_free(g, d);
    tw_graph_pop_scope(g);
    assert_true(tw_tensor_valid(g, a) && tw_tensor_valid(g, c));
    assert_false(tw_tensor_valid(g, b) || tw_tensor_valid(g, d));
    tw_graph_pop_scope(g);
    assert_false(tw_tensor_valid(g, a) || tw_tensor_valid(g, c));
    assert_true(tw_tensor_valid(g, x));
    tw_tensor_keep(g, x); /* outside of all scopes already */
    assert_true(tw_tensor_valid(g, x));
    assert_int_equal(tw_graph_status(g), TW_OK);
    /* Scopes stay paired on a graph in error. */
    tw_graph_push_scope(g);
    tw_tensor_index(g, x, 99);
    tw_graph_push_scope(g);
    tw_graph_pop_scope(g);
    tw_graph_pop_scope(g);
    assert_int_equal(tw_graph_take_error(g, NULL), TW_E_INDEX);
    tw_graph_pop_scope(g);
    assert_int_equal(tw_graph_take_error(g, NULL), TW_E_ERROR);
    tw_graph_free(g);
    tw_target_free(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_memory_each_allocation_fails),
        cmocka_unit_test(graph_memory_no_effect),
        cmocka_unit_test(graph_memory_temporaries),
        cmocka_unit_test(graph_memory_scopes),
    };
    return cmocka_run_group_tests_name("graph_memory", tests, NULL, NULL);
}
