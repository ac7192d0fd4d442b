/* SPDX-License-Identifier: MIT */
/* functions: modules and functions. All are declared before one is bound, so that calls may stand before what they
 * call; what stands outside functions is a function of its own, without a name. */
#include "pto/text/bind/bind.h"

#include <stdlib.h>

/* "module" [@name] ["attributes" dict], "func.func" [private] @name "(" parameters ")" ["->" types] ["attributes"
 * dict]. */
static bool check_head(tw__as_binder *b, const tw__as_op *op, bool function)
{
    static const char *const words[] = { "attributes", "private", "public", "nested" };
    bool named = false, attributes = false;
    for (const tw__as_item *i = op->items; i; i = i->next) {
        bool word = i->kind == TW__AS_WORD && !i->has_value, good = false;
        if (word && strcmp(i->text, "attributes") == 0 && i->next && i->next->kind == TW__AS_DICT) {
            good = attributes = true;
        } else if (word) {
            for (size_t w = 1; function && !named && w < G_N_ELEMENTS(words); w++)
                good |= strcmp(i->text, words[w]) == 0;
        } else if (i->kind == TW__AS_SYMBOL) {
            good = !named;
            named = true;
            if (function && good && !i->child)
                return tw__as_refuse(b, i, op, "pto.function", "expected '(' with parameters after %s", i->text),
                       false;
        } else {
            good = (i->kind == TW__AS_DICT && attributes) || (i->kind == TW__AS_ARROW && function && named) ||
                   (i->kind == TW__AS_ATTR && strncmp(i->text, "loc", 3) == 0);
        }
        if (good) continue;
        const char *near = word ? tw__nearest(i->text, words, G_N_ELEMENTS(words)) : NULL;
        tw__as_refuse(b, i, op, "pto.function",
                      near ? "this has no meaning here; did you mean '%s'?"
                           : "this has no meaning here; expected %s",
                      near       ? near
                      : function ? "func.func [private] @name(%a: type, ...) [-> types] [attributes {...}]"
                                 : "module [@name] [attributes {...}] {");
        return false;
    }
    return true;
}

/* Room for the parameters, as many as there are names in the parentheses. */
static bool make_params(tw__as_binder *b, const tw__as_op *op)
{
    tw__as_function *f = b->f;
    unsigned n = 0;
    for (const tw__as_item *i = op->items; i; i = i->next)
        for (const tw__as_item *v = i->kind == TW__AS_SYMBOL && i->child ? i->child->child : NULL; v; v = v->next)
            n += v->kind == TW__AS_VALUE;
    if (n > TW__AS_MAX_ARGS) n = TW__AS_MAX_ARGS;
    f->param = TW__NEW_N(b->m->arena, const char *, n + 1);
    f->param_type = TW__NEW_N(b->m->arena, tw__as_type, n + 1);
    f->param_slot = TW__NEW_N(b->m->arena, uint32_t, n + 1);
    f->param_where = TW__NEW_N(b->m->arena, tw__as_place, n + 1);
    if (!f->param || !f->param_type || !f->param_slot || !f->param_where) b->m->no_memory = true;
    return !b->m->no_memory;
}

/* Once for the types, once for the names. */
static void bind_params(tw__as_binder *b, const tw__as_op *op, bool names)
{
    unsigned k = 0;
    for (const tw__as_item *i = op->items; i; i = i->next) {
        const tw__as_item *list = i->kind == TW__AS_SYMBOL && i->child ? i->child->child : NULL;
        for (const tw__as_item *v = list; v; v = v->next) {
            const tw__as_item *type = v->next;
            if (v->kind != TW__AS_VALUE && v->kind != TW__AS_COLON && v->kind != TW__AS_DICT &&
                (v->kind != TW__AS_WORD || b->f->op->blocks)) /* of a declaration: types alone */
                return tw__as_refuse(b, v, op, "pto.param", "a parameter is %%name: type");
            if (v->kind != TW__AS_VALUE) continue;
            for (unsigned j = 0; j < k && !names; j++)
                if (strcmp(b->f->param[j], v->text) == 0)
                    return tw__as_refuse(b, v, op, "pto.param", "%%%s is defined twice", v->text);
            if (!type || type->kind != TW__AS_COLON || type->type_count != 1)
                return tw__as_refuse(b, v, op, "pto.param", "expected %%%s: type", v->text);
            if (k == TW__AS_MAX_ARGS)
                return tw__as_refuse(b, v, op, "pto.param", "more than %d parameters", TW__AS_MAX_ARGS);
            if (names) {
                b->f->param_slot[k] = tw__as_define(b, v->text, &type->types[0], &b->f->param_where[k]);
                k++;
                continue;
            }
            b->f->param[k] = v->text;
            b->f->param_where[k] = tw__as_place_of(v);
            b->f->param_type[k++] = type->types[0];
            b->f->params = k;
        }
    }
}

static tw__as_function *new_function(tw__as_binder *b, const char *name, tw__as_function ***end)
{
    tw__as_function *f = TW__NEW(b->m->arena, tw__as_function);
    if (!f) return b->m->no_memory = true, NULL;
    f->name = name;
    b->f = f;
    **end = f;
    *end = &f->next;
    return f;
}

static void start_function(tw__as_binder *b, tw__as_function *f)
{
    b->f = f;
    b->slot_room = b->type_room = b->known_room = b->free_room = b->where_room = 0;
    g_hash_table_remove_all(b->names);
    tw__as_define(b, "", NULL, NULL); /* slot 0: what stands for a value that found no room */
}

/* Slot tables move to the arena, whose life they share. */
static void settle(tw__as_binder *b)
{
    tw__as_function *f = b->f;
    g_hash_table_remove_all(b->names);
    g_array_free(b->undo, TRUE);
    b->undo = g_array_new(FALSE, FALSE, sizeof(tw__as_undo));
    g_array_free(b->entries, TRUE);
    b->entries = g_array_new(FALSE, FALSE, sizeof(tw__as_entry));
    free(b->known);
    b->known = NULL;
    const char **names = TW__NEW_N(b->m->arena, const char *, f->slots + 1);
    const tw__as_type **types = TW__NEW_N(b->m->arena, const tw__as_type *, f->slots + 1);
    uint32_t *free_names = TW__NEW_N(b->m->arena, uint32_t, f->free_count + 1);
    tw__as_place *free_where = TW__NEW_N(b->m->arena, tw__as_place, f->free_count + 1);
    if (!names || !types || !free_names || !free_where) {
        b->m->no_memory = true;
        f->slots = f->free_count = 0;
    }
    if (f->slots) memcpy(names, f->slot_name, f->slots * sizeof *names);
    if (f->slots) memcpy(types, f->slot_type, f->slots * sizeof *types);
    if (f->free_count) memcpy(free_names, f->free_name, f->free_count * sizeof *free_names);
    if (f->free_count) memcpy(free_where, f->free_where, f->free_count * sizeof *free_where);
    free(f->slot_name);
    free(f->slot_type);
    free(f->free_name);
    free(f->free_where);
    f->slot_name = names;
    f->slot_type = types;
    f->free_name = free_names;
    f->free_where = free_where;
}

static bool is_module(const tw__as_op *op)
{
    return strcmp(op->name, "module") == 0 || strcmp(op->name, "builtin.module") == 0;
}

/* pto.kernel_kind = #pto.kernel_kind<cube>: the cores that a function, or all functions of a module, are for. */
static tw_pto_core_kind functions_kind_of(tw__as_binder *b, const tw__as_op *op, tw_pto_core_kind outer)
{
    static const char *const kinds[] = { [TW_PTO_CUBE] = "cube", [TW_PTO_VECTOR] = "vector" };
    char word[32];
    for (const tw__as_item *i = op->items; i; i = i->next)
        for (const tw__as_item *d = i->kind == TW__AS_DICT ? i->child : NULL; d; d = d->next) {
            if (!d->text || strcmp(d->text, "pto.kernel_kind") != 0) continue;
            tw__as_value_word(b, d->has_value ? d->child : d, word, sizeof word);
            if (d->has_value && !tw__as_is_class(b, d->child, "kernel_kind ")) *word = 0;
            for (int k = TW_PTO_CUBE; k <= TW_PTO_VECTOR; k++)
                if (strcmp(word, kinds[k]) == 0) return (tw_pto_core_kind)k;
            tw__as_refuse(b, d, op, "pto.function",
                          "pto.kernel_kind is #pto.kernel_kind<cube> or <vector>, not '%s'", word);
        }
    return outer;
}

/* Name, parameters and results of a function, so that calls may stand before it. */
static void declare_function(tw__as_binder *b, const tw__as_op *op, tw_pto_core_kind kind, tw__as_function ***end)
{
    const tw__as_item *name = NULL;
    for (const tw__as_item *i = op->items; i; i = i->next) {
        if (i->kind == TW__AS_SYMBOL && !name) name = i;
    }
    if (!name) return tw__as_refuse(b, op->items, op, "pto.function", "expected func.func @name(%%a: type, ...)");
    if (!check_head(b, op, true)) return;
    if (g_hash_table_contains(b->functions, name->text + 1))
        return tw__as_refuse(b, name, op, "pto.function", "%s is defined twice", name->text);
    if (!new_function(b, name->text + 1, end)) return;
    g_hash_table_insert(b->functions, (gpointer)(uintptr_t)b->f->name, b->f);
    b->f->op = op;
    b->f->declared = !op->blocks;
    for (const tw__as_item *i = op->items; i; i = i->next)
        if (i->kind == TW__AS_ARROW) {
            b->f->result_type = i->types;
            b->f->results = i->type_count;
        }
    b->f->kind = functions_kind_of(b, op, kind);
    if (make_params(b, op)) bind_params(b, op, false);
}

static void refuse_here(tw__as_binder *b, const tw__as_line *line)
{
    const tw__as_op op = {
        .name = line->name, .line = line->line, .column = line->column, .length = (int)line->length
    };
    tw__as_refuse(b, NULL, &op, "pto.nesting", "a module holds functions, not %s", op.name);
}

static void declare_functions(tw__as_binder *b, const tw__as_block *block, tw_pto_core_kind kind,
                              tw__as_function ***end, bool *plain)
{
    for (const tw__as_line *line = block->first; line && tw__as_go_on(b); line = line->next) {
        const tw__as_op *op = line->leaf ? NULL : line->whole;
        if (!op) {
            if (block != &b->m->top) refuse_here(b, line);
            *plain = true;
        } else if (is_module(op)) {
            check_head(b, op, false);
            if (op->blocks) declare_functions(b, op->blocks, functions_kind_of(b, op, kind), end, plain);
        } else if (strcmp(op->name, "func.func") == 0) {
            declare_function(b, op, kind, end);
        } else if (!op->alias) {
            if (block != &b->m->top) refuse_here(b, line);
            *plain = true;
        }
    }
}

static void bind_function(tw__as_binder *b, tw__as_function *f)
{
    start_function(b, f);
    if (!b->m->no_memory) bind_params(b, f->op, true);
    b->expect = (tw__as_expect){ 0 };
    if (f->op->blocks && !b->m->no_memory) f->body = tw__as_bind_block(b, f->op->blocks, NULL);
    const tw__as_line *last = f->op->blocks ? f->op->blocks->last : NULL;
    if (f->results && f->op->blocks && !b->failed &&
        !(last && (strcmp(last->name, "return") == 0 || strcmp(last->name, "func.return") == 0)))
        tw__as_refuse(b, NULL, f->op, "pto.return", "@%s has to end in return with %u value%s", f->name, f->results,
                      f->results == 1 ? "" : "s");
    settle(b);
}

/* What stands outside functions is a function without a name. */
static void bind_plain(tw__as_binder *b, tw__as_function ***end)
{
    tw__as_code *first = NULL;
    tw__as_function *f = new_function(b, "", end);
    if (!f) return;
    start_function(b, f);
    b->top = true;
    b->end = &first;
    b->expect = (tw__as_expect){ 0 };
    for (const tw__as_line *line = b->m->top.first; line && tw__as_go_on(b) && !b->m->no_memory; line = line->next)
        if (line->leaf || (!is_module(line->whole) && strcmp(line->name, "func.func") != 0 && !line->whole->alias))
            tw__as_bind_line(b, line);
    f->body = first;
    settle(b);
    const tw__as_line *line = g_hash_table_size(b->pending) ? b->m->top.first : NULL;
    for (; line && !b->failed; line = line->next) { /* in the order of the text */
        if (!strstr(line->name, "tassign")) continue;
        tw__arena_mark mark = tw__arena_save(b->m->scratch);
        const tw__as_op *op = tw__as_op_of(b->m, line);
        const tw__as_item *name = op ? op->items : NULL;
        const tw__as_early *early = name && name->text ? g_hash_table_lookup(b->pending, name->text) : NULL;
        if (early && early->op == line && !early->taken)
            tw__as_warn(b->m, name, "pto.address",
                        "%%%s gets an address, and nothing below defines a tile of this name", name->text);
        tw__arena_restore(b->m->scratch, mark);
    }
}

tw__as_program *tw__as_bind(tw__as_module *module, tw_pto_target target)
{
    tw__as_program *program = TW__NEW(module->arena, tw__as_program);
    if (!program) tw__as_error(module, 0, 0, 1, "pto.memory", "out of memory while binding the program");
    if (!program || module->no_memory) return NULL; /* the second is told already */
    tw__as_binder b = { .m = module, .program = program, .names = g_hash_table_new(g_str_hash, g_str_equal) };
    b.errors = tw_diags_count(module->diags, TW_ERROR);
    b.undo = g_array_new(FALSE, FALSE, sizeof(tw__as_undo));
    b.entries = g_array_new(FALSE, FALSE, sizeof(tw__as_entry));
    module->warnings = 0;
    b.pending = g_hash_table_new(g_str_hash, g_str_equal);
    b.functions = g_hash_table_new(g_str_hash, g_str_equal);
    *program = (tw__as_program){ .module = module, .target = target };
    tw__as_function **end = &program->functions;
    bool plain = false;
    declare_functions(&b, &module->top, TW_PTO_WHOLE, &end, &plain);
    for (tw__as_function *f = program->functions; f && !module->no_memory && tw__as_go_on(&b); f = f->next)
        bind_function(&b, f);
    if (plain) bind_plain(&b, &end);
    g_hash_table_destroy(b.names);
    g_hash_table_destroy(b.pending);
    g_hash_table_destroy(b.functions);
    g_array_free(b.undo, TRUE), g_array_free(b.entries, TRUE);
    module->no_memory |= tw__arena_failed(module->arena) || tw__arena_failed(module->scratch);
    if (module->no_memory) tw__as_error(module, 0, 0, 1, "pto.memory", "out of memory while binding the program");
    return module->no_memory || tw_diags_count(module->diags, TW_ERROR) > b.errors ? NULL : program;
}
