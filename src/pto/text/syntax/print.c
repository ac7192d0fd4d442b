/* SPDX-License-Identifier: MIT */
/* print: the tree as canonical text: two blanks per level, one statement a line, compact tile types, comments where
 * they stood, one empty line where there were some. */
#include "pto/text/as.h"

#include <glib.h>
#include <stdlib.h>

static void print_items(GString *s, const tw__as_item *list, const tw__as_item *end);

static void syntax_print_types(GString *s, const tw__as_item *item)
{
    if (item->parens) g_string_append_c(s, '(');
    for (unsigned i = 0; i < item->type_count; i++)
        g_string_append_printf(s, "%s%s", i ? ", " : "", item->types[i].text);
    if (item->parens) g_string_append_c(s, ')');
}

static void print_item(GString *s, const tw__as_item *item)
{
    switch (item->kind) {
    case TW__AS_NUMBER: g_string_append(s, item->text); break;
    case TW__AS_ATTR:
    case TW__AS_VALUE:
    case TW__AS_STRING:
    case TW__AS_WORD:
        g_string_append_printf(s, item->kind == TW__AS_VALUE ? "%%%s" : "%s", item->text);
        if (!item->has_value) break;
        g_string_append(s, item->colon ? ": " : " = ");
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
        print_items(s, item->child, NULL);
        g_string_append_c(s, item->kind == TW__AS_LIST ? ']' : item->kind == TW__AS_DICT ? '}' : ')');
        break;
    case TW__AS_COLON:
    case TW__AS_ARROW:
    case TW__AS_FROM:
    case TW__AS_TO:
        g_string_append(s, item->kind == TW__AS_COLON  ? ": "
                           : item->kind == TW__AS_TO   ? "to "
                           : item->kind == TW__AS_FROM ? "from "
                                                       : "-> ");
        syntax_print_types(s, item);
        break;
    }
}

/* "loc (" is not "loc(": that is where a location begins. */
static bool ends_in_loc(const tw__as_item *item)
{
    while (item->has_value) item = item->child->next ? item->child->next : item->child;
    return item->kind == TW__AS_WORD && strcmp(item->text, "loc") == 0;
}

/* Brackets stand against the word, value or name before them: ins(...), %t[...], but sizes [...] and the like. */
static void print_items(GString *s, const tw__as_item *list, const tw__as_item *end)
{
    const tw__as_item *before = NULL;
    for (const tw__as_item *item = list; item && item != end; before = item, item = item->next) {
        bool bracket = item->kind == TW__AS_LIST || item->kind == TW__AS_PARENS;
        if (before && ends_in_loc(before) && item->kind == TW__AS_PARENS) bracket = false;
        if (item != list) g_string_append(s, item->comma ? ", " : bracket ? "" : " ");
        print_item(s, item);
    }
}

static void print_block(GString *s, const tw__as_block *block, int indent);

/* Lines of their own; `first`: nothing stands before them in the block. */
static bool print_comments(GString *s, const tw__as_comment *list, int indent, bool first)
{
    for (const tw__as_comment *c = list; c; c = c->next, first = false)
        g_string_append_printf(s, "%s%*s%s\n", c->blank && !first ? "\n" : "", indent, "", c->text);
    return first;
}

static void print_behind(GString *s, const tw__as_comment *c)
{
    if (c) g_string_append_printf(s, " %s", c->text);
    g_string_append_c(s, '\n');
}

static void print_results(GString *s, const tw__as_op *op)
{
    bool any = false;
    for (unsigned r = 0; r < op->result_count; r++) {
        const tw__as_name *name = &op->results[r];
        if (name->grouped && !name->group) continue;
        g_string_append(s, any ? ", %" : "%");
        g_string_append_len(s, name->text, name->group ? (gssize)strcspn(name->text, "#") : -1);
        if (name->group) g_string_append_printf(s, ":%u", name->group);
        any = true;
    }
    if (any) g_string_append(s, " = ");
}

/* " {", " else {", "case 3 {" on a line of its own, and the label of a block that has parameters. */
static void print_opening(GString *s, const tw__as_block *b, int indent)
{
    bool own_line = b->word && (strcmp(b->word, "case") == 0 || strcmp(b->word, "default") == 0);
    g_string_append_c(s, own_line ? '\n' : ' ');
    print_comments(s, b->before, indent, true);
    if (own_line) g_string_append_printf(s, "%*s", indent, "");
    if (b->word) g_string_append_printf(s, "%s ", b->word);
    if (b->number) g_string_append_printf(s, "%s ", b->number);
    g_string_append_c(s, '{');
    print_behind(s, b->opening);
    if (!b->label) return;
    g_string_append_printf(s, "%*s^%s", indent, "", b->label);
    if (b->params) print_item(s, b->params);
    g_string_append(s, ":\n");
}

static bool is_location(const tw__as_item *item)
{
    return item->kind == TW__AS_ATTR && strncmp(item->text, "loc(", 4) == 0;
}

static void print_op(GString *s, const tw__as_op *op, int indent)
{
    g_string_append_printf(s, "%*s", indent, "");
    print_results(s, op);
    g_string_append(s, op->name);
    if (op->alias) g_string_append(s, " =");
    const tw__as_item *after = NULL; /* the brace: a location */
    for (const tw__as_item *i = op->blocks ? op->items : NULL; i; i = i->next)
        if (is_location(i) && !i->next) after = i;
    if (op->items && op->items != after) {
        bool bracket = op->items->kind == TW__AS_LIST || op->items->kind == TW__AS_PARENS;
        g_string_append(s, bracket && strncmp(op->name, "scf.", 4) != 0 ? "" : " ");
        print_items(s, op->items, after);
    }
    for (const tw__as_block *b = op->blocks; b; b = b->next) {
        print_opening(s, b, indent);
        print_block(s, b, indent + 2);
        g_string_append_printf(s, "%*s}", indent, "");
    }
    if (after) {
        g_string_append_c(s, ' ');
        print_items(s, after, NULL);
    }
    print_behind(s, op->after);
}

static void print_block(GString *s, const tw__as_block *block, int indent)
{
    bool first = true;
    for (const tw__as_line *line = block->first; line; line = line->next) {
        const tw__as_op *op = line->whole;
        first = print_comments(s, op->comments, indent, first);
        if (op->blank && !first) g_string_append_c(s, '\n');
        print_op(s, op, indent);
        first = false;
    }
    print_comments(s, block->closing, indent, first);
}

/* The module of a program has no tree: one is made for as long as it is printed. */
static char *print_again(const tw__as_module *m)
{
    tw_diags *diags = tw_diags_new();
    tw__as_module *tree = diags ? tw__as_parse_tree(m->file, m->source, m->size, diags) : NULL;
    char *text = tree && !tree->no_memory ? tw__as_print(tree) : NULL;
    bool no_memory = !tree || tree->no_memory;
    tw__as_free(tree);
    tw_diags_free(diags);
    if (no_memory) tw__fail(TW_E_NO_MEMORY, "no memory to print the program");
    return text;
}

char *tw__as_print(const tw__as_module *module)
{
    if (!module->tree) return print_again(module);
    GString *s = g_string_new(NULL);
    print_block(s, &module->top, 0);
    char *text = strdup(s->str);
    g_string_free(s, TRUE);
    if (!text) tw__fail(TW_E_NO_MEMORY, "no memory to print the program");
    return text;
}
