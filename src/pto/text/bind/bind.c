/* bind: from the tree to code. Names become slots, operations rows of the instruction table or of the tables of host
 * operations; types that are written are compared with those known, and every instruction is checked for the target
 * as far as its extents are known. Names that plain assembly uses and never defines stay free: --arg binds them. */
#include "pto/text/bind/bind.h"

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
static const char *keep(tw__as_binder *b, const char *name)
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
    enter_name(b, keep(b, name), slot, where);
}

uint32_t tw__as_define(tw__as_binder *b, const char *name, const tw__as_type *type, const tw__as_place *where)
{
    const char *kept = keep(b, name);
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

const char *tw__as_type_text(const tw__as_type *type)
{
    if (type->text) return type->text;
    if (type->kind == TW__AS_SCALAR) return tw_type_name(type->element, TW_SYSTEM_PTO);
    return type->kind == TW__AS_TILE ? "a window of a tile" : "a value of no known type";
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

/* The nearest name of all that could stand here, with the prefix that was written. */
static void unknown(tw__as_binder *b, const tw__as_op *op, const char *bare)
{
    static const char *const words[] = { "else", "do", "case", "default", "module", "func.func" };
    enum { INNER = 4 }; /* the first of them */
    const char *names[768];
    size_t count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (i < INNER && strcmp(bare, words[i]) == 0)
            return tw__as_refuse(b, NULL, op, "pto.operation",
                                 "'%s' stands only behind the head or a block of an scf operation", bare);
        if (bare == op->name) names[count++] = words[i];
    }
    for (size_t i = 0; i < tw__pto_row_count() && count < 512; i++) names[count++] = tw__pto_row_at(i)->mnemonic;
    for (size_t i = 0; count < 700 && tw__as_host_at(i); i++) {
        const char *name = tw__as_host_at(i)->name;
        names[count++] = strncmp(name, "pto.", 4) == 0 ? name + 4 : name;
    }
    for (size_t i = 0; count < 768 && tw__as_flow_at(i); i++) names[count++] = tw__as_flow_at(i)->name;
    const char *near = tw__nearest(bare, names, count);
    tw__as_refuse(b, NULL, op, "pto.operation",
                  near ? "unknown operation '%s'; did you mean '%s%s'?" : "unknown operation '%s'", op->name,
                  near && bare != op->name ? "pto." : "", near);
}

/* "tadd" and "pto.tadd"; dots of the assembler's names for forms that the table keeps under another one. */
static const tw__pto_row *row_of(const char *name, const char *bare)
{
    static const char *const aliases[][2] = { { "tmov.fp", "tmov" },
                                              { "tstore.fp", "tstore_fp" },
                                              { "textract.fp", "textract_fp" },
                                              { "tinsert.fp", "tinsert_fp" } };
    for (size_t i = 0; i < G_N_ELEMENTS(aliases); i++)
        if (strcmp(bare, aliases[i][0]) == 0) bare = aliases[i][1];
    bool could = bare != name || !strchr(bare, '.') || *bare == 't';
    return could ? tw__pto_row_of(bare) : NULL;
}

static void bind_op(tw__as_binder *b, const tw__as_op *op)
{
    const char *name = op->name, *bare = g_str_has_prefix(name, "pto.") ? name + 4 : name;
    const tw__as_flow *flow = tw__as_flow_of(name);
    if (flow) return flow->bind(b, op);
    if (op->blocks) return tw__as_refuse(b, NULL, op, "pto.nesting", "%s cannot stand here", name);
    const tw__pto_row *row = row_of(name, bare);
    bool special = row && (strchr(row->form, 'r') || (op->result_count && strcmp(row->mnemonic, "ttest") == 0));
    if (special) row = NULL; /* tensors of all ranks, an answer: text/ops/devices.c */
    const tw__as_host *host = row ? NULL : tw__as_host_of(name);
    if (row) return tw__as_bind_row(b, op, row);
    if (host) return tw__as_bind_host(b, op, host);
    unknown(b, op, bare);
}

void tw__as_bind_line(tw__as_binder *b, const tw__as_line *line)
{
    bool failed = b->failed;
    uint32_t slot;
    tw__arena_mark mark = tw__arena_save(b->m->scratch);
    const tw__as_op *op = tw__as_op_of(b->m, line);
    b->failed = !op;
    if (op) bind_op(b, op);
    for (unsigned r = 0; op && b->failed && r < op->result_count; r++)
        if (!tw__as_find(b, op->results[r].text, &slot)) tw__as_define(b, op->results[r].text, NULL, NULL);
    b->failed |= failed;
    tw__arena_restore(b->m->scratch, mark);
}

tw__as_code *tw__as_bind_block(tw__as_binder *b, const tw__as_block *block, tw__as_code *owner)
{
    tw__as_code *first = NULL, **outer = b->end;
    guint mark = tw__as_enter(b);
    b->end = &first;
    if (owner && owner->more->tile_end == 0) owner->more->first_tile = b->f->slots;
    for (const tw__as_line *line = block->first; line && tw__as_go_on(b); line = line->next) {
        tw__as_bind_line(b, line);
        if (b->m->no_memory) break;
    }
    tw__as_leave(b, mark);
    if (owner) owner->more->tile_end = b->f->slots;
    b->end = outer;
    return first;
}
