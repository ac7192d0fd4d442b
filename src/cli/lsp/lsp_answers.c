/* SPDX-License-Identifier: MIT */
/* lsp_answers: hover, definitions, uses, symbols, new names, inlay types, formatting. */
#include "cli/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>

static json_t *no_document(const char **error)
{
    *error = "the document is not open";
    return NULL;
}

/* --- hover --------------------------------------------------------------------------------------------------- */

static json_t *markup(const tw__lsp *server, const tw__lsp_language *language, const char *code, const char *doc)
{
    g_autofree char *text = server->markdown ? g_strdup_printf("```%s\n%s\n```%s%s", language->id, code,
                                                               doc ? "\n\n" : "", doc ? doc : "")
                                             : g_strdup_printf("%s%s%s", code, doc ? "\n\n" : "", doc ? doc : "");
    return json_pack("{ssss}", "kind", server->markdown ? "markdown" : "plaintext", "value", text);
}

/* A builtin, an instruction, a reserved word that there is something to say of. */
static bool find_known_word(const tw__lsp_spot *spot, tw__lsp_word *word)
{
    const char *bytes = spot->document->text.bytes;
    const tw__lsp_language *language = spot->document->language;
    size_t from = spot->from;
    if (from == spot->until) return false;
    for (int with_mark = from > 0 && bytes[from - 1] == '@'; with_mark >= 0; with_mark--)
        for (size_t i = 0; language->word(i, word); i++)
            if (word->doc && strlen(word->label) == spot->until - from + (size_t)with_mark &&
                !g_ascii_strncasecmp(word->label, bytes + from - with_mark, strlen(word->label)))
                return true;
    return false;
}

json_t *tw__lsp_hover(tw__lsp *server, const json_t *params, const char **error)
{
    tw__lsp_spot spot;
    tw__lsp_word word;
    if (!tw__lsp_find(server, params, &spot)) return no_document(error);
    const tw__lsp_text *text = &spot.document->text;
    const tw_index_symbol *s = tw__lsp_symbol(&spot, spot.symbol);
    json_t *contents = NULL;
    if (spot.from == spot.until && spot.until < text->size && text->bytes[spot.until] == '@') { /* @get_color */
        spot.from = ++spot.until;
        while (spot.until < text->size && tw__lsp_is_name_byte(spot.document->language, text->bytes[spot.until]))
            spot.until++;
    }
    size_t from = spot.from, until = spot.until;
    if (s) {
        g_autofree char *doc = tw__lsp_comment(&spot, s);
        tw_index_symbol here = *s;
        if (spot.use && *spot.use->value && s->kind != TW_INDEX_VARIABLE) here.value = spot.use->value;
        if (spot.use && *spot.use->type && !*s->type) here.type = spot.use->type;
        g_autofree char *code = tw__lsp_describe(&spot, &here);
        contents = markup(server, spot.document->language, code, doc);
        from = spot.use ? spot.use->at : s->at;
        until = from + (spot.use ? spot.use->length : s->length);
    } else if (spot.use && *spot.use->type) {
        g_autofree char *name = g_strndup(text->bytes + spot.use->at, spot.use->length);
        g_autofree char *code =
            g_strdup_printf("%s: %s%s%s", name, spot.use->type, *spot.use->value ? " = " : "", spot.use->value);
        contents = markup(server, spot.document->language, code, NULL);
    } else if (find_known_word(&spot, &word)) {
        contents = markup(server, spot.document->language, word.detail ? word.detail : word.label, word.doc);
    }
    if (!contents) return json_null();
    return json_pack("{soso}", "contents", contents, "range", tw__lsp_range(text, from, until, server->utf8));
}

/* --- where it is defined and used ---------------------------------------------------------------------------- */

static void add_location(json_t *list, json_t *location)
{
    if (location) json_array_append_new(list, location);
}

json_t *tw__lsp_definition(tw__lsp *server, const json_t *params, const char **error)
{
    tw__lsp_spot spot;
    if (!tw__lsp_find(server, params, &spot)) return no_document(error);
    const tw_index_symbol *s = tw__lsp_symbol(&spot, spot.symbol);
    json_t *list = json_array();
    if (s) add_location(list, tw__lsp_location(&spot, s->file, s->at, s->length));
    /* the name of a module: its file, too */
    const char *path;
    for (uint32_t i = 0; s && *s->path && (path = tw_index_file(spot.index, i)); i++)
        if (!strcmp(path, s->path) && spot.offset >= s->at && !spot.use)
            add_location(list, tw__lsp_location(&spot, i, 0, 0));
    return list;
}

json_t *tw__lsp_references(tw__lsp *server, const json_t *params, const char **error)
{
    tw__lsp_spot spot;
    if (!tw__lsp_find(server, params, &spot)) return no_document(error);
    const tw_index_symbol *s = tw__lsp_symbol(&spot, spot.symbol);
    json_t *list = json_array();
    const tw_index_use *u;
    if (s && json_is_true(json_object_get(json_object_get(params, "context"), "includeDeclaration")))
        add_location(list, tw__lsp_location(&spot, s->file, s->at, s->length));
    for (size_t i = 0; s && (u = tw_index_use_get(spot.index, i)); i++)
        if (u->symbol == spot.symbol) add_location(list, tw__lsp_location(&spot, u->file, u->at, u->length));
    return list;
}

json_t *tw__lsp_highlight(tw__lsp *server, const json_t *params, const char **error)
{
    enum { READ = 2, WRITE = 3 };
    tw__lsp_spot spot;
    if (!tw__lsp_find(server, params, &spot)) return no_document(error);
    const tw_index_symbol *s = tw__lsp_symbol(&spot, spot.symbol);
    const tw__lsp_text *text = &spot.document->text;
    json_t *list = json_array();
    const tw_index_use *u;
    if (s && s->file == spot.file)
        json_array_append_new(list, json_pack("{sosi}", "range",
                                              tw__lsp_range(text, s->at, s->at + s->length, server->utf8), "kind",
                                              WRITE));
    for (size_t i = 0; s && (u = tw_index_use_get(spot.index, i)); i++)
        if (u->symbol == spot.symbol && u->file == spot.file)
            json_array_append_new(list, json_pack("{sosi}", "range",
                                                  tw__lsp_range(text, u->at, u->at + u->length, server->utf8),
                                                  "kind", u->writes ? WRITE : READ));
    return list;
}

/* --- symbols ------------------------------------------------------------------------------------------------- */

/* SymbolKind, by tw_index_kind. */
static const int symbol_kinds[] = { 14, 13, 13, 13, 12, 12, 2, 23, 8, 22, 13 };

static bool is_shown(const tw_index_symbol *s)
{
    return s->parent == TW_INDEX_NONE || s->kind == TW_INDEX_FIELD || s->kind == TW_INDEX_ENUMERATOR;
}

json_t *tw__lsp_symbols(tw__lsp *server, const json_t *params, const char **error)
{
    tw__lsp_spot spot;
    if (!tw__lsp_find(server, params, &spot)) return no_document(error);
    const tw__lsp_text *text = &spot.document->text;
    json_t *list = json_array(), *last = NULL;
    uint32_t top = TW_INDEX_NONE;
    const tw_index_symbol *s;
    for (uint32_t i = 0; (s = tw__lsp_symbol(&spot, i)); i++) {
        if (s->file != spot.file || !is_shown(s)) continue;
        json_t *range = tw__lsp_range(text, s->first, s->end, server->utf8),
               *name = tw__lsp_range(text, s->at, s->at + s->length, server->utf8), *one;
        if (server->plain_symbols)
            one = json_pack("{sssis{ssso}}", "name", s->name, "kind", symbol_kinds[s->kind], "location", "uri",
                            spot.document->uri, "range", range);
        else
            one = json_pack("{sssssisoso}", "name", s->name, "detail", s->type, "kind", symbol_kinds[s->kind],
                            "range", range, "selectionRange", name);
        if (server->plain_symbols) json_decref(name);
        if (s->parent != TW_INDEX_NONE && s->parent == top && last && !server->plain_symbols) {
            if (!json_object_get(last, "children")) json_object_set_new(last, "children", json_array());
            json_array_append_new(json_object_get(last, "children"), one);
            continue;
        }
        json_array_append_new(list, one);
        if (s->parent == TW_INDEX_NONE) last = one, top = i;
    }
    return list;
}

json_t *tw__lsp_workspace_symbols(tw__lsp *server, const json_t *params, const char **error)
{
    const char *query = json_string_value(json_object_get(params, "query"));
    if (!query) return *error = "query: a text is needed", NULL;
    g_autofree char *wanted = g_ascii_strdown(query, -1);
    json_t *list = json_array();
    for (guint p = 0; p < server->programs->len; p++) {
        tw__lsp_program *program = server->programs->pdata[p];
        tw__lsp_document any = { .language = program->language };
        tw__lsp_update(server, program);
        const tw__lsp_spot spot = {
            .server = server, .document = &any, .program = program, .index = program->index
        };
        const tw_index_symbol *s;
        for (uint32_t i = 0; (s = tw__lsp_symbol(&spot, i)); i++) {
            g_autofree char *name = g_ascii_strdown(s->name, -1);
            const char *file = tw_index_file(spot.index, s->file);
            if (!is_shown(s) || !strstr(name, wanted) || file[0] == '<') continue;
            json_t *location = tw__lsp_location(&spot, s->file, s->at, s->length);
            if (location)
                json_array_append_new(list, json_pack("{sssiso}", "name", s->name, "kind", symbol_kinds[s->kind],
                                                      "location", location));
        }
    }
    return list;
}

/* --- another name -------------------------------------------------------------------------------------------- */

static const char *not_renamed(const tw__lsp_spot *spot)
{
    const tw_index_symbol *s = tw__lsp_symbol(spot, spot->symbol);
    if (!s) return "there is no name here that this program defines";
    if (tw_index_file(spot->index, s->file)[0] == '<') return "this belongs to a library";
    if (s->bound_elsewhere)
        return "this param also gets its value from a struct whose fields are not followed: they would keep the "
               "old name";
    return NULL;
}

json_t *tw__lsp_prepare_rename(tw__lsp *server, const json_t *params, const char **error)
{
    tw__lsp_spot spot;
    if (!tw__lsp_find(server, params, &spot)) return no_document(error);
    if ((*error = not_renamed(&spot))) return NULL;
    const tw_index_symbol *s = tw__lsp_symbol(&spot, spot.symbol);
    size_t from = spot.use ? spot.use->at : s->at, until = from + (spot.use ? spot.use->length : s->length);
    return json_pack("{soss}", "range", tw__lsp_range(&spot.document->text, from, until, server->utf8),
                     "placeholder", s->name);
}

/* Would the new name mean something else, or hide it, where the old one stands? */
static bool clashes(const tw__lsp_spot *spot, const char *name)
{
    const tw_index_symbol *s = tw__lsp_symbol(spot, spot->symbol), *other;
    for (uint32_t i = 0; (other = tw__lsp_symbol(spot, i)); i++) {
        if (other->file != s->file || strcmp(other->name, name)) continue;
        bool parts = s->kind == TW_INDEX_FIELD || s->kind == TW_INDEX_ENUMERATOR;
        if (parts ? other->parent == s->parent : other->from < s->until && s->from < other->until) return true;
    }
    return false;
}

static void add_edit(json_t *changes, const json_t *location, const char *text)
{
    const char *uri = json_string_value(json_object_get(location, "uri"));
    json_t *list = json_object_get(changes, uri);
    if (!list) json_object_set_new(changes, uri, list = json_array());
    json_array_append_new(list, json_pack("{sOss}", "range", json_object_get(location, "range"), "newText", text));
}

json_t *tw__lsp_rename(tw__lsp *server, const json_t *params, const char **error)
{
    tw__lsp_spot spot;
    const char *name = json_string_value(json_object_get(params, "newName"));
    if (!tw__lsp_find(server, params, &spot)) return no_document(error);
    if ((*error = not_renamed(&spot))) return NULL;
    if (!name || !spot.document->language->is_name(name)) return *error = "nothing can have this name", NULL;
    if (clashes(&spot, name)) return *error = "something else has this name here", NULL;
    const tw_index_symbol *s = tw__lsp_symbol(&spot, spot.symbol);
    json_t *changes = json_object(), *location = tw__lsp_location(&spot, s->file, s->at, s->length);
    const tw_index_use *u;
    if (location) add_edit(changes, location, name);
    json_decref(location);
    for (size_t i = 0; (u = tw_index_use_get(spot.index, i)); i++) {
        if (u->symbol != spot.symbol) continue;
        location = tw__lsp_location(&spot, u->file, u->at, u->length);
        if (location) add_edit(changes, location, name);
        json_decref(location);
    }
    return json_pack("{so}", "changes", changes);
}

/* --- inlay types, formatting --------------------------------------------------------------------------------- */

json_t *tw__lsp_inlay(tw__lsp *server, const json_t *params, const char **error)
{
    tw__lsp_spot spot;
    if (!tw__lsp_find(server, params, &spot)) return no_document(error);
    const tw__lsp_text *text = &spot.document->text;
    const json_t *range = json_object_get(params, "range");
    size_t from = tw__lsp_offset(text, json_object_get(range, "start"), server->utf8),
           until = tw__lsp_offset(text, json_object_get(range, "end"), server->utf8);
    json_t *list = json_array();
    const tw_index_symbol *s;
    for (uint32_t i = 0; (s = tw__lsp_symbol(&spot, i)); i++) {
        if (s->file != spot.file || !s->inferred || !*s->type || s->kind > TW_INDEX_ARGUMENT) continue;
        size_t at = s->at + s->length;
        if (at < from || at > until) continue;
        g_autofree char *label = g_strdup_printf(": %s", s->type);
        json_array_append_new(list, json_pack("{sosssi}", "position", tw__lsp_position(text, at, server->utf8),
                                              "label", label, "kind", 1));
    }
    return list;
}

/* With the ends of lines that the document has: CR LF where its first line ends so; compilers see no lone CR. */
static char *with_line_ends(const tw__lsp_text *text, char *printed)
{
    const char *end = memchr(text->bytes, '\n', text->size);
    GString *lines = g_string_new(printed);
    free(printed);
    g_string_replace(lines, "\r\n", "\n", 0);
    if (end && end > text->bytes && end[-1] == '\r') g_string_replace(lines, "\n", "\r\n", 0);
    return g_string_free(lines, FALSE);
}

json_t *tw__lsp_formatting(tw__lsp *server, const json_t *params, const char **error)
{
    tw__lsp_spot spot;
    if (!tw__lsp_find(server, params, &spot)) return no_document(error);
    const tw__lsp_text *text = &spot.document->text;
    char *(*format)(const char *, size_t) = spot.document->language->format;
    if (!format) return json_null();
    char *printed = format(text->bytes, text->size);
    if (!printed) return *error = "a text with errors is not formatted", NULL;
    printed = with_line_ends(text, printed);
    bool same = strlen(printed) == text->size && !memcmp(printed, text->bytes, text->size);
    json_t *edits = json_array();
    if (!same)
        json_array_append_new(edits, json_pack("{soss}", "range", tw__lsp_range(text, 0, text->size, server->utf8),
                                               "newText", printed));
    g_free(printed);
    return edits;
}

/* Of ours: the top file of the program that a document is of, and its options, for commands that run it. */
json_t *tw__lsp_program_of(tw__lsp *server, const json_t *params, const char **error)
{
    tw__lsp_spot spot;
    if (!tw__lsp_find(server, params, &spot)) return no_document(error);
    const tw__lsp_language *language = spot.document->language;
    g_auto(GStrv) words = language->options ? language->options(server, spot.program->root) : NULL;
    json_t *options = json_array();
    for (char **word = words; word && *word; word++) {
        g_autofree char *valid = g_utf8_make_valid(*word, -1);
        json_array_append_new(options, json_string(valid));
    }
    g_autofree char *uri = tw__lsp_uri_of(spot.program->root);
    return json_pack("{ssso}", "uri", uri, "options", options);
}
