/* SPDX-License-Identifier: MIT */
/* Struct, tuple and array literals; `if` as a value. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

/* A part of a literal must not follow a variable that changes later. */
operand tw__csl_stable(sema *s, const node *at, operand o)
{
    o = tw__csl_rvalue(s, at, o);
    if (o.kind != TW__CSL_O_REGISTER || !o.variable || !s->gen) return o;
    operand copy = { .kind = TW__CSL_O_REGISTER, .type = o.type, .reg = tw__gen_register(s->gen, o.type) };
    tw__gen_move(s->gen, copy.reg, o.reg, o.type);
    return copy;
}

static operand init_array(sema *s, const node *n, const type *t)
{
    size_t count = n->count - 1, want = tw__csl_element_count(t);
    if (n->flags & TW__CSL_F_NAMED)
        return tw__csl_error(s, n, "csl.init", "an array is initialised by a list of values, not by fields");
    if (count != want)
        return tw__csl_error(s, n, "csl.init", "%s has %zu elements, got %zu values", TYPE_TEXT(t), want, count);
    operand *parts = TW__NEW_N(s->arena, operand, count + 1);
    if (!parts) return tw__csl_nothing();
    for (size_t i = 0; i < count; i++) {
        const node *item = n->kid[i + 1];
        operand o = tw__csl_stable(s, item, tw__csl_expr(s, item, t->base));
        parts[i] = tw__csl_coerce_init(s, item, o, t->base, "the element");
    }
    return tw__csl_compose(s, t, parts, count);
}

static operand init_union(sema *s, const node *n, const type *t)
{
    if (n->count != 2 || !(n->flags & TW__CSL_F_NAMED))
        return tw__csl_error(s, n, "csl.init", "a union is initialised by one of its fields");
    const node *item = n->kid[1];
    int i = tw__csl_field_index(t, tw__csl_name_text(s, item->name));
    if (i < 0)
        return tw__csl_error(s, item, "csl.field", "%s has no field '%s'", TYPE_TEXT(t),
                             tw__csl_name_text(s, item->name));
    const type *field = t->fields[i].type;
    operand o = tw__csl_expr_rvalue(s, item->kid[0], field);
    o = tw__csl_coerce_init(s, item->kid[0], o, field, "the field of a union literal");
    if (tw__csl_is_nothing(&o)) return o;
    if (!tw__csl_is_known(&o)) {
        if (!s->gen)
            return tw__csl_error(s, item, "csl.comptime", "the field of the union is not known at compile time");
        operand place = tw__csl_sink(s, t), part = place;
        part.type = field;
        if (t->packed) part = tw__csl_packed_field(place, (size_t)i);
        tw__csl_store(s, item->kid[0], part, o);
        return place;
    }
    value part = o.value;
    value v = { .type = t, .parts = tw__csl_parts_new(s->arena, 1) };
    if (!v.parts) return tw__csl_nothing();
    v.parts->active = i;
    v.parts->items[0] = part;
    return tw__csl_known(v);
}

/* A member's default is evaluated at the top level of the file. */
static operand default_value(sema *s, const node *n, const type *t)
{
    value v;
    saved old = tw__csl_enter_module(s, s->module, TW__CSL_PHASE_VALUE);
    operand o = tw__csl_comptime(s, n, NULL, "the default of a field", &v) ? tw__csl_known(v) : tw__csl_nothing();
    tw__csl_leave_module(s, old);
    return tw__csl_coerce_init(s, n, o, t, "the default of a field");
}

static operand init_struct(sema *s, const node *n, const type *t)
{
    if (t->kind == TW__CSL_TY_UNION) return init_union(s, n, t);
    operand *parts = TW__NEW_N(s->arena, operand, t->count + 1);
    bool *set = TW__NEW_N(s->arena, bool, t->count + 1);
    if (!parts || !set) return tw__csl_nothing();
    bool good = true;
    for (uint32_t k = 1; k < n->count; k++) {
        const node *item = n->kid[k];
        const char *name = tw__csl_name_text(s, item->name);
        int i = item->kind == TW__CSL_FIELD_INIT ? tw__csl_field_index(t, name) : -1;
        if (i < 0 || set[i]) {
            tw__csl_error(s, item, "csl.field", i < 0 ? "%s has no field '%s'" : "%s: field '%s' is set twice",
                          TYPE_TEXT(t), name);
            good = false;
            continue;
        }
        set[i] = true;
        operand o = tw__csl_stable(s, item, tw__csl_expr(s, item->kid[0], t->fields[i].type));
        parts[i] = tw__csl_coerce_init(s, item, o, t->fields[i].type, "the field");
        if (tw__csl_watched(s))
            tw__csl_tell_field(s, item, (operand){ .kind = TW__CSL_O_PLACE, .type = t }, &parts[i]);
    }
    for (size_t i = 0; i < t->count && good; i++) {
        if (set[i]) continue;
        const node *fallback = t->fields[i].fallback;
        parts[i] = fallback ? default_value(s, fallback, t->fields[i].type)
                            : tw__csl_error(s, n, "csl.init", "field '%s' of %s is not set", t->fields[i].name,
                                            TYPE_TEXT(t));
        good = !tw__csl_is_nothing(&parts[i]);
    }
    return good ? tw__csl_compose(s, t, parts, t->count) : tw__csl_nothing();
}

/* Type that part `name` or `index` would have in the expected type, NULL when it says nothing. */
static const type *part_hint(const type *expected, const char *name, size_t index)
{
    if (!expected) return NULL;
    if (expected->kind == TW__CSL_TY_ARRAY) return expected->base;
    if (expected->kind != TW__CSL_TY_STRUCT) return NULL;
    int i = name ? tw__csl_field_index(expected, name) : (int)index;
    return i >= 0 && (size_t)i < expected->count ? expected->fields[i].type : NULL;
}

static operand init_anonymous(sema *s, const node *n, const type *expected)
{
    size_t count = n->count - 1;
    bool named = (n->flags & TW__CSL_F_NAMED) != 0;
    operand *parts = TW__NEW_N(s->arena, operand, count + 1);
    const char **names = TW__NEW_N(s->arena, const char *, count + 1);
    const type **types = TW__NEW_N(s->arena, const type *, count + 1);
    if (!parts || !names || !types) return tw__csl_nothing();
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const node *item = n->kid[i + 1];
        names[i] = named ? tw__csl_name_text(s, item->name) : NULL;
        for (size_t k = 0; k < i && named; k++)
            if (!strcmp(names[k], names[i])) {
                tw__csl_error(s, item, "csl.redefinition", "field '%s' is set twice", names[i]);
                good = false;
            }
        const node *written = named ? item->kid[0] : item;
        parts[i] = tw__csl_stable(s, item, tw__csl_expr(s, written, part_hint(expected, names[i], i)));
        good = good && !tw__csl_is_nothing(&parts[i]);
        types[i] = parts[i].type;
        if (named && expected && tw__csl_watched(s))
            tw__csl_tell_field(s, item, (operand){ .kind = TW__CSL_O_PLACE, .type = expected }, &parts[i]);
    }
    if (!good) return tw__csl_nothing();
    const type *t = tw__csl_type_anonymous(s->types, count, named ? names : NULL, types);
    return tw__csl_compose(s, t, parts, count);
}

operand tw__csl_literal(sema *s, const node *n, const type *expected)
{
    if (!n->kid[0]) return init_anonymous(s, n, expected);
    const type *t = tw__csl_type_expr(s, n->kid[0]);
    if (!t) return tw__csl_nothing();
    if (t->kind == TW__CSL_TY_ARRAY) return init_array(s, n, t);
    if (t->kind == TW__CSL_TY_STRUCT || t->kind == TW__CSL_TY_UNION) return init_struct(s, n, t);
    return tw__csl_error(s, n, "csl.init", "%s has no literal of this form", TYPE_TEXT(t));
}

/* --- alternatives with a value --- */

operand tw__csl_dry(sema *s, const node *n, const type *expected)
{
    tw__gen_point point = { 0 };
    bool dry = s->dry;
    binding *locals = s->locals;
    if (s->gen) point = tw__gen_mark(s->gen);
    s->dry = true;
    operand o = tw__csl_expr(s, n, expected);
    s->dry = dry;
    s->locals = locals;
    if (s->gen) tw__gen_rewind(s->gen, point);
    return o;
}

operand tw__csl_unknown(sema *s, const node *n, const type *t)
{
    if (!s->dry) return tw__csl_error(s, n, "csl.comptime", "this value is not known at compile time");
    bool memory = tw__csl_is_aggregate(t);
    return (operand){ .kind = memory ? TW__CSL_O_PLACE : TW__CSL_O_REGISTER, .type = t, .has_reg = memory };
}

operand tw__csl_sink(sema *s, const type *t)
{
    if (!t->size) return tw__csl_known((value){ .type = &tw__csl_t_VOID });
    if (!tw__csl_is_aggregate(t))
        return (operand){ .kind = TW__CSL_O_REGISTER, .type = t, .reg = tw__gen_register(s->gen, t) };
    return (operand){
        .kind = TW__CSL_O_PLACE, .type = t, .has_reg = true, .reg = tw__gen_local(s->gen, t->size, t->align)
    };
}

/* Stores the value of an alternative where all of them meet. */
bool tw__csl_into_sink(sema *s, const node *at, const operand *sink, operand o)
{
    o = tw__csl_coerce_init(s, at, o, sink->type, "the value of this branch");
    if (tw__csl_is_nothing(&o)) return false;
    if (sink->type->size) tw__csl_store(s, at, *sink, o);
    return true;
}

operand tw__csl_hinted(sema *s, const node *n, const type *hint)
{
    const type *outer = s->soft;
    bool number = hint && hint->size && tw__csl_is_number(hint);
    if (number) s->soft = hint;
    operand o = tw__csl_expr_rvalue(s, n, number ? NULL : hint);
    s->soft = outer;
    return o;
}

/* A number of type `t` is no number of type `expected` by itself: @as(i32, if (c) x else y) of two f32. */
static bool other_number(const type *t, const type *expected)
{
    return t->size && tw__csl_is_number(t) && t != expected && !tw__csl_widens(t, expected);
}

/* The type in which alternatives meet: what is expected if they can become that, else the widest of their own that
 * exists at run time. */
const type *tw__csl_meeting_type(sema *s, const node *at, const node *const *bodies, size_t count,
                                 const type *expected)
{
    bool wanted = expected && tw__csl_is_runtime(expected) && expected->kind != TW__CSL_TY_POISON;
    if (wanted && !tw__csl_is_number(expected)) return expected;
    const type *first = NULL, *meet = NULL;
    for (size_t i = 0; i < count; i++) {
        operand o = tw__csl_dry(s, bodies[i], wanted || !meet ? expected : meet);
        if (tw__csl_is_nothing(&o)) return NULL;
        first = first ? first : o.type;
        if (!o.type->size || (wanted && !other_number(o.type, expected))) continue;
        if (!meet || tw__csl_widens(meet, o.type)) meet = o.type;
    }
    if (meet || wanted) return meet ? meet : expected;
    if (first && s->soft && tw__csl_is_number(first) && tw__csl_is_number(s->soft)) return s->soft;
    if (first && first->kind != TW__CSL_TY_VOID) {
        tw__csl_error(s, at, "csl.comptime", "a value of type %s cannot depend on a condition of run time",
                      TYPE_TEXT(first));
        return NULL;
    }
    return &tw__csl_t_VOID;
}

operand tw__csl_if_value(sema *s, const node *n, const type *expected)
{
    operand c = tw__csl_condition(s, n->kid[0], "the condition of 'if'");
    if (tw__csl_is_nothing(&c)) return c;
    const node *otherwise = n->count > 2 ? n->kid[2] : NULL;
    if (tw__csl_is_known(&c)) {
        const node *chosen = c.value.i ? n->kid[1] : otherwise;
        return chosen ? tw__csl_expr(s, chosen, expected) : tw__csl_known(tw__csl_of_void());
    }
    if (!otherwise)
        return tw__csl_error(s, n, "csl.syntax",
                             "'if' as a value needs 'else' when its condition is known only at run time");
    if (!s->gen && !s->dry) return tw__csl_unknown(s, n->kid[0], c.type);
    const node *bodies[] = { n->kid[1], otherwise };
    const type *t = tw__csl_meeting_type(s, n, bodies, 2, expected);
    if (!t) return tw__csl_nothing();
    gen *g = s->gen;
    if (!g) return tw__csl_unknown(s, n, t);
    uint16_t condition = c.reg;
    operand sink = tw__csl_sink(s, t);
    if (s->dry) return sink; /* chains are looked at once for each link, not twice */
    label no = tw__gen_label_new(g), done = tw__gen_label_new(g);
    g->barrier = (uint32_t)g->e.code_count; /* the sink may stand between comparison and branch */
    tw__gen_branch(g, condition, false, no);
    s->depth++;
    bool good = tw__csl_into_sink(s, n, &sink, tw__csl_expr(s, n->kid[1], t));
    tw__gen_jump(g, done);
    tw__gen_bind(g, no);
    good = tw__csl_into_sink(s, n, &sink, tw__csl_expr(s, otherwise, t)) && good;
    tw__gen_bind(g, done);
    s->depth--;
    return good ? sink : tw__csl_nothing();
}
