/* SPDX-License-Identifier: MIT */
/* Comptime values: aggregates copied on write, equality, text, rounding to a format. */
#include "csl/lang/sema/value.h"
#include <glib.h>
#include <math.h>
#include <string.h>

tw__csl_aggregate *tw__csl_parts_new(tw__arena *arena, size_t count)
{
    tw__csl_aggregate *a = TW__NEW(arena, tw__csl_aggregate);
    if (!a) return NULL;
    a->count = count;
    a->items = TW__NEW_N(arena, tw__csl_value, count + 1);
    return a->items ? a : NULL;
}

tw__csl_aggregate *tw__csl_parts_fill(tw__arena *arena, size_t count, tw__csl_value v)
{
    tw__csl_aggregate *a = TW__NEW(arena, tw__csl_aggregate);
    if (a) {
        a->count = count;
        a->fill = v;
    }
    return a;
}

tw__csl_aggregate *tw__csl_parts_own(tw__arena *arena, tw__csl_aggregate **slot)
{
    tw__csl_aggregate *old = *slot;
    if (!old->shared && old->items) return old;
    tw__csl_aggregate *own = tw__csl_parts_new(arena, old->count);
    if (!own) return NULL;
    own->active = old->active;
    for (size_t i = 0; i < old->count; i++) {
        own->items[i] = tw__csl_part(old, i);
        /* Nested aggregates now hang on two parents. */
        if (tw__csl_is_aggregate(own->items[i].type) && own->items[i].parts) own->items[i].parts->shared = true;
    }
    return *slot = own;
}

static bool zero_fields(tw__arena *arena, const tw__csl_type *type, tw__csl_value *out)
{
    size_t count = type->kind == TW__CSL_TY_UNION ? (type->count != 0) : type->count;
    out->parts = tw__csl_parts_new(arena, count);
    if (!out->parts) return false;
    for (size_t i = 0; i < count; i++)
        if (!tw__csl_zero(arena, type->fields[i].type, &out->parts->items[i])) return false;
    return true;
}

bool tw__csl_zero(tw__arena *arena, const tw__csl_type *type, tw__csl_value *out)
{
    *out = (tw__csl_value){ .type = type };
    switch (type->kind) {
    case TW__CSL_TY_BOOL:
    case TW__CSL_TY_INT:
    case TW__CSL_TY_COMPTIME_INT:
    case TW__CSL_TY_ENUM:
    case TW__CSL_TY_DIRECTION:
    case TW__CSL_TY_POINTER:
    case TW__CSL_TY_VOID:
    case TW__CSL_TY_FLOAT:
    case TW__CSL_TY_COMPTIME_FLOAT:
    case TW__CSL_TY_COMPTIME_STRING: return true;
    case TW__CSL_TY_STRUCT:
    case TW__CSL_TY_UNION: return zero_fields(arena, type, out);
    case TW__CSL_TY_ARRAY: {
        tw__csl_value element;
        if (!tw__csl_zero(arena, type->base, &element)) return false;
        out->parts = tw__csl_parts_fill(arena, tw__csl_element_count(type), element);
        return out->parts != NULL;
    }
    default: return tw__csl_is_id(type);
    }
}

static bool same_parts(const tw__csl_aggregate *a, const tw__csl_aggregate *b)
{
    if (a == b) return true;
    if (a->count != b->count || a->active != b->active) return false;
    if (!a->items && !b->items) return a->count == 0 || tw__csl_equal(&a->fill, &b->fill);
    for (size_t i = 0; i < a->count; i++) {
        tw__csl_value x = tw__csl_part(a, i), y = tw__csl_part(b, i);
        if (!tw__csl_equal(&x, &y)) return false;
    }
    return true;
}

bool tw__csl_equal(const tw__csl_value *a, const tw__csl_value *b)
{
    if (a->type != b->type) return false;
    switch (a->type->kind) {
    case TW__CSL_TY_VOID: return true;
    case TW__CSL_TY_FLOAT:
    case TW__CSL_TY_COMPTIME_FLOAT: return a->f == b->f;
    case TW__CSL_TY_COMPTIME_STRING:
        return a->string.length == b->string.length &&
               !memcmp(a->string.bytes ? a->string.bytes : "", b->string.bytes ? b->string.bytes : "",
                       a->string.length);
    case TW__CSL_TY_TYPE: return a->t == b->t;
    case TW__CSL_TY_MODULE: return a->module == b->module;
    case TW__CSL_TY_FN: return a->function == b->function;
    case TW__CSL_TY_POINTER:
        if (a->type->base->kind == TW__CSL_TY_FN) return a->function == b->function;
        return a->pointer.global == b->pointer.global && a->pointer.cell == b->pointer.cell &&
               a->pointer.offset == b->pointer.offset;
    case TW__CSL_TY_RANGE:
        return a->range.start == b->range.start && a->range.stop == b->range.stop && a->range.step == b->range.step;
    case TW__CSL_TY_ARRAY:
    case TW__CSL_TY_STRUCT:
    case TW__CSL_TY_UNION: return same_parts(a->parts, b->parts);
    default: return tw__csl_is_dsd(a->type) || a->type->kind == TW__CSL_TY_FIFO ? a->dsd == b->dsd : a->i == b->i;
    }
}

char *tw__csl_int_text(char buf[48], tw__csl_int i)
{
    char *p = buf + 47;
    *p = 0;
    tw__u128 u = i < 0 ? -(tw__u128)i : (tw__u128)i;
    do *--p = (char)('0' + (int)(u % 10));
    while (u /= 10);
    if (i < 0) *--p = '-';
    return memmove(buf, p, strlen(p) + 1);
}

static void print_parts(GString *out, const tw__csl_value *v)
{
    const tw__csl_type *t = v->type;
    g_string_append(out, t->kind == TW__CSL_TY_ARRAY ? "{" : ".{");
    for (size_t i = 0; i < v->parts->count; i++) {
        tw__csl_value part = tw__csl_part(v->parts, i);
        g_string_append(out, i ? ", " : " ");
        if (t->kind != TW__CSL_TY_ARRAY && !t->tuple)
            g_string_append_printf(
                out, ".%s = ", t->fields[t->kind == TW__CSL_TY_UNION ? v->parts->active : (int)i].name);
        if (out->len > 4096) {
            g_string_append(out, "...");
            break;
        }
        tw__csl_value_print(out, &part);
    }
    g_string_append(out, " }");
}

static void print_enum(GString *out, const tw__csl_value *v)
{
    for (size_t i = 0; i < v->type->count; i++)
        if (v->type->enumerators[i].value == (int64_t)v->i) {
            g_string_append_printf(out, "%s.%s", v->type->name, v->type->enumerators[i].name);
            return;
        }
    g_string_append_printf(out, "%s(%lld)", v->type->name, (long long)v->i);
}

void tw__csl_value_print(void *gstring, const tw__csl_value *v)
{
    static const char *const directions[] = { "NORTH", "EAST", "SOUTH", "WEST", "RAMP" };
    GString *out = gstring;
    char text[TW__CSL_TYPE_TEXT];
    switch (v->type->kind) {
    case TW__CSL_TY_VOID: g_string_append(out, "{}"); break;
    case TW__CSL_TY_BOOL: g_string_append(out, v->i ? "true" : "false"); break;
    case TW__CSL_TY_INT:
    case TW__CSL_TY_COMPTIME_INT: g_string_append(out, tw__csl_int_text((char[48]){ 0 }, v->i)); break;
    case TW__CSL_TY_FLOAT:
    case TW__CSL_TY_COMPTIME_FLOAT: g_string_append_printf(out, "%.9g", v->f); break;
    case TW__CSL_TY_COMPTIME_STRING: g_string_append_len(out, v->string.bytes, (gssize)v->string.length); break;
    case TW__CSL_TY_TYPE: g_string_append(out, tw__csl_type_text(text, v->t)); break;
    case TW__CSL_TY_DIRECTION: g_string_append(out, directions[(int)v->i]); break;
    case TW__CSL_TY_ENUM: print_enum(out, v); break;
    case TW__CSL_TY_ARRAY:
    case TW__CSL_TY_STRUCT:
    case TW__CSL_TY_UNION: print_parts(out, v); break;
    case TW__CSL_TY_RANGE:
        g_string_append_printf(out, "@range(%lld, %lld, %lld)", (long long)v->range.start, (long long)v->range.stop,
                               (long long)v->range.step);
        break;
    default:
        g_string_append_printf(out, "<%s>", tw__csl_type_text(text, v->type));
        if (tw__csl_is_id(v->type)) g_string_append_printf(out, "(%lld)", (long long)v->i);
        break;
    }
}

double tw__csl_round(const tw__csl_type *type, double f)
{
    uint32_t bits = 0;
    double back = f;
    if (type->kind == TW__CSL_TY_FLOAT && tw_convert(type->machine, &bits, TW_F64, &f, (tw_convert_mode){ 0 }, 0))
        tw_convert(TW_F64, &back, type->machine, &bits, (tw_convert_mode){ 0 }, 0);
    return back;
}

bool tw__csl_fits(const tw__csl_type *type, tw__csl_int i)
{
    if (type->kind != TW__CSL_TY_INT) return true;
    tw__csl_int limit = (tw__csl_int)1 << (type->bits - type->is_signed);
    return type->is_signed ? i >= -limit && i < limit : i >= 0 && i < limit;
}

tw__csl_int tw__csl_wrap(const tw__csl_type *type, tw__csl_int i)
{
    if (type->kind != TW__CSL_TY_INT) return i;
    tw__u128 mask = ((tw__u128)1 << type->bits) - 1;
    tw__u128 low = (tw__u128)i & mask;
    if (type->is_signed && low >> (type->bits - 1)) low |= ~mask;
    return (tw__csl_int)low;
}
