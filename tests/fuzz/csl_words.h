/* SPDX-License-Identifier: MIT */
/* CSL for the mutators: words from the tables of the compiler, names from its own library modules. */
#ifndef TW_FUZZ_CSL_WORDS_H
#define TW_FUZZ_CSL_WORDS_H

#include "csl/lang/code/code.h"
#include "csl/lang/compile.h"
#include "csl/lang/sema/sema.h"
#include "csl/lang/syntax/ast.h"
#include "grammar.h"

#include <string.h>

static const char *const csl_keywords[] = {
#define X(name, text) text,
    TW__CSL_KEYWORDS(X)
#undef X
};
static const char *const csl_types[] = {
#define X(text) text,
    TW__CSL_TYPE_NAMES(X)
#undef X
};

enum { WORDS_CSL_KEYWORD = GRAMMAR_GROUP, WORDS_CSL_TYPE, WORDS_CSL_DSD };

/* Builtins stand for one another: DSD operations those with the same element types and forms, others all. */
static void add_builtin(grammar_words *words, const char *builtin)
{
    int op = tw__csl_dsd_op_named(builtin), group = '@';
    if (op >= 0) {
        const tw__csl_dsd_op_row *row = &tw__csl_dsd_op_rows[op];
        unsigned types = row->type[0] | row->type[1] << 3 | row->type[2] << 6 | row->type[3] << 9;
        group = WORDS_CSL_DSD + (int)types + (row->forms << 12);
    }
    char name[64];
    grammar_add_word(words, name, (size_t)snprintf(name, sizeof name, "@%s", builtin), group);
}

static inline const grammar *csl_grammar(void)
{
    static grammar csl = { .comments = { "//" }, .begins = "@" };
    static grammar_words words;
    if (csl.words) return &csl;
    for (size_t i = 0; i < sizeof csl_keywords / sizeof *csl_keywords; i++)
        grammar_add_word(&words, csl_keywords[i], strlen(csl_keywords[i]), WORDS_CSL_KEYWORD);
    for (size_t i = 0; i < sizeof csl_types / sizeof *csl_types; i++)
        grammar_add_word(&words, csl_types[i], strlen(csl_types[i]), WORDS_CSL_TYPE);
    for (const tw__csl_builtin_table *const *t = tw__csl_builtins; *t; t++)
        for (size_t i = 0; i < (*t)->count; i++) add_builtin(&words, (*t)->rows[i].name);
    const char *name;
    for (size_t i = 0, size; (name = tw__csl_library_name(i)); i++) {
        const char *text = tw__csl_library(name, &size);
        grammar_add_names(&words, &csl, text, size);
    }
    grammar_use_words(&csl, &words);
    return &csl;
}

#endif
