/* SPDX-License-Identifier: MIT */
/* Rewriting of poplar::constraint attributes (guide 3.2.2): what it finds and what it leaves alone. Every text is a
 * block of memory of its own, without a zero behind it: a sanitizer sees who reads on. */
#include "poplar/codelet/compile/compile.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static char *rewritten(const char *text)
{
    size_t length = strlen(text);
    char *exact = malloc(length ? length : 1);
    assert_non_null(exact);
    memcpy(exact, text, length);
    char *out = tw__rewrite_constraints(exact, length);
    free(exact);
    if (out) assert_int_equal(strlen(out), length); /* columns stay */
    return out;
}

static void codelet_rewrite_attribute(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to; /* to: NULL = nothing to do */
    } rows[] = {
        { "[[poplar::constraint(\"a\")]]", "[[TW__constraint____(\"a\")]]" },
        { "[[poplar :: constraint (\"a\")]]", "[[TW__constraint____   (\"a\")]]" },
        { "poplar/*x*/::constraint//y\n(", "TW__constraint____     //y\n(" },
        { "[[poplar\n:: // y\n constraint(1)]]\nnext", "[[TW__constraint____\n\n      (1)]]\nnext" },
        { "x\n[[poplar::\nconstraint(1)]]\ny", "x\n[[TW__constraint____\n(1)]]\ny" },
        { "'p' 1'000 poplar::constraint(2)", "'p' 1'000 TW__constraint____(2)" },
        { "constraint poplar::constraint(", "constraint TW__constraint____(" },
        { "poplar::constraint/(1)", NULL },
        { "poplar::constraint /**/", NULL },
        { "mypoplar::constraint(1)", NULL },
        { "poplar_::constraint(1)", NULL },
        { "poplar:constraint(1)", NULL },
        { "poplar::constraints(1)", NULL },
        { "poplar::constraint;", NULL },
        { "poplar::constraint", NULL },
        { "poplar::constrain", NULL },
        { "constraint(1)", NULL },
        { "constraint p", NULL },
        { "", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *out = rewritten(rows[i].from);
        if (!out != !rows[i].to || (out && strcmp(out, rows[i].to) != 0))
            fail_msg("row %zu, %s: %s", i, rows[i].from, out ? out : "nothing was replaced");
        free(out);
    }
}

/* Comments, strings, and raw strings with tags up to the 16 characters that C++ allows. `@` stands for the attribute
 * in a row; `changed` says which of them is replaced. */
static void codelet_rewrite_places(void **state)
{
    (void)state;
    static const char attribute[] = "poplar::constraint(\"x\")";
    static const struct {
        const char *text;
        unsigned changed; /* bit set of the attributes in order */
    } rows[] = {
        { "@", 1 },
        { "a @ b @", 3 },
        { "//@", 0 },
        { "// @\n@", 2 },
        { "//\n@", 1 },
        { "/@", 1 },
        { "/* @ */ @ /* @", 2 },
        { "/**/@", 1 },
        { "/***/@", 1 },
        { "/*/@*/@", 2 },
        { "/* * / @*/@", 2 },
        { "@/*", 1 },
        { "@/* *", 1 },
        { "@//", 1 },
        { "/*@*/\"@\"@", 4 },
        { "\"@\" @", 2 },
        { "\"\"@\"@\"@", 5 },
        { "\"\\\"@\" @", 2 },
        { "\"\\\\\"@", 1 },
        { "\"a\n @\"", 1 }, /* a string ends with its line, at the latest */
        { "@\"\\", 1 },
        { "@\"", 1 },
        { "@\"a", 1 },
        { "@'", 1 },
        { "R\"(\" @)\" @", 2 },
        { "R\"()\"@", 1 },
        { "R\"a(@)b\" @)a\" @", 4 },
        { "R\"0123456789abcdef(@)0123456789abcdef\" @", 2 },   /* the longest */
        { "R\"0123456789abcdefg(@)0123456789abcdefg\" @", 1 }, /* no raw string: another begins at its end */
        { "@R\"x", 1 },
        { "@R\"x(", 1 },
        { "@R\"x()", 1 },
        { "LR\"(\"@)\" @", 2 },
        { "uR\"(\"@)\" @", 2 },
        { "UR\"(\"@)\" @", 2 },
        { "u8R\"t(\"@)t\" @", 2 },
        { "xR\"(\" @", 1 }, /* a name and a string */
        { "xLR\"(\" @", 1 },
        { "1'000 @ 2'000 @", 3 },
        { "'\"' @ '\"' @", 3 },
        { "xpoplar::constraint(1) @", 1 },
        { "x/**/@", 1 },
        { "R\"(@", 0 },
        { "poplar::constraints(1) @", 1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(GStrv) parts = g_strsplit(rows[i].text, "@", -1);
        g_autofree char *text = g_strjoinv(attribute, parts);
        char *got = rewritten(text);
        if (!got != !rows[i].changed) fail_msg("row %zu: %s", i, got ? got : "nothing was replaced");
        size_t at = 0;
        for (unsigned k = 0; got && parts[k]; k++) {
            if (memcmp(got + at, parts[k], strlen(parts[k])) != 0) fail_msg("row %zu: %s", i, got);
            at += strlen(parts[k]);
            bool is_replaced = parts[k + 1] && memcmp(got + at, "poplar::constraint", 18) != 0;
            if (parts[k + 1] && is_replaced != (rows[i].changed >> k & 1))
                fail_msg("row %zu, attribute %u: %s", i, k, got);
            if (parts[k + 1]) at += strlen(attribute);
        }
        free(got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(codelet_rewrite_attribute),
                                        cmocka_unit_test(codelet_rewrite_places) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
