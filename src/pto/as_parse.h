/* as_parse, private side: tokens of PTO-AS, from as_lex.c to as_items.c and as_parse.c. */
#ifndef TW_PTO_AS_PARSE_H
#define TW_PTO_AS_PARSE_H

#include "pto/as.h"

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
} tw__token;

enum { TW__PARSE_ERRORS = 20 };

typedef struct tw__parser {
    tw__as_module *m;
    const char *at, *line_start;
    int line;
    bool fresh;                      /* nothing but blanks since the line began */
    tw__token t;                     /* next */
    unsigned depth, nesting, errors; /* brackets, blocks */
} tw__parser;

void tw__parse_next(tw__parser *p);
void tw__parse_error(tw__parser *p, const tw__token *t, const char *format, ...) TW_PRINTF(3, 4);
bool tw__parse_is(const tw__parser *p, char c);
bool tw__parse_is_word(const tw__parser *p, const char *word);
bool tw__parse_accept(tw__parser *p, char c);
bool tw__parse_expect(tw__parser *p, char c);
const char *tw__parse_copy(tw__parser *p, const char *start, size_t n);
void *tw__parse_allocate(tw__parser *p, size_t size); /* never NULL: m->no_memory */
/* From the current token on: name characters, then one balanced pair of `open` and `close`, as raw text. */
const char *tw__parse_raw(tw__parser *p, tw__token *whole, char open, char close);

/* --- as_items.c ---------------------------------------------------------------------------------------------------- */

/* The current token is part of the statement before it. */
bool tw__parse_continues(const tw__parser *p);
bool tw__parse_item(tw__parser *p, tw__as_item *item);
/* Items up to `close` (which stays), or to the end of the statement when close is 0. */
bool tw__parse_items(tw__parser *p, tw__as_item **list, char close);

#endif
