/* SPDX-License-Identifier: MIT */
/* lsp_csl: CSL for the server. A file belongs to the layout near it that imports or places it; how that is compiled
 * stands in the client's settings and in the line of `cslc` in a commands*.sh beside it, as published programs have
 * it. */
#include "cli/csl/csl.h"
#include "cli/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LAYOUTS = 300, MOST_FILES = 200, LEVELS_UP = 3, LEVELS_DOWN = 3 };

static char *read_csl(tw__lsp *server, const char *path)
{
    size_t size;
    char *text = tw__lsp_open(server, path, &size);
    if (!text && g_file_test(path, G_FILE_TEST_IS_REGULAR)) text = tw_read_file(path, TW_SOURCE_LIMIT, &size);
    return text;
}

/* --- the layout of a file ------------------------------------------------------------------------------------ */

static bool has_layout(const char *text)
{
    for (const char *at = text; (at = strstr(at, "layout")); at += 6) {
        const char *behind = at + 6;
        while (g_ascii_isspace(*behind)) behind++;
        if (*behind == '{' && (at == text || at[-1] == '\n' || at[-1] == '}')) return true;
    }
    return false;
}

/* Files that the strings of a text may name, from the file's folder and from the layout's on. */
static void add_named_files(const tw__lsp *server, const char *text, const char *const folders[2], GPtrArray *files,
                            GHashTable *seen)
{
    for (const char *at = strchr(text, '"'), *end; at && (end = strpbrk(at + 1, "\"\n"));
         at = strchr(end + 1, '"')) {
        g_autofree char *name = g_strndup(at + 1, (gsize)(end - at - 1));
        if (*end != '"' || !*name || *name == '<' || strlen(name) > 200) continue;
        for (int i = 0; i < 2; i++) {
            g_autofree char *whole =
                g_str_has_suffix(name, ".csl") ? g_strdup(name) : g_strconcat(name, ".csl", NULL);
            g_autofree char *path = g_canonicalize_filename(whole, folders[i]);
            if (files->len >= MOST_FILES || g_hash_table_contains(seen, path)) continue;
            if (!g_hash_table_contains(server->documents, path) && !g_file_test(path, G_FILE_TEST_IS_REGULAR))
                continue;
            g_hash_table_add(seen, g_strdup(path));
            g_ptr_array_add(files, g_steal_pointer(&path));
        }
    }
}

/* Whether a layout imports or places the file, as far as names are written out. */
static bool layout_reaches(tw__lsp *server, const char *layout, const char *wanted)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree char *top = g_path_get_dirname(layout);
    g_ptr_array_add(files, g_strdup(layout));
    g_hash_table_add(seen, g_strdup(layout));
    for (guint i = 0; i < files->len; i++) {
        if (!strcmp(files->pdata[i], wanted)) return true;
        g_autofree char *folder = g_path_get_dirname(files->pdata[i]);
        char *text = read_csl(server, files->pdata[i]);
        const char *const folders[] = { folder, top };
        if (text) add_named_files(server, text, folders, files, seen);
        free(text);
    }
    return false;
}

static int csl_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Paths of all .csl files in a folder and those below. */
static void list_sources(const char *folder, unsigned levels, GPtrArray *out)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir && out->len < MOST_LAYOUTS && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_str_has_suffix(name, ".csl"))
            g_ptr_array_add(out, g_steal_pointer(&path));
        else if (levels && name[0] != '.' && g_file_test(path, G_FILE_TEST_IS_DIR))
            list_sources(path, levels - 1, out);
    }
}

static bool is_layout_of(tw__lsp *server, const char *path, const char *wanted)
{
    char *text = read_csl(server, path);
    bool good = text && has_layout(text) && layout_reaches(server, path, wanted);
    free(text);
    return good;
}

static char *open_layout(tw__lsp *server, const char *wanted)
{
    GHashTableIter each;
    gpointer path, found;
    g_hash_table_iter_init(&each, server->documents);
    while (g_hash_table_iter_next(&each, &path, &found))
        if (((tw__lsp_document *)found)->language == &tw__lsp_csl && is_layout_of(server, path, wanted))
            return g_strdup(path);
    return NULL;
}

static char *layout_in(tw__lsp *server, const char *folder, unsigned levels, const char *wanted)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    list_sources(folder, levels, paths);
    g_ptr_array_sort(paths, csl_by_name);
    for (guint i = 0; i < paths->len; i++)
        if (is_layout_of(server, paths->pdata[i], wanted)) return g_strdup(paths->pdata[i]);
    return NULL;
}

static bool in_workspace(const tw__lsp *server, const char *folder)
{
    for (guint i = 0; i < server->folders->len; i++) {
        const char *top = server->folders->pdata[i];
        size_t length = strlen(top);
        if (!strncmp(folder, top, length) && (!folder[length] || folder[length] == '/')) return true;
    }
    return false;
}

static const json_t *csl_setting(const tw__lsp *server, const char *name)
{
    return json_object_get(json_object_get(server->settings, "csl"), name);
}

/* The layout that the settings name, for a program in a folder; NULL: they name none. */
static char *layout_of_settings(const tw__lsp *server, const char *folder)
{
    const char *given = json_string_value(csl_setting(server, "layout"));
    if (!given || !*given) return NULL;
    return g_canonicalize_filename(given, server->folders->len ? server->folders->pdata[0] : folder);
}

static char *csl_root(tw__lsp *server, const char *path)
{
    if (!g_path_is_absolute(path)) return NULL;
    char *text = read_csl(server, path);
    bool own = text && has_layout(text);
    free(text);
    if (own) return NULL;
    g_autofree char *folder = g_path_get_dirname(path), *layout = layout_of_settings(server, folder);
    if (layout && layout_reaches(server, layout, path)) return g_steal_pointer(&layout);
    char *found = open_layout(server, path);
    if (!found) found = layout_in(server, folder, 0, path);
    for (unsigned up = 0; !found && up <= LEVELS_UP && in_workspace(server, folder); up++) {
        found = layout_in(server, folder, LEVELS_DOWN, path);
        char *above = g_path_get_dirname(folder);
        g_free(folder);
        folder = above;
    }
    return found;
}

/* --- its options --------------------------------------------------------------------------------------------- */

/* Takes options of cslc; *file: the word that is none. False: they are not understood. */
static bool take_options(tw__csl_request *r, char **words, const char **file)
{
    int argc = (int)g_strv_length(words);
    char **argv = g_new0(char *, (gsize)argc + 2);
    memcpy(argv, words, (gsize)argc * sizeof *argv);
    bool good = argc > 0 && tw__cli_read(&tw__csl_syntax, r, &argc, argv) == TW__EXIT_OK && argc <= 2;
    *file = good && argc == 2 ? argv[1] : NULL;
    g_free(argv);
    return good;
}

/* "cslc ..." in a script, with the lines that follow a '\'. */
static char *command_in(const char *script)
{
    g_auto(GStrv) lines = g_strsplit(script, "\n", -1);
    g_autoptr(GString) all = NULL;
    for (char **line = lines; *line; line++) {
        g_strstrip(*line);
        if (!all && !g_str_has_prefix(*line, "cslc ")) continue;
        if (!all) all = g_string_new(NULL);
        bool goes_on = g_str_has_suffix(*line, "\\");
        if (goes_on) (*line)[strlen(*line) - 1] = 0;
        g_string_append_printf(all, "%s ", *line);
        if (!goes_on) break;
    }
    return all ? g_strdup(all->str) : NULL;
}

/* Folders that a script names from its own, by their paths: who takes the words stands elsewhere. */
static void make_folders_absolute(char **words, const char *folder)
{
    static const char option[] = "--import-path";
    for (char **word = words; *word; word++) {
        const char *rest = g_str_has_prefix(*word, option) ? *word + strlen(option) : "?";
        char *old = NULL;
        if (*rest == '=') {
            g_autofree char *whole = g_canonicalize_filename(rest + 1, folder);
            old = *word, *word = g_strdup_printf("%s=%s", option, whole);
        } else if (!*rest && word[1]) {
            old = *++word, *word = g_canonicalize_filename(old, folder);
        }
        g_free(old);
    }
}

/* The words of that line, when it compiles this layout; else NULL. */
static char **words_of_script(const char *path, const char *root)
{
    char *text = tw_read_file(path, 1 << 20, NULL);
    g_autofree char *command = text ? command_in(text) : NULL;
    free(text);
    char **words = NULL;
    if (!command || strchr(command, '$') || !g_shell_parse_argv(command, NULL, &words, NULL)) return NULL;
    g_autofree char *folder = g_path_get_dirname(path);
    tw__csl_request alone;
    const char *file = NULL;
    tw__csl_request_init(&alone);
    bool good = take_options(&alone, words, &file) && file;
    tw__csl_request_clear(&alone);
    g_autofree char *layout = good ? g_canonicalize_filename(file, folder) : NULL;
    if (good && !strcmp(layout, root)) {
        make_folders_absolute(words, folder);
        return words;
    }
    g_strfreev(words);
    return NULL;
}

/* commands.sh, commands_wse2.sh, ... beside the layout or above it. */
static char **words_of_scripts(const tw__lsp *server, const char *root)
{
    g_autofree char *folder = g_path_get_dirname(root);
    for (unsigned up = 0; up < 2; up++) {
        g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
        const char *name;
        while (dir && (name = g_dir_read_name(dir)))
            if (g_str_has_prefix(name, "commands") && g_str_has_suffix(name, ".sh"))
                g_ptr_array_add(names, g_build_filename(folder, name, NULL));
        g_ptr_array_sort(names, csl_by_name);
        for (guint i = 0; i < names->len; i++) {
            char **words = words_of_script(names->pdata[i], root);
            if (words) return words;
        }
        char *above = g_path_get_dirname(folder);
        g_free(folder);
        folder = above;
        if (!in_workspace(server, folder)) break;
    }
    return NULL;
}

static char **words_of_settings(const tw__lsp *server)
{
    const json_t *given = csl_setting(server, "options"), *one;
    size_t i;
    if (!json_array_size(given)) return NULL;
    char **words = g_new0(char *, json_array_size(given) + 2);
    words[0] = g_strdup("cslc");
    json_array_foreach(given, i, one) words[i + 1] = g_strdup(json_is_string(one) ? json_string_value(one) : "");
    return words;
}

/* In the order in which they count: those of the settings, then those of the script, which is nearer to the
 * program; in the other order for the program whose layout the settings name. */
static void read_options(const tw__lsp *server, const char *root, tw__csl_request *r, GPtrArray *kept)
{
    char **general = words_of_settings(server),
         **own = g_path_is_absolute(root) ? words_of_scripts(server, root) : NULL;
    g_autofree char *folder = g_path_get_dirname(root), *layout = layout_of_settings(server, folder);
    bool settings_last = layout && !strcmp(layout, root);
    const char *file;
    tw__csl_request_init(r);
    if (general && !settings_last) g_ptr_array_add(kept, general);
    if (own) g_ptr_array_add(kept, own);
    if (general && settings_last) g_ptr_array_add(kept, general);
    for (guint i = 0; i < kept->len; i++) take_options(r, kept->pdata[i], &file);
}

/* Without the layout itself, and the folder that is written. */
static void add_plain_options(GPtrArray *all, char *const *words, const char *root)
{
    g_autofree char *base = g_path_get_basename(root);
    for (char *const *word = words + 1; *word; word++) {
        g_autofree char *name = g_path_get_basename(*word);
        bool writes = g_str_has_prefix(*word, "-o");
        if (writes && !(*word)[2] && word[1]) word++;
        if (!writes && (**word == '-' || strcmp(name, base) != 0)) g_ptr_array_add(all, g_strdup(*word));
    }
}

/* As read_options() takes them. */
static char **csl_options(const tw__lsp *server, const char *root)
{
    tw__csl_request r;
    g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    GPtrArray *all = g_ptr_array_new();
    read_options(server, root, &r, kept);
    tw__csl_request_clear(&r);
    for (guint i = 0; i < kept->len; i++) add_plain_options(all, kept->pdata[i], root);
    g_ptr_array_add(all, NULL);
    return (char **)g_ptr_array_free(all, FALSE);
}

/* --- analysis ------------------------------------------------------------------------------------------------ */

static bool index_has(const tw_index *index, const char *path)
{
    const char *name;
    for (size_t i = 0; (name = tw_index_file(index, i)); i++) {
        g_autofree char *whole = g_path_is_absolute(name) ? g_canonicalize_filename(name, "/") : g_strdup(name);
        if (!strcmp(whole, path)) return true;
    }
    return false;
}

tw_index *tw__lsp_csl_outline(tw__lsp *server, const char *path, tw_diags *diags)
{
    const tw_csl_index_options how = {
        .size = sizeof how, .open = tw__lsp_open, .user = server, .syntax_only = true
    };
    return tw_csl_index(path, NULL, &how, diags);
}

static tw_index *csl_index(tw__lsp *server, const tw__lsp_program *program, bool quick, bool stoppable,
                           tw_diags *diags)
{
    tw__csl_request r;
    g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    read_options(server, program->root, &r, kept);
    const tw_csl_index_options how = { .size = sizeof how,
                                       .open = tw__lsp_open,
                                       .cancelled = stoppable ? tw__lsp_has_news : NULL,
                                       .user = server,
                                       .first_only = quick };
    tw_csl_options *options = &r.options;
    tw__csl_request_options(&r);
    if (quick) options->level = TW_CSL_O0; /* room for code is for the second look */
    tw_index *index = tw_csl_index(program->root, options, &how, diags);
    GHashTableIter each;
    gpointer found;
    g_hash_table_iter_init(&each, server->documents); /* what the layout does not come to, at least as text */
    while (index && g_hash_table_iter_next(&each, NULL, &found)) {
        const tw__lsp_document *d = found;
        if (d->program == program && !index_has(index, d->path))
            tw_index_free(tw__lsp_csl_outline(server, d->path, diags));
    }
    tw__csl_request_clear(&r);
    return index;
}

/* --- words --------------------------------------------------------------------------------------------------- */

static bool csl_word(size_t i, tw__lsp_word *word)
{
    enum { FUNCTION = 3, KEYWORD = 14, SNIPPET = 15 };
    static const tw__lsp_word snippets[] = {
        { "fn ...", "a function", NULL, "fn ${1:name}($2) ${3:void} {\n  $0\n}", SNIPPET },
        { "task ...", "a task", NULL, "task ${1:name}($2) void {\n  $0\n}", SNIPPET },
        { "for ...", "a loop over a range", NULL, "for (@range(${1:u16}, ${2:n})) |${3:i}| {\n  $0\n}", SNIPPET },
        { "while ...", "a loop", NULL, "while (${1:condition}) : (${2:step}) {\n  $0\n}", SNIPPET },
        { "layout ...", "the layout block", NULL, "layout {\n  @set_rectangle(${1:width}, ${2:height});\n  $0\n}",
          SNIPPET },
        { "comptime ...", "a block for compile time", NULL, "comptime {\n  $0\n}", SNIPPET },
        { "struct ...", "a type", NULL, "const ${1:name} = struct {\n  ${2:field}: ${3:u16},\n};", SNIPPET },
        { "mem1d_dsd ...", "a descriptor of an array", NULL,
          "const ${1:name} = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{${2:n}} -> ${3:array}[i] });", SNIPPET },
    };
    static char *call; /* of the builtin that was asked for last */
    tw_csl_builtin builtin;
    if (i < G_N_ELEMENTS(snippets)) return *word = snippets[i], true;
    i -= G_N_ELEMENTS(snippets);
    if (tw_csl_get_builtin(i, &builtin)) {
        g_free(call);
        call = tw__lsp_call_snippet(builtin.name, builtin.signature);
        *word = (tw__lsp_word){ builtin.name, builtin.signature, builtin.doc, call, FUNCTION };
        return true;
    }
    size_t builtins = 0;
    while (tw_csl_get_builtin(builtins, &builtin)) builtins++;
    const char *keyword = tw_csl_keyword(i - builtins);
    if (keyword) *word = (tw__lsp_word){ keyword, NULL, NULL, NULL, KEYWORD };
    return keyword != NULL;
}

static bool csl_is_name(const char *name)
{
    const char *keyword;
    if (!g_ascii_isalpha(*name) && *name != '_') return false;
    for (const char *c = name; *c; c++)
        if (!g_ascii_isalnum(*c) && *c != '_') return false;
    for (size_t i = 0; (keyword = tw_csl_keyword(i)); i++)
        if (!strcmp(keyword, name)) return false;
    return true;
}

static char *csl_format(const char *source, size_t size)
{
    size_t length;
    tw_diags *diags = tw_diags_new();
    char *printed = diags ? tw_csl_format("text", source, size, &length, diags) : NULL;
    tw_diags_free(diags);
    return printed;
}

const tw__lsp_language tw__lsp_csl = {
    .id = "csl",
    .suffixes = "|.csl|",
    .comment = "//",
    .name_bytes = "",
    .root = csl_root,
    .index = csl_index,
    .outline = tw__lsp_csl_outline,
    .word = csl_word,
    .is_name = csl_is_name,
    .options = csl_options,
    .format = csl_format,
};
