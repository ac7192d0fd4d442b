/* SPDX-License-Identifier: MIT */
/* Messages of the compiler as diagnostics of the user's file. */
#include "poplar/codelet/compile/compile.h"

#include <stdlib.h>
#include <string.h>

void tw__reporter_init(tw__reporter *reporter, const tw__source *source, tw_diags *diags)
{
    *reporter = (tw__reporter){ diags,
                                source,
                                g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                                g_string_new(NULL),
                                g_string_new(NULL),
                                0,
                                false };
}

void tw__reporter_clear(tw__reporter *reporter)
{
    g_hash_table_destroy(reporter->seen);
    g_string_free(reporter->first_error, TRUE);
    g_string_free(reporter->own, TRUE);
}

/* Line `line` of the user's text or of an included file; NULL when there is none. */
static char *source_line(const tw__reporter *reporter, const char *file, unsigned line)
{
    g_autofree char *contents = NULL;
    const char *at = reporter->source->text;
    if (strcmp(file, reporter->source->path) != 0) {
        if (!g_file_get_contents(file, &contents, NULL, NULL)) return NULL;
        at = contents;
    }
    for (unsigned i = 1; at && i < line; i++)
        if ((at = strchr(at, '\n'))) at++;
    return at && line ? g_strndup(at, strcspn(at, "\r\n")) : NULL;
}

/* Of the compiler itself, not of a file: "unknown target CPU", "invalid feature combination". */
static void add_own(tw__reporter *reporter, int severity, const char *message)
{
    TW__LOG(CODELETS, INFO, "%s: clang: %s", reporter->source->path, message);
    if (severity < 2 || strstr(reporter->own->str, message)) return;
    if (reporter->own->len) g_string_append(reporter->own, "; ");
    g_string_append(reporter->own, message);
}

void tw__report_own(tw__reporter *reporter)
{
    if (reporter->errors) return;
    const char *message = reporter->own->len ? reporter->own->str : "the compiler failed";
    reporter->errors++;
    g_string_printf(reporter->first_error, "%s: clang: %s", reporter->source->path, message);
    tw_diag out = { .file = "clang", .length = 1, .severity = TW_ERROR, .code = "popc.tool", .message = message };
    if (reporter->diags) tw_diags_add(reporter->diags, &out);
}

void tw__report(tw__reporter *reporter, const tw__scan_diag *diag)
{
    if (!*diag->file) {
        add_own(reporter, diag->severity, diag->message);
        return;
    }
    char *key = g_strdup_printf("%s:%u:%u:%s", diag->file, diag->line, diag->column, diag->message);
    if (!g_hash_table_add(reporter->seen, key)) return; /* once per instantiation is once too often */
    if (diag->severity == 2 && reporter->errors++ == 0) {
        if (diag->line)
            g_string_printf(reporter->first_error, "%s:%u:%u: %s", diag->file, diag->line, diag->column,
                            diag->message);
        else
            g_string_printf(reporter->first_error, "%s: %s", diag->file, diag->message);
        reporter->abroad = diag->line && strcmp(diag->file, reporter->source->path) != 0;
    } else if (diag->severity == 0 && reporter->abroad && strcmp(diag->file, reporter->source->path) == 0) {
        g_string_append_printf(reporter->first_error, "; %s:%u:%u: %s", diag->file, diag->line, diag->column,
                               diag->message);
        reporter->abroad = false;
    }
    if (!reporter->diags) return;
    static const tw_severity severities[] = { TW_NOTE, TW_WARNING, TW_ERROR };
    g_autofree char *line = source_line(reporter, diag->file, diag->line);
    tw_diag out = { .file = diag->file,
                    .line = (int)diag->line,
                    .column = (int)diag->column,
                    .length = (int)diag->length,
                    .severity = severities[diag->severity],
                    .code = diag->code,
                    .message = diag->message,
                    .source = line };
    tw_diags_add(reporter->diags, &out);
}

/* Digits up to `stop`, 0 when there are none; *at moves past it. */
static unsigned messages_number(const char **at, char stop)
{
    char *end;
    unsigned long value = strtoul(*at, &end, 10);
    if (end == *at || *end != stop) return 0;
    *at = end + 1;
    return (unsigned)value;
}

/* "file:line:col:{l:c-l:c}: error: text [-Wname]", as clang prints with -fdiagnostics-print-source-range-info. */
static bool parse_line(const char *line, char **file, tw__scan_diag *diag, char **message)
{
    static const char *const words[] = { "note: ", "warning: ", "error: ", "fatal error: " };
    static const int severities[] = { 0, 1, 2, 2 };
    const char *colon = NULL, *rest = line;
    for (const char *at = strchr(line, ':'); at; at = strchr(at + 1, ':')) {
        rest = at + 1;
        if ((diag->line = messages_number(&rest, ':')) && (diag->column = messages_number(&rest, ':'))) {
            colon = at;
            break;
        }
    }
    if (!colon) return false;
    diag->length = 1;
    while (*rest == '{') { /* ranges; the first one on this line sets the length */
        const char *at = rest + 1;
        unsigned l1 = messages_number(&at, ':'), c1 = messages_number(&at, '-'), l2 = messages_number(&at, ':'),
                 c2 = messages_number(&at, '}');
        if (c1 && l1 == l2 && l1 == diag->line && c2 > c1 && diag->length == 1) diag->length = c2 - c1;
        rest = strchr(rest, '}');
        if (!rest) return false;
        rest++;
    }
    rest += *rest == ':';
    rest += *rest == ' ';
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (!g_str_has_prefix(rest, words[i])) continue;
        diag->severity = severities[i];
        *file = g_strndup(line, (gsize)(colon - line));
        *message = g_strdup(rest + strlen(words[i]));
        return true;
    }
    return false;
}

void tw__report_text(tw__reporter *reporter, const char *messages)
{
    g_auto(GStrv) lines = g_strsplit(messages, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_autofree char *file = NULL, *message = NULL, *option = NULL;
        tw__scan_diag diag = { .code = "" };
        const char *general = strstr(*line, "error: "), *warning = strstr(*line, "warning: ");
        if (parse_line(*line, &file, &diag, &message)) {
            if (strncmp(file, "<popc>", 6) == 0) continue; /* the user's line was named by an error before it */
            char *bracket = strrchr(message, '[');
            if (bracket && bracket > message && g_str_has_prefix(bracket, "[-W") &&
                g_str_has_suffix(bracket, "]")) {
                option = g_strndup(bracket + 1, strlen(bracket) - 2);
                bracket[-1] = 0;
                diag.code = option;
            }
            diag.file = file, diag.message = message;
            tw__report(reporter, &diag);
        } else if (general &&
                   (general == *line || g_str_has_prefix(*line, "clang") || g_str_has_prefix(*line, "ld"))) {
            add_own(reporter, 2, general + strlen("error: "));
        } else if (warning && (warning == *line || g_str_has_prefix(*line, "clang"))) {
            add_own(reporter, 1, warning + strlen("warning: "));
        }
    }
}
