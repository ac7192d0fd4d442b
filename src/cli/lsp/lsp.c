/* SPDX-License-Identifier: MIT */
/* `tilewright lsp`: a server of the Language Server Protocol 3.17 on the standard streams. One message after the
 * other; analysis is done when none waits, and ends when one comes. */
#include "cli/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- answers ------------------------------------------------------------------------------------------------- */

static json_t *id_of(const json_t *message)
{
    json_t *id = json_object_get(message, "id");
    return id ? json_incref(id) : json_null();
}

static void answer_error(const json_t *message, int code, const char *text)
{
    tw__messages_send(STDOUT_FILENO, json_pack("{sssos{siss}}", "jsonrpc", "2.0", "id", id_of(message), "error",
                                               "code", code, "message", text));
}

static void answer(const json_t *message, json_t *result)
{
    tw__messages_send(STDOUT_FILENO,
                      json_pack("{sssoso}", "jsonrpc", "2.0", "id", id_of(message), "result", result));
}

/* --- life ---------------------------------------------------------------------------------------------------- */

static const json_t *client_option(const json_t *params, const char *const *path)
{
    const json_t *at = json_object_get(params, "capabilities");
    for (; *path; path++) at = json_object_get(at, *path);
    return at;
}
#define CLIENT(params, ...) client_option(params, (const char *const[]){ __VA_ARGS__, NULL })

static bool has_text(const json_t *list, const char *text)
{
    size_t i;
    const json_t *one;
    json_array_foreach(list, i, one) if (json_is_string(one) && !strcmp(json_string_value(one), text)) return true;
    return false;
}

static void take_settings(tw__lsp *server, const json_t *given)
{
    const json_t *own = json_object_get(given, "tilewright");
    if (json_is_object(own)) given = own;
    if (!json_is_object(given)) return;
    json_decref(server->settings);
    server->settings = json_deep_copy(given);
}

static void add_folder(tw__lsp *server, const char *uri)
{
    if (uri) g_ptr_array_add(server->folders, tw__lsp_path_of(uri));
}

static json_t *initialize(tw__lsp *server, const json_t *params, const char **error)
{
    (void)error;
    const json_t *folders = json_object_get(params, "workspaceFolders"), *one;
    size_t i;
    json_array_foreach(folders, i, one) add_folder(server, json_string_value(json_object_get(one, "uri")));
    if (!server->folders->len) add_folder(server, json_string_value(json_object_get(params, "rootUri")));
    take_settings(server, json_object_get(params, "initializationOptions"));
    server->utf8 = has_text(CLIENT(params, "general", "positionEncodings"), "utf-8");
    server->snippets =
        json_is_true(CLIENT(params, "textDocument", "completion", "completionItem", "snippetSupport"));
    server->markdown = has_text(CLIENT(params, "textDocument", "hover", "contentFormat"), "markdown");
    server->plain_symbols =
        !json_is_true(CLIENT(params, "textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"));
    server->state = TW__LSP_READY;
    json_t *can = json_pack("{sss{sbsis{sb}}}", "positionEncoding", server->utf8 ? "utf-8" : "utf-16",
                            "textDocumentSync", "openClose", 1, "change", 2, "save", "includeText", 0);
    static const char *const plain[] = { "hoverProvider",          "definitionProvider",
                                         "referencesProvider",     "documentHighlightProvider",
                                         "documentSymbolProvider", "workspaceSymbolProvider",
                                         "inlayHintProvider",      "documentFormattingProvider" };
    for (i = 0; i < G_N_ELEMENTS(plain); i++) json_object_set_new(can, plain[i], json_true());
    json_object_set_new(can, "renameProvider", json_pack("{sb}", "prepareProvider", 1));
    json_object_set_new(can, "completionProvider",
                        json_pack("{s[sssss]}", "triggerCharacters", "@", ".", "\"", "<", "$"));
    json_object_set_new(can, "signatureHelpProvider", json_pack("{s[ss]}", "triggerCharacters", "(", ","));
    json_object_set_new(can, "workspace",
                        json_pack("{s{sbsb}}", "workspaceFolders", "supported", 1, "changeNotifications", 1));
    return json_pack("{sos{ssss}}", "capabilities", can, "serverInfo", "name", "tilewright", "version",
                     tw_version());
}

static json_t *shut_down(tw__lsp *server, const json_t *params, const char **error)
{
    (void)params;
    (void)error;
    server->state = TW__LSP_SHUT_DOWN;
    return json_null();
}

/* --- documents ----------------------------------------------------------------------------------------------- */

static void free_document(gpointer given)
{
    tw__lsp_document *d = given;
    tw__lsp_text_clear(&d->text);
    tw_index_free(d->outline);
    g_free(d->uri);
    g_free(d->path);
    g_free(d);
}

static tw__lsp_document *find_document(tw__lsp *server, const json_t *params)
{
    const char *uri = json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));
    g_autofree char *path = uri ? tw__lsp_path_of(uri) : NULL;
    return path ? g_hash_table_lookup(server->documents, path) : NULL;
}

static void changed(tw__lsp *server, tw__lsp_document *d)
{
    tw_index_free(d->outline);
    d->outline = NULL;
    d->program->state = TW__LSP_STALE;
    tw__lsp_touch(server, d->path);
}

/* Something may have another place now: a layout that was written, settings. */
static void attach_again(tw__lsp *server)
{
    GHashTableIter each;
    gpointer found;
    g_hash_table_iter_init(&each, server->documents);
    while (g_hash_table_iter_next(&each, NULL, &found)) {
        tw__lsp_document *d = found;
        tw__lsp_attach(server, d);
        changed(server, d);
    }
    tw__lsp_prune(server);
}

static void did_open(tw__lsp *server, const json_t *params)
{
    const json_t *item = json_object_get(params, "textDocument"), *text = json_object_get(item, "text");
    const char *uri = json_string_value(json_object_get(item, "uri")),
               *id = json_string_value(json_object_get(item, "languageId"));
    if (!uri || !json_is_string(text)) return;
    g_autofree char *path = tw__lsp_path_of(uri);
    const tw__lsp_language *language = tw__lsp_language_of(id, path);
    if (!language || g_hash_table_contains(server->documents, path)) return;
    tw__lsp_document *d = g_new0(tw__lsp_document, 1);
    *d = (tw__lsp_document){ .uri = g_strdup(uri),
                             .path = g_strdup(path),
                             .language = language,
                             .version = json_integer_value(json_object_get(item, "version")) };
    tw__lsp_text_set(&d->text, g_memdup2(json_string_value(text), json_string_length(text) + 1),
                     json_string_length(text));
    g_hash_table_insert(server->documents, d->path, d);
    attach_again(server); /* it may be the layout of others */
}

static void did_change(tw__lsp *server, const json_t *params)
{
    tw__lsp_document *d = find_document(server, params);
    const json_t *changes = json_object_get(params, "contentChanges"), *one;
    size_t i;
    if (!d) return;
    json_array_foreach(changes, i, one) tw__lsp_change(&d->text, one, server->utf8);
    d->version = json_integer_value(json_object_get(json_object_get(params, "textDocument"), "version"));
    changed(server, d);
}

static void did_close(tw__lsp *server, const json_t *params)
{
    tw__lsp_document *d = find_document(server, params);
    if (!d) return;
    tw__lsp_touch(server, d->path);
    g_hash_table_remove(server->documents, d->path); /* and it is freed */
    tw__lsp_prune(server);
}

static void did_save(tw__lsp *server, const json_t *params)
{
    (void)params;
    attach_again(server);
}

static void did_configure(tw__lsp *server, const json_t *params)
{
    take_settings(server, json_object_get(params, "settings"));
    attach_again(server);
}

static void did_change_folders(tw__lsp *server, const json_t *params)
{
    const json_t *event = json_object_get(params, "event"), *one;
    size_t i;
    json_array_foreach(json_object_get(event, "removed"), i, one)
    {
        const char *uri = json_string_value(json_object_get(one, "uri"));
        g_autofree char *path = uri ? tw__lsp_path_of(uri) : NULL;
        for (guint k = server->folders->len; path && k-- > 0;)
            if (!strcmp(server->folders->pdata[k], path)) g_ptr_array_remove_index(server->folders, k);
    }
    json_array_foreach(json_object_get(event, "added"), i, one)
        add_folder(server, json_string_value(json_object_get(one, "uri")));
    attach_again(server);
}

static void did_exit(tw__lsp *server, const json_t *params)
{
    (void)params;
    server->stream.ended = true;
}

static void nothing(tw__lsp *server, const json_t *params)
{
    (void)server;
    (void)params;
}

/* --- messages ------------------------------------------------------------------------------------------------ */

static const struct {
    const char *method;
    tw__lsp_request *answer;
} requests[] = {
    { "initialize", initialize },
    { "shutdown", shut_down },
    { "textDocument/hover", tw__lsp_hover },
    { "textDocument/definition", tw__lsp_definition },
    { "textDocument/references", tw__lsp_references },
    { "textDocument/documentHighlight", tw__lsp_highlight },
    { "textDocument/documentSymbol", tw__lsp_symbols },
    { "workspace/symbol", tw__lsp_workspace_symbols },
    { "textDocument/prepareRename", tw__lsp_prepare_rename },
    { "textDocument/rename", tw__lsp_rename },
    { "textDocument/completion", tw__lsp_completion },
    { "textDocument/signatureHelp", tw__lsp_signature },
    { "textDocument/inlayHint", tw__lsp_inlay },
    { "textDocument/formatting", tw__lsp_formatting },
    { "tilewright/program", tw__lsp_program_of },
};
static const struct {
    const char *method;
    void (*take)(tw__lsp *server, const json_t *params);
} notifications[] = {
    { "initialized", nothing },
    { "exit", did_exit },
    { "textDocument/didOpen", did_open },
    { "textDocument/didChange", did_change },
    { "textDocument/didClose", did_close },
    { "textDocument/didSave", did_save },
    { "workspace/didChangeConfiguration", did_configure },
    { "workspace/didChangeWorkspaceFolders", did_change_folders },
    { "workspace/didChangeWatchedFiles", did_save },
};

/* Has a $/cancelRequest for it come already? */
static bool is_cancelled(const tw__lsp *server, const json_t *id)
{
    for (GList *m = server->stream.list->head; m; m = m->next) {
        const char *method = json_string_value(json_object_get(m->data, "method"));
        if (method && !strcmp(method, "$/cancelRequest") &&
            json_equal(json_object_get(json_object_get(m->data, "params"), "id"), id))
            return true;
    }
    return false;
}

static void take_request(tw__lsp *server, const json_t *message, const char *method)
{
    const json_t *params = json_object_get(message, "params");
    bool first = !strcmp(method, "initialize");
    const char *error = NULL;
    size_t i = 0;
    while (i < G_N_ELEMENTS(requests) && strcmp(requests[i].method, method)) i++;
    if (server->state == TW__LSP_NEW && !first)
        return answer_error(message, TW__LSP_NOT_INITIALIZED, "initialize comes first");
    if (server->state == TW__LSP_SHUT_DOWN)
        return answer_error(message, TW__LSP_INVALID, "the server is shut down");
    if (server->state == TW__LSP_READY && first)
        return answer_error(message, TW__LSP_INVALID, "initialize came already");
    if (i == G_N_ELEMENTS(requests)) return answer_error(message, TW__LSP_METHOD, "there is no such method");
    if (params && !json_is_object(params) && !json_is_null(params) && requests[i].answer != shut_down)
        return answer_error(message, TW__LSP_PARAMS, "params: an object is needed");
    if (is_cancelled(server, json_object_get(message, "id")))
        return answer_error(message, TW__LSP_CANCELLED, "cancelled");
    json_t *result = requests[i].answer(server, params, &error);
    if (result)
        answer(message, result);
    else
        answer_error(message, strstr(method, "ename") || strstr(method, "format") ? TW__LSP_FAILED : TW__LSP_PARAMS,
                     error ? error : "not possible");
}

static void take_message(tw__lsp *server, const json_t *message)
{
    const char *method = json_string_value(json_object_get(message, "method"));
    const json_t *id = json_object_get(message, "id");
    if (!message)
        return answer_error(NULL, TW__LSP_PARSE, "this is no message: Content-Length and as much JSON is needed");
    if (!method && json_is_object(message) &&
        (json_object_get(message, "result") || json_object_get(message, "error")))
        return; /* an answer: nothing was asked */
    if (!method || (id && !json_is_string(id) && !json_is_integer(id)))
        return answer_error(json_is_object(message) ? message : NULL, TW__LSP_INVALID,
                            "a method and an id are needed");
    if (id) return take_request(server, message, method);
    if (server->state != TW__LSP_READY && strcmp(method, "exit") != 0) return;
    for (size_t i = 0; i < G_N_ELEMENTS(notifications); i++)
        if (!strcmp(notifications[i].method, method))
            notifications[i].take(server, json_object_get(message, "params"));
}

static int serve(void)
{
    tw__lsp server = { .folders = g_ptr_array_new_with_free_func(g_free),
                       .settings = json_object(),
                       .documents = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_document),
                       .programs = g_ptr_array_new_with_free_func(tw__lsp_program_free) };
    tw__messages_open(&server.stream);
    for (;;) {
        tw__messages_receive(&server.stream, false);
        if (!g_queue_is_empty(server.stream.list)) {
            json_t *message = g_queue_pop_head(server.stream.list);
            take_message(&server, message);
            json_decref(message);
        } else if (server.stream.ended) {
            break;
        } else if (!tw__lsp_work(&server)) {
            tw__messages_receive(&server.stream, true);
        }
    }
    bool good = server.state == TW__LSP_SHUT_DOWN;
    tw__messages_close(&server.stream);
    g_ptr_array_free(server.programs, TRUE);
    g_hash_table_destroy(server.documents);
    g_ptr_array_free(server.folders, TRUE);
    json_decref(server.settings);
    return good ? TW__EXIT_OK : TW__EXIT_FAILURE;
}

static const tw__cli_option lsp_rows[] = {
    { "--stdio", .help = "the standard streams, as without it" },
};

static int lsp(int argc, char **argv)
{
    bool stdio = false; /* what some editors add to every server's command */
    int result = tw__cli_parse(&tw__command_lsp, &stdio, &argc, argv);
    if (result != TW__EXIT_OK) return result;
    if (argc > 1)
        return tw__cli_usage_error("lsp", "'%s': an editor starts it, and names files by messages", argv[1]);
    return serve();
}

const tw__command tw__command_lsp = {
    .name = "lsp",
    .arguments = "[--stdio]",
    .summary = "help editors with CSL, PTO-AS and IPU assembly: a language server",
    .help = "Speaks the Language Server Protocol on the standard streams: messages as one types, types and values, "
            "definitions,\n"
            "uses, symbols, other names, completion, arguments, formatting. docs/editors.md says how editors start "
            "it.\n",
    .example = "tilewright lsp </dev/null || echo the editor went away without a word",
    .options = TW__CLI_ROWS(lsp_rows),
    .words = "",
    .files = "",
    .main = lsp,
};
