/* SPDX-License-Identifier: MIT */
/* Places: memory and comptime variables; loading, storing, fields, elements, pointers. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

static operand part_value(value v)
{
    return tw__csl_known(v);
}

operand tw__csl_part_of(const operand *o, size_t i)
{
    if (o->kind == TW__CSL_O_GROUP) return o->parts[i];
    if (o->kind == TW__CSL_O_VALUE && o->value.parts && i < o->value.parts->count)
        return part_value(tw__csl_part(o->value.parts, i));
    return tw__csl_nothing();
}

operand tw__csl_compose(sema *s, const type *t, operand *parts, size_t count)
{
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        if (tw__csl_is_nothing(&parts[i])) return tw__csl_nothing();
        known = known && tw__csl_is_known(&parts[i]);
    }
    if (!known) return (operand){ .kind = TW__CSL_O_GROUP, .type = t, .parts = parts };
    value v = { .type = t, .parts = tw__csl_parts_new(s->arena, count) };
    if (!v.parts) {
        tw__csl_out_of_memory(s);
        return tw__csl_nothing();
    }
    v.parts->shared = true;
    for (size_t i = 0; i < count; i++) {
        v.parts->items[i] = parts[i].value;
        if (tw__csl_is_aggregate(parts[i].type) && parts[i].value.parts) parts[i].value.parts->shared = true;
    }
    return tw__csl_known(v);
}

operand tw__csl_compose_named(sema *s, size_t count, const char *const *names, const operand *parts)
{
    const type *types[8];
    for (size_t i = 0; i < count; i++) types[i] = parts[i].type;
    operand *copy = TW__NEW_N(s->arena, operand, count);
    if (!copy) return tw__csl_nothing();
    memcpy(copy, parts, count * sizeof *parts);
    return tw__csl_compose(s, tw__csl_type_anonymous(s->types, count, names, types), copy, count);
}

/* --- reading --- */

static operand runtime_read(sema *s, const node *at, const operand *o)
{
    if (s->dry) return tw__csl_unknown(s, at, o->type);
    const char *what = o->place.global ? o->place.global->name : "memory of the PE";
    return tw__csl_error(s, at, "csl.comptime",
                         "'%s' has no value at compile time: it can be read only at run time", what);
}

/* The part of a constant at `offset` that has type `t`; false when there is none such. */
static bool constant_part(value v, int64_t offset, const type *t, value *out)
{
    while (v.type != t) {
        size_t i = 0;
        if (v.type->kind == TW__CSL_TY_ARRAY && v.type->base->size) {
            i = (size_t)(offset / v.type->base->size);
            offset %= v.type->base->size;
        } else if (v.type->kind == TW__CSL_TY_STRUCT && v.type->count) {
            while (i + 1 < v.type->count && v.type->fields[i + 1].offset <= offset) i++;
            offset -= v.type->fields[i].offset;
        } else {
            return false;
        }
        if (i >= v.parts->count) return false;
        v = tw__csl_part(v.parts, i);
    }
    *out = v;
    return offset == 0;
}

/* The address of a place as (base register?, offset): for a load or store, which keeps it to itself. */
static bool access_address(sema *s, const node *at, const operand *o, int64_t *offset)
{
    *offset = o->place.offset;
    if (o->place.global && !tw__csl_place_global(s, at, o->place.global)) return false;
    if (o->place.global) *offset += o->place.global->address;
    return true;
}

/* The same for whoever passes it on. */
static bool place_address(sema *s, const node *at, const operand *o, int64_t *offset)
{
    if (o->place.global) o->place.global->addressed = true;
    return access_address(s, at, o, offset);
}

/* The load or store that was written last reaches no other variable. */
static void stays_inside(sema *s, const operand *place)
{
    const tw__csl_global *g = place->place.global;
    if (g && place->has_reg && place->inside) tw__csl_emit_object(&s->gen->e, g->address, g->type->size);
}

operand tw__csl_rvalue(sema *s, const node *at, operand o)
{
    if (o.kind != TW__CSL_O_PLACE) return o;
    if (o.place.cell) {
        value *v = tw__csl_slot_at(s, at, o.place, o.type);
        if (v && tw__csl_is_aggregate(v->type) && v->parts) v->parts->shared = true;
        return v ? tw__csl_known(*v) : tw__csl_nothing();
    }
    const tw__csl_global *g = o.place.global;
    value part;
    if (!s->gen && g && !g->is_var && !o.has_reg && g->value.kind == TW__CSL_O_VALUE && o.place.offset >= 0 &&
        constant_part(g->value.value, o.place.offset, o.unit ? o.unit : o.type, &part)) {
        uint64_t bits;
        if (!o.unit) return tw__csl_known(part);
        if (!tw__csl_packed_bits(s, at, &part, &bits) || !tw__csl_packed_value(s, o.type, bits >> o.bit, &part))
            return tw__csl_nothing();
        return tw__csl_known(part);
    }
    if (o.unit) return s->gen ? tw__csl_packed_read(s, at, &o) : runtime_read(s, at, &o);
    if (tw__csl_is_aggregate(o.type)) return o;
    if (!s->gen) return runtime_read(s, at, &o);
    int64_t offset;
    if (!access_address(s, at, &o, &offset)) return tw__csl_nothing();
    operand r = { .kind = TW__CSL_O_REGISTER, .type = o.type, .reg = tw__gen_register(s->gen, o.type) };
    if (!o.type->size) return r;
    tw__gen_load(s->gen, r.reg, o.type, o.has_reg, o.reg, offset);
    stays_inside(s, &o);
    return r;
}

operand tw__csl_expr_rvalue(sema *s, const node *n, const type *expected)
{
    operand o = tw__csl_expr(s, n, expected);
    return o.kind == TW__CSL_O_PLACE ? tw__csl_rvalue(s, n, o) : o;
}

/* Register with the address of a place. */
uint16_t tw__csl_place_register(sema *s, const node *at, const operand *o)
{
    int64_t offset;
    if (!place_address(s, at, o, &offset)) return 0;
    if (o->has_reg && offset == 0) return o->reg;
    if (!s->gen) return tw__csl_unknown(s, at, o->type), 0;
    uint16_t reg = tw__gen_register(s->gen, &tw__csl_t_u16);
    if (!o->has_reg) {
        tw__gen_load_int(s->gen, reg, (uint64_t)(offset & 0xffff));
    } else if (offset >= INT16_MIN && offset <= INT16_MAX) {
        tw__gen_emit(s->gen, TW__CSL_I_ADDI_U16, reg, o->reg, (uint16_t)offset);
    } else {
        tw__gen_load_int(s->gen, reg, (uint64_t)(offset & 0xffff));
        tw__gen_emit(s->gen, TW__CSL_I_ADD_U16, reg, reg, o->reg);
    }
    return reg;
}

/* Pointers become addresses. */
bool tw__csl_scalar_bits(sema *s, const node *at, const value *v, uint64_t *bits)
{
    const type *t = v->type;
    *bits = 0;
    if (tw__csl_is_float(t)) {
        tw_convert(t->machine, bits, TW_F64, &v->f, (tw_convert_mode){ 0 }, 0);
        return true;
    }
    if (t->kind == TW__CSL_TY_POINTER && t->base->kind == TW__CSL_TY_FN) {
        int index = v->function ? tw__csl_function_index(s, at, v->function) : 0;
        *bits = (uint64_t)index;
        return index >= 0;
    }
    if (t->kind == TW__CSL_TY_POINTER) {
        operand place = { .kind = TW__CSL_O_PLACE, .type = t->base, .place = v->pointer };
        int64_t offset;
        if (v->pointer.cell) {
            tw__csl_error(s, at, "csl.comptime", "a pointer to a comptime variable has no address at run time");
            return false;
        }
        if (!place_address(s, at, &place, &offset)) return false;
        *bits = (uint64_t)(offset & 0xffff);
        return true;
    }
    *bits = (uint64_t)v->i;
    return true;
}

/* Packs a value into PE memory form. */
bool tw__csl_bytes(sema *s, const node *at, const value *v, uint8_t *out)
{
    const type *t = v->type;
    uint64_t bits;
    if (tw__csl_is_dsd(t)) {
        tw__csl_dsd packed;
        if (!tw__csl_pack_dsd(s, at, v, &packed)) return false;
        memcpy(out, &packed, sizeof packed);
        return true;
    }
    if (!tw__csl_is_aggregate(t)) {
        if (!tw__csl_scalar_bits(s, at, v, &bits)) return false;
        memcpy(out, &bits, t->size < 8 ? t->size : 8);
        return true;
    }
    if (t->packed) {
        if (!tw__csl_packed_bits(s, at, v, &bits)) return false;
        memcpy(out, &bits, t->size);
        return true;
    }
    for (size_t i = 0; i < v->parts->count; i++) {
        value part = tw__csl_part(v->parts, i);
        size_t offset = t->kind == TW__CSL_TY_ARRAY   ? i * t->base->size
                        : t->kind == TW__CSL_TY_UNION ? 0
                                                      : t->fields[i].offset;
        if (!tw__csl_bytes(s, at, &part, out + offset)) return false;
    }
    return true;
}

static uint16_t known_register(sema *s, const node *at, const operand *o, uint16_t reg)
{
    if (tw__csl_is_dsd(o->type)) {
        tw__csl_dsd packed;
        if (tw__csl_pack_dsd(s, at, &o->value, &packed))
            tw__gen_emit_wide(s->gen, TW__CSL_I_LDK2, reg, tw__csl_program_dsd(tw__csl_sema_program(s), &packed));
        return reg;
    }
    uint64_t bits = 0;
    if (tw__csl_scalar_bits(s, at, &o->value, &bits)) tw__gen_load_int(s->gen, reg, bits);
    return reg;
}

uint16_t tw__csl_to_register(sema *s, const node *at, const operand *given)
{
    operand o = *given;
    if (o.kind == TW__CSL_O_REGISTER) return o.reg;
    if (tw__csl_is_nothing(&o) || !s->gen) return 0;
    if (!tw__csl_is_runtime(o.type)) {
        tw__csl_error(s, at, "csl.comptime", "a value of type %s exists only at compile time", TYPE_TEXT(o.type));
        return 0;
    }
    if (tw__csl_is_aggregate(o.type)) { /* aggregates travel as their address */
        o = tw__csl_in_memory(s, at, o);
        return o.kind == TW__CSL_O_PLACE ? tw__csl_place_register(s, at, &o) : 0;
    }
    if (o.kind == TW__CSL_O_VALUE) return known_register(s, at, &o, tw__gen_register(s->gen, o.type));
    o = tw__csl_rvalue(s, at, o);
    return o.reg;
}

/* --- storing --- */

static void store_parts(sema *s, const node *at, const operand *place, const operand *o)
{
    const type *t = o->type;
    size_t count = t->kind == TW__CSL_TY_ARRAY ? tw__csl_element_count(t) : t->count;
    for (size_t i = 0; i < count; i++) {
        operand part = t->packed ? tw__csl_packed_field(*place, i) : *place;
        if (!t->packed) {
            part.type = t->kind == TW__CSL_TY_ARRAY ? t->base : t->fields[i].type;
            part.place.offset += t->kind == TW__CSL_TY_ARRAY ? (int64_t)(i * t->base->size) : t->fields[i].offset;
        }
        tw__csl_store(s, at, part, tw__csl_part_of(o, i));
    }
}

/* A constant aggregate: bytes in PE memory that are copied; equal words (zeros above all) are filled in. */
static void store_constant(sema *s, const node *at, const operand *place, const operand *o)
{
    uint32_t size = o->type->size;
    uint8_t *bytes = TW__NEW_N(s->arena, uint8_t, size + 1);
    if (!bytes || !tw__csl_bytes(s, at, &o->value, bytes)) return;
    bool same = size % 2 == 0;
    for (uint32_t i = 2; i < size && same; i++) same = bytes[i] == bytes[i - 2];
    uint16_t to = tw__csl_place_register(s, at, place);
    if (same) {
        uint16_t word = tw__gen_register(s->gen, &tw__csl_t_u16);
        tw__gen_load_int(s->gen, word, (uint64_t)(bytes[0] | bytes[1] << 8));
        tw__gen_emit(s->gen, TW__CSL_I_FILL, to, word, size / 2);
        return;
    }
    operand table = tw__csl_in_memory(s, at, *o);
    tw__gen_copy(s->gen, to, tw__csl_place_register(s, at, &table), size);
}

/* The instruction that computed a temporary may write the variable itself. */
static bool redirect(gen *g, uint16_t to, uint16_t from)
{
    if (g->e.code_count <= g->barrier || from + 1u != g->next) return false;
    tw__csl_insn *last = &g->e.code[g->e.code_count - 1];
    if (last->a != from || tw__csl_op_rows[last->op].operands[0] != 'd' || last->op == TW__CSL_I_DSDOP)
        return false;
    last->a = to;
    return true;
}

void tw__csl_store(sema *s, const node *at, operand place, operand v)
{
    if (tw__csl_is_nothing(&place) || tw__csl_is_nothing(&v) || !s->gen || !place.type->size) return;
    tw__gen_at(s->gen, at);
    if (place.kind == TW__CSL_O_REGISTER) {
        if (v.kind == TW__CSL_O_REGISTER && !v.variable && redirect(s->gen, place.reg, v.reg)) return;
        if (v.kind == TW__CSL_O_VALUE) {
            known_register(s, at, &v, place.reg);
            return;
        }
        tw__gen_move(s->gen, place.reg, tw__csl_to_register(s, at, &v), place.type);
        return;
    }
    if (place.unit && v.kind != TW__CSL_O_GROUP) {
        tw__csl_packed_store(s, at, &place, v);
        return;
    }
    if (v.kind == TW__CSL_O_PLACE && v.unit) v = tw__csl_rvalue(s, at, v);
    if (!tw__csl_is_aggregate(place.type)) {
        uint16_t reg = tw__csl_to_register(s, at, &v);
        int64_t offset;
        if (!access_address(s, at, &place, &offset)) return;
        tw__gen_store(s->gen, reg, place.type, place.has_reg, place.reg, offset);
        stays_inside(s, &place);
        return;
    }
    if (v.kind == TW__CSL_O_GROUP) {
        store_parts(s, at, &place, &v);
    } else if (v.kind == TW__CSL_O_VALUE) {
        store_constant(s, at, &place, &v);
    } else if (v.kind == TW__CSL_O_PLACE) {
        uint16_t to = tw__csl_place_register(s, at, &place);
        tw__gen_copy(s->gen, to, tw__csl_place_register(s, at, &v), place.type->size);
    }
}

operand tw__csl_in_memory(sema *s, const node *at, operand o)
{
    if (o.kind == TW__CSL_O_PLACE && o.unit) o = tw__csl_rvalue(s, at, o);
    if (o.kind == TW__CSL_O_PLACE || tw__csl_is_nothing(&o)) return o;
    operand place = { .kind = TW__CSL_O_PLACE, .type = o.type, .is_const = true };
    if (o.kind == TW__CSL_O_VALUE) {
        place.place.global = tw__csl_hidden(s, at, "constant", o.type, o);
        return place.place.global ? place : tw__csl_nothing();
    }
    if (!s->gen) return tw__csl_unknown(s, at, o.type);
    place.has_reg = true;
    place.reg = tw__gen_local(s->gen, o.type->size ? o.type->size : 2, o.type->align);
    if (o.type->size) tw__csl_store(s, at, place, o);
    return place;
}

/* --- parts of aggregates --- */

static operand place_part(operand object, const type *t, int64_t offset)
{
    object.type = t;
    object.place.offset += offset;
    return object;
}

bool tw__csl_get_field(const operand *object, const char *name, operand *out)
{
    if (object->type->kind != TW__CSL_TY_STRUCT) return false;
    int i = tw__csl_field_index(object->type, name);
    if (i < 0) return false;
    *out = object->kind == TW__CSL_O_PLACE && object->type->packed ? tw__csl_packed_field(*object, (size_t)i)
           : object->kind == TW__CSL_O_PLACE
               ? place_part(*object, object->type->fields[i].type, object->type->fields[i].offset)
               : tw__csl_part_of(object, (size_t)i);
    return true;
}

static operand no_field(sema *s, const node *at, const type *t, const char *name)
{
    const char **names = TW__NEW_N(s->arena, const char *, t->count + 1);
    char hint[TW__HINT_BYTES];
    for (size_t i = 0; names && i < t->count; i++)
        names[i] = t->kind == TW__CSL_TY_ENUM ? t->enumerators[i].name : t->fields[i].name;
    return tw__csl_error(s, at, "csl.field", "%s has no %s '%s'%s", TYPE_TEXT(t),
                         t->kind == TW__CSL_TY_ENUM ? "value" : "field", name,
                         tw__did_you_mean(hint, names ? tw__nearest(name, names, t->count) : NULL));
}

static operand type_member(sema *s, const node *at, const type *t, const char *name)
{
    if (t->kind != TW__CSL_TY_ENUM)
        return tw__csl_error(s, at, "csl.field", "type %s has no member '%s'", TYPE_TEXT(t), name);
    for (size_t i = 0; i < t->count; i++)
        if (!strcmp(t->enumerators[i].name, name)) return tw__csl_known(tw__csl_of_int(t, t->enumerators[i].value));
    return no_field(s, at, t, name);
}

static operand union_field(sema *s, const node *at, const operand *o, int i)
{
    if (o->kind == TW__CSL_O_PLACE)
        return o->type->packed ? tw__csl_packed_field(*o, (size_t)i) : place_part(*o, o->type->fields[i].type, 0);
    if (o->value.parts->active == i) return part_value(tw__csl_part(o->value.parts, 0));
    uint64_t bits;
    value v;
    if (o->type->packed)
        return tw__csl_packed_bits(s, at, &o->value, &bits) &&
                       tw__csl_packed_value(s, o->type->fields[i].type, bits, &v)
                   ? tw__csl_known(v)
                   : tw__csl_nothing();
    return tw__csl_error(s, at, "csl.field", "field '%s' of the union is not the one that was set",
                         o->type->fields[i].name);
}

operand tw__csl_part_named(sema *s, const node *at, operand o, const char *name)
{
    if (tw__csl_is_nothing(&o)) return o;
    if (o.type->kind == TW__CSL_TY_POINTER && !o.type->many && tw__csl_is_aggregate(o.type->base)) {
        o = tw__csl_deref(s, at, o);
        if (tw__csl_is_nothing(&o)) return o;
    }
    operand out;
    if (tw__csl_get_field(&o, name, &out)) return out;
    if (o.type->kind == TW__CSL_TY_UNION && tw__csl_field_index(o.type, name) >= 0)
        return union_field(s, at, &o, tw__csl_field_index(o.type, name));
    if (o.type->kind == TW__CSL_TY_TYPE && tw__csl_is_known(&o)) return type_member(s, at, o.value.t, name);
    if (o.type->kind == TW__CSL_TY_MODULE && tw__csl_is_known(&o)) {
        tw__csl_name id = tw__csl_intern(s->ctx, name, strlen(name));
        const entry *e = tw__csl_member(o.value.module, id);
        if (e) return tw__csl_entry_operand(s, at, e);
        return tw__csl_error(s, at, "csl.name", "module %s has no member '%s'", o.value.module->path, name);
    }
    if (o.type->kind == TW__CSL_TY_STRUCT || o.type->kind == TW__CSL_TY_UNION) return no_field(s, at, o.type, name);
    return tw__csl_error(s, at, "csl.field", "%s has no fields", TYPE_TEXT(o.type));
}

operand tw__csl_deref(sema *s, const node *at, operand p)
{
    p = tw__csl_rvalue(s, at, p);
    if (tw__csl_is_nothing(&p)) return p;
    if (p.type->kind != TW__CSL_TY_POINTER)
        return tw__csl_error(s, at, "csl.type", "'.*' needs a pointer, got %s", TYPE_TEXT(p.type));
    if (p.type->many)
        return tw__csl_error(s, at, "csl.type", "%s points to many items: use [index]", TYPE_TEXT(p.type));
    operand place = { .kind = TW__CSL_O_PLACE, .type = p.type->base, .is_const = p.type->is_const };
    if (tw__csl_is_known(&p)) {
        place.place = p.value.pointer;
        return place;
    }
    place.has_reg = true;
    place.reg = p.reg;
    return place;
}

/* --- indices --- */

typedef struct position { /* of an element: known part in elements, plus a register with the rest (in elements) */
    int64_t known;
    bool has_reg;
    uint16_t reg;
} position;

static void add_index(sema *s, const operand *i, uint32_t dim, position *at)
{
    gen *g = s->gen;
    if (at->known && dim != 1) at->known *= dim;
    if (at->has_reg && dim != 1) {
        uint16_t scaled = tw__gen_register(g, &tw__csl_t_u16);
        if (dim <= INT16_MAX) {
            tw__gen_emit(g, TW__CSL_I_MULI_U16, scaled, at->reg, dim);
        } else {
            tw__gen_load_int(g, scaled, dim);
            tw__gen_emit(g, TW__CSL_I_MUL_U16, scaled, at->reg, scaled);
        }
        at->reg = scaled;
    }
    if (tw__csl_is_known(i)) {
        at->known += (int64_t)i->value.i;
        return;
    }
    if (!at->has_reg) {
        at->reg = i->reg;
        at->has_reg = true;
        return;
    }
    uint16_t sum = tw__gen_register(g, &tw__csl_t_u16);
    tw__gen_emit(g, TW__CSL_I_ADD_U16, sum, at->reg, i->reg);
    at->reg = sum;
}

enum { ADDRESSES = 1 << 16 };

static bool index_operand(sema *s, const node *n, uint32_t dim, bool bounded, operand *out)
{
    *out = tw__csl_expr_rvalue(s, n, NULL);
    if (tw__csl_is_nothing(out)) return false;
    if (!tw__csl_is_int(out->type)) {
        tw__csl_error(s, n, "csl.type", "an index must be an integer, got %s", TYPE_TEXT(out->type));
        return false;
    }
    if (bounded && tw__csl_is_known(out) && (out->value.i < 0 || out->value.i >= dim)) {
        tw__csl_error(s, n, "csl.index", "index %s is outside the %u elements of this dimension",
                      tw__csl_int_text((char[48]){ 0 }, out->value.i), dim);
        return false;
    }
    if (!bounded && tw__csl_is_known(out) && (out->value.i < -ADDRESSES || out->value.i >= ADDRESSES)) {
        tw__csl_error(s, n, "csl.index", "index %s leaves the memory of a PE, whose addresses have 16 bits",
                      tw__csl_int_text((char[48]){ 0 }, out->value.i));
        return false;
    }
    if (bounded && s->gen && out->kind == TW__CSL_O_REGISTER) tw__gen_index(s->gen, n, out->reg, out->type, dim);
    return true;
}

static operand element_place(sema *s, operand base, const type *element, position at)
{
    gen *g = s->gen;
    base.place.offset += at.known * element->size;
    base.type = element;
    if (!at.has_reg) return base;
    uint16_t bytes = at.reg;
    if (element->size != 1) {
        bytes = tw__gen_register(g, &tw__csl_t_u16);
        tw__gen_emit(g, TW__CSL_I_MULI_U16, bytes, at.reg, element->size);
    }
    if (base.has_reg) {
        uint16_t sum = tw__gen_register(g, &tw__csl_t_u16);
        tw__gen_emit(g, TW__CSL_I_ADD_U16, sum, bytes, base.reg);
        bytes = sum;
    }
    base.has_reg = true;
    base.reg = bytes;
    return base;
}

/* o[i, j]: array (place, group or value), [*]T, pointer to array, tuple, string. */
operand tw__csl_index(sema *s, const node *n, operand o)
{
    if (tw__csl_is_nothing(&o)) return o;
    if (o.type->kind == TW__CSL_TY_POINTER && !o.type->many && o.type->base->kind == TW__CSL_TY_ARRAY)
        o = tw__csl_deref(s, n, o);
    bool many = o.type->kind == TW__CSL_TY_POINTER && o.type->many;
    bool tuple = o.type->kind == TW__CSL_TY_STRUCT && o.type->tuple;
    if (!many && !tuple && o.type->kind != TW__CSL_TY_ARRAY)
        return tw__csl_error(s, n, "csl.type", "%s cannot be indexed", TYPE_TEXT(o.type));
    size_t rank = many || tuple ? 1 : o.type->count;
    if (n->count - 1 != rank)
        return tw__csl_error(s, n, "csl.index", "%s takes %zu ind%s, got %u", TYPE_TEXT(o.type), rank,
                             rank == 1 ? "ex" : "ices", n->count - 1);
    operand base = o;
    const type *element = many ? o.type->base : tuple ? NULL : o.type->base;
    if (many) {
        operand p = tw__csl_rvalue(s, n, o);
        if (tw__csl_is_nothing(&p)) return p;
        base = (operand){ .kind = TW__CSL_O_PLACE, .type = element, .is_const = o.type->is_const };
        if (tw__csl_is_known(&p))
            base.place = p.value.pointer;
        else {
            base.has_reg = true;
            base.reg = p.reg;
        }
    }
    position at = { 0 };
    bool good = true;
    const node *unknown = NULL; /* the first index that only run time knows, where no code is made */
    for (size_t d = 0; d < rank; d++) {
        uint32_t dim = many ? 1 : tuple ? (uint32_t)o.type->count : o.type->dims[d];
        operand i;
        good = index_operand(s, n->kid[d + 1], dim, !many, &i) && good;
        if (good && !s->gen && !tw__csl_is_known(&i) && !unknown) unknown = n->kid[d + 1];
        if (good && !unknown) add_index(s, &i, dim, &at);
    }
    if (!good) return tw__csl_nothing();
    if (unknown && !tuple) {
        base = tw__csl_unknown(s, unknown, element);
        if (!tw__csl_is_nothing(&base)) base.kind = TW__CSL_O_PLACE, base.has_reg = true; /* it has an address */
        return base;
    }
    at.has_reg |= unknown != NULL;
    if (tuple) {
        if (at.has_reg)
            return tw__csl_error(s, n, "csl.comptime", "the index of a tuple must be known at compile time");
        return base.kind == TW__CSL_O_PLACE
                   ? place_part(base, o.type->fields[at.known].type, o.type->fields[at.known].offset)
                   : tw__csl_part_of(&base, (size_t)at.known);
    }
    if (base.kind != TW__CSL_O_PLACE && !at.has_reg) return tw__csl_part_of(&base, (size_t)at.known);
    /* a global as it was declared, no other view of one */
    const tw__csl_global *g = base.place.global;
    if (!base.has_reg) base.inside = g && g->type == base.type && base.place.offset == 0;
    base.inside &= !many;
    if (base.kind != TW__CSL_O_PLACE) base = tw__csl_in_memory(s, n, base);
    return tw__csl_is_nothing(&base) ? base : element_place(s, base, element, at);
}
