/* SPDX-License-Identifier: MIT */
/* operand_parts: the items of an operation by role, whichever of the spellings it is written in. */
#include "pto/text/code/binder.h"

static void operand_parts_collect(tw__as_binder *b, const tw__as_op *op, tw__as_item *list, tw__as_parts *p,
                                  bool outs);

static void add_operand(tw__as_binder *b, const tw__as_op *op, tw__as_item *item, tw__as_parts *p, bool outs)
{
    unsigned *count = outs ? &p->outs : &p->ins;
    if (*count >= TW__AS_OPERANDS)
        return tw__as_refuse(b, item, op, "pto.operands", "more than %d operands", TW__AS_OPERANDS);
    (outs ? p->out : p->in)[(*count)++] = item;
}

static void add_list(tw__as_parts *p, const tw__as_item *list)
{
    if (p->list_count >= 3) return;
    unsigned l = p->list_count++;
    for (tw__as_item *e = list->child; e; e = e->next)
        if (p->lists[l] < TW__AS_OPERANDS && (e->kind == TW__AS_VALUE || e->kind == TW__AS_NUMBER ||
                                              e->kind == TW__AS_ATTR || e->kind == TW__AS_WORD))
            p->list[l][p->lists[l]++] = e;
}

static void add_types(const tw__as_item *item, const tw__as_type **types, unsigned *count)
{
    for (unsigned t = 0; t < item->type_count && *count < TW__AS_TYPES; t++) types[(*count)++] = &item->types[t];
}

static void operand_parts_collect(tw__as_binder *b, const tw__as_op *op, tw__as_item *list, tw__as_parts *p,
                                  bool outs)
{
    for (tw__as_item *i = list; i && !b->failed; i = i->next) {
        switch (i->kind) {
        case TW__AS_VALUE:
        case TW__AS_NUMBER:
        case TW__AS_SYMBOL: add_operand(b, op, i, p, outs); break;
        case TW__AS_LIST: add_list(p, i); break;
        case TW__AS_PARENS: operand_parts_collect(b, op, i->child, p, outs); break;
        case TW__AS_DICT:
            if (p->dicts < 4) p->dict[p->dicts++] = i;
            break;
        case TW__AS_COLON:
            add_types(i, outs ? p->out_type : p->in_type, outs ? &p->out_types : &p->in_types);
            break;
        case TW__AS_ARROW: add_types(i, p->result, &p->results); break;
        case TW__AS_FROM: break; /* the operand has it */
        case TW__AS_TO: p->to = i->types; break;
        case TW__AS_WORD:
            if (strcmp(i->text, "ins") == 0 || strcmp(i->text, "outs") == 0) {
                outs = i->text[0] == 'o';
                p->dps = true;
            } else if (i->has_value && i->child->kind == TW__AS_LIST) {
                add_list(p, i->child);
            } else if (p->nameds < TW__AS_NAMED) {
                p->named[p->nameds++] = i;
            }
            break;
        case TW__AS_STRING:
        case TW__AS_ATTR:
            if (i->kind == TW__AS_ATTR && strncmp(i->text, "loc", 3) == 0) break; /* a location */
            if (p->nameds < TW__AS_NAMED) p->named[p->nameds++] = i;
            break;
        }
    }
}

static bool is_part(const tw__as_item *item, const char *word)
{
    return item && item->kind == TW__AS_WORD && !item->has_value && strcmp(item->text, word) == 0;
}

/* dps = "ins" "(" ... ")" "outs" "(" ... ")": operands stand nowhere else, inputs first; "outs : type" has none. */
static bool check_parts(tw__as_binder *b, const tw__as_op *op)
{
    const tw__as_item *ins = NULL, *outs = NULL, *before = NULL;
    bool any = false;
    for (const tw__as_item *i = op->items; i; i = i->next) any |= is_part(i, "ins") || is_part(i, "outs");
    for (const tw__as_item *i = op->items; i && any; before = i, i = i->next) {
        const tw__as_item **part = is_part(i, "ins") ? &ins : is_part(i, "outs") ? &outs : NULL;
        bool operand = i->kind == TW__AS_VALUE || i->kind == TW__AS_NUMBER || i->kind == TW__AS_PARENS ||
                       i->kind == TW__AS_SYMBOL;
        if (part && i->comma)
            return tw__as_refuse(b, i, op, "pto.operands", "no ',' stands before %s(...)", i->text), false;
        if (part && *part) return tw__as_refuse(b, i, op, "pto.operands", "%s(...) is given twice", i->text), false;
        if (part == &ins && outs)
            return tw__as_refuse(b, i, op, "pto.operands", "ins(...) stands before outs(...)"), false;
        if (part &&
            (!i->next || (i->next->kind != TW__AS_PARENS && (part == &ins || i->next->kind != TW__AS_COLON))))
            return tw__as_refuse(b, i->next ? i->next : i, op, "pto.operands", "expected '(' after %s", i->text),
                   false;
        bool inside = before && (before == ins || before == outs);
        if (operand && !inside && before && before->kind == TW__AS_WORD)
            return tw__as_refuse(b, before, op, "pto.operands", "'%s' is neither ins nor outs", before->text),
                   false;
        if (operand && !inside)
            return tw__as_refuse(b, i, op, "pto.operands",
                                 outs ? "all operands stand in ins(...) and outs(...)"
                                      : "expected ins(...): inputs stand in it, destinations in outs(...)"),
                   false;
        if (part) *part = i;
    }
    return true;
}

void tw__as_collect(tw__as_binder *b, const tw__as_op *op, tw__as_parts *p)
{
    memset(p, 0, sizeof *p);
    if (check_parts(b, op)) operand_parts_collect(b, op, op->items, p, false);
}

void tw__as_attr_word(const char *text, char *buf, size_t size)
{
    const char *end = text + strlen(text);
    while (end > text && (end[-1] == '>' || end[-1] == '"')) end--;
    const char *start = end;
    while (start > text && (g_ascii_isalnum(start[-1]) || start[-1] == '_')) start--;
    g_snprintf(buf, (gulong)size, "%.*s", (int)(end - start), start);
}
