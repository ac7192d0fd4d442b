/* SPDX-License-Identifier: MIT */
/* lsp_query: what stands at a position, and what of it people are told. */
#include "cli/lsp/lsp.h"
#include "cli/csl/csl.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/csl.h>

bool tw__lsp_is_name_byte(const tw__lsp_language *language, char c)
{
    return g_ascii_isalnum(c) || c == '_' || (c && strchr(language->name_bytes, c));
}

static uint32_t file_number(const tw_index *index, const char *path)
{
    const char *name;
    for (uint32_t i = 0; (name = tw_index_file(index, i)); i++) {
        g_autofree char *whole = g_path_is_absolute(name) ? g_canonicalize_filename(name, "/") : g_strdup(name);
        if (!strcmp(whole, path)) return i;
    }
    return TW_INDEX_NONE;
}

const tw_index_symbol *tw__lsp_symbol(const tw__lsp_spot *spot, uint32_t symbol)
{
    return tw_index_symbol_get(spot->index, symbol);
}

/* The word around the position, and what the index says of it. */
static void find_word_at(tw__lsp_spot *spot)
{
    const tw__lsp_text *text = &spot->document->text;
    const tw__lsp_language *language = spot->document->language;
    size_t from = spot->offset, until = spot->offset;
    while (from > 0 && tw__lsp_is_name_byte(language, text->bytes[from - 1])) from--;
    while (until < text->size && tw__lsp_is_name_byte(language, text->bytes[until])) until++;
    spot->from = from;
    spot->until = until;
    const tw_index_symbol *s;
    const tw_index_use *u;
    for (uint32_t i = 0; (s = tw__lsp_symbol(spot, i)); i++)
        if (s->file == spot->file && spot->offset >= s->at && spot->offset <= s->at + s->length) spot->symbol = i;
    for (size_t i = 0; (u = tw_index_use_get(spot->index, i)); i++) {
        if (u->file != spot->file || spot->offset < u->at || spot->offset > u->at + u->length) continue;
        if (spot->symbol != TW_INDEX_NONE && u->symbol != spot->symbol) continue; /* a+b: the end of one name */
        spot->use = u;
        spot->symbol = u->symbol;
    }
}

bool tw__lsp_find(tw__lsp *server, const json_t *params, tw__lsp_spot *spot)
{
    const char *uri = json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));
    g_autofree char *path = uri ? tw__lsp_path_of(uri) : NULL;
    tw__lsp_document *d = path ? g_hash_table_lookup(server->documents, path) : NULL;
    if (!d) return false;
    *spot = (tw__lsp_spot){ .server = server, .document = d, .program = d->program, .symbol = TW_INDEX_NONE };
    tw__lsp_update(server, d->program);
    spot->index = d->program->index;
    spot->file = file_number(spot->index, d->path);
    if (spot->file == TW_INDEX_NONE && d->language->outline) {
        if (!d->outline) d->outline = d->language->outline(server, d->path, NULL);
        spot->index = d->outline;
        spot->file = file_number(spot->index, d->path);
    }
    const json_t *position = json_object_get(params, "position");
    if (!position) return true;
    if (!json_is_object(position)) return false;
    spot->offset = tw__lsp_offset(&d->text, position, server->utf8);
    find_word_at(spot);
    return true;
}

uint32_t tw__lsp_look_up(const tw_index *index, uint32_t file, size_t offset, const char *name, size_t length)
{
    uint32_t best = TW_INDEX_NONE;
    const tw_index_symbol *s, *inner = NULL;
    for (uint32_t i = 0; (s = tw_index_symbol_get(index, i)); i++) {
        if (s->file != file || strlen(s->name) != length || memcmp(s->name, name, length) != 0) continue;
        if (offset < s->from || offset >= s->until || (inner && s->from < inner->from)) continue;
        inner = s;
        best = i;
    }
    return best;
}

static uint32_t part_called(const tw_index *index, const tw_index_symbol *whole, const char *name, size_t length)
{
    const tw_index_symbol *s;
    uint32_t file = TW_INDEX_NONE;
    const char *path;
    for (uint32_t i = 0; *whole->path && (path = tw_index_file(index, i)); i++)
        if (!strcmp(path, whole->path)) file = i;
    for (uint32_t i = 0; (s = tw_index_symbol_get(index, i)); i++) {
        bool is_part = whole->members != TW_INDEX_NONE && s->parent == whole->members;
        bool is_top = s->file == file && s->parent == TW_INDEX_NONE && s->from == 0;
        if ((is_part || is_top) && strlen(s->name) == length && !memcmp(s->name, name, length)) return i;
    }
    return TW_INDEX_NONE;
}

uint32_t tw__lsp_chain(const tw__lsp_spot *spot, size_t end, const tw_index **index)
{
    const char *bytes = spot->document->text.bytes;
    size_t from = end;
    while (from > 0 && tw__lsp_is_name_byte(spot->document->language, bytes[from - 1])) from--;
    if (from == end) return TW_INDEX_NONE;
    if (from == 0 || bytes[from - 1] != '.') {
        uint32_t found = tw__lsp_look_up(spot->index, spot->file, from, bytes + from, end - from);
        const tw_index_symbol *s = tw_index_symbol_get(spot->index, found), *k;
        *index = spot->index;
        if (!s || !spot->program->known || *s->type || *s->path) return found;
        /* the text has errors now: what was known of a symbol of this name, in a function of this name */
        const tw_index_symbol *outer = tw_index_symbol_get(spot->index, s->parent);
        uint32_t file = file_number(spot->program->known, spot->document->path);
        for (uint32_t i = 0; (k = tw_index_symbol_get(spot->program->known, i)); i++) {
            const tw_index_symbol *around = tw_index_symbol_get(spot->program->known, k->parent);
            if (k->file != file || strcmp(k->name, s->name) || !around != !outer) continue;
            if (outer && strcmp(around->name, outer->name)) continue;
            *index = spot->program->known;
            return i;
        }
        return found;
    }
    uint32_t of = tw__lsp_chain(spot, from - 1, index);
    const tw_index_symbol *whole = of == TW_INDEX_NONE ? NULL : tw_index_symbol_get(*index, of);
    return whole ? part_called(*index, whole, bytes + from, end - from) : TW_INDEX_NONE;
}

static char *path_of_file(const tw_index *index, uint32_t file)
{
    const char *name = tw_index_file(index, file);
    if (!name) return NULL;
    return name[0] == '<'             ? tw__csl_library_file(name)
           : g_path_is_absolute(name) ? g_canonicalize_filename(name, "/")
                                      : g_strdup(name);
}

bool tw__lsp_load(tw__lsp *server, const tw_index *index, uint32_t file, tw__lsp_text *out)
{
    const char *name = tw_index_file(index, file);
    size_t size = 0;
    *out = (tw__lsp_text){ .bytes = NULL };
    if (!name) return false;
    char *text = NULL;
    if (name[0] == '<') {
        g_autofree char *bare = g_strndup(name + 1, strlen(name) - 2);
        text = strdup(tw_csl_library_text(bare) ? tw_csl_library_text(bare) : "");
        size = text ? strlen(text) : 0;
    } else if (!(text = tw__lsp_open(server, name, &size))) {
        text = tw_read_file(name, TW_SOURCE_LIMIT, &size);
    }
    if (!text) return false;
    char *copy = g_malloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = 0;
    free(text);
    tw__lsp_text_set(out, copy, size);
    return true;
}

json_t *tw__lsp_location(const tw__lsp_spot *spot, uint32_t file, uint32_t at, uint32_t length)
{
    tw__lsp_text text;
    g_autofree char *path = path_of_file(spot->index, file);
    if (!path || !tw__lsp_load(spot->server, spot->index, file, &text)) return NULL;
    bool utf8 = spot->server->utf8;
    tw__lsp_document *d = g_hash_table_lookup(spot->server->documents, path);
    g_autofree char *uri = d ? g_strdup(d->uri) : tw__lsp_uri_of(path);
    json_t *location = json_pack("{ssso}", "uri", uri, "range", tw__lsp_range(&text, at, at + length, utf8));
    tw__lsp_text_clear(&text);
    return location;
}

/* --- what people read ---------------------------------------------------------------------------------------- */

char *tw__lsp_comment(const tw__lsp_spot *spot, const tw_index_symbol *symbol)
{
    tw__lsp_text text;
    const char *mark = spot->document->language->comment;
    if (!tw__lsp_load(spot->server, spot->index, symbol->file, &text)) return NULL;
    size_t line = 0;
    while (line + 1 < text.source_lines->len && g_array_index(text.source_lines, size_t, line + 1) <= symbol->first)
        line++;
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    while (line-- > 0) {
        size_t from = g_array_index(text.source_lines, size_t, line),
               until = g_array_index(text.source_lines, size_t, line + 1);
        g_autofree char *one = g_strndup(text.bytes + from, until - from);
        g_strstrip(one);
        if (!g_str_has_prefix(one, mark)) break;
        g_ptr_array_insert(lines, 0, g_strdup(g_strchug(one + strlen(mark))));
    }
    tw__lsp_text_clear(&text);
    if (!lines->len) return NULL;
    g_ptr_array_add(lines, NULL);
    return g_strjoinv("\n", (char **)lines->pdata);
}

char *tw__lsp_describe(const tw__lsp_spot *spot, const tw_index_symbol *s)
{
    static const char *const words[] = { "const ", "var ",   "param ", "", "fn ", "task ",
                                         "const ", "const ", "",       "", "" };
    bool callable = s->kind == TW_INDEX_FUNCTION || s->kind == TW_INDEX_TASK;
    if (spot->document->language != &tw__lsp_csl)
        return *s->type ? g_strdup_printf("%s : %s", s->name, s->type)
                        : g_strdup_printf("%s%s%s", s->name, *s->value ? " = " : "", s->value);
    if (callable) /* fn(x: u16) void: the name goes into it */
        return g_strdup_printf("%s%s%s", words[s->kind], s->name, s->type + strcspn(s->type, "("));
    if (s->kind == TW_INDEX_TYPE) return g_strdup_printf("const %s: type", s->name);
    if (s->kind == TW_INDEX_MODULE) return g_strdup_printf("const %s = @import_module(\"%s\")", s->name, s->path);
    return g_strdup_printf("%s%s%s%s%s%s", words[s->kind], s->name, *s->type ? ": " : "", s->type,
                           *s->value ? " = " : "", s->value);
}
