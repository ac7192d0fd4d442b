/* SPDX-License-Identifier: MIT */
/* The parser's state and what its three files call from each other. */
#ifndef TW_CSL_SYNTAX_PARSER_H
#define TW_CSL_SYNTAX_PARSER_H

#include "csl/lang/syntax/internal.h"

#include <setjmp.h>

typedef struct tw__csl_parser {
    tw__csl_ctx *ctx;
    tw__csl_token *tokens;
    const tw__csl_token *at;    /* the next token; the last one is END and never passed */
    const tw__csl_node **stack; /* children of unfinished lists */
    size_t count, room;
    unsigned depth;
    const tw__csl_token *unclosed; /* where a missing '}' was noticed */
    jmp_buf *recover;              /* where an error goes: the enclosing statement or declaration */
} tw__csl_parser;

typedef const tw__csl_node *tw__csl_tree;

/* An error is reported and control goes to p->recover. */
_Noreturn void tw__csl_syntax_error(tw__csl_parser *p, const tw__csl_token *at, const char *format, ...)
    TW_PRINTF(3, 4);
_Noreturn void tw__csl_no_assembly(tw__csl_parser *p); /* where `asm` stands, in whatever form */
_Noreturn void tw__csl_syntax_expected(tw__csl_parser *p, const char *what); /* "expected %s, not %s" */
void tw__csl_enter(tw__csl_parser *p);                                       /* one level deeper; limits depth */
void tw__csl_leave(tw__csl_parser *p);

void tw__csl_mark(tw__csl_parser *p, const tw__csl_token *at, unsigned roles); /* adds TW__CSL_R_... */
bool tw__csl_is(const tw__csl_parser *p, tw__csl_token_kind kind);
bool tw__csl_take(tw__csl_parser *p, tw__csl_token_kind kind); /* passes it if it is there */
const tw__csl_token *tw__csl_need(tw__csl_parser *p, tw__csl_token_kind kind, const char *where);
const tw__csl_token *tw__csl_need_name(tw__csl_parser *p, const char *what);       /* an identifier */
const tw__csl_token *tw__csl_need_field_name(tw__csl_parser *p, const char *what); /* ... or a reserved word */

/* Children are pushed, then a node takes all above the mark. NULL children are fine. */
void tw__csl_push(tw__csl_parser *p, tw__csl_tree child);
tw__csl_node *tw__csl_make(tw__csl_parser *p, tw__csl_kind kind, const tw__csl_token *blame, size_t mark);
tw__csl_node *tw__csl_make_leaf(tw__csl_parser *p, tw__csl_kind kind, const tw__csl_token *blame);

/* parse_expr.c */
unsigned tw__csl_strength(uint8_t token); /* of a binary operator, 1 = binds least; 0 = it is none */
tw__csl_tree tw__csl_parse_expr(tw__csl_parser *p);
void tw__csl_parse_list(tw__csl_parser *p, tw__csl_token_kind close); /* expressions up to and with close; pushes */
tw__csl_tree tw__csl_parse_tensor(tw__csl_parser *p);
/* parse_type.c */
tw__csl_tree tw__csl_parse_type(tw__csl_parser *p);         /* without a literal's brace behind it */
tw__csl_tree tw__csl_parse_type_primary(tw__csl_parser *p); /* NULL when no type begins here */
void tw__csl_parse_fparams(tw__csl_parser *p);              /* "(" ... ")"; pushes */
/* parse_stmt.c */
tw__csl_tree tw__csl_parse_block(tw__csl_parser *p, tw__csl_name label);
tw__csl_tree tw__csl_parse_prong_body(tw__csl_parser *p);
tw__csl_tree tw__csl_parse_var(tw__csl_parser *p, unsigned flags);

#endif
