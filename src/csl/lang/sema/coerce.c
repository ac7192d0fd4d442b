/* SPDX-License-Identifier: MIT */
/* Conversions: the implicit ones (CSL reference, coercions) and @as. The rules of both language versions hold
 * together: whatever one of them accepts is accepted, except that an integer literal becomes a float only where a
 * value is initialised. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"
#include <math.h>

static operand mismatch(sema *s, const node *at, const type *from, const type *to, const char *what)
{
    operand none = tw__csl_error(s, at, "csl.type", "%s must be %s, got %s", what, TYPE_TEXT(to), TYPE_TEXT(from));
    if (tw__csl_is_id(to) && tw__csl_is_int(from))
        tw__csl_note(s, at, "numbers become ids by @get_%s(...)", to->name);
    else if (tw__csl_is_number(from) && tw__csl_is_number(to))
        tw__csl_note(s, at, "@as(%s, ...) converts explicitly", TYPE_TEXT(to));
    return none;
}

/* Every value of `from` is a value of `to`. */
bool tw__csl_widens(const type *from, const type *to)
{
    if (from->kind == TW__CSL_TY_INT && to->kind == TW__CSL_TY_INT)
        return from->is_signed == to->is_signed ? from->bits <= to->bits : to->is_signed && from->bits < to->bits;
    return from->kind == TW__CSL_TY_FLOAT && to == &tw__csl_t_f32;
}

static bool pointer_fits(const type *from, const type *to)
{
    if (to->base->kind == TW__CSL_TY_FN || from->base->kind == TW__CSL_TY_FN) return from->base == to->base;
    if (from->is_const && !to->is_const) return false;
    if (to->base->kind == TW__CSL_TY_ANYOPAQUE) return true;
    if (to->many)
        return (from->many && from->base == to->base) ||
               (!from->many && from->base->kind == TW__CSL_TY_ARRAY && from->base->base == to->base);
    if (from->many) return false;
    return from->base == to->base || (to->base->kind == TW__CSL_TY_ARRAY && to->base->base == from->base &&
                                      tw__csl_element_count(to->base) == 1);
}

static operand coerce_int(sema *s, const node *at, const value *v, const type *to, const char *what)
{
    if (!tw__csl_fits(to, v->i))
        return tw__csl_error(s, at, "csl.range", "%s: %s does not fit %s", what,
                             tw__csl_int_text((char[48]){ 0 }, v->i), TYPE_TEXT(to));
    return tw__csl_known(tw__csl_of_int(to, v->i));
}

/* Is `to` reached from known value `v` of another type? false: *out untouched. */
static bool coerce_known(sema *s, const node *at, const value *v, const type *to, const char *what, operand *out)
{
    const type *from = v->type;
    if (tw__csl_is_int(from) && tw__csl_is_int(to)) {
        *out = coerce_int(s, at, v, to, what);
        return true;
    }
    if (from->kind == TW__CSL_TY_COMPTIME_FLOAT && tw__csl_is_float(to)) {
        *out = tw__csl_known(tw__csl_of_float(to, tw__csl_round(to, v->f)));
        return true;
    }
    if (tw__csl_widens(from, to) || (from->kind == TW__CSL_TY_FLOAT && to->kind == TW__CSL_TY_COMPTIME_FLOAT)) {
        *out = tw__csl_known(tw__csl_of_float(to, v->f));
        return true;
    }
    value same = *v;
    same.type = to;
    if (from->kind == TW__CSL_TY_POINTER && to->kind == TW__CSL_TY_POINTER && pointer_fits(from, to)) {
        *out = tw__csl_known(same);
        return true;
    }
    if (from->kind == TW__CSL_TY_FN && to->kind == TW__CSL_TY_POINTER && to->base == from) {
        *out = tw__csl_known(same);
        return true;
    }
    if (from->kind == TW__CSL_TY_POINTER && to->kind == TW__CSL_TY_FN && from->base == to) {
        *out = tw__csl_known(same);
        return true;
    }
    return false;
}

static bool is_literal_struct(const type *t)
{
    return t->kind == TW__CSL_TY_STRUCT && !t->name;
}

/* Anonymous struct to named struct (by name, any order), tuple to array or to tuple of other types. */
static bool coerce_parts(sema *s, const node *at, const operand *o, const type *to, const char *what, operand *out)
{
    const type *from = o->type;
    bool to_struct = to->kind == TW__CSL_TY_STRUCT && (to->name || to->tuple == from->tuple);
    bool to_array = to->kind == TW__CSL_TY_ARRAY && (from->tuple || !from->count);
    size_t count = to_array ? tw__csl_element_count(to) : to->count;
    if (!is_literal_struct(from) || (!to_struct && !to_array) || count != from->count) return false;
    operand *parts = TW__NEW_N(s->arena, operand, count + 1);
    if (!parts) {
        tw__csl_out_of_memory(s);
        *out = tw__csl_nothing();
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        int source = to_array || from->tuple ? (int)i : tw__csl_field_index(from, to->fields[i].name);
        if (source < 0) return false;
        operand part = tw__csl_part_of(o, (size_t)source);
        parts[i] = tw__csl_coerce_init(s, at, part, to_array ? to->base : to->fields[i].type, what);
        if (tw__csl_is_nothing(&parts[i])) {
            *out = tw__csl_nothing();
            return true;
        }
    }
    *out = tw__csl_compose(s, to, parts, count);
    return true;
}

static operand coerce_register(sema *s, const node *at, operand o, const type *to, const char *what)
{
    if (o.type->kind == TW__CSL_TY_POINTER && to->kind == TW__CSL_TY_POINTER && pointer_fits(o.type, to)) {
        o.type = to;
        return o;
    }
    if (tw__csl_widens(o.type, to)) {
        if (!s->gen) return tw__csl_unknown(s, at, to);
        operand wide = { .kind = TW__CSL_O_REGISTER, .type = to, .reg = tw__gen_register(s->gen, to) };
        tw__gen_convert(s->gen, at, wide.reg, to, o.reg, o.type);
        return wide;
    }
    return mismatch(s, at, o.type, to, what);
}

operand tw__csl_coerce(sema *s, const node *at, operand o, const type *to, const char *what)
{
    if (tw__csl_is_nothing(&o) || to->kind == TW__CSL_TY_POISON || to->kind == TW__CSL_TY_ANYTYPE) return o;
    if (o.kind == TW__CSL_O_PLACE) o = tw__csl_rvalue(s, at, o);
    if (o.type == to || tw__csl_is_nothing(&o)) return o;
    if (to->kind == TW__CSL_TY_COMPTIME_STRUCT && is_literal_struct(o.type)) return o;
    operand out;
    if (o.kind == TW__CSL_O_VALUE && coerce_known(s, at, &o.value, to, what, &out)) return out;
    if ((o.kind == TW__CSL_O_VALUE || o.kind == TW__CSL_O_GROUP) && coerce_parts(s, at, &o, to, what, &out))
        return out;
    if (o.kind == TW__CSL_O_REGISTER) return coerce_register(s, at, o, to, what);
    return mismatch(s, at, o.type, to, what);
}

operand tw__csl_coerce_init(sema *s, const node *at, operand o, const type *to, const char *what)
{
    /* [8]f16{ 0, 1, 2 } and `const x: f16 = 0;` are written with integers (vendor document "DSDs"). */
    if (o.kind == TW__CSL_O_VALUE && o.type->kind == TW__CSL_TY_COMPTIME_INT && tw__csl_is_float(to))
        return tw__csl_known(tw__csl_of_float(to, tw__csl_round(to, (double)o.value.i)));
    return tw__csl_coerce(s, at, o, to, what);
}

/* --- @as --- */

static bool has_number(const type *t) /* held as value.i */
{
    return tw__csl_is_int(t) || t->kind == TW__CSL_TY_BOOL || t->kind == TW__CSL_TY_ENUM;
}

static operand cast_enum(sema *s, const node *at, const value *v, const type *to)
{
    for (size_t i = 0; i < to->count; i++)
        if (to->enumerators[i].value == v->i) return tw__csl_known(tw__csl_of_int(to, v->i));
    return tw__csl_error(s, at, "csl.range", "enum %s has no value %s", TYPE_TEXT(to),
                         tw__csl_int_text((char[48]){ 0 }, v->i));
}

static operand cast_known(sema *s, const node *at, const type *to, const value *v)
{
    const type *from = v->type;
    bool from_float = tw__csl_is_float(from);
    if (to->kind == TW__CSL_TY_BOOL) return tw__csl_known(tw__csl_of_bool(from_float ? v->f != 0 : v->i != 0));
    if (tw__csl_is_float(to)) {
        double f = from_float ? v->f : to == &tw__csl_t_f32 ? (double)(float)v->i : (double)v->i;
        return tw__csl_known(tw__csl_of_float(to, tw__csl_round(to, f)));
    }
    tw__csl_int i = v->i;
    if (from_float) {
        if (isnan(v->f) || fabs(v->f) >= 0x1p126)
            return tw__csl_error(s, at, "csl.range", "%g does not fit %s", v->f, TYPE_TEXT(to));
        i = (tw__csl_int)v->f; /* towards zero */
    }
    value whole = tw__csl_of_int(to, i);
    if (to->kind == TW__CSL_TY_ENUM) return cast_enum(s, at, &whole, to);
    if (from->kind == TW__CSL_TY_INT && to->kind == TW__CSL_TY_INT)
        return tw__csl_known(tw__csl_of_int(to, tw__csl_wrap(to, i))); /* as the run-time conversion does */
    return coerce_int(s, at, &whole, to, "the converted value");
}

static bool castable(const type *t)
{
    return tw__csl_is_number(t) || t->kind == TW__CSL_TY_BOOL || t->kind == TW__CSL_TY_ENUM;
}

operand tw__csl_cast(sema *s, const node *at, const type *to, operand o)
{
    o = tw__csl_rvalue(s, at, o);
    if (tw__csl_is_nothing(&o) || o.type == to) return o;
    if (!castable(o.type) || !castable(to)) return tw__csl_coerce(s, at, o, to, "the argument of @as");
    if (tw__csl_is_known(&o)) return cast_known(s, at, to, &o.value);
    if (!tw__csl_is_runtime(to))
        return tw__csl_error(s, at, "csl.comptime", "a value converted to %s must be known at compile time",
                             TYPE_TEXT(to));
    if ((to->kind == TW__CSL_TY_ENUM && !has_number(o.type)) ||
        (o.type->kind == TW__CSL_TY_ENUM && !has_number(to)))
        return mismatch(s, at, o.type, to, "the argument of @as");
    if (!s->gen) return tw__csl_unknown(s, at, to);
    operand out = { .kind = TW__CSL_O_REGISTER, .type = to, .reg = tw__gen_register(s->gen, to) };
    tw__gen_convert(s->gen, at, out.reg, to, o.reg, o.type);
    return out;
}
