/* SPDX-License-Identifier: MIT */
/* calls: calls of functions of the program. */
#include "pto/text/bind/bind.h"

static const char *function_names(const tw__as_binder *b, const char *name)
{
    const char *names[256];
    size_t count = 0;
    for (const tw__as_function *f = b->program->functions; f && count < 256; f = f->next) names[count++] = f->name;
    return tw__nearest(name, names, count);
}

/* Types that a call writes, after ':' or "->", against those of the function. */
static bool check_written(tw__as_binder *b, const tw__as_op *op, tw__as_item_kind kind, const tw__as_type *types,
                          unsigned count)
{
    const tw__as_item *written = tw__as_item_of(op, kind);
    bool good = !written || written->type_count == count;
    for (unsigned i = 0; written && good && i < count; i++) good = tw__as_same_type(&written->types[i], &types[i]);
    if (good) return true;
    GString *s = g_string_new(NULL);
    for (unsigned i = 0; i < count; i++) g_string_append_printf(s, "%s%s", i ? ", " : "", types[i].text);
    tw__as_refuse(b, written, op, "pto.type", "the function %s (%s)", kind == TW__AS_COLON ? "takes" : "gives",
                  s->str);
    g_string_free(s, TRUE);
    return false;
}

/* func.call @function(operands) : (types) -> types */
void tw__as_bind_call(tw__as_binder *b, const tw__as_op *op)
{
    tw__as_item *symbol = op->items, *args[TW__AS_OPERANDS];
    uint32_t slots[TW__AS_OPERANDS];
    unsigned n = 0;
    if (!symbol || symbol->kind != TW__AS_SYMBOL)
        return tw__as_refuse(b, symbol, op, "pto.call", "expected @function(operands)");
    const tw__as_function *f = g_hash_table_lookup(b->functions, symbol->text + 1);
    if (!f) {
        const char *near = function_names(b, symbol->text + 1);
        return tw__as_refuse(b, symbol, op, "pto.call",
                             near ? "there is no function %s; did you mean '@%s'?" : "there is no function %s",
                             symbol->text, near);
    }
    if (f->declared)
        return tw__as_refuse(b, symbol, op, "pto.call", "%s is declared but has no body", symbol->text);
    for (tw__as_item *i = symbol->child ? symbol->child->child : NULL; i; i = i->next)
        if (n < TW__AS_OPERANDS) args[n++] = i;
    if (n != f->params)
        return tw__as_refuse(b, symbol, op, "pto.call", "%s takes %u arguments, not %u", symbol->text, f->params,
                             n);
    for (unsigned i = 0; i < n; i++)
        if (!tw__as_slots(b, op, args + i, 1, f->param_type[i].element, slots + i)) return;
    if (!tw__as_check_types(b, op, slots, args, f->param_type, n)) return;
    if (!check_written(b, op, TW__AS_COLON, f->param_type, n) ||
        !check_written(b, op, TW__AS_ARROW, f->result_type, f->results))
        return;
    tw__as_code *code = tw__as_code_new(b, op, tw__as_call);
    if (!code || !tw__as_set_operands(b, code, slots, args, n)) return;
    code->more->callee = f;
    tw__as_set_results(b, code, op, f->result_type, f->results);
}
