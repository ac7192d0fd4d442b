/* SPDX-License-Identifier: MIT */
/* switch, as a statement and as a value. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

/* Runs or evaluates the body of a prong. */
static operand prong_body(sema *s, const node *body, const type *expected, bool statement, flow *out)
{
    *out = FLOW_NEXT;
    if (!statement) return tw__csl_expr(s, body, expected);
    *out = tw__csl_stmt(s, body);
    return tw__csl_known(tw__csl_of_void());
}

/* Values of all cases, checked for type and duplicates, and at most one else; false after an error. */
static bool collect_cases(sema *s, const node *n, const type *t, GArray *values)
{
    bool good = true, otherwise = false;
    for (uint32_t p = 1; p < n->count; p++) {
        if (n->kid[p]->flags & TW__CSL_F_ELSE) {
            if (otherwise) tw__csl_error(s, n->kid[p], "csl.switch", "this 'switch' has an 'else' already");
            good = good && !otherwise;
            otherwise = true;
        }
        for (uint32_t k = 1; k < n->kid[p]->count; k++) {
            value v;
            const node *at = n->kid[p]->kid[k];
            if (!tw__csl_comptime(s, at, t, "a case of 'switch'", &v)) {
                good = false;
                continue;
            }
            for (guint i = 0; i < values->len; i++)
                if (tw__csl_equal(&v, &g_array_index(values, value, i))) {
                    tw__csl_error(s, at, "csl.switch", "this case is already there");
                    good = false;
                }
            g_array_append_val(values, v);
        }
    }
    return good;
}

static bool is_exhaustive(const node *n, const type *t, size_t cases)
{
    for (uint32_t p = 1; p < n->count; p++)
        if (n->kid[p]->flags & TW__CSL_F_ELSE) return true;
    if (t->kind == TW__CSL_TY_ENUM) return cases >= t->count;
    if (t->kind == TW__CSL_TY_BOOL) return cases >= 2;
    if (t->kind == TW__CSL_TY_DIRECTION) return cases >= TW__CSL_DIR_COUNT;
    return t->kind == TW__CSL_TY_INT && t->bits <= 16 && cases >= (size_t)1 << t->bits;
}

/* " ('a' and 'b' are missing)": enumerators without a case; "" for other types. */
static void switch_missing(const type *t, const GArray *values, char *out, size_t room)
{
    size_t used = 0, count = 0;
    *out = 0;
    for (size_t i = 0; t->kind == TW__CSL_TY_ENUM && i < t->count; i++) {
        bool there = false;
        for (guint k = 0; k < values->len; k++)
            there = there || g_array_index(values, value, k).i == t->enumerators[i].value;
        if (there) continue;
        if (count++ == 4) {
            used += (size_t)snprintf(out + used, room - used, ", ...");
            break;
        }
        used += (size_t)snprintf(out + used, room - used, "%s%.24s", count == 1 ? " (missing: " : ", ",
                                 t->enumerators[i].name);
    }
    if (count) snprintf(out + used, room - used, ")");
}

static operand switch_known(sema *s, const node *n, const value *v, const GArray *values, const type *expected,
                            bool statement, flow *out)
{
    size_t at = 0;
    const node *otherwise = NULL;
    for (uint32_t p = 1; p < n->count; p++) {
        if (n->kid[p]->flags & TW__CSL_F_ELSE) otherwise = n->kid[p]->kid[0];
        for (uint32_t k = 1; k < n->kid[p]->count; k++, at++)
            if (tw__csl_equal(v, &g_array_index(values, value, at)))
                return prong_body(s, n->kid[p]->kid[0], expected, statement, out);
    }
    if (otherwise) return prong_body(s, otherwise, expected, statement, out);
    return tw__csl_error(s, n, "csl.switch", "no case of 'switch' fits the value");
}

static const type *result_type(sema *s, const node *n, const type *expected, bool statement)
{
    if (statement) return &tw__csl_t_VOID;
    const node **bodies = TW__NEW_N(s->arena, const node *, n->count);
    for (uint32_t p = 1; bodies && p < n->count; p++) bodies[p - 1] = n->kid[p]->kid[0];
    return bodies ? tw__csl_meeting_type(s, n, bodies, n->count - 1, expected) : NULL;
}

static operand switch_generated(sema *s, const node *n, operand v, const GArray *values, const type *expected,
                                bool statement, flow *out)
{
    gen *g = s->gen;
    const type *t = result_type(s, n, expected, statement);
    if (!t) return tw__csl_nothing();
    if (!g) return tw__csl_unknown(s, n, t);
    operand sink = tw__csl_sink(s, t);
    if (s->dry && !statement) return sink;
    label done = tw__gen_label_new(g), other = tw__gen_label_new(g);
    label *at = TW__NEW_N(s->arena, label, n->count + 1);
    if (!at) return tw__csl_nothing();
    size_t case_number = 0;
    bool has_else = false, all_dead = true, good = true;
    for (uint32_t p = 1; p < n->count; p++) {
        at[p] = tw__gen_label_new(g);
        for (uint32_t k = 1; k < n->kid[p]->count; k++, case_number++) {
            operand c = tw__csl_known(g_array_index(values, value, case_number));
            uint32_t registers = tw__gen_hold(g);
            uint16_t same = tw__gen_register(g, &tw__csl_t_BOOL);
            uint16_t right = tw__csl_to_register(s, n->kid[p], &c);
            tw__gen_emit(g, TW__CSL_I_EQ, same, v.reg, right);
            tw__gen_branch(g, same, true, at[p]);
            tw__gen_release(g, registers);
        }
    }
    tw__gen_jump(g, other);
    for (uint32_t p = 1; p < n->count; p++) {
        flow f;
        tw__gen_bind(g, at[p]);
        if (n->kid[p]->flags & TW__CSL_F_ELSE) {
            tw__gen_bind(g, other);
            has_else = true;
        }
        s->depth++;
        operand o = prong_body(s, n->kid[p]->kid[0], t, statement, &f);
        if (!statement) good = tw__csl_into_sink(s, n->kid[p], &sink, o) && good;
        s->depth--;
        all_dead = all_dead && f == FLOW_DEAD;
        tw__gen_jump(g, done);
    }
    if (!has_else) {
        tw__gen_bind(g, other);
        tw__gen_emit_wide(g, TW__CSL_I_TRAP, 0, TW__CSL_TRAP_SWITCH);
    }
    tw__gen_bind(g, done);
    *out = statement && all_dead && n->count > 1 ? FLOW_DEAD : FLOW_NEXT;
    if (*out == FLOW_DEAD) /* the jumps to `done` are dead too, but the code must not run off its end */
        tw__gen_emit_wide(g, TW__CSL_I_TRAP, 0, TW__CSL_TRAP_UNREACHABLE);
    return good ? sink : tw__csl_nothing();
}

operand tw__csl_switch(sema *s, const node *n, const type *expected, bool statement, flow *out)
{
    *out = FLOW_NEXT;
    operand v = tw__csl_expr_rvalue(s, n->kid[0], NULL);
    if (tw__csl_is_nothing(&v)) return v;
    const type *t = v.type;
    bool comparable =
        tw__csl_is_int(t) || t->kind == TW__CSL_TY_ENUM || t->kind == TW__CSL_TY_BOOL || tw__csl_is_id(t) ||
        t->kind == TW__CSL_TY_DIRECTION ||
        (tw__csl_is_known(&v) && (t->kind == TW__CSL_TY_COMPTIME_STRING || t->kind == TW__CSL_TY_TYPE));
    if (!comparable)
        return tw__csl_error(s, n->kid[0], "csl.switch", "'switch' needs an integer or an enum, got %s",
                             TYPE_TEXT(t));
    GArray *values = g_array_new(FALSE, FALSE, sizeof(value));
    operand result = tw__csl_nothing();
    if (collect_cases(s, n, t, values)) {
        if (!is_exhaustive(n, t, values->len) && t->kind != TW__CSL_TY_COMPTIME_INT) {
            char names[160];
            switch_missing(t, values, names, sizeof names);
            tw__csl_error(s, n, "csl.switch", "'switch' over %s does not cover all values: add 'else'%s",
                          TYPE_TEXT(t), names);
        } else if (tw__csl_is_known(&v))
            result = switch_known(s, n, &v.value, values, expected, statement, out);
        else if (!s->gen && (statement || !s->dry))
            result = tw__csl_error(s, n->kid[0], "csl.comptime", "this value is not known at compile time");
        else
            result = switch_generated(s, n, v, values, expected, statement, out);
    }
    g_array_free(values, TRUE);
    return result;
}
