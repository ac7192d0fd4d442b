/* SPDX-License-Identifier: MIT */
/* Every kind of control program, on the CPU and the model: what it does and in which order. */
#include "poplar/engine/engine_test.h"

typedef struct fixture {
    tw_device *device;
    tw_graph *g;
    tw_tensor x;    /* an INT scalar, read back as "x" */
    tw_tensor flag; /* a BOOL scalar */
} fixture;

static fixture make(test_device kind)
{
    fixture f = { .device = test_device_new(kind) };
    f.g = test_graph_new(f.device);
    f.x = test_variable(f.g, TW_INT, 0, NULL, "x");
    f.flag = test_variable(f.g, TW_BOOL, 0, NULL, "flag");
    return f;
}

/* Executes a vertex that adds `amount` to the scalar. */
static tw_program add(const fixture *f, tw_tensor x, int amount)
{
    tw_compute_set cs = tw_graph_add_compute_set(f->g, "add");
    tw_vertex v = tw_graph_add_vertex(f->g, cs, "AddTo", 0);
    tw_graph_connect(f->g, v, "x", x);
    tw_graph_set_field_int(f->g, v, "amount", amount);
    return tw_program_execute(f->g, cs);
}

/* Executes flag = x < limit. */
static tw_program less(const fixture *f, int limit)
{
    tw_compute_set cs = tw_graph_add_compute_set(f->g, "less");
    tw_vertex v = tw_graph_add_vertex(f->g, cs, "Less", test_tiles(f->g) - 1);
    tw_graph_connect(f->g, v, "x", f->x);
    tw_graph_connect(f->g, v, "result", f->flag);
    tw_graph_set_field_int(f->g, v, "limit", limit);
    return tw_program_execute(f->g, cs);
}

static tw_tensor constant(const fixture *f, tw_type type, double value)
{
    tw_tensor t = tw_graph_add_constant_double(f->g, type, 0, NULL, value, "constant");
    tw_graph_map(f->g, t, 0);
    return t;
}

static tw_program set(const fixture *f, int value)
{
    return tw_program_copy(f->g, constant(f, TW_INT, value), f->x);
}

static tw_program sequence(const fixture *f, tw_program a, tw_program b)
{
    return tw_program_sequence_of(f->g, 2, (tw_program[]){ a, b });
}

/* Runs a program on a fresh engine with x = start and returns x. */
static int result(const fixture *f, tw_program p, int start)
{
    tw_engine *e = test_engine_new(f->g, f->device, p, NULL);
    test_ok(tw_engine_write(e, "x", &start, sizeof start));
    test_ok(tw_engine_run(e, 0));
    int x = test_read_int(e, "x");
    tw_engine_free(e);
    return x;
}

static void drop(fixture *f)
{
    tw_graph_free(f->g);
    tw_device_free(f->device);
}

static void sequences_and_repeats(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        fixture f = make(kind);
        tw_program one = add(&f, f.x, 1), ten = add(&f, f.x, 10);
        assert_int_equal(result(&f, tw_program_sequence(f.g, "empty"), 5), 5);
        assert_int_equal(result(&f, sequence(&f, set(&f, 7), one), 5), 8);
        assert_int_equal(result(&f, sequence(&f, one, set(&f, 7)), 5), 7);
        assert_int_equal(result(&f, tw_program_repeat(f.g, 0, one), 5), 5);
        assert_int_equal(result(&f, tw_program_repeat(f.g, 1, one), 5), 6);
        assert_int_equal(result(&f, tw_program_repeat(f.g, 1000, one), 5), 1005);
        assert_int_equal(
            result(&f, tw_program_repeat(f.g, 3, sequence(&f, one, tw_program_repeat(f.g, 4, ten))), 0), 123);
        assert_int_equal(result(&f, tw_program_repeat(f.g, 3, tw_program_repeat(f.g, 0, one)), 5), 5);
        /* a sequence is copied as it is when it is added */
        tw_program inner = tw_program_sequence(f.g, NULL), outer = tw_program_sequence(f.g, NULL);
        tw_program_sequence_add(f.g, inner, one);
        tw_program_sequence_add(f.g, outer, inner);
        tw_program_sequence_add(f.g, inner, ten);
        tw_program_sequence_add(f.g, outer, inner);
        assert_int_equal(result(&f, outer, 0), 12);
        drop(&f);
    }
}

static void conditions(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        fixture f = make(kind);
        tw_program one = add(&f, f.x, 1), ten = add(&f, f.x, 10), nothing = tw_program_sequence(f.g, NULL);
        tw_program loop = tw_program_repeat_while_true(f.g, less(&f, 100), f.flag, ten);
        assert_int_equal(result(&f, loop, 3), 103);
        assert_int_equal(result(&f, loop, 200), 200);
        /* runs until the condition is true */
        assert_int_equal(
            result(&f, tw_program_repeat_while_false(f.g, less(&f, 100), f.flag, add(&f, f.x, -7)), 120), 99);
        tw_program branch = tw_program_if(f.g, f.flag, one, ten);
        assert_int_equal(result(&f, sequence(&f, less(&f, 5), branch), 4), 5);
        assert_int_equal(result(&f, sequence(&f, less(&f, 5), branch), 5), 15);
        assert_int_equal(result(&f, sequence(&f, less(&f, 5), tw_program_if(f.g, f.flag, nothing, ten)), 4), 4);
        /* any value but zero is true, in every predicate type */
        assert_int_equal(result(&f, tw_program_if(f.g, constant(&f, TW_INT, -3), one, ten), 0), 1);
        assert_int_equal(result(&f, tw_program_if(f.g, constant(&f, TW_UNSIGNED_INT, 0), one, ten), 0), 10);
        assert_int_equal(result(&f, tw_program_if(f.g, constant(&f, TW_UNSIGNED_INT, 1u << 31), one, ten), 0), 1);
        /* conditions inside loops, loops inside conditions */
        tw_program nested =
            tw_program_repeat(f.g, 10, sequence(&f, less(&f, 5), tw_program_if(f.g, f.flag, one, ten)));
        assert_int_equal(result(&f, nested, 0), 55);
        drop(&f);
    }
}

static void switches(void **state)
{
    (void)state;
    static const struct {
        int start, plain, with_default;
    } rows[] = {
        { 0, 0, 10000 },           { 1, 1 + 10, 1 + 10 },  { -7, -7 + 100, -7 + 100 },
        { 9, 9 + 1000, 9 + 1000 }, { 10, 10, 10 + 10000 }, { INT32_MAX, INT32_MAX, INT32_MIN + 9999 },
    };
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        fixture f = make(kind);
        tw_program plain = tw_program_switch(f.g, f.x, (tw_program){ 0 });
        tw_program with_default = tw_program_switch(f.g, f.x, add(&f, f.x, 10000));
        tw_program checked = tw_program_switch_with_bounds_checking(f.g, f.x);
        tw_program all[] = { plain, with_default, checked };
        for (int i = 0; i < 3; i++) {
            tw_program_switch_add(f.g, all[i], 9, add(&f, f.x, 1000));
            tw_program_switch_add(f.g, all[i], -7, add(&f, f.x, 100));
            tw_program_switch_add(f.g, all[i], 1, add(&f, f.x, 10));
        }
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            assert_int_equal(result(&f, plain, rows[i].start), rows[i].plain);
            if (rows[i].start != INT32_MAX)
                assert_int_equal(result(&f, with_default, rows[i].start), rows[i].with_default);
        }
        assert_int_equal(result(&f, checked, 9), 1009);
        tw_engine *e = test_engine_new(f.g, f.device, checked, NULL);
        int two = 2;
        test_ok(tw_engine_write(e, "x", &two, sizeof two));
        assert_int_equal(tw_engine_run(e, 0), TW_E_APPLICATION);
        ASSERT_MESSAGE("2");
        tw_engine_free(e);
        drop(&f);
    }
}

static void functions(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        fixture f = make(kind);
        tw_program one = add(&f, f.x, 1);
        tw_function twice = tw_graph_add_function(f.g, sequence(&f, one, one), "twice");
        tw_program call = tw_program_call(f.g, twice);
        tw_function four = tw_graph_add_function(f.g, sequence(&f, call, call), "four");
        assert_int_equal(result(&f, sequence(&f, call, tw_program_repeat(f.g, 5, tw_program_call(f.g, four))), 0),
                         22);
        /* a large program used in many places is emitted once: 2^20 leaves here */
        tw_program big = tw_program_repeat(f.g, 1, one);
        for (int i = 0; i < 20; i++) big = tw_program_sequence_of(f.g, 2, (tw_program[]){ big, big });
        assert_int_equal(result(&f, big, 0), 1 << 20);
        drop(&f);
    }
}

static void counted_loops(void **state)
{
    (void)state;
    static const struct {
        int begin, limit, step, rounds, last;
    } rows[] = {
        { 0, 10, 1, 10, 10 }, { 0, 10, 3, 4, 12 }, { 5, 5, 1, 0, 5 }, { 7, 3, 1, 0, 7 }, { -5, 6, 10, 2, 15 },
    };
    for (test_device kind = CPU; kind < TEST_DEVICES; kind += 2) {
        fixture f = make(kind);
        tw_tensor i = test_variable(f.g, TW_INT, 0, NULL, "i"),
                  limit = test_variable(f.g, TW_INT, 0, NULL, "limit");
        tw_program body = add(&f, f.x, 1);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            for (int dynamic = 0; dynamic < 2; dynamic++) {
                tw_program loop =
                    dynamic ? tw_program_counted_for_loop_dynamic(f.g, i, rows[r].begin, limit, rows[r].step, body)
                            : tw_program_counted_for_loop(f.g, i, rows[r].begin, rows[r].limit, rows[r].step, body);
                tw_engine *e = test_engine_new(f.g, f.device, loop, NULL);
                test_ok(tw_engine_write(e, "limit", &rows[r].limit, sizeof(int)));
                test_ok(tw_engine_run(e, 0));
                assert_int_equal(test_read_int(e, "x"), rows[r].rounds);
                assert_int_equal(test_read_int(e, "i"), rows[r].last);
                tw_engine_free(e);
            }
        }
        /* the body sees the counter */
        tw_tensor last = test_variable(f.g, TW_INT, 0, NULL, "last");
        tw_engine *e = test_engine_new(
            f.g, f.device, tw_program_counted_for_loop(f.g, i, 3, 9, 2, tw_program_copy(f.g, i, last)), NULL);
        test_ok(tw_engine_run(e, 0));
        assert_int_equal(test_read_int(e, "last"), 7);
        tw_engine_free(e);
        drop(&f);
    }
}

/* The AND of what the vertices return. */
static void execute_all_true(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind++) {
        fixture f = make(kind);
        tw_tensor values = test_variable(f.g, TW_INT, SHAPE(32), "values");
        tw_tensor word = test_variable(f.g, TW_INT, 0, NULL, "word");
        tw_compute_set cs = tw_graph_add_compute_set(f.g, "positive");
        for (unsigned i = 0; i < 32; i++) {
            tw_vertex v = tw_graph_add_vertex(f.g, cs, "IsPositive", i % test_tiles(f.g));
            tw_graph_connect(f.g, v, "x", tw_tensor_index(f.g, values, i));
        }
        tw_program both =
            sequence(&f, tw_program_execute_all_true(f.g, cs, f.flag), tw_program_execute_all_true(f.g, cs, word));
        tw_engine *e = test_engine_new(f.g, f.device, both, NULL);
        int32_t data[32];
        for (int wrong = -1; wrong < 32; wrong += 11) {
            for (int i = 0; i < 32; i++) data[i] = i == wrong ? 0 : 1;
            test_ok(tw_engine_write(e, "values", data, sizeof data));
            test_ok(tw_engine_run(e, 0));
            uint8_t flag = 9;
            test_ok(tw_engine_read(e, "flag", &flag, 1));
            assert_int_equal(flag, wrong == -1);
            assert_int_equal(test_read_int(e, "word"), wrong == -1);
        }
        tw_engine_free(e);
        drop(&f);
    }
}

static void stopping(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind += 2) {
        fixture f = make(kind);
        tw_program one = add(&f, f.x, 1);
        tw_engine *e = test_engine_new(f.g, f.device,
                                       sequence(&f, sequence(&f, one, tw_program_abort(f.g, "enough")), one), NULL);
        assert_int_equal(tw_engine_run(e, 0), TW_E_APPLICATION);
        ASSERT_MESSAGE("enough");
        assert_int_equal(test_read_int(e, "x"), 1); /* and nothing after it */
        tw_engine_free(e);

        tw_program check = tw_program_abort_on_condition(f.g, f.flag, "flag is set");
        e = test_engine_new(f.g, f.device, sequence(&f, less(&f, 5), sequence(&f, check, one)), NULL);
        int x = 7;
        test_ok(tw_engine_write(e, "x", &x, sizeof x));
        test_ok(tw_engine_run(e, 0));
        assert_int_equal(test_read_int(e, "x"), 8);
        x = 4;
        test_ok(tw_engine_write(e, "x", &x, sizeof x));
        assert_int_equal(tw_engine_run(e, 0), TW_E_APPLICATION);
        ASSERT_MESSAGE("flag is set");
        tw_engine_free(e);

        e = test_engine_new(f.g, f.device, tw_program_error(f.g, "bad x", f.x), NULL);
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        tw_engine_set_print_tensor_stream(e, out);
        test_ok(tw_engine_write(e, "x", &x, sizeof x));
        assert_int_equal(tw_engine_run(e, 0), TW_E_APPLICATION);
        fclose(out);
        assert_non_null(strstr(text, "bad x"));
        assert_non_null(strstr(text, "4"));
        free(text);
        tw_engine_free(e);
        drop(&f);
    }
}

/* Programs without an effect on values, and printing where it stands in the sequence. */
static void others(void **state)
{
    (void)state;
    for (test_device kind = CPU; kind < TEST_DEVICES; kind += 2) {
        fixture f = make(kind);
        tw_program one = add(&f, f.x, 1);
        tw_tensor row = tw_graph_add_variable(f.g, TW_INT, SHAPE(3), "row");
        tw_graph_map(f.g, row, 0);
        tw_program p[] = { one,
                           tw_program_sync(f.g, TW_SYNC_INTERNAL),
                           tw_program_sync(f.g, TW_SYNC_EXTERNAL),
                           tw_program_sync(f.g, TW_SYNC_GLOBAL),
                           tw_program_assume_equal_across_replicas(f.g, f.x),
                           tw_program_print_tensor(f.g, "now", f.x, NULL),
                           one,
                           tw_program_write_undef(f.g, f.flag),
                           tw_program_print_tensor(f.g, NULL, f.x, NULL),
                           tw_program_print_tensor(f.g, NULL, tw_tensor_slice(f.g, row, 0, 1, 3), NULL) };
        tw_engine *e = test_engine_new(
            f.g, f.device, tw_program_repeat(f.g, 2, tw_program_sequence_of(f.g, sizeof p / sizeof *p, p)), NULL);
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        tw_engine_set_print_tensor_stream(e, out);
        test_ok(tw_engine_run(e, 0));
        fclose(out);
        assert_string_equal(text,
                            "now: 1\nx: 2\nrow: [0 0]\nnow: 3\nx: 4\nrow: [0 0]\n"); /* without a title: the name */
        free(text);
        tw_engine_free(e);
        drop(&f);
    }
}

static void several_programs(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    tw_program p[] = { add(&f, f.x, 1), add(&f, f.x, 10), set(&f, 0) };
    tw_engine *e = tw_engine_new_programs(f.g, 3, p, NULL);
    test_ok(tw_engine_load(e, f.device));
    static const unsigned order[] = { 0, 1, 1, 0, 2, 1 };
    static const int x[] = { 1, 11, 21, 22, 0, 10 };
    for (int i = 0; i < 6; i++) {
        test_ok(tw_engine_run_named(e, order[i], "run"));
        assert_int_equal(test_read_int(e, "x"), x[i]);
    }
    assert_int_equal(tw_engine_run(e, 3), TW_E_INDEX);
    ASSERT_MESSAGE("3");
    tw_engine_free(e);
    drop(&f);
}

/* Adjacent copies become one step only when the order does not matter. */
static void dependent_copies(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    tw_tensor a = test_variable(f.g, TW_INT, SHAPE(4), "a"), b = test_variable(f.g, TW_INT, SHAPE(4), "b"),
              c = test_variable(f.g, TW_INT, SHAPE(4), "c");
    tw_program p[] = {
        tw_program_copy(f.g, a, b),
        tw_program_copy(f.g, b, c),                            /* read after write */
        tw_program_copy(f.g, tw_tensor_reverse(f.g, a, 0), b), /* write after write */
        tw_program_copy(f.g, tw_tensor_slice(f.g, c, 0, 0, 2),
                        tw_tensor_slice(f.g, a, 0, 2, 4)), /* write after read */
        tw_program_copy(f.g, tw_tensor_slice(f.g, b, 0, 0, 1), tw_tensor_slice(f.g, c, 0, 3, 4)),
    };
    tw_engine *e = test_engine_new(f.g, f.device, tw_program_sequence_of(f.g, 5, p), NULL);
    int32_t x[4] = { 1, 2, 3, 4 }, y[4];
    test_ok(tw_engine_write(e, "a", x, sizeof x));
    test_ok(tw_engine_run(e, 0));
    test_ok(tw_engine_read(e, "a", y, sizeof y));
    assert_memory_equal(y, ((int32_t[]){ 1, 2, 1, 2 }), sizeof y);
    test_ok(tw_engine_read(e, "b", y, sizeof y));
    assert_memory_equal(y, ((int32_t[]){ 4, 3, 2, 1 }), sizeof y);
    test_ok(tw_engine_read(e, "c", y, sizeof y));
    assert_memory_equal(y, ((int32_t[]){ 1, 2, 3, 4 }), sizeof y);
    tw_engine_free(e);
    drop(&f);
}

/* Copies take the elements in row-major order, whatever the shapes: [3] to [1][3], a transposed [2][6] to [3][4]. */
static void copies_between_shapes(void **state)
{
    (void)state;
    fixture f = make(MODEL);
    tw_tensor flat = test_variable(f.g, TW_INT, SHAPE(3), "flat"),
              row = test_variable(f.g, TW_INT, SHAPE(1, 3), "row"),
              a = test_variable(f.g, TW_INT, SHAPE(2, 6), "a"), b = test_variable(f.g, TW_INT, SHAPE(3, 4), "b");
    tw_program p[] = { tw_program_copy(f.g, flat, row),
                       tw_program_copy(f.g, tw_tensor_dim_shuffle(f.g, a, (unsigned[]){ 1, 0 }), b) };
    tw_engine *e = test_engine_new(f.g, f.device, tw_program_sequence_of(f.g, 2, p), NULL);
    int32_t three[3] = { 7, 8, 9 }, x[12], y[12];
    for (int i = 0; i < 12; i++) x[i] = 100 + i;
    test_ok(tw_engine_write(e, "flat", three, sizeof three));
    test_ok(tw_engine_write(e, "a", x, sizeof x));
    test_ok(tw_engine_run(e, 0));
    test_ok(tw_engine_read(e, "row", y, sizeof three));
    assert_memory_equal(y, three, sizeof three);
    test_ok(tw_engine_read(e, "b", y, sizeof y));
    for (int i = 0; i < 12; i++) assert_int_equal(y[i], 100 + i % 2 * 6 + i / 2);
    tw_engine_free(e);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_and_repeats),
        cmocka_unit_test(conditions),
        cmocka_unit_test(switches),
        cmocka_unit_test(functions),
        cmocka_unit_test(counted_loops),
        cmocka_unit_test(execute_all_true),
        cmocka_unit_test(stopping),
        cmocka_unit_test(others),
        cmocka_unit_test(several_programs),
        cmocka_unit_test(dependent_copies),
        cmocka_unit_test(copies_between_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
