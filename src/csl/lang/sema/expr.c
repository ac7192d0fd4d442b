/* SPDX-License-Identifier: MIT */
/* Expressions: literals, names, members, types as values; the dispatch over node kinds. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

static operand literal_int(sema *s, const node *n)
{
    tw__u128 i = *n->integer;
    if (i >> 127)
        return tw__csl_error(s, n, "csl.range", "the number needs more than the 127 bits of comptime_int");
    return tw__csl_known(tw__csl_of_int(&tw__csl_t_COMPTIME_INT, (tw__csl_int)i));
}

static operand literal_string(const node *n)
{
    value v = { .type = &tw__csl_t_COMPTIME_STRING };
    v.string.bytes = n->text;
    v.string.length = n->text_length;
    return tw__csl_known(v);
}

/* Names that the language declares (CSL reference, lexical structure). */
static const char *const directions[] = { "NORTH", "EAST", "SOUTH", "WEST", "RAMP" };

int tw__csl_direction_named(const char *name)
{
    for (int i = 0; i < TW__CSL_DIR_COUNT; i++)
        if (!strcmp(name, directions[i])) return i;
    return -1;
}

/* u65, i128, u0: integers of the language that do not exist here. */
static bool is_integer_name(const char *name)
{
    if ((name[0] != 'i' && name[0] != 'u') || !name[1]) return false;
    return strspn(name + 1, "0123456789") == strlen(name + 1);
}

static operand unknown_name(sema *s, const node *n)
{
    const char *name = tw__csl_name_text(s, n->name);
    int direction = tw__csl_direction_named(name);
    if (direction >= 0) return tw__csl_known(tw__csl_of_int(&tw__csl_t_DIRECTION, direction));
    const type *t = tw__csl_type_named(s->types, name); /* u24, sr: not reserved */
    if (t) return tw__csl_known(tw__csl_of_type(t));
    if (is_integer_name(name)) return tw__csl_error(s, n, "csl.type", "%s: integers have 1 to 64 bits here", name);
    GPtrArray *names = g_ptr_array_new();
    for (const binding *b = s->locals; b; b = b->next)
        g_ptr_array_add(names, (gpointer)tw__csl_name_text(s, b->name));
    GHashTableIter each;
    gpointer key;
    for (int i = 0; i < TW__CSL_DIR_COUNT; i++) g_ptr_array_add(names, (gpointer)(uintptr_t)directions[i]);
    g_hash_table_iter_init(&each, s->module->names);
    while (g_hash_table_iter_next(&each, &key, NULL))
        g_ptr_array_add(names, (gpointer)tw__csl_name_text(s, GPOINTER_TO_UINT(key)));
    char hint[TW__HINT_BYTES];
    tw__did_you_mean(hint, tw__nearest(name, (const char *const *)names->pdata, names->len));
    g_ptr_array_free(names, TRUE);
    return tw__csl_error(s, n, "csl.name", "'%s' is not declared%s", name, hint);
}

static operand name_operand(sema *s, const node *n)
{
    const binding *b = tw__csl_find_local(s, n->name);
    const entry *e = b ? NULL : tw__csl_member(s->module, n->name);
    operand o = b   ? b->cell ? tw__csl_known(b->cell->v) : b->o
                : e ? tw__csl_entry_operand(s, n, e)
                    : unknown_name(s, n);
    if (tw__csl_watched(s))
        tw__csl_tell(s, n, &o, b ? b->at : !e ? NULL : e->global ? e->global->node : e->function->node);
    return o;
}

static operand field_operand(sema *s, const node *n, operand object)
{
    operand o = tw__csl_part_named(s, n, object, tw__csl_name_text(s, n->name));
    if (tw__csl_watched(s)) tw__csl_tell_field(s, n, object, &o);
    return o;
}

/* a.b and a[i] look at the parts of comptime variables without marking the whole as shared. */
static operand base_expr(sema *s, const node *n, const type *expected)
{
    switch (n->kind) {
    case TW__CSL_NAME: return name_operand(s, n);
    case TW__CSL_FIELD: return field_operand(s, n, base_expr(s, n->kid[0], NULL));
    case TW__CSL_INDEX: return tw__csl_index(s, n, base_expr(s, n->kid[0], NULL));
    default: return tw__csl_expr(s, n, expected);
    }
}

static operand type_operand(const type *t)
{
    return t ? tw__csl_known(tw__csl_of_type(t)) : tw__csl_nothing();
}

static operand expr_type_name(sema *s, const node *n)
{
    const char *name = tw__csl_name_text(s, n->name);
    const type *t = tw__csl_type_named(s->types, name);
    return t ? type_operand(t) : tw__csl_error(s, n, "csl.type", "'%s' is not a type here", name);
}

static operand comptime_of(sema *s, const node *n, const type *expected)
{
    /* Calls below run now instead of being generated; names of the function stay visible. */
    tw__csl_phase phase = s->phase;
    gen *g = s->gen;
    if (s->phase == TW__CSL_PHASE_RUNTIME) s->phase = TW__CSL_PHASE_VALUE;
    s->gen = NULL;
    operand o = tw__csl_expr_rvalue(s, n->kid[0], expected);
    s->phase = phase;
    s->gen = g;
    if (!tw__csl_is_nothing(&o) && !tw__csl_is_known(&o))
        return tw__csl_error(s, n, "csl.comptime", "the operand of 'comptime' must be known at compile time");
    return o;
}

static operand unary(sema *s, const node *n, const type *expected)
{
    return n->op == TW__CSL_T_AMPERSAND ? tw__csl_address_of(s, n->kid[0]) : tw__csl_unary(s, n, expected);
}

static operand switch_value(sema *s, const node *n, const type *expected)
{
    flow f;
    return tw__csl_switch(s, n, expected, false, &f);
}

/* Not inlined, and its result is what tw__csl_expr returns: gcc 12 else takes it apart and puts it together again, by
 * narrow stores and wide loads, which wait for each other. */
static __attribute__((noinline)) operand expression(sema *s, const node *n, const type *expected)
{
    switch ((tw__csl_kind)n->kind) {
    case TW__CSL_INT: return literal_int(s, n);
    case TW__CSL_FLOAT: return tw__csl_known(tw__csl_of_float(&tw__csl_t_COMPTIME_FLOAT, n->real));
    case TW__CSL_STRING: return literal_string(n);
    case TW__CSL_BOOL: return tw__csl_known(tw__csl_of_bool(*n->integer != 0));
    case TW__CSL_NAME:
    case TW__CSL_FIELD:
    case TW__CSL_INDEX: return base_expr(s, n, expected);
    case TW__CSL_UNARY: return unary(s, n, expected);
    case TW__CSL_BINARY: return tw__csl_binary(s, n, expected);
    case TW__CSL_COMPTIME_OF: return comptime_of(s, n, expected);
    case TW__CSL_DEREF: return tw__csl_deref(s, n, tw__csl_expr(s, n->kid[0], NULL));
    case TW__CSL_CALL: return tw__csl_call(s, n);
    case TW__CSL_BUILTIN: return tw__csl_builtin(s, n, expected);
    case TW__CSL_INIT: return tw__csl_literal(s, n, expected);
    case TW__CSL_SWITCH: return switch_value(s, n, expected);
    case TW__CSL_IF: return tw__csl_if_value(s, n, expected);
    case TW__CSL_BLOCK: return tw__csl_block_value(s, n, expected);
    case TW__CSL_TENSOR: return tw__csl_tensor_access(s, n);
    case TW__CSL_TYPE_NAME: return expr_type_name(s, n);
    case TW__CSL_POINTER:
    case TW__CSL_MANY_POINTER:
    case TW__CSL_ARRAY:
    case TW__CSL_FN_TYPE:
    case TW__CSL_STRUCT:
    case TW__CSL_UNION:
    case TW__CSL_ENUM: return type_operand(tw__csl_make_type(s, n));
    default: return tw__csl_error(s, n, "csl.syntax", "this cannot be used as a value");
    }
}

operand tw__csl_expr(sema *s, const node *n, const type *expected)
{
    operand o;
    if (tw__csl_step(s, n) && tw__csl_room(s, n))
        o = expression(s, n, expected);
    else
        o = tw__csl_nothing();
    if (o.kind == TW__CSL_O_VALUE && tw__csl_is_aggregate(o.type) && o.value.parts) o.value.parts->shared = true;
    return o;
}
