/* SPDX-License-Identifier: MIT */
/* Compiling CSL held in strings: several files in one text, each after a line "=== name.csl" (the first is
 * main.csl). */
#ifndef TW_TESTS_CSL_COMPILE_CHECK_H
#define TW_TESTS_CSL_COMPILE_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "csl/lang/code/image.h"
#include "csl/lang/compile.h"

typedef struct compiled {
    tw__csl_image *image; /* NULL after an error */
    tw_diags *diags;
    char printed[4096]; /* lines of @comptime_print, joined by '\n' */
    const char *text;
} compiled;

static char *compiled_read(void *user, const char *path, size_t *size)
{
    const compiled *c = user;
    const char *at = c->text, *end;
    if (strcmp(path, "main.csl")) {
        char mark[128];
        snprintf(mark, sizeof mark, "=== %s\n", path);
        at = strstr(c->text, mark);
        if (!at) return NULL;
        at += strlen(mark);
    }
    end = strstr(at, "=== ");
    *size = end ? (size_t)(end - at) : strlen(at);
    char *copy = malloc(*size + 1);
    assert_non_null(copy);
    memcpy(copy, at, *size);
    copy[*size] = 0;
    return copy;
}

static void compiled_print(void *user, const char *line)
{
    compiled *c = user;
    size_t used = strlen(c->printed);
    snprintf(c->printed + used, sizeof c->printed - used, "%s%s", used ? "\n" : "", line);
}

static inline void compile_with(compiled *c, const char *text, tw__csl_compile_options o)
{
    *c = (compiled){ .diags = tw_diags_new(), .text = text };
    o.file = "main.csl";
    o.read = compiled_read;
    o.read_user = c;
    o.print = compiled_print;
    o.print_user = c;
    c->image = tw__csl_compile(&o, c->diags);
    if (c->image) {
        tw_diags *faults = tw_diags_new();
        if (tw__csl_verify(c->image, faults) != TW_OK) {
            tw_diags_print(faults, stderr, false);
            fail_msg("the image does not verify:\n%s", text);
        }
        tw_diags_free(faults);
    }
}

static inline void compile_text(compiled *c, const char *text)
{
    compile_with(c, text, (tw__csl_compile_options){ 0 });
}

static inline void compiled_free(compiled *c)
{
    tw__csl_image_free(c->image);
    tw_diags_free(c->diags);
}

/* The comptime block of a file is `body`, after the declarations `top`; it prints `want`. */
typedef struct print_row {
    const char *top, *body, *want;
} print_row;

static inline void check_prints(const print_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[8192];
        snprintf(text, sizeof text, "%s\ncomptime { %s }\n", rows[i].top, rows[i].body);
        compiled c;
        compile_text(&c, text);
        if (!c.image || strcmp(c.printed, rows[i].want)) {
            tw_diags_print(c.diags, stderr, false);
            fail_msg("row %zu: %s\nexpected: %s\ngot:      %s", i, text, rows[i].want, c.printed);
        }
        compiled_free(&c);
    }
}

/* Compilation reports `phrase` with code `code` at line:column; column 0 = any. */
typedef struct error_row {
    const char *text, *code, *phrase;
    int line, column;
} error_row;

static inline const tw_diag *find_diag(const compiled *c, const error_row *row)
{
    const tw_diag *d;
    for (size_t i = 0; (d = tw_diags_get(c->diags, i)); i++)
        if (!strcmp(d->code, row->code) && strstr(d->message, row->phrase) && d->line == row->line &&
            (!row->column || d->column == row->column))
            return d;
    return NULL;
}

static inline void check_errors(const error_row *rows, size_t count)
{
    size_t failed = 0;
    for (size_t i = 0; i < count; i++) {
        compiled c;
        compile_text(&c, rows[i].text);
        if (c.image || !find_diag(&c, &rows[i])) {
            fprintf(stderr, "row %zu: expected %s '%s' at %d:%d in\n%s\n", i, rows[i].code, rows[i].phrase,
                    rows[i].line, rows[i].column, rows[i].text);
            tw_diags_print(c.diags, stderr, false);
            failed++;
        }
        compiled_free(&c);
    }
    if (failed) fail_msg("%zu of %zu rows", failed, count);
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

#endif
