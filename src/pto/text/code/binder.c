/* SPDX-License-Identifier: MIT */
/* binder: names and their slots, code and its operands, results, constants. */
#include "pto/text/code/binder.h"

#include <stdlib.h>

void tw__as_refuse(tw__as_binder *b, const tw__as_item *where, const tw__as_op *op, const char *code,
                   const char *format, ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    b->failed = true;
    if (!tw__as_go_on(b)) return;
    tw__as_error(b->m, where ? where->line : op->line, where ? where->column : op->column,
                 where ? where->length : op->length, code, "%s", text);
}

bool tw__as_go_on(const tw__as_binder *b)
{
    return tw_diags_count(b->m->diags, TW_ERROR) < b->errors + TW__AS_ERRORS;
}

/* --- slots ------------------------------------------------------------------------------------------------------ */

static uint32_t new_slot(tw__as_binder *b, const char *name, const tw__as_type *type)
{
    tw__as_function *f = b->f;
    if (f->slots >= TW__AS_MAX_SLOTS) {
        if (!b->too_many)
            tw__as_error(b->m, 0, 0, 1, "pto.memory", "a function has more than %d values", TW__AS_MAX_SLOTS);
        b->failed = b->too_many = true;
        return 0;
    }
    if (!tw__grow(&f->slot_name, &b->slot_room, f->slots, sizeof *f->slot_name) ||
        !tw__grow(&b->known, &b->known_room, f->slots, sizeof *b->known) ||
        !tw__grow(&f->slot_type, &b->type_room, f->slots, sizeof *f->slot_type)) {
        b->failed = true;
        b->m->no_memory = true;
        return 0;
    }
    f->slot_name[f->slots] = name;
    b->known[f->slots] = (tw__as_known){ 0 };
    static const tw__as_type unknown;
    const tw__as_type *kept = type ? tw__as_intern(b->m, type) : &unknown;
    if (!kept) return b->failed = true, 0;
    f->slot_type[f->slots] = kept;
    return f->slots++;
}

/* The text of a statement goes when it is bound. */
static const char *binder_keep(tw__as_binder *b, const char *name)
{
    const char *kept = *name ? tw__arena_strdup(b->m->arena, name) : "";
    if (!kept) b->failed = b->m->no_memory = true;
    return kept ? kept : "";
}

/* What the name stands for here; NULL = it is not visible. */
static const tw__as_entry *entry_of(const tw__as_binder *b, const char *name)
{
    gpointer found = g_hash_table_lookup(b->names, name);
    size_t length = strlen(name);
    char other[256];
    if (!found && length < sizeof other - 2) { /* %r is %r#0 */
        if (length > 2 && strcmp(name + length - 2, "#0") == 0)
            g_snprintf(other, sizeof other, "%.*s", (int)length - 2, name);
        else
            g_snprintf(other, sizeof other, "%s#0", name);
        found = g_hash_table_lookup(b->names, other);
    }
    return found ? &g_array_index(b->entries, tw__as_entry, GPOINTER_TO_UINT(found) - 1) : NULL;
}

static bool is_free(const tw__as_function *f, uint32_t slot)
{
    for (unsigned i = 0; i < f->free_count; i++)
        if (f->free_name[i] == slot) return true;
    return false;
}

/* A value has one definition: where its name is visible, in the block and those inside it, no other may have it. */
static void refuse_second(tw__as_binder *b, const char *name, const tw__as_place *where)
{
    const tw__as_entry *first = where->line ? entry_of(b, name) : NULL;
    if (!first || !first->where.line) return;
    const tw__as_item at = tw__as_item_at(*where), there = tw__as_item_at(first->where);
    bool told = tw__as_go_on(b);
    tw__as_refuse(b, &at, NULL, "pto.name", "%%%s is defined twice", name);
    if (told)
        tw__as_note(b->m, &there, "pto.name",
                    is_free(b->f, first->slot) ? "%%%s is used here and stands for an argument"
                                               : "%%%s is defined here first",
                    name);
}

static void enter_name(tw__as_binder *b, const char *name, uint32_t slot, const tw__as_place *where)
{
    tw__as_entry e = { .slot = slot };
    if (where) refuse_second(b, name, where), e.where = *where;
    tw__as_undo u = { name, g_hash_table_lookup(b->names, name) };
    g_array_append_val(b->undo, u);
    g_array_append_val(b->entries, e);
    g_hash_table_insert(b->names, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(b->entries->len));
}

void tw__as_rename(tw__as_binder *b, const char *name, uint32_t slot, const tw__as_place *where)
{
    enter_name(b, binder_keep(b, name), slot, where);
}

uint32_t tw__as_define(tw__as_binder *b, const char *name, const tw__as_type *type, const tw__as_place *where)
{
    const char *kept = binder_keep(b, name);
    uint32_t slot = new_slot(b, kept, type);
    if (*kept) enter_name(b, kept, slot, where);
    return slot;
}

tw__as_place tw__as_result_place(const tw__as_op *op, unsigned i)
{
    const tw__as_name *name = &op->results[i];
    return (tw__as_place){ name->line, name->column, (int)strlen(name->text) + 1 };
}

uint32_t tw__as_define_result(tw__as_binder *b, const tw__as_op *op, unsigned i, const tw__as_type *type)
{
    const tw__as_place where = tw__as_result_place(op, i);
    return tw__as_define(b, op->results[i].text, type, &where);
}

guint tw__as_enter(const tw__as_binder *b)
{
    return b->undo->len;
}

void tw__as_leave(tw__as_binder *b, guint mark)
{
    while (b->undo->len > mark) {
        tw__as_undo u = g_array_index(b->undo, tw__as_undo, b->undo->len - 1);
        if (u.old)
            g_hash_table_insert(b->names, (gpointer)(uintptr_t)u.name, u.old);
        else
            g_hash_table_remove(b->names, u.name);
        g_array_set_size(b->undo, b->undo->len - 1);
    }
}

bool tw__as_find(const tw__as_binder *b, const char *name, uint32_t *slot)
{
    const tw__as_entry *found = entry_of(b, name);
    if (found) *slot = found->slot;
    return found != NULL;
}

/* --- types ------------------------------------------------------------------------------------------------------ */

bool tw__as_same_type(const tw__as_type *a, const tw__as_type *b)
{
    if (!a->kind || !b->kind || !a->text || !b->text || strcmp(a->text, b->text) == 0) return true;
    return a->kind == TW__AS_TILE && b->kind == TW__AS_TILE && !a->counts && !b->counts &&
           strcmp(strchr(a->text, '<'), strchr(b->text, '<')) == 0;
}

bool tw__as_is_integer(const tw__as_type *type)
{
    return type->kind == TW__AS_NONE || type->kind == TW__AS_INDEX ||
           (type->kind == TW__AS_SCALAR && !tw__is_float(type->element));
}

/* --- code ------------------------------------------------------------------------------------------------------- */

tw__as_code *tw__as_code_new(tw__as_binder *b, const tw__as_op *op, tw__as_fn fn)
{
    tw__as_code *code = TW__NEW(b->m->arena, tw__as_code);
    if (!code) {
        b->failed = b->m->no_memory = true;
        return NULL;
    }
    static tw__as_more none; /* of all constants; never written */
    code->more = fn == tw__as_constant_run ? &none : TW__NEW(b->m->arena, tw__as_more);
    if (!code->more) return b->failed = b->m->no_memory = true, NULL;
    code->op = op->self;
    code->fn = fn;
    *b->end = code;
    b->end = &code->next;
    return code;
}

const tw_pto_attrs *tw__as_keep_attrs(tw__as_binder *b, const tw_pto_attrs *attrs)
{
    static const tw_pto_attrs none;
    if (memcmp(attrs, &none, sizeof none) == 0) return NULL;
    tw_pto_attrs *kept = TW__NEW(b->m->arena, tw_pto_attrs);
    if (!kept) return b->failed = b->m->no_memory = true, NULL;
    *kept = *attrs;
    return kept;
}

bool tw__as_set_operands(tw__as_binder *b, tw__as_code *code, const uint32_t *slots, tw__as_item *const *where,
                         unsigned count)
{
    if (count == 0) return true;
    code->operand = TW__NEW_N(b->m->arena, uint32_t, count);
    code->more->where = TW__NEW_N(b->m->arena, tw__as_place, count);
    if (!code->operand || !code->more->where) return b->failed = b->m->no_memory = true, false;
    memcpy(code->operand, slots, count * sizeof *slots);
    for (unsigned i = 0; where && i < count; i++)
        if (where[i]) code->more->where[i] = tw__as_place_of(where[i]);
    code->count = count;
    return true;
}

/* The type of the only result: what is alike in a row shares it. */
static bool set_type(tw__as_binder *b, tw__as_code *code, const tw__as_type *type)
{
    const tw__as_type *kept = tw__as_intern(b->m, type);
    if (kept && b->types && *b->types == kept) return code->types = b->types, true;
    const tw__as_type **one = kept ? TW__NEW_N(b->m->arena, const tw__as_type *, 1) : NULL;
    if (!one) return b->failed = b->m->no_memory = true, false;
    *one = kept;
    return code->types = b->types = one, true;
}

bool tw__as_set_results(tw__as_binder *b, tw__as_code *code, const tw__as_op *op, const tw__as_type *types,
                        unsigned count)
{
    if (op->result_count != count) {
        tw__as_refuse(b, NULL, op, "pto.results", "%s gives %u result%s, %u %s named", op->name, count,
                      count == 1 ? "" : "s", op->result_count, op->result_count == 1 ? "is" : "are");
        return false;
    }
    if (count == 0) return true;
    const tw__as_type **kept = count > 1 ? TW__NEW_N(b->m->arena, const tw__as_type *, count) : NULL;
    code->result = TW__NEW_N(b->m->arena, uint32_t, count);
    if (!code->result || (count > 1 && !kept)) return b->failed = b->m->no_memory = true, false;
    code->types = kept;
    if (count == 1 && !set_type(b, code, types)) return false;
    for (unsigned i = 0; i < count; i++) {
        if (kept && !(kept[i] = tw__as_intern(b->m, &types[i]))) return b->failed = true, false;
        code->result[i] = tw__as_define_result(b, op, i, &types[i]);
    }
    code->result_count = count;
    return true;
}

bool tw__as_define_free(tw__as_binder *b, const tw__as_item *name, const tw__as_type *type, uint32_t *slot)
{
    const tw__as_place where = tw__as_place_of(name);
    *slot = tw__as_define(b, name->text, type, &where);
    if (!tw__grow(&b->f->free_name, &b->free_room, b->f->free_count, sizeof *b->f->free_name) ||
        !tw__grow(&b->f->free_where, &b->where_room, b->f->free_count, sizeof *b->f->free_where))
        return b->failed = b->m->no_memory = true, false;
    b->f->free_where[b->f->free_count] = tw__as_place_of(name);
    b->f->free_name[b->f->free_count++] = *slot;
    return true;
}

bool tw__as_set_result(tw__as_binder *b, tw__as_code *code, const tw__as_type *type, uint32_t slot)
{
    code->result = TW__NEW_N(b->m->arena, uint32_t, 1);
    if (!code->result) return b->failed = b->m->no_memory = true, false;
    if (!set_type(b, code, type)) return false;
    code->result_count = 1;
    *code->result = slot;
    return true;
}

const int64_t *tw__as_known_number(const tw__as_binder *b, uint32_t slot)
{
    return slot < b->f->slots ? b->known[slot].number : NULL;
}

void tw__as_set_known(tw__as_binder *b, uint32_t slot, const int64_t *value)
{
    if (slot < b->f->slots) b->known[slot].number = value;
}

const tw__as_code *tw__as_maker(const tw__as_binder *b, uint32_t slot)
{
    return slot < b->f->slots ? b->known[slot].maker : NULL;
}

void tw__as_set_maker(tw__as_binder *b, uint32_t slot, const tw__as_code *code)
{
    if (slot < b->f->slots) b->known[slot].maker = code;
}

bool tw__as_constant(tw__as_binder *b, const tw__as_op *op, const tw__as_item *item, tw_type type, uint32_t *slot)
{
    tw__as_type t = { .kind = TW__AS_SCALAR,
                      .element = type                                                     ? type
                                 : strpbrk(item->text, ".eE") && !strchr(item->text, 'x') ? TW_F32
                                                                                          : TW_I64 };
    int64_t bits;
    if (!tw__as_number(item->text, t.element, &bits)) {
        tw__as_refuse(b, item, op, "pto.number", "%s", tw_error_message());
        return false;
    }
    tw__as_code *code = tw__as_code_new(b, op, tw__as_constant_run);
    if (!code) return false;
    code->number = bits;
    *slot = new_slot(b, "", &t);
    tw__as_set_known(b, *slot, &code->number);
    return tw__as_set_result(b, code, &t, *slot);
}

/* The nearest name that stands in scope here. */
void tw__as_undefined(tw__as_binder *b, const tw__as_item *item, const tw__as_op *op)
{
    const char *names[512];
    size_t count = 0;
    GHashTableIter iter;
    gpointer key;
    if (item->kind != TW__AS_VALUE)
        return tw__as_refuse(b, item, op, "pto.operand", "expected a value, not '%s'",
                             item->text ? item->text : "");
    g_hash_table_iter_init(&iter, b->names);
    while (count < G_N_ELEMENTS(names) && g_hash_table_iter_next(&iter, &key, NULL)) names[count++] = key;
    const char *near = tw__nearest(item->text, names, count);
    tw__as_refuse(b, item, op, "pto.name",
                  near ? "%%%s is not defined; did you mean '%%%s'?" : "%%%s is not defined", item->text, near);
}

bool tw__as_slots(tw__as_binder *b, const tw__as_op *op, tw__as_item *const *items, unsigned count, tw_type type,
                  uint32_t *slots)
{
    for (unsigned i = 0; i < count; i++) {
        if (items[i]->kind == TW__AS_NUMBER) {
            if (!tw__as_constant(b, op, items[i], type, &slots[i])) return false;
        } else if (items[i]->kind != TW__AS_VALUE || !tw__as_find(b, items[i]->text, &slots[i])) {
            tw__as_undefined(b, items[i], op);
            return false;
        }
    }
    return true;
}
