/* SPDX-License-Identifier: MIT */
/* Statements. */
#include "csl/lang/syntax/parser.h"

#include <string.h>

static tw__csl_tree parse_statement(tw__csl_parser *p);

static tw__csl_node *make1(tw__csl_parser *p, tw__csl_kind kind, const tw__csl_token *blame, tw__csl_tree kid)
{
    size_t mark = p->count;
    tw__csl_push(p, kid);
    return tw__csl_make(p, kind, blame, mark);
}

/* --- block and recovery -------------------------------------------------------------------------------------- */

/* A declaration at the left margin: no statement begins like this, the function before it was never closed. */
static bool begins_declaration(const tw__csl_parser *p)
{
    static const uint8_t starts[] = { TW__CSL_T_FN,     TW__CSL_T_TASK,  TW__CSL_T_EXPORT,
                                      TW__CSL_T_EXTERN, TW__CSL_T_PARAM, TW__CSL_T_LAYOUT };
    return memchr(starts, p->at->kind, sizeof starts) && tw__csl_where(p->ctx, p->at->loc).column == 1;
}

/* From an error to the end of its statement: behind a ';' or before a '}' at its own depth of braces, or before a
 * word that only begins statements. */
static void skip_statement(tw__csl_parser *p, const tw__csl_token *from)
{
    static const uint8_t starts[] = { TW__CSL_T_CONST, TW__CSL_T_VAR, TW__CSL_T_FOR, TW__CSL_T_WHILE,
                                      TW__CSL_T_RETURN };
    int depth = 0; /* braces that opened between the statement's start and the error close behind it */
    for (const tw__csl_token *t = from; t < p->at; t++) {
        depth += t->kind == TW__CSL_T_LBRACE || t->kind == TW__CSL_T_DOT_LBRACE;
        depth -= t->kind == TW__CSL_T_RBRACE && depth > 0;
    }
    for (bool first = p->at == from; !tw__csl_is(p, TW__CSL_T_END); first = false, p->at++) {
        uint8_t kind = p->at->kind;
        if (begins_declaration(p)) return;
        if (kind == TW__CSL_T_LBRACE || kind == TW__CSL_T_DOT_LBRACE) depth++;
        if (kind == TW__CSL_T_RBRACE && --depth < 0) return;
        if (depth > 0) continue;
        if (kind == TW__CSL_T_SEMICOLON) {
            p->at++;
            return;
        }
        if (!first && memchr(starts, kind, sizeof starts)) return;
    }
}

/* One statement with the errors in it; what fails is left out of the tree, which is thrown away then. */
static void parse_one_statement(tw__csl_parser *p, jmp_buf *outer)
{
    jmp_buf here;
    const tw__csl_token *from = p->at;
    size_t mark = p->count;
    unsigned depth = p->depth;
    p->recover = &here;
    if (setjmp(here)) {
        p->count = mark;
        p->depth = depth;
        skip_statement(p, from);
        if (p->ctx->lost || p->at == from) { /* nothing was passed: the enclosing statement goes on */
            p->recover = outer;
            longjmp(*outer, 1);
        }
    } else {
        if (!tw__csl_is(p, TW__CSL_T_SEMICOLON)) tw__csl_mark(p, from, TW__CSL_R_STATEMENT);
        tw__csl_tree statement = parse_statement(p);
        if (statement) tw__csl_push(p, statement);
    }
    p->recover = outer;
}

/* block = "{" { stmt } "}" ; */
tw__csl_tree tw__csl_parse_block(tw__csl_parser *p, tw__csl_name label)
{
    jmp_buf *outer = p->recover;
    tw__csl_mark(p, p->at, TW__CSL_R_BLOCK);
    const tw__csl_token *open = tw__csl_need(p, TW__CSL_T_LBRACE, "to open a block");
    size_t mark = p->count;
    tw__csl_enter(p);
    while (!tw__csl_is(p, TW__CSL_T_RBRACE) && !tw__csl_is(p, TW__CSL_T_END) && !begins_declaration(p) &&
           !tw__csl_stopped(p->ctx))
        parse_one_statement(p, outer);
    if (!tw__csl_take(p, TW__CSL_T_RBRACE)) {
        bool known = p->unclosed == p->at; /* one message for all braces left open here: the innermost */
        p->unclosed = p->at;
        if (known) longjmp(*p->recover, 1);
        tw__csl_syntax_error(p, open, "this '{' is never closed");
    }
    tw__csl_leave(p);
    tw__csl_node *node = tw__csl_make(p, TW__CSL_BLOCK, open, mark);
    node->name = label;
    return node;
}

/* --- simple statements --------------------------------------------------------------------------------------- */

/* lvalue: a name, or something behind which .name, .*, [i] stand, or a builtin (@field). */
static bool may_be_assigned(tw__csl_tree node)
{
    switch (node->kind) {
    case TW__CSL_NAME:
    case TW__CSL_FIELD:
    case TW__CSL_DEREF:
    case TW__CSL_INDEX:
    case TW__CSL_BUILTIN: return true;
    default: return false;
    }
}

/* simple = lvalue assign_op expr | expr ; */
static tw__csl_tree parse_simple(tw__csl_parser *p)
{
    const tw__csl_token *first = p->at;
    tw__csl_tree target = tw__csl_parse_expr(p);
    const tw__csl_token *op = p->at;
    if (op->kind < TW__CSL_T_ASSIGN || op->kind > TW__CSL_T_XOR_ASSIGN) return target;
    if (!may_be_assigned(target)) tw__csl_syntax_error(p, first, "this cannot be assigned to");
    p->at++;
    size_t mark = p->count;
    tw__csl_push(p, target);
    tw__csl_push(p, tw__csl_parse_expr(p));
    tw__csl_node *node = tw__csl_make(p, TW__CSL_ASSIGN, op, mark);
    node->op = op->kind;
    return node;
}

/* "return" [expr] | "break" [":" ident] [expr] | "continue" [":" ident], without the ';' */
static tw__csl_tree parse_jump(tw__csl_parser *p)
{
    const tw__csl_token *word = p->at++;
    tw__csl_name label = 0;
    if (word->kind != TW__CSL_T_RETURN && tw__csl_take(p, TW__CSL_T_COLON)) {
        tw__csl_mark(p, p->at - 1, TW__CSL_R_PREFIX);
        label = tw__csl_need_name(p, "a label")->name;
    }
    tw__csl_tree value = NULL;
    bool ends = tw__csl_is(p, TW__CSL_T_SEMICOLON) || tw__csl_is(p, TW__CSL_T_RBRACE) ||
                tw__csl_is(p, TW__CSL_T_COMMA) || tw__csl_is(p, TW__CSL_T_ELSE);
    if (word->kind != TW__CSL_T_CONTINUE && !ends) value = tw__csl_parse_expr(p);
    if (word->kind == TW__CSL_T_CONTINUE) {
        size_t mark = p->count;
        tw__csl_node *node = tw__csl_make(p, TW__CSL_CONTINUE, word, mark);
        node->name = label;
        return node;
    }
    tw__csl_node *node = make1(p, word->kind == TW__CSL_T_RETURN ? TW__CSL_RETURN : TW__CSL_BREAK, word, value);
    node->name = label;
    return node;
}

static bool is_jump(const tw__csl_parser *p)
{
    return tw__csl_is(p, TW__CSL_T_RETURN) || tw__csl_is(p, TW__CSL_T_BREAK) || tw__csl_is(p, TW__CSL_T_CONTINUE);
}

/* --- if, for, while ------------------------------------------------------------------------------------------ */

static tw__csl_tree parse_loop(tw__csl_parser *p, tw__csl_name label);
static tw__csl_tree parse_if(tw__csl_parser *p);

/* A statement that ends with a '}' needs no ';'. */
static bool ends_itself(tw__csl_tree node)
{
    switch (node->kind) {
    case TW__CSL_BLOCK:
    case TW__CSL_SWITCH:
    case TW__CSL_FOR:
    case TW__CSL_WHILE:
    case TW__CSL_COMPTIME: return true;
    case TW__CSL_IF: return ends_itself(node->kid[2] ? node->kid[2] : node->kid[1]);
    default: return false;
    }
}

static bool begins_loop(const tw__csl_parser *p)
{
    const tw__csl_token *at = p->at + (p->at->kind == TW__CSL_T_INLINE);
    return at->kind == TW__CSL_T_FOR || at->kind == TW__CSL_T_WHILE;
}

/* body = block | simple ";" | jump ";" | if_stmt | loop ; before an else the ';' may be missing */
static tw__csl_tree parse_body(tw__csl_parser *p)
{
    if (tw__csl_is(p, TW__CSL_T_LBRACE)) return tw__csl_parse_block(p, 0);
    tw__csl_mark(p, p->at, TW__CSL_R_BODY);
    if (tw__csl_is(p, TW__CSL_T_IF)) return parse_if(p);
    if (begins_loop(p)) return parse_loop(p, 0);
    tw__csl_enter(p);
    tw__csl_tree body = is_jump(p) ? parse_jump(p) : parse_simple(p);
    tw__csl_leave(p);
    if (!tw__csl_take(p, TW__CSL_T_SEMICOLON) && !tw__csl_is(p, TW__CSL_T_ELSE) && !ends_itself(body))
        tw__csl_need(p, TW__CSL_T_SEMICOLON, "behind the statement");
    return body;
}

/* if_stmt = "if" "(" expr ")" body [ "else" body ] ; */
static tw__csl_tree parse_if(tw__csl_parser *p)
{
    const tw__csl_token *word = p->at++;
    size_t mark = p->count;
    tw__csl_enter(p);
    tw__csl_need(p, TW__CSL_T_LPAREN, "behind if");
    tw__csl_push(p, tw__csl_parse_expr(p));
    tw__csl_need(p, TW__CSL_T_RPAREN, "behind the condition");
    tw__csl_push(p, parse_body(p));
    tw__csl_push(p, tw__csl_take(p, TW__CSL_T_ELSE) ? parse_body(p) : NULL);
    tw__csl_leave(p);
    return tw__csl_make(p, TW__CSL_IF, word, mark);
}

static tw__csl_tree parse_capture(tw__csl_parser *p)
{
    const tw__csl_token *name = tw__csl_need_name(p, "a name for the element");
    tw__csl_node *node = tw__csl_make_leaf(p, TW__CSL_NAME, name);
    node->name = name->name;
    return node;
}

/* for (var i: u16 = 0; i < n; i += 1): one message, for all of it. */
_Noreturn static void no_counting_for(tw__csl_parser *p)
{
    const tw__csl_token *first = p->at;
    for (int depth = 1; depth && !tw__csl_is(p, TW__CSL_T_END) && !tw__csl_is(p, TW__CSL_T_LBRACE); p->at++)
        depth += tw__csl_is(p, TW__CSL_T_LPAREN) - tw__csl_is(p, TW__CSL_T_RPAREN);
    tw__csl_syntax_error(p, first, "'for' walks over an array or a range: for (@range(u16, n)) |i| { ... }");
}

/* "(" expr ")" "|" ident ["," ident] "|" body */
static void parse_for_rest(tw__csl_parser *p)
{
    tw__csl_need(p, TW__CSL_T_LPAREN, "behind for");
    if (tw__csl_is(p, TW__CSL_T_VAR) || tw__csl_is(p, TW__CSL_T_CONST)) no_counting_for(p);
    tw__csl_push(p, tw__csl_parse_expr(p));
    tw__csl_need(p, TW__CSL_T_RPAREN, "behind what for walks over");
    tw__csl_mark(p, p->at, TW__CSL_R_PREFIX);
    tw__csl_need(p, TW__CSL_T_PIPE, "and a name for the element: for (...) |x|");
    tw__csl_push(p, parse_capture(p));
    tw__csl_push(p, tw__csl_take(p, TW__CSL_T_COMMA) ? parse_capture(p) : NULL);
    tw__csl_mark(p, p->at, TW__CSL_R_SUFFIX);
    tw__csl_need(p, TW__CSL_T_PIPE, "behind the names of a for");
    tw__csl_push(p, parse_body(p));
}

/* "(" expr ")" [":" "(" simple ")"] body */
static void parse_while_rest(tw__csl_parser *p)
{
    tw__csl_need(p, TW__CSL_T_LPAREN, "behind while");
    tw__csl_push(p, tw__csl_parse_expr(p));
    tw__csl_need(p, TW__CSL_T_RPAREN, "behind the condition");
    tw__csl_tree step = NULL;
    if (tw__csl_take(p, TW__CSL_T_COLON)) {
        tw__csl_need(p, TW__CSL_T_LPAREN, "and a statement: while (...) : (i += 1)");
        step = parse_simple(p);
        tw__csl_need(p, TW__CSL_T_RPAREN, "behind the step");
    }
    tw__csl_push(p, step);
    tw__csl_push(p, parse_body(p));
}

static tw__csl_tree parse_loop(tw__csl_parser *p, tw__csl_name label)
{
    bool unrolled = tw__csl_take(p, TW__CSL_T_INLINE);
    const tw__csl_token *word = p->at++;
    size_t mark = p->count;
    tw__csl_enter(p);
    if (word->kind == TW__CSL_T_FOR)
        parse_for_rest(p);
    else
        parse_while_rest(p);
    tw__csl_leave(p);
    tw__csl_node *node = tw__csl_make(p, word->kind == TW__CSL_T_FOR ? TW__CSL_FOR : TW__CSL_WHILE, word, mark);
    node->flags = unrolled ? TW__CSL_F_INLINE : 0;
    node->name = label;
    return node;
}

/* --- stmt ---------------------------------------------------------------------------------------------------- */

/* comptime { }, comptime var x, or an expression that begins with comptime */
static tw__csl_tree parse_comptime(tw__csl_parser *p)
{
    uint8_t next = p->at[1].kind;
    if (next == TW__CSL_T_LBRACE) {
        const tw__csl_token *word = p->at++;
        return make1(p, TW__CSL_COMPTIME, word, tw__csl_parse_block(p, 0));
    }
    if (next != TW__CSL_T_VAR && next != TW__CSL_T_CONST) return NULL;
    p->at++;
    return tw__csl_parse_var(p, TW__CSL_F_COMPTIME);
}

static tw__csl_tree parse_compound(tw__csl_parser *p)
{
    if (tw__csl_is(p, TW__CSL_T_LBRACE)) return tw__csl_parse_block(p, 0);
    if (tw__csl_is(p, TW__CSL_T_IF)) return parse_if(p);
    if (begins_loop(p)) return parse_loop(p, 0);
    if (tw__csl_is(p, TW__CSL_T_COMPTIME)) return parse_comptime(p);
    if (!tw__csl_is(p, TW__CSL_T_IDENT) || p->at[1].kind != TW__CSL_T_COLON) return NULL;
    const tw__csl_token *label = p->at;
    p->at += 2;
    if (begins_loop(p)) return parse_loop(p, label->name);
    if (tw__csl_is(p, TW__CSL_T_LBRACE)) return tw__csl_parse_block(p, label->name);
    tw__csl_syntax_expected(p, "a block or a loop behind a label");
}

/* NULL for an empty statement. Local declarations take no storage words. */
static tw__csl_tree parse_statement(tw__csl_parser *p)
{
    if (tw__csl_take(p, TW__CSL_T_SEMICOLON)) return NULL;
    if (tw__csl_is(p, TW__CSL_T_CONST) || tw__csl_is(p, TW__CSL_T_VAR)) return tw__csl_parse_var(p, 0);
    if (tw__csl_is(p, TW__CSL_T_PARAM)) tw__csl_syntax_error(p, p->at, "param stands at the top of a file only");
    tw__csl_tree node = parse_compound(p);
    if (node) {
        if (node->kind != TW__CSL_VAR) tw__csl_take(p, TW__CSL_T_SEMICOLON);
        return node;
    }
    node = is_jump(p) ? parse_jump(p) : parse_simple(p);
    if (!tw__csl_take(p, TW__CSL_T_SEMICOLON) && !ends_itself(node))
        tw__csl_need(p, TW__CSL_T_SEMICOLON, "behind the statement");
    return node;
}

/* What stands behind => in a switch: an expression, block, assignment or jump. */
tw__csl_tree tw__csl_parse_prong_body(tw__csl_parser *p)
{
    return is_jump(p) ? parse_jump(p) : parse_simple(p);
}
