/* SPDX-License-Identifier: MIT */
/* Compiling CSL texts in tests: files come from memory, messages and images are looked at. */
#ifndef TW_TESTS_CSL_COMPILE_H
#define TW_TESTS_CSL_COMPILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csl/lang/code/image.h"
#include "csl/lang/compile.h"

typedef struct {
    tw_diags *diags;
    tw__csl_image *image; /* NULL: errors */
} compiled;

/* What @import_module("other.csl") finds. */
#define OTHER_FILE "export var outside = @zeros([8]i16);\nfn use() void { outside[0] = 1; }\n"

static inline char *read_memory(void *user, const char *path, size_t *size)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *text = !strcmp(name, "t.csl") ? user : !strcmp(name, "other.csl") ? OTHER_FILE : NULL;
    if (!text) return NULL;
    *size = strlen(text);
    char *copy = malloc(*size + 1);
    return copy ? memcpy(copy, text, *size + 1) : NULL;
}

static inline compiled compile_text(const char *text, bool wse3)
{
    compiled c = { .diags = tw_diags_new() };
    tw__csl_compile_options options = {
        .file = "t.csl", .wse3 = wse3, .read = read_memory, .read_user = (void *)(uintptr_t)text
    };
    c.image = tw__csl_compile(&options, c.diags);
    if (c.image && tw__csl_verify(c.image, c.diags) != TW_OK) {
        tw_diags_print(c.diags, stderr, false);
        fail_msg("the image of this program is malformed:\n%s", text);
    }
    return c;
}

static inline void compiled_free(compiled *c)
{
    tw__csl_image_free(c->image);
    tw_diags_free(c->diags);
}

/* The first message of the severity that holds the phrase; NULL = none. */
static inline const tw_diag *find_message(const tw_diags *diags, tw_severity severity, const char *phrase)
{
    const tw_diag *d;
    for (size_t i = 0; (d = tw_diags_get(diags, i)); i++)
        if (d->severity == severity && strstr(d->message, phrase)) return d;
    return NULL;
}

/* Compiles; fails with the text and all messages when there are errors. */
static inline compiled compile_good(const char *text, bool wse3)
{
    compiled c = compile_text(text, wse3);
    if (!c.image) {
        tw_diags_print(c.diags, stderr, false);
        fail_msg("does not compile for WSE-%d:\n%s", wse3 ? 3 : 2, text);
    }
    return c;
}

/* Must give this message, of TW_ERROR or TW_WARNING, at the text marked by a pair of ` ` in the source: they are
 * taken out. */
static inline void expect_marked(const char *marked, bool wse3, tw_severity severity, const char *phrase)
{
    char *text = malloc(strlen(marked) + 1), *to = text;
    int line = 1, column = 1, at_line = 0, at_column = 0, length = 0;
    for (const char *from = marked; *from; from++) {
        if (*from == '`') {
            if (at_line && !length) length = column - at_column;
            if (!at_line) at_line = line, at_column = column;
            continue;
        }
        *to++ = *from;
        column = *from == '\n' ? 1 : column + 1;
        line += *from == '\n';
    }
    *to = 0;
    compiled c = compile_text(text, wse3);
    const tw_diag *d = find_message(c.diags, severity, phrase);
    bool ok = d && (!at_line || (d->line == at_line && d->column == at_column && d->source)) &&
              (severity != TW_ERROR || !c.image) && (severity != TW_WARNING || c.image);
    if (!ok) {
        tw_diags_print(c.diags, stderr, false);
        fail_msg("expected '%s' at %d:%d from WSE-%d\n%s", phrase, at_line, at_column, wse3 ? 3 : 2, text);
    }
    compiled_free(&c);
    free(text);
}

#endif
