/* SPDX-License-Identifier: MIT */
/* Section 2.2.1 of the guide, "Program flow control": counted loops, while loops, If and Switch.
 *
 * prints: countedForLoop: 0 + 1 + ... + 9 = 45
 * prints: Repeat: 5 x 3 = 15
 * prints: RepeatWhileTrue: 30
 * prints: RepeatWhileFalse: 50
 * prints: If: 100 1
 * prints: Switch: 10 20 99
 */
#include "check.h"

/* The variables of the section, and an engine whose host side reads and writes them by name. */
typedef struct setting {
    tw_device *dev;
    tw_graph *g;
    tw_tensor body_var, count, limit, flag, choice;
} setting;

static tw_tensor scalar(tw_graph *g, const char *name, tw_type type)
{
    tw_tensor t = tw_graph_add_variable(g, type, 1, (size_t[]){ 1 }, name);
    tw_graph_map(g, t, 0);
    tw_graph_create_host_access(g, name, t);
    return t;
}

static setting set_up(void)
{
    setting s = { .dev = tw_device_by_name(NULL, TW_MK2, 1) };
    s.g = tw_graph_new(tw_device_target(s.dev));
    tw_graph_add_codelets(s.g, "guide_codelets.cpp", NULL);
    s.body_var = scalar(s.g, "bodyVar", TW_UNSIGNED_INT);
    s.count = scalar(s.g, "count", TW_UNSIGNED_INT);
    s.limit = scalar(s.g, "limit", TW_UNSIGNED_INT);
    s.flag = scalar(s.g, "flag", TW_UNSIGNED_INT);
    s.choice = scalar(s.g, "choice", TW_INT);
    return s;
}

/* body_var += amount */
static tw_program add(const setting *s, tw_tensor amount)
{
    tw_compute_set cs = tw_graph_add_compute_set(s->g, "bodyFunction");
    tw_vertex v = tw_graph_add_vertex(s->g, cs, "AddInPlace", 0);
    tw_graph_connect(s->g, v, "value", s->body_var);
    tw_graph_connect(s->g, v, "amount", tw_tensor_index(s->g, amount, 0));
    return tw_program_execute(s->g, cs);
}

static tw_program add_number(const setting *s, unsigned amount)
{
    tw_tensor number = tw_graph_add_constant(s->g, TW_UNSIGNED_INT, 1, (size_t[]){ 1 }, &amount, false, "amount");
    tw_graph_map(s->g, number, 0);
    return add(s, number);
}

/* flag = body_var < bound, or the opposite */
static tw_program compare(const setting *s, unsigned bound, bool opposite)
{
    tw_tensor number = tw_graph_add_constant(s->g, TW_UNSIGNED_INT, 1, (size_t[]){ 1 }, &bound, false, "bound");
    tw_graph_map(s->g, number, 0);
    tw_compute_set cs = tw_graph_add_compute_set(s->g, "compare");
    tw_vertex v = tw_graph_add_vertex(s->g, cs, "LessThan", 0);
    tw_graph_connect(s->g, v, "a", tw_tensor_index(s->g, s->body_var, 0));
    tw_graph_connect(s->g, v, "b", tw_tensor_index(s->g, number, 0));
    tw_graph_connect(s->g, v, "result", tw_tensor_index(s->g, s->flag, 0));
    tw_graph_set_field_int(s->g, v, "opposite", opposite);
    return tw_program_execute(s->g, cs);
}

/* Runs a program on fresh variables: body_var starts at 0, the value after the run is the result. */
static unsigned result_of(const setting *s, tw_program program, unsigned limit, unsigned flag, int choice)
{
    uint32_t zero = 0, value = 0;
    int32_t chosen = choice;
    tw_engine *e = tw_engine_new(s->g, program, NULL);
    CHECK_ENGINE(e, tw_engine_load(e, s->dev));
    CHECK(tw_engine_write(e, "bodyVar", &zero, sizeof zero) == TW_OK);
    CHECK(tw_engine_write(e, "limit", &limit, sizeof limit) == TW_OK);
    CHECK(tw_engine_write(e, "flag", &flag, sizeof flag) == TW_OK);
    CHECK(tw_engine_write(e, "choice", &chosen, sizeof chosen) == TW_OK);
    CHECK_ENGINE(e, tw_engine_run(e, 0));
    CHECK(tw_engine_read(e, "bodyVar", &value, sizeof value) == TW_OK);
    tw_engine_free(e);
    return value;
}

int main(void)
{
    setting s = set_up();
    tw_graph *g = s.g;

    /* Guide, counted loops: the limit is known at run time only, and the body reads the counter. */
    tw_program body = tw_program_sequence(g, "body"), prog = tw_program_sequence(g, "all");
    tw_program_sequence_add(g, body, add(&s, s.count));
    tw_program_sequence_add(g, prog, tw_program_counted_for_loop_dynamic(g, s.count, 0, s.limit, 1, body));
    printf("countedForLoop: 0 + 1 + ... + 9 = %u\n", result_of(&s, prog, 10, 0, 0));
    CHECK(result_of(&s, prog, 0, 0, 0) == 0); /* no round at all */
    /* Limit and step known beforehand: 3 + 5 + 7 + 9. */
    CHECK(result_of(&s, tw_program_counted_for_loop(g, s.count, 3, 10, 2, body), 0, 0, 0) == 24);

    printf("Repeat: 5 x 3 = %u\n", result_of(&s, tw_program_repeat(g, 5, add_number(&s, 3)), 0, 0, 0));

    /* The condition runs before each round; any value but zero is true. */
    tw_program ten = add_number(&s, 10), until_30 = compare(&s, 30, false);
    unsigned value = result_of(&s, tw_program_repeat_while_true(g, until_30, s.flag, ten), 0, 0, 0);
    printf("RepeatWhileTrue: %u\n", value);
    CHECK(value == 30);
    /* Rounds of 10 while "value >= 43" is not true. */
    tw_program at_least_43 = compare(&s, 43, true);
    value = result_of(&s, tw_program_repeat_while_false(g, at_least_43, s.flag, ten), 0, 0, 0);
    printf("RepeatWhileFalse: %u\n", value);
    CHECK(value == 50);

    tw_program one = add_number(&s, 1), hundred = add_number(&s, 100);
    tw_program either = tw_program_if(g, s.flag, hundred, one);
    printf("If: %u %u\n", result_of(&s, either, 0, 7, 0), result_of(&s, either, 0, 0, 0));
    /* An empty sequence for the "else" branch makes a plain "if". */
    CHECK(result_of(&s, tw_program_if(g, s.flag, hundred, tw_program_sequence(g, NULL)), 0, 0, 0) == 0);

    tw_program choose = tw_program_switch(g, s.choice, add_number(&s, 99));
    tw_program_switch_add(g, choose, 1, add_number(&s, 10));
    tw_program_switch_add(g, choose, 2, add_number(&s, 20));
    printf("Switch: %u %u %u\n", result_of(&s, choose, 0, 0, 1), result_of(&s, choose, 0, 0, 2),
           result_of(&s, choose, 0, 0, -5));

    CHECK(tw_graph_status(g) == TW_OK);
    tw_graph_free(g);
    tw_device_free(s.dev);
    return 0;
}
