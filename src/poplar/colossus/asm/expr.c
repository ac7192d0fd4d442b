/* SPDX-License-Identifier: MIT */
/* Expressions, with the precedence of GNU as: unary ~ - + ! ; * / % << >> ; | ^ & ; + - ; comparisons ; && ; ||.
 * A comparison that holds is -1. */
#include "poplar/colossus/asm/asm.h"

#include <ctype.h>
#include <string.h>

enum { MAX_NESTING = 100, MAX_TREE = 200, MAX_STEPS = 100000 };
enum {
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_SHL,
    OP_SHR,
    OP_OR,
    OP_XOR,
    OP_AND,
    OP_ADD,
    OP_SUB,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_ANDAND,
    OP_OROR,
    OP_NOT
};

static const struct {
    const char *text;
    int op, binds;
} operators[] = { /* longer ones first */
                  { "<<", OP_SHL, 6 },  { ">>", OP_SHR, 6 }, { "==", OP_EQ, 3 }, { "!=", OP_NE, 3 },
                  { "<>", OP_NE, 3 },   { "<=", OP_LE, 3 },  { ">=", OP_GE, 3 }, { "&&", OP_ANDAND, 2 },
                  { "||", OP_OROR, 1 }, { "*", OP_MUL, 6 },  { "/", OP_DIV, 6 }, { "%", OP_MOD, 6 },
                  { "|", OP_OR, 5 },    { "^", OP_XOR, 5 },  { "&", OP_AND, 5 }, { "+", OP_ADD, 4 },
                  { "-", OP_SUB, 4 },   { "<", OP_LT, 3 },   { ">", OP_GT, 3 }
};

value tw__asm_constant(int64_t number)
{
    return (value){ .kind = V_CONST, .number = number };
}

/* --- arithmetic ----------------------------------------------------------------------------------------------- */

static int64_t calculate(int op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case OP_MUL: return (int64_t)(x * y);
    case OP_DIV: return b == -1 ? (int64_t)(0 - x) : a / b;
    case OP_MOD: return b == -1 ? 0 : a % b;
    case OP_SHL: return y < 64 ? (int64_t)(x << y) : 0;
    case OP_SHR: return y < 64 ? (int64_t)(x >> y) : 0;
    case OP_OR: return a | b;
    case OP_XOR: return a ^ b;
    case OP_AND: return a & b;
    case OP_ADD: return (int64_t)(x + y);
    case OP_SUB: return (int64_t)(x - y);
    case OP_EQ: return -(int64_t)(a == b);
    case OP_NE: return -(int64_t)(a != b);
    case OP_LT: return -(int64_t)(a < b);
    case OP_LE: return -(int64_t)(a <= b);
    case OP_GT: return -(int64_t)(a > b);
    case OP_GE: return -(int64_t)(a >= b);
    case OP_ANDAND: return a && b;
    case OP_OROR: return a || b;
    default: return ~a;
    }
}

int64_t tw__asm_wrap_add(int64_t a, int64_t b)
{
    return calculate(OP_ADD, a, b);
}

static bool is_placed(const tw__asm *as, int symbol)
{
    return as->object->symbols[symbol].section >= 0 || as->object->symbols[symbol].section == TW_SECTION_ABSOLUTE;
}

/* Folds what can be folded now: constants, symbol +- constant, difference of two labels of one section. */
static bool expr_fold(const tw__asm *as, int op, value a, value b, value *out)
{
    *out = (value){ .kind = V_CONST,
                    .symbolic = a.symbolic || b.symbolic,
                    .modifier = (uint8_t)(a.modifier | b.modifier) };
    if (a.kind == V_CONST && b.kind == V_CONST) {
        out->number = calculate(op, a.number, b.number);
        return true;
    }
    if (a.kind == V_SYMBOL && b.kind == V_CONST && (op == OP_ADD || op == OP_SUB)) {
        *out = a, out->number = calculate(op, a.number, b.number);
        return true;
    }
    if (a.kind == V_CONST && b.kind == V_SYMBOL && op == OP_ADD) {
        *out = b, out->number = calculate(op, a.number, b.number);
        return true;
    }
    if (a.kind == V_SYMBOL && b.kind == V_SYMBOL && (op >= OP_SUB && op <= OP_GE)) {
        const tw_symbol *x = &as->object->symbols[a.symbol], *y = &as->object->symbols[b.symbol];
        bool same = a.symbol == b.symbol ||
                    (is_placed(as, a.symbol) && is_placed(as, b.symbol) && x->section == y->section);
        if (!same) return false;
        out->number = calculate(op, tw__asm_wrap_add(x->value, a.number), tw__asm_wrap_add(y->value, b.number));
        out->symbolic = false; /* a distance */
        return true;
    }
    return false;
}

static unsigned depth_of(value v)
{
    return v.kind == V_TREE ? v.tree->depth : 0;
}

static bool combine(tw__asm *as, int op, value a, value b, place where, value *out)
{
    if ((op == OP_DIV || op == OP_MOD) && b.kind == V_CONST && b.number == 0) {
        fail_at(as, where, "division by zero");
        return false;
    }
    if (a.real || b.real) {
        fail_at(as, where, "real numbers cannot be calculated with here");
        return false;
    }
    if (expr_fold(as, op, a, b, out)) return true;
    tree *made = TW__NEW(as->arena, tree);
    if (!made) {
        as->stopped = true, as->status = tw__fail(TW_E_NO_MEMORY, "out of memory for an expression");
        return false;
    }
    *made = (tree){ .op = op, .depth = MAX(depth_of(a), depth_of(b)) + 1, .a = a, .b = b };
    if (made->depth > MAX_TREE) {
        fail_at(as, where, "the expression is nested too deep");
        return false;
    }
    *out = (value){ .kind = V_TREE, .symbolic = a.symbolic || b.symbolic, .tree = made };
    return true;
}

value tw__asm_add_values(tw__asm *as, value a, value b, bool subtract)
{
    value out = tw__asm_constant(0);
    combine(as, subtract ? OP_SUB : OP_ADD, a, b, tw__asm_place_at(as, as->top ? as->top->at : NULL, 1), &out);
    return out;
}

/* --- terms ---------------------------------------------------------------------------------------------------- */

static bool read_level(tw__asm *as, int level, unsigned nesting, value *out);

static value symbol_value(tw__asm *as, int symbol)
{
    symbol_note *note = symbol < 0 ? NULL : tw__asm_note_of(as, symbol);
    if (!note) return tw__asm_constant(0);
    if (note->is_set) {
        value v = note->value;
        v.symbolic = true;
        return v;
    }
    return (value){ .kind = V_SYMBOL, .symbol = symbol, .symbolic = true };
}

static const struct {
    const char *name;
    uint8_t type;
} modifiers[] = { { "relative@16@s2", TW_R_COLOSSUS_RELATIVE_16_S2 },
                  { "abs18@s2", TW_R_COLOSSUS_18_S2 },
                  { "abs19@s2", TW_R_COLOSSUS_19_S2 },
                  { "abs16@s3", TW_R_COLOSSUS_16_S3 },
                  { "abs16@s4", TW_R_COLOSSUS_16_S4 },
                  { "abs16@s5", TW_R_COLOSSUS_16_S5 },
                  { "abs20", TW_R_COLOSSUS_20 },
                  { "abs21", TW_R_COLOSSUS_21 } };

/* "@abs21" and the like behind a symbol. */
static bool read_modifier(tw__asm *as, value *v)
{
    const char *start = as->top->at, *p = start;
    if (*p != '@' || !isalnum((unsigned char)p[1])) return true;
    for (p++; isalnum((unsigned char)*p) || (*p == '@' && isalnum((unsigned char)p[1]));) p++;
    as->top->at = p;
    size_t n = (size_t)(p - start) - 1;
    for (size_t i = 0; i < G_N_ELEMENTS(modifiers); i++)
        if (strlen(modifiers[i].name) == n && strncmp(modifiers[i].name, start + 1, n) == 0) {
            v->modifier = modifiers[i].type;
            return true;
        }
    fail_at(as, tw__asm_place_at(as, start, n + 1),
            "unknown modifier; known: @relative@16@s2, @abs18@s2, @abs19@s2, "
            "@abs16@s3, @abs16@s4, @abs16@s5, @abs20, @abs21");
    return false;
}

static bool read_name_term(tw__asm *as, const char *at, size_t n, value *out)
{
    as->top->at = at + n;
    if (n == 1 && *at == '.') {
        *out = tw__asm_here(as);
        return true;
    }
    if (n == 4 && g_ascii_strncasecmp(at, "infh", 4) == 0) {
        *out = tw__asm_constant(0x7C00);
        return true;
    }
    *out = symbol_value(as, tw__asm_use_symbol(as, at, n));
    return read_modifier(as, out);
}

/* "1f" or "2b": a numeric label. */
static bool read_label_term(tw__asm *as, value *out, bool *is_label)
{
    const char *p = as->top->at, *start = p;
    unsigned number = 0;
    for (; isdigit((unsigned char)*p); p++)
        if (number < 100000) number = number * 10 + (unsigned)(*p - '0');
    *is_label = (*p == 'f' || *p == 'b') && !isalnum((unsigned char)p[1]) && p[1] != '_' && p > start;
    if (!*is_label || (start[0] == '0' && *p == 'b' && (p[1] == '0' || p[1] == '1')))
        return *is_label = false, true;
    as->top->at = p + 1;
    int symbol = tw__asm_numeric_label(as, number, *p == 'f', tw__asm_place_at(as, start, (size_t)(p + 1 - start)));
    *out = symbol_value(as, symbol);
    return symbol >= 0;
}

static bool read_term(tw__asm *as, unsigned nesting, value *out)
{
    tw__asm_skip_blanks(as);
    const char *at = as->top->at;
    place where = tw__asm_place_at(as, at, 1);
    if (nesting > MAX_NESTING) {
        fail_at(as, where, "the expression is nested too deep");
        return false;
    }
    value v;
    switch (*at) {
    case '(':
        as->top->at++;
        return read_level(as, 1, nesting + 1, out) && tw__asm_expect(as, ')', "to close the expression");
    case '-':
        as->top->at++;
        if (!read_term(as, nesting + 1, &v)) return false;
        if (v.kind == V_CONST && as->top->at[-1] == 'h' &&
            !v.symbolic) { /* -1.0h: the sign goes into the pattern */
            *out = tw__asm_constant(v.number ^ 0x8000);
            return true;
        }
        return combine(as, OP_SUB, tw__asm_constant(0), v, where, out);
    case '+': as->top->at++; return read_term(as, nesting + 1, out);
    case '~':
        as->top->at++;
        return read_term(as, nesting + 1, &v) && combine(as, OP_NOT, v, tw__asm_constant(0), where, out);
    case '!':
        as->top->at++;
        return read_term(as, nesting + 1, &v) && combine(as, OP_EQ, v, tw__asm_constant(0), where, out);
    default: break;
    }
    if (isdigit((unsigned char)*at)) {
        bool is_label;
        if (!read_label_term(as, out, &is_label)) return false;
        return is_label || tw__asm_read_number(as, out);
    }
    if (*at == '\'' || (*at == '.' && isdigit((unsigned char)at[1]))) return tw__asm_read_number(as, out);
    size_t n = tw__asm_identifier_length(at);
    if (n) return read_name_term(as, at, n, out);
    if (*at == '"') { /* a quoted name is a symbol */
        const char *name = tw__asm_read_name(as, "a symbol");
        if (!name) return false;
        *out = symbol_value(as, tw__asm_use_symbol(as, name, strlen(name)));
        return read_modifier(as, out);
    }
    fail_at(as, where, *at == 0 || *at == '\n' ? "an expression is missing" : "expected a number, a symbol or '('");
    return false;
}

static bool read_level(tw__asm *as, int level, unsigned nesting, value *out)
{
    if (!read_term(as, nesting, out)) return false;
    for (;;) {
        tw__asm_skip_blanks(as);
        const char *at = as->top->at;
        size_t i = 0;
        while (i < G_N_ELEMENTS(operators) &&
               (*at != *operators[i].text || strncmp(at, operators[i].text, strlen(operators[i].text)) != 0))
            i++;
        if (i == G_N_ELEMENTS(operators) || operators[i].binds < level) return true;
        place where = tw__asm_place_at(as, at, strlen(operators[i].text));
        as->top->at += where.length;
        value right;
        if (!read_level(as, operators[i].binds + 1, nesting + 1, &right)) return false;
        if (!combine(as, operators[i].op, *out, right, where, out)) return false;
    }
}

bool tw__asm_read_value(tw__asm *as, value *out)
{
    return read_level(as, 1, 0, out);
}

bool tw__asm_read_constant(tw__asm *as, int64_t *out, const char *what)
{
    tw__asm_skip_blanks(as);
    const char *start = as->top->at;
    value v;
    if (!tw__asm_read_value(as, &v)) return false;
    if (v.kind == V_CONST && !v.real) {
        *out = v.number;
        return true;
    }
    fail_at(as, tw__asm_place_at(as, start, (size_t)(as->top->at - start)),
            "%s has to be a constant that is known here", what);
    return false;
}

/* --- at the end ----------------------------------------------------------------------------------------------- */

static bool resolve_inner(tw__asm *as, value v, place where, unsigned depth, value *out)
{
    if (depth > 2 * MAX_TREE || ++as->steps > MAX_STEPS) {
        fail_at(as, where, "the expression goes round in circles, or on for too long");
        return false;
    }
    if (v.kind == V_SYMBOL) {
        symbol_note *note = tw__asm_note_of(as, v.symbol);
        if (!note) return false;
        if (!note->is_set) {
            *out = v;
            return true;
        }
        value base;
        if (!resolve_inner(as, note->value, where, depth + 1, &base)) return false;
        base.number = tw__asm_wrap_add(base.number, v.number);
        base.symbolic = true, base.modifier = v.modifier;
        *out = base;
        return true;
    }
    if (v.kind == V_CONST) {
        *out = v;
        return true;
    }
    if (v.tree->resolved) { /* trees are shared by the values of symbols */
        *out = v.tree->result;
        return true;
    }
    value a, b;
    if (!resolve_inner(as, v.tree->a, where, depth + 1, &a) || !resolve_inner(as, v.tree->b, where, depth + 1, &b))
        return false;
    if ((v.tree->op == OP_DIV || v.tree->op == OP_MOD) && b.kind == V_CONST && b.number == 0) {
        fail_at(as, where, "division by zero");
        return false;
    }
    if (expr_fold(as, v.tree->op, a, b, out)) {
        v.tree->resolved = true, v.tree->result = *out;
        return true;
    }
    const char *culprit =
        b.kind == V_SYMBOL ? as->object->symbols[b.symbol].name : as->object->symbols[a.symbol].name;
    fail_at(as, where,
            "the expression has no value here: only a symbol plus a constant, or the distance of two labels of one "
            "section can be used%s%s%s",
            *culprit ? " (symbol '" : "", culprit, *culprit ? "')" : "");
    return false;
}

bool tw__asm_resolve(tw__asm *as, value v, place where, value *out)
{
    as->steps = 0;
    return resolve_inner(as, v, where, 0, out);
}
