/* SPDX-License-Identifier: MIT */
/* control_flow: loops, branches and sections, from tree to code. Types of what a block gives to its owner are
 * compared here, so that the interpreter can move values without looking. */
#include "pto/text/bind/bind.h"

#include <inttypes.h>

const tw__as_item *tw__as_item_of(const tw__as_op *op, tw__as_item_kind kind)
{
    for (const tw__as_item *i = op->items; i; i = i->next)
        if (i->kind == kind) return i;
    return NULL;
}

/* Types after "->". */
static unsigned arrow_types(const tw__as_op *op, const tw__as_type **types)
{
    const tw__as_item *arrow = tw__as_item_of(op, TW__AS_ARROW);
    *types = arrow ? arrow->types : NULL;
    return arrow ? arrow->type_count : 0;
}

/* A body that has to end in `by` with values of these types. */
static bool bind_body(tw__as_binder *b, const tw__as_op *op, const tw__as_block *block, tw__as_code *owner,
                      tw__as_code **body, const char *by, const tw__as_type *types, unsigned count)
{
    tw__as_expect outer = b->expect;
    b->expect = (tw__as_expect){ by, types, count, false };
    *body = tw__as_bind_block(b, block, owner);
    bool missing = count && !b->expect.met;
    b->expect = outer;
    if (missing && !b->failed)
        tw__as_refuse(b, NULL, op, "pto.yield", "a block of %s has to end in %s with %u value%s", op->name, by,
                      count, count == 1 ? "" : "s");
    return !b->failed;
}

bool tw__as_check_types(tw__as_binder *b, const tw__as_op *op, const uint32_t *slots, tw__as_item *const *where,
                        const tw__as_type *types, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!tw__as_same_type(b->f->slot_type[slots[i]], &types[i]))
            return tw__as_refuse(b, where[i], op, "pto.type", "%s is wanted here, not %s", types[i].text,
                                 tw__as_type_text(b->f->slot_type[slots[i]])),
                   false;
    return true;
}

static bool check_integers(tw__as_binder *b, const tw__as_op *op, const uint32_t *slots, tw__as_item *const *where,
                           unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!tw__as_is_integer(b->f->slot_type[slots[i]]))
            return tw__as_refuse(b, where[i], op, "pto.type", "an integer or index is wanted here, not %s",
                                 tw__as_type_text(b->f->slot_type[slots[i]])),
                   false;
    return true;
}

static bool check_condition(tw__as_binder *b, const tw__as_op *op, uint32_t slot, const tw__as_item *where)
{
    const tw__as_type *have = b->f->slot_type[slot];
    if (!have->kind || (have->kind == TW__AS_SCALAR && have->element == TW_BOOL)) return true;
    return tw__as_refuse(b, where, op, "pto.type", "%s: i1 is wanted here, such as arith.cmpi gives, not %s",
                         op->name, tw__as_type_text(have)),
           false;
}

/* "(%a = %initial, ...)": initial values into items, names stay in the list. */
static bool carried_values(tw__as_binder *b, const tw__as_op *op, const tw__as_item *list, tw__as_item **items,
                           unsigned *count)
{
    for (const tw__as_item *i = list; i; i = i->next) {
        if (i->kind != TW__AS_VALUE || !i->has_value || *count >= TW__AS_OPERANDS)
            return tw__as_refuse(b, i, op, "pto.carried", "expected %%carried = %%initial"), false;
        items[(*count)++] = i->child;
    }
    return true;
}

static bool results_fit(tw__as_binder *b, const tw__as_op *op, unsigned given, unsigned types)
{
    if (given == types && op->result_count == given) return true;
    tw__as_refuse(b, NULL, op, "pto.results", "%u values are carried, with %u types, and %u results are named",
                  given, types, op->result_count);
    return false;
}

/* operand: from, to, step, initial values; number: how many are carried; result: induction variable, carried,
 * results. */
/* Words of a head: to, step, iter_args. */
static bool known_words(tw__as_binder *b, const tw__as_op *op)
{
    static const char *const words[] = { "to", "step", "iter_args" };
    for (const tw__as_item *i = op->items; i; i = i->next) {
        bool known = i->kind != TW__AS_WORD;
        for (size_t w = 0; w < G_N_ELEMENTS(words) && !known; w++) known = strcmp(i->text, words[w]) == 0;
        if (known) continue;
        const char *near = tw__nearest(i->text, words, G_N_ELEMENTS(words));
        tw__as_refuse(b, i, op, "pto.for",
                      near ? "'%s' has no meaning in %s; did you mean '%s'?"
                           : "'%s' has no meaning in %s: it has to, step and iter_args",
                      i->text, op->name, near);
        return false;
    }
    return true;
}

static void bind_for(tw__as_binder *b, const tw__as_op *op)
{
    tw__as_item *items[3 + TW__AS_OPERANDS] = { NULL };
    const tw__as_item *variable = op->items, *carried = NULL;
    const tw__as_type *types;
    unsigned n = 0, count = arrow_types(op, &types);
    uint32_t slots[3 + TW__AS_OPERANDS];
    if (!variable || variable->kind != TW__AS_VALUE || !variable->has_value)
        return tw__as_refuse(b, variable, op, "pto.for", "expected scf.for %%i = %%from to %%end step %%step");
    if (!known_words(b, op)) return;
    items[0] = variable->child;
    for (tw__as_item *i = variable->next; i; i = i->next) {
        if (i->kind == TW__AS_WORD && strcmp(i->text, "to") == 0 && i->next) items[1] = i->next;
        if (i->kind == TW__AS_WORD && strcmp(i->text, "step") == 0 && i->next) items[2] = i->next;
        if (i->kind == TW__AS_WORD && strcmp(i->text, "iter_args") == 0 && i->next &&
            i->next->kind == TW__AS_PARENS)
            carried = i->next->child;
    }
    if (!items[1] || !items[2])
        return tw__as_refuse(b, NULL, op, "pto.for", "expected scf.for %%i = %%from to %%end step %%step");
    if (!carried_values(b, op, carried, items + 3, &n) || !results_fit(b, op, n, count)) return;
    if (!tw__as_slots(b, op, items, 3, TW_I64, slots) || !check_integers(b, op, slots, items, 3)) return;
    const int64_t *step = tw__as_known_number(b, slots[2]);
    if (step && *step <= 0) return tw__as_refuse(b, items[2], op, "pto.for", "scf.for: a step of %" PRId64, *step);
    for (unsigned i = 0; i < n; i++)
        if (!tw__as_slots(b, op, items + 3 + i, 1, types[i].element, slots + 3 + i)) return;
    if (!tw__as_check_types(b, op, slots + 3, items + 3, types, n)) return;
    tw__as_code *code = tw__as_code_new(b, op, tw__as_for);
    if (!code || !tw__as_set_operands(b, code, slots, items, 3 + n)) return;
    code->result = TW__NEW_N(b->m->arena, uint32_t, 2 * n + 2);
    if (!code->result) return (void)(b->failed = b->m->no_memory = true);
    code->number = n;
    guint mark = tw__as_enter(b);
    tw__as_type index = *b->f->slot_type[slots[0]];
    tw__as_place where = tw__as_place_of(variable);
    code->result[0] = tw__as_define(b, variable->text, &index, &where);
    unsigned k = 0;
    for (const tw__as_item *i = carried; i; i = i->next, k++) {
        where = tw__as_place_of(i);
        code->result[1 + k] = tw__as_define(b, i->text, &types[k], &where);
    }
    bind_body(b, op, op->blocks, code, &code->more->body[0], "scf.yield", types, n);
    tw__as_leave(b, mark);
    for (unsigned i = 0; i < n; i++) code->result[1 + n + i] = tw__as_define_result(b, op, i, &types[i]);
}

/* operand: initial values; result: those of the first block, those of the second, results; parts: how many. */
static void bind_while(tw__as_binder *b, const tw__as_op *op)
{
    tw__as_item *items[TW__AS_OPERANDS];
    const tw__as_item *list = tw__as_item_of(op, TW__AS_PARENS), *colon = tw__as_item_of(op, TW__AS_COLON);
    const tw__as_type *types;
    uint32_t slots[TW__AS_OPERANDS];
    unsigned n = 0, m = arrow_types(op, &types), given = colon ? colon->type_count : 0;
    const tw__as_block *second = op->blocks ? op->blocks->next : NULL;
    if (list && !carried_values(b, op, list->child, items, &n)) return;
    if (!second) return tw__as_refuse(b, NULL, op, "pto.while", "scf.while has two blocks: { ... } do { ... }");
    if (n != given || m != op->result_count || m > TW__AS_OPERANDS)
        return tw__as_refuse(b, NULL, op, "pto.results",
                             "%u initial values with %u types; %u results with %u types after '->'", n, given,
                             op->result_count, m);
    for (unsigned i = 0; i < n; i++)
        if (!tw__as_slots(b, op, items + i, 1, colon->types[i].element, slots + i)) return;
    if (n && !tw__as_check_types(b, op, slots, items, colon->types, n)) return;
    tw__as_code *code = tw__as_code_new(b, op, tw__as_while);
    if (!code || !tw__as_set_operands(b, code, slots, items, n)) return;
    code->result = TW__NEW_N(b->m->arena, uint32_t, n + 2 * m + 1);
    if (!code->result) return (void)(b->failed = b->m->no_memory = true);
    code->more->parts[0] = n;
    code->more->parts[1] = m;
    guint mark = tw__as_enter(b);
    unsigned k = 0;
    for (const tw__as_item *i = list ? list->child : NULL; i; i = i->next, k++) {
        const tw__as_place where = tw__as_place_of(i);
        code->result[k] = tw__as_define(b, i->text, &colon->types[k], &where);
    }
    for (unsigned i = 0; i < m; i++) code->result[n + i] = tw__as_define(b, "", &types[i], NULL);
    if (!bind_body(b, op, op->blocks, code, &code->more->body[0], "scf.condition", types, m)) return;
    tw__as_leave(b, mark);
    if (!b->expect_condition) /* set by scf.condition of that block */
        return tw__as_refuse(b, NULL, op, "pto.yield", "the first block of scf.while has to end in scf.condition");
    k = 0;
    for (const tw__as_item *i = second->params ? second->params->child : NULL; i; i = i->next) {
        if (i->kind != TW__AS_VALUE) continue;
        if (k == m || !i->next || i->next->kind != TW__AS_COLON || i->next->type_count != 1 ||
            !tw__as_same_type(&types[k], i->next->types))
            return tw__as_refuse(b, i, op, "pto.while", "the second block takes %u values of the types after '->'",
                                 m);
        const tw__as_place where = tw__as_place_of(i);
        tw__as_rename(b, i->text, code->result[n + k++], &where);
    }
    bind_body(b, op, second, code, &code->more->body[1], "scf.yield", n ? colon->types : NULL, n);
    tw__as_leave(b, mark);
    for (unsigned i = 0; i < m; i++) code->result[n + m + i] = tw__as_define_result(b, op, i, &types[i]);
}

static void bind_if(tw__as_binder *b, const tw__as_op *op)
{
    uint32_t slot;
    const tw__as_type *types;
    unsigned n = arrow_types(op, &types);
    if (!op->items) return tw__as_refuse(b, NULL, op, "pto.if", "expected scf.if %%condition");
    if (!tw__as_slots(b, op, &op->items, 1, TW_BOOL, &slot) || !check_condition(b, op, slot, op->items)) return;
    if (n && n == op->result_count && !op->blocks->next)
        return tw__as_refuse(b, NULL, op, "pto.results",
                             "the else branch is missing: both have to give the %u result%s", n, n == 1 ? "" : "s");
    if (n != op->result_count)
        return tw__as_refuse(b, NULL, op, "pto.results", "%u results are named, both branches must give %u",
                             op->result_count, n);
    tw__as_code *code = tw__as_code_new(b, op, tw__as_if);
    if (!code || !tw__as_set_operands(b, code, &slot, &op->items, 1)) return;
    const tw__as_block *block = op->blocks;
    for (int i = 0; i < 2 && block; i++, block = block->next)
        bind_body(b, op, block, code, &code->more->body[i], "scf.yield", types, n);
    if (!b->failed && n) tw__as_set_results(b, code, op, types, n);
}

static void bind_region(tw__as_binder *b, const tw__as_op *op)
{
    const tw__as_type *types;
    unsigned n = arrow_types(op, &types);
    tw__as_code *code = tw__as_code_new(b, op, tw__as_region);
    if (code && bind_body(b, op, op->blocks, code, &code->more->body[0], "scf.yield", types, n))
        tw__as_set_results(b, code, op, types, n);
}

/* body[0]: a list of codes, one for each case, its value as number; body[1]: the default. */
static void bind_switch(tw__as_binder *b, const tw__as_op *op)
{
    uint32_t slot;
    const tw__as_type *types;
    unsigned n = arrow_types(op, &types);
    if (!op->items) return tw__as_refuse(b, NULL, op, "pto.switch", "expected scf.index_switch %%value");
    if (!tw__as_slots(b, op, &op->items, 1, TW_I64, &slot)) return;
    if (!check_integers(b, op, &slot, &op->items, 1)) return;
    tw__as_code *code = tw__as_code_new(b, op, tw__as_switch);
    if (!code || !tw__as_set_operands(b, code, &slot, &op->items, 1)) return;
    tw__as_code **outer = b->end;
    bool otherwise = false;
    b->end = &code->more->body[0];
    for (const tw__as_block *block = op->blocks; block && !b->failed; block = block->next) {
        bool is_case = block->number != NULL;
        tw__as_code *one = is_case ? tw__as_code_new(b, op, tw__as_region) : code;
        const tw__as_item where = { .line = block->line,
                                    .column = block->column,
                                    .length = (int)strlen(block->word) };
        bool twice = false;
        for (const tw__as_block *other = op->blocks; is_case && other != block; other = other->next)
            twice |= other->number && strcmp(other->number, block->number) == 0;
        if (is_case == (strcmp(block->word, "default") == 0)) {
            tw__as_refuse(b, &where, op, "pto.switch", "a case has a number, the default has none");
        } else if (twice) {
            tw__as_refuse(b, &where, op, "pto.switch", "case %s is given twice", block->number);
        } else if (one) {
            if (is_case && !tw__as_number(block->number, TW_I64, &one->number))
                tw__as_refuse(b, &where, op, "pto.switch", "'%s' is not the value of a case", block->number);
            tw__as_code **end = b->end;
            bind_body(b, op, block, code, is_case ? &one->more->body[0] : &code->more->body[1], "scf.yield", types,
                      n);
            b->end = end;
            otherwise |= !is_case;
        }
    }
    b->end = outer;
    if (!b->failed && !otherwise) tw__as_refuse(b, NULL, op, "pto.switch", "the default case is missing");
    if (!b->failed) tw__as_set_results(b, code, op, types, n);
}

static void bind_section(tw__as_binder *b, const tw__as_op *op)
{
    if (op->items) return tw__as_refuse(b, op->items, op, "pto.operands", "%s has nothing but its block", op->name);
    tw__as_code *code = tw__as_code_new(b, op, tw__as_section);
    if (!code) return;
    code->number = strstr(op->name, "cube") != NULL;
    code->more->body[0] = tw__as_bind_block(b, op->blocks, code);
}

/* --- ends of blocks --------------------------------------------------------------------------------------------- */

/* `first` operands stand before the values that the owner of the block takes. */
static bool bind_values(tw__as_binder *b, const tw__as_op *op, const char *by, tw__as_fn fn, unsigned first,
                        const tw__as_type *types, unsigned count)
{
    tw__as_parts p;
    uint32_t slots[TW__AS_OPERANDS];
    tw__as_collect(b, op, &p);
    if (b->failed) return false;
    if (op->self->next)
        return tw__as_refuse(b, NULL, op, "pto.yield", "%s ends its block: nothing can follow it", op->name), false;
    if (p.ins != first + count)
        return tw__as_refuse(b, NULL, op, "pto.yield", "%s: %u value%s wanted here, not %u", by, count,
                             count == 1 ? " is" : "s are", p.ins - (p.ins < first ? p.ins : first)),
               false;
    for (unsigned i = 0; i < p.ins; i++)
        if (!tw__as_slots(b, op, p.in + i, 1, i < first ? TW_BOOL : types[i - first].element, slots + i))
            return false;
    if (!tw__as_check_types(b, op, slots + first, p.in + first, types, count)) return false;
    if (first && !check_condition(b, op, slots[0], p.in[0])) return false;
    tw__as_code *code = tw__as_code_new(b, op, fn);
    return code && tw__as_set_operands(b, code, slots, p.in, p.ins);
}

static void bind_yield(tw__as_binder *b, const tw__as_op *op)
{
    if (!b->expect.by || strcmp(b->expect.by, op->name) != 0)
        return tw__as_refuse(b, NULL, op, "pto.yield", "%s cannot stand here", op->name);
    bool condition = strcmp(op->name, "scf.condition") == 0;
    b->expect.met = bind_values(b, op, op->name, condition ? tw__as_condition : tw__as_yield, condition,
                                b->expect.types, b->expect.count);
    b->expect_condition = condition;
}

static void bind_return(tw__as_binder *b, const tw__as_op *op)
{
    bind_values(b, op, op->name, tw__as_return, 0, b->f->result_type, b->f->results);
}

static const tw__as_flow flows[] = {
    { "scf.for", bind_for },
    { "scf.while", bind_while },
    { "scf.if", bind_if },
    { "scf.execute_region", bind_region },
    { "scf.index_switch", bind_switch },
    { "scf.yield", bind_yield },
    { "scf.condition", bind_yield },
    { "return", bind_return },
    { "func.return", bind_return },
    { "func.call", tw__as_bind_call },
    { "call", tw__as_bind_call },
    { "pto.section.cube", bind_section },
    { "pto.section.vector", bind_section },
    { "section.cube", bind_section },
    { "section.vector", bind_section },
};

const tw__as_flow *tw__as_flow_at(size_t index)
{
    return index < G_N_ELEMENTS(flows) ? &flows[index] : NULL;
}

const tw__as_flow *tw__as_flow_of(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(flows); i++)
        if (strcmp(name, flows[i].name) == 0) return &flows[i];
    return NULL;
}
