/* SPDX-License-Identifier: MIT */
/* What the tests of CSL's front end share. */
#ifndef TW_TESTS_CSL_CHECK_H
#define TW_TESTS_CSL_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csl/lang/syntax/ast.h"

typedef struct {
    tw_diags *diags;
    tw__csl_ctx *ctx;
    const tw__csl_node *file; /* NULL: errors */
} parsed;

static inline parsed parse_text(const char *text)
{
    parsed p = { .diags = tw_diags_new() };
    p.ctx = tw__csl_ctx_new(p.diags);
    assert_non_null(p.ctx);
    p.file = tw__csl_parse(p.ctx, "t.csl", text, strlen(text));
    return p;
}

static inline void parsed_free(parsed *p)
{
    tw__csl_ctx_free(p->ctx);
    tw_diags_free(p->diags);
}

/* Fails with all messages unless the first message of `severity` is at line:column and contains the phrase. */
static inline void check_message(size_t row, const char *text, const tw_diags *diags, tw_severity severity,
                                 const char *phrase, int line, int column)
{
    const tw_diag *d = NULL;
    for (size_t i = 0; (d = tw_diags_get(diags, i)) && d->severity != severity; i++) {
    }
    if (d && strstr(d->message, phrase) && d->line == line && d->column == column && d->source) return;
    tw_diags_print(diags, stderr, false);
    fail_msg("row %zu: expected '%s' at %d:%d\n%s", row, phrase, line, column, text);
}

#endif
