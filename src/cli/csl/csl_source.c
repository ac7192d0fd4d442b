/* SPDX-License-Identifier: MIT */
/* `tilewright csl debug`: lines of sources, as far as their files are found. */
#include "cli/csl/csl_debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a file by the name in the program, there or in one of the folders that were named, or of a library of the
 * language; NULL = not to be read. */
static char **read_lines(const debugger *d, const char *file)
{
    if (*file == '<' && g_str_has_suffix(file, ">")) {
        g_autofree char *bare = g_strndup(file + 1, strlen(file) - 2);
        const char *text = tw_csl_library_text(bare);
        return text ? g_strsplit(text, "\n", -1) : NULL;
    }
    char *bytes = tw_read_file(file, TW_SOURCE_LIMIT, NULL);
    g_autofree char *base = g_path_get_basename(file);
    for (guint i = 0; i < d->folders->len && !bytes; i++) {
        g_autofree char *whole = g_build_filename(d->folders->pdata[i], file, NULL);
        g_autofree char *short_name = g_build_filename(d->folders->pdata[i], base, NULL);
        if (!(bytes = tw_read_file(whole, TW_SOURCE_LIMIT, NULL)))
            bytes = tw_read_file(short_name, TW_SOURCE_LIMIT, NULL);
    }
    char **lines = bytes ? g_strsplit(bytes, "\n", -1) : NULL;
    free(bytes);
    return lines;
}

char *tw__csl_library_file(const char *name)
{
    if (*name != '<' || !g_str_has_suffix(name, ">")) return NULL;
    g_autofree char *bare = g_strndup(name + 1, strlen(name) - 2);
    const char *text = tw_csl_library_text(bare), *cache = tw_cache_dir();
    if (!text || !cache) return NULL;
    g_autofree char *path = g_strdup_printf("%s/csl-%s/%s.csl", cache, tw_version(), bare);
    g_autofree char *folder = g_path_get_dirname(path);
    if (g_mkdir_with_parents(folder, 0700) != 0 || tw_write_file(path, text, strlen(text), NULL, 0) != TW_OK)
        return NULL;
    return g_steal_pointer(&path);
}

static char **lines_of(debugger *d, const char *file)
{
    gpointer lines;
    if (g_hash_table_lookup_extended(d->sources, file, NULL, &lines)) return lines;
    lines = *file ? read_lines(d, file) : NULL;
    g_hash_table_insert(d->sources, g_strdup(file), lines);
    return lines;
}

const char *tw__csl_source_line(debugger *d, const char *file, unsigned line)
{
    char **lines = line ? lines_of(d, file) : NULL;
    for (unsigned k = 1; lines && *lines; lines++, k++)
        if (k == line) return lines[1] || **lines ? *lines : NULL;
    return NULL;
}

void tw__csl_directory(debugger *d, char *args)
{
    if (!*args) {
        complain(d, "directory FOLDER");
        return;
    }
    g_ptr_array_add(d->folders, g_strdup(args));
    g_hash_table_remove_all(d->sources);
}

/* File and line that "list" is to begin around; false after a message. */
static bool list_around(debugger *d, const char *args)
{
    tw_wse_frame f;
    tw_wse_code code;
    char *end;
    unsigned long line = g_ascii_isdigit(*args) ? strtoul(args, &end, 10) : 0;
    bool is_line = g_ascii_isdigit(*args) && !*end;
    if (is_line && d->list_file) { /* of the file that is listed */
        d->list_line = (unsigned)line;
        return true;
    }
    if (*args && !is_line) {
        if (tw_wse_find_code(d->w, args, &code, 1) == 0) {
            complain(d, "%s.", tw_error_message());
            return false;
        }
    } else if (tw_wse_get_frame(d->w, d->x, d->y, d->frame, &f)) {
        code = f.code;
    } else {
        complain(d, "PE %u,%u is in no task: list LOCATION", d->x, d->y);
        return false;
    }
    g_free(d->list_file);
    d->list_file = g_strdup(code.file);
    d->list_line = is_line ? (unsigned)line : code.line;
    return true;
}

void tw__csl_list(debugger *d, char *args)
{
    enum { LISTED = 10 };
    if (*args || !d->list_file) {
        if (!list_around(d, args)) return;
        d->list_line = d->list_line > LISTED / 2 ? d->list_line - LISTED / 2 : 1;
    }
    const char *text;
    unsigned shown = 0;
    for (; shown < LISTED && (text = tw__csl_source_line(d, d->list_file, d->list_line)); shown++)
        printf("%u\t%s\n", d->list_line++, text);
    if (!shown) complain(d, "%s has no line %u that can be read.", d->list_file, d->list_line);
}
