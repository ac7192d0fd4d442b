/* SPDX-License-Identifier: MIT */
/* Packed structs and unions: fields lie bit by bit, the first one lowest, in an integer of as many bits as they have
 * together (CSL reference, types). At compile time such a value is parts like any other; in PE memory it is that
 * integer, and a field of it is a place with a `unit`: load and shift, or load, mask and store. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

static uint64_t low_bits(unsigned n)
{
    return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

/* How the integer behind a type is held. */
static const type *held(sema *s, const type *t)
{
    return tw__csl_type_int(s->types, t->size * 8, false);
}

/* --- values ----------------------------------------------------------------------------------------------------- */

bool tw__csl_packed_bits(sema *s, const node *at, const value *v, uint64_t *bits)
{
    const type *t = v->type;
    *bits = 0;
    if (!tw__csl_is_aggregate(t)) {
        if (!tw__csl_scalar_bits(s, at, v, bits)) return false;
    } else {
        bool is_union = t->kind == TW__CSL_TY_UNION;
        for (size_t i = 0; i < (is_union ? 1 : t->count); i++) {
            value part = tw__csl_part(v->parts, i);
            uint64_t field;
            if (!tw__csl_packed_bits(s, at, &part, &field)) return false;
            *bits |= field << t->fields[i].bit;
        }
    }
    *bits &= low_bits(tw__csl_packed_width(t));
    return true;
}

bool tw__csl_packed_value(sema *s, const type *t, uint64_t bits, value *out)
{
    bits &= low_bits(tw__csl_packed_width(t));
    *out = (value){ .type = t };
    if (tw__csl_is_float(t)) {
        tw_convert(TW_F64, &out->f, t->machine, &bits, (tw_convert_mode){ 0 }, 0);
    } else if (t->kind == TW__CSL_TY_POINTER) {
        out->pointer.offset = (int64_t)bits;
    } else if (!tw__csl_is_aggregate(t)) {
        const type *number = t->kind == TW__CSL_TY_ENUM ? t->base : t;
        out->i = t->kind == TW__CSL_TY_BOOL ? (tw__csl_int)bits : tw__csl_wrap(number, (tw__csl_int)bits);
    } else {
        size_t count = t->kind == TW__CSL_TY_UNION ? 1 : t->count;
        out->parts = tw__csl_parts_new(s->arena, count);
        if (!out->parts) {
            tw__csl_out_of_memory(s);
            return false;
        }
        for (size_t i = 0; i < count; i++)
            if (!tw__csl_packed_value(s, t->fields[i].type, bits >> t->fields[i].bit, &out->parts->items[i]))
                return false;
    }
    return true;
}

/* --- places ----------------------------------------------------------------------------------------------------- */

operand tw__csl_packed_field(operand object, size_t i)
{
    const type *t = object.type;
    const tw__csl_field *f = &t->fields[i];
    /* A variant that fills the union's bytes is memory like any other. */
    bool plain = !object.unit && t->kind == TW__CSL_TY_UNION && t->bits == t->size * 8 && f->type->size == t->size;
    if (!object.unit && !plain) object.unit = t;
    object.bit += f->bit;
    object.type = f->type;
    return object;
}

/* The whole integer that the field lies in. */
static operand whole(sema *s, const operand *field)
{
    operand o = *field;
    o.type = held(s, field->unit);
    o.unit = NULL;
    o.bit = 0;
    return o;
}

operand tw__csl_packed_read(sema *s, const node *at, const operand *o)
{
    const type *t = o->type;
    unsigned width = tw__csl_packed_width(t);
    operand from = tw__csl_rvalue(s, at, whole(s, o));
    if (tw__csl_is_nothing(&from)) return from;
    gen *g = s->gen;
    operand r = { .kind = TW__CSL_O_REGISTER, .type = t };
    bool is_signed = (t->kind == TW__CSL_TY_INT || t->kind == TW__CSL_TY_ENUM) && t->is_signed;
    r.reg = tw__gen_register(g, is_signed || tw__csl_is_aggregate(t) ? &tw__csl_t_u64 : t);
    if (is_signed) {
        tw__gen_emit(g, TW__CSL_I_SHLI_U64, r.reg, from.reg, 64 - o->bit - width);
        tw__gen_emit(g, TW__CSL_I_SARI, r.reg, r.reg, 64 - width);
    } else {
        tw__gen_emit(g, TW__CSL_I_SHLI_U64, r.reg, from.reg, 64 - o->bit - width);
        tw__gen_emit(g, TW__CSL_I_SHRI, r.reg, r.reg, 64 - width);
    }
    if (!tw__csl_is_aggregate(t)) return r;
    operand place = tw__csl_sink(s, t);
    operand integer = place;
    integer.type = r.type = held(s, t);
    tw__csl_store(s, at, integer, r);
    return place;
}

operand tw__csl_packed_integer(sema *s, const node *at, operand v)
{
    v = tw__csl_rvalue(s, at, v);
    if (tw__csl_is_nothing(&v)) return v;
    const type *t = v.type;
    unsigned width = tw__csl_packed_width(t);
    operand r = { .kind = TW__CSL_O_REGISTER, .type = &tw__csl_t_u64 };
    if (tw__csl_is_aggregate(t)) {
        v = tw__csl_in_memory(s, at, v);
        if (tw__csl_is_nothing(&v)) return v;
        v.type = held(s, t);
        v = tw__csl_rvalue(s, at, v);
        if (tw__csl_is_nothing(&v)) return v;
    }
    uint16_t from = tw__csl_to_register(s, at, &v);
    r.reg = tw__gen_register(s->gen, r.type);
    tw__gen_emit(s->gen, TW__CSL_I_SHLI_U64, r.reg, from, 64 - width);
    tw__gen_emit(s->gen, TW__CSL_I_SHRI, r.reg, r.reg, 64 - width);
    return r;
}

void tw__csl_packed_store(sema *s, const node *at, const operand *place, operand v)
{
    unsigned width = tw__csl_packed_width(place->type);
    operand unit = whole(s, place), field = tw__csl_packed_integer(s, at, v);
    if (tw__csl_is_nothing(&field)) return;
    gen *g = s->gen;
    operand old = tw__csl_rvalue(s, at, unit);
    if (tw__csl_is_nothing(&old)) return;
    operand sum = { .kind = TW__CSL_O_REGISTER, .type = unit.type, .reg = tw__gen_register(g, &tw__csl_t_u64) };
    tw__gen_load_int(g, sum.reg, ~(low_bits(width) << place->bit));
    tw__gen_emit(g, TW__CSL_I_AND, old.reg, old.reg, sum.reg);
    tw__gen_emit(g, TW__CSL_I_SHLI_U64, sum.reg, field.reg, place->bit);
    tw__gen_emit(g, TW__CSL_I_OR, sum.reg, sum.reg, old.reg);
    tw__csl_store(s, at, unit, sum);
}
