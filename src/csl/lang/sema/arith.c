/* SPDX-License-Identifier: MIT */
/* Operators on compile-time values (CSL reference, operators). Fixed-width integers must not overflow here, and
 * floats are rounded to their own format after each operation. */
#include "csl/lang/sema/local.h"
#include <math.h>

static operand overflow(sema *s, const node *n, const type *t, tw__csl_token_kind op)
{
    if (t->kind == TW__CSL_TY_COMPTIME_INT)
        return tw__csl_error(s, n, "csl.overflow",
                             "the result of '%s' needs more than the 128 bits of comptime_int",
                             tw__csl_operator_text(op));
    return tw__csl_error(s, n, "csl.overflow", "the result of '%s' does not fit %s", tw__csl_operator_text(op),
                         TYPE_TEXT(t));
}

static operand int_result(sema *s, const node *n, const type *t, tw__csl_token_kind op, tw__csl_int r)
{
    if (!tw__csl_fits(t, r)) return overflow(s, n, t, op);
    return tw__csl_known(tw__csl_of_int(t, r));
}

static operand fold_shift(sema *s, const node *n, tw__csl_token_kind op, const value *a, const value *b)
{
    if (b->i < 0)
        return tw__csl_error(s, n, "csl.shift", "shift by a negative amount (%s)",
                             tw__csl_int_text((char[48]){ 0 }, b->i));
    unsigned width = a->type->kind == TW__CSL_TY_INT ? a->type->bits : 127;
    if (op == TW__CSL_T_SHR)
        return tw__csl_known(tw__csl_of_int(a->type, b->i >= 127 ? (a->i < 0 ? -1 : 0) : a->i >> (int)b->i));
    if (a->type->kind == TW__CSL_TY_INT) /* bits shifted out are lost, as at run time */
        return tw__csl_known(tw__csl_of_int(
            a->type, b->i >= width ? 0 : tw__csl_wrap(a->type, (tw__csl_int)((tw__u128)a->i << (int)b->i))));
    tw__csl_int r = a->i && b->i < 127 ? (tw__csl_int)((tw__u128)a->i << (int)b->i) : 0;
    if (a->i && (b->i >= 127 || r >> (int)b->i != a->i)) return overflow(s, n, a->type, op);
    return tw__csl_known(tw__csl_of_int(a->type, r));
}

static operand fold_int(sema *s, const node *n, tw__csl_token_kind op, const type *t, tw__csl_int a, tw__csl_int b)
{
    tw__csl_int r = 0;
    bool lost = false;
    switch (op) {
    case TW__CSL_T_PLUS: lost = __builtin_add_overflow(a, b, &r); break;
    case TW__CSL_T_MINUS: lost = __builtin_sub_overflow(a, b, &r); break;
    case TW__CSL_T_STAR: lost = __builtin_mul_overflow(a, b, &r); break;
    case TW__CSL_T_SLASH:
    case TW__CSL_T_PERCENT:
        if (b == 0) return tw__csl_error(s, n, "csl.division", "division by zero");
        if (b == -1) { /* the one quotient that does not fit */
            lost = op == TW__CSL_T_SLASH && __builtin_sub_overflow((tw__csl_int)0, a, &r);
            break;
        }
        r = op == TW__CSL_T_SLASH ? a / b : a % b;
        break;
    case TW__CSL_T_AMPERSAND: r = a & b; break;
    case TW__CSL_T_PIPE: r = a | b; break;
    case TW__CSL_T_CARET: r = a ^ b; break;
    default: return tw__csl_error(s, n, "csl.type", "'%s' is not defined for integers", tw__csl_operator_text(op));
    }
    return lost ? overflow(s, n, t, op) : int_result(s, n, t, op, r);
}

static operand fold_float(sema *s, const node *n, tw__csl_token_kind op, const type *t, double a, double b)
{
    double r = 0;
    switch (op) {
    case TW__CSL_T_PLUS: r = a + b; break;
    case TW__CSL_T_MINUS: r = a - b; break;
    case TW__CSL_T_STAR: r = a * b; break;
    case TW__CSL_T_SLASH:
        if (b == 0 && t->kind == TW__CSL_TY_COMPTIME_FLOAT)
            return tw__csl_error(s, n, "csl.division", "division by zero");
        r = a / b;
        break;
    default:
        return tw__csl_error(s, n, "csl.type", "'%s' is not defined for %s", tw__csl_operator_text(op),
                             TYPE_TEXT(t));
    }
    if (isnan(r) && t->kind == TW__CSL_TY_COMPTIME_FLOAT)
        return tw__csl_error(s, n, "csl.nan", "the result of '%s' is not a number", tw__csl_operator_text(op));
    return tw__csl_known(tw__csl_of_float(t, tw__csl_round(t, r)));
}

static bool is_comparison(tw__csl_token_kind op)
{
    return op >= TW__CSL_T_EQ && op <= TW__CSL_T_GE;
}

static bool arith_compare(tw__csl_token_kind op, int order, bool unordered)
{
    switch (op) {
    case TW__CSL_T_EQ: return !unordered && order == 0;
    case TW__CSL_T_NE: return unordered || order != 0;
    case TW__CSL_T_LT: return !unordered && order < 0;
    case TW__CSL_T_LE: return !unordered && order <= 0;
    case TW__CSL_T_GT: return !unordered && order > 0;
    default: return !unordered && order >= 0;
    }
}

/* Both values have one type, except for shifts. */
operand tw__csl_fold_binary(sema *s, const node *n, tw__csl_token_kind op, const value *a, const value *b)
{
    const type *t = a->type;
    if (is_comparison(op)) {
        if (tw__csl_is_float(t))
            return tw__csl_known(
                tw__csl_of_bool(arith_compare(op, a->f < b->f ? -1 : a->f > b->f, isnan(a->f) || isnan(b->f))));
        if (tw__csl_is_int(t))
            return tw__csl_known(tw__csl_of_bool(arith_compare(op, a->i < b->i ? -1 : a->i > b->i, false)));
        return tw__csl_known(tw__csl_of_bool(tw__csl_equal(a, b) == (op == TW__CSL_T_EQ)));
    }
    if (op == TW__CSL_T_SHL || op == TW__CSL_T_SHR) return fold_shift(s, n, op, a, b);
    return tw__csl_is_float(t) ? fold_float(s, n, op, t, a->f, b->f) : fold_int(s, n, op, t, a->i, b->i);
}

operand tw__csl_fold_unary(sema *s, const node *n, tw__csl_token_kind op, const value *a)
{
    const type *t = a->type;
    if (op == TW__CSL_T_BANG) return tw__csl_known(tw__csl_of_bool(!a->i));
    if (op == TW__CSL_T_TILDE) return tw__csl_known(tw__csl_of_int(t, tw__csl_wrap(t, ~a->i)));
    if (tw__csl_is_float(t)) return tw__csl_known(tw__csl_of_float(t, -a->f));
    tw__csl_int r;
    if (__builtin_sub_overflow((tw__csl_int)0, a->i, &r)) return overflow(s, n, t, op);
    return int_result(s, n, t, op, r);
}
