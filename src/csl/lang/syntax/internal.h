/* SPDX-License-Identifier: MIT */
/* What the files of this folder share. */
#ifndef TW_CSL_SYNTAX_INTERNAL_H
#define TW_CSL_SYNTAX_INTERNAL_H

#include "csl/lang/syntax/ast.h"

#include <glib.h>

typedef struct tw__csl_word {
    const char *text;
    size_t length;
    tw__csl_name name;
    uint8_t token; /* tw__csl_token_kind: IDENT, TYPE_NAME or a keyword */
} tw__csl_word;

typedef struct tw__csl_file {
    const char *path, *text; /* text ends with a NUL */
    size_t size;
    tw__csl_loc base;
    const uint32_t *lines; /* offset of each line */
    size_t line_count;
    const tw__csl_node *tree; /* kept: of what could be parsed */
    tw__csl_token *tokens;    /* kept; NULL = there are none */
    size_t token_count;
} tw__csl_file;

struct tw__csl_ctx {
    tw__arena *arena;
    tw_diags *diags;
    GHashTable *names; /* tw__csl_word -> itself */
    GHashTable *seen;  /* messages given */
    tw__csl_word **words;
    size_t word_count, word_room;
    tw__csl_file *files; /* in order of `base` */
    size_t file_count, file_room;
    tw__csl_loc end; /* first free location */
    uint32_t nodes;
    unsigned errors;
    bool kept;  /* trees of files with errors, too */
    bool mute;  /* no messages: what was said already explains them */
    bool lost;  /* out of memory */
    bool quiet; /* the last message was dropped, its notes are dropped too */
};

unsigned tw__csl_word_hash(const void *key);
int tw__csl_word_equal(const void *a, const void *b);
const tw__csl_file *tw__csl_file_of(const tw__csl_ctx *ctx, tw__csl_loc loc); /* NULL: in no file */
bool tw__csl_lex_begin(tw__csl_ctx *ctx);                                     /* enters keywords and type names */

/* Values of literals. false = reported. */
bool tw__csl_integer(tw__csl_ctx *ctx, const tw__csl_token *token, tw__u128 *out);               /* INT */
bool tw__csl_real(tw__csl_ctx *ctx, const tw__csl_token *token, double *out);                    /* FLOAT */
bool tw__csl_string(tw__csl_ctx *ctx, const tw__csl_token *token, char **out, uint32_t *length); /* STRING CHAR */

#endif
