/* SPDX-License-Identifier: MIT */
/* Builtins of the language itself: conversions, types, assertions, structs, modules (CSL reference, builtins). */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"
#include <stdio.h>
#include <string.h>

#define ARG(i) (n->kid[i])

static operand known_type(const type *t)
{
    return t ? tw__csl_known(tw__csl_of_type(t)) : tw__csl_nothing();
}
static operand known_bool(bool b)
{
    return tw__csl_known(tw__csl_of_bool(b));
}

static operand b_as(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 2, 2)) return tw__csl_nothing();
    const type *t = tw__csl_type_expr(s, ARG(0));
    operand o = tw__csl_hinted(s, ARG(1), t && t->size ? t : NULL);
    return t ? tw__csl_cast(s, n, t, o) : tw__csl_nothing();
}

/* --- @bitcast ------------------------------------------------------------------------------------------------- */

static unsigned mantissa_bits(tw_type t)
{
    return t == TW_F32 ? 23 : t == TW_F16 ? 10 : t == TW_BF16 ? 7 : 9; /* of CB16 */
}

/* Bits may be an address, and come back as such: NaN keep theirs, which conversions make quiet. */
static double float_of_bits(const type *t, uint64_t bits)
{
    unsigned mantissa = mantissa_bits(t->machine), sign = t->size * 8 - 1;
    uint64_t low = bits & ((UINT64_C(1) << mantissa) - 1), all = (UINT64_C(1) << (sign - mantissa)) - 1;
    double f = 0;
    if (low && (bits >> mantissa & all) == all) {
        uint64_t nan = bits >> sign << 63 | UINT64_C(0x7ff) << 52 | low << (52 - mantissa);
        memcpy(&f, &nan, sizeof f);
    } else {
        tw_convert(TW_F64, &f, t->machine, &bits, (tw_convert_mode){ 0 }, 0);
    }
    return f;
}

static uint64_t bits_of_float(const type *t, double f)
{
    unsigned mantissa = mantissa_bits(t->machine), sign = t->size * 8 - 1;
    uint64_t bits = 0, nan;
    memcpy(&nan, &f, sizeof nan);
    uint64_t low = nan >> (52 - mantissa) & ((UINT64_C(1) << mantissa) - 1);
    if (f != f && low)
        bits = nan >> 63 << sign | ((UINT64_C(1) << (sign - mantissa)) - 1) << mantissa | low;
    else
        tw_convert(t->machine, &bits, TW_F64, &f, (tw_convert_mode){ 0 }, 0);
    return bits;
}

/* The bits of a scalar; a pointer's are its address. */
static bool scalar_bits(sema *s, const node *n, const value *v, tw__csl_int *bits)
{
    uint32_t base = 0;
    if (tw__csl_is_float(v->type)) {
        *bits = (tw__csl_int)bits_of_float(v->type, v->f);
        return true;
    }
    if (v->type->kind != TW__CSL_TY_POINTER) {
        *bits = v->i;
        return true;
    }
    if (v->pointer.cell) {
        tw__csl_error(s, n, "csl.comptime", "a comptime variable has no address");
        return false;
    }
    if (v->pointer.global && !tw__csl_address(s, n, v->pointer.global, &base)) return false;
    *bits = base + v->pointer.offset;
    return true;
}

static operand bitcast_known(sema *s, const node *n, const type *t, const value *v)
{
    if (t->kind == TW__CSL_TY_POINTER && v->type->kind == TW__CSL_TY_POINTER) {
        value same = *v;
        same.type = t;
        return tw__csl_known(same);
    }
    tw__csl_int bits;
    if (!scalar_bits(s, n, v, &bits)) return tw__csl_nothing();
    if (tw__csl_is_float(t)) {
        uint64_t pattern = (uint64_t)bits & (UINT64_MAX >> (64 - t->size * 8));
        return tw__csl_known(tw__csl_of_float(t, float_of_bits(t, pattern)));
    }
    if (t->kind == TW__CSL_TY_POINTER)
        return tw__csl_known(
            (value){ .type = t, .pointer = { .offset = (int64_t)tw__csl_wrap(&tw__csl_t_u16, bits) } });
    return tw__csl_known(tw__csl_of_int(t, tw__csl_wrap(t, bits)));
}

/* Between a packed type and anything of as many bits. */
static operand bitcast_packed(sema *s, const node *n, const type *t, operand o)
{
    unsigned to = tw__csl_packed_width(t), from = tw__csl_packed_width(o.type);
    if (!to || to != from)
        return tw__csl_error(s, n, "csl.type", "@bitcast needs types of equal width: %s has %u bits, %s has %u",
                             TYPE_TEXT(o.type), from, TYPE_TEXT(t), to);
    uint64_t bits;
    value v;
    if (tw__csl_is_known(&o))
        return tw__csl_packed_bits(s, n, &o.value, &bits) && tw__csl_packed_value(s, t, bits, &v)
                   ? tw__csl_known(v)
                   : tw__csl_nothing();
    if (!s->gen) return tw__csl_unknown(s, ARG(1), t);
    operand integer = tw__csl_packed_integer(s, n, o);
    if (tw__csl_is_nothing(&integer)) return integer;
    const type *held = tw__csl_type_int(s->types, (to <= 8 ? 1u : to <= 16 ? 2u : to <= 32 ? 4u : 8u) * 8, false);
    operand place = { .kind = TW__CSL_O_PLACE, .type = held, .has_reg = true };
    place.reg = tw__gen_local(s->gen, held->size, held->align);
    tw__csl_store(s, n, place, integer);
    place.type = t;
    if (!tw__csl_is_aggregate(t)) place.unit = held; /* read as a field of that many bits */
    return tw__csl_rvalue(s, n, place);
}

static operand b_bitcast(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 2, 2)) return tw__csl_nothing();
    const type *t = tw__csl_type_expr(s, ARG(0));
    operand o = tw__csl_expr_rvalue(s, ARG(1), NULL);
    if (!t || tw__csl_is_nothing(&o)) return tw__csl_nothing();
    if (o.kind == TW__CSL_O_VALUE && o.type->kind == TW__CSL_TY_COMPTIME_INT && t->size && t->size <= 8) {
        unsigned width = t->packed ? t->bits : t->size * 8;
        const type *as = t->kind == TW__CSL_TY_POINTER ? &tw__csl_t_u16 : tw__csl_type_int(s->types, width, false);
        if (o.value.i < 0) as = tw__csl_type_int(s->types, width, true);
        o = tw__csl_coerce(s, ARG(1), o, as, "the value");
        if (tw__csl_is_nothing(&o)) return o;
    }
    if (t->packed || o.type->packed) return bitcast_packed(s, n, t, o);
    bool scalar = (tw__csl_is_number(t) || t->kind == TW__CSL_TY_POINTER || t->kind == TW__CSL_TY_BOOL) &&
                  !tw__csl_is_aggregate(o.type) && o.type->size;
    if (!scalar || t->size != o.type->size)
        return tw__csl_error(s, n, "csl.type", "@bitcast needs a number or pointer of equal width: %s to %s",
                             TYPE_TEXT(o.type), TYPE_TEXT(t));
    if (tw__csl_is_known(&o)) return bitcast_known(s, n, t, &o.value);
    if (!s->gen) return tw__csl_unknown(s, ARG(1), t);
    /* Registers hold integers extended to 64 bits and the bits of floats: from signed integers they are wrapped. */
    operand out = { .kind = TW__CSL_O_REGISTER, .type = t, .reg = tw__gen_register(s->gen, t) };
    const type *bits = tw__csl_type_int(s->types, t->size * 8, t->kind == TW__CSL_TY_INT && t->is_signed);
    tw__gen_convert(s->gen, n, out.reg, bits, o.reg, tw__csl_type_int(s->types, t->size * 8, false));
    return out;
}

static operand b_ptrcast(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 2, 2)) return tw__csl_nothing();
    const type *t = tw__csl_type_expr(s, ARG(0));
    operand o = tw__csl_expr_rvalue(s, ARG(1), NULL);
    if (!t || tw__csl_is_nothing(&o)) return tw__csl_nothing();
    if (t->kind != TW__CSL_TY_POINTER || o.type->kind != TW__CSL_TY_POINTER)
        return tw__csl_error(s, n, "csl.type", "@ptrcast converts pointers, got %s to %s", TYPE_TEXT(o.type),
                             TYPE_TEXT(t));
    o.type = t;
    if (tw__csl_is_known(&o)) o.value.type = t;
    return o;
}

static operand b_assert(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 1, 2)) return tw__csl_nothing();
    operand c = tw__csl_condition(s, ARG(0), "the condition of @assert");
    if (tw__csl_is_nothing(&c)) return c;
    if (!s->gen) {
        if (!tw__csl_is_known(&c))
            return tw__csl_error(s, n, "csl.comptime", "the condition is not known at compile time");
        if (!c.value.i) return tw__csl_error(s, n, "csl.assert", "assertion failed");
        return tw__csl_known(tw__csl_of_void());
    }
    uint16_t reg = tw__csl_to_register(s, n, &c);
    tw__gen_at(s->gen, n);
    tw__gen_emit(s->gen, TW__CSL_I_ASSERT, reg, 0, 0);
    return tw__csl_known(tw__csl_of_void());
}

static operand b_comptime_assert(sema *s, const node *n, const type *expected)
{
    (void)expected;
    bool c;
    if (!tw__csl_arguments(s, n, 1, 2) ||
        !tw__csl_comptime_bool(s, ARG(0), "the condition of @comptime_assert", &c))
        return tw__csl_nothing();
    if (c) return tw__csl_known(tw__csl_of_void());
    value text = { 0 };
    if (n->count > 1 && !tw__csl_comptime(s, ARG(1), &tw__csl_t_COMPTIME_STRING, "the message", &text))
        return tw__csl_nothing();
    return tw__csl_error(s, n, "csl.assert", n->count > 1 ? "assertion failed: %.*s" : "assertion failed%.*s",
                         (int)text.string.length, text.string.bytes ? text.string.bytes : "");
}

static operand b_comptime_print(sema *s, const node *n, const type *expected)
{
    (void)expected;
    GString *line = g_string_new(NULL);
    bool good = true;
    for (uint32_t i = 0; i < n->count && good; i++) {
        value v;
        good = tw__csl_comptime(s, ARG(i), NULL, "the printed value", &v);
        if (i) g_string_append(line, ", ");
        if (good) tw__csl_value_print(line, &v);
    }
    const tw__csl_compile_options *o = s->shared->options;
    if (good && !s->dry && o->print)
        o->print(o->print_user, line->str);
    else if (good && !s->dry)
        tw_print_text(stderr, line->str, line->len, "\n\t"), fputc('\n', stderr);
    g_string_free(line, TRUE);
    return tw__csl_known(tw__csl_of_void());
}

/* --- structs --- */

static operand b_concat_structs(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 2, 2)) return tw__csl_nothing();
    operand o[2];
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        o[i] = tw__csl_expr_rvalue(s, ARG(i), NULL);
        if (tw__csl_is_nothing(&o[i])) return o[i];
        if (o[i].type->kind != TW__CSL_TY_STRUCT || o[i].type->name || o[i].kind == TW__CSL_O_PLACE)
            return tw__csl_error(s, ARG(i), "csl.type", "@concat_structs joins anonymous structs, got %s",
                                 TYPE_TEXT(o[i].type));
        count += o[i].type->count;
    }
    bool tuple = (o[0].type->tuple || !o[0].type->count) && (o[1].type->tuple || !o[1].type->count);
    if (!tuple && (o[0].type->tuple || o[1].type->tuple))
        return tw__csl_error(s, n, "csl.type", "a struct with field names and one without cannot be joined");
    operand *parts = TW__NEW_N(s->arena, operand, count + 1);
    const char **names = TW__NEW_N(s->arena, const char *, count + 1);
    const type **types = TW__NEW_N(s->arena, const type *, count + 1);
    if (!parts || !names || !types) return tw__csl_nothing();
    size_t at = 0;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < o[i].type->count; k++, at++) {
            parts[at] = tw__csl_part_of(&o[i], k);
            names[at] = o[i].type->fields[k].name;
            types[at] = parts[at].type;
            if (i && !tuple && tw__csl_field_index(o[0].type, names[at]) >= 0)
                return tw__csl_error(s, n, "csl.redefinition", "both structs have a field '%s'", names[at]);
        }
    return tw__csl_compose(s, tw__csl_type_anonymous(s->types, count, tuple ? NULL : names, types), parts, count);
}

static bool field_name(sema *s, const node *at, const char **name)
{
    value v;
    if (!tw__csl_comptime(s, at, &tw__csl_t_COMPTIME_STRING, "the name of a field", &v)) return false;
    *name = v.string.bytes ? v.string.bytes : "";
    return true;
}

static operand b_field(sema *s, const node *n, const type *expected)
{
    (void)expected;
    const char *name;
    if (!tw__csl_arguments(s, n, 2, 2) || !field_name(s, ARG(1), &name)) return tw__csl_nothing();
    return tw__csl_part_named(s, n, tw__csl_expr(s, ARG(0), NULL), name);
}

static operand b_has_field(sema *s, const node *n, const type *expected)
{
    (void)expected;
    const char *name;
    if (!tw__csl_arguments(s, n, 2, 2) || !field_name(s, ARG(1), &name)) return tw__csl_nothing();
    operand o = tw__csl_dry(s, ARG(0), NULL);
    if (tw__csl_is_nothing(&o)) return o;
    const type *t = o.type->kind == TW__CSL_TY_TYPE && tw__csl_is_known(&o) ? o.value.t : o.type;
    if (t->kind == TW__CSL_TY_MODULE && tw__csl_is_known(&o))
        return known_bool(tw__csl_member(o.value.module, tw__csl_intern(s->ctx, name, strlen(name))) != NULL);
    return known_bool((t->kind == TW__CSL_TY_STRUCT || t->kind == TW__CSL_TY_UNION) &&
                      tw__csl_field_index(t, name) >= 0);
}

/* --- types --- */

static operand b_type_of(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 1, 1)) return tw__csl_nothing();
    operand o = tw__csl_dry(s, ARG(0), NULL);
    return tw__csl_is_nothing(&o) ? o : known_type(o.type);
}

static operand b_is_same_type(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 2, 2)) return tw__csl_nothing();
    const type *a = tw__csl_type_expr(s, ARG(0)), *b = tw__csl_type_expr(s, ARG(1));
    return a && b ? known_bool(a == b) : tw__csl_nothing();
}

static operand b_is_comptime(sema *s, const node *n, const type *expected)
{
    (void)expected;
    return tw__csl_arguments(s, n, 0, 0) ? known_bool(s->gen == NULL) : tw__csl_nothing();
}

static operand b_is_arch(sema *s, const node *n, const type *expected)
{
    (void)expected;
    value chip;
    if (!tw__csl_arguments(s, n, 1, 1) ||
        !tw__csl_comptime(s, ARG(0), &tw__csl_t_COMPTIME_STRING, "the name of a chip", &chip))
        return tw__csl_nothing();
    const char *name = chip.string.bytes;
    if (strcmp(name, "wse1") && strcmp(name, "wse2") && strcmp(name, "wse3")) /* wse1: there was one */
        return tw__csl_error(s, ARG(0), "csl.value", "@is_arch knows \"wse2\" and \"wse3\", not \"%s\"", name);
    return known_bool(!strcmp(name, s->shared->options->wse3 ? "wse3" : "wse2"));
}

static operand b_fp16(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 0, 0)) return tw__csl_nothing();
    switch (s->shared->options->fp16) {
    case TW_BF16: return known_type(&tw__csl_t_bf16);
    case TW_CB16: return known_type(&tw__csl_t_cb16);
    default: return known_type(&tw__csl_t_f16);
    }
}

static operand b_get_int(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 1, 1)) return tw__csl_nothing();
    operand o = tw__csl_expr_rvalue(s, ARG(0), NULL);
    if (tw__csl_is_nothing(&o)) return o;
    const type *t = o.type;
    if (tw__csl_is_int(t)) return o;
    if (!tw__csl_is_id(t) && t->kind != TW__CSL_TY_ENUM && !tw__csl_is_dsr(t) && t->kind != TW__CSL_TY_XDSR &&
        t->kind != TW__CSL_TY_SR)
        return tw__csl_error(s, ARG(0), "csl.type",
                             "@get_int reads colors, ids, queues, enums, registers and integers, not %s",
                             TYPE_TEXT(t));
    o.type = t->kind == TW__CSL_TY_ENUM ? t->base : &tw__csl_t_u16;
    if (tw__csl_is_known(&o)) return tw__csl_known(tw__csl_of_int(o.type, o.value.i));
    return o;
}

/* --- modules --- */

static operand b_import_module(sema *s, const node *n, const type *expected)
{
    (void)expected;
    value name, params, *given = NULL;
    if (!tw__csl_arguments(s, n, 1, 2) ||
        !tw__csl_comptime(s, ARG(0), &tw__csl_t_COMPTIME_STRING, "the name of a module", &name))
        return tw__csl_nothing();
    if (!s->initialising || s->frame || s->gen)
        return tw__csl_error(s, n, "csl.import", "@import_module can only initialise a constant of the file");
    if (n->count > 1) {
        if (!tw__csl_comptime(s, ARG(1), NULL, "the parameters of a module", &params)) return tw__csl_nothing();
        if (params.type->kind != TW__CSL_TY_STRUCT || (params.type->tuple && params.type->count))
            return tw__csl_error(s, ARG(1), "csl.type", "the parameters of a module are a struct, got %s",
                                 TYPE_TEXT(params.type));
        given = TW__NEW(s->arena, value);
        if (!given) return tw__csl_nothing();
        *given = params;
    }
    if (s->imports >= 200) return tw__csl_error(s, n, "csl.limit", "modules import each other without end");
    s->imports++;
    const char *prefix = tw__arena_printf(s->arena, "%s.", s->initialising->name);
    tw__csl_module *m = tw__csl_load_module(s, n, name.string.bytes, s->module, given, prefix ? prefix : "");
    s->imports--;
    return m ? tw__csl_known((value){ .type = &tw__csl_t_MODULE, .module = m }) : tw__csl_nothing();
}

/* --- machine --- */

static operand b_random16(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 0, 0)) return tw__csl_nothing();
    if (!s->gen) return tw__csl_error(s, n, "csl.comptime", "@random16 has a value only at run time");
    operand o = { .kind = TW__CSL_O_REGISTER,
                  .type = &tw__csl_t_u16,
                  .reg = tw__gen_register(s->gen, &tw__csl_t_u16) };
    tw__gen_emit(s->gen, TW__CSL_I_RANDOM16, o.reg, 0, 0);
    return o;
}

static operand b_set_active_prng(sema *s, const node *n, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, n, 1, 1)) return tw__csl_nothing();
    operand o =
        tw__csl_coerce(s, ARG(0), tw__csl_expr(s, ARG(0), NULL), &tw__csl_t_u16, "the number of the generator");
    if (tw__csl_is_nothing(&o)) return o;
    if (!s->gen) return tw__csl_error(s, n, "csl.comptime", "@set_active_prng works only at run time");
    tw__gen_emit(s->gen, TW__CSL_I_SET_PRNG, tw__csl_to_register(s, n, &o), 0, 0);
    return tw__csl_known(tw__csl_of_void());
}

static const tw__csl_builtin_row rows[] = {
    { "as", b_as },
    { "assert", b_assert },
    { "bitcast", b_bitcast },
    { "comptime_assert", b_comptime_assert },
    { "comptime_print", b_comptime_print },
    { "concat_structs", b_concat_structs },
    { "field", b_field },
    { "fp16", b_fp16 },
    { "get_int", b_get_int },
    { "has_field", b_has_field },
    { "import_module", b_import_module },
    { "is_arch", b_is_arch },
    { "is_comptime", b_is_comptime },
    { "is_same_type", b_is_same_type },
    { "ptrcast", b_ptrcast },
    { "random16", b_random16 },
    { "set_active_prng", b_set_active_prng },
    { "type_of", b_type_of },
};

const tw__csl_builtin_table tw__csl_lang_builtins = { rows, sizeof rows / sizeof *rows };

static operand unknown_builtin(sema *s, const node *n, const char *name)
{
    GPtrArray *names = g_ptr_array_new();
    for (const tw__csl_builtin_table *const *t = s->shared->builtins; *t; t++)
        for (size_t i = 0; i < (*t)->count; i++) g_ptr_array_add(names, (gpointer)(uintptr_t)(*t)->rows[i].name);
    const char *near = tw__nearest(name, (const char *const *)names->pdata, names->len);
    g_ptr_array_free(names, TRUE);
    return tw__csl_error(s, n, "csl.builtin", "there is no builtin @%s%s%s%s", name,
                         near ? "; did you mean '@" : "", near ? near : "", near ? "'?" : "");
}

/* Looked for in the tables once for each name. */
static const tw__csl_builtin_row *builtin_row(sema *s, tw__csl_name name)
{
    const tw__csl_builtin_row *row = g_hash_table_lookup(s->shared->builtin_rows, GUINT_TO_POINTER(name));
    const char *text = tw__csl_name_text(s, name);
    for (const tw__csl_builtin_table *const *t = s->shared->builtins; *t && !row; t++)
        for (size_t i = 0; i < (*t)->count && !row; i++)
            if (!strcmp((*t)->rows[i].name, text)) {
                row = &(*t)->rows[i];
                g_hash_table_insert(s->shared->builtin_rows, GUINT_TO_POINTER(name), (gpointer)(uintptr_t)row);
            }
    return row;
}

operand tw__csl_builtin(sema *s, const node *n, const type *expected)
{
    if (s->gen) tw__gen_at(s->gen, n);
    const tw__csl_builtin_row *row = builtin_row(s, n->name);
    return row ? row->fn(s, n, expected) : unknown_builtin(s, n, tw__csl_name_text(s, n->name));
}
