/* SPDX-License-Identifier: MIT */
/* lsp_programs: documents, the programs that they belong to, and the work of keeping what is known of them up to
 * date. A change makes its program stale; the next piece of work analyses it quickly, a later one completely, and
 * what comes in meanwhile ends either. */
#include "cli/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const tw__lsp_language *const lsp_languages[] = { &tw__lsp_csl, &tw__lsp_pto, &tw__lsp_asm };

const tw__lsp_language *tw__lsp_language_of(const char *id, const char *path)
{
    const char *suffix = strrchr(path, '.');
    g_autofree char *wanted = g_strdup_printf("|%s|", suffix ? suffix : "");
    for (size_t i = 0; i < G_N_ELEMENTS(lsp_languages); i++)
        if (strstr(lsp_languages[i]->suffixes, wanted)) return lsp_languages[i];
    for (size_t i = 0; id && i < G_N_ELEMENTS(lsp_languages); i++)
        if (!strcmp(lsp_languages[i]->id, id)) return lsp_languages[i];
    return NULL;
}

char *tw__lsp_open(void *user, const char *path, size_t *size)
{
    const tw__lsp *server = user;
    g_autofree char *whole = g_path_is_absolute(path) ? g_canonicalize_filename(path, "/") : g_strdup(path);
    const tw__lsp_document *d = g_hash_table_lookup(server->documents, whole);
    if (!d) return NULL;
    char *copy = malloc(d->text.size + 1);
    if (!copy) return NULL;
    memcpy(copy, d->text.bytes, d->text.size + 1);
    *size = d->text.size;
    return copy;
}

bool tw__lsp_has_news(void *user)
{
    tw__lsp *server = user;
    tw__messages_receive(&server->stream, false);
    server->stopped = server->stopped || !g_queue_is_empty(server->stream.list) || server->stream.ended;
    return server->stopped;
}

/* --- programs ------------------------------------------------------------------------------------------------ */

void tw__lsp_program_free(void *given)
{
    tw__lsp_program *p = given;
    if (p->known != p->index) tw_index_free(p->known);
    tw_index_free(p->index);
    g_hash_table_destroy(p->told);
    g_free(p->root);
    g_free(p);
}

static bool program_has(const tw__lsp_program *p, const char *path)
{
    const char *name;
    if (!strcmp(p->root, path)) return true;
    for (size_t i = 0; (name = tw_index_file(p->index, i)); i++) {
        g_autofree char *whole = g_path_is_absolute(name) ? g_canonicalize_filename(name, "/") : g_strdup(name);
        if (!strcmp(whole, path)) return true;
    }
    return false;
}

static tw__lsp_program *program_rooted(tw__lsp *server, const tw__lsp_language *language, const char *root)
{
    for (guint i = 0; i < server->programs->len; i++) {
        tw__lsp_program *p = server->programs->pdata[i];
        if (p->language == language && !strcmp(p->root, root)) return p;
    }
    tw__lsp_program *p = g_new0(tw__lsp_program, 1);
    *p = (tw__lsp_program){ .language = language,
                            .root = g_strdup(root),
                            .told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL) };
    g_ptr_array_add(server->programs, p);
    return p;
}

void tw__lsp_attach(tw__lsp *server, tw__lsp_document *d)
{
    g_autofree char *root = d->language->root ? d->language->root(server, d->path) : NULL;
    d->program = program_rooted(server, d->language, root ? root : d->path);
}

void tw__lsp_touch(tw__lsp *server, const char *path)
{
    for (guint i = 0; i < server->programs->len; i++) {
        tw__lsp_program *p = server->programs->pdata[i];
        if (program_has(p, path)) p->state = TW__LSP_STALE;
    }
}

/* --- diagnostics --------------------------------------------------------------------------------------------- */

static char *path_of_diag(const tw__lsp_program *p, const tw_diag *diag)
{
    if (!diag->file || !*diag->file || diag->file[0] == '<') return g_strdup(p->root);
    return g_path_is_absolute(diag->file) ? g_canonicalize_filename(diag->file, "/") : g_strdup(diag->file);
}

static bool text_of_path(tw__lsp *server, const char *path, tw__lsp_text *out)
{
    size_t size = 0;
    char *text = tw__lsp_open(server, path, &size);
    if (!text && g_path_is_absolute(path)) text = tw_read_file(path, TW_SOURCE_LIMIT, &size);
    *out = (tw__lsp_text){ .bytes = NULL };
    char *copy = g_malloc(size + 1);
    if (text) memcpy(copy, text, size);
    copy[text ? size : 0] = 0;
    tw__lsp_text_set(out, copy, text ? size : 0);
    bool good = text != NULL;
    free(text);
    return good;
}

static json_t *range_of_diag(const tw__lsp_text *text, const tw_diag *diag, bool utf8)
{
    size_t at = 0, length = 0;
    if (diag->line > 0 && (guint)diag->line <= text->source_lines->len) {
        size_t begin = g_array_index(text->source_lines, size_t, diag->line - 1);
        size_t end = (guint)diag->line < text->source_lines->len
                         ? g_array_index(text->source_lines, size_t, diag->line)
                         : text->size;
        at = begin + (size_t)(diag->column > 0 ? diag->column - 1 : 0);
        if (at > end) at = end;
        length = (size_t)diag->length;
    }
    return tw__lsp_range(text, at, at + length < text->size ? at + length : text->size, utf8);
}

static json_t *related(tw__lsp *server, const tw__lsp_program *p, const tw_diag *note)
{
    g_autofree char *path = path_of_diag(p, note), *uri = tw__lsp_uri_of(path);
    tw__lsp_text text;
    text_of_path(server, path, &text);
    json_t *one = json_pack("{s{ssso}ss}", "location", "uri", uri, "range",
                            range_of_diag(&text, note, server->utf8), "message", note->message);
    tw__lsp_text_clear(&text);
    return one;
}

/* Lists by path: what there is to say of each file. */
static json_t *diagnostics_by_path(tw__lsp *server, const tw__lsp_program *p, const tw_diags *diags)
{
    enum { ERROR = 1, WARNING = 2 };
    json_t *by_path = json_object(), *last = NULL;
    const tw_diag *diag;
    for (size_t i = 0; (diag = tw_diags_get(diags, i)); i++) {
        if (diag->severity == TW_NOTE) {
            if (!last || !diag->line) continue;
            json_t *list = json_object_get(last, "relatedInformation");
            if (!list) json_object_set_new(last, "relatedInformation", list = json_array());
            json_array_append_new(list, related(server, p, diag));
            continue;
        }
        g_autofree char *path = path_of_diag(p, diag);
        tw__lsp_text text;
        text_of_path(server, path, &text);
        last = json_pack("{sosissss}", "range", range_of_diag(&text, diag, server->utf8), "severity",
                         diag->severity == TW_ERROR ? ERROR : WARNING, "source", "tilewright", "message",
                         diag->message);
        if (diag->code && *diag->code) json_object_set_new(last, "code", json_string(diag->code));
        tw__lsp_text_clear(&text);
        if (!json_object_get(by_path, path)) json_object_set_new(by_path, path, json_array());
        json_array_append_new(json_object_get(by_path, path), last);
    }
    return by_path;
}

static void tell_path(tw__lsp *server, const char *path, json_t *list)
{
    const tw__lsp_document *d = g_hash_table_lookup(server->documents, path);
    g_autofree char *uri = d ? g_strdup(d->uri) : tw__lsp_uri_of(path);
    json_t *params = json_pack("{ssso}", "uri", uri, "diagnostics", list);
    if (d) json_object_set_new(params, "version", json_integer(d->version));
    tw__messages_send(STDOUT_FILENO, json_pack("{sssssO}", "jsonrpc", "2.0", "method",
                                               "textDocument/publishDiagnostics", "params", params));
    json_decref(params);
}

/* A file that is open under another program is that one's. */
static bool is_of_another(tw__lsp *server, const tw__lsp_program *p, const char *path)
{
    const tw__lsp_document *d = g_hash_table_lookup(server->documents, path);
    return d && d->program != p;
}

static void tell_diagnostics(tw__lsp *server, tw__lsp_program *p, const tw_diags *diags)
{
    json_t *by_path = diagnostics_by_path(server, p, diags), *list;
    GHashTableIter each;
    gpointer key;
    g_hash_table_iter_init(&each, p->told); /* what is gone */
    while (g_hash_table_iter_next(&each, &key, NULL))
        if (!json_object_get(by_path, key)) {
            if (!g_hash_table_contains(server->documents, key)) tell_path(server, key, json_array());
            g_hash_table_iter_remove(&each);
        }
    g_hash_table_iter_init(&each, server->documents); /* an open document is told of each time: it may have none */
    while (g_hash_table_iter_next(&each, &key, NULL))
        if (!is_of_another(server, p, key) && !json_object_get(by_path, key)) tell_path(server, key, json_array());
    const char *path;
    json_object_foreach(by_path, path, list)
    {
        if (is_of_another(server, p, path)) continue;
        tell_path(server, path, json_incref(list));
        g_hash_table_add(p->told, g_strdup(path));
    }
    json_decref(by_path);
}

/* --- work ---------------------------------------------------------------------------------------------------- */

/* True: it ran to its end. */
static bool analyse_program(tw__lsp *server, tw__lsp_program *p, bool quick, bool tell)
{
    tw_diags *diags = tw__cli_diags();
    server->stopped = false;
    tw_index *index = p->language->index(server, p, quick, tell, diags);
    if (index && !server->stopped) {
        if (p->known != p->index) tw_index_free(p->index);
        p->index = index;
        if (!tw_diags_count(diags, TW_ERROR) || !p->known) {
            if (p->known != p->index) tw_index_free(p->known);
            p->known = index;
        }
        p->state = quick ? TW__LSP_QUICK : TW__LSP_DONE;
        tell_diagnostics(server, p, diags);
    } else {
        tw_index_free(index);
    }
    tw_diags_free(diags);
    return index && !server->stopped;
}

bool tw__lsp_work(tw__lsp *server)
{
    for (int wanted = TW__LSP_STALE; wanted < TW__LSP_DONE; wanted++)
        for (guint i = 0; i < server->programs->len; i++) {
            tw__lsp_program *p = server->programs->pdata[i];
            if ((int)p->state != wanted) continue;
            if (!analyse_program(server, p, wanted == TW__LSP_STALE, true) && !server->stopped)
                p->state = TW__LSP_DONE; /* there was no memory for it */
            return true;
        }
    return false;
}

void tw__lsp_update(tw__lsp *server, tw__lsp_program *p)
{
    if (p->state == TW__LSP_STALE) analyse_program(server, p, true, false);
}

static bool has_documents(tw__lsp *server, const tw__lsp_program *p)
{
    GHashTableIter each;
    gpointer found;
    g_hash_table_iter_init(&each, server->documents);
    while (g_hash_table_iter_next(&each, NULL, &found))
        if (((tw__lsp_document *)found)->program == p) return true;
    return false;
}

void tw__lsp_prune(tw__lsp *server)
{
    for (guint i = server->programs->len; i-- > 0;) {
        tw__lsp_program *p = server->programs->pdata[i];
        GHashTableIter each;
        gpointer path;
        if (has_documents(server, p)) continue;
        g_hash_table_iter_init(&each, p->told);
        while (g_hash_table_iter_next(&each, &path, NULL))
            if (!is_of_another(server, p, path)) tell_path(server, path, json_array());
        g_ptr_array_remove_index(server->programs, i);
    }
}
