/* as_parse: PTO-AS text to a tree. Operations are parsed by one rule: a name, then items of any kind up to the end of
 * the statement, which is a line end that nothing continues; what an item means is decided later, by the operation.
 * Only what holds blocks has rules of its own. */
#include "pto/as.h"

#include <glib.h>
#include <stdlib.h>

typedef enum token_kind {
    T_END,
    T_VALUE,
    T_WORD,
    T_NUMBER,
    T_STRING,
    T_SYMBOL,
    T_HASH,
    T_BANG,
    T_ARROW,
    T_CHAR,
    T_ERROR
} token_kind;

typedef struct token {
    token_kind kind;
    const char *start;
    size_t length;
    int line, column;
    bool first; /* of its line */
} token;

enum { MAX_ERRORS = 20 };

typedef struct parser {
    tw__as_module *m;
    const char *at, *line_start;
    int line;
    bool fresh;                      /* nothing but blanks since the line began */
    token t;                         /* next */
    unsigned depth, nesting, errors; /* brackets, blocks */
} parser;

void tw__as_error(tw__as_module *m, int line, int column, int length, const char *code, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *start = m->source;
    for (int l = 1; l < line && start; l++) start = (start = strchr(start, '\n')) ? start + 1 : NULL;
    char *copy = start ? g_strndup(start, strcspn(start, "\n")) : NULL;
    tw_diag diag = { m->file, line, column, length > 0 ? length : 1, TW_ERROR, code, text, copy };
    tw_diags_add(m->diags, &diag);
    g_free(copy);
}

static void error_at(parser *p, const token *t, const char *format, ...) TW_PRINTF(3, 4);
static void error_at(parser *p, const token *t, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (p->errors++ < MAX_ERRORS) tw__as_error(p->m, t->line, t->column, (int)t->length, "pto.syntax", "%s", text);
}

/* --- tokens ------------------------------------------------------------------------------------------------------------ */

static bool is_name(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
}

/* A '#' that begins a line is a comment, unless it defines an attribute: "#map = ...". */
static bool is_comment(const parser *p)
{
    if (p->at[0] == '/' && p->at[1] == '/') return true;
    if (p->at[0] != '#' || !p->fresh) return false;
    const char *c = p->at + 1;
    while (is_name(*c)) c++;
    while (*c == ' ') c++;
    return !(c > p->at + 1 && *c == '=');
}

static void skip_blanks(parser *p)
{
    for (;; p->at++) {
        if (*p->at == '\n') {
            p->line++;
            p->line_start = p->at + 1;
            p->fresh = true;
        } else if (*p->at && is_comment(p)) {
            p->at += strcspn(p->at, "\n") - 1;
        } else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r') {
            return;
        }
    }
}

static size_t number_length(const char *s)
{
    size_t n = *s == '-';
    if (s[n] == '0' && (s[n + 1] == 'x' || s[n + 1] == 'X') && g_ascii_isxdigit(s[n + 2])) {
        for (n += 2; g_ascii_isxdigit(s[n]);) n++;
        return n;
    }
    while (g_ascii_isdigit(s[n])) n++;
    if (s[n] == '.') n++;
    while (g_ascii_isdigit(s[n])) n++;
    size_t e = n + 1;
    if ((s[n] == 'e' || s[n] == 'E') &&
        (g_ascii_isdigit(s[e]) || ((s[e] == '-' || s[e] == '+') && g_ascii_isdigit(s[e + 1])))) {
        for (n = e + 1; g_ascii_isdigit(s[n]);) n++;
    }
    return n;
}

static void next(parser *p)
{
    skip_blanks(p);
    const char *s = p->at;
    size_t n = 1;
    token_kind kind = T_CHAR;
    if (!*s) {
        kind = T_END;
        n = 0;
    } else if (*s == '%' || *s == '@') {
        kind = *s == '%' ? T_VALUE : T_SYMBOL;
        while (is_name(s[n]) && !(s[n] == '-' && s[n + 1] == '>')) n++;
        if (kind == T_VALUE && s[n] == '#' && g_ascii_isdigit(s[n + 1]))
            for (n++; g_ascii_isdigit(s[n]);) n++;
        if (n == 1) kind = T_ERROR;
    } else if (*s == '#' || *s == '!') {
        kind = *s == '#' ? T_HASH : T_BANG;
    } else if (*s == '-' && s[1] == '>') {
        kind = T_ARROW;
        n = 2;
    } else if (g_ascii_isdigit(*s) || (*s == '-' && g_ascii_isdigit(s[1]))) {
        kind = T_NUMBER;
        n = number_length(s);
    } else if (*s == '"') {
        kind = T_STRING;
        while (s[n] && s[n] != '"' && s[n] != '\n') n += s[n] == '\\' && s[n + 1] && s[n + 1] != '\n' ? 2 : 1;
        if (s[n] == '"')
            n++;
        else
            kind = T_ERROR;
    } else if (g_ascii_isalpha(*s) || *s == '_') {
        kind = T_WORD;
        while (is_name(s[n]) && !(s[n] == '-')) n++;
    }
    p->t = (token){ kind, s, n, p->line, (int)(s - p->line_start) + 1, p->fresh };
    p->fresh = false;
    p->at = s + n;
}

static bool is_char(const parser *p, char c)
{
    return p->t.kind == T_CHAR && *p->t.start == c;
}
static bool is_word(const parser *p, const char *word)
{
    return p->t.kind == T_WORD && p->t.length == strlen(word) && memcmp(p->t.start, word, p->t.length) == 0;
}
static bool accept(parser *p, char c)
{
    if (!is_char(p, c)) return false;
    next(p);
    return true;
}
static bool expect(parser *p, char c)
{
    if (accept(p, c)) return true;
    error_at(p, &p->t, p->t.kind == T_END ? "expected '%c' at the end" : "expected '%c' here", c);
    return false;
}

static const char *copy(parser *p, const char *start, size_t n)
{
    char *text = tw__arena_alloc(p->m->arena, n + 1, 1);
    if (!text) {
        p->m->no_memory = true;
        return "";
    }
    memcpy(text, start, n);
    text[n] = 0;
    return text;
}

static void *allocate(parser *p, size_t size)
{
    static _Thread_local union {
        tw__as_item item;
        tw__as_op op;
        tw__as_block block;
    } spare; /* out of memory: written to, never kept */
    void *at = tw__arena_zalloc(p->m->arena, size, 16);
    if (at) return at;
    p->m->no_memory = true;
    memset(&spare, 0, sizeof spare);
    return &spare;
}

/* --- types and attributes: raw text with balanced brackets ------------------------------------------------------------- */

/* From the current token on: name characters, then one balanced < ... >. Blanks between are dropped. */
static const char *raw(parser *p, token *whole)
{
    const char *s = p->t.start, *end = *s == '<' ? s : s + p->t.length;
    int depth = 0;
    *whole = p->t;
    while (is_name(*end) && !(*end == '-' && end[1] == '>')) end++;
    if (*end == '<') do {
            depth += (*end == '<') - (*end == '>' && end[-1] != '-');
            end++;
        } while (depth > 0 && *end && *end != '\n');
    if (depth > 0) {
        error_at(p, &p->t, "'<' without '>'");
        end = s + strcspn(s, "\n");
    }
    whole->length = (size_t)(end - s);
    p->at = end;
    const char *text = copy(p, s, (size_t)(end - s));
    next(p);
    return text;
}

static bool parse_type(parser *p, tw__as_type *type)
{
    token whole;
    if (p->t.kind != T_BANG && p->t.kind != T_WORD) {
        error_at(p, &p->t, "expected a type");
        return false;
    }
    const char *text = raw(p, &whole);
    if (tw__as_type_parse(p->m, text, type)) return true;
    if (!p->m->no_memory) error_at(p, &whole, "%s", tw_error_message());
    return false;
}

/* The comma here separates parameters, "%a: T, %b: T", not types. */
static bool before_value(const parser *p)
{
    const char *s = p->at;
    while (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n') s++;
    return is_char(p, ',') && *s == '%';
}

/* One type, or several in parentheses or after commas. */
static bool parse_types(parser *p, tw__as_item *item, bool several)
{
    tw__as_type types[64];
    unsigned n = 0;
    item->parens = accept(p, '(');
    if (!(item->parens && is_char(p, ')'))) do {
            if (n == 64) return error_at(p, &p->t, "more than 64 types"), false;
            if (!parse_type(p, &types[n++])) return false;
            if (is_word(p, "to") && !item->parens) break;
        } while ((several || item->parens) && !before_value(p) && accept(p, ','));
    if (item->parens && !expect(p, ')')) return false;
    item->types = tw__arena_alloc(p->m->arena, (n ? n : 1) * sizeof *types, 16);
    if (!item->types) return p->m->no_memory = true, false;
    memcpy(item->types, types, n * sizeof *types);
    item->type_count = n;
    return true;
}

/* --- items ----------------------------------------------------------------------------------------------------------- */

static bool parse_items(parser *p, tw__as_item **list, char close);

/* Words that continue a statement on the next line. */
static bool continues(const parser *p)
{
    static const char *const words[] = { "ins",  "outs",      "shape",     "strides",   "offsets", "sizes", "to",
                                         "step", "iter_args", "valid_row", "valid_col", "addr",    "layout" };
    if (!p->t.first) return p->t.kind != T_END;
    if (p->t.kind == T_ARROW) return true;
    if (p->t.kind == T_CHAR) return strchr(":,({[<", *p->t.start) != NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(p, words[i])) return true;
    return false;
}

static bool parse_item(parser *p, tw__as_item *item);

/* "= value", and in a dictionary ": type" after it. */
static bool parse_value(parser *p, tw__as_item *item)
{
    if (!is_char(p, '=')) return true;
    item->has_value = true;
    next(p);
    item->child = allocate(p, sizeof *item->child);
    if (!parse_item(p, item->child)) return false;
    if (p->depth == 0 || !is_char(p, ':')) return true;
    tw__as_item *type = allocate(p, sizeof *type);
    type->kind = TW__AS_COLON;
    next(p);
    item->child->next = type;
    return parse_types(p, type, false);
}

static bool bracketed(parser *p, tw__as_item *item, tw__as_item_kind kind, char close)
{
    item->kind = kind;
    if (++p->depth > TW__AS_MAX_DEPTH) return error_at(p, &p->t, "brackets are nested too deeply"), false;
    next(p);
    bool good = parse_items(p, &item->child, close) && expect(p, close);
    p->depth--;
    return good;
}

static bool parse_item(parser *p, tw__as_item *item)
{
    token whole, t = p->t;
    item->line = t.line;
    item->column = t.column;
    item->length = (int)t.length;
    switch (t.kind) {
    case T_VALUE:
    case T_NUMBER:
    case T_STRING:
        item->kind = t.kind == T_VALUE ? TW__AS_VALUE : t.kind == T_NUMBER ? TW__AS_NUMBER : TW__AS_STRING;
        item->text = copy(p, t.start + (t.kind == T_VALUE), t.length - (t.kind == T_VALUE));
        next(p);
        return t.kind == T_NUMBER || parse_value(p, item);
    case T_SYMBOL:
        item->kind = TW__AS_SYMBOL;
        item->text = copy(p, t.start, t.length);
        next(p);
        if (!is_char(p, '(') || p->t.first) return true;
        item->child = allocate(p, sizeof *item->child);
        return bracketed(p, item->child, TW__AS_PARENS, ')');
    case T_HASH:
    case T_BANG:
        item->kind = TW__AS_ATTR;
        item->text = raw(p, &whole);
        item->length = (int)whole.length;
        return true;
    case T_ARROW:
        item->kind = TW__AS_ARROW;
        next(p);
        return parse_types(p, item, false);
    case T_WORD:
        if (is_word(p, "to") && item->comma == false && p->depth == 0) {
            item->kind = TW__AS_TO;
            item->text = "to";
            next(p);
            if (p->t.kind == T_WORD || p->t.kind == T_BANG) return parse_types(p, item, false);
            item->kind = TW__AS_WORD; /* bounds of a loop */
            return true;
        }
        item->kind = TW__AS_WORD;
        item->text = copy(p, t.start, t.length);
        next(p);
        return parse_value(p, item);
    case T_CHAR:
        switch (*t.start) {
        case '[': return bracketed(p, item, TW__AS_LIST, ']');
        case '(': return bracketed(p, item, TW__AS_PARENS, ')');
        case '{': return bracketed(p, item, TW__AS_DICT, '}');
        case '<':
            item->kind = TW__AS_ATTR;
            item->text = raw(p, &whole);
            return true;
        case ':':
            item->kind = TW__AS_COLON;
            next(p);
            return parse_types(p, item, true);
        default: break;
        }
        break;
    case T_END:
    case T_ERROR: break;
    }
    error_at(p, &p->t, p->t.kind == T_END ? "the text ends inside a statement" : "unexpected text");
    return false;
}

/* Items up to `close` (which stays), or to the end of the statement when close is 0. */
static bool parse_items(parser *p, tw__as_item **list, char close)
{
    for (tw__as_item **end = list;;) {
        if (close ? is_char(p, close) : !continues(p) || is_char(p, '}')) return true;
        bool comma = end != list && accept(p, ',');
        tw__as_item *item = allocate(p, sizeof *item);
        item->comma = comma;
        if (!parse_item(p, item)) return false;
        if (p->m->no_memory) return false;
        *end = item;
        end = &item->next;
    }
}

/* --- statements ------------------------------------------------------------------------------------------------------- */

static void parse_block(parser *p, tw__as_block *block, bool braces);

/* After an error: on to the next line that starts a statement, or a closing brace. */
static void recover(parser *p)
{
    p->depth = 0;
    while (p->t.kind != T_END && !p->t.first) next(p);
}

static bool named(const tw__as_op *op, const char *name)
{
    return strcmp(op->name, name) == 0;
}

static tw__as_block *block_of(parser *p)
{
    tw__as_block *block = allocate(p, sizeof *block);
    unsigned depth = p->depth;
    if (!expect(p, '{')) return NULL;
    p->depth = 0; /* of brackets */
    parse_block(p, block, true);
    p->depth = depth;
    return block;
}

/* Items up to the block's brace; "attributes {...}" is a dictionary, any other { is the block. */
static bool parse_head(parser *p, tw__as_op *op)
{
    tw__as_item **end = &op->items;
    while (p->t.kind != T_END && !is_char(p, '}')) {
        if (is_char(p, '{')) return true;
        bool attributes = is_word(p, "attributes");
        tw__as_item *item = allocate(p, sizeof *item);
        item->comma = accept(p, ',');
        if (!parse_item(p, item)) return false;
        *end = item;
        end = &item->next;
        if (attributes && is_char(p, '{')) {
            item = allocate(p, sizeof *item);
            if (!parse_item(p, item)) return false;
            *end = item;
            end = &item->next;
        }
        if (p->m->no_memory) return false;
        if (p->t.first && !is_char(p, '{') && !continues(p)) return true; /* a declaration without a body */
    }
    return true;
}

static bool has_block(const tw__as_op *op)
{
    static const char *const names[] = { "module", "builtin.module",   "func.func",         "scf.for",
                                         "scf.if", "pto.section.cube", "pto.section.vector" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (named(op, names[i])) return true;
    return false;
}

static bool parse_results(parser *p, tw__as_op *op)
{
    tw__as_name names[16];
    unsigned n = 0;
    do {
        if (p->t.kind != T_VALUE || n == 16) return error_at(p, &p->t, "expected the name of a result"), false;
        names[n++] = (tw__as_name){ copy(p, p->t.start + 1, p->t.length - 1), p->t.line, p->t.column };
        next(p);
        if (accept(p, ':'))
            return error_at(p, &p->t, "grouped results (%%name:n) are not part of tile programs"), false;
    } while (accept(p, ','));
    op->results = tw__arena_alloc(p->m->arena, n * sizeof *names, 8);
    if (!op->results) return p->m->no_memory = true, false;
    memcpy(op->results, names, n * sizeof *names);
    op->result_count = n;
    return expect(p, '=');
}

static bool parse_statement(parser *p, tw__as_op *op)
{
    if (p->t.kind == T_VALUE && !parse_results(p, op)) return false;
    if (p->t.kind != T_WORD) return error_at(p, &p->t, "expected the name of an operation"), false;
    op->line = p->t.line;
    op->column = p->t.column;
    op->length = (int)p->t.length;
    op->name = copy(p, p->t.start, p->t.length);
    next(p);
    if (!has_block(op)) return p->t.first && !continues(p) ? true : parse_items(p, &op->items, 0);
    if (!parse_head(p, op)) return false;
    if (!is_char(p, '{')) return named(op, "func.func") ? true : expect(p, '{');
    op->blocks[0] = block_of(p);
    if (op->blocks[0] && named(op, "scf.if") && is_word(p, "else")) {
        next(p);
        op->blocks[1] = block_of(p);
        return op->blocks[1] != NULL;
    }
    return op->blocks[0] != NULL;
}

static void parse_block(parser *p, tw__as_block *block, bool braces)
{
    if (++p->nesting > TW__AS_MAX_DEPTH) {
        error_at(p, &p->t, "blocks are nested too deeply");
        while (p->t.kind != T_END) next(p);
    }
    while (p->t.kind != T_END && p->errors < MAX_ERRORS && !p->m->no_memory) {
        if (is_char(p, '}')) {
            if (braces) break;
            error_at(p, &p->t, "'}' without '{'");
            next(p);
            continue;
        }
        tw__as_op *op = allocate(p, sizeof *op);
        const char *before = p->at;
        if (!parse_statement(p, op)) {
            if (p->at == before) next(p);
            recover(p);
            continue;
        }
        if (p->m->no_memory) break;
        *(block->last ? &block->last->next : &block->first) = op;
        block->last = op;
    }
    p->nesting--;
    if (braces) expect(p, '}');
}

tw__as_module *tw__as_parse(const char *file, const char *source, size_t size, tw_diags *diags)
{
    tw__arena *arena = tw__arena_new(0);
    tw__as_module *m = arena ? TW__NEW(arena, tw__as_module) : NULL;
    if (m) {
        m->arena = arena;
        m->diags = diags;
        m->file = tw__arena_strdup(arena, file);
        m->source = tw__arena_alloc(arena, size + 1, 1);
    }
    if (!m || !m->file || !m->source) {
        tw__arena_free(arena);
        tw__fail(TW_E_NO_MEMORY, "no memory for the program text");
        return NULL;
    }
    memcpy(m->source, source, size);
    m->source[size] = 0;
    parser p = { .m = m, .at = m->source, .line_start = m->source, .line = 1, .fresh = true };
    next(&p);
    parse_block(&p, &m->top, false);
    if (m->no_memory) tw__as_error(m, 0, 0, 1, "pto.memory", "out of memory while reading the program");
    return m;
}

void tw__as_free(tw__as_module *module)
{
    if (module) tw__arena_free(module->arena);
}
