/* SPDX-License-Identifier: MIT */
/* tw_asm_index(): labels, symbols and macros of a text, and where they are named. The text alone is looked at, so
 * that one with errors, or with lines for the preprocessor, has names too. */
#include "core/base/index.h"

#include <glib.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>

typedef struct names {
    tw_index *index;
    GHashTable *by_name; /* text -> symbol + 1 */
    bool defines;        /* the first pass */
} names;

static bool is_symbol_byte(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '.' || c == '$';
}

static void define_label(names *n, const char *name, tw_index_kind kind, const char *value, size_t at, size_t end)
{
    if (!n->defines || g_hash_table_contains(n->by_name, name)) return;
    uint32_t symbol = tw__index_add_symbol(n->index, &(tw_index_symbol){ .name = name,
                                                                         .kind = kind,
                                                                         .at = (uint32_t)at,
                                                                         .length = (uint32_t)strlen(name),
                                                                         .first = (uint32_t)at,
                                                                         .end = (uint32_t)end,
                                                                         .until = UINT32_MAX,
                                                                         .parent = TW_INDEX_NONE,
                                                                         .members = TW_INDEX_NONE,
                                                                         .value = value });
    g_hash_table_insert(n->by_name, g_strdup(name), GUINT_TO_POINTER(symbol + 1));
}

static void take_word(names *n, const char *line, size_t base, size_t at, size_t end, size_t length,
                      const char *before)
{
    static const char *const setters[] = { ".set", ".equ", ".equiv", ".macro" };
    g_autofree char *word = g_strndup(line + at, end - at);
    if (line[end] == ':' && !g_ascii_isdigit(*word)) {
        define_label(n, word, TW_INDEX_LABEL, NULL, base + at, base + end);
        return;
    }
    for (size_t i = 0; before && i < G_N_ELEMENTS(setters); i++) {
        if (strcmp(before, setters[i]) != 0) continue;
        bool macro = i == G_N_ELEMENTS(setters) - 1;
        const char *comma = memchr(line + end, ',', length - end);
        g_autofree char *value =
            !macro && comma ? g_strstrip(g_strndup(comma + 1, length - (size_t)(comma + 1 - line))) : NULL;
        define_label(n, word, macro ? TW_INDEX_FUNCTION : TW_INDEX_CONSTANT, value, base + at, base + length);
        return;
    }
    guint symbol = GPOINTER_TO_UINT(g_hash_table_lookup(n->by_name, word));
    const tw_index_symbol *row = symbol ? tw_index_symbol_get(n->index, symbol - 1) : NULL;
    if (!n->defines && row && row->at != base + at)
        tw__index_add_use(
            n->index,
            &(tw_index_use){ .at = (uint32_t)(base + at), .length = (uint32_t)(end - at), .symbol = symbol - 1 });
}

/* Words of a line outside of strings and comments. */
static void take_line(names *n, const char *line, size_t base, size_t length)
{
    g_autofree char *before = NULL;
    bool quoted = false;
    for (size_t at = 0; at < length;) {
        char c = line[at];
        if (!quoted && (c == '#' || (c == '/' && line[at + 1] == '/'))) return;
        if (c == '"') quoted = !quoted;
        if (quoted || !is_symbol_byte(c)) {
            at++;
            continue;
        }
        size_t end = at;
        while (end < length && is_symbol_byte(line[end])) end++;
        take_word(n, line, base, at, end, length, before);
        g_free(before);
        before = g_strndup(line + at, end - at);
        at = end;
    }
}

tw_index *tw_asm_index(const char *text, size_t length, const char *file)
{
    if (!text) return tw__made(tw__missing("text"), NULL);
    if (!file) return tw__made(tw__missing("file"), NULL);
    names n = { .index = tw__index_new() };
    if (!n.index) return NULL;
    n.by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    tw__index_add_file(n.index, file);
    for (int pass = 0; pass < 2; pass++) {
        n.defines = pass == 0;
        for (size_t at = 0; at < length;) {
            const char *end = memchr(text + at, '\n', length - at);
            size_t size = end ? (size_t)(end - text) - at : length - at;
            g_autofree char *line = g_strndup(text + at, size);
            take_line(&n, line, at, strlen(line));
            at += size + 1;
        }
    }
    g_hash_table_destroy(n.by_name);
    return tw__index_done(n.index);
}
