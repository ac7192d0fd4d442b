/* SPDX-License-Identifier: MIT */
/* Types written in the source. */
#include "csl/lang/sema/local.h"

static const type *array_type(sema *s, const node *n)
{
    const type *element = tw__csl_type_expr(s, n->kid[0]);
    size_t rank = n->count - 1;
    uint32_t *dims = TW__NEW_N(s->arena, uint32_t, rank + 1);
    if (!element || !dims) return NULL;
    if (element->kind == TW__CSL_TY_ARRAY) {
        tw__csl_error(s, n->kid[0], "csl.type", "the elements of an array are not arrays: write [a, b]%s",
                      TYPE_TEXT(element->base));
        return NULL;
    }
    if (element->kind == TW__CSL_TY_VOID || element->kind == TW__CSL_TY_ANYTYPE) {
        tw__csl_error(s, n->kid[0], "csl.type", "an array cannot have elements of type %s", TYPE_TEXT(element));
        return NULL;
    }
    uint64_t all = 1;
    for (size_t d = 0; d < rank; d++) {
        int64_t dim;
        if (!tw__csl_comptime_int_in(s, n->kid[d + 1], "the size of an array", 0, UINT32_MAX, &dim)) return NULL;
        dims[d] = (uint32_t)dim;
        all = all > UINT32_MAX ? all : all * (uint64_t)dim;
    }
    if (all > (1u << 22)) {
        tw__csl_error(s, n, "csl.limit", "the array has more elements than any PE could hold");
        return NULL;
    }
    return tw__csl_type_array(s->types, element, rank, dims);
}

static const type *fn_type(sema *s, const node *n)
{
    const type *result = tw__csl_type_expr(s, n->kid[0]);
    size_t count = n->count - 1;
    const type **params = TW__NEW_N(s->arena, const type *, count + 1);
    if (!result || !params) return NULL;
    for (size_t i = 0; i < count; i++) {
        const node *p = n->kid[i + 1];
        const node *written = p->kind == TW__CSL_FPARAM ? p->kid[0] : p;
        params[i] = written ? tw__csl_type_expr(s, written) : &tw__csl_t_ANYTYPE;
        if (!params[i]) return NULL;
    }
    return tw__csl_type_fn(s->types, result, count, params, n->op == TW__CSL_T_TASK);
}

static const type *pointer_type(sema *s, const node *n)
{
    const type *base = tw__csl_type_expr(s, n->kid[0]);
    if (!base) return NULL;
    bool is_const = (n->flags & TW__CSL_F_CONST) != 0 || base->kind == TW__CSL_TY_FN;
    return tw__csl_type_pointer(s->types, base, is_const, n->kind == TW__CSL_MANY_POINTER);
}

/* A name for messages: that of `const name = struct {...}`, else the place of the definition. */
static const char *type_label(sema *s, const node *n, const char *what)
{
    if (n->name) return tw__csl_name_text(s, n->name);
    tw__csl_place where = tw__csl_where(s->ctx, n->loc);
    char *text = tw__arena_printf(s->arena, "%s@%d", what, where.line);
    return text ? text : what;
}

/* Packed fields lie bit by bit (CSL reference, types), so each needs a number of bits. */
static bool packs(sema *s, const node *at, const type *t)
{
    if (tw__csl_packed_width(t)) return true;
    tw__csl_error(s, at, "csl.type",
                  "%s cannot be a field of a packed type: numbers, bool, enums, pointers and packed types can",
                  TYPE_TEXT(t));
    return false;
}

/* The integer behind a packed type: 1 to 64 bits, and those of every variant of a union. */
static bool has_integer(sema *s, const node *n, const type *t)
{
    for (uint32_t i = 1; i < n->count && t->kind == TW__CSL_TY_UNION; i++) {
        unsigned first = tw__csl_packed_width(t->fields[0].type), width = tw__csl_packed_width(t->fields[i].type);
        if (width == first) continue;
        tw__csl_error(s, n->kid[i], "csl.type",
                      "the fields of a packed union have the same number of bits: '%s' has %u, '%s' has %u",
                      t->fields[0].name, first, t->fields[i].name, width);
        return false;
    }
    if (t->bits >= 1 && t->bits <= 64) return true;
    tw__csl_error(s, n, "csl.limit", "a packed type has 1 to 64 bits here, %s has %s%u", t->name,
                  t->bits > 64 ? "at least " : "", t->bits);
    return false;
}

static const type *struct_type(sema *s, const node *n)
{
    tw__csl_field *fields = TW__NEW_N(s->arena, tw__csl_field, n->count + 1);
    if (!fields) return NULL;
    for (uint32_t i = 0; i < n->count; i++) {
        const node *m = n->kid[i];
        const type *t = tw__csl_type_expr(s, m->kid[0]);
        if (!t || (n->flags & TW__CSL_F_PACKED && !packs(s, m->kid[0], t))) return NULL;
        fields[i] = (tw__csl_field){ tw__csl_name_text(s, m->name), t, 0, m->count > 1 ? m->kid[1] : NULL, 0 };
        for (uint32_t k = 0; k < i; k++)
            if (n->kid[k]->name == m->name) {
                tw__csl_error(s, m, "csl.redefinition", "field '%s' is declared twice", fields[i].name);
                return NULL;
            }
    }
    bool is_union = n->kind == TW__CSL_UNION;
    const type *made =
        tw__csl_type_struct(s->types, is_union ? TW__CSL_TY_UNION : TW__CSL_TY_STRUCT, n,
                            type_label(s, n, is_union ? "union" : "struct"), (n->flags & TW__CSL_F_EXTERN) != 0,
                            (n->flags & TW__CSL_F_PACKED) != 0, n->count, fields);
    return !made->packed || has_integer(s, n, made) ? made : NULL;
}

static bool is_taken(const tw__csl_enumerator *rows, const bool *set, size_t count, int64_t v)
{
    for (size_t i = 0; i < count; i++)
        if (set[i] && rows[i].value == v) return true;
    return false;
}

/* Values written come first; the others count up from 0, left to right, past those that are taken (CSL reference,
 * types). */
static const type *enum_type(sema *s, const node *n)
{
    const type *base = n->kid[0] ? tw__csl_type_expr(s, n->kid[0]) : &tw__csl_t_u16;
    size_t count = n->count - 1;
    tw__csl_enumerator *rows = TW__NEW_N(s->arena, tw__csl_enumerator, count + 1);
    bool *set = TW__NEW_N(s->arena, bool, count + 1);
    if (!base || !rows || !set) return NULL;
    if (base->kind != TW__CSL_TY_INT) {
        tw__csl_error(s, n->kid[0], "csl.type", "an enum stands on an integer type, not on %s", TYPE_TEXT(base));
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const node *e = n->kid[i + 1];
        rows[i].name = tw__csl_name_text(s, e->name);
        const node *written = e->count ? e->kid[0] : NULL;
        value v;
        for (size_t k = 0; k < i; k++)
            if (n->kid[k + 1]->name == e->name) {
                tw__csl_error(s, e, "csl.redefinition", "enumerator '%s' is declared twice", rows[i].name);
                return NULL;
            }
        if (!written) continue;
        if (!tw__csl_comptime(s, written, base, "the value of an enumerator", &v)) return NULL;
        if (is_taken(rows, set, i, (int64_t)v.i)) {
            tw__csl_error(s, e, "csl.redefinition", "two enumerators have the value %lld", (long long)v.i);
            return NULL;
        }
        rows[i].value = (int64_t)v.i;
        set[i] = true;
    }
    int64_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (set[i]) continue;
        while (is_taken(rows, set, count, next)) next++;
        rows[i].value = next;
        set[i] = true;
    }
    return tw__csl_type_enum(s->types, n, type_label(s, n, "enum"), base, count, rows);
}

const type *tw__csl_make_type(sema *s, const node *n)
{
    switch (n->kind) {
    case TW__CSL_ARRAY: return array_type(s, n);
    case TW__CSL_FN_TYPE: return fn_type(s, n);
    case TW__CSL_STRUCT:
    case TW__CSL_UNION: return struct_type(s, n);
    case TW__CSL_ENUM: return enum_type(s, n);
    default: return pointer_type(s, n);
    }
}
