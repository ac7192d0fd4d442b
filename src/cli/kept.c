/* SPDX-License-Identifier: MIT */
/* kept: files that compilers make, in the user's cache, beside checksums of the files that they were made from.
 *
 * <cache>/<command>/<key>/<name>: the key is the command with the place it is given in, and the compiler itself.
 * Beside the file stands its list, one line "checksum name" for the file and for each one that the compiler says
 * it read (-MMD). A file whose contents are others, however old, makes it again; so does a list that is missing,
 * cut short or not of this file. */
#define _GNU_SOURCE /* memfd_create */
#include "cli/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_text(GChecksum *sum, const char *text)
{
    g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
}

/* What changes by installing alone: its size and time are enough. */
static void add_tool(GChecksum *sum, const char *name)
{
    g_autofree char *path = g_find_program_in_path(name);
    GStatBuf info;
    if (g_stat(path ? path : name, &info) != 0) return;
    g_autofree char *text = g_strdup_printf("%lld %lld", (long long)info.st_size, (long long)info.st_mtime);
    add_text(sum, text);
}

static char *kept_key_of(const tw__kept *k)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree char *folder = g_get_current_dir();
    add_text(sum, k->is_shared ? "" : folder);
    add_tool(sum, (k->key ? k->key : k->words)->pdata[0]);
    for (size_t i = 0; i < G_N_ELEMENTS(k->tools); i++)
        if (k->tools[i]) add_tool(sum, k->tools[i]);
    const GPtrArray *words = k->key ? k->key : k->words;
    for (guint i = 0; i < words->len; i++) add_text(sum, words->pdata[i]);
    char *key = g_strndup(g_checksum_get_string(sum), 32);
    g_checksum_free(sum);
    return key;
}

char *tw__kept_path(const tw__kept *k)
{
    const char *cache = tw_cache_dir();
    if (!cache) return tw__cli_failure(k->command), NULL;
    g_autofree char *key = kept_key_of(k), *folder = g_build_filename(cache, k->command, key, NULL);
    if (tw_private_folder(folder) != TW_OK) return tw__cli_failure(k->command), NULL;
    return g_build_filename(folder, k->name, NULL);
}

/* --- is it up to date? ------------------------------------------------------------------------------------------ */

static char *checksum_of(const char *path)
{
    char *data = NULL;
    gsize size;
    if (!g_file_get_contents(path, &data, &size, NULL)) return NULL;
    char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)data, size);
    g_free(data);
    return sum;
}

#define LIST_END    "complete"
#define LIST_SUFFIX ".made-from"

static bool is_unchanged(const char *line)
{
    const char *blank = strchr(line, ' ');
    char *sum = blank ? checksum_of(blank + 1) : NULL;
    bool same = sum && strlen(sum) == (size_t)(blank - line) && strncmp(sum, line, strlen(sum)) == 0;
    g_free(sum);
    return same;
}

/* The lines of the list of a file, those of LIST_END too; NULL when it is not whole. */
static char **read_list(const char *path)
{
    g_autofree char *list = g_strconcat(path, LIST_SUFFIX, NULL);
    char *text = NULL;
    if (!g_file_get_contents(list, &text, NULL, NULL)) return NULL;
    char **lines = g_strsplit(text, "\n", -1);
    g_free(text);
    guint count = g_strv_length(lines);
    const char *first = count ? strchr(lines[0], ' ') : NULL;
    if (count > 3 && strcmp(lines[count - 2], LIST_END) == 0 && !*lines[count - 1] && first &&
        strcmp(first + 1, path) == 0)
        return lines;
    g_strfreev(lines);
    return NULL;
}

bool tw__kept_is_fresh(const char *path)
{
    char **lines = read_list(path);
    bool fresh = lines != NULL;
    for (guint i = 0; fresh && strcmp(lines[i], LIST_END) != 0; i++) fresh = is_unchanged(lines[i]);
    g_strfreev(lines);
    return fresh;
}

/* Files of a rule "x: a b \<newline> c"; blanks in names are "\ ", dollars "$$". NULL: unreadable. */
static GPtrArray *read_rule(const char *path)
{
    char *rule = NULL;
    if (!g_file_get_contents(path, &rule, NULL, NULL)) return NULL;
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    GString *word = g_string_new(NULL);
    const char *colon = strstr(rule, ": ");
    for (const char *at = colon ? colon + 2 : rule;; at++) {
        if (at[0] == '\\' && (at[1] == ' ' || at[1] == '#')) {
            g_string_append_c(word, *++at);
        } else if (at[0] == '$' && at[1] == '$') {
            g_string_append_c(word, *++at);
        } else if (at[0] == '\\' && at[1] == '\n') {
            at++;
        } else if (*at && *at != ' ' && *at != '\n') {
            g_string_append_c(word, *at);
        } else if (word->len) {
            g_ptr_array_add(files, g_strdup(word->str));
            g_string_truncate(word, 0);
        }
        if (!*at) break;
    }
    g_string_free(word, TRUE);
    g_free(rule);
    return files;
}

static gint64 changed_at(const GStatBuf *info) /* microseconds */
{
    return (gint64)info->st_mtim.tv_sec * G_USEC_PER_SEC + info->st_mtim.tv_nsec / 1000;
}

/* The list is not written when it cannot be right: then the next run compiles again. A file that was written after
 * the compiler began may not be what it read; clocks of file systems tick every few milliseconds. */
enum { DOUBT = 20000 }; /* microseconds */

static bool kept_add_line(GString *text, const char *path, gint64 before)
{
    GStatBuf info;
    g_autofree char *sum = checksum_of(path);
    if (!sum || strchr(path, '\n') || g_stat(path, &info) != 0 || changed_at(&info) >= before) return false;
    g_string_append_printf(text, "%s %s\n", sum, path);
    return true;
}

/* What a part was made from, as it was then. */
static bool add_part(GString *text, GHashTable *known, const char *path)
{
    char **lines = read_list(path);
    for (guint i = 1; lines && strcmp(lines[i], LIST_END) != 0; i++)
        if (g_hash_table_add(known, g_strdup(lines[i]))) g_string_append_printf(text, "%s\n", lines[i]);
    g_strfreev(lines);
    return lines != NULL;
}

static void write_list(const tw__kept *k, const char *path, const char *rule, gint64 began)
{
    GPtrArray *files = k->parts ? NULL : read_rule(rule);
    GString *text = g_string_new(NULL);
    bool sure = kept_add_line(text, path, G_MAXINT64) && (files || k->parts);
    for (guint i = 0; sure && files && i < files->len; i++)
        sure = strcmp(files->pdata[i], "/dev/null") == 0 || kept_add_line(text, files->pdata[i], began - DOUBT);
    GHashTable *known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; sure && k->parts && i < k->parts->len; i++) sure = add_part(text, known, k->parts->pdata[i]);
    g_hash_table_destroy(known);
    g_string_append(text, LIST_END "\n");
    g_autofree char *list = g_strconcat(path, LIST_SUFFIX, NULL);
    if (sure) tw_write_file(list, text->str, text->len, NULL, 0);
    g_string_free(text, TRUE);
    if (files) g_ptr_array_free(files, TRUE);
}

/* --- making it -------------------------------------------------------------------------------------------------- */

/* What a command prints stays off the standard output when that is a file that was asked for. */
static void aside(gpointer said)
{
    if (*(int *)said >= 0) dup2(*(int *)said, STDERR_FILENO);
    if (!tw__cli_has_standard_output()) dup2(STDERR_FILENO, STDOUT_FILENO);
}

static void show(const GPtrArray *command)
{
    for (guint i = 0; i < command->len && command->pdata[i]; i++) {
        char *quoted = g_shell_quote(command->pdata[i]);
        bool plain = !strpbrk(command->pdata[i], " '\"\\$&|;<>()*?");
        fprintf(stderr, "%s%s", i ? " " : "", plain ? (char *)command->pdata[i] : quoted);
        g_free(quoted);
    }
    fputc('\n', stderr);
}

/* All that was written to a file of no name; it is closed. */
static char *what_it_said(int file)
{
    char part[4096];
    GString *all = g_string_new(NULL);
    for (ssize_t n; file >= 0 && (n = pread(file, part, sizeof part, (off_t)all->len)) > 0;)
        g_string_append_len(all, part, n);
    if (file >= 0) close(file);
    return g_string_free(all, FALSE);
}

/* False when it failed, which it or this has said. No pipe for what it says: a signal is passed on while we wait, and
 * not while we read. */
static bool run_compiler(const tw__kept *k, GPtrArray *words)
{
    g_autoptr(GError) error = NULL;
    const GSpawnFlags flags = G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN | G_SPAWN_DO_NOT_REAP_CHILD;
    int said = k->messages ? memfd_create("messages", MFD_CLOEXEC) : -1;
    GPid child;
    if (!g_spawn_async(NULL, (char **)words->pdata, NULL, flags, aside, &said, &child, &error)) {
        if (said >= 0) close(said);
        if (g_error_matches(error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT))
            fprintf(stderr,
                    "tilewright %s: there is no compiler '%s' here: install one (Debian: apt install g++), or name "
                    "yours in the environment by CC for C, by CXX for C++\n",
                    k->command, (char *)words->pdata[0]);
        else
            fprintf(stderr, "tilewright %s: cannot start the compiler: %s\n", k->command, error->message);
        return false;
    }
    int status = tw__cli_wait(child);
    if (k->messages) *k->messages = what_it_said(said);
    if (WIFSIGNALED(status) && !tw_interrupted()) /* else the command says so */
        fprintf(stderr, "tilewright %s: '%s' ended by signal %d\n", k->command, (char *)words->pdata[0],
                WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Compiles to names of their own first: two runs at once must not see half a file, and one that is interrupted leaves
 * what was there. The list goes before the file comes, so that it never stands beside another. */
bool tw__kept_make(const tw__kept *k, const char *path)
{
    if (tw_interrupted()) return false;
    g_autofree char *fresh = g_strconcat(path, ".XXXXXX", NULL), *list = g_strconcat(path, LIST_SUFFIX, NULL);
    int fd = g_mkstemp_full(fresh, O_RDWR | O_CLOEXEC, 0700);
    if (fd < 0 || close(fd) != 0) {
        fprintf(stderr, "tilewright %s: cannot write '%s': %s\n", k->command, fresh, g_strerror(errno));
        return false;
    }
    g_autofree char *rule = g_strconcat(fresh, ".d", NULL);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    for (guint i = 0; i < k->words->len; i++) g_ptr_array_add(words, k->words->pdata[i]);
    const char *more[] = { "-o", fresh, "-MMD", "-MT", "made", "-MF", rule };
    for (size_t i = 0; i < (k->parts ? 2 : G_N_ELEMENTS(more)); i++) g_ptr_array_add(words, (char *)more[i]);
    g_ptr_array_add(words, NULL);
    if (k->is_verbose) show(words);
    gint64 began = g_get_real_time();
    bool ok = run_compiler(k, words);
    if (ok) {
        g_unlink(list);
        ok = g_rename(fresh, path) == 0;
        if (!ok) fprintf(stderr, "tilewright %s: cannot write '%s': %s\n", k->command, path, g_strerror(errno));
    }
    ok ? write_list(k, path, rule, began) : (void)g_unlink(fresh);
    g_unlink(rule);
    return ok;
}
