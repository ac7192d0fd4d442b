/* Compiled codelets on disk, under the XDG cache folder.
 *
 * A source has a base key: its text, flags, target, compiler, CPU and our headers. <base>.deps lists the user's headers
 * that it read last time; together with their present contents they give the key of the result. So a changed header
 * leads to another result, and going back finds the old one. Files appear by rename: readers in other processes see
 * them whole or not at all, and two writers of one key write the same thing. */
#include "poplar/codelet/compile/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

char *tw__cache_folder(void)
{
    const char *cache = tw__cache_dir();
    if (!cache) return NULL;
    char *folder = g_build_filename(cache, "codelets", NULL);
    if (g_mkdir_with_parents(folder, 0700) == 0) return folder;
    tw__fail(TW_E_IO, "cannot create '%s': %s", folder, g_strerror(errno));
    g_free(folder);
    return NULL;
}

char *tw__cache_path(const char *key, const char *suffix)
{
    g_autofree char *folder = tw__cache_folder();
    return folder ? g_strdup_printf("%s/%s%s", folder, key, suffix) : NULL;
}

char *tw__cache_temporary(const char *suffix)
{
    static gint counter;
    g_autofree char *folder = tw__cache_folder();
    if (!folder) return NULL;
    if (g_access(folder, W_OK) != 0) {
        tw__fail(TW_E_IO, "cannot write to the cache folder '%s': %s; XDG_CACHE_HOME names another place", folder,
                 g_strerror(errno));
        return NULL;
    }
    return g_strdup_printf("%s/tmp-%d-%d%s", folder, (int)getpid(), g_atomic_int_add(&counter, 1), suffix);
}

tw_status tw__cache_write(const char *path, const char *data, size_t length)
{
    g_autofree char *temporary = tw__cache_temporary(".new");
    if (!temporary) return TW_E_IO;
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0;
    for (size_t done = 0; ok && done < length;) {
        ssize_t n = write(fd, data + done, length - done);
        if (n > 0)
            done += (size_t)n;
        else
            ok = n < 0 && errno == EINTR;
    }
    if (fd >= 0) ok = close(fd) == 0 && ok;
    if (ok && g_rename(temporary, path) == 0) return TW_OK;
    int problem = errno;
    g_unlink(temporary);
    return tw__fail(TW_E_IO, "cannot write '%s': %s", path, g_strerror(problem));
}

static bool add_file(GChecksum *sum, const char *path)
{
    char *data;
    gsize length;
    if (!g_file_get_contents(path, &data, &length, NULL)) return false;
    g_checksum_update(sum, (const guchar *)path, (gssize)strlen(path) + 1);
    g_checksum_update(sum, (const guchar *)data, (gssize)length);
    g_free(data);
    return true;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *tw__cache_headers_digest(void)
{
    static const char *const folders[] = { "poplar", "poplar/device" };
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *folder = g_build_filename(tw__include_dir(), folders[i], NULL);
        GDir *dir = g_dir_open(folder, 0, NULL);
        for (const char *name; dir && (name = g_dir_read_name(dir));)
            g_ptr_array_add(names, g_build_filename(folder, name, NULL));
        if (dir) g_dir_close(dir);
    }
    g_ptr_array_sort(names, by_name);
    g_ptr_array_add(names, g_build_filename(tw__include_dir(), "tilewright", "codelet.h", NULL));
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    bool any = false;
    for (guint i = 0; i < names->len; i++) any = add_file(sum, names->pdata[i]) || any; /* folders are skipped */
    char *digest = any ? g_strdup(g_checksum_get_string(sum)) : NULL;
    g_checksum_free(sum);
    g_ptr_array_free(names, TRUE);
    return digest;
}

char *tw__cache_result_key(const char *base, char *const *dependencies)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const guchar *)base, -1);
    bool ok = true;
    for (char *const *path = dependencies; path && *path && ok; path++) {
        if (!g_str_has_prefix(*path, "/usr/")) {
            ok = add_file(sum, *path);
            continue;
        }
        GStatBuf info; /* of the system: they change by installing, which changes their time */
        ok = g_stat(*path, &info) == 0;
        g_autofree char *text =
            g_strdup_printf("%s %lld %lld", *path, (long long)info.st_size, (long long)info.st_mtime);
        g_checksum_update(sum, (const guchar *)text, -1);
    }
    char *key = ok ? g_strdup(g_checksum_get_string(sum)) : NULL;
    g_checksum_free(sum);
    return key;
}

char **tw__cache_read_list(const char *path)
{
    g_autofree char *text = NULL;
    if (!path || !g_file_get_contents(path, &text, NULL, NULL)) return NULL;
    return g_strsplit(g_strchomp(text), "\n", -1);
}

char **tw__cache_read_depfile(const char *path, const char *skip)
{
    GPtrArray *files = g_ptr_array_new();
    g_autofree char *text = NULL;
    if (g_file_get_contents(path, &text, NULL, NULL)) {
        const char *at = strchr(text, ':');
        GString *name = g_string_new(NULL);
        for (at = at ? at + 1 : ""; *at || name->len; at++) { /* blanks in names are written "\ " */
            bool blank = *at == 0 || g_ascii_isspace(*at);
            if (*at == '\\' && (at[1] == ' ' || at[1] == '#')) {
                g_string_append_c(name, *++at);
            } else if (*at == '\\' && at[1] == '\n') {
                at++;
            } else if (!blank) {
                g_string_append_c(name, *at);
            } else if (name->len) {
                if (strcmp(name->str, skip) != 0 && strcmp(name->str, "-") != 0 && name->str[0] != '<')
                    g_ptr_array_add(files, g_strdup(name->str));
                g_string_truncate(name, 0);
            }
            if (!*at) break;
        }
        g_string_free(name, TRUE);
    }
    g_ptr_array_add(files, NULL);
    return (char **)g_ptr_array_free(files, FALSE);
}
