/* SPDX-License-Identifier: MIT */
/* Memory that runs out: a graph with every kind of program is built, compiled, loaded, run and profiled while the
 * n-th allocation fails, for n = 1, 2, 3 ... until none does. Each time there is TW_E_NO_MEMORY or the right result,
 * and what failed works when it is tried again. Leaks are found by the build with sanitizers. */
#include "core/base/base.h"
#include "poplar/engine/engine_test.h"

#include <stdio.h>

enum { ROWS = 6, COLUMNS = 8, CELLS = ROWS * COLUMNS, LONGEST = 40000 };

/* --- the graph -------------------------------------------------------------------------------------------------- */

typedef struct fixture {
    tw_graph *g;
    tw_tensor matrix, x, flag, limit, counter, offset;
} fixture;

static tw_program add(const fixture *f, int amount, unsigned tile)
{
    tw_compute_set cs = tw_graph_add_compute_set(f->g, "add");
    tw_vertex v = tw_graph_add_vertex(f->g, cs, "AddTo", tile % test_tiles(f->g));
    tw_graph_connect(f->g, v, "x", f->x);
    tw_graph_set_field_int(f->g, v, "amount", amount);
    return tw_program_execute(f->g, cs);
}

static tw_program less(const fixture *f, int limit)
{
    tw_compute_set cs = tw_graph_add_compute_set(f->g, "less");
    tw_vertex v = tw_graph_add_vertex(f->g, cs, "Less", 1 % test_tiles(f->g));
    tw_graph_connect(f->g, v, "x", f->x);
    tw_graph_connect(f->g, v, "result", f->flag);
    tw_graph_set_field_int(f->g, v, "limit", limit);
    return tw_program_execute(f->g, cs);
}

/* Sums of the columns of the matrix, one vertex for two columns: edges that are gathered from other tiles. */
static tw_program column_sums(const fixture *f, tw_tensor sums)
{
    tw_compute_set cs = tw_graph_add_compute_set(f->g, "sums");
    tw_tensor columns = tw_tensor_transpose(f->g, f->matrix);
    for (unsigned i = 0; i < COLUMNS; i += 2) {
        tw_vertex v = tw_graph_add_vertex(f->g, cs, "RowSums", i % test_tiles(f->g));
        tw_graph_connect(f->g, v, "rows", tw_tensor_slice(f->g, columns, 0, i, i + 2));
        tw_graph_connect(f->g, v, "sums", tw_tensor_slice(f->g, sums, 0, i, i + 2));
        tw_graph_set_perf_estimate(f->g, v, 100 + i, 2 * ROWS);
    }
    return tw_program_execute(f->g, cs);
}

static tw_program all_positive(const fixture *f)
{
    tw_compute_set cs = tw_graph_add_compute_set(f->g, "positive");
    for (unsigned i = 0; i < 3; i++)
        tw_graph_connect(f->g, tw_graph_add_vertex(f->g, cs, "IsPositive", i % test_tiles(f->g)), "x", f->x);
    return tw_program_execute_all_true(f->g, cs, f->flag);
}

static tw_program table(const fixture *f)
{
    tw_compute_set cs = tw_graph_add_compute_set(f->g, "table");
    tw_vertex v = tw_graph_add_vertex(f->g, cs, "UsesTable", 2 % test_tiles(f->g));
    static const int16_t pair[] = { 1, 2 };
    static const int32_t values[] = { 3, 4, 5, 6, 7, 8 };
    tw_graph_set_field_values(f->g, v, "pair", TW_SHORT, 2, pair);
    tw_graph_set_field_values(f->g, v, "table", TW_INT, 6, values);
    tw_graph_connect(f->g, v, "sum", f->limit);
    return tw_program_execute(f->g, cs);
}

static tw_program control(const fixture *f)
{
    tw_program one = add(f, 1, 0), ten = add(f, 10, 3);
    tw_function function = tw_graph_add_function(f->g, add(f, 100, 1), "hundred");
    tw_program named = tw_program_switch(f->g, f->x, ten),
               checked = tw_program_switch_with_bounds_checking(f->g, f->counter);
    tw_program_switch_add(f->g, named, 5, one);
    tw_program_switch_add(f->g, named, 3, tw_program_call(f->g, function));
    tw_program_switch_add(f->g, checked, 1, one);
    tw_program_switch_add(f->g, checked, 0, ten);
    tw_program never = tw_program_sequence_of(
        f->g, 2,
        (tw_program[]){ tw_program_abort(f->g, "never"), tw_program_error(f->g, "never either", f->matrix) });
    tw_program p = tw_program_sequence_of(
        f->g, 12,
        (tw_program[]){
            tw_program_repeat(f->g, 3, one), /* 3 */
            named,                           /* 103 */
            less(f, 0),
            tw_program_if(f->g, f->flag, never, ten), /* 113 */
            checked,                                  /* 123 */
            tw_program_abort_on_condition(f->g, f->flag, "not this either"),
            tw_program_repeat_while_true(f->g, less(f, 200), f->flag, ten), /* 203 */
            tw_program_repeat_while_false(f->g, all_positive(f), f->flag, ten),
            tw_program_counted_for_loop(f->g, f->counter, 0, 6, 2, one),                   /* 206 */
            table(f),                                                                      /* 1000 + 200 + 33 */
            tw_program_counted_for_loop_dynamic(f->g, f->counter, 1230, f->limit, 1, one), /* 209 */
            tw_program_sync(f->g, TW_SYNC_INTERNAL),
        });
    tw_program_name(f->g, p, "control");
    return p;
}

static tw_program data(const fixture *f)
{
    tw_stream in = tw_graph_add_host_to_device_fifo(f->g, "in", TW_FLOAT, CELLS, TW_STREAM_REPLICATE, NULL);
    tw_stream out = tw_graph_add_device_to_host_fifo(f->g, "out", TW_FLOAT, COLUMNS, NULL);
    tw_remote_buffer remote = tw_graph_add_remote_buffer(f->g, "remote", TW_FLOAT, COLUMNS, 4, false, false);
    tw_tensor sums = test_variable(f->g, TW_FLOAT, SHAPE(COLUMNS), "sums");
    tw_tensor turned = test_variable(f->g, TW_FLOAT, SHAPE(COLUMNS, ROWS), "turned");
    tw_tensor like = tw_graph_clone(f->g, TW_TYPE_NONE, turned, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "like");
    return tw_program_sequence_of(
        f->g, 9,
        (tw_program[]){ tw_program_copy_from_stream(f->g, in, f->matrix),
                        tw_program_copy(f->g, tw_tensor_transpose(f->g, f->matrix), turned),
                        tw_program_copy(f->g, tw_tensor_reverse(f->g, turned, 0), like),
                        tw_program_copy(f->g, tw_tensor_transpose(f->g, like), f->matrix), column_sums(f, sums),
                        tw_program_copy_to_remote(f->g, sums, remote, f->offset),
                        tw_program_copy_from_remote(f->g, remote, sums, f->offset),
                        tw_program_copy_to_stream(f->g, tw_tensor_reverse(f->g, sums, 0), out),
                        tw_program_print_tensor(f->g, "sums", sums, NULL) });
}

/* Two programs over the whole; the graph may be in error. */
static void build(fixture *f, tw_program programs[2])
{
    f->matrix = test_variable(f->g, TW_FLOAT, SHAPE(ROWS, COLUMNS), "matrix");
    f->x = test_variable(f->g, TW_INT, 0, NULL, "x");
    f->flag = test_variable(f->g, TW_BOOL, 0, NULL, "flag");
    f->limit = test_variable(f->g, TW_INT, 0, NULL, "limit");
    f->counter = test_variable(f->g, TW_INT, 0, NULL, "counter");
    f->offset =
        tw_graph_add_constant(f->g, TW_UNSIGNED_INT, 1, (size_t[]){ 1 }, (unsigned[]){ 2 }, false, "offset");
    tw_graph_map(f->g, f->offset, 0);
    tw_graph_set_initial_value(f->g, f->x, (int[]){ 0 }, false);
    programs[0] = data(f);
    programs[1] =
        tw_program_sequence_of(f->g, 3,
                               (tw_program[]){ control(f), tw_program_assume_equal_across_replicas(f->g, f->matrix),
                                               tw_program_write_undef(f->g, f->matrix) });
}

/* --- what an engine does with it -------------------------------------------------------------------------------- */

typedef struct host {
    float in[CELLS], out[COLUMNS];
    FILE *print;
} host;

#define STEP(call)                \
    do {                          \
        tw_status s = (call);     \
        if (s != TW_OK) return s; \
    } while (0)

static tw_status use(tw_engine *e, tw_device *device, host *h)
{
    STEP(tw_engine_load(e, device));
    tw_engine_set_print_tensor_stream(e, h->print);
    memset(h->out, 0, sizeof h->out);
    STEP(tw_engine_connect_stream(e, "in", h->in, 0));
    STEP(tw_engine_connect_stream(e, "out", h->out, 0));
    STEP(tw_engine_run_named(e, 0, "data"));
    STEP(tw_engine_run(e, 1));
    return TW_OK;
}

static tw_status check(tw_engine *e, const host *h)
{
    int x = 0;
    STEP(tw_engine_read(e, "x", &x, sizeof x));
    assert_int_equal(x, 209);
    for (unsigned c = 0; c < COLUMNS; c++) {
        float sum = 0; /* the columns were reversed on their way, and again on their way out */
        for (unsigned r = 0; r < ROWS; r++) sum += h->in[r * COLUMNS + c];
        assert_true(h->out[c] == sum);
    }
    return TW_OK;
}

/* Of a model: the memory report is made when the profile is asked for, and is all that can fail there. */
static tw_status report(tw_engine *e, FILE *out)
{
    const tw_profile *profile = tw_engine_profile(e);
    if (!profile) return strstr(tw_error_message(), "memory") ? TW_E_NO_MEMORY : TW_E_PROFILING_DISABLED;
    STEP(tw_profile_write_graph_json(profile, out, false));
    STEP(tw_profile_write_execution_json(profile, out, false));
    STEP(tw_profile_print_summary(profile, out,
                                  &(tw_profile_options){ .size = sizeof(tw_profile_options),
                                                         .show_var_storage = true,
                                                         .show_optimizations = true,
                                                         .show_execution_steps = true,
                                                         .show_per_ipu_memory_usage = true }));
    return tw_profile_write_trace(profile, out, NULL);
}

static host make_host(void)
{
    host h = { .print = tmpfile() };
    assert_non_null(h.print);
    for (unsigned i = 0; i < CELLS; i++) h.in[i] = (float)((i * 7) % 23);
    return h;
}

static const char *const profiled[] = { "debug.instrument=true", "debug.computeInstrumentationLevel=vertex", NULL };

/* --- tests ------------------------------------------------------------------------------------------------------ */

static void engine_alloc_engines(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        tw_device *device = test_device_new(kind);
        fixture f = { .g = test_graph_new(device) };
        tw_program programs[2];
        build(&f, programs);
        if (tw_graph_status(f.g)) fail_msg("%s", tw_graph_error(f.g)->message);
        host h = make_host();
        bool done = false;
        for (unsigned long n = 1; n < LONGEST && !done; n++) {
            rewind(h.print);
            tw__fail_allocation(n);
            tw_engine *e = tw_engine_new_programs(f.g, 2, programs, profiled);
            tw_status s = use(e, device, &h);
            if (!s) s = check(e, &h);
            if (!s && kind == MODEL) s = report(e, h.print);
            bool compiled = tw_engine_status(e) == TW_OK;
            done = tw__fail_allocation(0) != 0;
            if (s) {
                if (s != TW_E_NO_MEMORY)
                    fail_msg("allocation %lu: %s: %s", n, tw_status_name(s), tw_error_message());
                if (compiled) { /* only a run failed: loaded again, it is as good as new */
                    test_ok(use(e, device, &h));
                    test_ok(check(e, &h));
                }
            }
            tw_engine_free(e);
            if (done) assert_int_equal(s, TW_OK);
        }
        assert_true(done);
        fclose(h.print);
        tw_graph_free(f.g);
        tw_device_free(device);
    }
}

static void engine_alloc_graphs(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    host h = make_host();
    bool done = false;
    for (unsigned long n = 1; n < LONGEST && !done; n++) {
        fixture f = { .g = tw_graph_new(tw_device_target(device)) };
        tw_program programs[2];
        tw__fail_allocation(n);
        tw_graph_add_codelets_source(f.g, test_codelets, "c++", "test.cpp", "-O1");
        build(&f, programs);
        done = tw__fail_allocation(0) != 0;
        tw_status s = tw_graph_status(f.g);
        if (s && s != TW_E_NO_MEMORY) fail_msg("allocation %lu: %s", n, tw_graph_error(f.g)->message);
        tw_engine *e = tw_engine_new_programs(f.g, 2, programs, NULL);
        assert_int_equal(tw_engine_status(e), s);
        if (done) assert_int_equal(s, TW_OK);
        if (!s) {
            test_ok(use(e, device, &h));
            test_ok(check(e, &h));
        }
        tw_engine_free(e);
        tw_graph_free(f.g);
    }
    assert_true(done);
    fclose(h.print);
    tw_device_free(device);
}

/* Targets, devices and graphs: nothing comes back where there is no error to keep. */
static void engine_alloc_objects(void **state)
{
    (void)state;
    bool done = false;
    for (unsigned long n = 1; n < 200 && !done; n++) {
        tw__fail_allocation(n);
        tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .num_ipus = 1, .tiles_per_ipu = 4 };
        tw_device *device = tw_device_ipu_model_with(&model);
        tw_graph *g = device ? tw_graph_new(tw_device_target(device)) : NULL;
        tw_graph *half = tw_graph_virtual_range(g, 0, 2);
        done = tw__fail_allocation(0) != 0;
        bool ok = device && g && half && tw_graph_status(g) == TW_OK && tw_graph_status(half) == TW_OK;
        if (done) assert_true(ok);
        if (!ok && g) assert_int_equal(tw_graph_status(g), TW_E_NO_MEMORY);
        tw_graph_free(half);
        tw_graph_free(g);
        tw_device_free(device);
    }
    assert_true(done);
}

int main(void)
{
    unsetenv("POPLAR_ENGINE_OPTIONS");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_alloc_engines),
        cmocka_unit_test(engine_alloc_graphs),
        cmocka_unit_test(engine_alloc_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
