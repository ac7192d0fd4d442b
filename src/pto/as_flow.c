/* as_flow: loops, branches, calls and sections, from tree to code. */
#include "pto/as_bind.h"

/* operand: from, to, step, initial values; number: how many are carried; result: induction variable, carried, results. */
static void bind_for(tw__as_binder *b, const tw__as_op *op)
{
    tw__as_item *items[3 + TW__AS_OPERANDS] = { NULL };
    const tw__as_item *variable = op->items, *carried = NULL, *arrow = NULL;
    unsigned count = 3, n = 0;
    uint32_t slots[3 + TW__AS_OPERANDS], inner[1 + TW__AS_OPERANDS];
    if (!variable || variable->kind != TW__AS_VALUE || !variable->has_value)
        return tw__as_refuse(b, variable, op, "pto.for", "expected %%i = from to end step step");
    items[0] = variable->child;
    for (tw__as_item *i = variable->next; i; i = i->next) {
        if (i->kind == TW__AS_WORD && strcmp(i->text, "to") == 0 && i->next) items[1] = i->next;
        if (i->kind == TW__AS_WORD && strcmp(i->text, "step") == 0 && i->next) items[2] = i->next;
        if (i->kind == TW__AS_WORD && strcmp(i->text, "iter_args") == 0 && i->next &&
            i->next->kind == TW__AS_PARENS)
            carried = i->next->child;
        if (i->kind == TW__AS_ARROW) arrow = i;
    }
    if (!items[1] || !items[2])
        return tw__as_refuse(b, NULL, op, "pto.for", "expected %%i = from to end step step");
    for (const tw__as_item *i = carried; i; i = i->next, n++) {
        if (i->kind != TW__AS_VALUE || !i->has_value || n >= TW__AS_OPERANDS)
            return tw__as_refuse(b, i, op, "pto.for", "expected %%carried = %%initial");
        items[count++] = i->child;
    }
    if (!tw__as_slots(b, op, items, count, TW_I64, slots)) return;
    if (n != op->result_count || (n && (!arrow || arrow->type_count != n)))
        return tw__as_refuse(b, NULL, op, "pto.results", "%u values are carried, %u results are named", n,
                             op->result_count);
    guint mark = tw__as_enter(b);
    tw__as_type index = { .kind = TW__AS_INDEX, .element = TW_I64, .text = "index" };
    inner[0] = tw__as_define(b, variable->text, &index);
    unsigned k = 1;
    for (const tw__as_item *i = carried; i; i = i->next, k++)
        inner[k] = tw__as_define(b, i->text, &arrow->types[k - 1]);
    tw__as_code *code = tw__as_code_new(b, op, tw__as_for);
    if (!code || !tw__as_set_operands(b, code, slots, items, count)) return;
    code->body[0] = tw__as_bind_block(b, op->blocks[0], code);
    tw__as_leave(b, mark);
    code->result = TW__NEW_N(b->m->arena, uint32_t, 2 * n + 2);
    if (!code->result) return (void)(b->failed = b->m->no_memory = true);
    memcpy(code->result, inner, (1 + n) * sizeof *inner);
    for (unsigned i = 0; i < n; i++)
        code->result[1 + n + i] = tw__as_define(b, op->results[i].text, &arrow->types[i]);
    code->number = n;
}

static void bind_if(tw__as_binder *b, const tw__as_op *op)
{
    uint32_t slot;
    const tw__as_item *arrow = NULL;
    for (const tw__as_item *i = op->items; i; i = i->next)
        if (i->kind == TW__AS_ARROW) arrow = i;
    if (!op->items || !tw__as_slots(b, op, &op->items, 1, TW_BOOL, &slot)) return;
    unsigned n = arrow ? arrow->type_count : 0;
    if (n != op->result_count || (n && !op->blocks[1]))
        return tw__as_refuse(b, NULL, op, "pto.results", "%u results are named, both branches must give %u",
                             op->result_count, n);
    tw__as_code *code = tw__as_code_new(b, op, tw__as_if);
    if (!code || !tw__as_set_operands(b, code, &slot, &op->items, 1)) return;
    for (int i = 0; i < 2; i++)
        if (op->blocks[i]) code->body[i] = tw__as_bind_block(b, op->blocks[i], code);
    if (!b->failed && n) tw__as_set_results(b, code, op, arrow->types, n);
}

static void bind_values(tw__as_binder *b, const tw__as_op *op, tw__as_fn fn)
{
    tw__as_parts p;
    uint32_t slots[TW__AS_OPERANDS];
    tw__as_collect(b, op, &p);
    if (b->failed || !tw__as_slots(b, op, p.in, p.ins, TW_I64, slots)) return;
    tw__as_code *code = tw__as_code_new(b, op, fn);
    if (code) tw__as_set_operands(b, code, slots, p.in, p.ins);
}

static void bind_call(tw__as_binder *b, const tw__as_op *op)
{
    tw__as_parts p;
    uint32_t slots[TW__AS_OPERANDS];
    tw__as_collect(b, op, &p);
    if (b->failed || p.ins == 0 || p.in[0]->kind != TW__AS_SYMBOL)
        return tw__as_refuse(b, NULL, op, "pto.call", "expected @function(operands)");
    tw__as_item *args[TW__AS_OPERANDS];
    unsigned n = 0;
    const tw__as_item *list = p.in[0]->child ? p.in[0]->child->child : NULL;
    for (const tw__as_item *i = list; i && n < TW__AS_OPERANDS; i = i->next)
        args[n++] = (tw__as_item *)(uintptr_t)i;
    if (!tw__as_slots(b, op, args, n, TW_I64, slots)) return;
    tw__as_code *code = tw__as_code_new(b, op, tw__as_call);
    if (!code || !tw__as_set_operands(b, code, slots, args, n)) return;
    code->where[0] = p.in[0];
    tw__as_type types[16];
    if (op->result_count > 16 || p.results < op->result_count)
        return tw__as_refuse(b, NULL, op, "pto.results", "the types of the results are missing");
    for (unsigned i = 0; i < op->result_count; i++) types[i] = *p.result[i];
    tw__as_set_results(b, code, op, types, op->result_count);
}

static void bind_yield(tw__as_binder *b, const tw__as_op *op)
{
    bind_values(b, op, tw__as_yield);
}

static void bind_return(tw__as_binder *b, const tw__as_op *op)
{
    bind_values(b, op, tw__as_return);
}

static void bind_section(tw__as_binder *b, const tw__as_op *op)
{
    tw__as_code *code = tw__as_code_new(b, op, tw__as_section);
    if (code) code->body[0] = tw__as_bind_block(b, op->blocks[0], code);
}

static const tw__as_flow flows[] = {
    { "scf.for", bind_for },
    { "scf.if", bind_if },
    { "scf.yield", bind_yield },
    { "return", bind_return },
    { "func.return", bind_return },
    { "func.call", bind_call },
    { "call", bind_call },
    { "pto.section.cube", bind_section },
    { "pto.section.vector", bind_section },
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
