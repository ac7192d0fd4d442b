/* SPDX-License-Identifier: MIT */
// needs: csl
// seeds: tests/fuzz/corpus/fuzz_csl_run/tests*
/* CSL from anywhere: lexing and parsing never crash or hang, errors have places within the text, and text that parses
 * prints to text that parses to the same tree; its canonical layout has the same tokens and changes no more. */
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

/* The same tokens in another layout. */
static void check_tokens(tw__csl_ctx *ctx, const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t a_count = 0, b_count = 0;
    tw__csl_loc a_base = tw__csl_add_file(ctx, "a.csl", a, a_size),
                b_base = tw__csl_add_file(ctx, "b.csl", b, b_size);
    tw__csl_token *x = tw__csl_lex(ctx, a_base, &a_count), *y = tw__csl_lex(ctx, b_base, &b_count);
    check(x && y && a_count == b_count);
    for (size_t i = 0; i < a_count; i++) {
        check(x[i].kind == y[i].kind && x[i].length == y[i].length);
        check(memcmp(a + (x[i].loc - a_base), b + (y[i].loc - b_base), x[i].length) == 0);
    }
    free(x);
    free(y);
}

static void check_layout(tw__csl_ctx *ctx, const char *text, size_t size)
{
    size_t length, second;
    tw_diags *diags = tw_diags_new();
    char *laid = tw__csl_format("fuzz.csl", text, size, &length, diags);
    check(laid != NULL);
    check_tokens(ctx, text, size, laid, length);
    char *again = tw__csl_format("laid.csl", laid, length, &second, diags);
    check(again && second == length && memcmp(laid, again, length) == 0);
    free(laid);
    free(again);
    tw_diags_free(diags);
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
        check_layout(ctx, (const char *)data, size);
    }
    tw__csl_ctx_free(ctx);
    tw_diags_free(diags);
    return 0;
}

MUTATE_GRAMMAR(csl_grammar, 0)
