/* SPDX-License-Identifier: MIT */
/* text: a PTO-AS program in a test, from parsing to running. */
#ifndef TW_TESTS_PTO_TEXT_H
#define TW_TESTS_PTO_TEXT_H

#include "pto/text/as.h"

typedef struct session {
    tw_diags *diags;
    tw__as_module *module;
    const tw__as_program *program;
    const tw__as_function *function; /* the one to run */
    tw_pto *core;
    tw__as_cell *cells;
} session;

static inline void session_function(session *s, const tw__as_function *f)
{
    free(s->cells);
    s->function = f;
    s->cells = f ? tw__as_cells_new(f) : NULL;
}

static inline session start(const char *text, tw_pto_target target)
{
    session s = { .diags = tw_diags_new() };
    s.module = tw__as_parse("t.pto", text, strlen(text), s.diags);
    assert_non_null(s.module);
    if (tw_diags_count(s.diags, TW_ERROR) == 0) s.program = tw__as_bind(s.module, target);
    s.core = tw_pto_new(target, 0);
    if (s.program) session_function(&s, s.program->functions);
    return s;
}

static inline tw_status run(session *s)
{
    if (!s->program) {
        tw_diags_print(s->diags, stderr, false);
        fail_msg("the program was refused");
    }
    tw__as_run r = { .core = s->core, .program = s->program, .cell = s->cells, .max_steps = 100000, .blocks = 1 };
    tw_status status = tw__as_execute(&r, s->function);
    tw__as_run_end(&r);
    return status;
}

static inline void end(session *s)
{
    free(s->cells);
    tw_pto_free(s->core);
    tw__as_free(s->module);
    tw_diags_free(s->diags);
}

static inline tw__as_cell *cell(session *s, const char *name)
{
    const tw__as_function *f = s->function;
    for (uint32_t i = f->slots; i-- > 0;)
        if (strcmp(f->slot_name[i], name) == 0) return &s->cells[i];
    fail_msg("no value %%%s", name);
    return NULL;
}

/* print(parse(print(x))) = print(x). */
static inline void stable(size_t row, const char *text)
{
    tw_diags *diags = tw_diags_new();
    tw__as_module *one = tw__as_parse_tree("t.pto", text, strlen(text), diags);
    char *once = tw__as_print(one);
    tw__as_module *two = tw__as_parse_tree("printed.pto", once, strlen(once), diags);
    char *twice = tw__as_print(two);
    if (tw_diags_count(diags, TW_ERROR)) tw_diags_print(diags, stderr, false);
    if (strcmp(once, twice) != 0 || tw_diags_count(diags, TW_ERROR))
        fail_msg("row %zu printed as\n%s\nand again as\n%s", row, once, twice);
    free(once);
    free(twice);
    tw__as_free(one);
    tw__as_free(two);
    tw_diags_free(diags);
}

#endif
