/* SPDX-License-Identifier: MIT */
/* tw_pto_text_index(): values and functions of a program, found in its text: one that has errors has names all the
 * same. Types are those of a verified program. */
#include "core/base/index.h"
#include "pto/text/program/program.h"

#include <glib.h>

typedef struct scan {
    const tw_pto_text *text;
    tw_index *index;
    const char *source;
    size_t size;
    GHashTable *names; /* "%x" of the function, "@f": symbol + 1 */
    uint32_t function; /* that the scan is in */
    const char *function_name;
    int depth, function_depth;
} scan;

static bool is_value_byte(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
}

static const tw__as_type *type_of_value(const scan *s, const char *name)
{
    for (int t = 0; t < TW_PTO_TARGETS; t++) {
        const tw__as_program *p = s->text->program[t];
        const tw__as_function *f = p ? tw__text_function(p, s->function_name ? s->function_name : "") : NULL;
        for (uint32_t i = 0; f && i < f->slots; i++)
            if (f->slot_name[i] && !strcmp(f->slot_name[i], name)) return f->slot_type[i];
    }
    return NULL;
}

static void scan_define(scan *s, const char *key, tw_index_kind kind, size_t at, size_t line_end)
{
    const tw__as_type *type = kind == TW_INDEX_FUNCTION ? NULL : type_of_value(s, key + 1);
    bool inside = s->function != TW_INDEX_NONE && kind != TW_INDEX_FUNCTION;
    uint32_t symbol =
        tw__index_add_symbol(s->index, &(tw_index_symbol){ .name = key,
                                                           .kind = kind,
                                                           .at = (uint32_t)at,
                                                           .length = (uint32_t)strlen(key),
                                                           .first = (uint32_t)at,
                                                           .end = (uint32_t)line_end,
                                                           .from = inside ? (uint32_t)at : 0,
                                                           .until = (uint32_t)s->size + 1,
                                                           .parent = inside ? s->function : TW_INDEX_NONE,
                                                           .members = TW_INDEX_NONE,
                                                           .type = type && type->text ? type->text : NULL });
    g_hash_table_insert(s->names, g_strdup(key), GUINT_TO_POINTER(symbol + 1));
    if (kind != TW_INDEX_FUNCTION) return;
    s->function = symbol;
    s->function_name = tw_index_symbol_get(s->index, symbol)->name + 1;
    s->function_depth = s->depth;
}

/* Values of a function end with it. */
static void leave_function(scan *s, size_t at)
{
    GHashTableIter each;
    gpointer key;
    const tw_index_symbol *row;
    tw_index_symbol *f = tw__index_symbol(s->index, s->function);
    if (f) f->end = (uint32_t)at;
    for (uint32_t i = s->function; (row = tw_index_symbol_get(s->index, i)); i++)
        if (row->parent == s->function) tw__index_symbol(s->index, i)->until = (uint32_t)at;
    g_hash_table_iter_init(&each, s->names);
    while (g_hash_table_iter_next(&each, &key, NULL))
        if (*(char *)key == '%') g_hash_table_iter_remove(&each);
    s->function = TW_INDEX_NONE;
    s->function_name = NULL;
}

static bool ends_with(const char *line, size_t length, const char *word)
{
    while (length && line[length - 1] == ' ') length--;
    size_t n = strlen(word);
    return length >= n && !memcmp(line + length - n, word, n);
}

/* Is the value at `at` defined there: a result, a parameter, the variable of a loop? */
static bool is_definition(const char *line, size_t at, size_t behind, size_t length, bool of_function)
{
    size_t first = strspn(line, " \t"), next = behind + strspn(line + behind, " \t");
    const char *equals = memchr(line, '=', length);
    if (line[first] == '%' && equals && (size_t)(equals - line) >= behind && equals[1] != '=') return true;
    if (ends_with(line, at, "for")) return true;
    if (next >= length) return false;
    if (line[next] == ':' && (of_function || line[first] == '^')) return true;
    return line[next] == '=' && line[first] != '%' && !ends_with(line, at, ":");
}

static void scan_name(scan *s, const char *line, size_t base, size_t at, size_t *behind, size_t length)
{
    size_t end = at + 1;
    while (end < length && is_value_byte(line[end])) end++;
    *behind = end;
    if (end == at + 1) return;
    g_autofree char *key = g_strndup(line + at, end - at);
    bool of_function = strstr(line, "func") && (size_t)(strstr(line, "func") - line) < at;
    if (*key == '@' && of_function && !strstr(line, "call")) {
        scan_define(s, key, TW_INDEX_FUNCTION, base + at, base + length);
        return;
    }
    if (*key == '%' && is_definition(line, at, end, length, of_function)) {
        scan_define(s, key, of_function ? TW_INDEX_ARGUMENT : TW_INDEX_CONSTANT, base + at, base + length);
        return;
    }
    guint symbol = GPOINTER_TO_UINT(g_hash_table_lookup(s->names, key));
    if (symbol)
        tw__index_add_use(
            s->index,
            &(tw_index_use){ .at = (uint32_t)(base + at), .length = (uint32_t)(end - at), .symbol = symbol - 1 });
}

static void scan_line(scan *s, const char *line, size_t base, size_t length)
{
    bool quoted = false;
    for (size_t at = 0; at < length;) {
        char c = line[at];
        if (!quoted && c == '/' && line[at + 1] == '/') return;
        if (c == '"') quoted = !quoted;
        s->depth += !quoted && c == '{';
        if (!quoted && c == '}' && --s->depth == s->function_depth && s->function != TW_INDEX_NONE)
            leave_function(s, base + at + 1);
        if (!quoted && (c == '%' || c == '@'))
            scan_name(s, line, base, at, &at, length);
        else
            at++;
    }
}

tw_index *tw_pto_text_index(const tw_pto_text *text)
{
    if (!text) return tw__made(tw__missing("text"), NULL);
    scan s = { .text = text,
               .index = tw__index_new(),
               .source = text->module->source,
               .function = TW_INDEX_NONE,
               .size = text->module->size };
    if (!s.index) return NULL;
    s.names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    tw__index_add_file(s.index, text->module->file);
    for (size_t at = 0; at < s.size;) {
        const char *end = memchr(s.source + at, '\n', s.size - at);
        size_t length = end ? (size_t)(end - s.source) - at : s.size - at;
        g_autofree char *line = g_strndup(s.source + at, length);
        scan_line(&s, line, at, strlen(line));
        at += length + 1;
    }
    if (s.function != TW_INDEX_NONE) leave_function(&s, s.size);
    g_hash_table_destroy(s.names);
    return tw__index_done(s.index);
}
