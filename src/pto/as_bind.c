/* as_bind: from the tree to code. Names become slots, operations rows of the instruction table or of the tables of host
 * operations; types that are written are compared with those known, and every instruction is checked for the target as
 * far as its extents are known. Names that plain assembly uses and never defines stay free: --arg binds them. */
#include "pto/as_bind.h"

#include <stdlib.h>

typedef struct undo {
    const char *name;
    gpointer old;
} undo;

void tw__as_refuse(tw__as_binder *b, const tw__as_item *where, const tw__as_op *op, const char *code,
                   const char *format, ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    b->failed = true;
    tw__as_error(b->m, where ? where->line : op->line, where ? where->column : op->column,
                 where ? where->length : op->length, code, "%s", text);
}

/* --- slots ---------------------------------------------------------------------------------------------------------- */

static uint32_t new_slot(tw__as_binder *b, const char *name, const tw__as_type *type)
{
    tw__as_function *f = b->f;
    if (f->slots >= TW__AS_MAX_SLOTS || !tw__grow(&f->slot_name, &b->slot_room, f->slots, sizeof *f->slot_name) ||
        !tw__grow(&f->slot_type, &b->type_room, f->slots, sizeof *f->slot_type)) {
        b->failed = true;
        b->m->no_memory = true;
        return 0;
    }
    f->slot_name[f->slots] = name;
    f->slot_type[f->slots] = type ? *type : (tw__as_type){ 0 };
    return f->slots++;
}

uint32_t tw__as_define(tw__as_binder *b, const char *name, const tw__as_type *type)
{
    undo u = { name, g_hash_table_lookup(b->names, name) };
    uint32_t slot = new_slot(b, name, type);
    g_array_append_val(b->undo, u);
    g_hash_table_insert(b->names, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(slot + 1));
    return slot;
}

guint tw__as_enter(const tw__as_binder *b)
{
    return b->undo->len;
}

void tw__as_leave(tw__as_binder *b, guint mark)
{
    while (b->undo->len > mark) {
        undo u = g_array_index(b->undo, undo, b->undo->len - 1);
        if (u.old)
            g_hash_table_insert(b->names, (gpointer)(uintptr_t)u.name, u.old);
        else
            g_hash_table_remove(b->names, u.name);
        g_array_set_size(b->undo, b->undo->len - 1);
    }
}

bool tw__as_find(const tw__as_binder *b, const char *name, uint32_t *slot)
{
    gpointer found = g_hash_table_lookup(b->names, name);
    if (found) *slot = GPOINTER_TO_UINT(found) - 1;
    return found != NULL;
}

/* --- code ------------------------------------------------------------------------------------------------------------ */

tw__as_code *tw__as_code_new(tw__as_binder *b, const tw__as_op *op, tw__as_fn fn)
{
    tw__as_code *code = TW__NEW(b->m->arena, tw__as_code);
    if (!code) {
        b->failed = b->m->no_memory = true;
        return NULL;
    }
    code->op = op;
    code->fn = fn;
    *b->end = code;
    b->end = &code->next;
    return code;
}

bool tw__as_set_operands(tw__as_binder *b, tw__as_code *code, const uint32_t *slots, tw__as_item *const *where,
                         unsigned count)
{
    code->operand = TW__NEW_N(b->m->arena, uint32_t, count + 1);
    code->where = TW__NEW_N(b->m->arena, tw__as_item *, count + 1);
    if (!code->operand || !code->where) return b->failed = b->m->no_memory = true, false;
    memcpy(code->operand, slots, count * sizeof *slots);
    if (where) memcpy(code->where, where, count * sizeof *where);
    code->count = count;
    return true;
}

bool tw__as_set_results(tw__as_binder *b, tw__as_code *code, const tw__as_op *op, const tw__as_type *types,
                        unsigned count)
{
    if (op->result_count != count) {
        tw__as_refuse(b, NULL, op, "pto.results", "%s has %u results, %u are named", op->name, count,
                      op->result_count);
        return false;
    }
    code->result = TW__NEW_N(b->m->arena, uint32_t, count + 1);
    code->types = TW__NEW_N(b->m->arena, tw__as_type, count + 1);
    if (!code->result || !code->types) return b->failed = b->m->no_memory = true, false;
    for (unsigned i = 0; i < count; i++) {
        code->types[i] = types[i];
        code->result[i] = tw__as_define(b, op->results[i].text, &types[i]);
    }
    code->result_count = count;
    return true;
}

bool tw__as_define_free(tw__as_binder *b, const char *name, const tw__as_type *type, uint32_t *slot)
{
    *slot = tw__as_define(b, name, type);
    if (!tw__grow(&b->f->free_name, &b->free_room, b->f->free_count, sizeof *b->f->free_name))
        return b->failed = b->m->no_memory = true, false;
    b->f->free_name[b->f->free_count++] = *slot;
    return true;
}

bool tw__as_set_result(tw__as_binder *b, tw__as_code *code, const tw__as_type *type, uint32_t slot)
{
    code->result = TW__NEW_N(b->m->arena, uint32_t, 1);
    code->types = TW__NEW_N(b->m->arena, tw__as_type, 1);
    if (!code->result || !code->types) return b->failed = b->m->no_memory = true, false;
    code->result_count = 1;
    *code->types = *type;
    *code->result = slot;
    return true;
}

bool tw__as_constant(tw__as_binder *b, const tw__as_op *op, const tw__as_item *item, tw_type type, uint32_t *slot)
{
    tw__as_type t = { .kind = TW__AS_SCALAR,
                      .element = type                                                     ? type
                                 : strpbrk(item->text, ".eE") && !strchr(item->text, 'x') ? TW_F32
                                                                                          : TW_I64 };
    int64_t bits;
    if (!tw__as_number(item->text, t.element, &bits)) {
        tw__as_refuse(b, item, op, "pto.number", "'%s' is not a value of %s", item->text,
                      tw_type_name(t.element, TW_SYSTEM_PTO));
        return false;
    }
    tw__as_code *code = tw__as_code_new(b, op, tw__as_constant_run);
    if (!code) return false;
    code->number = bits;
    *slot = new_slot(b, "", &t);
    return tw__as_set_result(b, code, &t, *slot);
}

bool tw__as_slots(tw__as_binder *b, const tw__as_op *op, tw__as_item *const *items, unsigned count, tw_type type,
                  uint32_t *slots)
{
    for (unsigned i = 0; i < count; i++) {
        if (items[i]->kind == TW__AS_NUMBER) {
            if (!tw__as_constant(b, op, items[i], type, &slots[i])) return false;
        } else if (items[i]->kind != TW__AS_VALUE || !tw__as_find(b, items[i]->text, &slots[i])) {
            tw__as_refuse(b, items[i], op, "pto.name", "'%s' is not defined", items[i]->text ? items[i]->text : "");
            return false;
        }
    }
    return true;
}

/* The nearest name of all that could stand here, with the prefix that was written. */
static void unknown(tw__as_binder *b, const tw__as_op *op, const char *bare)
{
    const char *names[768];
    size_t count = 0;
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

static void bind_op(tw__as_binder *b, const tw__as_op *op)
{
    const char *name = op->name, *bare = g_str_has_prefix(name, "pto.") ? name + 4 : name;
    const tw__as_flow *flow = tw__as_flow_of(name);
    if (flow) return flow->bind(b, op);
    if (op->blocks[0]) return tw__as_refuse(b, NULL, op, "pto.nesting", "%s cannot stand here", name);
    const tw__pto_row *row =
        strchr(bare, '.') == NULL || g_str_has_prefix(name, "pto.") || g_str_has_prefix(name, "t")
            ? tw__pto_row_of(bare)
            : NULL;
    const tw__as_host *host = row ? NULL : tw__as_host_of(name);
    if (row) return tw__as_bind_row(b, op, row);
    if (host) return tw__as_bind_host(b, op, host);
    unknown(b, op, bare);
}

tw__as_code *tw__as_bind_block(tw__as_binder *b, const tw__as_block *block, tw__as_code *owner)
{
    tw__as_code *first = NULL, **outer = b->end;
    guint mark = tw__as_enter(b);
    b->end = &first;
    if (owner && owner->tile_end == 0) owner->first_tile = b->f->slots;
    for (const tw__as_op *op = block->first; op && tw_diags_count(b->m->diags, TW_ERROR) < TW__AS_ERRORS;
         op = op->next) {
        bool failed = b->failed;
        b->failed = false;
        bind_op(b, op);
        for (unsigned r = 0; b->failed && r < op->result_count; r++) { /* later uses are not errors of their own */
            uint32_t slot;
            if (!tw__as_find(b, op->results[r].text, &slot)) tw__as_define(b, op->results[r].text, NULL);
        }
        b->failed |= failed;
        if (b->m->no_memory) break;
    }
    tw__as_leave(b, mark);
    if (owner) owner->tile_end = b->f->slots;
    b->end = outer;
    return first;
}

/* --- functions --------------------------------------------------------------------------------------------------------------- */

static void bind_params(tw__as_binder *b, const tw__as_op *op)
{
    for (const tw__as_item *i = op->items; i; i = i->next) {
        const tw__as_item *list = i->kind == TW__AS_SYMBOL && i->child ? i->child->child : NULL;
        for (const tw__as_item *v = list; v; v = v->next) {
            const tw__as_item *type = v->next;
            if (v->kind != TW__AS_VALUE) continue;
            if (!type || type->kind != TW__AS_COLON || type->type_count != 1)
                return tw__as_refuse(b, v, op, "pto.param", "expected %%%s: type", v->text);
            if (b->f->params == TW__AS_MAX_ARGS)
                return tw__as_refuse(b, v, op, "pto.param", "more than %d parameters", TW__AS_MAX_ARGS);
            unsigned k = b->f->params++;
            b->f->param[k] = v->text;
            b->f->param_type[k] = type->types[0];
            b->f->param_slot[k] = tw__as_define(b, v->text, &type->types[0]);
        }
    }
}

static tw__as_function *new_function(tw__as_binder *b, const char *name, tw__as_function ***end)
{
    tw__as_function *f = TW__NEW(b->m->arena, tw__as_function);
    if (!f) return b->m->no_memory = true, NULL;
    f->name = name;
    b->f = f;
    b->slot_room = b->type_room = b->free_room = 0;
    g_hash_table_remove_all(b->names);
    g_array_set_size(b->undo, 0);
    **end = f;
    *end = &f->next;
    return f;
}

/* Slot tables move to the arena, whose life they share. */
static void settle(tw__as_binder *b)
{
    tw__as_function *f = b->f;
    const char **names = TW__NEW_N(b->m->arena, const char *, f->slots + 1);
    tw__as_type *types = TW__NEW_N(b->m->arena, tw__as_type, f->slots + 1);
    uint32_t *free_names = TW__NEW_N(b->m->arena, uint32_t, f->free_count + 1);
    if (!names || !types || !free_names) {
        b->m->no_memory = true;
        f->slots = f->free_count = 0;
    }
    if (f->slots) memcpy(names, f->slot_name, f->slots * sizeof *names);
    if (f->slots) memcpy(types, f->slot_type, f->slots * sizeof *types);
    if (f->free_count) memcpy(free_names, f->free_name, f->free_count * sizeof *free_names);
    free(f->slot_name);
    free(f->slot_type);
    free(f->free_name);
    f->slot_name = names;
    f->slot_type = types;
    f->free_name = free_names;
}

static void bind_functions(tw__as_binder *b, const tw__as_block *block, tw__as_function ***end, bool *plain)
{
    for (const tw__as_op *op = block->first; op; op = op->next) {
        if (strcmp(op->name, "module") == 0 || strcmp(op->name, "builtin.module") == 0) {
            if (op->blocks[0]) bind_functions(b, op->blocks[0], end, plain);
        } else if (strcmp(op->name, "func.func") == 0) {
            const char *name = "";
            for (const tw__as_item *i = op->items; i; i = i->next)
                if (i->kind == TW__AS_SYMBOL) name = i->text + 1;
            if (!op->blocks[0] || !new_function(b, name, end)) continue;
            b->top = false;
            bind_params(b, op);
            b->f->body = tw__as_bind_block(b, op->blocks[0], NULL);
            settle(b);
        } else {
            *plain = true;
        }
    }
}

static void bind_plain(tw__as_binder *b, tw__as_function ***end)
{
    tw__as_code *first = NULL;
    if (!new_function(b, "", end)) return;
    b->top = true;
    b->end = &first;
    for (const tw__as_op *op = b->m->top.first; op && tw_diags_count(b->m->diags, TW_ERROR) < TW__AS_ERRORS;
         op = op->next) {
        if (strcmp(op->name, "module") == 0 || strcmp(op->name, "builtin.module") == 0 ||
            strcmp(op->name, "func.func") == 0)
            continue;
        bool failed = b->failed;
        b->failed = false;
        bind_op(b, op);
        b->failed |= failed;
    }
    b->f->body = first;
    settle(b);
}

tw__as_program *tw__as_bind(tw__as_module *module, tw_pto_target target)
{
    tw__as_program *program = TW__NEW(module->arena, tw__as_program);
    if (!program || module->no_memory) return NULL;
    tw__as_binder b = { .m = module, .program = program, .names = g_hash_table_new(g_str_hash, g_str_equal) };
    b.undo = g_array_new(FALSE, FALSE, sizeof(undo));
    b.pending = g_hash_table_new(g_str_hash, g_str_equal);
    *program = (tw__as_program){ .module = module, .target = target };
    tw__as_function **end = &program->functions;
    bool plain = false;
    bind_functions(&b, &module->top, &end, &plain);
    if (plain) bind_plain(&b, &end);
    g_hash_table_destroy(b.names);
    g_hash_table_destroy(b.pending);
    g_array_free(b.undo, TRUE);
    if (module->no_memory) tw__as_error(module, 0, 0, 1, "pto.memory", "out of memory while binding the program");
    return tw_diags_count(module->diags, TW_ERROR) ? NULL : program;
}
