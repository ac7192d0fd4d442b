/* SPDX-License-Identifier: MIT */
/* parse: PTO-AS text to a tree. Operations are parsed by one rule: a name, then items of any kind up to the end of
 * the statement (text/syntax/items.c); what an item means is decided later, by the operation. Only what holds blocks
 * has rules of
 * its own. */
#include "pto/text/syntax/parse.h"

#include <glib.h>
#include <stdlib.h>

/* Operations that hold blocks, and the words that introduce further ones. */
typedef struct holder {
    const char *name, *first, *more, *last; /* first: before the first block too */
    bool optional;                          /* may stand without a block */
} holder;

static const holder holders[] = {
    { "module", NULL, NULL, NULL, false },
    { "builtin.module", NULL, NULL, NULL, false },
    { "func.func", NULL, NULL, NULL, true },
    { "scf.for", NULL, NULL, NULL, false },
    { "scf.if", NULL, "else", NULL, false },
    { "scf.while", NULL, "do", NULL, false },
    { "scf.execute_region", NULL, NULL, NULL, false },
    { "scf.index_switch", "case", "case", "default", false },
    { "pto.section.cube", NULL, NULL, NULL, false },
    { "pto.section.vector", NULL, NULL, NULL, false },
    { "section.cube", NULL, NULL, NULL, false },
    { "section.vector", NULL, NULL, NULL, false },
};

static const holder *holder_of(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(holders); i++)
        if (strcmp(name, holders[i].name) == 0) return &holders[i];
    return NULL;
}

static void parse_statements(tw__parser *p, tw__as_block *block, const tw__token *open);

/* After an error: on to the next line that starts a statement, or a closing brace. */
static void recover(tw__parser *p)
{
    p->depth = 0;
    while (p->t.kind != T_END && !p->t.first) tw__parse_next(p);
}

/* label = "^" ident ["(" "%"ident ":" type {"," ...} ")"] ":" */
static bool parse_label(tw__parser *p, tw__as_block *block)
{
    tw__parse_next(p);
    if (p->t.kind != T_WORD) return tw__parse_error(p, &p->t, "expected the name of a block"), false;
    block->label = tw__parse_copy(p, p->t.start, p->t.length);
    tw__parse_next(p);
    if (tw__parse_is(p, '(')) {
        block->params = tw__parse_allocate(p, sizeof *block->params);
        if (!tw__parse_item(p, block->params)) return false;
    }
    return tw__parse_expect(p, ':');
}

/* block = "{" [label] { stmt } "}" */
static bool parse_braces(tw__parser *p, tw__as_block *block)
{
    unsigned depth = p->depth;
    const tw__token open = p->t;
    tw__comment_brace(p);
    if (!tw__parse_expect(p, '{')) return false;
    block->opening = tw__comment_behind(p);
    p->depth = 0; /* of brackets */
    if (!tw__parse_is(p, '^') || parse_label(p, block))
        parse_statements(p, block, &open);
    else
        recover(p);
    p->depth = depth;
    p->arena = p->m->arena;
    return true;
}

/* [word [number]] block */
static bool parse_block(tw__parser *p, tw__as_op *op, tw__as_block ***end, bool word)
{
    tw__as_block *block = tw__parse_allocate(p, sizeof *block);
    tw__comment_word(p, op, block);
    if (word) {
        block->word = tw__parse_copy(p, p->t.start, p->t.length);
        block->line = p->t.line;
        block->column = p->t.column;
        tw__parse_next(p);
        if (strcmp(block->word, "case") == 0 && p->t.kind != T_NUMBER)
            return tw__parse_error(p, &p->t, "expected the number of the case"), false;
        if (p->t.kind == T_NUMBER) {
            block->number = tw__parse_copy(p, p->t.start, p->t.length);
            tw__parse_next(p);
        }
    }
    if (!parse_braces(p, block)) return false;
    (void)op;
    **end = block;
    *end = &block->next;
    return true;
}

static bool is_either(const tw__parser *p, const char *a, const char *b)
{
    return (a && tw__parse_is_word(p, a)) || (b && tw__parse_is_word(p, b));
}

/* Items up to the block's brace; "attributes {...}" is a dictionary, any other { is the block. */
static bool parse_head(tw__parser *p, tw__as_op *op, const holder *h)
{
    tw__as_item **end = &op->items;
    while (p->t.kind != T_END && !tw__parse_is(p, '}')) {
        if (tw__parse_is(p, '{') || is_either(p, h->first, h->last)) return true;
        bool attributes = tw__parse_is_word(p, "attributes");
        tw__as_item *item = tw__parse_allocate(p, sizeof *item);
        item->comma = end != &op->items && tw__parse_accept(p, ',');
        const tw__token start = p->t;
        if (!tw__parse_item(p, item)) return false;
        bool stray = item->kind == TW__AS_WORD && !attributes && strncmp(h->name, "scf.", 4) != 0;
        if (stray && tw__parse_is(p, '{'))
            return tw__parse_error(p, &start, "expected 'attributes' before '{', not '%s'", item->text), false;
        *end = item;
        end = &item->next;
        if (attributes && tw__parse_is(p, '{')) {
            item = tw__parse_allocate(p, sizeof *item);
            if (!tw__parse_item(p, item)) return false;
            *end = item;
            end = &item->next;
        }
        if (p->m->no_memory) return false;
        if (p->t.first && h->optional && !tw__parse_is(p, '{') && !tw__parse_continues(p))
            return true; /* a declaration */
    }
    return true;
}

static bool parse_holder(tw__parser *p, tw__as_op *op, const holder *h)
{
    tw__as_block **end = &op->blocks;
    if (!parse_head(p, op, h)) return false;
    if (h->first && tw__parse_is(p, '{'))
        return tw__parse_error(p, &p->t, "expected '%s' before the block", h->first), false;
    if (!tw__parse_is(p, '{') && !is_either(p, h->first, h->last)) {
        if (!h->optional) tw__parse_error(p, &p->t, "expected '{': %s holds a block", h->name);
        return h->optional;
    }
    if (!parse_block(p, op, &end, !tw__parse_is(p, '{'))) return false;
    while (is_either(p, h->more, h->last)) {
        bool last = h->last ? tw__parse_is_word(p, h->last) : h->first == NULL;
        if (!parse_block(p, op, &end, true)) return false;
        if (last) break;
    }
    if (!tw__parse_is_word(p, "loc") || *p->at != '(') return true;
    tw__as_item **more = &op->items; /* a location after the brace */
    while (*more) more = &(*more)->next;
    return tw__parse_item(p, *more = tw__parse_allocate(p, sizeof **more));
}

/* "%a, %r:2 =": a group of n results has the names r#0 ... r#n-1. */
static bool parse_results(tw__parser *p, tw__as_op *op)
{
    tw__as_name names[16];
    unsigned n = 0;
    do {
        tw__token t = p->t;
        if (t.kind != T_VALUE || n == 16)
            return tw__parse_error(p, &t, "expected the name of a result, at most 16"), false;
        tw__as_name name = { .text = tw__parse_copy(p, t.start + 1, t.length - 1),
                             .line = t.line,
                             .column = t.column };
        tw__parse_next(p);
        if (strchr(name.text, '#'))
            return tw__parse_error(p, &t, "a result has no '#': a group of them is %%r:2"), false;
        if (!tw__parse_accept(p, ':')) {
            names[n++] = name;
            continue;
        }
        unsigned long count = p->t.kind == T_NUMBER ? strtoul(p->t.start, NULL, 10) : 0;
        if (count < 1 || count > 16 - n)
            return tw__parse_error(p, &p->t, "expected a group of 1 to %u results", 16 - n), false;
        tw__parse_next(p);
        for (unsigned i = 0; i < count; i++) {
            name.group = (unsigned)(i ? 0 : count);
            name.grouped = true;
            names[n] = name;
            names[n].text = tw__arena_printf(p->arena, "%s#%u", name.text, i);
            if (!names[n++].text) return p->m->no_memory = true, false;
        }
    } while (tw__parse_accept(p, ','));
    op->results = tw__arena_alloc(p->arena, n * sizeof *names, 8);
    if (!op->results) return p->m->no_memory = true, false;
    memcpy(op->results, names, n * sizeof *names);
    op->result_count = n;
    return tw__parse_expect(p, '=');
}

/* What "!name" stands for is a type, said wrong only once: here. The alias keeps its canonical spelling. */
static bool parse_type_alias(tw__parser *p, const tw__token *name, tw__as_item *item)
{
    tw__as_type type;
    const tw__token value = {
        .start = name->start, .length = (size_t)item->length, .line = item->line, .column = item->column
    };
    if ((item->kind != TW__AS_ATTR && item->kind != TW__AS_WORD) || item->has_value)
        return tw__parse_error(p, name, "expected '!name = !type'"), false;
    const tw__as_item *other = *item->text == '!' ? g_hash_table_lookup(p->m->aliases, item->text) : NULL;
    if (!tw__as_type_parse(p->m, other ? other->text : item->text, &type)) {
        if (!p->m->no_memory && !(other && !*other->text)) tw__parse_error(p, &value, "%s", tw_error_message());
        item->text = ""; /* its uses say nothing more */
        return true;
    }
    item->text = type.text;
    return true;
}

/* attr_alias = ("#"ident | "!"ident) "=" value */
static bool parse_alias(tw__parser *p, tw__as_op *op)
{
    tw__token t = p->t, whole;
    op->name = tw__parse_raw(p, &whole, 1, 1);
    op->alias = true;
    op->line = t.line;
    op->column = t.column;
    op->length = (int)whole.length;
    if (!tw__parse_expect(p, '=')) return false;
    op->items = tw__parse_allocate(p, sizeof *op->items);
    if (!tw__parse_item(p, op->items)) return false;
    if (t.kind == T_HASH && tw__parse_is(p, ':') && !p->t.first) { /* "#n = 1 : i32" */
        op->items->next = tw__parse_allocate(p, sizeof *op->items->next);
        if (!tw__parse_item(p, op->items->next)) return false;
    }
    if (t.kind != T_HASH && !parse_type_alias(p, &t, op->items)) return false;
    if (p->m->no_memory || g_hash_table_insert(p->m->aliases, (gpointer)(uintptr_t)op->name, op->items))
        return true;
    return tw__parse_error(p, &whole, "%s is defined twice", op->name), false;
}

/* One copy of the name of an operation. */
static const char *word(tw__parser *p, const tw__token *t)
{
    char text[64], *kept;
    if (t->length >= sizeof text) return tw__parse_copy(p, t->start, t->length);
    memcpy(text, t->start, t->length);
    text[t->length] = 0;
    const char *known = g_hash_table_lookup(p->m->words, text);
    if (known) return known;
    if (!(kept = tw__arena_strdup(p->m->arena, text))) return p->m->no_memory = true, "";
    return g_hash_table_add(p->m->words, kept), kept;
}

/* NULL: it is in error. */
static tw__as_op *parse_statement(tw__parser *p);

/* What holds blocks stays whole: its results are read again, to the module's memory. */
static tw__as_op *parse_whole(tw__parser *p, const tw__parser *start)
{
    *p = *start;
    p->arena = p->m->arena;
    return parse_statement(p);
}

static bool parse_parts(tw__parser *p, tw__as_op *op, const holder *h, const tw__token *name)
{
    if (h) return parse_holder(p, op, h);
    if (tw__parse_is(p, '=') && !p->t.first)
        return tw__parse_error(p, name, "expected %%%s: names of values begin with '%%'", op->name), false;
    return p->t.first && !tw__parse_continues(p) ? true : tw__parse_items(p, &op->items, 0);
}

static tw__as_op *parse_statement(tw__parser *p)
{
    const tw__parser start = *p;
    tw__as_op *op = tw__parse_allocate(p, sizeof *op);
    op->blank = p->t.blank;
    op->comments = tw__comment_take(p);
    if (p->t.kind == T_HASH || p->t.kind == T_BANG) return parse_alias(p, op) ? op : NULL;
    if (p->t.kind == T_VALUE && !parse_results(p, op)) return NULL;
    if (p->t.kind != T_WORD)
        return tw__parse_error(p, &p->t, "expected the name of an operation%s",
                               p->t.kind == T_STRING ? ", without quotes" : ""),
               NULL;
    if (tw__parse_is_part(p))
        return tw__parse_error(p, &p->t, "expected the name of an operation: '%.*s' is a part of one",
                               (int)p->t.length, p->t.start),
               NULL;
    op->line = p->t.line;
    op->column = p->t.column;
    op->length = (int)p->t.length;
    op->name = word(p, &p->t);
    const tw__token name = p->t;
    const holder *h = holder_of(op->name);
    if (h && p->arena != p->m->arena) return parse_whole(p, &start);
    tw__parse_next(p);
    return parse_parts(p, op, h, &name) ? op : NULL;
}

enum { MOST_LEAD = (1 << 11) - 1 }; /* of tw__as_line */

/* What the module keeps of a statement that began at `first`. */
static void parse_keep(tw__as_line *line, tw__as_op *op, const tw__token *first, bool whole)
{
    enum { LONGEST = (1 << 20) - 1 };
    *line = (tw__as_line){ .name = op->name, .line = op->line, .column = op->column, .leaf = !whole };
    line->length = op->length < LONGEST ? (unsigned)op->length : LONGEST;
    if (whole) {
        line->whole = op;
        op->self = line;
    } else {
        line->at = first->start;
        line->lead = (unsigned)(op->line - first->line);
    }
}

const tw__as_op *tw__as_op_of(tw__as_module *m, const tw__as_line *line)
{
    if (!line->leaf) return line->whole;
    tw__parser p = { .m = m,
                     .arena = m->scratch,
                     .at = line->at,
                     .line_start = line->at,
                     .line = line->line - (int)line->lead,
                     .fresh = true };
    while (p.line_start > m->source && p.line_start[-1] != '\n') p.line_start--;
    tw__parse_next(&p);
    tw__as_op *op = parse_statement(&p);
    if (!op || m->no_memory) return m->no_memory = true, NULL;
    op->self = line;
    return op;
}

/* Up to the brace that closes `open`, or (NULL) to the end. */
static void parse_statements(tw__parser *p, tw__as_block *block, const tw__token *open)
{
    unsigned errors = p->errors;
    if (++p->nesting > TW__AS_MAX_DEPTH) {
        tw__parse_error(p, &p->t, "blocks are nested more than %d deep", TW__AS_MAX_DEPTH);
        while (p->t.kind != T_END) tw__parse_next(p);
    }
    while (p->t.kind != T_END && p->errors < TW__PARSE_ERRORS && !p->m->no_memory) {
        if (tw__parse_is(p, '}')) {
            if (open) break;
            if (p->errors == 0)
                tw__parse_error(p, &p->t, "'}' without '{'"); /* the line with the '{' may be in error */
            tw__parse_next(p);
            continue;
        }
        tw__as_module *m = p->m;
        tw__as_line *line = TW__NEW(m->arena, tw__as_line);
        const tw__parser start = *p;
        const char *before = p->at;
        const tw__token first = p->t;
        if (!line) return (void)(m->no_memory = true);
        bool whole = m->tree || first.kind == T_HASH || first.kind == T_BANG;
        tw__arena_mark mark = tw__arena_save(m->scratch);
        p->arena = whole ? m->arena : m->scratch;
        tw__as_op *op = parse_statement(p);
        if (op && !whole && op->line - first.line > MOST_LEAD) op = parse_whole(p, &start);
        if (op) {
            whole |= p->arena == m->arena;
            tw__comment_statement(p, op);
            parse_keep(line, op, &first, whole);
        }
        p->arena = m->arena;
        tw__arena_restore(m->scratch, mark);
        if (!op) {
            if (p->at == before) tw__parse_next(p);
            recover(p);
            continue;
        }
        if (m->no_memory) break;
        *(block->last ? &block->last->next : &block->first) = line;
        block->last = line;
    }
    p->nesting--;
    block->closing = tw__comment_take(p);
    if (open && p->t.kind == T_END && p->errors == errors)
        tw__parse_error(p, open, "'{' is never closed");
    else if (open && p->t.kind != T_END)
        tw__parse_expect(p, '}');
}

/* The text would seem to end there. */
static bool refuse_zero(tw__parser *p, size_t size)
{
    const char *zero = memchr(p->m->source, 0, size), *line = p->m->source;
    int number = 1;
    if (!zero) return false;
    for (const char *c; (c = memchr(line, '\n', (size_t)(zero - line))); line = c + 1) number++;
    tw__as_error(p->m, number, (int)(zero - line) + 1, 1, "pto.syntax", "a zero byte: this is no text");
    return true;
}

static tw__as_module *syntax_parse(const char *file, const char *source, size_t size, tw_diags *diags, bool tree)
{
    tw__arena *arena = tw__arena_new(0);
    tw__as_module *m = arena ? TW__NEW(arena, tw__as_module) : NULL;
    if (m) {
        m->arena = arena;
        m->scratch = tw__arena_new(0);
        m->diags = diags;
        m->tree = tree;
        m->aliases = g_hash_table_new(g_str_hash, g_str_equal);
        m->words = g_hash_table_new(g_str_hash, g_str_equal);
        m->types = g_hash_table_new(g_str_hash, g_str_equal);
        m->spelled = g_hash_table_new(g_str_hash, g_str_equal);
        m->file = tw__arena_strdup(arena, file);
        m->source = tw__arena_alloc(arena, size + 1, 1);
        m->size = size;
    }
    /* the first block of scratch stays, however often it is emptied */
    if (!m || !m->file || !m->source || !m->scratch || !tw__arena_alloc(m->scratch, 1, 1)) {
        if (m) tw__as_free(m);
        if (!m) tw__arena_free(arena);
        tw__fail(TW_E_NO_MEMORY, "no memory for the program text");
        return NULL;
    }
    memcpy(m->source, source, size);
    m->source[size] = 0;
    bool mark = size >= 3 && memcmp(source, "\xef\xbb\xbf", 3) == 0; /* of byte order */
    tw__parser p = {
        .m = m, .arena = m->arena, .at = m->source + 3 * mark, .line_start = m->source, .line = 1, .fresh = true
    };
    tw__parse_next(&p);
    if (!refuse_zero(&p, size)) parse_statements(&p, &m->top, NULL);
    m->no_memory |= tw__arena_failed(m->arena) || tw__arena_failed(m->scratch);
    if (m->no_memory) tw__as_error(m, 0, 0, 1, "pto.memory", "out of memory while reading the program");
    return m;
}

tw__as_module *tw__as_parse(const char *file, const char *source, size_t size, tw_diags *diags)
{
    return syntax_parse(file, source, size, diags, false);
}

tw__as_module *tw__as_parse_tree(const char *file, const char *source, size_t size, tw_diags *diags)
{
    return syntax_parse(file, source, size, diags, true);
}

void tw__as_free(tw__as_module *module)
{
    if (!module) return;
    g_hash_table_destroy(module->aliases);
    g_hash_table_destroy(module->words);
    g_hash_table_destroy(module->types);
    g_hash_table_destroy(module->spelled);
    tw__arena_free(module->scratch);
    tw__arena_free(module->arena);
}
