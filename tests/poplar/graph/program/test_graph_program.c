/* SPDX-License-Identifier: MIT */
/* Control programs: trees, copies of what changes later, printing, recursion. */
#include "poplar/graph/fake_codelets.h"
#include "poplar/graph/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

typedef struct fixture {
    tw_target *target;
    tw_graph *g;
    tw_tensor x, y, n, flag;
    tw_compute_set cs;
    tw_program exec;
} fixture;

static fixture open_graph(void)
{
    fixture f = { .target = tw_target_new_cpu(false) };
    f.g = tw_graph_new(f.target);
    f.x = tw_graph_add_variable(f.g, TW_FLOAT, 1, (size_t[]){ 16 }, "x");
    f.y = tw_graph_add_variable(f.g, TW_FLOAT, 1, (size_t[]){ 16 }, "y");
    f.n = tw_graph_add_variable(f.g, TW_INT, 0, NULL, "n");
    f.flag = tw_graph_add_variable(f.g, TW_BOOL, 0, NULL, "flag");
    f.cs = tw_graph_add_compute_set(f.g, "step");
    f.exec = tw_program_execute(f.g, f.cs);
    return f;
}

static void close_graph(fixture *f)
{
    if (tw_graph_status(f->g) != TW_OK) fail_msg("%s", tw_graph_error(f->g)->message);
    tw_graph_free(f->g);
    tw_target_free(f->target);
}

static char *text(tw_graph *g, tw_program p, bool functions)
{
    char *buf = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&buf, &size);
    (functions ? tw_program_print : tw_program_print_steps)(g, p, out);
    fclose(out);
    return buf;
}

static void check_text(tw_graph *g, tw_program p, const char *expected)
{
    char *got = text(g, p, true), *steps = text(g, p, false);
    const char *functions = strstr(expected, "\nfunction 1 '"); /* behind the end of a step's line */
    assert_string_equal(got, expected);
    assert_int_equal(strlen(steps), functions ? (size_t)(functions + 1 - expected) : strlen(expected));
    assert_memory_equal(steps, expected, strlen(steps));
    free(got), free(steps);
}

/* Spec poplar.md 1.10: a sequence takes a copy of a program as it is at that moment. */
static void graph_program_copies(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_program inner = tw_program_sequence(f.g, "inner"), outer = tw_program_sequence(f.g, "outer");
    tw_program_sequence_add(f.g, outer, inner); /* empty by now */
    tw_program_sequence_add(f.g, inner, f.exec);
    tw_program_sequence_add(f.g, outer, inner); /* one */
    tw_program loop = tw_program_repeat(f.g, 3, inner);
    for (int i = 0; i < 6; i++) tw_program_sequence_add(f.g, inner, tw_program_copy(f.g, f.x, f.y));
    tw_program_sequence_add(f.g, outer, outer); /* itself, as it is: no recursion */
    check_text(f.g, outer,
               "Sequence \"outer\"\n"
               "  Sequence \"inner\"\n"
               "  Sequence \"inner\"\n"
               "    Execute 'step'\n"
               "  Sequence \"outer\"\n"
               "    Sequence \"inner\"\n"
               "    Sequence \"inner\"\n"
               "      Execute 'step'\n");
    check_text(f.g, loop, "Repeat 3 times\n  Sequence \"inner\"\n    Execute 'step'\n");
    /* The same for a switch. */
    tw_program sw = tw_program_switch(f.g, f.n, f.exec), seq = tw_program_sequence(f.g, NULL);
    tw_program_switch_add(f.g, sw, -1, inner);
    tw_program_sequence_add(f.g, seq, sw);
    tw_program_switch_add(f.g, sw, 2, f.exec);
    const tw__core *core = tw__graph_core(f.g);
    const tw__program *kept = &core->programs[core->programs[seq.id].children[0]];
    assert_int_equal(kept->case_count, 1);
    assert_int_equal(kept->cases[0].value, -1);
    assert_int_equal(core->programs[kept->cases[0].body].child_count, 7);
    assert_int_equal(core->programs[sw.id].case_count, 2);
    close_graph(&f);
}

/* Using one unchanged sequence often costs one copy. */
static void graph_program_shares_copies(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_program inner = tw_program_sequence_of(f.g, 3, (tw_program[]){ f.exec, f.exec, f.exec }),
               outer = tw_program_sequence(f.g, NULL);
    size_t before = tw__graph_core(f.g)->program_count;
    for (unsigned i = 0; i < 1000; i++) tw_program_sequence_add(f.g, outer, inner);
    assert_int_equal(tw__graph_core(f.g)->program_count, before + 1);
    assert_int_equal(tw__graph_core(f.g)->programs[outer.id].child_count, 1000);
    close_graph(&f);
}

static void graph_program_prints_all(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_graph *g = f.g;
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_FLOAT, 16, TW_STREAM_BROADCAST,
                                                    "bufferingDepth=2, splitLimit=64");
    tw_stream out = tw_graph_add_device_to_host_fifo(g, "out", TW_FLOAT, 16, NULL);
    tw_remote_buffer r = tw_graph_add_remote_buffer(g, "rows", TW_FLOAT, 16, 10, false, false);
    tw_tensor offset = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ 1 }, "offset");
    tw_function fn = tw_graph_add_function(g, f.exec, "twice");
    tw_program named = tw_program_copy(g, f.x, f.y);
    tw_program_name(g, named, "halo");
    tw_program all[] = {
        named,
        tw_program_copy_from_stream(g, in, f.x),
        tw_program_copy_to_stream(
            g, tw_tensor_slice(g, tw_tensor_concat(g, 2, (tw_tensor[]){ f.x, f.y }, 0), 0, 8, 24), out),
        tw_program_copy_from_remote(g, r, f.x, offset),
        tw_program_copy_to_remote(g, f.y, r, (tw_tensor){ 0, 0 }),
        tw_program_repeat_while_true(g, f.exec, f.flag, f.exec),
        tw_program_repeat_while_false(g, f.exec, f.n, f.exec),
        tw_program_if(g, f.flag, f.exec, (tw_program){ 0 }),
        tw_program_switch(g, f.n, (tw_program){ 0 }),
        tw_program_call(g, fn),
        tw_program_sync(g, TW_SYNC_EXTERNAL),
        tw_program_write_undef(g, f.x),
        tw_program_abort(g, "stop"),
        tw_program_abort_on_condition(g, f.flag, "bad"),
        tw_program_assume_equal_across_replicas(g, f.x),
        tw_program_error(g, "wrong", f.x),
        tw_program_print_tensor(g, "t", f.x, NULL),
        tw_program_print_tensor(g, NULL, tw_tensor_slice(g, f.x, 0, 0, 4), NULL),
        tw_program_execute_all_true(g, f.cs, f.flag),
        tw_program_counted_for_loop(g, f.n, 0, 10, 2, f.exec),
        tw_program_counted_for_loop_dynamic(g, f.n, -3, f.n, 1, f.exec),
    };
    tw_program seq = tw_program_sequence_of(g, G_N_ELEMENTS(all), all);
    check_text(g, seq,
               "Sequence\n"
               "  Copy \"halo\" x[16] -> y[16]\n"
               "  StreamCopy stream 'in' -> x[16]\n"
               "  StreamCopy tensor [16] of x[16] and other variables -> stream 'out'\n"
               "  RemoteCopy remote buffer 'rows' -> x[16]\n"
               "  RemoteCopy y[16] -> remote buffer 'rows'\n"
               "  RepeatWhileTrue flag\n"
               "    condition: Execute 'step'\n"
               "    body: Execute 'step'\n"
               "  RepeatWhileFalse n\n"
               "    condition: Execute 'step'\n"
               "    body: Execute 'step'\n"
               "  If flag\n"
               "    then: Execute 'step'\n"
               "    else: nothing\n"
               "  Switch n\n"
               "    default: nothing\n"
               "  Call function 1 'twice'\n"
               "  Sync external\n"
               "  WriteUndef x[16]\n"
               "  Abort \"stop\"\n"
               "  AbortOnCondition flag \"bad\"\n"
               "  AssumeEqualAcrossReplicas x[16]\n"
               "  ErrorProgram x[16] \"wrong\"\n"
               "  PrintTensor x[16] \"t\"\n"
               "  PrintTensor slice of x[16] \"\"\n"
               "  Execute 'step' -> flag\n"
               "  CountedForLoop n from 0 to 10 by 2\n"
               "    Execute 'step'\n"
               "  CountedForLoop n from -3 to n by 1\n"
               "    Execute 'step'\n"
               "function 1 'twice':\n"
               "  Execute 'step'\n");
    check_text(g, (tw_program){ 0 }, "nothing\n");
    const tw__stream *s = &tw__graph_core(g)->streams[in.id]; /* until the next one is added */
    assert_int_equal(s->buffering_depth, 2);
    assert_int_equal(s->split_limit, 64);
    assert_false(s->split_disabled);
    assert_int_equal(s->mode, TW_STREAM_BROADCAST);
    assert_int_equal(tw__graph_core(g)->streams[out.id].buffering_depth, 1);
    tw_stream whole = tw_graph_add_device_to_host_fifo(g, "whole", TW_FLOAT, 16, "splitLimit=-1");
    assert_true(tw__graph_core(g)->streams[whole.id].split_disabled);
    assert_int_equal(tw__graph_check(tw__graph_core(g), &seq.id, 1), TW_OK);
    close_graph(&f);
}

/* A copy onto itself is legal, and so is one between interleaved elements. */
static void graph_program_copy_overlap(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_program_copy(f.g, f.x, f.x);
    tw_program_copy(f.g, tw_tensor_sub_sample(f.g, f.x, 2, 0),
                    tw_tensor_sub_sample(f.g, tw_tensor_slice(f.g, f.x, 0, 1, 16), 2, 0));
    assert_int_equal(tw_graph_status(f.g), TW_OK);
    tw_program_copy(f.g, f.x, tw_tensor_reverse(f.g, f.x, 0));
    assert_int_equal(tw_graph_take_error(f.g, NULL), TW_E_CONTROL_PROGRAM);
    close_graph(&f);
}

/* The API cannot make a recursive program, since functions and sequences take copies; the check would find it. */
/* As the guide's API has it: element counts are compared, shapes are not. */
static void graph_program_copy_counts(void **state)
{
    (void)state;
    static const struct {
        uint32_t from_rank, to_rank;
        size_t from[3], to[3];
        bool taken;
    } rows[] = {
        { 1, 2, { 3 }, { 1, 3 }, true },     { 2, 1, { 1, 3 }, { 3 }, true }, { 2, 2, { 2, 6 }, { 4, 3 }, true },
        { 0, 3, { 0 }, { 1, 1, 1 }, true },  { 1, 1, { 3 }, { 4 }, false },   { 1, 1, { 4 }, { 3 }, false },
        { 2, 1, { 2, 3 }, { 2 }, false },    { 1, 0, { 2 }, { 0 }, false },   { 1, 2, { 0 }, { 5, 0 }, true },
        { 2, 2, { 5, 0 }, { 1, 1 }, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f = open_graph();
        tw_program_copy(f.g, tw_graph_add_variable(f.g, TW_INT, rows[i].from_rank, rows[i].from, "from"),
                        tw_graph_add_variable(f.g, TW_INT, rows[i].to_rank, rows[i].to, "to"));
        if ((tw_graph_status(f.g) == TW_OK) != rows[i].taken) fail_msg("row %zu", i);
        if (!rows[i].taken) {
            assert_int_equal(tw_graph_status(f.g), TW_E_CONTROL_PROGRAM);
            assert_non_null(strstr(tw_graph_error(f.g)->message, "different numbers of elements: source from"));
        }
        tw_graph_free(f.g);
        tw_target_free(f.target);
    }
}

static void graph_program_recursion(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_program a = tw_program_sequence(f.g, NULL), b = tw_program_sequence(f.g, NULL);
    tw_function fa = tw_graph_add_function(f.g, a, "a"), fb = tw_graph_add_function(f.g, b, "b");
    tw_program_sequence_add(f.g, a, tw_program_call(f.g, fb));
    tw_program_sequence_add(f.g, b, tw_program_call(f.g, fa));
    tw_program p = tw_program_sequence_of(f.g, 3, (tw_program[]){ a, b, tw_program_call(f.g, fa) });
    tw__core *core = tw__graph_core(f.g);
    assert_int_equal(tw__graph_check(core, &p.id, 1), TW_OK);
    core->functions[fa.id].body = a.id;
    core->functions[fb.id].body = b.id;
    assert_int_equal(tw__graph_check(core, &p.id, 1), TW_E_RECURSION);
    assert_non_null(strstr(tw_error_message(), "recursive call"));
    close_graph(&f);
}

static void graph_program_depth(void **state)
{
    (void)state;
    fixture f = open_graph();
    tw_program p = f.exec;
    unsigned depth = 0;
    for (; depth < 5000 && tw_graph_status(f.g) == TW_OK; depth++) {
        tw_program q = tw_program_repeat(f.g, 1, p);
        if (q.id) p = q;
    }
    assert_int_equal(depth, 1001);
    assert_int_equal(tw_graph_take_error(f.g, NULL), TW_E_CONTROL_PROGRAM);
    assert_int_equal(tw__graph_check(tw__graph_core(f.g), &p.id, 1), TW_OK);
    close_graph(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_program_copies),      cmocka_unit_test(graph_program_shares_copies),
        cmocka_unit_test(graph_program_prints_all),  cmocka_unit_test(graph_program_copy_overlap),
        cmocka_unit_test(graph_program_copy_counts), cmocka_unit_test(graph_program_recursion),
        cmocka_unit_test(graph_program_depth),
    };
    return cmocka_run_group_tests_name("graph_program", tests, NULL, NULL);
}
