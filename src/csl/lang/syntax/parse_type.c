/* SPDX-License-Identifier: MIT */
/* Types. In a type's place (behind ':', as element, as result) no '{' of a literal follows, so that a function's
 * body does not look like one; elsewhere a type is an expression like any other. */
#include "csl/lang/syntax/parser.h"

static tw__csl_node *make_named(tw__csl_parser *p, tw__csl_kind kind, const tw__csl_token *token)
{
    tw__csl_node *node = tw__csl_make_leaf(p, kind, token);
    node->name = token->name;
    return node;
}

/* "*" ["const"] type | "[" "*" "]" ["const"] type, the pointer sign passed */
static tw__csl_tree parse_pointee(tw__csl_parser *p, tw__csl_kind kind, const tw__csl_token *blame)
{
    bool constant = tw__csl_take(p, TW__CSL_T_CONST);
    tw__csl_mark(p, blame, TW__CSL_R_PREFIX);
    size_t mark = p->count;
    tw__csl_push(p, tw__csl_parse_type(p));
    tw__csl_node *node = tw__csl_make(p, kind, blame, mark);
    node->flags = constant ? TW__CSL_F_CONST : 0;
    return node;
}

/* "[" "*" "]" ... | "[" expr {"," expr} "]" type */
static tw__csl_tree parse_bracket(tw__csl_parser *p)
{
    const tw__csl_token *open = p->at++;
    if (tw__csl_is(p, TW__CSL_T_STAR) && p->at[1].kind == TW__CSL_T_RBRACKET) {
        tw__csl_mark(p, p->at, TW__CSL_R_PREFIX);
        p->at += 2;
        return parse_pointee(p, TW__CSL_MANY_POINTER, open);
    }
    size_t mark = p->count;
    tw__csl_push(p, NULL); /* the element comes first in the node */
    tw__csl_parse_list(p, TW__CSL_T_RBRACKET);
    if (p->count == mark + 1) tw__csl_syntax_error(p, open, "an array type needs a length: [10]f32");
    tw__csl_tree element = tw__csl_parse_type(p);
    p->stack[mark] = element;
    return tw__csl_make(p, TW__CSL_ARRAY, open, mark);
}

/* fparam = ["comptime"] [ident ":"] ( type | "anytype" ) ; */
static tw__csl_tree parse_fparam(tw__csl_parser *p)
{
    const tw__csl_token *first = p->at;
    bool comptime = tw__csl_take(p, TW__CSL_T_COMPTIME);
    const tw__csl_token *blame = p->at;
    tw__csl_name name = 0;
    if (tw__csl_is(p, TW__CSL_T_IDENT) && p->at[1].kind == TW__CSL_T_COLON) {
        name = p->at->name;
        p->at += 2;
    } else if (p->at[1].kind == TW__CSL_T_COLON) {
        tw__csl_need_name(p, "a parameter's name");
    }
    size_t mark = p->count;
    tw__csl_push(p, tw__csl_take(p, TW__CSL_T_ANYTYPE) ? NULL : tw__csl_parse_type(p));
    tw__csl_node *node = tw__csl_make(p, TW__CSL_FPARAM, name ? blame : first, mark);
    node->flags = comptime ? TW__CSL_F_COMPTIME : 0;
    node->name = name;
    return node;
}

/* "(" [ fparam { "," fparam } [","] ] ")" */
void tw__csl_parse_fparams(tw__csl_parser *p)
{
    tw__csl_need(p, TW__CSL_T_LPAREN, "before the parameters");
    while (!tw__csl_take(p, TW__CSL_T_RPAREN)) {
        tw__csl_push(p, parse_fparam(p));
        if (tw__csl_take(p, TW__CSL_T_COMMA)) continue;
        tw__csl_need(p, TW__CSL_T_RPAREN, "or ',' behind a parameter");
        return;
    }
}

/* "fn" "(" [ftypes] ")" type | "task" "(" [ftypes] ")" type */
static tw__csl_tree parse_fn_type(tw__csl_parser *p)
{
    const tw__csl_token *word = p->at++;
    size_t mark = p->count;
    tw__csl_push(p, NULL); /* the result comes first in the node */
    tw__csl_parse_fparams(p);
    tw__csl_tree result = tw__csl_parse_type(p);
    p->stack[mark] = result;
    tw__csl_node *node = tw__csl_make(p, TW__CSL_FN_TYPE, word, mark);
    node->op = word->kind;
    return node;
}

/* ident ":" type ["=" expr] */
static tw__csl_tree parse_member(tw__csl_parser *p)
{
    if (tw__csl_is(p, TW__CSL_T_FN) || tw__csl_is(p, TW__CSL_T_CONST) || tw__csl_is(p, TW__CSL_T_VAR))
        tw__csl_syntax_error(p, p->at, "a struct holds fields only: name: type");
    const tw__csl_token *name = tw__csl_need_field_name(p, "a field's name");
    tw__csl_need(p, TW__CSL_T_COLON, "and a type behind a field's name");
    size_t mark = p->count;
    tw__csl_push(p, tw__csl_parse_type(p));
    tw__csl_push(p, tw__csl_take(p, TW__CSL_T_ASSIGN) ? tw__csl_parse_expr(p) : NULL);
    tw__csl_node *node = tw__csl_make(p, TW__CSL_MEMBER, name, mark);
    node->name = name->name;
    return node;
}

/* ["extern" | "packed"] ("struct" | "union") "{" members "}" */
static tw__csl_tree parse_struct(tw__csl_parser *p)
{
    unsigned flags = tw__csl_take(p, TW__CSL_T_EXTERN)   ? TW__CSL_F_EXTERN
                     : tw__csl_take(p, TW__CSL_T_PACKED) ? TW__CSL_F_PACKED
                                                         : 0;
    if (!tw__csl_is(p, TW__CSL_T_STRUCT) && !tw__csl_is(p, TW__CSL_T_UNION))
        tw__csl_syntax_expected(p, "struct or union");
    const tw__csl_token *word = p->at++;
    tw__csl_mark(p, p->at, TW__CSL_R_LIST);
    tw__csl_need(p, TW__CSL_T_LBRACE, "before the fields");
    size_t mark = p->count;
    while (!tw__csl_take(p, TW__CSL_T_RBRACE)) {
        tw__csl_push(p, parse_member(p));
        if (tw__csl_take(p, TW__CSL_T_COMMA)) continue;
        tw__csl_need(p, TW__CSL_T_RBRACE, "or ',' behind a field");
        break;
    }
    tw__csl_node *node =
        tw__csl_make(p, word->kind == TW__CSL_T_STRUCT ? TW__CSL_STRUCT : TW__CSL_UNION, word, mark);
    node->flags = (uint16_t)flags;
    return node;
}

/* "enum" ["(" type ")"] "{" ident ["=" expr] {"," ...} [","] "}" */
static tw__csl_tree parse_enum(tw__csl_parser *p)
{
    const tw__csl_token *word = p->at++;
    size_t mark = p->count;
    tw__csl_push(p, NULL);
    if (tw__csl_take(p, TW__CSL_T_LPAREN)) {
        tw__csl_tree base = tw__csl_parse_type(p);
        p->stack[mark] = base;
        tw__csl_need(p, TW__CSL_T_RPAREN, "behind the enum's type");
    }
    tw__csl_mark(p, p->at, TW__CSL_R_LIST);
    tw__csl_need(p, TW__CSL_T_LBRACE, "before the enum's names");
    while (!tw__csl_take(p, TW__CSL_T_RBRACE)) {
        const tw__csl_token *name = tw__csl_need_field_name(p, "a name of the enum");
        size_t inner = p->count;
        tw__csl_push(p, tw__csl_take(p, TW__CSL_T_ASSIGN) ? tw__csl_parse_expr(p) : NULL);
        tw__csl_node *enumerator = tw__csl_make(p, TW__CSL_ENUMERATOR, name, inner);
        enumerator->name = name->name;
        tw__csl_push(p, enumerator);
        if (tw__csl_take(p, TW__CSL_T_COMMA)) continue;
        tw__csl_need(p, TW__CSL_T_RBRACE, "or ',' behind a name");
        break;
    }
    return tw__csl_make(p, TW__CSL_ENUM, word, mark);
}

tw__csl_tree tw__csl_parse_type_primary(tw__csl_parser *p)
{
    const tw__csl_token *token = p->at;
    switch (token->kind) {
    case TW__CSL_T_TYPE_NAME: p->at++; return make_named(p, TW__CSL_TYPE_NAME, token);
    case TW__CSL_T_STAR: p->at++; return parse_pointee(p, TW__CSL_POINTER, token);
    case TW__CSL_T_LBRACKET: return parse_bracket(p);
    case TW__CSL_T_CONST: /* a pointer's target is written "*const fn"; some programs leave out the star */
        if (token[1].kind != TW__CSL_T_FN) return NULL;
        p->at++;
        return parse_fn_type(p);
    case TW__CSL_T_FN:
    case TW__CSL_T_TASK: return parse_fn_type(p);
    case TW__CSL_T_EXTERN:
    case TW__CSL_T_PACKED:
    case TW__CSL_T_STRUCT:
    case TW__CSL_T_UNION: return parse_struct(p);
    case TW__CSL_T_ENUM: return parse_enum(p);
    default: return NULL;
    }
}

/* A name, builtin or parenthesis with .name and (arguments) behind it. */
static tw__csl_tree parse_named_type(tw__csl_parser *p)
{
    const tw__csl_token *token = p->at;
    tw__csl_tree type;
    size_t mark = p->count;
    if (tw__csl_take(p, TW__CSL_T_BUILTIN)) {
        tw__csl_need(p, TW__CSL_T_LPAREN, "and arguments behind a builtin");
        tw__csl_parse_list(p, TW__CSL_T_RPAREN);
        tw__csl_node *node = tw__csl_make(p, TW__CSL_BUILTIN, token, mark);
        node->name = token->name;
        type = node;
    } else if (tw__csl_take(p, TW__CSL_T_LPAREN)) {
        type = tw__csl_parse_expr(p);
        tw__csl_need(p, TW__CSL_T_RPAREN, "to close '('");
    } else if (tw__csl_is(p, TW__CSL_T_IF) || tw__csl_is(p, TW__CSL_T_SWITCH)) {
        type = tw__csl_parse_expr(p);
    } else {
        if (!tw__csl_is(p, TW__CSL_T_IDENT)) tw__csl_syntax_expected(p, "a type");
        p->at++;
        type = make_named(p, TW__CSL_NAME, token);
    }
    for (;;) {
        const tw__csl_token *op = p->at;
        if (tw__csl_take(p, TW__CSL_T_DOT)) {
            const tw__csl_token *name = tw__csl_need_field_name(p, "a name behind '.'");
            tw__csl_push(p, type);
            tw__csl_node *node = tw__csl_make(p, TW__CSL_FIELD, name, mark);
            node->name = name->name;
            type = node;
        } else if (tw__csl_take(p, TW__CSL_T_LPAREN)) {
            tw__csl_mark(p, op, TW__CSL_R_SUFFIX);
            tw__csl_push(p, type);
            tw__csl_parse_list(p, TW__CSL_T_RPAREN);
            type = tw__csl_make(p, TW__CSL_CALL, op, mark);
        } else {
            return type;
        }
    }
}

tw__csl_tree tw__csl_parse_type(tw__csl_parser *p)
{
    tw__csl_enter(p);
    tw__csl_tree type = tw__csl_parse_type_primary(p);
    if (!type) type = parse_named_type(p);
    tw__csl_leave(p);
    return type;
}
