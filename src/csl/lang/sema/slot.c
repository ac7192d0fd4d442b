/* SPDX-License-Identifier: MIT */
/* Comptime variables as places: from an lvalue to the value it names, pointers to them, addresses of globals. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

static value *slot_error(sema *s, const node *at, const char *text)
{
    tw__csl_error(s, at, "csl.comptime", "%s", text);
    return NULL;
}

/* Item i of the aggregate in v, made writable. */
static value *own_part(sema *s, const node *at, value *v, size_t i)
{
    if (v->parts->count > 1000 && (v->parts->shared || !v->parts->items) &&
        !tw__csl_memory(s, at, v->parts->count * sizeof(value)))
        return NULL;
    const tw__csl_aggregate *old = v->parts;
    tw__csl_aggregate *own = tw__csl_parts_own(s->arena, &v->parts);
    if (own != old) tw__csl_escape_all(s, s->slot_level);
    if (!own) {
        tw__csl_out_of_memory(s);
        return NULL;
    }
    return i < own->count ? &own->items[i] : NULL;
}

static value *field_slot(sema *s, const node *at, value *v, const char *name)
{
    if (v->type->kind == TW__CSL_TY_STRUCT || v->type->kind == TW__CSL_TY_UNION) {
        int i = tw__csl_field_index(v->type, name);
        if (i >= 0 && v->type->kind == TW__CSL_TY_UNION) {
            value *item = own_part(s, at, v, 0);
            if (item && v->parts->active != i) { /* the other field ends; this one starts from zero, or its bits */
                uint64_t bits;
                const type *field = v->type->fields[i].type;
                if (v->type->packed &&
                    (!tw__csl_packed_bits(s, at, item, &bits) || !tw__csl_packed_value(s, field, bits, item)))
                    return NULL;
                v->parts->active = i;
                if (!v->type->packed) tw__csl_zero(s->arena, field, item);
                tw__csl_escape(s, s->slot_level, item);
            }
            return item;
        }
        if (i >= 0) return own_part(s, at, v, (size_t)i);
    }
    tw__csl_error(s, at, "csl.field", "%s has no field '%s'", TYPE_TEXT(v->type), name);
    return NULL;
}

static value *index_slot(sema *s, const node *n, value *v)
{
    if (v->type->kind != TW__CSL_TY_ARRAY && !(v->type->kind == TW__CSL_TY_STRUCT && v->type->tuple))
        return slot_error(s, n, "only arrays and tuples have items");
    bool tuple = v->type->kind == TW__CSL_TY_STRUCT;
    size_t rank = tuple ? 1 : v->type->count, flat = 0;
    unsigned level = s->slot_level;
    if (n->count - 1 != rank) return slot_error(s, n, "the number of indices is not the rank of the array");
    for (size_t d = 0; d < rank; d++) {
        int64_t i, dim = tuple ? (int64_t)v->type->count : v->type->dims[d];
        if (!tw__csl_comptime_int_in(s, n->kid[d + 1], "the index", 0, dim - 1, &i)) return NULL;
        flat = flat * (size_t)dim + (size_t)i;
    }
    s->slot_level = level; /* the index may have led into other variables */
    return own_part(s, n, v, flat);
}

value *tw__csl_slot_at(sema *s, const node *at, tw__csl_pointer p, const type *t)
{
    value *v = &p.cell->v;
    int64_t offset = p.offset;
    s->slot_level = p.cell->level;
    while (v && v->type != t) { /* down to the part of type t at this offset */
        const type *now = v->type;
        if (now->kind == TW__CSL_TY_ARRAY && now->base->size) {
            size_t i = (size_t)(offset / now->base->size);
            offset %= now->base->size;
            v = own_part(s, at, v, i);
        } else if (now->kind == TW__CSL_TY_STRUCT && now->count) {
            size_t i = 0;
            while (i + 1 < now->count && now->fields[i + 1].offset <= offset) i++;
            offset -= now->fields[i].offset;
            v = own_part(s, at, v, i);
        } else {
            break;
        }
    }
    if (v && v->type == t) return v;
    tw__csl_error(s, at, "csl.comptime", "the pointer does not point to a %s", TYPE_TEXT(t));
    return NULL;
}

static value *name_slot(sema *s, const node *n)
{
    const binding *b = tw__csl_find_local(s, n->name);
    if (b && !b->cell && tw__csl_is_nothing(&b->o)) return NULL;
    if (!b) {
        operand o = tw__csl_expr(s, n, NULL); /* is there such a name at all? */
        if (tw__csl_is_nothing(&o)) return NULL;
    }
    if (!b || !b->cell) {
        tw__csl_error(s, n, "csl.assign", "'%s' cannot be assigned at compile time", tw__csl_name_text(s, n->name));
        return NULL;
    }
    if (b->cell->depth < s->depth) {
        tw__csl_error(s, n, "csl.comptime", "comptime variable '%s' is assigned under a condition of run time",
                      tw__csl_name_text(s, n->name));
        return NULL;
    }
    s->slot_level = b->cell->level;
    return &b->cell->v;
}

static value *deref_slot(sema *s, const node *n)
{
    operand p = tw__csl_expr_rvalue(s, n->kid[0], NULL);
    if (tw__csl_is_nothing(&p)) return NULL;
    if (!tw__csl_is_known(&p) || p.type->kind != TW__CSL_TY_POINTER || !p.value.pointer.cell)
        return slot_error(s, n, "this memory can be written only at run time");
    if (p.type->is_const) return slot_error(s, n, "the pointer is to const");
    return tw__csl_slot_at(s, n, p.value.pointer, p.type->base);
}

value *tw__csl_slot(sema *s, const node *n)
{
    value *v;
    switch (n->kind) {
    case TW__CSL_NAME: return name_slot(s, n);
    case TW__CSL_DEREF: return deref_slot(s, n);
    case TW__CSL_FIELD:
        v = tw__csl_slot(s, n->kid[0]);
        return v ? field_slot(s, n, v, tw__csl_name_text(s, n->name)) : NULL;
    case TW__CSL_INDEX: v = tw__csl_slot(s, n->kid[0]); return v ? index_slot(s, n, v) : NULL;
    case TW__CSL_BUILTIN:
        if (!strcmp(tw__csl_name_text(s, n->name), "field") && n->count == 2) {
            value name;
            v = tw__csl_slot(s, n->kid[0]);
            unsigned level = s->slot_level;
            if (!v || !tw__csl_comptime(s, n->kid[1], &tw__csl_t_COMPTIME_STRING, "the name of a field", &name))
                return NULL;
            s->slot_level = level;
            return field_slot(s, n, v, name.string.bytes);
        }
        break;
    default: break;
    }
    return slot_error(s, n, "this expression cannot be assigned");
}

bool tw__csl_is_comptime_lvalue(sema *s, const node *n)
{
    if (!s->gen) return true;
    bool through_pointer = false;
    for (;;) {
        if (n->kind == TW__CSL_DEREF)
            through_pointer = true;
        else if (n->kind != TW__CSL_FIELD && n->kind != TW__CSL_INDEX && n->kind != TW__CSL_BUILTIN)
            break;
        if (!n->count) return false;
        n = n->kid[0];
    }
    const binding *b = n->kind == TW__CSL_NAME ? tw__csl_find_local(s, n->name) : NULL;
    if (!b) return false;
    if (!through_pointer) return b->cell != NULL;
    const value *v = b->cell ? &b->cell->v : b->o.kind == TW__CSL_O_VALUE ? &b->o.value : NULL;
    return v && v->type->kind == TW__CSL_TY_POINTER && v->pointer.cell;
}

/* --- & --- */

static operand pointer_to(sema *s, const node *at, const operand *place)
{
    const type *t = tw__csl_type_pointer(s->types, place->type, place->is_const, false);
    if (place->has_reg) {
        operand o = { .kind = TW__CSL_O_REGISTER, .type = t, .reg = place->reg };
        if (place->place.offset || place->place.global) {
            if (!s->gen) return tw__csl_unknown(s, at, t);
            o.reg = tw__csl_place_register(s, at, place);
        }
        return o;
    }
    return tw__csl_known((value){ .type = t, .pointer = place->place });
}

static operand address_of_bits(sema *s, const node *at, const type *t)
{
    return tw__csl_error(
        s, at, "csl.address",
        "a field of the packed %s has no address, it may begin inside a byte: copy it to a variable", TYPE_TEXT(t));
}

/* &cell, &cell[i], &cell.f: a pointer into the comptime variable. */
static operand cell_pointer(sema *s, const node *n)
{
    int64_t offset = 0;
    const node *at = n;
    const type *t = NULL;
    if (at->kind == TW__CSL_INDEX || at->kind == TW__CSL_FIELD) {
        operand inner = cell_pointer(s, at->kid[0]);
        if (tw__csl_is_nothing(&inner)) return inner;
        t = inner.type->base;
        offset = inner.value.pointer.offset;
        if (at->kind == TW__CSL_FIELD) {
            int i = t->kind == TW__CSL_TY_STRUCT ? tw__csl_field_index(t, tw__csl_name_text(s, at->name)) : -1;
            if (i < 0) return tw__csl_error(s, at, "csl.field", "%s has no such field", TYPE_TEXT(t));
            if (t->packed) return address_of_bits(s, at, t);
            offset += t->fields[i].offset;
            t = t->fields[i].type;
        } else {
            int64_t flat = 0;
            if (t->kind != TW__CSL_TY_ARRAY || at->count - 1 != t->count)
                return tw__csl_error(s, at, "csl.index", "%s is not indexed like this", TYPE_TEXT(t));
            for (size_t d = 0; d < t->count; d++) {
                int64_t i;
                if (!tw__csl_comptime_int_in(s, at->kid[d + 1], "the index", 0, (int64_t)t->dims[d] - 1, &i))
                    return tw__csl_nothing();
                flat = flat * t->dims[d] + i;
            }
            offset += flat * t->base->size;
            t = t->base;
        }
        value v = { .type = tw__csl_type_pointer(s->types, t, false, false),
                    .pointer = { .cell = inner.value.pointer.cell, .offset = offset } };
        return tw__csl_known(v);
    }
    const binding *b = at->kind == TW__CSL_NAME ? tw__csl_find_local(s, at->name) : NULL;
    if (!b || !b->cell) return tw__csl_error(s, at, "csl.address", "'&' needs a variable");
    value v = { .type = tw__csl_type_pointer(s->types, b->cell->v.type, false, false),
                .pointer = { .cell = b->cell } };
    return tw__csl_known(v);
}

static const binding *root_local(const sema *s, const node *n)
{
    while (n->kind == TW__CSL_INDEX || n->kind == TW__CSL_FIELD) n = n->kid[0];
    return n->kind == TW__CSL_NAME ? tw__csl_find_local(s, n->name) : NULL;
}

/* The global behind a name or member access, without reading its value. */
tw__csl_global *tw__csl_named_global(sema *s, const node *n)
{
    const entry *e = NULL;
    if (n->kind == TW__CSL_NAME && !tw__csl_find_local(s, n->name)) {
        e = tw__csl_member(s->module, n->name);
    } else if (n->kind == TW__CSL_FIELD) {
        const node *root = n;
        while (root->kind == TW__CSL_FIELD) root = root->kid[0];
        if (root->kind != TW__CSL_NAME || tw__csl_find_local(s, root->name)) return NULL;
        const entry *first = tw__csl_member(s->module, root->name);
        if (!first || !first->global) return NULL;
        operand object = tw__csl_expr(s, n->kid[0], NULL);
        if (object.type->kind == TW__CSL_TY_MODULE && tw__csl_is_known(&object))
            e = tw__csl_member(object.value.module, n->name);
    }
    return e ? e->global : NULL;
}

/* A constant of the module whose address is taken lives in PE memory. */
static operand global_place(sema *s, const node *at, tw__csl_global *g)
{
    operand o = tw__csl_global_operand(s, at, g);
    if (o.kind != TW__CSL_O_VALUE || !o.type->size) return o;
    return (operand){ .kind = TW__CSL_O_PLACE, .type = o.type, .is_const = true, .place = { .global = g } };
}

operand tw__csl_address_of(sema *s, const node *n)
{
    const binding *local = root_local(s, n);
    if (local && local->cell) return cell_pointer(s, n);
    operand o;
    const node *root = n;
    size_t depth = 0;
    while (root->kind == TW__CSL_INDEX || (root->kind == TW__CSL_FIELD && !tw__csl_named_global(s, root))) {
        root = root->kid[0];
        depth++;
    }
    tw__csl_global *g = local ? NULL : tw__csl_named_global(s, root);
    if (!g) {
        o = tw__csl_expr(s, n, NULL);
    } else {
        o = global_place(s, root, g);
        for (; depth; depth--) { /* the parts from the root outwards */
            const node *part = n;
            for (size_t up = 1; up < depth; up++) part = part->kid[0];
            o = part->kind == TW__CSL_INDEX ? tw__csl_index(s, part, o)
                                            : tw__csl_part_named(s, part, o, tw__csl_name_text(s, part->name));
        }
    }
    if (tw__csl_is_nothing(&o)) return o;
    const tw__csl_function *f = tw__csl_function_of(&o);
    if (f && f->is_inline) return tw__csl_error(s, n, "csl.address", "'%s' is inline: it has no address", f->name);
    if (f) {
        if (o.type->kind == TW__CSL_TY_POINTER) return o;
        value v = o.value;
        v.type = tw__csl_type_pointer(s->types, o.type, true, false);
        return tw__csl_known(v);
    }
    if (o.kind == TW__CSL_O_VALUE && tw__csl_is_aggregate(o.type) && o.type->size && local) {
        o = tw__csl_in_memory(s, n, o); /* a local constant: its table */
    }
    if (o.kind == TW__CSL_O_PLACE && o.unit) return address_of_bits(s, n, o.unit);
    if (o.kind != TW__CSL_O_PLACE)
        return tw__csl_error(s, n, "csl.address", "'&' needs a variable, not a temporary value");
    return pointer_to(s, n, &o);
}
