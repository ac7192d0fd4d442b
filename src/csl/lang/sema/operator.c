/* SPDX-License-Identifier: MIT */
/* Operators on operands: types of both sides brought together, then folded or generated. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

static bool is_comparison(tw__csl_token_kind op)
{
    return op >= TW__CSL_T_EQ && op <= TW__CSL_T_GE;
}

static bool is_equality(tw__csl_token_kind op)
{
    return op == TW__CSL_T_EQ || op == TW__CSL_T_NE;
}

operand tw__csl_condition(sema *s, const node *n, const char *what)
{
    return tw__csl_coerce(s, n, tw__csl_expr_rvalue(s, n, &tw__csl_t_BOOL), &tw__csl_t_BOOL, what);
}

static operand operator_error(sema *s, const node *n, tw__csl_token_kind op, const type *t)
{
    return tw__csl_error(s, n, "csl.type", "'%s' is not defined for %s", tw__csl_operator_text(op), TYPE_TEXT(t));
}

/* Types for which == and != compare whole values (CSL reference, operators). */
static bool has_equality(const type *t)
{
    return tw__csl_is_number(t) || tw__csl_is_id(t) || t->kind == TW__CSL_TY_BOOL || t->kind == TW__CSL_TY_ENUM ||
           t->kind == TW__CSL_TY_DIRECTION || t->kind == TW__CSL_TY_COMPTIME_STRING || t->kind == TW__CSL_TY_TYPE ||
           t->kind == TW__CSL_TY_POINTER || t->kind == TW__CSL_TY_FN || t->kind == TW__CSL_TY_VOID ||
           tw__csl_is_dsr(t);
}

static bool defined_for(tw__csl_token_kind op, const type *t)
{
    if (is_equality(op)) return has_equality(t);
    switch (op) {
    case TW__CSL_T_PLUS:
    case TW__CSL_T_MINUS:
    case TW__CSL_T_STAR:
    case TW__CSL_T_SLASH:
    case TW__CSL_T_LT:
    case TW__CSL_T_LE:
    case TW__CSL_T_GT:
    case TW__CSL_T_GE: return tw__csl_is_number(t);
    default: return tw__csl_is_int(t);
    }
}

/* Brings two operands to one type: literals take the other's, otherwise the wider one. false after an error. */
static bool operator_meet(sema *s, const node *n, operand *a, operand *b)
{
    const type *x = a->type, *y = b->type;
    if (x == y) return true;
    const type *to = NULL;
    if (tw__csl_is_number(x) && tw__csl_is_number(y)) {
        bool lit_x = !x->size, lit_y = !y->size; /* comptime_int and comptime_float */
        bool same_class = tw__csl_is_float(x) == tw__csl_is_float(y);
        if (lit_x && lit_y)
            to = &tw__csl_t_COMPTIME_FLOAT;
        else if (lit_x && (same_class || x->kind == TW__CSL_TY_COMPTIME_INT))
            to = y;
        else if (lit_y && (same_class || y->kind == TW__CSL_TY_COMPTIME_INT))
            to = x;
        else if (same_class && x->is_signed == y->is_signed && x->bits != y->bits && x->machine != TW_BF16 &&
                 y->machine != TW_BF16)
            to = x->bits > y->bits ? x : y;
        /* A known value of another integer type counts by its value. */
        else if (same_class && tw__csl_is_known(b) && tw__csl_is_int(y) && tw__csl_fits(x, b->value.i))
            to = x;
        else if (same_class && tw__csl_is_known(a) && tw__csl_is_int(x) && tw__csl_fits(y, a->value.i))
            to = y;
        else if (same_class && tw__csl_is_int(x) && x->bits != y->bits)
            to = x->is_signed && x->bits > y->bits ? x : y->is_signed && y->bits > x->bits ? y : NULL;
    } else if (x->kind == TW__CSL_TY_POINTER && y->kind == TW__CSL_TY_POINTER && x->base == y->base) {
        b->type = x; /* const or not */
        if (tw__csl_is_known(b)) b->value.type = x;
        return true;
    }
    if (!to) {
        tw__csl_error(
            s, n, "csl.type", "'%s' needs operands of one type, got %s and %s",
            tw__csl_operator_text(n->kind == TW__CSL_BINARY || n->kind == TW__CSL_ASSIGN ? n->op : TW__CSL_T_EQ),
            TYPE_TEXT(x), TYPE_TEXT(y));
        return false;
    }
    bool mixed = tw__csl_is_float(to);
    *a = mixed ? tw__csl_coerce_init(s, n, *a, to, "the left operand")
               : tw__csl_coerce(s, n, *a, to, "the left operand");
    *b = mixed ? tw__csl_coerce_init(s, n, *b, to, "the right operand")
               : tw__csl_coerce(s, n, *b, to, "the right operand");
    return !tw__csl_is_nothing(a) && !tw__csl_is_nothing(b);
}

/* The right side of a shift has its own unsigned type. */
static bool shift_types(sema *s, const node *n, operand *a, operand *b)
{
    if (!tw__csl_is_int(a->type) || !tw__csl_is_int(b->type)) {
        operator_error(s, n, n->op, tw__csl_is_int(a->type) ? b->type : a->type);
        return false;
    }
    if (!tw__csl_is_known(b) && b->type->is_signed) {
        tw__csl_error(s, n, "csl.shift", "the shift amount must be unsigned, got %s", TYPE_TEXT(b->type));
        return false;
    }
    if (tw__csl_is_known(a) && !tw__csl_is_known(b) && a->type->kind == TW__CSL_TY_COMPTIME_INT) {
        *a = tw__csl_coerce(s, n, *a, b->type, "the left operand"); /* 1 << n: in n's type */
        return !tw__csl_is_nothing(a);
    }
    if (!tw__csl_is_known(a) && tw__csl_is_known(b)) {
        if (b->value.i < 0) {
            tw__csl_error(s, n, "csl.shift", "shift by a negative amount");
            return false;
        }
        *b = tw__csl_known(tw__csl_of_int(&tw__csl_t_u16, b->value.i < 64 ? b->value.i : 64));
    }
    return true;
}

static bool commutes(tw__csl_token_kind op)
{
    return op == TW__CSL_T_PLUS || op == TW__CSL_T_STAR || op == TW__CSL_T_AMPERSAND;
}

operand tw__csl_operate(sema *s, const node *n, tw__csl_token_kind op, operand a, operand b)
{
    if (tw__csl_is_nothing(&a) || tw__csl_is_nothing(&b)) return tw__csl_nothing();
    bool shift = op == TW__CSL_T_SHL || op == TW__CSL_T_SHR;
    if (is_equality(op) && a.type != b.type && (a.type->kind == TW__CSL_TY_VOID || b.type->kind == TW__CSL_TY_VOID))
        return tw__csl_known(tw__csl_of_bool(op == TW__CSL_T_NE)); /* x == {}: is the parameter absent? */
    if (shift ? !shift_types(s, n, &a, &b) : !operator_meet(s, n, &a, &b)) return tw__csl_nothing();
    const type *t = a.type;
    if (!defined_for(op, t)) return operator_error(s, n, op, t);
    if (tw__csl_is_known(&a) && tw__csl_is_known(&b)) return tw__csl_fold_binary(s, n, op, &a.value, &b.value);
    if (!s->gen) return tw__csl_unknown(s, n, is_comparison(op) ? &tw__csl_t_BOOL : t);
    if ((op == TW__CSL_T_SLASH || op == TW__CSL_T_PERCENT) && tw__csl_is_int(t) && tw__csl_is_known(&b) &&
        b.value.i == 0)
        return tw__csl_error(s, n, "csl.division", "division by zero");
    tw__gen_at(s->gen, n);
    const type *result = is_comparison(op) ? &tw__csl_t_BOOL : t;
    operand out = { .kind = TW__CSL_O_REGISTER, .type = result };
    bool swap = commutes(op) && tw__csl_is_known(&a);
    const operand *constant = swap ? &a : &b, *other = swap ? &b : &a;
    /* Written as a number: a constant that depends on parameters stays a load, which PEs can share (code/share.h). */
    const node *written = n->count > 1 ? n->kid[swap ? 0 : 1] : n;
    if (written->kind == TW__CSL_INT && tw__csl_is_known(constant) && tw__csl_is_int(constant->type)) {
        uint16_t left = tw__csl_to_register(s, n, other);
        out.reg = tw__gen_register(s->gen, result);
        if (tw__gen_immediate(s->gen, op, t, out.reg, left, constant->value.i)) return out;
    }
    uint16_t x = tw__csl_to_register(s, n, &a), y = tw__csl_to_register(s, n, &b);
    out.reg = tw__gen_register(s->gen, result);
    if (!tw__gen_binary(s->gen, op, t, out.reg, x, y)) return operator_error(s, n, op, t);
    return out;
}

/* a and b, a or b: the right side is not analysed when the left one decides at compile time. */
static operand logical(sema *s, const node *n)
{
    bool is_and = n->op == TW__CSL_T_AND;
    operand a = tw__csl_condition(s, n->kid[0], "the left operand");
    if (tw__csl_is_nothing(&a)) return a;
    if (tw__csl_is_known(&a))
        return (a.value.i != 0) != is_and ? a : tw__csl_condition(s, n->kid[1], "the right operand");
    gen *g = s->gen;
    if (!g) return tw__csl_unknown(s, n->kid[0], &tw__csl_t_BOOL);
    operand out = { .kind = TW__CSL_O_REGISTER,
                    .type = &tw__csl_t_BOOL,
                    .reg = tw__gen_register(g, &tw__csl_t_BOOL) };
    tw__gen_move(g, out.reg, a.reg, &tw__csl_t_BOOL);
    label done = tw__gen_label_new(g);
    tw__gen_branch(g, out.reg, !is_and, done);
    s->depth++;
    operand b = tw__csl_condition(s, n->kid[1], "the right operand");
    if (!tw__csl_is_nothing(&b)) tw__gen_move(g, out.reg, tw__csl_to_register(s, n->kid[1], &b), &tw__csl_t_BOOL);
    s->depth--;
    tw__gen_bind(g, done);
    return tw__csl_is_nothing(&b) ? b : out;
}

operand tw__csl_binary(sema *s, const node *n, const type *expected)
{
    if (n->op == TW__CSL_T_AND || n->op == TW__CSL_T_OR) return logical(s, n);
    const type *hint = is_comparison(n->op) ? NULL : expected;
    operand a = tw__csl_hinted(s, n->kid[0], hint);
    bool shift = n->op == TW__CSL_T_SHL || n->op == TW__CSL_T_SHR; /* by an unsigned number, of whatever */
    operand b = tw__csl_hinted(s, n->kid[1], shift ? &tw__csl_t_u16 : hint);
    return tw__csl_operate(s, n, n->op, a, b);
}

operand tw__csl_unary(sema *s, const node *n, const type *expected)
{
    operand a = tw__csl_hinted(s, n->kid[0], expected);
    if (tw__csl_is_nothing(&a)) return a;
    const type *t = a.type;
    bool good = n->op == TW__CSL_T_BANG    ? t->kind == TW__CSL_TY_BOOL
                : n->op == TW__CSL_T_TILDE ? t->kind == TW__CSL_TY_INT
                                           : tw__csl_is_number(t);
    if (!good) return operator_error(s, n, n->op, t);
    if (tw__csl_is_known(&a)) return tw__csl_fold_unary(s, n, n->op, &a.value);
    if (!s->gen) return tw__csl_unknown(s, n, t);
    tw__gen_at(s->gen, n);
    operand out = { .kind = TW__CSL_O_REGISTER, .type = t, .reg = tw__gen_register(s->gen, t) };
    tw__gen_unary(s->gen, n->op, t, out.reg, a.reg);
    return out;
}
