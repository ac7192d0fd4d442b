/* as_print: the tree as canonical text: two blanks per level, one statement a line, compact tile types. */
#include "pto/as.h"

#include <glib.h>
#include <stdlib.h>

static void print_items(GString *s, const tw__as_item *list);

static void print_types(GString *s, const tw__as_item *item)
{
    if (item->parens) g_string_append_c(s, '(');
    for (unsigned i = 0; i < item->type_count; i++)
        g_string_append_printf(s, "%s%s", i ? ", " : "", item->types[i].text);
    if (item->parens) g_string_append_c(s, ')');
}

static void print_item(GString *s, const tw__as_item *item)
{
    switch (item->kind) {
    case TW__AS_NUMBER:
    case TW__AS_ATTR: g_string_append(s, item->text); break;
    case TW__AS_VALUE:
    case TW__AS_STRING:
    case TW__AS_WORD:
        g_string_append_printf(s, item->kind == TW__AS_VALUE ? "%%%s" : "%s", item->text);
        if (!item->has_value) break;
        g_string_append(s, " = ");
        print_item(s, item->child);
        if (!item->child->next) break;
        g_string_append_c(s, ' ');
        print_item(s, item->child->next);
        break;
    case TW__AS_SYMBOL:
        g_string_append(s, item->text);
        if (item->child) print_item(s, item->child);
        break;
    case TW__AS_LIST:
    case TW__AS_PARENS:
    case TW__AS_DICT:
        g_string_append_c(s, item->kind == TW__AS_LIST ? '[' : item->kind == TW__AS_DICT ? '{' : '(');
        print_items(s, item->child);
        g_string_append_c(s, item->kind == TW__AS_LIST ? ']' : item->kind == TW__AS_DICT ? '}' : ')');
        break;
    case TW__AS_COLON:
    case TW__AS_ARROW:
    case TW__AS_TO:
        g_string_append(s, item->kind == TW__AS_COLON ? ": " : item->kind == TW__AS_TO ? "to " : "-> ");
        print_types(s, item);
        break;
    }
}

/* Brackets stand against the word, value or name before them: ins(...), %t[...], but sizes [...] and the like. */
static void print_items(GString *s, const tw__as_item *list)
{
    for (const tw__as_item *item = list; item; item = item->next) {
        bool bracket = item->kind == TW__AS_LIST || item->kind == TW__AS_PARENS;
        if (item != list) g_string_append(s, item->comma ? ", " : bracket ? "" : " ");
        print_item(s, item);
    }
}

static void print_block(GString *s, const tw__as_block *block, int indent)
{
    for (const tw__as_op *op = block->first; op; op = op->next) {
        g_string_append_printf(s, "%*s", indent, "");
        for (unsigned r = 0; r < op->result_count; r++)
            g_string_append_printf(s, "%s%%%s", r ? ", " : "", op->results[r].text);
        if (op->result_count) g_string_append(s, " = ");
        g_string_append(s, op->name);
        if (op->items) {
            bool bracket = op->items->kind == TW__AS_LIST || op->items->kind == TW__AS_PARENS;
            g_string_append(s, bracket ? "" : " ");
            print_items(s, op->items);
        }
        for (int b = 0; b < 2 && op->blocks[b]; b++) {
            g_string_append(s, b ? " else {\n" : " {\n");
            print_block(s, op->blocks[b], indent + 2);
            g_string_append_printf(s, "%*s}", indent, "");
        }
        g_string_append_c(s, '\n');
    }
}

char *tw__as_print(const tw__as_module *module)
{
    GString *s = g_string_new(NULL);
    print_block(s, &module->top, 0);
    char *text = strdup(s->str);
    g_string_free(s, TRUE);
    return text;
}
