/* SPDX-License-Identifier: MIT */
// needs: csl
/* CSL from anywhere: lexing and parsing never crash or hang, errors have places within the text, and text that parses
 * prints to text that parses to the same tree. */
#include "csl/lang/syntax/ast.h"
#include "csl_words.h"

#include <stdlib.h>
#include <string.h>

static void check(bool ok) /* in every build, also where assert is off */
{
    if (!ok) abort();
}

static void check_places(const tw_diags *diags, size_t size)
{
    const tw_diag *d;
    for (size_t i = 0; (d = tw_diags_get(diags, i)); i++)
        check(d->severity == TW_NOTE ||
              (d->line >= 1 && d->column >= 1 && (size_t)d->column <= size + 1 && d->source));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16) return 0;
    tw_diags *diags = tw_diags_new();
    tw__csl_ctx *ctx = tw__csl_ctx_new(diags);
    check(ctx != NULL);
    const tw__csl_node *file = tw__csl_parse(ctx, "fuzz.csl", (const char *)data, size);
    check((file == NULL) == (tw_diags_count(diags, TW_ERROR) > 0));
    check_places(diags, size);
    if (file) {
        char *text = tw__csl_print(ctx, file);
        check(text != NULL);
        const tw__csl_node *again = tw__csl_parse(ctx, "printed.csl", text, strlen(text));
        /* parentheses may take a text just below the limits of depth over them */
        if (again)
            check(tw__csl_same(file, again));
        else
            check(strstr(tw_diags_get(diags, 0)->message, "nested deeper") != NULL);
        free(text);
    }
    tw__csl_ctx_free(ctx);
    tw_diags_free(diags);
    return 0;
}

MUTATE_GRAMMAR(csl_grammar, 0)
