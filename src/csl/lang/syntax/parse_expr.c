/* SPDX-License-Identifier: MIT */
/* Expressions. */
#include "csl/lang/syntax/parser.h"

#include <string.h>

static tw__csl_tree parse_unary(tw__csl_parser *p);

static tw__csl_node *make_named(tw__csl_parser *p, tw__csl_kind kind, const tw__csl_token *token)
{
    tw__csl_node *node = tw__csl_make_leaf(p, kind, token);
    node->name = token->name;
    return node;
}

/* --- binary operators ---------------------------------------------------------------------------------------- */

/* Binding strength, 0 = no binary operator. & ^ | bind tighter than comparisons: i & 1 == 0 is (i & 1) == 0. */
enum { OR = 1, AND, COMPARE, BITS, SHIFT, SUM, PRODUCT };

unsigned tw__csl_strength(uint8_t token)
{
    switch (token) {
    case TW__CSL_T_OR: return OR;
    case TW__CSL_T_AND: return AND;
    case TW__CSL_T_EQ:
    case TW__CSL_T_NE:
    case TW__CSL_T_LT:
    case TW__CSL_T_LE:
    case TW__CSL_T_GT:
    case TW__CSL_T_GE: return COMPARE;
    case TW__CSL_T_AMPERSAND:
    case TW__CSL_T_PIPE:
    case TW__CSL_T_CARET: return BITS;
    case TW__CSL_T_SHL:
    case TW__CSL_T_SHR: return SHIFT;
    case TW__CSL_T_PLUS:
    case TW__CSL_T_MINUS: return SUM;
    case TW__CSL_T_STAR:
    case TW__CSL_T_SLASH:
    case TW__CSL_T_PERCENT: return PRODUCT;
    default: return 0;
    }
}

/* x++ and x-- in front of what cannot begin an operand, ++x: other languages' words for x += 1. */
static void no_increment(tw__csl_parser *p, const tw__csl_token *op, tw__csl_tree operand)
{
    if (op[1].kind != op->kind || op[1].loc != op->loc + 1) return;
    bool minus = op->kind == TW__CSL_T_MINUS;
    const tw__csl_token *behind = op + 2;
    if (minus && behind->kind != TW__CSL_T_SEMICOLON && behind->kind != TW__CSL_T_RPAREN &&
        behind->kind != TW__CSL_T_COMMA)
        return; /* a--b is a - (-b) */
    bool named = operand && operand->kind == TW__CSL_NAME;
    tw__csl_syntax_error(p, op, "CSL has no '%s': write %s %s= 1", minus ? "--" : "++",
                         named                             ? tw__csl_text(p->ctx, operand->name)
                         : behind->kind == TW__CSL_T_IDENT ? tw__csl_text(p->ctx, behind->name)
                                                           : "the variable",
                         minus ? "-" : "+");
}

/* Operators of strength >= lowest, left to right; comparisons do not chain. */
static tw__csl_tree parse_binary(tw__csl_parser *p, unsigned lowest)
{
    tw__csl_tree left = parse_unary(p);
    for (;;) {
        const tw__csl_token *op = p->at;
        unsigned level = tw__csl_strength(op->kind);
        if (!level || level < lowest) return left;
        if (level == SUM) no_increment(p, op, left);
        p->at++;
        bool doubled = (op->kind == TW__CSL_T_AMPERSAND || op->kind == TW__CSL_T_PIPE) && p->at->kind == op->kind &&
                       p->at->loc == op->loc + 1;
        if (doubled)
            tw__csl_syntax_error(
                p, op, op->kind == TW__CSL_T_PIPE ? "CSL writes 'or' for '||'" : "CSL writes 'and' for '&&'");
        size_t mark = p->count;
        tw__csl_push(p, left);
        tw__csl_push(p, parse_binary(p, level + 1));
        tw__csl_node *node = tw__csl_make(p, TW__CSL_BINARY, op, mark);
        node->op = op->kind;
        left = node;
        if (level == COMPARE && tw__csl_strength(p->at->kind) == COMPARE)
            tw__csl_syntax_error(p, p->at, "comparisons do not chain; write (a %s b) and (b %s c)",
                                 tw__csl_operator_text(op->kind), tw__csl_operator_text(p->at->kind));
    }
}

tw__csl_tree tw__csl_parse_expr(tw__csl_parser *p)
{
    tw__csl_enter(p);
    tw__csl_tree node = parse_binary(p, OR);
    tw__csl_leave(p);
    return node;
}

/* --- primaries ----------------------------------------------------------------------------------------------- */

static tw__csl_tree parse_number(tw__csl_parser *p)
{
    const tw__csl_token *token = p->at++;
    if (token->kind == TW__CSL_T_FLOAT) {
        tw__csl_node *node = tw__csl_make_leaf(p, TW__CSL_FLOAT, token);
        if (!tw__csl_real(p->ctx, token, &node->real)) node->real = 0;
        return node;
    }
    tw__csl_node *node = tw__csl_make_leaf(p, TW__CSL_INT, token);
    tw__u128 *value = TW__NEW(p->ctx->arena, tw__u128);
    if (!value) {
        tw__csl_no_memory(p->ctx);
        longjmp(*p->recover, 1);
    }
    tw__csl_integer(p->ctx, token, value); /* 0 after an error, which is reported: the text goes on behind it */
    node->integer = value;
    return node;
}

static tw__csl_tree parse_quoted(tw__csl_parser *p)
{
    const tw__csl_token *token = p->at++;
    char *text;
    uint32_t length;
    bool ok = tw__csl_string(p->ctx, token, &text, &length);
    tw__csl_node *node =
        tw__csl_make_leaf(p, token->kind == TW__CSL_T_STRING ? TW__CSL_STRING : TW__CSL_INT, token);
    if (node->kind == TW__CSL_STRING) {
        node->text = ok ? text : "";
        node->text_length = ok ? length : 0;
        return node;
    }
    static const tw__u128 zero = 0;
    tw__u128 *value = TW__NEW(p->ctx->arena, tw__u128);
    if (ok && length != 1) tw__csl_syntax_error(p, token, "a character is one byte; this has %u", length);
    if (ok && value) *value = (unsigned char)*text;
    node->integer = value ? value : &zero;
    node->flags = TW__CSL_F_CHAR;
    return node;
}

static tw__csl_tree parse_bool(tw__csl_parser *p)
{
    static const tw__u128 values[2] = { 0, 1 };
    const tw__csl_token *token = p->at++;
    tw__csl_node *node = tw__csl_make_leaf(p, TW__CSL_BOOL, token);
    node->integer = &values[token->kind == TW__CSL_T_TRUE];
    return node;
}

/* expr {"," expr} [","] up to and with `close` */
void tw__csl_parse_list(tw__csl_parser *p, tw__csl_token_kind close)
{
    while (!tw__csl_take(p, close)) {
        tw__csl_push(p, tw__csl_parse_expr(p));
        if (tw__csl_take(p, TW__CSL_T_COMMA)) continue;
        char where[48];
        snprintf(where, sizeof where, "or %s in this list", tw__csl_token_text(TW__CSL_T_COMMA));
        tw__csl_need(p, close, where);
        return;
    }
}

/* "." ident "=" expr */
static tw__csl_tree parse_field_init(tw__csl_parser *p)
{
    if (!tw__csl_is(p, TW__CSL_T_DOT)) tw__csl_syntax_expected(p, ".name = value as in the fields before");
    p->at++;
    const tw__csl_token *name = tw__csl_need_field_name(p, "a field's name behind '.'");
    tw__csl_need(p, TW__CSL_T_ASSIGN, "behind a field's name");
    size_t mark = p->count;
    tw__csl_push(p, tw__csl_parse_expr(p));
    tw__csl_node *node = tw__csl_make(p, TW__CSL_FIELD_INIT, name, mark);
    node->name = name->name;
    return node;
}

/* [ fields | args ] [","] "}" behind ".{" (type NULL) or "T{" */
static tw__csl_tree parse_init(tw__csl_parser *p, const tw__csl_token *blame, tw__csl_tree type)
{
    size_t mark = p->count;
    tw__csl_mark(p, blame, TW__CSL_R_LIST | (type ? TW__CSL_R_SUFFIX : 0));
    tw__csl_push(p, type);
    bool named = tw__csl_is(p, TW__CSL_T_DOT);
    if (!named) tw__csl_parse_list(p, TW__CSL_T_RBRACE);
    while (named && !tw__csl_take(p, TW__CSL_T_RBRACE)) {
        tw__csl_push(p, parse_field_init(p));
        if (tw__csl_take(p, TW__CSL_T_COMMA)) continue;
        tw__csl_need(p, TW__CSL_T_RBRACE, "or ',' behind a field");
        break;
    }
    tw__csl_node *node = tw__csl_make(p, TW__CSL_INIT, blame, mark);
    node->flags = named ? TW__CSL_F_NAMED : 0;
    return node;
}

/* What an if is worth, on either side of its else. */
static void push_branch(tw__csl_parser *p)
{
    if (!tw__csl_is(p, TW__CSL_T_LBRACE)) tw__csl_mark(p, p->at, TW__CSL_R_BODY);
    tw__csl_push(p, tw__csl_parse_expr(p));
}

/* "if" "(" expr ")" expr ["else" expr] */
static tw__csl_tree parse_if_expr(tw__csl_parser *p)
{
    const tw__csl_token *word = p->at++;
    size_t mark = p->count;
    tw__csl_need(p, TW__CSL_T_LPAREN, "behind if");
    tw__csl_push(p, tw__csl_parse_expr(p));
    tw__csl_need(p, TW__CSL_T_RPAREN, "behind the condition");
    push_branch(p);
    if (tw__csl_take(p, TW__CSL_T_ELSE))
        push_branch(p);
    else
        tw__csl_push(p, NULL);
    return tw__csl_make(p, TW__CSL_IF, word, mark);
}

/* prong = ( expr { "," expr } | "else" ) "=>" ( expr | block | simple ) ; */
static tw__csl_tree parse_prong(tw__csl_parser *p)
{
    const tw__csl_token *first = p->at;
    size_t mark = p->count;
    tw__csl_mark(p, first, TW__CSL_R_BODY);
    tw__csl_push(p, NULL); /* the body comes first in the node */
    bool other = tw__csl_take(p, TW__CSL_T_ELSE);
    while (!other) {
        tw__csl_push(p, tw__csl_parse_expr(p));
        if (!tw__csl_take(p, TW__CSL_T_COMMA) || tw__csl_is(p, TW__CSL_T_FAT_ARROW)) break;
    }
    tw__csl_need(p, TW__CSL_T_FAT_ARROW, "behind the cases");
    tw__csl_tree body = tw__csl_parse_prong_body(p);
    p->stack[mark] = body;
    tw__csl_node *node = tw__csl_make(p, TW__CSL_PRONG, first, mark);
    node->flags = other ? TW__CSL_F_ELSE : 0;
    return node;
}

/* switch_e = "switch" "(" expr ")" "{" prong { "," prong } [","] "}" ; */
static tw__csl_tree parse_switch(tw__csl_parser *p)
{
    const tw__csl_token *word = p->at++;
    size_t mark = p->count;
    tw__csl_need(p, TW__CSL_T_LPAREN, "behind switch");
    tw__csl_push(p, tw__csl_parse_expr(p));
    tw__csl_need(p, TW__CSL_T_RPAREN, "behind the value");
    tw__csl_mark(p, p->at, TW__CSL_R_LIST | TW__CSL_R_BLOCK);
    tw__csl_need(p, TW__CSL_T_LBRACE, "before the cases");
    while (!tw__csl_take(p, TW__CSL_T_RBRACE)) {
        tw__csl_push(p, parse_prong(p));
        if (tw__csl_take(p, TW__CSL_T_COMMA)) continue;
        tw__csl_need(p, TW__CSL_T_RBRACE, "or ',' behind a case");
        break;
    }
    return tw__csl_make(p, TW__CSL_SWITCH, word, mark);
}

/* base = ident { "." ident | ".*" } of a tensor access, then its indices */
static tw__csl_tree parse_access(tw__csl_parser *p)
{
    const tw__csl_token *name = tw__csl_need_name(p, "the array behind '->'");
    tw__csl_tree base = make_named(p, TW__CSL_NAME, name);
    while (tw__csl_is(p, TW__CSL_T_DOT) || tw__csl_is(p, TW__CSL_T_DOT_STAR)) {
        const tw__csl_token *dot = p->at++;
        size_t mark = p->count;
        tw__csl_push(p, base);
        if (dot->kind == TW__CSL_T_DOT_STAR) {
            base = tw__csl_make(p, TW__CSL_DEREF, dot, mark);
            continue;
        }
        const tw__csl_token *field = tw__csl_need_field_name(p, "a name behind '.'");
        tw__csl_node *node = tw__csl_make(p, TW__CSL_FIELD, field, mark);
        node->name = field->name;
        base = node;
    }
    tw__csl_mark(p, p->at, TW__CSL_R_SUFFIX);
    const tw__csl_token *open = tw__csl_need(p, TW__CSL_T_LBRACKET, "and indices behind the array");
    size_t mark = p->count;
    tw__csl_push(p, base);
    tw__csl_parse_list(p, TW__CSL_T_RBRACKET);
    if (p->count == mark + 1) tw__csl_syntax_error(p, open, "expected an index between '[' and ']'");
    return tw__csl_make(p, TW__CSL_INDEX, name, mark);
}

/* tensor_access = "|" ident {"," ident} "|" "{" expr {"," expr} "}" "->" base "[" expr {"," expr} "]" ; */
tw__csl_tree tw__csl_parse_tensor(tw__csl_parser *p)
{
    const tw__csl_token *bar = p->at++;
    size_t mark = p->count;
    tw__csl_mark(p, bar, TW__CSL_R_PREFIX);
    tw__csl_push(p, NULL); /* the access comes first in the node */
    do {
        tw__csl_push(p, make_named(p, TW__CSL_NAME, tw__csl_need_name(p, "an induction variable")));
    } while (tw__csl_take(p, TW__CSL_T_COMMA));
    size_t variables = p->count - mark - 1;
    tw__csl_mark(p, p->at, TW__CSL_R_SUFFIX);
    tw__csl_need(p, TW__CSL_T_PIPE, "behind the induction variables");
    if (variables > UINT16_MAX) tw__csl_syntax_error(p, bar, "too many induction variables");
    tw__csl_mark(p, p->at, TW__CSL_R_SUFFIX);
    tw__csl_need(p, TW__CSL_T_LBRACE, "and the lengths: |i|{10} -> array[i]");
    tw__csl_parse_list(p, TW__CSL_T_RBRACE);
    if (p->count == mark + 1 + variables)
        tw__csl_syntax_error(p, p->at - 1, "expected a length between '{' and '}': |i|{10} -> array[i]");
    tw__csl_need(p, TW__CSL_T_THIN_ARROW, "behind the lengths: |i|{10} -> array[i]");
    tw__csl_tree access = parse_access(p);
    p->stack[mark] = access;
    tw__csl_node *node = tw__csl_make(p, TW__CSL_TENSOR, bar, mark);
    node->aux = (uint16_t)variables;
    return node;
}

static tw__csl_tree parse_builtin(tw__csl_parser *p)
{
    const tw__csl_token *name = p->at++;
    tw__csl_need(p, TW__CSL_T_LPAREN, "and arguments behind a builtin");
    size_t mark = p->count;
    tw__csl_parse_list(p, TW__CSL_T_RPAREN);
    tw__csl_node *node = tw__csl_make(p, TW__CSL_BUILTIN, name, mark);
    node->name = name->name;
    return node;
}

static tw__csl_tree parse_primary(tw__csl_parser *p)
{
    const tw__csl_token *token = p->at;
    switch (token->kind) {
    case TW__CSL_T_INT:
    case TW__CSL_T_FLOAT: return parse_number(p);
    case TW__CSL_T_STRING:
    case TW__CSL_T_CHAR: return parse_quoted(p);
    case TW__CSL_T_TRUE:
    case TW__CSL_T_FALSE: return parse_bool(p);
    case TW__CSL_T_BUILTIN: return parse_builtin(p);
    case TW__CSL_T_DOT_LBRACE: p->at++; return parse_init(p, token, NULL);
    case TW__CSL_T_LBRACE: return tw__csl_parse_block(p, 0);
    case TW__CSL_T_IF: return parse_if_expr(p);
    case TW__CSL_T_SWITCH: return parse_switch(p);
    case TW__CSL_T_PIPE: return tw__csl_parse_tensor(p);
    case TW__CSL_T_ASM: tw__csl_no_assembly(p);
    case TW__CSL_T_LPAREN: {
        p->at++;
        tw__csl_tree inner = tw__csl_parse_expr(p);
        tw__csl_need(p, TW__CSL_T_RPAREN, "to close '('");
        return inner;
    }
    case TW__CSL_T_IDENT:
        if (token[1].kind == TW__CSL_T_COLON && token[2].kind == TW__CSL_T_LBRACE) {
            p->at += 2;
            return tw__csl_parse_block(p, token->name);
        }
        p->at++;
        return make_named(p, TW__CSL_NAME, token);
    default: {
        tw__csl_tree type = tw__csl_parse_type_primary(p);
        if (!type) tw__csl_syntax_expected(p, "an expression");
        return type;
    }
    }
}

/* --- what stands behind or before an operand ------------------------------------------------------------------- */

/* May T{...} begin with this? Names, their fields and calls, array types, reserved names, struct types. */
static bool may_be_type(tw__csl_tree node)
{
    switch (node->kind) {
    case TW__CSL_NAME:
    case TW__CSL_FIELD:
    case TW__CSL_CALL:
    case TW__CSL_BUILTIN:
    case TW__CSL_TYPE_NAME:
    case TW__CSL_ARRAY:
    case TW__CSL_STRUCT:
    case TW__CSL_UNION: return true;
    default: return false;
    }
}

/* One of "." ident | ".*" | "[" list "]" | "(" args ")" | "{" init "}" behind `object`; NULL = none of them. */
static tw__csl_tree parse_postfix(tw__csl_parser *p, tw__csl_tree object)
{
    const tw__csl_token *op = p->at;
    size_t mark = p->count;
    if (tw__csl_take(p, TW__CSL_T_DOT)) {
        const tw__csl_token *name = tw__csl_need_field_name(p, "a name behind '.'");
        tw__csl_push(p, object);
        tw__csl_node *node = tw__csl_make(p, TW__CSL_FIELD, name, mark);
        node->name = name->name;
        return node;
    }
    if (op->kind == TW__CSL_T_LBRACE) {
        if (!may_be_type(object)) return NULL;
        p->at++;
        return parse_init(p, op, object);
    }
    if (op->kind != TW__CSL_T_DOT_STAR && op->kind != TW__CSL_T_LBRACKET && op->kind != TW__CSL_T_LPAREN)
        return NULL;
    p->at++;
    tw__csl_mark(p, op, TW__CSL_R_SUFFIX);
    tw__csl_push(p, object);
    if (op->kind == TW__CSL_T_DOT_STAR) return tw__csl_make(p, TW__CSL_DEREF, op, mark);
    tw__csl_parse_list(p, op->kind == TW__CSL_T_LBRACKET ? TW__CSL_T_RBRACKET : TW__CSL_T_RPAREN);
    if (op->kind == TW__CSL_T_LPAREN) return tw__csl_make(p, TW__CSL_CALL, op, mark);
    if (p->count == mark + 1) tw__csl_syntax_error(p, op, "expected an index between '[' and ']'");
    return tw__csl_make(p, TW__CSL_INDEX, op, mark);
}

/* un_e = { "-" | "!" | "~" | "&" | "comptime" } post_e ; */
static tw__csl_tree parse_unary(tw__csl_parser *p)
{
    const tw__csl_token *op = p->at;
    if (op->kind == TW__CSL_T_MINUS || op->kind == TW__CSL_T_BANG || op->kind == TW__CSL_T_TILDE ||
        op->kind == TW__CSL_T_AMPERSAND || op->kind == TW__CSL_T_COMPTIME) {
        p->at++;
        if (op->kind != TW__CSL_T_COMPTIME) tw__csl_mark(p, op, TW__CSL_R_PREFIX);
        tw__csl_enter(p);
        size_t mark = p->count;
        tw__csl_push(p, parse_unary(p));
        tw__csl_leave(p);
        bool comptime = op->kind == TW__CSL_T_COMPTIME;
        tw__csl_node *node = tw__csl_make(p, comptime ? TW__CSL_COMPTIME_OF : TW__CSL_UNARY, op, mark);
        node->op = comptime ? 0 : op->kind;
        return node;
    }
    if (op->kind == TW__CSL_T_PLUS) no_increment(p, op, NULL);
    tw__csl_tree node = parse_primary(p);
    for (tw__csl_tree next; (next = parse_postfix(p, node));) node = next;
    return node;
}
