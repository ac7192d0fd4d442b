/* SPDX-License-Identifier: MIT */
/* Host functions (Poplar API, HostFunction, Call, Engine::connectHostFunction) and function buffers (FunctionBuffer).
 * The code of the host runs between its inputs and its outputs, once for each call. */
#include "../engine_test.h"

typedef struct host {
    unsigned calls, dropped;
    size_t inputs, outputs;
    float first;
} host;

static void sum_and_difference(const void *const *in, size_t in_count, void *const *out, size_t out_count,
                               void *user)
{
    host *h = user;
    h->calls++, h->inputs = in_count, h->outputs = out_count;
    const float *x = in[0];
    const int *y = in[1];
    for (int i = 0; i < 4; i++) ((float *)out[0])[i] = x[i] + (float)y[i];
    *(float *)out[1] = x[0] - (float)y[0] + 100 * (float)h->calls;
}

static void dropped(void *user)
{
    ((host *)user)->dropped++;
}

static void values(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        tw_device *device = test_device_new(kind);
        tw_graph *g = test_graph_new(device);
        tw_tensor x = test_variable(g, TW_FLOAT, SHAPE(4), "x"), y = test_variable(g, TW_INT, SHAPE(2, 2), "y"),
                  sum = test_variable(g, TW_FLOAT, SHAPE(4), "sum"),
                  one = test_variable(g, TW_FLOAT, SHAPE(1), "one");
        tw_host_function f =
            tw_graph_add_host_function(g, "f", 2, (tw_host_argument[]){ { TW_FLOAT, 4 }, { TW_INT, 4 } }, 2,
                                       (tw_host_argument[]){ { TW_FLOAT, 4 }, { TW_FLOAT, 1 } });
        /* The second call gets what the first one gave, in reverse. */
        tw_program p = tw_program_sequence_of(
            g, 2,
            (tw_program[]){ tw_program_call_host(g, f, 2, (tw_tensor[]){ x, y }, 2, (tw_tensor[]){ sum, one }),
                            tw_program_call_host(g, f, 2, (tw_tensor[]){ tw_tensor_reverse(g, sum, 0), y }, 2,
                                                 (tw_tensor[]){ sum, one }) });
        tw_engine *e = test_engine_new(g, device, p, NULL);
        assert_int_equal(tw_engine_run(e, 0), TW_E_STREAM_CONNECTION);
        ASSERT_MESSAGE("'f/in0'");
        host h = { 0 };
        test_ok(tw_engine_connect_host_function(e, "f", 0, &(tw_host_callback){ sum_and_difference, dropped, &h }));
        const float xs[4] = { 1, 2, 3, 4 };
        const int ys[4] = { 10, 20, 30, 40 };
        float got[4], last;
        test_ok(tw_engine_write(e, "x", xs, sizeof xs));
        test_ok(tw_engine_write(e, "y", ys, sizeof ys));
        test_ok(tw_engine_run(e, 0));
        assert_int_equal(h.calls, 2);
        assert_int_equal(h.inputs, 2);
        assert_int_equal(h.outputs, 2);
        test_ok(tw_engine_read(e, "sum", got, sizeof got));
        test_ok(tw_engine_read(e, "one", &last, sizeof last));
        for (int i = 0; i < 4; i++) assert_true(got[i] == 11.0f * (float)(4 - i) + (float)ys[i]);
        assert_true(last == 44 - 10 + 200);
        /* Another callback in its place: the first one is let go, once. */
        host second = { 0 };
        test_ok(tw_engine_connect_host_function(e, "f", 0,
                                                &(tw_host_callback){ sum_and_difference, dropped, &second }));
        assert_int_equal(h.dropped, 1);
        test_ok(tw_engine_run(e, 0));
        assert_int_equal(h.calls, 2);
        assert_int_equal(second.calls, 2);
        tw_engine_free(e);
        assert_int_equal(second.dropped, 1);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

static void count_call(const void *const *in, size_t in_count, void *const *out, size_t out_count, void *user)
{
    host *h = user;
    h->calls++, h->inputs = in_count, h->outputs = out_count;
    if (in_count) h->first = *(const float *)in[0];
    if (out_count) *(float *)out[0] = 5;
}

/* Inputs alone, outputs alone, neither; in a loop and behind a condition. */
static void sides(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    tw_graph *g = test_graph_new(device);
    tw_tensor x = test_variable(g, TW_FLOAT, SHAPE(1), "x"), never = test_variable(g, TW_BOOL, SHAPE(1), "never");
    const tw_host_argument one = { TW_FLOAT, 1 };
    tw_host_function in = tw_graph_add_host_function(g, "in", 1, &one, 0, NULL),
                     out = tw_graph_add_host_function(g, "out", 0, NULL, 1, &one),
                     bare = tw_graph_add_host_function(g, "bare", 0, NULL, 0, NULL);
    tw_program give = tw_program_call_host(g, out, 0, NULL, 1, &x),
               take = tw_program_call_host(g, in, 1, &x, 0, NULL),
               tell = tw_program_call_host(g, bare, 0, NULL, 0, NULL);
    tw_program p = tw_program_sequence_of(
        g, 4,
        (tw_program[]){
            take, give, take,
            tw_program_repeat(
                g, 3, tw_program_sequence_of(g, 2, (tw_program[]){ tell, tw_program_if(g, never, take, tell) })) });
    tw_engine *e = test_engine_new(g, device, p, NULL);
    host takes = { 0 }, gives = { 0 }, told = { .inputs = 7, .outputs = 7 };
    test_ok(tw_engine_connect_host_function(e, "in", 0, &(tw_host_callback){ count_call, NULL, &takes }));
    test_ok(tw_engine_connect_host_function(e, "out", 0, &(tw_host_callback){ count_call, NULL, &gives }));
    test_ok(tw_engine_connect_host_function(e, "bare", 0, &(tw_host_callback){ count_call, NULL, &told }));
    test_ok(tw_engine_run(e, 0));
    assert_int_equal(takes.calls, 2);
    assert_true(takes.first == 5);
    assert_int_equal(gives.calls, 1);
    assert_int_equal(told.calls, 6);
    assert_int_equal(told.inputs, 0);
    assert_int_equal(told.outputs, 0);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

static void of_replicas(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    tw_graph *g = test_graph_new(device), *each = tw_graph_replicated(g, 2);
    tw_tensor x = test_variable(each, TW_FLOAT, SHAPE(1), "x");
    const tw_host_argument one = { TW_FLOAT, 1 };
    tw_host_function f = tw_graph_add_host_function(each, "f", 1, &one, 1, &one);
    tw_engine *e = test_engine_new(g, device, tw_program_call_host(each, f, 1, &x, 1, &x), NULL);
    host hosts[2] = { 0 };
    const float values[2] = { 3, 4 };
    for (unsigned i = 0; i < 2; i++)
        test_ok(tw_engine_connect_host_function(e, "f", i, &(tw_host_callback){ count_call, NULL, &hosts[i] }));
    test_ok(tw_engine_write(e, "x", values, sizeof values));
    test_ok(tw_engine_run(e, 0));
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(hosts[i].calls, 1);
        assert_true(hosts[i].first == values[i]);
    }
    assert_int_equal(tw_engine_connect_host_function(e, "f", 2, &(tw_host_callback){ count_call, NULL, hosts }),
                     TW_E_STREAM_CONNECTION);
    ASSERT_MESSAGE("replica 2");
    tw_engine_free(e);
    tw_graph_free(each);
    tw_graph_free(g);
    tw_device_free(device);
}

static void expect_error(tw_graph *g, tw_status status, const char *words)
{
    tw_error error;
    assert_true(tw_graph_take_error(g, &error));
    if (error.status != status || !strstr(error.message, words)) fail_msg("%d: %s", error.status, error.message);
}

static void refused(void **state)
{
    (void)state;
    tw_device *device = test_device_new(CPU);
    tw_graph *g = test_graph_new(device);
    tw_tensor x = test_variable(g, TW_FLOAT, SHAPE(2), "x"), i = test_variable(g, TW_INT, SHAPE(2), "i");
    const tw_host_argument two = { TW_FLOAT, 2 };
    tw_host_function f = tw_graph_add_host_function(g, "f", 1, &two, 0, NULL);
    tw_program_call_host(g, f, 0, NULL, 0, NULL);
    expect_error(g, TW_E_CONTROL_PROGRAM, "'f' has 1 inputs, but got 0");
    tw_program_call_host(g, f, 1, &x, 1, &x);
    expect_error(g, TW_E_CONTROL_PROGRAM, "'f' has 0 outputs, but got 1");
    tw_program_call_host(g, f, 1, &i, 0, NULL);
    expect_error(g, TW_E_TYPE, "f/in0");
    tw_program_call_host(g, (tw_host_function){ 9 }, 0, NULL, 0, NULL);
    expect_error(g, TW_E_CONTROL_PROGRAM, "not one of this graph");
    tw_graph_add_host_function(g, "f", 1, &two, 0, NULL);
    expect_error(g, TW_E_STREAM_CONNECTION, "f/in0");
    tw_graph_add_host_function(g, "", 0, NULL, 0, NULL);
    expect_error(g, TW_E_INVALID_ARGUMENT, "handle");
    tw_engine *e = test_engine_new(g, device, tw_program_sequence(g, NULL), NULL);
    host h = { 0 };
    assert_int_equal(tw_engine_connect_host_function(e, "g", 0, &(tw_host_callback){ count_call, dropped, &h }),
                     TW_E_STREAM_CONNECTION);
    ASSERT_MESSAGE("'g'");
    assert_int_equal(tw_engine_connect_host_function(e, "f", 0, &(tw_host_callback){ .user = &h }),
                     TW_E_INVALID_ARGUMENT);
    assert_int_equal(h.dropped, 0); /* it stays the caller's */
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

static void buffers_of_functions(void **state)
{
    (void)state;
    tw_device *device = test_device_new(MODEL);
    tw_graph *g = test_graph_new(device);
    tw_tensor x = test_variable(g, TW_INT, SHAPE(1), "x"),
              seven = tw_graph_add_constant(g, TW_INT, SHAPE(1), &(int){ 7 }, false, "7");
    tw_graph_map(g, seven, 0);
    tw_function set = tw_graph_add_function(g, tw_program_copy(g, seven, x), "set"),
                other = tw_graph_add_function(g, tw_program_sequence(g, NULL), "other");
    tw_function_buffer b = tw_graph_add_function_buffer(g, set);
    tw_program p = tw_program_sequence_of(
        g, 2, (tw_program[]){ tw_program_copy_function(g, b, set), tw_program_call(g, set) });
    tw_engine *e = test_engine_new(g, device, p, NULL);
    test_ok(tw_engine_run(e, 0));
    assert_int_equal(test_read_int(e, "x"), 7);
    tw_engine_free(e);
    tw_program_copy_function(g, b, other);
    expect_error(g, TW_E_CONTROL_PROGRAM, "function 1, not of 2");
    tw_program_copy_function(g, (tw_function_buffer){ 0 }, set);
    expect_error(g, TW_E_CONTROL_PROGRAM, "nil");
    tw_graph_add_function_buffer(g, (tw_function){ 77 });
    expect_error(g, TW_E_CONTROL_PROGRAM, "not one of this graph");
    tw_graph_free(g);
    tw_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(sides),
        cmocka_unit_test(of_replicas),
        cmocka_unit_test(refused),
        cmocka_unit_test(buffers_of_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
