/* SPDX-License-Identifier: MIT */
/* Texts of expressions to nodes, and their types. */
#include "poplar/libs/popops/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const tw__expr_op tw__expr_ops[] = {
#define ROW(name, number, call, class, code, symbol, types, result, real, integer) \
    { #name, symbol, types, real, integer, result, 1 },
    TW_EXPR_UNARY(ROW)
#undef ROW
#define ROW(name, number, call, class, code, symbol, types, result, real, integer) \
    { #name, symbol, types, real, integer, result, 2 },
        TW_EXPR_BINARY(ROW)
#undef ROW
#define ROW(name, number, call, class, code, symbol, types, result, real, integer) \
    { #name, symbol, types, real, integer, result, 3 },
            TW_EXPR_TERNARY(ROW)
#undef ROW
};
const size_t tw__expr_op_count = sizeof tw__expr_ops / sizeof *tw__expr_ops;

/* Types as expressions have them, with the letter of the table and the suffix of numbers. */
static const struct {
    tw_type type;
    char letter, suffix;
    const char *name, *c;
} expr_types[] = {
    { TW_FLOAT, 'f', 'f', "float", "float" },
    { TW_HALF, 'f', 'h', "half", "half" },
    { TW_INT, 'i', 'i', "int", "int" },
    { TW_UNSIGNED_INT, 'u', 'u', "unsigned int", "unsigned" },
    { TW_I16, 's', 0, "short", "short" },
    { TW_U16, 's', 0, "unsigned short", "unsigned short" },
    { TW_BOOL, 'b', 0, "bool", "bool" },
    { TW_I8, 'c', 0, "char", "signed char" },
    { TW_U8, 'c', 0, "unsigned char", "unsigned char" },
};

static int type_row(tw_type type)
{
    for (size_t i = 0; i < G_N_ELEMENTS(expr_types); i++)
        if (expr_types[i].type == type) return (int)i;
    return -1;
}

const char *tw__expr_type_name(tw_type type)
{
    int row = type_row(type);
    return row < 0 ? tw_type_name(type, TW_SYSTEM_POPLAR) : expr_types[row].name;
}

const char *tw__expr_c_type(tw_type type)
{
    int row = type_row(type);
    return row < 0 ? NULL : expr_types[row].c;
}

/* --- parsing -------------------------------------------------------------------------------------------------- */

typedef struct reader {
    tw__expr *expr;
    const char *text, *at;
    int depth;
} reader;

static int parse_fail(reader *r, const char *what)
{
    if (!r->expr->problem[0])
        snprintf(r->expr->problem, sizeof r->expr->problem, "'%.120s': %.100s at character %zu", r->text, what,
                 (size_t)(r->at - r->text) + 1);
    return -1;
}

static void blanks(reader *r)
{
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool expr_take(reader *r, const char *token)
{
    blanks(r);
    size_t n = strlen(token);
    if (strncmp(r->at, token, n) != 0) return false;
    r->at += n;
    return true;
}

static int add_node(reader *r, const tw__expr_node *node)
{
    if (r->expr->count == TW__EXPR_NODES) return parse_fail(r, "more operations than an expression can have");
    r->expr->node[r->expr->count] = *node;
    return r->expr->count++;
}

static int add_op(reader *r, const tw__expr_op *op, const int *child)
{
    tw__expr_node node = { .kind = TW__EXPR_OP, .op = op, .child = { child[0], child[1], child[2] } };
    for (unsigned i = 0; i < op->arity; i++)
        if (child[i] < 0) return -1;
    r->expr->ops++;
    return add_node(r, &node);
}

static int parse_level(reader *r, unsigned level);

static int parse_number(reader *r)
{
    char *end;
    tw__expr_node node = { .kind = TW__EXPR_NUMBER, .value = strtod(r->at, &end) };
    node.is_real = memchr(r->at, '.', (size_t)(end - r->at)) || !isfinite(node.value) ||
                   (r->at[1] != 'x' && memchr(r->at, 'e', (size_t)(end - r->at)));
    r->at = end;
    for (size_t i = 0; i < G_N_ELEMENTS(expr_types); i++)
        if (expr_types[i].suffix && *r->at == expr_types[i].suffix) {
            node.stated = expr_types[i].type, r->at++;
            break;
        }
    if (isalnum((unsigned char)*r->at) || *r->at == '_') return parse_fail(r, "syntax error");
    return add_node(r, &node);
}

static int parse_cast(reader *r)
{
    tw__expr_node node = { .kind = TW__EXPR_CAST };
    node.child[0] = parse_level(r, 0);
    if (node.child[0] < 0) return -1;
    if (!expr_take(r, ",")) return parse_fail(r, "expected ',' and a type");
    blanks(r);
    size_t length = strcspn(r->at, ")");
    for (size_t i = 0; i < G_N_ELEMENTS(expr_types); i++)
        if (strlen(expr_types[i].name) == length && strncmp(r->at, expr_types[i].name, length) == 0)
            node.stated = expr_types[i].type;
    if (node.stated == TW_TYPE_NONE) return parse_fail(r, "no type of elements");
    r->at += length;
    if (!expr_take(r, ")")) return parse_fail(r, "expected ')'");
    r->expr->ops++;
    return add_node(r, &node);
}

static int parse_call(reader *r, const char *name, size_t length)
{
    const tw__expr_op *op = NULL;
    for (size_t i = 0; i < tw__expr_op_count; i++)
        if (strlen(tw__expr_ops[i].name) == length && strncmp(name, tw__expr_ops[i].name, length) == 0)
            op = &tw__expr_ops[i];
    if (!op) return r->at = name, parse_fail(r, "no operation of that name");
    int child[3] = { -1, -1, -1 };
    for (unsigned i = 0; i < op->arity; i++) {
        if (i && !expr_take(r, ",")) return parse_fail(r, "expected ','");
        if ((child[i] = parse_level(r, 0)) < 0) return -1;
    }
    if (!expr_take(r, ")")) return parse_fail(r, "expected ')'");
    return add_op(r, op, child);
}

static int parse_word(reader *r)
{
    const char *name = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_') r->at++;
    size_t length = (size_t)(r->at - name);
    if (*name == '_' && length > 1 && strspn(name + 1, "0123456789") >= length - 1) {
        long number = strtol(name + 1, NULL, 10);
        if (number < 1 || number > TW__EXPR_TENSORS) return r->at = name, parse_fail(r, "tensors are _1 to _20");
        if ((unsigned)number > r->expr->tensors) r->expr->tensors = (unsigned)number;
        return add_node(r, &(tw__expr_node){ .kind = TW__EXPR_TENSOR, .tensor = (unsigned)number - 1 });
    }
    if (length == 4 && strncmp(name, "true", 4) == 0)
        return add_node(r, &(tw__expr_node){ .kind = TW__EXPR_NUMBER, .value = 1, .stated = TW_BOOL });
    if (length == 5 && strncmp(name, "false", 5) == 0)
        return add_node(r, &(tw__expr_node){ .kind = TW__EXPR_NUMBER, .stated = TW_BOOL });
    if ((length == 3 && strncmp(name, "inf", 3) == 0) || (length == 3 && strncmp(name, "nan", 3) == 0))
        return r->at = name, parse_number(r);
    if (!expr_take(r, "(")) return r->at = name, parse_fail(r, "expected a tensor, a number or a function");
    return length == 4 && strncmp(name, "cast", 4) == 0 ? parse_cast(r) : parse_call(r, name, length);
}

static int parse_unary(reader *r)
{
    blanks(r);
    for (size_t i = 0; i < tw__expr_op_count; i++) {
        const tw__expr_op *op = &tw__expr_ops[i];
        if (op->arity != 1 || !op->symbol[0] || *r->at != op->symbol[0]) continue;
        r->at++;
        if (++r->depth > TW__EXPR_NODES) return parse_fail(r, "nested too deeply");
        int child[3] = { parse_unary(r), -1, -1 };
        r->depth--;
        tw__expr_node *number = child[0] < 0 ? NULL : &r->expr->node[child[0]];
        if (op->symbol[0] == '-' && number && number->kind == TW__EXPR_NUMBER)
            return number->value = -number->value, child[0];
        return add_op(r, op, child);
    }
    if (expr_take(r, "(")) {
        int inner = parse_level(r, 0);
        if (inner >= 0 && !expr_take(r, ")")) return parse_fail(r, "expected ')'");
        return inner;
    }
    if (isdigit((unsigned char)*r->at) || *r->at == '.') return parse_number(r);
    if (isalpha((unsigned char)*r->at) || *r->at == '_') return parse_word(r);
    return parse_fail(r, *r->at ? "syntax error" : "something is missing");
}

/* Operators of two operands, loosest first: those of one level group from the left. Longer ones come before their
 * beginnings. */
static const char *const levels[][4] = {
    { "||" },       { "&&" },     { "|" },           { "^" }, { "&" }, { "==", "!=" }, { ">=", "<=", ">", "<" },
    { "<<", ">>" }, { "+", "-" }, { "*", "/", "%" },
};

/* The operator of this level that comes next. */
static const tw__expr_op *take_operator(reader *r, unsigned level)
{
    blanks(r);
    for (unsigned k = 0; k < 4 && levels[level][k]; k++) {
        const char *symbol = levels[level][k];
        size_t n = strlen(symbol);
        if (strncmp(r->at, symbol, n) != 0) continue;
        /* part of a longer one: '<' of '<<', '|' of '||' */
        if (n == 1 && strchr("<>|&", *symbol) && r->at[1] == *symbol) continue;
        r->at += n;
        for (size_t i = 0; i < tw__expr_op_count; i++)
            if (tw__expr_ops[i].arity == 2 && strcmp(tw__expr_ops[i].symbol, symbol) == 0) return &tw__expr_ops[i];
    }
    return NULL;
}

static int parse_level(reader *r, unsigned level)
{
    if (level == G_N_ELEMENTS(levels)) return parse_unary(r);
    if (++r->depth > 16 * TW__EXPR_NODES) return parse_fail(r, "nested too deeply");
    int left = parse_level(r, level + 1);
    while (left >= 0) {
        const tw__expr_op *op = take_operator(r, level);
        if (!op) break;
        int right = parse_level(r, level + 1);
        left = right < 0 ? -1 : add_op(r, op, (int[]){ left, right, -1 });
    }
    r->depth--;
    return left;
}

bool tw__expr_parse(tw__expr *expr, const char *text)
{
    memset(expr, 0, sizeof *expr);
    reader r = { expr, text ? text : "", text ? text : "", 0 };
    int root = parse_level(&r, 0);
    if (root >= 0 && (blanks(&r), *r.at)) root = parse_fail(&r, "syntax error");
    return root >= 0;
}

/* --- types ---------------------------------------------------------------------------------------------------- */

static bool type_fail(tw__expr *e, const char *format, const char *a, const char *b, const char *c)
{
    snprintf(e->problem, sizeof e->problem, format, a, b, c);
    return false;
}

static bool letter_fits(const tw__expr_op *op, tw_type type)
{
    int row = type_row(type);
    return row >= 0 && strchr(op->types, expr_types[row].letter);
}

/* Gives numbers below an untyped node the type that its neighbour has. */
static bool push_type(tw__expr *e, int at, tw_type type)
{
    tw__expr_node *n = &e->node[at];
    if (n->type != TW_TYPE_NONE) return true;
    n->type = type;
    if (n->kind == TW__EXPR_NUMBER) {
        int row = type_row(type);
        bool real = row >= 0 && expr_types[row].letter == 'f';
        if (!real && n->is_real && (!isfinite(n->value) || n->value != floor(n->value)))
            return type_fail(e, "a number with a fraction among elements of type %s%s%s", tw__expr_type_name(type),
                             "", "");
        return true;
    }
    for (unsigned i = 0; i < n->op->arity; i++)
        if (!push_type(e, n->child[i], type)) return false;
    return letter_fits(n->op, type) ||
           type_fail(e, "operands of '%s' cannot be %s%s", n->op->name, tw__expr_type_name(type), "");
}

static bool infer_op(tw__expr *e, tw__expr_node *n)
{
    bool select = strcmp(n->op->name, "select") == 0;
    unsigned alike = select ? 2 : n->op->arity;
    tw_type type = TW_TYPE_NONE;
    for (unsigned i = 0; i < alike; i++) {
        tw_type own = e->node[n->child[i]].type;
        if (own == TW_TYPE_NONE) continue;
        if (type != TW_TYPE_NONE && own != type)
            return type_fail(e, "operands of '%s' are %s and %s", n->op->name, tw__expr_type_name(type),
                             tw__expr_type_name(own));
        type = own;
    }
    if (select) {
        tw__expr_node *condition = &e->node[n->child[2]];
        if (condition->type == TW_TYPE_NONE && !push_type(e, n->child[2], TW_BOOL)) return false;
        if (condition->type != TW_BOOL)
            return type_fail(e, "the condition of 'select' is %s, not bool%s%s",
                             tw__expr_type_name(condition->type), "", "");
    }
    if (type == TW_TYPE_NONE) { /* numbers alone: a neighbour outside may have a type */
        n->type = n->op->result == 'b' ? TW_BOOL : TW_TYPE_NONE;
        return n->op->result != 'b' || type_fail(e, "the numbers of '%s' have no type%s%s", n->op->name, "", "");
    }
    for (unsigned i = 0; i < alike; i++)
        if (!push_type(e, n->child[i], type)) return false;
    if (!letter_fits(n->op, type))
        return type_fail(e, "operands of '%s' cannot be %s%s", n->op->name, tw__expr_type_name(type), "");
    n->type = n->op->result == 'b' ? TW_BOOL : type;
    return true;
}

bool tw__expr_infer(tw__expr *e, const tw_type *types, unsigned count)
{
    if (e->tensors > count) {
        snprintf(e->problem, sizeof e->problem, "the expression names _%u, there are %u tensors", e->tensors,
                 count);
        return false;
    }
    for (int i = 0; i < e->count; i++) {
        tw__expr_node *n = &e->node[i];
        switch (n->kind) {
        case TW__EXPR_TENSOR:
            n->type = types[n->tensor];
            if (type_row(n->type) < 0)
                return type_fail(e, "elements of type %s%s%s", tw__expr_type_name(n->type), "", "");
            break;
        case TW__EXPR_NUMBER: n->type = n->stated; break;
        case TW__EXPR_CAST:
            if (e->node[n->child[0]].type == TW_TYPE_NONE)
                return type_fail(e, "what is cast to %s has no type%s%s", tw__expr_type_name(n->stated), "", "");
            n->type = n->stated;
            break;
        case TW__EXPR_OP:
            if (!infer_op(e, n)) return false;
            break;
        }
    }
    return e->node[e->count - 1].type != TW_TYPE_NONE ||
           type_fail(e, "nothing in the expression has a type%s%s%s", "", "", "");
}

/* --- text ----------------------------------------------------------------------------------------------------- */

void tw__expr_canonical(const tw__expr *e, int at, GString *out)
{
    const tw__expr_node *n = &e->node[at];
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    switch (n->kind) {
    case TW__EXPR_TENSOR: g_string_append_printf(out, "_%u", n->tensor + 1); return;
    case TW__EXPR_NUMBER: g_string_append(out, g_ascii_formatd(number, sizeof number, "%.17g", n->value)); break;
    case TW__EXPR_CAST:
    case TW__EXPR_OP:
        g_string_append_printf(out, "%s(", n->op ? n->op->name : "cast");
        for (unsigned i = 0; i < (n->op ? n->op->arity : 1); i++) {
            if (i) g_string_append_c(out, ',');
            tw__expr_canonical(e, n->child[i], out);
        }
        g_string_append_printf(out, n->op ? ")" : ",%s)", tw__expr_type_name(n->stated));
        return;
    }
    if (n->stated == TW_TYPE_NONE) return;
    int row = type_row(n->stated);
    if (expr_types[row].suffix) g_string_append_c(out, expr_types[row].suffix);
    if (n->stated == TW_BOOL) g_string_append_c(out, 'b');
}

char *tw_popops_expression_text(const char *expression)
{
    tw__expr *e = g_new(tw__expr, 1);
    char *text = NULL;
    if (tw__expr_parse(e, expression)) {
        g_autoptr(GString) out = g_string_new(NULL);
        tw__expr_canonical(e, e->count - 1, out);
        text = strdup(out->str);
        if (!text) tw_error_set(TW_E_NO_MEMORY, "out of host memory");
    } else {
        tw_error_set(TW_E_POPLIBS, "%s", e->problem);
    }
    g_free(e);
    return text;
}
