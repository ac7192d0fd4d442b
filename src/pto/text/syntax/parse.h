/* SPDX-License-Identifier: MIT */
/* parse, private side: tokens of PTO-AS, from text/syntax/lex.c to text/syntax/items.c and text/syntax/parse.c. */
#ifndef TW_PTO_AS_PARSE_H
#define TW_PTO_AS_PARSE_H

#include "pto/text/as.h"

typedef enum tw__token_kind {
    T_END,
    T_VALUE,
    T_WORD,
    T_NUMBER,
    T_STRING,
    T_SYMBOL,
    T_HASH,
    T_BANG,
    T_ARROW,
    T_CHAR,
    T_ERROR
} tw__token_kind;

typedef struct tw__token {
    tw__token_kind kind;
    const char *start;
    size_t length;
    int line, column;
    bool first; /* of its line */
    bool blank; /* an empty line before it, after the comments before it */
} tw__token;

enum { TW__PARSE_ERRORS = 20 };

typedef struct tw__parser {
    tw__as_module *m;
    tw__arena *arena; /* of what is being read: the module's, or its scratch */
    const char *at, *line_start;
    int line;
    bool peeking;                            /* comments are met again later */
    bool fresh;                              /* nothing but blanks since the line began */
    const char *end;                         /* of the token before t */
    tw__as_comment *comments, *last_comment; /* met and not yet taken, in order */
    tw__token t;                             /* next */
    tw__token open;                          /* the innermost bracket around it */
    unsigned depth, nesting, errors;         /* brackets, blocks */
} tw__parser;

void tw__parse_next(tw__parser *p);
char tw__parse_peek(const tw__parser *p); /* first character of the token after t; 0 = the end */
void tw__parse_error(tw__parser *p, const tw__token *t, const char *format, ...) TW_PRINTF(3, 4);
bool tw__parse_is(const tw__parser *p, char c);
bool tw__parse_is_word(const tw__parser *p, const char *word);
bool tw__parse_accept(tw__parser *p, char c);
bool tw__parse_expect(tw__parser *p, char c);
const char *tw__parse_copy(tw__parser *p, const char *start, size_t n);
void *tw__parse_allocate(tw__parser *p, size_t size); /* never NULL: m->no_memory */
/* From the current token on: name characters, then one balanced pair of `open` and `close`, as raw text. */
const char *tw__parse_raw(tw__parser *p, tw__token *whole, char open, char close);

/* --- text/syntax/comments.c: where comments go ------------------------------------------------------------------ */

void tw__comment_add(tw__parser *p, const char *start, size_t length, bool blank);
tw__as_comment *tw__comment_take(tw__parser *p); /* all that stand before the next token */
/* At the end of a statement: those inside it go before it, since it becomes one line; one behind it stays there. */
void tw__comment_statement(tw__parser *p, tw__as_op *op);
void tw__comment_word(tw__parser *p, tw__as_op *op, tw__as_block *block); /* at the word or brace of a block */
void tw__comment_brace(tw__parser *p);                                    /* at the brace */
/* The one that follows the token before the next one on its line; NULL when there is none. */
tw__as_comment *tw__comment_behind(tw__parser *p);

/* --- text/syntax/items.c ---------------------------------------------------------------------------------------- */

bool tw__parse_is_part(const tw__parser *p); /* a word that continues a statement, on the next line too */
/* The current token is part of the statement before it. */
bool tw__parse_continues(const tw__parser *p);
bool tw__parse_item(tw__parser *p, tw__as_item *item);
/* Items up to `close` (which stays), or to the end of the statement when close is 0. */
bool tw__parse_items(tw__parser *p, tw__as_item **list, char close);

#endif
