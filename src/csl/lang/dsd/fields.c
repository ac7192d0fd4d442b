/* SPDX-License-Identifier: MIT */
/* Arguments of builtins, and the structs that many of them take. */
#include "csl/lang/dsd/fields.h"

const char *tw__dsd_builtin_name(const sema *s, const node *call)
{
    const char *text =
        tw__arena_printf(tw__csl_sema_arena(s), "@%s", tw__csl_text(tw__csl_sema_ctx(s), call->name));
    return text ? text : "";
}

const char *tw__dsd_argument(sema *s, const node *call, uint32_t index)
{
    const char *text = tw__arena_printf(tw__csl_sema_arena(s), "argument %u of @%s", index + 1,
                                        tw__csl_text(tw__csl_sema_ctx(s), call->name));
    return text ? text : "";
}

bool tw__dsd_in_phase(sema *s, const node *call, unsigned phases)
{
    if (phases & 1u << tw__csl_sema_phase(s)) return true;
    const char *where = phases == TW__DSD_IN_COMPTIME ? "a comptime block of a tile program"
                        : phases == TW__DSD_IN_RUNTIME
                            ? "code that runs on a PE"
                            : "code that runs on a PE or a comptime block of a tile program";
    tw__csl_error(s, call, "csl.where", "%s stands in %s", tw__dsd_builtin_name(s, call), where);
    return false;
}

/* --- structs ------------------------------------------------------------------------------------------------- */

const node *tw__dsd_field_node(const tw__dsd_fields *f, const char *name)
{
    if (f->at->kind != TW__CSL_INIT || !(f->at->flags & TW__CSL_F_NAMED)) return f->at;
    for (uint32_t i = 1; i < f->at->count; i++)
        if (!strcmp(tw__csl_text(tw__csl_sema_ctx(f->s), f->at->kid[i]->name), name)) return f->at->kid[i]->kid[0];
    return f->at;
}

/* The name itself, as in ".extend = 5". */
static const node *name_node(const tw__dsd_fields *f, const char *name)
{
    if (f->at->kind == TW__CSL_INIT && f->at->flags & TW__CSL_F_NAMED)
        for (uint32_t i = 1; i < f->at->count; i++)
            if (!strcmp(tw__csl_text(tw__csl_sema_ctx(f->s), f->at->kid[i]->name), name)) return f->at->kid[i];
    return f->at;
}

bool tw__dsd_open_operand(tw__dsd_fields *f, sema *s, const node *at, operand object, const char *what,
                          const char *const *known)
{
    *f = (tw__dsd_fields){ .s = s, .at = at, .what = what, .object = object };
    if (tw__csl_is_nothing(&object)) return false;
    const type *t = object.type;
    if (t->kind != TW__CSL_TY_STRUCT || (t->tuple && t->count)) {
        tw__csl_error(s, at, "csl.type", "%s are a struct .{ .name = value, ... }, not %s", what, TYPE_TEXT(t));
        return false;
    }
    size_t count = 0;
    while (known[count]) count++;
    for (size_t i = 0; i < t->count; i++) {
        size_t k = 0;
        while (k < count && strcmp(known[k], t->fields[i].name) != 0) k++;
        if (k < count) continue;
        char hint[TW__HINT_BYTES];
        tw__csl_error(s, name_node(f, t->fields[i].name), "csl.field", "'%s' is not among %s%s", t->fields[i].name,
                      what, tw__did_you_mean(hint, tw__nearest(t->fields[i].name, known, count)));
        return false;
    }
    return true;
}

bool tw__dsd_open(tw__dsd_fields *f, sema *s, const node *at, const char *what, const char *const *known)
{
    return tw__dsd_open_operand(f, s, at, tw__csl_expr(s, at, NULL), what, known);
}

bool tw__dsd_has(const tw__dsd_fields *f, const char *name)
{
    return tw__csl_field_index(f->object.type, name) >= 0;
}

bool tw__dsd_field(const tw__dsd_fields *f, const char *name, operand *out)
{
    if (!tw__csl_get_field(&f->object, name, out)) return false;
    *out = tw__csl_rvalue(f->s, tw__dsd_field_node(f, name), *out);
    return !tw__csl_is_nothing(out);
}

bool tw__dsd_bool(const tw__dsd_fields *f, const char *name, bool *out)
{
    operand o;
    if (!tw__dsd_has(f, name)) return true;
    if (!tw__dsd_field(f, name, &o)) return false;
    if (o.kind == TW__CSL_O_VALUE && o.type->kind == TW__CSL_TY_BOOL) {
        *out = o.value.i != 0;
        return true;
    }
    tw__csl_error(f->s, tw__dsd_field_node(f, name), "csl.comptime", ".%s must be a bool known at compile time%s%s",
                  name, o.type->kind == TW__CSL_TY_BOOL ? "" : ", not ",
                  o.type->kind == TW__CSL_TY_BOOL ? "" : TYPE_TEXT(o.type));
    return false;
}

bool tw__dsd_known_int(sema *s, const node *at, const operand *o, const char *what, int64_t min, int64_t max,
                       int64_t *out)
{
    if (tw__csl_is_nothing(o)) return false;
    if (o->kind != TW__CSL_O_VALUE || !tw__csl_is_int(o->type)) {
        tw__csl_error(s, at, "csl.comptime", "%s must be an integer known at compile time%s%s", what,
                      tw__csl_is_int(o->type) ? "" : ", not ", tw__csl_is_int(o->type) ? "" : TYPE_TEXT(o->type));
        return false;
    }
    if (o->value.i < min || o->value.i > max) {
        tw__csl_error(s, at, "csl.range", "%s must be %lld to %lld, not %s", what, (long long)min, (long long)max,
                      tw__csl_int_text((char[48]){ 0 }, o->value.i));
        return false;
    }
    *out = (int64_t)o->value.i;
    return true;
}

bool tw__dsd_int(const tw__dsd_fields *f, const char *name, int64_t min, int64_t max, int64_t *out)
{
    operand o;
    if (!tw__dsd_has(f, name)) return true;
    char what[64];
    snprintf(what, sizeof what, ".%s", name);
    return tw__dsd_field(f, name, &o) &&
           tw__dsd_known_int(f->s, tw__dsd_field_node(f, name), &o, what, min, max, out);
}

bool tw__dsd_choice(const tw__dsd_fields *f, const char *name, const char *const *choices, int *out)
{
    operand o;
    *out = -1;
    if (!tw__dsd_has(f, name)) return true;
    const node *at = tw__dsd_field_node(f, name);
    tw__dsd_fields inner;
    char what[96];
    snprintf(what, sizeof what, "the choices of .%s", name);
    if (!tw__csl_get_field(&f->object, name, &o) ||
        !tw__dsd_open_operand(&inner, f->s, at, o, tw__arena_strdup(tw__csl_sema_arena(f->s), what), choices))
        return false;
    for (int i = 0; choices[i]; i++) {
        bool chosen = false;
        if (!tw__dsd_has(&inner, choices[i])) continue;
        if (!tw__dsd_bool(&inner, choices[i], &chosen)) return false;
        if (!chosen) {
            tw__csl_error(f->s, tw__dsd_field_node(&inner, choices[i]), "csl.field",
                          ".%s is chosen by true; leave it out", choices[i]);
            return false;
        }
        if (*out >= 0) {
            tw__csl_error(f->s, name_node(&inner, choices[i]), "csl.field",
                          ".%s takes one choice: .%s or .%s, not both", name, choices[*out], choices[i]);
            return false;
        }
        *out = i;
    }
    if (*out >= 0) return true;
    tw__csl_error(f->s, at, "csl.field", ".%s chooses nothing; write .%s = .{ .%s = true }", name, name,
                  choices[0]);
    return false;
}
