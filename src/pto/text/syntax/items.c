/* SPDX-License-Identifier: MIT */
/* items: what a statement of PTO-AS consists of: values, numbers, words, brackets, types, in any order. A statement
 * is a name, then items up to its end, which is a line end that nothing continues. */
#include "pto/text/syntax/parse.h"

#include <glib.h>

/* "!name" that an alias defined: its text. */
static const char *type_alias(const tw__parser *p, const char *text)
{
    const tw__as_item *item = *text == '!' ? g_hash_table_lookup(p->m->aliases, text) : NULL;
    return item ? item->text : text;
}

static bool parse_type(tw__parser *p, tw__as_type *type)
{
    tw__token whole;
    if (p->t.kind != T_BANG && p->t.kind != T_WORD) {
        tw__parse_error(p, &p->t, "expected a type");
        return false;
    }
    const char *text = type_alias(p, tw__parse_raw(p, &whole, '<', '>'));
    tw__as_module *m = p->m;
    const tw__as_type *known = g_hash_table_lookup(m->spelled, text);
    if (known) return *type = *known, true;
    if (tw__as_type_parse(m, text, type)) {
        char *key = tw__arena_strdup(m->arena, text);
        known = tw__as_intern(m, type);
        if (!key || !known) return m->no_memory = true, false;
        return g_hash_table_insert(m->spelled, key, (gpointer)(uintptr_t)known), true;
    }
    bool told = !*text; /* an alias that was refused where it stands */
    if (!p->m->no_memory && !told) tw__parse_error(p, &whole, "%s", tw_error_message());
    return false;
}

/* The comma here separates parameters, "%a: T, %b: T", not types. */
static bool before_value(const tw__parser *p)
{
    return tw__parse_is(p, ',') && tw__parse_peek(p) == '%';
}

/* One type, or several in parentheses or after commas. */
static bool parse_types(tw__parser *p, tw__as_item *item, bool several)
{
    tw__as_type types[64];
    unsigned n = 0;
    item->parens = tw__parse_accept(p, '(');
    if (!(item->parens && tw__parse_is(p, ')'))) do {
            if (n == 64) return tw__parse_error(p, &p->t, "more than 64 types"), false;
            if (!parse_type(p, &types[n++])) return false;
            if (tw__parse_is_word(p, "to") && !item->parens) break;
        } while ((several || item->parens) && !before_value(p) && tw__parse_accept(p, ','));
    if (item->parens && !tw__parse_expect(p, ')')) return false;
    if (n == 1) {
        item->types = tw__as_intern(p->m, types);
    } else {
        tw__as_type *copy = tw__arena_alloc(p->arena, (n ? n : 1) * sizeof *types, 16);
        if (copy) memcpy(copy, types, n * sizeof *types);
        item->types = copy;
    }
    if (!item->types) return p->m->no_memory = true, false;
    item->type_count = n;
    return true;
}

bool tw__parse_is_part(const tw__parser *p)
{
    static const char *const words[] = { "ins",
                                         "outs",
                                         "shape",
                                         "strides",
                                         "offsets",
                                         "sizes",
                                         "to",
                                         "step",
                                         "iter_args",
                                         "valid_row",
                                         "addr",
                                         "valid_col",
                                         "layout",
                                         "from",
                                         "attributes",
                                         "offset",
                                         "pad_mode",
                                         "pad_value",
                                         "loc",
                                         "left_padding_num",
                                         "right_padding_num",
                                         "init_out_buffer" };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (tw__parse_is_word(p, words[i])) return true;
    return false;
}

bool tw__parse_continues(const tw__parser *p)
{
    if (!p->t.first) return p->t.kind != T_END;
    if (p->t.kind == T_ARROW) return true;
    if (p->t.kind == T_CHAR) return strchr(":,({[<", *p->t.start) != NULL;
    return tw__parse_is_part(p);
}

/* On the same line a statement ends where nothing but another one can follow: at a name after its types, or after
 * "outs(...)". */
static bool ends_here(const tw__parser *p, const tw__as_item *last, const tw__as_item *before)
{
    if (!last || p->t.first || (p->t.kind != T_VALUE && (p->t.kind != T_WORD || tw__parse_is_part(p))))
        return false;
    return last->kind == TW__AS_COLON || last->kind == TW__AS_ARROW || last->kind == TW__AS_FROM ||
           last->kind == TW__AS_TO ||
           (last->kind == TW__AS_PARENS && before && before->kind == TW__AS_WORD &&
            strcmp(before->text, "outs") == 0);
}

/* "= value", and in a dictionary ": type" after it. */
static bool parse_value(tw__parser *p, tw__as_item *item)
{
    if (!tw__parse_is(p, '=')) return true;
    item->has_value = true;
    tw__parse_next(p);
    item->child = tw__parse_allocate(p, sizeof *item->child);
    if (p->t.kind == T_CHAR && !strchr("[({<", *p->t.start))
        return tw__parse_error(p, &p->t, "expected a value after '='"), false;
    if (!tw__parse_item(p, item->child)) return false;
    if (p->depth == 0 || !tw__parse_is(p, ':')) return true;
    tw__as_item *type = tw__parse_allocate(p, sizeof *type);
    type->kind = TW__AS_COLON;
    tw__parse_next(p);
    item->child->next = type;
    return parse_types(p, type, false);
}

/* The members of a dictionary have different names. */
static bool distinct(tw__parser *p, const tw__as_item *dict)
{
    GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
    const tw__as_item *twice = NULL;
    for (const tw__as_item *i = dict->child; i && !twice; i = i->next)
        if (i->text && !g_hash_table_add(names, (gpointer)(uintptr_t)i->text)) twice = i;
    g_hash_table_destroy(names);
    if (!twice) return true;
    tw__token where = {
        .start = twice->text, .length = (size_t)twice->length, .line = twice->line, .column = twice->column
    };
    return tw__parse_error(p, &where, "'%s' is given twice", twice->text), false;
}

static bool bracketed(tw__parser *p, tw__as_item *item, tw__as_item_kind kind, char close)
{
    item->kind = kind;
    if (++p->depth > TW__AS_MAX_DEPTH)
        return tw__parse_error(p, &p->t, "brackets are nested more than %d deep", TW__AS_MAX_DEPTH), false;
    const tw__token open = p->t, outer = p->open;
    unsigned errors = p->errors;
    p->open = open;
    tw__parse_next(p);
    bool good = tw__parse_items(p, &item->child, close) && tw__parse_expect(p, close) &&
                (kind != TW__AS_DICT || distinct(p, item));
    p->open = outer;
    if (!good && p->t.kind == T_END && p->errors == errors)
        tw__parse_error(p, &open, "'%c' is never closed", *open.start);
    p->depth--;
    return good;
}

/* Why no item begins here. */
static bool unexpected(tw__parser *p)
{
    const char c = *p->t.start;
    if (p->t.kind == T_END)
        tw__parse_error(p, &p->t, "the text ends inside a statement");
    else if (p->t.kind == T_ERROR && c == '"')
        tw__parse_error(p, &p->t, "this string has no '\"' at its end");
    else if (p->t.kind == T_ERROR && strchr("%@#!", c))
        tw__parse_error(p, &p->t, "expected a name after '%c'", c);
    else if (p->t.kind == T_ERROR)
        tw__parse_error(p, &p->t, "'%.*s' is not a number", (int)MIN(p->t.length, 40), p->t.start);
    else if (p->depth > 0 && (p->t.first || strchr(")]}", c)))
        tw__parse_error(p, &p->open, "'%c' is never closed", *p->open.start);
    else
        tw__parse_error(p, &p->t, g_ascii_isgraph(c) ? "'%c' has no meaning here" : "no meaning here", c);
    return false;
}

bool tw__parse_item(tw__parser *p, tw__as_item *item)
{
    tw__token whole, t = p->t;
    if (p->m->no_memory) return false; /* `item` may be the spare one, which must not hold itself */
    item->line = t.line;
    item->column = t.column;
    item->length = (int)t.length;
    switch (t.kind) {
    case T_VALUE:
    case T_NUMBER:
    case T_STRING:
        item->kind = t.kind == T_VALUE ? TW__AS_VALUE : t.kind == T_NUMBER ? TW__AS_NUMBER : TW__AS_STRING;
        item->text = tw__parse_copy(p, t.start + (t.kind == T_VALUE), t.length - (t.kind == T_VALUE));
        tw__parse_next(p);
        return t.kind == T_NUMBER || parse_value(p, item);
    case T_SYMBOL:
        item->kind = TW__AS_SYMBOL;
        item->text = tw__parse_copy(p, t.start, t.length);
        tw__parse_next(p);
        if (!tw__parse_is(p, '(')) return true;
        item->child = tw__parse_allocate(p, sizeof *item->child);
        return bracketed(p, item->child, TW__AS_PARENS, ')');
    case T_HASH:
    case T_BANG:
        item->kind = TW__AS_ATTR;
        item->text = tw__parse_raw(p, &whole, '<', '>');
        item->length = (int)whole.length;
        return parse_value(p, item); /* "#atomic = add" of plain assembly */
    case T_ARROW:
        item->kind = TW__AS_ARROW;
        tw__parse_next(p);
        return parse_types(p, item, false);
    case T_WORD:
        if (tw__parse_is_word(p, "from") && p->depth == 0) { /* "i16 from vector<4xi16>" */
            item->kind = TW__AS_FROM;
            tw__parse_next(p);
            return parse_types(p, item, false);
        }
        if (tw__parse_is_word(p, "to") && item->comma == false && p->depth == 0) {
            item->kind = TW__AS_TO;
            item->text = "to";
            tw__parse_next(p);
            if ((p->t.kind == T_WORD && !tw__parse_is_word(p, "offset")) || p->t.kind == T_BANG)
                return parse_types(p, item, false);
            item->kind = TW__AS_WORD; /* bounds of a loop */
            return true;
        }
        if (t.start[t.length] == '<' || (tw__parse_is_word(p, "loc") && t.start[t.length] == '(')) {
            item->kind = TW__AS_ATTR; /* dense<0>, memref<...>, loc(...) */
            item->text =
                t.start[t.length] == '<' ? tw__parse_raw(p, &whole, '<', '>') : tw__parse_raw(p, &whole, '(', ')');
            item->length = (int)whole.length;
            return true;
        }
        item->kind = TW__AS_WORD;
        item->text = tw__parse_copy(p, t.start, t.length);
        tw__parse_next(p);
        if (!tw__parse_is(p, ':') || tw__parse_peek(p) != '[') return parse_value(p, item);
        tw__parse_next(p); /* "offset: [...]" */
        item->has_value = item->colon = true;
        item->child = tw__parse_allocate(p, sizeof *item->child);
        return tw__parse_item(p, item->child);
    case T_CHAR:
        switch (*t.start) {
        case '[': return bracketed(p, item, TW__AS_LIST, ']');
        case '(': return bracketed(p, item, TW__AS_PARENS, ')');
        case '{': return bracketed(p, item, TW__AS_DICT, '}');
        case '<':
            item->kind = TW__AS_ATTR;
            item->text = tw__parse_raw(p, &whole, '<', '>');
            return true;
        case ':':
            item->kind = TW__AS_COLON;
            tw__parse_next(p);
            return parse_types(p, item, true);
        default: break;
        }
        break;
    case T_END:
    case T_ERROR: break;
    }
    if (p->t.kind == T_END && p->depth > 0) return false; /* the bracket tells */
    return unexpected(p);
}

/* Operands, words with values in a dictionary and parameters have commas between them, types have none before them.
 * */
static bool separated(const tw__as_item *last, const tw__as_item *item, char close)
{
    bool type = item->kind == TW__AS_ATTR && item->text && *item->text == '!';
    bool value = type || item->kind == TW__AS_VALUE || item->kind == TW__AS_NUMBER || item->kind == TW__AS_STRING,
         after = last->kind == TW__AS_VALUE || last->kind == TW__AS_NUMBER || last->kind == TW__AS_STRING;
    if (item->kind == TW__AS_COLON || item->kind == TW__AS_ARROW) return !item->comma;
    if (item->comma) return true;
    if (close == '}') return false;
    return !value || (!after && !(close && last->kind == TW__AS_COLON));
}

bool tw__parse_items(tw__parser *p, tw__as_item **list, char close)
{
    tw__as_item *last = NULL, *before = NULL;
    for (tw__as_item **end = list;;) {
        if (close ? tw__parse_is(p, close)
                  : !tw__parse_continues(p) || tw__parse_is(p, '}') || ends_here(p, last, before))
            return true;
        const tw__token mark = p->t;
        bool comma = end != list && tw__parse_accept(p, ',');
        if (comma && close && tw__parse_is(p, close))
            return tw__parse_error(p, &mark, "nothing follows this ','"), false;
        tw__as_item *item = tw__parse_allocate(p, sizeof *item);
        item->comma = comma;
        const tw__token start = p->t;
        if (!tw__parse_item(p, item)) return false;
        if (last && !separated(last, item, close))
            return tw__parse_error(p, comma ? &mark : &start,
                                   comma ? "nothing follows this ',' but types" : "expected ',' before this"),
                   false;
        if (p->m->no_memory) return false;
        *end = item;
        end = &item->next;
        before = last;
        last = item;
    }
}
