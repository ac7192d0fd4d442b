/* SPDX-License-Identifier: MIT */
/* aie_sources: which kernels a graph program has, from its text. The vendor's compiler learns it by running the
 * graph's constructor; here source("...") is looked for in the file and in the headers that it includes by name. */
#include "cli/aie/aie.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct scan {
    char **folders;
    GPtrArray *files;    /* paths, in order of discovery */
    GHashTable *known;   /* the same as a set of canonical paths */
    GPtrArray *kernels;  /* of those: named by source() */
    GHashTable *headers; /* ... and included by one of the files */
    tw_diags *missing;
    bool layered, has_adf, is_set_up, failed;
} scan;

/* Comments become blanks, so that places stay. Strings and characters are left alone. */
static void blank_comments(char *text)
{
    for (char *at = text; *at; at++) {
        if (*at == '"' || *at == '\'') {
            char quote = *at;
            while (*++at && *at != quote && *at != '\n')
                if (*at == '\\' && at[1]) at++;
            if (!*at) return;
        } else if (at[0] == '/' && at[1] == '/') {
            while (*at && *at != '\n') *at++ = ' ';
            if (!*at) return;
        } else if (at[0] == '/' && at[1] == '*') {
            char *end = strstr(at + 2, "*/");
            end = end ? end + 2 : at + strlen(at);
            for (; at < end; at++)
                if (*at != '\n') *at = ' ';
            at--;
        }
    }
}

/* `name` beside `from` (which may be NULL), in a folder, or as it stands; NULL when it is nowhere. */
static char *find(const scan *s, const char *name, const char *from)
{
    char *path = NULL;
    if (g_path_is_absolute(name)) path = g_strdup(name);
    if (!path && from) {
        char *beside = g_path_get_dirname(from);
        path = g_build_filename(beside, name, NULL);
        g_free(beside);
    }
    for (size_t i = 0; (!path || !g_file_test(path, G_FILE_TEST_IS_REGULAR)) && s->folders[i]; i++) {
        g_free(path);
        path = g_build_filename(s->folders[i], name, NULL);
    }
    if (from && !g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
        g_free(path);
        path = g_strdup(name);
    }
    char *found = path && g_file_test(path, G_FILE_TEST_IS_REGULAR) ? g_canonicalize_filename(path, NULL) : NULL;
    g_free(path);
    return found;
}

/* Takes the path; true when it is new. The set owns it (and would put an equal one in its place). */
static bool aie_sources_add(scan *s, char *path)
{
    if (g_hash_table_contains(s->known, path)) {
        g_free(path);
        return false;
    }
    g_hash_table_add(s->known, path);
    g_ptr_array_add(s->files, path);
    return true;
}

static void missing(scan *s, const char *file, const char *text, const char *at, const char *name, size_t length)
{
    const char *begin = at;
    while (begin > text && begin[-1] != '\n') begin--;
    int line = 1;
    for (const char *c = text; c < begin; c++) line += *c == '\n';
    char *whole = g_strndup(begin, strcspn(begin, "\n"));
    char *message =
        g_strdup_printf("the kernel's source '%s' is neither beside this file nor here, nor in a folder "
                        "given by -I",
                        name);
    tw_diags_add(s->missing, &(tw_diag){ .file = file,
                                         .line = line,
                                         .column = (int)(at - begin) + 1,
                                         .length = (int)length,
                                         .severity = TW_WARNING,
                                         .code = "",
                                         .message = message,
                                         .source = whole });
    g_free(whole), g_free(message);
}

/* The string literal at *at, behind blanks; NULL when something else stands there. To be freed. */
static char *literal(const char *at, const char **begin)
{
    while (isspace((unsigned char)*at)) at++;
    if (*at != '"' && *at != '<') return NULL;
    const char *end = strpbrk(at + 1, *at == '"' ? "\"\n" : ">\n");
    *begin = at;
    return end && *end != '\n' ? g_strndup(at + 1, (gsize)(end - at - 1)) : NULL;
}

/* #include "name", #include <name>: its text belongs to the program. */
static void read_include(scan *s, const char *file, const char *at)
{
    const char *begin;
    char *name = literal(at, &begin);
    if (!name) return;
    if (g_str_has_prefix(name, "aie_api/")) s->layered = true;
    if (strcmp(name, "adf.h") == 0) s->has_adf = true;
    if (strcmp(name, "tilewright/aie/vendor.hpp") == 0) s->is_set_up = true; /* it wants to be the first */
    char *path = find(s, name, *begin == '"' ? file : NULL); /* <...>: in the folders of the command line alone */
    if (path) {
        g_hash_table_add(s->headers, g_strdup(path));
        aie_sources_add(s, path);
    }
    g_free(name);
}

/* source(...) = "name": behind the closing parenthesis. */
static void read_source(scan *s, const char *file, const char *text, const char *at)
{
    int depth = 0;
    for (; *at && *at != ';'; at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at == ')' && depth == 0) break;
    }
    if (*at != ')') return;
    at++;
    while (isspace((unsigned char)*at)) at++;
    const char *begin;
    char *name = *at == '=' ? literal(at + 1, &begin) : NULL;
    if (!name) return; /* a name that is computed */
    char *path = find(s, name, file);
    if (!path)
        missing(s, file, text, begin, name, strlen(name) + 2);
    else if (aie_sources_add(s, path))
        g_ptr_array_add(s->kernels, path);
    g_free(name);
}

static bool is_word(const char *text, const char *at, const char *word)
{
    size_t n = strlen(word);
    bool before = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
    return strncmp(at, word, n) == 0 && !before && !isalnum((unsigned char)at[n]) && at[n] != '_';
}

static char *read_text(scan *s, const char *path)
{
    char *text = tw_read_file(path, TW_SOURCE_LIMIT, NULL);
    if (!text) {
        tw__cli_failure("aie");
        s->failed = true;
        return NULL;
    }
    blank_comments(text);
    return text;
}

static void read_file(scan *s, const char *path)
{
    char *text = read_text(s, path);
    if (text && strstr(text, "TW_AIE_")) s->is_set_up = true;
    for (const char *at = text; at && *at; at++) {
        if (*at == '#') {
            const char *word = at + 1 + strspn(at + 1, " \t");
            if (is_word(text, word, "include")) read_include(s, path, word + strlen("include"));
        } else if (*at == 's' && is_word(text, at, "source")) {
            read_source(s, path, text, at + strlen("source"));
        }
    }
    free(text);
}

static bool has_templates(scan *s, const char *path)
{
    char *text = read_text(s, path);
    bool found = false;
    for (const char *at = text; at && !found && (at = strstr(at, "template")); at++)
        found = is_word(text, at, "template");
    free(text);
    return found;
}

bool tw__aie_find_sources(const char *graph, char **folders, tw__aie_sources *out)
{
    scan s = { .folders = folders,
               .missing = tw__cli_diags(),
               .files = g_ptr_array_new(),
               .known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
               .kernels = g_ptr_array_new(),
               .headers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL) };
    aie_sources_add(&s, g_canonicalize_filename(graph, NULL));
    for (guint i = 0; i < s.files->len && !s.failed; i++) read_file(&s, s.files->pdata[i]);
    out->included = g_ptr_array_new_with_free_func(g_free), out->apart = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < s.kernels->len && !s.failed; i++) {
        const char *path = s.kernels->pdata[i];
        if (g_hash_table_contains(s.headers, path)) continue; /* the program includes it itself */
        g_ptr_array_add(has_templates(&s, path) ? out->included : out->apart, g_strdup(path));
    }
    out->layered = s.layered, out->has_adf = s.has_adf, out->is_set_up = s.is_set_up, out->missing = s.missing;
    g_ptr_array_free(s.kernels, TRUE), g_ptr_array_free(s.files, TRUE);
    g_hash_table_destroy(s.headers), g_hash_table_destroy(s.known);
    return !s.failed;
}

void tw__aie_free_sources(tw__aie_sources *sources)
{
    if (sources->included) g_ptr_array_free(sources->included, TRUE);
    if (sources->apart) g_ptr_array_free(sources->apart, TRUE);
    tw_diags_free(sources->missing);
}
