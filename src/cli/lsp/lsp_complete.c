/* SPDX-License-Identifier: MIT */
/* lsp_complete: what may stand at the cursor, and the arguments of the call around it. */
#include "cli/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/csl.h>

enum {
    KIND_FUNCTION = 3,
    KIND_FIELD = 5,
    KIND_VARIABLE = 6,
    KIND_MODULE = 9,
    KIND_FILE = 17,
    FORMAT_SNIPPET = 2,
    MOST_ITEMS = 2000
};

/* CompletionItemKind, by tw_index_kind. */
static const int item_kinds[] = { 21, 6, 6, 6, 3, 3, 9, 22, 5, 20, 6 };

typedef struct items {
    const tw__lsp_spot *spot;
    json_t *list;
    GHashTable *seen;
    size_t from; /* what the cursor stands behind is replaced from here on */
} items;

/* The first parts of a list in parentheses; blanks around them go. */
static GPtrArray *parameters(const char *signature)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    const char *at = strchr(signature, '(');
    int depth = 0;
    for (const char *from = at ? at + 1 : NULL; at && *at; at++) {
        depth += (*at == '(' || *at == '[' || *at == '{') - (*at == ')' || *at == ']' || *at == '}');
        if ((depth == 1 && *at == ',') || (depth == 0 && *at == ')')) {
            char *one = g_strstrip(g_strndup(from, (gsize)(at - from)));
            if (*one)
                g_ptr_array_add(list, one);
            else
                g_free(one);
            from = at + 1;
        }
        if (depth == 0) break;
    }
    return list;
}

/* "name(${1:a}, ${2:b})"; what may be left out is left out. */
char *tw__lsp_call_snippet(const char *name, const char *signature)
{
    g_autoptr(GPtrArray) list = parameters(signature);
    GString *out = g_string_new(name);
    g_string_append_c(out, '(');
    unsigned count = 0;
    for (guint i = 0; i < list->len; i++) {
        const char *one = list->pdata[i];
        if (g_str_has_prefix(one, "config:")) continue;
        bool fixed = g_str_has_prefix(one, "comptime ");
        g_autofree char *word = g_strndup(one + (fixed ? 9 : 0), strcspn(one + (fixed ? 9 : 0), ":."));
        g_string_append_printf(out, "%s${%u:%s}", count ? ", " : "", count + 1, word);
        count++;
    }
    g_string_append(out, ")$0");
    return g_string_free(out, FALSE);
}

static void add_item(items *to, const char *label, int kind, const char *detail, const char *doc,
                     const char *snippet)
{
    const tw__lsp *server = to->spot->server;
    if (json_array_size(to->list) >= MOST_ITEMS || !g_hash_table_add(to->seen, g_strdup(label))) return;
    bool expands = snippet && server->snippets;
    json_t *range = tw__lsp_range(&to->spot->document->text, to->from, to->spot->offset, server->utf8);
    json_t *item = json_pack("{sssisss{soss}}", "label", label, "kind", kind, "filterText", label, "textEdit",
                             "range", range, "newText", expands ? snippet : label);
    if (detail && *detail) json_object_set_new(item, "detail", json_string(detail));
    if (doc && *doc) json_object_set_new(item, "documentation", json_string(doc));
    if (expands) json_object_set_new(item, "insertTextFormat", json_integer(FORMAT_SNIPPET));
    json_array_append_new(to->list, item);
}

static void add_symbol_item(items *to, const tw_index_symbol *s)
{
    bool callable = s->kind == TW_INDEX_FUNCTION;
    g_autofree char *snippet = callable ? tw__lsp_call_snippet(s->name, s->type) : NULL;
    g_autofree char *detail = *s->value ? g_strdup_printf("%s = %s", s->type, s->value) : g_strdup(s->type);
    add_item(to, s->name, item_kinds[s->kind], detail, NULL, snippet);
}

/* Parts of what stands before the dot at `dot`. */
static void add_parts(items *to, size_t dot)
{
    const tw_index *index;
    uint32_t found = tw__lsp_chain(to->spot, dot, &index);
    const tw_index_symbol *whole = found == TW_INDEX_NONE ? NULL : tw_index_symbol_get(index, found), *s;
    if (!whole) return;
    for (uint32_t i = 0; (s = tw_index_symbol_get(index, i)); i++) {
        const char *file = tw_index_file(index, s->file);
        bool is_part = whole->members != TW_INDEX_NONE && s->parent == whole->members;
        if (is_part || (*whole->path && !strcmp(file, whole->path) && s->parent == TW_INDEX_NONE))
            add_symbol_item(to, s);
    }
    g_auto(GStrv) lines = g_strsplit(whole->fields, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *blank = strchr(*line, ' ');
        if (!blank) continue;
        *blank = 0;
        add_item(to, *line, KIND_FIELD, blank + 1, NULL, NULL);
    }
}

static void add_words(items *to, bool marked)
{
    tw__lsp_word word;
    for (size_t i = 0; to->spot->document->language->word(i, &word); i++)
        if ((word.label[0] == '@') == marked && !g_str_has_prefix(word.label, "@__")) /* these are libraries' own */
            add_item(to, word.label, word.kind, word.detail, word.doc, word.snippet);
}

/* Inside the quotes of @import_module("..."): libraries and the files beside this one. */
static bool add_modules(items *to)
{
    const tw__lsp_text *text = &to->spot->document->text;
    size_t quote = to->spot->offset;
    while (quote > 0 && !strchr("\"\n", text->bytes[quote - 1])) quote--;
    g_autofree char *before = g_strndup(text->bytes + (quote > 64 ? quote - 64 : 0), MIN(quote, 64));
    if (to->spot->document->language != &tw__lsp_csl || !g_str_has_suffix(before, "@import_module(\""))
        return false;
    to->from = quote;
    const char *name;
    for (size_t i = 0; (name = tw_csl_library_name(i)); i++) {
        g_autofree char *label = g_strdup_printf("<%s>", name);
        add_item(to, label, KIND_MODULE, "library", NULL, NULL);
    }
    g_autofree char *folder = g_path_get_dirname(to->spot->document->path);
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    while (files && (name = g_dir_read_name(files)))
        if (g_str_has_suffix(name, ".csl") && !g_str_has_suffix(to->spot->document->path, name))
            add_item(to, name, KIND_FILE, NULL, NULL, NULL);
    return true;
}

json_t *tw__lsp_completion(tw__lsp *server, const json_t *params, const char **error)
{
    tw__lsp_spot spot;
    if (!tw__lsp_find(server, params, &spot)) return *error = "the document is not open", NULL;
    const char *bytes = spot.document->text.bytes;
    items to = { .spot = &spot,
                 .list = json_array(),
                 .from = spot.from,
                 .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL) };
    char before = spot.from > 0 ? bytes[spot.from - 1] : 0;
    if (add_modules(&to)) {
        /* that was all */
    } else if (before == '@') {
        to.from--;
        add_words(&to, true);
    } else if (before == '.') {
        add_parts(&to, spot.from - 1);
    } else {
        const tw_index_symbol *s;
        for (uint32_t i = 0; (s = tw__lsp_symbol(&spot, i)); i++)
            if (s->file == spot.file && spot.offset >= s->from && spot.offset < s->until &&
                tw__lsp_look_up(spot.index, spot.file, spot.offset, s->name, strlen(s->name)) == i)
                add_symbol_item(&to, s);
        add_words(&to, false);
    }
    g_hash_table_destroy(to.seen);
    return json_pack("{sbso}", "isIncomplete", json_array_size(to.list) >= MOST_ITEMS, "items", to.list);
}

/* --- the call around the cursor ------------------------------------------------------------------------------ */

/* Its '(' and the number of commas up to the cursor; false: there is none in this statement. */
static bool find_call(const char *bytes, size_t offset, size_t *open, unsigned *argument)
{
    int depth = 0;
    *argument = 0;
    for (size_t at = offset; at-- > 0;) {
        char c = bytes[at];
        if (c == ';' && depth == 0) return false;
        if (c == ')' || c == ']' || c == '}') depth++;
        if (c == ',' && depth == 0) ++*argument;
        if (c != '(' && c != '[' && c != '{') continue;
        if (--depth >= 0) continue;
        if (c == '(') return *open = at, true;
        depth = 0; /* a list inside the call: its commas do not count */
        *argument = 0;
    }
    return false;
}

json_t *tw__lsp_signature(tw__lsp *server, const json_t *params, const char **error)
{
    tw__lsp_spot spot;
    size_t open;
    unsigned argument;
    if (!tw__lsp_find(server, params, &spot)) return *error = "the document is not open", NULL;
    const char *bytes = spot.document->text.bytes;
    if (!find_call(bytes, spot.offset, &open, &argument)) return json_null();
    size_t from = open;
    while (from > 0 && tw__lsp_is_name_byte(spot.document->language, bytes[from - 1])) from--;
    g_autofree char *label = NULL, *doc = NULL;
    const tw_index *index;
    tw__lsp_word word;
    bool marked = from > 0 && bytes[from - 1] == '@';
    for (size_t i = 0; marked && !label && spot.document->language->word(i, &word); i++)
        if (strlen(word.label) == open - from + 1 && !strncmp(word.label, bytes + from - 1, open - from + 1)) {
            label = g_strdup(word.detail);
            doc = g_strdup(word.doc);
        }
    uint32_t symbol = marked ? TW_INDEX_NONE : tw__lsp_chain(&spot, open, &index);
    const tw_index_symbol *s = symbol == TW_INDEX_NONE ? NULL : tw_index_symbol_get(index, symbol);
    if (s && strchr(s->type, '(')) label = g_strconcat(s->name, strchr(s->type, '('), NULL);
    if (!label) return json_null();
    g_autoptr(GPtrArray) list = parameters(label);
    json_t *parts = json_array(), *signature;
    for (guint i = 0; i < list->len; i++) json_array_append_new(parts, json_pack("{ss}", "label", list->pdata[i]));
    signature = json_pack("{ssso}", "label", label, "parameters", parts);
    if (doc) json_object_set_new(signature, "documentation", json_string(doc));
    if (list->len && argument >= list->len) argument = list->len - 1; /* a list of any length */
    return json_pack("{s[o]sisi}", "signatures", signature, "activeSignature", 0, "activeParameter", (int)argument);
}
